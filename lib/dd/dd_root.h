/*
 * dd_root.h - the root's pass: digits to eight children, and back.
 *
 * Forwards it takes eight digits from each of eight streams (two of each, real and imaginary part) and leaves a group of eight
 * blocks, lane v of block k being point k of the v-th child: a transposition turns streams into lanes.  The first level's twiddle
 * is e(1/8) = c (1 + i): with digits as doubles its products are c (re - im) and c (re + im), differences and sums of integers
 * that are exact.  If all digits are real parts, an output is a dot product of eight digits with double-doubles, rounded once.
 */
#ifndef GFMUL_DD_ROOT_H
#define GFMUL_DD_ROOT_H

enum { GROUP_DOUBLES = PLAN_BLOCK * DD_BLOCK_DOUBLES };

/* w^q of a child of the first level, 1 <= q <= 7, in plan->dd.root. */
#define ROOT_POWER(root, child, q) ((root) + 4 + 28 * (child) + 4 * ((q)-1))

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

/*
 * digits_split_8 - the four children below one of the first level's two: the sums of d_s w^s i^(s k), s < 8, k = 0, 2, 1, 3.
 *
 *   w  in  w^1 .. w^7
 */
STAGE_INLINE void digits_split_8(struct ddc *f, const double *w, const struct dd_digits *d, unsigned h)
{
    struct ddc g[4]; /* d_s w^s + d_(s+4) w^(s+4) */
    for (unsigned s = 0; s < 4; s++) {
        const vec a = vec_load(d->re[s] + h), b = vec_load(d->re[s + 4] + h);
        const struct ddc v = ddc_set1(w + 4 * (s + 3));
        g[s] = (struct ddc){loose_product(v.re, b), loose_product(v.im, b)};
        if (s == 0) {
            const struct ddv re = two_sum(a, g[0].re.h);
            g[0].re = (struct ddv){re.h, vec_add(re.l, g[0].re.l)};
        } else {
            const struct ddc c = ddc_set1(w + 4 * (s - 1));
            g[s] = (struct ddc){loose_add(loose_product(c.re, a), g[s].re), loose_add(loose_product(c.im, a), g[s].im)};
        }
    }
    const struct ddc s0 = ddc_loose_add(g[0], g[2]), d0 = ddc_loose_sub(g[0], g[2]);
    const struct ddc s1 = ddc_loose_add(g[1], g[3]), d1 = ddc_loose_sub(g[1], g[3]);
    f[0] = ddc_settle(ddc_loose_add(s0, s1));
    f[1] = ddc_settle(ddc_loose_sub(s0, s1));
    f[2] = ddc_settle(ddc_loose_add_i(d0, d1));
    f[3] = ddc_settle(ddc_loose_sub_i(d0, d1));
}

/* narrow_split_2 - a, b digits: a + w b and a - w b, w = c (1 + i). */
STAGE_INLINE void narrow_split_2(struct ddc *sum, struct ddc *difference, struct ddv c, const struct dd_digits *d, unsigned s,
                                 unsigned h)
{
    const vec ar = vec_load(d->re[s] + h), br = vec_load(d->re[s + 4] + h);
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

/* root_split_4 - the second and third level. */
STAGE_INLINE void root_split_4(struct ddc *f, const double *w)
{
    for (unsigned child = 0; child < 2; child++)
        ddc_split_4(f + 4 * child, ddc_set1(ROOT_POWER(w, child, 1)), ddc_set1(ROOT_POWER(w, child, 2)),
                    ddc_set1(ROOT_POWER(w, child, 3)), false);
}

static __attribute__((noinline)) void root_forward(const struct plan *plan, double *x, const struct dd_digits *d)
{
    const double *w = plan->dd.root;
    const struct ddc first = ddc_set1(w);
    const bool dot = plan->shape.digits.narrow && !d->has_im;
    _Alignas(64) double turned[GROUP_DOUBLES];
    for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
        struct ddc f[PLAN_BLOCK];
        for (unsigned child = 0; dot && child < 2; child++) {
            digits_split_8(f, ROOT_POWER(w, child, 1), d, h);
            for (unsigned s = 0; s < 4; s++)
                ddc_store(turned + (4 * child + s) * DD_BLOCK_DOUBLES + h, f[s]);
        }
        if (dot)
            continue;
        for (unsigned s = 0; s < 4; s++) {
            if (plan->shape.digits.narrow)
                narrow_split_2(&f[s], &f[s + 4], first.re, d, s, h);
            else
                wide_split_2(&f[s], &f[s + 4], first, d, s, h);
        }
        root_split_4(f, w);
        for (unsigned s = 0; s < PLAN_BLOCK; s++)
            ddc_store(turned + s * DD_BLOCK_DOUBLES + h, f[s]);
    }
    group_transpose(x, turned, 4);
}

/* root_forward_points - the same for branch t of an odd pass, from points: block s of `from` is stream s. */
static __attribute__((noinline)) void root_forward_points(const struct plan *plan, unsigned t, double *x, const double *from)
{
    const double *w = plan->dd.root + t * 4 * DD_ROOT_ENTRIES;
    const struct ddc first = ddc_set1(w);
    _Alignas(64) double turned[GROUP_DOUBLES];
    for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
        struct ddc f[PLAN_BLOCK];
        for (unsigned s = 0; s < 4; s++) {
            const struct ddc a = ddc_load(from + s * DD_BLOCK_DOUBLES + h);
            const struct ddc b = ddc_mul(ddc_load(from + (s + 4) * DD_BLOCK_DOUBLES + h), first);
            f[s] = ddc_add(a, b);
            f[s + 4] = ddc_sub(a, b);
        }
        root_split_4(f, w);
        for (unsigned s = 0; s < PLAN_BLOCK; s++)
            ddc_store(turned + s * DD_BLOCK_DOUBLES + h, f[s]);
    }
    group_transpose(x, turned, 4);
}

STAGE_INLINE void root_join_8(const struct plan *plan, unsigned t, double *x, bool light)
{
    const double *w = plan->dd.root + t * 4 * DD_ROOT_ENTRIES;
    const struct ddc first = ddc_set1(w);
    _Alignas(64) double turned[GROUP_DOUBLES];
    group_transpose(turned, x, 4);
    for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
        struct ddc f[PLAN_BLOCK];
        for (unsigned s = 0; s < PLAN_BLOCK; s++)
            f[s] = ddc_load(turned + s * DD_BLOCK_DOUBLES + h);
        for (unsigned child = 0; child < 2; child++)
            ddc_join_4(f + 4 * child, ddc_set1(ROOT_POWER(w, child, 1)), ddc_set1(ROOT_POWER(w, child, 2)),
                       ddc_set1(ROOT_POWER(w, child, 3)), light);
        for (unsigned s = 0; s < 4; s++) {
            ddc_join_2(&f[s], &f[s + 4], first);
            ddc_store(x + s * DD_BLOCK_DOUBLES + h, f[s]);
            ddc_store(x + (s + 4) * DD_BLOCK_DOUBLES + h, f[s + 4]);
        }
    }
}

/* root_inverse - of branch t; 0 if there is no odd pass.   root_inverse_light - with sums that are rounded once. */
static __attribute__((noinline)) void root_inverse(const struct plan *plan, unsigned t, double *x)
{
    root_join_8(plan, t, x, false);
}

static __attribute__((noinline)) void root_inverse_light(const struct plan *plan, unsigned t, double *x)
{
    root_join_8(plan, t, x, true);
}

/* root_inverse_double - in double; the second parts become zero. */
static __attribute__((noinline)) void root_inverse_double(const struct plan *plan, unsigned t, double *x)
{
    const double *w = plan->dd.root + t * 4 * DD_ROOT_ENTRIES;
    const struct dc first = dc_set1(w);
    _Alignas(64) double turned[GROUP_DOUBLES];
    group_transpose(turned, x, 2);
    for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
        struct dc f[PLAN_BLOCK];
        for (unsigned s = 0; s < PLAN_BLOCK; s++)
            f[s] = dc_load(turned + s * DD_BLOCK_DOUBLES + h);
        for (unsigned child = 0; child < 2; child++)
            dc_join_4(f + 4 * child, dc_set1(ROOT_POWER(w, child, 1)), dc_set1(ROOT_POWER(w, child, 2)),
                      dc_set1(ROOT_POWER(w, child, 3)));
        for (unsigned s = 0; s < 4; s++) {
            dc_store(x + s * DD_BLOCK_DOUBLES + h, dc_add(f[s], f[s + 4]));
            dc_store(x + (s + 4) * DD_BLOCK_DOUBLES + h, dc_mul_conj(dc_sub(f[s], f[s + 4]), first));
        }
        for (unsigned s = 0; s < PLAN_BLOCK; s++)
            dc_store(x + s * DD_BLOCK_DOUBLES + 2 * PLAN_BLOCK + h, (struct dc){vec_set1(0.0), vec_set1(0.0)});
    }
}

#endif
