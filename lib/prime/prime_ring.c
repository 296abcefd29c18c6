/*
 * prime_ring.c - tables of transforms modulo any prime, in one piece.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "prime/prime_ring.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "prime/prime_roots.h"

enum { LINE_DOUBLES = 8 };

size_t prime_ring_place(size_t place, unsigned odd, unsigned levels, bool negacyclic)
{
    const size_t n = (size_t)odd << levels, row = place >> levels;
    size_t reversed = 0;
    for (unsigned b = 0; b < levels; b++)
        reversed |= (place >> b & 1) << (levels - 1 - b);
    return (row + odd * reversed + (negacyclic ? (odd - 1) / 2 : 0)) % n;
}

/* levels_of - log2 of the width of a vector: the levels of the leaves. */
static size_t levels_of(size_t width)
{
    return (size_t)__builtin_ctzll(width);
}

/* leaf_doubles - whole cache lines. */
static size_t leaf_doubles(const struct prime_ring *r, size_t width)
{
    const size_t groups = r->row_points / width / width;
    return (ring_leaf_vectors(width) + 2 * levels_of(width) * groups + 7) / 8 * 8;
}

/* e(1 / 2^(b+2)) and their inverses. */
struct bit_roots {
    uint64_t w[2][RING_LEVELS_MAX];
};

static void bit_roots_set(struct bit_roots *roots, const struct prime_ring *r)
{
    const unsigned levels = r->levels + (r->negacyclic ? 1 : 0); /* of the order that there is */
    const uint64_t p = r->prime.p, top = prime_root(&r->prime, (size_t)1 << levels);
    for (unsigned back = 0; back < 2; back++) {
        uint64_t w = back ? residue_inverse(top, p) : top;
        for (unsigned b = levels; b-- > 1; w = residue_mul(w, w, p))
            roots->w[back][b - 1] = w;
    }
}

/* root_word - w[k] = e(sum over the bits b of k of 1 / 2^(b+2)), or its inverse;  root_of_bits - balanced. */
static uint64_t root_word(const struct bit_roots *roots, uint64_t p, size_t k, bool inverse)
{
    uint64_t w = 1;
    for (size_t b = 0; k >> b != 0; b++)
        if (k >> b & 1)
            w = residue_mul(w, roots->w[inverse][b], p);
    return w;
}

static double root_of_bits(const struct bit_roots *roots, uint64_t p, size_t k, bool inverse)
{
    return prime_balanced(root_word(roots, p, k, inverse), p);
}

/* powers_fill - w[(first + i) step], i < count; or their inverses.   first is 0, or a power of two >= count */
static void powers_fill(const struct prime_ring *r, const struct bit_roots *roots, double *w, size_t first, size_t count,
                        size_t step, bool inverse)
{
    const size_t by_hand = count < LINE_DOUBLES ? count : LINE_DOUBLES;
    for (size_t i = 0; i < by_hand; i++)
        w[i] = root_of_bits(roots, r->prime.p, (first + i) * step, inverse);
    for (size_t half = by_hand; half < count; half *= 2)
        r->ops->ring_powers(&r->prime, w, half, root_of_bits(roots, r->prime.p, half * step, inverse));
}

/* pairs_put - w and w / p of count numbers, in pairs `apart` doubles from one to the next. */
static void pairs_put(const struct prime_ring *r, double *pairs, size_t apart, const double *w, size_t count)
{
    const double p = (double)r->prime.p;
    for (size_t i = 0; i < count; i++) {
        pairs[i * apart] = w[i];
        pairs[i * apart + 1] = w[i] / p;
    }
}

/* tables_fill - the roots of the tree, and the leaves: see prime_ring.h.   scratch out: as many doubles as there are roots */
static void tables_fill(const struct prime_ring *r, const struct bit_roots *roots, double *root, double *leaf, double *scratch,
                        size_t width, bool inverse)
{
    const size_t levels = levels_of(width), groups = r->row_points / width / width, first = r->negacyclic ? groups : 0;
    double *pairs = leaf + ring_leaf_vectors(width);
    for (size_t blocks = 1; blocks < width; blocks *= 2)
        for (size_t b = 0; b < blocks; b++)
            for (size_t j = 0; j < width; j++)
                *leaf++ = root_of_bits(roots, r->prime.p, j * blocks + b, inverse);
    for (size_t l = 0; l < levels; l++) {
        powers_fill(r, roots, scratch, first, groups, width << l, inverse);
        pairs_put(r, pairs + 2 * l, 2 * levels, scratch, groups);
    }
    powers_fill(r, roots, scratch, 0, ring_roots(r, width), 1, inverse);
    pairs_put(r, root, 2, scratch, ring_roots(r, width));
}

static void doubles_fill(struct prime_ring *r, const struct bit_roots *bits, double *at, double *scratch)
{
    const size_t width = r->ops->width, roots = ring_roots(r, width), leaves = leaf_doubles(r, width);
    const uint64_t p = r->prime.p, turn = prime_root(&r->prime, r->n_points);
    struct prime_tables *t = &r->tables;
    t->prime = &r->prime;
    for (unsigned back = 0; back < 2; back++) {
        t->leaf[back] = at;
        t->root[back] = at + leaves;
        at += leaves + 2 * roots;
        tables_fill(r, bits, t->root[back], t->leaf[back], scratch, width, back);
        r->turn[back] = prime_balanced(back ? residue_inverse(turn, p) : turn, p);
    }
    prime_odd_fill(t, r->odd);
    t->scale = prime_balanced(residue_inverse(r->n_points % p, p), p);
}

/* ---- integers ---- */

/* Words of the tables of a direction: vectors first, for their alignment. */
struct integer_words {
    size_t turn, leaf, scale, root, all;
};

static struct integer_words integer_words(const struct prime_ring *r)
{
    const size_t width = r->ops->width, words = r->ops->factor_words;
    struct integer_words n = {.turn = (r->odd - 1) * r->row_points * words,
                              .leaf = (width - 1) * width * words,
                              .scale = (width - 1) * (r->row_points / (width * width)) * words,
                              .root = ring_roots(r, width) * words};
    n.all = n.turn + n.leaf + (n.scale + n.root + LINE_DOUBLES - 1) / LINE_DOUBLES * LINE_DOUBLES;
    return n;
}

static void factor_put(const struct prime_ring *r, uint64_t *factor, uint64_t w)
{
    r->ops->factor_put(factor, w, r->prime.p);
}

/* lane_put - a factor in one lane of a vector. */
static void lane_put(const struct prime_ring *r, uint64_t *vector, size_t lane, uint64_t w)
{
    uint64_t factor[RING_FACTOR_WORDS];
    factor_put(r, factor, w);
    for (size_t i = 0; i < r->ops->factor_words; i++)
        vector[i * r->ops->width + lane] = factor[i];
}

/* tree_fill - root, scale and leaf of a direction, as ring_fill. */
static void tree_fill(struct prime_ring *r, bool back, const struct bit_roots *bits, uint64_t *w)
{
    const uint64_t p = r->prime.p;
    const size_t width = r->ops->width, words = r->ops->factor_words, squares = r->row_points / (width * width);
    const size_t nodes = r->row_points / width, roots = r->negacyclic ? nodes : (nodes + 1) / 2;
    w[0] = 1 % p;
    for (size_t half = 1, b = 0; half < roots; half *= 2, b++) {
        const struct prime_multiplier m = prime_multiplier(bits->w[back][b], p);
        for (size_t i = 0; i < half; i++)
            w[half + i] = prime_multiply(w[i], &m);
    }
    for (size_t i = 0; i < roots; i++)
        factor_put(r, r->integers.root[back] + i * words, w[i]);
    uint64_t *vector = r->integers.leaf[back], *scale = r->integers.scale[back];
    for (size_t blocks = 1; blocks < width; blocks *= 2)
        for (size_t b = 0; b < blocks; b++, vector += width * words)
            for (size_t j = 0; j < width; j++)
                lane_put(r, vector, j, root_word(bits, p, j * blocks + b, back));
    for (size_t g = 0; width > 1 && g < squares; g++) {
        const uint64_t one = root_word(bits, p, (g + (r->negacyclic ? squares : 0)) * (width * width / 2), back);
        uint64_t power = one;
        for (size_t i = 1; i < width; i++, power = residue_mul(power, one, p), scale += words)
            factor_put(r, scale, power);
    }
}

/* turns_fill - powers of e(t / n), t = 1 .. odd - 1, or of its inverse; and of e(1 / odd). */
static void turns_fill(struct prime_ring *r, bool back)
{
    const uint64_t p = r->prime.p, turn = prime_root(&r->prime, r->n_points), odd_root = prime_root(&r->prime, r->odd);
    const uint64_t root = back ? residue_inverse(turn, p) : turn;
    const size_t width = r->ops->width, words = r->ops->factor_words;
    uint64_t *vector = r->integers.turn[back], step = root;
    for (unsigned t = 1; t < r->odd; t++, step = residue_mul(step, root, p)) {
        const struct prime_multiplier m = prime_multiplier(step, p);
        uint64_t w = 1;
        for (size_t j = 0; j < r->row_points; j++, w = prime_multiply(w, &m))
            lane_put(r, vector + ((t - 1) * r->row_points + j / width * width) * words, j % width, w);
    }
    for (unsigned k = 0; k < r->odd; k++)
        factor_put(r, r->integers.dft[back] + k * words, residue_power(odd_root, back ? r->odd - k : k, p));
}

/* end_fill - the factors of the last step back by a constant c. */
static void end_fill(const struct prime_ring *r, uint64_t *factors, const struct bit_roots *bits, uint64_t c)
{
    const size_t k = r->negacyclic ? 1 : 0, nodes[4] = {k, 0, 2 * k, 2 * k + 1};
    for (unsigned i = 0; i < 4; i++) /* a single point or pair has no nodes 2 k */
        if (nodes[i] <= k || r->levels > 1)
            factor_put(r, factors + i * r->ops->factor_words,
                       residue_mul(r->levels > 0 ? root_word(bits, r->prime.p, nodes[i], true) : 1 % r->prime.p, c, r->prime.p));
}

static void integers_fill(struct prime_ring *r, const struct bit_roots *bits, uint64_t *at, uint64_t *scratch)
{
    const uint64_t p = r->prime.p, part = residue_inverse(r->n_points % p, p);
    const uint64_t word = (uint64_t)(((unsigned __int128)1 << 64) % p);
    const struct integer_words n = integer_words(r);
    uint64_t inverse = p; /* modulo 8; each step doubles the bits */
    for (unsigned known = 3; known < 64; known *= 2)
        inverse *= 2 - p * inverse;
    r->integers.montgomery = 0 - inverse;
    r->integers.square = residue_mul(word, word, p);
    r->integers.inverse = (UINT64_C(1) << 52) / p;
    r->integers.fine = UINT64_MAX / p; /* p is odd, or not used */
    for (unsigned back = 0; back < 2; back++) {
        r->integers.turn[back] = at;
        r->integers.leaf[back] = at + n.turn;
        r->integers.scale[back] = r->integers.leaf[back] + n.leaf;
        r->integers.root[back] = r->integers.scale[back] + n.scale;
        at += n.all;
        if (r->ops->ring_fill != NULL)
            r->ops->ring_fill(r, back, bits->w[back], scratch);
        else
            tree_fill(r, back, bits, scratch);
        turns_fill(r, back);
    }
    end_fill(r, r->integers.end[END_PLAIN], bits, 1 % p);
    end_fill(r, r->integers.end[END_SCALED], bits, part);
    end_fill(r, r->integers.end[END_PRODUCT], bits, residue_mul(part, (UINT64_C(1) << 52) % p, p));
}

#if GFMUL_HAVE_AVX512
extern const struct prime_ops prime_ops_ifma;
#endif

const struct prime_ops *prime_ring_ops(const struct isa_ops *isa, unsigned odd, uint64_t p, const char *disable)
{
#if GFMUL_HAVE_AVX512
    if (isa->isa_bit == CPU_ISA_AVX512 && odd == 1 && p >> 12 != 0 && cpu_has_ifma(disable))
        return &prime_ops_ifma;
#endif
    (void)odd;
    (void)p;
    (void)disable;
    return prime_ops_of(isa);
}

#if GFMUL_HAVE_AVX512
extern const struct prime_ops prime_ops_word_avx512;
#endif
#if GFMUL_HAVE_AVX2
extern const struct prime_ops prime_ops_word_avx2;
#endif
extern const struct prime_ops prime_ops_word_scalar;

const struct prime_ops *prime_word_ops(const struct isa_ops *isa, unsigned levels, uint64_t p, const char *disable)
{
    const bool vectors = levels >= RING_LEVELS_MIN && p >> 49 != 0;
#if GFMUL_HAVE_AVX512
    if (vectors && isa->isa_bit == CPU_ISA_AVX512 && cpu_has_ifma(disable))
        return &prime_ops_word_avx512;
#endif
#if GFMUL_HAVE_AVX2
    if (vectors && (isa->isa_bit == CPU_ISA_AVX2 || (isa->isa_bit == CPU_ISA_AVX512 && (cpu_isa_mask(disable) & CPU_ISA_AVX2))))
        return &prime_ops_word_avx2;
#endif
    (void)isa;
    (void)vectors;
    (void)disable;
    return &prime_ops_word_scalar;
}

enum gfmul_status prime_ring_create(struct prime_ring **result, const struct prime *prime, unsigned odd, unsigned levels,
                                    bool negacyclic, const struct prime_ops *ops)
{
    *result = NULL;
    assert(ops->factor_words != 0 ? prime->p < RING_LIMIT : levels >= RING_LEVELS_MIN && (double)prime->p < PRIME_LIMIT);
    if (levels > RING_LEVELS_MAX)
        return GFMUL_ERR_SIZE;
    struct prime_ring *r = calloc(1, sizeof *r);
    if (r == NULL)
        return GFMUL_ERR_MEMORY;
    r->prime = *prime;
    r->negacyclic = negacyclic;
    r->odd = odd;
    r->levels = levels;
    r->row_points = (size_t)1 << levels;
    r->n_points = odd * r->row_points;
    r->ops = ops;
    const size_t roots = ring_roots(r, ops->width),
                 numbers = ops->factor_words != 0 ? integer_words(r).all : 2 * roots + leaf_doubles(r, ops->width);
    void *scratch = alloc_aligned(roots * sizeof(double));
    r->memory_bytes = 2 * numbers * sizeof(double);
    r->memory = alloc_aligned(r->memory_bytes);
    if (scratch == NULL || r->memory == NULL) {
        alloc_free(scratch);
        prime_ring_destroy(r);
        return GFMUL_ERR_MEMORY;
    }
    struct bit_roots bits;
    bit_roots_set(&bits, r);
    if (ops->factor_words != 0)
        integers_fill(r, &bits, r->memory, scratch);
    else
        doubles_fill(r, &bits, r->memory, scratch);
    alloc_free(scratch);
    *result = r;
    return GFMUL_OK;
}

void prime_ring_destroy(struct prime_ring *r)
{
    if (r == NULL)
        return;
    alloc_free(r->memory);
    free(r);
}
