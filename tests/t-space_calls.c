/* t-space_calls.c - spectra: matrices, misuse, faults, threads, and callbacks that stop a sum. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <pthread.h>

#include "base/alloc.h"
#include "spaces.h"

/* ---- matrices ---- */

/* matrices - with more threads than one, these share the transforms of single factors and entries, if there are enough. */
static void matrices(bool primes, unsigned threads, size_t tries)
{
    enum { MOST = 10, FEW = 4 }; /* entries of small matrices are made in blocks of 8 x 8 */
    struct product_ctx c = space_ctx_create(primes, threads);
    for (size_t i = 0; i < tries; i++) {
        const size_t most = i % 3 == 0 ? MOST : FEW;
        const size_t rows = test_between(1, most), inner = test_between(0, most), columns = test_between(1, most);
        struct gfmul_space *space;
        struct gfmul_spectrum *x[MOST * MOST], *y[MOST * MOST], *z[MOST * MOST];
        mpz_t a[MOST * MOST], b[MOST * MOST], want, got;
        const struct machine m = {.limbs = test_size(20, most == MOST ? LONG_LIMBS / 4 : LONG_LIMBS)};
        if (!TEST_OK(gfmul_space_create(c.ctx, &space, m.limbs, test_between(1, 2 * most))))
            break;
        struct machine draws = {.space = space, .limbs = m.limbs};
        test_note("%zu x %zu x %zu, %zu limbs", rows, inner, columns, m.limbs);
        mpz_inits(want, got, NULL);
        for (unsigned k = 0; k < MOST * MOST; k++) {
            mpz_inits(a[k], b[k], NULL);
            number_draw(&draws, a[k], (m.limbs - 1) / 2);
            number_draw(&draws, b[k], (m.limbs - 1) / 2);
            TEST_OK(gfmul_spectrum_create(space, &x[k]));
            TEST_OK(gfmul_spectrum_create(space, &y[k]));
            TEST_OK(gfmul_spectrum_create(space, &z[k]));
            TEST_OK(gfmul_spectrum_set_mpz(x[k], a[k]));
            TEST_OK(gfmul_spectrum_set_mpz(y[k], b[k]));
        }
        const bool into_x = rows * columns <= rows * inner && test_u64() % 2; /* the result may be an operand */
        struct gfmul_spectrum *const *to = into_x ? x : z;
        TEST_OK(gfmul_spectrum_matmul(to, x, y, rows, inner, columns));
        report_proved(space);
        for (size_t e = 0; e < rows * columns; e++) {
            mpz_set_ui(want, 0);
            for (size_t k = 0; k < inner; k++)
                mpz_addmul(want, a[e / columns * inner + k], b[k * columns + e % columns]);
            TEST_OK(gfmul_spectrum_get_mpz(to[e], got));
            TEST_CHECK(mpz_cmp(got, want) == 0);
        }
        for (unsigned k = 0; k < MOST * MOST; k++) {
            mpz_clears(a[k], b[k], NULL);
            gfmul_spectrum_destroy(x[k]);
            gfmul_spectrum_destroy(y[k]);
            gfmul_spectrum_destroy(z[k]);
        }
        mpz_clears(want, got, NULL);
        gfmul_space_destroy(space);
    }
    product_ctx_destroy(&c);
}

static void test_matrices(void)
{
    matrices(false, 1, test_tier(10, 100, 1000));
    matrices(false, 2, test_tier(20, 200, 2000));
    matrices(false, 5, test_tier(10, 100, 1000));
    matrices(true, 2, test_tier(15, 300, 3000));
}

/* ---- misuse ---- */

static void test_errors(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct machine m = machine_create(c.ctx, 600, 2), other = machine_create(c.ctx, 600, 2);
    struct place *p = m.place;
    struct gfmul_space *space;
    struct gfmul_spectrum *x, *list[2] = {p[0].x, NULL};
    mp_limb_t *a = test_alloc(601 * sizeof *a), z[4] = {1, 2, 3, 4};
    mpz_t got;
    mpz_init(got);
    for (unsigned i = 0; i < 601; i++)
        a[i] = test_u64() | (mp_limb_t)1 << 63;
    a[299] = ~(mp_limb_t)0; /* twice the square of 300 limbs has 601 */
    TEST_CHECK(gfmul_space_create(c.ctx, NULL, 10, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_space_create(c.ctx, &space, 0, 1) == GFMUL_ERR_ARGUMENT && !space);
    TEST_CHECK(gfmul_space_create(c.ctx, &space, 10, 0) == GFMUL_ERR_ARGUMENT && !space);
    TEST_CHECK(gfmul_space_create(c.ctx, &space, 10, 65537) == GFMUL_ERR_ARGUMENT && !space);
    TEST_CHECK(gfmul_space_create(c.ctx, &space, SIZE_MAX / 4, 1) == GFMUL_ERR_SIZE && !space);
    TEST_CHECK(gfmul_spectrum_create(NULL, &x) == GFMUL_ERR_ARGUMENT && !x);
    TEST_CHECK(gfmul_spectrum_create(m.space, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_space_limbs(NULL) == 0 && gfmul_space_bytes(NULL) == 0);
    gfmul_space_destroy(NULL);
    gfmul_space_trim(NULL);
    gfmul_spectrum_destroy(NULL);
    place_draw(&m, &p[0], 300);
    TEST_OK(gfmul_spectrum_set(p[1].x, a, 300));
    mpz_import(p[1].want, 300, -1, sizeof *a, 0, 0, a);
    TEST_CHECK(gfmul_spectrum_set(NULL, a, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_set(p[1].x, NULL, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_set_mpz(p[1].x, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_set(p[1].x, a, 601) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_spectrum_add(p[1].x, p[0].x, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_mul(p[1].x, NULL, p[0].x) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_mul(NULL, p[0].x, p[0].x) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get(p[1].x, z, 4, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get(p[1].x, NULL, 600, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get(NULL, z, 4, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get_mpz(p[1].x, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_mul(p[1].x, p[0].x, other.place[0].x) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_copy(p[1].x, other.place[0].x) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_dot(p[1].x, list, list, 2) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_dot(p[1].x, NULL, list, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_matmul(list, list, list, 0, 1, 1) == GFMUL_ERR_ARGUMENT);
    list[1] = other.place[0].x;
    TEST_CHECK(gfmul_spectrum_dot(p[1].x, list, list, 2) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_matmul(list, list, list, SIZE_MAX / 2, 4, 4) == GFMUL_ERR_SIZE);
    place_check(&m, &p[1]); /* none of these changed it */
    /* a product that is too long at once, and values that are too long when they are made */
    TEST_OK(gfmul_spectrum_set(p[2].x, a, 301));
    TEST_CHECK(gfmul_spectrum_mul(p[1].x, p[1].x, p[2].x) == GFMUL_ERR_SIZE);
    TEST_OK(gfmul_spectrum_set(p[2].x, a, 600));
    TEST_CHECK(gfmul_spectrum_add(p[1].x, p[2].x, p[2].x) == GFMUL_ERR_SIZE);
    place_check(&m, &p[1]);
    TEST_OK(gfmul_spectrum_mul(p[3].x, p[1].x, p[1].x));
    TEST_OK(gfmul_spectrum_addmul(p[3].x, p[1].x, p[1].x));
    mpz_set_ui(got, 77);
    TEST_CHECK(gfmul_spectrum_get_mpz(p[3].x, got) == GFMUL_ERR_SIZE && mpz_cmp_ui(got, 77) == 0);
    TEST_CHECK(gfmul_spectrum_submul(p[3].x, p[1].x, p[1].x) == GFMUL_ERR_SIZE); /* two of three products are evaluated */
    TEST_OK(gfmul_spectrum_mul(p[4].x, p[1].x, p[1].x));
    TEST_OK(gfmul_spectrum_get_mpz(p[4].x, got));
    TEST_OK(gfmul_spectrum_sub(p[3].x, p[3].x, p[4].x)); /* but a value can be subtracted before */
    mpz_mul(p[3].want, p[1].want, p[1].want);
    place_check(&m, &p[3]);
    mpz_clear(got);
    free(a);
    machine_destroy(&other);
    machine_destroy(&m);
    product_ctx_destroy(&c);
}

/* ---- faults, threads, callbacks ---- */

/* program - a short program that makes and uses transforms.   Returns the first error. */
static enum gfmul_status program(struct gfmul_ctx *ctx, mpz_srcptr a, mpz_srcptr b, mpz_ptr z)
{
    struct gfmul_space *space;
    struct gfmul_spectrum *x[5] = {NULL}, *pair[2], *row[2];
    enum gfmul_status status = gfmul_space_create(ctx, &space, 2 * mpz_size(a) + 1, 3);
    for (unsigned i = 0; i < 5 && status == GFMUL_OK; i++)
        status = gfmul_spectrum_create(space, &x[i]);
    pair[0] = row[1] = x[0];
    pair[1] = row[0] = x[1];
    if (status == GFMUL_OK)
        status = gfmul_spectrum_set_mpz(x[0], a);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_set_mpz(x[1], b);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_dot(x[2], pair, row, 2); /* 2 a b */
    if (status == GFMUL_OK)
        status = gfmul_spectrum_get_mpz(x[2], z);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_sub(x[3], x[0], x[1]);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_sqr(x[4], x[3]); /* a^2 - 2 a b + b^2 */
    if (status == GFMUL_OK)
        status = gfmul_spectrum_add(x[2], x[4], x[2]);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_submul(x[2], x[0], x[0]);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_get_mpz(x[2], z); /* b^2 */
    if (status == GFMUL_OK)
        status = gfmul_spectrum_matmul(&x[3], (struct gfmul_spectrum *const[]){x[0], x[1], x[1], x[0]}, pair, 2, 2, 1);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_submul(x[3], x[0], x[0]);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_get_mpz(x[3], z); /* a^2 + b^2 - a^2 */
    for (unsigned i = 0; i < 5; i++)
        gfmul_spectrum_destroy(x[i]);
    gfmul_space_destroy(space);
    return status;
}

/* Every allocation fails once: MEMORY, and what follows is right. */
static void faults(bool primes)
{
    struct product_ctx c = space_ctx_create(primes, 2);
    mpz_t a, b, z, want;
    mpz_inits(a, b, z, want, NULL);
    operand_fill(mpz_limbs_write(a, 500), 500, OPERAND_TOP_BIT, 16, test_u64());
    mpz_limbs_finish(a, 500);
    operand_fill(mpz_limbs_write(b, 500), 500, OPERAND_TOP_BIT, 16, test_u64());
    mpz_limbs_finish(b, -500);
    mpz_mul(want, b, b);
    unsigned failed = 0;
    enum gfmul_status s = GFMUL_ERR_MEMORY;
    for (long k = 0; s != GFMUL_OK; k++) {
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        s = program(c.ctx, a, b, z);
        alloc_fail_after(-1);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        failed += s != GFMUL_OK;
    }
    TEST_CHECK_MSG(failed >= 20, "%u failed", failed);
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_clears(a, b, z, want, NULL);
    product_ctx_destroy(&c);
}

static void test_faults(void)
{
    faults(false);
    faults(true);
}

/* share_matrix - (x y; y x) (x; y), of factors that all threads have. */
static bool share_matrix(const struct sharing_thread *of, mpz_ptr want, mpz_ptr got)
{
    struct gfmul_spectrum *const x = of->x->x, *const y = of->y->x, *z[2] = {NULL, NULL};
    bool same = gfmul_spectrum_create(of->m->space, &z[0]) == GFMUL_OK && gfmul_spectrum_create(of->m->space, &z[1]) == GFMUL_OK;
    same = same && gfmul_spectrum_matmul(z, (struct gfmul_spectrum *const[]){x, y, y, x}, (struct gfmul_spectrum *const[]){x, y},
                                         2, 2, 1) == GFMUL_OK;
    mpz_mul(want, of->x->want, of->x->want);
    mpz_addmul(want, of->y->want, of->y->want);
    same = same && gfmul_spectrum_get_mpz(z[0], got) == GFMUL_OK && mpz_cmp(got, want) == 0;
    mpz_mul(want, of->x->want, of->y->want);
    mpz_mul_2exp(want, want, 1);
    same = same && gfmul_spectrum_get_mpz(z[1], got) == GFMUL_OK && mpz_cmp(got, want) == 0;
    gfmul_spectrum_destroy(z[0]);
    gfmul_spectrum_destroy(z[1]);
    return same;
}

static void *share(void *arg)
{
    struct sharing_thread *of = arg;
    struct gfmul_spectrum *z;
    mpz_t got, want;
    mpz_inits(got, want, NULL);
    of->same = gfmul_spectrum_create(of->m->space, &z) == GFMUL_OK;
    for (unsigned i = 0; i < 6 && of->same; i++) {
        of->same = gfmul_spectrum_get_mpz(of->sum->x, got) == GFMUL_OK && mpz_cmp(got, of->sum->want) == 0 &&
                   gfmul_spectrum_sub(z, of->x->x, of->y->x) == GFMUL_OK && gfmul_spectrum_mul(z, z, of->y->x) == GFMUL_OK &&
                   gfmul_spectrum_addmul(z, of->x->x, of->x->x) == GFMUL_OK && gfmul_spectrum_get_mpz(z, got) == GFMUL_OK;
        mpz_sub(want, of->x->want, of->y->want);
        mpz_mul(want, want, of->y->want);
        mpz_addmul(want, of->x->want, of->x->want);
        of->same = of->same && mpz_cmp(got, want) == 0;
    }
    of->same = of->same && share_matrix(of, want, got);
    gfmul_spectrum_destroy(z);
    mpz_clears(got, want, NULL);
    return NULL;
}

static void test_threads(void)
{
    for (size_t i = 0; i < test_tier(8, 80, 800); i++) {
        struct product_ctx c = space_ctx_create(i % 2, 1);
        struct machine m = machine_create(c.ctx, LONG_LIMBS, 4);
        struct place *x = &m.place[0], *y = &m.place[1], *sum = &m.place[2];
        place_draw(&m, x, m.limbs / 2 - 1);
        place_draw(&m, y, m.limbs / 2 - 1);
        place_draw(&m, sum, m.limbs / 2);
        TEST_OK(gfmul_spectrum_addmul(sum->x, x->x, y->x));
        mpz_addmul(sum->want, x->want, y->want);
        spectra_share(&m, share);
        place_check(&m, sum);
        machine_destroy(&m);
        product_ctx_destroy(&c);
    }
}

/* A callback that stops a sum at its n-th call: the spectra keep their values, and the next try is right. */
static void callback(bool primes)
{
    struct stop stop = {.at = 0};
    struct gfmul_ctx *const ctx = ctx_stopped_by(&stop, primes);
    struct machine m = machine_create(ctx, LONG_LIMBS, 4);
    struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
    unsigned stopped = 0;
    while (mpz_size(x->want) < m.limbs / 4) /* products with a short number are made without transforms */
        place_draw(&m, x, m.limbs / 2);
    for (unsigned at = 1; at < 40; at++) {
        stop.at = 0;
        place_draw(&m, y, m.limbs / 2);
        TEST_OK(gfmul_spectrum_mul(z->x, x->x, y->x));
        mpz_mul(z->want, x->want, y->want);
        stopped += place_stopped(&m, z, &stop, at);
    }
    TEST_CHECK_MSG(stopped >= 3, "%u were stopped", stopped);
    stop.at = 0;
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

static void test_callback(void)
{
    callback(false);
    callback(true);
}

/* The same for a matrix: all entries keep their values if one is stopped. */
static void callback_matrix(bool primes)
{
    struct stop stop = {.at = 0};
    struct gfmul_ctx *const ctx = ctx_stopped_by(&stop, primes);
    struct machine m = machine_create(ctx, LONG_LIMBS, 4);
    struct place *p = m.place;
    struct gfmul_spectrum *x[4], *y[4], *z[4];
    unsigned stopped = 0;
    for (unsigned at = 1; at < 60; at++) {
        stop.at = 0;
        for (unsigned k = 0; k < 4; k++) {
            place_draw(&m, &p[k], m.limbs / 2 - 1);
            place_draw(&m, &p[4 + k], m.limbs / 2 - 1);
            place_draw(&m, &p[8 + k], m.limbs);
            x[k] = p[k].x;
            y[k] = p[4 + k].x;
            z[k] = p[8 + k].x;
        }
        stop = (struct stop){.at = at};
        const enum gfmul_status status = gfmul_spectrum_matmul(z, x, y, 2, 2, 2);
        TEST_CHECK_MSG(status == GFMUL_OK || status == GFMUL_ERR_INTERRUPTED, "status %d", (int)status);
        TEST_CHECK(!stop.falls);
        stopped += status != GFMUL_OK;
        stop = (struct stop){.at = 0};
        for (unsigned k = 0; k < 4; k++) {
            if (status == GFMUL_OK) {
                mpz_mul(p[8 + k].want, p[k / 2 * 2].want, p[4 + k % 2].want);
                mpz_addmul(p[8 + k].want, p[k / 2 * 2 + 1].want, p[6 + k % 2].want);
            }
            place_check(&m, &p[8 + k]);
        }
    }
    TEST_CHECK_MSG(stopped >= 3, "%u were stopped", stopped);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

static void test_callback_matrix(void)
{
    callback_matrix(false);
    callback_matrix(true);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_matrices);
    TEST_RUN(test_errors);
    TEST_RUN(test_faults);
    TEST_RUN(test_threads);
    TEST_RUN(test_callback);
    TEST_RUN(test_callback_matrix);
    return test_end();
}
