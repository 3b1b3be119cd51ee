/*
 * log.h - one line an event on stderr, text or JSON. The server logs once, where an error is
 * handled.
 *
 * Threads safe: one write(2) a line. Secrets never go in; user text goes through span_escape.
 */
#ifndef SERVER_LOG_H
#define SERVER_LOG_H

#include "engine/base/buf.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

void log_init(bool json, const char *program);
void log_line(enum log_level level, const char *format, ...) D7_PRINTF(2, 3);

/* One named value of an event: text, or a number when text is NULL. */
struct log_field {
    const char *key;
    const char *text;
    double number;
};
/* message and fields: `key=value` pairs after the message, or members of the JSON line. */
void log_event(enum log_level level, const char *message, const struct log_field *fields,
               size_t count);

#endif
