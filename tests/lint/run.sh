#!/usr/bin/env bash
# What the compiler cannot say: arrows, walls, sizes, banned words; then clang-tidy, cppcheck and complexity.
# Prints every finding, exits 1 when there is one.
set -uo pipefail
cd "$(dirname "$0")/../.."
bad=0
say() { echo "lint: $*"; bad=1; }
mapfile -t all < <(git ls-files -co --exclude-standard '*.c' '*.h' | sort)
mapfile -t product < <(printf '%s\n' "${all[@]}" | grep -E '^(engine|store|server)/')

# --- arrows: which folders a folder may include -----------------------------------------------------------
arrow() { # FOLDER ALLOWED-REGEX
    local hits
    hits=$(grep -rnE '^#include "' --include='*.[ch]' "$1" 2>/dev/null | grep -vE "#include \"($2)")
    [ -z "$hits" ] || say "include against the arrows in $1:"$'\n'"$hits"
}
arrow engine/base 'engine/base/'
arrow engine/rules 'engine/(base/(cpu|rng)\.h|rules/)'
arrow engine/record 'engine/(base|rules|record)/'
arrow engine/policy 'engine/(base|rules|policy)/'
arrow engine/d7p 'engine/(base|rules|d7p)/'
arrow engine/harness 'engine/(base|rules|record|policy|d7p|harness)/'
arrow engine/rank 'engine/(base|rules|record|rank)/'
arrow engine/wasm 'engine/(base|rules|policy|wasm)/'
arrow engine/tool 'engine/'
arrow store '(engine/(base|rules|record)|store)/'
arrow server/sandbox 'server/sandbox/'
arrow server/http '(engine/base/|store/account\.h|server/(http/|(log|cidr)\.h))'
arrow server/api '(engine/|store/|server/(api|http)/|server/(config|log|cidr)\.h|server/work/(artifact|isolation|endpoint_policy|plays)\.h)'
arrow server/work '(engine/|store/|server/(work|sandbox)/|server/(config|log|cidr)\.h)'

# --- walls: third-party headers, each in one place --------------------------------------------------------
wall() { # HEADER-REGEX ALLOWED-REGEX
    local hits
    hits=$(grep -nE "^#include <($1)" "${product[@]}" | grep -vE "^($2):")
    [ -z "$hits" ] || say "third-party header outside its wall:"$'\n'"$hits"
}
wall 'jansson' 'engine/base/json\.c'
wall 'nettle' 'engine/base/hash\.c'
wall 'curl' 'engine/tool/client\.c'
wall 'sqlite3' 'store/[a-z_]+\.[ch]'
wall 'microhttpd' 'server/http/(daemon\.c|mhd\.h)'
wall 'zlib' 'server/http/[a-z_]+\.c'
wall 'seccomp' 'server/sandbox/rules/filter\.c'
hits=$(grep -nE '"[^"]*\b(SELECT|INSERT INTO|UPDATE|DELETE FROM) ' "${product[@]}" | grep -vE '^store/')
[ -z "$hits" ] || say "SQL outside store/:"$'\n'"$hits"
# the launcher has no threads; the keeper forks before the first one and before anything is open
hits=$(grep -nE '\bfork *\(' $(printf '%s\n' "${product[@]}" | grep -vE '^server/(sandbox/|work/keeper\.c)'))
[ -z "$hits" ] || say "fork by hand (posix_spawn instead):"$'\n'"$hits"
hits=$(grep -nE '\b(clock_utc|CLOCK_REALTIME|gettimeofday|time\(NULL\))' engine/harness/*.[ch] engine/d7p/*.[ch])
[ -z "$hits" ] || say "a clock that can be set back where deadlines are:"$'\n'"$hits"

# --- sizes and words --------------------------------------------------------------------------------------
while read -r n f; do [ "$f" = total ] || [ "$n" -le 600 ] || say "$f has $n lines (at most 600)"; done \
    < <(git ls-files -co --exclude-standard '*.c' '*.h' '*.js' '*.mjs' '*.css' '*.sh' | xargs wc -l)
hits=$(grep -nE '\b(TODO|FIXME|XXX)\b' "${product[@]}")
[ -z "$hits" ] || say "open ends (use NEEDSWORK: with the decision that is open):"$'\n'"$hits"
for folder in engine store server migrations static; do
    [ -d "$folder" ] || say "folder $folder is missing"
done

# --- cases named in tests/CASES.md are there -------------------------------------------------------------
for name in $(grep -oE '\b[a-z0-9]+(_[a-z0-9]+){3,}\b' tests/CASES.md | grep -v '^test_' | sort -u); do
    grep -qrE "^static void $name\(" --include='*.c' tests || say "tests/CASES.md names $name, which no test has"
done

# --- each header alone ------------------------------------------------------------------------------------
for h in "${all[@]}"; do
    [[ $h == *.h ]] || continue
    printf '#include "%s"\nextern int never_empty;\n' "$h" | gcc -std=c11 -D_GNU_SOURCE -I. -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c - ||
        say "$h does not compile alone"
done

# --- functions: complexity (pmccabe's modified count: a switch is one) at most 15, length at most 70 -------
over=$(pmccabe "${product[@]}" 2>/dev/null | awk '$1 > 15 || $5 > 72 { print $1, $5, $6, $7 }')
[ -z "$over" ] || say "complexity over 15 or longer than 70 lines (complexity, lines, place):"$'\n'"$over"

# --- cppcheck and clang-tidy ------------------------------------------------------------------------------
cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches --error-exitcode=1 -j "$(nproc)" -I. \
    engine store server || say "cppcheck"
tidy=$(printf '%s\n' "${product[@]}" | grep '\.c$' |
    xargs -P "$(nproc)" -I{} sh -c 'clang-tidy -quiet "$1" -- -std=c11 -D_GNU_SOURCE -I. >"${TMPDIR:-/tmp}/tidy.$$" 2>/dev/null || { grep -E "(error|warning):" "${TMPDIR:-/tmp}/tidy.$$" | sort -u; }; rm -f "${TMPDIR:-/tmp}/tidy.$$"' _ {})
[ -z "$tidy" ] || say "clang-tidy:"$'\n'"$tidy"

[ $bad -eq 0 ] && echo "lint: clean (${#all[@]} C files)"
exit $bad
