/*
 * grid.h - a product of cells: both operands are cut into cells of limbs, and the products of the cells are added up.
 */
#ifndef GFMUL_GRID_H
#define GFMUL_GRID_H

#include "mul/ctx.h"
#include "mul/product.h"

/* How many cells each operand is cut into. */
struct grid_cells {
    size_t a, b;
};

/* grid_cell_limbs - limbs of each cell of an operand; the last cell may have fewer. */
static inline size_t grid_cell_limbs(const struct number *x, size_t cells)
{
    return (x->n - 1) / cells + 1;
}

/* grid_cut - cut the longer cell of two operands in two. */
void grid_cut(struct grid_cells *cells, const struct number *a, const struct number *b);

/* A sum of the products of cells.  Its limbs have a value up to `top` and count as 0 beyond it, so nothing is cleared first. */
struct grid_sum {
    const struct number *z;
    size_t top;
};

/* grid_add - z += 2^(64 at) x, n limbs; those beyond the end of z are zero.   By all threads, timed as PHASE_CARRY. */
void grid_add(struct call *call, struct grid_sum *sum, const mp_limb_t *x, size_t n, size_t at);

/* grid_extend - give the limbs below `end` a value: 0, if they have none. */
void grid_extend(struct call *call, struct grid_sum *sum, size_t end);

static inline bool grid_is_whole(const struct grid_cells *cells)
{
    return cells->a == 1 && cells->b == 1;
}

#endif
