#include "engine/harness/faults.h"

const char *fault_kind_text(enum fault_kind k)
{
    switch (k) {
    case FAULT_ILLEGAL:
        return "illegal";
    case FAULT_TIMEOUT:
        return "timeout";
    case FAULT_STALL:
        return "stall";
    case FAULT_CRASH:
        return "crash";
    case FAULT_FORFEIT:
        return "forfeit";
    }
    return "";
}

static void count_one(struct faults *f, enum fault_kind kind)
{
    switch (kind) {
    case FAULT_ILLEGAL:
        f->illegal_moves++;
        break;
    case FAULT_TIMEOUT:
        f->timeouts++;
        break;
    case FAULT_STALL:
    case FAULT_CRASH:
        f->crashes++;
        break;
    case FAULT_FORFEIT:
        break;
    }
}

enum d7_err faults_add(struct faults *f, uint32_t move, enum fault_kind kind, struct span seen)
{
    count_one(f, kind);
    if (f->count == FAULT_KEEP_MAX) {
        return D7_OK;
    }
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 8;
        struct fault *list = realloc(f->list, room * sizeof(*list));
        if (!list) {
            return D7_ERR_NOMEM;
        }
        f->list = list;
        f->room = room;
    }
    struct fault *one = &f->list[f->count++];
    one->move = move;
    one->kind = kind;
    (void)span_escape(seen, one->seen, sizeof(one->seen)); /* returns its argument */
    return D7_OK;
}

bool faults_are_too_many(const struct faults *f, uint32_t restarts)
{
    return f->crashes > restarts;
}

void faults_release(struct faults *f)
{
    free(f->list);
    *f = (struct faults){.list = NULL};
}
