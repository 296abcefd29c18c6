/*
 * prime_lanes_walk.h - whole transforms of integers: one walk over any field.  Part of isa/prime_ifma.c and of
 * prime_word_template.h.
 *
 * A field header defines the lanes: LANES, 2^LANES_LEVELS of them, lanes_get, lanes_put, square_transpose; lanes_note and
 * lanes_noted, which check words; struct lanes_field; FACTOR_WORDS of a constant factor; lanes_wide, which converts words to the
 * input of passes.
 * A header of passes defines FIRST_LEVELS, LONG_LEVELS, SQUARE_LEVELS, LEAF_DUO, ENDS_DOUBLES; split_, join_ and end_factors_of
 * for pass_split, pass_join and pass_end of 2^taken parts; leaf_split, leaf_join.  It states the ranges.
 *
 * If the number of levels above the leaves is odd, the first step takes FIRST_LEVELS; else the first two steps do, from
 * LONG_LEVELS on.  All other steps take two levels, depth first down to nodes that fit into the first cache.  2^15 points fit
 * into a second-level cache, so 2^20 points are read from memory twice.
 */
#ifndef GFMUL_PRIME_LANES_WALK_H
#define GFMUL_PRIME_LANES_WALK_H

enum {
    LANES_SQUARE = LANES * LANES, /* points in the nodes of a leaf */
    NODE_CACHE_LEVELS = 11,       /* levels of a node that fits into the first cache */
    STEP_PARTS = 16,              /* parts of a step, for threads */
    WALK_TASKS = 4                /* nodes per thread before whole nodes are shared out */
};

/* square_load - load 8 by 8 words, column i in v[i];  square_store - store them. */
LANES_INLINE void square_load(lanes *v, const uint64_t *x)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < LANES; i++)
        v[i] = lanes_get(x + i * LANES);
    square_transpose(v);
}

LANES_INLINE void square_store(uint64_t *x, lanes *v)
{
    square_transpose(v);
#pragma GCC unroll 8
    for (unsigned i = 0; i < LANES; i++)
        lanes_put(x + i * LANES, v[i]);
}

/* A transform in progress. */
struct lanes_walk {
    const struct prime_ring *r;
    struct lanes_field f;
    unsigned first, firsts; /* levels of each first step; number of first steps */
    unsigned shared;        /* steps that all threads take together */
    size_t nodes;           /* nodes after those steps */
    unsigned levels;        /* levels of each of these nodes */
    unsigned threads;
};

/* step_levels - levels of step i. */
static unsigned step_levels(const struct lanes_walk *t, unsigned i)
{
    return i < t->firsts ? t->first : 2;
}

LANES_TARGET static struct lanes_walk lanes_walk_of(const struct prime_ring *r, unsigned threads)
{
    struct lanes_walk t = {.r = r, .f = lanes_field_of(r), .nodes = 1, .levels = r->levels, .threads = threads};
    const unsigned left = r->levels - LANES_LEVELS;
    t.first = left == 0 ? 0 : FIRST_LEVELS;
    t.firsts = left % 2 != 0 || left == 0 ? 1 : r->levels >= LONG_LEVELS ? 2 : 0;
    do {
        const unsigned taken = step_levels(&t, t.shared);
        t.nodes <<= taken;
        t.levels -= taken;
        t.shared++;
    } while (threads > 1 && t.levels > NODE_CACHE_LEVELS && t.nodes < (size_t)WALK_TASKS * threads);
    return t;
}

/* node_index - node i of `nodes` that a tree has at a level. */
static size_t node_index(const struct lanes_walk *t, size_t nodes, size_t i)
{
    return t->r->negacyclic ? nodes + i : i;
}

/* ---- steps ---- */

/* Some columns of a step: `count` from word `first` on, of node k, whose parts are h words long. */
struct lanes_part {
    size_t first, h, count, k;
    unsigned taken; /* levels */
};

/* part_whole - all columns of node k, at the node's own words. */
LANES_INLINE struct lanes_part part_whole(size_t h, size_t k, unsigned taken)
{
    return (struct lanes_part){0, h, h, k, taken};
}

/*
 * step_split - split the columns of x + first; `from + first` is read, and may be the same.   taken in: a->taken, a constant
 *
 *   noted  i/o  words that are read for the first time, or NULL
 */
LANES_INLINE void step_split(const struct lanes_walk *t, uint64_t *x, const uint64_t *from, struct lanes_part a, unsigned taken,
                             lanes *noted)
{
    const size_t h = a.h, count = a.count;
    x += a.first;
    from += a.first;
    const struct lanes_field f = t->f;
    const struct split_factors w = split_factors_of(t->r->integers.root[0], a.k, taken);
    lanes all = noted ? *noted : lanes_of(0);
    for (size_t i = 0; i < count; i += LANES) {
        lanes v[8];
#pragma GCC unroll 8
        for (unsigned q = 0; q < 1u << taken; q++) {
            v[q] = lanes_get(from + q * h + i);
            if (noted) {
                all = lanes_note(all, v[q], f.p);
                v[q] = lanes_wide(&f, v[q]);
            }
        }
        pass_split(&f, v, &w, taken);
#pragma GCC unroll 8
        for (unsigned q = 0; q < 1u << taken; q++)
            lanes_put(x + q * h + i, v[q]);
    }
    if (noted)
        *noted = all;
}

LANES_INLINE void step_join(const struct lanes_walk *t, uint64_t *x, struct lanes_part a, unsigned taken)
{
    const struct lanes_field f = t->f;
    const struct join_factors w = join_factors_of(&f, t->r->integers.root[1], a.k, taken);
    const size_t h = a.h, count = a.count;
    x += a.first;
    for (size_t i = 0; i < count; i += LANES) {
        lanes v[8];
#pragma GCC unroll 8
        for (unsigned q = 0; q < 1u << taken; q++)
            v[q] = lanes_get(x + q * h + i);
        pass_join(&f, v, &w, taken);
#pragma GCC unroll 8
        for (unsigned q = 0; q < 1u << taken; q++)
            lanes_put(x + q * h + i, v[q]);
    }
}

/* The end of a last step: its constant, its destination, and its result type. */
struct lanes_ending {
    const uint64_t *factors;
    uint64_t *z;
    bool doubles;
};

/* step_end - the last step back, of the only node of the tree.   taken, doubles in: a.taken and end->doubles, constants */
LANES_INLINE void step_end(const struct lanes_walk *t, const struct lanes_ending *end, const uint64_t *x, struct lanes_part a,
                           unsigned taken, bool doubles)
{
    const struct lanes_field f = t->f;
    const struct end_factors w = end_factors_of(&f, t->r->integers.root[1], node_index(t, 1, 0), taken, end->factors);
    const size_t h = a.h, count = a.count;
    uint64_t *z = end->z + a.first;
    x += a.first;
    for (size_t i = 0; i < count; i += LANES) {
        lanes v[8];
#pragma GCC unroll 8
        for (unsigned q = 0; q < 1u << taken; q++)
            v[q] = lanes_get(x + q * h + i);
        pass_end(&f, v, &w, taken);
#pragma GCC unroll 8
        for (unsigned q = 0; q < 1u << taken; q++)
            ending_put(z + q * h + i, v[q], doubles);
    }
}

/* ---- nodes ---- */

/* leaves_split - n points from square g on, down to residues below p, in order. */
LANES_INLINE void leaves_split(const struct lanes_walk *t, uint64_t *x, size_t n, size_t g)
{
    const uint64_t *scale = t->r->integers.scale[0] + LEAF_SCALE_WORDS * g, *w = t->r->integers.leaf[0];
    const struct lanes_field f = t->f;
    for (size_t i = 0; i < n; i += LEAF_DUO * LANES_SQUARE, scale += LEAF_DUO * LEAF_SCALE_WORDS) {
        lanes v[LEAF_DUO][LANES];
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++)
            square_load(v[s], x + i + s * LANES_SQUARE);
        leaf_split(&f, v, scale, LEAF_SCALE_WORDS, w);
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) {
#pragma GCC unroll 8
            for (unsigned j = 0; j < LANES; j++)
                v[s][j] = leaf_residue(&f, v[s][j]);
            square_store(x + i + s * LANES_SQUARE, v[s]);
        }
    }
}

/* leaves_join - the inverse, from words in `from`, which may be x. */
LANES_INLINE void leaves_join(const struct lanes_walk *t, uint64_t *x, const uint64_t *from, size_t n, size_t g, lanes *noted)
{
    lanes all = *noted;
    const uint64_t *scale = t->r->integers.scale[1] + LEAF_SCALE_WORDS * g, *w = t->r->integers.leaf[1];
    const struct lanes_field f = t->f;
    for (size_t i = 0; i < n; i += LEAF_DUO * LANES_SQUARE, scale += LEAF_DUO * LEAF_SCALE_WORDS) {
        lanes v[LEAF_DUO][LANES];
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) {
            square_load(v[s], from + i + s * LANES_SQUARE);
#pragma GCC unroll 8
            for (unsigned j = 0; j < LANES; j++) {
                all = lanes_note(all, v[s][j], f.p);
                v[s][j] = lanes_accept(&f, v[s][j]);
            }
        }
        leaf_join(&f, v, scale, w);
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++)
            square_store(x + i + s * LANES_SQUARE, v[s]);
    }
    *noted = all;
}

/* node_passes_split, node_passes_join - all steps of a node within the first cache, except the leaves. */
LANES_INLINE void node_passes_split(const struct lanes_walk *t, uint64_t *x, unsigned levels, size_t k)
{
    for (unsigned l = levels; l > LANES_LEVELS; l -= 2)
        for (size_t i = 0; i < (size_t)1 << (levels - l); i++) {
            const size_t h = (size_t)1 << (l - 2);
            step_split(t, x + (i << l), x + (i << l), part_whole(h, (k << (levels - l)) + i, 2), 2, NULL);
        }
}

LANES_INLINE void node_passes_join(const struct lanes_walk *t, uint64_t *x, unsigned levels, size_t k)
{
    for (unsigned l = LANES_LEVELS + 2; l <= levels; l += 2)
        for (size_t i = 0; i < (size_t)1 << (levels - l); i++) {
            const size_t h = (size_t)1 << (l - 2);
            step_join(t, x + (i << l), part_whole(h, (k << (levels - l)) + i, 2), 2);
        }
}

/* square_of - the first square of node k of 2^levels points. */
static size_t square_of(const struct lanes_walk *t, unsigned levels, size_t k)
{
    const size_t first = t->r->negacyclic ? t->r->row_points : 0; /* node 1 begins there */
    return ((k << levels) - first) / LANES_SQUARE;
}

/* node_step_split, node_step_join - one step: some columns of a node; not the first step of the walk. */
LANES_TARGET static void node_step_split(const struct lanes_walk *t, uint64_t *x, struct lanes_part a)
{
    if (a.taken == FIRST_LEVELS)
        step_split(t, x, x, a, FIRST_LEVELS, NULL);
    else
        step_split(t, x, x, a, 2, NULL);
}

LANES_TARGET static void node_step_join(const struct lanes_walk *t, uint64_t *x, struct lanes_part a)
{
    if (a.taken == FIRST_LEVELS)
        step_join(t, x, a, FIRST_LEVELS);
    else
        step_join(t, x, a, 2);
}

/* node_split - node k of 2^levels points, from step i on. */
LANES_TARGET static void node_split(const struct lanes_walk *t, uint64_t *x, unsigned levels, size_t k, unsigned i)
{
    const unsigned taken = step_levels(t, i);
    if (levels > NODE_CACHE_LEVELS || i < t->firsts) {
        const size_t h = (size_t)1 << (levels - taken);
        node_step_split(t, x, part_whole(h, k, taken));
        for (size_t q = 0; q < (size_t)1 << taken; q++)
            node_split(t, x + (q << (levels - taken)), levels - taken, (k << taken) + q, i + 1);
        return;
    }
    node_passes_split(t, x, levels, k);
    leaves_split(t, x, (size_t)1 << levels, square_of(t, levels, k));
}

LANES_TARGET static void node_join(const struct lanes_walk *t, uint64_t *x, const uint64_t *from, unsigned levels, size_t k,
                                   unsigned i, lanes *noted)
{
    const unsigned taken = step_levels(t, i);
    if (levels > NODE_CACHE_LEVELS || i < t->firsts) {
        const size_t h = (size_t)1 << (levels - taken);
        for (size_t q = 0; q < (size_t)1 << taken; q++)
            node_join(t, x + (q << (levels - taken)), from + (q << (levels - taken)), levels - taken, (k << taken) + q, i + 1,
                      noted);
        node_step_join(t, x, part_whole(h, k, taken));
        return;
    }
    leaves_join(t, x, from, (size_t)1 << levels, square_of(t, levels, k), noted);
    node_passes_join(t, x, levels, k);
}

/* ---- steps that threads share ---- */

static size_t step_parts(const struct lanes_walk *t, unsigned step, size_t *nodes, unsigned *levels)
{
    *nodes = 1;
    *levels = t->r->levels;
    for (unsigned i = 0; i < step; i++) {
        *nodes <<= step_levels(t, i);
        *levels -= step_levels(t, i);
    }
    const size_t columns = (size_t)1 << (*levels - step_levels(t, step));
    return t->threads > 1 && columns >= (size_t)STEP_PARTS * LANES ? STEP_PARTS : 1;
}

/* part_of - part i of a step. */
static struct lanes_part part_of(const struct lanes_walk *t, unsigned step, size_t i)
{
    size_t nodes;
    unsigned levels;
    const size_t parts = step_parts(t, step, &nodes, &levels), node = i / parts;
    const unsigned taken = step_levels(t, step);
    const size_t h = (size_t)1 << (levels - taken);
    return (struct lanes_part){(node << levels) + i % parts * (h / parts), h, h / parts, node_index(t, nodes, node), taken};
}

/* part_split - do part i of a step.   from in: input of the first step.   false: a word is not below p */
LANES_TARGET static bool part_split(const struct lanes_walk *t, uint64_t *x, const uint64_t *from, unsigned step, size_t i)
{
    const struct lanes_part a = part_of(t, step, i);
    lanes noted = lanes_of(0);
    if (LANES_LEVELS == 0 && step == 0 && a.taken == 0)
        step_split(t, x, from, a, 0, &noted);
    else if (step == 0 && a.taken == FIRST_LEVELS)
        step_split(t, x, from, a, FIRST_LEVELS, &noted);
    else if (step == 0)
        step_split(t, x, from, a, 2, &noted);
    else
        node_step_split(t, x, a);
    return lanes_noted(noted, t->f.p);
}

LANES_TARGET static void part_join(const struct lanes_walk *t, uint64_t *x, unsigned step, size_t i,
                                   const struct lanes_ending *end)
{
    const struct lanes_part a = part_of(t, step, i);
    if (step > 0)
        node_step_join(t, x, a);
    else if (ENDS_DOUBLES && end->doubles && a.taken == FIRST_LEVELS)
        step_end(t, end, x, a, FIRST_LEVELS, true);
    else if (ENDS_DOUBLES && end->doubles)
        step_end(t, end, x, a, 2, true);
    else if (LANES_LEVELS == 0 && a.taken == 0)
        step_end(t, end, x, a, 0, false);
    else if (a.taken == FIRST_LEVELS)
        step_end(t, end, x, a, FIRST_LEVELS, false);
    else
        step_end(t, end, x, a, 2, false);
}

LANES_TARGET static bool shared_join(const struct lanes_walk *t, uint64_t *x, const uint64_t *from, size_t i)
{
    const size_t at = i << t->levels;
    lanes noted = lanes_of(0);
    node_join(t, x + at, from + at, t->levels, node_index(t, t->nodes, i), t->shared, &noted);
    return lanes_noted(noted, t->f.p);
}

/* short_split, short_join - the steps after the first one, if its nodes are shorter than a square. */
LANES_TARGET static void short_split(const struct lanes_walk *t, uint64_t *x)
{
    for (size_t i = 0; i < t->nodes; i++)
        node_passes_split(t, x + (i << t->levels), t->levels, node_index(t, t->nodes, i));
    leaves_split(t, x, t->r->row_points, 0);
}

LANES_TARGET static bool short_join(const struct lanes_walk *t, uint64_t *x, const uint64_t *from)
{
    lanes noted = lanes_of(0);
    leaves_join(t, x, from, t->r->row_points, 0, &noted);
    for (size_t i = 0; i < t->nodes; i++)
        node_passes_join(t, x + (i << t->levels), t->levels, node_index(t, t->nodes, i));
    return lanes_noted(noted, t->f.p);
}

RING_TASK(parts_join, part_join(j->t, j->x, j->step, i, j->end))
RING_TASK(words_split, if (!part_split(j->t, j->x, j->from, j->step, i)) j->bad = true)
RING_TASK(nodes_split,
          node_split(j->t, (uint64_t *)j->x + (i << j->t->levels), j->t->levels, node_index(j->t, j->t->nodes, i), j->t->shared))
RING_TASK(nodes_join, if (!shared_join(j->t, j->x, j->from, i)) j->bad = true)

/* steps_join - the shared steps back. */
static void steps_join(const struct lanes_walk *t, uint64_t *x, const struct lanes_ending *end)
{
    size_t nodes;
    unsigned levels;
    for (unsigned step = t->shared; step-- > 0;) {
        const size_t parts = step_parts(t, step, &nodes, &levels);
        parallel_for(t->threads, nodes * parts, 1, parts_join, &(struct ring_job){.t = t, .x = x, .step = step, .end = end});
    }
}

static bool words_forward(const struct prime_ring *r, void *words, const void *from, unsigned threads)
{
    const struct lanes_walk walk = lanes_walk_of(r, threads), *t = &walk;
    struct ring_job job = {.t = t, .x = words, .from = from};
    size_t nodes;
    unsigned levels;
    for (; job.step < t->shared; job.step++) {
        const size_t parts = step_parts(t, job.step, &nodes, &levels);
        parallel_for(threads, nodes * parts, 1, words_split, &job);
    }
    if ((int)t->levels < SQUARE_LEVELS)
        short_split(t, words);
    else
        parallel_for(threads, t->nodes, 1, nodes_split, &job);
    return !job.bad;
}

static bool words_back(const struct prime_ring *r, void *z, void *x, const void *from, bool scale, unsigned threads)
{
    const struct lanes_walk walk = lanes_walk_of(r, threads), *t = &walk;
    const struct lanes_ending end = {r->integers.end[scale ? END_SCALED : END_PLAIN], z, false};
    struct ring_job job = {.t = t, .x = x, .from = from};
    if ((int)t->levels < SQUARE_LEVELS)
        job.bad = !short_join(t, x, from);
    else
        parallel_for(threads, t->nodes, 1, nodes_join, &job);
    steps_join(t, x, &end);
    return !job.bad;
}

#endif
