/* ocl_residue.h - numbers on a device modulo a prime. */
#ifndef GFMUL_OCL_RESIDUE_H
#define GFMUL_OCL_RESIDUE_H

#include "ocl/ocl.h"
#include "ocl/ocl_launch.h"

#ifdef HAVE_OPENCL
/*
 * ocl_residue - the residue of a number that is on the device.
 *
 *   number   in   n words of 32 bits, least significant first, or (text) n decimal characters, most significant first
 *   prime    in   odd, in (2^32, 2^61); the library's are below 2^58
 *   residue  out  below prime
 *   profile  i/o  as ocl_launch
 * Behind what the device's queue holds, and waited for; with the device's lock held.
 * Errors: those of ocl_kernel_get and ocl_launch.
 */
enum gfmul_status ocl_residue(struct ocl_device *d, cl_mem number, size_t n, bool text, uint64_t prime, uint64_t *residue,
                              struct ocl_profile *profile, char *detail);
#endif

#endif
