/*
 * dd_transform.h - the order of the passes: strips of columns, then rows.   Data and passes: plan_dd.h.
 */
#ifndef GFMUL_DD_TRANSFORM_H
#define GFMUL_DD_TRANSFORM_H

/* Groups of a row: strips of columns, each eight blocks wide. */
STAGE_INLINE size_t row_groups(const struct plan_shape *s)
{
    return s->transform.row_points / (PLAN_BLOCK * PLAN_BLOCK);
}

/* digits_load - the digits of group g of child t that lie in the cell. */
static void digits_load(const struct plan_shape *s, struct dd_digits *d, const struct digit_cell *cell, size_t t, size_t g)
{
    const size_t stream = s->transform.n_points / s->transform.odd / PLAN_BLOCK;
    for (unsigned st = 0; st < PLAN_BLOCK; st++) {
        const size_t j = (t * PLAN_BLOCK + st) * stream + g * PLAN_BLOCK;
        for (unsigned part = 0; part < (d->has_im ? 2u : 1u); part++) {
            double *out = part ? d->im[st] : d->re[st];
            const size_t at = j + part * s->transform.n_points;
            const size_t left = at < cell->count ? cell->count - at : 0, used = left < PLAN_BLOCK ? left : PLAN_BLOCK;
            if (used > 0)
                cell->source->cut_wide(cell->source, out, cell->first + at, used);
            for (size_t k = used; k < PLAN_BLOCK; k++)
                out[k] = 0.0;
        }
    }
}

STAGE_INLINE vec digits_energy(const struct dd_digits *d, vec sum)
{
    for (unsigned st = 0; st < PLAN_BLOCK; st++) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            const vec re = vec_load(d->re[st] + h);
            sum = vec_fma(re, re, sum);
            if (d->has_im) {
                const vec im = vec_load(d->im[st] + h);
                sum = vec_fma(im, im, sum);
            }
        }
    }
    return sum;
}

/* root_pass - the number of the root's pass: behind the odd one, if there is one. */
STAGE_INLINE unsigned root_pass(const struct plan_shape *s)
{
    return s->transform.odd > 1;
}

/* strip_forward, strip_inverse - the column passes behind the root's on a strip, eight blocks of each row from x on. */
static void strip_forward(const struct plan *plan, double *x)
{
    const struct plan_shape *s = &plan->shape;
    for (unsigned p = root_pass(s) + 1; p < s->transform.n_column_passes; p++) {
        const struct plan_pass *pass = &s->transform.pass[p];
        const size_t nodes = pass->n_nodes / DD_LANES, rows = s->transform.n_rows / nodes, quarter = rows / pass->radix;
        const double *w = plan->dd.column[p];
        for (size_t k = 0; k < nodes; k++, w += dd_pass_twiddles(pass) * DD_BLOCK_DOUBLES)
            for (size_t r = 0; r < quarter; r++)
                pass_forward(pass, x + (k * rows + r) * s->transform.row_stride, quarter * s->transform.row_stride, PLAN_BLOCK, w,
                             dd_forward_kind(s, p));
    }
}

static void strip_inverse(const struct plan *plan, double *x)
{
    const struct plan_shape *s = &plan->shape;
    for (unsigned p = s->transform.n_column_passes; p-- > root_pass(s) + 1;) {
        const struct plan_pass *pass = &s->transform.pass[p];
        const size_t nodes = pass->n_nodes / DD_LANES, rows = s->transform.n_rows / nodes, quarter = rows / pass->radix;
        const double *w = plan->dd.column[p];
        for (size_t k = 0; k < nodes; k++, w += dd_pass_twiddles(pass) * DD_BLOCK_DOUBLES)
            for (size_t r = 0; r < quarter; r++)
                pass_inverse(pass, x + (k * rows + r) * s->transform.row_stride, quarter * s->transform.row_stride, PLAN_BLOCK, w,
                             dd_inverse_kind(s, p));
    }
}

struct dd_columns {
    const struct plan *plan;
    double *x;
    const struct digit_cell *cell;
    struct norms_sum norms;
};

static void strips_cut(void *arg, unsigned thread, size_t first, size_t end)
{
    struct dd_columns *const w = arg;
    const struct plan *plan = w->plan;
    const struct plan_shape *s = &plan->shape;
    const struct digit_cell *cell = w->cell;
    const size_t strips = row_groups(s), rows = s->transform.n_rows / s->transform.odd;
    struct digit_norms mine = {0, 0};
    (void)thread;
    for (size_t strip = first; strip < end; strip++) {
        vec energy = vec_set1(0.0);
        struct dd_digits d[ODD_MAX];
        _Alignas(64) double branch[ODD_MAX][GROUP_DOUBLES];
        if (!stage_part(plan->monitor, s->transform.n_rows * PLAN_BLOCK * PLAN_BLOCK))
            continue;
        double *columns = w->x + strip * GROUP_DOUBLES;
        for (size_t r = 0; r < rows; r++) {
            for (unsigned t = 0; t < s->transform.odd; t++) {
                d[t].has_im = cell->count > s->transform.n_points;
                digits_load(s, &d[t], cell, t, r * strips + strip);
                energy = digits_energy(&d[t], energy);
            }
            if (s->transform.odd == 1) {
                root_forward(plan, columns + r * s->transform.row_stride, d);
                continue;
            }
            digits_to_branches(branch, d, s->transform.odd);
            for (unsigned t = 0; t < s->transform.odd; t++)
                root_forward_points(plan, t, columns + (t * rows + r) * s->transform.row_stride, branch[t]);
        }
        strip_forward(plan, columns);
        _Alignas(64) double lane[VEC_WIDTH];
        vec_store(lane, energy);
        for (unsigned k = 0; k < VEC_WIDTH; k++)
            mine.sum_sq += lane[k];
        stage_part_end(plan->monitor);
    }
    norms_sum_add(&w->norms, &mine);
}

static void source_to_columns(const struct plan *plan, double *x, double *scratch, const struct digit_cell *cell,
                              struct digit_norms *norms, unsigned threads)
{
    struct dd_columns w = {plan, x, cell, NORMS_SUM};
    (void)scratch;
    parallel_for(threads, row_groups(&plan->shape), 1, strips_cut, &w);
    *norms = w.norms.all;
}

static void strips_back(void *arg, unsigned thread, size_t first, size_t end)
{
    const struct dd_columns *const w = arg;
    const struct plan *plan = w->plan;
    const struct plan_shape *s = &plan->shape;
    const size_t rows = s->transform.n_rows / s->transform.odd;
    const enum dd_kind kind = dd_inverse_kind(s, root_pass(s));
    (void)thread;
    for (size_t strip = first; strip < end; strip++) {
        if (!stage_part(plan->monitor, s->transform.n_rows * PLAN_BLOCK * PLAN_BLOCK))
            continue;
        double *columns = w->x + strip * GROUP_DOUBLES;
        strip_inverse(plan, columns);
        for (size_t r = 0; r < rows; r++) {
            for (unsigned t = 0; t < s->transform.odd; t++)
                (kind == DD_DOUBLE  ? root_inverse_double
                 : kind == DD_LIGHT ? root_inverse_light
                                    : root_inverse)(plan, t, columns + (t * rows + r) * s->transform.row_stride);
            if (s->transform.odd > 1)
                branches_to_streams(columns + r * s->transform.row_stride, rows * s->transform.row_stride, s->transform.odd,
                                    s->transform.double_passes > 0);
        }
        stage_part_end(plan->monitor);
    }
}

static void columns_to_digits(const struct plan *plan, double *x, unsigned threads)
{
    struct dd_columns w = {.plan = plan, .x = x};
    parallel_for(threads, row_groups(&plan->shape), 1, strips_back, &w);
}

/* row_twiddles - the twiddles of all nodes of a row: those of the first nodes times factors that all rows share. */
static void row_twiddles(const struct plan *plan, double *out, size_t row)
{
    const struct plan_shape *s = &plan->shape;
    const struct plan_pass *first = &s->transform.pass[s->transform.n_column_passes];
    size_t in_row = 0;
    for (unsigned p = s->transform.n_column_passes; p < s->transform.n_passes; p++)
        in_row += dd_pass_twiddles(&s->transform.pass[p]);
    const double *factor = plan->dd.row + row * in_row * DD_BLOCK_DOUBLES;
    for (unsigned p = s->transform.n_column_passes; p < s->transform.n_passes; p++) {
        const struct plan_pass *pass = &s->transform.pass[p];
        const unsigned n = dd_pass_twiddles(pass);
        const size_t nodes = pass->n_nodes / first->n_nodes;
        const double *node = plan->dd.row_node[p];
        memcpy(out, factor, n * DD_BLOCK_DOUBLES * sizeof *out); /* the first node's */
        for (size_t k = n; k < nodes * n; k++)
            for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH)
                ddc_store(out + k * DD_BLOCK_DOUBLES + h,
                          ddc_mul(ddc_load(factor + k % n * DD_BLOCK_DOUBLES + h), ddc_set1(node + 4 * k)));
        out += nodes * n * DD_BLOCK_DOUBLES;
        factor += n * DD_BLOCK_DOUBLES;
    }
}

static void row_forward(const struct plan *plan, double *x, const double *w)
{
    const struct plan_shape *s = &plan->shape;
    size_t blocks = s->transform.row_points / PLAN_BLOCK;
    for (unsigned p = s->transform.n_column_passes; p < s->transform.n_passes; p++) {
        const struct plan_pass *pass = &s->transform.pass[p];
        const size_t count = blocks / pass->radix;
        for (double *node = x; node < x + s->transform.row_points / PLAN_BLOCK * DD_BLOCK_DOUBLES;
             node += blocks * DD_BLOCK_DOUBLES) {
            pass_forward(pass, node, count * DD_BLOCK_DOUBLES, count, w, dd_forward_kind(s, p));
            w += dd_pass_twiddles(pass) * DD_BLOCK_DOUBLES;
        }
        blocks = count;
    }
}

static void row_inverse(const struct plan *plan, double *x, const double *w)
{
    const struct plan_shape *s = &plan->shape;
    const size_t row_blocks = s->transform.row_points / PLAN_BLOCK;
    size_t blocks = 1;
    w += plan_dd_row_doubles(s);
    for (unsigned p = s->transform.n_passes; p-- > s->transform.n_column_passes;) {
        const struct plan_pass *pass = &s->transform.pass[p];
        const size_t count = blocks, n = dd_pass_twiddles(pass) * DD_BLOCK_DOUBLES;
        blocks *= pass->radix;
        w -= row_blocks / blocks * n;
        const double *node_w = w;
        for (double *node = x; node < x + row_blocks * DD_BLOCK_DOUBLES; node += blocks * DD_BLOCK_DOUBLES, node_w += n)
            pass_inverse(pass, node, count * DD_BLOCK_DOUBLES, count, node_w, dd_inverse_kind(s, p));
    }
}

STAGE_INLINE void row_mul_add(double *x, const double *a, const double *b, size_t blocks, bool add)
{
    for (size_t k = 0; k < blocks * DD_BLOCK_DOUBLES; k += DD_BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            const struct ddc z = ddc_mul(ddc_load(a + k + h), ddc_load(b + k + h));
            ddc_store(x + k + h, add ? ddc_add(ddc_load(x + k + h), z) : z);
        }
    }
}

/* The work on each row. */
enum row_work { ROW_FORWARD, ROW_INVERSE, ROW_MUL, ROW_MUL_BY_SPECTRUM };

struct dd_rows {
    const struct plan *plan;
    double *x, *y;
    enum row_work work;
    double *scratch;
};

static void rows_run(void *arg, unsigned t, size_t first, size_t end)
{
    const struct dd_rows *const rows = arg;
    const struct plan *plan = rows->plan;
    const struct plan_shape *s = &plan->shape;
    const size_t blocks = s->transform.row_points / PLAN_BLOCK;
    const enum row_work work = rows->work;
    double *w = rows->scratch + t * plan_dd_row_doubles(s);
    for (size_t r = first; r < end; r++) {
        double *xr = rows->x + r * s->transform.row_stride, *yr = rows->y + r * s->transform.row_stride;
        if (!stage_part(plan->monitor, s->transform.row_points * (work == ROW_MUL ? 2 : 1)))
            break;
        row_twiddles(plan, w, r);
        if (work != ROW_INVERSE)
            row_forward(plan, xr, w);
        if (work == ROW_MUL && yr != xr)
            row_forward(plan, yr, w);
        if (work == ROW_MUL || work == ROW_MUL_BY_SPECTRUM)
            row_mul_add(xr, xr, yr, blocks, false);
        if (work != ROW_FORWARD)
            row_inverse(plan, xr, w);
        stage_part_end(plan->monitor);
    }
}

static void rows_do(const struct plan *plan, double *x, double *y, enum row_work work, double *scratch, unsigned threads)
{
    struct dd_rows rows = {plan, x, y, work, scratch};
    parallel_for(threads, plan->shape.transform.n_rows, 1, rows_run, &rows);
}

static void columns_to_spectrum(const struct plan *plan, double *x, double *scratch, size_t used_points, unsigned threads)
{
    (void)used_points;
    rows_do(plan, x, x, ROW_FORWARD, scratch, threads);
}

static void spectrum_to_columns(const struct plan *plan, double *x, double *scratch, unsigned threads)
{
    rows_do(plan, x, x, ROW_INVERSE, scratch, threads);
}

static void columns_mul(const struct plan *plan, double *x, double *y, double *scratch, size_t x_used, size_t y_used,
                        unsigned threads)
{
    (void)x_used;
    (void)y_used;
    rows_do(plan, x, y, ROW_MUL, scratch, threads);
}

static void columns_mul_kept(const struct plan *plan, double *x, const double *y, double *scratch, size_t x_used,
                             unsigned threads)
{
    (void)x_used;
    rows_do(plan, x, (double *)y, ROW_MUL_BY_SPECTRUM, scratch, threads); /* it is only read */
}

struct dd_sum {
    const struct plan_transform *s;
    double *x;
    const double *a, *b;
    bool add;
};

static void rows_mul_add(void *arg, unsigned t, size_t first, size_t end)
{
    const struct dd_sum *const w = arg;
    (void)t;
    for (size_t r = first; r < end; r++) {
        const size_t at = r * w->s->row_stride;
        if (w->add)
            row_mul_add(w->x + at, w->a + at, w->b + at, w->s->row_points / PLAN_BLOCK, true);
        else
            row_mul_add(w->x + at, w->a + at, w->b + at, w->s->row_points / PLAN_BLOCK, false);
    }
}

static void spectrum_mul_add(const struct plan *plan, double *x, const double *a, const double *b, bool add, unsigned threads)
{
    struct dd_sum w = {&plan->shape.transform, x, a, b, add};
    parallel_for(threads, plan->shape.transform.n_rows, 4, rows_mul_add, &w);
}

#endif
