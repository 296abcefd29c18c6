/*
 * plan_size.c - the one search for a plan on the CPU.
 *
 * For each field, each of its families and each of their digits, the candidates are the shortest lengths 2^k times an odd factor
 * that hold the product, one for each factor, and the shorter ones by which the family can make it as well.  The cheapest
 * candidate that the rule admits wins; if costs are equal, the one that was met first.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "plan/plan_dd.h"
#include "plan/plan_prime.h"
#include "plan/plan_say.h"
#include "plan/plan_search.h"

/* search_length - consider the candidate of this length.   Returns whether smaller digits cannot do better there. */
static bool search_length(struct plan_search *s, unsigned odd, unsigned log2_n)
{
    const struct plan_request *request = s->request;
    const double limit = request->memory_limit ? (double)request->memory_limit : (double)(SIZE_MAX / 4);
    const enum plan_cover cover = s->family->cover(s, odd, log2_n);
    if (cover != COVER)
        return cover == COVER_NOT;
    s->covered = true;
    if (s->cost_ps >= s->dear_ps)
        return true;
    const enum plan_verdict verdict = s->family->admit(s, odd, log2_n);
    if (verdict == VERDICT_REFUSED)
        return false;
    if (s->bytes > limit) {
        s->needed_memory = fmin(s->needed_memory, s->bytes);
    } else if (s->cost_ps < s->dear_ps) {
        s->shape.cost_ps = s->cost_ps;
        s->shape.memory_bytes = (size_t)s->bytes;
        s->found = true;
        if (s->visit) {
            s->visit(s->visit_arg, &s->shape);
        } else {
            s->best = s->shape;
            s->dear_ps = s->cost_ps;
        }
    }
    return verdict == VERDICT_ADMITTED;
}

/* search_lengths - all lengths.   closed i/o: a bit per length that smaller digits need not try.   Returns whether all are. */
static bool search_lengths(struct plan_search *s, uint64_t closed[PLAN_ODD_FACTORS])
{
    bool all = s->family->shrinks;
    for (unsigned i = 0; i < (s->binary ? 1 : PLAN_ODD_FACTORS); i++) {
        const unsigned odd = plan_odd_factor(i);
        bool whole = false;
        if (!s->field->odd(odd))
            continue;
        for (unsigned log2_n = s->levels_first; log2_n <= s->levels_last && !whole; log2_n++) {
            whole = (size_t)odd << log2_n >= s->whole_points;
            if (closed[i] >> log2_n & 1)
                continue;
            const bool done = search_length(s, odd, log2_n);
            closed[i] |= (uint64_t)(done && s->family->shrinks) << log2_n;
            all = all && done;
        }
    }
    return all;
}

/* ---- the fields ---- */

static const struct plan_families plan_families[PLAN_FIELDS] = {
    [PLAN_DOUBLE] = {{&plan_points_worst, &plan_points_expected}, NULL, NULL},
    [PLAN_DD] = {{&plan_points_worst, &plan_points_expected, &plan_cells}, plan_dd_refuses, plan_dd_least_ps},
    [PLAN_PRIME] = {{&plan_prime_whole, &plan_prime_halves}, plan_prime_refuses, plan_prime_least_ps},
};

static void search_family(struct plan_search *s, const struct plan_family *family)
{
    uint64_t closed[PLAN_ODD_FACTORS] = {0};
    s->family = family;
    memset(&s->shape, 0, sizeof s->shape);
    if (!family->begin(s))
        return;
    for (unsigned i = 0; family->digits(s, i); i++)
        if (search_lengths(s, closed))
            break;
}

/* search_fields - all fields that the request may have.   Errors: UNSUPPORTED: it names one that does not make such products. */
static enum gfmul_status search_fields(struct plan_search *s, char *detail, size_t detail_bytes)
{
    const struct plan_request *request = s->request;
    const bool any = request->precision == GFMUL_PRECISION_AUTO;
    for (enum plan_field_id id = 0; id < PLAN_FIELDS; id++) {
        const struct plan_field *field = &plan_fields[id];
        const struct plan_families *families = &plan_families[id];
        if (!any && id != plan_field_of(request->precision))
            continue;
        const char *refusal = families->refuses ? families->refuses(request) : NULL;
        if (refusal && !any)
            return plan_fail(GFMUL_ERR_UNSUPPORTED, detail, detail_bytes, "%s", refusal);
        if (refusal || (families->least_ps && families->least_ps(request) >= s->dear_ps))
            continue;
        s->field = field;
        if (!s->widest || field->mu > s->widest->mu)
            s->widest = field;
        for (unsigned i = 0; i < PLAN_FAMILIES && families->family[i]; i++)
            search_family(s, families->family[i]);
    }
    return GFMUL_OK;
}

static void search_init(struct plan_search *s, const struct plan_request *request, bool wraps)
{
    const bool swap = request->an < request->bn && !request->kept;
    memset(s, 0, offsetof(struct plan_search, shape));
    s->request = request;
    s->size = plan_size;
    s->long_size = swap ? request->bn : request->an;
    s->short_size = swap ? request->an : request->bn;
    s->wraps = wraps;
    s->dear_ps = HUGE_VAL;
    s->needed_memory = HUGE_VAL;
    s->needed_bits = ~0u;
}

static enum gfmul_status explain_failure(const struct plan_search *s, char *detail, size_t detail_bytes)
{
    const struct plan_request *request = s->request;
    const char *unit = request->base == 2 ? "bits" : "digits", *name = s->widest->name;
    const unsigned mu = s->widest->mu;
    if (s->needed_memory < HUGE_VAL)
        return plan_fail_memory(request, s->needed_memory, detail, detail_bytes);
    if (!s->covered)
        return plan_fail(GFMUL_ERR_SIZE, detail, detail_bytes, "%zu x %zu %s: the product is longer than any transform",
                         request->an, request->bn, unit);
    if (request->rule == GFMUL_RULE_KNUTH && s->needed_bits > mu)
        return plan_fail(GFMUL_ERR_PRECISION, detail, detail_bytes,
                         "--rule=knuth: %zu x %zu %s need a significand of at least %u bits (m = %u, l = %u); %s has %u",
                         request->an, request->bn, unit, s->needed_bits, s->needed_m, s->needed_l, name, mu);
    return plan_fail(GFMUL_ERR_PRECISION, detail, detail_bytes,
                     "%zu x %zu %s: no digit size is proved at this length in %s; more than %u bits would be needed", request->an,
                     request->bn, unit, name, mu);
}

/* request_check - what no field can make. */
static enum gfmul_status request_check(const struct plan_request *request, char *detail, size_t detail_bytes)
{
    if (request->base < 2 || request->base > 36 || request->an == 0 || request->bn == 0 || request->max_radix < 4)
        return plan_fail(GFMUL_ERR_ARGUMENT, detail, detail_bytes, "plan_size: bad request");
    if (request->an >= SIZE_MAX / 4 || request->bn >= SIZE_MAX / 4)
        return plan_fail(GFMUL_ERR_SIZE, detail, detail_bytes, "the product is longer than any transform");
    return GFMUL_OK;
}

enum gfmul_status plan_size(struct plan_shape *shape, const struct plan_request *request, char *detail, size_t detail_bytes)
{
    struct plan_search s;
    say(detail, detail_bytes, "%s", "");
    TRY(request_check(request, detail, detail_bytes));
    s.found = false;
    if (request->wrap == PLAN_WRAP_ALWAYS) {
        search_init(&s, request, true);
        TRY(search_fields(&s, detail, detail_bytes));
    }
    if (!s.found) {
        search_init(&s, request, false);
        TRY(search_fields(&s, detail, detail_bytes));
    }
    if (!s.found)
        return explain_failure(&s, detail, detail_bytes);
    *shape = s.best;
    return GFMUL_OK;
}

enum gfmul_status plan_candidates(const struct plan_request *request, plan_visit *visit, void *arg, char *detail,
                                  size_t detail_bytes)
{
    struct plan_search s;
    say(detail, detail_bytes, "%s", "");
    TRY(request_check(request, detail, detail_bytes));
    search_init(&s, request, false);
    s.visit = visit;
    s.visit_arg = arg;
    TRY(search_fields(&s, detail, detail_bytes));
    return s.found ? GFMUL_OK : explain_failure(&s, detail, detail_bytes);
}
