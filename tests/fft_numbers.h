/* fft_numbers.h - numbers in float or double, as tests of transforms in both precisions read and write them. */
#ifndef GFMUL_FFT_NUMBERS_H
#define GFMUL_FFT_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

static inline double number_get(bool is_float, const void *p, size_t i)
{
    return is_float ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

static inline void number_put(bool is_float, void *p, size_t i, double x)
{
    if (is_float)
        ((float *)p)[i] = (float)x;
    else
        ((double *)p)[i] = x;
}

#endif
