/*
 * t-mul_checked.c - plans that may fail, rule checked and the inverse proved after the fact: no wrong product gets out.
 *
 * Faults are put into the stages: the context runs a copy of its instruction set's operations, one of which is wrapped.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "faulty_stages.h"
#include "products.h"

static struct product_ctx ctx_with(enum gfmul_rule rule, unsigned threads, enum gfmul_packing packing, enum gfmul_verify verify,
                                   enum gfmul_precision precision)
{
    struct product_ctx c;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.rule = rule;
    opt.threads = threads;
    opt.packing = packing;
    opt.verify = verify;
    opt.precision = precision;
    snprintf(c.name, sizeof c.name, "rule %s, packing %s%s, %u threads", plan_rule_name(rule), plan_packing_name(packing),
             precision == GFMUL_PRECISION_DD ? ", dd" : "", threads);
    c.ctx = test_ctx(&opt);
    return c;
}

/* In double: from some size on, which depends on the processor, AUTO is modulo primes, where nothing is rounded. */
static struct product_ctx ctx_of(enum gfmul_rule rule, unsigned threads, enum gfmul_packing packing, enum gfmul_verify verify)
{
    return ctx_with(rule, threads, packing, verify, GFMUL_PRECISION_DOUBLE);
}

/*
 * Expected digits, proved ones by measured norms, those for the worst case.  Each plan may wrap around, and its low limbs'
 * product has the same three.
 */
enum { MOST_FALLBACKS = 2, MOST_FALLBACKS_WRAPPED = 2 + 3 * 2 };

/* What a report of the rule checked has to say. */
static void check_report(const struct product_ctx *c)
{
    const struct gfmul_report r = report_of(c);
    if (strcmp(r.plan.engine, "gmp") == 0) /* zero */
        return;
    test_plan(&r.plan);
    report_checked(&r, r.plan.base == 2 ? MOST_FALLBACKS_WRAPPED : MOST_FALLBACKS);
}

/* Random numbers: right, unproved, with larger digits than the norm rule has, and (but for the smallest) never remade. */
static void test_random(void)
{
    static const size_t sizes[] = {1, 2, 5, 17, 60, 200, 500, 1500, 4000, 12000};
    struct product_ctx norm = ctx_of(GFMUL_RULE_NORM, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (unsigned p = 0; p < 4; p++) {
        struct product_ctx c = ctx_of(GFMUL_RULE_CHECKED, 1 + p % 3, (enum gfmul_packing)p, GFMUL_VERIFY_NONE);
        unsigned remade = 0, n_products = 0;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (unsigned t = 0; t < (test_longest_tier() ? 40u : 6u); t++, n_products++) {
                const size_t an = sizes[i] + test_below(sizes[i]), bn = t % 3 == 1 ? 1 + test_below(an) : an;
                product_random(&c, 1, an, bn, OPERAND_RANDOM, OPERAND_RANDOM, 1, t % 3 == 2);
                check_report(&c);
                remade += report_of(&c).n_fallbacks;
                if (p == 0 && bn > 50)
                    TEST_CHECK(product_digit_bits(&c, an, bn) > product_digit_bits(&norm, an, bn));
            }
        TEST_CHECK_MSG(remade <= 3 + n_products / 40, "%u random products were remade", remade); /* one in 2000 is */
        product_ctx_destroy(&c);
    }
    product_ctx_destroy(&norm);
}

/* Digits that break unproved sizes: constant, alternating, all maximal, and every other pattern. */
static void test_adversarial(void)
{
    struct product_ctx c[3] = {ctx_of(GFMUL_RULE_CHECKED, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               ctx_of(GFMUL_RULE_CHECKED, 2, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_VERIFY_MOD),
                               ctx_of(GFMUL_RULE_CHECKED, 3, GFMUL_PACKING_ONE_FOR_HALF, GFMUL_VERIFY_NONE)};
    unsigned remade[3] = {0, 0, 0}, twice = 0;
    for (unsigned t = 0; t < (test_longest_tier() ? 20u : 2u); t++)
        for (unsigned ak = 0; ak < OPERAND_KINDS; ak++)
            for (unsigned i = 0; i < 5; i++) {
                const size_t an = test_size(100, i == 4 ? 30000 : 5000), bn = i == 1 ? 1 + an / (2 + test_below(12)) : an;
                const enum operand_kind bk = i < 3 ? (enum operand_kind)ak : OPERAND_KINDS;
                const unsigned l = product_digit_bits(&c[0], an, bn), less = i % 3 == 2 ? 3 : 0;
                product_random(c, 3, an, bn, (enum operand_kind)ak, bk, l - less, i == 3);
                for (unsigned k = 0; k < 3; k++) {
                    check_report(&c[k]);
                    remade[k] += report_of(&c[k]).n_fallbacks > 0;
                    twice += report_of(&c[k]).n_fallbacks > 1;
                }
            }
    printf("%u, %u, %u products were remade, %u of them twice\n", remade[0], remade[1], remade[2], twice);
    TEST_CHECK(remade[0] > 5 && remade[1] > 5 && remade[2] > 5);
    for (unsigned k = 0; k < 3; k++)
        product_ctx_destroy(&c[k]);
}

/* digits_two - the number whose raw digits of l bits are `even` and `odd` in turn. */
static void digits_two(mp_limb_t *a, size_t an, unsigned l, uint64_t even, uint64_t odd)
{
    memset(a, 0, an * sizeof *a);
    for (size_t bit = 0; bit < 64 * an; bit++)
        a[bit / 64] |= (mp_limb_t)((bit / l % 2 ? odd : even) >> bit % l & 1) << bit % 64;
}

/*
 * Digits all equal, or of alternating signs, from small ones on to the largest: the errors of their products come on top of each
 * other, and grow past the limit, 1/2 and 1, with nothing left to chance.
 */
static void test_growing_errors(void)
{
    unsigned remade = 0, near = 0, n_products = 0;
    for (unsigned t = 0; t < (test_longest_tier() ? 24u : 3u); t++) {
        struct product_ctx c =
            ctx_of(GFMUL_RULE_CHECKED, 1, t % 3 == 1 ? GFMUL_PACKING_ONE_FOR_HALF : GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
        const size_t n = test_size(300, 3000);
        mp_limb_t *a = test_alloc(8 * n), *b = test_alloc(8 * n);
        const unsigned l = product_digit_bits(&c, n, n);
        for (double share = 0.02; share < 0.5; share *= 1.05, n_products++) {
            const uint64_t d = (uint64_t)ldexp(share, (int)l), minus = ((uint64_t)1 << l) - d;
            digits_two(a, n, l, d, d);
            if (test_below(2))
                digits_two(b, n, l, d, d);
            else
                digits_two(b, n, l, minus, d - 1);
            char what[96];
            snprintf(what, sizeof what, "digits of %u bits, +-%" PRIu64 ";", l, d);
            product_check(&c, 1, a, n, test_below(4) ? b : a, n, what);
            check_report(&c);
            remade += report_of(&c).n_fallbacks > 0;
            near += report_of(&c).n_fallbacks == 0 && report_of(&c).max_error > 0.25;
        }
        free(a);
        free(b);
        product_ctx_destroy(&c);
    }
    printf("%u of %u products were remade, %u had errors above 1/4\n", remade, n_products, near);
    TEST_CHECK(remade > n_products / 50 && remade < n_products);
}

/* text_product - the product by GMP's own conversions, an + bn characters, zeros in front. */
static void text_product(char *z, const char *a, size_t an, const char *b, size_t bn, int base)
{
    mpz_t x, y;
    char *s = test_alloc((an > bn ? an : bn) + 1);
    mpz_inits(x, y, NULL);
    memcpy(s, a, an);
    s[an] = '\0';
    TEST_CHECK(mpz_set_str(x, s, base) == 0);
    memcpy(s, b, bn);
    s[bn] = '\0';
    TEST_CHECK(mpz_set_str(y, s, base) == 0);
    mpz_mul(x, x, y);
    char *product = mpz_get_str(NULL, base, x);
    const size_t len = strlen(product);
    memset(z, '0', an + bn - len);
    memcpy(z + an + bn - len, product, len);
    free(product);
    free(s);
    mpz_clears(x, y, NULL);
}

/* Text, in bases that are cut from text and others, with patterns of whole groups of digits. */
static void check_text(struct gfmul_ctx *ctx, const char *a, size_t an, const char *b, size_t bn, int base)
{
    char *want = test_alloc(an + bn), *z = test_alloc(an + bn + 2);
    size_t len = 0, zeros = 0;
    text_product(want, a, an, b, bn, base);
    while (zeros + 1 < an + bn && want[zeros] == '0')
        zeros++;
    if (TEST_OK(gfmul_str_mul(ctx, z, an + bn + 2, &len, base, a, an, base, b, bn, base)))
        TEST_CHECK_MSG(len == an + bn - zeros && memcmp(z, want + zeros, len) == 0, "wrong text of %zu digits", len);
    free(want);
    free(z);
}

static void test_text(void)
{
    struct product_ctx c = ctx_of(GFMUL_RULE_CHECKED, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    static const int bases[] = {10, 3, 7, 36, 16};
    unsigned remade = 0;
    for (unsigned t = 0; t < (test_longest_tier() ? 400u : 60u); t++) {
        const int base = t % 2 ? 10 : bases[test_below(5)];
        const size_t an = test_size(1000, 40000), bn = t % 3 == 0 ? 1000 + test_below(an) / 9 : an;
        struct gfmul_plan_info info;
        unsigned group = 4;
        if (TEST_OK(gfmul_plan_text(c.ctx, &info, base, an, bn)) && info.base == (unsigned)base)
            group = info.exponent;
        char *a = test_alloc(an), *b = test_alloc(bn);
        const enum text_kind kind = (enum text_kind)(t % TEXT_KINDS);
        text_fill(a, an, kind, (unsigned)base, group, test_u64());
        text_fill(b, bn, t % 5 ? kind : TEXT_RANDOM, (unsigned)base, group, test_u64());
        test_note("base %d, %s, %zu x %zu digits", base, text_kind_name(kind), an, bn);
        check_text(c.ctx, a, an, b, bn, base);
        check_report(&c);
        remade += report_of(&c).n_fallbacks > 0;
        free(a);
        free(b);
    }
    printf("%u products of text were remade\n", remade);
    TEST_CHECK(remade > 0);
    product_ctx_destroy(&c);
}

/* ---- faults ---- */

static struct product_ctx faulty_ctx(enum gfmul_rule rule, enum gfmul_verify verify, unsigned threads)
{
    struct product_ctx c = ctx_of(rule, threads, GFMUL_PACKING_AUTO, verify);
    faults_into(&c);
    return c;
}

/* One product of random limbs or text, the same for the same seed.  Returns its status; OK comes with the right product. */
static enum gfmul_status faulty_product(const struct product_ctx *c, size_t an, size_t bn, bool text, uint64_t seed)
{
    enum gfmul_status status;
    if (text) {
        const size_t zn = an + bn;
        char *a = test_alloc(an), *b = test_alloc(bn), *z = test_alloc(zn + 2), *want = test_alloc(zn);
        size_t len = 0;
        text_fill(a, an, TEXT_RANDOM, 10, 1, seed);
        text_fill(b, bn, TEXT_RANDOM, 10, 1, ~seed);
        text_product(want, a, an, b, bn, 10);
        status = gfmul_str_mul(c->ctx, z, zn + 2, &len, 10, a, an, 10, b, bn, 10);
        if (status == GFMUL_OK)
            TEST_CHECK_MSG(len >= zn - 1 && len <= zn && memcmp(z, want + zn - len, len) == 0, "a wrong product got out");
        free(a);
        free(b);
        free(z);
        free(want);
    } else {
        mp_limb_t *a = test_alloc(8 * an), *b = test_alloc(8 * bn), *z = test_alloc(8 * (an + bn)),
                  *want = test_alloc(8 * (an + bn));
        operand_fill(a, an, OPERAND_RANDOM, 1, seed);
        operand_fill(b, bn, OPERAND_RANDOM, 1, ~seed);
        ref_mul_gmp(want, a, an, b, bn);
        status = gfmul_mul(c->ctx, z, a, an, b, bn);
        if (status == GFMUL_OK)
            test_equal_limbs(z, want, an + bn);
        free(a);
        free(b);
        free(z);
        free(want);
    }
    return status;
}

static void check_faults(enum gfmul_rule rule, enum gfmul_verify verify)
{
    unsigned posterior = 0, fractions = 0, unlucky = 0;
    for (unsigned k = 0; k < FAULT_KINDS; k++) {
        const bool seen = rule == GFMUL_RULE_CHECKED || k == FAULT_NAN || k == FAULT_INFINITY || k == FAULT_HUGE;
        if (!seen) /* the proof is about rounding alone; the residue check is for this, and was switched off */
            continue;
        for (unsigned t = 0; t < (test_longest_tier() ? 80u : 12u); t++) {
            struct product_ctx c = faulty_ctx(rule, verify, 1 + t % 3);
            const bool text = t % 2, sliced = t / 2 % 2;
            const size_t unit = text ? 20 : 1, bn = unit * test_between(60, 500), an = sliced ? bn * 12 : bn;
            struct gfmul_report r;
            fault = (enum fault)k;
            test_note("%s, fault %s, once, %s, %zu x %zu", c.name, fault_names[k], text ? "text" : "limbs", an, bn);
            uint64_t seed;
            do { /* whose errors alone are no reason to remake it */
                seed = test_u64();
                faults_left = 0;
                TEST_OK(faulty_product(&c, an, bn, text, seed));
                r = report_of(&c);
            } while (r.n_fallbacks > 0 && ++unlucky < (test_longest_tier() ? 20u : 4u));
            TEST_CHECK(r.n_fallbacks == 0);
            struct gfmul_plan_info plan = r.plan;
            if (r.plan.wraps) /* the report may rest on the low limbs' product, which comes after the fault */
                TEST_OK(gfmul_plan_limbs(c.ctx, &plan, an, bn));
            const bool fragile = rule == GFMUL_RULE_CHECKED || plan.norms_measured;
            const bool watched = rule == GFMUL_RULE_CHECKED || plan.inverse_measured;
            posterior += rule == GFMUL_RULE_NORM && watched;
            faults_left = 1;
            enum gfmul_status status = faulty_product(&c, an, bn, text, seed);
            r = report_of(&c);
            TEST_CHECK(faults_left == 0);
            /* the next plan may wrap around, and what its low limbs' product needs is not known from the one before */
            if (fragile && k == FAULT_FRACTION) { /* may be made up for by the rounding errors */
                TEST_CHECK(status == GFMUL_OK && r.n_fallbacks <= 2 && r.detail[0] == '\0');
                fractions += r.n_fallbacks > 0;
            } else if (fragile) /* nothing is left of what was said of a plan that was given up */
                TEST_CHECK_MSG(status == GFMUL_OK && r.n_fallbacks >= 1 && r.n_fallbacks <= 2 && r.detail[0] == '\0',
                               "status %d after %u fall-backs, detail '%s'", status, r.n_fallbacks, r.detail);
            else
                TEST_CHECK_MSG(status == GFMUL_ERR_VERIFY, "status %d", status);
            test_note("%s, fault %s, always, %s, %zu x %zu", c.name, fault_names[k], text ? "text" : "limbs", an, bn);
            faults_left = ~0u;
            status = faulty_product(&c, an, bn, text, seed);
            r = report_of(&c);
            if (k == FAULT_FRACTION) /* harmless under the proved plan, the third, which does not look at it */
                TEST_CHECK(status == GFMUL_OK && r.n_fallbacks <= MOST_FALLBACKS_WRAPPED);
            else
                TEST_CHECK_MSG(status == GFMUL_ERR_VERIFY && r.detail[0] && r.max_error <= 0.5,
                               "status %d, detail '%s', error %g", status, r.detail, r.max_error);
            c.ctx->ops = real_ops;
            product_ctx_destroy(&c);
        }
    }
    if (rule == GFMUL_RULE_CHECKED)
        TEST_CHECK_MSG(fractions > 0, "no product with an error of 0.47 was remade"); /* five of six are */
    if (rule == GFMUL_RULE_NORM)
        TEST_CHECK_MSG(posterior > 0, "no plan with a measured inverse"); /* two of five have one */
}

static void test_faults_checked(void)
{
    check_faults(GFMUL_RULE_CHECKED, GFMUL_VERIFY_NONE);
    check_faults(GFMUL_RULE_CHECKED, GFMUL_VERIFY_MOD);
}

static void test_faults_norm(void)
{
    check_faults(GFMUL_RULE_NORM, GFMUL_VERIFY_NONE);
}

/* ---- fixed operands ---- */

static struct gfmul_operand *operand_of(const struct product_ctx *c, const mp_limb_t *b, size_t bn, size_t max_an)
{
    struct gfmul_operand *op;
    if (!TEST_OK(gfmul_operand_create(c->ctx, &op, b, bn, max_an)))
        exit(1);
    return op;
}

/* One product by a fixed operand: OK comes with the right one. */
static enum gfmul_status operand_product(struct gfmul_operand *op, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    mp_limb_t *want = test_alloc(8 * (an + bn)), *z = test_alloc(8 * (an + bn));
    ref_mul_gmp(want, a, an, b, bn);
    enum gfmul_status status = gfmul_operand_mul(op, z, a, an);
    if (status == GFMUL_OK)
        test_equal_limbs(z, want, an + bn);
    free(z);
    free(want);
    return status;
}

/* Every pattern of digits against every kind of fixed operand, whole and in slices, in both packings that keep spectra. */
static void test_operand(void)
{
    enum { MOST = 2500 };
    mp_limb_t *a = test_alloc(8 * 9 * MOST), *b = test_alloc(8 * MOST);
    const unsigned times = test_longest_tier() ? 600 : 60;
    unsigned remade = 0, kept = 0, unlucky = 0;
    for (unsigned t = 0; t < times; t++) {
        struct product_ctx c = ctx_of(GFMUL_RULE_CHECKED, 1 + t % 2, t % 3 == 2 ? GFMUL_PACKING_ONE_FOR_HALF : GFMUL_PACKING_AUTO,
                                      t % 5    ? GFMUL_VERIFY_NONE
                                      : t % 10 ? GFMUL_VERIFY_MOD
                                               : GFMUL_VERIFY_GMP);
        const size_t bn = test_size(100, MOST), max_an = t % 4 ? bn : bn / 2 + 1;
        const enum operand_kind bk = t % 2 ? OPERAND_RANDOM : (enum operand_kind)test_below(OPERAND_KINDS);
        unsigned l = product_digit_bits(&c, max_an, bn);
        operand_fill(b, bn, bk, l, test_u64());
        struct gfmul_operand *op = operand_of(&c, b, bn, max_an);
        kept += strcmp(report_of(&c).plan.rule, "checked") == 0;
        if (report_of(&c).plan.exponent > 0)
            l = report_of(&c).plan.exponent;
        operand_fill(b, bn, bk, l, test_u64()); /* not what op has: the same kind, for the digits that it took */
        gfmul_operand_destroy(op);
        op = operand_of(&c, b, bn, max_an);
        for (unsigned i = 0; i < 4; i++) {
            const size_t an = i == 3 ? test_between(max_an, 9 * (size_t)MOST) : max_an;
            const enum operand_kind ak = i == 0 ? OPERAND_RANDOM : i == 1 ? bk : (enum operand_kind)test_below(OPERAND_KINDS);
            operand_fill(a, an, ak, l, test_u64());
            test_note("%s, verify %u, %zu limbs %s by a fixed operand of %zu limbs %s, l = %u", c.name, (t % 5 > 0) + 0u, an,
                      operand_name(ak), bn, operand_name(bk), l);
            TEST_OK(operand_product(op, a, an, b, bn));
            const struct gfmul_report r = report_of(&c);
            if (strcmp(r.plan.engine, "cpu") != 0) /* zero */
                continue;
            TEST_CHECK(r.residue_prime != 0 && r.detail[0] == '\0' && r.n_fallbacks <= MOST_FALLBACKS);
            TEST_CHECK(strcmp(r.plan.rule, "checked") == 0 ? !r.plan.proved && r.max_error < CHECKED_ERROR_LIMIT
                                                           : r.plan.proved && r.n_fallbacks > 0);
            unlucky += i == 0 && bk == OPERAND_RANDOM && r.n_fallbacks > 0;
            remade += r.n_fallbacks > 0;
        }
        gfmul_operand_destroy(op);
        product_ctx_destroy(&c);
    }
    printf("%u spectra were kept, %u products remade\n", kept, remade);
    TEST_CHECK(kept > 20 && remade > 0);
    TEST_CHECK_MSG(unlucky <= times / 20, "%u products of random operands were remade", unlucky);
    free(b);
    free(a);
}

static void test_operand_faults(void)
{
    enum { MOST = 600 };
    mp_limb_t *a = test_alloc(8 * 12 * MOST), *b = test_alloc(8 * MOST);
    for (unsigned rule = 0; rule < 2; rule++)
        for (unsigned k = 0; k < FAULT_KINDS; k++) {
            const bool checked = rule == 1;
            if (!checked && (k == FAULT_POINT || k == FAULT_FRACTION || k == FAULT_INTEGER)) /* no rounding: not its business */
                continue;
            for (unsigned t = 0; t < (test_longest_tier() ? 80u : 12u); t++) {
                struct product_ctx c = faulty_ctx(checked ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM, GFMUL_VERIFY_NONE, 1 + t % 2);
                const size_t bn = test_between(100, MOST), an = t % 2 ? bn * 12 : bn;
                fault = (enum fault)k;
                faults_left = 0;
                operand_fill(b, bn, OPERAND_RANDOM, 1, test_u64());
                operand_fill(a, an, OPERAND_RANDOM, 1, test_u64());
                struct gfmul_operand *op = operand_of(&c, b, bn, bn);
                const struct gfmul_plan_info plan = report_of(&c).plan;
                test_note("%s, fixed operand, fault %s, %zu x %zu", c.name, fault_names[k], an, bn);
                faults_left = 1;
                enum gfmul_status status = operand_product(op, a, an, b, bn);
                struct gfmul_report r = report_of(&c);
                if (k == FAULT_FRACTION)
                    TEST_CHECK(status == GFMUL_OK && r.n_fallbacks <= 1);
                else if (checked || plan.norms_measured)
                    TEST_CHECK_MSG(status == GFMUL_OK && r.n_fallbacks == 1 && r.detail[0] == '\0',
                                   "status %d, %u fall-backs, '%s'", status, r.n_fallbacks, r.detail);
                TEST_CHECK(faults_left == 0);
                faults_left = ~0u;
                status = operand_product(op, a, an, b, bn);
                r = report_of(&c);
                if (k == FAULT_FRACTION)
                    TEST_CHECK(status == GFMUL_OK && r.n_fallbacks <= 1);
                else
                    TEST_CHECK_MSG(status == GFMUL_ERR_VERIFY && r.detail[0], "status %d, detail '%s'", status, r.detail);
                faults_left = 0;
                gfmul_operand_destroy(op);
                c.ctx->ops = real_ops;
                product_ctx_destroy(&c);
            }
        }
    free(b);
    free(a);
}

/* ---- distances from integers ---- */

enum way { WAY_LIMBS, WAY_LIMBS_SLICED, WAY_FIXED, WAY_TEXT, WAY_TEXT_SLICED, WAYS };
static const char *const way_names[WAYS] = {"limbs", "limbs in slices", "a fixed operand", "text", "text in slices"};

/* In slices: a number 12 times as long. */
static size_t way_longer(enum way way, size_t n)
{
    return way == WAY_LIMBS_SLICED || way == WAY_TEXT_SLICED ? 12 * n : n;
}

/* way_size - limbs or digits of text whose plan expects a bound near its limit. */
static size_t way_size(const struct product_ctx *c, enum way way)
{
    struct gfmul_plan_info info;
    size_t n;
    unsigned tries = 0;
    do {
        n = (way >= WAY_TEXT ? 20 : 1) * test_between(100, way_longer(way, 1) == 1 ? 2000 : 400);
        TEST_OK(way >= WAY_TEXT ? gfmul_plan_text(c->ctx, &info, 10, way_longer(way, n), n)
                                : gfmul_plan_limbs(c->ctx, &info, way_longer(way, n), n));
    } while (++tries < 100 && !(info.norms_measured && info.bound > 0.7 && !info.wraps));
    return n;
}

/* way_product - of random numbers, the same for the same seed. */
static enum gfmul_status way_product(const struct product_ctx *c, enum way way, size_t n, uint64_t seed)
{
    if (way != WAY_FIXED)
        return faulty_product(c, way_longer(way, n), n, way >= WAY_TEXT, seed);
    mp_limb_t *a = test_alloc(8 * n), *b = test_alloc(8 * n);
    operand_fill(a, n, OPERAND_RANDOM, 1, seed);
    operand_fill(b, n, OPERAND_RANDOM, 1, ~seed);
    struct gfmul_operand *op = operand_of(c, b, n, n);
    const enum gfmul_status status = operand_product(op, a, n, b, n);
    gfmul_operand_destroy(op);
    free(a);
    free(b);
    return status;
}

/*
 * Rule norm: how far a coefficient lies from its integer counts beside the bound.  Errors that leave every integer as it is, once
 * too large for a bound above 1/2, once not.
 */
static void test_distances(void)
{
    unsigned above[WAYS] = {0}, dd = 0, cyclic = 0;
    fault = FAULT_FRACTION;
    for (unsigned t = 0; t < (test_longest_tier() ? 2000u : 200u); t++) {
        const enum way way = (enum way)(t % WAYS);
        const bool sliced = way_longer(way, 1) > 1, is_dd = test_below(2) == 0;
        const enum gfmul_packing packing = is_dd ? GFMUL_PACKING_AUTO : (enum gfmul_packing)test_below(4);
        const uint64_t seed = test_u64();
        struct product_ctx c = ctx_with(GFMUL_RULE_NORM, 1 + (unsigned)test_below(3), packing, GFMUL_VERIFY_NONE,
                                        is_dd ? GFMUL_PRECISION_DD : GFMUL_PRECISION_AUTO);
        faults_into(&c);
        const size_t n = way_size(&c, way);
        faults_left = 0;
        TEST_OK(way_product(&c, way, n, seed));
        const struct gfmul_report r = report_of(&c);
        /* the rounding errors are still there, and of slices the largest bound is known */
        const double left = 1 - r.plan.bound, slack = 2 * r.max_error + (sliced ? 0.1 : 0.001);
        if (r.n_fallbacks == 0 && left > slack && left + slack < 0.49 && !r.plan.wraps) {
            for (int too_large = 0; too_large < 2; too_large++) {
                faults_left = 1;
                fraction = !too_large ? left - slack : sliced ? 0.485 : left + slack;
                test_note("%s, %s, %zu, bound %g, off by %g", c.name, way_names[way], n, r.plan.bound, fraction);
                TEST_OK(way_product(&c, way, n, seed));
                TEST_CHECK_MSG(faults_left == 0 && (report_of(&c).n_fallbacks > 0) == too_large, "%u fall-backs",
                               report_of(&c).n_fallbacks);
            }
            above[way]++;
            dd += is_dd;
            cyclic += strcmp(r.plan.packing, "right-angle") != 0;
        }
        c.ctx->ops = real_ops;
        product_ctx_destroy(&c);
    }
    fraction = 0.47;
    for (unsigned way = 0; way < WAYS; way++)
        TEST_CHECK_MSG(above[way] > 0, "%s: no plan with a bound above 1/2", way_names[way]);
    TEST_CHECK_MSG(dd > 0 && cyclic > 0, "%u in double-double, %u cyclic ones", dd, cyclic);
    printf("%u, %u, %u, %u, %u plans with bounds above 1/2; %u in double-double, %u cyclic\n", above[0], above[1], above[2],
           above[3], above[4], dd, cyclic);
}

/* ---- the inverse, proved after the fact ---- */

/*
 * Digits with nearly the norms of random ones, all equal: their product's coefficients are as large as any, which is seen
 * only behind the inverse.  The first slices are random, and what they left must not be seen.
 */
static void test_norm_fallback(void)
{
    struct product_ctx c[2] = {ctx_of(GFMUL_RULE_NORM, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE),
                               ctx_of(GFMUL_RULE_NORM, 3, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE)};
    unsigned remade[2] = {0, 0}, posterior = 0;
    for (unsigned t = 0; t < (test_longest_tier() ? 1200u : 240u); t++) {
        const bool slices = t % 2;
        const size_t bn = test_size(100, 6000), an = slices ? bn * test_between(12, 30) : bn, from = slices ? an / 2 : 0;
        struct gfmul_plan_info info;
        if (!TEST_OK(gfmul_plan_limbs(c->ctx, &info, an, bn)) || !info.inverse_measured)
            continue;
        posterior++;
        mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b);
        const uint64_t d = (uint64_t)(ldexp(1.0, (int)info.exponent) * (0.3 + 0.002 * (double)test_below(25)));
        digits_two(a, an, info.exponent, d, d);
        digits_two(b, bn, info.exponent, d, d);
        operand_fill(a, from, OPERAND_RANDOM, info.exponent, test_u64());
        char what[96];
        snprintf(what, sizeof what, "digits of %u bits all %" PRIu64 ", above limb %zu;", info.exponent, d, from);
        product_check(c, 2, a, an, b, bn, what);
        const struct gfmul_report r = report_of(c);
        remade[slices] += r.n_fallbacks;
        test_proved(&r);
        /* of a product that wraps around, the plan may be that of the low limbs' product */
        if (!r.plan.wraps)
            TEST_CHECK((r.n_fallbacks == 0) == (r.plan.inverse_measured != 0));
        free(a);
        free(b);
    }
    printf("%u plans with a measured inverse; remade: %u whole products, %u sliced ones\n", posterior, remade[0], remade[1]);
    TEST_CHECK(remade[0] > 0 && remade[1] > 0);
    product_ctx_destroy(&c[0]);
    product_ctx_destroy(&c[1]);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_random);
    TEST_RUN(test_adversarial);
    TEST_RUN(test_growing_errors);
    TEST_RUN(test_text);
    TEST_RUN(test_faults_checked);
    TEST_RUN(test_faults_norm);
    TEST_RUN(test_operand);
    TEST_RUN(test_operand_faults);
    TEST_RUN(test_distances);
    TEST_RUN(test_norm_fallback);
    return test_end();
}
