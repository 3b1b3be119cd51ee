#include "engine/policy/cascade.h"

unsigned cascade_clear(struct board *b, struct cascade_reveals *ret_reveals)
{
    unsigned masks[7] = {0};
    unsigned cleared = 0;
    unsigned pop[7] = {0}; /* by elevation */
    for (unsigned c = 0; c < 7; c++) {
        for (unsigned k = 0; k < 7; k++) {
            masks[k] |= (unsigned)((b->col[c] >> (4 * k) & 15u) != 0) << c;
        }
    }
    for (unsigned c = 0; c < 7; c++) {
        unsigned h = board_height(b, c);
        for (unsigned k = 0; k < h; k++) {
            unsigned v = b->col[c] >> (4 * k) & 15u;
            unsigned after = (unsigned)__builtin_ctz(~(masks[k] >> c));
            unsigned before = (unsigned)__builtin_clz(~(masks[k] << (31 - c)));
            if (v <= 7 && (v == h || v == after + before - 1)) {
                pop[k] |= 1u << c;
                cleared++;
            }
        }
    }
    ret_reveals->count = 0;
    if (!cleared) {
        return 0;
    }
    struct board from = *b;
    for (unsigned k = 7; k-- > 0;) {
        for (unsigned c = 0; c < 7; c++) {
            unsigned v = from.col[c] >> (4 * k) & 15u;
            if (pop[k] >> c & 1u) {
                b->col[c] &= ~(15u << (4 * k));
            } else if (v >= 8) {
                unsigned hits = (k < 6 ? pop[k + 1] >> c & 1u : 0) +
                                (k > 0 ? pop[k - 1] >> c & 1u : 0) +
                                (c > 0 ? pop[k] >> (c - 1) & 1u : 0) + (pop[k] >> (c + 1) & 1u);
                if (hits >= 2 || (hits == 1 && v == 9)) {
                    ret_reveals->at[ret_reveals->count++] = (uint8_t)(7 * (6 - k) + c);
                } else if (hits == 1) {
                    b->col[c] |= 1u << (4 * k);
                }
            }
        }
    }
    return cleared;
}

void cascade_settle(struct board *b)
{
    for (unsigned c = 0; c < 7; c++) {
        uint32_t out = 0;
        unsigned at = 0;
        for (uint32_t w = b->col[c]; w; w >>= 4) {
            if (w & 15u) {
                out |= (w & 15u) << (4 * at++);
            }
        }
        b->col[c] = out;
    }
}
