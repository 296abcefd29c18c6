/* t-space.c - sums of products in a space against GMP's: random and adversarial numbers, cancellation, the bound. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "space_steps.h"

static void test_random_programs(void)
{
    for (unsigned primes = 0; primes < 2; primes++) {
        struct product_ctx c = space_ctx_create(primes, 1);
        for (size_t i = 0; i < test_tier(primes ? 40 : 120, 1200, 12000); i++)
            steps(c.ctx, i % 16 ? test_size(2, 700) : test_size(2, LONG_LIMBS), test_size(1, 64), 60);
        product_ctx_destroy(&c);
    }
}

/* Threads, no check, and contexts whose products are made one by one. */
static void test_other_contexts(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_AUTO, 3, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (size_t i = 0; i < test_tier(20, 100, 1000); i++)
        steps(c.ctx, test_size(2, LONG_LIMBS), test_size(1, 64), 40);
    product_ctx_destroy(&c);
    c = space_ctx_create(true, 3);
    for (size_t i = 0; i < test_tier(20, 100, 1000); i++)
        steps(c.ctx, test_size(2, LONG_LIMBS), test_size(1, 64), 40);
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_GMP, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(20, 100, 1000); i++)
        steps(c.ctx, test_size(2, 600), test_size(1, 64), 40);
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_VERIFY_GMP);
    for (size_t i = 0; i < test_tier(20, 100, 1000); i++)
        steps(c.ctx, test_size(2, 600), test_size(1, 64), 40);
    product_ctx_destroy(&c);
}

/* ---- cancellation, and the bound ---- */

/* x y - x y + z, and x y - (x + 1) y, come out exactly, although the products are long. */
static void cancellation(bool primes)
{
    struct product_ctx c = space_ctx_create(primes, 1);
    for (size_t i = 0; i < test_tier(40, 400, 4000); i++) {
        struct machine m = machine_create(c.ctx, test_size(100, LONG_LIMBS), test_size(2, 64));
        struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2], *r = &m.place[3];
        test_note("%zu limbs", m.limbs);
        place_draw(&m, x, m.limbs / 2);
        place_draw(&m, y, m.limbs / 2);
        place_draw(&m, z, m.limbs);
        TEST_OK(gfmul_spectrum_copy(r->x, z->x));
        TEST_OK(gfmul_spectrum_addmul(r->x, x->x, y->x));
        TEST_OK(gfmul_spectrum_submul(r->x, y->x, x->x));
        mpz_set(r->want, z->want);
        place_check(&m, r);
        TEST_OK(gfmul_spectrum_mul(r->x, x->x, y->x));
        mpz_set_si(z->want, test_u64() % 2 ? 1 : -1);
        TEST_OK(gfmul_spectrum_set_mpz(z->x, z->want));
        TEST_OK(gfmul_spectrum_add(z->x, z->x, x->x));
        TEST_OK(gfmul_spectrum_submul(r->x, z->x, y->x));
        mpz_mul(r->want, y->want, z->want);
        mpz_neg(r->want, r->want);
        place_check(&m, r); /* -+ y; z is 1 or -1 */
        machine_destroy(&m);
    }
    product_ctx_destroy(&c);
}

static void test_cancellation(void)
{
    cancellation(false);
    cancellation(true);
}

struct seen {
    double worst; /* error over bound */
    unsigned fallbacks, sums;
};

/* sum_compare - a sum of n products of numbers of given kinds, against GMP's. */
static void sum_compare(struct machine *m, size_t n, enum operand_kind kind, bool minus, bool same, struct seen *seen)
{
    struct place *x = &m->place[0], *y = &m->place[1], *z = &m->place[2];
    const size_t half = m->limbs / 2;
    mpz_t a;
    mpz_init(a);
    mpz_set_ui(z->want, 0);
    TEST_OK(gfmul_spectrum_set_mpz(z->x, z->want));
    test_note("%zu limbs, %zu products of %s, %u bits%s", m->limbs, n, operand_name(kind), space_digit_bits(m->space),
              minus ? ", signs" : "");
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < 2 && (i == 0 || !same); k++) {
            operand_fill(mpz_limbs_write(a, (mp_size_t)half), half, kind, space_digit_bits(m->space), test_u64());
            a->_mp_d[half - 1] >>= 8; /* sums of up to 64 products fit */
            mpz_limbs_finish(a, (mp_size_t)half);
            place_set(k == 0 ? x : y, a);
        }
        const bool subtract = minus && i % 2 == 1;
        TEST_OK((subtract ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(z->x, x->x, same ? x->x : y->x));
        (subtract ? mpz_submul : mpz_addmul)(z->want, x->want, same ? x->want : y->want);
    }
    TEST_OK(gfmul_spectrum_get_mpz(z->x, a));
    const struct gfmul_report report = last_report(m->space);
    TEST_CHECK(mpz_cmp(a, z->want) == 0);
    if (m->space->tables && mpz_sgn(a) != 0) {
        TEST_CHECK_MSG(report.max_error == 0 && report.n_fallbacks == 0 && strcmp(report.plan.precision, "prime") == 0,
                       "error %g, %u fallbacks, precision %s", report.max_error, (unsigned)report.n_fallbacks,
                       report.plan.precision);
    } else if (mpz_sgn(a) != 0) {
        TEST_CHECK_MSG(report.max_error <= report.plan.bound, "error %g, bound %g", report.max_error, report.plan.bound);
        seen->worst = test_worse(seen->worst, report.max_error / report.plan.bound);
    }
    seen->fallbacks += report.n_fallbacks > 0;
    seen->sums++;
    mpz_clear(a);
}

/* Random and adversarial digits: errors stay below bounds, and sums whose norms are too large are made again. */
static void test_bounds(void)
{
    static const size_t products[] = {1, 2, 8, 64};
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct seen all = {.worst = 0};
    for (unsigned k = 0; k < sizeof products / sizeof *products; k++) {
        struct seen seen = {.worst = 0};
        for (size_t i = 0; i < test_tier(2, 12, 60); i++) {
            const size_t limbs = test_size(300, test_tier(LONG_LIMBS, 40000, 400000));
            struct machine m = machine_create(c.ctx, limbs, products[k]);
            for (unsigned kind = 0; kind < OPERAND_KINDS; kind++)
                if (kind == OPERAND_RANDOM || kind >= OPERAND_DIGITS_MAX)
                    sum_compare(&m, products[k], (enum operand_kind)kind, test_u64() % 2, test_u64() % 4 == 0, &seen);
            machine_destroy(&m);
        }
        if (test_level() > 0)
            printf("  %2zu products: %u sums, %u made again, worst error / bound %.4f\n", products[k], seen.sums, seen.fallbacks,
                   seen.worst);
        all.fallbacks += seen.fallbacks;
        all.worst = test_worse(all.worst, seen.worst);
    }
    TEST_CHECK_MSG(all.worst > 0 && all.worst < 0.5, "worst error / bound %g", all.worst);
#ifndef GFMUL_MIN_THRESHOLDS
    TEST_CHECK_MSG(all.fallbacks > 0, "no sum was made again");
#endif
    product_ctx_destroy(&c);
}

/* Sums of numbers that no spectrum has any more when they are read: no transform of theirs is kept. */
static void test_passing_factors(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(30, 300, 3000); i++) {
        struct machine m = machine_create(c.ctx, test_size(300, LONG_LIMBS), test_size(1, 20));
        struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
        const size_t products = test_size(1, 20);
        test_note("%zu limbs, %zu products", m.limbs, products);
        place_draw(&m, z, m.limbs - 1);
        for (size_t k = 0; k < products; k++) {
            const bool subtract = test_u64() % 2;
            place_draw(&m, x, m.limbs / 2 - 1);
            place_draw(&m, y, m.limbs / 2 - 1);
            TEST_OK((subtract ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(z->x, x->x, y->x));
            (subtract ? mpz_submul : mpz_addmul)(z->want, x->want, y->want);
        }
        TEST_OK(gfmul_spectrum_set(x->x, NULL, 0));
        TEST_OK(gfmul_spectrum_set(y->x, NULL, 0));
        place_check(&m, z);
        machine_destroy(&m);
    }
    product_ctx_destroy(&c);
}

/* Modulo primes the largest coefficients of as many products as the space is for come out exactly, with either sign. */
static void test_largest_coefficients(void)
{
    struct product_ctx c = space_ctx_create(true, 1);
    unsigned made = 0;
    for (size_t i = 0; i < test_tier(12, 60, 600); i++) {
        const size_t products = i % 3 == 0 ? 1 : test_size(1, 300);
        struct machine m = machine_create(c.ctx, test_size(600, LONG_LIMBS), products);
        struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
        mpz_t a;
        mpz_init(a);
        for (unsigned minus = 0; minus < 3; minus++) { /* all of one sign, or in turn */
            for (unsigned k = 0; k < 2; k++) {
                mpz_set_ui(a, 0);
                mpz_setbit(a, 32 * m.limbs - 5); /* sums fit */
                mpz_sub_ui(a, a, 1);
                place_set(k == 0 ? x : y, a);
            }
            mpz_set_ui(z->want, 0);
            TEST_OK(gfmul_spectrum_set_mpz(z->x, z->want));
            for (size_t k = 0; k < products; k++) {
                const bool subtract = minus == 1 || (minus == 2 && k % 2 == 1);
                TEST_OK((subtract ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(z->x, x->x, y->x));
                (subtract ? mpz_submul : mpz_addmul)(z->want, x->want, y->want);
            }
            place_check(&m, z);
            made += m.space->tables != NULL;
        }
        mpz_clear(a);
        machine_destroy(&m);
    }
    TEST_CHECK_MSG(made > 0, "no space modulo primes");
    product_ctx_destroy(&c);
}

/* Transforms of sums are made from those of their parts. */
static void test_parts(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    unsigned made = 0;
    for (size_t i = 0; i < test_tier(30, 300, 3000); i++) {
        struct machine m = machine_create(c.ctx, test_size(300, LONG_LIMBS), 4);
        struct place *x = &m.place[0], *y = &m.place[1], *s = &m.place[2], *d = &m.place[3], *r = &m.place[4];
        place_draw(&m, x, m.limbs / 2 - 1);
        place_draw(&m, y, m.limbs / 2 - 1);
        TEST_OK(gfmul_spectrum_mul(r->x, x->x, y->x));
        mpz_mul(r->want, x->want, y->want);
        place_check(&m, r);
        TEST_OK(gfmul_spectrum_add(s->x, x->x, y->x));
        mpz_add(s->want, x->want, y->want);
        TEST_OK(gfmul_spectrum_sub(d->x, x->x, y->x));
        mpz_sub(d->want, x->want, y->want);
        TEST_OK(gfmul_spectrum_mul(r->x, s->x, d->x)); /* x^2 - y^2 */
        mpz_mul(r->want, s->want, d->want);
        place_check(&m, r);
        report_proved(m.space);
        const struct gfmul_report report = last_report(m.space);
        made += m.space->n_plans == SPACE_PLANS && report.n_fallbacks == 0;
        TEST_OK(gfmul_spectrum_sub(s->x, x->x, x->x));
        TEST_OK(gfmul_spectrum_mul(r->x, s->x, d->x));
        mpz_set_ui(r->want, 0);
        place_check(&m, r);
        machine_destroy(&m);
    }
    TEST_CHECK_MSG(made > 0, "no sum of transforms was used");
    product_ctx_destroy(&c);
}

/* A number that is added to again and again, and is a factor in between, keeps nothing of what it was before. */
static void test_running_sum(void)
{
    enum { STEPS = 64, SETTLED = 8 };
    for (unsigned primes = 0; primes < 2; primes++) {
        struct product_ctx c = space_ctx_create(primes == 1, 1);
        struct machine m = machine_create(c.ctx, LONG_LIMBS, 2);
        struct place *x = &m.place[0], *y = &m.place[1], *r = &m.place[2];
        const size_t n = m.limbs / 2;
        size_t bytes = 0;
        mpz_t a;
        mpz_init(a);
        for (unsigned i = 0; i < 2; i++) { /* longest numbers that stay so */
            operand_fill(mpz_limbs_write(a, (mp_size_t)n), n, OPERAND_RANDOM, 0, test_u64());
            mpz_limbs_finish(a, (mp_size_t)n);
            mpz_setbit(a, 64 * n - 10);
            mpz_tdiv_r_2exp(a, a, 64 * n - 9);
            place_set(&m.place[i], a);
        }
        for (unsigned i = 0; i < STEPS; i++) {
            TEST_OK(gfmul_spectrum_mul(r->x, x->x, y->x));
            TEST_OK(gfmul_spectrum_submul(r->x, y->x, y->x));
            mpz_sub(a, x->want, y->want);
            mpz_mul(r->want, a, y->want);
            place_check(&m, r);
            (i % 3 == 2 ? mpz_sub : mpz_add)(x->want, x->want, y->want);
            TEST_OK((i % 3 == 2 ? gfmul_spectrum_sub : gfmul_spectrum_add)(x->x, x->x, y->x));
            bytes = i == SETTLED ? gfmul_space_bytes(m.space) : bytes;
        }
        TEST_CHECK_MSG(gfmul_space_bytes(m.space) <= 2 * bytes, "%zu bytes have become %zu", bytes, gfmul_space_bytes(m.space));
        mpz_clear(a);
        machine_destroy(&m);
        product_ctx_destroy(&c);
    }
}

/* Long sums. */
static void test_long(void)
{
    struct seen seen = {.worst = 0};
    static const size_t sizes[] = {30000, 30000, 100000, 1000000, 1000000};
    for (size_t i = 0; i < test_tier(2, 5, 5); i++) {
        struct product_ctx c = space_ctx_create(i % 2 == 1, 0);
        struct machine m = machine_create(c.ctx, sizes[i], 3);
        TEST_CHECK(i % 2 == 0 || m.space->tables);
        sum_compare(&m, 3, OPERAND_RANDOM, true, false, &seen);
        sum_compare(&m, 3, OPERAND_DIGITS_MAX, false, false, &seen);
        machine_destroy(&m);
        product_ctx_destroy(&c);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_random_programs);
    TEST_RUN(test_other_contexts);
    TEST_RUN(test_cancellation);
    TEST_RUN(test_bounds);
    TEST_RUN(test_passing_factors);
    TEST_RUN(test_largest_coefficients);
    TEST_RUN(test_parts);
    TEST_RUN(test_running_sum);
    TEST_RUN(test_long);
    return test_end();
}
