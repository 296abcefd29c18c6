/* carry_segments.c - a loop in segments, each of which leaves a carry.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stages/carry_segments.h"

#include <stdlib.h>

enum gfmul_status carry_segments_create(struct carry_segments *segments, size_t steps, size_t least, unsigned threads)
{
    segments->steps = steps;
    segments->count = threads > 1 && steps >= threads * least ? threads : 1;
    segments->carry = segments->count == 1 ? &segments->only : malloc(segments->count * sizeof *segments->carry);
    return segments->carry ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

void carry_segments_destroy(struct carry_segments *segments)
{
    if (segments->carry != &segments->only)
        free(segments->carry);
}

struct segments_work {
    struct carry_segments *segments;
    carry_segment_run *run;
    const void *arg;
    struct stats_sum stats;
};

static void segments_work(void *arg, unsigned t, size_t first, size_t end)
{
    struct segments_work *const w = arg;
    struct round_stats mine = {.max_error = 0};
    (void)t;
    for (size_t g = first; g < end; g++)
        w->segments->carry[g] =
            w->run(w->arg, g > 0 ? carry_segments_end(w->segments, g - 1) : 0, carry_segments_end(w->segments, g), &mine);
    stats_sum_add(&w->stats, &mine);
}

void carry_segments_run(struct carry_segments *segments, carry_segment_run *run, const void *arg, struct round_stats *stats)
{
    if (segments->count == 1) { /* without a lock */
        *stats = (struct round_stats){.max_error = 0};
        segments->only = run(arg, 0, segments->steps, stats);
        return;
    }
    struct segments_work w = {segments, run, arg, STATS_SUM};
    parallel_for((unsigned)segments->count, segments->count, 1, segments_work, &w);
    *stats = w.stats.all;
}
