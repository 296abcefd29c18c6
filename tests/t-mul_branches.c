/* t-mul_branches.c - products under a memory limit that the plain plan does not fit: b's transform in branches, against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/cpu.h"
#include "mul/ctx.h"
#include "plan/plan_twiddle.h"
#include "products.h"
#include "progress_often.h"

/* Small operands are in branches without being asked, and strips and rows are other parts of the whole. */
#ifdef GFMUL_MIN_THRESHOLDS
static const bool usual_thresholds = false;
#else
static const bool usual_thresholds = true;
#endif

static struct gfmul_ctx *context(size_t limit, unsigned threads, int (*progress)(void *, double), void *arg)
{
    return TEST_CTX(.engine = GFMUL_ENGINE_CPU, .precision = GFMUL_PRECISION_DOUBLE, .memory_limit = limit, .threads = threads,
                    .progress = progress, .progress_arg = arg);
}

/* check_memory - what the only call of a context took from the pool, and its tables, are no more than the plan says. */
static void check_memory(const struct gfmul_ctx *ctx, const struct gfmul_plan_info *info, size_t limit)
{
    TEST_CHECK(info->memory_bytes <= limit);
    for (unsigned i = 0; i < ctx->n_shapes && i < CTX_SHAPES; i++) {
        const struct plan_shape *s = &ctx->shapes[i].shape;
        if (s->transform.n_points != info->n_points || s->memory_bytes != info->memory_bytes)
            continue;
        size_t used = ctx->keep_bytes + plan_table_doubles(s) * sizeof(double);
        TEST_CHECK_MSG(used <= info->memory_bytes && used >= info->memory_bytes / 8 * 7, "%zu bytes were used, the plan says %zu",
                       used, info->memory_bytes);
        return;
    }
    TEST_CHECK_MSG(false, "the shape of the product is not among those that the context remembers");
}

/* The plain plan's memory and the least that products of this size are made in. */
static size_t plain_memory(size_t an, size_t bn, unsigned threads)
{
    struct gfmul_plan_info info;
    struct gfmul_ctx *ctx = context((size_t)1 << 40, threads, NULL, NULL);
    ctx->keep_bytes = SIZE_MAX; /* not the plan of a first product: that may have branches */
    if (!TEST_OK(gfmul_plan_limbs(ctx, &info, an, bn)))
        exit(1);
    gfmul_ctx_destroy(ctx);
    return info.memory_bytes;
}

/* Shares of the plain plan's memory: one operand's buffer whole, a quarter, an eighth; and too little. */
static const double shares[] = {1.0, 0.9, 0.8, 0.74, 0.7, 0.65, 0.6, 0.57, 0.55, 0.5, 0.3};
enum { N_SHARES = sizeof shares / sizeof *shares };

static void test_products(void)
{
    static const size_t sizes[] = {6000, 7300, 9000, 11000, 14000, 18000, 23000, 31000, 47000, 60000, 120000, 400000};
    unsigned branched = 0, refused = 0, kinds = 0;
    for (size_t k = 0; k < (test_longest_tier() ? 12 : 10); k++)
        for (unsigned share = 0; share < N_SHARES; share++) {
            const size_t an = sizes[k] + test_below(sizes[k] / 10), bn = an - test_below(an / 4);
            const unsigned threads = 1 + (unsigned)test_below(3);
            const size_t plain = plain_memory(an, bn, threads), limit = (size_t)(shares[share] * (double)plain);
            struct product_ctx c = {context(limit, threads, NULL, NULL), ""};
            struct gfmul_plan_info info;
            struct gfmul_report report;
            snprintf(c.name, sizeof c.name, "limit %zu of %zu, %u threads", limit, plain, threads);
            test_note("%s an=%zu bn=%zu", c.name, an, bn);
            enum gfmul_status status = gfmul_plan_limbs(c.ctx, &info, an, bn);
            if (status != GFMUL_OK) {
                mp_limb_t *a = test_alloc((an + bn) * sizeof *a), *z = test_alloc((an + bn) * sizeof *z);
                operand_fill(a, an + bn, OPERAND_RANDOM, 12, test_u64());
                TEST_CHECK_MSG(status == GFMUL_ERR_MEMORY && (shares[share] < 0.71 || !usual_thresholds), "status %d", status);
                TEST_CHECK(gfmul_mul(c.ctx, z, a, an, a + an, bn) == GFMUL_ERR_MEMORY);
                gfmul_ctx_report(c.ctx, &report);
                TEST_CHECK(strstr(report.detail, "MiB") && c.ctx->keep_bytes == 0); /* nothing was allocated */
                refused++;
                free(a);
                free(z);
            } else {
                product_random(&c, 1, an, bn, OPERAND_RANDOM, OPERAND_RANDOM, 12, false);
                gfmul_ctx_report(c.ctx, &report);
                TEST_CHECK(report.n_fallbacks == 0);
                check_memory(c.ctx, &report.plan, limit);
                branched += report.plan.n_branches > 1;
                kinds |= 1u << (report.plan.n_branches & 15);
            }
            gfmul_ctx_destroy(c.ctx);
        }
    printf("%u products in branches, %u refused, numbers of branches %#x\n", branched, refused, kinds);
    TEST_CHECK(branched > 10 && refused > 0);
}

/* Operands of all kinds: where digits are too large, the fall-back to smaller ones has to fit the limit too, or says so. */
static void test_adversarial(void)
{
    unsigned branched = 0;
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        const size_t an = 8000 + test_below(16000), bn = an - test_below(100);
        const size_t limit = (size_t)((usual_thresholds ? test_u64() & 1 ? 0.74 : 0.82 : 1.5) * (double)plain_memory(an, bn, 2));
        struct product_ctx c = {context(limit, 2, NULL, NULL), "adversarial, memory limit"};
        mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b), *z = test_alloc((an + bn) * sizeof *z);
        mp_limb_t *want = test_alloc((an + bn) * sizeof *z);
        struct gfmul_report report;
        unsigned l = product_digit_bits(&c, an, bn);
        operand_fill(a, an, (enum operand_kind)kind, l, test_u64());
        operand_fill(b, bn, (enum operand_kind)kind, l, test_u64());
        ref_mul_gmp(want, a, an, b, bn);
        test_note("%s an=%zu bn=%zu l=%u limit=%zu", operand_name((enum operand_kind)kind), an, bn, l, limit);
        enum gfmul_status status = gfmul_mul(c.ctx, z, a, an, b, bn);
        gfmul_ctx_report(c.ctx, &report);
        branched += report.plan.n_branches > 1;
        if (status == GFMUL_OK)
            TEST_CHECK(test_equal_limbs(z, want, an + bn) && report.plan.memory_bytes <= limit);
        else
            TEST_CHECK_MSG(status == GFMUL_ERR_MEMORY && report.n_fallbacks > 0, "status %d: %s", status, report.detail);
        free(a);
        free(b);
        free(z);
        free(want);
        gfmul_ctx_destroy(c.ctx);
    }
    printf("%u of %u products in branches\n", branched, (unsigned)OPERAND_KINDS);
    TEST_CHECK(branched > OPERAND_KINDS / 10); /* of some 13 that are expected: limits and sizes are random */
}

/*
 * Squares need one buffer, and may keep tables that a product of the same length has to do without: one context, in turns.  With
 * true radix 4 there are no such tables.
 */
static void test_squares_between(void)
{
    unsigned differ = 0;
    bool radix4 = false;
    for (unsigned t = 0; t < 20; t++) {
        const size_t n = 6000 + test_below(20000), plain = plain_memory(n, n, 1);
        const size_t limit = (size_t)((usual_thresholds ? 0.74 + 0.01 * t : 1.5) * (double)plain);
        struct product_ctx c = {context(limit, 1, NULL, NULL), "products and squares under a memory limit"};
        for (unsigned k = 0; k < 4; k++)
            product_random(&c, 1, n, n, OPERAND_RANDOM, OPERAND_RANDOM, 12, k % 2);
        for (unsigned i = 1; i < c.ctx->n_shapes && i < CTX_SHAPES; i++)
            for (unsigned j = 0; j < i; j++)
                differ += c.ctx->shapes[i].shape.transform.n_points == c.ctx->shapes[j].shape.transform.n_points &&
                          c.ctx->shapes[i].shape.transform.leaf_short != c.ctx->shapes[j].shape.transform.leaf_short;
        radix4 = plan_butterfly(cpu_tuning(c.ctx->ops->isa_bit), c.ctx->ops->butterfly) == BUTTERFLY_RADIX4;
        gfmul_ctx_destroy(c.ctx);
    }
    TEST_CHECK((differ > 0) == !radix4 || !usual_thresholds);
}

/* Text in base 10 and in another base. */
static void test_text(void)
{
    unsigned branched = 0;
    for (unsigned t = 0; t < (test_longest_tier() ? 40 : 12); t++) {
        const unsigned base = t % 4 == 3 ? 7 : 10, group = 4;
        const size_t n = 200000 + test_below(300000), m = n - test_below(n / 4);
        char *a = test_alloc(n + 1), *b = test_alloc(m + 1), *want;
        struct gfmul_ctx *plain = context((size_t)1 << 40, 1, NULL, NULL);
        struct gfmul_plan_info info;
        struct gfmul_report report;
        mpz_t x, y;
        text_fill(a, n, t % 2 ? TEXT_RANDOM : (enum text_kind)test_below(TEXT_KINDS), base, group, test_u64());
        text_fill(b, m, t % 2 ? TEXT_RANDOM : (enum text_kind)test_below(TEXT_KINDS), base, group, test_u64());
        a[n] = b[m] = '\0';
        if (!TEST_OK(gfmul_plan_text(plain, &info, (int)base, n, m)))
            exit(1);
        gfmul_ctx_destroy(plain);
        /* The first eight have too little for the plain plan; some of the others not. */
        const double share =
            (usual_thresholds ? 0.72 : 1.05) + (t < 8 && usual_thresholds ? 0.001 : 0.003) * (double)test_below(100);
        const size_t limit = (size_t)(share * (double)info.memory_bytes);
        struct gfmul_ctx *ctx = context(limit, 1, NULL, NULL);
        test_note("base %u, %zu x %zu digits, limit %zu of %zu", base, n, m, limit, info.memory_bytes);
        mpz_init_set_str(x, a, (int)base);
        mpz_init_set_str(y, b, (int)base);
        mpz_mul(x, x, y);
        want = mpz_get_str(NULL, (int)base, x);
        mpz_clear(x);
        mpz_clear(y);
        const size_t size = gfmul_str_mul_size(n, (int)base, m, (int)base, (int)base);
        size_t len = 0;
        char *z = test_alloc(size);
        enum gfmul_status status = gfmul_str_mul(ctx, z, size, &len, (int)base, a, n, (int)base, b, m, (int)base);
        gfmul_ctx_report(ctx, &report);
        if (status == GFMUL_OK) {
            TEST_CHECK(len == strlen(want) && test_equal_text(z, want, len));
            branched += report.plan.n_branches > 1;
            TEST_CHECK(report.plan.memory_bytes <= limit);
        } else {
            TEST_CHECK_MSG(status == GFMUL_ERR_MEMORY && report.n_fallbacks > 0, "status %d: %s", status, report.detail);
        }
        free(want);
        free(z);
        free(a);
        free(b);
        gfmul_ctx_destroy(ctx);
    }
    printf("%u products in branches\n", branched);
    TEST_CHECK(branched > 3 || !usual_thresholds);
}

struct watch {
    double last, stop;
    unsigned told;
};

static int watch_progress(void *arg, double done)
{
    struct watch *w = arg;
    TEST_CHECK_MSG(done >= w->last && done <= 1, "progress %g after %g", done, w->last);
    w->last = done;
    w->told++;
    return done >= w->stop;
}

/* Progress rises through the branches, and a stop anywhere is a stop. */
static void test_progress(void)
{
    const size_t n = 100000;
    const size_t limit = (size_t)((usual_thresholds ? 0.65 : 1.0) * (double)plain_memory(n, n, 2));
    mp_limb_t *a = test_alloc(2 * n * sizeof *a), *z = test_alloc(2 * n * sizeof *z), *want = test_alloc(2 * n * sizeof *z);
    operand_fill(a, 2 * n, OPERAND_RANDOM, 12, test_u64());
    ref_mul_gmp(want, a, n, a + n, n);
    for (unsigned k = 0; k < 12; k++) {
        struct watch w = {0, k == 0 ? 2 : 0.08 * k, 0};
        struct gfmul_ctx *ctx = context(limit, 1 + k % 2, watch_progress, &w);
        progress_often(ctx);
        struct gfmul_report report;
        test_note("stop at %g", w.stop);
        enum gfmul_status status = gfmul_mul(ctx, z, a, n, a + n, n);
        gfmul_ctx_report(ctx, &report);
        if (k == 0)
            TEST_CHECK(status == GFMUL_OK && test_equal_limbs(z, want, 2 * n) && w.told > 20 && w.last > 0.9);
        else if (k % 2 && status == GFMUL_OK) /* of two threads the one that asks may be kept waiting while the other works */
            TEST_CHECK(w.last < w.stop && test_equal_limbs(z, want, 2 * n));
        else
            TEST_CHECK_MSG(status == GFMUL_ERR_INTERRUPTED && (k % 2 || w.last < w.stop + 0.2), "status %d, stopped at %g",
                           status, w.last);
        TEST_CHECK(report.plan.n_branches > 1 && report.n_fallbacks == 0);
        gfmul_ctx_destroy(ctx);
    }
    free(a);
    free(z);
    free(want);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_products);
    TEST_RUN(test_adversarial);
    TEST_RUN(test_squares_between);
    TEST_RUN(test_text);
    TEST_RUN(test_progress);
    return test_end();
}
