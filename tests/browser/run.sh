#!/usr/bin/env bash
# Browser tests: Debian's chromium driven by playwright-core through the pages of real servers with the demo benched.
# The demo is benched once. Then the files are shared out to lanes that run side by side, each with a server of its own on a copy of that
# store, so that what a case uploads is seen by the files of its lane only. Figures are taken last, when nothing else runs.
# Prints cmocka-style lines, so tests/run.sh counts them. BIN: folder of the programs. BROWSER_ONLY=play runs one file, BROWSER_LANES=1 all in a row.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$(realpath "${BIN:-build}")
if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
    echo "skipped: chromium or node is missing (make test installs them)"
    echo "[  SKIPPED ] browser"
    [ -z "${D7_MUST_RUN:-}" ] || exit 1
    exit 0
fi
if [ ! -d tests/browser/node_modules/playwright-core ] ||
    [ tests/browser/package-lock.json -nt tests/browser/node_modules/.package-lock.json ]; then
    npm ci --prefix tests/browser --no-audit --no-fund --silent
fi
data=$(mktemp -d)
servers=()
stop() { # every server, and waits for it
    for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${servers[@]}"; do wait "$pid" 2>/dev/null || true; done
    servers=()
}
trap 'stop; rm -rf "$data"' EXIT

start() { # NAME: a server on $data/NAME/var; its address is in $url then
    mkdir -p "$data/$1"
    : >"$data/$1/log"
    "$bin/drop7d" serve --listen 127.0.0.1:0 --data "$data/$1/var" --demo --registration open --rate-tokens 0 --workers 2 2>>"$data/$1/log" &
    servers+=($!)
    url=
    for _ in $(seq 1200); do
        url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$data/$1/log" | head -1 || true)
        [ -z "$url" ] || return 0
        kill -0 "${servers[-1]}" 2>/dev/null || break
        sleep 0.05
    done
    cat "$data/$1/log"
    echo "[  FAILED  ] server did not start"
    exit 1
}
lane() { # NAME URL FILE...: its cases, in this order; what they print is in $data/NAME/out
    local name=$1 url=$2 failed=0
    shift 2
    for file in "$@"; do
        SERVER=$url SCREENS=build/screens VECTORS=$vectors NOTES="$data/$name/notes" DATA="$data/$name/var" BIN=$bin node "$file" || failed=1
    done >>"$data/$name/out" 2>&1
    return $failed
}

mkdir -p build/screens
vectors=tests/vectors
[ ! -d "${SHARED:-../shared}/vectors" ] || vectors=${SHARED:-../shared}/vectors

start seed
SERVER=$url node tests/browser/ready.mjs
stop

first=() second=() last=() # the pictures of every page and hostile names take about as long as everything else
for file in tests/browser/*.mjs; do
    name=$(basename "$file" .mjs)
    [ -z "${BROWSER_ONLY:-}" ] || [ "$name" = "$BROWSER_ONLY" ] || continue
    case $name in
        harness | ready) ;;
        figures) last+=("$file") ;;
        looks | hostile) first+=("$file") ;;
        *) second+=("$file") ;;
    esac
done
if [ "${BROWSER_LANES:-$(nproc)}" -lt 2 ]; then
    first+=("${second[@]}")
    second=()
fi
failed=0
pids=()
for name in first second; do
    declare -n files=$name
    [ ${#files[@]} -gt 0 ] || continue
    mkdir -p "$data/$name"
    cp -r "$data/seed/var" "$data/$name/var"
    start "$name"
    lane "$name" "$url" "${files[@]}" &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
stop
if [ ${#last[@]} -gt 0 ]; then
    mkdir -p "$data/last"
    cp -r "$data/seed/var" "$data/last/var"
    start last
    lane last "$url" "${last[@]}" || failed=1
fi
cat "$data"/{first,second,last}/out 2>/dev/null || true
cat "$data"/{first,second,last}/notes >"$data/notes" 2>/dev/null || true
count() { grep -c "^$1 " "$data/notes" || true; }
sed -n 's/^measured //p' "$data/notes"
echo "JavaScript errors: $(count javascript), failed requests: $(count request), CSP violations: $(count csp)"
echo "screenshots: build/screens"
[ $failed -eq 0 ] || { tail -n 30 "$data"/{first,second,last}/log 2>/dev/null; exit 1; }
