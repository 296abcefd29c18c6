#!/usr/bin/env bash
# pari_dropin.sh - tasks of PARI/GP with and without the drop-in for GMP, in turns, process by process.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Usage: bench/pari_dropin.sh [BUILD [ROUNDS]]   a build folder (build), and processes of each kind (5)
#
# A line of TSV for each task: name, median CPU ms of gp by GMP and by the drop-in, median of the ratios within rounds.  gp reads
# the clock before the task and behind it; results are compared by a remainder.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
rounds=${2:-5}
command -v gp >/dev/null || {
    echo "pari_dropin.sh: no gp" >&2
    exit 1
}
tasks=(
    "factorial of 1e6|x = 1000000!"
    "factorial of 1e5|for(i = 1, 20, x = 100000!)"
    "Pi to 1e6 digits|default(realprecision, 1000000); x = floor(Pi * 10^999000)"
    "Pi to 1e5 digits|default(realprecision, 100000); x = floor(Pi * 10^99000)"
    "gcd of 5e4 limbs|x = gcd(b, c)"
    "Mod(3, n)^(2^64 + 1), 15625 limbs|x = lift(Mod(3, a)^(2^64 + 1))"
    "product of 1e5 limbs|for(i = 1, 10, x = p * q)"
    "division of 2e5 by 1e5 limbs|for(i = 1, 3, x = (p * q + 1) \\ q)"
    "decimal digits of 1e5 limbs|x = #digits(p)"
    "product of 2e4 numbers|x = vecprod(vector(20000, k, k^20 + 1))"
)
# Numbers of so many limbs; the same ones each time.
setup='setrand(1);
big(n) = bitor(random(2^(64 * n)), 1);
a = big(15625); b = big(50000); c = big(50000); p = big(100000); q = big(100000);'
median() { sort -g | sed -n "$(((rounds + 1) / 2))p"; }
run() # run TASK [gfmul-run] - "MS REMAINDER"
{
    local task=$1
    shift
    printf '%s\n' 'default(parisizemax, 2000000000);' "$setup" 'gettime();' "{$task};" 't = gettime();' \
        'print(t, " ", x % (2^61 - 1));' |
        OMP_NUM_THREADS=1 "$@" gp -q -f 2>/dev/null | tail -n 1
}
printf '# %s, %s processes each in turns, one thread; %s\n' "$(date -u +'%Y-%m-%d %H:%M:%SZ')" "$rounds" "$(gp --version-short)"
printf 'task\tgmp_ms\tgfmul_ms\tspeedup\n'
for entry in "${tasks[@]}"; do
    name=${entry%%|*} task=${entry#*|}
    old=() new=() ratio=()
    for ((i = 0; i < rounds; i++)); do
        read -r by_gmp rest <<<"$(run "$task")"
        read -r by_gfmul other <<<"$(run "$task" "$build/gfmul-run")"
        [[ $rest == "$other" ]] || {
            echo "pari_dropin.sh: $name: the results differ" >&2
            exit 1
        }
        old+=("$by_gmp") new+=("$by_gfmul")
        ratio+=("$(awk "BEGIN { print ($by_gmp + .5) / ($by_gfmul + .5) }")")
    done
    printf '%s\t%s\t%s\t%.2f\n' "$name" "$(printf '%s\n' "${old[@]}" | median)" "$(printf '%s\n' "${new[@]}" | median)" \
        "$(printf '%s\n' "${ratio[@]}" | median)"
done
