/*
 * bench.h - the benchmark without a server: policies times rounds, played side by side, one replay
 * file a game.
 *
 * Determinism: every game depends on its policy and round alone; the number of jobs changes nothing
 * but the time. Owns    struct bench owns its rounds, jobs and results: bench_release. Threads
 * bench_run starts `jobs` threads; each takes games from the list and owns the peer it plays.
 * `lock` guards the counters and the list position; results are written by the one thread that
 * plays the game.
 */
#ifndef ENGINE_TOOL_BENCH_H
#define ENGINE_TOOL_BENCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/tool/replayfile.h"

#define BENCH_POLICY_MAX 32
#define BENCH_ROUND_MAX  1024

struct bench_policy {
    char id[65];
    const struct policy_info *info; /* NULL: a command */
    const char *const *argv;        /* borrowed, where it is a command */
    char fingerprint[SHA_HEX_SIZE]; /* of a command: --resume must not take another program's games
                                     */
};

enum bench_state { BENCH_WAITING, BENCH_DONE, BENCH_FAILED };

struct bench_game {
    unsigned policy;
    unsigned round;
    enum bench_state state;
    struct replay_facts facts;
};

struct bench {
    struct bench_policy policies[BENCH_POLICY_MAX];
    unsigned policy_count;
    struct roundfile *rounds[BENCH_ROUND_MAX]; /* owned */
    unsigned round_count;
    struct bench_game *games; /* owned; policy by policy */
    size_t game_count;
    struct harness_limits limits;
    unsigned jobs;
    const char *out; /* folder */
    pthread_mutex_t lock;
    size_t next;            /* guarded by lock */
    size_t done;            /* guarded by lock */
    uint64_t moves;         /* guarded by lock */
    char trouble[320];      /* guarded by lock: the first failure of ours */
    const atomic_int *stop; /* not 0: SIGINT or SIGTERM came; read by all threads */
};

/* Lists the games; takes finished ones from OUT/replays when resume is set (only files that
 * verify). */
D7_MUST_USE enum d7_err bench_plan(struct bench *b, bool resume, struct d7_why *why);
/* SHA-256 over the command's words and the files among them. */
void bench_fingerprint(struct bench_policy *policy);
/* Plays what is left; progress on stderr. D7_ERR_CANCELLED when stopped. */
D7_MUST_USE enum d7_err bench_run(struct bench *b, struct d7_why *why);
/* OUT/leaderboard.json; a table on stdout. */
D7_MUST_USE enum d7_err bench_report(const struct bench *b, struct d7_why *why);
void bench_release(struct bench *b);

/* OUT/replays/POLICY--ROUND.json */
D7_MUST_USE enum d7_err bench_replay_path(const struct bench *b, const struct bench_game *g,
                                          char *ret_path, size_t size);

#endif
