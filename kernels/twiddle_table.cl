/*
 * twiddle_table.cl - the twiddle tables of a pass, rounded from sums of three doubles.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Entry i of node b is e(times theta_b / 2^shift + offset / den), den = 4 odd 2^den_bits.  Its angle is an integer X over den
 * below 2^(ROOT_BITS ROOT_DIGITS), written as ROOT_DIGITS digits of ROOT_BITS bits: the product of as many roots from short
 * tables, made on the host.
 * Node b at depth s: t = b >> s, k = its last s bits; theta_b = ((branch_first + 4 t) mod (4 odd) / (4 odd) + reversed(k)) / 2^s.
 *
 * ND-range:  at least of.n_nodes * of.n_entries items.
 *   table    out  [node][entry]: c, tau where ratio, else re, im; DOUBLE_DOUBLE: re, its rest, im, its rest
 *   roots    in   ROOT_DIGITS * 2^ROOT_BITS roots e(d 2^(ROOT_BITS i) / den), d < 2^ROOT_BITS, each three doubles of re, three
 *                 of im (lib/plan/root_table.h)
 *   offsets  in   n_entries offsets;    shifts  in  n_entries: shift (63: no theta), plus 64 where ratio, plus 128 times
 *   of       in   arguments.h; depth: s; branch_first: u * odd, the angle of branch 0 over 4 odd (device_branch_angle)
 * Value:     each part off by half a unit in its last place and less than 2^-144.
 * Source:    doc/error-bound.md, sections 3, 4 and 18.4.
 */
#include "arguments.h"
#include "prelude.cl"

#if !defined ROOT_BITS || !defined ROOT_DIGITS
#error twiddle_table.cl needs ROOT_BITS and ROOT_DIGITS
#endif

typedef struct {
    fp a, b, c; /* their sum, largest first */
} triple;

typedef struct {
    triple re, im;
} wide_complex;

INLINE fp2 two_sum(fp a, fp b) /* exact */
{
    const fp s = a + b, z = s - a;
    return (fp2)(s, (a - (s - z)) + (b - z));
}

/* triple_add - t += x. */
INLINE void triple_add(triple *t, fp x)
{
    const fp2 s = two_sum(t->a, x), r = two_sum(t->b, s.y);
    t->a = s.x;
    t->b = r.x;
    t->c += r.y;
}

/* triple_add_product - t += sign x y. */
INLINE void triple_add_product(triple *t, triple x, triple y, fp sign)
{
    const fp aa = x.a * y.a, ab = x.a * y.b, ba = x.b * y.a;
    triple_add(t, sign * aa);
    triple_add(t, sign * fma(x.a, y.a, -aa));
    triple_add(t, sign * ab);
    triple_add(t, sign * ba);
    t->c += sign * (fma(x.a, y.b, -ab) + fma(x.b, y.a, -ba) + (x.a * y.c + x.b * y.b + x.c * y.a));
}

/* triple_settle - the same sum: a the double next to it, b the one next to what is left, but for its last bit. */
INLINE triple triple_settle(triple t)
{
    const fp2 s = two_sum(t.a, t.b), r = two_sum(s.y, t.c), v = two_sum(s.x, r.x);
    const triple settled = {v.x, v.y, r.y};
    return settled;
}

INLINE wide_complex wide_mul(wide_complex x, wide_complex y)
{
    wide_complex w = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    triple_add_product(&w.re, x.re, y.re, 1.0);
    triple_add_product(&w.re, x.im, y.im, -1.0);
    triple_add_product(&w.im, x.re, y.im, 1.0);
    triple_add_product(&w.im, x.im, y.re, 1.0);
    w.re = triple_settle(w.re);
    w.im = triple_settle(w.im);
    return w;
}

INLINE wide_complex root_at(__global const fp *roots, ulong at)
{
    __global const fp *v = roots + 6 * at;
    const wide_complex w = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    return w;
}

__kernel void twiddle_table(__global twiddle *restrict table, __global const fp *restrict roots,
                            __global const ulong *restrict offsets, __global const uint *restrict shifts,
                            const struct twiddle_table_arguments of)
{
    const ulong id = get_global_id(0), b = id / of.n_entries;
    const uint entry = (uint)(id - b * of.n_entries), depth = of.depth, odd = of.odd;
    if (b >= of.n_nodes)
        return;
    const uint shift = shifts[entry] & 63, ratio = shifts[entry] >> 6 & 1, times = shifts[entry] >> 7;
    ulong x = offsets[entry];
    if (shift != 63) {
        const ulong t = b >> depth, k = b - (t << depth), branch = (of.branch_first + 4 * t) % (4 * odd);
        ulong reversed = 0;
        for (uint bit = 0; bit < depth; bit++)
            reversed |= (k >> bit & 1) << (depth - 1 - bit);
        x += times * ((branch + reversed * 4 * odd) << (of.den_bits - depth - shift));
    }
    x %= (ulong)(4 * odd) << of.den_bits;

    const ulong count = (ulong)1 << ROOT_BITS;
    wide_complex w = root_at(roots, x & (count - 1));
    UNROLL for (uint i = 1; i < ROOT_DIGITS; i++)
        w = wide_mul(w, root_at(roots, i * count + (x >> ROOT_BITS * i & (count - 1))));
#if DOUBLE_DOUBLE
    table[id] = (twiddle)(w.re.a, w.re.b, w.im.a, w.im.b);
#else
    if (ratio) {
        /* re is 0, but for rounding, only if w = i: doc/error-bound.md, section 4 */
        const fp c = fabs(w.re.a) < 0x1p-100 ? 0x1p-600 : w.re.a, tau = w.im.a / c;
        table[id] = (twiddle)(c, tau + ((fma(-tau, c, w.im.a) + w.im.b) / c));
    } else {
        table[id] = (twiddle)(w.re.a, w.im.a);
    }
#endif
}
