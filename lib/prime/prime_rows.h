/* prime_rows.h - transforms of rows, the products of their points, and the transforms back.  Part of prime_template.h. */
#ifndef GFMUL_PRIME_ROWS_H
#define GFMUL_PRIME_ROWS_H

enum { ROW_QUARTERS = 4 };
enum { NODE_MUL_DOUBLES = 1024 }; /* from this size on, nodes of both operands are split depth first: half of the first cache */

/* Powers of the rows' roots, one row per lane: for the next point in each quarter of a row, and the factor to its successor. */
struct row_powers {
    vec at[ROW_QUARTERS], step;
};

/* row_powers_begin - scale w^c for c = 0 ..   |at|, |step| <= 0.7: field_mul_any keeps 0.5 + 0.3 * 0.49 */
STAGE_INLINE void row_powers_begin(struct row_powers *powers, const struct field *f, vec w, double scale, size_t quarter)
{
    vec power = powers->step = w;
    for (size_t n = 1; n < quarter; n *= 2)
        power = field_mul_any(f, power, power);
    powers->at[0] = vec_set1(scale);
    for (unsigned q = 1; q < ROW_QUARTERS; q++)
        powers->at[q] = field_mul_any(f, powers->at[q - 1], power);
}

STAGE_INLINE void row_powers_next(struct row_powers *powers, const struct field *f)
{
#pragma GCC unroll 4
    for (unsigned q = 0; q < ROW_QUARTERS; q++)
        powers->at[q] = field_mul_any(f, powers->at[q], powers->step);
}

/*
 * turned_forward - multiply four points h apart by their powers, then do the first two levels of node 0, or one if `halves`.
 *
 *   x     out  FIELD_FORWARD_MOST
 *   from  in   |x| <= 2.2; it may be x
 *   w2    in   a fourth root of unity
 */
STAGE_INLINE void turned_forward(const struct field *f, double *x, const double *from, size_t h, const vec *power,
                                 struct field_factor w2, bool halves)
{
    const vec a = field_mul_any(f, vec_load(from), power[0]), b = field_mul_any(f, vec_load(from + h), power[1]);
    const vec c = field_mul_any(f, vec_load(from + 2 * h), power[2]), d = field_mul_any(f, vec_load(from + 3 * h), power[3]);
    const vec s = vec_add(a, c), t = vec_add(b, d), u = vec_sub(a, c), v = vec_sub(b, d); /* 0.81, 0.97 -> 1.62, 1.94 */
    if (halves) {
        vec_store(x, s);
        vec_store(x + h, t);
        vec_store(x + 2 * h, u);
        vec_store(x + 3 * h, v);
        return;
    }
    const vec turned = field_mul(f, v, w2), rest = field_reduce(f, t); /* 0.58, 0.70; 1/2 */
    vec_store(x, vec_add(s, rest));
    vec_store(x + h, vec_sub(s, rest));
    vec_store(x + 2 * h, vec_add(u, turned)); /* 2.2, 2.7 */
    vec_store(x + 3 * h, vec_sub(u, turned));
}

/* back_operand - the range that sums of the last levels back may have before a product of two values. */
STAGE_INLINE vec back_operand(const struct field *f, const double *x)
{
    return VEC_HAS_FMA ? vec_load(x) : field_reduce(f, vec_load(x));
}

/* turned_back - the last two levels of node 0, or the last one; then times the powers.   |x| <= FIELD_BACK_MOST -> 1.0, 1.25 */
STAGE_INLINE void turned_back(const struct field *f, double *x, size_t h, const vec *power, struct field_factor w2, bool halves)
{
    vec r[ROW_QUARTERS];
    if (halves) { /* 2.5, 3.36 */
        const vec a = vec_load(x), b = vec_load(x + h), c = vec_load(x + 2 * h), d = vec_load(x + 3 * h);
        r[0] = vec_add(a, c);
        r[1] = vec_add(b, d);
        r[2] = vec_sub(a, c);
        r[3] = vec_sub(b, d);
    } else {
        const vec a = field_reduce(f, vec_load(x)), b = back_operand(f, x + h);
        const vec c = field_reduce(f, vec_load(x + 2 * h)), d = back_operand(f, x + 3 * h);
        const vec s = vec_add(a, b), t = vec_sub(a, b), u = vec_add(c, d), v = field_mul(f, vec_sub(c, d), w2); /* 1.75; 0.59 */
        r[0] = vec_add(s, u);                                                                                   /* 3.5 */
        r[1] = vec_add(t, v);
        r[2] = vec_sub(s, u);
        r[3] = vec_sub(t, v);
    }
#pragma GCC unroll 4
    for (unsigned q = 0; q < ROW_QUARTERS; q++)
        vec_store(x + q * h, field_mul_any(f, r[q], power[q]));
}

/* points_mul - x *= y.   |x|, |y| <= 2.2 -> 0.72, 0.84 */
STAGE_INLINE void points_mul(const struct field *f, double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i += 2 * VEC_WIDTH) {
        const struct duo a = duo_reduce(f, duo_load(x + i, VEC_WIDTH)), b = duo_load(y + i, VEC_WIDTH);
        duo_store(x + i, VEC_WIDTH, (struct duo){{field_mul_any(f, a.v[0], b.v[0]), field_mul_any(f, a.v[1], b.v[1])}});
    }
}

/* node_mul - node k of both, n = 4^i units: down to its leaves, their products, and back into x, times n / 8.   y i/o */
static void node_mul(const struct field *f, double *x, double *y, size_t n, const struct prime_tables *t, size_t k)
{
    if (n > NODE_MUL_DOUBLES) {
        const size_t h = n / 4;
        pass_forward(f, x, h, t->root[0], k, 1);
        if (y != x)
            pass_forward(f, y, h, t->root[0], k, 1);
        for (size_t i = 0; i < 4; i++)
            node_mul(f, x + i * h, y + i * h, h, t, 4 * k + i);
        pass_back(f, x, h, t->root[1], k, 1);
        return;
    }
    quarter_forward(f, x, n, PRIME_STRIP, t->root[0], k);
    if (y != x)
        quarter_forward(f, y, n, PRIME_STRIP, t->root[0], k);
    points_mul(f, x, y, n);
    quarter_back(f, x, n, PRIME_STRIP, t->root[1], k);
}

/*
 * group_mul - multiply PRIME_STRIP rows, in which the points of a column lie side by side.
 *
 *   scratch  out  y after its first levels, so that y need not be written to memory and read again
 */
static void group_mul(const struct field *f, double *x, const double *y, double *scratch, const struct plan_shape *s,
                      const struct prime_tables *t, size_t group)
{
    const size_t quarter = s->transform.row_points / ROW_QUARTERS, h = quarter * PRIME_STRIP;
    const bool halves = (s->transform.log2_n - s->transform.column_levels) % 2 != 0;
    const size_t nodes = halves ? 2 : 4, n = s->transform.row_points * PRIME_STRIP / nodes;
    struct row_powers powers;
    for (size_t i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
        const struct field_factor w2 = field_set(t->root[0] + 2);
        row_powers_begin(&powers, f, vec_load(t->row[0] + group * PRIME_STRIP + i), 1.0, quarter);
        for (size_t at = i; at < h; at += PRIME_STRIP) {
            if (y != x)
                turned_forward(f, scratch + at, y + at, h, powers.at, w2, halves);
            turned_forward(f, x + at, x + at, h, powers.at, w2, halves);
            row_powers_next(&powers, f);
        }
    }
    for (size_t i = 0; i < nodes; i++)
        node_mul(f, x + i * n, (y == x ? x : scratch) + i * n, n, t, i);
    for (size_t i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
        const struct field_factor w2 = field_set(t->root[1] + 2);
        row_powers_begin(&powers, f, vec_load(t->row[1] + group * PRIME_STRIP + i), t->scale, quarter);
        for (size_t at = i; at < h; at += PRIME_STRIP) {
            turned_back(f, x + at, h, powers.at, w2, halves);
            row_powers_next(&powers, f);
        }
    }
}

struct prime_rows_work {
    const struct plan *plan;
    const struct prime_tables *tables;
    double *x;
    const double *y;
    double *scratch;
    struct work_share share;
};

static void rows_mul_run(void *arg, unsigned t)
{
    struct prime_rows_work *const w = arg;
    const struct plan_shape *s = &w->plan->shape;
    const struct field f = field_of(w->tables->prime);
    size_t group, behind;
    while (work_next(&w->share, t, &group, &behind)) {
        if (!stage_part(w->plan->monitor, PRIME_STRIP * s->transform.row_points))
            break;
        group_mul(&f, w->x + group * s->transform.row_stride, w->y + group * s->transform.row_stride,
                  w->scratch + t * prime_scratch_doubles(s), s, w->tables, group);
        stage_part_end(w->plan->monitor);
    }
}

static void rows_mul(const struct plan *plan, const struct prime_tables *t, double *x, const double *y, double *scratch,
                     unsigned threads)
{
    struct prime_rows_work w;
    w.plan = plan;
    w.tables = t;
    w.x = x;
    w.y = y;
    w.scratch = scratch;
    work_share_init(&w.share, plan->shape.transform.n_rows / PRIME_STRIP, threads, WORK_SHARES);
    parallel_run(threads, rows_mul_run, &w);
}

#endif
