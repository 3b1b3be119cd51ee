/* static/openapi.json: sound in itself, and in step with the routing table. */
#include "tests/support/call.h"
#include "tests/support/openapi.h"

#include "engine/harness/faults.h"
#include "server/api/wire.h"
#include "server/http/asset.h"
#include "store/play.h"
#include "store/run.h"

static struct openapi *document;

static int open_document(void **state)
{
    (void)state;
    struct reply reply;
    reply_init(&reply);
    assert_int_equal(asset_init(NULL), D7_OK);
    assert_int_equal(asset_reply(span_of("openapi.json"), &reply), D7_OK);
    document = openapi_open(reply.shared);
    reply_release(&reply);
    return 0;
}

static int close_document(void **state)
{
    (void)state;
    openapi_close(document);
    asset_release();
    return 0;
}

/* Fails with the reasons. */
static void must(bool ok, struct buf *why)
{
    if (!ok) {
        (void)fprintf(stderr, "%s", why->data); /* not fail_msg, which cuts */
        fail_msg("the document is wrong");
    }
    buf_release(why);
}

/* Pages are for people: their addresses are no part of the API. */
static bool is_api(const struct route *r)
{
    return strcmp(r->name, "page") != 0 && strcmp(r->name, "static") != 0;
}

static const char *method_text(enum http_method method)
{
    return method == HTTP_GET      ? "GET"
           : method == HTTP_POST   ? "POST"
           : method == HTTP_PATCH  ? "PATCH"
           : method == HTTP_DELETE ? "DELETE"
                                   : "?";
}

static void every_route_is_documented_as_it_is_served(void **state)
{
    (void)state;
    struct buf why;
    buf_init(&why, 1u << 16);
    size_t count = 0;
    const struct route *table = api_routes(&count);
    for (size_t i = 0; i < count; i++) {
        const struct route *r = &table[i];
        const char *method = method_text(r->method);
        if (!is_api(r)) {
            continue;
        }
        const struct operation *op = openapi_find(document, method, r->pattern);
        if (!op) {
            buf_printf(&why, "%s %s is not documented\n", method, r->pattern);
            continue;
        }
        if (op->needs_token != (r->auth != AUTH_NONE)) {
            buf_printf(&why, "%s %s: `security` is not what is asked for\n", method, r->pattern);
        }
        if (op->takes_json != (r->body != BODY_NONE) ||
            op->takes_form != (r->body == BODY_JSON_OR_FORM)) {
            buf_printf(&why, "%s %s: `requestBody` is not what is taken\n", method, r->pattern);
        }
    }
    must(why.len == 0, &why);
}

static void every_documented_path_is_routed(void **state)
{
    (void)state;
    struct buf why;
    buf_init(&why, 1u << 16);
    size_t count = 0;
    const struct route *table = api_routes(&count);
    assert_true(openapi_count(document) > 0);
    for (size_t i = 0; i < openapi_count(document); i++) {
        const struct operation *op = openapi_at(document, i);
        bool found = false;
        for (size_t k = 0; k < count && !found; k++) {
            found = strcmp(op->path, table[k].pattern) == 0 &&
                    strcmp(op->method, method_text(table[k].method)) == 0;
        }
        if (!found) {
            buf_printf(&why, "%s %s is documented, but there is no such route\n", op->method,
                       op->path);
        }
    }
    must(why.len == 0, &why);
}

static void every_reference_leads_somewhere(void **state)
{
    (void)state;
    struct buf why;
    buf_init(&why, 1u << 16);
    must(openapi_check_references(document, &why), &why);
}

static void every_body_and_parameter_has_an_example_that_fits_its_schema(void **state)
{
    (void)state;
    struct buf why;
    buf_init(&why, 1u << 16);
    bool ok = true;
    for (size_t i = 0; i < openapi_count(document); i++) {
        ok = openapi_check_operation(document, openapi_at(document, i), &why) && ok;
    }
    ok = openapi_check_shared(document, "MethodNotAllowed", &why) && ok;
    must(ok, &why);
}

static const struct json_t *schema_of(const char *name)
{
    char reference[100];
    (void)snprintf(reference, sizeof(reference), "#/components/schemas/%s", name);
    const struct json_t *schema = schema_resolve(openapi_root(document), reference);
    if (!schema) {
        fail_msg("no %s", reference);
    }
    return schema;
}

/* What reply_problem makes of every error and every code there is. */
static void every_problem_the_server_can_write_fits_its_schema(void **state)
{
    (void)state;
    static const char id[] = "0123456789abcdef0123456789abcdef";
    static const char *const more[] = {"bad-request", "method-not-allowed"};
    struct buf why;
    buf_init(&why, 1u << 16);
    for (unsigned i = 1; i < D7_ERR_COUNT + D7_COUNT(more); i++) {
        struct reply reply;
        reply_init(&reply);
        bool by_code = i >= D7_ERR_COUNT;
        reply.code = by_code ? more[i - D7_ERR_COUNT] : NULL;
        (void)reply_field_error(&reply, "field", "a sentence");
        (void)snprintf(reply.existing, sizeof(reply.existing), "/api/v1/runs/1");
        reply_problem(&reply, by_code ? D7_ERR_INVALID : (enum d7_err)i, id);
        if (!schema_fits_text(openapi_root(document), schema_of("Problem"), buf_span(&reply.body),
                              &why)) {
            buf_printf(&why, "... in %s\n", reply.code);
        }
        reply_release(&reply);
    }
    must(why.len == 0, &why);
}

/* Each name is in the enumeration, and there are no others. */
static void check_names(const char *reference, const char *(*name_of)(unsigned), unsigned count)
{
    char list[160];
    (void)snprintf(list, sizeof(list), "%s/enum", reference);
    const struct json_t *root = openapi_root(document);
    const struct json_t *schema = schema_resolve(root, reference);
    struct buf why;
    buf_init(&why, 4096);
    if (schema_length(schema_resolve(root, list)) != count) {
        fail_msg("%s has not %u values", reference, count);
    }
    for (unsigned i = 0; i < count; i++) {
        char text[60];
        (void)snprintf(text, sizeof(text), "\"%s\"", name_of(i));
        if (!schema_fits_text(root, schema, span_of(text), &why)) {
            fail_msg("%s lacks %s", reference, text);
        }
    }
    buf_release(&why);
}

static const char *kind_name(unsigned i)
{
    return policy_kind_text((enum policy_kind)i);
}

static const char *policy_status_name(unsigned i)
{
    return policy_status_text((enum policy_status)i);
}

static const char *run_status_name(unsigned i)
{
    return run_status_text((enum run_status)i);
}

static const char *play_status_name(unsigned i)
{
    return play_status_text((enum play_status)i);
}

static const char *outcome_name(unsigned i)
{
    return outcome_text((enum outcome)i);
}

static const char *fault_name(unsigned i)
{
    return fault_kind_text((enum fault_kind)i);
}

static void states_and_kinds_have_the_servers_names(void **state)
{
    (void)state;
    check_names("#/components/schemas/PolicyKind", kind_name, KIND_REMOTE + 1);
    check_names("#/components/schemas/PolicyStatus", policy_status_name, POLICY_RETIRED + 1);
    check_names("#/components/schemas/RunStatus", run_status_name, RUN_FAILED + 1);
    check_names("#/components/schemas/Play/properties/status", play_status_name, PLAY_EXPIRED + 1);
    check_names("#/components/schemas/Outcome", outcome_name, OUTCOME_FORFEIT + 1);
    check_names("#/components/schemas/Fault/properties/kind", fault_name, FAULT_FORFEIT + 1);
}

static void the_objects_of_the_contract_have_schemas(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Policy",       "Revision", "Run",      "Game",      "Replay",   "Frame",
        "Step",         "Play",     "Suite",    "Round",     "Summary",  "Leaderboard",
        "Paired",       "Compare",  "Me",       "Token",     "Problem",  "PolicyList",
        "RevisionList", "RunList",  "GameList", "SuiteList", "RoundList"};
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        (void)schema_of(names[i]);
    }
}

static void it_is_served_as_it_is_kept_and_takes_no_parameters(void **state)
{
    (void)state;
    void *fixture = NULL;
    assert_int_equal(call_open(&fixture), 0);
    struct call *c = fixture;
    c->as = NULL;
    assert_int_equal(call_get(c, API_PREFIX "/openapi.json"), 200);
    assert_string_equal(c->reply.content_type, "application/json");
    assert_int_equal(c->reply.cache, CACHE_REVALIDATE);
    assert_true(c->reply.etag[0] == '"');
    assert_true(c->reply.shared_gzip.len > 0 && c->reply.shared_gzip.len < c->reply.shared.len / 4);
    assert_memory_equal(call_text(c, "openapi"), "3.1.", 4);
    assert_int_equal(call_get(c, API_PREFIX "/openapi.json?format=yaml"), 400);
    assert_int_equal(call_close(&fixture), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_is_documented_as_it_is_served),
        cmocka_unit_test(every_documented_path_is_routed),
        cmocka_unit_test(every_reference_leads_somewhere),
        cmocka_unit_test(every_body_and_parameter_has_an_example_that_fits_its_schema),
        cmocka_unit_test(every_problem_the_server_can_write_fits_its_schema),
        cmocka_unit_test(states_and_kinds_have_the_servers_names),
        cmocka_unit_test(the_objects_of_the_contract_have_schemas),
        cmocka_unit_test(it_is_served_as_it_is_kept_and_takes_no_parameters),
    };
    return cmocka_run_group_tests_name("server/openapi", tests, open_document, close_document);
}
