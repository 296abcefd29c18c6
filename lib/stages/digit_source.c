/*
 * digit_source.c - digits of an operand from any source: packed, or put aside.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "stages/stage_ops.h"

enum { CHUNK_DIGITS = 512, ASIDE_STRIPS = 8 };

void digits_from_source(const struct plan *plan, double *x, const struct digit_cell *cell, struct digit_norms *norms,
                        unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const struct digit_source *source = cell->source;
    double sum_sq = 0, sum_pop = 0;
    (void)threads; /* unused without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1) reduction(+ : sum_sq, sum_pop)
    for (size_t at = 0; at < s->transform.n_digits; at += CHUNK_DIGITS) {
        const size_t len = s->transform.n_digits - at < CHUNK_DIGITS ? s->transform.n_digits - at : CHUNK_DIGITS;
        const size_t used = at >= cell->count ? 0 : cell->count - at < len ? cell->count - at : len;
        struct digit_norms n = {0, 0};
        int32_t d[CHUNK_DIGITS];
        if (!stage_part(plan->monitor, len))
            continue;
        ROUND_TO_NEAREST;
        source->cut(source, d, cell->first + at, used);
        memset(d + used, 0, (len - used) * sizeof *d);
        plan->ops->digits_pack(plan, x, cell->part, at, d, len, &n);
        sum_sq += n.sum_sq;
        sum_pop += n.sum_pop;
        stage_part_end(plan->monitor);
    }
    *norms = (struct digit_norms){sum_sq, sum_pop};
}

/* aside_place - where the 64 digits from digit `first` on are: strip by strip, therein the rows as the root's pass takes them. */
static size_t aside_place(const struct plan_shape *s, size_t first)
{
    const size_t streams = s->transform.odd > 1 ? s->transform.odd : s->transform.pass[0].radix,
                 h = s->transform.n_rows / streams;
    const size_t row = first / s->transform.row_points, strip = first % s->transform.row_points / PLAN_STRIP_POINTS;
    return (strip * s->transform.n_rows + row % h * streams + row / h) * PLAN_STRIP_POINTS;
}

/* put_aside - `strips` strips from strip `first` on, row by row in the order in which they are stored. */
static void put_aside(aside_digit *aside, const struct plan_shape *s, const struct digit_source *source, size_t n_digits,
                      size_t first, size_t strips)
{
    const size_t streams = s->transform.odd > 1 ? s->transform.odd : s->transform.pass[0].radix,
                 h = s->transform.n_rows / streams, len = strips * PLAN_STRIP_POINTS;
    for (size_t r = 0; r < s->transform.n_rows; r++) {
        const size_t at = (r % streams * h + r / streams) * s->transform.row_points + first * PLAN_STRIP_POINTS;
        if (at >= n_digits)
            continue;
        int32_t d[ASIDE_STRIPS * PLAN_STRIP_POINTS];
        source->cut(source, d, at, len);
        for (size_t k = 0; k < len; k += PLAN_STRIP_POINTS) {
            aside_digit *to = aside + aside_place(s, at + k);
            if (source->prefetch)
                source->prefetch(source, at + len + k);
            for (size_t i = 0; i < PLAN_STRIP_POINTS; i++)
                to[i] = (aside_digit)d[k + i];
        }
    }
}

void digits_put_aside(aside_digit *aside, const struct plan *plan, const struct digit_source *source, size_t n_digits,
                      unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS;
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (size_t k = 0; k < strips; k += ASIDE_STRIPS) {
        if (!stage_part(plan->monitor, 0))
            continue;
        put_aside(aside, s, source, n_digits, k, strips - k < ASIDE_STRIPS ? strips - k : ASIDE_STRIPS);
        stage_part_end(plan->monitor);
    }
}

static void aside_cut(const struct digit_source *source, int32_t *d, size_t first, size_t count)
{
    for (size_t at = 0; at < count; at += PLAN_STRIP_POINTS) {
        const size_t left = first + at < source->n_digits ? source->n_digits - first - at : 0;
        const size_t len = count - at < PLAN_STRIP_POINTS ? count - at : PLAN_STRIP_POINTS, used = len < left ? len : left;
        const aside_digit *from = source->digits + (used > 0 ? aside_place(source->shape, first + at) : 0);
        for (size_t k = 0; k < used; k++)
            d[at + k] = from[k];
        memset(d + at + used, 0, (len - used) * sizeof *d);
    }
}

void aside_source(struct digit_source *source, const struct plan *plan, const aside_digit *aside, size_t n_digits)
{
    *source = (struct digit_source){.cut = aside_cut,
                                    .prefetch = NULL, /* they are read in the order in which they are stored */
                                    .shape = &plan->shape,
                                    .isa = plan->isa,
                                    .digits = aside,
                                    .n_digits = n_digits};
}
