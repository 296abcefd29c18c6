/*
 * prime_halves.c - a product from its values modulo x^n - 1 and modulo x^n + 1.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "prime/prime_ops.h"

enum { RUN_DIGITS = 64 }; /* they begin and end at whole limbs */

/* A product on its way, run by run from the lowest limbs on.  All numbers of carries are -1, 0 or 1. */
struct halves {
    mp_limb_t *z; /* s; below `at` A */
    const mp_limb_t *d;
    mp_limb_t *upper; /* B, without its first limbs, .. */
    size_t upper_n;
    mp_limb_t first[PRIME_TAIL_LIMBS]; /* .. which are here: z has the end of s there */
    size_t at;
    mp_limb_t pending; /* of 2 B, the limb below `at`: it lacks the bit above it */
    int carry;         /* of 2 B */
    mp_limb_t borrow;  /* of A */
};

/* bits_fill - n limbs with the bits of offset + l i, i = 0 .. 63, modulo 64 l: those from `from` to `to` - 1. */
static void bits_fill(mp_limb_t *x, size_t n, size_t l, size_t offset, size_t from, size_t to)
{
    memset(x, 0, n * sizeof *x);
    for (size_t i = 0; i < RUN_DIGITS; i++) {
        const size_t bit = (offset + l * i) % (RUN_DIGITS * l);
        if (from <= bit && bit < to)
            x[bit / 64] |= (mp_limb_t)1 << bit % 64;
    }
}

/* upper_put - n limbs of B from limb j on; limbs beyond the product are zero. */
static void upper_put(struct halves *h, const mp_limb_t *b, size_t j, size_t n)
{
    for (size_t i = 0; i < n; i++, j++)
        if (j < PRIME_TAIL_LIMBS)
            h->first[j] = b[i];
        else if (j < h->upper_n)
            h->upper[j] = b[i];
        else
            assert(b[i] == 0);
}

/* run_join - the next n limbs.   e in: of the offsets in d;  last in: there are no more */
static void run_join(struct halves *h, const mp_limb_t *e, size_t n, bool last)
{
    mp_limb_t t[PRIME_DIGIT_BITS_MAX + 1], b[PRIME_DIGIT_BITS_MAX + 1]; /* 2 B from the limb at - 1 on; B */
    mp_limb_t *const now = t + 1;
    int carry = -(int)mpn_sub_n(now, h->z + h->at, h->d + h->at, (mp_size_t)n);
    carry += (int)mpn_add_n(now, now, e, (mp_size_t)n);
    if (h->carry > 0)
        carry += (int)mpn_add_1(now, now, (mp_size_t)n, 1);
    else if (h->carry < 0)
        carry -= (int)mpn_sub_1(now, now, (mp_size_t)n, 1);
    h->carry = carry;
    t[0] = h->pending;
    h->pending = t[n];
    mpn_rshift(b, t, (mp_size_t)n + 1, 1);
    const size_t skip = h->at == 0 ? 1 : 0, from = h->at + skip - 1, count = n - skip + last;
    mp_limb_t borrow = mpn_sub_n(h->z + from, h->z + from, b + skip, (mp_size_t)count);
    borrow += mpn_sub_1(h->z + from, h->z + from, (mp_size_t)count, h->borrow);
    h->borrow = borrow;
    upper_put(h, b + skip, from, count);
    h->at += n;
}

void prime_halves_join(const struct plan_shape *s, mp_limb_t *z, size_t zn, const mp_limb_t *d)
{
    const size_t l = s->digits.exponent, runs = s->transform.n_points / RUN_DIGITS, offset = prime_offset_bits(s),
                 all = RUN_DIGITS * l;
    struct halves h = {.z = z, .d = d, .upper = z + runs * l, .upper_n = zn - runs * l};
    mp_limb_t e[PRIME_DIGIT_BITS_MAX];
    assert(PRIME_TAIL_LIMBS <= h.upper_n && h.upper_n <= runs * l + PRIME_TAIL_LIMBS && offset < 64 * PRIME_TAIL_LIMBS &&
           offset < all);
    bits_fill(e, l, l, offset, offset, all);
    for (size_t i = 0; i < runs; i++) {
        run_join(&h, e, l, false);
        if (i == 0)
            bits_fill(e, l, l, offset, 0, all);
    }
    bits_fill(e, PRIME_TAIL_LIMBS, l, offset, 0, offset);
    run_join(&h, e, PRIME_TAIL_LIMBS, true);
    assert(h.carry == 0 && h.borrow == 0);
    const mp_limb_t above = mpn_add(h.upper, h.upper, (mp_size_t)h.upper_n, h.first, PRIME_TAIL_LIMBS);
    assert(above == 0);
    (void)above;
}
