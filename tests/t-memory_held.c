/*
 * t-memory_held.c - calls that keep transforms hold no more than memory_limit allows, with the tables of their plans.
 *
 * The linker puts the functions of this file in place of the library's own (Makefile.am).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <pthread.h>

#include "base/alloc.h"
#include "gfmul_arith.h"
#include "products.h"

enum { LIMBS = 12000, MODULI = 48, BLOCKS = 1 << 12, STEPS = 6 };

/* ---- what the library holds ---- */

static struct block {
    void *p;
    size_t bytes;
} blocks[BLOCKS];
static size_t held, most;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *__real_alloc_aligned(size_t bytes);
void *__real_alloc_zeroed(size_t bytes);
void __real_alloc_free(void *p);
void *__wrap_alloc_aligned(size_t bytes);
void *__wrap_alloc_zeroed(size_t bytes);
void __wrap_alloc_free(void *p);

/* block_find - the place of a block; NULL: a free one. */
static struct block *block_find(const void *p)
{
    for (size_t i = 0; i < BLOCKS; i++)
        if (blocks[i].p == p)
            return &blocks[i];
    abort();
}

static void *counted(void *p, size_t bytes)
{
    if (!p)
        return NULL;
    pthread_mutex_lock(&lock);
    *block_find(NULL) = (struct block){p, bytes};
    held += bytes;
    most = held > most ? held : most;
    pthread_mutex_unlock(&lock);
    return p;
}

void *__wrap_alloc_aligned(size_t bytes)
{
    return counted(__real_alloc_aligned(bytes), bytes);
}

void *__wrap_alloc_zeroed(size_t bytes)
{
    return counted(__real_alloc_zeroed(bytes), bytes);
}

void __wrap_alloc_free(void *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&lock);
    struct block *const block = block_find(p);
    held -= block->bytes;
    *block = (struct block){NULL, 0};
    pthread_mutex_unlock(&lock);
    __real_alloc_free(p);
}

/* ---- calls ---- */

static mp_limb_t a[2 * LIMBS], d[LIMBS], z[3 * LIMBS], r[2 * LIMBS];
static mpz_t moduli[MODULI], rest[MODULI];
static char *text;

static enum gfmul_status by_quotient(struct gfmul_ctx *ctx)
{
    return gfmul_tdiv_qr(ctx, z, r, a, 2 * LIMBS, d, LIMBS);
}

static enum gfmul_status by_divisor(struct gfmul_ctx *ctx)
{
    struct gfmul_divisor *divisor;
    enum gfmul_status status = gfmul_divisor_create(ctx, &divisor, d, LIMBS, 2 * LIMBS);
    if (status == GFMUL_OK)
        status = gfmul_divisor_tdiv_qr(divisor, z, r, a, 2 * LIMBS);
    gfmul_divisor_destroy(divisor);
    return status;
}

static enum gfmul_status by_root(struct gfmul_ctx *ctx)
{
    return gfmul_sqrtrem(ctx, z, r, a, 2 * LIMBS);
}

static enum gfmul_status by_power(struct gfmul_ctx *ctx)
{
    const mp_limb_t e = 5;
    return gfmul_powm(ctx, z, a, LIMBS, &e, 1, d, LIMBS);
}

static enum gfmul_status by_tree(struct gfmul_ctx *ctx)
{
    struct gfmul_tree *tree;
    mpz_t x;
    enum gfmul_status status = gfmul_product_tree(ctx, &tree, moduli[0], MODULI);
    if (status == GFMUL_OK)
        status = gfmul_remainder_tree(tree, rest[0], mpz_roinit_n(x, a, 2 * LIMBS));
    gfmul_tree_destroy(tree);
    return status;
}

static enum gfmul_status by_gcd(struct gfmul_ctx *ctx)
{
    return gfmul_batch_gcd(ctx, rest[0], moduli[0], MODULI);
}

static enum gfmul_status to_text(struct gfmul_ctx *ctx)
{
    return gfmul_get_str(ctx, text, strlen(text) + 1, NULL, 10, a, LIMBS);
}

static enum gfmul_status from_text(struct gfmul_ctx *ctx)
{
    size_t zn;
    return gfmul_set_str(ctx, z, 3 * LIMBS, &zn, NULL, text, strlen(text), 10);
}

static enum gfmul_status by_operand(struct gfmul_ctx *ctx)
{
    struct gfmul_operand *op;
    enum gfmul_status status = gfmul_operand_create(ctx, &op, d, LIMBS, LIMBS);
    if (status == GFMUL_OK)
        status = gfmul_operand_mul(op, z, a, LIMBS);
    gfmul_operand_destroy(op);
    return status;
}

/* by_space - x y + u v. */
static enum gfmul_status by_space(struct gfmul_ctx *ctx)
{
    struct gfmul_space *space = NULL;
    struct gfmul_spectrum *x[5] = {NULL};
    enum gfmul_status status = gfmul_space_create(ctx, &space, 2 * LIMBS + 1, 4);
    for (size_t i = 0; i < 5 && status == GFMUL_OK; i++)
        status = gfmul_spectrum_create(space, &x[i]);
    for (size_t i = 0; i < 4 && status == GFMUL_OK; i++)
        status = gfmul_spectrum_set(x[i], a + i, LIMBS);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_dot(x[4], &x[0], &x[2], 2);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_get(x[4], z, 2 * LIMBS + 1, NULL);
    for (size_t i = 0; i < 5; i++)
        gfmul_spectrum_destroy(x[i]);
    gfmul_space_destroy(space);
    return status;
}

static const struct work {
    const char *name;
    enum gfmul_status (*call)(struct gfmul_ctx *ctx);
    unsigned threads;
} works[] = {{"quotient", by_quotient, 1}, {"divisor", by_divisor, 1}, {"root", by_root, 1},  {"power", by_power, 1},
             {"tree", by_tree, 1},         {"tree", by_tree, 8},       {"GCD", by_gcd, 8},    {"to text", to_text, 1},
             {"from text", from_text, 1},  {"operand", by_operand, 1}, {"space", by_space, 1}};

/* ---- the property ---- */

/* held_under - what a call in a new context holds at most.   status out: its own */
static size_t held_under(const struct work *w, size_t limit, enum gfmul_status *status)
{
    struct gfmul_ctx *ctx = TEST_CTX(.engine = GFMUL_ENGINE_CPU, .threads = w->threads, .rule = GFMUL_RULE_NORM,
                                     .memory_limit = limit, .verify = GFMUL_VERIFY_MOD);
    const size_t before = most = held;
    test_note("%s, %u threads, limit %zu", w->name, w->threads, limit);
    *status = w->call(ctx);
    const size_t rise = most - before;
    gfmul_ctx_destroy(ctx);
    TEST_CHECK_MSG(*status == GFMUL_OK || *status == GFMUL_ERR_MEMORY, "status %d", *status);
    return rise;
}

/* Near the least limit, where a plan's tables would show. */
static void test_limits(void)
{
    enum { PART = 32, OTHER = 1 << 16 }; /* gfmul.h: blocks may be a little larger; structures are not counted */
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        enum gfmul_status status;
        size_t low = 0, high = 2 * held_under(&works[i], 0, &status);
        for (unsigned k = 0; k <= STEPS; k++) {
            const size_t limit = k == 0 ? high : low + (high - low) / 2, rise = held_under(&works[i], limit, &status);
            if (k == 0)
                TEST_CHECK(status == GFMUL_OK);
            TEST_CHECK_MSG(rise <= limit + limit / PART + OTHER, "%zu bytes are held, %zu are allowed", rise, limit);
            *(status == GFMUL_OK ? &high : &low) = limit;
        }
    }
}

int main(int argc, char **argv)
{
    mpz_t x;
    test_begin(argc, argv);
    operand_fill(a, 2 * LIMBS, OPERAND_TOP_BIT, 13, test_u64());
    operand_fill(d, LIMBS, OPERAND_TOP_BIT, 13, test_u64());
    for (size_t i = 0; i < MODULI; i++) {
        mpz_init(moduli[i]);
        mpz_init(rest[i]);
        mpz_import(moduli[i], LIMBS / MODULI, -1, sizeof *d, 0, 0, d + i * (LIMBS / MODULI));
        mpz_setbit(moduli[i], 0);
    }
    text = mpz_get_str(NULL, 10, mpz_roinit_n(x, a, LIMBS));
    TEST_RUN(test_limits);
    for (size_t i = 0; i < MODULI; i++)
        mpz_clears(moduli[i], rest[i], NULL);
    free(text);
    return test_end();
}
