#include "store/game_verify.h"

const char *game_difference(const struct game_row *game, const struct summary *again)
{
    const struct summary *kept = &game->summary;
    if (kept->score != again->score) {
        return "score";
    }
    if (strcmp(kept->checksum, again->checksum) != 0) {
        return "checksum";
    }
    if (kept->moves != again->moves) {
        return "moves";
    }
    if (kept->max_chain != again->max_chain) {
        return "maxChain";
    }
    if (kept->discs_cleared != again->discs_cleared) {
        return "discsCleared";
    }
    if (kept->covered_revealed != again->covered_revealed) {
        return "coveredRevealed";
    }
    if (kept->censored != again->censored) {
        return "censored";
    }
    /* a forfeit may have come after any move, the other two ends are the rules' */
    if (game->outcome == OUTCOME_FORFEIT
            ? again->over || again->censored
            : (game->outcome == OUTCOME_OVER) != again->over || again->over == again->censored) {
        return "outcome";
    }
    return NULL;
}

static bool is_fault(const struct jval *fault)
{
    int64_t move = 0;
    struct span kind;
    return jval_integer(jval_get(fault, "move"), &move) && move >= 0 && move <= ROUND_MOVES_MAX &&
           jval_text(jval_get(fault, "kind"), &kind) && kind.len > 0;
}

enum d7_err game_faults(const char *faults_json, struct jval **ret_list, struct d7_why *why)
{
    struct jval *list = NULL;
    struct d7_why reason = {{0}, {0}};
    enum d7_err err = jval_parse(span_of(faults_json), &list, &reason);
    if (err) {
        return err == D7_ERR_NOMEM
                   ? err
                   : d7_refuse(why, D7_ERR_CORRUPT, NULL, "faults: %s", reason.text);
    }
    if (jval_kind_of(list) != JVAL_ARRAY) {
        err = d7_refuse(why, D7_ERR_CORRUPT, NULL, "faults: not a list");
    }
    for (size_t i = 0; i < jval_length(list) && !err; i++) {
        if (!is_fault(jval_at(list, i))) {
            err = d7_refuse(why, D7_ERR_CORRUPT, NULL, "faults: entry %zu has no move and kind", i);
        }
    }
    if (err) {
        jval_free(list);
        return err;
    }
    *ret_list = list;
    return D7_OK;
}
