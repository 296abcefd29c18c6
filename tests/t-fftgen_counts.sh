#!/usr/bin/env bash
# t-fftgen_counts.sh - the operations of generated transforms, counted where they are done: the emitted kernels run on the host
# with numbers that count.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# LOGN 3 to 8 equal the published formulas; longer ones are within 3 %.  All results are compared with another transform.
# make check: two of them.  GFMUL_TEST_LONG=1: every LOGN from 3 to 14 in natural order, and half of them in that of the
# algorithm; 2: every one in both, and to 24.
SRCDIR=$(cd "${SRCDIR:-$(dirname "$0")/..}" && pwd)
# shellcheck source=tests/fftgen_test.sh
. "$SRCDIR/tests/fftgen_test.sh"
CXX=${CXX:-c++}

if ! echo 'int main() { return 0; }' | $CXX -x c++ -std=c++14 -o probe - 2>/dev/null; then
    echo "skipped: no C++ compiler"
    exit 77
fi

# The standard headers take a third of a compilation, so they are compiled once, for programs that are not optimised.
printf '#include "%s/tests/fftgen_count.hh"\n' "$SRCDIR" >first.hh
$CXX -std=c++14 -O0 -w -x c++-header -o first.hh.gch first.hh || rm -f first.hh.gch

# program FOLDER ALGORITHM LOGN [KEY=VALUE...] - the transform as a C++ program that counts, in FOLDER.
program()
{
    local dir=$1 algorithm=$2 logn=$3 options=(-O0 -include "$tmp/first.hh")
    shift 3
    ((logn < 18)) || options=(-O2 -include "$SRCDIR/tests/fftgen_count.hh")
    "$FFTGEN" -o "$dir" ID=t DIRECTION=F TWIDDLE=table.bin ALGORITHM="$algorithm" LOGN="$logn" "$@" || return 1
    {
        sed 's/(double2)(/pair_make(/g' "$dir/fft_t.cl"
        echo 'static void stages_run(pair_of *in, pair_of *out, pair_of *table)'
        echo '{'
        echo '    (void)table;'
        local arguments=table,
        grep -q 'restrict table, uint first_group' "$dir/fft_t.cl" || arguments=
        # {"fft_t_forward_1", BUFFER_IN, BUFFER_OUT, 16, 64},
        grep '^    {"fft_t_forward_' "$dir/fft_t.c" | tr -d '{}",' | while read -r kernel from to groups items; do
            from=${from#BUFFER_} to=${to#BUFFER_}
            echo "    kernel_run($groups, $items, [=] { $kernel(${from,,}, ${to,,}, $arguments 0u); });"
        done
        echo '}'
        sed -n '/^static int nonzero/,/^}/p' "$dir/fft_t_example.c"
        sed -n '/^static inline uint32_t fft_t_node/,/^}/p; /^uint32_t fft_t_index/,/^}/p' "$dir/fft_t.c"
        if grep -q '^uint32_t fft_t_index' "$dir/fft_t.c"; then
            echo '#define INDEX(k) fft_t_index(k)'
        else
            echo '#define INDEX(k) (k)'
        fi
        printf '#define ALGORITHM %s\n#define LOGN %d\n#define TABLE "%s/table.bin"\n' "'$algorithm'" "$logn" "$dir"
        printf '#include "%s/tests/fftgen_count_main.hh"\n' "$SRCDIR"
    } >"$dir/count.cc"
    $CXX -std=c++14 "${options[@]}" -w -o "$dir/count" "$dir/count.cc"
}

# counts ALGORITHM LOGN [KEY=VALUE...] - the program says that all is right; the analysis says the same number.
counts()
{
    n_checks=$((n_checks + 1))
    if ! program work "$@" || ! ./work/count >count.out; then
        fail "$*: $(cat count.out)"
        return
    fi
    cat count.out
    local said
    said=$("$FFTGEN" --analyze DIRECTION=F ALGORITHM="$1" LOGN="$2" "${@:3}" | sed -n 's/.*total: .* = \([0-9]*\), .*/\1/p')
    [[ $said == "$(cut -f 5 count.out)" ]] || fail "$*: the analysis says $said operations"
    rm -rf work
}

# said ALGORITHM LOGN KEY=VALUE... - the analysis of a forward transform, which counts() compares with what is done: its
# operations in the variable said, and how many per cent they are above the closed formula in the variable above.
said()
{
    said=$("$FFTGEN" --analyze DIRECTION=F ALGORITHM="$1" LOGN="$2" "${@:3}" |
        awk -F '[=:,]' '/ total: /{ n = $3 + 0 } /closed formula/{ f = $NF + 0 }
            END { printf "%.0f %.6g\n", n, f ? 100 * (n / f - 1) : 0 }') # mawk prints 2^31 and more as a power of ten
    above=${said#* } said=${said% *}
}

# altered SED - a short program after a change of its text is found wrong.
altered()
{
    n_checks=$((n_checks + 1))
    program work S 3 || fail "S 3"
    cp work/count.cc before.cc
    sed -i "$1" work/count.cc
    ! cmp -s before.cc work/count.cc || fail "no text for '$1'"
    if $CXX -std=c++14 -O0 -w -include "$tmp/first.hh" -o work/count work/count.cc && ./work/count >count.out; then
        fail "not found wrong after '$1': $(<count.out)"
    fi
    rm -rf work
}

if ((long > 0)); then
    altered '0,/= \(t[0-9]*\) + /s//= \1 - /'      # a wrong sum
    altered '0,/= \(t[0-9]*\) + /s//= 0.0 + \1 + /' # an operation too many
fi

printf 'ALGORITHM\tLOGN\tadditions\tproducts\tall\tformula\tpercent more\terror\n'
for algorithm in ${FFTGEN_COUNT_ALGORITHMS:-2 4 8 S C T}; do
    for ((logn = 3; logn <= (long > 1 ? 24 : 14); logn++)); do
        # make check: what has all versions of codelets; the rest is the long test's
        if ((long == 0)); then
            [[ $algorithm$logn == T7 ]] || continue
            counts "$algorithm" "$logn"
            counts "$algorithm" "$logn" BITREV=N NONEZ=0X
            continue
        fi
        counts "$algorithm" "$logn"
        if ((long > 1 || logn <= 9 || logn == 13)); then
            counts "$algorithm" "$logn" BITREV=N
        fi
    done
    # the tables: reduced, of factors, of both; products of three have three sums, so that the count is the same
    for keys in TABLE=REDUCED PRODUCTS=3 "PRODUCTS=3 TABLE=REDUCED"; do
        [[ $long -gt 0 || $algorithm == S ]] || continue
        # shellcheck disable=SC2086
        counts "$algorithm" 8 $keys
    done
    ((long == 0)) || counts "$algorithm" 9 NONEZ=X0
    ((long == 0)) || counts "$algorithm" 10 NONEZ=3,9
    ((long == 0)) || counts "$algorithm" 9 BITREV=N NONEZ=X000
done

# 2^21 points and more, by the analysis: within 3 % of the closed formulas.  A radix that does not divide LOGN has none; it is
# compared with the next length that it divides, by operations for N lg N.  A table of pairs takes more than that.
printf 'ALGORITHM\tLOGN\tall\tpercent more\n'
for algorithm in 2 4 8 S C T; do
    for ((logn = 21; logn <= 26; logn++)); do
        said "$algorithm" "$logn"
        n_checks=$((n_checks + 1))
        if [[ $algorithm$logn =~ ^(4.[135]|8.[^14])$ ]]; then
            more=$(awk -v n="$said" -v points=$((1 << logn)) -v lg="$logn" -v a="$algorithm" 'BEGIN {
                r = (a == 4) ? 2 : 3
                top = lg + r - lg % r # less for each N lg N than at the next length with a formula
                f = (a == 4) ? (17 / 4 * top - 43 / 6) / top : (49 / 12 * top - 25 / 4) / top
                print 100 * (n / (points * lg) / f - 1) }')
        else
            more=$above
        fi
        printf '%s\t%s\t%s\t%+.3f\n' "$algorithm" "$logn" "$said" "$more"
        grep -q "^$algorithm.$logn.$said." "$SRCDIR"/bench/results/counts/*-fftgen-operations.tsv ||
            fail "$algorithm $logn: the plot in doc/fftgen.md has another number"
        awk -v m="$more" 'BEGIN { exit !(m <= 3 && m >= -3) }' || fail "$algorithm $logn: $more % more than published"
    done
    [[ $algorithm != T ]] || continue # its table is no other one
    said "$algorithm" 24 TABLE=PAIR
    n_checks=$((n_checks + 1))
    awk -v m="$above" 'BEGIN { exit !(m > 3) }' || fail "$algorithm 24 TABLE=PAIR: only $above % more than published"
done
finish
