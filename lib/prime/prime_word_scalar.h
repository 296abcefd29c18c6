/*
 * prime_word_scalar.h - arithmetic modulo any prime p < 2^62, a word at a time: the field of prime_word_passes.h.  Part of
 * isa/prime_word_scalar.c.
 *
 * Ranges are those of prime_word_unsigned.h.  A product x w - floor(x q / 2^64) p, with q = floor(2^64 w / p), is from 0 to
 * 2 p - 1 for any x: x w / p - x q / 2^64 is below x / 2^64 < 1, and the floor adds less than 1.   Source: [Har14]
 */
#ifndef GFMUL_PRIME_WORD_SCALAR_H
#define GFMUL_PRIME_WORD_SCALAR_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LANES_TARGET
#define LANES_INLINE static inline __attribute__((always_inline))

enum { LANES = 1, LANES_LEVELS = 0, FACTOR_WORDS = 2 };

typedef uint64_t lanes;

struct lanes_field {
    uint64_t p, two; /* p, 2 p */
};

/* A constant: w, q. */
struct lanes_factor {
    uint64_t w, quotient;
};

LANES_INLINE struct lanes_field lanes_field_of(const struct prime_ring *r)
{
    assert(r->prime.p < RING_LIMIT);
    return (struct lanes_field){r->prime.p, 2 * r->prime.p};
}

LANES_INLINE lanes lanes_of(uint64_t word)
{
    return word;
}

LANES_INLINE lanes lanes_add(lanes a, lanes b)
{
    return a + b;
}
LANES_INLINE lanes lanes_sub(lanes a, lanes b)
{
    return a - b;
}

LANES_INLINE lanes lanes_get(const uint64_t *x)
{
    return *x;
}

LANES_INLINE void lanes_put(uint64_t *x, lanes v)
{
    *x = v;
}

LANES_INLINE void square_transpose(lanes *r)
{
    (void)r;
}

/* lanes_note, lanes_noted - whether all words noted so far are below p; start with zeros. */
LANES_INLINE lanes lanes_note(lanes noted, lanes word, lanes p)
{
    return noted | (word >= p);
}

LANES_INLINE bool lanes_noted(lanes noted, lanes p)
{
    (void)p;
    return noted == 0;
}

static void factor_put(uint64_t *factor, uint64_t w, uint64_t p)
{
    factor[0] = w;
    factor[1] = prime_multiplier(w, p).quotient;
}

LANES_INLINE struct lanes_factor lanes_factor_of(const uint64_t *factor)
{
    return (struct lanes_factor){factor[0], factor[1]};
}

LANES_INLINE struct lanes_factor lanes_factor_get(const uint64_t *factor)
{
    return lanes_factor_of(factor);
}

/* fold - x modulo m, for x from 0 to 2 m - 1. */
LANES_INLINE lanes fold(lanes x, lanes m)
{
    return x >= m ? x - m : x;
}

/* lanes_mul - any x times w: lower, and narrow;  lanes_scale - wide. */
LANES_INLINE lanes lanes_mul(const struct lanes_field *f, lanes x, struct lanes_factor w)
{
    return x * w.w - (uint64_t)((unsigned __int128)x * w.quotient >> 64) * f->p;
}
LANES_INLINE lanes lanes_scale(const struct lanes_field *f, lanes x, struct lanes_factor w)
{
    return lanes_mul(f, x, w);
}

#include "prime/prime_word_unsigned.h"

#endif
