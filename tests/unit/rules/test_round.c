/*
 * test_round.c - the gauntlet, and every way a round file can be wrong.
 */
#include "tests/support/support.h"

#include "engine/record/roundfile.h"

static struct roundfile *gauntlet(unsigned k)
{
    struct roundfile *r = NULL;
    assert_int_equal(roundfile_gauntlet(k, &r), D7_OK);
    return r;
}

static void gauntlet_01_has_its_published_discs_and_rows(void **state)
{
    (void)state;
    static const uint8_t first[12] = {2, 6, 5, 1, 7, 1, 2, 5, 5, 6, 1, 2};
    static const uint8_t row0[7] = {1, 4, 6, 1, 5, 7, 4};
    static const uint8_t last[7] = {4, 7, 5, 1, 1, 4, 4};
    struct roundfile *r = gauntlet(1);
    assert_string_equal(r->id, "gauntlet-01");
    assert_string_equal(r->name, "Gauntlet 01");
    assert_string_equal(r->seed_hex, "0x5eed0001");
    assert_int_equal(r->round.maximum_moves, 2000);
    assert_int_equal(r->round.disc_count, 2000);
    assert_int_equal(r->round.row_count, 420);
    assert_memory_equal(r->round.discs, first, sizeof(first));
    assert_memory_equal(r->round.rows[0], row0, sizeof(row0));
    assert_memory_equal(r->round.rows[419], last, sizeof(last));
    roundfile_free(r);
}

static bool same_round(const struct roundfile *a, const struct roundfile *b)
{
    return strcmp(a->id, b->id) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(a->seed_hex, b->seed_hex) == 0 &&
           a->round.maximum_moves == b->round.maximum_moves &&
           a->round.disc_count == b->round.disc_count && a->round.row_count == b->round.row_count &&
           memcmp(a->round.discs, b->round.discs, a->round.disc_count) == 0 &&
           memcmp(a->round.rows, b->round.rows, a->round.row_count * sizeof(a->round.rows[0])) == 0;
}

static void rounds_are_found_by_name(void **state)
{
    (void)state;
    struct roundfile *by_name = NULL;
    struct roundfile *by_seed = NULL;
    struct roundfile *eighth = gauntlet(8);
    assert_int_equal(roundfile_by_id(span_of("gauntlet-08"), &by_name), D7_OK);
    assert_true(same_round(by_name, eighth));
    assert_int_equal(roundfile_by_id(span_of("seed-5eed0008"), &by_seed), D7_OK);
    assert_string_equal(by_seed->id, "seed-5eed0008");
    assert_string_equal(by_seed->name, "Seed 0x5eed0008");
    assert_memory_equal(by_seed->round.discs, eighth->round.discs, 2000);
    roundfile_free(by_name);
    roundfile_free(by_seed);
    roundfile_free(eighth);
}

static void other_names_are_not_found(void **state)
{
    (void)state;
    static const char *const names[] = {"",           "gauntlet-00",    "gauntlet-09",
                                        "gauntlet-1", "gauntlet-001",   "seed-5EED0001",
                                        "seed-5eed1", "seed-5eed00001", "seed-0x5eed01",
                                        "gauntlet-0", "gauntlet-0:",    "gauntlet-0/"};
    struct roundfile *r = NULL;
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        assert_int_equal(roundfile_by_id(span_of(names[i]), &r), D7_ERR_NOT_FOUND);
        assert_null(r);
    }
    assert_int_equal(roundfile_gauntlet(0, &r), D7_ERR_NOT_FOUND);
    assert_int_equal(roundfile_gauntlet(9, &r), D7_ERR_NOT_FOUND);
}

static void generated_rounds_keep_to_their_limits(void **state)
{
    (void)state;
    struct roundfile *r = NULL;
    struct d7_why why = {0};
    assert_int_equal(roundfile_generate(1, 0, NULL, NULL, &r, &why), D7_ERR_INVALID);
    assert_string_equal(why.field, "maximumMoves");
    assert_int_equal(roundfile_generate(1, 10001, NULL, NULL, &r, &why), D7_ERR_INVALID);
    assert_non_null(strstr(why.text, "10000"));
    assert_int_equal(roundfile_generate(1, 5, "Not A Slug", NULL, &r, &why), D7_ERR_INVALID);
    assert_string_equal(why.field, "id");
    assert_int_equal(roundfile_generate(1, 5, NULL, "", &r, &why), D7_ERR_INVALID);
    assert_string_equal(why.field, "name");
    assert_null(r);
    assert_int_equal(roundfile_generate(1, 10000, NULL, NULL, &r, &why), D7_OK);
    assert_int_equal(r->round.row_count, 2020);
    roundfile_free(r);
    r = NULL;
    assert_int_equal(roundfile_generate(0xabcu, 1, "x", "Y", &r, &why), D7_OK);
    assert_string_equal(r->seed_hex, "0x00000abc");
    assert_int_equal(r->round.row_count, 20);
    roundfile_free(r);
}

/* A round of six moves, member by member; a case replaces one. */
struct draft {
    const char *format, *id, *name, *seed, *moves, *discs, *rows, *extra;
};

#define ROW "[1,2,3,4,5,6,7]"
static const struct draft good = {
    .format = "\"drop7-scripted-round-v1\"",
    .id = "\"six-moves\"",
    .name = "\"Six moves\"",
    .seed = "\"0x00000006\"",
    .moves = "6",
    .discs = "[1,2,3,4,5,6]",
    .rows = "[" ROW "," ROW ",[7,7,7,7,7,7,7]]",
    .extra = "",
};

static enum d7_err parse(const struct draft *d, struct roundfile **ret, struct d7_why *why)
{
    const char *const keys[] = {"format",       "id",    "name",      "generatorSeedHex",
                                "maximumMoves", "discs", "latentRows"};
    const char *const values[] = {d->format, d->id, d->name, d->seed, d->moves, d->discs, d->rows};
    struct buf text;
    buf_init(&text, 1 << 16);
    const char *mark = "{";
    for (size_t i = 0; i < D7_COUNT(keys); i++) {
        if (values[i]) {
            buf_printf(&text, "%s\"%s\": %s", mark, keys[i], values[i]);
            mark = ", ";
        }
    }
    buf_printf(&text, "%s}", d->extra);
    assert_int_equal(text.err, D7_OK);
    enum d7_err err = roundfile_parse(buf_span(&text), ret, why);
    buf_release(&text);
    return err;
}

/* The draft is refused; the reason has that field and those words. */
static void refused(const struct draft *d, const char *field, const char *words)
{
    struct roundfile *r = NULL;
    struct d7_why why = {0};
    enum d7_err err = parse(d, &r, &why);
    if (err != D7_ERR_INVALID) {
        fail_msg("field %s: expected a refusal, got '%s'", field, d7_err_text(err));
    }
    assert_null(r);
    assert_string_equal(why.field, field);
    if (!strstr(why.text, words)) {
        fail_msg("'%s' does not say '%s'", why.text, words);
    }
}

static void a_minimal_round_file_is_read(void **state)
{
    (void)state;
    struct roundfile *r = NULL;
    struct d7_why why = {0};
    assert_int_equal(parse(&good, &r, &why), D7_OK);
    assert_string_equal(r->id, "six-moves");
    assert_string_equal(r->name, "Six moves");
    assert_string_equal(r->seed_hex, "0x00000006");
    assert_int_equal(r->round.maximum_moves, 6);
    assert_int_equal(r->round.discs[5], 6);
    assert_int_equal(r->round.rows[2][6], 7);
    roundfile_free(r);
}

/* One case a field, a list of values that are all wrong for it. */
#define REFUSE_EACH(member, field, words, ...)                                                     \
    do {                                                                                           \
        const char *const values[] = {__VA_ARGS__};                                                \
        for (size_t i = 0; i < D7_COUNT(values); i++) {                                            \
            struct draft d = good;                                                                 \
            d.member = values[i];                                                                  \
            refused(&d, field, words);                                                             \
        }                                                                                          \
    } while (0)

static void a_wrong_head_is_refused_with_field_and_limit(void **state)
{
    (void)state;
    char long_name[84]; /* 81 in quotes */
    memset(long_name, 'n', sizeof(long_name));
    long_name[0] = long_name[82] = '"';
    long_name[83] = '\0';
    REFUSE_EACH(format, "format", "drop7-scripted-round-v1", NULL, "\"drop7-scripted-round-v2\"",
                "1", "\"\"");
    REFUSE_EACH(id, "id", "1-64", NULL, "\"\"", "\"-x\"", "\"Upper\"", "\"a b\"", "7", "null",
                "\"a2345678901234567890123456789012345678901234567890123456789012345\"");
    REFUSE_EACH(name, "name", "1-80", NULL, "\"\"", "\"a\\nb\"", "[]", long_name);
    REFUSE_EACH(seed, "generatorSeedHex", "64", NULL, "5", "null", "\"a\\u0001\"",
                "\"12345678901234567890123456789012345678901234567890123456789012345\"");
    REFUSE_EACH(moves, "maximumMoves", "1 to 10000", NULL, "0", "-1", "10001", "6.0", "\"6\"",
                "true", "1e2");
}

static void wrong_discs_are_refused_with_place_and_limit(void **state)
{
    (void)state;
    REFUSE_EACH(discs, "discs", "at least maximumMoves (6)", NULL, "[]", "[1,2,3,4,5]", "{}",
                "\"123456\"");
    REFUSE_EACH(discs, "discs[2]", "1 to 7", "[1,2,0,4,5,6]", "[1,2,8,4,5,6]", "[1,2,-1,4,5,6]",
                "[1,2,3.0,4,5,6]", "[1,2,\"3\",4,5,6]", "[1,2,null,4,5,6]", "[1,2,258,4,5,6]");
    REFUSE_EACH(discs, "discs[6]", "1 to 7", "[1,2,3,4,5,6,9]");
}

static void wrong_latent_rows_are_refused_with_place_and_limit(void **state)
{
    (void)state;
    REFUSE_EACH(rows, "latentRows", "at least 3 rows", NULL, "[]", "[" ROW "," ROW "]", "{}", "3");
    REFUSE_EACH(rows, "latentRows[1]", "exactly seven", "[" ROW ",[1,2,3,4,5,6]," ROW "]",
                "[" ROW ",[1,2,3,4,5,6,7,1]," ROW "]", "[" ROW ",[]," ROW "]",
                "[" ROW ",7," ROW "]", "[" ROW ",null," ROW "]");
    REFUSE_EACH(rows, "latentRows[2][6]", "1 to 7", "[" ROW "," ROW ",[1,2,3,4,5,6,0]]",
                "[" ROW "," ROW ",[1,2,3,4,5,6,8]]", "[" ROW "," ROW ",[1,2,3,4,5,6,\"7\"]]");
}

static void unknown_and_double_fields_are_refused(void **state)
{
    (void)state;
    struct roundfile *r = NULL;
    struct d7_why why = {0};
    REFUSE_EACH(extra, "colour", "unknown field 'colour'", ", \"colour\": 1");
    struct draft d = good;
    d.extra = ", \"id\": \"again\"";
    assert_int_equal(parse(&d, &r, &why), D7_ERR_SYNTAX);
    assert_non_null(strstr(why.text, "id"));
    assert_null(r);
}

static void what_is_no_json_object_is_refused(void **state)
{
    (void)state;
    struct roundfile *r = NULL;
    struct d7_why why = {0};
    assert_int_equal(roundfile_parse(span_of(""), &r, &why), D7_ERR_SYNTAX);
    assert_int_equal(roundfile_parse(span_of("{\"format\": "), &r, &why), D7_ERR_SYNTAX);
    assert_int_equal(roundfile_parse(span_of("[]"), &r, &why), D7_ERR_INVALID);
    assert_int_equal(roundfile_parse(span_of("null"), &r, &why), D7_ERR_INVALID);
    char *large = malloc(ROUND_FILE_MAX + 1);
    assert_non_null(large);
    memset(large, ' ', ROUND_FILE_MAX + 1);
    assert_int_equal(roundfile_parse(span_make(large, ROUND_FILE_MAX + 1), &r, &why),
                     D7_ERR_TOO_LARGE);
    assert_non_null(strstr(why.text, "1048576"));
    free(large);
    assert_null(r);
}

static void a_round_written_and_read_is_the_same_round(void **state)
{
    (void)state;
    struct roundfile *rounds[3] = {gauntlet(3), NULL, NULL};
    struct d7_why why = {0};
    assert_int_equal(
        roundfile_generate(0xffffffffu, 10000, "longest", "Longest \"\xc3\xa9\"", &rounds[1], &why),
        D7_OK);
    assert_int_equal(parse(&good, &rounds[2], &why), D7_OK);
    for (size_t i = 0; i < D7_COUNT(rounds); i++) {
        struct buf text;
        struct jout j;
        struct roundfile *again = NULL;
        buf_init(&text, ROUND_FILE_MAX);
        jout_init(&j, &text);
        roundfile_write(&j, rounds[i]);
        assert_int_equal(text.err, D7_OK);
        if (roundfile_parse(buf_span(&text), &again, &why)) {
            fail_msg("%s", why.text);
        }
        assert_true(same_round(rounds[i], again));
        roundfile_free(again);
        roundfile_free(rounds[i]);
        buf_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauntlet_01_has_its_published_discs_and_rows),
        cmocka_unit_test(rounds_are_found_by_name),
        cmocka_unit_test(other_names_are_not_found),
        cmocka_unit_test(generated_rounds_keep_to_their_limits),
        cmocka_unit_test(a_minimal_round_file_is_read),
        cmocka_unit_test(a_wrong_head_is_refused_with_field_and_limit),
        cmocka_unit_test(wrong_discs_are_refused_with_place_and_limit),
        cmocka_unit_test(wrong_latent_rows_are_refused_with_place_and_limit),
        cmocka_unit_test(unknown_and_double_fields_are_refused),
        cmocka_unit_test(what_is_no_json_object_is_refused),
        cmocka_unit_test(a_round_written_and_read_is_the_same_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
