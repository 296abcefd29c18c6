#!/usr/bin/env bash
# t-batch_gcd.sh - the example batch_gcd: factors that were planted in a file of moduli are found, and no others.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
find=${BUILDDIR:-.}/examples/batch_gcd
bigmul=${BIGMUL:-${BUILDDIR:-.}/bigmul}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# prime I - in hexadecimal; Mersenne's, from 2^61 - 1 on.
exponents=(61 89 107 127 521 607 1279 2203 2281 3217 4253 4423 9689 9941)
prime()
{
    local bits=${exponents[$1]} first=(0 1 3 7)
    printf '%s%s' "${first[bits % 4]}" "$(printf '%*s' $((bits / 4)) '' | tr ' ' f)"
}
product()
{
    prime "$1" >"$folder/a"
    prime "$2" >"$folder/b"
    "$bigmul" --base=16 "$folder/a" "$folder/b" | tr -d '\n'
}
bare()
{
    sed 's/^0*//' <<<"$1"
}
fail()
{
    echo "$1"
    failures=$((failures + 1))
}

{
    echo "0x$(product 0 1)"          # 1: shares 0 with 3
    echo "Modulus=$(product 2 3 | tr a-f A-F)"
    echo "0x$(product 0 4)"          # 3
    echo
    product 5 6 >"$folder/c"         # 5: in decimal; shares 6 with 7, 5 with 8
    "$bigmul" --base=16 --output-base=10 "$folder/c" <(echo 1)
    echo "0x$(product 7 8)"
    echo "0x$(product 6 9)"          # 7
    echo "0x$(product 5 10)"         # 8
    echo "0x$(product 11 12)"        # 9 and 10 are the same
    echo "0x$(product 11 12)"
    echo "0x$(product 13 13)"        # a square that shares nothing
} >"$folder/moduli"
got=$("$find" "$folder/moduli")
line()
{
    printf '%s %s %s\n' "$1" "$(bare "$2")" "$(bare "$3")"
}
want=$(
    line 1 "$(prime 0)" "$(prime 1)"
    line 3 "$(prime 0)" "$(prime 4)"
    line 5 "$(prime 5)" "$(prime 6)"
    line 7 "$(prime 6)" "$(prime 9)"
    line 8 "$(prime 5)" "$(prime 10)"
    line 9 "$(product 11 12)" 1
    line 10 "$(product 11 12)" 1
)
[[ $got == "$want" ]] || fail "other factors than those that were planted: $got"

# Many moduli without a common factor, and one that has the first one's.
{
    for ((i = 0; i < 400; i++)); do
        echo $((2 * i + 1000003))$((i % 7))
    done
    echo "0x$(product 5 6)"
    echo "0x$(product 6 7)"
} >"$folder/many"
"$find" "$folder/many" >"$folder/found"
grep -q "^401 $(bare "$(prime 6)") " "$folder/found" || fail "line 401 of many: no factor"
grep -q "^402 $(bare "$(prime 6)") " "$folder/found" || fail "line 402 of many: no factor"

printf '15\n21\nten\n' >"$folder/wrong"
if "$find" "$folder/wrong" 2>"$folder/message"; then fail "a line without a number is accepted"; fi
grep -q 'line 3' "$folder/message" || fail "no line in: $(cat "$folder/message")"
printf '15\n0\n' >"$folder/zero"
if "$find" "$folder/zero" 2>/dev/null; then fail "0 is accepted"; fi
if "$find" "$folder/missing" 2>/dev/null; then fail "a missing file is accepted"; fi
[[ -z $("$find" /dev/null) ]] || fail "an empty file has factors"
exit $((failures > 0))
