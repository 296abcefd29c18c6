/*
 * t-plan_device.c - what the sizing promises on devices: capacity, proof, memory, pieces.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "plan/plan_device.h"
#include "plan/thresholds/device.h"
#include "request_test.h"

/* One transform of a device where its digits may be short enough: the least and the greatest ones need not pass on carries. */
static void test_device(void)
{
    static const struct {
        enum gfmul_rule rule;
        enum gfmul_precision precision;
        size_t limbs, quarters; /* of the shorter operand; so many quarters of that are the longer one */
    } largest[] = {
        {GFMUL_RULE_NORM, GFMUL_PRECISION_DOUBLE, 100000000, 4},
        {GFMUL_RULE_CHECKED, GFMUL_PRECISION_DOUBLE, 100000000, 4},
        {GFMUL_RULE_NORM, GFMUL_PRECISION_DD, 100000000, 39},
        {GFMUL_RULE_KNUTH, GFMUL_PRECISION_DD, 312500, 4},
    };
    const struct device_limits limits = {48 << 10, 1024, 132000000000, 0, 0, {0, 0, 0}};
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        for (size_t limbs = largest[i].limbs; limbs > 0; limbs /= 5) {
            struct plan_request r;
            struct plan_shape d;
            struct device_buffers b;
            request_init(&r);
            r.rule = largest[i].rule;
            r.precision = largest[i].precision;
            r.bn = 64 * limbs;
            r.an = 64 * (largest[i].quarters * limbs / 4);
            request_note(&r);
            if (!TEST_OK(plan_device_size(&d, &r, &limits, NULL, 0)))
                break;
            TEST_CHECK(d.bound.value < plan_bound_limit(d.bound.norms_measured) &&
                       d.transform.n_digits * d.digits.exponent >= r.an + r.bn);
            TEST_CHECK(device_shape_columns(&d, 0) * d.digits.exponent < (size_t)1 << 31); /* kernels count a row's bits in 31 */
            TEST_CHECK((r.rule != GFMUL_RULE_KNUTH || plan_knuth_holds(&d)) && d.grid.a_cells == 1 && d.grid.n_branches == 1);
            device_shape_buffers(&d, &b);
            TEST_CHECK(d.memory_bytes >= 2 * b.points + b.runs + b.carries + device_tables_bytes(&d) + (r.an + r.bn) / 4);
            struct gfmul_plan_info told, told_again;
            struct plan_shape again;
            plan_info_from_shape(&told, &d, "");
            r.worst_case = !d.bound.norms_measured;
            TEST_OK(plan_device_parse(&again, &r, told.passes, d.digits.exponent, NULL, 0));
            plan_info_from_shape(&told_again, &again, "");
            TEST_CHECK_MSG(strcmp(told.passes, told_again.passes) == 0 && told.n_points == told_again.n_points, "passes %s, %s",
                           told.passes, told_again.passes);
        }
    }
}

/* sums_check - that the carries and the error of sums of so many products keep within what the kernels and the rounding hold. */
static void sums_check(const struct plan_shape *s, double sums)
{
    const double digits = (double)(s->digits.an < s->digits.bn ? s->digits.an : s->digits.bn);
    const double carry = log2(digits * sums * (double)s->digits.digit_base);
    struct plan_shape one = *s;
    one.grid.a_cells = one.grid.b_cells = 1;
    TEST_CHECK(plan_knuth_holds(s) && s->field == PLAN_DD && !s->bound.norms_measured);
    TEST_CHECK_MSG(s->bound.value < 0.5 && s->bound.value >= sums * plan_bound_worst(&one, NULL), "bound %g of %g products",
                   s->bound.value, sums);
    TEST_CHECK_MSG(carry <= 61 && s->device.inverse[0].columns * s->digits.bits >= carry + 1,
                   "a carry of %g bits, %u digits of %u", carry, s->device.inverse[0].columns, s->digits.exponent);
}

/* pieces_check - that a plan of sums of products of pieces holds what it must. */
static void pieces_check(const struct plan_shape *s, const struct plan_request *r, const struct device_limits *limits)
{
    const size_t a = (r->an > r->bn ? r->an : r->bn) / 64, b = (r->an > r->bn ? r->bn : r->an) / 64, piece = s->grid.cell_limbs;
    const size_t other = b < piece ? b : piece;
    sums_check(s, (double)(s->grid.a_cells < s->grid.b_cells ? s->grid.a_cells : s->grid.b_cells));
    TEST_CHECK((a - 1) / piece + 1 == s->grid.a_cells && (b - 1) / piece + 1 == s->grid.b_cells);
    TEST_CHECK_MSG(s->transform.n_digits * s->digits.exponent >= 64 * (piece + other + 1) &&
                       s->digits.an + s->digits.bn - 1 <= s->transform.n_digits &&
                       s->digits.an * s->digits.exponent > 64 * piece && s->digits.bn * s->digits.exponent > 64 * other,
                   "%zu digits of %u bits, %zu by %zu limbs", s->transform.n_digits, s->digits.exponent, piece, other);
    const double spectra = (double)(s->grid.a_cells + (r->square ? 0 : s->grid.b_cells) + 2);
    TEST_CHECK((double)s->memory_bytes >= spectra * device_points_bytes(s) + 8.0 * (double)(a + b) &&
               (limits->memory_bytes == 0 || s->memory_bytes <= limits->memory_bytes));
}

/* Devices, rule knuth: whole where one transform holds the product, else pieces; short transforms and little memory, too. */
/* sums_fit - whether rule knuth has a length 2^m and digits of 3 bits or more for the sums that are asked for. */
static bool sums_fit(const struct plan_request *r)
{
    for (unsigned m = 8; m <= 24; m++)
        for (unsigned l = 3; 4 * m + 2 * l <= 102; l++)
            if (ldexp(l, (int)m) >= (double)(r->an + r->bn) && plan_knuth_bits(m, l, (double)r->b_cells) <= 102.0)
                return true;
    return false;
}

static void test_device_pieces(void)
{
    for (unsigned i = 0; i < (test_longest_tier() ? 3000 : 300); i++) {
        const size_t largest = i % 10 == 0 ? 100000000 : i % 2 ? 20000 : 2000000, memory = (size_t)test_between(1, 4096) << 20;
        const struct device_limits limits = {
            48 << 10, 1024, test_below(3) ? 0 : memory, 0, test_below(2) ? (size_t)1024 << test_below(8) : 0, {0, 0, 0}};
        struct plan_request r;
        struct plan_shape d;
        char detail[300];
        request_init(&r);
        r.rule = GFMUL_RULE_KNUTH;
        r.an = 64 * test_size(1, largest);
        r.bn = test_below(2) ? r.an : 64 * test_size(1, largest);
        r.square = r.an == r.bn && test_below(2);
        request_note(&r);
        const enum gfmul_status status = plan_device_cells(&d, &r, &limits, detail, sizeof detail);
        if (status != GFMUL_OK) {
            TEST_CHECK_MSG(limits.memory_bytes > 0 || limits.points_most > 0, "%s: %s", gfmul_strerror(status), detail);
            continue;
        }
        TEST_CHECK(limits.points_most == 0 || d.transform.n_points <= limits.points_most);
        if (d.grid.a_cells > 1)
            pieces_check(&d, &r, &limits);
        else
            TEST_CHECK(d.bound.value < 0.5 && d.transform.n_digits * d.digits.exponent >= r.an + r.bn && plan_knuth_holds(&d));
    }
    /* these are, whatever the others were */
    const struct device_limits limits = {48 << 10, 1024, 0, 0, 0, {0, 0, 0}};
    for (size_t limbs = 1000000; limbs <= 100000000; limbs *= 10) {
        struct plan_request r;
        struct plan_shape d;
        request_init(&r);
        r.rule = GFMUL_RULE_KNUTH;
        r.an = r.bn = 64 * limbs;
        request_note(&r);
        if (TEST_OK(plan_device_cells(&d, &r, &limits, NULL, 0)) && TEST_CHECK(d.grid.a_cells > 1))
            pieces_check(&d, &r, &limits);
    }
    /* a short operand: some of these lengths, without the limb more, have a transform that ends with the product of two pieces */
    const struct device_limits shortest = {48 << 10, 1024, 0, 0, 1024, {0, 0, 0}};
    for (size_t limbs = 100; limbs < 170; limbs++) {
        struct plan_request r;
        struct plan_shape d;
        request_init(&r);
        r.rule = GFMUL_RULE_KNUTH;
        r.an = 64 * 1590;
        r.bn = 64 * limbs;
        request_note(&r);
        if (TEST_OK(plan_device_cells(&d, &r, &shortest, NULL, 0)) && TEST_CHECK(d.grid.a_cells > 1))
            pieces_check(&d, &r, &shortest);
    }
    /* sums of more products than any operands make: their carries are what decides about digits and passes */
    for (size_t limbs = 1000; limbs < 200000; limbs += limbs / 3) {
        for (unsigned log2_sums = 0; log2_sums <= 24; log2_sums += 2) {
            struct plan_request r;
            struct plan_shape d;
            request_init(&r);
            r.rule = GFMUL_RULE_KNUTH;
            r.an = r.bn = 64 * limbs;
            r.a_cells = r.b_cells = (size_t)1 << log2_sums;
            request_note(&r);
            const enum gfmul_status status = plan_device_size(&d, &r, &limits, NULL, 0);
            if (status == GFMUL_OK)
                sums_check(&d, ldexp(1, (int)log2_sums));
            else
                TEST_CHECK_MSG(status == GFMUL_ERR_SIZE && !sums_fit(&r), "2^%u products: %s", log2_sums, gfmul_strerror(status));
        }
    }
}

/* size_of - the plan of a product on a device of these rates. */
static struct plan_shape size_of(enum gfmul_precision precision, size_t limbs, const struct device_rates *rates)
{
    const struct device_limits limits = {48 << 10, 1024, 132000000000, 0, 0, *rates};
    struct plan_request r;
    struct plan_shape shape;
    request_init(&r);
    r.precision = precision;
    r.an = r.bn = 64 * limbs;
    request_note(&r);
    memset(&shape, 0, sizeof shape);
    TEST_OK(plan_device_size(&shape, &r, &limits, NULL, 0));
    return shape;
}

/* What passes cost on other devices: all slower alike, what memory and arithmetic do each; near rates are the table's own. */
static void test_rates(void)
{
    static const enum gfmul_precision fields[] = {GFMUL_PRECISION_DOUBLE, GFMUL_PRECISION_DD, GFMUL_PRECISION_PRIME};
    static const struct device_rates unknown = {0, 0, 0};
    for (unsigned f = 0; f < 3; f++) {
        const bool primes = fields[f] == GFMUL_PRECISION_PRIME;
        const struct device_rates table = {DEVICE_RATE_FMA, DEVICE_RATE_PRODUCT,
                                           primes ? DEVICE_RATE_COPY_PRIMES : DEVICE_RATE_COPY};
        const struct device_rates near = {1.45 * table.fma, 0.69 * table.product, 1.45 * table.copy},
                                  slow = {table.fma / 8, table.product / 8, table.copy / 8},
                                  fast = {4 * table.fma, 4 * table.product, 4 * table.copy},
                                  memory = {table.fma, table.product, table.copy / 8},
                                  arithmetic = {table.fma / 64, table.product / 64, table.copy};
        for (size_t limbs = 1000000; limbs <= 10000000; limbs *= 10) {
            const struct plan_shape want = size_of(fields[f], limbs, &unknown), got = size_of(fields[f], limbs, &table),
                                    about = size_of(fields[f], limbs, &near);
            TEST_CHECK(got.device.cost == want.device.cost && strcmp(got.device.text, want.device.text) == 0);
            TEST_CHECK(about.device.cost == want.device.cost && strcmp(about.device.text, want.device.text) == 0);
            const double launches = DEVICE_COST_LAUNCH * (2 * want.device.n_passes + 1), cost = want.device.cost - launches;
            const double all_slow = size_of(fields[f], limbs, &slow).device.cost,
                         all_fast = size_of(fields[f], limbs, &fast).device.cost;
            TEST_CHECK_MSG(all_slow <= 8.001 * cost + launches && all_slow > 7.5 * cost, "%g, 8 times as slow %g", cost,
                           all_slow);
            TEST_CHECK_MSG(all_fast <= 0.2501 * cost + launches && all_fast > 0.22 * cost, "%g, 4 times as fast %g", cost,
                           all_fast);
            const double slow_memory = size_of(fields[f], limbs, &memory).device.cost,
                         slow_sums = size_of(fields[f], limbs, &arithmetic).device.cost;
            /* slow doubles alone: what they compute is more than memory takes, and no business of primes */
            const struct device_rates doubles = {table.fma / 64, table.product, table.copy};
            const double slow_doubles = size_of(fields[f], limbs, &doubles).device.cost;
            TEST_CHECK_MSG(primes ? slow_doubles == want.device.cost : slow_doubles > 5 * cost, "%g, slow doubles %g", cost,
                           slow_doubles);
            if (fields[f] == GFMUL_PRECISION_DD)
                TEST_CHECK(slow_memory < 2 * cost + launches && slow_sums > 60 * cost);
            else
                TEST_CHECK_MSG(slow_memory > 2 * cost && slow_memory < all_slow && slow_sums > 5 * cost &&
                                   slow_sums < 64 * cost + launches,
                               "%g, slow memory %g, slow arithmetic %g", cost, slow_memory, slow_sums);
        }
    }
    TEST_CHECK(device_is_tabled("NVIDIA H100 80GB HBM3", 132) && device_is_tabled("NVIDIA H200", 132));
    TEST_CHECK(!device_is_tabled("NVIDIA H100 PCIe", 114) && !device_is_tabled("NVIDIA A100", 132));
    TEST_CHECK(!device_is_tabled("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 16) && !device_is_tabled("", 132));
    TEST_CHECK(device_primes_least_limbs(&unknown) == DEVICE_PRIME_LIMBS);
    TEST_CHECK(device_primes_least_limbs(&(const struct device_rates){DEVICE_RATE_FMA / 30, DEVICE_RATE_PRODUCT, 1000}) == 0);
}

/* No pass takes less than its arithmetic on the device of its table: so one that is slower alike costs as much more. */
static void test_pass_costs(void)
{
    static const struct device_rates half = {DEVICE_RATE_FMA / 2, DEVICE_RATE_PRODUCT / 2, DEVICE_RATE_COPY / 2};
    const struct device_scale s = device_scale_of(&half, PLAN_DOUBLE), dd = device_scale_of(&half, PLAN_DD);
    TEST_CHECK(s.memory == 2 && s.arithmetic == 2 && s.rest == 2);
    for (unsigned field = 0; field < 2; field++) {
        for (const struct device_pass_line *line = field ? device_pass_lines_dd : device_pass_lines; line->forward; line++) {
            struct device_pass pass;
            const char *end;
            TEST_CHECK(device_pass_parse(&pass, line->forward, field != 0, &end));
            const double cost = device_pass_cost(field ? &dd : &s, &pass, line->place, line->cost);
            TEST_CHECK_MSG(fabs(cost - 2 * line->cost) < 1e-9 * cost, "%s: %g for %g", line->forward, cost, line->cost);
        }
    }
}

enum { LIMBS_MOST = 100663296 }; /* of each operand modulo primes: 2^27 digits of 48 bits */

/* Digits of text: the longest that the bits of so many primes hold; no coefficient is above the product of the primes. */
static void test_primes_text(void)
{
    static const unsigned bases[] = {10, 3, 7, 11, 12, 23, 24, 35, 36};
    const struct device_limits limits = {48 << 10, 1024, 132000000000, 0, 0, {0, 0, 0}};
    unsigned seen = 0;
    mpz_t digit_base, most, room;
    mpz_inits(digit_base, most, room, NULL);
    for (unsigned k = 0; k < sizeof bases / sizeof *bases; k++)
        for (size_t chars = 1; chars < 1500000000; chars += chars / 5 + 1) {
            struct plan_request r;
            struct plan_shape d, again;
            struct device_buffers b;
            request_init(&r);
            r.precision = GFMUL_PRECISION_PRIME;
            r.base = bases[k];
            r.an = chars;
            r.bn = chars % 3 ? chars : chars / 2 + 1;
            test_note("base %u, %zu by %zu characters", r.base, r.an, r.bn);
            if (!TEST_OK(plan_device_size(&d, &r, &limits, NULL, 0)))
                continue;
            const size_t shorter = d.digits.an < d.digits.bn ? d.digits.an : d.digits.bn, l = d.device.field_bits;
            mpz_ui_pow_ui(digit_base, r.base, d.digits.exponent);
            TEST_CHECK(d.digits.base == r.base && l == DEVICE_PRIME_UNIT_BITS * (d.transform.n_primes - 1));
            mpz_sub_ui(most, digit_base, 1);
            TEST_CHECK(mpz_sizeinbase(most, 2) <= l); /* a field holds it, and no longer one */
            mpz_mul_ui(most, digit_base, r.base);
            TEST_CHECK(mpz_sizeinbase(most, 2) > l);
            TEST_CHECK(mpz_cmp_ui(digit_base, 2 * shorter) > 0);
            mpz_sub_ui(most, digit_base, 1);
            mpz_mul(most, most, most);
            mpz_mul_ui(most, most, shorter);
            mpz_set_ui(room, 1);
            for (unsigned i = 0; i < d.transform.n_primes; i++)
                mpz_mul_ui(room, room, device_primes_of(device_primes_set(&d), d.transform.n_primes)[i]);
            TEST_CHECK(mpz_cmp(most, room) < 0);
            TEST_CHECK(d.digits.an * d.digits.exponent >= r.an && d.digits.bn * d.digits.exponent >= r.bn &&
                       d.digits.an + d.digits.bn <= d.transform.n_points);
            mpz_set_ui(room, (unsigned long)(device_primes_base(&d) >> 64));
            mpz_mul_2exp(room, room, 64);
            mpz_add_ui(room, room, (unsigned long)device_primes_base(&d));
            TEST_CHECK(mpz_cmp(room, digit_base) == 0);
            const struct device_pieces p = device_primes_pieces(&d);
            TEST_CHECK(p.n >= 1 && p.n <= DEVICE_PIECES_MAX && p.base <= 1 << DEVICE_PIECE_BITS && p.top_base <= p.base);
            mpz_ui_pow_ui(room, p.base, p.n - 1);
            mpz_mul_ui(room, room, p.top_base);
            TEST_CHECK(mpz_cmp(room, digit_base) == 0);
            device_shape_buffers(&d, &b); /* an operand's digits, two by two */
            TEST_CHECK(b.runs >= (d.digits.an + 1) / 2 * 2 * l / 8 && b.carries >= (d.digits.bn + 1) / 2 * 2 * l / 8);
            TEST_CHECK(d.memory_bytes >=
                       2 * b.points + b.runs + b.carries + b.maps + device_tables_bytes(&d) + 2 * (r.an + r.bn));
            TEST_OK(plan_device_parse(&again, &r, d.device.text, d.digits.exponent, NULL, 0));
            TEST_CHECK(again.transform.n_primes == d.transform.n_primes && again.memory_bytes == d.memory_bytes);
            seen |= 1u << d.transform.n_primes;
        }
    TEST_CHECK_MSG((seen & 0x70) == 0x70, "primes %#x", seen);
    struct plan_request r;
    struct plan_shape d;
    request_init(&r);
    r.precision = GFMUL_PRECISION_PRIME;
    r.an = r.bn = 1000;
    r.base = 16;
    TEST_CHECK(plan_device_size(&d, &r, &limits, NULL, 0) == GFMUL_ERR_UNSUPPORTED);
    r.base = 10;
    r.an = r.bn = UINT32_MAX / 2;
    TEST_CHECK(plan_device_size(&d, &r, &limits, NULL, 0) == GFMUL_ERR_SIZE);
    mpz_clears(digit_base, most, room, NULL);
}

/* Modulo primes: the primes are what lengths and kernels need; coefficients stay below their product, in all sizes. */
static void test_primes(void)
{
    const struct device_limits limits = {48 << 10, 1024, 132000000000, 0, 0, {0, 0, 0}};
    unsigned seen = 0, seen_bits = 0, seen_sets = 0;
    mpz_t most, room;
    mpz_inits(most, room, NULL);
    for (unsigned k = 0; k < DEVICE_PRIME_SETS; k++) {
        const struct device_prime_set *set = &device_prime_sets[k];
        const unsigned last = DEVICE_PRIMES_MAX - 1;
        for (unsigned i = 0; i <= last; i++) {
            const uint32_t p = set->p[i], least = (uint32_t)1 << (30 - set->lazy),
                           levels = i < last ? set->levels : set->levels_all;
            mpz_set_ui(most, p);
            TEST_CHECK(mpz_probab_prime_p(most, 40) > 0 && p > least && p < 2 * least);
            TEST_CHECK((p - 1) % (1u << levels) == 0 && (i == 0 || p > set->p[i - 1]));
        }
        for (unsigned n = DEVICE_PRIMES_MIN; n <= last; n++) /* the largest ones that have the plan's levels */
            TEST_CHECK(device_primes_of(set, n) == set->p + last + (set->levels == set->levels_all) - n);
        TEST_CHECK(device_primes_of(set, last + 1) == set->p);
    }
    for (size_t limbs = 1; limbs <= LIMBS_MOST; limbs += limbs < LIMBS_MOST ? limbs / 9 + 1 : 1) {
        if (limbs > LIMBS_MOST)
            limbs = LIMBS_MOST;
        for (unsigned part = 1; part <= 16; part *= 4) {
            struct plan_request r;
            struct plan_shape d, again;
            struct device_buffers b;
            request_init(&r);
            r.precision = GFMUL_PRECISION_PRIME;
            r.an = 64 * limbs;
            r.bn = 64 * (part == 1 ? limbs : limbs / part + 1);
            request_note(&r);
            if (!TEST_OK(plan_device_size(&d, &r, &limits, NULL, 0)))
                continue;
            const size_t shorter = d.digits.an < d.digits.bn ? d.digits.an : d.digits.bn, l = d.digits.exponent;
            mpz_set_ui(most, 1);
            mpz_mul_2exp(most, most, l);
            mpz_sub_ui(most, most, 1);
            mpz_mul(most, most, most);
            mpz_mul_ui(most, most, shorter);
            mpz_set_ui(room, 1);
            for (unsigned i = 0; i < d.transform.n_primes; i++)
                mpz_mul_ui(room, room, device_primes_of(device_primes_set(&d), d.transform.n_primes)[i]);
            TEST_CHECK(mpz_cmp(most, room) < 0 && mpz_sizeinbase(most, 2) <= 2 * l + 27);
            TEST_CHECK(d.digits.an * l >= r.an && d.digits.bn * l >= r.bn && d.digits.an + d.digits.bn <= d.transform.n_points);
            const size_t most_bits = DEVICE_PRIME_UNIT_BITS * (d.transform.n_primes - 1);
            TEST_CHECK(d.field == PLAN_PRIME && l <= most_bits && l + 2 >= most_bits && d.device.field_bits == l);
            TEST_CHECK(d.bound.value == 0 && d.device.chunk_blocks < DEVICE_PRIME_JOIN_ITEMS &&
                       DEVICE_PRIME_QUAD * l * d.device.chunk_blocks % 32 == 0);
            seen_bits |= 1u << (l / 2 - 16);
            seen_sets |= 1u << d.device.prime_set;
            const unsigned leaf = d.device.forward[d.device.n_passes - 1].leaf;
            TEST_CHECK(d.transform.log2_n <= (d.transform.n_primes == DEVICE_PRIMES_MAX ? device_primes_set(&d)->levels_all
                                                                                        : device_primes_set(&d)->levels));
            TEST_CHECK(leaf >= 1 && leaf <= 8 && d.transform.n_points == (size_t)leaf << d.transform.log2_n &&
                       d.transform.n_points == d.transform.n_rows * d.transform.row_points && d.transform.n_points <= 1 << 28);
            TEST_CHECK(d.device.halves == 2 ||
                       (d.digits.an <= d.transform.n_points / 2 && d.digits.bn <= d.transform.n_points / 2));
            device_shape_buffers(&d, &b);
            TEST_CHECK(b.points == 4 * d.transform.n_points * d.transform.n_primes &&
                       d.memory_bytes >= 2 * b.points + b.maps + device_tables_bytes(&d) + (r.an + r.bn) / 4);
            TEST_OK(plan_device_parse(&again, &r, d.device.text, d.digits.exponent, NULL, 0));
            TEST_CHECK(strcmp(again.device.text, d.device.text) == 0 && again.memory_bytes == d.memory_bytes &&
                       again.device.prime_set == d.device.prime_set);
            seen |= 1u << d.transform.n_primes | 1u << (8 + d.device.n_passes) | 1u << (16 + leaf);
        }
    }
    TEST_CHECK_MSG(seen_sets == 3 && (seen_bits | 1 << 15) == (1 | 1 << 8 | 3 << 15 | 3 << 23), "sets %#x, bits %#x", seen_sets,
                   seen_bits);
    TEST_CHECK_MSG((seen & 0xffff) == (0xf << DEVICE_PRIMES_MIN | 3u << 10) && (seen >> 16 & 0x120) == 0x120,
                   "primes, passes, ends %#x", seen);
    struct plan_request r;
    struct plan_shape d;
    request_init(&r);
    r.precision = GFMUL_PRECISION_PRIME;
    r.an = r.bn = (size_t)64 * (LIMBS_MOST + 1);
    TEST_CHECK(plan_device_size(&d, &r, &limits, NULL, 0) == GFMUL_ERR_SIZE);
    const struct device_limits little = {48 << 10, 1024, 1 << 20, 0, 0, {0, 0, 0}};
    r.an = r.bn = (size_t)64 * 100000;
    TEST_CHECK(plan_device_size(&d, &r, &little, NULL, 0) == GFMUL_ERR_MEMORY);
    static const char *const wrong[] = {"16/1/16",
                                        "8.8/8/1,16/1/16",
                                        "3.8/8/16,8.8/8/1",
                                        "16/4/16,8.8/8/1",
                                        "16/1/16,8/1/16,8/1/16,8.8/8/1",
                                        "16/1/16,8.8/8/1,8/1/16",
                                        "16/1/16,8/1/1",
                                        "16/1/16/m2,8.8/8/1",
                                        "16/1/16,8.8/8/1/m9",
                                        "16/1/16,8.8/8/1/m0"};
    r.an = r.bn = 64;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        TEST_CHECK_MSG(plan_device_parse(&d, &r, wrong[i], 64, NULL, 0) == GFMUL_ERR_ARGUMENT, "%s", wrong[i]);
    TEST_CHECK(plan_device_parse(&d, &r, "16/1/16,8.8/8/1", 58, NULL, 0) == GFMUL_ERR_SIZE);
    mpz_clears(most, room, NULL);
}

/* Two-for-one: as many digits as points, one buffer of points, rows that wait in local memory, the shorter operand scaled. */
static void test_two_for_one(void)
{
    static const struct {
        size_t local, an, bn;
    } of[] = {{48 << 10, 100000, 100000}, {48 << 10, 4000000, 4000000}, {48 << 10, 300000, 1200}, {200 << 10, 30000000, 29000000},
              {200 << 10, 5000, 4900},    {32 << 10, 1000, 1000},       {48 << 10, 1200, 300000}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct device_limits limits = {of[i].local, 1024, 0, 0, 0, {0, 0, 0}};
        struct plan_request r;
        struct plan_shape d, plain, again;
        struct device_buffers b;
        request_init(&r);
        r.packing = GFMUL_PACKING_TWO_FOR_ONE;
        r.precision = GFMUL_PRECISION_DOUBLE;
        r.an = 64 * of[i].an;
        r.bn = 64 * of[i].bn;
        r.worst_case = i % 2;
        request_note(&r);
        if (!TEST_OK(plan_device_size(&d, &r, &limits, NULL, 0)))
            continue;
        const size_t longer = r.an > r.bn ? r.an : r.bn, shorter = r.an > r.bn ? r.bn : r.an;
        TEST_CHECK(d.transform.packing == GFMUL_PACKING_TWO_FOR_ONE && d.transform.n_digits == d.transform.n_points);
        TEST_CHECK(d.digits.an * d.digits.exponent > longer && d.digits.bn * d.digits.exponent > shorter &&
                   d.digits.an + d.digits.bn - 1 <= d.transform.n_points);
        TEST_CHECK(d.device.halves == (2 * d.digits.an > d.transform.n_points ? 2 : 1));
        TEST_CHECK(d.bound.value < plan_bound_limit(d.bound.norms_measured) && !d.bound.inverse_measured);
        const struct device_pass *rows = &d.device.forward[d.device.n_passes - 1];
        TEST_CHECK(device_pass_local_bytes(rows) + (rows->park ? 0 : 16 * (size_t)rows->points) <= of[i].local);
        TEST_CHECK(!device_pass_coprime(&d.device.forward[0]) && !device_pass_coprime(&d.device.inverse[0]));
        device_shape_buffers(&d, &b);
        TEST_CHECK(device_shape_operands(&d) == 1 && b.points == 16 * d.transform.n_points);
        TEST_CHECK(b.runs / 4 / device_run_words(&d) * d.device.inverse[0].columns == d.transform.n_digits);
        /* scaled if b is the shorter one, by the root of the ratio of their lengths, to the nearest power of two */
        const double off = d.digits.balance_exp - 0.5 * log2((double)d.digits.an / (double)d.digits.bn);
        TEST_CHECK_MSG(r.an < r.bn ? d.digits.balance_exp == 0 : fabs(off) <= 0.5, "scaled by 2^%d", d.digits.balance_exp);
        r.worst_case = !d.bound.norms_measured;
        TEST_OK(plan_device_parse(&again, &r, d.device.text, d.digits.exponent, NULL, 0));
        TEST_CHECK(again.bound.value == d.bound.value && again.memory_bytes == d.memory_bytes &&
                   again.digits.balance_exp == d.digits.balance_exp);
        /* the same passes, right-angle: two spectra */
        r.packing = GFMUL_PACKING_RIGHT_ANGLE;
        if (2 * d.digits.an <= d.transform.n_points &&
            TEST_OK(plan_device_parse(&plain, &r, d.device.text, d.digits.exponent, NULL, 0)))
            TEST_CHECK(plain.transform.n_digits == 2 * d.transform.n_digits && device_shape_operands(&plain) == 2);
        r.packing = GFMUL_PACKING_TWO_FOR_ONE;
        TEST_CHECK(plan_device_parse(&again, &r, "18.20/20/8/s,8.8.8/64/1", d.digits.exponent, NULL, 0) == GFMUL_ERR_ARGUMENT);
        r.kept = true;
        TEST_CHECK(plan_device_size(&again, &r, &limits, NULL, 0) == GFMUL_ERR_UNSUPPORTED);
        r.kept = false;
    }
}

/* One-for-half: a row of columns has twice as many digits; two or three rows wait in local memory, of a square one. */
static void test_one_for_half(void)
{
    static const struct {
        size_t local, an, bn;
        bool square;
    } of[] = {{48 << 10, 100000, 100000, false},      {48 << 10, 4000000, 4000000, true}, {48 << 10, 300000, 1200, false},
              {200 << 10, 30000000, 29000000, false}, {200 << 10, 5000, 4900, false},     {32 << 10, 1000, 1000, true},
              {48 << 10, 1200, 300000, false}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct device_limits limits = {of[i].local, 1024, 0, 0, 0, {0, 0, 0}};
        struct plan_request r;
        struct plan_shape d, plain, again;
        struct device_buffers b;
        request_init(&r);
        r.packing = GFMUL_PACKING_ONE_FOR_HALF;
        r.precision = GFMUL_PRECISION_DOUBLE;
        r.square = of[i].square;
        r.an = 64 * of[i].an;
        r.bn = 64 * of[i].bn;
        r.worst_case = i % 2;
        request_note(&r);
        if (!TEST_OK(plan_device_size(&d, &r, &limits, NULL, 0)))
            continue;
        const size_t n = d.transform.n_points, columns = device_shape_columns(&d, 0);
        TEST_CHECK(d.transform.packing == GFMUL_PACKING_ONE_FOR_HALF && d.transform.n_digits == 2 * n);
        TEST_CHECK(d.digits.an + d.digits.bn - 1 <= 2 * n && d.digits.balance_exp == 0);
        TEST_CHECK(d.device.halves == (d.digits.an > n ? 2 : 1));
        TEST_CHECK(device_row_digits(&d) == 2 * columns && 2 * columns * d.digits.exponent < (size_t)1 << 31);
        TEST_CHECK(d.bound.value < plan_bound_limit(d.bound.norms_measured) && !d.bound.inverse_measured);
        const struct device_pass *rows = &d.device.forward[d.device.n_passes - 1];
        const unsigned parked = r.square ? !rows->park : 2;
        TEST_CHECK(device_pass_local_bytes(rows) + 16 * (size_t)parked * rows->points <= of[i].local);
        TEST_CHECK(!device_pass_coprime(&d.device.forward[0]) && !device_pass_coprime(&d.device.inverse[0]));
        device_shape_buffers(&d, &b);
        TEST_CHECK(device_shape_operands(&d) == (r.square ? 1 : 2) && b.points == 16 * n);
        /* as many runs, of as many digits, as right-angle has; chunks fill rows */
        TEST_CHECK(b.runs / 4 / device_run_words(&d) * d.device.inverse[0].columns == 2 * n);
        TEST_CHECK(2 * columns % (d.device.block_digits * d.device.chunk_blocks) == 0 &&
                   device_number_tiles(&d) * d.device.tile_rows * 2 * columns == 2 * n);
        r.worst_case = !d.bound.norms_measured;
        TEST_OK(plan_device_parse(&again, &r, d.device.text, d.digits.exponent, NULL, 0));
        TEST_CHECK(again.bound.value == d.bound.value && again.memory_bytes == d.memory_bytes);
        /* the same passes, right-angle: smaller constants */
        r.packing = GFMUL_PACKING_RIGHT_ANGLE;
        if (TEST_OK(plan_device_parse(&plain, &r, d.device.text, d.digits.exponent, NULL, 0)))
            TEST_CHECK(plain.transform.n_digits == 2 * n && plain.bound.value < d.bound.value);
        r.packing = GFMUL_PACKING_ONE_FOR_HALF;
        TEST_CHECK(plan_device_parse(&again, &r, "18.20/20/8/s,8.8.8/64/1", d.digits.exponent, NULL, 0) == GFMUL_ERR_ARGUMENT);
        r.kept = true;
        TEST_OK(plan_device_size(&again, &r, &limits, NULL, 0));
        r.kept = false;
        r.a_cells = 2;
        TEST_CHECK(plan_device_size(&again, &r, &limits, NULL, 0) == GFMUL_ERR_UNSUPPORTED);
    }
}

/* What devices have no kernels for, and what the refusal says; every second line is made. */
static void test_refused(void)
{
    static const struct {
        enum gfmul_precision precision;
        enum gfmul_rule rule;
        enum gfmul_packing packing;
        unsigned base;
        const char *says; /* NULL: there is a plan */
    } requests[] = {
        {GFMUL_PRECISION_DOUBLE, GFMUL_RULE_NORM, GFMUL_PACKING_AUTO, 3, "bases 2 and 10 (others: precision prime)"},
        {GFMUL_PRECISION_PRIME, GFMUL_RULE_NORM, GFMUL_PACKING_AUTO, 3, NULL},
        {GFMUL_PRECISION_PRIME, GFMUL_RULE_NORM, GFMUL_PACKING_AUTO, 16, "bases that are no powers of two"},
        {GFMUL_PRECISION_DOUBLE, GFMUL_RULE_NORM, GFMUL_PACKING_AUTO, 10, NULL},
        {GFMUL_PRECISION_AUTO, GFMUL_RULE_NORM, GFMUL_PACKING_AUTO, 3, "bases 2 and 10"}, /* the caller goes on to primes */
        {GFMUL_PRECISION_AUTO, GFMUL_RULE_KNUTH, GFMUL_PACKING_AUTO, 10, NULL},
        {GFMUL_PRECISION_DD, GFMUL_RULE_CHECKED, GFMUL_PACKING_AUTO, 2, "checked in double"},
        {GFMUL_PRECISION_DOUBLE, GFMUL_RULE_CHECKED, GFMUL_PACKING_AUTO, 2, NULL},
        {GFMUL_PRECISION_DOUBLE, GFMUL_RULE_KNUTH, GFMUL_PACKING_AUTO, 2, "knuth in double-double"},
        {GFMUL_PRECISION_DD, GFMUL_RULE_KNUTH, GFMUL_PACKING_AUTO, 2, NULL},
        {GFMUL_PRECISION_DOUBLE, GFMUL_RULE_NORM, GFMUL_PACKING_TWO_FOR_ONE, 2, NULL},
        {GFMUL_PRECISION_DOUBLE, GFMUL_RULE_CHECKED, GFMUL_PACKING_TWO_FOR_ONE, 10, NULL},
        {GFMUL_PRECISION_DD, GFMUL_RULE_NORM, GFMUL_PACKING_TWO_FOR_ONE, 2, "in double and without cells, two-for-one"},
        {GFMUL_PRECISION_DOUBLE, GFMUL_RULE_NORM, GFMUL_PACKING_ONE_FOR_HALF, 2, NULL},
        {GFMUL_PRECISION_DD, GFMUL_RULE_NORM, GFMUL_PACKING_ONE_FOR_HALF, 2, "packings right-angle"},
        {GFMUL_PRECISION_DOUBLE, GFMUL_RULE_NORM, GFMUL_PACKING_RIGHT_ANGLE, 2, NULL},
        {GFMUL_PRECISION_PRIME, GFMUL_RULE_CHECKED, GFMUL_PACKING_AUTO, 2, "under rule norm"},
    };
    const struct device_limits limits = {48 << 10, 1024, 0, 0, 0, {0, 0, 0}};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct plan_request r;
        struct plan_shape d;
        char said[256] = "";
        request_init(&r);
        r.precision = requests[i].precision;
        r.rule = requests[i].rule;
        r.packing = requests[i].packing;
        r.base = requests[i].base;
        r.an = r.bn = 6400;
        request_note(&r);
        const enum gfmul_status status = plan_device_size(&d, &r, &limits, said, sizeof said);
        TEST_CHECK_MSG(status == (requests[i].says ? GFMUL_ERR_UNSUPPORTED : GFMUL_OK), "%s: %s", gfmul_strerror(status), said);
        TEST_CHECK_MSG(!requests[i].says || strstr(said, requests[i].says), "it says: %s", said);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_refused);
    TEST_RUN(test_two_for_one);
    TEST_RUN(test_one_for_half);
    TEST_RUN(test_rates);
    TEST_RUN(test_pass_costs);
    TEST_RUN(test_primes);
    TEST_RUN(test_primes_text);
    TEST_RUN(test_device);
    TEST_RUN(test_device_pieces);
    return test_end();
}
