#!/usr/bin/env bash
# program_ratios.sh - programs on top of GMP with and without the drop-in, in turns, process by process.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Usage: bench/program_ratios.sh [BUILD [ROUNDS [N [NAME...]]]]
#   BUILD   a build folder (build)
#   ROUNDS  processes of each kind (5)
#   N       size of the jobs of tests/gmp_programs.sh (4)
#   NAME    programs (all that are installed); PYTHON is the interpreter for those from wheels
#
# A line of TSV for each program: name, median CPU seconds of the whole process by GMP and by the drop-in, median of the ratios
# within rounds, and products that gfmul made.  What they print is compared.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
rounds=${2:-5} n=${3:-4}
shift $(($# < 3 ? $# : 3))
. "$(dirname "$0")/../tests/gmp_programs.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/program-ratios-XXXXXX")
trap 'rm -rf "$folder"' EXIT
[[ ! ${PYTHON:-} || $PYTHON != */* ]] || PYTHON=$(cd "$(dirname "$PYTHON")" && pwd)/${PYTHON##*/}
cd "$folder"
export LC_ALL=C OMP_NUM_THREADS=1
median() { sort -g | sed -n "$(((rounds + 1) / 2))p"; }
# cpu_seconds OUTPUT COMMAND... - user and system time of a process and its children.
cpu_seconds()
{
    local output=$1 TIMEFORMAT='%U %S'
    shift
    { time "$@" <input >"$output" 2>>errors; } 2>&1 | awk '{ printf "%.3f", $1 + $2 }'
}
printf '# %s, %s processes each in turns, one thread, jobs of size %s\n' "$(date -u +'%Y-%m-%d %H:%M:%SZ')" "$rounds" "$n"
printf '# processor: %s; load %s\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
    "$(cut -d' ' -f1-3 /proc/loadavg)"
if installed dpkg-query; then
    printf '# %s\n' "$(dpkg-query -W -f '${Package} ${Version}, ' libgmp10 "${program_packages[@]}" 2>/dev/null)"
fi
printf 'program\tgmp_s\tgfmul_s\tspeedup\tproducts\n'
((${#} > 0)) || set -- "${program_names[@]}"
for name; do
    if ! program_job "$name" "$n"; then
        printf '# %s: not installed\n' "$name"
        continue
    fi
    old=() new=() ratio=()
    for ((i = 0; i < rounds; i++)); do
        old+=("$(cpu_seconds want "${command[@]}")")
        new+=("$(cpu_seconds out "$build/gfmul-run" --stats="$folder/stats" "${command[@]}")")
        cmp -s want out || {
            echo "program_ratios.sh: $name: the results differ" >&2
            exit 1
        }
        ratio+=("$(awk "BEGIN { print ${old[i]} / ${new[i]} }")")
    done
    products=$(sed -n 's/^gfmul-gmp: \([0-9]*\) products.*/\1/p' stats | sort -n | tail -n 1)
    printf '%s\t%s\t%s\t%.2f\t%s\n' "$name" "$(printf '%s\n' "${old[@]}" | median)" \
        "$(printf '%s\n' "${new[@]}" | median)" "$(printf '%s\n' "${ratio[@]}" | median)" "$products"
    rm -f stats
done
