/*
 * power_call.c - the public functions for powers modulo a number: of limbs, of mpz_t, and by a modulus that is used many times.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <limits.h>
#include <string.h>

#include "above/power.h"
#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/mul.h"

struct gfmul_modulus {
    struct gfmul_ctx *ctx;
    struct modulus modulus;
    mp_limb_t *memory; /* the modulus' own, and a copy of its limbs */
    size_t bytes;
};

/* The numbers of one power. */
struct power_arguments {
    const struct gfmul_modulus *modulus; /* or NULL: m */
    mp_limb_t *z;
    const mp_limb_t *a, *e, *m;
    size_t an, en, mn;
};

static enum gfmul_status power_check(struct call *call, const struct power_arguments *of)
{
    if (of->an >= MUL_LIMBS_END || of->en >= MUL_LIMBS_END || of->mn >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu, %zu and %zu limbs are too many", of->an, of->en, of->mn);
    if (!of->z || !of->m || (!of->a && of->an > 0) || (!of->e && of->en > 0))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a pointer to limbs is NULL");
    if (of->mn == 0 || of->m[of->mn - 1] == 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a modulus needs limbs of which the highest is not 0");
    if (limbs_overlap(of->z, of->mn, of->a, of->an) || limbs_overlap(of->z, of->mn, of->e, of->en) ||
        limbs_overlap(of->z, of->mn, of->m, of->mn))
        return call_fail(call, GFMUL_ERR_OVERLAP, "the power overlaps an operand");
    return GFMUL_OK;
}

/* power_once - a power by a modulus that is used once. */
static enum gfmul_status power_once(struct call *call, const struct power_arguments *of)
{
    struct modulus x;
    void *memory = NULL;
    const size_t limbs = modulus_limbs(call, of->mn);
    if (limbs > 0)
        TRY(ctx_buffer_get(call, limbs * sizeof *of->m, &memory));
    enum gfmul_status status = modulus_begin(call, &x, of->m, of->mn, memory);
    if (status == GFMUL_OK)
        status = power(call, &x, of->z, of->a, of->an, of->e, of->en);
    modulus_end(call->ctx, call, &x);
    ctx_buffer_put(call, memory);
    return status;
}

static enum gfmul_status power_of(struct call *call, const struct power_arguments *of)
{
    if (of->an > INT_MAX || of->en > INT_MAX || of->mn > INT_MAX) /* GMP's integers, which short moduli go to, have no more */
        return call_fail(call, GFMUL_ERR_SIZE, "%zu, %zu and %zu limbs are too many", of->an, of->en, of->mn);
    phase_enter(&call->clock, PHASE_TRANSFORM);
    if (!of->modulus)
        return power_once(call, of);
    call->reserved = of->modulus->bytes;
    return power(call, &of->modulus->modulus, of->z, of->a, of->an, of->e, of->en);
}

static enum gfmul_status power_checked(struct call *call, const void *arguments)
{
    const struct power_arguments *of = arguments;
    TRY(power_check(call, of));
    return power_of(call, of);
}

/* power_limbs - limbs of a product that takes about as long as a power, for the progress callback. */
static size_t power_limbs(size_t mn, size_t en)
{
    size_t limbs;
    return size_mul(&limbs, 128 * (en < MUL_LIMBS_END ? en : 0) + 2, mn) ? limbs : SIZE_MAX;
}

enum gfmul_status gfmul_powm(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *e, size_t en,
                             const mp_limb_t *m, size_t mn)
{
    const struct power_arguments of = {NULL, z, a, e, m, an, en, mn};
    return call_run(ctx, &(struct call_work)CALL_WORK(power_checked, &of, power_limbs(mn, en)));
}

/* ---- a modulus that is used many times ---- */

struct modulus_arguments {
    struct gfmul_modulus **result;
    const mp_limb_t *m;
    size_t mn;
};

static enum gfmul_status modulus_fill(struct call *call, struct gfmul_modulus *x, const struct modulus_arguments *of)
{
    const size_t own = modulus_limbs(call, of->mn);
    x->bytes = (own + of->mn) * sizeof *of->m;
    if (!(x->memory = ctx_memory_take(call, x->bytes, NULL)))
        return GFMUL_ERR_MEMORY;
    call->reserved = x->bytes;
    memcpy(x->memory + own, of->m, of->mn * sizeof *of->m);
    const enum gfmul_status status = modulus_begin(call, &x->modulus, x->memory + own, of->mn, x->memory);
    x->bytes += divider_bytes(&x->modulus.divider);
    return status;
}

static enum gfmul_status modulus_checked(struct call *call, const void *arguments)
{
    const struct modulus_arguments *of = arguments;
    if (of->mn >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", of->mn);
    if (!of->result || !of->m || of->mn == 0 || of->m[of->mn - 1] == 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a modulus needs a place, and limbs of which the highest is not 0");
    struct gfmul_modulus *x = alloc_zeroed(sizeof *x);
    if (!x)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a modulus");
    x->ctx = call->ctx;
    phase_enter(&call->clock, PHASE_TRANSFORM);
    const enum gfmul_status status = modulus_fill(call, x, of);
    if (status == GFMUL_OK)
        *of->result = x;
    else
        gfmul_modulus_destroy(x);
    return status;
}

static enum gfmul_status modulus_create(struct gfmul_ctx *ctx, const struct modulus_arguments *of)
{
    if (of->result)
        *of->result = NULL;
    return call_run(ctx, &(struct call_work)CALL_WORK(modulus_checked, of, of->mn));
}

enum gfmul_status gfmul_modulus_create(struct gfmul_ctx *ctx, struct gfmul_modulus **modulus, const mp_limb_t *m, size_t mn)
{
    return modulus_create(ctx, &(struct modulus_arguments){modulus, m, mn});
}

enum gfmul_status gfmul_modulus_create_mpz(struct gfmul_ctx *ctx, struct gfmul_modulus **modulus, mpz_srcptr m)
{
    return modulus_create(ctx, &(struct modulus_arguments){modulus, m ? mpz_limbs_read(m) : NULL, m ? mpz_size(m) : 0});
}

void gfmul_modulus_destroy(struct gfmul_modulus *x)
{
    if (!x)
        return;
    ctx_runners_settle(x->ctx); /* an abandoned call may use it */
    modulus_end(x->ctx, NULL, &x->modulus);
    alloc_free(x->memory);
    alloc_free(x);
}

enum gfmul_status gfmul_modulus_powm(const struct gfmul_modulus *modulus, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                     const mp_limb_t *e, size_t en)
{
    if (!modulus)
        return GFMUL_ERR_ARGUMENT;
    const struct power_arguments of = {modulus, z, a, e, modulus->modulus.m, an, en, modulus->modulus.n};
    return call_run(modulus->ctx, &(struct call_work)CALL_WORK(power_checked, &of, power_limbs(of.mn, en)));
}

/* ---- mpz_t ---- */

struct mpz_power_arguments {
    const struct gfmul_modulus *modulus; /* or NULL: m */
    mpz_ptr z;
    mpz_srcptr a, e, m;
};

/* mpz_power - z = a^|e| modulo the numbers' modulus, with its limbs in new memory. */
static enum gfmul_status mpz_power(struct call *call, const struct mpz_power_arguments *x, struct power_arguments *of,
                                   mpz_srcptr a)
{
    mpz_t z;
    TRY(mul_mpz_begin(call, z, of->mn));
    of->z = mpz_limbs_write(z, (mp_size_t)of->mn);
    of->a = mpz_limbs_read(a);
    of->an = mpz_size(a);
    const enum gfmul_status status = power_of(call, of);
    if (status == GFMUL_OK && mpz_sgn(a) < 0 && mpz_odd_p(x->e) && limbs_normal_size(of->z, of->mn) > 0)
        mpn_sub_n(of->z, of->m, of->z, (mp_size_t)of->mn);
    mul_mpz_end(call, x->z, z, of->mn, false, status);
    return status;
}

static enum gfmul_status mpz_power_checked(struct call *call, const void *arguments)
{
    const struct mpz_power_arguments *x = arguments;
    if (!x->z || !x->a || !x->e || (!x->modulus && !x->m))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "an integer is NULL");
    struct power_arguments of = {.modulus = x->modulus, .e = mpz_limbs_read(x->e), .en = mpz_size(x->e)};
    of.m = x->modulus ? x->modulus->modulus.m : mpz_limbs_read(x->m);
    of.mn = x->modulus ? x->modulus->modulus.n : mpz_size(x->m);
    if (of.mn == 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the modulus is 0");
    if (mpz_sgn(x->e) >= 0)
        return mpz_power(call, x, &of, x->a);
    mpz_t inverse, m;
    TRY(mul_mpz_begin(call, inverse, of.mn + 1));
    enum gfmul_status status = GFMUL_OK;
    if (!mpz_invert(inverse, x->a, mpz_roinit_n(m, of.m, (mp_size_t)of.mn)))
        status = call_fail(call, GFMUL_ERR_ARGUMENT, "the number has no inverse modulo the modulus");
    if (status == GFMUL_OK)
        status = mpz_power(call, x, &of, inverse);
    mul_mpz_end(call, NULL, inverse, of.mn + 1, false, GFMUL_ERR_INTERNAL);
    return status;
}

enum gfmul_status gfmul_mpz_powm(struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, mpz_srcptr e, mpz_srcptr m)
{
    const struct mpz_power_arguments of = {NULL, z, a, e, m};
    const size_t limbs = m && e ? power_limbs(mpz_size(m), mpz_size(e)) : 0;
    return call_run(ctx, &(struct call_work)CALL_WORK(mpz_power_checked, &of, limbs));
}

enum gfmul_status gfmul_modulus_mpz_powm(const struct gfmul_modulus *modulus, mpz_ptr z, mpz_srcptr a, mpz_srcptr e)
{
    if (!modulus)
        return GFMUL_ERR_ARGUMENT;
    const struct mpz_power_arguments of = {modulus, z, a, e, NULL};
    const size_t limbs = power_limbs(modulus->modulus.n, e ? mpz_size(e) : 0);
    return call_run(modulus->ctx, &(struct call_work)CALL_WORK(mpz_power_checked, &of, limbs));
}
