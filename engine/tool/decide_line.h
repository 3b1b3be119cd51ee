/*
 * decide_line.h - one line of `drop7 decide`: BOARD NEXT RISE [LEVEL MOVES].
 *
 * Owns    nothing. Threads none.
 * Bounds  lines of up to DECIDE_LINE_MAX bytes.
 */
#ifndef ENGINE_TOOL_DECIDE_LINE_H
#define ENGINE_TOOL_DECIDE_LINE_H

#include "engine/policy/registry.h"

#define DECIDE_LINE_MAX 254

struct decide_line {
    struct extended_state state;
    bool extended; /* level and moves were given */
};

/* NULL, or what is wrong with the line, naming the field and its limit. */
const char *decide_line_parse(struct span line, struct decide_line *ret);

#endif
