/* A correct player (the first legal column) but for one rule of the protocol, named by the
 * argument. For `drop7 check`, which must find just that rule. */
#include <unistd.h>

#include "player.h"

static const char *fault = "";

static int has(const char *name)
{
    return strcmp(fault, name) == 0;
}

static const char *ids(void)
{
    static int hellos;
    static char text[64];
    snprintf(text, sizeof(text), "id name Hello %d\n",
             has("restart")           ? (int)getpid()
             : has("handshake-again") ? ++hellos
                                      : 1);
    return has("bad-id")      ? "id public-information maybe\n"
           : has("two-names") ? "id name A\nid name B\n"
                              : text;
}

/* Takes a bad position for a good one, where that is its fault. */
static void mend(char *line)
{
    char *at = NULL;
    if (has("bad-rise") && (at = strstr(line, "rise 6"))) {
        at[5] = '5';
    } else if (has("bad-next") && (at = strstr(line, "next 0"))) {
        at[5] = '1';
    } else if (has("bad-rise-0") && (at = strstr(line, "rise 0"))) {
        at[5] = '5';
    } else if (has("bad-next-8") && (at = strstr(line, "next 8"))) {
        at[5] = '1';
    } else if (has("bad-board") && (at = strstr(line, "8808888 next"))) {
        at[2] = '8';
    } else if (has("bad-length") && (at = strstr(line, " next")) && at - line == 65) {
        memmove(at - 1, at, strlen(at) + 1);
    }
}

/* Whether the line is one this player gets wrong; what it does then is done here. */
static int stumbles(char *line)
{
    static int has_pending;
    size_t len = strlen(line);
    mend(line);
    if (has("crlf") && len > 1 && line[len - 2] == '\r') {
        return 1; /* not understood */
    }
    if ((has("unknown") && line[0] == 'f') || (has("blank-lines") && line[0] == '\n') ||
        (has("late-stop") && strncmp(line, "stop", 4) == 0)) {
        player_move(0);
        return 1;
    }
    if ((has("unknown-utf8") && len > 2 && (unsigned char)line[2] >= 0x80) ||
        (has("long-line") && len > 1000)) {
        fputs("cannot read that\n", stderr);
        _exit(1);
    }
    if ((has("unknown-between") && line[0] == 'f') ||
        (has("ready-between") && has_pending && strncmp(line, "isready", 7) == 0)) {
        strcpy(player_board, "x"); /* the position is forgotten */
    }
    if (has("blanks") && (strchr(line, '\t') || strstr(line, "  "))) {
        return 1;
    }
    int is_position = strstr(line, "position") != NULL;
    if (has("last-position") && is_position && has_pending) {
        return 1;
    }
    has_pending = is_position || (has_pending && !strstr(line, "go"));
    return 0;
}

/* Its fault, where the question asks for it. */
static int answers_wrongly(const char *question)
{
    static int asked;
    static int said_none;
    int is_full = player_legal(0) < 0;
    int kinds = 0;
    for (char d = '0'; d <= '9'; d++) {
        kinds += strchr(player_board, d) != NULL;
    }
    int is_early = ++asked < 40; /* games come later */
    if (is_early &&
        ((has("board") && strstr(question, "board")) || (has("digits") && kinds == 10) ||
         (has("next") && strstr(question, "08888888 next 7 rise 5")) ||
         (has("rise") && strstr(question, "08888888 next 4 rise 1")) ||
         (has("empty-board") && strspn(player_board, "0") == 49) ||
         (has("several-full") && strncmp(player_board, "9080809", 7) == 0) ||
         (has("only-legal") && strncmp(player_board, "90898", 5) == 0))) {
        puts("bestmove 0x0");
        return 1;
    }
    if (is_full && (has("none") || (has("none-numbers") && strchr(player_board, '1')))) {
        puts("bestmove 0");
        return 1;
    }
    if (has("after-none") && said_none && !is_full) {
        puts("bestmove none");
        return 1;
    }
    said_none = is_full;
    return 0;
}

/* Reads as it should, or takes what one read gave for whole lines, or for one line. */
static int next_line(char *line, int size)
{
    static char chunk[8192];
    static char *rest = chunk;
    if (!has("chunk") && !has("split")) {
        return fgets(line, size, stdin) != NULL;
    }
    if (*rest == '\0' || has("chunk")) {
        ssize_t got = read(0, chunk, sizeof(chunk) - 1);
        if (got <= 0) {
            return 0;
        }
        chunk[got] = '\0';
        rest = chunk;
    }
    size_t len = strcspn(rest, "\n");
    len += rest[len] == '\n';
    memcpy(line, rest, len);
    line[len] = '\0';
    rest += len;
    return 1;
}

int main(int argc, char **argv)
{
    char line[8192];
    char question[8192] = "";
    fault = argc > 1 ? argv[1] : "";
    while (next_line(line, sizeof(line))) {
        if (stumbles(line)) {
            fflush(stdout);
            continue;
        }
        if (strstr(line, "position")) {
            strcpy(question, line);
        }
        enum said said = player_line(line, ids());
        if (said == SAID_GO && !answers_wrongly(question)) {
            player_move(0);
        } else if (said == SAID_QUIT && !has("quit")) {
            fputs(has("quit-quiet") ? "bestmove 3\n" : "", stdout);
            return 0;
        }
        if (!has("flush")) {
            fflush(stdout);
        }
    }
    while (has("end-of-input")) {
        pause();
    }
    return 0;
}
