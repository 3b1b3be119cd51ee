/* server/api: registering policies and reading them. */
#include "tests/support/call.h"

#include "engine/base/fdio.h"

static const char script[] = "#!/bin/sh\nread line\n";
static const char *const good[] = {"id",   "my-policy",   "name",         "My policy", "family",
                                   "mine", "description", "Plays\nwell.", NULL};

static int upload_script(struct call *c, const char *const *pairs)
{
    return call_upload(c, pairs, script, sizeof(script) - 1);
}

static void an_upload_is_registered_with_its_run_and_location(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    assert_int_equal(upload_script(c, good), 201);
    assert_string_equal(call_header(c, "Location"), "/api/v1/policies/my-policy");
    assert_string_equal(call_text(c, "id"), "my-policy");
    assert_string_equal(call_text(c, "status"), "checking");
    assert_string_equal(call_text(c, "kind"), "upload");
    assert_string_equal(call_text(c, "owner"), "owner");
    assert_string_equal(call_text(c, "description"), "Plays\nwell.");
    assert_true(call_is_null(c, "revision"));
    assert_int_equal(call_int(c, "pending.number"), 1);
    char run[300];
    (void)snprintf(run, sizeof(run), "/api/v1/runs/%s", call_text(c, "latestRunId"));
    assert_int_equal(call_get(c, run), 200);
    assert_string_equal(call_text(c, "status"), "queued");
    assert_string_equal(call_text(c, "suite"), "gauntlet");
    assert_int_equal(call_artifacts(c), 1);
}

static void a_checked_upload_is_ready_with_its_revision(void **state)
{
    struct call *c = *state;
    call_worker(c, "B");
    assert_int_equal(upload_script(c, good), 201);
    (void)call_play(c, 1, 0);
    assert_int_equal(call_get(c, "/api/v1/policies/my-policy"), 200);
    assert_string_equal(call_text(c, "status"), "ready");
    assert_int_equal(call_int(c, "revision.number"), 1);
    assert_int_equal(call_int(c, "revision.sizeBytes"), sizeof(script) - 1);
    assert_string_equal(call_text(c, "revision.format"), "script:sh");
    assert_int_equal(strlen(call_text(c, "revision.sha256")), 64);
    assert_true(call_is_null(c, "pending"));
    assert_true(call_is_null(c, "reason"));
    assert_int_equal(call_length(c, "badges"), 0);
}

static void an_elf_program_is_taken_and_a_truncated_one_is_not(void **state)
{
    struct call *c = *state;
    call_worker(c, "off");
    struct buf program;
    buf_init(&program, 1u << 20);
    assert_int_equal(file_read("/usr/bin/true", &program), D7_OK);
    assert_int_equal(call_upload(c, good, program.data, 100), 400);
    assert_non_null(call_field_error(c, "policy"));
    assert_int_equal(call_artifacts(c), 0);
    assert_int_equal(call_upload(c, good, program.data, program.len), 201);
    buf_release(&program);
}

static void every_wrong_field_is_named_at_once(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    char long_name[82];
    memset(long_name, 'x', sizeof(long_name) - 1);
    long_name[81] = '\0';
    const char *const pairs[] = {"id",          "No-capitals", "name", long_name, "family", "a\x01",
                                 "description", "\x1b[31m",    "more", "",        NULL};
    assert_int_equal(call_upload(c, pairs, "hello", 5), 400);
    assert_string_equal(call_text(c, "code"), "validation");
    assert_non_null(strstr(call_field_error(c, "id"), "2 to 63"));
    assert_non_null(strstr(call_field_error(c, "name"), "1 to 80"));
    assert_non_null(strstr(call_field_error(c, "family"), "80"));
    assert_non_null(strstr(call_field_error(c, "description"), "2,000"));
    assert_string_equal(call_field_error(c, "more"), "unknown field");
    assert_non_null(strstr(call_field_error(c, "policy"), "ELF"));
    assert_int_equal(call_artifacts(c), 0);
    assert_int_equal(call_get(c, "/api/v1/policies"), 200);
    assert_int_equal(call_length(c, "items"), 0);
}

static void names_without_anything_to_see_are_field_errors(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    static const char *const empty[] = {"   ", "\xc2\xa0", "\xe2\x80\x8b", "\xe3\x85\xa4",
                                        "\xe2\xa0\x80"};
    for (size_t i = 0; i < D7_COUNT(empty); i++) {
        const char *const pairs[] = {"id", "abc", "name", empty[i], "family", empty[i], NULL};
        assert_int_equal(upload_script(c, pairs), 400);
        assert_non_null(strstr(call_field_error(c, "name"), "visible"));
        assert_non_null(strstr(call_field_error(c, "family"), "visible"));
        assert_int_equal(call_length(c, "errors"), 2);
    }
    const char *const seen[] = {"id",     "abc", "name", "\xe2\x80\x8b\xe5\xad\x97",
                                "family", "",    NULL};
    assert_int_equal(upload_script(c, seen), 201);
}

/* What browsers make of a text area in a form with a file. */
static void lines_of_a_description_may_end_as_forms_end_them(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    const char *const pairs[] = {"id", "lines", "name", "L", "description", "a\r\n\r\nb\nc\r\n",
                                 NULL};
    assert_int_equal(upload_script(c, pairs), 201);
    assert_string_equal(call_text(c, "description"), "a\n\nb\nc\n");
    char text[3001];
    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        text[i] = "x\r\n"[i % 3];
    }
    text[sizeof(text) - 1] = '\0';
    const char *const full[] = {"id", "full", "name", "L", "description", text, NULL};
    assert_int_equal(upload_script(c, full), 201); /* 2,000 are kept */
    text[sizeof(text) - 2] = 'x';
    const char *const last[] = {"id", "last", "name", "L", "description", text, NULL};
    assert_int_equal(upload_script(c, last), 400); /* a line's half end */
    assert_non_null(strstr(call_field_error(c, "description"), "2,000"));
    const char *const bare[] = {"id", "bare", "name", "L", "description", "a\rb", NULL};
    assert_int_equal(upload_script(c, bare), 400);
}

static void ids_are_slugs_beginning_with_a_letter(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    char long_id[65]; /* one more than 63 */
    memset(long_id, 'a', sizeof(long_id) - 1);
    long_id[64] = '\0';
    const char *const bad[] = {"", "a", "1abc", "-abc", "ab_c", "ab c", "abc\xc3\xa4", long_id};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        const char *const pairs[] = {"id", bad[i], "name", "x", NULL};
        assert_int_equal(upload_script(c, pairs), 400);
        assert_non_null(call_field_error(c, "id"));
        assert_int_equal(call_length(c, "errors"), 1);
    }
    const char *const twice[] = {"id", "abc", "id", "abd", "name", "x", NULL};
    assert_int_equal(upload_script(c, twice), 400);
    assert_non_null(strstr(call_field_error(c, "id"), "twice"));
}

static void a_missing_or_empty_file_is_a_field_error_and_a_huge_one_too_large(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    assert_int_equal(call_upload(c, good, NULL, 0), 400);
    assert_non_null(call_field_error(c, "policy"));
    assert_int_equal(call_upload(c, good, "", 0), 400);
    assert_non_null(strstr(call_field_error(c, "policy"), "empty"));
    c->config.max_upload = 10;
    assert_int_equal(upload_script(c, good), 413);
    assert_string_equal(call_text(c, "code"), "too-large");
}

static void a_taken_id_is_a_conflict_also_for_its_owner_and_keeps_the_first(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    assert_int_equal(upload_script(c, good), 201);
    assert_int_equal(call_upload(c, good, "#!/bin/sh\n#2\n", 13), 409);
    assert_string_equal(call_text(c, "code"), "conflict");
    assert_string_equal(call_text(c, "existing"), "/api/v1/policies/my-policy");
    assert_int_equal(call_artifacts(c), 1);
    c->as = &c->other;
    assert_int_equal(upload_script(c, good), 409);
    assert_int_equal(call_artifacts(c), 1);
}

static void equal_bytes_of_two_policies_share_one_artifact(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    assert_int_equal(upload_script(c, good), 201);
    static const char *const second[] = {"id", "second", "name", "Second", NULL};
    assert_int_equal(upload_script(c, second), 201);
    assert_int_equal(call_artifacts(c), 1);
}

static void a_failure_of_the_store_leaves_no_artifact_behind(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    /* an owner the store does not know breaks its foreign key, after the file was adopted */
    struct account nobody = {.id = 987654, .name = "nobody"};
    c->as = &nobody;
    assert_int_not_equal(upload_script(c, good), 201);
    assert_int_equal(call_artifacts(c), 0);
    assert_int_equal(call_get(c, "/api/v1/policies/my-policy"), 404);
}

/* Refused at every stage there is, the file having been streamed each time. */
static void no_refusal_leaves_a_file_behind(void **state)
{
    struct call *c = *state;
    struct account nobody = {.id = 987654, .name = "nobody"};
    static const char *const bad_id[] = {"id", "Bad", "name", "x", NULL};
    static const char *const no_name[] = {"id", "fine", NULL};
    static const char *const unknown[] = {"id", "fine", "name", "x", "nmae", "y", NULL};
    const struct {
        const char *const *fields;
        const char *file;
        const struct account *as;
        const char *tier;
        int status;
    } rows[] = {
        {good, script, NULL, "A", 401},         {bad_id, script, &c->owner, "A", 400},
        {no_name, script, &c->owner, "A", 400}, {unknown, script, &c->owner, "A", 400},
        {good, "rubbish", &c->owner, "A", 400}, {good, "#!sh\n", &c->owner, "A", 400},
        {good, "", &c->owner, "A", 400},        {good, script, &nobody, "A", 500},
    };
    assert_int_equal(upload_script(c, good), 503); /* no worker */
    assert_int_equal(call_artifacts(c) + call_leftovers(c), 0);
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        c->as = rows[i].as;
        call_worker(c, rows[i].tier);
        int status = call_upload(c, rows[i].fields, rows[i].file, strlen(rows[i].file));
        if (rows[i].status == 500 ? status < 400 : status != rows[i].status) {
            fail_msg("row %zu: %d %s", i, status, c->body);
        }
        assert_int_equal(call_artifacts(c) + call_leftovers(c), 0);
    }
    c->as = &c->owner;
    assert_int_equal(upload_script(c, good), 201);
    assert_int_equal(call_upload(c, good, "#!/bin/sh\n#2\n", 13), 409);
    assert_int_equal(call_artifacts(c), 1);
    assert_int_equal(call_leftovers(c), 0);
}

static void uploads_need_a_worker_that_can_confine_them(void **state)
{
    struct call *c = *state;
    assert_int_equal(upload_script(c, good), 503);
    assert_string_equal(call_text(c, "code"), "sandbox-unavailable");
    call_worker(c, "C");
    assert_int_equal(upload_script(c, good), 503);
    assert_non_null(strstr(call_text(c, "detail"), "as the test says"));
    assert_int_equal(call_artifacts(c), 0);
    assert_int_equal(
        call_post(c, "/api/v1/policies",
                  "{\"id\":\"far\",\"name\":\"Far\",\"endpoint\":\"tcp://h.example:1\"}"),
        201);
}

static void registering_needs_a_token(void **state)
{
    struct call *c = *state;
    c->as = NULL;
    assert_int_equal(upload_script(c, good), 401);
    assert_int_equal(call_post(c, "/api/v1/policies", "{}"), 401);
}

static void an_endpoint_is_registered_and_its_address_stays_with_owner_and_admin(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_post(c, "/api/v1/policies",
                               "{\"id\":\"far\",\"name\":\"Far\",\"concurrency\":2,"
                               "\"endpoint\":\"tcp://engine.example:7007\"}"),
                     201);
    assert_string_equal(call_text(c, "kind"), "endpoint");
    assert_string_equal(call_text(c, "badges.0"), "endpoint");
    const struct account *const insiders[] = {&c->owner, &c->admin};
    for (size_t i = 0; i < 2; i++) {
        c->as = insiders[i];
        assert_int_equal(call_get(c, "/api/v1/policies/far"), 200);
        assert_string_equal(call_text(c, "endpoint"), "tcp://engine.example:7007");
    }
    const struct account *const outsiders[] = {&c->other, NULL};
    for (size_t i = 0; i < 2; i++) {
        c->as = outsiders[i];
        assert_int_equal(call_get(c, "/api/v1/policies/far"), 200);
        assert_null(strstr(c->body, "engine.example"));
        assert_int_equal(call_get(c, "/api/v1/policies?kind=endpoint"), 200);
        assert_int_equal(call_length(c, "items"), 1);
        assert_null(strstr(c->body, "engine.example"));
    }
}

static void wrong_endpoints_are_field_errors(void **state)
{
    struct call *c = *state;
    static const struct {
        const char *endpoint, *reason;
    } bad[] = {{"", "endpoint"},
               {"engine.example:7007", "tcp://HOST:PORT"},
               {"http://engine.example:7007", "tcp://HOST:PORT"},
               {"TCP://engine.example:7007", "tcp://HOST:PORT"},
               {" tcp://engine.example:7007", "tcp://HOST:PORT"},
               {"tcp://engine.example", "expected HOST:PORT"},
               {"tcp://engine.example:", "from 1 to 65535"},
               {"tcp://engine.example:0", "from 1 to 65535"},
               {"tcp://engine.example:65536", "from 1 to 65535"},
               {"tcp://engine.example:70000", "from 1 to 65535"},
               {"tcp://engine.example:-1", "from 1 to 65535"},
               {"tcp://engine.example:+80", "from 1 to 65535"},
               {"tcp://engine.example:70 7", "from 1 to 65535"},
               {"tcp://engine.example:7/x", "from 1 to 65535"},
               {"tcp://engine.example:7?x", "from 1 to 65535"},
               {"tcp://engine.example:7#x", "from 1 to 65535"},
               {"tcp://engine.example/x:7", "the host must be"},
               {"tcp://user@engine.example:7", "the host must be"},
               {"tcp://user:word@engine.example:7", "an IPv6 address must stand in [ ]"},
               {"tcp://:7007", "1 to 253 characters"},
               {"tcp://2001:db8::1:80", "an IPv6 address must stand in [ ]"},
               {"tcp://[2001:db8::1]", "expected HOST:PORT"},
               {"tcp://[engine.example]:80", "must be an IPv6 address"},
               {"tcp://[fe80::1%eth0]:80", "must be an IPv6 address"},
               /* IPv4 as resolvers, not people, write it */
               {"tcp://2130706433:80", "an IPv4 address of four numbers"},
               {"tcp://0x7f000001:80", "an IPv4 address of four numbers"},
               {"tcp://0x7f.1:80", "an IPv4 address of four numbers"},
               {"tcp://0177.0.0.1:80", "an IPv4 address of four numbers"},
               {"tcp://127.0.0.01:80", "an IPv4 address of four numbers"},
               {"tcp://127.1:80", "an IPv4 address of four numbers"},
               {"tcp://127.0.0.1.:80", "the host must be"},
               {"tcp://127.0.0.1%00:80", "the host must be"},
               {"tcp://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1:80", "the host must be"},
               {"tcp://127.0.0.1:7007", "loopback (127.0.0.0/8)"},
               {"tcp://127.255.255.254:7007", "loopback (127.0.0.0/8)"},
               {"tcp://0.0.0.0:1", "unspecified (0.0.0.0/8)"},
               {"tcp://10.0.0.1:7007", "private (10.0.0.0/8)"},
               {"tcp://172.31.0.1:7007", "private (172.16.0.0/12)"},
               {"tcp://192.168.0.1:7007", "private (192.168.0.0/16)"},
               {"tcp://100.64.0.1:7007", "shared by carriers"},
               {"tcp://169.254.169.254:80", "link-local (169.254.0.0/16)"},
               {"tcp://224.0.0.1:80", "multicast"},
               {"tcp://255.255.255.255:80", "reserved"},
               {"tcp://[::1]:7007", "loopback (::1)"},
               {"tcp://[::]:7007", "unspecified (::)"},
               {"tcp://[fd00::1]:80", "private (fc00::/7)"},
               {"tcp://[fe80::1]:80", "link-local (fe80::/10)"},
               {"tcp://[::ffff:127.0.0.1]:1", "loopback (127.0.0.0/8)"},
               {"tcp://[::ffff:7f00:1]:1", "loopback (127.0.0.0/8)"},
               {"tcp://[::ffff:10.0.0.1]:1", "private (10.0.0.0/8)"},
               {"tcp://[::127.0.0.1]:1", "reserved (::/96)"},
               {"tcp://[64:ff9b::7f00:1]:1", "loopback (127.0.0.0/8)"},
               {"tcp://[2002:7f00:1::1]:1", "loopback (127.0.0.0/8)"}};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        char body[200];
        (void)snprintf(body, sizeof(body), "{\"id\":\"far\",\"name\":\"Far\",\"endpoint\":\"%s\"}",
                       bad[i].endpoint);
        const char *reason =
            call_post(c, "/api/v1/policies", body) == 400 ? call_field_error(c, "endpoint") : NULL;
        if (!reason || !strstr(reason, bad[i].reason)) {
            fail_msg("'%s' gives %d %s", bad[i].endpoint, c->status, c->body);
        }
    }
    c->config.allow_endpoint[0] = (struct cidr){.bytes = {127}, .bits = 8};
    c->config.allow_endpoint_count = 1;
    assert_int_equal(
        call_post(c, "/api/v1/policies",
                  "{\"id\":\"far\",\"name\":\"Far\",\"endpoint\":\"tcp://127.0.0.1:7007\"}"),
        201);
}

static void json_bodies_are_judged_strictly(void **state)
{
    struct call *c = *state;
    static const struct {
        const char *body, *code, *field;
    } bad[] = {
        {"", "bad-json", NULL},
        {"{", "bad-json", NULL},
        {"[]", "validation", NULL},
        {"{\"id\":\"ab\",\"id\":\"ac\"}", "bad-json", NULL},
        {"{\"id\":\"ab\",\"name\":\"x\",\"endpoint\":\"tcp://h.example:1\",\"nmae\":1}",
         "validation", "nmae"},
        {"{\"id\":7,\"name\":\"x\",\"endpoint\":\"tcp://h.example:1\"}", "validation", "id"},
        {"{\"id\":\"ab\",\"endpoint\":\"tcp://h.example:1\"}", "validation", "name"},
        {"{\"id\":\"ab\",\"name\":\" \",\"endpoint\":\"tcp://h.example:1\"}", "validation", "name"},
        {"{\"id\":\"ab\",\"name\":\"x\"}", "validation", "endpoint"},
        {"{\"id\":\"ab\",\"name\":\"x\",\"endpoint\":\"tcp://h.example:1\",\"concurrency\":9}",
         "validation", "concurrency"},
    };
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(call_post(c, "/api/v1/policies", bad[i].body), 400);
        assert_string_equal(call_text(c, "code"), bad[i].code);
        if (bad[i].field && !call_field_error(c, bad[i].field)) {
            fail_msg("no error for %s in %s", bad[i].field, c->body);
        }
    }
}

static void what_is_missing_is_said_to_be_required_all_at_once(void **state)
{
    struct call *c = *state;
    call_worker(c, "A");
    static const char *const nothing[] = {"family", "mine", NULL};
    assert_int_equal(upload_script(c, nothing), 400);
    assert_string_equal(call_field_error(c, "id"), "id is required");
    assert_string_equal(call_field_error(c, "name"), "name is required");
    assert_int_equal(call_length(c, "errors"), 2);
    assert_int_equal(call_post(c, "/api/v1/policies", "{}"), 400);
    assert_string_equal(call_field_error(c, "id"), "id is required");
    assert_string_equal(call_field_error(c, "name"), "name is required");
    assert_non_null(strstr(call_field_error(c, "endpoint"), "endpoint is required: tcp://"));
    assert_int_equal(call_length(c, "errors"), 3);
    /* one of the wrong type is named once, and hides no other */
    assert_int_equal(call_post(c, "/api/v1/policies", "{\"id\":7,\"endpoint\":\"x\"}"), 400);
    assert_string_equal(call_field_error(c, "id"), "id must be a text");
    assert_string_equal(call_field_error(c, "name"), "name is required");
    assert_non_null(call_field_error(c, "endpoint"));
    assert_int_equal(call_length(c, "errors"), 3);
}

static void policies_are_listed_by_id_in_pages_with_filters(void **state)
{
    struct call *c = *state;
    call_builtin(c, "beta");
    call_builtin(c, "alpha");
    call_builtin(c, "gamma");
    assert_int_equal(call_get(c, "/api/v1/policies?limit=2&kind=builtin"), 200);
    assert_int_equal(call_length(c, "items"), 2);
    assert_string_equal(call_text(c, "items.0.id"), "alpha");
    assert_true(call_is_null(c, "items.0.owner"));
    char next[400];
    (void)snprintf(next, sizeof(next), "/api/v1/policies?limit=2&kind=builtin&cursor=%s",
                   call_text(c, "next"));
    char link[420];
    (void)snprintf(link, sizeof(link), "<%s>; rel=\"next\"", next);
    assert_string_equal(call_header(c, "Link"), link);
    assert_int_equal(call_get(c, next), 200);
    assert_int_equal(call_length(c, "items"), 1);
    assert_string_equal(call_text(c, "items.0.id"), "gamma");
    assert_true(call_is_null(c, "next"));
    assert_null(call_header(c, "Link"));
    assert_int_equal(call_get(c, "/api/v1/policies?family=other"), 200);
    assert_int_equal(call_length(c, "items"), 0);
}

static void nonsense_in_a_query_is_a_bad_request(void **state)
{
    struct call *c = *state;
    static const char *const bad[] = {
        "/policies?limit=0",
        "/policies?limit=-1",
        "/policies?limit=ten",
        "/policies?limit=",
        "/policies?limit=1&limit=2",
        "/policies?cursor=",
        "/policies?cursor=nonsense",
        "/policies?kind=robot",
        "/policies?status=fine",
        "/policies?family=%01",
        "/policies?page=2",
        "/policies/greedy?x=1",
        "/policies?kind=%zz",
        "/games?sort=name",
        "/games?outcome=won",
        "/games?since=2026-02-30T00:00:00.000Z",
        "/games?until=08/31/2026",
        "/runs?status=over",
        "/runs?since=yesterday",
        "/games?policy=A%20B",
        "/games?since=2026-08-31T12:00:00Z",
        "/runs?until=2026-08-31T12:00:00.000%2B00:00",
        "/leaderboard?format=xml",
        "/leaderboard?kind=robot",
        "/leaderboard?rounds=",
        "/leaderboard?rounds=gauntlet-01,gauntlet-01",
        "/leaderboard?limit=5",
        "/suites?limit=x",
        "/rounds?offset=1",
        "/leaderboard?rounds=gauntlet-01,,gauntlet-02",
    };
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        char path[200];
        (void)snprintf(path, sizeof(path), "/api/v1%s", bad[i]);
        if (call_get(c, path) != 400) {
            fail_msg("%s gives %d %s", bad[i], c->status, c->body);
        }
    }
    assert_int_equal(call_get(c, "/api/v1/policies?limit=1000000000"), 200);
    assert_int_equal(call_get(c, "/api/v1/policies?limit=9223372036854775807"), 200);
    assert_int_equal(call_get(c, "/api/v1/policies?limit=99999999999999999999999999"), 200);
    assert_int_equal(call_get(c, "/api/v1/policies?limit=00000000000000000000000001"), 400);
    assert_int_equal(call_get(c, "/api/v1/policies?limit=-99999999999999999999999999"), 400);
}

static void unknown_policies_are_not_found(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_get(c, "/api/v1/policies/nobody"), 404);
    assert_string_equal(call_text(c, "code"), "not-found");
    assert_int_equal(call_get(c, "/api/v1/policies/nobody/rounds/gauntlet-01/replay"), 404);
    call_builtin(c, "alpha");
    assert_int_equal(call_get(c, "/api/v1/policies/alpha/rounds/gauntlet-01/replay"), 404);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_upload_is_registered_with_its_run_and_location),
        CASE(a_checked_upload_is_ready_with_its_revision),
        CASE(an_elf_program_is_taken_and_a_truncated_one_is_not),
        CASE(every_wrong_field_is_named_at_once),
        CASE(names_without_anything_to_see_are_field_errors),
        CASE(lines_of_a_description_may_end_as_forms_end_them),
        CASE(ids_are_slugs_beginning_with_a_letter),
        CASE(a_missing_or_empty_file_is_a_field_error_and_a_huge_one_too_large),
        CASE(a_taken_id_is_a_conflict_also_for_its_owner_and_keeps_the_first),
        CASE(equal_bytes_of_two_policies_share_one_artifact),
        CASE(a_failure_of_the_store_leaves_no_artifact_behind),
        CASE(no_refusal_leaves_a_file_behind),
        CASE(uploads_need_a_worker_that_can_confine_them),
        CASE(registering_needs_a_token),
        CASE(an_endpoint_is_registered_and_its_address_stays_with_owner_and_admin),
        CASE(wrong_endpoints_are_field_errors),
        CASE(json_bodies_are_judged_strictly),
        CASE(what_is_missing_is_said_to_be_required_all_at_once),
        CASE(policies_are_listed_by_id_in_pages_with_filters),
        CASE(nonsense_in_a_query_is_a_bad_request),
        CASE(unknown_policies_are_not_found),
    };
    return cmocka_run_group_tests_name("unit/server/api_policies", tests, NULL, NULL);
}
