#include "server/cidr.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static const uint8_t mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};

static void unmap(struct ip_address *a)
{
    if (a->v6 && memcmp(a->bytes, mapped_prefix, sizeof(mapped_prefix)) == 0) {
        memmove(a->bytes, a->bytes + 12, 4);
        memset(a->bytes + 4, 0, 12);
        a->v6 = false;
    }
}

/* As written: a mapped address stays IPv6, since a prefix length counts from its first bit. */
static enum d7_err parse_literal(struct span text, struct ip_address *ret)
{
    char copy[IP_TEXT_SIZE];
    enum d7_err err = span_copy(text, copy, sizeof(copy));
    if (err) {
        return D7_ERR_INVALID;
    }
    struct ip_address a = {.v6 = strchr(copy, ':') != NULL};
    if (inet_pton(a.v6 ? AF_INET6 : AF_INET, copy, a.bytes) != 1) {
        return D7_ERR_INVALID;
    }
    *ret = a;
    return D7_OK;
}

enum d7_err ip_parse(struct span text, struct ip_address *ret)
{
    enum d7_err err = parse_literal(text, ret);
    if (!err) {
        unmap(ret);
    }
    return err;
}

static bool prefix_equal(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned whole = bits / 8;
    if (memcmp(a, b, whole) != 0) {
        return false;
    }
    unsigned rest = bits % 8;
    return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

enum d7_err cidr_parse(struct span text, struct cidr *ret)
{
    struct span rest = text;
    struct span literal = span_cut(&rest, '/');
    struct ip_address a;
    enum d7_err err = parse_literal(literal, &a);
    if (err) {
        return err;
    }
    int64_t bits = a.v6 ? 128 : 32;
    if (literal.len < text.len) {
        err = span_parse_i64(rest, 0, bits, &bits);
        if (err) {
            return err;
        }
    }
    for (unsigned bit = (unsigned)bits; bit < (a.v6 ? 128u : 32u); bit++) {
        if (a.bytes[bit / 8] >> (7 - bit % 8) & 1) {
            return D7_ERR_INVALID;
        }
    }
    if (a.v6 && bits >= 96) {
        unmap(&a);
        bits -= a.v6 ? 0 : 96;
    }
    *ret = (struct cidr){.v6 = a.v6, .bits = (unsigned)bits};
    memcpy(ret->bytes, a.bytes, sizeof(ret->bytes));
    return D7_OK;
}

bool cidr_contains(const struct cidr *range, const struct ip_address *address)
{
    struct ip_address a = *address;
    unmap(&a);
    return a.v6 == range->v6 && prefix_equal(a.bytes, range->bytes, range->bits);
}

bool cidr_any_contains(const struct cidr *ranges, size_t count, const struct ip_address *address)
{
    for (size_t i = 0; i < count; i++) {
        if (cidr_contains(&ranges[i], address)) {
            return true;
        }
    }
    return false;
}

enum d7_err ip_of_sockaddr(const struct sockaddr *from, struct ip_address *ret)
{
    struct ip_address a = {0};
    if (from->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)from;
        memcpy(a.bytes, &in->sin_addr, 4);
    } else if (from->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const void *)from;
        a.v6 = true;
        memcpy(a.bytes, &in6->sin6_addr, 16);
        unmap(&a);
    } else {
        return D7_ERR_INVALID;
    }
    *ret = a;
    return D7_OK;
}

void ip_format(const struct ip_address *address, char ret_text[IP_TEXT_SIZE])
{
    if (!inet_ntop(address->v6 ? AF_INET6 : AF_INET, address->bytes, ret_text, IP_TEXT_SIZE)) {
        ret_text[0] = '\0';
    }
}

bool ip_is_loopback(const struct ip_address *address)
{
    static const uint8_t one[16] = {[15] = 1};
    return address->v6 ? memcmp(address->bytes, one, 16) == 0 : address->bytes[0] == 127;
}
