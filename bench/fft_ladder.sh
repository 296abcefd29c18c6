#!/usr/bin/env bash
# fft_ladder.sh - times of every algorithm of the gallery, into bench/results/<machine>/<date>-<what>.tsv.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail

usage()
{
    cat <<'END'
Usage: bench/fft_ladder.sh [OPTION]... [WHAT]...
Time the algorithms of gfmul-fft.  WHAT:

  ladder-cpu      those of the CPU, one thread
  ladder-threads  pthread, its variants and auto on 1 to 16 threads
  ladder-opencl   those of a device: from host memory and back, and of data on the device

  --program FILE  gfmul-fft (default build/gfmul-fft)
  --device NAME   as bigmul (default gpu)
  --results DIR   folder of the files (default: bench/results/<machine> of the sources)
  --machine NAME  name of that folder (default: made of the processor's name)
  --last K        longest transforms of 2^K points (default 24)
  --precision P   float or double (default double)
  --help          print this and exit
END
}
fail() { echo "fft_ladder.sh: $*" >&2; exit 2; }

top=$(cd "$(dirname "$0")/.." && pwd)
program=$top/build/gfmul-fft device=gpu results='' machine='' last=24 precision=double
whats=()
while (($# > 0)); do
    case $1 in
    --program | --device | --results | --machine | --last | --precision)
        (($# > 1)) || fail "$1 needs a value"
        declare "${1#--}=$2"
        shift
        ;;
    --help) usage; exit 0 ;;
    ladder-cpu | ladder-threads | ladder-opencl) whats+=("$1") ;;
    *) fail "'$1' is not understood; try --help" ;;
    esac
    shift
done
((${#whats[@]} > 0)) || fail "nothing to measure; try --help"
[[ -x $program ]] || fail "$program is not there: make, or --program"
processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
if [[ -z $machine ]]; then
    machine=$(tr '[:upper:]' '[:lower:]' <<<"${processor:-$(uname -m)}" |
        sed -e 's/([a-z]*)//g' -e 's/@.*//' -e 's/[^a-z0-9]\{1,\}/-/g' -e 's/^-//' -e 's/-$//')
fi
results=${results:-$top/bench/results/$machine}
mkdir -p "$results"

header() # header COMMAND
{
    echo "# $1"
    echo "# date: $(date -u +%Y-%m-%dT%H:%MZ)"
    echo "# processor: $processor"
    echo "# clock: $(sed -n 's/^cpu MHz[^:]*: *//p' /proc/cpuinfo | sort -n | tail -n 1) MHz"
    echo "# version: $("$program" --version)"
}
# line ARGUMENT... - one line of figures; the first one brings the names of the columns.
named=no
line()
{
    local out
    out=$(timeout 60 "$program" --precision="$precision" "$@" --time 2>/dev/null) || return 0
    [[ $named = yes ]] || head -n 1 <<<"$out"
    named=yes
    tail -n 1 <<<"$out"
}
names() { "$program" --list | awk -F '\t' -v device="$1" '$2 == device {print $1}'; }

measure() # measure WHAT
{
    local name k t
    case $1 in
    ladder-cpu)
        header "one thread, $precision"
        for name in $(names cpu); do
            for ((k = 2; k <= last; k++)); do
                # the slow ones end where a run takes a second
                case $name in naive* | serial* | pthread*) ((k <= 20 || k == 22 && last >= 22)) || continue ;; esac
                [[ $name != naive* ]] || ((k <= 20)) || continue
                line --algorithm="$name" --n="2^$k" --threads=1
            done
        done
        ;;
    ladder-threads)
        header "threads, $precision"
        for k in 12 16 20 24; do
            ((k <= last)) || continue
            for name in pthread pthread_spawn pthread_nodes auto; do
                [[ $name = auto ]] || ((k <= 20)) || continue
                for t in 1 2 3 4 6 8 12 16; do
                    line --algorithm="$name" --n="2^$k" --threads=$t
                done
            done
        done
        ;;
    ladder-opencl)
        header "device: $device, $precision"
        for ((k = 2; k <= last; k++)); do
            ((k <= 14 || k % 2 == 0)) || continue
            for name in $(names opencl); do
                line --algorithm="$name" --n="2^$k" --device="$device"
            done
        done
        ;;
    esac
}

for what in "${whats[@]}"; do
    file=$results/$(date -u +%Y-%m-%d)-$what$([[ $precision = double ]] || echo "-$precision").tsv
    named=no
    measure "$what" >"$file.new"
    mv "$file.new" "$file"
    echo "$file"
done
