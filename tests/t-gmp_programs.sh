#!/usr/bin/env bash
# t-gmp_programs.sh - programs that use GMP give the same results under gfmul-run: those of gmp_programs.sh that are installed.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# GFMUL_TEST_PROGRAMS has the names of programs that must be there ("all": every one); without it, those that are not are named.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/bigmul_test.sh"
. "$here/gmp_programs.sh"
run=${BUILDDIR:-.}/gfmul-run
[[ $run == /* ]] || run=$OLDPWD/$run
[[ -x $run && -e ${run%/*}/.libs/libgfmul_gmp.so ]] || skip_all "gfmul-run is not built"
unset LD_PRELOAD GFMUL_GMP_THREADS GFMUL_GMP_THRESHOLD GFMUL_GMP_MEMORY GFMUL_GMP_STATS

# same NAME - the job prints the same with and without the library: at the lowest threshold, as tuned, and with two threads.
same()
{
    local options
    "${command[@]}" <input >want 2>want.err || fail "$1 without gfmul-run: status $?: $(tail -n 3 want.err)"
    [[ -s want ]] || fail "$1 prints nothing"
    for options in -l3 '' -t2; do
        n_checks=$((n_checks + 1))
        # shellcheck disable=SC2086 # no word, or one
        "$run" ${options:+${options:0:2} ${options:2}} -s "${command[@]}" <input >out 2>err ||
            fail "$1, $options: status $?: $(tail -n 3 err)"
        grep -v '^gfmul-gmp: ' err | cmp -s - want.err || fail "$1, $options: on standard error: $(head -c 300 err)"
        cmp -s out want || fail "$1, $options: $(diff out want | head -c 300)"
        if [[ $program_left == *" $1 "* ]]; then
            grep -q "^gfmul-gmp: all long products were GMP's: the program has a malloc of its own" err ||
                fail "$1, $options: it is not told that all products are GMP's: $(tail -n 1 err)"
        else
            grep -qE '^gfmul-gmp: [1-9]' err || fail "$1, $options: gfmul has made no product: $(tail -n 1 err)"
        fi
    done
}

# interrupted NAME - an interrupt leaves a product, and what was multiplied is as it was.  A busy machine takes its time to begin.
interrupted()
{
    local seconds
    n_checks=$((n_checks + 1))
    for seconds in 3 15 60; do
        timeout --foreground -s INT $seconds "$run" -s "${command[@]}" <input >out 2>err
        if grep -qE '^gfmul-gmp: [1-9]' err; then
            [[ $(tail -n 1 out) != intact ]] || return 0
            break
        fi
    done
    fail "$1, interrupted after $seconds s: $(tail -n 1 out) $(tail -n 3 err)"
}

missing=() n_programs=0
((${#} > 0)) || set -- "${program_names[@]}" # arguments: these programs alone
for name; do
    status=0
    program_job "$name" 1 || status=$?
    case $status in
    0)
        echo "$name"
        n_programs=$((n_programs + 1))
        same "$name"
        ! timeout --foreground 1 true 2>/dev/null || ! program_loop "$name" || interrupted "$name"
        ;;
    1) missing+=("$name") ;;
    *) fail "$name: $(tail -n 3 compile.log)" ;;
    esac
done
((${#missing[@]} == 0)) || echo "not installed: ${missing[*]}"
for name in "${missing[@]}"; do
    [[ ${GFMUL_TEST_PROGRAMS:-} != all && " ${GFMUL_TEST_PROGRAMS:-} " != *" $name "* ]] || fail "$name is not installed"
done
((n_programs > 0)) || [[ ${GFMUL_TEST_PROGRAMS:-} ]] || skip_all "no program on top of GMP is installed"
finish
