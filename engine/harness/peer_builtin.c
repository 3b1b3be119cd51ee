#include "engine/harness/peer_kind.h"

struct peer_builtin {
    struct peer base;
    struct policy *policy; /* owned */
};

static unsigned builtin_decide(struct peer *p, const struct extended_state *at)
{
    struct decision d;
    policy_decide_extended(((struct peer_builtin *)p)->policy, at, &d);
    D7_CHECK(d.column >= 0 && d.column < BOARD_COLUMNS);
    return (unsigned)d.column;
}

static void builtin_release(struct peer *p)
{
    policy_free(((struct peer_builtin *)p)->policy);
}

static const struct peer_kind builtin_kind = {
    .decide = builtin_decide,
    .release = builtin_release,
};

enum d7_err peer_builtin_new(const struct policy_info *info, unsigned threads, struct peer **ret)
{
    struct peer_builtin *b = calloc(1, sizeof(*b));
    if (!b) {
        return D7_ERR_NOMEM;
    }
    struct harness_limits limits = harness_limits_default();
    limits.line_bytes = 0; /* its link stays closed */
    limits.stderr_bytes = 0;
    b->base.info = info;
    enum d7_err err = peer_init(&b->base, &builtin_kind, &limits);
    if (!err) {
        err = policy_new(info, threads, &b->policy);
    }
    if (err) {
        peer_free(&b->base);
        return err;
    }
    *ret = &b->base;
    return D7_OK;
}
