#include "server/admin.h"

#include "engine/base/clock.h"
#include "server/config.h"
#include "server/verify.h"
#include "store/account.h"
#include "store/backup.h"

#define WORDS_MAX       4
#define SECRET_BYTES    32
#define VERIFY_TEXT_MAX (64u << 20)
#define REASON_SIZE_MAX 200

/* A command line taken apart: its words, its own options, and the rest for config_parse. */
struct words {
    const char *word[WORDS_MAX];
    size_t count;
    bool admin;
    const char *reason;
    struct config config;
};

static int complain(int status, const char *what, const char *text)
{
    (void)fprintf(stderr, "drop7d: %s%s%s\n", what, *what ? ": " : "", text);
    return status;
}

/* --data DIR, --data=DIR: the one option of the server that these commands have. */
static bool take_data(char **argv, int argc, int *at, char *options[2], int *option_count)
{
    if (strncmp(argv[*at], "--data=", 7) == 0) {
        options[(*option_count)++] = argv[*at];
        return true;
    }
    if (strcmp(argv[*at], "--data") == 0 && *at + 1 < argc) {
        options[(*option_count)++] = argv[*at];
        options[(*option_count)++] = argv[++*at];
        return true;
    }
    return false;
}

/* with_admin, with_reason: which of the two the command has. */
static int take_words(int argc, char **argv, bool with_admin, bool with_reason, struct words *ret)
{
    memset(ret, 0, sizeof(*ret));
    char *options[3] = {0};
    int option_count = 0;
    for (int i = 1; i < argc; i++) {
        if (with_admin && strcmp(argv[i], "--admin") == 0) {
            ret->admin = true;
        } else if (with_reason && strcmp(argv[i], "--reason") == 0 && i + 1 < argc) {
            ret->reason = argv[++i];
        } else if (option_count == 0 && take_data(argv, argc, &i, options, &option_count)) {
            continue;
        } else if (argv[i][0] == '-' || ret->count == WORDS_MAX) {
            char quoted[80];
            return complain(2, span_escape(span_of(argv[i]), quoted, sizeof(quoted)),
                            "not an option here, its value is missing, or it stands twice");
        } else {
            ret->word[ret->count++] = argv[i];
        }
    }
    struct d7_why why = {0};
    if (config_parse(option_count, options, &ret->config, &why)) {
        return complain(2, why.field, why.text);
    }
    return 0;
}

static int open_store(const struct words *w, enum store_mode mode, struct store **ret)
{
    struct d7_why why = {0};
    enum d7_err err = store_open(w->config.data, mode, ret, &why);
    if (err) {
        return complain(1, w->config.data, why.text[0] ? why.text : d7_err_text(err));
    }
    return 0;
}

/* The end of a command that did one thing to the store. */
static int done(struct store *st, enum d7_err err, const char *what)
{
    if (err) {
        (void)complain(1, what, d7_err_text(err));
    }
    store_close(st);
    return err ? 1 : 0;
}

int admin_migrate(int argc, char **argv)
{
    struct words w;
    struct store *st = NULL;
    int status = take_words(argc, argv, false, false, &w);
    if (!status && w.count) {
        status = complain(2, w.word[0], "migrate takes options only");
    }
    if (!status) {
        status = open_store(&w, STORE_MIGRATE, &st);
    }
    if (!status) {
        (void)printf("%s: schema version %d\n", w.config.data, store_schema_version());
        store_close(st);
    }
    return status;
}

/* A token may come before the first start of the server, but never migrates a store in use. */
static int open_or_create(const struct words *w, struct store **ret)
{
    struct d7_why why = {0};
    enum d7_err err = store_open(w->config.data, STORE_OPEN, ret, &why);
    return err == D7_ERR_NOT_FOUND ? open_store(w, STORE_MIGRATE, ret)
           : err                   ? complain(1, w->config.data, why.text)
                                   : 0;
}

static int token_create(const struct words *w)
{
    if (!span_is_name(span_of(w->word[1]))) {
        return complain(2, "NAME", "1-80 characters, one of them visible, no control characters");
    }
    struct store *st = NULL;
    int status = open_or_create(w, &st);
    if (status) {
        return status;
    }
    char secret[2 * SECRET_BYTES + 4] = "d7_";
    char id[STORE_KEY_SIZE];
    enum d7_err err = random_hex(secret + 3, SECRET_BYTES);
    if (!err) {
        char sha[SHA_HEX_SIZE];
        sha_of(span_of(secret), sha);
        err = account_token_add(st, w->word[1], w->admin, false, sha, clock_utc_ms(), id);
    }
    if (!err && (printf("%s\n", secret) < 0 || fflush(stdout) != 0)) {
        err = token_revoke(st, id, clock_utc_ms()); /* nobody has seen it; main says why */
    }
    return done(st, err, "token create");
}

static void print_time(int64_t at)
{
    char text[CLOCK_TEXT_SIZE] = "never";
    if (at >= 0) {
        clock_format(at, text);
    }
    (void)printf("  %-24s", text);
}

static int token_list_all(const struct words *w)
{
    struct store *st = NULL;
    int status = open_store(w, STORE_OPEN, &st);
    if (status) {
        return status;
    }
    struct token_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = token_list(st, &rows, &count);
    if (!err) {
        (void)printf("%-32s  %-24s  %-24s  %-7s  %s\n", "ID", "CREATED", "LAST USED", "STATE",
                     "ACCOUNT");
    }
    for (size_t i = 0; i < count && !err; i++) {
        (void)printf("%-32s", rows[i].id);
        print_time(rows[i].created_at);
        print_time(rows[i].last_used_at);
        (void)printf("  %-7s  %s%s\n", rows[i].revoked ? "revoked" : "live", rows[i].account,
                     rows[i].admin ? " (admin)" : "");
    }
    free(rows);
    return done(st, err, "token list");
}

static int token_end(const struct words *w)
{
    struct store *st = NULL;
    int status = open_store(w, STORE_OPEN, &st);
    if (status) {
        return status;
    }
    enum d7_err err = token_revoke(st, w->word[1], clock_utc_ms());
    if (!err) {
        (void)printf("revoked %s\n", w->word[1]);
    }
    return done(st, err, "token revoke");
}

int admin_token(int argc, char **argv)
{
    struct words w;
    int status = take_words(argc, argv, true, false, &w);
    if (status) {
        return status;
    }
    const char *verb = w.count ? w.word[0] : "";
    if (strcmp(verb, "create") == 0 && w.count == 2) {
        return token_create(&w);
    }
    if (strcmp(verb, "list") == 0 && w.count == 1 && !w.admin) {
        return token_list_all(&w);
    }
    if (strcmp(verb, "revoke") == 0 && w.count == 2 && !w.admin) {
        return token_end(&w);
    }
    return complain(2, "token", "create NAME [--admin] | list | revoke ID  [--data DIR]");
}

int admin_game(int argc, char **argv)
{
    struct words w;
    int status = take_words(argc, argv, false, true, &w);
    if (status) {
        return status;
    }
    if (w.count != 2 || strcmp(w.word[0], "void") != 0 || !w.reason) {
        return complain(2, "game", "void ID --reason TEXT  [--data DIR]");
    }
    if (!span_is_label(span_of(w.reason), 1, REASON_SIZE_MAX, false) ||
        strlen(w.reason) > REASON_SIZE_MAX) {
        return complain(2, "--reason", "1-200 bytes without control characters");
    }
    struct store *st = NULL;
    status = open_store(&w, STORE_OPEN, &st);
    if (status) {
        return status;
    }
    enum d7_err err = game_void(st, w.word[1], w.reason, clock_utc_ms());
    if (!err) {
        (void)printf("void: %s\n", w.word[1]);
    }
    return done(st, err, "game void");
}

int admin_verify(int argc, char **argv)
{
    struct words w;
    struct store *st = NULL;
    int status = take_words(argc, argv, false, false, &w);
    if (!status && w.count) {
        status = complain(2, w.word[0], "verify takes options only");
    }
    if (!status) {
        status = open_store(&w, STORE_OPEN, &st);
    }
    if (status) {
        return status;
    }
    struct verify_report report = {0};
    struct buf lines;
    buf_init(&lines, VERIFY_TEXT_MAX);
    enum d7_err err = verify_store(st, &report, &lines);
    (void)fputs(lines.len ? lines.data : "", stdout);
    buf_release(&lines);
    if (!err && report.different) {
        (void)printf("%llu of %llu games differ\n", (unsigned long long)report.different,
                     (unsigned long long)report.games);
    } else if (!err) {
        (void)printf("verified %llu games\n", (unsigned long long)report.games);
    }
    status = done(st, err, "verify");
    return report.different ? 1 : status;
}

int admin_backup(int argc, char **argv)
{
    struct words w;
    struct store *st = NULL;
    int status = take_words(argc, argv, false, false, &w);
    if (!status && w.count != 1) {
        status = complain(2, "backup", "DIR  [--data DIR]");
    }
    if (!status) {
        status = open_store(&w, STORE_OPEN, &st);
    }
    if (status) {
        return status;
    }
    struct backup_report report = {0};
    struct d7_why why = {0};
    enum d7_err err = store_backup(st, w.word[0], &report, &why);
    store_close(st);
    if (err) {
        return complain(1, "backup", why.text);
    }
    (void)printf("%s: database of %lld bytes, %lld artifacts\n", w.word[0],
                 (long long)report.db_bytes, (long long)report.artifacts);
    if (report.missing) {
        char text[120];
        (void)snprintf(text, sizeof(text),
                       "made, but %lld artifacts are missing or damaged in the store itself",
                       (long long)report.missing);
        return complain(1, "backup", text);
    }
    return 0;
}
