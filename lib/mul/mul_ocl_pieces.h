/*
 * mul_ocl_pieces.h - products of operands cut into pieces on a device: spectra kept, products added up.
 */
#ifndef GFMUL_MUL_OCL_PIECES_H
#define GFMUL_MUL_OCL_PIECES_H

#include "mul/mul_ocl_kept.h"

#ifdef HAVE_OPENCL
/*
 * mul_ocl_pieces - a product of limbs by a shape of plan_device_pieces, a_pieces > 1; all of a and b is read before z is written.
 *
 * Takes and gives back the device's lock.   Errors: as mul_ocl; DEVICE where the device refuses the memory for the spectra.
 */
enum gfmul_status mul_ocl_pieces(struct call *call, struct ocl_device *d, struct ocl_kept *kept, const struct plan_shape *shape,
                                 const struct product *product);
#endif

#endif
