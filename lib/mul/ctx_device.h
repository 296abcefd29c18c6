/*
 * ctx_device.h - the OpenCL device of a context.  A build without OpenCL has no_devices.c instead, where there is none.
 */
#ifndef GFMUL_CTX_DEVICE_H
#define GFMUL_CTX_DEVICE_H

#include "mul/ctx.h"

struct ocl_device;

/*
 * ctx_device_begin - note what the options say about a device; only a named device is looked for.   _end - close it.
 * ctx_device_trim - free what is idle on the device.
 * Errors: DEVICE (the named device is missing or not usable), MEMORY.
 */
enum gfmul_status ctx_device_begin(struct gfmul_ctx *ctx);
void ctx_device_end(struct gfmul_ctx *ctx);
void ctx_device_trim(struct gfmul_ctx *ctx);

/*
 * ctx_device_get - the device for a product of about so many limbs; the first such product opens it.
 *
 *   d  out  NULL: the CPU makes it; if a device was looked for in vain, the call's detail says so
 * The device stays valid until the context is destroyed, even if it is lost in between.
 * Errors: those of ocl_device_open, if the device was named.
 */
enum gfmul_status ctx_device_get(struct call *call, size_t limbs, struct ocl_device **d);

/*
 * ctx_device_missed - note that the CPU makes a product of about so many limbs.  The time that an open device would have saved is
 * summed up; once it is enough, a later product opens one.
 */
void ctx_device_missed(struct call *call, size_t limbs);

/*
 * ctx_device_is_unknown - whether ctx_device_get would open a device that ocl_device_is_unknown.
 * At most it loads the drivers; it opens nothing.
 */
bool ctx_device_is_unknown(struct call *call, size_t limbs);

/*
 * ctx_device_estimate - nanoseconds of a product of about so many limbs on the context's GPU.  If it is known but not open, its
 * start counts.   0: no GPU is known.   Opens nothing, and calls no driver.
 */
double ctx_device_estimate(struct call *call, size_t limbs);

/* ctx_device_failed - a product failed there for this reason.  If the device is lost, later products report this reason. */
void ctx_device_failed(struct gfmul_ctx *ctx, struct ocl_device *d, const char *why);

/* ctx_device_each - call f(d, p) for each device that this context has open, lost ones too. */
void ctx_device_each(struct gfmul_ctx *ctx, void *p, void (*f)(struct ocl_device *d, void *p));

#endif
