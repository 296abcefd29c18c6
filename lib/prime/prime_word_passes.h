/*
 * prime_word_passes.h - passes of radix 2 and 4, and leaves, over any field of words.  Part of prime_word_template.h.
 *
 * The tree is that of prime_transform.h, its places those of prime_ring.h.  A field header defines lanes (prime_lanes_walk.h),
 * ranges with these names, and operations between them:
 *
 *     lanes_fold         wide to upper                    lanes_total    of two narrow ones: narrow
 *     lanes_mul          wide to lower, and narrow        lanes_apart    of two narrow ones: wide
 *     lanes_scale        wide to wide, a product, too     lanes_wide     narrow to wide
 *     lanes_sum          of upper and lower: wide         lanes_minus    of a residue below p: narrow
 *     lanes_difference   likewise                         narrow_residue, wide_residue    below p
 *
 * Residues below p are narrow.  Stored values are wide forwards and narrow backwards.  So every pass keeps these ranges.
 */
#ifndef GFMUL_PRIME_WORD_PASSES_H
#define GFMUL_PRIME_WORD_PASSES_H

enum {
    FIRST_LEVELS = 1,
    LONG_LEVELS = RING_LEVELS_MAX + 1, /* never */
    SQUARE_LEVELS = 2 * LANES_LEVELS,
    LEAF_SCALE_WORDS = (LANES - 1) * FACTOR_WORDS,
    LEAF_DUO = 1,
    ENDS_DOUBLES = false
};

/* lanes_accept - a word from the caller. */
LANES_INLINE lanes lanes_accept(const struct lanes_field *f, lanes word)
{
    (void)f;
    return word;
}

/* ---- forwards ---- */

/* The factors of a step of node k: w[k], w[2 k], w[2 k + 1], as far as the step uses them. */
struct split_factors {
    struct lanes_factor w[3];
};

LANES_INLINE struct split_factors split_factors_of(const uint64_t *root, size_t k, unsigned taken)
{
    struct split_factors node;
    if (taken > 0)
        node.w[0] = lanes_factor_of(root + FACTOR_WORDS * k);
    if (taken > 1) {
        node.w[1] = lanes_factor_of(root + FACTOR_WORDS * 2 * k);
        node.w[2] = lanes_factor_of(root + FACTOR_WORDS * (2 * k + 1));
    }
    return node;
}

LANES_INLINE void split2(const struct lanes_field *f, lanes *low, lanes *high, const struct lanes_factor *w)
{
    const lanes a = lanes_fold(f, *low), t = lanes_mul(f, *high, *w);
    *low = lanes_sum(f, a, t);
    *high = lanes_difference(f, a, t);
}

LANES_INLINE void pass_split(const struct lanes_field *f, lanes *x, const struct split_factors *node, unsigned taken)
{
    if (taken == 1)
        split2(f, x, x + 1, &node->w[0]);
    if (taken == 2) {
        split2(f, x, x + 2, &node->w[0]);
        split2(f, x + 1, x + 3, &node->w[0]);
        split2(f, x, x + 1, &node->w[1]);
        split2(f, x + 2, x + 3, &node->w[2]);
    }
}

/* ---- back ---- */

struct join_factors {
    struct split_factors node; /* inverses */
};

LANES_INLINE struct join_factors join_factors_of(const struct lanes_field *f, const uint64_t *root, size_t k, unsigned taken)
{
    (void)f;
    return (struct join_factors){split_factors_of(root, k, taken)};
}

/* join2 - the inverse of split2, times 2, with the inverse factor. */
LANES_INLINE void join2(const struct lanes_field *f, lanes *low, lanes *high, const struct lanes_factor *w)
{
    const lanes a = *low, b = *high;
    *low = lanes_total(f, a, b);
    *high = lanes_mul(f, lanes_apart(f, a, b), *w);
}

LANES_INLINE void pass_join(const struct lanes_field *f, lanes *x, const struct join_factors *w, unsigned taken)
{
    if (taken == 1)
        join2(f, x, x + 1, &w->node.w[0]);
    if (taken == 2) {
        join2(f, x, x + 1, &w->node.w[1]);
        join2(f, x + 2, x + 3, &w->node.w[2]);
        join2(f, x, x + 2, &w->node.w[0]);
        join2(f, x + 1, x + 3, &w->node.w[0]);
    }
}

/* The factors of a last step with a constant c: see struct ring_integers. */
struct end_factors {
    struct lanes_factor c, by[3]; /* c, c w[k], c w[2 k], c w[2 k + 1] */
    struct lanes_factor plain;    /* w[k] */
};

LANES_INLINE struct end_factors end_factors_of(const struct lanes_field *f, const uint64_t *root, size_t k, unsigned taken,
                                               const uint64_t *end)
{
    (void)f;
    struct end_factors w;
    w.c = lanes_factor_of(end + FACTOR_WORDS);
    if (taken > 0)
        w.by[0] = lanes_factor_of(end);
    if (taken > 1) {
        w.by[1] = lanes_factor_of(end + 2 * FACTOR_WORDS);
        w.by[2] = lanes_factor_of(end + 3 * FACTOR_WORDS);
        w.plain = lanes_factor_of(root + FACTOR_WORDS * k);
    }
    return w;
}

/* end1 - times c;  end2 - join2 times c. */
LANES_INLINE void end1(const struct lanes_field *f, lanes *x, const struct end_factors *w)
{
    *x = lanes_mul(f, lanes_wide(f, *x), w->c);
}
LANES_INLINE void end2(const struct lanes_field *f, lanes *low, lanes *high, const struct end_factors *w)
{
    join2(f, low, high, &w->by[0]);
    end1(f, low, w);
}

/* pass_end - the last step: residues below p. */
LANES_INLINE void pass_end(const struct lanes_field *f, lanes *x, const struct end_factors *w, unsigned taken)
{
    if (taken == 0)
        end1(f, x, w);
    if (taken == 1)
        end2(f, x, x + 1, w);
    if (taken == 2) {
        join2(f, x, x + 1, &w->by[1]);
        join2(f, x + 2, x + 3, &w->by[2]);
        end2(f, x, x + 2, w);
        join2(f, x + 1, x + 3, &w->plain);
    }
#pragma GCC unroll 4
    for (unsigned q = 0; q < 1u << taken; q++)
        x[q] = narrow_residue(f, x[q]);
}

/* ending_put - a residue below p. */
LANES_INLINE void ending_put(uint64_t *x, lanes v, bool doubles)
{
    assert(!doubles);
    (void)doubles;
    lanes_put(x, v);
}

/* ---- leaves: LANES nodes of LANES points, a node in a lane ---- */

/* leaf_level_split, leaf_level_join - a level of `blocks` nodes in each lane; node j has factor blocks - 1 + j of w: vectors. */
LANES_INLINE struct lanes_factor leaf_factor(const uint64_t *w, int blocks, int j)
{
    return lanes_factor_get(w + (blocks - 1 + j) * (FACTOR_WORDS * LANES));
}

LANES_INLINE void leaf_level_split(const struct lanes_field *f, lanes *v, const uint64_t *w, int blocks)
{
    const int h = (LANES + 1) / 2 / blocks;
#pragma GCC unroll 4
    for (int i = 0; i < LANES / 2; i++) {
        const struct lanes_factor factor = leaf_factor(w, blocks, i / h);
        lanes *at = v + i / h * h + i;
        split2(f, at, at + h, &factor);
    }
}

LANES_INLINE void leaf_level_join(const struct lanes_field *f, lanes *v, const uint64_t *w, int blocks)
{
    const int h = (LANES + 1) / 2 / blocks;
#pragma GCC unroll 4
    for (int i = 0; i < LANES / 2; i++) {
        const struct lanes_factor factor = leaf_factor(w, blocks, i / h);
        lanes *at = v + i / h * h + i;
        join2(f, at, at + h, &factor);
    }
}

/*
 * leaf_split - the last LANES_LEVELS levels.   v wide to wide
 *
 * The points of LANES nodes, from node LANES g on, are multiplied by powers of a root, so that their factors become those of
 * nodes 0 .. LANES - 1.
 *
 *   scale  in  the powers 1 .. LANES - 1 of square g
 *   w      in  vectors of factors: of nodes j, 2 j + b, 4 j + b
 */
LANES_INLINE void leaf_split(const struct lanes_field *f, lanes (*v)[LANES], const uint64_t *scale, size_t apart,
                             const uint64_t *w)
{
    (void)apart;
#pragma GCC unroll 8
    for (unsigned i = 1; i < LANES; i++)
        v[0][i] = lanes_scale(f, v[0][i], lanes_factor_of(scale + (i - 1) * FACTOR_WORDS));
    if (LANES > 1)
        leaf_level_split(f, v[0], w, 1);
    if (LANES > 2)
        leaf_level_split(f, v[0], w, 2);
    if (LANES > 4)
        leaf_level_split(f, v[0], w, 4);
}

/* leaf_residue - a residue below p, from a point that leaf_split left. */
LANES_INLINE lanes leaf_residue(const struct lanes_field *f, lanes x)
{
    return wide_residue(f, x);
}

/* leaf_join - the inverse of leaf_split, times LANES.   v residues to narrow */
LANES_INLINE void leaf_join(const struct lanes_field *f, lanes (*v)[LANES], const uint64_t *scale, const uint64_t *w)
{
    if (LANES > 4)
        leaf_level_join(f, v[0], w, 4);
    if (LANES > 2)
        leaf_level_join(f, v[0], w, 2);
    if (LANES > 1)
        leaf_level_join(f, v[0], w, 1);
#pragma GCC unroll 8
    for (unsigned i = 1; i < LANES; i++)
        v[0][i] = lanes_mul(f, lanes_wide(f, v[0][i]), lanes_factor_of(scale + (i - 1) * FACTOR_WORDS));
}

#endif
