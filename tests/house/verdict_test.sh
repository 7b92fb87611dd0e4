#!/bin/sh
# verdict_test.sh: makes jobs wait for one thing, and checks that their verdict names it. Limits make each case, not the speed of the machine:
# a link of 100 Mbit/s, hosts that may use a part of a CPU, a disk that takes 50 ms for a file. ps_verdict_test has the stopped worker.
# TEST_REPEATS=10 repeats each case ten times.
# usage: verdict_test.sh PROJECT BUILD
# shellcheck disable=SC2317  # cases are called by their names
set -eu
project=$(realpath "$1") trireme=$(realpath "$2")/trireme
cluster=verdict-$$

[ "$(id -u)" -eq 0 ] || { echo "virtual hosts need root"; exit 77; }
here=$(mktemp -d)
trap '"$trireme" cluster down "$cluster" 2>/dev/null || true; rm -rf "$here"' EXIT
trap 'exit 130' INT TERM
cd "$here"
cat >hosts.yaml <<'END'
hosts:
  - {name: server, rate: 100mbit}
  - {name: worker1, rate: 100mbit}
  - {name: worker2, rate: 100mbit}
  - {name: weak, cpus: 0.02}
  - {name: part, cpus: 0.3}
  - {name: twentieth, cpus: 0.05}
  - {name: free}
END
if ! said=$("$trireme" cluster up "$cluster" --file hosts.yaml 2>&1); then
    case $said in *"cannot be entered here"*) echo "$said"; exit 77 ;; esac
    echo "failed: $said"
    exit 1
fi
"$trireme" keygen cluster.pem >/dev/null
printf 'ps: ["10.77.0.1:4000"]\nworker: ["worker1", "worker2"]\n' >linked.yaml
printf 'ps: ["10.77.0.4:4000"]\nworker: ["free"]\n' >weak.yaml
printf 'input(16x16x3, scale=1/255)\ndense(classes, init=zero)\nsoftmax_loss()\n' >small.model
"$trireme" data make images --size 1200x900 --classes 2 --count 24 --out photos --quiet >/dev/null
cc -shared -fPIC -O1 -o slow_disk.so "$project/tests/house/slow_disk.c" -ldl

# on HOST COMMAND…, train OPTION…
on() { host=$1; shift; "$trireme" cluster exec "$cluster" "$host" "$@"; }
train() { host=$1; shift; on "$host" "$trireme" train "$@" --threads "${threads:-1}" --sample-every 100ms --quiet; }

# job CLUSTER SERVER WORKERS OPTION…: starts the tasks on their hosts, and prints the output of the server.
job() {
    file=$1 server=$2 workers=$3 number=0
    shift 3
    for worker in $workers; do
        train "$worker" "$@" --strategy ps --cluster "$file" --key cluster.pem --task "worker:$number" >"$worker.txt" 2>&1 &
        number=$((number + 1))
    done
    train "$server" "$@" --strategy ps --cluster "$file" --key cluster.pem --task ps:0 --out "$out" 2>&1
    wait
}

# Batches of two: compared with the link, computing takes no time.
full_link() { job linked.yaml server "worker1 worker2" lenet --data digits:2000 --batch 2 --steps 200 --eval-every end "$1"; }

# A server that has a fiftieth of a CPU for the costly rule of a wide model.
costly_rule() {
    job weak.yaml weak free softmax --data fake:64x64x3:10:2000 --batch 1 --rule adam --steps 120 --eval-every never --checkpoint-every end "$1"
}

# A tiny model with a checkpoint in every step: ps:0 holds the next step back for it.
busy_coordinator() { job weak.yaml weak free softmax --data fake:2x2x1:2:2000 --batch 1 --steps 50 --eval-every never --checkpoint-every 1steps --sync; }

# To decode a batch takes longer than the time for which the host may get no CPU, which is counted where it falls.
slow_decode() { train part small.model --data photos --batch 8 --steps 20 --eval-every never --out "$out" 2>&1; }
slow_disk() { on free env LD_PRELOAD="$here/slow_disk.so" "$trireme" train small.model --data photos --batch 2 --steps 60 --eval-every never \
    --sample-every 100ms --threads 1 --quiet --out "$out" 2>&1; }
slow_stream() {
    "$trireme" data make clicks --format libsvm --features 1000 --count 400 --partitions 1 --out "clicks$out" --quiet >/dev/null
    cat "clicks$out"/train* | while read -r line; do sleep 0.002; echo "$line"; done |
        on free "$trireme" train sparse-lr --data - --features 1000 --batch 10 --threads 1 --sample-every 100ms --quiet --out "$out" 2>&1
}
many_threads() { threads=4 train twentieth lenet --data digits:2000 --batch 64 --steps 100 --eval-every never --out "$out" 2>&1; }

# Eight programs that are always busy share a part of a CPU with the tasks of a job.
crowded_host() {
    others=
    for _ in 1 2 3 4 5 6 7 8; do
        "$trireme" cluster exec "$cluster" part sh -c 'while :; do :; done' & # not "on": that would be the process of a function, not the loop
        others="$others $!"
    done
    train part softmax --data digits:2000 --strategy ps --workers 2 --sync --batch 16 --steps 100 --eval-every never --out "$out" 2>&1
    # shellcheck disable=SC2086  # one word a process
    kill $others
}

# check CASE BEGINNING ARGUMENT…: runs the case and checks that its verdict begins with BEGINNING.
check() {
    case=$1 sentence=$2 right=0
    shift 2
    for repeat in $(seq "${TEST_REPEATS:-1}"); do
        out=$case$*-$repeat
        "$case" "$@" >said.txt || { cat said.txt; exit 1; }
        if grep -q "^verdict *$sentence" said.txt; then right=$((right + 1)); else grep 'verdict\|phases\|hosts' said.txt || cat said.txt; fi
    done
    echo "$case $*: $right of ${TEST_REPEATS:-1}"
    [ "$right" -eq "${TEST_REPEATS:-1}" ] || failed=1
}

failed=0
check full_link 'network-bound: server [a-z]* at [0-9]* % of its link.s 100 Mbit/s.*saves [0-9]* % at most' --sync
check full_link 'network-bound: server [a-z]* at [0-9]* % of its link.s 100 Mbit/s.*saves [0-9]* % at most' --async
check costly_rule 'server-bound: .*ps:0 uses [0-9]* % of a CPU, and its host has no more to give.*saves [0-9]* % at most' --sync
check costly_rule 'server-bound: .*ps:0 uses [0-9]* % of a CPU, and its host has no more to give.*saves [0-9]* % at most' --async
check busy_coordinator 'waiting for the coordinator: .*saves [0-9]* % at most'
check slow_decode 'input-bound: .*Decoding keeps .*saves [0-9]* % at most'
check slow_disk 'input-bound: .*the disk[.,].*saves [0-9]* % at most'
check slow_stream 'input-bound: .*standard input is slow.*saves [0-9]* % at most'
check many_threads 'oversubscribed CPUs: 4 threads compute on 0.05 CPU,.*saves [0-9]* % at most'
check crowded_host 'oversubscribed CPUs: other programs had 0.[0-9]* of the host.s 0.3,.*less time at most'
exit $failed
