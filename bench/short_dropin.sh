#!/usr/bin/env bash
# short_dropin.sh - short numbers in PARI/GP and gmp-ecm with and without the drop-in for GMP, in turns, process by process.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Usage: bench/short_dropin.sh [BUILD [ROUNDS]]   a build folder (build), and processes of each kind (5)
#
# A line of TSV for each task: name, decimal digits, median user seconds of the process by GMP and by the drop-in, median of the
# ratios within rounds.  What gp prints is compared.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
rounds=${2:-5}
folder=$(mktemp -d "${TMPDIR:-/tmp}/short-dropin-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export LC_ALL=C OMP_NUM_THREADS=1
median() { sort -g | sed -n "$(((rounds + 1) / 2))p"; }
# seconds OUTPUT COMMAND... - user time.
seconds()
{
    local output=$1 TIMEFORMAT=%U
    shift
    { time "$@" <input >"$output" 2>/dev/null; } 2>&1
}
# ratios NAME DIGITS COMPARE COMMAND... - a line.   COMPARE: cmp, or true for a command that prints its times.
ratios()
{
    local name=$1 digits=$2 compare=$3
    shift 3
    : >gmp
    : >gfmul
    for ((i = 0; i < rounds; i++)); do
        seconds out "$@" >>gmp
        seconds out2 "$build/gfmul-run" "$@" >>gfmul
        "$compare" out out2
    done
    printf '%s\t%s\t%s\t%s\t%.3f\n' "$name" "$digits" "$(median <gmp)" "$(median <gfmul)" \
        "$(paste gmp gfmul | awk '{ print $1 / $2 }' | median)"
}
gp_task() # gp_task NAME DIGITS TIMES EXPRESSION
{
    printf '%s\n' "setrand(1); a = random(10^$2); b = random(10^$2) + 1; n = bitor(random(10^$2), 1);" \
        "for(i = 1, $3, x = $4); print(x % (2^61 - 1));" >input
    ratios "PARI $1" "$2" cmp gp -q -f
}
if command -v gp >/dev/null; then
    for d in 38 100 200 500 1000; do
        gp_task product $d $((200000000 / d)) 'a * b'
        gp_task square $d $((200000000 / d)) 'a^2'
        gp_task powm $d $((20000000000 / d / d / d + 10)) 'lift(Mod(a, n)^b)'
        gp_task division $d $((80000000 / d)) '(a * b + 1) \ b'
        gp_task gcd $d $((400000000 / d / (d / 20 + 1))) 'gcd(a, b)'
    done
fi
if command -v ecm >/dev/null && command -v gp >/dev/null; then
    for d in 100 200 300 500 1000; do
        echo "setrand(3); print(nextprime(random(10^($d / 2))) * nextprime(random(10^($d / 2))))" | gp -q -f >input
        ratios "gmp-ecm stage 1" $d true ecm -sigma 42 $((20000000 / d)) 1
    done
fi
