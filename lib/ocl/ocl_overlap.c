/*
 * ocl_overlap.c - a product from and to pinned host memory: transfers beside the kernels.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_overlap.h"

#ifdef HAVE_OPENCL
#include <string.h>

#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h"

enum { PARTS_MAX = 8 };

/* One product being enqueued. */
struct overlap {
    struct ocl_device *d;
    struct ocl_pipeline *pipeline;
    struct ocl_work *work;
    const struct ocl_ends *ends;
    struct ocl_profile *profile;
    char *detail;
};

/* write - words of a number, from the host's at `from`; without an event where that is NULL. */
static enum gfmul_status write(const struct overlap *o, cl_command_queue queue, struct ocl_number number, const void *from,
                               size_t word, size_t end, cl_event *event)
{
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(queue, number.words, CL_FALSE, 4 * word, 4 * (end - word), (const char *)from + 4 * word, 0,
                                    NULL, event);
    return ocl_status(o->d, code, "clEnqueueWriteBuffer", o->detail);
}

/* write_rows - the words from `word` (-1: the one before the row) to `end` of `rows` rows, from row `first` on. */
static enum gfmul_status write_rows(const struct overlap *o, struct ocl_number number, const void *from, size_t row_words,
                                    size_t first, size_t rows, ptrdiff_t word, size_t end)
{
    const size_t origin[3] = {4 * (size_t)((ptrdiff_t)(first * row_words) + word), 0, 0},
                 region[3] = {4 * (size_t)((ptrdiff_t)end - word), rows, 1}, pitch = 4 * row_words;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (rows == 0)
        return GFMUL_OK;
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBufferRect(o->d->up.queue, number.words, CL_FALSE, origin, origin, region, pitch, 0, pitch, 0, from,
                                        0, NULL, NULL);
    return ocl_status(o->d, code, "clEnqueueWriteBufferRect", o->detail);
}

/*
 * block_write - the words from `word` to `end` of each row of an operand, with an event behind them.
 * Digits begin one bit below their columns: those of the first column need the last word of the row before,
 * and one behind the last row, where that is full, the number's last word.
 */
static enum gfmul_status block_write(const struct overlap *o, struct ocl_number number, const void *from, size_t row_words,
                                     size_t word, size_t end, cl_event *event)
{
    const size_t rows = number.n_words / row_words, rest = number.n_words % row_words, last = rest < end ? rest : end;
    const size_t before = word == 0; /* words more, in all rows but the first */
    const ptrdiff_t begin = (ptrdiff_t)word - (ptrdiff_t)before;
    enum gfmul_status status = GFMUL_OK;
    if (before == 1 && rows > 0) {
        status = write(o, o->d->up.queue, number, from, 0, end, NULL);
        if (status == GFMUL_OK)
            status = write_rows(o, number, from, row_words, 1, rows - 1, begin, end);
    } else if (before == 0) {
        status = write_rows(o, number, from, row_words, 0, rows, begin, end);
    }
    const size_t row = rows * row_words, more = rows > 0 ? before : 0;
    if (status == GFMUL_OK && rest + more > word)
        status = write(o, o->d->up.queue, number, from, row + word - more, row + last, NULL);
    if (status == GFMUL_OK)
        status = ocl_status(o->d, clEnqueueMarkerWithWaitList(o->d->up.queue, 0, NULL, event), "clEnqueueMarkerWithWaitList",
                            o->detail);
    return status == GFMUL_OK ? ocl_status(o->d, clFlush(o->d->up.queue), "clFlush", o->detail) : status;
}

/* parts_of - into how many parts so many bytes are cut. */
static unsigned parts_of(const struct overlap *o, size_t bytes, size_t most)
{
    const size_t parts = bytes / o->d->overlap_block;
    most = most < PARTS_MAX ? most : PARTS_MAX;
    return parts <= 1 ? 1 : parts < most ? (unsigned)parts : (unsigned)most;
}

static enum gfmul_status flush(const struct overlap *o, cl_command_queue queue)
{
    return ocl_status(o->d, clFlush(queue), "clFlush", o->detail);
}

/* An operand on its way, in blocks of columns or whole. */
struct upload {
    unsigned parts;
    cl_event event[PARTS_MAX]; /* NULL: nothing to wait for */
};

/* operand_upload - enqueue an operand's way; from NULL: it is there.   Before any kernel, so that the bus starts at once. */
static enum gfmul_status operand_upload(const struct overlap *o, struct ocl_number number, const void *from, bool in_blocks,
                                        struct upload *up)
{
    const size_t row_words = ocl_pipeline_row_words(o->pipeline), columns = ocl_pipeline_source_column(o->pipeline, 1, 1);
    enum gfmul_status status = GFMUL_OK;
    up->parts = from && in_blocks ? parts_of(o, 4 * (size_t)number.n_words, columns / 32) : 1;
    if (from && up->parts == 1) {
        status = write(o, o->d->up.queue, number, from, 0, number.n_words, &up->event[0]);
        return status == GFMUL_OK ? flush(o, o->d->up.queue) : status;
    }
    for (unsigned i = 0; i < up->parts && from && status == GFMUL_OK; i++) {
        const size_t first = ocl_pipeline_source_column(o->pipeline, i, up->parts),
                     end = ocl_pipeline_source_column(o->pipeline, i + 1, up->parts);
        if (first < end)
            status =
                block_write(o, number, from, row_words, first * row_words / columns, end * row_words / columns, &up->event[i]);
    }
    return status;
}

static bool event_over(cl_event event)
{
    cl_int state = CL_COMPLETE;
    return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) != CL_SUCCESS ||
           state <= CL_COMPLETE;
}

/* event_wait - the end of a command, also of one that failed; the host's work is done meanwhile. */
static enum gfmul_status event_wait(struct ocl_device *d, const struct ocl_ends *e, cl_event event, const char *what,
                                    char *detail)
{
    while (e->work && !event_over(event) && e->work(e->arg))
        continue;
    return ocl_event_wait(d, event, what, detail);
}

/*
 * operand_forward - passes of one operand over columns, each block's first pass as it comes.
 * The thread waits for the blocks, not the queue: a command that waits for another queue's blocks the thread that enqueues it
 * in some drivers, with the lock, and the kernels of other products would wait behind it in all of them.
 */
static enum gfmul_status operand_forward(const struct overlap *o, unsigned operand, struct ocl_number number,
                                         const struct upload *up)
{
    enum gfmul_status status = GFMUL_OK;
    for (unsigned i = 0; i < up->parts && status == GFMUL_OK; i++) {
        if (up->event[i])
            status = event_wait(o->d, o->ends, up->event[i], "an operand's transfer", o->detail);
        if (status != GFMUL_OK)
            break;
        ocl_device_lock(o->d);
        status = ocl_pipeline_source(o->pipeline, o->work, operand, number, ocl_pipeline_source_column(o->pipeline, i, up->parts),
                                     ocl_pipeline_source_column(o->pipeline, i + 1, up->parts), o->profile, o->detail);
        if (status == GFMUL_OK && i + 1 == up->parts)
            status = ocl_pipeline_columns(o->pipeline, o->work, operand, o->profile, o->detail);
        if (status == GFMUL_OK)
            status = flush(o, o->d->queue);
        ocl_device_unlock(o->d);
    }
    return status;
}

/* The slices of a product being packed. */
struct slices {
    unsigned n;
    cl_event packed[PARTS_MAX], read[PARTS_MAX]; /* NULL: an empty one */
    size_t word[PARTS_MAX + 1];
};

/* slice_read - enqueue the way down of a slice that is packed. */
static enum gfmul_status slice_read(const struct overlap *o, struct slices *s, unsigned i)
{
    const struct ocl_ends *e = o->ends;
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(o->d->down.queue, e->z.words, CL_FALSE, 4 * s->word[i], 4 * (s->word[i + 1] - s->word[i]),
                                   (char *)e->z_to + 4 * s->word[i], 0, NULL, &s->read[i]);
    const enum gfmul_status status = ocl_status(o->d, code, "clEnqueueReadBuffer", o->detail);
    return status == GFMUL_OK ? flush(o, o->d->down.queue) : status;
}

/* product_pack - enqueue the packing of a product slice by slice, then its figures.   With the lock. */
static enum gfmul_status product_pack(const struct overlap *o, struct slices *s, struct ocl_note *note)
{
    const struct ocl_number z = o->ends->z;
    enum gfmul_status status = GFMUL_OK;
    s->n = parts_of(o, 4 * (size_t)z.n_words, ocl_pipeline_slices_max(o->pipeline));
    for (unsigned i = 0; i < s->n && status == GFMUL_OK; i++) {
        const size_t next = ocl_pipeline_slice_word(o->pipeline, i + 1, s->n);
        s->word[i + 1] = i + 1 == s->n || next > z.n_words ? z.n_words : next;
        status = ocl_pipeline_limbs(o->pipeline, o->work, z, i, s->n, o->profile, o->detail);
        if (status == GFMUL_OK && s->word[i] < s->word[i + 1])
            status = ocl_mark(o->d, &s->packed[i], o->detail);
    }
    return status == GFMUL_OK ? ocl_pipeline_note(o->pipeline, o->work, note, o->detail) : status;
}

/* came_down - words of the product from `word` to `end` are in host memory, and all before them. */
static void came_down(const struct ocl_ends *e, size_t word, size_t end)
{
    if (e->z_to)
        ocl_fault_flipped((char *)e->z_to + 4 * word, 4 * (end - word));
    if (e->came)
        e->came(e->arg, end);
}

/* product_fetch - bring down each slice as soon as it is packed; who is told of them is, as they come.   Without the lock. */
static enum gfmul_status product_fetch(const struct overlap *o, struct slices *s, cl_event *done)
{
    const struct ocl_ends *e = o->ends;
    enum gfmul_status status = GFMUL_OK;
    cl_event last = NULL;
    for (unsigned i = 0; i < s->n && status == GFMUL_OK; i++) {
        if (!s->packed[i])
            continue;
        if ((status = event_wait(o->d, o->ends, s->packed[i], "a product's kernels", o->detail)) == GFMUL_OK)
            status = slice_read(o, s, i);
        last = s->read[i]; /* the queue is in order: the last one stands for all */
    }
    for (unsigned i = 0; i < s->n && status == GFMUL_OK && e->came; i++) {
        if (s->read[i] && (status = event_wait(o->d, o->ends, s->read[i], "a product's transfer", o->detail)) == GFMUL_OK)
            came_down(e, s->word[i], s->word[i + 1]);
    }
    if (status == GFMUL_OK)
        status = ocl_status(o->d, clRetainEvent(last), "clRetainEvent", o->detail);
    if (status == GFMUL_OK)
        *done = last;
    return status;
}

/* rows - the product of the spectra, and the passes back. */
static enum gfmul_status rows(const struct overlap *o)
{
    return o->ends->spectrum ? ocl_pipeline_rows_kept(o->pipeline, o->work, o->ends->spectrum, o->profile, o->detail)
                             : ocl_pipeline_rows(o->pipeline, o->work, o->profile, o->detail);
}

/* product_stay - all of the product at once, where it stays on the device, or goes down by the queue of the kernels. */
static enum gfmul_status product_stay(const struct overlap *o, struct ocl_note *note, cl_event *done)
{
    const struct ocl_ends *e = o->ends;
    enum gfmul_status status = ocl_pipeline_limbs(o->pipeline, o->work, e->z, 0, 1, o->profile, o->detail);
    if (status == GFMUL_OK)
        status = ocl_pipeline_note(o->pipeline, o->work, note, o->detail);
    if (status != GFMUL_OK)
        return status;
    if (!e->z_to) {
        status = ocl_status(o->d, clRetainEvent(note->event), "clRetainEvent", o->detail);
        if (status == GFMUL_OK)
            *done = note->event;
        return status;
    }
    cl_int code = ocl_fault(OCL_FAULT_TRANSFER);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(o->d->queue, e->z.words, CL_FALSE, 0, 4 * (size_t)e->z.n_words, e->z_to, 0, NULL, done);
    return ocl_status(o->d, code, "clEnqueueReadBuffer", o->detail);
}

/* product_short - all by one queue. */
static enum gfmul_status product_short(const struct overlap *o, struct ocl_note *note, cl_event *done)
{
    const struct ocl_ends *e = o->ends;
    enum gfmul_status status = GFMUL_OK;
    ocl_device_lock(o->d);
    if (e->a_from)
        status = write(o, o->d->queue, e->a, e->a_from, 0, e->a.n_words, NULL);
    if (status == GFMUL_OK && e->b_from && e->b.words)
        status = write(o, o->d->queue, e->b, e->b_from, 0, e->b.n_words, NULL);
    if (status == GFMUL_OK && (e->a_from || e->b_from))
        status = flush(o, o->d->queue); /* they start while the kernels are enqueued */
    if (status == GFMUL_OK)
        status = ocl_pipeline_forward(o->pipeline, o->work, e->a, e->b, o->profile, o->detail);
    if (status == GFMUL_OK)
        status = rows(o);
    if (status == GFMUL_OK)
        status = product_stay(o, note, done);
    if (status == GFMUL_OK)
        status = flush(o, o->d->queue);
    ocl_device_unlock(o->d);
    return status;
}

/* product_long - transfers in queues of their own. */
static enum gfmul_status product_long(const struct overlap *o, struct ocl_note *note, cl_event *done)
{
    const struct ocl_ends *e = o->ends;
    struct upload a, b;
    struct slices s;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    memset(&s, 0, sizeof s);
    /* the shorter one first: its passes hide behind the longer one's way */
    const bool a_first = e->b.words && e->a.n_words < e->b.n_words;
    struct upload *up[2] = {a_first ? &a : &b, a_first ? &b : &a};
    const struct ocl_number number[2] = {a_first ? e->a : e->b, a_first ? e->b : e->a};
    const void *from[2] = {a_first ? e->a_from : e->b_from, a_first ? e->b_from : e->a_from};
    enum gfmul_status status = GFMUL_OK;
    pthread_mutex_lock(&o->d->up.lock); /* operands of one product come one behind the other */
    for (unsigned i = 0; i < 2 && status == GFMUL_OK; i++) {
        if (number[i].words)
            status = operand_upload(o, number[i], from[i], i == 1, up[i]);
    }
    pthread_mutex_unlock(&o->d->up.lock);
    ocl_device_lock(o->d);
    if (status == GFMUL_OK)
        status = ocl_pipeline_begin(o->pipeline, o->work, o->detail);
    ocl_device_unlock(o->d);
    for (unsigned i = 0; i < 2 && status == GFMUL_OK; i++) {
        if (number[i].words)
            status = operand_forward(o, (i == 1) == a_first, number[i], up[i]);
    }
    ocl_device_lock(o->d);
    if (status == GFMUL_OK)
        status = rows(o);
    if (status == GFMUL_OK)
        status = e->z_to ? product_pack(o, &s, note) : product_stay(o, note, done);
    if (status == GFMUL_OK)
        status = flush(o, o->d->queue);
    ocl_device_unlock(o->d);
    if (status == GFMUL_OK && e->z_to)
        status = product_fetch(o, &s, done);
    for (unsigned i = 0; i < PARTS_MAX; i++) {
        const cl_event event[4] = {a.event[i], b.event[i], s.packed[i], s.read[i]};
        for (unsigned k = 0; k < 4; k++) {
            if (event[k])
                clReleaseEvent(event[k]);
        }
    }
    return status;
}

enum gfmul_status ocl_overlap_wait(struct ocl_device *d, const struct ocl_ends *ends, cl_event done, char *detail)
{
    enum gfmul_status status = event_wait(d, ends, done, "a product's transfer", detail);
    clReleaseEvent(done);
    if (status != GFMUL_OK)
        ocl_drain(d);
    else if (ends->z_to)
        came_down(ends, 0, ends->z.n_words);
    return status;
}

enum gfmul_status ocl_overlap_mul(struct ocl_device *d, struct ocl_pipeline *pipeline, struct ocl_work *work,
                                  const struct ocl_ends *ends, struct ocl_note *note, cl_event *done, struct ocl_profile *profile,
                                  char *detail)
{
    const struct overlap o = {d, pipeline, work, ends, profile, detail};
    const size_t words =
        (size_t)(ends->a_from ? ends->a.n_words : 0) + (ends->b_from ? ends->b.n_words : 0) + (ends->z_to ? ends->z.n_words : 0);
    *done = NULL;
    memset(note, 0, sizeof *note);
    if (ends->came)
        ends->came(ends->arg, 0);
    enum gfmul_status status = 4 * words <= d->overlap_short ? product_short(&o, note, done) : product_long(&o, note, done);
    if (status != GFMUL_OK) {
        ocl_drain(d);
        ocl_note_end(d, note);
        if (*done)
            clReleaseEvent(*done);
        *done = NULL;
    }
    return status;
}
#endif
