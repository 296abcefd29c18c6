/*
 * t-gallery_threads.c - the steps of the gallery's rows of the CPU: exponentials, threads created, barriers met, bits of powers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Rows whose roots are powers by w *= w_m agree with the published loop bit for bit, however many threads share it, because a
 * thread makes the power that it begins with by the same products.  Rows with a table do not.
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>

#include "fft/fft.h"
#include "fft_numbers.h"
#include "gallery/gallery.h"
#include "gfmul_fft.h"
#include "test.h"

enum { LOG2_N = 8, N = 1 << LOG2_N, THREADS = 4 };

/* --- what is counted ------------------------------------------------------------------------------------------------------ */

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { COUNTED = 0 }; /* a sanitizer has these functions for itself */
static _Atomic unsigned created, waits, cosines;
#else
enum { COUNTED = 1 };
static _Atomic unsigned created, waits, cosines;

/* The C library's function behind one of ours; a pointer to a function is no pointer to an object in C. */
#define NEXT(name, type) (*(type *)&(void *){dlsym(RTLD_NEXT, name)})

/* These stand before the C library's in the process. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*start)(void *), void *arg)
{
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    created++;
    return NEXT("pthread_create", create *)(thread, attributes, start, arg);
}

__attribute__((visibility("default"))) int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    typedef int wait(pthread_barrier_t *);
    waits++;
    return NEXT("pthread_barrier_wait", wait *)(barrier);
}

/* A compiler may make one call of a sine and a cosine. */
__attribute__((visibility("default"))) double cos(double angle)
{
    typedef double cosine(double);
    cosines++;
    return NEXT("cos", cosine *)(angle);
}

__attribute__((visibility("default"))) void sincos(double angle, double *s, double *c)
{
    typedef void both(double, double *, double *);
    cosines++;
    NEXT("sincos", both *)(angle, s, c);
}
#endif

static void test_counts(void)
{
    static const struct {
        const char *row;
        unsigned created, waits;
    } rows[] = {
        {"serial", 0, 0},
        {"serial_split", 0, 0},
        /* the caller is one of the threads; a barrier behind the permutation, and behind each stage but the last */
        {"pthread", THREADS - 1, LOG2_N *THREADS},
        {"pthread_starts", THREADS - 1, LOG2_N *THREADS},
        {"pthread_table", THREADS - 1, LOG2_N *THREADS},
        {"pthread_nodes", THREADS - 1, LOG2_N *THREADS},
        {"pthread_spawn", LOG2_N *THREADS, 0}, /* stages times threads */
        {"pthread_each", LOG2_N *N / 2, 0},    /* all butterflies */
    };
    static double x[2 * N], y[2 * N];
    if (!COUNTED) {
        TEST_SKIP("not under a sanitizer");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.algorithm = rows[i].row;
        opt.threads = THREADS;
        if (!TEST_OK(gfmul_fft_create(&plan, N, &opt)))
            return;
        created = waits = 0;
        TEST_OK(gfmul_fft_forward(plan, y, x));
        TEST_CHECK_MSG(created == rows[i].created && waits == rows[i].waits, "%s: %u threads, %u waits; not %u, %u", rows[i].row,
                       created, waits, rows[i].created, rows[i].waits);
        gfmul_fft_destroy(plan);
    }
}

/* An exponential for every butterfly, or none, because a table has them. */
static void test_exponentials(void)
{
    static const struct {
        const char *row;
        unsigned cosines;
    } rows[] = {{"naive", LOG2_N *N / 2}, {"naive_table", 0}};
    static double x[2 * N], y[2 * N];
    if (!COUNTED) {
        TEST_SKIP("not under a sanitizer");
        return;
    }
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.algorithm = rows[i / 2].row;
        opt.precision = i % 2 ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
        if (!TEST_OK(gfmul_fft_create(&plan, N, &opt)))
            return;
        cosines = 0;
        TEST_OK(gfmul_fft_forward(plan, y, x));
        TEST_CHECK_MSG(cosines == rows[i / 2].cosines, "%s: %u sines, not %u", rows[i / 2].row, cosines, rows[i / 2].cosines);
        gfmul_fft_destroy(plan);
    }
}

/* --- bits ---------------------------------------------------------------------------------------------------------------- */

/*
 * The published loop over an array in reversed order; `lanes` neighbouring powers go on together by w_m^lanes, 1 in `serial`.
 * x: N points, replaced by their transform.
 */
#define REFERENCE(real)                                                                           \
    static void reference_##real(real *x, unsigned lanes)                                         \
    {                                                                                             \
        for (size_t m = 2; m <= N; m *= 2) {                                                      \
            const real wr = (real)cos(3.141592653589793238 / (double)(m / 2));                    \
            const real wi = -(real)sin(3.141592653589793238 / (double)(m / 2));                   \
            const unsigned width = m / 2 >= lanes ? lanes : 1;                                    \
            real pr[9] = {1}, pi[9] = {0}; /* w_m^0 .. w_m^width */                               \
            for (unsigned l = 0; l < width; l++) {                                                \
                pr[l + 1] = pr[l] * wr - pi[l] * wi;                                              \
                pi[l + 1] = pr[l] * wi + pi[l] * wr;                                              \
            }                                                                                     \
            for (size_t k = 0; k < N; k += m)                                                     \
                for (unsigned l = 0; l < width; l++) {                                            \
                    real c = pr[l], s = pi[l];                                                    \
                    for (size_t j = l; j < m / 2; j += width) {                                   \
                        real *t = x + 2 * (k + j), *u = t + m;                                    \
                        const real re = c * u[0] - s * u[1], im = c * u[1] + s * u[0];            \
                        u[0] = t[0] - re;                                                         \
                        u[1] = t[1] - im;                                                         \
                        t[0] = t[0] + re;                                                         \
                        t[1] = t[1] + im;                                                         \
                        const real next = c * pr[width] - s * pi[width];                          \
                        s = c * pi[width] + s * pr[width];                                        \
                        c = next;                                                                 \
                    }                                                                             \
                }                                                                                 \
        }                                                                                         \
    }
REFERENCE(double)
REFERENCE(float)

static void test_bits(void)
{
    static const struct {
        const char *row;
        bool equal, avx;
    } rows[] = {{"serial", true, false},        {"serial_split", true, false},  {"pthread", true, false},
                {"pthread_spawn", true, false}, {"pthread_nodes", true, false}, {"pthread_each", true, false},
                {"serial_avx", true, true},     {"serial_table", false, false}, {"pthread_table", false, false},
                {"pthread_starts", true, false}};
    static double x[2 * N], y[2 * N], want[2 * N];
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const bool is_float = i % 2;
        const unsigned lanes = !rows[i / 2].avx ? 1 : is_float ? 8 : 4;
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.algorithm = rows[i / 2].row;
        opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
        opt.threads = 1 + (unsigned)test_below(7);
        test_note("%s, %s, threads=%u", rows[i / 2].row, is_float ? "float" : "double", opt.threads);
        const enum gfmul_status status = gfmul_fft_create(&plan, N, &opt);
        if (rows[i / 2].avx && status == GFMUL_ERR_UNSUPPORTED)
            continue; /* a processor without it */
        if (!TEST_OK(status))
            return;
        for (size_t j = 0; j < N; j++) {
            size_t r = 0;
            for (unsigned bit = 0; bit < LOG2_N; bit++)
                r = 2 * r + (j >> bit & 1);
            for (unsigned part = 0; part < 2; part++) {
                const double v = (double)test_below(2001) - 1000;
                number_put(is_float, x, 2 * j + part, v);
                number_put(is_float, want, 2 * r + part, v);
            }
        }
        if (is_float)
            reference_float((float *)want, lanes);
        else
            reference_double(want, lanes);
        TEST_OK(gfmul_fft_forward(plan, y, x));
        const bool equal = memcmp(want, y, 2 * N * (is_float ? sizeof(float) : sizeof(double))) == 0;
        TEST_CHECK_MSG(equal == rows[i / 2].equal, "%s", equal ? "the bits of powers, with a table" : "other bits");
        /* parts in arrays of their own are in memory of the plan's; all others work in place */
        const bool split = strcmp(rows[i / 2].row, "serial_split") == 0 || rows[i / 2].avx;
        TEST_CHECK((plan->work_bytes == 2 * N * plan->real_bytes) == split);
        gfmul_fft_destroy(plan);
    }
}

/* --- starts -------------------------------------------------------------------------------------------------------------- */

/* starts_are_published - equal parts of each stage's butterflies, and the powers that products lead to. */
static void starts_are_published(const struct gallery_starts *starts, bool is_float)
{
    const struct gallery_start *start = starts->of;
    for (size_t m = 2; m <= N; m *= 2) {
        const double wr = cos(3.141592653589793238 / (double)(m / 2)), wi = -sin(3.141592653589793238 / (double)(m / 2));
        size_t first = 0;
        for (unsigned t = 0; t < starts->threads; t++, start++) {
            double c = 1, s = 0;
            TEST_CHECK(start->first == first && start->first == N / 2 * t / starts->threads && start->end >= first);
            for (size_t j = 0; j < start->first % (m / 2); j++) {
                const double next = is_float ? (float)c * (float)wr - (float)s * (float)wi : c * wr - s * wi;
                s = is_float ? (float)c * (float)wi + (float)s * (float)wr : c * wi + s * wr;
                c = next;
            }
            TEST_CHECK_MSG(start->c == c && start->s == s, "m=%zu, thread %u: %g %g, not %g %g", m, t, start->c, start->s, c, s);
            first = start->end;
        }
        TEST_CHECK(first == N / 2);
    }
}

/* pthread_starts has the first powers in its plan, and goes on from them; pthread has none, and makes them in each transform. */
static void test_starts(void)
{
    static double x[2 * N], y[2 * N], other[2 * N];
    x[2 * (N - 1)] = 1;
    for (unsigned i = 0; i < 4; i++) {
        const bool is_float = i & 1, planned = i < 2;
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.algorithm = planned ? "pthread_starts" : "pthread";
        opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
        opt.threads = 2 + (unsigned)test_below(6);
        test_note("%s, %s, threads=%u", opt.algorithm, is_float ? "float" : "double", opt.threads);
        if (!TEST_OK(gfmul_fft_create(&plan, N, &opt)))
            return;
        struct gallery_starts *starts = plan->state;
        TEST_CHECK((starts != NULL) == planned && plan->roots == NULL);
        if (starts != NULL) {
            number_put(is_float, x, 2 * (N - 1), 1);
            starts_are_published(starts, is_float);
            TEST_OK(gfmul_fft_forward(plan, y, x));
            starts->of[starts->threads * LOG2_N - 1].c += 1; /* of the last thread in the last stage */
            TEST_OK(gfmul_fft_forward(plan, other, x));
            /* a limit of the environment may leave one thread, which begins each node with 1 */
            TEST_CHECK((memcmp(y, other, sizeof y) != 0) == (starts->threads > 1));
        }
        gfmul_fft_destroy(plan);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_counts);
    TEST_RUN(test_exponentials);
    TEST_RUN(test_bits);
    TEST_RUN(test_starts);
    return test_end();
}
