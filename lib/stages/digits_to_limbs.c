/* digits_to_limbs.c - round, carry, pack into limbs: the parts put together.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "stages/carry_segments.h"
#include "stages/strip_segments.h"

enum { RUN_DIGITS = 64, MIN_SEGMENT_RUNS = 32, PART_RUNS = 256 };

/* clear_above - zero the limbs above the last digit. */
static void clear_above(const struct plan_shape *s, mp_limb_t *z, size_t zn)
{
    const size_t reached = s->transform.n_digits / RUN_DIGITS * s->digits.exponent;
    if (reached < zn)
        memset(z + reached, 0, (zn - reached) * sizeof *z);
}

/* A number that runs of coefficients become. */
struct runs_target {
    const struct plan *plan;
    mp_limb_t *z;
    size_t zn;
    const double *x;
};

/* runs_to_limbs - a segment of runs. */
static int64_t runs_to_limbs(const void *arg, size_t first, size_t end, struct round_stats *stats)
{
    const struct runs_target *const to = arg;
    const struct plan *const plan = to->plan;
    int64_t carry = 0;
    for (; first < end; first += PART_RUNS) {
        const size_t n = end - first < PART_RUNS ? end - first : PART_RUNS, at = first * plan->shape.digits.exponent;
        if (!stage_part(plan->monitor, n * RUN_DIGITS))
            break;
        plan->ops->digits_to_limbs_run(plan, to->z + (at < to->zn ? at : to->zn), at < to->zn ? to->zn - at : 0,
                                       &(struct coefficient_range){to->x, first * RUN_DIGITS, n * RUN_DIGITS}, &carry, stats);
        stage_part_end(plan->monitor);
    }
    return carry;
}

enum gfmul_status digits_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, struct round_stats *stats,
                                  unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    struct carry_segments segments;
    TRY(carry_segments_create(&segments, s->transform.n_digits / RUN_DIGITS, MIN_SEGMENT_RUNS, threads));
    carry_segments_run(&segments, runs_to_limbs, &(struct runs_target){plan, z, zn, x}, stats);
    const bool stopped = stage_stopped(plan->monitor);
    if (!stopped)
        clear_above(s, z, zn);
    for (size_t g = 0; g < segments.count && !stopped; g++)
        limbs_add_at(z, zn, carry_segments_end(&segments, g) * s->digits.exponent, segments.carry[g]);
    carry_segments_destroy(&segments);
    return stopped ? GFMUL_ERR_INTERRUPTED : GFMUL_OK;
}

/* limbs_carry - the `add` of a number in limbs. */
static int64_t limbs_carry(const struct carry_target *to, size_t at, size_t end, int64_t carry)
{
    const size_t l = to->shape->digits.exponent, first = at / RUN_DIGITS * l, reached = end / RUN_DIGITS * l;
    const size_t stop = reached < to->zn ? reached : to->zn;
    return first < stop ? limbs_add_carry((mp_limb_t *)to->z + first, stop - first, carry) : 0;
}

enum gfmul_status columns_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch,
                                   struct round_stats *stats, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    struct strip_segments segments;
    if (!plan->ops->columns_to_limbs_fused || s->transform.n_column_passes == 0) {
        plan->ops->columns_to_digits(plan, x, threads);
        return digits_to_limbs(plan, z, zn, x, stats, threads);
    }
    TRY(strip_segments_create(&segments, s, threads));
    plan->ops->columns_to_limbs_fused(plan, z, zn, x, scratch, &segments, stats);
    const bool stopped = stage_stopped(plan->monitor);
    if (!stopped) {
        clear_above(s, z, zn);
        strip_segments_add(&segments, &(struct carry_target){limbs_carry, s, z, zn, false});
    }
    strip_segments_destroy(&segments);
    return stopped ? GFMUL_ERR_INTERRUPTED : GFMUL_OK;
}
