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

const int32_t wave_points[WAVE_POINTS_DEPTH + 1] = {
    0,      7,      39,     109,    224,    391,    617,    907,    1267,   1701,   2213,
    2809,   3491,   4265,   5133,   6099,   7168,   8341,   9622,   11014,  12521,  14146,
    15891,  17758,  19752,  21875,  24128,  26515,  29039,  31702,  34506,  37454,  40548,
    43790,  47184,  50730,  54432,  58291,  62309,  66490,  70835,  75345,  80024,  84872,
    89893,  95088,  100459, 106008, 111738, 117649, 123743, 130023, 136491, 143148, 149996,
    157038, 164273, 171705, 179336, 187166, 195198,
};
