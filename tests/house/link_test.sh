#!/bin/sh
# link_test.sh: hosts of link.sh reach each other, do not where the cable is cut, do again when it is mended, and leave nothing behind.
# usage: link_test.sh PROJECT BUILD
set -eu
link=$1/tests/link.sh
export LINK_NAME="link-test-$$"

[ "$(id -u)" -eq 0 ] || { echo "network namespaces need root"; exit 77; }
if ! { unshare --mount true && ip netns add "$LINK_NAME-try"; }; then
    echo "no network namespaces here" # in a chroot they could be made, but not entered
    exit 77
fi
ip netns delete "$LINK_NAME-try"
trap '"$link" down' EXIT
trap 'exit 130' INT TERM

# reaches FROM TO SECONDS: no program listens there, so a host that is reached refuses at once.
reaches() {
    timeout "$3" "$link" exec "$1" openssl s_client -connect "10.77.0.$2:9" </dev/null 2>&1 | grep -qi refused
}

expect() { "$@" || { echo "failed: $*"; exit 1; }; }
refuse() { ! "$@" 2>/dev/null || { echo "should have failed: $*"; exit 1; }; }

expect "$link" up 3 1.8gbit
refuse "$link" up 3 1.8gbit
refuse "$link" exec 4 true
expect reaches 1 2 30
expect reaches 3 1 30
expect "$link" cut 2
refuse reaches 1 2 1
expect reaches 3 1 30
expect "$link" mend 2
expect reaches 1 2 30
"$link" exec 1 sleep 1000 &
until [ "$(ip netns pids "$LINK_NAME-1")" ]; do sleep 0.05; done
expect "$link" down
! wait $! || { echo "a process outlived its host"; exit 1; }
! ip netns list | grep -q "^$LINK_NAME-" || { echo "namespaces are left"; exit 1; }
