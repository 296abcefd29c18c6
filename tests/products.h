/*
 * products.h - products of limbs by one or more contexts, compared with GMP's.
 */
#ifndef GFMUL_PRODUCTS_H
#define GFMUL_PRODUCTS_H

#include <stdio.h>
#include <stdlib.h>

#include "contexts.h"
#include "guard.h"
#include "operands.h"
#include "plan/plan.h"
#include "plan/plan_names.h"
#include "reference.h"
#include "test.h"

struct product_ctx {
    struct gfmul_ctx *ctx;
    char name[64];
};

/* product_ctx_create - a context; the product is not verified by the library, so that this program sees what is wrong. */
TEST_UNUSED static struct product_ctx product_ctx_create(enum gfmul_engine engine, unsigned threads, enum gfmul_packing packing,
                                                         enum gfmul_verify verify)
{
    static const char *const engines[] = {"auto", "cpu", "opencl", "fftw", "gmp"};
    struct product_ctx c;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = engine;
    opt.threads = threads;
    opt.packing = packing;
    opt.verify = verify;
    snprintf(c.name, sizeof c.name, "engine %s, packing %s, %u threads%s", engines[engine], plan_packing_name(packing), threads,
             verify == GFMUL_VERIFY_NONE ? "" : ", verified");
    test_note("%s", c.name);
    c.ctx = test_ctx(&opt);
    return c;
}

/* product_ctx_primes - a context of precision prime on the CPU.   memory_limit 0: none;  progress NULL: none */
TEST_UNUSED static struct product_ctx product_ctx_primes(unsigned threads, size_t memory_limit,
                                                         int (*progress)(void *arg, double done), void *arg)
{
    struct product_ctx c;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.precision = GFMUL_PRECISION_PRIME;
    opt.threads = threads;
    opt.memory_limit = memory_limit;
    opt.progress = progress;
    opt.progress_arg = arg;
    snprintf(c.name, sizeof c.name, "primes, %u threads", threads);
    test_note("%s, limit %zu", c.name, memory_limit);
    c.ctx = test_ctx(&opt);
    return c;
}

/* ctx_limited_by - the CPU, one thread, with a limit of memory in bytes; 0: none.   ctx_limited - of rule NORM. */
TEST_UNUSED static struct gfmul_ctx *ctx_limited_by(enum gfmul_rule rule, size_t limit, enum gfmul_verify verify)
{
    return TEST_CTX(.engine = GFMUL_ENGINE_CPU, .threads = 1, .rule = rule, .memory_limit = limit, .verify = verify);
}

TEST_UNUSED static struct gfmul_ctx *ctx_limited(size_t limit, enum gfmul_verify verify)
{
    return ctx_limited_by(GFMUL_RULE_NORM, limit, verify);
}

TEST_UNUSED static void product_ctx_destroy(struct product_ctx *c)
{
    gfmul_ctx_destroy(c->ctx);
    c->ctx = NULL;
}

TEST_UNUSED static struct gfmul_report report_of(const struct product_ctx *c)
{
    struct gfmul_report report;
    gfmul_ctx_report(c->ctx, &report);
    return report;
}

/* report_checked - what a report of rule checked has to say on any engine, after so many plans that were given up at most. */
TEST_UNUSED static void report_checked(const struct gfmul_report *r, unsigned most_fallbacks)
{
    TEST_CHECK(r->residue_prime != 0);
    TEST_CHECK_MSG(r->max_error < 0.5, "error %g", r->max_error);
    if (strcmp(r->plan.rule, "checked") == 0)
        TEST_CHECK_MSG(!r->plan.proved && !r->plan.norms_measured && r->max_error < CHECKED_ERROR_LIMIT, "error %g",
                       r->max_error);
    else
        TEST_CHECK(r->plan.proved && r->n_fallbacks > 0 && strcmp(r->plan.rule, "norm") == 0);
    TEST_CHECK(r->n_fallbacks <= most_fallbacks && r->detail[0] == '\0');
}

/*
 * product_check - a * b by each of n contexts against GMP's product; a == b and an == bn is a square.
 *
 * Returns true where all agree.  z lies before a guard page; the error met must lie below the bound proved.
 */
TEST_UNUSED static bool product_check(const struct product_ctx *c, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                                      size_t bn, const char *what)
{
    bool good = true;
    size_t zn = an + bn;
    mp_limb_t *want = test_alloc(zn * sizeof *want);
    ref_mul_gmp(want, a, an, b, bn);
    for (size_t i = 0; i < n; i++) {
        struct guard g = guard_create(zn * sizeof *want, GUARD_AFTER);
        struct gfmul_report report;
        test_note("%s; %s an=%zu bn=%zu%s", c[i].name, what, an, bn, a == b ? " (square)" : "");
        enum gfmul_status status = gfmul_mul(c[i].ctx, g.p, a, an, b, bn);
        gfmul_ctx_report(c[i].ctx, &report);
        test_plan(&report.plan);
        bool same = TEST_OK(status) && test_equal_limbs(g.p, want, zn);
        same = TEST_CHECK_MSG(guard_intact(&g), "written before z") && same;
        if (status == GFMUL_OK && report.plan.proved)
            same = test_proved(&report) && same;
        if (status == GFMUL_OK && a == b && an == bn) {
            memset(g.p, 0x5a, zn * sizeof *want);
            same = TEST_OK(gfmul_sqr(c[i].ctx, g.p, a, an)) && test_equal_limbs(g.p, want, zn) && same;
        }
        good = good && same;
        guard_destroy(&g);
        test_plan_set(NULL, NULL);
    }
    free(want);
    return good;
}

/* product_random - operands of two kinds, random where these are OPERAND_KINDS; b of size 0 kind ignored where square. */
TEST_UNUSED static bool product_random(const struct product_ctx *c, size_t n, size_t an, size_t bn, enum operand_kind ak,
                                       enum operand_kind bk, unsigned digit_bits, bool square)
{
    if (ak == OPERAND_KINDS)
        ak = test_u64() & 1 ? OPERAND_RANDOM : (enum operand_kind)test_below(OPERAND_KINDS);
    if (bk == OPERAND_KINDS)
        bk = test_u64() & 1 ? OPERAND_RANDOM : (enum operand_kind)test_below(OPERAND_KINDS);
    uint64_t a_seed = test_u64(), b_seed = test_u64();
    char what[128];
    mp_limb_t *a = test_alloc(an * sizeof *a), *b = square ? a : test_alloc(bn * sizeof *b);
    operand_fill(a, an, ak, digit_bits, a_seed);
    if (!square)
        operand_fill(b, bn, bk, digit_bits, b_seed);
    else
        bn = an;
    snprintf(what, sizeof what, "a %s/%" PRIu64 " b %s/%" PRIu64 " digit bits %u", operand_name(ak), a_seed,
             square ? "= a" : operand_name(bk), b_seed, digit_bits);
    bool good = product_check(c, n, a, an, b, bn, what);
    if (!square)
        free(b);
    free(a);
    return good;
}

/* product_digit_bits - l of the plan that a context would run; 12 where it would run GMP. */
TEST_UNUSED static unsigned product_digit_bits(const struct product_ctx *c, size_t an, size_t bn)
{
    struct gfmul_plan_info info;
    if (an == 0 || bn == 0 || gfmul_plan_limbs(c->ctx, &info, an, bn) != GFMUL_OK || info.base != 2 || info.exponent == 0 ||
        info.exponent > 30)
        return 12;
    return info.exponent;
}

#endif
