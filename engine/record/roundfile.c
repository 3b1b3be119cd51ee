#include "engine/record/roundfile.h"

#include "engine/base/json.h"

static struct roundfile *make_empty(uint32_t discs, uint32_t rows)
{
    struct roundfile *r = calloc(1, sizeof(*r));
    if (!r) {
        return NULL;
    }
    size_t size = (size_t)discs + (size_t)rows * BOARD_COLUMNS;
    r->memory = malloc(size);
    if (!r->memory) {
        free(r);
        return NULL;
    }
    r->round.discs = r->memory;
    r->round.disc_count = discs;
    r->round.rows = (const uint8_t(*)[BOARD_COLUMNS])(r->memory + discs);
    r->round.row_count = rows;
    return r;
}

void roundfile_free(struct roundfile *r)
{
    if (r) {
        free(r->memory);
        free(r);
    }
}

static enum d7_err check_id(struct span id, struct d7_why *why)
{
    return span_is_slug(id, 1, ROUND_ID_SIZE - 1, false)
               ? D7_OK
               : d7_refuse(why, D7_ERR_INVALID, "id",
                           "id must be 1-64 characters of a-z, 0-9 and -, not starting with -");
}

static enum d7_err check_name(struct span name, struct d7_why *why)
{
    return span_is_name(name)
               ? D7_OK
               : d7_refuse(why, D7_ERR_INVALID, "name",
                           "name must be 1-80 characters, one of them visible, without control "
                           "characters");
}

static enum d7_err check_moves(int64_t moves, struct d7_why *why)
{
    return moves >= 1 && moves <= ROUND_MOVES_MAX
               ? D7_OK
               : d7_refuse(why, D7_ERR_INVALID, "maximumMoves",
                           "maximumMoves must be an integer from 1 to %d", ROUND_MOVES_MAX);
}

enum d7_err roundfile_generate(uint32_t seed, uint32_t moves, const char *id, const char *name,
                               struct roundfile **ret, struct d7_why *why)
{
    char default_id[ROUND_ID_SIZE];
    char default_name[ROUND_ID_SIZE];
    (void)snprintf(default_id, sizeof(default_id), "seed-%08x", seed);
    (void)snprintf(default_name, sizeof(default_name), "Seed 0x%08x", seed);
    struct span id_text = span_of(id ? id : default_id);
    struct span name_text = span_of(name ? name : default_name);
    struct roundfile *r = NULL;
    enum d7_err err = check_moves(moves, why);
    if (!err) {
        err = check_id(id_text, why);
    }
    if (!err) {
        err = check_name(name_text, why);
    }
    if (err) {
        goto out;
    }
    r = make_empty(moves, round_generated_rows(moves));
    if (!r) {
        err = D7_ERR_NOMEM;
        goto out;
    }
    err = span_copy(id_text, r->id, sizeof(r->id));
    if (!err) {
        err = span_copy(name_text, r->name, sizeof(r->name));
    }
    if (err) {
        goto out;
    }
    (void)snprintf(r->seed_hex, sizeof(r->seed_hex), "0x%08x", seed);
    r->round.maximum_moves = moves;
    round_generate(seed, moves, r->memory, (uint8_t(*)[BOARD_COLUMNS])(r->memory + moves));
    *ret = r;
    r = NULL;
out:
    roundfile_free(r);
    return err;
}

enum d7_err roundfile_gauntlet(unsigned k, struct roundfile **ret)
{
    if (k < 1 || k > ROUND_GAUNTLET_COUNT) {
        return D7_ERR_NOT_FOUND;
    }
    char id[ROUND_ID_SIZE];
    char name[ROUND_ID_SIZE];
    (void)snprintf(id, sizeof(id), "gauntlet-%02u", k);
    (void)snprintf(name, sizeof(name), "Gauntlet %02u", k);
    return roundfile_generate(ROUND_GAUNTLET_SEED + k, ROUND_GAUNTLET_MOVES, id, name, ret, NULL);
}

enum d7_err roundfile_by_id(struct span id, struct roundfile **ret)
{
    if (id.len == 11 && span_starts(id, "gauntlet-0")) {
        return roundfile_gauntlet((unsigned)(unsigned char)id.ptr[10] - '0', ret);
    }
    if (id.len != 13 || !span_starts(id, "seed-")) {
        return D7_ERR_NOT_FOUND;
    }
    uint32_t seed = 0;
    for (size_t i = 5; i < 13; i++) {
        char c = id.ptr[i];
        bool digit = c >= '0' && c <= '9';
        if (!digit && (c < 'a' || c > 'f')) {
            return D7_ERR_NOT_FOUND;
        }
        seed = seed << 4 | (uint32_t)(digit ? c - '0' : c - 'a' + 10);
    }
    return roundfile_generate(seed, ROUND_GAUNTLET_MOVES, NULL, NULL, ret, NULL);
}

/* --- the JSON form -------------------------------------------------------------------------- */

/* The members of the object, borrowed from the document. */
struct parts {
    struct span id;
    struct span name;
    struct span seed;
    int64_t moves;
    const struct jval *discs;
    const struct jval *rows;
};

static enum d7_err check_head(const struct jval *root, struct parts *ret, struct d7_why *why)
{
    static const char *const known[] = {"format",       "id",    "name",       "generatorSeedHex",
                                        "maximumMoves", "discs", "latentRows", NULL};
    struct span text = {NULL, 0};
    char quoted[128];
    if (jval_kind_of(root) != JVAL_OBJECT) {
        return d7_refuse(why, D7_ERR_INVALID, NULL, "a round is a JSON object");
    }
    const char *unknown = jval_unknown_key(root, known);
    if (unknown) {
        span_escape(span_of(unknown), quoted, sizeof(quoted));
        return d7_refuse(why, D7_ERR_INVALID, quoted, "unknown field '%s'", quoted);
    }
    if (!jval_text(jval_get(root, "format"), &text) || !span_is(text, ROUND_FORMAT)) {
        return d7_refuse(why, D7_ERR_INVALID, "format", "format must be '" ROUND_FORMAT "'");
    }
    ret->id = ret->name = (struct span){NULL, 0};
    (void)jval_text(jval_get(root, "id"), &ret->id); /* an absent one fails its check */
    enum d7_err err = check_id(ret->id, why);
    if (err) {
        return err;
    }
    (void)jval_text(jval_get(root, "name"), &ret->name);
    err = check_name(ret->name, why);
    if (err) {
        return err;
    }
    if (!jval_text(jval_get(root, "generatorSeedHex"), &ret->seed) ||
        ret->seed.len >= ROUND_SEED_SIZE || !span_is_label(ret->seed, 0, 64, false)) {
        return d7_refuse(why, D7_ERR_INVALID, "generatorSeedHex",
                         "generatorSeedHex must be text of at most %d bytes", ROUND_SEED_SIZE - 1);
    }
    ret->moves = 0;
    (void)jval_integer(jval_get(root, "maximumMoves"), &ret->moves);
    return check_moves(ret->moves, why);
}

static enum d7_err check_counts(const struct jval *root, struct parts *p, struct d7_why *why)
{
    p->discs = jval_get(root, "discs");
    p->rows = jval_get(root, "latentRows");
    if (!p->discs || jval_kind_of(p->discs) != JVAL_ARRAY ||
        jval_length(p->discs) < (size_t)p->moves) {
        return d7_refuse(why, D7_ERR_INVALID, "discs",
                         "discs must be an array of at least maximumMoves (%d) numbers 1-7",
                         (int)p->moves);
    }
    int64_t rows = (p->moves + 4) / 5 + 1;
    if (!p->rows || jval_kind_of(p->rows) != JVAL_ARRAY || jval_length(p->rows) < (size_t)rows) {
        return d7_refuse(why, D7_ERR_INVALID, "latentRows",
                         "latentRows must be an array of at least %d rows "
                         "(maximumMoves / 5 rounded up, and 1) of seven numbers 1-7",
                         (int)rows);
    }
    return D7_OK;
}

static bool disc_of(const struct jval *v, uint8_t *ret)
{
    int64_t disc = 0;
    if (!jval_integer(v, &disc) || disc < 1 || disc > 7) {
        return false;
    }
    *ret = (uint8_t)disc;
    return true;
}

static enum d7_err fill(struct roundfile *r, const struct parts *p, struct d7_why *why)
{
    char field[64];
    for (uint32_t m = 0; m < r->round.disc_count; m++) {
        if (!disc_of(jval_at(p->discs, m), &r->memory[m])) {
            (void)snprintf(field, sizeof(field), "discs[%u]", m);
            return d7_refuse(why, D7_ERR_INVALID, field, "%s must be an integer from 1 to 7",
                             field);
        }
    }
    uint8_t *to = r->memory + r->round.disc_count;
    for (uint32_t i = 0; i < r->round.row_count; i++) {
        const struct jval *row = jval_at(p->rows, i);
        if (jval_length(row) != BOARD_COLUMNS) {
            (void)snprintf(field, sizeof(field), "latentRows[%u]", i);
            return d7_refuse(why, D7_ERR_INVALID, field,
                             "%s must be an array of exactly seven numbers 1-7", field);
        }
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            if (!disc_of(jval_at(row, c), to++)) {
                (void)snprintf(field, sizeof(field), "latentRows[%u][%u]", i, c);
                return d7_refuse(why, D7_ERR_INVALID, field, "%s must be an integer from 1 to 7",
                                 field);
            }
        }
    }
    return D7_OK;
}

enum d7_err roundfile_parse(struct span json, struct roundfile **ret, struct d7_why *why)
{
    if (json.len > ROUND_FILE_MAX) {
        return d7_refuse(why, D7_ERR_TOO_LARGE, NULL, "a round is at most %d bytes of JSON",
                         ROUND_FILE_MAX);
    }
    struct jval *root = NULL;
    struct roundfile *r = NULL;
    struct parts parts = {0};
    enum d7_err err = jval_parse(json, &root, why);
    if (err) {
        return err;
    }
    err = check_head(root, &parts, why);
    if (!err) {
        err = check_counts(root, &parts, why);
    }
    if (err) {
        goto out;
    }
    r = make_empty((uint32_t)jval_length(parts.discs), (uint32_t)jval_length(parts.rows));
    if (!r) {
        err = D7_ERR_NOMEM;
        goto out;
    }
    r->round.maximum_moves = (uint32_t)parts.moves;
    err = fill(r, &parts, why);
    if (!err) {
        err = span_copy(parts.id, r->id, sizeof(r->id));
    }
    if (!err) {
        err = span_copy(parts.name, r->name, sizeof(r->name));
    }
    if (!err) {
        err = span_copy(parts.seed, r->seed_hex, sizeof(r->seed_hex));
    }
    if (err) {
        goto out;
    }
    *ret = r;
    r = NULL;
out:
    roundfile_free(r);
    jval_free(root);
    return err;
}

void roundfile_write(struct jout *j, const struct roundfile *r)
{
    jout_object(j);
    jout_kv_text(j, "format", ROUND_FORMAT);
    jout_kv_text(j, "id", r->id);
    jout_kv_text(j, "name", r->name);
    jout_kv_text(j, "generatorSeedHex", r->seed_hex);
    jout_kv_int(j, "maximumMoves", r->round.maximum_moves);
    jout_key(j, "discs");
    jout_array(j);
    for (uint32_t m = 0; m < r->round.disc_count; m++) {
        jout_int(j, r->round.discs[m]);
    }
    jout_array_end(j);
    jout_key(j, "latentRows");
    jout_array(j);
    for (uint32_t i = 0; i < r->round.row_count; i++) {
        jout_array(j);
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            jout_int(j, r->round.rows[i][c]);
        }
        jout_array_end(j);
    }
    jout_array_end(j);
    jout_object_end(j);
}
