/*
 * text_limbs.c - conversion between text and limbs.
 *
 * Source: power-of-two bases move bits; the others call GMP's mpn_set_str and mpn_get_str.
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <assert.h>

#include "base/alloc.h"
#include "limbs/limb_bits.h"
#include "text/text.h"
#include "text/text_chars.h"

#if GMP_NUMB_BITS != 64
#error "gfmul needs GMP limbs of 64 bits without nails"
#endif

/* ceil(1024 log2(base)), so that base^1024 <= 2^log2_up[base] */
static const uint16_t log2_up[37] = {0,    0,    1024, 1624, 2048, 2378, 2648, 2875, 3072, 3247, 3402, 3543, 3672,
                                     3790, 3899, 4001, 4096, 4186, 4271, 4350, 4426, 4498, 4567, 4633, 4696, 4756,
                                     4814, 4870, 4923, 4975, 5025, 5074, 5120, 5166, 5210, 5253, 5295};

/* log2 of a power-of-two base, 0 for the others. */
static unsigned base_bits(unsigned base)
{
    return (base & (base - 1)) == 0 ? (unsigned)__builtin_ctz(base) : 0;
}

size_t text_limbs_max(size_t n_digits, unsigned base)
{
    if (base < 2 || base > 36)
        return 0;
    /* a number of n digits is below 2^(n log2_up / 1024); mpn_set_str needs one limb more than that */
    size_t bits, rest = n_digits % 1024 * log2_up[base] / 1024 + 1;
    if (!size_mul(&bits, n_digits / 1024, log2_up[base]) || !size_add(&bits, bits, rest))
        return 0;
    return bits / 64 + 2;
}

/* log2_down - at most 1024 log2(base): log2_up - 1, except for powers of two, for which log2_up is exact. */
static size_t log2_down(unsigned base)
{
    return base_bits(base) != 0 ? log2_up[base] : log2_up[base] - 1u;
}

size_t text_limbs_min(size_t n_digits, unsigned base)
{
    if (n_digits == 0)
        return 0;
    /* base^(n - 1) is at least 2^floor((n - 1) log2_down / 1024) */
    const size_t n = n_digits - 1, down = log2_down(base);
    return (n / 65536 * down) + (n % 65536 * down / 65536) + 1;
}

size_t limbs_text_max(size_t an, unsigned base)
{
    if (base < 2 || base > 36)
        return 0;
    /* a number of an limbs has at most ceil(64 an / log2 base) characters, and mpn_get_str may use one more */
    size_t down = log2_down(base), bits, whole, rest;
    if (!size_mul(&bits, an, 64))
        return 0;
    rest = (bits % down * 1024 + down - 1) / down;
    if (!size_mul(&whole, bits / down, 1024) || !size_add(&whole, whole, rest + 2))
        return 0;
    return whole;
}

/* Text in base 2^bits to limbs: eight digits at a time, from the least significant end. */
static inline size_t bits_to_limbs(mp_limb_t *z, const char *digits, size_t n, unsigned bits)
{
    const uint64_t b1 = UINT64_C(1) << bits, b2 = b1 * b1, b4 = b2 * b2;
    size_t zn = 0;
    mp_limb_t limb = 0;
    unsigned fill = 0; /* bits in limb, < 64 */
    while (n > 0) {
        uint64_t word = 0;
        if (n >= 8) {
            n -= 8;
            word = values_join(chars_to_values(chars_load(digits + n), bits > 3), b1, b2, b4);
        } else {
            for (size_t i = 0; i < n; i++)
                word = word << bits | char_value(digits[i]);
            n = 0;
        }
        limb |= word << fill;
        fill += 8 * bits;
        if (fill >= 64) {
            z[zn++] = limb;
            fill -= 64;
            limb = word >> (8 * bits - fill); /* by 40 at most */
        }
    }
    if (limb != 0)
        z[zn++] = limb;
    return zn;
}

enum gfmul_status text_to_limbs(mp_limb_t *z, size_t *zn, const struct text_number *num)
{
    const char *digits = num->digits;
    size_t n = num->n_digits;
    unsigned base = num->base;
    *zn = 0;
    if (n == 0)
        return GFMUL_OK;
    switch (base) { /* with a constant each case gets its own copy of the loop */
    case 2:
        *zn = bits_to_limbs(z, digits, n, 1);
        break;
    case 4:
        *zn = bits_to_limbs(z, digits, n, 2);
        break;
    case 8:
        *zn = bits_to_limbs(z, digits, n, 3);
        break;
    case 16:
        *zn = bits_to_limbs(z, digits, n, 4);
        break;
    case 32:
        *zn = bits_to_limbs(z, digits, n, 5);
        break;
    default: {
        unsigned char *values = alloc_aligned(n);
        if (values == NULL)
            return GFMUL_ERR_MEMORY;
        chars_values(values, digits, n);
        *zn = (size_t)mpn_set_str(z, values, n, (int)base);
        alloc_free(values);
    }
    }
    while (*zn > 0 && z[*zn - 1] == 0)
        (*zn)--;
    return GFMUL_OK;
}

/* limb_field - `count` bits of a from bit `shift` of a[limb] on, zeros beyond its end; shift < 64, limb < an, count 1..40. */
static inline uint64_t limb_field(const mp_limb_t *a, size_t an, size_t limb, unsigned shift, unsigned count)
{
    uint64_t x = a[limb] >> shift;
    if (shift + count > 64 && limb + 1 < an)
        x |= a[limb + 1] << (64 - shift);
    return x & ((UINT64_C(1) << count) - 1);
}

/* Limbs, the highest not zero, to text in base 2^bits; returns the number of characters. */
static inline size_t limbs_to_bits(char *z, const mp_limb_t *a, size_t an, unsigned bits)
{
    /* n = ceil(significant bits / bits), without a product that could overflow */
    const size_t top = limbs_bit_length(a + an - 1, 1);
    size_t n = (an - 1) / bits * 64 + ((an - 1) % bits * 64 + top + bits - 1) / bits;
    size_t left = n, limb = 0;
    unsigned shift = 0;
    while (left >= 8) {
        left -= 8;
        chars_store(z + left, values_to_chars(values_split_bits(limb_field(a, an, limb, shift, 8 * bits), bits)));
        shift += 8 * bits;
        limb += shift / 64;
        shift %= 64;
    }
    while (left > 0) {
        z[--left] = char_of_value((unsigned)limb_field(a, an, limb, shift, bits));
        shift += bits;
        limb += shift / 64;
        shift %= 64;
    }
    return n;
}

enum gfmul_status limbs_to_text(char *z, size_t *zn, const mp_limb_t *a, size_t an, unsigned base)
{
    while (an > 0 && a[an - 1] == 0)
        an--;
    if (an == 0) {
        z[0] = '0';
        *zn = 1;
        return GFMUL_OK;
    }
    switch (base) {
    case 2:
        *zn = limbs_to_bits(z, a, an, 1);
        return GFMUL_OK;
    case 4:
        *zn = limbs_to_bits(z, a, an, 2);
        return GFMUL_OK;
    case 8:
        *zn = limbs_to_bits(z, a, an, 3);
        return GFMUL_OK;
    case 16:
        *zn = limbs_to_bits(z, a, an, 4);
        return GFMUL_OK;
    case 32:
        *zn = limbs_to_bits(z, a, an, 5);
        return GFMUL_OK;
    }

    /* mpn_get_str destroys its source */
    size_t limbs, bytes;
    if (!size_add(&limbs, an, 1) || !size_mul(&bytes, limbs, sizeof(mp_limb_t)))
        return GFMUL_ERR_MEMORY;
    mp_limb_t *copy = alloc_aligned(bytes);
    if (copy == NULL)
        return GFMUL_ERR_MEMORY;
    memcpy(copy, a, an * sizeof *copy);
    size_t n = mpn_get_str((unsigned char *)z, (int)base, copy, (mp_size_t)an), zeros = 0;
    alloc_free(copy);
    while (z[zeros] == 0)
        zeros++;
    n -= zeros;
    if (zeros > 0)
        memmove(z, z + zeros, n);
    for (size_t i = 0; i < n; i++)
        z[i] = char_of_value((unsigned char)z[i]);
    *zn = n;
    return GFMUL_OK;
}
