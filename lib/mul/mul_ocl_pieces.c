/*
 * mul_ocl_pieces.c - products of operands cut into pieces on a device (rule knuth, plan_device_pieces.c): spectra kept, products
 * added up.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/mul_ocl_pieces.h"

#ifdef HAVE_OPENCL
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "limbs/mul_small.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "plan/plan_dd.h"

enum { SUMS_AHEAD = 2 }; /* in the queue: while one comes down and is added up, the next one is made */

/* Shares of a product that are done behind its stages, about. */
static const double share_spectra = 0.3;

/* A piece on the device: its limbs, and where its spectrum goes. */
struct piece {
    cl_mem limbs, spectrum;
};

struct operand_pieces {
    const mp_limb_t *limbs;
    size_t n_limbs, n_pieces;
    struct piece *piece;
};

/* A sum of products on its way. */
struct sum {
    struct ocl_number z;
    struct ocl_note note;
};

struct ocl_pieces {
    struct call *call;
    struct ocl_device *d;
    const struct plan_shape *shape;
    struct operand_pieces a, b; /* b of a square: a's pieces */
    bool square;
    cl_mem total; /* the spectrum of a sum */
    struct sum sum[SUMS_AHEAD];
    struct ocl_lease lease;
    size_t bytes; /* of all buffers but the lease's */
};

/* The limbs of piece i. */
static size_t piece_limbs(const struct ocl_pieces *p, const struct operand_pieces *x, size_t i)
{
    const size_t left = x->n_limbs - i * p->shape->grid.piece_limbs;
    return left < p->shape->grid.piece_limbs ? left : p->shape->grid.piece_limbs;
}

static size_t sum_limbs(const struct ocl_pieces *p)
{
    const size_t b = p->b.n_limbs < p->a.n_limbs ? p->b.n_limbs : p->a.n_limbs, piece = p->shape->grid.piece_limbs;
    return piece + (b < piece ? b : piece) + 1;
}

static enum gfmul_status buffer_get(struct ocl_pieces *p, size_t bytes, cl_mem *m)
{
    p->bytes += bytes;
    return ocl_buffer_get(p->d, bytes, m, p->call->report.detail);
}

static enum gfmul_status operand_get(struct ocl_pieces *p, const struct operand_pieces *x, size_t spectrum_bytes)
{
    enum gfmul_status status = GFMUL_OK;
    for (size_t i = 0; i < x->n_pieces && status == GFMUL_OK; i++) {
        status = buffer_get(p, piece_limbs(p, x, i) * sizeof(mp_limb_t), &x->piece[i].limbs);
        if (status == GFMUL_OK)
            status = buffer_get(p, spectrum_bytes, &x->piece[i].spectrum);
    }
    return status;
}

static void operand_put(struct ocl_pieces *p, const struct operand_pieces *x)
{
    for (size_t i = x->n_pieces; i-- > 0;) {
        ocl_buffer_put(p->d, x->piece[i].spectrum);
        ocl_buffer_put(p->d, x->piece[i].limbs);
        x->piece[i] = (struct piece){NULL, NULL};
    }
}

static void buffers_put(struct ocl_pieces *p)
{
    for (unsigned i = 0; i < SUMS_AHEAD; i++) {
        ocl_buffer_put(p->d, p->sum[i].z.words);
        p->sum[i].z.words = NULL;
    }
    ocl_buffer_put(p->d, p->total);
    p->total = NULL;
    operand_put(p, &p->b);
    operand_put(p, &p->a);
}

/* buffers_get - memory for all spectra and sums, or for none. */
static enum gfmul_status buffers_get(struct ocl_pieces *p)
{
    struct device_buffers of_shape;
    device_shape_buffers(p->shape, &of_shape);
    p->bytes = 0;
    enum gfmul_status status = operand_get(p, &p->a, of_shape.points);
    if (status == GFMUL_OK && !p->square)
        status = operand_get(p, &p->b, of_shape.points);
    if (status == GFMUL_OK)
        status = buffer_get(p, of_shape.points, &p->total);
    for (unsigned i = 0; i < SUMS_AHEAD && status == GFMUL_OK; i++) {
        p->sum[i].z.n_words = (uint32_t)(2 * sum_limbs(p));
        status = buffer_get(p, sum_limbs(p) * sizeof(mp_limb_t), &p->sum[i].z.words);
    }
    if (status != GFMUL_OK)
        buffers_put(p);
    return status;
}

/* pieces_begin - memory and kernels; then a product is in flight.   Else nothing is held. */
static enum gfmul_status pieces_begin(struct ocl_pieces *p, struct ocl_kept *kept)
{
    unsigned refused;
    enum gfmul_status status;
    ocl_device_lock(p->d);
    do {
        refused = ocl_buffer_refused(p->d);
        status = buffers_get(p);
    } while (ocl_kept_memory_comes(p->call, kept, refused, status, false));
    if (status == GFMUL_OK && (status = ocl_kept_lease(p->call, kept, p->shape, &p->lease)) != GFMUL_OK) {
        ocl_kept_return(kept, &p->lease);
        buffers_put(p);
    }
    if (status == GFMUL_OK)
        ocl_device_depart(p->d, p->bytes + p->lease.bytes);
    else
        ocl_device_unlock(p->d);
    return status;
}

static void pieces_end(struct ocl_pieces *p, struct ocl_kept *kept, enum gfmul_status status)
{
    if (status != GFMUL_OK) {
        ocl_drain(p->d); /* what was enqueued must not outlive the buffers' owners, nor the notes that it writes */
        p->lease.work.cleared = false;
    }
    for (unsigned i = 0; i < SUMS_AHEAD; i++)
        ocl_note_end(p->d, &p->sum[i].note);
    ocl_device_lock(p->d);
    const size_t bytes = p->bytes + p->lease.bytes;
    ocl_kept_return(kept, &p->lease);
    buffers_put(p);
    ocl_device_arrive(p->d, bytes);
}

/* operand_transform - the spectra of all pieces are enqueued; the share done goes from `from` to `to`. */
static enum gfmul_status operand_transform(struct ocl_pieces *p, const struct operand_pieces *x, double from, double to)
{
    struct call *call = p->call;
    char *detail = call->report.detail;
    enum gfmul_status status = GFMUL_OK;
    for (size_t i = 0; i < x->n_pieces && status == GFMUL_OK; i++) {
        const size_t n = piece_limbs(p, x, i);
        const struct ocl_number number = {x->piece[i].limbs, (uint32_t)(2 * n)};
        const uint64_t start = clock_ns();
        cl_event way = NULL;
        /* behind nothing, as any product's operand: no command still uses a buffer of the pool */
        status = ocl_upload_start(p->d, number.words, 0, x->limbs + i * p->shape->grid.piece_limbs, n * sizeof(mp_limb_t),
                                  call->threads, OCL_AT_ONCE, &way, detail);
        if (status == GFMUL_OK && way)
            status = ocl_event_wait(p->d, way, "a piece's transfer", detail);
        call->report.upload_ns += clock_ns() - start;
        if (status == GFMUL_OK) {
            ocl_device_lock(p->d);
            status = ocl_pipeline_keep(p->lease.pipeline, &p->lease.work, x->piece[i].spectrum, number, call->profile, detail);
            if (status == GFMUL_OK)
                status = ocl_status(p->d, clFlush(ocl_device_queue(p->d)), "clFlush", detail);
            ocl_device_unlock(p->d);
        }
        if (way)
            clReleaseEvent(way);
        if (status == GFMUL_OK)
            status = call_progress(call, from + (to - from) * (double)(i + 1) / (double)x->n_pieces);
    }
    return status;
}

/* Of the products whose pieces' numbers add up to k: the first one's piece of a, and how many there are. */
static size_t first_of(const struct ocl_pieces *p, size_t k)
{
    return k < p->b.n_pieces ? 0 : k - p->b.n_pieces + 1;
}

static size_t products_of(const struct ocl_pieces *p, size_t k)
{
    return (k < p->a.n_pieces ? k : p->a.n_pieces - 1) + 1 - first_of(p, k);
}

/* sum_start - enqueue the sum of the products of pieces whose numbers add up to k. */
static enum gfmul_status sum_start(struct ocl_pieces *p, size_t k)
{
    const size_t first = first_of(p, k), end = first + products_of(p, k);
    struct ocl_profile *profile = p->call->profile;
    struct ocl_pipeline *pipeline = p->lease.pipeline;
    struct sum *sum = &p->sum[k % SUMS_AHEAD];
    char *detail = p->call->report.detail;
    ocl_device_lock(p->d);
    enum gfmul_status status = ocl_pipeline_begin(pipeline, &p->lease.work, detail);
    for (size_t i = first; i < end && status == GFMUL_OK; i++)
        status = ocl_pipeline_mul_add(pipeline, p->total, p->a.piece[i].spectrum, p->b.piece[k - i].spectrum, i > first, profile,
                                      detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_rows_back(pipeline, &p->lease.work, p->total, profile, detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_limbs(pipeline, &p->lease.work, sum->z, 0, 1, profile, detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_note(pipeline, &p->lease.work, &sum->note, detail);
    if (status == GFMUL_OK)
        status = ocl_status(p->d, clFlush(ocl_device_queue(p->d)), "clFlush", detail);
    ocl_device_unlock(p->d);
    return status;
}

/* sum_take - wait for the sum of number k, and add it to z.   slice: room for sum_limbs. */
static enum gfmul_status sum_take(struct ocl_pieces *p, size_t k, mp_limb_t *z, size_t zn, mp_limb_t *slice)
{
    struct call *call = p->call;
    struct sum *sum = &p->sum[k % SUMS_AHEAD];
    const size_t at = k * p->shape->grid.piece_limbs, n = sum_limbs(p), len = zn - at < n ? zn - at : n; /* beyond z it is zero */
    struct ocl_figures figures;
    enum gfmul_status status = ocl_pipeline_noted(p->lease.pipeline, &sum->note, &figures, call->report.detail);
    if (status != GFMUL_OK)
        return status;
    if (figures.max_error > call->report.max_error)
        call->report.max_error = fmin(figures.max_error, 0.5);
    if (!(figures.max_value < DD_VALUE_LIMIT && plan_bound_decides(p->shape->bound.value, figures.max_error)))
        return mul_not_rounded(call);
    uint64_t start = clock_ns();
    status = ocl_download(p->d, slice, sum->z.words, 0, len * sizeof *slice, call->threads, OCL_AT_ONCE, call->report.detail);
    call->report.download_ns += clock_ns() - start;
    if (status == GFMUL_OK) {
        start = clock_ns();
        mpn_add(z + at, z + at, (mp_size_t)(zn - at), slice, (mp_size_t)len);
        call->report.carry_ns += clock_ns() - start;
    }
    return status;
}

/* pieces_run - all of it, with a product in flight. */
static enum gfmul_status pieces_run(struct ocl_pieces *p, mp_limb_t *z, size_t zn)
{
    struct call *call = p->call;
    const size_t sums = p->a.n_pieces + p->b.n_pieces - 1;
    const double share_a = p->square ? share_spectra : share_spectra / 2;
    const double products = (double)p->a.n_pieces * (double)p->b.n_pieces;
    double done = 0;
    void *slice = NULL;
    enum gfmul_status status = ctx_buffer_get(call, sum_limbs(p) * sizeof(mp_limb_t), &slice);
    if (status == GFMUL_OK)
        status = operand_transform(p, &p->a, 0, share_a);
    if (status == GFMUL_OK && !p->square)
        status = operand_transform(p, &p->b, share_a, share_spectra);
    if (status == GFMUL_OK) {
        status = sum_start(p, 0);
        mul_beside_operands(call);
        memset(z, 0, zn * sizeof *z);
    }
    for (size_t k = 0; k < sums && status == GFMUL_OK; k++) {
        if (k + 1 < sums)
            status = sum_start(p, k + 1);
        if (status == GFMUL_OK)
            status = sum_take(p, k, z, zn, slice);
        done += (double)products_of(p, k);
        if (status == GFMUL_OK)
            status = call_progress(call, share_spectra + (1 - share_spectra) * done / products);
    }
    ctx_buffer_put(call, slice);
    return status;
}

enum gfmul_status mul_ocl_pieces(struct call *call, struct ocl_device *d, struct ocl_kept *kept, const struct plan_shape *shape,
                                 const struct product *product)
{
    const size_t piece = shape->grid.piece_limbs, an = product->a.n, bn = product->b.n;
    const size_t a_pieces = (an - 1) / piece + 1, b_pieces = (bn - 1) / piece + 1;
    const bool square = product->square;
    struct ocl_pieces p;
    memset(&p, 0, sizeof p);
    struct piece *all = alloc_aligned((a_pieces + b_pieces) * sizeof *all);
    if (!all)
        return GFMUL_ERR_MEMORY;
    memset(all, 0, (a_pieces + b_pieces) * sizeof *all);
    p.call = call;
    p.d = d;
    p.shape = shape;
    p.square = square;
    p.a = (struct operand_pieces){product->a.limbs, an, a_pieces, all};
    p.b = (struct operand_pieces){product->b.limbs, bn, b_pieces, square ? all : all + a_pieces};
    const uint64_t start = clock_ns(), elsewhere = call->report.carry_ns + call->report.verify_ns;
    enum gfmul_status status = pieces_begin(&p, kept);
    const uint64_t begun = clock_ns();
    call->report.plan_ns += begun - start; /* kernels, tables, buffers */
    if (status == GFMUL_OK) {
        status = pieces_run(&p, product->z.limbs, an + bn);
        pieces_end(&p, kept, status);
        call->report.transform_ns += clock_ns() - begun - (call->report.carry_ns + call->report.verify_ns - elsewhere);
    }
    alloc_free(all);
    return status;
}
#endif
