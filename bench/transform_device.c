/*
 * transform_device.c - plain transforms on an OpenCL device, data there, pass by pass, in the library's shapes and in others.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: see usage() below.  Lines, tab-separated:
 *
 *     copy       N BATCH PRECISION MS GB/S
 *     transform  N BATCH PRECISION ORDER IN_PLACE MS MS/COPY_MS FLOOR/MS GFLOP/S ERROR SHAPE
 *     pass       I MS GB/S SHARE_OF_A_COPY LOCAL_BYTES SHAPE
 *
 * MS is the median over batches of transforms that are enqueued together, by the clock around the finished queue.  A copy is a
 * kernel that copies as many points; the floor: passes times the copy.  GFLOP/s by 5 N log2 N.  Passes are timed by events, in
 * another context.  ERROR is the largest one of some hundred results, for a few impulses at random places, in eps times their
 * root mean square.  Data are random while it measures: zeros would let clocks rise.
 */
#include "bench_device.h"
#include "bench_parts.h"

#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HAVE_OPENCL
int transform_device(int argc, char **argv)
{
    (void)argc, (void)argv;
    fprintf(stderr, "b-fft device: built without OpenCL\n");
    return 1;
}
#else
#include "bench.h"
#include "fft/fft_ocl.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"

enum { BATCHES = 7, IMPULSES = 48, SAMPLES = 512 };

static char detail[OCL_DETAIL_BYTES];
static bool in_place, permuted, passes_too = true;
static double seconds = 0.1;
static size_t real_bytes = sizeof(double);

static void usage(FILE *f)
{
    fputs("Usage: b-fft device [OPTION]... N[xBATCH] [SHAPE]... [N[xBATCH] [SHAPE]...]...\n"
          "Time complex transforms of N points (2^22, 1000) on an OpenCL device, in the library's shape, or in each SHAPE that\n"
          "follows: passes, first to last, as kernels/fft_transform.cl has them,\n"
          "    RADIX.RADIX.../ITEMS/COLUMNS[/s],...\n\n"
          "  --device NAME    as bigmul (default gpu)\n"
          "  --allow-cpu      on a device that is no GPU too: for tests, the times say nothing\n"
          "  --float          single precision\n"
          "  --in-place       in place, with memory beside where it is needed\n"
          "  --permuted       forward to the order that convolutions take: the last pass is one of rows\n"
          "  --seconds S      for each figure (default 0.1)\n"
          "  --no-passes      without the times of passes\n"
          "  --help           print this and exit\n",
          f);
}

static void check(enum gfmul_status status, const char *what)
{
    if (status == GFMUL_OK)
        return;
    fprintf(stderr, "b-fft device: %s: %s: %s\n", what, gfmul_strerror(status), detail);
    exit(1);
}

/* A device with kernels of its own, and buffers. */
struct bench {
    struct ocl_device *d;
    cl_program program;
    cl_kernel copy, fill;
    cl_mem in, out, work;
    size_t bytes; /* of each */
};

static const char source[] =
    "#if FFT_FLOAT\n"
    "typedef float real; typedef float2 point;\n"
    "#else\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "typedef double real; typedef double2 point;\n"
    "#endif\n"
    "__kernel void copy(__global const point *restrict a, __global point *restrict b)\n"
    "{ const size_t i = get_global_id(0); b[i] = a[i]; }\n"
    "real number(ulong z)\n"
    "{ z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL; z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL; z ^= z >> 31;\n"
    "  return (real)(int)(z >> 32) * (real)4.656612873077393e-10f; }\n"
    "__kernel void fill(__global point *a)\n"
    "{ const ulong i = get_global_id(0), z = i * 0x9e3779b97f4a7c15UL + 1;\n"
    "  a[i] = (point)(number(z), number(z ^ 0x5555555555555555UL)); }\n";

static void bench_open(struct bench *b, const char *name, bool profile, bool allow_cpu)
{
    const struct ocl_device_options options = {.profile = profile};
    cl_int code;
    memset(b, 0, sizeof *b);
    check(ocl_device_open(&b->d, name, &options, detail), "device");
    if (!bench_device_admit("b-fft device", ocl_device_info(b->d), allow_cpu))
        exit(1);
    const cl_device_id id = ocl_device_id(b->d);
    const char *text = source;
    b->program = clCreateProgramWithSource(ocl_device_context(b->d), 1, &text, NULL, &code);
    check(ocl_status(OCL_ON(b->d, detail), code, "clCreateProgramWithSource"), "program");
    const char *option = real_bytes == sizeof(float) ? "-cl-std=CL1.2 -DFFT_FLOAT=1" : "-cl-std=CL1.2 -DFFT_FLOAT=0";
    check(ocl_status(OCL_ON(b->d, detail), clBuildProgram(b->program, 1, &id, option, NULL, NULL), "clBuildProgram"), "program");
    b->copy = clCreateKernel(b->program, "copy", &code);
    check(ocl_status(OCL_ON(b->d, detail), code, "clCreateKernel"), "copy");
    b->fill = clCreateKernel(b->program, "fill", &code);
    check(ocl_status(OCL_ON(b->d, detail), code, "clCreateKernel"), "fill");
}

static void bench_memory(struct bench *b, size_t bytes)
{
    if (b->bytes >= bytes)
        return;
    ocl_buffer_put(b->d, b->in);
    ocl_buffer_put(b->d, b->out);
    ocl_buffer_put(b->d, b->work);
    b->work = NULL;
    ocl_buffer_trim(b->d);
    check(ocl_buffer_get(OCL_ON(b->d, detail), bytes, &b->in), "memory");
    check(ocl_buffer_get(OCL_ON(b->d, detail), bytes, &b->out), "memory");
    if (in_place)
        check(ocl_buffer_get(OCL_ON(b->d, detail), bytes, &b->work), "memory");
    b->bytes = bytes;
}

static void bench_close(struct bench *b)
{
    ocl_buffer_put(b->d, b->in);
    ocl_buffer_put(b->d, b->out);
    ocl_buffer_put(b->d, b->work);
    clReleaseKernel(b->copy);
    clReleaseKernel(b->fill);
    clReleaseProgram(b->program);
    ocl_device_close(b->d);
}

static void fill(struct bench *b, size_t points)
{
    check(ocl_args(OCL_ON(b->d, detail), b->fill, OCL_ARG(b->in), OCL_END), "fill");
    check(ocl_launch(OCL_ON(b->d, detail), b->fill, "fill", ocl_items(points, 0), 0), "fill");
}

/* One thing that is timed: a copy, or a transform. */
struct work {
    struct bench *b;
    const struct fft_ocl *t; /* NULL: a copy */
    size_t n, batch;
};

static void enqueue(const struct work *w, struct ocl_profile *profile)
{
    const size_t points = w->n * w->batch;
    if (w->t == NULL) {
        check(ocl_launch(OCL_ON(w->b->d, detail), w->b->copy, "copy", ocl_items(points, 0), 0), "copy");
        return;
    }
    const struct fft_ocl_call call = {.out = in_place ? w->b->in : w->b->out,
                                      .in = w->b->in,
                                      .out_dist = w->n,
                                      .in_dist = w->n,
                                      .batch = w->batch,
                                      .scale = in_place ? 1 / sqrt((double)w->n) : 1,
                                      .work = w->b->work};
    const struct ocl_call on = {w->b->d, profile, detail};
    check(fft_ocl_enqueue(&on, w->t, &call), "transform");
}

/* time_of - seconds of one. */
static double time_of(const struct work *w)
{
    double v[BATCHES];
    size_t count = 1;
    if (w->t == NULL)
        check(ocl_args(OCL_ON(w->b->d, detail), w->b->copy, OCL_ARG(w->b->in), OCL_ARG(w->b->out), OCL_END), "copy");
    enqueue(w, NULL);
    check(ocl_finish(OCL_ON(w->b->d, detail)), "first run");
    for (;; count *= 2) {
        const double start = now_seconds();
        for (size_t i = 0; i < count; i++)
            enqueue(w, NULL);
        check(ocl_finish(OCL_ON(w->b->d, detail)), "run");
        if (now_seconds() - start > seconds / BATCHES || count >= 4096)
            break;
    }
    for (unsigned i = 0; i < BATCHES; i++) {
        const double start = now_seconds();
        for (size_t k = 0; k < count; k++)
            enqueue(w, NULL);
        check(ocl_finish(OCL_ON(w->b->d, detail)), "run");
        v[i] = (now_seconds() - start) / (double)count;
    }
    return median_of(v, BATCHES);
}

static uint64_t random_state = 1;

static size_t random_below(size_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((unsigned __int128)random_state * n >> 64);
}

/* number_put, number_get - a pair of numbers in the precision at hand. */
static void number_put(void *p, const double v[2])
{
    for (unsigned i = 0; i < 2; i++)
        if (real_bytes == sizeof(float))
            ((float *)p)[i] = (float)v[i];
        else
            ((double *)p)[i] = v[i];
}

/* error_of - impulses in the last transform of the batch, samples of their transform. */
static double error_of(const struct work *w)
{
    const long double two_pi = 6.283185307179586476925286766559005768L;
    const size_t bytes = 2 * real_bytes, base = (w->batch - 1) * w->n;
    const size_t impulses = w->n < IMPULSES ? w->n : IMPULSES;
    const cl_uint zero = 0;
    size_t at[IMPULSES];
    double value[IMPULSES][2], squares = 0, worst = 0;
    cl_command_queue queue = ocl_device_queue(w->b->d);
    char number[16];
    check(ocl_fill(OCL_ON(w->b->d, detail), (struct ocl_span){w->b->in, 0, w->n * w->batch * bytes}, &zero, sizeof zero),
          "zeros");
    for (size_t i = 0; i < impulses; i++) {
        at[i] = w->n * i / impulses + random_below(w->n / impulses);
        for (unsigned p = 0; p < 2; p++) {
            value[i][p] = (double)random_below(1 << 20) / (1 << 19) - 1;
            squares += value[i][p] * value[i][p];
        }
        number_put(number, value[i]);
        check(ocl_status(OCL_ON(w->b->d, detail),
                         clEnqueueWriteBuffer(queue, w->b->in, CL_TRUE, (base + at[i]) * bytes, bytes, number, 0, NULL, NULL),
                         "clEnqueueWriteBuffer"),
              "impulse");
    }
    enqueue(w, NULL);
    for (unsigned s = 0; s < SAMPLES; s++) {
        const size_t place = random_below(w->n), k = fft_ocl_frequency(w->t, place);
        long double re = 0, im = 0;
        for (size_t i = 0; i < impulses; i++) {
            const size_t e = (size_t)((unsigned __int128)at[i] * k % w->n);
            const long double angle = -two_pi * (long double)e / (long double)w->n, c = cosl(angle), d = sinl(angle);
            re += value[i][0] * c - value[i][1] * d;
            im += value[i][0] * d + value[i][1] * c;
        }
        const long double scale = in_place ? 1 / sqrtl((long double)w->n) : 1;
        check(ocl_status(OCL_ON(w->b->d, detail),
                         clEnqueueReadBuffer(queue, in_place ? w->b->in : w->b->out, CL_TRUE, (base + place) * bytes, bytes,
                                             number, 0, NULL, NULL),
                         "clEnqueueReadBuffer"),
              "sample");
        double got[2];
        for (unsigned p = 0; p < 2; p++)
            got[p] = real_bytes == sizeof(float) ? (double)((float *)(void *)number)[p] : ((double *)(void *)number)[p];
        const double e = hypot((double)(got[0] - re * scale), (double)(got[1] - im * scale)) / (double)scale;
        worst = e > worst || isnan(e) ? e : worst;
    }
    return worst / (sqrt(squares) * (real_bytes == sizeof(float) ? FLT_EPSILON : DBL_EPSILON));
}

/* passes_print - the times of passes by events. */
static void passes_print(struct bench *b, size_t n, size_t batch, const struct fft_ocl_shapes *shapes, double copy)
{
    struct fft_ocl *t;
    struct ocl_profile profile;
    const struct ocl_call timed = {b->d, &profile, detail};
    memset(&profile, 0, sizeof profile);
    check(fft_ocl_create(OCL_ON(b->d, NULL), &t, n, real_bytes, permuted, shapes), "plan");
    const struct work w = {b, t, n, batch};
    enqueue(&w, NULL);
    check(ocl_finish(OCL_ON(b->d, detail)), "run");
    for (unsigned i = 0; i < 9; i++)
        enqueue(&w, &profile);
    check(ocl_profile_read(&timed), "profile");
    for (unsigned i = 0; i < profile.n_kernels; i++) {
        const struct gfmul_kernel_time *k = &profile.kernel[i];
        struct fft_ocl_shapes one = {.n_passes = 1, .pass = {shapes->pass[i]}};
        const double s = 1e-9 * (double)k->ns / (double)k->launches;
        char text[128];
        fft_ocl_shapes_print(text, sizeof text, &one);
        printf(
            "pass\t%u\t%.5g\t%.0f\t%.3f\t%zu\t%s\n", i + 1, 1e3 * s, 1e-9 * k->bytes / (double)k->launches / s, copy / s,
            fft_ocl_shape_local_bytes(&shapes->pass[i], real_bytes, permuted ? i + 1 == shapes->n_passes : shapes->n_passes == 1),
            text);
    }
    fft_ocl_destroy(t);
}

static void measure(struct bench *b, struct bench *profiled, size_t n, size_t batch, const struct fft_ocl_shapes *given,
                    double copy)
{
    struct fft_ocl *t;
    char text[512];
    enum gfmul_status status = fft_ocl_create(OCL_ON(b->d, NULL), &t, n, real_bytes, permuted, given);
    if (status != GFMUL_OK) {
        fft_ocl_shapes_print(text, sizeof text, given != NULL ? given : &(struct fft_ocl_shapes){0});
        printf("failed\t%zu\t%zu\t%s\t%s\n", n, batch, gfmul_strerror(status), text);
        return;
    }
    const struct fft_ocl_shapes shapes = *fft_ocl_shapes_of(t);
    const struct work w = {b, t, n, batch};
    fft_ocl_shapes_print(text, sizeof text, &shapes);
    fill(b, n * batch);
    const double s = time_of(&w);
    printf("transform\t%zu\t%zu\t%s\t%s\t%d\t%.5g\t%.3f\t%.3f\t%.4g\t%.3g\t%s\n", n, batch,
           real_bytes == sizeof(float) ? "float" : "double", permuted ? "permuted" : "natural", in_place, 1e3 * s, s / copy,
           shapes.n_passes * copy / s, 5e-9 * (double)n * (double)batch * log2((double)n) / s, error_of(&w), text);
    fft_ocl_destroy(t);
    if (passes_too)
        passes_print(profiled, n, batch, &shapes, copy);
    fflush(stdout);
}

/* lengths_parse - "2^22", "1000x50", "2^10x65536" */
static bool lengths_parse(const char *s, size_t *n, size_t *batch)
{
    char *end;
    *n = strtoull(s, &end, 10);
    if (end != s && *end == '^' && *n == 2)
        *n = (size_t)1 << strtoul(end + 1, &end, 10) % 40;
    *batch = *end == 'x' ? strtoull(end + 1, &end, 10) : 1;
    return *end == '\0' && *n > 0 && *batch > 0;
}

int transform_device(int argc, char **argv)
{
    enum { OPT_DEVICE = 256, OPT_CPU, OPT_FLOAT, OPT_IN_PLACE, OPT_PERMUTED, OPT_SECONDS, OPT_NO_PASSES, OPT_HELP };
    static const struct option options[] = {{"device", required_argument, NULL, OPT_DEVICE},
                                            {"allow-cpu", no_argument, NULL, OPT_CPU},
                                            {"float", no_argument, NULL, OPT_FLOAT},
                                            {"in-place", no_argument, NULL, OPT_IN_PLACE},
                                            {"permuted", no_argument, NULL, OPT_PERMUTED},
                                            {"seconds", required_argument, NULL, OPT_SECONDS},
                                            {"no-passes", no_argument, NULL, OPT_NO_PASSES},
                                            {"help", no_argument, NULL, OPT_HELP},
                                            {NULL, 0, NULL, 0}};
    const char *device = "gpu";
    bool allow_cpu = false;
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case OPT_DEVICE:
            device = optarg;
            break;
        case OPT_CPU:
            allow_cpu = true;
            break;
        case OPT_FLOAT:
            real_bytes = sizeof(float);
            break;
        case OPT_IN_PLACE:
            in_place = true;
            break;
        case OPT_PERMUTED:
            permuted = true;
            break;
        case OPT_SECONDS:
            seconds = atof(optarg);
            break;
        case OPT_NO_PASSES:
            passes_too = false;
            break;
        case OPT_HELP:
            usage(stdout);
            return 0;
        default:
            usage(stderr);
            return 2;
        }
    }
    struct bench b, profiled;
    bench_open(&b, device, false, allow_cpu);
    bench_open(&profiled, device, true, allow_cpu);
    printf("device\t%s\n", ocl_device_info(b.d)->name);
    for (int i = optind; i < argc; i++) {
        size_t n, batch;
        if (!lengths_parse(argv[i], &n, &batch)) {
            fprintf(stderr, "b-fft device: not a size: %s\n", argv[i]);
            return 2;
        }
        const size_t bytes = 2 * real_bytes * n * batch;
        bench_memory(&b, bytes);
        if (passes_too)
            bench_memory(&profiled, bytes);
        fill(&b, n * batch);
        const struct work w = {&b, NULL, n, batch};
        const double copy = time_of(&w);
        printf("copy\t%zu\t%zu\t%s\t%.5g\t%.0f\n", n, batch, real_bytes == sizeof(float) ? "float" : "double", 1e3 * copy,
               2e-9 * (double)bytes / copy);
        if (i + 1 == argc || strchr(argv[i + 1], '/') == NULL)
            measure(&b, &profiled, n, batch, NULL, copy);
        for (; i + 1 < argc && strchr(argv[i + 1], '/') != NULL; i++) {
            struct fft_ocl_shapes shapes;
            if (!fft_ocl_shapes_parse(&shapes, argv[i + 1]) || fft_ocl_shapes_points(&shapes) != n) {
                fprintf(stderr, "b-fft device: not a shape of %zu points: %s\n", n, argv[i + 1]);
                return 2;
            }
            measure(&b, &profiled, n, batch, &shapes, copy);
        }
    }
    bench_close(&b);
    bench_close(&profiled);
    return 0;
}
#endif
