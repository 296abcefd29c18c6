/*
 * ocl_pipeline.c - the kernels of one plan on one device: buffers, launches, figures.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_pipeline.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "ocl/ocl_arguments.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_chunks.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_pipeline_state.h"

static const struct ocl_number no_number = {NULL, 0};

/* ---- buffers ---- */

void ocl_work_put(struct ocl_device *d, struct ocl_work *work)
{
    ocl_buffer_put(d, work->status[1]);
    ocl_buffer_put(d, work->status[0]);
    ocl_buffer_put(d, work->maps);
    ocl_buffer_put(d, work->carries);
    ocl_buffer_put(d, work->runs);
    ocl_buffer_put(d, work->y);
    ocl_buffer_put(d, work->x);
    memset(work, 0, sizeof *work);
}

static enum gfmul_status work_get(const struct ocl_call *on, const struct plan_shape *shape, struct ocl_work *work,
                                  bool one_operand)
{
    struct device_buffers b;
    device_shape_buffers(shape, &b);
    work->bytes = (one_operand ? 1 : 2) * b.points + b.runs + b.carries + b.maps;
    TRY(ocl_buffer_get(on, b.points, &work->x));
    if (!one_operand)
        TRY(ocl_buffer_get(on, b.points, &work->y));
    if (b.runs > 0) {
        TRY(ocl_buffer_get(on, b.runs, &work->runs));
        TRY(ocl_buffer_get(on, b.carries, &work->carries));
    }
    TRY(ocl_buffer_get(on, b.maps, &work->maps));
    TRY(ocl_buffer_get(on, OCL_STATUS_WORDS * 4, &work->status[0]));
    return ocl_buffer_get(on, OCL_STATUS_WORDS * 4, &work->status[1]);
}

enum gfmul_status ocl_work_get(const struct ocl_call *on, const struct plan_shape *shape, struct ocl_work *work, bool one_operand)
{
    memset(work, 0, sizeof *work);
    const enum gfmul_status status = work_get(on, shape, work, one_operand || device_is_shared(shape));
    if (status != GFMUL_OK)
        ocl_work_put(on->device, work);
    return status;
}

/* field_of - a pipeline's own parts of a product. */
static const struct pipeline_field *field_of(const struct ocl_pipeline *p)
{
    return p->shape.field == PLAN_PRIME ? &pipeline_primes : &pipeline_points;
}

/* ---- launches ---- */

/* The groups of a launch: `n` groups of `items` work-items from group `first` on, for `operands` operands from `operand` on. */
struct groups {
    size_t first, n, items, operand, operands;
};

static enum gfmul_status launch(const struct ocl_call *on, const struct ocl_pipeline *p, enum pipeline_kernel k, struct groups g,
                                double bytes)
{
    const struct ocl_range range = {2, {g.first * g.items, g.operand}, {g.n * g.items, g.operands}, {g.items, 1}};
    return ocl_launch(on, p->kernel[k], pipeline_kernel_name(k), range, bytes);
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

enum gfmul_status ocl_pipeline_begin(const struct ocl_call *on, struct ocl_work *work)
{
    const cl_uint zero = 0;
    const bool cleared = work->cleared;
    work->turn ^= 1;
    work->cleared = false;
    return cleared ? GFMUL_OK
                   : ocl_fill(on, (struct ocl_span){work->status[work->turn], 0, OCL_STATUS_WORDS * 4}, &zero, sizeof zero);
}

/*
 * source_pass - the first pass over columns `first` to `end`, for both operands or for the one that has words.  If they share a
 * transform, they are one.
 */
static enum gfmul_status source_pass(const struct ocl_call *on, struct ocl_pipeline *p, const struct ocl_work *work,
                                     struct ocl_number a, struct ocl_number b, size_t first, size_t end)
{
    const struct plan_shape *s = &p->shape;
    const struct device_pass *pass = &s->device.forward[0];
    const struct ocl_number x = a.words ? a : b, y = b.words ? b : a;
    const size_t operands = device_is_shared(s) ? 1 : (a.words != NULL) + (b.words != NULL);
    const struct source_arguments size = {x.n_words, y.n_words, (cl_uint)device_shape_columns(s, 0), s->digits.balance_exp};
    const double share = (double)(end - first) / size.n_columns, points = device_points_bytes(s) * (double)operands;
    const struct groups groups = {first / pass->columns, (end - first) / pass->columns, pass->items * pass->columns,
                                  a.words == NULL, operands};
    cl_mem table = p->forward[0].table, y_points = work->y ? work->y : work->x;
    TRY(ocl_args(on, p->kernel[KERNEL_FIRST], OCL_ARG(x.words), OCL_ARG(work->x), OCL_ARG(y.words), OCL_ARG(y_points),
                 OCL_ARG(table), OCL_ARG(work->status[work->turn]), OCL_ARG(size), OCL_END));
    return launch(on, p, KERNEL_FIRST, groups, share * (points + number_bytes(p, a) + number_bytes(p, b)));
}

/* middle_passes - the other passes over columns of the points x, and also of y if operands is 2. */
static enum gfmul_status middle_passes(const struct ocl_call *on, struct ocl_pipeline *p, cl_mem x, cl_mem y, size_t operands)
{
    const struct plan_shape *s = &p->shape;
    size_t blocks = s->device.forward[0].points;
    for (unsigned i = 1; i + 1 < s->device.n_passes; i++) {
        const enum pipeline_kernel k = KERNEL_MIDDLE + i - 1;
        const struct device_pass *pass = &s->device.forward[i];
        const cl_uint columns = (cl_uint)device_shape_columns(s, i);
        const struct groups groups = {0, blocks * columns / pass->columns, pass->items * pass->columns, 0, operands};
        cl_mem shared = shared_of(&p->forward[i]);
        TRY(ocl_args(on, p->kernel[k], OCL_ARG(x), OCL_ARG(y), OCL_ARG(p->forward[i].table), OCL_ARG(shared), OCL_ARG(columns),
                     OCL_END));
        TRY(launch(on, p, k, groups, 2 * device_points_bytes(s) * (double)operands));
        blocks *= pass->points;
    }
    return GFMUL_OK;
}

enum gfmul_status ocl_pipeline_forward(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work,
                                       struct ocl_number a, struct ocl_number b)
{
    TRY(ocl_pipeline_begin(on, work));
    TRY(field_of(p)->source(on, p, work, a, b, 0, device_shape_columns(&p->shape, 0)));
    const bool two = b.words && !device_is_shared(&p->shape);
    return field_of(p)->middle(on, p, work->x, two ? work->y : work->x, two ? 2 : 1);
}

enum gfmul_status ocl_pipeline_source(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, unsigned operand,
                                      struct ocl_number a, size_t first, size_t end)
{
    assert(ocl_pipeline_apart(p));
    if (first == end)
        return GFMUL_OK;
    return field_of(p)->source(on, p, work, operand ? no_number : a, operand ? a : no_number, first, end);
}

enum gfmul_status ocl_pipeline_columns(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, unsigned operand)
{
    cl_mem points = operand ? work->y : work->x;
    return field_of(p)->middle(on, p, points, points, 1);
}

bool ocl_pipeline_apart(const struct ocl_pipeline *p)
{
    return !device_is_shared(&p->shape);
}

size_t ocl_pipeline_source_column(const struct ocl_pipeline *p, unsigned part, unsigned parts)
{
    /* a multiple of 32 columns begins on a word; a group has a power of two of them */
    const size_t unit = p->shape.device.forward[0].columns > 32 ? p->shape.device.forward[0].columns : 32;
    return device_shape_columns(&p->shape, 0) / unit * part / parts * unit;
}

size_t ocl_pipeline_row_words(const struct ocl_pipeline *p)
{
    return device_row_digits(&p->shape) / 32 * p->shape.digits.exponent;
}

/* inverse_columns - the passes back over columns, up to runs of digits. */
static enum gfmul_status inverse_columns(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work)
{
    const struct plan_shape *s = &p->shape;
    const double n = (double)s->transform.n_points;
    /* 1 / n in double-double; in double times what undoes the weight */
    const cl_double2 scale = {{ldexp(1.0 / n, -s->digits.balance_exp), fma(-1.0 / n, n, 1.0) / n}};
    struct device_buffers buffers;
    device_shape_buffers(s, &buffers);
    for (unsigned i = s->device.n_passes - 2; i >= 1; i--) {
        const enum pipeline_kernel k = KERNEL_LAST - i; /* the passes come in falling order */
        const struct device_pass *pass = &s->device.inverse[i];
        const struct groups groups = {0, s->transform.n_points / pass->points / pass->columns, pass->items * pass->columns, 0, 1};
        cl_mem table = inverse_tables(p, i)->table, shared = shared_of(inverse_tables(p, i));
        const cl_uint columns = (cl_uint)device_shape_columns(s, i);
        TRY(ocl_args(on, p->kernel[k], OCL_ARG(work->x), OCL_ARG(table), OCL_ARG(shared), OCL_ARG(columns), OCL_END));
        TRY(launch(on, p, k, groups, 2 * device_points_bytes(s)));
    }
    const struct device_pass *pass = &s->device.inverse[0];
    const cl_uint columns = (cl_uint)device_shape_columns(s, 0);
    const struct groups groups = {0, columns / pass->columns, pass->items * pass->columns, 0, 1};
    cl_mem table = inverse_tables(p, 0)->table;
    TRY(ocl_args(on, p->kernel[KERNEL_LAST], OCL_ARG(work->x), OCL_ARG(table), OCL_ARG(columns),
                 s->device.forward[0].dd ? sizeof scale : sizeof scale.s[0], (const void *)&scale, OCL_ARG(work->runs),
                 OCL_ARG(work->carries), OCL_ARG(work->status[work->turn]), OCL_END));
    return launch(on, p, KERNEL_LAST, groups, device_points_bytes(s) + (double)buffers.runs + (double)buffers.carries);
}

unsigned ocl_pipeline_parts_max(const struct ocl_pipeline *p)
{
    return device_shape_parts(&p->shape);
}

size_t ocl_pipeline_part_word(const struct ocl_pipeline *p, unsigned part, unsigned parts)
{
    return device_part_tile(&p->shape, part, parts) * p->shape.device.tile_rows *
           (device_row_digits(&p->shape) / 32 * p->shape.device.field_bits);
}

/* part_pack - pack the words of a part, then carry between its chunks.   below: digits have signs in any case */
static enum gfmul_status part_pack(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, struct ocl_number z,
                                   size_t tile, size_t end, size_t below)
{
    const struct plan_shape *s = &p->shape;
    const bool text = s->digits.base != 2;
    const enum pipeline_kernel k = text ? KERNEL_TEXT : KERNEL_LIMBS;
    const struct ocl_chunks chunks = {p->kernel[KERNEL_COMPOSE], p->kernel[text ? KERNEL_TEXT_CARRY : KERNEL_CARRY]};
    struct device_buffers buffers;
    (void)below;
    device_shape_buffers(s, &buffers);
    const size_t tiles = device_number_tiles(s), tile_chunks = buffers.chunks / tiles;
    const struct groups in_part = {tile * tile_chunks / s->device.tile_rows, (end - tile) * tile_chunks / s->device.tile_rows,
                                   s->device.tile_rows * s->device.chunk_blocks, 0, 1};
    const cl_uint groups = (cl_uint)(device_row_digits(s) / s->device.inverse[0].columns); /* runs of a row */
    const cl_ulong z_words = z.n_words;
    const double bytes = (double)buffers.runs + (double)buffers.carries + number_bytes(p, z);
    TRY(ocl_args(on, p->kernel[k], OCL_ARG(work->runs), OCL_ARG(work->carries), OCL_ARG(z.words), OCL_ARG(work->maps),
                 OCL_ARG(groups), OCL_ARG(z_words), OCL_END));
    TRY(launch(on, p, k, in_part, bytes * (double)(end - tile) / (double)tiles));
    return ocl_chunks_carry(on, &chunks, s, work, z, tile * tile_chunks, end * tile_chunks);
}

enum gfmul_status ocl_pipeline_limbs(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work,
                                     struct ocl_number z, unsigned part, unsigned parts)
{
    const size_t tile = device_part_tile(&p->shape, part, parts), end = device_part_tile(&p->shape, part + 1, parts);
    TRY(field_of(p)->limbs(on, p, work, z, tile, end, 0));
    work->cleared = part + 1 == parts; /* chunks_carry has cleared the next product's record */
    return GFMUL_OK;
}

enum gfmul_status ocl_pipeline_value(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work,
                                     struct ocl_number z, size_t below)
{
    if (below > 0)
        TRY(ocl_pipeline_need(on, p, OCL_KERNELS_MINUS));
    TRY(field_of(p)->limbs(on, p, work, z, 0, device_part_tile(&p->shape, 1, 1), below));
    work->cleared = true;
    return GFMUL_OK;
}

/* rows_product - x = x times y's spectrum, or times the kept one.   often in: how often all points are read or written */
static enum gfmul_status rows_product(const struct ocl_call *on, struct ocl_pipeline *p, enum pipeline_kernel k, cl_mem x,
                                      cl_mem y, unsigned often)
{
    const struct plan_shape *s = &p->shape;
    const unsigned last = s->device.n_passes - 1;
    const struct device_pass *pass = &s->device.forward[last];
    const struct groups groups = {0, s->transform.n_points / pass->points, pass->items, 0, 1};
    cl_mem table = p->forward[last].table, shared = shared_of(&p->forward[last]);
    TRY(ocl_args(on, p->kernel[k], OCL_ARG(x), OCL_ARG(y), OCL_ARG(table), OCL_ARG(shared), OCL_END));
    return launch(on, p, k, groups, often * device_points_bytes(s));
}

/* rows_pairs - the same by pairs of rows. */
static enum gfmul_status rows_pairs(const struct ocl_call *on, struct ocl_pipeline *p, enum pipeline_kernel k, cl_mem x, cl_mem y,
                                    unsigned often)
{
    const struct plan_shape *s = &p->shape;
    const unsigned last = s->device.n_passes - 1;
    const struct device_pass *pass = &s->device.forward[last];
    const cl_uint odd = s->transform.odd, rows = (cl_uint)(s->transform.n_points / pass->points / odd);
    const struct groups groups = {0, rows / 2 + 1 + (size_t)(odd - 1) / 2 * rows, pass->items, 0, 1};
    cl_mem table = p->forward[last].table, shared = shared_of(&p->forward[last]);
    TRY(ocl_args(on, p->kernel[k], OCL_ARG(x), OCL_ARG(y), OCL_ARG(table), OCL_ARG(shared), OCL_ARG(odd), OCL_ARG(rows),
                 OCL_END));
    return launch(on, p, k, groups, often * device_points_bytes(s));
}

static enum gfmul_status halves_rows(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum)
{
    const bool square = p->shape.square;
    if (spectrum)
        return rows_pairs(on, p, KERNEL_HALVES_KEPT, work->x, spectrum, 3);
    return rows_pairs(on, p, KERNEL_HALVES, work->x, square ? work->x : work->y, square ? 2 : 3);
}

static enum gfmul_status points_rows(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum)
{
    const bool square = p->shape.square;
    if (p->shape.transform.packing == GFMUL_PACKING_ONE_FOR_HALF)
        TRY(halves_rows(on, p, work, spectrum));
    else if (spectrum)
        TRY(rows_product(on, p, KERNEL_ROWS_KEPT, work->x, spectrum, 3));
    else if (device_is_shared(&p->shape))
        TRY(rows_pairs(on, p, KERNEL_ROWS_PAIRED, work->x, work->x, 2));
    else
        TRY(rows_product(on, p, KERNEL_ROWS, work->x, square ? work->x : work->y, square ? 2 : 3));
    return inverse_columns(on, p, work);
}

static enum gfmul_status points_keep(const struct ocl_call *on, struct ocl_pipeline *p, const struct ocl_transform *x, unsigned n)
{
    const struct plan_shape *s = &p->shape;
    const unsigned last = s->device.n_passes - 1;
    const struct device_pass *pass = &s->device.forward[last];
    const struct ocl_transform *const y = &x[n - 1];
    const struct groups groups = {0, s->transform.n_points / pass->points, pass->items, 0, n};
    cl_mem table = p->forward[last].table, shared = shared_of(&p->forward[last]);
    TRY(ocl_args(on, p->kernel[KERNEL_ROWS_FORWARD], OCL_ARG(x->points), OCL_ARG(y->points), OCL_ARG(x->spectrum),
                 OCL_ARG(y->spectrum), OCL_ARG(table), OCL_ARG(shared), OCL_END));
    return launch(on, p, KERNEL_ROWS_FORWARD, groups, 2 * device_points_bytes(s) * n);
}

_Static_assert(PLAN_SUM_BLOCK == 4, "kernels/spectrum_mul_add.cl has so many products");

static enum gfmul_status points_mul_add(const struct ocl_call *on, struct ocl_pipeline *p, cl_mem sum,
                                        const struct ocl_product *product, unsigned n, bool add)
{
    struct mul_add_arguments of = {.n = n, .add = add};
    struct ocl_product all[PLAN_SUM_BLOCK];
    const struct groups groups = {0, p->shape.transform.n_points / 64, 64, 0, 1}; /* 64 divides n: a row of columns has as many */
    for (unsigned i = 0; i < PLAN_SUM_BLOCK; i++) {
        all[i] = product[i < n ? i : 0];
        of.minus |= (cl_uint)(i < n && all[i].minus) << i;
    }
    TRY(ocl_args(on, p->kernel[KERNEL_MUL_ADD], OCL_ARG(sum), OCL_ARG(all[0].a), OCL_ARG(all[0].b), OCL_ARG(all[1].a),
                 OCL_ARG(all[1].b), OCL_ARG(all[2].a), OCL_ARG(all[2].b), OCL_ARG(all[3].a), OCL_ARG(all[3].b), OCL_ARG(of),
                 OCL_END));
    return launch(on, p, KERNEL_MUL_ADD, groups, (2 * n + 1 + add) * device_points_bytes(&p->shape));
}

/* points_back - all passes back of a spectrum. */
static enum gfmul_status points_back(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum)
{
    TRY(rows_product(on, p, KERNEL_ROWS_INVERSE, work->x, spectrum, 2));
    return inverse_columns(on, p, work);
}

enum gfmul_status ocl_pipeline_rows(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work)
{
    return field_of(p)->rows(on, p, work, NULL);
}

const struct pipeline_field pipeline_points = {
    pipeline_points_tables, source_pass, middle_passes, points_rows, points_keep, part_pack, points_mul_add, points_back};

enum gfmul_status ocl_pipeline_tables(const struct ocl_call *on, struct ocl_pipeline *p)
{
    return field_of(p)->tables(on, p);
}

enum gfmul_status ocl_pipeline_keep(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum,
                                    struct ocl_number b)
{
    TRY(ocl_pipeline_need(on, p, OCL_KERNELS_KEEP));
    TRY(ocl_pipeline_forward(on, p, work, b, no_number));
    return field_of(p)->keep(on, p, &(struct ocl_transform){b, work->x, spectrum}, 1);
}

enum gfmul_status ocl_pipeline_spectra(const struct ocl_call *on, struct ocl_pipeline *p, const struct ocl_work *work,
                                       const struct ocl_transform *x, unsigned n)
{
    struct ocl_work own = *work;
    assert(ocl_pipeline_apart(p));
    own.x = x[0].points;
    own.y = x[n - 1].points;
    TRY(ocl_pipeline_need(on, p, OCL_KERNELS_KEEP));
    TRY(field_of(p)->source(on, p, &own, x[0].from, n == 2 ? x[1].from : no_number, 0, device_shape_columns(&p->shape, 0)));
    TRY(field_of(p)->middle(on, p, own.x, own.y, n));
    return field_of(p)->keep(on, p, x, n);
}

enum gfmul_status ocl_pipeline_rows_kept(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work,
                                         cl_mem spectrum)
{
    TRY(ocl_pipeline_need(on, p, OCL_KERNELS_KEPT));
    return field_of(p)->rows(on, p, work, spectrum);
}

enum gfmul_status ocl_pipeline_mul_add(const struct ocl_call *on, struct ocl_pipeline *p, cl_mem sum,
                                       const struct ocl_product *product, unsigned n, bool add)
{
    TRY(ocl_pipeline_need(on, p, OCL_KERNELS_SUM));
    return field_of(p)->mul_add(on, p, sum, product, n, add);
}

enum gfmul_status ocl_pipeline_rows_back(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work,
                                         cl_mem spectrum)
{
    TRY(ocl_pipeline_need(on, p, OCL_KERNELS_SUM));
    return field_of(p)->back(on, p, work, spectrum);
}

/* ---- figures ---- */

enum gfmul_status ocl_pipeline_figures_start(const struct ocl_call *on, const struct ocl_work *work,
                                             struct ocl_readback *readback)
{
    const struct ocl_span figures = {work->status[work->turn], 0, OCL_STATUS_WORDS * sizeof(cl_uint)};
    return ocl_readback_start(on, readback, figures);
}

enum gfmul_status ocl_pipeline_figures_wait(const struct ocl_call *on, const struct ocl_pipeline *p,
                                            struct ocl_readback *readback, struct plan_figures *figures)
{
    const enum gfmul_status status = ocl_readback_wait(on, readback);
    if (status == GFMUL_OK) {
        ocl_figures_of(readback->p, &p->shape, figures);
        if (ocl_fault(OCL_FAULT_FIGURES) != 0)
            figures->max_value = HUGE_VAL;
    }
    ocl_readback_end(on->device, readback);
    return status;
}
