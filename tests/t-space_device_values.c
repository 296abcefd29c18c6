/* t-space_device_values.c - sums and small multiples of numbers on an OpenCL device, and expressions of them, against GMP's. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ocl_test.h"
#include "space_steps.h"

#ifdef HAVE_OPENCL
#include "device_spaces.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_words.h"

/* ---- the kernels ---- */

/* words_up - a number on the device. */
static struct ocl_number words_up(struct ocl_device *d, const mp_limb_t *x, size_t n)
{
    struct ocl_number number = {NULL, (uint32_t)(2 * n)};
    char why[OCL_DETAIL_BYTES];
    if (!TEST_OK(ocl_buffer_get(OCL_ON(d, why), (n + 1) * sizeof *x, &number.words)) ||
        !TEST_OK(ocl_upload(OCL_ON(d, why), device_limbs(number.words, 0, n), x, 1, OCL_AFTER_QUEUE)))
        exit(1);
    return number;
}

/* limbs_draw - n limbs: random, or such that carries run far. */
static void limbs_draw(mp_limb_t *x, size_t n)
{
    const mp_limb_t all = test_u64() % 2 ? ~(mp_limb_t)0 : 0;
    if (test_u64() % 4 == 0) {
        operand_fill(x, n, OPERAND_RANDOM, 16, test_u64());
        return;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = all;
    for (unsigned k = 0; k < test_below(4); k++)
        x[test_below(n)] = test_u64() >> test_below(64);
}

/* times_draw - a factor: mostly 1 or -1, or the largest. */
static int32_t times_draw(void)
{
    static const int32_t some[] = {1, -1, 1, -1, 0, 2, -3, INT32_MAX, -INT32_MAX};
    const size_t i = test_below(sizeof some / sizeof *some + 2);
    return i < sizeof some / sizeof *some ? some[i] : (int32_t)(test_u64() >> 33) * (i % 2 ? 1 : -1);
}

/* two_complement - v modulo 2^(64 n). */
static void two_complement(mp_limb_t *z, size_t n, mpz_srcptr v)
{
    mpz_t r;
    mpz_init(r);
    mpz_fdiv_r_2exp(r, v, 64 * n);
    memset(z, 0, n * sizeof *z);
    memcpy(z, mpz_limbs_read(r), mpz_size(r) * sizeof *z);
    mpz_clear(r);
}

/* Sums of multiples in two's complement, of lengths around those of chunks and of groups of them. */
static void test_words_sum(void)
{
    enum { MOST = 3 * 256 * 16 + 40, CHUNK_LIMBS = 16 };
    struct ocl_device *d = ocl_test_open();
    mp_limb_t *x = test_alloc(MOST * sizeof *x), *y = test_alloc(MOST * sizeof *y), *got = test_alloc((MOST + 2) * sizeof *got),
              *want = test_alloc((MOST + 2) * sizeof *want);
    char why[OCL_DETAIL_BYTES];
    const struct ocl_call *on = OCL_ON(d, why);
    mpz_t a, b, v;
    mpz_init(v);
    for (unsigned i = 0; i < test_tier(300, 3000, 30000); i++) {
        const size_t limit = test_u64() % 3 ? 5 * CHUNK_LIMBS : MOST;
        const size_t xn = test_size(1, limit), yn = test_u64() % 2 ? xn : test_size(1, limit);
        const size_t zn = (xn > yn ? xn : yn) + (test_u64() % 4 ? 1 : test_below(3));
        const bool same = test_u64() % 8 == 0;
        int32_t u = times_draw(), w = times_draw();
        struct ocl_words words = {NULL, NULL, NULL, NULL};
        limbs_draw(x, xn);
        limbs_draw(y, yn);
        if (test_u64() % 4 == 0 && xn == yn) { /* a difference whose carry runs through zeros */
            memcpy(y, x, xn * sizeof *x);
            y[test_below(yn)] ^= (mp_limb_t)1 << test_below(64);
            w = -u;
        }
        test_note("%zu limbs times %d, %zu times %d, into %zu%s", xn, (int)u, same ? xn : yn, (int)w, zn,
                  same ? ", the same" : "");
        mpz_roinit_n(a, x, (mp_size_t)xn);
        mpz_roinit_n(b, same ? x : y, (mp_size_t)(same ? xn : yn));
        mpz_mul_si(v, a, u);
        mpz_t t;
        mpz_init(t);
        mpz_mul_si(t, b, w);
        mpz_add(v, v, t);
        mpz_clear(t);
        two_complement(want, zn, v);
        const struct ocl_number p = words_up(d, x, xn), q = same ? p : words_up(d, y, yn);
        memset(got, 0xab, (zn + 1) * sizeof *got);
        const struct ocl_number z = words_up(d, got, zn + 1), part = {z.words, (uint32_t)(2 * zn)};
        ocl_device_lock(d);
        TEST_OK(ocl_words_get(on, &words, 2 * zn));
        TEST_OK(ocl_words_sum(on, &words, part, (struct ocl_multiple){p, u}, (struct ocl_multiple){q, w}));
        ocl_device_unlock(d);
        TEST_OK(ocl_download(on, got, device_limbs(z.words, 0, zn + 1), 1, OCL_AFTER_QUEUE));
        test_equal_limbs(got, want, zn);
        TEST_CHECK_MSG(got[zn] == 0xabababababababab, "written behind z");
        ocl_device_lock(d);
        ocl_words_put(d, &words);
        ocl_device_unlock(d);
        ocl_buffer_put(d, z.words);
        if (!same)
            ocl_buffer_put(d, q.words);
        ocl_buffer_put(d, p.words);
    }
    mpz_clear(v);
    free(want);
    free(got);
    free(y);
    free(x);
}

/* ---- spaces ---- */

/* place_on_device - a place becomes a positive number that is on the device alone. */
static void place_on_device(struct gfmul_ctx *ctx, struct place *p, size_t n, enum operand_kind kind, unsigned digit_bits)
{
    operand_fill(mpz_limbs_write(p->want, (mp_size_t)n), n, kind, digit_bits, test_u64());
    mpz_limbs_write(p->want, (mp_size_t)n)[n - 1] |= (mp_limb_t)1 << 40; /* as long as that */
    mpz_limbs_finish(p->want, (mp_size_t)n);
    struct gfmul_device_operand *op = operand_of(ctx, p->want, 0);
    TEST_OK(gfmul_spectrum_set_device(p->x, op));
    gfmul_device_operand_destroy(op);
}

/* get_is - read a place into a number on the device, and compare.   Returns the report of reading it. */
static struct gfmul_report get_is(struct gfmul_ctx *ctx, struct place *p)
{
    struct gfmul_device_operand *op;
    struct gfmul_report report;
    int negative;
    TEST_OK(gfmul_device_operand_create(ctx, &op, SHORT_LIMBS));
    TEST_OK(gfmul_spectrum_get_device(p->x, op, &negative));
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK(negative == (mpz_sgn(p->want) < 0));
    operand_is(op, p->want);
    gfmul_device_operand_destroy(op);
    return report;
}

/*
 * ((a + b) (c - d) - e + 3 a) (-7): what is on the device stays there, sums, differences, negation and small multiples too.  The
 * error that the device saw is below the bound, which is for the digits of the sums as they are.
 */
static void test_stays(void)
{
    static const enum operand_kind kinds[] = {OPERAND_ONES,   OPERAND_DIGITS_MAX, OPERAND_DIGITS_HALF, OPERAND_RANDOM,
                                              OPERAND_BLOCKS, OPERAND_TOP_BIT,    OPERAND_DENSE,       OPERAND_EQUAL_LIMBS};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct place *a = &m.place[0], *b = &m.place[1], *c = &m.place[2], *d = &m.place[3], *e = &m.place[4], *s = &m.place[5],
                 *t = &m.place[6], *z = &m.place[7], *three = &m.place[8], *seven = &m.place[9];
    mpz_set_ui(three->want, 3);
    mpz_set_si(seven->want, -7);
    TEST_OK(gfmul_spectrum_set_mpz(three->x, three->want));
    TEST_OK(gfmul_spectrum_set_mpz(seven->x, seven->want));
    const size_t host = atomic_load(&m.space->bytes), half = m.limbs / 2 - 2;
    for (unsigned i = 0; i < test_tier(2 * KINDS, 20 * KINDS, 200 * KINDS); i++) {
        const enum operand_kind kind = i < KINDS ? kinds[i] : (enum operand_kind)test_below(OPERAND_KINDS);
        test_note("%s", operand_name(kind));
        for (unsigned k = 0; k < 5; k++)
            place_on_device(ctx, &m.place[k], k == 4 ? 2 * half - 4 : half - test_below(2), kind, space_digit_bits(m.space));
        TEST_OK(gfmul_spectrum_add(s->x, a->x, b->x));
        mpz_add(s->want, a->want, b->want);
        TEST_OK(gfmul_spectrum_sub(t->x, c->x, d->x));
        mpz_sub(t->want, c->want, d->want);
        get_is(ctx, s);
        get_is(ctx, t);
        TEST_OK(gfmul_spectrum_mul(z->x, s->x, t->x));
        TEST_OK(gfmul_spectrum_sub(z->x, z->x, e->x));
        TEST_OK(gfmul_spectrum_addmul(z->x, three->x, a->x));
        mpz_mul(z->want, s->want, t->want);
        mpz_sub(z->want, z->want, e->want);
        mpz_addmul(z->want, three->want, a->want);
        const struct gfmul_report report = get_is(ctx, z);
        if (mpz_size(t->want) >= half / 2) /* else it is 0, or short */
            TEST_CHECK_MSG((report.plan.bound > 0) != device_primes && report.plan.bound < 0.5 &&
                               report.max_error <= report.plan.bound,
                           "error %g, bound %g", report.max_error, report.plan.bound);
        TEST_OK(gfmul_spectrum_mul(z->x, z->x, seven->x));
        mpz_mul(z->want, z->want, seven->want);
        TEST_OK(gfmul_spectrum_neg(z->x, z->x));
        mpz_neg(z->want, z->want);
        if (mpz_size(t->want) > DEVICE_TOP_LIMBS) { /* else the host looks for its length, or it came from there */
            get_is(ctx, z);
            TEST_CHECK_MSG(atomic_load(&m.space->bytes) == host, "%zu bytes on the host, %zu before",
                           atomic_load(&m.space->bytes), host);
        }
        place_check(&m, z);
        for (unsigned k = 5; k < 8; k++) {
            mpz_set_ui(m.place[k].want, 0);
            TEST_OK(gfmul_spectrum_set_mpz(m.place[k].x, m.place[k].want));
        }
        gfmul_space_trim(m.space);
    }
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* Modulo primes the largest coefficient of as many products as a space adds up at once is below their product. */
static void test_primes_room(void)
{
    mpz_t most, all;
    mpz_inits(most, all, NULL);
    for (unsigned i = 0; i < test_tier(40, 400, 4000); i++) {
        struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
        const size_t limbs = test_size(1000, 2000000), products = (size_t)1 << test_below(17);
        test_note("%zu limbs, %zu products", limbs, products);
        struct machine m = machine_create(ctx, limbs, products);
        if (!TEST_CHECK(m.space->device)) /* in parts of 16 products at least */
            exit(1);
        const struct plan_shape *s = &m.space->device->shape;
        const size_t at_once = m.space->device->products;
        TEST_CHECK_MSG(at_once <= products && (at_once == products || at_once >= 16), "%zu at once", at_once);
        TEST_CHECK(limbs * at_once < 500000000);
        const uint32_t *p = device_primes_of(device_primes_set(s), s->transform.n_primes);
        const size_t digits = (64 * (limbs / 2 + 1) - 1) / s->digits.exponent + 1; /* of the longest factor */
        mpz_set_ui(all, 1);
        for (unsigned k = 0; k < s->transform.n_primes; k++)
            mpz_mul_ui(all, all, p[k]);
        mpz_ui_pow_ui(most, 2, s->digits.exponent);
        mpz_sub_ui(most, most, 1);
        mpz_mul(most, most, most);
        mpz_mul_ui(most, most, digits);
        mpz_mul_ui(most, most, at_once);
        TEST_CHECK_MSG(s->field == PLAN_PRIME && mpz_cmp(most, all) < 0, "%u primes", s->transform.n_primes);
        TEST_CHECK(2 * digits <= s->transform.n_points);
        machine_destroy(&m);
        gfmul_ctx_destroy(ctx);
    }
    mpz_clears(most, all, NULL);
}

/* A random expression in some places: its value into z, in this machine.   random in: the choices, so that all machines have
   the same */
static void expression(struct machine *m, uint64_t random, struct place *z)
{
    struct place *p = m->place;
    mpz_set_ui(z->want, 0);
    TEST_OK(gfmul_spectrum_set_mpz(z->x, z->want));
    for (unsigned k = 0; k < 6; k++, random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407)) {
        struct place *x = &p[random >> 60 & 3], *y = &p[random >> 56 & 3], *s = &p[8], *t = &p[9];
        const bool minus = random >> 55 & 1, sums = random >> 54 & 1;
        const long small = (long)(random >> 40 & 0xfff) - 2048;
        switch (random >> 50 & 3) {
        case 0: /* z +- (x + y) (x - y), or z +- x y */
            TEST_OK((minus ? gfmul_spectrum_sub : gfmul_spectrum_add)(s->x, x->x, y->x));
            (minus ? mpz_sub : mpz_add)(s->want, x->want, y->want);
            TEST_OK((minus ? gfmul_spectrum_add : gfmul_spectrum_sub)(t->x, y->x, x->x));
            (minus ? mpz_add : mpz_sub)(t->want, y->want, x->want);
            TEST_OK((minus ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(z->x, sums ? s->x : x->x, sums ? t->x : y->x));
            (minus ? mpz_submul : mpz_addmul)(z->want, sums ? s->want : x->want, sums ? t->want : y->want);
            break;
        case 1: /* z +- c x */
            mpz_set_si(s->want, small);
            TEST_OK(gfmul_spectrum_set_mpz(s->x, s->want));
            TEST_OK((minus ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(z->x, s->x, x->x));
            (minus ? mpz_submul : mpz_addmul)(z->want, s->want, x->want);
            break;
        case 2: /* z is read, and negated */
            place_check(m, z);
            TEST_OK(gfmul_spectrum_neg(z->x, z->x));
            mpz_neg(z->want, z->want);
            break;
        default: /* z = y + y - z, or a dot product */
            TEST_OK(gfmul_spectrum_add(s->x, y->x, y->x));
            mpz_add(s->want, y->want, y->want);
            if (sums) {
                struct gfmul_spectrum *const v[2] = {x->x, s->x}, *const w[2] = {y->x, x->x};
                TEST_OK(gfmul_spectrum_dot(t->x, v, w, 2));
                mpz_mul(t->want, x->want, y->want);
                mpz_addmul(t->want, s->want, x->want);
            } else {
                mpz_set(t->want, s->want);
                TEST_OK(gfmul_spectrum_copy(t->x, s->x));
            }
            TEST_OK(gfmul_spectrum_sub(z->x, t->x, z->x));
            mpz_sub(z->want, t->want, z->want);
        }
    }
    place_check(m, z);
}

/* Random expressions in a space of the CPU and in one of the device: both are GMP's, and so the same. */
static void test_expressions(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct product_ctx cpu = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16), host = machine_create(cpu.ctx, SHORT_LIMBS, 16);
    for (unsigned i = 0; i < test_tier(50, 500, 5000); i++) {
        const uint64_t random = test_u64();
        test_note("expression %u", i);
        for (unsigned k = 0; k < 4; k++) {
            const size_t n = test_u64() % 4 ? m.limbs / 2 - 2 : test_size(1, m.limbs / 2 - 2);
            const enum operand_kind kind = (enum operand_kind)test_below(OPERAND_KINDS);
            place_on_device(ctx, &m.place[k], n, kind, space_digit_bits(m.space));
            if (test_u64() % 4 == 0) { /* or from the host, of either sign */
                mpz_neg(m.place[k].want, m.place[k].want);
                place_set(&m.place[k], m.place[k].want);
            }
            place_set(&host.place[k], m.place[k].want);
        }
        expression(&m, random, &m.place[5]);
        expression(&host, random, &host.place[5]);
    }
    machine_destroy(&host);
    machine_destroy(&m);
    product_ctx_destroy(&cpu);
    gfmul_ctx_destroy(ctx);
}

/* Modulo primes sums whose rows end in polynomials of 4, 6, 7 or 8 coefficients; twice, a block of products and part of one. */
static void test_ends(void)
{
    enum { PAIRS = 7 };
    static const size_t limbs[] = {7300, 8200, 18700, 37900};
    static const unsigned left[PAIRS] = {0, 2, 4, 0, 1, 4, 5}, right[PAIRS] = {1, 3, 5, 2, 3, 4, 0};
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    const size_t first = test_below(4); /* the kernels of each take seconds to compile */
    for (size_t i = 0; i < test_tier(1, 4, 4); i++) {
        struct machine m = device_machine(ctx, limbs[(first + i) % 4], 16);
        struct gfmul_spectrum *a[PAIRS], *b[PAIRS];
        struct place *p = m.place, *z = &p[6];
        for (unsigned k = 0; k < 6; k++)
            place_on_device(ctx, &p[k], m.limbs / 2 - 2, (enum operand_kind)test_below(OPERAND_KINDS), space_digit_bits(m.space));
        mpz_set_ui(z->want, 0);
        for (unsigned k = 0; k < PAIRS; k++) {
            a[k] = p[left[k]].x;
            b[k] = p[right[k]].x;
            mpz_addmul(z->want, p[left[k]].want, p[right[k]].want);
        }
        for (unsigned round = 0; round < 2; round++) {
            TEST_OK(gfmul_spectrum_dot(z->x, a, b, PAIRS));
            place_check(&m, z);
        }
        machine_destroy(&m);
    }
    gfmul_ctx_destroy(ctx);
}

/* Without memory on the device sums of numbers are the host's; wrong ones are errors, and their operands stay. */
static void test_faults(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct ocl_device *d = m.space->device->d;
    struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
    for (unsigned k = 0; k < 2; k++)
        place_on_device(ctx, &m.place[k], m.limbs / 2 - 2, OPERAND_RANDOM, 16);
    TEST_OK(gfmul_spectrum_add(z->x, x->x, y->x));
    mpz_add(z->want, x->want, y->want);
    place_check(&m, z);
    ocl_fault_set(OCL_FAULT_RESIDUE, 0, 1, 1);
    TEST_CHECK(gfmul_spectrum_sub(z->x, x->x, y->x) == GFMUL_ERR_VERIFY);
    ocl_fault_clear();
    place_check(&m, z);
    for (unsigned skip = 0; skip < 4; skip++) {
        ocl_fault_set(OCL_FAULT_LAUNCH, skip, 1, CL_OUT_OF_RESOURCES);
        const enum gfmul_status status = gfmul_spectrum_sub(z->x, x->x, y->x);
        ocl_fault_clear();
        TEST_CHECK_MSG(skip < 3 ? status == GFMUL_ERR_DEVICE : true, "status %d after %u launches", (int)status, skip);
        if (status == GFMUL_OK)
            mpz_sub(z->want, x->want, y->want);
        place_check(&m, z);
    }
    const uint64_t before = memory_leave(d, 0);
    gfmul_ctx_trim(ctx);
    ocl_buffer_trim(d);
    TEST_OK(gfmul_spectrum_sub(z->x, y->x, x->x));
    mpz_sub(z->want, y->want, x->want);
    place_check(&m, z);
    d->info.global_bytes = before;
    place_check(&m, x);
    place_check(&m, y);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* negative_sum - a small square minus a large one in a space of so many limbs: coefficients as far below 0 as they may be. */
static void negative_sum(struct gfmul_ctx *ctx, size_t limbs)
{
    const size_t n = limbs / 2 - 1;
    struct machine m = device_machine(ctx, limbs, 16);
    struct place *const large = &m.place[0], *const small = &m.place[1], *const z = &m.place[2];
    mpz_t a;
    mpz_init(a);
    mpz_setbit(a, 64 * n - 1);
    place_set(small, a);
    mpz_mul_2exp(a, a, 1);
    mpz_sub_ui(a, a, 1);
    place_set(large, a);
    TEST_OK(gfmul_spectrum_sqr(z->x, small->x));
    TEST_OK(gfmul_spectrum_submul(z->x, large->x, large->x));
    mpz_mul(z->want, small->want, small->want);
    mpz_submul(z->want, large->want, large->want);
    place_check(&m, z);
    mpz_clear(a);
    machine_destroy(&m);
}

/* Spaces of different lengths have one pipeline, if their plans differ in the number of digits alone: pairs of lengths. */
static void test_shared_pipeline(void)
{
    static const size_t limbs[] = {1540, 2040, 1280, 1520, 1040, 1260, 3080, 4080};
    for (unsigned i = 0; i < sizeof limbs / sizeof *limbs; i += 2) {
        struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_NONE, NULL, NULL);
        negative_sum(ctx, limbs[i]);
        const unsigned pipelines = device_store_pipelines(ctx, ocl_test_open());
        negative_sum(ctx, limbs[i + 1]);
        negative_sum(ctx, limbs[i]);
        TEST_CHECK_MSG(device_store_pipelines(ctx, ocl_test_open()) == pipelines && pipelines > 0, "%u pipelines, then others",
                       pipelines);
        gfmul_ctx_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    if (!device_spaces_begin(argc, argv))
        return ocl_test_end();
    TEST_RUN(test_words_sum);
    TEST_RUN(test_stays);
    TEST_RUN(test_expressions);
    TEST_RUN(test_faults);
    device_primes = true;
    TEST_RUN(test_primes_room);
    TEST_RUN(test_stays);
    TEST_RUN(test_expressions);
    TEST_RUN(test_ends);
    TEST_RUN(test_shared_pipeline);
    TEST_RUN(test_faults);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("this build has no OpenCL");
    return 77;
}
#endif
