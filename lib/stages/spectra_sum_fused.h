/*
 * spectra_sum_fused.h - sums of products of spectra, part by part, and back over the rows; sums of two spectra.
 */
#ifndef GFMUL_SPECTRA_SUM_FUSED_H
#define GFMUL_SPECTRA_SUM_FUSED_H

/* Vectors of a leaf whose sums are made side by side: their accumulators stay in registers. */
enum { SUM_VECS = 4, LEAF_HALVES = PLAN_LEAF_POINTS / PLAN_BLOCK * VECS_PER_BLOCK };

/* half_at - where vector q of the real parts of a leaf lies. */
STAGE_INLINE size_t half_at(unsigned q)
{
    return q / VECS_PER_BLOCK * BLOCK_DOUBLES + q % VECS_PER_BLOCK * VEC_WIDTH;
}

/* The sums of SUM_VECS vectors of points. */
struct vecs_sum {
    vec re[SUM_VECS], im[SUM_VECS];
};

/* vecs_sum_add - add a b to the sums, or subtract it: two roundings for each part of a point. */
STAGE_INLINE void vecs_sum_add(struct vecs_sum *sum, const double *a, const double *b, unsigned first, bool minus)
{
#pragma GCC unroll 4
    for (unsigned k = 0; k < SUM_VECS; k++) {
        const size_t at = half_at(first + k);
        const vec ar = vec_load(a + at), ai = vec_load(a + at + PLAN_BLOCK);
        const vec br = vec_load(b + at), bi = vec_load(b + at + PLAN_BLOCK);
        if (minus) {
            sum->re[k] = vec_fma(ai, bi, vec_fnma(ar, br, sum->re[k]));
            sum->im[k] = vec_fnma(ai, br, vec_fnma(ar, bi, sum->im[k]));
        } else {
            sum->re[k] = vec_fnma(ai, bi, vec_fma(ar, br, sum->re[k]));
            sum->im[k] = vec_fma(ai, br, vec_fma(ar, bi, sum->im[k]));
        }
    }
}

/* block_sum - z = products first .. end - 1 at `at`, or z = z + them if there is something before. */
static void block_sum(const struct spectra_sum *of, size_t first, size_t end, size_t at)
{
    const bool more = of->more || first > 0;
    double *const z = of->z + at;
    for (unsigned q = 0; q < LEAF_HALVES; q += SUM_VECS) {
        struct vecs_sum sum;
        for (unsigned k = 0; k < SUM_VECS; k++)
            sum.re[k] = sum.im[k] = vec_set1(0.0);
        for (size_t i = first; i < end; i++)
            vecs_sum_add(&sum, of->product[i].a + at, of->product[i].b + at, q, of->product[i].minus);
        for (unsigned k = 0; k < SUM_VECS; k++) {
            double *const p = z + half_at(q + k);
            vec_store(p, more ? vec_add(vec_load(p), sum.re[k]) : sum.re[k]);
            vec_store(p + PLAN_BLOCK, more ? vec_add(vec_load(p + PLAN_BLOCK), sum.im[k]) : sum.im[k]);
        }
    }
}

/*
 * A grid: sum (i, j) has the products of row i's factors a with column j's factors b.  Factors are copied, a leaf and up to
 * SPECTRA_GRID_PRODUCTS of each row and column at a time, into panels that stay in the second cache.  Sums are made in tiles, so
 * that each vector that is loaded meets several others, in the order in which block_sum would make them.  The copies have the
 * signs of the factors: adding (-a) b rounds as subtracting a b does.
 *
 * A panel has for each vector of a leaf, each tile and each product the vectors of the tile's factors.
 */
enum { TILE_ROWS = VEC_WIDTH == 8 ? 4 : 2, TILE_COLUMNS = 2, POINT_DOUBLES = 2 * VEC_WIDTH };

struct grid_tile {
    vec re[TILE_ROWS][TILE_COLUMNS], im[TILE_ROWS][TILE_COLUMNS];
};

/* tile_products - the sums of n products, n <= PLAN_SUM_BLOCK, of a tile. */
STAGE_INLINE void tile_products(struct grid_tile *sum, const double *a, const double *b, size_t n)
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 2
        for (unsigned j = 0; j < TILE_COLUMNS; j++)
            sum->re[i][j] = sum->im[i][j] = vec_set1(0.0);
    for (size_t k = 0; k < n; k++, a += TILE_ROWS * POINT_DOUBLES, b += TILE_COLUMNS * POINT_DOUBLES)
#pragma GCC unroll 4
        for (unsigned i = 0; i < TILE_ROWS; i++) {
            const vec ar = vec_load(a + i * POINT_DOUBLES), ai = vec_load(a + i * POINT_DOUBLES + VEC_WIDTH);
#pragma GCC unroll 2
            for (unsigned j = 0; j < TILE_COLUMNS; j++) {
                const vec br = vec_load(b + j * POINT_DOUBLES), bi = vec_load(b + j * POINT_DOUBLES + VEC_WIDTH);
                sum->re[i][j] = vec_fnma(ai, bi, vec_fma(ar, br, sum->re[i][j]));
                sum->im[i][j] = vec_fma(ai, br, vec_fma(ar, bi, sum->im[i][j]));
            }
        }
}

STAGE_INLINE void tile_add(struct grid_tile *all, const struct grid_tile *sum)
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 2
        for (unsigned j = 0; j < TILE_COLUMNS; j++) {
            all->re[i][j] = vec_add(all->re[i][j], sum->re[i][j]);
            all->im[i][j] = vec_add(all->im[i][j], sum->im[i][j]);
        }
}

/* Sums of a tile, whose first one is `sum`: the others are in rows of `stride` sums.  Tiles at an edge are not full. */
struct tile_place {
    const struct spectra_sum *sum;
    size_t stride, at;
    unsigned rows, columns;
};

/* tile_load - all of a tile; beyond an edge the last ones again, which tile_store leaves out. */
STAGE_INLINE void tile_load(struct grid_tile *all, const struct tile_place *to)
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 2
        for (unsigned j = 0; j < TILE_COLUMNS; j++) {
            const unsigned row = i < to->rows ? i : to->rows - 1, column = j < to->columns ? j : to->columns - 1;
            const double *const z = to->sum[row * to->stride + column].z + to->at;
            all->re[i][j] = vec_load(z);
            all->im[i][j] = vec_load(z + PLAN_BLOCK);
        }
}

STAGE_INLINE void tile_store(const struct grid_tile *all, const struct tile_place *to)
{
    for (unsigned i = 0; i < to->rows; i++)
        for (unsigned j = 0; j < to->columns; j++) {
            double *const z = to->sum[i * to->stride + j].z + to->at;
            vec_store(z, all->re[i][j]);
            vec_store(z + PLAN_BLOCK, all->im[i][j]);
        }
}

/* tile_sums - n products of a tile, the first ones of its sums unless there is more. */
static void tile_sums(const struct tile_place *to, const double *a, const double *b, size_t n, bool more)
{
    struct grid_tile all, sum;
    if (more)
        tile_load(&all, to);
    for (size_t k = 0; k < n; k += PLAN_SUM_BLOCK) {
        const double *const ak = a + k * TILE_ROWS * POINT_DOUBLES, *const bk = b + k * TILE_COLUMNS * POINT_DOUBLES;
        if (n - k >= PLAN_SUM_BLOCK)
            tile_products(&sum, ak, bk, PLAN_SUM_BLOCK);
        else
            tile_products(&sum, ak, bk, n - k);
        if (more || k > 0)
            tile_add(&all, &sum);
        else
            all = sum;
    }
    tile_store(&all, to);
}

/* factor_copy - a leaf of a factor, or its negative.   factor_zero - a leaf of 0. */
STAGE_INLINE void factor_copy(double *to, const double *x, size_t stride, bool minus)
{
#pragma GCC unroll 4
    for (unsigned q = 0; q < LEAF_HALVES; q++) {
        const vec re = vec_load(x + half_at(q)), im = vec_load(x + half_at(q) + PLAN_BLOCK);
        vec_store(to + q * stride, minus ? vec_neg(re) : re);
        vec_store(to + q * stride + VEC_WIDTH, minus ? vec_neg(im) : im);
    }
}

STAGE_INLINE void factor_zero(double *to, size_t stride)
{
    for (unsigned q = 0; q < LEAF_HALVES; q++) {
        vec_store(to + q * stride, vec_set1(0.0));
        vec_store(to + q * stride + VEC_WIDTH, vec_set1(0.0));
    }
}

/* A part of a panel: factors a or b of a tile. */
struct panel_part {
    double *panel;
    const struct spectra_factor *first; /* of its first row or column; the next one's are `step` factors on */
    size_t step, count;                 /* rows or columns; an edge repeats the last one */
    size_t tile, stride;                /* doubles from vector to vector */
};

/* Factors that are on their way from memory while one is copied. */
enum { PANEL_AHEAD = 2 };

/* panel_fill - a leaf of n products' factors. */
static void panel_fill(const struct panel_part *part, size_t n, size_t at)
{
    for (size_t i = 0; i < part->tile; i++) {
        const struct spectra_factor *of = part->first + (i < part->count ? i : part->count - 1) * part->step;
        double *to = part->panel + i * POINT_DOUBLES;
        for (size_t k = 0; k < n; k++, of++, to += part->tile * POINT_DOUBLES) {
            if (k + PANEL_AHEAD < n && of[PANEL_AHEAD].x) /* each factor has pages of its own */
                points_prefetch(of[PANEL_AHEAD].x + at, PLAN_LEAF_POINTS);
            if (!of->x)
                factor_zero(to, part->stride);
            else if (of->minus)
                factor_copy(to, of->x + at, part->stride, true);
            else
                factor_copy(to, of->x + at, part->stride, false);
        }
    }
}

/* grid_products - n products of all sums, from the k0-th one on, in the leaf at `at`. */
static void grid_products(const struct spectra_sum *sum, const struct spectra_grid *grid, double *panel, size_t k0, size_t n,
                          size_t at)
{
    const size_t row_tiles = (grid->rows + TILE_ROWS - 1) / TILE_ROWS;
    const size_t column_tiles = (grid->columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    const size_t a_tile = n * TILE_ROWS * POINT_DOUBLES, b_tile = n * TILE_COLUMNS * POINT_DOUBLES;
    double *const a = panel, *const b = panel + LEAF_HALVES * row_tiles * a_tile;
    for (size_t i = 0; i < row_tiles; i++)
        panel_fill(&(struct panel_part){a + i * a_tile, grid->a + i * TILE_ROWS * grid->n + k0, grid->n,
                                        grid->rows - i * TILE_ROWS, TILE_ROWS, row_tiles * a_tile},
                   n, at);
    for (size_t j = 0; j < column_tiles; j++)
        panel_fill(&(struct panel_part){b + j * b_tile, grid->b + j * TILE_COLUMNS * grid->n + k0, grid->n,
                                        grid->columns - j * TILE_COLUMNS, TILE_COLUMNS, column_tiles * b_tile},
                   n, at);
    for (unsigned q = 0; q < LEAF_HALVES; q++)
        for (size_t i = 0; i < row_tiles; i++)
            for (size_t j = 0; j < column_tiles; j++) {
                const size_t rows = grid->rows - i * TILE_ROWS, columns = grid->columns - j * TILE_COLUMNS;
                const struct tile_place to = {sum + i * TILE_ROWS * grid->columns + j * TILE_COLUMNS, grid->columns,
                                              at + half_at(q), rows < TILE_ROWS ? (unsigned)rows : TILE_ROWS,
                                              columns < TILE_COLUMNS ? (unsigned)columns : TILE_COLUMNS};
                tile_sums(&to, a + (q * row_tiles + i) * a_tile, b + (q * column_tiles + j) * b_tile, n, k0 > 0);
            }
}

struct sums_work {
    const struct plan *plan;
    const struct spectra_sum *sum;
    size_t n;
    const struct spectra_grid *grid; /* or NULL */
    struct work_share share;
};

/* leaves_sums - the parts of the sums in leaves first .. end - 1 of row r, leaf by leaf, by thread t. */
STAGE_INLINE void leaves_sums(const struct sums_work *w, unsigned t, size_t r, size_t first, size_t end)
{
    const struct spectra_sum *const sum = w->sum;
    const struct spectra_grid *const grid = w->grid;
    const size_t n = w->n, row = r * w->plan->shape.transform.row_stride;
    double *const panel = grid ? grid->panels + t * SPECTRA_GRID_DOUBLES(grid->rows, grid->columns) : NULL;
    for (size_t p = first; p < end; p++) {
        const size_t at = row + 2 * PLAN_LEAF_POINTS * p;
        for (size_t k = 0; grid && k < grid->n; k += SPECTRA_GRID_PRODUCTS)
            grid_products(sum, grid, panel, k, grid->n - k < SPECTRA_GRID_PRODUCTS ? grid->n - k : SPECTRA_GRID_PRODUCTS, at);
        for (const struct spectra_sum *of = sum; !grid && of < sum + n; of++)
            for (size_t i = 0; i < of->n; i += PLAN_SUM_BLOCK)
                block_sum(of, i, of->n - i < PLAN_SUM_BLOCK ? of->n : i + PLAN_SUM_BLOCK, at);
    }
}

/* row_r_sums - row r: the rows of new factors forwards, the parts of the sums, the rows of the sums backwards. */
STAGE_INLINE void row_r_sums(const struct sums_work *w, struct leaf_maker *maker, unsigned t, size_t r)
{
    const struct plan *const plan = w->plan;
    const struct spectra_sum *const sum = w->sum;
    const size_t n = w->n;
    const struct plan_shape *s = &plan->shape;
    const bool root_in_rows = s->transform.n_column_passes == 0 && s->transform.n_points > PLAN_LEAF_POINTS;
    const size_t row = r * s->transform.row_stride;
    size_t n_columns = 0;
    for (size_t j = 0; j < n; j++)
        n_columns += sum[j].n_columns;
    if (!stage_part(plan->monitor, (n + n_columns) * s->transform.row_points))
        return;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < sum[j].n_columns; i++)
            row_forward(plan, maker, sum[j].columns[i].x + row, row_node(s, r),
                        root_in_rows && upper_half_zero(s, sum[j].columns[i].used_points));
    leaves_sums(w, t, r, 0, s->transform.row_points / PLAN_LEAF_POINTS);
    for (size_t j = 0; j < n; j++)
        if (sum[j].last)
            row_inverse(plan, maker, sum[j].z + row, row_node(s, r));
    stage_part_end(plan->monitor);
}

enum { PAGE_LEAVES = 4 };

static void pages_run(void *arg, unsigned t)
{
    struct sums_work *const w = arg;
    const size_t leaves = w->plan->shape.transform.row_points / PLAN_LEAF_POINTS, pages = (leaves - 1) / PAGE_LEAVES + 1;
    for (size_t i, behind; work_next(&w->share, t, &i, &behind);) {
        const size_t first = i % pages * PAGE_LEAVES, end = leaves - first < PAGE_LEAVES ? leaves : first + PAGE_LEAVES;
        if (!stage_part(w->plan->monitor, 0))
            continue;
        leaves_sums(w, t, i / pages, first, end);
        stage_part_end(w->plan->monitor);
    }
}

static void sums_inverse(void *arg, unsigned t)
{
    struct sums_work *const w = arg;
    const struct plan_transform *s = &w->plan->shape.transform;
    struct leaf_maker maker = {.block = SIZE_MAX};
    for (size_t i, behind; work_next(&w->share, t, &i, &behind);) {
        const size_t r = i / w->n, j = i % w->n;
        if (!w->sum[j].last || !stage_part(w->plan->monitor, s->row_points))
            continue;
        row_inverse(w->plan, &maker, w->sum[j].z + r * s->row_stride, row_node(&w->plan->shape, r));
        stage_part_end(w->plan->monitor);
    }
}

static void rows_sums(void *arg, unsigned t)
{
    struct sums_work *const w = arg;
    struct leaf_maker maker = {.block = SIZE_MAX};
    for (size_t r, behind; work_next(&w->share, t, &r, &behind);)
        row_r_sums(w, &maker, t, r);
}

/*
 * sums_apart - many sums without new factors, by threads of which there may be more than rows: first all leaves, a page of each
 * factor at a time, so that no two threads read the same; then each row of each sum backwards.
 */
static void sums_apart(struct sums_work *w, unsigned threads)
{
    const struct plan_transform *s = &w->plan->shape.transform;
    const size_t pages = (s->row_points / PLAN_LEAF_POINTS - 1) / PAGE_LEAVES + 1;
    work_share_init(&w->share, s->n_rows * pages, threads, s->n_rows * pages);
    parallel_run(threads, pages_run, w);
    work_share_init(&w->share, s->n_rows * w->n, threads, s->n_rows * w->n);
    parallel_run(threads, sums_inverse, w);
}

static void spectra_sums_fused(const struct plan *plan, const struct spectra_sum *sum, size_t n, const struct spectra_grid *grid,
                               unsigned threads)
{
    const size_t rows = plan->shape.transform.n_rows;
    size_t n_columns = 0;
    for (size_t j = 0; j < n; j++)
        n_columns += sum[j].n_columns;
    struct sums_work w;
    w.plan = plan;
    w.sum = sum;
    w.n = n;
    w.grid = grid;
    if (threads > 1 && n > 1 && n_columns == 0) {
        sums_apart(&w, threads);
        return;
    }
    work_share_init(&w.share, rows, rows == 1 ? 1 : threads, rows);
    parallel_run(w.share.threads, rows_sums, &w);
}

/* row_add - z = a + b or a - b on a row.   Value: the energy of z. */
STAGE_INLINE double row_add(double *z, const double *a, const double *b, size_t doubles, bool minus)
{
    vec energy = vec_set1(0.0);
    for (size_t k = 0; k < doubles; k += VEC_WIDTH) {
        const vec x = vec_load(a + k), y = vec_load(b + k), sum = minus ? vec_sub(x, y) : vec_add(x, y);
        energy = vec_fma(sum, sum, energy);
        vec_store(z + k, sum);
    }
    _Alignas(64) double lane[VEC_WIDTH];
    double all = 0;
    vec_store(lane, energy);
    for (unsigned l = 0; l < VEC_WIDTH; l++)
        all += lane[l];
    return all;
}

struct add_work {
    const struct plan *plan;
    double *z;
    const double *a, *b;
    bool minus;
    struct norms_sum energy; /* sum_sq */
};

static void rows_add(void *arg, unsigned t, size_t first, size_t end)
{
    struct add_work *const w = arg;
    const struct plan_transform *s = &w->plan->shape.transform;
    struct digit_norms mine = {0, 0};
    (void)t;
    for (size_t r = first; r < end; r++) {
        const size_t at = r * s->row_stride;
        if (!stage_part(w->plan->monitor, s->row_points))
            continue;
        mine.sum_sq += row_add(w->z + at, w->a + at, w->b + at, 2 * s->row_points, w->minus);
        stage_part_end(w->plan->monitor);
    }
    norms_sum_add(&w->energy, &mine);
}

static double spectra_add(const struct plan *plan, double *z, const double *a, const double *b, bool minus, unsigned threads)
{
    struct add_work w = {plan, z, a, b, minus, NORMS_SUM};
    parallel_for(threads, plan->shape.transform.n_rows, 1, rows_add, &w);
    return w.energy.all.sum_sq;
}

#endif
