/*
 * gfmul.h - exact multiplication of big integers by FFT convolution.
 *
 * Copyright (C) 2026 the gfmul authors.  SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The library multiplies limbs, mpz_t and text.  Below a measured crossover the product is GMP's own; above it, it is a
 * floating-point convolution whose rounding error is proved to stay so small (doc/error-bound.md) that the digits rounded
 * from it are exact.  Each product is then checked by residues modulo a random prime.
 *
 * Contract of every function, unless it says otherwise:
 *   errors    returns a status; no output is written on failure but where noted; never prints, exits or aborts.  Exception: GMP,
 *             FFTW and OpenMP (GCC's run-time) end the process when their own allocation, or the start of a thread, fails; GMP's
 *             allocator can be replaced with mp_set_memory_functions
 *   threads   thread-safe; a context may be shared.  After fork(), where the parent has used the library, the child's calls use
 *             one thread each; where it has looked for devices, OpenCL stays with it: the child finds none, so that a device by
 *             name is an error (DEVICE) and "auto" is the CPU.  Device operands, pinned memory and jobs are the parent's alone.
 *             The child may call nothing here where the fork came amid a call, as by another thread or a job: what that has
 *             locked stays locked
 *   rounding  any mode of the floating-point unit: calls round to nearest, in each thread that they run in, and put back what
 *             they found; the progress callback runs in between
 *   ctx       NULL means a shared default context, made at its first use with default options, and freed at the process's end
 *             unless calls run on it then, or it has opened a device
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
#define GFMUL_API __attribute__((visibility("default")))
#else
#define GFMUL_MUST_CHECK
#define GFMUL_API
#endif

/* Status codes: spaced, never renumbered. */
enum gfmul_status {
    GFMUL_OK = 0,
    GFMUL_ERR_ARGUMENT = 10,     /* NULL, an unknown option value, a base outside 2..36, a buffer too small */
    GFMUL_ERR_OVERLAP = 11,      /* buffers overlap in a way that the function does not allow */
    GFMUL_ERR_SYNTAX = 20,       /* text that is not a number; the report has operand, offset, line and column */
    GFMUL_ERR_EMPTY = 21,        /* text without a digit */
    GFMUL_ERR_MEMORY = 30,       /* an allocation failed, or would pass memory_limit */
    GFMUL_ERR_SIZE = 31,         /* operands too large for any plan, or a size that overflows size_t */
    GFMUL_ERR_PRECISION = 40,    /* the rule in force admits no plan; the report names the precision needed */
    GFMUL_ERR_UNSUPPORTED = 41,  /* a valid choice that this build or this machine does not have */
    GFMUL_ERR_DEVICE = 50,       /* the device named is not there or cannot be used */
    GFMUL_ERR_VERIFY = 60,       /* a product failed its check: it was discarded */
    GFMUL_ERR_INTERRUPTED = 70,  /* the progress callback asked to stop */
    GFMUL_ERR_INTERNAL = 90      /* a defect of the library */
};

/* Choices.  0 is always "auto" or the default. */
enum gfmul_engine { GFMUL_ENGINE_AUTO = 0, GFMUL_ENGINE_CPU, GFMUL_ENGINE_OPENCL, GFMUL_ENGINE_FFTW, GFMUL_ENGINE_GMP };
enum gfmul_rule { GFMUL_RULE_NORM = 0, GFMUL_RULE_KNUTH, GFMUL_RULE_CHECKED };
enum gfmul_precision { GFMUL_PRECISION_AUTO = 0, GFMUL_PRECISION_FLOAT, GFMUL_PRECISION_DOUBLE, GFMUL_PRECISION_DD };
enum gfmul_packing {
    GFMUL_PACKING_AUTO = 0,
    GFMUL_PACKING_TWO_FOR_ONE,  /* x + iy: one cyclic transform for both operands */
    GFMUL_PACKING_ONE_FOR_HALF, /* x_2j + i x_(2j+1): cyclic, half as many points */
    GFMUL_PACKING_RIGHT_ANGLE   /* x_j + i x_(j+n), modulo x^n - i */
};
enum gfmul_verify { GFMUL_VERIFY_MOD = 0, GFMUL_VERIFY_GMP, GFMUL_VERIFY_NONE };

struct gfmul_ctx;
struct gfmul_operand;
struct gfmul_job;
struct gfmul_device_operand;

/*
 * gfmul_options - what a context is made with.  Fill it with gfmul_options_init, then change fields.
 *
 *   engine        AUTO: the best there is.  FFTW: its rounding errors are not proved; each product is checked by residues
 *                 whatever verify says.  FFTW's planner is not made for several threads, and locked against this library's own
 *                 calls alone: a program that makes plans of FFTW beside them calls fftw_make_planner_thread_safe() first
 *   rule          which digits a transform may carry.  NORM: those that are proved (doc/error-bound.md), by the operands' digits
 *                 and the product's where these are small, else for all operands.  KNUTH: mu >= 4m + 2l as well, far more
 *                 cautious.  CHECKED: larger ones, without a proof, which is faster: the rounding error is watched and each
 *                 product checked by residues, whatever verify says; on any doubt it is made again with smaller digits, at last
 *                 with NORM's.  A wrong product of up to 1e10 bits is returned with a probability below 5e-8, over the prime
 *                 that the context draws, whatever the operands.
 *   precision     AUTO: double, or what a device without it has; under rule KNUTH double-double where double ends.  FLOAT: on
 *                 OpenCL devices that are named, floats or pairs of floats, rule NORM.  DD: rules NORM and KNUTH, packing
 *                 right-angle
 *   threads       0: as many as OpenMP gives (OMP_NUM_THREADS); n: at most n, in 1..1024.
 *                 Inside a parallel region of the caller one thread is used.
 *   memory_limit  bytes that one call may allocate; 0: what the machine has.  Near the limit one operand's transform is made
 *                 branch by branch, which takes more time; beyond it there is an error before a transform is begun, or, where
 *                 the operands' or the product's digits ask for a larger plan than random ones (n_fallbacks), after it.  What the
 *                 context keeps from earlier products goes where a call would pass the limit with it.  What is counted are the
 *                 sizes asked for: of more than 512 KiB each takes whole pages of 2 MiB, and memory that is used again may be a
 *                 thirty-second part larger.  What GMP takes for its own products and conversions is not known, and not counted.
 *                 Calls that run at once have the limit each.
 *   device        "auto": a GPU with double precision where there is one and the product is large enough to gain by it, and the
 *                 CPU if anything goes wrong there.  "cpu".  "gpu": a GPU, else any OpenCL device.  An index of gfmul_device_list
 *                 (0 is the CPU), or a part of a device's or platform's name: that device, or an error.  NULL is "auto"
 *   progress      called from the calling thread (a job: from its own; of several jobs side by side) with a share done in [0, 1],
 *                 after each per cent or 50 ms of a convolution; a non-zero return stops the work soon, in all threads, with
 *                 GFMUL_ERR_INTERRUPTED.  GMP's own products and conversions, FFTW's transforms, a product that a device makes in
 *                 one piece, and the checks run to their ends first.  It must not call the library with the same context, nor
 *                 with another one of the same device, whose memory the product may hold.
 *   full_precision  1: precision DD at every level of its transforms, for comparison: the first levels do not take digits as
 *                 doubles, none of the last ones runs in double where the bound allows it, and all sums are accurate ones
 *   profile       1: time the kernels of an OpenCL device, for gfmul_ctx_kernels; it costs some microseconds for each
 *   cl_context    the caller's own cl_context and a cl_command_queue on it, in order; they are retained.  With them the device
 *   cl_queue      is the queue's, and `device` must be NULL or "auto".  NULL: the library makes its own
 */
struct gfmul_options {
    size_t struct_bytes; /* set by gfmul_options_init; lets fields be added */
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
    int full_precision;
};

/* What a product is made of; the fields of bigmul --plan. */
struct gfmul_plan_info {
    const char *engine;    /* "gmp", "cpu", "fftw", "opencl"; static strings, never NULL */
    const char *isa;       /* "scalar", "sse2", "avx2", "avx512", "neon"; "" where it does not apply */
    const char *device;    /* "cpu" or a device's name, which is there as long as the context */
    const char *rule;      /* "norm", "knuth", "checked"; "" for engine gmp */
    const char *precision; /* "double", "dd" (double-double), "float" (mu = 44: pairs); "" for engine gmp */
    const char *packing;   /* "two-for-one", "one-for-half", "right-angle"; "" for engine gmp */
    unsigned threads;
    unsigned mu;             /* bits of the significand */
    double m;                /* log2 of the real points; whole unless the length has an odd factor */
    double l;                /* bits per digit: log2 of the digit base */
    unsigned base, exponent; /* digit base B = base^exponent */
    size_t n_points;         /* complex points of one transform */
    size_t a_digits, b_digits; /* digits of the two operands in one transform */
    size_t n_slices;         /* transforms that the longer operand is cut into; 1 when balanced */
    size_t n_branches;       /* parts that one operand's transform is made in, to save memory; 1: whole */
    double k;                /* the constant K of doc/error-bound.md: error <= ||x|| ||y|| K u / (1 - F u); "dd": u^2 */
    double bound;            /* proved bound of the rounding error, < 0.5; for measured norms: expected before, proved after, and
                                below 1 less the largest error met in its transform */
    int norms_measured;      /* 1: the norms of the digits are measured, with a fall-back; 0: worst case */
    int inverse_measured;    /* 1: bound holds by the coefficients seen as well, with a fall-back; 0: a priori */
    int proved;              /* 1: bound is a theorem for the passes that run; 0: engine fftw, rule checked: bound is what a
                                model expects of random digits */
    int knuth;               /* 1: mu >= 4m + 2l holds */
    size_t memory_bytes;     /* tables and workspace of one call */
    size_t a_pieces, b_pieces;  /* rule knuth: pieces that the operands are cut into, each of a_digits; else 1 */
    unsigned narrow_levels;     /* "dd": first levels that are made of digits as they are, in double */
    unsigned double_levels;     /* "dd": last levels of the inverse transform that run in double */
    unsigned light_levels;      /* "dd": levels, forwards and backwards, whose sums are rounded once for two of them */
    int wraps;                  /* 1: the transform gives the product modulo 2^K + 1, K the bits of all its digits, and a short
                                product of the operands' lowest limbs the rest */
    size_t wrap_limbs;          /* limbs of that short product's operands: those by which the product is longer than K bits */
};

/* An OpenCL device. */
struct gfmul_device_info {
    char name[128], platform[128], driver[64];
    int gpu;            /* 1: it is a GPU */
    int fp64;           /* 1: double precision */
    int usable;         /* 1: the library can multiply on it */
    char why_not[160];  /* where it cannot: the reason; else "" */
    uint64_t global_bytes, max_alloc_bytes, local_bytes; /* memory: all, the largest buffer promised, of a work-group */
    unsigned compute_units, max_work_group;              /* max_work_group: work-items */
};

/* The launches of one kernel within a product. */
struct gfmul_kernel_time {
    char name[40];
    unsigned launches;
    uint64_t ns;     /* together */
    double bytes;    /* of the device's memory, read and written; 0: not counted */
};

/*
 * What the last finished call of a context did; the source of bigmul --stats.
 *
 * Structures that the library fills (this one, gfmul_plan_info, gfmul_device_info, gfmul_kernel_time) have no struct_bytes: a new
 * minor version may add fields at their ends.  It then has a new soname, and programs are compiled anew.
 */
struct gfmul_report {
    enum gfmul_status status;
    char detail[256];     /* one line for people about an error, or why a device did not make the product; "" otherwise */
    int error_operand;    /* 0 or 1 where status is SYNTAX or EMPTY, else -1 */
    size_t error_offset;  /* byte offset of the offending character */
    size_t error_line, error_column; /* counted from 1 */
    struct gfmul_plan_info plan;
    uint64_t parse_ns, plan_ns, transform_ns, carry_ns, verify_ns, print_ns, total_ns;
    uint64_t device_start_ns;        /* finding, opening the device, building the transform's programs; a part of plan_ns */
    uint64_t upload_ns, download_ns; /* transfers to and from a device that the call waited for; parts of transform_ns */
    double max_error;     /* largest |x - nearest integer| met while rounding, in [0, 1/2]; 0 where nothing was rounded */
    unsigned n_fallbacks; /* plans remade with smaller digits: measured norms, coefficients or distances from integers too
                             large, or (rule checked) a rounding error or a residue in doubt */
    unsigned n_device_errors; /* products that a device failed at or got wrong, made again there or by the CPU; see detail */
    uint64_t residue_prime; /* prime of the residue check; 0 where none was made */
};

/* gfmul_options_init - default options.   opt out. */
GFMUL_API void gfmul_options_init(struct gfmul_options *opt);

/*
 * gfmul_ctx_create - make a context: options, chosen instruction set, plan cache, buffer pool.
 *
 *   ctx  out  the context, NULL on failure; end it with gfmul_ctx_destroy
 *   opt  in   options, or NULL for the defaults
 *
 * The environment variable GFMUL_DISABLE (a list as "avx512,avx2") switches instruction sets off.
 * Errors: ARGUMENT, MEMORY, UNSUPPORTED (engine, precision or rule not built, or choices that no transform has together), DEVICE.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_ctx_create(struct gfmul_ctx **ctx, const struct gfmul_options *opt);

/* gfmul_ctx_destroy - free a context and all that it holds; NULL is allowed.  No call may be running on it. */
GFMUL_API void gfmul_ctx_destroy(struct gfmul_ctx *ctx);

/*
 * gfmul_ctx_trim - give back the memory that a context keeps for products to come: tables, buffers, those on its devices.
 *
 *   ctx  i/o  NULL: the default context
 * What calls use at the moment, fixed operands and operands on devices stay.  The next product makes anew what it needs.
 * Threads: at any time, other calls may be running; it may wait for one on a device.
 */
GFMUL_API void gfmul_ctx_trim(struct gfmul_ctx *ctx);

/*
 * gfmul_mul - z = a * b on limbs.
 *
 *   z   out  an + bn limbs, all written, least significant first
 *   a   in   an limbs;  b  in  bn limbs; either count may be 0 (then z is zero), in any order of size
 *
 * Aliasing: z must not overlap a or b (ERR_OVERLAP); a and b may be the same, which is recognised as a square.
 * Cost:     O(N log N), N = an + bn.
 * Errors:   ARGUMENT, OVERLAP, MEMORY, SIZE, PRECISION, UNSUPPORTED, DEVICE, VERIFY, INTERRUPTED.
 *           On failure z holds nothing of use.
 * Source:   [Per03] Theorem 5.1, written per pass in doc/error-bound.md.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mul(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                                       const mp_limb_t *b, size_t bn);

/* gfmul_sqr - z = a^2 on limbs; z has 2 an limbs.  Otherwise as gfmul_mul. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_sqr(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an);

/* gfmul_mpz_mul - z = a * b as mpz_mul: any signs, any aliasing of z, a and b.  On failure z keeps its value. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpz_mul(struct gfmul_ctx *ctx, mpz_ptr z, mpz_srcptr a, mpz_srcptr b);

/*
 * gfmul_operand_create - an operand b that is multiplied with many others: it is transformed once.
 *
 *   op      out  the operand, NULL on failure; end it with gfmul_operand_destroy, before its context
 *   b       in   bn limbs, copied; any count, 0 included
 *   max_an  in   limbs of the operands to come, which decides the length of the transform.  Longer ones are cut into slices,
 *                shorter ones cost as much as one of max_an limbs, until they are short enough for GMP.
 *
 * A product with it takes two transforms instead of three.  b's transform is kept for engine cpu (auto: above the crossover to
 * GMP), and for a device that is to make the products and has room for it.  In all other cases (GMP, FFTW, packing two-for-one,
 * rule KNUTH but in precision DOUBLE) only b is kept, and each product is an ordinary one; so are products of longer operands
 * on a device.
 * Memory: that of b's copy and its spectrum, for which memory_limit has to have room beside that of each product that is not
 *         GMP's; where the norms of a product's digits or its coefficients are too large for the plan, or (rule checked) it is in
 *         doubt, a second spectrum, made then and kept.
 * Errors: those of gfmul_mul but OVERLAP.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_operand_create(struct gfmul_ctx *ctx, struct gfmul_operand **op,
                                                                  const mp_limb_t *b, size_t bn, size_t max_an);

/* gfmul_operand_create_mpz - the same of an integer of any sign. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_operand_create_mpz(struct gfmul_ctx *ctx, struct gfmul_operand **op,
                                                                      mpz_srcptr b, size_t max_an);

/*
 * gfmul_operand_mul - z = a * b by a fixed operand, |b| where that was made from an integer.
 *
 *   z   out  an + bn limbs, all written
 *   a   in   an limbs, any count
 *
 * Aliasing: z must not overlap a.   Threads: any number at once on one operand.
 * Errors:   those of gfmul_mul.  On failure z holds nothing of use.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_operand_mul(struct gfmul_operand *op, mp_limb_t *z, const mp_limb_t *a,
                                                               size_t an);

/* gfmul_operand_mul_mpz - z = a * b, with all signs; z and a may be the same.  On failure z keeps its value. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_operand_mul_mpz(struct gfmul_operand *op, mpz_ptr z, mpz_srcptr a);

/* gfmul_operand_destroy - free a fixed operand; NULL is allowed.  No product may be running on it. */
GFMUL_API void gfmul_operand_destroy(struct gfmul_operand *op);

/*
 * gfmul_mul_async - start z = a * b, and return.
 *
 *   job  out  NULL on failure; end it with gfmul_job_wait, always, and before its context
 * Otherwise as gfmul_mul; until the job has been waited for, a and b must not change, and z belongs to it.  Several jobs may run
 * at once: on a device the transfers of one overlap with the kernels of another.  Each takes a thread, and as many more for its
 * work as a product by the caller itself would.
 * Errors: ARGUMENT (no place for the job), MEMORY; those of the product come from gfmul_job_wait.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mul_async(struct gfmul_ctx *ctx, struct gfmul_job **job, mp_limb_t *z,
                                                             const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);

/* gfmul_job_done - 1 where gfmul_job_wait would return at once, else 0. */
GFMUL_API int gfmul_job_done(const struct gfmul_job *job);

/* gfmul_job_wait - wait for a job's end and free it.   report out: of this product, may be NULL.   Errors: those of gfmul_mul. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_job_wait(struct gfmul_job *job, struct gfmul_report *report);

/*
 * gfmul_device_operand_create - a number that stays on the context's OpenCL device, with the value 0.
 *
 *   op         out  NULL on failure; end it with gfmul_device_operand_destroy, before its context
 *   max_limbs  in   room for values of up to so many limbs
 *
 * The context has to have a device, by name or by "auto"; the CPU does not step in for it.
 * Errors: those of gfmul_mul; DEVICE where there is none, or it has too little memory: also when what this context keeps idle
 * has been given back, and products in flight have been waited for.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_operand_create(struct gfmul_ctx *ctx, struct gfmul_device_operand **op,
                                                                         size_t max_limbs);

/* gfmul_device_operand_set - give it a value.   a in: an limbs, at most max_limbs (else ARGUMENT); not used after the return.
   On failure past the check of arguments it has the value 0. */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_operand_set(struct gfmul_device_operand *op, const mp_limb_t *a,
                                                                      size_t an);

/*
 * gfmul_device_operand_get - fetch its value.
 *
 *   z  out  zn limbs, all written; at least gfmul_device_operand_limbs(op) of them, else ARGUMENT
 *
 * Errors: DEVICE, MEMORY; VERIFY where the value does not have the residue that it should have by the values that were set:
 * the products on the way are checked by this, unless the options say verify none.  On failure z holds nothing of use.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_operand_get(const struct gfmul_device_operand *op, mp_limb_t *z,
                                                                      size_t zn);

/*
 * gfmul_device_operand_mul - z = a * b on the device, without any transfer of the numbers.
 *
 *   z  out  of as many limbs as a and b together, for which it has to have room (else ARGUMENT)
 *
 * The product is there when the function returns, and its rounding error was proved small; it is checked when it, or a product
 * of it, is fetched.   Aliasing: z is neither a nor b (OVERLAP); a and b may be the same: a square.   Threads: several may read
 * one number, but none while another writes it.   Errors: those of gfmul_mul; VERIFY: twice the device computed what cannot be
 * right, as it cannot be rounded, or (rule checked) by its residue.  On failure past the check of arguments z has the value 0.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_operand_mul(struct gfmul_device_operand *z,
                                                                      const struct gfmul_device_operand *a,
                                                                      const struct gfmul_device_operand *b);

/* gfmul_device_operand_limbs - limbs of its value; high ones may be zero. */
GFMUL_API size_t gfmul_device_operand_limbs(const struct gfmul_device_operand *op);

/*
 * gfmul_device_operand_mem - its cl_mem: max_limbs limbs or more, least significant first, to read in the caller's own queue
 * (options cl_context, cl_queue): what that holds comes before a later gfmul_device_operand_set, and is waited for by
 * gfmul_device_operand_destroy.   Neither waits for other queues, such as that of a transform on a device which the library
 * opened: finish what reads it there before.   NULL for NULL.
 */
GFMUL_API void *gfmul_device_operand_mem(const struct gfmul_device_operand *op);

/* gfmul_device_operand_destroy - NULL is allowed.   Its device and context are still there. */
GFMUL_API void gfmul_device_operand_destroy(struct gfmul_device_operand *op);

/*
 * gfmul_device_host_alloc - pinned host memory, which the context's device reads and writes by itself: transfers of operands and
 * products that lie there need no copy through the library's own buffers.
 *
 *   p  out  bytes of memory, aligned to 64; NULL on failure; end it with gfmul_device_host_free, before the context
 *
 * Cost:   about 0.3 s per GiB, once.   Errors: those of gfmul_device_operand_create.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_device_host_alloc(struct gfmul_ctx *ctx, void **p, size_t bytes);
GFMUL_API void gfmul_device_host_free(struct gfmul_ctx *ctx, void *p); /* NULL is allowed */

/*
 * gfmul_str_mul - product of two numbers written in text.
 *
 *   z       out  z_size bytes; receives "-" where negative, the digits (lower case, no leading zero), and a NUL
 *   z_len   out  characters written, the NUL not counted; may be NULL
 *   z_base  in   2..36, or 0: as a's
 *   a       in   a_len characters, not NUL-terminated; a_base 2..36, or 0: 0x, 0o, 0b prefix, else 10
 *   b       in   likewise
 *
 * A number is an optional sign, an optional prefix (base 0, or matching), and digits of either case; white space, line
 * ends and '_' between digits are ignored.  Where all bases agree no radix conversion takes place: the convolution
 * works on digits cut from the text.
 * Size:     z_size >= gfmul_str_mul_size(...) always suffices.
 * Aliasing: none between z and a or b; a and b may be the same.
 * Errors:   those of gfmul_mul, and SYNTAX, EMPTY (position in the report), ARGUMENT where z_size is too small.  On failure z
 *           holds nothing of use.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_str_mul(struct gfmul_ctx *ctx, char *z, size_t z_size, size_t *z_len,
                                                           int z_base, const char *a, size_t a_len, int a_base,
                                                           const char *b, size_t b_len, int b_base);

/* gfmul_str_mul_size - bytes that the product's text needs at most, NUL included; 0 where that overflows size_t. */
GFMUL_API size_t gfmul_str_mul_size(size_t a_len, int a_base, size_t b_len, int b_base, int z_base);

/*
 * gfmul_plan_limbs, gfmul_plan_text - what a product of these sizes would run, without running it.
 *
 *   info     out  the plan
 *   an, bn   in   limbs, or significant digits of text in that base
 *
 * A square takes another plan than a product of two numbers of its size: gfmul_plan_limbs_sqr, gfmul_plan_text_sqr.  Engine
 * fftw plans by the bits that the operands have: here by all that limbs or digits could have, so that its product may be shorter.
 * Errors: ARGUMENT, SIZE, PRECISION, UNSUPPORTED, MEMORY (memory_limit), DEVICE.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_plan_limbs(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, size_t an,
                                                              size_t bn);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_plan_text(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, int base,
                                                             size_t an, size_t bn);

GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_plan_limbs_sqr(struct gfmul_ctx *ctx, struct gfmul_plan_info *info,
                                                                  size_t an);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_plan_text_sqr(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, int base,
                                                                 size_t an);

/*
 * gfmul_plan_print - a plan as "key: value" lines.
 *
 *   buf   out  size bytes, NUL-terminated, cut where too small; numbers have a decimal point in every locale
 * Returns the length of the whole text, as snprintf does.
 */
GFMUL_API size_t gfmul_plan_print(const struct gfmul_plan_info *info, char *buf, size_t size);

/* gfmul_ctx_report - copy what the call that finished last on this context did.   report out. */
GFMUL_API void gfmul_ctx_report(struct gfmul_ctx *ctx, struct gfmul_report *report);

/*
 * gfmul_ctx_kernels - the times of the kernels of the call that finished last on this context.
 *
 *   kernel  out  the first max of them, in the order of their first launch; may be NULL where max is 0
 * Returns how many there are: 0 without the option `profile`, or where no device took part.
 */
GFMUL_API unsigned gfmul_ctx_kernels(struct gfmul_ctx *ctx, struct gfmul_kernel_time *kernel, unsigned max);

/*
 * gfmul_device_list - the OpenCL devices of this machine.
 *
 *   info  out  the first max of them; entry i has the index i + 1 as a choice of the option `device`: 0 is the CPU
 * Returns how many there are: 0 in a build without OpenCL, without a driver, without a device, and in a child forked after its
 * parent has looked for devices.
 */
GFMUL_API unsigned gfmul_device_list(struct gfmul_device_info *info, unsigned max);

/*
 * gfmul_device_find - what a choice of the option `device` means, and why it cannot be used.
 *
 *   info    out  the device, usable or not; all zero where none was found, or the choice is the CPU.  May be NULL
 *   want    in   as the option
 *   detail  out  detail_size characters: the reason of an error, else ""; may be NULL where that is 0
 * Errors: DEVICE ("auto" finds no GPU; what is named is not there or not usable).
 */
GFMUL_API enum gfmul_status gfmul_device_find(struct gfmul_device_info *info, const char *want, char *detail, size_t detail_size);

/* gfmul_strerror - a status as English text; a static string, never NULL. */
GFMUL_API const char *gfmul_strerror(enum gfmul_status status);

/* gfmul_version - "major.minor.patch"; a static string. */
GFMUL_API const char *gfmul_version(void);

/* gfmul_has_engine - 1 where this build can run the engine, 0 otherwise. */
GFMUL_API int gfmul_has_engine(enum gfmul_engine engine);

#ifdef __cplusplus
}
#endif
#endif
