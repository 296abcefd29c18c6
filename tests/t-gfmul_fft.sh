#!/usr/bin/env bash
# t-gfmul_fft.sh - the program gfmul-fft: its table, its checks, its errors.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -u
BUILDDIR=${BUILDDIR:-.}
BUILDDIR=$(cd "$BUILDDIR" && pwd)
program=$BUILDDIR/gfmul-fft
if [[ ! -x $program ]]; then
    echo "$program is not a program: set BUILDDIR" >&2
    exit 1
fi
unset GFMUL_DISABLE
export LC_ALL=C
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gfmul-fft-test-XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
export GFMUL_CACHE_DIR=$tmp/cache
n_checks=0 n_failed=0

# run STATUS ARGUMENT... - the program has to end so.
run()
{
    local want=$1 status=0
    shift
    n_checks=$((n_checks + 1))
    "$program" "$@" >out 2>err || status=$?
    if [[ $status != "$want" ]]; then
        n_failed=$((n_failed + 1))
        echo "FAILED: gfmul-fft $*: status $status, not $want" >&2
        cat out err >&2
    fi
}
# has FILE TEXT - a line of it contains TEXT.
has()
{
    n_checks=$((n_checks + 1))
    if ! grep -qF -- "$2" "$1"; then
        n_failed=$((n_failed + 1))
        echo "FAILED: no \"$2\" in $1:" >&2
        cat "$1" >&2
    fi
}
# column NAME - that field of the last line of out
column()
{
    awk -F'\t' -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) at = i} END {if (at) print $at}' out
}

run 0 --list
cp out list
for name in auto naive serial pthread fourstep; do
    has list "$name"$'\t'cpu
done
n_names=$(tail -n +2 list | cut -f1 | sort -u | wc -l)
[[ $n_names == $(($(wc -l <list) - 1)) ]] || { n_failed=$((n_failed + 1)); echo "FAILED: names twice in the list" >&2; }

for name in $(awk -F'\t' '$2 == "cpu" {print $1}' list); do
    n=1024 short=256
    [[ $name != rader ]] || n=1009 short=257 # primes
    run 0 --algorithm="$name" --n=$n --verify
    has out "right"
    run 0 -a "$name" -n $short --time -t 1
    has out "$name"$'\tcpu\t'$short$'\t1\tc2c\tdouble\t1'
    [[ $(column median_us) =~ ^[0-9.e+-]+$ && $(column gflops) =~ ^[0-9.e+-]+$ ]] ||
        { n_failed=$((n_failed + 1)); echo "FAILED: no time of $name" >&2; }
done
lengths=(1 97 1000)
((${GFMUL_TEST_LONG:-0} == 0)) || lengths=(1 2 3 97 1000 1024 1031 4096 10007)
for n in "${lengths[@]}"; do
    for type in c2c r2c c2r; do
        for precision in float double; do
            run 0 -n $n -y $type -p $precision -b 3 --verify
            has out "right"
        done
    done
done

# On a device, where there is one: auto means its transform there; kinds of memory; times of data that stay.
# Drivers are not tested under a sanitizer.
"$BUILDDIR/bigmul" --list-devices >devices || { n_failed=$((n_failed + 1)); echo "FAILED: bigmul --list-devices" >&2; }
if [[ ${SANITIZER:-no} == no ]] && grep -qE '^[1-9][0-9]*: .*fp64 yes.* usable yes' devices; then
    has list $'opencl\topencl'
    for memory in staged use-host alloc-host; do
        run 0 --device=gpu -n 192 -b 3 --memory=$memory --verify
        has out $'opencl\topencl\t192\t3'
        has out "right"
    done
    run 0 --device=gpu -n 8192 -b 2 --order=permuted --verify
    has out "right"
    run 0 --device=gpu -n 64 -b 2 --time
    [[ $(column device_us) =~ ^[0-9.e+-]+$ ]] || { n_failed=$((n_failed + 1)); echo "FAILED: no time on the device" >&2; }
elif [[ ${SANITIZER:-no} == no && -n ${GFMUL_TEST_OCL-} ]]; then
    n_failed=$((n_failed + 1))
    echo "FAILED: no OpenCL device, but GFMUL_TEST_OCL asks for one" >&2
fi
for n in 60 1024 9216 16384; do
    run 0 -n $n -b 3 --order=permuted --verify
    has out "right"
    run 0 -n $n -o permuted -p float --verify
    has out "right"
done
run 0 -n 9216 -o permuted --time
run 2 -n 64 --verify --order=none
run 3 -n 64 --verify -y r2c --order=permuted
run 0 -n 64 --time
[[ $(column device_us) == - ]] || { n_failed=$((n_failed + 1)); echo "FAILED: a time on a device that is none" >&2; }

run 2
run 2 --verify
run 2 -n 64
run 2 -n 64 --verify --time
run 2 -n 0 --verify
run 2 -n -5 --verify
run 2 -n 64x --verify
run 2 -n 64 --verify file
run 2 -n 64 --verify --precision=dd
run 2 -n 64 --verify --type=real
run 2 -n 64 --verify --algorithm=none
run 2 -n 64 --verify --memory=none
run 2 -n 64 --verify --twiddles=none
run 3 -n 64 --verify -a serial --twiddles=image
run 2 -n 64 --verify -a serial --device=gpu
has err "OpenCL"
run 0 -n 64 --verify -a serial --device=cpu
run 2 --no-such-option
run 3 -n 12 -a naive --verify
has err "not supported"
run 3 -n 64 -a serial -y r2c --verify
run 3 -n '2^59' --verify
run 0 --help
has out "Usage:"
run 0 --version
for what in --list --help '-n 64 --verify'; do
    n_checks=$((n_checks + 1))
    if "$program" $what >/dev/full 2>err || ! grep -q 'cannot write: No space' err; then
        n_failed=$((n_failed + 1))
        echo "FAILED: gfmul-fft $what: a full disk went unnoticed" >&2
    fi
done

echo "$n_checks checks, $n_failed failed"
((n_failed == 0))
