/* t-mul_small.c - the shortest products and squares, a function for each size, against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "limbs/mul_small.h"
#include "test.h"

enum { MOST = SQR_SMALL_MOST, KINDS = 3 };

static const struct small_ops *ops;

/* fill - random limbs, limbs whose bits are mostly equal, or all ones. */
static void fill(mp_limb_t *x, size_t n, unsigned kind)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = test_u64();
        x[i] = kind == 0 ? r : kind == 2 ? ~(mp_limb_t)0 : r % 5 == 0 ? 0 : r % 5 == 1 ? 1 : r % 5 == 2 ? r : ~(mp_limb_t)(r % 3);
    }
}

/* equal_check - z has the product, and the limb behind it is as it was. */
static void equal_check(const mp_limb_t *z, const mp_limb_t *want, size_t zn)
{
    test_equal_limbs(z, want, zn);
    TEST_CHECK_MSG(z[zn] == 4711, "written behind z");
}

/* products - products of an by bn limbs of all kinds; wide: by mul_wide. */
static void products(size_t an, size_t bn, bool wide)
{
    const size_t count = test_tier(300, 30000, 1000000);
    mp_limb_t a[MUL_WIDE_MOST], b[MUL_WIDE_MOST], z[2 * MUL_WIDE_MOST + 1], want[2 * MUL_WIDE_MOST];
    for (size_t i = 0; i < count; i++) {
        test_note("an=%zu bn=%zu i=%zu", an, bn, i);
        fill(a, an, i % KINDS);
        fill(b, bn, i / KINDS % KINDS);
        mpn_mul(want, a, (mp_size_t)an, b, (mp_size_t)bn);
        z[an + bn] = 4711;
        TEST_CHECK((wide ? mul_wide(ops, z, a, an, b, bn) : ops->mul[an - 1][bn - 1](z, a, b)) == 0);
        equal_check(z, want, an + bn);
    }
}

static void test_products(void)
{
    for (size_t an = 1; an <= ops->mul_limbs; an++)
        for (size_t bn = 1; bn <= an; bn++)
            products(an, bn, false);
}

/* Products of longer operands by few limbs. */
static void test_wide(void)
{
    for (size_t an = MUL_APART_MOST + 1; an <= MUL_WIDE_MOST; an++)
        for (size_t bn = 1; bn <= MUL_WIDE_BY; bn++)
            products(an, bn, true);
}

/* Products that may overlap, of any order of sizes: beside the operands, and in their place. */
static void test_overlaps(void)
{
    const size_t count = test_tier(300, 30000, 1000000);
    mp_limb_t a[2 * MUL_SMALL_LIMBS + 1], b[2 * MUL_SMALL_LIMBS + 1], z[2 * MUL_SMALL_LIMBS + 1], want[2 * MUL_SMALL_LIMBS];
    for (size_t an = 1; an <= MUL_SMALL_LIMBS; an++)
        for (size_t bn = 1; bn <= MUL_SMALL_LIMBS; bn++)
            for (size_t i = 0; i < count; i++) {
                test_note("an=%zu bn=%zu i=%zu", an, bn, i);
                fill(a, an, i % KINDS);
                fill(b, bn, i / KINDS % KINDS);
                if (an >= bn)
                    mpn_mul(want, a, (mp_size_t)an, b, (mp_size_t)bn);
                else
                    mpn_mul(want, b, (mp_size_t)bn, a, (mp_size_t)an);
                z[an + bn] = a[an + bn] = b[an + bn] = 4711;
                TEST_CHECK(mul_small[an - 1][bn - 1](z, a, b) == 0);
                equal_check(z, want, an + bn);
                mp_limb_t *const to = i % 2 ? a : b;
                mul_small[an - 1][bn - 1](to, a, b);
                equal_check(to, want, an + bn);
            }
}

static void test_squares(void)
{
    const size_t count = test_tier(3000, 300000, 10000000);
    mp_limb_t a[MOST], z[2 * MOST + 1], want[2 * MOST];
    for (size_t n = 1; n <= ops->sqr_limbs; n++)
        for (size_t i = 0; i < count; i++) {
            test_note("n=%zu i=%zu", n, i);
            fill(a, n, i % KINDS);
            mpn_sqr(want, a, (mp_size_t)n);
            z[2 * n] = 4711;
            TEST_CHECK(ops->sqr[n - 1](z, a) == 0);
            equal_check(z, want, 2 * n);
        }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_overlaps);
    const char *disable = getenv("GFMUL_DISABLE");
    for (int plain = 0; plain < 2; plain++) {
        ops = plain ? &small_ops_plain : small_ops_select(disable);
        if (!plain && ops == &small_ops_plain)
            continue;
        printf("%s:\n", plain ? "plain" : "adx");
        TEST_RUN(test_products);
        TEST_RUN(test_wide);
        TEST_RUN(test_squares);
    }
    return test_end();
}
