#!/bin/sh
# lint_test.sh: plants one fault of each kind and checks that lint names it, because a check that cannot fail proves nothing.
# usage: lint_test.sh PROJECT BUILD
set -eu
top=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$folder/src/tensor" "$folder/src/train" "$folder/src/cli" "$folder/include/trireme"
failures=0

# rejected CHECK FILE TEXT EXPECTED: TEXT in FILE makes CHECK fail with a line that holds FILE and EXPECTED.
rejected() {
    mkdir -p "$folder/${2%/*}"
    printf '%s\n' "$3" >"$folder/$2"
    if said=$("$top/script/lint" --root "$folder" "$1"); then
        echo "lint $1 lets this pass in $2: $3"
        failures=$((failures + 1))
    elif ! printf '%s\n' "$said" | grep -F "$2:" | grep -qF "$4"; then
        echo "lint $1 does not say \"$4\" of $2: $said"
        failures=$((failures + 1))
    fi
    rm "$folder/$2"
}

# accepted CHECK FILE TEXT: TEXT in the right FILE passes.
accepted() {
    mkdir -p "$folder/${2%/*}"
    printf '%s\n' "$3" >"$folder/$2"
    if ! said=$("$top/script/lint" --root "$folder" "$1"); then
        echo "lint $1 rejects this in $2: $3: $said"
        failures=$((failures + 1))
    fi
    rm "$folder/$2"
}

# crosses COUNT: each has two bytes and takes one column.
crosses() { printf "%0$1d" 0 | sed 's/0/×/g'; }
rejected columns src/train/bad.c "/* $(crosses 135) */" 'beyond column 140'
accepted columns src/train/good.c "/* $(crosses 134) */"

rejected rooms src/tensor/bad.c '#include "train/loop.h"' 'train stands below it'
rejected rooms src/tensor/bad.c '#include "loop.h"' 'neither of a room nor public'
accepted rooms src/train/good.c '#include "tensor/kernel.h"'
accepted rooms src/train/good.c '#include "trireme/status.h"'

rejected corridors src/data/file/bad.c '#include "data/batch/batch.h"' 'batch stands behind it'
rejected corridors src/store/ps/protocol/bad.c '#include "store/ps/server/server.h"' 'server stands behind it'
rejected corridors src/train/ps/task/bad.c '#include "train/ps/supervise/supervise.h"' 'supervise stands behind it'
rejected corridors src/cli/command/bad.c 'int x;' 'in none of the corridors of cli/command'
rejected corridors src/train/bad.c 'int x;' 'in none of the corridors of train'
# shellcheck disable=SC2016  # backquotes of the page, not of the shell
rejected corridors docs/DESIGN.md '| folder | its corridors, in order |
|---|---|
| `base` | `memory`, `report` |' 'is not the one in script/lint: base: memory report'
accepted corridors src/data/batch/good.c '#include "data/file/content.h"'
accepted corridors src/cli/main.c '#include "cli/process/session.h"'

rejected wrapping src/train/bad.c '#include <jansson.h>' 'belongs to src/base/file/json'
rejected wrapping src/train/bad.c '#include <oneapi/dnnl/dnnl.h>' 'belongs to src/tensor/onednn/'
rejected wrapping src/tensor/bad.c '#include <cblas.h>' 'in no row of the table of wrappers'
rejected wrapping include/trireme/bad.h '#include <uv.h>' 'belongs to src/net/'
accepted wrapping src/train/good.c '#include <stdio.h>'

mkdir -p "$folder/src/net" "$folder/src/data/file"
echo 'void tri__loop_run(void)
{
}' >"$folder/src/net/other.c"
rejected definitions src/net/bad.h 'void tri__loop_run(void);' 'tri__loop_run is defined in src/net/other.c, expected in src/net/bad.c'
accepted definitions src/net/other.h 'void tri__loop_run(void); /* one line */'
rejected definitions src/net/other.h 'int tri__loop_runs(int a,
                   int b);' 'tri__loop_runs is defined nowhere'
rejected definitions include/trireme/graph.h 'void tri__loop_run(void);' 'expected in src/graph/'
mv "$folder/src/net/other.c" "$folder/src/data/file/other.c"
rejected definitions src/data/batch/bad.h 'void tri__loop_run(void);' 'expected in src/data/batch/'
accepted definitions src/data/file/good.h 'void tri__loop_run(void);'
accepted definitions include/trireme/dataset.h 'void tri__loop_run(void);'
rm "$folder/src/data/file/other.c"

echo 'typedef struct tri__batch tri__batch;
typedef struct {
    int x;
} tri__row;' >"$folder/src/net/other.h"
rejected names src/train/bad.h 'typedef enum { A, B } tri__row;' 'tri__row is defined in src/net/other.h, too'
rejected names src/train/bad.h 'struct tri__row {' 'tri__row is defined in src/net/other.h, too'
accepted names src/train/good.h 'struct tri__batch {'
rm "$folder/src/net/other.h"
rejected names tests/bad.c 'static void end(job *of)' 'names nothing'
accepted names tests/good.c 'static int end_of(const char *s) { return !strcmp(s, "one of"); } /* one of them */'

rejected mentions src/train/bad.c '/* see train/nothing.h */' 'train/nothing.h is no file'
rejected mentions docs/bad.md 'It stands in nothing.c.' 'nothing.c is no file'
accepted mentions src/train/good.c '/* good.c: as train/good.c, jpegint.h and "nothing.h" */'
accepted mentions src/train/good.c '#include "nothing.h"'

rejected terminal src/train/bad.c 'int f(void) { return getenv("HOME") != 0; }' 'only cli prints'
rejected terminal src/train/bad.c 'void f(void) { printf("x"); }' 'only cli prints'
rejected terminal src/train/bad.c 'void f(void) { fputs("x", stderr); }' 'only cli prints'
rejected terminal src/train/bad.c 'void f(void) { exit(1); }' 'only cli prints'
accepted terminal src/train/good.c 'int f(char *s) { return snprintf(s, 1, "exit()"); } /* printf() */'
accepted terminal src/cli/good.c 'void f(void) { printf("x"); }'

rejected words src/train/bad.c "/* $(printf 'TO')DO: later */" 'later'

[ "$failures" -eq 0 ]
