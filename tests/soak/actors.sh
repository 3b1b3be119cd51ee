# Who takes part, for run.sh: each is a loop until the end, in a process of its own. What the server has acknowledged
# is kept in $work/policies, plays and games: it must still be there at the end.

form=(-F family=soak -F description=soak)
field() { grep -oE "\"$1\":\"?[^\",}]*" "$work/$2.body" | head -1 | sed -E 's/.*:"?//'; }

uploader() {
    local n=0 programs=("$work/lowest" docs/examples/match.py "$players/good" "$players/crash_at_move" "$players/exits_at_start"
        "$players/illegal" "$players/stderr_flood" "$players/grandchild" "$players/nondeterministic" "$players/late_once")
    while going; do
        n=$((n + 1))
        ask uploader '201|409' "$url/policies" -H "Authorization: Bearer $token" "${form[@]}" -F id=u-$n -F name="Upload $n" \
            -F policy=@"${programs[n % ${#programs[@]}]}" && [ "$status" = 201 ] && echo "u-$n" >>"$work/policies"
        sleep $((2 + RANDOM % 4))
    done
}

reviser() {
    while going; do
        sleep $((5 + RANDOM % 5))
        local id
        id=$(shuf -n 1 "$work/policies" 2>/dev/null) || continue
        case $id in u-*) ask reviser '201|409' "$url/policies/$id/revisions" -H "Authorization: Bearer $token" -F policy=@"$work/lowest" ;; esac
    done
}

endpoints() {
    local n=0 port pid
    while going; do
        n=$((n + 1))
        "$bin/drop7" policy --policy greedy --listen 127.0.0.1:0 2>"$work/endpoint.log" >"$work/endpoint.out" &
        pid=$!
        port=
        for _ in $(seq 100); do
            port=$(grep -ohE '127\.0\.0\.1:[0-9]+' "$work/endpoint.log" "$work/endpoint.out" | head -1 | cut -d: -f2)
            [ -z "$port" ] || break
            sleep 0.1
        done
        ask endpoints '201|409' "$url/policies" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
            -d "{\"id\":\"e-$n\",\"name\":\"Endpoint $n\",\"family\":\"soak\",\"description\":\"soak\",\"endpoint\":\"tcp://127.0.0.1:$port\"}" \
            && [ "$status" = 201 ] && echo "e-$n" >>"$work/policies"
        sleep $((3 + RANDOM % 12)) # it may vanish in mid-game
        kill "$pid"
        wait "$pid" 2>/dev/null
    done
}

player() {
    local play legal
    while going; do
        ask player 201 "$url/plays" -H 'Content-Type: application/json' -d '{"round":"gauntlet-01"}' || { sleep 1; continue; }
        play=$(field id player)
        while going; do
            ask player 200 "$url/plays/$play" || { sleep 0.5; continue; } # whatever was lost, this is what counts
            read -ra legal < <(grep -oE '"legal":\[[0-9,]+\]' "$work/player.body" | tr -c '0-9\n' ' ')
            [ ${#legal[@]} -gt 0 ] || break
            ask player 200 "$url/plays/$play/moves" -H 'Content-Type: application/json' \
                -d "{\"move\":$(($(field move player) + 1)),\"column\":${legal[RANDOM % ${#legal[@]}]}}"
        done
        going || return # in mid-game: nothing to submit
        ask player '200|201' "$url/plays/$play/submit" -H 'Content-Type: application/json' -d '{"displayName":"Soak"}'
        ask player 200 "$url/plays/$play" && field gameId player | grep -E '^[0-9A-Z]{26}$' >>"$work/games"
    done
}

reader() {
    local me=reader$BASHPID tag='"none"' game
    while going; do
        ask "$me" '200|304' "$url/leaderboard" -H "If-None-Match: $tag" -H 'Accept-Encoding: gzip' -D "$work/$me.head" &&
            tag=$(grep -ioE '^etag: .*' "$work/$me.head" | cut -d' ' -f2 | tr -d '\r')
        ask "$me" 200 "$url/games?limit=20" && grep -oE '"id":"[0-9A-Z]{26}"' "$work/$me.body" | cut -d'"' -f4 >"$work/$me.ids" &&
            cat "$work/$me.ids" >>"$work/games"
        game=$(shuf -n 1 "$work/$me.ids" 2>/dev/null) && [ -n "$game" ] && ask "$me" 200 "$url/games/$game/replay"
        ask "$me" 200 "$url/leaderboard?format=csv"
        ask "$me" 200 "${url%/api/v1}/"
        note . reads
        sleep 0.1
    done
}

streams() {
    while going; do
        ask streams 200 "$url/runs?limit=30" || { sleep 1; continue; }
        local id ids=()
        for id in $(grep -oE '"id":"[0-9A-Z]{26}"' "$work/streams.body" | cut -d'"' -f4); do
            curl -s -N -m 20 -o /dev/null "$url/runs/$id/events" &
            ids+=($!)
        done
        sleep 10
        kill "${ids[@]:0:10}" 2>/dev/null # some go early, the others in their own time
        wait "${ids[@]}" 2>/dev/null
    done
}

killer() {
    while going; do
        sleep $((4 + RANDOM % 8))
        going || return
        case $((RANDOM % 20)) in
            0) note . killed && kill -9 "$(server_pid)" && again ;;
            1) note . stopped && kill "$(server_pid)" && again ;;
            2 | 3) kill -HUP "$(server_pid)" ;;
            *) kill -9 "$(workers | shuf -n 1)" 2>/dev/null && note . workers ;;
        esac
    done
}

# The server is this process's child or its sibling: wait until it is gone, then start the next.
again() {
    local pid
    pid=$(server_pid)
    for _ in $(seq 200); do
        kill -0 "$pid" 2>/dev/null && [ "$(awk '/^State/ { print $2 }' "/proc/$pid/status" 2>/dev/null)" != Z ] || break
        sleep 0.1
    done
    serve || echo "the server did not come back" >>"$work/wrong"
}

# A few hours: a jump of a day would rightly end the plays.
clock() {
    [ -e "$fake" ] || return
    while going; do
        sleep $((5 + RANDOM % 5))
        local offsets=(+0 -3600 +3600 +7200 -30 -7200)
        echo "${offsets[RANDOM % 6]}" >"$clock_file"
        note . jumps
    done
    echo '+0' >"$clock_file"
}

disk() {
    [ -n "${SOAK_INSIDE:-}" ] || return
    while going; do
        sleep 40
        dd if=/dev/zero of="$data/fill" bs=1M status=none 2>/dev/null # until it is full
        note . filled
        sleep 5
        rm -f "$data/fill"
    done
}
