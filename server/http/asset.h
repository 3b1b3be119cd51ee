/*
 * asset.h - the pages inside the program: files of static/, found by name, with ETag and gzip made
 * once at start.
 *
 * Source  server/embed.sh lays them out. With a folder given (--static DIR, for people who change
 * the pages) files are read from there on each request instead, but for what the build makes
 * (engine.wasm, d3.js, decisions.json). Threads read-only after asset_init.
 */
#ifndef SERVER_HTTP_ASSET_H
#define SERVER_HTTP_ASSET_H

#include "server/http/message.h"

#define ASSET_VERSION_SIZE 17 /* 16 hex digits and a NUL */

D7_MUST_USE enum d7_err asset_init(const char *folder /* NULL: the embedded ones */);
void asset_release(void);
/* Serves e.g. "leaderboard.html" or "js/board.js" with its content type, CSP and cache rule;
 * D7_ERR_NOT_FOUND. */
D7_MUST_USE enum d7_err asset_reply(struct span name, struct reply *reply);
/* Is that the version of the pages inside the program? Pages then refer to /assets/VERSION/NAME,
 * and what is asked for there may be kept for good. Never true with a folder. */
bool asset_is_current(struct span version);

#endif
