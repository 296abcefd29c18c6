/*
 * grid.h - a product in parts: both operands are cut into pieces of limbs, and the products of the pieces are added up.
 */
#ifndef GFMUL_GRID_H
#define GFMUL_GRID_H

#include "mul/ctx.h"
#include "mul/product.h"

/* How many parts each operand is cut into. */
struct grid_parts {
    size_t a, b;
};

/* grid_part_limbs - limbs of each part of an operand; the last part may have fewer. */
static inline size_t grid_part_limbs(const struct number *x, size_t parts)
{
    return (x->n - 1) / parts + 1;
}

/* grid_add_part - z += 2^(64 at) part, n limbs; limbs beyond the end of z are zero.   Timed as PHASE_CARRY. */
static inline void grid_add_part(struct call *call, const struct number *z, const mp_limb_t *part, size_t n, size_t at)
{
    const enum phase phase = phase_enter(&call->clock, PHASE_CARRY);
    const size_t left = z->n - at;
    mpn_add(z->limbs + at, z->limbs + at, (mp_size_t)left, part, (mp_size_t)(n < left ? n : left));
    phase_enter(&call->clock, phase);
}

static inline bool grid_is_whole(const struct grid_parts *parts)
{
    return parts->a == 1 && parts->b == 1;
}

#endif
