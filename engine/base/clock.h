/*
 * clock.h - the two clocks: monotonic for deadlines and durations, UTC for what is stored.
 *
 * Units   milliseconds and microseconds in int64_t.
 * Threads safe.
 */
#ifndef ENGINE_BASE_CLOCK_H
#define ENGINE_BASE_CLOCK_H

#include "engine/base/span.h"

#define CLOCK_TEXT_SIZE 25 /* "2026-11-30T05:25:31.123Z" and a NUL */

int64_t clock_mono_us(void);
int64_t clock_mono_ms(void);
/* Milliseconds since 1970 UTC. */
int64_t clock_utc_ms(void);

/* RFC 3339 UTC with milliseconds; years 1970 to 9999. */
void clock_format(int64_t utc_ms, char ret_text[CLOCK_TEXT_SIZE]);
/* The same form back ("Z" only, with milliseconds), real calendar dates only; D7_ERR_INVALID
 * otherwise. */
D7_MUST_USE enum d7_err clock_parse(struct span text, int64_t *ret_utc_ms);

#endif
