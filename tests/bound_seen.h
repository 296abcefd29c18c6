/*
 * bound_seen.h - the worst rounding error of a convolution of given digits, against an exact product, and hard digits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_BOUND_SEEN_H
#define GFMUL_BOUND_SEEN_H

#include <math.h>

#include "shapes.h"

static void *seen_alloc(size_t count, size_t bytes)
{
    void *p = calloc(count ? count : 1, bytes);
    if (p == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return p;
}

/* seen_butterfly - at random one of those that an instruction set has, and that a bound can be evaluated for. */
TEST_UNUSED static enum plan_butterfly seen_butterfly(enum plan_butterfly has)
{
    return test_u64() & 1 ? has : BUTTERFLY_NESTED;
}

/* seen_any - one of all, for bounds alone. */
TEST_UNUSED static enum plan_butterfly seen_any(bool fma)
{
    return seen_butterfly(!fma ? BUTTERFLY_NESTED : test_u64() & 1 ? BUTTERFLY_RADIX4 : BUTTERFLY_ABOVE);
}

/* seen_shape - a shape of n points whose operands have so many digits in base base^exponent. */
TEST_UNUSED static void seen_shape(struct plan_shape *s, enum gfmul_packing packing, unsigned odd, unsigned log2_n, unsigned base,
                                   unsigned exponent, size_t a_digits, size_t b_digits, bool fma, enum plan_butterfly butterfly,
                                   unsigned max_radix)
{
    memset(s, 0, sizeof *s);
    s->rule = GFMUL_RULE_NORM;
    s->transform.packing = packing;
    s->digits.base = base;
    s->digits.exponent = exponent;
    s->digits.digit_base = 1;
    for (unsigned i = 0; i < exponent; i++)
        s->digits.digit_base *= base;
    s->digits.bits = exponent * log2((double)base);
    s->bound.fma = fma;
    s->butterfly = butterfly;
    s->digits.an = a_digits;
    s->digits.bn = b_digits;
    s->grid.a_cells = s->grid.b_cells = 1;
    if (packing == GFMUL_PACKING_TWO_FOR_ONE)
        s->digits.balance_exp = (int)lround(0.5 * log2((double)a_digits / (double)b_digits));
    plan_shape_points(s, odd, log2_n, max_radix);
}

/* Kronecker: sum of d_j 2^(64 j), |d_j| < 2^31. */
static void seen_pack(mpz_t z, const int32_t *d, size_t n)
{
    mp_limb_t *p = mpz_limbs_write(z, (mp_size_t)n);
    mpz_t minus;
    mpz_init2(minus, 64 * n);
    mp_limb_t *m = mpz_limbs_write(minus, (mp_size_t)n);
    for (size_t j = 0; j < n; j++) {
        p[j] = d[j] > 0 ? (mp_limb_t)d[j] : 0;
        m[j] = d[j] < 0 ? (mp_limb_t) - (int64_t)d[j] : 0;
    }
    mpz_limbs_finish(z, (mp_size_t)n);
    mpz_limbs_finish(minus, (mp_size_t)n);
    mpz_sub(z, z, minus);
    mpz_clear(minus);
}

/* seen_convolution - v_j = sum of a_i b_(j-i), exactly; |v_j| < 2^62; v has an + bn - 1 entries. */
static void seen_convolution(int64_t *v, const int32_t *a, size_t an, const int32_t *b, size_t bn)
{
    mpz_t x, y;
    mpz_init2(x, 64 * an);
    mpz_init2(y, 64 * bn);
    seen_pack(x, a, an);
    seen_pack(y, b, bn);
    mpz_mul(x, x, y);
    const bool negative = mpz_sgn(x) < 0;
    const mp_limb_t *p = mpz_limbs_read(x);
    const size_t limbs = mpz_size(x);
    int64_t borrow = 0;
    for (size_t j = 0; j < an + bn - 1; j++) { /* digits of |x| in base 2^64, balanced */
        const uint64_t limb = j < limbs ? p[j] : 0;
        const int64_t c = (int64_t)(limb + (uint64_t)borrow);
        borrow = c < 0 || (borrow && limb == UINT64_MAX);
        v[j] = negative ? -c : c;
    }
    mpz_clear(x);
    mpz_clear(y);
}

static void seen_put(const struct plan *plan, double *x, enum digit_part part, const int32_t *d, size_t count,
                     struct digit_norms *norms)
{
    const size_t n = plan->shape.transform.n_digits;
    int32_t *all = seen_alloc(n, sizeof *all);
    memcpy(all, d, count * sizeof *all);
    plan->ops->digits_pack(plan, x, part, 0, all, n, norms);
    free(all);
}

/*
 * seen_error - largest |computed coefficient - exact one| of the product of two digit vectors.
 *   measured   out  plan_bound_measured of these digits
 *   posterior  out  plan_bound_posterior, by the coefficients as computed
 */
TEST_UNUSED static double seen_error(const struct plan *plan, const int32_t *a, size_t an, const int32_t *b, size_t bn,
                                     double *measured, double *posterior)
{
    const struct plan_shape *s = &plan->shape;
    const bool two = s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE;
    double *x = shape_buffer(plan), *y = two ? NULL : shape_buffer(plan), worst = 0;
    struct digit_norms na = {0, 0}, nb = {0, 0};
    seen_put(plan, x, DIGIT_PART_A, a, an, &na);
    seen_put(plan, two ? x : y, two ? DIGIT_PART_B : DIGIT_PART_A, b, bn, &nb);
    if (measured)
        *measured = plan_bound_measured(s, &na, &nb, NULL);
    plan->ops->digits_to_spectrum(plan, x, s->transform.n_points, 1);
    if (!two)
        plan->ops->digits_to_spectrum(plan, y, s->transform.n_points, 1);
    plan->ops->spectrum_mul(plan, x, y, 1);
    plan->ops->spectrum_to_digits(plan, x, 1);
    int64_t *v = seen_alloc(an + bn, sizeof *v);
    seen_convolution(v, a, an, b, bn);
    for (size_t j = 0; j + 1 < an + bn; j++) {
        /* x/n - v, the quotient to 64 bits at least where long double has them */
        double e = (double)fabsl((long double)x[shape_digit(plan, DIGIT_PART_A, j)] /
                                     ldexpl((long double)s->transform.n_points, s->digits.balance_exp) -
                                 (long double)v[j]);
        if (!(e <= worst))
            worst = e;
    }
    struct round_stats stats = {.max_error = 0};
    int64_t *rounded = seen_alloc(s->transform.n_digits, sizeof *rounded);
    plan->ops->digits_round(plan, rounded, x, 0, s->transform.n_digits, &stats);
    free(rounded);
    if (posterior)
        *posterior = plan_bound_posterior(s, &na, &nb, stats.max_value, round_stats_energy(&stats), NULL);
    free(v);
    alloc_free(x);
    alloc_free(y);
    return worst;
}

/* Digits that strain the bound, those that have done most so far first.  |digit| is h, or close to it, but in the last two. */
enum {
    SEEN_PLUS,
    SEEN_NEAR_MAX,  /* h less a little */
    SEEN_WAVE_TREE, /* sign of cos at an angle of the tree */
    SEEN_ALTERNATE,
    SEEN_MINUS,
    SEEN_THUE,
    SEEN_WAVE_NEAR, /* close to one */
    SEEN_RUNS,
    SEEN_SIGNS,
    SEEN_WAVE_LEAF, /* at a leaf of the spectrum */
    SEEN_IMPULSE,
    SEEN_UNIFORM, /* what random numbers have */
    SEEN_PATTERNS
};

static const char *const seen_names[SEEN_PATTERNS] = {"+max",  "near max",   "wave tree", "alternating",
                                                      "-max",  "thue-morse", "wave near", "runs",
                                                      "signs", "wave leaf",  "impulse",   "uniform"};

TEST_UNUSED static void seen_fill(int32_t *d, size_t n, int pattern, int32_t h, size_t n_points)
{
    const double tau = 6.283185307179586;
    const uint64_t r = test_u64(), run = 1 + test_below(9);
    const double phase = tau * (double)test_below(16) / 16;
    double f = 0;
    if (pattern == SEEN_WAVE_TREE || pattern == SEEN_WAVE_NEAR) {
        unsigned bits = 1 + (unsigned)test_below(8);
        f = ldexp((double)test_below((uint64_t)1 << bits) + 0.25 * (double)test_below(2), -(int)bits);
        if (pattern == SEEN_WAVE_NEAR)
            f += ((double)test_below(9) - 4) / (4.0 * (double)n);
    } else if (pattern == SEEN_WAVE_LEAF) {
        f = ((double)test_below(n_points) + 0.25) / (double)n_points;
    }
    for (size_t j = 0; j < n; j++) {
        bool up = true;
        int32_t m = h;
        switch (pattern) {
        case SEEN_UNIFORM:
            m = (int32_t)test_below((uint64_t)h + 1);
            up = test_u64() & 1;
            break;
        case SEEN_PLUS:
            break;
        case SEEN_MINUS:
            up = false;
            break;
        case SEEN_ALTERNATE:
            up = j % 2 == 0;
            break;
        case SEEN_SIGNS:
            up = test_u64() & 1;
            break;
        case SEEN_THUE:
            up = __builtin_popcountll(j) % 2 == 0;
            break;
        case SEEN_RUNS:
            up = j / run % 2 == 0;
            break;
        case SEEN_IMPULSE:
            m = j == r % n ? h : 0;
            break;
        case SEEN_NEAR_MAX:
            m = h - (int32_t)test_below(h > 8 ? 8 : 1);
            up = r & 1;
            break;
        default:
            up = cos(tau * fmod(f * (double)j, 1.0) + phase) >= 0;
            break;
        }
        d[j] = up ? m : -m;
    }
}

#endif
