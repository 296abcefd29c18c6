#!/usr/bin/env bash
# t-pi.sh - the example pi: all of its digits, against the 1e5 that are known, and the first ones of many lengths.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
pi=${BUILDDIR:-.}/examples/pi
known=$(tr -d '\n' <"$srcdir/examples/pi-100000.txt")
failures=0
check()
{
    local got
    got=$("$pi" "$@")
    [[ $got == "${known:0:$1+1}" ]] || { echo "pi $*: wrong digits, the last ones are ${got: -20}"; failures=$((failures + 1)); }
}
for digits in 1 2 13 14 15 100 1000 1001 9999 30000 99999; do
    check "$digits"
done
for threads in 1 2 3 7; do
    check 100 "$threads"
    check 60000 "$threads"
done
[[ $("$pi") == "${known:0:1001}" ]] || { echo "pi: no 1000 digits"; failures=$((failures + 1)); }
exit $((failures > 0))
