/* t-mul_wrap.c - products that wrap around: exact at the edges of the ring, whatever the model of the cost says. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "mul/engine.h"
#include "mul/mul_wrap.h"
#include "plan/thresholds/thresholds.h"
#include "products.h"

static struct product_ctx wrap_ctx(enum plan_wrap wrap, enum gfmul_rule rule, unsigned threads)
{
    struct product_ctx c;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.rule = rule;
    opt.threads = threads;
    opt.verify = GFMUL_VERIFY_NONE;
    snprintf(c.name, sizeof c.name, "wrap %d, rule %d, %u threads", (int)wrap, (int)rule, threads);
    test_note("%s", c.name);
    c.ctx = test_ctx(&opt);
    c.ctx->wrap = wrap;
    return c;
}

/* ring_of - limbs of K by the description of a plan. */
static size_t ring_of(const struct gfmul_plan_info *info)
{
    const bool prime = strcmp(info->precision, "prime") == 0; /* a point is a digit */
    return info->n_points / (prime ? 64 : 32) * info->exponent;
}

/*
 * from_ring - mul_wrap of (a b modulo 2^K + 1) + multiple (2^K + 1) against a b.
 */
static void from_ring(struct gfmul_ctx *ctx, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, size_t ring,
                      int64_t multiple)
{
    struct call call;
    const size_t zn = an + bn;
    mp_limb_t *want = test_alloc(zn * sizeof *want), *z = test_alloc((zn + 1) * sizeof *z);
    mpz_t m, p, sum;
    ref_mul_gmp(want, a, an, b, bn);
    mpz_init_set_ui(m, 1);
    mpz_init(sum);
    mpz_mul_2exp(m, m, 64 * ring);
    mpz_add_ui(m, m, 1);
    mpz_init(p);
    mpz_import(p, zn, -1, sizeof *want, 0, 0, want);
    mpz_fdiv_r(p, p, m);
    mpz_set_si(sum, (long)multiple);
    mpz_addmul(p, sum, m);
    mpz_fdiv_r_2exp(p, p, 64 * (ring + 1)); /* two's complement */
    memset(z, 0, (zn + 1) * sizeof *z);
    mpz_export(z, NULL, -1, sizeof *z, 0, 0, p);
    if (zn > ring + 1) /* what the transform did not write */
        memset(z + ring + 1, 0x5a, (zn - ring - 1) * sizeof *z);
    if (zn == ring)
        z[ring] = 0;
    const mp_limb_t above = z[zn] = 77;
    const struct product product = product_limbs(z, a, an, b, bn);
    call_begin(&call, ctx);
    void *quotient;
    TEST_OK(mul_wrap_room(&call, &product, ring, &quotient));
    TEST_OK(call_end(&call, mul_wrap(&call, &product, ring, &(struct wrap_maker){&engine_cpu, PLAN_DOUBLE}, quotient)));
    test_equal_limbs(z, want, zn);
    TEST_CHECK(z[zn] == above);
    mpz_clears(m, p, sum, NULL);
    free(z);
    free(want);
}

static const int64_t multiples[] = {0, 1, -1, 2, -2, 1000, -1000, (int64_t)1 << 50, -((int64_t)1 << 50)};
enum { MULTIPLES = sizeof multiples / sizeof *multiples };

/* Any operands, any r from 0 on, and sums that lie anywhere. */
static void test_from_ring(void)
{
    struct product_ctx c = wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 1);
    for (unsigned i = 0; i < (test_longest_tier() ? 40000 : 4000); i++) {
        const size_t ring = test_size(2, i % 50 ? 12 : 600), an = test_between(ring / 2 + 1, ring);
        const size_t bn = test_between(ring - an > 0 ? ring - an : 1, an);
        if (an + bn < ring || an == ring)
            continue;
        mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b);
        const enum operand_kind ak = (enum operand_kind)test_below(OPERAND_KINDS);
        const enum operand_kind bk = (enum operand_kind)test_below(OPERAND_KINDS);
        operand_fill(a, an, ak, 12, test_u64());
        operand_fill(b, bn, bk, 12, test_u64());
        a[an - 1] |= a[an - 1] == 0;
        b[bn - 1] |= b[bn - 1] == 0;
        const int64_t multiple = multiples[test_below(MULTIPLES)];
        test_note("ring %zu, %s of %zu limbs by %s of %zu, %" PRId64, ring, operand_name(ak), an, operand_name(bk), bn, multiple);
        from_ring(c.ctx, a, an, b, bn, ring, multiple);
        if (2 * an >= ring)
            from_ring(c.ctx, a, an, a, an, ring, multiple);
        free(b);
        free(a);
    }
    product_ctx_destroy(&c);
}

/* from_minus - mul_wrap of a b - h (2^K - 1) against a b, the least h, the largest, or one between them. */
static void from_minus(struct gfmul_ctx *ctx, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn, size_t ring)
{
    struct call call;
    const size_t zn = an + bn;
    mp_limb_t *want = test_alloc(zn * sizeof *want), *z = test_alloc((zn + 1) * sizeof *z);
    const mp_limb_t above = 77;
    const struct product product = product_limbs(z, a, an, b, bn);
    mpz_t m, p, h;
    mpz_inits(m, p, h, NULL);
    ref_mul_gmp(want, a, an, b, bn);
    mpz_import(p, zn, -1, sizeof *want, 0, 0, want);
    mpz_set_ui(m, 1);
    mpz_mul_2exp(m, m, 64 * ring);
    mpz_sub_ui(m, m, 1);
    for (unsigned which = 0; which < 3; which++) {
        void *quotient;
        mpz_fdiv_q(h, p, m);
        if (which == 0)
            mpz_set_ui(h, 0);
        else if (which == 1)
            mpz_fdiv_q_ui(h, h, 1 + (unsigned long)test_below(1000));
        if (mpz_sizeinbase(h, 2) > 64 * (zn - ring))
            continue;
        mpz_submul(p, h, m);
        memset(z, 0, zn * sizeof *z);
        mpz_export(z, NULL, -1, sizeof *z, 0, 0, p);
        mpz_addmul(p, h, m);
        z[zn] = above;
        call_begin(&call, ctx);
        TEST_OK(mul_wrap_room(&call, &product, ring, &quotient));
        TEST_OK(call_end(&call, mul_wrap(&call, &product, ring, &(struct wrap_maker){&engine_cpu, PLAN_PRIME}, quotient)));
        test_equal_limbs(z, want, zn);
        TEST_CHECK(z[zn] == above);
    }
    mpz_clears(m, p, h, NULL);
    free(z);
    free(want);
}

/* The same modulo 2^K - 1, r from 1 on. */
static void test_from_minus(void)
{
    struct product_ctx c = wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 1);
    for (unsigned i = 0; i < (test_longest_tier() ? 20000 : 2000); i++) {
        const size_t ring = test_size(2, i % 50 ? 12 : 600), an = test_between(ring / 2 + 1, ring);
        const size_t bn = test_between(ring - an + 1, an);
        if (an + bn <= ring)
            continue;
        mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b);
        const enum operand_kind ak = (enum operand_kind)test_below(OPERAND_KINDS);
        const enum operand_kind bk = (enum operand_kind)test_below(OPERAND_KINDS);
        operand_fill(a, an, ak, 12, test_u64());
        operand_fill(b, bn, bk, 12, test_u64());
        a[an - 1] |= a[an - 1] == 0;
        b[bn - 1] |= b[bn - 1] == 0;
        test_note("ring %zu, %s of %zu limbs by %s of %zu", ring, operand_name(ak), an, operand_name(bk), bn);
        from_minus(c.ctx, a, an, b, bn, ring);
        from_minus(c.ctx, a, an, a, an, ring);
        free(b);
        free(a);
    }
    product_ctx_destroy(&c);
}

/* limbs_set - a number as n limbs; false where it has more, or where the highest would be zero. */
static bool limbs_set(mp_limb_t *a, size_t n, const mpz_t x)
{
    if (mpz_sgn(x) <= 0 || mpz_size(x) != n)
        return false;
    mpz_export(a, NULL, -1, sizeof *a, 0, 0, x);
    return true;
}

/* power - x = 2^bits + add. */
static void power(mpz_t x, size_t bits, long add)
{
    mpz_set_ui(x, 1);
    mpz_mul_2exp(x, x, bits);
    if (add >= 0)
        mpz_add_ui(x, x, (unsigned long)add);
    else
        mpz_sub_ui(x, x, (unsigned long)-add);
}

/*
 * special_pair - operands of an and bn limbs whose product is 2^K (-1 in the ring), 2^K - 1, 2^K times a power, or 0 in the ring.
 *   which  in  0 .. 4;  returns false where there are none of these sizes
 */
enum { SPECIALS = 5 };

static bool special_pair(mp_limb_t *a, size_t an, mp_limb_t *b, size_t bn, size_t ring, unsigned which)
{
    const size_t k = 64 * ring, a_bits = 64 * an - 1 - test_below(63);
    mpz_t x, y;
    bool there = true;
    mpz_inits(x, y, NULL);
    if (which == 0 && a_bits <= k) { /* 2^K */
        power(x, a_bits, 0);
        power(y, k - a_bits, 0);
    } else if (which == 1) { /* (2^(K/2) + 1)(2^(K/2) - 1): all ones */
        power(x, k / 2, 1);
        power(y, k / 2, -1);
    } else if (which == 2) { /* 2^(K + i) */
        power(x, 64 * an - 1, 0);
        power(y, 64 * bn - 1, 0);
    } else if (which == 3 && ring % 3 == 0 && ring / 3 < bn) {
        /* 2^K + 1 = (2^(K/3) + 1)(2^(2K/3) - 2^(K/3) + 1), each times a power */
        power(y, k / 3, 1);
        power(x, k, 1);
        mpz_divexact(x, x, y);
        mpz_mul_2exp(x, x, an > mpz_size(x) ? 64 * (an - mpz_size(x)) : 0);
        mpz_mul_2exp(y, y, 64 * (bn - mpz_size(y)));
    } else if (which == 4 && a_bits <= k) { /* 2^K - 2^i */
        power(x, k - 64 * (bn - 1), -1);
        power(y, 64 * (bn - 1), 0);
    } else {
        there = false;
    }
    there = there && limbs_set(a, an, x) && limbs_set(b, bn, y);
    mpz_clears(x, y, NULL);
    return there;
}

/* The cases above by themselves, in rings of many sizes: each of them is there for some sizes, whatever the seed. */
static void test_special_rings(void)
{
    struct product_ctx c = wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 1);
    unsigned met[SPECIALS] = {0};
    for (size_t ring = 2; ring < 40; ring++)
        for (size_t an = ring / 2 + 1; an < ring; an++)
            for (size_t bn = ring - an; bn <= an && bn <= ring - an + 2; bn++)
                for (unsigned which = 0; which < SPECIALS; which++) {
                    mp_limb_t a[40], b[40];
                    if (!special_pair(a, an, b, bn, ring, which))
                        continue;
                    met[which]++;
                    test_note("ring %zu, pair %u, %zu and %zu limbs", ring, which, an, bn);
                    for (unsigned i = 0; i < MULTIPLES; i++)
                        from_ring(c.ctx, a, an, b, bn, ring, multiples[i]);
                }
    for (unsigned which = 0; which < SPECIALS; which++)
        TEST_CHECK_MSG(met[which] > 0, "pair %u", which);
    product_ctx_destroy(&c);
}

/* Whole products, all kinds of operands, forced to wrap: by rule and by threads. */
static void test_forced(void)
{
    struct product_ctx c[4] = {wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 1), wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 2),
                               wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 3), wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_CHECKED, 2)};
    for (unsigned i = 0; i < (test_longest_tier() ? 2000 : 60); i++) {
        const size_t an = test_size(100, i % 10 ? 2000 : 20000), bn = i % 3 ? an : test_between(an - an / 3, an);
        struct gfmul_plan_info info;
        if (TEST_OK(gfmul_plan_limbs(c[0].ctx, &info, an, bn))) {
            test_plan(&info);
            TEST_CHECK_MSG(info.wraps && info.wrap_limbs == an + bn - ring_of(&info) && an < ring_of(&info), "%zu by %zu limbs",
                           an, bn);
        }
        product_random(c, 4, an, bn, OPERAND_KINDS, OPERAND_KINDS, product_digit_bits(c, an, bn), test_below(4) == 0);
    }
    for (unsigned i = 0; i < 4; i++)
        product_ctx_destroy(&c[i]);
}

/*
 * Error and bound reported are the larger of the ring's, which is met alone where the low limbs' product is GMP's, and theirs.
 * A ring modulo primes has no error.
 */
static void test_error(void)
{
    unsigned both = 0, larger = 0, rounded = 0;
    for (unsigned i = 0; i < 40; i++) {
        struct product_ctx c = wrap_ctx(PLAN_WRAP_ALWAYS, i % 2 ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM, 1);
        const size_t n = test_size(300, 6000);
        struct gfmul_report report[2] = {{.max_error = 0}, {.max_error = 0}};
        c.ctx->short_ops = NULL; /* they would make the low limbs' product */
        mp_limb_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b), *z = test_alloc(2 * n * sizeof *z);
        operand_fill(a, n, OPERAND_TOP_BIT, 12, test_u64());
        operand_fill(b, n, OPERAND_TOP_BIT, 12, test_u64());
        for (unsigned gmp = 0; gmp < 2; gmp++) {
            c.ctx->planned_mul_limbs = gmp ? report[0].plan.wrap_limbs + 1 : 0; /* fewer than b has */
            if (TEST_OK(gfmul_mul(c.ctx, z, a, n, b, n)))
                gfmul_ctx_report(c.ctx, &report[gmp]);
        }
        test_note("%s, %zu limbs, wrap_limbs %zu", c.name, n, report[0].plan.wrap_limbs);
        TEST_CHECK(report[0].plan.wraps && report[1].plan.wraps && report[1].plan.wrap_limbs == report[0].plan.wrap_limbs);
        const bool exact = strcmp(report[1].plan.precision, "prime") == 0;
        TEST_CHECK_MSG((report[1].max_error > 0) != exact && report[0].max_error >= report[1].max_error,
                       "error %g, of the ring %g", report[0].max_error, report[1].max_error);
        rounded += !exact;
        unsigned wrapping[2] = {0, 0}; /* of the cold plans and of others: the low limbs' product does not wrap around itself */
        for (unsigned k = 0; k < c.ctx->n_shapes && k < CTX_SHAPES; k++)
            wrapping[c.ctx->shapes[k].request.cold] += c.ctx->shapes[k].shape.grid.wraps;
        for (unsigned cold = 0; cold < 2; cold++)
            TEST_CHECK_MSG(wrapping[cold] <= 1 + report[0].n_fallbacks + report[1].n_fallbacks, "%u plans wrap around",
                           wrapping[cold]);
        TEST_CHECK(report[0].plan.bound >= report[1].plan.bound || report[0].n_fallbacks + report[1].n_fallbacks > 0);
        larger += report[0].plan.bound > report[1].plan.bound;
        both += report[0].plan.wrap_limbs >= PLAN_WRAP_GMP_LIMBS;
        free(z);
        free(b);
        free(a);
        product_ctx_destroy(&c);
    }
    TEST_CHECK_MSG(both > 0 && larger > 0 && rounded > 0,
                   "%u products of low limbs by transforms, %u bounds of theirs, %u rings in double", both, larger, rounded);
}

/* products_at - adversarial pairs of one size, with the plan's digits. */
static void products_at(const struct product_ctx *c, size_t n, size_t an, size_t bn)
{
    static const enum operand_kind kinds[] = {OPERAND_ONES,       OPERAND_POWER_TOP,   OPERAND_DIGITS_MAX,
                                              OPERAND_DIGITS_MIN, OPERAND_DIGITS_HALF, OPERAND_RANDOM};
    struct gfmul_plan_info info;
    if (!TEST_OK(gfmul_plan_limbs(c->ctx, &info, an, bn)))
        return;
    mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(bn * sizeof *b);
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        operand_fill(a, an, kinds[k], info.exponent, test_u64());
        operand_fill(b, bn, kinds[(k + test_below(2)) % (sizeof kinds / sizeof *kinds)], info.exponent, test_u64());
        product_check(c, n, a, an, b, bn, operand_name(kinds[k]));
        if (an == bn)
            product_check(c, n, a, an, a, an, operand_name(kinds[k]));
    }
    for (unsigned which = 0; which < SPECIALS; which++)
        if (info.wraps && special_pair(a, an, b, bn, ring_of(&info), which))
            product_check(c, n, a, an, b, bn, "a special pair");
    free(b);
    free(a);
}

/* Each ring with the shortest and the longest product that it takes: r = 0 or 1, and the largest r. */
static void test_edges(void)
{
    struct product_ctx c[2] = {wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 1), wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 3)};
    struct gfmul_plan_info info, before = {.n_points = 0};
    bool met[2] = {false, false};
    const size_t end = test_longest_tier() ? 20000 : 2500;
    for (size_t zn = 200; zn < end; zn++) {
        const size_t an = (zn + 1) / 2, bn = zn / 2;
        test_note("%zu by %zu limbs", an, bn);
        if (!TEST_OK(gfmul_plan_limbs(c->ctx, &info, an, bn)) || !TEST_CHECK(info.wraps))
            break;
        const bool other = info.n_points != before.n_points || info.exponent != before.exponent;
        if (other && before.n_points > 0)
            products_at(c, 2, an - (zn % 2), bn - 1 + (zn % 2)); /* zn - 1: the last one of the ring before */
        if (other || info.wrap_limbs < 2) {
            if (info.wrap_limbs < 2)
                met[info.wrap_limbs] = true;
            products_at(c, 2, an, bn);
        }
        before = info;
    }
    TEST_CHECK_MSG(met[0] && met[1], "no product of r = 0, or none of r = 1");
    for (unsigned i = 0; i < 2; i++)
        product_ctx_destroy(&c[i]);
}

/* What plans say; they wrap where it is cheaper alone, never for text, fixed operands, the classical rule, or under a limit. */
static void test_plans(void)
{
    struct product_ctx c[5] = {wrap_ctx(PLAN_WRAP_CHEAPER, GFMUL_RULE_NORM, 1), wrap_ctx(PLAN_WRAP_NEVER, GFMUL_RULE_NORM, 1),
                               wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_KNUTH, 1), wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 1),
                               wrap_ctx(PLAN_WRAP_ALWAYS, GFMUL_RULE_NORM, 1)};
    unsigned wrapped = 0;
    c[3].ctx->opt.memory_limit = (size_t)1 << 30;
    c[4].ctx->opt.precision = GFMUL_PRECISION_DOUBLE;
    for (double size = 300; size < 40000; size *= 1.01) {
        const size_t n = (size_t)size;
        struct gfmul_plan_info info[4];
        char text[2048];
        test_note("%zu limbs", n);
        for (unsigned i = 0; i < 4; i++)
            if (!TEST_OK(gfmul_plan_limbs(c[i].ctx, &info[i], n, n)))
                return;
        wrapped += info[0].wraps != 0;
        TEST_CHECK(!info[1].wraps && !info[2].wraps && !info[3].wraps && info[1].wrap_limbs == 0);
        TEST_CHECK(!info[0].wraps || (n < ring_of(&info[0]) && ring_of(&info[0]) + info[0].wrap_limbs == 2 * n));
        gfmul_plan_print(&info[0], text, sizeof text);
        TEST_CHECK(!!strstr(text, "wraps: ") == (info[0].wraps != 0));
        if (TEST_OK(gfmul_plan_text(c[0].ctx, &info[0], 10, 20 * n, 20 * n)))
            TEST_CHECK(!info[0].wraps);
    }
    TEST_CHECK(wrapped > 0);
    unsigned with_imaginary_parts = 0;
    for (double size = 1e6; size < 1e8; size *= 1.07) { /* branches cut real parts alone */
        struct gfmul_plan_info info;
        if (!TEST_OK(gfmul_plan_limbs(c[4].ctx, &info, (size_t)size, (size_t)size)))
            break;
        TEST_CHECK_MSG(info.n_branches == 1 || info.b_digits <= info.n_points, "%.0f limbs: %zu digits, %zu points, %zu branches",
                       size, info.b_digits, info.n_points, info.n_branches);
        with_imaginary_parts += info.b_digits > info.n_points;
    }
    TEST_CHECK(with_imaginary_parts > 0);
    for (unsigned i = 0; i < 5; i++)
        product_ctx_destroy(&c[i]);
}

/* What plans count for the low limbs' product is enough for it, wherever that is not GMP's. */
static void test_memory(void)
{
#ifdef GFMUL_MIN_THRESHOLDS
    TEST_SKIP("%s", "the model is that of the usual thresholds");
#else
    for (unsigned i = 0; i < 4; i++) {
        struct product_ctx c = wrap_ctx(PLAN_WRAP_NEVER, i < 2 ? GFMUL_RULE_NORM : GFMUL_RULE_CHECKED, i % 2 ? 4 : 1);
        for (size_t r = PLAN_WRAP_GMP_LIMBS; r < 60000; r += 1 + r / 100)
            for (unsigned square = 0; square < 2; square++) {
                struct gfmul_plan_info info;
                if (!TEST_OK(square ? gfmul_plan_limbs_sqr(c.ctx, &info, r) : gfmul_plan_limbs(c.ctx, &info, r, r)))
                    return;
                const struct plan_shape s = {.grid.wrap_limbs = r, .square = square, .transform.row_threads = info.threads};
                TEST_CHECK_MSG(2 * r * sizeof(mp_limb_t) + info.memory_bytes <= plan_wrap_bytes(&s),
                               "%s, %zu limbs, square %u: %zu bytes, plans count %.0f", c.name, r, square, info.memory_bytes,
                               plan_wrap_bytes(&s));
            }
        product_ctx_destroy(&c);
    }
#endif
}

struct seen {
    double last;
    bool backwards;
    unsigned calls, stop_at;
};

static int seen_progress(void *arg, double done)
{
    struct seen *s = arg;
    s->backwards = s->backwards || done < s->last || done > 1;
    s->last = done;
    return ++s->calls == s->stop_at;
}

/* Progress goes forward, and an end that is asked for comes. */
static void test_progress(void)
{
    const size_t n = 3000;
    mp_limb_t *a = test_alloc(n * sizeof *a), *z = test_alloc(2 * n * sizeof *z);
    unsigned calls = 2;
    operand_fill(a, n, OPERAND_RANDOM, 12, test_u64());
    for (unsigned stop = 0; stop < calls; stop++) {
        struct seen seen = {0, false, 0, stop};
        struct gfmul_options opt;
        struct gfmul_ctx *ctx;
        gfmul_options_init(&opt);
        opt.engine = GFMUL_ENGINE_CPU;
        opt.progress = seen_progress;
        opt.progress_arg = &seen;
        ctx = test_ctx(&opt);
        ctx->wrap = PLAN_WRAP_ALWAYS;
        const enum gfmul_status status = gfmul_sqr(ctx, z, a, n);
        /* how often it is called may depend on the time that it takes */
        TEST_CHECK_MSG(status == (stop && seen.calls == stop ? GFMUL_ERR_INTERRUPTED : GFMUL_OK), "status %d at call %u of %u",
                       (int)status, stop, calls);
        TEST_CHECK(stop != 1 || status == GFMUL_ERR_INTERRUPTED);
        TEST_CHECK(!seen.backwards && seen.calls > 0);
        calls = stop ? calls : seen.calls < 60 ? seen.calls : 60;
        gfmul_ctx_destroy(ctx);
    }
    free(z);
    free(a);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_from_ring);
    TEST_RUN(test_from_minus);
    TEST_RUN(test_special_rings);
    TEST_RUN(test_plans);
    TEST_RUN(test_memory);
    TEST_RUN(test_forced);
    TEST_RUN(test_error);
    TEST_RUN(test_edges);
    TEST_RUN(test_progress);
    return test_end();
}
