#include "engine/tool/events_in.h"

void events_in_init(struct events_in *in)
{
    *in = (struct events_in){.retry_ms = -1};
    buf_init(&in->line, EVENTS_IN_MAX);
    buf_init(&in->data, EVENTS_IN_MAX);
}

void events_in_release(struct events_in *in)
{
    buf_release(&in->line);
    buf_release(&in->data);
}

static void begin_event(struct events_in *in)
{
    buf_clear(&in->data);
    in->name[0] = '\0';
    in->has_data = false;
}

void events_in_restart(struct events_in *in)
{
    buf_clear(&in->line);
    begin_event(in);
    memcpy(in->next_id, in->last_id, sizeof(in->next_id));
    in->after_cr = false;
}

static void take_field(struct events_in *in, struct span key, struct span value)
{
    if (span_is(key, "data")) {
        if (in->has_data) {
            buf_char(&in->data, '\n');
        }
        buf_append(&in->data, value.ptr, value.len);
        in->has_data = true;
    } else if (span_is(key, "event")) {
        (void)!span_copy(value, in->name,
                         sizeof(in->name)); /* ours are short; others are not ours */
    } else if (span_is(key, "id")) {
        (void)!span_copy(value, in->next_id, sizeof(in->next_id)); /* the one before stays */
    } else if (span_is(key, "retry")) {
        (void)!span_parse_i64(value, 0, INT64_MAX, &in->retry_ms); /* nonsense is passed over */
    }
}

/* One line without its end. Returns false when `take` wants no more. */
static bool take_line(struct events_in *in, struct span line, events_in_take *take, void *ctx)
{
    if (!line.ptr || line.len == 0) {
        memcpy(in->last_id, in->next_id, sizeof(in->last_id));
        bool more =
            !in->has_data || take(ctx, in->name[0] ? in->name : "message", buf_span(&in->data));
        begin_event(in);
        return more;
    }
    if (line.ptr[0] == ':') {
        return true;
    }
    struct span value = line;
    struct span key = span_cut(&value, ':');
    if (value.len && value.ptr[0] == ' ') {
        value = span_make(value.ptr + 1, value.len - 1);
    }
    take_field(in, key, value);
    return true;
}

enum d7_err events_in_feed(struct events_in *in, struct span bytes, events_in_take *take, void *ctx,
                           bool *ret_stopped)
{
    bool stopped = false;
    for (size_t i = 0; i < bytes.len && !stopped; i++) {
        char c = bytes.ptr[i];
        bool second = in->after_cr && c == '\n';
        in->after_cr = c == '\r';
        if (second) {
            continue;
        }
        if (c != '\r' && c != '\n') {
            buf_char(&in->line, c);
        } else {
            stopped = !take_line(in, buf_span(&in->line), take, ctx);
            buf_clear(&in->line);
        }
        enum d7_err err = in->line.err ? in->line.err : in->data.err;
        if (err) {
            return err;
        }
    }
    *ret_stopped = stopped;
    return D7_OK;
}
