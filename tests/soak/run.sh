#!/usr/bin/env bash
# Everybody at once on one server for a while: uploads, endpoints, plays, readers, event streams; workers and server
# killed, the clock set back and forth, the disk filled and freed. Then: is anything lost, doubled, left over, grown?
#   tests/soak/run.sh [SECONDS]     default 600; a line a minute; exit status 1 where something is wrong
#   SOAK_KEEP=DIR                   copies the store and the log there at the end
# As root it runs in namespaces of its own, so every process left over is seen, and its disk is a small tmpfs. As an
# ordinary user the disk is not filled and processes are counted by name; it says so.
set -uo pipefail
cd "$(dirname "$0")/../.."
length=${1:-600}
case $length in '' | *[!0-9]*) echo "usage: tests/soak/run.sh [SECONDS]" >&2; exit 2 ;; esac
if [ "$(id -u)" -eq 0 ] && [ -z "${SOAK_INSIDE:-}" ]; then
    SOAK_INSIDE=1 exec unshare --mount --pid --fork --kill-child --mount-proc bash "$0" "$length"
fi
bin=$(realpath "${BIN:-build}")
players=$(realpath "${OUT:-build/release}/tests/policies")
work=$(mktemp -d) data=$work/data
mkdir -p "$data"
[ -z "${SOAK_INSIDE:-}" ] || mount -t tmpfs -o size=256m tmpfs "$data" || exit 1
clean() {
    touch "$work/stop"
    [ ! -s "$work/server" ] || kill -9 "$(cat "$work/server")" 2>/dev/null
    wait
    [ -z "${SOAK_INSIDE:-}" ] || umount "$data"
    rm -rf "$work"
}
trap clean EXIT
RANDOM=7 # the same choices every time; the timing is the machine's
. tests/soak/server.sh
. tests/soak/actors.sh
. tests/soak/judge.sh

gcc -O1 -static -o "$work/lowest" docs/examples/lowest.c
serve || { tail -n 20 "$work/log"; exit 1; }
token=$(curl -s "$url/tokens" -H 'Content-Type: application/json' -d '{"name":"soak"}' | grep -oE 'd7_[0-9a-f]{64}')
[ -n "$token" ] || { echo "soak: no token"; exit 1; }
baseline
for actor in uploader reviser endpoints player reader reader streams killer clock disk; do
    "$actor" &
done
echo "soak: $length s; a line a minute"
end=$((SECONDS + length))
while [ $SECONDS -lt $end ]; do
    pause $((end - SECONDS < 60 ? end - SECONDS : 60))
    minute
done
finish
