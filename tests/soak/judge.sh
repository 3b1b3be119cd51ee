# What is measured every minute and asked at the end, for run.sh.

sql() { sqlite3 -readonly -cmd '.timeout 5000' "$data/drop7.db" "$1"; }
rss_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$(server_pid)/status" 2>/dev/null || echo 0; }
descriptors() { ls "/proc/$(server_pid)/fd" 2>/dev/null | wc -l; }
# Every process but this shell and its actors is the server's, a worker's or a policy's.
foreign() {
    if [ -n "${SOAK_INSIDE:-}" ]; then
        ps -e -o pid=,comm= | awk '$2 !~ /^(bash|sleep|curl|ps|awk|grep|wc|dd|shuf|sqlite3|cat|tr|cut|head|sed|touch|drop7|unshare|ls|pgrep|sort)$/'
    else
        pgrep -af "$data|drop7-sandbox" || true
    fi
}

baseline() {
    base_rss=$(rss_kb) base_fds=$(descriptors) max_rss=0
}

minute() {
    local rss
    rss=$(rss_kb)
    [ "${rss:-0}" -le "$max_rss" ] || max_rss=$rss
    printf 'soak: %4d s  policies %d  games %s  reads %d  plays %d  workers killed %d  server killed %d, stopped %d  clock jumps %d  disk full %d  away or full %d  rss %d KB  fds %d  wal %d KB  wrong %d\n' \
        "$SECONDS" "$(cat "$work/policies" 2>/dev/null | wc -l)" "$(sql 'SELECT count(*) FROM game' 2>/dev/null)" "$(count reads)" \
        "$(sql 'SELECT count(*) FROM game WHERE policy IS NULL' 2>/dev/null)" "$(count workers)" "$(count killed)" "$(count stopped)" \
        "$(count jumps)" "$(count filled)" "$(count unavailable)" "${rss:-0}" "$(descriptors)" \
        $(($(stat -c %s "$data/drop7.db-wal" 2>/dev/null || echo 0) / 1024)) "$(cat "$work/wrong" 2>/dev/null | wc -l)"
}

bad=0
judge() { # WORDS EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then
        echo "soak: ok: $1: $3"
    else
        echo "soak: WRONG: $1: $3, expected $2"
        bad=1
    fi
}

# How many lines of FILE are not among the rows of SQL.
missing() { sort -u "$1" 2>/dev/null | comm -23 - <(sql "$2" | sort -u) | wc -l; }

finish() {
    touch "$work/stop"
    sleep 1
    local job
    for job in $(jobs -p); do
        [ "$job" = "$(server_pid)" ] || wait "$job" 2>/dev/null
    done
    rm -f "$data/fill"
    echo '+0' >"$clock_file"
    kill -0 "$(server_pid)" 2>/dev/null || serve || judge "the server starts again" yes no
    # What is under way may end: a lease of a killed worker first has to run out.
    for _ in $(seq 60); do
        [ "$(sql "SELECT count(*) FROM job WHERE state = 'playing'")" = 0 ] && break
        sleep 1
    done
    echo "soak: at the end rss $(rss_kb) KB (first $base_rss), descriptors $(descriptors) (first $base_fds)"
    judge "memory at most 64 MiB" yes "$([ "$max_rss" -le 65536 ] && echo yes || echo "$max_rss KB")"
    judge "descriptors within 40 of the first" yes "$([ "$(descriptors)" -le $((base_fds + 40)) ] && echo yes || descriptors)"
    local pid
    pid=$(server_pid)
    kill "$pid"
    for _ in $(seq 200); do
        [ -e "/proc/$pid" ] && [ "$(awk '/^State/ { print $2 }' "/proc/$pid/status" 2>/dev/null)" != Z ] || break
        sleep 0.1
    done
    sleep 1
    judge "processes left over" 0 "$(foreign | wc -l)"
    foreign
    judge "verify" clean "$("$bin/drop7d" verify --data "$data" >"$work/verify" 2>&1 && echo clean || tail -n 3 "$work/verify")"
    judge "integrity_check" ok "$(sql 'PRAGMA integrity_check')"
    judge "finished jobs without their one game" 0 "$(sql "SELECT count(*) FROM job j WHERE kind = 'game' AND (state = 'done') <> (SELECT count(*) FROM game g WHERE g.job = j.id)")"
    judge "rounds of a revision that count twice" 0 "$(sql "SELECT count(*) FROM (SELECT 1 FROM game WHERE policy IS NOT NULL GROUP BY policy, revision, round HAVING sum(counted) > 1)")"
    # three workers killed over one job fail it, charged to nobody: may happen, is told
    echo "soak: jobs given up after three tries that failed by our fault: $(sql "SELECT count(*) FROM job WHERE state = 'failed'")"
    sql "SELECT DISTINCT reason FROM run WHERE status = 'failed' UNION SELECT reason_message FROM policy WHERE reason_code = 'check-failed'" |
        sed 's/^/soak:   /'
    judge "acknowledged policies that are gone" 0 "$(missing "$work/policies" 'SELECT id FROM policy')"
    judge "games once shown that are gone" 0 "$(missing "$work/games" 'SELECT id FROM game')"
    judge "answers that should not have come" 0 "$(cat "$work/wrong" 2>/dev/null | wc -l)"
    head -n 10 "$work/wrong" 2>/dev/null
    judge "files under way left behind" 0 "$(find "$data/tmp" -type f 2>/dev/null | wc -l)"
    [ -z "${SOAK_KEEP:-}" ] || cp -r "$data" "$work/log" "$SOAK_KEEP"
    echo "soak: $([ $bad -eq 0 ] && echo clean || echo FAILED), $(sql 'SELECT count(*) FROM game') games"
    exit $bad
}
