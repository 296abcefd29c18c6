/*
 * ocl_launch.c - launches of kernels, markers, and how long kernels took.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_launch.h"

#ifdef HAVE_OPENCL
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_state.h"

/* line_of - the profile's line of a kernel; the last one takes all that has no room. */
static unsigned line_of(struct ocl_profile *profile, const char *name)
{
    unsigned i = 0;
    while (i < profile->n_kernels && strncmp(profile->kernel[i].name, name, sizeof profile->kernel[i].name - 1) != 0)
        i++;
    if (i < profile->n_kernels)
        return i;
    if (i == OCL_PROFILE_KERNELS)
        return i - 1;
    memset(&profile->kernel[i], 0, sizeof profile->kernel[i]);
    snprintf(profile->kernel[i].name, sizeof profile->kernel[i].name, "%s", name);
    profile->n_kernels++;
    return i;
}

enum gfmul_status ocl_launch(struct ocl_device *d, cl_kernel k, const char *name, unsigned dims, const size_t *global,
                             const size_t *local, double bytes, struct ocl_profile *profile, char *detail)
{
    return ocl_launch_from(d, k, name, dims, NULL, global, local, bytes, profile, detail);
}

enum gfmul_status ocl_launch_from(struct ocl_device *d, cl_kernel k, const char *name, unsigned dims, const size_t *from,
                                  const size_t *global, const size_t *local, double bytes, struct ocl_profile *profile,
                                  char *detail)
{
    cl_event event = NULL;
    enum gfmul_status status = ocl_lost_status(d, detail);
    if (status != GFMUL_OK)
        return status;
    if (!d->profile)
        profile = NULL;
    if (profile && profile->n_pending == OCL_PROFILE_PENDING && (status = ocl_profile_read(d, profile, detail)) != GFMUL_OK)
        return status;
    cl_int code = ocl_fault(OCL_FAULT_LAUNCH);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(d->queue, k, dims, from, global, local, 0, NULL, profile ? &event : NULL);
    if (code != CL_SUCCESS) {
        char call[64];
        snprintf(call, sizeof call, "kernel %s", name);
        return ocl_status(d, code, call, detail);
    }
    if (profile) {
        const unsigned line = line_of(profile, name);
        profile->kernel[line].launches++;
        profile->kernel[line].bytes += bytes;
        profile->of[profile->n_pending] = (unsigned char)line;
        profile->pending[profile->n_pending++] = event;
    }
    return GFMUL_OK;
}

enum gfmul_status ocl_args(struct ocl_device *d, cl_kernel k, char *detail, ...)
{
    va_list ap;
    cl_int code = CL_SUCCESS;
    cl_uint i = 0;
    va_start(ap, detail);
    for (;; i++) {
        const size_t bytes = va_arg(ap, size_t);
        const void *value = va_arg(ap, const void *);
        if (bytes == 0 || (code = clSetKernelArg(k, i, bytes, value)) != CL_SUCCESS)
            break;
    }
    va_end(ap);
    if (code != CL_SUCCESS) {
        char call[64];
        snprintf(call, sizeof call, "clSetKernelArg %u", (unsigned)i);
        return ocl_status(d, code, call, detail);
    }
    return GFMUL_OK;
}

enum gfmul_status ocl_fill(struct ocl_device *d, cl_mem m, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes,
                           char *detail)
{
    enum gfmul_status status = ocl_lost_status(d, detail);
    if (status != GFMUL_OK || bytes == 0)
        return status;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueFillBuffer(d->queue, m, pattern, pattern_bytes, offset, bytes, 0, NULL, NULL);
    return ocl_status(d, code, "clEnqueueFillBuffer", detail);
}

enum gfmul_status ocl_after(struct ocl_device *d, cl_event event, char *detail)
{
    return ocl_status(d, clEnqueueBarrierWithWaitList(d->queue, 1, &event, NULL), "clEnqueueBarrierWithWaitList", detail);
}

enum gfmul_status ocl_mark(struct ocl_device *d, cl_event *event, char *detail)
{
    enum gfmul_status status = ocl_lost_status(d, detail);
    *event = NULL;
    if (status != GFMUL_OK)
        return status;
    status = ocl_status(d, clEnqueueMarkerWithWaitList(d->queue, 0, NULL, event), "clEnqueueMarkerWithWaitList", detail);
    if (status == GFMUL_OK && (status = ocl_status(d, clFlush(d->queue), "clFlush", detail)) != GFMUL_OK) {
        clReleaseEvent(*event);
        *event = NULL;
    }
    return status;
}

enum gfmul_status ocl_event_wait(struct ocl_device *d, cl_event event, const char *what, char *detail)
{
    cl_int state = CL_COMPLETE, code = clWaitForEvents(1, &event);
    const cl_int asked = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (asked == CL_SUCCESS && state < 0)
        code = state;
    return ocl_status(d, code == CL_SUCCESS ? asked : code, what, detail);
}

enum gfmul_status ocl_finish(struct ocl_device *d, char *detail)
{
    cl_command_queue queue[] = {d->up.queue, d->queue, d->down.queue};
    enum gfmul_status status = ocl_lost_status(d, detail);
    cl_int code = ocl_fault(OCL_FAULT_FINISH);
    for (size_t i = 0; i < sizeof queue / sizeof queue[0] && status == GFMUL_OK; i++)
        status = ocl_status(d, code == CL_SUCCESS ? clFinish(queue[i]) : code, "clFinish", detail);
    if (status != GFMUL_OK)
        ocl_drain(d);
    return status;
}

void ocl_drain(struct ocl_device *d)
{
    clFinish(d->up.queue);
    clFinish(d->queue);
    clFinish(d->down.queue);
}

enum gfmul_status ocl_profile_read(struct ocl_device *d, struct ocl_profile *profile, char *detail)
{
    enum gfmul_status status = GFMUL_OK;
    for (unsigned i = 0; i < profile->n_pending && status == GFMUL_OK; i++) {
        cl_event event = profile->pending[i];
        cl_ulong start = 0, end = 0;
        struct gfmul_kernel_time *kernel = &profile->kernel[profile->of[i]];
        if ((status = ocl_event_wait(d, event, kernel->name, detail)) != GFMUL_OK)
            break;
        if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == CL_SUCCESS &&
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS && end > start)
            kernel->ns += end - start;
    }
    ocl_profile_drop(profile);
    return status;
}

void ocl_profile_drop(struct ocl_profile *profile)
{
    for (unsigned i = 0; i < profile->n_pending; i++)
        clReleaseEvent(profile->pending[i]);
    profile->n_pending = 0;
}
#endif
