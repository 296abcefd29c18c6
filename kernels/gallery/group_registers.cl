/*
 * group_registers.cl - gallery: one work-group for a transform, a DFT of 2 to 16 points in the registers of each work-item.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  item i holds REGISTER_POINTS points, n / REGISTER_POINTS apart.  A pass is a DFT of that many points in
 *                registers (the last pass: of what is left, several of them), twiddles, and one exchange through local memory:
 *                log2(n) / log2(REGISTER_POINTS) exchanges instead of log2 n.
 * What limits:   registers, which bound the points of an item; local memory, which bounds n; twiddles read for each value.
 * Next rung:     `fourstep_ocl`, transforms longer than local memory; `auto`.
 *
 * ND-range:  n / REGISTER_POINTS items a group, one group for each transform of the batch, in dimension 1.
 *   roots  in     e(-j/n), j < n/2
 *   x      local  n points
 */
#include "gallery/gallery.cl"

#if REGISTER_POINTS != 2 && REGISTER_POINTS != 4 && REGISTER_POINTS != 8 && REGISTER_POINTS != 16
#error "REGISTER_POINTS is 2, 4, 8 or 16"
#endif

/* e(sign j / n), j < n, from a table of half the circle */
INLINE complex full_root(__global const complex *roots, uint j, uint half_n, int sign)
{
    complex w = directed(roots[j & (half_n - 1)], sign);
    return j & half_n ? -w : w;
}

/* DFT of `radix` values v[0], v[step], ..: radix-2 steps of the Stockham kind in registers; radix a constant power of two. */
INLINE void dft(complex *v, const uint radix, const uint step, int sign)
{
    complex t[16];
    for (uint s = 1; s < radix; s *= 2) { /* s: stride; radix / (2 s) values of p */
        for (uint i = 0; i < radix / 2; i++) {
            const uint q = i & (s - 1), p = i / s, to = 2 * s * p + q;
            complex a = v[i * step], b = v[(i + radix / 2) * step], d = a - b;
            const uint turn = p * s * (16 / radix); /* of sixteenths of the circle */
            const real c1 = (real)0.923879532511286756128183189396788287, s1 = (real)0.382683432365089771728459984030398867;
            const real h = (real)0.707106781186547524400844362104849039;
            const complex w[8] = {(complex)(1, 0),          (complex)(c1, sign * s1),  (complex)(h, sign * h),
                                  (complex)(s1, sign * c1), (complex)(0, sign),        (complex)(-s1, sign * c1),
                                  (complex)(-h, sign * h),  (complex)(-c1, sign * s1)};
            t[to] = a + b;
            t[to + s] = turn == 0 ? d : turn == 4 ? quarter(d, sign) : mul(d, w[turn]);
        }
        for (uint i = 0; i < radix; i++)
            v[i * step] = t[i];
    }
}

__kernel void group_registers(__global const complex *in, __global complex *out, __global const complex *roots, int log2_n,
                              int sign, __local complex *x)
{
    const uint n = 1u << log2_n, half_n = n / 2, items = n / REGISTER_POINTS, i = get_local_id(0);
    const size_t base = (size_t)get_group_id(1) << log2_n;
    complex v[REGISTER_POINTS];
    for (uint j = 0; j < REGISTER_POINTS; j++)
        v[j] = in[base + i + j * items];
    uint s = 1;
    while (s * REGISTER_POINTS <= n) { /* passes of the full radix: n = REGISTER_POINTS m s */
        const uint q = i & (s - 1), p = i / s; /* i = q + s p, p < m */
        dft(v, REGISTER_POINTS, 1, sign);
        for (uint k = 0; k < REGISTER_POINTS; k++)
            x[q + s * (REGISTER_POINTS * p + k)] = p == 0 || k == 0 ? v[k] : mul(v[k], full_root(roots, p * k * s, half_n, sign));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < REGISTER_POINTS; j++)
            v[j] = x[i + j * items];
        barrier(CLK_LOCAL_MEM_FENCE);
        s *= REGISTER_POINTS;
    }
    if (s < n) { /* what is left: radix n / s, REGISTER_POINTS s / n butterflies for each item, p = 0 */
        const uint radix = n / s, count = REGISTER_POINTS / radix;
        for (uint c = 0; c < count; c++) {
            /* points j of this butterfly are q + s j, q = i + c items: v[c + count j] */
            if (radix == 2)
                dft(v + c, 2, REGISTER_POINTS / 2, sign);
            else if (radix == 4)
                dft(v + c, 4, REGISTER_POINTS / 4, sign);
#if REGISTER_POINTS == 16
            else
                dft(v + c, 8, 2, sign);
#endif
        }
    }
    for (uint j = 0; j < REGISTER_POINTS; j++)
        out[base + i + j * items] = v[j];
}
