/*
 * divide.c - quotients by an approximate inverse, block by block.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The divisor d has n limbs, the highest bit 1.  X is the inverse of its highest k = m + 1 limbs (invert.c); if k > n, zeros are
 * appended below.  A block divides A = R beta^m + m limbs, R < d.  With A1 = floor(A / beta^(n-1)) the quotient is taken to be
 *     q = floor(A1 X / beta^(k+1))
 * A / d is A beta^-(k+n) J with J = beta^(k+n) / d.  Here |X - J| < 6: 2 from invert, and 4 because d is longer than k limbs.
 * Because A < beta^(m+n), this error moves q by less than 6 beta^(m-k), and the cut of A1 by 2 / beta, together below 8 / beta;
 * then there is the floor.  So q is the quotient, or 1 more, or 1 less.  A - q d tells which, and a ring of n + 4 limbs gives it
 * with its sign.
 */
#include "above/divide.h"

#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/mul_verify.h"

enum { DIVIDE_LEAST_LIMBS = 4, DIVIDE_IFMA_LIMBS = 80, CHECK_IN_MEMORY = MUL_MEMORY_LIMBS };

bool divide_pays(const struct call *call, size_t qn, size_t n)
{
    /*
     * Emerald Rapids, gcc 12.2, 2026-11-29, b-above --work divide: with products of 52 bits 0.76 of GMP's time at 80 limbs,
     * with those by fused multiply-adds 0.94 at 250, which is where they end.
     */
    const struct gfmul_ctx *const ctx = call->ctx;
    const size_t least = qn < n ? qn : n;
    return least >= DIVIDE_LEAST_LIMBS &&
           (least >= ctx->planned_mul_limbs ||
            (least >= DIVIDE_IFMA_LIMBS && ctx->vector_mul_limbs < SIZE_MAX && ctx->short_ops->redc));
}

size_t divider_block(size_t qn, size_t n, bool kept)
{
    const size_t most = n + 1;
    size_t blocks = 1; /* if the inverse is used only once, one of half the limbs and two blocks are cheaper than one block */
    if (!kept && qn > n / 3 && qn < n / 2 * 5)
        blocks = (qn - 1) / (n / 2 + 1) + 1 > 2 ? (qn - 1) / (n / 2 + 1) + 1 : 2;
    const size_t m = (qn - 1) / blocks + 1;
    return m < most ? m : (qn - 1) / ((qn - 1) / most + 1) + 1;
}

size_t divider_limbs(size_t n, size_t m)
{
    return n + 2 + (m > 0 ? m + 2 : 0);
}

enum gfmul_status divider_begin(struct call *call, struct divider *x, const mp_limb_t *d, size_t n, size_t m, mp_limb_t *memory,
                                const struct inverse *known)
{
    mp_limb_t *inverse = memory + n + 2;
    *x = (struct divider){.n = n, .d = memory + 2, .m = m, .shift = (unsigned)__builtin_clzll(d[n - 1])};
    memory[0] = memory[1] = 0;
    if (x->shift > 0)
        mpn_lshift(x->d, d, (mp_size_t)n, x->shift);
    else
        memcpy(x->d, d, n * sizeof *d);
    if (m == 0)
        return GFMUL_OK;
    TRY(invert(call, inverse, x->d + n - (m + 1), m + 1, known));
    x->inverse = (struct ring_operand){.p = inverse, .n = m + 2};
    x->whole = (struct ring_operand){.p = x->d, .n = n};
    x->by_inverse = ring_choose(call, 2 * m + 4, RING_KEPT);
    x->by_d = ring_choose(call, n + 4, RING_KEPT);
    TRY(ring_keep(call, &x->by_inverse, &x->inverse));
    return ring_keep(call, &x->by_d, &x->whole);
}

void divider_end(struct gfmul_ctx *ctx, struct call *call, struct divider *x)
{
    ring_forget(ctx, call, &x->inverse);
    ring_forget(ctx, call, &x->whole);
}

/* The working memory of a block. */
struct room {
    mp_limb_t *product, *rest; /* as long as the longer ring, and as by_d; each a limb longer */
};

/* rest_of - R = A - q d; correct q so that R is in [0, d).   A: n + m limbs, of which the lowest n become R. */
static enum gfmul_status rest_of(struct call *call, const struct divider *x, const struct room *room, mp_limb_t *A, size_t m,
                                 mp_limb_t *q)
{
    const size_t n = x->n, ring = x->by_d.n;
    mp_limb_t *rest = room->rest;
    TRY(ring_mul(call, &x->by_d, room->product, q, m + 1, &x->whole));
    ring_fold(rest, ring, A, n + m);
    ring_sub(rest, room->product, ring);
    if (ring_is_negative(rest, ring)) {
        ring_negate(rest, ring); /* q d - A, at most d */
        if (limbs_normal_size(rest, ring + 1) > n || mpn_cmp(rest, x->d, (mp_size_t)n) > 0)
            return call_fail(call, GFMUL_ERR_VERIFY, "a quotient is too large");
        mpn_sub_n(A, x->d, rest, (mp_size_t)n);
        mpn_sub_1(q, q, (mp_size_t)m + 1, 1);
        return GFMUL_OK;
    }
    if (limbs_normal_size(rest, ring + 1) > n + 1 || rest[n] > 1)
        return call_fail(call, GFMUL_ERR_VERIFY, "a remainder is too large");
    if (rest[n] > 0 || mpn_cmp(rest, x->d, (mp_size_t)n) >= 0) {
        rest[n] -= mpn_sub_n(rest, rest, x->d, (mp_size_t)n);
        mpn_add_1(q, q, (mp_size_t)m + 1, 1);
    }
    if (rest[n] > 0 || mpn_cmp(rest, x->d, (mp_size_t)n) >= 0)
        return call_fail(call, GFMUL_ERR_VERIFY, "a remainder is not below its divisor");
    memcpy(A, rest, n * sizeof *A);
    return GFMUL_OK;
}

/*
 * block - make m limbs of the quotient.  A: n + m limbs, A < d beta^m, of which the lowest n become the remainder.
 *   q  out  m + 1 limbs, the highest one 0 if there is a remainder
 */
static enum gfmul_status block(struct call *call, const struct divider *x, const struct room *room, mp_limb_t *q, mp_limb_t *A,
                               size_t m, bool remainder)
{
    TRY(ring_mul(call, &x->by_inverse, room->product, A + x->n - 1, m + 1, &x->inverse));
    memcpy(q, room->product + x->m + 2, (m + 1) * sizeof *q); /* k + 1 limbs lower */
    if (!remainder)
        return GFMUL_OK;
    TRY(rest_of(call, x, room, A, m, q));
    return q[m] == 0 ? GFMUL_OK : call_fail(call, GFMUL_ERR_VERIFY, "a quotient has too many limbs");
}

/* blocks - make the quotient block by block.  A: an + 1 limbs, shifted;  q: an - n + 2 limbs. */
static enum gfmul_status blocks(struct call *call, const struct divider *x, const struct room *room, mp_limb_t *q, mp_limb_t *A,
                                size_t an, bool remainder)
{
    const size_t qn = an + 1 - x->n, count = (qn - 1) / x->m + 1;
    size_t at = qn;
    q[qn] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t m = i == 0 ? qn - (count - 1) * x->m : x->m;
        const mp_limb_t above = q[at];
        at -= m;
        TRY(block(call, x, room, q + at, A + at, m, remainder || at > 0));
        const mp_limb_t carry = q[at + m]; /* if no remainder is made, q may be one more than the quotient */
        q[at + m] = above;
        mpn_add_1(q + at + m, q + at + m, (mp_size_t)(qn + 1 - at - m), carry);
    }
    return GFMUL_OK;
}

/* by_gmp - make the quotient by GMP, with the divisor shifted back. */
static enum gfmul_status by_gmp(struct call *call, const struct divider *x, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a,
                                size_t an)
{
    void *room;
    const size_t n = x->n;
    TRY(ctx_buffer_get(call, 2 * n * sizeof *r, &room));
    mp_limb_t *d = room, *rest = r ? r : d + n;
    if (x->shift > 0)
        mpn_rshift(d, x->d, (mp_size_t)n, x->shift);
    else
        memcpy(d, x->d, n * sizeof *d);
    mpn_tdiv_qr(q, rest, 0, a, (mp_size_t)an, d, (mp_size_t)n);
    ctx_buffer_put(call, room);
    return GFMUL_OK;
}

enum gfmul_status divide(struct call *call, const struct divider *x, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a, size_t an)
{
    const size_t n = x->n, longer = x->by_inverse.n > x->by_d.n ? x->by_inverse.n : x->by_d.n;
    if (x->m == 0)
        return by_gmp(call, x, q, r, a, an);
    void *memory;
    TRY(ctx_buffer_get(call, (2 * (longer + 1) + an + 1 + an - n + 2) * sizeof *q, &memory));
    const struct room room = {.product = memory, .rest = (mp_limb_t *)memory + longer + 1};
    mp_limb_t *A = room.rest + longer + 1, *quotient = A + an + 1;
    A[an] = 0;
    if (x->shift > 0)
        A[an] = mpn_lshift(A, a, (mp_size_t)an, x->shift);
    else
        memcpy(A, a, an * sizeof *A);
    const enum gfmul_status status = blocks(call, x, &room, quotient, A, an, r != NULL);
    if (status == GFMUL_OK) {
        memcpy(q, quotient, (an - n + 1) * sizeof *q);
        if (r && x->shift > 0)
            mpn_rshift(r, A, (mp_size_t)n, x->shift);
        else if (r)
            memcpy(r, A, n * sizeof *r);
    }
    ctx_buffer_put(call, memory);
    return status;
}

enum gfmul_status divide_once(struct call *call, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a, size_t an, const mp_limb_t *d,
                              size_t dn)
{
    const size_t qn = an - dn + 1;
    if (!divide_pays(call, qn, dn)) {
        mpn_tdiv_qr(q, r, 0, a, (mp_size_t)an, d, (mp_size_t)dn);
        return GFMUL_OK;
    }
    const size_t m = divider_block(qn, dn, false);
    struct divider x;
    void *memory;
    TRY(ctx_buffer_get(call, divider_limbs(dn, m) * sizeof *d, &memory));
    enum gfmul_status status = divider_begin(call, &x, d, dn, m, memory, NULL);
    if (status == GFMUL_OK)
        status = divide(call, &x, q, r, a, an);
    divider_end(call->ctx, call, &x);
    ctx_buffer_put(call, memory);
    return status;
}

enum gfmul_status divide_check(struct call *call, const struct division *of)
{
    const bool in_memory = of->a.n >= CHECK_IN_MEMORY;
    uint64_t ra[RESIDUE_PRIMES_MAX], rq[RESIDUE_PRIMES_MAX], rd[RESIDUE_PRIMES_MAX], rr[RESIDUE_PRIMES_MAX];
    call->product_bits = 64.0 * (double)of->a.n;
    const unsigned n = call_primes(call, false);
    if (n == 0)
        return GFMUL_OK;
    TRY(call_moduli(call, n, false));
    mul_residues(call, ra, of->a.p, of->a.n, in_memory);
    mul_residues(call, rq, of->q.p, of->q.n, in_memory);
    mul_residues(call, rd, of->d.p, of->d.n, in_memory);
    mul_residues(call, rr, of->r.p, of->r.n, in_memory);
    for (unsigned i = 0; i < call->n_moduli; i++) { /* q d = a - r */
        const uint64_t p = call->moduli[i].p;
        ra[i] = ra[i] >= rr[i] ? ra[i] - rr[i] : ra[i] + p - rr[i];
    }
    return mul_residues_compare(call, call->moduli, call->n_moduli, ra, rq, rd);
}
