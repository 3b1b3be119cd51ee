#!/usr/bin/env bash
# Timings as ratios, taken in turn in one run. Nothing here passes or fails: noise never breaks a build.
# BIN, OUT: as for tests/run.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
BIN=${BIN:-build} OUT=${OUT:-build/release}
mkdir -p "$OUT/tests/bench"
gcc -O2 -o "$OUT/tests/bench/calibrate" tests/bench/calibrate/calibrate.c
user() { # user seconds of a command, on one core
    local out
    out=$( { TIMEFORMAT=%U; time taskset -c 0 "$@" >/dev/null; } 2>&1)
    echo "$out"
}
echo "one cal = user seconds of calibrate 40 on the same core in the same run"
moves=$("$BIN/drop7" speed --games 100000 | awk '/^moves/ { print $2 }')
ratios=()
for _ in 1 2 3 4 5; do
    cal=$(user "$OUT/tests/bench/calibrate" 40)
    fast=$(user "$BIN/drop7" speed --games 100000)
    ratios+=("$(awk -v c="$cal" -v s="$fast" -v m="$moves" 'BEGIN { printf "%.2f", m / s * c / 1e6 }')")
done
printf 'rules engine (drop7 speed, %s moves a run): %s million moves per cal, median %s (goal 3.5)\n' "$moves" "${ratios[*]}" \
    "$(printf '%s\n' "${ratios[@]}" | sort -n | sed -n 3p)"
"$OUT/tests/bench/pipe" "$(realpath "$OUT/tests/policies/steady")"
tests/bench/replay.sh
