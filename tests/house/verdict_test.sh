#!/bin/sh
# verdict_test.sh: a job whose servers sit behind a slow link says so: which link, how full, and that a faster one would help.
# usage: verdict_test.sh PROJECT BUILD
set -eu
trireme=$2/trireme
cluster=verdict-$$

[ "$(id -u)" -eq 0 ] || { echo "virtual hosts need root"; exit 77; }
if ! said=$("$trireme" cluster up "$cluster" --hosts 3 --rate 20mbit 2>&1); then
    case $said in *"cannot be entered here"*) echo "$said"; exit 77 ;; esac
    echo "failed: $said"
    exit 1
fi
here=$(mktemp -d)
trap '"$trireme" cluster down "$cluster" 2>/dev/null || true; rm -rf "$here"' EXIT
trap 'exit 130' INT TERM
cd "$here"
printf 'ps: ["10.77.0.1:4000"]\nworker: ["host2", "host3"]\n' >cluster.yaml
"$trireme" keygen cluster.pem >/dev/null

# Batches of two: next to the link, computing takes no time in any build on any machine.
# on HOST TASK MODE [OPTION…]
on() {
    host=$1 task=$2 mode=$3
    shift 3
    "$trireme" cluster exec "$cluster" "$host" "$trireme" train lenet --data digits:2000 --strategy ps "$mode" --batch 2 --steps 16 --threads 1 \
        --cluster cluster.yaml --key cluster.pem --task "$task" --sample-every 200ms --eval-every end --quiet "$@"
}

for mode in --sync --async; do
    on host2 worker:0 "$mode" >worker0.txt 2>&1 &
    on host3 worker:1 "$mode" >worker1.txt 2>&1 &
    on host1 ps:0 "$mode" --out "run$mode" >server.txt 2>&1 || { cat server.txt; exit 1; }
    wait
    grep -q '^verdict *network-bound: host1 [a-z]* at [0-9]* % of its link.s 20 Mbit/s' server.txt || { cat server.txt; exit 1; }
done
