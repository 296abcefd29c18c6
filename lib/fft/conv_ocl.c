/*
 * conv_ocl.c - convolutions on an OpenCL device: of real and complex numbers, and of integers, exactly.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The data stay on the device between the packing of a and the result: kernels/fft_conv.cl, with the plain transforms of
 * fft_ocl_row.c in place between.  All blocks of all sequences of a batch are one batch of transforms.  Forms are those of
 * conv_float.c; integers have form ANGLE, whose error is proved (doc/error-bound.md, section 17.1).  Of integers the sums of
 * products with i + j = s come from the largest s on: the result times 2^bits, and then the next sum.
 */
#include "fft/conv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "base/try.h"
#include "fft/fft_ocl.h"

#ifdef HAVE_OPENCL
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_staging.h"

enum { PACK, MULTIPLY, PLACE, N_KERNELS, GROUP_ITEMS = 128 };

static const char *const names[N_KERNELS] = {"conv_pack", "conv_multiply", "conv_place"};

struct conv_device {
    cl_kernel k[N_KERNELS];
    struct fft_ocl_roots roots; /* of the weights; forms without them: one root that is not read */
    cl_mem spectra;             /* of the kernel: of its pieces, one behind another */
    cl_mem wrong;               /* a word: not 0 once an integer was farther from its value than is proved */
    cl_mem work;                /* spectra of a batch; grown when needed */
    size_t work_bytes;
};

/* A batch: sequences of an numbers in `blocks` blocks each. */
struct batch {
    size_t an, sequences, blocks, transforms;
};

static const struct ocl_call *on_of(const struct gfmul_conv *c)
{
    return &((const struct fft_ocl_state *)c->fft->state)->on;
}

static bool is_integer(const struct gfmul_conv *c)
{
    return conv_real_bytes(&c->opt) == 0;
}

static size_t point_bytes(const struct gfmul_conv *c)
{
    return 2 * (conv_real_bytes(&c->opt) == sizeof(float) ? sizeof(float) : sizeof(double));
}

/* numbers_of - what a transform holds. */
static size_t numbers_of(const struct gfmul_conv *c)
{
    return c->form == CONV_ANGLE ? 2 * c->n : c->n;
}

static size_t group_items(const struct gfmul_conv *c)
{
    const size_t most = ocl_device_info(on_of(c)->device)->max_work_group;
    return most < GROUP_ITEMS ? most : GROUP_ITEMS;
}

/* row_groups - of `items` items: the last argument of a kernel. */
static cl_uint row_groups(const struct gfmul_conv *c, size_t items)
{
    return (cl_uint)((items + group_items(c) - 1) / group_items(c));
}

static enum gfmul_status launch(const struct gfmul_conv *c, unsigned k, size_t items, size_t rows)
{
    size_t groups;
    if (!size_mul(&groups, row_groups(c, items), rows) || groups > INT32_MAX)
        return GFMUL_ERR_SIZE;
    return ocl_launch(on_of(c), c->device->k[k], names[k], ocl_items(groups * group_items(c), group_items(c)), 0);
}

/* spectrum_make - piece `index` of a batch into x, transformed. */
static enum gfmul_status spectrum_make(const struct gfmul_conv *c, cl_mem x, cl_mem a, const struct batch *of, size_t block,
                                       unsigned index, unsigned n_pieces)
{
    const struct fft_ocl_roots *r = &c->device->roots;
    const cl_ulong an = of->an, block_numbers = block, modulus = c->opt.modulus;
    const cl_uint blocks = (cl_uint)of->blocks, points = (cl_uint)conv_points(c), n = (cl_uint)c->n, bits = c->bits,
                  piece = index, count = n_pieces, groups = row_groups(c, points);
    TRY(ocl_args(on_of(c), c->device->k[PACK], OCL_ARG(x), OCL_ARG(a), OCL_ARG(an), OCL_ARG(block_numbers), OCL_ARG(blocks),
                 OCL_ARG(points), OCL_ARG(n), OCL_ARG(r->high), OCL_ARG(r->low), OCL_ARG(r->low_bits), OCL_ARG(bits),
                 OCL_ARG(piece), OCL_ARG(count), OCL_ARG(modulus), OCL_ARG(groups), OCL_END));
    TRY(launch(c, PACK, points, of->transforms));
    return fft_ocl_in_place(c->fft, x, points, of->transforms, false);
}

static enum gfmul_status multiply(const struct gfmul_conv *c, cl_mem sum, cl_mem x, cl_mem spectrum, size_t transforms,
                                  bool is_first)
{
    const cl_uint points = (cl_uint)conv_points(c), groups = row_groups(c, points);
    const cl_int first = is_first;
    TRY(ocl_args(on_of(c), c->device->k[MULTIPLY], OCL_ARG(sum), OCL_ARG(x), OCL_ARG(spectrum), OCL_ARG(points), OCL_ARG(first),
                 OCL_ARG(groups), OCL_END));
    return launch(c, MULTIPLY, points, transforms);
}

/* place - the sum in x to the result, or to 2^bits times it. */
static enum gfmul_status place(const struct gfmul_conv *c, cl_mem z, cl_mem x, const struct batch *of, bool is_first)
{
    const struct conv_device *d = c->device;
    const bool linear = c->opt.kind == GFMUL_CONV_LINEAR, is_float = conv_real_bytes(&c->opt) == sizeof(float);
    const size_t numbers = numbers_of(c), all = c->block + c->bn - 1;
    const cl_ulong count = linear ? of->an + c->bn - 1 : c->bn, block = c->block, length = all < numbers ? all : numbers,
                   fold = linear ? 0 : c->bn, modulus = c->opt.modulus;
    const cl_uint blocks = (cl_uint)of->blocks, points = (cl_uint)conv_points(c), n = (cl_uint)c->n, bits = c->bits;
    const cl_uint groups = row_groups(c, count);
    const cl_int minus = c->opt.kind == GFMUL_CONV_NEGACYCLIC, first = is_first;
    const cl_float float_bound = (cl_float)c->bound;
    TRY(ocl_args(on_of(c), d->k[PLACE], OCL_ARG(z), OCL_ARG(x), OCL_ARG(count), OCL_ARG(block), OCL_ARG(blocks), OCL_ARG(length),
                 OCL_ARG(fold), OCL_ARG(minus), OCL_ARG(points), OCL_ARG(n), OCL_ARG(d->roots.high), OCL_ARG(d->roots.low),
                 OCL_ARG(d->roots.low_bits), OCL_ARG(first), OCL_ARG(bits), point_bytes(c) / 2,
                 is_float ? (const void *)&float_bound : &c->bound, OCL_ARG(modulus), OCL_ARG(d->wrong), OCL_ARG(groups),
                 OCL_END));
    return launch(c, PLACE, count, of->sequences);
}

/* The parts of a buffer that spectra lie in. */
struct parts {
    cl_mem *part;
    unsigned count;
};

static void parts_release(struct parts *p)
{
    for (unsigned i = 0; i < p->count; i++)
        clReleaseMemObject(p->part[i]);
    free(p->part);
}

static enum gfmul_status parts_create(const struct ocl_call *on, struct parts *p, cl_mem whole, unsigned count, size_t bytes)
{
    p->count = 0;
    p->part = calloc(count, sizeof(cl_mem));
    if (p->part == NULL)
        return GFMUL_ERR_MEMORY;
    for (unsigned i = 0; i < count; i++) {
        const cl_buffer_region region = {i * bytes, bytes};
        cl_int code = CL_SUCCESS;
        p->part[i] = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        TRY(ocl_status(on, code, "clCreateSubBuffer"));
        p->count++;
    }
    return GFMUL_OK;
}

/* spectrum_bytes - of so many transforms, rounded up so that one begins where a sub-buffer may. */
static bool spectrum_bytes(size_t *bytes, const struct gfmul_conv *c, size_t transforms)
{
    if (!size_mul(bytes, transforms, conv_points(c) * point_bytes(c)) || *bytes > SIZE_MAX / 2)
        return false;
    *bytes = (*bytes + 4095) / 4096 * 4096;
    return true;
}

/* sums_run - integers: the spectra of a's pieces, then each sum of products. */
static enum gfmul_status sums_run(const struct gfmul_conv *c, cl_mem z, cl_mem a, const struct batch *of, const struct parts *x,
                                  const struct parts *b)
{
    const cl_mem sum = x->part[c->a_pieces];
    for (unsigned i = 0; i < c->a_pieces; i++)
        TRY(spectrum_make(c, x->part[i], a, of, c->block, i, c->a_pieces));
    for (unsigned s = c->a_pieces + c->b_pieces - 1, most = s; s-- > 0;) {
        const unsigned least = s < c->b_pieces ? 0 : s - c->b_pieces + 1;
        for (unsigned i = least; i <= s && i < c->a_pieces; i++)
            TRY(multiply(c, sum, x->part[i], b->part[s - i], of->transforms, i == least));
        TRY(fft_ocl_in_place(c->fft, sum, conv_points(c), of->transforms, true));
        TRY(place(c, z, sum, of, s + 1 == most));
    }
    return GFMUL_OK;
}

static enum gfmul_status integers_run(const struct gfmul_conv *c, cl_mem z, cl_mem a, const struct batch *of, size_t bytes)
{
    size_t one;
    struct parts x = {NULL, 0}, b = {NULL, 0};
    enum gfmul_status status = spectrum_bytes(&one, c, 1) ? GFMUL_OK : GFMUL_ERR_SIZE;
    if (status == GFMUL_OK)
        status = parts_create(on_of(c), &x, c->device->work, c->a_pieces + 1, bytes);
    if (status == GFMUL_OK)
        status = parts_create(on_of(c), &b, c->device->spectra, c->b_pieces, one);
    if (status == GFMUL_OK)
        status = sums_run(c, z, a, of, &x, &b);
    parts_release(&x);
    parts_release(&b);
    return status;
}

/* run_locked - z = a * b in device memory.   The device is locked. */
static enum gfmul_status run_locked(const struct gfmul_conv *c, cl_mem z, cl_mem a, size_t an)
{
    struct conv_device *d = c->device;
    struct batch of = {.an = an, .sequences = c->opt.batch, .blocks = (an + c->block - 1) / c->block};
    size_t bytes, all;
    if (!size_mul(&of.transforms, of.sequences, of.blocks) || of.blocks > UINT32_MAX ||
        !spectrum_bytes(&bytes, c, of.transforms) || !size_mul(&all, bytes, is_integer(c) ? c->a_pieces + 1 : 1))
        return GFMUL_ERR_SIZE;
    TRY(fft_ocl_memory(on_of(c), &d->work, &d->work_bytes, all));
    if (is_integer(c))
        return integers_run(c, z, a, &of, bytes);
    TRY(spectrum_make(c, d->work, a, &of, c->block, 0, 1));
    TRY(multiply(c, d->work, d->work, d->spectra, of.transforms, true));
    TRY(fft_ocl_in_place(c->fft, d->work, conv_points(c), of.transforms, true));
    return place(c, z, d->work, &of, true);
}

/* bound_of - section 17.1: F forwards, I backwards, the weights on both ways, the product; sums as in section 17. */
static double bound_of(const struct gfmul_conv *c, void *arg)
{
    double forward, backward;
    fft_ocl_constants(arg, &forward, &backward);
    const double count = c->a_pieces < c->b_pieces ? c->a_pieces : c->b_pieces, weight = fft_ocl_root_constant() + 2;
    const double k = 2 * (forward + weight) + 2 + backward + weight, norms = sqrt((double)c->block) * sqrt((double)c->bn);
    return 0x1p-53 * count * (k + count - 1) * norms * ldexp(1, 2 * (int)c->bits - 2) * (1 + 0x1p-30);
}

static enum gfmul_status buffer_create(const struct ocl_call *on, cl_mem *m, size_t bytes)
{
    cl_int code = CL_SUCCESS;
    *m = clCreateBuffer(ocl_device_context(on->device), CL_MEM_READ_WRITE, bytes, NULL, &code);
    return ocl_status(on, code, "clCreateBuffer");
}

/* kernel_spectra - of b, by way of a buffer of its numbers.   The device is locked. */
static enum gfmul_status kernel_spectra(const struct gfmul_conv *c, cl_mem numbers, const void *b)
{
    const struct ocl_call *on = on_of(c);
    const struct ocl_span span = {numbers, 0, c->bn * conv_number_bytes(&c->opt)};
    const struct batch of = {.an = c->bn, .sequences = 1, .blocks = 1, .transforms = 1};
    const unsigned count = is_integer(c) ? c->b_pieces : 1;
    const cl_uint zero = 0;
    struct parts x = {NULL, 0};
    size_t one;
    if (!spectrum_bytes(&one, c, 1))
        return GFMUL_ERR_SIZE;
    TRY(ocl_fill(on, (struct ocl_span){c->device->wrong, 0, sizeof zero}, &zero, sizeof zero));
    TRY(ocl_upload(on, span, b, threads_available(c->opt.threads), OCL_AFTER_QUEUE));
    enum gfmul_status status = parts_create(on, &x, c->device->spectra, count, one);
    for (unsigned i = 0; i < count && status == GFMUL_OK; i++)
        status = spectrum_make(c, x.part[i], numbers, &of, c->bn, i, count);
    parts_release(&x);
    const enum gfmul_status ended = ocl_finish(on);
    return status != GFMUL_OK ? status : ended;
}

static enum gfmul_status spectra_create(struct gfmul_conv *c, const void *b)
{
    const struct ocl_call *on = on_of(c);
    cl_mem numbers = NULL;
    size_t one, bytes;
    if (!spectrum_bytes(&one, c, 1) || !size_mul(&bytes, one, is_integer(c) ? c->b_pieces : 1))
        return GFMUL_ERR_SIZE;
    TRY(buffer_create(on, &c->device->wrong, sizeof(cl_uint)));
    TRY(buffer_create(on, &c->device->spectra, bytes));
    TRY(ocl_buffer_get(on, c->bn * conv_number_bytes(&c->opt), &numbers));
    ocl_device_lock(on->device);
    const enum gfmul_status status = kernel_spectra(c, numbers, b);
    ocl_device_unlock(on->device);
    ocl_buffer_put(on->device, numbers);
    return status;
}

static enum gfmul_status kernels_create(struct gfmul_conv *c)
{
    static const unsigned char numbers[] = {
        /* as NUMBER of the kernels */
        [GFMUL_CONV_REAL] = 0, [GFMUL_CONV_COMPLEX] = 1,    [GFMUL_CONV_INT32] = 2,        [GFMUL_CONV_INT64] = 3,
        [GFMUL_CONV_MOD] = 4,  [GFMUL_CONV_REAL_FLOAT] = 0, [GFMUL_CONV_COMPLEX_FLOAT] = 1};
    const bool has_words = c->opt.number == GFMUL_CONV_INT32 || c->opt.number == GFMUL_CONV_INT64;
    char options[128];
    snprintf(options, sizeof options, "-DFFT_FLOAT=%d -DFORM=%u -DNUMBER=%u -DWORDS=%u",
             conv_real_bytes(&c->opt) == sizeof(float), (unsigned)c->form, numbers[c->opt.number], has_words ? c->opt.words : 1);
    for (unsigned i = 0; i < N_KERNELS; i++)
        TRY(ocl_kernel_get(on_of(c), "fft_conv.cl", names[i], options, &c->device->k[i]));
    const size_t order = (c->form == CONV_ANGLE ? 4 : 2) * c->n;
    return fft_ocl_roots_create(on_of(c), &c->device->roots, point_bytes(c) / 2, order, conv_is_turned(c) ? c->n : 1);
}

enum gfmul_status conv_ocl_create(struct gfmul_conv *c, const void *b, unsigned a_bits)
{
    struct gfmul_fft_options opt;
    conv_form_choose(c);
    if (c->n == 0)
        return GFMUL_ERR_SIZE;
    if (c->opt.kind == GFMUL_CONV_LINEAR)
        c->block = numbers_of(c) - c->bn + 1;
    conv_fft_options(c, &opt);
    opt.scale = 1;
    opt.algorithm = "opencl";
    opt.device = c->opt.device;
    opt.cl_context = c->opt.cl_context;
    opt.cl_queue = c->opt.cl_queue;
    TRY(gfmul_fft_create(&c->fft, c->n, &opt));
    c->device = calloc(1, sizeof *c->device);
    if (c->device == NULL)
        return GFMUL_ERR_MEMORY;
    if (is_integer(c))
        TRY(conv_int_pieces(c, b, a_bits, bound_of, (void *)(uintptr_t)fft_ocl_passes(c->fft)));
    TRY(kernels_create(c));
    return spectra_create(c, b);
}

void conv_ocl_destroy(struct gfmul_conv *c)
{
    struct conv_device *d = c->device;
    if (d == NULL)
        return;
    struct ocl_device *device = on_of(c)->device;
    fft_ocl_drain(c->fft->state);
    for (unsigned i = 0; i < N_KERNELS; i++)
        ocl_kernel_put(device, d->k[i]);
    fft_ocl_roots_destroy(&d->roots);
    if (d->spectra != NULL)
        clReleaseMemObject(d->spectra);
    if (d->wrong != NULL)
        clReleaseMemObject(d->wrong);
    ocl_buffer_put(device, d->work);
    free(d);
}

/* wrong_check - a theorem says that no integer is wrong.   The device is locked. */
static enum gfmul_status wrong_check(const struct gfmul_conv *c)
{
    cl_uint wrong = 0;
    TRY(ocl_download(on_of(c), &wrong, (struct ocl_span){c->device->wrong, 0, sizeof wrong}, 1, OCL_AFTER_QUEUE));
    return wrong == 0 ? GFMUL_OK : GFMUL_ERR_INTERNAL;
}

/* Bytes of a batch. */
static size_t a_bytes(const struct gfmul_conv *c, size_t an)
{
    return c->opt.batch * an * conv_number_bytes(&c->opt);
}

static size_t z_bytes(const struct gfmul_conv *c, size_t an)
{
    return c->opt.batch * (c->opt.kind == GFMUL_CONV_LINEAR ? an + c->bn - 1 : c->bn) * conv_result_bytes(&c->opt);
}

/* host_run - up, the convolution, and down.   The device is locked. */
static enum gfmul_status host_run(const struct gfmul_conv *c, void *z, const void *a, size_t an, cl_mem to, cl_mem from)
{
    const struct ocl_call *on = on_of(c);
    const unsigned threads = threads_available(c->opt.threads);
    TRY(ocl_upload(on, (struct ocl_span){from, 0, a_bytes(c, an)}, a, threads, OCL_AFTER_QUEUE));
    TRY(run_locked(c, to, from, an));
    TRY(ocl_download(on, z, (struct ocl_span){to, 0, z_bytes(c, an)}, threads, OCL_AFTER_QUEUE));
    return is_integer(c) ? wrong_check(c) : GFMUL_OK;
}

enum gfmul_status conv_ocl_run(const struct gfmul_conv *c, void *z, const void *a, size_t an)
{
    const struct ocl_call *on = on_of(c);
    cl_mem to = NULL, from = NULL;
    ocl_device_lock(on->device);
    enum gfmul_status status = ocl_buffer_get(on, a_bytes(c, an), &from);
    if (status == GFMUL_OK)
        status = ocl_buffer_get(on, z_bytes(c, an), &to);
    if (status == GFMUL_OK)
        status = host_run(c, z, a, an, to, from);
    const enum gfmul_status ended = ocl_finish(on);
    ocl_buffer_put(on->device, from);
    ocl_buffer_put(on->device, to);
    ocl_device_unlock(on->device);
    return status != GFMUL_OK ? status : ended;
}

enum gfmul_status conv_ocl_enqueue(const struct gfmul_conv *c, void *z, void *a, size_t an)
{
    const struct ocl_call *on = on_of(c);
    TRY(fft_ocl_spans_check(on, z, z_bytes(c, an), a, a_bytes(c, an)));
    ocl_device_lock(on->device);
    const enum gfmul_status status = run_locked(c, z, a, an);
    ocl_device_unlock(on->device);
    return status;
}

enum gfmul_status conv_ocl_finish(const struct gfmul_conv *c)
{
    struct ocl_device *device = on_of(c)->device;
    ocl_device_lock(device);
    enum gfmul_status status = ocl_finish(on_of(c));
    if (status == GFMUL_OK && is_integer(c))
        status = wrong_check(c);
    ocl_device_unlock(device);
    return status;
}
#else
enum gfmul_status conv_ocl_create(struct gfmul_conv *c, const void *b, unsigned a_bits)
{
    (void)c, (void)b, (void)a_bits;
    return GFMUL_ERR_UNSUPPORTED;
}

enum gfmul_status conv_ocl_run(const struct gfmul_conv *c, void *z, const void *a, size_t an)
{
    (void)c, (void)z, (void)a, (void)an;
    return GFMUL_ERR_UNSUPPORTED;
}

enum gfmul_status conv_ocl_enqueue(const struct gfmul_conv *c, void *z, void *a, size_t an)
{
    (void)c, (void)z, (void)a, (void)an;
    return GFMUL_ERR_UNSUPPORTED;
}

enum gfmul_status conv_ocl_finish(const struct gfmul_conv *c)
{
    (void)c;
    return GFMUL_OK;
}

void conv_ocl_destroy(struct gfmul_conv *c)
{
    (void)c;
}
#endif
