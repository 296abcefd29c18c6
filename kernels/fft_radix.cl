/*
 * fft_radix.cl - the butterflies: one node of the tree split into its children, and joined again.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A node x^m - e(theta) has the children x^(m/2) -+ w, w = e(theta / 2):  (a, b) -> (a + w b, a - w b).  A radix 4, 8 or 16 is
 * two to four of these levels, nested; the values come out in the order of the tree.  Its twiddles, theta in [0, 1):
 *
 *     w[0]           e(theta / 2)
 *     w[1]           e(theta / 4)                                  and i w[1]
 *     w[2], w[3]     e(theta / 8), e(theta / 8 - 1/8)              and i w[2], i w[3], -w[3]
 *     w[4] .. w[7]   e(theta / 16 + t), t = 0, -1/8, 1/16, -1/16   and their products with i, -1
 *
 * Child k of a node on level v >= 1 takes w[2^(v-1) + k / 2] i^turn, turn = k % 2 + k / 2 % 2.
 *
 * Operations of a radix-2 step: 6 fma forwards; 4 additions, 2 fma, 2 multiplications backwards.
 * Source: doc/error-bound.md, sections 4, 5 and 18.
 */
#ifndef FFT_RADIX_CL
#define FFT_RADIX_CL
#include "prelude.cl"

#if !DOUBLE_DOUBLE /* else these are in complex_dd.cl */
/* split - (a, b) -> (a + w' b, a - w' b), w' = w i^turn. */
INLINE void split(point *a, point *b, twiddle w, const int turn, const int form)
{
    const point p = *a;
    if (form == RATIO) {
        const point t = times_i((point)(fma(-w.y, b->y, b->x), fma(w.y, b->x, b->y)), turn);
        *a = (point)(fma(w.x, t.x, p.x), fma(w.x, t.y, p.y));
        *b = (point)(fma(-w.x, t.x, p.x), fma(-w.x, t.y, p.y));
    } else {
        const twiddle v = times_i(w, turn);
        const point s = (point)(fma(-b->y, v.y, fma(b->x, v.x, p.x)), fma(b->y, v.x, fma(b->x, v.y, p.y)));
        *a = s;
        *b = (point)(fma(2.0, p.x, -s.x), fma(2.0, p.y, -s.y));
    }
}

/* split_real - the same if a and b are real; form RATIO. */
INLINE void split_real(point *a, point *b, twiddle w)
{
    const fp re = a->x, im = w.x * (w.y * b->x);
    *a = (point)(fma(w.x, b->x, re), im);
    *b = (point)(fma(-w.x, b->x, re), -im);
}

/* join - (a, b) -> (a + b, conj(w') (a - b)): twice the inverse of split. */
INLINE void join(point *a, point *b, twiddle w, const int turn, const int form)
{
    const point p = *a - *b;
    *a = *a + *b;
    if (form == RATIO)
        *b = times_i((point)(w.x * fma(w.y, p.y, p.x), w.x * fma(-w.y, p.x, p.y)), -turn);
    else
        *b = times_i((point)(fma(p.x, w.x, p.y * w.y), fma(p.y, w.x, -(p.x * w.y))), -turn);
}
#endif

/* Level v >= 1 of a nested radix: all its nodes, of 2 h points each, by independent steps. */
#define SPLIT_LEVEL(v, h)                                                                                                       \
    UNROLL for (int k = 0; k < 1 << (v); k++)                                                                                   \
    {                                                                                                                           \
        UNROLL for (int j = 2 * k * (h); j < (2 * k + 1) * (h); j++)                                                            \
            split(x + j, x + j + (h), w[(1 << ((v)-1)) + k / 2], k % 2 + k / 2 % 2, form);                                      \
    }
#define JOIN_LEVEL(v, h)                                                                                                        \
    UNROLL for (int k = 0; k < 1 << (v); k++)                                                                                   \
    {                                                                                                                           \
        UNROLL for (int j = 2 * k * (h); j < (2 * k + 1) * (h); j++)                                                            \
            join(x + j, x + j + (h), w[(1 << ((v)-1)) + k / 2], k % 2 + k / 2 % 2, form);                                       \
    }

#if !DOUBLE_DOUBLE
/*
 * times_leaf - p times e(theta) of leaf s of a node that a radix splits into leaves: the twiddle of the last level, up to a power
 * of i.  The operations are those of join behind its difference.
 */
INLINE point times_leaf(point p, const twiddle *w, const int radix, const int s, const int form)
{
    const int k = s / 2, turn = k % 2 + k / 2 % 2 + s % 2 * 2;
    const twiddle v = w[radix / 4 + k / 2];
    if (form == RATIO)
        return times_i((point)(v.x * fma(-v.y, p.y, p.x), v.x * fma(v.y, p.x, p.y)), turn);
    return times_i(complex_mul(v, p), turn);
}

/* What is known of a node's points: that imaginary parts are zero, or that all points of the upper half are. */
enum { ANY_POINTS, REAL_POINTS, LOWER_POINTS };
#endif

/* split_first - the first level of a nested radix of 2 h points. */
INLINE void split_first(point *x, const twiddle *w, const int h, const int form, const int known)
{
    UNROLL for (int j = 0; j < h; j++) {
#if DOUBLE_DOUBLE
        if (known >= DIGITS) {
            split_digits(x + j, x + j + h, w[0], known);
            continue;
        }
#endif
        if (known == LOWER_POINTS)
            x[j + h] = x[j];
        else if (known == REAL_POINTS)
            split_real(x + j, x + j + h, w[0]);
        else
            split(x + j, x + j + h, w[0], 0, form);
    }
}

#if !DOUBLE_DOUBLE
INLINE void split_4(point *x, const twiddle *w, const int form, const int known)
{
    split_first(x, w, 2, form, known);
    SPLIT_LEVEL(1, 1)
}
#endif

INLINE void split_8(point *x, const twiddle *w, const int form, const int known)
{
    split_first(x, w, 4, form, known);
    SPLIT_LEVEL(1, 2)
    SPLIT_LEVEL(2, 1)
}

INLINE void split_16(point *x, const twiddle *w, const int form, const int known)
{
    split_first(x, w, 8, form, known);
    SPLIT_LEVEL(1, 4)
    SPLIT_LEVEL(2, 2)
    SPLIT_LEVEL(3, 1)
}

/* join_last - the last level back of a nested radix of 2 h points: its first one forth. */
INLINE void join_last(point *x, const twiddle *w, const int h, const int form)
{
    UNROLL for (int j = 0; j < h; j++) join(x + j, x + j + h, w[0], 0, form);
}

#if !DOUBLE_DOUBLE
INLINE void join_4(point *x, const twiddle *w, const int form)
{
    JOIN_LEVEL(1, 1)
    join_last(x, w, 2, form);
}
#endif

INLINE void join_8(point *x, const twiddle *w, const int form)
{
    JOIN_LEVEL(2, 1)
    JOIN_LEVEL(1, 2)
    join_last(x, w, 4, form);
}

INLINE void join_16(point *x, const twiddle *w, const int form)
{
    JOIN_LEVEL(3, 1)
    JOIN_LEVEL(2, 2)
    JOIN_LEVEL(1, 4)
    join_last(x, w, 8, form);
}

#if !DOUBLE_DOUBLE
/*
 * dft_3, dft_5, dft_7 - x[k] = sum of x[s] e(sign s k / R).  The sums of the cosines' part and of the sines' part are chains of
 * fma, shortest first; their constants are in doc/error-bound.md, sections 15.1 to 15.3.
 */
INLINE point turned(point re, fp sign, point im) /* re + sign i im */
{
    return (point)(fma(-sign, im.y, re.x), fma(sign, im.x, re.y));
}

INLINE void dft_3(point *x, const fp sign)
{
    const fp h = sign * 0.86602540378443864676;
    const point s = x[1] + x[2], d = x[1] - x[2];
    const point m = (point)(fma(-0.5, s.x, x[0].x), fma(-0.5, s.y, x[0].y));
    x[0] = x[0] + s;
    x[1] = turned(m, h, d);
    x[2] = turned(m, -h, d);
}

INLINE point chain(point sum, fp c, point v) /* sum + c v */
{
    return (point)(fma(c, v.x, sum.x), fma(c, v.y, sum.y));
}

INLINE void dft_5(point *x, const fp sign)
{
    const fp c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;                  /* cos 72, cos 144 degrees */
    const fp k1 = sign * 0.95105651629515357212, k2 = sign * 0.58778525229247312917;     /* sin 72, sin 144 */
    const point s1 = x[1] + x[4], d1 = x[1] - x[4], s2 = x[2] + x[3], d2 = x[2] - x[3], r = x[0];
    const point a1 = chain(chain(r, c2, s2), c1, s1), a2 = chain(chain(r, c1, s2), c2, s1);
    const point p1 = chain(k2 * d2, k1, d1), p2 = chain(-k1 * d2, k2, d1);
    x[0] = r + (s1 + s2);
    x[1] = (point)(a1.x - p1.y, a1.y + p1.x);
    x[4] = (point)(a1.x + p1.y, a1.y - p1.x);
    x[2] = (point)(a2.x - p2.y, a2.y + p2.x);
    x[3] = (point)(a2.x + p2.y, a2.y - p2.x);
}

INLINE void dft_7(point *x, const fp sign)
{
    const fp c1 = 0.62348980185873353053, c2 = -0.22252093395631440429, c3 = -0.90096886790241912624;
    const fp k1 = sign * 0.78183148246802980871, k2 = sign * 0.97492791218182360702, k3 = sign * 0.43388373911755812048;
    const point s1 = x[1] + x[6], d1 = x[1] - x[6], s2 = x[2] + x[5], d2 = x[2] - x[5], s3 = x[3] + x[4], d3 = x[3] - x[4];
    const point r = x[0];
    const point a1 = chain(chain(chain(r, c3, s3), c2, s2), c1, s1), p1 = chain(chain(k3 * d3, k2, d2), k1, d1);
    const point a2 = chain(chain(chain(r, c1, s3), c3, s2), c2, s1), p2 = chain(chain(-k1 * d3, -k3, d2), k2, d1);
    const point a3 = chain(chain(chain(r, c2, s3), c1, s2), c3, s1), p3 = chain(chain(k2 * d3, -k1, d2), k3, d1);
    x[0] = r + ((s1 + s2) + s3);
    x[1] = (point)(a1.x - p1.y, a1.y + p1.x);
    x[6] = (point)(a1.x + p1.y, a1.y - p1.x);
    x[2] = (point)(a2.x - p2.y, a2.y + p2.x);
    x[5] = (point)(a2.x + p2.y, a2.y - p2.x);
    x[3] = (point)(a3.x - p3.y, a3.y + p3.x);
    x[4] = (point)(a3.x + p3.y, a3.y - p3.x);
}
#endif

/* dft_9 - 3 * 3: s = 3 a + b, k = k1 + 3 k2; products with e(sign b k1 / 9) between (section 15.4). */
INLINE void dft_9(point *x, const fp sign)
{
#if DOUBLE_DOUBLE
    const point w1 = (point)(CONSTANT(0x1.8836fa2cf5039p-1, 0x1.913ad5051e83cp-56),
                             sign * CONSTANT(0x1.491b7523c161dp-1, -0x1.518a0c6797c16p-55));
    const point w2 = (point)(CONSTANT(0x1.63a1a7e0b738ap-3, -0x1.744603e3937c7p-57),
                             sign * CONSTANT(0x1.f838b8c811c17p-1, 0x1.682ec6bde69d5p-55));
    const point w4 = (point)(CONSTANT(-0x1.e11f642522d1cp-1, 0x1.94741676559d4p-55),
                             sign * CONSTANT(0x1.5e3a8748a0bf5p-2, 0x1.7371a64afcbd6p-56));
#else
    const fp c1 = 0.76604444311897803520, c2 = 0.17364817766693034885, c4 = -0.93969262078590838405; /* cos 40, 80, 160 */
    const point w1 = (point)(c1, sign * 0.64278760968653932632), w2 = (point)(c2, sign * 0.98480775301220805937);
    const point w4 = (point)(c4, sign * 0.34202014332566873304);
#endif
    point y[3][3]; /* [b][k1] */
    UNROLL for (int b = 0; b < 3; b++)
    {
        UNROLL for (int a = 0; a < 3; a++) y[b][a] = x[3 * a + b];
        dft_3(y[b], sign);
    }
    y[1][1] = complex_mul(y[1][1], w1);
    y[1][2] = complex_mul(y[1][2], w2);
    y[2][1] = complex_mul(y[2][1], w2);
    y[2][2] = complex_mul(y[2][2], w4);
    UNROLL for (int k1 = 0; k1 < 3; k1++)
    {
        point v[3] = {y[0][k1], y[1][k1], y[2][k1]};
        dft_3(v, sign);
        UNROLL for (int k2 = 0; k2 < 3; k2++) x[k1 + 3 * k2] = v[k2];
    }
}

/* dft_15 - 3 * 5 by residues: s = 5 a + 3 b modulo 15, k = k1 modulo 3 and k2 modulo 5; nothing between (section 15.5). */
INLINE void dft_15(point *x, const fp sign)
{
    point y[3][5]; /* [k1][b] */
    UNROLL for (int b = 0; b < 5; b++)
    {
        point v[3] = {x[3 * b], x[(5 + 3 * b) % 15], x[(10 + 3 * b) % 15]};
        dft_3(v, sign);
        UNROLL for (int k1 = 0; k1 < 3; k1++) y[k1][b] = v[k1];
    }
    UNROLL for (int k1 = 0; k1 < 3; k1++)
    {
        dft_5(y[k1], sign);
        UNROLL for (int k2 = 0; k2 < 5; k2++) x[(10 * k1 + 6 * k2) % 15] = y[k1][k2];
    }
}

/*
 * The odd radices split the root x^n - i: branch k has e(theta) with theta = u/4 + k/R modulo 1, u = 1 or 3 so that u R = 1
 * modulo 4: a DFT of the streams times powers of i.  The root x^n - 1 has none of these: u = 0.
 */
#define ODD_TURN(radix) (PACKING != 3 ? 0 : (radix) % 4 == 1 ? 1 : 3)

INLINE void dft_odd(point *x, const int radix, const fp sign)
{
    if (radix == 3)
        dft_3(x, sign);
    else if (radix == 5)
        dft_5(x, sign);
    else if (radix == 7)
        dft_7(x, sign);
    else if (radix == 9)
        dft_9(x, sign);
    else
        dft_15(x, sign);
}

INLINE void split_odd(point *x, const int radix, const int known)
{
    UNROLL for (int s = 1; s < radix; s++) x[s] = times_i(x[s], s * ODD_TURN(radix));
#if DOUBLE_DOUBLE
    if (known >= DIGITS && radix <= 7) {
        digits_dft(x, radix);
        return;
    }
#endif
    dft_odd(x, radix, 1.0);
}

INLINE void join_odd(point *x, const int radix)
{
    dft_odd(x, radix, -1.0);
    UNROLL for (int s = 1; s < radix; s++) x[s] = times_i(x[s], -s * ODD_TURN(radix));
}

/* split_node - x[0 .. radix-1] of a node into its children.   known: ANY_POINTS, DIGITS, or (even radices) any other. */
INLINE void split_node(point *x, const twiddle *w, const int radix, const int form, const int known)
{
    if (radix % 2 == 1)
        split_odd(x, radix, known);
    else if (radix == 2)
        split_first(x, w, 1, form, known);
    else if (radix == 4)
        split_4(x, w, form, known);
    else if (radix == 8)
        split_8(x, w, form, known);
    else
        split_16(x, w, form, known);
}

/* join_node - children back into the node, times radix. */
INLINE void join_node(point *x, const twiddle *w, const int radix, const int form)
{
    if (radix % 2 == 1)
        join_odd(x, radix);
    else if (radix == 2)
        join_last(x, w, 1, form);
    else if (radix == 4)
        join_4(x, w, form);
    else if (radix == 8)
        join_8(x, w, form);
    else
        join_16(x, w, form);
}

#endif
