/*
 * dd_pass.h - the passes of radix 4 and 2 in double-double, and their inverses in double.
 *
 * Each works on `count` columns side by side, blocks at x and DD_BLOCK_DOUBLES further on; the parts of a column that the pass
 * joins are `step` doubles apart.  w: the node's twiddles, a block for each.
 */
#ifndef GFMUL_DD_PASS_H
#define GFMUL_DD_PASS_H

/* ddc_split_4 - f_s to the sums of f_s w^s i^(s t) for t = 0, 2, 1, 3. */
STAGE_INLINE void ddc_split_4(struct ddc *f, struct ddc w1, struct ddc w2, struct ddc w3)
{
    const struct ddc g2 = ddc_mul(f[2], w2), s0 = ddc_add(f[0], g2), d0 = ddc_sub(f[0], g2);
    const struct ddc g1 = ddc_mul(f[1], w1), g3 = ddc_mul(f[3], w3), s1 = ddc_add(g1, g3), d1 = ddc_sub(g1, g3);
    f[0] = ddc_add(s0, s1);
    f[1] = ddc_sub(s0, s1);
    f[2] = ddc_add_i(d0, d1);
    f[3] = ddc_sub_i(d0, d1);
}

/* ddc_join_4 - four times the inverse. */
STAGE_INLINE void ddc_join_4(struct ddc *f, struct ddc w1, struct ddc w2, struct ddc w3)
{
    const struct ddc s0 = ddc_add(f[0], f[1]), s1 = ddc_sub(f[0], f[1]), d0 = ddc_add(f[2], f[3]), d1 = ddc_sub(f[2], f[3]);
    f[0] = ddc_add(s0, d0);
    f[2] = ddc_mul_conj(ddc_sub(s0, d0), w2);
    f[1] = ddc_mul_conj(ddc_sub_i(s1, d1), w1);
    f[3] = ddc_mul_conj(ddc_add_i(s1, d1), w3);
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
            const struct ddc a = ddc_load(x + h), b = ddc_mul(ddc_load(x + step + h), ddc_load(w + h));
            ddc_store(x + h, ddc_add(a, b));
            ddc_store(x + step + h, ddc_sub(a, b));
        }
    }
}

STAGE_INLINE void dd_join_2_pass(double *x, size_t step, size_t count, const double *w)
{
    for (size_t c = 0; c < count; c++, x += DD_BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            const struct ddc a = ddc_load(x + h), b = ddc_load(x + step + h);
            ddc_store(x + h, ddc_add(a, b));
            ddc_store(x + step + h, ddc_mul_conj(ddc_sub(a, b), ddc_load(w + h)));
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

static __attribute__((noinline)) void dd_split_4_pass(double *x, size_t step, size_t count, const double *w)
{
    for (size_t c = 0; c < count; c++, x += DD_BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            struct ddc f[4];
            for (unsigned s = 0; s < 4; s++)
                f[s] = ddc_load(x + s * step + h);
            ddc_split_4(f, ddc_load(w + h), ddc_load(w + DD_BLOCK_DOUBLES + h), ddc_load(w + 2 * DD_BLOCK_DOUBLES + h));
            for (unsigned s = 0; s < 4; s++)
                ddc_store(x + s * step + h, f[s]);
        }
    }
}

static __attribute__((noinline)) void dd_join_4_pass(double *x, size_t step, size_t count, const double *w)
{
    for (size_t c = 0; c < count; c++, x += DD_BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            struct ddc f[4];
            for (unsigned s = 0; s < 4; s++)
                f[s] = ddc_load(x + s * step + h);
            ddc_join_4(f, ddc_load(w + h), ddc_load(w + DD_BLOCK_DOUBLES + h), ddc_load(w + 2 * DD_BLOCK_DOUBLES + h));
            for (unsigned s = 0; s < 4; s++)
                ddc_store(x + s * step + h, f[s]);
        }
    }
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

/* pass_forward - a pass on one node of `length` doubles. */
STAGE_INLINE void pass_forward(const struct plan_pass *pass, double *x, size_t step, size_t count, const double *w)
{
    if (pass->radix == 4)
        dd_split_4_pass(x, step, count, w);
    else
        dd_split_2_pass(x, step, count, w);
}

STAGE_INLINE void pass_inverse(const struct plan_pass *pass, double *x, size_t step, size_t count, const double *w,
                               bool in_double)
{
    if (pass->radix == 4)
        (in_double ? dc_join_4_pass : dd_join_4_pass)(x, step, count, w);
    else if (in_double)
        dc_join_2_pass(x, step, count, w);
    else
        dd_join_2_pass(x, step, count, w);
}

#endif
