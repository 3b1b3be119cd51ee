/* server/config: every option, its limits, and who wins. */
#include "tests/support/support.h"

#include "server/config.h"

static struct config c;
static struct d7_why why;

static enum d7_err parse(const char *a, const char *b, const char *d, const char *e)
{
    char words[4][700];
    char *argv[4];
    const char *const given[4] = {a, b, d, e};
    int argc = 0;
    for (; argc < 4 && given[argc]; argc++) {
        (void)snprintf(words[argc], sizeof(words[0]), "%s", given[argc]);
        argv[argc] = words[argc];
    }
    memset(&why, 0, sizeof(why));
    return config_parse(argc, argv, &c, &why);
}

static void defaults_are_those_of_the_contract(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL, NULL, NULL, NULL), D7_OK);
    assert_string_equal(c.listen, "127.0.0.1:8080");
    assert_string_equal(c.data, "./var");
    assert_int_equal(c.workers, sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(c.http_threads, 4);
    assert_false(c.registration_open);
    assert_false(c.sandbox_off);
    assert_int_equal(c.max_upload, 16 << 20);
    assert_int_equal(c.lease_beat_ms, 5000);
    assert_int_equal(c.lease_dead_ms, 30000);
    assert_int_equal(c.rate_writes, 60);
    assert_int_equal(c.rate_tokens, 5);
    assert_int_equal(c.rate_failures, 20);
    assert_int_equal(c.rate_plays, 20);
    assert_int_equal(c.play_expiry_ms, 86400000);
    assert_int_equal(c.quota_policies, 20);
    assert_int_equal(c.quota_revisions, 50);
    assert_int_equal(c.quota_jobs, 64);
    assert_int_equal(c.quota_artifacts, 256 << 20);
    assert_int_equal(c.interpreter_count, 4);
    assert_string_equal(c.interpreters[0], "python3");
    assert_true(c.program_dir[0] == '/');
    assert_int_equal(c.limits.move_ms, harness_limits_default().move_ms);
}

static void values_are_taken_in_both_spellings_and_the_last_wins(void **state)
{
    (void)state;
    assert_int_equal(parse("--listen", "[::1]:0", "--listen=0.0.0.0:81", NULL), D7_OK);
    assert_string_equal(c.listen, "0.0.0.0:81");
    assert_int_equal(parse("--move-timeout", "0.25", "--demo", "--max-upload=3M"), D7_OK);
    assert_int_equal(c.limits.move_ms, 250);
    assert_true(c.demo);
    assert_int_equal(c.max_upload, 3 << 20);
    assert_int_equal(parse("--workers=0", "--sandbox=off", "--registration=open",
                           "--interpreters=sh,python3.11"),
                     D7_OK);
    assert_int_equal(c.workers, 0);
    assert_true(c.sandbox_off && c.registration_open);
    assert_int_equal(c.interpreter_count, 2);
    assert_string_equal(c.interpreters[1], "python3.11");
    assert_int_equal(parse("--rate-writes=0", "--quota-artifacts=0", "--quota-jobs=9", NULL),
                     D7_OK);
    assert_int_equal(c.rate_writes, 0);
    assert_int_equal(c.quota_artifacts, 0);
    assert_int_equal(c.quota_jobs, 9);
    assert_int_equal(parse("--log-format=json", "--log-format", "text", NULL), D7_OK);
    assert_false(c.log_json);
}

static void ranges_add_up(void **state)
{
    (void)state;
    assert_int_equal(
        parse("--allow-endpoint", "10.0.0.0/8", "--allow-endpoint", "127.0.0.1,fc00::/7"), D7_OK);
    assert_int_equal(c.allow_endpoint_count, 3);
    assert_true(c.allow_endpoint[2].v6);
    assert_int_equal(c.allow_endpoint[1].bits, 32);
    assert_int_equal(c.trusted_proxy_count, 0);
}

static void bad_values_are_refused_by_name_and_limit(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *field, *says;
    } rows[] = {
        {"--listen", "127.0.0.1:70000", "--listen", "65535"},
        {"--listen", "8080", "--listen", "HOST:PORT"},
        {"--listen", "::1:80", "--listen", "[V6]:PORT"},
        {"--listen", ":80", "--listen", "HOST:PORT"},
        {"--workers", "65", "--workers", "0 to 64"},
        {"--workers", "-1", "--workers", "0 to 64"},
        {"--workers", "two", "--workers", "'two'"},
        {"--http-threads", "0", "--http-threads", "1 to 64"},
        {"--allow-endpoint", "10.0.0.0/33", "--allow-endpoint", "10.0.0.0/8"},
        {"--trusted-proxy", "", "--trusted-proxy", "range"},
        {"--max-upload", "2G", "--max-upload", "1024M"},
        {"--max-upload", "1025M", "--max-upload", "1024M"},
        {"--max-upload", "9223372036854775807M", "--max-upload", "1024M"},
        {"--max-upload", "M", "--max-upload", "1K"},
        {"--quota-artifacts", "2000000M", "--quota-artifacts", "0 to 1048576M"},
        {"--rate-writes", "1000001", "--rate-writes", "0 to 1000000"},
        {"--move-timeout", "0", "--move-timeout", "0.01 to 3600"},
        {"--move-timeout", "1.2345", "--move-timeout", "seconds"},
        {"--move-timeout", "1e3", "--move-timeout", "seconds"},
        {"--move-timeout", "nan", "--move-timeout", "seconds"},
        {"--move-timeout", ".5", "--move-timeout", "seconds"},
        {"--registration", "maybe", "--registration", "closed or open"},
        {"--sandbox", "on", "--sandbox", "auto or off"},
        {"--log-format", "xml", "--log-format", "text or json"},
        {"--interpreters", "../sh", "--interpreters", "program names"},
        {"--interpreters", "sh,,perl", "--interpreters", "program names"},
        {"--data", "", "--data", "name"},
        {"--tls-cert", "x.pem", "--tls-cert", "together"},
        {"--lease-dead", "6", "--lease-dead", "twice"},
        {"--no-such", "1", "--no-such", "unknown"},
        {"--workers", NULL, "--workers", "missing"},
        {"stray", NULL, "stray", "not an option"},
        {"-x", NULL, "-x", "not an option"},
        {"--", NULL, "--", "not an option"},
        {"--evil\n[31m", NULL, "--evil\\x0a[31m", "unknown"},
        {"--demo=perhaps", NULL, "--demo", "yes or no"},
    };
    c.workers = 99;
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        enum d7_err err = parse(rows[i].a, rows[i].b, NULL, NULL);
        if (err != D7_ERR_INVALID || strcmp(why.field, rows[i].field) != 0 ||
            !strstr(why.text, rows[i].says) || strchr(why.text, '\n')) {
            fail_msg("%s %s: %d %s: %s", rows[i].a, rows[i].b ? rows[i].b : "", err, why.field,
                     why.text);
        }
    }
    assert_int_equal(c.workers, 99); /* written on success only */
}

static void long_values_are_refused_not_cut(void **state)
{
    (void)state;
    char text[600];
    memset(text, 'a', sizeof(text));
    text[599] = '\0';
    assert_int_equal(parse("--data", text, NULL, NULL), D7_ERR_INVALID);
    assert_non_null(strstr(why.text, "511"));
}

static void the_environment_comes_second(void **state)
{
    (void)state;
    assert_int_equal(setenv("DROP7_HTTP_THREADS", "7", 1), 0);
    assert_int_equal(setenv("DROP7_ALLOW_ENDPOINT", "10.0.0.0/8,127.0.0.0/8", 1), 0);
    assert_int_equal(setenv("DROP7_DEMO", "1", 1), 0);
    assert_int_equal(parse(NULL, NULL, NULL, NULL), D7_OK);
    assert_int_equal(c.http_threads, 7);
    assert_int_equal(c.allow_endpoint_count, 2);
    assert_true(c.demo);
    assert_int_equal(parse("--http-threads=2", "--allow-endpoint=::1", "--demo=no", NULL), D7_OK);
    assert_int_equal(c.http_threads, 2);
    assert_int_equal(c.allow_endpoint_count, 1);
    assert_false(c.demo);
    assert_int_equal(setenv("DROP7_HTTP_THREADS", "many", 1), 0);
    assert_int_equal(parse(NULL, NULL, NULL, NULL), D7_ERR_INVALID);
    assert_string_equal(why.field, "DROP7_HTTP_THREADS");
    (void)unsetenv("DROP7_HTTP_THREADS");
    (void)unsetenv("DROP7_ALLOW_ENDPOINT");
    (void)unsetenv("DROP7_DEMO");
}

static void help_names_every_option_and_default(void **state)
{
    (void)state;
    static const char *const names[] = {"listen",
                                        "data",
                                        "workers",
                                        "http-threads",
                                        "registration",
                                        "allow-endpoint",
                                        "trusted-proxy",
                                        "connect-timeout",
                                        "handshake-timeout",
                                        "move-timeout",
                                        "game-timeout",
                                        "max-upload",
                                        "sandbox",
                                        "interpreters",
                                        "tls-cert",
                                        "tls-key",
                                        "log-format",
                                        "demo",
                                        "static",
                                        "lease-beat",
                                        "lease-dead",
                                        "rate-writes",
                                        "rate-tokens",
                                        "rate-auth-failures",
                                        "quota-policies",
                                        "quota-revisions",
                                        "quota-jobs",
                                        "quota-artifacts"};
    struct buf text;
    buf_init(&text, 1 << 16);
    config_help(&text);
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        char want[40];
        (void)snprintf(want, sizeof(want), "--%s", names[i]);
        if (!strstr(text.data, want)) {
            fail_msg("%s", want);
        }
    }
    assert_non_null(strstr(text.data, "[127.0.0.1:8080]"));
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_contract),
        cmocka_unit_test(values_are_taken_in_both_spellings_and_the_last_wins),
        cmocka_unit_test(ranges_add_up),
        cmocka_unit_test(bad_values_are_refused_by_name_and_limit),
        cmocka_unit_test(long_values_are_refused_not_cut),
        cmocka_unit_test(the_environment_comes_second),
        cmocka_unit_test(help_names_every_option_and_default),
    };
    return cmocka_run_group_tests_name("server/config", tests, NULL, NULL);
}
