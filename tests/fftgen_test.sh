# fftgen_test.sh - what the tests of the generator fftgen share; sourced by t-fftgen*.sh, run by bash.
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=bash disable=SC2034 # who sources this reads long
#
# FFTGEN names the program, BUILDDIR the folder of the build (make sets both).  A failed check prints what was run and goes on.
set -u
FFTGEN=${FFTGEN:-${BUILDDIR:-build}/fftgen}
case $FFTGEN in
/*) ;;
*) FFTGEN=$PWD/$FFTGEN ;;
esac
if [[ ! -x $FFTGEN ]]; then
    echo "$FFTGEN is not a program: set FFTGEN" >&2
    exit 1
fi
CC=${CC:-cc}
export LC_ALL=C
long=${GFMUL_TEST_LONG:-0}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/fftgen-test-XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
export PDISK_CACHE_DIR=$tmp/pocl-cache GFMUL_CACHE_DIR=$tmp/cache
n_checks=0 n_failed=0

fail()
{
    n_failed=$((n_failed + 1))
    echo "FAILED: $*" >&2
}

finish()
{
    echo "$n_checks checks, $n_failed failed"
    ((n_failed == 0)) || exit 1
    exit 0
}

# try FOLDER KEY=VALUE... - generate, compile without a warning, run; 0: the example found the transform right.
# What was wrong stands in FOLDER.log.
try()
{
    local dir=$1 status=0
    shift
    {
        "$FFTGEN" -o "$dir" ID=t "$@" || return 1
        # shellcheck disable=SC2086
        (cd "$dir" && $CC -std=c99 -O1 -Wall -Wextra -Wshadow -Werror ${CPPFLAGS-} ${LDFLAGS-} -o example \
            fft_t_example.c fft_t.c -lOpenCL -lm) || return 1
        # PoCL 3.1 can abort where parts of one kernel run at once: its own race, which one thread alone does not have
        (cd "$dir" && ./example) || status=$?
        if ((status == 134)) && grep -q "pocl_release_dlhandle_cache: Assertion" "$dir.log"; then
            status=0
            (cd "$dir" && POCL_MAX_PTHREAD_COUNT=1 ./example) || status=$?
        fi
        # Its loops over work-items, vectorised by LLVM 15, make some right transforms wrong (LOGN=6 ALGORITHM=8 PRODUCTS=3
        # BITREV=N DIRECTION=B OUTPRECISION=40 KERNELHEIGHT=4 TWIDDLE=ONFLY STRUCTURE=DIMENSIONS).  A wrong transform is wrong
        # without vectors, too.
        if ((status == 1)) && grep -q "TOO LARGE" "$dir.log"; then
            status=0
            (cd "$dir" && POCL_WORK_GROUP_METHOD=loops PDISK_CACHE_DIR=$tmp/pocl-plain ./example) || status=$?
        fi
        # a compiler that has something to say about the kernels says it here
        if ((status == 0)) && grep -q warning "$dir.log"; then
            status=1
        fi
    } >"$dir.log" 2>&1
    return $status
}

# skip REASON - end the whole test; that is a failure where GFMUL_TEST_OCL asks for a device.
skip()
{
    echo "skipped: $*"
    [[ -z ${GFMUL_TEST_OCL-} ]] || { echo "GFMUL_TEST_OCL asks for a device" >&2; exit 1; }
    exit 77
}

# need_device - skip the whole test where no OpenCL program can be built and run.
need_device()
{
    try probe LOGN=3 FFTDATA=float
    local status=$?
    if ((status == 77)); then
        skip "no OpenCL device"
    elif ((status != 0)) && ! $CC -DCL_TARGET_OPENCL_VERSION=120 -E - <<<'#include <CL/cl.h>' >/dev/null 2>&1; then
        skip "no OpenCL headers"
    elif ((status != 0)) && ! echo 'int main(void) { return 0; }' | $CC -x c -o probe.out - -lOpenCL 2>/dev/null; then
        skip "no OpenCL loader"
    elif ((status != 0)); then
        cat probe.log >&2
        fail "the first transform"
        finish
    fi
}
