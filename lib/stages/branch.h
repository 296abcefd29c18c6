/*
 * branch.h - one operand's columns, one branch of the root at a time, so that a buffer needs only a part of the length.
 *
 * A branch is one child of the first pass or two neighbours (shape.n_branches): the output of that pass in those slots.  An odd
 * radix has one child a branch, and if a second odd pass follows, the nodes that it makes of that slot.  Only the first pass of a
 * branch needs all digits.  They are cut again for each branch, or read from where they were put aside, some strips at a time, so
 * that reads are long runs.  The first pass computes the outputs of the branch by the same operations as column_forward.
 * Digits are real: an operand of at most n digits has no imaginary parts.
 */
#ifndef GFMUL_BRANCH_H
#define GFMUL_BRANCH_H

/* branch_rows - rows of one branch. */
STAGE_INLINE size_t branch_rows(const struct plan_shape *s)
{
    return s->transform.n_rows / s->grid.n_branches;
}

/* branch_t - where part j of an odd root's branch is in the buffer: the parts are the nodes of the odd passes, t in all. */
STAGE_INLINE unsigned branch_t(const struct plan_shape *s, unsigned branch, unsigned j)
{
    const struct odd_map m = odd_map(s);
    const unsigned e2 = m.odd + 1 - m.e1,
                   t0 = m.r2 > 1 && s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE ? (m.r2 % 4 == 1 ? 1 : 3) * m.r2 / 4 : 0;
    return m.r2 == 1 ? branch : (m.e1 * branch + (t0 + j) * e2) % m.odd;
}

/* branch_parts - into how many separate groups of rows of the buffer a branch falls. */
STAGE_INLINE unsigned branch_parts(const struct plan_shape *s)
{
    return s->transform.odd == 1 ? 1 : s->transform.odd / s->transform.pass[0].radix;
}

/* branch_row - the row of the whole buffer that row r of a branch is. */
STAGE_INLINE size_t branch_row(const struct plan_shape *s, unsigned branch, size_t r)
{
    if (s->transform.odd == 1)
        return branch * branch_rows(s) + r; /* children follow each other */
    const size_t h = s->transform.n_rows / s->transform.odd;
    return branch_t(s, branch, (unsigned)(r / h)) * h + r % h;
}

/* real_step - one output of step, +w or -w, for real slots. */
STAGE_INLINE void real_step(vec *r, vec *i, vec a, vec b, struct twiddle w, bool minus)
{
    const vec t = vec_mul(w.tau, b);
    *r = minus ? vec_fnma(w.c, b, a) : vec_fma(w.c, b, a);
    *i = minus ? vec_neg(vec_mul(w.c, t)) : vec_mul(w.c, t);
}

/* half_step - one output of step (turned: step_i), into a. */
STAGE_INLINE void half_step(vec *ar, vec *ai, vec br, vec bi, struct twiddle w, bool turned, bool minus)
{
    const vec tr = vec_fnma(w.tau, bi, br), ti = vec_fma(w.tau, br, bi);
    const vec r = turned ? ti : tr, i = turned ? tr : ti;
    *ar = turned != minus ? vec_fnma(w.c, r, *ar) : vec_fma(w.c, r, *ar);
    *ai = minus ? vec_fnma(w.c, i, *ai) : vec_fma(w.c, i, *ai);
}

enum { BRANCH_STRIPS = 4, BRANCH_ROWS_MAX = 1024, BRANCH_DIGITS = BRANCH_STRIPS * PLAN_STRIP_POINTS };

/* whole_step - both outputs of step, turned: step_i, swapped: step_minus. */
STAGE_INLINE void whole_step(vec *ar, vec *ai, vec *br, vec *bi, struct twiddle w, bool turned, bool swapped)
{
    if (turned)
        step_i(ar, ai, br, bi, w);
    else if (swapped)
        step_minus(ar, ai, br, bi, w);
    else
        step(ar, ai, br, bi, w);
}

/*
 * branch_points - of radix_forward of 64 real digits of each stream, BRANCH_DIGITS apart, the slot `branch` (children = 1) or the
 * two slots from 2 branch on (children = 2), to out and out + next.   radix, children and branch are constants.
 */
STAGE_INLINE void branch_points(unsigned radix, unsigned children, unsigned branch, double *out, size_t next, const int32_t *d,
                                const double *node)
{
    struct twiddle w[4];
    load_twiddles(w, radix_twiddles(radix), node);
    for (unsigned k = 0; k < PLAN_STRIP_POINTS; k += VEC_WIDTH) {
        vec r[4], i[4];
        const unsigned child = children * branch;
        const bool top = child & (radix / 2), mid = radix == 8 && child & 2, low = child & 1;
        for (unsigned s = 0; s < radix / 2; s++)
            real_step(r + s, i + s, vec_from_i32(d + s * BRANCH_DIGITS + k),
                      vec_from_i32(d + (s + radix / 2) * BRANCH_DIGITS + k), w[0], top);
        if (radix == 8) {
            half_step(r, i, r[2], i[2], w[1], top, mid);
            half_step(r + 1, i + 1, r[3], i[3], w[1], top, mid);
        }
        if (radix > 2) { /* the last level's twiddles: of radix 4 w[1], i w[1]; of radix 8 w[2], i w[2], i w[3], -w[3] */
            const struct twiddle last = w[radix == 4 ? 1 : top ? 3 : 2];
            const bool turned = top != mid, swapped = top && mid;
            if (children == 2)
                whole_step(r, i, r + 1, i + 1, last, turned, swapped);
            else
                half_step(r, i, r[1], i[1], last, turned, swapped ? !low : low);
        }
        double *p = out + k / PLAN_BLOCK * BLOCK_DOUBLES + k % PLAN_BLOCK;
        for (unsigned c = 0; c < children; c++, p += next) {
            vec_store(p, r[c]);
            vec_store(p + PLAN_BLOCK, i[c]);
        }
    }
}

typedef void (*branch_body)(double *out, size_t next, const int32_t *d, const double *node);

#define DEFINE_BRANCH(radix, children, b)                                                                              \
    static __attribute__((noinline)) void branch##radix##_##children##_##b(double *out, size_t next, const int32_t *d, \
                                                                           const double *node)                         \
    {                                                                                                                  \
        branch_points(radix, children, b, out, next, d, node);                                                         \
    }
DEFINE_BRANCH(2, 1, 0)
DEFINE_BRANCH(2, 1, 1)
DEFINE_BRANCH(4, 1, 0)
DEFINE_BRANCH(4, 1, 1)
DEFINE_BRANCH(4, 1, 2)
DEFINE_BRANCH(4, 1, 3)
DEFINE_BRANCH(4, 2, 0)
DEFINE_BRANCH(4, 2, 1)
DEFINE_BRANCH(8, 1, 0)
DEFINE_BRANCH(8, 1, 1)
DEFINE_BRANCH(8, 1, 2)
DEFINE_BRANCH(8, 1, 3)
DEFINE_BRANCH(8, 1, 4)
DEFINE_BRANCH(8, 1, 5)
DEFINE_BRANCH(8, 1, 6)
DEFINE_BRANCH(8, 1, 7)
DEFINE_BRANCH(8, 2, 0)
DEFINE_BRANCH(8, 2, 1)
DEFINE_BRANCH(8, 2, 2)
DEFINE_BRANCH(8, 2, 3)

/* By radix / 4, children of a branch, branch. */
static const branch_body branch_bodies[3][2][8] = {
    {{branch2_1_0, branch2_1_1}},
    {{branch4_1_0, branch4_1_1, branch4_1_2, branch4_1_3}, {branch4_2_0, branch4_2_1}},
    {{branch8_1_0, branch8_1_1, branch8_1_2, branch8_1_3, branch8_1_4, branch8_1_5, branch8_1_6, branch8_1_7},
     {branch8_2_0, branch8_2_1, branch8_2_2, branch8_2_3}},
};

/* The work: strips first .. first + strips - 1 of one branch, from these digits, through `work` into y. */
struct branch_work {
    const struct plan *plan;
    const struct digit_cell *cell;
    struct norm_sums *norms; /* NULL: they are known */
    unsigned branch;
    double *work, *y;
    size_t first, strips;
    enum pass_mode mode;
};

/* branch_strip - strip i of these in the scratch, or in y. */
STAGE_INLINE struct strip branch_strip(const struct branch_work *b, size_t i, bool in_y)
{
    const struct plan_shape *s = &b->plan->shape;
    return in_y ? buffer_strip(s, b->y, b->first + i)
                : (struct strip){b->work + i * branch_rows(s) * 2 * PLAN_STRIP_POINTS, 2 * PLAN_STRIP_POINTS};
}

/* branch_cut - the digits of a row of the root in these strips. */
STAGE_INLINE void branch_cut(const struct branch_work *b, int32_t *d, size_t row)
{
    const struct plan_shape *s = &b->plan->shape;
    const size_t digits = b->strips * PLAN_STRIP_POINTS, point = row * s->transform.row_points + b->first * PLAN_STRIP_POINTS;
    const size_t used = point >= b->cell->count ? 0 : b->cell->count - point < digits ? b->cell->count - point : digits;
    if (used > 0) {
        b->cell->source->cut(b->cell->source, d, point, used);
        for (size_t k = digits; b->cell->source->prefetch && k < 2 * digits; k += PLAN_STRIP_POINTS)
            b->cell->source->prefetch(b->cell->source, point + k);
    }
    memset(d + used, 0, (digits - used) * sizeof *d);
    if (b->norms)
        for (size_t k = 0; k < digits; k += PLAN_BLOCK)
            for (unsigned v = 0; v < VECS_PER_BLOCK; v++)
                norm_add(b->norms, v, vec_from_i32(d + k + v * VEC_WIDTH), block_popcount(s, point + k));
}

static void branch_binary(const struct branch_work *b)
{
    const struct plan_shape *s = &b->plan->shape;
    const unsigned radix = s->transform.pass[0].radix, children = radix / s->grid.n_branches;
    const size_t h = s->transform.n_rows / radix;
    const double *node = pass_twiddles(b->plan, 0, 0);
    const branch_body body = branch_bodies[radix / 4][children - 1][b->branch];
    const bool last = s->transform.n_column_passes == 1;
    for (size_t q = 0; q < h; q++) {
        _Alignas(64) int32_t d[8 * BRANCH_DIGITS];
        for (unsigned j = 0; j < radix; j++)
            branch_cut(b, d + j * BRANCH_DIGITS, j * h + q);
        for (size_t i = 0; i < b->strips; i++) {
            const struct strip to = branch_strip(b, i, last);
            body(strip_row(to, q).p, h * to.stride, d + i * PLAN_STRIP_POINTS, node);
        }
    }
    for (size_t i = 0; i < b->strips && !last; i++)
        for (unsigned c = 0; c < children; c++)
            column_forward(b->plan, strip_row(branch_strip(b, i, false), c * h), strip_row(branch_strip(b, i, true), c * h),
                           (struct tree_node){1, children * b->branch + c, h}, false, b->mode);
}

/*
 * odd_output_points - the output of ODD_RIGHT_ANGLE's pass_odd that goes to slot `branch`, of 64 real digits of each stream,
 * BRANCH_DIGITS apart.  radix, a prime, and branch are constants, so that nothing is computed for the other slots.
 */
STAGE_INLINE void odd_output_points(unsigned radix, unsigned branch, double *out, const int32_t *d)
{
    const unsigned u = radix % 4 == 1 ? 1 : 3, k = (branch + radix - u * radix / 4) % radix;
    for (unsigned p = 0; p < PLAN_STRIP_POINTS; p += VEC_WIDTH) {
        struct part r[7], i[7];
#pragma GCC unroll 8
        for (unsigned s = 0; s < radix; s++) {
            r[s] = part_of(vec_from_i32(d + s * BRANCH_DIGITS + p));
            i[s] = (struct part){r[s].v, 0};
            turn(u * s, r + s, i + s);
        }
        dft_prime(radix, r, i, 1.0);
        double *to = out + p / PLAN_BLOCK * BLOCK_DOUBLES + p % PLAN_BLOCK;
        vec_store(to, part_value(r[k]));
        vec_store(to + PLAN_BLOCK, part_value(i[k]));
    }
}

#define DEFINE_ODD_BRANCH(radix, b)                                                              \
    static __attribute__((noinline)) void odd_branch##radix##_##b(double *out, const int32_t *d) \
    {                                                                                            \
        odd_output_points(radix, b, out, d);                                                     \
    }
DEFINE_ODD_BRANCH(3, 0)
DEFINE_ODD_BRANCH(3, 1)
DEFINE_ODD_BRANCH(3, 2)
DEFINE_ODD_BRANCH(5, 0)
DEFINE_ODD_BRANCH(5, 1)
DEFINE_ODD_BRANCH(5, 2)
DEFINE_ODD_BRANCH(5, 3)
DEFINE_ODD_BRANCH(5, 4)
DEFINE_ODD_BRANCH(7, 0)
DEFINE_ODD_BRANCH(7, 1)
DEFINE_ODD_BRANCH(7, 2)
DEFINE_ODD_BRANCH(7, 3)
DEFINE_ODD_BRANCH(7, 4)
DEFINE_ODD_BRANCH(7, 5)
DEFINE_ODD_BRANCH(7, 6)

/* By radix, branch. */
static void (*const odd_branches[8][7])(double *out, const int32_t *d) = {
    [3] = {odd_branch3_0, odd_branch3_1, odd_branch3_2},
    [5] = {odd_branch5_0, odd_branch5_1, odd_branch5_2, odd_branch5_3, odd_branch5_4},
    [7] = {odd_branch7_0, odd_branch7_1, odd_branch7_2, odd_branch7_3, odd_branch7_4, odd_branch7_5, odd_branch7_6},
};

/* The first odd pass of a branch: of all groups of rows, and of this one. */
struct branch_pass {
    odd_body body;
    unsigned wanted; /* the output that is the branch's */
    bool in_y;       /* it is the last pass: branch_strip */
    unsigned g;
    struct odd_io io;
};

/* branch_odd_first - odd_pass, p = 0, of row q of each stream of group g: the branch's output alone, into row g h + q. */
static void branch_odd_first(const struct branch_work *b, const struct odd_map *m, const struct branch_pass *pass, size_t q)
{
    const bool in_y = pass->in_y;
    const size_t to_row = pass->g * m->h + q;
    struct odd_io io = pass->io;
    _Alignas(64) int32_t d[ODD_RADIX_MAX * BRANCH_DIGITS];
    _Alignas(64) double in[ODD_RADIX_MAX][2 * PLAN_STRIP_POINTS], all[ODD_RADIX_MAX][2 * PLAN_STRIP_POINTS];
    void (*const one)(double *, const int32_t *) =
        pass->body == odd_bodies[m->r1][false][ODD_RIGHT_ANGLE] && m->r1 <= 7 ? odd_branches[m->r1][b->branch] : NULL;
    io.in = in[0];
    io.out = all[0];
    for (unsigned j = 0; j < m->r1; j++)
        branch_cut(b, d + j * BRANCH_DIGITS, ((m->r1 * pass->g + j * m->r2) % m->odd) * m->h + q);
    for (size_t i = 0; i < b->strips && one; i++)
        one(strip_row(branch_strip(b, i, in_y), to_row).p, d + i * PLAN_STRIP_POINTS);
    for (size_t i = 0; i < b->strips && !one; i++) {
        for (unsigned j = 0; j < m->r1; j++) {
            const int32_t *from = d + j * BRANCH_DIGITS + i * PLAN_STRIP_POINTS;
            for (unsigned p = 0; p < PLAN_STRIP_POINTS; p += VEC_WIDTH) {
                double *to = in[j] + p / PLAN_BLOCK * BLOCK_DOUBLES + p % PLAN_BLOCK;
                vec_store(to, vec_from_i32(from + p));
                vec_store(to + PLAN_BLOCK, vec_set1(0.0));
            }
        }
        pass->body(&io);
        memcpy(strip_row(branch_strip(b, i, in_y), to_row).p, all[pass->wanted], sizeof *all);
    }
}

static void branch_odd(const struct branch_work *b)
{
    const struct plan_shape *s = &b->plan->shape;
    const struct odd_map m = odd_map(s);
    const unsigned parts = branch_parts(s), n_odd = odd_passes(s);
    const bool in_y = n_odd == s->transform.n_column_passes;
    const unsigned t0 = parts > 1 && m.right_angle ? (m.r1 % 4 == 1 ? 1 : 3) * m.r1 / 4 : 0, u = m.odd % 4 == 1 ? 1 : 3;
    const enum odd_kind kind = odd_pass_kind(&m, 0);
    const size_t h = m.h;
    for (unsigned g = 0; g < parts; g++) {
        struct branch_pass pass = {.body = odd_bodies[m.r1][false][kind],
                                   .wanted = (b->branch + m.r1 - t0 % m.r1) % m.r1,
                                   .in_y = in_y,
                                   .g = g,
                                   .io = {.n_blocks = STRIP_BLOCKS}};
        for (unsigned j = 0; j < m.r1; j++) {
            pass.io.in_at[j] = pass.io.out_at[j] = j * 2 * PLAN_STRIP_POINTS;
            if (kind == ODD_TURNED)
                odd_turn(&pass.io, j, u * ((m.r1 * g + j * m.r2) % m.odd), false);
        }
        for (size_t q = 0; q < h; q++)
            branch_odd_first(b, &m, &pass, q);
    }
    for (size_t i = 0; i < b->strips; i++) {
        const struct strip work = branch_strip(b, i, in_y), out = branch_strip(b, i, true);
        if (parts > 1) { /* odd_pass, p = 1: stream j is in part j, and output j goes there, see branch_t */
            struct odd_io io;
            odd_io_begin(&io, 0);
            for (unsigned j = 0; j < parts; j++)
                io.in_at[j] = io.out_at[j] = j * h * work.stride;
            for (size_t q = 0; q < h; q++) {
                io.in = io.out = strip_row(work, q).p;
                odd_bodies[m.r2][false][ODD_CYCLIC](&io);
            }
        }
        for (unsigned j = 0; j < parts && !in_y; j++)
            column_forward(b->plan, strip_row(work, j * h), strip_row(out, j * h),
                           (struct tree_node){n_odd, branch_t(s, b->branch, j), h}, false, b->mode);
    }
}

/* The work of source_to_branch_fused: strips, at_once of them at a time. */
struct branch_cut {
    const struct plan *plan;
    double *y, *scratch;
    const struct digit_cell *cell;
    unsigned branch;
    size_t at_once;
    struct norms_sum *norms; /* or NULL */
    struct work_share share;
};

static void branch_cut_run(void *arg, unsigned t)
{
    struct branch_cut *const w = arg;
    const struct plan_shape *s = &w->plan->shape;
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS;
    struct digit_norms mine = {0, 0};
    struct norm_sums n;
    struct branch_work b = {.plan = w->plan,
                            .cell = w->cell,
                            .norms = w->norms ? &n : NULL,
                            .branch = w->branch,
                            .work = w->scratch + t * plan_strip_doubles(s),
                            .y = w->y,
                            .mode = column_store_mode(s)};
    norm_start(&n);
    for (size_t k, behind; work_next(&w->share, t, &k, &behind);) {
        b.first = k * w->at_once;
        b.strips = strips - b.first < w->at_once ? strips - b.first : w->at_once;
        if (!stage_part(w->plan->monitor, b.strips * branch_rows(s) * PLAN_STRIP_POINTS))
            break;
        (s->transform.odd == 1 ? branch_binary : branch_odd)(&b);
        stage_part_end(w->plan->monitor);
    }
    vec_stream_fence();
    norm_finish(&n, &mine);
    if (w->norms)
        norms_sum_add(w->norms, &mine);
}

static void source_to_branch_fused(const struct plan *plan, double *y, double *scratch, const struct digit_cell *cell,
                                   unsigned branch, struct digit_norms *norms, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS, rows = branch_rows(s);
    size_t at_once = s->grid.n_branches < BRANCH_STRIPS ? s->grid.n_branches : BRANCH_STRIPS; /* what fits into a whole strip */
    while (at_once > 1 && at_once * rows > BRANCH_ROWS_MAX)
        at_once--;
    struct norms_sum sum = NORMS_SUM;
    struct branch_cut w;
    const size_t parts = (strips + at_once - 1) / at_once;
    w.plan = plan;
    w.y = y;
    w.scratch = scratch;
    w.cell = cell;
    w.branch = branch;
    w.at_once = at_once;
    w.norms = norms ? &sum : NULL;
    work_share_init(&w.share, parts, threads, parts);
    parallel_run(threads, branch_cut_run, &w);
    if (norms)
        *norms = sum.all;
}

struct branch_product {
    const struct plan *plan;
    double *x, *y;
    unsigned branch;
    struct work_share share;
};

static void branch_product_run(void *arg, unsigned t)
{
    struct branch_product *const w = arg;
    const struct plan *plan = w->plan;
    const struct plan_shape *s = &plan->shape;
    struct leaf_maker maker;
    maker.block = SIZE_MAX; /* an initializer would clear its 2 KB */
    for (size_t r, behind; work_next(&w->share, t, &r, &behind);) {
        const size_t q = branch_row(s, w->branch, r);
        const bool next = behind > 0 && branch_row(s, w->branch, r + 1) == q + 1;
        if (!stage_part(plan->monitor, s->transform.row_points))
            break;
        row_mul(&(struct row_product){plan, &maker, false, next ? s->transform.row_stride : 0},
                w->x + q * s->transform.row_stride, w->y + r * s->transform.row_stride, row_node(s, q), false, false);
        stage_part_end(plan->monitor);
    }
}

static void branch_mul_fused(const struct plan *plan, double *x, double *y, unsigned branch, unsigned threads)
{
    const size_t rows = branch_rows(&plan->shape);
    struct branch_product w;
    w.plan = plan;
    w.x = x;
    w.y = y;
    w.branch = branch;
    work_share_init(&w.share, rows, threads, rows);
    parallel_run(threads, branch_product_run, &w);
}

#endif
