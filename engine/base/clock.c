#include "engine/base/clock.h"

#include <time.h>

static int64_t read_us(clockid_t id)
{
    struct timespec t;
    D7_CHECK(clock_gettime(id, &t) == 0);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_mono_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

int64_t clock_mono_ms(void)
{
    return read_us(CLOCK_MONOTONIC) / 1000;
}

int64_t clock_utc_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}

static char *put_digits(char *to, unsigned value, size_t count)
{
    for (size_t i = count; i > 0; i--) {
        to[i - 1] = (char)('0' + value % 10);
        value /= 10;
    }
    return to + count;
}

/* By hand: strftime(3) and snprintf(3) were a large part of what a log line costs. */
void clock_format(int64_t utc_ms, char ret_text[CLOCK_TEXT_SIZE])
{
    static const int64_t last = 253402300799999; /* 9999-12-31T23:59:59.999Z */
    int64_t clamped = utc_ms < 0 ? 0 : utc_ms > last ? last : utc_ms;
    time_t seconds = (time_t)(clamped / 1000);
    struct tm tm;
    D7_CHECK(gmtime_r(&seconds, &tm));
    const struct {
        unsigned value;
        unsigned digits;
        char after;
    } parts[] = {
        {(unsigned)tm.tm_year + 1900, 4, '-'}, {(unsigned)tm.tm_mon + 1, 2, '-'},
        {(unsigned)tm.tm_mday, 2, 'T'},        {(unsigned)tm.tm_hour, 2, ':'},
        {(unsigned)tm.tm_min, 2, ':'},         {(unsigned)tm.tm_sec, 2, '.'},
        {(unsigned)(clamped % 1000), 3, 'Z'},
    };
    char *to = ret_text;
    for (size_t i = 0; i < D7_COUNT(parts); i++) {
        to = put_digits(to, parts[i].value, parts[i].digits);
        *to++ = parts[i].after;
    }
    *to++ = '\0';
    D7_CHECK(to - ret_text == CLOCK_TEXT_SIZE);
}

static bool digits_at(struct span text, size_t at, size_t count, int *ret_value)
{
    int value = 0;
    for (size_t i = at; i < at + count; i++) {
        if (i >= text.len || text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (text.ptr[i] - '0');
    }
    *ret_value = value;
    return true;
}

/* "2026-11-30T05:25:31": marks and digits in their places, numbers in their ranges (days up to 31).
 */
static bool parse_seconds(struct span text, struct tm *ret)
{
    static const struct {
        size_t at;
        size_t count;
        int lo, hi;
    } fields[] = {{0, 4, 1970, 9999}, {5, 2, 1, 12},  {8, 2, 1, 31},
                  {11, 2, 0, 23},     {14, 2, 0, 59}, {17, 2, 0, 59}};
    static const char marks[] = "    -  -  T  :  :  ";
    int values[D7_COUNT(fields)];
    for (size_t i = 0; i < D7_COUNT(fields); i++) {
        if (!digits_at(text, fields[i].at, fields[i].count, &values[i]) ||
            values[i] < fields[i].lo || values[i] > fields[i].hi) {
            return false;
        }
    }
    for (size_t i = 0; i + 1 < sizeof(marks); i++) {
        if (marks[i] != ' ' && text.ptr[i] != marks[i]) {
            return false;
        }
    }
    *ret = (struct tm){.tm_year = values[0] - 1900,
                       .tm_mon = values[1] - 1,
                       .tm_mday = values[2],
                       .tm_hour = values[3],
                       .tm_min = values[4],
                       .tm_sec = values[5]};
    return true;
}

enum d7_err clock_parse(struct span text, int64_t *ret_utc_ms)
{
    int ms = 0;
    struct tm tm;
    if (text.len != CLOCK_TEXT_SIZE - 1 || text.ptr[19] != '.' || !digits_at(text, 20, 3, &ms) ||
        text.ptr[23] != 'Z' || !parse_seconds(text, &tm)) {
        return D7_ERR_INVALID;
    }
    int day = tm.tm_mday;
    time_t seconds = timegm(&tm);
    if (tm.tm_mday != day) {
        return D7_ERR_INVALID; /* timegm carried a 30 February over into March */
    }
    *ret_utc_ms = (int64_t)seconds * 1000 + ms;
    return D7_OK;
}
