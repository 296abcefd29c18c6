/*
 * device_stream.c - products on an OpenCL device as a program has them: one at a time and several at once.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: see usage() below.  For each size, kind of memory and check one line, tab-separated:
 *
 *     stream  AN BN MEMORY CHECK ONE_MS K ASYNC_MS THREADS_MS UPLOAD DOWNLOAD VERIFY DEVICE RIGHT
 *
 * ONE_MS is the median of calls of gfmul_mul one after another; ASYNC_MS and THREADS_MS are the time for each of many products
 * with K on their way: by gfmul_mul_async, a new one as soon as the oldest has ended, and by K threads.  MEMORY: pinned
 * (gfmul_device_host_alloc) or pageable.  CHECK: whether the library takes residues of each product.  UPLOAD, DOWNLOAD, VERIFY:
 * ms of one product that it waited for these.  RIGHT: each product of the last round is compared with GMP's, or (above --gmp
 * limbs) by its residue.
 */
#include "bench_device.h"
#include "bench_parts.h"

#include <getopt.h>
#include <gmp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#ifdef HAVE_OPENCL
#ifdef HAVE_OPENCL
#include "mul/ctx_device.h"
#endif
#include "ocl/ocl_state.h" /* how products are enqueued */
#endif

enum { K_MAX = 16, RUNS_MAX = 2001 };

static const char *device_name = "gpu";
static bool allow_cpu;
static double seconds = 1, gmp_limbs = 1.1e7;
static unsigned in_flight = 3;

static void usage(FILE *f)
{
    fputs("Usage: b-device stream [OPTION]... SIZE...\n"
          "Time products of SIZE limbs (1e6, or 1e6x1e5) on an OpenCL device, from and to host memory.\n\n"
          "  --device NAME    as bigmul (default gpu)\n"
          "  --allow-cpu      on a device that is no GPU too: for tests, the times say nothing\n"
          "  --stream K       products on their way at once (default 3, at most 16)\n"
          "  --seconds S      for each figure (default 1)\n"
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
    memset(p, 0x5a, bytes);
    return p;
}

static void memory_free(struct gfmul_ctx *ctx, bool pinned, void *p)
{
    if (pinned)
        gfmul_device_host_free(ctx, p);
    else
        free(p);
}

static void fill(mp_limb_t *p, size_t n, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t i = 0; i < n; i++) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        p[i] = z ^ (z >> 31);
    }
    p[n - 1] |= (mp_limb_t)1 << 63;
}

/* is_right - by GMP's product, or by a residue. */
static bool is_right(const struct numbers *n, const mp_limb_t *expected)
{
    static const mp_limb_t prime = UINT64_C(2305843009213693951);
    if (expected)
        return memcmp(n->z, expected, (n->an + n->bn) * sizeof *expected) == 0;
    const mp_limb_t a = mpn_mod_1(n->a, (mp_size_t)n->an, prime), b = mpn_mod_1(n->b, (mp_size_t)n->bn, prime);
    return (mp_limb_t)((unsigned __int128)a * b % prime) == mpn_mod_1(n->z, (mp_size_t)(n->an + n->bn), prime);
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
    pthread_t thread[K_MAX];
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

static double by_async(struct numbers *n, unsigned k, unsigned runs)
{
    struct gfmul_job *job[K_MAX];
    const double start = now_seconds();
    for (unsigned i = 0; i < k * runs + k; i++) {
        struct numbers *of = &n[i % k];
        if (i >= k)
            check(gfmul_job_wait(job[i % k], NULL), NULL, "product");
        if (i < k * runs)
            check(gfmul_mul_async(of->ctx, &job[i % k], of->z, of->a, of->an, of->b, of->bn), NULL, "product");
    }
    return (now_seconds() - start) / (k * runs);
}

static void measure(size_t an, size_t bn, bool pinned, bool checked, const mp_limb_t *expected)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    struct gfmul_report report;
    struct numbers n[K_MAX];
    static double time[RUNS_MAX];
    gfmul_options_init(&opt);
    opt.device = device_name;
    opt.verify = checked ? GFMUL_VERIFY_MOD : GFMUL_VERIFY_NONE;
    check(gfmul_ctx_create(&ctx, &opt), NULL, "context");
    device_open(ctx);
    for (unsigned i = 0; i < in_flight; i++) {
        n[i] = (struct numbers){
            ctx, memory(ctx, pinned, an * 8), memory(ctx, pinned, bn * 8), memory(ctx, pinned, (an + bn) * 8), an, bn, 0};
        fill(n[i].a, an, 1);
        fill(n[i].b, bn, 2);
    }
    one(&n[0]); /* builds, tables */
    unsigned runs = 0;
    const double begin = now_seconds();
    while (runs < 5 || (now_seconds() - begin < seconds && runs < RUNS_MAX)) {
        const double start = now_seconds();
        one(&n[0]);
        time[runs++] = now_seconds() - start;
    }
    gfmul_ctx_report(ctx, &report);
    const double median = median_of(time, runs);
    unsigned rounds = (unsigned)(seconds / median / in_flight) + 2;
    rounds = rounds > 2000 ? 2000 : rounds;
    by_threads(n, in_flight, 2); /* buffers of as many products */
    const double threads = by_threads(n, in_flight, rounds);
    for (unsigned i = 0; i < in_flight; i++)
        memset(n[i].z, 0x5a, (an + bn) * 8);
    const double async = by_async(n, in_flight, rounds);
    bool right = true;
    for (unsigned i = 0; i < in_flight; i++)
        right = is_right(&n[i], expected) && right;
    printf("stream\t%zu\t%zu\t%s\t%s\t%.4f\t%u\t%.4f\t%.4f\tup %.4f\tdown %.4f\tverify %.4f\t%s\t%s\n", an, bn,
           pinned ? "pinned" : "pageable", checked ? "residues" : "none", 1e3 * median, in_flight, 1e3 * async, 1e3 * threads,
           1e-6 * (double)report.upload_ns, 1e-6 * (double)report.download_ns, 1e-6 * (double)report.verify_ns,
           report.plan.device, right ? expected ? "gmp" : "residues" : "WRONG");
    fflush(stdout);
    for (unsigned i = 0; i < in_flight; i++) {
        memory_free(ctx, pinned, n[i].a);
        memory_free(ctx, pinned, n[i].b);
        memory_free(ctx, pinned, n[i].z);
    }
    gfmul_ctx_destroy(ctx);
}

static void options_parse(int argc, char **argv)
{
    enum { DEVICE = 1, ALLOW, STREAM, SECONDS, GMP, HELP };
    static const struct option options[] = {{"device", 1, 0, DEVICE},
                                            {"allow-cpu", 0, 0, ALLOW},
                                            {"stream", 1, 0, STREAM},
                                            {"seconds", 1, 0, SECONDS},
                                            {"gmp", 1, 0, GMP},
                                            {"help", 0, 0, HELP},
                                            {0, 0, 0, 0}};
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case DEVICE:
            device_name = optarg;
            break;
        case ALLOW:
            allow_cpu = true;
            break;
        case STREAM:
            in_flight = (unsigned)strtoul(optarg, NULL, 10);
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
    if (optind == argc || in_flight < 1 || in_flight > K_MAX) {
        usage(stderr);
        exit(2);
    }
}

int device_stream(int argc, char **argv)
{
    struct gfmul_device_info info;
    char why[256] = "";
    options_parse(argc, argv);
    if (gfmul_device_find(&info, device_name, why, sizeof why) != GFMUL_OK) {
        fprintf(stderr, "b-device stream: %s\n", why);
        return 1;
    }
    if (!bench_device_admit(argv[0], &info, allow_cpu))
        return 1;
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
        measure(an, bn, true, false, expected);
        measure(an, bn, true, true, expected);
        measure(an, bn, false, true, expected);
        free(expected);
    }
    return 0;
}
