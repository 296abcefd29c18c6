/*
 * ocl_pipeline.c - the kernels of one plan on one device: tables, launches, figures.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_pipeline.h"

#ifdef HAVE_OPENCL
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_chunks.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_staging.h"
#include "ocl/ocl_state.h"
#include "plan/root_table.h"

enum { ROOT_BITS = 10, ROOT_DIGITS = 4, OPTIONS_BYTES = 512, TABLE_ITEMS = 64 };

/* Names of the kernels in profiles. */
static const char p_first[] = "source_to_columns", p_rows[] = "rows_mul", p_last[] = "columns_to_runs",
                  p_carry[] = "runs_to_limbs", p_print[] = "runs_to_text";
static const char *const p_middle[DEVICE_PASSES - 2] = {"columns_forward", "columns_forward 2"};
static const char *const p_back[DEVICE_PASSES - 2] = {"columns_inverse", "columns_inverse 2"};
static const struct ocl_number no_number = {NULL, 0};

struct pass_tables {
    cl_mem table;  /* of each node, then what all share */
    cl_mem shared; /* NULL: nothing is shared; the table stands in for it */
};

struct ocl_pipeline {
    struct ocl_device *d;
    struct plan_shape shape;
    char options[64];
    struct pass_tables forward[DEVICE_PASSES], inverse[DEVICE_PASSES]; /* inverse: none of its own where the radices agree */
    cl_kernel table, first, middle[DEVICE_PASSES], rows, back[DEVICE_PASSES], last, carry; /* table: of twiddles */
    struct ocl_chunks chunks;
    cl_kernel rows_kept, rows_forward, rows_inverse, mul_add; /* made on first use */
};

static bool same_pass(const struct device_pass *a, const struct device_pass *b)
{
    return memcmp(a, b, offsetof(struct device_pass, split)) == 0 && a->split == b->split && a->park == b->park &&
           a->dd == b->dd && a->single == b->single;
}

static bool same_radices(const struct device_pass *a, const struct device_pass *b)
{
    return a->n_stages == b->n_stages && a->direct_stages == b->direct_stages && memcmp(a->radix, b->radix, sizeof a->radix) == 0;
}

bool ocl_pipeline_fits(const struct ocl_pipeline *pipeline, const struct plan_shape *shape)
{
    const struct plan_shape *own = &pipeline->shape;
    const struct plan_device *d = &own->device, *e = &shape->device;
    bool same = d->n_passes == e->n_passes && d->halves == e->halves && d->block_digits == e->block_digits &&
                d->chunk_blocks == e->chunk_blocks && d->tile_rows == e->tile_rows &&
                own->digits.exponent == shape->digits.exponent && own->digits.base == shape->digits.base &&
                own->square == shape->square && d->group_maps == e->group_maps;
    for (unsigned p = 0; same && p < d->n_passes; p++)
        same = same_pass(&d->forward[p], &e->forward[p]) && same_pass(&d->inverse[p], &e->inverse[p]);
    return same;
}

/* ---- tables ---- */

/* roots_upload - the short tables of kernels/twiddle_table.cl. */
static enum gfmul_status roots_upload(struct ocl_pipeline *p, cl_mem *m, char *detail)
{
    const uint64_t den = device_angle_den(&p->shape), count = (uint64_t)1 << ROOT_BITS;
    const bool single = p->shape.device.forward[0].single;
    const size_t bytes = ROOT_DIGITS * count * (single ? sizeof(struct triple_floats) : sizeof(struct triple_complex));
    struct triple_complex *roots = malloc(ROOT_DIGITS * count * sizeof *roots);
    enum gfmul_status status = roots ? ocl_buffer_get(p->d, bytes, m, detail) : GFMUL_ERR_MEMORY;
    if (status == GFMUL_OK) {
        for (unsigned i = 0; i < ROOT_DIGITS; i++)
            root_table(roots + i * count, ((uint64_t)1 << (ROOT_BITS * i)) % den, den, (unsigned)count);
        if (single)
            root_table_to_floats((struct triple_floats *)(void *)roots, roots, (unsigned)(ROOT_DIGITS * count));
        status = ocl_upload(p->d, *m, 0, roots, bytes, 1, OCL_AFTER_QUEUE, detail);
    }
    free(roots);
    return status;
}

/* What the parts of points are: floats or not, pairs or not. */
static const char *const parts_options[2][2] = {{"-DDOUBLE_DOUBLE=0", "-DDOUBLE_DOUBLE=1"},
                                                {"-DDOUBLE_DOUBLE=0 -DFLOAT_PARTS=1 -cl-single-precision-constant",
                                                 "-DDOUBLE_DOUBLE=1 -DFLOAT_PARTS=1 -cl-single-precision-constant"}};

/* What the tables of a pass are made with. */
struct table_maker {
    cl_kernel kernel;
    cl_mem roots, offsets, shifts;
};

/* table_make - one table: n_entries described entries for each of n_nodes nodes, `depth` binary levels below the branches. */
static enum gfmul_status table_make(struct ocl_pipeline *p, const struct table_maker *maker, const struct device_entry *entry,
                                    unsigned n_entries, uint64_t n_nodes, unsigned depth, cl_mem *table, char *detail)
{
    cl_ulong *offsets = malloc(n_entries * sizeof *offsets), nodes = n_nodes;
    cl_uint *shifts = malloc(n_entries * sizeof *shifts);
    const cl_uint entries = n_entries, depth_arg = depth, odd = p->shape.transform.odd, den_bits = p->shape.transform.log2_n + 4;
    const cl_uint branch_first = (cl_uint)device_branch_angle(odd, 0);
    enum gfmul_status status = offsets && shifts ? GFMUL_OK : GFMUL_ERR_MEMORY;
    if (status == GFMUL_OK)
        status = ocl_buffer_get(p->d, n_nodes * n_entries * device_point_bytes(&p->shape), table, detail);
    if (status == GFMUL_OK) {
        for (unsigned i = 0; i < n_entries; i++) {
            offsets[i] = entry[i].offset;
            shifts[i] = entry[i].shift | entry[i].ratio << 6 | entry[i].times << 7;
        }
        status = ocl_upload(p->d, maker->offsets, 0, offsets, n_entries * sizeof *offsets, 1, OCL_AFTER_QUEUE, detail);
    }
    if (status == GFMUL_OK)
        status = ocl_upload(p->d, maker->shifts, 0, shifts, n_entries * sizeof *shifts, 1, OCL_AFTER_QUEUE, detail);
    if (status == GFMUL_OK)
        status = ocl_args(p->d, maker->kernel, detail, OCL_ARG(*table), OCL_ARG(maker->roots), OCL_ARG(maker->offsets),
                          OCL_ARG(maker->shifts), OCL_ARG(nodes), OCL_ARG(entries), OCL_ARG(depth_arg), OCL_ARG(odd),
                          OCL_ARG(branch_first), OCL_ARG(den_bits), OCL_END);
    if (status == GFMUL_OK) {
        const size_t local = TABLE_ITEMS, global = (n_nodes * n_entries + local - 1) / local * local;
        status = ocl_launch(p->d, maker->kernel, "twiddle_table", 1, &global, &local, 0, NULL, detail);
    }
    free(offsets);
    free(shifts);
    return status;
}

/* pass_tables_make - both tables of a pass; nodes: how many it splits. */
static enum gfmul_status pass_tables_make(struct ocl_pipeline *p, const struct table_maker *maker, const struct device_pass *pass,
                                          bool first, uint64_t nodes, unsigned depth, struct pass_tables *tables, char *detail)
{
    const unsigned n_node = device_node_entries(pass), n_shared = device_shared_entries(pass);
    struct device_entry *entry = calloc(n_node + n_shared + 1, sizeof *entry); /* odd radices alone: one that nobody reads */
    enum gfmul_status status = entry ? GFMUL_OK : GFMUL_ERR_MEMORY;
    if (status == GFMUL_OK) {
        device_entries(&p->shape, pass, first, entry);
        status = table_make(p, maker, entry, n_node + (n_node == 0), first ? 1 : nodes, depth, &tables->table, detail);
    }
    if (status == GFMUL_OK && n_shared > 0)
        status = table_make(p, maker, entry + n_node, n_shared, 1, 0, &tables->shared, detail);
    free(entry);
    return status;
}

enum gfmul_status ocl_pipeline_tables(struct ocl_pipeline *p, char *detail)
{
    const struct plan_shape *s = &p->shape;
    struct table_maker maker = {p->table, NULL, NULL, NULL};
    unsigned most = 1, depth = 0;
    uint64_t nodes = 1;
    for (unsigned i = 0; i < s->device.n_passes; i++) {
        const struct device_pass *pass[2] = {&s->device.forward[i], &s->device.inverse[i]};
        for (unsigned k = 0; k < 2; k++) {
            const unsigned n = device_node_entries(pass[k]), shared = device_shared_entries(pass[k]);
            most = n > most ? n : most;
            most = shared > most ? shared : most;
        }
    }
    enum gfmul_status status = roots_upload(p, &maker.roots, detail);
    if (status == GFMUL_OK)
        status = ocl_buffer_get(p->d, most * sizeof(cl_ulong), &maker.offsets, detail);
    if (status == GFMUL_OK)
        status = ocl_buffer_get(p->d, most * sizeof(cl_uint), &maker.shifts, detail);
    for (unsigned i = 0; i < s->device.n_passes && status == GFMUL_OK; i++) {
        status = pass_tables_make(p, &maker, &s->device.forward[i], i == 0, nodes, depth, &p->forward[i], detail);
        if (status == GFMUL_OK && !same_radices(&s->device.forward[i], &s->device.inverse[i]))
            status = pass_tables_make(p, &maker, &s->device.inverse[i], i == 0, nodes, depth, &p->inverse[i], detail);
        nodes *= s->device.forward[i].points;
        while (((uint64_t)s->transform.odd << depth) < nodes)
            depth++;
    }
    /* operands are uploaded to buffers of the pool at once, not behind the queue: no kernel may still read these */
    const enum gfmul_status finished = ocl_finish(p->d, status == GFMUL_OK ? detail : NULL);
    if (status == GFMUL_OK)
        status = finished;
    ocl_buffer_put(p->d, maker.shifts);
    ocl_buffer_put(p->d, maker.offsets);
    ocl_buffer_put(p->d, maker.roots);
    return status;
}

/* ---- kernels ---- */

/* pass_options - the tunables of kernels/fft_stages.cl; more: what else the kernel asks for. */
static void pass_options(const struct ocl_pipeline *p, char *options, const struct device_pass *pass, const char *more)
{
    unsigned radix[DEVICE_STAGES];
    for (unsigned i = 0; i < DEVICE_STAGES; i++)
        radix[i] = i < pass->n_stages ? pass->radix[i] : 1;
    char registers[64] = "";
    if (pass->registers > 0 && strncmp(ocl_device_info(p->d)->platform, "NVIDIA", 6) == 0)
        snprintf(registers, sizeof registers, " -DFREE_GROUP_SIZE=1 -cl-nv-maxrregcount=%u", pass->registers);
    snprintf(options, OPTIONS_BYTES,
             "-DPOINTS=%u -DITEMS=%u -DCOLUMNS=%u -DN_STAGES=%u -DR0=%u -DR1=%u -DR2=%u -DR3=%u -DR4=%u -DDIRECT_STAGES=%u "
             "-DSPLIT_EXCHANGE=%d -DPAD=%u %s %s %s%s",
             pass->points, pass->items, pass->columns, pass->n_stages, radix[0], radix[1], radix[2], radix[3], radix[4],
             pass->direct_stages, pass->split, pass->pad, parts_options[pass->single][pass->dd], more, p->options, registers);
}

static enum gfmul_status kernel_get(struct ocl_pipeline *p, const char *file, const char *name, const struct device_pass *pass,
                                    const char *more, cl_kernel *k, char *detail)
{
    char options[OPTIONS_BYTES];
    pass_options(p, options, pass, more);
    return ocl_kernel_get(p->d, file, name, options, k, detail);
}

static enum gfmul_status kernels_get(struct ocl_pipeline *p, char *detail)
{
    const struct plan_shape *s = &p->shape;
    const struct plan_device *d = &s->device;
    const bool text = s->digits.base != 2;
    const unsigned last = d->n_passes - 1, decimal = text ? s->digits.exponent : 0;
    char options[OPTIONS_BYTES], more[200];
    snprintf(options, sizeof options, "-DROOT_BITS=%d -DROOT_DIGITS=%d %s", ROOT_BITS, ROOT_DIGITS,
             parts_options[d->forward[0].single][d->forward[0].dd]);
    enum gfmul_status status = ocl_kernel_get(p->d, "twiddle_table.cl", "twiddle_table", options, &p->table, detail);
    snprintf(more, sizeof more, "-DDIGIT_BITS=%u -DDECIMAL=%u -DHALVES=%u", d->field_bits, decimal, d->halves);
    if (status == GFMUL_OK)
        status = kernel_get(p, "source_to_columns_fused.cl", "source_to_columns", &d->forward[0], more, &p->first, detail);
    for (unsigned i = 1; i < last && status == GFMUL_OK; i++) {
        status = kernel_get(p, "columns_forward.cl", "columns_forward", &d->forward[i], "", &p->middle[i], detail);
        if (status == GFMUL_OK)
            status = kernel_get(p, "columns_inverse.cl", "columns_inverse", &d->inverse[i], "", &p->back[i], detail);
    }
    if (status == GFMUL_OK)
        status = kernel_get(p, "rows_mul_fused.cl", "rows_mul", &d->forward[last],
                            s->square               ? "-DOPERANDS=1"
                            : d->forward[last].park ? "-DOPERANDS=2 -DPARK=1"
                                                    : "-DOPERANDS=2 -DPARK=0",
                            &p->rows, detail);
    snprintf(more, sizeof more, "-DDIGIT_BITS=%u -DDECIMAL=%u -DTILE_ROWS=%u", d->field_bits, decimal, d->tile_rows);
    if (status == GFMUL_OK)
        status = kernel_get(p, "columns_to_runs_fused.cl", "columns_to_runs", &d->inverse[0], more, &p->last, detail);
    snprintf(more, sizeof more,
             "-DDIGIT_BITS=%u -DDECIMAL=%u -DBLOCK_DIGITS=%u -DCHUNK_BLOCKS=%u -DTILE_ROWS=%u -DSCAN_ITEMS=%d -DGROUP_MAPS=%d",
             d->field_bits, decimal, d->block_digits, d->chunk_blocks, d->tile_rows, DEVICE_SCAN_ITEMS, d->group_maps);
    if (status == GFMUL_OK)
        status = kernel_get(p, text ? "runs_to_text.cl" : "runs_to_limbs.cl", text ? "runs_to_text" : "runs_to_limbs",
                            &d->inverse[0], more, &p->carry, detail);
    if (status == GFMUL_OK)
        status = kernel_get(p, text ? "runs_to_text.cl" : "runs_to_limbs.cl", text ? "text_chunks_carry" : "chunks_carry",
                            &d->inverse[0], more, &p->chunks.carry, detail);
    snprintf(more, sizeof more, "%s -DSCAN_ITEMS=%d", parts_options[d->forward[0].single][d->forward[0].dd], DEVICE_SCAN_ITEMS);
    if (status == GFMUL_OK && d->group_maps)
        status = ocl_kernel_get(p->d, "chunks_compose.cl", "chunks_compose", more, &p->chunks.compose, detail);
    return status;
}

enum gfmul_status ocl_pipeline_build(struct ocl_pipeline **pipeline, struct ocl_device *d, const struct plan_shape *shape,
                                     const char *options, char *detail)
{
    struct ocl_pipeline *p = calloc(1, sizeof *p);
    *pipeline = NULL;
    if (!p)
        return GFMUL_ERR_MEMORY;
    p->d = d;
    p->shape = *shape;
    snprintf(p->options, sizeof p->options, "%s", options);
    enum gfmul_status status = kernels_get(p, detail);
    if (status == GFMUL_OK)
        *pipeline = p;
    else
        ocl_pipeline_destroy(p);
    return status;
}

enum gfmul_status ocl_pipeline_create(struct ocl_pipeline **pipeline, struct ocl_device *d, const struct plan_shape *shape,
                                      const char *options, char *detail)
{
    enum gfmul_status status = ocl_pipeline_build(pipeline, d, shape, options, detail);
    if (status == GFMUL_OK && (status = ocl_pipeline_tables(*pipeline, detail)) != GFMUL_OK) {
        ocl_pipeline_destroy(*pipeline);
        *pipeline = NULL;
    }
    return status;
}

void ocl_pipeline_destroy(struct ocl_pipeline *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < DEVICE_PASSES; i++) {
        ocl_buffer_put(p->d, p->forward[i].table);
        ocl_buffer_put(p->d, p->forward[i].shared);
        ocl_buffer_put(p->d, p->inverse[i].table);
        ocl_buffer_put(p->d, p->inverse[i].shared);
        ocl_kernel_put(p->d, p->middle[i]);
        ocl_kernel_put(p->d, p->back[i]);
    }
    cl_kernel rest[] = {p->table,        p->first,     p->rows,         p->last,         p->carry,  p->chunks.compose,
                        p->chunks.carry, p->rows_kept, p->rows_forward, p->rows_inverse, p->mul_add};
    for (unsigned i = 0; i < sizeof rest / sizeof rest[0]; i++)
        ocl_kernel_put(p->d, rest[i]);
    free(p);
}

/* ---- buffers ---- */

void ocl_work_put(struct ocl_pipeline *p, struct ocl_work *work)
{
    ocl_buffer_put(p->d, work->status[1]);
    ocl_buffer_put(p->d, work->status[0]);
    ocl_buffer_put(p->d, work->maps);
    ocl_buffer_put(p->d, work->carries);
    ocl_buffer_put(p->d, work->runs);
    ocl_buffer_put(p->d, work->y);
    ocl_buffer_put(p->d, work->x);
    memset(work, 0, sizeof *work);
}

enum gfmul_status ocl_work_get(struct ocl_pipeline *p, struct ocl_work *work, bool one_operand, char *detail)
{
    struct device_buffers b;
    device_shape_buffers(&p->shape, &b);
    memset(work, 0, sizeof *work);
    enum gfmul_status status = ocl_buffer_get(p->d, b.points, &work->x, detail);
    if (status == GFMUL_OK && !one_operand)
        status = ocl_buffer_get(p->d, b.points, &work->y, detail);
    if (status == GFMUL_OK)
        status = ocl_buffer_get(p->d, b.runs, &work->runs, detail);
    if (status == GFMUL_OK)
        status = ocl_buffer_get(p->d, b.carries, &work->carries, detail);
    if (status == GFMUL_OK)
        status = ocl_buffer_get(p->d, b.maps, &work->maps, detail);
    for (unsigned i = 0; i < 2 && status == GFMUL_OK; i++)
        status = ocl_buffer_get(p->d, OCL_STATUS_WORDS * 4, &work->status[i], detail);
    if (status != GFMUL_OK)
        ocl_work_put(p, work);
    return status;
}

/* ---- launches ---- */

/* launch_from - groups of a pass from group `first` on, for one operand or two from operand `operand` on. */
static enum gfmul_status launch_from(struct ocl_pipeline *p, cl_kernel k, const char *name, size_t first, size_t groups,
                                     size_t items, size_t operand, size_t operands, double bytes, struct ocl_profile *profile,
                                     char *detail)
{
    const size_t from[2] = {first * items, operand}, global[2] = {groups * items, operands}, local[2] = {items, 1};
    return ocl_launch_from(p->d, k, name, 2, from, global, local, bytes, profile, detail);
}

static enum gfmul_status launch(struct ocl_pipeline *p, cl_kernel k, const char *name, size_t groups, size_t items,
                                size_t operands, double bytes, struct ocl_profile *profile, char *detail)
{
    return launch_from(p, k, name, 0, groups, items, 0, operands, bytes, profile, detail);
}

static cl_mem shared_of(const struct pass_tables *t)
{
    return t->shared ? t->shared : t->table;
}

static const struct pass_tables *inverse_tables(const struct ocl_pipeline *p, unsigned i)
{
    return p->inverse[i].table ? &p->inverse[i] : &p->forward[i];
}

static double number_bytes(const struct ocl_pipeline *p, struct ocl_number a)
{
    return a.words ? (p->shape.digits.base == 2 ? 4.0 : 1.0) * a.n_words : 0.0;
}

enum gfmul_status ocl_pipeline_begin(struct ocl_pipeline *p, struct ocl_work *work, char *detail)
{
    const cl_uint zero = 0;
    enum gfmul_status status = GFMUL_OK;
    work->turn ^= 1;
    if (!work->cleared)
        status = ocl_fill(p->d, work->status[work->turn], 0, OCL_STATUS_WORDS * 4, &zero, sizeof zero, detail);
    work->cleared = false;
    return status;
}

/* source_pass - the first pass over columns from `first` to `end` of the operands that are there. */
static enum gfmul_status source_pass(struct ocl_pipeline *p, struct ocl_work *work, struct ocl_number a, struct ocl_number b,
                                     size_t first, size_t end, struct ocl_profile *profile, char *detail)
{
    const struct plan_shape *s = &p->shape;
    const struct device_pass *pass = &s->device.forward[0];
    const struct ocl_number x = a.words ? a : b, y = b.words ? b : a;
    const size_t operands = (a.words != NULL) + (b.words != NULL);
    const cl_uint columns = (cl_uint)device_shape_columns(s, 0);
    const double share = (double)(end - first) / columns, points = device_points_bytes(s) * (double)operands;
    cl_mem table = p->forward[0].table, y_points = work->y ? work->y : work->x;
    enum gfmul_status status = ocl_args(p->d, p->first, detail, OCL_ARG(x.words), OCL_ARG(x.n_words), OCL_ARG(work->x),
                                        OCL_ARG(y.words), OCL_ARG(y.n_words), OCL_ARG(y_points), OCL_ARG(table), OCL_ARG(columns),
                                        OCL_ARG(work->status[work->turn]), OCL_END);
    if (status == GFMUL_OK)
        status =
            launch_from(p, p->first, p_first, first / pass->columns, (end - first) / pass->columns, pass->items * pass->columns,
                        a.words == NULL, operands, share * (points + number_bytes(p, a) + number_bytes(p, b)), profile, detail);
    return status;
}

/* middle_passes - the other passes over columns of the points x, and of y where operands is 2. */
static enum gfmul_status middle_passes(struct ocl_pipeline *p, cl_mem x, cl_mem y, size_t operands, struct ocl_profile *profile,
                                       char *detail)
{
    const struct plan_shape *s = &p->shape;
    const double bytes = 2 * device_points_bytes(s) * (double)operands;
    enum gfmul_status status = GFMUL_OK;
    size_t blocks = s->device.forward[0].points;
    for (unsigned i = 1; i + 1 < s->device.n_passes && status == GFMUL_OK; i++) {
        const struct device_pass *pass = &s->device.forward[i];
        const cl_uint columns = (cl_uint)device_shape_columns(s, i);
        cl_mem table = p->forward[i].table, shared = shared_of(&p->forward[i]);
        status = ocl_args(p->d, p->middle[i], detail, OCL_ARG(x), OCL_ARG(y), OCL_ARG(table), OCL_ARG(shared), OCL_ARG(columns),
                          OCL_END);
        if (status == GFMUL_OK)
            status = launch(p, p->middle[i], p_middle[i - 1], blocks * columns / pass->columns, pass->items * pass->columns,
                            operands, bytes, profile, detail);
        blocks *= pass->points;
    }
    return status;
}

enum gfmul_status ocl_pipeline_forward(struct ocl_pipeline *p, struct ocl_work *work, struct ocl_number a, struct ocl_number b,
                                       struct ocl_profile *profile, char *detail)
{
    enum gfmul_status status = ocl_pipeline_begin(p, work, detail);
    if (status == GFMUL_OK)
        status = source_pass(p, work, a, b, 0, device_shape_columns(&p->shape, 0), profile, detail);
    if (status == GFMUL_OK)
        status = middle_passes(p, work->x, b.words ? work->y : work->x, b.words ? 2 : 1, profile, detail);
    return status;
}

enum gfmul_status ocl_pipeline_source(struct ocl_pipeline *p, struct ocl_work *work, unsigned operand, struct ocl_number a,
                                      size_t first, size_t end, struct ocl_profile *profile, char *detail)
{
    return first == end ? GFMUL_OK
                        : source_pass(p, work, operand ? no_number : a, operand ? a : no_number, first, end, profile, detail);
}

enum gfmul_status ocl_pipeline_columns(struct ocl_pipeline *p, struct ocl_work *work, unsigned operand,
                                       struct ocl_profile *profile, char *detail)
{
    cl_mem points = operand ? work->y : work->x;
    return middle_passes(p, points, points, 1, profile, detail);
}

size_t ocl_pipeline_source_column(const struct ocl_pipeline *p, unsigned part, unsigned parts)
{
    /* 32 columns begin on a word; a group has a power of two of them */
    const size_t unit = p->shape.device.forward[0].columns > 32 ? p->shape.device.forward[0].columns : 32;
    return device_shape_columns(&p->shape, 0) / unit * part / parts * unit;
}

size_t ocl_pipeline_row_words(const struct ocl_pipeline *p)
{
    return device_shape_columns(&p->shape, 0) / 32 * p->shape.digits.exponent;
}

/* inverse_columns - from the rows' product to runs of digits. */
static enum gfmul_status inverse_columns(struct ocl_pipeline *p, struct ocl_work *work, struct ocl_profile *profile, char *detail)
{
    const struct plan_shape *s = &p->shape;
    const double n = (double)s->transform.n_points;
    const cl_double2 scale = {{1.0 / n, fma(-1.0 / n, n, 1.0) / n}}; /* 1 / n in double-double */
    const float first = (float)(1.0 / n), rest = (float)(1.0 / n - first);
    const cl_float2 floats = {{first, rest}};
    const size_t part = s->device.forward[0].single ? sizeof(cl_float) : sizeof(cl_double);
    struct device_buffers buffers;
    device_shape_buffers(s, &buffers);
    enum gfmul_status status = GFMUL_OK;
    for (unsigned i = s->device.n_passes - 2; i >= 1 && status == GFMUL_OK; i--) {
        const struct device_pass *pass = &s->device.inverse[i];
        cl_mem table = inverse_tables(p, i)->table, shared = shared_of(inverse_tables(p, i));
        const cl_uint columns = (cl_uint)device_shape_columns(s, i);
        status = ocl_args(p->d, p->back[i], detail, OCL_ARG(work->x), OCL_ARG(table), OCL_ARG(shared), OCL_ARG(columns), OCL_END);
        if (status == GFMUL_OK)
            status = launch(p, p->back[i], p_back[i - 1], s->transform.n_points / pass->points / pass->columns,
                            pass->items * pass->columns, 1, 2 * device_points_bytes(s), profile, detail);
    }
    const struct device_pass *pass = &s->device.inverse[0];
    const cl_uint columns = (cl_uint)device_shape_columns(s, 0);
    cl_mem table = inverse_tables(p, 0)->table;
    if (status == GFMUL_OK)
        status = ocl_args(p->d, p->last, detail, OCL_ARG(work->x), OCL_ARG(table), OCL_ARG(columns),
                          s->device.forward[0].dd ? 2 * part : part,
                          s->device.forward[0].single ? (const void *)&floats : (const void *)&scale, OCL_ARG(work->runs),
                          OCL_ARG(work->carries), OCL_ARG(work->status[work->turn]), OCL_END);
    if (status == GFMUL_OK)
        status = launch(p, p->last, p_last, columns / pass->columns, pass->items * pass->columns, 1,
                        device_points_bytes(s) + (double)buffers.runs + (double)buffers.carries, profile, detail);
    return status;
}

unsigned ocl_pipeline_slices_max(const struct ocl_pipeline *p)
{
    return device_shape_slices(&p->shape);
}

size_t ocl_pipeline_slice_word(const struct ocl_pipeline *p, unsigned slice, unsigned slices)
{
    return device_slice_tile(&p->shape, slice, slices) * p->shape.device.tile_rows *
           (device_shape_columns(&p->shape, 0) / 32 * p->shape.device.field_bits);
}

enum gfmul_status ocl_pipeline_limbs(struct ocl_pipeline *p, struct ocl_work *work, struct ocl_number z, unsigned slice,
                                     unsigned slices, struct ocl_profile *profile, char *detail)
{
    const struct plan_shape *s = &p->shape;
    struct device_buffers buffers;
    device_shape_buffers(s, &buffers);
    const size_t tiles = 2 * s->device.inverse[0].points / s->device.tile_rows,
                 tile = device_slice_tile(&p->shape, slice, slices), end = device_slice_tile(&p->shape, slice + 1, slices);
    const size_t tile_chunks = buffers.chunks / tiles, first_chunk = tile * tile_chunks;
    const cl_uint groups = (cl_uint)(device_shape_columns(s, 0) / s->device.inverse[0].columns);
    const cl_ulong z_words = z.n_words;
    const double bytes = (double)buffers.runs + (double)buffers.carries + number_bytes(p, z);
    enum gfmul_status status = ocl_args(p->d, p->carry, detail, OCL_ARG(work->runs), OCL_ARG(work->carries), OCL_ARG(z.words),
                                        OCL_ARG(work->maps), OCL_ARG(groups), OCL_ARG(z_words), OCL_END);
    if (status == GFMUL_OK)
        status = launch_from(p, p->carry, s->digits.base == 2 ? p_carry : p_print, first_chunk / s->device.tile_rows,
                             (end - tile) * tile_chunks / s->device.tile_rows, s->device.tile_rows * s->device.chunk_blocks, 0, 1,
                             bytes * (double)(end - tile) / (double)tiles, profile, detail);
    if (status == GFMUL_OK)
        status = ocl_chunks_carry(p->d, &p->chunks, s, work, z, first_chunk, end * tile_chunks, profile, detail);
    if (slice + 1 == slices)
        work->cleared = status == GFMUL_OK;
    return status;
}

/* rows_product - x = x times y's spectrum, or times the kept one.   often: points are read or written so many times. */
static enum gfmul_status rows_product(struct ocl_pipeline *p, cl_kernel k, const char *name, cl_mem x, cl_mem y, unsigned often,
                                      struct ocl_profile *profile, char *detail)
{
    const struct plan_shape *s = &p->shape;
    const unsigned last = s->device.n_passes - 1;
    const struct device_pass *pass = &s->device.forward[last];
    cl_mem table = p->forward[last].table, shared = shared_of(&p->forward[last]);
    enum gfmul_status status = ocl_args(p->d, k, detail, OCL_ARG(x), OCL_ARG(y), OCL_ARG(table), OCL_ARG(shared), OCL_END);
    if (status == GFMUL_OK)
        status = launch(p, k, name, s->transform.n_points / pass->points, pass->items, 1, often * device_points_bytes(s), profile,
                        detail);
    return status;
}

enum gfmul_status ocl_pipeline_rows(struct ocl_pipeline *p, struct ocl_work *work, struct ocl_profile *profile, char *detail)
{
    const bool square = p->shape.square;
    enum gfmul_status status =
        rows_product(p, p->rows, p_rows, work->x, square ? work->x : work->y, square ? 2 : 3, profile, detail);
    return status == GFMUL_OK ? inverse_columns(p, work, profile, detail) : status;
}

enum gfmul_status ocl_pipeline_mul(struct ocl_pipeline *p, struct ocl_work *work, struct ocl_number z, struct ocl_number a,
                                   struct ocl_number b, struct ocl_profile *profile, char *detail)
{
    enum gfmul_status status = ocl_pipeline_forward(p, work, a, b, profile, detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_rows(p, work, profile, detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_limbs(p, work, z, 0, 1, profile, detail);
    return status;
}

size_t ocl_pipeline_spectrum_bytes(const struct ocl_pipeline *p)
{
    return device_point_bytes(&p->shape) * p->shape.transform.n_points;
}

/* rows_by - rows_product by a kernel that is made on its first use. */
static enum gfmul_status rows_by(struct ocl_pipeline *p, cl_kernel *k, const char *file, const char *kernel, const char *more,
                                 const char *name, cl_mem x, cl_mem y, unsigned often, struct ocl_profile *profile, char *detail)
{
    enum gfmul_status status = GFMUL_OK;
    if (!*k)
        status = kernel_get(p, file, kernel, &p->shape.device.forward[p->shape.device.n_passes - 1], more, k, detail);
    return status == GFMUL_OK ? rows_product(p, *k, name, x, y, often, profile, detail) : status;
}

enum gfmul_status ocl_pipeline_keep(struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum, struct ocl_number b,
                                    struct ocl_profile *profile, char *detail)
{
    static const char name[] = "rows_forward";
    enum gfmul_status status = ocl_pipeline_forward(p, work, b, no_number, profile, detail);
    if (status == GFMUL_OK)
        status = rows_by(p, &p->rows_forward, "rows_forward.cl", name, "", name, work->x, spectrum, 2, profile, detail);
    return status;
}

enum gfmul_status ocl_pipeline_rows_kept(struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum,
                                         struct ocl_profile *profile, char *detail)
{
    enum gfmul_status status = rows_by(p, &p->rows_kept, "rows_mul_fused.cl", "rows_mul", "-DOPERANDS=3", "rows_mul kept",
                                       work->x, spectrum, 3, profile, detail);
    return status == GFMUL_OK ? inverse_columns(p, work, profile, detail) : status;
}

enum gfmul_status ocl_pipeline_rows_back(struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum,
                                         struct ocl_profile *profile, char *detail)
{
    static const char name[] = "rows_inverse";
    enum gfmul_status status =
        rows_by(p, &p->rows_inverse, "rows_inverse.cl", name, "", name, work->x, spectrum, 2, profile, detail);
    return status == GFMUL_OK ? inverse_columns(p, work, profile, detail) : status;
}

enum gfmul_status ocl_pipeline_mul_add(struct ocl_pipeline *p, cl_mem sum, cl_mem a, cl_mem b, bool add,
                                       struct ocl_profile *profile, char *detail)
{
    static const char name[] = "spectrum_mul_add";
    const char *const options = parts_options[p->shape.device.forward[0].single][p->shape.device.forward[0].dd];
    const cl_int more = add;
    enum gfmul_status status =
        p->mul_add ? GFMUL_OK : ocl_kernel_get(p->d, "spectrum_mul_add.cl", name, options, &p->mul_add, detail);
    if (status == GFMUL_OK)
        status = ocl_args(p->d, p->mul_add, detail, OCL_ARG(sum), OCL_ARG(a), OCL_ARG(b), OCL_ARG(more), OCL_END);
    if (status == GFMUL_OK) /* 64 divides n: a row of columns has as many at least */
        status = launch(p, p->mul_add, name, p->shape.transform.n_points / 64, 64, 1, (3 + add) * device_points_bytes(&p->shape),
                        profile, detail);
    return status;
}

enum gfmul_status ocl_pipeline_mul_kept(struct ocl_pipeline *p, struct ocl_work *work, struct ocl_number z, struct ocl_number a,
                                        cl_mem spectrum, struct ocl_profile *profile, char *detail)
{
    enum gfmul_status status = ocl_pipeline_forward(p, work, a, no_number, profile, detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_rows_kept(p, work, spectrum, profile, detail);
    return status == GFMUL_OK ? ocl_pipeline_limbs(p, work, z, 0, 1, profile, detail) : status;
}

enum gfmul_status ocl_pipeline_table(struct ocl_pipeline *p, unsigned pass, void *table, size_t bytes, char *detail)
{
    return ocl_download(p->d, table, p->forward[pass].table, 0, bytes, 1, OCL_AFTER_QUEUE, detail);
}

unsigned ocl_pipeline_kernels(const struct ocl_pipeline *p, struct ocl_kernel_info info[OCL_PIPELINE_KERNELS])
{
    const struct plan_shape *s = &p->shape;
    const unsigned last = s->device.n_passes - 1;
    unsigned n = 0;
#define KERNEL(name_, kernel_, pass_)                                      \
    do {                                                                   \
        info[n].name = name_;                                              \
        info[n].kernel = kernel_;                                          \
        info[n].shape[0] = '\0';                                           \
        if (pass_)                                                         \
            device_pass_print(info[n].shape, sizeof info[n].shape, pass_); \
        n++;                                                               \
    } while (0)
    const struct device_pass *none = NULL;
    KERNEL(p_first, p->first, &s->device.forward[0]);
    for (unsigned i = 1; i < last; i++)
        KERNEL(p_middle[i - 1], p->middle[i], &s->device.forward[i]);
    KERNEL(p_rows, p->rows, &s->device.forward[last]);
    for (unsigned i = last - 1; i >= 1; i--)
        KERNEL(p_back[i - 1], p->back[i], &s->device.inverse[i]);
    KERNEL(p_last, p->last, &s->device.inverse[0]);
    KERNEL(s->digits.base == 2 ? p_carry : p_print, p->carry, none);
    if (s->device.group_maps)
        KERNEL(OCL_CHUNKS_COMPOSE, p->chunks.compose, none);
    KERNEL(OCL_CHUNKS_CARRY, p->chunks.carry, none);
#undef KERNEL
    return n;
}

enum gfmul_status ocl_pipeline_note(struct ocl_pipeline *p, const struct ocl_work *work, struct ocl_note *note, char *detail)
{
    return ocl_note_read(p->d, note, work->status[work->turn], OCL_STATUS_WORDS * sizeof(cl_uint), detail);
}

enum gfmul_status ocl_pipeline_noted(const struct ocl_pipeline *p, struct ocl_note *note, struct ocl_figures *figures,
                                     char *detail)
{
    enum gfmul_status status = ocl_note_wait(p->d, note, detail);
    if (status == GFMUL_OK) {
        ocl_figures_of(note->p, &p->shape, figures);
        if (ocl_fault(OCL_FAULT_FIGURES) != 0)
            figures->max_value = HUGE_VAL;
    }
    ocl_note_end(p->d, note);
    return status;
}

enum gfmul_status ocl_pipeline_figures(struct ocl_pipeline *p, const struct ocl_work *work, struct ocl_figures *figures,
                                       char *detail)
{
    struct ocl_note note;
    enum gfmul_status status = ocl_pipeline_note(p, work, &note, detail);
    if (status == GFMUL_OK)
        return ocl_pipeline_noted(p, &note, figures, detail);
    ocl_note_end(p->d, &note);
    return status;
}
#endif
