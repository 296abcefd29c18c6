/*
 * dd_points.h - points of plain transforms in double-double, side by side as callers have them (fft/fft_dd.c): products, and real
 * transforms by complex ones of half the length.
 *
 * A point is four doubles: re, rest of re, im, rest of im.
 */
#ifndef GFMUL_DD_POINTS_H
#define GFMUL_DD_POINTS_H

/* Where parts re, im, rest of re, rest of im lie in a point. */
static const unsigned point_place[STOCKHAM_PARTS] = {0, 2, 1, 3};

/* points_load, points_store - count <= VEC_WIDTH points from x on, each `step` points behind the one before; zeros beyond. */
STAGE_INLINE struct ddc points_load(const double *x, ptrdiff_t step, size_t count)
{
    struct lanes t;
    memset(&t, 0, sizeof t);
    for (unsigned part = 0; part < STOCKHAM_PARTS; part++)
        for (size_t i = 0; i < count; i++)
            t.part[part][i] = x[STOCKHAM_PARTS * step * (ptrdiff_t)i + (ptrdiff_t)point_place[part]];
    return lanes_load(&t);
}

STAGE_INLINE void points_store(double *x, ptrdiff_t step, size_t count, struct ddc a)
{
    struct lanes t;
    lanes_store(&t, a);
    for (unsigned part = 0; part < STOCKHAM_PARTS; part++)
        for (size_t i = 0; i < count; i++)
            x[STOCKHAM_PARTS * step * (ptrdiff_t)i + (ptrdiff_t)point_place[part]] = t.part[part][i];
}

/* points_multiply - x_j times y_j, or times its conjugate. */
static void points_multiply(void *to, const void *by, size_t count, bool conjugate)
{
    double *x = to;
    const double *y = by;
    for (size_t i = 0; i < count; i += VEC_WIDTH) {
        const size_t lanes = count - i < VEC_WIDTH ? count - i : VEC_WIDTH;
        const struct ddc a = points_load(x + STOCKHAM_PARTS * i, 1, lanes), b = points_load(y + STOCKHAM_PARTS * i, 1, lanes);
        points_store(x + STOCKHAM_PARTS * i, 1, lanes, conjugate ? ddc_mul_conj(a, b) : ddc_mul(a, b));
    }
}

STAGE_INLINE struct ddc ddc_conj(struct ddc a)
{
    return (struct ddc){a.re, dd_neg(a.im)};
}

STAGE_INLINE struct ddv dd_half(struct ddv a)
{
    const vec half = vec_set1(0.5);
    return (struct ddv){vec_mul(a.h, half), vec_mul(a.l, half)};
}

STAGE_INLINE struct ddc ddc_half(struct ddc a)
{
    return (struct ddc){dd_half(a.re), dd_half(a.im)};
}

/* real_split - Z_0 .. Z_(h-1) to X_0 .. X_h: X_k = E - i w^k O, X_(h-k) = conj(E + i w^k O), E, O = (Z_k +- conj Z_(h-k)) / 2. */
static void real_split(size_t h, const double *roots, double *z)
{
    const struct ddc first = points_load(z, 1, 1);
    const struct ddv zero = {vec_set1(0.0), vec_set1(0.0)};
    for (size_t k = 1; 2 * k <= h; k += VEC_WIDTH) {
        const size_t left = h / 2 + 1 - k, lanes = left < VEC_WIDTH ? left : VEC_WIDTH;
        double *at = z + STOCKHAM_PARTS * k, *mirrored = z + STOCKHAM_PARTS * (h - k);
        const struct ddc a = points_load(at, 1, lanes), b = ddc_conj(points_load(mirrored, -1, lanes));
        const struct ddc even = ddc_half(ddc_add(a, b));
        const struct ddc odd = ddc_mul(ddc_half(ddc_sub(a, b)), points_load(roots + STOCKHAM_PARTS * k, 1, lanes));
        points_store(at, 1, lanes, ddc_sub_i(even, odd));
        points_store(mirrored, -1, lanes, ddc_conj(ddc_add_i(even, odd)));
    }
    points_store(z, 1, 1, (struct ddc){dd_add(first.re, first.im), zero});
    points_store(z + STOCKHAM_PARTS * h, 1, 1, (struct ddc){dd_sub(first.re, first.im), zero});
}

/* real_join - X_0 .. X_h to 2 Z_0 .. 2 Z_(h-1); the imaginary parts of X_0 and X_h are not used.   z == x is allowed. */
static void real_join(size_t h, const double *roots, double *z, const double *x)
{
    const struct ddv first = points_load(x, 1, 1).re, last = points_load(x + STOCKHAM_PARTS * h, 1, 1).re;
    for (size_t k = 1; 2 * k <= h; k += VEC_WIDTH) {
        const size_t left = h / 2 + 1 - k, lanes = left < VEC_WIDTH ? left : VEC_WIDTH;
        const size_t at = STOCKHAM_PARTS * k, mirrored = STOCKHAM_PARTS * (h - k);
        const struct ddc a = points_load(x + at, 1, lanes), b = ddc_conj(points_load(x + mirrored, -1, lanes));
        const struct ddc even = ddc_add(a, b);
        const struct ddc odd = ddc_mul_conj(ddc_sub(a, b), points_load(roots + STOCKHAM_PARTS * k, 1, lanes));
        points_store(z + at, 1, lanes, ddc_add_i(even, odd));
        points_store(z + mirrored, -1, lanes, ddc_conj(ddc_sub_i(even, odd)));
    }
    points_store(z, 1, 1, (struct ddc){dd_add(first, last), dd_sub(first, last)});
}

#endif
