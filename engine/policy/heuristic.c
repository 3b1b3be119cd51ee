#include "engine/policy/heuristic.h"

double heuristic_weigh(const struct features *f)
{
    /* one addition a line, in the order of the published table: it decides the last bit */
    double v = 0.0;
    v += f->open_columns * 180.0;
    v += f->height_load * -10.0;
    v += f->solid_cells * -620.0;
    v += f->cracked_cells * -220.0;
    v += f->numbered_cells * -18.0;
    v += f->high_low * -90.0;
    v += f->direct_potential * 140.0;
    v += f->latent_chain * 360.0;
    v += f->cracked_exposure * 100.0;
    v += f->solid_exposure * 40.0;
    v += f->adjacent_ones * -550.0;
    v += f->triple_twos * -750.0;
    v += f->dead_low * -120.0;
    return v;
}

double heuristic_value(const struct board *b)
{
    struct features f;
    features_read(b, &f);
    return heuristic_weigh(&f);
}
