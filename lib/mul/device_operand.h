/* device_operand.h - a number that stays on a device. */
#ifndef GFMUL_DEVICE_OPERAND_H
#define GFMUL_DEVICE_OPERAND_H

#include "mul/ctx.h"

struct ocl_device;

/*
 * Each number carries the residues that its value should have: those of the limbs it was set to, or those that its factors
 * demand.  A fetched value is checked against them.
 */
struct gfmul_device_operand {
    struct gfmul_ctx *ctx;
    struct ocl_device *d; /* stays open until the context is destroyed */
    void *words;          /* a cl_mem */
    size_t max_limbs, limbs;
    uint64_t residue[RESIDUE_PRIMES_MAX]; /* of the value, modulo the context's first primes */
};

#endif
