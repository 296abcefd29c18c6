/*
 * ctx.h - a context and its calls: plans, buffers, progress, the report.
 *
 * Functions that take a call belong to the thread that began it; different calls may run on one context at once.
 */
#ifndef GFMUL_CTX_H
#define GFMUL_CTX_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/branches.h"
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

/* Limb counts below this never overflow: their sums, bit counts and byte counts fit size_t. */
#define MUL_LIMBS_END (SIZE_MAX / 64 / 4)

_Static_assert((int)RESIDUE_PRIMES_MAX == (int)GFMUL_RESIDUES_MAX, "reports have room for all residues");

enum { CTX_PLANS = 48, CTX_SHAPES = 64, CTX_BUFFERS = 64, CALL_BUFFERS = 24 };

struct idle_buffer {
    void *p;
    size_t bytes;
};

struct gfmul_ctx {
    struct gfmul_options opt;
    char *device;                        /* owned copy of opt.device */
    const struct engine *const *engines; /* engine_rows */
    const struct isa_ops *ops;
    unsigned tuning;  /* cpu_tuning of ops */
    bool rates_known; /* the tables of costs are for this processor, so that cpu_rates.h is not asked */
    /* A product whose shorter operand has fewer limbs than these needs no plan: from vector_ limbs on it is made by short_ops,
       else by GMP. */
    _Alignas(64) size_t planned_mul_limbs; /* short products read one cache line, up to unplanned_limbs */
    size_t planned_sqr_limbs;
    size_t vector_mul_limbs, vector_sqr_limbs;
    const struct short_ops *short_ops; /* NULL: none; the limits above are then SIZE_MAX */
    const struct small_ops *small_ops; /* the shortest products, whatever the limits say */
    size_t unplanned_limbs;            /* a power of two: if both counts are below it, the product needs no plan and no report */
    size_t planned_kept_limbs;         /* as planned_mul_limbs, for a product by a kept spectrum */
    size_t gmp_text_digits;    /* text goes through limbs if the shorter operand has fewer digits, and the longer one few */
    atomic_int unreported;     /* enum unreported: who made the last product, if it had no plan and wrote no report */
    atomic_uint n_calls;       /* calls under way */
    atomic_size_t kept_bytes;  /* of blocks by ctx_block_keep */
    atomic_bool has_runners;   /* the context has had runners */
    pthread_mutex_t lock;      /* guards everything below */
    unsigned n_shapes;         /* how many answers of plan_size have been put into `shapes` */
    enum plan_wrap wrap;       /* CHEAPER; tests and benchmarks set it, before the first call */
    bool full_precision;       /* double-double at every level; set by tests and benchmarks, before the first call */
    size_t apart_limbs;        /* from so many limbs on the callback also runs during the product: CALL_APART_LIMBS; .. */
    uint64_t tell_ns;          /* .. its interval: STAGE_TELL_NS.  Tests change both before the first call */
    size_t stack_least;        /* a calling thread needs so much stack: CALL_STACK_BYTES.  Changed by tests */
    size_t device_points_most; /* of a device's transforms; 0: no limit.  Set by tests, before the first call */
    struct plan_entry *plans;  /* list of all tables, most recently used first */
    unsigned n_plans;          /* beyond CTX_PLANS, tables that no call uses are freed */
    struct idle_buffer buffer[CTX_BUFFERS + 1]; /* idle buffers of the pool, most recently used first; + 1: ctx_buffer_put */
    struct idle idle;                           /* gives back the memory of long products after a while */
    struct fork_lock forks;                     /* guards the lock during a fork */
    struct runner *runners;                     /* runner.c: threads that calls run on, a list */
    unsigned n_buffers;
    size_t idle_bytes;                                  /* of the idle buffers */
    bool lent;                                          /* the system may take the idle buffers; no call has come since */
    size_t keep_bytes;                                  /* how much idle memory to keep: what recent calls needed */
    unsigned prime_bits;                                /* length of the residue check's primes: see residue_prime_bits */
    uint64_t residue_prime[RESIDUE_PRIMES_MAX];         /* of the residue check; 0 until drawn: see ctx_primes_draw */
    struct residue_modulus residue[RESIDUE_PRIMES_MAX]; /* their tables; p is 0 until first used */
    struct ctx_device *device_state;                    /* ctx_device.c: the OpenCL device, opened when it is first needed */
    /* "auto": the smallest product that opens a device, and the smallest that goes to an open one; 0: whenever it pays.  Set by
       tests */
    size_t device_cold_limbs, device_warm_limbs;
    unsigned shared_cells[2];    /* how several devices cut the operands of a product; 0: as it pays.  Set by tests */
    bool device_named;           /* if the device cannot make a product, the call fails; the CPU does not take over */
    atomic_bool driver_called;   /* a device was opened: a destructor must not call its driver */
    struct device_store *stores; /* device_store.c: a list of the stores of all devices */
    struct gfmul_report report;
    struct proof *proof;                                  /* of the last call; NULL without the option certify */
    struct gfmul_kernel_time kernel[OCL_PROFILE_KERNELS]; /* of the last call */
    unsigned n_kernels;
    struct {
        struct plan_request request;
        struct plan_shape shape;
    } shapes[CTX_SHAPES]; /* a ring of plan_size's answers; not zeroed, because few programs fill its 200 kB */
};

/* What one transform contributes to the proof of a product: its plan, and the largest figures measured with it. */
struct proof_transform {
    bool used;
    struct plan_shape shape;
    struct plan_figures figures;
};

/* What the proof of a product rests on, for its certificate.  Only contexts with the option certify keep it. */
struct proof {
    bool made; /* false: the product is 0, or the call made none */
    unsigned base;
    size_t an, bn; /* as product.h; of the whole product, not of its parts */
    bool square;
    struct proof_transform transform[2]; /* the product's; if it wraps around, also that of its lowest limbs */
};

/* One call under way: the state that the engines share.  Its report is copied into the context at the end. */
struct call {
    struct gfmul_ctx *ctx;
    struct stage_monitor *monitor;        /* of the progress callback; NULL: it does not run, or not any more */
    struct proof *proof;                  /* owned, until the call ends; NULL: not asked for */
    double product_bits;                  /* of the largest product under way; it decides how many primes are needed */
    unsigned n_moduli;                    /* of the residue check; 0: not chosen yet */
    const struct residue_modulus *moduli; /* the context's, or .. */
    struct residue_modulus *drawn;        /* .. drawn for this call; NULL: none were */
    struct mul_beside *beside;            /* residues computed while a device works; NULL: none are */
    unsigned n_kernels;
    unsigned threads;
    unsigned team;          /* of a space: threads for works side by side, however short each is; 0: threads */
    rounding_mode rounding; /* of the calling thread, restored at the end */
    struct phase_clock clock;
    size_t allocated; /* bytes held now, against memory_limit */
    size_t reserved;  /* of a fixed operand, of kept transforms, and what a part leaves to others; this counts against it, too */
    size_t peak;      /* the largest value of allocated, with blocks by ctx_block_keep */
    size_t kept_before; /* the context's kept_bytes when the call began */
    /* If the call makes many products: the share finished before the current one, and the current one's own; 0: only one.  Those
       of a part of the call end at share_end; 0: at 1 */
    double share_from, share_span, share_end;
    bool part;      /* of another call: the context does not keep its report */
    bool alone;     /* its products are not shared by several devices */
    bool low_limbs; /* now the lowest limbs of a product that wraps around are multiplied: this must not wrap, .. */
    enum gfmul_precision low_precision; /* .. and uses the precision of the whole product */
    struct {
        void *p;
        size_t bytes, block_bytes;
    } held[CALL_BUFFERS];                                 /* buffers in use; block_bytes: their true size */
    struct gfmul_report report;                           /* call_begin does not clear the members from here on */
    char why[sizeof((struct gfmul_report *)0)->detail];   /* why the last step failed; the report's line if the call fails */
    struct gfmul_kernel_time kernel[OCL_PROFILE_KERNELS]; /* set once the product is there */
};

/* Shorter products take some ms, so their callback runs only at the start. */
enum { CALL_APART_LIMBS = 1 << 16 };

/* The most stack that a call needs, including GMP's share; t-stack measures it. */
enum { CALL_STACK_BYTES = 160 << 10 };

/* Who made the last product, if it wrote no report. */
enum unreported { UNREPORTED_NONE, UNREPORTED_GMP, UNREPORTED_SHORT };

/* Products without a plan of fewer limbs than this are too short for a report of their own; a longer one takes 25 us or more. */
enum { UNREPORTED_LIMBS = 1 << 16 };

/*
 * ctx_resolve - the context itself, or the shared default one for NULL.
 *
 *   status  out  why there is none; written only if NULL is returned
 */
struct gfmul_ctx *ctx_resolve(struct gfmul_ctx *ctx, enum gfmul_status *status);

/* ctx_note - note who made the last product without a report.  It writes only a change, so that cores share the cache line. */
static inline void ctx_note(struct gfmul_ctx *ctx, enum unreported by)
{
    if (UNLIKELY(atomic_load_explicit(&ctx->unreported, memory_order_relaxed) != (int)by))
        atomic_store_explicit(&ctx->unreported, (int)by, memory_order_relaxed);
}

/* call_begin - start a call: an empty report of engine "gmp", the threads it may use, the clock.   call out.  See call_run. */
void call_begin(struct call *call, struct gfmul_ctx *ctx);

/*
 * call_proof_begin - start the proof of this product: note its sizes.
 * call_proof_forget - drop the recorded transforms of the product or, while its lowest limbs are made, only theirs.
 * call_proof_add - add the plan and the figures of a product, or of a part of it, to the proof.
 */
void call_proof_begin(struct call *call, const struct product *p);
void call_proof_forget(struct call *call);
void call_proof_add(struct call *call, const struct plan_shape *shape, const struct plan_figures *figures);

/* call_end - give back what the call still holds, publish its report with this status, return the status. */
enum gfmul_status call_end(struct call *call, enum gfmul_status status);

/*
 * call_threads_limit - let a call use no more threads than a product of this many limbs can feed; returns the former number.
 * Fewer threads are faster when they would wait for each other longer than they work.
 */
unsigned call_threads_limit(struct call *call, size_t limbs);

/* call_team - threads for works of this many limbs in all, side by side; it may be more than call->threads. */
unsigned call_team(const struct call *call, size_t limbs);
/* call_cells_limit - the same for a shape with cells, whose transforms are shorter than the product. */
unsigned call_cells_limit(struct call *call, const struct plan_shape *s);

/* call_note - set the report's line for people, as printf; a later line replaces it, and so does the reason of a failure. */
void call_note(struct call *call, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* call_fail - set the reason of a failure, which is forgotten if the call succeeds another way.   Value: status. */
enum gfmul_status call_fail(struct call *call, enum gfmul_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* call_progress - tell the progress callback the finished share, in [0, 1].   Errors: INTERRUPTED. */
enum gfmul_status call_progress(struct call *call, double done);

/*
 * call_stage - begin a stage, which ends the one before it.  It takes the product's progress from `from` to `to`, and its parts
 * have about so many points in all.   Errors: INTERRUPTED.
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

/* ctx_plan_size - plan_size with a cache of the last few answers, because a search costs as much as a short product. */
enum gfmul_status ctx_plan_size(struct call *call, const struct plan_request *request, struct plan_shape *shape);

/* A plan in use by a call: its own shape, with tables of the cache.   entry NULL: somebody else owns the tables. */
struct plan_lease {
    struct plan plan;
    struct plan_entry *entry;
    bool first; /* nobody else used the tables when it began */
};

/* lease_table_bytes - bytes of tables that count for who keeps a lease beyond a product; who shares them counts none. */
static inline size_t lease_table_bytes(const struct plan_lease *lease)
{
    return lease->first ? plan_table_bytes(&lease->plan.shape) : 0;
}

/*
 * ctx_plan_get - a plan of this shape for the context's instruction set, from the cache or made now.
 *
 *   lease  out  give it back with ctx_plan_put; without an entry on failure
 *
 * All plans with the same points, passes, packing and scale share tables; only the sizes of the operands differ.
 * Threads: the tables are built outside the lock, so that other calls go on.   Errors: those of plan_create.
 */
enum gfmul_status ctx_plan_get(struct call *call, const struct plan_shape *shape, struct plan_lease *lease);
void ctx_plan_put(struct gfmul_ctx *ctx, struct plan_lease *lease); /* without an entry it does nothing */

/* ctx_plans_bytes - bytes of all tables in the cache, used or idle.   Needs the lock. */
size_t ctx_plans_bytes(const struct gfmul_ctx *ctx);

/*
 * ctx_buffer_get - bytes of memory from the pool, aligned as alloc_aligned, contents undefined.
 *
 *   p  out  NULL on failure; give it back with ctx_buffer_put, or leave that to call_end
 *
 * At most CALL_BUFFERS at a time.   Errors: MEMORY; if memory_limit would be passed, nothing is allocated.
 */
enum gfmul_status ctx_buffer_get(struct call *call, size_t bytes, void **p);
void ctx_buffer_put(struct call *call, void *p); /* NULL is allowed */

/*
 * ctx_block_keep - the same for a block that may outlive the call.   ctx_block_end - give it back: to the pool if a call is under
 * way, else to the system.
 *
 *   block  out  give it back with ctx_block_end, before the context; without memory on failure, and then this does nothing
 *
 * memory_limit counts such a block only while it is taken: who keeps it adds its bytes to call->reserved.   Errors: MEMORY.
 */
enum gfmul_status ctx_block_keep(struct call *call, size_t bytes, struct idle_buffer *block);
void ctx_block_end(struct gfmul_ctx *ctx, struct idle_buffer *block);

/*
 * call_touch - if the callback runs during the product, touch memory part by part before a stage writes it.
 * The page faults then come in parts, between which the callback may run.
 *
 *   p  in  bytes of a buffer or of the product; NULL is allowed
 */
void call_touch(struct call *call, void *p, size_t bytes);

/* ctx_memory_check - whether bytes more may be allocated under memory_limit.   Errors: MEMORY, with a detail. */
enum gfmul_status ctx_memory_check(struct call *call, size_t bytes);

/*
 * ctx_memory_room - the same for bytes that will be allocated outside the pool (tables, GMP, FFTW).
 * If these bytes and the context's idle memory together would pass the limit, the idle memory is freed, even if an earlier step
 * of this call left it.  Without memory_limit the machine's memory is the limit.
 */
enum gfmul_status ctx_memory_room(struct call *call, size_t bytes);

/*
 * ctx_memory_take - memory outside the pool, if ctx_memory_room has it.  If the system has none, the context's idle buffers go
 * back to it, then all idle memory.
 *
 *   what  in  of the failure's reason; NULL: it has the bytes
 * Value: to be freed with alloc_free, also for no bytes; NULL: the call has failed, status MEMORY.   Hold no context's lock.
 */
void *ctx_memory_take(struct call *call, size_t bytes, const char *what);

/* ctx_plans_trim - free all plans that no call uses.   ctx_buffers_trim - free all idle buffers; whether there were any. */
void ctx_plans_trim(struct gfmul_ctx *ctx);
bool ctx_buffers_trim(struct gfmul_ctx *ctx);

/*
 * ctx_idle_note - note that a call that needed peak_bytes, or a block of so many, has ended.   Needs no lock of the context.
 * If it needed many, the context lends its memory to the system a while later: see base/idle.h.
 *
 * ctx_idle_give - lend the context's idle memory, or free it (struct idle).
 * ctx_idle_look - check whether the system has taken lent memory: the next product is cold then.   Needs the context's lock.
 */
void ctx_idle_note(struct gfmul_ctx *ctx, size_t peak_bytes);
enum idle_left ctx_idle_give(struct idle *idle, bool wholly);
void ctx_idle_look(struct gfmul_ctx *ctx);

/*
 * call_primes - how many primes a residue check needs for products of up to call->product_bits.
 *
 *   decides  in  the residues decide, whatever the options say: rule checked, or an engine whose errors are not proved
 * Value: at most RESIDUE_PRIMES_MAX.  0: no residue check is wanted; if the residues decide, the product is too large for one.
 */
unsigned call_primes(const struct call *call, bool decides);

/*
 * call_moduli - choose the random primes of the call's residue check: call->moduli, at least n of them, until the call ends.
 *
 *   n     in  1..RESIDUE_PRIMES_MAX
 *   anew  in  true: draw them for this call.  false: use the context's.  Primes already drawn for the call stay
 * Errors: MEMORY.  UNSUPPORTED: the system gave no random numbers.
 */
enum gfmul_status call_moduli(struct call *call, unsigned n, bool anew);

/*
 * ctx_primes_draw - make sure that the context has its first n primes.  The first is drawn with the context, others on demand.
 *
 * Needs the lock, or a context that no other thread knows yet.   False: the system gave no random numbers.
 */
bool ctx_primes_draw(struct gfmul_ctx *ctx, unsigned n);

/* ctx_gmp_info - describe a product by GMP.   ctx_short_info - describe one by the context's short_ops.   info out. */
void ctx_gmp_info(struct gfmul_plan_info *info);
void ctx_short_info(const struct gfmul_ctx *ctx, struct gfmul_plan_info *info);

#endif
