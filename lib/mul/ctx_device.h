/*
 * ctx_device.h - the OpenCL devices of a context.  A build without OpenCL has no_devices.c instead, where there is none.
 */
#ifndef GFMUL_CTX_DEVICE_H
#define GFMUL_CTX_DEVICE_H

#include "mul/ctx.h"

struct ocl_device;

/*
 * ctx_device_begin - note what the options say about devices; only named devices are looked for.   _end - close them.
 * ctx_device_trim - free what is idle on the devices.
 * Errors: DEVICE (a named device is missing or not usable), ARGUMENT (a list that is none), MEMORY.
 */
enum gfmul_status ctx_device_begin(struct gfmul_ctx *ctx);
void ctx_device_end(struct gfmul_ctx *ctx);
void ctx_device_trim(struct gfmul_ctx *ctx);

/*
 * ctx_device_get - the first device, for plans and memory of products of about so many limbs; the first call opens it.
 * ctx_device_take - the device with the least work, for such a product; if several are free, the first of them.
 *
 *   tried  in   a bit for each place that the product has failed at; a place is an entry of the option `device`
 *   place  out  that of d, from 1; written only if there is a d
 *   d      out  NULL: the CPU makes it; if a device was looked for in vain, the call's detail says so.  After a take it is given
 *               back by ctx_device_leave
 * A device that is lost, or cannot be opened, is left out until no other one is left.  It stays valid until the context is
 * destroyed, even if it is lost in between.
 * Errors: those of ocl_device_open, if devices were named, and none of them is left.
 */
enum gfmul_status ctx_device_get(struct call *call, size_t limbs, struct ocl_device **d);
enum gfmul_status ctx_device_take(struct call *call, size_t limbs, uint64_t tried, struct ocl_device **d, unsigned *place);

/*
 * ctx_device_enter - note a product of about so many limbs on a device that need not be chosen, as if it were taken.
 *                    Returns its place, from 1; 0: it is lost, and other products have noticed that.
 * ctx_device_leave - the product has ended, or failed.
 * ctx_device_others - whether there is a place that is neither out nor tried.
 */
unsigned ctx_device_enter(struct gfmul_ctx *ctx, struct ocl_device *d, size_t limbs);
void ctx_device_leave(struct gfmul_ctx *ctx, struct ocl_device *d, size_t limbs);
bool ctx_device_others(struct gfmul_ctx *ctx, uint64_t tried);

/* ctx_device_idle - how many places have no product under way, open or not.   Opens nothing. */
unsigned ctx_device_idle(struct gfmul_ctx *ctx);

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
void ctx_device_failed(struct gfmul_ctx *ctx, const struct ocl_device *d, const char *why);

/* ctx_device_each - call f(d, p) for each device that this context has open, lost ones too. */
void ctx_device_each(struct gfmul_ctx *ctx, void *p, void (*f)(struct ocl_device *d, void *p));

#endif
