/*
 * b-versions.c - two builds of the library against each other, in one process, call by call.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: see usage() below.  For each kind of product and size one line, tab-separated:
 *
 *     versions  KIND N OLD_US NEW_US RATIO
 *
 * OLD_US and NEW_US are medians of the time of one product; RATIO is the median of NEW / OLD over rounds in which each build had
 * its turn.  Kinds: norm, checked, sqr, t2 (two threads), fixed (a fixed operand), text (decimal digits); resident and host, on
 * an OpenCL device.  The first products of the two builds are compared with each other.
 *
 * On a device each build has a context of its own.  A driver that switches between them takes longer for short products, and not
 * the same for both.  There compare OLD.so with itself, then NEW.so with itself.
 */
#include <dlfcn.h>
#include <getopt.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "gfmul.h"
#include "median.h"

enum { ROUNDS_MOST = 1001 };

/* The functions of one build. */
struct build {
    void (*options_init)(struct gfmul_options *);
    enum gfmul_status (*create)(struct gfmul_ctx **, const struct gfmul_options *);
    void (*destroy)(struct gfmul_ctx *);
    enum gfmul_status (*mul)(struct gfmul_ctx *, mp_limb_t *, const mp_limb_t *, size_t, const mp_limb_t *, size_t);
    enum gfmul_status (*sqr)(struct gfmul_ctx *, mp_limb_t *, const mp_limb_t *, size_t);
    enum gfmul_status (*text)(struct gfmul_ctx *, char *, size_t, size_t *, int, const char *, size_t, int, const char *, size_t,
                              int);
    enum gfmul_status (*fixed_create)(struct gfmul_ctx *, struct gfmul_operand **, const mp_limb_t *, size_t, size_t);
    enum gfmul_status (*fixed_mul)(struct gfmul_operand *, mp_limb_t *, const mp_limb_t *, size_t);
    void (*fixed_destroy)(struct gfmul_operand *);
    enum gfmul_status (*number_create)(struct gfmul_ctx *, struct gfmul_device_operand **, size_t);
    enum gfmul_status (*number_set)(struct gfmul_device_operand *, const mp_limb_t *, size_t);
    enum gfmul_status (*number_get)(const struct gfmul_device_operand *, mp_limb_t *, size_t);
    enum gfmul_status (*number_mul)(struct gfmul_device_operand *, const struct gfmul_device_operand *,
                                    const struct gfmul_device_operand *);
    void (*number_destroy)(struct gfmul_device_operand *);
    struct gfmul_ctx *ctx;
    struct gfmul_operand *fixed;
    struct gfmul_device_operand *number[3];
    char *product; /* z, in limbs or characters */
};

static const char *const kinds[] = {"norm", "checked", "sqr", "t2", "fixed", "text", "resident", "host"};
enum kind { NORM, CHECKED, SQR, T2, FIXED, TEXT, RESIDENT, HOST, KINDS };

static mp_limb_t *a, *b;
static char *a_text, *b_text;

static void usage(FILE *f)
{
    fputs("Usage: b-versions [OPTION]... OLD.so NEW.so KIND SIZE...\n"
          "Time products of SIZE limbs (text: digits) by two builds of libgfmul, in turns.\n\n"
          "  --seconds S    for each size (default 2)\n"
          "  --device NAME  for the kinds resident and host (default gpu)\n"
          "  --help         print this and exit\n"
          "Kinds: norm checked sqr t2 fixed text resident host\n",
          f);
}

static void check(enum gfmul_status status, const char *what)
{
    if (status == GFMUL_OK)
        return;
    fprintf(stderr, "b-versions: %s: status %d\n", what, (int)status);
    exit(1);
}

/* symbol - a function of a build, into a pointer of any type. */
static void symbol(void *lib, const char *name, void *function)
{
    void *p = dlsym(lib, name);
    if (!p) {
        fprintf(stderr, "b-versions: %s\n", dlerror());
        exit(1);
    }
    memcpy(function, &p, sizeof p);
}

static void build_load(struct build *l, const char *path)
{
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        fprintf(stderr, "b-versions: %s\n", dlerror());
        exit(1);
    }
    memset(l, 0, sizeof *l);
    symbol(lib, "gfmul_options_init", &l->options_init);
    symbol(lib, "gfmul_ctx_create", &l->create);
    symbol(lib, "gfmul_ctx_destroy", &l->destroy);
    symbol(lib, "gfmul_mul", &l->mul);
    symbol(lib, "gfmul_sqr", &l->sqr);
    symbol(lib, "gfmul_str_mul", &l->text);
    symbol(lib, "gfmul_operand_create", &l->fixed_create);
    symbol(lib, "gfmul_operand_mul", &l->fixed_mul);
    symbol(lib, "gfmul_operand_destroy", &l->fixed_destroy);
    symbol(lib, "gfmul_device_operand_create", &l->number_create);
    symbol(lib, "gfmul_device_operand_set", &l->number_set);
    symbol(lib, "gfmul_device_operand_get", &l->number_get);
    symbol(lib, "gfmul_device_operand_mul", &l->number_mul);
    symbol(lib, "gfmul_device_operand_destroy", &l->number_destroy);
}

/* build_begin - a context, and what the kind needs beside it. */
static void build_begin(struct build *l, enum kind kind, size_t n, const char *device)
{
    struct gfmul_options opt;
    l->options_init(&opt);
    opt.device = kind >= RESIDENT ? device : "cpu";
    opt.threads = kind == T2 ? 2 : kind == HOST ? 0 : 1;
    opt.rule = kind == CHECKED ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM;
    check(l->create(&l->ctx, &opt), "context");
    l->product = calloc(2 * n + 8, sizeof(mp_limb_t));
    if (kind == FIXED)
        check(l->fixed_create(l->ctx, &l->fixed, b, n, n), "fixed operand");
    for (unsigned i = 0; kind == RESIDENT && i < 3; i++)
        check(l->number_create(l->ctx, &l->number[i], i < 2 ? n : 2 * n), "number on the device");
    if (kind == RESIDENT) {
        check(l->number_set(l->number[0], a, n), "upload");
        check(l->number_set(l->number[1], b, n), "upload");
    }
}

static void build_end(struct build *l)
{
    for (unsigned i = 0; i < 3; i++)
        l->number_destroy(l->number[i]);
    l->fixed_destroy(l->fixed);
    l->destroy(l->ctx);
    free(l->product);
    l->fixed = NULL;
    memset(l->number, 0, sizeof l->number);
}

/* product_ns - the time of one product. */
static double product_ns(struct build *l, enum kind kind, size_t n)
{
    mp_limb_t *z = (mp_limb_t *)(void *)l->product;
    const uint64_t start = clock_ns();
    enum gfmul_status status;
    if (kind == SQR)
        status = l->sqr(l->ctx, z, a, n);
    else if (kind == FIXED)
        status = l->fixed_mul(l->fixed, z, a, n);
    else if (kind == TEXT)
        status = l->text(l->ctx, l->product, 2 * n + 2, NULL, 10, a_text, n, 10, b_text, n, 10);
    else if (kind == RESIDENT)
        status = l->number_mul(l->number[2], l->number[0], l->number[1]);
    else
        status = l->mul(l->ctx, z, a, n, b, n);
    const double ns = (double)(clock_ns() - start);
    check(status, kinds[kind]);
    return ns;
}

static void size_run(struct build l[2], enum kind kind, size_t n, double seconds, const char *device)
{
    static double time[2][ROUNDS_MOST], ratio[ROUNDS_MOST];
    for (unsigned i = 0; i < 2; i++) {
        build_begin(&l[i], kind, n, device);
        for (unsigned warm = 0; warm < 3; warm++)
            product_ns(&l[i], kind, n);
        if (kind == RESIDENT)
            check(l[i].number_get(l[i].number[2], (mp_limb_t *)(void *)l[i].product, 2 * n), "download");
    }
    if (memcmp(l[0].product, l[1].product, kind == TEXT ? 2 * n : 2 * n * sizeof(mp_limb_t)) != 0) {
        fprintf(stderr, "b-versions: the two products differ\n");
        exit(1);
    }
    const double once = product_ns(&l[0], kind, n);
    const unsigned batch = once < 2e5 ? (unsigned)(2e5 / once) + 1 : 1; /* of a sample: 0.2 ms or more */
    const uint64_t start = clock_ns();
    unsigned rounds = 0;
    while (rounds < ROUNDS_MOST && (rounds < 7 || (double)(clock_ns() - start) < 1e9 * seconds)) {
        for (unsigned turn = 0; turn < 2; turn++) {
            const unsigned i = turn ^ (rounds & 1);
            double sum = 0;
            for (unsigned k = 0; k < batch; k++)
                sum += product_ns(&l[i], kind, n);
            time[i][rounds] = sum / batch;
        }
        ratio[rounds] = time[1][rounds] / time[0][rounds];
        rounds++;
    }
    const double was = median_of(time[0], rounds), is = median_of(time[1], rounds), by = median_of(ratio, rounds);
    printf("versions\t%s\t%zu\t%.3f\t%.3f\t%.4f\n", kinds[kind], n, was / 1e3, is / 1e3, by);
    fflush(stdout);
    build_end(&l[0]);
    build_end(&l[1]);
}

/* operands_fill - random limbs, and random digits without a leading zero. */
static void operands_fill(size_t n)
{
    a = realloc(a, n * sizeof *a);
    b = realloc(b, n * sizeof *b);
    a_text = realloc(a_text, n);
    b_text = realloc(b_text, n);
    mpn_random(a, (mp_size_t)n);
    mpn_random(b, (mp_size_t)n);
    for (size_t i = 0; i < n; i++) {
        a_text[i] = (char)('1' + a[i] % 9);
        b_text[i] = (char)('1' + b[i] % 9);
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"seconds", required_argument, NULL, 's'},
                                            {"device", required_argument, NULL, 'd'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *device = "gpu";
    double seconds = 2;
    struct build l[2];
    unsigned kind = 0;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 's') {
            seconds = atof(optarg);
        } else if (c == 'd') {
            device = optarg;
        } else {
            usage(c == 'h' ? stdout : stderr);
            return c == 'h' ? 0 : 2;
        }
    }
    if (argc - optind < 4) {
        usage(stderr);
        return 2;
    }
    while (kind < KINDS && strcmp(kinds[kind], argv[optind + 2]) != 0)
        kind++;
    if (kind == KINDS) {
        usage(stderr);
        return 2;
    }
    build_load(&l[0], argv[optind]);
    build_load(&l[1], argv[optind + 1]);
    for (int i = optind + 3; i < argc; i++) {
        char *end;
        const double wished = strtod(argv[i], &end);
        if (*end != '\0' || !(wished >= 1 && wished <= 1e9)) {
            fprintf(stderr, "b-versions: %s is no size\n", argv[i]);
            return 2;
        }
        const size_t n = (size_t)wished;
        operands_fill(n);
        size_run(l, (enum kind)kind, n, seconds, device);
    }
    return 0;
}
