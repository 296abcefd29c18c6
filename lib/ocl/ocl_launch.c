/*
 * ocl_launch.c - launches of kernels, markers, and kernel times.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_state.h"

/* line_of - the profile's line of a kernel; if there is no room, kernels share the last line. */
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

enum gfmul_status ocl_launch(const struct ocl_call *on, cl_kernel k, const char *name, struct ocl_range range, double bytes)
{
    struct ocl_profile *profile = on->device->profile ? on->profile : NULL;
    cl_event event = NULL;
    TRY(ocl_lost_status(on));
    if (profile && profile->n_pending == OCL_PROFILE_PENDING)
        TRY(ocl_profile_read(on));
    cl_int code = ocl_fault(OCL_FAULT_LAUNCH);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(on->device->queue, k, range.dims, range.from, range.global,
                                      range.local[0] > 0 ? range.local : NULL, 0, NULL, profile ? &event : NULL);
    if (code != CL_SUCCESS) {
        char call[64];
        snprintf(call, sizeof call, "kernel %s", name);
        return ocl_status(on, code, call);
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

enum gfmul_status ocl_args(const struct ocl_call *on, cl_kernel k, ...)
{
    va_list ap;
    cl_int code = CL_SUCCESS;
    cl_uint i = 0;
    va_start(ap, k);
    for (;; i++) {
        const size_t bytes = va_arg(ap, size_t);
        const void *value = va_arg(ap, const void *);
        if (bytes == 0 || (code = clSetKernelArg(k, i, bytes, value)) != CL_SUCCESS)
            break;
    }
    va_end(ap);
    if (code == CL_SUCCESS)
        return GFMUL_OK;
    char call[64];
    snprintf(call, sizeof call, "clSetKernelArg %u", (unsigned)i);
    return ocl_status(on, code, call);
}

enum gfmul_status ocl_fill(const struct ocl_call *on, struct ocl_span span, const void *pattern, size_t pattern_bytes)
{
    TRY(ocl_lost_status(on));
    if (span.bytes == 0)
        return GFMUL_OK;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueFillBuffer(on->device->queue, span.m, pattern, pattern_bytes, span.offset, span.bytes, 0, NULL, NULL);
    return ocl_status(on, code, "clEnqueueFillBuffer");
}

enum gfmul_status ocl_copy(const struct ocl_call *on, struct ocl_span to, cl_mem from)
{
    TRY(ocl_lost_status(on));
    if (to.bytes == 0)
        return GFMUL_OK;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueCopyBuffer(on->device->queue, from, to.m, 0, to.offset, to.bytes, 0, NULL, NULL);
    return ocl_status(on, code, "clEnqueueCopyBuffer");
}

enum gfmul_status ocl_after(const struct ocl_call *on, cl_event event)
{
    return ocl_status(on, clEnqueueBarrierWithWaitList(on->device->queue, 1, &event, NULL), "clEnqueueBarrierWithWaitList");
}

enum gfmul_status ocl_mark(const struct ocl_call *on, cl_event *event)
{
    *event = NULL;
    TRY(ocl_lost_status(on));
    TRY(ocl_status(on, clEnqueueMarkerWithWaitList(on->device->queue, 0, NULL, event), "clEnqueueMarkerWithWaitList"));
    const enum gfmul_status status = ocl_flush(on, on->device->queue);
    if (status != GFMUL_OK) {
        clReleaseEvent(*event);
        *event = NULL;
    }
    return status;
}

enum gfmul_status ocl_flush(const struct ocl_call *on, cl_command_queue queue)
{
    return ocl_status(on, clFlush(queue), "clFlush");
}

enum gfmul_status ocl_event_wait(const struct ocl_call *on, cl_event event, const char *what)
{
    cl_int state = CL_COMPLETE, code = clWaitForEvents(1, &event);
    const cl_int asked = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (asked == CL_SUCCESS && state < 0)
        code = state;
    return ocl_status(on, code == CL_SUCCESS ? asked : code, what);
}

enum gfmul_status ocl_event_end(const struct ocl_call *on, cl_event *event, const char *what)
{
    if (!*event)
        return GFMUL_OK;
    const enum gfmul_status status = ocl_event_wait(on, *event, what);
    clReleaseEvent(*event);
    *event = NULL;
    return status;
}

bool ocl_event_over(cl_event event)
{
    cl_int state = CL_COMPLETE;
    return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) != CL_SUCCESS ||
           state <= CL_COMPLETE;
}

static enum gfmul_status queues_finish(const struct ocl_call *on)
{
    const cl_command_queue queue[] = {on->device->up.queue, on->device->queue, on->device->down.queue};
    const cl_int fault = ocl_fault(OCL_FAULT_FINISH);
    TRY(ocl_lost_status(on));
    for (size_t i = 0; i < sizeof queue / sizeof queue[0]; i++)
        TRY(ocl_status(on, fault == CL_SUCCESS ? clFinish(queue[i]) : fault, "clFinish"));
    return GFMUL_OK;
}

enum gfmul_status ocl_finish(const struct ocl_call *on)
{
    const enum gfmul_status status = queues_finish(on);
    if (status != GFMUL_OK)
        ocl_drain(on->device);
    return status;
}

void ocl_drain(struct ocl_device *d)
{
    clFinish(d->up.queue);
    clFinish(d->queue);
    clFinish(d->down.queue);
}

/* pending_read - add the time of launch i. */
static enum gfmul_status pending_read(const struct ocl_call *on, unsigned i)
{
    cl_event event = on->profile->pending[i];
    cl_ulong start = 0, end = 0;
    struct gfmul_kernel_time *kernel = &on->profile->kernel[on->profile->of[i]];
    TRY(ocl_event_wait(on, event, kernel->name));
    if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == CL_SUCCESS &&
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS && end > start)
        kernel->ns += end - start;
    return GFMUL_OK;
}

enum gfmul_status ocl_profile_read(const struct ocl_call *on)
{
    enum gfmul_status status = GFMUL_OK;
    if (!on->profile)
        return GFMUL_OK;
    for (unsigned i = 0; i < on->profile->n_pending && status == GFMUL_OK; i++)
        status = pending_read(on, i);
    ocl_profile_drop(on->profile);
    return status;
}

void ocl_profile_drop(struct ocl_profile *profile)
{
    for (unsigned i = 0; i < profile->n_pending; i++)
        clReleaseEvent(profile->pending[i]);
    profile->n_pending = 0;
}
