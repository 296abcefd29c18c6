/*
 * transform.h - the tree, forwards (decimation in frequency) and backwards (decimation in time), columns then rows.
 *
 * The buffer is n_rows rows of row_points.  The column passes split the root into n_rows nodes: strips of PLAN_STRIP_POINTS
 * columns are independent, and a strip stays in the second-level cache through all column passes.  Then each row is a node of
 * its own and is split depth first down to leaves of 64 points, or to nodes that true radix 4 takes pass by pass (radix4.h).
 */
#ifndef GFMUL_TRANSFORM_H
#define GFMUL_TRANSFORM_H

enum { STRIP_BLOCKS = PLAN_STRIP_POINTS / PLAN_BLOCK };

/*
 * A strip's rows, PLAN_STRIP_POINTS each: in the buffer (stride row_stride), or in a scratch of its own (stride
 * 2 * PLAN_STRIP_POINTS), which keeps a long column in the cache and lets the buffer be written once, past the cache.
 */
struct strip {
    double *p;
    size_t stride;
};

STAGE_INLINE struct strip strip_row(struct strip s, size_t row)
{
    return (struct strip){s.p + row * s.stride, s.stride};
}

/*
 * The odd passes: one of radix odd, or two of the coprime radices r1 and r2, odd = r1 r2 [Good58].  With e1 = 1 and e2 = 0
 * modulo r1, e1 = 0 and e2 = 1 modulo r2:
 *     stream s of the root  a, b    with s = r2 a + r1 b         (modulo odd)
 *     branch t              t1, t2  with t = t1 e1 + t2 e2,  its residues modulo r1 and r2
 * Right-angle: with t0 and u of pass_odd for odd, branch t0 + k is output k of the DFT of the streams times i^(u s),
 * 0 <= s < odd, and a DFT of odd points is one of r1 and one of r2, its mixed terms s k being multiples of odd.  4 t0 = -1
 * modulo odd, so that t0 has the residues that the radices have by themselves.  The first pass takes the powers of i.  Between
 * the passes branch t1 of the streams b is in row t1 e1 + r1 b, so that both passes are in place.
 */
struct odd_map {
    unsigned odd, r1, r2, e1;
    bool right_angle;
    size_t h; /* rows in each of the odd streams or branches */
};

STAGE_INLINE struct odd_map odd_map(const struct plan_shape *s)
{
    struct odd_map m = {.odd = s->transform.odd,
                        .r1 = s->transform.pass[0].radix,
                        .r2 = s->transform.odd / s->transform.pass[0].radix,
                        .right_angle = s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE,
                        .h = s->transform.n_rows / s->transform.odd};
    do
        m.e1 += m.r2;
    while (m.e1 % m.r1 != 1);
    return m;
}

/* odd_rows - offsets of `count` streams, `row` doubles each, from `first` on by steps of `step`, modulo odd. */
STAGE_INLINE void odd_rows(size_t *at, const struct odd_map *m, unsigned first, unsigned step, unsigned count, size_t row)
{
    unsigned r = first % m->odd;
    for (unsigned j = 0; j < count; j++) {
        at[j] = r * row;
        r = r + step < m->odd ? r + step : r + step - m->odd;
    }
}

/* odd_pass_kind - of pass p (0: radix r1, 1: radix r2). */
STAGE_INLINE enum odd_kind odd_pass_kind(const struct odd_map *m, unsigned p)
{
    return !m->right_angle || p > 0 ? ODD_CYCLIC : m->r2 > 1 ? ODD_TURNED : ODD_RIGHT_ANGLE;
}

/* odd_io_begin - of a strip; the rest is set before it is read, because to clear it takes as long as a hundred points. */
STAGE_INLINE void odd_io_begin(struct odd_io *io, size_t ahead)
{
    io->n_blocks = STRIP_BLOCKS;
    io->ahead = ahead;
}

/*
 * odd_group - where group g of pass p reads and writes; inverse: backwards.
 * streams, branches: doubles from row to row on the streams' and on the branches' side.
 */
static void odd_group(struct odd_io *io, const struct odd_map *m, unsigned p, unsigned g, bool inverse, size_t streams,
                      size_t branches)
{
    const unsigned radix = p == 0 ? m->r1 : m->r2, e1 = m->e1, e = p == 0 ? e1 : m->odd + 1 - e1;
    const bool two = m->r2 > 1 && m->right_angle;
    const unsigned t0 = two ? (radix % 4 == 1 ? 1 : 3) * radix / 4 : 0, u = m->odd % 4 == 1 ? 1 : 3;
    const unsigned first = p == 0 ? m->r1 * g : e1 * g, step = p == 0 ? m->r2 : m->r1;
    odd_rows(inverse ? io->out_at : io->in_at, m, first, step, radix, m->h * streams);
    odd_rows(inverse ? io->in_at : io->out_at, m, first + t0 * e, e, radix, m->h * branches);
    if (odd_pass_kind(m, p) == ODD_TURNED)
        for (unsigned j = 0; j < radix; j++)
            odd_turn(io, j, u * ((first + j * step) % m->odd), inverse);
}

/*
 * odd_walk - the map of a length, and where the only group of its only odd pass reads and writes: the same in all strips of a
 * walk over a buffer.
 */
struct odd_walk {
    struct odd_map map;
    struct odd_io group; /* if map.r2 == 1 */
};

/* odd_walk_begin - inverse, streams, branches: as in odd_group.   No odd factor: nothing is set. */
static void odd_walk_begin(struct odd_walk *w, const struct plan_shape *s, bool inverse, size_t streams, size_t branches)
{
    if (s->transform.odd == 1)
        return;
    w->map = odd_map(s);
    odd_io_begin(&w->group, 0);
    if (w->map.r2 == 1)
        odd_group(&w->group, &w->map, 0, 0, inverse, streams, branches);
}

/*
 * odd_pass - pass p on the rows of a strip; inverse: backwards.
 * The streams' side of the pass is at `streams`, the branches' side at `branches`; ahead as in column_inverse.
 */
static void odd_pass(struct odd_walk *w, unsigned p, bool inverse, struct strip streams, struct strip branches, size_t ahead)
{
    const struct odd_map *m = &w->map;
    const unsigned radix = p == 0 ? m->r1 : m->r2, groups = p == 0 ? m->r2 : m->r1;
    const odd_body body = odd_bodies[radix][inverse][odd_pass_kind(m, p)];
    struct odd_io *io = &w->group;
    io->ahead = ahead;
    for (unsigned g = 0; g < groups; g++) {
        if (m->r2 > 1)
            odd_group(io, m, p, g, inverse, streams.stride, branches.stride);
        const struct strip in = inverse ? branches : streams, out = inverse ? streams : branches;
        for (size_t q = 0; q < m->h; q++) {
            io->in = in.p + q * in.stride;
            io->out = out.p + q * out.stride;
            body(io);
        }
    }
}

/*
 * odd_pass_half - the only odd pass, forwards, of a cyclic length whose upper half is zero.  That is not read: the streams behind
 * the middle one, and its own upper half.   at: points of a row before this strip; row_points: of a row
 */
static void odd_pass_half(const struct odd_map *m, struct strip streams, struct strip branches, size_t ahead, size_t at,
                          size_t row_points)
{
    struct odd_io io;
    odd_io_begin(&io, ahead);
    odd_group(&io, m, 0, 0, false, streams.stride, branches.stride);
    for (size_t q = 0; q < m->h; q++) {
        io.in = streams.p + q * streams.stride;
        io.out = branches.p + q * branches.stride;
        odd_half_bodies[m->odd][2 * (q * row_points + at) < m->h * row_points](&io);
    }
}

/* strip_io - a pass over rows q, q + h, q + 2 h, ... of a strip. */
STAGE_INLINE struct pass_io strip_io(struct strip in, struct strip out, size_t q, size_t h)
{
    return (struct pass_io){in.p + q * in.stride, h * in.stride, out.p + q * out.stride,
                            h * out.stride,       STRIP_BLOCKS,  {NULL, 0, false}};
}

/* A node of the tree: number g among those that pass p splits; of so many rows in columns, of points in rows. */
struct tree_node {
    unsigned p;
    size_t g, size;
};

/* child_size - points of a child; a pass of a tree has radix 2, 4 or 8. */
STAGE_INLINE size_t child_size(struct tree_node node, unsigned radix)
{
    assert((radix & (radix - 1)) == 0);
    return node.size >> __builtin_ctz(radix);
}

/* node_child - child c of those that a pass of this radix makes. */
STAGE_INLINE struct tree_node node_child(struct tree_node node, unsigned radix, unsigned c)
{
    return (struct tree_node){node.p + 1, node.g * radix + c, child_size(node, radix)};
}

/* column_forward - the column passes from a node on in `work`, the last one into `out`, which may be the same. */
static void column_forward(const struct plan *plan, struct strip work, struct strip out, struct tree_node node, bool upper_zero,
                           enum pass_mode mode)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned radix = s->transform.pass[node.p].radix;
    const bool last = node.p + 1 == s->transform.n_column_passes;
    const size_t h = child_size(node, radix);
    const struct strip to = last ? out : work;
    const double *w = pass_twiddles(plan, node.p, node.g);
    for (size_t q = 0; q < h; q++) {
        struct pass_io io = strip_io(work, to, q, h);
        io.ahead.p = io.out + 2 * PLAN_STRIP_POINTS;
        io.ahead.stride = io.out_stride;
        pass_forward(&s->transform.pass[node.p], upper_zero, last ? mode : PASS_CACHED, &io, w);
    }
    if (!last)
        for (unsigned c = 0; c < radix; c++)
            column_forward(plan, strip_row(work, c * h), strip_row(out, c * h), node_child(node, radix, c), false, mode);
}

STAGE_INLINE unsigned odd_passes(const struct plan_shape *s)
{
    return s->transform.odd == 1 ? 0 : s->transform.pass[0].radix == s->transform.odd ? 1 : 2;
}

/*
 * passes_ask_in_turns - where there are three passes and more, the first inverse one asks for the real parts of the next strip,
 * and the second one for the imaginary ones, if both are binary; else the first asks for all of it.
 */
STAGE_INLINE bool passes_ask_in_turns(const struct plan_shape *s)
{
    return s->transform.n_column_passes > 2 && s->transform.n_column_passes > odd_passes(s) + 1;
}

/*
 * column_inverse - undo column_forward: the first inverse pass from `in`, the others in `work`.
 * ahead: doubles from this strip to the one that this thread takes next, 0 at the last one.
 */
static void column_inverse(const struct plan *plan, struct strip in, struct strip work, struct tree_node node, size_t ahead)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned radix = s->transform.pass[node.p].radix;
    const bool last = node.p + 1 == s->transform.n_column_passes;
    const size_t h = child_size(node, radix);
    const struct strip from = last ? in : work;
    const double *w = pass_twiddles(plan, node.p, node.g);
    const bool turns = passes_ask_in_turns(s), asks = ahead && (last || (turns && node.p + 2 == s->transform.n_column_passes));
    if (!last)
        for (unsigned c = 0; c < radix; c++)
            column_inverse(plan, strip_row(in, c * h), strip_row(work, c * h), node_child(node, radix, c), ahead);
    for (size_t q = 0; q < h; q++) {
        struct pass_io io = strip_io(from, work, q, h);
        io.ahead.p = in.p + q * in.stride + ahead + (last ? 0 : PLAN_BLOCK);
        io.ahead.stride = h * in.stride;
        io.ahead.half = turns;
        pass_inverse(&s->transform.pass[node.p], asks ? PASS_AHEAD : PASS_CACHED, &io, w);
    }
}

/* What is known of a root whose upper half is zero, and of its strip, which begins at point `at` of a row. */
struct strip_known {
    bool upper_zero;
    size_t at;
};

/* odd_branches_stride - of the branches' side of the first odd pass: the buffer's, if no other pass is on the columns. */
STAGE_INLINE size_t odd_branches_stride(const struct plan_shape *s, size_t work, size_t buffer)
{
    return s->transform.n_column_passes == 1 ? buffer : work;
}

/* strip_forward_odd - strip_forward from odd pass p on. */
static void strip_forward_odd(const struct plan *plan, struct odd_walk *odd, unsigned p, struct strip work, struct strip out,
                              struct strip_known known, enum pass_mode mode)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned n_odd = odd_passes(s);
    const size_t h = odd->map.h;
    for (; p < n_odd; p++) {
        const bool last = p + 1 == s->transform.n_column_passes;
        const size_t ahead = last && mode == PASS_AHEAD ? 2 * PLAN_STRIP_POINTS : 0;
        if (known.upper_zero)
            odd_pass_half(&odd->map, work, last ? out : work, ahead, known.at, s->transform.row_points);
        else
            odd_pass(odd, p, false, work, last ? out : work, ahead);
    }
    if (n_odd < s->transform.n_column_passes)
        for (unsigned t = 0; t < s->transform.odd; t++)
            column_forward(plan, strip_row(work, t * h), strip_row(out, t * h), (struct tree_node){n_odd, t, h}, false, mode);
}

/* strip_forward - column_forward from the root, the odd passes before it. */
static void strip_forward(const struct plan *plan, struct strip work, struct strip out, struct strip_known known,
                          enum pass_mode mode)
{
    const struct plan_shape *s = &plan->shape;
    if (s->transform.odd == 1) {
        column_forward(plan, work, out, (struct tree_node){0, 0, s->transform.n_rows}, known.upper_zero, mode);
        return;
    }
    struct odd_walk odd;
    odd_walk_begin(&odd, s, false, work.stride, odd_branches_stride(s, work.stride, out.stride));
    strip_forward_odd(plan, &odd, 0, work, out, known, mode);
}

/* inverse_walk_begin - odd_walk_begin for strip_inverse.   work, buffer  in  doubles from row to row */
static void inverse_walk_begin(struct odd_walk *odd, const struct plan_shape *s, size_t work, size_t buffer)
{
    odd_walk_begin(odd, s, true, work, odd_branches_stride(s, work, buffer));
}

/* strip_inverse - undo strip_forward; as column_inverse.   odd  i/o  of inverse_walk_begin */
static void strip_inverse(const struct plan *plan, struct odd_walk *odd, struct strip in, struct strip work, size_t ahead)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned n_odd = odd_passes(s);
    if (n_odd == 0) {
        column_inverse(plan, in, work, (struct tree_node){0, 0, s->transform.n_rows}, ahead);
        return;
    }
    const size_t h = odd->map.h;
    if (n_odd < s->transform.n_column_passes)
        for (unsigned t = 0; t < s->transform.odd; t++)
            column_inverse(plan, strip_row(in, t * h), strip_row(work, t * h), (struct tree_node){n_odd, t, h}, ahead);
    for (unsigned p = n_odd; p-- > 0;)
        odd_pass(odd, p, true, work, p + 1 == s->transform.n_column_passes ? in : work,
                 p + 1 == s->transform.n_column_passes ? ahead : 0);
}

/* buffer_strip - strip k of a buffer. */
STAGE_INLINE struct strip buffer_strip(const struct plan_shape *s, double *x, size_t k)
{
    return (struct strip){x + k * 2 * PLAN_STRIP_POINTS, s->transform.row_stride};
}

/*
 * strip_ahead - `ahead` for strip_inverse; 0: there is no next strip, or the buffer is small enough to be in the second-level
 * cache still, where the rows have left it.
 */
STAGE_INLINE size_t strip_ahead(const struct plan_shape *s, bool last)
{
    const size_t kept_bytes = 384 << 10;
    return last || plan_buffer_doubles(s) * sizeof(double) <= kept_bytes ? 0 : 2 * PLAN_STRIP_POINTS;
}

/* row_io - a pass over a node of `points` contiguous points, in place. */
STAGE_INLINE struct pass_io row_io(double *x, size_t h)
{
    return (struct pass_io){x, 2 * h, x, 2 * h, h / PLAN_BLOCK, {NULL, 0, false}};
}

/* row_node - row r, as the node that the column passes leave. */
STAGE_INLINE struct tree_node row_node(const struct plan_shape *s, size_t r)
{
    return (struct tree_node){s->transform.n_column_passes, r, s->transform.row_points};
}

/* row_pass - the pass that splits a node of a row, in place, forwards or backwards; upper_zero: as in radix_forward. */
STAGE_INLINE void row_pass(const struct plan *plan, double *x, struct tree_node node, bool upper_zero, bool inverse)
{
    const struct plan_pass *pass = &plan->shape.transform.pass[node.p];
    const double *w = pass_twiddles(plan, node.p, node.g);
    const struct pass_io io = row_io(x, child_size(node, pass->radix));
    if (inverse)
        pass_inverse(pass, PASS_CACHED, &io, w);
    else
        pass_forward(pass, upper_zero, PASS_CACHED, &io, w);
}

/*
 * row_end - the recursion ends at this node: a leaf of 64 points, or one of up to END_POINTS that true radix 4 takes pass by
 * pass, so that processors find several butterflies at a time.
 */
enum { END_POINTS = 256 };

STAGE_INLINE bool ends_by_radix4(const struct plan *plan, struct tree_node node)
{
    return plan->shape.transform.pass[node.p].butterfly == BUTTERFLY_RADIX4 && plan_has_units(&plan->shape);
}

STAGE_INLINE bool row_end(const struct plan *plan, struct tree_node node)
{
    return node.size == PLAN_LEAF_POINTS || (node.size <= END_POINTS && ends_by_radix4(plan, node));
}

#ifdef VEC_LEAF16
/* end_pass - the pass of all nodes of `size` points under an end node, in place, forwards or backwards. */
STAGE_INLINE void end_pass(const struct plan *plan, double *x, struct tree_node node, size_t size, bool inverse)
{
    const size_t count = node.size / size;
    unsigned p = node.p;
    for (size_t k = count; k > 1; k /= 4)
        p++;
    (inverse ? radix4_pass_inverse : radix4_pass_forward)(x, size / 4, plan->twiddle[p], node.g * count, count);
}

/* end_leaves - what the twiddles of the leaves of 16 points under an end node are made of. */
STAGE_INLINE struct leaf16_tables end_leaves(const struct plan *plan, struct tree_node node)
{
    const unsigned p = plan->shape.transform.n_passes - 2;
    const size_t in_unit = ((size_t)1 << plan->unit_levels) / node.size; /* a power of two */
    return (struct leaf16_tables){plan->twiddle[p], plan->twiddle[p + 1], plan->unit + node.g / in_unit * 2 * PLAN_UNIT_FACTORS,
                                  node.g % in_unit * (node.size / LEAF16_POINTS)};
}
#endif

/* leaf_is_mixed - of 64 points, by mixed passes. */
STAGE_INLINE bool leaf_is_mixed(const struct plan *plan)
{
    return plan->shape.transform.pass[plan->shape.transform.n_passes - 1].butterfly == BUTTERFLY_MIXED;
}

/* leaf_run - forwards or backwards, in place. */
#ifdef VEC_MIXED
static STAGE_SCHEDULED void leaf_forward_mixed(double *x, struct leaf_twiddles w)
{
    leaf_forward(BUTTERFLY_MIXED, x, x, w.node, w.children);
}
static STAGE_SCHEDULED void leaf_inverse_mixed(double *x, struct leaf_twiddles w)
{
    leaf_inverse(BUTTERFLY_MIXED, x, x, w.node, w.children);
}
#endif
STAGE_INLINE void leaf_run(const struct plan *plan, double *x, struct leaf_twiddles w, bool inverse)
{
#ifdef VEC_MIXED
    if (leaf_is_mixed(plan)) {
        (inverse ? leaf_inverse_mixed : leaf_forward_mixed)(x, w);
        return;
    }
#endif
    (void)plan;
    (inverse ? leaf_inverse : leaf_forward)(BUTTERFLY_NESTED, x, x, w.node, w.children);
}

static void row_forward(const struct plan *plan, struct leaf_maker *maker, double *x, struct tree_node node, bool upper_zero)
{
    if (row_end(plan, node)) {
#ifdef VEC_LEAF16
        if (ends_by_radix4(plan, node)) {
            for (size_t size = node.size; size > LEAF16_POINTS; size /= 4)
                end_pass(plan, x, node, size, false);
            leaves16_forward(x, node.size / LEAF16_POINTS, end_leaves(plan, node));
            return;
        }
#endif
        leaf_run(plan, x, leaf_twiddles(plan, maker, node.g), false);
        return;
    }
    const unsigned radix = plan->shape.transform.pass[node.p].radix;
    row_pass(plan, x, node, upper_zero, false);
    for (unsigned c = 0; c < radix; c++) {
        const struct tree_node child = node_child(node, radix, c);
        row_forward(plan, maker, x + 2 * child.size * c, child, false);
    }
}

static void row_inverse(const struct plan *plan, struct leaf_maker *maker, double *x, struct tree_node node)
{
    if (row_end(plan, node)) {
#ifdef VEC_LEAF16
        if (ends_by_radix4(plan, node)) {
            leaves16_inverse(x, node.size / LEAF16_POINTS, end_leaves(plan, node));
            for (size_t size = PLAN_LEAF_POINTS; size <= node.size; size *= 4)
                end_pass(plan, x, node, size, true);
            return;
        }
#endif
        leaf_run(plan, x, leaf_twiddles(plan, maker, node.g), true);
        return;
    }
    const unsigned radix = plan->shape.transform.pass[node.p].radix;
    for (unsigned c = 0; c < radix; c++) {
        const struct tree_node child = node_child(node, radix, c);
        row_inverse(plan, maker, x + 2 * child.size * c, child);
    }
    row_pass(plan, x, node, false, true);
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

/*
 * The root's upper half is zero, and its first pass does not read it: one that splits it in halves, or the only odd pass of a
 * cyclic length.
 */
STAGE_INLINE bool upper_half_zero(const struct plan_shape *s, size_t used_points)
{
    const bool odd = odd_passes(s) == 1 && s->transform.packing != GFMUL_PACKING_RIGHT_ANGLE;
    return (s->transform.odd == 1 || odd) && used_points <= s->transform.n_points / 2;
}

/* A buffer whose strips or rows are transformed in place. */
struct buffer_work {
    const struct plan *plan;
    double *x;
    size_t used_points;
};

static size_t strips_of(const struct plan_shape *s)
{
    return s->transform.n_column_passes ? s->transform.row_points / PLAN_STRIP_POINTS : 0;
}

static void strips_forward(void *arg, unsigned t, size_t first, size_t end)
{
    const struct buffer_work *const w = arg;
    const struct plan_shape *s = &w->plan->shape;
    (void)t;
    for (size_t k = first; k < end; k++) {
        if (!stage_part(w->plan->monitor, s->transform.n_rows * PLAN_STRIP_POINTS))
            continue;
        const struct strip in_place = buffer_strip(s, w->x, k);
        const struct strip_known known = {upper_half_zero(s, w->used_points), k * PLAN_STRIP_POINTS};
        strip_forward(w->plan, in_place, in_place, known, PASS_CACHED);
        stage_part_end(w->plan->monitor);
    }
}

static void strips_inverse(void *arg, unsigned t, size_t first, size_t end)
{
    const struct buffer_work *const w = arg;
    const struct plan_shape *s = &w->plan->shape;
    struct odd_walk odd;
    (void)t;
    inverse_walk_begin(&odd, s, s->transform.row_stride, s->transform.row_stride);
    for (size_t k = first; k < end; k++) {
        if (!stage_part(w->plan->monitor, s->transform.n_rows * PLAN_STRIP_POINTS))
            continue;
        const struct strip in_place = buffer_strip(s, w->x, k);
        strip_inverse(w->plan, &odd, in_place, in_place, 0);
        stage_part_end(w->plan->monitor);
    }
}

static void rows_forward(void *arg, unsigned t, size_t first, size_t end)
{
    const struct buffer_work *const w = arg;
    const struct plan_shape *s = &w->plan->shape;
    const bool zero =
        s->transform.n_column_passes == 0 && s->transform.n_points > PLAN_LEAF_POINTS && upper_half_zero(s, w->used_points);
    struct leaf_maker maker;
    maker.block = SIZE_MAX; /* an initializer would clear its 2 KB */
    (void)t;
    for (size_t r = first; r < end; r++) {
        if (!stage_part(w->plan->monitor, s->transform.row_points))
            continue;
        row_forward(w->plan, &maker, w->x + r * s->transform.row_stride, row_node(s, r), zero);
        stage_part_end(w->plan->monitor);
    }
}

static void digits_to_spectrum(const struct plan *plan, double *x, size_t used_points, unsigned threads)
{
    struct buffer_work w = {plan, x, used_points};
    parallel_for(threads, strips_of(&plan->shape), 1, strips_forward, &w);
    parallel_for(threads, plan->shape.transform.n_rows, 1, rows_forward, &w);
}

static void columns_to_spectrum(const struct plan *plan, double *x, double *scratch, size_t used_points, unsigned threads)
{
    struct buffer_work w = {plan, x, used_points};
    (void)scratch;
    parallel_for(threads, plan->shape.transform.n_rows, 1, rows_forward, &w);
}

static void rows_inverse(void *arg, unsigned t, size_t first, size_t end)
{
    const struct buffer_work *const w = arg;
    const struct plan_shape *s = &w->plan->shape;
    struct leaf_maker maker;
    maker.block = SIZE_MAX; /* an initializer would clear its 2 KB */
    (void)t;
    for (size_t r = first; r < end; r++) {
        if (!stage_part(w->plan->monitor, s->transform.row_points))
            continue;
        row_inverse(w->plan, &maker, w->x + r * s->transform.row_stride, row_node(s, r));
        stage_part_end(w->plan->monitor);
    }
}

static void spectrum_to_columns(const struct plan *plan, double *x, double *scratch, unsigned threads)
{
    struct buffer_work w = {plan, x, 0};
    (void)scratch;
    parallel_for(threads, plan->shape.transform.n_rows, 1, rows_inverse, &w);
}

static void columns_to_digits(const struct plan *plan, double *x, unsigned threads)
{
    struct buffer_work w = {plan, x, 0};
    parallel_for(threads, strips_of(&plan->shape), 1, strips_inverse, &w);
}

static void spectrum_to_digits(const struct plan *plan, double *x, unsigned threads)
{
    struct buffer_work w = {plan, x, 0};
    parallel_for(threads, plan->shape.transform.n_rows, 1, rows_inverse, &w);
    parallel_for(threads, strips_of(&plan->shape), 1, strips_inverse, &w);
}

#endif
