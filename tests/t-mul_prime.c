/* t-mul_prime.c - products modulo primes by the library's own doors, against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "mul/ctx.h"
#include "prime/prime_ops.h"
#include "products.h"
#include "progress_often.h"

static struct gfmul_options prime_options(unsigned threads)
{
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.precision = GFMUL_PRECISION_PRIME;
    opt.threads = threads;
    opt.verify = GFMUL_VERIFY_NONE;
    return opt;
}

static struct product_ctx prime_ctx(unsigned threads)
{
    const struct gfmul_options opt = prime_options(threads);
    struct product_ctx c;
    snprintf(c.name, sizeof c.name, "primes, %u threads", threads);
    test_note("%s", c.name);
    c.ctx = test_ctx(&opt);
    return c;
}

static void contexts(struct product_ctx c[2])
{
    c[0] = prime_ctx(1);
    c[1] = prime_ctx(3);
}

/* Sizes of any proportion, squares, random and adversarial operands; those of one limb, too. */
static void test_products(void)
{
    struct product_ctx c[2];
    contexts(c);
    for (unsigned i = 0; i < (unsigned)test_tier(300, 3000, 30000); i++) {
        const size_t an = test_size(1, i % 10 ? 3000 : 30000), bn = i % 2 ? an - test_below(an / 10 + 1) : test_size(1, an);
        product_random(c, 2, an, bn, OPERAND_KINDS, OPERAND_KINDS, (unsigned)test_between(10, 30), test_below(5) == 0);
    }
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/* Operands of ones only have the largest coefficients: at the end of each length, where the bound is nearest. */
static void test_largest_coefficients(void)
{
    struct product_ctx c[2];
    contexts(c);
    for (size_t n = 1; n < (size_t)test_tier(6000, 300000, 3000000); n += n / 8 + 1)
        for (unsigned kind = OPERAND_ONES; kind <= OPERAND_POWER_PLUS; kind++)
            product_random(c, 2, n, n, kind, kind, 16, false);
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/* halves_limit - a limit that has a product made in halves;  0: halves are none, or no smaller. */
static size_t halves_limit(struct gfmul_ctx *ctx, size_t an, size_t bn)
{
    struct gfmul_plan_info info = {.memory_bytes = 0};
    enum gfmul_status status;
    for (ctx->opt.memory_limit = 0;; ctx->opt.memory_limit = info.memory_bytes - 1) {
        status = gfmul_plan_limbs(ctx, &info, an, bn);
        TEST_CHECK(status == GFMUL_ERR_MEMORY || status == GFMUL_OK);
        if (status != GFMUL_OK || strstr(info.passes, "x^n + 1"))
            return status == GFMUL_OK ? ctx->opt.memory_limit : 0;
    }
}

/* Products in halves, modulo x^n - 1 and x^n + 1: random and adversarial operands, the largest coefficients. */
static void test_halves(void)
{
    struct product_ctx c[2];
    contexts(c);
    unsigned seen = 0;
    const unsigned rounds = (unsigned)test_tier(150, 2000, 20000);
    for (unsigned i = 0; i < rounds; i++) {
        const size_t an = test_size(2000, i % 10 ? 6000 : 30000), bn = an - test_below(i % 3 ? an / 50 + 1 : an / 3);
        const size_t limit = halves_limit(c[0].ctx, an, bn), other = halves_limit(c[1].ctx, an, bn);
        if (limit == 0 || other == 0)
            continue;
        const unsigned kind = i % 4 ? OPERAND_KINDS : OPERAND_ONES + i / 4 % (OPERAND_POWER_PLUS - OPERAND_ONES + 1);
        product_random(c, 2, an, bn, kind, kind, (unsigned)test_between(10, 30), false);
        seen++;
    }
    TEST_CHECK_MSG(seen > rounds / 2, "%u products", seen);
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/* Products that wrap around: all that may, at both ends of what is missing; random and adversarial operands, squares. */
static void test_wraps(void)
{
    struct product_ctx c[2];
    contexts(c);
    c[0].ctx->wrap = c[1].ctx->wrap = PLAN_WRAP_ALWAYS;
    unsigned seen = 0, some = 0;
    const unsigned rounds = (unsigned)test_tier(200, 3000, 30000);
    for (unsigned i = 0; i < rounds; i++) {
        size_t an = test_size(1600, i % 10 ? 6000 : 30000), bn = an - test_below(i % 3 ? an / 50 + 1 : an / 3);
        struct gfmul_plan_info info = {.wraps = 0}, next;
        if (!TEST_OK(gfmul_plan_limbs(c[0].ctx, &info, an, bn)))
            break;
        /* the last one of a length that does not wrap, and the one behind it */
        while (i % 4 == 0 && !info.wraps && gfmul_plan_limbs(c[0].ctx, &next, an + 1, bn) == GFMUL_OK) {
            an++;
            info = next;
        }
        if (!info.wraps)
            continue;
        TEST_CHECK(info.wrap_limbs > 0 && info.bound == 0);
        const unsigned kind = i % 4 > 1 ? OPERAND_KINDS : OPERAND_ONES + i / 4 % (OPERAND_POWER_PLUS - OPERAND_ONES + 1);
        product_random(c, 2, an, i % 5 ? bn : an, kind, kind, (unsigned)test_between(10, 30), i % 5 == 0);
        some += info.wrap_limbs > 128; /* not GMP's */
        seen++;
    }
    TEST_CHECK_MSG(seen > rounds / 6 && some > 0, "%u products, %u of them by their lowest limbs modulo primes", seen, some);
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/* wrapping_size - limbs of two numbers whose product wraps around, and whose lowest limbs' product has a plan, too. */
static size_t wrapping_size(struct gfmul_ctx *ctx, size_t n)
{
    struct gfmul_plan_info info = {.wraps = 0};
    while (TEST_OK(gfmul_plan_limbs(ctx, &info, n, n - 1)) && !(info.wraps && info.wrap_limbs > 600))
        n++;
    return n;
}

/* A call holds the buffers of a product that wraps around, of the product of its lowest limbs, and the numbers that were text. */
static void test_wraps_of_text(void)
{
    struct product_ctx c = prime_ctx(1);
    c.ctx->wrap = PLAN_WRAP_ALWAYS;
    for (size_t n = 2000; n < 12000; n += n / 4) {
        const size_t limbs = wrapping_size(c.ctx, n), an = 16 * limbs, bn = 16 * (limbs - 1);
        char *a = test_alloc(an), *b = test_alloc(bn), *z = test_alloc(an + bn + 2);
        mpz_t x, y, want, got;
        memset(a, 'f', an);
        memset(b, 'e', bn);
        test_note("%zu limbs", limbs);
        TEST_OK(gfmul_str_mul(c.ctx, z, an + bn + 2, NULL, 16, a, an, 16, b, bn, 16));
        TEST_CHECK(report_of(&c).plan.wraps);
        mpz_inits(x, y, want, got, NULL);
        mpz_ui_pow_ui(x, 2, 4 * an);
        mpz_sub_ui(x, x, 1);
        mpz_ui_pow_ui(y, 2, 4 * bn);
        mpz_sub_ui(y, y, 1);
        mpz_divexact_ui(y, y, 15);
        mpz_mul_ui(y, y, 14);
        mpz_mul(want, x, y);
        TEST_CHECK(mpz_set_str(got, z, 16) == 0 && mpz_cmp(got, want) == 0);
        mpz_clears(x, y, want, got, NULL);
        free(z);
        free(b);
        free(a);
    }
    product_ctx_destroy(&c);
}

static int stop_at;
static int count_down(void *arg, double done)
{
    (void)arg, (void)done;
    return --stop_at == 0;
}

/* Each allocation in turn fails, each call of the callback in turn stops a product that wraps around: the next one is right. */
static void test_wraps_given_up(void)
{
    struct product_ctx c = prime_ctx(1);
    c.ctx->wrap = PLAN_WRAP_ALWAYS;
    const size_t n = wrapping_size(c.ctx, 3000);
    product_ctx_destroy(&c);
    mp_limb_t *a = test_alloc(n * sizeof *a), *z = test_alloc(2 * n * sizeof *z), *want = test_alloc(2 * n * sizeof *want);
    operand_fill(a, n, OPERAND_TOP_BIT, 16, test_u64());
    ref_mul_gmp(want, a, n, a, n - 1);
    unsigned outer = 0, inner = 0, stopped = 0;
    for (long i = 1; i < 60; i++) {
        const bool stops = i >= 30;
        struct gfmul_options opt = prime_options(1);
        opt.progress = stops ? count_down : NULL;
        if (!TEST_OK(gfmul_ctx_create(&c.ctx, &opt)))
            break;
        c.ctx->wrap = PLAN_WRAP_ALWAYS;
        progress_often(c.ctx);
        stop_at = stops ? (int)i - 29 : 0;
        alloc_fail_after(stops ? -1 : i);
        const enum gfmul_status status = gfmul_mul(c.ctx, z, a, n, a, n - 1);
        alloc_fail_after(-1);
        TEST_CHECK(status == GFMUL_OK || status == (stops ? GFMUL_ERR_INTERRUPTED : GFMUL_ERR_MEMORY));
        TEST_CHECK(status != GFMUL_ERR_MEMORY || !report_of(&c).plan.wraps); /* the last attempt did not wrap */
        outer += status == GFMUL_ERR_MEMORY && i <= 7;
        inner += status == GFMUL_ERR_MEMORY && i > 8;
        stopped += status == GFMUL_ERR_INTERRUPTED;
        stop_at = 0;
        TEST_OK(gfmul_mul(c.ctx, z, a, n, a, n - 1));
        test_equal_limbs(z, want, 2 * n - 1);
        TEST_CHECK(report_of(&c).plan.wraps);
        product_ctx_destroy(&c);
    }
    TEST_CHECK_MSG(outer == 7 && inner >= 3 && stopped >= 4, "%u, %u allocations, %u stops", outer, inner, stopped);
    free(want);
    free(z);
    free(a);
}

/* least_limit - the least limit under which a product has a plan. */
static size_t least_limit(struct gfmul_ctx *ctx, size_t an, size_t bn)
{
    struct gfmul_plan_info info;
    size_t low = 0, high = (size_t)1 << 40;
    while (high - low > 1) {
        ctx->opt.memory_limit = low + (high - low) / 2;
        *(gfmul_plan_limbs(ctx, &info, an, bn) == GFMUL_OK ? &high : &low) = ctx->opt.memory_limit;
    }
    return high;
}

/* planned - what precision auto takes under a limit: "double", "prime", "prime in halves", "none". */
static const char *planned(struct gfmul_ctx *ctx, size_t limit, size_t n)
{
    struct gfmul_plan_info info;
    ctx->opt.memory_limit = limit;
    ctx->keep_bytes = SIZE_MAX / 2; /* no memory is cold, as after such a product */
    const enum gfmul_status status = gfmul_plan_limbs(ctx, &info, n, n - 3);
    TEST_CHECK(status == GFMUL_OK || status == GFMUL_ERR_MEMORY);
    if (status != GFMUL_OK || strcmp(info.precision, "prime") != 0)
        return status == GFMUL_OK ? info.precision : "none";
    TEST_CHECK(info.memory_bytes <= limit);
    return strstr(info.passes, "x^n + 1") ? "prime in halves" : "prime";
}

/* Under limits precision auto takes double, primes, primes in halves, nothing: each as far as its memory suffices. */
static void test_auto_under_limits(void)
{
    enum { LIMBS = 20000 };
    struct product_ctx prime = prime_ctx(1), in_double = prime_ctx(1), automatic = prime_ctx(1);
    struct gfmul_plan_info info;
    in_double.ctx->opt.precision = GFMUL_PRECISION_DOUBLE;
    automatic.ctx->opt.precision = GFMUL_PRECISION_AUTO;
    snprintf(automatic.name, sizeof automatic.name, "auto");
    if (!TEST_OK(gfmul_plan_limbs(prime.ctx, &info, LIMBS, LIMBS - 3)))
        return;
    const size_t of_double = least_limit(in_double.ctx, LIMBS, LIMBS - 3), half = least_limit(prime.ctx, LIMBS, LIMBS - 3);
    /* what is cheapest if memory is no matter: some processors are as fast modulo primes */
    const bool primes_first = strcmp(planned(automatic.ctx, SIZE_MAX, LIMBS), "prime") == 0;
    const char *const first = primes_first ? "prime" : "double";
    const struct {
        size_t limit;
        const char *want;
    } limits[] = {{SIZE_MAX, first},            {of_double, first},        {of_double - 1, "prime"},
                  {info.memory_bytes, "prime"}, {half, "prime in halves"}, {half - 1, "none"}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        test_note("limit %zu of %zu, %zu, %zu", limits[i].limit, of_double, info.memory_bytes, half);
        const char *got = planned(automatic.ctx, limits[i].limit, LIMBS);
        TEST_CHECK_MSG(strcmp(got, limits[i].want) == 0, "%s, not %s", got, limits[i].want);
        if (strcmp(got, "none") != 0)
            product_random(&automatic, 1, LIMBS, LIMBS - 3, OPERAND_TOP_BIT, OPERAND_TOP_BIT, 16, false);
    }
    /* between: each is left once, and none is missing */
    const char *const order[] = {"double", "prime", "prime in halves"};
    unsigned seen = primes_first;
    for (size_t limit = of_double; limit > half; limit -= (of_double - half) / 40 + 1) {
        const char *got = planned(automatic.ctx, limit, LIMBS);
        while (seen < 3 && strcmp(got, order[seen]) != 0)
            seen++;
        TEST_CHECK_MSG(seen < 3, "limit %zu: %s", limit, got);
    }
    TEST_CHECK(seen == 2);
    automatic.ctx->opt.rule = GFMUL_RULE_CHECKED;
    TEST_CHECK(strcmp(planned(automatic.ctx, SIZE_MAX, LIMBS), "double") == 0 || primes_first);
    TEST_CHECK(strcmp(planned(automatic.ctx, info.memory_bytes, LIMBS), "none") != 0);
    product_ctx_destroy(&automatic);
    product_ctx_destroy(&in_double);
    product_ctx_destroy(&prime);
}

/* shape_check - what a shape promises: the coefficients fit, and with their offset if there is one; the polynomial fits. */
static void shape_check(const struct plan_shape *s, size_t a_bits, size_t b_bits)
{
    mpz_t most, room;
    mpz_inits(most, room, NULL);
    mpz_set_ui(most, 1);
    mpz_mul_2exp(most, most, s->digits.exponent);
    mpz_sub_ui(most, most, 1);
    mpz_mul(most, most, most);
    mpz_mul_ui(most, most, s->digits.bn < s->digits.an ? s->digits.bn : s->digits.an);
    if (prime_is_halved(s)) {
        mpz_ui_pow_ui(room, 2, prime_offset_bits(s));
        TEST_CHECK(mpz_cmp(most, room) < 0);
        mpz_add(most, most, room);
    }
    mpz_set_ui(room, 1);
    for (unsigned k = 0; k + 1 < s->transform.n_primes; k++)
        mpz_mul_ui(room, room, prime_table[k].p);
    const uint64_t last = prime_table[s->transform.n_primes - 1].p; /* doc/error-bound.md, section 22: p/2 (1 - 2^-40) - 2 */
    mpz_mul_ui(room, room, last / 2 - (last >> 40) - 3);
    TEST_CHECK(mpz_cmp(most, room) < 0);
    mpz_clears(most, room, NULL);
    TEST_CHECK(s->digits.an * s->digits.exponent >= a_bits && s->digits.bn * s->digits.exponent >= b_bits);
    const size_t limbs = (a_bits + 63) / 64 + (b_bits + 63) / 64;
    if (s->grid.wrap_limbs == 0)
        TEST_CHECK(s->digits.an + s->digits.bn - 1 <= s->transform.n_digits);
    else
        TEST_CHECK(!prime_is_halved(s) && s->digits.an <= s->transform.n_points && s->digits.bn <= s->transform.n_points &&
                   prime_ring_limbs(s) + s->grid.wrap_limbs == limbs && s->grid.wrap_limbs <= (b_bits + 63) / 64 &&
                   s->grid.wrap_limbs <= prime_ring_limbs(s) / 2);
    TEST_CHECK(!prime_is_halved(s) || (s->digits.an <= s->transform.n_points && s->digits.bn <= s->transform.n_points));
    TEST_CHECK(s->transform.n_points == s->transform.n_rows * s->transform.row_points &&
               s->transform.n_rows == (size_t)s->transform.odd << s->transform.column_levels);
    TEST_CHECK(s->transform.log2_n + prime_is_halved(s) <= PRIME_LEVELS);
}

/* What was seen among the candidates of one request, and of all. */
struct seen {
    const struct plan_request *of;
    unsigned factors, wrapped, halved, whole;
};

static void candidate_check(void *arg, const struct plan_shape *s)
{
    struct seen *seen = arg;
    shape_check(s, seen->of->an, seen->of->bn);
    TEST_CHECK(s->cost_ps > 0 && s->cost_ps < HUGE_VAL && s->memory_bytes > 0 && s->field == PLAN_PRIME);
    TEST_CHECK(!s->grid.wraps || seen->of->wrap != PLAN_WRAP_NEVER);
    seen->factors |= 1u << s->transform.odd | 1u << (8 + s->transform.n_primes);
    seen->wrapped += s->grid.wraps;
    seen->halved += prime_is_halved(s);
    seen->whole += !s->grid.wraps && !prime_is_halved(s);
}

/* What shapes promise, for sizes that no test can multiply: whole, in halves, and wrapping around. */
static void test_shapes(void)
{
    unsigned factors = 0, wrapped = 0;
    struct plan_shape s;
    for (size_t bits = 64; bits < (size_t)1 << 41; bits += bits / 7 + 64)
        for (unsigned i = 1; i <= 16; i *= 4)
            for (enum plan_wrap wrap = PLAN_WRAP_NEVER; wrap <= PLAN_WRAP_ALWAYS; wrap++) {
                const struct plan_request of = {.base = 2,
                                                .an = bits,
                                                .bn = i == 1 ? bits : bits / i + 1,
                                                .precision = GFMUL_PRECISION_PRIME,
                                                .max_radix = 8,
                                                .wrap = wrap};
                struct seen seen = {.of = &of};
                test_note("%zu by %zu bits, wrap %d", of.an, of.bn, wrap);
                if (!TEST_OK(plan_size(&s, &of, NULL, 0)) || !TEST_OK(plan_candidates(&of, candidate_check, &seen, NULL, 0)))
                    return;
                shape_check(&s, of.an, of.bn);
                TEST_CHECK(!prime_is_halved(&s)); /* there is no limit on memory */
                TEST_CHECK(seen.whole > 0 && (wrap != PLAN_WRAP_NEVER || seen.wrapped == 0));
                TEST_CHECK(bits < 1000000 || i > 1 || seen.halved > 0);
                TEST_CHECK(wrap != PLAN_WRAP_ALWAYS || s.grid.wraps == (seen.wrapped > 0));
                factors |= seen.factors;
                wrapped += s.grid.wraps;
            }
    TEST_CHECK_MSG(factors == (1u << 1 | 1u << 3 | 1u << 5 | 1u << 7 | 3u << 11), "factors and primes %#x", factors);
    TEST_CHECK_MSG(wrapped > 0, "no shape wraps around");
    const struct plan_request beyond = {
        .base = 2, .an = SIZE_MAX / 256, .bn = SIZE_MAX / 256, .precision = GFMUL_PRECISION_PRIME, .max_radix = 8};
    TEST_CHECK(plan_size(&s, &beyond, NULL, 0) == GFMUL_ERR_SIZE);
}

/* Signs, zeros, and operands that are one number. */
static void test_integers(void)
{
    const struct gfmul_options opt = prime_options(2);
    struct gfmul_ctx *ctx;
    mpz_t a, b, z, want;
    mpz_inits(a, b, z, want, NULL);
    if (TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        for (int i = 0; i < 27; i++) {
            mpz_set_si(a, i % 3 - 1);
            mpz_set_si(b, i / 3 % 3 - 1);
            mpz_mul_2exp(a, a, i < 9 ? 0 : 70000);
            mpz_mul_2exp(b, b, i < 18 ? 0 : 9000);
            mpz_sub_ui(a, a, mpz_sgn(a) != 0);
            mpz_mul(want, a, b);
            test_note("%d", i);
            TEST_CHECK(gfmul_mpz_mul(ctx, z, a, b) == GFMUL_OK && mpz_cmp(z, want) == 0);
            mpz_mul(want, a, a);
            TEST_CHECK(gfmul_mpz_mul(ctx, a, a, a) == GFMUL_OK && mpz_cmp(a, want) == 0);
        }
    gfmul_ctx_destroy(ctx);
    mpz_clears(a, b, z, want, NULL);
}

/* Text goes through limbs, and so do fixed operands. */
static void test_other_doors(void)
{
    const struct gfmul_options opt = prime_options(1);
    struct gfmul_ctx *ctx;
    struct gfmul_operand *op;
    enum { LIMBS = 500, DIGITS = 5000 };
    static mp_limb_t a[LIMBS], b[LIMBS], z[2 * LIMBS], want[2 * LIMBS];
    static char text[DIGITS + 1], product[2 * DIGITS + 3];
    if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        return;
    operand_fill(a, LIMBS, OPERAND_TOP_BIT, 16, test_u64());
    operand_fill(b, LIMBS, OPERAND_TOP_BIT, 16, test_u64());
    ref_mul_gmp(want, a, LIMBS, b, LIMBS);
    if (TEST_OK(gfmul_operand_create(ctx, &op, b, LIMBS, LIMBS))) {
        TEST_OK(gfmul_operand_mul(op, z, a, LIMBS));
        test_equal_limbs(z, want, 2 * LIMBS);
        gfmul_operand_destroy(op);
    }
    memset(text, '9', DIGITS); /* (10^n - 1)^2 = 99..98 00..01 */
    size_t len;
    if (TEST_OK(gfmul_str_mul(ctx, product, sizeof product, &len, 10, text, DIGITS, 10, text, DIGITS, 10))) {
        TEST_CHECK(len == 2 * DIGITS && product[DIGITS - 1] == '8' && product[DIGITS] == '0' && product[len - 1] == '1');
        TEST_CHECK(strspn(product, "9") == DIGITS - 1 && strspn(product + DIGITS, "0") == DIGITS - 1);
    }
    gfmul_ctx_destroy(ctx);
}

/* Plans, reports, and choices that do not go with primes. */
static void test_plan_says(void)
{
    struct gfmul_options opt = prime_options(1);
    struct gfmul_ctx *ctx;
    struct gfmul_plan_info info;
    if (TEST_OK(gfmul_ctx_create(&ctx, &opt)) && TEST_OK(gfmul_plan_limbs(ctx, &info, 5000, 5000))) {
        test_plan(&info);
        TEST_CHECK(strcmp(info.precision, "prime") == 0 && strcmp(info.engine, "cpu") == 0);
        TEST_CHECK(info.l >= 49 && info.l <= 96 && info.proved && info.bound == 0 && !info.norms_measured);
        TEST_CHECK(info.memory_bytes > 3 * 8 * info.n_points && strstr(info.passes, "primes"));
    }
    gfmul_ctx_destroy(ctx);
    for (unsigned i = 0; i < 4; i++) {
        opt = prime_options(1);
        if (i == 0)
            opt.rule = GFMUL_RULE_KNUTH;
        else if (i == 1)
            opt.rule = GFMUL_RULE_CHECKED;
        else if (i == 2)
            opt.packing = GFMUL_PACKING_RIGHT_ANGLE;
        else
            opt.engine = GFMUL_ENGINE_FFTW;
        TEST_CHECK_MSG(gfmul_ctx_create(&ctx, &opt) == GFMUL_ERR_UNSUPPORTED, "choice %u", i);
    }
}

#ifndef GFMUL_MIN_THRESHOLDS
/* What precision auto is asked for: a product of an by bn limbs, or a square, in a context that has memory or none. */
struct question {
    size_t an, bn;
    bool square, warm, whole; /* whole: products do not wrap around */
};

static bool plan_is_prime(const struct gfmul_options *opt, const struct question *of)
{
    struct gfmul_ctx *ctx;
    struct gfmul_plan_info info = {.engine = NULL};
    if (!TEST_OK(gfmul_ctx_create(&ctx, opt)))
        return false;
    if (of->warm)
        ctx->keep_bytes = (size_t)1 << 40;
    if (TEST_OK(of->square ? gfmul_plan_limbs_sqr(ctx, &info, of->an) : gfmul_plan_limbs(ctx, &info, of->an, of->bn)))
        TEST_CHECK_MSG(strcmp(info.engine, "cpu") == 0, "%s", info.engine);
    const bool prime = info.engine && strcmp(info.precision, "prime") == 0;
    TEST_CHECK(!prime || info.bound == 0);
    gfmul_ctx_destroy(ctx);
    return prime;
}

/* The costs of one product by the library's own estimates, in picoseconds; HUGE_VAL: there is no such plan. */
struct costs {
    double in_double, modulo_primes;
};

static struct costs costs_of(unsigned tuning, bool has_ifma, enum gfmul_rule rule, const struct question *of)
{
    const struct isa_ops *ops = isa_ops_select(cpu_isa_mask(environment_get("GFMUL_DISABLE")));
    struct plan_request request;
    struct plan_shape shape;
    memset(&request, 0, sizeof request);
    request.rule = rule;
    request.base = 2;
    request.an = 64 * of->an;
    request.bn = 64 * of->bn;
    request.square = of->square;
    request.fma = true;
    request.max_radix = 8;
    request.isa = tuning;
    request.butterfly = plan_butterfly(tuning, ops->butterfly);
    request.threads = 1;
    struct costs c = {HUGE_VAL, HUGE_VAL};
    if (plan_size(&shape, &request, NULL, 0) == GFMUL_OK)
        c.in_double = shape.cost_ps;
    request.precision = GFMUL_PRECISION_PRIME;
    request.ifma = has_ifma;
    request.wrap = of->whole ? PLAN_WRAP_NEVER : PLAN_WRAP_CHEAPER;
    if (TEST_OK(plan_size(&shape, &request, NULL, 0)))
        c.modulo_primes = shape.cost_ps;
    return c;
}

/*
 * The order of costs, on every kind of processor that has a row: a rule that admits more never costs more, long products are
 * made modulo primes under rule norm, short ones are not, and what was measured lies on the right side.
 */
static void test_costs(void)
{
    static const struct {
        unsigned tuning;
        size_t not_yet, from; /* limbs of products for which double, and primes, were measured as faster */
    } kinds[] = {{CPU_ISA_AVX512 | CPU_AMD, 1000000, 3000000},
                 {CPU_ISA_AVX512 | CPU_AMD | CPU_PATHS512, 33000, 1000000},
                 {CPU_ISA_AVX2 | CPU_AMD, 2000000, 5000000},
                 {CPU_ISA_AVX512, 300000, 3000000},
                 {CPU_ISA_AVX2, 1000000, 5000000}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const unsigned tuning = kinds[i].tuning;
        for (size_t n = 10000; n <= 100000000; n = n * 316 / 100) {
            const struct question of = {n, n, n % 2 != 0, true, false};
            const struct costs norm = costs_of(tuning, true, GFMUL_RULE_NORM, &of),
                               checked = costs_of(tuning, true, GFMUL_RULE_CHECKED, &of);
            test_note("kind %zu, %zu limbs", i, n);
            TEST_CHECK(checked.in_double <= norm.in_double && checked.modulo_primes == norm.modulo_primes);
            TEST_CHECK(norm.in_double > 0 && norm.in_double < HUGE_VAL && norm.modulo_primes > 0);
        }
        const struct question not_yet = {kinds[i].not_yet, kinds[i].not_yet, false, true, false},
                              from = {kinds[i].from, kinds[i].from, false, true, false};
        const struct costs shorter = costs_of(tuning, true, GFMUL_RULE_NORM, &not_yet),
                           longer = costs_of(tuning, true, GFMUL_RULE_NORM, &from);
        TEST_CHECK_MSG(shorter.in_double < shorter.modulo_primes, "kind %zu: %g, %g", i, shorter.in_double,
                       shorter.modulo_primes);
        TEST_CHECK_MSG(longer.in_double > longer.modulo_primes, "kind %zu: %g, %g", i, longer.in_double, longer.modulo_primes);
    }
    const struct question million = {1000000, 1000000, false, true, false};
    const struct costs without = costs_of(CPU_ISA_AVX512, false, GFMUL_RULE_NORM, &million);
    TEST_CHECK(without.in_double < without.modulo_primes);
}

/* Precision auto takes primes if they cost less, under the rules norm and checked, and nowhere else. */
static void test_auto_takes(void)
{
    const struct isa_ops *ops = isa_ops_select(cpu_isa_mask(environment_get("GFMUL_DISABLE")));
    const unsigned tuning = cpu_tuning(ops->isa_bit);
    const bool has_ifma = residue_prime_bits(ops->isa_bit, environment_get("GFMUL_DISABLE")) == RESIDUE_FAST_BITS;
    struct gfmul_options opt = prime_options(1);
    opt.precision = GFMUL_PRECISION_AUTO;
    opt.memory_limit = SIZE_MAX; /* whatever this machine has; products do not wrap around then */
    for (unsigned checked = 0; checked < 2; checked++)
        for (size_t n = 1100000; n <= 36000000; n = n * 178 / 100)
            for (unsigned square = 0; square < 2; square++) {
                const struct question of = {n, n, square, true, true};
                opt.rule = checked ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM;
                const struct costs c = costs_of(tuning, has_ifma, opt.rule, &of);
                test_note("%zu limbs, rule %u, square %u: %g, %g ps", n, checked, square, c.in_double, c.modulo_primes);
                if (fabs(c.in_double / c.modulo_primes - 1) > 0.02 || c.modulo_primes == HUGE_VAL) /* the length is another one */
                    TEST_CHECK(plan_is_prime(&opt, &of) == (c.modulo_primes < c.in_double));
            }
    const struct question large = {36000000, 36000000, false, true, false};
    opt.rule = GFMUL_RULE_NORM;
    opt.precision = GFMUL_PRECISION_DOUBLE;
    TEST_CHECK(!plan_is_prime(&opt, &large));
    opt.precision = GFMUL_PRECISION_AUTO;
    opt.packing = GFMUL_PACKING_RIGHT_ANGLE;
    TEST_CHECK(!plan_is_prime(&opt, &large));
}
#endif

/* Each allocation in turn fails: an error, and the next product is right.  Limits are kept. */
static void test_memory(void)
{
    enum { LIMBS = 2000 };
    static mp_limb_t a[LIMBS], z[2 * LIMBS], want[2 * LIMBS];
    struct gfmul_options opt = prime_options(1);
    struct gfmul_ctx *ctx;
    operand_fill(a, LIMBS, OPERAND_TOP_BIT, 16, test_u64());
    ref_mul_gmp(want, a, LIMBS, a, LIMBS - 1);
    unsigned failed = 0;
    for (long n = 1; n < 20; n++) {
        if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
            return;
        test_note("allocation %ld fails", n);
        alloc_fail_after(n);
        const enum gfmul_status status = gfmul_mul(ctx, z, a, LIMBS, a, LIMBS - 1);
        alloc_fail_after(-1);
        TEST_CHECK(status == GFMUL_OK || status == GFMUL_ERR_MEMORY);
        failed += status == GFMUL_ERR_MEMORY;
        TEST_OK(gfmul_mul(ctx, z, a, LIMBS, a, LIMBS - 1));
        test_equal_limbs(z, want, 2 * LIMBS - 1);
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK_MSG(failed >= 6, "%u allocations", failed);
    if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        return;
    const size_t least = least_limit(ctx, LIMBS, LIMBS - 1);
    gfmul_ctx_destroy(ctx);
    for (unsigned less = 0; less < 2; less++) {
        opt.memory_limit = least - less;
        test_note("limit %zu", opt.memory_limit);
        memset(z, 0x5a, sizeof z);
        if (TEST_OK(gfmul_ctx_create(&ctx, &opt)))
            TEST_CHECK(gfmul_mul(ctx, z, a, LIMBS, a, LIMBS - 1) == (less ? GFMUL_ERR_MEMORY : GFMUL_OK));
        TEST_CHECK(less || test_equal_limbs(z, want, 2 * LIMBS - 1));
        gfmul_ctx_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_shapes);
    TEST_RUN(test_plan_says);
#ifndef GFMUL_MIN_THRESHOLDS /* whose costs are none of a processor */
    TEST_RUN(test_costs);
    TEST_RUN(test_auto_takes);
#endif
    TEST_RUN(test_auto_under_limits);
    TEST_RUN(test_integers);
    TEST_RUN(test_other_doors);
    TEST_RUN(test_memory);
    TEST_RUN(test_largest_coefficients);
    TEST_RUN(test_halves);
    TEST_RUN(test_wraps);
    TEST_RUN(test_wraps_of_text);
    TEST_RUN(test_wraps_given_up);
    TEST_RUN(test_products);
    return test_end();
}
