/*
 * device_stream.c - products on an OpenCL device as a program has them: one at a time and several at once.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: see usage() below.  For each size, kind of memory, check and list of devices one line, tab-separated:
 *
 *     stream  AN BN MEMORY CHECK ONE_MS K ASYNC_MS THREADS_MS UPLOAD DOWNLOAD VERIFY DEVICE RIGHT LIST MADE
 *
 * ONE_MS is the median of calls of gfmul_mul one after another; ASYNC_MS and THREADS_MS are the time for each of many products
 * with K on their way: by gfmul_mul_async, a new one as soon as the oldest has ended, and by K threads.  MEMORY: pinned
 * (gfmul_device_host_alloc) or pageable.  CHECK: whether the library takes residues of each product.  UPLOAD, DOWNLOAD, VERIFY:
 * ms of one product that it waited for these.  RIGHT: each product of the last round is compared with GMP's, or (above --gmp
 * limbs) by its residue.  LIST: the option `device`.  MADE: how many cells a product alone has and how many devices have made
 * them, as 2/2; then, of the jobs, how many each device has made, 0 the CPU.
 *
 * After several lists one line for each, with its rates as multiples of the first list's: the best of its turns against that of
 * the first list's.
 *
 *     ratio  AN BN MEMORY CHECK LIST ONE ASYNC THREADS
 */
#include "bench_device.h"
#include "bench_parts.h"

#include <getopt.h>
#include <gmp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#ifdef HAVE_OPENCL
#include "mul/ctx_device.h"
#endif

enum { LISTS_MAX = 8, K_MAX = 16, WAY_MAX = 64, RUNS_MAX = 2001 };
enum { PRIME_BITS = 61, CHUNK_LIMBS = 1 << 20 };
static const mp_limb_t prime = (UINT64_C(1) << PRIME_BITS) - 1;

static const char *lists[LISTS_MAX] = {"gpu"};
static unsigned n_lists, turns = 1, least_runs = 5, cells[2];
static bool allow_cpu, alone;
static const char *memory_alone; /* NULL: both kinds of memory, without residues too */
static double seconds = 1, gmp_limbs = 1.1e7;
static unsigned for_each = 3; /* products on their way for each device */

static void usage(FILE *f)
{
    fputs("Usage: b-device stream [OPTION]... SIZE...\n"
          "Time products of SIZE limbs (1e6, or 1e6x1e5) on an OpenCL device, from and to host memory.\n\n"
          "  --device LIST    as bigmul (default gpu); several times: each list in turn, and ratios to the first\n"
          "  --turns N        go round the lists so often (default 1)\n"
          "  --allow-cpu      on a device that is no GPU too: for tests, the times say nothing\n"
          "  --stream K       products on their way at once for each device of the list (default 3, at most 16)\n"
          "  --one            products one at a time alone\n"
          "  --memory KIND    from this kind of memory, pinned or pageable, with residues alone\n"
          "  --cells AxB      cells in which a list makes a product alone (default: as it is estimated to pay)\n"
          "  --seconds S      for each figure (default 1)\n"
          "  --runs N         at least so many products one at a time behind a first one (default 5); 0: time the first one\n"
          "  --gmp N          compare with GMP up to N limbs (default 1.1e7), beyond by residues\n"
          "  --help           print this and exit\n",
          f);
}

static void check(enum gfmul_status status, struct gfmul_ctx *ctx, const char *what)
{
    struct gfmul_report report;
    if (status == GFMUL_OK)
        return;
    if (ctx)
        gfmul_ctx_report(ctx, &report);
    fprintf(stderr, "b-device stream: %s: %s: %s\n", what, gfmul_strerror(status), ctx ? report.detail : "");
    exit(1);
}

/* device_open - so that no product's time has it. */
static void device_open(struct gfmul_ctx *ctx)
{
#ifdef HAVE_OPENCL
    struct ocl_device *d;
    struct call call;
    call_begin(&call, ctx);
    const enum gfmul_status status = ctx_device_get(&call, SIZE_MAX, &d);
    check(call_end(&call, status), ctx, "device");
#else
    (void)ctx;
#endif
}

/* One product's numbers; each product on its way has its own. */
struct numbers {
    struct gfmul_ctx *ctx;
    mp_limb_t *a, *b, *z;
    size_t an, bn;
    unsigned runs; /* for a thread: how many products */
};

static void *memory(struct gfmul_ctx *ctx, bool pinned, size_t bytes)
{
    void *p = NULL;
    if (pinned)
        check(gfmul_device_host_alloc(ctx, &p, bytes), ctx, "pinned memory");
    else if (!(p = malloc(bytes))) {
        fprintf(stderr, "b-device stream: no memory\n");
        exit(1);
    }
    return p;
}

static void memory_free(struct gfmul_ctx *ctx, bool pinned, void *p)
{
    if (pinned)
        gfmul_device_host_free(ctx, p);
    else
        free(p);
}

static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number that threads fill, or whose residue they compute, part by part. */
struct number_work {
    mp_limb_t *p;
    size_t n;
    uint64_t seed;
    atomic_size_t next;
    atomic_uint_least64_t sum; /* of residues below the prime */
};

/* part_take - the limbs first .. end - 1; false: there are no more. */
static bool part_take(struct number_work *w, size_t *first, size_t *end)
{
    *first = atomic_fetch_add(&w->next, CHUNK_LIMBS);
    *end = *first < w->n && w->n - *first > CHUNK_LIMBS ? *first + CHUNK_LIMBS : w->n;
    return *first < w->n;
}

static void fill_run(void *arg, unsigned t)
{
    struct number_work *const w = arg;
    (void)t;
    for (size_t first, end; part_take(w, &first, &end);)
        for (size_t i = first; i < end; i++)
            w->p[i] = mixed(w->seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static unsigned threads_all(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (unsigned)n;
}

static void fill(mp_limb_t *p, size_t n, uint64_t seed)
{
    struct number_work w = {p, n, seed, 0, 0};
    bench_threads(threads_all(), fill_run, &w);
    p[n - 1] |= (mp_limb_t)1 << 63;
}

static void residue_run(void *arg, unsigned t)
{
    struct number_work *const w = arg;
    (void)t;
    for (size_t first, end; part_take(w, &first, &end);) {
        const mp_limb_t part = mpn_mod_1(w->p + first, (mp_size_t)(end - first), prime);
        const mp_limb_t shifted = (mp_limb_t)(((unsigned __int128)part << (3 * first % PRIME_BITS)) % prime);
        uint64_t sum = atomic_load(&w->sum);
        while (!atomic_compare_exchange_weak(&w->sum, &sum, (uint64_t)(((unsigned __int128)sum + shifted) % prime)))
            continue;
    }
}

/* residue - of n limbs modulo the prime, by all threads: 2^64 is 8. */
static mp_limb_t residue(const mp_limb_t *p, size_t n)
{
    struct number_work w = {(mp_limb_t *)p, n, 0, 0, 0}; /* only read */
    bench_threads(threads_all(), residue_run, &w);
    return (mp_limb_t)w.sum;
}

/* is_right - by GMP's product, or by a residue. */
static bool is_right(const struct numbers *n, const mp_limb_t *expected)
{
    if (expected)
        return memcmp(n->z, expected, (n->an + n->bn) * sizeof *expected) == 0;
    return (mp_limb_t)((unsigned __int128)residue(n->a, n->an) * residue(n->b, n->bn) % prime) == residue(n->z, n->an + n->bn);
}

static void one(const struct numbers *n)
{
    check(gfmul_mul(n->ctx, n->z, n->a, n->an, n->b, n->bn), n->ctx, "product");
}

static void *thread_run(void *arg)
{
    const struct numbers *n = arg;
    for (unsigned i = 0; i < n->runs; i++)
        one(n);
    return NULL;
}

/* by_threads, by_async - seconds for each product. */
static double by_threads(struct numbers *n, unsigned k, unsigned runs)
{
    pthread_t thread[WAY_MAX];
    const double start = now_seconds();
    for (unsigned i = 0; i < k; i++) {
        n[i].runs = runs;
        if (pthread_create(&thread[i], NULL, thread_run, &n[i]) != 0)
            exit(1);
    }
    for (unsigned i = 0; i < k; i++)
        pthread_join(thread[i], NULL);
    return (now_seconds() - start) / (k * runs);
}

/* made out: how many of the products each place made */
static double by_async(struct numbers *n, unsigned k, unsigned runs, unsigned made[WAY_MAX])
{
    struct gfmul_job *job[WAY_MAX];
    struct gfmul_report report;
    const double start = now_seconds();
    for (unsigned i = 0; i < k * runs + k; i++) {
        struct numbers *of = &n[i % k];
        if (i >= k) {
            check(gfmul_job_wait(job[i % k], &report), NULL, "product");
            made[report.device_place % WAY_MAX]++;
        }
        if (i < k * runs)
            check(gfmul_mul_async(of->ctx, &job[i % k], of->z, of->a, of->an, of->b, of->bn), NULL, "product");
    }
    return (now_seconds() - start) / (k * runs);
}

/* Seconds for each product: one at a time, by jobs, by threads.  0: not measured. */
struct times {
    double one, async, threads;
};

static double least_of(double least, double t)
{
    return t > 0 && (least == 0 || t < least) ? t : least;
}

/* devices_of - how many devices a new context has. */
static unsigned devices_of(struct gfmul_ctx *ctx)
{
#ifdef HAVE_OPENCL
    const unsigned devices = ctx_device_idle(ctx);
    return devices > 0 ? devices : 1; /* a single device is in no list */
#else
    (void)ctx;
    return 1;
#endif
}

static struct gfmul_ctx *ctx_of(const char *list, bool checked)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.device = list;
    opt.verify = checked ? GFMUL_VERIFY_MOD : GFMUL_VERIFY_NONE;
    check(gfmul_ctx_create(&ctx, &opt), NULL, "context");
#ifdef HAVE_OPENCL
    ctx->shared_cells[0] = cells[0];
    ctx->shared_cells[1] = cells[1];
#endif
    device_open(ctx);
    return ctx;
}

/* alone_measure - products one at a time: the median of their times.   report out: of the last one */
static double alone_measure(struct numbers *n, struct gfmul_report *report)
{
    static double time[RUNS_MAX];
    unsigned runs = 0;
    const double first = now_seconds();
    one(n); /* builds, tables */
    if (least_runs == 0)
        time[runs++] = now_seconds() - first;
    const double begin = now_seconds();
    while (runs < least_runs || (least_runs > 0 && now_seconds() - begin < seconds && runs < RUNS_MAX)) {
        const double start = now_seconds();
        one(n);
        time[runs++] = now_seconds() - start;
    }
    gfmul_ctx_report(n->ctx, report);
    return median_of(time, runs);
}

/* measure - one list of devices.   best in/out: the least times of its turns */
static void measure(const char *list, size_t an, size_t bn, bool pinned, bool checked, const mp_limb_t *expected,
                    struct times *best)
{
    struct gfmul_ctx *ctx = ctx_of(list, checked);
    struct gfmul_report report;
    struct numbers n[WAY_MAX];
    struct times t = {0};
    unsigned made[WAY_MAX] = {0};
    const unsigned devices = devices_of(ctx), k = alone ? 1 : devices * for_each > WAY_MAX ? WAY_MAX : devices * for_each;
    for (unsigned i = 0; i < k; i++) {
        n[i] = (struct numbers){
            ctx, memory(ctx, pinned, an * 8), memory(ctx, pinned, bn * 8), memory(ctx, pinned, (an + bn) * 8), an, bn, 0};
        fill(n[i].a, an, 1);
        fill(n[i].b, bn, 2);
        fill(n[i].z, an + bn, 3);
    }
    t.one = alone_measure(n, &report);
    bool right = is_right(&n[0], expected);
    if (!alone) {
        unsigned rounds = (unsigned)(seconds / t.one / for_each) + 2;
        rounds = rounds > 2000 ? 2000 : rounds;
        by_threads(n, k, 2); /* buffers of as many products */
        t.threads = by_threads(n, k, rounds);
        for (unsigned i = 0; i < k; i++)
            fill(n[i].z, an + bn, 3);
        t.async = by_async(n, k, rounds, made);
        for (unsigned i = 0; i < k; i++)
            right = is_right(&n[i], expected) && right;
    }
    printf("stream\t%zu\t%zu\t%s\t%s\t%.4f\t%u\t%.4f\t%.4f\tup %.4f\tdown %.4f\tverify %.4f\t%s\t%s\t%s\t%zu/%u", an, bn,
           pinned ? "pinned" : "pageable", checked ? "residues" : "none", 1e3 * t.one, k, 1e3 * t.async, 1e3 * t.threads,
           1e-6 * (double)report.upload_ns, 1e-6 * (double)report.download_ns, 1e-6 * (double)report.verify_ns,
           report.plan.device, right ? expected ? "gmp" : "residues" : "WRONG", list, report.plan.n_slices, report.n_devices);
    for (unsigned i = 0; i <= devices && i < WAY_MAX && !alone; i++)
        printf("%s%u", i ? "," : " ", made[i]);
    printf("\n");
    fflush(stdout);
    for (unsigned i = 0; i < k; i++) {
        memory_free(ctx, pinned, n[i].a);
        memory_free(ctx, pinned, n[i].b);
        memory_free(ctx, pinned, n[i].z);
    }
    gfmul_ctx_destroy(ctx);
    best->one = least_of(best->one, t.one);
    best->async = least_of(best->async, t.async);
    best->threads = least_of(best->threads, t.threads);
}

/* lists_measure - all lists in turn. */
static void lists_measure(size_t an, size_t bn, bool pinned, bool checked, const mp_limb_t *expected)
{
    struct times best[LISTS_MAX] = {{0}};
    for (unsigned turn = 0; turn < turns; turn++)
        for (unsigned i = 0; i < n_lists; i++)
            measure(lists[i], an, bn, pinned, checked, expected, &best[i]);
    for (unsigned i = 1; i < n_lists; i++) {
        printf("ratio\t%zu\t%zu\t%s\t%s\t%s\t%.3f", an, bn, pinned ? "pinned" : "pageable", checked ? "residues" : "none",
               lists[i], best[0].one / best[i].one);
        if (!alone)
            printf("\t%.3f\t%.3f", best[0].async / best[i].async, best[0].threads / best[i].threads);
        printf("\n");
    }
}

static void options_parse(int argc, char **argv)
{
    enum { DEVICE = 1, TURNS, ALLOW, STREAM, ONE, MEMORY, CELLS, SECONDS, RUNS, GMP, HELP };
    static const struct option options[] = {{"device", 1, 0, DEVICE}, {"allow-cpu", 0, 0, ALLOW}, {"turns", 1, 0, TURNS},
                                            {"stream", 1, 0, STREAM}, {"one", 0, 0, ONE},         {"memory", 1, 0, MEMORY},
                                            {"cells", 1, 0, CELLS},   {"runs", 1, 0, RUNS},       {"seconds", 1, 0, SECONDS},
                                            {"gmp", 1, 0, GMP},       {"help", 0, 0, HELP},       {0, 0, 0, 0}};
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case DEVICE:
            if (n_lists == LISTS_MAX) {
                fprintf(stderr, "b-device stream: at most %d lists of devices\n", LISTS_MAX);
                exit(2);
            }
            lists[n_lists++] = optarg;
            break;
        case TURNS:
            turns = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case ONE:
            alone = true;
            break;
        case MEMORY:
            memory_alone = optarg;
            break;
        case CELLS:
            if (sscanf(optarg, "%ux%u", &cells[0], &cells[1]) != 2) {
                fprintf(stderr, "b-device stream: \"%s\" is no grid of cells\n", optarg);
                exit(2);
            }
            break;
        case RUNS:
            least_runs = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case ALLOW:
            allow_cpu = true;
            break;
        case STREAM:
            for_each = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case SECONDS:
            seconds = strtod(optarg, NULL);
            break;
        case GMP:
            gmp_limbs = strtod(optarg, NULL);
            break;
        default:
            usage(o == HELP ? stdout : stderr);
            exit(o == HELP ? 0 : 2);
        }
    }
    if (n_lists == 0)
        n_lists = 1;
    if (optind == argc || for_each < 1 || for_each > K_MAX || least_runs > RUNS_MAX || turns < 1 ||
        (memory_alone && strcmp(memory_alone, "pinned") != 0 && strcmp(memory_alone, "pageable") != 0)) {
        usage(stderr);
        exit(2);
    }
}

int device_stream(int argc, char **argv)
{
    struct gfmul_device_info info;
    char why[256] = "";
    options_parse(argc, argv);
    for (unsigned i = n_lists; i-- > 0;) { /* the first list's device is in the first line */
        if (gfmul_device_find(&info, lists[i], why, sizeof why) != GFMUL_OK) {
            fprintf(stderr, "b-device stream: %s\n", why);
            return 1;
        }
        if (!bench_device_admit(argv[0], &info, allow_cpu))
            return 1;
    }
    bench_device_line(argv[0], &info);
    printf(", GMP %s\n", gmp_version);
    for (int i = optind; i < argc; i++) {
        size_t an, bn;
        mp_limb_t *expected = NULL;
        const char *end = bench_device_sizes(argv[i], &an, &bn);
        if (!end || *end) {
            fprintf(stderr, "b-device stream: \"%s\" is no size\n", argv[i]);
            return 2;
        }
        if ((double)an <= gmp_limbs && (expected = malloc((an + bn) * 8))) {
            mp_limb_t *a = malloc((an + bn) * 8), *b = a ? a + an : NULL;
            if (!a)
                return 1;
            fill(a, an, 1);
            fill(b, bn, 2);
            if (an >= bn)
                mpn_mul(expected, a, (mp_size_t)an, b, (mp_size_t)bn);
            else
                mpn_mul(expected, b, (mp_size_t)bn, a, (mp_size_t)an);
            free(a);
        }
        if (!memory_alone)
            lists_measure(an, bn, true, false, expected);
        if (!memory_alone || strcmp(memory_alone, "pinned") == 0)
            lists_measure(an, bn, true, true, expected);
        if (!memory_alone || strcmp(memory_alone, "pageable") == 0)
            lists_measure(an, bn, false, true, expected);
        free(expected);
    }
    return 0;
}
