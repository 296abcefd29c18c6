/*
 * device_start.c - the first product of a process on an OpenCL device: what its driver, its programs and its memory take.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: see usage() below.  Lines, tab-separated:
 *
 *     start    WHAT MS AT_MS
 *     program  FILE MS AT_MS
 *
 * AT_MS: when it began, since the program was started.  Programs come from the cache on disk; for those that are built set
 * GFMUL_CACHE_DIR to nothing, and turn off the driver's own cache (NVIDIA: CUDA_CACHE_DISABLE=1).
 */
#include "bench_parts.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HAVE_OPENCL
int device_start(int argc, char **argv)
{
    (void)argc, (void)argv;
    fprintf(stderr, "b-device start: built without OpenCL\n");
    return 1;
}
#else
#include "base/clock.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_pipeline.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_rates.h"
#include "ocl/ocl_state.h" /* how many threads build */

enum { PROGRAMS = 64 };

static char detail[OCL_DETAIL_BYTES];
static uint64_t begun, last;

static void check(enum gfmul_status status, const char *what)
{
    if (status == GFMUL_OK)
        return;
    fprintf(stderr, "b-device start: %s: %s\n", what, detail[0] ? detail : gfmul_strerror(status));
    exit(1);
}

/* lap - the line of what has ended now. */
static void lap(const char *what)
{
    const uint64_t now = clock_ns();
    printf("start\t%s\t%.1f\t%.1f\n", what, 1e-6 * (double)(now - last), 1e-6 * (double)(last - begun));
    last = now;
}

static void usage(FILE *f)
{
    fputs("Usage: b-device start [OPTION]...\n"
          "Time the start of an OpenCL device and of the programs of a product.\n\n"
          "  -d, --device NAME     as bigmul's (default gpu)\n"
          "  -n, --digits N        of each operand, in decimal (default 1e8)\n"
          "  -l, --limbs N         of each operand, in place of digits\n"
          "  -p, --precision P     double, dd, prime\n"
          "  -t, --threads N       that build programs, at most\n"
          "  -o, --options TEXT    more of the compiler's, for kernels of passes\n"
          "  -h, --help\n",
          f);
}

int device_start(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"device", required_argument, NULL, 'd'},  {"digits", required_argument, NULL, 'n'},
        {"limbs", required_argument, NULL, 'l'},   {"precision", required_argument, NULL, 'p'},
        {"threads", required_argument, NULL, 't'}, {"options", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    struct plan_request request = {
        .rule = GFMUL_RULE_NORM, .precision = GFMUL_PRECISION_DOUBLE, .base = 10, .fma = true, .max_radix = 8};
    const char *device = "gpu", *options = "";
    unsigned threads = 0;
    size_t n = 100000000;

    begun = last = clock_ns();
    for (int c; (c = getopt_long(argc, argv, "d:n:l:p:t:o:h", long_options, NULL)) != -1;) {
        if (c == 'd') {
            device = optarg;
        } else if (c == 'n' || c == 'l') {
            n = (size_t)strtod(optarg, NULL);
            request.base = c == 'n' ? 10 : 2;
        } else if (c == 'p') {
            request.precision = strcmp(optarg, "dd") == 0      ? GFMUL_PRECISION_DD
                                : strcmp(optarg, "prime") == 0 ? GFMUL_PRECISION_PRIME
                                                               : GFMUL_PRECISION_DOUBLE;
        } else if (c == 'o') {
            options = optarg;
        } else if (c == 't') {
            threads = (unsigned)strtoul(optarg, NULL, 10);
        } else {
            usage(c == 'h' ? stdout : stderr);
            return c == 'h' ? 0 : 2;
        }
    }
    request.an = request.bn = request.base == 2 ? 64 * n : n;

    struct gfmul_device_info info;
    struct ocl_device *d;
    check(ocl_device_find(&info, device, detail), "ocl_device_find");
    lap("platforms");
    check(ocl_device_open(&d, device, NULL, detail), "ocl_device_open");
    lap("context, trial of the arithmetic");
    if (threads > 0)
        d->builders = threads;
    const struct device_limits limits = {ocl_device_local_bytes(d), info.max_work_group, 0, 0, 0, ocl_device_rates(d)};
    printf("rates\tfma %.4g, products %.4g, bytes %.4g a nanosecond\t%.1f\n", limits.rates.fma, limits.rates.product,
           limits.rates.copy, 1e-6 * (double)d->rates_ns);
    lap("local memory");
    struct plan_shape shape;
    check(plan_device_size(&shape, &request, &limits, detail, sizeof detail), "plan");
    lap("plan");
    struct ocl_pipeline *p;
    check(ocl_pipeline_build(OCL_ON(d, detail), &p, &shape, options), "programs");
    lap("programs");
    check(ocl_pipeline_tables(OCL_ON(d, detail), p), "tables");
    lap("tables");
    struct ocl_work work;
    check(ocl_work_get(OCL_ON(d, detail), &shape, &work, false), "memory");
    lap("memory");
    check(ocl_staging_need(OCL_ON(d, detail), n, 2 * n), "pinned memory");
    lap("pinned memory");

    struct ocl_program_time list[PROGRAMS];
    const unsigned n_programs = ocl_program_list(d, list, PROGRAMS);
    for (unsigned i = n_programs < PROGRAMS ? n_programs : PROGRAMS; i-- > 0;)
        printf("program\t%s\t%.1f\t%.1f\n", list[i].file, 1e-6 * (double)(list[i].ended_ns - list[i].begun_ns),
               1e-6 * (double)(list[i].begun_ns - begun));
    printf("plan\t%s\t%s, %u threads\n", shape.device.text, info.name, d->builders);
    ocl_work_put(d, &work);
    ocl_pipeline_destroy(p);
    ocl_device_close(d);
    last = clock_ns();
    return 0;
}
#endif
