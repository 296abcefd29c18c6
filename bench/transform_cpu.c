/*
 * transform_cpu.c - plain transforms: the library's algorithms beside each other, and beside FFTW's plans.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Contestants are names of gfmul_fft_algorithm, and "fftw-estimate", "fftw-measure", "fftw-patient": FFTW called directly, one
 * plan, out of place, aligned, for the very buffers.  All transform the same data into the same place.  "-permuted" behind a
 * library's name asks for that order.
 */
#include "bench_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef HAVE_FFTW3
#include "base/fftw_loader.h"
#endif

#include "bench.h"
#include "gfmul_fft.h"

enum { OPT_SIZES = BENCH_OPT_OWN, OPT_WHAT, OPT_ALGORITHMS, OPT_HUGE, OPT_BACKWARD, MAX_CONTESTANTS = 16 };

static struct {
    const char *sizes, *what, *algorithms;
    bool huge, backward;
} wish = {.sizes = "8-22", .what = "cd,rd", .algorithms = "fftw-measure,auto"};

static const struct option own_options[] = {
    {"sizes", required_argument, NULL, OPT_SIZES},           {"what", required_argument, NULL, OPT_WHAT},
    {"algorithms", required_argument, NULL, OPT_ALGORITHMS}, {"huge", no_argument, NULL, OPT_HUGE},
    {"backward", no_argument, NULL, OPT_BACKWARD},           {NULL, 0, NULL, 0},
};

static const char usage[] =
    "Usage: b-fft cpu [OPTION]...\n"
    "Time plain transforms, forward, out of place, natural order.  The first algorithm is the reference.\n"
    "\n"
    "      --sizes LIST       8-12,20: logarithms of lengths; =1000: a length (default 8-22)\n"
    "      --what LIST        of cd, rd, cf, rf: complex, real; double, float (default cd,rd)\n"
    "      --algorithms LIST  names of gfmul-fft --list (auto-permuted: in that order, forward alone), fftw-estimate,\n"
    "                         fftw-measure, fftw-patient\n"
    "                         (default fftw-measure,auto)\n"
    "      --huge             the data in huge pages\n"
    "      --backward         backward instead, not scaled\n";

static void option_take(int value, const char *arg)
{
    switch (value) {
    case OPT_SIZES:
        wish.sizes = arg;
        break;
    case OPT_WHAT:
        wish.what = arg;
        break;
    case OPT_ALGORITHMS:
        wish.algorithms = arg;
        break;
    case OPT_HUGE:
        wish.huge = true;
        break;
    case OPT_BACKWARD:
        wish.backward = true;
        break;
    }
}

/* What is transformed. */
static struct {
    size_t n;
    bool real, is_float;
    void *in, *out;
    size_t in_numbers, out_numbers; /* real numbers on each side */
} work;

struct transform {
    char name[64];
    struct gfmul_fft *plan; /* or, where NULL, FFTW's */
    void *fftw;
    double plan_ns;
};

static bool transform_run(void *arg, size_t calls)
{
    struct transform *t = arg;
    for (size_t i = 0; i < calls; i++) {
        if (t->plan != NULL) {
            enum gfmul_status status =
                wish.backward ? gfmul_fft_backward(t->plan, work.out, work.in) : gfmul_fft_forward(t->plan, work.out, work.in);
            if (status != GFMUL_OK)
                bench_fail("%s: %s", t->name, gfmul_strerror(status));
            continue;
        }
#ifdef HAVE_FFTW3
        if (work.is_float)
            fftwf_calls()->execute(t->fftw);
        else
            fftw_calls()->execute(t->fftw);
#endif
    }
    return true;
}

#ifdef HAVE_FFTW3
#define FFTW_PLAN(prefix, real_type)                                                                               \
    (!work.real      ? (void *)prefix##_calls()->plan_dft_1d((int)work.n, work.in, work.out, wish.backward ? 1 : -1, flags) \
     : wish.backward ? (void *)prefix##_calls()->plan_dft_c2r_1d((int)work.n, work.in, (real_type *)work.out, flags)        \
                     : (void *)prefix##_calls()->plan_dft_r2c_1d((int)work.n, (real_type *)work.in, work.out, flags))

static void *fftw_create(const char *rigor)
{
    unsigned flags = strcmp(rigor, "estimate") == 0  ? FFTW_ESTIMATE
                     : strcmp(rigor, "measure") == 0 ? FFTW_MEASURE
                     : strcmp(rigor, "patient") == 0 ? FFTW_PATIENT
                                                     : ~0u;
    if (flags == ~0u)
        usage_fail("FFTW's plans are fftw-estimate, fftw-measure, fftw-patient");
    flags |= FFTW_PRESERVE_INPUT;
    if (work.is_float)
        return fftwf_calls() == NULL ? NULL : FFTW_PLAN(fftwf, float);
    return fftw_calls() == NULL ? NULL : FFTW_PLAN(fftw, double);
}
#endif

/* transform_make - a plan by name; false where the algorithm does not do this type or precision. */
static bool transform_make(struct transform *t, const char *name, const struct bench_settings *s)
{
    struct gfmul_fft_options opt;
    snprintf(t->name, sizeof t->name, "%s", name);
    t->plan = NULL;
    t->fftw = NULL;
    double start = clock_read_ns(s);
    if (strncmp(name, "fftw-", 5) == 0) {
#ifdef HAVE_FFTW3
        t->fftw = fftw_create(name + 5);
#endif
        t->plan_ns = clock_read_ns(s) - start;
        return t->fftw != NULL;
    }
    gfmul_fft_options_init(&opt);
    opt.type = work.real ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX;
    opt.precision = work.is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.threads = s->library.threads;
    char base[sizeof t->name];
    snprintf(base, sizeof base, "%s", name);
    char *suffix = strstr(base, "-permuted");
    if (suffix != NULL && suffix[strlen("-permuted")] == '\0') {
        if (wish.backward)
            usage_fail("-permuted is forward alone: backward has the same data in another order");
        *suffix = '\0';
        opt.order = GFMUL_FFT_PERMUTED;
    }
    opt.algorithm = base;
    enum gfmul_status status = gfmul_fft_create(&t->plan, work.n, &opt);
    t->plan_ns = clock_read_ns(s) - start;
    if (status == GFMUL_OK || status == GFMUL_ERR_UNSUPPORTED)
        return status == GFMUL_OK;
    bench_fail("%s, n = %zu: %s", name, work.n, gfmul_strerror(status));
}

static void transform_free(struct transform *t)
{
    gfmul_fft_destroy(t->plan);
#ifdef HAVE_FFTW3
    if (t->fftw != NULL && work.is_float)
        fftwf_calls()->destroy_plan(t->fftw);
    else if (t->fftw != NULL)
        fftw_calls()->destroy_plan(t->fftw);
#endif
}

static void *buffer_make(size_t numbers)
{
    size_t bytes = (numbers * sizeof(double) + 64 + ((size_t)2 << 20) - 1) >> 21 << 21;
    void *p = aligned_alloc((size_t)2 << 20, bytes);
    if (p == NULL)
        bench_fail("out of memory");
#ifdef MADV_HUGEPAGE
    (void)madvise(p, bytes, wish.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
    memset(p, 0, bytes);
    return p;
}

static double out_get(size_t i)
{
    return work.is_float ? (double)((const float *)work.out)[i] : ((const double *)work.out)[i];
}

/* Planning by measuring overwrites it. */
static void input_fill(const struct bench_settings *s)
{
    uint64_t state = s->seed + work.n;
    for (size_t i = 0; i < work.in_numbers; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double x = (double)(int64_t)state * 0x1p-63;
        if (work.real && wish.backward && (i == 1 || i == work.n + 1))
            x = 0;
        if (work.is_float)
            ((float *)work.in)[i] = (float)x;
        else
            ((double *)work.in)[i] = x;
    }
}

static void measure(const struct bench_settings *s, size_t n, const char *what)
{
    struct transform t[MAX_CONTESTANTS];
    struct contestant c[MAX_CONTESTANTS];
    double *first = NULL, difference[MAX_CONTESTANTS];
    size_t count = 0;
    work.n = n;
    work.real = what[0] == 'r';
    work.is_float = what[1] == 'f';
    size_t time_numbers = work.real ? n : 2 * n, frequency_numbers = work.real ? 2 * (n / 2 + 1) : 2 * n;
    work.in_numbers = wish.backward ? frequency_numbers : time_numbers;
    work.out_numbers = wish.backward ? time_numbers : frequency_numbers;
    work.in = buffer_make(work.in_numbers);
    work.out = buffer_make(work.out_numbers);
    char *names = strdup(wish.algorithms), *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
        if (count == MAX_CONTESTANTS)
            usage_fail("at most %d algorithms", MAX_CONTESTANTS);
        if (transform_make(&t[count], name, s)) {
            c[count] = (struct contestant){.name = t[count].name, .run = transform_run, .arg = &t[count]};
            count++;
        }
    }
    free(names);
    input_fill(s);
    first = bench_alloc(work.out_numbers, sizeof *first);
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double worst = 0;
        transform_run(&t[i], 1);
        for (size_t k = 0; k < work.out_numbers; k++) {
            const double x = out_get(k);
            const size_t at = t[i].plan != NULL && !wish.backward ? 2 * gfmul_fft_frequency(t[i].plan, k / 2) + k % 2 : k;
            if (i == 0) {
                first[at] = x;
                squares += x * x;
            }
            worst = fmax(worst, fabs(x - first[at]));
        }
        difference[i] = worst / sqrt(squares / (double)n);
        if (!(difference[i] < (work.is_float ? 1e-4 : 1e-12)))
            bench_fail("%s and %s, n = %zu: results differ by %g", t[0].name, t[i].name, n, difference[i]);
    }
    free(first);
    if (count > 0)
        bench_measure(c, count, s, s->seconds, s->rounds);
    for (size_t i = 0; i < count; i++)
        printf("%zu\t%s\t%s\t%s\t%.4g\t%.5g\t%.5g\t%.4g\t%.3f\t%.2g\n", n, work.real ? "real" : "complex",
               work.is_float ? "float" : "double", c[i].name, t[i].plan_ns * 1e-6, c[i].median_ns * 1e-3, c[i].min_ns * 1e-3,
               5 * (double)n * log2((double)n) / c[i].median_ns / (work.real ? 2 : 1), 1 / c[i].ratio, difference[i]);
    fflush(stdout);
    contestants_free(c, count);
    for (size_t i = 0; i < count; i++)
        transform_free(&t[i]);
    free(work.in);
    free(work.out);
}

static void measure_all(const struct bench_settings *s, size_t n)
{
    char *list = strdup(wish.what), *rest = NULL;
    for (char *what = strtok_r(list, ",", &rest); what != NULL; what = strtok_r(NULL, ",", &rest)) {
        if (strcmp(what, "cd") != 0 && strcmp(what, "rd") != 0 && strcmp(what, "cf") != 0 && strcmp(what, "rf") != 0)
            usage_fail("what '%s': cd, rd, cf or rf is needed", what);
        measure(s, n, what);
    }
    free(list);
}

int transform_cpu(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-fft cpu", .usage = usage, .own = own_options, .take = option_take, .seconds = 0.5, .rounds = 7};
    struct bench_settings settings;
    bench_options_parse(&settings, &program, argc, argv);
    provenance_print(&settings, argc, argv);
    printf(
        "# what: %s; speedup: median of the first algorithm's time over this one's in the same round; gflops: 5 n log2 n, half\n"
        "# of it for real ones; difference: largest from the first one's result, over the root mean square of the input's\n",
        wish.backward ? "backward" : "forward");
    printf("n\ttype\tprecision\talgorithm\tplan_ms\tmedian_us\tmin_us\tgflops\tspeedup\tdifference\n");
    char *list = strdup(wish.sizes), *rest = NULL;
    for (char *item = strtok_r(list, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
        if (*item == '=') {
            measure_all(&settings, size_parse("length", item + 1));
            continue;
        }
        unsigned from, to;
        int end = 0, fields = sscanf(item, "%u%n-%u%n", &from, &end, &to, &end);
        if (fields < 1 || item[end] != 0 || from > 29 || (fields == 2 && (to > 29 || to < from)))
            usage_fail("sizes '%s': 8-12, 20 or =1000 is needed", item);
        for (unsigned k = from; k <= (fields == 2 ? to : from); k++)
            measure_all(&settings, (size_t)1 << k);
    }
    free(list);
    return 0;
}
