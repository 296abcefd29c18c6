/* plan_twiddle.c - twiddle tables, correctly rounded from double-double.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "plan/plan_twiddle.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "stages/stage_ops.h"

struct dd {
    double hi, lo;
};

static struct dd dd_fast_sum(double a, double b) /* |a| >= |b| */
{
    double s = a + b;
    return (struct dd){s, b - (s - a)};
}

static struct dd dd_add(struct dd a, struct dd b)
{
    double s = a.hi + b.hi, z = s - a.hi, e = (a.hi - (s - z)) + (b.hi - z);
    return dd_fast_sum(s, e + a.lo + b.lo);
}

static struct dd dd_mul(struct dd a, struct dd b)
{
    double p = a.hi * b.hi, e = fma(a.hi, b.hi, -p);
    return dd_fast_sum(p, e + (a.hi * b.lo + a.lo * b.hi));
}

static struct dd dd_div_double(struct dd a, double b)
{
    double q = a.hi / b, r = fma(-q, b, a.hi) + a.lo;
    return dd_fast_sum(q, r / b);
}

static struct dd dd_neg(struct dd a)
{
    return (struct dd){-a.hi, -a.lo};
}

/* dd_series - sum over k of (-x2)^k / ((first+1) .. (first+2k)), first = 0 for the cosine, 1 for the sine over x; x2 <= 0.62. */
static struct dd dd_series(struct dd x2, unsigned first)
{
    struct dd s = {1.0, 0.0};
    for (unsigned k = 15; k > 0; k--) /* the first term left out is below 2^-110 */
        s = dd_add((struct dd){1.0, 0.0}, dd_neg(dd_div_double(dd_mul(x2, s), (double)((first + 2 * k - 1) * (first + 2 * k)))));
    return s;
}

struct dd_complex dd_root(uint64_t num, uint64_t den)
{
    static const struct dd half_pi = {1.57079632679489661923, 6.123233995736766e-17};
    /* num / den = quarter / 4 + r / (4 den), |r| <= den / 2: the angle is (pi/2) (r / den), at most pi/4 */
    unsigned __int128 four = (unsigned __int128)(num % den) * 4;
    uint64_t quarter = (uint64_t)((four + den / 2) / den);
    double r = (double)((int64_t)(four - (unsigned __int128)quarter * den)), d = (double)den;
    struct dd x = dd_mul(half_pi, dd_div_double((struct dd){r, 0.0}, d)), x2 = dd_mul(x, x);
    struct dd c = dd_series(x2, 0), s = dd_mul(x, dd_series(x2, 1)), t;
    for (quarter %= 4; quarter > 0; quarter--) { /* times i */
        t = c;
        c = dd_neg(s);
        s = t;
    }
    return (struct dd_complex){c.hi, c.lo, s.hi, s.lo};
}

static struct dd_complex dd_complex_mul(struct dd_complex a, struct dd_complex b)
{
    struct dd ar = {a.re, a.re_lo}, ai = {a.im, a.im_lo}, br = {b.re, b.re_lo}, bi = {b.im, b.im_lo};
    struct dd r = dd_add(dd_mul(ar, br), dd_neg(dd_mul(ai, bi))), i = dd_add(dd_mul(ar, bi), dd_mul(ai, br));
    return (struct dd_complex){r.hi, r.lo, i.hi, i.lo};
}

static unsigned pass_twiddles(const struct plan_pass *ps)
{
    return ps->radix == 8 ? 4 : ps->radix / 2;
}

static size_t pass_table_doubles(const struct plan_pass *ps)
{
    if (ps->radix % 2)
        return 0; /* its factors are powers of i */
    return (ps->n_nodes + PLAN_BLOCK - 1) / PLAN_BLOCK * pass_twiddles(ps) * 2 * PLAN_BLOCK;
}

/* Nodes of the leaf's tables below each of the hi factors: a square root of all. */
static unsigned short_lo_bits(const struct plan_shape *s)
{
    const unsigned deepest = s->transform.pass[s->transform.n_passes - 1].depth; /* at least 3: a leaf has two passes */
    return deepest < 6 ? 3 : (deepest + 1) / 2;
}

static size_t short_lo_doubles(unsigned lo_bits)
{
    return (size_t)12 << lo_bits;
}

static size_t short_hi_doubles(const struct plan_shape *s, const struct plan_pass *ps, unsigned lo_bits)
{
    return (size_t)16 * s->transform.odd << (ps->depth > lo_bits ? ps->depth - lo_bits : 0);
}

size_t plan_table_doubles(const struct plan_shape *shape)
{
    const unsigned leaf = shape->transform.n_passes - 2, lo_bits = short_lo_bits(shape);
    size_t n = shape->transform.packing == GFMUL_PACKING_ONE_FOR_HALF ? 2 * shape->transform.n_points : 0;
    for (unsigned p = 0; p < (shape->transform.leaf_short ? leaf : shape->transform.n_passes); p++)
        n += pass_table_doubles(&shape->transform.pass[p]);
    if (shape->transform.leaf_short) {
        n += short_lo_doubles(lo_bits);
        for (unsigned p = leaf; p < shape->transform.n_passes; p++)
            n += short_hi_doubles(shape, &shape->transform.pass[p], lo_bits);
    }
    return n;
}

/* theta_t = (4 t + quarter) / (4 odd): quarter is 1 for the tree of x^n - i, 0 for that of x^n - 1. */
static uint64_t theta_numerator(const struct plan_shape *s, size_t t)
{
    return 4 * t + (s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE ? 1 : 0);
}

/* twiddle_root - e(theta_t / (2^depth d) + shift) for twiddle q, d = 2, 4, 8, 8, shift = -1/8 for q = 3. */
static struct dd_complex twiddle_root(const struct plan_shape *s, size_t t, unsigned depth, unsigned q)
{
    uint64_t den = (4 * (uint64_t)s->transform.odd) << (depth + (q < 2 ? q + 1 : 3)), num = theta_numerator(s, t);
    return dd_root(q == 3 ? num + den - den / 8 : num, den);
}

/* radical_roots - out[k] = e(rev(k) / 2^scale), rev(k) the radical inverse of k, for k < 2^bits; each from a shorter one. */
static void radical_roots(struct dd_complex *out, unsigned bits, unsigned scale)
{
    out[0] = (struct dd_complex){1.0, 0.0, 0.0, 0.0};
    for (unsigned b = 0; b < bits; b++) {
        struct dd_complex root = dd_root(1, (uint64_t)1 << (b + 1 + scale));
        for (size_t k = 0; k < (size_t)1 << b; k++)
            out[((size_t)1 << b) + k] = dd_complex_mul(out[k], root);
    }
}

static void store_ratio(double *table, unsigned count, size_t node, unsigned q, struct dd_complex w)
{
    double *out = table + node / PLAN_BLOCK * 2 * PLAN_BLOCK * count + 2 * PLAN_BLOCK * q + node % PLAN_BLOCK;
    double c = w.re + 0x1p-600, tau = w.im / c; /* Re w = 0: see doc/error-bound.md */
    out[0] = c;
    out[PLAN_BLOCK] = tau + (fma(-tau, c, w.im) + w.im_lo) / c;
}

/* Passes with fewer than 8 nodes under each t: node by node. */
static void build_shallow(const struct plan_shape *s, const struct plan_pass *ps, double *table)
{
    const size_t nodes = (size_t)1 << ps->depth;
    for (size_t g = 0; g < ps->n_nodes; g++) {
        struct dd_complex rev[8];
        for (unsigned q = 0; q < pass_twiddles(ps); q++) {
            radical_roots(rev, ps->depth, q < 2 ? q + 1 : 3);
            store_ratio(table, pass_twiddles(ps), g, q, dd_complex_mul(twiddle_root(s, g / nodes, ps->depth, q), rev[g % nodes]));
        }
    }
}

/* The two short tables of stages/twiddle.h, in its layout. */
struct short_tables {
    unsigned lo_bits, hi_bits;
    double *lo;             /* [3][re, re_lo, im, im_lo][2^lo_bits] */
    double *hi;             /* [odd][2^hi_bits of the pass][4][re, re_lo, im, im_lo] */
    struct dd_complex *rev; /* [3][2^hi_bits]: e(rev(k) / 2^(lo_bits + scale)) */
};

static void build_lo(struct short_tables *st, struct dd_complex *scratch)
{
    const size_t n = (size_t)1 << st->lo_bits;
    for (unsigned d = 0; d < 3; d++) {
        radical_roots(scratch, st->lo_bits, d + 1);
        for (size_t k = 0; k < n; k++) {
            double *out = st->lo + 4 * n * d + k;
            out[0] = scratch[k].re;
            out[n] = scratch[k].re_lo;
            out[2 * n] = scratch[k].im;
            out[3 * n] = scratch[k].im_lo;
        }
        radical_roots(st->rev + ((size_t)d << st->hi_bits), st->hi_bits, st->lo_bits + d + 1);
    }
}

static void build_hi(const struct plan_shape *s, const struct plan_pass *ps, const struct short_tables *st, double *hi)
{
    const size_t n = ps->depth > st->lo_bits ? (size_t)1 << (ps->depth - st->lo_bits) : 1;
    for (size_t t = 0; t < s->transform.odd; t++) {
        for (unsigned q = 0; q < pass_twiddles(ps); q++) {
            const struct dd_complex root = twiddle_root(s, t, ps->depth, q);
            const struct dd_complex *rev = st->rev + ((size_t)(q < 2 ? q : 2) << st->hi_bits);
            for (size_t k = 0; k < n; k++) {
                struct dd_complex w = dd_complex_mul(root, rev[k]);
                memcpy(hi + 16 * (t * n + k) + 4 * q, &w, sizeof w);
            }
        }
    }
}

/* e(theta) of every leaf, for one-for-half; group by group of 64 leaves, in the order of the spectrum. */
static void build_leaf_angles(const struct plan_shape *s, double *out)
{
    const uint64_t den = (4 * (uint64_t)s->transform.odd) << s->transform.log2_n;
    for (size_t leaf = 0; leaf < s->transform.n_points; leaf++) {
        size_t t = leaf >> s->transform.log2_n, rev = 0;
        for (unsigned b = 0; b < s->transform.log2_n; b++)
            rev |= (leaf >> b & 1) << (s->transform.log2_n - 1 - b);
        struct dd_complex w = dd_root(theta_numerator(s, t) + 4 * (uint64_t)s->transform.odd * rev, den);
        size_t at = leaf / 64 * 128 + leaf % 8 * 16 + leaf % 64 / 8;
        out[at] = w.re;
        out[at + PLAN_BLOCK] = w.im;
    }
}

/* short_tables_create - room for the deepest pass; shallow tables need none of it. */
static enum gfmul_status short_tables_create(struct short_tables *st, const struct plan_shape *s)
{
    size_t scratch_n;
    *st = (struct short_tables){.lo_bits = short_lo_bits(s)};
    st->hi_bits = s->transform.pass[s->transform.n_passes - 1].depth - st->lo_bits;
    scratch_n = (size_t)1 << (st->lo_bits > st->hi_bits ? st->lo_bits : st->hi_bits);
    struct dd_complex *scratch = alloc_aligned(scratch_n * sizeof *scratch);
    st->lo = alloc_aligned(sizeof(double) * short_lo_doubles(st->lo_bits));
    st->hi = alloc_aligned(sizeof(double) * 16 * s->transform.odd << st->hi_bits);
    st->rev = alloc_aligned(sizeof *st->rev * 3 << st->hi_bits);
    if (scratch && st->lo && st->hi && st->rev)
        build_lo(st, scratch);
    alloc_free(scratch);
    return scratch && st->lo && st->hi && st->rev ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

/* keep_short - the leaf's twiddles are made from the short tables, which the plan keeps; returns the end of its tables. */
static double *keep_short(struct plan *plan, const struct short_tables *st, double *table)
{
    const struct plan_shape *s = &plan->shape;
    memcpy(table, st->lo, short_lo_doubles(st->lo_bits) * sizeof *table);
    plan->leaf.lo_bits = st->lo_bits;
    plan->leaf.lo = table;
    table += short_lo_doubles(st->lo_bits);
    for (unsigned k = 0; k < 2; k++) {
        const struct plan_pass *ps = &s->transform.pass[s->transform.n_passes - 2 + k];
        build_hi(s, ps, st, table);
        plan->leaf.hi[k] = table;
        table += short_hi_doubles(s, ps, st->lo_bits);
    }
    return table;
}

enum gfmul_status plan_twiddle_build(struct plan *plan, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    struct short_tables st;
    double *table = plan->tables;
    enum gfmul_status status = short_tables_create(&st, s);
    const unsigned n_whole = s->transform.leaf_short ? s->transform.n_passes - 2 : s->transform.n_passes;
    for (unsigned p = 0; p < n_whole && status == GFMUL_OK; p++) {
        const struct plan_pass *ps = &s->transform.pass[p];
        if (ps->radix % 2)
            continue;
        plan->twiddle[p] = table;
        if (ps->depth < 3)
            build_shallow(s, ps, table);
        else {
            build_hi(s, ps, &st, st.hi);
            plan->ops->twiddle_build(plan, p, table, st.lo, st.hi, st.lo_bits, threads);
        }
        table += pass_table_doubles(ps);
    }
    if (s->transform.leaf_short && status == GFMUL_OK)
        table = keep_short(plan, &st, table);
    if (s->transform.packing == GFMUL_PACKING_ONE_FOR_HALF && status == GFMUL_OK) {
        build_leaf_angles(s, table);
        plan->leaf_angle = table;
    }
    alloc_free(st.lo);
    alloc_free(st.hi);
    alloc_free(st.rev);
    return status;
}
