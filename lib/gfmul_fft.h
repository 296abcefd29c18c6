/*
 * gfmul_fft.h - Fourier transforms and convolutions, beside the multiplication of gfmul.h.
 *
 * Copyright (C) 2026 the gfmul authors.  SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A complex number is a pair of real and imaginary part, as C's double complex and FFTW have it.  With n the length and
 * e(t) = exp(2 pi i t):
 *
 *     complex   forward    X_k = sum over j < n of x_j e(-j k / n),   k = 0 .. n - 1
 *               backward   x_j = sum over k < n of X_k e(j k / n),    divided by n only if `scale` is set
 *     real      forward    n real numbers to n/2 + 1 complex ones, X_0 .. X_(n/2); the others are their conjugates
 *               backward   the reverse; the imaginary part of X_0 is ignored, and for even n that of X_(n/2)
 *
 * Both sides are in natural order, unless a plan has another order for spectra.  Any length n >= 1 is allowed.  Lengths
 * 2^a 3^b 5^c 7^d are transformed directly, and primes p < 2^32 by Rader's algorithm if p - 1 is such a length.  All others take
 * Bluestein's algorithm.
 *
 * The contract of every function, unless it says otherwise:
 *
 *   errors    A function returns a status.  It never prints or exits.  ARGUMENT: NULL, a length of 0, an unknown choice, or a
 *             buffer that is not aligned to its numbers.  SIZE: a size overflows.  MEMORY, OVERLAP: as in gfmul.h.
 *   plans     A plan is read-only after its creation, so any number of threads may run one at once, each on its own buffers.
 */
#ifndef GFMUL_FFT_H
#define GFMUL_FFT_H

#include <gfmul.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gfmul_fft_type { GFMUL_FFT_COMPLEX = 0, GFMUL_FFT_REAL };

/*
 * gfmul_fft_order - the order of a spectrum.
 *
 * PERMUTED is the order that costs least.  It suits spectra that are only multiplied point by point and transformed back.
 * Forward leaves X_k at the places of gfmul_fft_frequency, and backward reads it from there.  Complex transforms only.
 *
 * On a device it saves the passes that sort a spectrum, so that a transform of smooth length in place (gfmul_fft_enqueue) needs
 * no extra memory.  On the CPU it saves accesses to distant cache lines.
 */
enum gfmul_fft_order { GFMUL_FFT_NATURAL = 0, GFMUL_FFT_PERMUTED };

/*
 * gfmul_fft_memory - how host data reach a device and return.
 *
 *   STAGED      through pinned blocks: some are filled while others travel
 *   USE_HOST    the driver gets the caller's memory (CL_MEM_USE_HOST_PTR); no copy if device and host share memory
 *   ALLOC_HOST  through memory of the driver that the device reaches (CL_MEM_ALLOC_HOST_PTR); the CPU copies
 */
enum gfmul_fft_memory { GFMUL_FFT_MEMORY_STAGED = 0, GFMUL_FFT_MEMORY_USE_HOST, GFMUL_FFT_MEMORY_ALLOC_HOST };

/*
 * gfmul_fft_twiddles - where the algorithms "local" and "local_groups" have their table of roots.  AUTO is the first one that the
 * device allows.  NATIVE has no table: the device's fast sine and cosine compute roots, in FLOAT alone, and less accurately.
 */
enum gfmul_fft_twiddles {
    GFMUL_FFT_TWIDDLES_AUTO = 0,
    GFMUL_FFT_TWIDDLES_IMAGE,
    GFMUL_FFT_TWIDDLES_CONSTANT,
    GFMUL_FFT_TWIDDLES_GLOBAL,
    GFMUL_FFT_TWIDDLES_NATIVE
};

/*
 * gfmul_fft_options - the options of a plan.  Fill it with gfmul_fft_options_init, then change fields.
 *
 *   type       COMPLEX or REAL
 *   precision  AUTO is DOUBLE.  FLOAT.  DD is double-double: a number is two doubles, the nearest one and the rest.
 *              A complex DD number is four doubles: re, rest, im, rest.  DD needs algorithm "auto" (natural order) or
 *              "opencl" (either order, a device with double precision).
 *   batch      transforms in one call, at least 1
 *   time_dist  distance from one transform of a batch to the next on the side of x, in numbers of that side.  0: n.
 *   frequency_dist
 *              The same on the side of X, in complex numbers.  0: n, or n/2 + 1 for real transforms.
 *   scale      not 0: backward divides by n, and so is the inverse of forward
 *   threads    0: as in gfmul_options; n: at most n
 *   algorithm  a name of gfmul_fft_algorithm.  NULL is "auto".  With cl_queue or a device other than "auto" and "cpu", "auto"
 *              is "opencl".  "fftw" uses FFTW's planner; see engine in gfmul_options.  The library has these three.  The
 *              published algorithms are in the program gfmul-fft.
 *   device     for algorithms of device "opencl"; as in gfmul_options, but only one.  NULL or "auto": a GPU with double
 *              precision, else any device
 *   cl_context The caller's own cl_context, and a cl_command_queue on it that runs in order, instead of `device`.  Both are
 *   cl_queue   retained.  One without the other is an error.  NULL: the library makes its own.
 *   memory     for calls with host memory, with algorithms of device "opencl"
 *   order      of spectra.  PERMUTED needs type COMPLEX, and algorithm "auto" (FLOAT, DOUBLE) or "opencl".
 *   twiddles   for the published algorithms "local" and "local_groups" (gfmul-fft) alone
 */
struct gfmul_fft_options {
    size_t struct_bytes; /* set by gfmul_fft_options_init; allows new fields */
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
    enum gfmul_fft_twiddles twiddles;
};

/* gfmul_fft_options_init - set the defaults: one complex transform in double precision.   opt  out. */
GFMUL_API void gfmul_fft_options_init(struct gfmul_fft_options *opt);

/* gfmul_fft_algorithm - an algorithm that a plan can name.  All strings are static. */
struct gfmul_fft_algorithm {
    const char *name;
    const char *device;     /* "cpu", "opencl" */
    const char *summary;    /* one line */
    const char *lengths;    /* "any", "2^k", "2^k to 2^26" */
    const char *types;      /* "complex", "complex, real" */
    const char *precisions; /* "double", "float, double", "float, double, dd" */
};

/* gfmul_fft_algorithm - algorithm number i of this build.  "auto" is number 0; NULL after the last. */
GFMUL_API const struct gfmul_fft_algorithm *gfmul_fft_algorithm(size_t i);

struct gfmul_fft;

/*
 * gfmul_fft_create - plan transforms of length n.  It makes tables, but measures nothing.
 *
 *   plan  out  the plan, NULL on failure; end it with gfmul_fft_destroy
 *   n     in   the length, n >= 1
 *   opt   in   options, or NULL for the defaults
 *
 * Cost:     milliseconds.  For lengths with large prime factors the time of one or two transforms.
 *           The tables have about 1.2 n numbers up to n = 2^14, and about 40 sqrt(n) beyond.  They have 4 n if n has large prime
 *           factors, or is no product of two numbers of at least 8 (float: 16).
 * Errors:   ARGUMENT: also transforms of a batch that overlap.  SIZE: also a batch of 2^47 bytes or more.  MEMORY: also if there
 *           is no memory for the workspace.  UNSUPPORTED: the algorithm is not built, or cannot do this length, type, precision
 *           or order.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_create(struct gfmul_fft **plan, size_t n,
                                                              const struct gfmul_fft_options *opt);

/*
 * gfmul_fft_forward, gfmul_fft_backward - run a plan.
 *
 *   out  out  batches as the plan says, in its precision
 *   in   in   likewise
 *
 * Error:    in the Euclidean norm, relative: a few eps log2 n.  tests/t-fft has constants that hold.
 *           Double-double: at most 14.4 log2 n times 2^-106 for n = 4^k (doc/error-bound.md, section 19.8).  For 2^20 points
 *           about 2^-105 was seen.  With Bluestein's algorithm twice as much was seen as for smooth lengths.
 *           On a device there is no proof; tests/t-dd_ocl allows 3 log2 (2 n) times 2^-106.
 * Range:    The sizes of the numbers of a transform add up to at most 2^900 (float: 2^90).  Beyond, sums may overflow.
 *           Results near the least normal number lose precision gradually.
 * Aliasing: out == in is allowed if transforms fill the same places on both sides.  These do: complex ones with equal distances,
 *           and real ones with batch 1 or time_dist = 2 frequency_dist.  Other overlaps are errors (OVERLAP).
 * Threads:  Large transforms and batches run in parallel.  A call inside a parallel region of OpenMP runs on one thread.
 * Errors:   ARGUMENT, OVERLAP, MEMORY (a workspace of about the transform's size).
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_forward(const struct gfmul_fft *plan, void *out, const void *in);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_backward(const struct gfmul_fft *plan, void *out, const void *in);

/*
 * gfmul_fft_enqueue - run a plan on data that are on its device.  The commands are put into a queue; the call does not wait.
 *
 *   backward  in      0: forward; else backward
 *   out       out     cl_mem of the queue's context, batches as the plan says, from its first byte on
 *   in        in,out  likewise; it may be overwritten
 *
 * Aliasing: as for gfmul_fft_forward; the same cl_mem means in place.  Parts of one buffer must not overlap.
 * Errors:   ARGUMENT: also a buffer that is too small or of another context.  OVERLAP, SIZE, MEMORY, DEVICE.
 *           UNSUPPORTED: algorithms of the CPU, and algorithm "opencl" for batches of real transforms of even length with an odd
 *           time_dist.  Device algorithms listed for lengths "2^k .." also refuse transforms in place and with gaps.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_enqueue(const struct gfmul_fft *plan, int backward, void *out, void *in);

/* gfmul_fft_finish - wait for all enqueued commands.  Errors of commands that ran are returned here. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_fft_finish(const struct gfmul_fft *plan);

/* gfmul_fft_queue - the cl_command_queue, the caller's or the library's.  It lives as long as the plan.  NULL on the CPU. */
GFMUL_API void *gfmul_fft_queue(const struct gfmul_fft *plan);

/*
 * gfmul_fft_frequency - the k of the X_k that stands at a place of a plan's spectrum.
 *
 *   place  in  0 .. n - 1; place 0 holds X_0
 *
 * In natural order k = place.  Some lengths have this order in a permuted plan, too.
 * Two plans agree if they have the same length, precision, algorithm and order, on one machine and device.
 */
GFMUL_API size_t gfmul_fft_frequency(const struct gfmul_fft *plan, size_t place);

/* gfmul_fft_destroy - free a plan.  NULL is allowed.  No call may be running on it. */
GFMUL_API void gfmul_fft_destroy(struct gfmul_fft *plan);

/*
 * Transforms modulo a prime p that the caller names, of integers 0 .. p - 1, exactly:
 *
 *     cyclic      forward   X_k = sum over j < n of x_j w^(j k) mod p,            w a root of unity of order n modulo p
 *     negacyclic  forward   X_k = sum over j < n of x_j w^(j (2 k + 1)) mod p,    w of order 2 n
 *     backward    n times the inverse, or the inverse if `scale` is set
 *
 * Products of cyclic spectra, point by point, are spectra of products modulo x^n - 1; those of negacyclic ones modulo x^n + 1.
 * n is 2^a, 3 2^a, 5 2^a or 7 2^a.  n, or 2 n, divides p - 1.  p is below 2^62; those below 0.79 * 2^50 take half the time.
 */

/*
 * gfmul_ntt_options - the options of a plan.  Fill it with gfmul_ntt_options_init, then change fields.
 *
 *   negacyclic  0: cyclic
 *   scale       not 0: backward divides by n, and so is the inverse of forward
 *   root        w.  0: the plan chooses one; gfmul_ntt_root has it.  It is 0 for several primes.
 *   batch       transforms in one call, at least 1
 *   dist        distance from one transform of a batch to the next, in numbers.  0: n, or k n for k primes.
 *   threads     0: as in gfmul_options; n: at most n
 *   order       of spectra.  PERMUTED: for n = 2^a bits are reversed; gfmul_ntt_frequency has all lengths.  It costs less.
 */
struct gfmul_ntt_options {
    size_t struct_bytes; /* set by gfmul_ntt_options_init; allows new fields */
    int negacyclic;
    int scale;
    uint64_t root;
    size_t batch, dist;
    unsigned threads;
    enum gfmul_fft_order order;
};

/* gfmul_ntt_options_init - set the defaults: one cyclic transform in natural order.   opt  out. */
GFMUL_API void gfmul_ntt_options_init(struct gfmul_ntt_options *opt);

struct gfmul_ntt;

/*
 * gfmul_ntt_create - plan transforms of length n modulo p.
 *
 *   plan  out  the plan, NULL on failure; end it with gfmul_ntt_destroy
 *   n     in   the length: 2^a, 3 2^a, 5 2^a or 7 2^a
 *   p     in   the prime, below 2^62; n divides p - 1, or 2 n does for negacyclic ones
 *   opt   in   options, or NULL for the defaults
 *
 * Cost:     the time of some tens of transforms.  Tables have up to 2 n numbers; from 2^50 on, up to 8 n.
 * Errors:   ARGUMENT: also if p is no prime, n (negacyclic: 2 n) does not divide p - 1, or the root has another order.
 *           UNSUPPORTED: another length, or p >= 2^62.  SIZE, MEMORY.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_ntt_create(struct gfmul_ntt **plan, size_t n, uint64_t p,
                                                              const struct gfmul_ntt_options *opt);

/*
 * gfmul_ntt_create_rns - plan transforms of length n modulo each of k primes: a residue number system.
 *
 * A transform of a batch has k n numbers: n residues modulo p[0], then n modulo p[1], and so on.  All functions of plans take it.
 *
 *   plan  out  as above
 *   n     in   as above
 *   p     in   k primes, as above.  They may repeat.
 *   k     in   at least 1
 *   opt   in   options, or NULL for the defaults.  The root is 0 if k > 1.
 *
 * Threads:  Transforms modulo different primes run in parallel, one thread each.
 * Cost, errors:  as above.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_ntt_create_rns(struct gfmul_ntt **plan, size_t n, const uint64_t *p, size_t k,
                                                                  const struct gfmul_ntt_options *opt);

/*
 * gfmul_ntt_forward, gfmul_ntt_backward - run a plan.
 *
 *   out  out  batches as the plan says, numbers below p
 *   in   in   likewise
 *
 * Buffers aligned to 64 bytes save a copy in permuted order.
 * Aliasing: out == in is allowed.  Other overlaps are errors (OVERLAP).
 * Threads:  Large transforms and batches run in parallel.
 * Errors:   ARGUMENT: also a number that is not below p; out is undefined then.  OVERLAP, MEMORY (a workspace of n numbers).
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_ntt_forward(const struct gfmul_ntt *plan, uint64_t *out, const uint64_t *in);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_ntt_backward(const struct gfmul_ntt *plan, uint64_t *out, const uint64_t *in);

/*
 * gfmul_ntt_multiply - z = x y modulo p, point by point, of a whole batch.
 *
 *   z     out  batches as the plan says, numbers below p
 *   x, y  in   likewise, in one order
 *
 * Cost:     a product for each number, in one thread.
 * Aliasing: z may be x or y; x may be y.  Other overlaps are errors (OVERLAP).
 * Errors:   ARGUMENT: also a number that is not below p; z is undefined then.  OVERLAP.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_ntt_multiply(const struct gfmul_ntt *plan, uint64_t *z, const uint64_t *x,
                                                                const uint64_t *y);

/* gfmul_ntt_root - w: the caller's root, or the plan's;  gfmul_ntt_root_rns - that of prime i, 0 if there is none. */
GFMUL_API uint64_t gfmul_ntt_root(const struct gfmul_ntt *plan);
GFMUL_API uint64_t gfmul_ntt_root_rns(const struct gfmul_ntt *plan, size_t i);

/* gfmul_ntt_frequency - the k of the X_k at a place 0 .. n - 1 of a spectrum.  It is the same on all machines. */
GFMUL_API size_t gfmul_ntt_frequency(const struct gfmul_ntt *plan, size_t place);

/* gfmul_ntt_destroy - free a plan.  NULL is allowed.  No call may be running on it. */
GFMUL_API void gfmul_ntt_destroy(struct gfmul_ntt *plan);

/*
 * Convolutions of a_0 .. a_(an-1) with b_0 .. b_(bn-1):
 *
 *     linear      z_k = sum over i + j = k of a_i b_j,                 k = 0 .. an + bn - 2
 *     cyclic      z_k = sum over i + j = k modulo n of a_i b_j,        an = bn = n
 *     negacyclic  the same, with a minus for terms with i + j >= n,    an = bn = n
 *
 * The types of the numbers a_i, b_j, and of the results:
 *
 *     real, complex   double, pairs of double; z likewise.  Errors are those of transforms in double precision.
 *     real_float, complex_float
 *                     float, pairs of float; z likewise.  The same in single precision.
 *     real_dd, complex_dd
 *                     double-double: two doubles, the number and its rest; complex ones four, as transforms have them; z
 *                     likewise.  Errors are those of transforms in double-double, units of 2^-106.
 *     int32, int64, uint64
 *                     int32_t, int64_t, uint64_t.  Each z_k has `words` words of 64 bits, least significant first, in two's
 *                     complement: its exact value modulo 2^(64 words).  Two words hold any int32 result for an, bn < 2^32,
 *                     three words any other result.
 *     mod             uint64_t below `modulus`; z likewise: the exact result modulo it.
 *
 * Overflow of real and complex ones: Let S_a, S_b be the sums of the sizes of the numbers of a and of b.  S_a, S_b and the
 * product of the Euclidean norms of a and b are at most 2^900 (float: 2^90).  Beyond, sums may overflow.
 *
 * Underflow of real and complex ones is gradual in every thread, whatever the caller's mode.  Let t be the least positive number,
 * 2^-1074 (float: 2^-149).  Underflow adds at most 16 (an + bn) (1 + S_a + S_b) t to the error of each part of a result.
 * So large numbers in one sequence spoil tiny ones in the other, even if their products are not tiny.  Remedy: multiply each
 * sequence by a power of two, so that its largest number is near 1, and divide the results.  In double-double t is 2^-968, below
 * which a product's rest is no longer complete.
 *
 * All sums of integers are exact.  On the CPU int64, uint64 and mod are convolved modulo primes of 50 bits, and joined by the
 * Chinese remainder theorem (doc/error-bound.md, section 22.1).  The sizes of the numbers decide how many primes there are.  A
 * cyclic or negacyclic convolution of 2^a, 3 2^a, 5 2^a or 7 2^a numbers, a >= 7, takes transforms of just that length.
 *
 * Other integers are cut into balanced pieces.  The pieces are so narrow that the rounding error of their convolution is proved
 * to be below 1/2 (doc/error-bound.md, section 17).
 */
enum gfmul_conv_kind { GFMUL_CONV_LINEAR = 0, GFMUL_CONV_CYCLIC, GFMUL_CONV_NEGACYCLIC };
enum gfmul_conv_number {
    GFMUL_CONV_REAL = 0,
    GFMUL_CONV_COMPLEX,
    GFMUL_CONV_INT32,
    GFMUL_CONV_INT64,
    GFMUL_CONV_MOD,
    GFMUL_CONV_REAL_FLOAT,
    GFMUL_CONV_COMPLEX_FLOAT,
    GFMUL_CONV_REAL_DD,
    GFMUL_CONV_COMPLEX_DD,
    GFMUL_CONV_UINT64
};

/*
 * gfmul_conv_options - the options of a convolution.  Fill it with gfmul_conv_options_init, then change fields.
 *
 *   kind      linear, cyclic or negacyclic
 *   number    the type of the numbers
 *   words     1, 2 or 3; for int32, int64 and uint64
 *   modulus   2 .. 2^64 - 1; for mod
 *   threads   0: as in gfmul_options; n: at most n.  Short transforms use one thread.
 *   batch     sequences a in one call, at least 1: a has batch times an numbers, z as many results one behind another
 *   device    a device, as in gfmul_options: sequences are uploaded, convolved there, and results downloaded.  NULL, "auto" or
 *             "cpu": the CPU.  Integers and double-double need a device with double precision.  Devices have no uint64.
 *   cl_context, cl_queue
 *             as in gfmul_fft_options; for gfmul_conv_enqueue, too
 */
struct gfmul_conv_options {
    size_t struct_bytes; /* set by gfmul_conv_options_init */
    enum gfmul_conv_kind kind;
    enum gfmul_conv_number number;
    unsigned words;
    uint64_t modulus;
    unsigned threads;
    size_t batch;
    const char *device;
    void *cl_context, *cl_queue;
};

/* gfmul_conv_options_init - set the defaults: linear, real, two words, one sequence.   opt  out. */
GFMUL_API void gfmul_conv_options_init(struct gfmul_conv_options *opt);

struct gfmul_conv;

/*
 * gfmul_conv_create - prepare a kernel b that is convolved with many sequences.  It is transformed once.
 *
 *   conv    out  the kernel, NULL on failure; end it with gfmul_conv_destroy
 *   b       in   bn numbers, bn >= 1; not used after the return
 *   max_an  in   length of the sequences to come, at least 1; decides the length of the transform.  Cyclic, negacyclic: bn.
 *   opt     in   options, or NULL for the defaults
 *
 * A linear convolution with a longer sequence cuts it and adds the results (overlap-add).  So does one with a sequence that is
 * much longer than b.
 * Errors:   ARGUMENT: also a number not below the modulus.  SIZE, MEMORY.  PRECISION: no plan proves so long an integer one.
 *           DEVICE.  UNSUPPORTED: the device cannot do this type of numbers, or the build has no devices.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_conv_create(struct gfmul_conv **conv, const void *b, size_t bn, size_t max_an,
                                                               const struct gfmul_conv_options *opt);

/*
 * gfmul_conv_run - z = a * b.
 *
 *   z   out  an + bn - 1 numbers (linear), or bn; as many for each sequence of the batch
 *   a   in   an numbers, an >= 1; an = bn if not linear; as many for each sequence of the batch
 *
 * Aliasing: z must not overlap a (OVERLAP).
 * Threads:  any number may use one kernel at once.
 * Errors:   ARGUMENT: also a number not below the modulus.  OVERLAP, MEMORY, SIZE, DEVICE.  On failure z is undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_conv_run(const struct gfmul_conv *conv, void *z, const void *a, size_t an);

/*
 * gfmul_conv_enqueue - the same of data that are on the kernel's device.  The commands are put into a queue; the call does not
 * wait.
 *
 *   z   out  cl_mem of the queue's context, results from its first byte on
 *   a   in   likewise; numbers have to be below the modulus
 *
 * Aliasing: z and a are two buffers that do not overlap (OVERLAP).
 * Errors:   ARGUMENT: also a buffer that is too small or of another context.  OVERLAP, SIZE, MEMORY, DEVICE.  UNSUPPORTED: on
 *           the CPU.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_conv_enqueue(const struct gfmul_conv *conv, void *z, void *a, size_t an);

/* gfmul_conv_finish - wait for all enqueued commands.  Errors of commands that ran are returned here. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_conv_finish(const struct gfmul_conv *conv);

/* gfmul_conv_queue - the cl_command_queue, the caller's or the library's.  It lives as long as the kernel.  NULL on the CPU. */
GFMUL_API void *gfmul_conv_queue(const struct gfmul_conv *conv);

/* gfmul_conv_destroy - free a kernel.  NULL is allowed.  No call may be running on it. */
GFMUL_API void gfmul_conv_destroy(struct gfmul_conv *conv);

/*
 * gfmul_convolve - z = a * b in one call.  Arguments are those of gfmul_conv_create and gfmul_conv_run.
 *
 * The shorter operand becomes the kernel, b in a batch.  Long convolutions of int64, uint64 and mod on the CPU leave tables and
 * buffers for the next one.  They go back to the system like those of products (gfmul_ctx_trim).
 * Aliasing: z must not overlap a or b (OVERLAP).  a and b may be the same.
 * Errors:   those of both functions.  On failure z is undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_convolve(void *z, const void *a, size_t an, const void *b, size_t bn,
                                                            const struct gfmul_conv_options *opt);

#ifdef __cplusplus
}
#endif
#endif
