/*
 * device_products.c - products on an OpenCL device: with everything there, from and to host memory, kernel by kernel.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: see usage() below.  For each size and shape one line "product" and a line "kernel" for each kernel, tab-separated:
 *
 *     product  AN BN KIND L POINTS K BOUND MEASURED_BOUND ERROR MS FLOOR_MS FLOOR/MS GMP_MS GMP/MS HOST_MS GMP/HOST_MS CHECK
 *              SHAPE
 *     kernel   NAME MS GB GB/S SHARE REGISTERS SPILLED LOCAL SHAPE
 *
 * MS is the time of a product with operands and result on the device, the median over batches of products that are enqueued
 * together.  FLOOR_MS: the bytes that the kernels read and write, over the bandwidth of a copy measured before (line "copy").
 * Under --checked BOUND is the error that the rule expects, MEASURED_BOUND the one it expects of these digits' norms.
 * HOST_MS: from and to pinned memory, transfers beside the kernels as the library has them.  GMP_MS: mpn_mul (mpn_sqr) on one
 * core here, the best run of three or more, or one of more than 20 s.
 * Kernels are timed by events, in another context.  Measure on an idle device: clocks and its other users show in everything.
 */
#include "bench_device.h"
#include "bench_parts.h"

#include <getopt.h>
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HAVE_OPENCL
int device_products(int argc, char **argv)
{
    (void)argc, (void)argv;
    fprintf(stderr, "b-device products: built without OpenCL\n");
    return 1;
}
#else
#include "bench.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_overlap.h"
#include "ocl/ocl_rates.h"
#include "ocl/ocl_staging.h"
#include "ocl/ocl_state.h" /* the sizes of parts */

enum { BATCHES = 7, HOST_RUNS = 21, LONG_S = 20 };
enum kind { RANDOM, ONES, ALTERNATING };

static char detail[OCL_DETAIL_BYTES];
static const char *device_name = "gpu";
static bool allow_cpu, square, worst_case, unproved, host_too = true, kernels_too = true;
static double seconds = 0.3, gmp_limbs = 1.1e7;
static enum kind kind = RANDOM;
static enum gfmul_precision precision = GFMUL_PRECISION_DOUBLE;
static enum gfmul_rule rule = GFMUL_RULE_NORM;
static enum gfmul_packing packing = GFMUL_PACKING_RIGHT_ANGLE;
static size_t short_bytes, part_bytes;
static unsigned chunk_blocks, tile_items, fill_most;
static int group_maps = -1; /* as planned */
static const char *define = "";
static double copy_gbs; /* bandwidth of a copy, read and written */

static void usage(FILE *f)
{
    fputs("Usage: b-device products [OPTION]... SIZE[:BITS] [SHAPE]...\n"
          "Time products of SIZE limbs (1e6, or 1e6x1e5) on an OpenCL device, by the plan of the library, or with digits of BITS "
          "bits by\n"
          "each SHAPE that follows: passes as kernels/fft_stages.cl has them, first to last,\n"
          "    RADIX.RADIX...[:dSTAGES]/ITEMS/COLUMNS[/s],...\n\n"
          "  --device NAME    as bigmul (default gpu)\n"
          "  --allow-cpu      on a device that is no GPU too: for tests, the times say nothing\n"
          "  --square         squares\n"
          "  --kind KIND      random, ones, alternating (default random)\n"
          "  --precision P    double, dd, prime (default double)\n"
          "  --packing P      right-angle, two-for-one, one-for-half (default right-angle)\n"
          "  --checked        plans of the rule checked\n"
          "  --worst-case     plans for all operands instead of measured norms\n"
          "  --unproved       shapes whose digits are not proved too\n"
          "  --seconds S      for each figure (default 0.3)\n"
          "  --gmp N          compare with GMP up to N limbs (default 1.1e7), beyond by residues; 0: never\n"
          "  --no-host        without transfers\n"
          "  --short BYTES    products from host memory of up to so many bytes by one queue (default 6.3e6)\n"
          "  --part BYTES     the least bytes of a part of a transfer (default 3.4e7)\n"
          "  --chunk N        blocks of 32 digits of a chunk of limbs (default 16)\n"
          "  --tile N         items that carry side by side (default 128)\n"
          "  --group-maps N   1: long carries look at maps of groups of chunks, 0: of chunks (default: by their number)\n"
          "  --fill N         groups that share the same long carries, at most (default 16)\n"
          "  --define OPTION  one more for the compiler, as -cl-nv-maxrregcount=64\n"
          "  --no-kernels     without the times of kernels\n"
          "  --help           print this and exit\n",
          f);
}

static void check(enum gfmul_status status, const char *what)
{
    if (status == GFMUL_OK)
        return;
    fprintf(stderr, "b-device products: %s: %s: %s\n", what, gfmul_strerror(status), detail);
    exit(1);
}

static void *need(void *p)
{
    if (!p) {
        fprintf(stderr, "b-device products: no memory\n");
        exit(1);
    }
    return p;
}

/* ---- operands ---- */

struct operands {
    mp_limb_t *a, *b, *z, *expected;
    size_t an, bn, zn;
    double gmp_s; /* 0: not measured */
};

static void operand_fill(mp_limb_t *p, size_t n, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t i = 0; i < n; i++) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        p[i] = kind == ONES ? ~(mp_limb_t)0 : kind == ALTERNATING ? UINT64_C(0x5555555555555555) << (seed & 1) : z ^ (z >> 31);
    }
    p[n - 1] |= (mp_limb_t)1 << 63;
}

static void gmp_mul(const struct operands *o, mp_limb_t *z)
{
    if (square)
        mpn_sqr(z, o->a, (mp_size_t)o->an);
    else if (o->an >= o->bn)
        mpn_mul(z, o->a, (mp_size_t)o->an, o->b, (mp_size_t)o->bn);
    else
        mpn_mul(z, o->b, (mp_size_t)o->bn, o->a, (mp_size_t)o->an);
}

static void operands_make(struct operands *o, struct ocl_device *d, size_t an, size_t bn)
{
    void *p[3];
    o->an = an;
    o->bn = bn;
    o->zn = an + bn;
    check(ocl_host_alloc(OCL_ON(d, detail), an * 8, &p[0]), "pinned memory");
    check(ocl_host_alloc(OCL_ON(d, detail), bn * 8, &p[1]), "pinned memory");
    check(ocl_host_alloc(OCL_ON(d, detail), o->zn * 8, &p[2]), "pinned memory");
    o->a = p[0];
    o->b = p[1];
    o->z = p[2];
    operand_fill(o->a, an, 1);
    operand_fill(o->b, bn, 2);
    o->expected = NULL;
    o->gmp_s = 0;
    if ((double)an > gmp_limbs)
        return;
    o->expected = need(malloc(o->zn * 8));
    const double begin = now_seconds();
    /* the best of them: the machine has other users; one, where that takes long */
    for (unsigned runs = 0; runs < 3 ? o->gmp_s < LONG_S : now_seconds() - begin < seconds; runs++) {
        const double start = now_seconds();
        gmp_mul(o, o->expected);
        const double time = now_seconds() - start;
        o->gmp_s = runs == 0 || time < o->gmp_s ? time : o->gmp_s;
    }
}

static void operands_free(struct operands *o, struct ocl_device *d)
{
    ocl_host_free(d, o->a);
    ocl_host_free(d, o->b);
    ocl_host_free(d, o->z);
    free(o->expected);
}

/* product_word - "gmp", "residues", or "WRONG" and the first wrong limb. */
static const char *product_word(const struct operands *o)
{
    static char wrong[64];
    static const mp_limb_t prime[2] = {UINT64_C(2305843009213693951), UINT64_C(2305843009213693921)};
    if (o->expected) {
        size_t i = 0;
        while (i < o->zn && o->z[i] == o->expected[i])
            i++;
        snprintf(wrong, sizeof wrong, "WRONG at %zu", i);
        return i == o->zn ? "gmp" : wrong;
    }
    for (int i = 0; i < 2; i++) {
        const mp_limb_t a = mpn_mod_1(o->a, (mp_size_t)o->an, prime[i]);
        const mp_limb_t b = square ? a : mpn_mod_1(o->b, (mp_size_t)o->bn, prime[i]);
        if ((mp_limb_t)((unsigned __int128)a * b % prime[i]) != mpn_mod_1(o->z, (mp_size_t)o->zn, prime[i]))
            return "WRONG residue";
    }
    return "residues";
}

/* ---- the device ---- */

static const char copy_source[] = "__kernel void copy(__global const double2 *restrict a, __global double2 *restrict b)\n"
                                  "{ const size_t i = get_global_id(0); b[i] = a[i]; }\n";

/* copy_measure - the best bandwidth of a kernel that copies, bytes read plus written. */
static void copy_measure(struct ocl_device *d)
{
    const size_t bytes = allow_cpu ? (size_t)1 << 24 : (size_t)1 << 31, items = bytes / 16;
    cl_mem a, b;
    cl_int code;
    const char *source = copy_source;
    cl_device_id id = ocl_device_id(d);
    check(ocl_buffer_get(OCL_ON(d, detail), bytes, &a), "buffer");
    check(ocl_buffer_get(OCL_ON(d, detail), bytes, &b), "buffer");
    cl_program program = clCreateProgramWithSource(ocl_device_context(d), 1, &source, NULL, &code);
    check(ocl_status(OCL_ON(d, detail), code, "clCreateProgramWithSource"), "copy");
    check(ocl_status(OCL_ON(d, detail), clBuildProgram(program, 1, &id, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram"), "copy");
    cl_kernel k = clCreateKernel(program, "copy", &code);
    check(ocl_status(OCL_ON(d, detail), code, "clCreateKernel"), "copy");
    check(ocl_args(OCL_ON(d, detail), k, OCL_ARG(a), OCL_ARG(b), OCL_END), "copy");
    double best = 1e30;
    for (int i = 0; i < 12; i++) {
        const int runs = i < 2 ? 1 : 8;
        const double start = now_seconds();
        for (int j = 0; j < runs; j++)
            check(ocl_launch(OCL_ON(d, detail), k, "copy", ocl_items(items, 0), 0), "copy");
        check(ocl_finish(OCL_ON(d, detail)), "copy");
        const double time = (now_seconds() - start) / runs;
        best = time < best && i >= 2 ? time : best;
    }
    copy_gbs = 2e-9 * (double)bytes / best;
    printf("copy\t%.0f GB/s\n", copy_gbs);
    clReleaseKernel(k);
    clReleaseProgram(program);
    ocl_buffer_put(d, a);
    ocl_buffer_put(d, b);
    ocl_buffer_trim(d);
}

/* Operands and result on the device, with the pipeline that multiplies them. */
struct run {
    struct ocl_device *d;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number a, b, z;
};

static cl_mem number_buffer(struct ocl_device *d, size_t limbs)
{
    cl_mem m;
    check(ocl_buffer_get(OCL_ON(d, detail), limbs * 8, &m), "buffer");
    return m;
}

static void run_upload(struct run *r, const struct operands *o)
{
    check(ocl_upload(OCL_ON(r->d, detail), (struct ocl_span){r->a.words, 0, o->an * 8}, o->a, 1, OCL_AFTER_QUEUE), "upload");
    if (!square)
        check(ocl_upload(OCL_ON(r->d, detail), (struct ocl_span){r->b.words, 0, o->bn * 8}, o->b, 1, OCL_AFTER_QUEUE), "upload");
}

/* run_begin - false, after a line "failed", where the device cannot run this shape. */
static bool run_begin(struct run *r, struct ocl_device *d, const struct plan_shape *shape, const struct operands *o,
                      const char *options)
{
    r->d = d;
    if (ocl_pipeline_build(OCL_ON(d, detail), &r->pipeline, shape, options) != GFMUL_OK ||
        ocl_pipeline_tables(OCL_ON(d, detail), r->pipeline) != GFMUL_OK) {
        ocl_pipeline_destroy(r->pipeline);
        printf("failed\t%s\n", detail);
        return false;
    }
    check(ocl_work_get(OCL_ON(r->d, detail), shape, &r->work, square), "work");
    r->a = (struct ocl_number){number_buffer(d, o->an), (uint32_t)(2 * o->an)};
    r->b = (struct ocl_number){square ? NULL : number_buffer(d, o->bn), (uint32_t)(2 * o->bn)};
    r->z = (struct ocl_number){number_buffer(d, o->zn), (uint32_t)(2 * o->zn)};
    run_upload(r, o);
    return true;
}

static void run_mul(struct run *r, struct ocl_profile *profile)
{
    const struct ocl_call on = {r->d, profile, detail};
    check(ocl_pipeline_forward(&on, r->pipeline, &r->work, r->a, r->b), "product");
    check(ocl_pipeline_rows(&on, r->pipeline, &r->work), "product");
    check(ocl_pipeline_limbs(&on, r->pipeline, &r->work, r->z, 0, 1), "product");
}

static void run_end(struct run *r)
{
    ocl_work_put(r->d, &r->work);
    ocl_buffer_put(r->d, r->a.words);
    ocl_buffer_put(r->d, r->b.words);
    ocl_buffer_put(r->d, r->z.words);
    ocl_pipeline_destroy(r->pipeline);
    ocl_buffer_trim(r->d);
}

/* run_resident - seconds of a product on the device. */
static double run_resident(struct run *r)
{
    double time[BATCHES], start = now_seconds();
    unsigned warm = 0;
    do {
        run_mul(r, NULL);
        check(ocl_finish(OCL_ON(r->d, detail)), "product");
        warm++;
    } while (now_seconds() - start < seconds / 2);
    unsigned runs = (unsigned)(seconds / BATCHES / ((now_seconds() - start) / warm)) + 1;
    runs = runs > 200 ? 200 : runs;
    for (int i = 0; i < BATCHES; i++) {
        start = now_seconds();
        for (unsigned j = 0; j < runs; j++)
            run_mul(r, NULL);
        check(ocl_finish(OCL_ON(r->d, detail)), "product");
        time[i] = (now_seconds() - start) / runs;
    }
    return median_of(time, BATCHES);
}

/* run_host - seconds of a product from and to pinned memory. */
static double run_host(struct run *r, const struct operands *o)
{
    double time[HOST_RUNS];
    for (int i = 0; i < HOST_RUNS; i++) {
        struct ocl_ends ends = {.a = r->a, .b = r->b, .z = r->z, .a_from = o->a, .b_from = square ? NULL : o->b, .z_to = o->z};
        struct ocl_readback readback;
        struct plan_figures figures;
        cl_event done;
        memset(o->z, 0x5a, o->zn * 8);
        const double start = now_seconds();
        ocl_device_unlock(r->d);
        check(ocl_overlap_mul(OCL_ON(r->d, detail), r->pipeline, &r->work, &ends, &readback, &done), "product");
        check(ocl_pipeline_figures_wait(OCL_ON(r->d, detail), r->pipeline, &readback, &figures), "figures");
        check(ocl_overlap_wait(OCL_ON(r->d, detail), &ends, done), "product");
        time[i] = now_seconds() - start;
        ocl_device_lock(r->d);
    }
    return median_of(time, HOST_RUNS);
}

/* log_number - the number before (or behind) a word of a build log; -1: it is not there. */
static long log_number(const char *log, const char *word, bool before)
{
    const char *p = strstr(log, word);
    if (!p)
        return -1;
    if (!before)
        return strtol(p + strlen(word), NULL, 10);
    while (p > log && (p[-1] == ' ' || p[-1] == ','))
        p--;
    while (p > log && p[-1] >= '0' && p[-1] <= '9')
        p--;
    return strtol(p, NULL, 10);
}

static char builds[OCL_PIPELINE_KERNELS][64]; /* what build_note wrote of each kernel of a product */

/* build_note - registers, spilled bytes and local memory of a kernel, as far as the driver tells. */
static void build_note(struct ocl_device *d, cl_kernel k, const char *name, char note[64])
{
    cl_program program = NULL;
    cl_device_id id = ocl_device_id(d);
    size_t size = 0;
    cl_ulong local = 0;
    long registers = -1, spilled = -1;
    clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    clGetKernelWorkGroupInfo(k, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS && size > 1) {
        char *log = need(calloc(size + 1, 1)), entry[80];
        clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
        snprintf(entry, sizeof entry, "'%s'", name); /* the driver's lines on one entry function */
        const char *own = strstr(log, entry);
        registers = log_number(own ? own : log, "Used ", false);
        spilled = log_number(own ? own : log, "bytes spill stores", true);
        free(log);
    }
    snprintf(note, 64, "%ld\t%ld\t%lu", registers, spilled, (unsigned long)local);
}

/* builds_note - all kernels of a pipeline; a program from the cache on disk has no log. */
static void builds_note(const struct run *r)
{
    struct ocl_kernel_info info[OCL_PIPELINE_KERNELS];
    const unsigned n = ocl_pipeline_kernels(r->pipeline, info);
    for (unsigned i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(info[i].name, " "), info[i].name);
        build_note(r->d, info[i].kernel, name, builds[i]);
    }
}

/* build_options - for the compiler: to say what it made. */
static const char *build_options(struct ocl_device *d)
{
    static char options[64];
    const bool nvidia = strncmp(ocl_device_info(d)->platform, "NVIDIA", 6) == 0;
    snprintf(options, sizeof options, "%s%s", nvidia ? "-cl-nv-verbose " : "", define);
    return options;
}

/* kernels_print - the times of the kernels, by events; returns the bytes of one product. */
static void kernels_print(const struct plan_shape *shape, const struct operands *o)
{
    struct ocl_device *d;
    struct ocl_device_options opt = {.profile = true};
    struct ocl_profile *profile = need(calloc(1, sizeof *profile));
    struct ocl_kernel_info info[OCL_PIPELINE_KERNELS];
    struct run r;
    double sum = 0;
    check(ocl_device_open(&d, device_name, &opt, detail), "device");
    ocl_device_lock(d);
    if (!run_begin(&r, d, shape, o, build_options(d)))
        goto out;
    const double start = now_seconds();
    do
        run_mul(&r, NULL);
    while (check(ocl_finish(OCL_ON(d, detail)), "product"), now_seconds() - start < seconds / 2);
    const unsigned runs = 5;
    for (unsigned i = 0; i < runs; i++)
        run_mul(&r, profile);
    check(ocl_profile_read(&(const struct ocl_call){d, profile, detail}), "profile");
    const unsigned n = ocl_pipeline_kernels(r.pipeline, info);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < profile->n_kernels; j++)
            if (strcmp(info[i].name, profile->kernel[j].name) == 0) {
                const double time = 1e-9 * (double)profile->kernel[j].ns / runs, gb = 1e-9 * profile->kernel[j].bytes / runs;
                printf("kernel\t%s\t%.4f\t%.4f\t%.0f\t%.3f\t%s\t%s\n", info[i].name, 1e3 * time, gb, time > 0 ? gb / time : 0,
                       time > 0 ? gb / time / copy_gbs : 0, builds[i], info[i].shape);
                sum += time;
            }
    printf("kernels\t%.4f ms together\n", 1e3 * sum);
    run_end(&r);
out:
    ocl_device_unlock(d);
    ocl_device_close(d);
    free(profile);
}

/* product_bytes - what the kernels of a product read and write. */
static double product_bytes(const struct plan_shape *s, const struct operands *o)
{
    const double n = (double)s->transform.n_points,
                 operands = s->field == PLAN_PRIME ? (square ? 1 : 2) : device_shape_operands(s);
    struct device_buffers b;
    device_shape_buffers(s, &b);
    const double array = device_point_bytes(s) * n;
    double bytes = array * operands + 8.0 * (double)(o->an + (square ? 0 : o->bn)); /* source_to_columns_fused */
    bytes += (s->device.n_passes - 2) * (2 * array * operands + 2 * array);         /* columns_forward, columns_inverse */
    bytes += array * (operands + 1);                                                /* columns_mul_fused, .. */
    bytes += array + 2 * (double)(b.runs + b.carries) + 8.0 * (double)o->zn;        /* columns_to_runs_fused, runs_to_limbs */
    return s->field == PLAN_PRIME ? bytes + 2 * array : bytes;                      /* the last pass back leaves its residues */
}

static void shape_measure(struct ocl_device *d, struct plan_shape *s, struct operands *o)
{
    struct run r;
    struct plan_figures figures;
    struct ocl_readback readback;
    struct gfmul_plan_info info;
    double k = 0, host = 0;
    if (s->field != PLAN_PRIME)
        device_shape_carry(s, chunk_blocks, tile_items);
    if (group_maps >= 0)
        s->device.group_maps = group_maps;
    if (!run_begin(&r, d, s, o, build_options(d)))
        return;
    builds_note(&r);
    memset(o->z, 0xa5, o->zn * 8);
    run_mul(&r, NULL);
    check(ocl_download(OCL_ON(d, detail), o->z, (struct ocl_span){r.z.words, 0, o->zn * 8}, 1, OCL_AFTER_QUEUE), "download");
    check(ocl_pipeline_figures_start(OCL_ON(r.d, detail), &r.work, &readback), "figures");
    check(ocl_pipeline_figures_wait(OCL_ON(r.d, detail), r.pipeline, &readback, &figures), "figures");
    const char *word = product_word(o);
    const double time = run_resident(&r);
    const double bound = s->field == PLAN_PRIME ? 0
                         : rule == GFMUL_RULE_CHECKED
                             ? plan_error_model(s, &figures.a, &figures.b)
                             : plan_bound_posterior(s, &figures.a, &figures.b, figures.max_value, HUGE_VAL, &k);
    if (host_too)
        host = run_host(&r, o);
    if (host_too && strncmp(product_word(o), "WRONG", 5) == 0)
        word = "WRONG from host";
    run_end(&r);
    const double floor = product_bytes(s, o) * 1e-9 / copy_gbs;
    plan_info_from_shape(&info, s, "");
    printf("product\t%zu\t%zu\t%s\t%u\t%zu\t%.1f\t%.4f\t%.4f\t%.2g\t%.4f\t%.4f\t%.3f\t%.3f\t%.0f\t%.4f\t%.0f\t%s\t%s\n", o->an,
           o->bn,
           kind == ONES     ? "ones"
           : kind == RANDOM ? "random"
                            : "alternating",
           s->digits.exponent, s->transform.n_points, k, s->bound.value, bound, figures.max_error, 1e3 * time, 1e3 * floor,
           floor / time, 1e3 * o->gmp_s, o->gmp_s / time, 1e3 * host, host > 0 ? o->gmp_s / host : 0, word, info.passes);
    fflush(stdout);
    if (kernels_too)
        kernels_print(s, o);
    fflush(stdout);
}

/* sizes_parse - "1e6", "1e6x1e5", "1e6:10". */
static bool sizes_parse(const char *arg, size_t *an, size_t *bn, unsigned *bits)
{
    const char *const sizes_end = bench_device_sizes(arg, an, bn);
    char *end = NULL;
    *bits = 0;
    if (sizes_end && *sizes_end == ':')
        *bits = (unsigned)strtoul(sizes_end + 1, &end, 10);
    return sizes_end && (end ? *end : *sizes_end) == '\0';
}

static void options_parse(int argc, char **argv)
{
    enum {
        DEVICE = 1,
        ALLOW,
        SQUARE,
        KIND,
        WORST,
        SECONDS,
        GMP,
        NO_HOST,
        NO_KERNELS,
        HELP,
        SHORT,
        PART,
        UNPROVED,
        CHECKED,
        PRECISION,
        PACKING,
        CHUNK,
        TILE,
        FILL,
        GROUP_MAPS,
        DEFINE
    };
    static const struct option options[] = {{"device", 1, 0, DEVICE},
                                            {"allow-cpu", 0, 0, ALLOW},
                                            {"square", 0, 0, SQUARE},
                                            {"kind", 1, 0, KIND},
                                            {"worst-case", 0, 0, WORST},
                                            {"seconds", 1, 0, SECONDS},
                                            {"gmp", 1, 0, GMP},
                                            {"no-host", 0, 0, NO_HOST},
                                            {"unproved", 0, 0, UNPROVED},
                                            {"no-kernels", 0, 0, NO_KERNELS},
                                            {"help", 0, 0, HELP},
                                            {"short", 1, 0, SHORT},
                                            {"part", 1, 0, PART},
                                            {"checked", 0, 0, CHECKED},
                                            {"precision", 1, 0, PRECISION},
                                            {"packing", 1, 0, PACKING},
                                            {"chunk", 1, 0, CHUNK},
                                            {"tile", 1, 0, TILE},
                                            {"fill", 1, 0, FILL},
                                            {"group-maps", 1, 0, GROUP_MAPS},
                                            {"define", 1, 0, DEFINE},
                                            {0, 0, 0, 0}};
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case DEVICE:
            device_name = optarg;
            break;
        case ALLOW:
            allow_cpu = true;
            break;
        case SQUARE:
            square = true;
            break;
        case KIND:
            kind = strcmp(optarg, "ones") == 0 ? ONES : strcmp(optarg, "alternating") == 0 ? ALTERNATING : RANDOM;
            break;
        case WORST:
            worst_case = true;
            break;
        case SECONDS:
            seconds = strtod(optarg, NULL);
            break;
        case GMP:
            gmp_limbs = strtod(optarg, NULL);
            break;
        case CHECKED:
            rule = GFMUL_RULE_CHECKED;
            break;
        case UNPROVED:
            unproved = true;
            break;
        case PRECISION:
            precision = strcmp(optarg, "dd") == 0      ? GFMUL_PRECISION_DD
                        : strcmp(optarg, "prime") == 0 ? GFMUL_PRECISION_PRIME
                                                       : GFMUL_PRECISION_DOUBLE;
            break;
        case PACKING:
            packing = strcmp(optarg, "two-for-one") == 0    ? GFMUL_PACKING_TWO_FOR_ONE
                      : strcmp(optarg, "one-for-half") == 0 ? GFMUL_PACKING_ONE_FOR_HALF
                                                            : GFMUL_PACKING_RIGHT_ANGLE;
            if (packing == GFMUL_PACKING_RIGHT_ANGLE && strcmp(optarg, "right-angle") != 0) {
                usage(stderr);
                exit(2);
            }
            break;
        case SHORT:
            short_bytes = (size_t)strtod(optarg, NULL);
            break;
        case PART:
            part_bytes = (size_t)strtod(optarg, NULL);
            break;
        case CHUNK:
            chunk_blocks = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case TILE:
            tile_items = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case FILL:
            fill_most = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case GROUP_MAPS:
            group_maps = atoi(optarg) != 0;
            break;
        case DEFINE:
            define = optarg;
            break;
        case NO_HOST:
            host_too = false;
            break;
        case NO_KERNELS:
            kernels_too = false;
            break;
        case HELP:
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    }
    if (optind == argc) {
        usage(stderr);
        exit(2);
    }
}

int device_products(int argc, char **argv)
{
    struct ocl_device *d;
    options_parse(argc, argv);
    check(ocl_device_open(&d, device_name, NULL, detail), "device");
    const struct gfmul_device_info *info = ocl_device_info(d);
    if (!bench_device_admit(argv[0], info, allow_cpu))
        return 1;
    if (short_bytes > 0)
        d->overlap_short = short_bytes;
    if (part_bytes > 0)
        d->overlap_block = part_bytes;
    if (fill_most > 0)
        d->fill_most = fill_most;
    ocl_device_lock(d);
    const struct device_limits limits = {ocl_device_local_bytes(d), info->max_work_group, ocl_buffer_room(d), 0, 0,
                                         ocl_device_rates(d)};
    bench_device_line(argv[0], info);
    printf(", %zu bytes of local memory, GMP %s\n", limits.local_bytes, gmp_version);
    copy_measure(d);
    for (int i = optind; i < argc;) {
        size_t an, bn;
        unsigned bits;
        struct operands o;
        struct plan_shape shape;
        if (!sizes_parse(argv[i], &an, &bn, &bits)) {
            fprintf(stderr, "b-device products: \"%s\" is no size\n", argv[i]);
            return 2;
        }
        const struct plan_request request = {.rule = rule,
                                             .precision = precision,
                                             .packing = precision == GFMUL_PRECISION_PRIME ? GFMUL_PACKING_AUTO : packing,
                                             .base = 2,
                                             .an = 64 * an,
                                             .bn = 64 * bn,
                                             .square = square,
                                             .worst_case = worst_case,
                                             .fma = true,
                                             .max_radix = 8};
        operands_make(&o, d, an, bn);
        i++;
        if (i == argc || !strchr(argv[i], '/')) {
            check(plan_device_size(&shape, &request, &limits, detail, sizeof detail), argv[i - 1]);
            shape_measure(d, &shape, &o);
        }
        for (; i < argc && strchr(argv[i], '/'); i++) {
            const enum gfmul_status status = plan_device_parse(&shape, &request, argv[i], bits, detail, sizeof detail);
            if (status != GFMUL_OK && !(unproved && status == GFMUL_ERR_PRECISION))
                printf("refused\t%zu\t%zu\t%u\t%s\t%s\n", an, bn, bits, argv[i], detail);
            else
                shape_measure(d, &shape, &o);
        }
        operands_free(&o, d);
    }
    ocl_device_unlock(d);
    ocl_device_close(d);
    return 0;
}
#endif
