#include "server/api/csv.h"

#include "engine/base/jsonout.h"

static void separate(struct csv *c)
{
    if (c->need_comma) {
        buf_char(c->to, ',');
    }
    c->need_comma = true;
}

void csv_text(struct csv *c, const char *text)
{
    bool quote = strpbrk(text, ",\"\r\n") != NULL;
    separate(c);
    if (quote) {
        buf_char(c->to, '"');
    }
    if (text[0] && strchr("=+-@", text[0])) {
        buf_char(c->to, '\'');
    }
    for (const char *at = text; *at; at++) {
        if (*at == '"') {
            buf_char(c->to, '"');
        }
        buf_char(c->to, *at);
    }
    if (quote) {
        buf_char(c->to, '"');
    }
}

void csv_int(struct csv *c, int64_t value)
{
    separate(c);
    buf_printf(c->to, "%lld", (long long)value);
}

void csv_double(struct csv *c, double value)
{
    char text[32];
    double_format(value, text, sizeof(text));
    separate(c);
    buf_text(c->to, text);
}

void csv_null(struct csv *c)
{
    separate(c);
}

void csv_end(struct csv *c)
{
    buf_text(c->to, "\r\n");
    c->need_comma = false;
}
