#!/usr/bin/env bash
# Runs test programs one by one under a deadline and adds up cmocka's totals. Usage: tests/run.sh [http|server|store|...]
# BIN: folder of the programs, OUT: folder of the flavour, SHARED: the shared folder (its vectors win over tests/vectors).
# D7_MUST_RUN=1 turns a test's skip into a failure (tests ask support's must_run()).
set -uo pipefail
cd "$(dirname "$0")/.."
export BIN=${BIN:-build} OUT=${OUT:-build/release} SHARED=${SHARED:-../shared}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0} UBSAN_OPTIONS=print_stacktrace=1
limit=${D7_TEST_SECONDS:-240}
passed=0 failed=0 skipped=0 bad=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

count() { grep -cE "$1" "$log" || true; }
run_one() { # NAME COMMAND...
    local name=$1 from=$SECONDS status p f s
    shift
    timeout -k 10 "$limit" "$@" >"$log" 2>&1 </dev/null
    status=$?
    p=$(count '^\[       OK \]') f=$(grep -E '^\[  FAILED  \] [^0-9]' "$log" | sort -u | wc -l) s=$(count '^\[  SKIPPED \] [^0-9]')
    # a crash or a deadline is a failure even where no case had one
    [ "$status" -ne 0 ] && [ "$f" -eq 0 ] && f=1
    [ "$status" -eq 0 ] && [ "$((p + s))" -eq 0 ] && f=1
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    printf '%-44s %4d passed %3d failed %3d skipped %4ds\n' "$name" "$p" "$f" "$s" $((SECONDS - from))
    [ "$s" -gt 0 ] && grep -A1 -iE 'skip' "$log" | head -6
    if [ "$f" -gt 0 ]; then
        bad+=("$name (exit $status)")
        grep -v ' info drop7d: request ' "$log" | tail -n 60
    fi
}

mapfile -t programs < <(find "$OUT/tests" -type f -name 'test_*' -perm -u+x 2>/dev/null | sort)
for program in "${programs[@]}"; do
    name=${program#"$OUT/tests/"}
    if [ $# -gt 0 ]; then
        hit=0
        for want in "$@"; do [[ $name == *"$want"* ]] && hit=1; done
        [ $hit -eq 1 ] || continue
    fi
    [ -f "tests/$name.c" ] || continue # left over from a file that is gone
    run_one "$name" "$program"
done
if [ $# -eq 0 ] && [ -x tests/browser/run.sh ]; then
    limit=1800 run_one browser tests/browser/run.sh
fi
for b in "${bad[@]}"; do echo "FAILED: $b"; done
echo "[==========] $((passed + failed + skipped)) test(s) run."
echo "[  PASSED  ] $passed test(s)."
[ "$failed" -gt 0 ] && echo "[  FAILED  ] $failed test(s)."
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
