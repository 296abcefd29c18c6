/*
 * ctx_device.h - the OpenCL device of a context, for the files of engine opencl.
 */
#ifndef GFMUL_CTX_DEVICE_H
#define GFMUL_CTX_DEVICE_H

#include "mul/ctx.h"

struct ocl_device;

/*
 * ctx_device_begin - what the options say of a device; nothing is touched unless one is named.   _end - let it go.
 * ctx_device_trim - let go what is idle there.
 * Errors: DEVICE (the one named is not there or not usable), MEMORY.
 */
enum gfmul_status ctx_device_begin(struct gfmul_ctx *ctx);
void ctx_device_end(struct gfmul_ctx *ctx);
void ctx_device_trim(struct gfmul_ctx *ctx);

/*
 * ctx_device_get - the device for a product of about so many limbs, opened if that is its first.
 *
 *   d  out  NULL: the CPU makes it; if a device was looked for in vain, the call's detail says so
 * Valid until the context is destroyed, even if it is lost on the way.
 * Errors: those of ocl_device_open, if the device was named.
 */
enum gfmul_status ctx_device_get(struct call *call, size_t limbs, struct ocl_device **d);

/*
 * ctx_device_missed - the CPU makes a product of about so many limbs, and a device that were open might be faster: enough of them
 * open one.
 */
void ctx_device_missed(struct call *call, size_t limbs);

/*
 * ctx_device_is_unknown - whether ctx_device_get would open a device that ocl_device_is_unknown.
 * Loads the drivers, at most.
 */
bool ctx_device_is_unknown(struct call *call, size_t limbs);

/* ctx_device_failed - a product failed there for this reason; if the device is lost that is kept for the products to come. */
void ctx_device_failed(struct gfmul_ctx *ctx, struct ocl_device *d, const char *why);

/* ctx_device_each - f(d, p) for each device that this context has open, lost ones too. */
void ctx_device_each(struct gfmul_ctx *ctx, void *p, void (*f)(struct ocl_device *d, void *p));

#endif
