/* t-mul_short.c - products of up to 1000 limbs by every instruction set; where GMP, vectors and the convolution take turns. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "products.h"
#include "stages/stage_ops.h"

/* Every pair of sizes up to SHAPES_LIMBS; many pairs up to MANY_LIMBS. */
enum { SHAPES_LIMBS = 64, MANY_LIMBS = 1000, MOST_SETS = 16 };

/* Contexts of each instruction set of this machine, and of the best one without products of 52 bits or without ADX. */
static struct {
    struct gfmul_ctx *ctx;
    char disabled[128]; /* beside what the caller has disabled */
} sets[MOST_SETS];
static size_t n_sets;

static void set_add(const char *disabled)
{
    const char *given = getenv("GFMUL_DISABLE");
    char saved[256], list[512];
    TEST_CHECK(n_sets < MOST_SETS);
    snprintf(saved, sizeof saved, "%s", given ? given : "");
    snprintf(sets[n_sets].disabled, sizeof sets->disabled, "%s", disabled);
    snprintf(list, sizeof list, "%s%s%s", saved, *saved && *disabled ? "," : "", disabled);
    setenv("GFMUL_DISABLE", list, 1);
    sets[n_sets++].ctx = product_ctx_create(GFMUL_ENGINE_AUTO, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE).ctx;
    if (given)
        setenv("GFMUL_DISABLE", saved, 1);
    else
        unsetenv("GFMUL_DISABLE");
}

static void sets_make(void)
{
    char list[128] = "";
    for (size_t i = 0; isa_ops_list(i); i++) {
        set_add(list);
        if (i == 0) {
            set_add("ifma");
            set_add("adx");
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? "," : "", isa_ops_list(i)->name);
    }
}

static enum operand_kind any_kind(void)
{
    return test_u64() & 1 ? OPERAND_RANDOM : (enum operand_kind)test_below(OPERAND_KINDS);
}

static struct guard operand_guarded(size_t n, enum operand_kind kind, uint64_t seed, enum guard_side side)
{
    struct guard g = guard_create(n * sizeof(mp_limb_t), side);
    operand_fill(g.p, n, kind, 26, seed);
    guard_read_only(&g);
    return g;
}

/* shape_check - a * b in this order, all between guard pages on one side; a^2 if the sizes are equal. */
static void shape_check(struct gfmul_ctx *ctx, const char *disabled, size_t an, size_t bn, enum guard_side side)
{
    const enum operand_kind ak = any_kind(), bk = any_kind();
    const uint64_t a_seed = test_u64(), b_seed = test_u64();
    struct guard a = operand_guarded(an, ak, a_seed, side), b = operand_guarded(bn, bk, b_seed, side);
    mp_limb_t want[2 * SHAPES_LIMBS];
    for (int way = 0; way < (an == bn ? 4 : 2); way++) {
        struct guard z = guard_create((an + bn) * sizeof(mp_limb_t), side);
        const mp_limb_t *second = way < 2 ? b.p : a.p;
        test_note("without '%s', way %d, an=%zu bn=%zu a %s/%" PRIu64 " b %s/%" PRIu64, disabled, way, an, bn, operand_name(ak),
                  a_seed, operand_name(bk), b_seed);
        if (an >= bn)
            mpn_mul(want, a.p, (mp_size_t)an, second, (mp_size_t)bn);
        else
            mpn_mul(want, second, (mp_size_t)bn, a.p, (mp_size_t)an);
        if (way == 3)
            TEST_OK(gfmul_sqr(ctx, z.p, a.p, an));
        else if (way == 1)
            TEST_OK(gfmul_mul_inline(ctx, z.p, a.p, an, second, bn));
        else
            TEST_OK(gfmul_mul(ctx, z.p, a.p, an, second, bn));
        test_equal_limbs(z.p, want, an + bn);
        TEST_CHECK_MSG(guard_intact(&z), "written beside z");
        guard_destroy(&z);
    }
    guard_destroy(&b);
    guard_destroy(&a);
}

static void test_shapes(void)
{
    for (size_t i = 0; i < n_sets; i++)
        for (size_t an = 1; an <= SHAPES_LIMBS; an++)
            for (size_t bn = 1; bn <= SHAPES_LIMBS; bn++)
                shape_check(sets[i].ctx, sets[i].disabled, an, bn, (an + bn + i) % 2 ? GUARD_AFTER : GUARD_BEFORE);
}

/* Random and adversarial products and squares, by each instruction set in turn. */
static void test_many(void)
{
    static mp_limb_t a[MANY_LIMBS], b[MANY_LIMBS], z[2 * MANY_LIMBS], want[2 * MANY_LIMBS];
    const size_t count = test_tier(6000, 250000, 100000000);
    for (size_t i = 0; i < count; i++) {
        struct gfmul_ctx *const ctx = sets[i % n_sets].ctx;
        const bool square = test_below(4) == 0;
        const size_t an = test_size(1, MANY_LIMBS), bn = square ? an : test_between(an / 8 + 1, an);
        const enum operand_kind ak = any_kind(), bk = any_kind();
        const uint64_t a_seed = test_u64(), b_seed = test_u64();
        test_note("without '%s', %s, an=%zu bn=%zu a %s/%" PRIu64 " b %s/%" PRIu64, sets[i % n_sets].disabled,
                  square ? "square" : "product", an, bn, operand_name(ak), a_seed, operand_name(bk), b_seed);
        operand_fill(a, an, ak, 26, a_seed);
        if (square) {
            mpn_sqr(want, a, (mp_size_t)an);
            TEST_OK(gfmul_sqr(ctx, z, a, an));
        } else {
            operand_fill(b, bn, bk, 26, b_seed);
            mpn_mul(want, a, (mp_size_t)an, b, (mp_size_t)bn);
            TEST_OK(i % 2 ? gfmul_mul(ctx, z, a, an, b, bn) : gfmul_mul(ctx, z, b, bn, a, an));
        }
        test_equal_limbs(z, want, an + bn);
    }
    printf("%zu products and squares by %zu sets of instructions\n", count, n_sets);
}

/* crossover_check - the last product was made by this engine. */
static void crossover_check(struct gfmul_ctx *ctx, const char *engine, size_t n, const char *function)
{
    struct gfmul_report report;
    gfmul_ctx_report(ctx, &report);
    TEST_CHECK_MSG(strcmp(report.plan.engine, engine) == 0, "%s of %zu limbs: engine %s, planned %s", function, n,
                   report.plan.engine, engine);
}

/* crossover_products - a product and a square of n limbs by each function: the engine that is planned, and GMP's limbs. */
static void crossover_products(struct gfmul_ctx *ctx, size_t n)
{
    struct gfmul_plan_info info;
    mpz_t a, b, z, want;
    mpz_inits(a, b, z, want, NULL);
    operand_fill(mpz_limbs_write(a, (mp_size_t)n), n, OPERAND_TOP_BIT, 13, test_u64());
    operand_fill(mpz_limbs_write(b, (mp_size_t)n), n, OPERAND_TOP_BIT, 13, test_u64());
    mpz_limbs_finish(a, (mp_size_t)n);
    mpz_limbs_finish(b, -(mp_size_t)n);
    mpz_mul(want, a, b);
    mp_limb_t *product = mpz_limbs_write(z, 2 * (mp_size_t)n);
    TEST_OK(gfmul_plan_limbs(ctx, &info, n, n));
    TEST_OK(gfmul_mul(ctx, product, mpz_limbs_read(a), n, mpz_limbs_read(b), n));
    crossover_check(ctx, info.engine, n, "gfmul_mul");
    mpz_limbs_finish(z, -2 * (mp_size_t)n);
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_set_ui(z, 0);
    TEST_OK(gfmul_mpz_mul(ctx, z, a, b));
    crossover_check(ctx, info.engine, n, "gfmul_mpz_mul");
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_set(z, a);
    TEST_OK(gfmul_mpz_mul(ctx, z, z, b)); /* in place */
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_set(z, b);
    TEST_OK(gfmul_mpz_mul(ctx, z, a, z));
    TEST_CHECK(mpz_cmp(z, want) == 0);
    TEST_OK(gfmul_plan_limbs_sqr(ctx, &info, n));
    mpz_mul(want, b, b);
    TEST_OK(gfmul_mpz_mul(ctx, b, b, b));
    crossover_check(ctx, info.engine, n, "gfmul_mpz_mul, a square");
    TEST_CHECK(mpz_cmp(b, want) == 0);
    mpz_mul(want, a, a);
    product = mpz_limbs_write(z, 2 * (mp_size_t)n);
    TEST_OK(gfmul_sqr(ctx, product, mpz_limbs_read(a), n));
    crossover_check(ctx, info.engine, n, "gfmul_sqr");
    mpz_limbs_finish(z, 2 * (mp_size_t)n);
    TEST_CHECK(mpz_cmp(z, want) == 0);
    mpz_clears(a, b, z, want, NULL);
}

/* The sizes at which another engine takes a product, of two numbers or a square, and those before. */
static void test_crossover(void)
{
    enum { END = 1 << 16 };
    struct product_ctx c = product_ctx_create(GFMUL_ENGINE_AUTO, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    struct gfmul_ctx *ctx = c.ctx;
    for (int square = 0; square < 2; square++) {
        struct gfmul_plan_info info = {.engine = "gmp"};
        for (size_t n = 1; n < END && strcmp(info.engine, "cpu") != 0; n++) {
            const char *before = info.engine;
            TEST_OK(square ? gfmul_plan_limbs_sqr(ctx, &info, n) : gfmul_plan_limbs(ctx, &info, n, n));
            if (strcmp(info.engine, before) == 0)
                continue;
            if (n > 1)
                crossover_products(ctx, n - 1);
            crossover_products(ctx, n);
        }
    }
    product_ctx_destroy(&c);
}

/* mpz_t of so few limbs that their fields are used, and their neighbours: apart with room, a square, in place. */
static void test_mpz_short(void)
{
    enum { MOST_SHORT = 18, ROUNDS = 40 };
    struct gfmul_ctx *ctx;
    mpz_t v[2], z, want;
    ctx = test_ctx(NULL);
    mpz_inits(v[0], v[1], want, NULL);
    mpz_init2(z, 64 * 2 * MOST_SHORT);
    for (unsigned i = 0; i < MOST_SHORT * MOST_SHORT * ROUNDS; i++) {
        const size_t n[2] = {i % MOST_SHORT + 1, i / MOST_SHORT % MOST_SHORT + 1};
        const bool ones = test_below(4) == 0;
        for (int k = 0; k < 2; k++) {
            mp_limb_t limbs[MOST_SHORT];
            for (size_t j = 0; j < n[k]; j++)
                limbs[j] = ones || test_below(4) == 0 ? ~(mp_limb_t)0 : test_u64() | 1;
            mpz_import(v[k], n[k], -1, sizeof *limbs, 0, 0, limbs);
            if (test_below(2))
                mpz_neg(v[k], v[k]);
        }
        test_note("an=%zu bn=%zu, round %u", n[0], n[1], i);
        mpz_mul(want, v[0], v[0]);
        TEST_OK(gfmul_mpz_mul(ctx, z, v[0], v[0]));
        TEST_CHECK(mpz_cmp(z, want) == 0);
        mpz_mul(want, v[0], v[1]);
        TEST_OK(gfmul_mpz_mul(ctx, z, v[0], v[1]));
        TEST_CHECK(mpz_cmp(z, want) == 0);
        mpz_ptr place = v[test_below(2)];
        TEST_OK(gfmul_mpz_mul(ctx, place, v[0], v[1]));
        TEST_CHECK(mpz_cmp(place, want) == 0);
    }
    mpz_clears(v[0], v[1], z, want, NULL);
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    sets_make();
    TEST_RUN(test_shapes);
    TEST_RUN(test_many);
    TEST_RUN(test_crossover);
    for (size_t i = 0; i < n_sets; i++)
        gfmul_ctx_destroy(sets[i].ctx);
    TEST_RUN(test_mpz_short);
    return test_end();
}
