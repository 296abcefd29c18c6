/*
 * twiddle.h - the twiddles of one pass, from two short tables in double-double.
 *
 * Node t 2^s + k of a pass at depth s has theta = theta_t / 2^s + rev(k), rev(k) the radical inverse of k in base 2.  With
 * k = k_hi 2^h + k_lo, rev(k) = rev(k_lo) + rev(k_hi) / 2^h, so that twiddle q, of angle theta / d + shift with
 * d = 2, 4, 8, 8 and shift = 0, 0, 0, -1/8, is the product of
 *     lo[d][k_lo]      = e(rev(k_lo) / d)                                         (eight consecutive k_lo share k_hi)
 *     hi[t][k_hi][q]   = e((theta_t / 2^s + rev(k_hi) / 2^h) / d + shift).
 * The product is taken to about 2^-100 and rounded once: c = fl(Re w), tau = fl(Im w / c).
 */
#ifndef GFMUL_TWIDDLE_H
#define GFMUL_TWIDDLE_H

/* An unevaluated sum hi + lo, |lo| <= ulp(hi) / 2 or little more. */
struct dd_vec {
    vec hi, lo;
};

/* dd_product2 - a b + sign c d, to about 2^-102 (|a b| + |c d|). */
STAGE_INLINE struct dd_vec dd_product2(struct dd_vec a, struct dd_vec b, struct dd_vec c, struct dd_vec d, double sign)
{
    const vec sg = vec_set1(sign);
    vec p = vec_mul(a.hi, b.hi), pe = vec_product_error(a.hi, b.hi, p);
    vec q = vec_mul(c.hi, d.hi), qe = vec_product_error(c.hi, d.hi, q);
    pe = vec_add(pe, vec_add(vec_mul(a.hi, b.lo), vec_mul(a.lo, b.hi)));
    qe = vec_add(qe, vec_add(vec_mul(c.hi, d.lo), vec_mul(c.lo, d.hi)));
    q = vec_mul(sg, q);
    vec s = vec_add(p, q), z = vec_sub(s, p), e = vec_add(vec_sub(p, vec_sub(s, z)), vec_sub(q, z));
    e = vec_add(e, vec_add(pe, vec_mul(sg, qe)));
    vec hi = vec_add(s, e);
    return (struct dd_vec){hi, vec_add(vec_sub(s, hi), e)};
}

/* twiddle_store - c and tau of w = re + i im. */
STAGE_INLINE void twiddle_store(double *c, double *tau, struct dd_vec re, struct dd_vec im)
{
    /* Re w = 0 happens at w = i alone: 2^-600 stands for it, see doc/error-bound.md. */
    vec d = vec_add(re.hi, vec_set1(0x1p-600)), q = vec_div(im.hi, d);
    vec p = vec_mul(q, d), rest = vec_add(vec_sub(vec_sub(im.hi, p), vec_product_error(q, d, p)), im.lo);
    vec_store(c, d);
    vec_store(tau, vec_add(q, vec_div(rest, d)));
}

static void twiddle_build(const struct plan *plan, unsigned pass, double *table, const double *lo, const double *hi,
                          unsigned h_bits, unsigned threads)
{
    const struct plan_pass *ps = &plan->shape.pass[pass];
    const unsigned count = radix_twiddles(ps->radix);
    const size_t lo_n = (size_t)1 << h_bits, nodes = (size_t)1 << ps->depth;
    const size_t hi_n = ps->depth > h_bits ? nodes / lo_n : 1; /* a short pass reads a prefix of lo */
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (size_t block = 0; block < ps->n_nodes / PLAN_BLOCK; block++) {
        const size_t g = block * PLAN_BLOCK, t = g / nodes, k = g % nodes, k_lo = k % lo_n, k_hi = k / lo_n;
        double *out = table + block * BLOCK_DOUBLES * count;
        for (unsigned q = 0; q < count; q++) {
            const double *h = hi + 16 * (t * hi_n + k_hi) + 4 * q, *l = lo + 4 * lo_n * (q < 2 ? q : 2) + k_lo;
            const struct dd_vec hr = {vec_set1(h[0]), vec_set1(h[1])}, hm = {vec_set1(h[2]), vec_set1(h[3])};
            for (unsigned v = 0; v < PLAN_BLOCK; v += VEC_WIDTH) {
                struct dd_vec lr = {vec_load(l + v), vec_load(l + lo_n + v)};
                struct dd_vec lm = {vec_load(l + 2 * lo_n + v), vec_load(l + 3 * lo_n + v)};
                struct dd_vec re = dd_product2(hr, lr, hm, lm, -1.0), im = dd_product2(hr, lm, hm, lr, 1.0);
                twiddle_store(out + BLOCK_DOUBLES * q + v, out + BLOCK_DOUBLES * q + PLAN_BLOCK + v, re, im);
            }
        }
    }
}

#endif
