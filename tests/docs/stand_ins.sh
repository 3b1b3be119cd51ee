# What an operator's machine has and a test's has not: another user, and systemd. Sourced before the blocks of a
# document: sudo and chown leave everything with whoever runs the test; systemctl stops and starts the server of the test.
# FOLDER: its bin/ is on the path; DATA, PORT, SERVER: the data folder, port and process of that server.
printf '%s\n' '#!/bin/bash' '[ "$1" != -u ] || shift 2' 'exec "$@"' >"$FOLDER/bin/sudo"
printf '%s\n' '#!/bin/bash' >"$FOLDER/bin/chown"
cat >"$FOLDER/bin/systemctl" <<'END'
#!/bin/bash
case $1,$2 in
    stop,drop7d)
        pid=$(cat "$FOLDER/pid")
        kill "$pid"
        while grep -qs '^State:.[^Z]' "/proc/$pid/status"; do sleep 0.05; done
        ;;
    start,drop7d)
        drop7d serve --listen "127.0.0.1:$PORT" --data "$DATA" --workers 1 >"$FOLDER/log" 2>&1 &
        echo $! >"$FOLDER/pid"
        ;;
    *) exit 1 ;;
esac
END
chmod 755 "$FOLDER"/bin/{sudo,chown,systemctl}
echo "$SERVER" >"$FOLDER/pid"
export FOLDER DATA PORT
trap 'set +e; kill $(jobs -p) 2>/dev/null; systemctl stop drop7d 2>/dev/null; rm -rf "$DATA.aside"' EXIT
