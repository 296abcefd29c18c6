/*
 * source_to_columns_fused.h - digits and the column passes in one: the beginning of a product.
 *
 * A strip is cut into a scratch that stays in the second-level cache.  If all digits are real parts, it is cut into registers
 * instead, and the first pass of the tree takes them from there.
 */
#ifndef GFMUL_SOURCE_TO_COLUMNS_FUSED_H
#define GFMUL_SOURCE_TO_COLUMNS_FUSED_H

/* strip_digits - 64 digits of a row, from digit j on; digits from cell->count on are zero. */
STAGE_INLINE void strip_digits(int32_t *d, const struct digit_cell *cell, size_t j)
{
    const struct digit_source *source = cell->source;
    const size_t left = j < cell->count ? cell->count - j : 0, used = left < PLAN_STRIP_POINTS ? left : PLAN_STRIP_POINTS;
    if (used > 0) {
#if VEC_HAS_CUT
        if (used < PLAN_STRIP_POINTS || !strip_cut(source, d, cell->first + j))
#endif
            source->cut(source, d, cell->first + j, used);
        if (source->prefetch)
            source->prefetch(source, cell->first + j + PLAN_STRIP_POINTS); /* the next strip's digits of this row */
    }
    if (used < PLAN_STRIP_POINTS)
        memset(d + used, 0, (PLAN_STRIP_POINTS - used) * sizeof *d);
}

/* strip_pack - strip_digits, as one half of the blocks at p. */
STAGE_INLINE void strip_pack(const struct plan *plan, double *p, const struct digit_cell *cell, size_t j, size_t point,
                             struct norm_sums *norms)
{
    int32_t d[PLAN_STRIP_POINTS];
    if (j >= cell->count) {
        for (unsigned b = 0; b < STRIP_BLOCKS; b++)
            for (unsigned v = 0; v < PLAN_BLOCK; v += VEC_WIDTH)
                vec_store(p + b * BLOCK_DOUBLES + v, vec_set1(0.0));
        return;
    }
    strip_digits(d, cell, j);
    pack_strip(p, d, block_popcount(&plan->shape, point), norms);
}

/*
 * Long buffers are written past the cache, as the plan says, because neither operand would stay in it until its rows are read.
 * Otherwise, if there are more rows than the hardware prefetcher follows, a strip prefetches the lines that the next one writes.
 */
enum { AHEAD_BYTES = 1 << 20, AHEAD_ROWS = 16 };

STAGE_INLINE enum pass_mode column_store_mode(const struct plan_shape *s)
{
    const size_t bytes = plan_buffer_doubles(s) * sizeof(double);
    const bool ahead = bytes > AHEAD_BYTES && s->transform.n_rows > AHEAD_ROWS;
    return s->transform.streams ? PASS_STREAM : ahead ? PASS_AHEAD : PASS_CACHED;
}

typedef int32_t strip_of_digits[PLAN_STRIP_POINTS];

/* The digits of a strip that one pass of the root takes. */
struct strip_streams {
    const strip_of_digits *d; /* of each stream, real parts */
    const int32_t *imag;      /* imaginary parts of stream 0, the only ones of an operand of little more than n; or NULL */
    unsigned pop;             /* popcount of the index of stream 0's first block */
};

/*
 * pass_cut - pass_binary of the root on digits; their energies are added to norms.
 * The streams' own bits and the blocks' lie above and below those counted in `pop`.
 */
STAGE_INLINE void pass_cut(unsigned radix, bool upper_zero, enum pass_mode mode, const struct pass_io *io, const double *node,
                           struct strip_streams in, struct norm_sums *norms)
{
    const strip_of_digits *d = in.d;
    const int32_t *imag = in.imag;
    const unsigned streams = upper_zero ? radix / 2 : radix;
    const bool lines = mode == PASS_STREAM && VECS_PER_BLOCK > 1;
    struct twiddle w[4];
    load_twiddles(w, radix_twiddles(radix), node);
    struct norm_sums n = *norms; /* in registers */
    for (unsigned b = 0; b < STRIP_BLOCKS; b++) {
        _Alignas(64) double line[8 * BLOCK_DOUBLES];
        const vec weight = vec_set1((double)(in.pop + (unsigned)__builtin_popcount(b)));
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            vec r[8], i[8], e[4] = {vec_set1(0.0), vec_set1(0.0), vec_set1(0.0), vec_set1(0.0)}; /* by the popcount of s */
#pragma GCC unroll 8
            for (unsigned s = 0; s < streams; s++) {
                const unsigned k = (s & 1) + (s >> 1 & 1) + (s >> 2);
                r[s] = vec_from_i32(d[s] + b * PLAN_BLOCK + v * VEC_WIDTH);
                e[k] = (s & (s + 1)) == 0 ? vec_mul(r[s], r[s]) : vec_fma(r[s], r[s], e[k]);
            }
            vec y = vec_set1(0.0);
            if (imag) {
                y = vec_from_i32(imag + b * PLAN_BLOCK + v * VEC_WIDTH);
                e[0] = vec_fma(y, y, e[0]);
            }
            vec sum = e[0], high = e[1];
            if (streams > 1)
                sum = vec_add(sum, e[1]);
            if (streams > 2) {
                sum = vec_add(sum, e[2]);
                high = vec_fma(vec_set1(2.0), e[2], high);
            }
            if (streams > 4) {
                sum = vec_add(sum, e[3]);
                high = vec_fma(vec_set1(3.0), e[3], high);
            }
            n.sq[v] = vec_add(n.sq[v], sum);
            n.pop[v] = vec_add(n.pop[v], vec_fma(weight, sum, high));
            double *out = lines ? line + v * VEC_WIDTH : io->out + b * BLOCK_DOUBLES + v * VEC_WIDTH;
            const size_t stride = lines ? BLOCK_DOUBLES : io->out_stride;
#ifdef VEC_HALVES
            if (radix == 8 && !upper_zero && !imag && (lines || mode != PASS_STREAM)) {
                halves_forward_real(out, stride, r, w);
                continue;
            }
#endif
            radix_forward_real(radix, r, i, w, upper_zero, imag ? &y : NULL);
#pragma GCC unroll 8
            for (unsigned s = 0; s < radix; s++)
                pass_store(lines ? PASS_CACHED : mode, out + s * stride, r[s], i[s]);
        }
        if (lines)
            lines_stream(io->out + b * BLOCK_DOUBLES, io->out_stride, line, radix);
    }
    *norms = n;
}

#define DEFINE_CUT(name, radix, upper_zero, mode)                                                                      \
    static __attribute__((noinline)) void name(const struct pass_io *io, const double *node, const strip_of_digits *d, \
                                               unsigned pop, struct norm_sums *norms)                                  \
    {                                                                                                                  \
        pass_cut(radix, upper_zero, mode, io, node, (struct strip_streams){d, NULL, pop}, norms);                      \
    }
DEFINE_CUT(cut2, 2, false, PASS_CACHED)
DEFINE_CUT(cut4, 4, false, PASS_CACHED)
DEFINE_CUT(cut8, 8, false, PASS_CACHED)
DEFINE_CUT(cut2_half, 2, true, PASS_CACHED)
DEFINE_CUT(cut4_half, 4, true, PASS_CACHED)
DEFINE_CUT(cut8_half, 8, true, PASS_CACHED)
DEFINE_CUT(cut2_stream, 2, false, PASS_STREAM)
DEFINE_CUT(cut4_stream, 4, false, PASS_STREAM)
DEFINE_CUT(cut8_stream, 8, false, PASS_STREAM)

/* With imaginary parts, d[radix]: for a few rows, too few to stream. */
#define DEFINE_CUT_IMAG(name, radix)                                                                                   \
    static __attribute__((noinline)) void name(const struct pass_io *io, const double *node, const strip_of_digits *d, \
                                               unsigned pop, struct norm_sums *norms)                                  \
    {                                                                                                                  \
        pass_cut(radix, false, PASS_CACHED, io, node, (struct strip_streams){d, d[radix], pop}, norms);                \
    }
DEFINE_CUT_IMAG(cut2_imag, 2)
DEFINE_CUT_IMAG(cut4_imag, 4)
DEFINE_CUT_IMAG(cut8_imag, 8)

/* stream_points - of the root's first pass; digits n + j, j below that, are imaginary parts of its stream 0 alone. */
STAGE_INLINE size_t stream_points(const struct plan_shape *s)
{
    return s->transform.n_points / (s->transform.odd > 1 ? s->transform.odd : s->transform.pass[0].radix);
}

/*
 * strip_cut_real - strip k of digits that are all real parts, or imaginary ones of stream 0, no odd factor: strip_pack and
 * strip_forward of its rows, the bits of the first pass those of forward<radix>.
 */
static void strip_cut_real(const struct plan *plan, struct strip work, struct strip out, const struct digit_cell *cell, size_t k,
                           enum pass_mode mode, struct norm_sums *norms)
{
    const struct plan_shape *s = &plan->shape;
    const bool upper_zero = upper_half_zero(s, cell->count);
    const unsigned radix = s->transform.pass[0].radix, streams = upper_zero ? radix / 2 : radix;
    const bool last = s->transform.n_column_passes == 1;
    const size_t h = s->transform.n_rows / radix;
    const struct strip to = last ? out : work;
    const double *node = pass_twiddles(plan, 0, 0);
    _Alignas(64) strip_of_digits d[8 + 1];
    for (size_t q = 0; q < h; q++) {
        const struct pass_io io = {NULL, 0, to.p + q * to.stride, h * to.stride, STRIP_BLOCKS, {NULL, 0, false}};
        const size_t point = q * s->transform.row_points + k * PLAN_STRIP_POINTS;
        const unsigned pop = (unsigned)__builtin_popcountll(point / PLAN_BLOCK);
        for (unsigned c = 0; c < streams; c++)
            strip_digits(d[c], cell, point + c * h * s->transform.row_points);
        const bool imag = cell->count > s->transform.n_points + point;
        if (imag)
            strip_digits(d[radix], cell, s->transform.n_points + point);
        if (imag)
            (radix == 8 ? cut8_imag : radix == 4 ? cut4_imag : cut2_imag)(&io, node, d, pop, norms);
        else if (upper_zero)
            (radix == 8 ? cut8_half : radix == 4 ? cut4_half : cut2_half)(&io, node, d, pop, norms);
        else if (last && mode == PASS_STREAM)
            (radix == 8 ? cut8_stream : radix == 4 ? cut4_stream : cut2_stream)(&io, node, d, pop, norms);
        else
            (radix == 8 ? cut8 : radix == 4 ? cut4 : cut2)(&io, node, d, pop, norms);
    }
    for (unsigned c = 0; c < radix && !last; c++)
        column_forward(plan, strip_row(work, c * h), strip_row(out, c * h), (struct tree_node){1, c, h}, false, mode);
}

/* odd_cut - pass_odd of the root on digits, as pass_cut; pop is the same for all streams. */
typedef void (*odd_cut_body)(const struct odd_io *io, const strip_of_digits *d, unsigned pop, struct norm_sums *norms);

STAGE_INLINE void odd_cut(unsigned radix, enum odd_kind kind, const struct odd_io *io, struct strip_streams in,
                          struct norm_sums *norms)
{
    const strip_of_digits *d = in.d;
    const int32_t *imag = in.imag;
    struct norm_sums n = *norms; /* in registers */
    for (unsigned b = 0; b < STRIP_BLOCKS; b++) {
        const vec weight = vec_set1((double)(in.pop + (unsigned)__builtin_popcount(b)));
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            vec x[ODD_RADIX_MAX], sum = vec_set1(0.0), y = vec_set1(0.0);
#pragma GCC unroll 16
            for (unsigned s = 0; s < radix; s++) {
                x[s] = vec_from_i32(d[s] + b * PLAN_BLOCK + v * VEC_WIDTH);
                sum = s == 0 ? vec_mul(x[s], x[s]) : vec_fma(x[s], x[s], sum);
            }
            if (imag) {
                y = vec_from_i32(imag + b * PLAN_BLOCK + v * VEC_WIDTH);
                sum = vec_fma(y, y, sum);
            }
            n.sq[v] = vec_add(n.sq[v], sum);
            n.pop[v] = vec_fma(weight, sum, n.pop[v]);
            odd_vector(radix, false, kind, io, b * BLOCK_DOUBLES + v * VEC_WIDTH, x, imag ? &y : NULL);
        }
    }
    *norms = n;
}

#define DEFINE_ODD_CUT(name, radix, kind)                                                                              \
    static __attribute__((noinline)) void name(const struct odd_io *io, const strip_of_digits *d, unsigned pop,        \
                                               struct norm_sums *norms)                                                \
    {                                                                                                                  \
        odd_cut(radix, kind, io, (struct strip_streams){d, NULL, pop}, norms);                                         \
    }                                                                                                                  \
    static __attribute__((noinline)) void name##_imag(const struct odd_io *io, const strip_of_digits *d, unsigned pop, \
                                                      struct norm_sums *norms)                                         \
    {                                                                                                                  \
        odd_cut(radix, kind, io, (struct strip_streams){d, d[radix], pop}, norms);                                     \
    }
#define DEFINE_CUT_TURNED_0(radix)
#define DEFINE_CUT_TURNED_1(radix) DEFINE_ODD_CUT(cut##radix##_turned, radix, ODD_TURNED)
#define ODD_RADIX(radix, turned, ...)                  \
    DEFINE_ODD_CUT(cut##radix, radix, ODD_RIGHT_ANGLE) \
    DEFINE_CUT_TURNED_##turned(radix)
#include "plan/odd_factors.def"

/* Without imaginary parts and with those of stream 0. */
static const odd_cut_body odd_cut_bodies[ODD_RADIX_MAX + 1][2][ODD_KINDS] = {
#define ODD_RADIX(radix, turned, ...)                                       \
    [radix] = {{NULL, cut##radix, IF_TURNED_##turned(cut##radix##_turned)}, \
               {NULL, cut##radix##_imag, IF_TURNED_##turned(cut##radix##_turned_imag)}},
#include "plan/odd_factors.def"
};

/* strip_cut_odd - cut strip k by the odd pass of strip_cut_real, right-angle.   odd  i/o  of odd_walk_begin, streams 0 */
static void strip_cut_odd(const struct plan *plan, struct odd_walk *odd, struct strip to, const struct digit_cell *cell, size_t k,
                          struct norm_sums *norms)
{
    const struct plan_shape *s = &plan->shape;
    const struct odd_map *m = &odd->map;
    const enum odd_kind kind = odd_pass_kind(m, 0);
    struct odd_io *io = &odd->group;
    _Alignas(64) strip_of_digits d[ODD_RADIX_MAX + 1];
    io->ahead = 0;
    for (unsigned g = 0; g < m->r2; g++) {
        if (m->r2 > 1)
            odd_group(io, m, 0, g, false, 0, to.stride);
        for (size_t q = 0; q < m->h; q++) {
            const size_t point = q * s->transform.row_points + k * PLAN_STRIP_POINTS;
            unsigned at = m->r1 * g;
            for (unsigned j = 0; j < m->r1; j++) { /* streams modulo odd, without a division */
                strip_digits(d[j], cell, point + ((size_t)at << s->transform.log2_n));
                at = at + m->r2 < m->odd ? at + m->r2 : at + m->r2 - m->odd;
            }
            const bool imag = g == 0 && cell->count > s->transform.n_points + point;
            if (imag)
                strip_digits(d[m->r1], cell, s->transform.n_points + point);
            io->out = to.p + q * to.stride;
            odd_cut_bodies[m->r1][imag][kind](io, d, (unsigned)__builtin_popcountll(point / PLAN_BLOCK), norms);
        }
    }
}

/* strips_cut - thread t's part of source_to_columns_fused. */
static void strips_cut(const struct plan *plan, double *x, double *scratch, const struct digit_cell *cell,
                       struct digit_norms *norms, struct work_share *share, unsigned t)
{
    const struct plan_shape *s = &plan->shape;
    const size_t count = cell->count;
    const bool columns = s->transform.n_column_passes > 0, zero = upper_half_zero(s, count);
    const size_t end = zero && columns ? s->transform.n_points / 2 : s->transform.n_points; /* what is behind is not read */
    const bool right_angle = s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE;
    const bool real = columns && count <= s->transform.n_points + (right_angle ? stream_points(s) : 0) &&
                      (s->transform.odd == 1 || right_angle);
    const enum pass_mode mode = column_store_mode(s);
    struct norm_sums n;
    struct odd_walk odd;
    if (real)
        odd_walk_begin(&odd, s, false, 0, odd_branches_stride(s, 2 * PLAN_STRIP_POINTS, s->transform.row_stride));
    *norms = (struct digit_norms){0, 0};
    norm_start(&n);
    for (size_t k, behind; work_next(share, t, &k, &behind);) {
        if (!stage_part(plan->monitor, s->transform.n_rows * PLAN_STRIP_POINTS))
            break;
        const struct strip out = buffer_strip(s, x, k);
        const struct strip work = columns ? (struct strip){scratch + t * plan_strip_doubles(s), 2 * PLAN_STRIP_POINTS} : out;
        if (real) {
            if (s->transform.odd == 1) {
                strip_cut_real(plan, work, out, cell, k, mode, &n);
            } else {
                strip_cut_odd(plan, &odd, s->transform.n_column_passes == 1 ? out : work, cell, k, &n);
                strip_forward_odd(plan, &odd, 1, work, out, (struct strip_known){false, 0}, mode);
            }
            stage_part_end(plan->monitor);
            continue;
        }
        for (size_t r = 0; r < s->transform.n_rows; r++) {
            const size_t point = r * s->transform.row_points + k * PLAN_STRIP_POINTS;
            if (point >= end)
                break;
            double *p = work.p + r * work.stride;
            strip_pack(plan, p, cell, point, point, &n);
            strip_pack(plan, p + PLAN_BLOCK, cell, s->transform.n_points + point, point, &n);
        }
        if (columns)
            strip_forward(plan, work, out, (struct strip_known){zero, k * PLAN_STRIP_POINTS}, mode);
        stage_part_end(plan->monitor);
    }
    if (mode == PASS_STREAM)
        vec_stream_fence();
    norm_finish(&n, norms);
}

struct cut_work {
    const struct plan *plan;
    double *x, *scratch;
    const struct digit_cell *cell;
    struct norms_sum norms;
    struct work_share share;
};

static void cut_work_run(void *arg, unsigned t)
{
    struct cut_work *const w = arg;
    struct digit_norms mine;
    strips_cut(w->plan, w->x, w->scratch, w->cell, &mine, &w->share, t);
    norms_sum_add(&w->norms, &mine);
}

static void source_to_columns_fused(const struct plan *plan, double *x, double *scratch, const struct digit_cell *cell,
                                    struct digit_norms *norms, unsigned threads)
{
    const size_t strips = plan->shape.transform.row_points / PLAN_STRIP_POINTS;
    struct cut_work w;
    w.plan = plan;
    w.x = x;
    w.scratch = scratch;
    w.cell = cell;
    w.norms = NORMS_SUM;
    work_share_init(&w.share, strips, threads, strips);
    parallel_run(threads, cut_work_run, &w);
    *norms = w.norms.all;
}

#endif
