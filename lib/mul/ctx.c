/*
 * ctx.c - contexts: options, the default context, calls and their reports.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/ctx.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "base/threads.h"
#include "base/try.h"
#include "mul/call_run.h"
#include "mul/ctx_device.h"
#include "mul/engine.h"
#include "plan/thresholds/thresholds.h"

enum { MAX_THREADS = 1024 };

void gfmul_options_init(struct gfmul_options *opt)
{
    if (!opt)
        return;
    memset(opt, 0, sizeof *opt);
    opt->struct_bytes = sizeof *opt;
}

/* in_range - enumerators may be of a signed or an unsigned type. */
static bool in_range(int value, int last)
{
    return value >= 0 && value <= last;
}

/* is_cpu - whether the option `device` names the CPU. */
static bool is_cpu(const char *device)
{
    return device && (strcmp(device, "cpu") == 0 || strcmp(device, "0") == 0);
}

/* names_device - whether the caller chose a device: products then go there or fail. */
static bool names_device(const struct gfmul_options *opt)
{
    return opt->engine == GFMUL_ENGINE_OPENCL || opt->cl_context || opt->cl_queue ||
           (opt->device && strcmp(opt->device, "auto") != 0 && !is_cpu(opt->device));
}

/* choices_fit - whether some transform supports this combination of engine, precision, packing and rule. */
static bool choices_fit(const struct gfmul_options *opt)
{
    const bool dd = opt->precision == GFMUL_PRECISION_DD, any = opt->packing == GFMUL_PACKING_AUTO;
    if (opt->precision == GFMUL_PRECISION_PRIME && opt->engine != GFMUL_ENGINE_GMP)
        return opt->engine != GFMUL_ENGINE_FFTW && opt->rule == GFMUL_RULE_NORM && any;
    if (opt->engine == GFMUL_ENGINE_FFTW)
        return !dd && (any || opt->packing == GFMUL_PACKING_ONE_FOR_HALF);
    if (!dd || opt->engine == GFMUL_ENGINE_GMP)
        return true;
    return opt->rule != GFMUL_RULE_CHECKED && (any || opt->packing == GFMUL_PACKING_RIGHT_ANGLE); /* on devices, too */
}

/* device_check - ARGUMENT if the options name a device that the engine, or the CPU, does not run on. */
static enum gfmul_status device_check(const struct gfmul_options *opt)
{
    const bool is_auto = !opt->device || strcmp(opt->device, "auto") == 0, given = opt->cl_context || opt->cl_queue;
    const bool here = opt->engine == GFMUL_ENGINE_CPU || opt->engine == GFMUL_ENGINE_FFTW || opt->engine == GFMUL_ENGINE_GMP;
    if ((here || is_cpu(opt->device)) && names_device(opt))
        return GFMUL_ERR_ARGUMENT;
    if (given && (!is_auto || !opt->cl_context || !opt->cl_queue))
        return GFMUL_ERR_ARGUMENT;
    return names_device(opt) && !engine_of(GFMUL_ENGINE_OPENCL) ? GFMUL_ERR_DEVICE : GFMUL_OK;
}

/* device_fits - whether a named device has these choices: rule knuth is in double-double there, packed right-angle. */
static bool device_fits(const struct gfmul_options *opt)
{
    return opt->rule != GFMUL_RULE_KNUTH || (opt->precision != GFMUL_PRECISION_DOUBLE &&
                                             (opt->packing == GFMUL_PACKING_AUTO || opt->packing == GFMUL_PACKING_RIGHT_ANGLE));
}

/* options_check - ARGUMENT for values that do not exist, then UNSUPPORTED for those that this build or a named device lacks. */
static enum gfmul_status options_check(const struct gfmul_options *opt)
{
    if (!in_range((int)opt->engine, GFMUL_ENGINE_GMP) || !in_range((int)opt->rule, GFMUL_RULE_CHECKED) ||
        !in_range((int)opt->precision, GFMUL_PRECISION_PRIME) || !in_range((int)opt->packing, GFMUL_PACKING_RIGHT_ANGLE) ||
        !in_range((int)opt->verify, GFMUL_VERIFY_NONE) || opt->verify_primes > RESIDUE_PRIMES_MAX || opt->threads > MAX_THREADS)
        return GFMUL_ERR_ARGUMENT;
    if (opt->certify && opt->engine == GFMUL_ENGINE_GMP) /* GMP's products are neither proved nor checked */
        return GFMUL_ERR_UNSUPPORTED;
    if (!gfmul_has_engine(opt->engine) || opt->precision == GFMUL_PRECISION_FLOAT || !choices_fit(opt))
        return GFMUL_ERR_UNSUPPORTED;
    TRY(device_check(opt));
    return names_device(opt) && !device_fits(opt) ? GFMUL_ERR_UNSUPPORTED : GFMUL_OK;
}

/* options_copy - copy the options.  A caller built against an older, shorter structure gets defaults for the newer fields. */
static enum gfmul_status options_copy(struct gfmul_options *to, const struct gfmul_options *from)
{
    const size_t first_version = offsetof(struct gfmul_options, progress_arg) + sizeof from->progress_arg;
    gfmul_options_init(to);
    if (!from)
        return GFMUL_OK;
    if (from->struct_bytes < first_version || from->struct_bytes > sizeof *from)
        return GFMUL_ERR_ARGUMENT;
    memcpy(to, from, from->struct_bytes);
    to->struct_bytes = sizeof *to;
    return GFMUL_OK;
}

static const struct {
    unsigned isa_bit;
    size_t mul_limbs, sqr_limbs, text_digits;
} crossovers[] = {
#define ISA(name, NAME, found, words, product, square, text) \
    {CPU_ISA_##NAME, GMP_CROSSOVER(product), GMP_CROSSOVER(square), GMP_CROSSOVER(text)},
#include "base/isa.def"
#define CROSSOVER(isa_bit, mul_limbs, sqr_limbs, text_digits) {isa_bit, mul_limbs, sqr_limbs, text_digits},
    GMP_CROSSOVERS_TUNED(CROSSOVER) /* if an instruction set has several rows, the last one counts */
#undef CROSSOVER
};

/*
 * crossover_set - set the sizes below which products need no plan.  They are 0 if the caller named an engine other than GMP, or
 * asked for a rule or a certificate, which GMP does not offer.
 */
static void crossover_set(struct gfmul_ctx *ctx)
{
    ctx->planned_mul_limbs = ctx->planned_sqr_limbs = ctx->planned_kept_limbs = ctx->gmp_text_digits = 0;
    ctx->vector_mul_limbs = ctx->vector_sqr_limbs = SIZE_MAX;
    if (ctx->opt.engine == GFMUL_ENGINE_GMP) {
        ctx->planned_mul_limbs = ctx->planned_sqr_limbs = ctx->planned_kept_limbs = ctx->gmp_text_digits = SIZE_MAX;
    } else if (ctx->opt.engine == GFMUL_ENGINE_AUTO && ctx->opt.rule != GFMUL_RULE_KNUTH && !ctx->opt.certify) {
        for (size_t i = 0; i < sizeof crossovers / sizeof *crossovers; i++) {
            if (crossovers[i].isa_bit == ctx->ops->isa_bit) {
                ctx->planned_mul_limbs = ctx->planned_kept_limbs = crossovers[i].mul_limbs;
                ctx->planned_sqr_limbs = crossovers[i].sqr_limbs;
                ctx->gmp_text_digits = crossovers[i].text_digits;
            }
        }
        if (ctx->short_ops) {
            ctx->vector_mul_limbs = ctx->short_ops->product.from;
            ctx->vector_sqr_limbs = ctx->short_ops->square.from;
            ctx->planned_mul_limbs = GMP_CROSSOVER(ctx->short_ops->product.to);
            ctx->planned_sqr_limbs = GMP_CROSSOVER(ctx->short_ops->square.to);
            ctx->planned_kept_limbs = GMP_CROSSOVER(ctx->short_ops->kept_to);
        }
    } else if (ctx->opt.engine == GFMUL_ENGINE_FFTW) {
        ctx->gmp_text_digits = SIZE_MAX;
    }
    size_t least = ctx->planned_mul_limbs < ctx->planned_sqr_limbs ? ctx->planned_mul_limbs : ctx->planned_sqr_limbs;
    for (ctx->unplanned_limbs = 1; ctx->unplanned_limbs <= least / 2 && ctx->unplanned_limbs < UNREPORTED_LIMBS;)
        ctx->unplanned_limbs *= 2;
}

static void report_init(struct gfmul_report *report)
{
    memset(report, 0, sizeof *report);
    report->error_operand = -1;
    ctx_gmp_info(&report->plan);
}

/* ctx_fill - set up a context by its options.   On failure gfmul_ctx_destroy frees what was made. */
static enum gfmul_status ctx_fill(struct gfmul_ctx *ctx, const struct gfmul_options *options)
{
    ctx->opt = *options;
    ctx->idle.give = ctx_idle_give;
    ctx->wrap = PLAN_WRAP_CHEAPER;
    ctx->apart_limbs = CALL_APART_LIMBS;
    ctx->tell_ns = STAGE_TELL_NS;
    ctx->stack_least = CALL_STACK_BYTES;
    ctx->device_named = names_device(options);
    if (options->device) {
        const size_t bytes = strlen(options->device) + 1;
        if (!(ctx->device = alloc_aligned(bytes)))
            return GFMUL_ERR_MEMORY;
        ctx->opt.device = memcpy(ctx->device, options->device, bytes);
    }
    ctx->engines = engine_rows;
    const char *disable = environment_get("GFMUL_DISABLE");
    const unsigned isa_mask = cpu_isa_mask(disable);
    ctx->ops = isa_ops_select(isa_mask);
    ctx->tuning = cpu_tuning(ctx->ops->isa_bit);
    const struct cpu_model model = cpu_model();
    ctx->rates_known = !cpu_lists(disable, "tables") && plan_is_tabled(ctx->tuning, &model);
    ctx->short_ops = short_ops_select(isa_mask, disable);
    ctx->small_ops = small_ops_select(disable);
    /* a device takes the same time for any prime, so long primes are better there: fewer of them are needed */
    ctx->prime_bits = ctx->device_named ? RESIDUE_BITS : residue_prime_bits(ctx->ops->isa_bit, disable);
    crossover_set(ctx);
    report_init(&ctx->report);
    if (!ctx_primes_draw(ctx, 1))
        return GFMUL_ERR_UNSUPPORTED;
    return ctx_device_begin(ctx);
}

/* calls_forget - after a fork: none of the parent's calls runs in the child. */
static void calls_forget(struct fork_lock *forks)
{
    struct gfmul_ctx *ctx = (void *)((char *)forks - offsetof(struct gfmul_ctx, forks));
    atomic_store(&ctx->n_calls, 0);
}

enum gfmul_status gfmul_ctx_create(struct gfmul_ctx **result, const struct gfmul_options *opt)
{
    struct gfmul_options options;
    if (!result)
        return GFMUL_ERR_ARGUMENT;
    *result = NULL;
    TRY(options_copy(&options, opt));
    TRY(options_check(&options));
    struct gfmul_ctx *ctx = alloc_aligned(sizeof *ctx);
    if (ctx)
        memset(ctx, 0, offsetof(struct gfmul_ctx, shapes)); /* its atomic members begin as 0 and false */
    if (!ctx || pthread_mutex_init(&ctx->lock, NULL) != 0) {
        alloc_free(ctx);
        return GFMUL_ERR_MEMORY;
    }
    ctx->forks = (struct fork_lock){.lock = &ctx->lock, .order = FORK_INNER, .in_child = calls_forget};
    forks_hold(&ctx->forks);
    const enum gfmul_status status = ctx_fill(ctx, &options);
    if (status == GFMUL_OK)
        *result = ctx;
    else
        gfmul_ctx_destroy(ctx);
    return status;
}

void gfmul_ctx_destroy(struct gfmul_ctx *ctx)
{
    if (!ctx)
        return;
    ctx_runners_end(ctx);
    idle_forget(&ctx->idle);
    forks_forget(&ctx->forks);
    ctx_device_end(ctx);
    ctx_plans_trim(ctx);
    ctx_buffers_trim(ctx);
    pthread_mutex_destroy(&ctx->lock);
    alloc_free(ctx->proof);
    alloc_free(ctx->device);
    alloc_free(ctx);
}

void gfmul_ctx_trim(struct gfmul_ctx *ctx)
{
    enum gfmul_status status;
    if (!ctx)
        idle_trim_shared();
    if (!(ctx = ctx_resolve(ctx, &status)))
        return;
    ctx_runners_settle(ctx);
    ctx_runners_trim(ctx);
    ctx_device_trim(ctx);
    ctx_plans_trim(ctx);
    ctx_buffers_trim(ctx);
}

/* The default context: made once, freed when the process or the library is unloaded. */
static pthread_once_t default_once = PTHREAD_ONCE_INIT;
static struct gfmul_ctx *default_ctx;
static enum gfmul_status default_status;

static void default_create(void)
{
    default_status = gfmul_ctx_create(&default_ctx, NULL);
}

#if defined(__GNUC__)
__attribute__((destructor)) static void default_destroy(void)
{
    if (default_ctx && (atomic_load(&default_ctx->driver_called) || atomic_load(&default_ctx->n_calls) > 0))
        return; /* the driver may have shut down already, and other threads may still run: the system frees the memory */
    gfmul_ctx_destroy(default_ctx);
    default_ctx = NULL;
}
#endif

struct gfmul_ctx *ctx_resolve(struct gfmul_ctx *ctx, enum gfmul_status *status)
{
    if (ctx)
        return ctx;
    pthread_once(&default_once, default_create);
    if (!default_ctx)
        *status = default_status == GFMUL_OK ? GFMUL_ERR_INTERNAL : default_status;
    return default_ctx;
}

void call_begin(struct call *call, struct gfmul_ctx *ctx)
{
    memset(call, 0, offsetof(struct call, report));
    phase_begin(&call->clock);
    call->rounding = rounding_enter();
    call->ctx = ctx;
    atomic_fetch_add_explicit(&ctx->n_calls, 1, memory_order_relaxed);
    call->kept_before = atomic_load_explicit(&ctx->kept_bytes, memory_order_relaxed);
    report_init(&call->report);
    call->why[0] = '\0';
    call->threads = threads_available(ctx->opt.threads);
    call->proof = ctx->opt.certify ? alloc_zeroed(sizeof *call->proof) : NULL;
}

enum gfmul_status call_end(struct call *call, enum gfmul_status status)
{
    struct gfmul_ctx *ctx = call->ctx;
    for (size_t i = 0; i < CALL_BUFFERS; i++)
        ctx_buffer_put(call, call->held[i].p);
    alloc_free(call->drawn);
    call->report.status = status;
    if (status != GFMUL_OK && (call->why[0] || !call->report.detail[0]))
        call_note(call, "%s", call->why[0] ? call->why : gfmul_strerror(status));
    phase_report(&call->clock, &call->report);
    struct proof *proof = call->proof;
    pthread_mutex_lock(&ctx->lock);
    if (!call->part) {
        ctx->report = call->report;
        proof = ctx->proof;
        ctx->proof = call->proof;
        ctx->n_kernels = call->n_kernels;
        memcpy(ctx->kernel, call->kernel, call->n_kernels * sizeof call->kernel[0]);
        atomic_store_explicit(&ctx->unreported, UNREPORTED_NONE, memory_order_relaxed);
    }
    if (!call->part && ctx->keep_bytes > call->peak)
        ctx->keep_bytes -= (ctx->keep_bytes - call->peak) / 16; /* so the memory of one huge product goes after a while */
    pthread_mutex_unlock(&ctx->lock);
    alloc_free(proof);
    ctx_idle_note(ctx, call->peak);
    atomic_fetch_sub_explicit(&ctx->n_calls, 1, memory_order_release); /* from here on default_destroy may free the context */
    rounding_leave(&call->rounding);
    return status;
}

void gfmul_ctx_report(struct gfmul_ctx *ctx, struct gfmul_report *report)
{
    enum gfmul_status status = GFMUL_OK;
    if (!report)
        return;
    report_init(report);
    ctx = ctx_resolve(ctx, &status);
    if (!ctx) {
        report->status = status;
        return;
    }
    pthread_mutex_lock(&ctx->lock);
    const int unreported = atomic_load_explicit(&ctx->unreported, memory_order_relaxed);
    if (unreported == UNREPORTED_NONE)
        *report = ctx->report;
    else if (unreported == UNREPORTED_SHORT)
        ctx_short_info(ctx, &report->plan);
    pthread_mutex_unlock(&ctx->lock);
}

unsigned gfmul_ctx_kernels(struct gfmul_ctx *ctx, struct gfmul_kernel_time *kernel, unsigned max)
{
    enum gfmul_status status;
    unsigned n = 0;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return 0;
    pthread_mutex_lock(&ctx->lock);
    if (atomic_load_explicit(&ctx->unreported, memory_order_relaxed) == UNREPORTED_NONE)
        n = ctx->n_kernels;
    if (kernel)
        memcpy(kernel, ctx->kernel, (n < max ? n : max) * sizeof *kernel);
    pthread_mutex_unlock(&ctx->lock);
    return n;
}
