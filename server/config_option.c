#include "server/config_option.h"

static void *slot(const struct setting *s)
{
    return (char *)s->to + s->o->at;
}

static enum d7_err refuse(const struct setting *s, const char *expected)
{
    char quoted[120];
    return d7_refuse(s->why, D7_ERR_INVALID, s->source, "'%s' is not %s",
                     span_escape(s->value, quoted, sizeof(quoted)), expected);
}

static enum d7_err set_flag(const struct setting *s)
{
    static const char *const yes[] = {"", "1", "true", "yes", "on"};
    static const char *const no[] = {"0", "false", "no", "off"};
    bool *to = slot(s);
    for (size_t i = 0; i < D7_COUNT(yes); i++) {
        if (span_is(s->value, yes[i])) {
            *to = true;
            return D7_OK;
        }
    }
    for (size_t i = 0; i < D7_COUNT(no); i++) {
        if (span_is(s->value, no[i])) {
            *to = false;
            return D7_OK;
        }
    }
    return refuse(s, "yes or no");
}

static enum d7_err set_text(const struct setting *s)
{
    if (s->value.len == 0) {
        return refuse(s, "a name");
    }
    if (span_copy(s->value, slot(s), s->o->more)) {
        return d7_refuse(s->why, D7_ERR_INVALID, s->source, "may have at most %zu bytes",
                         s->o->more - 1);
    }
    return D7_OK;
}

static enum d7_err set_listen(const struct setting *s)
{
    const char *colon = s->value.len ? memrchr(s->value.ptr, ':', s->value.len) : NULL;
    size_t host = colon ? (size_t)(colon - s->value.ptr) : 0;
    int64_t port = 0;
    bool bracketed = host > 2 && s->value.ptr[0] == '[' && s->value.ptr[host - 1] == ']';
    bool bare_v6 = host && !bracketed && memchr(s->value.ptr, ':', host);
    if (host == 0 || bare_v6 ||
        span_parse_i64(span_make(colon + 1, s->value.len - host - 1), 0, 65535, &port)) {
        return refuse(s, "HOST:PORT or [V6]:PORT with a port from 0 to 65535");
    }
    return set_text(s);
}

static enum d7_err set_count(const struct setting *s)
{
    int64_t number = 0;
    char expected[64];
    (void)snprintf(expected, sizeof(expected), "a number from %lld to %lld", (long long)s->o->lo,
                   (long long)s->o->hi);
    if (span_parse_i64(s->value, s->o->lo, s->o->hi, &number)) {
        return refuse(s, expected);
    }
    *(unsigned *)slot(s) = (unsigned)number;
    return D7_OK;
}

/* Digits with up to three decimals, as milliseconds. */
static bool parse_seconds(struct span text, int64_t *ret_ms)
{
    struct span rest = text;
    struct span whole = span_cut(&rest, '.');
    bool has_point = whole.len < text.len;
    int64_t seconds = 0;
    int64_t ms = 0;
    if (span_parse_i64(whole, 0, INT32_MAX, &seconds) ||
        (has_point && (rest.len == 0 || rest.len > 3))) {
        return false;
    }
    for (size_t i = 0; i < 3; i++) {
        char c = i < rest.len ? rest.ptr[i] : '0';
        if (c < '0' || c > '9') {
            return false;
        }
        ms = ms * 10 + (c - '0');
    }
    *ret_ms = seconds * 1000 + ms;
    return true;
}

static enum d7_err set_seconds(const struct setting *s)
{
    int64_t ms = 0;
    if (!parse_seconds(s->value, &ms) || ms < s->o->lo || ms > s->o->hi) {
        char expected[80];
        (void)snprintf(expected, sizeof(expected), "a number of seconds from %g to %g",
                       (double)s->o->lo / 1000, (double)s->o->hi / 1000);
        return refuse(s, expected);
    }
    *(int64_t *)slot(s) = ms;
    return D7_OK;
}

static void format_bytes(int64_t bytes, char ret_text[32])
{
    bool mega = bytes >= 1048576 && bytes % 1048576 == 0;
    bool kilo = !mega && bytes >= 1024 && bytes % 1024 == 0;
    (void)snprintf(ret_text, 32, "%lld%s",
                   (long long)(mega   ? bytes / 1048576
                               : kilo ? bytes / 1024
                                      : bytes),
                   mega   ? "M"
                   : kilo ? "K"
                          : "");
}

static enum d7_err set_bytes(const struct setting *s)
{
    struct span digits = s->value;
    int64_t unit = 1;
    char last = digits.len ? digits.ptr[digits.len - 1] : '\0';
    if (last == 'K' || last == 'k' || last == 'M' || last == 'm') {
        unit = last == 'K' || last == 'k' ? 1024 : 1048576;
        digits.len--;
    }
    int64_t number = 0;
    if (span_parse_i64(digits, 0, s->o->hi, &number) || number * unit < s->o->lo ||
        number > s->o->hi / unit) {
        char lo[32], hi[32], expected[120];
        format_bytes(s->o->lo, lo);
        format_bytes(s->o->hi, hi);
        (void)snprintf(expected, sizeof(expected), "a size from %s to %s (bytes, or with K or M)",
                       lo, hi);
        return refuse(s, expected);
    }
    *(int64_t *)slot(s) = number * unit;
    return D7_OK;
}

static enum d7_err set_choice(const struct setting *s)
{
    bool *to = slot(s);
    if (!span_is(s->value, s->o->choice[0]) && !span_is(s->value, s->o->choice[1])) {
        char expected[64];
        (void)snprintf(expected, sizeof(expected), "%s or %s", s->o->choice[0], s->o->choice[1]);
        return refuse(s, expected);
    }
    *to = span_is(s->value, s->o->choice[1]);
    return D7_OK;
}

static size_t *count_of(const struct setting *s)
{
    return (size_t *)(void *)((char *)s->to + s->o->more);
}

/* Several may stand in one value, separated by commas (the environment has one value only). */
static enum d7_err add_cidrs(const struct setting *s)
{
    struct cidr *list = slot(s);
    size_t *count = count_of(s);
    struct span rest = s->value;
    do {
        if (*count == CONFIG_CIDR_MAX) {
            return d7_refuse(s->why, D7_ERR_INVALID, s->source, "at most %d ranges are taken",
                             CONFIG_CIDR_MAX);
        }
        if (cidr_parse(span_trim(span_cut(&rest, ',')), &list[*count])) {
            return refuse(s, "an address range like 10.0.0.0/8 or fc00::/7");
        }
        (*count)++;
    } while (rest.len);
    return D7_OK;
}

static bool is_program_name(struct span name)
{
    bool plain = name.len > 0 && name.len < 32 && name.ptr[0] != '.' && name.ptr[0] != '-';
    for (size_t i = 0; plain && i < name.len; i++) {
        char c = name.ptr[i];
        plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '.' || c == '-' || c == '_' || c == '+';
    }
    return plain;
}

static enum d7_err set_names(const struct setting *s)
{
    char(*list)[32] = slot(s);
    size_t *count = count_of(s);
    struct span rest = s->value;
    *count = 0;
    while (rest.len) {
        struct span name = span_trim(span_cut(&rest, ','));
        if (*count == CONFIG_INTERPRETER_MAX || !is_program_name(name) ||
            span_copy(name, list[*count], sizeof(list[0]))) {
            return refuse(s, "a list of up to 16 program names, like python3,sh");
        }
        (*count)++;
    }
    return D7_OK;
}

enum d7_err option_set(const struct setting *s)
{
    switch (s->o->kind) {
    case OPTION_FLAG:
        return set_flag(s);
    case OPTION_TEXT:
        return set_text(s);
    case OPTION_COUNT:
        return set_count(s);
    case OPTION_SECONDS:
        return set_seconds(s);
    case OPTION_BYTES:
        return set_bytes(s);
    case OPTION_CHOICE:
        return set_choice(s);
    case OPTION_CIDRS:
        return add_cidrs(s);
    case OPTION_NAMES:
        return set_names(s);
    case OPTION_LISTEN:
        return set_listen(s);
    }
    return D7_ERR_INTERNAL;
}

void option_clear(const struct setting *s)
{
    *count_of(s) = 0;
}
