#!/usr/bin/env bash
# check_includes.sh - a file of lib/ includes only from its own folder and from those before it; two lists of files.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
cd "${SRCDIR:-$(dirname "$0")/..}"

# The order, with the reason for its end, is doc/decisions/text.md.  fft, scratch and above stand above
# mul, beside each other; space uses above.
declare -A rank=([base]=1 [limbs]=2 [short]=3 [plan]=4 [stages]=5 [dd]=6 [prime]=7 [ocl]=8 [text]=9 [mul]=10 [above]=11 [space]=12
    [fft]=13 [scratch]=14)

failures=0
n_includes=0
complain() { echo "$*" >&2; failures=$((failures + 1)); }

while IFS=: read -r file line text; do
    n_includes=$((n_includes + 1))
    included=${text#*\"}
    included=${included%%\"*}
    case $included in
    gfmul.h | gfmul_arith.h | gfmul_fft.h | gfmul_files.h | gfmul_private.h) continue ;;
    ../kernels/arguments.h) continue ;; # which kernels include, too
    esac
    from=${file#lib/}
    from=${from%%/*}
    to=${included%%/*}
    if [[ $included != */* || ! -f lib/$included ]]; then
        complain "$file:$line: \"$included\" is not a path relative to lib/"
    elif [[ -z ${rank[$from]-} || -z ${rank[$to]-} ]]; then
        complain "$file:$line: no place in the include order for $from -> $to"
    elif [[ $file == lib/plan/*.c && $included == stages/stage_ops.h ]]; then
        : # the one exception of doc/decisions/text.md
    elif [[ $to != "$from" && ($to == fft || $to == scratch || ($to == above && $from != space)) ]]; then
        complain "$file:$line: $from must not include $included: nothing in lib/ depends on $to, but space on above"
    elif ((rank[$to] > rank[$from])); then
        complain "$file:$line: $from must not include $included:" \
            "the order is base < limbs < short < plan < stages < dd < prime < ocl < text < mul < above < space"
    fi
done < <(grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' lib)

if ((n_includes == 0)); then
    complain "no include found: is this a source tree?"
fi

# The tests with the smallest thresholds compile again what includes them (min_tests, Makefile.am).
with_thresholds=$(grep -rl --include='*.c' '"plan/thresholds/thresholds.h"' lib | sort)
listed=$(sed -n '/^threshold_sources/,/[^\\]$/s/^ *\(lib[^ ]*\).*/\1/p' lib/sources.mk | sort)
if [[ $with_thresholds != "$listed" ]]; then
    complain "threshold_sources in lib/sources.mk are not those that include thresholds.h: $(diff <(echo "$listed") \
        <(echo "$with_thresholds") | grep '^[<>]')"
fi

# File names are unique, so that a message or a search names one file.
twins=$(find lib gmp mpi tests tools bench examples -name '*.[ch]' -printf '%f\n' | sort | uniq -d)
if [[ -n $twins ]]; then
    complain "file names that are used twice: $twins"
fi

echo "$n_includes includes, $failures wrong"
((failures == 0))
