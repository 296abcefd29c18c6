/*
 * prime_ifma_walk.h - whole transforms by prime_ifma_passes.h.  Part of isa/prime_ifma.c.
 *
 * One or two steps of three levels come first, if the levels are even or many.  Then steps take two levels, depth first down to
 * nodes that fit into the first cache.  2^15 points fit into a second-level cache, so 2^20 points are read from memory twice.
 */
#ifndef GFMUL_PRIME_IFMA_WALK_H
#define GFMUL_PRIME_IFMA_WALK_H

enum {
    IFMA_LEAF_LEVELS = 3, /* of eight points */
    IFMA_SQUARE = 64,     /* points of a leaf's nodes */
    IFMA_CACHE = 11,      /* levels of a node in the first cache */
    IFMA_SHORT = 9,       /* levels below which the first step's nodes are shorter than a square */
    IFMA_LONG = 18,       /* levels from which on two steps take three */
    IFMA_PARTS = 16,      /* of a step, for threads */
    IFMA_TASKS = 4        /* nodes for each thread, before they are shared out whole */
};

/* A transform at work. */
struct ifma_walk {
    const struct prime_ring *r;
    struct ifma_field f;
    unsigned eights; /* steps of three levels */
    unsigned shared; /* steps that all threads take together */
    size_t nodes;    /* behind those */
    unsigned levels; /* of each of these */
    unsigned threads;
};

/* step_levels - of step i. */
static unsigned step_levels(const struct ifma_walk *t, unsigned i)
{
    return i < t->eights ? 3 : 2;
}

IFMA_TARGET static struct ifma_walk ifma_walk_of(const struct prime_ring *r, unsigned threads)
{
    struct ifma_walk t = {.r = r, .f = ifma_field_of(r), .nodes = 1, .levels = r->levels, .threads = threads};
    t.eights = (r->levels - IFMA_LEAF_LEVELS) % 2 != 0 ? 1 : r->levels >= IFMA_LONG ? 2 : 0;
    do {
        const unsigned taken = step_levels(&t, t.shared);
        t.nodes <<= taken;
        t.levels -= taken;
        t.shared++;
    } while (threads > 1 && t.levels > IFMA_CACHE && t.nodes < (size_t)IFMA_TASKS * threads);
    return t;
}

/* node_index - node i of `nodes` that a tree has at a level. */
static size_t node_index(const struct ifma_walk *t, size_t nodes, size_t i)
{
    return t->r->negacyclic ? nodes + i : i;
}

/* ---- steps: `count` columns from x on of node k, whose parts are h words long ---- */

/* step_split - from, which may be x.   most i/o the largest word that was read, or NULL */
IFMA_INLINE void step_split(const struct ifma_walk *t, uint64_t *x, const uint64_t *from, size_t h, size_t count, size_t k,
                            unsigned parts, lanes8 *most)
{
    const uint64_t *w = t->r->integers.root[0];
    const struct ifma_field f = t->f;
    lanes8 largest = most ? *most : _mm512_setzero_si512();
    const struct ifma_node four = ifma_node_of(w, k);
    for (size_t i = 0; i < count; i += IFMA_LANES) {
        lanes8 v[8];
#pragma GCC unroll 8
        for (unsigned q = 0; q < parts; q++) {
            v[q] = lanes_get(from + q * h + i);
            if (most)
                largest = _mm512_max_epu64(largest, v[q]);
        }
        if (parts == 8)
            split8(&f, v, w, k, false);
        else
            split4(&f, v, &four);
#pragma GCC unroll 8
        for (unsigned q = 0; q < parts; q++)
            lanes_put(x + q * h + i, v[q]);
    }
    if (most)
        *most = largest;
}

/* join_eight - two levels of both halves of a node: points of nodes 2 k and 2 k + 1. */
IFMA_INLINE void join_eight(const struct ifma_field *f, lanes8 *v, const uint64_t *w, size_t k)
{
    const struct ifma_node low = ifma_node_of(w, 2 * k), high = ifma_node_of(w, 2 * k + 1);
    const struct ifma_role even = ifma_role_of(f, 0), odd = ifma_role_of(f, 1);
    join4(f, v, &low, &even);
    join4(f, v + 4, &high, &odd);
}

IFMA_INLINE void step_join(const struct ifma_walk *t, uint64_t *x, size_t h, size_t count, size_t k, unsigned parts)
{
    const uint64_t *w = t->r->integers.root[1];
    const struct ifma_node four = ifma_node_of(w, k);
    const struct ifma_field f = t->f;
    const struct ifma_role role = ifma_role_of(&f, k);
    for (size_t i = 0; i < count; i += IFMA_LANES) {
        lanes8 v[8];
#pragma GCC unroll 8
        for (unsigned q = 0; q < parts; q++)
            v[q] = lanes_get(x + q * h + i);
        if (parts == 4)
            join4(&f, v, &four, &role);
        else
            join_eight(&f, v, w, k);
#pragma GCC unroll 4
        for (unsigned q = 0; q < 4; q++) {
            if (parts == 4) {
                lanes_put(x + q * h + i, v[q]);
                continue;
            }
            const lanes8 s = lanes_add(v[q], v[q + 4]), d = lanes_sub(v[q], v[q + 4]);
            lanes_put(x + q * h + i, ifma_reduce(&f, s, _mm512_slli_epi64(role.turns, IFMA_FINE)));
            lanes_put(x + (q + 4) * h + i, ifma_mul(&f, d, four.w0, role.turns));
        }
    }
}

/* The end of a last step: its constant, its destination, and the type of its results. */
struct ifma_ending {
    const uint64_t *pairs;
    uint64_t *z;
    bool doubles;
};

/* ending_put - a residue below p.   x |= 2^52 is 2^52 + x in double */
IFMA_INLINE void ending_put(uint64_t *x, lanes8 v, bool doubles)
{
    if (!doubles) {
        lanes_put(x, v);
        return;
    }
    const __m512d large = _mm512_set1_pd(0x1p52);
    const lanes8 bits = _mm512_or_si512(v, _mm512_castpd_si512(large));
    lanes_put(x, _mm512_castpd_si512(_mm512_sub_pd(_mm512_castsi512_pd(bits), large)));
}

/* step_end - the last step back, of the tree's only node. */
IFMA_INLINE void step_end(const struct ifma_walk *t, uint64_t *z, const uint64_t *x, size_t h, size_t count, unsigned parts,
                          const uint64_t *pairs, bool doubles)
{
    const uint64_t *w = t->r->integers.root[1];
    const size_t k = node_index(t, 1, 0);
    const struct ifma_field f = t->f;
    const struct ifma_end end = {ifma_factor_of(pairs), ifma_factor_of(pairs + 2), ifma_factor_of(pairs + 4),
                                 ifma_factor_of(pairs + 6), ifma_factor_of(w + 2 * k)};
    for (size_t i = 0; i < count; i += IFMA_LANES) {
        lanes8 v[8];
#pragma GCC unroll 8
        for (unsigned q = 0; q < parts; q++)
            v[q] = lanes_get(x + q * h + i);
        if (parts == 4) {
            end4(&f, v, &end);
        } else {
            join_eight(&f, v, w, k);
#pragma GCC unroll 4
            for (unsigned q = 0; q < 4; q++)
                end2(&f, v + q, v + q + 4, &end);
        }
#pragma GCC unroll 8
        for (unsigned q = 0; q < parts; q++)
            ending_put(z + q * h + i, v[q], doubles);
    }
}

/* ---- nodes ---- */

/* leaves_split - n points of square g on, down to residues below p, in order. */
IFMA_INLINE void leaves_split(const struct ifma_walk *t, uint64_t *x, size_t n, size_t g)
{
    const uint64_t *scale = t->r->integers.scale[0] + 2 * LEAF_SCALES * g, *w = t->r->integers.leaf[0];
    const struct ifma_field f = t->f;
    for (size_t i = 0; i < n; i += LEAF_DUO * IFMA_SQUARE, scale += LEAF_DUO * 2 * LEAF_SCALES) {
        lanes8 v[LEAF_DUO][IFMA_LANES];
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++)
            square_load(v[s], x + i + s * IFMA_SQUARE);
        leaf_split(&f, v, scale, 2 * LEAF_SCALES, w);
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) {
#pragma GCC unroll 8
            for (unsigned j = 0; j < IFMA_LANES; j++)
                v[s][j] = residue_of(&f, ifma_lower(&f, v[s][j], _mm512_setzero_si512()));
            square_store(x + i + s * IFMA_SQUARE, v[s]);
        }
    }
}

/* leaves_join - and back, of words from `from`, which may be x. */
IFMA_INLINE void leaves_join(const struct ifma_walk *t, uint64_t *x, const uint64_t *from, size_t n, size_t g, lanes8 *most)
{
    lanes8 largest = *most;
    const uint64_t *scale = t->r->integers.scale[1] + 2 * LEAF_SCALES * g, *w = t->r->integers.leaf[1];
    const struct ifma_field f = t->f;
    for (size_t i = 0; i < n; i += LEAF_DUO * IFMA_SQUARE, scale += LEAF_DUO * 2 * LEAF_SCALES) {
        lanes8 v[LEAF_DUO][IFMA_LANES];
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) {
            square_load(v[s], from + i + s * IFMA_SQUARE);
#pragma GCC unroll 8
            for (unsigned j = 0; j < IFMA_LANES; j++) {
                largest = _mm512_max_epu64(largest, v[s][j]);
#ifndef NDEBUG /* input that is refused must not trip assertions */
                v[s][j] = _mm512_maskz_mov_epi64(_mm512_cmplt_epu64_mask(v[s][j], f.p), v[s][j]);
#endif
            }
        }
        leaf_join(&f, v, scale, w);
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++)
            square_store(x + i + s * IFMA_SQUARE, v[s]);
    }
    *most = largest;
}

/* node_passes_split, node_passes_join - all steps of a node within the first cache, but leaves. */
IFMA_INLINE void node_passes_split(const struct ifma_walk *t, uint64_t *x, unsigned levels, size_t k)
{
    for (unsigned l = levels; l > IFMA_LEAF_LEVELS; l -= 2)
        for (size_t i = 0; i < (size_t)1 << (levels - l); i++) {
            const size_t h = (size_t)1 << (l - 2);
            step_split(t, x + (i << l), x + (i << l), h, h, (k << (levels - l)) + i, 4, NULL);
        }
}

IFMA_INLINE void node_passes_join(const struct ifma_walk *t, uint64_t *x, unsigned levels, size_t k)
{
    for (unsigned l = IFMA_LEAF_LEVELS + 2; l <= levels; l += 2)
        for (size_t i = 0; i < (size_t)1 << (levels - l); i++) {
            const size_t h = (size_t)1 << (l - 2);
            step_join(t, x + (i << l), h, h, (k << (levels - l)) + i, 4);
        }
}

/* square_of - the first square of node k of 2^levels points. */
static size_t square_of(const struct ifma_walk *t, unsigned levels, size_t k)
{
    const size_t first = t->r->negacyclic ? t->r->row_points : 0; /* node 1 begins there */
    return ((k << levels) - first) / IFMA_SQUARE;
}

/* node_step_split, node_step_join - one step of a node. */
IFMA_TARGET static void node_step_split(const struct ifma_walk *t, uint64_t *x, unsigned levels, size_t k, unsigned taken)
{
    const size_t h = (size_t)1 << (levels - taken);
    if (taken == 3)
        step_split(t, x, x, h, h, k, 8, NULL);
    else
        step_split(t, x, x, h, h, k, 4, NULL);
}

IFMA_TARGET static void node_step_join(const struct ifma_walk *t, uint64_t *x, unsigned levels, size_t k, unsigned taken)
{
    const size_t h = (size_t)1 << (levels - taken);
    if (taken == 3)
        step_join(t, x, h, h, k, 8);
    else
        step_join(t, x, h, h, k, 4);
}

/* node_split - node k of 2^levels points, from step i on. */
IFMA_TARGET static void node_split(const struct ifma_walk *t, uint64_t *x, unsigned levels, size_t k, unsigned i)
{
    const unsigned taken = step_levels(t, i);
    if (levels > IFMA_CACHE || taken == 3) {
        node_step_split(t, x, levels, k, taken);
        for (size_t q = 0; q < (size_t)1 << taken; q++)
            node_split(t, x + (q << (levels - taken)), levels - taken, (k << taken) + q, i + 1);
        return;
    }
    node_passes_split(t, x, levels, k);
    leaves_split(t, x, (size_t)1 << levels, square_of(t, levels, k));
}

IFMA_TARGET static void node_join(const struct ifma_walk *t, uint64_t *x, const uint64_t *from, unsigned levels, size_t k,
                                  unsigned i, lanes8 *most)
{
    const unsigned taken = step_levels(t, i);
    if (levels > IFMA_CACHE || taken == 3) {
        for (size_t q = 0; q < (size_t)1 << taken; q++)
            node_join(t, x + (q << (levels - taken)), from + (q << (levels - taken)), levels - taken, (k << taken) + q, i + 1,
                      most);
        node_step_join(t, x, levels, k, taken);
        return;
    }
    leaves_join(t, x, from, (size_t)1 << levels, square_of(t, levels, k), most);
    node_passes_join(t, x, levels, k);
}

/* ---- steps that threads share ---- */

/* Part i of a step: node, columns. */
struct ifma_part {
    size_t first, h, count, k;
    unsigned taken;
};

static size_t step_parts(const struct ifma_walk *t, unsigned step, size_t *nodes, unsigned *levels)
{
    *nodes = 1;
    *levels = t->r->levels;
    for (unsigned i = 0; i < step; i++) {
        *nodes <<= step_levels(t, i);
        *levels -= step_levels(t, i);
    }
    const size_t columns = (size_t)1 << (*levels - step_levels(t, step));
    return t->threads > 1 && columns >= (size_t)IFMA_PARTS * IFMA_LANES ? IFMA_PARTS : 1;
}

static struct ifma_part part_of(const struct ifma_walk *t, unsigned step, size_t i)
{
    size_t nodes;
    unsigned levels;
    const size_t parts = step_parts(t, step, &nodes, &levels), node = i / parts;
    const unsigned taken = step_levels(t, step);
    const size_t h = (size_t)1 << (levels - taken);
    return (struct ifma_part){(node << levels) + i % parts * (h / parts), h, h / parts, node_index(t, nodes, node), taken};
}

/* lanes_below - whether no lane is p or more. */
IFMA_INLINE bool lanes_below(lanes8 most, uint64_t p)
{
    return _mm512_cmpge_epu64_mask(most, lanes_of(p)) == 0;
}

/* part_split - part i of a step.   from in: of the first step.   false: a word is not below p */
IFMA_TARGET static bool part_split(const struct ifma_walk *t, uint64_t *x, const uint64_t *from, unsigned step, size_t i)
{
    const struct ifma_part a = part_of(t, step, i);
    uint64_t *at = x + a.first;
    lanes8 most = _mm512_setzero_si512();
    if (step == 0 && a.taken == 3)
        step_split(t, at, from + a.first, a.h, a.count, a.k, 8, &most);
    else if (step == 0)
        step_split(t, at, from + a.first, a.h, a.count, a.k, 4, &most);
    else if (a.taken == 3)
        step_split(t, at, at, a.h, a.count, a.k, 8, NULL);
    else
        step_split(t, at, at, a.h, a.count, a.k, 4, NULL);
    return lanes_below(most, t->r->prime.p);
}

IFMA_TARGET static void part_join(const struct ifma_walk *t, uint64_t *x, unsigned step, size_t i, const struct ifma_ending *end)
{
    const struct ifma_part a = part_of(t, step, i);
    uint64_t *at = x + a.first;
    if (step > 0 && a.taken == 3)
        step_join(t, at, a.h, a.count, a.k, 8);
    else if (step > 0)
        step_join(t, at, a.h, a.count, a.k, 4);
    else if (a.taken == 3 && end->doubles)
        step_end(t, end->z + a.first, at, a.h, a.count, 8, end->pairs, true);
    else if (end->doubles)
        step_end(t, end->z + a.first, at, a.h, a.count, 4, end->pairs, true);
    else if (a.taken == 3)
        step_end(t, end->z + a.first, at, a.h, a.count, 8, end->pairs, false);
    else
        step_end(t, end->z + a.first, at, a.h, a.count, 4, end->pairs, false);
}

IFMA_TARGET static bool shared_join(const struct ifma_walk *t, uint64_t *x, const uint64_t *from, size_t i)
{
    const size_t at = i << t->levels;
    lanes8 most = _mm512_setzero_si512();
    node_join(t, x + at, from + at, t->levels, node_index(t, t->nodes, i), t->shared, &most);
    return lanes_below(most, t->r->prime.p);
}

/* short_split, short_join - the steps after the first one if its nodes are shorter than a square. */
IFMA_TARGET static void short_split(const struct ifma_walk *t, uint64_t *x)
{
    for (size_t i = 0; i < t->nodes; i++)
        node_passes_split(t, x + (i << t->levels), t->levels, node_index(t, t->nodes, i));
    leaves_split(t, x, t->r->row_points, 0);
}

IFMA_TARGET static bool short_join(const struct ifma_walk *t, uint64_t *x, const uint64_t *from)
{
    lanes8 most = _mm512_setzero_si512();
    leaves_join(t, x, from, t->r->row_points, 0, &most);
    for (size_t i = 0; i < t->nodes; i++)
        node_passes_join(t, x + (i << t->levels), t->levels, node_index(t, t->nodes, i));
    return lanes_below(most, t->r->prime.p);
}

/* steps_join - the shared steps back. */
static void steps_join(const struct ifma_walk *t, uint64_t *x, const struct ifma_ending *end)
{
    size_t nodes;
    unsigned levels;
    for (unsigned step = t->shared; step-- > 0;) {
        const size_t parts = step_parts(t, step, &nodes, &levels);
        RING_PARALLEL(i, nodes * parts, t->threads, part_join(t, x, step, i, end));
    }
}

static bool ifma_words_forward(const struct prime_ring *r, void *words, const void *from, unsigned threads)
{
    const struct ifma_walk walk = ifma_walk_of(r, threads), *t = &walk;
    uint64_t *x = words;
    atomic_bool good = true;
    size_t nodes;
    unsigned levels;
    for (unsigned step = 0; step < t->shared; step++) {
        const size_t parts = step_parts(t, step, &nodes, &levels);
        RING_PARALLEL(i, nodes * parts, threads, if (!part_split(t, x, from, step, i)) good = false);
    }
    if (r->levels < IFMA_SHORT)
        short_split(t, x);
    else
        RING_PARALLEL(i, t->nodes, threads,
                      node_split(t, x + (i << t->levels), t->levels, node_index(t, t->nodes, i), t->shared));
    return good;
}

static bool ifma_words_back(const struct prime_ring *r, void *z, void *x, const void *from, bool scale, unsigned threads)
{
    const struct ifma_walk walk = ifma_walk_of(r, threads), *t = &walk;
    const struct ifma_ending end = {r->integers.end[scale ? END_SCALED : END_PLAIN], z, false};
    atomic_bool good = true;
    if (r->levels < IFMA_SHORT)
        good = short_join(t, x, from);
    else
        RING_PARALLEL(i, t->nodes, threads, if (!shared_join(t, x, from, i)) good = false);
    steps_join(t, x, &end);
    return good;
}

#endif
