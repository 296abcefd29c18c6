/* t-prime_stages.c - transforms and products modulo primes on every instruction set, against slow ones and GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "base/alloc.h"
#include "operands.h"
#include "prime/prime_ops.h"
#include "test.h"

static void *need(size_t bytes)
{
    void *p = alloc_aligned(bytes ? bytes : 1);
    if (!p)
        abort();
    return p;
}

/* sums_mul - rows_mul by rows_sums: of factors that pass, or as x y - x y, then + x y, of factors that are kept. */
static void sums_mul(const struct prime_ops *ops, const struct plan *plan, const struct prime_tables *t, double *x, double *y,
                     double *scratch, unsigned threads)
{
    const size_t bytes = prime_buffer_doubles(&plan->shape) * sizeof *x;
    const bool passes = test_u64() % 2, square = x == y;
    double *z = passes ? x : need(bytes);
    struct prime_factor f[2] = {{x, true, passes, 0}, {y, true, passes, 1}};
    const struct prime_term product[2] = {{&f[0], &f[!square]}, {&f[!square], &f[0]}};
    struct prime_sum sum = {.z = z, .product = product, .n = 2, .n_plus = 1};
    if (!passes) {
        ops->rows_sums(plan, t, &(struct prime_sums){&sum, 1, f, square ? 1 : 2, false}, scratch, threads);
        sum.more = true;
        f[0].columns = f[1].columns = false;
    }
    sum.n = 1;
    ops->rows_sums(plan, t, &(struct prime_sums){&sum, 1, f, square ? 1 : 2, true}, scratch, threads);
    if (!passes) {
        memcpy(x, z, bytes);
        alloc_free(z);
    }
}

static void rows_mul(const struct prime_ops *ops, const struct plan *plan, const struct prime_tables *t, double *x, double *y,
                     double *scratch, unsigned threads)
{
    ops->rows_mul(plan, t, x, y, scratch, threads);
}

/* cyclic - the product of polynomials of digits modulo x^n - 1, or x^n + 1, by its stages, for each prime of a shape. */
static void cyclic(const struct isa_ops *isa, const struct plan *plan, double **x, const struct prime_source *a,
                   const struct prime_source *b, bool turned, unsigned threads)
{
    const struct prime_ops *ops = prime_ops_of(isa);
    const struct plan_shape *s = &plan->shape;
    double *memory = need(PRIME_CUTS * prime_table_doubles(s) * sizeof *memory), *y[PRIME_CUTS];
    double *scratch = need(threads * prime_sums_scratch(s) * sizeof *scratch);
    const bool square = a == b, sums = test_u64() % 2;
    for (unsigned k = 0; k < PRIME_CUTS; k++)
        y[k] = need(prime_buffer_doubles(s) * sizeof **y);
    for (unsigned i = 0, count; i < s->transform.n_primes; i += count) { /* one by one, or two at once */
        struct prime_tables t[PRIME_CUTS];
        count = s->transform.n_primes - i < PRIME_CUTS ? s->transform.n_primes - i : (unsigned)test_between(1, PRIME_CUTS);
        for (unsigned k = 0; k < count; k++)
            prime_tables_build(&t[k], s, &prime_table[i + k], turned, memory + k * prime_table_doubles(s));
        ops->digits_to_columns(plan, t, count, x + i, scratch, a, threads);
        if (!square)
            ops->digits_to_columns(plan, t, count, y, scratch, b, threads);
        for (unsigned k = 0; k < count; k++) {
            (sums ? sums_mul : rows_mul)(ops, plan, &t[k], x[i + k], square ? x[i + k] : y[k], scratch, threads);
            ops->columns_to_residues(plan, &t[k], x[i + k], scratch, threads);
        }
    }
    alloc_free(scratch);
    alloc_free(memory);
    for (unsigned k = 0; k < PRIME_CUTS; k++)
        alloc_free(y[k]);
}

/* digit - digit j of an operand modulo p. */
static uint64_t digit(const struct prime_source *a, size_t j, unsigned l, uint64_t p)
{
    unsigned __int128 d = 0;
    for (unsigned i = 0; i < l; i++) {
        const size_t at = j * l + i;
        if (at / 64 < a->n && a->limbs[at / 64] >> at % 64 & 1)
            d |= (unsigned __int128)1 << i;
    }
    return (uint64_t)(d % p);
}

/* compare_residues - all coefficients of a short cyclic product, some of a long one, with sums of products. */
static void compare_residues(const struct plan_shape *s, double *const *x, const struct prime_source *a,
                             const struct prime_source *b, bool turned)
{
    const size_t n = s->transform.n_points, step = n > 512 ? n / 17 : 1;
    for (unsigned i = 0; i < s->transform.n_primes; i++) {
        const uint64_t p = prime_table[i].p;
        uint64_t *da = need(n * sizeof *da), *db = need(n * sizeof *db);
        for (size_t j = 0; j < n; j++) {
            da[j] = digit(a, j, s->digits.exponent, p);
            db[j] = digit(b, j, s->digits.exponent, p);
        }
        for (size_t j = 0; j < n; j += step) {
            uint64_t want = turned ? residue_power(2, prime_offset_bits(s), p) : 0;
            for (size_t k = 0; k < n; k++) {
                const uint64_t term = residue_mul(da[k], db[(j + n - k) % n], p);
                want = (want + (turned && k > j ? p - term : term)) % p;
            }
            const double got = x[i][prime_place(s, j)];
            const double rest = fmod(got, (double)p);
            if (!TEST_CHECK_MSG((uint64_t)(rest < 0 ? rest + (double)p : rest) == want && fabs(got) <= 1.7 * (double)p,
                                "prime %u, coefficient %zu", i, j))
                break;
        }
        alloc_free(db);
        alloc_free(da);
    }
}

/* random_source - a random number that fills count digits. */
static mp_limb_t *random_source(struct prime_source *a, size_t count, unsigned l)
{
    const size_t n = count * l / 64;
    mp_limb_t *limbs = need((n + 1) * sizeof *limbs);
    operand_fill(limbs, n, OPERAND_TOP_BIT, 16, test_below(UINT64_MAX));
    *a = (struct prime_source){limbs, n};
    return limbs;
}

/* Every length class: odd factors, odd and even levels of rows and columns, wrapping around. */
static void test_cyclic_products(void)
{
    const unsigned levels_max = (unsigned)test_tier(12, 18, 22);
    for (unsigned k = 0; isa_ops_list(k) != NULL; k++)
        for (unsigned i = 0; prime_odd(i) != 0; i++)
            for (unsigned levels = PRIME_ROW_LEVELS_MIN + PRIME_LEVELS_MIN; levels <= levels_max; levels++) {
                struct plan plan;
                struct plan_shape *s = &plan.shape;
                const bool turned = test_below(2);
                memset(&plan, 0, sizeof plan);
                s->transform.n_primes = 3 + levels % 2;
                s->digits.exponent = (unsigned)test_between(PRIME_DIGIT_BITS_MIN, PRIME_DIGIT_BITS_MAX);
                const unsigned most =
                    levels - PRIME_LEVELS_MIN < PRIME_ROW_LEVELS_MAX ? levels - PRIME_LEVELS_MIN : PRIME_ROW_LEVELS_MAX;
                plan_prime_rows(s, prime_odd(i), levels, (unsigned)test_between(PRIME_ROW_LEVELS_MIN, most));
                s->transform.n_digits = s->transform.n_points << turned;
                struct prime_source a, b;
                mp_limb_t *al = random_source(&a, s->transform.n_points, s->digits.exponent);
                mp_limb_t *bl = random_source(&b, test_between(2, s->transform.n_points), s->digits.exponent);
                s->digits.an = s->digits.bn = s->transform.n_points;
                double *x[PRIME_COUNT];
                for (unsigned m = 0; m < PRIME_COUNT; m++)
                    x[m] = need(prime_buffer_doubles(s) * sizeof *x[m]);
                test_note("%s, %u 2^%u points, l = %u, %zu by %zu limbs%s", isa_ops_list(k)->name, s->transform.odd, levels,
                          s->digits.exponent, a.n, b.n, turned ? ", turned" : "");
                cyclic(isa_ops_list(k), &plan, x, &a, &b, turned, 1 + (unsigned)test_below(3));
                compare_residues(s, x, &a, &b, turned);
                for (unsigned m = 0; m < PRIME_COUNT; m++)
                    alloc_free(x[m]);
                alloc_free(bl);
                alloc_free(al);
            }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_cyclic_products);
    return test_end();
}
