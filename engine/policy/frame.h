/*
 * frame.h - how risk-d2 and open-loop-beam look at a root: on its canonical board, mirror-equal
 * columns of a symmetric one as the same column.
 *
 * Source  ../shared/spec/policies.md, section 9, "Root order" and "Root action frame".
 * Threads none: plain values, header only.
 */
#ifndef ENGINE_POLICY_FRAME_H
#define ENGINE_POLICY_FRAME_H

#include "engine/policy/columns.h"
#include "engine/policy/mirror.h"

struct frame {
    struct extended_state canonical; /* level 1, moves 0, whatever the game's are */
    unsigned legal;                  /* real columns */
    bool reversed;
    bool symmetric;
};

static inline struct frame frame_of(const struct position *root)
{
    struct frame f = {.canonical = {.position = *root, .level = 1},
                      .legal = board_legal(&root->board),
                      .symmetric = mirror_is_symmetric(&root->board)};
    f.reversed = mirror_canonicalise(&f.canonical.position.board);
    return f;
}

/* The canonical board's column for a real one. */
static inline unsigned frame_column(const struct frame *f, unsigned column)
{
    return f->reversed || (f->symmetric && column > 3) ? 6 - column : column;
}

#endif
