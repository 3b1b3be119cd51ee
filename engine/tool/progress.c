#include "engine/tool/progress.h"

#include <inttypes.h>
#include <sys/ioctl.h>

#include "engine/tool/remote.h"

#define BAR_MAX   40
#define TEXT_SIZE 160

void progress_init(struct progress *p)
{
    const char *term = getenv("TERM");
    *p = (struct progress){.is_terminal =
                               isatty(STDERR_FILENO) == 1 && !(term && strcmp(term, "dumb") == 0)};
}

void run_view_read(struct run_view *v, const struct jval *run)
{
    struct span status;
    /* an event has the numbers beside the status, a run in an object of their own */
    const struct jval *inner = jval_get(run, "progress");
    const struct jval *numbers = inner ? inner : run;
    if (jval_text(jval_get(run, "status"), &status)) {
        (void)!span_copy(status, v->status, sizeof(v->status)); /* ours are short */
    }
    v->games = remote_int(numbers, "games", v->games);
    v->done = remote_int(numbers, "done", v->done);
    v->playing = remote_int(numbers, "playing", v->playing);
    v->moves = remote_int(numbers, "moves", v->moves);
    v->queue_position = remote_int(run, "queuePosition", 0);
}

bool run_view_over(const struct run_view *v)
{
    return v->status[0] && strcmp(v->status, "queued") != 0 && strcmp(v->status, "playing") != 0;
}

static void clear_bar(struct progress *p)
{
    if (p->bar_shown) {
        (void)fputs("\r\033[K", stderr);
        p->bar_shown = false;
    }
}

static void draw_bar(struct progress *p)
{
    const struct run_view *v = &p->last;
    struct winsize size = {0};
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
    char text[TEXT_SIZE];
    int used = 0;
    if (v->queue_position > 0) {
        used = snprintf(text, sizeof(text), "%s, %" PRId64 " in the queue", v->status,
                        v->queue_position);
    } else {
        used =
            snprintf(text, sizeof(text), "%s, %" PRId64 " of %" PRId64 " games, %" PRId64 " moves",
                     v->status, v->done, v->games, v->moves);
    }
    int room = width - used - 4; /* brackets, a blank, and the last column that would wrap */
    int bar = room > BAR_MAX ? BAR_MAX : room;
    int full = v->games > 0 && v->done <= v->games && bar > 0
                   ? (int)((double)bar * (double)v->done / (double)v->games)
                   : 0;
    (void)fputs("\r\033[K", stderr);
    if (bar > 0) {
        (void)fputc('[', stderr);
        for (int i = 0; i < bar; i++) {
            (void)fputc(i < full ? '#' : '-', stderr);
        }
        (void)fputs("] ", stderr);
    }
    (void)fprintf(stderr, "%.*s", width > 1 ? width - 1 : 1, text);
    (void)fflush(stderr);
    p->bar_shown = true;
}

static void plain_line(const struct run_view *v)
{
    if (v->queue_position > 0) {
        (void)fprintf(stderr, "%s, %" PRId64 " in the queue\n", v->status, v->queue_position);
    } else {
        (void)fprintf(stderr, "%s, %" PRId64 " of %" PRId64 " games\n", v->status, v->done,
                      v->games);
    }
}

void progress_show(struct progress *p, const struct run_view *now)
{
    /* moves are news for a bar; as lines they would fill a log */
    bool news = !p->begun || strcmp(p->last.status, now->status) != 0 ||
                p->last.queue_position != now->queue_position;
    p->last = *now;
    p->begun = true;
    if (p->is_terminal) {
        draw_bar(p);
    } else if (news) {
        plain_line(now);
    }
}

void progress_game(struct progress *p, const struct jval *game, int64_t number,
                   const struct run_view *now)
{
    char round[REMOTE_TEXT_SIZE];
    char outcome[REMOTE_TEXT_SIZE];
    int64_t illegal = remote_int(game, "illegalMoves", 0);
    int64_t late = remote_int(game, "timeouts", 0);
    int64_t crashes = remote_int(game, "crashes", 0);
    clear_bar(p);
    (void)fprintf(
        stderr, "[%" PRId64 "/%" PRId64 "] %-14s %9" PRId64 " points %5" PRId64 " moves  %s",
        number, now->games, remote_text(game, "roundId", round), remote_int(game, "score", 0),
        remote_int(game, "moves", 0), remote_text(game, "outcome", outcome));
    if (illegal || late || crashes) {
        (void)fprintf(stderr, "  illegal %" PRId64 ", timeouts %" PRId64 ", crashes %" PRId64,
                      illegal, late, crashes);
    }
    (void)fputc('\n', stderr);
    if (p->is_terminal) { /* as lines, a new status is still to be told */
        p->last = *now;
        p->begun = true;
        draw_bar(p);
    }
}

void progress_note(struct progress *p, const char *text)
{
    clear_bar(p);
    (void)fprintf(stderr, "%s\n", text);
}

void progress_end(struct progress *p)
{
    clear_bar(p);
    (void)fflush(stderr);
}
