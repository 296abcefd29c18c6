/*
 * ctx.h - what a call asks of its context: plans, buffers, progress, the report.
 *
 * Functions that take a call belong to the thread that began it; different calls may run on one context at once.
 */
#ifndef GFMUL_CTX_H
#define GFMUL_CTX_H

#include "mul/mul.h"

/* GMP's products of fewer limbs than this are too short for a report of their own; a longer one takes 25 us or more. */
enum { UNREPORTED_LIMBS = 1 << 16 };

/*
 * ctx_resolve - the context itself, or the shared default one for NULL.
 *
 *   status  out  why there is none; written only where NULL is returned
 */
struct gfmul_ctx *ctx_resolve(struct gfmul_ctx *ctx, enum gfmul_status *status);

/* ctx_note_gmp - the last call was a short product by GMP.  Written only where that is news: the line stays shared. */
static inline void ctx_note_gmp(struct gfmul_ctx *ctx)
{
    if (!atomic_load_explicit(&ctx->gmp_was_last, memory_order_relaxed))
        atomic_store_explicit(&ctx->gmp_was_last, true, memory_order_relaxed);
}

/* call_begin - start a call: an empty report of engine "gmp", the threads it may use, the clock.   call out. */
void call_begin(struct call *call, struct gfmul_ctx *ctx);

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

/* call_progress - tell the progress callback a share done in [0, 1].   Errors: INTERRUPTED. */
enum gfmul_status call_progress(struct call *call, double done);

/*
 * call_stage - what follows does the share from `from` to `to` of the product, in parts of about so many points in all; a
 * stage that came before has ended.   Errors: INTERRUPTED.
 */
enum gfmul_status call_stage(struct call *call, double from, double to, double points);

/* call_monitor - what the stages of this call announce their parts to; NULL without a callback. */
struct stage_monitor *call_monitor(struct call *call);

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

/*
 * ctx_plan_get - a plan of this shape for the context's instruction set, from the cache or made now.
 *
 *   plan  out  read-only; give it back with ctx_plan_put
 *
 * Tables are shared by all plans of the same points, passes, packing and scale; only the sizes of the operands differ.
 * Threads: the tables are built outside the lock, so that other calls go on.   Errors: those of plan_create.
 */
enum gfmul_status ctx_plan_get(struct call *call, const struct plan_shape *shape, const struct plan **plan);
void ctx_plan_put(struct gfmul_ctx *ctx, const struct plan *plan); /* NULL is allowed */

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
 * ctx_device_init - what the options say of a device; nothing is touched unless one is named.
 * Errors: ARGUMENT (choices that contradict each other), DEVICE (the one named is not there or not usable), MEMORY.
 */
enum gfmul_status ctx_device_init(struct gfmul_ctx *ctx);
void ctx_device_free(struct gfmul_ctx *ctx);

/* ctx_device_is_open - whether the context holds an OpenCL device.   No other call may be running on it. */
bool ctx_device_is_open(const struct gfmul_ctx *ctx);

/* ctx_device_is_cpu - whether the option means the CPU: "cpu", "0". */
bool ctx_device_is_cpu(const char *device);

/*
 * ctx_device_get - the device for a product of about so many limbs, opened where that is its first.
 *
 *   d  out  NULL: the CPU makes it; where a device was looked for in vain the call's detail says so
 * Valid until the context is destroyed, even where it is lost on the way.
 * Errors: those of ocl_device_open, where the device was named.
 */
enum gfmul_status ctx_device_get(struct call *call, size_t limbs, struct ocl_device **d);

/* ctx_device_named - whether products that the device cannot make are errors, not the CPU's. */
bool ctx_device_named(const struct gfmul_ctx *ctx);

/* ctx_device_failed - a product failed there for this reason; where the device is lost that is kept for the products to come. */
void ctx_device_failed(struct gfmul_ctx *ctx, struct ocl_device *d, const char *why);

/* ctx_device_each - f(d, p) for each device that this context has open, lost ones too. */
void ctx_device_each(struct gfmul_ctx *ctx, void *p, void (*f)(struct ocl_device *d, void *p));

/* ctx_device_limits - for tests: the least products, in limbs, that "auto" opens a device for, and gives to an open one. */
void ctx_device_limits(struct gfmul_ctx *ctx, size_t cold_limbs, size_t warm_limbs);

/*
 * ctx_modulus - the context's random prime of the residue check, RESIDUE_BITS long, with its tables; stored in the report.
 * Valid until the context is destroyed.
 */
const struct residue_modulus *ctx_modulus(struct call *call);

/* ctx_prime - the prime alone. */
static inline uint64_t ctx_prime(struct call *call)
{
    return ctx_modulus(call)->p;
}

/* ctx_gmp_info - the description of a product by GMP.   info out. */
void ctx_gmp_info(struct gfmul_plan_info *info);

#endif
