/* t-space_matrix.c - large matrices of spectra: how their blocks are made, with zeros, with little memory, and stopped. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "spaces.h"

enum { MOST = 33 * 128 }; /* entries */

/* ---- what blocks are made of ---- */

/* Calls of spectra_sums_fused under contexts that noted() has changed. */
static struct {
    const struct stage_ops *real;
    size_t grids, lists, zeros; /* zeros: in grids */
    size_t rows, columns, n;    /* the largest grid's; sums at once, at most */
    const unsigned *calls;      /* of the progress callback, or NULL .. */
    unsigned calls_before;      /* .. before the first sums */
} noted;

static void noting_sums(const struct plan *plan, const struct spectra_sum *sum, size_t n, const struct spectra_grid *grid,
                        unsigned threads)
{
    if (noted.calls && noted.grids + noted.lists == 0)
        noted.calls_before = *noted.calls;
    noted.n = n > noted.n ? n : noted.n;
    noted.lists += !grid && n > 1;
    noted.grids += grid != NULL;
    for (size_t i = 0; grid && i < grid->rows * grid->n; i++)
        noted.zeros += !grid->a[i].x;
    for (size_t i = 0; grid && i < grid->columns * grid->n; i++)
        noted.zeros += !grid->b[i].x;
    if (grid && grid->rows * grid->columns > noted.rows * noted.columns) {
        noted.rows = grid->rows;
        noted.columns = grid->columns;
    }
    noted.real->spectra_sums_fused(plan, sum, n, grid, threads);
}

/* notes_begin - before the context's first call.  Numbers of LEAST_LIMBS have transforms on every machine. */
enum { LEAST_LIMBS = 60 };
static void notes_begin(struct gfmul_ctx *ctx)
{
    static struct isa_ops ops;
    static struct stage_ops stages;
    memset(&noted, 0, sizeof noted);
    ops = *ctx->ops;
    noted.real = ops.stages[PLAN_DOUBLE][0];
    stages = *noted.real;
    stages.spectra_sums_fused = noting_sums;
    ops.stages[PLAN_DOUBLE][0] = &stages;
    ctx->ops = &ops;
    ctx->planned_kept_limbs = LEAST_LIMBS;
}

/* ---- matrices ---- */

/*
 * Zeros of ENTRIES_LINES are whole rows of the first matrix and columns of the second one, and columns of the first one.  Factors
 * of ENTRIES_SHORT have transforms, but not beside each other, because such products are too short.
 */
enum entries {
    ENTRIES_PLUS,
    ENTRIES_MINUS,
    ENTRIES_SIGNS,
    ENTRIES_ZEROS,
    ENTRIES_LINES,
    ENTRIES_FEW,
    ENTRIES_SHORT,
    ENTRIES_KINDS
};

/* A product of matrices, and its factors by GMP. */
static struct matrix {
    struct gfmul_space *space;
    size_t rows, inner, columns, limbs;
    struct gfmul_spectrum *x[MOST], *y[MOST], *z[MOST];
    mpz_t a[MOST], b[MOST];
} m;

/* limbs_draw - limbs of an entry. */
static size_t limbs_draw(enum entries entries, bool second, size_t row, size_t column)
{
    bool zero = false;
    if (entries == ENTRIES_ZEROS)
        zero = test_below(10) == 0 || (row == 1 && column == 2);
    else if (entries == ENTRIES_LINES)
        zero = (second ? column : row) % 7 == 3 || (!second && column == 5);
    else if (entries == ENTRIES_FEW)
        zero = test_below(10) > 2;
    else if (entries == ENTRIES_SHORT && test_below(3) == 0)
        return LEAST_LIMBS;
    return zero ? 0 : m.limbs;
}

static bool negative_draw(enum entries entries, bool second)
{
    return entries == ENTRIES_MINUS ? !second : entries != ENTRIES_PLUS && test_below(2) == 1;
}

/* matrix_make - most in: products that a sum may have */
static void matrix_make(struct gfmul_ctx *ctx, enum entries entries, size_t most)
{
    const size_t rows = m.rows, inner = m.inner, columns = m.columns;
    test_note("entries %d, %zu x %zu x %zu, %zu limbs, sums of %zu", (int)entries, rows, inner, columns, m.limbs, most);
    if (!TEST_OK(gfmul_space_create(ctx, &m.space, 2 * m.limbs + 1, most)))
        exit(1);
    for (size_t e = 0; e < rows * inner + inner * columns; e++) {
        const bool second = e >= rows * inner;
        const size_t i = second ? e - rows * inner : e, width = second ? columns : inner;
        mpz_ptr v = second ? m.b[i] : m.a[i];
        struct gfmul_spectrum **x = second ? &m.y[i] : &m.x[i];
        const mp_size_t n = (mp_size_t)limbs_draw(entries, second, i / width, i % width);
        mpz_init(v);
        if (n > 0)
            operand_fill(mpz_limbs_write(v, n), (size_t)n, OPERAND_RANDOM, 16, test_u64());
        mpz_limbs_finish(v, negative_draw(entries, second) ? -n : n);
        TEST_OK(gfmul_spectrum_create(m.space, x));
        TEST_OK(gfmul_spectrum_set_mpz(*x, v));
    }
    for (size_t e = 0; e < rows * columns; e++)
        TEST_OK(gfmul_spectrum_create(m.space, &m.z[e]));
}

/* matrix_check - all entries, by GMP. */
static void matrix_check(void)
{
    mpz_t want, got;
    mpz_inits(want, got, NULL);
    for (size_t e = 0; e < m.rows * m.columns; e++) {
        mpz_set_ui(want, 0);
        for (size_t k = 0; k < m.inner; k++)
            mpz_addmul(want, m.a[e / m.columns * m.inner + k], m.b[k * m.columns + e % m.columns]);
        TEST_OK(gfmul_spectrum_get_mpz(m.z[e], got));
        TEST_CHECK_MSG(mpz_cmp(got, want) == 0, "entry %zu", e);
    }
    mpz_clears(want, got, NULL);
}

static void matrix_free(void)
{
    for (size_t i = 0; i < m.rows * m.inner; i++) {
        mpz_clear(m.a[i]);
        gfmul_spectrum_destroy(m.x[i]);
    }
    for (size_t i = 0; i < m.inner * m.columns; i++) {
        mpz_clear(m.b[i]);
        gfmul_spectrum_destroy(m.y[i]);
    }
    for (size_t e = 0; e < m.rows * m.columns; e++)
        gfmul_spectrum_destroy(m.z[e]);
    gfmul_space_destroy(m.space);
}

/* matrix_product - make one in a context of its own, and check it. */
static void matrix_product(enum entries entries, unsigned threads, size_t most)
{
    struct product_ctx c = space_ctx_create(false, threads);
    notes_begin(c.ctx);
    matrix_make(c.ctx, entries, most);
    TEST_OK(gfmul_spectrum_matmul(m.z, m.x, m.y, m.rows, m.inner, m.columns));
    matrix_check();
    matrix_free();
    product_ctx_destroy(&c);
}

static void matrix_size(size_t rows, size_t inner, size_t columns, size_t limbs)
{
    m.rows = rows;
    m.inner = inner;
    m.columns = columns;
    m.limbs = limbs;
}

/* Blocks of up to 17 x 17 entries, of more products than one panel has. */
static void test_blocks(void)
{
    for (unsigned e = 0; e < ENTRIES_KINDS; e++)
        for (unsigned i = 0; i < test_tier(3, 10, 50); i++) {
            /* two short factors of a long space make a product that is short, beside others that are long */
            const size_t limbs = e == ENTRIES_SHORT ? test_between(500, 700) : test_between(LEAST_LIMBS, 500);
            matrix_size(test_between(2, 17), test_between(9, 35), test_between(2, 17), limbs);
            matrix_product(e, 1 + (e + i + (unsigned)test_below(2)) % 5, m.inner);
            if (e < ENTRIES_ZEROS)
                TEST_CHECK(noted.grids > 0 && noted.zeros == 0);
        }
}

/* Blocks of 32 x 32 entries, and what is left at their edges. */
static void test_large_blocks(void)
{
    static const enum entries kinds[] = {ENTRIES_SIGNS, ENTRIES_ZEROS};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        matrix_size(33, 126, 33, LEAST_LIMBS);
        matrix_product(kinds[i], 1 + (unsigned)test_below(3), m.inner);
        TEST_CHECK_MSG(noted.rows == 32 && noted.columns == 32 && (noted.zeros > 0) == (kinds[i] == ENTRIES_ZEROS),
                       "%zu x %zu entries at most, %zu zeros", noted.rows, noted.columns, noted.zeros);
    }
}

/* Most factors are 0: the products that are left are in lists. */
static void test_few(void)
{
    matrix_size(8, 100, 8, LEAST_LIMBS);
    matrix_product(ENTRIES_FEW, 1, m.inner);
    TEST_CHECK_MSG(noted.grids == 0 && noted.lists > 0, "%zu grids, %zu lists", noted.grids, noted.lists);
}

/* More products than a sum may have: each time all entries have the same ones, whichever are zero. */
static void test_many(void)
{
    for (size_t most = 17; most < 20; most++) {
        matrix_size(6, 50, 7, LEAST_LIMBS);
        matrix_product(ENTRIES_ZEROS, 1, most);
        TEST_CHECK_MSG(noted.grids == 3 && noted.lists == 0, "%zu grids, %zu lists", noted.grids, noted.lists);
    }
}

/* ---- little memory ---- */

/* With less and less memory blocks become smaller, until a single entry has none. */
static void test_memory(void)
{
    enum { LIMBS = 256 };
    unsigned whole = 0, parts = 0;
    enum gfmul_status status = GFMUL_OK;
    for (size_t limit = (size_t)64 << 20; status == GFMUL_OK && limit > 1 << 20; limit -= limit / 32) {
        struct gfmul_ctx *ctx = ctx_limited(limit, GFMUL_VERIFY_MOD);
        notes_begin(ctx);
        matrix_size(8, 20, 8, LIMBS);
        matrix_make(ctx, ENTRIES_SIGNS, m.inner);
        test_note("limit %zu", limit);
        status = gfmul_spectrum_matmul(m.z, m.x, m.y, m.rows, m.inner, m.columns);
        TEST_CHECK_MSG(status == GFMUL_OK || status == GFMUL_ERR_MEMORY, "status %d", (int)status);
        TEST_CHECK(gfmul_space_bytes(m.space) <= limit);
        whole += noted.n == 64;
        parts += noted.n > 1 && noted.n < 64;
        if (status == GFMUL_OK)
            matrix_check();
        matrix_free();
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK_MSG(whole > 0 && parts > 0 && status == GFMUL_ERR_MEMORY, "%u in one block, %u in smaller ones", whole, parts);
}

/* ---- callbacks ---- */

/* Many products of two numbers: the callback runs while they are noted, not only in transforms, and can stop the call there. */
static void test_callback(void)
{
    enum { INNER = 5000, EDGE = 8, LIMBS = 100, NOTES = 265 };
    static struct gfmul_spectrum *x[EDGE * INNER], *y[EDGE * INNER];
    mpz_t got;
    mpz_init(got);
    for (unsigned at = 0; at < 5; at++) {
        struct stop stop = {.at = 0};
        struct gfmul_ctx *const ctx = ctx_stopped_by(&stop, false);
        notes_begin(ctx);
        matrix_size(EDGE, 1, EDGE, LIMBS);
        matrix_make(ctx, ENTRIES_PLUS, INNER);
        for (size_t e = 0; e < EDGE * INNER; e++) {
            x[e] = m.x[0];
            y[e] = m.y[0];
        }
        stop = (struct stop){.at = at == 4 ? (unsigned)test_between(1, NOTES) : at * (NOTES / 4)};
        noted.calls = &stop.calls;
        const enum gfmul_status status = gfmul_spectrum_matmul(m.z, x, y, EDGE, INNER, EDGE);
        TEST_CHECK_MSG(status == (stop.at > 0 ? GFMUL_ERR_INTERRUPTED : GFMUL_OK), "status %d, stopped at call %u", (int)status,
                       stop.at);
        TEST_CHECK(!stop.falls);
        if (status == GFMUL_OK) {
            TEST_CHECK_MSG(noted.calls_before >= NOTES, "%u calls", noted.calls_before);
            TEST_OK(gfmul_spectrum_get_mpz(m.z[EDGE], got));
            mpz_mul(m.a[0], m.a[0], m.b[0]);
            mpz_mul_ui(m.a[0], m.a[0], INNER);
            TEST_CHECK(mpz_cmp(got, m.a[0]) == 0);
        }
        noted.calls = NULL;
        stop.at = 0;
        matrix_free();
        gfmul_ctx_destroy(ctx);
    }
    mpz_clear(got);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_blocks);
    TEST_RUN(test_large_blocks);
    TEST_RUN(test_few);
    TEST_RUN(test_many);
    TEST_RUN(test_memory);
    TEST_RUN(test_callback);
    return test_end();
}
