/*
 * jsonout.h - a streaming JSON writer into a struct buf.
 *
 * Why     replays and leaderboards are large and hot: no tree is built; doubles come out shortest
 * round-trip and non-finite ones as null, so no NaN reaches a client. Use     open/close objects
 * and arrays in pairs; in an object call jout_key before each value. Misuse is a bug (CHECK).
 * Errors  kept in the buffer (buf.err): check once at the end.
 * Threads one writer, one thread.
 */
#ifndef ENGINE_BASE_JSONOUT_H
#define ENGINE_BASE_JSONOUT_H

#include "engine/base/buf.h"

struct jout {
    struct buf *to; /* borrowed */
    uint32_t depth;
    bool need_comma;
    bool after_key;
};

void jout_init(struct jout *j, struct buf *to);
void jout_object(struct jout *j);
void jout_object_end(struct jout *j);
void jout_array(struct jout *j);
void jout_array_end(struct jout *j);
/* A plain ASCII key that needs no escaping. */
void jout_key(struct jout *j, const char *key);
/* UTF-8 in, escaped out (quotes, backslash, controls, DEL, U+2028/9); malformed bytes become
 * U+FFFD. ptr NULL writes null. */
void jout_span(struct jout *j, struct span text);
void jout_text(struct jout *j, const char *text);
void jout_int(struct jout *j, int64_t value);
void jout_double(struct jout *j, double value);
void jout_bool(struct jout *j, bool value);
void jout_null(struct jout *j);
/* RFC 3339 text of a UTC time in ms; null when negative. */
void jout_time(struct jout *j, int64_t utc_ms);
/* Ready JSON text, copied as it stands. */
void jout_raw(struct jout *j, struct span json);

/* key and value in one call, for objects. */
void jout_kv_text(struct jout *j, const char *key, const char *text);
void jout_kv_int(struct jout *j, const char *key, int64_t value);
void jout_kv_double(struct jout *j, const char *key, double value);
void jout_kv_bool(struct jout *j, const char *key, bool value);
void jout_kv_null(struct jout *j, const char *key);
void jout_kv_time(struct jout *j, const char *key, int64_t utc_ms);

/* Shortest decimal text that reads back as the same double ("null" if not finite). size >= 32. */
void double_format(double value, char *ret_text, size_t size);

#endif
