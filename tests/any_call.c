/*
 * any_call.c - one call of the library, of any kind, compared with GMP's result or with the definition's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "any_call.h"
#include "gfmul_arith.h"
#include "gfmul_fft.h"
#include "operands.h"
#include "reference.h"

enum { CERTIFICATE_BYTES = 1 << 14, NUMBERS = 200, POINTS = 700 };

void *(*any_take)(size_t bytes) = malloc;
void (*any_give)(void *p) = free;

const char *any_kind_name(enum any_kind kind)
{
    static const char *const names[ANY_KINDS] = {"mul",  "sqr",   "mpz",  "text",        "operand", "job",      "quotient",
                                                 "root", "power", "tree", "radix",       "space",   "convolve", "conv",
                                                 "fft",  "ntt",   "plan", "certificate", "trim"};
    return names[kind];
}

uint64_t any_next(struct any_caller *c)
{
    uint64_t z = c->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

size_t any_below(struct any_caller *c, size_t n)
{
    return (size_t)(((unsigned __int128)any_next(c) * n) >> 64);
}

/* any_size - 1 .. most, with a logarithm that is about uniform. */
static size_t any_size(struct any_caller *c, size_t most)
{
    unsigned bits = 0;
    while (most >> bits > 1)
        bits++;
    const size_t least = (size_t)1 << any_below(c, bits + 1);
    return least + any_below(c, least < most - least ? least : most - least + 1);
}

void any_options(struct any_caller *c, struct gfmul_options *opt)
{
    static const enum gfmul_precision precisions[] = {GFMUL_PRECISION_AUTO, GFMUL_PRECISION_DOUBLE, GFMUL_PRECISION_DD,
                                                      GFMUL_PRECISION_PRIME};
    gfmul_options_init(opt);
    opt->device = "cpu";
    opt->threads = 1 + (unsigned)any_below(c, 2);
    opt->engine = any_below(c, 3) == 0 ? GFMUL_ENGINE_AUTO : GFMUL_ENGINE_CPU;
    opt->precision = precisions[any_below(c, 4)];
    opt->verify = (enum gfmul_verify)any_below(c, 3);
    opt->certify = any_below(c, 4) == 0;
    if (opt->precision == GFMUL_PRECISION_AUTO || opt->precision == GFMUL_PRECISION_DOUBLE) {
        opt->packing = (enum gfmul_packing)any_below(c, 4);
        opt->rule = any_below(c, 3) == 0 ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM;
    }
    if (any_below(c, 6) == 0 && gfmul_has_engine(GFMUL_ENGINE_FFTW)) {
        opt->engine = GFMUL_ENGINE_FFTW;
        opt->precision = GFMUL_PRECISION_AUTO;
        opt->packing = GFMUL_PACKING_AUTO;
    }
}

/* Two operands and their product; b may be a. */
struct numbers {
    mp_limb_t *a, *b, *want, *z;
    size_t an, bn;
};

static void numbers_take(struct any_caller *c, struct numbers *n, bool square)
{
    n->an = any_size(c, c->most_limbs);
    n->bn = square ? n->an : any_below(c, 3) == 0 ? any_size(c, c->most_limbs) : n->an - any_below(c, n->an / 8 + 1);
    n->a = any_take(n->an * sizeof *n->a);
    n->b = square ? n->a : any_take(n->bn * sizeof *n->b);
    operand_fill(n->a, n->an, any_below(c, 2) ? OPERAND_RANDOM : (enum operand_kind)any_below(c, OPERAND_KINDS),
                 1 + (unsigned)any_below(c, 20), any_next(c));
    if (!square)
        operand_fill(n->b, n->bn, any_below(c, 2) ? OPERAND_RANDOM : (enum operand_kind)any_below(c, OPERAND_KINDS),
                     1 + (unsigned)any_below(c, 20), any_next(c));
    n->want = any_take((n->an + n->bn) * sizeof *n->want);
    n->z = any_take((n->an + n->bn) * sizeof *n->z);
    ref_mul_gmp(n->want, n->a, n->an, n->b, n->bn);
    memset(n->z, 0x5a, (n->an + n->bn) * sizeof *n->z);
}

static void numbers_give(struct numbers *n)
{
    any_give(n->z);
    any_give(n->want);
    if (n->b != n->a)
        any_give(n->b);
    any_give(n->a);
}

static bool differs(const struct numbers *n)
{
    return memcmp(n->z, n->want, (n->an + n->bn) * sizeof *n->z) != 0;
}

static const char *call_mul(struct any_caller *c, enum gfmul_status *status)
{
    struct numbers n;
    numbers_take(c, &n, any_below(c, 8) == 0);
    *status = gfmul_mul(c->ctx, n.z, n.a, n.an, n.b, n.bn);
    const char *wrong = *status == GFMUL_OK && differs(&n) ? "a wrong product" : NULL;
    numbers_give(&n);
    return wrong;
}

static const char *call_sqr(struct any_caller *c, enum gfmul_status *status)
{
    struct numbers n;
    numbers_take(c, &n, true);
    *status = gfmul_sqr(c->ctx, n.z, n.a, n.an);
    const char *wrong = *status == GFMUL_OK && differs(&n) ? "a wrong square" : NULL;
    numbers_give(&n);
    return wrong;
}

/* On failure z, which is the first operand, keeps its value. */
static const char *call_mpz(struct any_caller *c, enum gfmul_status *status)
{
    struct numbers n;
    mpz_t x, y, kept, want;
    numbers_take(c, &n, false);
    mpz_inits(x, y, want, NULL);
    mpz_import(x, n.an, -1, sizeof(mp_limb_t), 0, 0, n.a);
    mpz_import(y, n.bn, -1, sizeof(mp_limb_t), 0, 0, n.b);
    if (any_below(c, 2))
        mpz_neg(x, x);
    mpz_init_set(kept, x);
    mpz_mul(want, x, y);
    *status = gfmul_mpz_mul(c->ctx, x, x, y);
    const char *wrong = mpz_cmp(x, *status == GFMUL_OK ? want : kept) != 0 ? "a wrong integer" : NULL;
    mpz_clears(x, y, kept, want, NULL);
    numbers_give(&n);
    return wrong;
}

static const char *call_text(struct any_caller *c, enum gfmul_status *status)
{
    const unsigned base = any_below(c, 2) ? 10 : 2 + (unsigned)any_below(c, 35);
    const unsigned z_base = any_below(c, 4) ? base : 2 + (unsigned)any_below(c, 35);
    const size_t an = any_size(c, 16 * c->most_limbs), bn = any_size(c, an);
    const size_t size = gfmul_str_mul_size(an, (int)base, bn, (int)base, (int)z_base);
    char *a = any_take(an + 1), *b = any_take(bn + 1), *z = any_take(size);
    const char *wrong = NULL;
    size_t len = 0;
    text_fill(a, an, (enum text_kind)any_below(c, TEXT_KINDS), base, 4, any_next(c));
    text_fill(b, bn, (enum text_kind)any_below(c, TEXT_KINDS), base, 4, any_next(c));
    a[an] = b[bn] = '\0';
    if (an > 8 && any_below(c, 2))
        a[1 + any_below(c, an - 2)] = '_'; /* then the digits are copied */
    *status = gfmul_str_mul(c->ctx, z, size, &len, (int)z_base, a, an, (int)base, b, bn, (int)base);
    if (*status == GFMUL_OK) {
        mpz_t x, y;
        mpz_inits(x, y, NULL);
        char *gap = strchr(a, '_');
        if (gap != NULL)
            memmove(gap, gap + 1, strlen(gap));
        mpz_set_str(x, a, (int)base);
        mpz_set_str(y, b, (int)base);
        mpz_mul(x, x, y);
        char *want = any_take(mpz_sizeinbase(x, (int)z_base) + 2);
        mpz_get_str(want, (int)z_base, x);
        if (len != strlen(want) || memcmp(z, want, len + 1) != 0)
            wrong = "a wrong product in text";
        any_give(want);
        mpz_clears(x, y, NULL);
    }
    any_give(z);
    any_give(b);
    any_give(a);
    return wrong;
}

static const char *call_operand(struct any_caller *c, enum gfmul_status *status)
{
    struct numbers n;
    struct gfmul_operand *op;
    numbers_take(c, &n, false);
    *status = gfmul_operand_create(c->ctx, &op, n.b, n.bn, any_below(c, 2) ? n.an : any_size(c, n.an));
    if (*status == GFMUL_OK)
        *status = gfmul_operand_mul(op, n.z, n.a, n.an);
    const char *wrong = *status == GFMUL_OK && differs(&n) ? "a wrong product with a fixed operand" : NULL;
    gfmul_operand_destroy(op);
    numbers_give(&n);
    return wrong;
}

static const char *call_job(struct any_caller *c, enum gfmul_status *status)
{
    struct numbers n;
    struct gfmul_job *job;
    numbers_take(c, &n, false);
    *status = gfmul_mul_async(c->ctx, &job, n.z, n.a, n.an, n.b, n.bn);
    if (*status == GFMUL_OK)
        *status = gfmul_job_wait(job, NULL);
    const char *wrong = *status == GFMUL_OK && differs(&n) ? "a wrong product of a job" : NULL;
    numbers_give(&n);
    return wrong;
}

/* coefficient_check - NULL, or what is wrong with coefficient k of a convolution, which is to be got. */
static const char *coefficient_check(const struct gfmul_conv_options *opt, const uint64_t *a, size_t an, const uint64_t *b,
                                     size_t bn, size_t k, uint64_t got)
{
    double real = 0, got_real;
    uint64_t want = 0;
    for (size_t i = 0; i < an; i++) {
        if (opt->kind == GFMUL_CONV_LINEAR && (i > k || k - i >= bn))
            continue;
        const uint64_t x = a[i], y = b[i <= k ? k - i : k + bn - i];
        const bool minus = i > k && opt->kind == GFMUL_CONV_NEGACYCLIC;
        double u, v;
        memcpy(&u, &x, sizeof u);
        memcpy(&v, &y, sizeof v);
        if (opt->number == GFMUL_CONV_REAL) {
            real += minus ? -u * v : u * v;
        } else if (opt->number == GFMUL_CONV_MOD) {
            const uint64_t one = (uint64_t)((unsigned __int128)x * y % opt->modulus);
            want = (uint64_t)(((unsigned __int128)want + (minus && one != 0 ? opt->modulus - one : one)) % opt->modulus);
        } else {
            want += minus ? -(x * y) : x * y;
        }
    }
    memcpy(&got_real, &got, sizeof got_real);
    if (opt->number == GFMUL_CONV_REAL)
        return fabs(got_real - real) < 0.01 ? NULL : "a wrong convolution of reals";
    return got == want ? NULL : "a wrong convolution of integers";
}

/* A kernel and a sequence of integers, or doubles that are small integers: all results are exact. */
static const char *call_convolution(struct any_caller *c, enum gfmul_status *status, bool kernel)
{
    struct gfmul_conv_options opt;
    gfmul_conv_options_init(&opt);
    opt.number = any_below(c, 2) ? GFMUL_CONV_INT64 : any_below(c, 2) ? GFMUL_CONV_MOD : GFMUL_CONV_REAL;
    opt.kind = (enum gfmul_conv_kind)any_below(c, 3);
    opt.words = 1;
    opt.modulus = any_next(c) | 2;
    opt.threads = c->with_threads ? 1 + (unsigned)any_below(c, 2) : 1;
    const size_t bn = any_size(c, NUMBERS), an = opt.kind == GFMUL_CONV_LINEAR ? any_size(c, NUMBERS) : bn;
    const size_t zn = opt.kind == GFMUL_CONV_LINEAR ? an + bn - 1 : bn;
    uint64_t *a = any_take(an * sizeof *a), *b = any_take(bn * sizeof *b), *z = any_take(zn * sizeof *z);
    for (size_t i = 0; i < an + bn; i++) {
        uint64_t v = any_next(c) % 1000;
        const double real = (double)v;
        if (opt.number == GFMUL_CONV_MOD)
            v = any_next(c) % opt.modulus;
        if (opt.number == GFMUL_CONV_REAL)
            memcpy(&v, &real, sizeof v);
        *(i < an ? &a[i] : &b[i - an]) = v;
    }
    struct gfmul_conv *conv = NULL;
    if (kernel) {
        *status = gfmul_conv_create(&conv, b, bn, an, &opt);
        if (*status == GFMUL_OK)
            *status = gfmul_conv_run(conv, z, a, an);
        gfmul_conv_destroy(conv);
    } else {
        *status = gfmul_convolve(z, a, an, b, bn, &opt);
    }
    const char *wrong = NULL;
    for (size_t k = 0; k < zn && *status == GFMUL_OK && wrong == NULL; k++)
        wrong = coefficient_check(&opt, a, an, b, bn, k, z[k]);
    any_give(z);
    any_give(b);
    any_give(a);
    return wrong;
}

/* A transform there and back, and its mean: X_0 is the sum. */
static const char *call_fft(struct any_caller *c, enum gfmul_status *status)
{
    static const enum gfmul_precision precisions[] = {GFMUL_PRECISION_DOUBLE, GFMUL_PRECISION_DOUBLE, GFMUL_PRECISION_DD};
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    opt.precision = precisions[any_below(c, 3)];
    opt.scale = 1;
    opt.threads = c->with_threads ? 1 + (unsigned)any_below(c, 2) : 1;
    const size_t n = any_size(c, POINTS), parts = opt.precision == GFMUL_PRECISION_DD ? 2 : 1;
    double *x = any_take(2 * n * parts * sizeof *x), *y = any_take(2 * n * parts * sizeof *y), sum = 0;
    for (size_t i = 0; i < 2 * n * parts; i++)
        x[i] = i % parts == 0 ? (double)any_below(c, 1000) : 0;
    for (size_t i = 0; i < n; i++)
        sum += x[2 * i * parts];
    *status = gfmul_fft_create(&plan, n, &opt);
    if (*status == GFMUL_OK)
        *status = gfmul_fft_forward(plan, y, x);
    const char *wrong = *status == GFMUL_OK && !(fabs(y[0] - sum) < 1e-3) ? "a wrong transform" : NULL;
    if (*status == GFMUL_OK)
        *status = gfmul_fft_backward(plan, y, y);
    for (size_t i = 0; i < 2 * n * parts && *status == GFMUL_OK; i += parts)
        if (!(fabs(y[i] - x[i]) < 1e-6))
            wrong = "a wrong transform, there and back";
    gfmul_fft_destroy(plan);
    any_give(y);
    any_give(x);
    return wrong;
}

/* A transform modulo a prime, there and back. */
static const char *call_ntt(struct any_caller *c, enum gfmul_status *status)
{
    static const uint64_t primes[] = {998244353, 4179340454199820289u, 1945555039024054273u, 786433};
    struct gfmul_ntt_options opt;
    struct gfmul_ntt *plan;
    gfmul_ntt_options_init(&opt);
    opt.scale = 1;
    opt.negacyclic = (int)any_below(c, 2);
    opt.threads = c->with_threads ? 1 + (unsigned)any_below(c, 2) : 1;
    const uint64_t p = primes[any_below(c, 4)];
    const size_t n = (size_t)1 << any_below(c, 11);
    uint64_t *x = any_take(n * sizeof *x), *y = any_take(n * sizeof *y), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = (sum + (x[i] = any_next(c) % p)) % p;
    *status = gfmul_ntt_create(&plan, n, p, &opt);
    if (*status == GFMUL_OK)
        *status = gfmul_ntt_forward(plan, y, x);
    const char *wrong = *status == GFMUL_OK && !opt.negacyclic && y[0] != sum ? "a wrong transform modulo a prime" : NULL;
    if (*status == GFMUL_OK)
        *status = gfmul_ntt_backward(plan, y, y);
    if (*status == GFMUL_OK && memcmp(x, y, n * sizeof *x) != 0)
        wrong = "a wrong transform modulo a prime, there and back";
    gfmul_ntt_destroy(plan);
    any_give(y);
    any_give(x);
    return wrong;
}

/* ---- what stands above products (gfmul_arith.h) ---- */

/* integer_take - a random integer of up to `most` limbs, of any sign, not 0. */
static void integer_take(struct any_caller *c, mpz_ptr x, size_t most)
{
    const size_t n = any_size(c, most);
    mpz_init2(x, GMP_NUMB_BITS * n);
    mp_limb_t *limbs = mpz_limbs_write(x, (mp_size_t)n);
    operand_fill(limbs, n, any_below(c, 2) ? OPERAND_RANDOM : (enum operand_kind)any_below(c, OPERAND_KINDS),
                 1 + (unsigned)any_below(c, 20), any_next(c));
    limbs[n - 1] |= 1;
    mpz_limbs_finish(x, any_below(c, 2) ? (mp_size_t)n : -(mp_size_t)n);
}

/* On failure the results, which are the operands, keep their values. */
static const char *call_quotient(struct any_caller *c, enum gfmul_status *status)
{
    struct gfmul_divisor *divisor = NULL;
    mpz_t a, d, q, r, kept_a, kept_d;
    integer_take(c, d, c->most_limbs);
    integer_take(c, a, c->most_limbs);
    mpz_inits(q, r, NULL);
    mpz_init_set(kept_a, a);
    mpz_init_set(kept_d, d);
    if (any_below(c, 2)) {
        mpz_abs(d, d);
        mpz_set(kept_d, d);
        *status = gfmul_divisor_create_mpz(c->ctx, &divisor, d, 1 + any_below(c, c->most_limbs));
        if (*status == GFMUL_OK)
            *status = gfmul_divisor_mpz_tdiv_qr(divisor, a, d, a);
        gfmul_divisor_destroy(divisor);
    } else {
        *status = gfmul_mpz_tdiv_qr(c->ctx, a, d, a, d);
    }
    mpz_tdiv_qr(q, r, kept_a, kept_d);
    const bool made = *status == GFMUL_OK;
    const char *wrong = mpz_cmp(a, made ? q : kept_a) != 0 || mpz_cmp(d, made ? r : kept_d) != 0 ? "a wrong quotient" : NULL;
    mpz_clears(a, d, q, r, kept_a, kept_d, NULL);
    return wrong;
}

static const char *call_root(struct any_caller *c, enum gfmul_status *status)
{
    mpz_t a, r, s, want_r, kept;
    integer_take(c, a, c->most_limbs);
    mpz_abs(a, a);
    mpz_inits(r, s, want_r, NULL);
    mpz_init_set(kept, a);
    *status = gfmul_mpz_sqrtrem(c->ctx, a, r, a);
    mpz_sqrtrem(s, want_r, kept);
    if (*status != GFMUL_OK) {
        mpz_set(s, kept);
        mpz_set_ui(want_r, 0);
    }
    const char *wrong = mpz_cmp(a, s) != 0 || mpz_cmp(r, want_r) != 0 ? "a wrong root" : NULL;
    mpz_clears(a, r, s, want_r, kept, NULL);
    return wrong;
}

static const char *call_power(struct any_caller *c, enum gfmul_status *status)
{
    struct gfmul_modulus *modulus = NULL;
    mpz_t a, e, m, kept, want;
    integer_take(c, a, c->most_limbs / 8 + 1);
    integer_take(c, m, c->most_limbs / 8 + 1);
    integer_take(c, e, 1);
    mpz_abs(e, e);
    mpz_init_set(kept, a);
    mpz_init(want);
    mpz_powm(want, a, e, m);
    if (any_below(c, 2)) {
        *status = gfmul_modulus_create_mpz(c->ctx, &modulus, m);
        if (*status == GFMUL_OK)
            *status = gfmul_modulus_mpz_powm(modulus, a, a, e);
        gfmul_modulus_destroy(modulus);
    } else {
        *status = gfmul_mpz_powm(c->ctx, a, a, e, m);
    }
    const char *wrong = mpz_cmp(a, *status == GFMUL_OK ? want : kept) != 0 ? "a wrong power" : NULL;
    mpz_clears(a, e, m, kept, want, NULL);
    return wrong;
}

/* A tree of moduli, whose remainders or common factors take their place. */
static const char *call_tree(struct any_caller *c, enum gfmul_status *status)
{
    enum { MODULI = 7 };
    struct gfmul_tree *tree = NULL;
    mpz_t m[MODULI], kept[MODULI], all, others, want;
    const size_t n = 1 + any_below(c, MODULI);
    const bool factors = any_below(c, 2);
    const char *wrong = NULL;
    mpz_inits(others, want, NULL);
    integer_take(c, all, c->most_limbs);
    if (factors)
        mpz_set_ui(all, 1);
    for (size_t i = 0; i < n; i++) {
        integer_take(c, m[i], c->most_limbs / MODULI + 1);
        mpz_init_set(kept[i], m[i]);
        if (factors)
            mpz_mul(all, all, m[i]);
    }
    if (factors) {
        *status = gfmul_batch_gcd(c->ctx, m[0], m[0], n);
    } else {
        *status = gfmul_product_tree(c->ctx, &tree, m[0], n);
        if (*status == GFMUL_OK)
            *status = gfmul_remainder_tree(tree, m[0], all);
        gfmul_tree_destroy(tree);
    }
    for (size_t i = 0; i < n; i++) {
        if (*status != GFMUL_OK) {
            mpz_set(want, kept[i]);
        } else if (factors) {
            mpz_divexact(others, all, kept[i]);
            mpz_gcd(want, others, kept[i]);
        } else {
            mpz_mod(want, all, kept[i]);
        }
        if (mpz_cmp(m[i], want) != 0)
            wrong = factors ? "a wrong common factor" : "a wrong remainder of a tree";
        mpz_clears(m[i], kept[i], NULL);
    }
    mpz_clears(all, others, want, NULL);
    return wrong;
}

/* A number to text and back. */
static const char *call_radix(struct any_caller *c, enum gfmul_status *status)
{
    const int base = any_below(c, 2) ? 10 : 2 + (int)any_below(c, 35);
    mpz_t a, back;
    integer_take(c, a, c->most_limbs);
    mpz_init(back);
    const size_t size = gfmul_get_str_size(mpz_size(a), base);
    char *z = any_take(size), *want = any_take(mpz_sizeinbase(a, base) + 2);
    const char *wrong = NULL;
    size_t len = 0;
    mpz_get_str(want, base, a);
    *status = gfmul_mpz_get_str(c->ctx, z, size, &len, base, a);
    if (*status == GFMUL_OK && (len != strlen(want) || memcmp(z, want, len + 1) != 0))
        wrong = "a wrong text of a number";
    if (*status == GFMUL_OK)
        *status = gfmul_mpz_set_str(c->ctx, back, z, len, base);
    if (*status == GFMUL_OK ? mpz_cmp(back, a) != 0 : mpz_sgn(back) != 0)
        wrong = "a wrong number from text";
    any_give(want);
    any_give(z);
    mpz_clears(a, back, NULL);
    return wrong;
}

/* z = x y - x + x^2 in a space; in one case of three z - z. */
static const char *call_space(struct any_caller *c, enum gfmul_status *status)
{
    struct gfmul_space *space = NULL;
    struct gfmul_spectrum *x = NULL, *y = NULL, *z = NULL;
    const size_t half = c->most_limbs / 2 + 1;
    const bool twice = any_below(c, 3) == 0;
    mpz_t a, b, want, got;
    integer_take(c, a, half);
    integer_take(c, b, half);
    mpz_init(want);
    mpz_init(got);
    *status = gfmul_space_create(c->ctx, &space, 2 * half + 1, 1 + any_below(c, 8));
    if (*status == GFMUL_OK)
        *status = gfmul_spectrum_create(space, &x);
    if (*status == GFMUL_OK)
        *status = gfmul_spectrum_create(space, &y);
    if (*status == GFMUL_OK)
        *status = gfmul_spectrum_create(space, &z);
    if (*status == GFMUL_OK)
        *status = gfmul_spectrum_set_mpz(x, a);
    if (*status == GFMUL_OK)
        *status = gfmul_spectrum_set_mpz(y, b);
    if (*status == GFMUL_OK)
        *status = gfmul_spectrum_mul(z, x, y);
    if (*status == GFMUL_OK)
        *status = gfmul_spectrum_sub(z, z, x);
    if (*status == GFMUL_OK)
        *status = gfmul_spectrum_addmul(z, x, x);
    if (*status == GFMUL_OK && twice)
        *status = gfmul_spectrum_sub(z, z, z);
    if (*status == GFMUL_OK)
        *status = gfmul_spectrum_get_mpz(z, got);
    if (*status == GFMUL_OK && !twice) {
        mpz_mul(want, a, b);
        mpz_sub(want, want, a);
        mpz_addmul(want, a, a);
    }
    const char *wrong = mpz_cmp(got, want) != 0 ? "a wrong sum of a space" : NULL;
    gfmul_spectrum_destroy(x);
    gfmul_spectrum_destroy(y);
    gfmul_spectrum_destroy(z);
    gfmul_space_destroy(space);
    mpz_clears(a, b, want, got, NULL);
    return wrong;
}

/* ---- all kinds ---- */

static const char *call_plan(struct any_caller *c, enum gfmul_status *status)
{
    struct gfmul_plan_info info;
    char text[2048];
    const size_t n = any_size(c, (size_t)1 << 22);
    *status = any_below(c, 2) ? gfmul_plan_limbs(c->ctx, &info, n, any_size(c, n)) : gfmul_plan_text(c->ctx, &info, 10, n, n);
    return *status == GFMUL_OK && gfmul_plan_print(&info, text, sizeof text) == 0 ? "a plan without lines" : NULL;
}

/* The certificate of a context that others may use: whole lines, whatever product it is of. */
static const char *call_certificate(struct any_caller *c, enum gfmul_status *status)
{
    char *text = any_take(CERTIFICATE_BYTES);
    const size_t len = gfmul_ctx_certificate(c->ctx, text, CERTIFICATE_BYTES);
    const bool good = len == 0 || (len < CERTIFICATE_BYTES && strlen(text) == len && text[len - 1] == '\n' &&
                                   strncmp(text, "gfmul certificate 1\n", 20) == 0 && strstr(text, "\nchecksum: ") != NULL);
    any_give(text);
    *status = GFMUL_OK;
    return good ? NULL : "a certificate that is not whole";
}

const char *any_call(struct any_caller *c, enum any_kind kind, enum gfmul_status *status)
{
    switch (kind) {
    case ANY_MUL:
        return call_mul(c, status);
    case ANY_SQR:
        return call_sqr(c, status);
    case ANY_MPZ:
        return call_mpz(c, status);
    case ANY_TEXT:
        return call_text(c, status);
    case ANY_OPERAND:
        return call_operand(c, status);
    case ANY_JOB:
        return c->with_threads ? call_job(c, status) : call_mul(c, status);
    case ANY_QUOTIENT:
        return call_quotient(c, status);
    case ANY_ROOT:
        return call_root(c, status);
    case ANY_POWER:
        return call_power(c, status);
    case ANY_TREE:
        return call_tree(c, status);
    case ANY_RADIX:
        return call_radix(c, status);
    case ANY_SPACE:
        return call_space(c, status);
    case ANY_CONVOLVE:
    case ANY_CONV:
        return call_convolution(c, status, kind == ANY_CONV);
    case ANY_FFT:
        return call_fft(c, status);
    case ANY_NTT:
        return call_ntt(c, status);
    case ANY_PLAN:
        return call_plan(c, status);
    case ANY_CERTIFICATE:
        return call_certificate(c, status);
    default:
        gfmul_ctx_trim(c->ctx);
        *status = GFMUL_OK;
        return NULL;
    }
}
