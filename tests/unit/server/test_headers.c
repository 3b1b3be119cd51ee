/* server/http/headers, gzip and asset: small grammars, tags, and the pages by name. */
#include "tests/support/support.h"

#include <sys/stat.h>
#include <zlib.h>

#include "engine/base/fdio.h"
#include "server/http/asset.h"
#include "server/http/gzip.h"
#include "server/http/headers.h"

static void bearer_tokens_are_read_strictly(void **state)
{
    (void)state;
    static const char *const good[] = {"Bearer abc", "bearer abc", "BEARER  abc ", " Bearer abc"};
    struct span token;
    for (size_t i = 0; i < D7_COUNT(good); i++) {
        assert_int_equal(bearer_parse(span_of(good[i]), &token), D7_OK);
        assert_true(span_is(token, "abc"));
    }
    assert_int_equal(bearer_parse(span_of("Bearer a-b._~+/Z9=="), &token), D7_OK);
    static const char *const bad[] = {
        "",          "Bearer",         "Bearer ",  "Bearer a b", "Basic abc",   "Bearerabc",
        "abc",       "Bearer \"abc\"", "Bearer =", "Bearer a=b", "Bearer a\tb", "Bearer a,b",
        "Token abc", "Bearer \xc3\xbc"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        if (bearer_parse(span_of(bad[i]), &token) != D7_ERR_UNAUTHORIZED) {
            fail_msg("%s", bad[i]);
        }
    }
    char longer[300] = "Bearer ";
    memset(longer + 7, 'a', BEARER_MAX + 1);
    assert_int_equal(bearer_parse(span_of(longer), &token), D7_ERR_UNAUTHORIZED);
}

static void content_lengths_are_digits_only(void **state)
{
    (void)state;
    int64_t n = -1;
    assert_int_equal(content_length_parse(span_of(" 0042 "), &n), D7_OK);
    assert_int_equal(n, 42);
    static const char *const bad[] = {"",    "+1",  "-1",  "1 2",
                                      "1,1", "0x1", "1.0", "9999999999999999999a"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(content_length_parse(span_of(bad[i]), &n), D7_ERR_INVALID);
    }
    assert_int_equal(content_length_parse(span_of("9999999999999999999"), &n), D7_ERR_TOO_LARGE);
    assert_int_equal(n, 42);
}

static void hosts_are_names_addresses_and_ports(void **state)
{
    (void)state;
    static const char *const good[] = {"",
                                       "a",
                                       "localhost:8080",
                                       "a.example.org:0",
                                       "127.0.0.1",
                                       "[::1]",
                                       "[::1]:65535",
                                       "under_score",
                                       "a:",
                                       "[fe80::1]:",
                                       " a ",
                                       "x%41"};
    static const char *const bad[] = {
        "a b", "a/b", "a:x",       "a:65536", "a:99999999", "a:-1", "a:80:80",  "[::1",
        "::1", "[]",  "[1.2.3.4]", "[::1]x",  "a@b",        "a\tb", "http://a", "a?",
        "a#b", "<a>", "a]",        "a\"b\"",  "\xc3\xa4",   "a\\b"};
    for (size_t i = 0; i < D7_COUNT(good); i++) {
        if (!host_is_sound(span_of(good[i]))) {
            fail_msg("'%s' refused", good[i]);
        }
    }
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        if (host_is_sound(span_of(bad[i]))) {
            fail_msg("'%s' taken", bad[i]);
        }
    }
}

static void if_none_match_knows_lists_weak_tags_and_commas(void **state)
{
    (void)state;
    static const struct {
        const char *header, *etag;
        bool listed;
    } rows[] = {
        {"\"a\"", "\"a\"", true},       {"W/\"a\"", "\"a\"", true},
        {"*", "\"a\"", true},           {" * ", "\"a\"", true},
        {"\"b\",\"a\"", "\"a\"", true}, {"\"b\" , W/\"a\"", "\"a\"", true},
        {",,\"a\"", "\"a\"", true},     {"\"x,\", \"a\"", "\"a\"", true},
        {"\"x,a\"", "\"a\"", false},    {"\"a,b\"", "\"a,b\"", true},
        {"\"a", "\"a\"", false},        {"a", "\"a\"", false},
        {"", "\"a\"", false},           {"\"*\"", "\"a\"", false},
        {"*, \"b\"", "\"a\"", false},   {"w/\"a\"", "\"a\"", false},
        {"W/", "\"a\"", false},         {"\"a-gz\"", "\"a\"", false},
        {"junk \"a\"", "\"a\"", false}, {"\"", "\"a\"", false},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        if (etag_listed(span_of(rows[i].header), rows[i].etag) != rows[i].listed) {
            fail_msg("%s against %s", rows[i].header, rows[i].etag);
        }
    }
}

static void gzip_is_accepted_by_name_star_and_quality(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        bool accepted;
    } rows[] = {
        {"gzip", true},
        {"GZip", true},
        {"deflate, gzip;q=0.1", true},
        {"*", true},
        {"x-gzip", true},
        {"gzip ; q=1.000", true},
        {"", false},
        {"br", false},
        {"gzip;q=0", false},
        {"gzip;q=0.000", false},
        {"*;q=0", false},
        {"*, gzip;q=0", false},
        {"gzip;q=0, *", false},
        {"identity", false},
        {"gzip;q=", false},
        {"gzip;q=-1", false},
        {"gzipped", false},
        {"*;q=0, gzip", true},
        {"gzip;q=0.0001", false},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        if (accepts_gzip(span_of(rows[i].header)) != rows[i].accepted) {
            fail_msg("%s", rows[i].header);
        }
    }
}

static void media_types_are_compared_without_case_and_parameters(void **state)
{
    (void)state;
    struct span v;
    assert_true(media_is(span_of("Application/JSON ; charset=utf-8"), "application/json"));
    assert_false(media_is(span_of("application/jsonx"), "application/json"));
    assert_false(media_is(span_of(""), "application/json"));
    assert_true(media_parameter(span_of("a/b; x=1; Boundary=\"q r\""), "boundary", &v));
    assert_true(span_is(v, "q r"));
    assert_false(media_parameter(span_of("a/b; x=1"), "boundary", &v));
}

static void the_client_is_the_rightmost_untrusted_address(void **state)
{
    (void)state;
    struct cidr trusted[2];
    assert_int_equal(cidr_parse(span_of("10.0.0.0/8"), &trusted[0]), D7_OK);
    assert_int_equal(cidr_parse(span_of("::1"), &trusted[1]), D7_OK);
    static const struct {
        const char *peer, *forwarded, *client;
    } rows[] = {
        {"192.0.2.1", "203.0.113.9", "192.0.2.1"},
        {"10.0.0.1", "203.0.113.9", "203.0.113.9"},
        {"10.0.0.1", "6.6.6.6, 203.0.113.9, 10.0.0.7", "203.0.113.9"},
        {"10.0.0.1", "203.0.113.9:4711", "203.0.113.9"},
        {"10.0.0.1", "[2001:db8::7]:80", "2001:db8::7"},
        {"::1", "2001:db8::7", "2001:db8::7"},
        {"10.0.0.1", "", "10.0.0.1"},
        {"10.0.0.1", "6.6.6.6, nonsense, 10.0.0.2", "10.0.0.2"},
        {"10.0.0.1", "unknown", "10.0.0.1"},
        {"10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"},
        {"10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct ip_address peer;
        char text[IP_TEXT_SIZE];
        assert_int_equal(ip_parse(span_of(rows[i].peer), &peer), D7_OK);
        struct ip_address client = client_of(&peer, span_of(rows[i].forwarded), trusted, 2);
        ip_format(&client, text);
        assert_string_equal(text, rows[i].client);
    }
}

static void request_ids_must_be_plain(void **state)
{
    (void)state;
    assert_true(request_id_is_sane(span_of("a-Z_0.9")));
    static const char *const bad[] = {"",    "a b",      "a\n",
                                      "<x>", "\xc3\xbc", "123456789012345678901234567890123"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_false(request_id_is_sane(span_of(bad[i])));
    }
    assert_false(request_id_is_sane(span_make("a\0b", 3)));
}

static void gzip_reads_back_and_is_reproducible(void **state)
{
    (void)state;
    static char plain[50000];
    for (size_t i = 0; i < sizeof(plain); i++) {
        plain[i] = (char)('0' + i * i % 10);
    }
    struct buf one;
    struct buf two;
    buf_init(&one, 1u << 20);
    buf_init(&two, 1u << 20);
    assert_int_equal(gzip_append(span_make(plain, sizeof(plain)), GZIP_FOR_SEND, &one), D7_OK);
    assert_int_equal(gzip_append(span_make(plain, sizeof(plain)), GZIP_FOR_SEND, &two), D7_OK);
    assert_true(span_equal(buf_span(&one), buf_span(&two)));
    assert_true(one.len < sizeof(plain) / 4);
    static char back[sizeof(plain) + 1];
    z_stream z;
    memset(&z, 0, sizeof(z));
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    z.next_in = (Bytef *)one.data;
    z.avail_in = (uInt)one.len;
    z.next_out = (Bytef *)back;
    z.avail_out = sizeof(back);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, sizeof(plain));
    assert_memory_equal(back, plain, sizeof(plain));
    (void)inflateEnd(&z);
    buf_release(&one);
    buf_release(&two);
}

static void tags_are_the_hash_of_the_bytes(void **state)
{
    (void)state;
    char tag[ETAG_SIZE];
    etag_of(span_of("abc"), tag);
    assert_string_equal(tag, "\"ba7816bf8f01cfea414140de5dae2223\"");
    etag_gzip(tag, tag);
    assert_string_equal(tag, "\"ba7816bf8f01cfea414140de5dae2223-gz\"");
}

static void pages_come_from_a_folder_without_a_way_out(void **state)
{
    (void)state;
    char folder[256];
    char path[400];
    assert_int_equal(span_copy(span_of(support_scratch()), folder, sizeof(folder)), D7_OK);
    (void)snprintf(path, sizeof(path), "%s/pages", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s/pages/js", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s/pages/js/a.mjs", folder);
    assert_int_equal(file_write(path, span_of("let a;"), 0600), D7_OK);
    (void)snprintf(path, sizeof(path), "%s/secret.txt", folder);
    assert_int_equal(file_write(path, span_of("secret"), 0600), D7_OK);
    (void)snprintf(path, sizeof(path), "%s/pages/link.txt", folder);
    assert_int_equal(symlink("../secret.txt", path), 0);
    (void)snprintf(path, sizeof(path), "%s/pages", folder);
    assert_int_equal(asset_init(path), D7_OK);
    struct reply r;
    reply_init(&r);
    assert_int_equal(asset_reply(span_of("js/a.mjs"), &r), D7_OK);
    assert_string_equal(r.body.data, "let a;");
    assert_string_equal(r.content_type, "text/javascript; charset=utf-8");
    assert_int_equal(r.cache, CACHE_REVALIDATE);
    reply_release(&r);
    reply_init(&r);
    assert_int_equal(asset_reply(span_of("engine.wasm"), &r), D7_OK); /* made by the build */
    assert_true(r.shared.len > 0);
    reply_release(&r);
    assert_false(asset_is_current(span_of("")));
    static const char *const bad[] = {
        "",      "../secret.txt", "js/../../secret.txt", "/etc/passwd", "js",  "js/", ".hidden",
        "js/.a", "link.txt",      "none.html",           "js//a.mjs",   "a\\b"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        if (asset_reply(span_of(bad[i]), &r) != D7_ERR_NOT_FOUND) {
            fail_msg("%s", bad[i]);
        }
    }
    assert_int_equal(asset_reply(span_make("js/a.mjs\0x", 10), &r), D7_ERR_NOT_FOUND);
    reply_release(&r);
    asset_release();
    assert_int_equal(asset_init("/nonexistent/folder"), D7_ERR_NOT_FOUND);
    support_scratch_remove();
}

static void embedded_pages_refer_to_assets_of_their_version(void **state)
{
    (void)state;
    assert_int_equal(asset_init(NULL), D7_OK);
    struct reply r;
    reply_init(&r);
    assert_int_equal(asset_reply(span_of("play.html"), &r), D7_OK);
    char *page = strndup(r.shared.ptr, r.shared.len);
    assert_non_null(page);
    assert_null(strstr(page, "\"/static/"));
    const char *at = strstr(page, "href=\"/assets/");
    assert_non_null(at);
    struct span version = span_make(at + 14, ASSET_VERSION_SIZE - 1);
    assert_true(asset_is_current(version));
    assert_int_equal(at[14 + ASSET_VERSION_SIZE - 1], '/');
    assert_false(asset_is_current(span_of("0123456789abcdef")));
    free(page);
    reply_release(&r);
    asset_release();
}

static void embedded_pages_are_found_with_tag_and_gzip(void **state)
{
    (void)state;
    assert_int_equal(asset_init(NULL), D7_OK);
    struct reply r;
    reply_init(&r);
    assert_int_equal(asset_reply(span_of("leaderboard.html"), &r), D7_OK);
    assert_true(r.shared.len > GZIP_LEAST && r.shared_gzip.len < r.shared.len);
    char tag[ETAG_SIZE];
    etag_of(r.shared, tag);
    assert_string_equal(r.etag, tag);
    assert_string_equal(r.content_type, "text/html; charset=utf-8");
    assert_int_equal(asset_reply(span_of("leaderboard.htm"), &r), D7_ERR_NOT_FOUND);
    assert_int_equal(asset_reply(span_of(""), &r), D7_ERR_NOT_FOUND);
    reply_release(&r);
    asset_release();
    assert_int_equal(asset_reply(span_of("leaderboard.html"), &r), D7_ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bearer_tokens_are_read_strictly),
        cmocka_unit_test(content_lengths_are_digits_only),
        cmocka_unit_test(hosts_are_names_addresses_and_ports),
        cmocka_unit_test(if_none_match_knows_lists_weak_tags_and_commas),
        cmocka_unit_test(gzip_is_accepted_by_name_star_and_quality),
        cmocka_unit_test(media_types_are_compared_without_case_and_parameters),
        cmocka_unit_test(the_client_is_the_rightmost_untrusted_address),
        cmocka_unit_test(request_ids_must_be_plain),
        cmocka_unit_test(gzip_reads_back_and_is_reproducible),
        cmocka_unit_test(tags_are_the_hash_of_the_bytes),
        cmocka_unit_test(pages_come_from_a_folder_without_a_way_out),
        cmocka_unit_test(embedded_pages_refer_to_assets_of_their_version),
        cmocka_unit_test(embedded_pages_are_found_with_tag_and_gzip),
    };
    return cmocka_run_group_tests_name("server/headers", tests, NULL, NULL);
}
