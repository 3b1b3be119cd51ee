#!/usr/bin/env bash
# The same decisions, bit for bit, whoever compiled them and however many threads search: builds tests/bench/decide with gcc and clang,
# at -O0 and -O2, and compares each policy's signature with 1 and 2 threads with tests/golden/signatures.tsv ("always" rows; ALL=1: all).
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sources=(engine/base/*.c engine/rules/*.c engine/policy/*.c engine/record/*.c tests/support/roots.c tests/support/support.c tests/bench/decide.c)
flags=(-std=c11 -D_GNU_SOURCE -I. -ffp-contract=off -fno-strict-aliasing -pthread)
build() { # COMPILER LEVEL: an object a source, as many at once as there are cores
    local to=$folder/$1$2
    mkdir -p "$to"
    printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I{} sh -c 'out=$1; shift; "$@" -c -o "$out/$(echo {} | tr / _).o" {}' _ "$to" "$1" "$2" "${flags[@]}"
    "$1" -pthread -o "$to/decide" "$to"/*.o -lcmocka -ljansson -lnettle -lm
}
compared=0 different=0
for compiler in gcc clang; do
    for level in -O0 -O2; do
        build "$compiler" "$level"
        for threads in 1 2; do
            while IFS=$'\t' read -r policy positions want when; do
                [ "$when" = always ] || [ -n "${ALL:-}" ] || continue
                read -r _ _ _ _ got < <("$folder/$compiler$level/decide" "$policy" roots "$threads" "$positions")
                compared=$((compared + 1))
                [ "$got" = "$want" ] && continue
                different=$((different + 1))
                echo "$policy, $positions positions, $compiler $level, threads $threads: $got, recorded is $want"
            done < <(grep -v '^#' tests/golden/signatures.tsv)
            echo "$compiler $level, threads $threads: compared"
        done
    done
done
echo "$compared signatures compared, $different differ"
[ $different -eq 0 ]
