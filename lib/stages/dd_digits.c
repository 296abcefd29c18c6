/*
 * dd_digits.c - limbs to digits as doubles, and coefficients in double-double to limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "limbs/limb_bits.h"
#include "limbs/limb_range.h"
#include "stages/dd_ops.h"

enum { RUN_DIGITS = 64, MIN_SEGMENT_RUNS = 32, PART_RUNS = 256 };

/* booth_digit - the digit of the l + 1 bits on top of w: of those from one below it on. */
static double booth_digit(uint64_t w, unsigned l)
{
    return (double)((((int64_t)w >> (63 - l)) + 1) >> 1);
}

/* Digit j needs the l + 1 <= 47 bits from bit j l - 1 on; below the first digit there is a zero. */
static void cut(const struct dd_source *source, double *d, size_t first, size_t count)
{
    const mp_limb_t *a = source->limbs;
    const size_t an = source->n_limbs;
    const unsigned l = source->shape->exponent;
    size_t j = 0, bit = first * l;
    if (bit == 0 && count > 0) {
        d[j++] = booth_digit(limb_bits(a, an, 0) << 1 << (63 - l), l);
        bit += l;
    }
    for (; j < count && bit + 127 < 64 * an; j++, bit += l) { /* both limbs are inside */
        const size_t k = (bit - 1) / 64, shift = (bit - 1) % 64;
        d[j] = booth_digit((a[k] >> shift | a[k + 1] << 1 << (63 - shift)) << (63 - l), l);
    }
    for (; j < count; j++, bit += l)
        d[j] = booth_digit(limb_bits(a, an, bit - 1) << (63 - l), l);
}

void dd_limbs_source(struct dd_source *source, const struct plan_shape *shape, const mp_limb_t *a, size_t an)
{
    *source = (struct dd_source){.cut = cut, .shape = shape, .limbs = a, .n_limbs = an};
}

/* runs_to_limbs - runs `first` to end - 1, the carry out of the last one left; *stats is raised. */
static int64_t runs_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, size_t first, size_t end,
                             struct round_stats *stats)
{
    int64_t carry = 0;
    for (; first < end; first += PART_RUNS) {
        const size_t n = end - first < PART_RUNS ? end - first : PART_RUNS, at = first * plan->shape.exponent;
        if (!stage_part(plan, n * RUN_DIGITS))
            break;
        plan->ops->dd->digits_to_limbs_run(plan, z + (at < zn ? at : zn), at < zn ? zn - at : 0, x, first * RUN_DIGITS,
                                           n * RUN_DIGITS, &carry, stats);
    }
    return carry;
}

enum gfmul_status dd_digits_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, struct round_stats *stats,
                                     unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const size_t runs = s->n_digits / RUN_DIGITS, reached = runs * s->exponent;
    const size_t segments = threads > 1 && runs >= (size_t)threads * MIN_SEGMENT_RUNS ? threads : 1;
    struct round_stats all = {.max_error = 0};
    int64_t *carry = malloc(segments * sizeof *carry);
    if (!carry)
        return GFMUL_ERR_MEMORY;
#pragma omp parallel for schedule(static) num_threads(threads) if (segments > 1) reduction(round_stats : all)
    for (size_t g = 0; g < segments; g++) {
        ROUND_TO_NEAREST;
        carry[g] = runs_to_limbs(plan, z, zn, x, runs * g / segments, runs * (g + 1) / segments, &all);
    }
    if (reached < zn)
        memset(z + reached, 0, (zn - reached) * sizeof *z);
    for (size_t g = 0; g < segments; g++)
        limbs_add_at(z, zn, runs * (g + 1) / segments * s->exponent, carry[g]);
    free(carry);
    *stats = all;
    return GFMUL_OK;
}
