#!/bin/sh
# vendor_test.sh: the files of other projects are those that script/vendor fetched, and script/vendor notices a changed one.
# usage: vendor_test.sh SOURCE BUILD
set -eu
cd "$1"
script/vendor --check || { echo "a file of web/vendor is not as its project made it"; exit 1; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/script" "$copy/web"
cp script/vendor "$copy/script"
cp -r web/vendor "$copy/web"
echo >>"$copy/web/vendor/uplot/uPlot.iife.min.js"
if "$copy/script/vendor" --check 2>/dev/null; then
    echo "a changed file was not noticed"
    exit 1
fi
