#include "engine/policy/fair_engine.h"

#include "engine/base/cpu.h"

static const struct fair_engine plain = {fair_search_new, fair_search_free, fair_search_value,
                                         fair_search_moves};

const struct fair_engine *fair_engine_at(unsigned rank)
{
    const struct fair_engine *engine[3] = {&plain, NULL, NULL};
    if (fair_engine_wide && cpu_is_wide()) {
        engine[0] = fair_engine_wide;
        engine[1] = &plain;
    }
    return rank < 2 ? engine[rank] : NULL;
}
