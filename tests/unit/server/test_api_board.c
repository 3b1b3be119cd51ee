/* server/api: the leaderboard, its cache, rounds and suites. */
#include "tests/support/call.h"
#include "tests/support/stores.h"

#include <math.h>

#include "engine/base/clock.h"

/* Two built-ins and an endpoint with all their games; plays differ by the shift. */
static void played_board(struct call *c)
{
    call_builtin(c, "alpha");
    call_builtin(c, "beta");
    c->as = &c->admin;
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"alpha\"}"), 202);
    assert_int_equal(call_play(c, 100, 0), 8);
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"beta\"}"), 202);
    assert_int_equal(call_play(c, 100, 3), 8);
    assert_int_equal(call_post(c, "/api/v1/policies",
                               "{\"id\":\"far\",\"name\":\"=Far\",\"family\":\"x\",\"endpoint\":"
                               "\"tcp://e.example:1\"}"),
                     201);
    assert_int_equal(call_play(c, 3, 1), 3);
    c->as = NULL;
}

static void an_empty_board_is_whole(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_string_equal(call_text(c, "format"), "drop7-leaderboard-v1");
    assert_string_equal(call_text(c, "suite"), "gauntlet");
    assert_int_equal(call_int(c, "moveCap"), 2000);
    assert_int_equal(call_length(c, "rounds"), 8);
    assert_string_equal(call_text(c, "rounds.0.id"), "gauntlet-01");
    assert_int_equal(call_length(c, "policies"), 0);
    assert_int_equal(call_length(c, "games"), 0);
    assert_int_equal(call_length(c, "summaries"), 0);
    assert_true(call_is_null(c, "reference"));
    assert_true(call_is_null(c, "generatedAt"));
}

static void rows_rank_and_reference_come_from_the_counted_games(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_int_equal(call_length(c, "summaries"), 3);
    assert_int_equal(call_length(c, "policies"), 3);
    assert_int_equal(call_length(c, "games"), 19);
    assert_null(strstr(c->body, "e.example"));
    assert_int_equal(call_int(c, "summaries.0.rank"), 1);
    assert_int_equal(call_int(c, "summaries.1.rank"), 2);
    assert_true(call_number(c, "summaries.0.meanScore") >= call_number(c, "summaries.1.meanScore"));
    assert_string_equal(call_text(c, "reference"), call_text(c, "summaries.0.policyId"));
    assert_string_equal(call_text(c, "summaries.2.policyId"), "far");
    assert_true(call_bool(c, "summaries.2.provisional"));
    assert_true(call_is_null(c, "summaries.2.rank"));
    assert_int_equal(call_int(c, "summaries.2.games"), 3);
    /* the mean is that of the games shown */
    int64_t sum = 0;
    int64_t n = 0;
    for (size_t i = 0; i < 19; i++) {
        char at[60];
        (void)snprintf(at, sizeof(at), "games.%zu.policyId", i);
        if (strcmp(call_text(c, at), "alpha") == 0) {
            (void)snprintf(at, sizeof(at), "games.%zu.score", i);
            sum += call_int(c, at);
            n++;
        }
    }
    assert_int_equal(n, 8);
    size_t row = strcmp(call_text(c, "summaries.0.policyId"), "alpha") == 0 ? 0 : 1;
    double mean = call_number(c, row == 0 ? "summaries.0.meanScore" : "summaries.1.meanScore");
    assert_true(fabs(mean - (double)sum / 8) < 1e-9);
}

static void kind_and_family_select_rows_but_change_no_rank(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?kind=endpoint"), 200);
    assert_int_equal(call_length(c, "summaries"), 1);
    assert_int_equal(call_length(c, "policies"), 1);
    assert_int_equal(call_length(c, "games"), 3);
    assert_string_equal(call_text(c, "summaries.0.policyId"), "far");
    assert_false(call_is_null(c, "reference"));
    assert_int_equal(call_get(c, "/api/v1/leaderboard?family=test"), 200);
    assert_int_equal(call_length(c, "summaries"), 2);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?reference=beta"), 200);
    assert_string_equal(call_text(c, "reference"), "beta");
    assert_int_equal(call_get(c, "/api/v1/leaderboard?reference=nobody"), 404);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?suite=nothing"), 404);
}

static void chosen_rounds_make_a_board_of_their_own(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?rounds=gauntlet-03,gauntlet-01"), 200);
    assert_int_equal(call_length(c, "rounds"), 2);
    assert_string_equal(call_text(c, "rounds.0.id"), "gauntlet-03");
    assert_int_equal(call_length(c, "summaries"), 3);
    assert_int_equal(call_int(c, "summaries.0.games"), 2);
    assert_int_equal(call_int(c, "summaries.2.rank"), 3); /* far has played these */
    assert_int_equal(call_get(c, "/api/v1/leaderboard?rounds=gauntlet-09"), 404);
}

static void csv_has_a_header_crlf_and_a_column_a_round(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?format=csv"), 200);
    assert_string_equal(c->reply.content_type, "text/csv; charset=utf-8");
    struct span rest = span_of(c->body);
    size_t lines = 0;
    while (rest.len) {
        struct span line = span_cut(&rest, '\n');
        size_t commas = 0;
        for (size_t i = 0; i < line.len; i++) {
            commas += line.ptr[i] == ',';
        }
        assert_int_equal(line.ptr[line.len - 1], '\r');
        assert_int_equal(commas, 24 + 8 - 1);
        lines++;
    }
    assert_int_equal(lines, 4);
    assert_non_null(strstr(c->body, "\r\nfar,3,"));
    assert_non_null(strstr(c->body, ",true,"));
}

/* The n-th cell of a line without quotes. */
static void cell(struct span line, size_t n, char *ret, size_t size)
{
    struct span part = {0};
    for (size_t i = 0; i <= n; i++) {
        part = span_cut(&line, ',');
    }
    assert_int_equal(span_copy(part, ret, size), D7_OK);
}

static void csv_cells_are_the_values_of_the_json_form(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?format=csv"), 200);
    static const char header[] =
        "policyId,games,meanScore,medianScore,lowerQuartileScore,minimumScore,maximumScore,sdScore,"
        "meanMoves,censoredGames,forfeits,illegalMoves,timeouts,crashes,meanClearsPerMove,"
        "meanRevealsPerMove,maxChain,elapsedMs,meanScoreCi95_lo,meanScoreCi95_hi,rank,rankCi95_lo,"
        "rankCi95_hi,provisional,gauntlet-01,gauntlet-02,gauntlet-03,gauntlet-04,gauntlet-05,"
        "gauntlet-06,gauntlet-07,gauntlet-08\r\n";
    assert_int_equal(strncmp(c->body, header, strlen(header)), 0);
    char *csv = strdup(c->body);
    assert_non_null(csv);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    static const struct {
        size_t column;
        const char *path;
    } numbers[] = {{1, "games"},
                   {2, "meanScore"},
                   {7, "sdScore"},
                   {18, "meanScoreCi95.0"},
                   {19, "meanScoreCi95.1"},
                   {20, "rank"},
                   {21, "rankCi95.0"},
                   {22, "rankCi95.1"}};
    struct span rest = span_of(csv);
    (void)span_cut(&rest, '\n');
    for (size_t i = 0; i < 2; i++) {
        struct span line = span_cut(&rest, '\n');
        for (size_t k = 0; k < D7_COUNT(numbers); k++) {
            char text[60];
            char path[60];
            cell(line, numbers[k].column, text, sizeof(text));
            (void)snprintf(path, sizeof(path), "summaries.%zu.%s", i, numbers[k].path);
            assert_true(fabs(strtod(text, NULL) - call_number(c, path)) <= 0);
        }
    }
    struct span far = span_cut(&rest, '\n');
    size_t scores = 0;
    for (size_t k = 18; k < 32; k++) {
        char text[60];
        cell(far, k, text, sizeof(text));
        assert_int_equal(k < 23 && text[0], 0); /* no interval, no rank */
        scores += k > 23 && text[0] && text[0] != '\r';
    }
    assert_int_equal(scores, 3);
    free(csv);
}

static void the_same_bytes_are_served_until_something_changes(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    const char *bytes = c->reply.shared.ptr;
    char etag[80];
    (void)snprintf(etag, sizeof(etag), "%s", c->reply.etag);
    assert_non_null(bytes);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?suite=gauntlet"), 200);
    assert_ptr_equal(c->reply.shared.ptr, bytes);
    const struct job_skills all = {true, true, true};
    struct job job;
    assert_int_equal(job_claim(c->api.store, &all, "lease", clock_utc_ms(), &job), D7_OK);
    assert_int_equal(job_beat(c->api.store, job.id, "lease", 3), D7_OK);
    assert_int_equal(job_release(c->api.store, &job, NULL, clock_utc_ms()), D7_OK);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_ptr_equal(c->reply.shared.ptr, bytes); /* progress is not on the board */
    assert_int_equal(call_play(c, 1, 1), 1);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_string_not_equal(c->reply.etag, etag);
    assert_int_equal(call_length(c, "games"), 20);
    c->as = &c->admin;
    assert_int_equal(call_post(c, "/api/v1/runs", "{\"policy\":\"alpha\"}"), 202);
    char run[40];
    (void)snprintf(run, sizeof(run), "%s", call_text(c, "id"));
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_non_null(strstr(c->body, run)); /* its policy's latestRunId */
}

static void a_restart_changes_no_byte(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    char etag[80];
    (void)snprintf(etag, sizeof(etag), "%s", c->reply.etag);
    site_release(&c->site);
    assert_int_equal(site_init(&c->config, &c->site), D7_OK);
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_string_equal(c->reply.etag, etag);
}

/* The row of a policy on the last board, as a path. */
static const char *row_path(struct call *c, const char *id)
{
    static char path[40];
    for (size_t i = 0; i < call_length(c, "summaries"); i++) {
        char at[60];
        (void)snprintf(at, sizeof(at), "summaries.%zu.policyId", i);
        (void)snprintf(path, sizeof(path), "summaries.%zu", i);
        if (strcmp(call_text(c, at), id) == 0) {
            return path;
        }
    }
    fail_msg("no row of %s", id);
    return path;
}

static const char *of_row(struct call *c, const char *id, const char *field)
{
    static char path[4][100];
    static unsigned turn;
    char *to = path[turn++ % 4];
    (void)snprintf(to, 100, "%s.%s", row_path(c, id), field);
    return to;
}

static void rows_have_intervals_and_a_comparison_with_the_reference(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?reference=beta"), 200);
    assert_int_equal(call_int(c, "bootstrap.resamples"), 10000);
    assert_true(call_int(c, "bootstrap.seed") >= 0);
    static const char *const whole[] = {"alpha", "beta"};
    for (size_t i = 0; i < D7_COUNT(whole); i++) {
        double mean = call_number(c, of_row(c, whole[i], "meanScore"));
        assert_int_equal(call_length(c, of_row(c, whole[i], "meanScoreCi95")), 2);
        assert_true(call_number(c, of_row(c, whole[i], "meanScoreCi95.0")) <= mean);
        assert_true(call_number(c, of_row(c, whole[i], "meanScoreCi95.1")) >= mean);
        assert_true(call_int(c, of_row(c, whole[i], "rankCi95.0")) >= 1);
        assert_true(call_int(c, of_row(c, whole[i], "rankCi95.1")) <= 2);
        int64_t rounds = call_int(c, of_row(c, whole[i], "paired.wins")) +
                         call_int(c, of_row(c, whole[i], "paired.ties")) +
                         call_int(c, of_row(c, whole[i], "paired.losses"));
        assert_int_equal(rounds, 8);
        assert_int_equal(call_length(c, of_row(c, whole[i], "paired.deltaCi95")), 2);
    }
    assert_int_equal(call_int(c, of_row(c, "beta", "paired.ties")), 8);
    assert_true(fabs(call_number(c, of_row(c, "beta", "paired.signTestP")) - 1) <= 0);
    double delta = call_number(c, of_row(c, "alpha", "paired.meanDelta"));
    assert_true(fabs(delta - (call_number(c, of_row(c, "alpha", "meanScore")) -
                              call_number(c, of_row(c, "beta", "meanScore")))) < 1e-9);
    /* three of eight games: no intervals, but a comparison on these three */
    assert_true(call_is_null(c, of_row(c, "far", "meanScoreCi95")));
    assert_true(call_is_null(c, of_row(c, "far", "rankCi95")));
    assert_true(call_is_null(c, of_row(c, "far", "paired.deltaCi95")));
    assert_int_equal(call_int(c, of_row(c, "far", "paired.wins")) +
                         call_int(c, of_row(c, "far", "paired.ties")) +
                         call_int(c, of_row(c, "far", "paired.losses")),
                     3);
    /* four rounds are too few for intervals, not for a comparison */
    assert_int_equal(call_get(c, "/api/v1/leaderboard?rounds="
                                 "gauntlet-01,gauntlet-02,gauntlet-03,gauntlet-04"),
                     200);
    assert_int_equal(call_length(c, "summaries"), 3);
    assert_true(call_is_null(c, of_row(c, "alpha", "meanScoreCi95")));
    assert_true(call_is_null(c, of_row(c, "alpha", "paired.deltaCi95")));
    assert_null(strstr(c->body, "nan"));
    assert_null(strstr(c->body, "inf"));
}

static void equal_selections_are_computed_once_and_follow_changes(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?kind=builtin&reference=beta"), 200);
    const char *bytes = c->reply.shared.ptr;
    assert_non_null(bytes);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?reference=beta&kind=builtin"), 200);
    assert_ptr_equal(c->reply.shared.ptr, bytes);
    static const char *const others[] = {
        "/api/v1/leaderboard?kind=builtin&reference=alpha",
        "/api/v1/leaderboard?kind=builtin&reference=beta&format=csv",
        "/api/v1/leaderboard?kind=builtin&reference=beta&family=test",
        "/api/v1/leaderboard?kind=endpoint&reference=beta",
        "/api/v1/leaderboard?reference=beta",
        "/api/v1/leaderboard?kind=builtin&reference=beta&rounds=gauntlet-01",
        "/api/v1/leaderboard?kind=builtin&reference=beta&rounds=gauntlet-02",
    };
    for (size_t i = 0; i < D7_COUNT(others); i++) {
        assert_int_equal(call_get(c, others[i]), 200);
        assert_ptr_not_equal(c->reply.shared.ptr, bytes);
    }
    char etag[80];
    assert_int_equal(call_get(c, "/api/v1/leaderboard?reference=beta"), 200);
    (void)snprintf(etag, sizeof(etag), "%s", c->reply.etag);
    assert_int_equal(call_play(c, 1, 1), 1);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?reference=beta"), 200);
    assert_string_not_equal(c->reply.etag, etag);
}

static void policies_of_another_status_are_shown_on_request_and_change_no_rank(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?status=ready"), 200);
    const char *whole = c->reply.shared.ptr;
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_ptr_equal(c->reply.shared.ptr, whole);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?status=suspended"), 200);
    assert_int_equal(call_length(c, "summaries"), 0);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?status=gone"), 400);
    assert_int_equal(
        stores_change(c->api.store, "UPDATE policy SET status = 'suspended' WHERE id = 'alpha'"),
        1);
    assert_int_equal(call_play(c, 1, 1), 1); /* the statement above told nobody of a change */
    assert_int_equal(call_get(c, "/api/v1/leaderboard"), 200);
    assert_int_equal(call_length(c, "summaries"), 2);
    assert_int_equal(call_int(c, of_row(c, "beta", "rank")), 1);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?status=suspended"), 200);
    assert_int_equal(call_length(c, "summaries"), 1);
    assert_int_equal(call_length(c, "policies"), 1);
    assert_int_equal(call_length(c, "games"), 8);
    assert_true(call_is_null(c, of_row(c, "alpha", "rank")));
    assert_string_equal(call_text(c, "reference"), "beta");
    assert_int_equal(call_length(c, of_row(c, "alpha", "paired.deltaCi95")), 2);
    assert_int_equal(call_get(c, "/api/v1/leaderboard?status=suspended&reference=alpha"), 404);
    assert_int_equal(call_get(c, "/api/v1/compare?a=alpha&b=beta"), 200);
    assert_int_equal(call_length(c, "rounds"), 8);
}

/* --- comparing two --------------------------------------------------------------------------- */

static void a_comparison_lists_the_rounds_both_played_and_agrees_with_the_board(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/compare?a=alpha&b=beta"), 200);
    assert_string_equal(call_text(c, "a"), "alpha");
    assert_string_equal(call_text(c, "b"), "beta");
    assert_string_equal(call_text(c, "suite"), "gauntlet");
    assert_int_equal(call_length(c, "rounds"), 8);
    int64_t sum = 0;
    for (size_t i = 0; i < 8; i++) {
        char at[3][40];
        (void)snprintf(at[0], sizeof(at[0]), "rounds.%zu.a", i);
        (void)snprintf(at[1], sizeof(at[1]), "rounds.%zu.b", i);
        (void)snprintf(at[2], sizeof(at[2]), "rounds.%zu.delta", i);
        assert_int_equal(call_int(c, at[2]), call_int(c, at[0]) - call_int(c, at[1]));
        sum += call_int(c, at[2]);
    }
    assert_string_equal(call_text(c, "rounds.7.roundId"), "gauntlet-08");
    double mean = call_number(c, "paired.meanDelta");
    double low = call_number(c, "paired.deltaCi95.0");
    double high = call_number(c, "paired.deltaCi95.1");
    double p = call_number(c, "paired.signTestP");
    int64_t wins = call_int(c, "paired.wins");
    int64_t losses = call_int(c, "paired.losses");
    assert_true(fabs(mean - (double)sum / 8) < 1e-9);
    assert_int_equal(wins + losses + call_int(c, "paired.ties"), 8);
    /* the other way round */
    assert_int_equal(call_get(c, "/api/v1/compare?b=alpha&a=beta&suite=gauntlet"), 200);
    assert_int_equal(call_int(c, "paired.wins"), losses);
    assert_int_equal(call_int(c, "paired.losses"), wins);
    assert_true(fabs(call_number(c, "paired.meanDelta") + mean) <= 0);
    assert_true(fabs(call_number(c, "paired.deltaCi95.0") + high) <= 0);
    assert_true(fabs(call_number(c, "paired.deltaCi95.1") + low) <= 0);
    assert_true(fabs(call_number(c, "paired.signTestP") - p) <= 0);
    /* the board says the same */
    assert_int_equal(call_get(c, "/api/v1/leaderboard?reference=beta"), 200);
    assert_true(fabs(call_number(c, of_row(c, "alpha", "paired.meanDelta")) - mean) <= 0);
    assert_true(fabs(call_number(c, of_row(c, "alpha", "paired.deltaCi95.0")) - low) <= 0);
    assert_true(fabs(call_number(c, of_row(c, "alpha", "paired.deltaCi95.1")) - high) <= 0);
}

static void missing_games_are_no_pairs_and_give_no_interval(void **state)
{
    struct call *c = *state;
    played_board(c);
    assert_int_equal(call_get(c, "/api/v1/compare?a=alpha&b=far"), 200);
    assert_int_equal(call_length(c, "rounds"), 3);
    assert_true(call_is_null(c, "paired.deltaCi95"));
    assert_false(call_is_null(c, "paired.meanDelta"));
    call_builtin(c, "idle");
    assert_int_equal(call_get(c, "/api/v1/compare?a=idle&b=alpha"), 200);
    assert_int_equal(call_length(c, "rounds"), 0);
    assert_int_equal(call_int(c, "paired.ties"), 0);
    assert_true(call_is_null(c, "paired.meanDelta"));
    assert_true(call_is_null(c, "paired.medianDelta"));
    assert_true(fabs(call_number(c, "paired.signTestP") - 1) <= 0);
    assert_int_equal(call_get(c, "/api/v1/compare?a=alpha&b=alpha"), 200);
    assert_int_equal(call_int(c, "paired.ties"), 8);
}

static void nonsense_in_a_comparison_is_refused(void **state)
{
    struct call *c = *state;
    call_builtin(c, "alpha");
    static const struct {
        const char *query, *code;
        int status;
    } cases[] = {
        {"", "bad-request", 400},
        {"?a=alpha", "bad-request", 400},
        {"?b=alpha", "bad-request", 400},
        {"?a=alpha&b=", "bad-request", 400},
        {"?a=alpha&b=UPPER", "bad-request", 400},
        {"?a=alpha&b=alpha&c=alpha", "bad-request", 400},
        {"?a=alpha&b=nobody", "not-found", 404},
        {"?a=nobody&b=alpha", "not-found", 404},
        {"?a=alpha&b=alpha&suite=nothing", "not-found", 404},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        char path[200];
        (void)snprintf(path, sizeof(path), "/api/v1/compare%s", cases[i].query);
        assert_int_equal(call_get(c, path), cases[i].status);
        assert_string_equal(call_text(c, "code"), cases[i].code);
    }
}

/* --- rounds and suites ----------------------------------------------------------------------- */

static void rounds_and_suites_are_served(void **state)
{
    struct call *c = *state;
    assert_int_equal(call_get(c, "/api/v1/rounds?limit=3"), 200);
    assert_int_equal(call_length(c, "items"), 3);
    assert_false(call_is_null(c, "next"));
    assert_int_equal(call_get(c, "/api/v1/rounds/gauntlet-01"), 200);
    assert_string_equal(call_text(c, "format"), "drop7-scripted-round-v1");
    assert_int_equal(call_length(c, "discs"), 2000);
    struct roundfile *round = NULL;
    assert_int_equal(roundfile_parse(span_of(c->body), &round, NULL), D7_OK);
    roundfile_free(round);
    assert_int_equal(call_get(c, "/api/v1/suites"), 200);
    assert_string_equal(call_text(c, "items.0.id"), "gauntlet");
    assert_int_equal(call_get(c, "/api/v1/suites/gauntlet"), 200);
    assert_true(call_bool(c, "default"));
    assert_int_equal(call_length(c, "rounds"), 8);
    assert_string_equal(call_text(c, "rounds.7"), "gauntlet-08");
    assert_int_equal(call_get(c, "/api/v1/suites/none"), 404);
    assert_int_equal(call_get(c, "/api/v1/rounds/gauntlet-09"), 404);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, call_open, call_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_empty_board_is_whole),
        CASE(rows_rank_and_reference_come_from_the_counted_games),
        CASE(kind_and_family_select_rows_but_change_no_rank),
        CASE(chosen_rounds_make_a_board_of_their_own),
        CASE(csv_has_a_header_crlf_and_a_column_a_round),
        CASE(csv_cells_are_the_values_of_the_json_form),
        CASE(the_same_bytes_are_served_until_something_changes),
        CASE(a_restart_changes_no_byte),
        CASE(rows_have_intervals_and_a_comparison_with_the_reference),
        CASE(equal_selections_are_computed_once_and_follow_changes),
        CASE(policies_of_another_status_are_shown_on_request_and_change_no_rank),
        CASE(a_comparison_lists_the_rounds_both_played_and_agrees_with_the_board),
        CASE(missing_games_are_no_pairs_and_give_no_interval),
        CASE(nonsense_in_a_comparison_is_refused),
        CASE(rounds_and_suites_are_served),
    };
    return cmocka_run_group_tests_name("unit/server/api_board", tests, NULL, NULL);
}
