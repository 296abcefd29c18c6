/*
 * columns_mul_fused.h - the rows of both operands forwards, the product of their spectra, and back: row by row, leaf by leaf.
 */
#ifndef GFMUL_COLUMNS_MUL_FUSED_H
#define GFMUL_COLUMNS_MUL_FUSED_H

/* points_prefetch - prefetch `points` points, whole blocks, from p on, into the second-level cache. */
STAGE_INLINE void points_prefetch(const double *p, unsigned points)
{
    for (unsigned k = 0; k < 2 * points; k += PLAN_BLOCK)
        __builtin_prefetch(p + k, 0, 2);
}

/* From so many points on rows come from beyond the second-level cache; up to so many bytes both buffers are in it. */
enum { FAR_POINTS = 1 << 18, NEAR_BYTES = 384 << 10 };

/*
 * leaf_mul_as - leaf_forward of x and y, the product, leaf_inverse into x, which is not stored in between; y == x squares;
 * kept: y is a spectrum already;
 * ahead: as in row_product; far: a part at a time, because a core has few fill buffers.
 */
STAGE_INLINE void leaf_mul_as(enum plan_butterfly kind, double *x, const double *y, struct leaf_twiddles w, bool kept,
                              size_t ahead, bool far)
{
    enum { HALF = PLAN_LEAF_POINTS / 2 };
    const bool spread = ahead && y != x && far;
    struct leaf_vecs z;
    _Alignas(64) double b[LEAF_DOUBLES];
    const double *times = y;
    if (spread)
        points_prefetch(y + ahead, HALF);
    if (!kept && y != x) {
        leaf_forward(kind, b, y, w.node, w.children);
        times = b;
    }
    if (spread)
        points_prefetch(y + ahead + 2 * HALF, HALF);
    if (y != x)
        leaf_split_times(kind, &z, x, times, w.node, w.children);
    else
        leaf_split_squared(kind, &z, x, w.node, w.children);
    if (ahead)
        points_prefetch(x + ahead, PLAN_LEAF_POINTS);
    if (ahead && y != x && !spread)
        points_prefetch(y + ahead, PLAN_LEAF_POINTS);
    leaf_join(kind, x, &z, w.node, w.children);
}

static void leaf_mul(double *x, const double *y, struct leaf_twiddles w, bool kept, size_t ahead, bool far)
{
    leaf_mul_as(BUTTERFLY_NESTED, x, y, w, kept, ahead, far);
}
#ifdef VEC_MIXED
static STAGE_SCHEDULED void leaf_mul_mixed(double *x, const double *y, struct leaf_twiddles w, bool kept, size_t ahead, bool far)
{
    leaf_mul_as(BUTTERFLY_MIXED, x, y, w, kept, ahead, far);
}
#endif

/* Common to all rows of a product. */
struct row_product {
    const struct plan *plan;
    struct leaf_maker *maker; /* of the thread */
    bool kept;                /* y is a spectrum, and is only read */
    size_t ahead;             /* doubles from here to the same place in the next row, 0 in the last one */
};

#ifdef VEC_LEAF16
/* end_mul - row_mul of a node that ends by true radix 4. */
static void end_mul(const struct row_product *of, double *x, double *y, struct tree_node node)
{
    const size_t leaves = node.size / LEAF16_POINTS;
    const struct leaf16_tables tables = end_leaves(of->plan, node);
    for (size_t size = node.size; size > LEAF16_POINTS; size /= 4) {
        end_pass(of->plan, x, node, size, false);
        if (y != x && !of->kept)
            end_pass(of->plan, y, node, size, false);
    }
    if (of->ahead) {
        points_prefetch(x + of->ahead, (unsigned)node.size);
        if (y != x)
            points_prefetch(y + of->ahead, (unsigned)node.size);
    }
    if (y == x)
        leaves16_square(x, leaves, tables);
    else
        (of->kept ? leaves16_mul_kept : leaves16_mul)(x, y, leaves, tables);
    for (size_t size = PLAN_LEAF_POINTS; size <= node.size; size *= 4)
        end_pass(of->plan, x, node, size, true);
}
#endif

/* row_mul - row_forward of x and y, the product, row_inverse into x: node by node, so that a leaf never leaves the cache. */
static void row_mul(const struct row_product *of, double *x, double *y, struct tree_node node, bool x_zero, bool y_zero)
{
    const struct plan *plan = of->plan;
    if (row_end(plan, node)) {
#ifdef VEC_LEAF16
        if (ends_by_radix4(plan, node)) {
            end_mul(of, x, y, node);
            return;
        }
#endif
        const struct leaf_twiddles w = leaf_twiddles(plan, of->maker, node.g);
        const bool far = plan->shape.transform.n_points >= FAR_POINTS;
#ifdef VEC_MIXED
        if (leaf_is_mixed(plan)) {
            leaf_mul_mixed(x, y, w, of->kept, of->ahead, far);
            return;
        }
#endif
        leaf_mul(x, y, w, of->kept, of->ahead, far);
        return;
    }
    const unsigned radix = plan->shape.transform.pass[node.p].radix;
    row_pass(plan, x, node, x_zero, false);
    if (y != x && !of->kept)
        row_pass(plan, y, node, y_zero, false);
    for (unsigned c = 0; c < radix; c++) {
        const size_t at = 2 * (node.size / radix) * c;
        row_mul(of, x + at, y + at, node_child(node, radix, c), false, false);
    }
    row_pass(plan, x, node, false, true);
}

/* The factors, as the column passes left them; the points in use from the beginning of each. */
struct factors {
    double *x, *y;
    size_t x_used, y_used;
    bool kept; /* y is a spectrum */
};

/* row_r_mul - row_mul of row r.   next: the next row is this thread's, too. */
STAGE_INLINE void row_r_mul(const struct plan *plan, struct leaf_maker *maker, const struct factors *f, size_t r, bool next)
{
    const struct plan_shape *s = &plan->shape;
    const bool root_in_rows = s->transform.n_column_passes == 0 && s->transform.n_points > PLAN_LEAF_POINTS;
    const bool near = 2 * plan_buffer_doubles(s) * sizeof(double) <= NEAR_BYTES;
    const struct row_product of = {plan, maker, f->kept, next && !near ? s->transform.row_stride : 0};
    if (!stage_part(plan->monitor, s->transform.row_points))
        return;
    row_mul(&of, f->x + r * s->transform.row_stride, f->y + r * s->transform.row_stride, row_node(s, r),
            root_in_rows && upper_half_zero(s, f->x_used), root_in_rows && upper_half_zero(s, f->y_used));
    stage_part_end(plan->monitor);
}

struct rows_product {
    const struct plan *plan;
    const struct factors *f;
    struct work_share share;
};

STAGE_INLINE void rows_product(struct rows_product *w, unsigned t, bool kept)
{
    const struct factors f = {w->f->x, w->f->y, w->f->x_used, w->f->y_used, kept};
    struct leaf_maker maker = {.block = SIZE_MAX};
    for (size_t r, behind; work_next(&w->share, t, &r, &behind);)
        row_r_mul(w->plan, &maker, &f, r, behind > 0);
}

static void rows_product_new(void *arg, unsigned t)
{
    rows_product(arg, t, false);
}

static void rows_product_kept(void *arg, unsigned t)
{
    rows_product(arg, t, true);
}

static void columns_mul(const struct plan *plan, const struct factors *f, unsigned threads)
{
    const size_t rows = plan->shape.transform.n_rows;
    struct rows_product w;
    w.plan = plan;
    w.f = f;
    work_share_init(&w.share, rows, rows == 1 ? 1 : threads, rows);
    parallel_run(w.share.threads, f->kept ? rows_product_kept : rows_product_new, &w);
}

static void columns_mul_fused(const struct plan *plan, double *x, double *y, double *scratch, size_t x_used, size_t y_used,
                              unsigned threads)
{
    (void)scratch;
    columns_mul(plan, &(struct factors){x, y, x_used, y_used, false}, threads);
}

static void columns_mul_kept_fused(const struct plan *plan, double *x, const double *y, double *scratch, size_t x_used,
                                   unsigned threads)
{
    (void)scratch;
    columns_mul(plan, &(struct factors){x, (double *)y, x_used, x_used, true}, threads); /* y is only read */
}

#endif
