/*
 * mul_ocl.c - products on an OpenCL device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/mul.h"

enum gfmul_status mul_ocl_limbs(struct call *call, struct ocl_device *d, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                const mp_limb_t *b, size_t bn)
{
    (void)call, (void)d, (void)z, (void)a, (void)an, (void)b, (void)bn;
    return GFMUL_ERR_UNSUPPORTED;
}

enum gfmul_status mul_ocl_text(struct call *call, struct ocl_device *d, char *z, size_t zn, const struct text_number *a,
                               const struct text_number *b)
{
    (void)call, (void)d, (void)z, (void)zn, (void)a, (void)b;
    return GFMUL_ERR_UNSUPPORTED;
}

enum gfmul_status mul_ocl_plan(struct call *call, struct ocl_device *d, struct gfmul_plan_info *info, unsigned base, size_t an,
                               size_t bn, bool square)
{
    (void)call, (void)d, (void)info, (void)base, (void)an, (void)bn, (void)square;
    return GFMUL_ERR_UNSUPPORTED;
}

void mul_ocl_release(struct gfmul_ctx *ctx, struct ocl_device *d)
{
    (void)ctx, (void)d;
}
