/* space_device_state.h - the state of a space on a device, only for the files space_device*.c. */
#ifndef GFMUL_SPACE_DEVICE_STATE_H
#define GFMUL_SPACE_DEVICE_STATE_H

#include "mul/device_store.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_staging.h"
#include "space/space_device.h"

/* A number's highest limbs, which are looked at on the host.  If they are all 0, it goes there as a whole. */
enum { DEVICE_TOP_LIMBS = 64 };

struct space_device {
    struct ocl_device *d; /* stays open until the context is destroyed */
    struct device_store *store;
    struct plan_shape shape;
    size_t products; /* of a sum of this plan; longer ones are made in parts */
};

static inline size_t device_spectrum_bytes(const struct gfmul_space *space)
{
    return (size_t)device_points_bytes(&space->device->shape);
}

/* device_limbs - the span of n limbs of a buffer. */
static inline struct ocl_span device_limbs(void *m, size_t first, size_t n)
{
    return (struct ocl_span){m, first * sizeof(mp_limb_t), n * sizeof(mp_limb_t)};
}

/* device_memory_count - count a buffer as the space's.   device_memory_put - give such a buffer back; m NULL: there is none. */
void device_memory_count(struct gfmul_space *space, void *m);
void device_memory_put(struct gfmul_space *space, void *m);

/* device_residues_check - whether n limbs from the device have the residues that they should have.   Errors: VERIFY. */
enum gfmul_status device_residues_check(struct call *call, const struct gfmul_space *space, const mp_limb_t *z, size_t n,
                                        const uint64_t *want);

/*
 * device_profile_begin - an ocl_call of a call in a space, which adds the times of kernels to those of the call so far, if they
 *                        are wanted.   profile out: its memory
 * device_profile_end   - wait for the kernels; their times are the call's then.   Errors: those of ocl_profile_read.
 */
struct ocl_call device_profile_begin(struct call *call, const struct space_device *device, struct ocl_profile *profile);
enum gfmul_status device_profile_end(struct call *call, const struct ocl_call *on);

/* A value as the device makes it: two's complement modulo 2^(64 n_limbs), or the magnitude of a negative one. */
struct device_made {
    cl_mem words; /* NULL: a device_value has taken them */
    size_t n_limbs;
    struct ocl_readback highest;
    mp_limb_t top[DEVICE_TOP_LIMBS]; /* its highest limbs, zeros below them if there are fewer */
    bool negative;                   /* what is made now is the negated value */
};

/*
 * device_made_start - enqueue the read of the highest limbs; end it with ocl_readback_end.   With the lock.
 * device_made_wait - wait for them.   device_made_sign - the highest bit.
 * device_made_length - the length of a value that is not negative, as far as they tell it; 0: they are all 0.   top out: its
 * highest limb
 * device_made_value - a value that is not negative any more becomes v, whose space and residues are set.   Errors: VERIFY.
 */
enum gfmul_status device_made_start(const struct ocl_call *on, struct device_made *m);
enum gfmul_status device_made_wait(const struct ocl_call *on, struct device_made *m);
bool device_made_sign(const struct device_made *m);
size_t device_made_length(const struct device_made *m, mp_limb_t *top);
enum gfmul_status device_made_value(struct call *call, const struct ocl_call *on, struct device_made *m, struct device_value *v);

/* device_values_add - v += x, which is used no more: v has its words, or they are freed.   made, errors: as device_value_add */
enum gfmul_status device_values_add(struct call *call, struct device_value *v, struct device_value *x, bool *made);

#endif
