/*
 * fft_ocl_io.c - plain transforms on a device: transfers of a call's data, and the calls that all rows share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fft/fft_ocl.h"

#ifdef HAVE_OPENCL
#include <string.h>

#include "base/threads.h"
#include "base/try.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_staging.h"

/* memory_of - the kind of memory that a call uses. */
static enum gfmul_fft_memory memory_of(const struct gfmul_fft *plan, const struct fft_ocl_side *in,
                                       const struct fft_ocl_side *out)
{
    const size_t point_bytes = 2 * plan->real_bytes; /* kernels read whole points */
    if (plan->memory == GFMUL_FFT_MEMORY_USE_HOST &&
        (in->p == out->p || (uintptr_t)in->p % point_bytes != 0 || (uintptr_t)out->p % point_bytes != 0 ||
         (plan->batch > 1 && (in->step != in->bytes || out->step != out->bytes))))
        return GFMUL_FFT_MEMORY_STAGED;
    return plan->memory;
}

static enum gfmul_status buffer_create(const struct ocl_call *on, cl_mem *m, cl_mem_flags flags, size_t bytes, void *p)
{
    cl_int code = CL_SUCCESS;
    *m = clCreateBuffer(ocl_device_context(on->device), flags, bytes, p, &code);
    return ocl_status(on, code, "clCreateBuffer");
}

/* keep - host memory that the device can reach, kept for the next call. */
static enum gfmul_status keep(const struct ocl_call *on, struct fft_ocl_io *io, unsigned i, size_t bytes)
{
    if (io->kept_bytes[i] >= bytes)
        return GFMUL_OK;
    if (io->kept[i] != NULL)
        clReleaseMemObject(io->kept[i]);
    io->kept_bytes[i] = 0;
    TRY(buffer_create(on, &io->kept[i], CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL));
    io->kept_bytes[i] = bytes;
    return GFMUL_OK;
}

/* copy - copy between mapped memory and the host's, in the direction that flags give. */
static enum gfmul_status copy(const struct ocl_call *on, cl_mem m, cl_map_flags flags, const struct fft_ocl_side *side,
                              size_t batch)
{
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = ocl_device_queue(on->device);
    char *mapped = clEnqueueMapBuffer(queue, m, CL_TRUE, flags, 0, batch * side->bytes, 0, NULL, NULL, &code);
    TRY(ocl_status(on, code, "clEnqueueMapBuffer"));
    for (size_t b = 0; b < batch && side->p != NULL; b++) {
        char *host = (char *)side->p + b * side->step;
        if (flags == CL_MAP_READ)
            memcpy(host, mapped + b * side->bytes, side->bytes);
        else
            memcpy(mapped + b * side->bytes, host, side->bytes);
    }
    return ocl_status(on, clEnqueueUnmapMemObject(queue, m, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

/*
 * io_begin, io_end - bring the input to the device, and the output back; between ocl_device_lock and unlock.
 *
 *   in, out  in   the same in both calls; in->p is not written
 *   status   in   result of the work between: if it is not OK, nothing is brought back.   Returns the first error
 * USE_HOST needs batches without gaps, and separate buffers for in and out; otherwise the call is staged.
 */
static enum gfmul_status io_begin(const struct ocl_call *on, struct fft_ocl_io *io, const struct gfmul_fft *plan,
                                  const struct fft_ocl_side *in, const struct fft_ocl_side *out)
{
    const size_t batch = plan->batch, in_bytes = batch * in->bytes, out_bytes = batch * out->bytes;
    const unsigned threads = threads_available(plan->threads);
    io->from = io->to = NULL;
    io->from_pool = false;
    switch (memory_of(plan, in, out)) {
    case GFMUL_FFT_MEMORY_USE_HOST:
        TRY(buffer_create(on, &io->from, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, in_bytes, in->p));
        return buffer_create(on, &io->to, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, out_bytes, out->p);
    case GFMUL_FFT_MEMORY_ALLOC_HOST:
        TRY(keep(on, io, 0, in_bytes));
        TRY(keep(on, io, 1, out_bytes));
        io->from = io->kept[0];
        io->to = io->kept[1];
        return copy(on, io->from, CL_MAP_WRITE, in, batch);
    default:
        break;
    }
    io->from_pool = true;
    TRY(ocl_buffer_get(on, in_bytes, &io->from));
    TRY(ocl_buffer_get(on, out_bytes, &io->to));
    const size_t parts = in->step == in->bytes ? 1 : batch;
    for (size_t b = 0; b < parts; b++)
        TRY(ocl_upload(on, (struct ocl_span){io->from, b * in->bytes, in_bytes / parts}, (const char *)in->p + b * in->step,
                       threads, OCL_AFTER_QUEUE));
    return GFMUL_OK;
}

static enum gfmul_status bring_back(const struct ocl_call *on, struct fft_ocl_io *io, const struct gfmul_fft *plan,
                                    enum gfmul_fft_memory memory, const struct fft_ocl_side *out)
{
    const size_t batch = plan->batch, parts = out->step == out->bytes ? 1 : batch, part_bytes = batch / parts * out->bytes;
    const struct fft_ocl_side nowhere = {NULL, out->bytes, out->step};
    if (memory != GFMUL_FFT_MEMORY_STAGED) /* only mapping makes the caller's memory valid */
        return copy(on, io->to, CL_MAP_READ, memory == GFMUL_FFT_MEMORY_USE_HOST ? &nowhere : out, batch);
    for (size_t b = 0; b < parts; b++)
        TRY(ocl_download(on, (char *)out->p + b * out->step, (struct ocl_span){io->to, b * out->bytes, part_bytes},
                         threads_available(plan->threads), OCL_AFTER_QUEUE));
    return GFMUL_OK;
}

static enum gfmul_status io_end(const struct ocl_call *on, struct fft_ocl_io *io, const struct gfmul_fft *plan,
                                const struct fft_ocl_side *in, const struct fft_ocl_side *out, enum gfmul_status status)
{
    const enum gfmul_fft_memory memory = memory_of(plan, in, out);
    const enum gfmul_status back = status == GFMUL_OK ? bring_back(on, io, plan, memory, out) : status;
    const enum gfmul_status ended = ocl_finish(on);
    if (memory == GFMUL_FFT_MEMORY_STAGED && io->from_pool) {
        ocl_buffer_put(on->device, io->from);
        ocl_buffer_put(on->device, io->to);
    } else if (memory == GFMUL_FFT_MEMORY_USE_HOST) {
        if (io->from != NULL)
            clReleaseMemObject(io->from);
        if (io->to != NULL)
            clReleaseMemObject(io->to);
    }
    io->from = io->to = NULL;
    return back != GFMUL_OK ? back : ended;
}

void fft_ocl_io_free(struct fft_ocl_io *io)
{
    for (unsigned i = 0; i < 2; i++)
        if (io->kept[i] != NULL)
            clReleaseMemObject(io->kept[i]);
    memset(io, 0, sizeof *io);
}

enum gfmul_status fft_ocl_open(struct ocl_device **d, const struct gfmul_fft *plan)
{
    const struct ocl_device_options given = {.context = plan->cl_context, .queue = plan->cl_queue};
    TRY(ocl_device_open(d, plan->device != NULL && strcmp(plan->device, "auto") != 0 ? plan->device : "gpu", &given, NULL));
    return plan->real_bytes >= sizeof(double) && !ocl_device_info(*d)->fp64 ? GFMUL_ERR_UNSUPPORTED : GFMUL_OK;
}

/* A caller's buffer: its parent, or itself if it has none, and its offset there. */
struct range {
    cl_mem whole;
    size_t first, bytes;
};

static enum gfmul_status range_get(const struct ocl_call *on, struct range *r, cl_mem m)
{
    cl_mem_object_type type = 0;
    cl_context context = NULL;
    r->first = r->bytes = 0;
    r->whole = NULL;
    if (clGetMemObjectInfo(m, CL_MEM_TYPE, sizeof type, &type, NULL) != CL_SUCCESS || type != CL_MEM_OBJECT_BUFFER)
        return GFMUL_ERR_ARGUMENT;
    cl_int code = clGetMemObjectInfo(m, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof r->bytes, &r->bytes, NULL);
    if (code == CL_SUCCESS)
        code = clGetMemObjectInfo(m, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof r->whole, &r->whole, NULL);
    if (code == CL_SUCCESS && r->whole != NULL)
        code = clGetMemObjectInfo(m, CL_MEM_OFFSET, sizeof r->first, &r->first, NULL);
    r->whole = r->whole != NULL ? r->whole : m;
    TRY(ocl_status(on, code, "clGetMemObjectInfo"));
    return context == ocl_device_context(on->device) ? GFMUL_OK : GFMUL_ERR_ARGUMENT;
}

enum gfmul_status fft_ocl_spans_check(const struct ocl_call *on, cl_mem out, size_t out_bytes, cl_mem in, size_t in_bytes)
{
    struct range from, to;
    TRY(range_get(on, &from, in));
    TRY(range_get(on, &to, out));
    if (from.bytes < in_bytes || to.bytes < out_bytes)
        return GFMUL_ERR_ARGUMENT;
    const bool apart = from.whole != to.whole || from.first >= to.first + to.bytes || to.first >= from.first + from.bytes;
    return in == out || apart ? GFMUL_OK : GFMUL_ERR_OVERLAP;
}

enum gfmul_status fft_ocl_buffers_check(const struct gfmul_fft *plan, bool backward, cl_mem out, cl_mem in)
{
    const struct ocl_call *on = &((const struct fft_ocl_state *)plan->state)->on;
    const bool real = plan->type == GFMUL_FFT_REAL;
    const size_t spectrum = real ? plan->n / 2 + 1 : plan->n;
    const size_t time = ((plan->batch - 1) * plan->in_dist + plan->n) * plan->real_bytes * (real ? 1 : 2);
    const size_t frequency = ((plan->batch - 1) * plan->out_dist + spectrum) * plan->real_bytes * 2;
    return fft_ocl_spans_check(on, out, backward ? time : frequency, in, backward ? frequency : time);
}

enum gfmul_status fft_ocl_run(const struct gfmul_fft *plan, void *out, size_t out_step, const void *in, size_t in_step,
                              bool backward, fft_ocl_transform *transform)
{
    struct fft_ocl_state *s = plan->state;
    const bool real = plan->type == GFMUL_FFT_REAL;
    const size_t time_bytes = plan->n * plan->real_bytes * (real ? 1 : 2);
    const size_t spectrum_bytes = (real ? plan->n / 2 + 1 : plan->n) * plan->real_bytes * 2;
    const struct fft_ocl_side from = {(void *)(uintptr_t)in, backward ? spectrum_bytes : time_bytes, in_step};
    const struct fft_ocl_side to = {out, backward ? time_bytes : spectrum_bytes, out_step};
    ocl_device_lock(s->on.device);
    const enum gfmul_status begun = io_begin(&s->on, &s->io, plan, &from, &to);
    const enum gfmul_status made = begun == GFMUL_OK ? transform(plan, s->io.to, s->io.from, backward) : begun;
    const enum gfmul_status status = io_end(&s->on, &s->io, plan, &from, &to, made);
    ocl_device_unlock(s->on.device);
    return status;
}

enum gfmul_status fft_ocl_finish(const struct gfmul_fft *plan)
{
    return ocl_finish(&((const struct fft_ocl_state *)plan->state)->on);
}

void fft_ocl_drain(const struct fft_ocl_state *s)
{
    if (s->on.device == NULL)
        return;
    ocl_device_lock(s->on.device);
    ocl_finish(&s->on);
    ocl_device_unlock(s->on.device);
}

void *fft_ocl_queue(const struct gfmul_fft *plan)
{
    return ocl_device_queue(((const struct fft_ocl_state *)plan->state)->on.device);
}
#endif
