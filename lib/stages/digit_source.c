/* digit_source.c - packing the digits of an operand, whatever it is made of.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "stages/stage_ops.h"

enum { CHUNK_DIGITS = 512 };

void digits_from_source(const struct plan *plan, double *x, enum digit_part part, const struct digit_source *source, size_t first,
                        size_t count, struct digit_norms *norms, unsigned threads)
{
    const struct plan_shape *s = &plan->shape;
    double sum_sq = 0, sum_pop = 0;
    (void)threads; /* unused without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1) reduction(+ : sum_sq, sum_pop)
    for (size_t at = 0; at < s->n_digits; at += CHUNK_DIGITS) {
        const size_t len = s->n_digits - at < CHUNK_DIGITS ? s->n_digits - at : CHUNK_DIGITS;
        const size_t used = at >= count ? 0 : count - at < len ? count - at : len;
        struct digit_norms n = {0, 0};
        int32_t d[CHUNK_DIGITS];
        if (!stage_part(plan, len))
            continue;
        source->cut(source, d, first + at, used);
        memset(d + used, 0, (len - used) * sizeof *d);
        plan->ops->digits_pack(plan, x, part, at, d, len, &n);
        sum_sq += n.sum_sq;
        sum_pop += n.sum_pop;
    }
    *norms = (struct digit_norms){sum_sq, sum_pop};
}
