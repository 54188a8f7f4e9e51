# Runs the server given as arguments and stops it once standard input ends: the owner holds the other end
# of that pipe, and the kernel closes it however the owner dies.
trap '' HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(
    read -r nothing <&3
    kill -INT "$server"
    tenths=0
    while [ "$tenths" -lt 100 ] && kill -0 "$server"; do
        sleep 0.1
        tenths=$((tenths + 1))
    done
    kill -QUIT "$server"
) &
watcher=$!
wait "$server"
status=$?
kill -KILL "$watcher"
exit "$status"
