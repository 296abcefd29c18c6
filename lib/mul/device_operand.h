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
    bool known;                           /* the host knows the next two; not those of a product */
    size_t length;                        /* limbs without high zeros */
    mp_limb_t top;                        /* the highest of these */
    atomic_bool exposed;                  /* the caller has asked for `words` */
    uint64_t residue[RESIDUE_PRIMES_MAX]; /* of the value, modulo the context's first primes */
};

/*
 * device_operand_share  - one more holder of a number's words, who gives them back with ocl_buffer_put.  They keep the value even
 *                         if the number gets another one, or ends.
 *                         Value: false: there is none, because the caller may know the words, or because they are more than
 *                         twice as long as so many limbs.   Threads: several may share one number at once
 * device_operand_adopt  - a number that gets a value takes words that others hold, too, in place of its own.   words: a cl_mem
 *                         Value: false: they are too few or too many for it, or the caller may know its own.
 * device_operand_own    - other words for a number that gets a value, if others hold them.   Errors: those of ocl_buffer_get.
 */
bool device_operand_share(const struct gfmul_device_operand *op, size_t limbs);
bool device_operand_adopt(struct gfmul_device_operand *op, void *words);
enum gfmul_status device_operand_own(struct call *call, struct gfmul_device_operand *op);

#endif
