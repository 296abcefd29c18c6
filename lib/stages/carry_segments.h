/*
 * carry_segments.h - a loop over digits whose carries run upwards, in segments that threads take side by side.
 *
 * Each segment begins without a carry, and leaves one.  The caller adds what they leave, when all are done.
 */
#ifndef GFMUL_CARRY_SEGMENTS_H
#define GFMUL_CARRY_SEGMENTS_H

#include "stages/stage_ops.h"

struct carry_segments {
    size_t steps, count; /* steps of the loop, segments */
    int64_t *carry;      /* that each segment leaves */
    int64_t only;        /* the place of one segment's */
};

/* carry_segment_run - steps first .. end - 1; *stats is raised.   Value: the carry that they leave. */
typedef int64_t carry_segment_run(const void *arg, size_t first, size_t end, struct round_stats *stats);

/*
 * carry_segments_create - as many segments as threads if each has `least` steps, or else one.   Errors: MEMORY.
 * carry_segments_run - run all of them.   stats out: what they have seen.   Threads: parallel inside.
 * carry_segments_end - the step behind segment g.
 */
enum gfmul_status carry_segments_create(struct carry_segments *segments, size_t steps, size_t least, unsigned threads);
void carry_segments_run(struct carry_segments *segments, carry_segment_run *run, const void *arg, struct round_stats *stats);
void carry_segments_destroy(struct carry_segments *segments);

static inline size_t carry_segments_end(const struct carry_segments *segments, size_t g)
{
    return segments->steps * (g + 1) / segments->count;
}

#endif
