#!/usr/bin/env bash
# What the server gives against nginx with sendfile on the same bytes, loopback, the same cores, in turn in one run.
# Needs h2load, wrk and nginx (.ci/deps bench). Nothing here passes or fails. Two to three minutes; SECONDS_EACH=1 shortens it,
# and ONLY=REGEX runs the lines whose names it finds ("replay plain", "304", "on demand", "followers").
# BIN, OUT: as for tests/run.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
BIN=$(realpath "${BIN:-build}") OUT=$(realpath "${OUT:-build/release}")
PATH=$PATH:/usr/sbin # nginx is there
each=${SECONDS_EACH:-3} clients=${CLIENTS:-32} only=${ONLY:-.}
dir=$(mktemp -d)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    rm -rf "$dir"
}
trap finish EXIT

"$OUT/tests/bench/fill" "$dir/var" >"$dir/filled"
run=$(awk '$1 == "run" { print $2 }' "$dir/filled")
game=$(awk '$1 == "game" { print $2; exit }' "$dir/filled")
"$BIN/drop7d" serve --listen 127.0.0.1:0 --data "$dir/var" --workers 0 2>"$dir/log" &
server=$!
pids+=("$server")
url=
for _ in $(seq 100); do
    url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$dir/log" | head -1 || true)
    [ -n "$url" ] && break
    sleep 0.1
done
rss() { awk '/VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$server/status"; }

# --- the same bytes, as files ------------------------------------------------------------------------------
board=/api/v1/leaderboard replay=/api/v1/games/$game/replay
mkdir -p "$dir/www"
fetch() { # NAME PATH
    curl -sf "$url$2" -o "$dir/www/$1.json"
    curl -sf "$url$2" -H 'Accept-Encoding: gzip' -o "$dir/www/$1.gz"
    gzip -dc "$dir/www/$1.gz" | cmp - "$dir/www/$1.json"
}
fetch board "$board"
fetch replay "$replay"
started=$(rss)
free_port() { # one nobody listens on now
    local port
    while port=$((20000 + RANDOM % 20000)); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
    done
}
nginx_start() {
    local port
    port=$(free_port)
    cat >"$dir/nginx.conf" <<END
daemon off;
pid $dir/nginx.pid;
error_log $dir/nginx.err;
worker_processes 2;
$([ "$(id -u)" -eq 0 ] && echo "user $(id -un) $(id -gn);")
events { worker_connections 2048; }
http {
    access_log ${NGINX_LOG:-off};
    client_body_temp_path $dir/t1; proxy_temp_path $dir/t2; fastcgi_temp_path $dir/t3; uwsgi_temp_path $dir/t4; scgi_temp_path $dir/t5;
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 60;
    keepalive_requests 1000000000;
    etag on;
    types { application/json json; application/gzip gz; }
    server { listen 127.0.0.1:$port; root $dir/www; }
}
END
    nginx -p "$dir" -e "$dir/nginx.err" -c "$dir/nginx.conf" &
    pids+=($!)
    nginx=http://127.0.0.1:$port
    for _ in $(seq 50); do
        curl -sf "$nginx/board.json" -o /dev/null && return
        sleep 0.1
    done
    echo "nginx did not start:" >&2
    cat "$dir/nginx.err" >&2
    exit 1
}
nginx_start

wanted() { grep -qE -- "$only" <<<"$1"; }

# --- one measurement ---------------------------------------------------------------------------------------
# h2load, not wrk or ab: those take the Content-Length of a 304 for a body to come, and wait for it.
ask() { # h2load arguments: requests/s, and p99 in ms of all requests
    local out
    out=$(h2load --h1 -t 1 -c "$clients" -D "$each" --log-file="$dir/times" "$@")
    if ! grep -qE ' 0 failed, 0 errored, 0 timeout' <<<"$out" || ! grep -qE ' 0 4xx, 0 5xx' <<<"$out"; then
        echo "$out" >&2
        exit 1
    fi
    echo "$(awk '/^finished/ { print $4 }' <<<"$out") $(cut -f3 "$dir/times" | sort -n | awk '{ t[NR] = $1 } END { print t[int(NR * 0.99)] / 1000 }')"
    rm -f "$dir/times"
}
etag() { curl -sfI "$@" | tr -d '\r' | awk 'tolower($1) == "etag:" { print $2 }'; }
# Ours and nginx's in turn, ours last the second time: A B B A.
compare() { # NAME GOAL OUR-URL NGINX-URL HEADER...
    wanted "$1" || return 0
    local name=$1 goal=$2 ours=$3 theirs=$4 o=() n=() head=() r
    shift 4
    for r in "$@"; do head+=(-H "$r"); done
    local oh=("${head[@]}") nh=("${head[@]}")
    if [[ $name == *304* ]]; then
        oh+=(-H "If-None-Match: $(etag "${head[@]}" "$ours")")
        nh+=(-H "If-None-Match: $(etag "${head[@]}" "$theirs")")
    fi
    o+=("$(ask "${oh[@]}" "$ours")")
    n+=("$(ask "${nh[@]}" "$theirs")")
    n+=("$(ask "${nh[@]}" "$theirs")")
    o+=("$(ask "${oh[@]}" "$ours")")
    awk -v name="$name" -v goal="$goal" -v rss="$(rss)" -v a="${o[0]}" -v b="${o[1]}" -v c="${n[0]}" -v d="${n[1]}" 'BEGIN {
        split(a, A); split(b, B); split(c, C); split(d, D)
        ours = (A[1] + B[1]) / 2; theirs = (C[1] + D[1]) / 2; p = (A[2] + B[2]) / 2; q = (C[2] + D[2]) / 2
        printf "%-28s %8.0f/s  nginx %8.0f/s  ratio %.2f (goal %s)  p99 %6.2f ms, nginx %6.2f, ratio %.2f (goal 1.5)  RSS %s MiB\n",
            name, ours, theirs, ours / theirs, goal, p, q, p / q, rss }'
}
size() { stat -c %s "$dir/www/$1"; }
goal() { [ "$(size "$1")" -gt 32768 ] && echo 0.75 || echo 0.90; }

echo "leaderboard of 8 rounds and 20 policies: $(size board.json) bytes, gzip $(size board.gz); a replay of 130 moves: $(size replay.json) bytes, gzip $(size replay.gz)"
echo "$clients connections, $each s a turn, two turns each, on $(nproc) cores together with h2load; load before: $(cut -d' ' -f1-3 /proc/loadavg)"
for what in board replay; do
    path=${!what}
    compare "$what plain" "$(goal $what.json)" "$url$path" "$nginx/$what.json"
    compare "$what gzip" 0.90 "$url$path" "$nginx/$what.gz" 'Accept-Encoding: gzip'
    compare "$what plain, 304" 0.90 "$url$path" "$nginx/$what.json"
    compare "$what gzip, 304" 0.90 "$url$path" "$nginx/$what.gz" 'Accept-Encoding: gzip'
done

# --- replays computed on demand ----------------------------------------------------------------------------
# wrk goes through the list once for all its connections (h2load's clients would each begin at its head, side by side)
{
    echo 'local ids = {'
    awk '$1 == "game" { printf "\"%s\",\n", $2 }' "$dir/filled"
    echo '}'
    echo 'local at = 0'
    echo 'request = function() at = at % #ids + 1 return wrk.format(nil, "/api/v1/games/" .. ids[at] .. "/replay") end'
} >"$dir/replays.lua"
demand() { # NAME [HEADER]
    wanted "$1" || return 0
    local out
    out=$(wrk -t 1 -c "$clients" -d "$each" --latency -s "$dir/replays.lua" "${@:2}" "$url")
    if grep -qE 'Non-2xx|Socket errors' <<<"$out"; then
        echo "$out" >&2
        exit 1
    fi
    printf '%-28s %8.0f/s (goal 5000)  p99 %s  RSS %s MiB\n' "$1" "$(awk '/^Requests\/sec/ { print $2 }' <<<"$out")" \
        "$(awk '$1 == "99%" { print $2 }' <<<"$out")" "$(rss)"
}
demand "replays on demand, plain"
demand "replays on demand, gzip" -H 'Accept-Encoding: gzip'

# --- followers ---------------------------------------------------------------------------------------------
port=${url##*:}
followers() { # starts them, or ends them
    if [ "$1" = start ]; then
        mkfifo "$dir/in$2"
        "$OUT/tests/bench/followers" "$port" 500 "/api/v1/runs/$run/events" <"$dir/in$2" >"$dir/out$2" &
        pids+=($!)
        exec 7>"$dir/in$2"
        until grep -q following "$dir/out$2"; do sleep 0.1; done
    else
        exec 7>&-
        sleep 0.3
    fi
}
turns=5
wanted "board gzip, 500 followers" || turns=0
alone=() with=()
for turn in $(seq $turns); do
    alone+=("$(ask -H 'Accept-Encoding: gzip' "$url$board")")
    followers start $turn
    with+=("$(ask -H 'Accept-Encoding: gzip' "$url$board")")
    full=$(rss)
    followers stop $turn
done
[ $turns -eq 0 ] || printf '%s\n' "${alone[@]}" "${with[@]}" | awk -v rss="$full" '{ if (NR <= 5) a += $1; else b += $1 } END {
    printf "board gzip, 500 followers    %8.0f/s  without %8.0f/s  cost %.1f %% (goal under 10)  RSS %s MiB\n", b / 5, a / 5, (1 - b / a) * 100, rss }'
printf 'memory of the server: %s MiB before the first load, %s MiB after the last, at most %s MiB (goal under 64)\n' "$started" "$(rss)" \
    "$(awk '/VmHWM/ { printf "%.1f", $2 / 1024 }' "/proc/$server/status")"
