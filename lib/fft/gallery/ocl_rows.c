/*
 * ocl_rows.c - gallery: the host side of the OpenCL rows.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Each row is a file of kernels/gallery/, whose banner says what it does; here is the order of its launches.  The first reads the
 * input, the last writes the output, and between them data go to and fro between the output and memory of the plan; the kernels'
 * second dimension is the batch.  Scaling is a kernel of its own behind the last.
 */
#include "fft/gallery/gallery.h"

#ifdef HAVE_OPENCL
#include <stdio.h>

#include "fft/fft_ocl.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"

enum { MAX_KERNELS = 3, IMAGE_WIDTH = 4096, GROUP_ITEMS = 256 };

struct state {
    struct fft_ocl_state base;
    const struct row_kernels *row;
    cl_kernel k[MAX_KERNELS];
    cl_mem table; /* roots: a buffer or an image; NULL for rows that compute them */
    unsigned log2_n, log2_n1, log2_block;
    size_t items, width; /* of a work-group; columns and rows of one, fourstep */
    size_t point_bytes, local_bytes;
    cl_kernel scale;
    cl_mem work; /* of work_bytes, grown when needed */
    size_t work_bytes;
};

/* A call on its way: src holds the data, or what the last launch wrote; dst is free, and next_dst then. */
struct call {
    const struct state *s;
    cl_mem src, dst, next_dst;
    cl_int log2_n, sign;
    size_t batch;
};

/* A row: its kernels, and how they are prepared and launched. */
struct row_kernels {
    const char *file, *names[MAX_KERNELS];
    bool roots;     /* of a table */
    unsigned swaps; /* how often launch does that, beside once for each stage if by_stage */
    bool by_stage;
    enum gfmul_status (*prepare)(struct state *s); /* NULL: nothing to do */
    enum gfmul_status (*launch)(struct call *c);
};

static void swap(struct call *c)
{
    cl_mem t = c->dst;
    c->src = c->dst;
    c->dst = c->next_dst;
    c->next_dst = t;
}

static enum gfmul_status launch(struct call *c, unsigned k, size_t items)
{
    const size_t global[2] = {items, c->batch};
    return ocl_launch(c->s->base.d, c->s->k[k], c->s->row->names[k], 2, global, NULL, 0, NULL, NULL);
}

static enum gfmul_status launch_groups(struct call *c, unsigned k, size_t groups, size_t items)
{
    const size_t global[2] = {groups * items, c->batch}, local[2] = {items, 1};
    return ocl_launch(c->s->base.d, c->s->k[k], c->s->row->names[k], 2, global, local, 0, NULL, NULL);
}

#define ARGS(c, kernel, ...) FFT_TRY(ocl_args((c)->s->base.d, (c)->s->k[kernel], NULL, __VA_ARGS__, OCL_END))
#define LOCAL(bytes)         (bytes), (const void *)NULL

/* fft_1, fft_2: stage 0 from src to dst, the others within dst. */
static enum gfmul_status launch_ladder(struct call *c)
{
    for (cl_int stage = 0; stage < c->log2_n; stage++) {
        ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        FFT_TRY(launch(c, 0, (size_t)1 << (c->log2_n - 1)));
    }
    swap(c);
    return GFMUL_OK;
}

static enum gfmul_status launch_reverse(struct call *c)
{
    ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n));
    FFT_TRY(launch(c, 0, (size_t)1 << c->log2_n));
    swap(c);
    return GFMUL_OK;
}

static enum gfmul_status launch_fft_3(struct call *c)
{
    FFT_TRY(launch_reverse(c));
    for (cl_int stage = 0; stage < c->log2_n; stage++) {
        ARGS(c, 1, OCL_ARG(c->src), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        FFT_TRY(launch(c, 1, (size_t)1 << (c->log2_n - 1)));
    }
    return GFMUL_OK;
}

static enum gfmul_status launch_fft_4(struct call *c)
{
    FFT_TRY(launch_reverse(c));
    for (cl_int stage = 0; stage < c->log2_n; stage++) {
        ARGS(c, 1, OCL_ARG(c->src), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        FFT_TRY(launch(c, 1, (size_t)1 << (c->log2_n - 1)));
        ARGS(c, 2, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n));
        FFT_TRY(launch(c, 2, (size_t)1 << c->log2_n));
        swap(c);
    }
    return GFMUL_OK;
}

static enum gfmul_status launch_stockham(struct call *c)
{
    for (cl_int stage = 0; stage < c->log2_n; stage++) {
        ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->s->table), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        FFT_TRY(launch(c, 0, (size_t)1 << (c->log2_n - 1)));
        swap(c);
    }
    return GFMUL_OK;
}

/* group_items - the most items of a work-group that every kernel of the row allows. */
static size_t group_items(const struct state *s)
{
    size_t most = ocl_device_info(s->base.d)->max_work_group, one;
    for (unsigned i = 0; i < MAX_KERNELS && s->k[i] != NULL; i++)
        if (clGetKernelWorkGroupInfo(s->k[i], ocl_device_id(s->base.d), CL_KERNEL_WORK_GROUP_SIZE, sizeof one, &one, NULL) ==
                CL_SUCCESS &&
            one < most)
            most = one;
    return most;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static enum gfmul_status prepare_compact(struct state *s)
{
    const size_t n = (size_t)1 << s->log2_n;
    s->items = smaller(smaller(n / 2, GROUP_ITEMS), group_items(s));
    return n * s->point_bytes <= s->local_bytes ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED;
}

static enum gfmul_status launch_compact(struct call *c)
{
    const size_t bytes = c->s->point_bytes << c->log2_n;
    ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n), OCL_ARG(c->sign), LOCAL(bytes));
    FFT_TRY(launch_groups(c, 0, 1, c->s->items));
    swap(c);
    return GFMUL_OK;
}

static enum gfmul_status prepare_register(struct state *s, size_t values)
{
    const size_t n = (size_t)1 << s->log2_n;
    s->items = n / values;
    return n >= values && s->items <= group_items(s) && n * s->point_bytes <= s->local_bytes ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED;
}

static enum gfmul_status prepare_register_s2(struct state *s)
{
    return prepare_register(s, 2);
}

/* register_points - values of an item of register_sp: the more, the longer the transform. */
static unsigned register_points(unsigned log2_n)
{
    return log2_n <= 6 ? 4 : log2_n <= 10 ? 8 : 16;
}

static enum gfmul_status prepare_register_sp(struct state *s)
{
    return prepare_register(s, register_points(s->log2_n));
}

static enum gfmul_status launch_register(struct call *c)
{
    const size_t bytes = c->s->point_bytes << c->log2_n;
    ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->s->table), OCL_ARG(c->log2_n), OCL_ARG(c->sign), LOCAL(bytes));
    FFT_TRY(launch_groups(c, 0, 1, c->s->items));
    swap(c);
    return GFMUL_OK;
}

static enum gfmul_status prepare_local(struct state *s)
{
    while (s->log2_block < s->log2_n && s->point_bytes << (s->log2_block + 1) <= s->local_bytes && s->log2_block < 12)
        s->log2_block++;
    s->items = smaller(smaller(((size_t)1 << s->log2_block) / 2, GROUP_ITEMS), group_items(s));
    return GFMUL_OK;
}

static enum gfmul_status launch_local(struct call *c)
{
    const struct state *s = c->s;
    const cl_int log2_block = (cl_int)s->log2_block;
    const size_t bytes = s->point_bytes << s->log2_block;
    ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(s->table), OCL_ARG(c->log2_n), OCL_ARG(log2_block), OCL_ARG(c->sign),
         LOCAL(bytes));
    FFT_TRY(launch_groups(c, 0, (size_t)1 << (c->log2_n - log2_block), s->items));
    swap(c);
    for (cl_int stage = log2_block; stage < c->log2_n; stage++) {
        ARGS(c, 1, OCL_ARG(c->src), OCL_ARG(s->table), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        FFT_TRY(launch(c, 1, (size_t)1 << (c->log2_n - 1)));
    }
    return GFMUL_OK;
}

static enum gfmul_status prepare_fourstep(struct state *s)
{
    const unsigned log2_n2 = (s->log2_n + 1) / 2;
    s->log2_n1 = s->log2_n / 2;
    s->width = smaller(GROUP_ITEMS / 16, (size_t)1 << s->log2_n1);
    while (s->width > 1 && (s->width * s->point_bytes) << log2_n2 > s->local_bytes)
        s->width /= 2;
    s->items = smaller(GROUP_ITEMS, group_items(s));
    return s->log2_n1 > 0 && (s->width * s->point_bytes) << log2_n2 <= s->local_bytes ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED;
}

static enum gfmul_status launch_fourstep(struct call *c)
{
    const struct state *s = c->s;
    const cl_int log2_n1 = (cl_int)s->log2_n1, log2_n2 = c->log2_n - log2_n1;
    const cl_uint width = (cl_uint)s->width;
    for (unsigned step = 0; step < 2; step++) {
        const size_t bytes = (s->width * s->point_bytes) << (step ? log2_n2 : log2_n1);
        ARGS(c, step, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(s->table), OCL_ARG(log2_n1), OCL_ARG(log2_n2), OCL_ARG(width),
             OCL_ARG(c->sign), LOCAL(bytes));
        FFT_TRY(launch_groups(c, step, ((size_t)1 << (step ? log2_n1 : log2_n2)) / s->width, s->items));
        swap(c);
    }
    return GFMUL_OK;
}

static const struct row_kernels kernels_fft_1 = {"gallery/fft_1.cl", {"fft_1"}, false, 1, false, NULL, launch_ladder};
static const struct row_kernels kernels_fft_2 = {"gallery/fft_2.cl", {"fft_2"}, false, 1, false, NULL, launch_ladder};
static const struct row_kernels kernels_fft_3 = {"gallery/fft_3.cl", {"fft_3_reverse", "fft_3_stage"}, false, 1, false, NULL,
                                                 launch_fft_3};
static const struct row_kernels kernels_compact = {
    "gallery/compact_fft_3.cl", {"compact_fft_3"}, false, 1, false, prepare_compact, launch_compact};
static const struct row_kernels kernels_fft_4 = {
    "gallery/fft_4.cl", {"fft_4_reverse", "fft_4_stage", "fft_4_permute"}, false, 1, true, NULL, launch_fft_4};
static const struct row_kernels kernels_stockham = {"gallery/stockham.cl", {"stockham"}, true, 0, true, NULL, launch_stockham};
static const struct row_kernels kernels_local = {
    "gallery/local.cl", {"local_blocks", "local_stage"}, true, 1, false, prepare_local, launch_local};
static const struct row_kernels kernels_register_s2 = {"gallery/register_s2.cl", {"register_s2"}, true, 1, false,
                                                       prepare_register_s2,      launch_register};
static const struct row_kernels kernels_register_sp = {"gallery/register_sp.cl", {"register_sp"}, true, 1, false,
                                                       prepare_register_sp,      launch_register};
static const struct row_kernels kernels_fourstep = {
    "gallery/fourstep.cl", {"fourstep_columns", "fourstep_rows"}, true, 2, false, prepare_fourstep, launch_fourstep};

static void destroy(struct gfmul_fft *plan)
{
    struct state *s = plan->state;
    if (s == NULL)
        return;
    fft_ocl_drain(&s->base);
    if (s->base.d != NULL) {
        ocl_buffer_put(s->base.d, s->work);
        ocl_kernel_put(s->base.d, s->scale);
    }
    fft_ocl_io_free(&s->base.io);
    if (s->table != NULL)
        clReleaseMemObject(s->table);
    for (unsigned i = 0; i < MAX_KERNELS && s->base.d != NULL; i++)
        ocl_kernel_put(s->base.d, s->k[i]);
    ocl_device_close(s->base.d);
    free(s);
}

/* images_usable - can the table of `local` be an image on this device? */
static bool images_usable(const struct state *s, size_t count)
{
    cl_bool images = CL_FALSE;
    size_t height = 0, width = 0;
    return clGetDeviceInfo(ocl_device_id(s->base.d), CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL) == CL_SUCCESS &&
           images &&
           clGetDeviceInfo(ocl_device_id(s->base.d), CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof height, &height, NULL) == CL_SUCCESS &&
           clGetDeviceInfo(ocl_device_id(s->base.d), CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof width, &width, NULL) == CL_SUCCESS &&
           width >= IMAGE_WIDTH && height >= (count + IMAGE_WIDTH - 1) / IMAGE_WIDTH;
}

/* The roots in a buffer, or in an image of four words for each. */
static enum gfmul_status table_create(struct state *s, const struct gfmul_fft *plan, bool image)
{
    const size_t count = plan->n / 2, height = image ? (count + IMAGE_WIDTH - 1) / IMAGE_WIDTH : 1;
    const size_t rows = image ? height * IMAGE_WIDTH : count, bytes = image ? 16 : s->point_bytes;
    unsigned char *table = calloc(rows, bytes), *roots = calloc(count, s->point_bytes);
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    cl_int code = CL_SUCCESS;
    if (table != NULL && roots != NULL)
        status = fft_roots_fill(roots, plan->real_bytes, plan->n, 1, count);
    if (status == GFMUL_OK) {
        for (size_t j = 0; j < count; j++)
            memcpy(table + j * bytes, roots + j * s->point_bytes, s->point_bytes);
        const cl_mem_flags flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
        if (image) {
            const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
            const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = IMAGE_WIDTH, .image_height = height};
            s->table = clCreateImage(ocl_device_context(s->base.d), flags, &format, &desc, table, &code);
        } else {
            s->table = clCreateBuffer(ocl_device_context(s->base.d), flags, count * bytes, table, &code);
        }
        status = ocl_status(s->base.d, code, "clCreateBuffer", NULL);
    }
    free(table);
    free(roots);
    return status;
}

static enum gfmul_status create(struct gfmul_fft *plan, const struct row_kernels *row)
{
    char options[128];
    if (plan->type != GFMUL_FFT_COMPLEX || (plan->n & (plan->n - 1)) != 0 || plan->n > (size_t)1 << 30)
        return GFMUL_ERR_UNSUPPORTED;
    struct state *s = plan->state = calloc(1, sizeof *s);
    if (s == NULL)
        return GFMUL_ERR_MEMORY;
    s->row = row;
    s->log2_n = (unsigned)__builtin_ctzll(plan->n);
    s->point_bytes = 2 * plan->real_bytes;
    FFT_TRY(fft_ocl_open(&s->base.d, plan));
    s->local_bytes = (size_t)ocl_device_info(s->base.d)->local_bytes;
    if (plan->n == 1)
        return GFMUL_OK; /* nothing to launch */
    bool image = row == &kernels_local && images_usable(s, plan->n / 2);
    if (row == &kernels_local && !image) {
        cl_ulong most = 0;
        if (clGetDeviceInfo(ocl_device_id(s->base.d), CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof most, &most, NULL) !=
                CL_SUCCESS ||
            most < plan->n / 2 * s->point_bytes)
            return GFMUL_ERR_UNSUPPORTED;
    }
    snprintf(options, sizeof options, "-DGALLERY_DOUBLE=%d -DREGISTER_POINTS=%u -DLOCAL_IMAGE=%d -DLOCAL_IMAGE_WIDTH=%d",
             plan->real_bytes == sizeof(double), register_points(s->log2_n), image, IMAGE_WIDTH);
    for (unsigned i = 0; i < MAX_KERNELS && row->names[i] != NULL; i++)
        FFT_TRY(ocl_kernel_get(s->base.d, row->file, row->names[i], options, &s->k[i], NULL));
    FFT_TRY(ocl_kernel_get(s->base.d, "gallery/gallery.cl", "gallery_scale", options, &s->scale, NULL));
    if (row->roots)
        FFT_TRY(table_create(s, plan, image));
    return row->prepare != NULL ? row->prepare(s) : GFMUL_OK;
}

/* transform - from one device buffer to another, without gaps; the device is locked. */
static enum gfmul_status transform(const struct gfmul_fft *plan, cl_mem out, cl_mem in, bool backward)
{
    struct state *s = plan->state;
    const size_t all = plan->batch * plan->n * s->point_bytes;
    const unsigned swaps = s->row->swaps + (s->row->by_stage ? s->log2_n : 0);
    struct call c = {.s = s, .src = in, .log2_n = (cl_int)s->log2_n, .sign = backward ? 1 : -1, .batch = plan->batch};
    if (plan->n == 1)
        return ocl_status(s->base.d, clEnqueueCopyBuffer(ocl_device_queue(s->base.d), in, out, 0, 0, all, 0, NULL, NULL),
                          "clEnqueueCopyBuffer", NULL);
    if (swaps > 1 && s->work_bytes < all) {
        FFT_TRY(ocl_finish(s->base.d, NULL));
        ocl_buffer_put(s->base.d, s->work);
        s->work = NULL;
        s->work_bytes = 0;
        FFT_TRY(ocl_buffer_get(s->base.d, all, &s->work, NULL));
        s->work_bytes = all;
    }
    c.dst = swaps % 2 ? out : s->work;
    c.next_dst = swaps % 2 ? s->work : out;
    FFT_TRY(s->row->launch(&c));
    if (!backward || plan->scale == 1)
        return GFMUL_OK;
    const cl_float float_scale = (cl_float)plan->scale;
    const size_t points[2] = {plan->n, plan->batch};
    FFT_TRY(ocl_args(s->base.d, s->scale, NULL, OCL_ARG(out), plan->real_bytes,
                     plan->real_bytes == sizeof(float) ? (const void *)&float_scale : &plan->scale, OCL_END));
    return ocl_launch(s->base.d, s->scale, "gallery_scale", 2, points, NULL, 0, NULL, NULL);
}

static enum gfmul_status enqueue(const struct gfmul_fft *plan, void *out, void *in, bool backward)
{
    const struct state *s = plan->state;
    if (in == out || (plan->batch > 1 && (plan->in_dist != plan->n || plan->out_dist != plan->n)))
        return GFMUL_ERR_UNSUPPORTED;
    FFT_TRY(fft_ocl_buffers_check(plan, backward, out, in));
    ocl_device_lock(s->base.d);
    enum gfmul_status status = transform(plan, out, in, backward);
    ocl_device_unlock(s->base.d);
    return status;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, size_t out_step, const void *in, size_t in_step,
                             bool backward)
{
    return fft_ocl_run(plan, out, out_step, in, in_step, backward, transform);
}

#define ROW_OF(id, row_name, text)                                                 \
    static enum gfmul_status create_##id(struct gfmul_fft *plan)                   \
    {                                                                              \
        return create(plan, &kernels_##id);                                        \
    }                                                                              \
    const struct fft_row fft_row_##id = {.about = {.name = row_name,               \
                                                   .device = "opencl",             \
                                                   .summary = text,                \
                                                   .lengths = "2^k",               \
                                                   .types = "complex",             \
                                                   .precisions = "float, double"}, \
                                         .create = create_##id,                    \
                                         .run_batch = run,                         \
                                         .enqueue = enqueue,                       \
                                         .finish = fft_ocl_finish,                 \
                                         .queue = fft_ocl_queue,                   \
                                         .destroy = destroy};
ROW_OF(fft_1, "fft_1", "one launch per stage, bit reversal inside each butterfly")
ROW_OF(fft_2, "fft_2", "the same with shifts and masks for powers, divisions and remainders")
ROW_OF(fft_3, "fft_3", "a bit-reversal kernel first, then the stages in order")
ROW_OF(compact, "compact_fft_3", "the whole transform in one work-group and one launch, in local memory; short ones")
ROW_OF(fft_4, "fft_4", "a permute kernel after each stage, so that every read is coalesced")
ROW_OF(stockham, "stockham", "self-sorting, coalesced reads and writes, roots from a table")
ROW_OF(local, "local", "stages in local memory, roots from an image or from constant memory")
ROW_OF(register_s2, "register_s2", "one work-group per transform, two values of each item in registers; short ones")
ROW_OF(register_sp, "register_sp", "one work-group per transform, a DFT of 4, 8 or 16 in each item's registers; short ones")
ROW_OF(fourstep, "fourstep_ocl", "n = n1 n2: columns, twiddles, rows, blocked through local memory")
#else
typedef int ocl_rows_are_not_built; /* a file is not empty */
#endif
