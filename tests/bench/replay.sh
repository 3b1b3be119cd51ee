#!/usr/bin/env bash
# Time of a replay request on a real server: the longest game of fair-d2-s7 on the gauntlet, 300 requests on one connection.
# What curl measures (request sent to last byte) is an upper bound of the server's own time.
set -euo pipefail
bin=$(realpath "${BIN:-build}")
data=$(mktemp -d)
"$bin/drop7d" serve --listen 127.0.0.1:0 --data "$data/var" --demo 2>"$data/log" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true; rm -rf "$data"' EXIT
url=
for _ in $(seq 100); do
    url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$data/log" | head -1 || true)
    [ -n "$url" ] && break
    sleep 0.05
done
[ -n "$url" ] || { echo "bench replay: no server; it said:" >&2; cat "$data/log" >&2; exit 1; }
# until the demo has played all its games: workers would share the cores with what is timed
for turn in $(seq 600); do
    curl -s "$url/api/v1/runs?limit=100" | grep -qE '"status":"(queued|playing)"' || break
    [ "$turn" -lt 600 ] || { echo "bench replay: the demo is not played after 300 s, left out"; exit 0; }
    sleep 0.5
done
read -r moves game < <(curl -s "$url/api/v1/games?policy=fair-d2-s7" | grep -oE '"id":"[^"]+"|"moves":[0-9]+' |
    tr -d '"' | cut -d: -f2 | paste - - | awk '{ print $2, $1 }' | sort -n | tail -1)
for variant in "" "?steps=1"; do
    for _ in $(seq 300); do
        printf 'url = "%s/api/v1/games/%s/replay%s"\noutput = /dev/null\nwrite-out = "%%{time_total} %%{size_download}\\n"\n' "$url" "$game" "$variant"
    done >"$data/requests"
    curl -s -K "$data/requests" | sort -n | awk -v m="$moves" -v v="$variant" \
        '{ t[NR] = $1 * 1000; size = $2 } END { printf "replay%s of a %d-move game, %d bytes: median %.3f ms, p99 %.3f ms a request (goal under 1 ms plain)\n", v, m, size, t[int(NR / 2)], t[int(NR * 0.99)] }'
done
