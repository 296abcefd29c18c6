/* fft_double.c - the plain FFT in double, compiled once for each instruction set.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/vec/vec.h"

#include "fft/fft_run.h"

extern const struct fft_ops ISA_NAME(fft_double_);
const struct fft_ops ISA_NAME(fft_double_) = {complex_run, real_split, real_join, multiply, sizeof(real)};
