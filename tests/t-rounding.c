/*
 * t-rounding.c - the floating-point unit in another mode of the caller's: all results are those of rounding to nearest, and the
 * caller keeps its mode.   Of the library's threads: t-parallel.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <fenv.h>
#include <math.h>

#include "base/rounding.h"
#include "gfmul_fft.h"
#include "operands.h"
#include "progress_often.h"
#include "reference.h"
#include "test.h"

enum { TEAM = 2 }; /* threads of a call */

static struct {
    const char *name;
    rounding_mode mode;
    int round; /* as fesetround has it, which sets the x87 unit as well */
} modes[6];
static unsigned n_modes;

static void mode_add(const char *name, rounding_mode mode, int round)
{
    modes[n_modes].name = name;
    modes[n_modes].round = round;
    modes[n_modes++].mode = mode;
}

/* modes_find - nearest first; fesetround tells what the others are, with no exceptions raised. */
static void modes_find(void)
{
    static const struct {
        const char *name;
        int round;
    } standard[] = {
        {"to nearest", FE_TONEAREST}, {"upwards", FE_UPWARD}, {"downwards", FE_DOWNWARD}, {"toward zero", FE_TOWARDZERO}};
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++) {
        fesetround(standard[i].round);
        feclearexcept(FE_ALL_EXCEPT);
        mode_add(standard[i].name, rounding_get(), standard[i].round);
    }
    fesetround(FE_TONEAREST);
#ifdef __x86_64__
    mode_add("upwards, subnormal numbers are zero", modes[1].mode | 0x8040, FE_UPWARD);
#endif
}

/* mode_is - flags aside, which are raised in between. */
static bool mode_is(rounding_mode mode)
{
    const rounding_mode here = rounding_get();
    return (here ^ rounding_nearest(here)) == (mode ^ rounding_nearest(mode));
}

/* in_modes - run it by a caller in each mode but nearest. */
static void in_modes(void (*run)(void *), void *arg)
{
    for (unsigned i = 1; i < n_modes; i++) {
        char note[256];
        snprintf(note, sizeof note, "%.200s", test_state.note);
        test_note("%.150s; the caller rounds %s", note, modes[i].name);
        fesetround(modes[i].round);
        rounding_set(modes[i].mode);
        run(arg);
        const bool kept = mode_is(modes[i].mode) && fegetround() == modes[i].round;
        fesetround(FE_TONEAREST);
        rounding_set(modes[0].mode);
        TEST_CHECK_MSG(kept, "the caller's mode is another one");
        test_note("%s", note);
    }
}

/* ---- products ---- */

struct trial {
    struct gfmul_options opt;
    size_t an, bn;
    mp_limb_t *a, *b, *z, *want;
    struct gfmul_report nearest; /* of the product in the usual mode */
};

static void product_make(struct trial *p, struct gfmul_report *report)
{
    struct gfmul_ctx *ctx;
    memset(p->z, 0, (p->an + p->bn) * sizeof *p->z);
    if (!TEST_OK(gfmul_ctx_create(&ctx, &p->opt))) /* with tables of its own */
        return;
    progress_often(ctx);
    TEST_OK(gfmul_mul(ctx, p->z, p->a, p->an, p->b, p->bn));
    gfmul_ctx_report(ctx, report);
    gfmul_ctx_destroy(ctx);
}

static void product_check(void *arg)
{
    struct trial *p = arg;
    struct gfmul_report report;
    product_make(p, &report);
    test_equal_limbs(p->z, p->want, p->an + p->bn);
    TEST_CHECK_MSG(report.n_fallbacks == p->nearest.n_fallbacks && !(fabs(report.max_error - p->nearest.max_error) > 0) &&
                       fabs(report.plan.bound - p->nearest.plan.bound) <= 1e-9 * p->nearest.plan.bound,
                   "%u fall-backs, error %g, bound %.12g; to nearest %u, %g, %.12g", report.n_fallbacks, report.max_error,
                   report.plan.bound, p->nearest.n_fallbacks, p->nearest.max_error, p->nearest.plan.bound);
}

/* A progress callback that finds the caller's mode, and leaves another one behind. */
struct disturber {
    rounding_mode mode;
    int round;
    unsigned calls, strange;
};

static int disturb(void *arg, double done)
{
    struct disturber *d = arg;
    (void)done;
    d->calls++;
    d->strange += !mode_is(d->mode) || fegetround() != d->round;
    fesetround(FE_TOWARDZERO);
    return 0;
}

static void product_disturbed(void *arg)
{
    const struct trial *usual = arg;
    struct trial p = *usual;
    struct disturber d = {.mode = rounding_get(), .round = fegetround()};
    p.opt.progress = disturb;
    p.opt.progress_arg = &d;
    product_check(&p);
    TEST_CHECK_MSG(d.calls > 1 && d.strange == 0, "%u of %u callbacks had another mode", d.strange, d.calls);
}

static void product_in_modes(const struct gfmul_options *opt, size_t an, size_t bn)
{
    struct trial p = {.opt = *opt, .an = an, .bn = bn};
    p.a = test_alloc(an * sizeof *p.a);
    p.b = test_alloc(bn * sizeof *p.b);
    p.z = test_alloc((an + bn) * sizeof *p.z);
    p.want = test_alloc((an + bn) * sizeof *p.want);
    operand_fill(p.a, an, OPERAND_RANDOM, 13, test_u64());
    operand_fill(p.b, bn, OPERAND_RANDOM, 13, test_u64());
    ref_mul_gmp(p.want, p.a, an, p.b, bn);
    test_note("rule %d, precision %d, packing %d, %u threads, an=%zu bn=%zu", opt->rule, opt->precision, opt->packing,
              opt->threads, an, bn);
    product_make(&p, &p.nearest);
    in_modes(product_check, &p);
    product_disturbed(&p);
    if (opt->threads == 1) /* no part of a team's work begins with a mode of its own */
        in_modes(product_disturbed, &p);
    TEST_CHECK_MSG(mode_is(modes[0].mode) && fegetround() == FE_TONEAREST, "the callback's mode is left");
    free(p.a);
    free(p.b);
    free(p.z);
    free(p.want);
}

static void products_in_modes(const char *disable)
{
    static const struct {
        enum gfmul_rule rule;
        enum gfmul_precision precision;
        enum gfmul_packing packing;
        size_t an, bn;
    } cases[] = {
        {GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, GFMUL_PACKING_AUTO, 10, 10},
        {GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, GFMUL_PACKING_AUTO, 1000, 900},
        {GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, GFMUL_PACKING_AUTO, 40000, 40000},
        {GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, GFMUL_PACKING_AUTO, 45000, 3000},
        {GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, GFMUL_PACKING_TWO_FOR_ONE, 9000, 9000},
        {GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, GFMUL_PACKING_ONE_FOR_HALF, 9000, 9000},
        {GFMUL_RULE_CHECKED, GFMUL_PRECISION_AUTO, GFMUL_PACKING_AUTO, 20000, 20000},
        {GFMUL_RULE_NORM, GFMUL_PRECISION_DD, GFMUL_PACKING_AUTO, 9000, 9000},
        {GFMUL_RULE_KNUTH, GFMUL_PRECISION_AUTO, GFMUL_PACKING_AUTO, 9000, 9000},
    };
    struct gfmul_options opt;
    setenv("GFMUL_DISABLE", disable, 1);
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.verify = GFMUL_VERIFY_NONE; /* so that this program sees what is wrong */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (opt.threads = 1; opt.threads <= TEAM; opt.threads++) {
            opt.rule = cases[i].rule;
            opt.precision = cases[i].precision;
            opt.packing = cases[i].packing;
            product_in_modes(&opt, cases[i].an, cases[i].bn);
        }
    setenv("GFMUL_DISABLE", "", 1);
}

static void test_products(void)
{
    products_in_modes("");
}

static void test_products_avx2(void)
{
    products_in_modes("avx512");
}

static void test_products_scalar(void)
{
    products_in_modes("avx512,avx2,sse2,neon");
}

/* Tables that a call in another mode left in the context. */
struct kept {
    struct gfmul_ctx *ctx;
    mp_limb_t *a, *z;
};
enum { KEPT_LIMBS = 30000 };

static void kept_multiply(void *arg)
{
    struct kept *k = arg;
    TEST_OK(gfmul_mul(k->ctx, k->z, k->a, KEPT_LIMBS, k->a + 1, KEPT_LIMBS - 1));
}

static void kept_again(void *arg)
{
    struct kept *k = arg;
    struct gfmul_options opt;
    struct gfmul_report before, after;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.threads = TEAM;
    kept_multiply(k);
    gfmul_ctx_report(k->ctx, &before);
    gfmul_ctx_destroy(k->ctx);
    TEST_OK(gfmul_ctx_create(&k->ctx, &opt));
    kept_multiply(k); /* makes the plan in this mode */
    const rounding_mode here = rounding_get();
    rounding_set(modes[0].mode);
    kept_multiply(k);
    rounding_set(here);
    gfmul_ctx_report(k->ctx, &after);
    TEST_CHECK_MSG(!(fabs(before.max_error - after.max_error) > 0), "error %g, before %g", after.max_error, before.max_error);
}

static void test_kept_plans(void)
{
    struct kept k = {.a = test_alloc(KEPT_LIMBS * sizeof *k.a), .z = test_alloc(2 * KEPT_LIMBS * sizeof *k.z)};
    operand_fill(k.a, KEPT_LIMBS, OPERAND_RANDOM, 13, test_u64());
    k.ctx = test_ctx(NULL);
    kept_multiply(&k);
    in_modes(kept_again, &k);
    gfmul_ctx_destroy(k.ctx);
    free(k.a);
    free(k.z);
}

/* ---- text ---- */

struct texts {
    struct gfmul_options opt;
    int base;
    char *a, *b, *z, *want;
    size_t n, z_size, want_len;
};

static size_t text_make(struct texts *t, char *z)
{
    struct gfmul_ctx *ctx;
    size_t z_len = 0;
    if (TEST_OK(gfmul_ctx_create(&ctx, &t->opt))) {
        TEST_OK(gfmul_str_mul(ctx, z, t->z_size, &z_len, t->base, t->a, t->n, t->base, t->b, t->n, t->base));
        gfmul_ctx_destroy(ctx);
    }
    return z_len;
}

static void text_check(void *arg)
{
    struct texts *t = arg;
    const size_t len = text_make(t, t->z);
    TEST_CHECK(len == t->want_len && memcmp(t->z, t->want, len) == 0);
}

static void test_text(void)
{
    static const int bases[] = {10, 16, 7, 36};
    struct texts t = {.n = 60000};
    t.a = test_alloc(t.n + 1);
    t.b = test_alloc(t.n + 1);
    gfmul_options_init(&t.opt);
    t.opt.engine = GFMUL_ENGINE_CPU;
    t.opt.verify = GFMUL_VERIFY_NONE;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        for (unsigned k = 0; k < 4; k++) {
            t.base = bases[i];
            t.opt.threads = 1 + k % 2;
            t.opt.precision = k < 2 ? GFMUL_PRECISION_AUTO : GFMUL_PRECISION_DD;
            text_fill(t.a, t.n, TEXT_RANDOM, (unsigned)t.base, 1, test_u64());
            text_fill(t.b, t.n, TEXT_RANDOM, (unsigned)t.base, 1, test_u64());
            t.z_size = gfmul_str_mul_size(t.n, t.base, t.n, t.base, t.base);
            t.z = test_alloc(t.z_size);
            t.want = test_alloc(t.z_size);
            test_note("base %d, precision %d, %u threads", t.base, t.opt.precision, t.opt.threads);
            t.want_len = text_make(&t, t.want);
            in_modes(text_check, &t);
            free(t.z);
            free(t.want);
        }
    free(t.a);
    free(t.b);
}

/* ---- what needs no context ---- */

struct printed {
    struct gfmul_plan_info info;
    char want[2048];
    size_t an, sizes[37];
};

static void sizes_make(const struct printed *p, size_t sizes[37])
{
    for (int base = 2; base <= 36; base++)
        sizes[base] = gfmul_str_mul_size(p->an, base, p->an / 3, 10, 38 - base);
}

static void printed_check(void *arg)
{
    const struct printed *p = arg;
    char text[sizeof p->want];
    size_t sizes[37] = {0};
    gfmul_plan_print(&p->info, text, sizeof text);
    TEST_CHECK_MSG(strcmp(text, p->want) == 0, "other text: %s", text);
    sizes_make(p, sizes);
    TEST_CHECK_MSG(memcmp(sizes, p->sizes, sizeof sizes) == 0, "other sizes");
}

static void test_prints(void)
{
    for (int rule = GFMUL_RULE_NORM; rule <= GFMUL_RULE_CHECKED; rule++) {
        struct gfmul_options opt;
        struct gfmul_ctx *ctx;
        struct printed p = {.an = 1000};
        gfmul_options_init(&opt);
        opt.engine = GFMUL_ENGINE_CPU;
        opt.rule = (enum gfmul_rule)rule;
        ctx = test_ctx(&opt);
        for (; p.an < 1000000; p.an *= 3) {
            test_note("rule %d, %zu digits", rule, p.an);
            TEST_OK(gfmul_plan_text(ctx, &p.info, 10, p.an, p.an));
            gfmul_plan_print(&p.info, p.want, sizeof p.want);
            sizes_make(&p, p.sizes);
            in_modes(printed_check, &p);
        }
        gfmul_ctx_destroy(ctx);
    }
}

/* ---- transforms and convolutions ---- */

struct transform {
    struct gfmul_fft_options opt;
    size_t n, bytes;
    void *in, *out, *want;
};

static void transform_make(const struct transform *t, void *out)
{
    struct gfmul_fft *plan;
    if (TEST_OK(gfmul_fft_create(&plan, t->n, &t->opt))) {
        TEST_OK(gfmul_fft_forward(plan, out, t->in));
        gfmul_fft_destroy(plan);
    }
}

static void transform_check(void *arg)
{
    struct transform *t = arg;
    transform_make(t, t->out);
    TEST_CHECK_MSG(memcmp(t->out, t->want, t->bytes) == 0, "the spectra differ");
}

static void test_transforms(void)
{
    static const struct {
        const char *algorithm;
        size_t n, batch;
    } cases[] = {{"auto", 8, 1},       {"auto", 1000, 1},    {"auto", 1 << 17, 1}, {"auto", 4096, 64},
                 {"pthread", 4096, 1}, {"auto", 3 << 13, 1}, {"auto", 100003, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int precision = GFMUL_PRECISION_FLOAT; precision <= GFMUL_PRECISION_DD; precision++) {
            const size_t reals = 2 * cases[i].n * cases[i].batch;
            struct transform t = {.n = cases[i].n};
            if (precision == GFMUL_PRECISION_DD && (strcmp(cases[i].algorithm, "auto") != 0 || cases[i].n == 100003))
                continue; /* of small factors alone */
            gfmul_fft_options_init(&t.opt);
            t.opt.precision = (enum gfmul_precision)precision;
            t.opt.algorithm = cases[i].algorithm;
            t.opt.batch = cases[i].batch;
            t.opt.threads = TEAM;
            t.bytes = reals * (precision == GFMUL_PRECISION_FLOAT ? sizeof(float) : sizeof(double)) *
                      (precision == GFMUL_PRECISION_DD ? 2 : 1);
            t.in = test_alloc_zeroed(1, t.bytes);
            t.out = test_alloc(t.bytes);
            t.want = test_alloc(t.bytes);
            for (size_t j = 0; j < reals; j++) {
                const double x = (double)(int64_t)test_u64() * 0x1p-63;
                if (precision == GFMUL_PRECISION_FLOAT)
                    ((float *)t.in)[j] = (float)x;
                else
                    ((double *)t.in)[precision == GFMUL_PRECISION_DD ? 2 * j : j] = x;
            }
            test_note("%s, precision %d, %zu times %zu points", cases[i].algorithm, precision, cases[i].batch, t.n);
            transform_make(&t, t.want);
            in_modes(transform_check, &t);
            free(t.in);
            free(t.out);
            free(t.want);
        }
}

struct convolution {
    struct gfmul_conv_options opt;
    size_t n;
    int64_t *a, *b;
    uint64_t *z, *want;
};

static void convolution_check(void *arg)
{
    struct convolution *c = arg;
    TEST_OK(gfmul_convolve(c->z, c->a, c->n, c->b, c->n, &c->opt));
    TEST_CHECK(memcmp(c->z, c->want, (2 * c->n - 1) * 2 * sizeof *c->z) == 0);
}

static void test_convolutions(void)
{
    struct convolution c = {.n = 20000};
    gfmul_conv_options_init(&c.opt);
    c.opt.number = GFMUL_CONV_INT64;
    c.a = test_alloc(c.n * sizeof *c.a);
    c.b = test_alloc(c.n * sizeof *c.b);
    c.z = test_alloc(4 * c.n * sizeof *c.z);
    c.want = test_alloc(4 * c.n * sizeof *c.want);
    for (size_t i = 0; i < c.n; i++) {
        c.a[i] = (int64_t)test_u64() >> 10;
        c.b[i] = (int64_t)test_u64() >> 10;
    }
    for (c.opt.threads = 1; c.opt.threads <= TEAM; c.opt.threads++) {
        test_note("%u threads", c.opt.threads);
        TEST_OK(gfmul_convolve(c.want, c.a, c.n, c.b, c.n, &c.opt));
        in_modes(convolution_check, &c);
    }
    free(c.a);
    free(c.b);
    free(c.z);
    free(c.want);
}

/* Real and complex numbers: the weights of negacyclic transforms are rounded from long double. */
static void weighted_check(void *arg)
{
    struct convolution *c = arg;
    memset(c->z, 0, 2 * c->n * sizeof *c->z); /* not all numbers fill it */
    TEST_OK(gfmul_convolve(c->z, c->a, c->n, c->b, c->n, &c->opt));
    TEST_CHECK(memcmp(c->z, c->want, 2 * c->n * sizeof *c->z) == 0);
}

static void test_weights(void)
{
    struct convolution c = {.n = 4096};
    c.a = test_alloc_zeroed(2 * c.n, sizeof *c.a);
    c.b = test_alloc_zeroed(2 * c.n, sizeof *c.b);
    c.z = test_alloc(2 * c.n * sizeof *c.z);
    c.want = test_alloc(2 * c.n * sizeof *c.want);
    for (unsigned i = 0; i < 4; i++) {
        static const enum gfmul_conv_number numbers[] = {GFMUL_CONV_REAL, GFMUL_CONV_COMPLEX, GFMUL_CONV_REAL_FLOAT,
                                                         GFMUL_CONV_COMPLEX_FLOAT};
        gfmul_conv_options_init(&c.opt);
        c.opt.number = numbers[i];
        c.opt.kind = GFMUL_CONV_NEGACYCLIC;
        for (size_t j = 0; j < 2 * c.n; j++) {
            const double x = ldexp((double)(int64_t)test_u64(), -63), y = ldexp((double)(int64_t)test_u64(), -63);
            if (i < 2) {
                ((double *)c.a)[j] = x;
                ((double *)c.b)[j] = y;
            } else {
                ((float *)c.a)[j] = (float)x;
                ((float *)c.b)[j] = (float)y;
            }
        }
        test_note("negacyclic, numbers %d", c.opt.number);
        memset(c.want, 0, 2 * c.n * sizeof *c.want);
        TEST_OK(gfmul_convolve(c.want, c.a, c.n, c.b, c.n, &c.opt));
        in_modes(weighted_check, &c);
    }
    free(c.a);
    free(c.b);
    free(c.z);
    free(c.want);
}

/* ---- traps ---- */

#if defined __x86_64__ && !defined __clang__
/* All exceptions trap, of both units: none of the library's reaches the caller, and the caller's masks are kept.  Drivers of
   OpenCL are tried anew, as on a machine that never did (without gfmul-drivers they are not). */
static void test_traps(void)
{
    char cache[] = "/tmp/gfmul-rounding-XXXXXX";
    enum { X87_TRAPS = 0x0340, MXCSR_TRAPS = 0 };
    unsigned short before, after, traps = X87_TRAPS;
    struct gfmul_fft *plan = NULL;
    struct gfmul_ctx *ctx = NULL;
    struct gfmul_plan_info info;
    enum { POINTS = 1000, LIMBS = 3000 };
    double *x = test_alloc_zeroed(2 * POINTS, sizeof *x), *y = test_alloc(2 * POINTS * sizeof *y);
    mp_limb_t *a = test_alloc(LIMBS * sizeof *a), *z = test_alloc(2 * LIMBS * sizeof *z),
              *want = test_alloc(2 * LIMBS * sizeof *z);
    for (unsigned i = 0; i < 2 * POINTS; i++)
        x[i] = 1.0 / (i + 3);
    operand_fill(a, LIMBS, OPERAND_RANDOM, 13, test_u64());
    ref_mul_gmp(want, a, LIMBS, a, LIMBS);
    const char *const kept = getenv("GFMUL_CACHE_DIR");
    char *const before_cache = kept ? strdup(kept) : NULL;
    TEST_CHECK(mkdtemp(cache) && setenv("GFMUL_CACHE_DIR", cache, 1) == 0);
    __asm__ volatile("fnstcw %0" : "=m"(before));
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(traps) : "memory"); /* what was raised before would trap now */
    rounding_set(MXCSR_TRAPS);
    const enum gfmul_status made = gfmul_fft_create(&plan, POINTS, NULL), transformed = gfmul_fft_forward(plan, y, x);
    const enum gfmul_status convolved = gfmul_convolve(y, x, POINTS, x, POINTS, NULL);
    const enum gfmul_status opened = gfmul_ctx_create(&ctx, NULL), multiplied = gfmul_mul(ctx, z, a, LIMBS, a, LIMBS);
    const enum gfmul_status planned = gfmul_plan_text(ctx, &info, 10, 100000, 100000);
    const size_t printed = gfmul_plan_print(&info, NULL, 0), size = gfmul_str_mul_size(10, 7, 10, 16, 10);
    gfmul_device_list(NULL, 0);
    const rounding_mode mxcsr = rounding_get();
    rounding_set(modes[0].mode);
    __asm__ volatile("fnstcw %0" : "=m"(after));
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(before) : "memory");
    TEST_OK(made);
    TEST_OK(transformed);
    TEST_OK(convolved);
    TEST_OK(opened);
    TEST_OK(multiplied);
    TEST_OK(planned);
    TEST_CHECK(printed > 0 && size > 0);
    TEST_CHECK_MSG(after == traps && mxcsr == MXCSR_TRAPS, "control words %x, %x", after, mxcsr);
    test_equal_limbs(z, want, 2 * LIMBS);
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    TEST_CHECK(system(command) == 0);
    TEST_CHECK((before_cache ? setenv("GFMUL_CACHE_DIR", before_cache, 1) : unsetenv("GFMUL_CACHE_DIR")) == 0);
    free(before_cache);
    gfmul_fft_destroy(plan);
    gfmul_ctx_destroy(ctx);
    free(x);
    free(y);
    free(a);
    free(z);
    free(want);
}
#endif

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    modes_find();
    TEST_RUN(test_products);
    TEST_RUN(test_products_avx2);
    TEST_RUN(test_products_scalar);
    TEST_RUN(test_kept_plans);
    TEST_RUN(test_text);
    TEST_RUN(test_prints);
    TEST_RUN(test_transforms);
    TEST_RUN(test_convolutions);
    TEST_RUN(test_weights);
#if defined __x86_64__ && !defined __clang__
    TEST_RUN(test_traps);
#endif
    return test_end();
}
