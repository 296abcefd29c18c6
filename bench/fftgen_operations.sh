#!/usr/bin/env bash
# fftgen_operations.sh - the real operations of generated transforms by ALGORITHM and LOGN, as TSV on standard output.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     fftgen_operations.sh [KEY=VALUE...] >bench/results/counts/DATE-fftgen-operations.tsv
#
# They are those of fftgen --analyze, which t-fftgen_counts.sh compares with what the kernels do.  formula: the published count of
# the algorithm where it has one for the length.  FFTGEN names the program.
set -euo pipefail
fftgen=${FFTGEN:-build/fftgen}
printf '# fftgen --analyze DIRECTION=F%s: real additions and products of N = 2^LOGN complex points\n' "${*:+ $*}"
printf 'algorithm\tlogn\toperations\tformula\tby_n_lg_n\n'
for algorithm in 2 4 8 S C T; do
    for ((logn = 3; logn <= 26; logn++)); do
        "$fftgen" --analyze DIRECTION=F ALGORITHM=$algorithm LOGN=$logn "$@" |
            awk -F '[=:,]' -v a=$algorithm -v lg=$logn '/ total: /{ n = $3 + 0 } /closed formula/{ f = sprintf("%.0f", $NF) }
                END { printf "%s\t%d\t%.0f\t%s\t%.4f\n", a, lg, n, f, n / (2 ^ lg * lg) }'
    done
done
