/*
 * dd_number.h - numbers and points in double-double, lane by lane.
 *
 * A double-double is an unevaluated sum h + l of two doubles with h = fl(h + l).  Errors are in units of u^2 = 2^-106 and are
 * derived in doc/error-bound.md, section 19.   Source: [JMP17], [MR22]; [ROO08] for the last line of dd_dot.
 *
 * Operations with FMA: a sum 20, a product of points 38, of a double-double and a double 6.
 */
#ifndef GFMUL_DD_NUMBER_H
#define GFMUL_DD_NUMBER_H

struct ddv {
    vec h, l;
};

/* A point: real and imaginary part. */
struct ddc {
    struct ddv re, im;
};

/* two_sum - fl(a + b) and its error, exactly. */
STAGE_INLINE struct ddv two_sum(vec a, vec b)
{
    const vec s = vec_add(a, b), z = vec_sub(s, a);
    return (struct ddv){s, vec_add(vec_sub(a, vec_sub(s, z)), vec_sub(b, z))};
}

/* two_difference - fl(a - b) and its error. */
STAGE_INLINE struct ddv two_difference(vec a, vec b)
{
    const vec s = vec_sub(a, b), z = vec_sub(s, a);
    return (struct ddv){s, vec_sub(vec_sub(a, vec_sub(s, z)), vec_add(b, z))};
}

/* quick_sum - the same where |a| >= |b|, or a is a multiple of b's last place. */
STAGE_INLINE struct ddv quick_sum(vec a, vec b)
{
    const vec s = vec_add(a, b);
    return (struct ddv){s, vec_sub(b, vec_sub(s, a))};
}

/* dd_add, dd_sub - AccurateDWPlusDW; error 3. */
STAGE_INLINE struct ddv dd_add(struct ddv a, struct ddv b)
{
    const struct ddv s = two_sum(a.h, b.h), t = two_sum(a.l, b.l), v = quick_sum(s.h, vec_add(s.l, t.h));
    return quick_sum(v.h, vec_add(t.l, v.l));
}

STAGE_INLINE struct ddv dd_sub(struct ddv a, struct ddv b)
{
    const struct ddv s = two_difference(a.h, b.h), t = two_difference(a.l, b.l), v = quick_sum(s.h, vec_add(s.l, t.h));
    return quick_sum(v.h, vec_add(t.l, v.l));
}

/* dd_add_double - DWPlusFP; error 2. */
STAGE_INLINE struct ddv dd_add_double(struct ddv a, vec b)
{
    const struct ddv s = two_sum(a.h, b);
    return quick_sum(s.h, vec_add(a.l, s.l));
}

/* dd_mul_double - a b; error 2, 3 without FMA. */
STAGE_INLINE struct ddv dd_mul_double(struct ddv a, vec b)
{
    const vec p = vec_mul(a.h, b);
    return quick_sum(p, vec_fma(a.l, b, vec_product_error(a.h, b, p)));
}

/* A product that is not yet rounded: p, and the rest of the exact product but for a.l b.l. */
STAGE_INLINE struct ddv product_parts(struct ddv a, struct ddv b)
{
    const vec p = vec_mul(a.h, b.h);
    return (struct ddv){p, vec_fma(a.l, b.h, vec_fma(a.h, b.l, vec_product_error(a.h, b.h, p)))};
}

/* dd_mul - a b; error 6, 8 without FMA. */
STAGE_INLINE struct ddv dd_mul(struct ddv a, struct ddv b)
{
    const struct ddv p = product_parts(a, b);
    return quick_sum(p.h, p.l);
}

STAGE_INLINE struct ddv dd_neg(struct ddv a)
{
    return (struct ddv){vec_neg(a.h), vec_neg(a.l)};
}

/* dd_dot, dd_cross - a b + c d, a b - c d; error 12 (|a b| + |c d|) + |result|: if they cancel, not of the result alone. */
STAGE_INLINE struct ddv dd_dot(struct ddv a, struct ddv b, struct ddv c, struct ddv d)
{
    const struct ddv p = product_parts(a, b), q = product_parts(c, d), s = two_sum(p.h, q.h);
    return quick_sum(s.h, vec_add(s.l, vec_add(p.l, q.l)));
}

STAGE_INLINE struct ddv dd_cross(struct ddv a, struct ddv b, struct ddv c, struct ddv d)
{
    const struct ddv p = product_parts(a, b), q = product_parts(c, d), s = two_difference(p.h, q.h);
    return quick_sum(s.h, vec_add(s.l, vec_sub(p.l, q.l)));
}

/*
 * Sums that are rounded once, of products of digits, and of the inverse's light passes: h and l, |l| a few u times the sum of the
 * moduli of what has been added up, not of h.
 *   loose_product - w d; loose_add - 8 operations in place of 20; loose_settle - the double-double.
 */
STAGE_INLINE struct ddv loose_product(struct ddv w, vec d)
{
    const vec p = vec_mul(w.h, d);
    return (struct ddv){p, vec_fma(w.l, d, vec_product_error(w.h, d, p))};
}

STAGE_INLINE struct ddv loose_add(struct ddv a, struct ddv b)
{
    const struct ddv s = two_sum(a.h, b.h);
    return (struct ddv){s.h, vec_add(s.l, vec_add(a.l, b.l))};
}

STAGE_INLINE struct ddv loose_sub(struct ddv a, struct ddv b)
{
    const struct ddv s = two_difference(a.h, b.h);
    return (struct ddv){s.h, vec_add(s.l, vec_sub(a.l, b.l))};
}

STAGE_INLINE struct ddv loose_settle(struct ddv a)
{
    return quick_sum(a.h, a.l);
}

STAGE_INLINE struct ddc ddc_add(struct ddc a, struct ddc b)
{
    return (struct ddc){dd_add(a.re, b.re), dd_add(a.im, b.im)};
}

STAGE_INLINE struct ddc ddc_sub(struct ddc a, struct ddc b)
{
    return (struct ddc){dd_sub(a.re, b.re), dd_sub(a.im, b.im)};
}

/* ddc_add_i, ddc_sub_i - a + i b, a - i b. */
STAGE_INLINE struct ddc ddc_add_i(struct ddc a, struct ddc b)
{
    return (struct ddc){dd_sub(a.re, b.im), dd_add(a.im, b.re)};
}

STAGE_INLINE struct ddc ddc_sub_i(struct ddc a, struct ddc b)
{
    return (struct ddc){dd_add(a.re, b.im), dd_sub(a.im, b.re)};
}

/* The same of loose sums: ddc_settle makes them points. */
STAGE_INLINE struct ddc ddc_loose_add(struct ddc a, struct ddc b)
{
    return (struct ddc){loose_add(a.re, b.re), loose_add(a.im, b.im)};
}

STAGE_INLINE struct ddc ddc_loose_sub(struct ddc a, struct ddc b)
{
    return (struct ddc){loose_sub(a.re, b.re), loose_sub(a.im, b.im)};
}

STAGE_INLINE struct ddc ddc_loose_add_i(struct ddc a, struct ddc b)
{
    return (struct ddc){loose_sub(a.re, b.im), loose_add(a.im, b.re)};
}

STAGE_INLINE struct ddc ddc_loose_sub_i(struct ddc a, struct ddc b)
{
    return (struct ddc){loose_add(a.re, b.im), loose_sub(a.im, b.re)};
}

STAGE_INLINE struct ddc ddc_settle(struct ddc a)
{
    return (struct ddc){loose_settle(a.re), loose_settle(a.im)};
}

/* ddc_mul, ddc_mul_conj - a w, a conj(w); error 18, 22 without FMA. */
STAGE_INLINE struct ddc ddc_mul(struct ddc a, struct ddc w)
{
    return (struct ddc){dd_cross(a.re, w.re, a.im, w.im), dd_dot(a.re, w.im, a.im, w.re)};
}

STAGE_INLINE struct ddc ddc_mul_conj(struct ddc a, struct ddc w)
{
    return (struct ddc){dd_dot(a.re, w.re, a.im, w.im), dd_cross(a.im, w.re, a.re, w.im)};
}

/* A block's lanes at p: parts are PLAN_BLOCK doubles apart. */
STAGE_INLINE struct ddc ddc_load(const double *p)
{
    return (struct ddc){{vec_load(p), vec_load(p + 2 * PLAN_BLOCK)}, {vec_load(p + PLAN_BLOCK), vec_load(p + 3 * PLAN_BLOCK)}};
}

STAGE_INLINE void ddc_store(double *p, struct ddc a)
{
    vec_store(p, a.re.h);
    vec_store(p + PLAN_BLOCK, a.im.h);
    vec_store(p + 2 * PLAN_BLOCK, a.re.l);
    vec_store(p + 3 * PLAN_BLOCK, a.im.l);
}

/* ddc_set1 - re, im and their rests at p, in all lanes. */
STAGE_INLINE struct ddc ddc_set1(const double *p)
{
    return (struct ddc){{vec_set1(p[0]), vec_set1(p[2])}, {vec_set1(p[1]), vec_set1(p[3])}};
}

/* The same in double alone: the first parts of a block, for the last inverse passes. */
struct dc {
    vec re, im;
};

STAGE_INLINE struct dc dc_load(const double *p)
{
    return (struct dc){vec_load(p), vec_load(p + PLAN_BLOCK)};
}

STAGE_INLINE void dc_store(double *p, struct dc a)
{
    vec_store(p, a.re);
    vec_store(p + PLAN_BLOCK, a.im);
}

STAGE_INLINE struct dc dc_set1(const double *p)
{
    return (struct dc){vec_set1(p[0]), vec_set1(p[1])};
}

STAGE_INLINE struct dc dc_add(struct dc a, struct dc b)
{
    return (struct dc){vec_add(a.re, b.re), vec_add(a.im, b.im)};
}

STAGE_INLINE struct dc dc_sub(struct dc a, struct dc b)
{
    return (struct dc){vec_sub(a.re, b.re), vec_sub(a.im, b.im)};
}

/* dc_minus_i - -i (a - b). */
STAGE_INLINE struct dc dc_minus_i(struct dc a, struct dc b)
{
    return (struct dc){vec_sub(a.im, b.im), vec_sub(b.re, a.re)};
}

STAGE_INLINE struct dc dc_mul_conj(struct dc a, struct dc w)
{
    return (struct dc){vec_fma(a.re, w.re, vec_mul(a.im, w.im)), vec_fms(a.im, w.re, vec_mul(a.re, w.im))};
}

#endif
