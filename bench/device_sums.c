/*
 * device_sums.c - sums of products in a space on an OpenCL device, against as many products there.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: see usage() below.  For each size and number of products one line, tab-separated:
 *
 *     LIMBS K PRODUCTS_MS NEW_MS RATIO SIDE_MS RATIO KEPT_MS RATIO ROUNDS BITS CHECK
 *
 * PRODUCTS_MS: K products of numbers on the device, by gfmul_device_operand_mul, one after the other; their sum is not made.
 * The others are the sum of these products, from numbers on the device to a number on the device: NEW without any transform,
 * SIDE with those of one side, KEPT with all of them.  All take turns in one process.  Times are medians of wall time; a ratio
 * is the median of the ratios to the products of the same round.  CHECK: the sums are compared with the products', which are
 * added on the host.  With --kernels all times have the profile's share.
 */
#include "bench_device.h"
#include "bench_parts.h"

#include <getopt.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gfmul_arith.h"

enum { K_MOST = 1024, ROUNDS_MOST = 1000, WAYS = 4, LISTS = 16 };

static const char *device_name = "gpu";
static enum gfmul_precision precision = GFMUL_PRECISION_AUTO;
static bool allow_cpu, kernels;
static double seconds = 1;
static size_t list[LISTS] = {2, 16, 64}, n_list = 3;

static void usage(FILE *f)
{
    fputs("Usage: b-device sums [OPTION]... LIMBS...\n"
          "Time sums of products of LIMBS by LIMBS limbs in a space on an OpenCL device, against as many products.\n\n"
          "  --device NAME    as bigmul (default gpu)\n"
          "  --allow-cpu      on a device that is no GPU too: for tests, the times say nothing\n"
          "  --products LIST  numbers of products (default 2,16,64)\n"
          "  --precision P    auto, double, prime (default auto)\n"
          "  --kernels        each sum's kernels too: name, launches, ms, GB/s\n"
          "  --seconds S      for each line (default 1)\n"
          "  --help           print this and exit\n",
          f);
}

/* The numbers of one line. */
static struct {
    struct gfmul_ctx *ctx;
    struct gfmul_space *space;
    size_t n, k;
    struct gfmul_device_operand *a[K_MOST], *b[K_MOST], *product, *sum;
    struct gfmul_spectrum *x[K_MOST], *y[K_MOST], *z;
} now;

static void check(enum gfmul_status status)
{
    struct gfmul_report report;
    if (status == GFMUL_OK)
        return;
    gfmul_ctx_report(now.ctx, &report);
    fprintf(stderr, "b-device sums: %s: %s\n", gfmul_strerror(status), report.detail);
    exit(1);
}

static void products_make(void)
{
    for (size_t i = 0; i < now.k; i++)
        check(gfmul_device_operand_mul(now.product, now.a[i], now.b[i]));
}

/* side_set - all factors of one side are new. */
static void side_set(struct gfmul_spectrum **x, struct gfmul_device_operand *const *a)
{
    for (size_t i = 0; i < now.k; i++)
        check(gfmul_spectrum_set_device(x[i], a[i]));
}

static void sum_make(void)
{
    check(gfmul_spectrum_dot(now.z, now.x, now.y, now.k));
    check(gfmul_spectrum_get_device(now.z, now.sum, NULL));
}

static void new_make(void)
{
    side_set(now.x, now.a);
    side_set(now.y, now.b);
    sum_make();
}

static void side_make(void)
{
    side_set(now.y, now.b);
    sum_make();
}

static double time_of(void (*make)(void))
{
    const double begin = now_seconds();
    make();
    return now_seconds() - begin;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_size);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* sum_want - the sum of all products, which are fetched and added up here, 2 n + 1 limbs. */
static mp_limb_t *sum_want(void)
{
    const size_t zn = 2 * now.n + 1;
    mp_limb_t *want = bench_alloc(zn, sizeof *want), *z = bench_alloc(zn, sizeof *z);
    for (size_t i = 0; i < now.k; i++) {
        check(gfmul_device_operand_mul(now.product, now.a[i], now.b[i]));
        check(gfmul_device_operand_get(now.product, z, zn));
        mpn_add_n(want, want, z, (mp_size_t)zn);
    }
    free(z);
    return want;
}

static bool sum_is(const mp_limb_t *want)
{
    const size_t zn = 2 * now.n + 1;
    mp_limb_t *z = bench_alloc(zn, sizeof *z);
    check(gfmul_device_operand_get(now.sum, z, zn));
    const bool same = mpn_cmp(z, want, (mp_size_t)zn) == 0;
    free(z);
    return same;
}

/* rounds_measure - each way in turn; the first round is not counted.   Returns how many. */
static size_t rounds_measure(double time[WAYS][ROUNDS_MOST], bool *right)
{
    void (*const ways[WAYS])(void) = {products_make, new_make, side_make, sum_make};
    mp_limb_t *want = sum_want();
    size_t n = 0;
    *right = true;
    for (unsigned w = 1; w < WAYS; w++) {
        ways[w]();
        *right = *right && sum_is(want);
    }
    free(want);
    for (const double end = now_seconds() + seconds; n < ROUNDS_MOST && (n < 5 || now_seconds() < end); n++)
        for (unsigned w = 0; w < WAYS; w++)
            time[w][n] = time_of(ways[w]);
    return n;
}

static void line_print(double time[WAYS][ROUNDS_MOST], size_t n, bool right)
{
    struct gfmul_report report;
    gfmul_ctx_report(now.ctx, &report);
    printf("%zu\t%zu", now.n, now.k);
    double ratio[WAYS];
    for (unsigned w = 1; w < WAYS; w++) {
        double of[ROUNDS_MOST];
        for (size_t i = 0; i < n; i++)
            of[i] = time[w][i] / time[0][i];
        ratio[w] = median(of, n);
    }
    for (unsigned w = 0; w < WAYS; w++) {
        printf("\t%.4f", 1e3 * median(time[w], n));
        if (w > 0)
            printf("\t%.3f", ratio[w]);
    }
    printf("\t%zu\t%.3g\t%s\n", n, report.plan.l, right ? "right" : "WRONG");
    fflush(stdout);
    if (!right)
        exit(1);
}

/* number_make - a number on the device with n random limbs. */
static struct gfmul_device_operand *number_make(mp_limb_t *p)
{
    struct gfmul_device_operand *x;
    mpn_random(p, (mp_size_t)now.n);
    check(gfmul_device_operand_create(now.ctx, &x, now.n));
    check(gfmul_device_operand_set(x, p, now.n));
    return x;
}

/* kernels_print - those of a sum of numbers without transforms, and of one with all of them. */
static void kernels_print(void)
{
    static const struct {
        const char *name;
        void (*make)(void);
    } ways[] = {{"new", new_make}, {"kept", sum_make}};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct gfmul_kernel_time time[32];
        ways[w].make();
        const unsigned n = gfmul_ctx_kernels(now.ctx, time, 32);
        for (unsigned i = 0; i < n && i < 32; i++)
            printf("kernel\t%s\t%s\t%u\t%.4f\t%.0f\n", ways[w].name, time[i].name, time[i].launches, 1e-6 * (double)time[i].ns,
                   time[i].bytes / (double)time[i].ns);
    }
}

static void line_measure(size_t n, size_t k)
{
    static double time[WAYS][ROUNDS_MOST];
    mp_limb_t *p = bench_alloc(n, sizeof *p);
    bool right;
    now.n = n;
    now.k = k;
    check(gfmul_space_create(now.ctx, &now.space, 2 * n + 1, k));
    check(gfmul_spectrum_create(now.space, &now.z));
    check(gfmul_device_operand_create(now.ctx, &now.product, 2 * n));
    check(gfmul_device_operand_create(now.ctx, &now.sum, 2 * n + 1));
    for (size_t i = 0; i < k; i++) {
        now.a[i] = number_make(p);
        now.b[i] = number_make(p);
        check(gfmul_spectrum_create(now.space, &now.x[i]));
        check(gfmul_spectrum_create(now.space, &now.y[i]));
    }
    const size_t rounds = rounds_measure(time, &right);
    line_print(time, rounds, right);
    if (kernels)
        kernels_print();
    for (size_t i = 0; i < k; i++) {
        gfmul_spectrum_destroy(now.x[i]);
        gfmul_spectrum_destroy(now.y[i]);
        gfmul_device_operand_destroy(now.a[i]);
        gfmul_device_operand_destroy(now.b[i]);
    }
    gfmul_spectrum_destroy(now.z);
    gfmul_device_operand_destroy(now.product);
    gfmul_device_operand_destroy(now.sum);
    gfmul_space_destroy(now.space);
    gfmul_ctx_trim(now.ctx);
    free(p);
}

/* list_parse - numbers of products; false: that is no list of them. */
static bool list_parse(const char *arg)
{
    for (n_list = 0; n_list < LISTS; n_list++) {
        char *end;
        const unsigned long k = strtoul(arg, &end, 10);
        if (end == arg || k < 1 || k > K_MOST || (*end != '\0' && *end != ','))
            return false;
        list[n_list] = k;
        if (*end == '\0')
            return ++n_list > 0;
        arg = end + 1;
    }
    return false;
}

static bool precision_parse(const char *arg)
{
    static const struct {
        const char *name;
        enum gfmul_precision precision;
    } known[] = {{"auto", GFMUL_PRECISION_AUTO}, {"double", GFMUL_PRECISION_DOUBLE}, {"prime", GFMUL_PRECISION_PRIME}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(arg, known[i].name) == 0) {
            precision = known[i].precision;
            return true;
        }
    return false;
}

int device_sums(int argc, char **argv)
{
    enum { DEVICE = 1, ALLOW, PRODUCTS, PRECISION, KERNELS, SECONDS };
    static const struct option options[] = {
        {"device", 1, 0, DEVICE},   {"allow-cpu", 0, 0, ALLOW}, {"products", 1, 0, PRODUCTS}, {"precision", 1, 0, PRECISION},
        {"kernels", 0, 0, KERNELS}, {"seconds", 1, 0, SECONDS}, {"help", 0, 0, 'h'},          {0, 0, 0, 0}};
    struct gfmul_device_info info;
    struct gfmul_options opt;
    char detail[256];
    bool good = true;
    for (int c; good && (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == DEVICE)
            device_name = optarg;
        else if (c == ALLOW)
            allow_cpu = true;
        else if (c == PRODUCTS)
            good = list_parse(optarg);
        else if (c == PRECISION)
            good = precision_parse(optarg);
        else if (c == KERNELS)
            kernels = true;
        else if (c == SECONDS)
            seconds = strtod(optarg, NULL);
        else if (c == 'h')
            return usage(stdout), 0;
        else
            good = false;
    }
    if (!good || optind == argc)
        return usage(stderr), 2;
    if (gfmul_device_find(&info, device_name, detail, sizeof detail) != GFMUL_OK) {
        fprintf(stderr, "b-device sums: %s\n", detail);
        return 1;
    }
    if (!bench_device_admit("b-device sums", &info, allow_cpu))
        return 1;
    gfmul_options_init(&opt);
    opt.device = device_name;
    opt.precision = precision;
    opt.profile = kernels;
    check(gfmul_ctx_create(&now.ctx, &opt));
    bench_device_line("b-device sums", &info);
    printf("\nlimbs\tk\tproducts_ms\tnew_ms\tratio\tside_ms\tratio\tkept_ms\tratio\trounds\tbits\tcheck\n");
    for (; optind < argc; optind++) {
        size_t n, same;
        if (!bench_device_sizes(argv[optind], &n, &same))
            return usage(stderr), 2;
        for (size_t i = 0; i < n_list; i++)
            line_measure(n, list[i]);
    }
    gfmul_ctx_destroy(now.ctx);
    return fclose(stdout) == 0 ? 0 : 1;
}
