/* prime_rows.h - rows forwards, the products of their points, and rows back.  Part of prime_template.h. */
#ifndef GFMUL_PRIME_ROWS_H
#define GFMUL_PRIME_ROWS_H

enum { ROW_QUARTERS = 4 };

/* Powers of a row's root: those of the next vector in each quarter of a row, and the step to the one behind it. */
struct row_powers {
    vec at[ROW_QUARTERS], step;
};

/* row_powers_begin - scale w^c for c = 0 ..   |at|, |step| <= 0.7: field_mul_any keeps 0.5 + 0.3 * 0.49 */
STAGE_INLINE void row_powers_begin(struct row_powers *powers, const struct field *f, double w, double scale, size_t quarter)
{
    double lanes[VEC_WIDTH];
    const vec root = vec_set1(w);
    vec power = vec_set1(1.0);
    for (unsigned i = 0; i < VEC_WIDTH; i++) {
        double lane[VEC_WIDTH];
        vec_storeu(lane, power);
        lanes[i] = lane[0];
        power = field_mul_any(f, power, root);
    }
    powers->step = power;
    for (size_t n = VEC_WIDTH; n < quarter; n *= 2)
        power = field_mul_any(f, power, power);
    powers->at[0] = field_mul_any(f, vec_loadu(lanes), vec_set1(scale));
    for (unsigned q = 1; q < ROW_QUARTERS; q++)
        powers->at[q] = field_mul_any(f, powers->at[q - 1], power);
}

/* row_turn - x[c] *= scale w^c, and y likewise, unless it is x.   |x| <= 2 -> 0.92 */
STAGE_INLINE void row_turn(const struct field *f, double *x, double *y, size_t n, double w, double scale)
{
    struct row_powers powers;
    const size_t quarter = n / ROW_QUARTERS;
    row_powers_begin(&powers, f, w, scale, quarter);
    for (size_t i = 0; i < quarter; i += VEC_WIDTH)
#pragma GCC unroll 4
        for (unsigned q = 0; q < ROW_QUARTERS; q++) {
            const size_t at = q * quarter + i;
            vec_store(x + at, field_mul_any(f, vec_load(x + at), powers.at[q]));
            if (y != x)
                vec_store(y + at, field_mul_any(f, vec_load(y + at), powers.at[q]));
            powers.at[q] = field_mul_any(f, powers.at[q], powers.step);
        }
}

/* leaves_mul - the last levels of both rows, the products of their points, and the first levels back.   |x|, |y| <= 2 -> 0.92 */
STAGE_INLINE void leaves_mul(const struct field *f, double *x, const double *y, size_t n, const struct prime_tables *t)
{
    const size_t factors = (size_t)2 * VEC_WIDTH * LEAF_FACTORS;
    const double *forward = t->leaf[0], *back = t->leaf[1];
    for (size_t i = 0; i < n; i += VEC_WIDTH * VEC_WIDTH, forward += factors, back += factors) {
        vec a[VEC_WIDTH], b[VEC_WIDTH];
#pragma GCC unroll 8
        for (unsigned j = 0; j < VEC_WIDTH; j++)
            a[j] = vec_load(x + i + j * VEC_WIDTH);
        leaf_forward(f, a, forward, false);
#pragma GCC unroll 8
        for (unsigned j = 0; j < VEC_WIDTH; j++)
            b[j] = x == y ? a[j] : vec_load(y + i + j * VEC_WIDTH);
        if (x != y)
            leaf_forward(f, b, forward, false);
#pragma GCC unroll 8
        for (unsigned j = 0; j < VEC_WIDTH; j++)
            a[j] = field_mul_any(f, field_reduce(f, a[j]), b[j]); /* 0.5 * 4.32 -> 0.94 */
        leaf_back(f, a, back, false);
#pragma GCC unroll 8
        for (unsigned j = 0; j < VEC_WIDTH; j++)
            vec_store(x + i + j * VEC_WIDTH, a[j]);
    }
}

static void row_mul(const struct field *f, double *x, double *y, const struct prime_shape *s, const struct prime_tables *t,
                    size_t row)
{
    const size_t n = s->row_points;
    unsigned levels = s->row_levels;
    for (unsigned width = VEC_WIDTH; width > 1; width /= 2)
        levels--;
    row_turn(f, x, y, n, t->row[0][row], 1.0);
    tree_forward(f, x, n, levels, t->root[0]);
    if (y != x)
        tree_forward(f, y, n, levels, t->root[0]);
    leaves_mul(f, x, y, n, t);
    tree_back(f, x, n, levels, t->root[1]);
    row_turn(f, x, x, n, t->row[1][row], t->scale);
}

static void rows_mul(const struct prime_shape *s, const struct prime_tables *t, double *x, double *y, unsigned threads)
{
    struct work_share share;
    work_share_init(&share, s->n_rows, threads, WORK_SHARES);
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (unsigned me = 0; me < threads; me++) {
        ROUND_TO_NEAREST;
        const struct field f = field_of(t->prime);
        size_t row, behind;
        while (work_next(&share, me, &row, &behind))
            row_mul(&f, x + row * s->row_stride, y + row * s->row_stride, s, t, row);
    }
}

#endif
