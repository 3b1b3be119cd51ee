#include "server/log.h"

#include <errno.h>
#include <stdarg.h>

#include "engine/base/clock.h"
#include "engine/base/jsonout.h"

#define LOG_LINE_MAX   4096 /* a line is one write; longer text is cut */
#define LOG_LINE_USUAL 300

/* Set once by log_init before the first thread, then read only. */
static bool as_json;
static char program_name[32] = "drop7d";

static const char *const level_names[] = {"debug", "info", "warn", "error"};

void log_init(bool json, const char *program)
{
    as_json = json;
    (void)snprintf(program_name, sizeof(program_name), "%s", program);
}

/* Printable, and nothing to quote: what most values are. */
static bool is_bare(const char *text)
{
    const char *c = text;
    while (*c > 0x20 && *c < 0x7f && *c != '\\' && *c != '\'' && *c != '=') {
        c++;
    }
    return c > text && *c == '\0' && c - text < 1000;
}

static void text_value(struct buf *line, const char *text)
{
    if (is_bare(text)) {
        buf_text(line, text);
        return;
    }
    char plain[1024];
    (void)span_escape(span_of(text), plain, sizeof(plain));
    bool quote = plain[0] == '\0' || strpbrk(plain, " '=") != NULL;
    buf_text(line, quote ? "'" : "");
    buf_text(line, plain);
    buf_text(line, quote ? "'" : "");
}

static void escaped(struct buf *line, const char *text)
{
    if (is_bare(text)) {
        buf_text(line, text);
        return;
    }
    char plain[2048];
    buf_text(line, span_escape(span_of(text), plain, sizeof(plain)));
}

static void write_text(struct buf *line, const char *time, enum log_level level,
                       const char *message, const struct log_field *fields, size_t count)
{
    const char *const head[] = {time, " ", level_names[level], " ", program_name, ": "};
    for (size_t i = 0; i < D7_COUNT(head); i++) {
        buf_text(line, head[i]);
    }
    escaped(line, message);
    for (size_t i = 0; i < count; i++) {
        char number[32];
        buf_char(line, ' ');
        buf_text(line, fields[i].key);
        buf_char(line, '=');
        if (fields[i].text) {
            text_value(line, fields[i].text);
        } else {
            double_format(fields[i].number, number, sizeof(number));
            buf_text(line, number);
        }
    }
}

static void write_json(struct buf *line, const char *time, enum log_level level,
                       const char *message, const struct log_field *fields, size_t count)
{
    struct jout j;
    jout_init(&j, line);
    jout_object(&j);
    jout_kv_text(&j, "time", time);
    jout_kv_text(&j, "level", level_names[level]);
    jout_kv_text(&j, "program", program_name);
    jout_kv_text(&j, "message", message);
    for (size_t i = 0; i < count; i++) {
        if (fields[i].text) {
            jout_kv_text(&j, fields[i].key, fields[i].text);
        } else {
            jout_kv_double(&j, fields[i].key, fields[i].number);
        }
    }
    jout_object_end(&j);
}

void log_event(enum log_level level, const char *message, const struct log_field *fields,
               size_t count)
{
    char time[CLOCK_TEXT_SIZE];
    clock_format(clock_utc_ms(), time);
    struct buf line;
    buf_init(&line, (size_t)LOG_LINE_MAX * 4);
    if (!buf_reserve(&line, LOG_LINE_USUAL)) {
        (as_json ? write_json : write_text)(&line, time, level, message, fields, count);
    }
    buf_char(&line, '\n');
    if (!line.err) {
        while (write(STDERR_FILENO, line.data, line.len) < 0 && errno == EINTR) {
        }
    }
    /* a log that cannot be written has nobody to be told */
    buf_release(&line);
}

void log_line(enum log_level level, const char *format, ...)
{
    char message[2048];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args); /* cut on purpose */
    va_end(args);
    log_event(level, message, NULL, 0);
}
