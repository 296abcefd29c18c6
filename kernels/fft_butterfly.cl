/*
 * fft_butterfly.cl - the plain transform's butterflies: DFTs of 2, 4, 8, 16, 3, 5, 7 points in registers, of any precision.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All compute X_k = sum over r of x_r w^r e(-r k / R), with a twiddle w = e(-theta / R) that belongs to the whole butterfly.
 *
 * Even radices.  X_k is the polynomial of the x_r at a root of z^R = e(-theta), and is found by splitting: a node z^m = e(-phi)
 * has the children z^(m/2) = +- v, v = e(-phi / 2):  (a, b) -> (a + v b, a - v b), six fma.  Level l = 1, 2, ... has 2^(l-1)
 * nodes; node c takes w[2^(l-2) + c / 2] (-i)^(c % 2), and w[0] on level 1:
 *
 *     w[0]           e(-theta / 2)
 *     w[1]           e(-theta / 4)
 *     w[2], w[3]     e(-theta / 8 - t),    t = 0, 1/8
 *     w[4] .. w[7]   e(-theta / 16 - t),   t = 0, 1/8, 1/16, 3/16
 *
 * Tables hold those with t = 0.  X_k comes out at the place that has the bits of k reversed.
 * Odd radices multiply by the powers of w, and pair x_r with x_(R-r); X_k comes out at place k.
 *
 * FFT_DD: parts are double-doubles, points re, its rest, im, its rest; steps and odd radices are those of complex_dd.cl.
 * Tunables: FFT_FLOAT, FFT_DD (may be missing: 0).
 */
#ifndef FFT_BUTTERFLY_CL
#define FFT_BUTTERFLY_CL

#ifndef FFT_DD
#define FFT_DD 0
#endif

#if FFT_FLOAT
typedef float real;
typedef float2 point;
#define REAL(x) x##f
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL(x) x
#endif
#pragma OPENCL FP_CONTRACT OFF

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("unroll")

#if FFT_DD
typedef double fp;
typedef double2 fp2;
typedef double4 fp4;
#include "complex_dd.cl"
#elif !FFT_FLOAT
typedef double real;
typedef double2 point;
#endif

/* Functions below take radices and flags as arguments, which are constants where they are inlined. */

#if FFT_DD
#define RE_PART .xy
#define IM_PART .zw
#define real_sum dd_add
#define point_mul complex_mul
#define SQRT_HALF ((dd)(0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55))
#define COS_16TH  ((dd)(0x1.d906bcf328d46p-1, 0x1.457e610231ac2p-56)) /* 22.5 degrees */
#define SIN_16TH  ((dd)(0x1.87de2a6aea963p-2, -0x1.72cedd3d5a610p-57))

INLINE point point_times(point p, real s)
{
    return scaled(s, p);
}
#else
#define RE_PART .x
#define IM_PART .y
#define SQRT_HALF REAL(0.70710678118654752440)
#define COS_16TH  REAL(0.92387953251128675613)
#define SIN_16TH  REAL(0.38268343236508977173)

INLINE real real_sum(real a, real b)
{
    return a + b;
}

INLINE point point_sum(point a, point b)
{
    return a + b;
}

INLINE point point_difference(point a, point b)
{
    return a - b;
}

INLINE point point_times(point p, real s)
{
    return s * p;
}

INLINE point point_mul(point a, point b)
{
    return (point)(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x));
}
#endif
#define RE(p) ((p)RE_PART)
#define IM(p) ((p)IM_PART)

INLINE point point_swapped(point p) /* parts exchanged */
{
    return (point)(IM(p), RE(p));
}

INLINE point point_conj(point p)
{
    return (point)(RE(p), -IM(p));
}

/* root_at - e(-k / n) from two tables: high[k >> low_bits] low_roots[k mod 2^low_bits] */
INLINE point root_at(__global const point *high, __global const point *low_roots, uint low_bits, uint k)
{
    return point_mul(high[k >> low_bits], low_roots[k & ((1u << low_bits) - 1)]);
}

/* turned - p (-i)^turn, turn = 0, 1 */
INLINE point turned(point p, const int turn)
{
    return turn ? (point)(IM(p), -RE(p)) : p;
}

/* butterfly - (a, b) -> (a + v b, a - v b), v = w (-i)^turn;   unit: w is 1 */
INLINE void butterfly(point *a, point *b, point w, const int turn, const int unit)
{
    const point p = *a, q = *b;
#if FFT_DD
    const point t = turned(unit ? q : point_mul(q, w), turn);
    *a = point_sum(p, t);
    *b = point_difference(p, t);
#else
    if (unit) {
        const point t = turned(q, turn);
        *a = p + t;
        *b = p - t;
    } else {
        const point v = turned(w, turn);
        const point s = (point)(fma(-q.y, v.y, fma(q.x, v.x, p.x)), fma(q.y, v.x, fma(q.x, v.y, p.y)));
        *a = s;
        *b = (point)(fma(REAL(2.0), p.x, -s.x), fma(REAL(2.0), p.y, -s.y));
    }
#endif
}

#define LEVEL(first, h, at, turn, is_unit)                                                                                      \
    UNROLL for (int j = 0; j < (h); j++) butterfly(x + (first) + j, x + (first) + j + (h), w[at], turn, is_unit);

INLINE void dft_2(point *x, const point *w, const int unit)
{
    LEVEL(0, 1, 0, 0, unit)
}

INLINE void dft_4(point *x, const point *w, const int unit)
{
    LEVEL(0, 2, 0, 0, unit)
    LEVEL(0, 1, 1, 0, unit)
    LEVEL(2, 1, 1, 1, unit)
}

INLINE void dft_8(point *x, const point *w, const int unit)
{
    LEVEL(0, 4, 0, 0, unit)
    LEVEL(0, 2, 1, 0, unit)
    LEVEL(4, 2, 1, 1, unit)
    LEVEL(0, 1, 2, 0, unit)
    LEVEL(2, 1, 2, 1, unit)
    LEVEL(4, 1, 3, 0, 0)
    LEVEL(6, 1, 3, 1, 0)
}

INLINE void dft_16(point *x, const point *w, const int unit)
{
    LEVEL(0, 8, 0, 0, unit)
    LEVEL(0, 4, 1, 0, unit)
    LEVEL(8, 4, 1, 1, unit)
    LEVEL(0, 2, 2, 0, unit)
    LEVEL(4, 2, 2, 1, unit)
    LEVEL(8, 2, 3, 0, 0)
    LEVEL(12, 2, 3, 1, 0)
    LEVEL(0, 1, 4, 0, unit)
    LEVEL(2, 1, 4, 1, unit)
    LEVEL(4, 1, 5, 0, 0)
    LEVEL(6, 1, 5, 1, 0)
    LEVEL(8, 1, 6, 0, 0)
    LEVEL(10, 1, 6, 1, 0)
    LEVEL(12, 1, 7, 0, 0)
    LEVEL(14, 1, 7, 1, 0)
}

#if FFT_DD
INLINE void dft_odd(point *x, const int radix)
{
    if (radix == 3)
        dft_3(x, -1.0);
    else if (radix == 5)
        dft_5(x, -1.0);
    else if (radix == 7)
        dft_7(x, -1.0);
}
#else
/* cosine, sine - of 2 pi k / radix, radix = 3, 5, 7 */
INLINE real cosine(const int radix, const int k)
{
    const int j = 2 * k > radix ? radix - k : k;
    if (radix == 3)
        return REAL(-0.5);
    if (radix == 5)
        return j == 1 ? REAL(0.30901699437494742410) : REAL(-0.80901699437494742410);
    return j == 1 ? REAL(0.62348980185873353053) : j == 2 ? REAL(-0.22252093395631440429) : REAL(-0.90096886790241912624);
}

INLINE real sine(const int radix, const int k)
{
    const int j = 2 * k > radix ? radix - k : k;
    const real s = radix == 3   ? REAL(0.86602540378443864676)
                   : radix == 5 ? (j == 1 ? REAL(0.95105651629515357212) : REAL(0.58778525229247312917))
                   : j == 1     ? REAL(0.78183148246802980871)
                   : j == 2     ? REAL(0.97492791218182360702)
                                : REAL(0.43388373911755812048);
    return 2 * k > radix ? -s : s;
}

INLINE void dft_odd(point *x, const int radix)
{
    const int half_radix = radix / 2;
    point sum[3], difference[3], total = x[0];
    UNROLL for (int r = 0; r < half_radix; r++)
    {
        sum[r] = x[1 + r] + x[radix - 1 - r];
        difference[r] = x[1 + r] - x[radix - 1 - r];
        total += sum[r];
    }
    const point first = x[0];
    x[0] = total;
    UNROLL for (int k = 1; k <= half_radix; k++)
    {
        point a = first, b = sine(radix, k) * difference[0];
        UNROLL for (int r = 0; r < half_radix; r++)
        {
            const real c = cosine(radix, (r + 1) * k % radix), s = sine(radix, (r + 1) * k % radix);
            a = (point)(fma(c, sum[r].x, a.x), fma(c, sum[r].y, a.y));
            if (r > 0)
                b = (point)(fma(s, difference[r].x, b.x), fma(s, difference[r].y, b.y));
        }
        x[k] = (point)(a.x + b.y, a.y - b.x);
        x[radix - k] = (point)(a.x - b.y, a.y + b.x);
    }
}
#endif

/* eighth - p e(-1/8) */
INLINE point eighth(point p)
{
    return point_times((point)(real_sum(RE(p), IM(p)), real_sum(IM(p), -RE(p))), SQRT_HALF);
}

#define LEVELS(radix) ((radix) == 16 ? 4 : (radix) == 8 ? 3 : (radix) == 4 ? 2 : (radix) == 2 ? 1 : 0)
/* what a table has for a butterfly */
#define TWIDDLES(radix) ((radix) % 2 ? (radix) - 1 : LEVELS(radix))

/*
 * dft - x[0 .. radix-1] in place.
 *
 *   w     in  TWIDDLES(radix): w^1 .. w^(radix-1) for an odd radix; w^(radix/2), w^(radix/4), .., w for an even one
 *   unit  in  1: w is 1, and not read
 */
INLINE void dft(point *x, const point *w, const int radix, const int unit)
{
    const point sixteenth = (point)(COS_16TH, -SIN_16TH);
    if (radix % 2) {
        if (!unit)
            UNROLL for (int r = 1; r < radix; r++) x[r] = point_mul(x[r], w[r - 1]);
        dft_odd(x, radix);
        return;
    }
    point v[8];
    const int levels = LEVELS(radix);
    if (unit) {
        v[3] = v[5] = (point)(SQRT_HALF, -SQRT_HALF);
        v[6] = sixteenth;
        v[7] = (point)(SIN_16TH, -COS_16TH);
    } else {
        v[0] = w[0];
        if (levels > 1)
            v[1] = w[1];
        if (levels > 2) {
            v[2] = w[2];
            v[3] = eighth(w[2]);
        }
        if (levels > 3) {
            v[4] = w[3];
            v[5] = eighth(w[3]);
            v[6] = point_mul(w[3], sixteenth);
            v[7] = eighth(v[6]);
        }
    }
    if (radix == 2)
        dft_2(x, v, unit);
    else if (radix == 4)
        dft_4(x, v, unit);
    else if (radix == 8)
        dft_8(x, v, unit);
    else
        dft_16(x, v, unit);
}

/* dft_index - the k of X_k at a place. */
INLINE int dft_index(const int radix, const int place)
{
    if (radix == 4)
        return (place & 1) << 1 | place >> 1;
    if (radix == 8)
        return (place & 1) << 2 | (place & 2) | place >> 2;
    if (radix == 16)
        return (place & 1) << 3 | (place & 2) << 1 | (place & 4) >> 1 | place >> 3;
    return place;
}

#endif
