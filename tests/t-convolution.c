/*
 * t-convolution.c - convolutions against the schoolbook, and against GMP's products by Kronecker substitution.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <float.h>
#include <gmp.h>
#include <math.h>
#include <pthread.h>

#include "base/alloc.h"
#include "fft/conv.h"
#include "fft/fft.h"
#include "test.h"

enum { MAX_WORDS = 3 };

/* Integers: values, and the result of the definition in three words. */
struct sequence {
    size_t n;
    int64_t *v;
    void *numbers; /* as the library reads them */
};

enum fill { FILL_RANDOM, FILL_LEAST, FILL_MOST, FILL_SIGNS, FILL_SMALL, FILL_ZERO, N_FILLS };

static void sequence_create(struct sequence *s, size_t n, const struct gfmul_conv_options *opt, enum fill fill)
{
    s->n = n;
    s->v = test_alloc_zeroed(n, sizeof *s->v);
    s->numbers = test_alloc_zeroed(n, 8);
    for (size_t i = 0; i < n; i++) {
        uint64_t r = test_u64();
        if (opt->number == GFMUL_CONV_MOD || opt->number == GFMUL_CONV_UINT64) { /* read back as uint64_t */
            const uint64_t most = opt->number == GFMUL_CONV_MOD ? opt->modulus - 1 : UINT64_MAX;
            const uint64_t of_fill[N_FILLS] = {
                most == UINT64_MAX ? r : r % (most + 1), most / 2, most, r & 1 ? most : most / 2, most < 2 ? r & most : r % 3, 0};
            ((uint64_t *)s->numbers)[i] = of_fill[fill];
            s->v[i] = (int64_t)of_fill[fill];
            continue;
        }
        bool wide = opt->number == GFMUL_CONV_INT64;
        int64_t least = wide ? INT64_MIN : INT32_MIN, most = wide ? INT64_MAX : INT32_MAX;
        int64_t v = fill == FILL_LEAST   ? least
                    : fill == FILL_MOST  ? most
                    : fill == FILL_SIGNS ? (r & 1 ? least : most)
                    : fill == FILL_SMALL ? (int64_t)(r % 5) - 2
                    : fill == FILL_ZERO  ? 0
                    : wide               ? (int64_t)r
                                         : (int32_t)r;
        s->v[i] = v;
        if (wide)
            ((int64_t *)s->numbers)[i] = v;
        else
            ((int32_t *)s->numbers)[i] = (int32_t)v;
    }
}

static void sequence_destroy(struct sequence *s)
{
    free(s->v);
    free(s->numbers);
}

static size_t count_of(enum gfmul_conv_kind kind, size_t an, size_t bn)
{
    return kind == GFMUL_CONV_LINEAR ? an + bn - 1 : bn;
}

/* sum_add - z += w, or z -= w, in three words. */
static void sum_add(uint64_t *z, const uint64_t *w, bool minus)
{
    uint64_t carry = minus;
    for (unsigned i = 0; i < MAX_WORDS; i++) {
        unsigned __int128 sum = (unsigned __int128)z[i] + (minus ? ~w[i] : w[i]) + carry;
        z[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

/* z += v, or z -= v, in three words */
static void wide_add(uint64_t *z, __int128 v, bool minus)
{
    const uint64_t words[MAX_WORDS] = {(uint64_t)v, (uint64_t)(v >> 64), (uint64_t)(v >> 127)};
    sum_add(z, words, minus);
}

static uint64_t mod_mul(uint64_t a, uint64_t b, uint64_t m)
{
    return (uint64_t)((unsigned __int128)a * b % m);
}

/* The definition; `words` words for each coefficient, one for residues. */
static void schoolbook(uint64_t *z, const struct sequence *a, const struct sequence *b, const struct gfmul_conv_options *opt)
{
    size_t count = count_of(opt->kind, a->n, b->n);
    uint64_t *wide = test_alloc_zeroed(count * MAX_WORDS, sizeof *wide), m = opt->modulus;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            size_t k = i + j;
            bool folded = k >= count, minus = folded && opt->kind == GFMUL_CONV_NEGACYCLIC;
            k -= folded ? count : 0;
            if (opt->number == GFMUL_CONV_MOD) {
                uint64_t r = mod_mul((uint64_t)a->v[i], (uint64_t)b->v[j], m);
                r = minus && r != 0 ? m - r : r;
                z[k] = (uint64_t)(((unsigned __int128)z[k] + r) % m);
            } else if (opt->number == GFMUL_CONV_UINT64) {
                const unsigned __int128 v = (unsigned __int128)(uint64_t)a->v[i] * (uint64_t)b->v[j];
                sum_add(wide + k * MAX_WORDS, (const uint64_t[]){(uint64_t)v, (uint64_t)(v >> 64), 0}, minus);
            } else {
                wide_add(wide + k * MAX_WORDS, (__int128)a->v[i] * b->v[j], minus);
            }
        }
    if (opt->number != GFMUL_CONV_MOD)
        for (size_t k = 0; k < count; k++)
            memcpy(z + k * opt->words, wide + k * MAX_WORDS, opt->words * sizeof *z);
    free(wide);
}

/* By one product of GMP: coefficients 2^192 apart, with half of that added against borrows; rings are folded from that. */
static void kronecker(uint64_t *z, const struct sequence *a, const struct sequence *b, const struct gfmul_conv_options *opt)
{
    const struct sequence *s[2] = {a, b};
    const bool residues = opt->number == GFMUL_CONV_MOD, has_no_sign = residues || opt->number == GFMUL_CONV_UINT64;
    mpz_t x[2], t, bias;
    mpz_init(t);
    mpz_init(bias);
    for (unsigned k = 0; k < 2; k++) {
        mpz_init(x[k]);
        for (unsigned minus = 0; minus < 2; minus++) {
            uint64_t *w = test_alloc_zeroed(s[k]->n * MAX_WORDS, sizeof *w);
            for (size_t i = 0; i < s[k]->n; i++)
                if ((!has_no_sign && s[k]->v[i] < 0) == (bool)minus)
                    w[i * MAX_WORDS] = minus ? -(uint64_t)s[k]->v[i] : (uint64_t)s[k]->v[i];
            mpz_import(t, s[k]->n * MAX_WORDS, -1, sizeof *w, 0, 0, w);
            if (minus)
                mpz_sub(x[k], x[k], t);
            else
                mpz_set(x[k], t);
            free(w);
        }
    }
    mpz_mul(t, x[0], x[1]);
    const size_t count = a->n + b->n - 1, places = count_of(opt->kind, a->n, b->n), words = residues ? 1 : opt->words;
    size_t got;
    uint64_t *w = test_alloc_zeroed((count + 1) * MAX_WORDS, sizeof *w);
    for (size_t k = 0; k < count; k++)
        w[k * MAX_WORDS + MAX_WORDS - 1] = UINT64_C(1) << 63;
    mpz_import(bias, count * MAX_WORDS, -1, sizeof *w, 0, 0, w);
    mpz_add(t, t, bias);
    memset(w, 0, count * MAX_WORDS * sizeof *w);
    mpz_export(w, &got, -1, sizeof *w, 0, 0, t);
    for (size_t k = 0; k < count; k++) {
        uint64_t *value = w + k * MAX_WORDS, r = 0;
        value[MAX_WORDS - 1] ^= UINT64_C(1) << 63;
        const bool folded = k >= places, minus = folded && opt->kind == GFMUL_CONV_NEGACYCLIC;
        for (unsigned i = MAX_WORDS; residues && i-- > 0;)
            r = (uint64_t)(((unsigned __int128)r << 64 | value[i]) % opt->modulus);
        if (folded && residues)
            z[k - places] = (uint64_t)(((unsigned __int128)z[k - places] + (minus ? opt->modulus - r : r)) % opt->modulus);
        else if (residues)
            z[k] = r;
        else if (folded)
            sum_add(w + (k - places) * MAX_WORDS, value, minus);
    }
    for (size_t k = 0; k < places && !residues; k++)
        memcpy(z + k * words, w + k * MAX_WORDS, words * sizeof *z);
    free(w);
    mpz_clears(x[0], x[1], t, bias, NULL);
}

static struct gfmul_conv_options options(enum gfmul_conv_kind kind, enum gfmul_conv_number number, unsigned words)
{
    struct gfmul_conv_options opt;
    gfmul_conv_options_init(&opt);
    opt.kind = kind;
    opt.number = number;
    opt.words = words;
    opt.threads = 1 + (unsigned)test_below(2);
    if (number == GFMUL_CONV_MOD) {
        static const uint64_t moduli[] = {2,
                                          3,
                                          1000003,
                                          UINT64_C(0xffffffff),
                                          UINT64_C(1) << 32,
                                          UINT64_C(998244353),
                                          UINT64_C(1) << 63,
                                          (UINT64_C(1) << 61) - 1,
                                          UINT64_MAX,
                                          UINT64_MAX - 58};
        opt.modulus = moduli[test_below(sizeof moduli / sizeof *moduli)];
    }
    return opt;
}

static bool check_integers(size_t an, size_t bn, const struct gfmul_conv_options *opt, enum fill a_fill, enum fill b_fill,
                           bool by_gmp)
{
    struct sequence a, b;
    unsigned words = opt->number == GFMUL_CONV_MOD ? 1 : opt->words;
    size_t count = count_of(opt->kind, an, bn);
    uint64_t *z = test_alloc_zeroed(count * words, sizeof *z), *ref = test_alloc_zeroed(count * words, sizeof *ref);
    struct gfmul_conv *kernel;
    test_note("an=%zu bn=%zu kind=%d number=%d words=%u modulus=%" PRIu64 " fills %d %d", an, bn, opt->kind, opt->number, words,
              opt->modulus, a_fill, b_fill);
    sequence_create(&a, an, opt, a_fill);
    sequence_create(&b, bn, opt, b_fill);
    if (by_gmp)
        kronecker(ref, &a, &b, opt);
    else
        schoolbook(ref, &a, &b, opt);
    memset(z, 0xa5, count * words * sizeof *z);
    bool ok = TEST_OK(gfmul_convolve(z, a.numbers, an, b.numbers, bn, opt)) && test_equal_limbs(z, ref, count * words);
    memset(z, 0xa5, count * words * sizeof *z);
    if (ok && TEST_OK(gfmul_conv_create(&kernel, b.numbers, bn, opt->kind == GFMUL_CONV_LINEAR ? 1 + an / 2 : bn, opt))) {
        ok = TEST_OK(gfmul_conv_run(kernel, z, a.numbers, an)) && test_equal_limbs(z, ref, count * words);
        TEST_CHECK(kernel->primes != NULL || (kernel->bound > 0 && kernel->bound < 0.5));
        gfmul_conv_destroy(kernel);
    }
    sequence_destroy(&a);
    sequence_destroy(&b);
    free(z);
    free(ref);
    return ok;
}

static const enum gfmul_conv_number integer_numbers[] = {GFMUL_CONV_INT32, GFMUL_CONV_INT64, GFMUL_CONV_MOD, GFMUL_CONV_UINT64};

static void test_integers(void) /* all kinds and types, short ones, extremes against extremes */
{
    for (unsigned number = 0; number < 4; number++)
        for (unsigned kind = 0; kind < 3; kind++)
            for (unsigned fills = 0; fills < N_FILLS * N_FILLS; fills++)
                for (unsigned words = 1; words <= 3; words++) {
                    struct gfmul_conv_options opt = options((enum gfmul_conv_kind)kind, integer_numbers[number], words);
                    size_t an = test_size(1, 300), bn = kind == GFMUL_CONV_LINEAR ? test_size(1, 300) : an;
                    if (!check_integers(an, bn, &opt, (enum fill)(fills / N_FILLS), (enum fill)(fills % N_FILLS), false))
                        return;
                }
}

/* Long ones: of each kind and type in turn, linear ones also much longer than the kernel is, which are cut (overlap-add). */
static void test_kronecker(void)
{
    const size_t most = test_longest_tier() ? 1000000 : 60000;
    for (unsigned i = 0; i < (test_longest_tier() ? 96 : 48); i++) {
        static const enum gfmul_conv_kind kinds[] = {GFMUL_CONV_LINEAR, GFMUL_CONV_CYCLIC, GFMUL_CONV_LINEAR,
                                                     GFMUL_CONV_NEGACYCLIC};
        const enum gfmul_conv_kind kind = kinds[i % 4];
        struct gfmul_conv_options opt = options(kind, integer_numbers[i / 4 % 4], 1 + (unsigned)(i / 16 + 2) % 3);
        const size_t an = i % 4 == 2 ? test_size(20000, most) : test_size(1000, most);
        const size_t bn = kind != GFMUL_CONV_LINEAR ? an : i % 4 == 2 ? test_size(1, 500) : test_size(1000, most);
        if (!check_integers(an, bn, &opt, (enum fill)test_below(5), (enum fill)test_below(5), true))
            return;
    }
}

/* The bound grows with everything that it should grow with, and the pieces are as wide as it allows. */
static void test_bound(void)
{
    int32_t one[1] = {INT32_MIN};
    for (unsigned k = 0; k < 20; k++) {
        struct gfmul_conv_options opt = options(GFMUL_CONV_LINEAR, GFMUL_CONV_INT32, 3);
        size_t n = (size_t)1 << k;
        int32_t *b = test_alloc_zeroed(n, sizeof *b);
        struct gfmul_conv *conv;
        for (size_t i = 0; i < n; i++)
            b[i] = INT32_MIN;
        if (TEST_OK(gfmul_conv_create(&conv, b, n, n, &opt))) {
            struct plan_shape shape = conv->plan->shape;
            test_note("n=%zu bits=%u", n, conv->bits);
            TEST_CHECK(conv->bits * conv->a_pieces >= 32 && conv->bits * (conv->a_pieces - 1) < 32);
            TEST_CHECK(conv->bound >= conv_int_bound(&shape, conv->bits, conv->a_pieces, conv->b_pieces, n, n));
            /* one product alone, and P times as many with P - 1 more roundings each */
            double single = conv_int_bound(&shape, conv->bits, 1, 1, n, n);
            unsigned p = conv->a_pieces < conv->b_pieces ? conv->a_pieces : conv->b_pieces;
            TEST_CHECK(conv->bound >= p * single * (1 + (p - 1) / shape.bound.k) * (1 - 0x1p-40));
            unsigned wider = conv->bits + 1, more = (32 + wider - 1) / wider;
            if (conv->bits < 30)
                TEST_CHECK(conv_int_bound(&shape, wider, more, more, conv->block, n) >= 0.5);
            uint64_t z[3];
            uint64_t *all = test_alloc_zeroed(3 * n, sizeof *all);
            TEST_OK(gfmul_conv_run(conv, all, one, 1));
            memcpy(z, all, sizeof z);
            TEST_CHECK(z[0] == UINT64_C(1) << 62 && z[1] == 0 && z[2] == 0); /* (-2^31)^2 */
            conv->bound = -1; /* an error above the bound, which is proved never to be, is not passed over */
            TEST_CHECK(gfmul_conv_run(conv, all, one, 1) == GFMUL_ERR_INTERNAL);
            free(all);
            gfmul_conv_destroy(conv);
        }
        free(b);
    }
}

static const enum gfmul_conv_number float_numbers[] = {GFMUL_CONV_REAL, GFMUL_CONV_COMPLEX, GFMUL_CONV_REAL_FLOAT,
                                                       GFMUL_CONV_COMPLEX_FLOAT};

/* floats_create - numbers, as they are and in long double; their squares are added to *squares. */
static void *floats_create(size_t n, bool is_float, long double **exact, long double *squares)
{
    double *p = test_alloc_zeroed(n, sizeof *p);
    *exact = test_alloc_zeroed(n, sizeof **exact);
    *squares = 0;
    for (size_t k = 0; k < n; k++) {
        const double v = ldexp((double)(int64_t)test_u64(), -63);
        if (is_float)
            ((float *)p)[k] = (float)v;
        else
            p[k] = v;
        (*exact)[k] = is_float ? (float)v : v;
        *squares += (*exact)[k] * (*exact)[k];
    }
    return p;
}

/* floats_error - the largest difference. */
static double floats_error(const void *z, bool is_float, const long double *ref, size_t n)
{
    double worst = 0;
    for (size_t k = 0; k < n; k++) {
        const double e = fabs((double)((is_float ? ((const float *)z)[k] : ((const double *)z)[k]) - ref[k]));
        worst = e > worst || isnan(e) ? e : worst;
    }
    return worst;
}

/* floats_schoolbook - the definition; ref is zero before. */
static void floats_schoolbook(long double *ref, const long double *x, size_t an, const long double *y, size_t bn,
                              const struct gfmul_conv_options *opt)
{
    const size_t count = count_of(opt->kind, an, bn);
    const bool complex = opt->number == GFMUL_CONV_COMPLEX || opt->number == GFMUL_CONV_COMPLEX_FLOAT;
    for (size_t j = 0; j < an; j++)
        for (size_t k = 0; k < bn; k++) {
            size_t to = j + k;
            const long double sign = to >= count && opt->kind == GFMUL_CONV_NEGACYCLIC ? -1 : 1;
            to -= to >= count ? count : 0;
            if (complex) {
                ref[2 * to] += sign * (x[2 * j] * y[2 * k] - x[2 * j + 1] * y[2 * k + 1]);
                ref[2 * to + 1] += sign * (x[2 * j] * y[2 * k + 1] + x[2 * j + 1] * y[2 * k]);
            } else {
                ref[to] += sign * x[j] * y[k];
            }
        }
}

/* Real and complex ones, double and float, against sums in long double. */
static void test_floats(void)
{
    unsigned forms[4] = {0};
    for (unsigned i = 0; i < (test_longest_tier() ? 4000 : 600); i++) {
        const bool complex = i & 1, is_float = i & 2;
        enum gfmul_conv_kind kind = (enum gfmul_conv_kind)(i / 4 % 3);
        struct gfmul_conv_options opt = options(kind, float_numbers[i % 4], 2);
        size_t an = i % 13 == 0 ? test_size(4000, 20000) : test_size(1, 600);
        size_t bn = kind != GFMUL_CONV_LINEAR ? (an = an % 600 + 1) : test_size(1, 300), count = count_of(kind, an, bn);
        unsigned w = complex ? 2 : 1;
        long double *x, *y, *ref = test_alloc_zeroed(count * w, sizeof *ref), sa, sb;
        void *a = floats_create(an * w, is_float, &x, &sa), *b = floats_create(bn * w, is_float, &y, &sb);
        void *z = test_alloc_zeroed(count * w, sizeof(double));
        test_note("an=%zu bn=%zu kind=%d width=%u %s", an, bn, kind, w, is_float ? "float" : "double");
        floats_schoolbook(ref, x, an, y, bn, &opt);
        const double eps = is_float ? FLT_EPSILON : DBL_EPSILON;
        double unit = eps * log2(4 * (double)(an + bn)) * (double)sqrtl(sa * sb), worst;
        if (TEST_OK(gfmul_convolve(z, a, an, b, bn, &opt))) {
            worst = floats_error(z, is_float, ref, count * w);
            TEST_CHECK_MSG(worst <= unit, "error %.3g units", worst / unit);
        }
        struct gfmul_conv *kernel;
        if (TEST_OK(gfmul_conv_create(&kernel, b, bn, kind == GFMUL_CONV_LINEAR ? 1 + an / 3 : bn, &opt))) {
            forms[kernel->form]++;
            TEST_OK(gfmul_conv_run(kernel, z, a, an));
            worst = floats_error(z, is_float, ref, count * w);
            TEST_CHECK_MSG(worst <= unit, "fixed kernel: error %.3g units", worst / unit);
            gfmul_conv_destroy(kernel);
        }
        free(a);
        free(b);
        free(x);
        free(y);
        free(z);
        free(ref);
    }
    for (unsigned form = CONV_REAL; form <= CONV_ANGLE; form++)
        TEST_CHECK_MSG(forms[form] > 0, "form %u was not met", form);
}

/* backwards_apart - has backward a plan of its own, with n1 and n2 exchanged? */
static bool backwards_apart(size_t n, const struct gfmul_conv_options *opt)
{
    double *b = test_alloc_zeroed(2 * n, sizeof *b);
    struct gfmul_conv *kernel;
    bool apart = false;
    if (TEST_OK(gfmul_conv_create(&kernel, b, n, n, opt)))
        apart = kernel->fft->complex->permuted && kernel->fft->complex->back != NULL;
    gfmul_conv_destroy(kernel);
    free(b);
    return apart;
}

/*
 * Spectra in the permuted order: long ones, and rings whose n = n1 n2 is no square, against the product with a kernel of three
 * numbers.
 */
static void test_long_floats(void)
{
    static const size_t rings[] = {17280, 61440, 34560};
    unsigned apart = 0;
    for (unsigned i = 0; i < 12; i++)
        for (unsigned kind = i < 4 ? 0 : 1; kind < 3; kind++) {
            const bool complex = i & 1, is_float = i & 2;
            struct gfmul_conv_options opt = options((enum gfmul_conv_kind)kind, float_numbers[i % 4], 2);
            const size_t n = kind == GFMUL_CONV_LINEAR ? test_size(30000, 100000) : rings[i / 4],
                         count = count_of(opt.kind, n, n);
            const unsigned w = complex ? 2 : 1;
            const size_t at[3] = {0, test_below(n), n - 1};
            long double *x, *ref = test_alloc_zeroed(count * w, sizeof *ref), sa;
            void *a = floats_create(n * w, is_float, &x, &sa), *b = test_alloc_zeroed(n * w, sizeof(double)),
                 *z = test_alloc_zeroed(count * w, sizeof(double));
            test_note("n=%zu kind=%u width=%u %s", n, kind, w, is_float ? "float" : "double");
            for (unsigned t = 0; t < 3; t++) {
                const double v = (double)t - 1.25;
                if (is_float)
                    ((float *)b)[at[t] * w] = (float)v;
                else
                    ((double *)b)[at[t] * w] = v;
            }
            for (unsigned t = 0; t < 3; t++) {
                const long double v =
                    is_float ? ((const float *)b)[at[t] * w] : ((const double *)b)[at[t] * w]; /* one place may be two of them */
                for (size_t j = 0; j < n && (t == 0 || at[t] != at[t - 1]); j++) {
                    const size_t to = j + at[t], place = to >= count ? to - count : to;
                    for (unsigned part = 0; part < w; part++)
                        ref[place * w + part] += (to >= count && kind == GFMUL_CONV_NEGACYCLIC ? -v : v) * x[j * w + part];
                }
            }
            const double eps = is_float ? FLT_EPSILON : DBL_EPSILON;
            const double unit = eps * log2(8 * (double)n) * 2 * (double)sqrtl(sa);
            apart += complex && backwards_apart(n, &opt);
            if (TEST_OK(gfmul_convolve(z, a, n, b, n, &opt))) {
                const double worst = floats_error(z, is_float, ref, count * w);
                TEST_CHECK_MSG(worst <= unit, "error %.3g units", worst / unit);
            }
            free(a);
            free(b);
            free(x);
            free(z);
            free(ref);
        }
    TEST_CHECK_MSG(apart >= 12, "%u of 12 rings", apart); /* linear ones may have a square */
}

/* Constants as large as they may be, equal ones or one sequence as large as it may be: nothing overflows on the way. */
static void test_large_floats(void)
{
    enum { N = 61440 };
    for (unsigned i = 0; i < 8; i++)
        for (unsigned kind = 0; kind < 3; kind++) {
            const bool complex = i & 1, is_float = i & 2;
            const int tilt = i < 4 ? 0 : is_float ? 38 : 443; /* a is 2^tilt v, b is 2^-tilt v */
            const struct gfmul_conv_options opt = options((enum gfmul_conv_kind)kind, float_numbers[i % 4], 2);
            const size_t count = count_of(opt.kind, N, N);
            const unsigned w = complex ? 2 : 1;
            const double v = ldexp(1, is_float ? 36 : 441), unit = (is_float ? FLT_EPSILON : DBL_EPSILON) * log2(8.0 * N) * 2 * N;
            void *a = test_alloc_zeroed(N * w, sizeof(double)), *b = test_alloc_zeroed(N * w, sizeof(double)),
                 *z = test_alloc_zeroed(count * w, sizeof(double));
            long double *ref = test_alloc_zeroed(count * w, sizeof *ref);
            test_note("kind=%u width=%u %s, tilt %d", kind, w, is_float ? "float" : "double", tilt);
            for (size_t j = 0; j < N; j++)
                if (is_float) {
                    ((float *)a)[j * w] = (float)ldexp(v, tilt);
                    ((float *)b)[j * w] = (float)ldexp(v, -tilt);
                } else {
                    ((double *)a)[j * w] = ldexp(v, tilt);
                    ((double *)b)[j * w] = ldexp(v, -tilt);
                }
            for (size_t k = 0; k < count; k++) {
                const size_t over = k < N ? k + 1 : 2 * (size_t)N - 1 - k; /* terms of the linear one */
                const long double terms = kind == GFMUL_CONV_LINEAR   ? (long double)over
                                          : kind == GFMUL_CONV_CYCLIC ? N
                                                                      : 2 * (long double)over - N;
                ref[k * w] = terms * v * v;
            }
            if (TEST_OK(gfmul_convolve(z, a, N, b, N, &opt))) {
                const double worst = floats_error(z, is_float, ref, count * w) / v / v;
                TEST_CHECK_MSG(worst <= unit, "error %.3g units", worst / unit);
            }
            free(ref);
            free(z);
            free(a);
            free(b);
        }
}

/* tiny_create - numbers of up to 2^log2, many of them subnormal; *squares and *sizes: sums of squares and of sizes. */
static void *tiny_create(size_t n, bool is_float, int log2, long double **exact, long double *squares, long double *sizes)
{
    void *p = floats_create(n, is_float, exact, squares);
    *squares = 0;
    for (size_t k = 0; k < n; k++) {
        const double v = ldexp((double)(*exact)[k], log2); /* rounded to a number that there is */
        if (is_float)
            ((float *)p)[k] = (float)v;
        else
            ((double *)p)[k] = v;
        (*exact)[k] = is_float ? (float)v : v;
        *squares += (*exact)[k] * (*exact)[k];
        *sizes += fabsl((*exact)[k]);
    }
    return p;
}

/* Products near the least number, and of a large sequence with a subnormal one: the error is within gfmul_fft.h's bound. */
static void test_tiny_floats(void)
{
    unsigned underflows = 0;
    for (unsigned i = 0; i < (test_longest_tier() ? 4000 : 600); i++) {
        const bool complex = i & 1, is_float = i & 2, tiny_product = i % 5 < 3;
        const enum gfmul_conv_kind kind = (enum gfmul_conv_kind)(i / 4 % 3);
        const struct gfmul_conv_options opt = options(kind, float_numbers[i % 4], 2);
        const int least = is_float ? -149 : -1074;
        const int a_log2 = tiny_product ? -(int)test_below((uint64_t)-least) : (int)test_below(is_float ? 80 : 800);
        const int b_log2 = least + (int)test_below(30) - (tiny_product ? a_log2 : 0);
        const size_t an = test_size(1, i % 13 == 0 ? 4000 : 600), bn = kind == GFMUL_CONV_LINEAR ? test_size(1, 300) : an;
        const size_t count = count_of(kind, an, bn), w = complex ? 2 : 1;
        long double *x, *y, *ref = test_alloc_zeroed(count * w, sizeof *ref), sa, sb, sizes = 0;
        void *a = tiny_create(an * w, is_float, a_log2, &x, &sa, &sizes);
        void *b = tiny_create(bn * w, is_float, b_log2, &y, &sb, &sizes);
        void *z = test_alloc_zeroed(count * w, sizeof(double));
        test_note("an=%zu bn=%zu kind=%d number=%d, up to 2^%d and 2^%d", an, bn, kind, opt.number, a_log2, b_log2);
        floats_schoolbook(ref, x, an, y, bn, &opt);
        const long double n = (long double)(an + bn), t = ldexpl(1, least), eps = is_float ? FLT_EPSILON : DBL_EPSILON;
        const long double relative = eps * log2l(4 * n) * sqrtl(sa * sb), added = 16 * n * (1 + sizes) * t;
        if (TEST_OK(gfmul_convolve(z, a, an, b, bn, &opt))) {
            const double worst = floats_error(z, is_float, ref, count * w);
            TEST_CHECK_MSG(worst <= relative + added, "error %.3Lg of the bound", worst / (relative + added));
            underflows += worst > relative;
        }
        free(a);
        free(b);
        free(x);
        free(y);
        free(z);
        free(ref);
    }
    TEST_CHECK_MSG(underflows > 100, "underflow was seen in %u runs", underflows);
}

/* One kernel, run by several threads at once: each gets what it would get alone. */
enum { CALLERS = 4 };
struct caller {
    const struct gfmul_conv *kernel;
    const void *a;
    size_t an, bytes;
    void *want, *z;
    unsigned wrong;
    pthread_t thread;
};

static void *caller_run(void *arg)
{
    struct caller *c = arg;
    for (unsigned i = 0; i < 6; i++) {
        memset(c->z, 0x5a, c->bytes);
        c->wrong += gfmul_conv_run(c->kernel, c->z, c->a, c->an) != GFMUL_OK || memcmp(c->z, c->want, c->bytes) != 0;
    }
    return NULL;
}

static void callers_check(const struct gfmul_conv_options *opt, size_t an, size_t bn)
{
    struct sequence b, a[CALLERS];
    struct caller callers[CALLERS];
    struct gfmul_conv *kernel;
    const bool integers = opt->number >= GFMUL_CONV_INT32 && opt->number <= GFMUL_CONV_MOD;
    const bool is_float = opt->number >= GFMUL_CONV_REAL_FLOAT;
    const size_t width = opt->number == GFMUL_CONV_COMPLEX || opt->number == GFMUL_CONV_COMPLEX_FLOAT ? 2 : 1;
    test_note("an=%zu bn=%zu kind=%d number=%d words=%u modulus=%" PRIu64, an, bn, opt->kind, opt->number, opt->words,
              opt->modulus);
    for (unsigned i = 0; i <= CALLERS; i++) {
        struct sequence *s = i < CALLERS ? &a[i] : &b;
        const size_t n = i < CALLERS ? an : bn;
        long double *exact, squares;
        if (integers) {
            sequence_create(s, n, opt, FILL_RANDOM);
        } else {
            *s = (struct sequence){.n = n, .numbers = floats_create(n * width, is_float, &exact, &squares)};
            free(exact);
        }
    }
    if (!TEST_OK(gfmul_conv_create(&kernel, b.numbers, bn, an, opt)))
        exit(1);
    for (unsigned i = 0; i < CALLERS; i++) {
        struct caller *c = &callers[i];
        const size_t bytes = count_of(opt->kind, an, bn) * conv_result_bytes(opt);
        *c = (struct caller){.kernel = kernel, .a = a[i].numbers, .an = an, .bytes = bytes};
        c->want = test_alloc(bytes);
        c->z = test_alloc(bytes);
        TEST_OK(gfmul_conv_run(kernel, c->want, c->a, an)); /* the other tests compare it with the definition */
    }
    for (unsigned i = 0; i < CALLERS; i++)
        if (pthread_create(&callers[i].thread, NULL, caller_run, &callers[i]) != 0)
            exit(1);
    for (unsigned i = 0; i < CALLERS; i++) {
        pthread_join(callers[i].thread, NULL);
        TEST_CHECK_MSG(callers[i].wrong == 0, "%u runs differ", callers[i].wrong);
        free(callers[i].want);
        free(callers[i].z);
        sequence_destroy(&a[i]);
    }
    sequence_destroy(&b);
    gfmul_conv_destroy(kernel);
}

static void test_callers(void)
{
    for (unsigned number = 0; number <= GFMUL_CONV_COMPLEX_FLOAT; number++)
        for (unsigned kind = 0; kind < 3; kind++) {
            const struct gfmul_conv_options opt =
                options((enum gfmul_conv_kind)kind, (enum gfmul_conv_number)number, 1 + (unsigned)test_below(3));
            const size_t n = test_size(300, kind == 1 ? 20000 : 3000); /* some with threads of their own */
            kind == GFMUL_CONV_LINEAR ? callers_check(&opt, 9000, test_size(1, 1000)) : callers_check(&opt, n, n);
        }
}

static void test_errors(void)
{
    struct gfmul_conv_options opt = options(GFMUL_CONV_LINEAR, GFMUL_CONV_INT64, 2);
    int64_t a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint64_t z[64];
    struct gfmul_conv *conv;
    TEST_CHECK(gfmul_convolve(NULL, a, 4, a, 4, &opt) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_convolve(z, NULL, 4, a, 4, &opt) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_convolve(z, a, 0, a, 4, &opt) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_convolve(z, a, SIZE_MAX / 8, a, 4, &opt) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_convolve(a, a, 4, z, 4, &opt) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_convolve(a, z, 4, a, 3, &opt) == GFMUL_ERR_OVERLAP &&
               gfmul_convolve(a, z, 3, a, 4, &opt) == GFMUL_ERR_OVERLAP);
    TEST_CHECK(gfmul_convolve((char *)z + 4, a, 4, a, 4, &opt) == GFMUL_ERR_ARGUMENT);
    TEST_OK(gfmul_convolve(z, a, 8, a, 8, &opt)); /* a square */
    TEST_CHECK(z[0] == 1 && z[2] == 4 && z[28] == 64 && z[29] == 0);
    if (TEST_OK(gfmul_conv_create(&conv, a, 8, 8, &opt))) {
        TEST_CHECK(gfmul_conv_run(conv, z, z + 8, 8) == GFMUL_ERR_OVERLAP);
        TEST_CHECK(gfmul_conv_run(conv, z, a, SIZE_MAX / 64) == GFMUL_ERR_SIZE);
        TEST_OK(gfmul_conv_run(conv, z, a, 8));
        TEST_CHECK(z[0] == 1 && z[2] == 4 && z[28] == 64 && z[29] == 0);
    }
    gfmul_conv_destroy(conv);
    opt.words = 4;
    TEST_CHECK(gfmul_convolve(z, a, 4, a, 4, &opt) == GFMUL_ERR_ARGUMENT);
    opt.words = 0;
    TEST_CHECK(gfmul_convolve(z, a, 4, a, 4, &opt) == GFMUL_ERR_ARGUMENT);
    opt.number = GFMUL_CONV_REAL; /* has no words */
    const double ones[4] = {1, 1, 1, 1};
    double sums[7];
    if (TEST_OK(gfmul_convolve(sums, ones, 4, ones, 4, &opt)))
        TEST_CHECK(fabs(sums[3] - 4) < 1e-14 && fabs(sums[6] - 1) < 1e-14);
    opt.number = GFMUL_CONV_INT64;
    opt.words = 2;
    opt.kind = GFMUL_CONV_CYCLIC;
    TEST_CHECK(gfmul_convolve(z, a, 4, a, 3, &opt) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_conv_create(&conv, a, 4, 5, &opt) == GFMUL_ERR_ARGUMENT && conv == NULL);
    TEST_CHECK(gfmul_conv_create(&conv, a, 0, 0, &opt) == GFMUL_ERR_ARGUMENT);
    opt.kind = (enum gfmul_conv_kind)9;
    TEST_CHECK(gfmul_convolve(z, a, 4, a, 4, &opt) == GFMUL_ERR_ARGUMENT);
    opt.kind = GFMUL_CONV_LINEAR;
    opt.number = GFMUL_CONV_MOD;
    opt.modulus = 1;
    TEST_CHECK(gfmul_convolve(z, a, 4, a, 4, &opt) == GFMUL_ERR_ARGUMENT);
    opt.modulus = 8;
    TEST_CHECK(gfmul_convolve(z, a, 8, a, 8, &opt) == GFMUL_ERR_ARGUMENT); /* an 8 is not below 8 */
    if (TEST_OK(gfmul_conv_create(&conv, a, 7, 7, &opt)))
        TEST_CHECK(gfmul_conv_run(conv, z, a, 8) == GFMUL_ERR_ARGUMENT);
    gfmul_conv_destroy(conv);
    gfmul_conv_destroy(NULL);
    for (unsigned number = 0; number <= GFMUL_CONV_COMPLEX_FLOAT; number++)
        for (long i = 0; i < 8; i++) { /* every allocation may fail */
            double x[4] = {0}, y[16];
            opt = options(GFMUL_CONV_LINEAR, (enum gfmul_conv_number)number, 2);
            alloc_fail_after(i);
            enum gfmul_status status = gfmul_convolve(y, x, 2, x, 2, &opt);
            alloc_fail_after(-1);
            TEST_CHECK(status == GFMUL_ERR_MEMORY || (status == GFMUL_OK && i > 0));
        }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_integers);
    TEST_RUN(test_kronecker);
    TEST_RUN(test_bound);
    TEST_RUN(test_floats);
    TEST_RUN(test_long_floats);
    TEST_RUN(test_large_floats);
    TEST_RUN(test_tiny_floats);
    TEST_RUN(test_callers);
    TEST_RUN(test_errors);
    return test_end();
}
