/*
 * headers.h - reading the values of request headers: pure, strict, bounded.
 *
 * Why     each of these is a small grammar that has been got wrong somewhere; here they are tested
 * without sockets.
 * Owns    nothing; results point into what was given. Threads none.
 */
#ifndef SERVER_HTTP_HEADERS_H
#define SERVER_HTTP_HEADERS_H

#include "server/cidr.h"

#define BEARER_MAX 256

/* "Bearer TOKEN" (scheme in any case, one or more blanks, RFC 6750 characters); else
 * D7_ERR_UNAUTHORIZED. */
D7_MUST_USE enum d7_err bearer_parse(struct span header, struct span *ret_token);

/* Digits only; D7_ERR_INVALID, and D7_ERR_TOO_LARGE for more than 18 of them. */
D7_MUST_USE enum d7_err content_length_parse(struct span header, int64_t *ret);

/* Host: a name, an IPv4 address or one of IPv6 in brackets, then perhaps a port (RFC 9110, 7.2);
 * empty is one too. */
bool host_is_sound(struct span header);

/* Is the media type (without parameters, any case) this one? */
bool media_is(struct span content_type, const char *want);
/* A parameter by name, without quotes; false when absent. */
bool media_parameter(struct span content_type, const char *name, struct span *ret);

/* Accept-Encoding: is gzip welcome (q > 0, by name or by *)? */
bool accepts_gzip(struct span header);

/* If-None-Match, If-Match: does a list, `*`, or a W/ form name this strong tag (quotes included)? A
 * malformed list matches up to its first fault. */
bool etag_listed(struct span header, const char *etag);

/* 1 to 32 characters of letters, digits, - _ . : fit to be echoed and logged. */
bool request_id_is_sane(struct span id);

/* The client behind a connection: the rightmost address of X-Forwarded-For that is no trusted
 * proxy, when the peer is one; else the peer itself. Stops at the first malformed entry. */
struct ip_address client_of(const struct ip_address *peer, struct span forwarded,
                            const struct cidr *trusted, size_t trusted_count);

#endif
