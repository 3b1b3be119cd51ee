/*
 * tool.h - the commands of the drop7 program. Each returns the exit status: 0 done, 1 failed, 2 bad
 * usage.
 */
#ifndef ENGINE_TOOL_TOOL_H
#define ENGINE_TOOL_TOOL_H

#include "engine/base/span.h"

/* Says so on stderr, lists the known ids, returns 2. */
int tool_unknown_policy(struct span id);

int cmd_policies(int argc, char **argv);
int cmd_policy(int argc, char **argv);
int cmd_decide(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_round(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_move(int argc, char **argv);
int cmd_speed(int argc, char **argv);
int cmd_submit(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_leaderboard(int argc, char **argv);

#endif
