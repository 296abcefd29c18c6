/*
 * radix.c - the powers that conversions between limbs and text share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "above/radix.h"

#include <math.h>
#include <string.h>

#include "base/try.h"
#include "limbs/limb_bits.h"
#include "limbs/limb_range.h"
#include "mul/mul.h"
#include "mul/mul_verify.h"

enum { LEAF_DIGITS_MOST = 640, RADIX_LEAST_LIMBS = 40 };

bool radix_pays(const struct call *call, size_t limbs, unsigned base, bool print)
{
    const struct gfmul_ctx *const ctx = call->ctx;
    if ((base & (base - 1)) == 0 || limbs < RADIX_LEAST_LIMBS)
        return false;
    if (print) /* Zen 4, gcc 12.2, 2026-11-27, b-above: as fast as GMP at 1150 limbs */
        return limbs / 3 >= ctx->planned_mul_limbs;
    /*
     * Zen 5, gcc 12.2, 2026-11-28, against mpn_set_str in one process.  With products of 52 bits as fast as GMP at 230 limbs,
     * with those by fused multiply-adds at 780 (AVX-512) and 950 (AVX2), with SSE2 alone not before 1e4 limbs.
     */
    if (ctx->short_ops && ctx->short_ops->redc)
        return limbs >= ctx->planned_mul_limbs / 2;
    return limbs / (ctx->short_ops ? 4 : 8) >= ctx->planned_mul_limbs;
}

size_t radix_digits(size_t bits, unsigned base)
{
    const double digits = (double)bits / log2((double)base);
    return (size_t)(digits * (1 + 0x1p-50)) + 2;
}

struct radix_powers radix_powers_of(unsigned base)
{
    struct radix_powers b = {.power = {1}};
    for (; b.power[b.in_limb] <= UINT64_MAX / base; b.in_limb++)
        b.power[b.in_limb + 1] = b.power[b.in_limb] * base;
    return b;
}

/* power_of_base - base^digits, base > 1;  z: RADIX_LEAF_LIMBS + 1 limbs.   Value: its limbs. */
static size_t power_of_base(mp_limb_t *z, unsigned base, size_t digits)
{
    const struct radix_powers b = radix_powers_of(base);
    size_t n = 1;
    z[0] = 1;
    for (size_t left = digits; left > 0;) {
        const size_t more = left < b.in_limb ? left : b.in_limb;
        const mp_limb_t carry = mpn_mul_1(z, z, (mp_size_t)n, b.power[more]);
        left -= more;
        if (carry)
            z[n++] = carry;
    }
    return n;
}

void radix_share(struct call *call, double part)
{
    call->share_from = call->share_end > 0 ? call->share_end : call->share_from + call->share_span;
    call->share_end = call->share_from + part * (1 - call->share_from);
    call->share_span = (call->share_end - call->share_from) / 16;
}

/* powers_make - make P_0 .. P_last, one after the other in memory. */
static enum gfmul_status powers_make(struct call *call, struct radix_tree *x, unsigned odd, unsigned last)
{
    mp_limb_t *z = x->memory;
    const size_t twos = (size_t)__builtin_ctz(x->base) * x->leaf;
    size_t n = power_of_base(z, odd, x->leaf);
    for (unsigned i = 0;; i++) {
        const size_t shift = twos << i;
        x->level[i] = (struct radix_level){.odd = {.p = z, .n = n}, .shift = shift};
        x->level[i].n = (limbs_bit_length(z, n) + shift - 1) / 64 + 1;
        if (i == last)
            return GFMUL_OK;
        ring_share_next(call);
        TRY(mul_limbs(call, z + n, z, n, z, n, true));
        z += n;
        n = limbs_normal_size(z, 2 * n);
    }
}

enum gfmul_status radix_begin(struct call *call, struct radix_tree *x, unsigned base, size_t digits, bool print)
{
    memset(x, 0, sizeof *x);
    x->base = base;
    for (x->n = 1; digits >> x->n > LEAF_DIGITS_MOST;)
        x->n++;
    x->leaf = ((digits - 1) >> x->n) + 1;
    const unsigned odd = base >> __builtin_ctz(base), products = print ? x->n - 1 : x->n;
    const size_t limbs = (size_t)((double)x->leaf * log2(odd) / 64) + 2; /* of P_0; P_i has at most 2^i times as many */
    TRY(ctx_buffer_get(call, (limbs << x->n) * sizeof(mp_limb_t), &x->memory));
    radix_share(call, 0.25);
    TRY(powers_make(call, x, odd, x->n - 1));
    for (unsigned i = 0; i < products; i++) {
        struct radix_level *const level = &x->level[i];
        level->ring = ring_choose(call, level->odd.n + level->n + 3, RING_KEPT);
        TRY(ring_keep(call, &level->ring, &level->odd));
    }
    return GFMUL_OK;
}

void radix_end(struct call *call, struct radix_tree *x)
{
    for (unsigned i = 0; i < x->n; i++)
        ring_forget(call->ctx, call, &x->level[i].odd);
    ctx_buffer_put(call, x->memory);
}

enum gfmul_status radix_check(struct call *call, const mp_limb_t *a, size_t an, const char *digits, size_t n, unsigned base)
{
    uint64_t ra[RESIDUE_PRIMES_MAX], rt[RESIDUE_PRIMES_MAX], p[RESIDUE_PRIMES_MAX];
    call->product_bits = 64.0 * (double)an;
    const unsigned primes = call_primes(call, false);
    if (primes == 0)
        return GFMUL_OK;
    TRY(call_moduli(call, primes, false));
    const enum phase phase = phase_enter(&call->clock, PHASE_VERIFY);
    mul_residues(call, ra, a, an, an >= MUL_MEMORY_LIMBS);
    for (unsigned i = 0; i < call->n_moduli; i++)
        p[i] = call->moduli[i].p;
    const struct text_number text = {.base = base, .digits = digits, .n_digits = n};
    text_residues(rt, &text, p, call->n_moduli, call->ctx->ops->isa_bit, call->threads);
    phase_enter(&call->clock, phase);
    for (unsigned i = 0; i < call->n_moduli; i++)
        if (ra[i] != rt[i])
            return call_fail(call, GFMUL_ERR_VERIFY, "a converted number is wrong modulo a random prime");
    return GFMUL_OK;
}
