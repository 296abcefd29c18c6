/* space_device_state.h - the state of a space on a device, only for the files space_device*.c. */
#ifndef GFMUL_SPACE_DEVICE_STATE_H
#define GFMUL_SPACE_DEVICE_STATE_H

#include "above/space_device.h"
#include "mul/device_store.h"

/* A number's highest limbs, which are looked at on the host.  If they are all 0, it goes there as a whole. */
enum { DEVICE_TOP_LIMBS = 64 };

struct space_device {
    struct ocl_device *d; /* stays open until the context is destroyed */
    struct device_store *store;
    struct plan_shape shape;
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

#endif
