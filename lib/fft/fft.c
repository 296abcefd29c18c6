/*
 * fft.c - plans and calls of the plain FFT: checks, batches, real transforms, and the list of algorithms.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/overlap.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "base/threads.h"
#include "base/try.h"
#include "fft/fft.h"

/* Fewer points than these in a call are not worth a second thread. */
static const size_t parallel_points = 8192;

/* Workspaces up to this size are on the stack. */
enum { small_bytes = 32768, PARTS_A_THREAD = 4 };

void gfmul_fft_options_init(struct gfmul_fft_options *opt)
{
    if (opt == NULL)
        return;
    memset(opt, 0, sizeof *opt);
    opt->struct_bytes = sizeof *opt;
    opt->batch = 1;
}

const struct gfmul_fft_algorithm *gfmul_fft_algorithm(size_t i)
{
    for (const struct fft_row *const *row = fft_rows; *row != NULL; row++, i--)
        if (i == 0)
            return &(*row)->about;
    return NULL;
}

static size_t frequency_count(const struct gfmul_fft *plan)
{
    return plan->type == GFMUL_FFT_REAL ? plan->n / 2 + 1 : plan->n;
}

/* bytes_of - bytes from the first to the last number of a batch; false if that overflows, or no memory is that large. */
static bool bytes_of(size_t *bytes, size_t batch, size_t dist, size_t count, size_t number_bytes)
{
    size_t numbers;
    return size_mul(&numbers, batch - 1, dist) && size_add(&numbers, numbers, count) && size_mul(bytes, numbers, number_bytes) &&
           (uint64_t)*bytes < (uint64_t)1 << 47;
}

static size_t time_bytes(const struct gfmul_fft *plan) /* per number */
{
    return plan->type == GFMUL_FFT_REAL ? plan->real_bytes : 2 * plan->real_bytes;
}

bool fft_names_device(const char *device)
{
    return device != NULL && strcmp(device, "auto") != 0 && strcmp(device, "cpu") != 0 && strcmp(device, "0") != 0;
}

/* row_create - make the row's part of a plan, if its batch fits into memory and does not overlap. */
static enum gfmul_status row_create(struct gfmul_fft *plan)
{
    const size_t n = plan->n, frequencies = frequency_count(plan);
    size_t bytes;
    if (n > SIZE_MAX / 64 / plan->real_bytes || !bytes_of(&bytes, plan->batch, plan->in_dist, n, time_bytes(plan)) ||
        !bytes_of(&bytes, plan->batch, plan->out_dist, frequencies, 2 * plan->real_bytes))
        return GFMUL_ERR_SIZE;
    if (plan->batch > 1 && (plan->in_dist < n || plan->out_dist < frequencies))
        return GFMUL_ERR_ARGUMENT; /* transforms of a batch would overlap */
    return plan->row->create(plan);
}

/* row_choose - the row that these options name, if it supports the request. */
static enum gfmul_status row_choose(const struct fft_row **result, const struct gfmul_fft_options *opt)
{
    const struct fft_row *row = NULL;
    const char *name = opt->algorithm != NULL ? opt->algorithm : "auto";
    if (strcmp(name, "auto") == 0 && (opt->cl_context != NULL || opt->cl_queue != NULL || fft_names_device(opt->device)))
        name = "opencl";
    for (const struct fft_row *const *r = fft_rows; *r != NULL; r++)
        if (strcmp((*r)->about.name, name) == 0)
            row = *r;
    if (row == NULL && strcmp(name, "opencl") == 0)
        return GFMUL_ERR_UNSUPPORTED; /* a build without it */
    if (row == NULL)
        return GFMUL_ERR_ARGUMENT;
    const bool dd = opt->precision == GFMUL_PRECISION_DD;
    if (dd && row != &fft_row_auto && strcmp(name, "opencl") != 0)
        return GFMUL_ERR_UNSUPPORTED;
    row = dd && row == &fft_row_auto ? &fft_row_dd : row;
    if (opt->twiddles != GFMUL_FFT_TWIDDLES_AUTO && !row->twiddles)
        return GFMUL_ERR_UNSUPPORTED;
    if (opt->order == GFMUL_FFT_PERMUTED && (row->frequency == NULL || opt->type != GFMUL_FFT_COMPLEX))
        return GFMUL_ERR_UNSUPPORTED;
    *result = row;
    return GFMUL_OK;
}

enum gfmul_status gfmul_fft_create(struct gfmul_fft **result, size_t n, const struct gfmul_fft_options *given)
{
    ROUND_TO_NEAREST;
    ROUND_LONG_DOUBLE; /* of the tables */
    struct gfmul_fft_options opt;
    if (result == NULL)
        return GFMUL_ERR_ARGUMENT;
    *result = NULL;
    gfmul_fft_options_init(&opt);
    if (given != NULL) {
        if (given->struct_bytes == 0 || given->struct_bytes > sizeof opt)
            return GFMUL_ERR_ARGUMENT;
        memcpy(&opt, given, given->struct_bytes);
    }
    if (n == 0 || opt.batch == 0 || (unsigned)opt.type > GFMUL_FFT_REAL || (unsigned)opt.precision > GFMUL_PRECISION_DD ||
        (unsigned)opt.memory > GFMUL_FFT_MEMORY_ALLOC_HOST || (unsigned)opt.order > GFMUL_FFT_PERMUTED ||
        (unsigned)opt.twiddles > GFMUL_FFT_TWIDDLES_NATIVE)
        return GFMUL_ERR_ARGUMENT;
    const struct fft_row *row;
    TRY(row_choose(&row, &opt));
    struct gfmul_fft *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return GFMUL_ERR_MEMORY;
    plan->n = n;
    plan->batch = opt.batch;
    plan->type = opt.type;
    plan->real_bytes = opt.precision == GFMUL_PRECISION_FLOAT ? sizeof(float)
                       : opt.precision == GFMUL_PRECISION_DD  ? 2 * sizeof(double)
                                                              : sizeof(double);
    plan->scale = opt.scale ? 1 / (double)n : 1;
    plan->permuted = opt.order == GFMUL_FFT_PERMUTED;
    plan->threads = opt.threads;
    plan->in_dist = opt.time_dist != 0 ? opt.time_dist : n;
    plan->out_dist = opt.frequency_dist != 0 ? opt.frequency_dist : frequency_count(plan);
    plan->row = row;
    plan->device = opt.device;
    plan->cl_context = opt.cl_context;
    plan->cl_queue = opt.cl_queue;
    plan->memory = opt.memory;
    plan->twiddles = opt.twiddles;
    plan->isa = fft_isa_select();
    plan->ops = plan->real_bytes == sizeof(float) ? plan->isa->of_float : plan->isa->of_double;
    plan->multiply = plan->ops->multiply;
    atomic_init(&plan->spare, NULL);
    const enum gfmul_status status = row_create(plan);
    if (status != GFMUL_OK) {
        gfmul_fft_destroy(plan);
        return status;
    }
    *result = plan;
    return GFMUL_OK;
}

void gfmul_fft_destroy(struct gfmul_fft *plan)
{
    if (plan == NULL)
        return;
    ROUND_TO_NEAREST; /* enqueued commands may still run in this call */
    if (plan->row->destroy != NULL)
        plan->row->destroy(plan);
    fft_complex_destroy(plan->complex);
    alloc_free(plan->roots);
    alloc_free(atomic_load(&plan->spare));
    free(plan);
}

static size_t thread_bytes(const struct gfmul_fft *plan)
{
    return plan->complex != NULL ? plan->complex->thread_bytes : 0;
}

/* A batch: transform b from in + b in_step to out + b out_step, in bytes. */
struct batch {
    char *out;
    const char *in;
    size_t out_step, in_step;
    bool backward;
};

static enum gfmul_status run_part(const struct gfmul_fft *plan, const struct batch *of, size_t first, size_t last, char *work,
                                  unsigned threads)
{
    for (size_t b = first; b < last; b++)
        TRY(plan->row->run(plan, of->out + b * of->out_step, of->in + b * of->in_step, of->backward, work, threads));
    return GFMUL_OK;
}

/* in_place_fits - does a transform fill the same places on both sides? */
static bool in_place_fits(const struct gfmul_fft *plan)
{
    return plan->batch == 1 || plan->in_dist * time_bytes(plan) == plan->out_dist * 2 * plan->real_bytes;
}

/* workspace_take - the spare workspace of a plan, or a new one if it is in use or too short; NULL: no memory. */
static struct fft_workspace *workspace_take(struct gfmul_fft *plan, size_t bytes)
{
    struct fft_workspace *workspace = atomic_exchange(&plan->spare, NULL);
    if (workspace != NULL && workspace->bytes >= bytes)
        return workspace;
    alloc_free(workspace);
    workspace = bytes <= SIZE_MAX - sizeof *workspace ? alloc_aligned(sizeof *workspace + bytes) : NULL;
    if (workspace != NULL)
        workspace->bytes = bytes;
    return workspace;
}

/* A batch whose transforms threads take; each has its own workspace. */
struct batch_work {
    const struct gfmul_fft *plan;
    const struct batch *of;
    char *work;
    size_t work_bytes;
    atomic_int status;
};

static void batch_run(void *arg, unsigned t, size_t first, size_t end)
{
    struct batch_work *const w = arg;
    const enum gfmul_status status = run_part(w->plan, w->of, first, end, w->work + t * w->work_bytes, 1);
    if (status != GFMUL_OK)
        atomic_store(&w->status, (int)status);
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward)
{
    if (plan == NULL || out == NULL || in == NULL)
        return GFMUL_ERR_ARGUMENT;
    const size_t aligned = plan->real_bytes < sizeof(double) ? plan->real_bytes : sizeof(double);
    if ((uintptr_t)out % aligned != 0 || (uintptr_t)in % aligned != 0)
        return GFMUL_ERR_ARGUMENT;
    const size_t time_step = plan->in_dist * time_bytes(plan), frequency_step = plan->out_dist * 2 * plan->real_bytes;
    const size_t in_step = backward ? frequency_step : time_step, out_step = backward ? time_step : frequency_step;
    const size_t time_all = (plan->batch - 1) * time_step + plan->n * time_bytes(plan);
    const size_t frequency_all = (plan->batch - 1) * frequency_step + frequency_count(plan) * 2 * plan->real_bytes;
    if (in == out ? !in_place_fits(plan)
                  : bytes_overlap(in, backward ? frequency_all : time_all, out, backward ? time_all : frequency_all))
        return GFMUL_ERR_OVERLAP;

    ROUND_TO_NEAREST;
    if (plan->row->run_batch != NULL)
        return plan->row->run_batch(plan, out, out_step, in, in_step, backward);

    /* threads share a batch, each with its own workspace; a single transform uses all threads */
    unsigned outer = 1, inner = 1;
    if (plan->n >= parallel_points / plan->batch) {
        unsigned threads = threads_available(plan->threads);
        outer = plan->batch == 1 ? 1 : threads < plan->batch ? threads : (unsigned)plan->batch;
        inner = outer > 1 ? 1 : threads;
    }
    size_t work_bytes = (plan->work_bytes + inner * thread_bytes(plan) + 63) / 64 * 64, bytes;
    if (!size_mul(&bytes, work_bytes, outer))
        return GFMUL_ERR_SIZE;
    const struct batch of = {out, in, out_step, in_step, backward};
    if (bytes <= small_bytes && outer == 1) { /* avoids both an allocation and an atomic exchange */
        _Alignas(64) char small[small_bytes];
        return run_part(plan, &of, 0, plan->batch, small, inner);
    }
    struct gfmul_fft *shared = (struct gfmul_fft *)(uintptr_t)plan; /* only its spare workspace changes, atomically */
    struct fft_workspace *workspace = workspace_take(shared, bytes);
    if (workspace == NULL)
        return GFMUL_ERR_MEMORY;
    char *work = workspace->memory;
    enum gfmul_status status = GFMUL_OK;
    if (outer == 1) {
        status = run_part(plan, &of, 0, plan->batch, work, inner);
    } else {
        struct batch_work w = {plan, &of, work, work_bytes, GFMUL_OK};
        const size_t at_once = plan->batch / outer / PARTS_A_THREAD;
        parallel_for(outer, plan->batch, at_once > 0 ? at_once : 1, batch_run, &w);
        status = (enum gfmul_status)atomic_load(&w.status);
    }
    alloc_free(atomic_exchange(&shared->spare, workspace));
    return status;
}

enum gfmul_status gfmul_fft_forward(const struct gfmul_fft *plan, void *out, const void *in)
{
    return run(plan, out, in, false);
}

enum gfmul_status gfmul_fft_backward(const struct gfmul_fft *plan, void *out, const void *in)
{
    return run(plan, out, in, true);
}

enum gfmul_status gfmul_fft_enqueue(const struct gfmul_fft *plan, int backward, void *out, void *in)
{
    if (plan == NULL || out == NULL || in == NULL)
        return GFMUL_ERR_ARGUMENT;
    if (plan->row->enqueue == NULL)
        return GFMUL_ERR_UNSUPPORTED;
    if (in == out && !in_place_fits(plan))
        return GFMUL_ERR_OVERLAP;
    ROUND_TO_NEAREST;
    return plan->row->enqueue(plan, out, in, backward != 0);
}

enum gfmul_status gfmul_fft_finish(const struct gfmul_fft *plan)
{
    if (plan == NULL)
        return GFMUL_ERR_ARGUMENT;
    ROUND_TO_NEAREST; /* some drivers run commands here */
    return plan->row->finish != NULL ? plan->row->finish(plan) : GFMUL_OK;
}

void *gfmul_fft_queue(const struct gfmul_fft *plan)
{
    return plan != NULL && plan->row->queue != NULL ? plan->row->queue(plan) : NULL;
}

size_t gfmul_fft_frequency(const struct gfmul_fft *plan, size_t place)
{
    return plan != NULL && plan->permuted && place < plan->n ? plan->row->frequency(plan, place) : place;
}
