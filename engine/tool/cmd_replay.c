/* drop7 replay: verify a game, from a replay file or as columns on a seed, and print it move by
 * move. */
#include <inttypes.h>

#include "engine/base/fdio.h"
#include "engine/tool/opts.h"
#include "engine/tool/replayfile.h"
#include "engine/tool/tool.h"

static enum d7_err print_frame(void *ctx, const struct frame *f)
{
    (void)ctx;
    (void)printf("%4" PRIu32 "  disc %u  column %u  %+8" PRId64 "  score %-9" PRId64
                 " rise %u  %s%s\n",
                 f->move, f->disc, f->column, f->score_delta, f->score, f->moves_remaining,
                 f->board, f->level_advanced ? "  rose" : "");
    return D7_OK;
}

static int print_facts_json(const struct replay_facts *f, const char *round_id)
{
    struct buf text;
    buf_init(&text, 8192);
    struct jout j;
    jout_init(&j, &text);
    jout_object(&j);
    game_facts_write(&j, f, round_id);
    jout_object_end(&j);
    return tool_print(&text);
}

/* Prints a game that replays; facts->summary is filled here. One that is neither over nor censored
 * nor a forfeit is a failure that names its last move. */
static int show(const struct roundfile *round, const uint8_t *columns, size_t count, bool json,
                struct replay_facts *facts)
{
    const struct replay_watch watch = {.on_frame = print_frame};
    struct summary *s = &facts->summary;
    struct d7_why why = {{0}, {0}};
    if (replay_run(&round->round, columns, count, json ? NULL : &watch, s, &why)) {
        return tool_fail(1, "%s", why.text);
    }
    if (s->censored) {
        facts->outcome = OUTCOME_CENSORED;
    }
    if (!s->over && !s->censored && facts->outcome != OUTCOME_FORFEIT) {
        return tool_fail(1, "move %" PRIu32 " is the last one, but the game is not over", s->moves);
    }
    if (json) {
        return print_facts_json(facts, round->id);
    }
    (void)printf("score %" PRId64 ", moves %" PRIu32 ", max chain %" PRIu32 ", cleared %" PRIu32
                 ", revealed %" PRIu32 ", %s%s%s, checksum %s\n",
                 s->score, s->moves, s->max_chain, s->discs_cleared, s->covered_revealed,
                 outcome_text(facts->outcome), facts->reason[0] ? ": " : "", facts->reason,
                 s->checksum);
    return 0;
}

/* The built-in round of that id where it fits what the file says, otherwise one made from the
 * file's seed and cap. */
static enum d7_err round_of_file(const struct replayfile *file, int64_t moves,
                                 struct roundfile **ret, struct d7_why *why)
{
    char id[ROUND_ID_SIZE];
    uint32_t seed = 0;
    int64_t cap = moves ? moves : file->maximum_moves;
    if (cap == 0 || cap == ROUND_GAUNTLET_MOVES) {
        enum d7_err err = roundfile_by_id(file->round_id, ret);
        if (err != D7_ERR_NOT_FOUND) {
            return err;
        }
    }
    if (span_parse_seed(file->seed_hex, &seed) || span_copy(file->round_id, id, sizeof(id))) {
        return d7_refuse(why, D7_ERR_INVALID, "round",
                         "an unknown round without a generator seed: give --round-file");
    }
    if (cap < 0 || cap > ROUND_MOVES_MAX) {
        return d7_refuse(why, D7_ERR_INVALID, "round", "round.maximumMoves must be 1 to %d",
                         ROUND_MOVES_MAX);
    }
    return roundfile_generate(seed, cap ? (uint32_t)cap : ROUND_GAUNTLET_MOVES, id, NULL, ret, why);
}

static enum d7_err check_round(const struct replayfile *file, const struct roundfile *round,
                               struct d7_why *why)
{
    if (file->seed_hex.len && !span_is(file->seed_hex, round->seed_hex)) {
        return d7_refuse(why, D7_ERR_INVALID, "round.generatorSeedHex",
                         "round.generatorSeedHex differs: round %s has %s", round->id,
                         round->seed_hex);
    }
    if (!span_is(file->round_id, round->id)) {
        return d7_refuse(why, D7_ERR_INVALID, "round.id", "round.id differs: the round is %s",
                         round->id);
    }
    return D7_OK;
}

static enum d7_err load_round_file(const char *path, struct roundfile **ret, struct d7_why *why)
{
    struct buf text;
    buf_init(&text, ROUND_FILE_MAX);
    enum d7_err err = file_read(path, &text);
    if (err) {
        err = d7_refuse(why, err, "round-file", "%s: %s", path, d7_err_text(err));
    } else {
        err = roundfile_parse(buf_span(&text), ret, why);
    }
    buf_release(&text);
    return err;
}

static int replay_file(const char *path, const char *round_path, int64_t moves, bool json)
{
    struct buf text;
    buf_init(&text, REPLAY_FILE_MAX);
    struct replayfile file = {0};
    struct roundfile *round = NULL;
    struct replay_facts facts = {0};
    struct d7_why why = {{0}, {0}};
    int status = 1;
    enum d7_err err = file_read(path, &text);
    if (!err) {
        err = replayfile_parse(buf_span(&text), &file, &why);
    }
    if (!err) {
        err = round_path ? load_round_file(round_path, &round, &why)
                         : round_of_file(&file, moves, &round, &why);
    }
    if (!err) {
        err = check_round(&file, round, &why);
    }
    if (!err) {
        err = replayfile_verify(&file, &round->round, &facts, &why);
    }
    if (err) {
        status = tool_fail(1, "%s: %s", path, why.text[0] ? why.text : d7_err_text(err));
    } else {
        struct span outcome = {0};
        bool stated = jval_text(jval_get(file.root, "outcome"), &outcome);
        if (facts.outcome == OUTCOME_FORFEIT && !(stated && span_is(outcome, "forfeit"))) {
            facts.outcome = OUTCOME_OVER; /* the file claims a whole game: show() says it is not */
        }
        status = show(round, file.columns, file.count, json, &facts);
    }
    roundfile_free(round);
    replayfile_release(&file);
    buf_release(&text);
    return status;
}

static int replay_columns(uint32_t seed, int64_t moves, const char *digits, bool json)
{
    size_t count = strlen(digits);
    if (count == 0 || count > ROUND_MOVES_MAX) {
        return tool_fail(2, "--columns must be 1 to %d digits 0-6", ROUND_MOVES_MAX);
    }
    if (strspn(digits, "0123456") != count) {
        return tool_fail(1, "move %zu: '%c' is no column 0-6", strspn(digits, "0123456") + 1,
                         digits[strspn(digits, "0123456")]);
    }
    uint8_t *columns = calloc(count, 1);
    struct roundfile *round = NULL;
    struct d7_why why = {{0}, {0}};
    enum d7_err err = columns
                          ? roundfile_generate(seed, moves ? (uint32_t)moves : ROUND_GAUNTLET_MOVES,
                                               NULL, NULL, &round, &why)
                          : D7_ERR_NOMEM;
    int status = 1;
    if (err) {
        status = tool_fail(1, "%s", why.text[0] ? why.text : d7_err_text(err));
    } else {
        for (size_t i = 0; i < count; i++) {
            columns[i] = (uint8_t)(digits[i] - '0');
        }
        struct replay_facts facts = {.outcome = OUTCOME_OVER};
        status = show(round, columns, count, json, &facts);
    }
    free(columns);
    roundfile_free(round);
    return status;
}

int cmd_replay(int argc, char **argv)
{
    const char *seed_text = NULL;
    const char *moves_text = NULL;
    const char *columns = NULL;
    const char *round_path = NULL;
    bool json = false;
    const struct opt table[] = {
        {"--seed", "S", "the round's generator seed", &seed_text, NULL},
        {"--moves", "CAP", "its maximum moves (default 2000)", &moves_text, NULL},
        {"--columns", "DIGITS", "the game: one digit a move", &columns, NULL},
        {"--round-file", "FILE", "the round of a replay file, where it is not a built-in one",
         &round_path, NULL},
        {"--json", NULL, "print the summary only, as JSON", NULL, &json},
    };
    struct opts o = {.usage =
                         "drop7 replay FILE | --seed S [--moves CAP] --columns DIGITS [--json]",
                     .table = table,
                     .count = D7_COUNT(table),
                     .positional_max = 1};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    uint32_t seed = 0;
    int64_t moves = 0;
    if (!opts_integer("--moves", moves_text, 1, ROUND_MOVES_MAX, 0, &moves) ||
        !opts_seed("--seed", seed_text, 0, &seed)) {
        return 2;
    }
    if (o.positional_count == 1 && !columns && !seed_text) {
        return replay_file(o.positional[0], round_path, moves, json);
    }
    if (o.positional_count == 0 && columns && seed_text) {
        return replay_columns(seed, moves, columns, json);
    }
    return tool_fail(2, "replay needs a FILE, or --seed and --columns");
}
