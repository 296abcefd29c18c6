/*
 * t-dd_ocl.c - double-double on an OpenCL device: transforms and convolutions.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Transforms are compared with the CPU's in double-double, which t-fft_dd compares with sums in 113 bits: in the Euclidean norm,
 * in units of 2^-106.  Convolutions are compared with sums in 113 bits; those of integers are exact once they are rounded, as
 * the CPU's are.
 */
#include <math.h>

#include "fft/fft_ocl.h"
#include "gfmul_fft.h"
#include "conv_quad.h"
#include "ocl_test.h"

#ifdef HAVE_OPENCL
static struct ocl_device *device;

/* --- transforms --- */

/* fill - numbers of 106 bits in [-1, 1). */
static void fill(double *x, size_t numbers)
{
    for (size_t i = 0; i < numbers; i++) {
        x[2 * i] = (double)(int64_t)test_u64() * 0x1p-63;
        x[2 * i + 1] = (double)(int64_t)test_u64() * 0x1p-63 * 0x1p-54 * fabs(x[2 * i]);
    }
}

/* distance - of numbers got from those wanted, in units of 2^-106 of their norm; a number that is not normal is far. */
static double distance(const double *got, const double *want, size_t numbers)
{
    double error = 0, all = 0;
    for (size_t i = 0; i < numbers; i++) {
        const double e = (got[2 * i] - want[2 * i]) + (got[2 * i + 1] - want[2 * i + 1]);
        error += got[2 * i] + got[2 * i + 1] == got[2 * i] ? e * e : INFINITY;
        all += want[2 * i] * want[2 * i];
    }
    return error == 0 ? 0 : sqrt(error / all) * 0x1p106;
}

static struct gfmul_fft_options transform_options(enum gfmul_fft_type type, size_t batch)
{
    struct gfmul_fft_options opt;
    gfmul_fft_options_init(&opt);
    opt.precision = GFMUL_PRECISION_DD;
    opt.type = type;
    opt.batch = batch;
    opt.scale = 1;
    return opt;
}

/* in_order - the spectra of a permuted plan to natural order. */
static void in_order(const struct gfmul_fft *plan, double *y, size_t n, size_t batch)
{
    double *x = test_alloc_zeroed(4 * n, sizeof *x);
    for (size_t b = 0; b < batch; b++, y += 4 * n) {
        memcpy(x, y, 4 * n * sizeof *x);
        for (size_t place = 0; place < n; place++)
            memcpy(y + 4 * gfmul_fft_frequency(plan, place), x + 4 * place, 4 * sizeof *x);
    }
    free(x);
}

/* transform_check - a batch forward and back, apart and in place, against the CPU's. */
static bool transform_check(size_t n, enum gfmul_fft_type type, size_t batch, bool permuted)
{
    const bool real = type == GFMUL_FFT_REAL;
    const size_t points = real ? n / 2 + 1 : n, time_numbers = batch * n * (real ? 1 : 2), numbers = batch * points * 2;
    const size_t room = 2 * (time_numbers > numbers ? time_numbers : numbers);
    struct gfmul_fft_options opt = transform_options(type, batch);
    struct gfmul_fft *cpu = NULL, *plan = NULL;
    test_note("n=%zu, type %d, batch %zu, permuted %d", n, type, batch, permuted);
    if (!TEST_OK(gfmul_fft_create(&cpu, n, &opt)))
        return false;
    opt.algorithm = "opencl";
    opt.order = permuted ? GFMUL_FFT_PERMUTED : GFMUL_FFT_NATURAL;
    opt.memory = (enum gfmul_fft_memory)test_below(3);
    double *x = test_alloc_zeroed(room, sizeof *x), *y = test_alloc_zeroed(room, sizeof *y);
    double *z = test_alloc_zeroed(room, sizeof *z), *want = test_alloc_zeroed(room, sizeof *want);
    /* Bluestein's convolution is of up to four times the length */
    const double limit = 3 * log2((fft_is_smooth(real && n % 2 == 0 ? n / 2 : n) ? 2 : 16) * (double)n);
    fill(x, time_numbers);
    double d;
    bool ok = TEST_OK(gfmul_fft_create(&plan, n, &opt)) && TEST_OK(gfmul_fft_forward(cpu, want, x)) &&
              TEST_OK(gfmul_fft_forward(plan, y, x));
    memcpy(z, y, room * sizeof *z);
    if (ok && permuted)
        in_order(plan, y, n, batch);
    ok = ok && TEST_CHECK_MSG((d = distance(y, want, numbers)) <= limit, "forward: %.3g, limit %.3g", d, limit);
    ok = ok && TEST_OK(gfmul_fft_backward(plan, y, z)) &&
         TEST_CHECK_MSG((d = distance(y, x, time_numbers)) <= 2 * limit, "back: %.3g, limit %.3g", d, 2 * limit);
    if (ok && !real) { /* in place */
        memcpy(y, x, room * sizeof *y);
        ok = TEST_OK(gfmul_fft_forward(plan, y, y)) && TEST_CHECK(memcmp(y, z, room * sizeof *y) == 0) &&
             TEST_OK(gfmul_fft_backward(plan, y, y)) &&
             TEST_CHECK_MSG((d = distance(y, x, time_numbers)) <= 2 * limit, "back in place: %.3g", d);
    }
    gfmul_fft_destroy(plan);
    gfmul_fft_destroy(cpu);
    free(x), free(y), free(z), free(want);
    return ok;
}

/* Every radix, several passes, lengths that are not smooth, real ones of even and odd length; each is a program. */
static void test_transforms(void)
{
    static const struct {
        size_t n;
        enum gfmul_fft_type type;
        size_t batch;
        bool permuted;
    } cases[] = {
        {210, GFMUL_FFT_COMPLEX, 2, false},   {22, GFMUL_FFT_REAL, 3, false},      {210, GFMUL_FFT_REAL, 3, false},
        {4096, GFMUL_FFT_COMPLEX, 1, true},   {15, GFMUL_FFT_REAL, 3, false},      {1, GFMUL_FFT_COMPLEX, 3, false},
        {512, GFMUL_FFT_REAL, 3, false},      {2048, GFMUL_FFT_COMPLEX, 3, false}, {2, GFMUL_FFT_COMPLEX, 5, false},
        {1024, GFMUL_FFT_COMPLEX, 2, false},  {11, GFMUL_FFT_REAL, 1, false},      {2187, GFMUL_FFT_REAL, 2, false},
        {16807, GFMUL_FFT_COMPLEX, 1, true},  {65536, GFMUL_FFT_COMPLEX, 1, true}, {10007, GFMUL_FFT_COMPLEX, 1, true},
        {15625, GFMUL_FFT_COMPLEX, 2, false}, {5 << 15, GFMUL_FFT_REAL, 1, false}, {1 << 18, GFMUL_FFT_COMPLEX, 1, false}};
    for (unsigned i = 0; i < test_tier(2, 10, 18); i++)
        if (!transform_check(cases[i].n, cases[i].type, cases[i].batch, cases[i].permuted))
            return;
}

/* Data on the device; and what no device does. */
static void test_enqueue(void)
{
    enum { N = 210, BATCH = 2 };
    struct gfmul_fft_options opt = transform_options(GFMUL_FFT_COMPLEX, BATCH);
    struct gfmul_fft *plan;
    double x[4 * N * BATCH], y[4 * N * BATCH];
    cl_int code;
    fill(x, 2 * N * BATCH);
    opt.cl_context = ocl_device_context(device);
    opt.cl_queue = ocl_device_queue(device);
    if (TEST_OK(gfmul_fft_create(&plan, N, &opt))) {
        cl_mem m = clCreateBuffer(opt.cl_context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x, x, &code);
        TEST_OK(gfmul_fft_enqueue(plan, 0, m, m));
        TEST_OK(gfmul_fft_enqueue(plan, 1, m, m));
        TEST_CHECK(clEnqueueReadBuffer(opt.cl_queue, m, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL) == CL_SUCCESS);
        TEST_CHECK(distance(y, x, 2 * N * BATCH) <= 60);
        clReleaseMemObject(m);
        m = clCreateBuffer(opt.cl_context, CL_MEM_READ_WRITE, sizeof x - 8, NULL, &code);
        TEST_CHECK(gfmul_fft_enqueue(plan, 0, m, m) == GFMUL_ERR_ARGUMENT);
        clReleaseMemObject(m);
        gfmul_fft_destroy(plan);
    }
    opt.algorithm = "stockham"; /* the gallery has no double-double */
    TEST_CHECK(gfmul_fft_create(&plan, 256, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
}

/* Host memory whose numbers are aligned, but whose points are not, in every kind of memory. */
static void test_alignment(void)
{
    enum { N = 210 };
    for (unsigned memory = 0; memory < 3; memory++) {
        struct gfmul_fft_options opt = transform_options(GFMUL_FFT_COMPLEX, 1);
        struct gfmul_fft *plan;
        double *x = test_alloc_zeroed(4 * N + 8, sizeof *x), *y = test_alloc_zeroed(4 * N + 8, sizeof *y);
        opt.algorithm = "opencl";
        opt.memory = (enum gfmul_fft_memory)memory;
        for (unsigned shift = 0; shift < 4; shift++) {
            test_note("memory %u, shift %u", memory, shift);
            fill(x + shift, 2 * N);
            if (!TEST_OK(gfmul_fft_create(&plan, N, &opt)))
                return;
            TEST_OK(gfmul_fft_forward(plan, y + shift, x + shift));
            TEST_OK(gfmul_fft_backward(plan, y + shift, y + shift));
            TEST_CHECK(distance(y + shift, x + shift, 2 * N) <= 60);
            gfmul_fft_destroy(plan);
        }
        free(x), free(y);
    }
}

/* --- convolutions --- */

/* rounded - to the next integer. */
static __int128 rounded(const double *x, size_t i)
{
    const quad v = quad_at(x, i);
    return (__int128)(v < 0 ? v - 0.5 : v + 0.5);
}

struct job {
    struct gfmul_conv_options opt;
    size_t an, bn, max_an;
    double *a, *b, *z, *cpu; /* cpu: the CPU's results */
    quad *want;
    double unit; /* what an error may be; 0: the numbers are integers, and so are the results, once rounded */
};

/* result_check - z against the sums; integers also against the CPU's. */
static void result_check(const struct job *job)
{
    const size_t parts = job->opt.batch * conv_count(job->opt.kind, job->an, job->bn) * (conv_is_complex(&job->opt) ? 2 : 1);
    double worst = 0;
    for (size_t k = 0; k < parts; k++) {
        const double *z = job->z;
        worst = test_worse(worst, fabs((double)((quad)z[2 * k] - job->want[k] + z[2 * k + 1])));
        if (!TEST_CHECK_MSG(z[2 * k] + z[2 * k + 1] == z[2 * k], "number %zu is not normal", k))
            return;
        if (job->unit == 0 && !TEST_CHECK_MSG(rounded(z, k) == (__int128)job->want[k] && rounded(z, k) == rounded(job->cpu, k),
                                              "integer %zu of %zu is wrong", k, parts))
            return;
    }
    TEST_CHECK_MSG(worst <= (job->unit > 0 ? job->unit : 0.25), "error %.3g of %.3g", worst, job->unit);
}

/* job_run - by one call, by a kernel twice, and of data on the device. */
static void job_run(struct job *job, unsigned *forms)
{
    const size_t bytes = job->opt.batch * conv_count(job->opt.kind, job->an, job->bn) * conv_result_bytes(&job->opt);
    struct gfmul_conv *conv;
    cl_int code;
    memset(job->z, 0x5a, bytes);
    if (TEST_OK(gfmul_convolve(job->z, job->a, job->an, job->b, job->bn, &job->opt)))
        result_check(job);
    if (!TEST_OK(gfmul_conv_create(&conv, job->b, job->bn, job->max_an, &job->opt)))
        return;
    forms[conv->form]++;
    for (unsigned again = 0; again < 2; again++) {
        memset(job->z, 0x5a, bytes);
        if (TEST_OK(gfmul_conv_run(conv, job->z, job->a, job->an)))
            result_check(job);
    }
    cl_context context = ocl_device_context(device);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 job->opt.batch * job->an * conv_number_bytes(&job->opt), job->a, &code);
    memset(job->z, 0x5a, bytes);
    TEST_OK(gfmul_conv_enqueue(conv, to, from, job->an));
    TEST_OK(gfmul_conv_finish(conv));
    TEST_CHECK(clEnqueueReadBuffer(gfmul_conv_queue(conv), to, CL_TRUE, 0, bytes, job->z, 0, NULL, NULL) == CL_SUCCESS);
    result_check(job);
    clReleaseMemObject(to);
    clReleaseMemObject(from);
    gfmul_conv_destroy(conv);
}

/* job_make - operands, sums and the CPU's results; integers: of 40 bits. */
static void job_make(struct job *job, bool integers)
{
    struct gfmul_conv_options cpu = job->opt;
    const size_t w = conv_is_complex(&job->opt) ? 2 : 1, count = conv_count(job->opt.kind, job->an, job->bn) * w;
    const size_t a_parts = job->an * w * job->opt.batch, b_parts = job->bn * w;
    double squares[2] = {0, 0};
    job->a = test_alloc_zeroed(2 * a_parts, sizeof(double));
    job->b = test_alloc_zeroed(2 * b_parts, sizeof(double));
    job->z = test_alloc_zeroed(2 * count * job->opt.batch, sizeof(double));
    job->cpu = test_alloc_zeroed(2 * count * job->opt.batch, sizeof(double));
    job->want = test_alloc_zeroed(count * job->opt.batch, sizeof(quad));
    fill(job->a, a_parts);
    fill(job->b, b_parts);
    for (unsigned k = 0; k < 2; k++) {
        double *x = k ? job->b : job->a;
        for (size_t i = 0; i < (k ? b_parts : a_parts); i++) {
            if (integers) {
                x[2 * i] = floor(x[2 * i] * 0x1p40);
                x[2 * i + 1] = 0;
            }
            squares[k] += x[2 * i] * x[2 * i];
        }
    }
    job->unit = integers ? 0 : 4 * 0x1p-106 * log2(4 * (double)(job->an + job->bn)) * sqrt(squares[0] * squares[1]);
    for (size_t k = 0; k < job->opt.batch; k++)
        conv_quad(job->want + count * k, job->a + 2 * job->an * w * k, job->an, job->b, job->bn, &job->opt);
    cpu.cl_context = cpu.cl_queue = NULL;
    TEST_OK(gfmul_convolve(job->cpu, job->a, job->an, job->b, job->bn, &cpu));
}

static void job_free(struct job *job)
{
    free(job->a), free(job->b), free(job->z), free(job->cpu), free(job->want);
}

/* Kinds, types and forms: blocks, batches, rings of smooth and other lengths; numbers of 106 bits, and integers. */
static void test_convolutions(void)
{
    static const size_t linear[][2] = {{100, 11}, {9000, 31}, {1, 1}, {13, 7}, {2, 1}, {1000, 900}};
    static const size_t ring[] = {210, 509, 1, 7, 256, 1024};
    unsigned forms[4] = {0};
    const unsigned sizes = (unsigned)test_tier(1, 3, 6);
    for (unsigned i = 0; i < 12 * sizes; i++) {
        struct job job;
        gfmul_conv_options_init(&job.opt);
        job.opt.kind = (enum gfmul_conv_kind)(i / 2 % 3);
        job.opt.number = i % 2 ? GFMUL_CONV_COMPLEX_DD : GFMUL_CONV_REAL_DD;
        job.opt.batch = i / 12 % 2 ? 3 : 1;
        job.opt.cl_context = ocl_device_context(device);
        job.opt.cl_queue = ocl_device_queue(device);
        const bool is_linear = job.opt.kind == GFMUL_CONV_LINEAR;
        job.bn = is_linear ? linear[i / 12][1] : ring[i / 12];
        job.an = is_linear ? linear[i / 12][0] : job.bn;
        job.max_an = is_linear && i / 12 != 1 ? 1 + job.an / 3 : job.an;
        test_note("an=%zu bn=%zu kind=%d number=%d batch=%zu, %s", job.an, job.bn, job.opt.kind, job.opt.number, job.opt.batch,
                  i / 6 % 2 ? "integers" : "numbers");
        job_make(&job, i / 6 % 2);
        job_run(&job, forms);
        job_free(&job);
    }
    for (unsigned form = CONV_REAL; form <= CONV_ANGLE; form++)
        TEST_CHECK_MSG(forms[form] > 0, "form %u was not met", form);
}

static void test_without_fp64(void)
{
    struct gfmul_conv_options opt;
    struct gfmul_conv *conv;
    struct gfmul_fft_options fft = transform_options(GFMUL_FFT_COMPLEX, 1);
    struct gfmul_fft *plan;
    const double x[4] = {1, 0, 2, 0};
    gfmul_conv_options_init(&opt);
    opt.number = GFMUL_CONV_REAL_DD;
    opt.device = "gpu";
    fft.algorithm = "opencl";
    ocl_pretend(OCL_PRETEND_NO_FP64, true);
    TEST_CHECK(gfmul_conv_create(&conv, x, 2, 2, &opt) == GFMUL_ERR_UNSUPPORTED && conv == NULL);
    TEST_CHECK(gfmul_fft_create(&plan, 8, &fft) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
    ocl_pretend(OCL_PRETEND_NO_FP64, false);
}
#endif

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    if (!ocl_test_begin())
        return ocl_test_skip();
#ifdef HAVE_OPENCL
    ocl_test_keep();
    device = ocl_test_open();
    TEST_RUN(test_transforms);
    TEST_RUN(test_enqueue);
    TEST_RUN(test_alignment);
    TEST_RUN(test_convolutions);
    ocl_device_close(device);
    TEST_RUN(test_without_fp64);
#endif
    return ocl_test_end();
}
