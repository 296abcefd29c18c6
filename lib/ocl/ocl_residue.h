/* ocl_residue.h - numbers on a device modulo a prime. */
#ifndef GFMUL_OCL_RESIDUE_H
#define GFMUL_OCL_RESIDUE_H

#include "ocl/ocl.h"

/*
 * ocl_residues - the residues of a number that is on the device, in one pass.
 *
 *   number   in   n words of 32 bits, least significant first, or (text) n decimal characters, most significant first
 *   n_primes in   at most RESIDUE_PRIMES_MAX
 *   prime    in   n_primes odd numbers in (2^32, 2^61); the library's are below 2^58
 *   residue  out  of each, below it
 * Behind what the device's queue holds, and waited for; with the device's lock held.
 * Errors: those of ocl_kernel_get and ocl_launch.
 */
enum gfmul_status ocl_residues(const struct ocl_call *on, cl_mem number, size_t n, bool text, unsigned n_primes,
                               const uint64_t *prime, uint64_t *residue);

#endif
