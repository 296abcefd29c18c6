/*
 * b-gallery.c - the gallery's ladder: every row by length, on one thread, by threads, or on a device, in one process.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A line has the columns of gfmul-fft --time, and the error of a transform of one length.  Rows on a device are timed with data
 * that are there, by the clock around a finished queue; `bit_reversal` is the kernel of that permutation alone, which fft_3,
 * fft_3_table, fft_4, fft_4_coalesced and local launch first.  `local:native` and the like are a row with that --twiddles.
 * Times are medians over rounds; cpu_us is the time of all processors that the process had, which other users of the machine
 * change less.  bench/fft_ladder.sh runs this and names the files.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "bench_parts.h"
#include "fft/fft.h"
#include "gfmul_fft.h"
#ifdef HAVE_OPENCL
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#endif

enum { ROUNDS = 7, ERROR_LOG2_N = 20, GENERATED_LOG2_N = 10 };
static const double ROUND_SECONDS = 0.004, SLOW_SECONDS = 0.4;

static bool is_float;
static const char *device;
static unsigned log2_n;
static void *input, *output; /* of 2^log2_n points */
static double *spectrum;     /* by the row auto, in double */

static double number(const void *x, size_t i)
{
    return is_float ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static bool is_device(const struct fft_row *row)
{
    return strcmp(row->about.device, "cpu") != 0;
}

/* data_create - random numbers that are exact in both precisions, and their spectrum. */
static bool data_create(void)
{
    const size_t numbers = (size_t)2 << log2_n;
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    uint64_t x = log2_n;
    double *exact = malloc(numbers * sizeof *exact);
    input = malloc(numbers * sizeof(double));
    output = malloc(numbers * sizeof(double));
    spectrum = malloc(numbers * sizeof *spectrum);
    if (exact == NULL || input == NULL || output == NULL || spectrum == NULL)
        return false;
    for (size_t i = 0; i < numbers; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        exact[i] = (double)(x >> 40) / (1 << 23) - 1;
        if (is_float)
            ((float *)input)[i] = (float)exact[i];
        else
            ((double *)input)[i] = exact[i];
    }
    gfmul_fft_options_init(&opt);
    opt.threads = 1;
    const bool made = gfmul_fft_create(&plan, (size_t)1 << log2_n, &opt) == GFMUL_OK &&
                      gfmul_fft_forward(plan, spectrum, exact) == GFMUL_OK;
    gfmul_fft_destroy(plan);
    free(exact);
    return made;
}

static void data_destroy(void)
{
    free(input);
    free(output);
    free(spectrum);
}

/* error_of - rms of what output holds, in eps log2(2 n) of the spectrum's; 0 for long transforms. */
static double error_of(void)
{
    double squares = 0, all = 0;
    for (size_t i = 0; log2_n <= ERROR_LOG2_N && i < (size_t)2 << log2_n; i++) {
        const double e = number(output, i) - spectrum[i];
        squares += e * e;
        all += spectrum[i] * spectrum[i];
    }
    return all > 0 ? sqrt(squares / all) / ((is_float ? FLT_EPSILON : DBL_EPSILON) * (log2_n + 1)) : 0;
}

/* What is timed: a call or an enqueued transform, which end() waits for. */
struct timed {
    const struct gfmul_fft *plan;
    void *to, *from; /* host memory, or cl_mem */
    enum gfmul_status (*run)(struct timed *t);
    enum gfmul_status (*end)(struct timed *t); /* NULL: nothing to wait for */
};

/* What was measured of one transform, in seconds. */
struct times {
    double median, least, processors;
};

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* time_of - its times; a run of over 0.4 s is made three times in all.  false: it failed. */
static bool time_of(struct timed *t, struct times *times)
{
    double v[ROUNDS], cpu[ROUNDS];
    size_t count = 1;
    unsigned rounds = ROUNDS;
    enum gfmul_status status = t->run(t);
    if (status == GFMUL_OK && t->end != NULL)
        status = t->end(t);
    for (unsigned round = 0; round < rounds && status == GFMUL_OK;) {
        const double start = now_seconds(), start_cpu = processor_seconds();
        for (size_t i = 0; i < count && status == GFMUL_OK; i++)
            status = t->run(t);
        if (status == GFMUL_OK && t->end != NULL)
            status = t->end(t);
        const double seconds = now_seconds() - start;
        cpu[round] = (processor_seconds() - start_cpu) / (double)count;
        if (round == 0 && seconds < ROUND_SECONDS) {
            count *= 2;
            continue;
        }
        rounds = seconds > SLOW_SECONDS ? 3 : rounds;
        v[round++] = seconds / (double)count;
    }
    if (status != GFMUL_OK)
        return false;
    times->median = median_of(v, rounds);
    times->least = v[0];
    times->processors = median_of(cpu, rounds);
    return true;
}

static void print(const char *name, const char *where, unsigned threads, double plan_seconds, const struct times *times,
                  double error)
{
    const double t = times->median;
    const double n = ldexp(1, (int)log2_n), flops = 5 * n * log2_n, bytes = n * (is_float ? 16 : 32);
    printf("%s\t%s\t%.0f\t1\tc2c\t%s\t%u\t%.4g\t", name, where, n, is_float ? "float" : "double", threads, 1e3 * plan_seconds);
    if (strcmp(where, "cpu") != 0)
        printf("-\t-\t-\t-\t%.5g\t%.4g\t%.4g\t", 1e6 * t, flops / t * 1e-9, bytes / t * 1e-9);
    else
        printf("%.5g\t%.5g\t%.4g\t%.4g\t-\t-\t-\t", 1e6 * t, 1e6 * times->least, flops / t * 1e-9, bytes / t * 1e-9);
    printf("%.5g\t", 1e6 * times->processors);
    if (error > 0)
        printf("%.3g\n", error);
    else
        printf("-\n");
    fflush(stdout);
}

static enum gfmul_status run_cpu(struct timed *t)
{
    return gfmul_fft_forward(t->plan, t->to, t->from);
}

#ifdef HAVE_OPENCL
static char detail[OCL_DETAIL_BYTES];
static struct ocl_device *opened; /* kept, so that plans share it and its programs */
static cl_mem from, to;
static cl_kernel reversal;

static enum gfmul_status run_device(struct timed *t)
{
    return gfmul_fft_enqueue(t->plan, false, t->to, t->from);
}

static enum gfmul_status end_device(struct timed *t)
{
    return gfmul_fft_finish(t->plan);
}

static enum gfmul_status run_reversal(struct timed *t)
{
    const cl_int levels = (cl_int)log2_n;
    const struct ocl_range range = {.dims = 2, .global = {(size_t)1 << log2_n, 1}};
    enum gfmul_status status = ocl_args(OCL_ON(opened, detail), reversal, OCL_ARG(from), OCL_ARG(to), OCL_ARG(levels), OCL_END);
    (void)t;
    return status == GFMUL_OK ? ocl_launch(OCL_ON(opened, detail), reversal, "gallery_reverse", range, 0) : status;
}

static enum gfmul_status end_reversal(struct timed *t)
{
    (void)t;
    return ocl_finish(OCL_ON(opened, detail));
}

static enum gfmul_status device_begin(void)
{
    const struct ocl_device_options options = {.profile = false};
    char text[32];
    enum gfmul_status status = ocl_device_open(&opened, device, &options, detail);
    snprintf(text, sizeof text, "-DGALLERY_DOUBLE=%d", !is_float);
    if (status == GFMUL_OK)
        status = ocl_kernel_get(OCL_ON(opened, detail), "gallery/gallery.cl", "gallery_reverse", text, &reversal);
    if (status == GFMUL_OK)
        printf("# device: %s\n", ocl_device_info(opened)->name);
    return status;
}

/* device_data - input to the device, and the time of bit reversal alone. */
static bool device_data(void)
{
    const size_t bytes = (is_float ? sizeof(cl_float2) : sizeof(cl_double2)) << log2_n;
    const cl_context context = ocl_device_context(opened);
    struct timed t = {.run = run_reversal, .end = end_reversal};
    cl_int code = CL_SUCCESS, other = CL_SUCCESS;
    struct times times;
    from = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, input, &code);
    to = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &other);
    if (code != CL_SUCCESS || other != CL_SUCCESS)
        return false;
    if (time_of(&t, &times))
        print("bit_reversal", "opencl", 1, 0, &times, 0);
    return true;
}

static void device_data_end(void)
{
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}
#endif

/* measure - a row; no line where it does not do that length. */
static void measure(const struct fft_row *row, const char *name, unsigned threads, enum gfmul_fft_twiddles twiddles)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    struct timed t = {.run = run_cpu, .to = output, .from = input};
    struct times times;
    gfmul_fft_options_init(&opt);
    opt.algorithm = row->about.name;
    opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.threads = threads;
    opt.twiddles = twiddles;
    opt.device = is_device(row) ? device : NULL;
    const double start = now_seconds();
    if (gfmul_fft_create(&plan, (size_t)1 << log2_n, &opt) != GFMUL_OK)
        return;
    const double plan_seconds = now_seconds() - start;
    const bool right = gfmul_fft_forward(plan, output, input) == GFMUL_OK; /* with a device, its data go there and back */
    const double error = error_of();
    t.plan = plan;
#ifdef HAVE_OPENCL
    if (is_device(row)) {
        t.run = run_device;
        t.end = end_device;
        t.to = to;
        t.from = from;
    }
#endif
    if (right && time_of(&t, &times))
        print(name, row->about.device, threads, plan_seconds, &times, error);
    gfmul_fft_destroy(plan);
}

/* too_slow - rows whose time would be most of a run. */
static bool too_slow(const char *name)
{
    return log2_n > 20 &&
           (strncmp(name, "naive", 5) == 0 || strncmp(name, "serial", 6) == 0 || strncmp(name, "pthread", 7) == 0);
}

/* measure_threads - every strategy by threads, up to the processors that there are. */
static void measure_threads(const struct fft_row *row)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const bool one = strncmp(row->about.name, "serial", 6) == 0 || strcmp(row->about.name, "pthread_each") == 0 ||
                     strcmp(row->about.name, "fftw") == 0;
    if (!one && strncmp(row->about.name, "pthread", 7) != 0 && strcmp(row->about.name, "auto") != 0)
        return;
    for (unsigned threads = 1; threads <= (one ? 1 : 16) && (threads == 1 || threads <= processors); threads *= 2)
        measure(row, row->about.name, threads, GFMUL_FFT_TWIDDLES_AUTO);
}

/* measure_device - rows of a device, each kind of twiddles apart; those that are generated for each length, at one. */
static void measure_device(const struct fft_row *row)
{
    static const char *const kinds[] = {"", ":image", ":constant", ":global", ":native"};
    char name[64];
    if (strncmp(row->about.summary, "generated", 9) == 0 && log2_n != GENERATED_LOG2_N)
        return;
    for (unsigned kind = 0; kind < (row->twiddles ? sizeof kinds / sizeof *kinds : 1); kind++) {
        snprintf(name, sizeof name, "%s%s", row->about.name, kinds[kind]);
        measure(row, name, 1, (enum gfmul_fft_twiddles)kind);
    }
}

static int usage(int status)
{
    fprintf(status == 0 ? stdout : stderr,
            "Usage: b-gallery cpu|threads|opencl float|double [FIRST-]LAST [DEVICE]\n"
            "       b-gallery register DEVICE LOG2_N...\n"
            "Time the gallery's rows for 2^FIRST (2; with threads 8) to 2^LAST points: on one thread, by threads, or on a\n"
            "device (gpu).  Beyond 2^14, and with threads, every other power.\n"
            "register: what each part of register_s2 costs; b-gallery register --help\n");
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(0);
    if (argc > 1 && strcmp(argv[1], "register") == 0)
        return gallery_register(argc - 1, argv + 1);
    if (argc < 4 || argc > 5 || (strcmp(argv[2], "float") != 0 && strcmp(argv[2], "double") != 0))
        return usage(2);
    const bool opencl = strcmp(argv[1], "opencl") == 0, threads = strcmp(argv[1], "threads") == 0;
    const char *dash = strchr(argv[3], '-');
    const unsigned first = dash != NULL ? (unsigned)atoi(argv[3]) : threads ? 8 : 2;
    const unsigned last = (unsigned)atoi(dash != NULL ? dash + 1 : argv[3]);
    if (first < 1 || last > 28 || (!opencl && !threads && strcmp(argv[1], "cpu") != 0))
        return usage(2);
    is_float = strcmp(argv[2], "float") == 0;
    device = argc > 4 ? argv[4] : "gpu";
#ifdef HAVE_OPENCL
    if (opencl && device_begin() != GFMUL_OK) {
        fprintf(stderr, "b-gallery: %s: %s\n", device, detail);
        return 1;
    }
#else
    if (opencl) {
        fprintf(stderr, "b-gallery: built without OpenCL\n");
        return 1;
    }
#endif
    printf("# version: %s\n", gfmul_version());
    printf("algorithm\tdevice\tn\tbatch\ttype\tprecision\tthreads\tplan_ms\tmedian_us\tmin_us\tgflops\tgbytes_per_s\t"
           "device_us\tdevice_gflops\tdevice_gbytes_per_s\tcpu_us\trms_error\n");
    for (log2_n = first; log2_n <= last; log2_n += threads || log2_n >= 14 ? 2 : 1) {
        if (!data_create()) {
            fprintf(stderr, "b-gallery: out of memory\n");
            return 1;
        }
#ifdef HAVE_OPENCL
        if (opencl && !device_data()) {
            fprintf(stderr, "b-gallery: no memory on the device\n");
            return 1;
        }
#endif
        for (const struct fft_row *const *row = fft_rows; *row != NULL; row++)
            if (is_device(*row) != opencl || too_slow((*row)->about.name))
                continue;
            else if (opencl)
                measure_device(*row);
            else if (threads)
                measure_threads(*row);
            else
                measure(*row, (*row)->about.name, 1, GFMUL_FFT_TWIDDLES_AUTO);
#ifdef HAVE_OPENCL
        if (opencl)
            device_data_end();
#endif
        data_destroy();
    }
#ifdef HAVE_OPENCL
    if (opencl) {
        ocl_kernel_put(opened, reversal);
        ocl_device_close(opened);
    }
#endif
    return 0;
}
