#!/usr/bin/env bash
# t-bigmul_products.sh - products of bigmul against Python's integers, or bc's.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

have python3 || have bc || skip_all "neither python3 nor bc is there to compare with"
seed=${GFMUL_TEST_SEED:-1}
echo "GFMUL_TEST_SEED=$seed"
skipped=0

# prefix_of BASE
prefix_of()
{
    case $1 in
    16) printf 0x ;;
    8) printf 0o ;;
    2) printf 0b ;;
    esac
}

# product BASE_A N_A BASE_B N_B BASE_Z OPTION... - random operands, plain, and wrapped; to standard output, and to a file.
product()
{
    local ba=$1 na=$2 bb=$3 nb=$4 bz=$5 bases
    shift 5
    seed=$((seed + 2))
    random_digits "$na" "$ba" $((seed - 1)) >plain_a
    random_digits "$nb" "$bb" $seed >plain_b
    if ! reference plain_a plain_b "$ba" "$bb" "$bz" >want; then
        skipped=$((skipped + 1))
        return
    fi
    if [[ $ba == "$bb" ]]; then
        bases=(-b "$ba" -B "$bz")
        cp plain_a a
        cp plain_b b
    else
        bases=(-B "$bz")
        { prefix_of "$ba" && cat plain_a; } >a
        { prefix_of "$bb" && cat plain_b; } >b
    fi
    run 0 "${bases[@]}" "$@" a b
    cmp -s out want ||
        fail "bigmul ${bases[*]} $*: $na digits of base $ba times $nb of base $bb is wrong, seeds $((seed - 1)), $seed"
    run 0 "${bases[@]}" "$@" -o file.out b a
    check "B times A, with -o, bases ${bases[*]}" cmp -s file.out want
    fold -w 71 a | sed 's/$/\r/' >wrapped
    run 0 "${bases[@]}" "$@" wrapped b
    check "wrapped in lines, bases ${bases[*]}" cmp -s out want
}

for n in 1 2 17 18 19 20 100 1000 5000 20000; do
    product 10 $n 10 $n 10
done
product 10 1 10 50000 10
product 10 300 10 30000 10
product 10 123456 10 98765 10
for base in $(seq 2 36); do
    product $base 3000 $base 2500 $base
done
for base in 2 3 10 16 36; do
    product $base 40000 $base 41000 $base
done
product 16 3000 10 3000 10
product 10 3000 16 3000 16
product 2 30000 16 3000 8
product 8 3000 10 300 2
product 10 30000 10 30000 7
product 10 20000 10 20000 10 --packing=two-for-one
product 10 20000 10 20000 10 --packing=one-for-half
product 10 20000 10 20000 10 --packing=right-angle
product 16 20000 16 20000 16 --verify=gmp -t 2
product 10 20000 10 20000 10 --verify=gmp -t 2
product 10 20000 10 20000 10 --engine=cpu --verify=none
product 10 20000 10 20000 10 --engine=gmp

# Squares: --square, the same file twice, under two names, and a copy, all alike; signs.
random_digits 30000 10 $((seed + 1)) >a
cp a copy
mkdir -p folder
ln -s ../a folder/link
ln a hard
reference a a 10 10 10 >want
for operands in "--square a" "a a" "a ./a" "a folder/link" "a hard" "a copy"; do
    # shellcheck disable=SC2086
    run 0 $operands
    check "bigmul $operands" cmp -s out want
done
{ printf -- '-'; cat a; } >minus
run 0 --square minus
check "the square of a negative number" cmp -s out want
run 0 minus a
check "a negative product" test "$(cat out)" = "-$(cat want)"

if ((skipped > 0)); then
    echo "$skipped products skipped: bc has no bases over 16"
fi
finish
