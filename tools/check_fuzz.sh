#!/usr/bin/env bash
# check_fuzz.sh DIR SRCDIR TARGET... - build the fuzz targets in DIR by Clang with the address and undefined-behaviour sanitizers,
# and run each under libFuzzer.  An input that fails is printed as a line for tests/fuzz/<target>.hex.
#
#   FUZZ_S     seconds for each target (60)
#   FUZZ_JOBS  targets at once (2)
#   FUZZ_KEEP  a folder for the inputs that libFuzzer finds, to go on from (DIR/corpus)
#
# The thresholds are minimal, so that short operands reach every algorithm, and assertions are on.  Exit status: 77 without Clang.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
dir=$1
srcdir=$2
shift 2
seconds=${FUZZ_S:-60}
jobs=${FUZZ_JOBS:-2}

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { (void)p; return n > 1000000; }' >"$probe/probe.c"
if ! clang -fsanitize=fuzzer,address,undefined "$probe/probe.c" -o "$probe/probe" 2>/dev/null; then
    echo "no Clang with libFuzzer: fuzzing skipped"
    exit 77
fi

mkdir -p "$dir"
cd "$dir"
# Clang takes many minutes for vectors where all is instrumented.  tests/t-fuzz runs them on the same inputs.
arguments="CC=clang --with-sanitizer=address,undefined --enable-min-thresholds --disable-static"
arguments+=" gfmul_cv_isa_avx512=no gfmul_cv_isa_avx2=no gfmul_cv_isa_sse2=no"
if [[ ! -f Makefile || $(cat configure-arguments 2>/dev/null) != "$arguments" ]]; then
    # shellcheck disable=SC2086
    "$srcdir"/configure --quiet $arguments CFLAGS="-O1 -g1 -fsanitize=fuzzer-no-link"
    echo "$arguments" >configure-arguments
fi
make=${MAKE:-make}
$make --no-print-directory tests/t-fuzz "${@/#/fuzz/}"

export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:use_sigaltstack=0:detect_stack_use_after_return=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TMPDIR=${TMPDIR:-/tmp}
keep=$(mkdir -p "${FUZZ_KEEP:-corpus}" && cd "${FUZZ_KEEP:-corpus}" && pwd)

# run TARGET - one of them; its log is TARGET.log.
run()
{
    local target=$1 status=0 found executions covered
    mkdir -p "$keep/$target" found
    rm -f "found/$target-"*
    SRCDIR=$srcdir GFMUL_FUZZ_UNPACK=$keep/$target tests/t-fuzz "test_$target" >"$target.unpacked" || return 1
    fuzz/"$target" -max_total_time="$seconds" -max_len=600 -len_control=20 -timeout=60 -rss_limit_mb=3000 -print_final_stats=1 \
        -artifact_prefix="found/$target-" "$keep/$target" >"$target.log" 2>&1 || status=$?
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$target.log")
    covered=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$target.log" | tail -n 1)
    echo "fuzz: target $target: ${executions:-?} executions, ${covered:-?} edges, exit status $status"
    if ((status != 0)); then
        grep -E 'FAILED|ERROR|runtime error|SUMMARY|^ *#[0-9]' "$target.log" | head -n 30
        for found in found/"$target"-*; do
            [[ ! -f $found ]] || echo "input: $(od -An -v -tx1 "$found" | tr -d ' \n')"
        done
    fi
    return $status
}

failed=0
for target; do
    while (($(jobs -rp | wc -l) >= jobs)); do
        wait -n || failed=1
    done
    run "$target" &
done
while (($(jobs -p | wc -l) > 0)); do
    wait -n || failed=1
done
exit $failed
