/*
 * pthread.c - gallery: the iterative radix-2 FFT by a fixed set of POSIX threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it does:  the threads are started once for the whole transform.  They share the bit-reversal permutation.  Then they share
 *                each stage's n/2 butterflies in equal contiguous parts, which may cut through nodes, with one barrier per stage.
 *                A thread computes the first power of the stage's root in its part by repeated products, and goes on by
 *                w *= w_m.  `pthread_starts` has each thread's parts and first powers in the plan, as the document proposes.
 *                `pthread_table` reads all roots from a table instead.
 *                Three strategies that lose against that are here, too.  `pthread_each` creates a thread for each butterfly,
 *                stage by stage.  `pthread_spawn` creates and joins threads for every stage.  `pthread_nodes` shares whole
 *                nodes, but the last stages have fewer nodes than there are threads.
 * What limits:   log2 n passes over all data and as many barriers.  In short transforms the barriers and the start of the threads
 *                cost more than the work; in long ones the threads share the memory's bandwidth.  In the last stage of `pthread`,
 *                the last thread alone computes its first power, by nearly n/2 products.
 * Next rung:     `fourstep`, two passes over memory instead of log2 n; and the OpenCL rows from `fft_1` on.
 * Source:        [Yanglu]
 */
#ifndef ROW_REAL
#include <math.h>
#include <pthread.h>

#include "base/rounding.h"
#include "base/threads.h"
#include "gallery/gallery.h"

/* One transform, shared by its threads.   go: 0 until all are started, 1 to work, -1 to leave. */
struct team {
    const struct gfmul_fft *plan;
    void *out;
    const void *in;
    bool backward;
    unsigned threads;
    bool nodes;                         /* a thread takes whole nodes */
    const struct gallery_start *starts; /* [stage][thread]; NULL: threads find their own */
    size_t step; /* pthread_spawn: the current step of all threads; 0 is the permutation, which the caller does alone */
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

/* pthread_each: the most threads alive at once, and the stack of each. */
enum { EACH_LIVE = 1024, EACH_STACK_BYTES = 1 << 16, EACH_LOG2_N = 14 };

/* The threads of a stage of pthread_each. */
struct crowd {
    pthread_attr_t attributes;
    pthread_t thread[EACH_LIVE];
    unsigned live;
};

/* crowd_join - wait for all threads alive. */
static void crowd_join(struct crowd *c)
{
    while (c->live > 0)
        pthread_join(c->thread[--c->live], NULL);
}

/* crowd_add - start one more thread; there are at most EACH_LIVE. */
static bool crowd_add(struct crowd *c, void *(*function)(void *), void *arg)
{
    if (pthread_create(&c->thread[c->live], &c->attributes, function, arg) != 0)
        return false;
    c->live++;
    return true;
}

static size_t steps_of(const struct gfmul_fft *plan)
{
    return 1 + (size_t)__builtin_ctzll(plan->n);
}

/* A member's share of count things, from first to *end. */
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

/* step_make - a member's share of a step: step 0 is the permutation, step s is stage s - 1. */
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

/* member_step - one step in a new thread. */
static void *member_step(void *arg)
{
    ROUND_TO_NEAREST;
    struct member *m = arg;
    step_make(m, m->team->step);
    return NULL;
}

/* threads_of - threads for one transform: one if a batch is shared among threads. */
static unsigned threads_of(const struct gfmul_fft *plan)
{
    const unsigned threads = threads_available(plan->threads);
    return threads > plan->n ? (unsigned)plan->n : threads;
}

/* team_init - create mutex, condition and barrier; false: none of them exists. */
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

/* team_run - start the members, this thread being the first, and wait for all. */
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

/* alone_permute - the permutation, done by the caller alone. */
static void alone_permute(const struct team *team)
{
    struct team alone = *team;
    alone.threads = 1;
    step_make(&(struct member){.team = &alone}, 0);
}

/* team_spawn - the same with new threads for every stage. */
static enum gfmul_status team_spawn(struct team *team, struct member *members)
{
    const size_t steps = steps_of(team->plan);
    bool started_all = true;
    alone_permute(team);
    for (unsigned i = 0; i < team->threads; i++)
        members[i] = (struct member){.team = team, .index = i};
    for (team->step = 1; team->step < steps && started_all; team->step++) {
        unsigned started = 0;
        while (started < team->threads && pthread_create(&members[started].thread, NULL, member_step, &members[started]) == 0)
            started++;
        started_all = started == team->threads;
        for (unsigned i = 0; i < started; i++)
            pthread_join(members[i].thread, NULL);
    }
    return started_all ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

/* run_each - a new thread for every butterfly. */
static enum gfmul_status run_each(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work,
                                  unsigned unused)
{
    struct team team = {.plan = plan, .out = out, .in = in, .backward = backward, .threads = 1};
    struct crowd *crowd = calloc(1, sizeof *crowd);
    bool started_all = true;
    (void)unused;
    if (crowd == NULL || pthread_attr_init(&crowd->attributes) != 0) {
        free(crowd);
        return GFMUL_ERR_MEMORY;
    }
    pthread_attr_setstacksize(&crowd->attributes, EACH_STACK_BYTES); /* if this is refused, stacks have the usual size */
    alone_permute(&team);
    for (size_t half = 1; half < plan->n && started_all; half *= 2) {
        started_all = plan->real_bytes == sizeof(double) ? stage_each_double(&team, half, crowd, work)
                                                         : stage_each_float(&team, half, crowd, work);
        crowd_join(crowd);
    }
    pthread_attr_destroy(&crowd->attributes);
    free(crowd);
    return started_all ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, unsigned unused)
{
    const unsigned threads = threads_of(plan);
    enum gfmul_status status = GFMUL_ERR_MEMORY;
    (void)work;
    (void)unused;
    struct team team = {.plan = plan,
                        .out = out,
                        .in = in,
                        .backward = backward,
                        .threads = threads,
                        .nodes = plan->row == &fft_row_pthread_nodes};
    struct member *members = calloc(threads, sizeof *members);
    if (plan->row == &fft_row_pthread_starts) { /* a call inside a parallel region has one thread, whatever was planned */
        const struct gallery_starts *starts = plan->state;
        team.starts = starts->threads == threads ? starts->of : NULL;
    }
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
    return gallery_check_radix2(plan);
}

/* create_starts - the parts of all threads in all stages, with their first powers. */
static enum gfmul_status create_starts(struct gfmul_fft *plan)
{
    TRY(gallery_check_radix2(plan));
    struct team team = {.plan = plan, .threads = threads_of(plan)};
    const size_t count = (steps_of(plan) - 1) * team.threads;
    struct gallery_starts *starts = calloc(1, sizeof *starts + count * sizeof *starts->of);
    if (starts == NULL)
        return GFMUL_ERR_MEMORY;
    plan->state = starts;
    starts->threads = team.threads;
    return plan->real_bytes == sizeof(double) ? starts_fill_double(&team, starts->of) : starts_fill_float(&team, starts->of);
}

static void destroy_starts(struct gfmul_fft *plan)
{
    free(plan->state);
}

static enum gfmul_status create_each(struct gfmul_fft *plan)
{
    if (plan->n > (size_t)1 << EACH_LOG2_N)
        return GFMUL_ERR_UNSUPPORTED;
    plan->work_bytes = EACH_LIVE * sizeof(struct task_double);
    return gallery_check_radix2(plan);
}

const struct fft_row fft_row_pthread = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "pthread",
              .summary = "iterative radix 2 by a fixed set of POSIX threads, one barrier per stage, powers by w *= w_m"},
    .create = create,
    .run = run,
};
const struct fft_row fft_row_pthread_starts = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "pthread_starts",
              .summary = "as pthread, with the threads' first powers in the plan, powers by w *= w_m"},
    .create = create_starts,
    .run = run,
    .destroy = destroy_starts,
};
const struct fft_row fft_row_pthread_table = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "pthread_table", .summary = "the same with roots from a table"},
    .create = gallery_create_radix2,
    .run = run,
};
const struct fft_row fft_row_pthread_each = {
    .about = {.device = "cpu",
              .lengths = "2^k to 2^14",
              .types = "complex",
              .precisions = "float, double",
              .name = "pthread_each",
              .summary = "a new thread for every butterfly, powers by w *= w_m"},
    .create = create_each,
    .run = run_each,
};
const struct fft_row fft_row_pthread_spawn = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "pthread_spawn",
              .summary = "as pthread, but new threads for every stage, powers by w *= w_m"},
    .create = create,
    .run = run,
};
const struct fft_row fft_row_pthread_nodes = {
    .about = {GALLERY_RADIX2_LIMITS, .name = "pthread_nodes",
              .summary = "as pthread, but threads share whole nodes of a stage, powers by w *= w_m"},
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
    /* the thread that has the smaller index swaps the pair; no other touches it */
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

/* A power of a stage's root w_m, and the factor that leads to the next one. */
struct ROW(power) {
    ROW_REAL c, s, cm, sm;
};

static struct ROW(power) ROW(power_first)(const struct team *team, size_t half)
{
    const double angle = 3.141592653589793238 / (double)half;
    return (struct ROW(power)){1, 0, (ROW_REAL)cos(angle), (ROW_REAL)(team->backward ? sin(angle) : -sin(angle))};
}

static void ROW(power_next)(struct ROW(power) * w)
{
    const ROW_REAL next = w->c * w->cm - w->s * w->sm;
    w->s = w->c * w->sm + w->s * w->cm;
    w->c = next;
}

static void ROW(butterfly)(ROW_REAL *a, ROW_REAL *b, ROW_REAL c, ROW_REAL s)
{
    ROW_REAL re = c * b[0] - s * b[1], im = c * b[1] + s * b[0];
    b[0] = a[0] - re;
    b[1] = a[1] - im;
    a[0] += re;
    a[1] += im;
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
    struct ROW(power) w = ROW(power_first)(team, half);
    size_t i, end;
    if (team->starts != NULL) {
        const struct gallery_start *start = &team->starts[(step - 1) * team->threads + m->index];
        i = start->first;
        end = start->end;
        w.c = (ROW_REAL)start->c;
        w.s = sign * (ROW_REAL)start->s;
    } else {
        i = share(m, team->nodes ? n / 2 / half : n / 2, &end);
        if (team->nodes) {
            i *= half;
            end *= half;
        }
        for (size_t k = 0; roots == NULL && k < (i & (half - 1)); k++)
            ROW(power_next)(&w);
    }
    for (; i < end; i++) {
        const size_t k = i & (half - 1);
        ROW_REAL *a = x + 2 * (2 * (i - k) + k), *b = a + 2 * half;
        if (roots != NULL) {
            ROW(butterfly)(a, b, roots[2 * (k * (n / 2 / half))], sign * roots[2 * (k * (n / 2 / half)) + 1]);
            continue;
        }
        if (k == 0) {
            w.c = 1;
            w.s = 0;
        }
        ROW(butterfly)(a, b, w.c, w.s);
        ROW(power_next)(&w);
    }
}

/*
 * starts_fill - of [stage][thread]: the part of each thread, and the forward power that it begins with, by as many products as
 * `pthread` makes in every transform.   Errors: MEMORY.
 */
static enum gfmul_status ROW(starts_fill)(struct team *team, struct gallery_start *of)
{
    const size_t n = team->plan->n;
    struct ROW(power) *powers = malloc((n + 1) / 2 * sizeof *powers); /* of one stage; n = 1 has none */
    if (powers == NULL)
        return GFMUL_ERR_MEMORY;
    for (size_t half = 1; half < n; half *= 2) {
        struct ROW(power) w = ROW(power_first)(team, half);
        for (size_t k = 0; k < half; k++) {
            powers[k] = w;
            ROW(power_next)(&w);
        }
        for (unsigned index = 0; index < team->threads; index++, of++) {
            const struct member m = {.team = team, .index = index};
            of->first = share(&m, n / 2, &of->end);
            of->c = (double)powers[of->first & (half - 1)].c;
            of->s = (double)powers[of->first & (half - 1)].s;
        }
    }
    free(powers);
    return GFMUL_OK;
}

/* A task of pthread_each: one butterfly. */
struct ROW(task) {
    ROW_REAL *a, *b, c, s;
};

static void *ROW(task_run)(void *arg)
{
    ROUND_TO_NEAREST;
    const struct ROW(task) *t = arg;
    ROW(butterfly)(t->a, t->b, t->c, t->s);
    return NULL;
}

/* stage_each - a thread for every butterfly of a stage; the caller joins the last ones.   tasks: EACH_LIVE entries */
static bool ROW(stage_each)(const struct team *team, size_t half, struct crowd *crowd, struct ROW(task) * tasks)
{
    ROW_REAL *x = team->out;
    for (size_t base = 0; base < team->plan->n; base += 2 * half) {
        struct ROW(power) w = ROW(power_first)(team, half);
        for (size_t k = 0; k < half; k++) {
            if (crowd->live == EACH_LIVE)
                crowd_join(crowd); /* their tasks are about to be overwritten */
            struct ROW(task) *t = &tasks[crowd->live];
            *t = (struct ROW(task)){x + 2 * (base + k), x + 2 * (base + k + half), w.c, w.s};
            if (!crowd_add(crowd, ROW(task_run), t))
                return false;
            ROW(power_next)(&w);
        }
    }
    return true;
}
#endif
