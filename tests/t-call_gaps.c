/*
 * t-call_gaps.c - how much processor time goes by between two calls of the progress callback: at most .2 s, on one thread.
 *
 * The call's start and its return count, too.  Contexts, operands and products are fresh, so that the first touch of memory and
 * the making of tables are in it; a second product by the same context follows.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <time.h>

#include "base/alloc.h"
#include "operands.h"
#include "test.h"

enum work { DOUBLE, PRIMES, TEXT, WORKS };
static const char *const work_names[] = {"double", "primes", "text"};
static const double gap_most = 0.2; /* gfmul.h */

/* What the callback sees. */
struct watch {
    double last, gap, from, to, share; /* times of the last call and of the longest gap; the shares around that; the last share */
    unsigned calls;
};

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void look(struct watch *w, double share)
{
    const double now = cpu_seconds();
    if (now - w->last > w->gap) {
        w->gap = now - w->last;
        w->from = w->share;
        w->to = share;
    }
    w->last = now;
    w->share = share;
}

static int callback(void *arg, double done)
{
    struct watch *w = arg;
    look(w, done);
    w->calls++;
    return 0;
}

/* limbs_remainder, text_remainder - of a number by a prime of 32 bits: what the product is checked by. */
static const mp_limb_t modulus = 4294967291u;

static mp_limb_t limbs_remainder(const mp_limb_t *x, size_t n)
{
    return mpn_mod_1(x, (mp_size_t)n, modulus);
}

static mp_limb_t text_remainder(const char *x, size_t n)
{
    mp_limb_t r = 0;
    for (size_t i = 0; i < n;) {
        mp_limb_t scale = 1, group = 0;
        for (; i < n && scale < 1000000000; i++, scale *= 10)
            group = 10 * group + (mp_limb_t)(x[i] - '0');
        r = (r * scale + group) % modulus;
    }
    return r;
}

/* A product of n limbs by n, or of as many digits. */
struct numbers {
    size_t n, z_bytes;
    void *a, *b, *z;
    mp_limb_t want;
};

static bool numbers_take(struct numbers *x, enum work work, size_t limbs)
{
    x->n = work == TEXT ? (size_t)((double)limbs * 19.2659) : limbs;
    const size_t unit = work == TEXT ? 1 : sizeof(mp_limb_t);
    x->z_bytes = 2 * x->n * unit + 2;
    x->a = malloc(x->n * unit);
    x->b = malloc(x->n * unit);
    x->z = NULL;
    if (!x->a || !x->b)
        return false;
    if (work == TEXT) {
        text_fill(x->a, x->n, TEXT_RANDOM, 10, 1, test_u64());
        text_fill(x->b, x->n, TEXT_RANDOM, 10, 1, test_u64());
        x->want = text_remainder(x->a, x->n) * text_remainder(x->b, x->n) % modulus;
    } else {
        operand_fill(x->a, x->n, OPERAND_RANDOM, 13, test_u64());
        operand_fill(x->b, x->n, OPERAND_RANDOM, 13, test_u64());
        x->want = limbs_remainder(x->a, x->n) * limbs_remainder(x->b, x->n) % modulus;
    }
    return true;
}

/* product - the longest gap of one product, which is right. */
static struct watch product(struct gfmul_ctx *ctx, struct watch *w, struct numbers *x, enum work work)
{
    size_t digits = 0;
    free(x->z);
    x->z = malloc(x->z_bytes);
    *w = (struct watch){.last = cpu_seconds()};
    const double begin = w->last;
    if (work == TEXT)
        TEST_OK(gfmul_str_mul(ctx, x->z, x->z_bytes, &digits, 10, x->a, x->n, 10, x->b, x->n, 10));
    else
        TEST_OK(gfmul_mul(ctx, x->z, x->a, x->n, x->b, x->n));
    look(w, 1);
    const mp_limb_t got = work == TEXT ? text_remainder(x->z, digits) : limbs_remainder(x->z, 2 * x->n);
    TEST_CHECK_MSG(got == x->want, "a wrong product");
    printf("%s, %zu: %.2f s, %u calls, longest gap %.3f s, from share %.3f to %.3f\n", work_names[work], x->n, w->last - begin,
           w->calls, w->gap, w->from, w->to);
    return *w;
}

/* gaps_check - of a fresh context's products. */
static void gaps_check(enum work work, size_t limbs)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    struct watch w;
    struct numbers x = {.n = 0};
    gfmul_options_init(&opt);
    opt.device = "cpu";
    opt.engine = GFMUL_ENGINE_CPU;
    opt.precision = work == PRIMES ? GFMUL_PRECISION_PRIME : GFMUL_PRECISION_DOUBLE;
    opt.threads = 1;
    opt.progress = callback;
    opt.progress_arg = &w;
    if (!TEST_CHECK(numbers_take(&x, work, limbs)) || !TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        exit(1);
    for (unsigned turn = 0; turn < 2; turn++) {
        test_note("%s, %zu limbs, product %u of its context", work_names[work], limbs, turn + 1);
        product(ctx, &w, &x, work);
        const bool called = w.calls >= 2 || w.gap < 0.1; /* a fast product ends before its first call */
        TEST_CHECK_MSG(called && w.gap <= gap_most, "%.3f s of processor time, shares %.3f to %.3f", w.gap, w.from, w.to);
    }
    gfmul_ctx_destroy(ctx);
    free(x.z);
    free(x.b);
    free(x.a);
}

static void test_short(void)
{
    for (enum work work = 0; work < WORKS; work++)
        gaps_check(work, 1000000);
}

/* The longer ones, if memory is there; the longest one takes minutes on a busy processor. */
static void test_long(void)
{
    static const size_t sizes[] = {10000000, 25000000};
    enum { BYTES_A_LIMB = 200 };
    for (unsigned i = 0; i < test_tier(0, 1, sizeof sizes / sizeof *sizes); i++) {
        if (memory_usable() / BYTES_A_LIMB < sizes[i]) {
            TEST_SKIP("memory for %zu limbs", sizes[i]);
            continue;
        }
        for (enum work work = 0; work < WORKS; work++)
            gaps_check(work, sizes[i]);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_short);
    TEST_RUN_LONG(test_long);
    return test_end();
}
