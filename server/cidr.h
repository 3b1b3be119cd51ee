/*
 * cidr.h - address ranges: for the endpoint policy, trusted proxies, and counting by address.
 *
 * Why     IPv4 may arrive as itself or mapped into IPv6 (::ffff:a.b.c.d); both forms, of ranges and
 * of addresses, are brought to plain IPv4 first, so they always compare equal.
 * Errors  D7_ERR_INVALID. Threads none: plain values.
 */
#ifndef SERVER_CIDR_H
#define SERVER_CIDR_H

#include "engine/base/span.h"

struct sockaddr;

struct cidr {
    bool v6;
    uint8_t bytes[16]; /* the first 4 for IPv4; bits past the prefix are zero */
    unsigned bits;
};

/* One address: 4 bytes used when !v6. */
struct ip_address {
    bool v6;
    uint8_t bytes[16];
};

#define IP_TEXT_SIZE 46

/* "10.0.0.0/8", "fc00::/7", or a single address without a slash. Bits set past the prefix are
 * refused: they are a typing error more often than not. */
D7_MUST_USE enum d7_err cidr_parse(struct span text, struct cidr *ret);
bool cidr_contains(const struct cidr *range, const struct ip_address *address);
bool cidr_any_contains(const struct cidr *ranges, size_t count, const struct ip_address *address);

/* A literal without brackets, port or zone. */
D7_MUST_USE enum d7_err ip_parse(struct span text, struct ip_address *ret);
/* D7_ERR_INVALID for other families. */
D7_MUST_USE enum d7_err ip_of_sockaddr(const struct sockaddr *from, struct ip_address *ret);
void ip_format(const struct ip_address *address, char ret_text[IP_TEXT_SIZE]);
bool ip_is_loopback(const struct ip_address *address);

#endif
