/* fft_neon.c - the plain FFT compiled for NEON.  SPDX-License-Identifier: LGPL-3.0-or-later */
#define FFT_ISA     neon
#define FFT_ISA_BIT CPU_ISA_NEON
#define FFT_BYTES   16
#include "fft/fft_isa.h"
