/*
 * listen.h - serves D7P sessions over two descriptors, or over TCP to several clients at a time.
 *
 * Why     `drop7 policy` is this and a registry policy. Addresses come resolved: names are not this
 * folder's business (engine/harness/address.h has them).
 * Owns    struct listener owns its socket and its clients' threads; the factory is borrowed.
 * Threads one a client, each with a session of its own from the factory (whose two functions are
 * called on those threads). listener_run returns when all of them have ended.
 * Errors  D7_ERR_CONFLICT (port in use), FORBIDDEN, UNAVAILABLE (no such address here), NOMEM, IO.
 * Bounds  LISTEN_CLIENTS_MAX clients, one more is told so and closed; a client that does not take
 * its answers for LISTEN_SEND_MS is dropped; a vanished one is noticed by keepalive.
 */
#ifndef ENGINE_D7P_LISTEN_H
#define ENGINE_D7P_LISTEN_H

#include "engine/d7p/serve.h"

#define LISTEN_CLIENTS_MAX  64
#define LISTEN_SEND_MS      10000
#define LISTEN_ADDRESS_SIZE 96 /* "[address%scope]:port" and a NUL */

/* Makes a session a client. */
struct d7p_factory {
    /* Fills ret; the strings of its identity must live until end_session. */
    enum d7_err (*new_session)(void *ctx, struct d7p_session *ret);
    void (*end_session)(void *ctx, struct d7p_session *s);
    void *ctx;
};

/* Answers what comes from `in` on `out` (blocking descriptors) until quit, end of file, or `out` is
 * closed (all D7_OK). The process must ignore SIGPIPE, or ends by it as filters do. */
D7_MUST_USE enum d7_err d7p_serve(const struct d7p_factory *f, int in, int out);

struct listener;
/* Binds and listens at a resolved struct sockaddr; port 0 takes a free one. */
D7_MUST_USE enum d7_err listener_new(const void *address, size_t address_len, struct listener **ret,
                                     struct d7_why *why);
/* The actual "HOST:PORT" ("[HOST]:PORT" for IPv6); lives with the listener. */
const char *listener_address(const struct listener *l);
/* Serves until stop_fd becomes readable (-1: for ever), then hangs up on the clients and waits for
 * their threads. */
D7_MUST_USE enum d7_err listener_run(struct listener *l, const struct d7p_factory *f, int stop_fd);
void listener_free(struct listener *l);

#endif
