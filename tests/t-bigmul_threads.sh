#!/usr/bin/env bash
# t-bigmul_threads.sh - bigmul where OpenMP's threads have little stack: the product is right, by one thread if need be.
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

product want -t 1
unset OMP_STACKSIZE GOMP_STACKSIZE KMP_STACKSIZE
product many -t 2
most=$(<many.threads) # 1 in a build without OpenMP

# expect THREADS ARGUMENT... - the right product, by so many threads.
expect()
{
    local threads=$1
    shift
    product got -t 2 "$@"
    check "OMP_STACKSIZE='${OMP_STACKSIZE-}' $*: the product" cmp -s got want
    check "OMP_STACKSIZE='${OMP_STACKSIZE-}' $*: $(<got.threads) threads, not $threads" test "$(<got.threads)" = "$threads"
}

for OMP_STACKSIZE in 16K 16k ' 16 K ' 16 16384B 32K 95K; do
    export OMP_STACKSIZE
    expect 1
done
OMP_STACKSIZE=16K
expect 1 --precision=dd
# What is no size, or is none that is too small, changes nothing.
for OMP_STACKSIZE in 1M 1G 4000 '' K many 16X; do
    expect "$most"
done
# More than an address has bits for, and more than there are addresses: a run-time of OpenMP would end the process.
for OMP_STACKSIZE in 99999999999999999999 1000000G; do
    expect 1
done
unset OMP_STACKSIZE
GOMP_STACKSIZE=16K
export GOMP_STACKSIZE
expect 1
unset GOMP_STACKSIZE

# Waiting threads sleep, unless the environment says something else; GCC's run-time library prints how often they look.
random_digits 300000 10 5 >long
spins() { OMP_DISPLAY_ENV=verbose "$BIGMUL" -o got "$@" 2>&1 | sed -n "s/.*GOMP_SPINCOUNT = '\([0-9]*\)'.*/\1/p" | tail -n 1; }
unset OMP_WAIT_POLICY GOMP_SPINCOUNT
if [[ $(OMP_WAIT_POLICY=passive spins a b) == 0 ]]; then
    check "long files: threads spin" test "$(spins long long)" = 0
    check "a pipe: threads spin" test "$(spins - b <long)" = 0
    check "OMP_WAIT_POLICY=active has no effect" test "$(OMP_WAIT_POLICY=active spins long long)" != 0
    check "a second start for short files" test "$(spins a b)" != 0
    check "a second start for one thread" test "$(spins -t 1 long long)" != 0
    # both starts have the program's name, which killall and top know it by; a pipe that is opened tells that they are over
    name()
    {
        rm -f pipe
        mkfifo pipe
        "$BIGMUL" -o got "$@" b pipe >/dev/null 2>&1 &
        exec 3>pipe
        cat "/proc/$!/comm"
        exec 3>&-
        wait
    }
    check "the second start has another name" test "$(name)" = "$(name -t 1)"
fi

finish
