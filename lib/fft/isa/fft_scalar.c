/* fft_scalar.c - the plain FFT compiled for plain C.  SPDX-License-Identifier: LGPL-3.0-or-later */
#define FFT_ISA     scalar
#define FFT_ISA_BIT CPU_ISA_SCALAR
#define FFT_BYTES   FFT_REAL_BYTES
#include "fft/fft_isa.h"
