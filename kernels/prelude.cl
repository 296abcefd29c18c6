/*
 * prelude.cl - what all kernels share: double precision as the proof needs it, points, constants.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Nothing may be fused but what is written as fma: the constants of doc/error-bound.md count each rounding.
 * Tunable: DOUBLE_DOUBLE (1: the parts of points are double-doubles).
 */
#ifndef PRELUDE_CL
#define PRELUDE_CL

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define INLINE static inline __attribute__((always_inline))
#define UNROLL      _Pragma("unroll")
#define UNROLL_SOME _Pragma("unroll 8")

/* Functions and loops below take radices and stage numbers as arguments, which are constants where they are inlined. */
enum { RATIO, PRODUCT }; /* forms of twiddles */

#if DOUBLE_DOUBLE
#include "complex_dd.cl"
#else
typedef double real;
typedef double2 point;   /* re, im */
typedef double2 twiddle; /* form RATIO: c, tau of w = c (1 + i tau); form PRODUCT: re, im */

#define POINT(re, im) ((point)(re, im))

/* times_i - p i^turn, exact. */
INLINE point times_i(point p, const int turn)
{
    switch (turn & 3) {
    case 0: return p;
    case 1: return (point)(-p.y, p.x);
    case 2: return (point)(-p.x, -p.y);
    default: return (point)(p.y, -p.x);
    }
}

/* complex_mul - a b; error 2 u |a b| (doc/error-bound.md, section 3). */
INLINE point complex_mul(point a, point b)
{
    return (point)(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x));
}
#endif

/* times_i_to - times_i for a turn that is no constant. */
INLINE point times_i_to(point p, uint turn)
{
    const point q = turn & 1 ? times_i(p, 1) : p;
    return turn & 2 ? -q : q;
}

#endif
