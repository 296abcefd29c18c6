/* fft_avx2.c - the plain FFT compiled for AVX2.  SPDX-License-Identifier: LGPL-3.0-or-later */
#define FFT_ISA     avx2
#define FFT_ISA_BIT CPU_ISA_AVX2
#define FFT_BYTES   32
#include "fft/fft_isa.h"
