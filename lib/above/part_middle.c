/*
 * part_middle.c - the middle product, by a ring in which the whole product wraps around.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * With the diagonals d_k = sum of a_i b_j, i + j = k, and beta = 2^64:
 *     a b = LOW + beta^(bn-1) MID + beta^an HIGH,   MID = sum of d_k beta^(k-bn+1), bn - 1 <= k < an
 * In a ring of N >= an + 2 limbs b is shifted by e = N - an - 2 limbs, so that HIGH begins two limbs below the wrap:
 *     a beta^e b = X + beta^(bn-1+e) MID + beta^(N-2) (HIGH mod beta^2),   X = LOW beta^e - floor(HIGH / beta^2)
 * HIGH mod beta^2 comes from its two lowest diagonals.  The limbs of X below beta^(bn-1+e) are those of the ring's value.  The
 * rest of X is an integer, which LOW's two highest diagonals give to within 2^-10, because floor(HIGH / beta^2) is below
 * beta^(bn-2).  Modulo beta^N - 1 instead, floor(HIGH / beta^2) is added.
 */
#include <stdint.h>
#include <string.h>

#include "above/parts.h"
#include "base/try.h"
#include "mul/call_run.h"
#include "mul/mul_wrap.h"

enum { MIDDLE_ROWS = 24, WIDE = 5 }; /* for shorter b rows are faster; limbs of a signed sum of diagonals */

/* by_rows - make the middle product row by row. */
static void by_rows(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const size_t row = an - bn + 1;
    memset(z, 0, (row + 2) * sizeof *z);
    for (size_t j = 0; j < bn; j++) {
        const mp_limb_t carry = mpn_addmul_1(z, a + (bn - 1 - j), (mp_size_t)row, b[j]);
        mpn_add_1(z + row, z + row, 2, carry);
    }
}

/* wide_add - sum += x beta^at, modulo beta^WIDE. */
static void wide_add(mp_limb_t sum[WIDE], unsigned __int128 x, size_t at)
{
    const mp_limb_t two[2] = {(mp_limb_t)x, (mp_limb_t)(x >> 64)};
    if (at < WIDE)
        mpn_add(sum + at, sum + at, (mp_size_t)(WIDE - at), two, WIDE - at < 2 ? 1 : 2);
}

/* The lower and the higher limbs of products, summed up: no carry leaves them. */
struct diagonal {
    unsigned __int128 low, high;
};

static inline void diagonal_add(struct diagonal *d, mp_limb_t x, mp_limb_t y)
{
    const unsigned __int128 p = (unsigned __int128)x * y;
    d->low += (mp_limb_t)p;
    d->high += (mp_limb_t)(p >> 64);
}

/* two_diagonals - sum += d_k + beta d_(k+1), modulo beta^WIDE; one pass reads less than two.   k + 2 < an + bn, bn >= 2 */
static void two_diagonals(mp_limb_t sum[WIDE], const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, size_t k)
{
    struct diagonal d[2] = {{0, 0}, {0, 0}};
    const size_t end = k < an ? k + 1 : an;
    size_t i = 0;
    if (k + 1 >= bn) { /* d_k begins one limb of a before d_(k+1) */
        i = k + 1 - bn;
        diagonal_add(&d[0], a[i], b[bn - 1]);
        i++;
    }
    for (mp_limb_t y = b[k + 1 - i]; i < end; i++) {
        diagonal_add(&d[1], a[i], y);
        y = b[k - i];
        diagonal_add(&d[0], a[i], y);
    }
    if (k + 1 < an)
        diagonal_add(&d[1], a[k + 1], b[0]);
    for (size_t at = 0; at < 2; at++) {
        wide_add(sum, d[at].low, at);
        wide_add(sum, d[at].high, at + 1);
    }
}

/*
 * beyond - c = X / beta^(bn-1+e), less the fraction that `low` shows, rounded to an integer;  bn >= 3.
 *
 *   c    out  a signed number
 *   low  in  the bn - 1 + e lowest limbs of the ring's value
 * In units of beta^-2; what is left out is below bn 2^-64 + 2^-62.
 */
static void beyond(mp_limb_t c[2], const mp_limb_t *low, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, size_t e)
{
    const size_t n = bn - 1 + e;
    mp_limb_t x[WIDE] = {0}, y[WIDE] = {0};
    two_diagonals(x, a, an, b, bn, bn - 3);
    for (size_t i = 0; i < 2; i++)
        wide_add(y, low[n - 1 - i], 1 - i);
    mpn_sub_n(x, x, y, WIDE);
    const mp_limb_t half = (mp_limb_t)1 << 63;
    mpn_add_1(x + 1, x + 1, WIDE - 1, half);
    c[0] = x[2]; /* |X / beta^n| < 2 bn beta */
    c[1] = x[3];
}

/* by_ring - make the middle product in a ring.  s: 2 N + 1 limbs. */
static enum gfmul_status by_ring(struct call *call, const struct ring *r, const struct part_arguments *of, mp_limb_t *s)
{
    const mp_limb_t *a = of->a, *b = of->b;
    mp_limb_t *z = of->z;
    const size_t an = of->an, bn = of->bn, n = r->n, e = n - an - 2, from = bn - 1 + e;
    mp_limb_t *shifted = s + n + 1;
    memset(shifted, 0, e * sizeof *shifted);
    memcpy(shifted + e, b, bn * sizeof *b);
    TRY(r->minus ? part_minus(call, s, n, a, an, shifted, e + bn)
                 : ring_mul(call, r, s, a, an, &(struct ring_operand){.p = shifted, .n = e + bn}));
    mp_limb_t high[WIDE] = {0};
    two_diagonals(high, a, an, b, bn, an);
    const mp_limb_t borrow = mpn_sub_n(s + n - 2, s + n - 2, high, 2);
    if (r->minus) {
        mpn_sub_1(s, s, (mp_size_t)n, borrow); /* after a borrow it is at least beta^(n-2) */
    } else {
        s[n] -= borrow;
        mul_wrap_reduce(s, n);
        if (ring_is_negative(s, n)) { /* make it a signed number of n limbs */
            ring_negate(s, n);
            mpn_neg(s, s, (mp_size_t)n);
        }
    }
    mp_limb_t c[2];
    const mp_size_t zn = (mp_size_t)(an - bn + 3);
    beyond(c, s, a, an, b, bn, e);
    mpn_sub(z, s + from, zn, c, 2);
    if (c[1] >> 63) /* c is negative, and counted as beta^2 more */
        mpn_add_1(z + 2, z + 2, zn - 2, 1);
    return GFMUL_OK;
}

enum gfmul_status part_middle(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    if (bn < MIDDLE_ROWS || an - bn < MIDDLE_ROWS) {
        by_rows(z, a, an, b, bn);
        return GFMUL_OK;
    }
    const struct ring plus = ring_choose(call, an + 2, RING_PRODUCTS), minus = ring_choose(call, an + 2, RING_MINUS);
    const struct ring r = minus.transform && minus.cost_ps < plus.cost_ps ? minus : plus;
    void *room;
    TRY(ctx_buffer_get(call, (2 * r.n + 1) * sizeof *z, &room));
    const enum gfmul_status status =
        by_ring(call, &r, &(struct part_arguments){.z = z, .a = a, .b = b, .an = an, .bn = bn}, room);
    ctx_buffer_put(call, room);
    return status;
}

static enum gfmul_status middle_checked(struct call *call, const void *arguments)
{
    const struct part_arguments *of = arguments;
    if (of->bn == 0 || of->an < of->bn)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a middle product needs an >= bn >= 1");
    TRY(part_arguments_check(call, of));
    return part_middle(call, of->z, of->a, of->an, of->b, of->bn);
}

enum gfmul_status gfmul_mulmid(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const struct part_arguments of = {z, a, b, an < bn ? 0 : an - bn + 3, an, bn, 0};
    return call_run(ctx, &(struct call_work)CALL_WORK(middle_checked, &of, an + bn));
}
