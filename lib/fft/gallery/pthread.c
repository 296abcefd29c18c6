/*
 * pthread.c - gallery: the iterative radix-2 FFT by a fixed set of POSIX threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  the threads are started once for the whole transform.  They share the permutation by reversed bits, then each
 *                stage's n/2 butterflies in equal contiguous parts, whatever node these lie in, with one barrier per stage.
 * What limits:   log2 n passes over all data and as many barriers: for short transforms the barriers and the start of the
 *                threads cost more than the work, for long ones the memory's bandwidth is shared.
 * Next rung:     `fourstep`, two passes over memory instead of log2 n; and the OpenCL rows from `fft_1` on.
 */
#ifndef ROW_REAL
#include <pthread.h>

#include "base/rounding.h"
#include "base/threads.h"
#include "fft/gallery/gallery.h"

/* One transform: what the threads share.  go: 0 until all are started, 1 to work, -1 to leave. */
struct team {
    const struct gfmul_fft *plan;
    void *out;
    const void *in;
    bool backward;
    unsigned threads;
    int go;
    pthread_mutex_t mutex;
    pthread_cond_t started;
    pthread_barrier_t barrier;
};

struct member {
    struct team *team;
    unsigned index;
    pthread_t thread;
};

/* The part of count things that belongs to a member, from first to *end. */
static size_t share(const struct member *m, size_t count, size_t *end)
{
    *end = (size_t)((unsigned __int128)count * (m->index + 1) / m->team->threads);
    return (size_t)((unsigned __int128)count * m->index / m->team->threads);
}

#define ROW_REAL double
#include "fft/gallery/pthread.c"
#undef ROW_REAL
#define ROW_REAL float
#include "fft/gallery/pthread.c"

static void *member_run(void *arg)
{
    ROUND_TO_NEAREST;
    struct member *m = arg;
    struct team *team = m->team;
    pthread_mutex_lock(&team->mutex);
    while (team->go == 0)
        pthread_cond_wait(&team->started, &team->mutex);
    int go = team->go;
    pthread_mutex_unlock(&team->mutex);
    if (go < 0)
        return NULL;
    if (team->plan->real_bytes == sizeof(double))
        transform_double(m);
    else
        transform_float(m);
    return NULL;
}

/* threads_of - of one transform: as all others have, one where a batch is shared among them; they need no OpenMP. */
static unsigned threads_of(const struct gfmul_fft *plan)
{
#ifdef _OPENMP
    return threads_available(plan->threads);
#else
    return plan->threads != 0 ? plan->threads : 1;
#endif
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned unused)
{
    unsigned threads = threads_of(plan), started = 1;
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    (void)work;
    (void)unused;
    if (threads > 1024)
        threads = 1024;
    if (threads > plan->n)
        threads = (unsigned)plan->n;
    struct team team = {.plan = plan, .out = out, .in = in, .backward = backward, .threads = threads};
    struct member *members = calloc(threads, sizeof *members);
    if (members == NULL)
        return GFMUL_ERR_MEMORY;
    if (pthread_mutex_init(&team.mutex, NULL) != 0)
        goto done;
    if (pthread_cond_init(&team.started, NULL) != 0)
        goto no_condition;
    if (pthread_barrier_init(&team.barrier, NULL, threads) != 0)
        goto no_barrier;
    for (unsigned i = 0; i < threads; i++)
        members[i] = (struct member){.team = &team, .index = i};
    while (started < threads && pthread_create(&members[started].thread, NULL, member_run, &members[started]) == 0)
        started++;
    pthread_mutex_lock(&team.mutex);
    team.go = started == threads ? 1 : -1;
    pthread_cond_broadcast(&team.started);
    pthread_mutex_unlock(&team.mutex);
    if (started == threads) {
        member_run(&members[0]);
        status = GFMUL_OK;
    }
    for (unsigned i = 1; i < started; i++)
        pthread_join(members[i].thread, NULL);
    pthread_barrier_destroy(&team.barrier);
no_barrier:
    pthread_cond_destroy(&team.started);
no_condition:
    pthread_mutex_destroy(&team.mutex);
done:
    free(members);
    return status;
}

static enum gfmul_status create(struct gfmul_fft *plan)
{
    plan->work_bytes = 0;
    return gallery_create_radix2(plan);
}

const struct fft_row fft_row_pthread = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "pthread",
              .summary = "iterative radix 2 by a fixed set of POSIX threads, one barrier per stage"},
    .create = create,
    .run = run,
};
#else

static size_t ROW(reversed)(size_t i, size_t n)
{
    size_t r = 0;
    for (size_t bit = 1; bit < n; bit *= 2)
        r = 2 * r + ((i & bit) != 0);
    return r;
}

static void ROW(transform)(struct member *m)
{
    struct team *team = m->team;
    const struct gfmul_fft *plan = team->plan;
    const size_t n = plan->n;
    const ROW_REAL *roots = plan->roots, sign = team->backward ? -1 : 1;
    const ROW_REAL scale = team->backward ? (ROW_REAL)plan->scale : 1, *in = team->in;
    ROW_REAL *x = team->out;
    size_t end, i = share(m, n, &end);
    /* pairs are exchanged by the owner of the smaller index; nobody else touches them */
    for (; i < end; i++) {
        size_t r = ROW(reversed)(i, n);
        if (r < i)
            continue;
        ROW_REAL ar = in[2 * i], ai = in[2 * i + 1], br = in[2 * r], bi = in[2 * r + 1];
        x[2 * i] = br * scale;
        x[2 * i + 1] = bi * scale;
        x[2 * r] = ar * scale;
        x[2 * r + 1] = ai * scale;
    }
    for (size_t half = 1; half < n; half *= 2) {
        pthread_barrier_wait(&team->barrier);
        i = share(m, n / 2, &end);
        for (; i < end; i++) {
            size_t k = i & (half - 1);
            ROW_REAL *a = x + 2 * (2 * (i - k) + k), *b = a + 2 * half;
            ROW_REAL c = roots[2 * (k * (n / 2 / half))], s = sign * roots[2 * (k * (n / 2 / half)) + 1];
            ROW_REAL re = c * b[0] - s * b[1], im = c * b[1] + s * b[0];
            b[0] = a[0] - re;
            b[1] = a[1] - im;
            a[0] += re;
            a[1] += im;
        }
    }
}
#endif
