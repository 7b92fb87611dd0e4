#!/bin/sh
# product_test.sh: the example of a distributed product moves what its places ask for and no byte more, on a grid what SUMMA moves, and
# agrees with one task; matrices that are larger than the memory of a task are streamed through it.
# usage: product_test.sh PROJECT BUILD
set -eu
project=$1 build=$2
command -v mpirun >/dev/null || { echo "mpirun is not installed (Debian: apt install openmpi-bin)"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0 \
    TSAN_OPTIONS="suppressions=$project/tests/openmpi.supp"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
fail() { echo "failed: $*"; exit 1; }

for tasks in 3 4 6; do
    mpirun --oversubscribe -n $tasks "$build/tests/example_bigmatmul" 384 32 all check >"$folder/table" || fail "bigmatmul on $tasks tasks"
    cat "$folder/table"
    awk -v tasks=$tasks '
        $2 == "trace" { table = $1; tables++ }
        $1 == "full" && $2 == "product" || $1 == "needed" || $1 == "no" {
            rows++
            if ($4 != $5) { print table ", " $1 " " $2 ": " $4 " MB moved, and " $5 " must"; wrong = 1 }
            if (table == "diagonal" && $1 != "full" && $4 > 12 * 12 * 4e-6) { print "more than scalars moved"; wrong = 1 }
            if (table == "grid" && $1 == "full") grid = $4
            if (rows > 1 && ($3 - trace > 1e-3 || trace - $3 > 1e-3)) { print "the traces differ"; wrong = 1 }
            trace = $3
        }
        /they agree/ { agreed++ }
        /^2-D SUMMA/ { summa = $7 }
        END { exit wrong || tables != 4 || rows != 12 || agreed != 4 || grid > 1.1 * summa || grid < summa }' "$folder/table" ||
        fail "the table of $tasks tasks"
done

# Of 128 MB of A and B every task has half, and holds a few blocks of it at a time.
if grep -q '^TRIREME_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
    echo "a memory limit means nothing under sanitizers"
    exit 0
fi
awk -v side=16 -v b=256 -v tasks=2 -f "$project/tests/placed/blocks.awk" >"$folder/blocks.graph"
awk -v side=2 -v b=2048 -v tasks=2 -f "$project/tests/placed/blocks.awk" >"$folder/large.graph"
small=$(cd "$folder" && ulimit -d 60000 && "$build/trireme" run blocks.graph --workers 2 --threads 1 --window 4 --quiet) || fail "blocks under a limit"
large=$("$build/trireme" run "$folder/large.graph" --workers 2 --quiet) || fail "large blocks"
echo "$small; $large"
echo "$small $large" | awk '{ d = $3 - $6; exit d > 0.02 || d < -0.02 }' || fail "other blocks, another trace"
if (ulimit -d 60000 && "$build/trireme" run "$folder/large.graph" --workers 2 --threads 1 --quiet) >"$folder/said" 2>&1; then
    fail "the limit limits nothing"
fi
grep -q "no memory" "$folder/said" || fail "$(cat "$folder/said")"
