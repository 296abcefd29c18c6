/*
 * t-fft.c - plain Fourier transforms against sums in long double.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Errors are measured against eps log2(2 n) times the norm of the data (the mean size of X_k is sqrt(n) times that of x_j): root
 * mean square below RMS_LIMIT of it, single values below MAX_LIMIT.
 */
#include <float.h>
#include <math.h>
#include <pthread.h>

#include "base/alloc.h"
#include "fft/fft.h"
#include "test.h"

static const double RMS_LIMIT = 0.5, MAX_LIMIT = 4;

struct data {
    size_t n;
    bool is_float;
    long double *x; /* n complex */
    void *in, *out; /* with room for 2 n + 2 numbers */
};

static size_t real_bytes(const struct data *d)
{
    return d->is_float ? sizeof(float) : sizeof(double);
}

static double get(const struct data *d, const void *p, size_t i)
{
    return d->is_float ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

static void put(const struct data *d, void *p, size_t i, double x)
{
    if (d->is_float)
        ((float *)p)[i] = (float)x;
    else
        ((double *)p)[i] = x;
}

static void data_create(struct data *d, size_t n, bool is_float, bool real)
{
    d->n = n;
    d->is_float = is_float;
    d->x = test_alloc_zeroed(2 * n, sizeof *d->x);
    d->in = test_alloc_zeroed(2 * n + 2, sizeof(double));
    d->out = test_alloc_zeroed(2 * n + 2, sizeof(double));
    for (size_t i = 0; i < 2 * n; i++) {
        if (real && i % 2)
            continue;
        float x = (float)(int64_t)(test_u64() >> 40) / (1 << 23) - 1; /* exact in both precisions */
        d->x[i] = x;
        put(d, d->in, real ? i / 2 : i, x);
    }
}

static void data_destroy(struct data *d)
{
    free(d->x);
    free(d->in);
    free(d->out);
}

/* Roots e(-e / n) as products of two, of tables of about the root of n; a rounding more of long double. */
struct roots {
    size_t low_count;
    long double *low, *high;
};

static void root(size_t num, size_t n, long double w[2]) /* e(-num / n) */
{
    const long double two_pi = 6.283185307179586476925286766559005768L;
    size_t e = num % n;
    long double angle = e > n / 2 ? -(two_pi * (long double)(n - e) / (long double)n) : two_pi * (long double)e / (long double)n;
    w[0] = cosl(angle);
    w[1] = -sinl(angle);
}

static void roots_create(struct roots *r, size_t n)
{
    r->low_count = (size_t)sqrt((double)n) + 1;
    const size_t high_count = n / r->low_count + 1;
    r->low = test_alloc(2 * (r->low_count + high_count) * sizeof *r->low);
    r->high = r->low + 2 * r->low_count;
    for (size_t i = 0; i < r->low_count; i++)
        root(i, n, r->low + 2 * i);
    for (size_t i = 0; i < high_count; i++)
        root(i * r->low_count, n, r->high + 2 * i);
}

/* One coefficient of the definition.  e = j k mod n goes on as a high and a low part. */
static void coefficient(const struct data *d, size_t k, bool backward, const struct roots *r, long double sum[2])
{
    const size_t n = d->n, count = r->low_count, step_high = k / count, step_low = k % count;
    const size_t n_high = n / count, n_low = n % count;
    sum[0] = sum[1] = 0;
    for (size_t j = 0, high = 0, low = 0; j < n; j++) {
        const long double *a = r->high + 2 * high, *b = r->low + 2 * low;
        const long double c = a[0] * b[0] - a[1] * b[1], t = a[0] * b[1] + a[1] * b[0], s = backward ? -t : t;
        sum[0] += d->x[2 * j] * c - d->x[2 * j + 1] * s;
        sum[1] += d->x[2 * j] * s + d->x[2 * j + 1] * c;
        low += step_low;
        high += step_high;
        if (low >= count) {
            low -= count;
            high++;
        }
        if (high > n_high || (high == n_high && low >= n_low)) {
            high -= n_high;
            if (low < n_low) {
                low += count;
                high--;
            }
            low -= n_low;
        }
    }
}

static double norm(const struct data *d)
{
    long double sum = 0;
    for (size_t i = 0; i < 2 * d->n; i++)
        sum += d->x[i] * d->x[i];
    return (double)sqrtl(sum);
}

static double unit(const struct data *d) /* of the errors */
{
    return (d->is_float ? FLT_EPSILON : DBL_EPSILON) * log2(2 * (double)d->n) * norm(d);
}

/* check_spectrum - compare y with the definition at all coefficients, or at `samples` of them; count of them exist. */
static bool check_spectrum(const struct data *d, const void *y, size_t count, bool backward, size_t samples, double scale)
{
    struct roots roots;
    long double sum[2];
    double squares = 0, worst = 0;
    size_t done = samples < count ? samples : count;
    roots_create(&roots, d->n);
    for (size_t i = 0; i < done; i++) {
        size_t k = done == count ? i : (size_t)test_below(count);
        coefficient(d, k, backward, &roots, sum);
        double er = fabs((double)(get(d, y, 2 * k) / scale - sum[0])), ei = fabs((double)(get(d, y, 2 * k + 1) / scale - sum[1]));
        double e = sqrt(er * er + ei * ei) / unit(d);
        squares += e * e;
        worst = e > worst || isnan(e) ? e : worst;
    }
    free(roots.low);
    double limit = done >= 64 ? RMS_LIMIT : MAX_LIMIT;
    return TEST_CHECK_MSG(sqrt(squares / (double)done) <= limit && worst <= MAX_LIMIT, "n = %zu: error rms %.3g, max %.3g units",
                          d->n, sqrt(squares / (double)done), worst);
}

/* check_back - y is the data times factor. */
static bool check_back(const struct data *d, const void *y, bool real, double factor)
{
    double squares = 0;
    for (size_t i = 0; i < 2 * d->n; i++) {
        if (real && i % 2)
            continue;
        double e = get(d, y, real ? i / 2 : i) / factor - (double)d->x[i];
        squares += e * e;
    }
    double e = sqrt(squares) / unit(d);
    return TEST_CHECK_MSG(e <= 2 * RMS_LIMIT + (d->n < 16), "n = %zu: round trip off by %.3g units", d->n, e);
}

static struct gfmul_fft *plan_create(const struct data *d, enum gfmul_fft_type type, const char *algorithm, int scale)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.type = type;
    opt.precision = d->is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.algorithm = algorithm;
    opt.scale = scale;
    return TEST_OK(gfmul_fft_create(&plan, d->n, &opt)) ? plan : NULL;
}

/* check_length - forward, backward, both ways, in place, against the definition. */
static bool check_length(size_t n, bool is_float, enum gfmul_fft_type type, const char *algorithm, size_t samples)
{
    bool real = type == GFMUL_FFT_REAL, ok = false;
    struct data d;
    test_note("n=%zu %s %s %s", n, is_float ? "float" : "double", real ? "real" : "complex", algorithm);
    data_create(&d, n, is_float, real);
    struct gfmul_fft *plan = plan_create(&d, type, algorithm, 1);
    if (plan != NULL) {
        size_t numbers = real ? 2 * (n / 2 + 1) : 2 * n;
        void *place = test_alloc((2 * n + 2) * sizeof(double));
        ok = TEST_OK(gfmul_fft_forward(plan, d.out, d.in)) && check_spectrum(&d, d.out, real ? n / 2 + 1 : n, false, samples, 1);
        if (ok) { /* in place: the same numbers */
            memcpy(place, d.in, 2 * n * real_bytes(&d));
            ok =
                TEST_OK(gfmul_fft_forward(plan, place, place)) && TEST_CHECK(memcmp(place, d.out, numbers * real_bytes(&d)) == 0);
        }
        if (ok) {
            memset(d.in, 0, 2 * n * real_bytes(&d));
            ok = TEST_OK(gfmul_fft_backward(plan, d.in, d.out)) && check_back(&d, d.in, real, 1);
        }
        if (ok) {
            ok = TEST_OK(gfmul_fft_backward(plan, place, place)) &&
                 TEST_CHECK(memcmp(place, d.in, (real ? n : 2 * n) * real_bytes(&d)) == 0);
        }
        if (ok && !real) {
            for (size_t i = 0; i < 2 * n; i++)
                put(&d, d.in, i, (double)d.x[i]);
            ok = TEST_OK(gfmul_fft_backward(plan, d.out, d.in)) && check_spectrum(&d, d.out, n, true, samples, 1 / (double)n);
        }
        free(place);
    }
    gfmul_fft_destroy(plan);
    data_destroy(&d);
    return ok;
}

static void test_short_lengths(void) /* all coefficients */
{
    for (size_t n = 1; n <= 130; n++)
        for (unsigned what = 0; what < 4; what++)
            if (!check_length(n, what & 1, what & 2 ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX, "auto", n))
                return;
}

static void test_every_length(void) /* some coefficients */
{
    size_t last = test_longest_tier() ? 4096 : 1100;
    for (size_t n = 131; n <= last; n++)
        for (unsigned what = 0; what < 4; what++)
            if (test_longest_tier() || what == n % 4)
                if (!check_length(n, what & 1, what & 2 ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX, "auto", 6))
                    return;
}

static void test_long_lengths(void)
{
    static const size_t lengths[] = {2048,  4096,  5040,  6561,  8192,  10007, 12005,  15625,  16384,  16807,  19683, 32768,
                                     40960, 45000, 65536, 65537, 72030, 98304, 117649, 131072, 177147, 262144, 390625};
    static const size_t longer[] = {4194304, 524288, 823543, 999983, 1048576, 1594323, 2097152, 8388608, 9999991, 10000000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned what = 0; what < 4; what++)
            if ((lengths[i] <= 65536 || what == i % 4) &&
                !check_length(lengths[i], what & 1, what & 2 ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX, "auto", 6))
                return;
    for (size_t i = 0; i < (test_longest_tier() ? sizeof longer / sizeof *longer : 1); i++)
        for (unsigned what = 0; what < 4; what++)
            if ((i == 0 ? what == 0 || what == 3 : test_longest_tier() || what == i % 4) &&
                !check_length(longer[i], what & 1, what & 2 ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX, "auto", 4))
                return;
}

/* All instruction sets and methods of this build, against the definition. */
static void test_isas(void)
{
    static const size_t lengths[] = {16,   60,   64,   96,   128,  256,  257,  512,  729,  1009, 1024,
                                     1680, 2017, 2048, 2187, 2400, 4096, 5000, 7203, 8192, 9216, 16384};
    for (size_t v = 0; fft_isa_list(v) != NULL; v++)
        for (size_t i = test_tier(v % 2, 0, 0); i < sizeof lengths / sizeof *lengths; i += test_tier(2, 1, 1))
            for (unsigned what = 0; what < 2 * FFT_N_METHODS; what++) {
                const struct fft_isa *isa = fft_isa_list(v);
                const struct fft_ops *ops = what % 2 ? isa->of_float : isa->of_double;
                enum fft_method method = (enum fft_method)(what / 2);
                struct data d;
                struct fft_complex *t;
                test_note("%s n=%zu %s method %u", isa->name, lengths[i], what % 2 ? "float" : "double", what / 2);
                data_create(&d, lengths[i], what % 2, false);
                enum gfmul_status status = fft_complex_create_method(&t, lengths[i], ops->real_bytes, ops, method);
                /* some without two divisors of 16 or more; primes are for Bluestein and Rader, others not for Rader */
                bool narrow = lengths[i] < 256 || lengths[i] == 5000 || lengths[i] == 729;
                bool prime = lengths[i] == 257 || lengths[i] == 1009 || lengths[i] == 2017;
                if (prime ? method < FFT_BLUESTEIN : method == FFT_RADER || (method == FFT_FOUR_STEPS && narrow && status != 0)) {
                    TEST_CHECK(status == GFMUL_ERR_UNSUPPORTED);
                    data_destroy(&d);
                    continue;
                }
                if (TEST_OK(status)) {
                    void *work = alloc_aligned(t->work_bytes + 2 * t->thread_bytes);
                    if (work == NULL)
                        exit(1);
                    for (unsigned threads = 1; threads <= 2; threads++) {
                        ops->complex_run(t, d.out, d.in, false, 1, work, threads);
                        check_spectrum(&d, d.out, d.n, false, 70, 1);
                    }
                    ops->complex_run(t, d.out, d.in, true, 2, work, 1);
                    check_spectrum(&d, d.out, d.n, true, 70, 2);
                    alloc_free(work);
                }
                fft_complex_destroy(t);
                data_destroy(&d);
            }
}

/* in_order - y, in a plan's order, to natural order; false where gfmul_fft_frequency is no permutation, or moves 0. */
static bool in_order(const struct data *d, void *natural, const void *y, size_t (*frequency)(const void *, size_t),
                     const void *plan)
{
    const size_t n = d->n, bytes = 2 * real_bytes(d);
    unsigned char *seen = test_alloc_zeroed(n, 1);
    bool ok = frequency(plan, 0) == 0;
    for (size_t place = 0; place < n && ok; place++) {
        const size_t k = frequency(plan, place);
        ok = k < n && !seen[k];
        if (ok) {
            seen[k] = 1;
            memcpy((char *)natural + k * bytes, (const char *)y + place * bytes, bytes);
        }
    }
    free(seen);
    return TEST_CHECK(ok);
}

static size_t frequency_double(const void *t, size_t place)
{
    return fft_complex_frequency(t, sizeof(double), place);
}

static size_t frequency_float(const void *t, size_t place)
{
    return fft_complex_frequency(t, sizeof(float), place);
}

/* The permuted order, of all instruction sets: there, in place, by two threads, and back. */
static void test_permuted(void)
{
    static const size_t lengths[] = {1,    64,   256,  1024,  1031,  1040, 2048,  2304,  3136,   4096,
                                     4608, 5184, 7200, 16384, 17280, 9216, 32768, 61440, 100000, 131072};
    unsigned permuted = 0;
    for (size_t v = 0; fft_isa_list(v) != NULL; v++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (unsigned is_float = 0; is_float < 2; is_float++) {
                const struct fft_isa *isa = fft_isa_list(v);
                const struct fft_ops *ops = is_float ? isa->of_float : isa->of_double;
                const size_t n = lengths[i];
                struct data d;
                struct fft_complex *t = NULL;
                test_note("%s n=%zu %s permuted", isa->name, n, is_float ? "float" : "double");
                data_create(&d, n, is_float, false);
                void *place = test_alloc_zeroed(2 * n, sizeof(double)), *work = NULL;
                if (TEST_OK(fft_complex_create_permuted(&t, n, ops->real_bytes, ops)) &&
                    TEST_CHECK((work = alloc_aligned(t->work_bytes + 2 * t->thread_bytes)) != NULL)) {
                    permuted += t->permuted;
                    ops->complex_run(t, d.out, d.in, false, 1, work, 1);
                    in_order(&d, place, d.out, is_float ? frequency_float : frequency_double, t);
                    check_spectrum(&d, place, n, false, 70, 1);
                    memcpy(place, d.in, 2 * n * real_bytes(&d));
                    ops->complex_run(t, place, place, false, 1, work, 2);
                    TEST_CHECK(memcmp(place, d.out, 2 * n * real_bytes(&d)) == 0);
                    ops->complex_run(t, place, place, true, 0.5, work, 2);
                    check_back(&d, place, false, 0.5 * (double)n);
                    ops->complex_run(t, d.in, d.out, true, 0.5, work, 1);
                    TEST_CHECK(memcmp(place, d.in, 2 * n * real_bytes(&d)) == 0);
                }
                alloc_free(work);
                free(place);
                fft_complex_destroy(t);
                data_destroy(&d);
            }
    TEST_CHECK(permuted > 0);
}

static size_t frequency_public(const void *plan, size_t place)
{
    return gfmul_fft_frequency(plan, place);
}

/* order_check - plans of users in the permuted order: batches whose transforms lie time_gap and gap points apart. */
static bool order_check(bool is_float, size_t time_gap, size_t gap)
{
    enum { N = 9216, BATCH = 3 };
    const size_t point = 2 * (is_float ? sizeof(float) : sizeof(double)), step = (N + time_gap) * point, to = (N + gap) * point;
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    struct data d[BATCH];
    gfmul_fft_options_init(&opt);
    opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    opt.order = GFMUL_FFT_PERMUTED;
    opt.batch = BATCH;
    opt.scale = 1;
    opt.time_dist = time_gap ? N + time_gap : 0;
    opt.frequency_dist = gap ? N + gap : 0;
    test_note("permuted order, %s, gaps %zu and %zu", is_float ? "float" : "double", time_gap, gap);
    if (!TEST_OK(gfmul_fft_create(&plan, N, &opt)))
        return false;
    char *x = test_alloc_zeroed(BATCH, step), *y = test_alloc_zeroed(BATCH, to), *back = test_alloc_zeroed(BATCH, step);
    for (unsigned b = 0; b < BATCH; b++) {
        data_create(&d[b], N, is_float, false);
        memcpy(x + b * step, d[b].in, N * point);
    }
    bool ok = TEST_OK(gfmul_fft_forward(plan, y, x));
    TEST_CHECK(gfmul_fft_frequency(plan, N) == N && gfmul_fft_frequency(plan, 1) == 1);
    TEST_CHECK(gfmul_fft_frequency(plan, 16) != 16 && gfmul_fft_frequency(NULL, 16) == 16);
    for (unsigned b = 0; b < BATCH && ok; b++)
        ok = in_order(&d[b], d[b].out, y + b * to, frequency_public, plan) && check_spectrum(&d[b], d[b].out, N, false, 70, 1);
    ok = ok && TEST_OK(gfmul_fft_backward(plan, back, y));
    for (unsigned b = 0; b < BATCH && ok; b++) {
        ok = check_back(&d[b], back + b * step, false, 1);
        for (size_t i = N * point; i < step || i < to; i++)
            ok = ok && TEST_CHECK((i >= step || back[b * step + i] == 0) && (i >= to || y[b * to + i] == 0));
    }
    if (ok && time_gap != gap) {
        ok = TEST_CHECK(gfmul_fft_forward(plan, x, x) == GFMUL_ERR_OVERLAP); /* they would lie elsewhere behind it */
    } else if (ok) {                                                         /* in place: the same numbers */
        ok = TEST_OK(gfmul_fft_forward(plan, x, x)) && TEST_CHECK(memcmp(x, y, BATCH * to) == 0) &&
             TEST_OK(gfmul_fft_backward(plan, x, x)) && TEST_CHECK(memcmp(x, back, BATCH * step) == 0);
    }
    for (unsigned b = 0; b < BATCH; b++)
        data_destroy(&d[b]);
    free(x);
    free(y);
    free(back);
    gfmul_fft_destroy(plan);
    return ok;
}

/* The same by the plans of users, in batches, and what has no such order. */
static void test_order(void)
{
    for (unsigned i = 0; i < 8; i++)
        if (!order_check(i % 2, i & 2 ? 5 : 0, i & 4 ? (i & 2 ? 5 : 3) : 0))
            return;
    static const char *const rows[] = {"naive", "serial", "pthread", "fourstep", "bluestein"};
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.order = GFMUL_FFT_PERMUTED;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        opt.algorithm = rows[i];
        TEST_CHECK(gfmul_fft_create(&plan, 1024, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
    }
    opt.algorithm = NULL;
    opt.type = GFMUL_FFT_REAL;
    TEST_CHECK(gfmul_fft_create(&plan, 1024, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
    opt.type = GFMUL_FFT_COMPLEX;
    opt.precision = GFMUL_PRECISION_DD;
    TEST_CHECK(gfmul_fft_create(&plan, 1024, &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
    opt.order = (enum gfmul_fft_order)2;
    TEST_CHECK(gfmul_fft_create(&plan, 1024, &opt) == GFMUL_ERR_ARGUMENT && plan == NULL);
}

/* Real transforms of each instruction set: what is behind the packed complex one, with one table and with two. */
static void test_real_parts(void)
{
    static const size_t lengths[] = {2, 4, 6, 16, 30, 62, 64, 66, 128, 254, 1000, 4096, 32768, 40000};
    for (size_t v = 0; fft_isa_list(v) != NULL; v++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (unsigned is_float = 0; is_float < 2; is_float++) {
                const struct fft_isa *isa = fft_isa_list(v);
                const struct fft_ops *ops = is_float ? isa->of_float : isa->of_double;
                const size_t n = lengths[i], h = n / 2;
                struct data d;
                struct fft_complex *t;
                void *roots = NULL, *work = NULL;
                test_note("%s n=%zu %s real", isa->name, n, is_float ? "float" : "double");
                data_create(&d, n, is_float, true);
                if (TEST_OK(fft_complex_create(&t, h, ops->real_bytes, ops)) &&
                    TEST_OK(fft_real_roots(&roots, n, ops->real_bytes)) &&
                    TEST_CHECK((work = alloc_aligned(t->work_bytes + t->thread_bytes)) != NULL)) {
                    ops->complex_run(t, d.out, d.in, false, 1, work, 1);
                    ops->real_split(h, roots, d.out);
                    check_spectrum(&d, d.out, h + 1, false, 70, 1);
                    memset(d.in, 0, n * real_bytes(&d));
                    ops->real_join(h, roots, d.in, d.out);
                    ops->complex_run(t, d.in, d.in, true, 1, work, 1);
                    check_back(&d, d.in, true, (double)n);
                }
                alloc_free(roots);
                alloc_free(work);
                fft_complex_destroy(t);
                data_destroy(&d);
            }
}

/* Rader's and Bluestein's algorithms by name; auto takes the cheaper one, which is Rader's where it can be. */
static void test_primes(void)
{
    static const size_t primes[] = {3, 5, 7, 11, 13, 17, 31, 101, 127, 257, 1009, 2017, 10009, 40961, 65537};
    static const size_t others[] = {1, 2, 4, 9, 23, 64, 1031, 1010};
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        for (unsigned is_float = 0; is_float < 2; is_float++) {
            struct gfmul_fft *plan;
            bool fits = fft_is_smooth(primes[i] - 1);
            if (fits && !check_length(primes[i], is_float, GFMUL_FFT_COMPLEX, "rader", 8))
                return;
            if (!check_length(primes[i], is_float, GFMUL_FFT_COMPLEX, "bluestein", 8))
                return;
            if (TEST_OK(gfmul_fft_create(&plan, primes[i], NULL)) && primes[i] > 7)
                TEST_CHECK(plan->complex->method == (fits ? FFT_RADER : FFT_BLUESTEIN));
            gfmul_fft_destroy(plan);
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.algorithm = "rader";
        TEST_CHECK(gfmul_fft_create(&plan, others[i], &opt) == GFMUL_ERR_UNSUPPORTED && plan == NULL);
    }
}

/* Batches with gaps, by one thread and by two, equal single transforms; the gaps stay as they were. */
static void test_batches(void)
{
    static const size_t lengths[] = {1, 5, 64, 1000, 1031, 4096};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned what = 0; what < 4; what++) {
            bool real = what & 1;
            size_t n = lengths[i], batch = 1 + (size_t)test_below(20), gap = what & 2 ? 3 : 0;
            size_t count = real ? n / 2 + 1 : n, width = real ? 1 : 2, time_dist = n + gap, dist = count + gap;
            double *x = test_alloc_zeroed(batch * time_dist * width, sizeof *x);
            double *y = test_alloc_zeroed(batch * dist * 2, sizeof *y), *one = test_alloc_zeroed(2 * n + 2, sizeof *one);
            double *z = test_alloc_zeroed(batch * time_dist * width, sizeof *z);
            struct gfmul_fft_options opt;
            struct gfmul_fft *single, *plan;
            gfmul_fft_options_init(&opt);
            opt.type = real ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX;
            opt.threads = 1;
            test_note("n=%zu batch=%zu gap=%zu %s", n, batch, gap, real ? "real" : "complex");
            for (size_t j = 0; j < batch * time_dist * width; j++)
                x[j] = (double)test_below(1000) - 500;
            for (size_t j = 0; j < batch * dist * 2; j++)
                y[j] = 77;
            if (!TEST_OK(gfmul_fft_create(&single, n, &opt)))
                return;
            opt.batch = batch;
            opt.threads = 2;
            opt.time_dist = gap ? time_dist : 0;
            opt.frequency_dist = gap ? dist : 0;
            if (!TEST_OK(gfmul_fft_create(&plan, n, &opt)) || !TEST_OK(gfmul_fft_forward(plan, y, x)))
                return;
            for (size_t b = 0; b < batch; b++) {
                TEST_OK(gfmul_fft_forward(single, one, x + b * time_dist * width));
                TEST_CHECK(memcmp(one, y + 2 * b * dist, 2 * count * sizeof *one) == 0);
                for (size_t j = 2 * count; b + 1 < batch && j < 2 * dist; j++)
                    TEST_CHECK(y[2 * b * dist + j] == 77);
            }
            TEST_OK(gfmul_fft_backward(plan, z, y));
            for (size_t b = 0; b < batch; b++) {
                TEST_OK(gfmul_fft_backward(single, one, y + 2 * b * dist));
                TEST_CHECK(memcmp(one, z + b * time_dist * width, n * width * sizeof *one) == 0);
            }
            if (!real) { /* in place, equal distances */
                TEST_OK(gfmul_fft_forward(plan, x, x));
                for (size_t b = 0; b < batch; b++)
                    TEST_CHECK(memcmp(x + 2 * b * dist, y + 2 * b * dist, 2 * n * sizeof *x) == 0);
            }
            gfmul_fft_destroy(single);
            gfmul_fft_destroy(plan);
            free(x);
            free(y);
            free(z);
            free(one);
        }
}

/* One plan in several threads at once. */
struct caller {
    const struct gfmul_fft *plan;
    const double *in, *want;
    size_t n;
    unsigned long wrong;
    pthread_t thread;
};

static void *caller_run(void *arg)
{
    struct caller *c = arg;
    double *out = malloc(2 * c->n * sizeof *out);
    for (unsigned i = 0; i < 50 && out != NULL; i++) {
        memset(out, 0, 2 * c->n * sizeof *out);
        if (gfmul_fft_forward(c->plan, out, c->in) != GFMUL_OK || memcmp(out, c->want, 2 * c->n * sizeof *out) != 0)
            c->wrong++;
    }
    c->wrong += out == NULL;
    free(out);
    return NULL;
}

static void test_reentrant(void)
{
    static const size_t lengths[] = {256, 1009, 65536};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct data d;
        struct caller callers[4];
        data_create(&d, lengths[i], false, false);
        struct gfmul_fft *plan = plan_create(&d, GFMUL_FFT_COMPLEX, "auto", 0);
        if (plan == NULL || !TEST_OK(gfmul_fft_forward(plan, d.out, d.in)))
            return;
        for (unsigned j = 0; j < 4; j++) {
            callers[j] = (struct caller){.plan = plan, .in = d.in, .want = d.out, .n = d.n};
            if (pthread_create(&callers[j].thread, NULL, caller_run, &callers[j]) != 0)
                exit(1);
        }
        for (unsigned j = 0; j < 4; j++) {
            pthread_join(callers[j].thread, NULL);
            TEST_CHECK_MSG(callers[j].wrong == 0, "n = %zu: %lu calls differ", d.n, callers[j].wrong);
        }
        gfmul_fft_destroy(plan);
        data_destroy(&d);
    }
}

static enum gfmul_status try_create(size_t n, void (*change)(struct gfmul_fft_options *))
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan = (struct gfmul_fft *)&opt;
    gfmul_fft_options_init(&opt);
    change != NULL ? change(&opt) : (void)0;
    enum gfmul_status status = gfmul_fft_create(&plan, n, &opt);
    TEST_CHECK((plan == NULL) == (status != GFMUL_OK));
    gfmul_fft_destroy(plan);
    return status;
}

static void no_batch(struct gfmul_fft_options *opt)
{
    opt->batch = 0;
}
static void huge_batch(struct gfmul_fft_options *opt)
{
    opt->batch = SIZE_MAX / 16;
}
static void dd(struct gfmul_fft_options *opt)
{
    opt->precision = GFMUL_PRECISION_DD;
}
static void bad_name(struct gfmul_fft_options *opt)
{
    opt->algorithm = "no such algorithm";
}
static void close_batch(struct gfmul_fft_options *opt)
{
    opt->batch = 2;
    opt->time_dist = 63;
}
static void bad_type(struct gfmul_fft_options *opt)
{
    opt->type = (enum gfmul_fft_type)7;
}

static void test_errors(void)
{
    TEST_CHECK(try_create(0, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(try_create(SIZE_MAX, NULL) == GFMUL_ERR_SIZE);
    TEST_CHECK(try_create((size_t)1 << 43, NULL) == GFMUL_ERR_SIZE); /* at once, without tables */
    TEST_CHECK(try_create(64, no_batch) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(try_create(64, huge_batch) == GFMUL_ERR_SIZE);
    TEST_CHECK(try_create(22, dd) == GFMUL_OK); /* 11 is no factor there: Bluestein's algorithm */
    TEST_CHECK(try_create(64, bad_name) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(try_create(64, close_batch) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(try_create(64, bad_type) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_fft_create(NULL, 64, NULL) == GFMUL_ERR_ARGUMENT);
    gfmul_fft_destroy(NULL);
    struct gfmul_fft *plan;
    double x[2 * 64 + 4] = {0}, y[2 * 64 + 2];
    if (!TEST_OK(gfmul_fft_create(&plan, 64, NULL)))
        return;
    TEST_CHECK(gfmul_fft_forward(NULL, y, x) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_fft_forward(plan, NULL, x) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_fft_backward(plan, y, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_fft_forward(plan, y, (const char *)x + 4) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_fft_forward(plan, x + 2, x) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_fft_forward(plan, x, x + 2) == GFMUL_ERR_OVERLAP);
    TEST_OK(gfmul_fft_forward(plan, x, x));
    gfmul_fft_destroy(plan);
    /* every allocation of a plan and of a call may fail */
    for (long i = 0; i < 12; i++) {
        static const size_t lengths[] = {64, 1031, 65536};
        for (size_t j = 0; j < 3; j++) {
            double *big = test_alloc_zeroed(4 * lengths[j], sizeof *big);
            alloc_fail_after(i);
            enum gfmul_status status = gfmul_fft_create(&plan, lengths[j], NULL);
            if (status == GFMUL_OK)
                status = gfmul_fft_forward(plan, big, big + 2 * lengths[j]);
            alloc_fail_after(-1);
            TEST_CHECK(status == GFMUL_OK || status == GFMUL_ERR_MEMORY);
            TEST_CHECK(i > 0 || status == GFMUL_ERR_MEMORY);
            gfmul_fft_destroy(plan);
            free(big);
        }
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_short_lengths);
    TEST_RUN(test_every_length);
    TEST_RUN(test_long_lengths);
    TEST_RUN(test_isas);
    TEST_RUN(test_permuted);
    TEST_RUN(test_order);
    TEST_RUN(test_real_parts);
    TEST_RUN(test_primes);
    TEST_RUN(test_batches);
    TEST_RUN(test_reentrant);
    TEST_RUN(test_errors);
    return test_end();
}
