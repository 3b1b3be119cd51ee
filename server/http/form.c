/*
 * form.c - the states of a form:
 *
 *   PREAMBLE --delimiter--> DELIMITER --line end--> HEAD --empty line--> DATA --delimiter-->
 * DELIMITER
 *                               |
 *                               +--"--"--> EPILOGUE
 *
 * Design  a delimiter is CR LF - - BOUNDARY, and the first one may lack its CR LF: the form begins
 * as if they had just been seen. No boundary has a CR, so a delimiter that breaks off can begin
 * anew at its own CR only: after a mismatch the bytes matched so far are content, and no search
 * goes back.
 */
#include "server/http/form.h"

#include <strings.h>

#include "engine/base/check.h"
#include "server/http/headers.h"

static bool is_boundary_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("'()+_,-./:=? ", c));
}

enum d7_err form_boundary(struct span content_type, char ret_boundary[FORM_BOUNDARY_MAX + 1])
{
    struct span text;
    if (!media_parameter(content_type, "boundary", &text) || text.len < 1 ||
        text.len > FORM_BOUNDARY_MAX || text.ptr[text.len - 1] == ' ') {
        return D7_ERR_INVALID;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (!is_boundary_char(text.ptr[i])) {
            return D7_ERR_INVALID;
        }
    }
    return span_copy(text, ret_boundary, FORM_BOUNDARY_MAX + 1);
}

void form_init(struct form *f, const char *boundary, const struct form_receiver *to)
{
    size_t len = strlen(boundary);
    D7_CHECK(len >= 1 && len <= FORM_BOUNDARY_MAX);
    memset(f, 0, sizeof(*f));
    f->to = *to;
    memcpy(f->delimiter, "\r\n--", 4);
    memcpy(f->delimiter + 4, boundary, len);
    f->delimiter_len = len + 4;
    f->matched = 2; /* the line end before the first delimiter is the header's */
    f->borrowed = 2;
}

bool form_is_whole(const struct form *f)
{
    return f->state == FORM_EPILOGUE;
}

static bool hand_on(struct form *f, const char *bytes, size_t len)
{
    return len == 0 || f->state != FORM_DATA || f->to.data(f->to.ctx, span_make(bytes, len));
}

/* PREAMBLE and DATA: content up to the next delimiter, cut from *rest. */
static enum form_step take_content(struct form *f, struct span *rest)
{
    while (rest->len) {
        if (f->matched == 0) {
            const char *cr = memchr(rest->ptr, '\r', rest->len);
            size_t plain = cr ? (size_t)(cr - rest->ptr) : rest->len;
            if (!hand_on(f, rest->ptr, plain)) {
                return FORM_STOPPED;
            }
            rest->ptr += plain;
            rest->len -= plain;
            if (rest->len == 0) {
                break;
            }
        }
        if (*rest->ptr == f->delimiter[f->matched]) {
            f->matched++;
            rest->ptr++;
            rest->len--;
            if (f->matched == f->delimiter_len) {
                f->matched = 0;
                f->borrowed = 0;
                f->head_len = 0;
                f->state = FORM_DELIMITER;
                break;
            }
        } else {
            size_t from = f->borrowed;
            size_t len = f->matched - from;
            f->matched = 0;
            f->borrowed = 0;
            if (!hand_on(f, f->delimiter + from, len)) {
                return FORM_STOPPED;
            }
        }
    }
    return FORM_MORE;
}

/* One byte behind a delimiter: "--" ends the form, blanks and a line end begin a part. */
static enum form_step take_after_delimiter(struct form *f, char c)
{
    char last = f->head_len ? f->head[f->head_len - 1] : '\0';
    if (last == '-' && c == '-') {
        f->state = FORM_EPILOGUE;
        return FORM_MORE;
    }
    if (last == '\r' && c == '\n') {
        f->state = FORM_HEAD;
        f->head_len = 0;
        return FORM_MORE;
    }
    bool may_follow = c == ' ' || c == '\t' || c == '\r' || (c == '-' && f->head_len == 0);
    if (last == '-' || last == '\r' || !may_follow) {
        return FORM_MALFORMED;
    }
    f->head[0] = c; /* only the last one matters, however many blanks a gateway added */
    f->head_len = 1;
    return FORM_MORE;
}

/* A quoted or plain value of a parameter, unescaped in place; cut from *rest. */
static struct span cut_value(struct span *rest)
{
    if (rest->len == 0 || rest->ptr[0] != '"') {
        return span_trim(span_cut(rest, ';'));
    }
    union {
        const char *in;
        char *out;
    } text = {rest->ptr + 1}; /* in f->head, which is ours */
    size_t len = 0;
    size_t at = 1;
    while (at < rest->len && rest->ptr[at] != '"') {
        /* only a quote or a backslash is escaped: old browsers send paths with plain ones */
        bool escapes = rest->ptr[at] == '\\' && at + 1 < rest->len &&
                       (rest->ptr[at + 1] == '"' || rest->ptr[at + 1] == '\\');
        at += escapes ? 1 : 0;
        text.out[len++] = rest->ptr[at++];
    }
    size_t used = at < rest->len ? at + 1 : at;
    struct span value = {text.in, len};
    rest->ptr += used;
    rest->len -= used;
    (void)span_cut(rest, ';');
    return value;
}

/* The name in a Content-Disposition line; ptr NULL when the line is another one. */
static struct span name_in(struct span line)
{
    static const char wanted[] = "content-disposition";
    struct span none = {NULL, 0};
    struct span key = span_trim(span_cut(&line, ':'));
    if (key.len != sizeof(wanted) - 1 || strncasecmp(key.ptr, wanted, key.len) != 0 ||
        !media_is(line, "form-data")) {
        return none;
    }
    (void)span_cut(&line, ';');
    while (line.len) {
        size_t before = line.len;
        struct span parameter = span_trim(span_cut(&line, '='));
        while (line.len && (line.ptr[0] == ' ' || line.ptr[0] == '\t')) {
            line.ptr++;
            line.len--;
        }
        struct span value = cut_value(&line);
        if (parameter.len == 4 && strncasecmp(parameter.ptr, "name", 4) == 0) {
            return value;
        }
        if (line.len == before) {
            break;
        }
    }
    return none;
}

static enum form_step begin_part(struct form *f)
{
    struct span rest = {f->head, f->head_len};
    struct span name = {"", 0};
    while (rest.len) {
        struct span found = name_in(span_cut(&rest, '\n'));
        if (found.ptr) {
            name = found;
            break;
        }
    }
    f->state = FORM_DATA;
    f->matched = 2; /* where a part has no content, its delimiter may share the empty line's end */
    f->borrowed = 2;
    return f->to.begin(f->to.ctx, name) ? FORM_MORE : FORM_STOPPED;
}

static bool head_ends(const struct form *f)
{
    return (f->head_len == 2 && memcmp(f->head, "\r\n", 2) == 0) ||
           (f->head_len >= 4 && memcmp(f->head + f->head_len - 4, "\r\n\r\n", 4) == 0);
}

static enum form_step take_head(struct form *f, char c)
{
    if (f->head_len == sizeof(f->head) || c == '\0') {
        return FORM_MALFORMED;
    }
    f->head[f->head_len++] = c;
    return head_ends(f) ? begin_part(f) : FORM_MORE;
}

enum form_step form_feed(struct form *f, struct span bytes)
{
    enum form_step step = FORM_MORE;
    while (bytes.len && step == FORM_MORE && f->state != FORM_EPILOGUE) {
        if (f->state == FORM_PREAMBLE || f->state == FORM_DATA) {
            step = take_content(f, &bytes);
            continue;
        }
        char c = *bytes.ptr++;
        bytes.len--;
        step = f->state == FORM_HEAD ? take_head(f, c) : take_after_delimiter(f, c);
    }
    return step;
}
