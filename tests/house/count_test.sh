#!/bin/sh
# count_test.sh: the scripts' counting. A failure is counted, whether it is printed or not, and makes the whole fail.
# usage: count_test.sh PROJECT BUILD
set -eu
top=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder"
# shellcheck source=script/common.sh
. "$top/script/common.sh"

counted() { log=elsewhere count 3 1; }
silent() { return 7; }
fine() { count 5 0; }
contradicting() { count 5 0 && return 7; }

{
    part counted counted
    part silent silent
    part fine fine
    part contradicting contradicting
} >said
if total >>said; then
    echo "failures do not make the whole fail"
    exit 1
fi
[ "$(tail -n 1 said)" = "13 passed, 3 failed" ] || { cat said; exit 1; }
