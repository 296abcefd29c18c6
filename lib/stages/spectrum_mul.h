/*
 * spectrum_mul.h - products of spectra, for each packing.
 *
 * The cyclic packings pair the leaf at angle theta with the one at -theta.  With tree index t 2^L + k, L = log2_n:
 *     t = 0, k = 0     itself
 *     t = 0, k > 0     t = 0 and k with all bits below its highest one flipped
 *     t > 0            odd - t and k with all L bits flipped
 * In groups of 64 leaves that pairs whole groups, and within two groups leaf r with 63 - r (group 0 of t = 0: as above), that
 * is block 7 - v, lane 7 - s with block v, lane s.
 */
#ifndef GFMUL_SPECTRUM_MUL_H
#define GFMUL_SPECTRUM_MUL_H

static size_t flip_below_top(size_t k)
{
    return k == 0 ? 0 : k ^ (((size_t)1 << (63 - __builtin_clzll(k))) - 1);
}

/* group_partner - the group that holds the leaves at minus the angles of group `group`. */
static size_t group_partner(const struct plan_shape *s, size_t group)
{
    const size_t per_branch = (size_t)1 << (s->transform.log2_n - 6), t = group / per_branch, k = group % per_branch;
    return t == 0 ? flip_below_top(k) : (s->transform.odd - t) * per_branch + (per_branch - 1 - k);
}

/* leaf_reversed - the 64 leaves of a group in the order of their partners. */
static void leaf_reversed(double *out, const double *x, bool first_group)
{
    for (unsigned leaf = 0; leaf < PLAN_LEAF_POINTS; leaf++) {
        unsigned from = first_group ? (unsigned)flip_below_top(leaf) : PLAN_LEAF_POINTS - 1 - leaf;
        unsigned to_at = BLOCK_DOUBLES * (leaf % 8) + leaf / 8, from_at = BLOCK_DOUBLES * (from % 8) + from / 8;
        out[to_at] = x[from_at];
        out[to_at + PLAN_BLOCK] = x[from_at + PLAN_BLOCK];
    }
}

struct complex_vec {
    vec r, i;
};

STAGE_INLINE struct complex_vec load_complex(const double *p)
{
    return (struct complex_vec){vec_load(p), vec_load(p + PLAN_BLOCK)};
}

STAGE_INLINE struct complex_vec product(struct complex_vec a, struct complex_vec b)
{
    complex_mul(&a.r, &a.i, b.r, b.i);
    return a;
}

STAGE_INLINE struct complex_vec sum(struct complex_vec a, struct complex_vec b)
{
    return (struct complex_vec){vec_add(a.r, b.r), vec_add(a.i, b.i)};
}

/* even_part, odd_part - (v + conj w) / 2 and (v - conj w) / 2i: the spectra of the real and the imaginary parts. */
STAGE_INLINE struct complex_vec even_part(struct complex_vec v, struct complex_vec w)
{
    const vec half = vec_set1(0.5);
    return (struct complex_vec){vec_mul(half, vec_add(v.r, w.r)), vec_mul(half, vec_sub(v.i, w.i))};
}
STAGE_INLINE struct complex_vec odd_part(struct complex_vec v, struct complex_vec w)
{
    const vec half = vec_set1(0.5);
    return (struct complex_vec){vec_mul(half, vec_add(v.i, w.i)), vec_mul(half, vec_sub(w.r, v.r))};
}

/* two_for_one_point - v holds x + i y: the product of both spectra; square: v holds x alone and is its own spectrum. */
STAGE_INLINE struct complex_vec two_for_one_point(struct complex_vec v, struct complex_vec v_neg)
{
    return product(even_part(v, v_neg), odd_part(v, v_neg));
}

/* one_for_half_point - even and odd parts multiplied as polynomials in x^2: (Ea Eb + zeta Oa Ob) + i (Ea Ob + Oa Eb). */
STAGE_INLINE struct complex_vec one_for_half_point(struct complex_vec v, struct complex_vec v_neg, struct complex_vec w,
                                                   struct complex_vec w_neg, struct complex_vec zeta)
{
    struct complex_vec ea = even_part(v, v_neg), oa = odd_part(v, v_neg), eb = even_part(w, w_neg), ob = odd_part(w, w_neg);
    struct complex_vec even = sum(product(ea, eb), product(product(oa, zeta), ob));
    struct complex_vec odd = sum(product(ea, ob), product(oa, eb));
    return (struct complex_vec){vec_sub(even.r, odd.i), vec_add(even.i, odd.r)};
}

/* cyclic_group - the product on one group; v, w: its leaves, v_neg, w_neg: their partners', zeta: e(theta) of its leaves. */
static void cyclic_group(double *out, const double *v, const double *v_neg, const double *w, const double *w_neg,
                         const double *zeta)
{
    for (unsigned b = 0; b < LEAF_DOUBLES; b += BLOCK_DOUBLES) {
        for (unsigned k = b; k < b + PLAN_BLOCK; k += VEC_WIDTH) {
            struct complex_vec z, vk = load_complex(v + k), vn = load_complex(v_neg + k);
            if (zeta)
                z = one_for_half_point(vk, vn, load_complex(w + k), load_complex(w_neg + k), load_complex(zeta + k));
            else
                z = two_for_one_point(vk, vn);
            vec_store(out + k, z.r);
            vec_store(out + k + PLAN_BLOCK, z.i);
        }
    }
}

enum { SPECTRUM_LEAVES = 32 }; /* a part: some microseconds */

struct spectrum_work {
    const struct plan *plan;
    double *x;
    const double *y;
};

static void leaves_cyclic(void *arg, unsigned t, size_t first, size_t end)
{
    const struct spectrum_work *const work = arg;
    const struct plan *plan = work->plan;
    const struct plan_shape *s = &plan->shape;
    double *x = work->x;
    const double *y = work->y;
    (void)t;
    for (size_t g = first; g < end; g++) {
        const size_t h = group_partner(s, g);
        if (h < g)
            continue;
        _Alignas(64) double v_g[LEAF_DOUBLES], v_h[LEAF_DOUBLES], w_g[LEAF_DOUBLES], w_h[LEAF_DOUBLES], z[LEAF_DOUBLES];
        double *x_g = x + plan_point_offset(s, g * PLAN_LEAF_POINTS), *x_h = x + plan_point_offset(s, h * PLAN_LEAF_POINTS);
        const double *y_g = y + plan_point_offset(s, g * PLAN_LEAF_POINTS), *y_h = y + plan_point_offset(s, h * PLAN_LEAF_POINTS);
        const double *zeta = plan->leaf_angle;
        leaf_reversed(v_g, x_h, g == 0);
        leaf_reversed(w_g, y_h, g == 0);
        cyclic_group(z, x_g, v_g, y_g, w_g, zeta ? zeta + g * LEAF_DOUBLES : NULL);
        if (h != g) {
            leaf_reversed(v_h, x_g, false);
            leaf_reversed(w_h, y_g, false);
            cyclic_group(x_h, x_h, v_h, y_h, w_h, zeta ? zeta + h * LEAF_DOUBLES : NULL);
        }
        memcpy(x_g, z, sizeof z);
    }
}

static void leaves_pointwise(void *arg, unsigned t, size_t first, size_t end)
{
    const struct spectrum_work *const work = arg;
    (void)t;
    for (size_t g = first; g < end; g++) {
        const size_t at = plan_point_offset(&work->plan->shape, g * PLAN_LEAF_POINTS);
        leaf_product(work->x + at, work->x + at, work->y + at);
    }
}

static void cyclic_mul(const struct plan *plan, double *x, const double *y, unsigned threads)
{
    struct spectrum_work work = {plan, x, y};
    parallel_for(threads, plan->shape.transform.n_points / PLAN_LEAF_POINTS, SPECTRUM_LEAVES, leaves_cyclic, &work);
}

static void pointwise_mul(const struct plan *plan, double *x, const double *y, unsigned threads)
{
    struct spectrum_work work = {plan, x, y};
    parallel_for(threads, plan->shape.transform.n_points / PLAN_LEAF_POINTS, SPECTRUM_LEAVES, leaves_pointwise, &work);
}

static void spectrum_mul(const struct plan *plan, double *x, const double *y, unsigned threads)
{
    if (plan->shape.transform.packing == GFMUL_PACKING_RIGHT_ANGLE)
        pointwise_mul(plan, x, y, threads);
    else
        cyclic_mul(plan, x, plan->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE ? x : y, threads);
}

static void spectrum_sqr(const struct plan *plan, double *x, unsigned threads)
{
    if (plan->shape.transform.packing == GFMUL_PACKING_ONE_FOR_HALF)
        cyclic_mul(plan, x, x, threads);
    else /* two-for-one: the imaginary parts were zero, x is its own spectrum */
        pointwise_mul(plan, x, x, threads);
}

#endif
