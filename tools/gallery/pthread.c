/*
 * pthread.c - gallery: the iterative radix-2 FFT by a fixed set of POSIX threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  the threads are started once for the whole transform.  They share the permutation by reversed bits, then each
 *                stage's n/2 butterflies in equal contiguous parts, whatever node these lie in, with one barrier per stage.
 *                Two strategies that lose against that are here, too.  `pthread_spawn` starts and joins threads for every stage.
 *                `pthread_nodes` shares whole nodes: the last stages have fewer nodes than there are threads.
 * What limits:   log2 n passes over all data and as many barriers: for short transforms the barriers and the start of the
 *                threads cost more than the work, for long ones the memory's bandwidth is shared.
 * Next rung:     `fourstep`, two passes over memory instead of log2 n; and the OpenCL rows from `fft_1` on.
 */
#ifndef ROW_REAL
#include <pthread.h>

#include "base/rounding.h"
#include "base/threads.h"
#include "gallery/gallery.h"

/* One transform: what the threads share.  go: 0 until all are started, 1 to work, -1 to leave. */
struct team {
    const struct gfmul_fft *plan;
    void *out;
    const void *in;
    bool backward;
    unsigned threads;
    bool nodes;  /* a thread takes whole nodes */
    size_t step; /* pthread_spawn: that all make; 0 is the permutation */
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
#include "gallery/pthread.c"
#undef ROW_REAL
#define ROW_REAL float
#include "gallery/pthread.c"

static size_t steps_of(const struct gfmul_fft *plan)
{
    return 1 + (size_t)__builtin_ctzll(plan->n);
}

/* step_make - a member's part of the permutation, step 0, or of stage step - 1. */
static void step_make(const struct member *m, size_t step)
{
    if (m->team->plan->real_bytes == sizeof(double))
        step_double(m, step);
    else
        step_float(m, step);
}

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
    const size_t steps = steps_of(team->plan);
    for (size_t step = 0; step < steps; step++) {
        if (step > 0)
            pthread_barrier_wait(&team->barrier);
        step_make(m, step);
    }
    return NULL;
}

/* member_step - one step, in a thread of its own. */
static void *member_step(void *arg)
{
    ROUND_TO_NEAREST;
    struct member *m = arg;
    step_make(m, m->team->step);
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

/* team_init - mutex, condition and barrier; false: none of them. */
static bool team_init(struct team *team)
{
    if (pthread_mutex_init(&team->mutex, NULL) != 0)
        return false;
    if (pthread_cond_init(&team->started, NULL) == 0) {
        if (pthread_barrier_init(&team->barrier, NULL, team->threads) == 0)
            return true;
        pthread_cond_destroy(&team->started);
    }
    pthread_mutex_destroy(&team->mutex);
    return false;
}

static void team_destroy(struct team *team)
{
    pthread_barrier_destroy(&team->barrier);
    pthread_cond_destroy(&team->started);
    pthread_mutex_destroy(&team->mutex);
}

/* team_run - start the members, this thread being the first one, and wait for them. */
static enum gfmul_status team_run(struct team *team, struct member *members)
{
    const unsigned threads = team->threads;
    unsigned started = 1;
    for (unsigned i = 0; i < threads; i++)
        members[i] = (struct member){.team = team, .index = i};
    while (started < threads && pthread_create(&members[started].thread, NULL, member_run, &members[started]) == 0)
        started++;
    pthread_mutex_lock(&team->mutex);
    team->go = started == threads ? 1 : -1;
    pthread_cond_broadcast(&team->started);
    pthread_mutex_unlock(&team->mutex);
    if (started == threads)
        member_run(&members[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(members[i].thread, NULL);
    return started == threads ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

/* team_spawn - the same with new threads for every step. */
static enum gfmul_status team_spawn(struct team *team, struct member *members)
{
    const size_t steps = steps_of(team->plan);
    bool started_all = true;
    for (unsigned i = 0; i < team->threads; i++)
        members[i] = (struct member){.team = team, .index = i};
    for (team->step = 0; team->step < steps && started_all; team->step++) {
        unsigned started = 1;
        while (started < team->threads && pthread_create(&members[started].thread, NULL, member_step, &members[started]) == 0)
            started++;
        started_all = started == team->threads;
        if (started_all)
            step_make(&members[0], team->step);
        for (unsigned i = 1; i < started; i++)
            pthread_join(members[i].thread, NULL);
    }
    return started_all ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned unused)
{
    unsigned threads = threads_of(plan);
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    (void)work;
    (void)unused;
    if (threads > 1024)
        threads = 1024;
    if (threads > plan->n)
        threads = (unsigned)plan->n;
    struct team team = {.plan = plan,
                        .out = out,
                        .in = in,
                        .backward = backward,
                        .threads = threads,
                        .nodes = plan->row == &fft_row_pthread_nodes};
    struct member *members = calloc(threads, sizeof *members);
    if (members != NULL && plan->row == &fft_row_pthread_spawn) {
        status = team_spawn(&team, members);
    } else if (members != NULL && team_init(&team)) {
        status = team_run(&team, members);
        team_destroy(&team);
    }
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
const struct fft_row fft_row_pthread_spawn = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "pthread_spawn", .summary = "the same with new threads for every stage"},
    .create = create,
    .run = run,
};
const struct fft_row fft_row_pthread_nodes = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "pthread_nodes", .summary = "as pthread, but threads share whole nodes of a stage"},
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

static void ROW(permute)(const struct member *m)
{
    const struct team *team = m->team;
    const size_t n = team->plan->n;
    const ROW_REAL scale = team->backward ? (ROW_REAL)team->plan->scale : 1, *in = team->in;
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
}

static void ROW(step)(const struct member *m, size_t step)
{
    const struct team *team = m->team;
    const size_t n = team->plan->n, half = (size_t)1 << step >> 1;
    const ROW_REAL *roots = team->plan->roots, sign = team->backward ? -1 : 1;
    ROW_REAL *x = team->out;
    if (step == 0) {
        ROW(permute)(m);
        return;
    }
    size_t end, i = share(m, team->nodes ? n / 2 / half : n / 2, &end);
    if (team->nodes) {
        i *= half;
        end *= half;
    }
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
#endif
