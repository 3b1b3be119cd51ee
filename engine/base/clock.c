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

void clock_format(int64_t utc_ms, char ret_text[CLOCK_TEXT_SIZE])
{
    static const int64_t last = 253402300799999; /* 9999-12-31T23:59:59.999Z */
    int64_t clamped = utc_ms < 0 ? 0 : utc_ms > last ? last : utc_ms;
    time_t seconds = (time_t)(clamped / 1000);
    struct tm tm;
    D7_CHECK(gmtime_r(&seconds, &tm));
    char date[20];
    D7_CHECK(strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm) == 19);
    int size = snprintf(ret_text, CLOCK_TEXT_SIZE, "%s.%03dZ", date, (int)(clamped % 1000));
    D7_CHECK(size == CLOCK_TEXT_SIZE - 1);
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

enum d7_err clock_parse(struct span text, int64_t *ret_utc_ms)
{
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int ms = 0;
    bool ok = digits_at(text, 0, 4, &year) && digits_at(text, 5, 2, &month) &&
              digits_at(text, 8, 2, &day) && digits_at(text, 11, 2, &hour) &&
              digits_at(text, 14, 2, &minute) && digits_at(text, 17, 2, &second);
    ok = ok && text.ptr[4] == '-' && text.ptr[7] == '-' && text.ptr[10] == 'T' &&
         text.ptr[13] == ':' && text.ptr[16] == ':';
    if (ok && text.len == 24) {
        ok = text.ptr[19] == '.' && digits_at(text, 20, 3, &ms) && text.ptr[23] == 'Z';
    } else {
        ok = ok && text.len == 20 && text.ptr[19] == 'Z';
    }
    if (!ok || year < 1970 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 ||
        second > 59) {
        return D7_ERR_INVALID;
    }
    struct tm tm = {.tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_hour = hour,
                    .tm_min = minute,
                    .tm_sec = second};
    time_t seconds = timegm(&tm);
    if (tm.tm_mday != day || tm.tm_mon != month - 1) {
        return D7_ERR_INVALID; /* timegm carried a 30 February over into March */
    }
    *ret_utc_ms = (int64_t)seconds * 1000 + ms;
    return D7_OK;
}
