/* t-stages.c - digits: packing and rounding, cutting from limbs, carrying into limbs; every instruction set and packing. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "guard.h"
#include "operands.h"
#include "shapes.h"

/* Energies by the words of plan.h. */
static void add_norms(struct digit_norms *norms, const struct plan *plan, size_t j, double d)
{
    size_t low = shape_digit_point(plan, j) & (((size_t)1 << plan->shape.transform.log2_n) - 1);
    norms->sum_sq += d * d;
    norms->sum_pop += __builtin_popcountll(low) * d * d;
}

/* Exact integers below 2^53, or sums whose order the library may choose. */
static bool norms_agree(const struct digit_norms *got, const struct digit_norms *want)
{
    return fabs(got->sum_sq - want->sum_sq) <= 1e-9 * want->sum_sq && fabs(got->sum_pop - want->sum_pop) <= 1e-9 * want->sum_pop;
}

/* The lengths that a property visits: every odd factor; small to large enough for threads and column passes. */
static struct shape_sizes sizes;
enum { MANY_POINTS = 2048 }; /* longer ones are visited less often */

static void list_sizes(void)
{
    for (unsigned log2_n = 6; log2_n <= 13; log2_n++)
        shape_sizes_add(&sizes, 1, log2_n);
    shape_sizes_add(&sizes, 1, 15);
    for (unsigned o = 1; plan_odd_factor(o); o++) {
        const unsigned odd = plan_odd_factor(o), most = shape_log2(odd, (size_t)1 << 17), log2_n = 8 + (o + 2) % 8;
        shape_sizes_add(&sizes, odd, 6);
        shape_sizes_add(&sizes, odd, 7 + o % 2);
        shape_sizes_add(&sizes, odd, log2_n < most ? log2_n : most);
    }
}

static bool is_short(size_t k)
{
    return (size_t)sizes.size[k].odd << sizes.size[k].log2_n <= MANY_POINTS;
}

typedef void (*visit)(const struct plan *plan, unsigned threads);

/* Every instruction set and packing on a few sizes, l running through 1..24. */
static void visit_plans(visit f, unsigned n_exponents)
{
    unsigned exponent = (unsigned)test_below(24);
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned p = 0; p < 3; p++)
            for (size_t k = 0; k < sizes.n; k++)
                for (unsigned e = 0; e < (is_short(k) || test_longest_tier() ? n_exponents : 1); e++) {
                    const struct isa_ops *ops = isa_ops_list(i);
                    exponent = exponent % 24 + 1;
                    struct plan *plan = shape_plan(ops, shape_packings[p], sizes.size[k].odd, sizes.size[k].log2_n, 2, exponent,
                                                   (int)test_below(5) - 2, ops->max_radix);
                    f(plan, 1 + (unsigned)test_below(3));
                    plan_destroy(plan);
                }
}

static void check_max_value(const struct round_stats *stats, double most)
{
    TEST_CHECK_MSG(fabs(stats->max_value - most) <= 1e-12 * most, "max_value %.17g, should be %.17g", stats->max_value, most);
}

/* NaN and infinity, at any place, are seen by both ways to round; numbers around them do not hide them. */
static void check_not_finite(const struct plan *plan, double *x)
{
    const size_t digits = plan->shape.transform.n_digits, zn = digits * plan->shape.digits.exponent / 64 + 1;
    const double bad[4] = {NAN, -NAN, HUGE_VAL, -HUGE_VAL};
    int64_t *v = test_alloc(digits * sizeof *v);
    mp_limb_t *z = test_alloc(zn * sizeof *z);
    for (unsigned k = 0; k < 4; k++) {
        const size_t at = shape_digit(plan, DIGIT_PART_A, test_below(digits));
        const double good = x[at];
        struct round_stats a = {.max_error = 0}, b = {.max_error = 0};
        x[at] = bad[k];
        plan->ops->digits_round(plan, v, x, 0, digits, &a);
        if (TEST_OK(digits_to_limbs(plan, z, zn, x, &b, 1 + (unsigned)test_below(3))))
            TEST_CHECK_MSG(a.max_value == HUGE_VAL && a.max_error == HUGE_VAL && b.max_value == HUGE_VAL &&
                               b.max_error == HUGE_VAL && !(round_stats_energy(&a) < HUGE_VAL) &&
                               !(round_stats_energy(&b) < HUGE_VAL),
                           "%g among the coefficients: max_value %g, %g, max_error %g, %g", bad[k], a.max_value, b.max_value,
                           a.max_error, b.max_error);
        x[at] = good;
    }
    free(v);
    free(z);
}

/* digits_pack puts each digit where stage_ops.h says; digits_round brings n times it back. */
static void check_pack_round(const struct plan *plan, unsigned threads)
{
    (void)threads;
    size_t digits = plan->shape.transform.n_digits, half = (size_t)(plan->shape.digits.digit_base + 1) / 2;
    bool two = plan->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE;
    double *x = shape_buffer(plan);
    int32_t *d = test_alloc(digits * sizeof *d);
    int64_t *v = test_alloc(digits * sizeof *v);
    for (unsigned part = 0; part < (two ? 2 : 1); part++) {
        struct digit_norms got = {0, 0}, want = {0, 0};
        for (size_t j = 0; j < digits; j++) {
            d[j] = test_below(8) == 0 ? (test_u64() & 1 ? (int32_t)half : -(int32_t)half)
                                      : (int32_t)test_below(2 * half + 1) - (int32_t)half;
            add_norms(&want, plan, j, d[j]);
        }
        /* in pieces, back to front */
        for (size_t end = digits; end > 0;) {
            size_t count = 16 * test_between(1, end / 16 < 40 ? end / 16 : 40);
            plan->ops->digits_pack(plan, x, (enum digit_part)part, end - count, d + end - count, count, &got);
            end -= count;
        }
        shape_note(plan, part ? "part B" : "part A", 0);
        TEST_CHECK_MSG(norms_agree(&got, &want), "norms %.17g %.17g, should be %.17g %.17g", got.sum_sq, got.sum_pop, want.sum_sq,
                       want.sum_pop);
        for (size_t j = 0; j < digits; j++) {
            double should = part == DIGIT_PART_B ? ldexp(d[j], plan->shape.digits.balance_exp) : d[j];
            double is = x[shape_digit(plan, (enum digit_part)part, j)];
            if (!TEST_CHECK_MSG(is == should, "digit %zu is %.17g, should be %.17g", j, is, should))
                break;
        }
    }
    /* the product's digits, with a distance from the integer */
    double largest = 0, most = 0, scale = plan->scale, energy[PLAN_ENERGY_CLASSES] = {0};
    for (size_t j = 0; j < digits; j++) {
        double off = ((double)test_below(2001) - 1000) / 1000 * 0.4375;
        int64_t k = (int64_t)test_below((uint64_t)1 << 40) - ((int64_t)1 << 39);
        double value = ((double)k + off) / scale;
        v[j] = k;
        x[shape_digit(plan, DIGIT_PART_A, j)] = value;
        most = fmax(most, fabs((double)k + off));
        energy_add(energy, plan, j, value * scale);
        if (fabs(off) > largest)
            largest = fabs(off);
    }
    int64_t *r = test_alloc(digits * sizeof *r);
    struct round_stats stats = {.max_error = 0};
    for (size_t first = 0; first < digits;) {
        size_t count = 16 * test_between(1, (digits - first) / 16 < 40 ? (digits - first) / 16 : 40);
        plan->ops->digits_round(plan, r + first, x, first, count, &stats);
        first += count;
    }
    shape_note(plan, "digits_round", 0);
    for (size_t j = 0; j < digits; j++)
        if (!TEST_CHECK_MSG(r[j] == v[j], "digit %zu rounds to %" PRId64 ", should be %" PRId64, j, r[j], v[j]))
            break;
    TEST_CHECK_MSG(fabs(stats.max_error - largest) < 1e-3, "max_error %.6f, should be %.6f", stats.max_error, largest);
    check_max_value(&stats, most);
    energy_check(plan, &stats, energy, 0);
    check_not_finite(plan, x);
    /* all are raised, never lowered */
    struct round_stats high = {0.4999, 0x1p60, {[1] = 0x1p120}};
    plan->ops->digits_round(plan, r, x, 0, 16, &high);
    TEST_CHECK(high.max_error == 0.4999 && high.max_value == 0x1p60 && high.energy[0] > 0 && high.energy[1] >= 0x1p120);
    free(r);
    free(v);
    free(d);
    alloc_free(x);
}

static void test_digits_pack_round(void)
{
    visit_plans(check_pack_round, 3);
}

/* sum of d_j 2^(l j), lo <= j < hi, by halves. */
static void sum_digits(mpz_t sum, const int64_t *d, size_t lo, size_t hi, unsigned l)
{
    if (hi - lo <= 8) {
        mpz_set_ui(sum, 0);
        for (size_t j = hi; j-- > lo;) {
            mpz_mul_2exp(sum, sum, l);
            if (d[j] >= 0)
                mpz_add_ui(sum, sum, (unsigned long)d[j]);
            else
                mpz_sub_ui(sum, sum, (unsigned long)-d[j]);
        }
        return;
    }
    size_t mid = lo + (hi - lo) / 2;
    mpz_t high;
    mpz_init(high);
    sum_digits(sum, d, lo, mid, l);
    sum_digits(high, d, mid, hi, l);
    mpz_mul_2exp(high, high, l * (mid - lo));
    mpz_add(sum, sum, high);
    mpz_clear(high);
}

/* Read the digits of an operand out of a buffer; complains about what is not an integer within +-ceil(B/2). */
static bool read_digits(int64_t *d, const struct plan *plan, const double *x, enum digit_part part, size_t count)
{
    double half = (double)((plan->shape.digits.digit_base + 1) / 2);
    for (size_t j = 0; j < count; j++) {
        double v = x[shape_digit(plan, part, j)];
        if (part == DIGIT_PART_B)
            v = ldexp(v, -plan->shape.digits.balance_exp);
        if (!TEST_CHECK_MSG(v == rint(v) && fabs(v) <= half, "digit %zu is %.17g; at most %.17g is allowed", j, v, half))
            return false;
        d[j] = (int64_t)v;
    }
    return true;
}

/* limbs_to_digits: the digits stand for the number, are balanced, come with their energies; slices are pieces of the whole. */
static void check_limbs_to_digits(const struct plan *plan, unsigned threads)
{
    const unsigned l = plan->shape.digits.exponent;
    const size_t capacity = plan->shape.transform.n_digits;
    const bool two = plan->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE;
    enum digit_part part = two && (test_u64() & 1) ? DIGIT_PART_B : DIGIT_PART_A;
    /* as many limbs as the capacity holds with the extra digit, or fewer */
    size_t most = ((capacity - 1) * l) / 64;
    size_t an = most == 0 ? 0 : test_below(3) ? test_between(1, most) : most;
    if (an == 0)
        return;
    size_t count = (64 * an + l - 1) / l + 1;
    enum operand_kind kind = (enum operand_kind)test_below(OPERAND_KINDS);
    uint64_t seed = test_u64();
    struct guard g = guard_create(an * sizeof(mp_limb_t), test_u64() & 1 ? GUARD_AFTER : GUARD_BEFORE);
    mp_limb_t *a = g.p;
    operand_fill(a, an, kind, l, seed);
    guard_read_only(&g);
    char what[96];
    snprintf(what, sizeof what, "part %c threads=%u %s seed=%" PRIu64 " an =", part == DIGIT_PART_A ? 'A' : 'B', threads,
             operand_name(kind), seed);
    shape_note(plan, what, an);

    double *x = shape_buffer(plan);
    int64_t *d = test_alloc(capacity * sizeof *d);
    struct digit_norms got = {0, 0}, want = {0, 0};
    limbs_to_digits(plan, x, part, a, an, 0, count, &got, threads);
    if (read_digits(d, plan, x, part, capacity)) { /* digits count .. N-1 are zero */
        mpz_t sum, number;
        mpz_inits(sum, number, NULL);
        size_t not_zero = 0;
        for (size_t j = count; j < capacity; j++)
            not_zero += d[j] != 0;
        TEST_CHECK_MSG(not_zero == 0, "%zu digits from %zu on are not zero", not_zero, count);
        mpz_import(number, an, -1, sizeof *a, 0, 0, a);
        sum_digits(sum, d, 0, count, l);
        TEST_CHECK_MSG(mpz_cmp(sum, number) == 0, "the digits do not stand for the number");
        for (size_t j = 0; j < count; j++)
            add_norms(&want, plan, j, (double)d[j]);
        TEST_CHECK_MSG(norms_agree(&got, &want), "norms %.17g %.17g, should be %.17g %.17g", got.sum_sq, got.sum_pop, want.sum_sq,
                       want.sum_pop);
        mpz_clears(sum, number, NULL);

        /* two slices at a random place, the first one in its own buffer; then one in the middle */
        if (count > 2) {
            int64_t *e = test_alloc(capacity * sizeof *e);
            for (unsigned round = 0; round < 3; round++) {
                size_t first = round == 0 ? 0 : test_between(0, count - 1) / 8 * 8; /* slices begin at whole groups of 8 */
                size_t n = round == 1 ? count - first : test_between(1, count - first);
                got = want = (struct digit_norms){0, 0};
                limbs_to_digits(plan, x, part, a, an, first, n, &got, threads);
                if (!read_digits(e, plan, x, part, capacity))
                    break;
                size_t j = 0;
                while (j < capacity && e[j] == (j < n ? d[first + j] : 0))
                    j++;
                TEST_CHECK_MSG(j == capacity, "slice first=%zu count=%zu of %zu: digit %zu is %" PRId64 ", should be %" PRId64,
                               first, n, count, j, e[j], j < n ? d[first + j] : 0);
                for (j = 0; j < n; j++)
                    add_norms(&want, plan, j, (double)d[first + j]);
                TEST_CHECK_MSG(norms_agree(&got, &want), "norms of slice first=%zu count=%zu: %.17g %.17g, should be %.17g %.17g",
                               first, n, got.sum_sq, got.sum_pop, want.sum_sq, want.sum_pop);
            }
            free(e);
        }
    }
    free(d);
    alloc_free(x);
    guard_destroy(&g);
}

static void test_limbs_to_digits(void)
{
    visit_plans(check_limbs_to_digits, (unsigned)test_tier(2, 6, 24));
}

/* Two-for-one packs both operands into one buffer, and neither disturbs the other. */
static void test_two_for_one_parts(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (size_t k = 0; k < sizes.n; k++) {
            if (!is_short(k))
                continue;
            const struct isa_ops *ops = isa_ops_list(i);
            struct plan *plan =
                shape_plan(ops, GFMUL_PACKING_TWO_FOR_ONE, sizes.size[k].odd, sizes.size[k].log2_n, 2, 10, 1, ops->max_radix);
            size_t n = plan->shape.transform.n_digits, an = n / 2 * 10 / 64, count = n / 2 + 1;
            mp_limb_t *a = test_alloc(an * sizeof *a), *b = test_alloc(an * sizeof *b);
            double *x = shape_buffer(plan);
            int64_t *d = test_alloc(n * sizeof *d);
            struct digit_norms norms = {0, 0};
            operand_fill(a, an, OPERAND_RUNS, 10, test_u64());
            operand_fill(b, an, OPERAND_RANDOM, 10, test_u64());
            shape_note(plan, "an =", an);
            bool b_first = test_u64() & 1;
            if (b_first)
                limbs_to_digits(plan, x, DIGIT_PART_B, b, an, 0, count, &norms, 2);
            limbs_to_digits(plan, x, DIGIT_PART_A, a, an, 0, count, &norms, 2);
            if (!b_first)
                limbs_to_digits(plan, x, DIGIT_PART_B, b, an, 0, count, &norms, 2);
            mpz_t sum, number;
            mpz_inits(sum, number, NULL);
            for (unsigned part = 0; part < 2; part++)
                if (read_digits(d, plan, x, (enum digit_part)part, n)) {
                    mpz_import(number, an, -1, sizeof *a, 0, 0, part == DIGIT_PART_A ? a : b);
                    sum_digits(sum, d, 0, n, 10);
                    TEST_CHECK_MSG(mpz_cmp(sum, number) == 0, "part %c does not stand for its number", part ? 'B' : 'A');
                }
            mpz_clears(sum, number, NULL);
            free(d);
            free(b);
            free(a);
            alloc_free(x);
            plan_destroy(plan);
        }
}

/* Coefficients of the convolution: random ones, and those with the longest carries. */
enum coefficients {
    COEFF_RANDOM,
    COEFF_SMALL,
    COEFF_TOP,
    COEFF_CARRY,
    COEFF_BORROW,
    COEFF_ZERO_BORROW,
    COEFF_NEGATIVE,
    COEFF_MIXED,
    COEFF_ZERO,
    COEFF_KINDS
};

static int64_t coefficient(enum coefficients kind, size_t j, size_t digits, int64_t base)
{
    const int64_t top = (int64_t)1 << 50;
    switch (kind) {
    case COEFF_RANDOM:
        return (int64_t)test_below(2 * (uint64_t)top + 1) - top;
    case COEFF_SMALL:
        return (int64_t)test_below(2 * (uint64_t)base + 1) - base;
    case COEFF_TOP:
        return test_u64() & 1 ? top : -top;
    case COEFF_CARRY:
        return j == 0 ? base : base - 1; /* a carry through every digit */
    case COEFF_BORROW:
        return j == 0 ? -base : 1 - base;
    case COEFF_ZERO_BORROW:
        return j == digits / 3 ? -1 : 0; /* ones from there on */
    case COEFF_NEGATIVE:
        return -(int64_t)test_below((uint64_t)top);
    case COEFF_ZERO:
        return 0;
    default:
        switch (test_below(6)) {
        case 0:
            return base - 1;
        case 1:
            return base;
        case 2:
            return -1;
        case 3:
            return 0;
        case 4:
            return -base;
        default:
            return test_u64() & 1 ? 1 : top - (int64_t)test_below(3);
        }
    }
}

static void check_digits_to_limbs(const struct plan *plan, unsigned threads)
{
    const unsigned l = plan->shape.digits.exponent;
    const size_t digits = plan->shape.transform.n_digits;
    double *x = shape_buffer(plan);
    int64_t *v = test_alloc(digits * sizeof *v);
    mpz_t sum, part;
    mpz_inits(sum, part, NULL);
    for (unsigned k = 0; k < COEFF_KINDS; k++) {
        for (size_t j = 0; j < digits; j++)
            v[j] = coefficient((enum coefficients)k, j, digits, (int64_t)plan->shape.digits.digit_base);
        double largest = 0, most = 1, peak = 0;
        for (size_t j = 0; j < digits; j++) {
            double off = k % 2 ? 0 : ((double)test_below(2001) - 1000) / 1000 * 0.375;
            if (fabs((double)v[j]) > 0x1p46) /* no room for a fraction */
                off = 0;
            if (fabs((double)v[j]) > most)
                most = fabs((double)v[j]);
            x[shape_digit(plan, DIGIT_PART_A, j)] = ((double)v[j] + off) / plan->scale;
            peak = fmax(peak, fabs((double)v[j] + off));
            if (fabs(off) > largest)
                largest = fabs(off);
        }
        if (plan->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE) /* the product leaves rubbish in the other part */
            for (size_t j = 0; j < digits; j++)
                x[shape_digit(plan, DIGIT_PART_B, j)] = (double)(int64_t)test_u64();
        size_t full = (digits * l + 63) / 64 + 1;
        size_t zn = test_below(3) == 0 ? full : test_between(1, full + 2);
        struct guard g = guard_create(zn * sizeof(mp_limb_t), test_u64() & 1 ? GUARD_AFTER : GUARD_BEFORE);
        mp_limb_t *z = g.p, *want = test_alloc(zn * sizeof *want);
        struct round_stats stats = {.max_error = 0};
        char what[96];
        snprintf(what, sizeof what, "coefficients %u threads=%u digits=%zu zn =", k, threads, digits);
        shape_note(plan, what, zn);
        if (TEST_OK(digits_to_limbs(plan, z, zn, x, &stats, threads))) {
            sum_digits(sum, v, 0, digits, l);
            mpz_fdiv_r_2exp(part, sum, 64 * zn); /* two's complement where the sum is negative */
            memset(want, 0, zn * sizeof *want);
            mpz_export(want, NULL, -1, sizeof *want, 0, 0, part);
            test_equal_limbs(z, want, zn);
            double slack = 0.01 + (plan->scale_exact ? 0 : most * 0x1p-51); /* roundings of x and of its product by the scale */
            TEST_CHECK_MSG(fabs(stats.max_error - largest) < slack, "error %.6f, should be %.6f", stats.max_error, largest);
            check_max_value(&stats, peak);
        }
        TEST_CHECK_MSG(guard_intact(&g), "written outside z");
        free(want);
        guard_destroy(&g);
    }
    mpz_clears(sum, part, NULL);
    free(v);
    alloc_free(x);
}

static void test_digits_to_limbs(void)
{
    visit_plans(check_digits_to_limbs, (unsigned)test_tier(1, 4, 24));
}

/* A carry that starts in the first digit and ends in the last one, across every chunk of every thread. */
static void test_long_carries(void)
{
    const struct isa_ops *ops = isa_ops_list(0);
    for (unsigned log2_n = 12; log2_n <= (test_longest_tier() ? 20 : 17); log2_n++)
        for (unsigned threads = 1; threads <= 3; threads++) {
            unsigned l = (unsigned)test_between(1, 24);
            struct plan *plan = shape_plan(ops, GFMUL_PACKING_RIGHT_ANGLE, 1, log2_n, 2, l, 0, ops->max_radix);
            size_t digits = plan->shape.transform.n_digits, zn = digits * l / 64;
            double *x = shape_buffer(plan), base = (double)plan->shape.digits.digit_base,
                   n = (double)plan->shape.transform.n_points;
            mp_limb_t *z = test_alloc(zn * sizeof *z);
            struct round_stats stats;
            shape_note(plan, "threads", threads);
            /* 1 + (B^N - 1) = 0 mod B^N */
            for (size_t j = 0; j < digits; j++)
                x[shape_digit(plan, DIGIT_PART_A, j)] = (j == 0 ? base : base - 1) * n;
            if (TEST_OK(digits_to_limbs(plan, z, zn, x, &stats, threads))) {
                size_t i = 0;
                while (i < zn && z[i] == 0)
                    i++;
                TEST_CHECK_MSG(i == zn, "carry: limb %zu of %zu is %016" PRIx64, i, zn, (uint64_t)z[i]);
            }
            /* -1 */
            for (size_t j = 0; j < digits; j++)
                x[shape_digit(plan, DIGIT_PART_A, j)] = j == 0 ? -n : 0;
            if (TEST_OK(digits_to_limbs(plan, z, zn, x, &stats, threads))) {
                size_t i = 0;
                while (i < zn && z[i] == ~(mp_limb_t)0)
                    i++;
                TEST_CHECK_MSG(i == zn, "borrow: limb %zu of %zu is %016" PRIx64, i, zn, (uint64_t)z[i]);
            }
            free(z);
            alloc_free(x);
            plan_destroy(plan);
        }
}

/*
 * columns_to_limbs == columns_to_digits, digits_to_limbs; the column passes are made of random points, or of digits that send a
 * carry or a borrow from the first digit through all others.
 */
enum chain { NO_CHAIN, CARRY_CHAIN, BORROW_CHAIN, CHAINS };

static void check_columns_of(const struct plan *plan, unsigned threads, enum chain chain)
{
    if (plan->shape.transform.packing == GFMUL_PACKING_TWO_FOR_ONE && plan->shape.digits.balance_exp != 0)
        return; /* as the next one */
    const size_t digits = plan->shape.transform.n_digits, n = plan->shape.transform.n_points,
                 full = (digits * plan->shape.digits.exponent + 63) / 64 + 1;
    size_t zn = test_below(3) == 0 ? full : test_between(1, full + 2);
    double *x = shape_buffer(plan), *y = shape_buffer(plan), *scratch = shape_scratch(plan, threads);
    struct round_stats of_x = {.max_error = 0}, of_y = {.max_error = 0};
    double energy[PLAN_ENERGY_CLASSES] = {0};
    mp_limb_t *z = test_alloc(zn * sizeof *z);
    struct guard g = guard_create(zn * sizeof *z, test_u64() & 1 ? GUARD_AFTER : GUARD_BEFORE);
    /* the spectrum of integers, so that what is rounded is an integer: forward, then back to the columns */
    for (size_t p = 0; p < n; p++) {
        x[shape_point(plan, p)] = (double)((int64_t)test_below((uint64_t)1 << 31) - ((int64_t)1 << 30));
        x[shape_point(plan, p) + 8] = (double)((int64_t)test_below((uint64_t)1 << 31) - ((int64_t)1 << 30));
    }
    const double base = (double)plan->shape.digits.digit_base;
    for (size_t j = 0; j < digits && chain != NO_CHAIN; j++)
        x[shape_digit(plan, DIGIT_PART_A, j)] = chain == BORROW_CHAIN ? (j == 0 ? -1 : 0) : j == 0 ? base : base - 1;
    plan->ops->digits_to_spectrum(plan, x, n, 1);
    plan->ops->spectrum_to_columns(plan, x, NULL, 1);
    memcpy(y, x, plan_buffer_doubles(&plan->shape) * sizeof *x);
    char what[64];
    snprintf(what, sizeof what, "columns_to_limbs threads=%u zn =", threads);
    shape_note(plan, what, zn);
    plan->ops->columns_to_digits(plan, x, 1);
    TEST_OK(digits_to_limbs(plan, z, zn, x, &of_x, 1));
    TEST_OK(columns_to_limbs(plan, g.p, zn, y, scratch, &of_y, threads));
    test_equal_limbs((mp_limb_t *)g.p, z, zn);
    TEST_CHECK_MSG(of_x.max_error == of_y.max_error, "errors %.17g and %.17g", of_x.max_error, of_y.max_error);
    TEST_CHECK_MSG(of_x.max_value == of_y.max_value && of_x.max_value > 0, "values %.17g and %.17g", of_x.max_value,
                   of_y.max_value);
    for (size_t j = 0; j < digits; j++)
        energy_add(energy, plan, j, x[shape_digit(plan, DIGIT_PART_A, j)] * plan->scale);
    energy_check(plan, &of_x, energy, 0);
    energy_check(plan, &of_y, energy, 0);
    TEST_CHECK_MSG(guard_intact(&g), "written outside z");
    guard_destroy(&g);
    free(z);
    alloc_free(scratch);
    alloc_free(x);
    alloc_free(y);
}

static void check_columns_to_limbs(const struct plan *plan, unsigned threads)
{
    static unsigned round;
    check_columns_of(plan, threads, (enum chain)(round++ % CHAINS));
    if (plan->shape.transform.packing == GFMUL_PACKING_RIGHT_ANGLE && plan->shape.transform.n_points < 4096)
        check_columns_of(plan, 2 + round % 7, (enum chain)(round / 7 % CHAINS));
}

/* no_other - no thread but the first comes to regions inside this one. */
static void no_other(void *arg, unsigned t)
{
    (void)arg;
    if (t == 0)
        visit_plans(check_columns_to_limbs, 2);
}

static void test_columns_to_limbs(void)
{
    visit_plans(check_columns_to_limbs, (unsigned)test_tier(2, 4, 4));
    parallel_run(2, no_other, NULL);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    shape_any_rows = true;
    list_sizes();
    TEST_RUN(test_digits_pack_round);
    TEST_RUN(test_limbs_to_digits);
    TEST_RUN(test_two_for_one_parts);
    TEST_RUN(test_digits_to_limbs);
    TEST_RUN(test_long_carries);
    TEST_RUN(test_columns_to_limbs);
    return test_end();
}
