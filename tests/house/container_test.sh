#!/bin/sh
# container_test.sh: a container is built from the source alone. A build folder of the user's would be copied into it, and CMake refuses one
# that was made under another path. So .dockerignore leaves out all that .gitignore does.
# usage: container_test.sh TOP BUILD
set -eu
cd "$1"
missing=0
while read -r line; do
    case $line in
    '' | '#'*) continue ;;
    /*) wanted=$line ;;
    *) wanted="**/$line" ;;
    esac
    grep -qxF -e "$wanted" .dockerignore || { echo ".gitignore has $line, and .dockerignore has no $wanted"; missing=1; }
done <.gitignore
exit "$missing"
