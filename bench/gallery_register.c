/*
 * gallery_register.c - what each part of register_s2 costs: the kernel with parts replaced or left out, on an OpenCL device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The parts are those of the published page: A the reads and B the writes in the items' order, C no twiddles at the load, D no
 * exchange in local memory; kernels/gallery/register_s2.cl has them.  Results are wrong where a part is missing.  A transform is
 * as many launches of groups of `items` as it takes, the last one with what levels are left.  Times are of all launches of one
 * transform, by the clock around a finished queue; the cases of one group size take turns, and figures are medians over rounds.
 */
#include "bench_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HAVE_OPENCL
int gallery_register(int argc, char **argv)
{
    (void)argc, (void)argv;
    fprintf(stderr, "b-gallery register: built without OpenCL\n");
    return 1;
}
#else
#include "bench.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"

enum { ROUNDS = 9, LEAST_LEVELS = 4, MOST_LEVELS = 11 };

static char detail[OCL_DETAIL_BYTES];

/* The rows of the page's table. */
static const struct {
    unsigned without;
    const char *what;
} cases[] = {{0, "whole"}, {1, "A"}, {2, "B"}, {3, "A B"}, {4, "C"}, {7, "A B C"}, {8, "D"}, {15, "A B C D"}};
enum { CASES = sizeof cases / sizeof *cases };

static void check(enum gfmul_status status, const char *what)
{
    if (status == GFMUL_OK)
        return;
    fprintf(stderr, "b-gallery register: %s: %s: %s\n", what, gfmul_strerror(status), detail);
    exit(1);
}

/* transform_enqueue - launches of 2^most points each, to and fro between two buffers; returns how many. */
static unsigned transform_enqueue(struct ocl_device *d, cl_kernel k, cl_mem const data[2], cl_int log2_n, cl_int most,
                                  size_t point_bytes)
{
    const cl_int sign = -1;
    unsigned launches = 0;
    for (cl_int log2_p = 0; log2_p < log2_n; launches++) {
        const cl_int levels = log2_n - log2_p < most ? log2_n - log2_p : most;
        const size_t items = (size_t)1 << (levels - 1);
        const struct ocl_range range = {2, {0, 0}, {(size_t)1 << (log2_n - 1), 1}, {items, 1}};
        check(ocl_args(OCL_ON(d, detail), k, OCL_ARG(data[launches % 2]), OCL_ARG(data[(launches + 1) % 2]), OCL_ARG(log2_n),
                       OCL_ARG(levels), OCL_ARG(log2_p), OCL_ARG(sign), items * point_bytes, (const void *)NULL, OCL_END),
              "arguments");
        check(ocl_launch(OCL_ON(d, detail), k, "register_s2", range, 0), "launch");
        log2_p += levels;
    }
    return launches;
}

/* measure - one group size: a line for each case. */
static void measure(struct ocl_device *d, cl_kernel const k[CASES], cl_mem const data[2], cl_int log2_n, cl_int most,
                    bool is_float)
{
    const size_t point_bytes = is_float ? 8 : 16;
    double v[CASES][ROUNDS], seconds[CASES];
    size_t count = 1;
    unsigned launches = 0;
    for (int round = -1; round < ROUNDS; round++)
        for (unsigned c = 0; c < CASES; c++) {
            const double start = now_seconds();
            for (size_t i = 0; i < count; i++)
                launches = transform_enqueue(d, k[c], data, log2_n, most, point_bytes);
            check(ocl_finish(OCL_ON(d, detail)), "run");
            const double t = now_seconds() - start;
            if (round >= 0)
                v[c][round] = t / (double)count;
            else if (c == CASES - 1 && t < 0.003)
                count = (size_t)(0.003 / t) + 1; /* samples of 3 ms at least, of the fastest case */
        }
    for (unsigned c = 0; c < CASES; c++)
        seconds[c] = median_of(v[c], ROUNDS);
    for (unsigned c = 0; c < CASES; c++)
        printf("%s\t%s\t%d\t%d\t%u\t%.5g\t%.3f\n", cases[c].what, is_float ? "float" : "double", (int)log2_n, 1 << (most - 1),
               launches, 1e6 * seconds[c], seconds[c] / seconds[0]);
    fflush(stdout);
}

static void measure_precision(struct ocl_device *d, bool is_float, char *const sizes[])
{
    cl_kernel k[CASES];
    size_t items = ocl_device_info(d)->max_work_group, one;
    for (unsigned c = 0; c < CASES; c++) {
        char text[64];
        snprintf(text, sizeof text, "-DGALLERY_DOUBLE=%d -DREGISTER_WITHOUT=%u", !is_float, cases[c].without);
        check(ocl_kernel_get(OCL_ON(d, detail), "gallery/register_s2.cl", "register_s2", text, &k[c]), "kernel");
        if (clGetKernelWorkGroupInfo(k[c], ocl_device_id(d), CL_KERNEL_WORK_GROUP_SIZE, sizeof one, &one, NULL) == CL_SUCCESS &&
            one < items)
            items = one;
    }
    for (; *sizes != NULL; sizes++) {
        const cl_int log2_n = atoi(*sizes);
        const size_t bytes = (size_t)(is_float ? 8 : 16) << log2_n;
        const double zero = 0;
        cl_mem data[2];
        for (unsigned i = 0; i < 2; i++) {
            check(ocl_buffer_get(OCL_ON(d, detail), bytes, &data[i]), "memory");
            check(ocl_fill(OCL_ON(d, detail), (struct ocl_span){data[i], 0, bytes}, &zero, sizeof zero), "memory");
        }
        for (cl_int most = LEAST_LEVELS; most <= MOST_LEVELS && most <= log2_n && (size_t)1 << (most - 1) <= items; most++)
            measure(d, k, data, log2_n, most, is_float);
        for (unsigned i = 0; i < 2; i++)
            ocl_buffer_put(d, data[i]);
    }
    for (unsigned c = 0; c < CASES; c++)
        ocl_kernel_put(d, k[c]);
}

int gallery_register(int argc, char **argv)
{
    const struct ocl_device_options options = {.profile = false};
    struct ocl_device *d;
    if (argc < 3) {
        printf("Usage: b-gallery register DEVICE LOG2_N...\n"
               "Time register_s2 for 2^LOG2_N points by group size, whole and with parts replaced or left out.\n"
               "  A  reads in order   B  writes in order   C  no twiddles at the load   D  no exchange in local memory\n");
        return argc < 2 || strcmp(argv[1], "--help") != 0;
    }
    for (int a = 2; a < argc; a++)
        if (atoi(argv[a]) < LEAST_LEVELS || atoi(argv[a]) > 26)
            return 2;
    check(ocl_device_open(&d, argv[1], &options, detail), "device");
    printf("# device: %s\n# version: %s\nparts\tprecision\tlog2_n\titems\tlaunches\tmicroseconds\tof_whole\n",
           ocl_device_info(d)->name, gfmul_version());
    measure_precision(d, true, argv + 2);
    if (ocl_device_info(d)->fp64)
        measure_precision(d, false, argv + 2);
    ocl_device_close(d);
    return 0;
}
#endif
