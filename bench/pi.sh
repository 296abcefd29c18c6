#!/usr/bin/env bash
# pi.sh - the example pi against the same program on GMP alone, in turns, process by process.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Usage: bench/pi.sh [BUILD [DIGITS [THREADS [ROUNDS]]]]
#   BUILD    a build folder after "make bench" (build)
#   DIGITS   of pi (1e6 as 1000000)
#   THREADS  of the example (1); GMP's program has one
#   ROUNDS   processes of each kind (3)
#
# TSV: digits, threads, median seconds of both, and the median of the ratios within rounds.  The seconds are of processors for one
# thread, by the clock for more.  What they print is compared.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
digits=${2:-1000000} threads=${3:-1} rounds=${4:-3}
folder=$(mktemp -d "${TMPDIR:-/tmp}/pi-XXXXXX")
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C
median() { printf '%s\n' "$@" | sort -g | sed -n "$(((rounds + 1) / 2))p"; }
# seconds OUTPUT COMMAND... - how long it takes.
seconds()
{
    local output=$1 TIMEFORMAT='%U %S'
    ((threads == 1)) || TIMEFORMAT=%R
    shift
    { time "$@" >"$output"; } 2>&1 | awk '{ printf "%.3f", $1 + $2 }'
}
printf '# %s, %s processes of each kind in turns\n' "$(date -u +'%Y-%m-%d %H:%M:%SZ')" "$rounds"
printf '# processor: %s; load %s\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
    "$(cut -d' ' -f1-3 /proc/loadavg)"
printf 'digits\tthreads\tgmp_s\tgfmul_s\tspeedup\n'
gmp=() gfmul=() ratio=()
for ((i = 0; i < rounds; i++)); do
    gmp+=("$(seconds "$folder/want" "$build/bench/b-pi_gmp" "$digits" 1)")
    gfmul+=("$(seconds "$folder/got" "$build/bench/b-pi" "$digits" "$threads")")
    cmp -s "$folder/want" "$folder/got" || {
        echo "pi.sh: $digits digits: the results differ" >&2
        exit 1
    }
    ratio+=("$(awk "BEGIN { print ${gmp[i]} / ${gfmul[i]} }")")
done
printf '%s\t%s\t%s\t%s\t%.2f\n' "$digits" "$threads" "$(median "${gmp[@]}")" "$(median "${gfmul[@]}")" "$(median "${ratio[@]}")"
