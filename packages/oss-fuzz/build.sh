#!/usr/bin/env bash
# build.sh - OSS-Fuzz: the fuzz targets and their first inputs into $OUT.  CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE are
# OSS-Fuzz's.
#
# The thresholds are minimal, so that short operands reach every algorithm.  Clang takes many minutes for instrumented vectors.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
cd "${SRC:?}/gfmul"
./bootstrap.sh
mkdir -p build-oss-fuzz
cd build-oss-fuzz
../configure --disable-shared --enable-static --with-fftw=no --with-mpi=no --with-opencl=load \
    --enable-gmp-dropin=no --enable-min-thresholds gfmul_cv_isa_avx512=no gfmul_cv_isa_avx2=no gfmul_cv_isa_sse2=no
# The machines that fuzz have no libgmp.so.
gmp=$(find /usr/lib -name libgmp.a | head -n 1)
targets=(mul text ntt convolve fft options certificate cache binary)
make -j "$(nproc)" GMP_LIBS="$gmp" FUZZ_ENGINE="${LIB_FUZZING_ENGINE:?}" CCLD="${CXX:?} $CXXFLAGS" "${targets[@]/#/fuzz/}"
for target in "${targets[@]}"; do
    cp "fuzz/$target" "${OUT:?}/fuzz_$target"
    inputs=$(mktemp -d)
    n=0
    while read -r hex _; do
        [[ $hex == \#* || -z $hex ]] && continue
        n=$((n + 1))
        # shellcheck disable=SC2001
        printf '%b' "$(sed 's/../\\x&/g' <<<"$hex")" >"$inputs/$n"
    done <"../tests/fuzz/$target.hex"
    (cd "$inputs" && zip -q "$OUT/fuzz_${target}_seed_corpus.zip" ./*)
    rm -r "$inputs"
done
