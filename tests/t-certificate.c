/*
 * t-certificate.c - certificates by the API: which products have one, what it claims, what it says of them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/ctx.h"
#include "contexts.h"
#include "operands.h"
#include "plan/prime_table.h"
#include "test.h"

enum { MOST_BYTES = 1 << 14 };

static struct gfmul_options options(enum gfmul_rule rule)
{
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = "cpu";
    opt.rule = rule;
    opt.certify = 1;
    return opt;
}

/* square_of - the square of n limbs. */
static enum gfmul_status square_of(struct gfmul_ctx *ctx, size_t n)
{
    mp_limb_t *a = test_alloc(8 * n), *z = test_alloc(16 * n);
    operand_fill(a, n, OPERAND_RANDOM, 1, test_u64());
    const enum gfmul_status status = gfmul_sqr(ctx, z, a, n);
    free(z);
    free(a);
    return status;
}

static const char *certificate(struct gfmul_ctx *ctx)
{
    static char text[MOST_BYTES];
    const size_t len = gfmul_ctx_certificate(ctx, text, sizeof text);
    TEST_CHECK(len == strlen(text) && len + 1 < sizeof text);
    return text;
}

static bool has(const char *text, const char *line)
{
    return strstr(text, line) != NULL;
}

/* No option, no product, or one that failed: no certificate. */
static void test_none(void)
{
    struct gfmul_options opt = options(GFMUL_RULE_NORM);
    struct gfmul_ctx *ctx = test_ctx(&opt), *other;
    char text[4] = "xyz";
    mp_limb_t a[1] = {1};
    TEST_CHECK(gfmul_ctx_certificate(NULL, text, sizeof text) == 0 && text[0] == '\0');
    TEST_CHECK(gfmul_ctx_certificate(ctx, NULL, 0) == 0);
    TEST_OK(square_of(ctx, 100));
    TEST_CHECK(gfmul_ctx_certificate(ctx, NULL, 0) > 0);
    TEST_CHECK(gfmul_mul(ctx, NULL, a, 1, a, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_ctx_certificate(ctx, NULL, 0) == 0);
    gfmul_ctx_destroy(ctx);
    opt.certify = 0;
    ctx = test_ctx(&opt);
    TEST_OK(square_of(ctx, 5000));
    TEST_CHECK(gfmul_ctx_certificate(ctx, NULL, 0) == 0);
    gfmul_ctx_destroy(ctx);
    opt.certify = 1;
    opt.engine = GFMUL_ENGINE_GMP;
    TEST_CHECK(gfmul_ctx_create(&other, &opt) == GFMUL_ERR_UNSUPPORTED);
}

/* Texts that are cut off have the whole one's length. */
static void test_cut(void)
{
    const struct gfmul_options opt = options(GFMUL_RULE_NORM);
    struct gfmul_ctx *ctx = test_ctx(&opt);
    char text[MOST_BYTES], part[MOST_BYTES];
    TEST_OK(square_of(ctx, 3000));
    const size_t len = gfmul_ctx_certificate(ctx, text, sizeof text);
    TEST_CHECK(len > 500 && text[len - 1] == '\n' && strlen(text) == len);
    for (size_t size = 0; size <= len + 2; size += 1 + test_below(50)) {
        memset(part, 'x', sizeof part);
        TEST_CHECK(gfmul_ctx_certificate(ctx, part, size) == len);
        TEST_CHECK(size == 0 || (strlen(part) == (size <= len ? size - 1 : len) && memcmp(part, text, strlen(part)) == 0));
        TEST_CHECK(part[size] == 'x');
    }
    gfmul_ctx_destroy(ctx);
}

/* Claims; the residues are those of the report, as many as the size needs, whatever `verify` says. */
static void test_claims(void)
{
    static const char *const names[] = {"norm", "knuth", "checked"};
    for (int rule = GFMUL_RULE_NORM; rule <= GFMUL_RULE_CHECKED; rule++)
        for (int verify = GFMUL_VERIFY_MOD; verify <= GFMUL_VERIFY_NONE; verify++)
            for (size_t n = 1; n <= 4096; n *= 8) {
                struct gfmul_options opt = options((enum gfmul_rule)rule);
                opt.verify = (enum gfmul_verify)verify;
                struct gfmul_ctx *ctx = test_ctx(&opt);
                struct gfmul_report r;
                char line[160];
                TEST_OK(square_of(ctx, n));
                gfmul_ctx_report(ctx, &r);
                const char *text = certificate(ctx);
                test_note("rule %s, verify %d, %zu limbs: %s", names[rule], verify, n, text);
                const bool proved = strcmp(r.plan.rule, "checked") != 0; /* one that was remade may be */
                TEST_CHECK(has(text, proved ? "\nclaim: proved\n" : "\nclaim: probable\n") && r.plan.proved == proved);
                TEST_CHECK(has(text, proved ? "\nbound: 0x1." : "\ntransforms: 0\n") && has(text, "\nsquare: 1\n"));
                TEST_CHECK(r.n_residues == 2 && r.plan.residue_primes == 2);
                for (unsigned i = 0; i < r.n_residues; i++) {
                    const struct gfmul_residue *x = &r.residue[i];
                    snprintf(line, sizeof line, "\nresidues: %" PRIu64 " %" PRIu64 " %" PRIu64 " modulo %" PRIu64 "\n", x->a,
                             x->b, x->z, x->prime);
                    TEST_CHECK(has(text, line));
                }
                gfmul_ctx_destroy(ctx);
            }
}

/* A product that wraps around has the transform of its lowest limbs, too, if there is one. */
static void test_wraps(void)
{
    const struct gfmul_options opt = options(GFMUL_RULE_NORM);
    unsigned wrapped = 0, two = 0;
    for (size_t n = 1000; n < 40000; n += n / 10) {
        struct gfmul_ctx *ctx = test_ctx(&opt);
        struct gfmul_report r;
        ctx->wrap = PLAN_WRAP_ALWAYS;
        TEST_OK(square_of(ctx, n));
        gfmul_ctx_report(ctx, &r);
        const char *text = certificate(ctx);
        TEST_CHECK(has(text, "\nclaim: proved\n") && has(text, "\nwraps: 1") == (r.plan.wraps != 0));
        wrapped += r.plan.wraps != 0;
        two += has(text, "\ntransforms: 2\n");
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK_MSG(wrapped > 5 && two > 0 && two <= wrapped, "%u products, %u with a second transform", wrapped, two);
}

/* Products by fixed operands, in slices, and zero. */
static void test_operands(void)
{
    enum { N = 2000, LONG = 9000 };
    const struct gfmul_options opt = options(GFMUL_RULE_NORM);
    struct gfmul_ctx *ctx = test_ctx(&opt);
    mp_limb_t *a = test_alloc(8 * LONG), *b = test_alloc(8 * N), *z = test_alloc(8 * (N + LONG));
    struct gfmul_operand *op;
    operand_fill(a, LONG, OPERAND_RANDOM, 1, test_u64());
    operand_fill(b, N, OPERAND_RANDOM, 1, test_u64());
    TEST_OK(gfmul_operand_create(ctx, &op, b, N, N));
    TEST_OK(gfmul_operand_mul(op, z, a, LONG));
    TEST_CHECK(has(certificate(ctx), "\nclaim: proved\n") && !has(certificate(ctx), "\ncells: 1 1,"));
    TEST_CHECK(has(certificate(ctx), "primes: 2, of the context\n"));
    gfmul_operand_destroy(op);
    memset(b, 0, 8 * N);
    TEST_OK(gfmul_mul(ctx, z, a, LONG, b, N));
    TEST_CHECK(has(certificate(ctx), "\nclaim: zero\n"));
    gfmul_ctx_destroy(ctx);
    free(z);
    free(b);
    free(a);
}

/* Modulo primes: at once, and in halves where there is memory for these alone. */
static void test_primes(void)
{
    struct gfmul_options opt = options(GFMUL_RULE_NORM);
    opt.precision = GFMUL_PRECISION_PRIME;
    opt.verify = GFMUL_VERIFY_NONE;
    for (int halves = 0; halves < 2; halves++) {
        struct gfmul_ctx *ctx = test_ctx(&opt);
        struct gfmul_plan_info info;
        char line[64];
        TEST_OK(gfmul_plan_limbs_sqr(ctx, &info, 4000));
        TEST_OK(square_of(ctx, 4000));
        test_note("%s", certificate(ctx));
        snprintf(line, sizeof line, "\nhalves: %d\nmoduli: %" PRIu64 " ", halves, prime_table[0].p);
        TEST_CHECK(has(certificate(ctx), "\nclaim: proved\n") && has(certificate(ctx), "\ntransforms: 1\nfield: prime\n"));
        TEST_CHECK(has(certificate(ctx), line) && has(certificate(ctx), "\nprimes: 2, "));
        while (!strstr(info.passes, "x^n + 1")) { /* the next smaller plan, until one is in halves */
            gfmul_ctx_destroy(ctx);
            opt.memory_limit = info.memory_bytes - 1;
            ctx = test_ctx(&opt);
            if (!TEST_OK(gfmul_plan_limbs_sqr(ctx, &info, 4000)))
                break;
        }
        gfmul_ctx_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_none);
    TEST_RUN(test_cut);
    TEST_RUN(test_claims);
    TEST_RUN(test_wraps);
    TEST_RUN(test_operands);
    TEST_RUN(test_primes);
    return test_end();
}
