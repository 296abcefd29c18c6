/*
 * ocl_rows.c - gallery: the host side of the OpenCL rows.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Each row is a file in kernels/gallery/ whose banner explains it; this file has the order of its launches.  The first launch
 * reads the input and the last one writes the output.  Between them, data alternate between the output and memory of the plan.
 * The second dimension of every kernel is the batch.  Scaling is a kernel of its own, after the last launch.
 */
#include "gallery/gallery.h"

#ifdef HAVE_OPENCL
#include <stdio.h>

#include "base/try.h"
#include "fft/fft_ocl.h"
#include "ocl/ocl_arguments.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"

enum { MAX_KERNELS = 3, GROUP_ITEMS = 256, MAX_LAUNCHES = 32 };

/* Levels of one launch in rows that launch a kernel repeatedly, besides the levels done in an item's registers. */
enum { LOCAL_LEVELS = 8, S2_LEVELS = 8, SP_LEVELS = 8 };

/* The longest transform of a row: log2 of its points, or as many as the local memory of one group holds. */
enum { ONE_GROUP_HOLDS, TO_LOG2_26 = 26, TO_LOG2_30 = 30 };

struct state {
    struct fft_ocl_state base;
    const struct row_kernels *row;
    cl_kernel k[MAX_KERNELS];
    cl_mem table; /* roots: a buffer or an image; NULL for rows that compute them */
    unsigned log2_n, log2_n1, swaps;
    unsigned points_log2;                      /* values that an item of a group holds */
    unsigned n_launches, levels[MAX_LAUNCHES]; /* of the kernel that is launched repeatedly */
    size_t items, width;                       /* items in a work-group; columns and rows in one, fourstep */
    size_t point_bytes, local_bytes;
    cl_kernel scale;
    cl_mem work; /* of work_bytes, grown when needed */
    size_t work_bytes;
};

/* A call in progress.  src: the data, or the output of the last launch; dst: the buffer to write next, next_dst after it. */
struct call {
    const struct state *s;
    cl_mem src, dst, next_dst;
    cl_int log2_n, sign;
    size_t batch;
};

/* A row: its kernels, and how they are prepared and launched. */
struct row_kernels {
    const char *file, *names[MAX_KERNELS];
    bool roots;               /* it needs a table of n/2 roots */
    unsigned swaps, by_stage; /* buffer swaps of a launch: in all, and per stage; prepare may correct them */
    enum gfmul_status (*prepare)(struct state *s); /* NULL: nothing to do */
    enum gfmul_status (*launch)(struct call *c);
    unsigned longest;
};

static const struct row_kernels kernels_local, kernels_local_groups;

static void swap(struct call *c)
{
    cl_mem t = c->dst;
    c->src = c->dst;
    c->dst = c->next_dst;
    c->next_dst = t;
}

static enum gfmul_status launch(struct call *c, unsigned k, size_t items)
{
    const struct ocl_range range = {.dims = 2, .global = {items, c->batch}};
    return ocl_launch(&c->s->base.on, c->s->k[k], c->s->row->names[k], range, 0);
}

static enum gfmul_status launch_groups(struct call *c, unsigned k, size_t groups, size_t items)
{
    const struct ocl_range range = {2, {0, 0}, {groups * items, c->batch}, {items, 1}};
    return ocl_launch(&c->s->base.on, c->s->k[k], c->s->row->names[k], range, 0);
}

#define ARGS(c, kernel, ...) TRY(ocl_args(&(c)->s->base.on, (c)->s->k[kernel], __VA_ARGS__, OCL_END))
#define LOCAL(bytes)         (bytes), (const void *)NULL

static enum gfmul_status prepare_ladder(struct state *s)
{
    s->swaps = s->log2_n > 1 ? 2 : 1;
    return GFMUL_OK;
}

/* fft_1, fft_2: stage 0 goes from src to dst, the last stage to the other buffer, and all between them work in place. */
static enum gfmul_status launch_ladder(struct call *c)
{
    for (cl_int stage = 0; stage < c->log2_n; stage++) {
        const bool moves = stage == 0 || stage == c->log2_n - 1;
        const cl_mem to = moves ? c->dst : c->src;
        ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(to), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        TRY(launch(c, 0, (size_t)1 << (c->log2_n - 1)));
        if (moves)
            swap(c);
    }
    return GFMUL_OK;
}

static enum gfmul_status launch_reverse(struct call *c)
{
    ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n));
    TRY(launch(c, 0, (size_t)1 << c->log2_n));
    swap(c);
    return GFMUL_OK;
}

/* fft_3, fft_3_table: the latter has a table. */
static enum gfmul_status launch_fft_3(struct call *c)
{
    TRY(launch_reverse(c));
    for (cl_int stage = 0; stage < c->log2_n; stage++) {
        if (c->s->table != NULL)
            ARGS(c, 1, OCL_ARG(c->src), OCL_ARG(c->s->table), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        else
            ARGS(c, 1, OCL_ARG(c->src), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        TRY(launch(c, 1, (size_t)1 << (c->log2_n - 1)));
    }
    return GFMUL_OK;
}

static enum gfmul_status launch_fft_4(struct call *c)
{
    TRY(launch_reverse(c));
    for (cl_int stage = 0; stage < c->log2_n; stage++) {
        if (stage > 0) { /* after the reversal, the pairs of stage 0 are already neighbours */
            ARGS(c, 1, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n), OCL_ARG(stage));
            TRY(launch(c, 1, (size_t)1 << (c->log2_n - 1)));
            swap(c);
        }
        ARGS(c, 2, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        TRY(launch(c, 2, (size_t)1 << (c->log2_n - 1)));
        swap(c);
    }
    return GFMUL_OK;
}

static enum gfmul_status launch_fft_4_coalesced(struct call *c)
{
    TRY(launch_reverse(c));
    for (cl_int stage = 0; stage < c->log2_n; stage++) {
        ARGS(c, 1, OCL_ARG(c->src), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        TRY(launch(c, 1, (size_t)1 << (c->log2_n - 1)));
        ARGS(c, 2, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n));
        TRY(launch(c, 2, (size_t)1 << c->log2_n));
        swap(c);
    }
    return GFMUL_OK;
}

static enum gfmul_status launch_stockham(struct call *c)
{
    for (cl_int stage = 0; stage < c->log2_n; stage++) {
        ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->s->table), OCL_ARG(c->log2_n), OCL_ARG(stage), OCL_ARG(c->sign));
        TRY(launch(c, 0, (size_t)1 << (c->log2_n - 1)));
        swap(c);
    }
    return GFMUL_OK;
}

/* group_items - the largest work-group that every kernel of the row allows, in items. */
static size_t group_items(const struct state *s)
{
    size_t most = ocl_device_info(s->base.on.device)->max_work_group, one;
    for (unsigned i = 0; i < MAX_KERNELS && s->k[i] != NULL; i++)
        if (clGetKernelWorkGroupInfo(s->k[i], ocl_device_id(s->base.on.device), CL_KERNEL_WORK_GROUP_SIZE, sizeof one, &one,
                                     NULL) == CL_SUCCESS &&
            one < most)
            most = one;
    return most;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* prepare_butterflies - one group with an item for each butterfly of a stage: `compact_fft_3`, `local`. */
static enum gfmul_status prepare_butterflies(struct state *s)
{
    s->items = (size_t)1 << (s->log2_n - 1);
    return s->items <= group_items(s) ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED;
}

static enum gfmul_status prepare_compact_coalesced(struct state *s)
{
    s->items = smaller(smaller((size_t)1 << (s->log2_n - 1), GROUP_ITEMS), group_items(s));
    return GFMUL_OK;
}

static enum gfmul_status launch_compact(struct call *c)
{
    const size_t bytes = c->s->point_bytes << c->log2_n;
    ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n), OCL_ARG(c->sign), LOCAL(bytes));
    TRY(launch_groups(c, 0, 1, c->s->items));
    swap(c);
    return GFMUL_OK;
}

static enum gfmul_status launch_local(struct call *c)
{
    const size_t bytes = c->s->point_bytes << c->log2_n;
    TRY(launch_reverse(c));
    if (c->s->table != NULL)
        ARGS(c, 1, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->s->table), OCL_ARG(c->log2_n), OCL_ARG(c->sign), LOCAL(bytes));
    else
        ARGS(c, 1, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n), OCL_ARG(c->sign), LOCAL(bytes));
    TRY(launch_groups(c, 1, 1, c->s->items));
    swap(c);
    return GFMUL_OK;
}

/* register_points - values per item: more for longer transforms. */
static unsigned register_points(unsigned log2_n)
{
    return log2_n == 1 ? 2 : log2_n <= 6 ? 4 : log2_n <= 10 ? 8 : 16;
}

static enum gfmul_status prepare_group(struct state *s)
{
    s->items = ((size_t)1 << s->log2_n) / register_points(s->log2_n);
    return s->items <= group_items(s) ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED;
}

static enum gfmul_status launch_group(struct call *c)
{
    const size_t bytes = c->s->point_bytes << c->log2_n;
    ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->s->table), OCL_ARG(c->log2_n), OCL_ARG(c->sign), LOCAL(bytes));
    TRY(launch_groups(c, 0, 1, c->s->items));
    swap(c);
    return GFMUL_OK;
}

/*
 * launches_share - share the levels evenly among as few launches as possible.  A group of `most` levels has 2^most points, and
 * each item holds 2^points_log2 of them.
 */
static enum gfmul_status launches_share(struct state *s, unsigned points_log2, unsigned most)
{
    const size_t allowed = group_items(s);
    while (most > points_log2 && (size_t)1 << (most - points_log2) > allowed)
        most--;
    s->points_log2 = points_log2;
    s->n_launches = (s->log2_n + most - 1) / most;
    for (unsigned i = 0; i < s->n_launches; i++)
        s->levels[i] = s->log2_n * (i + 1) / s->n_launches - s->log2_n * i / s->n_launches;
    s->swaps = s->n_launches;
    return s->levels[0] >= points_log2 ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED;
}

static enum gfmul_status prepare_register_s2(struct state *s)
{
    return launches_share(s, 1, S2_LEVELS);
}

static enum gfmul_status prepare_register_sp(struct state *s)
{
    const unsigned points_log2 = (unsigned)__builtin_ctz(register_points(s->log2_n));
    return launches_share(s, points_log2, SP_LEVELS + points_log2);
}

static enum gfmul_status prepare_local_groups(struct state *s)
{
    return launches_share(s, 1, LOCAL_LEVELS);
}

/*
 * Launch groups of 2^levels points until the transform is done.  If there is a table, it is the argument before the numbers.
 * `local_groups` holds both points of an item in local memory.
 */
static enum gfmul_status launch_repeated(struct call *c)
{
    const struct state *s = c->s;
    cl_int log2_p = 0;
    for (unsigned i = 0; i < s->n_launches; i++) {
        const cl_int levels = (cl_int)s->levels[i];
        const size_t items = (size_t)1 << (s->levels[i] - s->points_log2);
        const size_t bytes = s->point_bytes * items * (s->row == &kernels_local_groups ? 2 : 1);
        if (s->table != NULL)
            ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(s->table), OCL_ARG(c->log2_n), OCL_ARG(levels), OCL_ARG(log2_p),
                 OCL_ARG(c->sign), LOCAL(bytes));
        else
            ARGS(c, 0, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(c->log2_n), OCL_ARG(levels), OCL_ARG(log2_p), OCL_ARG(c->sign),
                 LOCAL(bytes));
        TRY(launch_groups(c, 0, (size_t)1 << (c->log2_n - levels), items));
        swap(c);
        log2_p += levels;
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
    const struct fourstep_arguments of = {(cl_uint)s->width, log2_n1, log2_n2, c->sign};
    for (unsigned step = 0; step < 2; step++) {
        const size_t bytes = (s->width * s->point_bytes) << (step ? log2_n2 : log2_n1);
        ARGS(c, step, OCL_ARG(c->src), OCL_ARG(c->dst), OCL_ARG(s->table), LOCAL(bytes), OCL_ARG(of));
        TRY(launch_groups(c, step, ((size_t)1 << (step ? log2_n1 : log2_n2)) / s->width, s->items));
        swap(c);
    }
    return GFMUL_OK;
}

static const struct row_kernels kernels_fft_1 = {
    "gallery/fft_1.cl", {"fft_1"}, false, 0, 0, prepare_ladder, launch_ladder, TO_LOG2_30};
static const struct row_kernels kernels_fft_2 = {
    "gallery/fft_2.cl", {"fft_2"}, false, 0, 0, prepare_ladder, launch_ladder, TO_LOG2_30};
static const struct row_kernels kernels_fft_3 = {
    "gallery/fft_3.cl", {"gallery_reverse", "fft_3_stage"}, false, 1, 0, NULL, launch_fft_3, TO_LOG2_30};
static const struct row_kernels kernels_fft_3_table = {
    "gallery/fft_3.cl", {"gallery_reverse", "fft_3_table_stage"}, true, 1, 0, NULL, launch_fft_3, TO_LOG2_30};
static const struct row_kernels kernels_compact = {
    "gallery/compact_fft_3.cl", {"compact_fft_3"}, false, 1, 0, prepare_butterflies, launch_compact, ONE_GROUP_HOLDS};
static const struct row_kernels kernels_compact_coalesced = {
    "gallery/compact_fft_3_coalesced.cl", {"compact_fft_3_coalesced"}, false, 1, 0, prepare_compact_coalesced,
    launch_compact, ONE_GROUP_HOLDS};
static const struct row_kernels kernels_fft_4 = {
    "gallery/fft_4.cl", {"gallery_reverse", "fft_4_permute", "fft_4_stage"}, false, 0, 2, NULL, launch_fft_4, TO_LOG2_30};
static const struct row_kernels kernels_fft_4_coalesced = {
    "gallery/fft_4_coalesced.cl", {"gallery_reverse", "fft_4c_stage", "fft_4c_permute"}, false, 1, 1, NULL,
    launch_fft_4_coalesced, TO_LOG2_30};
static const struct row_kernels kernels_stockham = {
    "gallery/stockham.cl", {"stockham"}, true, 0, 1, NULL, launch_stockham, TO_LOG2_30};
static const struct row_kernels kernels_local = {
    "gallery/local.cl", {"gallery_reverse", "local_block"}, false, 2, 0, prepare_butterflies, launch_local, ONE_GROUP_HOLDS};
static const struct row_kernels kernels_local_groups = {
    "gallery/local_groups.cl", {"local_groups"}, false, 0, 0, prepare_local_groups, launch_repeated, TO_LOG2_26};
static const struct row_kernels kernels_register_s2 = {
    "gallery/register_s2.cl", {"register_s2"}, false, 0, 0, prepare_register_s2, launch_repeated, TO_LOG2_26};
static const struct row_kernels kernels_register_s2_angles = {
    "gallery/register_s2_angles.cl", {"register_s2_angles"}, false, 0, 0, prepare_register_s2, launch_repeated, TO_LOG2_26};
static const struct row_kernels kernels_register_sp = {
    "gallery/register_sp.cl", {"register_sp"}, false, 0, 0, prepare_register_sp, launch_repeated, TO_LOG2_26};
static const struct row_kernels kernels_group = {
    "gallery/group_registers.cl", {"group_registers"}, true, 1, 0, prepare_group, launch_group, ONE_GROUP_HOLDS};
static const struct row_kernels kernels_fourstep = {
    "gallery/fourstep.cl", {"fourstep_columns", "fourstep_rows"}, true, 2, 0, prepare_fourstep, launch_fourstep, TO_LOG2_30};

static void destroy(struct gfmul_fft *plan)
{
    struct state *s = plan->state;
    if (s == NULL)
        return;
    fft_ocl_drain(&s->base);
    if (s->base.on.device != NULL) {
        ocl_buffer_put(s->base.on.device, s->work);
        ocl_kernel_put(s->base.on.device, s->scale);
    }
    fft_ocl_io_free(&s->base.io);
    if (s->table != NULL)
        clReleaseMemObject(s->table);
    for (unsigned i = 0; i < MAX_KERNELS && s->base.on.device != NULL; i++)
        ocl_kernel_put(s->base.on.device, s->k[i]);
    ocl_device_close(s->base.on.device);
    free(s);
}

/* device_allows - does the device have room for a table of so many bytes in this kind of memory? */
static bool device_allows(const struct state *s, enum gfmul_fft_twiddles where, size_t bytes)
{
    const cl_device_id id = ocl_device_id(s->base.on.device);
    cl_bool images = CL_FALSE;
    cl_ulong most = 0;
    if (where == GFMUL_FFT_TWIDDLES_IMAGE) /* the sides of an image may be limited to 2048 */
        return clGetDeviceInfo(id, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL) == CL_SUCCESS && images;
    if (where == GFMUL_FFT_TWIDDLES_CONSTANT)
        return clGetDeviceInfo(id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, sizeof most, &most, NULL) == CL_SUCCESS && bytes <= most;
    return where == GFMUL_FFT_TWIDDLES_GLOBAL || s->point_bytes == 2 * sizeof(float); /* fast sines exist for floats only */
}

/* table_put - store a table in a buffer, or in an image with four words per entry.   width: of the image; 0: a buffer. */
static enum gfmul_status table_put(struct state *s, void *table, size_t count, size_t width)
{
    const cl_mem_flags flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    const cl_context context = ocl_device_context(s->base.on.device);
    cl_int code = CL_SUCCESS;
    if (width > 0) {
        const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = count / width};
        s->table = clCreateImage(context, flags, &format, &desc, table, &code);
    } else {
        s->table = clCreateBuffer(context, flags, count * s->point_bytes, table, &code);
    }
    return ocl_status(&s->base.on, code, width > 0 ? "clCreateImage" : "clCreateBuffer");
}

/* roots_create - e(-j/n), j < n/2, in a buffer. */
static enum gfmul_status roots_create(struct state *s, const struct gfmul_fft *plan)
{
    const size_t count = plan->n / 2;
    void *roots = calloc(count, s->point_bytes);
    enum gfmul_status status = roots != NULL ? fft_roots_fill(roots, plan->real_bytes, plan->n, 1, count) : GFMUL_ERR_MEMORY;
    if (status == GFMUL_OK)
        status = table_put(s, roots, count, 0);
    free(roots);
    return status;
}

/* local_table_fill - [stage][t] = e(-(t mod h) / 2h), h = 2^stage, t < width; entries are entry_bytes apart. */
static enum gfmul_status local_table_fill(unsigned char *table, size_t entry_bytes, size_t stages, size_t width,
                                          const struct gfmul_fft *plan)
{
    const size_t point_bytes = 2 * plan->real_bytes;
    char *roots = calloc(width, point_bytes);
    enum gfmul_status status = roots != NULL ? GFMUL_OK : GFMUL_ERR_MEMORY;
    for (size_t stage = 0; stage < stages && status == GFMUL_OK; stage++) {
        const size_t h = (size_t)1 << stage;
        status = fft_roots_fill(roots, plan->real_bytes, 2 * h, 1, h);
        for (size_t t = 0; t < width && status == GFMUL_OK; t++)
            memcpy(table + (stage * width + t) * entry_bytes, roots + t % h * point_bytes, point_bytes);
    }
    free(roots);
    return status;
}

/* local_table_create - the table of `local` and `local_groups`, where the plan wants it; AUTO: the first kind that fits. */
static enum gfmul_status local_table_create(struct state *s, const struct gfmul_fft *plan, enum gfmul_fft_twiddles *where)
{
    const size_t stages = s->row == &kernels_local ? s->log2_n : LOCAL_LEVELS, width = (size_t)1 << (stages - 1);
    const size_t count = width * stages;
    *where = plan->twiddles;
    if (*where == GFMUL_FFT_TWIDDLES_AUTO)
        do
            ++*where;
        while (!device_allows(s, *where, count * s->point_bytes));
    if (!device_allows(s, *where, count * s->point_bytes))
        return GFMUL_ERR_UNSUPPORTED;
    if (*where == GFMUL_FFT_TWIDDLES_NATIVE)
        return GFMUL_OK;
    const bool image = *where == GFMUL_FFT_TWIDDLES_IMAGE;
    const size_t bytes = image ? 16 : s->point_bytes;
    unsigned char *table = calloc(count, bytes);
    enum gfmul_status status = table != NULL ? local_table_fill(table, bytes, stages, width, plan) : GFMUL_ERR_MEMORY;
    if (status == GFMUL_OK)
        status = table_put(s, table, count, image ? width : 0);
    free(table);
    return status;
}

static enum gfmul_status create(struct gfmul_fft *plan, const struct row_kernels *row)
{
    char options[128];
    const bool chooses = row == &kernels_local || row == &kernels_local_groups;
    enum gfmul_fft_twiddles where = GFMUL_FFT_TWIDDLES_AUTO;
    if (plan->type != GFMUL_FFT_COMPLEX || (plan->n & (plan->n - 1)) != 0 || plan->n > (size_t)1 << TO_LOG2_30)
        return GFMUL_ERR_UNSUPPORTED;
    struct state *s = plan->state = calloc(1, sizeof *s);
    if (s == NULL)
        return GFMUL_ERR_MEMORY;
    s->row = row;
    s->log2_n = (unsigned)__builtin_ctzll(plan->n);
    s->swaps = row->swaps + row->by_stage * s->log2_n;
    s->point_bytes = 2 * plan->real_bytes;
    TRY(fft_ocl_open(&s->base.on.device, plan));
    s->local_bytes = (size_t)ocl_device_info(s->base.on.device)->local_bytes;
    if (row->longest == ONE_GROUP_HOLDS ? plan->n * s->point_bytes > s->local_bytes : s->log2_n > row->longest)
        return GFMUL_ERR_UNSUPPORTED; /* checked before a program is built */
    if (plan->n == 1)
        return GFMUL_OK; /* nothing to launch */
    /* rows without this choice use one program for all lengths */
    int used = snprintf(options, sizeof options, "-DGALLERY_DOUBLE=%d", plan->real_bytes == sizeof(double));
    TRY(ocl_kernel_get(&s->base.on, "gallery/gallery.cl", "gallery_scale", options, &s->scale));
    if (row == &kernels_register_sp || row == &kernels_group)
        snprintf(options + used, sizeof options - (size_t)used, " -DREGISTER_POINTS=%u", register_points(s->log2_n));
    if (chooses)
        TRY(local_table_create(s, plan, &where));
    if (chooses)
        snprintf(options + used, sizeof options - (size_t)used, " -DLOCAL_TABLE=%d -DLOCAL_WIDTH=%d",
                 (int)where - GFMUL_FFT_TWIDDLES_IMAGE, 1 << (LOCAL_LEVELS - 1));
    for (unsigned i = 0; i < MAX_KERNELS && row->names[i] != NULL; i++)
        TRY(ocl_kernel_get(&s->base.on, row->file, row->names[i], options, &s->k[i]));
    if (row->roots)
        TRY(roots_create(s, plan));
    return row->prepare != NULL ? row->prepare(s) : GFMUL_OK;
}

/* transform - from one device buffer to another, without gaps; the caller holds the device's lock. */
static enum gfmul_status transform(const struct gfmul_fft *plan, cl_mem out, cl_mem in, bool backward)
{
    struct state *s = plan->state;
    const size_t all = plan->batch * plan->n * s->point_bytes;
    const unsigned swaps = s->swaps;
    struct call c = {.s = s, .src = in, .log2_n = (cl_int)s->log2_n, .sign = backward ? 1 : -1, .batch = plan->batch};
    if (plan->n == 1)
        return ocl_status(&s->base.on,
                          clEnqueueCopyBuffer(ocl_device_queue(s->base.on.device), in, out, 0, 0, all, 0, NULL, NULL),
                          "clEnqueueCopyBuffer");
    if (swaps > 1 && s->work_bytes < all) {
        TRY(ocl_finish(&s->base.on));
        ocl_buffer_put(s->base.on.device, s->work);
        s->work = NULL;
        s->work_bytes = 0;
        TRY(ocl_buffer_get(&s->base.on, all, &s->work));
        s->work_bytes = all;
    }
    c.dst = swaps % 2 ? out : s->work;
    c.next_dst = swaps % 2 ? s->work : out;
    TRY(s->row->launch(&c));
    if (!backward || plan->scale == 1)
        return GFMUL_OK;
    const cl_float float_scale = (cl_float)plan->scale;
    const struct ocl_range points = {.dims = 2, .global = {plan->n, plan->batch}};
    TRY(ocl_args(&s->base.on, s->scale, OCL_ARG(out), plan->real_bytes,
                 plan->real_bytes == sizeof(float) ? (const void *)&float_scale : &plan->scale, OCL_END));
    return ocl_launch(&s->base.on, s->scale, "gallery_scale", points, 0);
}

static enum gfmul_status enqueue(const struct gfmul_fft *plan, void *out, void *in, bool backward)
{
    const struct state *s = plan->state;
    if (in == out || (plan->batch > 1 && (plan->in_dist != plan->n || plan->out_dist != plan->n)))
        return GFMUL_ERR_UNSUPPORTED;
    TRY(fft_ocl_buffers_check(plan, backward, out, in));
    ocl_device_lock(s->base.on.device);
    enum gfmul_status status = transform(plan, out, in, backward);
    ocl_device_unlock(s->base.on.device);
    return status;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, size_t out_step, const void *in, size_t in_step,
                             bool backward)
{
    return fft_ocl_run(plan, out, out_step, in, in_step, backward, transform);
}

#define ROW_OF(id, row_name, range, text) ROW_WITH(id, row_name, range, text, false)
#define ROW_WITH(id, row_name, range, text, choice)                                \
    static enum gfmul_status create_##id(struct gfmul_fft *plan)                   \
    {                                                                              \
        return create(plan, &kernels_##id);                                        \
    }                                                                              \
    const struct fft_row fft_row_##id = {.about = {.name = row_name,               \
                                                   .device = "opencl",             \
                                                   .summary = text,                \
                                                   .lengths = range,               \
                                                   .types = "complex",             \
                                                   .precisions = "float, double"}, \
                                         .twiddles = choice,                       \
                                         .create = create_##id,                    \
                                         .run_batch = run,                         \
                                         .enqueue = enqueue,                       \
                                         .finish = fft_ocl_finish,                 \
                                         .queue = fft_ocl_queue,                   \
                                         .destroy = destroy};
#define TO_30     "2^k to 2^30"
#define TO_26     "2^k to 2^26"
#define ONE_GROUP "2^k in one group's local memory"
ROW_OF(fft_1, "fft_1", TO_30, "one launch per stage, bit reversal of what each butterfly reads and writes")
ROW_OF(fft_2, "fft_2", TO_30, "the same with shifts and masks for powers, divisions and remainders")
ROW_OF(fft_3, "fft_3", TO_30, "a bit-reversal kernel first, then the stages in order")
ROW_OF(fft_3_table, "fft_3_table", TO_30, "the same with roots from a table")
ROW_OF(compact, "compact_fft_3", ONE_GROUP, "fft_3 in one work-group and launch, reads at reversed places, two barriers a stage")
ROW_OF(compact_coalesced, "compact_fft_3_coalesced", ONE_GROUP, "the same with reads in order and one barrier a stage")
ROW_OF(fft_4, "fft_4", TO_30, "a permute kernel between stages gathers pairs, which a stage reads in order and scatters")
ROW_OF(fft_4_coalesced, "fft_4_coalesced", TO_30, "a permute kernel after each stage whose writes are two streams")
ROW_OF(stockham, "stockham", TO_30, "self-sorting, coalesced reads and writes, roots from a table")
ROW_WITH(local, "local", ONE_GROUP, "data reversed first, then one group in local memory; roots from a 2-D table", true)
ROW_WITH(local_groups, "local_groups", TO_26, "groups in local memory, launched repeatedly; roots from the same table", true)
ROW_OF(register_s2, "register_s2", TO_26, "groups launched repeatedly, two values of an item in registers, twiddled at the load")
ROW_OF(register_s2_angles, "register_s2_angles", TO_26, "the same with angles that begin with the launch's, twiddles by sines")
ROW_OF(register_sp, "register_sp", TO_26, "register_s2_angles with a DFT of 4, 8 or 16 in each item's registers")
ROW_OF(group, "group_registers", ONE_GROUP, "one work-group per transform, a DFT of 2 to 16 in each item's registers")
ROW_OF(fourstep, "fourstep_ocl", "2^k from 4, both parts in local memory", "n = n1 n2: columns, twiddles, rows, blocked")
#else
typedef int ocl_rows_are_not_built; /* a file is not empty */
#endif
