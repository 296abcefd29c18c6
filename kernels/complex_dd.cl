/*
 * complex_dd.cl - points of double-double parts and the steps of the tree on them: what fft_radix.cl has for doubles.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A double-double is an unevaluated sum of two doubles, |rest| <= u |first|, u = 2^-53.  Twiddles are re and im.
 * Errors are in units of u^2 = 2^-106 and proved in doc/error-bound.md, sections 18.4 and 19.
 *
 * Operations: a sum of two double-doubles 20, of points 40; a product of points 38; a radix-2 step 118, a radix-4 step 434.
 * Source: [JMP17], [MR22]; [ROO08] for the last line of dd_dot.
 */
#ifndef COMPLEX_DD_CL
#define COMPLEX_DD_CL

typedef fp2 dd;      /* first, rest */
typedef dd real;
typedef fp4 point;   /* re, its rest, im, its rest */
typedef fp4 twiddle;
typedef fp2 half_point; /* the unit of an exchange, if that is not one part */

#define POINT(re, im) ((point)(re, 0.0, im, 0.0)) /* from doubles */

#define CONSTANT(first, rest) ((dd)(first, rest)) /* a number as two doubles */

INLINE dd dd_quick_sum(fp a, fp b) /* |a| >= |b|, or a a multiple of b's last place: exact */
{
    const fp s = a + b;
    return (dd)(s, b - (s - a));
}

INLINE dd dd_two_sum(fp a, fp b) /* exact */
{
    const fp s = a + b, z = s - a;
    return (dd)(s, (a - (s - z)) + (b - z));
}

/* dd_add - a + b; error 3 (+ 13 u) of the sum. */
INLINE dd dd_add(dd a, dd b)
{
    const dd s = dd_two_sum(a.x, b.x), t = dd_two_sum(a.y, b.y);
    const dd v = dd_quick_sum(s.x, s.y + t.x);
    return dd_quick_sum(v.x, t.y + v.y);
}

/* dd_add_double - the same where b is a double; error 2. */
INLINE dd dd_add_double(dd a, fp b)
{
    const dd s = dd_two_sum(a.x, b);
    return dd_quick_sum(s.x, a.y + s.y);
}

/* dd_mul - a b; error 5. */
INLINE dd dd_mul(dd a, dd b)
{
    const fp p = a.x * b.x, e = fma(a.x, b.x, -p);
    return dd_quick_sum(p, e + fma(a.y, b.x, fma(a.x, b.y, a.y * b.y)));
}

/* dd_mul_double - a b, b a double; error 2. */
INLINE dd dd_mul_double(dd a, fp b)
{
    const fp p = a.x * b, e = fma(a.x, b, -p);
    return dd_quick_sum(p, fma(a.y, b, e));
}

/* dd_dot - a b + c d; error 12 (|a b| + |c d|) + |a b + c d|: not of the sum alone, which may be small. */
INLINE dd dd_dot(dd a, dd b, dd c, dd d)
{
    const fp p = a.x * b.x, q = c.x * d.x;
    const fp rest_p = fma(a.y, b.x, fma(a.x, b.y, fma(a.x, b.x, -p)));
    const fp rest_q = fma(c.y, d.x, fma(c.x, d.y, fma(c.x, d.x, -q)));
    const dd s = dd_two_sum(p, q);
    /* where s.x is the smaller one, p and q cancelled: it is a multiple of the other's last place */
    return dd_quick_sum(s.x, (rest_p + rest_q) + s.y);
}

/* times_i - p i^turn, exact. */
INLINE point times_i(point p, const int turn)
{
    switch (turn & 3) {
    case 0: return p;
    case 1: return (point)(-p.zw, p.xy);
    case 2: return -p;
    default: return (point)(p.zw, -p.xy);
    }
}

INLINE point point_sum(point a, point b)
{
    return (point)(dd_add(a.xy, b.xy), dd_add(a.zw, b.zw));
}

INLINE point point_difference(point a, point b)
{
    return (point)(dd_add(a.xy, -b.xy), dd_add(a.zw, -b.zw));
}

/* complex_mul - a b; error 18. */
INLINE point complex_mul(point a, point b)
{
    return (point)(dd_dot(a.xy, b.xy, a.zw, -b.zw), dd_dot(a.xy, b.zw, a.zw, b.xy));
}

/* complex_mul_conj - a conj(b); error 18. */
INLINE point complex_mul_conj(point a, point b)
{
    return (point)(dd_dot(a.xy, b.xy, a.zw, b.zw), dd_dot(a.zw, b.xy, a.xy, -b.zw));
}

/* split - (a, b) -> (a + w' b, a - w' b), w' = w i^turn. */
INLINE void split(point *a, point *b, twiddle w, const int turn, const int form)
{
    const point p = *a, t = times_i(complex_mul(*b, w), turn);
    *a = point_sum(p, t);
    *b = point_difference(p, t);
}

/* split_real - the same if a and b are doubles: digits. */
INLINE void split_real(point *a, point *b, twiddle w)
{
    const fp p = a->x, q = b->x;
    const dd re = dd_mul_double(w.xy, q), im = dd_mul_double(w.zw, q);
    *a = (point)(dd_add_double(re, p), im);
    *b = (point)(dd_add_double(-re, p), -im);
}

/* join - (a, b) -> (a + b, conj(w') (a - b)): twice the inverse of split. */
INLINE void join(point *a, point *b, twiddle w, const int turn, const int form)
{
    const point p = point_difference(*a, *b);
    *a = point_sum(*a, *b);
    *b = times_i(complex_mul_conj(p, w), -turn);
}

/*
 * split_4 - two levels in one, with three products for four points: w[0] = e(theta / 2), w[1] = e(theta / 4), w[2] = e(3 theta /
 * 4).   real: the imaginary parts are zero, and the real ones doubles.
 */
INLINE void split_4(point *x, const twiddle *w, const int form, const int real)
{
    point t[3]; /* of x[2], x[1], x[3] */
    UNROLL for (int j = 0; j < 3; j++)
    {
        const point p = x[j == 0 ? 2 : j == 1 ? 1 : 3];
        t[j] = real ? (point)(dd_mul_double(w[j].xy, p.x), dd_mul_double(w[j].zw, p.x)) : complex_mul(p, w[j]);
    }
    const point a = point_sum(x[0], t[0]), b = point_difference(x[0], t[0]);
    const point c = point_sum(t[1], t[2]), d = times_i(point_difference(t[1], t[2]), 1);
    x[0] = point_sum(a, c);
    x[1] = point_difference(a, c);
    x[2] = point_sum(b, d);
    x[3] = point_difference(b, d);
}

/* join_4 - four times the inverse of split_4. */
INLINE void join_4(point *x, const twiddle *w, const int form)
{
    const point a = point_sum(x[0], x[1]), c = point_difference(x[0], x[1]);
    const point b = point_sum(x[2], x[3]), d = times_i(point_difference(x[2], x[3]), -1);
    x[0] = point_sum(a, b);
    x[1] = complex_mul_conj(point_sum(c, d), w[1]);
    x[2] = complex_mul_conj(point_difference(a, b), w[0]);
    x[3] = complex_mul_conj(point_difference(c, d), w[2]);
}

/*
 * dft_3, dft_5, dft_7 - x[k] = sum of x[s] e(sign s k / R), in the order of fft_radix.cl; products are rounded before they are
 * added.
 */
INLINE point chain(point sum, dd c, point v) /* sum + c v */
{
    return (point)(dd_add(sum.xy, dd_mul(v.xy, c)), dd_add(sum.zw, dd_mul(v.zw, c)));
}

INLINE point scaled(dd c, point v) /* c v */
{
    return (point)(dd_mul(v.xy, c), dd_mul(v.zw, c));
}

/* pair - re +- sign i im. */
INLINE void pair(point *plus, point *minus, point re, fp sign, point im)
{
    const point t = times_i(sign * im, 1);
    *plus = point_sum(re, t);
    *minus = point_difference(re, t);
}

INLINE void dft_3(point *x, const fp sign)
{
    const dd h = CONSTANT(0x1.bb67ae8584caap-1, 0x1.cec95d0b5c1e3p-55); /* sin 60 degrees */
    const point s = point_sum(x[1], x[2]), d = point_difference(x[1], x[2]);
    const point m = point_sum(x[0], -0.5 * s);
    x[0] = point_sum(x[0], s);
    pair(x + 1, x + 2, m, sign, scaled(h, d));
}

INLINE void dft_5(point *x, const fp sign)
{
    const dd c1 = CONSTANT(0x1.3c6ef372fe950p-2, -0x1.f506319fcfd19p-56);
    const dd c2 = CONSTANT(-0x1.9e3779b97f4a8p-1, 0x1.f506319fcfd19p-56);
    const dd k1 = CONSTANT(0x1.e6f0e134454ffp-1, 0x1.798ddb868c354p-55);
    const dd k2 = CONSTANT(0x1.2cf2304755a5ep-1, -0x1.24bd9a522ca0dp-57);
    const point s1 = point_sum(x[1], x[4]), d1 = point_difference(x[1], x[4]);
    const point s2 = point_sum(x[2], x[3]), d2 = point_difference(x[2], x[3]), r = x[0];
    x[0] = point_sum(r, point_sum(s1, s2));
    pair(x + 1, x + 4, chain(chain(r, c2, s2), c1, s1), sign, chain(scaled(k2, d2), k1, d1));
    pair(x + 2, x + 3, chain(chain(r, c1, s2), c2, s1), sign, chain(scaled(-k1, d2), k2, d1));
}

INLINE void dft_7(point *x, const fp sign)
{
    const dd c1 = CONSTANT(0x1.3f3a0e28bedd1p-1, 0x1.b2fbc2cf229dcp-55);
    const dd c2 = CONSTANT(-0x1.c7b90e3024582p-3, -0x1.a50bf75360795p-57);
    const dd c3 = CONSTANT(-0x1.cd4bca9cb5c71p-1, 0x1.6c8e760b6b012p-56);
    const dd k1 = CONSTANT(0x1.904c37505de4bp-1, 0x1.766b339d009ffp-58);
    const dd k2 = CONSTANT(0x1.f329c0558e969p-1, -0x1.c6ab5b10ae22ap-57);
    const dd k3 = CONSTANT(0x1.bc4c04d71abc1p-2, 0x1.5dcb6bd934eb2p-64);
    const point s1 = point_sum(x[1], x[6]), d1 = point_difference(x[1], x[6]);
    const point s2 = point_sum(x[2], x[5]), d2 = point_difference(x[2], x[5]);
    const point s3 = point_sum(x[3], x[4]), d3 = point_difference(x[3], x[4]), r = x[0];
    x[0] = point_sum(r, point_sum(point_sum(s1, s2), s3));
    pair(x + 1, x + 6, chain(chain(chain(r, c3, s3), c2, s2), c1, s1), sign, chain(chain(scaled(k3, d3), k2, d2), k1, d1));
    pair(x + 2, x + 5, chain(chain(chain(r, c1, s3), c3, s2), c2, s1), sign, chain(chain(scaled(-k1, d3), -k3, d2), k2, d1));
    pair(x + 3, x + 4, chain(chain(chain(r, c2, s3), c1, s2), c3, s1), sign, chain(chain(scaled(k2, d3), -k1, d2), k3, d1));
}
#endif
