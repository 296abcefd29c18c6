#!/usr/bin/env bash
# short_goals.sh - short products, and tasks of GMP under the drop-in, against GMP and their goals, in three minutes at most.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Usage: bench/short_goals.sh [BUILD [OPTION]...]   a build folder after "make bench" (build), options for b-goals
#
# The table of b-goals, then that of the tasks; lines that begin with "#" sum them up.  LD_LIBRARY_PATH may name the folder of
# another libgmp.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
table=$(mktemp "${TMPDIR:-/tmp}/short-goals-XXXXXX")
trap 'rm -f "$table"' EXIT
export LC_ALL=C OMP_NUM_THREADS=1

# tasks NAME SIZE... - lines of b-gmp_dropin, the head of the table among them.
tasks()
{
    local name=$1 n sizes=()
    shift
    for n; do sizes+=(--n "$n"); done
    "$build/gfmul-run" "$build/bench/b-gmp_dropin" --task "$name" "${sizes[@]}" --seconds 0.2 --rounds 5
}
"$build/bench/b-goals" "${@:2}"
for name in powm powm_full div gcd gcdext; do
    tasks "$name" 16 30 50 100 200 300
done >"$table"
for name in set_str get_str; do
    tasks "$name" 300 600 1000 2000 4000 6000
done >>"$table"
awk '/^task/ && !head++
    !/^#/ && !/^task/ {
        print
        sum += log($6)
        n++
        if ($6 < 0.98) slower = slower sprintf(" %s %s (%s)", $1, $2, $6)
    }
    END {
        printf "# tasks: %d, geometric mean %.2f (goal 1.3)\n", n, exp(sum / n)
        print "# more than 2 % slower:" (slower ? slower : " none")
    }' "$table"
