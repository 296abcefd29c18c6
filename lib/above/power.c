/*
 * power.c - powers modulo a number, by sliding windows and quotients by a kept divisor.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All powers are reduced modulo D = m 2^shift, whose highest bit is 1, so that no quotient needs a shift; only the last one is
 * reduced modulo m.  A product of x and y takes one transform of its length, and the quotient by the kept inverse and divisor
 * four transforms more, of which two have half the length.  This works for even and odd m.
 */
#include "above/power.h"

#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/mul.h"
#include "mul/mul_verify.h"

enum { WINDOW_MOST = 10, POWER_LEAST_LIMBS = 8, POWER_IFMA_LIMBS = 36 };

bool modulus_pays(const struct call *call, size_t n)
{
    /* Zen 5, gcc 12.2, 2026-11-28, b-above --work=powm: 0.82 of GMP's time at 36 limbs, if the products of 52 bits make them;
       else 0.90 at 200 limbs (AVX2), 0.71 at 1000 (SSE2) */
    const struct gfmul_ctx *ctx = call->ctx;
    if (ctx->vector_mul_limbs < SIZE_MAX && ctx->short_ops->redc && n >= POWER_IFMA_LIMBS)
        return true;
    return n >= POWER_LEAST_LIMBS && n >= ctx->planned_kept_limbs;
}

size_t modulus_limbs(const struct call *call, size_t n)
{
    return modulus_pays(call, n) ? divider_limbs(n, n + 1) + n : 0;
}

enum gfmul_status modulus_begin(struct call *call, struct modulus *x, const mp_limb_t *m, size_t n, mp_limb_t *memory)
{
    *x = (struct modulus){.n = n, .m = m, .shift = (unsigned)__builtin_clzll(m[n - 1]), .gmp = !modulus_pays(call, n)};
    if (x->gmp)
        return GFMUL_OK;
    mp_limb_t *D = memory + divider_limbs(n, n + 1);
    if (x->shift > 0)
        mpn_lshift(D, m, (mp_size_t)n, x->shift);
    else
        memcpy(D, m, n * sizeof *D);
    return divider_begin(call, &x->divider, D, n, n + 1, memory, NULL);
}

void modulus_end(struct gfmul_ctx *ctx, struct call *call, struct modulus *x)
{
    if (!x->gmp)
        divider_end(ctx, call, &x->divider);
}

/* ---- GMP's powers ---- */

/* window_bits - the window for an exponent of so many bits: a product for each of 2^(k-1) powers, and for each k + 1 bits. */
static unsigned window_bits(size_t bits)
{
    unsigned k = 1;
    while (k < WINDOW_MOST && ((size_t)1 << (k - 1)) + bits / (k + 1) > ((size_t)1 << k) + bits / (k + 2))
        k++;
    return k;
}

static size_t exponent_bits(const mp_limb_t *e, size_t en)
{
    return en == 0 ? 0 : 64 * en - (size_t)__builtin_clzll(e[en - 1]);
}

static enum gfmul_status by_gmp(struct call *call, const struct modulus *x, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                const mp_limb_t *e, size_t en)
{
    mpz_t result, base, exponent, m;
    const size_t entries = (size_t)1 << window_bits(exponent_bits(e, en)); /* GMP's table, and as much for its other memory */
    TRY(ctx_memory_room(call, ((entries + 8) * x->n + 2 * an) * sizeof *z));
    TRY(mul_mpz_begin(call, result, x->n));
    mpz_powm(result, mpz_roinit_n(base, a, (mp_size_t)an), mpz_roinit_n(exponent, e, (mp_size_t)en),
             mpz_roinit_n(m, x->m, (mp_size_t)x->n));
    const size_t used = mpz_size(result);
    memset(z, 0, x->n * sizeof *z);
    memcpy(z, mpz_limbs_read(result), used * sizeof *z);
    mpz_clear(result);
    call->allocated -= x->n * sizeof *z;
    return GFMUL_OK;
}

/* ---- powers by products ---- */

/* A number modulo D. */
struct residue_class {
    mp_limb_t *p; /* room for n limbs */
    size_t n;     /* limbs, the highest one not 0 */
};

/* One power under way. */
struct power {
    const struct modulus *modulus;
    unsigned window; /* bits: there is a table of 2^(window - 1) powers */
    mp_limb_t *memory, *product, *quotient;
    unsigned primes;                      /* of the check; 0: none is wanted */
    const struct residue_modulus *moduli; /* these primes: the call's may become others, if a product needs more */
    uint64_t of_D[RESIDUE_PRIMES_MAX];
    double steps, done; /* products in all, about, and how many are made */
};

static void residues_of(struct call *call, const struct power *w, uint64_t *r, const mp_limb_t *a, size_t an)
{
    if (w->primes == 0)
        return;
    const enum phase phase = phase_enter(&call->clock, PHASE_VERIFY);
    residue_limbs(r, a, an, w->moduli, w->primes, false, call->threads);
    phase_enter(&call->clock, phase);
}

/* reduction_check - check a b = q D + z modulo the primes; a and b by their residues. */
static enum gfmul_status reduction_check(struct call *call, const struct power *w, const uint64_t *a, const uint64_t *b,
                                         size_t qn, const struct residue_class *z)
{
    uint64_t product[RESIDUE_PRIMES_MAX], rq[RESIDUE_PRIMES_MAX], rz[RESIDUE_PRIMES_MAX];
    if (w->primes == 0)
        return GFMUL_OK;
    const enum phase phase = phase_enter(&call->clock, PHASE_VERIFY);
    residues_of(call, w, rq, w->quotient, qn);
    residues_of(call, w, rz, z->p, z->n);
    for (unsigned i = 0; i < w->primes; i++) {
        const uint64_t p = w->moduli[i].p, ab = residue_mul(a[i], b[i], p);
        product[i] = ab >= rz[i] ? ab - rz[i] : ab + p - rz[i];
    }
    const enum gfmul_status status = mul_residues_compare(call, w->moduli, w->primes, product, rq, w->of_D);
    phase_enter(&call->clock, phase);
    return status;
}

/* reduce - z = a modulo D.   *qn out: limbs of the quotient, which is in w->quotient */
static enum gfmul_status reduce(struct call *call, const struct power *w, struct residue_class *z, const mp_limb_t *a, size_t an,
                                size_t *qn)
{
    const size_t n = w->modulus->n;
    an = limbs_normal_size(a, an);
    *qn = 0;
    if (an < n) {
        memcpy(z->p, a, an * sizeof *a);
        z->n = an;
        return GFMUL_OK;
    }
    TRY(divide(call, &w->modulus->divider, w->quotient, z->p, a, an));
    *qn = an - n + 1;
    z->n = limbs_normal_size(z->p, n);
    return GFMUL_OK;
}

/* step_begin - count a product; progress goes from its own share to the next one's. */
static enum gfmul_status step_begin(struct call *call, struct power *w)
{
    call->share_from = w->done / w->steps;
    w->done += w->done + 1 < w->steps ? 1 : 0;
    call->share_end = w->done / w->steps;
    call->share_span = (call->share_end - call->share_from) / 16;
    return call_progress(call, 0);
}

/* multiply - z = a b modulo D; z may be a or b. */
static enum gfmul_status multiply(struct call *call, struct power *w, struct residue_class *z, const struct residue_class *a,
                                  const struct residue_class *b)
{
    uint64_t ra[RESIDUE_PRIMES_MAX], rb[RESIDUE_PRIMES_MAX];
    size_t qn;
    TRY(step_begin(call, w));
    if (a->n == 0 || b->n == 0) {
        z->n = 0;
        return GFMUL_OK;
    }
    residues_of(call, w, ra, a->p, a->n);
    residues_of(call, w, rb, b->p, b->n);
    if (mul_is_unplanned(call->ctx, a->n, b->n, a == b))
        mul_unplanned(call->ctx, w->product, a->p, a->n, b->p, b->n);
    else
        TRY(mul_limbs(call, w->product, a->p, a->n, b->p, b->n, false));
    TRY(reduce(call, w, z, w->product, a->n + b->n, &qn));
    return reduction_check(call, w, ra, rb, qn, z);
}

/* ---- sliding windows ---- */

static bool bit_of(const mp_limb_t *e, size_t i)
{
    return e[i / 64] >> i % 64 & 1;
}

/* table_make - table[i] = a^(2 i + 1), from table[0]. */
static enum gfmul_status table_make(struct call *call, struct power *w, struct residue_class *table, size_t entries,
                                    struct residue_class *square)
{
    if (entries > 1)
        TRY(multiply(call, w, square, &table[0], &table[0]));
    for (size_t i = 1; i < entries; i++)
        TRY(multiply(call, w, &table[i], &table[i - 1], square));
    return GFMUL_OK;
}

/* windows - x = a^e for e > 0. */
static enum gfmul_status windows(struct call *call, struct power *w, struct residue_class *x, const struct residue_class *table,
                                 const mp_limb_t *e, size_t bits)
{
    bool begun = false;
    for (size_t i = bits; i > 0;) { /* bits below i are left */
        if (!bit_of(e, i - 1)) {
            TRY(multiply(call, w, x, x, x));
            i--;
            continue;
        }
        size_t low = i > w->window ? i - w->window : 0, value = 0;
        while (!bit_of(e, low))
            low++;
        for (; i > low; i--) {
            value = 2 * value + bit_of(e, i - 1);
            if (begun)
                TRY(multiply(call, w, x, x, x));
        }
        const struct residue_class *entry = &table[value / 2];
        if (begun) {
            TRY(multiply(call, w, x, x, entry));
        } else {
            memcpy(x->p, entry->p, entry->n * sizeof *x->p);
            x->n = entry->n;
            begun = true;
        }
    }
    return GFMUL_OK;
}

/* last_reduction - z = x modulo m, where x is reduced modulo D.   t: n + 2 limbs. */
static enum gfmul_status last_reduction(struct call *call, const struct modulus *m, mp_limb_t *z, const struct residue_class *x,
                                        mp_limb_t *t)
{
    const size_t n = m->n;
    memset(z, 0, n * sizeof *z);
    if (x->n < n) {
        memcpy(z, x->p, x->n * sizeof *z);
        return GFMUL_OK;
    }
    mpn_tdiv_qr(t, z, 0, x->p, (mp_size_t)n, m->m, (mp_size_t)n);
    return divide_check(call, &(struct division){{x->p, n}, {t, 1}, {m->m, n}, {z, n}});
}

/* quotient_limbs - room for the quotient of an limbs, or of a product of two numbers modulo D. */
static size_t quotient_limbs(size_t n, size_t an)
{
    return an > 2 * n ? an - n + 1 : n + 1;
}

/* power_in - power for a > 0 and e > 0, in the memory of power_room. */
static enum gfmul_status power_in(struct call *call, struct power *w, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                  const mp_limb_t *e, size_t en)
{
    const size_t n = w->modulus->n, entries = (size_t)1 << (w->window - 1), bits = exponent_bits(e, en);
    struct residue_class table[1 << (WINDOW_MOST - 1)], x = {.p = w->memory}, square = {.p = w->memory + n};
    w->steps = (double)entries + (double)bits * (1 + 1.0 / (w->window + 1));
    for (size_t i = 0; i < entries; i++)
        table[i] = (struct residue_class){.p = w->quotient + quotient_limbs(n, an) + i * n};
    call->product_bits = 64.0 * (double)(an > 2 * n ? an : 2 * n);
    w->primes = call_primes(call, false);
    if (w->primes > 0)
        TRY(call_moduli(call, w->primes, false));
    w->moduli = call->moduli;
    residues_of(call, w, w->of_D, w->modulus->divider.d, n);
    uint64_t ra[RESIDUE_PRIMES_MAX], one[RESIDUE_PRIMES_MAX];
    size_t used;
    residues_of(call, w, ra, a, an);
    for (unsigned i = 0; i < RESIDUE_PRIMES_MAX; i++)
        one[i] = 1;
    TRY(step_begin(call, w));
    TRY(reduce(call, w, &table[0], a, an, &used));
    TRY(reduction_check(call, w, ra, one, used, &table[0]));
    TRY(table_make(call, w, table, entries, &square));
    TRY(windows(call, w, &x, table, e, bits));
    return last_reduction(call, w->modulus, z, &x, w->quotient);
}

/* power_room - get the memory of the largest window that there is room for, at most w->window bits. */
static enum gfmul_status power_room(struct call *call, struct power *w, size_t an)
{
    const size_t n = w->modulus->n, qn = quotient_limbs(n, an);
    enum gfmul_status status;
    void *memory;
    do
        status = ctx_buffer_get(call, (4 * n + qn + (n << (w->window - 1))) * sizeof(mp_limb_t), &memory);
    while (status == GFMUL_ERR_MEMORY && --w->window > 0);
    if (status != GFMUL_OK)
        return status;
    call->why[0] = '\0'; /* of a larger one */
    w->memory = memory;
    w->product = w->memory + 2 * n;
    w->quotient = w->memory + 4 * n;
    return GFMUL_OK;
}

enum gfmul_status power(struct call *call, const struct modulus *x, mp_limb_t *z, const mp_limb_t *a, size_t an,
                        const mp_limb_t *e, size_t en)
{
    an = limbs_normal_size(a, an);
    en = limbs_normal_size(e, en);
    if (an == 0 || en == 0) {
        memset(z, 0, x->n * sizeof *z);
        z[0] = en == 0 && (x->n > 1 || x->m[0] > 1);
        return GFMUL_OK;
    }
    if (x->gmp)
        return by_gmp(call, x, z, a, an, e, en);
    struct power w = {.modulus = x, .window = window_bits(exponent_bits(e, en))};
    TRY(power_room(call, &w, an));
    const enum gfmul_status status = power_in(call, &w, z, a, an, e, en);
    ctx_buffer_put(call, w.memory);
    return status;
}
