/*
 * Design note
 *
 * The files of the fair search once more, in one unit, under other names: the makefile lets the
 * compiler use AVX2, BMI and POPCNT in this file alone. Nothing outside calls it but through
 * fair_engine_wide. Why not target attributes: functions that are inlined everywhere would each
 * need one, and a missed one is slow without a word. Without those instructions (another processor,
 * a linter's run) there is nothing here.
 */
#ifdef __AVX2__

#define fair_node_init             fair_wide_node_init
#define fair_play                  fair_wide_play
#define fair_search_new            fair_wide_search_new
#define fair_search_free           fair_wide_search_free
#define fair_search_value          fair_wide_search_value
#define fair_search_moves          fair_wide_search_moves
#define fair_leaf_init             fair_wide_leaf_init
#define fair_leaf_gray             fair_wide_leaf_gray
#define fair_leaf_low              fair_wide_leaf_low
#define fair_leaf_read             fair_wide_leaf_read
#define fair_family_read           fair_wide_family_read
#define fair_reading_start         fair_wide_reading_start
#define fair_reading_additions     fair_wide_reading_additions
#define fair_reading_ranked        fair_wide_reading_ranked
#define fair_reading_releases      fair_wide_reading_releases
#define fair_reading_adjacent_ones fair_wide_reading_adjacent_ones
#define fair_reading_triple_twos   fair_wide_reading_triple_twos
#define fair_reading_ready         fair_wide_reading_ready
#define fair_reading_exposures     fair_wide_reading_exposures
#define fair_reading_dead_low      fair_wide_reading_dead_low
#define fair_reading_end           fair_wide_reading_end
#define profile_fill               fair_wide_profile_fill
#define profile_runs               fair_wide_profile_runs

#include "engine/policy/fair_family.c"
#include "engine/policy/fair_leaf.c"
#include "engine/policy/fair_play.c"
#include "engine/policy/fair_reading.c"
#include "engine/policy/fair_search.c"
#include "engine/policy/profile.c"

#include "engine/policy/fair_engine.h"

static const struct fair_engine wide = {fair_search_new, fair_search_free, fair_search_value,
                                        fair_search_moves};
const struct fair_engine *const fair_engine_wide = &wide;

#else

#include "engine/policy/fair_engine.h"

const struct fair_engine *const fair_engine_wide = NULL;

#endif
