#include "tests/support/call.h"

#include <ftw.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/base/hash.h"
#include "server/api/events.h"

static struct span header_of(const struct request *req, const char *name)
{
    const struct call *c = req->layer;
    bool has = c->if_match && strcmp(name, "If-Match") == 0;
    return has ? span_of(c->if_match) : (struct span){NULL, 0};
}

static void add_account(struct call *c, const char *name, bool admin, struct account *ret)
{
    char sha[SHA_HEX_SIZE];
    char id[STORE_KEY_SIZE];
    sha_of(span_of(name), sha);
    assert_int_equal(account_token_add(c->api.store, name, admin, true, sha, clock_utc_ms(), id),
                     D7_OK);
    assert_int_equal(account_by_token(c->api.store, sha, ret), D7_OK);
}

int call_open(void **state)
{
    struct call *c = calloc(1, sizeof(*c));
    assert_non_null(c);
    (void)snprintf(c->dir, sizeof(c->dir), "%s", support_scratch());
    c->config.registration_open = true;
    c->config.max_upload = 1 << 20;
    c->config.play_expiry_ms = 86400000;
    static const char *const interpreters[] = {"python3", "sh"};
    for (size_t i = 0; i < D7_COUNT(interpreters); i++) {
        (void)snprintf(c->config.interpreters[i], sizeof(c->config.interpreters[i]), "%s",
                       interpreters[i]);
    }
    c->config.interpreter_count = D7_COUNT(interpreters);
    struct d7_why why = {0};
    if (store_open(c->dir, STORE_SERVE, &c->api.store, &why)) {
        fail_msg("store: %s", why.text);
    }
    assert_int_equal(site_init(&c->config, &c->site), D7_OK);
    c->api.site = &c->site;
    add_account(c, "owner", false, &c->owner);
    add_account(c, "other", false, &c->other);
    add_account(c, "admin", true, &c->admin);
    c->as = &c->owner;
    reply_init(&c->reply);
    *state = c;
    return 0;
}

static void forget_answer(struct call *c)
{
    reply_release(&c->reply);
    free(c->body);
    jval_free(c->json);
    c->body = NULL;
    c->json = NULL;
}

int call_close(void **state)
{
    struct call *c = *state;
    size_t leftovers = call_leftovers(c);
    forget_answer(c);
    event_view_free(c->api.view);
    site_release(&c->site);
    store_close(c->api.store);
    free(c);
    support_scratch_remove();
    assert_int_equal(leftovers, 0);
    return 0;
}

/* What the HTTP layer does with a verdict of the routing table before a handler runs. */
static enum d7_err dispatch(struct call *c, struct request *req, const struct route *route)
{
    if (route->auth != AUTH_NONE && !req->has_account) {
        return D7_ERR_UNAUTHORIZED;
    }
    if (route->auth == AUTH_ADMIN && !req->account.admin) {
        return D7_ERR_FORBIDDEN;
    }
    return route->handler(&c->api, req, &c->reply);
}

static int send(struct call *c, struct request *req, const char *path)
{
    struct buf scratch;
    struct buf more;
    buf_init(&scratch, 1u << 16);
    buf_init(&more, 1u << 16);
    forget_answer(c);
    reply_init(&c->reply);
    struct span rest = span_of(path);
    req->path = span_cut(&rest, '?');
    req->header = header_of;
    req->layer = c;
    req->has_account = c->as != NULL;
    req->account = c->as ? *c->as : (struct account){0};
    size_t count = 0;
    const struct route *table = api_routes(&count);
    const struct route *route = NULL;
    unsigned allowed = 0;
    enum d7_err err = D7_ERR_NOT_FOUND;
    if (route_find(table, count, req->method, req->path, &scratch, req, &route, &allowed) ==
        ROUTE_FOUND) {
        err = query_parse(rest, &more, req);
        err = err ? err : dispatch(c, req, route);
    }
    if (err) {
        reply_problem(&c->reply, err, "test");
    }
    struct span body = c->reply.shared.ptr ? c->reply.shared : buf_span(&c->reply.body);
    c->body = calloc(1, body.len + 1);
    assert_non_null(c->body);
    if (body.len) {
        memcpy(c->body, body.ptr, body.len);
    }
    if (jval_parse(span_make(c->body, body.len), &c->json, NULL)) {
        c->json = NULL;
    }
    buf_release(&scratch);
    buf_release(&more);
    c->status = c->reply.status ? c->reply.status : 200;
    return c->status;
}

int call_get(struct call *c, const char *path)
{
    struct request req = {.method = HTTP_GET};
    return send(c, &req, path);
}

int call_post(struct call *c, const char *path, const char *json)
{
    struct request req = {.method = HTTP_POST, .is_json = true, .body = span_of(json)};
    return send(c, &req, path);
}

int call_send(struct call *c, enum http_method method, const char *path, const char *json)
{
    struct request req = {.method = method, .is_json = json != NULL, .body = span_of(json)};
    return send(c, &req, path);
}

int call_upload(struct call *c, const char *const *pairs, const void *bytes, size_t len)
{
    return call_upload_to(c, "/api/v1/policies", pairs, bytes, len);
}

int call_upload_to(struct call *c, const char *path, const char *const *pairs, const void *bytes,
                   size_t len)
{
    struct request *req = calloc(1, sizeof(*req));
    assert_non_null(req);
    req->method = HTTP_POST;
    req->is_form = true;
    for (size_t i = 0; pairs[i]; i += 2) {
        req->fields[req->field_count++] = (struct pair){span_of(pairs[i]), span_of(pairs[i + 1])};
    }
    if (bytes) {
        char tmp[400];
        store_tmp_dir(c->api.store, tmp, sizeof(tmp));
        (void)snprintf(req->file.path, sizeof(req->file.path), "%s/upload-1", tmp);
        assert_int_equal(file_write(req->file.path, span_make(bytes, len), 0600), D7_OK);
        sha_of(span_make(bytes, len), req->file.sha256);
        req->file.present = true;
        req->file.size_bytes = (int64_t)len;
        req->file.head_len = len < sizeof(req->file.head) ? len : sizeof(req->file.head);
        memcpy(req->file.head, bytes, req->file.head_len);
    }
    int status = send(c, req, path);
    if (bytes) {
        (void)unlink(req->file.path); /* the layer does so after every request */
    }
    free(req);
    return status;
}

/* --- looking at the answer ------------------------------------------------------------------- */

const struct jval *call_find(struct call *c, const char *path)
{
    const struct jval *at = c->json;
    struct span rest = span_of(path);
    while (at && rest.len) {
        struct span part = span_cut(&rest, '.');
        int64_t index = 0;
        char key[100];
        assert_int_equal(span_copy(part, key, sizeof(key)), D7_OK);
        if (jval_kind_of(at) == JVAL_ARRAY) {
            assert_int_equal(span_parse_i64(part, 0, 1 << 20, &index), D7_OK);
            at = (size_t)index < jval_length(at) ? jval_at(at, (size_t)index) : NULL;
        } else {
            at = jval_get(at, key);
        }
    }
    return at;
}

static const struct jval *must_find(struct call *c, const char *path)
{
    const struct jval *v = call_find(c, path);
    if (!v) {
        fail_msg("no %s in %s", path, c->body);
    }
    return v;
}

const char *call_text(struct call *c, const char *path)
{
    static char texts[4][512];
    static unsigned turn;
    char *to = texts[turn++ % 4];
    struct span text;
    if (!jval_text(must_find(c, path), &text) || span_copy(text, to, sizeof(texts[0]))) {
        fail_msg("%s is no (short) text in %s", path, c->body);
    }
    return to;
}

int64_t call_int(struct call *c, const char *path)
{
    int64_t value = 0;
    if (!jval_integer(must_find(c, path), &value)) {
        fail_msg("%s is no integer in %s", path, c->body);
    }
    return value;
}

double call_number(struct call *c, const char *path)
{
    double value = 0;
    if (!jval_number(must_find(c, path), &value)) {
        fail_msg("%s is no number in %s", path, c->body);
    }
    return value;
}

bool call_bool(struct call *c, const char *path)
{
    bool value = false;
    if (!jval_bool(must_find(c, path), &value)) {
        fail_msg("%s is neither true nor false in %s", path, c->body);
    }
    return value;
}

bool call_is_null(struct call *c, const char *path)
{
    return jval_kind_of(must_find(c, path)) == JVAL_NULL;
}

size_t call_length(struct call *c, const char *path)
{
    const struct jval *v = must_find(c, path);
    assert_int_equal(jval_kind_of(v), JVAL_ARRAY);
    return jval_length(v);
}

const char *call_field_error(struct call *c, const char *field)
{
    const struct jval *list = call_find(c, "errors");
    for (size_t i = 0; i < jval_length(list); i++) {
        char path[40];
        (void)snprintf(path, sizeof(path), "errors.%zu.field", i);
        if (strcmp(call_text(c, path), field) == 0) {
            (void)snprintf(path, sizeof(path), "errors.%zu.message", i);
            return call_text(c, path);
        }
    }
    return NULL;
}

const char *call_header(struct call *c, const char *name)
{
    for (size_t i = 0; i < c->reply.header_count; i++) {
        if (strcmp(c->reply.headers[i].name, name) == 0) {
            return c->reply.headers[i].value;
        }
    }
    return NULL;
}

/* --- the world around the handlers ----------------------------------------------------------- */

void call_worker(struct call *c, const char *tier)
{
    struct worker_row row = {.pid = 1};
    (void)snprintf(row.id, sizeof(row.id), "worker-%c", tier[0] | 0x20);
    (void)snprintf(row.tier, sizeof(row.tier), "%s", tier);
    (void)snprintf(row.tier_reason, sizeof(row.tier_reason), "as the test says");
    assert_int_equal(worker_register(c->api.store, &row, clock_utc_ms()), D7_OK);
}

void call_builtin(struct call *c, const char *id)
{
    char run[STORE_KEY_SIZE];
    struct policy_new_row row = {.id = id,
                                 .name = id,
                                 .family = "test",
                                 .description = "",
                                 .kind = KIND_BUILTIN,
                                 .public_information = true,
                                 .concurrency = 1,
                                 .sha256 = "",
                                 .format = "builtin",
                                 .endpoint = ""};
    assert_int_equal(policy_add(c->api.store, &row, clock_utc_ms(), run), D7_OK);
}

static void play_job(struct call *c, const struct job *job, unsigned shift)
{
    struct roundfile *round = NULL;
    assert_int_equal(round_get(c->api.store, job->round_id, &round), D7_OK);
    static uint8_t columns[ROUND_MOVES_MAX];
    static uint32_t think[ROUND_MOVES_MAX];
    struct game g;
    game_start(&g, &round->round);
    while (!game_is_done(&g)) {
        unsigned legal = board_legal(&g.board);
        unsigned column = shift;
        while (!(legal >> column & 1)) {
            column = (column + 1) % BOARD_COLUMNS;
        }
        columns[g.moves] = (uint8_t)column;
        struct turn turn;
        game_play(&g, &round->round, column, NULL, &turn);
    }
    struct game_result result = {
        .columns = columns,
        .think_us = think,
        .moves = g.moves,
        .outcome = OUTCOME_OVER,
        .reason = "",
        .illegal_moves = 1,
        .elapsed_ms = 12,
        .ms_max = 1.5,
        .faults_json = span_of("[{\"move\":3,\"kind\":\"illegal\",\"seen\":\"secret words\"}]"),
        .stderr_tail = span_of("tail of stderr")};
    assert_int_equal(replay_run(&round->round, columns, g.moves, NULL, &result.summary, NULL),
                     D7_OK);
    char id[STORE_KEY_SIZE];
    assert_int_equal(job_finish_game(c->api.store, job, &result, clock_utc_ms(), id), D7_OK);
    roundfile_free(round);
}

size_t call_play(struct call *c, size_t games, unsigned shift)
{
    const struct job_skills all = {true, true, true};
    const struct check_outcome passed = {
        .passed = true, .reason_code = "", .reason_message = "", .public_information = true};
    struct job job;
    size_t played = 0;
    while (played < games && !job_claim(c->api.store, &all, "lease", clock_utc_ms(), &job)) {
        if (job.kind == JOB_CHECK) {
            assert_int_equal(job_finish_check(c->api.store, &job, &passed, clock_utc_ms()), D7_OK);
        } else {
            play_job(c, &job, shift);
            played++;
        }
    }
    return played;
}

static size_t files_seen;

static int count_file(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)path;
    (void)info;
    (void)at;
    files_seen += kind == FTW_F;
    return 0;
}

static size_t count_files(const char *dir)
{
    files_seen = 0;
    (void)nftw(dir, count_file, 8, FTW_PHYS); /* no folder: no files */
    return files_seen;
}

size_t call_artifacts(struct call *c)
{
    char dir[300];
    (void)snprintf(dir, sizeof(dir), "%s/artifacts", c->dir);
    return count_files(dir);
}

size_t call_leftovers(struct call *c)
{
    char dir[400];
    store_tmp_dir(c->api.store, dir, sizeof(dir));
    return count_files(dir);
}
