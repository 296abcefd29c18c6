/*
 * t-mul_ocl_checked.c - rule checked on an OpenCL device: larger digits than are proved, and no wrong product gets out.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "products.h"

#ifndef HAVE_OPENCL
static void test_random(void)
{
    TEST_SKIP("built without OpenCL");
}
int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_random);
    return test_end();
}
#else
#include "kernel_test.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_residue.h"
#include "ocl/ocl_staging.h"
#include "plan/plan.h"

/* ctx_there - a context on the device; false, and a failure, where there is none. */
static bool ctx_there(struct product_ctx *c, enum gfmul_rule rule)
{
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.device = device_name();
    opt.rule = rule;
    opt.verify = GFMUL_VERIFY_NONE;
    snprintf(c->name, sizeof c->name, "device, rule %s", plan_rule_name(rule));
    return TEST_OK(gfmul_ctx_create(&c->ctx, &opt));
}

/* What a report of the rule checked has to say.   Returns the plans that were given up. */
static unsigned check_report(const struct product_ctx *c)
{
    const struct gfmul_report r = report_of(c);
    if (strcmp(r.plan.engine, "gmp") == 0 || strcmp(r.plan.engine, "short") == 0) /* zero, or short */
        return 0;
    TEST_CHECK_MSG(strcmp(r.plan.engine, "opencl") == 0, "engine %s: %s", r.plan.engine, r.detail);
    report_checked(&r, 2);
    return r.n_fallbacks;
}

/* test_residue - numbers of all lengths about the kernel's groups and rounds against the CPU's residues. */
static void test_residue(void)
{
    static const uint64_t primes[] = {UINT64_C(2305843009213693951), UINT64_C(1152921504606847009), UINT64_C(4294967311)};
    static const size_t sizes[] = {1, 2, 7, 8, 9, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 70001, 300007};
    struct ocl_device *d;
    if (!TEST_CHECK_MSG(ocl_device_open(&d, device_name(), NULL, detail) == GFMUL_OK, "%s", detail))
        return;
    ocl_device_lock(d);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned k = 0; k < 3; k++) {
            const size_t n = sizes[i], limbs = (n + 1) / 2;
            const bool text = k == 1;
            const unsigned n_primes = text ? 2 : 1 + 2 * (i % 2), at = test_below(n_primes);
            const uint64_t p = primes[at];
            mp_limb_t *a = test_alloc(8 * limbs);
            char *s = test_alloc(n + 1);
            uint64_t want, r[OCL_RESIDUE_NUMBERS][RESIDUE_PRIMES_MAX] = {{0}};
            cl_mem m;
            operand_fill(a, limbs, k == 2 ? OPERAND_ONES : OPERAND_RANDOM, 1, test_u64());
            if (n % 2)
                a[limbs - 1] &= UINT32_MAX;
            if (text) {
                mpz_t x;
                text_fill(s, n, TEXT_RANDOM, 10, 1, test_u64());
                s[n] = '\0';
                mpz_init_set_str(x, s, 10);
                want = mpz_fdiv_ui(x, p);
                mpz_clear(x);
            } else {
                want = mpn_mod_1(a, (mp_size_t)limbs, p);
            }
            TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 4 * n + 8, &m));
            TEST_OK(ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, 0, text ? n : 4 * n}, text ? (void *)s : (void *)a, 1,
                               OCL_AFTER_QUEUE));
            const size_t less = text ? n : n - n / 3 / 2 * 2; /* a shorter number beside it */
            const struct ocl_residue_number numbers[] = {{m, less}, {m, n}, {m, n}};
            TEST_OK(ocl_residues(OCL_ON(d, detail), numbers, 1 + i % 3, text, n_primes, primes, r));
            if (!text && less < n) {
                mp_limb_t *low = test_alloc(8 * limbs);
                memcpy(low, a, 8 * limbs);
                if (less % 2)
                    low[less / 2] &= UINT32_MAX;
                TEST_CHECK(r[0][at] == mpn_mod_1(low, (mp_size_t)((less + 1) / 2), p));
                free(low);
            }
            if (i % 3 == 0 && less < n)
                TEST_OK(ocl_residues(OCL_ON(d, detail), numbers + 1, 1, text, n_primes, primes, &r[i % 3]));
            const uint64_t *const r_at = r[i % 3];
            TEST_CHECK_MSG(r_at[at] == want, "%zu %s modulo %" PRIu64 ": %" PRIu64 ", not %" PRIu64, n,
                           text ? "characters" : "words", p, r_at[at], want);
            ocl_buffer_put(d, m);
            free(s);
            free(a);
        }
    ocl_device_unlock(d);
    ocl_device_close(d);
}

/* Every short length, which usual thresholds leave to GMP: on the device where thresholds are tiny. */
static void test_short(void)
{
    enum { MOST = 64 };
    for (unsigned rule = 0; rule < 2; rule++) {
        struct product_ctx c;
        mp_limb_t a[MOST], b[MOST], z[2 * MOST], want[2 * MOST];
        if (!ctx_there(&c, rule ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM))
            return;
        for (size_t an = 1; an <= MOST; an++) {
            const size_t bn = an % 3 ? an : test_between(1, an);
            operand_fill(a, an, an % 2 ? OPERAND_ONES : OPERAND_RANDOM, 16, test_u64());
            operand_fill(b, bn, an % 4 < 2 ? OPERAND_ONES : OPERAND_RANDOM, 16, test_u64());
            test_note("%s, an=%zu bn=%zu", c.name, an, bn);
            TEST_OK(gfmul_mul(c.ctx, z, a, an, b, bn));
            ref_mul_gmp(want, a, an, b, bn);
            test_equal_limbs(z, want, an + bn);
        }
        product_ctx_destroy(&c);
    }
}

/* Random numbers: larger digits and fewer points than the norm rule has, if not at each length, and not remade. */
static void test_random(void)
{
    static const size_t sizes[] = {4500, 700, 1500, 12000};
    const size_t n_sizes = sizeof sizes / sizeof *sizes;
    struct product_ctx c, norm;
    unsigned remade = 0, shorter = 0;
    if (!ctx_there(&c, GFMUL_RULE_CHECKED))
        return;
    if (!ctx_there(&norm, GFMUL_RULE_NORM))
        exit(1);
    for (size_t i = 0; i < test_tier(1, n_sizes, n_sizes); i++)
        for (unsigned t = 0; t < 3; t += (unsigned)test_tier(2, 1, 1)) {
            const size_t an = sizes[i], bn = t == 1 ? an - an / 7 : an; /* few shapes: each is compiled */
            product_random(&c, 1, an, bn, OPERAND_RANDOM, OPERAND_RANDOM, 1, t == 2);
            remade += check_report(&c);
            struct gfmul_plan_info checked, proved;
            if (TEST_OK(gfmul_plan_limbs(c.ctx, &checked, an, bn)) && TEST_OK(gfmul_plan_limbs(norm.ctx, &proved, an, bn)))
                shorter += checked.n_points < proved.n_points && checked.exponent > proved.exponent;
        }
    TEST_CHECK_MSG(remade <= 1, "%u random products were remade", remade);
    TEST_CHECK_MSG(shorter >= test_tier(2, 6, 6), "only %u plans were shorter than those of rule norm", shorter);
    product_ctx_destroy(&norm);
    product_ctx_destroy(&c);
}

/* Digits that break unproved sizes: constant, alternating, all maximal, and every other pattern. */
static void test_adversarial(void)
{
    static const size_t sizes[][2] = {{900, 900}, {3000, 3000}, {9000, 2000}};
    struct product_ctx c;
    unsigned remade = 0, twice = 0;
    if (!ctx_there(&c, GFMUL_RULE_CHECKED))
        return;
    for (unsigned i = 0; i < (test_longest_tier() ? 3u : 2u); i++) { /* each plan is compiled, which takes the time */
        const size_t an = sizes[i][0], bn = sizes[i][1];
        const unsigned l = product_digit_bits(&c, an, bn);
        for (unsigned ak = 0; ak < OPERAND_KINDS; ak++)
            for (unsigned t = 0; t < (test_longest_tier() ? 12u : 3u); t++) {
                product_random(&c, 1, an, bn, (enum operand_kind)ak, t == 0 ? (enum operand_kind)ak : OPERAND_KINDS,
                               t == 2 ? l - 4 : l, t == 1 && an == bn);
                const unsigned n = check_report(&c);
                remade += n > 0;
                twice += n > 1;
            }
    }
    printf("%u products were remade, %u of them twice\n", remade, twice);
    TEST_CHECK(remade > 5);
    product_ctx_destroy(&c);
}

/* digits_two - the number whose raw digits of l bits are `even` and `odd` in turn. */
static void digits_two(mp_limb_t *a, size_t an, unsigned l, uint64_t even, uint64_t odd)
{
    memset(a, 0, an * sizeof *a);
    for (size_t bit = 0; bit < 64 * an; bit++)
        a[bit / 64] |= (mp_limb_t)((bit / l % 2 ? odd : even) >> bit % l & 1) << bit % 64;
    a[an - 1] |= 1; /* not short */
}

/* Digits all equal, or of alternating signs, from small ones on to the largest: errors grow past the limit, 1/2 and 1. */
static void test_growing_errors(void)
{
    struct product_ctx c;
    unsigned remade = 0, near = 0, n_products = 0;
    const size_t n = 2500;
    mp_limb_t *a = test_alloc(8 * n), *b = test_alloc(8 * n);
    if (ctx_there(&c, GFMUL_RULE_CHECKED)) {
        const unsigned l = product_digit_bits(&c, n, n);
        for (unsigned t = 0; t < 2; t++)
            for (double share = 0.02; share < 0.5; share *= 1.07, n_products++) {
                const uint64_t d = (uint64_t)ldexp(share, (int)l), minus = ((uint64_t)1 << l) - d;
                char what[96];
                digits_two(a, n, l, d, d);
                if (t == 0)
                    digits_two(b, n, l, d, d);
                else
                    digits_two(b, n, l, minus, d - 1);
                snprintf(what, sizeof what, "digits of %u bits, +-%" PRIu64 ";", l, d);
                product_check(&c, 1, a, n, b, n, what);
                remade += check_report(&c) > 0;
                near += report_of(&c).n_fallbacks == 0 && report_of(&c).max_error > 0.25;
            }
        printf("%u of %u products were remade, %u had errors above 1/4\n", remade, n_products, near);
        TEST_CHECK(remade > n_products / 50 && remade < n_products);
        product_ctx_destroy(&c);
    }
    free(a);
    free(b);
}

/* Decimal text. */
static void test_text(void)
{
    static const size_t sizes[][2] = {{20000, 20000}, {50000, 17000}};
    struct product_ctx c;
    unsigned remade = 0;
    if (!ctx_there(&c, GFMUL_RULE_CHECKED))
        return;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned kind = 0; kind < TEXT_KINDS; kind++) {
            const size_t an = sizes[i][0], bn = sizes[i][1];
            char *a = test_alloc(an + 1), *b = test_alloc(bn + 1), *z = test_alloc(an + bn + 3);
            mpz_t x, y;
            size_t zn = 0;
            text_fill(a, an, kind, 10, 5, test_u64());
            text_fill(b, bn, test_below(2) ? TEXT_RANDOM : (enum text_kind)kind, 10, 5, test_u64());
            a[an] = b[bn] = '\0';
            test_note("text, %s, %zu x %zu digits", text_kind_name(kind), an, bn);
            mpz_init_set_str(x, a, 10);
            mpz_init_set_str(y, b, 10);
            mpz_mul(x, x, y);
            char *want = mpz_get_str(NULL, 10, x);
            if (TEST_OK(gfmul_str_mul(c.ctx, z, an + bn + 3, &zn, 10, a, an, 10, b, bn, 10)))
                TEST_CHECK_MSG(strcmp(z, want) == 0, "another product");
            remade += check_report(&c);
            mpz_clears(x, y, NULL);
            free(want);
            free(z);
            free(b);
            free(a);
        }
    printf("%u products of text were remade\n", remade); /* digits of 10^6 are little risk at these lengths */
    product_ctx_destroy(&c);
}

/* Numbers that stay there: what is wrong is made again there, though nobody checks what is fetched. */
static void test_resident(void)
{
    struct product_ctx c;
    struct gfmul_device_operand *a, *b, *z;
    const size_t n = 2500;
    unsigned remade = 0;
    mp_limb_t *x = test_alloc(8 * n), *y = test_alloc(8 * n), *got = test_alloc(16 * n), *want = test_alloc(16 * n);
    if (ctx_there(&c, GFMUL_RULE_CHECKED)) {
        const unsigned l = product_digit_bits(&c, n, n);
        TEST_OK(gfmul_device_operand_create(c.ctx, &a, n));
        TEST_OK(gfmul_device_operand_create(c.ctx, &b, n));
        TEST_OK(gfmul_device_operand_create(c.ctx, &z, 2 * n));
        for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
            operand_fill(x, n, kind, l, test_u64());
            operand_fill(y, n, kind, l, test_u64());
            x[n - 1] |= 1;
            y[n - 1] |= 1;
            test_note("resident, %s", operand_name(kind));
            ref_mul_gmp(want, x, n, y, n);
            TEST_OK(gfmul_device_operand_set(a, x, n));
            TEST_OK(gfmul_device_operand_set(b, y, n));
            TEST_OK(gfmul_device_operand_mul(z, a, b));
            remade += check_report(&c) > 0;
            TEST_OK(gfmul_device_operand_get(z, got, 2 * n));
            test_equal_limbs(got, want, 2 * n);
        }
        TEST_CHECK(remade > 0);
        gfmul_device_operand_destroy(z);
        gfmul_device_operand_destroy(b);
        gfmul_device_operand_destroy(a);
        product_ctx_destroy(&c);
    }
    free(x);
    free(y);
    free(got);
    free(want);
}

/* A residue taken on the device that comes back wrong: a product that stays there is doubted, and made again. */
static void test_wrong_residue(void)
{
    enum { N = 1500 };
    static mp_limb_t x[N], y[N], got[2 * N], want[2 * N];
    struct product_ctx c;
    struct gfmul_device_operand *a, *b, *z;
    if (!ctx_there(&c, GFMUL_RULE_CHECKED))
        return;
    operand_fill(x, N, OPERAND_TOP_BIT, 1, test_u64());
    operand_fill(y, N, OPERAND_TOP_BIT, 1, test_u64());
    ref_mul_gmp(want, x, N, y, N);
    TEST_OK(gfmul_device_operand_create(c.ctx, &a, N));
    TEST_OK(gfmul_device_operand_create(c.ctx, &b, N));
    TEST_OK(gfmul_device_operand_create(c.ctx, &z, 2 * N));
    TEST_OK(gfmul_device_operand_set(a, x, N));
    TEST_OK(gfmul_device_operand_set(b, y, N));
    for (unsigned n = 0; n < 5; n++) { /* none; of a, b, z; of all three, and of the second plan too */
        test_note("fault %u", n);
        ocl_fault_set(OCL_FAULT_RESIDUE, n % 4 ? n - 1 : 0, n == 0 ? 0 : n < 4 ? 1 : 4, 1);
        TEST_OK(gfmul_device_operand_mul(z, a, b));
        ocl_fault_clear();
        const unsigned remade = check_report(&c);
        TEST_CHECK_MSG(remade == (n == 0 ? 0 : n < 4 ? 1 : 2), "%u plans were given up", remade);
        TEST_OK(gfmul_device_operand_get(z, got, 2 * N));
        test_equal_limbs(got, want, 2 * N);
    }
    gfmul_device_operand_destroy(z);
    gfmul_device_operand_destroy(b);
    gfmul_device_operand_destroy(a);
    product_ctx_destroy(&c);
}

/* A wrong bit that comes down: likewise, by the residues of the host. */
static void test_wrong_download(void)
{
    struct product_ctx c;
    if (!ctx_there(&c, GFMUL_RULE_CHECKED))
        return;
    for (unsigned times = 1; times <= 2; times++) {
        ocl_fault_set(OCL_FAULT_DATA, 0, times, 1 + (int)(8 * 1500));
        product_random(&c, 1, 1500, 1500, OPERAND_RANDOM, OPERAND_RANDOM, 1, false);
        ocl_fault_clear();
        const unsigned remade = check_report(&c);
        TEST_CHECK_MSG(remade == times, "%u downloads were wrong, and %u plans were given up", times, remade);
    }
    product_ctx_destroy(&c);
}

/* Of random numbers of n limbs: what the product is made of. */
enum way { WAY_LIMBS, WAY_RESIDENT, WAY_FIXED, WAYS };
static const char *const way_names[WAYS] = {"limbs", "resident", "a fixed operand"};

/* way_product - OK comes with the right product; `thousandths`, if not 0, are the distance that its first plan meets. */
static struct gfmul_report way_product(struct product_ctx *c, enum way way, const mp_limb_t *x, const mp_limb_t *y, size_t n,
                                       int thousandths)
{
    struct gfmul_operand *op = NULL;
    struct gfmul_device_operand *a, *b, *z;
    mp_limb_t *got = test_alloc(16 * n), *want = test_alloc(16 * n);
    ref_mul_gmp(want, x, n, y, n);
    if (way == WAY_FIXED)
        TEST_OK(gfmul_operand_create(c->ctx, &op, y, n, n));
    if (thousandths != 0)
        ocl_fault_set(OCL_FAULT_DISTANCE, 0, 1, thousandths);
    if (way == WAY_LIMBS) {
        TEST_OK(gfmul_mul(c->ctx, got, x, n, y, n));
    } else if (way == WAY_FIXED) {
        TEST_OK(gfmul_operand_mul(op, got, x, n));
    } else {
        TEST_OK(gfmul_device_operand_create(c->ctx, &a, n));
        TEST_OK(gfmul_device_operand_create(c->ctx, &b, n));
        TEST_OK(gfmul_device_operand_create(c->ctx, &z, 2 * n));
        TEST_OK(gfmul_device_operand_set(a, x, n));
        TEST_OK(gfmul_device_operand_set(b, y, n));
        TEST_OK(gfmul_device_operand_mul(z, a, b));
    }
    const struct gfmul_report r = report_of(c);
    ocl_fault_clear();
    if (way == WAY_RESIDENT) {
        TEST_OK(gfmul_device_operand_get(z, got, 2 * n));
        gfmul_device_operand_destroy(z);
        gfmul_device_operand_destroy(b);
        gfmul_device_operand_destroy(a);
    }
    test_equal_limbs(got, want, 2 * n);
    gfmul_operand_destroy(op);
    free(want);
    free(got);
    return r;
}

/* Rule norm: a distance from an integer that is too large beside a bound above 1/2, and one that is not. */
static void test_distances(void)
{
    enum { MOST = 4000 };
    struct product_ctx c;
    if (!ctx_there(&c, GFMUL_RULE_NORM))
        return;
    mp_limb_t *x = test_alloc(8 * MOST), *y = test_alloc(8 * MOST);
    struct gfmul_plan_info info;
    unsigned tries = 0;
    size_t n;
    do {
        n = test_between(300, MOST);
        TEST_OK(gfmul_plan_limbs(c.ctx, &info, n, n));
    } while (++tries < 1000 && !(info.norms_measured && info.bound > 0.75));
    for (unsigned way = 0; way < WAYS; way++) {
        operand_fill(x, n, OPERAND_RANDOM, 1, test_u64());
        operand_fill(y, n, OPERAND_RANDOM, 1, test_u64());
        const struct gfmul_report r = way_product(&c, (enum way)way, x, y, n, 0);
        test_note("%s, %zu limbs, bound %g", way_names[way], n, r.plan.bound);
        if (!TEST_CHECK(strcmp(r.plan.engine, "opencl") == 0 && r.plan.bound > 0.55 && r.n_fallbacks == 0))
            continue;
        test_proved(&r);
        for (int too_large = 0; too_large < 2; too_large++) {
            const double distance = 1 - r.plan.bound + (too_large ? 0.01 : -0.01);
            const struct gfmul_report f = way_product(&c, (enum way)way, x, y, n, (int)(1000 * distance));
            TEST_CHECK_MSG(f.n_fallbacks == (unsigned)too_large, "%u fall-backs for a distance of %g", f.n_fallbacks, distance);
            TEST_CHECK(too_large || fabs(f.max_error - distance) < 0.002);
        }
    }
    free(y);
    free(x);
    product_ctx_destroy(&c);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_residue);
    TEST_RUN(test_short);
    TEST_RUN(test_random);
    TEST_RUN_LONG(test_adversarial);
    TEST_RUN_LONG(test_growing_errors);
    TEST_RUN_LONG(test_text);
    TEST_RUN_LONG(test_resident);
    TEST_RUN_LONG(test_wrong_residue);
    TEST_RUN_LONG(test_wrong_download);
    TEST_RUN_LONG(test_distances);
    return ocl_test_end();
}
#endif
