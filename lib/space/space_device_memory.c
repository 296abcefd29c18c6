/*
 * space_device_memory.c - what numbers have on a device: its memory, and the way back to the host.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <inttypes.h>
#include <string.h>

#include "base/try.h"
#include "mul/mul_verify.h"
#include "ocl/ocl_buffer.h"
#include "space/space_device_state.h"

void device_memory_count(struct gfmul_space *space, void *m)
{
    atomic_fetch_add(&space->device_bytes, ocl_buffer_bytes(space->device->d, m));
}

void device_memory_put(struct gfmul_space *space, void *m)
{
    if (!m)
        return;
    atomic_fetch_sub(&space->device_bytes, ocl_buffer_bytes(space->device->d, m));
    ocl_buffer_put(space->device->d, m); /* each call waits for its own commands */
}

void device_leave(struct natural *x)
{
    if (!x->space->device)
        return;
    device_memory_put(x->space, x->words);
    device_memory_put(x->space, atomic_load(&x->spectrum));
}

struct ocl_call device_profile_begin(struct call *call, const struct space_device *device, struct ocl_profile *profile)
{
    const bool wanted = call->ctx->opt.profile;
    if (wanted) {
        profile->n_pending = 0;
        profile->n_kernels = call->n_kernels;
        memcpy(profile->kernel, call->kernel, call->n_kernels * sizeof call->kernel[0]);
    }
    return (struct ocl_call){device->d, wanted ? profile : NULL, call->why};
}

enum gfmul_status device_profile_end(struct call *call, const struct ocl_call *on)
{
    if (!on->profile)
        return GFMUL_OK;
    TRY(ocl_profile_read(on));
    call->n_kernels = on->profile->n_kernels;
    memcpy(call->kernel, on->profile->kernel, call->n_kernels * sizeof call->kernel[0]);
    return GFMUL_OK;
}

enum gfmul_status device_residues_check(struct call *call, const struct gfmul_space *space, const mp_limb_t *z, size_t n,
                                        const uint64_t *want)
{
    uint64_t r[RESIDUE_PRIMES_MAX];
    if (space->n_residues == 0)
        return GFMUL_OK;
    mul_residues(call, r, z, n, n >= MUL_MEMORY_LIMBS);
    for (unsigned k = 0; k < space->n_residues; k++)
        if (r[k] != want[k])
            return call_fail(call, GFMUL_ERR_VERIFY,
                             "what came from the device is %" PRIu64 " modulo %" PRIu64 ", but should be %" PRIu64, r[k],
                             call->moduli[k].p, want[k]);
    return GFMUL_OK;
}

enum gfmul_status device_download(struct call *call, const struct natural *x, mp_limb_t *z)
{
    const struct ocl_call *on = OCL_ON(x->space->device->d, call->why);
    TRY(ocl_download(on, z, device_limbs(x->words, 0, x->n), call->threads, OCL_AT_ONCE));
    return device_residues_check(call, x->space, z, x->n, x->residue);
}
