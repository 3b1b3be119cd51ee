# The server under test, for run.sh: start, stop, kill; one process, one port, one folder throughout.

# Its clock is offset by what the file says; deadlines are on the monotonic clock, which is left alone.
fake=/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1
clock_file=$work/clock
echo '+0' >"$clock_file"
listen=127.0.0.1:0 url= starts=0

serve() {
    local preload=()
    [ ! -e "$fake" ] || preload=(LD_PRELOAD="$fake" FAKETIME_TIMESTAMP_FILE="$clock_file" FAKETIME_NO_CACHE=1
        DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_RESET=1)
    env "${preload[@]}" "$bin/drop7d" serve --listen "$listen" --data "$data" --workers 2 --registration open \
        --allow-endpoint 127.0.0.0/8 --lease-beat 0.5 --lease-dead 4 --move-timeout 2 --game-timeout 60 \
        --rate-writes 0 --rate-tokens 0 --rate-auth-failures 0 --rate-plays 0 --quota-policies 0 --quota-revisions 0 \
        --quota-jobs 0 --quota-artifacts 0 >>"$work/log" 2>&1 &
    echo $! >"$work/server"
    starts=$((starts + 1))
    for _ in $(seq 200); do
        if [ -z "$url" ]; then
            listen=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$work/log" | head -1 | cut -c8-)
            [ -z "$listen" ] || url=http://$listen/api/v1
        fi
        [ -n "$url" ] && curl -sf -m 2 -o "$work/trash" "${url%/api/v1}/healthz" && return 0
        kill -0 "$(cat "$work/server")" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

server_pid() { cat "$work/server"; }
workers() { # children of the server's keeper
    local keeper
    keeper=$(pgrep -P "$(server_pid)" 2>/dev/null) && pgrep -P "$keeper" -f 'drop7d worker' 2>/dev/null
}
pause() { sleep "$1"; }
going() { [ ! -e "$work/stop" ]; }
note() { echo "$1" >>"$work/count.$2"; } # one more of that kind
count() { cat "$work/count.$1" 2>/dev/null | wc -l; }

# Asks the server and checks that the answer is one of those that may come while it is killed and its disk is full.
# Usage: ask NAME EXPECTED-REGEX CURL-ARGUMENTS...; the body is in $work/NAME.body, the status in $status.
ask() {
    local name=$1 expected=$2
    shift 2
    status=$(curl -s -m 15 -o "$work/$name.body" -w '%{http_code}' "$@") # 000: nobody answered
    case $status in
        000 | 503 | 507) note "$status" unavailable; return 1 ;;
    esac
    if ! [[ $status =~ ^($expected)$ ]]; then
        echo "$name: $status: $(head -c 300 "$work/$name.body")" >>"$work/wrong"
        return 1
    fi
}
