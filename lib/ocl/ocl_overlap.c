/*
 * ocl_overlap.c - a product from and to pinned host memory: its transfers overlap with its kernels.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_overlap.h"

#include <string.h>

#include "base/try.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h"

enum { PARTS_MAX = 8 };

/* One product being enqueued. */
struct overlap {
    const struct ocl_call *on;
    struct ocl_pipeline *pipeline;
    struct ocl_work *work;
    const struct ocl_ends *ends;
    struct ocl_readback *readback;
    cl_event *done;
};

/* write - enqueue the upload of words of a number, whose copy on the host begins at `from`.   event out: may be NULL */
static enum gfmul_status write(const struct overlap *o, cl_command_queue queue, struct ocl_number number, const void *from,
                               size_t word, size_t end, cl_event *event)
{
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(queue, number.words, CL_FALSE, 4 * word, 4 * (end - word), (const char *)from + 4 * word, 0,
                                    NULL, event);
    return ocl_status(o->on, code, "clEnqueueWriteBuffer");
}

/* write_rows - upload words word[0] (-1: the last word of the row before) to word[1] of `rows` rows, from row `first` on. */
static enum gfmul_status write_rows(const struct overlap *o, struct ocl_number number, const void *from, size_t row_words,
                                    size_t first, size_t rows, const ptrdiff_t word[2])
{
    const size_t origin[3] = {4 * (size_t)((ptrdiff_t)(first * row_words) + word[0]), 0, 0},
                 region[3] = {4 * (size_t)(word[1] - word[0]), rows, 1}, pitch = 4 * row_words;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (rows == 0)
        return GFMUL_OK;
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBufferRect(o->on->device->up.queue, number.words, CL_FALSE, origin, origin, region, pitch, 0, pitch,
                                        0, from, 0, NULL, NULL);
    return ocl_status(o->on, code, "clEnqueueWriteBufferRect");
}

/*
 * block_write - upload the words from `word` to `end` of each row of an operand, followed by an event.
 * Digits begin one bit below their columns, so the first column also needs the last word of the row before.  If the last row is
 * full, a digit after it needs the number's last word.
 */
static enum gfmul_status block_write(const struct overlap *o, struct ocl_number number, const void *from, size_t row_words,
                                     size_t word, size_t end, cl_event *event)
{
    const cl_command_queue queue = o->on->device->up.queue;
    const size_t rows = number.n_words / row_words, rest = number.n_words % row_words, last = rest < end ? rest : end;
    const size_t before = word == 0; /* words more, in all rows but the first */
    const ptrdiff_t words[2] = {(ptrdiff_t)word - (ptrdiff_t)before, (ptrdiff_t)end};
    if (before == 1 && rows > 0) {
        TRY(write(o, queue, number, from, 0, end, NULL));
        TRY(write_rows(o, number, from, row_words, 1, rows - 1, words));
    } else if (before == 0) {
        TRY(write_rows(o, number, from, row_words, 0, rows, words));
    }
    const size_t row = rows * row_words, more = rows > 0 ? before : 0;
    if (rest + more > word)
        TRY(write(o, queue, number, from, row + word - more, row + last, NULL));
    TRY(ocl_status(o->on, clEnqueueMarkerWithWaitList(queue, 0, NULL, event), "clEnqueueMarkerWithWaitList"));
    return ocl_flush(o->on, queue);
}

/* parts_of - how many parts to cut so many bytes into. */
static unsigned parts_of(const struct overlap *o, size_t bytes, size_t most)
{
    const size_t parts = bytes / o->on->device->overlap_block;
    most = most < PARTS_MAX ? most : PARTS_MAX;
    return parts <= 1 ? 1 : parts < most ? (unsigned)parts : (unsigned)most;
}

/* The upload of an operand, in blocks of columns or whole. */
struct upload {
    struct ocl_number number; /* words NULL: there is no operand */
    const void *from;         /* NULL: it is on the device already */
    unsigned operand;         /* 0, 1: a, b */
    unsigned parts;
    cl_event event[PARTS_MAX]; /* NULL: nothing to wait for */
};

/* operand_upload - enqueue an operand's upload, before any kernel, so that the bus starts at once. */
static enum gfmul_status operand_upload(const struct overlap *o, struct upload *up, bool in_blocks)
{
    const cl_command_queue queue = o->on->device->up.queue;
    const size_t row_words = ocl_pipeline_row_words(o->pipeline), columns = ocl_pipeline_source_column(o->pipeline, 1, 1);
    up->parts = up->from && in_blocks ? parts_of(o, 4 * (size_t)up->number.n_words, columns / 32) : 1;
    if (!up->from)
        return GFMUL_OK;
    if (up->parts == 1) {
        TRY(write(o, queue, up->number, up->from, 0, up->number.n_words, &up->event[0]));
        return ocl_flush(o->on, queue);
    }
    for (unsigned i = 0; i < up->parts; i++) {
        const size_t first = ocl_pipeline_source_column(o->pipeline, i, up->parts),
                     end = ocl_pipeline_source_column(o->pipeline, i + 1, up->parts);
        if (first < end)
            TRY(block_write(o, up->number, up->from, row_words, first * row_words / columns, end * row_words / columns,
                            &up->event[i]));
    }
    return GFMUL_OK;
}

/* event_wait - wait until a command has ended or failed, and do the host's work meanwhile. */
static enum gfmul_status event_wait(const struct ocl_call *on, const struct ocl_ends *e, cl_event event, const char *what)
{
    while (e->work && !ocl_event_over(event) && e->work(e->arg))
        continue;
    return ocl_event_wait(on, event, what);
}

/* part_forward - enqueue the first pass of a block and, after the last block, the other passes over columns.   With the lock. */
static enum gfmul_status part_forward(const struct overlap *o, const struct upload *up, unsigned i)
{
    TRY(ocl_pipeline_source(o->on, o->pipeline, o->work, up->operand, up->number,
                            ocl_pipeline_source_column(o->pipeline, i, up->parts),
                            ocl_pipeline_source_column(o->pipeline, i + 1, up->parts)));
    if (i + 1 == up->parts)
        TRY(ocl_pipeline_columns(o->on, o->pipeline, o->work, up->operand));
    return ocl_flush(o->on, o->on->device->queue);
}

/*
 * operand_forward - run one operand's passes over columns, with the first pass of each block as soon as that has arrived.
 * The thread waits for the blocks, not the queue, for two reasons.  If a command waits for another queue, some drivers block the
 * thread that enqueues it, which holds the lock.  And in all drivers the kernels of other products would wait behind it.
 */
static enum gfmul_status operand_forward(const struct overlap *o, const struct upload *up)
{
    for (unsigned i = 0; i < up->parts; i++) {
        if (up->event[i])
            TRY(event_wait(o->on, o->ends, up->event[i], "an operand's transfer"));
        ocl_device_lock(o->on->device);
        const enum gfmul_status status = part_forward(o, up, i);
        ocl_device_unlock(o->on->device);
        TRY(status);
    }
    return GFMUL_OK;
}

/* The parts of a product while it is packed and downloaded. */
struct download {
    unsigned n;
    cl_event packed[PARTS_MAX], read[PARTS_MAX]; /* NULL: an empty part */
    size_t word[PARTS_MAX + 1];
};

/* words_read - enqueue the download of words of the product. */
static enum gfmul_status words_read(const struct overlap *o, cl_command_queue queue, size_t word, size_t end, cl_event *event)
{
    const struct ocl_ends *e = o->ends;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(queue, e->z.words, CL_FALSE, 4 * word, 4 * (end - word), (char *)e->z_to + 4 * word, 0, NULL,
                                   event);
    return ocl_status(o->on, code, "clEnqueueReadBuffer");
}

/* product_pack - enqueue the packing of a product part by part, then its figures. */
static enum gfmul_status product_pack(const struct overlap *o, struct download *s)
{
    const struct ocl_number z = o->ends->z;
    s->n = parts_of(o, 4 * (size_t)z.n_words, ocl_pipeline_parts_max(o->pipeline));
    for (unsigned i = 0; i < s->n; i++) {
        const size_t next = ocl_pipeline_part_word(o->pipeline, i + 1, s->n);
        s->word[i + 1] = i + 1 == s->n || next > z.n_words ? z.n_words : next;
        TRY(ocl_pipeline_limbs(o->on, o->pipeline, o->work, z, i, s->n));
        if (s->word[i] < s->word[i + 1])
            TRY(ocl_mark(o->on, &s->packed[i]));
    }
    return ocl_pipeline_figures_start(o->on, o->work, o->readback);
}

/* came_down - tell the listener that the product's words up to `end` are in host memory; those from `word` on are new. */
static void came_down(const struct ocl_ends *e, size_t word, size_t end)
{
    if (e->z_to)
        ocl_fault_data((char *)e->z_to + 4 * word, 4 * (end - word));
    if (e->arrived)
        e->arrived(e->arg, end);
}

/* ends_with - make this event the end of the product. */
static enum gfmul_status ends_with(const struct overlap *o, cl_event event)
{
    TRY(ocl_status(o->on, clRetainEvent(event), "clRetainEvent"));
    *o->done = event;
    return GFMUL_OK;
}

/* product_fetch - bring down each part as soon as it is packed, and report it to the listener.   Without the lock. */
static enum gfmul_status product_fetch(const struct overlap *o, struct download *s)
{
    const struct ocl_ends *e = o->ends;
    const cl_command_queue queue = o->on->device->down.queue;
    cl_event last = NULL; /* the queue is in order, so the last event implies all others */
    for (unsigned i = 0; i < s->n; i++) {
        if (!s->packed[i])
            continue;
        TRY(event_wait(o->on, e, s->packed[i], "a product's kernels"));
        TRY(words_read(o, queue, s->word[i], s->word[i + 1], &s->read[i]));
        TRY(ocl_flush(o->on, queue));
        last = s->read[i];
    }
    for (unsigned i = 0; i < s->n && e->arrived; i++) {
        if (!s->read[i])
            continue;
        TRY(event_wait(o->on, e, s->read[i], "a product's transfer"));
        came_down(e, s->word[i], s->word[i + 1]);
    }
    return ends_with(o, last);
}

/* rows - enqueue the product of the spectra and the passes back. */
static enum gfmul_status rows(const struct overlap *o)
{
    return o->ends->spectrum ? ocl_pipeline_rows_kept(o->on, o->pipeline, o->work, o->ends->spectrum)
                             : ocl_pipeline_rows(o->on, o->pipeline, o->work);
}

/* product_stay - pack the whole product at once, if it stays on the device or is downloaded by the queue of the kernels. */
static enum gfmul_status product_stay(const struct overlap *o)
{
    const struct ocl_ends *e = o->ends;
    TRY(ocl_pipeline_limbs(o->on, o->pipeline, o->work, e->z, 0, 1));
    TRY(ocl_pipeline_figures_start(o->on, o->work, o->readback));
    return e->z_to ? words_read(o, o->on->device->queue, 0, e->z.n_words, o->done) : ends_with(o, o->readback->event);
}

/* product_short - make the product with all commands in one queue.   With the lock. */
static enum gfmul_status product_short(const struct overlap *o)
{
    const struct ocl_ends *e = o->ends;
    const cl_command_queue queue = o->on->device->queue;
    if (e->a_from)
        TRY(write(o, queue, e->a, e->a_from, 0, e->a.n_words, NULL));
    if (e->b_from && e->b.words)
        TRY(write(o, queue, e->b, e->b_from, 0, e->b.n_words, NULL));
    if (e->a_from || e->b_from)
        TRY(ocl_flush(o->on, queue)); /* they start while the kernels are enqueued */
    TRY(ocl_pipeline_forward(o->on, o->pipeline, o->work, e->a, e->b));
    TRY(rows(o));
    TRY(product_stay(o));
    return ocl_flush(o->on, queue);
}

/* The state of a long product under way. */
struct parts {
    struct upload up[2]; /* the shorter operand first, so that its passes overlap with the longer one's upload */
    struct download down;
};

/* operands_upload - enqueue the uploads of the operands, one after the other. */
static enum gfmul_status operands_upload(const struct overlap *o, struct parts *p)
{
    for (unsigned i = 0; i < 2; i++) {
        if (p->up[i].number.words)
            TRY(operand_upload(o, &p->up[i], i == 1));
    }
    return GFMUL_OK;
}

/* product_end - enqueue all that follows the forward transforms.   With the lock. */
static enum gfmul_status product_end(const struct overlap *o, struct parts *p)
{
    TRY(rows(o));
    TRY(o->ends->z_to ? product_pack(o, &p->down) : product_stay(o));
    return ocl_flush(o->on, o->on->device->queue);
}

/* product_long - make the product with transfers in queues of their own. */
static enum gfmul_status product_long(const struct overlap *o, struct parts *p)
{
    struct ocl_device *d = o->on->device;
    pthread_mutex_lock(&d->up.lock);
    enum gfmul_status status = operands_upload(o, p);
    pthread_mutex_unlock(&d->up.lock);
    TRY(status);
    ocl_device_lock(d);
    status = ocl_pipeline_begin(o->on, o->work);
    ocl_device_unlock(d);
    TRY(status);
    for (unsigned i = 0; i < 2; i++) {
        if (p->up[i].number.words)
            TRY(operand_forward(o, &p->up[i]));
    }
    ocl_device_lock(d);
    status = product_end(o, p);
    ocl_device_unlock(d);
    TRY(status);
    return o->ends->z_to ? product_fetch(o, &p->down) : GFMUL_OK;
}

/* product_start - start the product in one queue or in several; its own events are released. */
static enum gfmul_status product_start(const struct overlap *o)
{
    const struct ocl_ends *e = o->ends;
    struct ocl_device *d = o->on->device;
    const size_t words = (size_t)(e->a_from ? e->a.n_words : 0) + (e->b_from ? e->b.n_words : 0) + (e->z_to ? e->z.n_words : 0);
    enum gfmul_status status;
    if (4 * words <= d->overlap_short || !ocl_pipeline_apart(o->pipeline)) {
        ocl_device_lock(d);
        status = product_short(o);
        ocl_device_unlock(d);
        return status;
    }
    const bool a_first = e->b.words && e->a.n_words < e->b.n_words;
    struct parts p;
    memset(&p, 0, sizeof p);
    p.up[!a_first] = (struct upload){.number = e->a, .from = e->a_from, .operand = 0};
    p.up[a_first] = (struct upload){.number = e->b, .from = e->b_from, .operand = 1};
    status = product_long(o, &p);
    for (unsigned i = 0; i < PARTS_MAX; i++) {
        const cl_event event[4] = {p.up[0].event[i], p.up[1].event[i], p.down.packed[i], p.down.read[i]};
        for (unsigned k = 0; k < 4; k++) {
            if (event[k])
                clReleaseEvent(event[k]);
        }
    }
    return status;
}

enum gfmul_status ocl_overlap_mul(const struct ocl_call *on, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                  const struct ocl_ends *ends, struct ocl_readback *readback, cl_event *done)
{
    *done = NULL;
    memset(readback, 0, sizeof *readback);
    if (ends->arrived)
        ends->arrived(ends->arg, 0);
    const enum gfmul_status status = product_start(&(struct overlap){on, pipeline, work, ends, readback, done});
    if (status != GFMUL_OK) {
        ocl_drain(on->device);
        ocl_readback_end(on->device, readback);
        if (*done)
            clReleaseEvent(*done);
        *done = NULL;
    }
    return status;
}

enum gfmul_status ocl_overlap_wait(const struct ocl_call *on, const struct ocl_ends *ends, cl_event done)
{
    const enum gfmul_status status = event_wait(on, ends, done, "a product's transfer");
    clReleaseEvent(done);
    if (status != GFMUL_OK)
        ocl_drain(on->device);
    else if (ends->z_to)
        came_down(ends, 0, ends->z.n_words);
    return status;
}
