#!/usr/bin/env bash
# Runs on the bare system that run.sh has made: first what README says first. Usage: inside.sh root|sudo
set -euo pipefail
who=$1
say() { echo "fresh: $who: $*"; }
as_user() { "$@"; }
home=/root
[ ! -e /usr/local/share/ca-certificates/extra.crt ] || {
    update-ca-certificates >/dev/null 2>&1
    export NODE_EXTRA_CA_CERTS=/usr/local/share/ca-certificates/extra.crt
}
if [ "$who" = sudo ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends sudo >/dev/null 2>&1
    useradd -m -s /bin/bash dev
    echo 'dev ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/dev
    home=/home/dev
    as_user() { runuser -u dev -- env HOME=/home/dev "$@"; }
fi
mv /src "$home/drop7"
[ "$who" = root ] || chown -R dev:dev "$home/drop7"
cd "$home/drop7"

port=$((20000 + $$ % 20000 + RANDOM % 1000))
ask() { # PATH: the answer of the server, with its head; fails while nobody listens
    exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$1" >&3
    cat <&3
    exec 3<&- 3>&-
} 2>/dev/null

server_pid() { # a bare system has no pgrep
    local p
    for p in /proc/[0-9]*; do
        case $(tr '\0' ' ' <"$p/cmdline" 2>/dev/null) in *drop7d\ serve\ *) echo "${p#/proc/}" && return ;; esac
    done
    return 1
}

# Starts `make run`, waits until the pages are served (and, with a second word, until all is benched), stops it.
run() { # LOG [benched]
    local from=$EPOCHREALTIME at= pid
    as_user env DROP7_LISTEN=127.0.0.1:$port make run >"$1" 2>&1 &
    for _ in $(seq 6000); do
        (ask /readyz) 2>/dev/null | grep -q '^HTTP/1.[01] 200' && { at=$EPOCHREALTIME; break; }
        kill -0 $! 2>/dev/null || break
        sleep 0.1
    done
    [ -n "$at" ] || { tail -n 30 "$1"; say "make run did not come up"; return 1; }
    seconds=$(awk -v a="$from" -v b="$at" 'BEGIN { printf "%.1f", b - a }')
    (ask /) | grep -qi '<title>' || { say "no page at /"; return 1; }
    if [ "${2:-}" = benched ]; then
        for _ in $(seq 3000); do
            ranked=$( (ask '/api/v1/leaderboard?format=csv') | grep -cE '^[a-z0-9-]+,8,' || true)
            (ask '/api/v1/runs?status=queued&limit=1') | grep -q '"items":\[\]' &&
                (ask '/api/v1/runs?status=playing&limit=1') | grep -q '"items":\[\]' && break
            sleep 0.2
        done
    fi
    pid=$(server_pid)
    kill "$pid"
    wait
}

run /tmp/run1.log benched
first=$seconds
[ "$ranked" -ge 5 ] || { say "only $ranked policies on the leaderboard"; exit 1; }
run /tmp/run2.log
second=$seconds
say "make run: up after $first s with installing and building, $ranked policies benched; second time $second s"

status=0
from=$SECONDS
as_user make -j"$(nproc)" test >/tmp/test.log 2>&1 || status=$?
[ $status -eq 0 ] || grep -E '^\[  (FAILED|ERROR)|^ *ERROR|^FAILED|not ok|Error:' /tmp/test.log | head -n 60
grep -E -B1 -A4 'skipped +[1-9]| [1-9][0-9]* skipped ' /tmp/test.log | grep -v '^\[' || true
say "make test: $(tail -n 1 /tmp/test.log) (exit $status, $((SECONDS - from)) s)"
exit $status
