/*
 * twiddle.h - the twiddles of one pass, from two short tables in double-double.
 *
 * Node t 2^s + k of a pass at depth s has theta = theta_t / 2^s + rev(k), rev(k) the radical inverse of k in base 2.  With
 * k = k_hi 2^h + k_lo, rev(k) = rev(k_lo) + rev(k_hi) / 2^h, so that twiddle q, of angle theta / d + shift with
 * d = 2, 4, 8, 8 and shift = 0, 0, 0, -1/8 (BUTTERFLY_RADIX4: d = 4, 2, 4/3; BUTTERFLY_MIXED: then 8, 8), is the product of
 *     lo[d][k_lo]      = e(rev(k_lo) / d)                                         (eight consecutive k_lo share k_hi)
 *     hi[t][k_hi][q]   = e((theta_t / 2^s + rev(k_hi) / 2^h) / d + shift).
 * The product is taken to about 2^-100 and rounded once: c = fl(Re w), tau = fl(Im w / c), or s = fl(Im w).
 */
#ifndef GFMUL_TWIDDLE_H
#define GFMUL_TWIDDLE_H

/* An unevaluated sum hi + lo, |lo| <= ulp(hi) / 2 or little more. */
struct dd_vec {
    vec hi, lo;
};

/* dd_product2 - a b + sign c d, sign = 1 or -1, to about 2^-102 (|a b| + |c d|). */
STAGE_INLINE struct dd_vec dd_product2(struct dd_vec a, struct dd_vec b, struct dd_vec c, struct dd_vec d, int sign)
{
    vec p = vec_mul(a.hi, b.hi), pe = vec_product_error(a.hi, b.hi, p);
    vec q = vec_mul(c.hi, d.hi), qe = vec_product_error(c.hi, d.hi, q);
    pe = vec_fma(a.hi, b.lo, vec_fma(a.lo, b.hi, pe));
    qe = vec_fma(c.hi, d.lo, vec_fma(c.lo, d.hi, qe));
    if (sign < 0) {
        vec s = vec_sub(p, q), z = vec_sub(s, p), e = vec_sub(vec_sub(p, vec_sub(s, z)), vec_add(q, z));
        e = vec_add(e, vec_sub(pe, qe));
        vec hi = vec_add(s, e);
        return (struct dd_vec){hi, vec_add(vec_sub(s, hi), e)};
    }
    vec s = vec_add(p, q), z = vec_sub(s, p), e = vec_add(vec_sub(p, vec_sub(s, z)), vec_sub(q, z));
    e = vec_add(e, vec_add(pe, qe));
    vec hi = vec_add(s, e);
    return (struct dd_vec){hi, vec_add(vec_sub(s, hi), e)};
}

/* twiddle_store - c and tau of w = re + i im. */
STAGE_INLINE void twiddle_store(double *c, double *tau, struct dd_vec re, struct dd_vec im)
{
    /* Re w = 0 happens at w = i alone: 2^-600 stands for it, see doc/error-bound.md. */
    vec d = vec_add(re.hi, vec_set1(0x1p-600)), inverse = vec_div(vec_set1(1.0), d), q = vec_mul(im.hi, inverse);
    vec p = vec_mul(q, d), rest = vec_add(vec_sub(vec_sub(im.hi, p), vec_product_error(q, d, p)), im.lo);
    vec_store(c, d);
    vec_store(tau, vec_fma(rest, inverse, q)); /* |rest| < 2^-51 |im|: fl(1/d) is good enough */
}

/*
 * twiddle_block - the twiddles of nodes 8 block .. 8 block + 7 of a pass, 2^depth nodes under each t.
 *
 *   out  out  as in the tables: a block of c and tau, or of c and s, for each twiddle
 */
STAGE_INLINE void twiddle_block(double *out, const struct plan_pass *pass, const double *lo, const double *hi, unsigned h_bits,
                                size_t block)
{
    const unsigned count = plan_pass_twiddles(pass), depth = pass->depth;
    const size_t g = block * PLAN_BLOCK, lo_n = (size_t)1 << h_bits, t = g >> depth, k = g & (((size_t)1 << depth) - 1);
    const size_t hi_n = depth > h_bits ? (size_t)1 << (depth - h_bits) : 1; /* a short pass reads a prefix of lo */
    const double *h = hi + PLAN_SHORT_HI_DOUBLES * (t * hi_n + (k >> h_bits)), *l = lo + (k & (lo_n - 1));
    for (unsigned q = 0; q < count; q++, h += 4) {
        const double *lq = l + 4 * lo_n * plan_twiddle_table(pass, q);
        const struct dd_vec hr = {vec_set1(h[0]), vec_set1(h[1])}, hm = {vec_set1(h[2]), vec_set1(h[3])};
        for (unsigned v = 0; v < PLAN_BLOCK; v += VEC_WIDTH) {
            struct dd_vec lr = {vec_load(lq + v), vec_load(lq + lo_n + v)};
            struct dd_vec lm = {vec_load(lq + 2 * lo_n + v), vec_load(lq + 3 * lo_n + v)};
            struct dd_vec re = dd_product2(hr, lr, hm, lm, -1), im = dd_product2(hr, lm, hm, lr, 1);
            double *c = out + BLOCK_DOUBLES * q + v;
            if (plan_twiddle_is_sine(pass, q)) {
                vec_store(c, re.hi);
                vec_store(c + PLAN_BLOCK, im.hi);
            } else
                twiddle_store(c, c + PLAN_BLOCK, re, im);
        }
    }
}

enum { TWIDDLE_BLOCKS = 64 }; /* a part: some microseconds */

struct twiddle_work {
    const struct plan_pass *pass;
    double *table;
    const double *lo, *hi;
    unsigned h_bits;
};

static void twiddle_blocks(void *arg, unsigned t, size_t first, size_t end)
{
    const struct twiddle_work *const w = arg;
    const size_t block_doubles = (size_t)BLOCK_DOUBLES * plan_pass_twiddles(w->pass);
    (void)t;
    for (size_t block = first; block < end; block++)
        twiddle_block(w->table + block * block_doubles, w->pass, w->lo, w->hi, w->h_bits, block);
}

static void twiddle_build(const struct plan *plan, unsigned pass, double *table, const double *lo, const double *hi,
                          unsigned h_bits, unsigned threads)
{
    struct twiddle_work w = {&plan->shape.transform.pass[pass], table, lo, hi, h_bits};
    parallel_for(threads, w.pass->n_nodes / PLAN_BLOCK, TWIDDLE_BLOCKS, twiddle_blocks, &w);
}

/*
 * The twiddles of a leaf, where the plan keeps short tables for them: those of its node, which are made for eight leaves, and of
 * its children.  Two leaves, one behind the other, have theirs at the same time: leaves 2 k and 2 k + 1.
 */
struct leaf_maker {
    _Alignas(64) double node[PLAN_MAX_TWIDDLES * BLOCK_DOUBLES], children[2][PLAN_MAX_TWIDDLES * BLOCK_DOUBLES];
    size_t block; /* of node; SIZE_MAX: none yet */
};

struct leaf_twiddles {
    const double *node, *children;
};

/* leaf_twiddles - of leaf g, from the plan's tables or by the maker. */
STAGE_INLINE struct leaf_twiddles leaf_twiddles(const struct plan *plan, struct leaf_maker *maker, size_t g)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned p = s->transform.n_passes - 2;
    if (!s->transform.leaf_short)
        return (struct leaf_twiddles){pass_twiddles(plan, p, g), pass_twiddles(plan, p + 1, g * 8)};
    const struct plan_short_tables *t = &plan->leaf;
    if (maker->block != g / PLAN_BLOCK) {
        maker->block = g / PLAN_BLOCK;
        twiddle_block(maker->node, &s->transform.pass[p], t->lo, t->hi[0], t->lo_bits, maker->block);
    }
    twiddle_block(maker->children[g % 2], &s->transform.pass[p + 1], t->lo, t->hi[1], t->lo_bits, g);
    return (struct leaf_twiddles){maker->node + g % PLAN_BLOCK, maker->children[g % 2]};
}

#endif
