/* prime_ifma_tables.h - the integer tables of prime_ring.h.  Part of isa/prime_ifma.c. */
#ifndef GFMUL_PRIME_IFMA_TABLES_H
#define GFMUL_PRIME_IFMA_TABLES_H

/* A prime, and the constants of quotients: p < 2^bits <= 2 p. */
struct ifma_quotients {
    struct lanes_field f;
    lanes reciprocal; /* floor(2^(51 + bits) / p) */
    unsigned bits;
};

LANES_INLINE struct ifma_quotients ifma_quotients_of(const struct prime_ring *r)
{
    const uint64_t p = r->prime.p;
    const unsigned bits = 64 - (unsigned)__builtin_clzll(p);
    const uint64_t reciprocal = (uint64_t)(((unsigned __int128)1 << (51 + bits)) / p); /* 2^51 .. 2^52 */
    return (struct ifma_quotients){lanes_field_of(r), lanes_of(reciprocal), bits};
}

/*
 * factor_make - w < p and its quotient q = floor(2^52 w / p).
 *
 * With z = w 2^(52 - bits) and r the reciprocal, 2 floor(z r / 2^52) is less than 2^52 w / p by less than 4.  The remainder,
 * 2^52 w - q p, is - q p modulo 2^52.
 */
LANES_INLINE struct lanes_factor factor_make(const struct ifma_quotients *t, lanes w)
{
    const lanes zero = _mm512_setzero_si512();
    const lanes z = _mm512_slli_epi64(w, 52 - t->bits), half = _mm512_madd52hi_epu64(zero, z, t->reciprocal);
    lanes q = lanes_add(half, half), left = ifma_clean(&t->f, _mm512_madd52lo_epu64(zero, q, t->f.minus));
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        const __mmask8 more = _mm512_cmpge_epu64_mask(left, t->f.p);
        q = _mm512_mask_add_epi64(q, more, q, lanes_of(1));
        left = _mm512_mask_sub_epi64(left, more, left, t->f.p);
    }
    return (struct lanes_factor){w, q};
}

/* pairs_store - eight factors as pairs. */
LANES_INLINE void pairs_store(uint64_t *pairs, struct lanes_factor a)
{
    const lanes low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    lanes_put(pairs, _mm512_permutex2var_epi64(a.w, low, a.quotient));
    lanes_put(pairs + LANES, _mm512_permutex2var_epi64(a.w, high, a.quotient));
}

LANES_INLINE lanes residues_mul(const struct lanes_field *f, lanes x, struct lanes_factor w)
{
    return residue_of(f, ifma_mul(f, x, w, _mm512_setzero_si512()));
}

/* factor_put - see struct prime_ops. */
static void factor_put(uint64_t *pair, uint64_t w, uint64_t p)
{
    pair[0] = w;
    pair[1] = (uint64_t)(((unsigned __int128)w << 52) / p);
}

LANES_INLINE struct lanes_factor factor_of_word(uint64_t w, uint64_t p)
{
    uint64_t pair[FACTOR_WORDS];
    factor_put(pair, w, p);
    return lanes_factor_of(pair);
}

/* turns_fill - w[i] = the product of bit[b] over the bits b of first + i, i < count; first is 0 or a power of two >= count. */
LANES_INLINE void turns_fill(const struct lanes_field *f, uint64_t *w, size_t first, size_t count, const uint64_t *bit,
                             uint64_t p)
{
    w[0] = first == 0 ? 1 : bit[__builtin_ctzll(first)];
    for (size_t half = 1, b = 0; half < count; half *= 2, b++) {
        const struct lanes_factor by = factor_of_word(bit[b], p);
        for (size_t i = 0; i < half && half < LANES; i++)
            w[half + i] = residue_mul(w[i], bit[b], p);
        for (size_t i = 0; i < half && half >= LANES; i += LANES)
            lanes_put(w + half + i, residues_mul(f, lanes_get(w + i), by));
    }
}

/* ring_fill - see struct prime_ops. */
LANES_TARGET static void ifma_fill(struct prime_ring *r, bool back, const uint64_t *bit, uint64_t *scratch)
{
    const uint64_t p = r->prime.p;
    const struct ifma_quotients t = ifma_quotients_of(r);
    const size_t roots = ring_roots(r, LANES), squares = r->row_points / LANES_SQUARE;
    turns_fill(&t.f, scratch, 0, roots, bit, p);
    for (size_t i = 0; i < roots; i += LANES)
        pairs_store(r->integers.root[back] + 2 * i, factor_make(&t, lanes_get(scratch + i)));
    for (unsigned i = 0; i < LEAF_PAIRS; i++) { /* of nodes blocks j + b */
        const unsigned blocks = i == 0 ? 1 : i < 3 ? 2 : 4, b = i + 1 - blocks;
        uint64_t w[LANES];
        for (unsigned j = 0; j < LANES; j++) {
            w[j] = 1;
            for (unsigned k = blocks * j + b, at = 0; k >> at != 0; at++)
                w[j] = k >> at & 1 ? residue_mul(w[j], bit[at], p) : w[j];
        }
        const struct lanes_factor a = factor_make(&t, lanes_get(w));
        lanes_put(r->integers.leaf[back] + 2 * i * LANES, a.w);
        lanes_put(r->integers.leaf[back] + (2 * i + 1) * LANES, a.quotient);
    }
    for (size_t i = squares; i < LANES; i++)
        scratch[i] = 0;
    turns_fill(&t.f, scratch, r->negacyclic ? squares : 0, squares, bit + 5, p); /* w[32 g] */
    for (size_t g = 0; g < squares; g += LANES) {
        const struct lanes_factor one = factor_make(&t, lanes_get(scratch + g));
        struct lanes_factor power = one;
        for (unsigned i = 0; i < LEAF_SCALES; i++) {
            uint64_t pairs[2 * LANES];
            pairs_store(pairs, power);
            for (size_t j = 0; j < LANES && g + j < squares; j++)
                memcpy(r->integers.scale[back] + 2 * ((g + j) * LEAF_SCALES + i), pairs + 2 * j, 2 * sizeof *pairs);
            power = factor_make(&t, residues_mul(&t.f, power.w, one));
        }
    }
}

#endif
