/*
 * t-stack.c - how much stack calls take: of a thread that has no more than the contract says, and of the library's own.
 *
 * The stack is filled with a pattern, and the deepest byte that changed is looked for.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <pthread.h>
#include <sys/mman.h>

#include "mul/ctx.h"
#include "contexts.h"
#include "operands.h"
#include "test.h"

enum { STACK = 1 << 20, GUARD = 1 << 16, FILL = 0x5a, LIMBS = 40000, DIGITS = 150000 };
enum { PROMISED = 96 << 10 }; /* gfmul.h */

static mp_limb_t a[LIMBS], b[LIMBS], z[2 * LIMBS];
static char text[2][DIGITS], product[8 * DIGITS + 2];

/* Something that a thread does on a stack of so many bytes. */
struct trial {
    void (*run)(struct trial *t);
    struct gfmul_ctx *ctx;
    int a_base, z_base;
    bool all; /* sizes and bases; else a third of them */
    char *low; /* of its stack */
    size_t bytes, deepest;
    char at[100]; /* what went deepest */
};

/* look - how deep it went, once it has come back. */
static void look(struct trial *t, const char *what, size_t x, size_t y)
{
    const char *p = t->low;
    while (*p == FILL)
        p++;
    const size_t depth = t->bytes - (size_t)(p - t->low);
    if (depth > t->deepest) {
        t->deepest = depth;
        snprintf(t->at, sizeof t->at, "%s %zu, %zu", what, x, y);
    }
}

static void *thread_run(void *arg)
{
    struct trial *t = arg;
    t->run(t);
    return NULL;
}

/* depth_of - bytes that t->run takes, the thread's own share included; a stack that is too short stops the program. */
static size_t depth_of(struct trial *t, size_t bytes)
{
    pthread_attr_t attr;
    pthread_t thread;
    char *map = mmap(NULL, bytes + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!TEST_CHECK(map != MAP_FAILED && mprotect(map, GUARD, PROT_NONE) == 0))
        return 0;
    t->low = map + GUARD;
    t->bytes = bytes;
    t->deepest = 0;
    memset(t->low, FILL, bytes);
    pthread_attr_init(&attr);
    if (TEST_CHECK(pthread_attr_setstack(&attr, t->low, bytes) == 0 && pthread_create(&thread, &attr, thread_run, t) == 0))
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    munmap(map, bytes + GUARD);
    return t->deepest;
}

static void limbs(struct trial *t)
{
    const size_t n_step = t->all ? 3 : 5, m_step = t->all ? 2 : 4;
    for (size_t n = 30; n <= LIMBS; n = n * n_step / 2 + 1)
        for (size_t m = 20; m <= n; m = m * m_step + 1) {
            TEST_OK(gfmul_mul(t->ctx, z, a, n, b, m));
            look(t, "limbs", n, m);
        }
    TEST_OK(gfmul_sqr(t->ctx, z, a, LIMBS));
    look(t, "square", LIMBS, LIMBS);
}

static void texts(struct trial *t)
{
    static const size_t sizes[] = {30, 700, 5000, 30000, DIGITS};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i], len;
        TEST_OK(gfmul_str_mul(t->ctx, product, sizeof product, &len, t->z_base, text[0], n, t->a_base, text[1], n, t->a_base));
        look(t, "digits", n, n);
    }
}

static void fixed(struct trial *t)
{
    struct gfmul_operand *op;
    TEST_OK(gfmul_operand_create(t->ctx, &op, b, LIMBS, LIMBS));
    TEST_OK(gfmul_operand_mul(op, z, a, LIMBS));
    look(t, "fixed operand", LIMBS, LIMBS);
    gfmul_operand_destroy(op);
}

static void plans(struct trial *t)
{
    struct gfmul_plan_info info;
    char line[4000];
    TEST_OK(gfmul_plan_limbs(t->ctx, &info, LIMBS, LIMBS));
    gfmul_plan_print(&info, line, sizeof line);
    look(t, "plan", LIMBS, LIMBS);
}

/* Contexts of all kinds that differ in what runs. */
struct kind {
    const char *name;
    enum gfmul_engine engine;
    enum gfmul_rule rule;
    enum gfmul_precision precision;
    enum gfmul_packing packing;
    enum gfmul_verify verify;
    int certify;
};

static const struct kind kinds[] = {
    {.name = "default"},
    {.name = "engine cpu", .engine = GFMUL_ENGINE_CPU},
    {.name = "double-double", .engine = GFMUL_ENGINE_CPU, .precision = GFMUL_PRECISION_DD},
    {.name = "rule knuth", .engine = GFMUL_ENGINE_CPU, .rule = GFMUL_RULE_KNUTH},
    {.name = "rule checked", .engine = GFMUL_ENGINE_CPU, .rule = GFMUL_RULE_CHECKED},
    {.name = "primes", .engine = GFMUL_ENGINE_CPU, .precision = GFMUL_PRECISION_PRIME},
    {.name = "two-for-one", .engine = GFMUL_ENGINE_CPU, .packing = GFMUL_PACKING_TWO_FOR_ONE},
    {.name = "one-for-half", .engine = GFMUL_ENGINE_CPU, .packing = GFMUL_PACKING_ONE_FOR_HALF},
    {.name = "engine gmp", .engine = GFMUL_ENGINE_GMP},
    {.name = "engine fftw", .engine = GFMUL_ENGINE_FFTW},
    {.name = "verify gmp", .verify = GFMUL_VERIFY_GMP},
    {.name = "certificates", .certify = 1},
};

/* kind_depth - the most that calls of a kind take on a stack of so many bytes. */
static size_t kind_depth(const struct kind *kind, size_t bytes, bool here)
{
    static const int pairs[][2] = {{10, 10}, {10, 16}, {10, 7}, {16, 10}, {3, 36}, {36, 36}, {16, 2}};
    void (*const runs[])(struct trial *) = {limbs, fixed, plans};
    struct trial t = {.all = kind == kinds || kind->engine == GFMUL_ENGINE_GMP || test_level() > 0}; /* GMP goes deepest */
    size_t most = 0;
    char at[100] = "";
    if (kind->engine != GFMUL_ENGINE_AUTO && !gfmul_has_engine(kind->engine))
        return 0;
    t.ctx = TEST_CTX(.device = "cpu", .threads = 1, .engine = kind->engine, .rule = kind->rule, .precision = kind->precision,
                     .packing = kind->packing, .verify = kind->verify, .certify = kind->certify);
    if (here)
        t.ctx->stack_least = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs + sizeof pairs / sizeof *pairs; i++) {
        const size_t pair = i - sizeof runs / sizeof *runs;
        t.run = i < sizeof runs / sizeof *runs ? runs[i] : texts;
        if (t.run == texts && !t.all && (pair + (size_t)(kind - kinds)) % 3 != 0) /* the next kind takes others */
            continue;
        if (t.run == texts) {
            t.a_base = pairs[pair][0];
            t.z_base = pairs[pair][1];
            for (unsigned k = 0; k < 2; k++)
                for (size_t j = 0; j < DIGITS; j++)
                    text[k][j] = "123456789abcdefghijklmnopqrstuvwxyz"[test_below((uint64_t)t.a_base - 1)];
        }
        test_note("%s, bases %d to %d, %zu bytes", kind->name, t.a_base, t.z_base, bytes);
        if (depth_of(&t, bytes) > most) {
            most = t.deepest;
            snprintf(at, sizeof at, "%.60s, bases %d to %d", t.at, t.a_base, t.z_base);
        }
    }
    gfmul_ctx_destroy(t.ctx);
    printf("%s: %zu bytes at most, %s\n", kind->name, most, at);
    return most;
}

/* On a thread with much stack all runs there, and takes no more than what the library makes sure of. */
static void test_depth(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        TEST_CHECK(kind_depth(&kinds[i], STACK, true) < CALL_STACK_BYTES);
}

/* On a thread with what the contract asks for, every call is right. */
static void test_promise(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        TEST_CHECK(kind_depth(&kinds[i], PROMISED, false) < PROMISED);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    operand_fill(a, LIMBS, OPERAND_RANDOM, 13, test_u64());
    operand_fill(b, LIMBS, OPERAND_RANDOM, 13, test_u64());
    TEST_RUN(test_depth);
    TEST_RUN(test_promise);
    return test_end();
}
