/*
 * grid.c - add the products of cells.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/grid.h"

#include "limbs/limb_range.h"

enum { PARTS_MOST = 64, PART_LIMBS = 1 << 14 }; /* a part: some 5 us */

void grid_add(struct call *call, const struct number *z, const mp_limb_t *x, size_t n, size_t at)
{
    const enum phase phase = phase_enter(&call->clock, PHASE_CARRY);
    const size_t len = n < z->n - at ? n : z->n - at;
    const unsigned most = call->threads < PARTS_MOST ? call->threads : PARTS_MOST;
    const size_t parts = len / PART_LIMBS < 1 ? 1 : len / PART_LIMBS < most ? len / PART_LIMBS : most;
    mp_limb_t *const to = z->limbs + at, carry[PARTS_MOST];
#ifdef _OPENMP
#pragma omp parallel for num_threads((unsigned)parts) if (parts > 1)
#endif
    for (size_t i = 0; i < parts; i++) {
        const size_t from = len / parts * i, end = i + 1 == parts ? len : from + len / parts;
        carry[i] = mpn_add_n(to + from, to + from, x + from, (mp_size_t)(end - from));
    }
    for (size_t i = 0; i < parts; i++) /* a carry seldom goes far */
        limbs_add_at(z->limbs, z->n, at + (i + 1 == parts ? len : len / parts * (i + 1)), (int64_t)carry[i]);
    phase_enter(&call->clock, phase);
}
