/* t-options_all.c - every function on limbs, integers and text under every combination of options, against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "above_test.h"
#include "gfmul_arith.h"
#include "ocl_test.h"

enum { NUMBERS = 3, DOUBLE_LIMBS = 12 }; /* products within the trees have 7 times as many */

#ifdef GFMUL_MIN_THRESHOLDS
enum { LONG_LIMBS = 60 };
#else
enum { LONG_LIMBS = 1500 };
#endif

/* work - a context, and numbers of n limbs, the highest limb not 0; d has n or fewer. */
struct work {
    struct gfmul_ctx *ctx;
    size_t n, dn;
    mp_limb_t *a, *b, *d; /* a: 2 n limbs */
    mpz_t A, B, D, x, y, z, want;
    const char *name;
};

static void note(struct work *w, const char *function)
{
    test_note("%s; %s, %zu and %zu limbs", w->name, function, w->n, w->dn);
}

/* good - whether a call succeeded.  If not, its report says why. */
static bool good(struct work *w, enum gfmul_status status)
{
    struct gfmul_report report;
    gfmul_ctx_report(w->ctx, &report);
    return TEST_CHECK_MSG(status == GFMUL_OK, "status %d, %s: %s", (int)status, gfmul_strerror(status), report.detail);
}

static bool is(struct work *w, mpz_srcptr z)
{
    return TEST_CHECK(mpz_cmp(z, w->want) == 0);
}

static bool limbs_are(struct work *w, const mp_limb_t *z, size_t n)
{
    mpz_t t;
    return is(w, mpz_roinit_n(t, z, (mp_size_t)n));
}

static void products(struct work *w)
{
    const size_t n = w->n;
    mp_limb_t *z = test_alloc(3 * (n + 1) * sizeof *z);
    struct gfmul_operand *op;
    struct gfmul_job *job;
    mpz_mul(w->want, w->A, w->B);
    note(w, "gfmul_mul");
    if (good(w, gfmul_mul(w->ctx, z, w->a, 2 * n, w->b, n)))
        limbs_are(w, z, 3 * n);
    note(w, "gfmul_mul_async");
    if (good(w, gfmul_mul_async(w->ctx, &job, z, w->a, 2 * n, w->b, n)) && good(w, gfmul_job_wait(job, NULL)))
        limbs_are(w, z, 3 * n);
    note(w, "gfmul_operand_create");
    if (good(w, gfmul_operand_create(w->ctx, &op, w->b, n, 2 * n))) {
        note(w, "gfmul_operand_mul");
        if (good(w, gfmul_operand_mul(op, z, w->a, 2 * n)))
            limbs_are(w, z, 3 * n);
        gfmul_operand_destroy(op);
    }
    note(w, "gfmul_mulhigh");
    mpz_fdiv_q_2exp(w->want, w->want, 64 * n);
    if (good(w, gfmul_mulhigh(w->ctx, z, n, w->a, 2 * n, w->b, n)))
        limbs_are(w, z, 2 * n);
    note(w, "gfmul_mullow");
    mpz_mul(w->want, w->A, w->B);
    mpz_fdiv_r_2exp(w->want, w->want, 64 * n);
    if (good(w, gfmul_mullow(w->ctx, z, n, w->a, 2 * n, w->b, n)))
        limbs_are(w, z, n);
    note(w, "gfmul_mulmid");
    mpz_set_ui(w->want, 0); /* each limb of b by a window of a */
    for (size_t j = 0; j < n; j++) {
        mpz_t t;
        mpz_set_ui(w->x, 0);
        mpz_roinit_n(t, w->a + (n - 1 - j), (mp_size_t)(n + 1));
        mpz_set(w->x, t);
        mpz_mul_ui(w->x, w->x, w->b[j]);
        mpz_add(w->want, w->want, w->x);
    }
    if (good(w, gfmul_mulmid(w->ctx, z, w->a, 2 * n, w->b, n)))
        limbs_are(w, z, n + 3);
    free(z);
}

static void rings(struct work *w)
{
    for (unsigned plus = 0; plus < 2; plus++) {
        const size_t n = (plus ? gfmul_mulmod_bnp1_next_size : gfmul_mulmod_bnm1_next_size)(w->ctx, w->n);
        mp_limb_t *z = test_alloc((n + 1) * sizeof *z);
        mpz_t t;
        note(w, plus ? "gfmul_mulmod_bnp1" : "gfmul_mulmod_bnm1");
        mpz_mul(w->want, mpz_roinit_n(t, w->a, (mp_size_t)w->n), w->B);
        mpz_set_ui(w->x, 1);
        mpz_mul_2exp(w->x, w->x, 64 * n);
        if (plus)
            mpz_add_ui(w->x, w->x, 1);
        else
            mpz_sub_ui(w->x, w->x, 1);
        mpz_mod(w->want, w->want, w->x);
        if (good(w, (plus ? gfmul_mulmod_bnp1 : gfmul_mulmod_bnm1)(w->ctx, z, n, w->a, w->n, w->b, w->n)))
            limbs_are(w, z, n + plus);
        free(z);
    }
}

static void quotients(struct work *w)
{
    struct gfmul_divisor *divisor;
    note(w, "gfmul_mpz_tdiv_qr");
    mpz_tdiv_qr(w->want, w->z, w->A, w->D);
    if (good(w, gfmul_mpz_tdiv_qr(w->ctx, w->x, w->y, w->A, w->D)) && is(w, w->x))
        TEST_CHECK(mpz_cmp(w->y, w->z) == 0);
    note(w, "gfmul_divisor_create_mpz");
    if (good(w, gfmul_divisor_create_mpz(w->ctx, &divisor, w->D, 2 * w->n))) {
        note(w, "gfmul_divisor_mpz_tdiv_qr");
        if (good(w, gfmul_divisor_mpz_tdiv_qr(divisor, w->x, w->y, w->A)) && is(w, w->x))
            TEST_CHECK(mpz_cmp(w->y, w->z) == 0);
        gfmul_divisor_destroy(divisor);
    }
    note(w, "gfmul_mpz_divexact");
    mpz_set(w->want, w->B);
    mpz_mul(w->z, w->B, w->D);
    if (good(w, gfmul_mpz_divexact(w->ctx, w->x, w->z, w->D)))
        is(w, w->x);
    note(w, "gfmul_mpz_sqrtrem");
    mpz_sqrtrem(w->want, w->z, w->A);
    if (good(w, gfmul_mpz_sqrtrem(w->ctx, w->x, w->y, w->A)) && is(w, w->x))
        TEST_CHECK(mpz_cmp(w->y, w->z) == 0);
    note(w, "gfmul_invert_approx");
    if (w->d[w->dn - 1] >> 63) {
        mp_limb_t *z = test_alloc((w->dn + 1) * sizeof *z);
        mpz_t t;
        mpz_set_ui(w->x, 1);
        mpz_mul_2exp(w->x, w->x, 128 * w->dn);
        mpz_tdiv_q(w->x, w->x, w->D);
        if (good(w, gfmul_invert_approx(w->ctx, z, w->d, w->dn))) {
            mpz_sub(w->x, w->x, mpz_roinit_n(t, z, (mp_size_t)(w->dn + 1)));
            TEST_CHECK(mpz_cmpabs_ui(w->x, 2) <= 0);
        }
        free(z);
    }
}

static void powers(struct work *w)
{
    struct gfmul_modulus *modulus;
    mpz_set_ui(w->z, 5);
    note(w, "gfmul_mpz_powm");
    mpz_powm(w->want, w->A, w->z, w->D);
    if (good(w, gfmul_mpz_powm(w->ctx, w->x, w->A, w->z, w->D)))
        is(w, w->x);
    note(w, "gfmul_modulus_create_mpz");
    if (good(w, gfmul_modulus_create_mpz(w->ctx, &modulus, w->D))) {
        note(w, "gfmul_modulus_mpz_powm");
        if (good(w, gfmul_modulus_mpz_powm(modulus, w->x, w->A, w->z)))
            is(w, w->x);
        gfmul_modulus_destroy(modulus);
    }
}

static void trees(struct work *w)
{
    mpz_t m[NUMBERS], r[NUMBERS];
    struct gfmul_tree *tree;
    for (unsigned i = 0; i < NUMBERS; i++)
        mpz_init_set(m[i], i == 0 ? w->A : i == 1 ? w->B : w->D), mpz_init(r[i]);
    mpz_mul(w->want, w->A, w->B);
    mpz_mul(w->want, w->want, w->D);
    note(w, "gfmul_mpz_prod");
    if (good(w, gfmul_mpz_prod(w->ctx, w->x, m[0], NUMBERS)))
        is(w, w->x);
    note(w, "gfmul_product_tree");
    if (good(w, gfmul_product_tree(w->ctx, &tree, m[0], NUMBERS))) {
        note(w, "gfmul_tree_product");
        if (good(w, gfmul_tree_product(tree, w->x)))
            is(w, w->x);
        note(w, "gfmul_remainder_tree");
        mpz_add(w->y, w->want, w->A);
        mpz_tdiv_q_2exp(w->y, w->y, 3);
        if (good(w, gfmul_remainder_tree(tree, r[0], w->y)))
            for (unsigned i = 0; i < NUMBERS; i++) {
                mpz_mod(w->want, w->y, m[i]);
                is(w, r[i]);
            }
        gfmul_tree_destroy(tree);
    }
    note(w, "gfmul_batch_gcd");
    if (good(w, gfmul_batch_gcd(w->ctx, r[0], m[0], NUMBERS)))
        for (unsigned i = 0; i < NUMBERS; i++) {
            mpz_mul(w->x, m[(i + 1) % NUMBERS], m[(i + 2) % NUMBERS]);
            mpz_gcd(w->want, w->x, m[i]);
            is(w, r[i]);
        }
    for (unsigned i = 0; i < NUMBERS; i++)
        mpz_clear(m[i]), mpz_clear(r[i]);
}

static void texts(struct work *w)
{
    static const int bases[] = {10, 16, 7};
    for (unsigned i = 0; i < 3; i++) {
        const int base = bases[i];
        char *a = mpz_get_str(NULL, base, w->A), *b = mpz_get_str(NULL, base, w->B);
        const size_t size = gfmul_get_str_size(3 * w->n, base);
        char *z = test_alloc(size);
        note(w, "gfmul_mpz_get_str");
        if (good(w, gfmul_mpz_get_str(w->ctx, z, size, NULL, base, w->A)))
            TEST_CHECK(strcmp(z, a) == 0);
        note(w, "gfmul_mpz_set_str");
        mpz_set(w->want, w->A);
        if (good(w, gfmul_mpz_set_str(w->ctx, w->x, a, strlen(a), base)))
            is(w, w->x);
        for (unsigned j = 0; j < 3; j += 2) {
            note(w, "gfmul_str_mul");
            mpz_mul(w->want, w->A, w->B);
            char *z2 = test_alloc(gfmul_str_mul_size(strlen(a), base, strlen(b), base, bases[j]));
            if (good(w, gfmul_str_mul(w->ctx, z2, gfmul_str_mul_size(strlen(a), base, strlen(b), base, bases[j]), NULL, bases[j],
                                      a, strlen(a), base, b, strlen(b), base))) {
                mpz_set_str(w->x, z2, bases[j]);
                is(w, w->x);
            }
            free(z2);
        }
        free(z);
        free(b);
        free(a);
    }
}

/* A space: d b + a b, modulo nothing, B^n - 1 or B^n + 1. */
static void spaces(struct work *w)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        struct gfmul_space *space;
        struct gfmul_spectrum *s[4];
        const size_t n = kind == 0   ? 3 * w->n + 1
                         : kind == 1 ? gfmul_space_bnm1_next_size(w->ctx, w->n, 2)
                                     : gfmul_space_bnp1_next_size(w->ctx, w->n, 2);
        note(w, kind == 0 ? "gfmul_space_create" : kind == 1 ? "gfmul_space_create_bnm1" : "gfmul_space_create_bnp1");
        if (!good(w, (kind == 0   ? gfmul_space_create
                      : kind == 1 ? gfmul_space_create_bnm1
                                  : gfmul_space_create_bnp1)(w->ctx, &space, n, 2)))
            continue;
        bool all = true;
        for (unsigned i = 0; i < 4; i++)
            all = good(w, gfmul_spectrum_create(space, &s[i])) && all;
        all = all && good(w, gfmul_spectrum_set_mpz(s[0], w->A)) && good(w, gfmul_spectrum_set_mpz(s[1], w->B)) &&
              good(w, gfmul_spectrum_set_mpz(s[2], w->D)) && good(w, gfmul_spectrum_matmul(&s[3], s, s + 1, 1, 1, 1)) &&
              good(w, gfmul_spectrum_addmul(s[3], s[2], s[1])) && good(w, gfmul_spectrum_get_mpz(s[3], w->x));
        mpz_add(w->want, w->A, w->D);
        mpz_mul(w->want, w->want, w->B);
        if (kind > 0) {
            mpz_set_ui(w->y, 1);
            mpz_mul_2exp(w->y, w->y, 64 * n);
            if (kind == 1)
                mpz_sub_ui(w->y, w->y, 1);
            else
                mpz_add_ui(w->y, w->y, 1);
            mpz_mod(w->want, w->want, w->y);
        }
        if (all)
            is(w, w->x);
        for (unsigned i = 0; i < 4; i++)
            gfmul_spectrum_destroy(s[i]);
        gfmul_space_destroy(space);
    }
}

static void all_functions(struct gfmul_ctx *ctx, const char *name, size_t n)
{
    struct work w = {.ctx = ctx, .name = name, .n = n, .dn = test_u64() % 2 ? n : n - test_u64() % ((n + 1) / 2)};
    w.a = test_alloc(2 * n * sizeof *w.a);
    w.b = test_alloc(n * sizeof *w.b);
    w.d = test_alloc(w.dn * sizeof *w.d);
    limbs_fill_high(w.a, 2 * n);
    limbs_fill_high(w.b, n);
    limbs_fill_high(w.d, w.dn);
    mpz_roinit_n(w.A, w.a, (mp_size_t)(2 * n));
    mpz_roinit_n(w.B, w.b, (mp_size_t)n);
    mpz_roinit_n(w.D, w.d, (mp_size_t)w.dn);
    mpz_inits(w.x, w.y, w.z, w.want, NULL);
    products(&w);
    rings(&w);
    quotients(&w);
    powers(&w);
    trees(&w);
    texts(&w);
    spaces(&w);
    mpz_clears(w.x, w.y, w.z, w.want, NULL);
    free(w.d);
    free(w.b);
    free(w.a);
}

/* choice - options by their number: packing, precision, rule and, of products on the CPU, engine; the others are random. */
enum { CHOICES = 4 * 4 * 3, ENGINES = 4 };

static void options_choose(struct gfmul_options *opt, unsigned choice, enum gfmul_engine engine, char *name, size_t size)
{
    static const char *const engines[] = {"auto", "cpu", "opencl", "fftw", "gmp"};
    static const char *const rules[] = {"norm", "knuth", "checked"};
    static const char *const precisions[] = {"auto", "double", "dd", "prime"}, *const verifies[] = {"mod", "gmp", "none"};
    static const enum gfmul_precision precision[] = {GFMUL_PRECISION_AUTO, GFMUL_PRECISION_DOUBLE, GFMUL_PRECISION_DD,
                                                     GFMUL_PRECISION_PRIME};
    gfmul_options_init(opt);
    opt->engine = engine;
    opt->rule = choice % 3;
    opt->precision = precision[choice / 3 % 4];
    opt->packing = choice / 12;
    opt->device = engine == GFMUL_ENGINE_OPENCL ? "gpu" : "cpu";
    opt->verify = test_below(3);
    opt->verify_primes = (unsigned)test_below(GFMUL_RESIDUES_MAX + 1);
    opt->certify = test_below(4) == 0 && opt->engine != GFMUL_ENGINE_GMP;
    opt->threads = (unsigned)test_between(1, 2);
    opt->adaptive = (int)test_below(2);
    opt->memory_limit = test_below(4) == 0 ? (size_t)64 << 20 : 0;
    snprintf(name, size, "engine %s, rule %s, precision %s, packing %s, verify %s by %u, certify %d, %u threads, limit %zu",
             engines[engine], rules[opt->rule], precisions[choice / 3 % 4], plan_packing_name(opt->packing),
             verifies[opt->verify], opt->verify_primes, opt->certify, opt->threads, opt->memory_limit);
}

/* in_double - whether rule knuth has double alone, in which it ends at products of 8192 bits. */
static bool in_double(const struct gfmul_options *opt)
{
    return opt->rule == GFMUL_RULE_KNUTH && opt->engine != GFMUL_ENGINE_GMP &&
           (opt->engine == GFMUL_ENGINE_FFTW || opt->precision == GFMUL_PRECISION_DOUBLE ||
            opt->packing == GFMUL_PACKING_TWO_FOR_ONE || opt->packing == GFMUL_PACKING_ONE_FOR_HALF);
}

/* contexts - every context of these choices that there is on the CPU, with numbers of up to `most` limbs. */
static void contexts(size_t most)
{
    static const enum gfmul_engine engine[ENGINES] = {GFMUL_ENGINE_AUTO, GFMUL_ENGINE_CPU, GFMUL_ENGINE_FFTW, GFMUL_ENGINE_GMP};
    unsigned made = 0;
    for (unsigned i = 0; i < CHOICES * ENGINES; i++) {
        struct gfmul_options opt;
        struct gfmul_ctx *ctx;
        char name[200];
        options_choose(&opt, i / ENGINES, engine[i % ENGINES], name, sizeof name);
        test_note("%s", name);
        const enum gfmul_status status = gfmul_ctx_create(&ctx, &opt);
        if (status == GFMUL_ERR_UNSUPPORTED || !TEST_OK(status))
            continue;
        made++;
        all_functions(ctx, name, test_size(1, in_double(&opt) && most > DOUBLE_LIMBS ? DOUBLE_LIMBS : most));
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK(made > 0);
}

static void test_short(void)
{
    contexts(DOUBLE_LIMBS);
}

/* Sizes at which what stands above products is not GMP's, in a build with tiny thresholds as well. */
static void test_longer(void)
{
    for (unsigned i = 0; i < test_tier(1, 10, 100); i++)
        contexts(LONG_LIMBS);
}

/* plans - a product of limbs, a square and a product of text have a plan on the device. */
static void plans(struct gfmul_ctx *ctx, const char *name)
{
    struct work w = {.ctx = ctx, .name = name, .n = (size_t)test_between(1, 10000), .dn = (size_t)test_between(1, 10000)};
    struct gfmul_plan_info info;
    note(&w, "gfmul_plan_limbs");
    if (good(&w, gfmul_plan_limbs(ctx, &info, w.n, w.dn)))
        TEST_CHECK(strcmp(info.engine, "opencl") == 0);
    note(&w, "gfmul_plan_limbs_sqr");
    good(&w, gfmul_plan_limbs_sqr(ctx, &info, w.n));
    note(&w, "gfmul_plan_text");
    good(&w, gfmul_plan_text(ctx, &info, (int)test_between(2, 36), w.n, w.dn));
}

/* A device has the options that the CPU has, but for rule knuth in double.  Programs of all of them take a minute to compile. */
static void test_device(void)
{
    struct gfmul_device_info info;
    if (!ocl_test_begin()) {
        ocl_test_skip();
        TEST_SKIP("no device");
        return;
    }
    ocl_test_keep();
    const bool fp64 = gfmul_device_find(&info, "gpu", NULL, 0) == GFMUL_OK && info.fp64;
    for (unsigned choice = 0; choice < CHOICES; choice++) {
        struct gfmul_options opt, here;
        struct gfmul_ctx *ctx;
        char name[200];
        options_choose(&opt, choice, GFMUL_ENGINE_OPENCL, name, sizeof name);
        here = opt;
        here.engine = GFMUL_ENGINE_CPU;
        here.device = "cpu";
        test_note("%s", name);
        const bool there = gfmul_ctx_create(&ctx, &here) == GFMUL_OK && !in_double(&opt);
        gfmul_ctx_destroy(ctx);
        const enum gfmul_status status = gfmul_ctx_create(&ctx, &opt);
        if (!TEST_CHECK_MSG(status == (there ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED), "status %d", (int)status) || !there)
            continue;
        if (fp64 || opt.precision == GFMUL_PRECISION_PRIME) {
            plans(ctx, name);
            if (test_tier(0, 1, 1) > 0)
                all_functions(ctx, name, test_size(1, DOUBLE_LIMBS));
        }
        gfmul_ctx_destroy(ctx);
    }
    ocl_test_end();
}

/* Rule knuth in double: text whose digits are too long for it goes through limbs, and limbs end at 8192 bits. */
static void test_knuth_in_double(void)
{
    enum { N = 63 };
    struct gfmul_options opt;
    struct work w = {.name = "rule knuth, precision double", .n = N, .dn = N};
    struct gfmul_report report;
    mp_limb_t a[N + 2], z[2 * (N + 2)];
    limbs_fill_high(a, N + 2);
    gfmul_options_init(&opt);
    opt.device = "cpu";
    opt.rule = GFMUL_RULE_KNUTH;
    opt.precision = GFMUL_PRECISION_DOUBLE;
    if (!TEST_OK(gfmul_ctx_create(&w.ctx, &opt)))
        return;
    TEST_CHECK(gfmul_mul(w.ctx, z, a, N + 2, a, N + 2) == GFMUL_ERR_PRECISION);
    TEST_OK(gfmul_mul(w.ctx, z, a, N, a, N));
    mpz_roinit_n(w.A, a, N);
    mpz_inits(w.x, w.want, NULL);
    mpz_mul(w.want, w.A, w.A);
    for (int base = 2; base <= 36; base++) {
        char text[64 * N + 2], product[2 * sizeof text];
        mpz_get_str(text, base, w.A);
        note(&w, "gfmul_str_mul");
        if (good(&w,
                 gfmul_str_mul(w.ctx, product, sizeof product, NULL, base, text, strlen(text), base, text, strlen(text), base))) {
            mpz_set_str(w.x, product, base);
            is(&w, w.x);
        }
        gfmul_ctx_report(w.ctx, &report);
        TEST_CHECK_MSG(report.detail[0] == '\0', "%s", report.detail);
    }
    mpz_clears(w.x, w.want, NULL);
    gfmul_ctx_destroy(w.ctx);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_short);
    TEST_RUN(test_longer);
    TEST_RUN(test_knuth_in_double);
    TEST_RUN(test_device);
    return test_end();
}
