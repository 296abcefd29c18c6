/*
 * t-mul_ocl_prime.c - products modulo primes on an OpenCL device by the library's own doors, against GMP.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include "mul/ctx.h"
#include "ocl/ocl_rates.h"
#include "plan/thresholds/device.h"
#include "products.h"
#include "space/space_device_state.h"

/* Of one shape, so that few programs are built: 2048 points, digits of 64 bits. */
enum { AN = 1000, BN = 900, POINTS = 2048, DIGITS = 17000 };

static struct gfmul_options prime_options(void)
{
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_OPENCL;
    opt.precision = GFMUL_PRECISION_PRIME;
    opt.verify = GFMUL_VERIFY_NONE;
    return opt;
}

static struct product_ctx prime_ctx(void)
{
    const struct gfmul_options opt = prime_options();
    struct product_ctx c;
    snprintf(c.name, sizeof c.name, "primes on a device");
    c.ctx = test_ctx(&opt);
    return c;
}

/* made_there - the last product was, and all about it is exact. */
static void made_there(struct gfmul_ctx *ctx)
{
    struct gfmul_report report;
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0 && strcmp(report.plan.precision, "prime") == 0 &&
                       report.plan.bound == 0 && report.max_error == 0 && report.n_device_errors == 0,
                   "engine %s, precision %s: %s", report.plan.engine, report.plan.precision, report.detail);
}

/* Operands of every kind; the highest bit is set, so that no shorter product has programs of its own. */
static void test_kinds(void)
{
    static mp_limb_t a[AN], b[AN];
    struct product_ctx c = prime_ctx();
    for (unsigned kind = 0; kind < 2 * OPERAND_KINDS; kind++) {
        const enum operand_kind ka = (enum operand_kind)(kind % OPERAND_KINDS),
                                kb = kind < OPERAND_KINDS ? ka : (enum operand_kind)test_below(OPERAND_KINDS);
        const size_t an = AN - test_below(20), bn = BN - test_below(20);
        operand_fill(a, an, ka, test_below(2) ? 64 : 16, test_u64());
        operand_fill(b, bn, kb, test_below(2) ? 64 : 16, test_u64());
        a[an - 1] |= (mp_limb_t)1 << 63;
        b[bn - 1] |= (mp_limb_t)1 << 63;
        product_check(&c, 1, a, an, b, bn, operand_name(ka));
        made_there(c.ctx);
    }
    for (unsigned i = 0; i < 2; i++) {
        product_random(&c, 1, AN, AN, i ? OPERAND_RANDOM : OPERAND_ONES, OPERAND_RANDOM, 64, true);
        made_there(c.ctx);
    }
    product_ctx_destroy(&c);
}

/* Sizes of any proportion, from one limb on; in the longest tests every shape up to some length, with each number of primes. */
static void test_sizes(void)
{
    struct product_ctx c = prime_ctx();
    const size_t most = test_longest_tier() ? 2000000 : 1000;
    for (size_t n = 1; n < most; n += test_longest_tier() ? n / 2 + 1 : 500) {
        product_random(&c, 1, n, n - test_below(n / 10 + 1), OPERAND_RANDOM, OPERAND_RANDOM, 16, false);
        if (test_longest_tier()) {
            product_random(&c, 1, n, n, OPERAND_KINDS, OPERAND_KINDS, 16, test_below(2));
            product_random(&c, 1, n, test_size(1, n), OPERAND_RANDOM, OPERAND_RANDOM, 16, false);
        }
    }
    product_ctx_destroy(&c);
}

/* Operands that are longer than a transform are multiplied in parts; where even those of a few limbs are, that is an error. */
static void test_parts(void)
{
    struct product_ctx c = prime_ctx();
    c.ctx->device_points_most = POINTS;
    product_random(&c, 1, 4 * BN, AN, OPERAND_RANDOM, OPERAND_ONES, 64, false);
    struct gfmul_report report;
    gfmul_ctx_report(c.ctx, &report);
    TEST_CHECK_MSG(report.plan.n_slices > 1 && strcmp(report.plan.engine, "opencl") == 0, "%zu parts", report.plan.n_slices);
    product_ctx_destroy(&c);
}

/* Want of memory: in parts, then an error of the device that was named; the next product is right. */
static void test_memory(void)
{
    static mp_limb_t z[AN + BN], want[AN + BN], a[AN], b[BN];
    struct product_ctx c = prime_ctx();
    struct gfmul_report report;
    operand_fill(a, AN, OPERAND_RANDOM, 16, test_u64());
    operand_fill(b, BN, OPERAND_RANDOM, 16, test_u64());
    ref_mul_gmp(want, a, AN, b, BN);
    ocl_fault_set(OCL_FAULT_BUFFER, 0, 100000, -4); /* CL_MEM_OBJECT_ALLOCATION_FAILURE */
    const enum gfmul_status status = gfmul_mul(c.ctx, z, a, AN, b, BN);
    ocl_fault_clear();
    gfmul_ctx_report(c.ctx, &report);
    TEST_CHECK_MSG(status == GFMUL_ERR_DEVICE || status == GFMUL_ERR_MEMORY, "%s", gfmul_strerror(status));
    TEST_CHECK(report.detail[0] != '\0');
    TEST_OK(gfmul_mul(c.ctx, z, a, AN, b, BN));
    test_equal_limbs(z, want, AN + BN);
    product_ctx_destroy(&c);
}

/* ran_kept - whether the last product was made by a kept spectrum modulo primes. */
static bool ran_kept(struct gfmul_ctx *ctx)
{
    struct gfmul_kernel_time list[64];
    const unsigned n = gfmul_ctx_kernels(ctx, list, sizeof list / sizeof *list);
    bool found = false;
    for (unsigned i = 0; i < n && i < sizeof list / sizeof *list; i++)
        found = found || strcmp(list[i].name, "residues_mul_kept_fused") == 0;
    return found;
}

/* Operands of every kind and size by a fixed one; longer than that was made for, and with no limbs. */
static void test_fixed(void)
{
    static mp_limb_t a[2 * AN], b[BN], z[2 * AN + BN], want[2 * AN + BN];
    struct gfmul_options opt = prime_options();
    struct gfmul_ctx *ctx;
    struct gfmul_operand *op;
    opt.profile = 1;
    if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        return;
    for (unsigned i = 0; i < 2; i++) {
        operand_fill(b, BN, i ? OPERAND_ONES : OPERAND_RANDOM, 16, test_u64());
        b[BN - 1] |= (mp_limb_t)1 << 63;
        if (!TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN)))
            continue;
        for (unsigned k = 0; k < OPERAND_KINDS + 3; k++) {
            const size_t an = k < OPERAND_KINDS ? AN : k == OPERAND_KINDS ? 2 * AN : k == OPERAND_KINDS + 1 ? 0 : AN / 3;
            const enum operand_kind kind = k < OPERAND_KINDS ? (enum operand_kind)k : OPERAND_RANDOM;
            operand_fill(a, an, kind, 16, test_u64());
            memset(want, 0, sizeof want);
            if (an > 0)
                ref_mul_gmp(want, a, an, b, BN);
            test_note("fixed, %zu limbs of kind %s", an, operand_name(kind));
            memset(z, 0xff, sizeof z);
            if (TEST_OK(gfmul_operand_mul(op, z, a, an)) && an > 0)
                test_equal_limbs(z, want, an + BN);
            if (an == AN && (kind == OPERAND_RANDOM || kind == OPERAND_ONES)) {
                made_there(ctx);
                TEST_CHECK(ran_kept(ctx));
            }
        }
        gfmul_operand_destroy(op);
    }
    gfmul_ctx_destroy(ctx);
}

/* Fixed operands, checked; a product that is wrong twice is made by the CPU. */
static void test_other_doors(void)
{
    static mp_limb_t a[AN], b[BN], z[AN + BN], want[AN + BN];
    struct gfmul_options opt = prime_options();
    struct gfmul_ctx *ctx;
    struct gfmul_operand *op;
    struct gfmul_report report;
    opt.verify = GFMUL_VERIFY_MOD;
    if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        return;
    operand_fill(a, AN, OPERAND_TOP_BIT, 16, test_u64());
    operand_fill(b, BN, OPERAND_TOP_BIT, 16, test_u64());
    ref_mul_gmp(want, a, AN, b, BN);
    if (TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN))) {
        TEST_OK(gfmul_operand_mul(op, z, a, AN));
        made_there(ctx);
        test_equal_limbs(z, want, AN + BN);
        ocl_fault_set(OCL_FAULT_FIGURES, 0, 1, 1); /* a wrong one by the spectrum: a plain product */
        TEST_OK(gfmul_operand_mul(op, z, a, AN));
        ocl_fault_clear();
        made_there(ctx);
        test_equal_limbs(z, want, AN + BN);
        gfmul_operand_destroy(op);
    }
    for (unsigned times = 1; times <= 2; times++) {
        ocl_fault_set(OCL_FAULT_FIGURES, 0, times, 1);
        TEST_OK(gfmul_mul(ctx, z, a, AN, b, BN));
        ocl_fault_clear();
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(strcmp(report.plan.engine, times == 1 ? "opencl" : "cpu") == 0 &&
                           strcmp(report.plan.precision, "prime") == 0,
                       "engine %s, precision %s: %s", report.plan.engine, report.plan.precision, report.detail);
        test_equal_limbs(z, want, AN + BN);
    }
    gfmul_ctx_destroy(ctx);
}

/* text_check - the product of n and m characters, with signs, against GMP's; direct: it is made of digits of text. */
static void text_check(struct gfmul_ctx *ctx, size_t n, size_t m, int base, enum text_kind kind, unsigned signs, bool direct)
{
    char *a = test_alloc(n + 2), *b = test_alloc(m + 2), *z = test_alloc(n + m + 3), *expected;
    struct gfmul_report report;
    size_t len;
    mpz_t x, y;
    a[0] = signs & 1 ? '-' : '0';
    b[0] = signs & 2 ? '-' : '0';
    text_fill(a + 1, n, kind, (unsigned)base, 4, test_u64());
    text_fill(b + 1, m, kind == TEXT_RANDOM ? (enum text_kind)test_below(TEXT_KINDS) : kind, (unsigned)base, 4, test_u64());
    a[n + 1] = b[m + 1] = '\0';
    for (char *c = b; base > 10 && *c; c++) /* letters of either case */
        *c = (char)(*c >= 'a' && test_below(2) ? *c - 'a' + 'A' : *c);
    mpz_init_set_str(x, a, base);
    mpz_init_set_str(y, b, base);
    mpz_mul(x, x, y);
    expected = mpz_get_str(NULL, base, x);
    test_note("base %d, %zu by %zu characters, %s", base, n, m, text_kind_name(kind));
    if (TEST_OK(gfmul_str_mul(ctx, z, n + m + 3, &len, base, a, n + 1, base, b, m + 1, base)))
        TEST_CHECK(len == strlen(expected) && strcmp(z, expected) == 0);
    made_there(ctx);
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(direct == (report.plan.base == (unsigned)base), "digits of base %u", report.plan.base);
    free(expected);
    mpz_clear(x);
    mpz_clear(y);
    free(z);
    free(b);
    free(a);
}

/* Text of all kinds, signs and proportions; zero and nothing; squares; longer than a transform, through limbs. */
static void test_text(void)
{
    static char z[2 * DIGITS + 3];
    struct product_ctx c = prime_ctx();
    struct gfmul_report report;
    size_t len;
    for (unsigned kind = 0; kind < TEXT_KINDS; kind++)
        text_check(c.ctx, DIGITS - test_below(100), DIGITS - test_below(1000), 10, (enum text_kind)kind, kind % 4, true);
    TEST_OK(gfmul_str_mul(c.ctx, z, sizeof z, &len, 10, "-0000", 5, 10, "123456789", 9, 10));
    TEST_CHECK(len == 1 && strcmp(z, "0") == 0);
    TEST_CHECK(gfmul_str_mul(c.ctx, z, sizeof z, &len, 10, "", 0, 10, "1", 1, 10) == GFMUL_ERR_EMPTY);
    char *a = test_alloc(DIGITS);
    memset(a, '9', DIGITS); /* (10^n - 1)^2 = 99..98 00..01 */
    if (TEST_OK(gfmul_str_mul(c.ctx, z, sizeof z, &len, 10, a, DIGITS, 10, a, DIGITS, 10))) {
        TEST_CHECK(len == 2 * DIGITS && z[DIGITS - 1] == '8' && z[DIGITS] == '0' && z[len - 1] == '1');
        TEST_CHECK(strspn(z, "9") == DIGITS - 1 && strspn(z + DIGITS, "0") == DIGITS - 1);
        gfmul_ctx_report(c.ctx, &report);
        TEST_CHECK(report.plan.base == 10 && strcmp(report.plan.precision, "prime") == 0);
    }
    free(a);
    c.ctx->device_points_most = POINTS;
    text_check(c.ctx, 5 * DIGITS, DIGITS, 10, TEXT_NINES, 1, false);
    product_ctx_destroy(&c);
}

/* A base with letters, of either case, which is not made in double; bases of powers of two are limbs. */
static void test_text_bases(void)
{
    struct gfmul_options opt = prime_options();
    struct gfmul_ctx *ctx;
    opt.precision = GFMUL_PRECISION_AUTO;
    if (TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        text_check(ctx, DIGITS, DIGITS, 36, TEXT_RANDOM, 3, true);
    gfmul_ctx_destroy(ctx);
    struct product_ctx c = prime_ctx();
    text_check(c.ctx, DIGITS, DIGITS, 36, TEXT_NINES, 1, true);
    text_check(c.ctx, DIGITS, DIGITS / 20, 36, TEXT_RANDOM, 2, true);
    text_check(c.ctx, DIGITS, DIGITS, 16, TEXT_RANDOM, 1, false);
    product_ctx_destroy(&c);
}

/* fixed_check - a product by a fixed operand, whose spectrum the device keeps. */
static void fixed_check(struct gfmul_ctx *ctx)
{
    static mp_limb_t a[AN], b[BN], z[AN + BN], want[AN + BN];
    struct gfmul_operand *op;
    operand_fill(a, AN, OPERAND_TOP_BIT, 16, test_u64());
    operand_fill(b, BN, OPERAND_TOP_BIT, 16, test_u64());
    ref_mul_gmp(want, a, AN, b, BN);
    if (!TEST_OK(gfmul_operand_create(ctx, &op, b, BN, AN)))
        return;
    TEST_OK(gfmul_operand_mul(op, z, a, AN));
    made_there(ctx);
    TEST_CHECK(ran_kept(ctx));
    test_equal_limbs(z, want, AN + BN);
    gfmul_operand_destroy(op);
}

/* doubles_refused - double and double-double on a device without doubles. */
static void doubles_refused(void)
{
    static mp_limb_t a[AN], z[2 * AN];
    operand_fill(a, AN, OPERAND_RANDOM, 4, test_u64());
    for (unsigned i = 0; i < 2; i++) {
        struct gfmul_options opt = prime_options();
        struct gfmul_ctx *ctx;
        struct gfmul_report report;
        opt.precision = i ? GFMUL_PRECISION_DD : GFMUL_PRECISION_DOUBLE;
        if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
            return;
        const enum gfmul_status status = gfmul_mul(ctx, z, a, AN, a, BN);
        gfmul_ctx_report(ctx, &report);
        TEST_CHECK_MSG(status == GFMUL_ERR_UNSUPPORTED && strstr(report.detail, "fp64") != NULL, "%s: %s", gfmul_strerror(status),
                       report.detail);
        gfmul_ctx_destroy(ctx);
    }
}

/* A device that claims no double precision makes its products modulo primes, those of text as well; "auto" does not find it. */
static void test_no_fp64(void)
{
    struct gfmul_options opt = prime_options();
    struct gfmul_ctx *ctx;
    struct gfmul_plan_info plan;
    struct gfmul_device_info info;
    char why[200] = "";
    opt.precision = GFMUL_PRECISION_AUTO;
    if (TEST_OK(gfmul_ctx_create(&ctx, &opt)) && TEST_OK(gfmul_plan_limbs(ctx, &plan, AN, BN)))
        TEST_CHECK(strcmp(plan.precision, "double") == 0);
    gfmul_ctx_destroy(ctx);
    opt.profile = 1;
    ocl_pretend(OCL_PRETEND_NO_FP64, true);
    TEST_CHECK(gfmul_device_find(&info, "gpu", why, sizeof why) == GFMUL_OK && info.usable && !info.fp64);
    ocl_test_gpu(true);
    TEST_CHECK(gfmul_device_find(&info, "auto", why, sizeof why) == GFMUL_ERR_DEVICE);
    TEST_CHECK_MSG(strstr(why, "fp64") != NULL, "%s", why);
    ocl_test_gpu(false);
    if (TEST_OK(gfmul_ctx_create(&ctx, &opt))) {
        struct product_ctx c = {ctx, "a device without doubles"};
        TEST_OK(gfmul_plan_limbs(ctx, &plan, AN, BN));
        TEST_CHECK_MSG(strcmp(plan.precision, "prime") == 0 && strcmp(plan.engine, "opencl") == 0, "%s", plan.precision);
        TEST_CHECK(plan.n_points == POINTS && plan.exponent == 64 && plan.proved);
        product_random(&c, 1, AN, BN, OPERAND_RANDOM, OPERAND_ONES, 64, false);
        made_there(ctx);
        text_check(ctx, DIGITS, DIGITS - 1000, 10, TEXT_RANDOM, 2, true);
        fixed_check(ctx);
    }
    gfmul_ctx_destroy(ctx);
    doubles_refused();
    ocl_pretend(OCL_PRETEND_NO_FP64, false);
}

/* What auto takes for two numbers of so many limbs on a GPU of these rates. */
static void auto_takes(const struct device_rates *rates, size_t limbs, const char *field)
{
    struct gfmul_options opt = prime_options();
    struct gfmul_ctx *ctx;
    struct gfmul_plan_info plan;
    opt.precision = GFMUL_PRECISION_AUTO;
    ocl_rates_pretend(rates);
    if (TEST_OK(gfmul_ctx_create(&ctx, &opt)) && TEST_OK(gfmul_plan_limbs(ctx, &plan, limbs, limbs)))
        TEST_CHECK_MSG(strcmp(plan.precision, field) == 0 && strcmp(plan.engine, "opencl") == 0,
                       "%g fma, %g products, %g bytes, %zu limbs: %s", rates->fma, rates->product, rates->copy, limbs,
                       plan.precision);
    gfmul_ctx_destroy(ctx);
    ocl_rates_pretend(NULL);
}

/* The rates of a device decide: fast and slow doubles, fast and slow integers; much and little of both alike changes nothing. */
static void test_rates(void)
{
    static const struct {
        struct device_rates rates;
        const char *field[3]; /* 1e4, 1e6, 1e7 limbs */
    } devices[] = {
        {{DEVICE_RATE_FMA, DEVICE_RATE_PRODUCT, DEVICE_RATE_COPY}, {"double", "prime", "prime"}},
        {{DEVICE_RATE_FMA / 30, DEVICE_RATE_PRODUCT, DEVICE_RATE_COPY}, {"prime", "prime", "prime"}},
        {{DEVICE_RATE_FMA / 30, DEVICE_RATE_PRODUCT / 3, DEVICE_RATE_COPY / 4}, {"prime", "prime", "prime"}}, /* for games */
        {{DEVICE_RATE_FMA / 4, DEVICE_RATE_PRODUCT / 4, DEVICE_RATE_COPY / 4}, {"double", "prime", "prime"}}, /* a small one */
        {{DEVICE_RATE_FMA, DEVICE_RATE_PRODUCT / 8, DEVICE_RATE_COPY}, {"double", "double", "double"}},       /* slow integers */
        {{DEVICE_RATE_FMA * 4, DEVICE_RATE_PRODUCT / 2, DEVICE_RATE_COPY * 4}, {"double", "double", "double"}},
    };
    static const size_t limbs[] = {10000, 1000000, 10000000};
    ocl_test_gpu(true);
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++)
        for (unsigned k = 0; k < 3; k++)
            auto_takes(&devices[i].rates, limbs[k], devices[i].field[k]);
    ocl_test_gpu(false);
}

/* has_gpu - whether there is a GPU, which is one without pretence. */
static bool has_gpu(void)
{
    struct gfmul_device_info list[16];
    const unsigned n = ocl_device_list(list, sizeof list / sizeof *list);
    bool has = false;
    for (unsigned i = 0; i < n && i < sizeof list / sizeof *list; i++)
        has = has || (list[i].gpu && list[i].usable);
    return has;
}

/* shape_in - the plan of a space in this precision; its cost is infinite if the space is not on the device. */
static struct plan_shape shape_in(enum gfmul_precision precision, size_t limbs, size_t products)
{
    struct gfmul_options opt = prime_options();
    struct gfmul_ctx *ctx;
    struct gfmul_space *space;
    struct plan_shape shape = {.device.cost = HUGE_VAL};
    opt.device = "gpu";
    opt.precision = precision;
    ctx = test_ctx(&opt);
    if (TEST_OK(gfmul_space_create(ctx, &space, limbs, products))) {
        if (space->device)
            shape = space->device->shape;
        gfmul_space_destroy(space);
    }
    gfmul_ctx_destroy(ctx);
    return shape;
}

/* On a GPU auto takes the field in which sums cost less, as products do; on a processor doubles, and without them primes. */
static void test_spaces(void)
{
    static const struct {
        struct device_rates rates;
        enum plan_field_id field[3];
    } devices[] = {
        {{0, 0, 0}, {PLAN_DOUBLE, PLAN_DOUBLE, PLAN_PRIME}},
        {{DEVICE_RATE_FMA / 30, DEVICE_RATE_PRODUCT, DEVICE_RATE_COPY}, {PLAN_PRIME, PLAN_PRIME, PLAN_PRIME}},
        {{DEVICE_RATE_FMA * 4, DEVICE_RATE_PRODUCT / 4, DEVICE_RATE_COPY * 4}, {PLAN_DOUBLE, PLAN_DOUBLE, PLAN_DOUBLE}},
    };
    static const size_t limbs[] = {20000, 200000, 2000000}, products[] = {1, 2, 16};
    const bool gpu = has_gpu();
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++)
        for (unsigned k = 0; k < 3; k++) {
            const size_t many = products[test_below(3)];
            ocl_test_gpu(true);
            ocl_rates_pretend(&devices[i].rates);
            const struct plan_shape own = shape_in(GFMUL_PRECISION_AUTO, limbs[k], many),
                                    points = shape_in(GFMUL_PRECISION_DOUBLE, limbs[k], many),
                                    primes = shape_in(GFMUL_PRECISION_PRIME, limbs[k], many);
            const bool choice = limbs[k] >= device_primes_least_limbs(&devices[i].rates);
            const double least = choice ? fmin(points.device.cost, primes.device.cost) : points.device.cost;
            TEST_CHECK_MSG(own.field == devices[i].field[k] && points.field == PLAN_DOUBLE && primes.field == PLAN_PRIME,
                           "device %u, %zu limbs, %zu products: fields %d, %d, %d", i, limbs[k], many, (int)own.field,
                           (int)points.field, (int)primes.field);
            TEST_CHECK_MSG(own.device.cost == least, "device %u, %zu limbs, %zu products: auto costs %g, double %g, primes %g", i,
                           limbs[k], many, own.device.cost, points.device.cost, primes.device.cost);
            ocl_test_gpu(false);
            if (!gpu)
                TEST_CHECK(shape_in(GFMUL_PRECISION_AUTO, limbs[k], many).field == PLAN_DOUBLE);
            ocl_pretend(OCL_PRETEND_NO_FP64, true);
            TEST_CHECK(shape_in(GFMUL_PRECISION_AUTO, limbs[k], many).field == PLAN_PRIME);
            ocl_pretend(OCL_PRETEND_NO_FP64, false);
            ocl_rates_pretend(NULL);
        }
    /* Sums of so many products have digits modulo primes in parts alone.  For longer numbers they have none, and doubles are too
       slow for them. */
    ocl_test_gpu(true);
    ocl_rates_pretend(&devices[1].rates);
    TEST_CHECK(shape_in(GFMUL_PRECISION_AUTO, 1000000, 1000).field == PLAN_PRIME);
    TEST_CHECK(shape_in(GFMUL_PRECISION_DOUBLE, 40000000, 16).device.cost < HUGE_VAL);
    TEST_CHECK(shape_in(GFMUL_PRECISION_AUTO, 40000000, 16).device.cost == HUGE_VAL);
    ocl_rates_pretend(NULL);
    ocl_test_gpu(false);
}

/* On a GPU auto takes primes where they are faster, and doubles for short products and other rules. */
static void test_auto(void)
{
    struct gfmul_options opt = prime_options();
    struct gfmul_ctx *ctx;
    struct gfmul_plan_info plan;
    const unsigned first = has_gpu() ? 1 : 0;
    opt.precision = GFMUL_PRECISION_AUTO;
    ocl_rates_pretend(&(const struct device_rates){0, 0, 0}); /* by the tables, whatever this device is */
    for (unsigned gpu = first; gpu < 2; gpu++) {
        ocl_test_gpu(gpu != 0);
        for (unsigned rule = 0; rule < 2; rule++) {
            opt.rule = rule ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM;
            if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
                continue;
            static const size_t limbs[] = {30000, 1000000, 10000000, 100000000, 110000000};
            for (unsigned i = 0; i < sizeof limbs / sizeof *limbs; i++) {
                const bool primes = gpu && !rule && i > 0 && i < 4; /* no transform is longer */
                TEST_OK(gfmul_plan_limbs(ctx, &plan, limbs[i], limbs[i]));
                /* longer ones are in double, or in parts if there is no memory for that */
                TEST_CHECK_MSG((strcmp(plan.precision, primes ? "prime" : "double") == 0 || (i == 4 && plan.n_slices > 1)) &&
                                   strcmp(plan.engine, "opencl") == 0,
                               "gpu %u, rule %u, %zu limbs: %s", gpu, rule, limbs[i], plan.precision);
                if (i < 3 && TEST_OK(gfmul_plan_text(ctx, &plan, 10, 19 * limbs[i], 19 * limbs[i])))
                    TEST_CHECK_MSG(strcmp(plan.precision, primes ? "prime" : "double") == 0 && plan.base == 10,
                                   "gpu %u, rule %u, text as long as %zu limbs: %s, base %u", gpu, rule, limbs[i], plan.precision,
                                   plan.base);
            }
            gfmul_ctx_destroy(ctx);
        }
    }
    ocl_rates_pretend(NULL);
    ocl_test_gpu(false);
}

/* Rules and packings that do not go with primes. */
static void test_refused(void)
{
    struct gfmul_ctx *ctx = NULL;
    for (unsigned i = 0; i < 4; i++) {
        struct gfmul_options opt = prime_options();
        if (i < 2)
            opt.rule = i ? GFMUL_RULE_CHECKED : GFMUL_RULE_KNUTH;
        else if (i == 2)
            opt.packing = GFMUL_PACKING_RIGHT_ANGLE;
        else
            opt.precision = GFMUL_PRECISION_FLOAT; /* for transforms alone */
        TEST_CHECK_MSG(gfmul_ctx_create(&ctx, &opt) == GFMUL_ERR_UNSUPPORTED && !ctx, "choice %u", i);
    }
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_refused);
    TEST_RUN(test_auto);
    TEST_RUN(test_rates);
    TEST_RUN(test_spaces);
    TEST_RUN(test_no_fp64);
    TEST_RUN(test_kinds);
    TEST_RUN(test_text);
    TEST_RUN(test_fixed);
    TEST_RUN(test_other_doors);
    TEST_RUN(test_parts);
    TEST_RUN(test_memory);
    TEST_RUN_LONG(test_text_bases);
    TEST_RUN_LONG(test_sizes);
    return ocl_test_end();
}
#else
int main(void)
{
    return 77;
}
#endif
