#include "tests/support/support.h"

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "server/verify.h"
#include "server/work/claim.h"
#include "server/work/leases.h"
#include "server/work/supervisor.h"
#include "store/account.h"
#include "store/game_verify.h"

/* --- leases
 * --------------------------------------------------------------------------------------- */

#define DEAD_MS 30000

static bool see(struct leases *l, int64_t now_ms, const char *key, int64_t beat)
{
    bool dead = false;
    leases_look(l, now_ms);
    assert_int_equal(pulses_see(&l->jobs, l, key, beat, &dead), D7_OK);
    pulses_forget_absent(&l->jobs);
    return dead;
}

static void lease_ends_when_its_beat_stands_still(void **state)
{
    (void)state;
    struct leases l;
    leases_init(&l, DEAD_MS);
    for (int64_t now = 0; now < DEAD_MS; now += 1000) {
        assert_false(see(&l, 1000000 + now, "a", 7));
    }
    assert_true(see(&l, 1000000 + DEAD_MS, "a", 7));
    leases_release(&l);
}

static void beating_lease_lives_on(void **state)
{
    (void)state;
    struct leases l;
    leases_init(&l, DEAD_MS);
    for (int64_t beat = 0; beat < 100; beat++) {
        assert_false(see(&l, beat * 4000, "a", beat));
    }
    leases_release(&l);
}

static void new_lease_of_the_same_beat_starts_anew(void **state)
{
    (void)state;
    struct leases l;
    leases_init(&l, DEAD_MS);
    for (int64_t now = 0; now < DEAD_MS; now += 5000) {
        assert_false(see(&l, now, "a", 0));
    }
    for (int64_t now = DEAD_MS; now < 2 * DEAD_MS; now += 5000) {
        assert_false(see(&l, now, "b", 0));
    }
    assert_true(see(&l, 2 * DEAD_MS, "b", 0));
    leases_release(&l);
}

static void time_not_watched_does_not_count(void **state)
{
    (void)state;
    struct leases l;
    leases_init(&l, DEAD_MS);
    assert_false(see(&l, 0, "a", 0));
    /* the observer itself was stopped for a day */
    assert_false(see(&l, 86400000, "a", 0));
    int64_t now = 86400000;
    int looks = 0;
    while (!see(&l, now += 1000, "a", 0)) {
        looks++;
    }
    assert_int_equal(looks, (DEAD_MS - LEASES_LOOK_MAX_MS) / 1000 - 1);
    leases_release(&l);
}

static void absent_lease_is_forgotten(void **state)
{
    (void)state;
    struct leases l;
    leases_init(&l, DEAD_MS);
    char key[16];
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(key, sizeof(key), "k%d", i);
        assert_false(see(&l, i, key, 0));
        assert_int_equal(l.jobs.count, 1);
    }
    leases_release(&l);
}

/* --- restarts and waits
 * ----------------------------------------------------------------------------- */

static void restarts_double_up_to_ten_seconds(void **state)
{
    (void)state;
    static const int64_t expected[] = {250, 500, 1000, 2000, 4000, 8000, 10000, 10000};
    struct respawn r = {0};
    for (size_t i = 0; i < D7_COUNT(expected); i++) {
        assert_int_equal(respawn_delay(&r, 10), expected[i]);
    }
}

static void a_minute_of_life_forgives(void **state)
{
    (void)state;
    struct respawn r = {0};
    for (int i = 0; i < 5; i++) {
        (void)respawn_delay(&r, 0);
    }
    assert_true(respawn_delay(&r, RESPAWN_FORGIVEN_MS - 1) > RESPAWN_FIRST_MS);
    assert_int_equal(respawn_delay(&r, RESPAWN_FORGIVEN_MS), RESPAWN_FIRST_MS);
    assert_int_equal(respawn_delay(&r, 1), 2 * RESPAWN_FIRST_MS);
}

static void idle_wait_grows_to_a_second(void **state)
{
    (void)state;
    int64_t wait = 0, before = 0;
    for (int i = 0; i < 10; i++) {
        wait = claim_idle_ms(wait);
        assert_true(wait >= before && wait >= CLAIM_IDLE_FIRST_MS && wait <= CLAIM_IDLE_LAST_MS);
        before = wait;
    }
    assert_int_equal(wait, CLAIM_IDLE_LAST_MS);
    assert_int_equal(claim_idle_ms(0), CLAIM_IDLE_FIRST_MS);
}

/* --- claims
 * ----------------------------------------------------------------------------------------- */

static void uploads_go_only_where_they_are_confined(void **state)
{
    (void)state;
    static const struct {
        const char *tier;
        bool uploads;
    } table[] = {{"A", true}, {"B", true}, {"C", false}, {"off", true}, {"", false}, {"a", false}};
    for (size_t i = 0; i < D7_COUNT(table); i++) {
        struct job_skills skills = claim_skills(table[i].tier);
        assert_int_equal(skills.uploads, table[i].uploads);
        assert_true(skills.endpoints);
        assert_true(skills.builtins);
    }
}

static void faults_are_listed_as_json(void **state)
{
    (void)state;
    struct fault faults[2] = {{.move = 3, .kind = FAULT_ILLEGAL, .seen = "bestmove \"9\""},
                              {.move = 40, .kind = FAULT_CRASH, .seen = ""}};
    struct played p = {.faults = faults, .fault_count = 2};
    struct buf text;
    buf_init(&text, 4096);
    claim_faults_json(&p, &text);
    assert_string_equal(text.data, "[{\"move\":3,\"kind\":\"illegal\",\"seen\":\"bestmove "
                                   "\\\"9\\\"\"},{\"move\":40,\"kind\":\"crash\",\"seen\":\"\"}]");
    buf_release(&text);
}

static void worst_fault_list_fits(void **state)
{
    (void)state;
    struct fault *faults = calloc(FAULT_KEEP_MAX, sizeof(*faults));
    assert_non_null(faults);
    for (size_t i = 0; i < FAULT_KEEP_MAX; i++) {
        faults[i].move = ROUND_MOVES_MAX;
        faults[i].kind = FAULT_FORFEIT;
        memset(faults[i].seen, '"', FAULT_SEEN_SIZE - 1); /* printable, and doubled in JSON */
    }
    struct played p = {.faults = faults, .fault_count = FAULT_KEEP_MAX};
    struct buf text;
    buf_init(&text, 1u << 20);
    claim_faults_json(&p, &text);
    assert_int_equal(text.err, D7_OK);
    buf_release(&text);
    free(faults);
}

/* --- with a store
 * ----------------------------------------------------------------------------------- */

struct world {
    struct store *store;
    struct job job;
    struct worker_row row;
    volatile sig_atomic_t stop;
    struct claim claim;
};

/* A store with one built-in policy, its run, and the first job claimed. */
static void world_make(struct world *w)
{
    memset(w, 0, sizeof(*w));
    struct d7_why why = {0};
    assert_int_equal(store_open(support_scratch(), STORE_MIGRATE, &w->store, &why), D7_OK);
    struct policy_new_row row = {.id = "tester",
                                 .name = "Tester",
                                 .family = "tests",
                                 .description = "",
                                 .kind = KIND_BUILTIN,
                                 .public_information = true,
                                 .concurrency = 1,
                                 .sha256 = "",
                                 .format = "builtin",
                                 .endpoint = ""};
    char run[STORE_KEY_SIZE], existing[STORE_KEY_SIZE];
    assert_int_equal(policy_add(w->store, &row, 1, run), D7_OK);
    const char *rounds[] = {"gauntlet-01"};
    assert_int_equal(run_add(w->store, "tester", NULL, rounds, 1, 2, run, existing), D7_OK);
    struct job_skills skills = claim_skills("A");
    assert_int_equal(job_claim(w->store, &skills, "lease-1", 3, &w->job), D7_OK);
    (void)snprintf(w->row.id, sizeof(w->row.id), "worker-1");
    (void)snprintf(w->row.tier, sizeof(w->row.tier), "A");
    assert_int_equal(worker_register(w->store, &w->row, 3), D7_OK);
    w->claim = (struct claim){
        .store = w->store, .job = &w->job, .self = &w->row, .stop = &w->stop, .dead_ms = 1000};
    claim_begin(&w->claim, clock_mono_ms());
}

static void world_end(struct world *w)
{
    store_close(w->store);
    support_scratch_remove();
}

static void silent_job_is_expired_once_and_claimed_again(void **state)
{
    (void)state;
    struct world w;
    world_make(&w);
    struct leases l;
    struct leases_report report;
    leases_init(&l, DEAD_MS);
    int64_t now = 0;
    size_t expired = 0;
    for (int i = 0; i < 20; i++, now += 4000) {
        assert_int_equal(leases_tick(&l, w.store, now, now, &report), D7_OK);
        expired += report.expired;
    }
    assert_int_equal(expired, 1);
    struct job again;
    struct job_skills skills = claim_skills("A");
    assert_int_equal(job_claim(w.store, &skills, "lease-2", 5, &again), D7_OK);
    assert_int_equal(again.id, w.job.id);
    assert_int_equal(again.attempts, 1);
    leases_release(&l);
    world_end(&w);
}

static void silent_worker_is_removed(void **state)
{
    (void)state;
    struct world w;
    world_make(&w);
    struct leases l;
    struct leases_report report;
    leases_init(&l, DEAD_MS);
    size_t gone = 0;
    for (int64_t now = 0; now <= DEAD_MS; now += 5000) {
        assert_int_equal(leases_tick(&l, w.store, now, now, &report), D7_OK);
        gone += report.gone;
    }
    assert_int_equal(gone, 1);
    struct worker_row *rows = NULL;
    size_t count = 1;
    assert_int_equal(worker_list(w.store, &rows, &count), D7_OK);
    assert_int_equal(count, 0);
    free(rows);
    leases_release(&l);
    world_end(&w);
}

static void lost_lease_stops_the_game(void **state)
{
    (void)state;
    struct world w;
    world_make(&w);
    assert_true(claim_keep_going(&w.claim, 10));
    struct lease_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(job_leases(w.store, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    assert_int_equal(job_expire(w.store, &rows[0], 9), D7_OK);
    free(rows);
    assert_false(claim_keep_going(&w.claim, 11));
    assert_true(w.claim.lost);
    world_end(&w);
}

static void stop_request_stops_the_game_but_keeps_the_lease(void **state)
{
    (void)state;
    struct world w;
    world_make(&w);
    w.stop = 1;
    assert_false(claim_keep_going(&w.claim, 1));
    assert_false(w.claim.lost);
    world_end(&w);
}

static void job_given_back_unharmed_costs_no_attempt(void **state)
{
    (void)state;
    struct world w;
    world_make(&w);
    claim_give_back(&w.claim, NULL);
    struct job again;
    struct job_skills skills = claim_skills("A");
    assert_int_equal(job_claim(w.store, &skills, "lease-2", 5, &again), D7_OK);
    assert_int_equal(again.attempts, 0);
    world_end(&w);
}

static void our_third_failure_fails_the_run(void **state)
{
    (void)state;
    struct world w;
    world_make(&w);
    struct job_skills skills = claim_skills("A");
    for (int i = 1; i < JOB_ATTEMPTS_MAX; i++) {
        claim_give_back(&w.claim, "no processes left");
        assert_int_equal(job_claim(w.store, &skills, "lease-n", 5 + i, &w.job), D7_OK);
        assert_int_equal(w.job.attempts, i);
    }
    claim_give_back(&w.claim, "no processes left");
    assert_int_equal(job_claim(w.store, &skills, "lease-z", 9, &w.job), D7_ERR_NOT_FOUND);
    struct run_row run;
    assert_int_equal(run_get(w.store, w.job.run_id, &run), D7_OK);
    assert_int_equal(run.status, RUN_FAILED);
    assert_non_null(strstr(run.reason, "no processes left"));
    world_end(&w);
}

/* Plays column 0 while it is legal, then stops: a forfeit. */
static void record_some_game(struct world *w, struct played *p)
{
    static uint8_t columns[3] = {0, 1, 2};
    static uint32_t think[3] = {5, 5, 5};
    struct roundfile *round = NULL;
    assert_int_equal(round_get(w->store, "gauntlet-01", &round), D7_OK);
    *p = (struct played){
        .columns = columns, .think_us = think, .moves = 3, .outcome = OUTCOME_FORFEIT};
    (void)snprintf(p->reason, sizeof(p->reason), "three crashes");
    assert_int_equal(replay_run(&round->round, columns, 3, NULL, &p->summary, NULL), D7_OK);
    roundfile_free(round);
    assert_int_equal(claim_record_game(&w->claim, p, span_of("tail")), D7_OK);
}

static void recorded_game_verifies(void **state)
{
    (void)state;
    struct world w;
    struct played p;
    world_make(&w);
    record_some_game(&w, &p);
    struct verify_report report;
    struct buf lines;
    buf_init(&lines, 4096);
    assert_int_equal(verify_store(w.store, &report, &lines), D7_OK);
    assert_int_equal(report.games, 1);
    assert_int_equal(report.different, 0);
    assert_int_equal(lines.len, 0);
    buf_release(&lines);
    world_end(&w);
}

static void result_of_a_lost_lease_leaves_nothing(void **state)
{
    (void)state;
    struct world w;
    struct played p;
    world_make(&w);
    record_some_game(&w, &p);
    assert_int_equal(claim_record_game(&w.claim, &p, span_of("")), D7_ERR_CONFLICT);
    struct game_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(game_scan(w.store, "", 10, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    free(rows);
    world_end(&w);
}

static void verify_names_what_differs(void **state)
{
    (void)state;
    struct world w;
    struct played p;
    world_make(&w);
    record_some_game(&w, &p);
    struct game_row *rows = NULL;
    size_t count = 0;
    assert_int_equal(game_scan(w.store, "", 10, &rows, &count), D7_OK);
    assert_int_equal(count, 1);
    struct game_row game = rows[0];
    free(rows);
    assert_null(game_difference(&game, &p.summary));
    struct summary other = p.summary;
    other.score++;
    assert_string_equal(game_difference(&game, &other), "score");
    other = p.summary;
    other.checksum[0] ^= 1;
    assert_string_equal(game_difference(&game, &other), "checksum");
    other = p.summary;
    other.max_chain++;
    assert_string_equal(game_difference(&game, &other), "maxChain");
    other = p.summary;
    other.over = true;
    assert_string_equal(game_difference(&game, &other), "outcome");
    game.outcome = OUTCOME_OVER;
    assert_string_equal(game_difference(&game, &p.summary), "outcome");
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lease_ends_when_its_beat_stands_still),
        cmocka_unit_test(beating_lease_lives_on),
        cmocka_unit_test(new_lease_of_the_same_beat_starts_anew),
        cmocka_unit_test(time_not_watched_does_not_count),
        cmocka_unit_test(absent_lease_is_forgotten),
        cmocka_unit_test(restarts_double_up_to_ten_seconds),
        cmocka_unit_test(a_minute_of_life_forgives),
        cmocka_unit_test(idle_wait_grows_to_a_second),
        cmocka_unit_test(uploads_go_only_where_they_are_confined),
        cmocka_unit_test(faults_are_listed_as_json),
        cmocka_unit_test(worst_fault_list_fits),
        cmocka_unit_test(silent_job_is_expired_once_and_claimed_again),
        cmocka_unit_test(silent_worker_is_removed),
        cmocka_unit_test(lost_lease_stops_the_game),
        cmocka_unit_test(stop_request_stops_the_game_but_keeps_the_lease),
        cmocka_unit_test(job_given_back_unharmed_costs_no_attempt),
        cmocka_unit_test(our_third_failure_fails_the_run),
        cmocka_unit_test(recorded_game_verifies),
        cmocka_unit_test(result_of_a_lost_lease_leaves_nothing),
        cmocka_unit_test(verify_names_what_differs),
    };
    return cmocka_run_group_tests_name("server/work", tests, NULL, NULL);
}
