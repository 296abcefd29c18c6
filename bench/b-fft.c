/*
 * b-fft.c - plain transforms of two algorithms side by side, one thread.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * b-fft [LOG2_FIRST [LOG2_LAST [ALGORITHM [REFERENCE]]]]     (8 22 auto fftw)
 *
 * Both run in one process, in turn, on the same data, in processor time of this process; the smallest of a number of rounds is
 * taken for each, so that what else the machine does touches both alike.  A line for each length, type and precision that both
 * have: TSV with times in microseconds, their ratio (reference over algorithm: above 1 is faster), GFLOP/s by 5 n log2 n.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gfmul_fft.h"

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double run_seconds(const struct gfmul_fft *plan, void *out, const void *in, size_t count)
{
    double start = cpu_seconds();
    for (size_t i = 0; i < count; i++)
        if (gfmul_fft_forward(plan, out, in) != GFMUL_OK)
            exit(1);
    return (cpu_seconds() - start) / (double)count;
}

static int measure(size_t n, enum gfmul_fft_type type, enum gfmul_precision precision, const char *const names[2])
{
    struct gfmul_fft *plan[2] = {NULL, NULL};
    double best[2] = {INFINITY, INFINITY}, plan_ms[2], work = 5 * (double)n * log2((double)n);
    size_t count = (size_t)(5e6 / work) + 1, numbers = 2 * n + 2;
    double *in = aligned_alloc(64, (numbers + 7) / 8 * 64), *out = aligned_alloc(64, (numbers + 7) / 8 * 64);
    struct gfmul_fft_options opt;
    gfmul_fft_options_init(&opt);
    opt.type = type;
    opt.precision = precision;
    opt.threads = 1;
    int done = 0;
    if (in == NULL || out == NULL)
        exit(3);
    for (unsigned i = 0; i < 2; i++) {
        opt.algorithm = names[i];
        double start = cpu_seconds();
        if (gfmul_fft_create(&plan[i], n, &opt) != GFMUL_OK)
            goto end;
        plan_ms[i] = 1e3 * (cpu_seconds() - start);
    }
    for (size_t i = 0; i < numbers; i++) {
        double x = (double)rand() / RAND_MAX - 0.5;
        if (precision == GFMUL_PRECISION_FLOAT)
            ((float *)(void *)in)[i] = (float)x;
        else
            in[i] = x;
    }
    for (size_t i = 0; i < numbers; i++)
        out[i] = 0;
    for (unsigned round = 0; round < 11; round++)
        for (unsigned i = 0; i < 2; i++) {
            double t = run_seconds(plan[i], out, in, count);
            if (round > 0 && t < best[i])
                best[i] = t;
        }
    printf("%zu\t%s\t%s\t%s\t%s\t%.4g\t%.4g\t%.3f\t%.3g\t%.3g\t%.3g\n", n, type == GFMUL_FFT_REAL ? "real" : "complex",
           precision == GFMUL_PRECISION_FLOAT ? "float" : "double", names[0], names[1], 1e6 * best[0], 1e6 * best[1],
           best[1] / best[0], work / best[0] * 1e-9 / (type == GFMUL_FFT_REAL ? 2 : 1), plan_ms[0], plan_ms[1]);
    fflush(stdout);
    done = 1;
end:
    gfmul_fft_destroy(plan[0]);
    gfmul_fft_destroy(plan[1]);
    free(in);
    free(out);
    return done;
}

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 8, last = argc > 2 ? atoi(argv[2]) : 22, lines = 0;
    const char *const names[2] = {argc > 3 ? argv[3] : "auto", argc > 4 ? argv[4] : "fftw"};
    if (first < 0 || last > 30 || argc > 5) {
        fprintf(stderr, "usage: %s [LOG2_FIRST [LOG2_LAST [ALGORITHM [REFERENCE]]]]\n", argv[0]);
        return 2;
    }
    printf("n\ttype\tprecision\talgorithm\treference\talgorithm_us\treference_us\tratio\tgflops\tplan_ms\treference_plan_ms\n");
    for (int k = first; k <= last; k++)
        for (int what = 0; what < 4; what++)
            lines += measure((size_t)1 << k, what & 1 ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX,
                             what & 2 ? GFMUL_PRECISION_FLOAT : GFMUL_PRECISION_DOUBLE, names);
    if (lines == 0)
        fprintf(stderr, "%s: no such algorithms, or nothing that both can do\n", argv[0]);
    return lines == 0;
}
