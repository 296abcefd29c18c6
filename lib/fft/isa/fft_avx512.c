/* fft_avx512.c - the plain FFT compiled for AVX-512.  SPDX-License-Identifier: LGPL-3.0-or-later */
#define FFT_ISA     avx512
#define FFT_ISA_BIT CPU_ISA_AVX512
#define FFT_BYTES   64
#include "fft/fft_isa.h"
