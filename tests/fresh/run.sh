#!/usr/bin/env bash
# `make run` and `make test` on a bare Debian 12 (made by debootstrap; only git, make and ca-certificates added), as
# root and as a user with sudo. For anyone with root and debootstrap; packages come from the mirror debootstrap uses.
#   tests/fresh/run.sh [root|sudo ...]   FRESH_BASE=DIR: keep the bare system there and use it again
#                                        FRESH_CA=FILE:  a certificate to trust inside (a proxy's)
#                                        FRESH_KEEP=1:   leave the used systems for a look
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || { echo "fresh: run it as root: it makes mounts and namespaces" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh: debootstrap is missing (apt-get install debootstrap)" >&2; exit 2; }
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}" fresh.XXXXXX)
base=${FRESH_BASE:-$work/base}
trap '[ -n "${FRESH_KEEP:-}" ] || rm -rf --one-file-system "$work"' EXIT

if [ ! -e "$base/.bare" ]; then
    echo "fresh: making a bare Debian 12 in $base"
    debootstrap --variant=minbase --include=git,make,ca-certificates bookworm "$base" >"$work/debootstrap.log" ||
        { tail -n 20 "$work/debootstrap.log"; exit 1; }
    touch "$base/.bare"
fi

prepare() { # WHO: a system of its own with a clone of what is committed here
    local root=$work/$1
    cp -a "$base" "$root"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    if [ -n "${FRESH_CA:-}" ]; then
        cp -L "$FRESH_CA" "$root/usr/local/share/ca-certificates/extra.crt"
    fi
    git clone -q --no-local . "$root/src"
    cp tests/fresh/inside.sh "$root/inside.sh"
}

enter() { # WHO: runs inside.sh in namespaces of its own, so that nothing of it outlives this
    local root=$work/$1
    # pivot_root, not chroot: a chrooted process may make no user namespace, which sandbox and browser need
    # shellcheck disable=SC2016
    unshare --mount --pid --ipc --uts --fork --kill-child bash -euc '
        mount --bind "$1" "$1"
        cd "$1"
        mount -t proc proc proc
        mount --rbind /sys sys
        mount --rbind /dev dev
        mount -t tmpfs tmpfs tmp -o mode=1777
        mkdir -p old
        pivot_root . old
        umount -l old
        cd /
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb CI="$3" bash /inside.sh "$2"
    ' fresh "$root" "$1" "${CI:-}"
}

failed=0
[ $# -gt 0 ] || set -- root sudo
for who in "$@"; do
    case $who in root | sudo) ;; *) echo "fresh: root or sudo, not '$who'" >&2; exit 2 ;; esac
    prepare "$who"
    enter "$who" || failed=1
    [ -n "${FRESH_KEEP:-}" ] || rm -rf --one-file-system "${work:?}/$who"
done
exit $failed
