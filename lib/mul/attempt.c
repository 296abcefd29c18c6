/*
 * attempt.c - the loop that makes a product: plan, lease, run, judge, verify.  If one of these fails, the next attempt begins.
 *
 *     the outcome                               the next attempt
 *     UNPROVED: the figures prove nothing, or   smaller digits, then the worst case; with a kept spectrum: the next way
 *       rule checked met a wrong residue
 *     wrong otherwise, on a device              the same plan once more
 *     REFUSED: out of memory                    on a device: smaller parts; if the product wraps around: one that does not
 *     UNFIT                                     the CPU, unless the caller named the device; then the next way
 *     nothing left, or another error            another device, if the options name several and it may help;
 *                                               then the CPU, unless the caller named the device
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "mul/ctx_device.h"
#include "mul/engine.h"
#include "mul/mul_verify.h"

enum { MODULI_ANEW_BITS = 1 << 22 }; /* such a product takes some ms, and drawing its own primes at most 20 us */

bool call_judge(struct call *call, const struct plan_shape *shape, const struct plan_figures *figures, size_t cell)
{
    struct gfmul_report *report = &call->report;
    double bound, k;
    const bool proved = plan_judge(shape, figures, &bound, &k);
    if (cell == 0 || bound > report->plan.bound) {
        report->plan.bound = bound;
        report->plan.k = k;
    }
    if (figures->max_error > report->max_error)
        report->max_error = fmin(figures->max_error, 0.5); /* infinite: there were NaNs */
    call_proof_add(call, shape, figures);
    return proved;
}

/* attempt_init - set all members before `request`; attempt_begin sets the request, and planning the rest. */
static void attempt_init(struct attempt *t, struct call *call, const struct product *p)
{
    const double bits = number_bits(&p->z);
    if (bits > call->product_bits)
        call->product_bits = bits;
    memset(t, 0, offsetof(struct attempt, request));
    t->call = call;
    t->p = p;
}

/* rule_checks - whether the product is only accepted after a residue check, whatever the options say. */
static bool rule_checks(const struct attempt *t)
{
    const enum engine_trust trust = t->engine->trust;
    const bool exact = trust == TRUST_EXACT || (trust == TRUST_PROVED && t->shape.field == PLAN_PRIME);
    return trust == TRUST_UNPROVED || (t->call->ctx->opt.rule == GFMUL_RULE_CHECKED && !exact);
}

/* takes_residues - whether residues are computed whatever `verify` says: they decide, or the certificate lists them. */
static bool takes_residues(const struct attempt *t)
{
    return rule_checks(t) || (t->call->ctx->opt.certify && t->engine->trust != TRUST_EXACT);
}

/* ---- plans ---- */

/* attempt_begin - reset the plan, and make the first request to an engine. */
static void attempt_begin(struct attempt *t)
{
    const struct product *p = t->p;
    memset(&t->shape, 0, sizeof t->shape);
    memset(&t->request, 0, sizeof t->request);
    if (p->b.spectrum)
        return; /* the spectrum has a plan */
    ctx_plan_request(t->call, &t->request, p->a.base, number_size(&p->a), number_size(&p->b), p->square);
    if ((t->request.ring = p->ring) > 0) {
        t->request.ring_minus = p->ring_minus;
        if (p->ring_precision != GFMUL_PRECISION_AUTO)
            t->request.precision = p->ring_precision;
        t->request.wrap = PLAN_WRAP_NEVER;
    }
    t->request.cells = t->request.rule == GFMUL_RULE_KNUTH && p->a.base == 2 && !p->z.words;
}

/* attempt_plan - plan the request: shape and info.  Sets the outcome if there is no plan. */
static enum gfmul_status attempt_plan(struct attempt *t)
{
    t->outcome = OUTCOME_MADE;
    const enum gfmul_status status = t->engine->plan(t);
    if (t->outcome == OUTCOME_MADE && (status == GFMUL_ERR_MEMORY || status == GFMUL_ERR_SIZE))
        t->outcome = OUTCOME_REFUSED;
    else if (status == GFMUL_ERR_UNSUPPORTED || (status == GFMUL_ERR_PRECISION && t->p->a.base != 2))
        t->outcome = OUTCOME_UNFIT; /* limbs can be cut into shorter digits than text */
    t->info.residue_primes = t->engine->trust == TRUST_EXACT ? 0 : call_primes(t->call, takes_residues(t));
    return status;
}

/* attempt_reduced - change a refused request so that it needs less memory; false: it was not refused, or nothing is left. */
static bool attempt_reduced(struct attempt *t)
{
    return t->outcome == OUTCOME_REFUSED && t->engine->reduce && t->engine->reduce(t);
}

bool attempt_unwrapped(struct attempt *t)
{
    const bool wraps = t->shape.grid.wraps && t->request.wrap != PLAN_WRAP_NEVER;
    if (wraps)
        t->request.wrap = PLAN_WRAP_NEVER;
    return wraps;
}

bool attempt_smaller(struct attempt *t)
{
    if (t->shape.rule != GFMUL_RULE_CHECKED && !t->shape.bound.norms_measured)
        return false;
    plan_request_next(&t->request, &t->shape);
    return true;
}

/* ---- checks ---- */

/*
 * attempt_moduli - choose the primes for the residue check.
 * If the residues decide or are certified, each product of at least MODULI_ANEW_BITS draws its own primes.  If an operand's
 * residues are kept, the product uses the context's primes, because they were kept for those.
 */
static enum gfmul_status attempt_moduli(const struct attempt *t)
{
    struct call *call = t->call;
    const bool decides = takes_residues(t), kept = t->p->a.residue || t->p->b.residue;
    const unsigned n = call_primes(call, decides);
    if (n == 0)
        return call_fail(call, GFMUL_ERR_SIZE, "a product of %.2g bits is too large for rule checked", call->product_bits);
    return call_moduli(call, n, decides && !kept && call->product_bits >= MODULI_ANEW_BITS);
}

/* attempt_verify - run the checks that the rule, the engine and the options ask for. */
static enum gfmul_status attempt_verify(struct attempt *t)
{
    struct call *call = t->call;
    const struct product *p = t->p;
    const enum gfmul_verify how = call->ctx->opt.verify;
    const bool hardware = t->engine->trust == TRUST_HARDWARE;
    const bool must = takes_residues(t), wanted = (t->verify || hardware) && how != GFMUL_VERIFY_NONE;
    if (p->z.words || p->ring > 0 || t->engine->trust == TRUST_EXACT)
        return GFMUL_OK; /* words are checked when they are fetched; a caller who asks for a ring checks the final result */
    /* the residue code masks a bit of each character, so it would not notice one that is no digit */
    if (hardware && p->z.digits && (must || wanted) && !text_is_digits(p->z.digits, p->z.n, p->z.base, call->threads))
        return call_fail(call, GFMUL_ERR_VERIFY, "the product has characters that are no digits");
    if (must || (wanted && how == GFMUL_VERIFY_MOD)) {
        TRY(attempt_moduli(t));
        TRY(call->beside ? mul_beside_check(call) : product_residues(call, p));
    }
    return wanted && how == GFMUL_VERIFY_GMP ? product_verify(call, p) : GFMUL_OK;
}

/* ---- the loop ---- */

static void attempt_release(struct attempt *t, enum gfmul_status status, bool again)
{
    if (t->leased)
        t->leased = t->engine->release && t->engine->release(t, status, again);
}

/* attempt_run - plan, lease and run one attempt, without judging or checking its product. */
static enum gfmul_status attempt_run(struct attempt *t)
{
    struct phase_clock *clock = &t->call->clock;
    phase_enter(clock, PHASE_PLAN);
    t->call->why[0] = '\0';
    call_proof_forget(t->call);
    TRY(attempt_plan(t));
    t->call->report.plan = t->info;
    t->call->report.max_error = 0;
    t->resumed = t->leased;
    t->leased = true;
    if (t->engine->lease)
        TRY(t->engine->lease(t));
    phase_enter(clock, PHASE_TRANSFORM);
    if (!t->device) {
        const struct number *z = &t->p->z;
        call_touch(t->call, z->digits ? (void *)z->digits : z->limbs, z->n * (z->digits ? 1 : sizeof *z->limbs));
    }
    return t->engine->run(t);
}

/* attempt_next - set up the next attempt by this engine after a failed one; false: there is none. */
static bool attempt_next(struct attempt *t, enum gfmul_status *status, bool *again)
{
    struct call *call = t->call;
    if (*status == GFMUL_ERR_VERIFY && rule_checks(t) &&
        (t->engine->trust == TRUST_UNPROVED || t->shape.rule == GFMUL_RULE_CHECKED))
        t->outcome = OUTCOME_UNPROVED;
    const bool unproved = t->outcome == OUTCOME_UNPROVED;
    if (t->p->b.spectrum && (unproved || (t->outcome == OUTCOME_REFUSED && t->device)))
        t->outcome = OUTCOME_UNFIT;
    if (t->outcome == OUTCOME_UNFIT) {
        *status = t->p->b.spectrum ? GFMUL_ERR_PRECISION : *status;
        return false;
    }
    if (unproved && t->engine->smaller && t->engine->smaller(t)) {
        call->report.n_fallbacks++;
        return true;
    }
    if (*status == GFMUL_OK)
        *status = call_fail(call, GFMUL_ERR_VERIFY,
                            "the transform returned no numbers, or such as are further from integers than its bound");
    if (*status == GFMUL_ERR_VERIFY && t->engine->trust == TRUST_HARDWARE) {
        call->report.n_device_errors++;
        attempt_begin(t);
        return !*again && (*again = true);
    }
    return attempt_reduced(t);
}

/* attempts_held - make the product by t->engine, whose lease is held. */
static enum gfmul_status attempts_held(struct attempt *t)
{
    struct call *call = t->call;
    const unsigned threads = call->threads;
    bool again = false;
    enum gfmul_status status;
    attempt_begin(t);
    for (;;) {
        mul_beside_forget(call);
        status = attempt_run(t);
        const bool made = status == GFMUL_OK && t->outcome == OUTCOME_MADE;
        if (made) {
            attempt_release(t, status, false);
            status = attempt_verify(t);
            if (status == GFMUL_OK)
                break;
        }
        const bool unproved = status == GFMUL_OK, more = attempt_next(t, &status, &again);
        attempt_release(t, status, more && unproved);
        call->threads = threads;
        if (!more)
            return status;
    }
    call->threads = threads;
    if (again)
        call_note(call, "%.60s: the first product was wrong, and was made again there", t->info.device);
    return GFMUL_OK;
}

/* held - body within the engine's hold. */
static enum gfmul_status held(struct attempt *t, enum gfmul_status (*body)(struct attempt *t))
{
    return t->engine->hold ? t->engine->hold(t, body) : body(t);
}

/* attempts - make the product by t->engine. */
static enum gfmul_status attempts(struct attempt *t)
{
    return held(t, attempts_held);
}

/* attempts_beside - the same on a device; the host computes residues of limbs while the device works. */
static enum gfmul_status attempts_beside(struct attempt *t)
{
    struct mul_beside beside;
    if (t->p->z.limbs && (t->call->ctx->opt.verify == GFMUL_VERIFY_MOD || takes_residues(t))) {
        TRY(attempt_moduli(t));
        mul_beside_begin(t->call, &beside, t->p);
    }
    const enum gfmul_status status = attempts(t);
    t->call->beside = NULL;
    return status;
}

/* may_move - whether the failure of a product on a device may be that device's alone; t->tried then has the device. */
static bool may_move(struct attempt *t, enum gfmul_status status)
{
    if (t->place > 0)
        t->tried |= UINT64_C(1) << (t->place - 1);
    return (status == GFMUL_ERR_DEVICE || status == GFMUL_ERR_VERIFY || t->outcome == OUTCOME_REFUSED) &&
           ctx_device_others(t->call->ctx, t->tried);
}

/*
 * attempts_on_device - the same on a device, with other devices and the CPU as the way out.
 *
 *   done  out  false: another device (t->elsewhere) or the CPU has to make the product; the report says why
 */
static enum gfmul_status attempts_on_device(struct attempt *t, bool *done)
{
    struct call *call = t->call;
    const struct gfmul_report before = call->report;
    const enum gfmul_status status = attempts_beside(t);
    const bool local = !t->p->z.words; /* the CPU can make it */
    const bool unfit = t->outcome == OUTCOME_UNFIT;
    *done = true;
    t->elsewhere = false;
    if (status == GFMUL_OK) {
        call->report.device_place = t->place;
        call->report.n_devices = 1;
    }
    if (status == GFMUL_OK || status == GFMUL_ERR_INTERRUPTED || (t->p->b.spectrum && unfit))
        return status;
    char why[sizeof call->why];
    if (status == GFMUL_ERR_VERIFY && !t->p->z.words)
        snprintf(why, sizeof why, "two products of the device were wrong");
    else
        snprintf(why, sizeof why, "%s", call->why[0] ? call->why : gfmul_strerror(status));
    if (!unfit || !call->ctx->device_named)
        ctx_device_failed(call->ctx, t->device, why);
    const bool moves = local && may_move(t, status);
    t->elsewhere = moves && !t->p->b.spectrum; /* a spectrum stays where it is: the next way has none */
    if (!local || (call->ctx->device_named && status != GFMUL_ERR_VERIFY && !moves))
        return call_fail(call, status, "%s", why);
    /* reset the report, but keep the count of failures */
    const unsigned errors = call->report.n_device_errors + (!unfit && status != GFMUL_ERR_VERIFY);
    call->report = before;
    call->report.n_device_errors = errors;
    call->n_kernels = 0;
    call_note(call, "%.200s: %s was used", why, moves ? "another device" : "the CPU");
    *done = false;
    return GFMUL_OK;
}

enum gfmul_status product_by_ways(struct call *call, product_way *const *ways, void *of)
{
    enum gfmul_status status;
    enum outcome outcome;
    do {
        outcome = OUTCOME_MADE;
        status = (*ways)(call, of, &outcome);
    } while (outcome == OUTCOME_UNFIT && *++ways);
    return status;
}

enum gfmul_status product_make_by(struct call *call, const struct product *p, const struct engine *engine)
{
    struct attempt t;
    attempt_init(&t, call, p);
    t.engine = engine;
    return attempts(&t);
}

/* engine_next - the next engine after row *i that takes the product, or the spectrum's own; NULL: none. */
static enum gfmul_status engine_next(struct attempt *t, size_t *i)
{
    const struct spectrum *spectrum = t->p->b.spectrum;
    bool yes = false;
    t->device = NULL;
    t->place = 0;
    while (!yes && (t->engine = t->call->ctx->engines[(*i)++]) != NULL) {
        yes = !spectrum || spectrum->engine == t->engine;
        if (yes && t->engine->takes)
            TRY(t->engine->takes(t, &yes));
    }
    return GFMUL_OK;
}

/* product_by_rows - the product by the first engine that takes it. */
static enum gfmul_status product_by_rows(struct attempt *t)
{
    size_t i = 0;
    for (;;) {
        bool done = true;
        TRY(engine_next(t, &i));
        if (!t->engine) { /* the last row takes any product, except one whose spectrum belongs to another engine */
            t->outcome = OUTCOME_UNFIT;
            return GFMUL_ERR_PRECISION;
        }
        enum gfmul_status status =
            t->verify && t->engine->trust != TRUST_EXACT ? product_verify_room(t->call, t->p, 0) : GFMUL_OK;
        if (status == GFMUL_OK)
            status = t->device ? attempts_on_device(t, &done) : attempts(t);
        if (t->device)
            ctx_device_leave(t->call->ctx, t->device, product_limbs_about(t->p));
        if (done)
            return status;
        i -= t->elsewhere; /* the same engine again */
    }
}

enum gfmul_status product_make(struct call *call, const struct product *p, bool verify, enum outcome *outcome)
{
    struct attempt t;
    attempt_init(&t, call, p);
    t.verify = verify;
    t.counts = true;
    call_proof_begin(call, p);
    const enum phase phase = phase_enter(&call->clock, PHASE_PLAN);
    const unsigned threads = call_threads_limit(call, product_limbs_about(p));
    const enum gfmul_status status = product_by_rows(&t);
    if (outcome)
        *outcome = t.outcome;
    call->threads = threads;
    phase_enter(&call->clock, phase);
    return status;
}

/* plan_by - plan by t->engine.  Planning allocates nothing, so the machine's memory is no limit here. */
static enum gfmul_status plan_by(struct attempt *t)
{
    enum gfmul_status status;
    attempt_begin(t);
    do
        status = attempt_plan(t);
    while (attempt_reduced(t));
    if (status != GFMUL_ERR_MEMORY || t->device || !t->request.limit_physical)
        return status;
    t->request.memory_limit = 0;
    return attempt_plan(t);
}

enum gfmul_status attempt_prepare(struct attempt *t)
{
    if (!t->device)
        return GFMUL_OK;
    t->resumed = false;
    t->leased = true;
    const enum gfmul_status status = t->engine->lease(t);
    attempt_release(t, status, false); /* the device's store keeps what was made */
    return status;
}

/* foresee_held - plan and perhaps prepare by t->engine, whose lease is held. */
static enum gfmul_status foresee_held(struct attempt *t)
{
    TRY(plan_by(t));
    return t->foresight->then ? t->foresight->then(t) : GFMUL_OK;
}

enum gfmul_status product_foresee(struct call *call, const struct product *p, const struct foresight *also,
                                  struct gfmul_plan_info *info, enum outcome *outcome)
{
    struct attempt t;
    attempt_init(&t, call, p);
    t.foresight = also;
    const unsigned threads = call_threads_limit(call, product_limbs_about(p));
    const enum phase phase = phase_enter(&call->clock, PHASE_PLAN);
    enum gfmul_status status;
    size_t i = 0;
    do {
        if ((status = engine_next(&t, &i)) != GFMUL_OK)
            break;
        if ((status = held(&t, foresee_held)) == GFMUL_OK)
            *info = t.info;
    } while (status != GFMUL_OK && t.device && !call->ctx->device_named);
    *outcome = t.outcome;
    phase_enter(&call->clock, phase);
    call->threads = threads;
    return status;
}

/* ---- spectra ---- */

enum gfmul_status spectrum_make(struct call *call, struct spectrum **x, const struct number *b, size_t max_an, bool worst_case)
{
    const struct number a = number_limbs(NULL, max_an);
    const struct product p = {.z = number_limbs(NULL, max_an + b->n), .a = a, .b = *b};
    struct attempt t;
    enum gfmul_status status;
    size_t i = 0;
    attempt_init(&t, call, &p);
    *x = NULL;
    do
        status = engine_next(&t, &i);
    while (status == GFMUL_OK && t.engine && !t.engine->keep);
    if (status != GFMUL_OK || !t.engine)
        return GFMUL_OK; /* a named device failed: its products will report that */
    const enum phase phase = phase_enter(&call->clock, PHASE_PLAN);
    status = t.engine->keep(&t, x, worst_case);
    phase_enter(&call->clock, phase);
    return t.device ? GFMUL_OK : status; /* no room on the device: plain products report it or find another way */
}

enum gfmul_status spectrum_make_by(struct call *call, struct spectrum **x, const struct product *p, const struct engine *engine)
{
    struct attempt t;
    attempt_init(&t, call, p);
    t.engine = engine;
    *x = NULL;
    const enum phase phase = phase_enter(&call->clock, PHASE_PLAN);
    const enum gfmul_status status = engine->keep(&t, x, call->ctx->opt.memory_limit != 0);
    phase_enter(&call->clock, phase);
    return status;
}

void spectrum_end(struct gfmul_ctx *ctx, struct spectrum *x)
{
    if (x)
        x->engine->forget(ctx, x);
}
