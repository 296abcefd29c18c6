/*
 * dd_pass.h - the passes of radix 4 and 2 in double-double, and their inverses, of the kinds of plan_dd.h.
 *
 * Each works on `count` columns side by side, blocks at x and DD_BLOCK_DOUBLES further on.  The elements of a column that a
 * butterfly joins are `step` doubles apart.  w: the node's twiddles, a block for each.
 */
#ifndef GFMUL_DD_PASS_H
#define GFMUL_DD_PASS_H

/*
 * ddc_sums_4 - f0 + f1, f0 - f1 and so on: the sums of two layers, without products, in the order of the inverse's results.
 *
 *   i      in  1: the second layer adds i d1 to s1, as forwards; -1: backwards
 *   light  in  each result is rounded once
 */
STAGE_INLINE void ddc_sums_4(struct ddc *g, struct ddc a, struct ddc b, struct ddc c, struct ddc d, int i, bool light)
{
    if (light) {
        const struct ddc s0 = ddc_loose_add(a, b), s1 = ddc_loose_sub(a, b), d0 = ddc_loose_add(c, d), d1 = ddc_loose_sub(c, d);
        g[0] = ddc_settle(ddc_loose_add(s0, d0));
        g[1] = ddc_settle(i > 0 ? ddc_loose_add_i(s1, d1) : ddc_loose_sub_i(s1, d1));
        g[2] = ddc_settle(ddc_loose_sub(s0, d0));
        g[3] = ddc_settle(i > 0 ? ddc_loose_sub_i(s1, d1) : ddc_loose_add_i(s1, d1));
    } else {
        const struct ddc s0 = ddc_add(a, b), s1 = ddc_sub(a, b), d0 = ddc_add(c, d), d1 = ddc_sub(c, d);
        g[0] = ddc_add(s0, d0);
        g[1] = i > 0 ? ddc_add_i(s1, d1) : ddc_sub_i(s1, d1);
        g[2] = ddc_sub(s0, d0);
        g[3] = i > 0 ? ddc_sub_i(s1, d1) : ddc_add_i(s1, d1);
    }
}

/* ddc_split_4 - f_s to the sums of f_s w^s i^(s t) for t = 0, 2, 1, 3. */
STAGE_INLINE void ddc_split_4(struct ddc *f, struct ddc w1, struct ddc w2, struct ddc w3, bool light)
{
    struct ddc g[4];
    ddc_sums_4(g, f[0], ddc_mul(f[2], w2), ddc_mul(f[1], w1), ddc_mul(f[3], w3), 1, light);
    f[0] = g[0];
    f[1] = g[2];
    f[2] = g[1];
    f[3] = g[3];
}

/* ddc_join_4 - four times the inverse. */
STAGE_INLINE void ddc_join_4(struct ddc *f, struct ddc w1, struct ddc w2, struct ddc w3, bool light)
{
    struct ddc g[4];
    ddc_sums_4(g, f[0], f[1], f[2], f[3], -1, light);
    f[0] = g[0];
    f[1] = ddc_mul_conj(g[1], w1);
    f[2] = ddc_mul_conj(g[2], w2);
    f[3] = ddc_mul_conj(g[3], w3);
}

/* ddc_split_2, ddc_join_2 - a + w b, a - w b; twice the inverse. */
STAGE_INLINE void ddc_split_2(struct ddc *a, struct ddc *b, struct ddc w)
{
    const struct ddc g = ddc_mul(*b, w);
    *b = ddc_sub(*a, g);
    *a = ddc_add(*a, g);
}

STAGE_INLINE void ddc_join_2(struct ddc *a, struct ddc *b, struct ddc w)
{
    const struct ddc sum = ddc_add(*a, *b);
    *b = ddc_mul_conj(ddc_sub(*a, *b), w);
    *a = sum;
}

/* dc_join_4 - the same in double. */
STAGE_INLINE void dc_join_4(struct dc *f, struct dc w1, struct dc w2, struct dc w3)
{
    const struct dc s0 = dc_add(f[0], f[1]), s1 = dc_sub(f[0], f[1]), d0 = dc_add(f[2], f[3]), d1 = dc_minus_i(f[2], f[3]);
    f[0] = dc_add(s0, d0);
    f[2] = dc_mul_conj(dc_sub(s0, d0), w2);
    f[1] = dc_mul_conj(dc_add(s1, d1), w1);
    f[3] = dc_mul_conj(dc_sub(s1, d1), w3);
}

STAGE_INLINE void dd_split_2_pass(double *x, size_t step, size_t count, const double *w)
{
    for (size_t c = 0; c < count; c++, x += DD_BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            struct ddc a = ddc_load(x + h), b = ddc_load(x + step + h);
            ddc_split_2(&a, &b, ddc_load(w + h));
            ddc_store(x + h, a);
            ddc_store(x + step + h, b);
        }
    }
}

STAGE_INLINE void dd_join_2_pass(double *x, size_t step, size_t count, const double *w)
{
    for (size_t c = 0; c < count; c++, x += DD_BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            struct ddc a = ddc_load(x + h), b = ddc_load(x + step + h);
            ddc_join_2(&a, &b, ddc_load(w + h));
            ddc_store(x + h, a);
            ddc_store(x + step + h, b);
        }
    }
}

STAGE_INLINE void dc_join_2_pass(double *x, size_t step, size_t count, const double *w)
{
    for (size_t c = 0; c < count; c++, x += DD_BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            const struct dc a = dc_load(x + h), b = dc_load(x + step + h);
            dc_store(x + h, dc_add(a, b));
            dc_store(x + step + h, dc_mul_conj(dc_sub(a, b), dc_load(w + h)));
        }
    }
}

/* dd_pass_4 - a pass of radix 4 or its inverse. */
STAGE_INLINE void dd_pass_4(double *x, size_t step, size_t count, const double *w, bool forward, bool light)
{
    for (size_t c = 0; c < count; c++, x += DD_BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            struct ddc f[4];
            for (unsigned s = 0; s < 4; s++)
                f[s] = ddc_load(x + s * step + h);
            (forward ? ddc_split_4 : ddc_join_4)(f, ddc_load(w + h), ddc_load(w + DD_BLOCK_DOUBLES + h),
                                                 ddc_load(w + 2 * DD_BLOCK_DOUBLES + h), light);
            for (unsigned s = 0; s < 4; s++)
                ddc_store(x + s * step + h, f[s]);
        }
    }
}

static __attribute__((noinline)) void dd_split_4_pass(double *x, size_t step, size_t count, const double *w)
{
    dd_pass_4(x, step, count, w, true, false);
}

static __attribute__((noinline)) void dd_split_4_pass_light(double *x, size_t step, size_t count, const double *w)
{
    dd_pass_4(x, step, count, w, true, true);
}

static __attribute__((noinline)) void dd_join_4_pass(double *x, size_t step, size_t count, const double *w)
{
    dd_pass_4(x, step, count, w, false, false);
}

static __attribute__((noinline)) void dd_join_4_pass_light(double *x, size_t step, size_t count, const double *w)
{
    dd_pass_4(x, step, count, w, false, true);
}

static __attribute__((noinline)) void dc_join_4_pass(double *x, size_t step, size_t count, const double *w)
{
    for (size_t c = 0; c < count; c++, x += DD_BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            struct dc f[4];
            for (unsigned s = 0; s < 4; s++)
                f[s] = dc_load(x + s * step + h);
            dc_join_4(f, dc_load(w + h), dc_load(w + DD_BLOCK_DOUBLES + h), dc_load(w + 2 * DD_BLOCK_DOUBLES + h));
            for (unsigned s = 0; s < 4; s++)
                dc_store(x + s * step + h, f[s]);
        }
    }
}

/* pass_forward, pass_inverse - a pass on one node. */
STAGE_INLINE void pass_forward(const struct plan_pass *pass, double *x, size_t step, size_t count, const double *w,
                               enum dd_kind kind)
{
    if (pass->radix == 4)
        (kind == DD_LIGHT ? dd_split_4_pass_light : dd_split_4_pass)(x, step, count, w);
    else
        dd_split_2_pass(x, step, count, w);
}

STAGE_INLINE void pass_inverse(const struct plan_pass *pass, double *x, size_t step, size_t count, const double *w,
                               enum dd_kind kind)
{
    if (pass->radix == 4)
        (kind == DD_DOUBLE ? dc_join_4_pass : kind == DD_LIGHT ? dd_join_4_pass_light : dd_join_4_pass)(x, step, count, w);
    else if (kind == DD_DOUBLE)
        dc_join_2_pass(x, step, count, w);
    else
        dd_join_2_pass(x, step, count, w);
}

#endif
