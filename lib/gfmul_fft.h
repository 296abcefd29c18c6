/*
 * gfmul_fft.h - Fourier transforms and convolutions: the plain ones, beside the multiplication of gfmul.h.
 *
 * Copyright (C) 2026 the gfmul authors.  SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Complex numbers are pairs of real and imaginary part, as C's double complex and FFTW have them.  With n the length and
 * e(t) = exp(2 pi i t):
 *
 *     complex   forward    X_k = sum over j < n of x_j e(-j k / n),   k = 0 .. n - 1
 *               backward   x_j = sum over k < n of X_k e(j k / n),    not divided by n unless scale is set
 *     real      forward    n real numbers to X_0 .. X_(n/2), n/2 + 1 complex ones; the others are their conjugates
 *               backward   those back to n real numbers; the imaginary part of X_0, and of X_(n/2) for even n, is ignored
 *
 * Order is natural on both sides, unless a plan has another one for spectra.  Any length from 1 on: 2^a 3^b 5^c 7^d directly,
 * primes p with such a p - 1 by Rader's algorithm, others by Bluestein's.
 *
 * Contract of every function, unless it says otherwise:
 *   errors    a status; nothing is printed, nothing exits; ARGUMENT for NULL, a length of 0, an unknown choice, a buffer that is
 *             not aligned to its numbers; SIZE where a size overflows; MEMORY; OVERLAP
 *   plans     are read-only behind their creation: any number of threads may run one at once, each on its own buffers
 */
#ifndef GFMUL_FFT_H
#define GFMUL_FFT_H

#include <gfmul.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gfmul_fft_type { GFMUL_FFT_COMPLEX = 0, GFMUL_FFT_REAL };

/*
 * The order of a spectrum.  PERMUTED is whatever order costs least, for spectra that are multiplied point by point, or filtered,
 * and go back: forward leaves X_k at the places of gfmul_fft_frequency, backward takes it from there.  Complex transforms.  It
 * saves what brings a spectrum into order: on a device passes of another length, and, of smooth lengths, all of them in place,
 * so that a transform in place (gfmul_fft_enqueue) needs no memory beside; on the CPU writes and reads in lines far apart.
 */
enum gfmul_fft_order { GFMUL_FFT_NATURAL = 0, GFMUL_FFT_PERMUTED };

/*
 * How data in host memory come to a device and back: through pinned blocks that are filled while others travel; the caller's own
 * memory handed to the driver (CL_MEM_USE_HOST_PTR: no copy where device and host share memory); memory of the driver's that the
 * device reaches (CL_MEM_ALLOC_HOST_PTR), with a copy by the processor into it and out of it.
 */
enum gfmul_fft_memory { GFMUL_FFT_MEMORY_STAGED = 0, GFMUL_FFT_MEMORY_USE_HOST, GFMUL_FFT_MEMORY_ALLOC_HOST };

/*
 * gfmul_fft_options - what a plan is made with.  Fill it with gfmul_fft_options_init, then change fields.
 *
 *   precision  AUTO is DOUBLE; FLOAT; DD, double-double: a number is two doubles, the nearest one and the rest, a complex number
 *              four (re, rest, im, rest); algorithm "auto", complex, lengths 2^a 3^b 5^c 7^d
 *   batch      transforms of one call, at least 1
 *   time_dist, frequency_dist
 *              from one transform of a batch to the next, in numbers of that side: (real or complex) x, and complex X.
 *              0: n, and n or n/2 + 1
 *   scale      not 0: backward divides by n, so that it is the inverse of forward
 *   threads    0: as many as OpenMP gives; n: at most n
 *   algorithm  a name of gfmul_fft_algorithm; NULL: "auto", which is "opencl" where a queue or a device is named ("auto" is
 *              none).  "fftw" takes FFTW's planner: see engine in gfmul_options
 *   device     algorithms of device "opencl": as gfmul_options has it; NULL, or "auto" beside the algorithm's name: a GPU with
 *              double precision, else any device
 *   cl_context, cl_queue
 *              the caller's own cl_context and a cl_command_queue on it, in order, instead of `device`; they are retained.
 *              One without the other is an error.  NULL: the library makes its own
 *   memory     algorithms of device "opencl", calls with host memory
 *   order      of spectra; PERMUTED: type COMPLEX, algorithms "auto" (FLOAT, DOUBLE) and "opencl"
 */
struct gfmul_fft_options {
    size_t struct_bytes; /* set by gfmul_fft_options_init; lets fields be added */
    enum gfmul_fft_type type;
    enum gfmul_precision precision;
    size_t batch;
    size_t time_dist, frequency_dist;
    int scale;
    unsigned threads;
    const char *algorithm;
    const char *device;
    void *cl_context, *cl_queue;
    enum gfmul_fft_memory memory;
    enum gfmul_fft_order order;
};

/* gfmul_fft_options_init - default options: one complex transform in double precision.   opt out. */
GFMUL_API void gfmul_fft_options_init(struct gfmul_fft_options *opt);

/* An algorithm that a plan can name; static strings. */
struct gfmul_fft_algorithm {
    const char *name;
    const char *device;     /* "cpu", "opencl" */
    const char *summary;    /* one line */
    const char *lengths;    /* "any", "2^k" */
    const char *types;      /* "complex", "complex, real" */
    const char *precisions; /* "double", "float, double", "float, double, dd" */
};

/* gfmul_fft_algorithm - the i-th algorithm of this build, "auto" first; NULL after the last. */
GFMUL_API const struct gfmul_fft_algorithm *gfmul_fft_algorithm(size_t i);

struct gfmul_fft;

/*
 * gfmul_fft_create - plan transforms of length n: tables, no measuring.
 *
 *   plan  out  the plan, NULL on failure; end it with gfmul_fft_destroy
 *   n     in   any length >= 1
 *   opt   in   options, or NULL for the defaults
 *
 * Cost:   tables of about 1.2 n numbers for n to 2^14, of about 40 sqrt(n) beyond, 4 n where n has large prime factors, or has no
 *         two divisors of at least 8 (float: 16); milliseconds, the time of one or two transforms for large prime factors.
 * Errors: ARGUMENT, SIZE (also a batch beyond 2^48 bytes), MEMORY; UNSUPPORTED where the algorithm cannot do this length, type,
 *         precision or order, or is not built.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_create(struct gfmul_fft **plan, size_t n,
                                                              const struct gfmul_fft_options *opt);

/*
 * gfmul_fft_forward, gfmul_fft_backward - run a plan.
 *
 *   out, in   batches as the plan says, in the plan's precision
 *
 * Error:    relative in the Euclidean norm a few eps log2 n; tests/t-fft has the constants that hold.  Double-double: below
 *           14.4 log2 n times 2^-106 where n is 4^k (doc/error-bound.md, section 19.8), at 2^20 points about 2^-105.  The sizes
 *           of the numbers of a transform add up to at most 2^900 (float: 2^90), or results may overflow on the way.
 * Aliasing: out == in is allowed where transforms fill the same places on both sides: complex with equal distances; real of
 *           batch 1, or with time_dist = 2 frequency_dist.  Other overlaps are errors.
 * Threads:  large transforms and batches run parallel inside; a call within a parallel region runs on one thread.
 * Errors:   ARGUMENT, OVERLAP, MEMORY (workspace of about the transform's size).
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_forward(const struct gfmul_fft *plan, void *out, const void *in);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_backward(const struct gfmul_fft *plan, void *out, const void *in);

/*
 * gfmul_fft_enqueue - the same on data that are on the device already: commands in a queue, nothing is waited for.
 *
 *   backward  in      0: forward
 *   out, in   out,in  cl_mem of the queue's context, batches as the plan says, from their first byte on
 *
 * Aliasing: as above; the same cl_mem is in place.  Parts of one buffer must not overlap.
 * Errors:   ARGUMENT (also a buffer too small, or of another context), OVERLAP, SIZE, MEMORY, DEVICE; UNSUPPORTED for algorithms
 *           of the CPU, for batches of real transforms of even length with an odd time_dist by "opencl", and, of those that are
 *           listed for lengths "2^k" on a device, in place and with gaps.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_enqueue(const struct gfmul_fft *plan, int backward, void *out, void *in);

/* gfmul_fft_finish - wait for what was enqueued; an error of a command that ran shows here. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_finish(const struct gfmul_fft *plan);

/* gfmul_fft_queue - the cl_command_queue, the caller's or the library's, as long as the plan lives; NULL on the CPU. */
GFMUL_API void *gfmul_fft_queue(const struct gfmul_fft *plan);

/*
 * gfmul_fft_frequency - the k of the X_k that stands at a place of a plan's spectrum, place = 0 .. n - 1; 0 at place 0.
 *
 * Natural order, and some lengths of a plan of the permuted one: k = place.  Plans of one length, precision, algorithm and order
 * on one machine and device agree.
 */
GFMUL_API size_t gfmul_fft_frequency(const struct gfmul_fft *plan, size_t place);

/* gfmul_fft_destroy - free a plan; NULL is allowed.  No call may be running on it. */
GFMUL_API void gfmul_fft_destroy(struct gfmul_fft *plan);

/*
 * Convolutions.
 *
 *     linear      z_k = sum over i + j = k of a_i b_j,                 k = 0 .. an + bn - 2
 *     cyclic      z_k = sum over i + j = k modulo n of a_i b_j,        an = bn = n
 *     negacyclic  the same with a minus where i + j >= n,              an = bn = n
 *
 * of these numbers, each type with its z:
 *
 *     real, complex   double, pairs of double                                  as exact as transforms in double precision are;
 *                     the sum of the sizes of a's numbers, that of b's, and the product of their Euclidean norms are at most
 *                     2^900, or results may overflow on the way
 *     real_float, complex_float
 *                     float, pairs of float                                    the same in single precision, 2^90
 *     int32, int64    z: `words` words of 64 bits for each coefficient, least significant first, in two's complement:
 *                     the exact value modulo 2^(64 words).  Two words always hold the value for int32 and an, bn < 2^32;
 *                     three for int64
 *     mod             uint64_t below `modulus`; z likewise: the product of polynomials over the integers modulo it
 *
 * Integers are cut into balanced pieces so narrow that the rounding error of their convolution is proved to stay below 1/2
 * (doc/error-bound.md, section 17); sums of the pieces' products are exact.
 */
enum gfmul_conv_kind { GFMUL_CONV_LINEAR = 0, GFMUL_CONV_CYCLIC, GFMUL_CONV_NEGACYCLIC };
enum gfmul_conv_number {
    GFMUL_CONV_REAL = 0,
    GFMUL_CONV_COMPLEX,
    GFMUL_CONV_INT32,
    GFMUL_CONV_INT64,
    GFMUL_CONV_MOD,
    GFMUL_CONV_REAL_FLOAT,
    GFMUL_CONV_COMPLEX_FLOAT
};

/*
 * gfmul_conv_options - what a convolution is.  Fill it with gfmul_conv_options_init, then change fields.
 *
 *   words     1, 2 or 3; int32 and int64 alone
 *   modulus   2 .. 2^64 - 1; mod alone
 *   threads   0: as many as OpenMP gives; n: at most n.  Short transforms take one
 */
struct gfmul_conv_options {
    size_t struct_bytes; /* set by gfmul_conv_options_init */
    enum gfmul_conv_kind kind;
    enum gfmul_conv_number number;
    unsigned words;
    uint64_t modulus;
    unsigned threads;
};

/* gfmul_conv_options_init - defaults: linear, real, two words.   opt out. */
GFMUL_API void gfmul_conv_options_init(struct gfmul_conv_options *opt);

struct gfmul_conv;

/*
 * gfmul_conv_create - a kernel b that is convolved with many sequences: it is transformed once.
 *
 *   conv    out  NULL on failure; end it with gfmul_conv_destroy
 *   b       in   bn numbers, bn >= 1, not kept
 *   max_an  in   length of the sequences to come: decides the transform.  Linear: longer ones are cut and their parts added
 *                (overlap-add), as those much longer than b are.  Cyclic, negacyclic: bn.
 * Errors: ARGUMENT (also a number not below the modulus), SIZE, MEMORY, PRECISION (no plan proves so long an integer one).
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_conv_create(struct gfmul_conv **conv, const void *b, size_t bn, size_t max_an,
                                                               const struct gfmul_conv_options *opt);

/*
 * gfmul_conv_run - z = a * b.
 *
 *   z   out  an + bn - 1 numbers (linear) or bn
 *   a   in   an >= 1 numbers; an = bn where not linear
 *
 * Aliasing: z must not overlap a.   Threads: any number at once on one kernel.
 * Errors:   ARGUMENT (also a number not below the modulus), OVERLAP, MEMORY, SIZE.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_conv_run(const struct gfmul_conv *conv, void *z, const void *a, size_t an);

/* gfmul_conv_destroy - free a kernel; NULL is allowed. */
GFMUL_API void gfmul_conv_destroy(struct gfmul_conv *conv);

/* gfmul_convolve - both steps at once; the shorter operand becomes the kernel.  z must not overlap a or b. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_convolve(void *z, const void *a, size_t an, const void *b, size_t bn,
                                                            const struct gfmul_conv_options *opt);

#ifdef __cplusplus
}
#endif
#endif
