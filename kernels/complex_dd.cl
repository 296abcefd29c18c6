/*
 * complex_dd.cl - points of double-double parts and the steps of the tree on them: what fft_radix.cl has for doubles.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A double-double is an unevaluated sum of two doubles, |rest| <= u |first|, u = 2^-53.  Twiddles are re and im.
 * Errors are in units of u^2 = 2^-106 and proved in doc/error-bound.md, sections 18.4 and 19.
 *
 * Operations: a sum of two double-doubles 20, of points 40; a product of points 38; a radix-2 step 118, a radix-4 step 434.  Of
 * digits: a radix-2 step 54 (real digits 26), a radix-4 step 362 (290), radix 3 66 instead of 260.
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

/* digit_sum - a + b, integers below 2^52 or halves of some: exact. */
INLINE fp digit_sum(fp a, fp b)
{
    return a + b;
}

/* dd_dot_doubles - the same where b and d are doubles; error 6 (|a b| + |c d|) + |a b + c d|. */
INLINE dd dd_dot_doubles(dd a, fp b, dd c, fp d)
{
    const fp p = a.x * b, q = c.x * d;
    const fp rest_p = fma(a.y, b, fma(a.x, b, -p)), rest_q = fma(c.y, d, fma(c.x, d, -q));
    const dd s = dd_two_sum(p, q);
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

/* What is known of a node's points: imaginary parts are zero, all points of the upper half are, or they are digits. */
enum { ANY_POINTS, REAL_POINTS, LOWER_POINTS, DIGITS, REAL_DIGITS };

/*
 * Digits are integers of at most 46 bits in either part, with rests of zero, so that a sum of some of them is exact.  Only the
 * root has them, whose first twiddle is e(1/8) = c (1 + i).   known: DIGITS, or REAL_DIGITS, whose imaginary parts are zero.
 */

/* digits_eighth - e(1/8) p, c the twiddle's part. */
INLINE point digits_eighth(point p, dd c, const int known)
{
    const dd re = dd_mul_double(c, known == REAL_DIGITS ? p.x : digit_sum(p.x, -p.z));
    return (point)(re, known == REAL_DIGITS ? re : dd_mul_double(c, digit_sum(p.x, p.z)));
}

/* digits_mul - p w. */
INLINE point digits_mul(point p, twiddle w, const int known)
{
    if (known == REAL_DIGITS)
        return (point)(dd_mul_double(w.xy, p.x), dd_mul_double(w.zw, p.x));
    return (point)(dd_dot_doubles(w.xy, p.x, w.zw, -p.z), dd_dot_doubles(w.zw, p.x, w.xy, p.z));
}

/* digits_add - t + p, p digits. */
INLINE point digits_add(point t, point p, const int known)
{
    return (point)(dd_add_double(t.xy, p.x), known == REAL_DIGITS ? t.zw : dd_add_double(t.zw, p.z));
}

/* split_digits - split of the root on digits. */
INLINE void split_digits(point *a, point *b, twiddle w, const int known)
{
    const point p = *a, t = digits_eighth(*b, w.xy, known);
    *a = digits_add(t, p, known);
    *b = digits_add(-t, p, known);
}

/*
 * split_4 - two levels in one, with three products for four points: w[0] = e(theta / 2), w[1] = e(theta / 4), w[2] = e(3 theta /
 * 4).
 */
INLINE void split_4(point *x, const twiddle *w, const int form, const int known)
{
    point a = x[0], b = x[2], t1, t2;
    if (known >= DIGITS) {
        split_digits(&a, &b, w[0], known);
        t1 = digits_mul(x[1], w[1], known);
        t2 = digits_mul(x[3], w[2], known);
    } else {
        point t[3]; /* of x[2], x[1], x[3] */
        UNROLL for (int j = 0; j < 3; j++)
        {
            const point p = x[j == 0 ? 2 : j == 1 ? 1 : 3];
            t[j] = known == REAL_POINTS ? (point)(dd_mul_double(w[j].xy, p.x), dd_mul_double(w[j].zw, p.x))
                                        : complex_mul(p, w[j]);
        }
        a = point_sum(x[0], t[0]);
        b = point_difference(x[0], t[0]);
        t1 = t[1];
        t2 = t[2];
    }
    const point c = point_sum(t1, t2), d = times_i(point_difference(t1, t2), 1);
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
 * added.   digits: whether the points are digits, not all points of the result are.
 */
INLINE point odd_sum(point a, point b, const int digits)
{
    return digits ? POINT(digit_sum(a.x, b.x), digit_sum(a.z, b.z)) : point_sum(a, b);
}

INLINE point odd_difference(point a, point b, const int digits)
{
    return digits ? POINT(digit_sum(a.x, -b.x), digit_sum(a.z, -b.z)) : point_difference(a, b);
}

INLINE point scaled(dd c, point v) /* c v */
{
    return (point)(dd_mul(v.xy, c), dd_mul(v.zw, c));
}

INLINE point odd_scaled(dd c, point v, const int digits)
{
    return digits ? (point)(dd_mul_double(c, v.x), dd_mul_double(c, v.z)) : scaled(c, v);
}

INLINE point odd_begin(point r, dd c, point v, const int digits) /* r + c v, r as v */
{
    const point t = odd_scaled(c, v, digits);
    return digits ? digits_add(t, r, DIGITS) : point_sum(r, t);
}

INLINE point chain(point sum, dd c, point v, const int digits) /* sum + c v */
{
    return point_sum(sum, odd_scaled(c, v, digits));
}

/* pair - re +- sign i im. */
INLINE void pair(point *plus, point *minus, point re, fp sign, point im)
{
    const point t = times_i(sign * im, 1);
    *plus = point_sum(re, t);
    *minus = point_difference(re, t);
}

INLINE void dft_3_of(point *x, const fp sign, const int digits)
{
    const dd h = CONSTANT(0x1.bb67ae8584caap-1, 0x1.cec95d0b5c1e3p-55); /* sin 60 degrees */
    const point s = odd_sum(x[1], x[2], digits), d = odd_difference(x[1], x[2], digits);
    const point m = odd_sum(x[0], -0.5 * s, digits), t = times_i(sign * odd_scaled(h, d, digits), 1);
    x[0] = odd_sum(x[0], s, digits);
    x[1] = digits ? digits_add(t, m, DIGITS) : point_sum(m, t);
    x[2] = digits ? digits_add(-t, m, DIGITS) : point_difference(m, t);
}

INLINE void dft_5_of(point *x, const fp sign, const int digits)
{
    const dd c1 = CONSTANT(0x1.3c6ef372fe950p-2, -0x1.f506319fcfd19p-56);
    const dd c2 = CONSTANT(-0x1.9e3779b97f4a8p-1, 0x1.f506319fcfd19p-56);
    const dd k1 = CONSTANT(0x1.e6f0e134454ffp-1, 0x1.798ddb868c354p-55);
    const dd k2 = CONSTANT(0x1.2cf2304755a5ep-1, -0x1.24bd9a522ca0dp-57);
    const point s1 = odd_sum(x[1], x[4], digits), d1 = odd_difference(x[1], x[4], digits);
    const point s2 = odd_sum(x[2], x[3], digits), d2 = odd_difference(x[2], x[3], digits), r = x[0];
    x[0] = odd_sum(r, odd_sum(s1, s2, digits), digits);
    pair(x + 1, x + 4, chain(odd_begin(r, c2, s2, digits), c1, s1, digits), sign,
         chain(odd_scaled(k2, d2, digits), k1, d1, digits));
    pair(x + 2, x + 3, chain(odd_begin(r, c1, s2, digits), c2, s1, digits), sign,
         chain(odd_scaled(-k1, d2, digits), k2, d1, digits));
}

INLINE void dft_7_of(point *x, const fp sign, const int digits)
{
    const dd c1 = CONSTANT(0x1.3f3a0e28bedd1p-1, 0x1.b2fbc2cf229dcp-55);
    const dd c2 = CONSTANT(-0x1.c7b90e3024582p-3, -0x1.a50bf75360795p-57);
    const dd c3 = CONSTANT(-0x1.cd4bca9cb5c71p-1, 0x1.6c8e760b6b012p-56);
    const dd k1 = CONSTANT(0x1.904c37505de4bp-1, 0x1.766b339d009ffp-58);
    const dd k2 = CONSTANT(0x1.f329c0558e969p-1, -0x1.c6ab5b10ae22ap-57);
    const dd k3 = CONSTANT(0x1.bc4c04d71abc1p-2, 0x1.5dcb6bd934eb2p-64);
    const point s1 = odd_sum(x[1], x[6], digits), d1 = odd_difference(x[1], x[6], digits);
    const point s2 = odd_sum(x[2], x[5], digits), d2 = odd_difference(x[2], x[5], digits);
    const point s3 = odd_sum(x[3], x[4], digits), d3 = odd_difference(x[3], x[4], digits), r = x[0];
    x[0] = odd_sum(r, odd_sum(odd_sum(s1, s2, digits), s3, digits), digits);
    pair(x + 1, x + 6, chain(chain(odd_begin(r, c3, s3, digits), c2, s2, digits), c1, s1, digits), sign,
         chain(chain(odd_scaled(k3, d3, digits), k2, d2, digits), k1, d1, digits));
    pair(x + 2, x + 5, chain(chain(odd_begin(r, c1, s3, digits), c3, s2, digits), c2, s1, digits), sign,
         chain(chain(odd_scaled(-k1, d3, digits), -k3, d2, digits), k2, d1, digits));
    pair(x + 3, x + 4, chain(chain(odd_begin(r, c2, s3, digits), c1, s2, digits), c3, s1, digits), sign,
         chain(chain(odd_scaled(k2, d3, digits), -k1, d2, digits), k3, d1, digits));
}

INLINE void dft_3(point *x, const fp sign)
{
    dft_3_of(x, sign, 0);
}

INLINE void dft_5(point *x, const fp sign)
{
    dft_5_of(x, sign, 0);
}

INLINE void dft_7(point *x, const fp sign)
{
    dft_7_of(x, sign, 0);
}

/* digits_dft - dft_3, dft_5 or dft_7 of digits, forwards. */
INLINE void digits_dft(point *x, const int radix)
{
    if (radix == 3)
        dft_3_of(x, 1.0, 1);
    else if (radix == 5)
        dft_5_of(x, 1.0, 1);
    else
        dft_7_of(x, 1.0, 1);
}
#endif
