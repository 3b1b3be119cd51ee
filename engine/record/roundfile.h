/*
 * roundfile.h - a round with its name, and its JSON form `drop7-scripted-round-v1`; the gauntlet
 * built in.
 *
 * Source  ../shared/spec/rules.md, "Scripted rounds".
 * Owns    struct roundfile is one heap object; `round` in it borrows its own arrays. Free with
 * roundfile_free. Errors  D7_ERR_INVALID with the field and its limit in why; D7_ERR_SYNTAX for
 * what is no JSON; D7_ERR_NOMEM. Threads read-only once made: may be shared.
 */
#ifndef ENGINE_RECORD_ROUNDFILE_H
#define ENGINE_RECORD_ROUNDFILE_H

#include "engine/base/jsonout.h"
#include "engine/rules/round.h"

#define ROUND_FORMAT         "drop7-scripted-round-v1"
#define ROUND_ID_SIZE        65  /* slug of 1-64 */
#define ROUND_NAME_SIZE      321 /* 1-80 code points */
#define ROUND_SEED_SIZE      65
#define ROUND_GAUNTLET_COUNT 8
#define ROUND_FILE_MAX       (1 << 20)

struct roundfile {
    char id[ROUND_ID_SIZE];
    char name[ROUND_NAME_SIZE];
    char seed_hex[ROUND_SEED_SIZE];
    struct round round;
    uint8_t *memory; /* owned: what round points into */
};

/* A generated round; id and name may be NULL: `seed-xxxxxxxx` and `Seed 0x...`.
 * moves 1..ROUND_MOVES_MAX. */
D7_MUST_USE enum d7_err roundfile_generate(uint32_t seed, uint32_t moves, const char *id,
                                           const char *name, struct roundfile **ret,
                                           struct d7_why *why);
/* Gauntlet round k = 1..8. */
D7_MUST_USE enum d7_err roundfile_gauntlet(unsigned k, struct roundfile **ret);
/* `gauntlet-0k` and `seed-xxxxxxxx` (moves 2,000) by name; D7_ERR_NOT_FOUND otherwise. */
D7_MUST_USE enum d7_err roundfile_by_id(struct span id, struct roundfile **ret);
D7_MUST_USE enum d7_err roundfile_parse(struct span json, struct roundfile **ret,
                                        struct d7_why *why);
/* The round's own format; what roundfile_parse reads back to an equal round. */
void roundfile_write(struct jout *j, const struct roundfile *r);
void roundfile_free(struct roundfile *r);

#endif
