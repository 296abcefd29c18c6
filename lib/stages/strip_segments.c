/* strip_segments.c - carries between segments of strips.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "stages/strip_segments.h"

enum gfmul_status strip_segments_create(struct strip_segments *segments, const struct plan_shape *s, unsigned threads)
{
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS;
    segments->threads = threads < strips ? threads : (unsigned)strips;
    segments->room = segments->threads == 1 ? 1 : 2 * (size_t)segments->threads;
    segments->carry = malloc((2 * s->transform.n_rows + 1) * segments->room * sizeof(int64_t)); /* end behind the carries */
    segments->end = segments->carry ? (size_t *)segments->carry + 2 * s->transform.n_rows * segments->room : NULL;
    return segments->carry ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

void *strip_segments_open(struct strip_segments *segments, const struct plan_shape *s, size_t **end)
{
    const size_t segment = atomic_fetch_add_explicit(&segments->count, 1, memory_order_relaxed), n = 2 * s->transform.n_rows;
    *end = segments->end + segment;
    return memset((int64_t *)segments->carry + n * segment, 0, n * sizeof(int64_t));
}

void strip_segments_destroy(struct strip_segments *segments)
{
    free(segments->carry);
}

/* rows_add - add the segments' carries in rows first .. end - 1 (of 2 n_rows); returns the carry behind the last one. */
static int64_t rows_add(const struct strip_segments *segments, const struct carry_target *to, size_t first, size_t end)
{
    const size_t row = to->shape->transform.row_points, n_rows = 2 * to->shape->transform.n_rows, stop = end * row;
    const size_t count = segments->count;
    int64_t left = 0;
    for (size_t q = first; q < end; q++)
        for (size_t g = 0; g < count; g++) {
            const size_t i = g * n_rows + q, at = q * row + segments->end[g] * PLAN_STRIP_POINTS;
            const int64_t c = to->real ? (int64_t)((const double *)segments->carry)[i] : ((const int64_t *)segments->carry)[i];
            left += at == stop ? c : to->add(to, at, stop, c);
        }
    return left;
}

/* The work of strip_segments_add: all rows in as many parts as there may be threads, and the carry behind each part. */
struct rows_work {
    const struct strip_segments *segments;
    const struct carry_target *to;
    int64_t left[WORK_SHARES];
};

/* part_end - the first row behind part i. */
static size_t part_end(const struct rows_work *w, size_t i)
{
    return 2 * w->to->shape->transform.n_rows * (i + 1) / w->segments->threads;
}

static void parts_add(void *arg, unsigned t, size_t first, size_t end)
{
    struct rows_work *const w = arg;
    (void)t;
    for (size_t i = first; i < end; i++)
        w->left[i] = rows_add(w->segments, w->to, i > 0 ? part_end(w, i - 1) : 0, part_end(w, i));
}

void strip_segments_add(const struct strip_segments *segments, const struct carry_target *to)
{
    const size_t n_rows = 2 * to->shape->transform.n_rows, row = to->shape->transform.row_points, used = segments->threads;
    if (used == 1) { /* without a large frame */
        to->add(to, n_rows * row, SIZE_MAX, rows_add(segments, to, 0, n_rows));
        return;
    }
    struct rows_work w = {.segments = segments, .to = to};
    parallel_for(segments->threads, used, 1, parts_add, &w);
    for (size_t i = 0; i < used; i++)
        to->add(to, part_end(&w, i) * row, SIZE_MAX, w.left[i]);
}
