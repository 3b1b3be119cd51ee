#!/usr/bin/env bash
# Writes tests/golden/vN.sql from a store of schema N, made by the drop7d of its time: one upload with its games, one that
# was rejected, from schema 3 on a play. Rounds that no game is on are left out for the size.
# Usage: tests/golden/make.sh DROP7.DB >tests/golden/vN.sql     (after each new migration: before it lands, for the last N)
set -euo pipefail
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
sqlite3 -readonly "$1" ".backup '$copy'"
sqlite3 "$copy" "DELETE FROM suite_round WHERE suite <> 'gauntlet'; DELETE FROM suite WHERE id <> 'gauntlet';
    DELETE FROM round WHERE id NOT IN (SELECT round FROM suite_round)"
# .dump leaves these two out
echo "PRAGMA application_id = $(sqlite3 "$copy" 'PRAGMA application_id');"
echo "PRAGMA user_version = $(sqlite3 "$copy" 'PRAGMA user_version');"
sqlite3 "$copy" .dump
