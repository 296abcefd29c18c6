#!/usr/bin/env bash
# check_gmp.sh - GMP's own test suite with libgfmul_gmp.so preloaded (make check-gmp).
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#   GMP_SOURCE=DIR         a source tree of GMP; it is copied, not changed
#   GMP_FETCH=1            fetch one with "apt-get source gmp" instead; "deb-src" has to be among the system's sources
#   GMP_THRESHOLDS="3 0"   thresholds in limbs to run it with; 0: as tuned.  The lowest ones send every product to gfmul
#   GMP_JOBS=N             make -jN; 2
# Exit status: 0 all tests passed, 1 some failed, 77 there is no source tree or no preloaded library.
set -euo pipefail
builddir=$(cd "${BUILDDIR:-build}" && pwd)
run=$builddir/gfmul-run
thresholds=${GMP_THRESHOLDS:-3 0}
jobs=${GMP_JOBS:-2}
unset MAKEFLAGS MFLAGS MAKELEVEL
if [[ ! -x $run || ! -e $builddir/.libs/libgfmul_gmp.so ]]; then
    echo "no preloaded library in $builddir: skipped"
    exit 77
fi
work=$builddir/check-gmp
mkdir -p "$work"
source=${GMP_SOURCE:-}
if [[ ! $source && ${GMP_FETCH:-} == 1 ]]; then
    mkdir -p "$work/fetched"
    (cd "$work/fetched" && apt-get source gmp) >"$work/fetch.log" 2>&1 || true
    source=$(find "$work/fetched" -mindepth 1 -maxdepth 1 -type d -name 'gmp-*' | head -n 1)
fi
if [[ ! $source || ! -e $source/gmp-impl.h ]]; then
    echo "no sources of GMP: set GMP_SOURCE, or GMP_FETCH=1: skipped"
    exit 77
fi

# Test programs find GMP's functions through the dynamic linker, as others do.  Debian's tree lacks its manual.
tree=$work/gmp
if [[ ! -e $work/built ]]; then
    rm -rf "$tree"
    cp -R "$source" "$tree"
    if [[ ! -e $tree/doc/Makefile.in ]]; then
        mkdir -p "$tree/doc"
        printf 'all check install clean:\n' >"$tree/doc/Makefile.in"
    fi
    (cd "$tree" && ./configure --disable-static && make -j"$jobs" && make -j"$jobs" check TESTS=) >"$work/build.log" 2>&1 || {
        tail -n 20 "$work/build.log" >&2
        exit 1
    }
    touch "$work/built"
fi

status=0
for threshold in $thresholds; do
    log=$work/threshold-$threshold.log
    runner="env GFMUL_GMP_STATS=1 $run"
    ((threshold == 0)) || runner+=" --threshold=$threshold"
    # Many tests multiply at random: each threshold has the same numbers.
    GMP_CHECK_RANDOMIZE=${GMP_CHECK_RANDOMIZE:-1} make -C "$tree/tests" -k check LOG_COMPILER="$runner" >"$log" 2>&1 || true
    passed=$(grep -c '^PASS: ' "$log" || true)
    failed=$(grep -cE '^(FAIL|ERROR|XPASS): ' "$log" || true)
    find "$tree/tests" -name '*.log' ! -name test-suite.log -exec cat {} + | awk -v threshold="$threshold" -v passed="$passed" \
        -v failed="$failed" '/^gfmul-gmp: / {made += $2; limbs += $5; for (i = 1; i < NF; i++) if ($(i + 1) == "left") left += $i}
        END {printf "threshold %s: %d passed, %d failed; %d products of %.3g limbs by gfmul, %d left to GMP\n",
             threshold == 0 ? "as tuned" : threshold, passed, failed, made, limbs, left}'
    if ((failed > 0 || passed == 0)); then
        grep -E '^(FAIL|ERROR|XPASS): ' "$log" >&2 || tail -n 5 "$log" >&2
        status=1
    fi
done
exit $status
