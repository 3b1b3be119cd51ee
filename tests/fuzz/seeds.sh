#!/usr/bin/env bash
# Writes the first inputs of each fuzz target, made of tests/vectors. Usage: tests/fuzz/seeds.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
to=$1 v=tests/vectors
rm -rf "$to"
mkdir -p "$to"/{position,rules,choice,record,lines,http}
each() { split -a 4 -d -l 1 - "$to/$1/$2-"; } # a file a line

# rules: board, hidden numbers, disc, clock, row, then columns; one turn of moves.jsonl each
sed -nE 's/.*"board": "([0-9]+)", "latent": "([0-9]+)", "next": ([0-9]), "rise": ([0-9]), "row": \[([0-9, ]+)\], "column": ([0-9]).*/\1\2\3\4\5\6 3142536475061/p' \
    $v/moves.jsonl | tr -d ', ' | each rules move
# choice: the same up to the row, hidden numbers being of no account; then what is looked at
awk '{ print $1 $1 $2 $3 "1234567" NR % 4 }' $v/bench-roots.txt | each choice root

awk 'NR <= 15 { print "position board " $1 " next " $2 " rise " $3; print $1 " " $2 " " $3; print $1 " " $2 " " $3 " 12 57"; print $1 }' \
    $v/bench-roots.txt | each position root
printf 'position startpos next 2 rise 5' >"$to/position/start"
printf 'isready' >"$to/position/isready"

# lines: the first byte says where they are cut
for cut in 1 '}'; do
    {
        printf '%sd7p\nisready\r\n' "$cut"
        awk 'NR <= 6 { print "position board " $1 " next " $2 " rise " $3 "\ngo" }' $v/bench-roots.txt
        printf 'position startpos next 8 rise 0\ngo\nnonsense\n\nquit\n'
    } >"$to/lines/policy-$cut"
    printf '%sid name A\nid family b\nid public-information true\nd7pok\nreadyok\ninfo depth 3\nbestmove 3\nbestmove none x\nbestmove 7\n' "$cut" >"$to/lines/harness-$cut"
done

# record: a small round, a replay of it cut to one frame, and columns of whole games
cat >"$to/record/round" <<'END'
{"format":"drop7-scripted-round-v1","id":"tiny","name":"Tiny","generatorSeedHex":"0x1","maximumMoves":2,"discs":[1,7],"latentRows":[[1,2,3,4,5,6,7],[7,6,5,4,3,2,1]]}
END
cat >"$to/record/replay" <<'END'
{"format":"drop7-replay-v1","policyId":"x","roundId":"gauntlet-01","score":0,"moves":1,"censored":false,"maxChain":0,"discsCleared":0,"coveredRevealed":0,"checksum":"0000000000000000","outcome":"forfeit","reason":"quit","illegalMoves":1,"timeouts":0,"crashes":0,"nondeterministic":false,"elapsedMs":3,"moveMs":{"p50":1.5,"p95":1,"p99":1,"max":2},"round":{"id":"gauntlet-01","name":"Gauntlet 01","generatorSeedHex":"0x5eed0001","maximumMoves":2000},"faults":[],"frames":[{"move":1,"disc":2,"column":3,"scoreDelta":0,"score":0,"board":"0000000000000000000000000000000000020008888888","nextDisc":6,"movesRemaining":4,"chainDepth":0,"cleared":0,"revealed":0,"levelAdvanced":false}]}
END
sed -nE 's/.*"round": "gauntlet-01".*"columns": "([0-6]{1,200}).*/\1/p' $v/games.jsonl | each record columns

form() { printf '%s\r\n' "$@"; }
{
    echo 'multipart/form-data; boundary=xyz'
    form '--xyz' 'Content-Disposition: form-data; name="id"' '' 'mine' '--xyz' \
        'Content-Disposition: form-data; name="policy"; filename="a\"b"' 'Content-Type: application/octet-stream' '' '#!/bin/sh' '--xyz--' 'end'
} >"$to/http/form"
printf '%s\n' '/api/v1/policies/a%20b' '/api/v1/games/x/replay' '/a/%2e%2e/c' 'limit=10&cursor=a%2Bb+c&policy=x' 'Bearer d7_0123456789abcdef' \
    'W/"x", "a,b", *' 'gzip;q=0.5, *;q=0' '10.0.0.1, 192.0.2.7, 127.0.0.1' 'fc00::/7' '::ffff:10.0.0.0/104' '192.168.0.0/16' \
    'tcp://policy.example.org:7007' 'tcp://[::1]:80' 'application/json; charset="utf-8"' '12345678' | each http line
