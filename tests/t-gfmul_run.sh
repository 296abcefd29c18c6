#!/usr/bin/env bash
# t-gfmul_run.sh - the command gfmul-run: its options and errors, and what it does to a program.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"
run=${BUILDDIR:-.}/gfmul-run
[[ $run == /* ]] || run=$OLDPWD/$run
[[ -x $run && -e ${run%/*}/.libs/libgfmul_gmp.so ]] || skip_all "gfmul-run is not built"
unset LD_PRELOAD GFMUL_GMP_THREADS GFMUL_GMP_THRESHOLD GFMUL_GMP_MEMORY GFMUL_GMP_STATS

# ends STATUS OUTPUT MESSAGE ARGUMENT... - gfmul-run ends so; OUTPUT and MESSAGE are patterns of all that it prints.
ends()
{
    local want=$1 output=$2 message=$3 got=0
    shift 3
    n_checks=$((n_checks + 1))
    "$run" "$@" >out 2>err </dev/null || got=$?
    # shellcheck disable=SC2053
    [[ $got == "$want" && $(<out) == $output && $(<err) == $message ]] ||
        fail "gfmul-run $*: status $got, not $want; '$(head -c 300 out)'; '$(head -c 300 err)'"
}

hint=$'\n'"Try 'gfmul-run --help' for more information."
ends 0 'Usage: gfmul-run *' '' --help
ends 0 'Usage: gfmul-run *' '' -h
ends 0 "gfmul-run $("$BIGMUL" --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" '' --version
ends 0 "*/libgfmul_gmp.so" '' --library
ends 2 '' "gfmul-run: no program is named$hint"
ends 2 '' "gfmul-run: no program is named$hint" --
ends 2 '' "gfmul-run: unknown option '--thread'$hint" --thread 2 true
ends 2 '' "gfmul-run: unknown option '-x'$hint" -x true
ends 2 '' "gfmul-run: option '--threads' needs a value$hint" --threads
ends 2 '' "gfmul-run: threads '' is not a whole number$hint" --threads= true
ends 2 '' "gfmul-run: threads '2K' is not a whole number$hint" -t 2K true
ends 2 '' "gfmul-run: threshold '-1' is not a whole number$hint" --threshold=-1 true
ends 2 '' "gfmul-run: memory '1T' is not a whole number$hint" -m 1T true
ends 2 '' "gfmul-run: memory 'M' is not a whole number$hint" -m M true
ends 2 '' "gfmul-run: option '--stats=' names no file$hint" --stats= true
ends 127 '' 'gfmul-run: no-such-program was not found' no-such-program
: >plain
ends 126 '' 'gfmul-run: ./plain cannot be run' ./plain
ends 0 '' '' true
ends 7 '' '' sh -c 'exit 7'
# What the program gets.
show='echo "$GFMUL_GMP_THREADS,$GFMUL_GMP_THRESHOLD,$GFMUL_GMP_MEMORY,$GFMUL_GMP_STATS,$LD_PRELOAD,$*"'
library=$("$run" --library)
ends 0 ",,,,$library," '' sh -c "$show"
ends 0 "3,5,64M,1,$library,-t 4" '' -t 3 --threshold=5 -m 64M -s sh -c "$show" sh -t 4
ends 0 "2,,,,$library,a b  c" '' --threads 2 -- sh -c "$show" sh 'a b  c'
LD_PRELOAD=libm.so.6 ends 0 ",,,,$library:libm.so.6," '' sh -c "$show"
(cd / && PATH=${run%/*}:$PATH gfmul-run sh -c "$show") >out 2>err
check "found by PATH" test "$(<out)" = ",,,,$library,"
# A copy elsewhere, with its library as installed, and in a folder that cannot be preloaded.
mkdir -p moved/bin moved/lib/gfmul
cp "$run" moved/bin
sed -i 's|"[^"]*/lib[0-9a-z]*/libgfmul_gmp.so" "|"/nowhere/libgfmul_gmp.so" "|' moved/bin/gfmul-run
n_checks=$((n_checks + 1))
got=0
moved/bin/gfmul-run true 2>err || got=$?
[[ $got == 1 && $(<err) == 'gfmul-run: libgfmul_gmp.so was not found' ]] || fail "without a library: $got $(<err)"
cp "${run%/*}/.libs/libgfmul_gmp.so" moved/lib
cp "${run%/*}/.libs/gmp_engine.so" moved/lib/gfmul
run=$PWD/moved/bin/gfmul-run
ends 0 "$PWD/moved/lib/libgfmul_gmp.so" '' --library
cp -R moved 'mo ved'
run="$PWD/mo ved/bin/gfmul-run"
ends 1 '' 'gfmul-run: a library whose path has a blank or a colon cannot be preloaded: *' true
run=$PWD/moved/bin/gfmul-run

# A program that multiplies by GMP: bigmul, if it is told to.
random_digits 30000 10 1 >a
random_digits 20000 10 2 >b
"$BIGMUL" --engine=gmp a b >want
# product MADE LEFT ARGUMENT... - the right product, with the summary if one is asked for: patterns of its figures.
product()
{
    local made=$1 left=$2 said
    shift 2
    n_checks=$((n_checks + 1))
    "$run" "$@" "$BIGMUL" --engine=gmp a b >out 2>err || fail "gfmul-run $*: status $?"
    cmp -s out want || fail "gfmul-run $*: the product is wrong"
    if [[ $made ]]; then
        said=$(grep -cE "^gfmul-gmp: $made products of [0-9]+ limbs by gfmul \(.*\), $left left to GMP$" err)
        ((said > 0)) || fail "gfmul-run $*: $(<err)"
    else
        [[ ! -s err ]] || fail "gfmul-run $*: on standard error: $(head -c 300 err)"
    fi
}
product '' ''
product '[1-9][0-9]*' 0 -s
product '[1-9][0-9]*' 0 -s -l 3
product '[1-9][0-9]*' 0 -s -t 2
product 0 0 -s -l 1000000
product '[0-9]+' '[1-9][0-9]*' -s -m 1 # short ones need no memory
product '[1-9][0-9]*' 0 -s -m 1G
product '' '' --stats=lines
product '' '' --stats="$PWD/lines" -l 1000000
check "statistics at the end of a file" test "$(grep -cE '^gfmul-gmp: [0-9]+ products of' lines)" = 2
product '' '' --stats=/nowhere/lines
# Processes that are started: by a shell, and with an environment of their own.
"$run" --stats=children sh -c "'$BIGMUL' --engine=gmp a b; env -i '$BIGMUL' --engine=gmp a b" >out
check "a child has the library unless its environment was cleared" test "$(grep -c '^gfmul-gmp: [1-9]' children)" = 1
cat want want >want2
check "both children are right" cmp -s out want2
# Standard error is as at the start, even if the program has none, and other programs do not inherit ours.
descriptors='unset LD_PRELOAD; ls /proc/self/fd | wc -l'
check "no descriptor is handed on" test "$("$run" -s sh -c "$descriptors")" = "$(sh -c "$descriptors")"
"$run" -s "$BIGMUL" --engine=gmp a b 2>&- >out
check "without a standard error" cmp -s out want
mkdir rights
if command=$(unprivileged) && cp "$(type -P true)" rights/program && chmod 4755 rights/program && [[ $(id -u) == 0 ]]; then
    n_checks=$((n_checks + 1))
    $command "$run" rights/program >out 2>err || fail "a set-user-ID program: status $?"
    [[ $(<err) == 'gfmul-run: rights/program is a set-user-ID or set-group-ID program: it runs without gfmul' ]] ||
        fail "a set-user-ID program: $(<err)"
    ends 0 '' '' rights/program # the owner's own
fi
rm moved/lib/gfmul/gmp_engine.so
product '[0-9]+' 0 -s # without its engine all but short products by vectors is GMP's
"$run" -s "$BIGMUL" --engine=gmp a b >out 2>err
check "that there is no engine is told" grep -q "^gfmul-gmp: all long products were GMP's: the engine could not be started" err
# Values that are no numbers count as not set.
GFMUL_GMP_THREADS=many GFMUL_GMP_THRESHOLD=0x10 GFMUL_GMP_MEMORY=1T GFMUL_GMP_STATS=yes product '' ''
finish
