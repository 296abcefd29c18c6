#!/usr/bin/env bash
# check_neon.sh - the NEON stages and transforms compile and run, in the longer tiers: with a cross compiler and an emulator where
# this is no ARM.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
cross=aarch64-linux-gnu-gcc
if [[ $(uname -m) == aarch64 ]]; then
    echo "built and tested as part of the library here"
    exit 77
fi
if ! command -v $cross >/dev/null 2>&1; then
    echo "no $cross: skipped"
    exit 77
fi
if ((${GFMUL_TEST_LONG:-0} == 0)); then
    echo "in make check-long"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# GMP's header is the same for every machine with 64-bit limbs; the headers beside it are not.
echo '#include <gmp.h>' | ${CC:-cc} -E -x c - | sed -nE 's/^# 1 "(.*gmp[^"]*\.h)".*/\1/p' | sort -u |
    while IFS= read -r header; do
        cp "$header" "$tmp/"
    done
flags=(-std=gnu11 -O2 -ffp-contract=off -pthread -Wall -Wextra -Wshadow -Wpointer-arith -Werror -D_GNU_SOURCE
    "-DGFMUL_HAVE_"{AVX512,AVX2,SSE2}"=0" "-DGFMUL_HAVE_NEON=1" -I"$srcdir/lib" -I"$srcdir/tools" -I"$srcdir/tests"
    -idirafter "$tmp")
for isa in neon scalar; do
    $cross "${flags[@]}" -DGFMUL_ISA=$isa -c "$srcdir/lib/stages/isa/stages.c" -o "$tmp/stages_$isa.o"
    fused=$(aarch64-linux-gnu-objdump -d "$tmp/stages_$isa.o" | grep -cE '[[:space:]]fml[as]' || true)
    echo "stages for $isa: $fused fused vector instructions"
done

emulator=qemu-aarch64
if ! command -v $emulator >/dev/null 2>&1; then
    echo "no $emulator: compiled, not run"
    exit 0
fi
# Without GMP for ARM: the stages, the plans (not the tables of devices), and tests that need no more.
for source in "$srcdir"/lib/stages/*.c "$srcdir"/lib/plan/*.c "$srcdir"/lib/prime/*.c \
    "$srcdir"/lib/prime/isa/prime_word_scalar.c "$srcdir"/lib/base/*.c \
    "$srcdir"/tests/{tiny_mpn,operands,reference}.c "$srcdir"/lib/fft/*.c "$srcdir"/tools/gallery/*.c; do
    case $source in
    */root_table.c | */fftw_loader.c | */fft_fftw.c | */fft_rows.c) continue ;; # the last one: gallery_rows.c has its place
    esac
    $cross "${flags[@]}" -c "$source" -o "$tmp/$(basename "$source" .c).o"
done
for isa in neon scalar; do
    for source in lib/stages/isa/stages lib/dd/isa/dd_stages lib/prime/isa/prime_stages lib/fft/isa/fft_{double,float} \
        tests/vec_test_{double,float}; do
        $cross "${flags[@]}" -DGFMUL_ISA=$isa -c "$srcdir/$source.c" \
            -o "$tmp/${source##*/}_$isa.o"
    done
done
for program in neon_selftest t-vec t-spectrum t-dd_stages t-prime_stages t-fft; do
    $cross "${flags[@]}" -static "$srcdir/tests/$program.c" "$tmp"/*.o -lm -o "$tmp/$program"
done
$emulator "$tmp/neon_selftest"
$emulator "$tmp/t-vec"
$emulator "$tmp/t-spectrum" test_convolution
$emulator "$tmp/t-dd_stages" test_short_convolutions
# Lengths of check-long would be emulated for a quarter of an hour.
GFMUL_TEST_LONG=0 $emulator "$tmp/t-prime_stages"
$emulator "$tmp/t-fft" test_short_lengths
