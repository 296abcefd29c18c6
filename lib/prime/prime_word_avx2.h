/*
 * prime_word_avx2.h - arithmetic modulo a prime p, 2^49 < p < 2^62, on four words by signed 32-bit products: the field of
 * prime_word_passes.h.  Part of isa/prime_word_avx2.c.
 *
 * Numbers are signed.  With H = 2^31, some are stored as x + H, so that none of their halves overflows:
 *     wide     x + H from - 2 p to 2 p - 1       upper    x + H from - p to p - 1
 *     lower    above - p, below p                narrow   from - p to p - 1
 * A sum or difference of upper and lower is wide.
 *
 * Products.  Let N = 2^32.  A constant w has the residues u = w and v = N w modulo p, and g = N u / p, h = N v / p, rounded.  u
 * and v are the representatives for which g and h are from - H to H - 1; they are at most p / 2 (1 + 1 / N) in size.  A wide
 * number is x = N x1 + x0 with x1 and x0 from - H to H - 1: x1 is the high half of x + H, and x0 the low half with its highest
 * bit inverted.
 *     Q = floor((x1 h + x0 g + H - 1) / N)
 * differs from (x1 v + x0 u) / p by at most 1/2 because of the floor, and by |x1| / (2 N) + |x0| / (2 N) <= 1/2 because of g and
 * h.  It is less, because N u / p and N v / p are never halves of odd integers.  So x1 v + x0 u - Q p is above - p and below p.
 * The sum is below 2^63, so Q fits into 32 bits: x1 h + x0 g is at most 2 H^2 - H = 2^63 - H if x1 > - H.  If x1 = - H, then
 * x0 >= - H + 2, because x + H >= - 2 p >= - 2^63 + 2, so the sum is at most 2 H^2 - 2 H.
 * A product takes 8 products and 11 other operations, a butterfly 8 and 15.  A Zen 4 starts four a cycle, two of them products.
 */
#ifndef GFMUL_PRIME_WORD_AVX2_H
#define GFMUL_PRIME_WORD_AVX2_H

#include <assert.h>
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LANES_TARGET
#define LANES_INLINE static inline __attribute__((always_inline))

enum { LANES = 4, LANES_LEVELS = 2 /* log2 */, FACTOR_WORDS = 3 };

typedef __m256i lanes;

struct lanes_field {
    lanes p, high; /* p = N high + p's low half with a sign */
    lanes minus;   /* - p */
    lanes half;    /* H */
    lanes round;   /* H - 1 */
};

/* A constant: halves of u and v, the low ones with signs; g and h.  The upper half of a lane is not used. */
struct lanes_factor {
    lanes u0, u1, v0, v1, g, h;
};

LANES_INLINE lanes lanes_of(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

LANES_INLINE lanes lanes_get(const uint64_t *x)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)x);
}

LANES_INLINE void lanes_put(uint64_t *x, lanes v)
{
    _mm256_storeu_si256((__m256i *)(void *)x, v);
}

LANES_INLINE lanes lanes_add(lanes a, lanes b)
{
    return _mm256_add_epi64(a, b);
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b)
{
    return _mm256_sub_epi64(a, b);
}

LANES_INLINE lanes halves_high(lanes x)
{
    return _mm256_srli_epi64(x, 32);
}

/* square_transpose - 4 by 4 words. */
LANES_INLINE void square_transpose(lanes *r)
{
    const lanes a = _mm256_unpacklo_epi64(r[0], r[1]), b = _mm256_unpackhi_epi64(r[0], r[1]);
    const lanes c = _mm256_unpacklo_epi64(r[2], r[3]), d = _mm256_unpackhi_epi64(r[2], r[3]);
    r[0] = _mm256_permute2x128_si256(a, c, 0x20);
    r[1] = _mm256_permute2x128_si256(b, d, 0x20);
    r[2] = _mm256_permute2x128_si256(a, c, 0x31);
    r[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

/* lanes_note, lanes_noted - whether all words that were noted, from zeros on, are below p: the highest bit says it. */
LANES_INLINE lanes lanes_note(lanes noted, lanes word, lanes p)
{
    const lanes below = _mm256_andnot_si256(word, lanes_sub(word, p)); /* no sign, but that of word - p */
    return _mm256_or_si256(noted, _mm256_xor_si256(below, lanes_of(UINT64_MAX)));
}

LANES_INLINE bool lanes_noted(lanes noted, lanes p)
{
    (void)p;
    return _mm256_movemask_pd(_mm256_castsi256_pd(noted)) == 0;
}

/* halves - N high + low, low from - H to H - 1, side by side. */
static inline uint64_t halves(uint64_t x)
{
    const uint64_t low = x & UINT32_MAX, high = (x + (UINT64_C(1) << 31)) >> 32;
    return high << 32 | low;
}

LANES_INLINE struct lanes_field lanes_field_of(const struct prime_ring *r)
{
    const uint64_t p = r->prime.p;
    assert(p >> 49 != 0 && p < RING_LIMIT);
    return (struct lanes_field){lanes_of(p), lanes_of(halves(p) >> 32), lanes_of(0 - p), lanes_of(UINT64_C(1) << 31),
                                lanes_of((UINT64_C(1) << 31) - 1)};
}

/* part_put - w < p: g, from - H to H - 1;  u out: the representative that belongs to it. */
static inline uint64_t part_put(uint64_t *u, uint64_t w, uint64_t p)
{
    const uint64_t g = (uint64_t)((((unsigned __int128)w << 32) + p / 2) / p); /* 0 .. N */
    *u = g >> 31 != 0 ? w - p : w;
    return g & UINT32_MAX;
}

static void factor_put(uint64_t *factor, uint64_t w, uint64_t p)
{
    uint64_t u, v;
    const uint64_t g = part_put(&u, w, p), h = part_put(&v, (uint64_t)(((unsigned __int128)w << 32) % p), p);
    factor[0] = halves(u);
    factor[1] = halves(v);
    factor[2] = h << 32 | g;
}

LANES_INLINE struct lanes_factor factor_of(lanes u, lanes v, lanes parts)
{
    return (struct lanes_factor){u, halves_high(u), v, halves_high(v), parts, halves_high(parts)};
}

LANES_INLINE struct lanes_factor lanes_factor_of(const uint64_t *factor)
{
    return factor_of(lanes_of(factor[0]), lanes_of(factor[1]), lanes_of(factor[2]));
}

LANES_INLINE struct lanes_factor lanes_factor_get(const uint64_t *vectors)
{
    return factor_of(lanes_get(vectors), lanes_get(vectors + LANES), lanes_get(vectors + 2 * LANES));
}

/* fold - x less p if it is not negative, else x plus p: from - 2 p .. 2 p - 1 to - p .. p - 1. */
LANES_INLINE lanes fold(const struct lanes_field *f, lanes x)
{
    const __m256d turn = _mm256_blendv_pd(_mm256_castsi256_pd(f->minus), _mm256_castsi256_pd(f->p), _mm256_castsi256_pd(x));
    return lanes_add(x, _mm256_castpd_si256(turn));
}

/* raise - x plus p if it is negative. */
LANES_INLINE lanes raise(const struct lanes_field *f, lanes x)
{
    return lanes_add(x, _mm256_and_si256(f->p, _mm256_cmpgt_epi64(lanes_of(0), x)));
}

/* lanes_mul - wide times w: lower, and narrow. */
LANES_INLINE lanes lanes_mul(const struct lanes_field *f, lanes x, struct lanes_factor w)
{
    const lanes x1 = halves_high(x), x0 = _mm256_xor_si256(x, f->half);
    const lanes sum = lanes_add(_mm256_mul_epi32(x1, w.h), _mm256_mul_epi32(x0, w.g)), q = halves_high(lanes_add(sum, f->round));
    const lanes low = lanes_add(_mm256_mul_epi32(x1, w.v0), _mm256_mul_epi32(x0, w.u0));
    const lanes high = lanes_add(_mm256_mul_epu32(x1, w.v1), _mm256_mul_epu32(x0, w.u1)); /* modulo N */
    const lanes top = lanes_sub(high, _mm256_mul_epu32(q, f->high));
    return lanes_add(lanes_sub(low, _mm256_mul_epi32(q, f->p)), _mm256_slli_epi64(top, 32));
}

/* lanes_wide - narrow to wide;  lanes_scale - wide times w: wide. */
LANES_INLINE lanes lanes_wide(const struct lanes_field *f, lanes x)
{
    return lanes_add(x, f->half);
}
LANES_INLINE lanes lanes_scale(const struct lanes_field *f, lanes x, struct lanes_factor w)
{
    return lanes_wide(f, lanes_mul(f, x, w));
}

/* lanes_fold - wide to upper. */
LANES_INLINE lanes lanes_fold(const struct lanes_field *f, lanes x)
{
    return fold(f, x);
}

/* lanes_sum, lanes_difference - of upper and lower: wide. */
LANES_INLINE lanes lanes_sum(const struct lanes_field *f, lanes a, lanes t)
{
    (void)f;
    return lanes_add(a, t);
}
LANES_INLINE lanes lanes_difference(const struct lanes_field *f, lanes a, lanes t)
{
    (void)f;
    return lanes_sub(a, t);
}

/*
 * lanes_total - a sum of narrow ones: narrow;  lanes_apart - their difference: wide.
 *
 * That difference is folded, as x + H could overflow.
 */
LANES_INLINE lanes lanes_total(const struct lanes_field *f, lanes a, lanes b)
{
    return fold(f, lanes_add(a, b));
}
LANES_INLINE lanes lanes_apart(const struct lanes_field *f, lanes a, lanes b)
{
    return lanes_wide(f, fold(f, lanes_sub(a, b)));
}

/* lanes_minus - of a residue below p: narrow. */
LANES_INLINE lanes lanes_minus(const struct lanes_field *f, lanes x)
{
    (void)f;
    return lanes_sub(lanes_of(0), x);
}

/* narrow_residue, wide_residue - below p.   upper less H: from - p - H on */
LANES_INLINE lanes narrow_residue(const struct lanes_field *f, lanes x)
{
    return raise(f, x);
}
LANES_INLINE lanes wide_residue(const struct lanes_field *f, lanes x)
{
    return raise(f, raise(f, lanes_sub(fold(f, x), f->half)));
}

/* wide_place - number x of the wide ones, x < 4 p; for tests. */
LANES_INLINE lanes wide_place(const struct lanes_field *f, lanes x)
{
    return lanes_add(x, lanes_add(f->minus, f->minus));
}

#endif
