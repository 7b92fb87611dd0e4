#!/bin/sh
# slurm.sh: srun starts ranks, placed graphs and parameter servers, under a Slurm of our own: munge, slurmctld and slurmd on this machine,
# in a folder that vanishes. Exits 77, and says why, where they are not installed or cannot be started.
# usage: slurm.sh BINARY
set -eu
binary=$(realpath "$1")

for program in munged slurmctld slurmd srun; do
    command -v "$program" >/dev/null || { echo "$program is not installed (Debian: apt install slurm-wlm munge)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "slurmd needs root to start tasks"; exit 77; }

folder=$(mktemp -d)
started=''
finish() {
    for process in $started; do
        kill "$process" 2>/dev/null || continue
        for _ in $(seq 50); do
            kill -0 "$process" 2>/dev/null || continue 2
            sleep 0.1
        done
        kill -KILL "$process"
    done
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM

# background NAME COMMAND…: its output goes to NAME.txt.
background() {
    log=$folder/$1.txt
    shift
    "$@" >"$log" 2>&1 &
    started="$! $started" # the last one ends first
}

configure() {
    host=$(hostname)
    cat >"$folder/slurm.conf" <<EOF
ClusterName=trireme
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=$1
SlurmdPort=$2
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES OverSubscribe=FORCE:4 State=UP
EOF
}

# Two ports on which no program listens now.
free_ports() {
    python3 -c '
import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in sockets])'
}

start() {
    chmod 755 "$folder"
    mkdir "$folder/state" "$folder/spool"
    head -c 1024 /dev/urandom >"$folder/key"
    chmod 400 "$folder/key"
    # shellcheck disable=SC2046  # two words
    configure $(free_ports)
    export SLURM_CONF="$folder/slurm.conf"
    background munged munged --force --foreground --socket="$folder/munge.socket" --key-file="$folder/key" \
        --pid-file="$folder/munge.pid" --log-file="$folder/munge.log" --seed-file="$folder/seed"
    background slurmctld slurmctld -D
    background slurmd slurmd -D
    for _ in $(seq 120); do
        ! sinfo -h -o %T 2>/dev/null | grep -q idle || return 0
        sleep 0.5
    done
    echo "no Slurm can be started here:"
    tail -n 3 "$folder"/*.txt
    exit 77
}

# expect TEXT COMMAND…: it ends well and says that.
expect() {
    text=$1
    shift
    said=$(cd "$folder" && timeout 120 "$@" 2>&1) || { echo "failed: $*"; echo "$said"; exit 1; }
    echo "$said" | grep -q "$text" || { echo "$* did not say '$text':"; echo "$said"; exit 1; }
    echo "passed: $text"
}

# A graph and a model on two tasks.
placed() {
    cat >"$folder/sum.graph" <<EOF
a = random_block(64x64, init=uniform(1), matrix=1, place=0)
b = random_block(64x64, init=uniform(1), matrix=2, place=1)
c = matmul(a, b)
t = trace(c)
EOF
    printf '%s\n' 'input(scale=1/255)' 'dense(32)' relu 'dense(classes, place=1)' softmax_loss >"$folder/two.model"
    alone=$(cd "$folder" && "$binary" run sum.graph --quiet)
    expect "$alone" srun -n 2 --mpi=pmix "$binary" run sum.graph
    expect "strategy     placed, .*, 2 workers" srun -n 2 --mpi=pmix "$binary" train two.model --data digits:500 --steps 40 \
        --strategy placed --out placed
    said=$(cd "$folder" && srun -n 2 --mpi=none "$binary" run sum.graph 2>&1) && { echo "tasks that cannot find each other should not run"; exit 1; }
    echo "$said" | grep -q "srun --mpi=pmix" || { echo "they did not say what to do: $said"; exit 1; }
}

start
train="$binary train softmax --data digits:500 --steps 40 --eval-every end"
# shellcheck disable=SC2086  # words of a command
expect "strategy     allreduce, batch 100, 1 thread, 2 workers" srun -n 2 --mpi=pmix $train --strategy allreduce --out ranks
# shellcheck disable=SC2086
expect "strategy     ps sync" srun -n 2 $train --strategy ps --servers 1 --sync --out servers
sparse="$binary train sparse-lr --data clicks:5000:2000 --batch 50 --steps 20 --eval-every end"
# shellcheck disable=SC2086
expect "tables of 5,000 rows" srun -n 2 $sparse --strategy ps --servers 1 --sync --out tables
# shellcheck disable=SC2086
expect "strategy     allreduce, batch 50, 1 thread, 2 workers" srun -n 2 --mpi=pmix $sparse --strategy allreduce --min-count 2 --out grown
# shellcheck disable=SC2086
said=$(srun -n 2 --mpi=none $train --strategy allreduce 2>&1) && { echo "ranks that cannot find each other should not run"; exit 1; }
echo "$said" | grep -q "srun --mpi=pmix" || { echo "they did not say what to do: $said"; exit 1; }
placed
