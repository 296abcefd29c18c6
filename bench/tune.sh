#!/usr/bin/env bash
# tune.sh - measure where the convolution overtakes GMP on this machine, for each instruction set, and how long transforms of
# every length take, and write gfmul-tuned.h and gfmul-lengths.h.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail

usage()
{
    cat <<'EOF'
Usage: bench/tune.sh [OPTION]...
Measure the crossovers with GMP by b-crossover and b-text, and the times of all transform lengths and the rows that are fastest
for each by b-stages, and write both as headers for lib/plan/thresholds/thresholds.h.  "make tune" runs this and builds the
library again with what it found.

  --build DIR     where "make bench" was done (default build)
  --output FILE   the header (default gfmul-tuned.h in that folder); that of the lengths is gfmul-lengths.h beside it
  --lengths K     lengths from 2^8 to 2^K points, AVX-512 and AVX2 (default 20; 0: none); what is longer is scaled
  --isa LIST      instruction sets, separated by commas (default avx512,avx2,sse2; scalar takes minutes)
  --seconds S     for each size (default 0.05)
  --help          print this and exit
EOF
}

fail() { echo "tune.sh: $*" >&2; exit 2; }

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build output='' isa=avx512,avx2,sse2 seconds=0.05 lengths=20
while (($# > 0)); do
    case $1 in
    --build | --output | --isa | --seconds | --lengths)
        (($# > 1)) || fail "$1 needs a value"
        declare "${1#--}=$2"
        shift
        ;;
    --help) usage; exit 0 ;;
    *) fail "'$1' is not understood; try --help" ;;
    esac
    shift
done
for program in b-crossover b-text b-stages; do
    [[ -x $build/bench/$program ]] || fail "$build/bench/$program is not there: make bench, or --build DIR"
done
[[ -n $output ]] || output=$build/gfmul-tuned.h

# Better instruction sets to switch off; sizes around what is expected: from, to, how many for each factor of ten.
declare -A better=([avx512]='' [avx2]=avx512 [sse2]='avx512,avx2' [scalar]='avx512,avx2,sse2')
declare -A limbs=([avx512]='64 1000 96' [avx2]='64 1500 96' [sse2]='200 6000 64' [scalar]='2000 40000 24')
declare -A digits=([avx512]='200 6000 64' [avx2]='200 8000 64' [sse2]='1000 30000 48' [scalar]='4000 80000 24')

# measured ISA PROGRAM ARGUMENT... - a benchmark of this instruction set alone.
measured()
{
    local set=$1 program=$2
    shift 2
    GFMUL_DISABLE=${better[$set]} "$build/bench/$program" --seconds "$seconds" "$@"
}

# limbs_crossover ISA WHAT - limbs from which the convolution is to be taken; WHAT is mul or sqr.  Status 3 of b-crossover is
# its verdict on the thresholds of today.
limbs_crossover()
{
    local from to per_decade
    read -r from to per_decade <<<"${limbs[$1]}"
    { measured "$1" b-crossover --only "$2" --from "$from" --dense "$from" --to "$to" --per-decade "$per_decade" ||
        (($? == 3)); } |
        sed -n "s/^# $2: crossover that loses least: \([0-9]*\) limbs.*/\1/p"
}

# text_crossover ISA - digits from which products cut from text are faster than GMP's three steps.
text_crossover()
{
    local from to per_decade
    read -r from to per_decade <<<"${digits[$1]}"
    # size, size, who, times, ratio
    measured "$1" b-text --engine cpu --from "$from" --to "$to" --per-decade "$per_decade" |
        awk -F '\t' '!/^#/ && $3 == "gfmul" {if ($6 > 1) last = $1} END {print last + 1}'
}

IFS=, read -r -a sets <<<"$isa"
rows=()
for set in "${sets[@]}"; do
    [[ -n ${limbs[$set]:-} ]] || fail "'$set' is no instruction set: avx512, avx2, sse2, scalar"
    if ! GFMUL_DISABLE=${better[$set]} "$build/bigmul" --list-devices | grep -q "$set"; then
        echo "$set: not on this machine"
        continue
    fi
    mul=$(limbs_crossover "$set" mul) sqr=$(limbs_crossover "$set" sqr) text=$(text_crossover "$set")
    [[ -n $mul && -n $sqr && -n $text ]] || fail "$set: no crossover between the sizes that were tried"
    echo "$set: products from $mul limbs, squares from $sqr limbs, text from $text digits"
    rows+=("    X(CPU_ISA_${set^^}, $mul, $sqr, $text)")
done
((${#rows[@]} > 0)) || fail "nothing was measured"

# lengths_measured ISA FILE - its lengths, by several processes, whose memory lies elsewhere each time.
lengths_measured()
{
    for _ in 1 2 3; do
        GFMUL_DISABLE=${better[$1]} "$build/bench/b-stages" lengths --table 8 "$lengths" 5 >>"$2"
    done
}

work=$(mktemp -d)
trap 'rm -rf "$work" "$output.new"' EXIT
for set in "${sets[@]}"; do
    if ((lengths > 0)) && [[ $set == avx* && " ${rows[*]} " == *_${set^^},* ]]; then
        lengths_measured "$set" "$work/$set.tsv"
        echo "$set: $(grep -c measured "$work/$set.tsv") times of lengths"
    fi
done

processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
{
    cat <<EOF
/*
 * gfmul-tuned.h - where a product stops being GMP's on this machine; see lib/base/isa.def.
 *
 * Provenance: bench/tune.sh --isa $isa --seconds $seconds, ${processor:-$(uname -m)}, $(date -u +%F).
 */
EOF
    printf '#define GMP_CROSSOVERS_TUNED(X)'
    printf ' \\\n%s' "${rows[@]}"
    printf '\n'
} >"$output.new"
mv "$output.new" "$output"
echo "written: $output"
if compgen -G "$work/*.tsv" >/dev/null; then
    {
        cat <<EOF
/*
 * gfmul-lengths.h - transform lengths on this machine, as lib/plan/thresholds/lengths.h.
 *
 * Provenance: bench/tune.sh --isa $isa --lengths $lengths, ${processor:-$(uname -m)}, $(date -u +%F).
 */
EOF
        awk -f "$top/bench/lengths.awk" "$work"/*.tsv
    } >"$output.new"
    mv "$output.new" "$(dirname "$output")/gfmul-lengths.h"
    echo "written: $(dirname "$output")/gfmul-lengths.h"
fi
