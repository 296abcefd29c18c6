#!/usr/bin/env bash
# plots.sh - plots of the newest figures of each machine in bench/results, into doc/plots; "make plots".
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     plots.sh [RESULTS [PLOTS]]       other folders than bench/results and doc/plots of the sources
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
results=${1:-$top/bench/results}
plots=${2:-$top/doc/plots}
if ! command -v gnuplot >/dev/null 2>&1; then
    echo "plots.sh: gnuplot is needed (Debian: gnuplot-nox)" >&2
    exit 1
fi

n_plots=0
# plot KIND FILE NAME UNIT - one picture.
plot()
{
    local kind=$1 file=$2 out=$plots/$3.svg heading
    heading=$(sed -n 's/^# processor: //p' "$file" | head -n 1)
    heading="$(basename "$file" .tsv | cut -d - -f 4-): $heading, $(sed -n 's/^# threads: //p' "$file" | head -n 1) thread(s)"
    mkdir -p "$plots"
    gnuplot -e "input='$file'; output='$out.new'; kind='$kind'; heading='${heading//\'/}'; unit='$4'" "$top/bench/plot.gp"
    mv "$out.new" "$out"
    echo "$out"
    n_plots=$((n_plots + 1))
}

for dir in "$results"/*/; do
    [[ -d $dir ]] || continue
    machine=$(basename "$dir")
    # Names end in -<what>.tsv after the date; the last one of each what, in the order of dates, is the newest.
    while IFS= read -r what; do
        file=$(find "$dir" -name "????-??-??-$what.tsv" | sort | tail -n 1)
        case $what in
        crossover-*) plot crossover "$file" "$machine-$what" "limbs of the shorter operand" ;;
        text)
            plot time "$file" "$machine-$what-time" "digits of the longer operand"
            plot ratio "$file" "$machine-$what-ratio" "digits of the longer operand"
            ;;
        mul)
            plot time "$file" "$machine-$what-time" "limbs of the longer operand"
            plot ratio "$file" "$machine-$what-ratio" "limbs of the longer operand"
            ;;
        esac # the others are tables
    done < <(find "$dir" -name '????-??-??-*.tsv' -printf '%f\n' | sed -e 's/^..........-//' -e 's/\.tsv$//' | sort -u)
done
if ((n_plots == 0)); then
    echo "plots.sh: no figures in $results" >&2
    exit 1
fi
