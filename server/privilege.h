/*
 * privilege.h - serve started as root gives root up: whose rights it takes, and when.
 *
 * Who     --user NAME|UID; else the owner of the data folder, when that is not root; else the
 *         account `drop7` that `make install` describes; else PRIVILEGE_UID, which is nobody's.
 *         `--user root` stays root.
 * When    privilege_choose before the store is opened, as root: the folder is made and given to
 *         that user. privilege_borrow: what is opened from here on is opened with the user's
 *         rights. privilege_regain for what wants root (a port below 1024, a TLS key).
 *         privilege_drop: for good, before the first thread.
 * Where   a user that cannot reach the data folder (below /root, say) is an error when it was
 *         asked for, and otherwise the reason (in `stays`) for which serve stays root.
 * Threads before the first one.
 */
#ifndef SERVER_PRIVILEGE_H
#define SERVER_PRIVILEGE_H

#include <sys/types.h>

#include "server/config.h"

/* One below the first uid of the sandbox's slots, which are above every range that Debian gives
 * away (server/sandbox/sandbox.h). */
#define PRIVILEGE_UID 0x6fffffffu

struct privilege {
    bool drops; /* false: stays who it is, and the rest does nothing */
    uid_t uid;
    gid_t gid;
    char name[64]; /* for people: an account's name, or the number */
    struct d7_why
        stays; /* why root stays root; empty when it drops, was told to stay, or is no root */
};

/* D7_ERR_INVALID with why->field "--user": no such user, no right to become it, or it cannot reach
 * the folders. */
D7_MUST_USE enum d7_err privilege_choose(const struct config *config, struct privilege *ret,
                                         struct d7_why *why);
D7_MUST_USE enum d7_err privilege_borrow(const struct privilege *p, struct d7_why *why);
void privilege_regain(const struct privilege *p);
D7_MUST_USE enum d7_err privilege_drop(const struct privilege *p, struct d7_why *why);

#endif
