#include "engine/harness/play.h"
#include "engine/harness/talk.h"

static enum check_result result_of(const struct talk *t)
{
    switch (t->event) {
    case PEER_NO_START:
        return CHECK_NO_START;
    case PEER_CLOSED:
    case PEER_LINE_LIMIT:
    case PEER_OUTPUT_LIMIT:
        return CHECK_CRASHED;
    case PEER_LATE:
        break;
    case PEER_DONE:
        return CHECK_PASSED;
    }
    return t->step == TALK_START ? CHECK_NO_START : CHECK_NO_HANDSHAKE;
}

static enum d7_err check_peer(struct peer *p, struct patience *w, struct check *c)
{
    struct talk t = {TALK_START, PEER_DONE};
    enum d7_err err = talk_open(p, w, &c->identity, &t);
    if (err) {
        return err;
    }
    c->result = result_of(&t);
    if (c->result != CHECK_PASSED) {
        talk_explain(p, &t, c->reason);
    }
    return D7_OK;
}

enum d7_err harness_check(struct peer *p, const struct harness_limits *limits,
                          const struct harness_watch *watch, struct check *ret)
{
    struct check c = {.identity.public_information = true};
    struct patience w = {.final_us = INT64_MAX, .watch = watch};
    if (p->info) {
        (void)snprintf(c.identity.name, sizeof(c.identity.name), "%s", p->info->name);
        (void)snprintf(c.identity.family, sizeof(c.identity.family), "%s", p->info->family);
        c.identity.public_information = p->info->public_information;
        *ret = c; /* ours: nothing to find out */
        return D7_OK;
    }
    peer_stop(p, false);
    peer_set_limits(p, limits);
    enum d7_err err = check_peer(p, &w, &c);
    peer_stop(p, !err);
    if (!err) {
        *ret = c;
    }
    return err;
}
