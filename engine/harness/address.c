#include "engine/harness/address.h"

#include <arpa/inet.h>
#include <netdb.h>

#define FIELD "endpoint"

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Labels of 1-63 letters, digits, '-' and '_', no '-' at either end of one. */
static bool is_name(struct span host)
{
    if (host.len == 0 || host.len >= ADDRESS_HOST_SIZE) {
        return false;
    }
    size_t label = 0;
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        bool last = i + 1 == host.len || host.ptr[i + 1] == '.';
        if (c == '.') {
            if (label == 0 || i + 1 == host.len) {
                return false;
            }
            label = 0;
            continue;
        }
        bool hyphen = c == '-';
        if ((!is_alnum(c) && !hyphen && c != '_') || (hyphen && (label == 0 || last)) ||
            ++label > 63) {
            return false;
        }
    }
    return true;
}

/* Resolvers read "127.1", "0x7f.1" and "2130706433" as IPv4 addresses; a name never ends so. */
static bool ends_in_number(struct span host)
{
    struct span last = host;
    struct span rest = host;
    while (rest.len) {
        last = span_cut(&rest, '.');
    }
    return last.len > 0 && last.ptr[0] >= '0' && last.ptr[0] <= '9';
}

static enum d7_err parse_host(struct span host, bool bracketed, struct host_port *ret,
                              struct d7_why *why)
{
    struct in6_addr any;
    if (span_copy(host, ret->host, sizeof(ret->host)) || host.len == 0) {
        return d7_refuse(why, D7_ERR_INVALID, FIELD, "the host must have 1 to %d characters",
                         ADDRESS_HOST_SIZE - 1);
    }
    if (bracketed) {
        ret->is_literal = true;
        if (inet_pton(AF_INET6, ret->host, &any) != 1) {
            return d7_refuse(why, D7_ERR_INVALID, FIELD,
                             "what stands in [ ] must be an IPv6 address");
        }
        return D7_OK;
    }
    ret->is_literal = inet_pton(AF_INET, ret->host, &any) == 1;
    if (ret->is_literal) {
        return D7_OK;
    }
    if (memchr(host.ptr, ':', host.len)) {
        return d7_refuse(why, D7_ERR_INVALID, FIELD, "an IPv6 address must stand in [ ]");
    }
    if (!is_name(host) || ends_in_number(host)) {
        return d7_refuse(why, D7_ERR_INVALID, FIELD,
                         "the host must be a name of letters, digits and hyphens, an IPv4 address "
                         "of four numbers, or an IPv6 address in [ ]");
    }
    return D7_OK;
}

enum d7_err host_port_parse(struct span text, uint16_t lowest_port, struct host_port *ret,
                            struct d7_why *why)
{
    struct host_port made = {.port = 0};
    bool bracketed = text.len && text.ptr[0] == '[';
    struct span rest = text;
    struct span host;
    if (bracketed) {
        rest.ptr++;
        rest.len--;
        host = span_cut(&rest, ']');
        if (rest.len == 0 || rest.ptr[0] != ':') {
            return d7_refuse(why, D7_ERR_INVALID, FIELD, "expected HOST:PORT, like [::1]:7007");
        }
        rest.ptr++;
        rest.len--;
    } else {
        const char *colon = text.len ? memrchr(text.ptr, ':', text.len) : NULL;
        if (!colon) {
            return d7_refuse(why, D7_ERR_INVALID, FIELD,
                             "expected HOST:PORT, like policy.example.org:7007");
        }
        host = span_make(text.ptr, (size_t)(colon - text.ptr));
        rest = span_make(colon + 1, text.len - host.len - 1);
    }
    int64_t port = 0;
    enum d7_err err = parse_host(host, bracketed, &made, why);
    if (err) {
        return err;
    }
    if (span_parse_i64(rest, lowest_port, UINT16_MAX, &port)) {
        return d7_refuse(why, D7_ERR_INVALID, FIELD, "the port must be a number from %u to %u",
                         lowest_port, UINT16_MAX);
    }
    made.port = (uint16_t)port;
    *ret = made;
    return D7_OK;
}

enum d7_err host_port_parse_endpoint(struct span text, struct host_port *ret, struct d7_why *why)
{
    static const char scheme[] = "tcp://";
    if (!span_starts(text, scheme)) {
        return d7_refuse(why, D7_ERR_INVALID, FIELD, "an endpoint is written tcp://HOST:PORT");
    }
    size_t skip = sizeof(scheme) - 1;
    return host_port_parse(span_make(text.ptr + skip, text.len - skip), 1, ret, why);
}

static enum d7_err resolver_failure(int code, const char *host, struct d7_why *why)
{
    enum d7_err err = D7_ERR_UNAVAILABLE;
    if (code == EAI_NONAME || code == EAI_NODATA || code == EAI_ADDRFAMILY) {
        err = D7_ERR_NOT_FOUND;
    } else if (code == EAI_MEMORY) {
        err = D7_ERR_NOMEM;
    }
    return d7_refuse(why, err, FIELD, "cannot resolve '%s': %s", host, gai_strerror(code));
}

enum d7_err address_resolve(const struct host_port *from, struct address_list *ret,
                            struct d7_why *why)
{
    char port[8];
    (void)snprintf(port, sizeof(port), "%u", from->port); /* five digits at most */
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICSERV | (from->is_literal ? AI_NUMERICHOST : 0)};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(from->host, port, &hints, &found);
    if (code) {
        return resolver_failure(code, from->host, why);
    }
    struct address_list list = {.count = 0};
    for (const struct addrinfo *a = found; a && list.count < ADDRESS_MAX; a = a->ai_next) {
        if (a->ai_addrlen <= sizeof(list.items[0].at)) {
            memcpy(&list.items[list.count].at, a->ai_addr, a->ai_addrlen);
            list.items[list.count].len = a->ai_addrlen;
            list.count++;
        }
    }
    freeaddrinfo(found);
    if (list.count == 0) {
        return resolver_failure(EAI_NODATA, from->host, why);
    }
    *ret = list;
    return D7_OK;
}

void address_format(const struct address *a, char ret_text[ADDRESS_TEXT_SIZE])
{
    char host[64];
    char port[8];
    int code = getnameinfo((const struct sockaddr *)&a->at, a->len, host, sizeof(host), port,
                           sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
    if (code) {
        (void)snprintf(ret_text, ADDRESS_TEXT_SIZE, "(no address)");
        return;
    }
    bool six = a->at.ss_family == AF_INET6;
    (void)snprintf(ret_text, ADDRESS_TEXT_SIZE, six ? "[%s]:%s" : "%s:%s", host, port);
}
