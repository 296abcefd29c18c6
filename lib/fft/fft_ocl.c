/*
 * fft_ocl.c - plain transforms on a device: the programs, tables and launches for one length.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fft/fft_ocl.h"

#ifdef HAVE_OPENCL
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "ocl/ocl_arguments.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"

enum kind { KIND_ROWS, KIND_FIRST, KIND_COLUMNS };

/* The factor of a pass on its columns' twiddles: none, by the place within the stride, by the block of columns. */
enum factors { FACTORS_NONE, FACTORS_INNER, FACTORS_OUTER };

struct pass {
    enum kind kind;
    enum factors factors;
    const struct fft_ocl_shape *shape;
    cl_kernel k;
    cl_mem stages, low, high; /* NULL: not used */
    cl_uint n_low, n_high;
    cl_uint per_transform, stride, d[3];
};

struct fft_ocl {
    struct ocl_device *d;
    size_t n, real_bytes;
    bool permuted;
    struct fft_ocl_shapes shapes;
    struct pass pass[FFT_OCL_PASSES], back[FFT_OCL_PASSES]; /* in launch order; back: backwards from the permuted order */
    cl_mem nothing;                                         /* stands for arguments that a kernel does not read */
};

static void limits_get(struct fft_ocl_limits *limits, struct ocl_device *d)
{
    limits->local_bytes = ocl_device_local_bytes(d);
    limits->group_items = ocl_device_info(d)->max_work_group;
}

enum gfmul_status fft_ocl_table(const struct ocl_call *on, cl_mem *m, const void *table, size_t bytes)
{
    const cl_mem_flags flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_int code = CL_SUCCESS;
    *m = clCreateBuffer(ocl_device_context(on->device), flags, bytes, (void *)(uintptr_t)table, &code);
    return ocl_status(on, code, "clCreateBuffer");
}

static void table_free(cl_mem m)
{
    if (m != NULL)
        clReleaseMemObject(m);
}

const char *fft_ocl_real_option(size_t real_bytes)
{
    return real_bytes == sizeof(float)    ? "-DFFT_FLOAT=1 -DFFT_DD=0"
           : real_bytes == sizeof(double) ? "-DFFT_FLOAT=0 -DFFT_DD=0"
                                          : "-DFFT_FLOAT=0 -DFFT_DD=1";
}

void fft_ocl_reciprocal(struct fft_ocl_call *call, size_t n, size_t real_bytes)
{
    call->scale = 1 / (double)n;
    call->scale_rest = real_bytes > sizeof(double) ? fma(-call->scale, (double)n, 1.0) / (double)n : 0;
}

enum gfmul_status fft_ocl_roots_fill(void *table, size_t real_bytes, size_t n, size_t step, size_t count)
{
    return real_bytes > sizeof(double) ? fft_dd_roots_fill(table, n, step, count)
                                       : fft_roots_fill(table, real_bytes, n, step, count);
}

/* roots_make - make both tables; `table` is scratch. */
static enum gfmul_status roots_make(const struct ocl_call *on, struct fft_ocl_roots *roots, size_t real_bytes, size_t n,
                                    size_t highs, char *table)
{
    const size_t bytes = 2 * real_bytes, lows = (size_t)1 << roots->low_bits;
    TRY(fft_ocl_roots_fill(table, real_bytes, n, lows % n, highs));
    TRY(fft_ocl_table(on, &roots->high, table, highs * bytes));
    TRY(fft_ocl_roots_fill(table, real_bytes, n, 1, lows));
    return fft_ocl_table(on, &roots->low, table, lows * bytes);
}

enum gfmul_status fft_ocl_roots_create(const struct ocl_call *on, struct fft_ocl_roots *roots, size_t real_bytes, size_t n,
                                       size_t count)
{
    memset(roots, 0, sizeof *roots);
    while ((size_t)1 << (2 * roots->low_bits) < count)
        roots->low_bits++;
    const size_t lows = (size_t)1 << roots->low_bits, highs = (count >> roots->low_bits) + 1;
    char *table = malloc((highs > lows ? highs : lows) * 2 * real_bytes);
    if (table == NULL)
        return GFMUL_ERR_MEMORY;
    const enum gfmul_status status = roots_make(on, roots, real_bytes, n, highs, table);
    free(table);
    return status;
}

void fft_ocl_roots_destroy(struct fft_ocl_roots *roots)
{
    table_free(roots->high);
    table_free(roots->low);
}

/*
 * The twiddles of a pass: multipliers m of e(-m x / (S points)), S = stride, for all its stages or for those from `first` on.
 * Stage i has as many as its radix needs, as listed in fft_butterfly.cl.
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

static enum gfmul_status stages_make(const struct ocl_call *on, cl_mem *m, const struct fft_ocl_shape *s, size_t real_bytes,
                                     char *table)
{
    struct twiddles w;
    size_t count = 0;
    twiddles_of(&w, s, 1);
    for (unsigned t = 0; t < w.count; t++) {
        size_t before = 1;
        for (unsigned i = 0; i < w.stage[t]; i++)
            before *= s->radix[i];
        TRY(fft_ocl_roots_fill(table + count * 2 * real_bytes, real_bytes, s->points, w.multiplier[t], before));
        count += before;
    }
    return fft_ocl_table(on, m, table, count * 2 * real_bytes);
}

/* stages_create - the table of a pass's stages, in the layout of fft_transform.cl. */
static enum gfmul_status stages_create(const struct ocl_call *on, cl_mem *m, const struct fft_ocl_shape *s, size_t real_bytes)
{
    char *table = malloc(s->points * 6 * 2 * real_bytes);
    if (table == NULL)
        return GFMUL_ERR_MEMORY;
    const enum gfmul_status status = stages_make(on, m, s, real_bytes, table);
    free(table);
    return status;
}

static enum gfmul_status factors_make(const struct ocl_call *on, cl_mem *m, const struct twiddles *w, size_t real_bytes, size_t n,
                                      size_t count, char *table)
{
    const size_t bytes = count * 2 * real_bytes;
    for (unsigned i = 0; i < w->count; i++)
        TRY(fft_ocl_roots_fill(table + i * bytes, real_bytes, n, w->multiplier[i], count));
    return fft_ocl_table(on, m, table, w->count * bytes);
}

/* factors_create - [twiddle][k]: e(-m k / n) for the multipliers m of a pass, k < count. */
static enum gfmul_status factors_create(const struct ocl_call *on, cl_mem *m, const struct fft_ocl_shape *s, size_t real_bytes,
                                        size_t n, size_t count)
{
    struct twiddles w;
    twiddles_of(&w, s, 0);
    char *table = malloc(w.count * count * 2 * real_bytes);
    if (table == NULL)
        return GFMUL_ERR_MEMORY;
    const enum gfmul_status status = factors_make(on, m, &w, real_bytes, n, count, table);
    free(table);
    return status;
}

/*
 * pass_create - make kernel and tables; kind, factors, shape are set, and stride and d if they are used.
 *
 *   n_low, n_high  in  K = K_low + n_low K_high, a table for each part;   1, 1 without factors
 */
static enum gfmul_status pass_create(const struct ocl_call *on, struct fft_ocl *t, struct pass *p, size_t n_low, size_t n_high)
{
    const struct fft_ocl_shape *s = p->shape;
    p->per_transform = (cl_uint)(t->n / s->points);
    p->n_low = (cl_uint)n_low;
    p->n_high = (cl_uint)n_high;
    if (s->n_stages > 1)
        TRY(stages_create(on, &p->stages, s, t->real_bytes));
    if (p->factors != FACTORS_NONE) {
        const size_t n = n_low * n_high * s->points;
        TRY(factors_create(on, &p->low, s, t->real_bytes, n, n_low));
        if (n_high > 1)
            TRY(factors_create(on, &p->high, s, t->real_bytes, n / n_low, n_high));
    }
    char options[256];
    snprintf(options, sizeof options,
             "%s -DKIND=%d -DFACTORS=%d -DPAIRS=%d -DPOINTS=%u -DITEMS=%u -DCOLUMNS=%u -DN_STAGES=%u -DR0=%u "
             "-DR1=%u -DR2=%u -DR3=%u -DR4=%u -DSPLIT_EXCHANGE=%d",
             fft_ocl_real_option(t->real_bytes), p->kind, p->factors, n_high > 1, s->points, s->items, s->columns, s->n_stages,
             s->radix[0], s->radix[1], s->radix[2], s->radix[3], s->radix[4], s->split);
    return ocl_kernel_get(on, "fft_transform.cl", "fft_transform", options, &p->k);
}

/* points_of - the product of the points of passes first .. last - 1. */
static size_t points_of(const struct fft_ocl *t, unsigned first, unsigned last)
{
    size_t n = 1;
    for (unsigned i = first; i < last; i++)
        n *= t->shapes.pass[i].points;
    return n;
}

/* natural_create - make pass i of the natural order. */
static enum gfmul_status natural_create(const struct ocl_call *on, struct fft_ocl *t, unsigned i)
{
    const unsigned n_passes = t->shapes.n_passes;
    struct pass *p = &t->pass[i];
    const size_t before = points_of(t, 0, i), high = i > 1 ? t->shapes.pass[i - 1].points : 1;
    p->shape = &t->shapes.pass[i];
    p->kind = n_passes == 1 ? KIND_ROWS : i == 0 ? KIND_FIRST : KIND_COLUMNS;
    p->factors = i == 0 ? FACTORS_NONE : FACTORS_INNER;
    p->stride = (cl_uint)before;
    for (unsigned j = 0; j < 3; j++)
        p->d[j] = i + 1 + j < n_passes ? t->shapes.pass[i + 1 + j].points : 1;
    return pass_create(on, t, p, before / high, high);
}

/* permuted_create - make pass i of the permuted order, forwards and backwards. */
static enum gfmul_status permuted_create(const struct ocl_call *on, struct fft_ocl *t, unsigned i)
{
    const unsigned n_passes = t->shapes.n_passes;
    const struct fft_ocl_shape *s = t->shapes.pass;
    struct pass *p = &t->pass[i], *back = &t->back[n_passes - 1 - i];
    const size_t before = points_of(t, 0, i), behind = points_of(t, i + 1, n_passes);
    size_t high = i > 1 ? s[i - 1].points : 1;
    p->shape = back->shape = &s[i];
    p->kind = back->kind = i + 1 == n_passes ? KIND_ROWS : KIND_COLUMNS;
    p->stride = back->stride = (cl_uint)behind;
    p->factors = i == 0 ? FACTORS_NONE : FACTORS_OUTER;
    p->d[0] = i > 1 ? s[1].points : 1;
    p->d[1] = i > 2 ? s[2].points : 1;
    p->d[2] = s[0].points;
    TRY(pass_create(on, t, p, before / high, high));
    back->factors = i + 1 == n_passes ? FACTORS_NONE : FACTORS_INNER;
    high = i + 2 < n_passes ? s[i + 1].points : 1;
    return pass_create(on, t, back, behind / high, high);
}

static enum gfmul_status create(const struct ocl_call *on, struct fft_ocl *t, const struct fft_ocl_shapes *shapes)
{
    if (shapes != NULL) {
        t->shapes = *shapes;
    } else {
        struct fft_ocl_limits limits;
        limits_get(&limits, t->d);
        if (!fft_ocl_shapes_plan(&t->shapes, t->n, t->real_bytes, &limits, t->permuted))
            return GFMUL_ERR_UNSUPPORTED;
    }
    if (fft_ocl_shapes_points(&t->shapes) != t->n || t->n > UINT32_MAX ||
        (t->shapes.n_passes > 1 && !t->permuted && t->shapes.pass[0].n_stages < 2))
        return GFMUL_ERR_UNSUPPORTED;
    t->permuted = t->permuted && t->shapes.n_passes > 1; /* a single pass gives natural order at no cost */
    cl_int code = CL_SUCCESS;
    t->nothing = clCreateBuffer(ocl_device_context(t->d), CL_MEM_READ_ONLY, 16, NULL, &code);
    TRY(ocl_status(on, code, "clCreateBuffer"));
    for (unsigned i = 0; i < t->shapes.n_passes; i++)
        TRY(t->permuted ? permuted_create(on, t, i) : natural_create(on, t, i));
    return GFMUL_OK;
}

enum gfmul_status fft_ocl_create(const struct ocl_call *on, struct fft_ocl **result, size_t n, size_t real_bytes, bool permuted,
                                 const struct fft_ocl_shapes *shapes)
{
    struct fft_ocl *t = *result = calloc(1, sizeof *t);
    if (t == NULL)
        return GFMUL_ERR_MEMORY;
    t->d = on->device;
    t->n = n;
    t->real_bytes = real_bytes;
    t->permuted = permuted;
    const enum gfmul_status status = create(on, t, shapes);
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
    for (unsigned i = 0; i < 2 * FFT_OCL_PASSES; i++) {
        struct pass *p = i < FFT_OCL_PASSES ? &t->pass[i] : &t->back[i - FFT_OCL_PASSES];
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
    return t->shapes.n_passes > 1 && !t->permuted;
}

size_t fft_ocl_frequency(const struct fft_ocl *t, size_t place)
{
    size_t k = 0;
    for (unsigned i = t->shapes.n_passes; t->permuted && i-- > 0; place /= t->shapes.pass[i].points) /* k_P comes last */
        k = k * t->shapes.pass[i].points + place % t->shapes.pass[i].points;
    return t->permuted ? k : place;
}

/* An entry of a table is rounded from long double: off by u/2 in each part, and by a rest that is larger if that is a double. */
static const double table_constant = LDBL_MANT_DIG >= 64 ? 0.72 : 3.5;

double fft_ocl_root_constant(void)
{
    return 2 * table_constant + 2;
}

/* stage_constants - add the constants of stage i of a pass to both. */
static void stage_constants(const struct pass *p, unsigned i, double *forward, double *backward)
{
    const unsigned radix = p->shape->radix[i];
    const bool unit = i == 0 && p->factors == FACTORS_NONE;
    const double factor = p->factors == FACTORS_NONE ? 0 : p->n_high > 1 ? 2 * table_constant + 2 : table_constant;
    const double twiddle = i == 0 ? factor : p->factors == FACTORS_NONE ? table_constant : table_constant + factor + 2;
    if (radix % 2) {
        const double sums = radix == 1 ? 0 : 2 + sqrt(2.0) * (double)(radix + 1) / 2, product = unit ? 0 : 2 + twiddle;
        *forward += sqrt((double)radix) * sums + product;
        *backward += sums + product;
        return;
    }
    for (unsigned level = 1, h = radix / 2; h > 0; level++, h /= 2) {
        if (unit && level <= 2) { /* sums */
            *forward += 1;
            *backward += 1;
            continue;
        }
        const double turned = unit ? 0.7072 : twiddle + (level == 3 ? 2.7072 : level == 4 ? 5.4144 : 0);
        *forward += 3.0324 + turned;
        *backward += 3 + turned;
    }
}

void fft_ocl_constants(const struct fft_ocl *t, double *forward, double *backward)
{
    double unused = 0;
    *forward = 0;
    *backward = 2; /* the scale and its product */
    for (unsigned i = 0; i < t->shapes.n_passes; i++) {
        const struct pass *p = &t->pass[i], *back = t->permuted ? &t->back[i] : p;
        for (unsigned k = 0; k < p->shape->n_stages; k++)
            stage_constants(p, k, forward, &unused);
        for (unsigned k = 0; k < back->shape->n_stages; k++)
            stage_constants(back, k, &unused, backward);
    }
}

enum gfmul_status fft_ocl_enqueue(const struct ocl_call *on, const struct fft_ocl *t, const struct fft_ocl_call *call)
{
    static const char *const names[FFT_OCL_PASSES] = {"pass 1", "pass 2", "pass 3", "pass 4"};
    const bool apart = call->out == call->in && fft_ocl_needs_work(t);
    for (unsigned i = 0; i < t->shapes.n_passes; i++) {
        const struct pass *p = t->permuted && call->backward ? &t->back[i] : &t->pass[i];
        const struct fft_ocl_shape *s = p->shape;
        const bool last = i + 1 == t->shapes.n_passes;
        const cl_mem in = i == 0 ? call->in : apart ? call->work : call->out, out = apart && !last ? call->work : call->out;
        size_t columns;
        if (!size_mul(&columns, p->per_transform, call->batch) || columns > UINT32_MAX - 65536)
            return GFMUL_ERR_SIZE;
        const struct fft_transform_arguments of = {.in_dist = in == call->work ? t->n : i == 0 ? call->in_dist : call->out_dist,
                                                   .out_dist = out == call->work ? t->n : call->out_dist,
                                                   .n_low = p->n_low,
                                                   .n_high = p->n_high,
                                                   .n_columns = (cl_uint)columns,
                                                   .per_transform = p->per_transform,
                                                   .stride = p->stride,
                                                   .d2 = p->d[0],
                                                   .d3 = p->d[1],
                                                   .d4 = p->d[2],
                                                   .swap_in = call->backward && i == 0,
                                                   .swap_out = call->backward && last};
        const cl_double scale[2] = {last ? call->scale : 1, last ? call->scale_rest : 0};
        const cl_float float_scale = (cl_float)scale[0];
        const cl_mem stages = p->stages ? p->stages : t->nothing;
        const cl_mem low = p->low ? p->low : t->nothing, high = p->high ? p->high : t->nothing;
        TRY(ocl_args(on, p->k, OCL_ARG(in), OCL_ARG(out), OCL_ARG(stages), OCL_ARG(low), OCL_ARG(high), t->real_bytes,
                     t->real_bytes == sizeof(float) ? (const void *)&float_scale : (const void *)scale, OCL_ARG(of), OCL_END));
        const size_t local = (size_t)s->items * s->columns, global = (columns + s->columns - 1) / s->columns * local;
        TRY(ocl_launch(on, p->k, names[i], ocl_items(global, local), 4.0 * (double)(call->batch * t->n * t->real_bytes)));
    }
    return GFMUL_OK;
}
#endif
