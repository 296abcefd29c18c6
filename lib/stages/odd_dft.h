/*
 * odd_dft.h - the arithmetic of the odd passes: DFTs of each odd radix on values whose signs and zeros are known beforehand.
 *
 * The first pass multiplies its streams by powers of i, and digits are real, so one part of each product is zero and the other a
 * digit or minus a digit.  Signs are absorbed by later operations, and operations with zero are dropped.  That changes no bits
 * except the signs of zeros: rounding is symmetric, x + 0 = x, fma(k, 0, c) = c and
 * fma(k, x, 0) = fl(k x).   Constants of the rounding bound: doc/error-bound.md, section 5.
 */
#ifndef GFMUL_ODD_DFT_H
#define GFMUL_ODD_DFT_H

/* The largest radix: the size of a union of arrays, one for each. */
union odd_radices {
#define ODD_RADIX(radix, ...) char of_##radix[radix];
#include "plan/odd_factors.def"
};
enum { ODD_RADIX_MAX = sizeof(union odd_radices), ODD_INNER_MAX = 3, ODD_OUTER_MAX = 7 }; /* the DFTs of odd_inner */

/* sign times v; sign, 1, -1 or 0, is a compile-time constant, and for 0 v is not read. */
struct part {
    vec v;
    int sign;
};

STAGE_INLINE struct part part_of(vec v)
{
    return (struct part){v, 1};
}

STAGE_INLINE struct part part_neg(struct part a)
{
    a.sign = -a.sign;
    return a;
}

STAGE_INLINE vec part_value(struct part a)
{
    return a.sign == 0 ? vec_set1(0.0) : a.sign < 0 ? vec_neg(a.v) : a.v;
}

STAGE_INLINE struct part part_add(struct part a, struct part b)
{
    if (a.sign == 0 || b.sign == 0)
        return a.sign == 0 ? b : a;
    if (a.sign == b.sign)
        return (struct part){vec_add(a.v, b.v), a.sign};
    return (struct part){a.sign > 0 ? vec_sub(a.v, b.v) : vec_sub(b.v, a.v), 1};
}

STAGE_INLINE struct part part_sub(struct part a, struct part b)
{
    return part_add(a, part_neg(b));
}

STAGE_INLINE struct part part_mul(vec k, struct part x)
{
    if (x.sign != 0)
        x.v = vec_mul(k, x.v);
    return x;
}

/* k x + c */
STAGE_INLINE struct part part_fma(vec k, struct part x, struct part c)
{
    if (x.sign == 0 || c.sign == 0)
        return x.sign == 0 ? c : part_mul(k, x);
    if (x.sign == c.sign)
        return (struct part){vec_fma(k, x.v, c.v), c.sign};
    return (struct part){c.sign > 0 ? vec_fnma(k, x.v, c.v) : vec_fms(k, x.v, c.v), 1};
}

/* c - k x */
STAGE_INLINE struct part part_fnma(vec k, struct part x, struct part c)
{
    return part_fma(k, part_neg(x), c);
}

/* k x - c */
STAGE_INLINE struct part part_fms(vec k, struct part x, struct part c)
{
    return part_fma(k, x, part_neg(c));
}

/* turn - (r, i) <- (r, i) i^s. */
STAGE_INLINE void turn(unsigned s, struct part *r, struct part *i)
{
    const struct part x = *r, y = *i;
    *r = s % 4 == 0 ? x : s % 4 == 1 ? part_neg(y) : s % 4 == 2 ? part_neg(x) : y;
    *i = s % 4 == 0 ? y : s % 4 == 1 ? x : s % 4 == 2 ? part_neg(y) : part_neg(x);
}

/* dft3 - r, i <- sum_s (r + i i)_s e(sign s t / 3), in natural order.   Source: [Nus82] small DFTs. */
STAGE_INLINE void dft3(struct part *r, struct part *i, double sign)
{
    const vec sin60 = vec_set1(sign * 0.86602540378443864676), half = vec_set1(-0.5);
    struct part sr = part_add(r[1], r[2]), dr = part_sub(r[1], r[2]), si = part_add(i[1], i[2]), di = part_sub(i[1], i[2]);
    struct part mr = part_fma(half, sr, r[0]), mi = part_fma(half, si, i[0]);
    r[0] = part_add(r[0], sr);
    i[0] = part_add(i[0], si);
    r[1] = part_fnma(sin60, di, mr);
    i[1] = part_fma(sin60, dr, mi);
    r[2] = part_fma(sin60, di, mr);
    i[2] = part_fnma(sin60, dr, mi);
}

/* dft5 - likewise for 5. */
STAGE_INLINE void dft5(struct part *r, struct part *i, double sign)
{
    const vec cos72 = vec_set1(0.30901699437494742410), cos144 = vec_set1(-0.80901699437494742410);
    const vec sin72 = vec_set1(sign * 0.95105651629515357212), sin36 = vec_set1(sign * 0.58778525229247312917);
    struct part s1r = part_add(r[1], r[4]), d1r = part_sub(r[1], r[4]), s2r = part_add(r[2], r[3]), d2r = part_sub(r[2], r[3]);
    struct part s1i = part_add(i[1], i[4]), d1i = part_sub(i[1], i[4]), s2i = part_add(i[2], i[3]), d2i = part_sub(i[2], i[3]);
    struct part a1r = part_fma(cos72, s1r, part_fma(cos144, s2r, r[0])), a2r = part_fma(cos144, s1r, part_fma(cos72, s2r, r[0]));
    struct part a1i = part_fma(cos72, s1i, part_fma(cos144, s2i, i[0])), a2i = part_fma(cos144, s1i, part_fma(cos72, s2i, i[0]));
    struct part p1r = part_fma(sin72, d1r, part_mul(sin36, d2r)), p2r = part_fms(sin36, d1r, part_mul(sin72, d2r));
    struct part p1i = part_fma(sin72, d1i, part_mul(sin36, d2i)), p2i = part_fms(sin36, d1i, part_mul(sin72, d2i));
    r[0] = part_add(r[0], part_add(s1r, s2r));
    i[0] = part_add(i[0], part_add(s1i, s2i));
    r[1] = part_sub(a1r, p1i);
    i[1] = part_add(a1i, p1r);
    r[4] = part_add(a1r, p1i);
    i[4] = part_sub(a1i, p1r);
    r[2] = part_sub(a2r, p2i);
    i[2] = part_add(a2i, p2r);
    r[3] = part_add(a2r, p2i);
    i[3] = part_sub(a2i, p2r);
}

/* dft7 - likewise for 7. */
STAGE_INLINE void dft7(struct part *r, struct part *i, double sign)
{
    const vec c1 = vec_set1(0.62348980185873353053), c2 = vec_set1(-0.22252093395631440429);
    const vec c3 = vec_set1(-0.90096886790241912624), k1 = vec_set1(sign * 0.78183148246802980871);
    const vec k2 = vec_set1(sign * 0.97492791218182360702), k3 = vec_set1(sign * 0.43388373911755812048);
    struct part s1r = part_add(r[1], r[6]), d1r = part_sub(r[1], r[6]), s1i = part_add(i[1], i[6]), d1i = part_sub(i[1], i[6]);
    struct part s2r = part_add(r[2], r[5]), d2r = part_sub(r[2], r[5]), s2i = part_add(i[2], i[5]), d2i = part_sub(i[2], i[5]);
    struct part s3r = part_add(r[3], r[4]), d3r = part_sub(r[3], r[4]), s3i = part_add(i[3], i[4]), d3i = part_sub(i[3], i[4]);
    struct part a1r = part_fma(c1, s1r, part_fma(c2, s2r, part_fma(c3, s3r, r[0])));
    struct part a1i = part_fma(c1, s1i, part_fma(c2, s2i, part_fma(c3, s3i, i[0])));
    struct part a2r = part_fma(c2, s1r, part_fma(c3, s2r, part_fma(c1, s3r, r[0])));
    struct part a2i = part_fma(c2, s1i, part_fma(c3, s2i, part_fma(c1, s3i, i[0])));
    struct part a3r = part_fma(c3, s1r, part_fma(c1, s2r, part_fma(c2, s3r, r[0])));
    struct part a3i = part_fma(c3, s1i, part_fma(c1, s2i, part_fma(c2, s3i, i[0])));
    struct part p1r = part_fma(k1, d1r, part_fma(k2, d2r, part_mul(k3, d3r)));
    struct part p1i = part_fma(k1, d1i, part_fma(k2, d2i, part_mul(k3, d3i)));
    struct part p2r = part_fma(k2, d1r, part_fnma(k3, d2r, part_mul(vec_neg(k1), d3r)));
    struct part p2i = part_fma(k2, d1i, part_fnma(k3, d2i, part_mul(vec_neg(k1), d3i)));
    struct part p3r = part_fma(k3, d1r, part_fnma(k1, d2r, part_mul(k2, d3r)));
    struct part p3i = part_fma(k3, d1i, part_fnma(k1, d2i, part_mul(k2, d3i)));
    r[0] = part_add(r[0], part_add(part_add(s1r, s2r), s3r));
    i[0] = part_add(i[0], part_add(part_add(s1i, s2i), s3i));
    r[1] = part_sub(a1r, p1i);
    i[1] = part_add(a1i, p1r);
    r[6] = part_add(a1r, p1i);
    i[6] = part_sub(a1i, p1r);
    r[2] = part_sub(a2r, p2i);
    i[2] = part_add(a2i, p2r);
    r[5] = part_add(a2r, p2i);
    i[5] = part_sub(a2i, p2r);
    r[3] = part_sub(a3r, p3i);
    i[3] = part_add(a3i, p3r);
    r[4] = part_add(a3r, p3i);
    i[4] = part_sub(a3i, p3r);
}

/* dft_prime - one of the three. */
STAGE_INLINE void dft_prime(unsigned radix, struct part *r, struct part *i, double sign)
{
    if (radix == 3)
        dft3(r, i, sign);
    else if (radix == 5)
        dft5(r, i, sign);
    else if (radix == 7)
        dft7(r, i, sign);
}

/*
 * DFTs of 9 and 15 points: DFTs of 3 over a, then of radix / 3 over b, on the inputs s(a, b) and to the outputs k(a, c).
 * 9 = 3 * 3 takes e(a b / 9) in between; 15 = 3 * 5 does without, by the residues of k.  Other radices are one DFT over b.
 * Source: [CT65] and [Good58].
 */
STAGE_INLINE unsigned odd_inner(unsigned radix)
{
    return radix == 9 || radix == 15 ? 3 : 1;
}
STAGE_INLINE unsigned odd_input(unsigned radix, unsigned a, unsigned b)
{
    return radix == 15 ? (5 * a + 3 * b) % 15 : radix == 9 ? 3 * a + b : b;
}
STAGE_INLINE unsigned odd_output(unsigned radix, unsigned a, unsigned c)
{
    return radix == 15 ? (10 * a + 6 * c) % 15 : radix == 9 ? a + 3 * c : c;
}

/* odd_middle - what stands between the two layers: e(sign a b / 9) for radix 9. */
STAGE_INLINE void odd_middle(unsigned radix, unsigned a, unsigned b, struct part *r, struct part *i, double sign)
{
    if (radix != 9 || a * b == 0)
        return;
    const double c = a * b == 1 ? 0.76604444311897803520 : a * b == 2 ? 0.17364817766693034885 : -0.93969262078590838405;
    const double s = a * b == 1 ? 0.64278760968653932632 : a * b == 2 ? 0.98480775301220805937 : 0.34202014332566873304;
    const struct part x = *r, y = *i;
    const vec vc = vec_set1(c), vs = vec_set1(sign * s);
    *r = part_fms(vc, x, part_mul(vs, y));
    *i = part_fma(vs, x, part_mul(vc, y));
}

#endif
