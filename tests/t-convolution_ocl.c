/*
 * t-convolution_ocl.c - convolutions on an OpenCL device: every kind, type of numbers and form, batches, blocks; data of the host
 * and of the device; and what is refused.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Integers are compared with sums of 128 bits, the longer ones with the CPU, whose results t-convolution compares with GMP's.
 * Real and complex ones are compared with sums in long double, or with the CPU in double-double.
 */
#include <float.h>
#include <math.h>
#include <pthread.h>

#include "base/alloc.h"
#include "fft/conv.h"
#include "fft/fft_ocl.h"
#include "fft_numbers.h"
#include "ocl_test.h"
#ifdef HAVE_OPENCL
#include "ocl/ocl_buffer.h"
#endif

/* The CPU has nothing to put into a queue. */
static void test_cpu(void)
{
    struct gfmul_conv *conv;
    double x[2] = {1, 2};
    char z[8], a[8];
    if (TEST_OK(gfmul_conv_create(&conv, x, 2, 2, NULL))) {
        TEST_CHECK(gfmul_conv_queue(conv) == NULL && gfmul_conv_enqueue(conv, z, a, 2) == GFMUL_ERR_UNSUPPORTED);
        TEST_OK(gfmul_conv_finish(conv));
        gfmul_conv_destroy(conv);
    }
    TEST_CHECK(gfmul_conv_enqueue(NULL, z, a, 2) == GFMUL_ERR_ARGUMENT && gfmul_conv_finish(NULL) == GFMUL_ERR_ARGUMENT &&
               gfmul_conv_queue(NULL) == NULL);
}

#ifdef HAVE_OPENCL
static struct ocl_device *device;

struct sizes {
    size_t an, bn, max_an, batch;
};

static size_t count_of(enum gfmul_conv_kind kind, size_t an, size_t bn)
{
    return kind == GFMUL_CONV_LINEAR ? an + bn - 1 : bn;
}

static struct gfmul_conv_options options(enum gfmul_conv_kind kind, enum gfmul_conv_number number, size_t batch)
{
    struct gfmul_conv_options opt;
    gfmul_conv_options_init(&opt);
    opt.kind = kind;
    opt.number = number;
    opt.batch = batch;
    opt.words = 1 + (unsigned)test_below(3);
    opt.cl_context = ocl_device_context(device);
    opt.cl_queue = ocl_device_queue(device);
    return opt;
}

/* runs - z = a * b from host memory, by one call, and from the device's memory; each result is checked by `check`. */
typedef bool checked(const void *z, const void *want, size_t count, const struct gfmul_conv_options *opt, double limit);

static cl_mem buffer(size_t bytes, void *data)
{
    cl_int code;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (data != NULL ? CL_MEM_COPY_HOST_PTR : 0);
    const cl_mem m = clCreateBuffer(ocl_device_context(device), flags, bytes, data, &code);
    if (!TEST_CHECK(code == CL_SUCCESS))
        exit(1);
    return m;
}

static void runs(const struct gfmul_conv_options *opt, const struct sizes *s, void *a, const void *b, const void *want,
                 checked *check, double limit, unsigned *forms)
{
    const size_t count = s->batch * count_of(opt->kind, s->an, s->bn), bytes = count * conv_result_bytes(opt);
    struct gfmul_conv *conv;
    char *z = test_alloc(bytes + 64);
    test_note("an=%zu bn=%zu max_an=%zu batch=%zu kind=%d number=%d words=%u modulus=%" PRIu64, s->an, s->bn, s->max_an, s->batch,
              opt->kind, opt->number, opt->words, opt->modulus);
    memset(z, 0xa5, bytes + 64);
    if (TEST_OK(gfmul_convolve(z, a, s->an, b, s->bn, opt)))
        TEST_CHECK(check(z, want, count, opt, limit) && z[bytes] == (char)0xa5);
    if (TEST_OK(gfmul_conv_create(&conv, b, s->bn, s->max_an, opt))) {
        forms[conv->form]++;
        TEST_CHECK(conv_real_bytes(opt) != 0 || (conv->bound > 0 && conv->bound < 0.5));
        for (unsigned again = 0; again < 2; again++) {
            memset(z, 0xa5, bytes);
            if (TEST_OK(gfmul_conv_run(conv, z, a, s->an)))
                TEST_CHECK(check(z, want, count, opt, limit));
        }
        memset(z, 0xa5, bytes);
        const cl_mem to = buffer(bytes + 64, z), from = buffer(s->batch * s->an * conv_number_bytes(opt), a);
        const cl_command_queue queue = gfmul_conv_queue(conv);
        TEST_CHECK(queue == ocl_device_queue(device));
        TEST_OK(gfmul_conv_enqueue(conv, to, from, s->an));
        TEST_OK(gfmul_conv_finish(conv));
        TEST_CHECK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, bytes + 64, z, 0, NULL, NULL) == CL_SUCCESS);
        TEST_CHECK(check(z, want, count, opt, limit) && z[bytes] == (char)0xa5);
        clReleaseMemObject(to);
        clReleaseMemObject(from);
        gfmul_conv_destroy(conv);
    }
    free(z);
}

/* --- integers --- */

enum fill { FILL_RANDOM, FILL_LEAST, FILL_MOST, FILL_SIGNS, FILL_SMALL, N_FILLS };

static void *integers_create(size_t n, const struct gfmul_conv_options *opt, enum fill fill)
{
    const bool residues = opt->number == GFMUL_CONV_MOD, wide = opt->number == GFMUL_CONV_INT64;
    const uint64_t m = opt->modulus;
    void *p = test_alloc_zeroed(n, 8);
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = test_u64();
        const int64_t least = wide ? INT64_MIN : INT32_MIN, most = wide ? INT64_MAX : INT32_MAX;
        const int64_t v = fill == FILL_LEAST   ? least
                          : fill == FILL_MOST  ? most
                          : fill == FILL_SIGNS ? (r & 1 ? least : most)
                          : fill == FILL_SMALL ? (int64_t)(r % 5) - 2
                                               : (wide ? (int64_t)r : (int32_t)r);
        if (residues)
            ((uint64_t *)p)[i] = fill == FILL_LEAST   ? (m / 2 + 1) % m
                                 : fill == FILL_MOST  ? m / 2
                                 : fill == FILL_SIGNS ? m / 2 + (r & 1 && m > 2)
                                 : fill == FILL_SMALL ? r % 3 % m
                                                      : r % m;
        else if (wide)
            ((int64_t *)p)[i] = v;
        else
            ((int32_t *)p)[i] = (int32_t)v;
    }
    return p;
}

static __int128 integer(const struct gfmul_conv_options *opt, const void *p, size_t i)
{
    return opt->number == GFMUL_CONV_MOD     ? (__int128)((const uint64_t *)p)[i]
           : opt->number == GFMUL_CONV_INT64 ? (__int128)((const int64_t *)p)[i]
                                             : (__int128)((const int32_t *)p)[i];
}

/* product_add - z +- v in `words` words. */
static void product_add(uint64_t *z, unsigned words, __int128 v, bool minus)
{
    uint64_t carry = minus;
    for (unsigned i = 0; i < words; i++) {
        const uint64_t w = (uint64_t)(i == 0 ? v : i == 1 ? v >> 64 : v >> 127);
        const unsigned __int128 sum = (unsigned __int128)z[i] + (minus ? ~w : w) + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

static void integers_schoolbook(uint64_t *z, const void *a, size_t an, const void *b, size_t bn,
                                const struct gfmul_conv_options *opt)
{
    const size_t count = count_of(opt->kind, an, bn);
    for (size_t i = 0; i < an; i++)
        for (size_t j = 0; j < bn; j++) {
            const bool folded = i + j >= count, minus = folded && opt->kind == GFMUL_CONV_NEGACYCLIC;
            const size_t k = folded ? i + j - count : i + j;
            if (opt->number != GFMUL_CONV_MOD) {
                product_add(z + k * opt->words, opt->words, integer(opt, a, i) * integer(opt, b, j), minus);
                continue;
            }
            const unsigned __int128 m = opt->modulus;
            unsigned __int128 r = (unsigned __int128)integer(opt, a, i) * (unsigned __int128)integer(opt, b, j) % m;
            r = minus && r != 0 ? m - r : r;
            z[k] = (uint64_t)((z[k] + r) % m);
        }
}

static bool integers_equal(const void *z, const void *want, size_t count, const struct gfmul_conv_options *opt, double limit)
{
    (void)limit;
    return test_equal_limbs(z, want, count * conv_result_bytes(opt) / sizeof(uint64_t));
}

static void integers_check(const struct gfmul_conv_options *opt, const struct sizes *s, enum fill a_fill, enum fill b_fill,
                           bool by_cpu)
{
    static unsigned forms[4];
    const size_t count = count_of(opt->kind, s->an, s->bn), words = conv_result_bytes(opt) / sizeof(uint64_t);
    char *a = integers_create(s->an * s->batch, opt, a_fill), *b = integers_create(s->bn, opt, b_fill);
    uint64_t *want = test_alloc_zeroed(count * s->batch * words, sizeof *want);
    struct gfmul_conv_options cpu = *opt;
    cpu.cl_context = cpu.cl_queue = NULL;
    cpu.device = NULL;
    if (by_cpu)
        TEST_OK(gfmul_convolve(want, a, s->an, b, s->bn, &cpu));
    for (size_t k = 0; k < s->batch && !by_cpu; k++)
        integers_schoolbook(want + k * count * words, a + k * s->an * conv_number_bytes(opt), s->an, b, s->bn, opt);
    runs(opt, s, a, b, want, integers_equal, 0, forms);
    TEST_CHECK(forms[CONV_ANGLE] > 0 && forms[CONV_REAL] == 0);
    free(a);
    free(b);
    free(want);
}

static const uint64_t moduli[] = {2,
                                  3,
                                  1000003,
                                  UINT64_C(998244353),
                                  UINT64_C(1) << 32,
                                  UINT64_C(1) << 63,
                                  (UINT64_C(1) << 61) - 1,
                                  UINT64_MAX,
                                  UINT64_MAX - 58};

/* sizes_of - linear ones with blocks and without, rings of smooth and other lengths; few lengths of transforms. */
static struct sizes sizes_of(unsigned i, enum gfmul_conv_kind kind)
{
    static const size_t linear[][2] = {{1, 1}, {2, 1}, {1, 2}, {13, 7}, {300, 200}, {9000, 31}}, ring[] = {1, 2, 7, 60, 256, 509};
    const size_t an = kind == GFMUL_CONV_LINEAR ? linear[i % 6][0] : ring[i % 6];
    const size_t bn = kind == GFMUL_CONV_LINEAR ? linear[i % 6][1] : an;
    return (struct sizes){an, bn, kind != GFMUL_CONV_LINEAR ? bn : i % 3 == 0 ? an : 1 + an / 3, i % 4 == 3 ? 3 : 1};
}

static void test_integers(void) /* all kinds and types, extremes against extremes */
{
    const unsigned rounds = test_tier(1, 5, 25);
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned number = GFMUL_CONV_INT32; number <= GFMUL_CONV_MOD; number++)
            for (unsigned kind = 0; kind < 3; kind++)
                for (unsigned i = 0; i < 6; i++) {
                    const struct sizes s = sizes_of(i, (enum gfmul_conv_kind)kind);
                    struct gfmul_conv_options opt = options((enum gfmul_conv_kind)kind, (enum gfmul_conv_number)number, s.batch);
                    opt.modulus = moduli[test_below(sizeof moduli / sizeof *moduli)];
                    const unsigned fills = (unsigned)test_below(N_FILLS * N_FILLS);
                    integers_check(&opt, &s, (enum fill)(fills / N_FILLS), (enum fill)(fills % N_FILLS), false);
                }
}

/* Many short sequences: more than a second dimension of work-items has room for on some devices. */
static void test_many(void)
{
    enum { BATCH = 70000, AN = 5, BN = 3, COUNT = AN + BN - 1 };
    struct gfmul_conv_options opt = options(GFMUL_CONV_LINEAR, GFMUL_CONV_INT32, BATCH), cpu = opt;
    int32_t *a = test_alloc_zeroed(BATCH * AN, sizeof *a), b[BN] = {INT32_MIN, 7, INT32_MAX};
    uint64_t *z = test_alloc_zeroed((size_t)BATCH * COUNT * opt.words, sizeof *z),
             *want = test_alloc_zeroed(BATCH * COUNT * 3, 8);
    cpu.cl_context = cpu.cl_queue = NULL;
    for (size_t i = 0; i < BATCH * AN; i++)
        a[i] = (int32_t)test_u64();
    if (TEST_OK(gfmul_convolve(z, a, AN, b, BN, &opt)) && TEST_OK(gfmul_convolve(want, a, AN, b, BN, &cpu)))
        test_equal_limbs(z, want, (size_t)BATCH * COUNT * opt.words);
    free(a);
    free(z);
    free(want);
}

/* Long ones, of the numbers whose pieces make the largest sums, against the CPU. */
static void test_long_integers(void)
{
    static const struct sizes sizes[] = {{9000, 7000, 9000, 1}, {40000, 500, 9000, 2}, {4096, 4096, 4096, 1}};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned number = GFMUL_CONV_INT32; number <= GFMUL_CONV_MOD; number++) {
            const enum gfmul_conv_kind kind = i < 2 ? GFMUL_CONV_LINEAR : GFMUL_CONV_NEGACYCLIC;
            struct gfmul_conv_options opt = options(kind, (enum gfmul_conv_number)number, sizes[i].batch);
            opt.words = 3;
            opt.modulus = (UINT64_C(1) << 63) - 25;
            const bool same = i != 1;
            integers_check(&opt, &sizes[i], same ? FILL_LEAST : FILL_SIGNS, same ? FILL_LEAST : FILL_SIGNS, true);
            integers_check(&opt, &sizes[i], FILL_RANDOM, FILL_MOST, true);
        }
}

/*
 * bounds_check - errors of the passes that run, forwards and there and back, against the bounds that are proved: of a spectrum in
 * the norm, of a result against the sum of the moduli.
 */
static void bounds_check(size_t n)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan, *exact;
    double forward, backward, error = 0, norm = 0, sum = 0, worst = 0;
    gfmul_fft_options_init(&opt);
    opt.precision = GFMUL_PRECISION_DD;
    opt.scale = 1;
    if (!TEST_OK(gfmul_fft_create(&exact, n, &opt)))
        return;
    opt.precision = GFMUL_PRECISION_DOUBLE;
    opt.order = GFMUL_FFT_PERMUTED;
    opt.cl_context = ocl_device_context(device);
    opt.cl_queue = ocl_device_queue(device);
    if (!TEST_OK(gfmul_fft_create(&plan, n, &opt)))
        return;
    fft_ocl_constants(fft_ocl_passes(plan), &forward, &backward);
    double *x = test_alloc_zeroed(2 * n, sizeof *x), *y = test_alloc_zeroed(2 * n, sizeof *y);
    double *wide = test_alloc_zeroed(4 * n, sizeof *wide), *want = test_alloc_zeroed(4 * n, sizeof *want);
    for (size_t i = 0; i < 2 * n; i++)
        wide[2 * i] = x[i] = (double)(int64_t)test_u64() * 0x1p-63;
    TEST_OK(gfmul_fft_forward(plan, y, x));
    TEST_OK(gfmul_fft_forward(exact, want, wide));
    for (size_t i = 0; i < 2 * n; i++) {
        const size_t k = 2 * gfmul_fft_frequency(plan, i / 2) + i % 2;
        const double e = (y[i] - want[2 * k]) - want[2 * k + 1];
        error += e * e;
        norm += want[2 * k] * want[2 * k];
    }
    const double first = sqrt(error / norm) * 0x1p53;
    TEST_CHECK_MSG((first > 0 || n <= 2) && first <= forward, "n=%zu: forward %g, bound %g", n, first, forward);
    for (size_t k = 0; k < n; k++) { /* what it is given now is exact */
        const size_t at = gfmul_fft_frequency(plan, k);
        sum += hypot(y[2 * k], y[2 * k + 1]);
        memset(wide + 4 * at, 0, 4 * sizeof *wide);
        wide[4 * at] = y[2 * k];
        wide[4 * at + 2] = y[2 * k + 1];
    }
    TEST_OK(gfmul_fft_backward(plan, x, y));
    TEST_OK(gfmul_fft_backward(exact, want, wide));
    for (size_t i = 0; i < 2 * n; i++)
        worst = test_worse(worst, fabs((x[i] - want[2 * i]) - want[2 * i + 1]));
    worst *= 0x1p53 / (sum / (double)n);
    TEST_CHECK_MSG(worst <= backward, "n=%zu: backward %g, bound %g", n, worst, backward);
    printf("n=%zu: forward %.3g of %.4g, backward %.3g of %.4g\n", n, first, forward, worst, backward);
    free(want), free(wide), free(y), free(x);
    gfmul_fft_destroy(plan);
    gfmul_fft_destroy(exact);
}

static void test_bounds(void)
{
    static const size_t lengths[] = {1, 2, 7, 30, 512, 4096, 5120, 16384, 9 << 14};
    for (unsigned i = 0; i < test_tier(7, 9, 9); i++)
        bounds_check(lengths[i]);
}

/* --- real and complex numbers --- */

static void *floats_create(size_t n, bool is_float, double *squares)
{
    void *p = test_alloc_zeroed(n, sizeof(double));
    *squares = 0;
    for (size_t k = 0; k < n; k++) {
        const double v = (float)ldexp((double)(int64_t)test_u64(), -63);
        number_put(is_float, p, k, v);
        *squares += v * v;
    }
    return p;
}

static void floats_schoolbook(long double *z, bool is_float, const void *a, size_t a_at, size_t an, const void *b, size_t bn,
                              const struct gfmul_conv_options *opt)
{
    const size_t count = count_of(opt->kind, an, bn);
    for (size_t j = 0; j < an; j++)
        for (size_t k = 0; k < bn; k++) {
            const bool folded = j + k >= count;
            const size_t to = folded ? j + k - count : j + k;
            const long double sign = folded && opt->kind == GFMUL_CONV_NEGACYCLIC ? -1 : 1;
            if (!conv_is_complex(opt)) {
                z[to] += sign * number_get(is_float, a, a_at + j) * number_get(is_float, b, k);
                continue;
            }
            const long double ar = number_get(is_float, a, a_at + 2 * j), ai = number_get(is_float, a, a_at + 2 * j + 1);
            const long double br = number_get(is_float, b, 2 * k), bi = number_get(is_float, b, 2 * k + 1);
            z[2 * to] += sign * (ar * br - ai * bi);
            z[2 * to + 1] += sign * (ar * bi + ai * br);
        }
}

static bool floats_near(const void *z, const void *want, size_t count, const struct gfmul_conv_options *opt, double limit)
{
    double worst = 0;
    for (size_t k = 0; k < count * (conv_is_complex(opt) ? 2 : 1); k++)
        worst = test_worse(
            worst, fabs((double)(number_get(conv_real_bytes(opt) == sizeof(float), z, k) - ((const long double *)want)[k])));
    return TEST_CHECK_MSG(worst <= limit, "error %.3g of the limit", worst / limit);
}

static void test_floats(void)
{
    static const enum gfmul_conv_number numbers[] = {GFMUL_CONV_REAL, GFMUL_CONV_COMPLEX, GFMUL_CONV_REAL_FLOAT,
                                                     GFMUL_CONV_COMPLEX_FLOAT};
    unsigned forms[4] = {0};
    for (unsigned i = 0; i < 72; i++) {
        const enum gfmul_conv_kind kind = (enum gfmul_conv_kind)(i / 4 % 3);
        const struct sizes s = sizes_of(i / 12, kind);
        const struct gfmul_conv_options opt = options(kind, numbers[i % 4], s.batch);
        const bool is_float = conv_real_bytes(&opt) == sizeof(float);
        if (is_float && i / 12 % 2 == 0 && test_tier(0, 1, 1) == 0)
            continue; /* each length is a program of its own */
        const size_t w = conv_is_complex(&opt) ? 2 : 1, count = count_of(kind, s.an, s.bn);
        double sa, sb;
        void *a = floats_create(s.an * w * s.batch, is_float, &sa), *b = floats_create(s.bn * w, is_float, &sb);
        long double *want = test_alloc_zeroed(count * w * s.batch, sizeof *want);
        for (size_t k = 0; k < s.batch; k++)
            floats_schoolbook(want + k * count * w, is_float, a, k * s.an * w, s.an, b, s.bn, &opt);
        const double eps = is_float ? FLT_EPSILON : DBL_EPSILON;
        runs(&opt, &s, a, b, want, floats_near, 2 * eps * log2(8 * (double)(s.an + s.bn)) * sqrt(sa * sb), forms);
        free(a);
        free(b);
        free(want);
    }
    for (unsigned form = CONV_REAL; form <= CONV_ANGLE; form++)
        TEST_CHECK_MSG(forms[form] > 0, "form %u was not met", form);
}

static void test_errors(void)
{
    struct gfmul_conv_options opt = options(GFMUL_CONV_LINEAR, GFMUL_CONV_INT64, 1);
    struct gfmul_conv *conv;
    uint64_t a[60] = {1, 2, 3, 4, 5, 6, 7}, z[400];
    opt.number = GFMUL_CONV_MOD;
    opt.modulus = 7;
    TEST_CHECK(gfmul_convolve(z, a, 7, a, 6, &opt) == GFMUL_ERR_ARGUMENT);
    opt.number = GFMUL_CONV_INT64;
    opt.words = 2;
    opt.cl_context = NULL;
    TEST_CHECK(gfmul_conv_create(&conv, a, 2, 2, &opt) == GFMUL_ERR_ARGUMENT && conv == NULL);
    opt.cl_queue = NULL;
    opt.device = "no such device";
    TEST_CHECK(gfmul_conv_create(&conv, a, 2, 2, &opt) == GFMUL_ERR_DEVICE && conv == NULL);
    opt.device = "gpu";
    if (TEST_OK(gfmul_conv_create(&conv, a, 7, 60, &opt))) { /* the library's own queue */
        TEST_OK(gfmul_conv_run(conv, z, a, 60));
        TEST_CHECK(z[0] == 1 && z[2] == 4 && z[24] == 49 && z[25] == 0 && z[26] == 0);
        const cl_mem small = buffer(60 * 8 - 1, NULL), source = buffer(60 * 8, NULL), to = buffer(66 * 16, NULL);
        TEST_CHECK(gfmul_conv_enqueue(conv, to, small, 60) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_conv_enqueue(conv, small, source, 60) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_conv_enqueue(conv, to, to, 60) == GFMUL_ERR_OVERLAP);
        TEST_CHECK(gfmul_conv_enqueue(conv, to, source, 0) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_conv_enqueue(conv, to, source, SIZE_MAX / 64) == GFMUL_ERR_SIZE);
        clReleaseMemObject(small);
        clReleaseMemObject(source);
        clReleaseMemObject(to);
        conv->bound = -1; /* an error above the bound, which is proved never to be, is not passed over */
        TEST_CHECK(gfmul_conv_run(conv, z, a, 60) == GFMUL_ERR_INTERNAL);
        TEST_CHECK(gfmul_conv_finish(conv) == GFMUL_ERR_INTERNAL);
        gfmul_conv_destroy(conv);
    }
    double x[8] = {INFINITY, 1, NAN, 0}, y[15];
    opt.number = GFMUL_CONV_REAL;
    TEST_OK(gfmul_convolve(y, x, 8, x, 8, &opt)); /* not finite: no error, and not finite */
    TEST_CHECK(!isfinite(y[0]));
}

/* Memory that is refused: a status, and the next convolution is right. */
static void test_memory(void)
{
    const int32_t a[4] = {1, 2, 3, 4};
    uint64_t z[14];
    struct gfmul_conv_options opt = options(GFMUL_CONV_LINEAR, GFMUL_CONV_INT32, 1);
    opt.words = 2;
    for (unsigned i = 0; i < 6; i++) {
        alloc_fail_after((long)i);
        const enum gfmul_status status = gfmul_convolve(z, a, 4, a, 4, &opt);
        alloc_fail_after(-1);
        TEST_CHECK(status == GFMUL_OK || status == GFMUL_ERR_MEMORY);
        TEST_OK(gfmul_convolve(z, a, 4, a, 4, &opt));
        TEST_CHECK(z[0] == 1 && z[12] == 16 && z[6] == 20);
    }
}

/* Calls of OpenCL that fail, one after another: a status, and the next convolution is right. */
static void test_faults(void)
{
    static const struct {
        enum ocl_fault_place place;
        int code;
    } faults[] = {{OCL_FAULT_BUFFER, CL_MEM_OBJECT_ALLOCATION_FAILURE},
                  {OCL_FAULT_LAUNCH, CL_OUT_OF_RESOURCES},
                  {OCL_FAULT_TRANSFER, CL_OUT_OF_RESOURCES},
                  {OCL_FAULT_FINISH, CL_OUT_OF_RESOURCES}};
    const int32_t a[4] = {1, 2, 3, 4};
    struct gfmul_conv_options opt = options(GFMUL_CONV_LINEAR, GFMUL_CONV_INT32, 1);
    const struct ocl_device_options same = {.context = opt.cl_context, .queue = opt.cl_queue};
    struct ocl_device *d; /* that of the convolutions */
    opt.words = 2;
    if (!TEST_OK(ocl_device_open(&d, "gpu", &same, NULL)))
        return;
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) {
        unsigned refused = 0;
        for (unsigned n = 0; n < 12; n++) {
            uint64_t z[14];
            test_note("place %d, call %u", (int)faults[i].place, n);
            ocl_buffer_trim(d); /* else no buffer is made */
            ocl_fault_set(faults[i].place, n, 100, faults[i].code);
            const enum gfmul_status status = gfmul_convolve(z, a, 4, a, 4, &opt);
            ocl_fault_clear();
            TEST_CHECK(status == GFMUL_OK || status == GFMUL_ERR_DEVICE || status == GFMUL_ERR_MEMORY);
            refused += status != GFMUL_OK;
            if (TEST_OK(gfmul_convolve(z, a, 4, a, 4, &opt)))
                TEST_CHECK(z[0] == 1 && z[12] == 16 && z[6] == 20);
        }
        TEST_CHECK_MSG(refused > 0, "place %d was not met", (int)faults[i].place);
    }
    ocl_device_close(d);
}

/* One kernel, run by several threads at once, from host memory: each gets what it would get alone. */
enum { CALLERS = 3, CALLS = 4, NUMBERS = 200 };
struct caller {
    const struct gfmul_conv *kernel;
    int32_t a[NUMBERS];
    uint64_t want[2 * (2 * NUMBERS - 1)];
    unsigned wrong;
    pthread_t thread;
};

static void *caller_run(void *arg)
{
    struct caller *c = arg;
    uint64_t z[2 * (2 * NUMBERS - 1)];
    for (unsigned i = 0; i < CALLS; i++)
        c->wrong += gfmul_conv_run(c->kernel, z, c->a, NUMBERS) != GFMUL_OK || memcmp(z, c->want, sizeof z) != 0;
    return NULL;
}

static void test_callers(void)
{
    static struct caller callers[CALLERS];
    struct gfmul_conv_options opt = options(GFMUL_CONV_LINEAR, GFMUL_CONV_INT32, 1), cpu;
    struct gfmul_conv *kernel;
    int32_t b[NUMBERS];
    opt.words = 2;
    gfmul_conv_options_init(&cpu);
    cpu.number = GFMUL_CONV_INT32;
    for (unsigned k = 0; k < NUMBERS; k++)
        b[k] = (int32_t)test_u64();
    if (!TEST_OK(gfmul_conv_create(&kernel, b, NUMBERS, NUMBERS, &opt)))
        return;
    for (unsigned i = 0; i < CALLERS; i++) {
        callers[i].kernel = kernel;
        for (unsigned k = 0; k < NUMBERS; k++)
            callers[i].a[k] = (int32_t)test_u64();
        TEST_OK(gfmul_convolve(callers[i].want, callers[i].a, NUMBERS, b, NUMBERS, &cpu));
    }
    for (unsigned i = 0; i < CALLERS; i++)
        if (pthread_create(&callers[i].thread, NULL, caller_run, &callers[i]) != 0)
            exit(1);
    for (unsigned i = 0; i < CALLERS; i++) {
        pthread_join(callers[i].thread, NULL);
        TEST_CHECK_MSG(callers[i].wrong == 0, "%u runs differ", callers[i].wrong);
    }
    gfmul_conv_destroy(kernel);
}

static void test_without_fp64(void)
{
    struct gfmul_conv_options opt;
    struct gfmul_conv *conv;
    const float x[2] = {1, 2};
    float z[3];
    const int64_t n[2] = {1, 2};
    gfmul_conv_options_init(&opt);
    opt.device = "gpu";
    ocl_pretend(OCL_PRETEND_NO_FP64, true);
    opt.number = GFMUL_CONV_REAL_FLOAT;
    if (TEST_OK(gfmul_convolve(z, x, 2, x, 2, &opt)))
        TEST_CHECK(fabsf(z[1] - 4) < 1e-5F);
    opt.number = GFMUL_CONV_INT64;
    TEST_CHECK(gfmul_conv_create(&conv, n, 2, 2, &opt) == GFMUL_ERR_UNSUPPORTED && conv == NULL);
    opt.number = GFMUL_CONV_REAL;
    TEST_CHECK(gfmul_conv_create(&conv, n, 1, 1, &opt) == GFMUL_ERR_UNSUPPORTED && conv == NULL);
    ocl_pretend(OCL_PRETEND_NO_FP64, false);
}
#endif

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_cpu);
#ifdef HAVE_OPENCL
    if (!ocl_test_begin())
        return ocl_test_skip();
    ocl_test_keep();
    device = ocl_test_open();
    TEST_RUN(test_floats);
    TEST_RUN(test_integers);
    TEST_RUN(test_many);
    TEST_RUN(test_long_integers);
    TEST_RUN(test_bounds);
    TEST_RUN(test_errors);
    TEST_RUN(test_memory);
    TEST_RUN(test_faults);
    TEST_RUN(test_callers);
    ocl_device_close(device);
    TEST_RUN(test_without_fp64);
    return ocl_test_end();
#else
    return test_end();
#endif
}
