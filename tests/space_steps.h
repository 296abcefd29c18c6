/*
 * space_steps.h - random programs of spectra, whose values are compared with GMP's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_TEST_SPACE_STEPS_H
#define GFMUL_TEST_SPACE_STEPS_H

#include "spaces.h"

/* bits_fit - whether a value stays below B^limbs, with some bits to spare. */
static bool bits_fit(const struct machine *m, mpz_srcptr a)
{
    return mpz_sizeinbase(a, 2) + 4 < 64 * m->limbs;
}

static bool product_fits(const struct machine *m, const struct place *x, const struct place *y)
{
    return mpz_sizeinbase(x->want, 2) + mpz_sizeinbase(y->want, 2) + 8 < 64 * m->limbs;
}

/* step_product - z = x y, or z += x y, or z -= x y. */
static void step_product(struct machine *m, struct place *z, struct place *x, struct place *y)
{
    mpz_t t;
    const unsigned kind = (unsigned)test_below(4);
    if (!product_fits(m, x, y))
        return;
    mpz_init(t);
    mpz_mul(t, x->want, y->want);
    if (kind == 0)
        TEST_OK(gfmul_spectrum_mul(z->x, x->x, y->x));
    else if (kind == 1 && x == y)
        TEST_OK(gfmul_spectrum_sqr(z->x, x->x));
    if (kind > 1) {
        (kind == 2 ? mpz_add : mpz_sub)(t, z->want, t);
        if (bits_fit(m, t))
            TEST_OK((kind == 2 ? gfmul_spectrum_addmul : gfmul_spectrum_submul)(z->x, x->x, y->x));
    }
    if (kind == 0 || (kind == 1 && x == y) || (kind > 1 && bits_fit(m, t)))
        mpz_set(z->want, t);
    mpz_clear(t);
}

/* step_dot - z = a dot product of some places, z among them. */
static void step_dot(struct machine *m, struct place *z)
{
    struct gfmul_spectrum *x[PLACES], *y[PLACES];
    mpz_t sum;
    size_t n = 0;
    mpz_init(sum);
    for (unsigned i = 0; i < PLACES; i++) {
        struct place *a = &m->place[test_below(PLACES)], *b = &m->place[test_below(PLACES)];
        if (!product_fits(m, a, b))
            continue;
        x[n] = a->x;
        y[n++] = b->x;
        mpz_addmul(sum, a->want, b->want);
    }
    TEST_OK(gfmul_spectrum_dot(z->x, x, y, n));
    mpz_swap(z->want, sum);
    mpz_clear(sum);
}

static void step(struct machine *m)
{
    struct place *z = &m->place[test_below(PLACES)], *x = &m->place[test_below(PLACES)], *y = &m->place[test_below(PLACES)];
    mpz_t t;
    mpz_init(t);
    switch (test_below(12)) {
    case 0:
    case 1:
        place_draw(m, z, m->limbs / 2);
        break;
    case 2:
        TEST_OK(gfmul_spectrum_copy(z->x, x->x));
        mpz_set(z->want, x->want);
        break;
    case 3:
        TEST_OK(gfmul_spectrum_neg(z->x, x->x));
        mpz_neg(z->want, x->want);
        break;
    case 4:
    case 5:
        mpz_add(t, x->want, y->want);
        if (bits_fit(m, t)) {
            TEST_OK(gfmul_spectrum_add(z->x, x->x, y->x));
            mpz_swap(z->want, t);
        }
        break;
    case 6:
        mpz_sub(t, x->want, y->want);
        if (bits_fit(m, t)) {
            TEST_OK(gfmul_spectrum_sub(z->x, x->x, y->x));
            mpz_swap(z->want, t);
        }
        break;
    case 7:
        place_check(m, x);
        break;
    case 8:
        if (test_below(4) == 0) {
            step_dot(m, z);
            break;
        }
        step_product(m, z, x, test_below(4) ? y : x);
        break;
    default:
        step_product(m, z, x, test_below(4) ? y : x);
        break;
    }
    mpz_clear(t);
}

/* steps - a random program of so many steps; all places are compared at the end. */
TEST_UNUSED static void steps(struct gfmul_ctx *ctx, size_t limbs, size_t max_products, unsigned n)
{
    struct machine m = machine_create(ctx, limbs, max_products);
    test_note("%zu limbs, %zu products, %u bits", limbs, max_products, space_digit_bits(m.space));
    for (unsigned i = 0; i < PLACES; i++)
        place_draw(&m, &m.place[i], m.limbs / 2 > 0 ? m.limbs / 2 : 1);
    for (unsigned i = 0; i < n; i++)
        step(&m);
    for (unsigned i = 0; i < PLACES; i++)
        place_check(&m, &m.place[i]);
    machine_destroy(&m);
}

#endif
