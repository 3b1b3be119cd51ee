#include "engine/policy/play.h"

bool play_waves(struct play *p, struct cells hit)
{
    struct cells x = p->cells;
    while (cells_any(hit)) {
        struct cells cracked;
        uint32_t count = cells_count(hit);
        p->turn.waves++;
        p->turn.cleared += count;
        p->turn.points += count * turn_wave_points(p->turn.waves);
        wave_hits(x, hit, &cracked, &p->wave.revealed);
        p->turn.cracks += cells_count(cracked);
        x.a += cracked.a; /* solid is 8, cracked 9 */
        x.b += cracked.b;
        if (cells_any(p->wave.revealed)) {
            p->turn.revealed += cells_count(p->wave.revealed);
            p->wave.reveals = cells_rows(p->wave.revealed);
            p->wave.gone = hit;
            p->cells = x;
            return true;
        }
        wave_settle(&x, NULL, hit);
        hit = wave_matches(x);
    }
    if (!cells_any(x)) {
        p->turn.points += TURN_CLEAR_BONUS;
    }
    return play_rest(p, cells_unfold(x));
}

bool play_rise(struct play *p, struct flat f)
{
    if (flat_tops(f)) {
        p->turn.over = true; /* no room; the board will not be looked at */
        return false;
    }
    f.lo = f.lo << 4 | CELL_SOLID;
    f.hi = f.hi << 4 | (lanes){CELL_SOLID, CELL_SOLID, CELL_SOLID, 0};
    p->turn.rose = true;
    p->turn.points += TURN_RISE_BONUS;
    p->after.rise = TURN_RISE_EVERY;
    struct flat hit = wave_rise_matches(f);
    if (!flat_any(hit)) {
        return play_rest(p, f);
    }
    p->cells = cells_fold(f);
    return play_waves(p, cells_fold(hit));
}
