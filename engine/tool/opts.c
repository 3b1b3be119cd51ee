#include "engine/tool/opts.h"

#include <stdarg.h>

static const struct opt *find(const struct opts *o, struct span name)
{
    for (size_t i = 0; i < o->count; i++) {
        if (span_is(name, o->table[i].name)) {
            return &o->table[i];
        }
    }
    return NULL;
}

/* One option at argv[i]; returns how many arguments it used, 0 on refusal. */
static int take_option(struct opts *o, int argc, char **argv, int i, struct d7_why *why)
{
    struct span rest = span_of(argv[i]);
    struct span name = span_cut(&rest, '=');
    bool inline_value = name.len < strlen(argv[i]);
    const struct opt *opt = find(o, name);
    char quoted[80];
    if (!opt) {
        (void)d7_refuse(why, D7_ERR_INVALID, NULL, "unknown option '%s'",
                        span_escape(name, quoted, sizeof(quoted)));
        return 0;
    }
    if (!opt->value_name) {
        if (inline_value) {
            (void)d7_refuse(why, D7_ERR_INVALID, NULL, "%s takes no value", opt->name);
            return 0;
        }
        *opt->ret_flag = true;
        return 1;
    }
    if (inline_value) {
        *opt->ret_text = argv[i] + name.len + 1;
        return 1;
    }
    if (i + 1 >= argc) {
        (void)d7_refuse(why, D7_ERR_INVALID, NULL, "%s needs a value: %s", opt->name,
                        opt->value_name);
        return 0;
    }
    *opt->ret_text = argv[i + 1];
    return 2;
}

enum d7_err opts_parse(struct opts *o, int argc, char **argv, struct d7_why *why)
{
    for (int i = 1; i < argc;) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            o->help = true;
            return D7_OK;
        }
        if (strncmp(argv[i], "--", 2) == 0) {
            int used = take_option(o, argc, argv, i, why);
            if (used == 0) {
                return D7_ERR_INVALID;
            }
            i += used;
            continue;
        }
        if (o->positional_count == o->positional_max) {
            char quoted[80];
            return d7_refuse(why, D7_ERR_INVALID, NULL, "unexpected argument '%s'",
                             span_escape(span_of(argv[i]), quoted, sizeof(quoted)));
        }
        o->positional[o->positional_count++] = argv[i++];
    }
    return D7_OK;
}

void opts_help(const struct opts *o, FILE *to)
{
    (void)fprintf(to, "usage: %s\n", o->usage);
    for (size_t i = 0; i < o->count; i++) {
        char left[64];
        int used = snprintf(left, sizeof(left), "%s %s", o->table[i].name,
                            o->table[i].value_name ? o->table[i].value_name : "");
        D7_CHECK(used > 0 && (size_t)used < sizeof(left));
        (void)fprintf(to, "  %-26s %s\n", left, o->table[i].help);
    }
}

int tool_fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("drop7: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    return status;
}

int tool_print(struct buf *text)
{
    int status = text->err ? tool_fail(1, "%s", d7_err_text(text->err)) : 0;
    if (!status) {
        (void)fwrite(text->data, 1, text->len, stdout); /* main looks at ferror */
        (void)putchar('\n');
    }
    buf_release(text);
    return status;
}

int opts_begin(struct opts *o, int argc, char **argv)
{
    struct d7_why why;
    if (opts_parse(o, argc, argv, &why)) {
        return tool_fail(2, "%s (try: drop7 %s --help)", why.text, argv[0]);
    }
    if (o->help) {
        opts_help(o, stdout);
        return 0;
    }
    return -1;
}

bool opts_integer(const char *name, const char *text, int64_t lo, int64_t hi, int64_t fallback,
                  int64_t *ret)
{
    if (!text) {
        *ret = fallback;
        return true;
    }
    if (span_parse_i64(span_of(text), lo, hi, ret)) {
        char quoted[40];
        (void)tool_fail(2, "%s must be a whole number from %lld to %lld, not '%s'", name,
                        (long long)lo, (long long)hi,
                        span_escape(span_of(text), quoted, sizeof(quoted)));
        return false;
    }
    return true;
}

bool opts_seed_in(const char *name, struct span text, uint32_t *ret)
{
    if (span_parse_seed(text, ret)) {
        char quoted[40];
        (void)tool_fail(2, "%s must be 0x and up to 8 hex digits, or a number below 2^32, not '%s'",
                        name, span_escape(text, quoted, sizeof(quoted)));
        return false;
    }
    return true;
}

bool opts_seed(const char *name, const char *text, uint32_t fallback, uint32_t *ret)
{
    if (!text) {
        *ret = fallback;
        return true;
    }
    return opts_seed_in(name, span_of(text), ret);
}
