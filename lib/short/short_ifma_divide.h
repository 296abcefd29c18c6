/*
 * short_ifma_divide.h - exact division of numbers in columns by small divisors, eight columns at a time.
 *
 * Columns of products are no coefficients of a polynomial: what goes beyond a digit is in the next column.  So a number that D
 * divides has columns that D does not divide, and their remainders have to go down: column k, plus B times the remainder of all
 * columns above it, has the remainder of all from k on.  That is a sum of B^j times remainders modulo D, which is made for
 * 64 columns at once, in bytes.  D divides the whole number, so sums from below serve as well, with the other sign.
 *
 * Included by isa/short_ifma.c alone.
 */
#ifndef GFMUL_SHORT_IFMA_DIVIDE_H
#define GFMUL_SHORT_IFMA_DIVIDE_H

#include <string.h>

#include "short/short_ifma_vec.h"

enum {
    DIVIDE_RADIX = 50,    /* B = 2^50 is 4 modulo 15, and 1 modulo 3; B^2 is 1 modulo both */
    DIVIDE_OFFSET = 1024, /* times D is added to each column, so that none is negative */
    DIVIDE_GROUP = 64,    /* columns whose remainders are summed at once */
    DIVIDE_COLUMNS = 384, /* at most */
};

/* Tables of a divisor of 15, by bytes; they are aligned. */
struct divisor {
    uint8_t weigh[64];            /* x modulo d; from 32 on 4 x, for odd columns */
    uint8_t below[64], above[64]; /* x modulo d for x below 64, and from there on */
    uint8_t turn[64];             /* -4 x modulo d; from 32 on -x, for odd columns */
    uint64_t inverse;             /* of d modulo 2^52 */
    unsigned d;
} __attribute__((aligned(64)));

#define DIVIDE_8(f, d, x) \
    f(d, (x) + 0), f(d, (x) + 1), f(d, (x) + 2), f(d, (x) + 3), f(d, (x) + 4), f(d, (x) + 5), f(d, (x) + 6), f(d, (x) + 7)
#define DIVIDE_32(f, d, x) DIVIDE_8(f, d, x), DIVIDE_8(f, d, (x) + 8), DIVIDE_8(f, d, (x) + 16), DIVIDE_8(f, d, (x) + 24)
#define DIVIDE_REST(d, x)  (uint8_t)((x) % (d))
#define DIVIDE_FOUR(d, x)  (uint8_t)(4 * (x) % (d))
#define DIVIDE_MINUS(d, x) (uint8_t)(((d) - (x) % (d)) % (d))
#define DIVIDE_TURN(d, x)  (uint8_t)(((d)-4 * (x) % (d)) % (d))
#define DIVISOR(divisor, reciprocal)                                                                                \
    {                                                                                                               \
        .weigh = {DIVIDE_32(DIVIDE_REST, divisor, 0), DIVIDE_32(DIVIDE_FOUR, divisor, 0)},                          \
        .below = {DIVIDE_32(DIVIDE_REST, divisor, 0), DIVIDE_32(DIVIDE_REST, divisor, 32)},                         \
        .above = {DIVIDE_32(DIVIDE_REST, divisor, 64), DIVIDE_32(DIVIDE_REST, divisor, 96)},                        \
        .turn = {DIVIDE_32(DIVIDE_TURN, divisor, 0), DIVIDE_32(DIVIDE_MINUS, divisor, 0)}, .inverse = (reciprocal), \
        .d = (divisor),                                                                                             \
    }
static const struct divisor divisor_3 = DIVISOR(3, UINT64_C(0xaaaaaaaaaaaab));
static const struct divisor divisor_15 = DIVISOR(15, UINT64_C(0xeeeeeeeeeeeef));

/* columns_shifted - x / 2^shift, if that divides the number; `next` has the columns after those of x. */
SHORT_INLINE vec columns_shifted(vec x, vec next, const unsigned shift)
{
    const vec low = _mm512_and_si512(_mm512_alignr_epi64(next, x, 1), _mm512_set1_epi64((1 << shift) - 1));
    return _mm512_add_epi64(_mm512_srai_epi64(x, shift), _mm512_slli_epi64(low, DIVIDE_RADIX - shift));
}

/* divide_rests - from the columns' remainders to those of all columns from k + 1 on, in place; whole groups. */
SHORT_INLINE void divide_rests(uint8_t *rest, size_t n, const struct divisor *by)
{
    const vec zero = _mm512_setzero_si512(), odd = _mm512_set1_epi16(0x2000), ones = _mm512_set1_epi8(1);
    const vec reciprocal = _mm512_set1_epi64((long long)((UINT64_C(1) << 52) / by->d + 1));
    const vec minus = _mm512_set1_epi64((long long)((UINT64_C(1) << 52) - by->d)), byte = _mm512_set1_epi64(0xff);
    const vec first = _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0), last = _mm512_set1_epi64(LANES - 1);
    const vec weigh = _mm512_load_si512(by->weigh), turn = _mm512_load_si512(by->turn);
    const vec below = _mm512_load_si512(by->below), above = _mm512_load_si512(by->above);
    vec carry = zero; /* in the first byte of each lane; the groups wait for each other only there */
    for (size_t k = 0; k < n; k += DIVIDE_GROUP) {
        const vec x = _mm512_permutexvar_epi8(_mm512_or_si512(_mm512_load_si512(rest + k), odd), weigh);
        const vec sums = _mm512_mullo_epi64(x, ones); /* of a lane's bytes up to each; at most 8 * 14 */
        const vec own = _mm512_srli_epi64(sums, 56);
        vec lanes = _mm512_add_epi64(own, _mm512_alignr_epi64(own, zero, 7));
        lanes = _mm512_add_epi64(lanes, _mm512_alignr_epi64(lanes, zero, 6));
        lanes = _mm512_add_epi64(lanes, _mm512_alignr_epi64(lanes, zero, 4)); /* at most 64 * 14 */
        const vec quotient = _mm512_madd52hi_epu64(zero, lanes, reciprocal);
        lanes = _mm512_and_si512(_mm512_madd52lo_epu64(lanes, quotient, minus), byte);
        const vec before = _mm512_permutexvar_epi8(_mm512_add_epi64(_mm512_alignr_epi64(lanes, zero, 7), carry), below);
        carry = _mm512_permutexvar_epi8(_mm512_add_epi64(_mm512_permutexvar_epi64(last, lanes), carry), below);
        const vec all = _mm512_add_epi8(sums, _mm512_shuffle_epi8(before, first)); /* at most 8 * 14 + 14 */
        const vec mod = _mm512_permutex2var_epi8(below, all, above);
        _mm512_store_si512(rest + k, _mm512_permutexvar_epi8(_mm512_or_si512(mod, odd), turn));
    }
}

/*
 * columns_divide - c /= 2^shift d, exactly; the number is a multiple of that and not negative.
 *
 *   c   i/o  n vectors of signed columns, |c[k]| < 2^62; the number is below B^(8 n - 1).   out: |c[k]| < 2^51
 */
SHORT_INLINE void columns_divide(uint64_t *c, size_t n, const unsigned shift, const struct divisor *by)
{
    uint8_t row[DIVIDE_GROUP + DIVIDE_COLUMNS] __attribute__((aligned(DIVIDE_GROUP))), *rest = row + DIVIDE_GROUP;
    const vec zero = _mm512_setzero_si512(), digit = _mm512_set1_epi64((INT64_C(1) << DIVIDE_RADIX) - 1);
    const vec offset = _mm512_set1_epi64((int)(DIVIDE_OFFSET * by->d));
    const vec reciprocal = _mm512_set1_epi64((long long)((UINT64_C(1) << 52) / by->d));
    const vec minus = _mm512_set1_epi64((long long)((UINT64_C(1) << 52) - by->d));
    const vec inverse = _mm512_set1_epi64((long long)by->inverse), quotient_offset = _mm512_set1_epi64(DIVIDE_OFFSET);
    vec before = zero, x = load(c);
    for (size_t v = 0; v < n; v++) {
        const vec next = v + 1 < n ? load(c + LANES * (v + 1)) : zero;
        const vec y = columns_shifted(x, next, shift);
        const vec carry = _mm512_srai_epi64(_mm512_alignr_epi64(y, before, LANES - 1), DIVIDE_RADIX);
        const vec own = _mm512_mask_and_epi64(y, v + 1 < n ? 0xff : 0x7f, y, digit);
        const vec z = _mm512_add_epi64(own, _mm512_add_epi64(carry, offset));
        const vec quotient = _mm512_madd52hi_epu64(zero, z, reciprocal); /* or one less: the rest is below 2 d */
        _mm_storel_epi64((void *)(rest + LANES * v), _mm512_cvtepi64_epi8(_mm512_madd52lo_epu64(z, quotient, minus)));
        store(c + LANES * v, z);
        before = y;
        x = next;
    }
    memset(rest + LANES * n, 0, (DIVIDE_COLUMNS - LANES * n) % DIVIDE_GROUP);
    divide_rests(rest, LANES * n, by);
    rest[-1] = 0;
    for (size_t v = 0; v < n; v++) { /* (z + B above - own) / d */
        const vec own = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)(rest + LANES * v - 1)));
        const vec above = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)(rest + LANES * v)));
        const vec y = _mm512_add_epi64(_mm512_sub_epi64(load(c + LANES * v), own), _mm512_slli_epi64(above, DIVIDE_RADIX));
        store(c + LANES * v, _mm512_sub_epi64(_mm512_madd52lo_epu64(zero, y, inverse), quotient_offset));
    }
}

#endif
