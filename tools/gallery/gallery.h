/*
 * gallery.h - shared by the CPU rows of the gallery: a table of roots, one body for both precisions, methods by name.
 *
 * A row's file includes itself twice with ROW_REAL defined; ROW(stem) names a function of that precision.
 */
#ifndef GFMUL_GALLERY_H
#define GFMUL_GALLERY_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "fft/fft.h"

/* The rows of the CPU, those of devices, and the generated ones. */
extern const struct fft_row fft_row_naive, fft_row_naive_table, fft_row_serial, fft_row_serial_table, fft_row_serial_split,
    fft_row_serial_avx, fft_row_pthread, fft_row_pthread_starts, fft_row_pthread_table, fft_row_pthread_each,
    fft_row_pthread_spawn, fft_row_pthread_nodes, fft_row_fourstep_cpu, fft_row_bluestein, fft_row_rader;
extern const struct fft_row fft_row_fft_1, fft_row_fft_2, fft_row_fft_3, fft_row_fft_3_table, fft_row_compact,
    fft_row_compact_coalesced, fft_row_fft_4, fft_row_fft_4_coalesced, fft_row_group, fft_row_stockham, fft_row_local,
    fft_row_local_groups, fft_row_register_s2, fft_row_register_s2_angles, fft_row_register_sp, fft_row_fourstep;
extern const struct fft_row fft_row_gen_radix2, fft_row_gen_radix4, fft_row_gen_radix8, fft_row_gen_split, fft_row_gen_pair,
    fft_row_gen_tangent;

#define ROW_PASTE_(a, b) a##_##b
#define ROW_PASTE(a, b)  ROW_PASTE_(a, b)
#define ROW(stem)        ROW_PASTE(stem, ROW_REAL)

/* gallery_check_radix2 - for rows of complex transforms of 2^k points without a table. */
static inline enum gfmul_status gallery_check_radix2(const struct gfmul_fft *plan)
{
    return plan->type != GFMUL_FFT_COMPLEX || (plan->n & (plan->n - 1)) != 0 ? GFMUL_ERR_UNSUPPORTED : GFMUL_OK;
}

/* gallery_create_radix2 - for rows of complex transforms of 2^k points: e(-j/n), j < n/2, in plan->roots. */
static inline enum gfmul_status gallery_create_radix2(struct gfmul_fft *plan)
{
    size_t count = plan->n / 2 + 1;
    TRY(gallery_check_radix2(plan));
    plan->roots = alloc_aligned(2 * count * plan->real_bytes);
    if (plan->roots == NULL)
        return GFMUL_ERR_MEMORY;
    return fft_roots_fill(plan->roots, plan->real_bytes, plan->n, 1, count);
}

/* GALLERY_RUN - run() for single-threaded rows: transform_double(plan, out, in, backward, work) or transform_float. */
#define GALLERY_RUN                                                                                                   \
    static enum gfmul_status run(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work, \
                                 unsigned threads)                                                                   \
    {                                                                                                                 \
        (void)threads;                                                                                                \
        if (plan->real_bytes == sizeof(double))                                                                       \
            transform_double(plan, out, in, backward, work);                                                          \
        else                                                                                                          \
            transform_float(plan, out, in, backward, work);                                                           \
        return GFMUL_OK;                                                                                              \
    }

#define GALLERY_RADIX2_LIMITS .device = "cpu", .lengths = "2^k", .types = "complex", .precisions = "float, double"

/* gallery_create_method, gallery_run_method - for rows that are one method of the library's own complex transforms. */
static inline enum gfmul_status gallery_create_method(struct gfmul_fft *plan, enum fft_method method)
{
    if (plan->type != GFMUL_FFT_COMPLEX)
        return GFMUL_ERR_UNSUPPORTED;
    TRY(fft_complex_create_method(&plan->complex, plan->n, plan->real_bytes, plan->ops, method));
    plan->work_bytes = plan->complex->work_bytes;
    return GFMUL_OK;
}

static inline enum gfmul_status gallery_run_method(const struct gfmul_fft *plan, void *out, const void *in, bool backward,
                                                   void *work, unsigned threads)
{
    plan->ops->complex_run(plan->complex, out, in, backward, backward ? plan->scale : 1, work, threads);
    return GFMUL_OK;
}

/* gallery_starts - the state of `pthread_starts`: what each of its threads begins with in each stage. */
struct gallery_starts {
    unsigned threads;
    struct gallery_start {
        size_t first, end; /* its butterflies */
        double c, s;       /* the power of w_m for `first`, forwards; a number of the plan's precision */
    } of[];                /* [stage][thread] */
};

#define GALLERY_METHOD_LIMITS .device = "cpu", .types = "complex", .precisions = "float, double"

#endif
