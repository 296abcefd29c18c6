#!/usr/bin/env bash
# run.sh - the standard set of benchmarks, into bench/results/<machine>/<date>-<what>.tsv.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail

usage()
{
    cat <<'EOF'
Usage: bench/run.sh [OPTION]... [WHAT]...
Run the benchmarks WHAT: mul sqr isa threads unbalanced text crossover (default all).

  --build DIR     where "make bench" was done (default build)
  --results DIR   below which the files go (default bench/results of the sources)
  --machine NAME  name of the folder of this machine (default: made of the processor's name)
  --flint PATH    compare with FLINT: its libflint.so
  --mpdec PATH    compare text with libmpdec: its libmpdec.so
  --to N          limbs of the largest product, text digits in proportion (default 1e7)
  --seconds S     for each size (default 2)
  --force         run although the machine is busy
  --help          print this and exit
EOF
}

fail() { echo "run.sh: $*" >&2; exit 2; }

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build results=$top/bench/results machine='' flint='' mpdec='' to=1e7 seconds=2 force=no
whats=()
while (($# > 0)); do
    case $1 in
    --build | --results | --machine | --flint | --mpdec | --to | --seconds)
        (($# > 1)) || fail "$1 needs a value"
        declare "${1#--}=$2"
        shift
        ;;
    --force) force=yes ;;
    --help) usage; exit 0 ;;
    mul | sqr | isa | threads | unbalanced | text | crossover) whats+=("$1") ;;
    *) fail "'$1' is not understood; try --help" ;;
    esac
    shift
done
((${#whats[@]} > 0)) || whats=(mul sqr isa threads unbalanced text crossover)
for program in b-mul b-text b-crossover; do
    [[ -x $build/bench/$program ]] || fail "$build/bench/$program is not there: make bench, or --build DIR"
done
[[ $machine != */* ]] || fail "--machine '$machine': a plain name is needed"
[[ $to =~ ^[0-9]+(e[0-9]+)?$ ]] || fail "--to '$to': a whole number is needed"

# The name of the processor as a file name.
if [[ -z $machine ]]; then
    machine=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1 | tr '[:upper:]' '[:lower:]' |
        sed -e 's/([a-z]*)//g' -e 's/@.*//' -e 's/[^a-z0-9]\{1,\}/-/g' -e 's/^-//' -e 's/-$//')
    [[ -n $machine ]] || machine=$(uname -m)
fi

# A busy machine spoils the figures.
if [[ $force = no && -r /proc/loadavg ]]; then
    read -r load _ </proc/loadavg
    if awk -v load="$load" 'BEGIN {exit !(load > 0.5)}'; then
        echo "run.sh: the load is $load: wait, or --force" >&2
        exit 1
    fi
fi

GFMUL_BENCH_COMMIT=$(git -C "$top" describe --always --dirty --abbrev=12 2>/dev/null || true)
export GFMUL_BENCH_COMMIT
date=$(date -u +%Y-%m-%d)
dir=$results/$machine
mkdir -p "$dir"
trap 'rm -f "$dir"/.running.$$' EXIT

# measure NAME PROGRAM ARGUMENT... - one file; it appears when it is complete.  Status 3: complete, but a limit was passed.
measure()
{
    local name=$1 program=$2 status=0
    shift 2
    echo "$name: $program $*" >&2
    "$build/bench/$program" --seconds "$seconds" "$@" >"$dir/.running.$$" || status=$?
    if ((status != 0 && status != 3)); then
        echo "run.sh: $program ended with status $status" >&2
        return 1
    fi
    ((status == 0)) || echo "$name: a limit was passed" >&2
    mv "$dir/.running.$$" "$dir/$date-$name.tsv"
    echo "$dir/$date-$name.tsv"
}

# able NAME - whether this contestant can run here.
able() { "$build/bench/b-mul" --sizes 1 --rounds 1 --seconds 0 --cpu none --contestants "$1" >/dev/null 2>&1; }

# sizes FROM SCALE - 1e<FROM>, 3e<FROM>, ... to SCALE times the largest.
sizes()
{
    awk -v from="$1" -v scale="$2" -v to="$to" 'BEGIN {
        for (e = from; 10 ^ e <= scale * to; e++) {
            list = list (list ? "," : "") "1e" e
            if (3 * 10 ^ e <= scale * to) list = list ",3e" e
        }
        print list
    }'
}

with_flint=()
others=''
if [[ -n $flint ]]; then
    with_flint=(--flint "$flint")
    others=,flint
fi
checked=''
if able gfmul-checked; then checked=,gfmul-checked; fi
for what in "${whats[@]}"; do
    case $what in
    mul)
        fftw=''
        if able fftw; then fftw=,fftw; fi
        measure mul b-mul --sizes "$(sizes 2 1)" "${with_flint[@]}" --contestants "gfmul$checked,gfmul-unverified$fftw$others"
        ;;
    sqr)
        measure sqr b-mul --square --sizes "$(sizes 2 1)" "${with_flint[@]}" --contestants "gfmul,gfmul-product$checked$others"
        ;;
    isa)
        measure isa b-mul --sizes "$(sizes 2 0.1)" "${with_flint[@]}" \
            --contestants "gfmul,gfmul-avx2,gfmul-sse2,gfmul-scalar$others"
        ;;
    threads)
        for ((n = 2; n <= $(nproc); n *= 2)); do
            measure "threads-$n" b-mul --threads "$n" --sizes "$(sizes 4 1)" "${with_flint[@]}" \
                --contestants "gfmul,gfmul-t1$others"
        done
        ;;
    unbalanced)
        for ratio in 2 10 100; do
            measure "unbalanced-$ratio" b-mul --balance "$ratio:1" --sizes "$(sizes 4 1)" "${with_flint[@]}" \
                --contestants "gfmul$checked$others"
        done
        ;;
    text)
        measure text b-text --sizes "$(sizes 2 1)" ${mpdec:+--mpdec "$mpdec"}
        ;;
    crossover)
        for isa in avx512 avx2 sse2; do
            if able "gfmul-$isa"; then
                seconds=0.05 measure "crossover-$isa" b-crossover --isa "$isa"
            fi
        done
        ;;
    esac
done
