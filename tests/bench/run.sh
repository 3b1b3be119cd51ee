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
# One policy's decisions in cal: three turns of calibrate and policy, the median ratio.
decide() { # POLICY (roots|GAMES) GOAL-IN-CAL (- for none); a total for games, a mean for roots
    local cal out ratios=() times=() n user wall work signature per=1
    for _ in 1 2 3; do
        cal=$(user "$OUT/tests/bench/calibrate" 40)
        out=$(taskset -c 0 "$OUT/tests/bench/decide" "$1" "$2")
        read -r n user wall work signature <<<"$out"
        [ "$2" = roots ] && per=$n
        ratios+=("$(awk -v c="$cal" -v u="$user" -v n="$per" 'BEGIN { printf "%.5f", u / c / n }')")
        times+=("$(awk -v u="$user" -v n="$n" 'BEGIN { printf "%.4f", u / n * 1000 }')")
    done
    median() { printf '%s\n' "$@" | sort -n | sed -n 2p; }
    printf '%-18s %-5s %4d decisions  %10s ms each  %9s cal %s%s%s  %s\n' "$1" "$2" "$n" "$(median "${times[@]}")" \
        "$(median "${ratios[@]}")" "$([ "$2" = roots ] && echo each || echo all)" \
        "$([ "$3" = - ] || echo " (goal $3)")" \
        "$([ "$work" = 0 ] || awk -v w="$work" -v u="$user" 'BEGIN { printf "  %.2f million nodes/s", w / (u + 1e-9) / 1e6 }')" \
        "$([ "$2" = roots ] && echo "$signature")"
    [ "$2" = roots ] && signatures+="$1 $signature"$'\n'
    return 0
}
signatures=
while read -r policy _; do
    goal=-
    [ "$policy" = fair-d4-s7 ] && goal=0.25
    decide "$policy" roots "$goal"
done < <("$BIN/drop7" policies | tail -n +2)
printf 'signature of all: %s\n' "$(printf '%s' "$signatures" | sha256sum | cut -c1-16)"
decide fair-d2-s7 8 0.14
if "$BIN/drop7" policies | grep -q '^fair-d3-s7 '; then
    decide fair-d3-s7 2 0.9
fi
"$OUT/tests/bench/pipe" "$(realpath "$OUT/tests/policies/steady")"
tests/bench/replay.sh
