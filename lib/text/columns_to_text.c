/*
 * columns_to_text.c - the product before its inverse column passes to text, decimal text by the vectors of the stages.
 *
 * The stages print runs of digits side by side, each with a carry that belongs to the text above it: here they are added.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "text/text.h"
#include "text/text_chars.h"

enum { RUN_DIGITS = 64, SEGMENT_RUNS = 32, MAX_EXPONENT = 8 };

/* decimal_add - add a carry, |carry| <= 2^50, to the number written in begin .. end - 1; returns the carry that leaves it. */
static int64_t decimal_add(char *begin, char *end, int64_t carry)
{
    while (carry != 0 && end - begin >= 8) {
        const int64_t block = 100000000;
        const uint64_t old = values_join(chars_to_values(chars_load(end - 8), 0), 10, 100, 10000);
        int64_t s = (int64_t)old + carry, r = s % block;
        carry = s / block;
        if (r < 0) {
            r += block;
            carry--;
        }
        end -= 8;
        chars_store(end, values_split_10((uint32_t)r) + '0' * CHARS_EVERY_8);
    }
    for (; carry != 0 && end > begin; end--) {
        int64_t s = carry + (end[-1] - '0'), r = s % 10;
        carry = s / 10;
        if (r < 0) {
            r += 10;
            carry--;
        }
        end[-1] = (char)('0' + r);
    }
    return carry;
}

/* decimal_end - where the text of digit j of a number of zn characters ends; its beginning, where the number has no digit j. */
static char *decimal_end(const struct plan_shape *s, char *z, size_t zn, size_t j)
{
    const size_t at = j * s->digits.exponent; /* <= n_digits * 8 */
    return z + (at < zn ? zn - at : 0);
}

static bool has_decimal(const struct plan *plan)
{
    return plan->ops->digits_to_decimal_runs && plan->shape.digits.base == 10 && plan->shape.digits.exponent <= MAX_EXPONENT;
}

/* clear_above - characters that no digit reaches. */
static void clear_above(const struct plan_shape *s, char *z, size_t zn)
{
    const size_t reached = s->transform.n_digits * s->digits.exponent;
    if (reached < zn)
        memset(z, '0', zn - reached);
}

/* segment - runs first .. end - 1 and their carries, but the last: returns it. */
static int64_t segment(const struct plan *plan, char *z, size_t zn, const double *x, size_t first, size_t end,
                       struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    int64_t carry = 0;
    for (size_t i = first; i < end; i += SEGMENT_RUNS) {
        const size_t runs = end - i < SEGMENT_RUNS ? end - i : SEGMENT_RUNS;
        double left[SEGMENT_RUNS];
        plan->ops->digits_to_decimal_runs(plan, z, zn, x, i * RUN_DIGITS, runs * RUN_DIGITS, left, stats);
        for (size_t k = 0; k < runs && stats->max_value < ROUND_VALUE_LIMIT; k++) {
            char *begin = decimal_end(s, z, zn, (i + k + 1) * RUN_DIGITS), *stop = decimal_end(s, z, zn, (i + k) * RUN_DIGITS);
            carry = (int64_t)left[k] + decimal_add(begin, stop, carry);
        }
    }
    return carry;
}

/* digits_to_decimal - digits_to_text without tails, by vectors. */
static enum gfmul_status digits_to_decimal(const struct plan *plan, char *z, size_t zn, const double *x,
                                           struct round_stats *stats, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const size_t runs = s->transform.n_digits / RUN_DIGITS;
    const size_t segments = threads > 1 && runs >= (size_t)threads * SEGMENT_RUNS ? threads : 1;
    struct round_stats all = {.max_error = 0};
    int64_t *carry = malloc(segments * sizeof *carry);
    if (!carry)
        return GFMUL_ERR_MEMORY;
#pragma omp parallel for schedule(static) num_threads(threads) if (segments > 1) reduction(round_stats : all)
    for (size_t g = 0; g < segments; g++) {
        ROUND_TO_NEAREST;
        carry[g] = segment(plan, z, zn, x, runs * g / segments, runs * (g + 1) / segments, &all);
    }
    clear_above(s, z, zn);
    for (size_t g = 0; g < segments; g++)
        decimal_add(z, decimal_end(s, z, zn, runs * (g + 1) / segments * RUN_DIGITS), carry[g]);
    free(carry);
    *stats = all;
    return GFMUL_OK;
}

/* rows_add_carries - as in digits_to_limbs.c, a row being `row` digits. */
static int64_t rows_add_carries(const struct plan_shape *s, char *z, size_t zn, const double *carry,
                                const struct strip_segments *segments, size_t row, size_t first, size_t end)
{
    char *begin = decimal_end(s, z, zn, end * row);
    const size_t count = segments->count;
    int64_t left = 0;
    for (size_t q = first; q < end; q++)
        for (size_t g = 0; g < count; g++) {
            const int64_t c = (int64_t)carry[g * 2 * s->transform.n_rows + q];
            const size_t at = q * row + segments->end[g] * RUN_DIGITS;
            left += at == end * row ? c : decimal_add(begin, decimal_end(s, z, zn, at), c);
        }
    return left;
}

enum gfmul_status columns_to_text(const struct plan *plan, char *z, size_t zn, double *x, double *scratch,
                                  struct round_stats *stats, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned strips = (unsigned)(s->transform.row_points / RUN_DIGITS), used = threads < strips ? threads : strips;
    if (!has_decimal(plan) || s->transform.packing != GFMUL_PACKING_RIGHT_ANGLE || s->transform.n_column_passes == 0) {
        plan->ops->columns_to_digits(plan, x, threads);
        if (has_decimal(plan))
            return digits_to_decimal(plan, z, zn, x, stats, threads);
        digits_to_text(plan, z, zn, x, NULL, stats, threads);
        return GFMUL_OK;
    }
    const size_t room = used == 1 ? 1 : 2 * (size_t)used, n_rows = 2 * s->transform.n_rows;
    size_t bytes;
    if (!size_mul(&bytes, n_rows * room, sizeof(double)))
        return GFMUL_ERR_SIZE;
    double *carry = malloc(bytes);
    int64_t *left = malloc(used * sizeof *left);
    struct strip_segments segments = {.room = room, .end = malloc(room * sizeof *segments.end)};
    enum gfmul_status status = carry && left && segments.end ? GFMUL_OK : GFMUL_ERR_MEMORY;
    if (status == GFMUL_OK) {
        plan->ops->columns_to_decimal_fused(plan, z, zn, x, scratch, carry, &segments, used, stats);
        clear_above(s, z, zn);
    }
    if (status == GFMUL_OK && stats->max_value < ROUND_VALUE_LIMIT) {
#pragma omp parallel for schedule(static) num_threads(used) if (used > 1)
        for (size_t t = 0; t < used; t++)
            left[t] =
                rows_add_carries(s, z, zn, carry, &segments, s->transform.row_points, n_rows * t / used, n_rows * (t + 1) / used);
        for (size_t t = 0; t < used; t++)
            decimal_add(z, decimal_end(s, z, zn, n_rows * (t + 1) / used * s->transform.row_points), left[t]);
    }
    free(segments.end);
    free(left);
    free(carry);
    return status;
}
