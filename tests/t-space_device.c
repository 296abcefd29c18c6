/* t-space_device.c - sums of products in a space on an OpenCL device, against GMP's; numbers that stay there. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ocl_test.h"
#include "space_steps.h"

#ifdef HAVE_OPENCL
#include "base/alloc.h"
#include "device_spaces.h"

static void test_programs(void)
{
    for (unsigned i = 0; i < test_tier(8, 60, 600); i++) {
        struct gfmul_ctx *ctx = ctx_on_device(i % 2 ? GFMUL_VERIFY_NONE : GFMUL_VERIFY_MOD, NULL, NULL);
        steps(ctx, i % 4 ? SHORT_LIMBS : FAR_LIMBS, i % 4 ? 16 : 4, 60);
        gfmul_ctx_destroy(ctx);
    }
}

/*
 * Sums of as many products as the space has, of equal and of adversarial digits, with equal and with alternating signs.  The
 * error that the device saw is below the bound that proves the sum.
 */
static void test_adversarial(void)
{
    static const enum operand_kind kinds[] = {OPERAND_ONES,   OPERAND_DIGITS_MAX, OPERAND_DIGITS_HALF, OPERAND_RANDOM,
                                              OPERAND_BLOCKS, OPERAND_TOP_BIT,    OPERAND_DENSE,       OPERAND_EQUAL_LIMBS};
    enum { PAIRS = 16, N = SHORT_LIMBS / 2 - 1, KINDS = sizeof kinds / sizeof *kinds };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, PAIRS);
    const unsigned l = space_digit_bits(m.space);
    double worst = 0;
    for (unsigned i = 0; i < test_tier(2 * KINDS, 20 * KINDS, 200 * KINDS); i++) {
        const enum operand_kind kind = i < KINDS ? kinds[i] : (enum operand_kind)test_below(OPERAND_KINDS);
        const unsigned pairs = i % 2 ? PAIRS : (unsigned)test_between(1, PAIRS), signs = (unsigned)test_below(3);
        struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
        mpz_t a;
        bool all_long = true;
        mpz_init_set_ui(a, 0);
        place_set(z, a);
        m.space->device->products = i % 3 ? PAIRS : (size_t)test_between(1, PAIRS); /* or in parts */
        test_note("%s, %u pairs, signs %u, parts of %zu", operand_name(kind), pairs, signs, m.space->device->products);
        for (unsigned k = 0; k < pairs; k++) {
            for (unsigned which = 0; which < 2; which++) {
                operand_fill(mpz_limbs_write(a, N), N, kind, l, test_u64());
                mpz_limbs_finish(a, N);
                place_set(which ? y : x, a);
            }
            all_long = all_long && is_long(&m, x, y);
            const bool minus = signs == 1 || (signs == 2 && k % 2);
            TEST_OK((minus ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(z->x, x->x, y->x));
            (minus ? mpz_submul : mpz_addmul)(z->want, x->want, y->want);
        }
        mpz_set_ui(a, 77);
        TEST_OK(gfmul_spectrum_get_mpz(z->x, a));
        const struct gfmul_report report = last_report(m.space);
        TEST_CHECK(mpz_cmp(a, z->want) == 0);
        if (all_long) {
            TEST_CHECK_MSG(strcmp(report.plan.engine, "opencl") == 0 && report.plan.proved, "engine %s", report.plan.engine);
            TEST_CHECK_MSG(report.plan.bound < 0.5 && report.max_error <= report.plan.bound, "error %g, bound %g",
                           report.max_error, report.plan.bound);
            TEST_CHECK(device_primes == (report.plan.bound == 0));
            TEST_CHECK(device_primes == (m.space->device->shape.field == PLAN_PRIME));
            if (!device_primes)
                worst = report.max_error / report.plan.bound > worst ? report.max_error / report.plan.bound : worst;
        }
        place_check(&m, z);
        mpz_clear(a);
    }
    TEST_CHECK_MSG((worst > 0) != device_primes, "errors up to %g of the bound", worst); /* primes have none */
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* Sums for which primes have no digits are made in parts, if the device makes spaces modulo primes. */
static void test_parts(void)
{
    enum { LIMBS = 2000000, MANY = 256, FEW = 16 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct gfmul_space *space;
    for (unsigned i = 0; i < 2; i++) {
        const size_t most = i ? FEW : MANY;
        TEST_OK(gfmul_space_create(ctx, &space, LIMBS, most));
        if (TEST_CHECK(space->device)) {
            const size_t products = space->device->products;
            TEST_CHECK_MSG(i ? products == FEW : products >= FEW && (products < MANY || !device_primes), "%zu", products);
            TEST_CHECK(!device_primes || space->device->shape.field == PLAN_PRIME);
        }
        gfmul_space_destroy(space);
    }
    gfmul_ctx_destroy(ctx);
}

/* place_take - a place becomes a number on the device, that is changed and ended at once. */
static void place_take(struct gfmul_ctx *ctx, const struct machine *m, struct place *p, size_t zeros)
{
    mpz_t a;
    mpz_init(a);
    number_draw(m, a, m->limbs / 2 - 1);
    mpz_abs(a, a);
    struct gfmul_device_operand *op = operand_of(ctx, a, zeros);
    TEST_OK(gfmul_spectrum_set_device(p->x, op));
    TEST_OK(gfmul_device_operand_set(op, (mp_limb_t[1]){99}, 1));
    gfmul_device_operand_destroy(op);
    mpz_swap(p->want, a);
    mpz_clear(a);
}

/* Numbers on the device become spectra, and spectra numbers; sums of either sign become factors. */
static void test_numbers(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct place *p = m.place;
    for (unsigned i = 0; i < test_tier(20, 200, 2000); i++) {
        struct gfmul_device_operand *op;
        int negative = -1;
        for (unsigned k = 0; k < 4; k++)
            place_take(ctx, &m, &p[k], k == 0 ? test_below(200) : test_below(2));
        TEST_OK(gfmul_spectrum_mul(p[4].x, p[0].x, p[1].x));
        TEST_OK(gfmul_spectrum_submul(p[4].x, p[2].x, p[3].x));
        mpz_mul(p[4].want, p[0].want, p[1].want);
        mpz_submul(p[4].want, p[2].want, p[3].want);
        TEST_OK(gfmul_device_operand_create(ctx, &op, SHORT_LIMBS));
        TEST_OK(gfmul_spectrum_get_device(p[4].x, op, i % 3 ? &negative : NULL));
        TEST_CHECK(i % 3 == 0 || negative == (mpz_sgn(p[4].want) < 0));
        operand_is(op, p[4].want);
        TEST_OK(gfmul_spectrum_set_device(p[5].x, op)); /* and back */
        mpz_abs(p[5].want, p[4].want);
        place_check(&m, &p[5]);
        gfmul_device_operand_destroy(op);
        /* a sum of products of half as long numbers is a factor, with an integer and a short product beside it */
        for (unsigned k = 0; k < 4; k++)
            place_draw(&m, &p[k], m.limbs / 4 - 2);
        TEST_OK(gfmul_spectrum_mul(p[6].x, p[0].x, p[1].x));
        TEST_OK(gfmul_spectrum_submul(p[6].x, p[2].x, p[3].x));
        mpz_mul(p[6].want, p[0].want, p[1].want);
        mpz_submul(p[6].want, p[2].want, p[3].want);
        TEST_OK(gfmul_spectrum_mul(p[7].x, p[6].x, p[6].x));
        mpz_mul(p[7].want, p[6].want, p[6].want);
        if (i % 2) {
            place_draw(&m, &p[8], 3);
            TEST_OK(gfmul_spectrum_addmul(p[7].x, p[6].x, p[8].x));
            mpz_addmul(p[7].want, p[6].want, p[8].want);
            TEST_OK(gfmul_spectrum_sub(p[7].x, p[7].x, p[4].x));
            mpz_sub(p[7].want, p[7].want, p[4].want);
        }
        place_check(&m, &p[7]);
        place_check(&m, &p[6]);
    }
    /* the same sum with both signs is 0 */
    place_take(ctx, &m, &p[0], 0);
    TEST_OK(gfmul_spectrum_mul(p[1].x, p[0].x, p[0].x));
    TEST_OK(gfmul_spectrum_submul(p[1].x, p[0].x, p[0].x));
    mpz_set_ui(p[1].want, 0);
    place_check(&m, &p[1]);
    TEST_CHECK(gfmul_space_bytes(m.space) > 0);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* ---- misuse and faults ---- */

static void test_errors(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL), *other = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct product_ctx cpu = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16), host = machine_create(cpu.ctx, SHORT_LIMBS, 16);
    struct place *x = &m.place[0], *y = &m.place[1];
    struct gfmul_space *ring;
    struct gfmul_spectrum *r;
    mpz_t a;
    mpz_init(a);
    mpz_setbit(a, 64 * (SHORT_LIMBS / 2) - 1);
    struct gfmul_device_operand *op = operand_of(ctx, a, 0), *foreign = operand_of(other, a, 0), *small;
    place_set(x, a);
    place_set(y, a);
    TEST_OK(gfmul_device_operand_create(ctx, &small, SHORT_LIMBS / 2 - 1));
    TEST_CHECK(gfmul_spectrum_set_device(NULL, op) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_set_device(x->x, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get_device(NULL, op, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get_device(x->x, NULL, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_set_device(x->x, foreign) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get_device(x->x, foreign, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get_device(x->x, small, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_set_device(host.place[0].x, op) == GFMUL_ERR_UNSUPPORTED);
    TEST_CHECK(gfmul_spectrum_get_device(host.place[0].x, op, NULL) == GFMUL_ERR_UNSUPPORTED);
    TEST_OK(gfmul_space_create_bnp1(ctx, &ring, 1024, 4));
    TEST_OK(gfmul_spectrum_create(ring, &r));
    TEST_CHECK(gfmul_spectrum_set_device(r, op) == GFMUL_ERR_UNSUPPORTED);
    gfmul_spectrum_destroy(r);
    gfmul_space_destroy(ring);
    /* a number that is too long; sums that are too long when they are made */
    mpz_mul_2exp(a, a, 64 * SHORT_LIMBS);
    struct gfmul_device_operand *far = operand_of(ctx, a, 0);
    TEST_CHECK(gfmul_spectrum_set_device(x->x, far) == GFMUL_ERR_SIZE);
    mpz_set_ui(a, 0);
    mpz_setbit(a, 64 * (SHORT_LIMBS / 2) + 10);
    TEST_OK(gfmul_spectrum_set_mpz(m.place[2].x, a));
    TEST_OK(gfmul_spectrum_sqr(m.place[3].x, m.place[2].x));
    mpz_set_ui(a, 77);
    TEST_CHECK(gfmul_spectrum_get_mpz(m.place[3].x, a) == GFMUL_ERR_SIZE && mpz_cmp_ui(a, 77) == 0);
    TEST_OK(gfmul_spectrum_submul(m.place[3].x, m.place[2].x, m.place[2].x));
    place_check(&m, &m.place[3]); /* 0 */
    place_check(&m, x);
    gfmul_device_operand_destroy(far);
    gfmul_device_operand_destroy(small);
    gfmul_device_operand_destroy(foreign);
    gfmul_device_operand_destroy(op);
    mpz_clear(a);
    machine_destroy(&host);
    machine_destroy(&m);
    product_ctx_destroy(&cpu);
    gfmul_ctx_destroy(other);
    gfmul_ctx_destroy(ctx);
}

/* program - sums that are kept on the device, fetched, and used again.   Returns the first error. */
static enum gfmul_status program(struct gfmul_ctx *ctx, const struct gfmul_device_operand *a, mpz_srcptr b, mpz_ptr z)
{
    struct gfmul_space *space;
    struct gfmul_device_operand *op = NULL;
    struct gfmul_spectrum *x[4] = {NULL};
    enum gfmul_status status = gfmul_space_create(ctx, &space, SHORT_LIMBS, 16);
    for (unsigned i = 0; i < 4 && status == GFMUL_OK; i++)
        status = gfmul_spectrum_create(space, &x[i]);
    if (status == GFMUL_OK)
        status = gfmul_device_operand_create(ctx, &op, SHORT_LIMBS);
    (void)gfmul_device_operand_mem(op); /* its value is copied, that of a is shared */
    if (status == GFMUL_OK)
        status = gfmul_spectrum_set_device(x[0], a);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_set_mpz(x[1], b);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_mul(x[2], x[0], x[1]);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_submul(x[2], x[1], x[1]); /* (a - b) b, negative */
    if (status == GFMUL_OK)
        status = gfmul_spectrum_get_device(x[2], op, NULL);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_set_device(x[3], op);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_addmul(x[3], x[0], x[1]); /* (b - a) b + a b = b^2 */
    if (status == GFMUL_OK)
        status = gfmul_spectrum_get_mpz(x[3], z);
    for (unsigned i = 0; i < 4; i++)
        gfmul_spectrum_destroy(x[i]);
    gfmul_device_operand_destroy(op);
    gfmul_space_destroy(space);
    return status;
}

/* Numbers of a program, and what it computes. */
struct program_numbers {
    struct gfmul_ctx *ctx;
    struct gfmul_device_operand *a;
    mpz_t b, want, z;
};

static struct program_numbers numbers_draw(void)
{
    enum { N = SHORT_LIMBS / 2 - 1 };
    struct program_numbers n = {.ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL)};
    mpz_t a;
    mpz_inits(a, n.b, n.want, n.z, NULL);
    operand_fill(mpz_limbs_write(a, N - 1), N - 1, OPERAND_TOP_BIT, 16, test_u64()); /* below b */
    mpz_limbs_finish(a, N - 1);
    operand_fill(mpz_limbs_write(n.b, N), N, OPERAND_TOP_BIT, 16, test_u64());
    mpz_limbs_finish(n.b, N);
    mpz_mul(n.want, n.b, n.b);
    n.a = operand_of(n.ctx, a, 0);
    mpz_clear(a);
    TEST_OK(program(n.ctx, n.a, n.b, n.z));
    TEST_CHECK(mpz_cmp(n.z, n.want) == 0);
    return n;
}

static void numbers_end(struct program_numbers *n)
{
    TEST_OK(program(n->ctx, n->a, n->b, n->z));
    TEST_CHECK(mpz_cmp(n->z, n->want) == 0);
    mpz_clears(n->b, n->want, n->z, NULL);
    gfmul_device_operand_destroy(n->a);
    gfmul_ctx_destroy(n->ctx);
}

/* Every allocation fails once: MEMORY, and what follows is right. */
static void test_allocations(void)
{
    struct program_numbers n = numbers_draw();
    unsigned failed = 0;
    enum gfmul_status s = GFMUL_ERR_MEMORY;
    for (long k = 0; k < 300; k++) {
        alloc_fail_after(k);
        s = program(n.ctx, n.a, n.b, n.z);
        alloc_fail_after(-1);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d after %ld allocations", (int)s, k);
        TEST_CHECK(s != GFMUL_OK || mpz_cmp(n.z, n.want) == 0);
        failed += s != GFMUL_OK;
    }
    TEST_CHECK(s == GFMUL_OK); /* there are fewer */
    TEST_CHECK_MSG(failed >= 10, "%u failed", failed);
    numbers_end(&n);
}

/* Each call of the device fails once: the device's error, and what follows is right. */
static void test_device_faults(void)
{
    static const enum ocl_fault_place places[] = {OCL_FAULT_LAUNCH, OCL_FAULT_TRANSFER, OCL_FAULT_FINISH, OCL_FAULT_BUFFER};
    struct program_numbers n = numbers_draw();
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        unsigned failed = 0;
        for (unsigned skip = 0; skip < 200; skip++) {
            ocl_fault_set(places[i], skip, 1, CL_OUT_OF_RESOURCES);
            const enum gfmul_status s = program(n.ctx, n.a, n.b, n.z);
            ocl_fault_clear();
            TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_DEVICE, "status %d, place %u, call %u", (int)s, i, skip);
            TEST_CHECK(s != GFMUL_OK || mpz_cmp(n.z, n.want) == 0);
            failed += s != GFMUL_OK;
        }
        TEST_CHECK_MSG(failed >= 1 || places[i] == OCL_FAULT_BUFFER, "place %u: %u failed", i, failed);
    }
    /* figures that prove nothing; data that are wrong */
    ocl_fault_set(OCL_FAULT_FIGURES, 0, 1, 1);
    TEST_CHECK(program(n.ctx, n.a, n.b, n.z) == GFMUL_ERR_VERIFY);
    ocl_fault_set(OCL_FAULT_DISTANCE, 1, 1, 2000);
    TEST_CHECK(program(n.ctx, n.a, n.b, n.z) == GFMUL_ERR_VERIFY);
    ocl_fault_set(OCL_FAULT_DATA, 0, 1, 1234);
    TEST_CHECK(program(n.ctx, n.a, n.b, n.z) == GFMUL_ERR_VERIFY);
    ocl_fault_clear();
    numbers_end(&n);
}

/* A sum that the device has made wrong is an error, and the spectrum keeps its value: the next reading makes it again. */
static void test_wrong_sum(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct place *x = &m.place[0], *z = &m.place[1];
    mpz_t a;
    mpz_init(a);
    operand_fill(mpz_limbs_write(a, m.limbs / 2 - 1), m.limbs / 2 - 1, OPERAND_TOP_BIT, 16, test_u64());
    mpz_limbs_finish(a, (mp_size_t)m.limbs / 2 - 1);
    place_set(x, a);
    TEST_OK(gfmul_spectrum_mul(z->x, x->x, x->x));
    mpz_mul(z->want, a, a);
    ocl_fault_set(OCL_FAULT_RESIDUE, 0, 1, 1);
    TEST_CHECK(gfmul_spectrum_get_mpz(z->x, a) == GFMUL_ERR_VERIFY);
    ocl_fault_clear();
    TEST_CHECK(atomic_load(&m.space->device_bytes) == 0);
    TEST_OK(gfmul_spectrum_get_mpz(z->x, a));
    struct gfmul_report report;
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(report.device_place == 1 && report.n_devices == 1 && report.transform_ns > 0);
    place_check(&m, z);
    mpz_clear(a);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* A product that the host has made wrong, beside a sum on the device, is an error: here of a number that has changed. */
static void test_wrong_product(void)
{
    enum { N = SHORT_LIMBS / 2 - 1, FEW = 3 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    mp_limb_t a[N];
    struct natural *x, *y;
    struct call call;
    operand_fill(a, N, OPERAND_TOP_BIT, 16, test_u64());
    call_begin(&call, ctx);
    TEST_OK(space_begin(&call, m.space));
    TEST_OK(natural_make(&call, m.space, &x, a, N, NULL));
    TEST_OK(natural_make(&call, m.space, &y, a + N - FEW, FEW, NULL));
    struct term term[] = {{.a = x, .b = x}, {.a = x, .b = y, .minus = true}};
    const struct sum s = {.term = term, .n = 2};
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        struct integer z;
        y->limbs[0] ^= wrong;
        TEST_CHECK(sum_evaluate(&call, m.space, &z, &s) == (wrong ? GFMUL_ERR_VERIFY : GFMUL_OK));
        TEST_CHECK(wrong ? !z.x : z.x && z.x->words); /* which is on the device */
        natural_put(z.x);
    }
    natural_put(x);
    natural_put(y);
    call_end(&call, GFMUL_OK);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* A lost device: its spectra give errors, and can be ended. */
static void test_lost(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct place *x = &m.place[0], *z = &m.place[1];
    mpz_t got;
    mpz_init_set_ui(got, 77);
    place_take(ctx, &m, x, 0);
    TEST_OK(gfmul_spectrum_mul(z->x, x->x, x->x));
    ocl_fault_set(OCL_FAULT_LAUNCH, 1, 1, CL_DEVICE_NOT_AVAILABLE);
    const bool there = !is_long(&m, x, x);
    if (!there)
        TEST_CHECK(gfmul_spectrum_get_mpz(z->x, got) == GFMUL_ERR_DEVICE && mpz_cmp_ui(got, 77) == 0);
    ocl_fault_clear();
    if (!there)
        TEST_CHECK(gfmul_spectrum_get_mpz(z->x, got) == GFMUL_ERR_DEVICE);
    mpz_clear(got);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* Without memory for all transforms only some are kept, and sums are right; with less, products are made one by one. */
static void test_memory(void)
{
    enum { PAIRS = 5 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct ocl_device *d = m.space->device->d;
    const size_t points = device_spectrum_bytes(m.space);
    struct place *z = &m.place[PLACES - 1];
    struct gfmul_spectrum *x[PAIRS], *y[PAIRS];
    const size_t left[] = {0, (8 + 5) * points, 3 * points}; /* a block's factors, tables, a product's own buffers; too little */
    size_t kept[3];
    mpz_t a;
    mpz_init_set_ui(a, 0);
    for (unsigned short_of = 0; short_of < 3; short_of++) {
        mpz_set_ui(z->want, 0);
        for (unsigned i = 0; i < 2 * PAIRS; i++) {
            operand_fill(mpz_limbs_write(a, m.limbs / 2 - 1), m.limbs / 2 - 1, OPERAND_TOP_BIT, 16, test_u64());
            mpz_limbs_finish(a, (mp_size_t)m.limbs / 2 - 1);
            place_set(&m.place[i], a);
            (i % 2 ? y : x)[i / 2] = m.place[i].x;
        }
        for (unsigned i = 0; i < PAIRS; i++)
            mpz_addmul(z->want, m.place[2 * i].want, m.place[2 * i + 1].want);
        TEST_OK(gfmul_spectrum_dot(z->x, x, y, PAIRS));
        gfmul_ctx_trim(ctx);
        ocl_buffer_trim(d);
        const uint64_t before = short_of ? memory_leave(d, left[short_of]) : d->info.global_bytes;
        place_check(&m, z);
        kept[short_of] = atomic_load(&m.space->device_bytes);
        d->info.global_bytes = before;
        place_check(&m, z);
    }
    TEST_CHECK_MSG(kept[0] >= 2 * PAIRS * points && kept[1] < kept[0] && kept[2] < points, "%zu bytes, then %zu and %zu", kept[0],
                   kept[1], kept[2]);
    mpz_clear(a);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* Each request for memory is refused once, also those that check a value at its end: sums and differences are right. */
static void test_refused(void)
{
    enum { N = SHORT_LIMBS / 2 - 1 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct ocl_device *d = m.space->device->d;
    struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
    unsigned refused = 0;
    mpz_t a;
    mpz_init(a);
    for (unsigned skip = 0; skip < 40; skip++) {
        for (unsigned i = 0; i < 2; i++) {
            operand_fill(mpz_limbs_write(a, N), N, OPERAND_TOP_BIT, 16, test_u64());
            mpz_limbs_finish(a, N);
            place_set(&m.place[i], a);
        }
        TEST_OK(gfmul_spectrum_mul(z->x, x->x, y->x));
        TEST_OK(gfmul_spectrum_submul(z->x, y->x, y->x));
        mpz_mul(z->want, x->want, y->want);
        mpz_submul(z->want, y->want, y->want);
        if (skip % 2) { /* a difference; its first part stays on the device */
            place_check(&m, z);
            TEST_OK(gfmul_spectrum_add(z->x, z->x, x->x));
            mpz_add(z->want, z->want, x->want);
        }
        ocl_buffer_trim(d);
        const unsigned before = ocl_buffer_refused(d);
        ocl_fault_set(OCL_FAULT_BUFFER, skip / 2, 2, CL_MEM_OBJECT_ALLOCATION_FAILURE); /* it is tried twice */
        const enum gfmul_status status = skip % 2 ? gfmul_spectrum_sub(z->x, z->x, y->x) : gfmul_spectrum_get_mpz(z->x, a);
        ocl_fault_clear();
        TEST_CHECK_MSG(status == GFMUL_OK, "status %d after %u buffers", (int)status, skip / 2);
        if (skip % 2)
            mpz_sub(z->want, z->want, y->want);
        refused += ocl_buffer_refused(d) != before;
        place_check(&m, z);
    }
    TEST_CHECK_MSG(refused >= 4, "%u were refused", refused);
    mpz_clear(a);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* A factor whose transform is not kept is uploaded for each block of the sum. */
static void test_upload_again(void)
{
    enum { PAIRS = PLAN_SUM_BLOCK + 1 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct ocl_device *d = m.space->device->d;
    struct place *f = &m.place[PAIRS], *z = &m.place[PAIRS + 1];
    struct gfmul_spectrum *x[PAIRS], *y[PAIRS];
    mpz_t a;
    mpz_init(a);
    for (unsigned i = 0; i <= PAIRS; i++) { /* the last one alone is on the host */
        operand_fill(mpz_limbs_write(a, m.limbs / 2 - 1), m.limbs / 2 - 1, OPERAND_TOP_BIT, 16, test_u64());
        mpz_limbs_finish(a, (mp_size_t)m.limbs / 2 - 1);
        place_set(&m.place[i], a);
        if (i == PAIRS)
            break;
        struct gfmul_device_operand *op = operand_of(ctx, a, 0);
        TEST_OK(gfmul_spectrum_set_device(m.place[i].x, op));
        gfmul_device_operand_destroy(op);
        x[i] = m.place[i].x;
        y[i] = f->x;
    }
    mpz_set_ui(z->want, 0);
    for (unsigned i = 0; i < PAIRS; i++)
        mpz_addmul(z->want, m.place[i].want, f->want);
    TEST_OK(gfmul_spectrum_dot(z->x, x, y, PAIRS));
    gfmul_ctx_trim(ctx);
    ocl_buffer_trim(d);
    const uint64_t before = memory_leave(d, (2 * PLAN_SUM_BLOCK + 5) * device_spectrum_bytes(m.space));
    TEST_OK(gfmul_spectrum_get_mpz(z->x, a));
    d->info.global_bytes = before;
    TEST_CHECK(strcmp(last_report(m.space).plan.engine, "opencl") == 0);
    TEST_CHECK(mpz_cmp(a, z->want) == 0);
    mpz_clear(a);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* is_summed - whether the device has added the products of the last value. */
static bool is_summed(struct gfmul_ctx *ctx)
{
    struct gfmul_kernel_time kernel[32];
    const unsigned n = gfmul_ctx_kernels(ctx, kernel, 32);
    for (unsigned i = 0; i < n && i < 32; i++)
        if (strstr(kernel[i].name, "mul_add"))
            return true;
    return false;
}

/* least_room - the fourths of a transform for which the device has to have room, to add a b or a^2 with a and b there. */
static size_t least_room(struct machine *m, struct gfmul_ctx *ctx, bool square)
{
    enum { LEAST = 4 * 2, MOST = 4 * 24 };
    struct ocl_device *d = m->space->device->d;
    struct place *const x = &m->place[0], *const y = &m->place[square ? 0 : 1], *const z = &m->place[2];
    size_t room = LEAST - 1;
    mpz_t a;
    mpz_init(a);
    for (bool summed = false; !summed && room < MOST; room++) {
        for (unsigned i = 0; i < 2; i++) { /* anew, because numbers keep their transforms */
            operand_fill(mpz_limbs_write(a, m->limbs / 2 - 1), m->limbs / 2 - 1, OPERAND_TOP_BIT, 16, test_u64());
            mpz_limbs_finish(a, (mp_size_t)m->limbs / 2 - 1);
            place_set(i ? y : x, a);
            struct gfmul_device_operand *op = operand_of(ctx, a, 0);
            TEST_OK(gfmul_spectrum_set_device((i ? y : x)->x, op));
            gfmul_device_operand_destroy(op);
        }
        TEST_OK(gfmul_spectrum_mul(z->x, x->x, y->x));
        mpz_mul(z->want, x->want, y->want);
        gfmul_ctx_trim(ctx);
        ocl_buffer_trim(d);
        const uint64_t before = memory_leave(d, (room + 1) * device_spectrum_bytes(m->space) / 4);
        summed = gfmul_spectrum_get_mpz(z->x, a) == GFMUL_OK && is_summed(ctx);
        d->info.global_bytes = before;
        place_check(m, z);
    }
    mpz_clear(a);
    TEST_CHECK_MSG(room > LEAST && room < MOST, "%zu fourths", room);
    return room;
}

/* Without room to transform two factors at once, one after the other is: a b needs room for one transform more than a^2. */
static void test_alone(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    ctx->opt.profile = 1;
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    const size_t square = least_room(&m, ctx, true), product = least_room(&m, ctx, false);
    TEST_CHECK_MSG(product <= square + 6, "%zu and %zu fourths", square, product);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* ---- threads and callbacks ---- */

static void *share(void *arg)
{
    struct sharing_thread *of = arg;
    struct gfmul_spectrum *z;
    mpz_t got, want;
    mpz_inits(got, want, NULL);
    of->same = gfmul_spectrum_create(of->m->space, &z) == GFMUL_OK;
    for (unsigned i = 0; i < 6 && of->same; i++) {
        of->same = gfmul_spectrum_get_mpz(of->sum->x, got) == GFMUL_OK && mpz_cmp(got, of->sum->want) == 0 &&
                   gfmul_spectrum_mul(z, of->x->x, of->y->x) == GFMUL_OK &&
                   gfmul_spectrum_submul(z, of->x->x, of->x->x) == GFMUL_OK && gfmul_spectrum_get_mpz(z, got) == GFMUL_OK;
        mpz_mul(want, of->x->want, of->y->want);
        mpz_submul(want, of->x->want, of->x->want);
        of->same = of->same && mpz_cmp(got, want) == 0;
    }
    gfmul_spectrum_destroy(z);
    mpz_clears(got, want, NULL);
    return NULL;
}

static void test_threads(void)
{
    for (size_t i = 0; i < test_tier(4, 40, 400); i++) {
        struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
        struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
        struct place *x = &m.place[0], *y = &m.place[1], *sum = &m.place[2];
        place_draw(&m, x, m.limbs / 2 - 1);
        place_draw(&m, y, m.limbs / 2 - 1);
        TEST_OK(gfmul_spectrum_mul(sum->x, x->x, y->x));
        mpz_mul(sum->want, x->want, y->want);
        spectra_share(&m, share);
        place_check(&m, sum);
        machine_destroy(&m);
        gfmul_ctx_destroy(ctx);
    }
}

/* A callback that stops a sum at its n-th call: the spectra keep their values, and the next try is right. */
static void test_callback(void)
{
    struct stop stop = {.at = 0};
    struct gfmul_ctx *const ctx = ctx_on_device(GFMUL_VERIFY_MOD, stop_at, &stop);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    unsigned stopped = 0;
    for (unsigned at = 1; at < 12; at++) {
        struct place *z = &m.place[8];
        struct gfmul_spectrum *x[8];
        stop.at = 0;
        mpz_set_ui(z->want, 0);
        for (unsigned k = 0; k < 8; k++) {
            do
                place_draw(&m, &m.place[k], m.limbs / 2 - 1);
            while (mpz_size(m.place[k].want) < m.limbs / 4);
            x[k] = m.place[k].x;
            mpz_addmul(z->want, m.place[k].want, m.place[k].want);
        }
        TEST_OK(gfmul_spectrum_dot(z->x, x, x, 8));
        stopped += place_stopped(&m, z, &stop, at);
    }
    TEST_CHECK_MSG(stopped >= 2, "%u were stopped", stopped);
    stop.at = 0;
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!device_spaces_begin(argc, argv))
        return ocl_test_end();
    for (unsigned primes = 0; primes < 2; primes++) {
        device_primes = primes;
        TEST_RUN(test_adversarial);
        TEST_RUN(test_parts);
        TEST_RUN(test_programs);
        TEST_RUN(test_numbers);
        if (!primes)
            TEST_RUN(test_errors);
        TEST_RUN(test_allocations);
        TEST_RUN(test_device_faults);
        TEST_RUN(test_wrong_sum);
        TEST_RUN(test_wrong_product);
        TEST_RUN(test_lost);
        TEST_RUN(test_memory);
        TEST_RUN(test_refused);
        TEST_RUN(test_upload_again);
        TEST_RUN(test_alone);
        TEST_RUN(test_threads);
        TEST_RUN(test_callback);
    }
    return ocl_test_end();
}

#else

int main(void)
{
    puts("this build has no OpenCL");
    return 77;
}
#endif
