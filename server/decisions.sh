#!/usr/bin/env bash
# Usage: decisions.sh DROP7. Prints what every built-in policy thinks of one position, for the pages that explain
# them: the position after move 51 of greedy's game on Gauntlet 01, played and asked here by the engine itself.
# There greedy, the fair searches and the tree searches disagree.
set -euo pipefail
drop7=$1
move=51
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$drop7" bench --policies greedy --rounds gauntlet-01 --out "$work" >/dev/null 2>&1
frame=$(grep -oE "\"move\":$move,[^{}]*" "$work/replays/greedy--gauntlet-01.json")
field() { grep -oE "\"$1\":\"?[0-9]+" <<<"$frame" | grep -oE '[0-9]+$'; }
board=$(field board) next=$(field nextDisc) rise=$(field movesRemaining)
printf '{"playedBy":"greedy","roundId":"gauntlet-01","move":%s,"board":"%s","nextDisc":%s,"movesRemaining":%s,"policies":{' \
    "$move" "$board" "$next" "$rise"
comma=
for id in $("$drop7" policies | awk 'NR > 1 { print $1 }'); do
    printf '%s\n"%s":%s' "$comma" "$id" "$("$drop7" decide --policy "$id" --json <<<"$board $next $rise")"
    comma=,
done
echo '}}'
