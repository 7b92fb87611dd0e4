# common.sh: what the scripts share; they read it by `. script/common.sh` after going to the project's root.
# A part of the tests is any command that closes with the line "N passed, N failed". `part` runs one, and `total` sums them up.
# shellcheck shell=sh

passed=0
failed=0
logs=build/log

if [ -t 1 ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
else
    bold='' plain=''
fi

heading() { printf '%s%s%s\n' "$bold" "$*" "$plain"; }
fail() { printf '%s: %s\n' "$0" "$*" >&2; exit 1; }
jobs() { nproc 2>/dev/null || echo 2; }
now() { date +%s; }

# field NAME JSON: the first value of that name.
field() { printf '%s' "$2" | grep -o "\"$1\": *\(\"[^\"]*\"\|[^,}]*\)" | head -n 1 | sed 's/^[^:]*: *//; s/"//g'; }

# count PASSED FAILED: the closing line of a part; its status says whether anything failed.
count() {
    printf '%s passed, %s failed\n' "$1" "$2"
    [ "$2" -eq 0 ]
}

# part NAME COMMAND…: run a part, show what it says, keep that in build/log, add its counts to passed and failed.
# A command that fails without saying how many failures it had counts as one failure.
part() {
    part_name=$1 part_log=$logs/$1.txt part_start=$(now)
    shift
    mkdir -p "$logs"
    heading "── $part_name"
    # a subshell, so that variables that the command sets do not reach us
    { ("$@") 2>&1 && echo 0 >"$part_log.status" || echo $? >"$part_log.status"; } | tee "$part_log"
    part_status=$(cat "$part_log.status")
    rm -f "$part_log.status"
    part_counts=$(sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p' "$part_log" | tail -n 1)
    part_passed=${part_counts% *} part_failed=${part_counts#* }
    passed=$((passed + ${part_passed:-0}))
    failed=$((failed + ${part_failed:-0}))
    if [ "$part_status" -ne 0 ] && [ "${part_failed:-0}" -eq 0 ]; then
        failed=$((failed + 1))
        echo "$part_name ended with status $part_status"
    fi
    echo "   $part_name took $(($(now) - part_start)) s"
}

# total: the closing line over all parts.
total() { count "$passed" "$failed"; }

# quietly LOG COMMAND…: run a command with its output in a file; show the end of the file if it fails.
quietly() {
    log=$1
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 && return
    status=$?
    tail -n 40 "$log"
    echo "failed: $* (all of it: $log)"
    return "$status"
}

# build PRESET: configure and build build/PRESET.
build() {
    quietly "$logs/configure-$1.txt" cmake --preset "$1" && quietly "$logs/build-$1.txt" cmake --build --preset "$1" -j "$(jobs)"
}
