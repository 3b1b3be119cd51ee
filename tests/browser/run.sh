#!/usr/bin/env bash
# Browser tests: a real server on a free port with the demo benched, Debian's chromium driven by playwright-core.
# Prints cmocka-style lines, so tests/run.sh counts them. BIN: folder of the programs.
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
server=
stop() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true; }
    rm -rf "$data"
}
trap stop EXIT
"$bin/drop7d" serve --listen 127.0.0.1:0 --data "$data/var" --demo --registration open --rate-tokens 0 --workers 2 2>"$data/log" &
server=$!
for _ in $(seq 200); do
    url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$data/log" | head -1 || true)
    [ -n "$url" ] && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.05
done
[ -n "${url:-}" ] || { cat "$data/log"; echo "[  FAILED  ] server did not start"; exit 1; }
mkdir -p build/screens
vectors=tests/vectors
[ ! -d "${SHARED:-../shared}/vectors" ] || vectors=${SHARED:-../shared}/vectors
failed=0
: >"$data/notes"
for file in tests/browser/*.mjs; do # every file but the harness is a set of cases; BROWSER_ONLY=play runs one
    case $file in */harness.mjs) continue ;; esac
    [ -z "${BROWSER_ONLY:-}" ] || [ "$file" = "tests/browser/$BROWSER_ONLY.mjs" ] || continue
    SERVER=$url SCREENS=build/screens VECTORS=$vectors NOTES="$data/notes" BIN=$bin node "$file" || failed=1
done
count() { grep -c "^$1 " "$data/notes" || true; }
sed -n 's/^measured //p' "$data/notes"
echo "JavaScript errors: $(count javascript), failed requests: $(count request), CSP violations: $(count csp)"
echo "screenshots: build/screens"
[ $failed -eq 0 ] || { tail -n 30 "$data/log"; exit 1; }
