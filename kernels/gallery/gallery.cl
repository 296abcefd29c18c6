/*
 * gallery.cl - what the kernels of the gallery share: one source for float and double, complex products, roots, bit reversal.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The host defines GALLERY_DOUBLE as 0 or 1.  Everywhere: n = 2^log2_n points of a transform, contiguous; the transforms of a
 * batch lie one behind the other, and the last dimension of the ND-range counts them.  sign: -1 forwards, 1 backwards, of the
 * exponent.  A table of roots holds e(-j/n), j < n/2.
 */
#ifndef GALLERY_CL
#define GALLERY_CL

#if GALLERY_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double2 complex;
#else
typedef float real;
typedef float2 complex;
#endif

#define INLINE static inline __attribute__((always_inline))

#include "gallery/places.cl"

INLINE complex mul(complex a, complex b)
{
    return (complex)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* e(sign num / den), by the device's sine and cosine */
INLINE complex root(int num, int den, int sign)
{
    real t = (real)2 * (real)num / (real)den;
    return (complex)(cospi(t), sinpi(sign < 0 ? -t : t));
}

/* a root of the table, of the direction wanted */
INLINE complex directed(complex w, int sign)
{
    return sign < 0 ? w : (complex)(w.x, -w.y);
}

/* a times -i forwards, i backwards */
INLINE complex quarter(complex a, int sign)
{
    return sign < 0 ? (complex)(a.y, -a.x) : (complex)(-a.y, a.x);
}

/* a, b = a + w b, a - w b */
INLINE void butterfly(complex *a, complex *b, complex w)
{
    complex t = mul(*b, w);
    *b = *a - t;
    *a += t;
}

/* exchange - register_s2, register_s2_angles: items `distance` apart give each other one value of two, by T slots */
INLINE void exchange(complex *a, complex *b, __local complex *x, uint t, uint distance)
{
    const bool upper = (t & distance) != 0;
    x[t] = upper ? *a : *b;
    barrier(CLK_LOCAL_MEM_FENCE);
    const complex other = x[slot_partner(t, distance)];
    barrier(CLK_LOCAL_MEM_FENCE);
    *a = upper ? other : *a;
    *b = upper ? *b : other;
}

/* gallery_reverse - point i from its place with reversed bits: the first launch of several rows; n items by the batch */
__kernel void gallery_reverse(__global const complex *in, __global complex *x, int log2_n)
{
    const uint i = get_global_id(0);
    const size_t base = (size_t)get_global_id(1) << log2_n;
    x[base + i] = in[base + reversed(i, log2_n)];
}

/* x = scale x: behind the last launch of a row, where the caller wants it; n items by the batch */
__kernel void gallery_scale(__global complex *x, real scale)
{
    x[get_global_id(1) * get_global_size(0) + get_global_id(0)] *= scale;
}

#endif
