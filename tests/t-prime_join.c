/* t-prime_join.c - the Chinese remainder theorem and the carry of products modulo primes, against integers of GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "prime/prime_ops.h"
#include "test.h"

static void *need(size_t bytes)
{
    void *p = alloc_aligned(bytes ? bytes : 1);
    if (!p)
        abort();
    return p;
}

/* coefficient - random, or at an end of its range: of all primes but the last the product, times last / 2 (1 - 2^-40) - 3. */
static void coefficient(mpz_t c, unsigned n_primes)
{
    const uint64_t last = prime_table[n_primes - 1].p;
    mpz_set_ui(c, last / 2 - (last >> 40) - 3);
    for (unsigned i = 0; i + 1 < n_primes; i++)
        mpz_mul_ui(c, c, prime_table[i].p);
    const uint64_t kind = test_below(8);
    if (kind == 0)
        mpz_set_ui(c, test_below(3));
    else if (kind > 1)
        mpz_fdiv_q_2exp(c, c, test_below(kind == 2 ? 190 : 3));
    if (kind > 2)
        mpz_sub_ui(c, c, test_below(UINT64_MAX));
    if (mpz_sgn(c) < 0)
        mpz_set_ui(c, 0);
}

/* residue_of - of a coefficient as prime_scale_join leaves it: any representative of at most 1.25 p in size. */
static double residue_of(const mpz_t c, unsigned i)
{
    const uint64_t p = prime_table[i].p;
    uint64_t r = mpz_fdiv_ui(c, p);
    for (unsigned j = 0; j < i; j++)
        r = residue_mul(r, residue_inverse(prime_table[j].p % p, p), p);
    double x = (double)r - (test_below(2) ? (double)p : 0);
    if (test_below(2))
        x += x > 0 ? -2.0 * (double)p : 2.0 * (double)p;
    return fabs(x) <= 1.25 * (double)p ? x : x > 0 ? x - (double)p : x + (double)p;
}

/* limbs_add - adds c 2^at. */
static void limbs_add(mp_limb_t *z, size_t zn, const mpz_t c, size_t at)
{
    mpz_t shifted;
    mpz_init(shifted);
    mpz_mul_2exp(shifted, c, at % 64);
    if (mpz_sgn(shifted) > 0)
        mpn_add(z + at / 64, z + at / 64, (mp_size_t)(zn - at / 64), mpz_limbs_read(shifted), (mp_size_t)mpz_size(shifted));
    mpz_clear(shifted);
}

/* join_check - some of a shape's coefficients, carried, with and without all limbs. */
static void join_check(const struct isa_ops *isa, const struct plan_shape *s, size_t first, size_t count)
{
    const size_t n = count / 64 * s->digits.exponent, zn = test_below(3) ? n : test_below(n + 1), off = test_below(9);
    mp_limb_t *want = need((n + PRIME_TAIL_LIMBS + 1) * sizeof *want), *z = need((n + 16) * sizeof *z), tail[PRIME_TAIL_LIMBS];
    double *x[PRIME_COUNT];
    mpz_t c;
    mpz_init(c);
    memset(want, 0, (n + PRIME_TAIL_LIMBS + 1) * sizeof *want);
    memset(z, 0x5a, (n + 16) * sizeof *z);
    for (unsigned i = 0; i < s->transform.n_primes; i++)
        x[i] = need(prime_buffer_doubles(s) * sizeof *x[i]);
    const uint64_t kind = test_below(4); /* 0: one of them all along; 1: ones, and a carry through all of them */
    for (size_t j = first; j < first + count; j++) {
        if (kind > 1 || j == first)
            coefficient(c, s->transform.n_primes);
        if (kind == 1) {
            mpz_set_ui(c, 1);
            mpz_mul_2exp(c, c, s->digits.exponent);
            mpz_sub_ui(c, c, j != first);
        }
        limbs_add(want, n + PRIME_TAIL_LIMBS + 1, c, (j - first) * s->digits.exponent);
        for (unsigned i = 0; i < s->transform.n_primes; i++)
            x[i][prime_place(s, j)] = residue_of(c, i);
    }
    prime_ops_of(isa)->residues_join(s, z + off, zn, x, first, count, tail);
    bool same = mpn_cmp(z + off, want, (mp_size_t)zn) == 0 || zn == 0;
    same = same && (zn < n || mpn_cmp(tail, want + n, PRIME_TAIL_LIMBS) == 0) && want[n + PRIME_TAIL_LIMBS] == 0;
    for (size_t i = 0; i < n + 16; i++)
        same = same && ((i >= off && i < off + zn) || z[i] == UINT64_C(0x5a5a5a5a5a5a5a5a));
    TEST_CHECK_MSG(same, "coefficients %zu .. %zu, %zu limbs", first, first + count - 1, zn);
    for (unsigned i = 0; i < s->transform.n_primes; i++)
        alloc_free(x[i]);
    mpz_clear(c);
    alloc_free(z);
    alloc_free(want);
}

/* The remainder theorem and the carry, of coefficients at all ends of their range, with and without products of 52 bits. */
static void test_joins(void)
{
    const bool has_ifma = cpu_has_ifma(environment_get("GFMUL_DISABLE"));
    for (unsigned k = 0; isa_ops_list(k) != NULL; k++)
        for (unsigned round = 0; round < (unsigned)test_tier(24, 240, 2400); round++) {
            const unsigned n_primes = 3 + round % 2, least = n_primes == 3 ? PRIME_DIGIT_BITS_MIN : 64;
            struct plan_shape s;
            memset(&s, 0, sizeof s);
            s.transform.n_primes = n_primes;
            s.digits.exponent = (unsigned)test_between(least, n_primes == 3 ? 73 : PRIME_DIGIT_BITS_MAX);
            s.ifma = has_ifma && test_below(4) > 0;
            const unsigned rows = (unsigned)test_between(PRIME_ROW_LEVELS_MIN, PRIME_ROW_LEVELS_MIN + 4);
            plan_prime_rows(&s, prime_odd((unsigned)test_below(4)), rows + PRIME_LEVELS_MIN, rows);
            const size_t runs = s.transform.n_points / 64, first = test_below(2) ? 0 : test_below(runs);
            test_note("%s%s, %u primes, l = %u, rows of %zu", isa_ops_list(k)->name, s.ifma ? ", ifma" : "", s.transform.n_primes,
                      s.digits.exponent, s.transform.row_points);
            join_check(isa_ops_list(k), &s, 64 * first, 64 * (test_below(2) ? runs - first : test_between(1, runs - first)));
        }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_joins);
    return test_end();
}
