/*
 * conv_ocl.c - convolutions on an OpenCL device: of real and complex numbers, and of integers, exactly.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The data stay on the device between the packing of a and the result.  kernels/fft_conv.cl packs and unpacks them, and the plain
 * transforms of fft_ocl_row.c run in place between.  All blocks of all sequences of a batch are one batch of transforms.  Forms
 * are those of conv_float.c; integers have form ANGLE, whose error is proved (doc/error-bound.md, section 17.1).  All pieces of
 * integers are one batch of transforms, too, and so are all sums of their products (fft_conv_sums.cl).  So integers take as many
 * launches as real numbers.
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
#include "ocl/ocl_arguments.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_staging.h"

enum { PACK, MULTIPLY, PLACE, N_KERNELS, GROUP_ITEMS = 128 };

enum { MOST_PIECES = 16 }; /* that fft_conv_sums.cl keeps in registers; the bounds of lengths to 2^30 allow 6 bits: 11 pieces */

struct conv_device {
    cl_kernel k[N_KERNELS];
    struct fft_ocl_roots roots; /* of the weights; forms without weights: one root that is not read */
    cl_mem spectra;             /* of the kernel's pieces, one after another */
    cl_mem wrong;               /* a word: not 0 if an integer was farther from its value than the proof allows */
    cl_mem work;                /* spectra of a batch; grown when needed */
    size_t work_bytes;
};

/* A batch: sequences of an numbers in `blocks` blocks each.  Integers: all transforms of one piece, then those of the next. */
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

/* real_bytes_of - bytes of a real in the transforms. */
static size_t real_bytes_of(const struct gfmul_conv *c)
{
    return is_integer(c) ? sizeof(double) : conv_real_bytes(&c->opt);
}

/* pieces_of - pieces of a, or of the kernel; sums_of - sums of their products. */
static unsigned pieces_of(const struct gfmul_conv *c, bool kernel)
{
    return !is_integer(c) ? 1 : kernel ? c->b_pieces : c->a_pieces;
}

static unsigned sums_of(const struct gfmul_conv *c)
{
    return pieces_of(c, false) + pieces_of(c, true) - 1;
}

/* numbers_of - the numbers that a transform holds. */
static size_t numbers_of(const struct gfmul_conv *c)
{
    return c->form == CONV_ANGLE ? 2 * c->n : c->n;
}

static size_t group_items(const struct gfmul_conv *c)
{
    const size_t most = ocl_device_info(on_of(c)->device)->max_work_group;
    return most < GROUP_ITEMS ? most : GROUP_ITEMS;
}

/* row_groups - groups of `items` items for a row. */
static cl_uint row_groups(const struct gfmul_conv *c, size_t items)
{
    return (cl_uint)((items + group_items(c) - 1) / group_items(c));
}

static const char *name_of(const struct gfmul_conv *c, unsigned k)
{
    return k == PACK ? "conv_pack" : k == PLACE ? "conv_place" : is_integer(c) ? "conv_sums" : "conv_multiply";
}

static enum gfmul_status launch(const struct gfmul_conv *c, unsigned k, size_t items, size_t rows)
{
    size_t groups;
    if (!size_mul(&groups, row_groups(c, items), rows) || groups > INT32_MAX)
        return GFMUL_ERR_SIZE;
    return ocl_launch(on_of(c), c->device->k[k], name_of(c, k), ocl_items(groups * group_items(c), group_items(c)), 0);
}

/* spectra_make - pack all pieces of a batch into x, and transform them. */
static enum gfmul_status spectra_make(const struct gfmul_conv *c, cl_mem x, cl_mem a, const struct batch *of, size_t block,
                                      unsigned n_pieces)
{
    const struct fft_ocl_roots *r = &c->device->roots;
    const size_t points = conv_points(c);
    const cl_uint groups = row_groups(c, points);
    const struct conv_pack_arguments pack = {.an = of->an,
                                             .block = block,
                                             .part = of->transforms * points,
                                             .modulus = c->opt.modulus,
                                             .blocks = (cl_uint)of->blocks,
                                             .points = (cl_uint)points,
                                             .n = (cl_uint)c->n,
                                             .low_bits = r->low_bits,
                                             .bits = c->bits,
                                             .pieces = n_pieces};
    TRY(ocl_args(on_of(c), c->device->k[PACK], OCL_ARG(x), OCL_ARG(a), OCL_ARG(r->high), OCL_ARG(r->low), OCL_ARG(groups),
                 OCL_ARG(pack), OCL_END));
    TRY(launch(c, PACK, points, of->transforms));
    return fft_ocl_in_place(c->fft, x, points, n_pieces * of->transforms, false);
}

/* multiply - multiply the spectra in the work buffer by the kernel's; for integers, make all sums of products. */
static enum gfmul_status multiply(const struct gfmul_conv *c, const struct batch *of)
{
    const struct conv_device *d = c->device;
    const cl_uint points = (cl_uint)conv_points(c), groups = row_groups(c, points), a_pieces = c->a_pieces,
                  b_pieces = c->b_pieces;
    const cl_ulong part = of->transforms * conv_points(c);
    if (is_integer(c))
        TRY(ocl_args(on_of(c), d->k[MULTIPLY], OCL_ARG(d->work), OCL_ARG(d->spectra), OCL_ARG(points), OCL_ARG(a_pieces),
                     OCL_ARG(b_pieces), OCL_ARG(part), OCL_ARG(groups), OCL_END));
    else
        TRY(ocl_args(on_of(c), d->k[MULTIPLY], OCL_ARG(d->work), OCL_ARG(d->spectra), OCL_ARG(points), OCL_ARG(groups), OCL_END));
    return launch(c, MULTIPLY, points, of->transforms);
}

/* place - write the contents of the work buffer to the result. */
static enum gfmul_status place(const struct gfmul_conv *c, cl_mem z, const struct batch *of)
{
    const struct conv_device *d = c->device;
    const bool linear = c->opt.kind == GFMUL_CONV_LINEAR, is_float = conv_real_bytes(&c->opt) == sizeof(float);
    const size_t numbers = numbers_of(c), all = c->block + c->bn - 1, count = linear ? of->an + c->bn - 1 : c->bn;
    const struct conv_place_arguments result = {.count = count,
                                                .block = c->block,
                                                .length = all < numbers ? all : numbers,
                                                .fold = linear ? 0 : c->bn,
                                                .part = of->transforms * conv_points(c),
                                                .modulus = c->opt.modulus,
                                                .blocks = (cl_uint)of->blocks,
                                                .points = (cl_uint)conv_points(c),
                                                .n = (cl_uint)c->n,
                                                .low_bits = d->roots.low_bits,
                                                .sums = sums_of(c),
                                                .bits = c->bits,
                                                .row_groups = row_groups(c, count),
                                                .minus = c->opt.kind == GFMUL_CONV_NEGACYCLIC};
    const cl_double bound[2] = {c->bound, 0}; /* only integers read it */
    const cl_float float_bound = 0;
    TRY(ocl_args(on_of(c), d->k[PLACE], OCL_ARG(z), OCL_ARG(d->work), OCL_ARG(d->roots.high), OCL_ARG(d->roots.low),
                 real_bytes_of(c), is_float ? (const void *)&float_bound : (const void *)bound, OCL_ARG(d->wrong),
                 OCL_ARG(result), OCL_END));
    return launch(c, PLACE, count, of->sequences);
}

/* spectrum_bytes - bytes of this many spectra. */
static bool spectrum_bytes(size_t *bytes, const struct gfmul_conv *c, size_t transforms)
{
    return size_mul(bytes, transforms, conv_points(c) * 2 * real_bytes_of(c));
}

/* run_locked - z = a * b in device memory.   The device is locked. */
static enum gfmul_status run_locked(const struct gfmul_conv *c, cl_mem z, cl_mem a, size_t an)
{
    struct conv_device *d = c->device;
    struct batch of = {.an = an, .sequences = c->opt.batch, .blocks = (an + c->block - 1) / c->block};
    const unsigned sums = sums_of(c);
    size_t transforms, bytes;
    if (!size_mul(&of.transforms, of.sequences, of.blocks) || of.blocks > UINT32_MAX ||
        !size_mul(&transforms, of.transforms, sums) || !spectrum_bytes(&bytes, c, transforms))
        return GFMUL_ERR_SIZE;
    TRY(fft_ocl_memory(on_of(c), &d->work, &d->work_bytes, bytes));
    TRY(spectra_make(c, d->work, a, &of, c->block, pieces_of(c, false)));
    TRY(multiply(c, &of));
    TRY(fft_ocl_in_place(c->fft, d->work, conv_points(c), transforms, true));
    return place(c, z, &of);
}

/* bound_of - section 17.1: F forwards, I backwards, the weights both ways, the product; sums as in section 17. */
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

/* kernel_spectra - the spectra of b, from a buffer of its numbers.   The device is locked. */
static enum gfmul_status kernel_spectra(const struct gfmul_conv *c, cl_mem numbers, const void *b)
{
    const struct ocl_call *on = on_of(c);
    const struct ocl_span span = {numbers, 0, c->bn * conv_number_bytes(&c->opt)};
    const struct batch of = {.an = c->bn, .sequences = 1, .blocks = 1, .transforms = 1};
    const cl_uint zero = 0;
    TRY(ocl_fill(on, (struct ocl_span){c->device->wrong, 0, sizeof zero}, &zero, sizeof zero));
    TRY(ocl_upload(on, span, b, threads_available(c->opt.threads), OCL_AFTER_QUEUE));
    const enum gfmul_status status = spectra_make(c, c->device->spectra, numbers, &of, c->bn, pieces_of(c, true));
    const enum gfmul_status ended = ocl_finish(on);
    return status != GFMUL_OK ? status : ended;
}

static enum gfmul_status spectra_create(struct gfmul_conv *c, const void *b)
{
    const struct ocl_call *on = on_of(c);
    cl_mem numbers = NULL;
    size_t bytes;
    if (!spectrum_bytes(&bytes, c, pieces_of(c, true)))
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
        /* as NUMBER in the kernels */
        [GFMUL_CONV_REAL] = 0,          [GFMUL_CONV_COMPLEX] = 1, [GFMUL_CONV_INT32] = 2,
        [GFMUL_CONV_INT64] = 3,         [GFMUL_CONV_MOD] = 4,     [GFMUL_CONV_REAL_FLOAT] = 0,
        [GFMUL_CONV_COMPLEX_FLOAT] = 1, [GFMUL_CONV_REAL_DD] = 0, [GFMUL_CONV_COMPLEX_DD] = 1};
    const unsigned most = c->a_pieces > c->b_pieces ? c->a_pieces : c->b_pieces;
    char options[128], sums[32];
    snprintf(options, sizeof options, "%s -DFORM=%u -DNUMBER=%u -DWORDS=%u", fft_ocl_real_option(real_bytes_of(c)),
             (unsigned)c->form, numbers[c->opt.number], conv_has_words(&c->opt) ? c->opt.words : 1);
    snprintf(sums, sizeof sums, "-DPIECES=%u", most);
    for (unsigned i = 0; i < N_KERNELS; i++)
        TRY(i == MULTIPLY && is_integer(c) ? ocl_kernel_get(on_of(c), "fft_conv_sums.cl", name_of(c, i), sums, &c->device->k[i])
                                           : ocl_kernel_get(on_of(c), "fft_conv.cl", name_of(c, i), options, &c->device->k[i]));
    const size_t order = (c->form == CONV_ANGLE ? 4 : 2) * c->n;
    return fft_ocl_roots_create(on_of(c), &c->device->roots, real_bytes_of(c), order, conv_is_turned(c) ? c->n : 1);
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
    opt.order = c->form == CONV_REAL ? GFMUL_FFT_NATURAL : GFMUL_FFT_PERMUTED;
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
    if (c->a_pieces > MOST_PIECES || c->b_pieces > MOST_PIECES)
        return GFMUL_ERR_PRECISION;
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

/* wrong_check - check that no integer is wrong, as a theorem says.   The device is locked. */
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

/* host_run - upload, convolve and download.   The device is locked. */
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
