#!/usr/bin/env bash
# plots.sh - plots of the newest figures of each machine in bench/results, into doc/plots; "make plots".
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     plots.sh                         the pictures that a page links
#     plots.sh RESULTS PLOTS           all pictures of another folder than bench/results, into another one than doc/plots
#
# With MEASURE=cpu, opencl or "cpu opencl" in the environment the ladder of plain transforms is measured first.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
results=${1:-$top/bench/results}
plots=${2:-$top/doc/plots}
if ! command -v gnuplot >/dev/null 2>&1; then
    echo "plots.sh: gnuplot is needed (Debian: gnuplot-nox)" >&2
    exit 1
fi

ladder() { "$top/bench/fft_ladder.sh" ${PROGRAMS:+--programs "$PROGRAMS"} "$@"; }
case " ${MEASURE:-} " in *" cpu "*) ladder ladder-cpu ladder-threads ;; esac
case " ${MEASURE:-} " in *" opencl "*) ladder ladder-opencl register ;; esac

# is_wanted NAME - whether a page links this picture.
is_wanted()
{
    [[ $plots != "$top/doc/plots" ]] || grep -qF "plots/$1.svg" "$top"/README.md "$top"/doc/*.md
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# sets_split FILE FOLDER - a file whose first column is `set` as a file of each set, <date>-<what>-<set>.tsv.  Lines of the head
# that begin with a set's name come first there.
sets_split()
{
    awk -F '\t' -v stem="$2/$(basename "$1" .tsv)" '
        /^# set:/ { labelled = 1 }
        /^#/ { if (columns == "") { head[++lines] = $0; of_all[lines] = !labelled }; next }
        columns == "" { if ($1 != "set") exit; columns = substr($0, 5); next }
        !($1 in seen) {
            seen[$1] = 1
            out = stem "-" $1 ".tsv"
            for (i = 1; i <= lines; i++)
                if (index(head[i], "# " $1 ": ") == 1)
                    print "# " substr(head[i], length($1) + 5) >out
            for (i = 2; i <= lines; i++)
                if (of_all[i])
                    print head[i] >out
            print columns >out
        }
        { print substr($0, length($1) + 2) >(stem "-" $1 ".tsv") }' "$1"
}

# newest WHAT - the newest file of the machine, or set of one.
newest() { find "$dir" "$work/$machine" -name "????-??-??-$1.tsv" -printf '%f\t%p\n' | sort | tail -n 1 | cut -f 2; }

n_plots=0
# plot KIND FILE NAME UNIT - one picture.
plot()
{
    local kind=$1 file=$2 out=$plots/$3.svg heading
    is_wanted "$3" || return 0
    heading=$(sed -n 's/^# processor: //p' "$file" | head -n 1)
    heading="$(basename "$file" .tsv | cut -d - -f 4-): $heading, $(sed -n 's/^# threads: //p' "$file" | head -n 1) thread(s)"
    heading="$heading, $(basename "$file" | cut -d - -f 1-3)"
    mkdir -p "$plots"
    gnuplot -e "input='$file'; output='$out.new'; kind='$kind'; heading='${heading//\'/}'; unit='$4'; folder='$top/bench'" \
        "$top/bench/plot.gp"
    mv "$out.new" "$out"
    echo "$out"
    n_plots=$((n_plots + 1))
}

# plot_fft KIND FILE REFERENCE COLUMN NAME - one picture of the gallery's ladder.
plot_fft()
{
    local kind=$1 file=$2 reference=$3 column=$4 out=$plots/$5.svg heading
    is_wanted "$5" || return 0
    heading="$machine, complex: $(sed -n '1s/^# //p' "$file"), $(basename "$file" | cut -d - -f 1-3)"
    mkdir -p "$plots"
    gnuplot -e "kind='$kind'; input='$file'; reference='$reference'; column=$column; output='$out.new'" \
        -e "heading='${heading//\'/}'" "$top/bench/plot_fft.gp"
    mv "$out.new" "$out"
    echo "$out"
    n_plots=$((n_plots + 1))
}

for dir in "$results"/*/; do
    [[ -d $dir ]] || continue
    machine=$(basename "$dir")
    mkdir -p "$work/$machine"
    for file in "$dir"/*.tsv; do
        sets_split "$file" "$work/$machine"
    done
    # Names end in -<what>.tsv after the date; the last one of each what, in the order of dates, is the newest.
    while IFS= read -r what; do
        file=$(newest "$what")
        case $what in
        ladder-cpu)
            column=$(grep -q 'cpu_us' "$file" && echo 16 || echo 9) # of one thread: its processor's time, if the file has it
            for kind in time bandwidth fftw cycles; do
                plot_fft "$kind" "$file" "$file" "$column" "$machine-fft-cpu-$kind"
            done
            ;;
        ladder-opencl)
            cpu=$(newest ladder-cpu)
            for kind in time bandwidth group; do
                plot_fft "$kind" "$file" "$file" 13 "$machine-fft-opencl-$kind"
            done
            for kind in fftw naive; do
                [[ -z $cpu ]] || plot_fft "$kind" "$file" "$cpu" 13 "$machine-fft-opencl-$kind"
            done
            ;;
        ladder-threads)
            for kind in threads lengths; do
                plot_fft "$kind" "$file" "$file" 10 "$machine-fft-$kind"
            done
            ;;
        register) plot_fft register "$file" "$file" 6 "$machine-fft-register" ;;
        crossover-*) plot crossover "$file" "$machine-$what" "limbs of the shorter operand" ;;
        fftgen-operations)
            gnuplot -e "input='$file'; output='$plots/$what.svg'" "$top/bench/plot_operations.gp"
            echo "$plots/$what.svg"
            n_plots=$((n_plots + 1))
            ;;
        text)
            plot time "$file" "$machine-$what-time" "digits of the longer operand"
            plot ratio "$file" "$machine-$what-ratio" "digits of the longer operand"
            ;;
        mul)
            plot time "$file" "$machine-$what-time" "limbs of the longer operand"
            plot ratio "$file" "$machine-$what-ratio" "limbs of the longer operand"
            ;;
        esac # the others are tables
    done < <(find "$dir" "$work/$machine" -name '????-??-??-*.tsv' -printf '%f\n' |
        sed -e 's/^..........-//' -e 's/\.tsv$//' | sort -u)
done
if ((n_plots == 0)); then
    echo "plots.sh: no figures in $results" >&2
    exit 1
fi
