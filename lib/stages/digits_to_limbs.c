/* digits_to_limbs.c - round, carry, pack into limbs: the parts put together.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "limbs/limb_range.h"
#include "stages/dd_ops.h"
#include "stages/stage_ops.h"

enum { RUN_DIGITS = 64, MIN_SEGMENT_RUNS = 32, PART_RUNS = 256 };

/* clear_above - limbs that no digit reaches. */
static void clear_above(const struct plan_shape *s, mp_limb_t *z, size_t zn)
{
    const size_t reached = s->transform.n_digits / RUN_DIGITS * s->digits.exponent;
    if (reached < zn)
        memset(z + reached, 0, (zn - reached) * sizeof *z);
}

/* runs_to_limbs - runs `first` to end - 1, the carry out of the last one left; *stats is raised. */
static int64_t runs_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, size_t first, size_t end,
                             struct round_stats *stats)
{
    const bool dd = plan_is_dd(&plan->shape);
    void (*run)(const struct plan *, mp_limb_t *, size_t, const double *, size_t, size_t, int64_t *, struct round_stats *) =
        dd ? plan->ops->dd->digits_to_limbs_run : plan->ops->digits_to_limbs_run;
    int64_t carry = 0;
    for (; first < end; first += PART_RUNS) {
        const size_t n = end - first < PART_RUNS ? end - first : PART_RUNS, at = first * plan->shape.digits.exponent;
        if (!stage_part(plan, n * RUN_DIGITS))
            break;
        run(plan, z + (at < zn ? at : zn), at < zn ? zn - at : 0, x, first * RUN_DIGITS, n * RUN_DIGITS, &carry, stats);
    }
    return carry;
}

enum gfmul_status digits_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, struct round_stats *stats,
                                  unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const size_t runs = s->transform.n_digits / RUN_DIGITS;
    const size_t segments = threads > 1 && runs >= (size_t)threads * MIN_SEGMENT_RUNS ? threads : 1;
    if (segments == 1) { /* without a parallel region of one thread, and without memory */
        *stats = (struct round_stats){.max_error = 0};
        const int64_t rest = runs_to_limbs(plan, z, zn, x, 0, runs, stats);
        clear_above(s, z, zn);
        limbs_add_at(z, zn, runs * s->digits.exponent, rest);
        return GFMUL_OK;
    }
    struct round_stats all = {.max_error = 0};
    int64_t *carry = malloc(segments * sizeof *carry);
    if (!carry)
        return GFMUL_ERR_MEMORY;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(round_stats : all)
    for (size_t g = 0; g < segments; g++) {
        ROUND_TO_NEAREST;
        carry[g] = runs_to_limbs(plan, z, zn, x, runs * g / segments, runs * (g + 1) / segments, &all);
    }
    clear_above(s, z, zn);
    for (size_t g = 0; g < segments; g++)
        limbs_add_at(z, zn, runs * (g + 1) / segments * s->digits.exponent, carry[g]);
    free(carry);
    *stats = all;
    return GFMUL_OK;
}

/*
 * rows_add_carries - what the segments left in rows first .. end - 1 (of 2 n_rows, each `row` limbs long), but the carry that
 * leaves the last one: returned, it belongs behind it.
 */
static int64_t rows_add_carries(const struct plan_shape *s, mp_limb_t *z, size_t zn, const int64_t *carry,
                                const struct strip_segments *segments, size_t row, size_t first, size_t end)
{
    const size_t stop = end * row < zn ? end * row : zn, count = segments->count;
    int64_t left = 0;
    for (size_t q = first; q < end; q++)
        for (size_t g = 0; g < count; g++) {
            const int64_t c = carry[g * 2 * s->transform.n_rows + q];
            const size_t at = q * row + segments->end[g] * s->digits.exponent;
            if (at == end * row)
                left += c;
            else if (at < stop)
                left += limbs_add_carry(z + at, stop - at, c);
        }
    return left;
}

enum gfmul_status columns_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch,
                                   struct round_stats *stats, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const size_t strips = s->transform.row_points / RUN_DIGITS, row = strips * s->digits.exponent;
    const unsigned used = threads < strips ? threads : (unsigned)strips;
    if (s->transform.packing != GFMUL_PACKING_RIGHT_ANGLE || s->transform.n_column_passes == 0) {
        plan->ops->columns_to_digits(plan, x, threads);
        return digits_to_limbs(plan, z, zn, x, stats, threads);
    }
    const size_t room = used == 1 ? 1 : 2 * (size_t)used, n_rows = 2 * s->transform.n_rows;
    int64_t *carry = malloc((n_rows * room + used + room) * sizeof *carry);
    if (!carry)
        return GFMUL_ERR_MEMORY;
    int64_t *left = carry + n_rows * room;
    struct strip_segments segments = {.room = room, .end = (size_t *)(left + used)};
    plan->ops->columns_to_limbs_fused(plan, z, zn, x, scratch, carry, &segments, used, stats);
    clear_above(s, z, zn);
    if (used == 1) { /* without a region */
        limbs_add_at(z, zn, n_rows * row, rows_add_carries(s, z, zn, carry, &segments, row, 0, n_rows));
        free(carry);
        return GFMUL_OK;
    }
#pragma omp parallel for schedule(static) num_threads(used)
    for (size_t t = 0; t < used; t++)
        left[t] = rows_add_carries(s, z, zn, carry, &segments, row, n_rows * t / used, n_rows * (t + 1) / used);
    for (size_t t = 0; t < used; t++)
        limbs_add_at(z, zn, n_rows * (t + 1) / used * row, left[t]);
    free(carry);
    return GFMUL_OK;
}
