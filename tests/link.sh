#!/bin/sh
# link.sh: hosts that are not there. Each is a network namespace with one cable to a common switch, of the bandwidth that was asked for in
# both directions; the switch is a bridge in a namespace of its own, so that the network of this machine is never touched. Hosts have
# names of their own and share all files. mpirun there reaches the others by "link.sh agent" where elsewhere it has ssh:
#     link.sh exec 1 mpirun -n 2 --host 10.77.0.1,10.77.0.2 COMMAND…
# usage: link.sh up HOSTS RATE      hosts 1…HOSTS at 10.77.0.1…, a cable each of RATE (as tc says it: 1.8gbit)
#        link.sh exec HOST COMMAND… run a command there, as this process
#        link.sh agent 10.77.0.HOST COMMAND… the same as ssh would, for mpirun: one line for the shell there
#        link.sh cut HOST           from now on the switch drops all that comes from HOST or goes there, without a word
#        link.sh mend HOST
#        link.sh part HOST HOST     from now on nothing passes between these two, and nobody is told; others reach both
#        link.sh join HOST HOST
#        link.sh down               end what still runs there, remove all of it
# LINK_NAME (default trireme) tells several networks apart, which may have the same addresses. Needs root.
set -eu

name=${LINK_NAME:-trireme}
switch=$name-switch

fail() { echo "link.sh: $*" >&2; exit 1; }
usage() { sed -n 's/^# usage: /usage: /p; s/^#        link/       link/p' "$0" >&2; exit 2; }
host() { echo "$name-$1"; }
exists() { ip netns list | cut -d ' ' -f 1 | grep -qx -- "$1"; }
need_host() { exists "$(host "$1")" || fail "there is no host $1: link.sh up HOSTS RATE makes some"; }
ours() { ip netns list | cut -d ' ' -f 1 | grep -xE -- "$name-(switch|[0-9]+)" || true; }

# shape NAMESPACE DEVICE RATE: the bucket holds more than a packet as large as the kernel makes them, the queue 20 ms.
shape() { tc -n "$1" qdisc add dev "$2" root tbf rate "$3" burst 256kb latency 20ms; }

add_host() {
    ip netns add "$(host "$1")"
    ip link add eth0 netns "$(host "$1")" type veth peer name "port$1" netns "$switch"
    ip -n "$(host "$1")" address add "10.77.0.$1/24" dev eth0
    ip -n "$(host "$1")" link set lo up
    ip -n "$(host "$1")" link set eth0 up
    ip -n "$switch" link set "port$1" master bridge up
    shape "$(host "$1")" eth0 "$2"
    shape "$switch" "port$1" "$2"
}

# The kernel tells the switch of a new carrier when it finds the time, and opens the port then: even one that was cut meanwhile.
wait_for_carriers() {
    tries=200
    until [ "$(ip -n "$switch" -brief link show up type veth | grep -c ' UP ')" -eq "$1" ]; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || fail "the cables are not up after 10 s"
        sleep 0.05
    done
}

up() {
    if [ "$1" -lt 1 ] || [ "$1" -gt 200 ]; then fail "$1 hosts: there may be 1 to 200"; fi
    [ -z "$(ours)" ] || fail "$name is up already: link.sh down first, or another LINK_NAME"
    unshare --mount true 2>/dev/null || fail "network namespaces cannot be entered here (in a chroot, or without root)"
    trap 'down' EXIT # half a network is worse than none
    ip netns add "$switch"
    ip -n "$switch" link add bridge type bridge
    ip -n "$switch" link set bridge up
    number=1
    while [ "$number" -le "$1" ]; do
        add_host "$number" "$2"
        number=$((number + 1))
    done
    wait_for_carriers "$1"
    trap - EXIT
}

down() {
    for space in $(ours); do
        ip netns pids "$space" | xargs -r kill -KILL 2>/dev/null || true
        ip netns delete "$space"
    done
}

# state HOST NUMBER: of the switch's port, 0 disabled, 3 forwarding. The carrier stays, so that nobody is told of the cut.
state() {
    need_host "$1"
    bridge -n "$switch" link set dev "port$1" state "$2"
}

# part HOST OTHER: each has a wrong hardware address for the other, so that the switch leads its packets to nobody.
part() {
    need_host "$1"
    need_host "$2"
    ip -n "$(host "$1")" neighbour replace "10.77.0.$2" lladdr 02:00:00:00:00:01 nud permanent dev eth0
    ip -n "$(host "$2")" neighbour replace "10.77.0.$1" lladdr 02:00:00:00:00:01 nud permanent dev eth0
}

join() {
    need_host "$1"
    need_host "$2"
    ip -n "$(host "$1")" neighbour delete "10.77.0.$2" dev eth0
    ip -n "$(host "$2")" neighbour delete "10.77.0.$1" dev eth0
}

# mpirun_settings: by the environment, so that they also reach the mpirun that trireme starts. mpirun itself reaches every host, instead of
# hosts each other, and none of its traffic takes another way than the cable.
mpirun_settings() {
    OMPI_MCA_plm_rsh_agent="$(realpath "$0") agent"
    export OMPI_MCA_plm_rsh_agent OMPI_MCA_plm_rsh_no_tree_spawn=1
    export OMPI_MCA_btl_tcp_if_include=10.77.0.0/24 OMPI_MCA_oob_tcp_if_include=10.77.0.0/24
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

# enter HOST COMMAND…: a name of its own keeps programs from taking two hosts for one, with memory to share.
enter() {
    need_host "$1"
    where=$(host "$1")
    shift
    mpirun_settings
    # shellcheck disable=SC2016  # for the shell there
    exec ip netns exec "$where" unshare --uts sh -c 'hostname "$0" && exec "$@"' "$where" "$@"
}

# reach ADDRESS COMMAND…
reach() {
    number=${1#10.77.0.}
    shift
    enter "$number" sh -c "$*"
}

[ $# -gt 0 ] || usage
[ "$(id -u)" -eq 0 ] || fail "network namespaces need root: run this as root"
command -v tc >/dev/null || fail "tc is missing: install iproute2"
case $1:$# in
up:3) up "$2" "$3" ;;
exec:[3-9] | exec:[1-9][0-9]*)
    shift
    enter "$@"
    ;;
agent:[3-9] | agent:[1-9][0-9]*)
    shift
    reach "$@"
    ;;
cut:2) state "$2" 0 ;;
mend:2) state "$2" 3 ;;
part:3) part "$2" "$3" ;;
join:3) join "$2" "$3" ;;
down:1) down ;;
*) usage ;;
esac
