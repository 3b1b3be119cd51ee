#!/usr/bin/env bash
# Timings as ratios, taken in turn in one run. Nothing here passes or fails: noise never breaks a build.
# BIN, OUT: as for tests/run.sh. Progress goes to stderr; some four minutes on a quiet core.
set -euo pipefail
cd "$(dirname "$0")/../.."
BIN=${BIN:-build} OUT=${OUT:-build/release}
calibrate=$OUT/tests/bench/calibrate
gcc -O2 -o "$calibrate" tests/bench/calibrate/calibrate.c
say() { printf '[%3d s] %s\n' $SECONDS "$*" >&2; }
user() { # user seconds of a command, on one core
    local out
    out=$( { TIMEFORMAT=%U; time taskset -c 0 "$@" >/dev/null; } 2>&1)
    echo "$out"
}
median() { printf '%s\n' "$@" | sort -g | sed -n $((($# + 1) / 2))p; }

echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores; one cal = user seconds of calibrate 40 on the same core, in turn with what it is set against"

say "random play"
moves=$("$BIN/drop7" speed --games 100000 | awk '/^moves/ { print $2 }')
ratios=() rates=()
for _ in 1 2 3 4 5; do
    cal=$(user "$calibrate" 40)
    fast=$(user "$BIN/drop7" speed --games 100000)
    ratios+=("$(awk -v c="$cal" -v s="$fast" -v m="$moves" 'BEGIN { printf "%.2f", m / s * c / 1e6 }')")
    rates+=("$(awk -v s="$fast" -v m="$moves" 'BEGIN { printf "%.2f", m / s / 1e6 }')")
done
printf 'random play (drop7 speed, %s moves a run): %s million moves/s, %s million moves per cal of %s (goal 10.6, stretch 16; all: %s)\n' "$moves" \
    "$(median "${rates[@]}")" "$(median "${ratios[@]}")" "$cal s" "${ratios[*]}"

# One policy's decisions: turns of calibrate and policy, the median of their ratios.
decide() { # POLICY (roots|GAMES) TURNS GOAL-IN-CAL (- for none); a mean for roots, a total and a mean for games
    local cal out n user wall work signature turn all=() each=() times=()
    say "$1 $2"
    for ((turn = 0; turn < $3; turn++)); do
        cal=$(user "$calibrate" 40)
        out=$(taskset -c 0 "$OUT/tests/bench/decide" "$1" "$2")
        read -r n user wall work signature <<<"$out"
        all+=("$(awk -v c="$cal" -v u="$user" 'BEGIN { printf "%.3f", u / c }')")
        each+=("$(awk -v c="$cal" -v u="$user" -v n="$n" 'BEGIN { printf "%.5f", u / c / n }')")
        times+=("$(awk -v u="$user" -v n="$n" 'BEGIN { printf "%.4f", u / n * 1000 }')")
    done
    local ms cals
    ms=$(median "${times[@]}") cals=$(median "${each[@]}")
    printf '%-16s %10s ms  %9s cal a decision' "$1" "$ms" "$cals"
    if [ "$2" = roots ]; then
        printf '  %8s  %8s  %s' "$(awk -v w="$work" -v n="$n" -v t="$ms" 'BEGIN { printf "%.3f", w / n / (t + 1e-9) / 1e3 }')" \
            "$(awk -v w="$work" -v n="$n" -v c="$cals" 'BEGIN { printf "%.3f", w / n / (c + 1e-9) / 1e6 }')" "$signature"
        signatures+="$1 $signature"$'\n'
    else
        printf '  %8s cal for the %d decisions of Gauntlet 01-%02d' "$(median "${all[@]}")" "$n" "$2"
    fi
    printf '%s\n' "$([ "$4" = - ] || echo "  (goal $4)")"
}
signatures=
# A twentieth of what the TypeScript engine takes, in ms where one cal is 0.74 s.
twentieth() { awk -v ms="$1" 'BEGIN { printf "%.5f cal", ms / 20 / 740 }'; }
echo "on the 48 positions of bench-roots.txt; then million nodes/s and a cal, and the signature: one number over columns and values of all decisions, bit for bit."
echo "A node is a tick of the expectimax, a simulation of mcts, puct and mcts-fair, and of all others a move the search is made of: a column in a"
echo "sample, also where several are played at once or a value is remembered (engine/policy/registry.h). So it is the same number for every engine."
while read -r policy _; do
    case $policy in
        greedy) decide "$policy" roots 3 "$(twentieth 23)" ;;
        expectimax-d2) decide "$policy" roots 3 "$(twentieth 127)" ;;
        mcts) decide "$policy" roots 3 "$(twentieth 83)" ;;
        risk-d2) decide "$policy" roots 3 "$(twentieth 170)" ;;
        rollout-h8) decide "$policy" roots 3 "$(twentieth 33)" ;;
        sparse-d2) decide "$policy" roots 3 "$(twentieth 11)" ;;
        open-loop-beam) decide "$policy" roots 3 "$(twentieth 16)" ;;
        gray-throughput) decide "$policy" roots 3 "$(twentieth 4)" ;;
        fair-d4-s7) decide "$policy" roots 3 "0.25 cal" ;;
        *) decide "$policy" roots 3 - ;;
    esac
done < <("$BIN/drop7" policies | tail -n +2)
printf 'signature of all: %s\n' "$(printf '%s' "$signatures" | sha256sum | cut -c1-16)"
echo "on their own games:"
decide fair-d2-s7 8 3 "0.14 cal"
decide fair-d3-s7 2 3 "0.9 cal"

say "a question through a pipe"
"$OUT/tests/bench/pipe" "$(realpath "$OUT/tests/policies/steady")"
say "the sandbox: starts and moves"
"$OUT/tests/bench/confined" "$(realpath "$BIN/drop7-sandbox")" "$(realpath "$OUT/tests/policies/steady")"
say "replays of a server"
tests/bench/replay.sh
say "done"
