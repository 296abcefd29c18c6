/* fft_float.c - the plain FFT in float, compiled once for each instruction set.  SPDX-License-Identifier: LGPL-3.0-or-later */
#define VEC_FLOAT
#include "stages/vec/vec.h"

#include "fft/fft_run.h"

extern const struct fft_ops ISA_NAME(fft_float_);
const struct fft_ops ISA_NAME(fft_float_) = {complex_run, real_split, real_join, multiply, sizeof(real)};
