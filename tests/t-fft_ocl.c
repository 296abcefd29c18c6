/*
 * t-fft_ocl.c - plain transforms on an OpenCL device: algorithm "opencl" of every kind of length, its passes, data on the device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Short ones are compared with the definition in long double, others with the transforms of the CPU in double precision, which
 * t-fft compares with it.  Errors are in eps log2(2 n) times the norm of the data, log2(8 n) where n is not smooth: root mean
 * square and maximum below the limits.
 */
#include <float.h>
#include <math.h>

#include "fft/fft_ocl.h"
#include "fft_numbers.h"
#include "gfmul_fft.h"
#include "ocl_test.h"

static const double RMS_LIMIT = 0.5, MAX_LIMIT = 4;

static size_t smooth_random(size_t lo, size_t hi)
{
    for (;;) {
        size_t n = 1, least = test_between(lo, hi);
        while (n < least) {
            static const unsigned primes[] = {2, 2, 2, 3, 5, 7};
            n *= primes[test_below(6)];
        }
        if (n <= hi && fft_is_smooth(n))
            return n;
    }
}

static size_t smooth_above(size_t n)
{
    while (!fft_is_smooth(n))
        n++;
    return n;
}

#ifdef HAVE_OPENCL
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"

/* fill - numbers that are exact in both precisions, as such and as double; their norm */
static double fill(bool is_float, void *p, double *same, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        same[i] = (double)(int64_t)(test_u64() >> 40) / (1 << 23) - 1;
        number_put(is_float, p, i, same[i]);
        squares += same[i] * same[i];
    }
    return sqrt(squares);
}

/* check - numbers got against want, in units of size; of convolutions, of up to four times the length, with their logarithm. */
static bool check(bool is_float, size_t n, const void *got, const double *want, size_t numbers, double size, const char *what)
{
    const double eps = is_float ? FLT_EPSILON : DBL_EPSILON, unit = eps * log2((fft_is_smooth(n) ? 2 : 8) * (double)n) * size;
    double squares = 0, worst = 0;
    for (size_t i = 0; i < numbers; i++) {
        const double e = fabs(number_get(is_float, got, i) - want[i]) / unit;
        squares += e * e;
        worst = e > worst || isnan(e) ? e : worst;
    }
    const double rms = sqrt(2 * squares / (double)numbers); /* two numbers a point */
    return TEST_CHECK_MSG(rms <= RMS_LIMIT && worst <= MAX_LIMIT, "%s: error rms %.3g, max %.3g units", what, rms, worst);
}

/* definition - X by its formula. */
static void definition(double *out, const double *in, size_t n, bool backward)
{
    for (size_t k = 0; k < n; k++) {
        long double re = 0, im = 0;
        for (size_t j = 0; j < n; j++) {
            const long double angle = 6.283185307179586476925286766559005768L * (long double)(j * k % n) / (long double)n;
            const long double c = cosl(angle), s = backward ? sinl(angle) : -sinl(angle);
            re += in[2 * j] * c - in[2 * j + 1] * s;
            im += in[2 * j] * s + in[2 * j + 1] * c;
        }
        out[2 * k] = (double)re;
        out[2 * k + 1] = (double)im;
    }
}

/* cpu - the same by the library's transforms there. */
static void cpu(double *out, const double *in, size_t n, enum gfmul_fft_type type, bool backward)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.type = type;
    if (gfmul_fft_create(&plan, n, &opt) != GFMUL_OK ||
        (backward ? gfmul_fft_backward(plan, out, in) : gfmul_fft_forward(plan, out, in)) != GFMUL_OK)
        exit(1);
    gfmul_fft_destroy(plan);
}

static struct gfmul_fft *plan_of(size_t n, bool is_float, size_t batch, enum gfmul_fft_type type, int scale)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.algorithm = "opencl";
    opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.batch = batch;
    opt.type = type;
    opt.scale = scale;
    TEST_OK(gfmul_fft_create(&plan, n, &opt));
    return plan;
}

/* check_length - forward, in place, there and back, backward. */
static bool check_length(size_t n, bool is_float)
{
    test_note("%s, n=%zu", is_float ? "float" : "double", n);
    struct gfmul_fft *plan = plan_of(n, is_float, 1, GFMUL_FFT_COMPLEX, 0);
    if (plan == NULL)
        return false;
    const size_t bytes = 2 * n * (is_float ? sizeof(float) : sizeof(double));
    void *in = test_alloc_zeroed(2 * n, sizeof(double)), *out = test_alloc_zeroed(2 * n, sizeof(double)),
         *same = test_alloc_zeroed(2 * n, sizeof(double));
    double *x = test_alloc_zeroed(2 * n, sizeof *x), *want = test_alloc_zeroed(2 * n, sizeof *want);
    const double norm = fill(is_float, in, x, 2 * n);
    memcpy(same, in, bytes);
    n <= 128 ? definition(want, x, n, false) : cpu(want, x, n, GFMUL_FFT_COMPLEX, false);
    bool ok = TEST_OK(gfmul_fft_forward(plan, out, in)) && TEST_CHECK(memcmp(in, same, bytes) == 0) &&
              check(is_float, n, out, want, 2 * n, norm, "forward") && TEST_OK(gfmul_fft_forward(plan, same, same)) &&
              check(is_float, n, same, want, 2 * n, norm, "forward in place");
    if (ok && TEST_OK(gfmul_fft_backward(plan, same, same))) {
        for (size_t i = 0; i < 2 * n; i++)
            want[i] = x[i] * (double)n;
        ok = check(is_float, n, same, want, 2 * n, 2 * norm * sqrt((double)n), "there and back");
    }
    if (ok && TEST_OK(gfmul_fft_backward(plan, out, in))) {
        n <= 128 ? definition(want, x, n, true) : cpu(want, x, n, GFMUL_FFT_COMPLEX, true);
        ok = check(is_float, n, out, want, 2 * n, norm, "backward");
    }
    gfmul_fft_destroy(plan);
    free(in);
    free(out);
    free(same);
    free(x);
    free(want);
    return ok;
}

/*
 * Lengths of one pass, smooth and not.  Each is a program of its own, which a processor compiles in about a second.  The short
 * tier has each radix in one precision, the long one all to 16 and some longer ones, the longest all smooth ones, those to 256
 * in both.  Processes can share these (test_part).
 */
static void test_short(void)
{
    unsigned count = 0, smooth = 0;
    for (size_t n = 1; n <= (test_longest_tier() ? 4096 : 16); n++, smooth += fft_is_smooth(n))
        for (unsigned what = 0; what < 2; what++)
            if ((test_longest_tier() && n <= 256) || what == (test_longest_tier() ? smooth % 2 : n % 2)) {
                const bool one_radix = n < 6 || n == 7 || n == 8 || n == 9 || n == 11 || n == 16;
                if ((!fft_is_smooth(n) && n > 200) || (test_level() == 0 && !one_radix) || !test_part(count++))
                    continue;
                if (!check_length(n, what))
                    return;
                if (test_longest_tier() && count % 50 == 0) {
                    printf("to n=%zu, %.0f s\n", n, test_seconds());
                    fflush(stdout);
                }
            }
    static const size_t longer[] = {60, 1008, 3375, 4096};
    for (unsigned i = 0; i < test_tier(0, sizeof longer / sizeof *longer, 0); i++)
        if (!check_length(longer[i], i % 2))
            return;
}

/* Lengths of more than one, and of Bluestein's algorithm: every third in the short tier. */
static void test_long_ones(void)
{
    static const size_t fixed[] = {6561, 8192, 16807, 15625, 65536, 10007, 2 * 5003, 131072};
    static const size_t more[] = {1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 3 << 20, 9765625, 1000003, 4782969};
    const unsigned step = (unsigned)test_tier(3, 1, 1);
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i += step)
        for (unsigned what = 0; what < 2; what++)
            if ((test_longest_tier() ? test_part(count++) : what == i % 2) && !check_length(fixed[i], what))
                return;
    for (unsigned i = 0; test_longest_tier() && i < sizeof more / sizeof *more; i++)
        for (unsigned what = 0; what < 2; what++)
            if (test_part(count++) && !check_length(more[i], what))
                return;
    for (unsigned i = 0; i < test_tier(0, 0, 40); i++) {
        const size_t n = smooth_random(4097, 1000000);
        const bool is_float = test_below(2);
        if (test_part(count++) && !check_length(n, is_float))
            return;
    }
}

/* Real transforms: even and odd, smooth and not, batches with and without gaps, in place; the short tier has fewer. */
static void test_real(void)
{
    static const size_t lengths[] = {2, 15, 22, 2187, 1, 3, 10, 64, 16384};
    for (unsigned i = 0; i < test_tier(4, 9, 9); i++)
        for (unsigned gap = 0; gap < 2; gap++) {
            const size_t n = lengths[i], batch = 3, points = n / 2 + 1, dist = gap ? 2 * points : n, freq = points;
            const bool is_float = (i + (test_level() > 0 ? gap : 0)) % 2;
            struct gfmul_fft_options opt;
            struct gfmul_fft *plan;
            gfmul_fft_options_init(&opt);
            opt.algorithm = "opencl";
            opt.type = GFMUL_FFT_REAL;
            opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
            opt.batch = batch;
            opt.time_dist = gap ? dist : 0;
            opt.scale = 1;
            test_note("real, %s, n=%zu, gap %u", is_float ? "float" : "double", n, gap);
            if (!TEST_OK(gfmul_fft_create(&plan, n, &opt)))
                return;
            void *in = test_alloc_zeroed(batch * dist, sizeof(double)),
                 *out = test_alloc_zeroed(batch * 2 * freq, sizeof(double));
            double *x = test_alloc_zeroed(batch * dist, sizeof *x), *want = test_alloc_zeroed(2 * freq, sizeof *want);
            fill(is_float, in, x, batch * dist);
            bool ok = TEST_OK(gfmul_fft_forward(plan, out, in));
            for (size_t b = 0; b < batch && ok; b++) {
                double squares = 0;
                for (size_t j = 0; j < n; j++)
                    squares += x[b * dist + j] * x[b * dist + j];
                cpu(want, x + b * dist, n, GFMUL_FFT_REAL, false);
                const size_t number = is_float ? sizeof(float) : sizeof(double);
                ok = check(is_float, n, (char *)out + b * 2 * freq * number, want, 2 * points, sqrt(squares), "real forward");
            }
            if (ok && gap) { /* in place */
                memcpy(out, in, batch * dist * (is_float ? sizeof(float) : sizeof(double)));
                ok = TEST_OK(gfmul_fft_forward(plan, out, out));
            }
            ok = ok && TEST_OK(gap ? gfmul_fft_backward(plan, out, out) : gfmul_fft_backward(plan, in, out));
            for (size_t b = 0; b < batch && ok; b++)
                for (size_t j = 0; j < n && ok; j++)
                    ok = TEST_CHECK(fabs(number_get(is_float, gap ? out : in, b * dist + j) - x[b * dist + j]) <
                                    (is_float ? 4e-6 : 1e-14) * log2(2 * (double)n));
            gfmul_fft_destroy(plan);
            free(in);
            free(out);
            free(x);
            free(want);
            if (!ok)
                return;
        }
}

/* in_order - a spectrum of a transform in its order, to natural order. */
static void in_order(const struct fft_ocl *t, double *natural, const double *y, size_t n)
{
    for (size_t k = 0; k < 2 * n; k++)
        natural[k] = NAN; /* a place that is missed shows */
    for (size_t place = 0; place < n; place++)
        for (unsigned part = 0; part < 2; part++)
            natural[2 * fft_ocl_frequency(t, place) + part] = y[2 * place + part];
}

/*
 * Shapes that no plan has, in natural order and permuted: four passes, columns that end in the middle of a work-group, parts
 * exchanged together and apart.
 */
static void test_shapes(void)
{
    static const char *const shapes[] = {"4.4/4/8/s,4.4/4/8,2.4/2/16/s,8/1/4",
                                         "5.3/3/4/s,7.2/4/8,3.3/3/2",
                                         "16.4/4/16,16.4/16/2/s",
                                         "3.5.4/10/5,2.3.3/6/3/s",
                                         "16.16.2/32/1,16/1/16",
                                         "8.8.8.8/512/1/s",
                                         "3/1/5,4.4/4/8,2.2/1/2/s,5.3/3/4",
                                         "2.2.2.2.2/16/8,2.2.2/4/7/s"};
    struct ocl_device *d = ocl_test_open();
    const size_t n_shapes = sizeof shapes / sizeof *shapes;
    for (size_t i = 0; i < test_tier(2, n_shapes, n_shapes); i++)
        for (unsigned what = 0; what < 4; what++) { /* forward, backward in place; the same permuted */
            const bool place = what % 2, permuted = what / 2;
            struct fft_ocl_shapes s;
            struct fft_ocl *t = NULL;
            char text[512];
            if (!TEST_CHECK(fft_ocl_shapes_parse(&s, shapes[i])))
                return;
            const size_t n = fft_ocl_shapes_points(&s), batch = 3, bytes = batch * n * 2 * sizeof(double);
            fft_ocl_shapes_print(text, sizeof text, &s);
            test_note("shape %s, in place %u, permuted %u", shapes[i], place, permuted);
            TEST_CHECK(strcmp(text, shapes[i]) == 0);
            if (!permuted && s.n_passes > 1 && s.pass[0].n_stages < 2) {
                TEST_CHECK(fft_ocl_create(OCL_ON(d, NULL), &t, n, sizeof(double), false, &s) == GFMUL_ERR_UNSUPPORTED &&
                           t == NULL);
                continue;
            }
            double *x = test_alloc_zeroed(2 * n * batch, sizeof *x), *y = test_alloc_zeroed(2 * n * batch, sizeof *y),
                   *want = test_alloc_zeroed(2 * n, sizeof *want);
            cl_mem m[3] = {NULL, NULL, NULL};
            const double norm = fill(false, y, x, 2 * n * batch) / sqrt((double)batch);
            bool ok = TEST_OK(fft_ocl_create(OCL_ON(d, NULL), &t, n, sizeof(double), permuted, &s));
            ocl_device_lock(d);
            for (unsigned k = 0; k < 3 && ok; k++)
                ok = TEST_OK(ocl_buffer_get(OCL_ON(d, NULL), bytes, &m[k]));
            cl_command_queue q = ocl_device_queue(d);
            ok = ok && TEST_CHECK(clEnqueueWriteBuffer(q, m[0], CL_TRUE, 0, bytes, x, 0, NULL, NULL) == CL_SUCCESS);
            const struct fft_ocl_call call = {.out = place ? m[0] : m[1],
                                              .in = m[0],
                                              .out_dist = n,
                                              .in_dist = n,
                                              .batch = batch,
                                              .backward = place,
                                              .scale = 0.25,
                                              .work = m[2]};
            ok = ok && TEST_OK(fft_ocl_enqueue(OCL_ON(d, NULL), t, &call)) &&
                 TEST_CHECK(clEnqueueReadBuffer(q, call.out, CL_TRUE, 0, bytes, y, 0, NULL, NULL) == CL_SUCCESS);
            for (unsigned k = 0; k < 3; k++)
                ocl_buffer_put(d, m[k]);
            ocl_device_unlock(d);
            for (size_t b = 0; b < batch && ok; b++) {
                double *spectrum = (place ? x : y) + 2 * b * n, *natural = test_alloc_zeroed(2 * n, sizeof *natural);
                in_order(t, natural, spectrum, n);
                memcpy(spectrum, natural, 2 * n * sizeof *natural);
                free(natural);
                cpu(want, x + 2 * b * n, n, GFMUL_FFT_COMPLEX, place);
                for (size_t k = 0; k < 2 * n; k++)
                    want[k] *= 0.25;
                ok = check(false, n, y + 2 * b * n, want, 2 * n, 0.25 * norm, "shape");
            }
            fft_ocl_destroy(t);
            free(x);
            free(y);
            free(want);
            if (!ok)
                return;
        }
    ocl_device_close(d);
}

/* untouched - are the numbers between transforms of a batch still those of `before`? */
static bool untouched(const void *now, const void *before, size_t n, size_t dist, size_t batch, size_t point_bytes)
{
    for (size_t b = 0; b < batch; b++)
        if (memcmp((const char *)now + (b * dist + n) * point_bytes, (const char *)before + (b * dist + n) * point_bytes,
                   (dist - n) * point_bytes) != 0)
            return TEST_CHECK(!"a gap was written");
    return true;
}

/* permuted_matches - transforms of a batch in a plan's order against those of x on the CPU; x and y at distances of their own. */
static bool permuted_matches(const struct gfmul_fft *plan, size_t n, bool is_float, size_t batch, const double *x, size_t x_dist,
                             const char *y, size_t y_dist)
{
    const size_t point = 2 * (is_float ? sizeof(float) : sizeof(double));
    char *natural = test_alloc_zeroed(n, point), *seen = test_alloc(n);
    double *want = test_alloc_zeroed(2 * n, sizeof *want);
    bool ok = true;
    for (size_t b = 0; b < batch && ok; b++) {
        double squares = 0;
        memset(seen, 0, n);
        for (size_t p = 0; p < n && ok; p++) {
            const size_t k = gfmul_fft_frequency(plan, p);
            ok = TEST_CHECK(k < n && !seen[k]++);
            if (ok)
                memcpy(natural + k * point, y + (b * y_dist + p) * point, point);
        }
        for (size_t i = 0; i < 2 * n; i++)
            squares += x[2 * b * x_dist + i] * x[2 * b * x_dist + i];
        cpu(want, x + 2 * b * x_dist, n, GFMUL_FFT_COMPLEX, false);
        ok = ok && check(is_float, n, natural, want, 2 * n, sqrt(squares), "permuted");
    }
    free(natural);
    free(seen);
    free(want);
    return ok;
}

/* permuted_check - a batch there and back, out of place and, where distances are equal, in place. */
static bool permuted_check(size_t n, bool is_float, size_t batch, size_t time_gap, size_t frequency_gap)
{
    const size_t point = 2 * (is_float ? sizeof(float) : sizeof(double)), time_dist = n + time_gap, dist = n + frequency_gap;
    const size_t longer = time_dist > dist ? time_dist : dist, bytes = batch * longer * point;
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.algorithm = "opencl";
    opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.order = GFMUL_FFT_PERMUTED;
    opt.batch = batch;
    opt.time_dist = time_gap ? time_dist : 0;
    opt.frequency_dist = frequency_gap ? dist : 0;
    opt.scale = 1;
    test_note("permuted, %s, n=%zu, batch %zu, gaps %zu and %zu", is_float ? "float" : "double", n, batch, time_gap,
              frequency_gap);
    if (!TEST_OK(gfmul_fft_create(&plan, n, &opt)))
        return false;
    char *in = test_alloc(bytes), *out = test_alloc(bytes), *fresh = test_alloc(bytes);
    double *x = test_alloc_zeroed(2 * batch * longer, sizeof *x);
    const double norm = fill(is_float, in, x, 2 * batch * longer);
    memset(fresh, 0x5a, bytes);
    memset(out, 0x5a, bytes);
    bool ok = TEST_OK(gfmul_fft_forward(plan, out, in)) && permuted_matches(plan, n, is_float, batch, x, time_dist, out, dist) &&
              untouched(out, fresh, n, dist, batch, point);
    if (ok && time_gap == frequency_gap) {
        ok = TEST_OK(gfmul_fft_forward(plan, in, in)) && permuted_matches(plan, n, is_float, batch, x, dist, in, dist) &&
             TEST_OK(gfmul_fft_backward(plan, in, in));
        ok = ok && check(is_float, n, in, x, 2 * batch * dist, 2 * norm / sqrt((double)n), "permuted, back in place");
    }
    memset(in, 0x5a, bytes);
    ok = ok && TEST_OK(gfmul_fft_backward(plan, in, out)) && untouched(in, fresh, n, time_dist, batch, point);
    for (size_t b = 0; b < batch && ok; b++)
        ok = check(is_float, n, in + b * time_dist * point, x + 2 * b * time_dist, 2 * n, 2 * norm / sqrt((double)n),
                   "permuted, back");
    TEST_CHECK(gfmul_fft_frequency(plan, 0) == 0 && (n < 8192 || n == 10007) == (gfmul_fft_frequency(plan, 1) == 1));
    gfmul_fft_destroy(plan);
    free(in);
    free(out);
    free(fresh);
    free(x);
    return ok;
}

/* The permuted order: forward, in place, back, in batches with and without gaps; real plans and the gallery's have none. */
static void test_permuted(void)
{
    static const size_t lengths[] = {60, 8192, 10007, 20160, 1 << 18};
    for (unsigned i = 0; i < test_tier(3, 5, 5); i++)
        for (unsigned is_float = 0; is_float < 2; is_float++) {
            const size_t n = lengths[i], batch = n < 100000 ? 3 : 1;
            if (!test_longest_tier() && is_float != i % 2)
                continue;
            if (!permuted_check(n, is_float, batch, 0, 0) ||
                (batch > 1 && (!permuted_check(n, is_float, batch, 5, 5) || !permuted_check(n, is_float, batch, 0, 3) ||
                               !permuted_check(n, is_float, batch, 4, 0))))
                return;
        }
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.order = GFMUL_FFT_PERMUTED;
    opt.algorithm = "stockham";
    TEST_CHECK(gfmul_fft_create(&plan, 1024, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
    opt.algorithm = "opencl";
    opt.type = GFMUL_FFT_REAL;
    TEST_CHECK(gfmul_fft_create(&plan, 1024, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
}

/* The permuted order of data on the device, with gaps of two lengths, and in place; then buffers that a plan cannot run on. */
static void test_enqueue_permuted(void)
{
    enum { N = 12288, BATCH = 2, TIME_DIST = N + 4, DIST = N + 7, ROOM = BATCH * DIST };
    const size_t bytes = ROOM * 2 * sizeof(double);
    struct ocl_device *d = ocl_test_open();
    cl_context context = ocl_device_context(d);
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(context, ocl_device_id(d), 0, &code);
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan = NULL, *same = NULL;
    gfmul_fft_options_init(&opt);
    opt.cl_context = context;
    opt.cl_queue = queue;
    opt.batch = BATCH;
    opt.scale = 1;
    opt.order = GFMUL_FFT_PERMUTED;
    opt.time_dist = opt.frequency_dist = DIST;
    test_note("enqueue, permuted");
    TEST_OK(gfmul_fft_create(&same, N, &opt));
    opt.time_dist = TIME_DIST;
    TEST_OK(gfmul_fft_create(&plan, N, &opt));
    double *x = test_alloc_zeroed(2 * ROOM, sizeof *x), *y = test_alloc_zeroed(2 * ROOM, sizeof *y);
    const double norm = fill(false, y, x, 2 * ROOM), size = 2 * norm / sqrt(N);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, x, &code);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (same != NULL && plan != NULL && TEST_CHECK(gfmul_fft_frequency(plan, 1) != 1) &&
        TEST_OK(gfmul_fft_enqueue(plan, 0, b, a)) && TEST_OK(gfmul_fft_finish(plan)) &&
        TEST_CHECK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, bytes, y, 0, NULL, NULL) == CL_SUCCESS) &&
        permuted_matches(plan, N, false, BATCH, x, TIME_DIST, (const char *)y, DIST)) {
        TEST_OK(gfmul_fft_enqueue(plan, 1, a, b)); /* what is between a's transforms stays */
        TEST_CHECK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, bytes, y, 0, NULL, NULL) == CL_SUCCESS);
        check(false, N, y, x, 2 * ROOM, size, "permuted, back");
        TEST_CHECK(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, bytes, x, 0, NULL, NULL) == CL_SUCCESS);
        TEST_OK(gfmul_fft_enqueue(same, 0, a, a));
        TEST_CHECK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, bytes, y, 0, NULL, NULL) == CL_SUCCESS);
        permuted_matches(same, N, false, BATCH, x, DIST, (const char *)y, DIST);
        TEST_OK(gfmul_fft_enqueue(same, 1, a, a));
        TEST_CHECK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, bytes, y, 0, NULL, NULL) == CL_SUCCESS);
        check(false, N, y, x, 2 * ROOM, size, "permuted, back in place");

        TEST_CHECK(gfmul_fft_enqueue(plan, 0, a, a) == GFMUL_ERR_OVERLAP);
        const size_t least = 16 * ((size_t)DIST + N), half = (least + 4095) / 4096 * 4096; /* TIME_DIST's is less */
        cl_mem small = clCreateBuffer(context, CL_MEM_READ_WRITE, least - 16, NULL, &code);
        TEST_OK(gfmul_fft_enqueue(plan, 0, b, small));
        TEST_CHECK(gfmul_fft_enqueue(plan, 0, small, a) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_fft_enqueue(plan, 1, a, small) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_fft_enqueue(same, 0, small, small) == GFMUL_ERR_ARGUMENT);
        cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * half, NULL, &code), part[3];
        for (unsigned i = 0; i < 3; i++) {
            const cl_buffer_region region = {i < 2 ? i * half : half - 4096, half};
            part[i] = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
            TEST_CHECK(code == CL_SUCCESS);
        }
        TEST_OK(gfmul_fft_enqueue(plan, 0, part[1], part[0]));
        TEST_CHECK(gfmul_fft_enqueue(plan, 0, part[2], part[0]) == GFMUL_ERR_OVERLAP);
        TEST_CHECK(gfmul_fft_enqueue(plan, 0, part[0], part[2]) == GFMUL_ERR_OVERLAP);
        TEST_CHECK(gfmul_fft_enqueue(plan, 1, whole, part[1]) == GFMUL_ERR_OVERLAP);
        TEST_OK(gfmul_fft_finish(plan));
        cl_device_id id = ocl_device_id(d);
        cl_context other = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
        cl_mem far = clCreateBuffer(other, CL_MEM_READ_WRITE, bytes, NULL, &code);
        TEST_CHECK(gfmul_fft_enqueue(plan, 0, far, a) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_fft_enqueue(plan, 0, b, far) == GFMUL_ERR_ARGUMENT);
        clReleaseMemObject(far);
        clReleaseContext(other);
        for (unsigned i = 0; i < 3; i++)
            clReleaseMemObject(part[i]);
        clReleaseMemObject(whole);
        clReleaseMemObject(small);
    }
    gfmul_fft_destroy(plan);
    gfmul_fft_destroy(same);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseCommandQueue(queue);
    ocl_device_close(d);
    free(x);
    free(y);
}

/* Data on the device, in a queue of the caller's; what cannot be done is refused. */
static void test_enqueue(void)
{
    enum { N = 2048 * 6, BATCH = 2 };
    const size_t bytes = 2 * sizeof(double) * N * BATCH;
    struct ocl_device *d = ocl_test_open();
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(ocl_device_context(d), ocl_device_id(d), 0, &code);
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan = NULL;
    gfmul_fft_options_init(&opt);
    opt.cl_context = ocl_device_context(d);
    opt.cl_queue = queue;
    opt.batch = BATCH;
    opt.scale = 1;
    double *x = test_alloc_zeroed(2 * N * BATCH, sizeof *x), *y = test_alloc_zeroed(2 * N * BATCH, sizeof *y),
           *want = test_alloc_zeroed(2 * N, sizeof *want);
    const double norm = fill(false, y, x, 2 * N * BATCH);
    cl_mem a = clCreateBuffer(ocl_device_context(d), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, x, &code);
    cl_mem b = clCreateBuffer(ocl_device_context(d), CL_MEM_READ_WRITE, bytes, NULL, &code);
    test_note("enqueue");
    if (TEST_OK(gfmul_fft_create(&plan, N, &opt)) && TEST_CHECK(gfmul_fft_queue(plan) == queue) &&
        TEST_OK(gfmul_fft_enqueue(plan, 0, b, a)) && TEST_OK(gfmul_fft_finish(plan)) &&
        TEST_CHECK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, bytes, y, 0, NULL, NULL) == CL_SUCCESS)) {
        for (size_t i = 0; i < BATCH; i++) {
            cpu(want, x + 2 * N * i, N, GFMUL_FFT_COMPLEX, false);
            check(false, N, y + 2 * N * i, want, 2 * N, norm, "enqueued");
        }
        /* in place, twice, without a wait between */
        TEST_OK(gfmul_fft_enqueue(plan, 1, b, b));
        TEST_OK(gfmul_fft_enqueue(plan, 0, b, b));
        TEST_OK(gfmul_fft_enqueue(plan, 1, b, b));
        TEST_CHECK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, bytes, y, 0, NULL, NULL) == CL_SUCCESS);
        check(false, N, y, x, 2 * N * BATCH, 2 * norm / sqrt(N), "back in place");
        TEST_CHECK(gfmul_fft_enqueue(plan, 0, NULL, a) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_fft_enqueue(NULL, 0, b, a) == GFMUL_ERR_ARGUMENT);
    }
    gfmul_fft_destroy(plan);
    opt.cl_context = NULL;
    TEST_CHECK(gfmul_fft_create(&plan, N, &opt) == GFMUL_ERR_ARGUMENT && plan == NULL);
    opt.cl_queue = NULL;
    opt.algorithm = "auto";
    if (TEST_OK(gfmul_fft_create(&plan, N, &opt))) {
        TEST_CHECK(gfmul_fft_queue(plan) == NULL && gfmul_fft_enqueue(plan, 0, b, a) == GFMUL_ERR_UNSUPPORTED);
        TEST_OK(gfmul_fft_finish(plan));
    }
    gfmul_fft_destroy(plan);
    static const char *const cpus[] = {"cpu", "0", "auto"};
    for (unsigned i = 0; i < 3; i++) {
        opt.device = cpus[i];
        if (TEST_OK(gfmul_fft_create(&plan, N, &opt)))
            TEST_CHECK(gfmul_fft_queue(plan) == NULL);
        gfmul_fft_destroy(plan);
    }
    opt.device = "gpu";
    if (TEST_OK(gfmul_fft_create(&plan, N, &opt)))
        TEST_CHECK(gfmul_fft_queue(plan) != NULL);
    gfmul_fft_destroy(plan);
    opt.device = "no such device";
    TEST_CHECK(gfmul_fft_create(&plan, N, &opt) == GFMUL_ERR_DEVICE && plan == NULL);
    opt.memory = (enum gfmul_fft_memory)3;
    TEST_CHECK(gfmul_fft_create(&plan, N, &opt) == GFMUL_ERR_ARGUMENT && plan == NULL);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseCommandQueue(queue);
    ocl_device_close(d);
    free(x);
    free(y);
    free(want);
}

/* The kinds of host memory give the same results, also where they cannot be used as they are. */
static void test_memory(void)
{
    enum { N = 512, BATCH = 3, DIST = N + 5 };
    static const char *const rows[] = {"opencl", "stockham", "fft_4"};
    for (unsigned i = 0; i < 9; i++)
        for (unsigned gap = 0; gap < 3; gap++) { /* no gaps, gaps, in place */
            const size_t dist = gap == 1 ? DIST : N;
            struct gfmul_fft_options opt;
            struct gfmul_fft *plan;
            gfmul_fft_options_init(&opt);
            opt.algorithm = rows[i / 3];
            opt.memory = (enum gfmul_fft_memory)(i % 3);
            opt.batch = BATCH;
            opt.time_dist = opt.frequency_dist = dist;
            opt.scale = 1;
            test_note("memory %u of %s, case %u", i % 3, rows[i / 3], gap);
            double *x = test_alloc_zeroed(2 * DIST * BATCH, sizeof *x), *y = test_alloc_zeroed(2 * DIST * BATCH, sizeof *y),
                   want[2 * N];
            const double norm = fill(false, y, x, 2 * DIST * BATCH);
            double *from = gap == 2 ? y : x;
            for (unsigned again = 0; again < 2; again++) {
                if (!TEST_OK(gfmul_fft_create(&plan, N, &opt)) || !TEST_OK(gfmul_fft_forward(plan, y, from)))
                    return;
                for (size_t b = 0; b < BATCH; b++) {
                    cpu(want, x + 2 * b * dist, N, GFMUL_FFT_COMPLEX, false);
                    check(false, N, y + 2 * b * dist, want, 2 * N, norm, "memory");
                }
                TEST_OK(gfmul_fft_backward(plan, y, y));
                gfmul_fft_destroy(plan);
            }
            check(false, N, y, x, 2 * N, 2 * norm / sqrt(N), "memory, back");
            free(x);
            free(y);
        }
}
#endif

/* Plans of passes: they make the length, and stay within what a device allows. */
static void test_plans(void)
{
    static const struct fft_ocl_limits limits[] = {{227 << 10, 1024}, {48 << 10, 1024}, {32 << 10, 256}, {16 << 10, 64}};
    unsigned planned = 0;
    for (unsigned l = 0; l < sizeof limits / sizeof *limits; l++)
        for (size_t n = 0, round = 0; round < 160; round++) {
            const size_t near = round < 100 ? (n = smooth_above(n + 1)) : smooth_random(4097, (size_t)1 << (l < 3 ? 31 : 24));
            for (size_t bytes = 4; bytes <= 16; bytes *= 2) {
                struct fft_ocl_shapes s;
                const bool permuted = round % 2;
                test_note("limits %u, n=%zu, %zu bytes, permuted %u", l, near, bytes, permuted);
                if (!TEST_CHECK(fft_ocl_shapes_plan(&s, near, bytes, &limits[l], permuted) && fft_ocl_shapes_points(&s) == near))
                    return;
                planned++;
                for (unsigned i = 0; i < s.n_passes; i++) {
                    const struct fft_ocl_shape *p = &s.pass[i];
                    unsigned points = 1;
                    for (unsigned k = 0; k < p->n_stages; k++)
                        points *= p->radix[k];
                    if (!TEST_CHECK(points == p->points && p->items * p->columns <= limits[l].group_items &&
                                    fft_ocl_shape_local_bytes(p, bytes, permuted ? i + 1 == s.n_passes : s.n_passes == 1) <=
                                        limits[l].local_bytes &&
                                    (s.n_passes == 1 || permuted || i > 0 || p->n_stages > 1)))
                        return;
                }
            }
        }
    TEST_CHECK(planned == 4 * 160 * 3);
    struct fft_ocl_shapes s;
    TEST_CHECK(!fft_ocl_shapes_plan(&s, 11, 8, &limits[0], false) && !fft_ocl_shapes_plan(&s, 1031 * 4, 8, &limits[0], true));
    static const char *const wrong[] = {
        "",       "16",       "16/1",    "16/1/",    "6/1/1",           "16./1/1",
        "16/0/1", "16/1/1/t", "16/1/1,", "16/1/1,x", "2.2.2.2.2.2/1/1", "2/1/1,2/1/1,2/1/1,2/1/1,2/1/1"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        TEST_CHECK_MSG(!fft_ocl_shapes_parse(&s, wrong[i]), "\"%s\" is taken for a shape", wrong[i]);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    const bool device = ocl_test_begin();
    TEST_RUN(test_plans);
    if (!device)
        return test_state.failures ? ocl_test_end() : ocl_test_skip();
#ifdef HAVE_OPENCL
    TEST_RUN(test_short);
    TEST_RUN_LONG(test_long_ones);
    TEST_RUN_LONG(test_real);
    TEST_RUN_LONG(test_shapes);
    TEST_RUN_LONG(test_permuted);
    TEST_RUN(test_enqueue);
    TEST_RUN(test_enqueue_permuted);
    TEST_RUN(test_memory);
#else
    (void)RMS_LIMIT, (void)MAX_LIMIT;
#endif
    return ocl_test_end();
}
