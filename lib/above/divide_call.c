/*
 * divide_call.c - the public functions for quotients: of limbs, of mpz_t, exact ones, and by a divisor that is used many times.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <limits.h>
#include <string.h>

#include "above/divide.h"
#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/mul.h"

struct gfmul_divisor {
    struct gfmul_ctx *ctx;
    struct divider divider;
    mp_limb_t *memory; /* the divider's */
    mp_limb_t *d;      /* the divisor as it was given, after the divider's memory */
    bool negative;     /* of the mpz_t that it was made from */
    size_t bytes;
};

/* The numbers of one quotient. */
struct quotient_arguments {
    const struct gfmul_divisor *divisor; /* or NULL: d */
    mp_limb_t *q, *r;                    /* r NULL: not wanted, or 0 */
    const mp_limb_t *a, *d;
    size_t an, dn;
};

static enum gfmul_status quotient_check(struct call *call, const struct quotient_arguments *of)
{
    const size_t an = of->an, dn = of->dn, qn = an - dn + 1;
    if (!of->q || !of->a || !of->d)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a pointer to limbs is NULL");
    if (dn == 0 || an < dn || of->d[dn - 1] == 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a quotient needs an >= dn >= 1, and a divisor whose highest limb is not 0");
    if (an >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", an);
    const size_t rn = of->r ? dn : 0;
    if (limbs_overlap(of->q, qn, of->a, an) || limbs_overlap(of->q, qn, of->d, dn) || limbs_overlap(of->r, rn, of->a, an) ||
        limbs_overlap(of->r, rn, of->d, dn) || limbs_overlap(of->q, qn, of->r, rn))
        return call_fail(call, GFMUL_ERR_OVERLAP, "a result overlaps an operand or the other result");
    return GFMUL_OK;
}

/* ---- quotient and remainder ---- */

/* division_of - the division that has been made.   exact in: without a remainder */
static struct division division_of(const struct quotient_arguments *of, bool exact)
{
    return (struct division){{of->a, of->an}, {of->q, of->an - of->dn + 1}, {of->d, of->dn}, {of->r, exact ? 0 : of->dn}};
}

/* quotient - make q and r within a call, and check them as the options say. */
static enum gfmul_status quotient(struct call *call, const struct quotient_arguments *of)
{
    const struct gfmul_divisor *divisor = of->divisor;
    const size_t an = of->an, dn = of->dn, qn = an - dn + 1;
    const struct division made = division_of(of, false);
    phase_enter(&call->clock, PHASE_TRANSFORM);
    if (!divisor) {
        TRY(divide_once(call, of->q, of->r, of->a, an, of->d, dn));
        return divide_pays(call, qn, dn) ? divide_check(call, &made) : GFMUL_OK;
    }
    call->reserved = divisor->bytes;
    if (!divide_pays(call, qn, dn)) {
        mpn_tdiv_qr(of->q, of->r, 0, of->a, (mp_size_t)an, of->d, (mp_size_t)dn);
        return GFMUL_OK;
    }
    TRY(divide(call, &divisor->divider, of->q, of->r, of->a, an));
    return divisor->divider.m > 0 ? divide_check(call, &made) : GFMUL_OK;
}

/* quotient_checked - the same, with checks of the arguments; if r is not wanted, a buffer holds it. */
static enum gfmul_status quotient_checked(struct call *call, const void *arguments)
{
    struct quotient_arguments of = *(const struct quotient_arguments *)arguments;
    void *rest = NULL;
    TRY(quotient_check(call, &of));
    if (!of.r) {
        TRY(ctx_buffer_get(call, of.dn * sizeof *of.r, &rest));
        of.r = rest;
    }
    const enum gfmul_status status = quotient(call, &of);
    ctx_buffer_put(call, rest);
    return status;
}

enum gfmul_status gfmul_tdiv_qr(struct gfmul_ctx *ctx, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a, size_t an,
                                const mp_limb_t *d, size_t dn)
{
    const struct quotient_arguments of = {NULL, q, r, a, d, an, dn};
    return call_run(ctx, &(struct call_work)CALL_WORK(quotient_checked, &of, an));
}

/* ---- exact quotients ---- */

static enum gfmul_status not_exact(struct call *call)
{
    return call_fail(call, GFMUL_ERR_ARGUMENT, "the divisor does not divide the number");
}

/* inverse_of_odd - 1 / d modulo 2^64. */
static mp_limb_t inverse_of_odd(mp_limb_t d)
{
    mp_limb_t x = d; /* 3 bits */
    for (unsigned i = 0; i < 5; i++)
        x *= 2 - d * x;
    return x;
}

/* limb_at - the 64 bits of a from this bit on. */
static mp_limb_t limb_at(const mp_limb_t *a, size_t an, size_t bit)
{
    const size_t i = bit / 64, left = bit % 64;
    const mp_limb_t low = i < an ? a[i] : 0, high = i + 1 < an ? a[i + 1] : 0;
    return left == 0 ? low : low >> left | high << (64 - left);
}

/* round_exact - correct q, which is off by at most 1, by its value modulo 2^64.   Errors: ARGUMENT: there is a remainder. */
static enum gfmul_status round_exact(struct call *call, mp_limb_t *q, size_t qn, const mp_limb_t *a, size_t an,
                                     const mp_limb_t *d, size_t dn)
{
    const size_t low = mpn_scan1(d, 0);
    const mp_limb_t off = q[0] - limb_at(a, an, low) * inverse_of_odd(limb_at(d, dn, low));
    if (off == 1)
        mpn_sub_1(q, q, (mp_size_t)qn, 1);
    else if (off == ~(mp_limb_t)0)
        mpn_add_1(q, q, (mp_size_t)qn, 1);
    else if (off != 0)
        return not_exact(call);
    return GFMUL_OK;
}

/* exact_by_inverse - make the quotient from the highest limbs: qn + 2 limbs of the divisor determine it to within 1. */
static enum gfmul_status exact_by_inverse(struct call *call, const struct quotient_arguments *of)
{
    const size_t qn = of->an - of->dn + 1, cut = of->dn > qn + 2 ? of->dn - (qn + 2) : 0;
    const mp_limb_t *a = of->a + cut, *d = of->d + cut;
    const size_t an = of->an - cut, dn = of->dn - cut, m = divider_block(qn, dn, false);
    struct divider x;
    void *memory;
    TRY(ctx_buffer_get(call, divider_limbs(dn, m) * sizeof *d, &memory));
    enum gfmul_status status = divider_begin(call, &x, d, dn, m, memory, NULL);
    if (status == GFMUL_OK)
        status = divide(call, &x, of->q, NULL, a, an);
    divider_end(call->ctx, call, &x);
    ctx_buffer_put(call, memory);
    TRY(status);
    TRY(round_exact(call, of->q, qn, of->a, of->an, of->d, of->dn));
    const struct division made = division_of(of, true);
    status = divide_check(call, &made);
    return status == GFMUL_ERR_VERIFY ? not_exact(call) : status;
}

static enum gfmul_status exact_checked(struct call *call, const void *arguments)
{
    const struct quotient_arguments *of = arguments;
    TRY(quotient_check(call, of));
    phase_enter(&call->clock, PHASE_TRANSFORM);
    if (divide_pays(call, of->an - of->dn + 1, of->an - of->dn + 3) && divide_pays(call, of->an - of->dn + 1, of->dn))
        return exact_by_inverse(call, of);
    if (of->an > INT_MAX)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many for a quotient of %zu", of->an, of->an - of->dn + 1);
    mpz_t q, a, d;
    const size_t qn = of->an - of->dn + 1;
    TRY(mul_mpz_begin(call, q, qn));
    mpz_divexact(q, mpz_roinit_n(a, of->a, (mp_size_t)of->an), mpz_roinit_n(d, of->d, (mp_size_t)of->dn));
    const size_t used = mpz_size(q);
    memset(of->q, 0, qn * sizeof *of->q);
    memcpy(of->q, mpz_limbs_read(q), (used < qn ? used : qn) * sizeof *of->q);
    mpz_clear(q);
    call->allocated -= qn * sizeof *of->q;
    return GFMUL_OK;
}

enum gfmul_status gfmul_divexact(struct gfmul_ctx *ctx, mp_limb_t *q, const mp_limb_t *a, size_t an, const mp_limb_t *d,
                                 size_t dn)
{
    const struct quotient_arguments of = {NULL, q, NULL, a, d, an, dn};
    return call_run(ctx, &(struct call_work)CALL_WORK(exact_checked, &of, an));
}

/* ---- approximate inverses ---- */

static enum gfmul_status invert_checked(struct call *call, const void *arguments)
{
    const struct quotient_arguments *of = arguments;
    const size_t n = of->dn;
    if (!of->q || !of->d || n == 0 || !(of->d[n - 1] >> 63))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "an inverse needs a divisor whose highest bit is 1");
    if (n >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", n);
    if (limbs_overlap(of->q, n + 1, of->d, n))
        return call_fail(call, GFMUL_ERR_OVERLAP, "the inverse overlaps the divisor");
    phase_enter(&call->clock, PHASE_TRANSFORM);
    return invert(call, of->q, of->d, n, NULL);
}

enum gfmul_status gfmul_invert_approx(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *d, size_t n)
{
    const struct quotient_arguments of = {NULL, z, NULL, NULL, d, 0, n};
    return call_run(ctx, &(struct call_work)CALL_WORK(invert_checked, &of, n));
}

/* ---- a divisor that is used many times ---- */

struct divisor_arguments {
    struct gfmul_divisor **result;
    const mp_limb_t *d;
    size_t dn, max_an;
    bool negative;
};

static enum gfmul_status divisor_fill(struct call *call, struct gfmul_divisor *x, const struct divisor_arguments *of)
{
    const size_t dn = of->dn, qn = of->max_an > dn ? of->max_an - dn + 1 : 1;
    const size_t m = divide_pays(call, qn, dn) ? divider_block(qn + 1, dn, true) : 0, limbs = divider_limbs(dn, m) + dn;
    x->bytes = limbs * sizeof *of->d;
    if (!(x->memory = ctx_memory_take(call, x->bytes, NULL)))
        return GFMUL_ERR_MEMORY;
    call->reserved = x->bytes;
    x->d = x->memory + limbs - dn;
    memcpy(x->d, of->d, dn * sizeof *x->d);
    const enum gfmul_status status = divider_begin(call, &x->divider, x->d, dn, m, x->memory, NULL);
    x->bytes += divider_bytes(&x->divider);
    return status;
}

static enum gfmul_status divisor_checked(struct call *call, const void *arguments)
{
    const struct divisor_arguments *of = arguments;
    if (!of->result || !of->d || of->dn == 0 || of->d[of->dn - 1] == 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a divisor needs a place, and limbs of which the highest is not 0");
    if (of->dn >= MUL_LIMBS_END || of->max_an >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu and %zu limbs are too many", of->max_an, of->dn);
    struct gfmul_divisor *x = alloc_zeroed(sizeof *x);
    if (!x)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a divisor");
    x->ctx = call->ctx;
    x->negative = of->negative;
    phase_enter(&call->clock, PHASE_TRANSFORM);
    const enum gfmul_status status = divisor_fill(call, x, of);
    if (status == GFMUL_OK)
        *of->result = x;
    else
        gfmul_divisor_destroy(x);
    return status;
}

enum gfmul_status gfmul_divisor_create(struct gfmul_ctx *ctx, struct gfmul_divisor **divisor, const mp_limb_t *d, size_t dn,
                                       size_t max_an)
{
    const struct divisor_arguments of = {divisor, d, dn, max_an, false};
    if (divisor)
        *divisor = NULL;
    return call_run(ctx, &(struct call_work)CALL_WORK(divisor_checked, &of, dn));
}

enum gfmul_status gfmul_divisor_create_mpz(struct gfmul_ctx *ctx, struct gfmul_divisor **divisor, mpz_srcptr d, size_t max_an)
{
    const struct divisor_arguments of = {divisor, d ? mpz_limbs_read(d) : NULL, d ? mpz_size(d) : 0, max_an, d && mpz_sgn(d) < 0};
    if (divisor)
        *divisor = NULL;
    return call_run(ctx, &(struct call_work)CALL_WORK(divisor_checked, &of, of.dn));
}

void gfmul_divisor_destroy(struct gfmul_divisor *x)
{
    if (!x)
        return;
    ctx_runners_settle(x->ctx); /* an abandoned call may use it */
    divider_end(x->ctx, NULL, &x->divider);
    alloc_free(x->memory);
    alloc_free(x);
}

enum gfmul_status gfmul_divisor_tdiv_qr(const struct gfmul_divisor *divisor, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a,
                                        size_t an)
{
    if (!divisor)
        return GFMUL_ERR_ARGUMENT;
    const struct quotient_arguments of = {divisor, q, r, a, divisor->d, an, divisor->divider.n};
    return call_run(divisor->ctx, &(struct call_work)CALL_WORK(quotient_checked, &of, an));
}

/* ---- mpz_t ---- */

struct mpz_quotient_arguments {
    const struct gfmul_divisor *divisor; /* or NULL: d */
    mpz_ptr q, r;                        /* NULL: not wanted; r is NULL for exact quotients */
    mpz_srcptr a, d;
    bool exact;
};

/* mpz_quotient - the quotient of longer numbers, with both results in new limbs. */
static enum gfmul_status mpz_quotient(struct call *call, const struct mpz_quotient_arguments *x, struct quotient_arguments *of,
                                      bool negative_d)
{
    const bool negative_a = mpz_sgn(x->a) < 0;
    const size_t qn = of->an - of->dn + 1, dn = of->dn;
    mpz_t q, r;
    TRY(mul_mpz_begin(call, q, qn));
    enum gfmul_status status = mul_mpz_begin(call, r, dn);
    if (status != GFMUL_OK) {
        mul_mpz_end(call, NULL, q, qn, false, status);
        return status;
    }
    of->q = mpz_limbs_write(q, (mp_size_t)qn);
    of->r = mpz_limbs_write(r, (mp_size_t)dn);
    status = x->exact ? exact_checked(call, &(struct quotient_arguments){NULL, of->q, NULL, of->a, of->d, of->an, dn})
                      : quotient(call, of);
    if (x->exact && status == GFMUL_OK)
        memset(of->r, 0, dn * sizeof *of->r);
    mpz_t ignored_q, ignored_r;
    mpz_init(ignored_q);
    mpz_init(ignored_r);
    mul_mpz_end(call, x->q ? x->q : ignored_q, q, qn, negative_a != negative_d, status);
    mul_mpz_end(call, x->r ? x->r : ignored_r, r, dn, negative_a, status);
    mpz_clear(ignored_q);
    mpz_clear(ignored_r);
    return status;
}

static enum gfmul_status mpz_quotient_checked(struct call *call, const void *arguments)
{
    const struct mpz_quotient_arguments *x = arguments;
    if (!x->a || (!x->q && !x->r) || (!x->divisor && !x->d))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "an integer is NULL");
    if (x->q == x->r)
        return call_fail(call, GFMUL_ERR_OVERLAP, "quotient and remainder are the same integer");
    struct quotient_arguments of = {.divisor = x->divisor, .a = mpz_limbs_read(x->a), .an = mpz_size(x->a)};
    of.d = x->divisor ? x->divisor->d : mpz_limbs_read(x->d);
    of.dn = x->divisor ? x->divisor->divider.n : mpz_size(x->d);
    const bool negative_d = x->divisor ? x->divisor->negative : mpz_sgn(x->d) < 0;
    if (of.dn == 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the divisor is 0");
    if (of.an < of.dn) {
        if (x->exact && of.an > 0)
            return not_exact(call);
        if (x->r)
            mpz_set(x->r, x->a);
        if (x->q)
            mpz_set_ui(x->q, 0);
        return GFMUL_OK;
    }
    return mpz_quotient(call, x, &of, negative_d);
}

static enum gfmul_status mpz_quotient_run(struct gfmul_ctx *ctx, const struct mpz_quotient_arguments *of)
{
    const size_t limbs = of->a ? mpz_size(of->a) : 0;
    return call_run(ctx, &(struct call_work)CALL_WORK(mpz_quotient_checked, of, limbs));
}

enum gfmul_status gfmul_mpz_tdiv_qr(struct gfmul_ctx *ctx, mpz_ptr q, mpz_ptr r, mpz_srcptr a, mpz_srcptr d)
{
    return mpz_quotient_run(ctx, &(struct mpz_quotient_arguments){NULL, q, r, a, d, false});
}

enum gfmul_status gfmul_mpz_divexact(struct gfmul_ctx *ctx, mpz_ptr q, mpz_srcptr a, mpz_srcptr d)
{
    return mpz_quotient_run(ctx, &(struct mpz_quotient_arguments){NULL, q, NULL, a, d, true});
}

enum gfmul_status gfmul_divisor_mpz_tdiv_qr(const struct gfmul_divisor *divisor, mpz_ptr q, mpz_ptr r, mpz_srcptr a)
{
    if (!divisor)
        return GFMUL_ERR_ARGUMENT;
    return mpz_quotient_run(divisor->ctx, &(struct mpz_quotient_arguments){divisor, q, r, a, NULL, false});
}
