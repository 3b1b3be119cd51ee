/*
 * proto.h - the lines of D7P, both sides: a pure parser and writer.
 *
 * Source  ../shared/spec/d7p.md. Tokens are separated by blanks; a CR before LF is ignored; lines
 * come without their LF. Threads none. Owns nothing: spans in results point into the line.
 */
#ifndef ENGINE_D7P_PROTO_H
#define ENGINE_D7P_PROTO_H

#include "engine/base/buf.h"
#include "engine/rules/board.h"

#define D7P_LINE_MAX 4096

/* What a harness says; read by a policy. */
enum d7p_command { D7P_BLANK, D7P_HELLO, D7P_ISREADY, D7P_POSITION, D7P_GO, D7P_QUIT, D7P_UNKNOWN };

struct d7p_request {
    enum d7p_command command;
    struct span word;         /* D7P_UNKNOWN: the first token */
    bool position_ok;         /* D7P_POSITION: `position` is valid */
    struct position position; /* a legal board, next 1-7, rise 1-5 */
    char problem[160];        /* D7P_POSITION and not ok: what is wrong, naming field and limit */
};

void d7p_parse_request(struct span line, struct d7p_request *ret);

/* What a policy says; read by a harness. */
enum d7p_answer {
    D7P_OTHER, /* blank, info, anything not understood: ignored */
    D7P_ID_NAME,
    D7P_ID_FAMILY,
    D7P_ID_PUBLIC,
    D7P_OK,
    D7P_READY,
    D7P_BESTMOVE
};
enum d7p_move { D7P_MOVE_COLUMN, D7P_MOVE_NONE, D7P_MOVE_MALFORMED };

struct d7p_reply {
    enum d7p_answer answer;
    struct span text;   /* id name, id family: the trimmed rest of the line */
    bool flag;          /* id public-information */
    enum d7p_move move; /* bestmove */
    uint8_t column;     /* D7P_MOVE_COLUMN: 0-6 */
};

void d7p_parse_reply(struct span line, struct d7p_reply *ret);

/* "position board B next N rise R\ngo\n", the one write of a move; returns its length. */
#define D7P_QUESTION_SIZE 96
size_t d7p_write_question(const struct position *at, char ret_text[D7P_QUESTION_SIZE]);

#endif
