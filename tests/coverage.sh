#!/usr/bin/env bash
# Runs the suite (without the browser, which reaches nothing else of them) on programs built with FLAVOUR=cov and prints
# which lines and branches of engine and store it reached.
# What a process killed by -9 or as another user reached is not written down (so serve stays root), so the figures are a lower bound.
set -uo pipefail
cd "$(dirname "$0")/.."
find build/cov -name '*.gcda' -delete
DROP7_USER=root BIN=build/cov OUT=build/cov SHARED=${SHARED:-../shared} D7_TEST_SECONDS=${D7_TEST_SECONDS:-1200} tests/run.sh unit/ http/ sandbox/ >build/cov/tests.log 2>&1
tests=$?
tail -n 1 build/cov/tests.log
[ $tests -eq 0 ] || grep '^FAILED' build/cov/tests.log
for part in engine store; do
    # The other side of D7_CHECK and TURN_CHECK is a bug of ours and the end of the process: no branch of these lines is counted.
    # Nothing else is marked as excluded.
    gcovr -r . --object-directory build/cov/obj -f "$part/" -e 'engine/wasm/' --exclude-branches-by-pattern '.*(D7|TURN)_CHECK\(.*' \
        --print-summary -o "build/cov/$part.txt" 2>/dev/null |
        sed "s/^/$part: /"
done
echo "by file: build/cov/engine.txt, build/cov/store.txt"
exit $tests
