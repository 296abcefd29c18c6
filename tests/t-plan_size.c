/*
 * t-plan_size.c - what the sizing promises: capacity, proof, consistent passes, the classical rule to the letter.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "base/cpu.h"
#include "plan/plan_dd.h"
#include "plan/plan_field.h"
#include "request_test.h"

/* of the cost, from one length to the next; nothing runs with radix 4 alone but tests; measured times are not as smooth */
#define LARGEST_STEP(max_radix, isa) ((isa) ? 1.5 : (max_radix) == 8 ? 1.19 : 1.23)

/* Instruction sets whose lengths have been measured, and none. */
enum { N_ISAS = 6 };
static const unsigned isas[N_ISAS] = {0,
                                      CPU_ISA_AVX2,
                                      CPU_ISA_AVX512,
                                      CPU_ISA_AVX2 | CPU_AMD,
                                      CPU_ISA_AVX512 | CPU_AMD,
                                      CPU_ISA_AVX512 | CPU_AMD | CPU_PATHS512};

static bool coprime(size_t a, size_t b)
{
    while (b > 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

static void check_passes(const struct plan_shape *s, unsigned max_radix)
{
    const struct plan_transform *t = &s->transform;
    size_t nodes = 1, rows = 1;
    unsigned depth = 0, radix2 = 0, n_odd = 0, not_whole = 0;
    bool listed = false;
    for (unsigned o = 0; plan_odd_factor(o); o++)
        listed |= plan_odd_factor(o) == t->odd;
    TEST_CHECK(listed);
    TEST_CHECK(t->log2_n >= 6 && t->log2_n <= 40 && t->n_points == (size_t)t->odd << t->log2_n);
    TEST_CHECK(t->n_digits == (t->packing == GFMUL_PACKING_TWO_FOR_ONE ? 1 : 2) * t->n_points);
    TEST_CHECK(t->n_passes >= 2 && t->n_passes <= PLAN_MAX_PASSES);
    for (unsigned p = 0; p < t->n_passes; p++) {
        const struct plan_pass *q = &t->pass[p];
        const bool leaf = p + 2 >= t->n_passes, radix4 = q->butterfly == BUTTERFLY_RADIX4,
                   mixed = q->butterfly == BUTTERFLY_MIXED;
        TEST_CHECK(q->n_nodes == nodes && q->node_points == t->n_points / nodes && q->depth == depth);
        if (nodes < t->odd) /* in one pass, or in two of coprime radices */
            TEST_CHECK(q->levels == 0 && q->radix >= 3 && t->odd % (q->radix * nodes) == 0 && coprime(q->radix, nodes) &&
                       ++n_odd <= 2);
        else
            TEST_CHECK(q->radix == 1u << q->levels && q->radix >= 2 && q->radix <= (leaf ? 8 : max_radix));
        if (leaf)
            TEST_CHECK(q->radix == (radix4 ? 4 : 8) && q->node_points == (p + 1 < t->n_passes ? q->radix : 1) * q->radix);
        /*
         * true radix 4, where the instruction set has it: all passes but the root, which may be half zero, and odd levels; above
         * mixed leaves all of these are mixed, too
         */
        const bool may = s->butterfly != BUTTERFLY_NESTED && t->packing == GFMUL_PACKING_RIGHT_ANGLE;
        const bool above = may && s->butterfly == BUTTERFLY_ABOVE, root = p == 0 && t->log2_n > 6;
        TEST_CHECK(!radix4 || (may && q->radix == 4 && !root && !(above && leaf)));
        TEST_CHECK(!mixed || (above && q->radix == 8 && !root));
        TEST_CHECK(!may || radix4 || p == 0 || q->levels != 2);
        TEST_CHECK(!above || mixed || root || q->levels != 3);
        not_whole += may && !radix4 && !mixed && q->levels > 0;
        radix2 += q->radix == 2;
        nodes *= q->radix;
        depth += q->levels;
        if (p < t->n_column_passes)
            rows *= q->radix;
    }
    TEST_CHECK(nodes == t->n_points && depth == t->log2_n);
    TEST_CHECK_MSG(radix2 <= 2, "%u passes of radix 2", radix2);
    TEST_CHECK_MSG(not_whole <= 2, "%u nested passes, for the odd levels of columns and of rows", not_whole);
    TEST_CHECK(rows == t->n_rows && t->n_rows * t->row_points == t->n_points);
    TEST_CHECK(t->n_column_passes + 2 <= t->n_passes);
    TEST_CHECK(!t->leaf_short || t->log2_n >= 9);
    TEST_CHECK(!t->streams || plan_can_stream(s));
    TEST_CHECK(t->row_stride >= 2 * t->row_points && t->row_stride % 16 == 0);
    TEST_CHECK(t->row_points >= 64 && (t->row_points & (t->row_points - 1)) == 0 && t->row_points <= (size_t)1 << 16);
    if (plan_length(s->isa, t->odd, t->log2_n))
        return;
    /* by the rules: rows longer than 2^14 only up to 2^15 behind a single pass, or where strips were too long for the cache */
    const bool one_pass = t->row_points == (size_t)1 << 15 && t->n_column_passes <= (n_odd == 1 ? 1 : 2);
    TEST_CHECK(t->row_points <= (size_t)1 << 14 || one_pass || 2 * t->n_rows > 512);
}

static size_t raw_digits(size_t size, unsigned exponent)
{
    return size / exponent + (size % exponent != 0);
}

/* check_passes_dd - those of double-double: an odd one, the root's radix 8, and passes of radix 4 and 2 (plan_dd.h). */
static void check_passes_dd(const struct plan_shape *s)
{
    const struct plan_transform *t = &s->transform;
    const unsigned root = t->odd > 1;
    size_t nodes = 1;
    TEST_CHECK(plan_dd_odd(t->odd) && t->log2_n >= DD_LEVELS_MIN && t->n_points == (size_t)t->odd << t->log2_n);
    TEST_CHECK(t->n_digits == 2 * t->n_points && t->n_passes > root && t->n_passes <= PLAN_MAX_PASSES);
    for (unsigned p = 0; p < t->n_passes; p++) {
        TEST_CHECK(p < root ? t->pass[p].radix == t->odd : p == root ? t->pass[p].radix == 8 : t->pass[p].radix <= 4);
        TEST_CHECK(t->pass[p].n_nodes == nodes);
        nodes *= t->pass[p].radix;
    }
    TEST_CHECK(nodes == t->n_points && t->n_rows * t->row_points == t->n_points);
}

/* check_passes_told - the radices in the public description are those of the transform; t: a true radix 4, m: a mixed radix 8. */
static void check_passes_told(const struct gfmul_plan_info *info)
{
    size_t points = 1;
    char *end;
    for (const char *p = info->passes;; p = end + 1) {
        const unsigned long radix = strtoul(p, &end, 10);
        points *= radix;
        end += (*end == 't' && radix == 4) || (*end == 'm' && radix == 8);
        if (*end != '.')
            break;
    }
    TEST_CHECK_MSG(*end == '\0' && points == info->n_points, "passes %s", info->passes);
}

/* check_shape - everything that a shape promises, given the request that it answers. */
static void check_shape(const struct plan_shape *s, const struct plan_request *r)
{
    const size_t along = r->an > r->bn ? r->an : r->bn, ashort = r->an > r->bn ? r->bn : r->an;
    uint64_t base = 1;
    double k, bound;
    struct gfmul_plan_info info;
    plan_info_from_shape(&info, s, "");
    test_plan(&info);
    if (s->field == PLAN_DD)
        check_passes_dd(s);
    else
        check_passes(s, r->max_radix);
    check_passes_told(&info);
    const bool proved = s->field == PLAN_DD && r->rule == GFMUL_RULE_CHECKED; /* precision auto */
    TEST_CHECK(s->rule == (proved ? GFMUL_RULE_NORM : r->rule) && s->isa == r->isa && s->bound.fma == r->fma &&
               s->square == r->square && s->digits.base == r->base);
    TEST_CHECK(s->transform.packing == (r->packing == GFMUL_PACKING_AUTO ? GFMUL_PACKING_RIGHT_ANGLE : r->packing));
    for (unsigned i = 0; i < s->digits.exponent; i++)
        base *= s->digits.base;
    TEST_CHECK(s->digits.exponent >= 1 && base == s->digits.digit_base && base <= (uint64_t)1 << plan_field(s)->digit_bits_max);
    TEST_CHECK(fabs(s->digits.bits - log2((double)base)) < 1e-9);

    /* capacity */
    const size_t extra = r->base == 2 ? 0 : 1; /* text: one digit more than the raw ones; limbs: only where they are full */
    const size_t a_all = r->base == 2 ? along / s->digits.exponent + 1 : raw_digits(along, s->digits.exponent) + extra;
    const size_t b_all = r->base == 2 ? ashort / s->digits.exponent + 1 : raw_digits(ashort, s->digits.exponent) + extra;
    TEST_CHECK(s->digits.bn == b_all);
    TEST_CHECK(s->digits.an + s->digits.bn - 1 <= s->transform.n_digits);
    if (s->grid.cell_digits == 0) {
        TEST_CHECK(s->grid.a_cells == 1 && s->digits.an == a_all);
    } else {
        TEST_CHECK(s->grid.cell_digits % 64 == 0 && s->grid.a_cells >= 2 && s->digits.an == s->grid.cell_digits + 1);
        TEST_CHECK(s->transform.packing != GFMUL_PACKING_TWO_FOR_ONE && !s->square);
        const size_t raw = raw_digits(along, s->digits.exponent);
        TEST_CHECK((s->grid.a_cells - 1) * s->grid.cell_digits < raw && s->grid.a_cells * s->grid.cell_digits >= raw);
        /* the last slice, with the extra digit, is no longer than the others */
        TEST_CHECK(a_all - (s->grid.a_cells - 1) * s->grid.cell_digits <= s->digits.an);
    }
    /* balance */
    double ratio = sqrt((double)s->digits.an / (double)s->digits.bn) / ldexp(1.0, s->digits.balance_exp);
    if (s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE)
        TEST_CHECK_MSG(ratio > 0.7071 && ratio < 1.4143, "unbalanced by %g", ratio);
    else
        TEST_CHECK(s->digits.balance_exp == 0);
    /* proof */
    if (s->rule == GFMUL_RULE_CHECKED) {
        bound = plan_error_model(s, NULL, NULL);
        k = 0;
        TEST_CHECK_MSG(bound < CHECKED_ERROR_TARGET, "expected error %g", bound);
    } else {
        bound = s->bound.inverse_measured ? plan_bound_expected_posterior(s, &k)
                : s->bound.norms_measured ? plan_bound_expected(s, &k)
                                          : plan_bound_worst(s, &k);
    }
    TEST_CHECK(bound == s->bound.value && k == s->bound.k);
    TEST_CHECK_MSG(s->bound.value < plan_bound_limit(s->bound.norms_measured), "bound %g", s->bound.value);
    TEST_CHECK(!s->bound.norms_measured || (!r->worst_case && s->rule == GFMUL_RULE_NORM));
    TEST_CHECK(s->bound.inverse_measured ==
               (s->bound.norms_measured && s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE && plan_field(s)->sums_energies));
    TEST_CHECK(r->max_exponent == 0 || s->digits.exponent <= r->max_exponent);
    TEST_CHECK(info.proved == (s->rule != GFMUL_RULE_CHECKED) && info.inverse_measured == s->bound.inverse_measured);
    if (s->rule == GFMUL_RULE_KNUTH)
        TEST_CHECK(plan_knuth_holds(s) && !s->bound.norms_measured && s->transform.odd == 1);
    /* memory: the buffers at least */
    const size_t x_bytes = s->transform.n_rows * s->transform.row_stride * 8;
    const size_t y_bytes = s->square || s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE ? 0 : x_bytes / s->grid.n_branches;
    TEST_CHECK(s->memory_bytes >= x_bytes + y_bytes);
    bool choice = false;
    for (unsigned i = 0; plan_branches(s, i); i++)
        choice |= plan_branches(s, i) == s->grid.n_branches;
    TEST_CHECK(choice && (s->grid.n_branches == 1 ||
                          (s->grid.a_cells == 1 && !s->square && !r->kept && s->digits.bn <= s->transform.n_points)));
    TEST_CHECK(r->memory_limit == 0 || s->memory_bytes <= r->memory_limit);
}

static void random_request(struct plan_request *r, size_t largest)
{
    request_init(r);
    r->packing = (enum gfmul_packing)test_below(4);
    r->base = test_below(2) ? 2 : 2 + (unsigned)test_below(35);
    if (r->base > 2 && largest > (size_t)1 << 34)
        largest = (size_t)1 << 34; /* beyond 2^36 digits of a large base nothing is proved in double */
    r->an = test_size(1, largest);
    r->bn = test_below(3) ? test_size(1, largest) : r->an + test_below(100);
    r->worst_case = test_u64() & 1;
    r->rule = test_below(4) ? GFMUL_RULE_NORM : GFMUL_RULE_CHECKED;
    r->max_exponent = test_below(4) ? 0 : (unsigned)test_between(1, r->base == 2 ? 20 : 5);
    r->fma = test_u64() & 1;
    r->max_radix = test_u64() & 1 ? 8 : 4;
    r->isa = isas[test_below(N_ISAS)];
    r->butterfly = r->fma ? (enum plan_butterfly)test_below(3) : BUTTERFLY_NESTED;
    if (test_below(5) == 0) {
        r->bn = r->an;
        r->square = true;
    }
    request_note(r);
}

static void test_random_requests(void)
{
    for (unsigned t = 0; t < (test_longest_tier() ? 200000u : 12000u); t++) {
        struct plan_request r;
        struct plan_shape s;
        char detail[256];
        random_request(&r, (size_t)1 << (8 + test_below(32)));
        if (TEST_OK(plan_size(&s, &r, detail, sizeof detail)))
            check_shape(&s, &r);
    }
}

static void test_small_requests(void)
{
    for (size_t an = 1; an <= 20; an++) {
        for (size_t bn = 1; bn <= 300; bn += 1 + bn / 10) {
            for (unsigned base = 2; base <= 36; base += base == 2 ? 1 : 11) {
                struct plan_request r;
                struct plan_shape s;
                request_init(&r);
                r.base = base;
                r.an = an;
                r.bn = bn;
                request_note(&r);
                if (TEST_OK(plan_size(&s, &r, NULL, 0)))
                    check_shape(&s, &r);
            }
        }
    }
}

/* Equal sizes in a row: the length grows with the operands but for odd factors, and never by more than the next power of two. */
static void test_size_steps(void)
{
    size_t last = 0;
    for (size_t limbs = 8; limbs < 2000000; limbs += 1 + limbs / 50) {
        struct plan_request r;
        struct plan_shape s, worst;
        request_init(&r);
        r.an = r.bn = 64 * limbs;
        request_note(&r);
        if (!TEST_OK(plan_size(&s, &r, NULL, 0)))
            return;
        check_shape(&s, &r);
        TEST_CHECK_MSG(s.transform.n_points * 2 >= last, "%zu points after %zu", s.transform.n_points, last);
        TEST_CHECK(s.grid.a_cells == 1);
        last = s.transform.n_points;
        /* in the worst case the digits are no larger, and the transform no shorter */
        r.worst_case = true;
        if (!TEST_OK(plan_size(&worst, &r, NULL, 0)))
            return;
        check_shape(&worst, &r);
        TEST_CHECK(worst.digits.exponent <= s.digits.exponent || worst.transform.n_points == s.transform.n_points);
        TEST_CHECK(!s.bound.norms_measured || worst.transform.n_points != s.transform.n_points);
        /* no more than twice the points that its digits fill, but for the smallest */
        TEST_CHECK(s.transform.n_points == 64 || s.transform.n_digits < 2 * (s.digits.an + s.digits.bn));
    }
}

/* A long operand against a short one is taken in slices, and a slice's transform is far shorter than the whole. */
static void test_slices(void)
{
    unsigned sliced = 0;
    for (unsigned t = 0; t < 2000; t++) {
        struct plan_request r;
        struct plan_shape s;
        request_init(&r);
        r.packing = test_below(2) ? GFMUL_PACKING_RIGHT_ANGLE : GFMUL_PACKING_ONE_FOR_HALF;
        r.bn = test_size(1000, 1000000);
        r.an = r.bn * test_between(1, 1000) + test_below(r.bn);
        if (test_u64() & 1) {
            size_t n = r.an;
            r.an = r.bn;
            r.bn = n;
        }
        request_note(&r);
        if (!TEST_OK(plan_size(&s, &r, NULL, 0)))
            return;
        check_shape(&s, &r);
        sliced += s.grid.a_cells > 1;
        if ((double)r.an / (double)r.bn > 100 || (double)r.bn / (double)r.an > 100)
#ifdef GFMUL_MIN_THRESHOLDS
            TEST_CHECK(s.grid.a_cells > 1); /* where transforms cost nothing each, short slices are best */
#else
            TEST_CHECK(s.grid.a_cells > 1 && s.grid.cell_digits >= s.digits.bn);
#endif
    }
    TEST_CHECK_MSG(sliced > 500, "only %u of 2000 in slices", sliced);
}

/* least_classical - least 4m + 2l over powers of two n >= 64 and all digit bases, whole products only, by plain search. */
static unsigned least_classical(const struct plan_request *r, size_t *cheapest_points)
{
    unsigned least = ~0u;
    *cheapest_points = 0;
    for (unsigned e = 1; pow(r->base, e) <= 0x1p30; e++) {
        const double l = ceil(log2(pow(r->base, e)) - 1e-9);
        const size_t need = r->base == 2 ? r->an / e + r->bn / e + 1 : raw_digits(r->an, e) + raw_digits(r->bn, e) + 1;
        for (unsigned log2_n = 6; log2_n <= 40; log2_n++) {
            const unsigned m = log2_n + (r->packing == GFMUL_PACKING_TWO_FOR_ONE ? 0 : 1);
            if ((size_t)1 << m < need)
                continue;
            const unsigned bits = 4 * m + 2 * (unsigned)l;
            least = bits < least ? bits : least;
            if (bits <= 53 && (*cheapest_points == 0 || (size_t)1 << log2_n < *cheapest_points))
                *cheapest_points = (size_t)1 << log2_n;
        }
    }
    return least;
}

/* The rule admits a size exactly when some m and l satisfy it; the plan is the shortest; otherwise the error names the need. */
static void check_classical(const struct plan_request *r)
{
    struct plan_shape s;
    char detail[256], bits[64];
    size_t points;
    const unsigned least = least_classical(r, &points);
    request_note(r);
    test_plan(NULL);
    enum gfmul_status status = plan_size(&s, r, detail, sizeof detail);
    if (least <= 53) {
        if (!TEST_OK(status))
            return;
        check_shape(&s, r);
        TEST_CHECK_MSG(s.transform.n_points <= points, "%zu points, %zu suffice", s.transform.n_points, points);
        double m = ceil(log2((double)s.transform.n_digits)), l = ceil(log2((double)s.digits.digit_base) - 1e-9);
        TEST_CHECK_MSG(4 * m + 2 * l <= 53, "m = %g, l = %g", m, l);
    } else if (r->an < 3 * (r->bn / 2) && r->bn < 3 * (r->an / 2)) { /* no slices, which begin at twice the length */
        TEST_CHECK_MSG(status == GFMUL_ERR_PRECISION, "status %d, needs %u bits", status, least);
        snprintf(bits, sizeof bits, "at least %u bits (m = ", least);
        TEST_CHECK_MSG(strstr(detail, bits) && strstr(detail, "--rule=knuth") && strstr(detail, "53"), "detail: %s", detail);
    }
}

static void test_classical_rule(void)
{
    for (size_t bits = 1; bits < 12000; bits += 1 + bits / 200) {
        for (unsigned packing = 0; packing < 4; packing++) {
            struct plan_request r;
            request_init(&r);
            r.rule = GFMUL_RULE_KNUTH;
            r.precision = GFMUL_PRECISION_DOUBLE;
            r.packing = (enum gfmul_packing)packing;
            r.an = r.bn = bits;
            check_classical(&r);
        }
    }
    for (unsigned t = 0; t < 4000; t++) {
        struct plan_request r;
        random_request(&r, (size_t)1 << test_between(3, 28));
        r.rule = GFMUL_RULE_KNUTH;
        r.precision = GFMUL_PRECISION_DOUBLE;
        r.max_exponent = 0;
        if (!r.square)
            r.bn = r.an + test_below(r.an);
        check_classical(&r);
    }
    /* where double ends: m = 12, l = 2, or m = 11, l = 4 */
    struct plan_request r;
    struct plan_shape s;
    request_init(&r);
    r.rule = GFMUL_RULE_KNUTH;
    r.an = r.bn = 4095;
    request_note(&r);
    if (TEST_OK(plan_size(&s, &r, NULL, 0)))
        TEST_CHECK(s.transform.n_digits * s.digits.exponent == 8192);
    r.an = r.bn = 4098;
    request_note(&r);
    if (TEST_OK(plan_size(&s, &r, NULL, 0)))
        TEST_CHECK(s.field == PLAN_DD && plan_knuth_holds(&s));
    r.precision = GFMUL_PRECISION_DOUBLE;
    request_note(&r);
    TEST_CHECK(plan_size(&s, &r, NULL, 0) == GFMUL_ERR_PRECISION);
}

static void test_refusals(void)
{
    struct plan_request r;
    struct plan_shape s;
    char detail[256];
    request_init(&r);
    r.precision = GFMUL_PRECISION_DD;
    r.packing = GFMUL_PACKING_TWO_FOR_ONE;
    TEST_CHECK(plan_size(&s, &r, detail, sizeof detail) == GFMUL_ERR_UNSUPPORTED && strstr(detail, "right-angle"));
    r.packing = GFMUL_PACKING_AUTO;
    r.precision = GFMUL_PRECISION_DOUBLE;
    TEST_OK(plan_size(&s, &r, detail, sizeof detail));
    TEST_CHECK(detail[0] == '\0');
    r.an = SIZE_MAX;
    TEST_CHECK(plan_size(&s, &r, detail, sizeof detail) == GFMUL_ERR_SIZE && detail[0]);
    r.an = r.bn = SIZE_MAX / 8;
    enum gfmul_status status = plan_size(&s, &r, detail, sizeof detail);
    TEST_CHECK_MSG((status == GFMUL_ERR_SIZE || status == GFMUL_ERR_PRECISION || status == GFMUL_ERR_MEMORY) && detail[0],
                   "status %d, detail %s", status, detail);
    r.an = 0;
    TEST_CHECK(plan_size(&s, &r, detail, sizeof detail) == GFMUL_ERR_ARGUMENT);
    r.an = r.bn = 1000;
    r.base = 37;
    TEST_CHECK(plan_size(&s, &r, detail, 0) == GFMUL_ERR_ARGUMENT);
    /* a short buffer is not overrun */
    char small[8] = "#######";
    r.base = 2;
    r.precision = GFMUL_PRECISION_DD;
    r.packing = GFMUL_PACKING_TWO_FOR_ONE;
    TEST_CHECK(plan_size(&s, &r, small, 4) == GFMUL_ERR_UNSUPPORTED && small[3] == '\0' && small[4] == '#');
}

static void test_memory_limit(void)
{
    for (unsigned t = 0; t < 2000; t++) {
        struct plan_request r;
        struct plan_shape s, limited;
        char detail[256];
        random_request(&r, 100000000);
        if (!TEST_OK(plan_size(&s, &r, NULL, 0)))
            return;
        r.memory_limit = s.memory_bytes;
        request_note(&r);
        if (TEST_OK(plan_size(&limited, &r, detail, sizeof detail)))
            TEST_CHECK(limited.transform.n_points == s.transform.n_points && limited.grid.a_cells == s.grid.a_cells);
        r.memory_limit = s.memory_bytes - test_below(s.memory_bytes);
        request_note(&r);
        enum gfmul_status status = plan_size(&limited, &r, detail, sizeof detail);
        if (status == GFMUL_OK)
            check_shape(&limited, &r);
        else
            TEST_CHECK_MSG(status == GFMUL_ERR_MEMORY && strstr(detail, "MiB"), "status %d, detail %s", status, detail);
    }
}

/* All shapes that plan_shape_points can be asked for. */
static void test_shape_points(void)
{
    for (unsigned packing = 1; packing <= 3; packing++) {
        for (unsigned o = 0; plan_odd_factor(o); o++) {
            const unsigned odd = plan_odd_factor(o);
            TEST_CHECK(odd % 2 == 1 && (o == 0 ? odd == 1 : odd > plan_odd_factor(o - 1)));
            for (unsigned log2_n = 6; log2_n <= 40; log2_n++) {
                for (unsigned max_radix = 4; max_radix <= 8; max_radix += 4) {
                    struct plan_shape s;
                    memset(&s, 0, sizeof s);
                    s.transform.packing = (enum gfmul_packing)packing;
                    plan_shape_points(&s, odd, log2_n, max_radix);
                    test_note("packing=%s odd=%u log2_n=%u max_radix=%u", plan_packing_name(packing), odd, log2_n, max_radix);
                    TEST_CHECK(s.transform.odd == odd && s.transform.log2_n == log2_n);
                    check_passes(&s, max_radix);
                }
            }
        }
    }
}

/* cheapest - transform of n points or more. */
static double cheapest(double n, unsigned max_radix, unsigned isa)
{
    double best = HUGE_VAL;
    for (unsigned o = 0; plan_odd_factor(o); o++) {
        const unsigned odd = plan_odd_factor(o);
        for (unsigned log2_n = 6; log2_n <= 40; log2_n++)
            if (ldexp(odd, (int)log2_n) >= n && plan_transform_cost(odd, log2_n, max_radix, isa) < best)
                best = plan_transform_cost(odd, log2_n, max_radix, isa);
    }
    return best;
}

/* From one length to the next one the cost rises by little, where all factors exist. */
static void test_cost_steps(void)
{
    for (unsigned i = 0; i < N_ISAS; i++)
        for (unsigned max_radix = isas[i] ? 8 : 4; max_radix <= 8; max_radix += 4) {
            /* the cheapest transform of n points or more, n in steps of 1/64 octave or less */
            double last = 0;
            for (unsigned step = 0; step < 20 * 64; step++) {
                const double n = ldexp(64.0 * plan_odd_factor(PLAN_ODD_FACTORS - 1), (int)(step / 64)) * (1.0 + step % 64 / 64.0);
                const double best = cheapest(n, max_radix, isas[i]), most = last * LARGEST_STEP(max_radix, isas[i]);
                test_note("max_radix=%u isa=%u n=%.0f", max_radix, isas[i], n);
                TEST_CHECK_MSG(last == 0 || (best >= last && best <= most), "cost %g after %g: %.3f", best, last, best / last);
                last = best;
            }
        }
}

/*
 * The lengths that have been measured: rows that can be made, times that a wrong digit or another line's would not be, shapes
 * that follow them where they leave a row to each thread.
 */
static void test_lengths(void)
{
    unsigned known[N_ISAS] = {0};
    for (unsigned i = 0; i < N_ISAS; i++)
        for (unsigned o = 0; plan_odd_factor(o); o++)
            for (unsigned log2_n = 6; log2_n <= 40; log2_n++) {
                const unsigned odd = plan_odd_factor(o), threads[] = {0, 1, odd, odd + 1, 8 * odd, 1000};
                const struct plan_length *length = plan_length(isas[i], odd, log2_n);
                const struct plan_length *twice = plan_length(isas[i], odd, log2_n + 1);
                if (!length)
                    continue;
                known[i]++;
                test_note("isa=%u odd=%u log2_n=%u", isas[i], odd, log2_n);
                TEST_CHECK(length->columns + 6u <= log2_n && log2_n - length->columns <= 16 && (odd << length->columns) <= 1024);
                const double scaled = plan_transform_cost(odd, log2_n, 8, isas[i]) / plan_model_cost(odd, log2_n, 8);
                TEST_CHECK_MSG(scaled > 0.5 && scaled < 1.7, "%.3f of the model's cost", scaled);
                TEST_CHECK_MSG(!twice || (twice->ps > 0.5 * length->ps && twice->ps < 1.5 * length->ps), "%u ps a point, then %u",
                               length->ps, twice ? twice->ps : 0);
                for (unsigned t = 0; t < sizeof threads / sizeof *threads; t++) {
                    struct plan_shape s, by_rule;
                    memset(&s, 0, sizeof s);
                    s.transform.packing = GFMUL_PACKING_RIGHT_ANGLE;
                    s.transform.row_threads = threads[t];
                    by_rule = s;
                    plan_shape_points(&by_rule, odd, log2_n, 8);
                    s.isa = isas[i];
                    plan_shape_points(&s, odd, log2_n, 8);
                    check_passes(&s, 8);
                    const struct plan_transform *const got = &s.transform, *const rule = &by_rule.transform;
                    if (log2_n <= 14 || odd << length->columns >= threads[t])
                        TEST_CHECK(got->n_rows == (size_t)odd << length->columns && got->streams == length->streams);
                    else
                        TEST_CHECK(got->n_rows == rule->n_rows && got->streams == rule->streams);
                }
            }
    TEST_CHECK(known[0] == 0);
#ifndef GFMUL_MIN_THRESHOLDS
    TEST_CHECK_MSG(known[1] > 120 && known[2] > 120, "AVX2: %u lengths, AVX-512: %u", known[1], known[2]);
#endif
}

/* The plan as text: every key of the manual, a length as snprintf's, cut where too small. */
static void test_print(void)
{
    static const char *const keys[] = {"engine", "device",     "isa",    "threads", "rule",        "mu",     "m",
                                       "l",      "digit_base", "points", "packing", "precision",   "digits", "slices",
                                       "k",      "bound",      "norms",  "knuth",   "memory_bytes"};
    struct plan_request r;
    struct plan_shape s;
    struct gfmul_plan_info info;
    char text[2048], part[64];
    request_init(&r);
    r.base = 10;
    r.an = r.bn = 1000000;
    if (!TEST_OK(plan_size(&s, &r, NULL, 0)))
        return;
    plan_info_from_shape(&info, &s, "avx2");
    size_t length = gfmul_plan_print(&info, text, sizeof text);
    TEST_CHECK(length == strlen(text) && length > 100);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char line[32];
        snprintf(line, sizeof line, "\n%s: ", keys[i]);
        TEST_CHECK_MSG(strstr(text, line) || (i == 0 && strncmp(text, "engine: ", 8) == 0), "no key %s in\n%s", keys[i], text);
    }
    TEST_CHECK(strstr(text, "digit_base: 10^") && strstr(text, "isa: avx2\n") && strstr(text, "mu: 53\n"));
    TEST_CHECK(gfmul_plan_print(&info, part, sizeof part) == length && strlen(part) == sizeof part - 1);
    TEST_CHECK(strncmp(part, text, sizeof part - 1) == 0);
    TEST_CHECK(gfmul_plan_print(&info, NULL, 0) == length);
    TEST_CHECK(strstr(text, s.bound.inverse_measured ? "\ninverse: a posteriori\n" : "\ninverse: a priori\n"));
    /* a bound just below 1/2 is not printed as 1/2 */
    info.bound = nextafter(0.5, 0);
    gfmul_plan_print(&info, text, sizeof text);
    const char *at = strstr(text, "bound: ");
    TEST_CHECK(at && strtod(at + 7, NULL) < 0.5);
    TEST_CHECK(info.proved && info.knuth == plan_knuth_holds(&s) && info.n_points == s.transform.n_points &&
               info.m == log2((double)s.transform.n_digits));
    r.rule = GFMUL_RULE_CHECKED;
    if (TEST_OK(plan_size(&s, &r, NULL, 0))) {
        char checked[2048];
        plan_info_from_shape(&info, &s, "avx2");
        gfmul_plan_print(&info, checked, sizeof checked);
        TEST_CHECK(strstr(checked, "\nrule: checked\n") && strstr(checked, "\nbound: not proved\nexpected_error: 0."));
        TEST_CHECK(!info.proved && info.exponent > 0);
    }
}

/* The first touch of a block costs what its bytes do, of as many bytes as no memory has, too. */
static void test_touch(void)
{
    for (unsigned i = 0; i < N_ISAS; i++)
        for (double bytes = 0x1p22; bytes < 0x1p80; bytes *= 1.7) {
            const struct plan_request r = {.isa = isas[i]};
            const double once = plan_touch_ps(&r, bytes), twice = plan_touch_ps(&r, 2 * bytes);
            test_note("isa=%u bytes=%g", isas[i], bytes);
#ifdef GFMUL_MIN_THRESHOLDS
            TEST_CHECK(once == 0 && twice == 0);
#else
            TEST_CHECK_MSG(twice > 1.5 * once && twice < 2.5 * once, "twice as many: %g ps, not %g", twice, once);
#endif
        }
}

/* Sizes far beyond any memory: a plan, or an error; bounds are what gfmul.h says of them. */
static void test_huge(void)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    for (int way = 0; way <= GFMUL_RULE_CHECKED * 8 + GFMUL_PRECISION_PRIME; way++) {
        gfmul_options_init(&opt);
        opt.device = "cpu";
        opt.engine = GFMUL_ENGINE_CPU;
        opt.rule = (enum gfmul_rule)(way / 8);
        opt.precision = (enum gfmul_precision)(way % 8);
        if (gfmul_ctx_create(&ctx, &opt) != GFMUL_OK) /* float, and what no rule goes with */
            continue;
        for (double n = 10; n < 1.8e19; n *= 1.3) {
            struct gfmul_plan_info info;
            test_note("size %g, rule %d, precision %d", n, (int)opt.rule, (int)opt.precision);
            for (int text = 0; text <= 1; text++) {
                const enum gfmul_status status = text ? gfmul_plan_text(ctx, &info, 10, (size_t)n, (size_t)n)
                                                      : gfmul_plan_limbs(ctx, &info, (size_t)n, (size_t)n);
                TEST_CHECK(status == GFMUL_OK || status == GFMUL_ERR_SIZE || status == GFMUL_ERR_MEMORY ||
                           status == GFMUL_ERR_PRECISION);
                TEST_CHECK(status != GFMUL_OK || info.bound < (info.norms_measured ? 1 : 0.5));
            }
        }
        gfmul_ctx_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_shape_points);
    TEST_RUN(test_cost_steps);
    TEST_RUN(test_lengths);
    TEST_RUN(test_small_requests);
    TEST_RUN(test_random_requests);
    TEST_RUN(test_size_steps);
    TEST_RUN(test_slices);
    TEST_RUN(test_classical_rule);
    TEST_RUN(test_refusals);
    TEST_RUN(test_memory_limit);
    TEST_RUN(test_touch);
    TEST_RUN(test_huge);
    TEST_RUN(test_print);
    return test_end();
}
