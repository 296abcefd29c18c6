/*
 * fft_ocl.c - plain transforms on a device: programs, tables and launches of the passes of one length.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fft/fft_ocl.h"

#ifdef HAVE_OPENCL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"

enum kind { KIND_ROWS, KIND_FIRST, KIND_COLUMNS };

struct pass {
    enum kind kind;
    bool last;
    cl_kernel k;
    cl_mem stages, low, high; /* NULL where there are none */
    cl_uint n_low, n_high;
    cl_uint per_transform, stride, d[3];
};

struct fft_ocl {
    struct ocl_device *d;
    size_t n, real_bytes;
    struct fft_ocl_shapes shapes;
    struct pass pass[FFT_OCL_PASSES];
    cl_mem nothing; /* an argument where a kernel reads none */
};

#define TRY(call)                              \
    do {                                       \
        enum gfmul_status try_status = (call); \
        if (try_status != GFMUL_OK)            \
            return try_status;                 \
    } while (0)

void fft_ocl_limits_get(struct fft_ocl_limits *limits, struct ocl_device *d)
{
    limits->local_bytes = ocl_device_local_bytes(d);
    limits->group_items = ocl_device_info(d)->max_work_group;
}

enum gfmul_status fft_ocl_table(cl_mem *m, struct ocl_device *d, const void *table, size_t bytes)
{
    cl_int code = CL_SUCCESS;
    *m = clCreateBuffer(ocl_device_context(d), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, (void *)(uintptr_t)table, &code);
    return ocl_status(d, code, "clCreateBuffer", NULL);
}

static void table_free(cl_mem m)
{
    if (m != NULL)
        clReleaseMemObject(m);
}

enum gfmul_status fft_ocl_roots_create(struct fft_ocl_roots *roots, struct ocl_device *d, size_t real_bytes, size_t n,
                                       size_t count)
{
    const size_t bytes = 2 * real_bytes;
    memset(roots, 0, sizeof *roots);
    while ((size_t)1 << (2 * roots->low_bits) < count)
        roots->low_bits++;
    const size_t lows = (size_t)1 << roots->low_bits, highs = (count >> roots->low_bits) + 1;
    char *table = malloc((highs > lows ? highs : lows) * bytes);
    if (table == NULL)
        return GFMUL_ERR_MEMORY;
    enum gfmul_status status = fft_roots_fill(table, real_bytes, n, lows % n, highs);
    if (status == GFMUL_OK)
        status = fft_ocl_table(&roots->high, d, table, highs * bytes);
    if (status == GFMUL_OK)
        status = fft_roots_fill(table, real_bytes, n, 1, lows);
    if (status == GFMUL_OK)
        status = fft_ocl_table(&roots->low, d, table, lows * bytes);
    free(table);
    return status;
}

void fft_ocl_roots_destroy(struct fft_ocl_roots *roots)
{
    table_free(roots->high);
    table_free(roots->low);
}

/*
 * A pass's twiddles: multipliers m of e(-m x / (S points)), S = stride, for all its stages or those from `first` on; stage i has
 * as many as its radix needs, of which fft_butterfly.cl tells.
 */
struct twiddles {
    unsigned count, stage[FFT_OCL_STAGES * 6];
    size_t multiplier[FFT_OCL_STAGES * 6];
};

static void twiddles_of(struct twiddles *w, const struct fft_ocl_shape *s, unsigned first)
{
    size_t rest = s->points; /* points / (product of the radices up to this stage) */
    w->count = 0;
    for (unsigned i = 0; i < s->n_stages; i++) {
        const unsigned radix = s->radix[i];
        rest /= radix;
        for (unsigned m = radix % 2 ? 1 : radix / 2; i >= first && (radix % 2 ? m < radix : m > 0);
             m = radix % 2 ? m + 1 : m / 2) {
            w->stage[w->count] = i;
            w->multiplier[w->count++] = m * rest;
        }
    }
}

/* stages_create - the table of a pass's stages, as fft_transform.cl has it. */
static enum gfmul_status stages_create(cl_mem *m, struct ocl_device *d, const struct fft_ocl_shape *s, size_t real_bytes)
{
    struct twiddles w;
    size_t count = 0;
    enum gfmul_status status = GFMUL_OK;
    twiddles_of(&w, s, 1);
    char *table = malloc(s->points * 6 * 2 * real_bytes);
    if (table == NULL)
        return GFMUL_ERR_MEMORY;
    for (unsigned t = 0; t < w.count && status == GFMUL_OK; t++) {
        size_t before = 1;
        for (unsigned i = 0; i < w.stage[t]; i++)
            before *= s->radix[i];
        status = fft_roots_fill(table + count * 2 * real_bytes, real_bytes, s->points, w.multiplier[t], before);
        count += before;
    }
    if (status == GFMUL_OK)
        status = fft_ocl_table(m, d, table, count * 2 * real_bytes);
    free(table);
    return status;
}

/* factors_create - [twiddle][k]: e(-m k / n) for the multipliers m of a pass, k < count. */
static enum gfmul_status factors_create(cl_mem *m, const struct fft_ocl *t, const struct fft_ocl_shape *s, size_t n, size_t count)
{
    const size_t bytes = count * 2 * t->real_bytes;
    struct twiddles w;
    enum gfmul_status status = GFMUL_OK;
    twiddles_of(&w, s, 0);
    char *table = malloc(w.count * bytes);
    if (table == NULL)
        return GFMUL_ERR_MEMORY;
    for (unsigned i = 0; i < w.count && status == GFMUL_OK; i++)
        status = fft_roots_fill(table + i * bytes, t->real_bytes, n, w.multiplier[i], count);
    if (status == GFMUL_OK)
        status = fft_ocl_table(m, t->d, table, w.count * bytes);
    free(table);
    return status;
}

static enum gfmul_status pass_create(struct fft_ocl *t, unsigned i)
{
    const struct fft_ocl_shape *s = &t->shapes.pass[i];
    struct pass *p = &t->pass[i];
    const unsigned n_passes = t->shapes.n_passes;
    p->kind = n_passes == 1 ? KIND_ROWS : i == 0 ? KIND_FIRST : KIND_COLUMNS;
    p->last = i + 1 == n_passes;
    p->per_transform = (cl_uint)(t->n / s->points);
    p->stride = 1;
    for (unsigned j = 0; j < i; j++)
        p->stride *= t->shapes.pass[j].points;
    for (unsigned j = 0; j < 3; j++)
        p->d[j] = i + 1 + j < n_passes ? t->shapes.pass[i + 1 + j].points : 1;
    if (s->n_stages > 1)
        TRY(stages_create(&p->stages, t->d, s, t->real_bytes));
    p->n_low = p->n_high = 1;
    if (i > 0) {
        const size_t n = (size_t)p->stride * s->points;
        p->n_high = i > 1 ? s[-1].points : 1;
        p->n_low = p->stride / p->n_high;
        TRY(factors_create(&p->low, t, s, n, p->n_low));
        if (p->n_high > 1)
            TRY(factors_create(&p->high, t, s, n / p->n_low, p->n_high));
    }
    char options[256];
    snprintf(options, sizeof options,
             "-DFFT_FLOAT=%d -DKIND=%d -DPAIRS=%d -DPOINTS=%u -DITEMS=%u -DCOLUMNS=%u -DN_STAGES=%u -DR0=%u -DR1=%u -DR2=%u "
             "-DR3=%u -DR4=%u "
             "-DSPLIT_EXCHANGE=%d",
             t->real_bytes == sizeof(float), p->kind, p->n_high > 1, s->points, s->items, s->columns, s->n_stages, s->radix[0],
             s->radix[1], s->radix[2], s->radix[3], s->radix[4], s->split);
    return ocl_kernel_get(t->d, "fft_transform.cl", "fft_transform", options, &p->k, NULL);
}

static enum gfmul_status create(struct fft_ocl *t, const struct fft_ocl_shapes *shapes)
{
    if (shapes != NULL) {
        t->shapes = *shapes;
    } else {
        struct fft_ocl_limits limits;
        fft_ocl_limits_get(&limits, t->d);
        if (!fft_ocl_shapes_plan(&t->shapes, t->n, t->real_bytes, &limits))
            return GFMUL_ERR_UNSUPPORTED;
    }
    if (fft_ocl_shapes_points(&t->shapes) != t->n || t->n > UINT32_MAX ||
        (t->shapes.n_passes > 1 && t->shapes.pass[0].n_stages < 2))
        return GFMUL_ERR_UNSUPPORTED;
    cl_int code = CL_SUCCESS;
    t->nothing = clCreateBuffer(ocl_device_context(t->d), CL_MEM_READ_ONLY, 16, NULL, &code);
    TRY(ocl_status(t->d, code, "clCreateBuffer", NULL));
    for (unsigned i = 0; i < t->shapes.n_passes; i++)
        TRY(pass_create(t, i));
    return GFMUL_OK;
}

enum gfmul_status fft_ocl_create(struct fft_ocl **result, struct ocl_device *d, size_t n, size_t real_bytes,
                                 const struct fft_ocl_shapes *shapes)
{
    struct fft_ocl *t = *result = calloc(1, sizeof *t);
    if (t == NULL)
        return GFMUL_ERR_MEMORY;
    t->d = d;
    t->n = n;
    t->real_bytes = real_bytes;
    enum gfmul_status status = create(t, shapes);
    if (status != GFMUL_OK) {
        fft_ocl_destroy(t);
        *result = NULL;
    }
    return status;
}

void fft_ocl_destroy(struct fft_ocl *t)
{
    if (t == NULL)
        return;
    for (unsigned i = 0; i < FFT_OCL_PASSES; i++) {
        struct pass *p = &t->pass[i];
        table_free(p->stages);
        table_free(p->low);
        table_free(p->high);
        ocl_kernel_put(t->d, p->k);
    }
    table_free(t->nothing);
    free(t);
}

const struct fft_ocl_shapes *fft_ocl_shapes_of(const struct fft_ocl *t)
{
    return &t->shapes;
}

bool fft_ocl_needs_work(const struct fft_ocl *t)
{
    return t->shapes.n_passes > 1;
}

enum gfmul_status fft_ocl_enqueue(const struct fft_ocl *t, const struct fft_ocl_call *call)
{
    static const char *const names[FFT_OCL_PASSES] = {"pass 1", "pass 2", "pass 3", "pass 4"};
    const bool apart = call->out == call->in && fft_ocl_needs_work(t);
    for (unsigned i = 0; i < t->shapes.n_passes; i++) {
        const struct fft_ocl_shape *s = &t->shapes.pass[i];
        const struct pass *p = &t->pass[i];
        const cl_mem in = i == 0 ? call->in : apart ? call->work : call->out, out = apart && !p->last ? call->work : call->out;
        const cl_ulong in_dist = in == call->work ? t->n : i == 0 ? call->in_dist : call->out_dist;
        const cl_ulong out_dist = out == call->work ? t->n : call->out_dist;
        const cl_int swap_in = call->backward && i == 0, swap_out = call->backward && p->last;
        size_t columns;
        if (!size_mul(&columns, p->per_transform, call->batch) || columns > UINT32_MAX - 65536)
            return GFMUL_ERR_SIZE;
        const cl_uint n_columns = (cl_uint)columns;
        const double scale = p->last ? call->scale : 1;
        const cl_float float_scale = (cl_float)scale;
        const cl_mem stages = p->stages ? p->stages : t->nothing;
        const cl_mem low = p->low ? p->low : t->nothing, high = p->high ? p->high : t->nothing;
        TRY(ocl_args(t->d, p->k, NULL, OCL_ARG(in), OCL_ARG(out), OCL_ARG(stages), OCL_ARG(low), OCL_ARG(high), OCL_ARG(p->n_low),
                     OCL_ARG(p->n_high), OCL_ARG(n_columns), OCL_ARG(p->per_transform), OCL_ARG(in_dist), OCL_ARG(out_dist),
                     OCL_ARG(p->stride), OCL_ARG(p->d[0]), OCL_ARG(p->d[1]), OCL_ARG(p->d[2]), OCL_ARG(swap_in),
                     OCL_ARG(swap_out), t->real_bytes, t->real_bytes == sizeof(float) ? (const void *)&float_scale : &scale,
                     OCL_END));
        const size_t local = (size_t)s->items * s->columns, global = (columns + s->columns - 1) / s->columns * local;
        TRY(ocl_launch(t->d, p->k, names[i], 1, &global, &local, 4.0 * (double)(call->batch * t->n * t->real_bytes),
                       call->profile, NULL));
    }
    return GFMUL_OK;
}
#endif
