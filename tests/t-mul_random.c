/* t-mul_random.c - random sizes and operands, balanced and not, against GMP; to 4e6 limbs in the longest tier. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "base/parallel.h"
#include "products.h"

enum { N_CTX = 4 };

static void contexts(struct product_ctx c[N_CTX])
{
    c[0] = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    c[1] = product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    c[2] = product_ctx_create(GFMUL_ENGINE_AUTO, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    c[3] = product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
}

static void run(size_t count, size_t lo, size_t hi, bool balanced)
{
    struct product_ctx c[N_CTX];
    contexts(c);
    for (size_t i = 0; i < count; i++) {
        size_t an = test_size(lo, hi), bn = balanced ? an - test_below(an / 10 + 1) : test_size(1, hi);
        bool square = test_below(6) == 0;
        size_t first = an > 200000 ? test_below(N_CTX) : 0, n = an > 200000 ? 1 : N_CTX; /* of large ones, one context */
        product_random(c + first, n, an, bn, OPERAND_KINDS, OPERAND_KINDS, product_digit_bits(c, an, bn), square);
    }
    for (unsigned i = 0; i < N_CTX; i++)
        product_ctx_destroy(&c[i]);
}

static void test_balanced(void)
{
    run(test_longest_tier() ? 3000 : 400, 1, 30000, true);
    run(test_longest_tier() ? 100 : 3, 100000, 1000000, true);
    if (test_longest_tier())
        run(30, 1000000, 4000000, true);
}

static void test_any_sizes(void)
{
    run(test_longest_tier() ? 3000 : 400, 1, 30000, false);
    run(test_longest_tier() ? 100 : 3, 100000, 1000000, false);
    if (test_longest_tier())
        run(30, 1000000, 4000000, false);
}

/* Operands between guard pages, and operands that share limbs. */
static void test_placement(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (unsigned i = 0; i < 200; i++) {
        size_t an = test_size(1, 3000), bn = test_below(an) + 1;
        struct guard a = guard_create(an * sizeof(mp_limb_t), i & 1 ? GUARD_AFTER : GUARD_BEFORE);
        struct guard b = guard_create(bn * sizeof(mp_limb_t), i & 2 ? GUARD_AFTER : GUARD_BEFORE);
        operand_fill(a.p, an, OPERAND_RANDOM, 12, test_u64());
        operand_fill(b.p, bn, OPERAND_ONES, 12, test_u64());
        guard_read_only(&a);
        guard_read_only(&b);
        product_check(&c, 1, a.p, an, b.p, bn, "guarded");
        product_check(&c, 1, b.p, bn, a.p, an, "guarded");
        product_check(&c, 1, a.p, an, a.p, bn, "b the beginning of a"); /* the same address, not the same number */
        product_check(&c, 1, a.p, an, (mp_limb_t *)a.p + (an - bn), bn, "b the end of a");
        guard_destroy(&a);
        guard_destroy(&b);
    }
    product_ctx_destroy(&c);
}

enum { TEAM = 4 };

/* Products that the threads of a region make. */
struct region_work {
    struct gfmul_ctx *ctx;
    const mp_limb_t *a, *b;
    size_t n;
    mp_limb_t *z[TEAM];
    enum gfmul_status status[TEAM];
};

static void products_make(void *arg, unsigned thread, size_t first, size_t end)
{
    struct region_work *const w = arg;
    (void)thread;
    for (size_t t = first; t < end; t++)
        w->status[t] = gfmul_mul(w->ctx, w->z[t], w->a, w->n, w->b, w->n);
}

/* Inside a region of the library's each product is its own thread's, whatever the others of the team do. */
static void test_in_a_region(void)
{
    static const size_t sizes[] = {150, 700, 5000, 40000, 150000};
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 0, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const size_t n = sizes[k];
        mp_limb_t *a = test_alloc(8 * n), *b = test_alloc(8 * n), *want = test_alloc(16 * n);
        struct region_work w = {.ctx = c.ctx, .a = a, .b = b, .n = n};
        operand_fill(a, n, OPERAND_RANDOM, 12, test_u64());
        operand_fill(b, n, OPERAND_RANDOM, 12, test_u64());
        mpn_mul_n(want, a, b, (mp_size_t)n);
        for (int t = 0; t < TEAM; t++) {
            w.z[t] = test_alloc(16 * n);
            memset(w.z[t], 0xa5, 16 * n);
        }
        test_note("%zu limbs, by each thread of a team", n);
        parallel_for(TEAM, TEAM, 1, products_make, &w);
        for (int t = 0; t < TEAM; t++)
            if (TEST_OK(w.status[t]))
                test_equal_limbs(w.z[t], want, 2 * n);
        for (int t = 0; t < TEAM; t++)
            free(w.z[t]);
        free(want);
        free(b);
        free(a);
    }
    product_ctx_destroy(&c);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_balanced);
    TEST_RUN(test_any_sizes);
    TEST_RUN(test_placement);
    TEST_RUN(test_in_a_region);
    return test_end();
}
