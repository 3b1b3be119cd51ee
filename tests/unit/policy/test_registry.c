/* What every built-in policy promises whatever its search: who it is, and that only the position
 * counts. */
#include "tests/support/roots.h"
#include "tests/support/support.h"

#include "engine/base/rng.h"
#include "engine/policy/chance.h"
#include "engine/policy/mirror.h"
#include "engine/policy/registry.h"
#include "tests/support/worked.h"

static struct policy *policy_of(const struct policy_info *info)
{
    struct policy *p = NULL;
    assert_int_equal(policy_new(info, 1, &p), D7_OK);
    return p;
}

static void assert_same_decision(const struct decision *a, const struct decision *b)
{
    assert_int_equal(a->column, b->column);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->work, b->work);
    assert_int_equal(a->value_count, b->value_count);
    for (unsigned i = 0; i < a->value_count; i++) {
        assert_int_equal(a->values[i].column, b->values[i].column);
        assert_int_equal(a->values[i].visits, b->values[i].visits);
        assert_memory_equal(&a->values[i].value, &b->values[i].value, sizeof(double));
    }
}

static void the_registry_lists_the_policies_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        const char *name;
        const char *family;
        bool public_information;
        bool slow;
    } want[] = {
        {"greedy", "Greedy 1-ply", "heuristic-search", true, false},
        {"expectimax-d2", "Expectimax D2", "fair-expectimax", true, false},
        {"expectimax-d3", "Expectimax D3", "fair-expectimax", true, false},
        {"expectimax-d4", "Expectimax D4", "fair-expectimax", true, true},
        {"gray-throughput", "Gray throughput", "heuristic-search", false, false},
        {"rollout-h8", "Rollout H8", "heuristic-search", true, false},
        {"mcts", "MCTS", "tree-search", true, false},
        {"sparse-d2", "Sparse expectimax D2", "heuristic-search", true, false},
        {"risk-d2", "Risk-sensitive D2", "heuristic-search", true, false},
        {"open-loop-beam", "Open-loop beam", "heuristic-search", true, false},
        {"fair-d2-s7", "Fair D2, 7 strata", "fair-expectimax", true, false},
        {"fair-d3-s7", "Fair D3, 7 strata", "fair-expectimax", true, false},
        {"fair-d4-s7", "Fair D4, 7 strata", "fair-expectimax", true, true},
        {"puct", "PUCT", "tree-search", true, false},
        {"mcts-fair", "MCTS, fair continuation", "tree-search", true, false},
    };
    size_t count = 0;
    const struct policy_info *all = policy_registry(&count);
    assert_int_equal(count, D7_COUNT(want));
    for (size_t i = 0; i < D7_COUNT(want); i++) {
        assert_string_equal(all[i].id, want[i].id);
        assert_string_equal(all[i].name, want[i].name);
        assert_string_equal(all[i].family, want[i].family);
        assert_int_equal(all[i].public_information, want[i].public_information);
        assert_int_equal(all[i].slow, want[i].slow);
    }
    for (size_t i = 0; i < count; i++) {
        assert_true(span_is_slug(span_of(all[i].id), 1, 64, true));
        assert_ptr_equal(policy_find(span_of(all[i].id)), &all[i]);
        assert_true(strlen(all[i].name) > 0 && strlen(all[i].family) > 0);
        assert_true(strlen(all[i].description) > 0);
    }
}

static void an_unknown_id_finds_no_policy(void **state)
{
    (void)state;
    assert_null(policy_find(span_of("greed")));
    assert_null(policy_find(span_of("greedy2")));
    assert_null(policy_find(span_of("")));
}

/* Every position for the quick policies, fewer for those that take long: from one to the next. */
static size_t stride(const struct policy_info *info)
{
    if (info->slow) {
        return 40;
    }
    bool deep = strcmp(info->id, "fair-d3-s7") == 0 || strcmp(info->id, "expectimax-d3") == 0;
    return deep ? 8 : 1;
}

/* The search of fair-d2-s7 and fair-d3-s7, at up to a second a decision: only where all is wanted.
 */
static bool is_left_out(const struct policy_info *info)
{
    return strcmp(info->id, "fair-d4-s7") == 0 && !getenv("D7_ALL_VECTORS");
}

static void a_decision_depends_on_nothing_but_the_position(void **state)
{
    (void)state;
    assert_true(roots_all()->count >= 40);
    size_t count = 0;
    const struct policy_info *all = policy_registry(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_left_out(&all[i])) {
            continue;
        }
        struct policy *used = policy_of(&all[i]);
        struct decision d[ROOTS_MAX];
        size_t step = stride(&all[i]);
        size_t last = (roots_all()->count - 1) / step * step;
        for (size_t k = 0; k <= last; k += step) {
            policy_decide(used, &roots_all()->at[k], &d[k]);
        }
        for (size_t k = 0; k <= last; k += step) { /* the other way round */
            struct decision again;
            policy_decide(used, &roots_all()->at[last - k], &again);
            assert_same_decision(&again, &d[last - k]);
        }
        for (size_t k = 0; k <= last; k += 6 * step) {
            struct policy *fresh = policy_of(&all[i]);
            struct decision first;
            policy_decide(fresh, &roots_all()->at[k], &first);
            assert_same_decision(&first, &d[k]);
            policy_free(fresh);
        }
        policy_free(used);
    }
}

static void public_policies_read_neither_level_nor_move_number(void **state)
{
    (void)state;
    size_t count = 0;
    const struct policy_info *all = policy_registry(&count);
    for (size_t i = 0; i < count; i++) {
        if (!all[i].public_information || is_left_out(&all[i])) {
            continue;
        }
        struct policy *p = policy_of(&all[i]);
        for (size_t k = 0; k < roots_all()->count; k += 5 * stride(&all[i])) {
            const struct extended_state late = {roots_all()->at[k], 9, 44};
            struct decision plain;
            struct decision extended;
            policy_decide(p, &roots_all()->at[k], &plain);
            policy_decide_extended(p, &late, &extended);
            assert_same_decision(&plain, &extended);
        }
        policy_free(p);
    }
}

static void gray_throughput_reads_level_and_move_number(void **state)
{
    (void)state;
    struct policy *p = policy_of(policy_find(span_of("gray-throughput")));
    unsigned differ = 0;
    for (size_t k = 0; k < roots_all()->count; k++) {
        const struct extended_state first = {roots_all()->at[k], 1, 0};
        const struct extended_state level = {roots_all()->at[k], 2, 0};
        const struct extended_state moves = {roots_all()->at[k], 1, 5};
        struct decision plain;
        struct decision d;
        policy_decide(p, &first.position, &plain);
        policy_decide_extended(p, &first, &d);
        assert_same_decision(&plain, &d); /* without them: level 1, no moves */
        policy_decide_extended(p, &level, &d);
        differ += worked_bits(d.values[0].value) != worked_bits(plain.values[0].value);
        policy_decide_extended(p, &moves, &d);
        differ += worked_bits(d.values[0].value) != worked_bits(plain.values[0].value);
    }
    policy_free(p);
    assert_true(differ > roots_all()->count); /* another sample gives another mean, nearly always */
}

static void fair_plays_the_mirrored_column_on_the_mirrored_board(void **state)
{
    (void)state;
    struct policy *p = policy_of(policy_find(span_of("fair-d2-s7")));
    unsigned tried = 0;
    for (size_t k = 0; k < roots_all()->count; k++) {
        struct position at = roots_all()->at[k];
        struct position mirrored = at;
        mirrored.board = board_mirrored(&at.board);
        if (memcmp(&at.board, &mirrored.board, sizeof(at.board)) == 0) {
            continue; /* symmetric: ties fall to the column order */
        }
        struct decision d;
        struct decision m;
        policy_decide(p, &at, &d);
        policy_decide(p, &mirrored, &m);
        assert_int_equal(m.column, 6 - d.column);
        assert_int_equal(m.value_count, d.value_count);
        for (unsigned i = 0; i < d.value_count; i++) {
            assert_int_equal(m.values[d.value_count - 1 - i].column, 6 - d.values[i].column);
            assert_memory_equal(&m.values[d.value_count - 1 - i].value, &d.values[i].value,
                                sizeof(double));
        }
        tried++;
    }
    policy_free(p);
    assert_true(tried >= 20);
}

static void a_board_without_a_legal_column_has_no_decision(void **state)
{
    (void)state;
    size_t count = 0;
    const struct policy_info *all = policy_registry(&count);
    struct position full = {.next = 4, .rise = 2};
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        full.board.col[c] = 0x8888888;
    }
    for (size_t i = 0; i < count; i++) {
        struct policy *p = policy_of(&all[i]);
        struct decision d;
        policy_decide(p, &full, &d);
        assert_int_equal(d.column, -1);
        assert_int_equal(d.value_count, 0);
        policy_free(p);
    }
}

/* Boards from outside may hold matches anywhere; every policy still finds a legal column. */
static void boards_full_of_matches_are_played_too(void **state)
{
    (void)state;
    size_t count = 0;
    const struct policy_info *all = policy_registry(&count);
    for (size_t i = 0; i < count; i++) {
        if (is_left_out(&all[i])) {
            continue;
        }
        struct policy *p = policy_of(&all[i]);
        struct rng rng = {77};
        for (unsigned k = 0; k < (stride(&all[i]) > 1 ? 5 : 40); k++) {
            struct position at = {.next = rng_disc(&rng),
                                  .rise = (uint8_t)(rng_below(&rng, 5) + 1)};
            for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
                for (unsigned h = rng_below(&rng, 8); h > 0; h--) {
                    at.board.col[c] = at.board.col[c] << 4 | (rng_below(&rng, 9) + 1);
                }
            }
            struct decision d;
            policy_decide(p, &at, &d);
            unsigned legal = board_legal(&at.board);
            assert_int_equal(d.value_count, __builtin_popcount(legal));
            assert_true(legal ? d.column >= 0 && (legal >> d.column & 1u) : d.column == -1);
        }
        policy_free(p);
    }
}

static void the_smaller_mirror_image_is_canonical(void **state)
{
    (void)state;
    struct rng rng = {5};
    for (unsigned k = 0; k < 500; k++) {
        struct board b = {{0}};
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            for (unsigned h = rng_below(&rng, 4); h > 0; h--) {
                b.col[c] = b.col[c] << 4 | (rng_below(&rng, 2) + 8);
            }
        }
        struct board mirrored = board_mirrored(&b);
        char text[BOARD_TEXT_SIZE];
        char other[BOARD_TEXT_SIZE];
        board_format(&b, text);
        board_format(&mirrored, other);
        assert_int_equal(mirror_is_reversed(&b), strcmp(other, text) < 0);
        struct board canonical = b;
        assert_int_equal(mirror_canonicalise(&canonical), strcmp(other, text) < 0);
        assert_memory_equal(&canonical, strcmp(other, text) < 0 ? &mirrored : &b, sizeof(b));
    }
}

static void policy_seeds_are_the_published_ones(void **state)
{
    (void)state;
    assert_int_equal(chance_policy_seed("rollout-h8"), 0x9a396ef5u);
    assert_int_equal(chance_policy_seed("mcts"), 0xc2e36c54u);
    assert_int_equal(chance_policy_seed("sparse-d2"), 0x0b16a6f2u);
    assert_int_equal(chance_policy_seed("risk-d2"), 0xd6a2cbd3u);
    assert_int_equal(chance_policy_seed("open-loop-beam"), 0xbbbac972u);
    assert_int_equal(mix32(0xdeadbeefu), 0xe628c683u);
}

static void seven_strata_see_seven_discs(void **state)
{
    (void)state;
    for (unsigned event = 0; event < 20; event++) {
        unsigned rotation = chance_rotation(0x12345678u, CHANCE_FAIR_REVEAL, event);
        unsigned seen = 0;
        for (unsigned s = 0; s < CHANCE_STRATA; s++) {
            seen |= 1u << chance_disc(rotation, s);
        }
        assert_int_equal(seen, 0xfe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_registry_lists_the_policies_in_order),
        cmocka_unit_test(an_unknown_id_finds_no_policy),
        cmocka_unit_test(a_decision_depends_on_nothing_but_the_position),
        cmocka_unit_test(public_policies_read_neither_level_nor_move_number),
        cmocka_unit_test(gray_throughput_reads_level_and_move_number),
        cmocka_unit_test(fair_plays_the_mirrored_column_on_the_mirrored_board),
        cmocka_unit_test(a_board_without_a_legal_column_has_no_decision),
        cmocka_unit_test(boards_full_of_matches_are_played_too),
        cmocka_unit_test(the_smaller_mirror_image_is_canonical),
        cmocka_unit_test(policy_seeds_are_the_published_ones),
        cmocka_unit_test(seven_strata_see_seven_discs),
    };
    return cmocka_run_group_tests_name("unit/policy/registry", tests, NULL, NULL);
}
