/*
 * root_fixed.c - roots of unity in fixed point: a series at a few angles, products for all others.
 *
 * A product of two values is rounded to a multiple of 2^-126.  A table entry and its partner are products of at most 50 roots
 * from the series together, each with an error below 2^-121, so the product of both has an error below 2^-115.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/root_fixed.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

typedef unsigned __int128 wide;

static const __int128 one = (__int128)1 << 126;

/* quarter_pi - pi / 4 times 2^126, rounded down. */
static __int128 quarter_pi(void)
{
    return (__int128)((wide)UINT64_C(0x3243f6a8885a308d) << 64 | UINT64_C(0x313198a2e0370734));
}

/* fixed_mul - |a|, |b| <= 2^126 (1 + 2^-100); the nearest multiple of 2^-126. */
static __int128 fixed_mul(__int128 a, __int128 b)
{
    const wide x = a < 0 ? -(wide)a : (wide)a, y = b < 0 ? -(wide)b : (wide)b;
    const uint64_t x1 = (uint64_t)(x >> 64), x0 = (uint64_t)x, y1 = (uint64_t)(y >> 64), y0 = (uint64_t)y;
    const wide low = (wide)x0 * y0, m1 = (wide)x1 * y0, m2 = (wide)x0 * y1;
    const wide middle = (low >> 64) + (uint64_t)m1 + (uint64_t)m2; /* < 3 * 2^64 */
    const wide high = (wide)x1 * y1 + (m1 >> 64) + (m2 >> 64) + (middle >> 64);
    const uint64_t rest = (uint64_t)middle; /* the product is high 2^128 + rest 2^64 + ..; the result begins at bit 126 */
    const wide q = (high << 2) + (rest >> 62) + (rest >> 61 & 1);
    return (a < 0) != (b < 0) ? -(__int128)q : (__int128)q;
}

static struct fixed_complex complex_mul(struct fixed_complex a, struct fixed_complex b)
{
    return (struct fixed_complex){fixed_mul(a.re, b.re) - fixed_mul(a.im, b.im), fixed_mul(a.re, b.im) + fixed_mul(a.im, b.re)};
}

/* ratio - p / q times 2^126, rounded down; |p| <= q < 2^62. */
static __int128 ratio(int64_t p, uint64_t q)
{
    const uint64_t x = p < 0 ? -(uint64_t)p : (uint64_t)p;
    wide r = x;
    wide whole = r / q;
    r %= q;
    for (unsigned k = 0; k < 2; k++) {
        r <<= 63;
        whole = whole << 63 | r / q;
        r %= q;
    }
    return p < 0 ? -(__int128)whole : (__int128)whole;
}

/* series - sum over k of (-x2)^k / ((first+1) .. (first+2k)); first = 0: the cosine, 1: the sine over x; 0 <= x2 < 0.62. */
static __int128 series(__int128 x2, unsigned first)
{
    __int128 s = one;
    for (unsigned k = 18; k > 0; k--) /* the first omitted term is below 2^-150 */
        s = one - fixed_mul(x2, s) / ((first + 2 * k - 1) * (first + 2 * k));
    return s;
}

/* root_series - e(num / den): the angle is a quarter turn times `quarter` plus at most an eighth. */
static struct fixed_complex root_series(uint64_t num, uint64_t den)
{
    const wide four = (wide)(num % den) * 4;
    const uint64_t quarter = (uint64_t)((four + den / 2) / den);
    const int64_t r = (int64_t)(four - (wide)quarter * den); /* |r| <= den / 2 */
    const __int128 x = fixed_mul(quarter_pi(), ratio(2 * r, den)), x2 = fixed_mul(x, x);
    struct fixed_complex w = {series(x2, 0), fixed_mul(x, series(x2, 1))};
    for (unsigned k = 0; k < quarter % 4; k++)
        w = (struct fixed_complex){-w.im, w.re};
    return w;
}

/* powers - table[i] = e(i step / den), i < count. */
static void powers(struct fixed_complex *table, size_t count, uint64_t step, uint64_t den)
{
    table[0] = (struct fixed_complex){one, 0};
    for (size_t half = 1; half < count; half *= 2) {
        const struct fixed_complex w = root_series((uint64_t)((wide)step * half % den), den);
        for (size_t i = 0; i < half && half + i < count; i++)
            table[half + i] = complex_mul(table[i], w);
    }
}

enum gfmul_status root_maker_create(struct root_maker *maker, uint64_t den)
{
    memset(maker, 0, sizeof *maker);
    maker->den = den;
    while ((uint64_t)1 << 2 * maker->lo_bits < den)
        maker->lo_bits++;
    const size_t n_lo = (size_t)1 << maker->lo_bits, n_hi = (size_t)((den - 1) >> maker->lo_bits) + 1;
    maker->lo = alloc_aligned(n_lo * sizeof *maker->lo);
    maker->hi = alloc_aligned(n_hi * sizeof *maker->hi);
    if (!maker->lo || !maker->hi) {
        root_maker_destroy(maker);
        return GFMUL_ERR_MEMORY;
    }
    powers(maker->lo, n_lo, 1, den);
    powers(maker->hi, n_hi, n_lo, den);
    return GFMUL_OK;
}

void root_maker_destroy(struct root_maker *maker)
{
    alloc_free(maker->lo);
    alloc_free(maker->hi);
    maker->lo = maker->hi = NULL;
}

struct fixed_complex root_fixed(const struct root_maker *maker, uint64_t num)
{
    num %= maker->den;
    return complex_mul(maker->hi[num >> maker->lo_bits], maker->lo[num & (((uint64_t)1 << maker->lo_bits) - 1)]);
}

/* dd_split - the double nearest to v 2^-126, and the one nearest to the rest. */
static void dd_split(__int128 v, double *hi, double *lo)
{
    const double h = (double)v; /* to nearest */
    *hi = h * 0x1p-126;
    *lo = (double)(v - (__int128)h) * 0x1p-126;
}

struct dd_complex root_dd(const struct root_maker *maker, uint64_t num)
{
    const struct fixed_complex w = root_fixed(maker, num);
    struct dd_complex out;
    dd_split(w.re, &out.re, &out.re_lo);
    dd_split(w.im, &out.im, &out.im_lo);
    return out;
}
