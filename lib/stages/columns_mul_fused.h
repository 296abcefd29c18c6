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

/* What the leaves of a node have in common.   ahead: as in row_product */
struct leaves_product {
    double *x;
    const double *y; /* x: squares */
    bool kept;       /* y is a spectrum */
    bool spread;     /* prefetch a part at a time, because a core has few fill buffers */
    size_t ahead;
};

/* leaf_prefetch_rest - x, and y if that is not prefetched by halves. */
STAGE_INLINE void leaf_prefetch_rest(const struct leaves_product *of, size_t at)
{
    if (of->ahead)
        points_prefetch(of->x + at + of->ahead, PLAN_LEAF_POINTS);
    if (of->ahead && of->y != of->x && !of->spread)
        points_prefetch(of->y + at + of->ahead, PLAN_LEAF_POINTS);
}

/* leaf_prefetch_half - half h of y, if it is prefetched by halves. */
STAGE_INLINE void leaf_prefetch_half(const struct leaves_product *of, size_t at, unsigned h)
{
    if (of->spread)
        points_prefetch(of->y + at + of->ahead + h * PLAN_LEAF_POINTS, PLAN_LEAF_POINTS / 2);
}

enum { LEAVES_TOGETHER = 2 };

/* leaves_mul_as - leaf_forward of x and y, the product, leaf_inverse into x, of `leaves` leaves; w: the twiddles of each. */
#ifndef VEC_LEAF_TURNS
STAGE_INLINE void leaves_mul_as(enum plan_butterfly kind, const struct leaves_product *of, const struct leaf_twiddles *w,
                                unsigned leaves)
{
    for (unsigned l = 0; l < leaves; l++) {
        const size_t at = l * LEAF_DOUBLES;
        double *const x = of->x + at;
        const double *times = of->y + at;
        struct leaf_vecs z;
        _Alignas(64) double b[LEAF_DOUBLES];
        leaf_prefetch_half(of, at, 0);
        if (!of->kept && of->y != of->x) {
            leaf_forward(kind, b, of->y + at, w[l].node, w[l].children);
            times = b;
        }
        leaf_prefetch_half(of, at, 1);
        if (of->y != of->x)
            leaf_split_times(kind, &z, x, times, w[l].node, w[l].children);
        else
            leaf_split_squared(kind, &z, x, w[l].node, w[l].children);
        leaf_prefetch_rest(of, at);
        leaf_join(kind, x, &z, w[l].node, w[l].children);
    }
}
#else
/*
 * The steps of x and y, and of the leaves, take turns.  Those of one leaf wait for each other, and a core's scheduler holds about
 * one step: a half of a leaf's transform.
 */
STAGE_INLINE void leaves_mul_as(enum plan_butterfly kind, const struct leaves_product *of, const struct leaf_twiddles *w,
                                unsigned leaves)
{
    _Alignas(64) double a[LEAVES_TOGETHER][LEAF_DOUBLES], b[LEAVES_TOGETHER][LEAF_DOUBLES];
    const unsigned count = butterfly_twiddles(kind, 8);
    const bool both = !of->kept && of->y != of->x;
    struct twiddle t[PLAN_MAX_TWIDDLES];
    struct leaf_vecs z;
    for (unsigned l = 0; l < leaves; l++) {
        const size_t at = l * LEAF_DOUBLES;
        load_twiddles(t, count, w[l].node);
        leaf_prefetch_half(of, at, 0);
        if (both) {
            leaf_load(&z, of->y + at);
            leaf_first(kind, &z, t);
            leaf_store(b[l], &z);
        }
        leaf_load(&z, of->x + at);
        leaf_first(kind, &z, t);
        leaf_store(a[l], &z);
    }
    for (unsigned l = 0; l < leaves; l++) {
        const size_t at = l * LEAF_DOUBLES;
        leaf_prefetch_half(of, at, 1);
        if (both) {
            leaf_load(&z, b[l]);
            leaf_second(kind, &z, w[l].children, false);
            leaf_store(b[l], &z);
        }
        leaf_load(&z, a[l]);
        leaf_second(kind, &z, w[l].children, false);
        if (of->y == of->x)
            leaf_squared(&z);
        else
            leaf_times(&z, both ? b[l] : of->y + at);
        leaf_store(a[l], &z);
        leaf_prefetch_rest(of, at);
    }
    for (unsigned l = 0; l < leaves; l++) {
        leaf_load(&z, a[l]);
        leaf_second(kind, &z, w[l].children, true);
        leaf_store(a[l], &z);
    }
    for (unsigned l = 0; l < leaves; l++) {
        load_twiddles(t, count, w[l].node);
        leaf_load(&z, a[l]);
        leaf_last(kind, &z, t);
        leaf_store(of->x + l * LEAF_DOUBLES, &z);
    }
}
#endif

/* leaves_mul - by nested steps, or mixed. */
static __attribute__((noinline)) void leaves_mul_nested(const struct leaves_product *of, const struct leaf_twiddles *w,
                                                        unsigned leaves)
{
    leaves_mul_as(BUTTERFLY_NESTED, of, w, leaves);
}
#ifdef VEC_MIXED
static STAGE_SCHEDULED void leaves_mul_mixed(const struct leaves_product *of, const struct leaf_twiddles *w, unsigned leaves)
{
    leaves_mul_as(BUTTERFLY_MIXED, of, w, leaves);
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

/* leaves_mul - `leaves` leaves, the first of which is `node`.  In line: a node passed on the stack would be waited for. */
STAGE_INLINE void leaves_mul(const struct row_product *of, double *x, double *y, struct tree_node node, unsigned leaves)
{
    const struct plan *plan = of->plan;
    const bool far = plan->shape.transform.n_points >= FAR_POINTS;
    const struct leaves_product product = {x, y, of->kept, of->ahead && y != x && far, of->ahead};
    struct leaf_twiddles w[LEAVES_TOGETHER];
    _Static_assert(LEAVES_TOGETHER == 2, "both are made here");
    w[0] = leaf_twiddles(plan, of->maker, node.g);
    if (leaves > 1)
        w[1] = leaf_twiddles(plan, of->maker, node.g + 1);
#ifdef VEC_MIXED
    if (leaf_is_mixed(plan)) {
        leaves_mul_mixed(&product, w, leaves);
        return;
    }
#endif
    leaves_mul_nested(&product, w, leaves);
}

/* ends_mul - row_mul of `nodes` nodes side by side that end; at most LEAVES_TOGETHER. */
static void ends_mul(const struct row_product *of, double *x, double *y, struct tree_node node, unsigned nodes)
{
#ifdef VEC_LEAF16
    if (ends_by_radix4(of->plan, node)) {
        for (unsigned k = 0; k < nodes; k++, node.g++)
            end_mul(of, x + 2 * node.size * k, y + 2 * node.size * k, node);
        return;
    }
#endif
    leaves_mul(of, x, y, node, nodes);
}

/* row_mul - row_forward of x and y, the product, row_inverse into x: node by node, so that a leaf never leaves the cache. */
static void row_mul(const struct row_product *of, double *x, double *y, struct tree_node node, bool x_zero, bool y_zero)
{
    const struct plan *plan = of->plan;
    if (row_end(plan, node)) {
        ends_mul(of, x, y, node, 1);
        return;
    }
    const unsigned radix = plan->shape.transform.pass[node.p].radix; /* even */
    const bool end = row_end(plan, node_child(node, radix, 0));
    row_pass(plan, x, node, x_zero, false);
    if (y != x && !of->kept)
        row_pass(plan, y, node, y_zero, false);
    for (unsigned c = 0; c < radix; c += end ? LEAVES_TOGETHER : 1) {
        const struct tree_node child = node_child(node, radix, c);
        const size_t at = 2 * child.size * c;
        if (end)
            ends_mul(of, x + at, y + at, child, LEAVES_TOGETHER);
        else
            row_mul(of, x + at, y + at, child, false, false);
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
    struct leaf_maker maker;
    maker.block = SIZE_MAX; /* an initializer would clear its 2 KB */
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
