#include "tests/support/exposition.h"

#include <math.h>

#define NAME_SIZE     100
#define FAMILIES_MAX  200
#define LABELS_MAX    4
#define LABELS_SIZE   160
#define HISTOGRAM_MAX 100

/* Of one series of a histogram: what its lines must agree in. */
struct series {
    char labels[LABELS_SIZE]; /* without le */
    double last_le, last_count, count;
    bool ended, has_sum, has_count;
};

struct reader {
    struct exposition *out;
    const char *line; /* for messages */
    char names[FAMILIES_MAX][NAME_SIZE];
    char name[NAME_SIZE], type[NAME_SIZE]; /* the family being read */
    bool has_help, has_type;
    struct series series[HISTOGRAM_MAX];
    size_t series_count;
};

#define MUST(r, condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail_msg("not true of '%s': %s", (r)->line, #condition);                               \
        }                                                                                          \
    } while (0)

static size_t name_length(const char *text, bool is_label)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:";
    static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:0123456789";
    size_t len = text[0] && strchr(first, text[0]) ? strspn(text, rest) : 0;
    return is_label && memchr(text, ':', len) ? 0 : len;
}

static void cut(struct reader *r, const char *text, size_t len, char *ret, size_t size)
{
    MUST(r, span_copy(span_make(text, len), ret, size) == D7_OK);
}

static void end_family(struct reader *r)
{
    MUST(r, !r->has_help || r->has_type);
    for (size_t i = 0; i < r->series_count; i++) {
        const struct series *s = &r->series[i];
        MUST(r, s->ended && s->has_sum && s->has_count && s->count >= s->last_count);
        MUST(r, s->count <= s->last_count);
    }
    r->series_count = 0;
}

static void read_help(struct reader *r, const char *rest)
{
    end_family(r);
    size_t len = name_length(rest, false);
    MUST(r, len > 0 && len < NAME_SIZE && rest[len] == ' ' && rest[len + 1]);
    cut(r, rest, len, r->name, sizeof(r->name));
    for (size_t i = 0; i < r->out->families; i++) {
        MUST(r, strcmp(r->names[i], r->name) != 0);
    }
    MUST(r, r->out->families < FAMILIES_MAX);
    memcpy(r->names[r->out->families++], r->name, NAME_SIZE);
    r->has_help = true;
    r->has_type = false;
}

static void read_type(struct reader *r, const char *rest)
{
    size_t len = strlen(r->name);
    MUST(r, r->has_help && !r->has_type);
    MUST(r, strncmp(rest, r->name, len) == 0 && rest[len] == ' ');
    cut(r, rest + len + 1, strlen(rest + len + 1), r->type, sizeof(r->type));
    MUST(r, strcmp(r->type, "counter") == 0 || strcmp(r->type, "gauge") == 0 ||
                strcmp(r->type, "histogram") == 0);
    bool is_total = len > 6 && strcmp(r->name + len - 6, "_total") == 0;
    MUST(r, is_total == (strcmp(r->type, "counter") == 0));
    r->has_type = true;
}

/* Reads {a="b",...}; the label `le` is cut out of ret_labels. Returns what follows. */
static const char *read_labels(struct reader *r, const char *at, char ret_labels[LABELS_SIZE],
                               char ret_le[32])
{
    char seen[LABELS_MAX][NAME_SIZE];
    size_t used = 0, count = 0;
    ret_labels[0] = ret_le[0] = '\0';
    for (at++; *at != '}';) {
        size_t len = name_length(at, true);
        MUST(r, len > 0 && len < NAME_SIZE && count < LABELS_MAX && at[len] == '=');
        MUST(r, at[len + 1] == '"');
        cut(r, at, len, seen[count], NAME_SIZE);
        for (size_t i = 0; i < count; i++) {
            MUST(r, strcmp(seen[i], seen[count]) != 0);
        }
        const char *value = at + len + 2;
        size_t value_len = strcspn(value, "\"\\\n"); /* none of ours needs an escape */
        MUST(r, value[value_len] == '"' && value_len < 32);
        if (strcmp(seen[count], "le") == 0) {
            cut(r, value, value_len, ret_le, 32);
        } else {
            used += (size_t)snprintf(ret_labels + used, LABELS_SIZE - used, "%s=%.*s;", seen[count],
                                     (int)value_len, value);
            MUST(r, used < LABELS_SIZE);
        }
        count++;
        at = value + value_len + 1;
        MUST(r, *at == '}' || (*at == ',' && at[1] != '}'));
        at += *at == ',';
    }
    MUST(r, count > 0);
    return at + 1;
}

static struct series *find_series(struct reader *r, const char *labels)
{
    for (size_t i = 0; i < r->series_count; i++) {
        if (strcmp(r->series[i].labels, labels) == 0) {
            return &r->series[i];
        }
    }
    MUST(r, r->series_count < HISTOGRAM_MAX);
    struct series *s = &r->series[r->series_count++];
    *s = (struct series){.last_le = -1};
    (void)snprintf(s->labels, sizeof(s->labels), "%s", labels);
    return s;
}

static double number(struct reader *r, const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    MUST(r, end != text && *end == '\0' && !isnan(value));
    return value;
}

static void read_histogram(struct reader *r, const char *suffix, const char *labels, const char *le,
                           double value)
{
    struct series *s = find_series(r, labels);
    MUST(r, value >= 0 && (le[0] != '\0') == (strcmp(suffix, "_bucket") == 0));
    if (strcmp(suffix, "_sum") == 0) {
        s->has_sum = true;
    } else if (strcmp(suffix, "_count") == 0) {
        s->has_count = true;
        s->count = value;
    } else {
        MUST(r, strcmp(suffix, "_bucket") == 0 && !s->ended);
        double bound = number(r, le);
        MUST(r, bound > s->last_le && value >= s->last_count);
        s->last_le = bound;
        s->last_count = value;
        s->ended = strcmp(le, "+Inf") == 0;
    }
}

static void read_sample(struct reader *r, const char *line)
{
    size_t len = strlen(r->name);
    size_t whole = name_length(line, false);
    MUST(r, r->has_type && whole >= len && strncmp(line, r->name, len) == 0);
    char suffix[20], labels[LABELS_SIZE] = "", le[32] = "";
    cut(r, line + len, whole - len, suffix, sizeof(suffix));
    const char *at = line + whole;
    if (*at == '{') {
        at = read_labels(r, at, labels, le);
    }
    MUST(r, *at == ' ');
    double value = number(r, at + 1);
    MUST(r, isfinite(value));
    if (strcmp(r->type, "histogram") == 0) {
        read_histogram(r, suffix, labels, le, value);
    } else {
        MUST(r, suffix[0] == '\0' && le[0] == '\0');
        MUST(r, strcmp(r->type, "gauge") == 0 || value >= 0);
    }
    MUST(r, r->out->count < EXPOSITION_MAX);
    struct exposition_sample *to = &r->out->samples[r->out->count];
    cut(r, line, (size_t)(at - line), to->key, sizeof(to->key));
    MUST(r, exposition_value(r->out, to->key) < 0);
    to->value = value;
    r->out->count++;
}

void exposition_read(const char *text, struct exposition *ret)
{
    static struct reader reader; /* too large for a stack */
    struct reader *r = &reader;
    memset(r, 0, sizeof(*r));
    memset(ret, 0, sizeof(*ret));
    r->out = ret;
    struct span rest = span_of(text);
    assert_true(rest.len > 0 && text[rest.len - 1] == '\n');
    while (rest.len) {
        char line[1000];
        assert_int_equal(span_copy(span_cut(&rest, '\n'), line, sizeof(line)), D7_OK);
        r->line = line;
        if (strncmp(line, "# HELP ", 7) == 0) {
            read_help(r, line + 7);
        } else if (strncmp(line, "# TYPE ", 7) == 0) {
            read_type(r, line + 7);
        } else {
            read_sample(r, line);
        }
    }
    r->line = "the end";
    end_family(r);
}

double exposition_value(const struct exposition *e, const char *key)
{
    for (size_t i = 0; i < e->count; i++) {
        if (strcmp(e->samples[i].key, key) == 0) {
            return e->samples[i].value;
        }
    }
    return -1;
}
