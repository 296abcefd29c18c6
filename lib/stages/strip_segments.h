/*
 * strip_segments.h - the carries that the fused stages at the end of a product leave, into the number: the same for all fields.
 */
#ifndef GFMUL_STRIP_SEGMENTS_H
#define GFMUL_STRIP_SEGMENTS_H

#include "stages/stage_ops.h"

/* A number that carries are added to: limbs or text. */
struct carry_target {
    /* add - a carry at digit `at`, a multiple of 64, up to before digit end.  Returns the carry out; beyond zn there is none. */
    int64_t (*add)(const struct carry_target *to, size_t at, size_t end, int64_t carry);
    const struct plan_shape *shape;
    void *z;
    size_t zn; /* limbs or characters */
    bool real; /* the carries of segments are double */
};

/* strip_segments_create - for the strips of a plan, by at most so many threads.   Errors: MEMORY. */
enum gfmul_status strip_segments_create(struct strip_segments *segments, const struct plan_shape *s, unsigned threads);

/*
 * strip_segments_open - the 2 n_rows carries of the next segment, 0 each, as doubles and as integers; its end goes to *end.
 * Threads: any, for at most segments->room segments since `count` was 0.
 */
void *strip_segments_open(struct strip_segments *segments, const struct plan_shape *s, size_t **end);

/* strip_segments_add - all carries left, into the number.   Threads: parallel inside. */
void strip_segments_add(const struct strip_segments *segments, const struct carry_target *to);

void strip_segments_destroy(struct strip_segments *segments);

#endif
