/* gen_device.h - a generated transform inside this process: emitted, built through the cache of programs, enqueued. */
#ifndef GFMUL_GEN_DEVICE_H
#define GFMUL_GEN_DEVICE_H

#include "gen/emit.h"
#include "ocl/ocl.h"

#ifdef HAVE_OPENCL
struct gen_device;

/*
 * gen_device_create - a transform ready for a device.
 *
 *   on  in   its device has to stay open as long as g lives
 *   g   out  NULL on failure; end it with gen_device_destroy
 *   p   in   checked parameters
 *
 * Cost:   that of ocl_kernel_get_text, and of a table of p's length, or of its square root.
 * Errors: DEVICE (with the build log's first line in detail), MEMORY, UNSUPPORTED (no double precision).
 */
enum gfmul_status gen_device_create(const struct ocl_call *on, struct gen_device **g, const struct gen_params *p);
void gen_device_destroy(struct gen_device *g); /* NULL is allowed; none of its commands may be in the queue */

/*
 * gen_device_enqueue - enqueue the transform in the device's queue, whose lock the caller holds.
 *
 *   in, out      as in the generated functions fft_ID_forward, fft_ID_backward
 *   first, last  out  events of the first and the last kernel, which the caller releases; NULL: not wanted
 * Errors: those of ocl_status; ARGUMENT if the parameters leave the direction out, or if one buffer is given but two are needed.
 */
enum gfmul_status gen_device_enqueue(const struct ocl_call *on, struct gen_device *g, bool backward, cl_mem in, cl_mem out,
                                     cl_event *first, cl_event *last);

/* gen_device_launches - the launches of the transform; valid as long as g. */
const struct gen_launches *gen_device_launches(const struct gen_device *g);
#endif

#endif
