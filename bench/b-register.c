/*
 * b-register.c - what each part of register_s2 costs: the kernel with parts left out, on an OpenCL device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Results are wrong where a part is missing; kernels/gallery/register_s2.cl says which parts there are.  Times are of all
 * launches of one transform in double precision, by the clock around a finished queue.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HAVE_OPENCL
int main(void)
{
    fprintf(stderr, "b-register: built without OpenCL\n");
    return 1;
}
#else
#include "bench.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"

enum { ROUNDS = 9, LEVELS = 8 };

static char detail[OCL_DETAIL_BYTES];

static void check(enum gfmul_status status, const char *what)
{
    if (status == GFMUL_OK)
        return;
    fprintf(stderr, "b-register: %s: %s: %s\n", what, gfmul_strerror(status), detail);
    exit(1);
}

/* transform_enqueue - as few launches of at most 2^LEVELS points as there can be, to and fro between two buffers. */
static void transform_enqueue(struct ocl_device *d, cl_kernel k, cl_mem const data[2], cl_int log2_n)
{
    const cl_int launches = (log2_n + LEVELS - 1) / LEVELS, sign = -1;
    cl_int log2_p = 0;
    for (cl_int i = 0; i < launches; i++) {
        const cl_int levels = log2_n * (i + 1) / launches - log2_n * i / launches;
        const size_t items = (size_t)1 << (levels - 1);
        const struct ocl_range range = {2, {0, 0}, {(size_t)1 << (log2_n - 1), 1}, {items, 1}};
        check(ocl_args(OCL_ON(d, detail), k, OCL_ARG(data[i % 2]), OCL_ARG(data[(i + 1) % 2]), OCL_ARG(log2_n), OCL_ARG(levels),
                       OCL_ARG(log2_p), OCL_ARG(sign), items * 2 * sizeof(double), (const void *)NULL, OCL_END),
              "arguments");
        check(ocl_launch(OCL_ON(d, detail), k, "register_s2", range, 0), "launch");
        log2_p += levels;
    }
}

static double time_of(struct ocl_device *d, cl_kernel k, cl_mem const data[2], cl_int log2_n)
{
    double v[ROUNDS];
    size_t count = 1;
    for (int round = -1; round < ROUNDS; round++) {
        const double start = now_seconds();
        for (size_t i = 0; i < count; i++)
            transform_enqueue(d, k, data, log2_n);
        check(ocl_finish(OCL_ON(d, detail)), "run");
        const double t = now_seconds() - start;
        if (round >= 0)
            v[round] = t / (double)count;
        else if (t < 0.02)
            count = (size_t)(0.02 / t) + 1; /* rounds of 20 ms */
    }
    return median_of(v, ROUNDS);
}

int main(int argc, char **argv)
{
    static const struct {
        unsigned without;
        const char *what;
    } variants[] = {{0, "whole"},
                    {1 | 2, "no exchange"},
                    {2, "no barriers"},
                    {4, "no sines and cosines"},
                    {8, "no bit reversal of the store"},
                    {1 | 2 | 4 | 8, "loads, butterflies and stores alone"}};
    const struct ocl_device_options options = {.profile = false};
    struct ocl_device *d;
    cl_mem data[2];
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        printf("Usage: b-register DEVICE LOG2_N...\nTime register_s2 for 2^LOG2_N points with parts left out.\n");
        return argc < 2;
    }
    check(ocl_device_open(&d, argv[1], &options, detail), "device");
    printf("# device: %s\nvariant\tlog2_n\tmicroseconds\tof_whole\n", ocl_device_info(d)->name);
    for (int a = 2; a < argc; a++) {
        const cl_int log2_n = atoi(argv[a]);
        double whole = 0;
        if (log2_n < 1 || log2_n > 26)
            return 2;
        for (unsigned i = 0; i < 2; i++) {
            const double zero = 0;
            const size_t bytes = (size_t)16 << log2_n;
            check(ocl_buffer_get(OCL_ON(d, detail), bytes, &data[i]), "memory");
            check(ocl_status(OCL_ON(d, detail),
                             clEnqueueFillBuffer(ocl_device_queue(d), data[i], &zero, sizeof zero, 0, bytes, 0, NULL, NULL),
                             "clEnqueueFillBuffer"),
                  "memory");
        }
        for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
            char text[64];
            cl_kernel k;
            snprintf(text, sizeof text, "-DGALLERY_DOUBLE=1 -DREGISTER_WITHOUT=%u", variants[v].without);
            check(ocl_kernel_get(OCL_ON(d, detail), "gallery/register_s2.cl", "register_s2", text, &k), "kernel");
            const double t = time_of(d, k, data, log2_n);
            whole = v == 0 ? t : whole;
            printf("%s\t%d\t%.4g\t%.2f\n", variants[v].what, (int)log2_n, 1e6 * t, t / whole);
            ocl_kernel_put(d, k);
        }
        for (unsigned i = 0; i < 2; i++)
            ocl_buffer_put(d, data[i]);
    }
    ocl_device_close(d);
    return 0;
}
#endif
