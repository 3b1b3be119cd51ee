/*
 * scene.h - what the store does for its callers, step by step, each as one function: for tests that
 * make each step fail in every place where it can.
 *
 * Owns    the caller closes `st`.
 */
#ifndef TESTS_SUPPORT_SCENE_H
#define TESTS_SUPPORT_SCENE_H

#include "tests/support/stores.h"

struct scene {
    struct store *st;
    int64_t owner;
    unsigned number;
    struct job job;
};

/* A store of that name in the scratch folder with one account and the suite `one` of one round. */
void scene_set(struct scene *s, const char *name);

/* Each is about the policy or play of s->number. */
enum d7_err scene_submit(struct scene *s);
enum d7_err scene_claim(struct scene *s);
enum d7_err scene_pass(struct scene *s);
enum d7_err scene_finish(struct scene *s);
enum d7_err scene_revise(struct scene *s);
enum d7_err scene_suspend(struct scene *s);
enum d7_err scene_cancel(struct scene *s);
enum d7_err scene_retire(struct scene *s);
enum d7_err scene_sit_down(struct scene *s);
enum d7_err scene_move(struct scene *s);
enum d7_err scene_hand_in(struct scene *s);
enum d7_err scene_list(struct scene *s);
enum d7_err scene_board(struct scene *s);

#endif
