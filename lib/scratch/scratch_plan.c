/*
 * scratch_plan.c - the transform of a product in files, and what it needs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "scratch/scratch.h"

/*
 * Coefficients: at most min(an, bn) (X - 1)^2 for operands of an and bn coefficients below X = 10^k, or 256^k of binary numbers;
 * below 2^WORD_PRIMES_BITS.
 */
enum { DIGITS_MOST = 24, DIGITS_LEAST = 22, BYTES_MOST = 10, BYTES_LEAST = 9 };

enum {
    LEVELS_MIN = 10,       /* of a row */
    BLOCK_MOST = 1 << 20,  /* points */
    RING_TABLE_BYTES = 20, /* a point of a row: prime_ring.c, for vectors of any width, its scratch included */
    RESIDUE_BYTES = WORD_PRIMES * sizeof(uint64_t),
};

static uint64_t coefficients(uint64_t digits, unsigned k)
{
    return (digits - 1) / k + 1;
}

/* digits_choose - the largest k whose coefficients the primes determine; 0: none. */
static unsigned digits_choose(const uint64_t *digits, bool binary)
{
    const uint64_t fewer = digits[0] < digits[1] ? digits[0] : digits[1];
    const unsigned most = binary ? BYTES_MOST : DIGITS_MOST, least = binary ? BYTES_LEAST : DIGITS_LEAST;
    for (unsigned k = most; k >= least; k--)
        if (log2((double)coefficients(fewer, k)) + 2 * k * (binary ? 8 : log2(10)) < WORD_PRIMES_BITS)
            return k;
    return 0;
}

/* layout_set - cut n = odd 2^e points into rows of 2^levels.  false: blocks would be too small. */
static bool layout_set(struct scratch_plan *plan, const struct scratch_task *task, unsigned odd, unsigned e, unsigned levels)
{
    struct gfmul_files_needs *n = &plan->needs;
    const uint64_t row_points = UINT64_C(1) << levels, rows = (uint64_t)odd << (e - levels);
    const uint64_t row_bytes = 2 * sizeof(uint64_t) * row_points, column_bytes = (RESIDUE_BYTES + plan->k) * rows;
    uint64_t w = row_points < BLOCK_MOST ? row_points : BLOCK_MOST;
    while (w >= SCRATCH_TILE && w * column_bytes > row_bytes)
        w /= 2;
    if (w < SCRATCH_TILE || row_points > SIZE_MAX / 1024)
        return false;
    plan->rows = (size_t)rows;
    plan->row_points = (size_t)row_points;
    plan->block_points = (size_t)w;
    plan->levels = levels;
    plan->blocks = (size_t)(row_points / w);
    plan->set_bytes = (size_t)row_bytes;
    plan->text_bytes = row_bytes < SCRATCH_TEXT ? (size_t)row_bytes : SCRATCH_TEXT;
    n->rows = rows;
    n->row_points = row_points;
    n->block_points = w;
    n->n_points = rows * row_points;
    const uint64_t spectra = task->square ? 1 : 2;
    n->scratch_bytes = spectra * RESIDUE_BYTES * n->n_points;
    n->memory_bytes = 2 * (row_bytes + SCRATCH_PAGE) + RING_TABLE_BYTES * row_points + columns_memory(plan->rows, plan->threads) +
                      (SCRATCH_RUNS + 1) * rows * sizeof(unsigned __int128) + n->scratch_bytes / w;
    return true;
}

/* moves_set - the bytes that are moved: doc/scale.md. */
static void moves_set(struct scratch_plan *plan, const struct scratch_task *task)
{
    struct gfmul_files_needs *n = &plan->needs;
    const uint64_t text = task->digits[0] + (task->square ? 0 : task->digits[1]), all = task->product_digits;
    const uint64_t spectrum = RESIDUE_BYTES * n->n_points, spectra = (task->square ? 1 : 2) * spectrum;
    uint64_t windows = 0;
    for (uint64_t row = 1; row < n->rows && row * n->row_points * plan->k < all; row++) {
        const uint64_t left = all - row * n->row_points * plan->k;
        windows += left < SCRATCH_WINDOW ? left : SCRATCH_WINDOW;
    }
    const uint64_t first = task->binary ? sizeof(mp_limb_t) : 1; /* of the product, which may be 0 */
    n->read_bytes = task->opened + 2 * text + task->sums + spectra + spectrum + windows + first + all + task->extra;
    n->write_bytes = spectra + spectrum + all + task->extra + windows;
}

enum gfmul_status scratch_memory_fail(uint64_t least, uint64_t there, struct scratch_error *e)
{
    return scratch_fail(e, GFMUL_ERR_MEMORY, "the product needs %llu bytes of memory at least, and there are %llu",
                        (unsigned long long)least, (unsigned long long)there);
}

enum gfmul_status scratch_plan_set(struct scratch_plan *plan, const struct scratch_task *task, struct scratch_error *e)
{
    static const unsigned odd[] = {1, 3, 5, 7, 15, 21, 35, SCRATCH_ODD};
    *plan = (struct scratch_plan){.square = task->square, .binary = task->binary, .threads = task->threads};
    struct gfmul_files_needs *n = &plan->needs;
    const unsigned k = digits_choose(task->digits, task->binary);
    uint64_t least = UINT64_MAX;
    if (k == 0)
        return scratch_fail(e, GFMUL_ERR_SIZE, "the operands have too many digits");
    plan->k = n->coefficient_digits = k;
    n->primes = WORD_PRIMES;
    n->binary = task->binary;
    n->a_digits = task->digits[0];
    n->b_digits = task->digits[1];
    n->product_digits = task->product_digits;
    n->product_bytes = task->product_digits + task->extra;
    const uint64_t needed = coefficients(task->digits[0], k) + coefficients(task->digits[1], k);
    struct scratch_plan best = *plan;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        unsigned levels = LEVELS_MIN;
        while (levels < SCRATCH_LEVELS && (uint64_t)odd[i] << levels < needed)
            levels++;
        if ((uint64_t)odd[i] << levels < needed)
            continue;
        /* four rows or more, if possible, so that one is moved while another is computed */
        for (unsigned row = odd[i] == 1 && levels >= LEVELS_MIN + 2 ? levels - 2 : levels; row >= LEVELS_MIN; row--) {
            if (!layout_set(plan, task, odd[i], levels, row))
                continue;
            least = n->memory_bytes < least ? n->memory_bytes : least;
            if (n->memory_bytes > task->memory)
                continue;
            if (best.rows == 0 || n->n_points < best.needs.n_points)
                best = *plan;
            break;
        }
    }
    if (least == UINT64_MAX)
        return scratch_fail(e, GFMUL_ERR_SIZE, "the operands have too many digits");
    if (best.rows == 0) {
        n->memory_bytes = least;
        return scratch_memory_fail(least, task->memory, e);
    }
    *plan = best;
    moves_set(plan, task);
    return GFMUL_OK;
}
