/*
 * t-memory_limit.c - with more memory allowed a call that succeeded goes on to succeed, whatever it holds besides its plan.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "operands.h"
#include "test.h"

enum { LIMBS = 100000, DIGITS = 1000000, LINE = 80, STEPS = 48 };

/* A call to be made under a limit. */
struct work {
    const char *name;
    enum gfmul_status (*call)(struct gfmul_ctx *ctx, const struct work *w);
    mpz_t a, b;
    char *x, *y, *product;
    size_t xn, yn, room;
    int base;
};

static enum gfmul_status by_integers(struct gfmul_ctx *ctx, const struct work *w)
{
    mpz_t z;
    mpz_init(z);
    const enum gfmul_status status = gfmul_mpz_mul(ctx, z, w->a, w->b);
    mpz_clear(z);
    return status;
}

static enum gfmul_status by_text(struct gfmul_ctx *ctx, const struct work *w)
{
    return gfmul_str_mul(ctx, w->product, w->room, NULL, w->base, w->x, w->xn, w->base, w->y, w->yn, w->base);
}

static struct gfmul_ctx *ctx_limited(size_t limit)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.threads = 1;
    opt.memory_limit = limit;
    if (!TEST_OK(gfmul_ctx_create(&ctx, &opt)))
        exit(1);
    return ctx;
}

static enum gfmul_status status_under(const struct work *w, size_t limit)
{
    struct gfmul_ctx *ctx = ctx_limited(limit);
    const enum gfmul_status status = w->call(ctx, w);
    gfmul_ctx_destroy(ctx);
    return status;
}

/* From the least limit that will do to twice that of any plan. */
static void sweep(const struct work *w, size_t most)
{
    size_t low = 0, high = most;
    test_note("%s, limit %zu", w->name, most);
    if (!TEST_OK(status_under(w, most)))
        return;
    while (high - low > most / 512) {
        const size_t limit = low + (high - low) / 2;
        const enum gfmul_status status = status_under(w, limit);
        test_note("%s, limit %zu", w->name, limit);
        TEST_CHECK_MSG(status == GFMUL_OK || status == GFMUL_ERR_MEMORY, "status %d", status);
        *(status == GFMUL_OK ? &high : &low) = limit;
    }
    const size_t least = high;
    TEST_CHECK_MSG(least > most / 64, "%zu bytes are too few for any plan", least);
    for (unsigned i = 0; i <= STEPS; i++) {
        const size_t limit = least + (most - least) / STEPS * i;
        test_note("%s, limit %zu, the least %zu", w->name, limit, least);
        TEST_OK(status_under(w, limit));
    }
}

static void test_integers(void)
{
    struct work w = {.name = "integers", .call = by_integers};
    mpz_inits(w.a, w.b, NULL);
    operand_fill(mpz_limbs_write(w.a, LIMBS), LIMBS, OPERAND_TOP_BIT, 13, test_u64());
    mpz_limbs_finish(w.a, LIMBS);
    operand_fill(mpz_limbs_write(w.b, LIMBS - 7), LIMBS - 7, OPERAND_TOP_BIT, 13, test_u64());
    mpz_limbs_finish(w.b, LIMBS - 7);
    sweep(&w, (size_t)LIMBS * 64 * 6);
    mpz_clears(w.a, w.b, NULL);
}

/* text_in_lines - digits in lines of LINE, which text_scan has to copy; returns its length. */
static size_t text_in_lines(char *x, unsigned base)
{
    char *digits = test_alloc(DIGITS);
    size_t n = 0;
    text_fill(digits, DIGITS, TEXT_RANDOM, base, 1, test_u64());
    for (size_t i = 0; i < DIGITS; i++) {
        x[n++] = digits[i];
        if (i % LINE == LINE - 1)
            x[n++] = '\n';
    }
    free(digits);
    return n;
}

static void test_text(void)
{
    static const int bases[] = {10, 16};
    struct work w = {.call = by_text, .room = 2 * DIGITS + 2};
    w.x = test_alloc(DIGITS + DIGITS / LINE + 1);
    w.y = test_alloc(DIGITS + DIGITS / LINE + 1);
    w.product = test_alloc(w.room);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        w.base = bases[i];
        w.name = w.base == 10 ? "decimal text" : "hexadecimal text";
        w.xn = text_in_lines(w.x, (unsigned)w.base);
        w.yn = text_in_lines(w.y, (unsigned)w.base);
        sweep(&w, (size_t)DIGITS * 64);
    }
    free(w.x);
    free(w.y);
    free(w.product);
}

/* What is copied before anything is planned counts, too. */
static void test_lines_alone(void)
{
    struct work w = {.call = by_text, .room = 2 * DIGITS + 2, .base = 10, .name = "lines"};
    static char zero[] = "0";
    w.x = test_alloc(DIGITS + DIGITS / LINE + 1);
    w.product = test_alloc(w.room);
    w.xn = text_in_lines(w.x, 10);
    w.y = zero;
    w.yn = 1;
    TEST_CHECK(status_under(&w, DIGITS / 2) == GFMUL_ERR_MEMORY);
    TEST_CHECK(status_under(&w, DIGITS * 2) == GFMUL_OK);
    free(w.x);
    free(w.product);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_integers);
    TEST_RUN(test_text);
    TEST_RUN(test_lines_alone);
    return test_end();
}
