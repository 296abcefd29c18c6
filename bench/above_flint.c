/*
 * above_flint.c - what stands above a product, by FLINT's integers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "above.h"
#include "bench_flint.h"

/* Copies of the numbers in b-above.c, and results. */
static struct {
    flint_integer a, b, small, exponent; /* small: the lower half of a */
    flint_integer z, r;
    flint_integer *modulus, *result, *product[TREE_LEVELS], *rest[TREE_LEVELS], number;
} own;

static void limbs_set(flint_integer *x, const mp_limb_t *limbs, size_t n)
{
    mpz_t view;
    flint.set(x, mpz_roinit_n(view, limbs, (mp_size_t)n));
}

static flint_integer *integers_make(size_t n)
{
    return bench_alloc(n, sizeof(flint_integer));
}

static void integers_free(flint_integer *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        flint.clear(&x[i]);
    free(x);
}

void flint_numbers_make(bool trees)
{
    memset(&own, 0, sizeof own);
    limbs_set(&own.a, now.a, 2 * now.n);
    limbs_set(&own.b, now.b, now.n);
    limbs_set(&own.small, now.a, now.n);
    limbs_set(&own.exponent, now.b + now.n - POWER_LIMBS, POWER_LIMBS);
    if (!trees)
        return;
    own.modulus = integers_make(tree.n);
    own.result = integers_make(tree.n);
    flint.set(&own.number, tree.number);
    for (size_t i = 0; i < tree.n; i++)
        flint.set(&own.modulus[i], &tree.modulus[i]);
    for (size_t k = 0; k < tree.levels; k++) {
        own.product[k] = integers_make(tree_nodes(k));
        own.rest[k] = integers_make(tree_nodes(k));
    }
}

void flint_numbers_free(bool trees)
{
    flint_integer *const all[] = {&own.a, &own.b, &own.small, &own.exponent, &own.z, &own.r, &own.number};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        flint.clear(all[i]);
    if (!trees)
        return;
    integers_free(own.modulus, tree.n);
    integers_free(own.result, tree.n);
    for (size_t k = 0; k < tree.levels; k++) {
        integers_free(own.product[k], tree_nodes(k));
        integers_free(own.rest[k], tree_nodes(k));
    }
}

static enum gfmul_status quotient(void)
{
    flint.tdiv_qr(&own.z, &own.r, &own.a, &own.b);
    return GFMUL_OK;
}

static enum gfmul_status root(void)
{
    flint.sqrtrem(&own.z, &own.r, &own.a);
    return GFMUL_OK;
}

static enum gfmul_status power(void)
{
    flint.powm(&own.z, &own.small, &own.exponent, &own.b);
    return GFMUL_OK;
}

static enum gfmul_status to_text(void)
{
    flint.get_str(now.room, 10, &own.b);
    return GFMUL_OK;
}

static enum gfmul_status from_text(void)
{
    return flint.set_str(&own.z, now.text, 10) == 0 ? GFMUL_OK : GFMUL_ERR_ARGUMENT;
}

/* ---- the same trees as b-above.c has by GMP ---- */

static void products(void)
{
    flint_integer one = 1;
    for (size_t i = 0; i < tree.n; i++)
        flint.mul(&own.product[0][i], &own.modulus[i], &one);
    for (size_t k = 1; k < tree.levels; k++)
        for (size_t j = 0; j < tree_nodes(k); j++) {
            const flint_integer *left = &own.product[k - 1][2 * j];
            flint.mul(&own.product[k][j], left, 2 * j + 1 < tree_nodes(k - 1) ? left + 1 : &one);
        }
}

static void remainders(const flint_integer *a, bool squares)
{
    flint_integer square = 0;
    for (size_t k = tree.levels; k-- > 0;)
        for (size_t j = 0; j < tree_nodes(k); j++) {
            const flint_integer *from = k + 1 == tree.levels ? a : &own.rest[k + 1][j / 2];
            if (squares)
                flint.mul(&square, &own.product[k][j], &own.product[k][j]);
            flint.mod(&own.rest[k][j], from, squares ? &square : &own.product[k][j]);
        }
    flint.clear(&square);
}

static enum gfmul_status remainder_tree(void)
{
    products();
    remainders(&own.number, false);
    return GFMUL_OK;
}

static enum gfmul_status batch_gcd(void)
{
    products();
    remainders(&own.product[tree.levels - 1][0], true);
    for (size_t i = 0; i < tree.n; i++) {
        flint.divexact(&own.result[i], &own.rest[0][i], &own.modulus[i]);
        flint.gcd(&own.result[i], &own.result[i], &own.modulus[i]);
    }
    return GFMUL_OK;
}

const struct work flint_works[FLINT_WORKS] = {
    {"divide", "flint", quotient},     {"root", "flint", root},     {"powm", "flint", power},
    {"tree", "flint", remainder_tree}, {"gcd", "flint", batch_gcd}, {"to_text", "flint", to_text},
    {"from_text", "flint", from_text},
};

/* is_number - whether x is the number of these limbs. */
static bool is_number(const flint_integer *x, const mp_limb_t *limbs, size_t n)
{
    mpz_t view, got;
    mpz_init(got);
    flint.get(got, x);
    const bool same = mpz_cmp(got, mpz_roinit_n(view, limbs, (mp_size_t)n)) == 0;
    mpz_clear(got);
    return same;
}

static bool are_numbers(const flint_integer *x, mpz_srcptr want, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n && same; i++)
        same = is_number(&x[i], want[i]._mp_d, mpz_size(&want[i]));
    return same;
}

void flint_results_compare(const char *group)
{
    bool same = true;
    if (strcmp(group, "divide") == 0)
        same = is_number(&own.z, now.z, now.n + 1) && is_number(&own.r, now.z + now.n + 1, now.n);
    else if (strcmp(group, "root") == 0)
        same = is_number(&own.z, now.z, now.n);
    else if (strcmp(group, "powm") == 0)
        same = is_number(&own.z, now.power[0]._mp_d, mpz_size(now.power));
    else if (strcmp(group, "tree") == 0)
        same = are_numbers(own.rest[0], tree.rest[0], tree.n);
    else if (strcmp(group, "gcd") == 0)
        same = are_numbers(own.result, tree.result, tree.n);
    else if (strcmp(group, "to_text") == 0)
        same = strlen(now.room) == now.length && memcmp(now.room, now.text, now.length) == 0;
    else if (strcmp(group, "from_text") == 0)
        same = is_number(&own.z, now.b, now.n);
    if (!same)
        bench_fail("%s: FLINT's result differs", group);
}
