/*
 * gen_rows.c - gallery: transforms for one length and device, generated, compiled and kept when a plan is made.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The kernels are those that fftgen would write for ALGORITHM and the plan's length, type and precision.  A launch does at most
 * 2^8 points, or the whole transform if one work-group can hold it.
 */
#include "gallery/gallery.h"

#ifdef HAVE_OPENCL
#include "base/try.h"
#include "fft/fft_ocl.h"
#include "gen/gen_device.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"

enum { LEAST_POINTS = 8, PAIR_LEVELS = 20 };

struct state {
    struct fft_ocl_state base;
    struct gen_device *g;
    size_t time_bytes, frequency_bytes; /* of one transform */
    cl_mem src, dst;                    /* of one transform, made when needed and shared by the commands of an in-order queue */
};

static void destroy(struct gfmul_fft *plan)
{
    struct state *s = plan->state;
    if (s == NULL)
        return;
    fft_ocl_drain(&s->base);
    if (s->base.on.device != NULL) {
        ocl_buffer_put(s->base.on.device, s->src);
        ocl_buffer_put(s->base.on.device, s->dst);
    }
    fft_ocl_io_free(&s->base.io);
    gen_device_destroy(s->g);
    ocl_device_close(s->base.on.device);
    free(s);
}

static enum gfmul_status create(struct gfmul_fft *plan, char algorithm)
{
    const bool real = plan->type == GFMUL_FFT_REAL;
    struct gen_params p;
    struct gen_problems problems = {0};
    if (plan->n < LEAST_POINTS || plan->n > (size_t)1 << GEN_MAX_LOGN || !fft_is_smooth(plan->n) ||
        (plan->real_bytes != sizeof(double) && plan->real_bytes != sizeof(float)))
        return GFMUL_ERR_UNSUPPORTED;
    gen_params_default(&p);
    p.n = (uint32_t)plan->n;
    p.logn = (p.n & (p.n - 1)) == 0 ? gen_levels(p.n) : 0;
    p.data = real ? 'R' : 'C';
    p.fftdata = plan->real_bytes == sizeof(double) ? 'd' : 'f';
    p.algorithm = algorithm;
    p.scaling = plan->scale != 1;
    if (p.logn > PAIR_LEVELS && algorithm != 'T') /* the tables of all roots leave the cache: doc/fftgen.md */
        p.table = GEN_TABLE_PAIR;
    gen_params_check(&p, &problems);
    gen_text_free(&problems.text);
    if (problems.count > 0) /* a real length whose half is odd */
        return GFMUL_ERR_UNSUPPORTED;
    struct state *s = plan->state = calloc(1, sizeof *s);
    if (s == NULL)
        return GFMUL_ERR_MEMORY;
    s->time_bytes = plan->n * plan->real_bytes * (real ? 1 : 2);
    s->frequency_bytes = (real ? plan->n / 2 + 1 : plan->n) * plan->real_bytes * 2;
    TRY(fft_ocl_open(&s->base.on.device, plan));
    return gen_device_create(&s->base.on, &s->g, &p);
}

static enum gfmul_status copy(const struct state *s, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t bytes)
{
    return ocl_status(&s->base.on,
                      clEnqueueCopyBuffer(ocl_device_queue(s->base.on.device), from, to, from_at, to_at, bytes, 0, NULL, NULL),
                      "clEnqueueCopyBuffer");
}

/* A batch in device memory.  The kernels start at the beginning of a buffer and work out of place, so the rest is copied. */
static enum gfmul_status transform(const struct gfmul_fft *plan, cl_mem out, size_t out_step, cl_mem in, size_t in_step,
                                   bool backward)
{
    struct state *s = plan->state;
    const size_t in_bytes = backward ? s->frequency_bytes : s->time_bytes;
    const size_t out_bytes = backward ? s->time_bytes : s->frequency_bytes;
    const struct ocl_call *on = &s->base.on;
    if (plan->batch == 1 && in != out)
        return gen_device_enqueue(on, s->g, backward, in, out, NULL, NULL);
    if (s->src == NULL)
        TRY(ocl_buffer_get(on, s->frequency_bytes, &s->src));
    if (s->dst == NULL)
        TRY(ocl_buffer_get(on, s->frequency_bytes, &s->dst));
    for (size_t b = 0; b < plan->batch; b++) {
        TRY(copy(s, in, s->src, b * in_step, 0, in_bytes));
        TRY(gen_device_enqueue(on, s->g, backward, s->src, s->dst, NULL, NULL));
        TRY(copy(s, s->dst, out, 0, b * out_step, out_bytes));
    }
    return GFMUL_OK;
}

static enum gfmul_status enqueue(const struct gfmul_fft *plan, void *out, void *in, bool backward)
{
    const struct state *s = plan->state;
    const size_t number = plan->real_bytes, time_step = plan->in_dist * number * (plan->type == GFMUL_FFT_REAL ? 1 : 2);
    const size_t frequency_step = plan->out_dist * number * 2;
    TRY(fft_ocl_buffers_check(plan, backward, out, in));
    ocl_device_lock(s->base.on.device);
    enum gfmul_status status =
        transform(plan, out, backward ? time_step : frequency_step, in, backward ? frequency_step : time_step, backward);
    ocl_device_unlock(s->base.on.device);
    return status;
}

static enum gfmul_status transform_dense(const struct gfmul_fft *plan, cl_mem out, cl_mem in, bool backward)
{
    const struct state *s = plan->state;
    return transform(plan, out, backward ? s->time_bytes : s->frequency_bytes, in, backward ? s->frequency_bytes : s->time_bytes,
                     backward);
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, size_t out_step, const void *in, size_t in_step,
                             bool backward)
{
    return fft_ocl_run(plan, out, out_step, in, in_step, backward, transform_dense);
}

#define ROW_OF(id, letter, row_name, text)                                                       \
    static enum gfmul_status create_##id(struct gfmul_fft *plan)                                 \
    {                                                                                            \
        return create(plan, letter);                                                             \
    }                                                                                            \
    const struct fft_row fft_row_##id = {.about = {.name = row_name,                             \
                                                   .device = "opencl",                           \
                                                   .summary = "generated for its length: " text, \
                                                   .lengths = "2^a 3^b 5^c 7^d, 8 to 2^28",      \
                                                   .types = "complex, real",                     \
                                                   .precisions = "float, double"},               \
                                         .create = create_##id,                                  \
                                         .run_batch = run,                                       \
                                         .enqueue = enqueue,                                     \
                                         .finish = fft_ocl_finish,                               \
                                         .queue = fft_ocl_queue,                                 \
                                         .destroy = destroy};
ROW_OF(gen_radix2, '2', "radix2", "radix 2")
ROW_OF(gen_radix4, '4', "radix4", "radix 4")
ROW_OF(gen_radix8, '8', "radix8", "radix 8")
ROW_OF(gen_split, 'S', "split", "split radix")
ROW_OF(gen_pair, 'C', "conjugate_pair", "split radix with conjugate pairs")
ROW_OF(gen_tangent, 'T', "tangent", "the tangent algorithm")
#else
typedef int gen_rows_are_not_built; /* a file is not empty */
#endif
