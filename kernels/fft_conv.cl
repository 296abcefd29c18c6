/*
 * fft_conv.cl - convolutions on a device: packing, the product of spectra, the result; fft_transform.cl is between them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Sequence s of a batch is cut into `blocks` blocks of `block` numbers (members of the structures in arguments.h); transform
 * t = s blocks + i is of block i, points points from x + t points on.  FORM says what a point is (lib/fft/conv_float.c): 0 two
 * of n real numbers, 1 a complex number, 2 the same times e(j / 2n), 3 numbers j and j + n times e(j / 4n).
 * high, low_roots: e(-j / 2n) or e(-j / 4n), see root_at.
 *
 * Integers have form 3.  They are cut into `pieces` pieces of `bits` bits, as lib/fft/conv_int.c has them; the transforms of
 * piece i begin i part points from x on.  So do the `sums` sums of products of pieces (fft_conv_sums.cl), which are added up.
 *
 * ND-range:  row_groups groups for each transform (conv_pack, conv_multiply) or sequence (conv_place), in one dimension: a second
 *            one may be short.
 * Tunables:  FFT_FLOAT, FFT_DD, FORM, NUMBER (0 real, 1 complex, 2 int32, 3 int64, 4 residues), WORDS (of a result; NUMBER 2, 3).
 */
#include "arguments.h"
#include "fft_butterfly.cl"

#define REAL_POINTS   0
#define PLAIN_POINTS  1
#define TURNED_POINTS 2
#define ANGLE_POINTS  3
#define INTEGERS      (NUMBER >= 2)

#if !defined(FORM) || !defined(NUMBER) || !defined(WORDS)
#error "fft_conv.cl: a tunable is missing"
#endif

#if NUMBER == 0
typedef real number;
#elif NUMBER == 1
typedef point number;
#elif NUMBER == 2
typedef int number;
#elif NUMBER == 3
typedef long number;
#else
typedef ulong number;
#endif

/* row_at, item_at - the transform or sequence of a work-item, and its place there. */
INLINE ulong row_at(uint row_groups)
{
    return (uint)get_group_id(0) / row_groups;
}

INLINE ulong item_at(uint row_groups)
{
    return (ulong)((uint)get_group_id(0) % row_groups) * get_local_size(0) + get_local_id(0);
}

#if INTEGERS
/* value_of - a number as a signed integer. */
INLINE long value_of(number a, ulong modulus)
{
#if NUMBER == 4
    return a > modulus / 2 ? -(long)(modulus - a - 1) - 1 : (long)a;
#else
    return a;
#endif
}

/* piece_next - the lowest piece of v, which is left without it: balanced, but the last one, which is the rest. */
INLINE real piece_next(long *v, uint bits, int is_last)
{
    const long half_unit = 1L << (bits - 1), all = *v, piece = ((all + half_unit) & (2 * half_unit - 1)) - half_unit;
    *v = (all >> bits) + (all >> (bits - 1) & 1);
    return (real)(is_last ? all : piece); /* |all| < 2^33 where it is the last */
}
#endif

/* x = block i of each sequence as the form has it, zeros behind; `points` items */
__kernel void conv_pack(__global point *x, __global const number *a, __global const point *high, __global const point *low_roots,
                        uint row_groups, const struct conv_pack_arguments of)
{
    const uint j = item_at(row_groups), n = of.n;
    const ulong t = row_at(row_groups), s = t / of.blocks, first = (t - s * of.blocks) * of.block, left = of.an - first;
    const ulong length = left < of.block ? left : of.block;
    if (j >= of.points)
        return;
    a += s * of.an + first;
    x += t * of.points + j;
#if FORM == TURNED_POINTS || FORM == ANGLE_POINTS
    const point w = point_conj(root_at(high, low_roots, of.low_bits, j));
#endif
#if INTEGERS
    long re = j < length ? value_of(a[j], of.modulus) : 0;
    long im = (ulong)j + n < length ? value_of(a[(ulong)j + n], of.modulus) : 0;
    for (uint i = 0; i < of.pieces; i++) {
        const int is_last = i + 1 == of.pieces;
        const real v = piece_next(&re, of.bits, is_last), u = piece_next(&im, of.bits, is_last);
        x[i * of.part] = point_mul((point)(v, u), w);
    }
#else
    const real zero = 0;
#if FORM == REAL_POINTS
    const ulong k = 2 * (ulong)j;
    const point v = (point)(k < length ? a[k] : zero, k + 1 < length ? a[k + 1] : zero);
#elif FORM == ANGLE_POINTS
    const point v = (point)(j < length ? a[j] : zero, (ulong)j + n < length ? a[(ulong)j + n] : zero);
#else
    const point v = j < length ? a[j] : (point)(zero, zero);
#endif
#if FORM == TURNED_POINTS || FORM == ANGLE_POINTS
    *x = point_mul(v, w);
#else
    *x = v;
#endif
#endif
}

#if !INTEGERS
/* x = x spectrum; `points` items */
__kernel void conv_multiply(__global point *x, __global const point *spectrum, uint points, uint row_groups)
{
    const uint j = item_at(row_groups);
    const ulong at = row_at(row_groups) * points + j;
    if (j < points)
        x[at] = point_mul(x[at], spectrum[j]);
}
#endif

#if FORM == PLAIN_POINTS || FORM == TURNED_POINTS
typedef point value;
#else
typedef real value;
#endif

/* value_at - number p of a transformed block. */
INLINE value value_at(__global const point *x, ulong p, uint n, __global const point *high, __global const point *low_roots,
                      uint low_bits)
{
#if FORM == REAL_POINTS
    return ((__global const real *)x)[p];
#elif FORM == PLAIN_POINTS
    return x[p];
#elif FORM == TURNED_POINTS
    return point_mul(x[p], root_at(high, low_roots, low_bits, p));
#else
    const uint j = p < n ? p : p - n;
    const point v = point_mul(x[j], root_at(high, low_roots, low_bits, j));
    return p < n ? RE(v) : IM(v);
#endif
}

/* A coefficient that is being added up. */
#if !INTEGERS
typedef value total;
INLINE void total_add(total *z, value v, int minus, real bound, ulong modulus, __global uint *wrong)
{
    v = minus ? -v : v;
#if FORM == PLAIN_POINTS || FORM == TURNED_POINTS
    *z = point_sum(*z, v);
#else
    *z = real_sum(*z, v);
#endif
}
#else
typedef struct {
    ulong word[WORDS];
} total;

/* total_shifted - z 2^bits modulo 2^(64 WORDS), or modulo the modulus. */
INLINE total total_shifted(total z, uint bits, ulong modulus)
{
#if NUMBER == 4
    for (uint i = 0; i < bits; i++) {
        const ulong v = z.word[0], rest = modulus - v; /* v < modulus */
        z.word[0] = v >= rest ? v - rest : v + v;
    }
#else
    for (int i = WORDS - 1; i >= 0; i--)
        z.word[i] = z.word[i] << bits | (i > 0 ? z.word[i > 0 ? i - 1 : 0] >> (64 - bits) : 0);
#endif
    return z;
}

/* total_add - z +- the integer next to v.   *wrong is set if v is farther from it than is proved. */
INLINE void total_add(total *z, value v, int minus, real bound, ulong modulus, __global uint *wrong)
{
    const real r = rint(v);
    if (!(fabs(v - r) <= bound && fabs(r) < (real)0x1p51))
        *wrong = 1;
    const long u = minus ? -(long)r : (long)r;
#if NUMBER == 4
    const ulong size = (u < 0 ? -(ulong)u : (ulong)u) % modulus, w = u < 0 && size != 0 ? modulus - size : size;
    const ulong rest = modulus - w; /* w < modulus */
    z->word[0] = z->word[0] >= rest ? z->word[0] - rest : z->word[0] + w;
#else
    ulong carry = 0;
    for (int i = 0; i < WORDS; i++) {
        const ulong w = i == 0 ? (ulong)u : (ulong)(u >> 63), with = w + carry, sum = z->word[i] + with;
        carry = (with < carry) | (sum < with);
        z->word[i] = sum;
    }
#endif
}
#endif

/*
 * conv_place - the result of each sequence: what the blocks have at its place, added up.   `count` items
 *
 *   bound     in      integers: of the distance from one.   wrong: see total_add
 *   of        in      arguments.h:
 *     length  numbers of a block's result
 *     fold    0: linear; else places from there on are those from 0 on, with a minus if `minus` is set
 *     sums    integers: sum s counts 2^(bits s)
 */
__kernel void conv_place(__global total *z, __global const point *x, __global const point *high, __global const point *low_roots,
                         real bound, __global uint *wrong, const struct conv_place_arguments of)
{
    const ulong k = item_at(of.row_groups), s = row_at(of.row_groups), block = of.block, length = of.length, fold = of.fold;
    const ulong modulus = of.modulus;
    const uint n = of.n, points = of.points, low_bits = of.low_bits;
    if (k >= of.count)
        return;
    x += s * of.blocks * (ulong)points;
    total sum;
#if INTEGERS
    UNROLL for (int i = 0; i < WORDS; i++) sum.word[i] = 0;
#else
    sum = (total)(0);
#endif
    const ulong last = k / block < of.blocks ? k / block : of.blocks - 1;
    for (uint index = of.sums; index-- > 0;) { /* from the highest on */
        __global const point *from = x + index * of.part;
#if INTEGERS
        sum = total_shifted(sum, of.bits, modulus);
#endif
        for (ulong i = last + 1; i-- > 0 && k - i * block < length;)
            total_add(&sum, value_at(from + i * points, k - i * block, n, high, low_roots, low_bits), 0, bound, modulus, wrong);
        if (fold && k + fold < length)
            total_add(&sum, value_at(from, k + fold, n, high, low_roots, low_bits), of.minus, bound, modulus, wrong);
    }
    z[s * of.count + k] = sum;
}
