#!/bin/sh
# hosts_test.sh: the bytes that tasks of a graph say they sent are those that the cables of their hosts carried, within 2 %.
# usage: hosts_test.sh PROJECT BUILD
set -eu
project=$1 build=$2
[ "$(id -u)" -eq 0 ] || { echo "virtual hosts need root"; exit 77; }
command -v mpirun >/dev/null || { echo "mpirun is not installed (Debian: apt install openmpi-bin)"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0 \
    TSAN_OPTIONS="suppressions=$project/tests/openmpi.supp"
trireme=$build/trireme cluster=placed$$
folder=$(mktemp -d)
trap '"$trireme" cluster down "$cluster" >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
fail() { echo "failed: $*"; exit 1; }
if ! "$trireme" cluster up "$cluster" --hosts 3 --rate 2gbit >"$folder/up" 2>&1; then
    grep -q "cannot be entered here" "$folder/up" && { cat "$folder/up"; exit 77; }
    fail "$(cat "$folder/up")"
fi

# carried: bytes that left all hosts so far
carried() { for host in 1 2 3; do "$trireme" cluster exec "$cluster" host$host cat /proc/net/dev; done | awk '$1 == "eth0:" { sum += $10 } END { printf "%.0f\n", sum }'; }

awk -v side=15 -v b=256 -v tasks=3 -f "$project/tests/placed/blocks.awk" >"$folder/blocks.graph"
before=$(carried)
"$trireme" cluster exec "$cluster" host1 mpirun -n 3 --host 10.77.0.1,10.77.0.2,10.77.0.3 "$trireme" run "$folder/blocks.graph" --threads 1 --json >"$folder/out" 2>"$folder/err" ||
    fail "$(cat "$folder/err")"
after=$(carried)
counted=$(grep -o '"bytes_sent":[0-9]*' "$folder/out" | awk -F: '{ sum += $2 } END { printf "%.0f\n", sum }')
echo "the tasks sent $counted bytes, the cables carried $((after - before))"

# Block (k, i) of B goes from task k mod 3 to task i mod 3, and traces from there to task 0.
awk -v counted="$counted" -v carried="$((after - before))" 'BEGIN {
    for (i = 0; i < 15; i++) for (k = 0; k < 15; k++) must += (i % 3 != k % 3) * 256 * 256 * 4 + (i % 3 != 0) * 4
    exit counted != must || carried < counted || carried > 1.02 * counted }' || fail "they do not agree"
