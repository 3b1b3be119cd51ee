/*
 * config.h - options of drop7d: command line first, DROP7_NAME in the environment second, defaults
 * last.
 *
 * Errors  a bad option or value: one line naming it (exit 2 in main).
 * Threads read-only once parsed.
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include "engine/harness/play.h"
#include "server/cidr.h"

#define CONFIG_CIDR_MAX        32
#define CONFIG_INTERPRETER_MAX 16

struct config {
    char listen[300];
    char data[512];
    char user[64]; /* empty: see server/privilege.h */
    unsigned workers;
    unsigned http_threads;
    bool registration_open;
    struct cidr allow_endpoint[CONFIG_CIDR_MAX];
    size_t allow_endpoint_count;
    struct cidr trusted_proxy[CONFIG_CIDR_MAX];
    size_t trusted_proxy_count;
    struct harness_limits limits; /* --connect-timeout, --handshake-timeout, --move-timeout,
                                     --game-timeout (seconds, fractions) */
    int64_t max_upload;           /* bytes; suffixes K, M */
    bool sandbox_off;
    char interpreters[CONFIG_INTERPRETER_MAX][32]; /* --interpreters python3,node,perl,sh */
    size_t interpreter_count;
    char tls_cert[512], tls_key[512];
    bool log_json;
    bool demo;
    char static_dir[512];                             /* empty: embedded */
    int64_t lease_beat_ms, lease_dead_ms;             /* 5 s, 30 s */
    int64_t play_expiry_ms;                           /* 24 h since the last move */
    unsigned rate_writes, rate_tokens, rate_failures; /* 0 in these three lines: no limit */
    unsigned rate_plays;                              /* moves a second from one address */
    unsigned quota_policies, quota_revisions, quota_jobs;
    int64_t quota_artifacts; /* bytes; 0: no limit */
    char program_dir[512];   /* where drop7d and drop7-sandbox lie */
};

/* Parses argv after the subcommand. why->field names the option. */
D7_MUST_USE enum d7_err config_parse(int argc, char **argv, struct config *ret, struct d7_why *why);
/* The options with their defaults, for --help. */
void config_help(struct buf *to);

#endif
