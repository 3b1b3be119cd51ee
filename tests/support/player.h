/*
 * player.h - plays games against the programs of tests/policies, over pipes and over TCP.
 *
 * TCP: a small inetd on a free port of the loopback; each connection gets a process of its own with
 * the socket as stdin and stdout.
 */
#ifndef TESTS_SUPPORT_PLAYER_H
#define TESTS_SUPPORT_PLAYER_H

#include "engine/harness/play.h"
#include "tests/support/support.h"

enum player_way { PLAYER_PIPE, PLAYER_TCP, PLAYER_WAYS };

/* A player to be had: a peer for it in one of the ways. */
struct player {
    struct peer *peer;
    struct inetd *inetd; /* PLAYER_TCP */
    char path[4096];
    const char *argv[6];
};

/* name: of tests/policies; up to three arguments, NULL where there is none. */
void player_start(struct player *pl, enum player_way way, const struct child_spec *like,
                  const struct harness_limits *limits, const char *name, const char *a,
                  const char *b);
void player_stop(struct player *pl);
/* PLAYER_TCP: where it listens, "127.0.0.1:PORT". */
void player_address(const struct player *pl, char *ret_text, size_t size);

/* Short limits that a correct player on a busy machine keeps; tests shorten what they mean. */
struct harness_limits player_limits(void);

/* For what never comes; what must come has seconds. */
#define PLAYER_SHORT_MS 80

/* A generated round of that many moves; roundfile_free. */
struct roundfile *player_round(uint32_t moves);
/* One game of a fresh player; the caller releases what was played. */
void player_game(enum player_way way, const char *name, const char *a, const char *b,
                 uint32_t moves, const struct harness_limits *limits, struct played *ret);
void assert_columns(const struct played *p, const char *digits);
void assert_counts(const struct played *p, unsigned illegal, unsigned timeouts, unsigned crashes);
size_t count_faults(const struct played *p, enum fault_kind kind);

/* For setup and teardown: no descriptor and no child more than before. */
int player_count_before(void **state);
int player_count_after(void **state);
#define PLAYER_CASE(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, player_count_before, player_count_after)

#endif
