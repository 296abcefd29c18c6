#!/usr/bin/env bash
# fft_ladder.sh - times of every algorithm of the gallery, into bench/results/<machine>/<date>-<what>.tsv.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail

usage()
{
    cat <<'END'
Usage: bench/fft_ladder.sh [OPTION]... [WHAT]...
Time the gallery by bench/b-gallery.  WHAT:

  ladder-cpu      the rows of the CPU, one thread
  ladder-threads  the strategies with threads, by length, on 1 to 16 threads
  ladder-opencl   those of a device, data on the device; bit reversal apart
  register        register_s2 for 2^20 and 2^LAST points by group size, whole and with parts left out; both precisions

  --programs DIR  folder of b-gallery (default build/bench)
  --device NAME   as bigmul (default gpu)
  --results DIR   folder of the files (default: bench/results/<machine> of the sources)
  --machine NAME  name of that folder (default: made of the processor's name)
  --last K        longest transforms of 2^K points (default 24); of ladder-*, FIRST-K, too
  --precision P   float or double (default double)
  --help          print this and exit
END
}
fail() { echo "fft_ladder.sh: $*" >&2; exit 2; }

top=$(cd "$(dirname "$0")/.." && pwd)
programs=$top/build/bench device=gpu results='' machine='' last=24 precision=double
whats=()
while (($# > 0)); do
    case $1 in
    --programs | --device | --results | --machine | --last | --precision)
        (($# > 1)) || fail "$1 needs a value"
        declare "${1#--}=$2"
        shift
        ;;
    --help) usage; exit 0 ;;
    ladder-cpu | ladder-threads | ladder-opencl | register) whats+=("$1") ;;
    *) fail "'$1' is not understood; try --help" ;;
    esac
    shift
done
((${#whats[@]} > 0)) || fail "nothing to measure; try --help"
[[ -x $programs/b-gallery ]] || fail "no b-gallery in $programs: make bench, or --programs"
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
}

measure() # measure WHAT
{
    case $1 in
    ladder-cpu) header "one thread, $precision" && "$programs/b-gallery" cpu "$precision" "$last" ;;
    ladder-threads) header "threads, $precision" && "$programs/b-gallery" threads "$precision" "$last" ;;
    ladder-opencl) header "device: $device, $precision" && "$programs/b-gallery" opencl "$precision" "$last" "$device" ;;
    register) header "register_s2 by group size" && "$programs/b-gallery" register "$device" 20 "${last#*-}" ;;
    esac
}

for what in "${whats[@]}"; do
    file=$results/$(date -u +%Y-%m-%d)-$what$([[ $precision = double || $what = register ]] || echo "-$precision").tsv
    measure "$what" >"$file.new"
    mv "$file.new" "$file"
    echo "$file"
done
