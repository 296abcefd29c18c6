/*
 * mul_async.c - products that run while the caller goes on, each in a thread of its own.
 *
 * On a device the thread waits most of the time, so transfers and kernels of several such products overlap.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "mul/mul.h"

struct gfmul_job {
    pthread_t thread;
    atomic_bool done;
    struct gfmul_ctx *ctx;
    struct limb_arguments of;
    unsigned threads; /* as many as the caller may use: the job's thread cannot see the caller's parallel region */
    struct gfmul_report report;
};

static void *job_run(void *arg)
{
    struct gfmul_job *job = arg;
    mul_with_report(job->ctx, &job->of, job->threads, &job->report);
    atomic_store(&job->done, true);
    return NULL;
}

enum gfmul_status gfmul_mul_async(struct gfmul_ctx *ctx, struct gfmul_job **result, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                  const mp_limb_t *b, size_t bn)
{
    enum gfmul_status status;
    if (!result)
        return GFMUL_ERR_ARGUMENT;
    *result = NULL;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return status;
    struct gfmul_job *job = alloc_aligned(sizeof *job);
    if (!job)
        return GFMUL_ERR_MEMORY;
    job->ctx = ctx;
    job->of = (struct limb_arguments){z, a, b, an, bn};
    memset(&job->report, 0, sizeof job->report);
    job->report.status = GFMUL_ERR_INTERRUPTED; /* stays if the callback ends the job's thread */
    job->threads = threads_available(ctx->opt.threads);
    atomic_init(&job->done, false);
    if (pthread_create(&job->thread, NULL, job_run, job) != 0) {
        alloc_free(job);
        return GFMUL_ERR_MEMORY;
    }
    *result = job;
    return GFMUL_OK;
}

int gfmul_job_done(const struct gfmul_job *job)
{
    return !job || atomic_load(&job->done);
}

enum gfmul_status gfmul_job_wait(struct gfmul_job *job, struct gfmul_report *report)
{
    if (!job)
        return GFMUL_ERR_ARGUMENT;
    pthread_join(job->thread, NULL);
    const enum gfmul_status status = job->report.status;
    if (report)
        *report = job->report;
    alloc_free(job);
    return status;
}
