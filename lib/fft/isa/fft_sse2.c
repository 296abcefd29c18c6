/* fft_sse2.c - the plain FFT compiled for SSE2.  SPDX-License-Identifier: LGPL-3.0-or-later */
#define FFT_ISA     sse2
#define FFT_ISA_BIT CPU_ISA_SSE2
#define FFT_BYTES   16
#include "fft/fft_isa.h"
