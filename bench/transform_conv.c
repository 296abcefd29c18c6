/*
 * transform_conv.c - convolutions on the CPU and on an OpenCL device: from and to host memory, and of data that are there.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Lines, tab-separated: NUMBERS N BATCH WHERE MEDIAN_NS MIN_NS RATIO ROUNDS; a linear convolution of N by N numbers, the kernel
 * transformed before.  RATIO: the time over the CPU's.  Every result of the device is compared with the CPU's.
 * With --phases: NUMBERS N BATCH KERNEL LAUNCHES NS, by events, the least of some calls, and their sum as KERNEL "all".
 */
#include "bench_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gfmul_fft.h"

#ifndef HAVE_OPENCL
int transform_conv(int argc, char **argv)
{
    (void)argc, (void)argv;
    fprintf(stderr, "b-fft conv: built without OpenCL\n");
    return 1;
}
#else
#include "fft/conv.h"
#include "fft/fft_ocl.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"

enum { OPT_BATCH = BENCH_OPT_OWN, OPT_DEVICE, OPT_NUMBERS, OPT_PHASES, PHASE_CALLS = 20 };

static struct {
    struct size_options range;
    size_t batch;
    const char *device, *numbers;
    bool phases;
} wish = {.range = {.from = 10000, .to = 1000000, .per_decade = 1, .balance_a = 1, .balance_b = 1}, .batch = 1, .device = "gpu"};

static const struct option own_options[] = {
    BENCH_SIZE_OPTIONS,
    {"batch", required_argument, NULL, OPT_BATCH},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"numbers", required_argument, NULL, OPT_NUMBERS},
    {"phases", no_argument, NULL, OPT_PHASES},
    {NULL, 0, NULL, 0},
};

static const char usage[] = "Usage: b-fft conv [OPTION]...\n"
                            "Time linear convolutions on the CPU and on an OpenCL device.\n"
                            "\n"
                            "      --from N           numbers of either sequence, from N (default 1e4)\n"
                            "      --to N             to N (default 1e6)\n"
                            "      --per-decade X     X sizes for each factor 10 (default 1)\n"
                            "      --sizes LIST       these sizes instead: 1e3,1e4,1e5\n"
                            "      --balance A:B      the sequences' sizes are as A to B (default 1:1)\n"
                            "      --batch N          sequences in one call (default 1)\n"
                            "      --device NAME      as bigmul (default gpu)\n"
                            "      --numbers LIST     of these types alone: real,int32,real_dd\n"
                            "      --phases           times of kernels instead\n";

static void option_take(int value, const char *arg)
{
    if (value == OPT_BATCH)
        wish.batch = size_parse("batch", arg);
    else if (value == OPT_DEVICE)
        wish.device = arg;
    else if (value == OPT_NUMBERS)
        wish.numbers = arg;
    else if (value == OPT_PHASES)
        wish.phases = true;
    else
        size_options_take(&wish.range, value, arg);
}

static const struct {
    const char *name;
    enum gfmul_conv_number number;
    size_t bytes, result_bytes;
} kinds[] = {
    {"real", GFMUL_CONV_REAL, 8, 8},
    {"complex", GFMUL_CONV_COMPLEX, 16, 16},
    {"real_float", GFMUL_CONV_REAL_FLOAT, 4, 4},
    {"int32", GFMUL_CONV_INT32, 4, 16},
    {"int64", GFMUL_CONV_INT64, 8, 24},
    {"mod", GFMUL_CONV_MOD, 8, 8},
    {"real_dd", GFMUL_CONV_REAL_DD, 16, 16},
    {"complex_dd", GFMUL_CONV_COMPLEX_DD, 32, 32},
};

static bool is_dd(enum gfmul_conv_number number)
{
    return number == GFMUL_CONV_REAL_DD || number == GFMUL_CONV_COMPLEX_DD;
}

/* is_wished - is a type in the list? */
static bool is_wished(const char *name)
{
    const size_t length = strlen(name);
    for (const char *p = wish.numbers; p != NULL && *p != '\0'; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == length && strncmp(p, name, length) == 0)
            return true;
    return wish.numbers == NULL;
}

/* One convolution: kernels of both, data of the host and of the device. */
static struct {
    struct gfmul_conv *cpu, *device;
    void *a, *b, *z, *want;
    size_t an, bn;
    cl_mem from, to;
} work;

static void check(enum gfmul_status status, const char *what)
{
    if (status != GFMUL_OK)
        bench_fail("%s, %zu by %zu: %s", what, work.an, work.bn, gfmul_strerror(status));
}

static bool run_cpu(void *arg, size_t calls)
{
    (void)arg;
    for (size_t i = 0; i < calls; i++)
        check(gfmul_conv_run(work.cpu, work.want, work.a, work.an), "cpu");
    return true;
}

static bool run_host(void *arg, size_t calls)
{
    (void)arg;
    for (size_t i = 0; i < calls; i++)
        check(gfmul_conv_run(work.device, work.z, work.a, work.an), "device");
    return true;
}

static bool run_resident(void *arg, size_t calls)
{
    (void)arg;
    for (size_t i = 0; i < calls; i++)
        check(gfmul_conv_enqueue(work.device, work.to, work.from, work.an), "device");
    check(gfmul_conv_finish(work.device), "device");
    return true;
}

/* numbers_fill - random ones; residues below the modulus, floats in [-1, 1]. */
static void numbers_fill(const struct bench_settings *s, void *p, size_t bytes, enum gfmul_conv_number number, unsigned index)
{
    mp_limb_t *random = operand_make(s, bytes / 8 + 1, index);
    memcpy(p, random, bytes);
    for (size_t i = 0; i < bytes / 8 && number != GFMUL_CONV_INT32 && number != GFMUL_CONV_INT64; i++)
        if (number == GFMUL_CONV_MOD)
            ((uint64_t *)p)[i] >>= 2;
        else if (number == GFMUL_CONV_REAL_FLOAT)
            for (unsigned k = 0; k < 2; k++)
                ((float *)p)[2 * i + k] = (float)ldexp((double)(int32_t)(random[i] >> 32 * k), -31);
        else
            ((double *)p)[i] = ldexp((double)(int64_t)random[i], is_dd(number) && i % 2 ? -63 - 60 : -63);
    free(random);
}

static cl_mem buffer(cl_context context, size_t bytes, void *data)
{
    cl_int code;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    const cl_mem m = clCreateBuffer(context, flags, bytes, data, &code);
    if (code != CL_SUCCESS)
        bench_fail("clCreateBuffer: %d", (int)code);
    return m;
}

/* compare - integers are equal; others are near, in the sizes of random numbers. */
static void compare(size_t kind, size_t bytes)
{
    const bool is_float = kinds[kind].number == GFMUL_CONV_REAL_FLOAT;
    bool same = memcmp(work.z, work.want, bytes) == 0;
    if (kinds[kind].number == GFMUL_CONV_REAL || kinds[kind].number == GFMUL_CONV_COMPLEX || is_float) {
        const double limit = (is_float ? 1e-4 : 1e-12) * (double)work.bn;
        same = true;
        for (size_t i = 0; i < bytes / (is_float ? 4 : 8); i++)
            same = same && (is_float ? fabs((double)((float *)work.z)[i] - (double)((float *)work.want)[i])
                                     : fabs(((double *)work.z)[i] - ((double *)work.want)[i])) <= limit;
    }
    if (is_dd(kinds[kind].number)) {
        const double *z = work.z, *want = work.want;
        same = true;
        for (size_t i = 0; i < bytes / 16; i++)
            same = same && fabs((z[2 * i] - want[2 * i]) + (z[2 * i + 1] - want[2 * i + 1])) <= 1e-28 * (double)work.bn;
    }
    if (!same)
        bench_fail("%s, %zu by %zu: the device's result differs", kinds[kind].name, work.an, work.bn);
}

/* phases_print - the kernels of a call, one after another, by events. */
static void phases_print(size_t kind, size_t n, struct ocl_device *profiled)
{
    struct ocl_call *on = &((struct fft_ocl_state *)work.device->fft->state)->on, kept = *on;
    struct ocl_profile best = {.n_kernels = 0};
    uint64_t least = UINT64_MAX;
    run_resident(NULL, 1);
    for (unsigned i = 0; i < PHASE_CALLS; i++) {
        struct ocl_profile profile = {.n_kernels = 0};
        uint64_t sum = 0;
        on->device = profiled; /* the same context and queue */
        on->profile = &profile;
        const enum gfmul_status status = gfmul_conv_enqueue(work.device, work.to, work.from, work.an);
        const enum gfmul_status read = ocl_profile_read(on);
        *on = kept;
        check(status, "device");
        check(read, "events");
        for (unsigned k = 0; k < profile.n_kernels; k++)
            sum += profile.kernel[k].ns;
        if (sum < least) {
            least = sum;
            best = profile;
        }
    }
    unsigned launches = 0;
    for (unsigned k = 0; k < best.n_kernels; k++) {
        printf("%s\t%zu\t%zu\t%s\t%u\t%.0f\n", kinds[kind].name, n, wish.batch, best.kernel[k].name,
               (unsigned)best.kernel[k].launches, (double)best.kernel[k].ns);
        launches += (unsigned)best.kernel[k].launches;
    }
    printf("%s\t%zu\t%zu\tall\t%u\t%.0f\n", kinds[kind].name, n, wish.batch, launches, (double)least);
}

static void times_print(const struct bench_settings *s, size_t kind, size_t n, size_t z_bytes)
{
    struct contestant c[] = {{.name = "cpu", .run = run_cpu},
                             {.name = "device, host to host", .run = run_host},
                             {.name = "device, resident", .run = run_resident}};
    bench_measure(c, sizeof c / sizeof *c, s, s->seconds, s->rounds);
    compare(kind, z_bytes);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        printf("%s\t%zu\t%zu\t%s\t%.1f\t%.1f\t%.5f\t%zu\n", kinds[kind].name, n, wish.batch, c[i].name, c[i].median_ns,
               c[i].min_ns, c[i].ratio, c[i].rounds);
    contestants_free(c, sizeof c / sizeof *c);
}

static void measure(const struct bench_settings *s, size_t kind, size_t n)
{
    static const struct ocl_device_options profiles = {.profile = true};
    struct ocl_device *profiled = NULL;
    struct gfmul_conv_options opt;
    size_options_pair(&wish.range, n, &work.an, &work.bn);
    const size_t a_bytes = wish.batch * work.an * kinds[kind].bytes, b_bytes = work.bn * kinds[kind].bytes;
    const size_t z_bytes = wish.batch * (work.an + work.bn - 1) * kinds[kind].result_bytes;
    gfmul_conv_options_init(&opt);
    opt.number = kinds[kind].number;
    opt.words = kinds[kind].number == GFMUL_CONV_INT64 ? 3 : 2;
    opt.modulus = (UINT64_C(1) << 62) - 57;
    opt.threads = s->library.threads;
    opt.batch = wish.batch;
    work.a = bench_alloc(a_bytes + 8, 1);
    work.b = bench_alloc(b_bytes + 8, 1);
    work.z = bench_alloc(z_bytes, 1);
    work.want = bench_alloc(z_bytes, 1);
    numbers_fill(s, work.a, a_bytes, opt.number, 0);
    numbers_fill(s, work.b, b_bytes, opt.number, 1);
    check(gfmul_conv_create(&work.cpu, work.b, work.bn, work.an, &opt), "cpu");
    opt.device = wish.device;
    if (wish.phases) {
        check(ocl_device_open(&profiled, wish.device, &profiles, NULL), wish.device);
        opt.cl_context = ocl_device_context(profiled);
        opt.cl_queue = ocl_device_queue(profiled);
    }
    check(gfmul_conv_create(&work.device, work.b, work.bn, work.an, &opt), opt.device);
    cl_context context;
    if (clGetCommandQueueInfo(gfmul_conv_queue(work.device), CL_QUEUE_CONTEXT, sizeof(cl_context), &context, NULL) != CL_SUCCESS)
        bench_fail("clGetCommandQueueInfo");
    work.from = buffer(context, a_bytes, work.a);
    work.to = buffer(context, z_bytes, NULL);
    if (wish.phases)
        phases_print(kind, n, profiled);
    else
        times_print(s, kind, n, z_bytes);
    fflush(stdout);
    gfmul_conv_destroy(work.cpu);
    gfmul_conv_destroy(work.device);
    clReleaseMemObject(work.from);
    clReleaseMemObject(work.to);
    ocl_device_close(profiled);
    free(work.a), free(work.b), free(work.z), free(work.want);
}

int transform_conv(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-fft conv", .usage = usage, .own = own_options, .take = option_take, .seconds = 1, .rounds = 5};
    struct bench_settings s;
    bench_options_parse(&s, &program, argc, argv);
    s.clock = BENCH_CLOCK_WALL; /* a device works */
    size_options_finish(&wish.range);
    provenance_print(&s, argc, argv);
    printf(wish.phases ? "numbers\tn\tbatch\tkernel\tlaunches\tns\n"
                       : "numbers\tn\tbatch\twhere\tmedian_ns\tmin_ns\tratio\trounds\n");
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t i = 0; i < wish.range.sizes.count && is_wished(kinds[kind].name); i++)
            measure(&s, kind, wish.range.sizes.n[i]);
    free(wish.range.sizes.n);
    return 0;
}
#endif
