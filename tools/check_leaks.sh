#!/usr/bin/env bash
# check_leaks.sh - valgrind finds no leak and no invalid access in bigmul and bigcalc, for values and for errors.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${BUILDDIR:-build}
if ! command -v valgrind >/dev/null 2>&1; then
    echo "no valgrind: skipped"
    exit 77
fi
if [[ ${SANITIZER:-no} != no ]]; then
    echo "a build with a sanitizer does not run under valgrind: skipped"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
program=bigmul
# leaks STATUS ARGUMENT... - run the program under valgrind; it has to end with STATUS.
leaks()
{
    local want=$1 status=0
    shift
    # The library keeps its threads until the process ends ("possibly lost", "still reachable").
    "$builddir/libtool" --mode=execute valgrind -q --suppressions="$srcdir/tools/valgrind.supp" --error-exitcode=99 \
        --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
        "$builddir/$program" "$@" >/dev/null 2>"$tmp/err" || status=$?
    if ((status != want)); then
        echo "$program $*: status $status, should be $want" >&2
        cat "$tmp/err" >&2
        failures=$((failures + 1))
    else
        echo "$program $*: clean"
    fi
}
# An older valgrind gives up on the debugging information of a newer compiler: DWARF 5 of clang 19 under valgrind 3.19.
"$builddir/libtool" --mode=execute valgrind -q "$builddir/bigmul" --version >/dev/null 2>"$tmp/err" || true
if grep -q "Possibly corrupted debuginfo file" "$tmp/err"; then
    echo "valgrind cannot read what this compiler writes for debuggers: skipped"
    exit 77
fi
# Long enough for transforms, short enough for valgrind.
pi=$tmp/pi e=$tmp/e
head -c 25000 "$srcdir/examples/pi-100000.txt" >"$pi"
head -c 25000 "$srcdir/examples/e-100000.txt" >"$e"
head -n 100 "$pi" >"$tmp/a"
head -n 3 "$e" >"$tmp/b"
echo "12x4" >"$tmp/wrong"
leaks 0 "$pi" "$e"
leaks 0 --threads 2 "$pi" "$e"
leaks 0 "$tmp/a" "$tmp/b"
leaks 0 --square "$tmp/a"
leaks 0 --output-base 16 "$tmp/a" "$tmp/b"
leaks 0 --plan "$pi" "$e"
leaks 0 --verify=gmp --stats=json --output "$tmp/z" "$tmp/a" "$tmp/b"
leaks 0 --engine gmp "$tmp/a" "$tmp/b"
leaks 0 --list-devices
leaks 1 "$tmp/a" "$tmp/wrong"
leaks 1 "$tmp/a" "$tmp/missing"
leaks 1 --output "$tmp/no/such/folder" "$tmp/a" "$tmp/b"
# root, who could replace the machine's own device, has another node
full=/dev/full
[[ $(id -u) != 0 ]] || { full=$tmp/full && cp -R /dev/full "$full" 2>/dev/null && { : >"$full"; } 2>/dev/null; } || full=
[[ ! -c $full ]] || leaks 1 --output "$full" "$tmp/a" "$tmp/b"
leaks 2 --no-such-option
program=bigcalc
leaks 0 "'$pi' * '$e' + '$pi'^2 - '$e' * '$e'"
leaks 0 --stats "isqrt('$pi') // '$tmp/b' % 1000 + gcd(-'$tmp/a', 3^5)"
leaks 1 "'$pi' + '$tmp/wrong'"
leaks 1 "'$tmp/b' // ('$tmp/b' - '$tmp/b')"
leaks 2 -n "x=$pi" "isqrt('$pi', 2"
((failures == 0))
