/*
 * space_device_sum.c - sums of products in a space on an OpenCL device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A sum is made by the kernels of a product's plan: a forward transform for each factor that has none, two by two,
 * spectrum_mul_add for each block of products, one way back.  The plan is proved for the digits of all numbers, so norms need not
 * be measured, and commands follow each other without a wait up to the end of the sum.
 *
 * The way back gives a value as space_device_value.c wants it.  A negative one is negated in words.  A sum of more products than
 * the plan has is made in parts, whose values are added.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "mul/ctx_device.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_words.h"
#include "space/space_device_state.h"
#include "space/space_sum.h"

/* A factor of a sum, and its transform. */
struct factor {
    struct natural *x;
    size_t count;    /* of its places in the sum */
    cl_mem spectrum; /* NULL: it passes, and has none now */
    bool passes;     /* its transform is made where it is needed, and not kept */
    bool fresh;      /* its transform is made for this sum, and then kept .. */
    bool made;       /* .. and is there */
};

/* Memory for the limbs of factors that are uploaded, one after another. */
struct upload {
    cl_mem m;
    cl_event read; /* the end of the transform that reads it; NULL: there is none */
};

enum { UPLOADS = 2 }; /* one is filled while the other is read */

/* All that a sum holds on the device, and on the host. */
struct work {
    struct call *call;
    struct gfmul_space *space;
    const struct space_device *on;
    struct ocl_call ocl;
    const struct term **term; /* the long ones */
    struct factor *factor;    /* in the order of their addresses */
    size_t n, n_factors;
    size_t n_minus;                 /* products that are subtracted; those of which there are fewer */
    bool flipped;                   /* it is the negated sum that is made */
    size_t upload_limbs, n_uploads; /* of the longest factor that has to be uploaded; at most so many uploads, and those made */
    size_t n_uploaded;
    size_t n_words; /* new transforms of factors that have words */
    double from, to; /* the shares of the sum's terms before this part, and with it */
    struct pipeline_lease lease;
    struct upload upload[UPLOADS];
    cl_mem total, spare[2 * PLAN_SUM_BLOCK];
    bool alone;             /* factors are transformed one by one, because memory is short */
    cl_mem pair;            /* points of the second of two factors; NULL: there are no two, or they are transformed alone */
    unsigned n_spare, used; /* transforms of factors that pass: places, and those in use by this block */
    struct ocl_words words; /* negate the sum; if products are subtracted */
    struct device_made made;
    struct ocl_readback figures; /* of the last way back */
    size_t bytes;                /* that it gives back at the end; 0: it is not in flight */
    bool refused;                /* for want of memory there */
    struct ocl_profile profile;
};

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct factor *)a)->x, y = (uintptr_t)((const struct factor *)b)->x;
    return (x > y) - (x < y);
}

static struct factor *factor_of(const struct work *w, struct natural *x)
{
    return bsearch(&(struct factor){.x = x}, w->factor, w->n_factors, sizeof *w->factor, by_address);
}

/* is_minus - whether its product is subtracted. */
static bool is_minus(const struct work *w, const struct term *t)
{
    return t->minus != w->flipped;
}

/* work_list - the long products of s from term `first` on, as many as the plan has, and their factors.   first out: the next */
static void work_list(struct work *w, const struct sum *s, size_t *first)
{
    size_t n = 0;
    for (; *first < s->n && w->n < w->on->products; ++*first) {
        const struct term *t = &s->term[*first];
        if (!term_is_long(w->space, t))
            continue;
        w->term[w->n++] = t;
        w->n_minus += t->minus;
        w->factor[n++] = (struct factor){.x = t->a};
        w->factor[n++] = (struct factor){.x = t->b};
        if (t->a->n + t->b->n >= w->made.n_limbs)
            w->made.n_limbs = t->a->n + t->b->n + 1; /* a limb for its sign, and for the sum of less than 2^63 products */
    }
    w->flipped = w->n_minus > w->n / 2;
    if (w->flipped)
        w->n_minus = w->n - w->n_minus;
    if (w->made.n_limbs > w->space->limbs + 1)
        w->made.n_limbs = w->space->limbs + 1; /* products are at most SPACE_SPARE_BITS longer than results */
    qsort(w->factor, n, sizeof *w->factor, by_address);
    for (size_t i = 0; i < n; i++) {
        struct natural *const x = w->factor[i].x; /* n_factors <= i */
        if (w->n_factors == 0 || w->factor[w->n_factors - 1].x != x)
            w->factor[w->n_factors++] = (struct factor){.x = x};
        w->factor[w->n_factors - 1].count++;
    }
}

/* factors_look - which transforms are there.   most in: so many new ones are kept, of factors that spectra hold or that occur
   twice */
static void factors_look(struct work *w, size_t most)
{
    size_t passing = 0, fresh = 0;
    w->upload_limbs = w->n_uploads = w->n_words = 0;
    for (size_t i = 0; i < w->n_factors; i++) {
        struct factor *f = &w->factor[i];
        f->spectrum = atomic_load(&f->x->spectrum);
        f->passes = !f->spectrum && (fresh >= most || (f->count == 1 && atomic_load(&f->x->holders) == 0));
        f->fresh = !f->spectrum && !f->passes;
        passing += f->passes;
        fresh += f->fresh;
        w->n_words += !f->spectrum && f->x->words;
        if (f->spectrum || f->x->words)
            continue;
        w->n_uploads += f->passes ? f->count : 1; /* each block that it is in uploads it again */
        if (f->x->n > w->upload_limbs)
            w->upload_limbs = f->x->n;
    }
    w->n_spare = passing < 2 * PLAN_SUM_BLOCK ? (unsigned)passing : 2 * PLAN_SUM_BLOCK;
}

/* take - a buffer that is counted. */
static enum gfmul_status take(struct work *w, size_t bytes, cl_mem *m)
{
    w->bytes += bytes;
    return ocl_buffer_get(&w->ocl, bytes, m);
}

static enum gfmul_status buffers_take(struct work *w)
{
    const struct space_device *on = w->on;
    const size_t points = device_spectrum_bytes(w->space);
    w->bytes = 0;
    TRY(device_store_lease(w->call, on->store, &on->shape, &w->lease));
    TRY(ocl_pipeline_need(&w->ocl, w->lease.pipeline, OCL_KERNELS_KEEP));
    TRY(ocl_pipeline_need(&w->ocl, w->lease.pipeline, OCL_KERNELS_SUM));
    TRY(take(w, w->made.n_limbs * sizeof(mp_limb_t), &w->made.words));
    TRY(take(w, points, &w->total));
    if (w->n_minus > 0) {
        TRY(ocl_pipeline_need(&w->ocl, w->lease.pipeline, OCL_KERNELS_MINUS));
        TRY(ocl_words_get(&w->ocl, &w->words, 2 * w->made.n_limbs));
        w->bytes += ocl_words_bytes(2 * w->made.n_limbs);
    }
    if (w->n_words > 1 && !w->alone)
        TRY(take(w, points, &w->pair));
    for (unsigned i = 0; i < UPLOADS && i < w->n_uploads; i++)
        TRY(take(w, w->upload_limbs * sizeof(mp_limb_t), &w->upload[i].m));
    for (unsigned i = 0; i < w->n_spare; i++)
        TRY(take(w, points, &w->spare[i]));
    for (size_t i = 0; i < w->n_factors; i++)
        if (w->factor[i].fresh)
            TRY(take(w, points, &w->factor[i].spectrum));
    return GFMUL_OK;
}

static void put(struct work *w, cl_mem *m)
{
    ocl_buffer_put(w->on->d, *m);
    *m = NULL;
}

static void readbacks_end(struct work *w)
{
    ocl_readback_end(w->on->d, &w->made.highest);
    ocl_readback_end(w->on->d, &w->figures);
}

/* buffers_put - give back what the sum holds.   spare in: true: the pipeline's stay for the next one.   With the lock. */
static void buffers_put(struct work *w, bool spare)
{
    readbacks_end(w);
    for (size_t i = 0; i < w->n_factors; i++)
        if (w->factor[i].fresh)
            put(w, &w->factor[i].spectrum);
    for (unsigned i = 0; i < 2 * PLAN_SUM_BLOCK; i++)
        put(w, &w->spare[i]);
    for (unsigned i = 0; i < UPLOADS; i++) {
        (void)ocl_event_end(OCL_ON(w->on->d, NULL), &w->upload[i].read, "a transform");
        put(w, &w->upload[i].m);
    }
    put(w, &w->pair);
    ocl_words_put(w->on->d, &w->words);
    put(w, &w->total);
    put(w, &w->made.words);
    device_store_return(w->on->store, &w->lease, spare);
}

/* all_take - all buffers, or none.   With the lock. */
static enum gfmul_status all_take(void *arg)
{
    struct work *w = arg;
    const enum gfmul_status status = buffers_take(w);
    if (status != GFMUL_OK)
        buffers_put(w, false);
    return status;
}

/* may_keep - how many new transforms there is room for, about, beside a block's of this sum or another one.   With the lock. */
static size_t may_keep(const struct work *w)
{
    const size_t room = ocl_buffer_room(w->on->d) / device_spectrum_bytes(w->space), others = 2 * PLAN_SUM_BLOCK + 6;
    return room > others ? room - others : 0;
}

/* work_try - take what the sum needs on the device, and keep at most so many new transforms.   With the lock. */
static enum gfmul_status work_try(struct work *w, size_t most)
{
    w->call->why[0] = '\0'; /* an earlier failure was not final */
    factors_look(w, most);
    return device_store_take(w->call, w->on->store, &w->on->shape, all_take, w, &w->refused);
}

/* work_take - take what the sum needs on the device.  If memory is short, no transforms are kept, and each is made alone. */
static enum gfmul_status work_take(struct work *w)
{
    struct ocl_device *d = w->on->d;
    ocl_device_lock(d);
    enum gfmul_status status = work_try(w, may_keep(w));
    w->alone = w->refused;
    if (w->refused && !ocl_device_lost(d)) {
        ocl_buffer_trim(d); /* blocks of the pool may be twice as large as needed */
        status = work_try(w, 0);
    }
    w->refused = w->refused && !ocl_device_lost(d);
    if (status == GFMUL_OK) {
        w->bytes += w->lease.work.bytes;
        ocl_device_depart(d, w->bytes);
    } else {
        w->bytes = 0;
        ocl_device_unlock(d);
    }
    return status;
}

/* factor_upload - start the upload of a factor's limbs.   from, done out: where to, and its end, to be released */
static enum gfmul_status factor_upload(struct work *w, const struct natural *x, struct upload **from, cl_event *done)
{
    struct upload *to = &w->upload[w->n_uploaded++ % UPLOADS];
    *from = to;
    TRY(ocl_event_end(&w->ocl, &to->read, "a transform"));
    return ocl_upload_start(&w->ocl, device_limbs(to->m, 0, x->n), x->limbs, w->call->threads, OCL_AT_ONCE, done);
}

/* factor_wants - whether a factor's transform has to be made now; it gets a place, if it passes. */
static bool factor_wants(struct work *w, struct factor *f)
{
    if (f->made || (f->spectrum && !f->fresh))
        return false;
    if (f->passes)
        f->spectrum = w->spare[w->used++];
    return f->made = true;
}

/* uploaded_enqueue - enqueue the transform of a factor whose limbs are on their way.   With the lock. */
static enum gfmul_status uploaded_enqueue(struct work *w, struct factor *f, struct upload *from, cl_event uploaded)
{
    const struct ocl_transform x = {{from->m, (uint32_t)(2 * f->x->n)}, w->lease.work.x, f->spectrum};
    if (uploaded)
        TRY(ocl_after(&w->ocl, uploaded));
    TRY(ocl_pipeline_spectra(&w->ocl, w->lease.pipeline, &w->lease.work, &x, 1));
    return ocl_mark(&w->ocl, &from->read);
}

/* factor_transform - upload a factor, and enqueue its transform.  Nobody waits for the copies. */
static enum gfmul_status factor_transform(struct work *w, struct factor *f)
{
    struct upload *from;
    cl_event uploaded = NULL;
    TRY(factor_upload(w, f->x, &from, &uploaded));
    ocl_device_lock(w->on->d);
    const enum gfmul_status status = uploaded_enqueue(w, f, from, uploaded);
    ocl_device_unlock(w->on->d);
    if (uploaded)
        clReleaseEvent(uploaded);
    return status;
}

/* factors_enqueue - enqueue the transforms of n factors that have words, two in a launch if there is room.   With the lock. */
static enum gfmul_status factors_enqueue(struct work *w, struct factor *const *f, unsigned n)
{
    const cl_mem points[2] = {w->lease.work.x, w->pair};
    for (unsigned i = 0, k; i < n; i += k) {
        struct ocl_transform x[2];
        for (k = 0; k < (w->pair ? 2 : 1) && i + k < n; k++)
            x[k] = (struct ocl_transform){{f[i + k]->x->words, (uint32_t)(2 * f[i + k]->x->n)}, points[k], f[i + k]->spectrum};
        TRY(ocl_pipeline_spectra(&w->ocl, w->lease.pipeline, &w->lease.work, x, k));
    }
    return GFMUL_OK;
}

/* A block of a sum: its products, and the factors that have words, but no transform. */
struct block {
    struct ocl_product product[PLAN_SUM_BLOCK];
    struct factor *fresh[2 * PLAN_SUM_BLOCK];
    unsigned n, n_fresh;
};

/* block_enqueue - enqueue a block.   made out: NULL, or its end, to be released.   With the lock. */
static enum gfmul_status block_enqueue(struct work *w, const struct block *b, bool add, cl_event *made)
{
    TRY(factors_enqueue(w, b->fresh, b->n_fresh));
    TRY(ocl_pipeline_mul_add(&w->ocl, w->lease.pipeline, w->total, b->product, b->n, add));
    return w->call->monitor ? ocl_mark(&w->ocl, made) : ocl_flush(&w->ocl, ocl_device_queue(w->on->d));
}

/* block_add - enqueue products first .. end - 1 of the sum, a block.   made out: as block_enqueue */
static enum gfmul_status block_add(struct work *w, size_t first, size_t end, cl_event *made)
{
    struct block b = {.n = 0};
    *made = NULL;
    for (size_t i = first; i < end; i++) {
        const struct term *t = w->term[i];
        struct factor *const f[2] = {factor_of(w, t->a), factor_of(w, t->b)};
        for (unsigned k = 0; k < 2; k++) {
            if (!factor_wants(w, f[k]))
                continue;
            if (f[k]->x->words)
                b.fresh[b.n_fresh++] = f[k];
            else
                TRY(factor_transform(w, f[k]));
        }
        b.product[b.n++] = (struct ocl_product){f[0]->spectrum, f[1]->spectrum, is_minus(w, t)};
    }
    ocl_device_lock(w->on->d);
    const enum gfmul_status status = block_enqueue(w, &b, first > 0, made);
    ocl_device_unlock(w->on->d);
    return status;
}

/* block_end - the places of the factors that pass are free again. */
static void block_end(struct work *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct factor *const f[2] = {factor_of(w, w->term[i]->a), factor_of(w, w->term[i]->b)};
        for (unsigned k = 0; k < 2; k++)
            if (f[k]->passes) {
                f[k]->spectrum = NULL;
                f[k]->made = false;
            }
    }
    w->used = 0;
}

/* tell - progress: `done` as if the part were the sum. */
static enum gfmul_status tell(const struct work *w, double done)
{
    return call_progress(w->call, w->from * SHARE_CARRY + (w->to - w->from) * done);
}

/* block_tell - wait for the block before product `end`, and tell that these products have been made.   made i/o: its end */
static enum gfmul_status block_tell(struct work *w, size_t end, cl_event *made)
{
    TRY(ocl_event_end(&w->ocl, made, "a block of a sum"));
    return tell(w, SHARE_SUM * (double)end / (double)w->n);
}

/* blocks_enqueue - blocks_add.   made i/o: the end of the last block, not yet told.  The device has one block to do meanwhile. */
static enum gfmul_status blocks_enqueue(struct work *w, cl_event *made)
{
    for (size_t first = 0, end; first < w->n; first = end) {
        cl_event next;
        end = w->n - first < PLAN_SUM_BLOCK ? w->n : first + PLAN_SUM_BLOCK;
        TRY(block_add(w, first, end, &next));
        block_end(w, first, end);
        const enum gfmul_status status = block_tell(w, first, made);
        *made = next;
        TRY(status);
    }
    return block_tell(w, w->n, made);
}

/* blocks_add - the spectrum of the sum. */
static enum gfmul_status blocks_add(struct work *w)
{
    cl_event made = NULL;
    const enum gfmul_status status = blocks_enqueue(w, &made);
    (void)ocl_event_end(OCL_ON(w->on->d, NULL), &made, "a block of a sum"); /* after an error */
    return status;
}

/* back_enqueue - enqueue the way back of the sum.   With the lock. */
static enum gfmul_status back_enqueue(struct work *w)
{
    const struct ocl_number z = {w->made.words, (uint32_t)(2 * w->made.n_limbs)};
    const struct plan_shape *s = &w->on->shape; /* the pipeline's may be of a shorter space */
    const size_t digits = s->digits.an < s->digits.bn ? s->digits.an : s->digits.bn;
    TRY(ocl_pipeline_begin(&w->ocl, &w->lease.work));
    TRY(ocl_pipeline_rows_back(&w->ocl, w->lease.pipeline, &w->lease.work, w->total));
    TRY(ocl_pipeline_value(&w->ocl, w->lease.pipeline, &w->lease.work, z, w->n_minus * digits));
    readbacks_end(w);
    TRY(ocl_pipeline_figures_start(&w->ocl, &w->lease.work, &w->figures));
    TRY(device_made_start(&w->ocl, &w->made));
    return ocl_flush(&w->ocl, ocl_device_queue(w->on->d));
}

/* back - the value as two's complement, proved, and its highest limbs. */
static enum gfmul_status back(struct work *w)
{
    struct plan_figures figures;
    ocl_device_lock(w->on->d);
    const enum gfmul_status status = back_enqueue(w);
    ocl_device_unlock(w->on->d);
    TRY(status);
    TRY(ocl_pipeline_figures_wait(&w->ocl, w->lease.pipeline, &w->figures, &figures));
    if (!call_judge(w->call, &w->on->shape, &figures, 0))
        return call_fail(w->call, GFMUL_ERR_VERIFY, "a sum is further from integers than its bound");
    return device_made_wait(&w->ocl, &w->made);
}

/* negate_enqueue - enqueue the negation of a value, which lies in the place of the spectrum meanwhile.   With the lock. */
static enum gfmul_status negate_enqueue(struct work *w)
{
    const size_t n = w->made.n_limbs;
    const struct ocl_number z = {w->made.words, (uint32_t)(2 * n)}, x = {w->total, z.n_words}, none = {w->total, 0};
    TRY(ocl_copy(&w->ocl, device_limbs(w->total, 0, n), w->made.words));
    TRY(ocl_words_sum(&w->ocl, &w->words, z, (struct ocl_multiple){x, -1}, (struct ocl_multiple){none, 0}));
    TRY(device_made_start(&w->ocl, &w->made));
    return ocl_flush(&w->ocl, ocl_device_queue(w->on->d));
}

/* negate - the magnitude of a negative value. */
static enum gfmul_status negate(struct work *w)
{
    if (w->n_minus == 0)
        return call_fail(w->call, GFMUL_ERR_VERIFY, "a sum of products is negative");
    ocl_device_lock(w->on->d);
    const enum gfmul_status status = negate_enqueue(w);
    ocl_device_unlock(w->on->d);
    TRY(status);
    return device_made_wait(&w->ocl, &w->made);
}

/* work_run - make the sum, not negative. */
static enum gfmul_status work_run(struct work *w)
{
    TRY(blocks_add(w));
    TRY(back(w));
    w->made.negative = device_made_sign(&w->made);
    if (w->made.negative)
        TRY(negate(w));
    return tell(w, SHARE_CARRY);
}

/* factors_keep - the new transforms are there; each becomes its number's, unless another thread was faster. */
static void factors_keep(struct work *w)
{
    for (size_t i = 0; i < w->n_factors; i++) {
        struct factor *f = &w->factor[i];
        void *none = NULL;
        if (!f->fresh || !atomic_compare_exchange_strong(&f->x->spectrum, &none, (void *)f->spectrum))
            continue;
        device_memory_count(w->space, f->spectrum);
        f->fresh = false;
    }
}

/* sum_residues - the residues of the magnitude of the long products' sum. */
static void sum_residues(const struct work *w, struct device_value *v)
{
    for (unsigned k = 0; k < w->space->n_residues; k++) {
        const uint64_t p = w->call->moduli[k].p;
        uint64_t r = 0;
        for (size_t i = 0; i < w->n; i++) {
            const struct term *t = w->term[i];
            const uint64_t product = residue_mul(t->a->residue[k], t->b->residue[k], p);
            r = (r + (is_minus(w, t) != w->made.negative ? p - product : product)) % p;
        }
        v->residue[k] = r;
    }
}

/* work_end - wait for what is enqueued, if the sum failed; give all back. */
static void work_end(struct work *w, enum gfmul_status status)
{
    struct ocl_device *d = w->on->d;
    ocl_profile_drop(&w->profile);
    if (status != GFMUL_OK) {
        ocl_drain(d); /* no enqueued command may still use the buffers when they go back */
        w->lease.work.cleared = false;
        if (ocl_device_lost(d))
            ctx_device_failed(w->call->ctx, d, w->call->why);
    }
    ocl_device_lock(d);
    buffers_put(w, true);
    ocl_device_arrive(d, w->bytes);
}

/* work_taken - make the sum with what it needs on the device. */
static enum gfmul_status work_taken(struct work *w, struct device_value *v)
{
    const unsigned before = ocl_buffer_refused(w->on->d);
    enum gfmul_status status = work_run(w);
    sum_residues(w, v);
    if (status == GFMUL_OK)
        status = device_made_value(w->call, &w->ocl, &w->made, v);
    v->negative = v->words && w->made.negative != w->flipped;
    if (status == GFMUL_OK)
        status = device_profile_end(w->call, &w->ocl);
    if (status == GFMUL_OK)
        factors_keep(w);
    w->refused = device_store_refused(w->on->store, before, status); /* the check of the value needs some, too */
    work_end(w, status);
    if (status != GFMUL_OK)
        device_value_drop(v);
    return status;
}

/* work_make - device_sum with its memory on the host.  Other products see that the device is busy. */
static enum gfmul_status work_make(struct work *w, struct device_value *v)
{
    struct gfmul_report *report = &w->call->report;
    struct gfmul_plan_info *info = &report->plan;
    plan_info_from_shape(info, &w->on->shape, "");
    info->engine = engine_opencl.name;
    info->device = ocl_device_info(w->on->d)->name;
    info->threads = w->call->threads;
    const unsigned place = ctx_device_enter(w->call->ctx, w->on->d, w->made.n_limbs);
    const enum phase phase = phase_enter(&w->call->clock, PHASE_TRANSFORM);
    enum gfmul_status status = work_take(w);
    if (status == GFMUL_OK)
        status = work_taken(w, v);
    phase_enter(&w->call->clock, phase);
    ctx_device_leave(w->call->ctx, w->on->d, w->made.n_limbs);
    if (status == GFMUL_OK) {
        report->device_place = place;
        report->n_devices = 1;
    }
    return status;
}

/* part_sum - device_sum of a part, as work_list has it. */
static enum gfmul_status part_sum(struct call *call, struct gfmul_space *space, const struct sum *s, size_t *first,
                                  struct device_value *v, bool *made)
{
    void *room;
    *v = (struct device_value){.space = space};
    *made = false;
    TRY(ctx_buffer_get(call, s->n * (sizeof(struct term *) + 2 * sizeof(struct factor)), &room));
    struct work *w = alloc_zeroed(sizeof *w);
    if (!w) {
        ctx_buffer_put(call, room);
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a sum");
    }
    w->call = call;
    w->space = space;
    w->on = space->device;
    w->ocl = device_profile_begin(call, space->device, &w->profile);
    w->factor = room;
    w->term = (const struct term **)(w->factor + 2 * s->n);
    w->from = (double)*first / (double)s->n;
    work_list(w, s, first);
    w->to = (double)*first / (double)s->n;
    enum gfmul_status status = w->n > 0 ? work_make(w, v) : GFMUL_OK;
    *made = status == GFMUL_OK;
    if (w->refused) {
        call->why[0] = '\0';
        status = GFMUL_OK;
    }
    alloc_free(w);
    ctx_buffer_put(call, room);
    return status;
}

enum gfmul_status device_sum(struct call *call, struct gfmul_space *space, const struct sum *s, struct device_value *v,
                             bool *made)
{
    size_t first = 0;
    TRY(part_sum(call, space, s, &first, v, made));
    while (*made && first < s->n) {
        struct device_value part;
        const enum gfmul_status status = part_sum(call, space, s, &first, &part, made);
        if (status != GFMUL_OK || !*made) {
            device_value_drop(v);
            return status;
        }
        TRY(device_values_add(call, v, &part, made));
    }
    return GFMUL_OK;
}
