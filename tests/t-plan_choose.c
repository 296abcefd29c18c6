/* t-plan_choose.c - the order of costs: a weaker rule is never slower by plan, and the field that is chosen is the cheapest. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "base/cpu.h"
#include "plan/plan_field.h"
#include "test.h"

/* A kind of processor, and whether it has products of 52 bits. */
static const struct kind {
    const char *name;
    unsigned tuning;
    enum plan_butterfly has;
    bool ifma;
} kinds[] = {
    {"AVX-512, AMD", CPU_ISA_AVX512 | CPU_AMD, BUTTERFLY_ABOVE, true},
    {"AVX-512, AMD, paths of 512 bits", CPU_ISA_AVX512 | CPU_AMD | CPU_PATHS512, BUTTERFLY_ABOVE, true},
    {"AVX2, AMD", CPU_ISA_AVX2 | CPU_AMD, BUTTERFLY_RADIX4, false},
    {"AVX-512", CPU_ISA_AVX512, BUTTERFLY_ABOVE, true},
    {"AVX-512 without IFMA", CPU_ISA_AVX512, BUTTERFLY_ABOVE, false},
    {"AVX2", CPU_ISA_AVX2, BUTTERFLY_RADIX4, false},
    {"SSE2", CPU_ISA_SSE2, BUTTERFLY_NESTED, false},
};

enum { KINDS = sizeof kinds / sizeof *kinds, HALF_DECADES = 11 /* 1e3, 3.16e3, .. 1e8 limbs */ };

/* What is common to the plans of a comparison. */
struct setting {
    const struct kind *kind;
    size_t an, bn; /* limbs */
    unsigned threads;
    bool square, cold;
    size_t memory_limit;
};

/* cost_of - of the plan under a rule, in picoseconds; HUGE_VAL: not known, or there is no plan, and shape has no bytes. */
static double cost_of(const struct setting *of, enum gfmul_rule rule, enum gfmul_precision precision, struct plan_shape *shape)
{
    struct plan_request request;
    memset(&request, 0, sizeof request);
    request.rule = rule;
    request.precision = precision;
    request.primes = true;
    request.ifma = of->kind->ifma;
    request.base = 2;
    request.an = 64 * of->an;
    request.bn = 64 * of->bn;
    request.square = of->square;
    request.fma = (of->kind->tuning & CPU_ISA_SSE2) == 0;
    request.max_radix = 8;
    request.isa = of->kind->tuning;
    request.butterfly = plan_butterfly(of->kind->tuning, of->kind->has);
    request.threads = of->threads;
    request.cold = of->cold;
    request.memory_limit = of->memory_limit;
    request.wrap = of->memory_limit == 0 ? PLAN_WRAP_CHEAPER : PLAN_WRAP_NEVER;
    if (plan_size(shape, &request, NULL, 0) == GFMUL_OK)
        return shape->cost_ps;
    shape->memory_bytes = 0;
    return HUGE_VAL;
}

static void setting_note(const struct setting *of)
{
    test_note("%s, %zu by %zu limbs, %u threads%s%s, limit %zu", of->kind->name, of->an, of->bn, of->threads,
              of->square ? ", a square" : "", of->cold ? ", cold" : "", of->memory_limit);
}

/* settings_walk - all kinds, sizes, threads: one and 16; squares and operands of other lengths; memory that is there or not. */
static void settings_walk(void (*check)(const struct setting *of))
{
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned i = 0; i < HALF_DECADES; i++)
            for (unsigned more = 0; more < 12; more++) {
                const size_t an = (size_t)llround(pow(10, 3 + 0.5 * i)), bn = more % 3 == 2 ? an / 5 : an;
                const struct setting of = {.kind = &kinds[k],
                                           .an = an,
                                           .bn = bn,
                                           .threads = more % 2 ? 16 : 1,
                                           .square = more % 3 == 1,
                                           .cold = more >= 6};
                setting_note(&of);
                check(&of);
            }
}

static void rules_check(const struct setting *of)
{
    struct plan_shape shape;
    const double norm = cost_of(of, GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, &shape);
    const double checked = cost_of(of, GFMUL_RULE_CHECKED, GFMUL_PRECISION_AUTO, &shape);
    const double knuth = cost_of(of, GFMUL_RULE_KNUTH, GFMUL_PRECISION_AUTO, &shape);
    TEST_CHECK_MSG(checked <= norm && norm <= knuth && norm < HUGE_VAL, "checked %g, norm %g, knuth %g ps", checked, norm, knuth);
    const double in_double = cost_of(of, GFMUL_RULE_NORM, GFMUL_PRECISION_DOUBLE, &shape);
    const double unproved = cost_of(of, GFMUL_RULE_CHECKED, GFMUL_PRECISION_DOUBLE, &shape);
    TEST_CHECK_MSG(unproved <= in_double, "in double: checked %g, norm %g ps", unproved, in_double);
}

/* A rule that admits more is never slower by plan. */
static void test_rules(void)
{
    settings_walk(rules_check);
}

static void fields_check(const struct setting *of)
{
    struct plan_shape shape;
    const double in_double = cost_of(of, GFMUL_RULE_NORM, GFMUL_PRECISION_DOUBLE, &shape);
    const double primes = cost_of(of, GFMUL_RULE_NORM, GFMUL_PRECISION_PRIME, &shape);
    const double chosen = cost_of(of, GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, &shape);
    const enum plan_field_id field = shape.field;
    const double pairs = cost_of(of, GFMUL_RULE_NORM, GFMUL_PRECISION_DD, &shape);
    const double least = fmin(fmin(in_double, primes), pairs);
    TEST_CHECK_MSG(chosen == least, "chosen %g, double %g, primes %g, double-double %g ps", chosen, in_double, primes, pairs);
    TEST_CHECK(field == (in_double == least ? PLAN_DOUBLE : pairs == least ? PLAN_DD : PLAN_PRIME));
}

/* The field that is chosen is the cheapest. */
static void test_fields(void)
{
    settings_walk(fields_check);
}

/* Under limits on memory: what fits is made, by the cheapest field that does; no rule that admits more fits less. */
static void test_limits(void)
{
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned i = 0; i < HALF_DECADES; i++) {
            const size_t n = (size_t)llround(pow(10, 3 + 0.5 * i));
            struct setting of = {.kind = &kinds[k], .an = n, .bn = n, .threads = 1};
            struct plan_shape shape;
            cost_of(&of, GFMUL_RULE_NORM, GFMUL_PRECISION_DOUBLE, &shape);
            const size_t whole = shape.memory_bytes;
            bool fitted = true;
            for (of.memory_limit = whole; of.memory_limit > whole / 10; of.memory_limit -= whole / 16) {
                setting_note(&of);
                const double in_double = cost_of(&of, GFMUL_RULE_NORM, GFMUL_PRECISION_DOUBLE, &shape);
                cost_of(&of, GFMUL_RULE_NORM, GFMUL_PRECISION_PRIME, &shape);
                const bool primes = shape.memory_bytes != 0;
                const double pairs = cost_of(&of, GFMUL_RULE_NORM, GFMUL_PRECISION_DD, &shape);
                cost_of(&of, GFMUL_RULE_NORM, GFMUL_PRECISION_AUTO, &shape);
                const bool fits = shape.memory_bytes != 0;
                TEST_CHECK(fits == (in_double < HUGE_VAL || primes || pairs < HUGE_VAL) && (fitted || !fits));
                TEST_CHECK(shape.memory_bytes <= of.memory_limit);
                TEST_CHECK(!fits || in_double < HUGE_VAL || shape.field != PLAN_DOUBLE);
                cost_of(&of, GFMUL_RULE_CHECKED, GFMUL_PRECISION_AUTO, &shape);
                TEST_CHECK(!fits || shape.memory_bytes != 0);
                fitted = fits;
            }
        }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_rules);
    TEST_RUN(test_fields);
    TEST_RUN(test_limits);
    return test_end();
}
