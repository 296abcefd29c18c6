/*
 * t-fft_enqueue.c - plain transforms of data that are on the device: every row of devices, real and complex, batches with and
 * without gaps, in place, and what is refused.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Results are compared with the transforms of the CPU, one by one, in double precision: errors in eps log2(8 n) times the norm of
 * what a transform reads.  Numbers between transforms are to stay as they were, and so is what is read.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>

#include "contexts.h"
#include "fft_numbers.h"
#include "gfmul_fft.h"
#include "ocl_test.h"

/* Algorithms of the CPU have nothing to put into a queue: no buffer is looked at. */
static void test_cpu(void)
{
    const struct gfmul_fft_algorithm *row;
    char a[8], b[8];
    unsigned met = 0;
    for (size_t i = 0; (row = gfmul_fft_algorithm(i)) != NULL; i++) {
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        if (strcmp(row->device, "cpu") != 0)
            continue;
        gfmul_fft_options_init(&opt);
        opt.algorithm = row->name;
        test_note("%s", row->name);
        if (gfmul_fft_create(&plan, strcmp(row->name, "rader") == 0 ? 7 : 8, &opt) != GFMUL_OK)
            continue; /* t-gallery says whether that is right */
        met++;
        TEST_CHECK(gfmul_fft_queue(plan) == NULL);
        TEST_CHECK(gfmul_fft_enqueue(plan, 0, b, a) == GFMUL_ERR_UNSUPPORTED);
        TEST_CHECK(gfmul_fft_enqueue(plan, 1, a, a) == GFMUL_ERR_UNSUPPORTED);
        TEST_OK(gfmul_fft_finish(plan));
        gfmul_fft_destroy(plan);
    }
    TEST_CHECK(met >= 4);
    TEST_CHECK(gfmul_fft_enqueue(NULL, 0, b, a) == GFMUL_ERR_ARGUMENT && gfmul_fft_finish(NULL) == GFMUL_ERR_ARGUMENT);
}

#ifdef HAVE_OPENCL
static const double LIMIT = 4;
static struct ocl_device *device;
static cl_command_queue queue;

/* A plan, and the numbers of its two sides: of one transform, from one to the next, of a batch. */
struct layout {
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan, *cpu; /* the batch, and one of its transforms */
    size_t n, batch, numbers[2], dist[2], all[2];
    bool is_float;
};

/* layout_create - numbers[0] are the time's; false where there is no plan, which is a failure. */
static bool layout_create(struct layout *l, const char *algorithm, size_t n, enum gfmul_fft_type type, bool is_float,
                          size_t batch, size_t time_dist, size_t frequency_dist)
{
    static unsigned layouts; /* every second one is scaled */
    const size_t points = type == GFMUL_FFT_REAL ? n / 2 + 1 : n, width = type == GFMUL_FFT_REAL ? 1 : 2;
    memset(l, 0, sizeof *l);
    gfmul_fft_options_init(&l->opt);
    l->opt.type = type;
    l->opt.scale = layouts++ % 2;
    if (!TEST_OK(gfmul_fft_create(&l->cpu, n, &l->opt)))
        return false;
    l->opt.algorithm = algorithm;
    l->opt.precision = is_float ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE;
    l->opt.batch = batch;
    l->opt.time_dist = time_dist;
    l->opt.frequency_dist = frequency_dist;
    l->opt.cl_context = ocl_device_context(device);
    l->opt.cl_queue = queue;
    l->n = n;
    l->batch = batch;
    l->is_float = is_float;
    l->numbers[0] = n * width;
    l->numbers[1] = points * 2;
    l->dist[0] = (time_dist ? time_dist : n) * width;
    l->dist[1] = (frequency_dist ? frequency_dist : points) * 2;
    for (unsigned side = 0; side < 2; side++)
        l->all[side] = (batch - 1) * l->dist[side] + l->numbers[side];
    test_note("%s, %s, %s, n=%zu, batch %zu, distances %zu and %zu, scale %d", algorithm,
              type == GFMUL_FFT_REAL ? "real" : "complex", is_float ? "float" : "double", n, batch, time_dist, frequency_dist,
              l->opt.scale);
    return TEST_OK(gfmul_fft_create(&l->plan, n, &l->opt)) && TEST_CHECK(gfmul_fft_queue(l->plan) == queue);
}

static void layout_destroy(struct layout *l)
{
    gfmul_fft_destroy(l->plan);
    gfmul_fft_destroy(l->cpu);
}

static size_t bytes_of(const struct layout *l, size_t numbers)
{
    return numbers * (l->is_float ? sizeof(float) : sizeof(double));
}

static cl_mem buffer(size_t bytes, void *data)
{
    cl_int code;
    cl_mem m =
        clCreateBuffer(ocl_device_context(device), CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), bytes, data, &code);
    if (!TEST_CHECK(code == CL_SUCCESS))
        exit(1);
    return m;
}

/* random_numbers - numbers that are exact in both precisions, as such and as double. */
static void random_numbers(bool is_float, void *p, double *same, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        same[i] = (double)(int64_t)(test_u64() >> 40) / (1 << 23) - 1;
        number_put(is_float, p, i, same[i]);
    }
}

/* expected - results at their places in want; what one of a batch may be wrong by. */
static void expected(const struct layout *l, double *want, double *limit, const double *x, bool backward)
{
    const unsigned from = backward, to = !backward;
    for (size_t b = 0; b < l->batch; b++) {
        const double *in = x + b * l->dist[from];
        double squares = 0;
        for (size_t i = 0; i < l->numbers[from]; i++)
            squares += in[i] * in[i];
        if (backward && l->opt.scale)
            squares /= (double)l->n * (double)l->n;
        if (!TEST_OK(backward ? gfmul_fft_backward(l->cpu, want + b * l->dist[to], in)
                              : gfmul_fft_forward(l->cpu, want + b * l->dist[to], in)))
            exit(1);
        limit[b] = LIMIT * (l->is_float ? FLT_EPSILON : DBL_EPSILON) * log2(8 * (double)l->n) * sqrt(2 * squares);
    }
}

/* compare - the numbers got with those expected; those between transforms are the same, of backward real ones in place from
   where a spectrum ends on. */
static bool compare(const struct layout *l, const void *got, const double *want, const double *limit, bool backward, bool place)
{
    const unsigned to = !backward;
    const size_t used = place && l->numbers[1] > l->numbers[to] ? l->numbers[1] : l->numbers[to];
    for (size_t i = 0; i < l->all[to]; i++) {
        const size_t b = i / l->dist[to] < l->batch ? i / l->dist[to] : l->batch - 1, at = i - b * l->dist[to];
        const double is = number_get(l->is_float, got, i), error = fabs(is - want[i]);
        const bool result = at < l->numbers[to], right = result ? error <= limit[b] : at < used || error == 0;
        if (!right)
            return TEST_CHECK_MSG(false, "%s%s: number %zu of transform %zu is %.17g, should be %.17g%s",
                                  backward ? "backward" : "forward", place ? " in place" : "", at, b, is, want[i],
                                  result ? "" : ", as it was");
    }
    return TEST_CHECK(true);
}

/* check - one call on buffers that are no longer than they have to be, with random numbers everywhere. */
static bool check(const struct layout *l, bool backward, bool place)
{
    const unsigned from = backward, to = !backward;
    const size_t most = l->all[0] > l->all[1] ? l->all[0] : l->all[1], room = most + l->dist[0] + l->dist[1];
    const size_t in_numbers = place ? most : l->all[from], out_numbers = place ? most : l->all[to];
    double *x = test_alloc_zeroed(room, sizeof *x), *want = test_alloc_zeroed(room, sizeof *want),
           *limit = test_alloc_zeroed(l->batch, sizeof *limit);
    void *in = test_alloc_zeroed(room, sizeof(double)), *out = test_alloc_zeroed(room, sizeof(double));
    random_numbers(l->is_float, in, x, in_numbers);
    if (place)
        memcpy(want, x, in_numbers * sizeof *want);
    else
        random_numbers(l->is_float, out, want, out_numbers);
    cl_mem a = buffer(bytes_of(l, in_numbers), in), b = place ? a : buffer(bytes_of(l, out_numbers), out);
    expected(l, want, limit, x, backward);
    bool ok = TEST_OK(gfmul_fft_enqueue(l->plan, backward ? 3 : 0, b, a)) && TEST_OK(gfmul_fft_finish(l->plan));
    ok = ok &&
         TEST_CHECK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, bytes_of(l, out_numbers), out, 0, NULL, NULL) == CL_SUCCESS) &&
         compare(l, out, want, limit, backward, place);
    if (ok && !place)
        ok = TEST_CHECK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, bytes_of(l, in_numbers), out, 0, NULL, NULL) == CL_SUCCESS &&
                        memcmp(out, in, bytes_of(l, in_numbers)) == 0);
    clReleaseMemObject(a);
    if (!place)
        clReleaseMemObject(b);
    free(x);
    free(want);
    free(limit);
    free(in);
    free(out);
    return ok;
}

/* refused - both directions of a call end with this status. */
static bool refused(const struct layout *l, bool place, enum gfmul_status should)
{
    const size_t most = l->all[0] > l->all[1] ? l->all[0] : l->all[1];
    cl_mem time = buffer(bytes_of(l, most), NULL), frequency = place ? time : buffer(bytes_of(l, most), NULL);
    const enum gfmul_status status[2] = {gfmul_fft_enqueue(l->plan, 0, frequency, time),
                                         gfmul_fft_enqueue(l->plan, 1, time, frequency)};
    clReleaseMemObject(time);
    if (!place)
        clReleaseMemObject(frequency);
    return TEST_CHECK_MSG(status[0] == should && status[1] == should, "in place %d: status %d and %d, should be %d", place,
                          (int)status[0], (int)status[1], (int)should);
}

/* too_small - a buffer that lacks one number, on either side. */
static bool too_small(const struct layout *l)
{
    bool ok = true;
    for (unsigned side = l->all[0] == 1; side < 2 && ok; side++) {
        cl_mem m[2] = {buffer(bytes_of(l, l->all[0] - (side == 0)), NULL), buffer(bytes_of(l, l->all[1] - (side == 1)), NULL)};
        const enum gfmul_status forward = gfmul_fft_enqueue(l->plan, 0, m[1], m[0]),
                                backward = gfmul_fft_enqueue(l->plan, 1, m[0], m[1]);
        ok = TEST_CHECK_MSG(forward == GFMUL_ERR_ARGUMENT && backward == GFMUL_ERR_ARGUMENT,
                            "the %s's buffer is too small: status %d and %d", side ? "frequency" : "time", (int)forward,
                            (int)backward);
        clReleaseMemObject(m[0]);
        clReleaseMemObject(m[1]);
    }
    return ok;
}

/*
 * check_row - batches of the lengths' own distances, with gaps of two lengths, and in place; single ones.
 *   gaps  in   whether the row can do them, and calls in place; else they must be refused
 */
static bool check_row(const char *algorithm, size_t n, enum gfmul_fft_type type, bool is_float, bool gaps)
{
    enum { N_LAYOUTS = 4 };
    const bool real = type == GFMUL_FFT_REAL;
    const size_t points = real ? n / 2 + 1 : n, same = points + 2, odd = (n + 3) | 1;
    /* the time's distance is odd wherever it may be; then the same places on both sides */
    const size_t dist[N_LAYOUTS][2] = {
        {0, 0}, {real && n % 2 == 0 ? n + 4 : odd, points + 1}, {real ? 2 * same : same, same}, {odd, points + 2}};
    bool ok = true;
    for (unsigned i = 0; i < N_LAYOUTS && ok; i++) {
        struct layout l;
        const size_t batch = i < 3 ? 3 : 1; /* of a single one distances do not matter */
        const bool gap = batch > 1 && i > 0;
        ok = layout_create(&l, algorithm, n, type, is_float, batch, dist[i][0], dist[i][1]);
        const bool fits = ok && (batch == 1 || l.dist[0] == l.dist[1]);
        if (ok && !gaps && gap)
            ok = refused(&l, false, GFMUL_ERR_UNSUPPORTED);
        else
            ok = ok && check(&l, false, false) && check(&l, true, false) && too_small(&l);
        if (ok && !fits)
            ok = refused(&l, true, GFMUL_ERR_OVERLAP);
        else if (ok && !gaps)
            ok = refused(&l, true, GFMUL_ERR_UNSUPPORTED);
        else
            ok = ok && check(&l, false, true) && check(&l, true, true);
        layout_destroy(&l);
    }
    return ok;
}

/* Algorithm "opencl": one pass and two, Bluestein's algorithm, real ones of even and odd length by each of them. */
static void test_opencl(void)
{
    static const struct {
        size_t n;
        enum gfmul_fft_type type;
        bool is_float;
    } cases[] = {{1, GFMUL_FFT_COMPLEX, false}, {60, GFMUL_FFT_COMPLEX, true},    {22, GFMUL_FFT_COMPLEX, false},
                 {16384, GFMUL_FFT_REAL, true}, {64, GFMUL_FFT_REAL, false},      {105, GFMUL_FFT_REAL, false},
                 {33, GFMUL_FFT_REAL, true},    {8192, GFMUL_FFT_COMPLEX, false}, {1, GFMUL_FFT_REAL, false},
                 {2, GFMUL_FFT_REAL, false},    {22, GFMUL_FFT_REAL, false}};
    enum { LONG = 7 }; /* from here on in the longest tier, which has all in both precisions */
    for (unsigned i = 0; i < (test_longest_tier() ? sizeof cases / sizeof *cases : LONG); i++)
        for (unsigned is_float = 0; is_float < 2; is_float++)
            if ((test_longest_tier() || cases[i].is_float == is_float) &&
                !check_row("opencl", cases[i].n, cases[i].type, is_float, true))
                return;
}

/* Those of lengths 2^k: without gaps, and not in place.  A single point is a copy. */
static void test_gallery(void)
{
    const struct gfmul_fft_algorithm *row;
    unsigned met = 0;
    for (size_t i = 0; (row = gfmul_fft_algorithm(i)) != NULL; i++)
        if (strcmp(row->device, "opencl") == 0 && strncmp(row->lengths, "2^k", 3) == 0)
            for (unsigned is_float = 0; is_float < 2; is_float++) {
                if (!test_longest_tier() && is_float != i % 2)
                    continue;
                if (!check_row(row->name, 64, GFMUL_FFT_COMPLEX, is_float, false) ||
                    !check_row(row->name, 1, GFMUL_FFT_COMPLEX, is_float, false))
                    return;
                met++;
            }
    TEST_CHECK(met >= 10);
}

/* Those that are generated for their length. */
static void test_generated(void)
{
    const struct gfmul_fft_algorithm *row;
    unsigned met = 0;
    for (size_t i = 0; (row = gfmul_fft_algorithm(i)) != NULL; i++)
        if (strcmp(row->device, "opencl") == 0 && strstr(row->lengths, "8 to 2^28") != NULL)
            for (unsigned what = 0; what < 4; what++) { /* complex, real; double, float */
                if (!test_longest_tier() && (what != i % 4 || i % 3 == 0))
                    continue; /* one and the other: they differ in their codelets alone */
                if (!check_row(row->name, what % 2 ? 64 : 48, what % 2 ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX, what / 2, true))
                    return;
                met++;
            }
    TEST_CHECK(met >= 4);
}

/* Pairs of numbers that begin in the middle of a point: refused where more than one transform is read so. */
static void test_odd_distance(void)
{
    for (unsigned is_float = 0; is_float < 2; is_float++) {
        struct layout l;
        if (layout_create(&l, "opencl", 64, GFMUL_FFT_REAL, is_float, 2, 67, 35))
            refused(&l, false, GFMUL_ERR_UNSUPPORTED);
        layout_destroy(&l);
        if (layout_create(&l, "opencl", 22, GFMUL_FFT_REAL, is_float, 2, 23, 0)) /* Bluestein's algorithm too */
            refused(&l, false, GFMUL_ERR_UNSUPPORTED);
        layout_destroy(&l);
    }
}

/* Two parts of one buffer, beside each other; parts that overlap are refused. */
static void test_parts(void)
{
    static const struct {
        const char *algorithm;
        size_t n;
        enum gfmul_fft_type type;
    } rows[] = {{"opencl", 64, GFMUL_FFT_REAL}, {"stockham", 64, GFMUL_FFT_COMPLEX}, {"split", 64, GFMUL_FFT_REAL}};
    enum { PART = 4096, NUMBERS = PART / sizeof(double) };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct layout l;
        double x[NUMBERS], z[2 * NUMBERS], want[NUMBERS], limit[2];
        cl_mem part[3];
        if (!layout_create(&l, rows[i].algorithm, rows[i].n, rows[i].type, false, 2, 0, 0))
            return;
        random_numbers(false, x, x, NUMBERS);
        cl_mem whole = buffer(sizeof z, NULL);
        for (unsigned k = 0; k < 3; k++) {
            const cl_buffer_region region = {k < 2 ? k * PART : PART / 2, PART};
            cl_int code;
            part[k] = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
            if (!TEST_CHECK(code == CL_SUCCESS))
                exit(1);
        }
        expected(&l, want, limit, x, false);
        if (TEST_CHECK(clEnqueueWriteBuffer(queue, part[1], CL_TRUE, 0, sizeof x, x, 0, NULL, NULL) == CL_SUCCESS) &&
            TEST_OK(gfmul_fft_enqueue(l.plan, 0, part[0], part[1])) &&
            TEST_CHECK(clEnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof z, z, 0, NULL, NULL) == CL_SUCCESS)) {
            compare(&l, z, want, limit, false, false);
            TEST_CHECK(memcmp(z + NUMBERS, x, sizeof x) == 0);
        }
        for (unsigned k = 0; k < 2; k++) {
            TEST_CHECK(gfmul_fft_enqueue(l.plan, 0, part[k], part[2]) == GFMUL_ERR_OVERLAP);
            TEST_CHECK(gfmul_fft_enqueue(l.plan, 1, part[2], part[k]) == GFMUL_ERR_OVERLAP);
        }
        TEST_OK(gfmul_fft_finish(l.plan));
        for (unsigned k = 0; k < 3; k++)
            clReleaseMemObject(part[k]);
        clReleaseMemObject(whole);
        layout_destroy(&l);
    }
}

/*
 * Transforms in the queue keep their memory while products of the same device upload their operands beside it: the first two rows
 * in the short tier.
 */
static void test_beside_products(void)
{
    static const char *const rows[] = {"opencl", "radix2", "radix4", "radix8", "split"};
    enum { N = 1 << 13, BATCH = 32, LIMBS = 2 * N }; /* an operand has as many bytes as a transform */
    struct gfmul_ctx *ctx;
    mp_limb_t *a = test_alloc(LIMBS * sizeof *a), *z = test_alloc(2 * LIMBS * sizeof *z),
              *want = test_alloc(2 * LIMBS * sizeof *z);
    ctx = TEST_CTX(.device = "gpu", .threads = 1, .verify = GFMUL_VERIFY_NONE);
    for (size_t i = 0; i < LIMBS; i++)
        a[i] = test_u64();
    mpn_sqr(want, a, LIMBS);
    TEST_OK(gfmul_sqr(ctx, z, a, LIMBS)); /* its kernels are there */
    const size_t n_rows = sizeof rows / sizeof *rows;
    for (unsigned r = 0; r < 2 * test_tier(2, n_rows, n_rows); r++) {
        struct gfmul_fft_options fft;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&fft);
        fft.algorithm = rows[r / 2];
        fft.device = "gpu";
        fft.batch = r % 2 ? BATCH : 1;
        test_note("%s, batch %zu", fft.algorithm, fft.batch);
        if (!TEST_OK(gfmul_fft_create(&plan, N, &fft)))
            continue;
        const size_t n = 2 * N * fft.batch, bytes = n * sizeof(double);
        double *x = test_alloc(bytes), *alone = test_alloc(bytes), *beside = test_alloc(bytes);
        cl_command_queue own = gfmul_fft_queue(plan);
        cl_context context;
        cl_int code[3];
        TEST_CHECK(clGetCommandQueueInfo(own, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) == CL_SUCCESS);
        random_numbers(false, x, alone, n);
        cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, x, &code[0]);
        cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code[1]);
        TEST_CHECK(code[0] == CL_SUCCESS && code[1] == CL_SUCCESS);
        for (unsigned turn = 0; turn < 3; turn++) { /* the first one alone */
            TEST_OK(gfmul_fft_enqueue(plan, 0, out, in));
            if (turn > 0) {
                TEST_OK(gfmul_sqr(ctx, z, a, LIMBS));
                test_equal_limbs(z, want, 2 * LIMBS);
            }
            code[2] = clEnqueueReadBuffer(own, out, CL_TRUE, 0, bytes, turn > 0 ? beside : alone, 0, NULL, NULL);
            TEST_CHECK(code[2] == CL_SUCCESS && (turn == 0 || memcmp(alone, beside, bytes) == 0));
        }
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        gfmul_fft_destroy(plan);
        free(x);
        free(alone);
        free(beside);
    }
    gfmul_ctx_destroy(ctx);
    free(a);
    free(z);
    free(want);
}

/* Batches that no memory holds make no plan; NULL is no buffer. */
static void test_sizes(void)
{
    static const char *const rows[] = {"opencl", "stockham", "split"};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct layout l;
        struct gfmul_fft *plan;
        if (!layout_create(&l, rows[i], 64, GFMUL_FFT_COMPLEX, false, 1, 0, 0))
            return;
        cl_mem m = buffer(bytes_of(&l, l.all[0]), NULL);
        TEST_CHECK(gfmul_fft_enqueue(l.plan, 0, NULL, m) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_fft_enqueue(l.plan, 1, m, NULL) == GFMUL_ERR_ARGUMENT);
        clReleaseMemObject(m);
        l.opt.batch = (size_t)1 << 40;
        TEST_CHECK(gfmul_fft_create(&plan, 64, &l.opt) == GFMUL_ERR_SIZE && plan == NULL);
        l.opt.batch = 2;
        l.opt.frequency_dist = (size_t)1 << 50;
        TEST_CHECK(gfmul_fft_create(&plan, 64, &l.opt) == GFMUL_ERR_SIZE && plan == NULL);
        l.opt.frequency_dist = 63;
        TEST_CHECK(gfmul_fft_create(&plan, 64, &l.opt) == GFMUL_ERR_ARGUMENT && plan == NULL);
        layout_destroy(&l);
    }
}

/* A context and a queue come together, whatever the algorithm's name is, and choose the device. */
static void test_given(void)
{
    static const char *const names[] = {NULL, "auto", "opencl"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned which = 1; which < 4; which++) {
            struct gfmul_fft_options opt;
            struct gfmul_fft *plan;
            gfmul_fft_options_init(&opt);
            opt.algorithm = names[i];
            opt.cl_context = which & 1 ? ocl_device_context(device) : NULL;
            opt.cl_queue = which & 2 ? queue : NULL;
            test_note("algorithm %s, given: %u", names[i] ? names[i] : "NULL", which);
            const enum gfmul_status status = gfmul_fft_create(&plan, 64, &opt);
            TEST_CHECK(which == 3 ? status == GFMUL_OK && gfmul_fft_queue(plan) == queue
                                  : status == GFMUL_ERR_ARGUMENT && plan == NULL);
            gfmul_fft_destroy(plan);
        }
}

/* The caller rounds another way: the results are those of rounding to nearest, and the mode is kept. */
static void test_modes(void)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    enum { N = 1001, REALS = 2 * N };
    for (unsigned i = 0; i < 2 * sizeof modes / sizeof *modes; i++) {
        const bool is_float = i & 1;
        const int mode = modes[i / 2];
        struct layout l;
        double same[REALS], x[REALS], want[REALS], got[REALS]; /* with room for either precision */
        if (!layout_create(&l, "opencl", N, GFMUL_FFT_COMPLEX, is_float, 1, 0, 0))
            return;
        gfmul_fft_destroy(l.plan);
        l.opt.scale = 1; /* 1/n is rounded */
        if (!TEST_OK(gfmul_fft_create(&l.plan, N, &l.opt)))
            return;
        const size_t bytes = bytes_of(&l, REALS);
        random_numbers(is_float, x, same, REALS);
        cl_mem in = buffer(bytes, x), out = buffer(bytes, NULL);
        TEST_OK(gfmul_fft_enqueue(l.plan, 1, out, in));
        TEST_CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, want, 0, NULL, NULL) == CL_SUCCESS);
        test_note("%s, rounding mode %d", is_float ? "float" : "double", mode);
        fesetround(mode);
        const enum gfmul_status enqueued = gfmul_fft_enqueue(l.plan, 1, out, in), finished = gfmul_fft_finish(l.plan);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        TEST_OK(enqueued);
        TEST_OK(finished);
        TEST_CHECK(after == mode);
        TEST_CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, got, 0, NULL, NULL) == CL_SUCCESS);
        TEST_CHECK(memcmp(got, want, bytes) == 0);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        layout_destroy(&l);
    }
}
#endif

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    const bool found = ocl_test_begin();
    TEST_RUN(test_cpu);
    if (!found)
        return test_state.failures ? ocl_test_end() : ocl_test_skip();
#ifdef HAVE_OPENCL
    cl_int code;
    device = ocl_test_open();
    queue = clCreateCommandQueue(ocl_device_context(device), ocl_device_id(device), 0, &code);
    if (!TEST_CHECK(code == CL_SUCCESS))
        exit(1);
    TEST_RUN_LONG(test_opencl);
    TEST_RUN_LONG(test_gallery);
    TEST_RUN_LONG(test_generated);
    TEST_RUN(test_odd_distance);
    TEST_RUN(test_parts);
    TEST_RUN_LONG(test_beside_products);
    TEST_RUN(test_sizes);
    TEST_RUN(test_given);
    TEST_RUN(test_modes);
    clReleaseCommandQueue(queue);
    ocl_device_close(device);
#endif
    return ocl_test_end();
}
