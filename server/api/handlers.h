/*
 * handlers.h - the handlers of server/api, one file a noun; routes.c has their table.
 *
 * Use     enum d7_err api_x(struct api *, const struct request *, struct reply *): decode, check,
 * call the store, encode. An error becomes problem+json in the HTTP layer.
 */
#ifndef SERVER_API_HANDLERS_H
#define SERVER_API_HANDLERS_H

#include "server/api/api.h"

#define API_HANDLER(name)                                                                          \
    D7_MUST_USE enum d7_err name(struct api *api, const struct request *req, struct reply *reply)

/* policies.c, register.c */
API_HANDLER(api_policy_list);
API_HANDLER(api_policy_get);
API_HANDLER(api_policy_replay);
API_HANDLER(api_policy_register);
/* policy_change.c */
API_HANDLER(api_policy_patch);
API_HANDLER(api_policy_retire);
/* revisions.c */
API_HANDLER(api_revision_add);
API_HANDLER(api_revision_list);
API_HANDLER(api_revision_get);
API_HANDLER(api_revision_log);
/* runs.c */
API_HANDLER(api_run_add);
API_HANDLER(api_run_list);
API_HANDLER(api_run_get);
API_HANDLER(api_run_cancel);
/* events.c */
API_HANDLER(api_run_events);
/* rounds.c, rounds_add.c */
API_HANDLER(api_suite_add);
API_HANDLER(api_round_add);
API_HANDLER(api_suite_list);
API_HANDLER(api_suite_get);
API_HANDLER(api_round_list);
API_HANDLER(api_round_get);
/* games.c */
API_HANDLER(api_game_list);
API_HANDLER(api_game_get);
API_HANDLER(api_game_replay);
API_HANDLER(api_game_log);
/* plays.c, play_moves.c */
API_HANDLER(api_play_add);
API_HANDLER(api_play_get);
API_HANDLER(api_play_move);
API_HANDLER(api_play_submit);
/* leaderboard.c */
API_HANDLER(api_leaderboard);
/* compare.c */
API_HANDLER(api_compare);
/* tokens.c */
API_HANDLER(api_me);
API_HANDLER(api_token_add);
API_HANDLER(api_token_end);
/* meta.c */
API_HANDLER(api_health);
API_HANDLER(api_ready);
API_HANDLER(api_openapi);
/* metrics.c */
API_HANDLER(api_metrics);
/* pages.c */
API_HANDLER(page_leaderboard);
API_HANDLER(page_docs);
API_HANDLER(page_play);
API_HANDLER(page_game);
API_HANDLER(page_policy);
API_HANDLER(page_run);
API_HANDLER(page_compare);
API_HANDLER(page_submit);
API_HANDLER(page_rules);
API_HANDLER(page_static);
API_HANDLER(page_static_js);
API_HANDLER(page_asset);
API_HANDLER(page_asset_js);

#endif
