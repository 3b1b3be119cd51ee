/*
 * talk.h - the exchanges of D7P from the harness's side: opening, barrier, question.
 *
 * Why     a game, the registration check and the determinism check are made of the same three
 * exchanges; what a failed one means is theirs to say.
 * Owns    nothing.
 * Threads one game, one thread.
 * Errors  enum d7_err is ours; the policy's part is in struct talk.
 */
#ifndef ENGINE_HARNESS_TALK_H
#define ENGINE_HARNESS_TALK_H

#include "engine/harness/peer_kind.h"
#include "engine/harness/play.h"

enum talk_step { TALK_START, TALK_HANDSHAKE, TALK_READY, TALK_QUESTION };

/* How far an exchange came. */
struct talk {
    enum talk_step step;
    enum peer_event event; /* PEER_DONE: it came to its end */
};

struct answer {
    enum d7p_move move;
    uint8_t column;
    int64_t think_us;           /* also when no answer came */
    char seen[FAULT_SEEN_SIZE]; /* the line, where it is no column */
};

/* Starts the peer, handshake, first barrier. */
D7_MUST_USE enum d7_err talk_open(struct peer *p, struct patience *w, struct identity *ret_who,
                                  struct talk *ret);
/* isready until readyok; everything before it is thrown away. */
D7_MUST_USE enum d7_err talk_barrier(struct peer *p, struct patience *w, struct talk *ret);
/* One question. ret_answer is filled on PEER_DONE; its think time always. */
D7_MUST_USE enum d7_err talk_ask(struct peer *p, struct patience *w, const struct position *at,
                                 struct answer *ret_answer, struct talk *ret);

#define TALK_WHY_SIZE 200
/* The failed exchange in our words (nothing of the policy's), before peer_stop. */
void talk_explain(struct peer *p, const struct talk *t, char ret_text[TALK_WHY_SIZE]);

#endif
