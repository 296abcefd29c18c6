/* ocl_words.h - sums of numbers on a device, by kernels/words_sum.cl. */
#ifndef GFMUL_OCL_WORDS_H
#define GFMUL_OCL_WORDS_H

#include "ocl/ocl_pipeline.h"

/* Kernels and memory for sums of numbers.  All zero: there is nothing yet. */
struct ocl_words {
    cl_kernel sum, carry;
    cl_mem maps, record;
};

/*
 * ocl_words_get - what sums of up to so many words need.   ocl_words_put - give it back; nothing is allowed.   With the lock.
 * Errors: those of ocl_kernel_get and ocl_buffer_get; then give back what there is.
 */
enum gfmul_status ocl_words_get(const struct ocl_call *on, struct ocl_words *words, size_t n_words);
void ocl_words_put(struct ocl_device *d, struct ocl_words *words);

/* ocl_words_bytes - bytes of the device that ocl_words_get takes, about. */
size_t ocl_words_bytes(size_t n_words);

/* A number, times a factor of size below 2^31. */
struct ocl_multiple {
    struct ocl_number x;
    int32_t times;
};

/*
 * ocl_words_sum - enqueue z = the sum of two multiples, modulo 2^(32 z.n_words): as two's complement.   With the lock.
 *
 *   z  out  no memory of x or y, which may be the same
 * Errors: those of ocl_launch.
 */
enum gfmul_status ocl_words_sum(const struct ocl_call *on, const struct ocl_words *words, struct ocl_number z,
                                struct ocl_multiple x, struct ocl_multiple y);

#endif
