/*
 * transform.h - the tree, forwards (decimation in frequency) and backwards (decimation in time), columns then rows.
 *
 * The buffer is n_rows rows of row_points.  The column passes split the root into n_rows nodes: strips of STRIP_POINTS columns
 * are independent, and a strip stays in the second-level cache through all column passes.  Then each row is a node of its own
 * and is split depth first down to leaves of 64 points.
 */
#ifndef GFMUL_TRANSFORM_H
#define GFMUL_TRANSFORM_H

enum { STRIP_POINTS = 64, STRIP_BLOCKS = STRIP_POINTS / PLAN_BLOCK };

STAGE_INLINE const double *pass_twiddles(const struct plan *plan, unsigned p, size_t g)
{
    unsigned radix = plan->shape.pass[p].radix;
    return radix % 2 ? plan->twiddle[p] : node_twiddles(plan->twiddle[p], radix, g);
}

static void column_forward(const struct plan *plan, double *x, unsigned p, size_t g, size_t rows, bool upper_zero)
{
    const struct plan_shape *s = &plan->shape;
    unsigned radix = s->pass[p].radix;
    size_t h = rows / radix, stride = h * s->row_stride;
    const double *node = pass_twiddles(plan, p, g);
    for (size_t q = 0; q < h; q++)
        pass_forward(radix, upper_zero, x + q * s->row_stride, stride, STRIP_BLOCKS, node);
    if (p + 1 < s->n_column_passes)
        for (unsigned c = 0; c < radix; c++)
            column_forward(plan, x + c * stride, p + 1, g * radix + c, h, false);
}

static void column_inverse(const struct plan *plan, double *x, unsigned p, size_t g, size_t rows)
{
    const struct plan_shape *s = &plan->shape;
    unsigned radix = s->pass[p].radix;
    size_t h = rows / radix, stride = h * s->row_stride;
    if (p + 1 < s->n_column_passes)
        for (unsigned c = 0; c < radix; c++)
            column_inverse(plan, x + c * stride, p + 1, g * radix + c, h);
    const double *node = pass_twiddles(plan, p, g);
    for (size_t q = 0; q < h; q++)
        pass_inverse(radix, x + q * s->row_stride, stride, STRIP_BLOCKS, node);
}

/* The two tables of a leaf: node g of pass p, and its children 8g .. 8g + 7 of pass p + 1. */
#define LEAF_TABLES(plan, p, g) pass_twiddles(plan, p, g), pass_twiddles(plan, (p) + 1, (g) * 8)

static void row_forward(const struct plan *plan, double *x, unsigned p, size_t g, size_t points, bool upper_zero)
{
    if (points == PLAN_LEAF_POINTS) {
        leaf_forward(x, x, LEAF_TABLES(plan, p, g));
        return;
    }
    unsigned radix = plan->shape.pass[p].radix;
    size_t h = points / radix;
    pass_forward(radix, upper_zero, x, 2 * h, h / PLAN_BLOCK, pass_twiddles(plan, p, g));
    for (unsigned c = 0; c < radix; c++)
        row_forward(plan, x + 2 * h * c, p + 1, g * radix + c, h, false);
}

static void row_inverse(const struct plan *plan, double *x, unsigned p, size_t g, size_t points)
{
    if (points == PLAN_LEAF_POINTS) {
        leaf_inverse(x, x, LEAF_TABLES(plan, p, g));
        return;
    }
    unsigned radix = plan->shape.pass[p].radix;
    size_t h = points / radix;
    for (unsigned c = 0; c < radix; c++)
        row_inverse(plan, x + 2 * h * c, p + 1, g * radix + c, h);
    pass_inverse(radix, x, 2 * h, h / PLAN_BLOCK, pass_twiddles(plan, p, g));
}

/* leaf_product - z = x y pointwise on the 64 points of a leaf. */
STAGE_INLINE void leaf_product(double *z, const double *x, const double *y)
{
    for (unsigned b = 0; b < LEAF_DOUBLES; b += BLOCK_DOUBLES) {
        for (unsigned k = b; k < b + PLAN_BLOCK; k += VEC_WIDTH) {
            vec r = vec_load(x + k), i = vec_load(x + k + PLAN_BLOCK);
            complex_mul(&r, &i, vec_load(y + k), vec_load(y + k + PLAN_BLOCK));
            vec_store(z + k, r);
            vec_store(z + k + PLAN_BLOCK, i);
        }
    }
}

/* row_mul - row_forward of x and y, the product, row_inverse into x: node by node, so that a leaf never leaves the cache. */
static void row_mul(const struct plan *plan, double *x, double *y, unsigned p, size_t g, size_t points, bool x_zero, bool y_zero)
{
    if (points == PLAN_LEAF_POINTS) {
        _Alignas(64) double a[LEAF_DOUBLES], b[LEAF_DOUBLES];
        leaf_forward(a, x, LEAF_TABLES(plan, p, g));
        if (y != x)
            leaf_forward(b, y, LEAF_TABLES(plan, p, g));
        leaf_product(a, a, y == x ? a : b);
        leaf_inverse(x, a, LEAF_TABLES(plan, p, g));
        return;
    }
    unsigned radix = plan->shape.pass[p].radix;
    size_t h = points / radix;
    const double *node = pass_twiddles(plan, p, g);
    pass_forward(radix, x_zero, x, 2 * h, h / PLAN_BLOCK, node);
    if (y != x)
        pass_forward(radix, y_zero, y, 2 * h, h / PLAN_BLOCK, node);
    for (unsigned c = 0; c < radix; c++)
        row_mul(plan, x + 2 * h * c, y + 2 * h * c, p + 1, g * radix + c, h, false, false);
    pass_inverse(radix, x, 2 * h, h / PLAN_BLOCK, node);
}

/* The root's upper half is zero, and its first pass splits it in halves. */
STAGE_INLINE bool upper_half_zero(const struct plan_shape *s, size_t used_points)
{
    return s->odd == 1 && used_points <= s->n_points / 2;
}

/* Called by every thread of a parallel region; ends in a barrier. */
STAGE_INLINE void columns_forward(const struct plan *plan, double *x, size_t used_points)
{
    const struct plan_shape *s = &plan->shape;
    const size_t strips = s->n_column_passes ? s->row_points / STRIP_POINTS : 0;
#pragma omp for schedule(static)
    for (size_t k = 0; k < strips; k++)
        column_forward(plan, x + k * 2 * STRIP_POINTS, 0, 0, s->n_rows, upper_half_zero(s, used_points));
}

STAGE_INLINE void columns_inverse(const struct plan *plan, double *x)
{
    const struct plan_shape *s = &plan->shape;
    const size_t strips = s->n_column_passes ? s->row_points / STRIP_POINTS : 0;
#pragma omp for schedule(static)
    for (size_t k = 0; k < strips; k++)
        column_inverse(plan, x + k * 2 * STRIP_POINTS, 0, 0, s->n_rows);
}

/* Called by every thread of a parallel region; ends in a barrier. */
STAGE_INLINE void rows_forward(const struct plan *plan, double *x, size_t used_points)
{
    const struct plan_shape *s = &plan->shape;
    const bool zero = s->n_column_passes == 0 && s->n_points > PLAN_LEAF_POINTS && upper_half_zero(s, used_points);
#pragma omp for schedule(static)
    for (size_t r = 0; r < s->n_rows; r++)
        row_forward(plan, x + r * s->row_stride, s->n_column_passes, r, s->row_points, zero);
}

STAGE_INLINE void rows_mul(const struct plan *plan, double *x, double *y, size_t x_used, size_t y_used)
{
    const struct plan_shape *s = &plan->shape;
    const bool root_in_rows = s->n_column_passes == 0 && s->n_points > PLAN_LEAF_POINTS;
    const bool x_zero = root_in_rows && upper_half_zero(s, x_used), y_zero = root_in_rows && upper_half_zero(s, y_used);
#pragma omp for schedule(static)
    for (size_t r = 0; r < s->n_rows; r++)
        row_mul(plan, x + r * s->row_stride, y + r * s->row_stride, s->n_column_passes, r, s->row_points, x_zero, y_zero);
}

static void digits_to_spectrum(const struct plan *plan, double *x, size_t used_points, unsigned threads)
{
    (void)threads; /* unused without OpenMP */
#pragma omp parallel num_threads(threads) if (threads > 1 && plan->shape.n_rows > 1)
    {
        columns_forward(plan, x, used_points);
        rows_forward(plan, x, used_points);
    }
}

static void columns_to_spectrum(const struct plan *plan, double *x, size_t used_points, unsigned threads)
{
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1 && plan->shape.n_rows > 1)
    rows_forward(plan, x, used_points);
}

/* Called by every thread of a parallel region; ends in a barrier. */
STAGE_INLINE void rows_inverse(const struct plan *plan, double *x)
{
    const struct plan_shape *s = &plan->shape;
#pragma omp for schedule(static)
    for (size_t r = 0; r < s->n_rows; r++)
        row_inverse(plan, x + r * s->row_stride, s->n_column_passes, r, s->row_points);
}

static void spectrum_to_columns(const struct plan *plan, double *x, unsigned threads)
{
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1 && plan->shape.n_rows > 1)
    rows_inverse(plan, x);
}

static void columns_to_digits(const struct plan *plan, double *x, unsigned threads)
{
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1 && plan->shape.n_rows > 1)
    columns_inverse(plan, x);
}

static void spectrum_to_digits(const struct plan *plan, double *x, unsigned threads)
{
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1 && plan->shape.n_rows > 1)
    {
        rows_inverse(plan, x);
        columns_inverse(plan, x);
    }
}

static void columns_mul_fused(const struct plan *plan, double *x, double *y, size_t x_used, size_t y_used, unsigned threads)
{
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1 && plan->shape.n_rows > 1)
    rows_mul(plan, x, y, x_used, y_used);
}

/* strip_pack - 64 digits of a row, from digit j on, as one half of the blocks at p; digits from count on are zero. */
STAGE_INLINE void strip_pack(const struct plan *plan, double *p, const struct digit_source *source, size_t first, size_t count,
                             size_t j, size_t point, struct norm_sums *norms)
{
    int32_t d[STRIP_POINTS];
    const size_t used = j >= count ? 0 : count - j < STRIP_POINTS ? count - j : STRIP_POINTS;
    if (used == 0) {
        for (unsigned b = 0; b < STRIP_BLOCKS; b++)
            for (unsigned v = 0; v < PLAN_BLOCK; v += VEC_WIDTH)
                vec_store(p + b * BLOCK_DOUBLES + v, vec_set1(0.0));
        return;
    }
    source->cut(source, d, first + j, used);
    memset(d + used, 0, (STRIP_POINTS - used) * sizeof *d);
    pack_run(&plan->shape, p, d, STRIP_BLOCKS, point, 1.0, norms);
}

static void source_to_columns_fused(const struct plan *plan, double *x, const struct digit_source *source, size_t first, size_t count,
                                    struct digit_norms *norms, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const bool zero = upper_half_zero(s, count);
    const size_t rows = zero && s->n_column_passes ? s->n_rows / 2 : s->n_rows; /* the others are not read */
    double sum_sq = 0, sum_pop = 0;
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && s->n_rows > 1) reduction(+ : sum_sq, sum_pop)
    for (size_t c = 0; c < s->row_points; c += STRIP_POINTS) {
        struct digit_norms strip_norms = {0, 0};
        struct norm_sums n;
        norm_start(&n);
        for (size_t r = 0; r < rows; r++) {
            const size_t point = r * s->row_points + c;
            double *p = x + r * s->row_stride + 2 * c;
            strip_pack(plan, p, source, first, count, point, point, &n);
            strip_pack(plan, p + PLAN_BLOCK, source, first, count, s->n_points + point, point, &n);
        }
        norm_finish(&n, &strip_norms);
        sum_sq += strip_norms.sum_sq;
        sum_pop += strip_norms.sum_pop;
        if (s->n_column_passes)
            column_forward(plan, x + 2 * c, 0, 0, s->n_rows, zero);
    }
    *norms = (struct digit_norms){sum_sq, sum_pop};
}

#endif
