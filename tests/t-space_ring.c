/* t-space_ring.c - spaces modulo B^n - 1 and B^n + 1 against GMP: random programs, the modulus itself, bounds, faults. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <pthread.h>

#include "base/alloc.h"
#include "spaces.h"

/* A machine whose values are least remainders. */
struct ring_machine {
    struct machine m;
    mpz_t modulus;
    size_t n;
    bool plus;
};

static struct ring_machine ring_machine_create(struct gfmul_ctx *ctx, bool plus, size_t n, size_t max_products)
{
    struct ring_machine r = {.n = n, .plus = plus, .m = {.limbs = n + plus}};
    test_note("modulo B^%zu %c 1, %zu products", n, plus ? '+' : '-', max_products);
    if (!TEST_OK((plus ? gfmul_space_create_bnp1 : gfmul_space_create_bnm1)(ctx, &r.m.space, n, max_products)))
        exit(1);
    TEST_CHECK(gfmul_space_limbs(r.m.space) == r.m.limbs);
    TEST_CHECK_MSG(!r.m.space->half[0] || r.m.space->half[0]->reduces, "halves save nothing");
    for (unsigned i = 0; i < PLACES; i++) {
        TEST_OK(gfmul_spectrum_create(r.m.space, &r.m.place[i].x));
        mpz_init(r.m.place[i].want);
    }
    mpz_init(r.modulus);
    mpz_setbit(r.modulus, 64 * n);
    (plus ? mpz_add_ui : mpz_sub_ui)(r.modulus, r.modulus, 1);
    return r;
}

static void ring_machine_destroy(struct ring_machine *r)
{
    machine_destroy(&r->m);
    mpz_clear(r->modulus);
}

/* ring_size - n of a ring of its own transforms, for such spaces, if the context has one near n; else n. */
static size_t ring_size_for(struct gfmul_ctx *ctx, bool plus, size_t n, size_t products)
{
    const size_t size = (plus ? gfmul_space_bnp1_next_size : gfmul_space_bnm1_next_size)(ctx, n, products);
    TEST_CHECK(size >= n);
    return size;
}

static size_t ring_size(struct gfmul_ctx *ctx, bool plus, size_t n)
{
    return ring_size_for(ctx, plus, n, 1);
}

static size_t size_draw(struct gfmul_ctx *ctx, bool plus, size_t most)
{
    const size_t n = test_size(1, most);
    return test_u64() % 4 ? ring_size(ctx, plus, n) : n;
}

/* remainder_draw - numbers about the modulus, its half and 0, of all kinds of limbs, and longer ones. */
static void remainder_draw(const struct ring_machine *r, mpz_ptr a)
{
    switch (test_below(12)) {
    case 0:
    case 1: /* near the modulus, or its half */
        mpz_set_ui(a, 0);
        mpz_setbit(a, 64 * r->n - test_below(2));
        (test_u64() % 2 ? mpz_add_ui : mpz_sub_ui)(a, a, test_below(3));
        break;
    case 2: /* near 0 */
        mpz_set_ui(a, test_below(3));
        break;
    case 3: /* longer */
        number_draw(&r->m, a, test_size(r->n, 4 * r->n + 3));
        break;
    case 4: /* a multiple of the modulus, or next to one */
        mpz_mul_ui(a, r->modulus, test_below(100));
        (test_u64() % 2 ? mpz_add_ui : mpz_sub_ui)(a, a, test_below(2));
        break;
    default:
        number_draw(&r->m, a, r->n);
        break;
    }
    if (test_u64() % 2)
        mpz_neg(a, a);
}

static void ring_draw(struct ring_machine *r, struct place *p)
{
    mpz_t a;
    mpz_init(a);
    remainder_draw(r, a);
    place_set(p, a);
    mpz_mod(p->want, p->want, r->modulus);
    mpz_clear(a);
}

/* ring_of_transforms - a space that has transforms of its modulus, or whose first half has, of about so many limbs. */
static struct ring_machine ring_of_transforms(struct gfmul_ctx *ctx, bool plus, size_t most, size_t products)
{
    for (;; most += most / 8) { /* until it is long enough on this processor */
        const size_t n = ring_size_for(ctx, plus, test_size(most / 8, most), products);
        struct ring_machine r = ring_machine_create(ctx, plus, n, products);
        if (r.m.space->reduces || r.m.space->half[0])
            return r;
        ring_machine_destroy(&r);
    }
}

/* ---- random programs ---- */

static void step_product(struct ring_machine *r, struct place *z, struct place *x, struct place *y)
{
    mpz_t t;
    mpz_init(t);
    mpz_mul(t, x->want, y->want);
    switch (test_below(3)) {
    case 0:
        TEST_OK(x == y ? gfmul_spectrum_sqr(z->x, x->x) : gfmul_spectrum_mul(z->x, x->x, y->x));
        break;
    case 1:
        TEST_OK(gfmul_spectrum_addmul(z->x, x->x, y->x));
        mpz_add(t, z->want, t);
        break;
    default:
        TEST_OK(gfmul_spectrum_submul(z->x, x->x, y->x));
        mpz_sub(t, z->want, t);
        break;
    }
    mpz_mod(z->want, t, r->modulus);
    mpz_clear(t);
}

/* step_matrix - a product of 2 x 3 and 3 x 2 places, or of 1 x k and k x 1. */
static void step_matrix(struct ring_machine *r)
{
    const size_t rows = test_between(1, 2), columns = test_between(1, 2), inner = test_below(4);
    struct gfmul_spectrum *x[6], *y[6], *z[4];
    const struct place *xp[6], *yp[6];
    mpz_t want[4];
    const size_t first = test_below(PLACES);
    for (size_t k = 0; k < 6; k++) {
        xp[k] = &r->m.place[test_below(PLACES)];
        yp[k] = &r->m.place[test_below(PLACES)];
        x[k] = xp[k]->x;
        y[k] = yp[k]->x;
    }
    for (size_t e = 0; e < rows * columns; e++) {
        z[e] = r->m.place[(first + e) % PLACES].x;
        mpz_init(want[e]);
        for (size_t k = 0; k < inner; k++)
            mpz_addmul(want[e], xp[e / columns * inner + k]->want, yp[k * columns + e % columns]->want);
    }
    TEST_OK(gfmul_spectrum_matmul(z, x, y, rows, inner, columns));
    for (size_t e = 0; e < rows * columns; e++) {
        mpz_mod(r->m.place[(first + e) % PLACES].want, want[e], r->modulus);
        mpz_clear(want[e]);
    }
}

static void step(struct ring_machine *r)
{
    struct place *z = &r->m.place[test_below(PLACES)], *x = &r->m.place[test_below(PLACES)], *y = &r->m.place[test_below(PLACES)];
    switch (test_below(11)) {
    case 0:
    case 1:
        ring_draw(r, z);
        return;
    case 2:
        TEST_OK(gfmul_spectrum_copy(z->x, x->x));
        mpz_set(z->want, x->want);
        return;
    case 3:
        TEST_OK(gfmul_spectrum_neg(z->x, x->x));
        mpz_neg(z->want, x->want);
        break;
    case 4:
        TEST_OK(gfmul_spectrum_add(z->x, x->x, y->x));
        mpz_add(z->want, x->want, y->want);
        break;
    case 5:
        TEST_OK(gfmul_spectrum_sub(z->x, x->x, y->x));
        mpz_sub(z->want, x->want, y->want);
        break;
    case 6:
        place_check(&r->m, x);
        return;
    case 7:
        step_matrix(r);
        return;
    default:
        step_product(r, z, x, test_below(4) ? y : x);
        return;
    }
    mpz_mod(z->want, z->want, r->modulus);
}

/* run - a program of so many steps; all places are compared at the end. */
static void run(struct ring_machine *r, unsigned n)
{
    for (unsigned i = 0; i < PLACES; i++)
        ring_draw(r, &r->m.place[i]);
    for (unsigned i = 0; i < n; i++)
        step(r);
    for (unsigned i = 0; i < PLACES; i++)
        place_check(&r->m, &r->m.place[i]);
    ring_machine_destroy(r);
}

/* prime_programs - such programs in rings whose sums come back reduced, modulo primes. */
static void prime_programs(unsigned threads, size_t count)
{
    struct product_ctx c = space_ctx_create(true, threads);
    for (size_t i = 0; i < count; i++) {
        struct ring_machine r = ring_of_transforms(c.ctx, i % 2, LONG_LIMBS, test_size(1, 64));
        TEST_CHECK(r.m.space->reduces && r.m.space->tables && r.m.space->plan[0].plan.shape.transform.turned == i % 2);
        run(&r, 50);
    }
    product_ctx_destroy(&c);
}

/* steps - such a program in a ring of up to so many limbs.   Returns whether its products are modulo primes. */
static bool steps(struct gfmul_ctx *ctx, size_t most, unsigned n)
{
    const bool plus = test_u64() % 2;
    struct ring_machine r = ring_machine_create(ctx, plus, size_draw(ctx, plus, most), test_size(1, 64));
    const bool primes = r.m.space->tables != NULL;
    run(&r, n);
    return primes;
}

static void test_random_programs(void)
{
    unsigned made = 0;
    struct product_ctx c = space_ctx_create(false, 1);
    for (size_t i = 0; i < test_tier(160, 1200, 12000); i++)
        steps(c.ctx, i % 8 ? 400 : LONG_LIMBS, 50);
    for (size_t i = 0; i < test_tier(20, 200, 2000); i++) {
        struct ring_machine r = ring_of_transforms(c.ctx, i % 2, LONG_LIMBS, test_size(1, 64));
        run(&r, 50);
    }
    product_ctx_destroy(&c);
    c = space_ctx_create(true, 1);
    for (size_t i = 0; i < test_tier(60, 1200, 12000); i++)
        made += steps(c.ctx, i % 8 ? 400 : LONG_LIMBS, 50);
    TEST_CHECK_MSG(made > 0, "no space modulo primes");
    product_ctx_destroy(&c);
    prime_programs(1, test_tier(30, 200, 2000));
    prime_programs(3, test_tier(6, 100, 1000));
}

/* Threads, no check, and contexts whose products are made one by one. */
static void test_other_contexts(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_AUTO, 3, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    for (size_t i = 0; i < test_tier(20, 100, 1000); i++)
        steps(c.ctx, LONG_LIMBS, 40);
    product_ctx_destroy(&c);
    c = space_ctx_create(true, 3);
    for (size_t i = 0; i < test_tier(10, 100, 1000); i++)
        steps(c.ctx, LONG_LIMBS, 40);
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_GMP, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    for (size_t i = 0; i < test_tier(10, 100, 1000); i++)
        steps(c.ctx, 300, 40);
    product_ctx_destroy(&c);
    c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_VERIFY_GMP);
    for (size_t i = 0; i < test_tier(10, 100, 1000); i++)
        steps(c.ctx, 300, 40);
    product_ctx_destroy(&c);
}

/* ---- adversarial digits, and the edges of the ring ---- */

/* sum_compare - a sum of so many products of numbers of one kind of digits. */
static void sum_compare(struct ring_machine *r, size_t products, enum operand_kind kind, double *worst, unsigned *fallbacks)
{
    struct place *x = &r->m.place[0], *y = &r->m.place[1], *z = &r->m.place[2];
    const struct gfmul_space *space = r->m.space->half[0] ? r->m.space->half[0] : r->m.space;
    const unsigned bits = space->plan[0].plan.shape.digits.exponent;
    mpz_t a;
    mpz_init(a);
    mpz_set_ui(z->want, 0);
    TEST_OK(gfmul_spectrum_set_mpz(z->x, z->want));
    test_note("%zu limbs, %zu products of %s, %u bits", r->n, products, operand_name(kind), bits);
    for (size_t i = 0; i < products; i++) {
        for (unsigned k = 0; k < 2; k++) {
            operand_fill(mpz_limbs_write(a, (mp_size_t)r->n), r->n, kind, bits, test_u64());
            mpz_limbs_finish(a, (mp_size_t)r->n);
            place_set(k == 0 ? x : y, a);
        }
        TEST_OK((i % 2 ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(z->x, x->x, y->x));
        (i % 2 ? mpz_submul : mpz_addmul)(z->want, x->want, y->want);
    }
    mpz_mod(z->want, z->want, r->modulus);
    TEST_OK(gfmul_spectrum_get_mpz(z->x, a));
    TEST_CHECK(mpz_cmp(a, z->want) == 0);
    const struct gfmul_report report = last_report(r->m.space);
    if (report.plan.bound > 0) {
        TEST_CHECK_MSG(report.max_error <= report.plan.bound, "error %g, bound %g", report.max_error, report.plan.bound);
        *worst = test_worse(*worst, report.max_error / report.plan.bound);
    }
    *fallbacks += report.n_fallbacks;
    mpz_clear(a);
}

static void test_bounds(void)
{
    static const size_t products[] = {1, 2, 8, 64};
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    double worst = 0;
    unsigned fallbacks = 0;
    for (unsigned k = 0; k < sizeof products / sizeof *products; k++)
        for (unsigned i = 0; i < test_tier(2, products[k] > 8 ? 2 : 6, 60); i++) { /* GMP makes all of them */
            struct ring_machine r = ring_of_transforms(c.ctx, i % 2, test_tier(LONG_LIMBS, 40000, 400000), products[k]);
            for (unsigned kind = 0; kind < OPERAND_KINDS; kind++)
                if (kind <= OPERAND_ONES || kind >= OPERAND_DIGITS_MAX)
                    sum_compare(&r, products[k], (enum operand_kind)kind, &worst, &fallbacks);
            ring_machine_destroy(&r);
        }
    if (test_level() > 0)
        printf("  worst error / bound %.4f, %u made again\n", worst, fallbacks);
    TEST_CHECK_MSG(worst > 0 && worst < 0.5, "worst error / bound %g", worst);
    product_ctx_destroy(&c);
}

/* edge - number k of those at the edges of the ring. */
enum { EDGES = 10 };
static void edge(const struct ring_machine *r, mpz_ptr a, unsigned k)
{
    mpz_set_ui(a, 0);
    if (k == 0)
        return;
    mpz_setbit(a, 64 * r->n - (k >= 5));
    switch (k) {
    case 1:
    case 5:
        mpz_sub_ui(a, a, 1);
        break;
    case 2:
    case 6:
        mpz_add_ui(a, a, 1);
        break;
    case 3:
    case 7:
        mpz_sub_ui(a, a, 2);
        break;
    case 8:
        mpz_neg(a, a);
        break;
    case 9:
        mpz_ui_sub(a, 1, a);
        break;
    default:
        break;
    }
}

/* edges_compare - numbers at the edges of rings, in sums with each other and with random numbers. */
static void edges_compare(bool primes)
{
    struct product_ctx c = space_ctx_create(primes, 1);
    for (unsigned i = 0; i < test_tier(4, 20, 100); i++) {
        struct ring_machine r = ring_of_transforms(c.ctx, i % 2, LONG_LIMBS / 2, 4);
        struct place *p = r.m.place, *z = &p[EDGES], *y = &p[EDGES + 1];
        for (unsigned k = 0; k < EDGES; k++) {
            edge(&r, p[k].want, k);
            place_set(&p[k], p[k].want);
            mpz_mod(p[k].want, p[k].want, r.modulus);
            place_check(&r.m, &p[k]);
        }
        for (unsigned k = 0; k < EDGES * EDGES; k++) {
            struct place *a = &p[k / EDGES], *b = &p[k % EDGES];
            ring_draw(&r, y);
            TEST_OK(gfmul_spectrum_mul(z->x, a->x, b->x));
            mpz_mul(z->want, a->want, b->want);
            if (test_u64() % 2) {
                TEST_OK(gfmul_spectrum_submul(z->x, a->x, y->x));
                mpz_submul(z->want, a->want, y->want);
            }
            if (test_u64() % 2) {
                TEST_OK(gfmul_spectrum_add(z->x, z->x, b->x));
                mpz_add(z->want, z->want, b->want);
            }
            mpz_mod(z->want, z->want, r.modulus);
            place_check(&r.m, z);
        }
        ring_machine_destroy(&r);
    }
    product_ctx_destroy(&c);
}

static void test_edges(void)
{
    edges_compare(false);
    edges_compare(true);
}

/* Sums of products of the largest digits, each of which a coefficient is at its bound modulo primes, with both signs. */
static void test_extremes(void)
{
    struct product_ctx c = space_ctx_create(true, 1);
    for (unsigned i = 0; i < test_tier(8, 40, 200); i++) {
        const size_t products = (size_t)1 << test_below(7);
        struct ring_machine r = ring_of_transforms(c.ctx, i % 2, LONG_LIMBS, products);
        struct place *x = &r.m.place[0], *z = &r.m.place[1];
        edge(&r, x->want, i % 2 ? 5 : 3); /* all digits at their most, but for one */
        place_set(x, x->want);
        for (size_t k = 0; k < products; k++) {
            TEST_OK((i & 2 ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(z->x, x->x, x->x));
            (i & 2 ? mpz_submul : mpz_addmul)(z->want, x->want, x->want);
        }
        mpz_mod(x->want, x->want, r.modulus);
        mpz_mod(z->want, z->want, r.modulus);
        place_check(&r.m, z);
        ring_machine_destroy(&r);
    }
    product_ctx_destroy(&c);
}

/* Where digits modulo primes would be shorter than the shortest, the next size is that of the shortest. */
static void test_shortest_digits(void)
{
    static const size_t limbs[] = {1500, 2947, 3000, 3066};
    struct product_ctx c = space_ctx_create(true, 1);
    for (unsigned i = 0; i < 8; i++) {
        const size_t n = limbs[i / 2], size = ring_size(c.ctx, i % 2, n);
        struct ring_machine r = ring_machine_create(c.ctx, i % 2, size, 1);
        test_note("%zu limbs, next size %zu", n, size);
        TEST_CHECK(r.m.space->reduces || r.m.space->half[0] || n < c.ctx->planned_kept_limbs);
        TEST_CHECK(size <= n + n / 2);
        ring_machine_destroy(&r);
    }
    product_ctx_destroy(&c);
}

/* ---- misuse, faults, threads, callbacks ---- */

static void test_errors(void)
{
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct gfmul_space *space;
    for (unsigned plus = 0; plus < 2; plus++) {
        enum gfmul_status (*const create)(struct gfmul_ctx *, struct gfmul_space **, size_t, size_t) =
            plus ? gfmul_space_create_bnp1 : gfmul_space_create_bnm1;
        TEST_CHECK(create(c.ctx, NULL, 10, 1) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(create(c.ctx, &space, 0, 1) == GFMUL_ERR_ARGUMENT && !space);
        TEST_CHECK(create(c.ctx, &space, 10, 0) == GFMUL_ERR_ARGUMENT && !space);
        TEST_CHECK(create(c.ctx, &space, SIZE_MAX / 4, 1) == GFMUL_ERR_SIZE && !space);
        struct ring_machine r = ring_machine_create(c.ctx, plus, 5, 3);
        mp_limb_t z[7] = {0};
        int negative = -1;
        mpz_set_si(r.m.place[0].want, -1);
        place_set(&r.m.place[0], r.m.place[0].want);
        TEST_CHECK(gfmul_spectrum_get(r.m.place[0].x, z, 5 + plus - 1, &negative) == GFMUL_ERR_ARGUMENT);
        TEST_OK(gfmul_spectrum_get(r.m.place[0].x, z, 7, &negative));
        TEST_CHECK(negative == 0 && z[6] == 0 && z[5] == plus && z[0] == (plus ? 0 : ~(mp_limb_t)1));
        ring_machine_destroy(&r);
    }
    product_ctx_destroy(&c);
}

/* program - a short program that makes and uses transforms.   Returns the first error. */
static enum gfmul_status program(struct gfmul_ctx *ctx, bool plus, size_t n, mpz_srcptr a, mpz_srcptr b, mpz_ptr z)
{
    struct gfmul_space *space;
    struct gfmul_spectrum *x[4] = {NULL};
    enum gfmul_status status = (plus ? gfmul_space_create_bnp1 : gfmul_space_create_bnm1)(ctx, &space, n, 3);
    for (unsigned i = 0; i < 4 && status == GFMUL_OK; i++)
        status = gfmul_spectrum_create(space, &x[i]);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_set_mpz(x[0], a);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_set_mpz(x[1], b);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_matmul(&x[2], (struct gfmul_spectrum *const[]){x[0], x[1], x[1], x[0]}, x, 2, 2, 1);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_add(x[2], x[2], x[3]); /* (a + b)^2 */
    if (status == GFMUL_OK)
        status = gfmul_spectrum_submul(x[2], x[0], x[0]);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_get_mpz(x[2], z);
    for (unsigned i = 0; i < 4; i++)
        gfmul_spectrum_destroy(x[i]);
    gfmul_space_destroy(space);
    return status;
}

/* Every allocation fails once: MEMORY, and what follows is right. */
static void faults(bool plus)
{
    struct product_ctx c = space_ctx_create(false, 2);
    const size_t n = ring_size(c.ctx, plus, 500);
    mpz_t a, b, z, want;
    mpz_inits(a, b, z, want, NULL);
    mpz_setbit(want, 64 * n); /* the modulus */
    (plus ? mpz_add_ui : mpz_sub_ui)(want, want, 1);
    operand_fill(mpz_limbs_write(a, (mp_size_t)n), n, OPERAND_RANDOM, 16, test_u64());
    mpz_limbs_finish(a, (mp_size_t)n);
    operand_fill(mpz_limbs_write(b, (mp_size_t)n), n, OPERAND_RANDOM, 16, test_u64());
    mpz_limbs_finish(b, -(mp_size_t)n);
    unsigned failed = 0;
    enum gfmul_status s = GFMUL_ERR_MEMORY;
    for (long k = 0; s != GFMUL_OK; k++) {
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        s = program(c.ctx, plus, n, a, b, z);
        alloc_fail_after(-1);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        failed += s != GFMUL_OK;
    }
    TEST_CHECK_MSG(failed >= 20, "%u failed", failed);
    mpz_add(b, a, b); /* (a + b)^2 - a^2 */
    mpz_mul(b, b, b);
    mpz_submul(b, a, a);
    mpz_mod(want, b, want);
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_clears(a, b, z, want, NULL);
    product_ctx_destroy(&c);
}

static void test_faults(void)
{
    faults(false);
    faults(true);
}

/* Threads that read the same sum, whose factors have no images yet, and make sums of these factors. */
struct sharing {
    struct ring_machine *r;
    bool same;
};

static void *share(void *arg)
{
    struct sharing *of = arg;
    struct place *x = &of->r->m.place[0], *y = &of->r->m.place[1], *sum = &of->r->m.place[2];
    struct gfmul_spectrum *z;
    mpz_t got, want;
    mpz_inits(got, want, NULL);
    of->same = gfmul_spectrum_create(of->r->m.space, &z) == GFMUL_OK;
    for (unsigned i = 0; i < 4 && of->same; i++) {
        of->same = gfmul_spectrum_get_mpz(sum->x, got) == GFMUL_OK && mpz_cmp(got, sum->want) == 0 &&
                   gfmul_spectrum_sqr(z, x->x) == GFMUL_OK && gfmul_spectrum_submul(z, y->x, y->x) == GFMUL_OK &&
                   gfmul_spectrum_get_mpz(z, got) == GFMUL_OK;
        mpz_mul(want, x->want, x->want);
        mpz_submul(want, y->want, y->want);
        mpz_mod(want, want, of->r->modulus);
        of->same = of->same && mpz_cmp(got, want) == 0;
    }
    gfmul_spectrum_destroy(z);
    mpz_clears(got, want, NULL);
    return NULL;
}

static void test_threads(void)
{
    enum { THREADS = 4 };
    for (size_t i = 0; i < test_tier(8, 80, 800); i++) {
        struct product_ctx c = space_ctx_create(i % 4 == 3, 1);
        struct ring_machine r = ring_machine_create(c.ctx, i % 2, ring_size(c.ctx, i % 2, LONG_LIMBS / 2), 4);
        struct place *x = &r.m.place[0], *y = &r.m.place[1], *sum = &r.m.place[2];
        struct sharing sharing[THREADS];
        pthread_t thread[THREADS];
        ring_draw(&r, x);
        ring_draw(&r, y);
        ring_draw(&r, sum);
        TEST_OK(gfmul_spectrum_addmul(sum->x, x->x, y->x));
        mpz_addmul(sum->want, x->want, y->want);
        mpz_mod(sum->want, sum->want, r.modulus);
        for (unsigned t = 0; t < THREADS; t++) {
            sharing[t] = (struct sharing){&r, false};
            if (!TEST_CHECK(pthread_create(&thread[t], NULL, share, &sharing[t]) == 0))
                exit(1);
        }
        for (unsigned t = 0; t < THREADS; t++) {
            pthread_join(thread[t], NULL);
            TEST_CHECK(sharing[t].same);
        }
        place_check(&r.m, sum);
        ring_machine_destroy(&r);
        product_ctx_destroy(&c);
    }
}

/* A callback that stops a matrix product at its n-th call: all entries keep their values, and the next try is right. */
static void callback(bool plus, bool primes)
{
    struct stop stop = {.at = 0};
    struct gfmul_ctx *const ctx = ctx_stopped_by(&stop, primes);
    struct ring_machine r = ring_machine_create(ctx, plus, ring_size(ctx, plus, LONG_LIMBS / 2), 4);
    struct place *p = r.m.place;
    struct gfmul_spectrum *x[4], *y[4], *z[4];
    unsigned stopped = 0;
    for (unsigned at = 1; at < 60; at += 2) {
        stop.at = 0;
        for (unsigned k = 0; k < 4; k++) {
            ring_draw(&r, &p[k]);
            ring_draw(&r, &p[4 + k]);
            ring_draw(&r, &p[8 + k]);
            x[k] = p[k].x;
            y[k] = p[4 + k].x;
            z[k] = p[8 + k].x;
        }
        mpz_set_ui(p[0].want, 0); /* one product at least is long */
        mpz_setbit(p[0].want, 64 * r.n - 3);
        place_set(&p[0], p[0].want);
        place_set(&p[4], p[0].want);
        mpz_set(p[4].want, p[0].want);
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
                mpz_mod(p[8 + k].want, p[8 + k].want, r.modulus);
            }
            place_check(&r.m, &p[8 + k]);
        }
    }
    TEST_CHECK_MSG(stopped >= 4, "%u were stopped", stopped);
    ring_machine_destroy(&r);
    gfmul_ctx_destroy(ctx);
}

static void test_callback(void)
{
    callback(false, false);
    callback(true, false);
    callback(false, true);
    callback(true, true);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_random_programs);
    TEST_RUN(test_other_contexts);
    TEST_RUN(test_bounds);
    TEST_RUN(test_edges);
    TEST_RUN(test_extremes);
    TEST_RUN(test_shortest_digits);
    TEST_RUN(test_errors);
    TEST_RUN(test_faults);
    TEST_RUN(test_threads);
    TEST_RUN(test_callback);
    return test_end();
}
