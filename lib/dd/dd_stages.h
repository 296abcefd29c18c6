/*
 * dd_stages.h - double-double: the places of digits in a buffer.   Data and passes: plan_dd.h.
 */
#ifndef GFMUL_DD_STAGES_H
#define GFMUL_DD_STAGES_H

#include "plan/plan_dd.h"
#include "stages/stage_ops.h"

/* dd_digit_place - the place of digit j's first part in a buffer; the second is 16 doubles further on, digit j + 1 beside it. */
static inline size_t dd_digit_place(const struct plan_shape *s, size_t j)
{
    const size_t imaginary = j >= s->transform.n_points, p = imaginary ? j - s->transform.n_points : j;
    const size_t child = s->transform.n_points / s->transform.odd, stream = child / PLAN_BLOCK,
                 rows = s->transform.n_rows / s->transform.odd;
    const size_t t = p / child, st = p % child / stream, i = p % child % stream; /* point i of stream st of child t */
    const size_t blocks = s->transform.row_points / PLAN_BLOCK, group = i / PLAN_BLOCK;
    const size_t block = group * PLAN_BLOCK + st; /* of the child */
    return (t * rows + block / blocks) * s->transform.row_stride + block % blocks * 32 + imaginary * PLAN_BLOCK + i % PLAN_BLOCK;
}

#endif
