/*
 * t-text_digits.c - text to digits and digits to text, alone, against GMP.
 *
 * The engine is a stand-in that keeps digit j of operand A at x[2j] and of B at x[2j + 1], and scales by 1/2.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "test.h"
#include "text/text.h"
#include "weigh.h"

static void fake_pack(const struct plan *plan, double *x, enum digit_part part, size_t first, const int32_t *d, size_t count,
                      struct digit_norms *norms)
{
    if (first % 16 != 0 || count % 16 != 0 || first + count > plan->shape.transform.n_digits)
        abort();
    for (size_t i = 0; i < count; i++) {
        x[2 * (first + i) + (part == DIGIT_PART_B)] = d[i];
        norms->sum_sq += (double)d[i] * d[i];
        norms->sum_pop += (double)((first + i) % 3) * d[i] * d[i];
    }
}

/* see - a coefficient s, in point j, so far from its integer. */
static void see(struct round_stats *stats, size_t j, double s, double error)
{
    struct round_stats one = {.max_error = error, .max_value = fabs(s)};
    one.energy[j % PLAN_ENERGY_CLASSES] = s * s;
    round_stats_raise(stats, &one);
}

static void fake_round(const struct plan *plan, int64_t *v, const double *x, size_t first, size_t count,
                       struct round_stats *stats)
{
    if (first % 16 != 0 || count % 16 != 0 || first + count > plan->shape.transform.n_digits)
        abort();
    for (size_t i = 0; i < count; i++) {
        double s = x[2 * (first + i)] * plan->scale, r = nearbyint(s);
        v[i] = (int64_t)r;
        see(stats, first + i, s, fabs(s - r));
    }
}

static const struct stage_ops fake_stages = {.digits_pack = fake_pack, .digits_round = fake_round};
static struct isa_ops fake_ops = {.name = "fake"};

static void text_to_digits(const struct plan *plan, double *x, enum digit_part part, const struct text_number *num, size_t first,
                           size_t count, struct digit_norms *norms, unsigned threads)
{
    struct digit_source source;
    text_source(&source, plan, num);
    digits_from_source(plan, x, &(struct digit_cell){&source, first, count, part}, norms, threads);
}

static void plan_set(struct plan *plan, unsigned base, unsigned exponent, size_t capacity)
{
    memset(plan, 0, sizeof *plan);
    plan->isa = &fake_ops;
    plan->ops = &fake_stages;
    plan->scale = 0.5;
    plan->shape.digits.base = base;
    plan->shape.digits.exponent = exponent;
    plan->shape.transform.n_digits = capacity;
    plan->shape.transform.n_points = capacity / 2;
    plan->shape.digits.digit_base = 1;
    for (unsigned i = 0; i < exponent; i++)
        plan->shape.digits.digit_base *= base;
}

/* The largest exponent with B <= 2^bits. */
static unsigned exponent_max(unsigned base, unsigned bits)
{
    unsigned e = 0;
    for (uint64_t p = base; p <= UINT64_C(1) << bits; p *= base)
        e++;
    return e;
}

/* Sums of squares are exact below 2^53 and rounded beyond. */
static bool same_sum(double a, double b)
{
    return a == b || (a > 0x1p53 && b > 0x1p53 && fabs(a - b) < 1e-12 * a);
}

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (p == NULL)
        abort();
    return p;
}

enum text_kind { RANDOM, NINES, ONE_ZEROS, HALVES, BELOW_HALF, NINES_ODD, TEXT_KINDS };

/* n characters, the first not '0', in a block of its own so that reads outside are seen by the sanitizers. */
static char *make_text(size_t n, unsigned base, unsigned exponent, enum text_kind kind)
{
    static const char lower[] = "0123456789abcdefghijklmnopqrstuvwxyz", upper[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char *s = allocate(n);
    for (size_t i = 0; i < n; i++) {
        size_t from_end = n - 1 - i;
        unsigned v = 0;
        switch (kind) {
        case RANDOM:
            v = (unsigned)test_below(base);
            break;
        case NINES:
            v = base - 1;
            break;
        case ONE_ZEROS:
            v = 0;
            break;
        case HALVES: /* each raw digit at or just above the half of B */
            v = from_end % exponent == exponent - 1 ? (base + 1) / 2 : base % 2 ? (unsigned)test_below(2) : 0;
            break;
        case BELOW_HALF: /* (B - 1) / 2 in all, so that one carry would run on */
            v = base % 2 ? base / 2 : from_end % exponent == exponent - 1 ? base / 2 - 1 : base - 1;
            break;
        default:
            v = test_below(50) == 0 ? (unsigned)test_below(base) : base - 1;
        }
        if (i == 0 && v == 0)
            v = 1;
        if (v >= base)
            v = base - 1;
        s[i] = test_u64() & 1 ? lower[v] : upper[v];
    }
    return s;
}

static void set_text(mpz_t z, const char *s, size_t n, unsigned base)
{
    char *copy = allocate(n + 1);
    memcpy(copy, s, n);
    copy[n] = '\0';
    if (n == 0)
        mpz_set_ui(z, 0);
    else if (mpz_set_str(z, copy, (int)base) != 0)
        abort();
    free(copy);
}

/* z mod base^zn as zn characters. */
static char *expected_text(const mpz_t z, size_t zn, unsigned base)
{
    mpz_t power, r;
    mpz_init(power);
    mpz_init(r);
    mpz_ui_pow_ui(power, base, zn);
    mpz_fdiv_r(r, z, power);
    char *s = allocate(mpz_sizeinbase(r, (int)base) + 2), *text = allocate(zn);
    mpz_get_str(s, (int)base, r);
    size_t n = strlen(s);
    memset(text, '0', zn);
    if (zn > 0 && n <= zn)
        memcpy(text + zn - n, s, n);
    free(s);
    mpz_clear(power);
    mpz_clear(r);
    return text;
}

/* Mostly one thread: starting several for a few digits costs far more than the work. */
static unsigned some_threads(void)
{
    return test_below(8) == 0 ? 2 + (unsigned)test_below(3) : 1;
}

/* Cut a number in slices of `slice` digits and compare each digit with its definition, and the sum with the number. */
static void check_cut(unsigned base, unsigned exponent, size_t n, enum text_kind kind, size_t slice, bool sliced)
{
    struct plan plan;
    const size_t n_raw = (n + exponent - 1) / exponent, capacity = (slice + 1 + 63) / 64 * 64 + 64 * test_below(3);
    plan_set(&plan, base, exponent, capacity);
    const int64_t b = (int64_t)plan.shape.digits.digit_base, half = (b + 1) / 2;
    char *text = make_text(n, base, exponent, kind);
    double *x = allocate(2 * capacity * sizeof *x);
    int64_t *all = allocate((n_raw + 1) * sizeof *all);
    const struct text_number num = {.base = base, .digits = text, .n_digits = n};
    const enum digit_part part = test_u64() & 1 ? DIGIT_PART_A : DIGIT_PART_B;
    const unsigned threads = some_threads();
    test_note("base %u exponent %u n %zu kind %d slice %zu capacity %zu threads %u", base, exponent, n, (int)kind, slice,
              capacity, threads);

    /* raw digits, one by one */
    for (size_t j = 0; j <= n_raw; j++) {
        char piece[40];
        size_t end = j * exponent < n ? n - j * exponent : 0, begin = end < exponent ? 0 : end - exponent;
        memcpy(piece, text + begin, end - begin);
        piece[end - begin] = '\0';
        all[j] = end > begin ? (int64_t)strtoul(piece, NULL, (int)base) : 0;
    }
    for (size_t j = n_raw + 1; j-- > 0;)
        all[j] += (j > 0 && all[j - 1] >= half) - (all[j] >= half ? b : 0);

    bool ok = true;
    double sum_sq = 0, want_sq = 0;
    size_t first = 0;
    do {
        size_t count = sliced ? slice : slice + 1;
        struct digit_norms norms = {-1, -1};
        double pop = 0;
        for (size_t i = 0; i < 2 * capacity; i++)
            x[i] = 0.25;
        text_to_digits(&plan, x, part, &num, first, count, &norms, threads);
        for (size_t i = 0; i < capacity; i++) {
            size_t j = first + i;
            double want = i < count && j <= n_raw ? (double)all[j] : 0, got = x[2 * i + (part == DIGIT_PART_B)];
            if (got != want || fabs(got) > (double)half || x[2 * i + (part == DIGIT_PART_A)] != 0.25)
                ok = ok && TEST_CHECK_MSG(false, "digit %zu (%zu of the slice at %zu) is %g, should be %g; other part %g", j, i,
                                          first, got, want, x[2 * i + (part == DIGIT_PART_A)]);
            want_sq += want * want;
            pop += (double)(i % 3) * want * want;
        }
        ok = ok && TEST_CHECK(same_sum(norms.sum_pop, pop));
        sum_sq += norms.sum_sq;
        first += slice;
    } while (ok && sliced && first <= n_raw);
    TEST_CHECK_MSG(same_sum(sum_sq, want_sq), "sum of squares %g, should be %g", sum_sq, want_sq);

    mpz_t z, ref;
    mpz_init(z);
    mpz_init(ref);
    set_text(ref, text, n, base);
    ref_weigh(z, all, n_raw + 1, plan.shape.digits.digit_base);
    TEST_CHECK_MSG(mpz_cmp(z, ref) == 0, "the digits do not sum to the number");
    mpz_clear(z);
    mpz_clear(ref);
    free(text);
    free(x);
    free(all);
}

static void test_cut_every_base(void)
{
    for (unsigned base = 2; base <= 36; base++) {
        for (unsigned e = 1, most = exponent_max(base, test_longest_tier() ? 30 : 20); e <= most; e++) {
            for (size_t n = 1; n <= 40; n += n < 10 ? 1 : 3)
                check_cut(base, e, n, (enum text_kind)test_below(TEXT_KINDS), (n + e - 1) / e, false);
            for (int kind = 0; kind < TEXT_KINDS; kind++)
                check_cut(base, e, test_between(1, 700 * e), (enum text_kind)kind, 700, false);
            check_cut(base, e, test_between(500 * e, 3000 * e), (enum text_kind)test_below(TEXT_KINDS), 64 * test_between(1, 12),
                      true);
        }
    }
    for (unsigned e = 21; e <= 30; e++)
        check_cut(2, e, 900 * e - 5, NINES_ODD, 900, false);
}

static void test_cut_around_chunks(void)
{
    for (unsigned e = 1; e <= 7; e++) {
        for (size_t digits = 500; digits <= 1040; digits += digits < 530 || digits > 1010 ? 1 : 12) {
            for (size_t part = 0; part < e; part++)
                check_cut(10, e, digits * e - part, (enum text_kind)test_below(TEXT_KINDS), digits, false);
        }
        for (size_t slice = 64; slice <= 1024; slice += 64)
            check_cut(10, e, test_between(1, 5000), RANDOM, slice, true);
    }
}

/* Base 10^4 by the vectors of each instruction set. */
static void test_cut_fours(void)
{
    const struct isa_ops *ops;
    for (size_t i = 0; (ops = isa_ops_list(i)) != NULL; i++) {
        fake_ops.isa_bit = ops->isa_bit;
        for (size_t n = 1; n <= 600; n += n < 140 ? 1 : 7)
            check_cut(10, 4, n, (enum text_kind)(n % TEXT_KINDS), (n + 3) / 4, false);
        for (size_t slice = 64; slice <= 512; slice += 64)
            for (int kind = 0; kind < TEXT_KINDS; kind++)
                check_cut(10, 4, 4 * slice * test_between(1, 5) + test_below(9), (enum text_kind)kind, slice, true);
    }
    fake_ops.isa_bit = 0;
}

static void test_cut_zero(void)
{
    struct plan plan;
    double x[256];
    const struct text_number zero = {.base = 10, .digits = ""};
    struct digit_norms norms = {1, 1};
    plan_set(&plan, 10, 4, 128);
    for (int i = 0; i < 256; i++)
        x[i] = 7;
    text_to_digits(&plan, x, DIGIT_PART_A, &zero, 0, 1, &norms, 2);
    TEST_CHECK(norms.sum_sq == 0 && norms.sum_pop == 0);
    for (int i = 0; i < 128; i++)
        TEST_CHECK(x[2 * i] == 0 && x[2 * i + 1] == 7);
}

enum vector_kind {
    V_ZERO,
    V_SMALL,
    V_WIDE,
    V_FULL,
    V_NINES,
    V_CHAIN,
    V_CHAIN_LATE,
    V_BORROW,
    V_NEGATIVE,
    V_RANGES,
    V_ALTERNATE,
    VECTOR_KINDS
};

/* Coefficients of a kind, below 2^bits in size. */
static void make_vector(int64_t *v, size_t n, uint64_t digit_base, enum vector_kind kind, unsigned bits)
{
    const int64_t b = (int64_t)digit_base;
    size_t place = (size_t)test_below(n), run = 0;
    unsigned now = 1;
    for (size_t j = 0; j < n; j++) {
        switch (kind) {
        case V_ZERO:
            v[j] = 0;
            break;
        case V_SMALL:
            v[j] = (int64_t)test_below(digit_base);
            break;
        case V_WIDE:
            v[j] = (int64_t)(test_u64() >> (64 - bits / 2 - 8)) - ((int64_t)1 << (bits / 2 + 7));
            break;
        case V_FULL:
            v[j] = (int64_t)(test_u64() >> (63 - bits)) - ((int64_t)1 << bits);
            break;
        case V_NINES:
        case V_CHAIN:
        case V_CHAIN_LATE:
            v[j] = b - 1;
            break;
        case V_BORROW:
            v[j] = 0;
            break;
        case V_NEGATIVE:
            v[j] = -(((int64_t)1 << bits) - 1);
            break;
        case V_ALTERNATE:
            v[j] = (j & 1 ? -1 : 1) * (((int64_t)1 << bits) - 1);
            break;
        default: /* sizes that change from stretch to stretch */
            if (run-- == 0) {
                run = (size_t)test_below(2000);
                now = 1 + (unsigned)test_below(bits);
            }
            v[j] = (int64_t)(test_u64() >> (63 - now)) - ((int64_t)1 << now);
        }
    }
    if (kind == V_CHAIN)
        v[0] = b;
    if (kind == V_CHAIN_LATE)
        v[place] = test_u64() & 1 ? b : 3 * b + 2;
    if (kind == V_BORROW) {
        v[n - 1] = 1;
        v[0] = -1;
    }
}

/* x from v, with errors that are exact in binary; the largest is returned, and what should be seen of the others. */
static struct round_stats scatter(double *x, const int64_t *v, size_t n)
{
    struct round_stats worst = {.max_error = 0};
    for (size_t j = 0; j < n; j++) {
        double e = llabs((long long)v[j]) < (long long)1 << 44 ? (double)test_below(32) / 64 * (test_u64() & 1 ? 1 : -1) : 0;
        x[2 * j] = 2 * ((double)v[j] + e);
        x[2 * j + 1] = 1e9; /* must not matter */
        const double s = (double)v[j] + e;
        see(&worst, j, s, fabs(e));
    }
    return worst;
}

/* What is seen of all coefficients, printed or not. */
static void same_stats(const struct round_stats *is, const struct round_stats *should)
{
    TEST_CHECK_MSG(is->max_error == should->max_error && is->max_value == should->max_value,
                   "error %g, value %.17g, should be %g, %.17g", is->max_error, is->max_value, should->max_error,
                   should->max_value);
    for (unsigned c = 0; c < PLAN_ENERGY_CLASSES; c++) { /* where parts meet some are counted twice */
        const double twice = is->energy[c] - should->energy[c], most = 64 * should->max_value * should->max_value;
        TEST_CHECK_MSG(twice >= -1e-12 * should->energy[c] && twice <= most + 1e-12 * should->energy[c],
                       "energy %u is %.17g, should be %.17g", c, is->energy[c], should->energy[c]);
    }
}

/* check_coefficients - these, as many as the plan has, as text. */
static bool check_coefficients(const struct plan *plan, const int64_t *v, size_t zn, unsigned threads)
{
    const size_t capacity = plan->shape.transform.n_digits;
    double *x = allocate(2 * capacity * sizeof *x);
    struct round_stats stats = {-1, -1, {0}};
    char *z = allocate(zn);
    mpz_t sum;
    mpz_init(sum);
    const struct round_stats worst = scatter(x, v, capacity);
    ref_weigh(sum, v, capacity, plan->shape.digits.digit_base);
    memset(z, '?', zn);
    digits_to_text(plan, z, zn, x, NULL, &stats, threads);
    char *want = expected_text(sum, zn, plan->shape.digits.base);
    const bool ok = test_equal_text(z, want, zn);
    same_stats(&stats, &worst);
    free(want);
    free(x);
    free(z);
    mpz_clear(sum);
    return ok;
}

static void check_print(unsigned base, unsigned exponent, size_t capacity, size_t zn, enum vector_kind kind, unsigned bits,
                        unsigned threads)
{
    struct plan plan;
    plan_set(&plan, base, exponent, capacity);
    int64_t *v = allocate(capacity * sizeof *v);
    test_note("base %u exponent %u capacity %zu zn %zu kind %d bits %u threads %u", base, exponent, capacity, zn, (int)kind, bits,
              threads);
    make_vector(v, capacity, plan.shape.digits.digit_base, kind, bits);
    check_coefficients(&plan, v, zn, threads);
    free(v);
}

static void test_print_every_base(void)
{
    for (unsigned base = 2; base <= 36; base++) {
        for (unsigned e = 1, most = exponent_max(base, test_longest_tier() ? 30 : 20); e <= most; e++) {
            for (int kind = 0; kind < VECTOR_KINDS; kind++)
                check_print(base, e, 1024, 1024 * e + 1, (enum vector_kind)kind, 51, 1);
            check_print(base, e, 64, test_between(0, 70 * e), V_FULL, 51, 1);
            for (int i = 0; i < 8; i++) {
                size_t capacity = 64 * test_size(1, 40);
                check_print(base, e, capacity, test_between(0, capacity * e + 20), (enum vector_kind)test_below(VECTOR_KINDS),
                            20 + (unsigned)test_below(32), some_threads());
            }
        }
    }
}

static void test_print_sizes(void)
{
    for (unsigned e = 1; e <= 6; e++) {
        for (size_t zn = 0; zn <= 200; zn++)
            check_print(10, e, 64, zn, zn % 2 ? V_FULL : V_WIDE, 51, 1);
        for (size_t chunks = 1; chunks <= 4; chunks++)
            for (size_t d = 0; d <= 6 * e; d++)
                check_print(10, e, 4032, 960 * chunks * e + d - 3 * e, (enum vector_kind)test_below(VECTOR_KINDS), 45, 1);
    }
}

/*
 * Quotients by B about as large as B, of both signs: the last coefficients of a part, fewer than are joined, behind some that
 * leave no carry.  Divisions that do not wait for each other are right for quotients to B - 2 alone.
 */
static void test_print_quotients(void)
{
    enum { CAPACITY = 64 };
    struct plan plan;
    int64_t v[CAPACITY] = {-63, -63, -56};
    plan_set(&plan, 8, 1, CAPACITY);
    for (size_t zn = 3; zn <= 5; zn++) {
        test_note("-63, -63, -56 in base 8, %zu characters", zn);
        check_coefficients(&plan, v, zn, 1);
    }
    for (unsigned base = 2; base <= 36; base++)
        for (unsigned e = 1; e <= exponent_max(base, 12); e++) {
            plan_set(&plan, base, e, CAPACITY);
            const int64_t d = (int64_t)plan.shape.digits.digit_base;
            for (unsigned i = 0; i < (test_longest_tier() ? 5000 : 150); i++) {
                const size_t silent = 6 * test_below(4), n = silent + test_between(1, 11);
                const unsigned sign = (unsigned)test_below(3); /* one, the other, both */
                memset(v, 0, sizeof v);
                for (size_t j = silent; j < n; j++) {
                    const int64_t least = d > 3 ? d * (d - 3) : 0, most = d * d - 1;
                    const int64_t size = test_below(3) ? most / d * d - d * (int64_t)test_below(3)
                                                       : least + (int64_t)test_below((uint64_t)(most - least + 1));
                    v[j] = sign == 0 || (sign == 2 && test_below(2)) ? size : -size;
                    v[j] = test_below(4) ? v[j] : v[j] > 0 ? most : -most;
                }
                test_note("base %u exponent %u, quotients of about %" PRId64 ", %zu behind %zu zeros", base, e, d, n - silent,
                          silent);
                if (!check_coefficients(&plan, v, n * e + test_below(3), 1))
                    return;
            }
        }
}

static void test_print_threads(void)
{
    static const unsigned bases[] = {10, 10, 10, 16, 7, 36, 2};
    for (int i = 0; i < (test_longest_tier() ? 600 : 120); i++) {
        unsigned base = bases[test_below(7)], e = 1 + (unsigned)test_below(exponent_max(base, 20));
        size_t capacity = 64 * test_between(60, 400), zn = capacity * e + test_below(3);
        if (test_below(3) == 0)
            zn -= test_below(zn / 2);
        for (unsigned threads = 1; threads <= 4; threads++)
            check_print(base, e, capacity, zn, (enum vector_kind)test_below(VECTOR_KINDS), 20 + (unsigned)test_below(32),
                        threads);
    }
    for (unsigned threads = 1; threads <= 4; threads++) {
        for (int kind = 0; kind < VECTOR_KINDS; kind++) {
            check_print(10, 4, 32000, 32000 * 4, (enum vector_kind)kind, 40, threads);
            check_print(10, 5, 32000, 32000 * 5 + 7, (enum vector_kind)kind, 44, threads);
        }
    }
}

/* Slices: the coefficients of each overlap the next ones; the pieces of text must compose the sum of all. */
static void check_slices(unsigned base, unsigned exponent, size_t capacity, size_t advance, size_t n_tail, size_t n_slices,
                         unsigned bits, unsigned threads)
{
    struct plan plan;
    plan_set(&plan, base, exponent, capacity);
    const size_t used = advance + n_tail < capacity ? advance + n_tail : capacity;
    const size_t n = (n_slices - 1) * advance + capacity;
    const size_t last = used * exponent - (n_slices > 1 ? test_below(exponent) : 0),
                 zn = (n_slices - 1) * advance * exponent + last;
    int64_t *v = allocate(capacity * sizeof *v), *all = allocate(n * sizeof *all);
    int64_t *tail = allocate(n_tail * sizeof *tail), *next = allocate(n_tail * sizeof *next);
    double *x = allocate(2 * capacity * sizeof *x);
    char *z = allocate(zn);
    test_note("base %u exponent %u capacity %zu advance %zu n_tail %zu slices %zu bits %u threads %u", base, exponent, capacity,
              advance, n_tail, n_slices, bits, threads);
    memset(all, 0, n * sizeof *all);
    memset(z, '?', zn);
    for (size_t s = 0; s < n_slices; s++) {
        memset(v, 0, capacity * sizeof *v);
        make_vector(v, used, plan.shape.digits.digit_base, (enum vector_kind)test_below(VECTOR_KINDS), bits);
        const struct round_stats worst = scatter(x, v, capacity);
        struct round_stats stats = {-1, -1, {0}};
        for (size_t j = 0; j < used; j++)
            all[s * advance + j] += v[j];
        bool is_last = s == n_slices - 1;
        size_t piece = is_last ? last : advance * exponent;
        const struct text_tails tails = {
            .in = s > 0 ? tail : NULL, .out = is_last ? NULL : next, .n = n_tail, .advance = is_last ? 0 : advance};
        digits_to_text(&plan, z + zn - s * advance * exponent - piece, piece, x, &tails, &stats, threads);
        same_stats(&stats, &worst);
        for (size_t j = 0; j < n_tail; j++)
            tail[j] = next[j];
    }
    mpz_t sum;
    mpz_init(sum);
    ref_weigh(sum, all, n, plan.shape.digits.digit_base);
    char *want = expected_text(sum, zn, base);
    test_equal_text(z, want, zn);
    mpz_clear(sum);
    free(want);
    free(v);
    free(all);
    free(tail);
    free(next);
    free(x);
    free(z);
}

static void test_print_slices(void)
{
    for (int i = 0; i < (test_longest_tier() ? 3000 : 500); i++) {
        unsigned base = test_u64() & 1 ? 10 : 2 + (unsigned)test_below(35);
        unsigned e = 1 + (unsigned)test_below(exponent_max(base, 20));
        size_t capacity = 64 * test_size(2, i % 20 == 0 ? 300 : 40), advance = 64 * test_between(1, capacity / 64);
        check_slices(base, e, capacity, advance, test_between(1, capacity), test_between(1, 6), 5 + (unsigned)test_below(43),
                     some_threads());
    }
    check_slices(10, 4, 16000, 9600, 6400, 3, 40, 4);
}

/* The whole way: cut two numbers, convolve them exactly, print. */
static void check_product(unsigned base, unsigned exponent, size_t an, size_t bn, enum text_kind a_kind, enum text_kind b_kind)
{
    struct plan plan;
    const size_t a_digits = (an + exponent - 1) / exponent + 1, b_digits = (bn + exponent - 1) / exponent + 1;
    const size_t capacity = (a_digits + b_digits + 63) / 64 * 64,
                 zn = an + bn + test_below(3) - (an + bn > 2 ? test_below(2) : 0);
    const unsigned threads = some_threads();
    plan_set(&plan, base, exponent, capacity);
    double *x = allocate(2 * capacity * sizeof *x);
    int64_t *v = allocate(capacity * sizeof *v);
    char *a = make_text(an, base, exponent, a_kind), *b = make_text(bn, base, exponent, b_kind), *z = allocate(zn);
    const struct text_number a_num = {.base = base, .digits = a, .n_digits = an},
                             b_num = {.base = base, .digits = b, .n_digits = bn};
    test_note("base %u exponent %u an %zu bn %zu kinds %d %d zn %zu threads %u", base, exponent, an, bn, (int)a_kind, (int)b_kind,
              zn, threads);
    struct digit_norms norms;
    text_to_digits(&plan, x, DIGIT_PART_A, &a_num, 0, a_digits, &norms, threads);
    text_to_digits(&plan, x, DIGIT_PART_B, &b_num, 0, b_digits, &norms, threads);
    memset(v, 0, capacity * sizeof *v);
    for (size_t i = 0; i < a_digits; i++)
        for (size_t j = 0; j < b_digits; j++)
            v[i + j] += (int64_t)x[2 * i] * (int64_t)x[2 * j + 1];
    for (size_t i = 0; i < capacity; i++)
        x[2 * i] = 2 * (double)v[i];
    digits_to_text(&plan, z, zn, x, NULL, NULL, threads);
    mpz_t p, q;
    mpz_init(p);
    mpz_init(q);
    set_text(p, a, an, base);
    set_text(q, b, bn, base);
    mpz_mul(p, p, q);
    char *want = expected_text(p, zn, base);
    test_equal_text(z, want, zn);
    mpz_clear(p);
    mpz_clear(q);
    free(want);
    free(x);
    free(v);
    free(a);
    free(b);
    free(z);
}

static void test_product(void)
{
    for (unsigned base = 2; base <= 36; base++)
        for (unsigned e = 1, most = exponent_max(base, 20); e <= most; e++)
            for (int i = 0; i < 6; i++)
                check_product(base, e, test_size(1, 300 * e), test_size(1, 300 * e), (enum text_kind)test_below(TEXT_KINDS),
                              (enum text_kind)test_below(TEXT_KINDS));
    for (unsigned e = 1; e <= 6; e++) {
        check_product(10, e, 1500 * e, 2500 * e - 1, NINES, NINES);
        check_product(10, e, 3000 * e + 1, 1, NINES, NINES);
        check_product(10, e, 1, 1, ONE_ZEROS, NINES);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_cut_zero);
    TEST_RUN(test_cut_every_base);
    TEST_RUN(test_cut_around_chunks);
    TEST_RUN(test_cut_fours);
    TEST_RUN(test_print_every_base);
    TEST_RUN(test_print_sizes);
    TEST_RUN(test_print_quotients);
    TEST_RUN(test_print_threads);
    TEST_RUN(test_print_slices);
    TEST_RUN(test_product);
    return test_end();
}
