/*
 * gfmul-fft.c - the plain FFT on the command line: list algorithms, verify one, time one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined HAVE_OPENCL && !defined OPENCL_LOADED
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif

#include <gfmul_fft.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_FAILED = 3, GO_ON = -1, SAMPLES = 32 };

static const char usage[] =
    "Usage: gfmul-fft --list\n"
    "       gfmul-fft [OPTION]... --n N --verify\n"
    "       gfmul-fft [OPTION]... --n N --time\n"
    "List, verify and time the Fourier transforms of the gallery. The output is a TSV table.\n\n"
    "  -l, --list              names, devices, and what each algorithm is\n"
    "  -a, --algorithm=NAME    the algorithm (auto; with --device \"opencl\")\n"
    "  -n, --n=N               length; 2^K is a power of two\n"
    "  -b, --batch=B           transforms at once (1)\n"
    "  -y, --type=TYPE         c2c, r2c or c2r (c2c)\n"
    "  -p, --precision=P       float or double (double)\n"
    "  -t, --threads=T         at most T threads (OMP_NUM_THREADS, or all cores)\n"
    "  -d, --device=D          algorithms of device \"opencl\": gpu, an index or a name, as bigmul has them (gpu)\n"
    "  -o, --order=ORDER       of a spectrum: natural, or permuted as convolutions take it (natural)\n"
    "      --memory=M          with a device: staged, use-host or alloc-host memory (staged)\n"
    "      --twiddles=W        local, local_groups: roots from image, constant or global memory, or\n"
    "                          native: fast sines, float alone (the first that can be)\n"
    "      --verify            errors against the definition in long double; status 1 if they are too large\n"
    "      --time              median of many runs, GFLOP/s by 5 N log2 N, GB/s of input and output; with a device from\n"
    "                          host memory and back, and for data that are on the device already (device_)\n"
    "      --help, --version\n\n"
    "Exit status: 0 done, 1 wrong results, 2 bad usage, 3 the transform could not be done, or its report not written.\n";

struct request {
    const char *algorithm, *device, *type, *which;
    size_t n, batch;
    bool real, backward, is_float, list, verify, time;
    double allowed; /* factor on the usual error limits */
    unsigned threads;
    enum gfmul_fft_memory memory;
    enum gfmul_fft_order order;
    enum gfmul_fft_twiddles twiddles;
};

/* A positive number, or 2^K; 0: it is none. */
static size_t size_parse(const char *s)
{
    char *end;
    errno = 0;
    if (*s < '0' || *s > '9')
        return 0;
    unsigned long long n = strtoull(s, &end, 10);
    if (end != s && *end == '^' && n == 2 && end[1] >= '0' && end[1] <= '9') {
        unsigned long k = strtoul(end + 1, &end, 10);
        n = k < 60 ? 1ull << k : 0;
    }
    return *end != '\0' || errno != 0 || n > SIZE_MAX ? 0 : (size_t)n;
}

static size_t frequencies(const struct request *r)
{
    return r->real ? r->n / 2 + 1 : r->n;
}

/* Reals of one transform on the time side or on the frequency side. */
static size_t numbers(const struct request *r, bool time_side)
{
    return time_side ? (r->real ? r->n : 2 * r->n) : 2 * frequencies(r);
}

static double get(const struct request *r, const void *p, size_t i)
{
    return r->is_float ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

static void put(const struct request *r, void *p, size_t i, double x)
{
    if (r->is_float)
        ((float *)p)[i] = (float)x;
    else
        ((double *)p)[i] = x;
}

static uint64_t random_state = 1;

static double random_number(void) /* in [-1, 1), exact in single precision */
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 40) / (1 << 23) - 1;
}

/* Complex input number j of transform b, including the half of a real signal's spectrum that is not stored. */
static void input_get(const struct request *r, const void *in, size_t b, size_t j, long double v[2])
{
    if (!r->backward && r->real) {
        v[0] = get(r, in, b * r->n + j);
        v[1] = 0;
        return;
    }
    size_t stored = r->real && j > r->n / 2 ? r->n - j : j, at = 2 * (b * frequencies(r) + stored);
    v[0] = get(r, in, at);
    v[1] = r->real && (stored == 0 || 2 * stored == r->n) ? 0 : get(r, in, at + 1);
    if (stored != j)
        v[1] = -v[1];
}

/* The error of result `place` of transform b against the definition, and the norm of its input. */
static double error_get(const struct request *r, const struct gfmul_fft *plan, const void *out, const void *in, size_t b,
                        size_t place, double *norm)
{
    const size_t k = r->backward ? place : gfmul_fft_frequency(plan, place);
    const long double two_pi = 6.283185307179586476925286766559005768L;
    long double re = 0, im = 0, squares = 0;
    for (size_t j = 0; j < r->n; j++) {
        long double v[2];
        size_t e = (size_t)((unsigned __int128)(r->backward ? gfmul_fft_frequency(plan, j) : j) * k % r->n);
        long double angle = e > r->n / 2 ? -(two_pi * (long double)(r->n - e)) : two_pi * (long double)e;
        long double c = cosl(angle / (long double)r->n), s = sinl(angle / (long double)r->n);
        s = r->backward ? s : -s;
        input_get(r, in, b, j, v);
        re += v[0] * c - v[1] * s;
        im += v[0] * s + v[1] * c;
        squares += v[0] * v[0] + v[1] * v[1];
    }
    *norm = (double)sqrtl(squares);
    if (r->backward && r->real)
        return fabs((double)(get(r, out, b * r->n + place) - re));
    size_t at = 2 * (b * (r->backward ? r->n : frequencies(r)) + place);
    return hypot((double)(get(r, out, at) - re), (double)(get(r, out, at + 1) - im));
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int double_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static enum gfmul_status transform(const struct request *r, const struct gfmul_fft *plan, void *out, const void *in)
{
    return r->backward ? gfmul_fft_backward(plan, out, in) : gfmul_fft_forward(plan, out, in);
}

static enum gfmul_status verify(const struct request *r, const struct gfmul_fft *plan, void *out, const void *in, bool *right)
{
    double squares = 0, worst = 0, eps = r->is_float ? FLT_EPSILON : DBL_EPSILON;
    size_t count = r->backward ? r->n : frequencies(r), samples = r->n <= 1024 ? count : SAMPLES, done = 0;
    enum gfmul_status status = transform(r, plan, out, in);
    if (status != GFMUL_OK)
        return status;
    const size_t step = r->batch == 1 ? 1 : r->batch - 1; /* first and last of the batch */
    for (size_t b = 0; b < r->batch; b += step)
        for (size_t i = 0; i < samples; i++) {
            double norm, e;
            size_t k = samples == count ? i : (size_t)((random_number() + 1) / 2 * (double)count);
            e = error_get(r, plan, out, in, b, k < count ? k : count - 1, &norm) / (eps * log2(2 * (double)r->n) * norm);
            squares += e * e;
            worst = e > worst || isnan(e) ? e : worst;
            done++;
        }
    double rms = sqrt(squares / (double)done);
    *right = rms <= r->allowed && worst <= 4 * r->allowed;
    printf("algorithm\tdevice\tn\tbatch\ttype\tprecision\trms_error\tmax_error\tresult\n"
           "%s\t%s\t%zu\t%zu\t%s\t%s\t%.3g\t%.3g\t%s\n",
           r->algorithm, r->device, r->n, r->batch, r->type, r->is_float ? "float" : "double", rms, worst,
           *right ? "right" : "wrong");
    return GFMUL_OK;
}

enum { ROUNDS = 15 };

#if defined HAVE_OPENCL && !defined OPENCL_LOADED
/* time_device - seconds for a transform of data on the device: wall clock until the queue is finished, median of rounds. */
static enum gfmul_status time_device(const struct request *r, const struct gfmul_fft *plan, const void *in, double *seconds)
{
    cl_command_queue queue = gfmul_fft_queue(plan);
    cl_context context;
    cl_int code = CL_SUCCESS, other = CL_SUCCESS;
    double rounds[ROUNDS];
    const size_t number_bytes = r->is_float ? sizeof(float) : sizeof(double);
    const size_t in_bytes = r->batch * numbers(r, !r->backward) * number_bytes;
    const size_t out_bytes = r->batch * numbers(r, r->backward) * number_bytes;
    *seconds = 0;
    if (queue == NULL)
        return GFMUL_OK;
    if (clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS)
        return GFMUL_ERR_DEVICE;
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, in_bytes, (void *)(uintptr_t)in, &code);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, out_bytes, NULL, &other);
    enum gfmul_status status = code == CL_SUCCESS && other == CL_SUCCESS ? GFMUL_OK : GFMUL_ERR_DEVICE;
    if (status == GFMUL_OK)
        status = gfmul_fft_enqueue(plan, r->backward, to, from);
    if (status == GFMUL_OK)
        status = gfmul_fft_finish(plan);
    size_t count = 1;
    for (unsigned round = 0; round < ROUNDS && status == GFMUL_OK;) {
        const double start = now();
        for (size_t i = 0; i < count && status == GFMUL_OK; i++)
            status = gfmul_fft_enqueue(plan, r->backward, to, from);
        if (status == GFMUL_OK)
            status = gfmul_fft_finish(plan);
        const double t = now() - start;
        if (round == 0 && t < 0.005) { /* at least 5 ms per round */
            count *= 2;
            continue;
        }
        rounds[round++] = t / (double)count;
    }
    if (status == GFMUL_OK) {
        qsort(rounds, ROUNDS, sizeof *rounds, double_compare);
        *seconds = rounds[ROUNDS / 2];
    }
    if (from != NULL)
        clReleaseMemObject(from);
    if (to != NULL)
        clReleaseMemObject(to);
    return status;
}
#else
static enum gfmul_status time_device(const struct request *r, const struct gfmul_fft *plan, const void *in, double *seconds)
{
    (void)r, (void)plan, (void)in;
    *seconds = 0;
    return GFMUL_OK;
}
#endif

static enum gfmul_status time_runs(const struct request *r, const struct gfmul_fft *plan, double plan_seconds, void *out,
                                   const void *in)
{
    double rounds[ROUNDS], device, points = (double)r->n * (double)r->batch;
    double flops = 5 * points * log2((double)r->n) * (r->real ? 0.5 : 1);
    double bytes = (double)r->batch * (double)(numbers(r, true) + numbers(r, false)) * (r->is_float ? 4 : 8);
    size_t count = 1;
    enum gfmul_status status = transform(r, plan, out, in);
    for (double start; status == GFMUL_OK;) { /* at least 5 ms per round */
        start = now();
        for (size_t i = 0; i < count && status == GFMUL_OK; i++)
            status = transform(r, plan, out, in);
        if (now() - start > 0.005)
            break;
        count *= 2;
    }
    for (unsigned round = 0; round < ROUNDS && status == GFMUL_OK; round++) {
        double start = now();
        for (size_t i = 0; i < count && status == GFMUL_OK; i++)
            status = transform(r, plan, out, in);
        rounds[round] = (now() - start) / (double)count;
    }
    if (status != GFMUL_OK)
        return status;
    status = time_device(r, plan, in, &device);
    if (status != GFMUL_OK)
        return status;
    qsort(rounds, ROUNDS, sizeof *rounds, double_compare);
    double t = rounds[ROUNDS / 2];
    printf("algorithm\tdevice\tn\tbatch\ttype\tprecision\tthreads\tplan_ms\tmedian_us\tmin_us\tgflops\tgbytes_per_s\t"
           "device_us\tdevice_gflops\tdevice_gbytes_per_s\n"
           "%s\t%s\t%zu\t%zu\t%s\t%s\t%u\t%.4g\t%.5g\t%.5g\t%.4g\t%.4g\t",
           r->algorithm, r->device, r->n, r->batch, r->type, r->is_float ? "float" : "double", r->threads, 1e3 * plan_seconds,
           1e6 * t, 1e6 * rounds[0], flops / t * 1e-9, bytes / t * 1e-9);
    if (device > 0)
        printf("%.5g\t%.4g\t%.4g\n", 1e6 * device, flops / device * 1e-9, bytes / device * 1e-9);
    else
        printf("-\t-\t-\n");
    return GFMUL_OK;
}

/* output_end - the exit status, after the output has been flushed. */
static int output_end(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "gfmul-fft: cannot write: %s\n", strerror(errno));
    return EXIT_FAILED;
}

static int run(const struct request *r)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan = NULL;
    bool right = true;
    size_t bytes;
    gfmul_fft_options_init(&opt);
    opt.type = r->real ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX;
    opt.precision = r->is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.batch = r->batch;
    opt.threads = r->threads;
    opt.algorithm = r->algorithm;
    opt.device = r->which;
    opt.memory = r->memory;
    opt.order = r->order;
    opt.twiddles = r->twiddles;
    void *in = NULL, *out = NULL;
    double start = now();
    enum gfmul_status status = gfmul_fft_create(&plan, r->n, &opt);
    double plan_seconds = now() - start;
    if (status == GFMUL_OK) {
        size_t in_count = numbers(r, !r->backward) * r->batch;
        bytes = ((2 * frequencies(r) + 2 * r->n) * r->batch * sizeof(double) + 63) / 64 * 64; /* the plan checked for overflow */
        in = aligned_alloc(64, bytes);
        out = aligned_alloc(64, bytes);
        if (in == NULL || out == NULL) {
            status = GFMUL_ERR_MEMORY;
        } else {
            memset(out, 0, bytes);
            for (size_t i = 0; i < in_count; i++)
                put(r, in, i, random_number());
            status = r->verify ? verify(r, plan, out, in, &right) : time_runs(r, plan, plan_seconds, out, in);
        }
    }
    gfmul_fft_destroy(plan);
    free(in);
    free(out);
    if (status == GFMUL_OK)
        return output_end(right ? EXIT_SUCCESS : EXIT_WRONG);
    fprintf(stderr, "gfmul-fft: %s, %s of %zu points in %s precision: %s\n", r->algorithm, r->type, r->n,
            r->is_float ? "float" : "double",
            status == GFMUL_ERR_UNSUPPORTED ? "not supported by this algorithm (see --list) or this machine"
                                            : gfmul_strerror(status));
    return EXIT_FAILED;
}

static int list(void)
{
    const struct gfmul_fft_algorithm *a;
    printf("name\tdevice\tlengths\ttypes\tprecisions\twhat it is\n");
    for (size_t i = 0; (a = gfmul_fft_algorithm(i)) != NULL; i++)
        printf("%s\t%s\t%s\t%s\t%s\t%s\n", a->name, a->device, a->lengths, a->types, a->precisions, a->summary);
    return output_end(EXIT_SUCCESS);
}

static int usage_error(const char *what, const char *value)
{
    fprintf(stderr, "gfmul-fft: %s%s%s\nTry 'gfmul-fft --help' for more information.\n", what, value ? ": " : "",
            value ? value : "");
    return EXIT_USAGE;
}

/* options_parse - fill the request; returns an exit status if the program ends here, else GO_ON. */
static int options_parse(struct request *r, int argc, char **argv)
{
    static const char *const memories[] = {"staged", "use-host", "alloc-host"}, *const places[] = {"image", "constant", "global",
                                                                                                   "native"};
    enum { OPT_VERIFY = 256, OPT_MEMORY, OPT_TWIDDLES, OPT_TIME, OPT_HELP, OPT_VERSION };
    static const struct option options[] = {{"list", no_argument, NULL, 'l'},
                                            {"algorithm", required_argument, NULL, 'a'},
                                            {"n", required_argument, NULL, 'n'},
                                            {"batch", required_argument, NULL, 'b'},
                                            {"type", required_argument, NULL, 'y'},
                                            {"precision", required_argument, NULL, 'p'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"device", required_argument, NULL, 'd'},
                                            {"order", required_argument, NULL, 'o'},
                                            {"memory", required_argument, NULL, OPT_MEMORY},
                                            {"twiddles", required_argument, NULL, OPT_TWIDDLES},
                                            {"verify", no_argument, NULL, OPT_VERIFY},
                                            {"time", no_argument, NULL, OPT_TIME},
                                            {"help", no_argument, NULL, OPT_HELP},
                                            {"version", no_argument, NULL, OPT_VERSION},
                                            {NULL, 0, NULL, 0}};
    size_t threads;
    int c;
    while ((c = getopt_long(argc, argv, "la:n:b:y:p:t:d:o:", options, NULL)) != -1) {
        switch (c) {
        case 'l':
            r->list = true;
            break;
        case 'a':
            r->algorithm = optarg;
            break;
        case 'n':
            r->n = size_parse(optarg);
            if (r->n == 0)
                return usage_error("not a length", optarg);
            break;
        case 'b':
            r->batch = size_parse(optarg);
            if (r->batch == 0)
                return usage_error("not a number of transforms", optarg);
            break;
        case 'y':
            r->type = optarg;
            if (strcmp(optarg, "c2c") != 0 && strcmp(optarg, "r2c") != 0 && strcmp(optarg, "c2r") != 0)
                return usage_error("the types are c2c, r2c and c2r, not", optarg);
            r->real = strcmp(optarg, "c2c") != 0;
            r->backward = strcmp(optarg, "c2r") == 0;
            break;
        case 'p':
            if (strcmp(optarg, "float") != 0 && strcmp(optarg, "double") != 0)
                return usage_error("the precisions are float and double, not", optarg);
            r->is_float = strcmp(optarg, "float") == 0;
            break;
        case 't':
            threads = size_parse(optarg);
            if (threads == 0 || threads > 1024)
                return usage_error("not a number of threads", optarg);
            r->threads = (unsigned)threads;
            break;
        case 'd':
            r->which = optarg;
            break;
        case 'o':
            if (strcmp(optarg, "natural") != 0 && strcmp(optarg, "permuted") != 0)
                return usage_error("the orders are natural and permuted, not", optarg);
            r->order = strcmp(optarg, "permuted") == 0 ? GFMUL_FFT_PERMUTED : GFMUL_FFT_NATURAL;
            break;
        case OPT_MEMORY:
            for (r->memory = GFMUL_FFT_MEMORY_STAGED; strcmp(optarg, memories[r->memory]) != 0;)
                if (++r->memory > GFMUL_FFT_MEMORY_ALLOC_HOST)
                    return usage_error("the kinds of memory are staged, use-host and alloc-host, not", optarg);
            break;
        case OPT_TWIDDLES:
            for (r->twiddles = GFMUL_FFT_TWIDDLES_IMAGE; strcmp(optarg, places[r->twiddles - GFMUL_FFT_TWIDDLES_IMAGE]) != 0;)
                if (++r->twiddles > GFMUL_FFT_TWIDDLES_NATIVE)
                    return usage_error("the places of twiddles are image, constant, global and native, not", optarg);
            break;
        case OPT_VERIFY:
            r->verify = true;
            break;
        case OPT_TIME:
            r->time = true;
            break;
        case OPT_HELP:
            fputs(usage, stdout);
            return output_end(EXIT_SUCCESS);
        case OPT_VERSION:
            printf("gfmul-fft %s\n", gfmul_version());
            return output_end(EXIT_SUCCESS);
        default:
            fputs("Try 'gfmul-fft --help' for more information.\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc)
        return usage_error("an argument that is not an option", argv[optind]);
    if (r->list + r->verify + r->time != 1)
        return usage_error("give one of --list, --verify and --time", NULL);
    if (r->n == 0 && !r->list)
        return usage_error("--n is needed", NULL);
    return GO_ON;
}

/* algorithm_find - find the algorithm in the library's table; returns as options_parse. */
static int algorithm_find(struct request *r)
{
    const struct gfmul_fft_algorithm *a;
    size_t i = 0;
    const bool device =
        r->which != NULL && strcmp(r->which, "cpu") != 0 && strcmp(r->which, "0") != 0 && strcmp(r->which, "auto") != 0;
    if (strcmp(r->algorithm, "auto") == 0 && device)
        r->algorithm = "opencl"; /* as the library does; the output shows this name */
    while ((a = gfmul_fft_algorithm(i)) != NULL && strcmp(a->name, r->algorithm) != 0)
        i++;
    if (a == NULL)
        return usage_error("no such algorithm (see --list)", r->algorithm);
    if (device && strcmp(a->device, "opencl") != 0)
        return usage_error("--device is for algorithms of OpenCL (see --list), which this one is not", r->algorithm);
    r->device = a->device;
    /* published methods for roots lose accuracy: powers by the length, halved angles by the levels of a group */
    r->allowed = strstr(a->summary, "w *= w_m") != NULL ? 1 + (double)r->n / 64 : strcmp(a->name, "register_s2") == 0 ? 4 : 1;
    return GO_ON;
}

int main(int argc, char **argv)
{
    struct request r = {.algorithm = "auto", .device = "", .type = "c2c", .batch = 1};
    int status = options_parse(&r, argc, argv);
    if (status == GO_ON && r.list)
        return list();
    if (status == GO_ON)
        status = algorithm_find(&r);
    return status == GO_ON ? run(&r) : status;
}
