/*
 * columns_to_text.c - from a product before its inverse column passes to text; the stages' vectors print decimal text.
 *
 * The stages print runs of digits side by side, each with a carry that belongs to the text above it.  This file adds the carries.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/try.h"
#include "stages/carry_segments.h"
#include "stages/strip_segments.h"
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

/* decimal_end - the end of the text of digit j in a number of zn characters; its beginning if the number has no digit j. */
static char *decimal_end(const struct plan_shape *s, char *z, size_t zn, size_t j)
{
    return z + (j < zn && j * s->digits.exponent < zn ? zn - j * s->digits.exponent : 0);
}

static bool has_decimal(const struct plan *plan)
{
    return plan->ops->digits_to_decimal_runs && plan->shape.digits.base == 10 && plan->shape.digits.exponent <= MAX_EXPONENT;
}

/* clear_above - write zeros above the last digit. */
static void clear_above(const struct plan_shape *s, char *z, size_t zn)
{
    const size_t reached = s->transform.n_digits * s->digits.exponent;
    if (reached < zn)
        memset(z, '0', zn - reached);
}

/* A text that runs of coefficients become. */
struct runs_target {
    const struct plan *plan;
    char *z;
    size_t zn;
    const double *x;
};

/* runs_to_decimal - a segment of runs: print them, and add their carries except for the last one. */
static int64_t runs_to_decimal(const void *arg, size_t first, size_t end, struct round_stats *stats)
{
    const struct runs_target *const to = arg;
    const struct plan_shape *s = &to->plan->shape;
    int64_t carry = 0;
    for (size_t i = first; i < end; i += SEGMENT_RUNS) {
        const size_t runs = end - i < SEGMENT_RUNS ? end - i : SEGMENT_RUNS;
        double left[SEGMENT_RUNS];
        if (!stage_part(to->plan->monitor, runs * RUN_DIGITS / 2))
            break;
        to->plan->ops->digits_to_decimal_runs(to->plan, to->z, to->zn,
                                              &(struct coefficient_range){to->x, i * RUN_DIGITS, runs * RUN_DIGITS}, left, stats);
        for (size_t k = 0; k < runs && stats->max_value < ROUND_VALUE_LIMIT; k++) {
            char *begin = decimal_end(s, to->z, to->zn, (i + k + 1) * RUN_DIGITS);
            char *stop = decimal_end(s, to->z, to->zn, (i + k) * RUN_DIGITS);
            carry = (int64_t)left[k] + decimal_add(begin, stop, carry);
        }
        stage_part_end(to->plan->monitor);
    }
    return carry;
}

/* digits_to_decimal - digits_to_text without tails, by vectors. */
static enum gfmul_status digits_to_decimal(const struct plan *plan, char *z, size_t zn, const double *x,
                                           struct round_stats *stats, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    struct carry_segments segments;
    TRY(carry_segments_create(&segments, s->transform.n_digits / RUN_DIGITS, SEGMENT_RUNS, threads));
    carry_segments_run(&segments, runs_to_decimal, &(struct runs_target){plan, z, zn, x}, stats);
    const bool stopped = stage_stopped(plan->monitor);
    if (!stopped)
        clear_above(s, z, zn);
    for (size_t g = 0; g < segments.count && !stopped; g++)
        decimal_add(z, decimal_end(s, z, zn, carry_segments_end(&segments, g) * RUN_DIGITS), segments.carry[g]);
    carry_segments_destroy(&segments);
    return stopped ? GFMUL_ERR_INTERRUPTED : GFMUL_OK;
}

/* decimal_carry - a carry_target's `add` for decimal text. */
static int64_t decimal_carry(const struct carry_target *to, size_t at, size_t end, int64_t carry)
{
    return decimal_add(decimal_end(to->shape, to->z, to->zn, end), decimal_end(to->shape, to->z, to->zn, at), carry);
}

/* strips_to_text - print a whole decimal product from strips of columns. */
static enum gfmul_status strips_to_text(const struct plan *plan, char *z, size_t zn, double *x, double *scratch,
                                        struct round_stats *stats, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    struct strip_segments segments;
    TRY(strip_segments_create(&segments, s, threads));
    plan->ops->columns_to_decimal_fused(plan, z, zn, x, scratch, &segments, stats);
    const bool stopped = stage_stopped(plan->monitor);
    if (!stopped)
        clear_above(s, z, zn);
    if (!stopped && stats->max_value < ROUND_VALUE_LIMIT)
        strip_segments_add(&segments, &(struct carry_target){decimal_carry, s, z, zn, true});
    strip_segments_destroy(&segments);
    return stopped ? GFMUL_ERR_INTERRUPTED : GFMUL_OK;
}

static enum gfmul_status double_to_text(const struct plan *plan, const struct text_place *place, double *x, double *scratch,
                                        struct round_stats *stats, unsigned threads)
{
    const bool vectors = !place->tails && has_decimal(plan);
    if (vectors && plan->ops->columns_to_decimal_fused && plan->shape.transform.n_column_passes > 0)
        return strips_to_text(plan, place->z, place->zn, x, scratch, stats, threads);
    plan->ops->columns_to_digits(plan, x, threads);
    if (vectors)
        return digits_to_decimal(plan, place->z, place->zn, x, stats, threads);
    digits_to_text(plan, place->z, place->zn, x, place->tails, stats, threads);
    return stage_stopped(plan->monitor) ? GFMUL_ERR_INTERRUPTED : GFMUL_OK;
}

static enum gfmul_status dd_to_text(const struct plan *plan, const struct text_place *place, double *x, double *scratch,
                                    struct round_stats *stats, unsigned threads)
{
    (void)scratch;
    plan->ops->columns_to_digits(plan, x, threads);
    return dd_digits_to_text(plan, place->z, place->zn, x, place->tails, stats, threads);
}

enum gfmul_status columns_to_text(const struct plan *plan, const struct text_place *place, double *x, double *scratch,
                                  struct round_stats *stats, unsigned threads)
{
    static enum gfmul_status (*const by_field[PLAN_POINT_FIELDS])(const struct plan *, const struct text_place *, double *,
                                                                  double *, struct round_stats *, unsigned) = {
        [PLAN_DOUBLE] = double_to_text, [PLAN_DD] = dd_to_text};
    return by_field[plan->shape.field](plan, place, x, scratch, stats, threads);
}
