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

/*
 * dd_series - cos x and (sin x) / x from x2 = x^2 <= 0.62: sums over k of (-x2)^k / (2k)! and / (2k+1)!.
 * One loop computes both, because each step waits for the one before.
 */
static void dd_series(struct dd x2, struct dd *c, struct dd *s)
{
    const struct dd one = {1.0, 0.0};
    *c = *s = one;
    for (unsigned k = 15; k > 0; k--) { /* the first omitted terms are below 2^-110 */
        *c = dd_add(one, dd_neg(dd_div_double(dd_mul(x2, *c), (double)((2 * k - 1) * (2 * k)))));
        *s = dd_add(one, dd_neg(dd_div_double(dd_mul(x2, *s), (double)(2 * k * (2 * k + 1)))));
    }
}

struct dd_complex dd_root(uint64_t num, uint64_t den)
{
    static const struct dd half_pi = {1.57079632679489661923, 6.123233995736766e-17};
    /* num / den = quarter / 4 + r / (4 den), |r| <= den / 2: the angle is (pi/2) (r / den), at most pi/4 */
    unsigned __int128 four = (unsigned __int128)(num % den) * 4;
    uint64_t quarter = (uint64_t)((four + den / 2) / den);
    double r = (double)((int64_t)(four - (unsigned __int128)quarter * den)), d = (double)den;
    struct dd x = dd_mul(half_pi, dd_div_double((struct dd){r, 0.0}, d)), x2 = dd_mul(x, x);
    struct dd c, s, t;
    dd_series(x2, &c, &s);
    s = dd_mul(x, s);
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

/* The angle of twiddle q is (theta num / den) + shift / 8. */
struct twiddle_part {
    unsigned num, log2_den, table; /* table: which of short_tables.lo contains e(rev(k) num / den) */
    bool shifted;                  /* by -1/8 */
};

static struct twiddle_part twiddle_part(const struct plan_pass *ps, unsigned q)
{
    static const struct twiddle_part nested[] = {{1, 1, 0, false}, {1, 2, 1, false}, {1, 3, 2, false}, {1, 3, 2, true}};
    static const struct twiddle_part mixed[PLAN_MAX_TWIDDLES] = {
        {1, 2, 1, false}, {1, 1, 0, false}, {3, 2, 3, false}, {1, 3, 2, false}, {1, 3, 2, true}};
    return ps->butterfly == BUTTERFLY_NESTED ? nested[q] : mixed[q];
}

unsigned plan_twiddle_table(const struct plan_pass *pass, unsigned q)
{
    return twiddle_part(pass, q).table;
}

static size_t pass_table_doubles(const struct plan_pass *ps)
{
    if (ps->radix % 2)
        return 0; /* its factors are powers of i */
    return (ps->n_nodes + PLAN_BLOCK - 1) / PLAN_BLOCK * plan_pass_twiddles(ps) * 2 * PLAN_BLOCK;
}

/* Number of passes with complete tables: all but the leaf's, if its twiddles are made from other tables. */
static unsigned whole_passes(const struct plan_shape *s)
{
    return s->transform.n_passes - (s->transform.leaf_short || plan_has_units(s) ? 2 : 0);
}

static unsigned unit_levels(const struct plan_shape *s)
{
    unsigned levels = 0;
    while (levels < PLAN_UNIT_LEVELS_MAX && (size_t)2 << levels <= s->transform.row_points)
        levels++;
    return levels;
}

/* unit_nodes - nodes of pass p in a unit. */
static size_t unit_nodes(const struct plan_shape *s, unsigned p)
{
    return ((size_t)1 << unit_levels(s)) / s->transform.pass[p].node_points;
}

static size_t unit_table_doubles(const struct plan_shape *s, unsigned p)
{
    return (unit_nodes(s, p) + PLAN_BLOCK - 1) / PLAN_BLOCK * 2 * PLAN_BLOCK * plan_pass_twiddles(&s->transform.pass[p]);
}

static size_t unit_factor_doubles(const struct plan_shape *s)
{
    return (s->transform.n_points >> unit_levels(s)) * 2 * PLAN_UNIT_FACTORS;
}

/* short_depth - depth of the deepest pass whose table is made from the short ones; with units, the leaf's two are not. */
static unsigned short_depth(const struct plan_shape *s)
{
    const unsigned passes = plan_has_units(s) ? whole_passes(s) : s->transform.n_passes;
    return passes > 0 ? s->transform.pass[passes - 1].depth : 0;
}

/* Number of nodes below each of the hi factors: about the square root of all nodes. */
static unsigned short_lo_bits(const struct plan_shape *s)
{
    const unsigned deepest = short_depth(s);
    return deepest < 6 ? 3 : (deepest + 1) / 2;
}

/* The last one is true radix 4's alone. */
static unsigned n_short_tables(const struct plan_shape *s)
{
    bool radix4 = false;
    for (unsigned p = 0; p < s->transform.n_passes; p++)
        radix4 |= s->transform.pass[p].butterfly != BUTTERFLY_NESTED;
    return PLAN_SHORT_TABLES - (radix4 ? 0 : 1);
}

static size_t short_lo_doubles(const struct plan_shape *s, unsigned lo_bits)
{
    return (size_t)n_short_tables(s) * 4 << lo_bits;
}

static size_t short_hi_doubles(const struct plan_shape *s, const struct plan_pass *ps, unsigned lo_bits)
{
    return (size_t)PLAN_SHORT_HI_DOUBLES * s->transform.odd << (ps->depth > lo_bits ? ps->depth - lo_bits : 0);
}

static size_t leaf_angle_doubles(const struct plan_shape *s)
{
    return s->transform.packing == GFMUL_PACKING_ONE_FOR_HALF ? 2 * s->transform.n_points : 0;
}

size_t plan_table_doubles(const struct plan_shape *shape)
{
    const unsigned leaf = shape->transform.n_passes - 2, lo_bits = short_lo_bits(shape);
    size_t n = leaf_angle_doubles(shape);
    for (unsigned p = 0; p < whole_passes(shape); p++)
        n += pass_table_doubles(&shape->transform.pass[p]);
    if (plan_has_units(shape))
        n += unit_table_doubles(shape, leaf) + unit_table_doubles(shape, leaf + 1) + unit_factor_doubles(shape);
    if (shape->transform.leaf_short) {
        n += short_lo_doubles(shape, lo_bits);
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

/* twiddle_root - e(theta_t num / (2^depth den) + shift) of one part. */
static struct dd_complex twiddle_root(const struct plan_shape *s, size_t t, unsigned depth, struct twiddle_part part)
{
    uint64_t den = (4 * (uint64_t)s->transform.odd) << (depth + part.log2_den), num = part.num * theta_numerator(s, t);
    return dd_root(part.shifted ? num + den - den / 8 : num, den);
}

/*
 * pass_roots - twiddle_root of all twiddles of a pass.  The deepest comes from the series, the others are its powers.
 *
 *   eighth  in  e(-1/8)
 */
static void pass_roots(struct dd_complex root[PLAN_MAX_TWIDDLES], const struct plan_shape *s, const struct plan_pass *ps,
                       size_t t, const struct dd_complex *eighth)
{
    const unsigned n = plan_pass_twiddles(ps);
    if (ps->butterfly == BUTTERFLY_RADIX4) { /* the first, second and third power */
        root[0] = twiddle_root(s, t, ps->depth, twiddle_part(ps, 0));
        root[1] = dd_complex_mul(root[0], root[0]);
        root[2] = dd_complex_mul(root[1], root[0]);
        return;
    }
    if (ps->butterfly == BUTTERFLY_MIXED) {
        root[3] = twiddle_root(s, t, ps->depth, twiddle_part(ps, 3));
        root[4] = dd_complex_mul(root[3], *eighth);
        root[0] = dd_complex_mul(root[3], root[3]);
        root[1] = dd_complex_mul(root[0], root[0]);
        root[2] = dd_complex_mul(root[1], root[0]);
        return;
    }
    unsigned q = n < 3 ? n - 1 : 2;
    root[q] = twiddle_root(s, t, ps->depth, twiddle_part(ps, q));
    for (; q > 0; q--)
        root[q - 1] = dd_complex_mul(root[q], root[q]);
    if (n == 4)
        root[3] = dd_complex_mul(root[2], *eighth);
}

/* radical_roots - out[k] = e(num rev(k) / 2^scale), rev(k) the radical inverse of k, k < 2^bits; tables double in length. */
static void radical_roots(struct dd_complex *out, unsigned bits, unsigned num, unsigned scale)
{
    out[0] = (struct dd_complex){1.0, 0.0, 0.0, 0.0};
    for (unsigned b = 0; b < bits; b++) {
        struct dd_complex root = dd_root(num, (uint64_t)1 << (b + 1 + scale));
        for (size_t k = 0; k < (size_t)1 << b; k++)
            out[((size_t)1 << b) + k] = dd_complex_mul(out[k], root);
    }
}

static void store_twiddle(double *table, const struct plan_pass *ps, size_t node, unsigned q, struct dd_complex w)
{
    double *out = table + node / PLAN_BLOCK * 2 * PLAN_BLOCK * plan_pass_twiddles(ps) + 2 * PLAN_BLOCK * q + node % PLAN_BLOCK;
    if (plan_twiddle_is_sine(ps, q)) {
        out[0] = w.re;
        out[PLAN_BLOCK] = w.im;
        return;
    }
    double c = w.re + 0x1p-600, tau = w.im / c; /* Re w = 0: see doc/error-bound.md */
    out[0] = c;
    out[PLAN_BLOCK] = tau + (fma(-tau, c, w.im) + w.im_lo) / c;
}

/* Passes with fewer than 8 nodes under each t are filled node by node. */
static void build_shallow(const struct plan_shape *s, const struct plan_pass *ps, double *table)
{
    const size_t nodes = (size_t)1 << ps->depth;
    for (size_t g = 0; g < ps->n_nodes; g++) {
        struct dd_complex rev[8];
        for (unsigned q = 0; q < plan_pass_twiddles(ps); q++) {
            const struct twiddle_part part = twiddle_part(ps, q);
            radical_roots(rev, ps->depth, part.num, part.log2_den);
            store_twiddle(table, ps, g, q, dd_complex_mul(twiddle_root(s, g / nodes, ps->depth, part), rev[g % nodes]));
        }
    }
}

/* The two short tables of stages/twiddle.h, in its layout. */
struct short_tables {
    unsigned lo_bits, hi_bits;
    double *lo;             /* [PLAN_SHORT_TABLES][re, re_lo, im, im_lo][2^lo_bits] */
    double *hi;             /* [odd][2^hi_bits of the pass][PLAN_MAX_TWIDDLES][re, re_lo, im, im_lo] */
    struct dd_complex *rev; /* [PLAN_SHORT_TABLES][2^hi_bits]: e(num rev(k) / 2^(lo_bits + scale)) */
};

static void build_lo(const struct plan_shape *s, struct short_tables *st, struct dd_complex *scratch)
{
    const size_t n = (size_t)1 << st->lo_bits;
    for (unsigned d = 0; d < n_short_tables(s); d++) {
        const unsigned num = d == 3 ? 3 : 1, scale = d == 3 ? 2 : d + 1; /* as twiddle_part */
        radical_roots(scratch, st->lo_bits, num, scale);
        for (size_t k = 0; k < n; k++) {
            double *out = st->lo + 4 * n * d + k;
            out[0] = scratch[k].re;
            out[n] = scratch[k].re_lo;
            out[2 * n] = scratch[k].im;
            out[3 * n] = scratch[k].im_lo;
        }
        radical_roots(st->rev + ((size_t)d << st->hi_bits), st->hi_bits, num, st->lo_bits + scale);
    }
}

static void build_hi(const struct plan_shape *s, const struct plan_pass *ps, const struct short_tables *st, double *hi)
{
    const size_t n = ps->depth > st->lo_bits ? (size_t)1 << (ps->depth - st->lo_bits) : 1;
    const struct dd_complex eighth = dd_root(7, 8);
    for (size_t t = 0; t < s->transform.odd; t++) {
        struct dd_complex root[PLAN_MAX_TWIDDLES];
        pass_roots(root, s, ps, t, &eighth);
        for (unsigned q = 0; q < plan_pass_twiddles(ps); q++) {
            const struct dd_complex *rev = st->rev + ((size_t)twiddle_part(ps, q).table << st->hi_bits);
            for (size_t k = 0; k < n; k++) {
                struct dd_complex w = dd_complex_mul(root[q], rev[k]);
                memcpy(hi + PLAN_SHORT_HI_DOUBLES * (t * n + k) + 4 * q, &w, sizeof w);
            }
        }
    }
}

/* e(theta) of every leaf, for one-for-half; groups of 64 leaves, in the order of the spectrum. */
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

/* short_tables_create - allocate for the deepest pass; shallow tables do not need them. */
static enum gfmul_status short_tables_create(struct short_tables *st, const struct plan_shape *s)
{
    size_t scratch_n;
    *st = (struct short_tables){.lo_bits = short_lo_bits(s)};
    st->hi_bits = short_depth(s) > st->lo_bits ? short_depth(s) - st->lo_bits : 0;
    scratch_n = (size_t)1 << (st->lo_bits > st->hi_bits ? st->lo_bits : st->hi_bits);
    struct dd_complex *scratch = alloc_aligned(scratch_n * sizeof *scratch);
    st->lo = alloc_aligned(sizeof(double) * short_lo_doubles(s, st->lo_bits));
    st->hi = alloc_aligned(sizeof(double) * PLAN_SHORT_HI_DOUBLES * s->transform.odd << st->hi_bits);
    st->rev = alloc_aligned(sizeof *st->rev * n_short_tables(s) << st->hi_bits);
    if (scratch && st->lo && st->hi && st->rev)
        build_lo(s, st, scratch);
    alloc_free(scratch);
    return scratch && st->lo && st->hi && st->rev ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

/* keep_short - keep the short tables in the plan, for the leaf's twiddles. */
static void keep_short(struct plan *plan, const struct short_tables *st, double *table)
{
    const struct plan_shape *s = &plan->shape;
    memcpy(table, st->lo, short_lo_doubles(s, st->lo_bits) * sizeof *table);
    plan->leaf.lo_bits = st->lo_bits;
    plan->leaf.lo = table;
    table += short_lo_doubles(s, st->lo_bits);
    for (unsigned k = 0; k < 2; k++) {
        const struct plan_pass *ps = &s->transform.pass[s->transform.n_passes - 2 + k];
        build_hi(s, ps, st, table);
        plan->leaf.hi[k] = table;
        table += short_hi_doubles(s, ps, st->lo_bits);
    }
}

/* build_units - fill the tables of the nodes of a unit, and the factors of all units. */
static void build_units(struct plan *plan, struct dd_complex *scratch, double *table)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned levels = unit_levels(s), above = s->transform.log2_n - levels;
    const size_t units = (size_t)1 << above; /* under each t */
    double *const factors =
        table + unit_table_doubles(s, s->transform.n_passes - 2) + unit_table_doubles(s, s->transform.n_passes - 1);
    unsigned factor = 0;
    plan->unit_levels = levels;
    plan->unit = factors;
    for (unsigned p = s->transform.n_passes - 2; p < s->transform.n_passes; p++) {
        const struct plan_pass *ps = &s->transform.pass[p];
        const unsigned below = ps->depth - above;
        plan->twiddle[p] = table;
        for (unsigned q = 0; q < plan_pass_twiddles(ps); q++, factor++) {
            struct twiddle_part part = twiddle_part(ps, q);
            radical_roots(scratch, below, part.num, part.log2_den);
            for (size_t k = 0; k < unit_nodes(s, p); k++)
                store_twiddle(table, ps, k, q, scratch[k]);
            part.log2_den += below;
            radical_roots(scratch, above, part.num, part.log2_den);
            for (size_t t = 0; t < s->transform.odd; t++) {
                const struct dd_complex root = twiddle_root(s, t, above, part);
                for (size_t k = 0; k < units; k++) {
                    const struct dd_complex w = dd_complex_mul(root, scratch[k]);
                    double *out = factors + 2 * (PLAN_UNIT_FACTORS * (t * units + k) + factor);
                    out[0] = w.re;
                    out[1] = w.im;
                }
            }
        }
        table += unit_table_doubles(s, p);
    }
}

enum gfmul_status plan_twiddle_build(struct plan *plan, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    struct short_tables st;
    double *table = plan->tables;
    enum gfmul_status status = short_tables_create(&st, s);
    if (s->transform.packing == GFMUL_PACKING_ONE_FOR_HALF) {
        build_leaf_angles(s, table);
        plan->leaf_angle = table; /* whole vectors are read: before the short tables, which may end amid one */
        table += leaf_angle_doubles(s);
    }
    for (unsigned p = 0; p < whole_passes(s) && status == GFMUL_OK; p++) {
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
    if (plan_has_units(s) && status == GFMUL_OK) {
        const unsigned above = s->transform.log2_n - unit_levels(s),
                       most = above > PLAN_UNIT_LEVELS_MAX ? above : PLAN_UNIT_LEVELS_MAX;
        struct dd_complex *scratch = alloc_aligned(sizeof *scratch << most);
        status = scratch ? GFMUL_OK : GFMUL_ERR_MEMORY;
        if (scratch)
            build_units(plan, scratch, table);
        alloc_free(scratch);
    } else if (s->transform.leaf_short && status == GFMUL_OK) {
        keep_short(plan, &st, table);
    }
    alloc_free(st.lo);
    alloc_free(st.hi);
    alloc_free(st.rev);
    return status;
}
