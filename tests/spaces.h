/*
 * spaces.h - a space with some spectra, and the values that they should have.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_TEST_SPACES_H
#define GFMUL_TEST_SPACES_H

#include <pthread.h>

#include "space/space.h"
#ifdef HAVE_OPENCL
#include "space/space_device_state.h"
#endif
#include "gfmul_arith.h"
#include "products.h"

#ifdef GFMUL_MIN_THRESHOLDS
enum { LONG_LIMBS = 400 };
#else
enum { LONG_LIMBS = 4000 };
#endif

/* A spectrum, and the value that it should have. */
struct place {
    struct gfmul_spectrum *x;
    mpz_t want;
};

enum { PLACES = 12 };

struct machine {
    struct gfmul_space *space;
    size_t limbs;
    struct place place[PLACES];
};

/* space_ctx_create - a context whose spaces are in double, if they are short, or modulo primes. */
TEST_UNUSED static struct product_ctx space_ctx_create(bool primes, unsigned threads)
{
    struct product_ctx c;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.threads = threads;
    opt.precision = primes ? GFMUL_PRECISION_PRIME : GFMUL_PRECISION_AUTO;
    snprintf(c.name, sizeof c.name, "%s, %u threads", primes ? "primes" : "any field", threads);
    test_note("%s", c.name);
    c.ctx = test_ctx(&opt);
    return c;
}

TEST_UNUSED static struct machine machine_create(struct gfmul_ctx *ctx, size_t limbs, size_t max_products)
{
    struct machine m = {.limbs = limbs};
    if (!TEST_OK(gfmul_space_create(ctx, &m.space, limbs, max_products)))
        exit(1);
    TEST_CHECK(gfmul_space_limbs(m.space) == limbs);
    for (unsigned i = 0; i < PLACES; i++) {
        TEST_OK(gfmul_spectrum_create(m.space, &m.place[i].x));
        mpz_init(m.place[i].want);
    }
    return m;
}

TEST_UNUSED static void machine_destroy(struct machine *m)
{
    for (unsigned i = 0; i < PLACES; i++) {
        gfmul_spectrum_destroy(m->place[i].x);
        mpz_clear(m->place[i].want);
    }
    gfmul_space_trim(m->space);
    TEST_CHECK_MSG(gfmul_space_bytes(m->space) == 0, "%zu bytes are left", gfmul_space_bytes(m->space));
    gfmul_space_destroy(m->space);
}

/* space_digit_bits - l of the plan that proves random digits in double, or of that on a device; 12 if there is none. */
TEST_UNUSED static unsigned space_digit_bits(const struct gfmul_space *space)
{
#ifdef HAVE_OPENCL
    if (space->device)
        return space->device->shape.digits.exponent;
#endif
    return space->n_plans > 0 && !space->tables ? space->plan[0].plan.shape.digits.exponent : 12;
}

/* number_draw - a number of up to so many limbs of any kind and sign. */
TEST_UNUSED static void number_draw(const struct machine *m, mpz_ptr a, size_t most)
{
    const enum operand_kind kind = test_u64() % 2 ? OPERAND_RANDOM : (enum operand_kind)test_below(OPERAND_KINDS);
    const size_t n = test_u64() % 4 ? most : test_size(1, most);
    operand_fill(mpz_limbs_write(a, (mp_size_t)n), n, kind, space_digit_bits(m->space), test_u64());
    mpz_limbs_finish(a, test_u64() % 2 ? (mp_size_t)n : -(mp_size_t)n);
}

TEST_UNUSED static void place_set(struct place *p, mpz_srcptr a)
{
    mpz_set(p->want, a);
    if (mpz_sgn(a) >= 0 && test_u64() % 2)
        TEST_OK(gfmul_spectrum_set(p->x, mpz_limbs_read(a), mpz_size(a)));
    else
        TEST_OK(gfmul_spectrum_set_mpz(p->x, a));
}

TEST_UNUSED static void place_draw(struct machine *m, struct place *p, size_t most)
{
    mpz_t a;
    mpz_init(a);
    number_draw(m, a, most);
    place_set(p, a);
    mpz_clear(a);
}

/* report_proved - if transforms made the last value, the error that was seen lies below the bound. */
TEST_UNUSED static void report_proved(const struct gfmul_space *space)
{
    struct gfmul_report report;
    gfmul_ctx_report(space->ctx, &report);
    if (report.plan.proved && space->n_plans > 0 && report.plan.bound > 0)
        TEST_CHECK_MSG(report.max_error <= report.plan.bound && report.plan.bound + report.max_error < 1, "error %g, bound %g",
                       report.max_error, report.plan.bound);
}

/* place_check - read a place both ways, the second time from what it has kept. */
TEST_UNUSED static bool place_check(struct machine *m, struct place *p)
{
    const size_t n = m->limbs;
    struct guard g = guard_create(n * sizeof(mp_limb_t), GUARD_AFTER);
    mpz_t z, limbs;
    int negative = -1;
    mpz_init_set_ui(z, 77);
    bool good = TEST_OK(gfmul_spectrum_get_mpz(p->x, z)) && TEST_CHECK(mpz_cmp(z, p->want) == 0);
    report_proved(m->space);
    good = TEST_OK(gfmul_spectrum_get(p->x, g.p, n, &negative)) && good;
    good = TEST_CHECK(negative == (mpz_sgn(p->want) < 0)) && good;
    good = TEST_CHECK(mpz_cmpabs(mpz_roinit_n(limbs, g.p, (mp_size_t)n), p->want) == 0) && good;
    TEST_CHECK_MSG(guard_intact(&g), "written before z");
    guard_destroy(&g);
    mpz_clear(z);
    return good;
}

/* last_report - of the context's last call. */
TEST_UNUSED static struct gfmul_report last_report(const struct gfmul_space *space)
{
    struct gfmul_report report;
    gfmul_ctx_report(space->ctx, &report);
    return report;
}

/* A progress callback that stops a call when it is called so often.   falls: a share was less than the last one, or above 1 */
struct stop {
    unsigned calls, at;
    double last;
    bool falls;
};

static inline int stop_at(void *arg, double done)
{
    struct stop *s = arg;
    s->falls = s->falls || done < s->last || done > 1;
    s->last = done;
    return ++s->calls == s->at;
}

/* place_stopped - read a place, stopped at that call: it is right or left alone, and right again.   True: it was stopped. */
TEST_UNUSED static bool place_stopped(struct machine *m, struct place *p, struct stop *stop, unsigned at)
{
    mpz_t got;
    mpz_init_set_ui(got, 77);
    *stop = (struct stop){.at = at};
    const enum gfmul_status status = gfmul_spectrum_get_mpz(p->x, got);
    TEST_CHECK_MSG(status == GFMUL_OK || (status == GFMUL_ERR_INTERRUPTED && mpz_cmp_ui(got, 77) == 0), "status %d",
                   (int)status);
    TEST_CHECK(!stop->falls);
    *stop = (struct stop){.at = 0};
    place_check(m, p);
    mpz_clear(got);
    return status != GFMUL_OK;
}

/* ctx_stopped_by - a context with this callback, which runs within short sums, too. */
static inline struct gfmul_ctx *ctx_stopped_by(struct stop *stop, bool primes)
{
    struct gfmul_ctx *ctx =
        TEST_CTX(.engine = GFMUL_ENGINE_CPU, .threads = 2, .precision = primes ? GFMUL_PRECISION_PRIME : GFMUL_PRECISION_AUTO,
                 .progress = stop_at, .progress_arg = stop);
    ctx->apart_limbs = 0;
    ctx->tell_ns = 0;
    return ctx;
}

/* Threads that share spectra: all read the same sum, and use the same factors in sums of their own. */
struct sharing_thread {
    struct machine *m;
    struct place *x, *y, *sum;
    bool same; /* whether all results were right */
};

/* spectra_share - several such threads, with the first three places of a machine. */
TEST_UNUSED static void spectra_share(struct machine *m, void *(*share)(void *))
{
    enum { THREADS = 4 };
    struct sharing_thread sharing[THREADS];
    pthread_t thread[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        sharing[t] = (struct sharing_thread){m, &m->place[0], &m->place[1], &m->place[2], false};
        if (!TEST_CHECK(pthread_create(&thread[t], NULL, share, &sharing[t]) == 0))
            exit(1);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        TEST_CHECK(sharing[t].same);
    }
}

#endif
