/*
 * fuzz_mul.c - fuzz target: products of limbs and of integers, in every way of gfmul.h, against GMP's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fuzz.h"

#include "../reference.h"

enum { CONTEXTS = 24, LIMBS = 400, MANY_LIMBS = 5000 };

/* Contexts are kept: making them takes longer than short products. */
static struct kept {
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
} kept[CONTEXTS];

/* context_get - a context of these options; NULL: they do not fit together. */
static struct gfmul_ctx *context_get(const struct gfmul_options *opt)
{
    static unsigned next;
    for (unsigned i = 0; i < CONTEXTS; i++)
        if (kept[i].ctx != NULL && memcmp(&kept[i].opt, opt, sizeof *opt) == 0)
            return kept[i].ctx;
    struct gfmul_ctx *ctx;
    const enum gfmul_status status = gfmul_ctx_create(&ctx, opt);
    if (status != GFMUL_OK) {
        FUZZ_CHECK(status == GFMUL_ERR_UNSUPPORTED && ctx == NULL, "%s", gfmul_strerror(status));
        return NULL;
    }
    struct kept *k = &kept[next++ % CONTEXTS];
    gfmul_ctx_destroy(k->ctx);
    *k = (struct kept){*opt, ctx};
    return ctx;
}

/* The product under way. */
struct operands {
    mp_limb_t *a, *b, *want; /* b may be a */
    size_t an, bn;
    bool knuth; /* its rule may admit no plan */
};

/* refused - whether there was no product for want of precision, which the rule may say. */
static bool refused(const struct operands *o, enum gfmul_status status)
{
    return o->knuth && status == GFMUL_ERR_PRECISION;
}

static void equal(const struct operands *o, enum gfmul_status status, const mp_limb_t *z, const char *what)
{
    if (refused(o, status))
        return;
    FUZZ_CHECK(status == GFMUL_OK, "%s: %s", what, gfmul_strerror(status));
    for (size_t i = 0; i < o->an + o->bn; i++)
        FUZZ_CHECK(z[i] == o->want[i], "%s: limb %zu of %zu + %zu", what, i, o->an, o->bn);
}

/* report_check - what a report says of a product that is right. */
static void report_check(struct gfmul_ctx *ctx)
{
    struct gfmul_report r;
    gfmul_ctx_report(ctx, &r);
    if (r.status == GFMUL_ERR_PRECISION)
        return;
    FUZZ_CHECK(r.status == GFMUL_OK && r.error_operand == -1 && r.detail[0] == '\0', "%s", r.detail);
    FUZZ_CHECK(r.max_error >= 0 && r.max_error < 0.5, "distance %g", r.max_error);
    FUZZ_CHECK(!r.plan.proved || !r.plan.norms_measured ||
                   r.plan.bound + (r.plan.n_slices <= 1 && !r.plan.wraps ? r.max_error : 0) < 1,
               "bound %g, distance %g", r.plan.bound, r.max_error);
}

/* by_mpz - z = a b with signs, z one of the operands or neither. */
static void by_mpz(struct gfmul_ctx *ctx, const struct operands *o, unsigned how)
{
    mpz_t a, b, z, want;
    mpz_inits(a, b, z, want, NULL);
    mpz_import(a, o->an, -1, sizeof(mp_limb_t), 0, 0, o->a);
    mpz_import(b, o->bn, -1, sizeof(mp_limb_t), 0, 0, o->b);
    if (how & 1)
        mpz_neg(a, a);
    if (how & 2)
        mpz_neg(b, b);
    mpz_ptr to = (how >> 2 & 3) == 0 ? z : (how >> 2 & 3) == 1 ? a : b, second = how & 16 ? a : b;
    mpz_mul(want, a, second);
    enum gfmul_status status;
    if (how & 32) {
        struct gfmul_operand *op;
        status = gfmul_operand_create_mpz(ctx, &op, second, how & 64 ? mpz_size(a) : 1);
        if (status == GFMUL_OK)
            status = gfmul_operand_mul_mpz(op, to, a);
        gfmul_operand_destroy(op);
    } else {
        status = gfmul_mpz_mul(ctx, to, a, second);
    }
    FUZZ_CHECK(refused(o, status) || (status == GFMUL_OK && mpz_cmp(to, want) == 0), "%s, way %u", gfmul_strerror(status), how);
    mpz_clears(a, b, z, want, NULL);
}

/* by_operand - b fixed, for operands of max_an limbs, times a, and times a part of it. */
static void by_operand(struct gfmul_ctx *ctx, struct operands *o, mp_limb_t *z, size_t max_an, size_t part)
{
    struct gfmul_operand *op;
    enum gfmul_status status = gfmul_operand_create(ctx, &op, o->b, o->bn, max_an);
    if (refused(o, status))
        return;
    FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
    status = gfmul_operand_mul(op, z, o->a, o->an);
    equal(o, status, z, "fixed operand");
    o->an = part;
    ref_mul_gmp(o->want, o->a, o->an, o->b, o->bn);
    status = gfmul_operand_mul(op, z, o->a, o->an);
    equal(o, status, z, "fixed operand, a part");
    gfmul_operand_destroy(op);
}

static void by_job(struct gfmul_ctx *ctx, const struct operands *o, mp_limb_t *z)
{
    struct gfmul_job *job[2] = {NULL, NULL};
    mp_limb_t *y = fuzz_alloc((o->an + o->bn) * sizeof *y);
    enum gfmul_status status = gfmul_mul_async(ctx, &job[0], z, o->a, o->an, o->b, o->bn);
    FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
    status = gfmul_mul_async(ctx, &job[1], y, o->b, o->bn, o->a, o->an);
    FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
    status = gfmul_job_wait(job[0], NULL);
    equal(o, status, z, "job");
    status = gfmul_job_wait(job[1], NULL);
    equal(o, status, y, "second job");
    free(y);
}

static int stop_after(void *arg, double done)
{
    unsigned *left = arg;
    FUZZ_CHECK(done >= 0 && done <= 1, "progress %g", done);
    return *left == 0 || --*left == 0;
}

/* in_need - with failing allocations, little memory or a callback that stops: right, or the error that belongs to it. */
static void in_need(struct fuzz_input *in, struct gfmul_options *opt, const struct operands *o, mp_limb_t *z, unsigned what)
{
    unsigned left = 1 + (unsigned)fuzz_below(in, 64);
    const enum gfmul_status expected = what == 2 ? GFMUL_ERR_INTERRUPTED : GFMUL_ERR_MEMORY;
    struct gfmul_ctx *ctx;
    if (what == 1)
        opt->memory_limit = 1 + (size_t)fuzz_below(in, 1 << 20);
    if (what == 2) {
        opt->progress = stop_after;
        opt->progress_arg = &left;
    }
    if (what == 0)
        alloc_fail_after((long)left);
    enum gfmul_status status = gfmul_ctx_create(&ctx, opt);
    if (status == GFMUL_OK)
        status = gfmul_mul(ctx, z, o->a, o->an, o->b, o->bn);
    alloc_fail_after(-1);
    FUZZ_CHECK(status == GFMUL_OK || status == expected || refused(o, status) ||
                   (ctx == NULL && status == GFMUL_ERR_UNSUPPORTED),
               "%s instead of %s", gfmul_strerror(status), gfmul_strerror(expected));
    if (ctx != NULL && status == GFMUL_OK)
        equal(o, status, z, "in need");
    if (ctx != NULL) { /* and it goes on */
        const unsigned never = 1u << 30;
        left = never;
        status = gfmul_mul(ctx, z, o->a, o->an, o->b, o->bn);
        if (what != 1 || status == GFMUL_OK)
            equal(o, status, z, "afterwards");
        else
            FUZZ_CHECK(status == GFMUL_ERR_MEMORY || refused(o, status), "%s", gfmul_strerror(status));
    }
    gfmul_ctx_destroy(ctx);
}

/* overlap - z over a part of an operand is refused, and nothing is written. */
static void overlap(struct gfmul_ctx *ctx, const struct operands *o, size_t at)
{
    const size_t zn = o->an + o->bn;
    if (o->an == 0 || o->bn == 0)
        return;
    at %= zn + o->an - 1; /* a begins between z - an + 1 and z + zn - 1 */
    mp_limb_t *m = fuzz_alloc((zn + 2 * o->an) * sizeof *m), *z = m + o->an, *a = m + 1 + at;
    memcpy(a, o->a, o->an * sizeof *a);
    enum gfmul_status status = gfmul_mul(ctx, z, a, o->an, o->b, o->bn);
    FUZZ_CHECK(status == GFMUL_ERR_OVERLAP, "%s", gfmul_strerror(status));
    status = gfmul_mul(ctx, z, o->b, o->bn, a, o->an);
    FUZZ_CHECK(status == GFMUL_ERR_OVERLAP && memcmp(a, o->a, o->an * sizeof *a) == 0, "%s", gfmul_strerror(status));
    free(m);
}

void fuzz_mul(struct fuzz_input *in)
{
    struct gfmul_options opt;
    memset(&opt, 0, sizeof opt);
    fuzz_choices(in, &opt);
    const unsigned way = (unsigned)fuzz_below(in, 16), how = fuzz_u8(in);
    const bool square = fuzz_below(in, 8) == 0;
    const size_t most = how == 255 ? MANY_LIMBS : LIMBS;
    struct operands o = {.knuth = opt.rule == GFMUL_RULE_KNUTH};
    o.an = fuzz_size(in, most + 1) - 1;
    o.bn = fuzz_size(in, most + 1) - 1;
    struct gfmul_ctx *ctx = way == 15 ? NULL : context_get(&opt);
    if (ctx == NULL && way != 15)
        return;
    o.a = fuzz_limbs(in, o.an);
    o.b = square ? o.a : fuzz_limbs(in, o.bn);
    o.bn = square ? o.an : o.bn;
    o.want = fuzz_alloc((o.an + o.bn) * sizeof *o.want);
    ref_mul_gmp(o.want, o.a, o.an, o.b, o.bn);
    mp_limb_t *z = fuzz_alloc((o.an + o.bn) * sizeof *z);
    switch (way) {
    case 0:
    case 1:
    case 2:
        by_mpz(ctx, &o, how);
        break;
    case 3:
    case 4:
        by_operand(ctx, &o, z, how % 4 == 0 ? o.an : 1 + how % (o.an + 1), how * o.an / 256);
        break;
    case 5:
        by_job(ctx, &o, z);
        break;
    case 6:
    case 7:
    case 8:
        in_need(in, &opt, &o, z, way - 6);
        break;
    case 9:
        overlap(ctx, &o, fuzz_below(in, 1 << 14));
        break;
    case 10:
        gfmul_ctx_trim(ctx);
        equal(&o, gfmul_mul_inline(ctx, z, o.a, o.an, o.b, o.bn), z, "inline");
        break;
    case 11:
        if (square) {
            equal(&o, gfmul_sqr(ctx, z, o.a, o.an), z, "square");
            break;
        }
        /* fall through */
    default:
        equal(&o, gfmul_mul(ctx, z, o.a, o.an, o.b, o.bn), z, "product");
        report_check(ctx);
    }
    free(z);
    free(o.want);
    if (!square)
        free(o.b);
    free(o.a);
}
