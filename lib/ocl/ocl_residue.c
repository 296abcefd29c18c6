/*
 * ocl_residue.c - numbers on a device modulo a prime, by kernels/number_residue.cl.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_residue.h"

#ifdef HAVE_OPENCL
#include "limbs/residue.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_staging.h"

/* RESIDUE_ITEMS of the kernel and its levels; units of an item where there are enough; groups at most. */
enum { ITEMS = 256, LEVELS = 8, ITEM_UNITS = 16, GROUPS_MAX = 1024, TEXT_UNIT = 8 };

/* quotient_of - floor(m 2^64 / p). */
static uint64_t quotient_of(uint64_t m, uint64_t p)
{
    return (uint64_t)(((unsigned __int128)m << 64) / p);
}

static uint64_t power_of(uint64_t base, uint64_t exponent, uint64_t p)
{
    uint64_t r = 1;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            r = residue_mul(r, base, p);
        base = residue_mul(base, base, p);
    }
    return r;
}

enum gfmul_status ocl_residue(struct ocl_device *d, cl_mem number, size_t n, bool text, uint64_t prime, uint64_t *residue,
                              struct ocl_profile *profile, char *detail)
{
    const size_t units = text ? (n + TEXT_UNIT - 1) / TEXT_UNIT : n;
    const uint64_t base = text ? 100000000 : (uint64_t)1 << 32;
    size_t groups = (units + ITEMS * ITEM_UNITS - 1) / (ITEMS * ITEM_UNITS);
    cl_kernel k = NULL;
    cl_mem part = NULL;
    cl_ulong value[GROUPS_MAX], step[LEVELS], quotient[LEVELS], power[2];
    const cl_ulong count = n, p = prime;

    groups = groups < 1 ? 1 : groups > GROUPS_MAX ? GROUPS_MAX : groups;
    for (unsigned i = 0; i < LEVELS; i++) {
        step[i] = power_of(base, (uint64_t)1 << i, prime);
        quotient[i] = quotient_of(step[i], prime);
    }
    power[0] = power_of(base, groups * ITEMS, prime);
    power[1] = quotient_of(power[0], prime);

    enum gfmul_status status =
        ocl_kernel_get(d, "number_residue.cl", "number_residue", text ? "-DTEXT=1" : "-DTEXT=0", &k, detail);
    if (status == GFMUL_OK)
        status = ocl_buffer_get(d, groups * sizeof(cl_ulong), &part, detail);
    if (status == GFMUL_OK)
        status = ocl_args(d, k, detail, OCL_ARG(number), OCL_ARG(count), OCL_ARG(p), OCL_ARG(power), OCL_ARG(step),
                          OCL_ARG(quotient), OCL_ARG(part), OCL_END);
    if (status == GFMUL_OK) {
        const size_t local = ITEMS, global = groups * ITEMS;
        status = ocl_launch(d, k, "number_residue", 1, &global, &local, (text ? 1.0 : 4.0) * (double)n, profile, detail);
    }
    if (status == GFMUL_OK)
        status = ocl_download(d, value, part, 0, groups * sizeof(cl_ulong), 1, OCL_AFTER_QUEUE, detail);
    if (status == GFMUL_OK) {
        const uint64_t group_base = power_of(base, ITEMS, prime);
        uint64_t r = 0;
        for (size_t g = groups; g-- > 0;)
            r = (residue_mul(r, group_base, prime) + value[g] % prime) % prime;
        *residue = ocl_fault(OCL_FAULT_RESIDUE) ? (r + 1) % prime : r;
    }
    if (status != GFMUL_OK)
        ocl_drain(d); /* the kernel may not have run: nobody else gets what it writes before */
    ocl_buffer_put(d, part);
    ocl_kernel_put(d, k);
    return status;
}
#endif
