/*
 * mul_shared.h - one product that several devices share.  A build without OpenCL has none: no_devices.c.
 */
#ifndef GFMUL_MUL_SHARED_H
#define GFMUL_MUL_SHARED_H

#include "mul/ctx.h"
#include "mul/grid.h"
#include "mul/product.h"

/*
 * product_shared - cut the product into cells that several devices of the context make at once, if that takes less time.
 *
 *   made  out  false: the product has to be made whole; z holds nothing then
 *
 * The product is checked as the options say, in addition to its cells.
 * Errors: those of gfmul_mul, if the product has no other way.
 */
enum gfmul_status product_shared(struct call *call, const struct product *p, bool *made);

/* shared_grid - the cells in which so many open devices make a product in the least time; a single cell: it is not cut. */
struct grid_cells shared_grid(const struct call *call, const struct product *p, unsigned devices);

#endif
