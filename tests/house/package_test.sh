#!/bin/sh
# package_test.sh: what a user of the library gets. The shared library exports what include/trireme/ declares and nothing else. The examples
# build and run with the installed library. Binary and library are small.
# usage: package_test.sh PROJECT BUILD
# shellcheck disable=SC2046,SC2086  # lists of names and flags are meant to be split
set -eu
top=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
failures=0
wrong() { echo "$*"; failures=$((failures + 1)); }
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

# Functions are the lower-case names before a parenthesis, outside comments.
sed -e 's|/\*.*\*/||' -e '/\/\*/,/\*\//d' "$top"/include/trireme/*.h | grep -v '^#' | grep -oE '\btri_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$folder/declared"
nm -D --defined-only "$build/libtrireme.so" | awk '{ print $3 }' | sort -u >"$folder/exported"
missing=$(comm -23 "$folder/declared" "$folder/exported")
extra=$(comm -13 "$folder/declared" "$folder/exported")
[ -s "$folder/declared" ] || wrong "no function is declared in include/trireme"
[ -z "$missing" ] || wrong "declared, but not in libtrireme.so:" $missing
[ -z "$extra" ] || wrong "in libtrireme.so, but not declared:" $extra

if [ -z "$(cached TRIREME_SANITIZE)" ]; then
    prefix=$folder/another
    cmake --install "$build" --prefix "$prefix" >/dev/null
    PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig -type d)
    export PKG_CONFIG_PATH
    for file in bin/trireme share/man/man1/trireme.1 share/bash-completion/completions/trireme; do
        [ -s "$prefix/$file" ] || wrong "not installed, or empty: $file"
    done
    for example in "$top"/examples/*.c; do
        cc -std=c17 -Wall -Wextra -Werror "$example" $(pkg-config --cflags --libs trireme) -o "$folder/example" || wrong "$example does not build"
        LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$folder/example" >"$folder/said" || wrong "$example failed: $(cat "$folder/said")"
    done
    mkdir "$folder/static" # without the shared library beside it, -ltrireme is the static one
    cp "$(dirname "$PKG_CONFIG_PATH")/libtrireme.a" "$folder/static"
    if cc -std=c17 "$top/examples/softmax.c" -L"$folder/static" $(pkg-config --static --cflags --libs trireme) -o "$folder/static/example" 2>"$folder/said"; then
        "$folder/static/example" >"$folder/said" || wrong "linked with pkg-config --static, examples/softmax.c failed: $(cat "$folder/said")"
    else
        wrong "pkg-config --static does not name all libraries: $(tail -n 5 "$folder/said")"
    fi
    if command -v c++ >/dev/null; then # the headers are C++ as well
        cat >"$folder/user.cpp" <<END
#include <trireme/trireme.h>
int main() { return TRI_SHAPE(28, 28, 1).rank == 3 && tri_shape_count(TRI_SHAPE(4, 5)) == 20 && TRI_SHAPE(7).dim[0] == 7 ? 0 : 1; }
END
        c++ -std=c++17 -Wall -Wextra -Werror "$folder/user.cpp" $(pkg-config --cflags --libs trireme) -o "$folder/user_cpp" || wrong "a C++ program does not build"
        LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$folder/user_cpp" || wrong "TRI_SHAPE is wrong in C++"
    fi
    mkdir "$folder/user"
    cat >"$folder/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(trireme REQUIRED)
add_executable(shared $top/examples/softmax.c)
target_link_libraries(shared trireme::trireme)
add_executable(static $top/examples/softmax.c)
target_link_libraries(static trireme::trireme_static)
END
    if cmake -G Ninja -S "$folder/user" -B "$folder/user/build" -DCMAKE_PREFIX_PATH="$prefix" >"$folder/said" 2>&1 &&
        cmake --build "$folder/user/build" >"$folder/said" 2>&1; then
        for program in shared static; do
            "$folder/user/build/$program" >"$folder/said" || wrong "built by find_package, $program failed: $(cat "$folder/said")"
        done
    else
        wrong "a program that says find_package(trireme) does not build: $(tail -n 20 "$folder/said")"
    fi
    # Who has only the package, without the development files of other libraries, links the shared library.
    sed -i '/static/d' "$folder/user/CMakeLists.txt"
    if cmake -G Ninja -S "$folder/user" -B "$folder/user/lone" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON \
        >"$folder/said" 2>&1 && cmake --build "$folder/user/lone" >>"$folder/said" 2>&1; then
        "$folder/user/lone/shared" >"$folder/said" || wrong "built without libpng's development files, it failed: $(cat "$folder/said")"
    else
        wrong "find_package(trireme) needs development files for the shared library: $(tail -n 20 "$folder/said")"
    fi
    "$prefix/bin/trireme" version >/dev/null || wrong "the installed binary does not run"
fi

if [ "$(cached CMAKE_BUILD_TYPE)" = Release ]; then
    bytes=$(cat "$build/trireme" "$build/libtrireme.so" | wc -c)
    [ "$bytes" -le 5000000 ] || wrong "binary and library have $bytes bytes, at most 5 MB are agreed"
fi

[ "$failures" -eq 0 ]
