/*
 * t-gen_device.c - generated transforms inside this process, on a device, against the CPU's; those of the gallery too.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * GFMUL_TEST_LONG=2: every combination of ALGORITHM, DATA, DIRECTION, BITREV, SCALING and TWIDDLE at LOGN 8 and 11.  Each is
 * generated; a device's compiler is slow, so what another one has in the same words is not compiled again: combination()
 * says which is in which.
 */
#include <math.h>
#include <stdlib.h>

#include "gen_words.h"
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include "../tools/fftgen_tune.c"

static bool parse(struct gen_params *p, const char *words)
{
    struct gen_text text;
    const bool ok = gen_words(p, words, &text) == 0;
    TEST_CHECK_MSG(ok, "%s", text.s ? text.s : "");
    gen_text_free(&text);
    return ok;
}

/* Build, run all directions, compare. */
static void check_transform(struct ocl_device *d, const char *words)
{
    struct gen_params p;
    struct gen_device *g = NULL;
    char detail[OCL_DETAIL_BYTES] = "";

    test_note("%s", words);
    if (!parse(&p, words))
        return;
    ocl_device_lock(d);
    enum gfmul_status status = gen_device_create(OCL_ON(d, detail), &g, &p);
    for (int backward = 0; backward < 2 && status == GFMUL_OK; backward++) {
        struct tuner *t = calloc(1, sizeof *t);
        if (p.direction == (backward ? 'F' : 'B') || !TEST_CHECK(t != NULL)) {
            free(t);
            continue;
        }
        t->d = d;
        t->p = p;
        t->backward = backward;
        t->detail = detail;
        status = prepare(t);
        if (status == GFMUL_OK)
            status = gen_device_enqueue(OCL_ON(d, detail), g, backward, t->in, t->out, NULL, NULL);
        if (status == GFMUL_OK)
            status = ocl_download(OCL_ON(d, detail), t->got, (struct ocl_span){t->out, 0, t->out_bytes}, 1, OCL_AFTER_QUEUE);
        if (status == GFMUL_OK) {
            double error = error_of(t);
            TEST_CHECK_MSG(error < error_limit(&p), "%s: error %.3g", backward ? "backward" : "forward", error);
        }
        ocl_buffer_put(d, t->in);
        ocl_buffer_put(d, t->out);
        free(t->want);
        free(t->got);
        free(t);
    }
    gen_device_destroy(g);
    ocl_device_unlock(d);
    TEST_CHECK_MSG(status == GFMUL_OK, "%s %s", gfmul_strerror(status), detail);
}

static void kernels_of(const char *words, struct gen_text *text)
{
    struct gen_params p;
    struct gen_launches l;
    if (!parse(&p, words))
        return;
    gen_launches_find(&p, &l);
    TEST_OK(gen_emit_opencl(&p, &l, text));
}

/* Every function of the first text stands in the second, word for word; the banners differ. */
static void check_inside(const char *part_words, const char *whole_words)
{
    struct gen_text part = {0}, whole = {0};
    test_note("%s in %s", part_words, whole_words);
    kernels_of(part_words, &part);
    kernels_of(whole_words, &whole);
    char *s = part.s ? strstr(part.s, "*/\n") : NULL;
    if (TEST_CHECK(s != NULL && whole.s != NULL)) {
        unsigned n = 0;
        s += 3;
        for (char *end; (end = strstr(s, "\n\n")) != NULL; s = end + 2, n++) {
            end[1] = '\0'; /* a paragraph with its last line's end */
            if (!TEST_CHECK_MSG(strstr(whole.s, s) != NULL, "not there: %.300s", s))
                break;
        }
        TEST_CHECK(n > 2);
    }
    gen_text_free(&part);
    gen_text_free(&whole);
}

/*
 * With SCALING=N both directions are compiled in one; each alone has kernels of that one.  With SCALING=Y each direction is
 * compiled alone; both together have the forward kernels without scaling and those backward with.
 */
static void combination(struct ocl_device *d, const char *rest)
{
    char both[160], one[160];
    snprintf(both, sizeof both, "%s SCALING=N DIRECTION=A", rest);
    check_transform(d, both);
    snprintf(one, sizeof one, "%s SCALING=N DIRECTION=F", rest);
    check_inside(one, both);
    snprintf(one, sizeof one, "%s SCALING=N DIRECTION=B", rest);
    check_inside(one, both);
    snprintf(both, sizeof both, "%s SCALING=Y DIRECTION=A", rest);
    snprintf(one, sizeof one, "%s SCALING=N DIRECTION=F", rest);
    check_inside(one, both);
    snprintf(one, sizeof one, "%s SCALING=Y DIRECTION=B", rest);
    check_inside(one, both);
    check_transform(d, one);
    snprintf(one, sizeof one, "%s SCALING=Y DIRECTION=F", rest);
    check_transform(d, one);
}

/* All combinations of a length in the longest tier; one of them in the short one, three in the long one. */
static void combinations(int logn, unsigned chosen)
{
    static const char *const data[] = {"C", "R", "I"}, *const twiddle[] = {"YES", "ONFLY", "table"};
    struct ocl_device *d = NULL;
    const unsigned cases = 6 * 3 * 2 * 3;
    unsigned n = 0;
    if (!TEST_OK(ocl_device_open(&d, "gpu", NULL, NULL)))
        return;
    for (unsigned k = 0; k < cases; k++) {
        char words[128];
        if (!test_part(k))
            continue;
        snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c DATA=%s BITREV=%c TWIDDLE=%s", logn, "248SCT"[k % 6], data[k / 6 % 3],
                 "YN"[k / 18 % 2], twiddle[k / 36 % 3]);
        if (test_longest_tier() || k == chosen || (test_level() == 1 && k % 36 == chosen % 36)) {
            combination(d, words);
            n++;
            if (test_longest_tier())
                fprintf(stderr, "%s\n", words);
        }
    }
    ocl_device_close(d);
    printf("%u times six combinations\n", n);
}

static void test_combinations_8(void)
{
    combinations(8, 8); /* radix 8, real */
}

static void test_combinations_11(void)
{
    combinations(11, 70); /* conjugate pair, imaginary, in permuted order, twiddles made on the way */
}

/* Other keys: shapes of launches, zeros, types; what the CPU's transform knows nothing of is t-fftgen_cover's. */
static void test_keys(void)
{
    static const char *const words[] = {
        "LOGN=10 KERNELHEIGHT=3 KERNELWIDTH=4",
        "N=720",
        "LOGN=8 DATA=LIMBS INPRECISION=18 NONEZ=X0 ALGORITHM=C DIRECTION=F",
        "LOGN=9 DATA=R2 ALGORITHM=T KERNELHEIGHT=5",
        "LOGN=12 NONEZ=X000 KERNELHEIGHT=6", /* the short tier ends here */
        "LOGN=12 KERNELHEIGHT=12 KERNELWIDTH=12",
        "LOGN=9 FFTDATA=dd",
        "N=1680 DATA=R FFTDATA=float",
        "LOGN=13 KERNELWIDTH=13 BITREV=N",
        "LOGN=9 DATA=INT32 ALGORITHM=4 BITREV=N NONEZ=X0 DIRECTION=F",
        "N=720 DATA=INT64 FFTDATA=float",
        "LOGN=8 DATA=INT64 FFTDATA=dd ALGORITHM=2",
        "N=720 DATA=R2 FFTDATA=dd SCALING=Y NONEZ=X0",
    };
    struct ocl_device *d = NULL;
    if (!TEST_OK(ocl_device_open(&d, "gpu", NULL, NULL)))
        return;
    const size_t n_words = sizeof words / sizeof *words;
    for (size_t i = 0; i < test_tier(5, n_words, n_words); i++)
        check_transform(d, words[i]);
    ocl_device_close(d);
}

/* A row of the gallery against "auto" on the CPU: a length, a type, a batch; its lengths are no excuse. */
static void check_row(const char *name, size_t n, enum gfmul_fft_type type, enum gfmul_precision precision)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *row = NULL, *cpu = NULL;
    const size_t size = precision == GFMUL_PRECISION_FLOAT ? 4 : 8, batch = 3;
    const size_t time = type == GFMUL_FFT_REAL ? n : 2 * n, frequency = type == GFMUL_FFT_REAL ? 2 * (n / 2 + 1) : 2 * n;
    test_note("%s, n=%zu, type %d, precision %d", name, n, (int)type, (int)precision);
    gfmul_fft_options_init(&opt);
    opt.type = type;
    opt.precision = precision;
    opt.batch = batch;
    opt.scale = 1;
    void *x = calloc(batch * frequency, size), *y = calloc(batch * frequency, size), *z = calloc(batch * frequency, size);
    bool ok = TEST_CHECK(x && y && z) && TEST_OK(gfmul_fft_create(&cpu, n, &opt));
    opt.algorithm = name;
    ok = ok && TEST_OK(gfmul_fft_create(&row, n, &opt));
    for (size_t i = 0; ok && i < batch * time; i++) {
        double v = (double)test_below(2000) - 1000;
        if (size == 8)
            ((double *)x)[i] = v;
        else
            ((float *)x)[i] = (float)v;
    }
    ok = ok && TEST_OK(gfmul_fft_forward(cpu, y, x)) && TEST_OK(gfmul_fft_forward(row, z, x));
    for (int back = 0; back < 2 && ok; back++) {
        double error = 0, norm = 0;
        for (size_t i = 0; i < batch * (back ? time : frequency); i++) {
            const void *want = back ? x : y;
            double a = size == 8 ? ((const double *)want)[i] : (double)((const float *)want)[i];
            double b = size == 8 ? ((double *)z)[i] : (double)((float *)z)[i];
            error += (a - b) * (a - b);
            norm += a * a;
        }
        TEST_CHECK_MSG(sqrt(error / norm) < (size == 8 ? 3e-15 : 2e-6), "error %g", sqrt(error / norm));
        if (!back)
            ok = TEST_OK(gfmul_fft_backward(row, z, y));
    }
    gfmul_fft_destroy(cpu);
    gfmul_fft_destroy(row);
    free(x);
    free(y);
    free(z);
}

static void test_rows(void)
{
    static const char *const names[] = {"radix2", "radix4", "radix8", "split", "conjugate_pair", "tangent"};
    static const size_t lengths[] = {8, 4096, 720};
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 3; k++)
            if (test_longest_tier() || (i + k) % 6 == 0)
                for (int type = 0; type < 2; type++)
                    check_row(names[i], lengths[k], type ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX,
                              (i + k) % 2 ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE);
    /* what they cannot do */
    for (size_t i = 0; i < 6; i++)
        for (size_t n = 1; n < 12; n++) {
            struct gfmul_fft_options opt;
            struct gfmul_fft *row;
            gfmul_fft_options_init(&opt);
            opt.algorithm = names[i];
            opt.type = n == 10 ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX;
            if (n >= 8 && n != 10 && n != 11)
                continue;
            test_note("%s, n=%zu", names[i], n);
            TEST_CHECK(gfmul_fft_create(&row, n, &opt) == GFMUL_ERR_UNSUPPORTED);
        }
}

/* A row's program is that of the algorithm it is named after: the device finds it in memory, and the others' it does not. */
static void test_algorithms(void)
{
    static const struct {
        const char *row;
        char algorithm;
    } rows[] = {{"radix2", '2'}, {"radix4", '4'}, {"radix8", '8'}, {"split", 'S'}, {"conjugate_pair", 'C'}, {"tangent", 'T'}};
    enum { N_ROWS = sizeof rows / sizeof *rows };
    struct gfmul_fft *plan[N_ROWS] = {NULL};
    struct ocl_program_counts before, after;
    struct gfmul_fft_options opt;
    struct ocl_device *d = NULL;
    if (!TEST_OK(ocl_device_open(&d, "gpu", NULL, NULL)))
        return;
    gfmul_fft_options_init(&opt);
    for (size_t i = 0; i < N_ROWS; i++) {
        struct gen_device *g = NULL;
        struct gen_params p;
        char detail[OCL_DETAIL_BYTES] = "", words[40];
        ocl_program_count(d, &before);
        opt.algorithm = rows[i].row;
        test_note("%s", rows[i].row);
        TEST_OK(gfmul_fft_create(&plan[i], 1 << 5, &opt));
        ocl_program_count(d, &after);
        TEST_CHECK_MSG(after.built + after.loaded == before.built + before.loaded + 1, "not a program of its own");
        snprintf(words, sizeof words, "LOGN=5 ALGORITHM=%c", rows[i].algorithm);
        if (!parse(&p, words))
            break;
        ocl_device_lock(d);
        TEST_OK(gen_device_create(OCL_ON(d, detail), &g, &p));
        gen_device_destroy(g);
        ocl_device_unlock(d);
        ocl_program_count(d, &before);
        TEST_CHECK_MSG(before.built == after.built && before.loaded == after.loaded, "not the program of ALGORITHM=%c",
                       rows[i].algorithm);
    }
    for (size_t i = 0; i < N_ROWS; i++)
        gfmul_fft_destroy(plan[i]);
    ocl_device_close(d);
}

/* A generated program comes from the cache like every other: in memory, then on disk. */
static void test_cache(void)
{
    struct ocl_program_counts counts[3];
    for (int i = 0; i < 3; i++) {
        struct ocl_device *d = NULL;
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan[2] = {NULL, NULL};
        gfmul_fft_options_init(&opt);
        opt.algorithm = "split";
        if (!TEST_OK(ocl_device_open(&d, "gpu", NULL, NULL)))
            return;
        for (int k = 0; k < 2; k++) /* the second finds it in memory, and needs kernels of its own */
            TEST_OK(gfmul_fft_create(&plan[k], i < 2 ? 1 << 9 : 1 << 7, &opt));
        ocl_program_count(d, &counts[i]);
        gfmul_fft_destroy(plan[0]);
        gfmul_fft_destroy(plan[1]);
        ocl_device_close(d);
    }
    TEST_CHECK(counts[0].built == 1 && counts[0].stored <= 1 && counts[0].loaded == 0);
    TEST_CHECK(counts[1].built + counts[1].loaded == 1 && counts[1].loaded == counts[0].stored);
    TEST_CHECK(counts[2].built == 1);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    if (!ocl_test_begin())
        return ocl_test_skip();
    char pocl[96];
    snprintf(pocl, sizeof pocl, "%s/pocl", ocl_test_dir);
    setenv("PDISK_CACHE_DIR", pocl, 0);
    TEST_RUN_LONG(test_combinations_8);
    TEST_RUN_LONG(test_combinations_11);
    TEST_RUN_LONG(test_keys);
    TEST_RUN_LONG(test_rows);
    TEST_RUN_LONG(test_algorithms);
    TEST_RUN(test_cache);
    return ocl_test_end();
}
#else
int main(void)
{
    return 77;
}
#endif
