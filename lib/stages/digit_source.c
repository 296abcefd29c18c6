/*
 * digit_source.c - digits of an operand from any source: packed, or put aside.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "stages/stage_ops.h"

enum { CHUNK_DIGITS = 512, ASIDE_STRIPS = 8 };

struct pack_work {
    const struct plan *plan;
    double *x;
    const struct digit_cell *cell;
    struct norms_sum norms;
};

/* chunks_pack - the digits first .. end - 1, chunk by chunk. */
static void chunks_pack(void *arg, unsigned t, size_t first, size_t end)
{
    struct pack_work *const w = arg;
    const struct digit_cell *cell = w->cell;
    const struct digit_source *source = cell->source;
    struct digit_norms n = {0, 0};
    (void)t;
    for (size_t at = first; at < end; at += CHUNK_DIGITS) {
        const size_t len = end - at < CHUNK_DIGITS ? end - at : CHUNK_DIGITS;
        const size_t used = at >= cell->count ? 0 : cell->count - at < len ? cell->count - at : len;
        int32_t d[CHUNK_DIGITS];
        if (!stage_part(w->plan->monitor, len))
            continue;
        source->cut(source, d, cell->first + at, used);
        memset(d + used, 0, (len - used) * sizeof *d);
        w->plan->ops->digits_pack(w->plan, w->x, cell->part, at, d, len, &n);
        stage_part_end(w->plan->monitor);
    }
    norms_sum_add(&w->norms, &n);
}

void digits_from_source(const struct plan *plan, double *x, const struct digit_cell *cell, struct digit_norms *norms,
                        unsigned threads)
{
    struct pack_work w = {plan, x, cell, NORMS_SUM};
    parallel_for(threads, plan->shape.transform.n_digits, CHUNK_DIGITS, chunks_pack, &w);
    *norms = w.norms.all;
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

struct aside_work {
    aside_digit *aside;
    const struct plan *plan;
    const struct digit_source *source;
    size_t n_digits;
};

static void strips_put_aside(void *arg, unsigned t, size_t first, size_t end)
{
    const struct aside_work *const w = arg;
    (void)t;
    for (size_t k = first; k < end; k += ASIDE_STRIPS) {
        if (!stage_part(w->plan->monitor, 0))
            continue;
        put_aside(w->aside, &w->plan->shape, w->source, w->n_digits, k, end - k < ASIDE_STRIPS ? end - k : ASIDE_STRIPS);
        stage_part_end(w->plan->monitor);
    }
}

void digits_put_aside(aside_digit *aside, const struct plan *plan, const struct digit_source *source, size_t n_digits,
                      unsigned threads)
{
    struct aside_work w = {aside, plan, source, n_digits};
    parallel_for(threads, plan->shape.transform.row_points / PLAN_STRIP_POINTS, ASIDE_STRIPS, strips_put_aside, &w);
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
