/*
 * fft_ocl_row.c - algorithm "opencl": the library's own transforms on a device, of any length, complex and real.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A call with host memory uploads a batch, transforms it and downloads it; gfmul_fft_enqueue only transforms.
 * Workspace on the device belongs to the plan, because commands of an in-order queue can share it.
 */
#include "fft/fft_ocl.h"

#ifdef HAVE_OPENCL
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "ocl/ocl_arguments.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"

enum { WIDEN, MULTIPLY, NARROW, SPLIT, JOIN, REAL_WIDEN, REAL_NARROW, SPECTRUM_WIDEN, SPECTRUM_NARROW, N_KERNELS };

static const char *const names[N_KERNELS] = {"chirp_widen", "chirp_multiply", "chirp_narrow",   "real_split",     "real_join",
                                             "real_widen",  "real_narrow",    "spectrum_widen", "spectrum_narrow"};

struct state {
    struct fft_ocl_state base;
    struct fft_ocl *t;          /* of points, or the convolution of Bluestein's algorithm */
    size_t points;              /* of the complex transform: n or n / 2 */
    size_t m;                   /* Bluestein: of the convolution; else 0 */
    cl_mem chirp, spectrum;     /* Bluestein */
    struct fft_ocl_roots roots; /* real, even */
    cl_kernel k[N_KERNELS];
    cl_mem work, wide; /* memory of the plan, grown when needed */
    size_t work_bytes, wide_bytes;
};

static enum gfmul_status launch(const struct state *s, unsigned k, size_t items, size_t batch)
{
    return ocl_launch(&s->base.on, s->k[k], names[k], (struct ocl_range){.dims = 2, .global = {items, batch}}, 0);
}

enum gfmul_status fft_ocl_memory(const struct ocl_call *on, cl_mem *m, size_t *has, size_t bytes)
{
    if (*has >= bytes)
        return GFMUL_OK;
    TRY(ocl_finish(on));
    ocl_buffer_put(on->device, *m);
    *m = NULL;
    *has = 0;
    TRY(ocl_buffer_get(on, bytes, m));
    *has = bytes;
    return GFMUL_OK;
}

static void destroy(struct gfmul_fft *plan)
{
    struct state *s = plan->state;
    if (s == NULL)
        return;
    fft_ocl_drain(&s->base);
    if (s->base.on.device != NULL) {
        fft_ocl_io_free(&s->base.io);
        fft_ocl_destroy(s->t);
        fft_ocl_roots_destroy(&s->roots);
        if (s->chirp != NULL)
            clReleaseMemObject(s->chirp);
        if (s->spectrum != NULL)
            clReleaseMemObject(s->spectrum);
        for (unsigned i = 0; i < N_KERNELS; i++)
            ocl_kernel_put(s->base.on.device, s->k[i]);
        ocl_buffer_put(s->base.on.device, s->work);
        ocl_buffer_put(s->base.on.device, s->wide);
    }
    ocl_device_close(s->base.on.device);
    free(s);
}

/* kernels_get - get kernels first .. last of a file. */
static enum gfmul_status kernels_get(struct state *s, const char *file, const char *options, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++)
        TRY(ocl_kernel_get(&s->base.on, file, names[i], options, &s->k[i]));
    return GFMUL_OK;
}

/* Buffers used while the tables of the chirp are made. */
struct chirp {
    char *root, *chirp, *wide;
    cl_mem conjugate;
};

static enum gfmul_status spectrum_make(struct state *s, cl_mem conjugate, size_t real_bytes)
{
    const size_t m = s->m;
    struct fft_ocl_call call = {.out = s->spectrum, .in = conjugate, .out_dist = m, .in_dist = m, .batch = 1};
    fft_ocl_reciprocal(&call, m, real_bytes);
    TRY(fft_ocl_enqueue(&s->base.on, s->t, &call));
    return ocl_finish(&s->base.on);
}

static enum gfmul_status chirp_make(struct state *s, struct chirp *c, size_t n, size_t real_bytes)
{
    const struct ocl_call *on = &s->base.on;
    const size_t m = s->m, bytes = 2 * real_bytes;
    cl_int code = CL_SUCCESS;
    if (c->root == NULL || c->chirp == NULL || c->wide == NULL)
        return GFMUL_ERR_MEMORY;
    TRY(fft_ocl_roots_fill(c->root, real_bytes, 2 * n, 1, 2 * n));
    for (size_t j = 0, e = 0; j < n; e = (e + 2 * j + 1) % (2 * n), j++) { /* e = j^2 mod 2n */
        char *to = c->wide + j * bytes;
        memcpy(c->chirp + j * bytes, c->root + e * bytes, bytes);
        memcpy(to, c->root + (2 * n - e) % (2 * n) * bytes, bytes);
        memcpy(c->wide + (m - j) % m * bytes, to, bytes);
    }
    TRY(fft_ocl_table(on, &s->chirp, c->chirp, n * bytes));
    TRY(fft_ocl_table(on, &c->conjugate, c->wide, m * bytes));
    s->spectrum = clCreateBuffer(ocl_device_context(on->device), CL_MEM_READ_WRITE, m * bytes, NULL, &code);
    TRY(ocl_status(on, code, "clCreateBuffer"));
    ocl_device_lock(on->device);
    const enum gfmul_status status = spectrum_make(s, c->conjugate, real_bytes);
    ocl_device_unlock(on->device);
    return status;
}

/* chirp_create - the chirp of n points, and the transform of its conjugate over m, divided by m. */
static enum gfmul_status chirp_create(struct state *s, size_t n, size_t real_bytes)
{
    const size_t bytes = 2 * real_bytes;
    struct chirp c = {malloc(2 * n * bytes), malloc(n * bytes), calloc(s->m, bytes), NULL};
    const enum gfmul_status status = chirp_make(s, &c, n, real_bytes);
    if (c.conjugate != NULL)
        clReleaseMemObject(c.conjugate);
    free(c.root);
    free(c.chirp);
    free(c.wide);
    return status;
}

static enum gfmul_status create(struct gfmul_fft *plan)
{
    const char *options = fft_ocl_real_option(plan->real_bytes);
    const bool real = plan->type == GFMUL_FFT_REAL;
    struct state *s = plan->state = calloc(1, sizeof *s);
    if (s == NULL)
        return GFMUL_ERR_MEMORY;
    if (plan->n > UINT32_MAX / 4)
        return GFMUL_ERR_UNSUPPORTED;
    TRY(fft_ocl_open(&s->base.on.device, plan));
    s->points = real && plan->n % 2 == 0 ? plan->n / 2 : plan->n;
    if (!fft_is_smooth(s->points) && (s->m = fft_smooth_above(2 * s->points - 1)) == 0)
        return GFMUL_ERR_SIZE;
    TRY(fft_ocl_create(&s->base.on, &s->t, s->m ? s->m : s->points, plan->real_bytes, s->m != 0 || plan->permuted, NULL));
    if (s->m) {
        TRY(kernels_get(s, "fft_chirp.cl", options, WIDEN, NARROW));
        TRY(chirp_create(s, s->points, plan->real_bytes));
    }
    if (real) {
        TRY(kernels_get(s, "fft_real.cl", options, SPLIT, SPECTRUM_NARROW));
        if (plan->n % 2 == 0)
            TRY(fft_ocl_roots_create(&s->base.on, &s->roots, plan->real_bytes, plan->n, plan->n / 4 + 1));
    }
    return GFMUL_OK;
}

/* run_complex - of s->points points. */
static enum gfmul_status run_complex(const struct gfmul_fft *plan, struct fft_ocl_call *call)
{
    struct state *s = plan->state;
    const size_t point_bytes = 2 * plan->real_bytes;
    if (s->m == 0) {
        if (call->in == call->out && fft_ocl_needs_work(s->t)) {
            TRY(fft_ocl_memory(&s->base.on, &s->work, &s->work_bytes, call->batch * s->points * point_bytes));
            call->work = s->work;
        }
        return fft_ocl_enqueue(&s->base.on, s->t, call);
    }
    const size_t bytes = call->batch * s->m * point_bytes; /* gfmul_fft_create checked 64 n numbers */
    const cl_ulong in_dist = call->in_dist, out_dist = call->out_dist, n = s->points, m = s->m;
    const cl_int swap = call->backward;
    const cl_double scale[2] = {call->scale, call->scale_rest};
    const cl_float float_scale = (cl_float)call->scale;
    const bool is_float = plan->real_bytes == sizeof(float);
    TRY(fft_ocl_memory(&s->base.on, &s->work, &s->work_bytes, bytes));
    struct fft_ocl_call inner = {/* to the permuted order and back, in place */
                                 .out = s->work, .in = s->work, .out_dist = m, .in_dist = m, .batch = call->batch, .scale = 1};
    TRY(ocl_args(&s->base.on, s->k[WIDEN], OCL_ARG(call->in), OCL_ARG(in_dist), OCL_ARG(s->chirp), OCL_ARG(s->work), OCL_ARG(n),
                 OCL_ARG(swap), OCL_END));
    TRY(launch(s, WIDEN, s->m, call->batch));
    TRY(fft_ocl_enqueue(&s->base.on, s->t, &inner));
    TRY(ocl_args(&s->base.on, s->k[MULTIPLY], OCL_ARG(s->work), OCL_ARG(s->spectrum), OCL_END));
    TRY(launch(s, MULTIPLY, s->m, call->batch));
    inner.backward = true;
    TRY(fft_ocl_enqueue(&s->base.on, s->t, &inner));
    TRY(ocl_args(&s->base.on, s->k[NARROW], OCL_ARG(call->out), OCL_ARG(out_dist), OCL_ARG(s->chirp), OCL_ARG(s->work),
                 OCL_ARG(m), OCL_ARG(swap), plan->real_bytes, is_float ? (const void *)&float_scale : (const void *)scale,
                 OCL_END));
    return launch(s, NARROW, s->points, call->batch);
}

/* run_even - real transforms by half as many points. */
static enum gfmul_status run_even(const struct gfmul_fft *plan, struct fft_ocl_call *call)
{
    struct state *s = plan->state;
    const cl_uint h = (cl_uint)s->points;
    const size_t items = (size_t)h / 2 + 1;
    if (!call->backward) {
        const cl_ulong dist = call->out_dist;
        call->in_dist /= 2;
        TRY(run_complex(plan, call));
        TRY(ocl_args(&s->base.on, s->k[SPLIT], OCL_ARG(call->out), OCL_ARG(dist), OCL_ARG(h), OCL_ARG(s->roots.high),
                     OCL_ARG(s->roots.low), OCL_ARG(s->roots.low_bits), OCL_END));
        return launch(s, SPLIT, items, call->batch);
    }
    const struct real_join_arguments of = {call->in_dist, call->out_dist / 2, h, s->roots.low_bits};
    TRY(ocl_args(&s->base.on, s->k[JOIN], OCL_ARG(call->in), OCL_ARG(call->out), OCL_ARG(s->roots.high), OCL_ARG(s->roots.low),
                 OCL_ARG(of), OCL_END));
    TRY(launch(s, JOIN, items, call->batch));
    call->in = call->out;
    call->in_dist = call->out_dist = of.z_dist;
    return run_complex(plan, call);
}

/* run_odd - real transforms by as many points. */
static enum gfmul_status run_odd(const struct gfmul_fft *plan, struct fft_ocl_call *call)
{
    struct state *s = plan->state;
    const cl_uint n = (cl_uint)plan->n;
    const cl_ulong in_dist = call->in_dist, out_dist = call->out_dist;
    const unsigned widen = call->backward ? SPECTRUM_WIDEN : REAL_WIDEN, narrow = call->backward ? REAL_NARROW : SPECTRUM_NARROW;
    const size_t spectrum = plan->n / 2 + 1, from = call->backward ? spectrum : plan->n, to = call->backward ? plan->n : spectrum;
    TRY(fft_ocl_memory(&s->base.on, &s->wide, &s->wide_bytes, call->batch * plan->n * 2 * plan->real_bytes));
    TRY(ocl_args(&s->base.on, s->k[widen], OCL_ARG(call->in), OCL_ARG(in_dist), OCL_ARG(s->wide), OCL_ARG(n), OCL_END));
    TRY(launch(s, widen, from, call->batch));
    struct fft_ocl_call inner = *call;
    inner.in = inner.out = s->wide;
    inner.in_dist = inner.out_dist = plan->n;
    TRY(run_complex(plan, &inner));
    TRY(ocl_args(&s->base.on, s->k[narrow], OCL_ARG(call->out), OCL_ARG(out_dist), OCL_ARG(s->wide), OCL_ARG(n), OCL_END));
    return launch(s, narrow, to, call->batch);
}

/* transform - from one device buffer to another, or in place; the device is locked. */
static enum gfmul_status transform(const struct gfmul_fft *plan, struct fft_ocl_call call)
{
    call.scale = 1;
    if (call.backward && plan->scale != 1)
        fft_ocl_reciprocal(&call, plan->n, plan->real_bytes);
    if (plan->type == GFMUL_FFT_COMPLEX)
        return run_complex(plan, &call);
    return plan->n % 2 ? run_odd(plan, &call) : run_even(plan, &call);
}

enum gfmul_status fft_ocl_in_place(const struct gfmul_fft *plan, cl_mem x, size_t points, size_t batch, bool backward)
{
    const size_t time_dist = plan->type == GFMUL_FFT_REAL ? 2 * points : points;
    return transform(plan, (struct fft_ocl_call){.out = x,
                                                 .in = x,
                                                 .out_dist = backward ? time_dist : points,
                                                 .in_dist = backward ? points : time_dist,
                                                 .batch = batch,
                                                 .backward = backward});
}

const struct fft_ocl *fft_ocl_passes(const struct gfmul_fft *plan)
{
    return ((const struct state *)plan->state)->t;
}

static enum gfmul_status enqueue(const struct gfmul_fft *plan, void *out, void *in, bool backward)
{
    const struct state *s = plan->state;
    const size_t out_dist = backward ? plan->in_dist : plan->out_dist, in_dist = backward ? plan->out_dist : plan->in_dist;
    if (plan->type == GFMUL_FFT_REAL && plan->batch > 1 && plan->n % 2 == 0 && plan->in_dist % 2 != 0)
        return GFMUL_ERR_UNSUPPORTED; /* pairs of numbers would begin in the middle of a point */
    TRY(fft_ocl_buffers_check(plan, backward, out, in));
    ocl_device_lock(s->base.on.device);
    const enum gfmul_status status = transform(
        plan, (struct fft_ocl_call){
                  .out = out, .in = in, .out_dist = out_dist, .in_dist = in_dist, .batch = plan->batch, .backward = backward});
    ocl_device_unlock(s->base.on.device);
    return status;
}

static size_t frequency(const struct gfmul_fft *plan, size_t place)
{
    const struct state *s = plan->state;
    return s->m == 0 ? fft_ocl_frequency(s->t, place) : place;
}

static enum gfmul_status transform_dense(const struct gfmul_fft *plan, cl_mem out, cl_mem in, bool backward)
{
    const size_t spectrum = plan->type == GFMUL_FFT_REAL ? plan->n / 2 + 1 : plan->n;
    return transform(plan, (struct fft_ocl_call){.out = out,
                                                 .in = in,
                                                 .out_dist = backward ? plan->n : spectrum,
                                                 .in_dist = backward ? spectrum : plan->n,
                                                 .batch = plan->batch,
                                                 .backward = backward});
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, size_t out_step, const void *in, size_t in_step,
                             bool backward)
{
    return fft_ocl_run(plan, out, out_step, in, in_step, backward, transform_dense);
}

const struct fft_row fft_row_opencl = {
    .about = {.name = "opencl",
              .device = "opencl",
              .summary = "the library's own on a device: passes of 16 to 4096 points in registers, self-sorting; Bluestein",
              .lengths = "any",
              .types = "complex, real",
              .precisions = "float, double, dd"},
    .create = create,
    .run_batch = run,
    .enqueue = enqueue,
    .finish = fft_ocl_finish,
    .queue = fft_ocl_queue,
    .frequency = frequency,
    .destroy = destroy,
};
#endif
