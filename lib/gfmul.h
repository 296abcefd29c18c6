/*
 * gfmul.h - exact multiplication of big integers by FFT convolution.
 *
 * Copyright (C) 2026 the gfmul authors.  SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The library multiplies limbs, mpz_t and text.  A limb is a word of 64 bits, about 19.3 decimal digits.
 *
 * Short products are exact integer arithmetic, by GMP or by vectors.  Above a measured size the product is a floating-point
 * convolution, whose rounding error is proved to be so small that the rounded digits are exact (doc/error-bound.md).  As an
 * independent check, each such product is then compared modulo random primes.
 *
 * The contract of every function, unless it says otherwise:
 *
 *   errors    A function returns a status, and writes no output if it fails.  It never prints, exits or aborts.
 *             Exception: GMP and FFTW end the process when they get no memory.  You can replace GMP's allocator with
 *             mp_set_memory_functions.
 *   threads   Every function is thread-safe, and threads may share a context.  The library starts threads of its own and keeps
 *             them; they sleep between calls.  If the system gives fewer, calls go on with these.
 *   stack     A thread that calls the library needs 96 KiB of stack, GMP's share included.  A call that may need more runs on a
 *             thread of the library, and so does a call from a coroutine whose frame is not on its thread's own stack.
 *   fork      A process may fork at any time, even while other threads are inside the library.  Their calls go on in the parent
 *             alone, and the child loses the memory that they hold.  The child starts threads of its own.
 *             Device operands, pinned memory and jobs belong to the parent.  If the parent has looked for devices, the child has
 *             none: a named device is an error, and "auto" is the CPU.
 *   cancel    Only the progress callback is a cancellation point.  Do not use asynchronous cancellation.
 *   rounding  The floating-point unit may be in any rounding mode.  Calls round to nearest in each of their threads, and then
 *             restore the caller's mode.  The progress callback runs in the caller's mode.
 *   ctx       NULL means a shared default context with default options, which is made at its first use.  It is freed when the
 *             process ends, unless calls still run on it or it has opened a device.
 */
#ifndef GFMUL_H
#define GFMUL_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GFMUL_VERSION_MAJOR 0
#define GFMUL_VERSION_MINOR 1
#define GFMUL_VERSION_PATCH 0

#if defined(__GNUC__)
#define GFMUL_MUST_CHECK __attribute__((warn_unused_result))
#define GFMUL_API        __attribute__((visibility("default")))
#else
#define GFMUL_MUST_CHECK
#define GFMUL_API
#endif

/* Status codes.  They are never renumbered. */
enum gfmul_status {
    GFMUL_OK = 0,
    GFMUL_ERR_ARGUMENT = 10,    /* NULL, an unknown option value, a base outside 2..36, a buffer too small */
    GFMUL_ERR_OVERLAP = 11,     /* buffers overlap, and the function does not allow it */
    GFMUL_ERR_SYNTAX = 20,      /* the text is not a number; the report has operand, offset, line and column */
    GFMUL_ERR_EMPTY = 21,       /* the text has no digit */
    GFMUL_ERR_MEMORY = 30,      /* an allocation failed, or would exceed memory_limit */
    GFMUL_ERR_SIZE = 31,        /* the operands are too large for any plan, or a size overflows size_t */
    GFMUL_ERR_PRECISION = 40,   /* the rule admits no plan; the report names the precision needed */
    GFMUL_ERR_UNSUPPORTED = 41, /* a valid choice that this build or this machine does not have */
    GFMUL_ERR_DEVICE = 50,      /* the named device is missing or cannot be used */
    GFMUL_ERR_VERIFY = 60,      /* a product failed its check and was discarded */
    GFMUL_ERR_INTERRUPTED = 70, /* the progress callback asked to stop */
    GFMUL_ERR_FILE = 80,        /* a file or folder cannot be used, or reading or writing failed (gfmul_files.h) */
    GFMUL_ERR_SPACE = 81,       /* a file system has too little room */
    GFMUL_ERR_INTERNAL = 90     /* a defect of the library */
};

/* The most primes of one residue check. */
enum { GFMUL_RESIDUES_MAX = 6 };

/* Choices.  0 is always "auto" or the default. */
enum gfmul_engine { GFMUL_ENGINE_AUTO = 0, GFMUL_ENGINE_CPU, GFMUL_ENGINE_OPENCL, GFMUL_ENGINE_FFTW, GFMUL_ENGINE_GMP };
enum gfmul_rule { GFMUL_RULE_NORM = 0, GFMUL_RULE_KNUTH, GFMUL_RULE_CHECKED };
enum gfmul_precision {
    GFMUL_PRECISION_AUTO = 0,
    GFMUL_PRECISION_FLOAT,
    GFMUL_PRECISION_DOUBLE,
    GFMUL_PRECISION_DD,
    GFMUL_PRECISION_PRIME
};
enum gfmul_packing {
    GFMUL_PACKING_AUTO = 0,
    GFMUL_PACKING_TWO_FOR_ONE,  /* x + iy: one cyclic transform for both operands; on devices in double precision */
    GFMUL_PACKING_ONE_FOR_HALF, /* x_2j + i x_(2j+1): cyclic, half as many points; on devices in double precision */
    GFMUL_PACKING_RIGHT_ANGLE   /* x_j + i x_(j+n), modulo x^n - i */
};
enum gfmul_verify { GFMUL_VERIFY_MOD = 0, GFMUL_VERIFY_GMP, GFMUL_VERIFY_NONE };

struct gfmul_ctx;
struct gfmul_operand;
struct gfmul_job;
struct gfmul_device_operand;

/*
 * gfmul_options - the options of a context.  Fill it with gfmul_options_init, then change fields.
 *
 *   engine        AUTO: the fastest engine for the size.
 *                 FFTW: the library loads libfftw3.so.3 when a context asks for it.  Its rounding errors are not proved, so
 *                 residues check each product, whatever `verify` says.  It is in double, with packing AUTO or ONE_FOR_HALF.
 *                 The library locks FFTW's planner against its own calls only.  If your program makes plans of FFTW at the same
 *                 time, call fftw_make_planner_thread_safe() first.
 *   rule          How large the digits of a transform may be.
 *                 NORM: as large as the proof allows (doc/error-bound.md).  The proof uses the norms of the operands' digits and
 *                 of the product's.  If these are too large, the product is made again by a plan that is valid for all operands.
 *                 KNUTH: mu >= 4m + 2l must hold as well (see gfmul_plan_info), which is far more cautious, and slower.  All
 *                 levels are computed with significands of mu bits, unless `adaptive` is set.
 *                 Products of up to 8192 bits are in double, longer ones in double-double.  Engine FFTW, precision DOUBLE and the
 *                 cyclic packings have no double-double, so longer products, also within other calls, are PRECISION there.
 *                 A device has this rule in double-double alone, so none can be named beside these choices.
 *                 CHECKED: larger digits without a proof, which is faster.  The rounding error is watched, and residues check
 *                 each product, whatever `verify` says.  On any doubt the product is made again with smaller digits, and at last
 *                 with those of NORM.
 *                 A wrong product is returned with a probability below 2^-64, at every size, for all operands, whatever went
 *                 wrong.  The probability is taken over the primes, which the system's source of random numbers draws.  There are
 *                 two to four of 58 bits, or two to six of up to 52 bits if the processor multiplies these faster
 *                 (doc/error-bound.md, section 16).
 *                 Products of 2^22 bits or more draw primes of their own.  Shorter ones, and products with fixed operands or
 *                 numbers on a device, share the primes of the context, which are drawn at their first use.  An adversary who
 *                 knows the primes is not covered, and reports show the primes.
 *   precision     AUTO: double.  Primes if they are known to be faster, or if there is no memory for double.  Double-double under
 *                 rule KNUTH if double is too short.
 *                 FLOAT: only for the transforms of gfmul_fft.h.
 *                 DD: double-double, with rules NORM and KNUTH, and packing AUTO or RIGHT_ANGLE.
 *                 PRIME: residues modulo several primes, of 50 bits on the CPU, of 30 or 31 on a named OpenCL device.  They are
 *                 exact, so no operand needs a second plan.  Only with rule NORM and packing AUTO.  On the CPU text goes through
 *                 limbs.
 *   verify        MOD: compare residues of each product modulo a random prime, or verify_primes of them.  GMP: compare with GMP's
 *                 product.  NONE.  Products of limbs by GMP, or exact by vectors, are not compared.
 *   verify_primes Primes of verify MOD, at most GFMUL_RESIDUES_MAX.  0: one.  Rule CHECKED and engine FFTW take more if the size
 *                 needs them.
 *   certify       1: gfmul_ctx_certificate has a certificate of each product.  GMP then makes no product, and residues are taken
 *                 as under rule CHECKED, whatever `verify` says.  Not for engine GMP.
 *   threads       0: the first number in the environment variable OMP_NUM_THREADS, or else the number of processors that the
 *                 process may use.  n: at most n, 1..1024.  Inside a parallel region of OpenMP, one thread is used.
 *   memory_limit  Bytes that one call may allocate; calls that run at once have this limit each.  0: the memory of the machine,
 *                 or of the process's control groups (Linux) if they have less, as in a container.
 *                 Near the limit the context first frees what it keeps from earlier products.  Then one operand is transformed
 *                 branch by branch, which takes longer.  If there is no room for that, precision AUTO multiplies limbs modulo
 *                 primes (rule NORM), which takes half of the memory.  In two halves that takes a third, and a fifth more time.
 *                 If nothing fits, the call fails before the first transform.  It can fail later only if unusual digits need a
 *                 larger plan (n_fallbacks).
 *                 The sizes requested are counted, and real use is a little higher.  Blocks over 512 KiB take whole pages of 2
 *                 MiB, and a reused block may be 1/32 larger than requested.  GMP's own memory is not counted.
 *   device        "auto" or NULL: a GPU with double precision if the product is large enough to gain by it.  If anything goes
 *                 wrong there, the CPU makes the product.
 *                 "cpu": no other device.  "gpu": a GPU, or any OpenCL device if there is no GPU.
 *                 An index of gfmul_device_list (0 is the CPU), or part of a device's or platform's name: that device, or an
 *                 error.
 *                 Several of these with commas, as "1,2": products that run at once, such as jobs, go to the device with the
 *                 least work.  If one fails or is lost, another one makes its products again; it is an error only if all fail.
 *                 Idle devices share a long product of limbs, in cells, if that is estimated to take less time.  They do not
 *                 share jobs, nor products with a certificate or with `profile`.  Numbers on a device are on the first one.
 *                 A device named twice is used like two, for tests.  The CPU cannot be in a list.
 *                 "all": all GPUs with double precision; without one, all devices with it; without one, all devices.
 *   progress      A callback that gets `progress_arg` and the share of work done, in [0, 1].  It is called with 0 before the
 *                 work, and then about every 50 ms if the product has 2^16 limbs or more.  It runs in the thread that called the
 *                 library, or in the thread of a job.  If several jobs run, several threads may call it at once.
 *                 A non-zero return stops the work soon, with GFMUL_ERR_INTERRUPTED.  These steps finish first: GMP's products
 *                 and conversions, FFTW's transforms, and a product that a device makes in one piece, or devices share.
 *                 The callback must not call the library with the same context, nor with another context of the same device.
 *                 If it does, the product ends with GFMUL_ERR_INTERRUPTED.
 *                 The product itself runs on a thread of the library, and rests during the callback.  That thread also calls
 *                 GMP's allocator, one call at a time.
 *                 The callback need not return: a long jump, a C++ exception, pthread_exit or a cancellation may end it.  You may
 *                 free the operands and the product at once.  The call's memory goes back to the context at once, too.  After a
 *                 long jump it goes back when the thread next uses the context or its operands, or when the context is
 *                 destroyed.  The same is true of a thread that ended, if the libc does not unwind it (musl).
 *                 The callback of a job may end its thread, and the job is then interrupted.  It must not leave in other ways.
 *                 The callback may fork.  In the child the call ends with GFMUL_ERR_INTERRUPTED when the callback returns.
 *   profile       1: time the kernels of an OpenCL device, for gfmul_ctx_kernels.  This costs some microseconds a kernel.
 *   cl_context    The caller's own cl_context, and a cl_command_queue on it that runs in order.  Both are retained.
 *   cl_queue      The device is then the queue's, and `device` must be NULL or "auto".  NULL: the library makes its own.
 *   adaptive      1: under rule KNUTH in double-double, some first and last levels on the CPU may run in double.  The proof
 *                 admits them, but the inequality does not, because their mu is 53.  Plans print both.  Rule NORM always does so.
 */
struct gfmul_options {
    size_t struct_bytes; /* set by gfmul_options_init; allows new fields */
    enum gfmul_engine engine;
    enum gfmul_rule rule;
    enum gfmul_precision precision;
    enum gfmul_packing packing;
    enum gfmul_verify verify;
    unsigned threads;
    size_t memory_limit;
    const char *device;
    int (*progress)(void *arg, double done);
    void *progress_arg;
    int profile;
    void *cl_context;
    void *cl_queue;
    unsigned verify_primes;
    int certify;
    int adaptive;
};

/* gfmul_plan_info - how a product is made.  These are the lines of bigmul --plan. */
struct gfmul_plan_info {
    const char *engine;    /* "gmp" (also products of few limbs by the library's own words), "short" (exact, by vectors), "cpu",
                              "fftw", "opencl".  Strings are static and never NULL */
    const char *isa;       /* "scalar", "sse2", "avx2", "avx512", "neon"; "" if it does not apply */
    const char *device;    /* "cpu", or the name of a device.  A device's name lives as long as the context */
    const char *rule;      /* "norm", "knuth", "checked"; "" for engine gmp and short */
    const char *precision; /* "double", "dd" (double-double), "prime"; "" for engine gmp and short */
    const char *packing;   /* "two-for-one", "one-for-half", "right-angle"; "" for engine gmp and short */
    unsigned threads;
    unsigned mu;               /* bits of the significand */
    double m;                  /* log2 of the real points; fractional if the length has an odd factor */
    double l;                  /* bits per digit: log2 of the digit base */
    unsigned base, exponent;   /* digit base B = base^exponent */
    size_t n_points;           /* complex points of one transform */
    size_t a_digits, b_digits; /* digits of the two operands in one transform */
    size_t n_slices;           /* slices of the longer operand, each with a transform; 1 if the operands are balanced */
    size_t n_branches;         /* parts in which one operand is transformed to save memory; 1: it is transformed whole */
    double k;                  /* the constant K of doc/error-bound.md: error <= ||x|| ||y|| K u / (1 - F u).  "dd": u^2 for u */
    double bound;              /* the bound of the rounding error.  It is below 0.5 if norms_measured is 0.  With measured norms a
                                plan has the expected bound, and a report the proved one.  Both may be up to 1 then: the proved
                                one is below 1 less the largest error of its transform, which suffices to round */
    int norms_measured;        /* 1: the norms of the digits are measured, with a fall-back; 0: the worst case is assumed */
    int inverse_measured;      /* 1: the bound also uses the coefficients of the product, with a fall-back; 0: it does not */
    int proved;          /* 1: the bound is a theorem for the passes that run.  0: it is the expectation of a model for random
                                digits (engine fftw, rule checked) */
    int knuth;           /* 1: mu >= 4m + 2l holds at every level; 0: it does not, or not for levels in double */
    size_t memory_bytes; /* tables and workspace of one call */
    size_t a_pieces, b_pieces; /* rule knuth: pieces of the operands, each of a_digits; else 1 */
    unsigned narrow_levels;    /* "dd": first levels whose input is digits as doubles; an odd radix counts as one */
    unsigned double_levels;    /* "dd": last levels of the inverse transform that run in double */
    unsigned light_levels;     /* "dd": levels in both directions whose sums are rounded once for two levels */
    int wraps;                 /* 1: the transform gives the product modulo 2^K + 1, where K is the bits of all its digits, or
                                   modulo 2^K - 1 ("prime").  A short product of the operands' lowest limbs gives the rest */
    size_t wrap_limbs;         /* limbs of each operand of that short product: the limbs of the product beyond K bits */
    char passes[192];          /* of the forward transform, which determine K: the radix of each, "15.8m.4t.4t".  t: a true
                                   radix 4, not nested steps of radix 2; m: radix 4, then radix 2.  On a device: radices, items
                                   and columns of each pass, then the passes back, in the kernels' notation */
    unsigned residue_primes;   /* random primes that the product is checked by; 0: no residues are taken */
};

/* gfmul_residue - a prime of a residue check, and the residues of the magnitudes of a, b and z = a b. */
struct gfmul_residue {
    uint64_t prime, a, b, z; /* a is the longer operand, or the one that is not fixed */
};

/* gfmul_device_info - an OpenCL device. */
struct gfmul_device_info {
    char name[128], platform[128], driver[64];
    int gpu;                                             /* 1: it is a GPU */
    int fp64;                                            /* 1: it has double precision */
    int usable;                                          /* 1: the library can multiply on it */
    char why_not[160];                                   /* the reason if it is not usable; else "" */
    uint64_t global_bytes, max_alloc_bytes, local_bytes; /* all memory, the largest buffer promised, memory of a work-group */
    unsigned compute_units, max_work_group;              /* max_work_group: work-items */
    /* Per nanosecond: fma in double, products modulo a prime of 31 bits, bytes copied.  They decide between precisions double and
       prime on GPUs that are in no table, and are measured when such a GPU is first opened with a driver.  0: not known, or in a
       table (H100, H200). */
    double fma_rate, product_rate, copy_rate;
};

/* gfmul_driver_info - a driver of OpenCL, as it is registered with OpenCL's loader. */
struct gfmul_driver_info {
    char file[256];    /* where it is registered, as "/etc/OpenCL/vendors/pocl.icd" */
    char library[256]; /* what that file names; "" if it cannot be read */
    int usable;        /* 1: it has devices */
    char why_not[256]; /* the reason if it has none, or could not be tried; else "" */
};

/* gfmul_kernel_time - the launches of one kernel within a product. */
struct gfmul_kernel_time {
    char name[40];
    unsigned launches;
    uint64_t ns;  /* of all launches together */
    double bytes; /* of the device's memory, read and written; 0: not counted */
};

/*
 * gfmul_report - the record of the last finished call of a context.  These are the lines of bigmul --stats.
 *
 * The library fills five structures: this one, gfmul_plan_info, gfmul_device_info, gfmul_driver_info and gfmul_kernel_time.
 * They have no struct_bytes.  A new minor version may add fields at their ends, with a new soname: recompile programs then.
 */
struct gfmul_report {
    enum gfmul_status status;
    char detail[256];                /* one line of English: the error, or why a device did not make the product; else "" */
    int error_operand;               /* 0 or 1 if status is SYNTAX or EMPTY, else -1 */
    size_t error_offset;             /* byte offset of the offending character */
    size_t error_line, error_column; /* counted from 1 */
    struct gfmul_plan_info plan;
    uint64_t parse_ns, plan_ns, transform_ns, carry_ns, verify_ns, print_ns, total_ns;
    uint64_t device_start_ns;        /* finding and opening the device, building the transform's programs; a part of plan_ns */
    uint64_t upload_ns, download_ns; /* transfers that the call waited for; parts of transform_ns */
    double max_error;                /* largest |x - nearest integer| met while rounding, in [0, 1/2]; 0 if nothing was rounded */
    unsigned n_fallbacks; /* plans remade with smaller digits, because a measured norm, coefficient or rounding distance was too
                             large, or under rule CHECKED a rounding error or a residue was in doubt */
    unsigned n_device_errors; /* products that a device failed at or got wrong, and that were made again; see detail */
    uint64_t residue_prime;   /* first prime of the residue check; 0 if there was none.  An adversary who knows the primes is not
                               covered by the probability of rule CHECKED */
    char error_reason[128];   /* what is wrong with the text of error_operand: English, without its place; else "" */
    unsigned n_residues;      /* primes of the residue check */
    int residues_drawn;       /* 1: the primes were drawn for this product alone; 0: they are the context's */
    struct gfmul_residue residue[GFMUL_RESIDUES_MAX];
    unsigned device_place, n_devices; /* which of the named devices made the product, from 1 (0: the CPU); how many shared it */
};

/* gfmul_options_init - set all options to their defaults.   opt  out. */
GFMUL_API void gfmul_options_init(struct gfmul_options *opt);

/*
 * gfmul_ctx_create - make a context: options, chosen instruction set, plan cache, buffer pool.
 *
 *   ctx  out  the context, NULL on failure; end it with gfmul_ctx_destroy
 *   opt  in   options, or NULL for the defaults
 *
 * The environment variable GFMUL_DISABLE disables instruction sets.  It is a list such as "avx512,avx2".
 * Errors:   ARGUMENT, MEMORY.  DEVICE: gfmul_device_find says why.  UNSUPPORTED: an engine, precision or rule that is not built,
 *           options that do not go together (on the named device), or a system without a source of random numbers.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_ctx_create(struct gfmul_ctx **ctx, const struct gfmul_options *opt);

/* gfmul_ctx_destroy - free a context and all its memory.  NULL is allowed.  No call may be running on it. */
GFMUL_API void gfmul_ctx_destroy(struct gfmul_ctx *ctx);

/*
 * gfmul_ctx_trim - free the memory that a context keeps for later products: tables and buffers, also on its devices.
 *
 *   ctx  i/o  the context; NULL: the default context, and what convolutions keep, which belongs to no context
 *
 * Without it, buffers are lent to the system about a second after the last long product, or up to five seconds if the process
 * goes on computing.  The system takes them when it needs memory (MADV_FREE).  Until then they count as resident, and the next
 * product uses them again.  If a context keeps more than a fourth of the machine's memory, or if the system cannot borrow,
 * buffers and large tables go back instead.  So they do if tables, also those of convolutions, are more than a 256th.  A thread
 * that no signal reaches waits for that, and then ends.  It exists only after calls that needed 4 MiB or more, and convolutions.
 *
 * Memory of running calls, fixed operands and operands on devices stays.  The next product makes what it needs.
 * Threads:  thread-safe, even while other calls run.  It may wait for a call on a device.
 */
GFMUL_API void gfmul_ctx_trim(struct gfmul_ctx *ctx);

/*
 * gfmul_mul - z = a * b on limbs.
 *
 *   z   out  an + bn limbs, all written, least significant first
 *   a   in   an limbs, an >= 0
 *   b   in   bn limbs, bn >= 0; either operand may be the longer one
 *
 * Value:    an or bn 0 gives z = 0.
 * Aliasing: z must not overlap a or b (OVERLAP).  a and b may be the same; this is recognised as a square.
 * Cost:     O(N log N), N = an + bn.
 * Errors:   ARGUMENT, OVERLAP, MEMORY, SIZE, PRECISION, DEVICE, VERIFY, INTERRUPTED.  UNSUPPORTED: the named device lacks a
 *           precision that was asked for, or the system has no random numbers.  On failure the contents of z are undefined.
 * Source:   [Per03] Theorem 5.1, applied to each pass in doc/error-bound.md.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mul(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                                       const mp_limb_t *b, size_t bn);

/* gfmul_sqr - z = a^2 on limbs.  z has 2 an limbs.  The rest is as for gfmul_mul. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_sqr(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an);

/*
 * gfmul_mul_inline - gfmul_mul for loops over products of few limbs: up to GFMUL_INLINE_LIMBS it is compiled in place.
 *
 *   z, a, b   as for gfmul_mul
 *
 * These short products are not checked: a, b and z must not be NULL, and z must not overlap a or b.  They do not show in the
 * context's report.  All others go to gfmul_mul.
 */
#ifdef __SIZEOF_INT128__
#define GFMUL_INLINE_LIMBS 2
#else
#define GFMUL_INLINE_LIMBS 0
#endif
static inline enum gfmul_status gfmul_mul_inline(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                                 const mp_limb_t *b, size_t bn)
{
#ifdef __SIZEOF_INT128__
    if (an <= GFMUL_INLINE_LIMBS && bn - 1 < an) { /* bn from 1 to an; no sum reaches 2^128 */
        __extension__ typedef unsigned __int128 two_limbs;
        const two_limbs p = (two_limbs)a[0] * b[0];
        if (an == 1) {
            z[0] = (mp_limb_t)p;
            z[1] = (mp_limb_t)(p >> 64);
            return GFMUL_OK;
        }
        const two_limbs q = (two_limbs)a[1] * b[0] + (p >> 64);
        if (bn == 1) {
            z[0] = (mp_limb_t)p;
            z[1] = (mp_limb_t)q;
            z[2] = (mp_limb_t)(q >> 64);
            return GFMUL_OK;
        }
        const two_limbs r = (two_limbs)a[0] * b[1] + (mp_limb_t)q;
        const two_limbs top = (two_limbs)a[1] * b[1] + (q >> 64) + (r >> 64);
        z[0] = (mp_limb_t)p;
        z[1] = (mp_limb_t)r;
        z[2] = (mp_limb_t)top;
        z[3] = (mp_limb_t)(top >> 64);
        return GFMUL_OK;
    }
#endif
    return gfmul_mul(ctx, z, a, an, b, bn);
}

/* gfmul_mpz_mul - z = a * b, as mpz_mul: any signs, any aliasing of z, a and b.  On failure z keeps its value. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpz_mul(struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, mpz_srcptr b);

/*
 * gfmul_operand_create - prepare an operand b that is multiplied with many others.  It is transformed once.
 *
 *   op      out  the operand, NULL on failure; end it with gfmul_operand_destroy, before its context
 *   b       in   bn limbs, bn >= 0; copied
 *   max_an  in   limbs of the other operands; decides the length of the transform
 *
 * A product with it takes two transforms instead of three.  Operands longer than max_an are cut into slices.  Shorter ones cost
 * as much as one of max_an limbs, until they are short enough for GMP.
 *
 * Engine cpu keeps the transform of b, and so does a device that is to make the products and has room.  Engine auto keeps it
 * above the crossover to GMP.  In these cases only b itself is kept, and each product is an ordinary one:
 * - engines GMP and FFTW,
 * - packing two-for-one,
 * - rule KNUTH, unless the precision is DOUBLE,
 * - precision PRIME, unless a device is named,
 * - on a device, products with an operand longer than max_an.
 *
 * Memory:   a copy of b, its spectrum, and tables.  memory_limit must have room for them beside each product that is not GMP's.
 *           A second spectrum is made and kept if a product's norms or coefficients are too large for the plan, or if a
 *           product is in doubt under rule CHECKED.
 * Errors:   those of gfmul_mul except OVERLAP.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_operand_create(struct gfmul_ctx *ctx, struct gfmul_operand **op,
                                                                  const mp_limb_t *b, size_t bn, size_t max_an);

/* gfmul_operand_create_mpz - the same for an integer of any sign. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_operand_create_mpz(struct gfmul_ctx *ctx, struct gfmul_operand **op,
                                                                      mpz_srcptr b, size_t max_an);

/*
 * gfmul_operand_mul - z = a * |b|, b a fixed operand.
 *
 *   z   out  an + bn limbs, all written
 *   a   in   an limbs, an >= 0
 *
 * Aliasing: z must not overlap a (OVERLAP).
 * Threads:  thread-safe; any number may use one operand at once.
 * Errors:   those of gfmul_mul.  On failure the contents of z are undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_operand_mul(struct gfmul_operand *op, mp_limb_t *z, const mp_limb_t *a,
                                                               size_t an);

/* gfmul_operand_mul_mpz - z = a * b with all signs.  z and a may be the same.  On failure z keeps its value. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_operand_mul_mpz(struct gfmul_operand *op, mpz_ptr z, mpz_srcptr a);

/* gfmul_operand_destroy - free a fixed operand.  NULL is allowed.  No product may be running on it. */
GFMUL_API void gfmul_operand_destroy(struct gfmul_operand *op);

/*
 * gfmul_mul_async - start z = a * b, and return.
 *
 *   job  out  the job, NULL on failure; always end it with gfmul_job_wait, before its context
 *
 * The other arguments are those of gfmul_mul.  Until gfmul_job_wait returns, do not change a or b, and do not use z.
 *
 * Several jobs may run at once.  On a device, transfers of one job overlap kernels of another.  Each job has a thread of its own,
 * and as many more as the same product would have in the caller's thread.
 * Errors:   ARGUMENT (job is NULL), MEMORY.  Errors of the product come from gfmul_job_wait.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mul_async(struct gfmul_ctx *ctx, struct gfmul_job **job, mp_limb_t *z,
                                                             const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);

/* gfmul_job_done - 1 if gfmul_job_wait would return at once, else 0. */
GFMUL_API int gfmul_job_done(const struct gfmul_job *job);

/*
 * gfmul_job_wait - wait for the end of a job, and free it.
 *
 *   report  out  of this product; may be NULL
 *
 * Errors:   those of gfmul_mul.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_job_wait(struct gfmul_job *job, struct gfmul_report *report);

/*
 * gfmul_device_operand_create - make a number that stays on the context's OpenCL device.  Its value is 0.
 *
 *   op         out  the number, NULL on failure; end it with gfmul_device_operand_destroy, before its context
 *   max_limbs  in   the largest size of its values, in limbs
 *
 * The context must have a device, by name or by "auto", because the CPU does not replace it here.
 * If device memory is short, the context first frees its idle memory there, and waits for running products.
 * Threads:  several threads may read one number, but not while another one writes it.
 * Errors:   those of gfmul_mul.  DEVICE: there is no device, or it still has too little memory.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_operand_create(struct gfmul_ctx *ctx, struct gfmul_device_operand **op,
                                                                         size_t max_limbs);

/*
 * gfmul_device_operand_set - give a number on the device a value.
 *
 *   a  in  an limbs, an <= max_limbs (else ARGUMENT); not used after the return
 *
 * Errors:   those of gfmul_mul.  After an error other than ARGUMENT the value is 0.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_operand_set(struct gfmul_device_operand *op, const mp_limb_t *a,
                                                                      size_t an);

/*
 * gfmul_device_operand_get - fetch the value of a number on the device.
 *
 *   z  out  zn limbs, all written; zn >= gfmul_device_operand_limbs(op), else ARGUMENT
 *
 * The residue of the value is compared with the one expected from the values that were set, which checks all products that led to
 * it.  Option verify NONE turns this off.
 * Errors:   ARGUMENT, DEVICE, MEMORY.  VERIFY: the residues differ.  On failure the contents of z are undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_operand_get(const struct gfmul_device_operand *op, mp_limb_t *z,
                                                                      size_t zn);

/*
 * gfmul_device_operand_mul - z = a * b on the device, without a transfer of the numbers.
 *
 *   z     out  needs room for the limbs of a and b together, else ARGUMENT
 *   a, b  in   of the same context as z, else ARGUMENT
 *
 * When the function returns, the product is there, and its rounding error is proved to be small enough.  It is checked when it,
 * or a product made of it, is fetched.
 * Aliasing: z is neither a nor b (OVERLAP).  a and b may be the same: a square.
 * Errors:   those of gfmul_mul.  VERIFY: two attempts on the device gave values that cannot be rounded, or under rule CHECKED
 *           wrong residues.  After an error other than ARGUMENT or OVERLAP the value of z is 0.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_operand_mul(struct gfmul_device_operand *z,
                                                                      const struct gfmul_device_operand *a,
                                                                      const struct gfmul_device_operand *b);

/* gfmul_device_operand_limbs - limbs of its value.  The highest ones may be zero. */
GFMUL_API size_t gfmul_device_operand_limbs(const struct gfmul_device_operand *op);

/*
 * gfmul_device_operand_mem - its cl_mem: at least max_limbs limbs, least significant first.  NULL for NULL.
 *
 * You may read it in your own queue, the option cl_queue.  Commands in that queue run before a later gfmul_device_operand_set,
 * and gfmul_device_operand_destroy waits for them.  The library does not wait for other queues, such as that of a transform on a
 * device that it opened, so finish those reads first.
 * The number has other memory after it is changed, if a spectrum took or gave its value before you asked: then ask again.
 */
GFMUL_API void *gfmul_device_operand_mem(const struct gfmul_device_operand *op);

/* gfmul_device_operand_destroy - free the number.  NULL is allowed.  Its context must still exist. */
GFMUL_API void gfmul_device_operand_destroy(struct gfmul_device_operand *op);

/*
 * gfmul_device_host_alloc - allocate pinned host memory.
 *
 *   p      out  the memory, aligned to 64; NULL on failure; end it with gfmul_device_host_free, before the context
 *   bytes  in   its size
 *
 * The context's device reads and writes this memory directly, without copies through the library's own buffers.
 * Cost:     about 0.3 s per GiB, once.
 * Errors:   those of gfmul_device_operand_create.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_host_alloc(struct gfmul_ctx *ctx, void **p, size_t bytes);
GFMUL_API void gfmul_device_host_free(struct gfmul_ctx *ctx, void *p); /* NULL is allowed */

/*
 * gfmul_str_mul - the product of two numbers in text.
 *
 *   z       out  z_size bytes: "-" if negative, digits in lower case without leading zeros, NUL
 *   z_len   out  characters written, without the NUL; may be NULL
 *   z_base  in   2..36, or 0: that of a
 *   a       in   a_len characters, not NUL-terminated
 *   a_base  in   2..36, or 0: by the prefix 0x, 0o or 0b, else 10
 *   b       in   b_len characters, with b_base, likewise
 *
 * A number is an optional sign, an optional prefix and digits of either case.  A prefix needs base 0 or its own base.  White
 * space, line ends and '_' between digits are ignored.
 * If all bases agree, long products have no radix conversion: the digits of the convolution are cut from the text.
 * Size:     z_size >= gfmul_str_mul_size(...) is always enough.
 * Aliasing: z must not overlap a or b.  a and b may be the same.
 * Errors:   those of gfmul_mul.  SYNTAX, EMPTY: the report has the position.  ARGUMENT: also if z_size is too small.
 *           On failure the contents of z are undefined.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_str_mul(struct gfmul_ctx *ctx, char *z, size_t z_size, size_t *z_len,
                                                           int z_base, const char *a, size_t a_len, int a_base, const char *b,
                                                           size_t b_len, int b_base);

/* gfmul_str_mul_size - the most bytes that the product's text needs, with its NUL.  0 if that overflows size_t. */
GFMUL_API size_t gfmul_str_mul_size(size_t a_len, int a_base, size_t b_len, int b_base, int z_base);

/*
 * gfmul_plan_limbs, gfmul_plan_text - the plan of a product of these sizes.  Nothing is multiplied.
 *
 *   info    out  the plan
 *   base    in   of text, 2..36
 *   an, bn  in   limbs, or significant digits of text in that base
 *
 * A square has a plan of its own: gfmul_plan_limbs_sqr, gfmul_plan_text_sqr.
 * Engine fftw plans by the bits of the operands, which are not known here, so the product may get a shorter transform.
 * Errors:   ARGUMENT, SIZE, PRECISION, UNSUPPORTED, MEMORY (memory_limit), DEVICE.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_plan_limbs(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, size_t an,
                                                              size_t bn);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_plan_text(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, int base,
                                                             size_t an, size_t bn);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_plan_limbs_sqr(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, size_t an);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_plan_text_sqr(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, int base,
                                                                 size_t an);

/*
 * gfmul_device_prepare - prepare an OpenCL device for a product of these sizes, before the operands are there.
 *
 *   base    in   0: sizes in limbs; else in digits of text in that base
 *   an, bn  in   sizes, as exact as they are known; bn 0: a square
 *
 * It opens the device (of several, the first one), builds or reads programs, makes tables, and takes memory and keeps it.  A
 * product of other sizes may need other programs.  If no device would make the product, nothing is done.
 * Threads:  thread-safe; call it while another thread reads the operands.
 * Errors:   those of gfmul_plan_limbs.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_prepare(struct gfmul_ctx *ctx, int base, size_t an, size_t bn);

/*
 * gfmul_plan_print - a plan as lines "key: value".
 *
 *   buf   out  size bytes, NUL-terminated; cut off if too small
 *
 * Numbers have a decimal point in every locale.  Returns the length of the whole text, as snprintf does.
 */
GFMUL_API size_t gfmul_plan_print(const struct gfmul_plan_info *info, char *buf, size_t size);

/* gfmul_ctx_report - copy the report of the call that finished last on this context.   report  out. */
GFMUL_API void gfmul_ctx_report(struct gfmul_ctx *ctx, struct gfmul_report *report);

/*
 * gfmul_ctx_kernels - the kernel times of the call that finished last on this context.
 *
 *   kernel  out  the first `max` of them, in the order of their first launch; may be NULL if max is 0
 *
 * Returns how many there are: 0 without the option `profile`, or if no device took part.
 */
GFMUL_API unsigned gfmul_ctx_kernels(struct gfmul_ctx *ctx, struct gfmul_kernel_time *kernel, unsigned max);

/*
 * gfmul_ctx_certificate - a certificate of the product that finished last on this context, which has the option certify.
 *
 *   buf   out  size bytes, NUL-terminated; cut off if too small
 *
 * It has all that the proof of the product used, and the residues (doc/certificate.md).  gfmul-check-certificate checks it
 * against the three numbers in text, without multiplying.
 * Returns the length of the whole text, as snprintf does.  0: there is none.
 */
GFMUL_API size_t gfmul_ctx_certificate(struct gfmul_ctx *ctx, char *buf, size_t size);

/*
 * gfmul_device_list - the OpenCL devices of this machine.
 *
 *   info  out  the first `max` of them; entry i is index i + 1 for the option `device`, because 0 is the CPU
 *
 * Returns how many there are: 0 without OpenCL in the build, without a driver or without a device.  It is also 0 in a child
 * process whose parent looked for devices before the fork.
 */
GFMUL_API unsigned gfmul_device_list(struct gfmul_device_info *info, unsigned max);

/*
 * gfmul_driver_list - the drivers of OpenCL on this machine, also those that have no devices.
 *
 *   info  out  the first `max` of them; may be NULL if max is 0
 *
 * Another process, the program gfmul-drivers, tries the drivers first (doc/gpu.md).  If one crashes or hangs there,
 * gfmul_device_list is empty and this list has the reason.
 * Returns how many there are: 0 without OpenCL in the build.
 */
GFMUL_API unsigned gfmul_driver_list(struct gfmul_driver_info *info, unsigned max);

/*
 * gfmul_device_find - resolve a choice of the option `device`.
 *
 *   info    out  the device, usable or not; all zero if none was found or the choice is the CPU.  May be NULL
 *   want    in   the choice; NULL: "auto"
 *   detail  out  detail_size characters: the reason of an error, else ""; may be NULL if detail_size is 0
 *
 * Of several devices, info gets the first one.
 * Errors:   DEVICE: "auto" finds no GPU, or a named device is missing or not usable.  ARGUMENT: a list that has "cpu", "auto",
 *           "all" or an empty entry, or more than 64.
 */
GFMUL_API enum gfmul_status gfmul_device_find(struct gfmul_device_info *info, const char *want, char *detail, size_t detail_size);

/* gfmul_strerror - a status in English; a static string, never NULL. */
GFMUL_API const char *gfmul_strerror(enum gfmul_status status);

/* gfmul_version - "major.minor.patch"; a static string. */
GFMUL_API const char *gfmul_version(void);

/* gfmul_has_engine - 1 if this build can run the engine, else 0.  FFTW: its library has to be found, too. */
GFMUL_API int gfmul_has_engine(enum gfmul_engine engine);

#ifdef __cplusplus
}
#endif
#endif
