/*
 * address.h - "HOST:PORT" and "tcp://HOST:PORT": syntax, resolving, printing.
 *
 * Why     syntax is judged where an endpoint is registered, names are resolved where it is
 * connected to, and exactly the address that was looked at is connected to. Which addresses are
 * allowed is the server's business, not this file's.
 * Owns    nothing: plain values.
 * Threads safe; address_resolve blocks as long as the system's resolver does.
 * Errors  D7_ERR_INVALID with a sentence naming the limit; D7_ERR_NOT_FOUND (no such name),
 * D7_ERR_UNAVAILABLE (resolver failed), NOMEM, IO.
 * Bounds  ADDRESS_MAX addresses of a name, the first ones in the resolver's order.
 */
#ifndef ENGINE_HARNESS_ADDRESS_H
#define ENGINE_HARNESS_ADDRESS_H

#include <sys/socket.h>

#include "engine/base/span.h"

#define ADDRESS_MAX       16
#define ADDRESS_HOST_SIZE 254 /* a DNS name of 253 and a NUL */
#define ADDRESS_TEXT_SIZE 96  /* "[address%scope]:port" and a NUL */

/* What was written: a name, an IPv4 literal or (in brackets) an IPv6 literal, and a port. */
struct host_port {
    char host[ADDRESS_HOST_SIZE]; /* without brackets */
    uint16_t port;
    bool is_literal; /* an address, not a name */
};

struct address {
    struct sockaddr_storage at;
    socklen_t len;
};

struct address_list {
    struct address items[ADDRESS_MAX];
    size_t count; /* at least 1 */
};

/* lowest_port: 0 where "any free port" makes sense (listening), 1 elsewhere. */
D7_MUST_USE enum d7_err host_port_parse(struct span text, uint16_t lowest_port,
                                        struct host_port *ret, struct d7_why *why);
/* The same after "tcp://", and nothing behind the port. */
D7_MUST_USE enum d7_err host_port_parse_endpoint(struct span text, struct host_port *ret,
                                                 struct d7_why *why);
D7_MUST_USE enum d7_err address_resolve(const struct host_port *from, struct address_list *ret,
                                        struct d7_why *why);
/* "192.0.2.1:80", "[2001:db8::1]:80". */
void address_format(const struct address *a, char ret_text[ADDRESS_TEXT_SIZE]);

#endif
