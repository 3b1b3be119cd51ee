#include "engine/rules/wave.h"

/* Ones from bit 0 upwards, and from bit 6 downwards. */
#define UP(x)                                                                                      \
    ((x)&1 ? (x)&2 ? (x)&4 ? (x)&8 ? (x)&16 ? (x)&32 ? (x)&64 ? 7 : 6 : 5 : 4 : 3 : 2 : 1 : 0)
#define DOWN(x)                                                                                    \
    ((x)&64 ? (x)&32 ? (x)&16 ? (x)&8 ? (x)&4 ? (x)&2 ? (x)&1 ? 7 : 6 : 5 : 4 : 3 : 2 : 1 : 0)
#define RUN(m, c) ((m) >> (c)&1 ? UP((m) >> (c)) + DOWN((m) << (6 - (c))) - 1 : 15)
#define ROW(m)                                                                                     \
    {                                                                                              \
        RUN(m, 0), RUN(m, 1), RUN(m, 2), RUN(m, 3), RUN(m, 4), RUN(m, 5), RUN(m, 6), 15            \
    }
#define ROWS4(m)  ROW(m), ROW((m) + 1), ROW((m) + 2), ROW((m) + 3)
#define ROWS16(m) ROWS4(m), ROWS4((m) + 4), ROWS4((m) + 8), ROWS4((m) + 12)

const uint32_t wave_runs[128][8] = {ROWS16(0),  ROWS16(16), ROWS16(32), ROWS16(48),
                                    ROWS16(64), ROWS16(80), ROWS16(96), ROWS16(112)};
