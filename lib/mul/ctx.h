/*
 * ctx.h - a context and its calls: plans, buffers, progress, the report.
 *
 * Functions that take a call belong to the thread that began it; different calls may run on one context at once.
 */
#ifndef GFMUL_CTX_H
#define GFMUL_CTX_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/forks.h"
#include "base/idle.h"
#include "base/rounding.h"
#include "gfmul.h"
#include "limbs/residue.h"
#include "mul/phase.h"
#include "mul/product.h"
#include "ocl/ocl_launch.h"
#include "plan/plan.h"
#include "short/short.h"
#include "stages/stage_ops.h"
#include "text/text.h"

/* Counts of limbs below this have sums, bit counts and byte counts that fit. */
#define MUL_LIMBS_END (SIZE_MAX / 64 / 4)

_Static_assert((int)RESIDUE_PRIMES_MAX == (int)GFMUL_RESIDUES_MAX, "reports have room for all residues");

enum { CTX_PLANS = 48, CTX_SHAPES = 64, CTX_BUFFERS = 24, CALL_BUFFERS = 24 };

struct idle_buffer {
    void *p;
    size_t bytes;
};

struct gfmul_ctx {
    struct gfmul_options opt;
    char *device; /* owned copy of opt.device */
    const struct isa_ops *ops;
    const struct engine *const *engines; /* engine_rows: in the order in which they are asked for a product */
    /* A product whose shorter operand has fewer limbs needs no plan: from vector_ limbs on it is short_ops', else GMP's. */
    size_t planned_mul_limbs, planned_sqr_limbs;
    size_t planned_kept_limbs; /* the same for a product by a kept spectrum */
    size_t vector_mul_limbs, vector_sqr_limbs;
    const struct short_ops *short_ops; /* NULL: none; the limits above are then SIZE_MAX */
    size_t gmp_sqr_most;       /* squares of up to so many limbs are GMP's, and need no report */
    size_t unplanned_limbs;    /* a power of two: where both counts are below it the product has no plan and needs no report */
    size_t gmp_text_digits;    /* text goes through limbs where the shorter operand has fewer digits, and the longer one few */
    atomic_int unreported;     /* enum unreported: the last call was a product without a plan, which writes no report */
    atomic_uint n_calls;       /* calls under way */
    atomic_bool has_runners;   /* there were runners */
    pthread_mutex_t lock;      /* guards everything below */
    unsigned n_shapes;         /* asked of plan_size so far */
    enum plan_wrap wrap;       /* CHEAPER; set by tests and benchmarks, before the first call */
    bool full_precision;       /* double-double at every level; set by tests and benchmarks, before the first call */
    size_t apart_limbs;        /* products of so many limbs are told of in between: CALL_APART_LIMBS; and .. */
    uint64_t tell_ns;          /* .. how often: STAGE_TELL_NS.  Changed by tests, before the first call */
    size_t stack_least;        /* calls run on threads that have so much left: CALL_STACK_BYTES.  Changed by tests */
    size_t device_points_most; /* of a device's transforms; 0: no limit.  Set by tests, before the first call */
    struct plan_entry *plans;  /* tables, a list of all; most recently used first */
    unsigned n_plans;          /* those that no call uses go beyond CTX_PLANS */
    struct idle_buffer buffer[CTX_BUFFERS + 1]; /* idle buffers of the pool, most recently used first; one more for a moment */
    struct idle idle;                           /* of long products */
    struct fork_lock forks;                     /* of the lock */
    struct runner *runners;                     /* call_run.c: threads that calls run on, a list */
    unsigned n_buffers;
    size_t idle_bytes;                                  /* of the idle buffers */
    bool lent;                                          /* the idle buffers are, and no call has come since */
    size_t keep_bytes;                                  /* how much idle memory to keep: what recent calls needed */
    unsigned prime_bits;                                /* of the primes of residue checks: see residue_prime_bits */
    uint64_t residue_prime[RESIDUE_PRIMES_MAX];         /* of the residue check; 0 until drawn: see ctx_primes_draw */
    struct residue_modulus residue[RESIDUE_PRIMES_MAX]; /* their tables; p is 0 until first used */
    struct ctx_device *device_state;                    /* ctx_device.c: the OpenCL device, opened when it is first needed */
    /* "auto": the least products that a device is opened for, and that go to an open one; 0: where it pays.  Set by tests */
    size_t device_cold_limbs, device_warm_limbs;
    bool device_named;           /* products that the device cannot make are errors, not the CPU's */
    atomic_bool driver_called;   /* a device was opened: a destructor must not call its driver */
    struct device_store *stores; /* device_store.c: what is kept between products, a list by devices */
    struct gfmul_report report;
    struct proof *proof;                                  /* of the last call; NULL: no option certify */
    struct gfmul_kernel_time kernel[OCL_PROFILE_KERNELS]; /* of the last call */
    unsigned n_kernels;
    struct {
        struct plan_request request;
        struct plan_shape shape;
    } shapes[CTX_SHAPES]; /* answers of plan_size, in the order of a ring; not set before: 200 kB that few programs fill */
};

/* A transform's part in the proof of a product: its plan, and the largest figures of the products that it made. */
struct proof_transform {
    bool used;
    struct plan_shape shape;
    struct plan_figures figures;
};

/* What a product rests on, for its certificate; kept by contexts with option certify. */
struct proof {
    bool made; /* else the product is 0, or there was none */
    unsigned base;
    size_t an, bn; /* as product.h; the product's own, not those of parts */
    bool square;
    struct proof_transform transform[2]; /* of the product; of the lowest limbs of one that wraps around */
};

/* One call under way: what the drivers share.  Its report is copied into the context at the end. */
struct call {
    struct gfmul_ctx *ctx;
    struct stage_monitor *monitor;        /* of the progress callback; NULL: it is not told, or not any more */
    struct proof *proof;                  /* owned, until the call ends; NULL: nobody wants it */
    double product_bits;                  /* of the largest product under way: what its primes are counted by */
    unsigned n_moduli;                    /* of the residue check; 0: not chosen yet */
    const struct residue_modulus *moduli; /* the context's, or .. */
    struct residue_modulus *drawn;        /* .. those drawn for this call; NULL: none were */
    struct mul_beside *beside;            /* residues taken while a device works; NULL: none are */
    unsigned n_kernels;
    unsigned threads;
    rounding_mode rounding; /* of the calling thread, put back at the end */
    struct phase_clock clock;
    size_t allocated; /* bytes held now, against memory_limit */
    size_t reserved;  /* bytes that a fixed operand holds, against memory_limit too */
    size_t peak;      /* the largest value of allocated */
    /* Of a call of many products: the share that was done before the one under way, and its own.  0: it is the only one. */
    double share_from, share_span;
    bool low_limbs;   /* the product under way is that of the lowest limbs of one that wraps around: it does not wrap, .. */
    enum gfmul_precision low_precision; /* .. and has that one's precision */
    struct {
        void *p;
        size_t bytes, block_bytes;
    } held[CALL_BUFFERS];                                 /* buffers in use; block_bytes: their true size */
    struct gfmul_report report;                           /* from here on call_begin clears nothing */
    struct gfmul_kernel_time kernel[OCL_PROFILE_KERNELS]; /* what they took, once the product was there */
};

/* Shorter products take some ms: their progress is told at the start alone. */
enum { CALL_APART_LIMBS = 1 << 16 };

/* The most stack that a call takes, GMP's share included; t-stack measures it. */
enum { CALL_STACK_BYTES = 160 << 10 };

/* Who made the last product, if it wrote no report. */
enum unreported { UNREPORTED_NONE, UNREPORTED_GMP, UNREPORTED_SHORT };

/* Products without a plan of fewer limbs than this are too short for a report of their own; a longer one takes 25 us or more. */
enum { UNREPORTED_LIMBS = 1 << 16 };

/*
 * ctx_resolve - the context itself, or the shared default one for NULL.
 *
 *   status  out  why there is none; written only where NULL is returned
 */
struct gfmul_ctx *ctx_resolve(struct gfmul_ctx *ctx, enum gfmul_status *status);

/* ctx_note - the last call was a product without a report.  Written only where that is news: the line stays shared. */
static inline void ctx_note(struct gfmul_ctx *ctx, enum unreported by)
{
    if (atomic_load_explicit(&ctx->unreported, memory_order_relaxed) != (int)by)
        atomic_store_explicit(&ctx->unreported, (int)by, memory_order_relaxed);
}

/* call_begin - start a call: an empty report of engine "gmp", the threads it may use, the clock.   call out.  See call_run. */
void call_begin(struct call *call, struct gfmul_ctx *ctx);

/*
 * call_proof_begin - the product that the call's proof is of: its numbers; nothing is proved yet.
 * call_proof_forget - nothing is proved yet of this product, or of that of the lowest limbs.
 * call_proof_add - a product by a plan, in whole or in part, with its figures.
 */
void call_proof_begin(struct call *call, const struct product *p);
void call_proof_forget(struct call *call);
void call_proof_add(struct call *call, const struct plan_shape *shape, const struct plan_figures *figures);

/* call_end - give back what the call still holds, publish its report with this status, return the status. */
enum gfmul_status call_end(struct call *call, enum gfmul_status status);

/*
 * call_threads_limit - let a call use no more threads than a product of this many limbs can feed; the former number.
 * Where threads wait for each other longer than they work, fewer are faster.
 */
unsigned call_threads_limit(struct call *call, size_t limbs);
/* call_slices_limit - the same for a shape in slices, whose transforms are shorter than the product. */
unsigned call_slices_limit(struct call *call, const struct plan_shape *s);

/* call_detail - write the report's line for people, as printf; a later line replaces it. */
void call_detail(struct call *call, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* call_fail - the same for an error: returns the status that it is given. */
enum gfmul_status call_fail(struct call *call, enum gfmul_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* call_progress - tell the progress callback a share done in [0, 1].   Errors: INTERRUPTED. */
enum gfmul_status call_progress(struct call *call, double done);

/*
 * call_stage - what follows does the share from `from` to `to` of the product, in parts of about so many points in all; a
 * stage that came before has ended.   Errors: INTERRUPTED.
 */
enum gfmul_status call_stage(struct call *call, double from, double to, double points);

/*
 * ctx_plan_request - the request of a product under the options of the call's context.
 *
 *   request  out  all fields; worst_case false
 *   base     in   2 for limbs, else the base of text
 *   an, bn   in   bits or digits, both >= 1
 */
void ctx_plan_request(const struct call *call, struct plan_request *request, unsigned base, size_t an, size_t bn, bool square);

/* ctx_plan_size - plan_size, remembering the last few answers: a search costs as much as a short product. */
enum gfmul_status ctx_plan_size(struct call *call, const struct plan_request *request, struct plan_shape *shape);

/* What a call has of a plan: the plan with its own shape, over tables of the cache.   entry NULL: of somebody else's. */
struct plan_lease {
    struct plan plan;
    struct plan_entry *entry;
};

/*
 * ctx_plan_get - a plan of this shape for the context's instruction set, from the cache or made now.
 *
 *   lease  out  give it back with ctx_plan_put; without an entry on failure
 *
 * Tables are shared by all plans of the same points, passes, packing and scale; only the sizes of the operands differ.
 * Threads: the tables are built outside the lock, so that other calls go on.   Errors: those of plan_create.
 */
enum gfmul_status ctx_plan_get(struct call *call, const struct plan_shape *shape, struct plan_lease *lease);
void ctx_plan_put(struct gfmul_ctx *ctx, struct plan_lease *lease); /* without an entry: nothing */

/* ctx_plans_bytes - of the tables in the cache, used or idle.   Needs the lock. */
size_t ctx_plans_bytes(const struct gfmul_ctx *ctx);

/*
 * ctx_buffer_get - bytes of memory from the pool, aligned as alloc_aligned, contents undefined.
 *
 *   p  out  NULL on failure; give it back with ctx_buffer_put, or leave that to call_end
 *
 * At most CALL_BUFFERS at a time.   Errors: MEMORY, before anything is allocated where memory_limit would be passed.
 */
enum gfmul_status ctx_buffer_get(struct call *call, size_t bytes, void **p);
void ctx_buffer_put(struct call *call, void *p); /* NULL is allowed */

/*
 * call_touch - if the call's progress is told, memory that is written to next is taken from the system part by part.
 *
 *   p  in  bytes of a buffer or of the product; NULL is allowed
 */
void call_touch(struct call *call, void *p, size_t bytes);

/* ctx_memory_check - whether bytes more may be allocated under memory_limit.   Errors: MEMORY, with a detail. */
enum gfmul_status ctx_memory_check(struct call *call, size_t bytes);

/*
 * ctx_memory_room - the same of bytes that are allocated next, by other means than the pool (tables, GMP, FFTW).
 * What the context keeps idle, be it from earlier steps of this call, goes where both would pass the limit; without a limit,
 * where they would pass the machine's memory.
 */
enum gfmul_status ctx_memory_room(struct call *call, size_t bytes);

/* ctx_plans_trim - free all plans that no call uses.   ctx_buffers_trim - free all idle buffers; whether there were any. */
void ctx_plans_trim(struct gfmul_ctx *ctx);
bool ctx_buffers_trim(struct gfmul_ctx *ctx);

/*
 * ctx_idle_note - a call that needed peak_bytes has ended.   Needs no lock of the context.
 * If they are many, the context's memory is lent to the system a while after: see base/idle.h.
 *
 * ctx_idle_give - lend what it keeps, or give it back (struct idle).
 * ctx_idle_look - if the system has taken what was lent, the next product is cold.   Needs the lock of the context.
 */
void ctx_idle_note(struct gfmul_ctx *ctx, size_t peak_bytes);
enum idle_left ctx_idle_give(struct idle *idle, bool wholly);
void ctx_idle_look(struct gfmul_ctx *ctx);

/*
 * call_primes - how many primes a check by residues takes, for products of up to call->product_bits.
 *
 *   decides  in  the residues decide, whatever the options say: rule checked, or an engine whose errors are not proved
 * Value: at most RESIDUE_PRIMES_MAX.  0: no check by residues is wanted; if they decide: there are no products of that size.
 */
unsigned call_primes(const struct call *call, bool decides);

/*
 * call_moduli - choose the random primes of the call's residue check: call->moduli, at least n of them, until the call ends.
 *
 *   n     in  1..RESIDUE_PRIMES_MAX
 *   anew  in  true: drawn for this call.  false: the context's.  What has been drawn for the call stays
 * Errors: MEMORY.  UNSUPPORTED: the system gave no random numbers.
 */
enum gfmul_status call_moduli(struct call *call, unsigned n, bool anew);

/*
 * ctx_primes_draw - see that the first n of the context's own primes are there: one is drawn with it, others when needed.
 *
 * Needs the lock, or a context that nobody else has yet.   False: the system gave no random numbers.
 */
bool ctx_primes_draw(struct gfmul_ctx *ctx, unsigned n);

/* ctx_gmp_info - the description of a product by GMP.   ctx_short_info - of one by the context's short_ops.   info out. */
void ctx_gmp_info(struct gfmul_plan_info *info);
void ctx_short_info(const struct gfmul_ctx *ctx, struct gfmul_plan_info *info);

#endif
