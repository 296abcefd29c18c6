/* digits_to_limbs.c - round, carry, pack into limbs: the parts put together.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "stages/strip_segments.h"

enum { RUN_DIGITS = 64, MIN_SEGMENT_RUNS = 32, PART_RUNS = 256 };

/* clear_above - zero the limbs above the last digit. */
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
    int64_t carry = 0;
    for (; first < end; first += PART_RUNS) {
        const size_t n = end - first < PART_RUNS ? end - first : PART_RUNS, at = first * plan->shape.digits.exponent;
        if (!stage_part(plan->monitor, n * RUN_DIGITS))
            break;
        plan->ops->digits_to_limbs_run(plan, z + (at < zn ? at : zn), at < zn ? zn - at : 0,
                                       &(struct coefficient_range){x, first * RUN_DIGITS, n * RUN_DIGITS}, &carry, stats);
        stage_part_end(plan->monitor);
    }
    return carry;
}

/* Runs in segments that threads take, and the carry that each leaves. */
struct runs_work {
    const struct plan *plan;
    mp_limb_t *z;
    size_t zn;
    const double *x;
    size_t runs, segments;
    int64_t *carry;
    struct stats_sum stats;
};

static void segments_to_limbs(void *arg, unsigned t, size_t first, size_t end)
{
    struct runs_work *const w = arg;
    struct round_stats mine = {.max_error = 0};
    (void)t;
    for (size_t g = first; g < end; g++)
        w->carry[g] =
            runs_to_limbs(w->plan, w->z, w->zn, w->x, w->runs * g / w->segments, w->runs * (g + 1) / w->segments, &mine);
    stats_sum_add(&w->stats, &mine);
}

enum gfmul_status digits_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, struct round_stats *stats,
                                  unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const size_t runs = s->transform.n_digits / RUN_DIGITS;
    const size_t segments = threads > 1 && runs >= (size_t)threads * MIN_SEGMENT_RUNS ? threads : 1;
    if (segments == 1) { /* one thread needs no parallel region and no memory */
        *stats = (struct round_stats){.max_error = 0};
        const int64_t rest = runs_to_limbs(plan, z, zn, x, 0, runs, stats);
        if (stage_stopped(plan->monitor))
            return GFMUL_ERR_INTERRUPTED;
        clear_above(s, z, zn);
        limbs_add_at(z, zn, runs * s->digits.exponent, rest);
        return GFMUL_OK;
    }
    int64_t *carry = malloc(segments * sizeof *carry);
    if (!carry)
        return GFMUL_ERR_MEMORY;
    struct runs_work w = {plan, z, zn, x, runs, segments, carry, STATS_SUM};
    parallel_for(threads, segments, 1, segments_to_limbs, &w);
    if (stage_stopped(plan->monitor)) {
        free(carry);
        return GFMUL_ERR_INTERRUPTED;
    }
    clear_above(s, z, zn);
    for (size_t g = 0; g < segments; g++)
        limbs_add_at(z, zn, runs * (g + 1) / segments * s->digits.exponent, carry[g]);
    free(carry);
    *stats = w.stats.all;
    return GFMUL_OK;
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
