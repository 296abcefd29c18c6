/* digits_to_limbs.c - round, carry, pack into limbs.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stages/stage_ops.h"

enum { CHUNK_DIGITS = 512 };

/* Carries and bits on their way into limbs. */
struct packer {
    mp_limb_t *z;
    size_t room;    /* limbs that may still be written; what comes after is dropped */
    uint64_t acc;   /* n_bits bits not yet written */
    unsigned n_bits;
    int64_t carry;
};

/* pack - count digits of `width` bits each from coefficients v; |v| + |carry| < 2^62. */
static void pack(struct packer *p, const int64_t *v, size_t count, unsigned width)
{
    const uint64_t mask = ((uint64_t)1 << width) - 1;
    uint64_t acc = p->acc;
    unsigned n_bits = p->n_bits;
    int64_t carry = p->carry;
    mp_limb_t *z = p->z, *const end = z + p->room;
    for (size_t j = 0; j < count; j++) {
        int64_t t = v[j] + carry;
        uint64_t d = (uint64_t)t & mask;
        carry = t >> width;
        acc |= d << n_bits;
        n_bits += width;
        if (n_bits >= 64) {
            if (z < end)
                *z++ = acc;
            n_bits -= 64;
            acc = n_bits ? d >> (width - n_bits) : 0;
        }
    }
    p->room = (size_t)(end - z);
    p->z = z;
    p->acc = acc;
    p->n_bits = n_bits;
    p->carry = carry;
}

/* pair_up - v_2j + 2^l v_2j+1: half as many coefficients of twice the width. */
static void pair_up(int64_t *v, size_t count, unsigned l)
{
    for (size_t j = 0; j < count / 2; j++)
        v[j] = v[2 * j] + v[2 * j + 1] * ((int64_t)1 << l);
}

/* pairs_fit - 2^l coefficients |z| <= ||x|| ||y|| = bound 2^53 / K stay below 2^61 (plan.h, doc/error-bound.md). */
static bool pairs_fit(const struct plan_shape *s)
{
    return s->k > 0 && s->bound / s->k * 0x1p53 * (double)s->digit_base * 1.01 < 0x1p61;
}

/* add_signed - z += c 2^(64 at), within zn limbs. */
static void add_signed(mp_limb_t *z, size_t zn, size_t at, int64_t c)
{
    if (at >= zn || c == 0)
        return;
    if (c > 0)
        mpn_add_1(z + at, z + at, (mp_size_t)(zn - at), (mp_limb_t)c);
    else
        mpn_sub_1(z + at, z + at, (mp_size_t)(zn - at), -(mp_limb_t)c);
}

enum gfmul_status digits_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, double *err, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned l = s->exponent;
    const bool pairs = pairs_fit(s);
    /* segments of whole chunks, and so of whole limbs: 64 digits fill l limbs */
    const size_t n_chunks = (s->n_digits + CHUNK_DIGITS - 1) / CHUNK_DIGITS;
    const size_t n_segments = threads > 1 && n_chunks >= 4 * (size_t)threads ? threads : 1;
    double max_error = 0;
    int64_t *carry = calloc(n_segments, sizeof *carry);
    if (!carry)
        return GFMUL_ERR_MEMORY;
#pragma omp parallel for schedule(static) num_threads(threads) if (n_segments > 1) reduction(max : max_error)
    for (size_t g = 0; g < n_segments; g++) {
        const size_t first = n_chunks * g / n_segments * CHUNK_DIGITS;
        const size_t end = g + 1 < n_segments ? n_chunks * (g + 1) / n_segments * CHUNK_DIGITS : s->n_digits;
        const size_t at = first / 64 * l;
        struct packer p = {.z = z + (at < zn ? at : zn), .room = at < zn ? zn - at : 0};
        for (size_t j = first; j < end; j += CHUNK_DIGITS) {
            int64_t v[CHUNK_DIGITS];
            const size_t count = end - j < CHUNK_DIGITS ? end - j : CHUNK_DIGITS;
            plan->ops->digits_round(plan, v, x, j, count, &max_error);
            if (pairs)
                pair_up(v, count, l);
            pack(&p, v, pairs ? count / 2 : count, pairs ? 2 * l : l);
        }
        carry[g] = p.carry;
    }
    if (s->n_digits / 64 * l < zn)
        memset(z + s->n_digits / 64 * l, 0, (zn - s->n_digits / 64 * l) * sizeof *z);
    for (size_t g = 0; g < n_segments; g++) {
        const size_t end = g + 1 < n_segments ? n_chunks * (g + 1) / n_segments * CHUNK_DIGITS : s->n_digits;
        add_signed(z, zn, end / 64 * l, carry[g]);
    }
    free(carry);
    *err = max_error;
    return GFMUL_OK;
}
