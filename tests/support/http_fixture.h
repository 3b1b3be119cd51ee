/*
 * http_fixture.h - a daemon on a port of the kernel's choice with a few handlers of the tests' own.
 */
#ifndef TESTS_SUPPORT_HTTP_FIXTURE_H
#define TESTS_SUPPORT_HTTP_FIXTURE_H

#include "server/http/daemon.h"
#include "tests/support/support.h"

/* Tokens "user-token" and "admin-token". Routes:
 *   GET  /api/v1/small     {"a":1}, revalidated, fixed tag "small,tag"
 *   GET  /api/v1/big       40 KB of JSON, revalidated, tag from the bytes
 *   GET  /api/v1/huge      8 MB of text
 *   GET  /api/v1/things/{id}  its id; `missing` is 404, `broken` an error inside
 *   GET  /api/v1/slow      waits for http_fixture_go
 *   GET  /api/v1/mine      needs a token;   GET /api/v1/admin   needs an administrator's
 *   POST /api/v1/echo      JSON back;  POST /api/v1/rounds  its size;  PATCH, DELETE /api/v1/echo
 *   POST /api/v1/upload    JSON or form: what was seen of it, and the file's path
 *   GET  /api/v1/events    numbers 1.. as they are emitted, then `end`
 *   GET  /                 a page */
extern const struct route http_fixture_routes[];
extern const size_t http_fixture_route_count;

struct http_fixture {
    struct daemon_options options; /* change before http_fixture_start */
    struct http_daemon *daemon;
    unsigned port;
    char folder[256]; /* uploads */
};

void http_fixture_init(struct http_fixture *f);
void http_fixture_start(struct http_fixture *f);
void http_fixture_stop(struct http_fixture *f);
/* Files in the upload folder now. */
size_t http_fixture_uploads(const struct http_fixture *f);
/* The slow handler has begun (waits for it) / may go on. */
void http_fixture_wait_slow(void);
void http_fixture_go(void);
/* One more number for all event streams / their end. */
void http_fixture_emit(void);
void http_fixture_end(void);
/* Sources of event streams that are not released. */
unsigned http_fixture_sources(void);

#endif
