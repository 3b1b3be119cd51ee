#include "server/work/endpoint_policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "server/cidr.h"

/* A range nobody outside may have as an endpoint, and what it is called. */
struct refusal {
    uint8_t bytes[16];
    unsigned bits;
    const char *name;
};

static const struct refusal refused_v4[] = {
    {{0}, 8, "unspecified (0.0.0.0/8)"},
    {{10}, 8, "private (10.0.0.0/8)"},
    {{100, 64}, 10, "shared by carriers (100.64.0.0/10)"},
    {{127}, 8, "loopback (127.0.0.0/8)"},
    {{169, 254}, 16, "link-local (169.254.0.0/16)"},
    {{172, 16}, 12, "private (172.16.0.0/12)"},
    {{192, 0, 0}, 24, "reserved (192.0.0.0/24)"},
    {{192, 168}, 16, "private (192.168.0.0/16)"},
    {{198, 18}, 15, "reserved for benchmarks (198.18.0.0/15)"},
    {{224}, 4, "multicast (224.0.0.0/4)"},
    {{240}, 4, "reserved (240.0.0.0/4)"},
};

static const struct refusal refused_v6[] = {
    {{0}, 128, "unspecified (::)"},
    {{[15] = 1}, 128, "loopback (::1)"},
    {{0}, 96, "reserved (::/96)"}, /* IPv4-compatible: no such host exists */
    {{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}, 48, "translated locally (64:ff9b:1::/48)"},
    {{0xfc}, 7, "private (fc00::/7)"},
    {{0xfe, 0x80}, 10, "link-local (fe80::/10)"},
    {{0xfe, 0xc0}, 10, "site-local (fec0::/10)"},
    {{0xff}, 8, "multicast (ff00::/8)"},
};

static bool in_prefix(const uint8_t *address, const uint8_t *prefix, unsigned bits)
{
    unsigned whole = bits / 8;
    unsigned rest = bits % 8;
    return memcmp(address, prefix, whole) == 0 &&
           (rest == 0 || ((address[whole] ^ prefix[whole]) >> (8 - rest)) == 0);
}

static const char *refusal_of(const struct ip_address *a)
{
    const struct refusal *list = a->v6 ? refused_v6 : refused_v4;
    size_t count = a->v6 ? D7_COUNT(refused_v6) : D7_COUNT(refused_v4);
    for (size_t i = 0; i < count; i++) {
        if (in_prefix(a->bytes, list[i].bytes, list[i].bits)) {
            return list[i].name;
        }
    }
    return NULL;
}

/* The IPv4 address a translated or tunnelled IPv6 address leads to. */
static bool unwrap(const struct ip_address *a, struct ip_address *ret)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}; /* ::ffff:0:0/96 */
    static const uint8_t nat64[12] = {0x00, 0x64, 0xff, 0x9b};    /* 64:ff9b::/96 */
    static const uint8_t six_to_four[2] = {0x20, 0x02};           /* 2002::/16 */
    static const uint8_t teredo[4] = {0x20, 0x01};                /* 2001::/32 */
    *ret = (struct ip_address){.v6 = false};
    if (!a->v6) {
        return false;
    }
    if (in_prefix(a->bytes, mapped, 96) || in_prefix(a->bytes, nat64, 96)) {
        memcpy(ret->bytes, a->bytes + 12, 4);
        return true;
    }
    if (in_prefix(a->bytes, six_to_four, 16)) {
        memcpy(ret->bytes, a->bytes + 2, 4);
        return true;
    }
    if (in_prefix(a->bytes, teredo, 32)) {
        for (unsigned i = 0; i < 4; i++) {
            ret->bytes[i] = a->bytes[12 + i] ^ 0xff; /* the client's address, inverted */
        }
        return true;
    }
    return false;
}

/* NULL: allowed. */
static const char *judge(const struct ip_address *outer, const struct config *config)
{
    const struct cidr *allow = config->allow_endpoint;
    size_t count = config->allow_endpoint_count;
    if (cidr_any_contains(allow, count, outer)) {
        return NULL;
    }
    struct ip_address inner;
    if (unwrap(outer, &inner)) {
        return cidr_any_contains(allow, count, &inner) ? NULL : refusal_of(&inner);
    }
    return refusal_of(outer);
}

bool endpoint_allowed(const struct sockaddr *address, const struct config *config)
{
    struct ip_address a;
    return !ip_of_sockaddr(address, &a) && !judge(&a, config);
}

enum d7_err endpoint_literal_allowed(const struct host_port *at, const struct config *config,
                                     struct d7_why *why)
{
    struct ip_address a;
    if (!at->is_literal || ip_parse(span_of(at->host), &a)) {
        return D7_OK; /* a name: judged by whom it resolves to */
    }
    const char *refusal = judge(&a, config);
    return refusal ? d7_refuse(why, D7_ERR_FORBIDDEN, "endpoint",
                               "the address %s is %s: refused unless the operator allows it",
                               at->host, refusal)
                   : D7_OK;
}
