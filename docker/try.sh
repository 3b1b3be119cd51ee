#!/usr/bin/env bash
# Builds the image and tries what README and docs/OPERATING.md say of it: as compose runs it (read-only, no capability,
# Docker's default profile) it becomes healthy, confines an upload by tier B, plays it, stops in time and keeps the data;
# with the flags for tier A it reaches tier A. Needs a Docker engine and nothing else; takes no port of this machine.
#   docker/try.sh          BUILD_OPTIONS="--network host" where containers have no network of their own
set -euo pipefail
cd "$(dirname "$0")/.."
docker version >/dev/null || { echo "docker: no engine here (apt-get install docker.io)" >&2; exit 2; }
image=drop7d-try-$$ container= volume=drop7-try-$$
clean() {
    [ -z "$container" ] || docker rm -f "$container" >/dev/null
    docker volume rm -f "$volume" >/dev/null || true
    docker rmi -f "$image" >/dev/null 2>&1 || true
}
trap clean EXIT
say() { echo "docker: $*"; }
die() { say "FAILED: $*"; [ -z "$container" ] || docker logs --tail 20 "$container"; exit 1; }

start() { # OPTION...
    container=$(docker run -d -v "$volume":/var/lib/drop7 --health-interval 1s "$@" "$image" serve --workers 2)
    for _ in $(seq 120); do
        [ "$(docker inspect -f '{{.State.Health.Status}}' "$container")" = healthy ] && break
        sleep 0.5
    done
    [ "$(docker inspect -f '{{.State.Health.Status}}' "$container")" = healthy ] || die "not healthy within 60 s"
    for _ in $(seq 60); do # workers try their isolation first
        ready=$(docker exec "$container" bash -c 'exec 3<>/dev/tcp/127.0.0.1/8080
            printf "GET /readyz HTTP/1.0\r\n\r\n" >&3; tail -n 1 <&3')
        tier=$(grep -oE '"isolation":\{"tier":"[ABC]"' <<<"$ready" | grep -oE '[ABC]"$' | tr -d '"') && break
        sleep 0.5
    done
}

# shellcheck disable=SC2086 # options are words
docker build ${BUILD_OPTIONS:-} -q -t "$image" -f docker/Dockerfile . >/dev/null
say "built, $(docker image inspect -f '{{.Size}}' "$image" | awk '{ printf "%d MB", $1 / 1e6 }')"

start --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges:true --pids-limit 512 --memory 2g
[ "$tier" = B ] || die "tier '$tier' under the default profile, B expected: $ready"
[ "$(docker exec "$container" id -un)" = drop7 ] || die "it runs as $(docker exec "$container" id -un)"
token=$(docker exec "$container" drop7d token create author | grep -oE 'd7_[0-9a-f]{64}')
docker exec -i "$container" sh -c 'cat >/tmp/match.py' <docs/examples/match.py
docker exec -e DROP7_TOKEN="$token" "$container" drop7 submit --id match --name Match /tmp/match.py | tail -n 1 |
    grep -q mean || die "the uploaded policy was not played"
say "default profile: user drop7, tier $tier, an upload was played on the gauntlet"
from=$SECONDS
docker stop -t 15 "$container" >/dev/null
[ "$(docker inspect -f '{{.State.ExitCode}}' "$container")" = 0 ] || die "it did not stop by itself"
say "stopped by itself in $((SECONDS - from)) s"
docker rm "$container" >/dev/null

start --security-opt seccomp=unconfined
[ "$tier" = A ] || die "tier '$tier' with the flags for A: $ready"
docker exec "$container" drop7 leaderboard | grep -q match || die "the first container's games are gone"
say "seccomp=unconfined: tier $tier; the volume kept the games"
