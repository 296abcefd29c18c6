/*
 * twiddle_table.cl - the twiddle tables of a pass, rounded from double-double.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Entry i of node b is e(theta_b / 2^shift + offset / den), den = 4 odd 2^den_bits.  Its angle is an integer X over den below
 * 2^40, written as four digits of 10 bits: the product of four roots from short tables, made on the host.
 * Node b at depth s: t = b >> s, k = its last s bits; theta_b = (branch_angle(t) / (4 odd) + reversed(k)) / 2^s.
 *
 * ND-range:  at least n_nodes * n_entries items.
 *   table    out  [node][entry]: c, tau where ratio, else re, im
 *   roots    in   4 * 1024 roots e(d 2^(10 i) / den), each re, its rest, im, its rest
 *   offsets  in   n_entries offsets;    shifts  in  n_entries: shift, plus 64 where ratio; a shift of 63: no theta
 *   depth    in   s;   branch_first  in  u * odd, the angle of branch 0 over 4 odd (kernels/fft_radix.cl)
 * Value:     each part off by half a unit in its last place and less than 2^-97.   Source: doc/error-bound.md, sections 3 and 4.
 */
#include "prelude.cl"

typedef struct {
    double hi, lo;
} dd;

INLINE dd dd_quick_sum(double a, double b) /* |a| >= |b| */
{
    const double s = a + b;
    const dd r = {s, b - (s - a)};
    return r;
}

INLINE dd dd_add(dd a, dd b)
{
    const double s = a.hi + b.hi, z = s - a.hi, e = (a.hi - (s - z)) + (b.hi - z);
    return dd_quick_sum(s, e + a.lo + b.lo);
}

INLINE dd dd_mul(dd a, dd b, double sign)
{
    const double p = a.hi * b.hi, e = fma(a.hi, b.hi, -p);
    const dd r = dd_quick_sum(p, e + (a.hi * b.lo + a.lo * b.hi));
    const dd signed_r = {sign * r.hi, sign * r.lo};
    return signed_r;
}

typedef struct {
    dd re, im;
} dd_complex;

INLINE dd_complex dd_complex_mul(dd_complex a, dd_complex b)
{
    dd_complex r;
    r.re = dd_add(dd_mul(a.re, b.re, 1.0), dd_mul(a.im, b.im, -1.0));
    r.im = dd_add(dd_mul(a.re, b.im, 1.0), dd_mul(a.im, b.re, 1.0));
    return r;
}

INLINE dd_complex root_at(__global const double4 *roots, ulong at)
{
    const double4 v = roots[at];
    const dd_complex r = {{v.x, v.y}, {v.z, v.w}};
    return r;
}

__kernel void twiddle_table(__global twiddle *restrict table, __global const double4 *restrict roots,
                            __global const ulong *restrict offsets, __global const uint *restrict shifts, ulong n_nodes,
                            uint n_entries, uint depth, uint odd, uint branch_first, uint den_bits)
{
    const ulong id = get_global_id(0), b = id / n_entries;
    const uint entry = (uint)(id - b * n_entries);
    if (b >= n_nodes)
        return;
    const uint shift = shifts[entry] & 63, ratio = shifts[entry] >> 6;
    ulong x = offsets[entry];
    if (shift != 63) {
        const ulong t = b >> depth, k = b - (t << depth), branch = (branch_first + 4 * t) % (4 * odd);
        ulong reversed = 0;
        for (uint bit = 0; bit < depth; bit++)
            reversed |= (k >> bit & 1) << (depth - 1 - bit);
        x += (branch + reversed * 4 * odd) << (den_bits - depth - shift);
    }
    x %= (ulong)(4 * odd) << den_bits;

    dd_complex w = root_at(roots, x & 1023);
    w = dd_complex_mul(w, root_at(roots, 1024 + (x >> 10 & 1023)));
    w = dd_complex_mul(w, root_at(roots, 2048 + (x >> 20 & 1023)));
    w = dd_complex_mul(w, root_at(roots, 3072 + (x >> 30 & 1023)));
    if (ratio) {
        const double c = w.re.hi, tau = w.im.hi / c;
        table[id] = (twiddle)(c, tau + ((fma(-tau, c, w.im.hi) + w.im.lo) / c));
    } else {
        table[id] = (twiddle)(w.re.hi, w.im.hi);
    }
}
