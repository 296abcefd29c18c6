/*
 * device_bus.c - what an OpenCL driver runs beside what: transfers and kernels, by the order in which they are enqueued.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: see usage() below.  For each case one line, tab-separated:
 *
 *     bus  CASE MS MAX_MS SUM_MS BEHIND
 *
 * MAX_MS, SUM_MS: the longest of the parts alone, and all of them together.  BEHIND: where MS lies between the two; 0: side by
 * side, 1: one behind the other.  A part is a kernel over memory, in the queue of the kernels, or a transfer from or to pinned
 * memory, each direction in a queue of its own; they have nothing to do with each other but what the case says.  "stream" cases
 * are rounds of up, kernel, down, each waiting for the one before, several rounds on their way: times for one round.
 */
#include "bench_device.h"
#include "bench_parts.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HAVE_OPENCL
int device_bus(int argc, char **argv)
{
    (void)argc, (void)argv;
    fprintf(stderr, "b-device bus: built without OpenCL\n");
    return 1;
}
#else
#include <pthread.h>

#include "base/clock.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_staging.h"

enum { LANES = 3, TRIES = 5, ITEMS = 1 << 18, PIECES = 32 };

static const char source[] = "__kernel void pass(__global uint *x, uint n, uint rounds)\n"
                             "{\n"
                             "    for (uint r = 0; r < rounds; r++)\n"
                             "        for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
                             "            x[i] = x[i] * 1664525u + 1013904223u;\n"
                             "}\n";

static char detail[OCL_DETAIL_BYTES];
static const char *device_name = "gpu";
static bool allow_cpu;
static size_t bytes = (size_t)160 << 20;
static unsigned rounds = 9; /* of a stream */

/* Queues, memory and a kernel of one round; each lane has its own buffers. */
struct lane {
    cl_command_queue up, kernels, down;
    cl_kernel k;
    cl_mem in, out, x;
    void *from, *to;
    unsigned rounds;
};

static struct ocl_device *d;
static struct lane lane[LANES];
static cl_uint passes = 1; /* of the kernel over its memory: about as long as a transfer */

static void need(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "b-device bus: %s: %s\n", what, ocl_code_name(code));
    exit(1);
}

static void check(enum gfmul_status status, const char *what)
{
    if (status == GFMUL_OK)
        return;
    fprintf(stderr, "b-device bus: %s: %s\n", what, detail);
    exit(1);
}

/* kernel - some passes over memory; after: what it waits for, or NULL.   Returns its event. */
static cl_event kernel(const struct lane *l, cl_mem m, cl_uint n_passes, const cl_event *after)
{
    const size_t items = ITEMS;
    const cl_uint n = (cl_uint)(bytes / 4);
    cl_event event;
    need(clSetKernelArg(l->k, 0, sizeof m, &m), "clSetKernelArg");
    need(clSetKernelArg(l->k, 1, sizeof n, &n), "clSetKernelArg");
    need(clSetKernelArg(l->k, 2, sizeof n_passes, &n_passes), "clSetKernelArg");
    need(clEnqueueNDRangeKernel(l->kernels, l->k, 1, NULL, &items, NULL, after != NULL, after, &event), "clEnqueueNDRangeKernel");
    need(clFlush(l->kernels), "clFlush");
    return event;
}

static cl_event up(const struct lane *l, const cl_event *after)
{
    cl_event event;
    need(clEnqueueWriteBuffer(l->up, l->in, CL_FALSE, 0, bytes, l->from, after != NULL, after, &event), "clEnqueueWriteBuffer");
    need(clFlush(l->up), "clFlush");
    return event;
}

static cl_event down(const struct lane *l, const cl_event *after)
{
    cl_event event;
    need(clEnqueueReadBuffer(l->down, l->out, CL_FALSE, 0, bytes, l->to, after != NULL, after, &event), "clEnqueueReadBuffer");
    need(clFlush(l->down), "clFlush");
    return event;
}

static void wait_for(cl_event event)
{
    need(clWaitForEvents(1, &event), "clWaitForEvents");
    clReleaseEvent(event);
}

/* ---- cases: each enqueues, and waits for all ---- */

static void kernels_alone(void)
{
    wait_for(kernel(&lane[0], lane[0].x, passes, NULL));
}

static void up_alone(void)
{
    wait_for(up(&lane[0], NULL));
}

static void down_alone(void)
{
    wait_for(down(&lane[0], NULL));
}

static void up_down(void)
{
    cl_event a = up(&lane[0], NULL), b = down(&lane[0], NULL);
    wait_for(a), wait_for(b);
}

static void all_transfers_first(void)
{
    cl_event a = up(&lane[0], NULL), b = down(&lane[0], NULL), c = kernel(&lane[0], lane[0].x, passes, NULL);
    wait_for(a), wait_for(b), wait_for(c);
}

static void kernel_then_up(void)
{
    cl_event c = kernel(&lane[0], lane[0].x, passes, NULL), a = up(&lane[0], NULL);
    wait_for(c), wait_for(a);
}

static void kernel_then_down(void)
{
    cl_event c = kernel(&lane[0], lane[0].x, passes, NULL), b = down(&lane[0], NULL);
    wait_for(c), wait_for(b);
}

/* The buffer of the transfer was used by a kernel that has ended before: does the driver wait for the kernels enqueued since? */
static void kernel_then_up_of_used(void)
{
    wait_for(kernel(&lane[0], lane[0].in, 1, NULL));
    kernel_then_up();
}

static void kernel_then_down_of_used(void)
{
    wait_for(kernel(&lane[0], lane[0].out, 1, NULL));
    kernel_then_down();
}

/* The same, but the transfer is enqueued before the long kernel, behind the short one's event. */
static void down_of_used_then_kernel(void)
{
    cl_event used = kernel(&lane[0], lane[0].out, 1, NULL), b = down(&lane[0], &used),
             c = kernel(&lane[0], lane[0].x, passes, NULL);
    wait_for(used), wait_for(b), wait_for(c);
}

/* The host waits for the short kernel while the long one is behind it in the queue already. */
static void kernel_behind_then_down(void)
{
    cl_event used = kernel(&lane[0], lane[0].out, 1, NULL), c = kernel(&lane[0], lane[0].x, passes, NULL);
    wait_for(used);
    cl_event b = down(&lane[0], NULL);
    wait_for(c), wait_for(b);
}

/* As before, the long kernel in pieces. */
static void pieces_behind_then_down(void)
{
    cl_event used = kernel(&lane[0], lane[0].out, 1, NULL), c = NULL;
    for (unsigned i = 0; i < PIECES; i++) {
        if (c)
            clReleaseEvent(c);
        c = kernel(&lane[0], lane[0].x, passes / PIECES + 1, NULL);
    }
    wait_for(used);
    cl_event b = down(&lane[0], NULL);
    wait_for(c), wait_for(b);
}

/* A kernel in a second queue. */
static void kernel_behind_elsewhere(void)
{
    cl_event used = kernel(&lane[0], lane[0].out, 1, NULL), c = kernel(&lane[1], lane[1].x, passes, NULL);
    wait_for(used);
    cl_event b = down(&lane[0], NULL);
    wait_for(c), wait_for(b);
}

static void *lane_run(void *arg)
{
    const struct lane *l = arg;
    for (unsigned r = 0; r < l->rounds; r++) {
        wait_for(up(l, NULL));
        wait_for(kernel(l, l->out, passes, NULL));
        wait_for(down(l, NULL));
    }
    return NULL;
}

/* stream_threads - as the library has products: a thread waits for each step of its round. */
static void stream_threads(void)
{
    pthread_t thread[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        lane[i].rounds = rounds / LANES;
        if (pthread_create(&thread[i], NULL, lane_run, &lane[i]) != 0)
            exit(1);
    }
    for (unsigned i = 0; i < LANES; i++)
        pthread_join(thread[i], NULL);
}

/* stream_events - all rounds enqueued at once, the steps waiting for each other on the device. */
static void stream_events(void)
{
    cl_event last[LANES] = {NULL};
    for (unsigned r = 0; r < rounds; r++) {
        const struct lane *l = &lane[r % LANES];
        cl_event a = up(l, last[r % LANES] ? &last[r % LANES] : NULL), c = kernel(l, l->out, passes, &a);
        if (last[r % LANES])
            clReleaseEvent(last[r % LANES]);
        last[r % LANES] = down(l, &c);
        clReleaseEvent(a);
        clReleaseEvent(c);
    }
    for (unsigned i = 0; i < LANES; i++)
        wait_for(last[i]);
}

/* ---- measuring ---- */

/* best - milliseconds of the fastest try. */
static double best(void (*run)(void), unsigned parts)
{
    double least = 0;
    run();
    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t start = clock_ns();
        run();
        const double ms = 1e-6 * (double)(clock_ns() - start) / parts;
        least = i == 0 || ms < least ? ms : least;
    }
    return least;
}

static void print(const char *name, double ms, double max, double sum)
{
    printf("bus\t%s\t%.3f\t%.3f\t%.3f\t%.2f\n", name, ms, max, sum, sum > max ? (ms - max) / (sum - max) : 0.0);
    fflush(stdout);
}

static double max_of(double a, double b)
{
    return a > b ? a : b;
}

static cl_command_queue queue_make(void)
{
    cl_int code;
    cl_command_queue q = clCreateCommandQueue(ocl_device_context(d), ocl_device_id(d), 0, &code);
    need(code, "clCreateCommandQueue");
    return q;
}

static void lanes_make(void)
{
    const char *text = source;
    cl_int code;
    cl_device_id id = ocl_device_id(d);
    cl_program program = clCreateProgramWithSource(ocl_device_context(d), 1, &text, NULL, &code);
    need(code, "clCreateProgramWithSource");
    need(clBuildProgram(program, 1, &id, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
    for (unsigned i = 0; i < LANES; i++) {
        struct lane *l = &lane[i];
        l->k = clCreateKernel(program, "pass", &code);
        need(code, "clCreateKernel");
        l->up = queue_make();
        l->kernels = queue_make();
        l->down = queue_make();
        check(ocl_buffer_get(OCL_ON(d, detail), bytes, &l->in), "memory");
        check(ocl_buffer_get(OCL_ON(d, detail), bytes, &l->out), "memory");
        check(ocl_buffer_get(OCL_ON(d, detail), bytes, &l->x), "memory");
        check(ocl_host_alloc(OCL_ON(d, detail), bytes, &l->from), "pinned memory");
        check(ocl_host_alloc(OCL_ON(d, detail), bytes, &l->to), "pinned memory");
        memset(l->from, 0x5a, bytes);
    }
    clReleaseProgram(program);
}

/* streams - both streams, with the queues that the lanes have now. */
static void streams(const char *queues, double max, double sum)
{
    char name[96];
    snprintf(name, sizeof name, "stream, threads, %s", queues);
    print(name, best(stream_threads, rounds), max, sum);
    snprintf(name, sizeof name, "stream, events, %s", queues);
    print(name, best(stream_events, rounds), max, sum);
}

static void cases(void)
{
    const double u = best(up_alone, 1), w = best(down_alone, 1), pass = best(kernels_alone, 1);
    passes = (cl_uint)(max_of(u, w) / pass) + 1;
    const double c = best(kernels_alone, 1), used = c / passes, uw = max_of(u, w), uc = max_of(u, c), wc = max_of(w, c);
    printf("# a transfer of %zu bytes up %.3f ms, down %.3f; a kernel of %u passes over as many bytes %.3f\n", bytes, u, w,
           (unsigned)passes, c);
    print("up, down", best(up_down, 1), uw, u + w);
    print("up, down, then kernel", best(all_transfers_first, 1), max_of(uw, c), u + w + c);
    print("kernel, then up", best(kernel_then_up, 1), uc, u + c);
    print("kernel, then down", best(kernel_then_down, 1), wc, w + c);
    print("kernel, then up, of a buffer that a kernel had", best(kernel_then_up_of_used, 1), used + uc, used + u + c);
    print("kernel, then down, of a buffer that a kernel had", best(kernel_then_down_of_used, 1), used + wc, used + w + c);
    print("short kernel, down behind it, then kernel", best(down_of_used_then_kernel, 1), used + wc, used + w + c);
    print("short kernel, kernel, then down once the short one ended", best(kernel_behind_then_down, 1), used + wc, used + w + c);
    const double more = c * (double)(passes / PIECES + 1) * PIECES / passes;
    print("the same, kernel in pieces", best(pieces_behind_then_down, 1), used + max_of(w, more), used + w + more);
    print("the same, kernel in another queue", best(kernel_behind_elsewhere, 1), used + wc, used + w + c);
    streams("queues of their own", max_of(uw, c), u + w + c);
    cl_command_queue kernels[LANES] = {lane[0].kernels, lane[1].kernels, lane[2].kernels};
    for (unsigned i = 0; i < LANES; i++)
        lane[i].up = lane[0].up, lane[i].down = lane[0].down;
    streams("one for each direction", max_of(uw, c), u + w + c);
    for (unsigned i = 0; i < LANES; i++)
        lane[i].kernels = kernels[0];
    streams("three in all", max_of(uw, c), u + w + c); /* as the library has them */
}

static void usage(FILE *f)
{
    fputs("Usage: b-device bus [OPTION]...\n"
          "Time transfers and kernels that an OpenCL device could run side by side.\n\n"
          "  --device NAME    as bigmul (default gpu)\n"
          "  --allow-cpu      on a device that is no GPU too: for tests, the times say nothing\n"
          "  --bytes N        of a transfer (default 1.7e8)\n"
          "  --help           print this and exit\n",
          f);
}

int device_bus(int argc, char **argv)
{
    enum { DEVICE = 1, ALLOW, BYTES, HELP };
    static const struct option options[] = {
        {"device", 1, 0, DEVICE}, {"allow-cpu", 0, 0, ALLOW}, {"bytes", 1, 0, BYTES}, {"help", 0, 0, HELP}, {0, 0, 0, 0}};
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == DEVICE) {
            device_name = optarg;
        } else if (o == ALLOW) {
            allow_cpu = true;
        } else if (o == BYTES) {
            bytes = (size_t)strtod(optarg, NULL) / 4096 * 4096;
        } else {
            usage(o == HELP ? stdout : stderr);
            return o == HELP ? 0 : 2;
        }
    }
    if (optind < argc || bytes < 4096 || bytes > (size_t)1 << 33) {
        usage(stderr);
        return 2;
    }
    check(ocl_device_open(&d, device_name, NULL, detail), "device");
    if (!bench_device_admit(argv[0], ocl_device_info(d), allow_cpu))
        return 1;
    bench_device_line(argv[0], ocl_device_info(d));
    putchar('\n');
    lanes_make();
    cases();
    return 0; /* queues and memory end with the process */
}
#endif
