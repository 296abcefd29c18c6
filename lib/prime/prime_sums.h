/* prime_sums.h - sums of products of kept spectra modulo a prime.  Part of prime_template.h. */
#ifndef GFMUL_PRIME_SUMS_H
#define GFMUL_PRIME_SUMS_H

enum { SUM_PIECE = 64 * PRIME_STRIP /* doubles: a piece of each factor stays in the first cache */, SUM_TERMS = 8 };

/* row_nodes - the nodes of a row in which its passes begin: below the last levels in a row's first pass. */
STAGE_INLINE size_t row_nodes(const struct plan_shape *s)
{
    return (s->transform.log2_n - s->transform.column_levels) % 2 != 0 ? 2 : 4;
}

/* group_forward - the rows of a group, from columns to a spectrum.   x out: it may be `from`.   |from| <= 2.2 -> 2.2 */
static void group_forward(const struct field *f, double *x, const double *from, const struct plan_shape *s,
                          const struct prime_tables *t, size_t group)
{
    const size_t quarter = s->transform.row_points / ROW_QUARTERS, h = quarter * PRIME_STRIP, nodes = row_nodes(s);
    const size_t n = s->transform.row_points * PRIME_STRIP / nodes;
    const struct field_factor w2 = field_set(t->root[0] + 2);
    for (size_t i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
        struct row_powers powers;
        row_powers_begin(&powers, f, vec_load(t->row[0] + group * PRIME_STRIP + i), 1.0, quarter);
        for (size_t at = i; at < h; at += PRIME_STRIP) {
            turned_forward(f, x + at, from + at, h, powers.at, w2, nodes == 2);
            row_powers_next(&powers, f);
        }
    }
    for (size_t i = 0; i < nodes; i++)
        quarter_forward(f, x + i * n, n, PRIME_STRIP, t->root[0], i);
}

/* group_back - the inverse, times the scale.   |x| <= FIELD_BACK_MOST -> 1.0, 1.25 */
static void group_back(const struct field *f, double *x, const struct plan_shape *s, const struct prime_tables *t, size_t group)
{
    const size_t quarter = s->transform.row_points / ROW_QUARTERS, h = quarter * PRIME_STRIP, nodes = row_nodes(s);
    const size_t n = s->transform.row_points * PRIME_STRIP / nodes;
    const struct field_factor w2 = field_set(t->root[1] + 2);
    for (size_t i = 0; i < nodes; i++)
        quarter_back(f, x + i * n, n, PRIME_STRIP, t->root[1], i);
    for (size_t i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
        struct row_powers powers;
        row_powers_begin(&powers, f, vec_load(t->row[1] + group * PRIME_STRIP + i), t->scale, quarter);
        for (size_t at = i; at < h; at += PRIME_STRIP) {
            turned_back(f, x + at, h, powers.at, w2, nodes == 2);
            row_powers_next(&powers, f);
        }
    }
}

/* The places of a group in its factors' memory. */
struct group_places {
    size_t row;      /* from the first point of a buffer */
    double *scratch; /* groups of the factors that pass */
    size_t apart;    /* from one to the next */
};

STAGE_INLINE double *group_of(const struct group_places *g, const struct prime_factor *x)
{
    return x->passes ? g->scratch + x->slot * g->apart : x->x + g->row;
}

/* terms_add - sum + products first .. end - 1 of vectors at `at`.   |sum| <= 0.84, no more than SUM_TERMS products -> 7.6 */
STAGE_INLINE struct duo terms_add(const struct field *f, struct duo sum, const struct prime_sum *of, const struct group_places *g,
                                  size_t first, size_t end, size_t at)
{
    for (size_t i = first; i < end; i++) {
        const double *x = group_of(g, of->product[i].a) + at, *y = group_of(g, of->product[i].b) + at;
        const struct duo a = duo_reduce(f, duo_load(x, VEC_WIDTH)), b = duo_load(y, VEC_WIDTH); /* 1/2, 2.2 -> 0.72, 0.84 */
        const struct duo p = {{field_mul_any(f, a.v[0], b.v[0]), field_mul_any(f, a.v[1], b.v[1])}};
        sum = i < of->n_plus ? duo_add(sum, p) : duo_sub(sum, p);
    }
    return sum;
}

/* piece_sum - a piece of a sum's group, from `at` on.   z out: |z| <= 1/2 */
static void piece_sum(const struct field *f, const struct prime_sum *of, const struct group_places *g, size_t at)
{
    double *z = of->z + g->row;
    for (size_t i = at; i < at + SUM_PIECE; i += 2 * VEC_WIDTH) {
        struct duo sum = {{vec_set1(0.0), vec_set1(0.0)}};
        if (of->more)
            sum = duo_load(z + i, VEC_WIDTH);
        for (size_t first = 0; first < of->n; first += SUM_TERMS)
            sum = duo_reduce(f, terms_add(f, sum, of, g, first, of->n - first < SUM_TERMS ? of->n : first + SUM_TERMS, i));
        duo_store(z + i, VEC_WIDTH, sum);
    }
}

/* group_sums - a group of n sums; its factors go forwards first. */
static void group_sums(const struct field *f, const struct plan_shape *s, const struct prime_tables *t, double *scratch,
                       const struct prime_sums *sums, size_t group)
{
    const size_t row = group * s->transform.row_stride, doubles = s->transform.row_points * PRIME_STRIP;
    const struct group_places g = {row, scratch, doubles};
    for (size_t i = 0; i < sums->n_factors; i++)
        if (sums->factor[i].columns)
            group_forward(f, group_of(&g, &sums->factor[i]), sums->factor[i].x + row, s, t, group);
    for (size_t at = 0; at < doubles; at += SUM_PIECE)
        for (size_t k = 0; k < sums->n; k++)
            piece_sum(f, &sums->sum[k], &g, at);
    for (size_t k = 0; k < sums->n && sums->last; k++) {
        double *z = sums->sum[k].z + row;
        if (group == 0)
            z[0] += t->raise; /* 1/2 + 1/2 */
        group_back(f, z, s, t, group);
    }
}

struct prime_sums_work {
    const struct plan *plan;
    const struct prime_tables *tables;
    const struct prime_sums *sums;
    double *scratch;
    size_t transforms;
    struct work_share share;
};

static void rows_sums_run(void *arg, unsigned t)
{
    struct prime_sums_work *const w = arg;
    const struct plan_shape *s = &w->plan->shape;
    const struct field f = field_of(w->tables->prime);
    size_t group, behind;
    while (work_next(&w->share, t, &group, &behind)) {
        if (!stage_part(w->plan->monitor, w->transforms * PRIME_STRIP * s->transform.row_points))
            break;
        group_sums(&f, s, w->tables, w->scratch + t * prime_sums_scratch(s), w->sums, group);
        stage_part_end(w->plan->monitor);
    }
}

static void rows_sums(const struct plan *plan, const struct prime_tables *t, const struct prime_sums *sums, double *scratch,
                      unsigned threads)
{
    struct prime_sums_work w;
    w.plan = plan;
    w.tables = t;
    w.sums = sums;
    w.scratch = scratch;
    w.transforms = sums->n;
    for (size_t i = 0; i < sums->n_factors; i++)
        w.transforms += sums->factor[i].columns;
    work_share_init(&w.share, plan->shape.transform.n_rows / PRIME_STRIP, threads, WORK_SHARES);
    parallel_run(threads, rows_sums_run, &w);
}

#endif
