/*
 * radix4.h - the ends of rows of true radix 4: passes over many short nodes, and the leaf of 16 points.
 *
 * The leaves' twiddles are products of entries of short tables (plan_twiddle.h).  Whole tables would be as long as the points,
 * and would come from beyond the second-level cache.
 * Constants: doc/error-bound.md, section 4.3.
 */
#ifndef GFMUL_RADIX4_H
#define GFMUL_RADIX4_H

_Static_assert(VEC_WIDTH == 4 && VEC_HAS_FMA, "four children are the lanes; the bound is one with FMA");
enum { LEAF16_POINTS = PLAN_MADE_POINTS, LEAF16_DOUBLES = 2 * LEAF16_POINTS };

/* radix4_split - a node of 4 h points, in place, forwards or backwards. */
STAGE_INLINE void radix4_split(double *x, size_t h, const double *node, bool inverse)
{
    const struct pass_io io = {.in = x, .in_stride = 2 * h, .out = x, .out_stride = 2 * h, .n_blocks = h / PLAN_BLOCK};
    pass_binary(BUTTERFLY_RADIX4, 4, inverse, false, PASS_CACHED, &io, node);
}

/* radix4_pass - `count` nodes of 4 h points that follow each other, of which the first is number g of its pass. */
STAGE_INLINE void radix4_pass(double *x, size_t h, const double *table, size_t g, size_t count, bool inverse)
{
    for (size_t k = 0; k < count; k++) {
        const double *node = node_twiddles(table, PLAN_RADIX4_TWIDDLES, g + k);
        if (h == LEAF16_POINTS) /* a constant: no loop is left */
            radix4_split(x + 8 * LEAF16_POINTS * k, LEAF16_POINTS, node, inverse);
        else
            radix4_split(x + 8 * h * k, h, node, inverse);
    }
}
static __attribute__((noinline)) void radix4_pass_forward(double *x, size_t h, const double *table, size_t g, size_t count)
{
    radix4_pass(x, h, table, g, count, false);
}
static __attribute__((noinline)) void radix4_pass_inverse(double *x, size_t h, const double *table, size_t g, size_t count)
{
    radix4_pass(x, h, table, g, count, true);
}

/*
 * A leaf of 16 points is two blocks.  Its first pass has slot s in vector s, its second one, behind a transposition, in the
 * lanes: child d of the first is lane d, its own child e goes to vector e.
 */
#define LEAF16_VECTOR(s) ((s)*VEC_WIDTH / PLAN_BLOCK * BLOCK_DOUBLES + (s)*VEC_WIDTH % PLAN_BLOCK)

struct leaf16 {
    vec r[4], i[4];
};

STAGE_INLINE struct leaf16 leaf16_load(const double *p)
{
    struct leaf16 z;
    for (unsigned s = 0; s < 4; s++) {
        z.r[s] = vec_load(p + LEAF16_VECTOR(s));
        z.i[s] = vec_load(p + LEAF16_VECTOR(s) + PLAN_BLOCK);
    }
    return z;
}

STAGE_INLINE void leaf16_store(double *p, const struct leaf16 *z)
{
    for (unsigned s = 0; s < 4; s++) {
        vec_store(p + LEAF16_VECTOR(s), z->r[s]);
        vec_store(p + LEAF16_VECTOR(s) + PLAN_BLOCK, z->i[s]);
    }
}

/* Sources of the leaves' twiddles: tables of a unit, its factors, and the number of its first leaf (a multiple of four). */
struct leaf16_tables {
    const double *leaves, *children, *unit;
    size_t first;
};

/* The twiddles of one leaf and, a lane each, of its four children. */
struct leaf16_twiddles {
    struct twiddle leaf[PLAN_RADIX4_TWIDDLES], children[PLAN_RADIX4_TWIDDLES];
};

/* The twiddles of four leaves, a lane each. */
struct leaf16_four {
    _Alignas(32) double c[PLAN_RADIX4_TWIDDLES][4], s[PLAN_RADIX4_TWIDDLES][4];
};

/* unit_twiddle - an entry times factor f of the unit. */
STAGE_INLINE struct twiddle unit_twiddle(const double *entry, const double *unit, unsigned f)
{
    const struct twiddle w = {vec_load(entry), vec_load(entry + PLAN_BLOCK)};
    return twiddle_product(w, vec_set1(unit[2 * f]), vec_set1(unit[2 * f + 1]));
}

/* leaf16_next - the twiddles of leaves k to k + 3, for leaf16_twiddles. */
STAGE_INLINE void leaf16_next(struct leaf16_four *four, const struct leaf16_tables *t, size_t k)
{
    const double *nodes = node_twiddles(t->leaves, PLAN_RADIX4_TWIDDLES, t->first + k);
    for (unsigned q = 0; q < PLAN_RADIX4_TWIDDLES; q++) {
        const struct twiddle w = unit_twiddle(nodes + BLOCK_DOUBLES * q, t->unit, q);
        vec_store(four->c[q], w.c);
        vec_store(four->s[q], w.tau);
    }
}

STAGE_INLINE void leaf16_twiddles(struct leaf16_twiddles *w, const struct leaf16_four *four, const struct leaf16_tables *t,
                                  size_t k)
{
    const double *nodes = node_twiddles(t->children, PLAN_RADIX4_TWIDDLES, 4 * (t->first + k));
    for (unsigned q = 0; q < PLAN_RADIX4_TWIDDLES; q++)
        w->leaf[q] = (struct twiddle){vec_set1(four->c[q][k % 4]), vec_set1(four->s[q][k % 4])};
    for (unsigned q = 0; q < PLAN_RADIX4_TWIDDLES; q++)
        w->children[q] = unit_twiddle(nodes + BLOCK_DOUBLES * q, t->unit, PLAN_RADIX4_TWIDDLES + q);
}

STAGE_INLINE void leaf16_forward(struct leaf16 *z, const struct leaf16_twiddles *w)
{
    radix4_forward(z->r, z->i, w->leaf);
    vec_transpose(z->r);
    vec_transpose(z->i);
    radix4_forward(z->r, z->i, w->children);
}

/* leaf16_inverse - undo leaf16_forward, times 16. */
STAGE_INLINE void leaf16_inverse(struct leaf16 *z, const struct leaf16_twiddles *w)
{
    radix4_inverse(z->r, z->i, w->children);
    vec_transpose(z->r);
    vec_transpose(z->i);
    radix4_inverse(z->r, z->i, w->leaf);
}

STAGE_INLINE void leaves16_pass(double *x, size_t count, const struct leaf16_tables *t, bool inverse)
{
    struct leaf16_four four;
    struct leaf16_twiddles w;
    for (size_t k = 0; k < count; k++) {
        if (k % 4 == 0)
            leaf16_next(&four, t, k);
        leaf16_twiddles(&w, &four, t, k);
        struct leaf16 z = leaf16_load(x + k * LEAF16_DOUBLES);
        if (inverse)
            leaf16_inverse(&z, &w);
        else
            leaf16_forward(&z, &w);
        leaf16_store(x + k * LEAF16_DOUBLES, &z);
    }
}

/* leaves16_forward - `count` leaves, a multiple of four, in place; leaves16_inverse - undo it, times 16. */
static __attribute__((noinline)) void leaves16_forward(double *x, size_t count, struct leaf16_tables t)
{
    leaves16_pass(x, count, &t, false);
}
static __attribute__((noinline)) void leaves16_inverse(double *x, size_t count, struct leaf16_tables t)
{
    leaves16_pass(x, count, &t, true);
}

/* leaf16_turn - the transposition between the passes of a leaf. */
STAGE_INLINE void leaf16_turn(struct leaf16 *z)
{
    vec_transpose(z->r);
    vec_transpose(z->i);
}

/* Leaves under way: the twiddles of leaf k in w[k % 2], those of the leaf before it in the other, and their sources. */
struct leaf16_walk {
    const struct leaf16_tables *tables;
    size_t count;
    struct leaf16_four four;
    struct leaf16_twiddles w[2];
};

/* leaf16_ahead - make the twiddles of leaf k, if there is one, in place of those of leaf k - 2. */
STAGE_INLINE void leaf16_ahead(struct leaf16_walk *walk, size_t k)
{
    if (k >= walk->count)
        return;
    if (k % 4 == 0)
        leaf16_next(&walk->four, walk->tables, k);
    leaf16_twiddles(walk->w + k % 2, &walk->four, walk->tables, k);
}

/*
 * leaf16_product - of leaf k, the way there and the product; of the leaf before it, if there is one, the way back.
 * Their passes take turns, because those of one leaf wait for each other, and a core's schedulers hold about half a leaf.  The
 * next leaf's twiddles are made amid them, because its first passes would wait for these.
 *
 *   z  i/o  in: the product of the leaf before, out: that of leaf k
 *   y, kept as in leaves16_product
 */
STAGE_INLINE void leaf16_product(double *x, const double *y, bool kept, size_t k, bool before, struct leaf16 *z,
                                 struct leaf16_walk *walk)
{
    const struct leaf16_twiddles *const there = walk->w + k % 2, *const back = walk->w + (k + 1) % 2;
    double *const p = x + k * LEAF16_DOUBLES;
    struct leaf16 b;
    if (y)
        b = leaf16_load(y + k * LEAF16_DOUBLES);
    if (y && !kept)
        radix4_forward(b.r, b.i, there->leaf);
    if (before)
        radix4_inverse(z->r, z->i, back->children);
    if (y && !kept)
        leaf16_turn(&b);
    struct leaf16 a = leaf16_load(p);
    radix4_forward(a.r, a.i, there->leaf);
    if (before) {
        leaf16_turn(z);
        radix4_inverse(z->r, z->i, back->leaf);
        leaf16_store(p - LEAF16_DOUBLES, z);
    }
    leaf16_ahead(walk, k + 1);
    if (y && !kept)
        radix4_forward(b.r, b.i, there->children);
    leaf16_turn(&a);
    radix4_forward(a.r, a.i, there->children);
    *z = a;
    for (unsigned s = 0; s < 4; s++)
        complex_mul(z->r + s, z->i + s, y ? b.r[s] : a.r[s], y ? b.i[s] : a.i[s]);
}

/*
 * leaves16_product - x <- leaves16_inverse of the product of (leaves16_forward of x) and (leaves16_forward of y).
 * y NULL: the former times itself; kept: y is a spectrum already.
 */
STAGE_INLINE void leaves16_product(double *x, const double *y, bool kept, size_t count, const struct leaf16_tables *t)
{
    struct leaf16_walk walk;
    struct leaf16 z;
    walk.tables = t;
    walk.count = count;
    leaf16_ahead(&walk, 0);
    leaf16_product(x, y, kept, 0, false, &z, &walk);
    for (size_t k = 1; k < count; k++)
        leaf16_product(x, y, kept, k, true, &z, &walk);
    leaf16_inverse(&z, walk.w + (count + 1) % 2);
    leaf16_store(x + (count - 1) * LEAF16_DOUBLES, &z);
}
static __attribute__((noinline)) void leaves16_mul(double *x, const double *y, size_t count, struct leaf16_tables t)
{
    leaves16_product(x, y, false, count, &t);
}
static __attribute__((noinline)) void leaves16_mul_kept(double *x, const double *y, size_t count, struct leaf16_tables t)
{
    leaves16_product(x, y, true, count, &t);
}
static __attribute__((noinline)) void leaves16_square(double *x, size_t count, struct leaf16_tables t)
{
    leaves16_product(x, NULL, false, count, &t);
}

#endif
