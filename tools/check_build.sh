#!/usr/bin/env bash
# check_build.sh DIR SRCDIR CONFIGURE-ARGUMENT... - configure in DIR (once), build, and run the tests there: those that the
# environment variable CHECK_TESTS names, or all but those of CHECK_WITHOUT.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
dir=$1
srcdir=$2
shift 2

mkdir -p "$dir"
cd "$dir"
# A build with other arguments is not the one asked for: make it again.
if [[ ! -f Makefile || $(cat configure-arguments 2>/dev/null) != "$*" ]]; then
    # Each file is compiled once, not twice; the last of two contrary words counts.
    "$srcdir"/configure --quiet --disable-static "$@"
    echo "$*" >configure-arguments
fi
# A thread of PoCL's has LLVM's stack for signals, which the sanitizer would unmap as its own (llvm-project, pull request 179000).
# Stacks of its own, which tell a use after return, are not aligned as GCC 12 takes them to be for vectors of 64 bytes.
after_return=1
! grep -qsw avx512f /proc/cpuinfo || after_return=0
# Runtimes up to GCC 13's and LLVM 16's read the bounds of a thread's variables from before them, as an old glibc had it, if their
# address looks so by chance, and then the search for leaks crashes ("Tracer caught signal 11").
asan="detect_leaks=1:use_sigaltstack=0:detect_stack_use_after_return=$after_return:intercept_tls_get_addr=0"
export ASAN_OPTIONS="${ASAN_OPTIONS:-$asan}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-second_deadlock_stack=1:ignore_noninstrumented_modules=1:die_after_fork=0}"
make="${MAKE:-make}"
tests=${CHECK_TESTS-}
only=()
if [[ -n $tests ]]; then # no other program is built
    programs=$(tr ' ' '\n' <<<"$tests" | grep -v '\.sh$' || true)
    only=(check_PROGRAMS="$(tr '\n' ' ' <<<"$programs")" check_SCRIPTS= check_LTLIBRARIES=)
else
    for test in $($make -s --no-print-directory print-tests); do
        [[ " ${CHECK_WITHOUT-} " == *" $test "* ]] || tests+=" $test"
    done
    [[ $tests == *" min/"* ]] || only=(check_SCRIPTS= check_LTLIBRARIES=)
fi
$make all
$make check TESTS="$tests" "${only[@]+"${only[@]}"}"
