/*
 * prime_ifma_product.h - products of polynomials in one walk, as in prime_ring_product.h.  Part of isa/prime_ifma.c.
 *
 * A factor is a spectrum of any residues, with the nodes of a square as vectors.
 */
#ifndef GFMUL_PRIME_IFMA_PRODUCT_H
#define GFMUL_PRIME_IFMA_PRODUCT_H

/* How 64-bit integers are cut: w ^ flip = low + 2^52 high. */
struct ifma_cut {
    struct lanes_factor shift; /* 2^52 */
    lanes flip, more;          /* more = - flip, modulo p */
};

LANES_INLINE struct ifma_cut ifma_cut_of(uint64_t p, bool is_signed)
{
    const uint64_t shift = (UINT64_C(1) << 52) % p, sign = is_signed ? UINT64_C(1) << 63 : 0;
    const uint64_t pair[2] = {shift, (uint64_t)(((unsigned __int128)shift << 52) / p)};
    return (struct ifma_cut){lanes_factor_of(pair), lanes_of(sign), lanes_of((p - sign % p) % p)};
}

/* words_cut - any residue: 0 .. 2 + 2 + 1. */
LANES_INLINE lanes words_cut(const struct lanes_field *f, const struct ifma_cut *cut, lanes w)
{
    const lanes zero = _mm512_setzero_si512();
    w = _mm512_xor_si512(w, cut->flip);
    const lanes high = ifma_mul(f, _mm512_srli_epi64(w, 52), cut->shift, zero); /* 0 .. 1 + 2^-40 */
    return lanes_add(lanes_add(ifma_lower(f, w, zero), high), cut->more);
}

/* words_some - eight words from `at` on, with zeros after the last one. */
LANES_INLINE lanes words_some(const struct ring_words *from, size_t at)
{
    const size_t left = at < from->count ? from->count - at : 0;
    const __mmask8 there = (__mmask8)(left >= LANES ? 0xff : (1u << left) - 1);
    return _mm512_maskz_loadu_epi64(there, (const uint64_t *)from->words + at);
}

/* cut_columns - the first step from words.   parts in: of the node, a constant.   half in: all words are in the first half */
LANES_INLINE void cut_columns(const struct lanes_walk *t, uint64_t *x, const struct ring_words *from, struct lanes_part a,
                              unsigned parts, bool half)
{
    const size_t h = a.h;
    const struct split_factors w = split_factors_of(t->r->integers.root[0], node_index(t, 1, 0), parts == 8 ? 3 : 2);
    const struct ifma_cut cut = ifma_cut_of(t->r->prime.p, from->is_signed);
    const struct lanes_field f = t->f;
    const unsigned there = half ? parts / 2 : parts;
    for (size_t i = a.first; i < a.first + a.count; i += LANES) {
        lanes v[8];
#pragma GCC unroll 8
        for (unsigned q = 0; q < there; q++)
            v[q] = words_cut(&f, &cut, words_some(from, q * h + i));
        if (parts == 8)
            split8(&f, v, &w, half);
        else if (half)
            split4_half(&f, v, &w.four);
        else
            split4(&f, v, &w.four);
#pragma GCC unroll 8
        for (unsigned q = 0; q < parts; q++)
            lanes_put(x + q * h + i, v[q]);
    }
}

/* cut_part - part i of the first step. */
LANES_TARGET static void cut_part(const struct lanes_walk *t, uint64_t *x, const struct ring_words *from, size_t i)
{
    const struct lanes_part a = part_of(t, 0, i);
    const bool half = from->count <= t->r->row_points / 2;
    if (a.taken == 3 && half)
        cut_columns(t, x, from, a, 8, true);
    else if (a.taken == 3)
        cut_columns(t, x, from, a, 8, false);
    else if (half)
        cut_columns(t, x, from, a, 4, true);
    else
        cut_columns(t, x, from, a, 4, false);
}

RING_TASK(cut_parts, cut_part(j->t, j->x, j->words, i))
RING_TASK(parts_split, part_split(j->t, j->x, NULL, j->step, i))

/* words_begin - the shared steps, beginning with words. */
static void words_begin(const struct lanes_walk *t, uint64_t *x, const struct ring_words *from)
{
    size_t nodes;
    unsigned levels;
    for (unsigned step = 0; step < t->shared; step++) {
        const size_t parts = step_parts(t, step, &nodes, &levels);
        struct ring_job job = {.t = t, .x = x, .words = from, .step = step};
        parallel_for(t->threads, step == 0 ? parts : nodes * parts, 1, step == 0 ? cut_parts : parts_split, &job);
    }
}

/*
 * points_mul - x y / 2^52, from 0 to 1.
 *
 * With x y = 2^52 high + low and q p = low modulo 2^52, high - floor(q p / 2^52) is the quotient.  x and y are below 2, so
 * high < p and the difference is from - p to p.   Source: P. Montgomery's reduction
 */
LANES_INLINE lanes points_mul(const struct lanes_field *f, lanes x, lanes y, lanes montgomery)
{
    const lanes zero = _mm512_setzero_si512();
    const lanes a = ifma_lower(f, x, zero), b = ifma_lower(f, y, zero);
    const lanes high = _mm512_madd52hi_epu64(zero, a, b), low = _mm512_madd52lo_epu64(zero, a, b);
    const lanes q = _mm512_madd52lo_epu64(zero, low, montgomery);
    const lanes r = lanes_sub(high, _mm512_madd52hi_epu64(zero, q, f->p));
    return _mm512_min_epu64(r, lanes_add(r, f->p));
}

/* inverse_of - 1 / p modulo 2^52. */
static uint64_t inverse_of(uint64_t p)
{
    uint64_t inverse = p; /* right modulo 8; each step doubles the bits */
    for (unsigned bits = 3; bits < 52; bits *= 2)
        inverse *= 2 - p * inverse;
    return inverse;
}

LANES_INLINE void vectors_load(lanes *v, const uint64_t *x)
{
#pragma GCC unroll 8
    for (unsigned j = 0; j < LANES; j++)
        v[j] = lanes_get(x + j * LANES);
}

/* leaves_product - n points from square g on: the leaves of both operands, products, and back.   factor in: y is a factor */
LANES_INLINE void leaves_product(const struct lanes_walk *t, uint64_t *x, const uint64_t *y, size_t n, size_t g, bool factor)
{
    const struct ring_integers *r = &t->r->integers;
    const lanes montgomery = lanes_of(inverse_of(t->r->prime.p));
    const struct lanes_field f = t->f;
    size_t at = LEAF_SCALE_WORDS * g;
    for (size_t i = 0; i < n; i += LEAF_DUO * LANES_SQUARE, at += LEAF_DUO * LEAF_SCALE_WORDS) {
        lanes z[LEAF_DUO][LANES], v[LEAF_DUO][LANES];
        if (factor) {
#pragma GCC unroll 2
            for (unsigned s = 0; s < LEAF_DUO; s++)
                square_load(v[s], x + i + s * LANES_SQUARE);
            leaf_split(&f, v, r->scale[0] + at, LEAF_SCALE_WORDS, r->leaf[0]);
        }
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) {
            lanes pair[2][LANES];
            const size_t square = i + s * LANES_SQUARE;
            if (factor) {
                memcpy(pair[0], v[s], sizeof pair[0]);
                vectors_load(pair[1], y + square);
            } else {
                square_load(pair[0], x + square);
                square_load(pair[1], y + square);
                leaf_split(&f, pair, r->scale[0] + at + s * LEAF_SCALE_WORDS, 0, r->leaf[0]);
            }
#pragma GCC unroll 8
            for (unsigned j = 0; j < LANES; j++)
                z[s][j] = points_mul(&f, pair[0][j], pair[1][j], montgomery);
        }
        leaf_join(&f, z, r->scale[1] + at, r->leaf[1]);
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++)
            square_store(x + i + s * LANES_SQUARE, z[s]);
    }
}

/* leaves_factor - n points from square g on, as a factor. */
LANES_INLINE void leaves_factor(const struct lanes_walk *t, uint64_t *x, size_t n, size_t g)
{
    const struct ring_integers *r = &t->r->integers;
    const struct lanes_field f = t->f;
    size_t at = LEAF_SCALE_WORDS * g;
    for (size_t i = 0; i < n; i += LEAF_DUO * LANES_SQUARE, at += LEAF_DUO * LEAF_SCALE_WORDS) {
        lanes v[LEAF_DUO][LANES];
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++)
            square_load(v[s], x + i + s * LANES_SQUARE);
        leaf_split(&f, v, r->scale[0] + at, LEAF_SCALE_WORDS, r->leaf[0]);
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++)
#pragma GCC unroll 8
            for (unsigned j = 0; j < LANES; j++)
                lanes_put(x + i + s * LANES_SQUARE + j * LANES, v[s][j]);
    }
}

/* squares_product - leaves_product, or leaves_factor of x if y is NULL. */
LANES_TARGET static void squares_product(const struct lanes_walk *t, uint64_t *x, const uint64_t *y, size_t n, size_t g,
                                         bool factor)
{
    if (y == NULL)
        leaves_factor(t, x, n, g);
    else if (factor)
        leaves_product(t, x, y, n, g, true);
    else
        leaves_product(t, x, y, n, g, false);
}

/* node_product - node k of both operands, from step i on; y may be a factor, or NULL: then x becomes a factor. */
LANES_TARGET static void node_product(const struct lanes_walk *t, uint64_t *x, uint64_t *y, unsigned levels, size_t k, unsigned i,
                                      bool factor)
{
    const unsigned taken = step_levels(t, i);
    if (levels > NODE_CACHE_LEVELS || i < t->firsts) {
        const size_t h = (size_t)1 << (levels - taken);
        node_step_split(t, x, part_whole(h, k, taken));
        if (y != NULL && !factor)
            node_step_split(t, y, part_whole(h, k, taken));
        for (size_t q = 0; q < (size_t)1 << taken; q++) {
            const size_t at = q << (levels - taken);
            node_product(t, x + at, y == NULL ? NULL : y + at, levels - taken, (k << taken) + q, i + 1, factor);
        }
        if (y != NULL)
            node_step_join(t, x, part_whole(h, k, taken));
        return;
    }
    node_passes_split(t, x, levels, k);
    if (y != NULL && !factor)
        node_passes_split(t, y, levels, k);
    squares_product(t, x, y, (size_t)1 << levels, square_of(t, levels, k), factor);
    if (y != NULL)
        node_passes_join(t, x, levels, k);
}

/* short_product - the steps after the first one, if its nodes are shorter than a square. */
LANES_TARGET static void short_product(const struct lanes_walk *t, uint64_t *x, uint64_t *y, bool factor)
{
    for (size_t i = 0; i < t->nodes; i++) {
        node_passes_split(t, x + (i << t->levels), t->levels, node_index(t, t->nodes, i));
        if (y != NULL && !factor)
            node_passes_split(t, y + (i << t->levels), t->levels, node_index(t, t->nodes, i));
    }
    squares_product(t, x, y, t->r->row_points, 0, factor);
    for (size_t i = 0; y != NULL && i < t->nodes; i++)
        node_passes_join(t, x + (i << t->levels), t->levels, node_index(t, t->nodes, i));
}

RING_TASK(node_products,
          node_product(j->t, (uint64_t *)j->x + (i << j->t->levels), j->y == NULL ? NULL : (uint64_t *)j->y + (i << j->t->levels),
                       j->t->levels, node_index(j->t, j->t->nodes, i), j->t->shared, j->flag))

/* nodes_product - all nodes after the shared steps. */
static void nodes_product(const struct lanes_walk *t, uint64_t *x, uint64_t *y, bool factor)
{
    if (t->levels < SQUARE_LEVELS)
        short_product(t, x, y, factor);
    else
        parallel_for(t->threads, t->nodes, 1, node_products, &(struct ring_job){.t = t, .x = x, .y = y, .flag = factor});
}

static void ifma_spectrum(const struct prime_ring *r, double *y, const struct ring_words *words, unsigned threads)
{
    const struct lanes_walk walk = lanes_walk_of(r, threads);
    uint64_t *at = (uint64_t *)(void *)y;
    words_begin(&walk, at, words);
    nodes_product(&walk, at, NULL, false);
}

static void ifma_product(const struct prime_ring *r, double *x, const struct ring_words *x_words, double *y,
                         const struct ring_words *y_words, unsigned threads)
{
    const struct lanes_walk walk = lanes_walk_of(r, threads);
    uint64_t *a = (uint64_t *)(void *)x, *b = (uint64_t *)(void *)y;
    const struct lanes_ending end = {r->integers.end[END_PRODUCT], a, true};
    words_begin(&walk, a, x_words);
    if (y_words != NULL)
        words_begin(&walk, b, y_words);
    nodes_product(&walk, a, b, y_words == NULL);
    steps_join(&walk, a, &end);
}

#endif
