#!/usr/bin/env bash
# t-bigmul_threads.sh - bigmul takes as many threads as --threads or OMP_NUM_THREADS says, and the product is right.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

random_digits 200000 10 3 | tr -d '\n' >a
random_digits 150000 10 4 | tr -d '\n' >b

# product NAME ARGUMENT... - the product of a and b, and the threads that took part, in NAME.threads.
product()
{
    local name=$1
    shift
    run 0 --stats "$@" a b
    mv out "$name"
    sed -n 's/^threads: //p' err >"$name.threads"
}

unset OMP_NUM_THREADS
product want -t 1
product usual
usual=$(<usual.threads)
check "all threads: the product" cmp -s usual want

# expect THREADS ARGUMENT... - the right product, by so many threads.
expect()
{
    local threads=$1
    shift
    product got "$@"
    check "OMP_NUM_THREADS='${OMP_NUM_THREADS-}' $*: the product" cmp -s got want
    check "OMP_NUM_THREADS='${OMP_NUM_THREADS-}' $*: $(<got.threads) threads, not $threads" test "$(<got.threads)" = "$threads"
}

expect 3 -t 3
for OMP_NUM_THREADS in 3 3,2 ' 3' '3 , 1'; do
    export OMP_NUM_THREADS
    expect 3
    expect 2 -t 2
done
expect 3 --precision=dd
# What is no number says nothing.
for OMP_NUM_THREADS in '' 0 -1 many 3x; do
    expect "$usual"
done

finish
