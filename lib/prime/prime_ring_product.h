/*
 * prime_ring_product.h - products of polynomials by prime_ring.h in one walk over memory.  Part of prime_template.h.
 *
 * Both operands go down the tree side by side.  When a node fits into the first cache, its points are multiplied and go up again.
 */
#ifndef GFMUL_PRIME_RING_PRODUCT_H
#define GFMUL_PRIME_RING_PRODUCT_H

enum { RING_COLUMNS = 256 }; /* columns of the first pass that are cut at a time, when they are needed */

/* leaf_load, leaf_store - load or store the points of VEC_WIDTH nodes of one vector each. */
STAGE_INLINE void leaf_load(vec *v, const double *x)
{
#pragma GCC unroll 8
    for (unsigned j = 0; j < VEC_WIDTH; j++)
        v[j] = vec_load(x + j * VEC_WIDTH);
}

STAGE_INLINE void leaf_store(double *x, const vec *v)
{
#pragma GCC unroll 8
    for (unsigned j = 0; j < VEC_WIDTH; j++)
        vec_store(x + j * VEC_WIDTH, v[j]);
}

/*
 * ring_leaves_product - the last levels of n points from `first` of a row on, the products of points, and the levels back.
 *
 *   factor  in  y is a spectrum by ring_finish
 */
STAGE_INLINE void ring_leaves_product(const struct field *f, const struct prime_ring *r, double *x, const double *y, size_t first,
                                      size_t n, bool factor)
{
    const vec scale = vec_set1(r->tables.scale);
    for (size_t i = first; i < first + n; i += RING_LEAF) {
        _Alignas(64) double factors[2][LEAF_FACTORS * VEC_WIDTH + VEC_WIDTH];
        vec a[VEC_WIDTH], b[VEC_WIDTH];
        leaf_factors_set(f, factors[0], r->tables.leaf[0], i);
        leaf_factors_set(f, factors[1], r->tables.leaf[1], i);
        leaf_load(b, y + i);
        if (!factor)
            leaf_forward(f, b, factors[0]);
        leaf_load(a, x + i);
        leaf_forward(f, a, factors[0]);
#pragma GCC unroll 8
        for (unsigned j = 0; j < VEC_WIDTH; j++) {
            if (!factor)
                b[j] = field_mul_any(f, field_reduce(f, b[j]), scale); /* 0.25 -> 0.55, 0.58 */
            a[j] = field_mul_any(f, field_reduce(f, a[j]), b[j]);      /* 0.29 -> 0.56, 0.59 */
        }
        leaf_back(f, a, factors[1]);
        leaf_store(x + i, a);
    }
}

/* ring_node_product - node k of rows of both operands, n points, in the order of ring_node_forward and _back. */
static void ring_node_product(const struct field *f, const struct prime_ring *r, double *x, double *y, size_t n, size_t k,
                              bool factor)
{
    const size_t first = (k & (r->row_points / n - 1)) * n; /* node row_points / n is the first one if rows are negacyclic */
    double *const *w = r->tables.root;
    if (n > NODE_CACHE_DOUBLES) {
        pass_forward(f, x + first, n / 4, w[0], k, 1);
        if (!factor)
            pass_forward(f, y + first, n / 4, w[0], k, 1);
        for (size_t i = 0; i < 4; i++)
            ring_node_product(f, r, x, y, n / 4, 4 * k + i, factor);
        pass_back(f, x + first, n / 4, w[1], k, 1);
        return;
    }
    quarter_forward(f, x + first, n, VEC_WIDTH, w[0], k);
    if (factor) {
        ring_leaves_product(f, r, x, y, first, n, true);
    } else {
        quarter_forward(f, y + first, n, VEC_WIDTH, w[0], k);
        ring_leaves_product(f, r, x, y, first, n, false);
    }
    quarter_back(f, x + first, n, VEC_WIDTH, w[1], k);
}

static void ring_nodes_product(const struct prime_ring *r, double *x, double *y, const struct ring_walk *walk, bool factor,
                               size_t i)
{
    const struct field f = field_of(&r->prime);
    const size_t nodes = walk->last_nodes, n = r->row_points / nodes, node = i % nodes, k = (r->negacyclic ? nodes : 0) + node;
    const size_t row = i / nodes * r->row_points;
    ring_node_product(&f, r, x + row, y + row, n, k, factor);
}

/* first_columns - `count` columns of the first pass, if only the first two quarters, or the first half, are not zero. */
STAGE_INLINE void first_columns(const struct prime_ring *r, double *x, const struct ring_words *from, size_t at, size_t h,
                                size_t count, bool halves)
{
    const struct field field = field_of(&r->prime), *f = &field;
    const struct ring_cut cut = ring_cut_of(f, from);
    const char *words = (const char *)from->words + at * sizeof(uint64_t);
    const double *w = r->tables.root[0];
    const struct field_factor w1 = field_set(w + 4), w2 = field_set(r->negacyclic ? w + 6 : w + 2); /* of node 1, or 0 */
    for (size_t i = 0; i < count; i += VEC_WIDTH, words += VEC_WIDTH * sizeof(uint64_t)) {
        const vec s = field_reduce(f, lanes_cut(f, &cut, lanes_load(words)));
        if (halves) {
            vec_store(x + at + i, s);
            vec_store(x + at + i + h, s);
            continue;
        }
        const vec b = lanes_cut(f, &cut, lanes_load(words + h * sizeof(uint64_t)));
        const vec t = r->negacyclic ? field_mul(f, b, w1) : field_reduce(f, b), v = field_mul(f, b, w2);
        vec_store(x + at + i, vec_add(s, t));
        vec_store(x + at + i + h, vec_sub(s, t));
        vec_store(x + at + i + 2 * h, vec_add(s, v));
        vec_store(x + at + i + 3 * h, vec_sub(s, v));
    }
}

/* ring_cut_step - columns of the first pass, cut just before use. */
static void ring_cut_step(const struct prime_ring *r, double *x, const struct ring_walk *walk, const struct ring_words *from,
                          size_t part, size_t parts)
{
    const bool halves = walk->halves;
    const size_t h = r->row_points / (halves ? 2 : 4), count = h / parts, first = part * count;
    const size_t full = halves ? h : 2 * h; /* numbers in rows that are not zero */
    if (from->count <= full && first + count + (full - h) <= from->count) {
        first_columns(r, x, from, first, h, count, halves);
        return;
    }
    for (size_t at = first; at < r->row_points; at += h)
        ring_cut_part(r, x, from, (struct ring_span){at, at + count});
    ring_step_part(r, x, walk, 0, false, part, parts);
}

RING_TASK(ring_cut_steps, ring_cut_step(j->r, j->x, j->walk, j->words, i, j->parts))

/* ring_begin - take an operand's words down the first steps of a walk. */
static void ring_begin(const struct prime_ring *r, double *x, const struct ring_walk *walk, const struct ring_words *from,
                       unsigned threads)
{
    unsigned step = 0;
    if (r->odd == 1 && walk->steps > 0) {
        const size_t h = r->row_points / (walk->halves ? 2 : 4), parts = h > RING_COLUMNS ? h / RING_COLUMNS : 1;
        parallel_for(threads, parts, 1, ring_cut_steps,
                     &(struct ring_job){.r = r, .x = x, .walk = walk, .words = from, .parts = parts});
        step = 1;
    } else {
        ring_cut(r, x, from, threads);
        ring_odd_forward(r, x, threads);
    }
    for (; step < walk->steps; step++)
        ring_step(r, x, walk, step, false, threads);
}

/* ring_factor - turn words into a factor of ring_product. */
static void ring_factor(const struct prime_ring *r, double *y, const struct ring_words *words, unsigned threads)
{
    ring_cut(r, y, words, threads);
    ring_forward(r, y, false, threads);
    ring_finish(r, y, threads);
}

RING_TASK(ring_nodes_products, ring_nodes_product(j->r, j->x, j->y, j->walk, j->flag, i))

/*
 * ring_product - the product of two polynomials.
 *
 *   x     out  the product of y and of x_words, which are first cut into x
 *   y     i/o  the other polynomial, overwritten; if y_words is NULL, a factor by ring_finish, only read
 */
static void ring_product(const struct prime_ring *r, double *x, const struct ring_words *x_words, double *y,
                         const struct ring_words *y_words, unsigned threads)
{
    const struct ring_walk walk = ring_walk_of(r, 1, threads);
    ring_begin(r, x, &walk, x_words, threads);
    if (y_words)
        ring_begin(r, y, &walk, y_words, threads);
    parallel_for(threads, r->odd * walk.last_nodes, 1, ring_nodes_products,
                 &(struct ring_job){.r = r, .x = x, .y = y, .walk = &walk, .flag = !y_words});
    ring_end(r, x, &walk, threads);
}

#endif
