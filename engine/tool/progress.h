/*
 * progress.h - a run on stderr while it is played: a bar on a terminal, plain lines elsewhere.
 *
 * Owns    nothing.
 * Threads none.
 */
#ifndef ENGINE_TOOL_PROGRESS_H
#define ENGINE_TOOL_PROGRESS_H

#include "engine/base/json.h"

/* Where a run stands. */
struct run_view {
    char status[16];
    int64_t games, done, playing, moves;
    int64_t queue_position; /* 0: none */
};

struct progress {
    bool is_terminal;
    bool bar_shown;
    bool begun;
    struct run_view last; /* shown */
};

void progress_init(struct progress *p);
/* The run as an object of the API, or a `progress` event; members that are not there stay as they
 * were. */
void run_view_read(struct run_view *v, const struct jval *run);
bool run_view_over(const struct run_view *v);

void progress_show(struct progress *p, const struct run_view *now);
/* The `number`-th finished game of the run, which stands like that now. */
void progress_game(struct progress *p, const struct jval *game, int64_t number,
                   const struct run_view *now);
/* A line between, such as a lost connection. */
void progress_note(struct progress *p, const char *text);
/* Takes the bar away. */
void progress_end(struct progress *p);

#endif
