#!/bin/sh
# cluster_test.sh: virtual hosts reach each other, except while a link is cut; limits hold; two clusters coexist; a cluster that was taken
# down leaves nothing behind, also after a crash.
# usage: cluster_test.sh PROJECT BUILD
set -eu
trireme=$2/trireme
one=test-$$ two=test-$$-2
described=$(mktemp)

[ "$(id -u)" -eq 0 ] || { echo "virtual hosts need root"; exit 77; }
if ! said=$("$trireme" cluster up "$one" --hosts 3 --rate 1.8gbit --cpus 0.5 --memory 200mb 2>&1); then
    case $said in *"cannot be entered here"*) echo "$said"; exit 77 ;; esac
    echo "failed: $said"
    exit 1
fi
trap '"$trireme" cluster down "$one" 2>/dev/null || true; "$trireme" cluster down "$two" 2>/dev/null || true; rm -f "$described" "$described.rates"' EXIT
trap 'exit 130' INT TERM

on() { host=$1; shift; "$trireme" cluster exec "$one" "$host" "$@"; }

# reaches FROM TO SECONDS: nothing listens on that port, so a host that can be reached refuses at once.
reaches() { timeout "$3" "$trireme" cluster exec "$one" "$1" openssl s_client -connect "$2:9" </dev/null 2>&1 | grep -qi refused; }

expect() { "$@" || { echo "failed: $*"; exit 1; }; }
refuse() { ! "$@" 2>/dev/null || { echo "should have failed: $*"; exit 1; }; }
says() { text=$1; shift; "$@" 2>&1 | grep -qF -- "$text" || { echo "does not say \"$text\": $*"; exit 1; }; }

says "is up already" "$trireme" cluster up "$one" --hosts 2
says "has no host host4" on host4 true
says host2 on host2 hostname
says host2 on host2 -- hostname
says "10.77.0.3" on host1 getent hosts host3
says "No such file" on host1 no-such-program
says '"address":"10.77.0.2"' "$trireme" cluster status "$one" --unmeasured --json
stranger() { setpriv --reuid 65534 --clear-groups "$trireme" "$@"; }
if stranger version >/dev/null 2>&1; then # the project may be in a folder that only root can read
    says "links cannot be measured: virtual hosts are network namespaces, which only root can make" stranger cluster status "$one"
    for strategy in local mirrored allreduce ps; do
        says "network namespaces, which only root can make" stranger train softmax --data digits:10 --strategy $strategy --on "$one" --out /dev/null/run
    done
    says "network namespaces, which only root can make" stranger data speed digits:10 --on "$one"
fi
expect reaches host1 host2 30
expect reaches host3 10.77.0.1 30
expect "$trireme" cluster cut "$one" host2
refuse reaches host1 host2 1
expect reaches host3 host1 30
expect "$trireme" cluster mend "$one" host2
expect reaches host1 host2 30
expect "$trireme" cluster cut "$one" host2 --from host1
refuse reaches host1 host2 1
expect "$trireme" cluster mend "$one" host2 --from host3 # was not cut
refuse reaches host1 host2 1
expect "$trireme" cluster mend "$one" host2 # mends that, too
expect reaches host1 host2 30

# hosts come before the machine's other programs, and each host counts as much as another
for file in cpu/trireme/cpu.shares:10240 trireme/cpu.weight:1000; do
    group=/sys/fs/cgroup/${file%:*}
    [ ! -e "$group" ] || [ "$(cat "$group")" -eq "${file#*:}" ] || { echo "$group: hosts weigh as one program"; exit 1; }
done

# a program that wants more memory than its host has is killed
refuse on host1 awk 'BEGIN { text = sprintf("%400000000s", ""); print length(text) }'

# data commands on hosts: together they read everything, and they write what one process writes
folder=$(mktemp -d)
says '"items":24' "$trireme" data speed fake:8x8x3:4:40 --batch 4 --batches 6 --repeat 1 --on "$one" --json
says '{"host":"host2","items":8,' "$trireme" data speed fake:8x8x3:4:40 --batch 4 --batches 6 --repeat 1 --on "$one" --json
expect "$trireme" data convert fake:8x8x3:4:40 --out "$folder/one" --quiet >/dev/null
says '"cpu_percent":' "$trireme" data convert fake:8x8x3:4:40 --out "$folder/two" --json
says '"host":"host3"' "$trireme" data convert fake:8x8x3:4:40 --out "$folder/many" --on "$one" --hosts host1,host3 --json
expect diff -r "$folder/one" "$folder/many"
says 'CPU, %' "$trireme" data convert fake:8x8x3:4:40 --out "$folder/more" --on "$one" --hosts host1,host3
says "host9 is no host" "$trireme" data speed digits:10 --on "$one" --hosts host9
says "Give --on NAME" "$trireme" data speed digits:10 --hosts host1
says "it failed: 'nowhere'" "$trireme" data speed nowhere --on "$one"
rm -r "$folder"

# A host's samples are its own: a loop on host1 fills host1's half of a CPU, and none of host2's.
on host1 sh -c 'while :; do :; done' &
loop=$!
# The CPU time that the loop wanted beyond that half is reported as stolen.
value() { on "$2" "$trireme" watch --count 1 --json | sed "s/.*\"$1\":\([0-9.]*\).*/\1/; s/\..*//"; }
until [ "$(value idle host1)" -lt 50 ]; do :; done
[ "$(value idle host2)" -gt 50 ] || { echo "host2 shows what host1 does"; exit 1; }
until [ "$(value steal host1)" -gt 0 ]; do :; done
[ "$(value steal host2)" -eq 0 ] || { echo "host2 is denied time that it does not want"; exit 1; }
kill $loop
wait $loop || true

# So are its bytes of disks: what host1 reads, past the cache, does not show on host2.
counted=no
[ ! -d /sys/fs/cgroup/blkio ] || counted=yes
! grep -qw io /sys/fs/cgroup/cgroup.controllers 2>/dev/null || counted=yes
reads() { dd if="$trireme" of=/dev/null bs=1M iflag=direct 2>/dev/null; }
if [ $counted = yes ] && [ -r "/sys/dev/block/$(stat -c %Hd:%Ld "$trireme")" ] && reads; then
    on host1 sh -c "while :; do dd if='$trireme' of=/dev/null bs=1M iflag=direct 2>/dev/null; done" &
    loop=$!
    until [ "$(value read host1)" -gt 1000000 ]; do :; done
    [ "$(value read host2)" -lt 1000000 ] || { echo "host2 shows what host1 reads"; exit 1; }
    kill $loop
    wait $loop || true
fi

expect "$trireme" cluster up "$two" --hosts 1 >/dev/null # the same addresses, and a name that begins alike
case $("$trireme" cluster status "$two") in *"not reached"*) echo "a link that no other host shares is not measured"; exit 1 ;; esac
"$trireme" cluster down "$two"

# No link carries more than its rate. A quiet machine measures 95 % of it (the rest is heads of packets), a loaded one less.
printf 'hosts: [{name: slow, rate: 20mbit}, {name: fast, rate: 40mbit}, {name: fastest, rate: 80mbit}, {name: cut, rate: 20mbit}]\n' >"$described"
expect "$trireme" cluster up "$two" --file "$described" >/dev/null
expect "$trireme" cluster cut "$two" cut
"$trireme" cluster status "$two" --json | tr '{' '\n' | sed -n 's/.*"rate_mbit":\([0-9.]*\).*"measured_mbit":\([0-9.a-z]*\).*/\1 \2/p' >"$described.rates"
awk 'NR < 4 && ($2 <= 0 || $2 > $1) || NR == 4 && $2 != "null" { bad = 1 } END { exit bad || NR != 4 }' \
    "$described.rates" || { echo "links measured otherwise than they are:"; cat "$described.rates"; exit 1; }
on host1 sleep 1000 &
until [ "$(ip netns pids "trireme:$one:host1")" ]; do sleep 0.05; done
expect "$trireme" cluster down "$one"
! wait $! || { echo "a process outlived its host"; exit 1; }
! ip netns list | grep -q "^trireme:$one:" || { echo "namespaces are left"; exit 1; }
for tree in memory blkio; do
    [ ! -e "/sys/fs/cgroup/$tree/trireme/$one" ] || { echo "control groups are left"; exit 1; }
done
says "no virtual cluster is called" "$trireme" cluster down "$one"

# what a crash leaves: namespaces without a description
rm "/run/trireme/cluster/$two.json"
says "was not brought up to its end: \`trireme cluster down $two\` removes" "$trireme" cluster status "$two"
expect "$trireme" cluster down "$two"
! ip netns list | grep -q "^trireme:$two:" || { echo "namespaces are left"; exit 1; }
