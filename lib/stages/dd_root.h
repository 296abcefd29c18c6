/*
 * dd_root.h - the root's pass: digits to eight children, and back.
 *
 * Forwards it takes eight digits from each of eight streams (two of each, real and imaginary part) and leaves a group of eight
 * blocks, lane v of block k being point k of the v-th child: a transposition turns streams into lanes.  The first level's twiddle
 * is e(1/8) = c (1 + i): with digits as doubles its products are c (re - im) and c (re + im), differences and sums of integers
 * that are exact.
 */
#ifndef GFMUL_DD_ROOT_H
#define GFMUL_DD_ROOT_H

enum { GROUP_DOUBLES = PLAN_BLOCK * DD_BLOCK_DOUBLES };

/* Digits of one group: [stream][point]. */
struct dd_digits {
    _Alignas(64) double re[PLAN_BLOCK][PLAN_BLOCK], im[PLAN_BLOCK][PLAN_BLOCK];
    bool has_im; /* else im is zero, and not there */
};

/* group_transpose - in each of the four parts of a group: lane i of block j <-> lane j of block i. */
STAGE_INLINE void group_transpose(double *to, const double *from, unsigned parts)
{
    for (unsigned part = 0; part < parts; part++) {
        for (unsigned i = 0; i < PLAN_BLOCK; i += VEC_WIDTH) {
            for (unsigned j = 0; j < PLAN_BLOCK; j += VEC_WIDTH) {
                vec m[VEC_WIDTH];
                for (unsigned k = 0; k < VEC_WIDTH; k++)
                    m[k] = vec_load(from + (i + k) * DD_BLOCK_DOUBLES + part * PLAN_BLOCK + j);
                vec_transpose(m);
                for (unsigned k = 0; k < VEC_WIDTH; k++)
                    vec_store(to + (j + k) * DD_BLOCK_DOUBLES + part * PLAN_BLOCK + i, m[k]);
            }
        }
    }
}

/* narrow_split_2 - a, b digits: a + w b and a - w b, w = c (1 + i). */
STAGE_INLINE void narrow_split_2(struct ddc *sum, struct ddc *difference, struct ddv c, const struct dd_digits *d, unsigned s,
                                 unsigned h)
{
    const vec ar = vec_load(d->re[s] + h), br = vec_load(d->re[s + 4] + h);
    if (!d->has_im) {
        const struct ddv t = dd_mul_double(c, br);
        *sum = (struct ddc){dd_add_double(t, ar), t};
        *difference = (struct ddc){dd_add_double(dd_neg(t), ar), dd_neg(t)};
        return;
    }
    const vec ai = vec_load(d->im[s] + h), bi = vec_load(d->im[s + 4] + h);
    const struct ddv tr = dd_mul_double(c, vec_sub(br, bi)), ti = dd_mul_double(c, vec_add(br, bi));
    *sum = (struct ddc){dd_add_double(tr, ar), dd_add_double(ti, ai)};
    *difference = (struct ddc){dd_add_double(dd_neg(tr), ar), dd_add_double(dd_neg(ti), ai)};
}

/* wide_split_2 - the same as any level does it. */
STAGE_INLINE void wide_split_2(struct ddc *sum, struct ddc *difference, struct ddc w, const struct dd_digits *d, unsigned s,
                               unsigned h)
{
    const vec zero = vec_set1(0.0);
    const struct ddc a = {{vec_load(d->re[s] + h), zero}, {d->has_im ? vec_load(d->im[s] + h) : zero, zero}};
    const struct ddc b = {{vec_load(d->re[s + 4] + h), zero}, {d->has_im ? vec_load(d->im[s + 4] + h) : zero, zero}};
    const struct ddc t = ddc_mul(b, w);
    *sum = ddc_add(a, t);
    *difference = ddc_sub(a, t);
}

static __attribute__((noinline)) void root_forward(const struct plan *plan, double *x, const struct dd_digits *d)
{
    const double *w = plan->dd.root;
    const struct ddc first = ddc_set1(w);
    _Alignas(64) double turned[GROUP_DOUBLES];
    for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
        struct ddc f[PLAN_BLOCK];
        for (unsigned s = 0; s < 4; s++) {
            if (plan->shape.narrow_digits)
                narrow_split_2(&f[s], &f[s + 4], first.re, d, s, h);
            else
                wide_split_2(&f[s], &f[s + 4], first, d, s, h);
        }
        for (unsigned child = 0; child < 2; child++)
            ddc_split_4(f + 4 * child, ddc_set1(w + 4 + 12 * child), ddc_set1(w + 8 + 12 * child), ddc_set1(w + 12 + 12 * child));
        for (unsigned s = 0; s < PLAN_BLOCK; s++)
            ddc_store(turned + s * DD_BLOCK_DOUBLES + h, f[s]);
    }
    group_transpose(x, turned, 4);
}

static __attribute__((noinline)) void root_inverse(const struct plan *plan, double *x)
{
    const double *w = plan->dd.root;
    const struct ddc first = ddc_set1(w);
    _Alignas(64) double turned[GROUP_DOUBLES];
    group_transpose(turned, x, 4);
    for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
        struct ddc f[PLAN_BLOCK];
        for (unsigned s = 0; s < PLAN_BLOCK; s++)
            f[s] = ddc_load(turned + s * DD_BLOCK_DOUBLES + h);
        for (unsigned child = 0; child < 2; child++)
            ddc_join_4(f + 4 * child, ddc_set1(w + 4 + 12 * child), ddc_set1(w + 8 + 12 * child), ddc_set1(w + 12 + 12 * child));
        for (unsigned s = 0; s < 4; s++) {
            ddc_store(x + s * DD_BLOCK_DOUBLES + h, ddc_add(f[s], f[s + 4]));
            ddc_store(x + (s + 4) * DD_BLOCK_DOUBLES + h, ddc_mul_conj(ddc_sub(f[s], f[s + 4]), first));
        }
    }
}

/* root_inverse_double - in double; the second parts become zero. */
static __attribute__((noinline)) void root_inverse_double(const struct plan *plan, double *x)
{
    const double *w = plan->dd.root;
    const struct dc first = dc_set1(w);
    _Alignas(64) double turned[GROUP_DOUBLES];
    group_transpose(turned, x, 2);
    for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
        struct dc f[PLAN_BLOCK];
        for (unsigned s = 0; s < PLAN_BLOCK; s++)
            f[s] = dc_load(turned + s * DD_BLOCK_DOUBLES + h);
        for (unsigned child = 0; child < 2; child++)
            dc_join_4(f + 4 * child, dc_set1(w + 4 + 12 * child), dc_set1(w + 8 + 12 * child), dc_set1(w + 12 + 12 * child));
        for (unsigned s = 0; s < 4; s++) {
            dc_store(x + s * DD_BLOCK_DOUBLES + h, dc_add(f[s], f[s + 4]));
            dc_store(x + (s + 4) * DD_BLOCK_DOUBLES + h, dc_mul_conj(dc_sub(f[s], f[s + 4]), first));
        }
        for (unsigned s = 0; s < PLAN_BLOCK; s++)
            dc_store(x + s * DD_BLOCK_DOUBLES + 2 * PLAN_BLOCK + h, (struct dc){vec_set1(0.0), vec_set1(0.0)});
    }
}

#endif
