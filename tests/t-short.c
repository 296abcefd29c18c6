/* t-short.c - short products by vectors against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "guard.h"
#include "operands.h"
#include "short/short.h"
#include "test.h"

/* Products of fewer limbs than this have a function for their vectors of digits; longer ones are made of parts. */
enum { SHAPES_LIMBS = 64 };

static const struct short_ops *ops;

/* An operand that nobody writes, between guard pages. */
static struct guard operand_guarded(size_t n, enum operand_kind kind, uint64_t seed, enum guard_side side)
{
    struct guard g = guard_create(n * sizeof(mp_limb_t), side);
    operand_fill(g.p, n, kind, 26, seed);
    guard_read_only(&g);
    return g;
}

static enum operand_kind any_kind(void)
{
    return test_u64() & 1 ? OPERAND_RANDOM : (enum operand_kind)test_below(OPERAND_KINDS);
}

/* result_check - what stands in z, and nothing beside it. */
static void result_check(const struct guard *z, const mp_limb_t *want, size_t zn)
{
    test_equal_limbs(z->p, want, zn);
    TEST_CHECK_MSG(guard_intact(z), "written beside z");
}

/* guarded_check - a * b, and a^2 if that is short, all between guard pages on one side. */
static void guarded_check(size_t an, size_t bn, enum guard_side side)
{
    const enum operand_kind ak = any_kind(), bk = any_kind();
    const uint64_t a_seed = test_u64(), b_seed = test_u64();
    struct guard a = operand_guarded(an, ak, a_seed, side), b = operand_guarded(bn, bk, b_seed, side);
    struct guard z = guard_create((an + bn) * sizeof(mp_limb_t), side), s = guard_create(2 * an * sizeof(mp_limb_t), side);
    mp_limb_t *want = test_alloc(2 * an * sizeof *want);
    test_note("an=%zu bn=%zu a %s/%" PRIu64 " b %s/%" PRIu64, an, bn, operand_name(ak), a_seed, operand_name(bk), b_seed);
    ops->mul(z.p, a.p, an, b.p, bn);
    mpn_mul(want, a.p, (mp_size_t)an, b.p, (mp_size_t)bn);
    result_check(&z, want, an + bn);
    if (an <= SHORT_LIMBS_MAX) {
        ops->sqr(s.p, a.p, an);
        mpn_sqr(want, a.p, (mp_size_t)an);
        result_check(&s, want, 2 * an);
    }
    free(want);
    guard_destroy(&s);
    guard_destroy(&z);
    guard_destroy(&b);
    guard_destroy(&a);
}

/* Every pair of sizes. */
static void test_shapes(void)
{
    for (size_t an = 1; an <= SHAPES_LIMBS; an++)
        for (size_t bn = 1; bn <= an; bn++)
            guarded_check(an, bn, (an + bn) % 2 ? GUARD_AFTER : GUARD_BEFORE);
}

/* Sizes to the longest ones, and far longer operands a. */
static void test_sizes(void)
{
    for (size_t n = SHAPES_LIMBS; n <= SHORT_LIMBS_MAX; n++)
        guarded_check(n, n, n % 2 ? GUARD_AFTER : GUARD_BEFORE);
    for (size_t i = 0; i < test_tier(600, 20000, 200000); i++) {
        const size_t bn = test_size(1, SHORT_LIMBS_MAX), an = i % 4 ? test_between(bn, SHORT_LIMBS_MAX) : bn + test_below(3000);
        guarded_check(an, bn, i % 2 ? GUARD_AFTER : GUARD_BEFORE);
    }
}

/* Many products of one pair of sizes after the other, without guards. */
static void test_many(void)
{
    static mp_limb_t a[SHORT_LIMBS_MAX], b[SHORT_LIMBS_MAX], z[2 * SHORT_LIMBS_MAX], want[2 * SHORT_LIMBS_MAX];
    const size_t count = test_tier(20000, 5000000, 100000000);
    for (size_t i = 0; i < count; i++) {
        const size_t an = test_size(1, i % 16 ? SHAPES_LIMBS : SHORT_LIMBS_MAX), bn = test_between(an / 3 + 1, an);
        const enum operand_kind ak = any_kind(), bk = any_kind();
        const uint64_t a_seed = test_u64(), b_seed = test_u64();
        test_note("an=%zu bn=%zu a %s/%" PRIu64 " b %s/%" PRIu64, an, bn, operand_name(ak), a_seed, operand_name(bk), b_seed);
        operand_fill(a, an, ak, 26, a_seed);
        operand_fill(b, bn, bk, 26, b_seed);
        ops->mul(z, a, an, b, bn);
        mpn_mul(want, a, (mp_size_t)an, b, (mp_size_t)bn);
        test_equal_limbs(z, want, an + bn);
        if (i % 2) {
            ops->sqr(z, a, an);
            mpn_sqr(want, a, (mp_size_t)an);
            test_equal_limbs(z, want, 2 * an);
        }
    }
}

/* The largest columns: all bits set, in every size. */
static void test_largest(void)
{
    static mp_limb_t a[SHORT_LIMBS_MAX], z[2 * SHORT_LIMBS_MAX], want[2 * SHORT_LIMBS_MAX];
    memset(a, 0xff, sizeof a);
    for (size_t n = 1; n <= SHORT_LIMBS_MAX; n++) {
        mpn_sqr(want, a, (mp_size_t)n);
        test_note("n=%zu, all ones", n);
        ops->mul(z, a, n, a, n);
        test_equal_limbs(z, want, 2 * n);
        ops->sqr(z, a, n);
        test_equal_limbs(z, want, 2 * n);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    /* what each instruction set would have if it were the best one */
    const char *disable = getenv("GFMUL_DISABLE");
    const struct short_ops *last = NULL;
    for (unsigned mask = cpu_isa_mask(disable); mask != 0; mask &= mask - 1)
        for (int plain = 0; plain < 2; plain++) {
            ops = short_ops_select(mask, plain ? "ifma" : disable);
            if (!ops || (last && ops->mul == last->mul))
                continue;
            last = ops;
            printf("%s:\n", ops->name);
            TEST_RUN(test_shapes);
            TEST_RUN(test_sizes);
            TEST_RUN(test_many);
            TEST_RUN(test_largest);
        }
    if (!last) {
        printf("no instruction set with short products\n");
        return 77;
    }
    return test_end();
}
