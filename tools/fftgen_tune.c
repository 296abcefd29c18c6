/*
 * fftgen_tune.c - chooses parameters by measuring on a device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fftgen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen_device.h"
#include "gfmul_fft.h"

#ifdef HAVE_OPENCL
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_staging.h"

enum { MAX_CANDIDATES = 256, MAX_RUNS = 500, ROWS = 7, FINALISTS = 3, LEAST_HEIGHT = 5 };

static const double ROW_SECONDS = 4e-3; /* approximate */

/* The result of one candidate. */
struct result {
    struct gen_params p;
    double median_s, best_s; /* median_s = 0: it could not run */
};

struct tuner {
    struct ocl_device *d;
    struct gen_params p; /* the caller's parameters, one direction */
    bool backward;
    cl_mem in, out;
    size_t in_bytes, out_bytes; /* of one transform */
    void *want, *got;           /* the expected result, in the order of the algorithm; the actual one */
    double copy_s;
    void (*show)(const char *line);
    int n;
    struct result result[MAX_CANDIDATES];
    bool wrong;
    char *detail;
};

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds from the start of the first kernel to the end of the last; releases both events. */
static enum gfmul_status seconds(struct tuner *t, cl_event first, cl_event last, double *s)
{
    cl_ulong start = 0, end = 0;
    cl_int code = clWaitForEvents(1, &last);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(first);
    clReleaseEvent(last);
    *s = 1e-9 * (double)(end - start);
    return ocl_status(OCL_ON(t->d, t->detail), code, "clGetEventProfilingInfo");
}

/* One run of the transform, or of the copy; events of its start and its end if they are wanted. */
static enum gfmul_status enqueue(struct tuner *t, struct gen_device *g, cl_kernel copy, cl_event *first, cl_event *last)
{
    const size_t global = t->in_bytes / 16, local = 256;
    cl_event event = NULL;
    if (g)
        return gen_device_enqueue(OCL_ON(t->d, t->detail), g, t->backward, t->in, t->out, first, last);
    cl_int code = clEnqueueNDRangeKernel(ocl_device_queue(t->d), copy, 1, NULL, &global, global % local ? NULL : &local, 0, NULL,
                                         first || last ? &event : NULL);
    if (code == CL_SUCCESS && first && last)
        code = clRetainEvent(event);
    if (first)
        *first = event;
    if (last)
        *last = event;
    return ocl_status(OCL_ON(t->d, t->detail), code, "clEnqueueNDRangeKernel");
}

/*
 * Time rows of back-to-back runs, from the start of the first run to the end of the last, divided by their number.  Returns the
 * median and the minimum over the rows.  g = NULL: the copy kernel.
 */
static enum gfmul_status measure(struct tuner *t, struct gen_device *g, cl_kernel copy, double *median, double *best)
{
    double s[ROWS] = {0};
    enum gfmul_status status = GFMUL_OK;
    int runs = 1;

    for (int row = -2; row < ROWS && status == GFMUL_OK; row++) { /* two rows to warm up, which also find the length of a row */
        cl_event first = NULL, last = NULL;
        double time = 0;
        for (int i = 0; i < runs && status == GFMUL_OK; i++)
            status = enqueue(t, g, copy, i == 0 ? &first : NULL, i == runs - 1 ? &last : NULL);
        if (status == GFMUL_OK)
            status = seconds(t, first, last, &time);
        if (status != GFMUL_OK)
            break;
        if (row >= 0)
            s[row] = time / runs;
        else
            runs = time / runs < ROW_SECONDS / MAX_RUNS ? MAX_RUNS : 1 + (int)(ROW_SECONDS / (time / runs));
    }
    qsort(s, ROWS, sizeof *s, by_number);
    *median = s[ROWS / 2];
    *best = s[0];
    return status;
}

/* The error of the actual result, relative to the norm of the expected one. */
static double error_of(const struct tuner *t)
{
    long double error = 0, norm = 0;
    const char type = t->p.fftdata;
    const size_t step = type == 'q' ? 2 : 1, n = t->out_bytes / (type == 'f' ? 4 : 8 * step);

    for (size_t i = 0; i < n; i++) {
        /* double-double: only the high parts, because the CPU's transform has no more digits */
        double want = type == 'f' ? (double)((float *)t->want)[i] : ((double *)t->want)[step * i];
        double got = type == 'f' ? (double)((float *)t->got)[i] : ((double *)t->got)[step * i];
        error += (long double)(got - want) * (got - want);
        norm += (long double)want * want;
    }
    return (double)sqrtl(error / norm);
}

static double error_limit(const struct gen_params *p)
{
    double limit = 4 * (gen_levels(p->n) + 4) * (p->fftdata == 'f' ? 0x1p-24 : 0x1p-53);
    double wanted = p->outprecision > 0 ? ldexp(1, -p->outprecision) : 0;
    return wanted > limit ? wanted : limit;
}

/* Are the keys of a candidate compatible? */
static bool is_allowed(const struct gen_params *p)
{
    struct gen_params q = *p;
    struct gen_problems problems = {0};

    gen_params_check(&q, &problems);
    gen_text_free(&problems.text);
    return problems.count == 0;
}

/* One candidate: build, run, compare, measure, print. */
static enum gfmul_status candidate(struct tuner *t, const struct gen_params *p)
{
    struct gen_device *g = NULL;
    struct result *r = &t->result[t->n];
    char line[256];
    double error = 0;
    enum gfmul_status status;

    if (t->n == MAX_CANDIDATES || !is_allowed(p))
        return GFMUL_OK;
    *r = (struct result){.p = *p};
    status = gen_device_create(OCL_ON(t->d, t->detail), &g, p);
    if (status == GFMUL_OK)
        status = gen_device_enqueue(OCL_ON(t->d, t->detail), g, t->backward, t->in, t->out, NULL, NULL);
    if (status == GFMUL_OK)
        status = ocl_download(OCL_ON(t->d, t->detail), t->got, (struct ocl_span){t->out, 0, t->out_bytes}, 1, OCL_AFTER_QUEUE);
    bool right = status == GFMUL_OK && (error = error_of(t)) < error_limit(p);
    if (right)
        status = measure(t, g, NULL, &r->median_s, &r->best_s);
    if (status == GFMUL_OK) {
        const struct gen_launches *l = gen_device_launches(g);
        if (right)
            snprintf(line, sizeof line, "%c\t%d\t%d\t%s\t%d\t%.2f\t%.2f\t%.1f\t%.3f\t%.2g", p->algorithm, p->kernelheight,
                     p->kernelwidth, p->twiddle == GEN_TWIDDLE_ONFLY ? "ONFLY" : "YES", l->n, 1e6 * r->median_s, 1e6 * r->best_s,
                     1e-9 * (double)(t->in_bytes + t->out_bytes) / r->median_s, r->median_s / t->copy_s, error);
        else
            snprintf(line, sizeof line, "%c\t%d\t%d\t%s\t%d\t\t\t\t\t%.2g WRONG", p->algorithm, p->kernelheight, p->kernelwidth,
                     p->twiddle == GEN_TWIDDLE_ONFLY ? "ONFLY" : "YES", l->n, error);
        t->wrong = t->wrong || !right;
        t->n += right;
    } else if (status == GFMUL_ERR_DEVICE && !ocl_device_lost(t->d)) {
        snprintf(line, sizeof line, "%c\t%d\t%d\t%s\t\t\t\t\t\t%.100s", p->algorithm, p->kernelheight, p->kernelwidth,
                 p->twiddle == GEN_TWIDDLE_ONFLY ? "ONFLY" : "YES", t->detail);
        status = GFMUL_OK; /* this device cannot do it, but other candidates may fit */
    }
    if (status == GFMUL_OK)
        t->show(line);
    gen_device_destroy(g);
    return status;
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const struct result *)a)->median_s, y = ((const struct result *)b)->median_s;
    return (x > y) - (x < y);
}

/* First shapes with one algorithm, then the other algorithms in the best shapes, then the best ones again. */
static enum gfmul_status search(struct tuner *t)
{
    static const char algorithms[] = "S248CT";
    const struct gen_params *p = &t->p;
    const bool algorithm = !p->set_by[GEN_ALGORITHM], twiddle = !p->set_by[GEN_TWIDDLE] && !p->useconstants;
    const bool height = !p->set_by[GEN_KERNELHEIGHT] && p->n_dims == 0, width = !p->set_by[GEN_KERNELWIDTH];
    const int most = gen_max_width(p), levels = gen_levels(gen_points(p));
    enum gfmul_status status = GFMUL_OK;
    int before = 0;

    for (int launches = 1, h; status == GFMUL_OK; launches++) {
        h = (levels + launches - 1) / launches;
        if (height && launches > 1 && h < LEAST_HEIGHT)
            break;
        if (!height)
            h = p->kernelheight;
        if (h > most)
            continue;
        if (h != before || !height) {
            int least = h > 8 ? h : 8, top = h == levels ? least : most;
            for (int w = width ? least : p->kernelwidth; w <= (width ? top : w) && status == GFMUL_OK; w++) {
                for (int fly = 0; fly < 1 + twiddle && status == GFMUL_OK; fly++) {
                    struct gen_params q = *p;
                    q.kernelheight = h;
                    q.kernelwidth = w;
                    if (fly)
                        q.twiddle = GEN_TWIDDLE_ONFLY;
                    if (w == 0 || h <= w)
                        status = candidate(t, &q);
                }
                if (!width)
                    break;
            }
        }
        before = h;
        if (!height || h < LEAST_HEIGHT)
            break;
    }
    qsort(t->result, (size_t)t->n, sizeof *t->result, by_time);
    for (int i = 0, n = t->n < FINALISTS ? t->n : FINALISTS; algorithm && i < n && status == GFMUL_OK; i++)
        for (const char *a = algorithms + 1; *a && status == GFMUL_OK; a++) {
            struct gen_params q = t->result[i].p;
            q.algorithm = *a;
            status = candidate(t, &q);
        }
    qsort(t->result, (size_t)t->n, sizeof *t->result, by_time);
    int n = t->n < FINALISTS ? t->n : FINALISTS;
    for (int i = 0; i < n && status == GFMUL_OK && n > 1; i++) {
        struct gen_params q = t->result[i].p;
        t->result[i].median_s = HUGE_VAL; /* will be measured again */
        status = candidate(t, &q);
    }
    qsort(t->result, (size_t)t->n, sizeof *t->result, by_time);
    return status;
}

/* Random input, and the CPU's result for it: in and want in natural order. */
static enum gfmul_status reference(struct tuner *t, double *in, double *want, size_t n_in, size_t n_want)
{
    const struct gen_params *p = &t->p;
    const bool real = gen_real(p), two = gen_two(p);
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan = NULL;
    uint64_t state = 1;
    int bits = p->inprecision > 0 && p->inprecision < 20 ? p->inprecision : 20;
    const double least = p->data == 'b' ? 0 : -(double)(1u << bits); /* digits of a big integer have no sign */

    gfmul_fft_options_init(&opt);
    opt.batch = two ? 2 : 1;
    opt.type = real || two ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX;
    const bool packed = (real || two) && !t->backward; /* one number per input */
    for (size_t i = 0; i < n_in; i++) {
        size_t j = packed ? i % p->n : i / 2;
        bool there = p->n_ranges == 0 || (t->backward && p->direction != 'B');
        for (int k = 0; k < p->n_ranges; k++)
            there = there || (j >= p->ranges[k].lo && j < p->ranges[k].hi);
        state = state * 6364136223846793005u + 1442695040888963407u;
        in[i] = there ? (double)((int64_t)(state >> 33) >> (least < 0 ? 30 - bits : 31 - bits)) + least : 0;
    }
    if (real && t->backward)
        in[1] = in[n_in - 1] = 0; /* these imaginary parts are zero in a real signal's spectrum */
    if (two && t->backward)
        in[1] = in[n_in / 2 - 1] = in[n_in / 2 + 1] = in[n_in - 1] = 0;
    enum gfmul_status status = gfmul_fft_create(&plan, p->n, &opt);
    if (status == GFMUL_OK && t->backward) /* i x has the spectrum i X, so x = -i (of i X) and the same numbers come out */
        status = gfmul_fft_backward(plan, want, in);
    else if (status == GFMUL_OK)
        status = gfmul_fft_forward(plan, want, in);
    gfmul_fft_destroy(plan);
    for (size_t k = 0; p->data == 'I' && k < (t->backward ? n_in : n_want) / 2; k++) { /* the spectrum times i */
        double *z = (t->backward ? in : want) + 2 * k, re = z[0];
        z[0] = -z[1];
        z[1] = re;
    }
    return status;
}

/* Convert input or output for the device: order of the algorithm, type of the numbers. */
static void side_store(const struct tuner *t, const struct gen_launches *l, bool spectrum, const double *from, size_t n, void *to)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        if (spectrum && !t->p.bitrev && i / 2 < l->points)
            at = 2 * gen_place(&t->p, l, (uint32_t)(i / 2)) + i % 2;
        if (t->p.fftdata == 'f') {
            ((float *)to)[at] = (float)from[i];
        } else if (t->p.fftdata == 'd') {
            ((double *)to)[at] = from[i];
        } else {
            ((double *)to)[2 * at] = from[i];
            ((double *)to)[2 * at + 1] = 0;
        }
    }
}

/* Convert integers for the device. */
static void digits_store(const struct gen_params *p, const double *from, void *to)
{
    memset(to, 0, gen_integer_bytes(p));
    for (size_t i = 0; i < p->n; i++) {
        const uint64_t at = (uint64_t)i * (unsigned)p->inprecision, digit = (uint64_t)(int64_t)from[i];
        uint64_t *limb = (uint64_t *)to + at / 64;
        if (p->data == 'i') {
            ((int32_t *)to)[i] = (int32_t)from[i];
        } else if (p->data == 'l') {
            ((int64_t *)to)[i] = (int64_t)from[i];
        } else {
            limb[0] |= digit << at % 64;
            if (at % 64 + (unsigned)p->inprecision > 64)
                limb[1] |= digit >> (64 - at % 64);
        }
    }
}

static enum gfmul_status prepare(struct tuner *t)
{
    const struct gen_params *p = &t->p;
    const size_t size = gen_size_of_point(p) / 2, signal = (gen_real(p) ? 1 : 2) * (size_t)p->n;
    const size_t spectrum = 2 * (size_t)gen_spectrum_points(p);
    const size_t n_in = t->backward ? spectrum : signal, n_out = t->backward ? signal : spectrum;
    double *in = malloc(n_in * sizeof *in), *want = malloc(n_out * sizeof *want);
    struct gen_launches l;
    enum gfmul_status status = GFMUL_ERR_MEMORY;

    const bool integers = gen_integers(p) && !t->backward;

    t->in_bytes = integers ? gen_integer_bytes(p) : n_in * size;
    t->out_bytes = n_out * size;
    t->want = malloc(t->out_bytes);
    t->got = malloc(t->in_bytes > t->out_bytes ? t->in_bytes : t->out_bytes);
    if (in && want && t->want && t->got)
        status = reference(t, in, want, n_in, n_out);
    gen_launches_find(p, &l);
    for (size_t i = 0; i < n_out && status == GFMUL_OK && p->scaling && (t->backward || p->direction == 'F'); i++)
        want[i] /= p->n;
    if (status == GFMUL_OK) {
        if (integers)
            digits_store(p, in, t->got);
        else
            side_store(t, &l, t->backward, in, n_in, t->got);
        side_store(t, &l, !t->backward, want, n_out, t->want);
        const size_t most = t->in_bytes > t->out_bytes ? t->in_bytes : t->out_bytes;
        if ((status = ocl_buffer_get(OCL_ON(t->d, t->detail), most, &t->in)) == GFMUL_OK &&
            (status = ocl_buffer_get(OCL_ON(t->d, t->detail), most, &t->out)) == GFMUL_OK)
            status = ocl_upload(OCL_ON(t->d, t->detail), (struct ocl_span){t->in, 0, t->in_bytes}, t->got, 1, OCL_AFTER_QUEUE);
    }
    free(in);
    free(want);
    return status;
}

static enum gfmul_status copy_time(struct tuner *t)
{
    static const char text[] = "__kernel void copy(__global const uint4 *restrict in, __global uint4 *restrict out)\n"
                               "{\n    out[get_global_id(0)] = in[get_global_id(0)];\n}\n";
    cl_kernel copy;
    double best;
    enum gfmul_status status = ocl_kernel_get_text(OCL_ON(t->d, t->detail), "copy.cl", text, "copy", "", &copy);
    if (status == GFMUL_OK)
        status = ocl_args(OCL_ON(t->d, t->detail), copy, OCL_ARG(t->in), OCL_ARG(t->out), OCL_END);
    if (status == GFMUL_OK)
        status = measure(t, NULL, copy, &t->copy_s, &best);
    ocl_kernel_put(t->d, copy);
    return status;
}

enum gfmul_status tune(struct gen_params *p, const char *device, void (*show)(const char *line), char *detail)
{
    const struct ocl_device_options options = {.profile = true};
    char line[512];

    if (p->stoplevel > 0) {
        snprintf(detail, 256, "--tune: STOPLEVEL=%d: allowed: 0", p->stoplevel);
        return GFMUL_ERR_UNSUPPORTED;
    }
    struct tuner *t = calloc(1, sizeof *t);
    if (!t)
        return GFMUL_ERR_MEMORY;
    t->p = *p;
    t->backward = p->direction == 'B';
    t->p.direction = t->backward ? 'B' : 'F';
    t->show = show;
    t->detail = detail;
    enum gfmul_status status = ocl_device_open(&t->d, device, &options, detail);
    if (status == GFMUL_OK) {
        ocl_device_lock(t->d);
        status = prepare(t);
        if (status == GFMUL_OK)
            status = copy_time(t);
        if (status == GFMUL_OK) {
            snprintf(line, sizeof line, "# %s, N = %u, %s: a copy of the input takes %.2f us, %.1f GB/s",
                     ocl_device_info(t->d)->name, p->n, t->backward ? "backward" : "forward", 1e6 * t->copy_s,
                     2e-9 * (double)t->in_bytes / t->copy_s);
            show(line);
            show("ALGORITHM\tKERNELHEIGHT\tKERNELWIDTH\tTWIDDLE\tlaunches\tmedian_us\tleast_us\tGB/s\tcopies\terror");
            status = search(t);
        }
        ocl_buffer_put(t->d, t->in);
        ocl_buffer_put(t->d, t->out);
        ocl_device_unlock(t->d);
    }
    if (status == GFMUL_OK && t->n == 0) {
        snprintf(detail, 256, "--tune: no transform could be run");
        status = GFMUL_ERR_DEVICE;
    }
    if (status == GFMUL_OK) {
        const struct gen_params *best = &t->result[0].p;
        p->algorithm = best->algorithm;
        p->twiddle = p->set_by[GEN_TWIDDLE] ? p->twiddle : best->twiddle;
        p->kernelheight = best->kernelheight;
        p->kernelwidth = best->kernelwidth;
        snprintf(line, sizeof line, "# best: ALGORITHM=%c KERNELHEIGHT=%d KERNELWIDTH=%d, %.2f us, %.3f copies", p->algorithm,
                 p->kernelheight, p->kernelwidth, 1e6 * t->result[0].median_s, t->result[0].median_s / t->copy_s);
        show(line);
        if (t->wrong) {
            snprintf(detail, 256, "--tune: a transform was wrong");
            status = GFMUL_ERR_INTERNAL;
        }
    }
    ocl_device_close(t->d);
    free(t->want);
    free(t->got);
    free(t);
    return status;
}
#else
enum gfmul_status tune(struct gen_params *p, const char *device, void (*show)(const char *line), char *detail)
{
    (void)p;
    (void)device;
    (void)show;
    snprintf(detail, 256, "--tune: this build has no OpenCL");
    return GFMUL_ERR_UNSUPPORTED;
}
#endif
