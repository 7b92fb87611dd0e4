#!/bin/sh
# tour_test.sh: everything that the section "To add …" of docs/TOUR.md names in backquotes exists: files and folders by their path, other
# names somewhere in the source.
# usage: tour_test.sh TOP BUILD
set -eu
top=$1
cd "$top"
page=$(sed -n '/^## To add/,/^## Beside/p' docs/TOUR.md)
[ "$page" ] || { echo "docs/TOUR.md has no section \"To add …\""; exit 1; }
# shellcheck disable=SC2016 # backquotes of the page, not of the shell
printf '%s\n' "$page" | grep -o '`[^`]*`' | tr -d '`' | sort -u >"${TMPDIR:-/tmp}/tour.$$"
trap 'rm -f "${TMPDIR:-/tmp}/tour.$$"' EXIT
missing=0
while read -r word; do
    case $word in
    *'<'* | *'…'* | .?) continue ;; # a placeholder
    */*) [ -e "$word" ] || [ -e "src/data/$word" ] && continue ;;
    *.[ch]) [ "$(find src tests include -name "$word")" ] && continue ;;
    *) grep -rqF -e "${word#--}" src include && continue ;;
    esac
    echo "docs/TOUR.md: \"To add …\" names $word, which does not exist"
    missing=1
done <"${TMPDIR:-/tmp}/tour.$$"
exit "$missing"
