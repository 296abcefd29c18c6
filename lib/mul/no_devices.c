/*
 * no_devices.c - the functions of devices in a build without OpenCL: they report that there is no device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "mul/call_run.h"
#include "mul/ctx_device.h"
#include "mul/mul_shared.h"
#include "mul/programs.h"

static const char reason[] = "this build has no OpenCL";

static enum gfmul_status no_device(struct call *call, const void *arguments)
{
    (void)arguments;
    return call_fail(call, GFMUL_ERR_DEVICE, "%s", reason);
}

/* refused - a call that wants a device. */
static enum gfmul_status refused(struct gfmul_ctx *ctx)
{
    return call_run(ctx, &(struct call_work){.run = no_device});
}

enum gfmul_status ctx_device_begin(struct gfmul_ctx *ctx)
{
    (void)ctx;
    return GFMUL_OK;
}

void ctx_device_end(struct gfmul_ctx *ctx)
{
    (void)ctx;
}

void ctx_device_trim(struct gfmul_ctx *ctx)
{
    (void)ctx;
}

double ctx_device_estimate(struct call *call, size_t limbs)
{
    (void)call, (void)limbs;
    return 0;
}

void ctx_device_failed(struct gfmul_ctx *ctx, const struct ocl_device *d, const char *why)
{
    (void)ctx, (void)d, (void)why;
}

void ctx_device_leave(struct gfmul_ctx *ctx, struct ocl_device *d, size_t limbs)
{
    (void)ctx, (void)d, (void)limbs;
}

bool ctx_device_others(struct gfmul_ctx *ctx, uint64_t tried)
{
    (void)ctx, (void)tried;
    return false;
}

enum gfmul_status product_shared(struct call *call, const struct product *p, bool *made)
{
    (void)call, (void)p;
    *made = false;
    return GFMUL_OK;
}

enum gfmul_status programs_build(struct attempt *t)
{
    (void)t;
    return GFMUL_OK;
}

unsigned gfmul_device_list(struct gfmul_device_info *info, unsigned max)
{
    (void)info, (void)max;
    return 0;
}

unsigned gfmul_driver_list(struct gfmul_driver_info *info, unsigned max)
{
    (void)info, (void)max;
    return 0;
}

enum gfmul_status gfmul_device_find(struct gfmul_device_info *info, const char *want, char *detail, size_t detail_size)
{
    const bool cpu = want && (strcmp(want, "cpu") == 0 || strcmp(want, "0") == 0);
    if (info)
        memset(info, 0, sizeof *info);
    if (detail && detail_size > 0)
        snprintf(detail, detail_size, "%s", cpu ? "" : reason);
    return cpu ? GFMUL_OK : GFMUL_ERR_DEVICE;
}

enum gfmul_status gfmul_device_operand_create(struct gfmul_ctx *ctx, struct gfmul_device_operand **op, size_t max_limbs)
{
    (void)max_limbs;
    if (!op)
        return GFMUL_ERR_ARGUMENT;
    *op = NULL;
    return refused(ctx);
}

enum gfmul_status gfmul_device_host_alloc(struct gfmul_ctx *ctx, void **p, size_t bytes)
{
    (void)bytes;
    if (!p)
        return GFMUL_ERR_ARGUMENT;
    *p = NULL;
    return refused(ctx);
}

void gfmul_device_host_free(struct gfmul_ctx *ctx, void *p)
{
    (void)ctx, (void)p;
}

/* No device operand can exist in this build, so the argument of the functions below is NULL. */

enum gfmul_status gfmul_device_operand_set(struct gfmul_device_operand *op, const mp_limb_t *a, size_t an)
{
    (void)op, (void)a, (void)an;
    return GFMUL_ERR_ARGUMENT;
}

enum gfmul_status gfmul_device_operand_get(const struct gfmul_device_operand *op, mp_limb_t *z, size_t zn)
{
    (void)op, (void)z, (void)zn;
    return GFMUL_ERR_ARGUMENT;
}

enum gfmul_status gfmul_device_operand_mul(struct gfmul_device_operand *z, const struct gfmul_device_operand *a,
                                           const struct gfmul_device_operand *b)
{
    (void)z, (void)a, (void)b;
    return GFMUL_ERR_ARGUMENT;
}

size_t gfmul_device_operand_limbs(const struct gfmul_device_operand *op)
{
    (void)op;
    return 0;
}

void *gfmul_device_operand_mem(const struct gfmul_device_operand *op)
{
    (void)op;
    return NULL;
}

void gfmul_device_operand_destroy(struct gfmul_device_operand *op)
{
    (void)op;
}
