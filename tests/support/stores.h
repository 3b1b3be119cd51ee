/*
 * stores.h - a store with people, policies and finished games in it, for tests.
 */
#ifndef TESTS_SUPPORT_STORES_H
#define TESTS_SUPPORT_STORES_H

#include "store/game.h"
#include "store/job.h"

/* All workers' skills. */
extern const struct job_skills stores_all_skills;

/* The path of a name in one scratch folder a process (and the children it forks later); static, one
 * of a few buffers used in turn. */
const char *stores_path(const char *name);
/* A store in the folder stores_path(NAME); fails the test with the reason. */
struct store *stores_open(const char *name, enum store_mode mode);
/* An account of that name; its id. */
int64_t stores_account(struct store *st, const char *name);
/* An uploaded policy of that owner with a run on the suite (NULL: none). */
enum d7_err stores_upload(struct store *st, const char *id, int64_t owner, const char *suite,
                          char ret_run_id[STORE_KEY_SIZE]);
enum d7_err stores_builtin(struct store *st, const char *id, const char *suite,
                           char ret_run_id[STORE_KEY_SIZE]);
/* Claims whatever comes first under a fresh lease. */
enum d7_err stores_claim(struct store *st, struct job *ret);
/* Records a small game of that outcome and score. */
enum d7_err stores_finish(struct store *st, const struct job *job, enum outcome outcome,
                          int64_t score, char ret_game_id[STORE_KEY_SIZE]);
/* Passes a check. */
enum d7_err stores_pass(struct store *st, const struct job *job);
/* Claims and finishes until there is nothing to do; the number of games played. */
size_t stores_drain(struct store *st, enum outcome outcome);
/* A first column of a statement given as text, as an integer: for looking behind the functions. */
int64_t stores_number(struct store *st, const char *sql);
/* Runs a statement given as text: the number of rows it changed, or -1 when the store refused. */
int stores_change(struct store *st, const char *sql);
/* What must hold whatever happened: a job has at most one game and a finished one exactly one,
 * finished runs have no open jobs and open runs have some, one game a revision and round counts,
 * and SQLite finds no damage. */
void stores_assert_consistent(struct store *st);

#endif
