#include "engine/rules/wave.h"

/* How many ones x has from bit 0 upwards, and from bit 6 downwards. */
#define UP(x)     (~(x)&1u ? 0u : ~(x)&2u ? 1u : ~(x)&4u ? 2u : UP4(x))
#define UP4(x)    (~(x)&8u ? 3u : ~(x)&16u ? 4u : ~(x)&32u ? 5u : ~(x)&64u ? 6u : 7u)
#define DOWN(x)   (~(x)&64u ? 0u : ~(x)&32u ? 1u : ~(x)&16u ? 2u : DOWN4(x))
#define DOWN4(x)  (~(x)&8u ? 3u : ~(x)&4u ? 4u : ~(x)&2u ? 5u : ~(x)&1u ? 6u : 7u)
#define RUN(m, c) ((m) >> (c)&1u ? UP((m) >> (c)) + DOWN((m) << (6 - (c))) - 1u : 15u)
#define ROW(m)                                                                                     \
    {                                                                                              \
        RUN(m, 0), RUN(m, 1), RUN(m, 2), RUN(m, 3), RUN(m, 4), RUN(m, 5), RUN(m, 6), 15u           \
    }
#define ROWS4(m)  ROW(m), ROW((m) + 1u), ROW((m) + 2u), ROW((m) + 3u)
#define ROWS16(m) ROWS4(m), ROWS4((m) + 4u), ROWS4((m) + 8u), ROWS4((m) + 12u)

const uint32_t wave_runs[128][8] = {ROWS16(0u),  ROWS16(16u), ROWS16(32u), ROWS16(48u),
                                    ROWS16(64u), ROWS16(80u), ROWS16(96u), ROWS16(112u)};
