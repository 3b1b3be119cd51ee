/*
 * replayfile.h - a game in a file: `drop7-replay-v1`, written by bench and the server, read back
 * and verified here.
 *
 * Errors  D7_ERR_INVALID / D7_ERR_SYNTAX with the field or move in why.
 * Threads none.
 */
#ifndef ENGINE_TOOL_REPLAYFILE_H
#define ENGINE_TOOL_REPLAYFILE_H

#include "engine/base/json.h"
#include "engine/harness/play.h"

#define REPLAY_FORMAT   "drop7-replay-v1"
#define REPLAY_FILE_MAX (64u << 20)

/* Everything of a game the file states beside what its columns say. */
struct replay_facts {
    char policy_id[65];
    enum outcome outcome;
    char reason[161];
    uint32_t illegal_moves, timeouts, crashes;
    bool nondeterministic;
    int64_t elapsed_ms;
    struct move_times times;
    struct summary summary;
};

/* The keys of a game (summary of rules.md and the fault counts) into an open object. */
void game_facts_write(struct jout *j, const struct replay_facts *f, const char *round_id);
/* A whole replay object. fingerprint: of the program that played, "" for built-in ones. */
D7_MUST_USE enum d7_err replayfile_write(struct jout *j, const struct replay_facts *f,
                                         const struct roundfile *round, const struct played *played,
                                         const char *fingerprint);

struct replayfile {
    struct jval *root; /* owned */
    struct span round_id;
    struct span seed_hex;    /* empty when the file has none */
    int64_t maximum_moves;   /* 0 when the file has none */
    struct span fingerprint; /* of the program that played; empty for built-in ones */
    uint8_t *columns;        /* owned */
    size_t count;
};

D7_MUST_USE enum d7_err replayfile_parse(struct span text, struct replayfile *ret,
                                         struct d7_why *why);
void replayfile_release(struct replayfile *r);
/* Replays the columns on the round and compares every frame and the summary with the file. */
D7_MUST_USE enum d7_err replayfile_verify(const struct replayfile *r, const struct round *round,
                                          struct replay_facts *ret, struct d7_why *why);

#endif
