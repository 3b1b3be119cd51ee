#!/usr/bin/env bash
# Runs each fuzz target for its share of FUZZ_SECONDS (60), or those named. OUT: the fuzz flavour's folder.
# Seeds come from the vectors, what was learnt stays in OUT/corpus, and an input that breaks something in OUT/broken.
# One that was fixed belongs into tests/fuzz/found/TARGET, which the unit tests replay.
set -euo pipefail
cd "$(dirname "$0")/../.."
OUT=${OUT:-build/fuzz} total=${FUZZ_SECONDS:-60}
[[ $total =~ ^[1-9][0-9]{0,5}$ ]] || { echo "SECONDS must be a whole number from 1 to 999999, not '$total'" >&2; exit 2; }
all=(position rules choice record lines http)
[ $# -gt 0 ] && all=("$@")
share=$(((total + ${#all[@]} - 1) / ${#all[@]}))
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

tests/fuzz/seeds.sh "$OUT/seeds"
declare -A longest=([position]=200 [rules]=400 [choice]=120 [record]=20000 [lines]=6000 [http]=3000)
bad=0
for target in "${all[@]}"; do
    corpus=$OUT/corpus/$target broken=$OUT/broken/$target log=$OUT/$target.log
    mkdir -p "$corpus" "$broken"
    from=("$corpus" "$OUT/seeds/$target")
    [ -d "tests/fuzz/found/$target" ] && from+=("tests/fuzz/found/$target")
    if "$OUT/tests/fuzz/$target" -max_total_time="$share" -max_len="${longest[$target]}" -timeout=30 -rss_limit_mb=2048 \
        -dict=tests/fuzz/words.dict -artifact_prefix="$broken/" -print_final_stats=1 "${from[@]}" >"$log" 2>&1; then
        said=fine
    else
        said=BROKEN bad=1
    fi
    runs=$(awk '/^stat::number_of_executed_units/ { print $2 }' "$log")
    cover=$(grep -oE 'cov: [0-9]+' "$log" | tail -1 || true)
    printf '%-9s %4d s  %9s runs  %s  %s\n' "$target" "$share" "${runs:-0}" "${cover:-cov: 0}" "$said"
    if [ $said = BROKEN ]; then
        grep -E 'broken:|ERROR|SUMMARY|runtime error' "$log" | head -5 || true
        sed -n 's/^artifact_prefix=.*Test unit written to /the input: /p' "$log"
        echo "again: $OUT/tests/fuzz/$target FILE (all it said: $log)"
    fi
done
exit $bad
