/*
 * fft_ocl_io.c - plain transforms on a device: how a call's data come there and back; calls of every row.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fft/fft_ocl.h"

#ifdef HAVE_OPENCL
#include <string.h>

#include "base/threads.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_staging.h"

/* memory_of - what is done in a call. */
static enum gfmul_fft_memory memory_of(const struct gfmul_fft *plan, const struct fft_ocl_side *in,
                                       const struct fft_ocl_side *out)
{
    if (plan->memory == GFMUL_FFT_MEMORY_USE_HOST &&
        (in->p == out->p || (plan->batch > 1 && (in->step != in->bytes || out->step != out->bytes))))
        return GFMUL_FFT_MEMORY_STAGED;
    return plan->memory;
}

static enum gfmul_status buffer_create(cl_mem *m, struct ocl_device *d, cl_mem_flags flags, size_t bytes, void *p)
{
    cl_int code = CL_SUCCESS;
    *m = clCreateBuffer(ocl_device_context(d), flags, bytes, p, &code);
    return ocl_status(d, code, "clCreateBuffer", NULL);
}

/* keep - memory of the host that the device reaches, kept for the next call. */
static enum gfmul_status keep(struct fft_ocl_io *io, struct ocl_device *d, unsigned i, size_t bytes)
{
    if (io->kept_bytes[i] >= bytes)
        return GFMUL_OK;
    if (io->kept[i] != NULL)
        clReleaseMemObject(io->kept[i]);
    io->kept_bytes[i] = 0;
    FFT_TRY(buffer_create(&io->kept[i], d, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL));
    io->kept_bytes[i] = bytes;
    return GFMUL_OK;
}

/* copy - between mapped memory and the host's, in the way that flags say. */
static enum gfmul_status copy(struct ocl_device *d, cl_mem m, cl_map_flags flags, const struct fft_ocl_side *side, size_t batch)
{
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = ocl_device_queue(d);
    char *mapped = clEnqueueMapBuffer(queue, m, CL_TRUE, flags, 0, batch * side->bytes, 0, NULL, NULL, &code);
    FFT_TRY(ocl_status(d, code, "clEnqueueMapBuffer", NULL));
    for (size_t b = 0; b < batch && side->p != NULL; b++) {
        char *host = (char *)side->p + b * side->step;
        if (flags == CL_MAP_READ)
            memcpy(host, mapped + b * side->bytes, side->bytes);
        else
            memcpy(mapped + b * side->bytes, host, side->bytes);
    }
    return ocl_status(d, clEnqueueUnmapMemObject(queue, m, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject", NULL);
}

/*
 * io_begin, io_end - bring the input there, the output back; between ocl_device_lock and unlock.
 *
 *   in, out  in   the same in both calls; in->p is not written
 *   status   in   of what was done between: where it is not OK nothing is brought back.   Returns the first error
 * USE_HOST needs batches without gaps and in apart from out; where they are not, the call is staged.
 */
static enum gfmul_status io_begin(struct fft_ocl_io *io, struct ocl_device *d, const struct gfmul_fft *plan,
                                  const struct fft_ocl_side *in, const struct fft_ocl_side *out)
{
    const size_t batch = plan->batch, in_bytes = batch * in->bytes, out_bytes = batch * out->bytes;
    const unsigned threads = threads_available(plan->threads);
    io->from = io->to = NULL;
    io->from_pool = false;
    switch (memory_of(plan, in, out)) {
    case GFMUL_FFT_MEMORY_USE_HOST:
        FFT_TRY(buffer_create(&io->from, d, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, in_bytes, in->p));
        return buffer_create(&io->to, d, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, out_bytes, out->p);
    case GFMUL_FFT_MEMORY_ALLOC_HOST:
        FFT_TRY(keep(io, d, 0, in_bytes));
        FFT_TRY(keep(io, d, 1, out_bytes));
        io->from = io->kept[0];
        io->to = io->kept[1];
        return copy(d, io->from, CL_MAP_WRITE, in, batch);
    default:
        break;
    }
    io->from_pool = true;
    FFT_TRY(ocl_buffer_get(d, in_bytes, &io->from, NULL));
    FFT_TRY(ocl_buffer_get(d, out_bytes, &io->to, NULL));
    const size_t parts = in->step == in->bytes ? 1 : batch;
    for (size_t b = 0; b < parts; b++)
        FFT_TRY(ocl_upload(d, io->from, b * in->bytes, (const char *)in->p + b * in->step, in_bytes / parts, threads,
                           OCL_AFTER_QUEUE, NULL));
    return GFMUL_OK;
}

static enum gfmul_status io_end(struct fft_ocl_io *io, struct ocl_device *d, const struct gfmul_fft *plan,
                                const struct fft_ocl_side *in, const struct fft_ocl_side *out, enum gfmul_status status)
{
    const size_t batch = plan->batch, parts = out->step == out->bytes ? 1 : batch;
    const enum gfmul_fft_memory memory = memory_of(plan, in, out);
    const struct fft_ocl_side nowhere = {NULL, out->bytes, out->step};
    if (status == GFMUL_OK && memory == GFMUL_FFT_MEMORY_STAGED)
        for (size_t b = 0; b < parts && status == GFMUL_OK; b++)
            status = ocl_download(d, (char *)out->p + b * out->step, io->to, b * out->bytes, batch / parts * out->bytes,
                                  threads_available(plan->threads), OCL_AFTER_QUEUE, NULL);
    else if (status == GFMUL_OK) /* of the caller's memory mapping alone makes it valid */
        status = copy(d, io->to, CL_MAP_READ, memory == GFMUL_FFT_MEMORY_USE_HOST ? &nowhere : out, batch);
    const enum gfmul_status ended = ocl_finish(d, NULL);
    if (memory == GFMUL_FFT_MEMORY_STAGED && io->from_pool) {
        ocl_buffer_put(d, io->from);
        ocl_buffer_put(d, io->to);
    } else if (memory == GFMUL_FFT_MEMORY_USE_HOST) {
        if (io->from != NULL)
            clReleaseMemObject(io->from);
        if (io->to != NULL)
            clReleaseMemObject(io->to);
    }
    io->from = io->to = NULL;
    return status != GFMUL_OK ? status : ended;
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
    FFT_TRY(ocl_device_open(d, plan->device != NULL && strcmp(plan->device, "auto") != 0 ? plan->device : "gpu", &given, NULL));
    return plan->real_bytes == sizeof(double) && !ocl_device_info(*d)->fp64 ? GFMUL_ERR_UNSUPPORTED : GFMUL_OK;
}

/* A caller's buffer: what it is a part of, itself where it is none, and where. */
struct range {
    cl_mem whole;
    size_t first, bytes;
};

static enum gfmul_status range_get(struct range *r, struct ocl_device *d, cl_mem m)
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
    FFT_TRY(ocl_status(d, code, "clGetMemObjectInfo", NULL));
    return context == ocl_device_context(d) ? GFMUL_OK : GFMUL_ERR_ARGUMENT;
}

enum gfmul_status fft_ocl_buffers_check(const struct gfmul_fft *plan, bool backward, cl_mem out, cl_mem in)
{
    struct ocl_device *d = ((const struct fft_ocl_state *)plan->state)->d;
    const bool real = plan->type == GFMUL_FFT_REAL;
    const size_t spectrum = real ? plan->n / 2 + 1 : plan->n;
    const size_t time = ((plan->batch - 1) * plan->in_dist + plan->n) * plan->real_bytes * (real ? 1 : 2);
    const size_t frequency = ((plan->batch - 1) * plan->out_dist + spectrum) * plan->real_bytes * 2;
    struct range from, to;
    FFT_TRY(range_get(&from, d, in));
    FFT_TRY(range_get(&to, d, out));
    if (from.bytes < (backward ? frequency : time) || to.bytes < (backward ? time : frequency))
        return GFMUL_ERR_ARGUMENT;
    const bool apart = from.whole != to.whole || from.first >= to.first + to.bytes || to.first >= from.first + from.bytes;
    return in == out || apart ? GFMUL_OK : GFMUL_ERR_OVERLAP;
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
    ocl_device_lock(s->d);
    enum gfmul_status status = io_begin(&s->io, s->d, plan, &from, &to);
    if (status == GFMUL_OK)
        status = transform(plan, s->io.to, s->io.from, backward);
    status = io_end(&s->io, s->d, plan, &from, &to, status);
    ocl_device_unlock(s->d);
    return status;
}

enum gfmul_status fft_ocl_finish(const struct gfmul_fft *plan)
{
    return ocl_finish(((const struct fft_ocl_state *)plan->state)->d, NULL);
}

void fft_ocl_drain(const struct fft_ocl_state *s)
{
    if (s->d == NULL)
        return;
    ocl_device_lock(s->d);
    ocl_finish(s->d, NULL);
    ocl_device_unlock(s->d);
}

void *fft_ocl_queue(const struct gfmul_fft *plan)
{
    return ocl_device_queue(((const struct fft_ocl_state *)plan->state)->d);
}
#endif
