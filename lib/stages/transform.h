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

/*
 * A strip's rows, STRIP_POINTS each: in the buffer (stride row_stride), or in a scratch of its own (stride 2 * STRIP_POINTS),
 * which keeps a long column in the cache and lets the buffer be written once, past the cache.
 */
struct strip {
    double *p;
    size_t stride;
};

STAGE_INLINE struct strip strip_row(struct strip s, size_t row)
{
    return (struct strip){s.p + row * s.stride, s.stride};
}

/* column_forward - the column passes in `work`, the last one into `out`, which may be the same. */
static void column_forward(const struct plan *plan, struct strip work, struct strip out, unsigned p, size_t g, size_t rows,
                           bool upper_zero, enum pass_mode mode)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned radix = s->pass[p].radix;
    const bool last = p + 1 == s->n_column_passes;
    const size_t h = rows / radix;
    const struct strip to = last ? out : work;
    const double *node = pass_twiddles(plan, p, g);
    for (size_t q = 0; q < h; q++) {
        struct pass_io io = {work.p + q * work.stride, h * work.stride, to.p + q * to.stride, h * to.stride, STRIP_BLOCKS, 0};
        pass_forward(radix, upper_zero, last ? mode : PASS_CACHED, &io, node);
    }
    if (!last)
        for (unsigned c = 0; c < radix; c++)
            column_forward(plan, strip_row(work, c * h), strip_row(out, c * h), p + 1, g * radix + c, h, false, mode);
}

/*
 * column_inverse - undo column_forward: the first inverse pass from `in`, the others in `work`.
 * ahead: doubles from this strip to the one that this thread takes next, 0 at the last one.
 */
static void column_inverse(const struct plan *plan, struct strip in, struct strip work, unsigned p, size_t g, size_t rows,
                           size_t ahead)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned radix = s->pass[p].radix;
    const bool last = p + 1 == s->n_column_passes;
    const size_t h = rows / radix;
    const struct strip from = last ? in : work;
    const double *node = pass_twiddles(plan, p, g);
    if (!last)
        for (unsigned c = 0; c < radix; c++)
            column_inverse(plan, strip_row(in, c * h), strip_row(work, c * h), p + 1, g * radix + c, h, ahead);
    for (size_t q = 0; q < h; q++) {
        struct pass_io io = {from.p + q * from.stride, h * from.stride, work.p + q * work.stride,
                             h * work.stride,          STRIP_BLOCKS,    ahead};
        pass_inverse(radix, last && ahead ? PASS_AHEAD : PASS_CACHED, &io, node);
    }
}

/* buffer_strip - strip k of a buffer. */
STAGE_INLINE struct strip buffer_strip(const struct plan_shape *s, double *x, size_t k)
{
    return (struct strip){x + k * 2 * STRIP_POINTS, s->row_stride};
}

/* row_io - a pass over a node of `points` contiguous points, in place. */
STAGE_INLINE struct pass_io row_io(double *x, size_t h)
{
    return (struct pass_io){x, 2 * h, x, 2 * h, h / PLAN_BLOCK, 0};
}

/* The two tables of a leaf: node g of pass p, and its children 8g .. 8g + 7 of pass p + 1. */
#define LEAF_TABLES(plan, p, g) pass_twiddles(plan, p, g), pass_twiddles(plan, (p) + 1, (g)*8)

static void row_forward(const struct plan *plan, double *x, unsigned p, size_t g, size_t points, bool upper_zero)
{
    if (points == PLAN_LEAF_POINTS) {
        leaf_forward(x, x, LEAF_TABLES(plan, p, g));
        return;
    }
    unsigned radix = plan->shape.pass[p].radix;
    size_t h = points / radix;
    const struct pass_io io = row_io(x, h);
    pass_forward(radix, upper_zero, PASS_CACHED, &io, pass_twiddles(plan, p, g));
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
    const struct pass_io io = row_io(x, h);
    pass_inverse(radix, PASS_CACHED, &io, pass_twiddles(plan, p, g));
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

/* leaf_prefetch - ask for the 64 points at p, for the second-level cache. */
STAGE_INLINE void leaf_prefetch(const double *p)
{
    for (unsigned k = 0; k < LEAF_DOUBLES; k += PLAN_BLOCK)
        __builtin_prefetch(p + k, 0, 2);
}

/*
 * row_mul - row_forward of x and y, the product, row_inverse into x: node by node, so that a leaf never leaves the cache.
 * ahead: doubles from here to the same place in the row that comes next, 0 in the last one.
 */
static void row_mul(const struct plan *plan, double *x, double *y, unsigned p, size_t g, size_t points, bool x_zero, bool y_zero,
                    size_t ahead)
{
    if (points == PLAN_LEAF_POINTS) {
        _Alignas(64) double a[LEAF_DOUBLES], b[LEAF_DOUBLES];
        leaf_forward(a, x, LEAF_TABLES(plan, p, g));
        if (y != x)
            leaf_forward(b, y, LEAF_TABLES(plan, p, g));
        if (ahead) {
            leaf_prefetch(x + ahead);
            if (y != x)
                leaf_prefetch(y + ahead);
        }
        leaf_product(a, a, y == x ? a : b);
        leaf_inverse(x, a, LEAF_TABLES(plan, p, g));
        return;
    }
    unsigned radix = plan->shape.pass[p].radix;
    size_t h = points / radix;
    const double *node = pass_twiddles(plan, p, g);
    const struct pass_io x_io = row_io(x, h), y_io = row_io(y, h);
    pass_forward(radix, x_zero, PASS_CACHED, &x_io, node);
    if (y != x)
        pass_forward(radix, y_zero, PASS_CACHED, &y_io, node);
    for (unsigned c = 0; c < radix; c++)
        row_mul(plan, x + 2 * h * c, y + 2 * h * c, p + 1, g * radix + c, h, false, false, ahead);
    pass_inverse(radix, PASS_CACHED, &x_io, node);
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
    for (size_t k = 0; k < strips; k++) {
        if (!stage_part(plan, s->n_rows * STRIP_POINTS))
            continue;
        const struct strip in_place = buffer_strip(s, x, k);
        column_forward(plan, in_place, in_place, 0, 0, s->n_rows, upper_half_zero(s, used_points), PASS_CACHED);
    }
}

STAGE_INLINE void columns_inverse(const struct plan *plan, double *x)
{
    const struct plan_shape *s = &plan->shape;
    const size_t strips = s->n_column_passes ? s->row_points / STRIP_POINTS : 0;
#pragma omp for schedule(static)
    for (size_t k = 0; k < strips; k++) {
        if (!stage_part(plan, s->n_rows * STRIP_POINTS))
            continue;
        const struct strip in_place = buffer_strip(s, x, k);
        column_inverse(plan, in_place, in_place, 0, 0, s->n_rows, 0);
    }
}

/* Called by every thread of a parallel region; ends in a barrier. */
STAGE_INLINE void rows_forward(const struct plan *plan, double *x, size_t used_points)
{
    const struct plan_shape *s = &plan->shape;
    const bool zero = s->n_column_passes == 0 && s->n_points > PLAN_LEAF_POINTS && upper_half_zero(s, used_points);
#pragma omp for schedule(static)
    for (size_t r = 0; r < s->n_rows; r++)
        if (stage_part(plan, s->row_points))
            row_forward(plan, x + r * s->row_stride, s->n_column_passes, r, s->row_points, zero);
}

STAGE_INLINE void rows_mul(const struct plan *plan, double *x, double *y, size_t x_used, size_t y_used)
{
    const struct plan_shape *s = &plan->shape;
    const bool root_in_rows = s->n_column_passes == 0 && s->n_points > PLAN_LEAF_POINTS;
    const bool x_zero = root_in_rows && upper_half_zero(s, x_used), y_zero = root_in_rows && upper_half_zero(s, y_used);
#pragma omp for schedule(static)
    for (size_t r = 0; r < s->n_rows; r++)
        if (stage_part(plan, s->row_points))
            row_mul(plan, x + r * s->row_stride, y + r * s->row_stride, s->n_column_passes, r, s->row_points, x_zero, y_zero,
                    r + 1 < s->n_rows ? s->row_stride : 0);
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
        if (stage_part(plan, s->row_points))
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
    source->prefetch(source, first + j + STRIP_POINTS); /* the next strip's digits of this row */
    memset(d + used, 0, (STRIP_POINTS - used) * sizeof *d);
    pack_run(&plan->shape, p, d, STRIP_BLOCKS, point, 1.0, norms);
}

/* Buffers from here on are written past the cache: neither operand would stay in it until its rows are read. */
enum { STREAM_BYTES = 12 << 20 };

STAGE_INLINE enum pass_mode column_store_mode(const struct plan_shape *s)
{
    return plan_buffer_doubles(s) * sizeof(double) > STREAM_BYTES ? PASS_STREAM : PASS_CACHED;
}

static void source_to_columns_fused(const struct plan *plan, double *x, double *scratch, const struct digit_source *source,
                                    size_t first, size_t count, struct digit_norms *norms, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const bool columns = s->n_column_passes > 0, zero = upper_half_zero(s, count);
    const size_t rows = zero && columns ? s->n_rows / 2 : s->n_rows; /* the others are not read */
    const size_t strips = s->row_points / STRIP_POINTS;
    const enum pass_mode mode = column_store_mode(s);
    double sum_sq = 0, sum_pop = 0;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1) reduction(+ : sum_sq, sum_pop)
    for (unsigned t = 0; t < threads; t++) {
        struct digit_norms thread_norms = {0, 0};
        struct norm_sums n;
        norm_start(&n);
        for (size_t k = strips * t / threads; k < strips * (t + 1) / threads; k++) {
            if (!stage_part(plan, s->n_rows * STRIP_POINTS))
                break;
            const struct strip out = buffer_strip(s, x, k);
            const struct strip work = columns ? (struct strip){scratch + t * plan_strip_doubles(s), 2 * STRIP_POINTS} : out;
            for (size_t r = 0; r < rows; r++) {
                const size_t point = r * s->row_points + k * STRIP_POINTS;
                double *p = work.p + r * work.stride;
                strip_pack(plan, p, source, first, count, point, point, &n);
                strip_pack(plan, p + PLAN_BLOCK, source, first, count, s->n_points + point, point, &n);
            }
            if (columns)
                column_forward(plan, work, out, 0, 0, s->n_rows, zero, mode);
        }
        vec_stream_fence();
        norm_finish(&n, &thread_norms);
        sum_sq += thread_norms.sum_sq;
        sum_pop += thread_norms.sum_pop;
    }
    *norms = (struct digit_norms){sum_sq, sum_pop};
}

#endif
