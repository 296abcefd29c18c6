/*
 * soak.c - calls of all kinds by several threads for some minutes, while memory, descriptors and threads are watched.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *     tests/soak [SECONDS [SEED]]         120 seconds, or until the end of a round behind them
 *
 * In a round three threads make and destroy contexts, and use each other's: products of mixed sizes on all engines, text,
 * convolutions, transforms, jobs, callbacks that stop the work, trims, and products on an OpenCL device if there is one.  Each
 * result is compared.  Between two rounds everything is given back, and what the process holds is looked at.  From the end of
 * the second round to the last one it may gain
 *
 *     no descriptor, no thread,
 *     4 MiB of allocated memory (on a device 24: drivers and their compilers keep some), and
 *     24 MiB of resident memory.
 *
 * Exit status: 0, or 1 if a result was wrong or something grew.
 */
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

#include "any_call.h"
#include "device_test.h"

enum { WORKERS = 3, SHARED = 4, ROUNDS = 8, CALLS = 12, LIMBS = 2500, MANY_LIMBS = 150000, IDLE_TRIES = 80 };
static const size_t block_bytes_most = (size_t)4 << 20, device_bytes_most = (size_t)24 << 20, resident_most = (size_t)24 << 20;

/* ---- what the process holds ---- */

struct held {
    size_t descriptors, threads, allocated, resident;
};

static size_t entries(const char *path)
{
    size_t n = 0;
    DIR *d = opendir(path);
    while (d != NULL && readdir(d) != NULL)
        n++;
    if (d != NULL)
        closedir(d);
    return n;
}

static size_t resident(void)
{
    char line[256];
    size_t kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "VmRSS: %zu kB", &kib) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return kib << 10;
}

/* allocated - bytes in blocks of the allocator; 0 where it does not say. */
static size_t allocated(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
#else
    return 0;
#endif
}

/* held_now - after a while: idle threads end by themselves, and freed memory goes back. */
static struct held held_now(size_t threads_before)
{
    struct held h = {0, 0, 0, 0};
    gfmul_ctx_trim(NULL);
    for (int i = 0; i < IDLE_TRIES; i++) {
        h.threads = entries("/proc/self/task");
        if (h.threads <= threads_before)
            break;
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    }
    malloc_trim(0);
    h.descriptors = entries("/proc/self/fd");
    h.allocated = allocated();
    h.resident = resident();
    return h;
}

/* ---- work ---- */

/* A context that any thread may use; `users` of them do.  The callback of some stops their work now and then. */
static struct shared {
    pthread_rwlock_t lock;
    struct gfmul_ctx *ctx;
    bool stops;
} shared[SHARED];

static struct worker {
    pthread_t thread;
    struct any_caller caller;
    unsigned long calls, stopped, contexts, device;
} worker[WORKERS];

static double round_ends; /* test_seconds */
static bool device_ready;
static atomic_bool gave_up;

static void wrong(const struct worker *w, const char *what, const char *why)
{
    fprintf(stderr, "worker %d: %s: %s; seed %" PRIu64 "\n", (int)(w - worker), what, why, test_state.seed);
    atomic_store(&gave_up, true);
}

static int stop_sometimes(void *arg, double done)
{
    static atomic_uint n;
    (void)arg, (void)done;
    return atomic_fetch_add(&n, 1) % 37 == 36;
}

/* context_renew - another context in place of a shared one, which nobody uses now. */
static void context_renew(struct worker *w, struct shared *s)
{
    struct gfmul_options opt;
    any_options(&w->caller, &opt);
    s->stops = any_below(&w->caller, 3) == 0;
    if (s->stops)
        opt.progress = stop_sometimes;
    gfmul_ctx_destroy(s->ctx);
    const enum gfmul_status status = gfmul_ctx_create(&s->ctx, &opt);
    if (status != GFMUL_OK)
        wrong(w, "a context", gfmul_strerror(status));
    w->contexts++;
}

static void calls_run(struct worker *w, struct shared *s)
{
    for (unsigned i = 0; i < CALLS && !atomic_load(&gave_up); i++) {
        const enum any_kind kind = (enum any_kind)any_below(&w->caller, ANY_KINDS);
        enum gfmul_status status;
        w->caller.ctx = s != NULL ? s->ctx : NULL;
        w->caller.most_limbs = any_below(&w->caller, 150) == 0 && kind <= ANY_MPZ ? MANY_LIMBS : LIMBS;
        const char *why = any_call(&w->caller, kind, &status);
        if (why != NULL || (status != GFMUL_OK && !(status == GFMUL_ERR_INTERRUPTED && s != NULL && s->stops)))
            wrong(w, any_kind_name(kind), why != NULL ? why : gfmul_strerror(status));
        w->calls++;
        w->stopped += status == GFMUL_ERR_INTERRUPTED;
    }
}

/* device_run - a product on the device, by a context of its own. */
static void device_run(struct worker *w)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.device = "gpu";
    opt.progress = any_below(&w->caller, 4) == 0 ? stop_sometimes : NULL;
    mp_limb_t *product = test_alloc(ZN * sizeof *product);
    enum gfmul_status status = gfmul_ctx_create(&ctx, &opt);
    if (status == GFMUL_OK)
        status = gfmul_mul(ctx, product, a, AN, b, BN);
    if (status == GFMUL_OK ? memcmp(product, want, ZN * sizeof *product) != 0
                           : status != GFMUL_ERR_INTERRUPTED || opt.progress == NULL)
        wrong(w, "a product on a device", gfmul_strerror(status));
    gfmul_ctx_destroy(ctx);
    free(product);
    w->device++;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    unsigned turns = 0;
    do {
        struct shared *s = &shared[any_below(&w->caller, SHARED)];
        if (any_below(&w->caller, 4) == 0) {
            pthread_rwlock_wrlock(&s->lock);
            context_renew(w, s);
            pthread_rwlock_unlock(&s->lock);
        }
        pthread_rwlock_rdlock(&s->lock);
        calls_run(w, s->ctx != NULL ? s : NULL);
        pthread_rwlock_unlock(&s->lock);
        if (w == worker && device_ready && turns++ % 8 == 0)
            device_run(w);
    } while (test_seconds() < round_ends && !atomic_load(&gave_up));
    return NULL;
}

static void round_run(double seconds)
{
    round_ends = test_seconds() + seconds;
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&worker[i].thread, NULL, work, &worker[i]) != 0)
            exit(1);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i].thread, NULL);
    for (int i = 0; i < SHARED; i++) {
        gfmul_ctx_destroy(shared[i].ctx);
        shared[i].ctx = NULL;
    }
}

/* grew - whether something grew beyond its bound. */
static bool grew(const char *what, size_t before, size_t after, size_t most)
{
    if (after <= before + most)
        return false;
    fprintf(stderr, "%s: %zu, and %zu before\n", what, after, before);
    return true;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 120;
    if (argc > 2)
        setenv("GFMUL_TEST_SEED", argv[2], 1);
    test_begin(1, argv);
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1); /* what is freed in one arena is used again by all threads */
#endif
    device_ready = ocl_test_begin();
    ocl_test_keep();
    ocl_test_gpu(true);
    operands_draw();
    for (int i = 0; i < SHARED; i++)
        pthread_rwlock_init(&shared[i].lock, NULL);
    for (int i = 0; i < WORKERS; i++)
        worker[i].caller = (struct any_caller){.state = test_state.seed + (uint64_t)i, .with_threads = true};
    struct held first = {0, 0, 0, 0}, now = {0, SIZE_MAX, 0, 0};
    for (int round = 0; round < ROUNDS && !atomic_load(&gave_up); round++) {
        round_run(seconds / ROUNDS);
        now = held_now(round < 2 ? now.threads : first.threads);
        if (round == 1)
            first = now;
        printf("%.0f s, round %d: %zu descriptors, %zu threads, %.1f MiB allocated, %.1f MiB resident\n", test_seconds(), round,
               now.descriptors, now.threads, (double)now.allocated / (1 << 20), (double)now.resident / (1 << 20));
        fflush(stdout);
    }
    bool bad = atomic_load(&gave_up);
    bad = grew("descriptors", first.descriptors, now.descriptors, 0) || bad;
    bad = grew("threads", first.threads, now.threads, 0) || bad;
    bad = grew("bytes allocated", first.allocated, now.allocated, device_ready ? device_bytes_most : block_bytes_most) || bad;
    bad = grew("bytes resident", first.resident, now.resident, resident_most) || bad;
    for (int i = 0; i < WORKERS; i++) {
        printf("worker %d: %lu calls, %lu stopped, %lu contexts, %lu products on a device\n", i, worker[i].calls,
               worker[i].stopped, worker[i].contexts, worker[i].device);
        bad = bad || worker[i].calls == 0;
    }
    TEST_CHECK(!bad);
    return ocl_test_end();
}
