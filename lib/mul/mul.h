/*
 * mul.h - the multiplication: context, routing, and the drivers of the engines.
 */
#ifndef GFMUL_MUL_H
#define GFMUL_MUL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/rounding.h"
#include "gfmul.h"
#include "limbs/residue.h"
#include "mul/product.h"
#include "ocl/ocl_launch.h"
#include "stages/stage_ops.h"
#include "text/text.h"

/* Counts of limbs below this have sums, bit counts and byte counts that fit. */
#define MUL_LIMBS_END (SIZE_MAX / 64 / 4)

enum { CTX_PLANS = 16, CTX_SHAPES = 8, CTX_BUFFERS = 16, CALL_BUFFERS = 16 };

struct gfmul_ctx {
    struct gfmul_options opt;
    char *device; /* owned copy of opt.device */
    const struct stage_ops *ops;
    size_t gmp_mul_limbs, gmp_sqr_limbs; /* the product is GMP's where the shorter operand has fewer limbs */
    size_t gmp_short_limbs;   /* a power of two: where both counts are below it the product is GMP's and needs no report */
    size_t gmp_text_digits;   /* text goes through limbs where the shorter operand has fewer digits, and the longer one few */
    atomic_bool gmp_was_last; /* the last call was a short product by GMP, which writes no report */
    atomic_uint n_calls;      /* calls under way */
    pthread_mutex_t lock;     /* guards everything below */
    struct {
        struct plan_request request;
        struct plan_shape shape;
    } shapes[CTX_SHAPES];                /* answers of plan_size, in the order of a ring */
    unsigned n_shapes;                   /* asked so far */
    enum plan_wrap wrap;                 /* CHEAPER; set by tests and benchmarks, before the first call */
    size_t device_points_most;           /* of a device's transforms; 0: no limit.  Set by tests, before the first call */
    struct plan_lease *idle_lease;       /* what the last call's plan was in; NULL: in use, or never made */
    struct plan_entry *plans[CTX_PLANS]; /* counted references; most recently used first; NULL at the end */
    struct {
        void *p;
        size_t bytes;
    } buffer[CTX_BUFFERS]; /* idle buffers of the pool, most recently used first */
    unsigned n_buffers;
    size_t idle_bytes;               /* of the idle buffers */
    size_t keep_bytes;               /* how much idle memory to keep: what recent calls needed */
    struct residue_modulus residue;  /* of the residue check; p is 0 until first used */
    struct ctx_device *device_state; /* ctx_device.c: the OpenCL device, opened when it is first needed */
    struct ocl_kept *ocl_kept;       /* mul_ocl_kept.c: what it keeps between products, a list by devices */
    struct gfmul_report report;
    struct gfmul_kernel_time kernel[OCL_PROFILE_KERNELS]; /* of the last call */
    unsigned n_kernels;
};

/* One call under way: what the drivers share.  Copied into the context's report at the end.  See ctx.h. */
struct call {
    struct gfmul_ctx *ctx;
    struct gfmul_report report;
    struct stage_monitor monitor;                         /* of the progress callback */
    struct mul_beside *beside;                            /* residues taken while a device works; NULL: none are */
    struct ocl_profile *profile;                          /* kernels launched now; NULL where they are not timed */
    struct gfmul_kernel_time kernel[OCL_PROFILE_KERNELS]; /* what they were, once the product was there */
    unsigned n_kernels;
    unsigned threads;
    rounding_mode rounding; /* of the calling thread, put back at the end */
    uint64_t start_ns;
    size_t allocated; /* bytes held now, against memory_limit */
    size_t reserved;  /* bytes that a fixed operand holds, against memory_limit too */
    size_t peak;      /* the largest value of allocated */
    bool low_limbs;   /* the product under way is that of the lowest limbs of one that wraps around: it does not wrap itself */
    struct {
        void *p;
        size_t bytes, block_bytes;
    } held[CALL_BUFFERS]; /* buffers in use; block_bytes: their true size */
};

/*
 * mul_cpu.c: the product by the CPU's pipeline.  If the measured norms are too large for the plan, it tries the fallback plans,
 * ending with the worst-case plan.  Under rule checked each product has passed the residue check.
 * Errors: VERIFY where the last plan fails, too.
 */
enum gfmul_status mul_cpu(struct call *call, const struct product *p);

/* The spectrum of an operand b that many products share.  Read-only once made. */
struct mul_kept {
    const struct plan *plan;
    double *spectrum;
    struct digit_norms norms; /* of b's digits */
    size_t bytes;             /* of the spectrum */
};

/*
 * mul_cpu_keep - transform b once, for products with operands of up to max_an limbs, and longer ones in slices.
 *
 *   kept        out  end with mul_cpu_forget, before the context
 *   b           in   limbs, b->n >= 1
 *   worst_case  in   for operands of any norms; false: mul_cpu_kept may say that they do not fit
 * Errors: those of gfmul_mul; then kept holds nothing.
 */
enum gfmul_status mul_cpu_keep(struct call *call, struct mul_kept *kept, const struct number *b, size_t max_an, bool worst_case);
void mul_cpu_forget(struct gfmul_ctx *ctx, struct mul_kept *kept); /* kept->plan may be NULL: nothing is held */

/*
 * mul_cpu_kept - the product by the kept spectrum of p->b; a.n >= 1, in any order.
 *
 *   fits  out  false where what was measured is too large; then z holds nothing
 * Under rule checked the caller has to take the residues.
 */
enum gfmul_status mul_cpu_kept(struct call *call, const struct product *p, bool *fits);

/* mul_pieces - a product of limbs by a plan in pieces (plan_pieces.c).   Errors: MEMORY, INTERRUPTED, VERIFY. */
enum gfmul_status mul_pieces(struct call *call, const struct plan *plan, const struct product *p);

/*
 * mul_wrap - the product of limbs that a transform of N digits has made modulo 2^K + 1, from its lowest limbs.
 *
 *   ring  in   K/64 <= z.n, a.n < ring
 *   p     in   p->z holds the sum of the coefficients times powers of B: a signed number of ring + 1 limbs, or its low ring limbs
 *              where there are no more
 *
 * The product of the low r = z.n - ring limbs of a and b is made on the way (r = 0: of the lowest ones), by mul_cpu or GMP.
 * Cost: that, and O(r).   Source: doc/error-bound.md, section 21.   Errors: those of mul_cpu.
 */
enum gfmul_status mul_wrap(struct call *call, const struct product *p, size_t ring);

/* mul_add_slice - z += 2^(64 at) times the signed number of sn limbs, modulo 2^(64 zn). */
void mul_add_slice(mp_limb_t *z, size_t zn, const mp_limb_t *slice, size_t sn, size_t at);

/* mul_not_rounded - VERIFY, with a detail: what a plan for any operands returned cannot be rounded. */
enum gfmul_status mul_not_rounded(struct call *call);

/* An operand as a caller gives it in text. */
struct text_argument {
    const char *text;
    size_t len;
    int base; /* 0: as its prefix says */
};

/*
 * mul_text_short - gfmul_str_mul of short numbers in plain form, where the product is GMP's.
 *
 * Arguments as there, sound, bases in 2..36.   False: nothing is stored, and the long way finds out what is the matter.
 */
bool mul_text_short(struct gfmul_ctx *ctx, char *z, size_t z_size, size_t *z_len, int z_base, const struct text_argument *a,
                    const struct text_argument *b);

/*
 * mul_ocl.c: the product on an OpenCL device, which ctx_device_get has opened; takes and gives back the device's lock.
 *
 *   p     in   b's spectrum may be kept on the device; numbers may be on the device, and stay there: all three or none
 *   fits  out  with a kept spectrum: false if what was measured is too large, and then z holds nothing.  Else true
 *
 * Fills the report as mul_cpu does: the plan (engine "opencl", the device's name), plan_ns, transform_ns, carry_ns, upload_ns,
 * download_ns, max_error, n_fallbacks; kernels are launched with call->profile.  The product is not yet checked.
 * Errors: UNSUPPORTED where this product is none for this device (another packing, a base, a size: the caller goes another
 *         way, and nothing was spent); DEVICE, MEMORY, SIZE, PRECISION, INTERRUPTED, INTERNAL, with a detail.
 */
enum gfmul_status mul_ocl(struct call *call, struct ocl_device *d, const struct product *p, bool *fits);

/*
 * mul_ocl_keep - the spectrum of b on the device, for products with operands of up to max_an limbs.
 *
 *   k  out  end it with mul_ocl_forget, before the context; NULL on failure
 *   b  in   limbs, b->n >= 1
 * Errors: as mul_ocl.
 */
struct mul_ocl_spectrum;
enum gfmul_status mul_ocl_keep(struct call *call, struct ocl_device *d, struct mul_ocl_spectrum **k, const struct number *b,
                               size_t max_an);
void mul_ocl_forget(struct mul_ocl_spectrum *k); /* NULL is allowed */
struct ocl_device *mul_ocl_spectrum_device(const struct mul_ocl_spectrum *k);

/* mul_ocl_plan - what it would run; p's numbers need no more than their sizes.   Errors: as mul_ocl. */
enum gfmul_status mul_ocl_plan(struct call *call, struct ocl_device *d, const struct product *p, struct gfmul_plan_info *info);

/* mul_ocl_release - what a context keeps for products on this device (tables, kernels): freed before the device is closed. */
void mul_ocl_release(struct gfmul_ctx *ctx, struct ocl_device *d);
/* mul_ocl_trim - of that, what no product uses; any thread, without the device's lock. */
void mul_ocl_trim(struct gfmul_ctx *ctx, struct ocl_device *d);
/* mul_ocl_kept_pipelines - how many pipelines it keeps for it; for tests. */
unsigned mul_ocl_kept_pipelines(struct gfmul_ctx *ctx, const struct ocl_device *d);

/*
 * mul_device.c: a product by the device of the context where it has one that is to make it; the way that callers take.
 *
 *   limbs  in   about, of the product: the device is chosen by it
 *   done   out  true: the product is there, checked unless the options say not to, or the status is final; false, with OK:
 *               the CPU has to make it, and the report's detail says why where a device was tried or sought in vain
 * A wrong product is made once more there, then by the CPU.   Errors: where the device was named, those of mul_ocl.
 */
enum gfmul_status mul_device(struct call *call, const struct product *p, size_t limbs, bool *done);
/* mul_device_plan - what it would run, or done is false. */
enum gfmul_status mul_device_plan(struct call *call, const struct product *p, size_t limbs, struct gfmul_plan_info *info,
                                  bool *done);

/* mul_fftw.c: the product by FFTW3, limbs only; checked by residues, whatever the options say. */
enum gfmul_status mul_fftw(struct call *call, const struct product *p);

/*
 * mul_fftw_plan - what mul_fftw would run; p's numbers need no more than their sizes.
 * Errors: as mul_fftw, in the report's detail too; UNSUPPORTED in a build without FFTW.
 */
enum gfmul_status mul_fftw_plan(struct call *call, const struct product *p, struct gfmul_plan_info *info);

/* mul_fftw_built - 1 in a build with FFTW. */
int mul_fftw_built(void);

/*
 * mul_route_limbs - z = a * b by the engine of the context: what every public function ends in.
 *
 *   z       out  an + bn limbs, all written; overlaps neither a nor b
 *   verify  in   check the product as the options say; false where the caller checks the text that is made of it.
 *                GMP's own products are not checked.
 * Any sizes, 0 included, and high limbs that are zero; a == b with an == bn is a square.
 * Errors: those of gfmul_mul but ARGUMENT and OVERLAP.
 */
enum gfmul_status mul_route_limbs(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn,
                                  bool verify);

/* mul_is_gmps - whether a product of so many limbs is left to GMP. */
bool mul_is_gmps(const struct gfmul_ctx *ctx, size_t an, size_t bn, bool square);

/*
 * mul_with_report - gfmul_mul by at most so many threads, whatever OpenMP has for the calling one, with the report of that very
 * call, whatever others do.   report out.
 */
void mul_with_report(struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn,
                     unsigned threads, struct gfmul_report *report);

/* mul_plan_limbs - what mul_route_limbs would run.   Sizes in limbs, in any order, 0 allowed; square: an == bn, one operand. */
enum gfmul_status mul_plan_limbs(struct call *call, struct gfmul_plan_info *info, size_t an, size_t bn, bool square);

/* mul_plan_cpu - what engine cpu would run; p's numbers need no more than their sizes. */
enum gfmul_status mul_plan_cpu(struct call *call, const struct product *p, struct gfmul_plan_info *info);

/*
 * mul_mpz_begin - an integer of zn >= 1 limbs for a product to be written to by mpz_limbs_write.
 *
 *   product  out  made where the status is OK, and then ended by mul_mpz_end
 * The limbs come from GMP's allocator, as those of every mpz_t must; GMP ends the process where that fails, so memory is
 * tried for before it is asked.
 * Errors: SIZE, MEMORY.
 */
enum gfmul_status mul_mpz_begin(struct call *call, mpz_ptr product, size_t zn);

/* mul_mpz_end - where the status is OK, z becomes the product, with its sign; else z keeps its value. */
void mul_mpz_end(struct call *call, mpz_ptr z, mpz_ptr product, size_t zn, bool negative, enum gfmul_status status);

/*
 * mul_verify.c: product_verify_room - whether the check of a product will have room, beside so many bytes that will have been
 * allocated.   Errors: MEMORY.
 */
enum gfmul_status product_verify_room(struct call *call, const struct product *p, size_t held);
/* product_verify - VERIFY when the product is wrong.  Reads ctx->opt.verify.  Text: leading zeros of z are allowed. */
enum gfmul_status product_verify(struct call *call, const struct product *p);
/* product_residues - the residue check alone, whatever the options say. */
enum gfmul_status product_residues(struct call *call, const struct product *p);

/* mul_residues_compare - whether z = a b modulo the prime of the context.   Errors: VERIFY, with a detail. */
enum gfmul_status mul_residues_compare(struct call *call, uint64_t z, uint64_t a, uint64_t b);

/* A number whose residue is taken part by part. */
struct beside_number {
    const mp_limb_t *p;
    size_t n, taken; /* limbs; residue is that of the first `taken` */
    uint64_t residue;
};
/* A product whose check runs beside it. */
struct mul_beside {
    struct beside_number z, a, b;
    const struct residue_modulus *modulus;
    bool square; /* b's residue is a's */
};

/*
 * mul_beside.c: the same check beside a device's work.  begin, with the operands; work, a part of their residues, whenever there
 * is time; operands, what is left of them; came, as parts of the product come; check, when it is there; end, whatever came of it.
 *
 *   p          in   of limbs in host memory, as long as the call
 *   arg        in   the call.  words: words of 32 bits of z that are in host memory, from its start on; 0: a product begins, and
 *                   what came before counts no more, as after mul_beside_forget
 * Returns, work: false where nothing is left.   Threads: of the call.   Errors of check: VERIFY, with a detail.
 */
void mul_beside_begin(struct call *call, struct mul_beside *r, const struct product *p);
bool mul_beside_work(void *arg);
void mul_beside_operands(struct call *call);
void mul_beside_forget(struct call *call);
void mul_beside_came(void *arg, size_t words);
enum gfmul_status mul_beside_check(struct call *call);
void mul_beside_end(struct call *call);

/* Products of this many limbs find their numbers in memory, no longer in a cache, when they are checked. */
enum { MUL_MEMORY_LIMBS = 1 << 18 };

/* mul_residue - a number of an limbs modulo the prime of the context; in_memory as residue_limbs. */
uint64_t mul_residue(struct call *call, const mp_limb_t *a, size_t an, bool in_memory);

#endif
