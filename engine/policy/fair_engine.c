#include "engine/policy/fair_engine.h"

static const struct fair_engine plain = {fair_search_new, fair_search_free, fair_search_value,
                                         fair_search_moves};

/* What the makefile lets the compiler use in fair_wide.c. */
static bool can_run_wide(void)
{
#ifdef __x86_64__
    return fair_engine_wide && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

const struct fair_engine *fair_engine_at(unsigned rank)
{
    const struct fair_engine *engine[3] = {&plain, NULL, NULL};
    if (can_run_wide()) {
        engine[0] = fair_engine_wide;
        engine[1] = &plain;
    }
    return rank < 2 ? engine[rank] : NULL;
}
