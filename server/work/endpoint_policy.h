/*
 * endpoint_policy.h - which addresses a registered endpoint may have.
 *
 * Why     a server that connects to whatever it is told is a port scanner, and a way around the
 * firewall it stands behind. Literals are judged at registration, every resolved address again
 * before each connection.
 * Source  ../shared/spec/design.md, "Untrusted policies".
 * Threads safe: pure.
 * Errors  D7_ERR_FORBIDDEN with the reason in why.
 */
#ifndef SERVER_WORK_ENDPOINT_POLICY_H
#define SERVER_WORK_ENDPOINT_POLICY_H

#include <sys/socket.h>

#include "engine/harness/address.h"
#include "server/config.h"

/* May the server connect there? Addresses that carry an IPv4 address inside (mapped, NAT64, 6to4,
 * Teredo) are judged by that one too. --allow-endpoint overrides the refusals. Families other than
 * IPv4 and IPv6 are refused. */
bool endpoint_allowed(const struct sockaddr *address, const struct config *config);

/* The same of what a registration says: a name passes (it is resolved later, by a worker). */
D7_MUST_USE enum d7_err endpoint_literal_allowed(const struct host_port *at,
                                                 const struct config *config, struct d7_why *why);

#endif
