/*
 * t-gallery.c - every algorithm of the gallery against a transform in long double.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Errors in the Euclidean norm and single ones are measured in eps log2(2 n) times the mean size of a result: at most RMS_LIMIT
 * and MAX_LIMIT of them, float and double, forwards, backwards, there and back.  For rows that are convolutions of up to four
 * times the length, in eps log2(8 n).
 */
#include <float.h>
#include <math.h>

#include "fft_numbers.h"
#include "gfmul_fft.h"
#include "ocl_test.h"

static const double RMS_LIMIT = 0.5, MAX_LIMIT = 4;
static bool have_device;

/* x = its transform, recursively by radix 2; roots: e(-j / total) */
static void reference(long double *x, long double *scratch, size_t n, const long double *roots, size_t step)
{
    if (n == 1)
        return;
    for (size_t j = 0; j < n / 2; j++)
        for (unsigned p = 0; p < 2; p++) {
            scratch[2 * j + p] = x[4 * j + p];
            scratch[n + 2 * j + p] = x[4 * j + 2 + p];
        }
    reference(scratch, x, n / 2, roots, 2 * step);
    reference(scratch + n, x, n / 2, roots, 2 * step);
    for (size_t k = 0; k < n / 2; k++) {
        long double c = roots[2 * k * step], s = roots[2 * k * step + 1], *o = scratch + n + 2 * k;
        long double re = o[0] * c - o[1] * s, im = o[0] * s + o[1] * c;
        x[2 * k] = scratch[2 * k] + re;
        x[2 * k + 1] = scratch[2 * k + 1] + im;
        x[n + 2 * k] = scratch[2 * k] - re;
        x[n + 2 * k + 1] = scratch[2 * k + 1] - im;
    }
}

/* One length: data that are exact in both precisions, and their transform, for all rows. */
struct data {
    size_t n;
    long double *x, *spectrum;
    double norm;
    void *in, *out, *same; /* with room for double */
};

static void data_create(struct data *d, size_t n)
{
    long double *scratch = test_alloc_zeroed(2 * n, sizeof *scratch), *roots = test_alloc_zeroed(2 * n, sizeof *roots),
                squares = 0;
    *d = (struct data){.n = n, .x = test_alloc_zeroed(2 * n, sizeof *d->x), .spectrum = test_alloc_zeroed(2 * n, sizeof *d->x)};
    for (size_t j = 0; j < n; j++) {
        long double angle = 6.283185307179586476925286766559005768L * (long double)j / (long double)n;
        roots[2 * j] = cosl(angle);
        roots[2 * j + 1] = -sinl(angle);
    }
    for (size_t i = 0; i < 2 * n; i++) {
        d->x[i] = d->spectrum[i] = (long double)(int64_t)(test_u64() >> 40) / (1 << 23) - 1;
        squares += d->x[i] * d->x[i];
    }
    reference(d->spectrum, scratch, n, roots, 1);
    free(scratch);
    free(roots);
    d->norm = (double)sqrtl(squares);
    d->in = test_alloc_zeroed(2 * n, sizeof(double));
    d->out = test_alloc_zeroed(2 * n, sizeof(double));
    d->same = test_alloc_zeroed(2 * n, sizeof(double));
}

static void data_destroy(struct data *d)
{
    free(d->x);
    free(d->spectrum);
    free(d->in);
    free(d->out);
    free(d->same);
}

/* got[i] / factor against want[i], in units; mean is the size of one result */
static bool is_convolution; /* the row that is checked */
static double allowance;    /* of its limits: powers by w *= w_m lose accuracy by length, halved angles by level */

static bool check(bool is_float, size_t n, const void *got, double factor, const long double *want, bool reversed, double mean,
                  const char *what)
{
    double squares = 0, worst = 0, eps = is_float ? FLT_EPSILON : DBL_EPSILON;
    const double unit = eps * log2((is_convolution ? 8 : 2) * (double)n) * mean;
    for (size_t k = 0; k < n; k++) {
        const long double *w = want + 2 * (reversed ? (n - k) % n : k);
        const double re = (double)(number_get(is_float, got, 2 * k) / factor - w[0]) / unit;
        const double im = (double)(number_get(is_float, got, 2 * k + 1) / factor - w[1]) / unit;
        const double square = re * re + im * im;
        squares += square;
        worst = test_worse(worst, square);
    }
    const double rms = sqrt(squares / (double)n);
    return TEST_CHECK_MSG(rms <= RMS_LIMIT * allowance && sqrt(worst) <= MAX_LIMIT * allowance,
                          "%s: error rms %.3g, max %.3g units", what, rms, sqrt(worst));
}

/* device_lacks - a device without double precision has floats alone. */
static bool device_lacks(bool is_float)
{
    struct gfmul_device_info info;
    return !is_float && gfmul_device_find(&info, "gpu", NULL, 0) == GFMUL_OK && !info.fp64;
}

/* cpu_lacks - a row that needs an instruction set which this processor has not. */
static bool cpu_lacks(const struct gfmul_fft_algorithm *row)
{
#if defined __x86_64__ || defined __i386__
    return strcmp(row->name, "serial_avx") == 0 && !__builtin_cpu_supports("avx");
#else
    return strcmp(row->name, "serial_avx") == 0;
#endif
}

/* is_beyond - a length above those that a row names. */
static bool is_beyond(const struct gfmul_fft_algorithm *row, size_t n)
{
    const char *to = strstr(row->lengths, "to 2^");
    return to != NULL && n > (size_t)1 << atoi(to + 5);
}

static bool is_radix2(const struct gfmul_fft_algorithm *row)
{
    return strncmp(row->lengths, "2^k", 3) == 0;
}

/*
 * may_refuse - whether a row may answer so: without a device, for what it does not name as its own, or where one group's memory
 * is too small.  With a device, GFMUL_ERR_DEVICE is no excuse: a kernel that is not built returns it too.
 */
static bool may_refuse(const struct gfmul_fft_algorithm *row, size_t n, bool is_float, enum gfmul_status status)
{
    const bool device = strcmp(row->device, "cpu") != 0;
    if (status == GFMUL_ERR_DEVICE)
        return device && !have_device;
    if (cpu_lacks(row) || is_beyond(row, n) || (n > 256 && strstr(row->lengths, "local memory") != NULL))
        return true;
    if (n < 4 && strstr(row->lengths, "from 4") != NULL)
        return true;
    if (strstr(row->precisions, is_float ? "float" : "double") == NULL || (device && device_lacks(is_float)))
        return true;
    return strcmp(row->lengths, "any") != 0 && !is_radix2(row) &&
           (strcmp(row->lengths, "2^a 3^b 5^c 7^d, 8 to 2^28") != 0 || n < 8);
}

static bool check_row(const struct gfmul_fft_algorithm *row, const struct data *d, bool is_float, unsigned threads)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    const size_t n = d->n, bytes = 2 * n * (is_float ? sizeof(float) : sizeof(double));
    gfmul_fft_options_init(&opt);
    opt.algorithm = row->name;
    opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.threads = threads;
    opt.scale = 1;
    is_convolution = strcmp(row->name, "bluestein") == 0 || strcmp(row->name, "rader") == 0;
    allowance = strstr(row->summary, "w *= w_m") != NULL ? 1 + (double)n / 64 : strcmp(row->name, "register_s2") == 0 ? 4 : 1;
    test_note("%s, %s, n=%zu, threads=%u", row->name, is_float ? "float" : "double", n, threads);
    enum gfmul_status status = gfmul_fft_create(&plan, n, &opt);
    if (status == GFMUL_ERR_DEVICE || status == GFMUL_ERR_UNSUPPORTED)
        return TEST_CHECK_MSG(may_refuse(row, n, is_float, status), "%s", gfmul_strerror(status));
    if (!TEST_OK(status))
        return false;
    for (size_t i = 0; i < 2 * n; i++)
        number_put(is_float, d->in, i, (double)d->x[i]);
    memcpy(d->same, d->in, bytes);
    bool ok = TEST_OK(gfmul_fft_forward(plan, d->out, d->in)) &&
              check(is_float, n, d->out, 1, d->spectrum, false, d->norm, "forward") &&
              TEST_CHECK(memcmp(d->in, d->same, bytes) == 0) && TEST_OK(gfmul_fft_forward(plan, d->same, d->same)) &&
              check(is_float, n, d->same, 1, d->spectrum, false, d->norm, "forward in place");
    if (ok) { /* back, in place */
        ok = TEST_OK(gfmul_fft_backward(plan, d->same, d->same)) &&
             check(is_float, n, d->same, 1, d->x, false, d->norm / sqrt((double)n) * 2, "there and back");
    }
    if (ok) { /* backward of the data: the spectrum in the other order, divided by n */
        ok = TEST_OK(gfmul_fft_backward(plan, d->out, d->in)) &&
             check(is_float, n, d->out, 1 / (double)n, d->spectrum, true, d->norm, "backward");
    }
    gfmul_fft_destroy(plan);
    return ok;
}

/* Every row; to 2^22 points in the longest tier, of which processes can share the rows (test_part). */
static void test_rows(void)
{
    const struct gfmul_fft_algorithm *row;
    for (unsigned k = test_longest_tier() ? 23 : 17; k-- > 0;) { /* the longest first */
        const double start = test_seconds();
        struct data d;
        data_create(&d, (size_t)1 << k);
        for (size_t i = 0; (row = gfmul_fft_algorithm(i)) != NULL; i++) {
            /*
             * Fewer sizes on devices.  Rows for 2^k points have a program for each precision, the others for each length, too.
             * The short tier has doubles alone: of every other row with one program 2^11 points, of the rest and the others 2^6.
             */
            const bool device = strcmp(row->device, "cpu") != 0, one_program = is_radix2(row);
            if (device && test_level() == 1 && (k > 13 || (k > 3 && k != 7 && k != 11 && k != 13)))
                continue;
            for (unsigned what = 0; what < 2; what++)
                if (!device && strcmp(row->name, "pthread_each") == 0 && k > (test_level() == 0 ? 8 : 12))
                    continue; /* a thread for every butterfly */
                else if (device && test_level() == 0 && (what || !(one_program && i % 2 == 1 ? k == 11 : k == 6 && i % 2 == 0)))
                    continue;
                else if (test_part((unsigned)(2 * i + what)) && !check_row(row, &d, what, 1 + (unsigned)test_below(4)))
                    return;
        }
        data_destroy(&d);
        if (test_longest_tier()) {
            printf("2^%u: %.1f s\n", k, test_seconds() - start);
            fflush(stdout);
        }
    }
    TEST_CHECK(strcmp(gfmul_fft_algorithm(0)->name, "auto") == 0);
}

/* A batch with gaps is as good as single transforms, of every row, and the gaps stay as they were. */
static void test_batches(void)
{
    enum { N = 64, BATCH = 5, DIST = N + 3 };
    const struct gfmul_fft_algorithm *row;
    for (size_t i = 0; (row = gfmul_fft_algorithm(i)) != NULL; i++)
        for (unsigned gap = 0; gap < 2; gap++) {
            if (strcmp(row->device, "cpu") != 0 && i % 2 == 1 && test_level() == 0) /* these compile for each length */
                continue;
            struct gfmul_fft_options opt;
            struct gfmul_fft *plan, *single;
            double x[2 * DIST * BATCH], y[2 * DIST * BATCH], one[2 * N];
            const size_t dist = gap ? DIST : N;
            gfmul_fft_options_init(&opt);
            opt.algorithm = row->name;
            opt.scale = 1;
            opt.threads = 2;
            if (gfmul_fft_create(&single, N, &opt) != GFMUL_OK)
                continue; /* other tests say whether that is right */
            opt.batch = BATCH;
            opt.time_dist = opt.frequency_dist = gap ? DIST : 0;
            test_note("%s, batch, gap %u", row->name, gap);
            for (size_t k = 0; k < 2 * DIST * BATCH; k++) {
                x[k] = (double)test_below(2001) - 1000;
                y[k] = 77;
            }
            if (TEST_OK(gfmul_fft_create(&plan, N, &opt)) && TEST_OK(gfmul_fft_forward(plan, y, x)))
                for (size_t b = 0; b < BATCH; b++) {
                    double worst = 0;
                    TEST_OK(gfmul_fft_forward(single, one, x + 2 * b * dist));
                    for (size_t k = 0; k < 2 * N; k++)
                        worst = test_worse(worst, fabs(one[k] - y[2 * b * dist + k]));
                    TEST_CHECK_MSG(worst < 1e-9, "transform %zu differs by %g", b, worst);
                    for (size_t k = 2 * N; gap && k < 2 * DIST && b + 1 < BATCH; k++)
                        TEST_CHECK(y[2 * b * dist + k] == 77);
                }
            if (TEST_OK(gfmul_fft_backward(plan, y, y)))
                for (size_t b = 0; b < BATCH; b++)
                    for (size_t k = 0; k < 2 * N; k++)
                        if (!TEST_CHECK(fabs(y[2 * b * dist + k] - x[2 * b * dist + k]) < 1e-9))
                            return;
            gfmul_fft_destroy(plan);
            gfmul_fft_destroy(single);
        }
}

static const struct gfmul_fft_algorithm *row_named(const char *name)
{
    const struct gfmul_fft_algorithm *row;
    size_t i = 0;
    while ((row = gfmul_fft_algorithm(i)) != NULL && strcmp(row->name, name) != 0)
        i++;
    TEST_CHECK_MSG(row != NULL, "no row %s", name);
    return row;
}

/* The threads of `pthread` and its variants, more than there are processors, and more than points. */
static void test_threads(void)
{
    static const char *const names[] = {"pthread", "pthread_starts", "pthread_table", "pthread_spawn", "pthread_nodes"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const struct gfmul_fft_algorithm *row = row_named(names[i]);
        for (unsigned threads = 1; row != NULL && threads <= 16; threads += 1 + (i > 0 && threads > 3))
            for (unsigned k = 0; k <= 12; k += 3) {
                struct data d;
                data_create(&d, (size_t)1 << k);
                const bool ok = check_row(row, &d, k % 2, threads);
                data_destroy(&d);
                if (!ok)
                    return;
            }
    }
}

/* twiddles_check - a row reads its roots from each kind of memory; only a device without images may refuse one. */
static void twiddles_check(const char *name)
{
    enum { N = 512 };
    static double x[2 * N], y[2 * N], first[2 * N];
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    struct data d;
    gfmul_fft_options_init(&opt);
    opt.algorithm = name;
    for (size_t i = 0; i < 2 * N; i++)
        x[i] = (double)test_below(2001) - 1000;
    for (int where = GFMUL_FFT_TWIDDLES_GLOBAL; where > GFMUL_FFT_TWIDDLES_AUTO; where--) {
        opt.twiddles = (enum gfmul_fft_twiddles)where;
        test_note("%s, twiddles %d", name, where);
        const enum gfmul_status status = gfmul_fft_create(&plan, N, &opt);
        if (where == GFMUL_FFT_TWIDDLES_IMAGE && status == GFMUL_ERR_UNSUPPORTED)
            continue; /* no images */
        if (!TEST_OK(status) || !TEST_OK(gfmul_fft_forward(plan, y, x)))
            return;
        if (where == GFMUL_FFT_TWIDDLES_GLOBAL)
            memcpy(first, y, sizeof y);
        TEST_CHECK(memcmp(first, y, sizeof y) == 0); /* test_rows says that it is right */
        gfmul_fft_destroy(plan);
    }
    /* fast sines: of floats alone, and less accurate than a table's */
    opt.twiddles = GFMUL_FFT_TWIDDLES_NATIVE;
    TEST_CHECK(gfmul_fft_create(&plan, N, &opt) == GFMUL_ERR_UNSUPPORTED);
    opt.precision = GFMUL_PRECISION_FLOAT;
    data_create(&d, N);
    for (size_t i = 0; i < 2 * N; i++)
        number_put(true, d.in, i, (double)d.x[i]);
    is_convolution = false;
    allowance = 16;
    if (TEST_OK(gfmul_fft_create(&plan, N, &opt)) && TEST_OK(gfmul_fft_forward(plan, d.out, d.in)))
        check(true, N, d.out, 1, d.spectrum, false, d.norm, "fast sines");
    gfmul_fft_destroy(plan);
    opt.twiddles = GFMUL_FFT_TWIDDLES_GLOBAL;
    if (TEST_OK(gfmul_fft_create(&plan, N, &opt)) && TEST_OK(gfmul_fft_forward(plan, d.same, d.in)))
        TEST_CHECK_MSG(memcmp(d.same, d.out, 2 * N * sizeof(float)) != 0, "%s: native is the table", name);
    gfmul_fft_destroy(plan);
    data_destroy(&d);
    opt.twiddles = (enum gfmul_fft_twiddles)(GFMUL_FFT_TWIDDLES_NATIVE + 1);
    TEST_CHECK(gfmul_fft_create(&plan, N, &opt) == GFMUL_ERR_ARGUMENT);
}

/* No other rows take this option. */
static void test_twiddles(void)
{
    enum { N = 512 };
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.twiddles = GFMUL_FFT_TWIDDLES_GLOBAL;
    opt.algorithm = "serial";
    TEST_CHECK(gfmul_fft_create(&plan, N, &opt) == GFMUL_ERR_UNSUPPORTED);
    if (!have_device || device_lacks(false)) {
        TEST_SKIP("no device");
        return;
    }
    opt.algorithm = "stockham";
    TEST_CHECK(gfmul_fft_create(&plan, N, &opt) == GFMUL_ERR_UNSUPPORTED);
    twiddles_check("local");
    twiddles_check("local_groups");
}

/* Groups that are launched once, twice and three times, with levels shared evenly or not, in batches. */
static void test_launches(void)
{
    static const char *const names[] = {"local_groups", "register_s2", "register_s2_angles", "register_sp"};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 1; k <= 17; k += k == 6 ? 5 : k < 6 ? 1 : 2) {
            const struct gfmul_fft_algorithm *row = row_named(names[i]);
            struct data d;
            data_create(&d, (size_t)1 << k);
            const bool ok = check_row(row, &d, k % 2, 1);
            data_destroy(&d);
            if (!ok)
                return;
        }
}

/*
 * How often the rows of a device launch, for 2^k points: each fault comes to the last launch, or to the one behind it.  The rows
 * and the lengths are those of test_rows, whose programs are there.
 */
static void test_counts(void)
{
    if (!have_device || device_lacks(false)) {
        TEST_SKIP("no device");
        return;
    }
#ifdef HAVE_OPENCL
    static const struct {
        const char *row;
        unsigned once, by_stage;
    } rows[] = {{"fft_1", 0, 1},
                {"fft_2", 0, 1},
                {"fft_3", 1, 1},
                {"fft_3_table", 1, 1},
                {"compact_fft_3", 1, 0},
                {"compact_fft_3_coalesced", 1, 0},
                {"fft_4", 0, 2}, /* the reversal, the stages, and a permutation between any two of these */
                {"fft_4_coalesced", 1, 2},
                {"stockham", 0, 1},
                {"local", 2, 0}}; /* the reversal first */
    static double x[1 << 12], y[1 << 12];
    size_t i = 0;
    const struct gfmul_fft_algorithm *row;
    for (; (row = gfmul_fft_algorithm(i)) != NULL; i++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            struct gfmul_fft_options opt;
            struct gfmul_fft *plan;
            const unsigned k = i % 2 == 1 && strstr(row->lengths, "local memory") == NULL ? 11 : 6;
            const unsigned launches = rows[r].once + rows[r].by_stage * k;
            if (strcmp(row->name, rows[r].row) != 0)
                continue;
            gfmul_fft_options_init(&opt);
            opt.algorithm = row->name;
            test_note("%s, 2^%u points", row->name, k);
            if (!TEST_OK(gfmul_fft_create(&plan, (size_t)1 << k, &opt)) || !TEST_OK(gfmul_fft_forward(plan, y, x)))
                return;
            ocl_fault_set(OCL_FAULT_LAUNCH, launches, 1, -5);
            TEST_CHECK_MSG(gfmul_fft_forward(plan, y, x) == GFMUL_OK, "more than %u launches", launches);
            ocl_fault_set(OCL_FAULT_LAUNCH, launches - 1, 1, -5);
            TEST_CHECK_MSG(gfmul_fft_forward(plan, y, x) != GFMUL_OK, "fewer than %u launches", launches);
            ocl_fault_clear();
            gfmul_fft_destroy(plan);
        }
#endif
}

/* tone_check - a tone as large as it may be: all of it comes to place k, and nothing overflows on the way there. */
static void tone_check(const struct gfmul_fft *plan, size_t n, size_t k, bool is_float, bool backward)
{
    const double most = ldexp(1, is_float ? 90 : 900), limit = 16 * (is_float ? FLT_EPSILON : DBL_EPSILON) * most;
    void *x = test_alloc(2 * n * sizeof(double)), *y = test_alloc(2 * n * sizeof(double));
    double worst = 0;
    for (size_t j = 0; j < n; j++) {
        const double angle = 6.283185307179586477 * (double)(j * k % n) / (double)n;
        number_put(is_float, x, 2 * j, cos(angle) * most / (double)n);
        number_put(is_float, x, 2 * j + 1, (backward ? -1 : 1) * sin(angle) * most / (double)n);
    }
    test_note("n=%zu, %s %s, tone %zu", n, is_float ? "float" : "double", backward ? "backward" : "forward", k);
    if (TEST_OK(backward ? gfmul_fft_backward(plan, y, x) : gfmul_fft_forward(plan, y, x))) {
        for (size_t j = 0; j < 2 * n; j++) {
            const double e = fabs(number_get(is_float, y, j) - (j == 2 * k ? most : 0));
            worst = e > worst || isnan(e) ? e : worst;
        }
        TEST_CHECK_MSG(worst <= limit, "off by %.3g of %.3g", worst, most);
    }
    free(x);
    free(y);
}

static void test_large(void)
{
    static const size_t lengths[] = {512, 1031, 16384, 17280, 65536};
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i / 2];
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.precision = i % 2 ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
        if (!TEST_OK(gfmul_fft_create(&plan, n, &opt)))
            return;
        for (size_t part = 1; part <= 128; part *= 2) {
            tone_check(plan, n, n / part % n, i % 2, false);
            tone_check(plan, n, n / part % n, i % 2, true);
        }
        gfmul_fft_destroy(plan);
    }
}

/* What a row cannot do is refused. */
static void test_limits(void)
{
    const struct gfmul_fft_algorithm *row;
    for (size_t i = 0; (row = gfmul_fft_algorithm(i)) != NULL; i++) {
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.algorithm = row->name;
        test_note("%s", row->name);
        for (size_t j = 0; j < i; j++)
            TEST_CHECK(strcmp(gfmul_fft_algorithm(j)->name, row->name) != 0);
        const char *to = strstr(row->lengths, "to 2^"); /* the last one */
        if (to != NULL)
            TEST_CHECK(gfmul_fft_create(&plan, (size_t)2 << atoi(to + 5), &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
        if (strcmp(row->lengths, "any") != 0) {
            TEST_CHECK(gfmul_fft_create(&plan, 1031, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
            TEST_CHECK(gfmul_fft_create(&plan, 11 * 64, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
        }
        if (strstr(row->types, "real") == NULL) {
            opt.type = GFMUL_FFT_REAL;
            TEST_CHECK(gfmul_fft_create(&plan, 1024, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
            opt.type = GFMUL_FFT_COMPLEX;
        }
        if (strstr(row->precisions, "float") == NULL) {
            opt.precision = GFMUL_PRECISION_FLOAT;
            TEST_CHECK(gfmul_fft_create(&plan, 1024, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
        }
    }
}

/* A device without double precision refuses doubles, of every row, and does floats: some rows, in the longest tier all. */
static void test_no_fp64(void)
{
    static const char *const some[] = {"opencl", "stockham", "radix4"};
    const struct gfmul_fft_algorithm *row;
    struct data d;
    if (!have_device) {
        TEST_SKIP("no device");
        return;
    }
    ocl_pretend(OCL_PRETEND_NO_FP64, true);
    data_create(&d, 64);
    for (size_t i = 0; (row = gfmul_fft_algorithm(i)) != NULL; i++) {
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.algorithm = row->name;
        const bool device = strcmp(row->device, "cpu") != 0;
        bool chosen = test_longest_tier();
        for (unsigned k = 0; k < sizeof some / sizeof *some; k++)
            chosen = chosen || strcmp(row->name, some[k]) == 0;
        const enum gfmul_status status = gfmul_fft_create(&plan, d.n, &opt);
        test_note("%s, double, without double precision", row->name);
        TEST_CHECK(device ? status == GFMUL_ERR_UNSUPPORTED : status == GFMUL_OK || strcmp(row->name, "rader") == 0 ||
                   cpu_lacks(row));
        gfmul_fft_destroy(plan);
        if (device && (!check_row(row, &d, false, 1) || (chosen && !check_row(row, &d, true, 1))))
            break;
    }
    data_destroy(&d);
    ocl_pretend(OCL_PRETEND_NO_FP64, false);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    have_device = ocl_test_begin();
    ocl_test_keep();
    TEST_RUN(test_rows);
    TEST_RUN(test_counts);
    TEST_RUN(test_batches);
    TEST_RUN(test_threads);
    TEST_RUN_LONG(test_twiddles);
    TEST_RUN_LONG(test_launches);
    TEST_RUN(test_large);
    TEST_RUN(test_limits);
    TEST_RUN_LONG(test_no_fp64);
    return ocl_test_end();
}
