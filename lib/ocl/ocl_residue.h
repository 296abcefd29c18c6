/* ocl_residue.h - reduce numbers on a device modulo primes. */
#ifndef GFMUL_OCL_RESIDUE_H
#define GFMUL_OCL_RESIDUE_H

#include "limbs/residue.h"
#include "ocl/ocl.h"

enum { OCL_RESIDUE_NUMBERS = 3 };

struct ocl_residue_number {
    cl_mem words;
    size_t n;
};

/*
 * ocl_residues - compute residues of numbers that are on the device, each number in one pass, with one wait for all.
 *
 *   number   in   count of them, at most OCL_RESIDUE_NUMBERS: n words of 32 bits, least significant first, or (text) n decimal
 *                 characters, most significant first
 *   n_primes in   at most RESIDUE_PRIMES_MAX
 *   prime    in   n_primes odd numbers in (2^32, 2^61); the library's are below 2^58
 *   residue  out  of each number modulo each prime, below the prime
 * Runs after the commands in the device's queue, and waits; with the device's lock held.
 * Errors: those of ocl_kernel_get and ocl_launch.
 */
enum gfmul_status ocl_residues(const struct ocl_call *on, const struct ocl_residue_number *number, unsigned count, bool text,
                               unsigned n_primes, const uint64_t *prime, uint64_t (*residue)[RESIDUE_PRIMES_MAX]);

#endif
