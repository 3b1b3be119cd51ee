#!/usr/bin/env bash
# Everything hostile, as root and as an ordinary user (started as one: as that one only): the attacks of tests/hostile,
# the players of tests/policies, and games with crashing players through a real server. Prints who got which verdict,
# fails when one is not the expected one. BIN, OUT: as for tests/run.sh. D7_LEAK_GAMES: games through the server (1000).
set -uo pipefail
cd "$(dirname "$0")/.."
BIN=${BIN:-build} OUT=${OUT:-build/release}
nobody=65534
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# an ordinary user may be unable to reach this folder
mkdir -p "$stage/bin" "$stage/out/tests" "$stage/tmp"
cp "$BIN"/drop7 "$BIN"/drop7d "$BIN"/drop7-sandbox "$stage/bin/"
cp -r "$OUT/tests/hostile" "$OUT/tests/policies" "$stage/out/tests/"
for t in sandbox/test_hostile sandbox/test_players http/test_leaks; do
    mkdir -p "$stage/out/tests/${t%/*}"
    cp "$OUT/tests/$t" "$stage/out/tests/$t"
done
chmod -R a+rX "$stage"
chmod 1777 "$stage/tmp"
export BIN="$stage/bin" OUT="$stage/out" TMPDIR="$stage/tmp" D7_LEAK_GAMES=${D7_LEAK_GAMES:-1000}
failed=0 log="$stage/log"
run() { # WHO PREFIX...
    local who=$1 t status
    shift
    echo "== as $who (uid $("$@" id -u))"
    for t in sandbox/test_hostile sandbox/test_players http/test_leaks; do
        (cd "$stage" && timeout -k 10 900 "$@" "$stage/out/tests/$t") >"$log.one" 2>&1 </dev/null
        status=$?
        grep -vE '^\[|timeout crash stall|no model file' "$log.one"
        if [ $status -ne 0 ]; then
            grep -E '^\[  (ERROR|FAILED)|LINE' "$log.one"
            echo "FAILED: $t as $who (exit $status)"
            failed=1
        fi
        cat "$log.one" >>"$log"
    done
}
if [ "$(id -u)" -eq 0 ]; then
    run root env
    run "an ordinary user" setpriv --reuid $nobody --regid $nobody --clear-groups
else
    run "an ordinary user" env
fi
sum() { grep -oE "$1" "$log" | awk '{ n += $NF } END { print n + 0 }'; }
printf '\n%d verdicts as expected, %d not; %s games with crashing players\n' "$(grep -c 'as expected$' "$log")" \
    "$(grep -c '^\[  ERROR' "$log")" "$(grep -oE '^[0-9]+ games, ' "$log" | awk '{ n += $1 } END { print n + 0 }')"
printf 'processes left %d, zombies %d, descriptors %+d\n' "$(sum 'processes left [0-9]+')" "$(sum 'zombies [0-9]+')" \
    "$(sum 'descriptors [-+][0-9]+')"
[ $failed -eq 0 ]
