/*
 * prelude.cl - shared by all kernels: arithmetic as the proof needs it, points, constants.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Nothing may be fused unless it is written as fma, because the constants of doc/error-bound.md count each rounding.
 * Tunables: DOUBLE_DOUBLE (1: the parts of points are double-doubles); PACKING (as enum gfmul_packing: 3 right-angle, digit
 *           j + n is the imaginary part of point j; else the root is x^n - 1: 1 two-for-one, the imaginary part is digit j of b;
 *           2 one-for-half, the parts of point j are digits 2 j and 2 j + 1); FP64 (0: the device has no doubles: kernels of
 *           integers alone).
 */
#ifndef PRELUDE_CL
#define PRELUDE_CL

#if FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double fp;
typedef double2 fp2;
typedef double4 fp4;
#else
#define double no_double_is_there
#endif
#pragma OPENCL FP_CONTRACT OFF

#define TWO_FOR_ONE   (PACKING == 1)
#define ONE_FOR_HALF  (PACKING == 2)
#define NUMBER_HALVES (PACKING == 3 ? 2 : 1) /* of the digits of the product, each of which has all rows */
#define POINT_DIGITS  (ONE_FOR_HALF ? 2 : 1) /* of a number that are neighbours in a point */

#define INLINE static inline __attribute__((always_inline))
#define UNROLL      _Pragma("unroll")
#define UNROLL_SOME _Pragma("unroll 8")
#define ROLLED      _Pragma("unroll 1") /* what hardly runs: compilers take their time by the code's length */

/* Functions and loops below take radices and stage numbers as arguments, which are constants where they are inlined. */
enum { RATIO, PRODUCT }; /* forms of twiddles */

#if !FP64
/* no points */
#elif DOUBLE_DOUBLE
#include "complex_dd.cl"
#else
typedef fp real;
typedef fp2 point;   /* re, im */
typedef fp2 twiddle; /* form RATIO: c, tau of w = c (1 + i tau); form PRODUCT: re, im */

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

#endif
