/*
 * space_device.h - spaces on an OpenCL device: numbers and transforms there.  A build without OpenCL has no_space_device.c
 * instead, where no space is on a device.
 *
 * A number that was made on the device has its words there, and no limbs until somebody wants them (natural_fetch).  A number
 * that was set from limbs is uploaded whenever it is transformed, and keeps only the transform there.
 */
#ifndef GFMUL_SPACE_DEVICE_H
#define GFMUL_SPACE_DEVICE_H

#include "space/space.h"

/*
 * space_device_begin - put a space on the context's device, if one is named that makes such products; else its ->device stays
 * NULL.   space_device_end - the end of it.
 *
 * Sums are made by one plan, which is proved for all digits (doc/error-bound.md, section 23); with precision PRIME modulo
 * primes, with AUTO in the field that costs less.
 * Errors: those of the device; MEMORY.
 */
enum gfmul_status space_device_begin(struct call *call, struct gfmul_space *space);
void space_device_end(struct gfmul_space *space);

/* space_device_takes - whether the transforms there have room for x.   Threads: pure. */
bool space_device_takes(const struct gfmul_space *space, const struct natural *x);

/*
 * device_leave - free what x has on the device.
 * device_download - the limbs of x, which has words there.   z out: x->n limbs.   Errors: those of the device; VERIFY.
 */
void device_leave(struct natural *x);
enum gfmul_status device_download(struct call *call, const struct natural *x, mp_limb_t *z);

/* The value of a sum, on the device. */
struct device_value {
    struct gfmul_space *space;
    void *words; /* a cl_mem of n limbs, the highest one `top`; NULL: the value is 0 */
    size_t n;
    mp_limb_t top;
    bool negative;
    uint64_t residue[RESIDUE_PRIMES_MAX]; /* that its magnitude should have */
};

/*
 * device_sum - add up the long products of s.
 *
 *   v     out  give it to device_value_take, or to device_value_drop
 *   made  out  false: the device has no memory for the sum, and there is no value
 * Transforms of factors that spectra hold are kept, if there is memory for them.
 * Errors: those of the device; MEMORY, INTERRUPTED.
 * device_value_take - a number of this value.   x out: a new reference; NULL: 0.   Errors: MEMORY; SIZE: it is too long.
 * device_value_drop - v becomes 0.
 */
enum gfmul_status device_sum(struct call *call, struct gfmul_space *space, const struct sum *s, struct device_value *v,
                             bool *made);
enum gfmul_status device_value_take(struct call *call, struct device_value *v, struct integer *x);
void device_value_drop(struct device_value *v);

/*
 * device_integers_add - z = x + y, neither of them 0, on the device.   z out: a new reference
 * device_value_add - v += x, with residues of its magnitude.   device_value_add_times - v += times x, |times| < 2^31.
 *
 *   made  out  false: the device has no memory for it; then, and after an error, v is 0
 * Errors: those of device_sum and natural_of_words.
 */
enum gfmul_status device_integers_add(struct call *call, struct integer *z, const struct integer *x, const struct integer *y,
                                      bool *made);
enum gfmul_status device_value_add(struct call *call, struct device_value *v, const struct value *x, const uint64_t *residue,
                                   bool *made);
enum gfmul_status device_value_add_times(struct call *call, struct device_value *v, const struct natural *x, int32_t times,
                                         bool *made);

/*
 * device_number_set - an integer that is a number on the device.   x out: a new reference
 * device_number_get - the magnitude of x into a number on the device.
 * Errors: those of the device; UNSUPPORTED: the space is on no device.  ARGUMENT: the number is of another context or device, or
 * has no room.  SIZE: it is too long for the space.
 */
enum gfmul_status device_number_set(struct call *call, struct gfmul_space *space, struct integer *x,
                                    const struct gfmul_device_operand *a);
enum gfmul_status device_number_get(struct call *call, struct gfmul_space *space, const struct integer *x,
                                    struct gfmul_device_operand *z);

#endif
