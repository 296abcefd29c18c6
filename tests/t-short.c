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
    const size_t count = test_tier(20000, 1000000, 100000000);
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

/*
 * Carries that run on: 2^m - 1.  If it is cut into parts of equal lengths and these are added, digits of ones meet digits of
 * zeros and a carry from below.
 */
static void test_carries(void)
{
    static mp_limb_t a[SHORT_LIMBS_MAX], b[SHORT_LIMBS_MAX], z[2 * SHORT_LIMBS_MAX], want[2 * SHORT_LIMBS_MAX];
    for (size_t n = 1; n <= SHORT_LIMBS_MAX; n++) {
        for (size_t i = 0; i < test_tier(2, 20, 200); i++) {
            const size_t m = test_between(1, 64 * n), bn = test_between(3 * n / 4 + 1, n);
            const uint64_t seed = test_u64();
            memset(a, 0, sizeof a);
            memset(a, 0xff, m / 64 * sizeof *a);
            if (m % 64 != 0)
                a[m / 64] = ((mp_limb_t)1 << m % 64) - 1;
            operand_fill(b, bn, i % 2 ? OPERAND_RANDOM : OPERAND_ONES, 26, seed);
            test_note("n=%zu bn=%zu m=%zu seed %" PRIu64, n, bn, m, seed);
            ops->mul(z, a, n, b, bn);
            mpn_mul(want, a, (mp_size_t)n, b, (mp_size_t)bn);
            test_equal_limbs(z, want, n + bn);
            ops->sqr(z, a, n);
            mpn_sqr(want, a, (mp_size_t)n);
            test_equal_limbs(z, want, 2 * n);
            ops->mul(z, a, n, a, n);
            test_equal_limbs(z, want, 2 * n);
        }
    }
}

/* ---- Montgomery's reduction ---- */

/* inverse_of - -1 / m modulo B, of odd m. */
static mp_limb_t inverse_of(mp_limb_t m)
{
    mp_limb_t x = m; /* 3 bits are right, and twice as many after each step */
    for (int i = 0; i < 5; i++)
        x *= 2 - m * x;
    return -x;
}

/* redc_reference - row by row.   u i/o: 2 n limbs.   Value: the carry. */
static mp_limb_t redc_reference(mp_limb_t *z, mp_limb_t *u, const mp_limb_t *m, size_t n)
{
    const mp_limb_t inverse = inverse_of(m[0]);
    mp_limb_t top = 0;
    for (size_t i = 0; i < n; i++) {
        const mp_limb_t carry = mpn_addmul_1(u + i, m, (mp_size_t)n, u[i] * inverse);
        TEST_CHECK(u[i] == 0);
        top += mpn_add_1(u + i + n, u + i + n, (mp_size_t)(n - i), carry);
    }
    mpn_copyi(z, u + n, (mp_size_t)n);
    return top;
}

/* redc_check - between guard pages, and then with the result in u and in m.   m is made odd. */
static void redc_check(size_t n, const mp_limb_t *u, mp_limb_t *m, enum guard_side side)
{
    struct guard gu = guard_create(2 * n * sizeof *u, side), gm = guard_create(n * sizeof *m, side);
    struct guard z = guard_create(n * sizeof *u, side);
    mp_limb_t want[SHORT_REDC_MAX], work[2 * SHORT_REDC_MAX];
    m[0] |= 1;
    memcpy(gu.p, u, 2 * n * sizeof *u);
    memcpy(gm.p, m, n * sizeof *m);
    memcpy(work, u, 2 * n * sizeof *u);
    guard_read_only(&gu);
    guard_read_only(&gm);
    const mp_limb_t carry = redc_reference(want, work, m, n), inverse = inverse_of(m[0]);
    TEST_CHECK(ops->redc(z.p, gu.p, gm.p, n, inverse) == carry);
    result_check(&z, want, n);
    for (size_t at = 0; at <= n; at++) {
        memcpy(work, u, 2 * n * sizeof *u);
        TEST_CHECK(ops->redc(work + at, work, m, n, inverse) == carry);
        test_equal_limbs(work + at, want, n);
    }
    TEST_CHECK(ops->redc(m, u, m, n, inverse) == carry);
    test_equal_limbs(m, want, n);
    guard_destroy(&z);
    guard_destroy(&gm);
    guard_destroy(&gu);
}

static void test_redc(void)
{
    mp_limb_t u[2 * SHORT_REDC_MAX], m[SHORT_REDC_MAX];
    for (size_t n = 2; n <= SHORT_REDC_MAX; n++) {
        for (size_t i = 0; i < test_tier(20, 300, 100000); i++) {
            const enum operand_kind uk = any_kind(), mk = any_kind();
            const uint64_t u_seed = test_u64(), m_seed = test_u64();
            test_note("n=%zu u %s/%" PRIu64 " m %s/%" PRIu64, n, operand_name(uk), u_seed, operand_name(mk), m_seed);
            operand_fill(u, 2 * n, uk, 26, u_seed);
            operand_fill(m, n, mk, 26, m_seed);
            redc_check(n, u, m, i % 2 ? GUARD_AFTER : GUARD_BEFORE);
        }
    }
}

/* The largest columns, with and without a carry out; a result of ones or zeros, which one bit more has to run through. */
static void test_redc_largest(void)
{
    mp_limb_t u[2 * SHORT_REDC_MAX], m[SHORT_REDC_MAX];
    for (size_t n = 2; n <= SHORT_REDC_MAX; n++) {
        for (int low = 0; low < 3; low++) {
            test_note("n=%zu low=%d", n, low);
            memset(u, 0xff, sizeof u);
            memset(u, low ? 0 : 0xff, n * sizeof *u);
            u[0] += low == 2; /* then q m is -1 modulo B^n */
            memset(m, 0xff, sizeof m);
            redc_check(n, u, m, GUARD_AFTER);
            memset(m, 0, sizeof m);
            m[n - 1] = 1;
            redc_check(n, u, m, GUARD_AFTER);
            memset(m, 0, sizeof m);
            redc_check(n, u, m, GUARD_AFTER); /* m = 1: q = -u, and the result is the upper half, or one more */
        }
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    const char *disable = getenv("GFMUL_DISABLE");
    const unsigned mask = cpu_isa_mask(disable);
    const struct short_ops *last = NULL;
    for (; (ops = short_ops_next(last, mask, disable)) != NULL; last = ops) {
        printf("%s:\n", ops->name);
        TEST_RUN(test_shapes);
        TEST_RUN(test_sizes);
        TEST_RUN(test_many);
        TEST_RUN(test_largest);
        TEST_RUN(test_carries);
        if (ops->redc) {
            TEST_RUN(test_redc);
            TEST_RUN(test_redc_largest);
        }
    }
    if (!last) {
        printf("no instruction set with short products\n");
        return 77;
    }
    return test_end();
}
