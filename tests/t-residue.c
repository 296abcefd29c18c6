/*
 * t-residue.c - numbers modulo a prime, random primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/random.h"
#include "contexts.h"
#include "guard.h"
#include "limbs/limb_bits.h"
#include "limbs/residue.h"
#include "mul/ctx.h"
#include "operands.h"
#include "test.h"

/* A bit at a time from the top: nothing in common with the library. */
static uint64_t residue_by_bits(const mp_limb_t *a, size_t an, uint64_t p)
{
    uint64_t r = 0;
    for (size_t i = an; i-- > 0;) {
        for (unsigned bit = 64; bit-- > 0;) {
            r = 2 * r + (a[i] >> bit & 1);
            r = r >= p ? r - p : r;
        }
    }
    return r;
}

static const struct {
    unsigned isa_bit;
    const char *name;
} sets[] = {
#define ISA(name, NAME, ...) {CPU_ISA_##NAME, #name},
#include "base/isa.def"
};
enum { SETS = sizeof sets / sizeof sets[0], PLAIN = SETS - 1 }; /* the last one is plain C, which any machine runs */

/* Small ones; primes next to the ends of the range that is drawn from, and next to 2^32; the largest numbers allowed. */
static const uint64_t numbers[] = {
    2,
    3,
    65537,
    UINT64_C(4294967311),
    (UINT64_C(1) << 47) + 5,
    (UINT64_C(1) << 52) - 47,
    (UINT64_C(1) << 52) - 1,
    UINT64_C(1) << 52,
    (UINT64_C(1) << 57) + 29,
    (UINT64_C(1) << 58) - 27,
    (UINT64_C(1) << 58) - 1,
};
enum { NUMBERS = sizeof numbers / sizeof numbers[0], MODULI = NUMBERS + 4 };

/* Each number above and two random primes of each kind, for each instruction set of this machine. */
static struct residue_modulus moduli[SETS][MODULI];

/* drawn - a random prime. */
static uint64_t drawn(unsigned least_bits, unsigned bits)
{
    uint64_t p = 3;
    TEST_CHECK(random_primes(least_bits, bits, &p, 1));
    return p;
}

/* modulus_drawn - a random prime of residues. */
static uint64_t modulus_drawn(unsigned prime_bits)
{
    uint64_t p = 3;
    TEST_CHECK(residue_primes_draw(prime_bits, &p, 1) && residue_prime_fits(p, prime_bits));
    return p;
}

static void moduli_set(void)
{
    for (size_t i = 0; i < MODULI; i++) {
        const uint64_t p = i < NUMBERS ? numbers[i] : modulus_drawn(i % 2 ? RESIDUE_BITS : RESIDUE_FAST_BITS);
        for (size_t s = 0; s < SETS; s++)
            residue_modulus_set(&moduli[s][i], p, sets[s].isa_bit);
    }
}

static bool usable(size_t set)
{
    return cpu_isa_mask(NULL) & sets[set].isa_bit;
}

static void check_operand(const mp_limb_t *a, size_t an)
{
    static const unsigned threads[] = {1, 1, 2, 3, 3, 7, 100};
    for (size_t i = 0; i < MODULI; i++) {
        const uint64_t p = moduli[PLAIN][i].p, want = an > 0 ? mpn_mod_1(a, (mp_size_t)an, p) : 0;
        for (size_t s = 0; s < SETS; s++) {
            for (size_t t = 0; usable(s) && t < sizeof threads / sizeof threads[0]; t++) {
                /* alone, or as the last or the first of several */
                const size_t some = t == 0 ? 1 : 1 + (t + i) % RESIDUE_PRIMES_MAX, at = i + 1 >= some ? i + 1 - some : i;
                const unsigned n = some <= MODULI - at ? (unsigned)some : 1;
                uint64_t got[RESIDUE_PRIMES_MAX];
                residue_limbs(got, a, an, &moduli[s][at], n, t % 2 == 0, threads[t]);
                TEST_CHECK_MSG(got[i - at] == want,
                               "%s: an=%zu p=%" PRIu64 ", %u primes, threads=%u: %" PRIu64 ", should be %" PRIu64, sets[s].name,
                               an, p, n, threads[t], got[i - at], want);
            }
        }
    }
}

/* size_check - numbers of an limbs, at the end of readable memory or its beginning. */
static void size_check(size_t an)
{
    struct guard g = guard_create(an * sizeof(mp_limb_t), an % 3 ? GUARD_AFTER : GUARD_BEFORE);
    mp_limb_t *a = g.p;
    operand_fill(a, an, an % 2 ? OPERAND_ONES : (enum operand_kind)(an / 2 % OPERAND_KINDS), 13, test_u64());
    guard_read_only(&g);
    check_operand(a, an);
    if (an <= 200) {
        uint64_t got;
        residue_limbs(&got, a, an, &moduli[PLAIN][MODULI - 1], 1, an % 2, 1);
        TEST_CHECK(got == residue_by_bits(a, an, moduli[PLAIN][MODULI - 1].p));
    }
    guard_destroy(&g);
}

/* Every number of limbs to beyond two blocks of plain C, and those around one and two blocks of each form. */
static void test_sizes(void)
{
    for (size_t an = 0; an <= 2 * RESIDUE_ROWS + 20; an++)
        size_check(an);
    for (size_t s = 0; s < SETS; s++) {
        for (size_t i = 0; usable(s) && i < MODULI; i++) {
            const size_t block = residue_block_limbs(&moduli[s][i]);
            if (i > 0 && block == residue_block_limbs(&moduli[s][i - 1]))
                continue;
            for (size_t an = block - 16; an <= block + 16; an++) {
                size_check(an);
                size_check(an + block);
            }
        }
    }
}

/* Sizes around the pieces that threads take. */
static void test_pieces(void)
{
    static const size_t sizes[] = {16383, 16384,  16385,  32767,  32768,  32769,  49152,
                                   65537, 114689, 120000, 131071, 131072, 131583, 263000};
    mp_limb_t *a = malloc((263000 + 7) * sizeof *a);
    if (!a)
        exit(1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        mp_limb_t *at = a + i % 8;
        operand_fill(at, sizes[i], i % 2 ? OPERAND_RANDOM : OPERAND_ONES, 13, test_u64());
        check_operand(at, sizes[i]);
    }
    free(a);
}

/* weight_random - as large as a weight's pieces can be, which no modulus has all at once, or random. */
static union residue_weight weight_random(const struct residue_form *form, bool random)
{
    const uint64_t largest = (UINT64_C(1) << (form->piece_bits ? form->piece_bits : form->digit_bits)) - 1;
    union residue_weight w = {.whole = random ? test_below(largest + 1) : largest};
    if (form->piece_bits)
        w = (union residue_weight){.piece = {(uint32_t)w.whole, (uint32_t)(random ? test_below(largest + 1) : largest)}};
    return w;
}

/* check_sums - the words of n limbs: the number's rows times their weights, exactly, and below 2^62. */
static void check_sums(const mp_limb_t *a, size_t n, const struct residue_modulus *m, const char *name)
{
    const struct residue_form *form = m->form;
    const size_t words = (size_t)form->lanes * form->n_shifts, row_bits = (size_t)form->lanes * form->digit_bits;
    uint64_t sum[RESIDUE_WORDS], some[RESIDUE_TOGETHER * RESIDUE_WORDS];
    mpz_t want, got, term, number;
    form->sums(some, a, n, m, form->together, n & 8);
    mpz_inits(want, got, term, number, NULL);
    mpz_import(number, n, -1, sizeof *a, 0, 0, a);
    for (unsigned k = 0; k < form->together; k++) {
        uint64_t *one = some + (size_t)k * RESIDUE_WORDS;
        form->sums(sum, a, n, m + k, 1, false);
        TEST_CHECK_MSG(memcmp(one, sum, words * sizeof *sum) == 0, "%s: the sums of %zu limbs by modulus %u", name, n, k);
        if (k >= 2) {
            form->sums(some, a, n, m + k - 1, 2, false);
            TEST_CHECK_MSG(memcmp(some + RESIDUE_WORDS, sum, words * sizeof *sum) == 0, "%s: .. the second one of two", name);
        }
        mpz_set_ui(got, 0);
        mpz_set_ui(want, 0);
        for (size_t i = 0; i < words; i++) {
            TEST_CHECK_MSG(sum[i] >> 62 == 0, "%s: word %zu of %zu limbs is %" PRIx64, name, i, n, sum[i]);
            mpz_set_ui(term, sum[i]);
            mpz_mul_2exp(term, term, form->digit_bits * (i % form->lanes) + form->shift[i / form->lanes]);
            mpz_add(got, got, term);
        }
        for (size_t i = 0; i * row_bits < 64 * n; i++) {
            const union residue_weight w = m[k].weight[i];
            mpz_tdiv_q_2exp(term, number, i * row_bits);
            mpz_tdiv_r_2exp(term, term, row_bits);
            mpz_mul_ui(term, term, form->piece_bits ? w.piece[0] + ((uint64_t)w.piece[1] << form->piece_bits) : w.whole);
            mpz_add(want, want, term);
        }
        TEST_CHECK_MSG(mpz_cmp(got, want) == 0, "%s: the sums of %zu limbs are wrong", name, n);
    }
    mpz_clears(want, got, term, number, NULL);
}

static void sums_of_form(struct residue_modulus *m, const char *name)
{
    const size_t block = residue_block_limbs(m);
    mp_limb_t *a = test_alloc(block * sizeof *a);
    for (unsigned round = 0; round < 4; round++) {
        for (size_t i = 0; i < block; i++)
            a[i] = round & 1 ? test_u64() : UINT64_MAX;
        for (size_t i = 0; i < RESIDUE_ROWS; i++)
            for (unsigned k = 0; k < m->form->together; k++)
                m[k].weight[i] = weight_random(m->form, round & 2);
        for (size_t n = 0; n <= 100; n++)
            check_sums(a, n, m, name);
        for (size_t n = block; n > block / 8; n -= test_below(block / 8))
            check_sums(a, n, m, name);
    }
    free(a);
}

static void test_sums(void)
{
    static const uint64_t largest[] = {(UINT64_C(1) << 58) - 1, (UINT64_C(1) << 52) - 1};
    static struct residue_modulus m[RESIDUE_TOGETHER];
    unsigned compared = 0;
    for (size_t s = 0; s < SETS; s++) {
        const struct residue_form *last = NULL;
        for (unsigned i = 0; i < 2 && usable(s); i++) {
            for (unsigned k = 0; k < RESIDUE_TOGETHER; k++)
                residue_modulus_set(&m[k], largest[i], sets[s].isa_bit);
            if (!m->form || m->form == last)
                continue;
            last = m->form;
            sums_of_form(m, sets[s].name);
            compared++;
        }
    }
    if (compared == 0)
        TEST_SKIP("no instruction set with sums of its own");
}

static void test_mul(void)
{
    for (int i = 0; i < 1000; i++) {
        uint64_t p = modulus_drawn(i % 2 ? RESIDUE_BITS : RESIDUE_FAST_BITS), a = test_below(p), b = test_below(p), want = 0;
        mp_limb_t product[2];
        product[1] = mpn_mul_1(product, &(mp_limb_t){a}, 1, b);
        want = residue_by_bits(product, 2, p);
        TEST_CHECK(residue_mul(a, b, p) == want);
    }
}

static void test_random_prime(void)
{
    for (unsigned bits = 3; bits <= 63; bits++) {
        uint64_t last = 0;
        unsigned repeats = 0;
        for (int i = 0; i < (bits == RESIDUE_BITS ? 300 : 5); i++) {
            const unsigned least = bits - 1 - (i % 2 ? (unsigned)test_below(bits - 2) : 0);
            uint64_t p = drawn(least, bits);
            mpz_t z;
            mpz_init_set_ui(z, p);
            TEST_CHECK_MSG(p >> least != 0 && p >> bits == 0, "p = %" PRIu64, p);
            TEST_CHECK_MSG(mpz_probab_prime_p(z, 30), "p = %" PRIu64, p);
            mpz_clear(z);
            repeats += p == last;
            last = p;
        }
        TEST_CHECK_MSG(bits < RESIDUE_BITS || repeats == 0, "%u primes of %u bits were drawn twice in a row", repeats, bits);
    }
}

/* Without a source of random numbers there is no prime, and no context that would need one. */
static void test_no_random(void)
{
    struct gfmul_ctx *ctx;
    uint64_t p;
    random_refuse(true);
    TEST_CHECK(!random_primes(RESIDUE_BITS - 1, RESIDUE_BITS, &p, 1) && !residue_primes_draw(RESIDUE_FAST_BITS, &p, 1));
    TEST_CHECK(gfmul_ctx_create(&ctx, NULL) == GFMUL_ERR_UNSUPPORTED && !ctx);
    random_refuse(false);
    ctx = test_ctx(NULL);
    gfmul_ctx_destroy(ctx);
}

static bool is_prime(unsigned n)
{
    mpz_t z;
    mpz_init_set_ui(z, n);
    const bool prime = mpz_probab_prime_p(z, 30) > 0;
    mpz_clear(z);
    return prime;
}

/* All primes of a few bits are drawn, none far more rarely than others, and nothing else. */
static void test_small_primes(void)
{
    enum { DRAWS = 6000 };
    for (unsigned bits = 3; bits <= 8; bits++) {
        const unsigned least = bits > 5 && bits % 2 ? bits - 4 : bits - 1;
        unsigned seen[256] = {0}, n_primes = 0;
        for (unsigned n = 1u << least; n < 1u << bits; n++)
            n_primes += is_prime(n);
        for (int i = 0; i < DRAWS; i++)
            seen[drawn(least, bits)]++;
        for (unsigned n = 0; n < 256; n++) {
            const bool prime = n >> least != 0 && n >> bits == 0 && is_prime(n);
            TEST_CHECK_MSG(prime || seen[n] == 0, "%u was drawn", n);
            TEST_CHECK_MSG(!prime || seen[n] > DRAWS / n_primes / 3, "%u was drawn %u times in %d", n, seen[n], DRAWS);
        }
    }
}

/* Independent draws miss a difference of so many bits with a probability below 2^-64, and one prime less does not. */
static void test_primes_needed(void)
{
    static const struct {
        double bits;
        unsigned n, fast;
    } known[] = {{1, 2, 2},     {64, 2, 2},     {1.28e6, 2, 2},  {1.35e6, 2, 2}, {1.36e6, 2, 3}, {4.6e7, 2, 3},  {4.7e7, 3, 3},
                 {2.2e9, 3, 3}, {2.21e9, 3, 4}, {7.5e10, 3, 4},  {7.7e10, 4, 4}, {8.9e10, 4, 5}, {8.1e11, 4, 5}, {8.2e11, 4, 6},
                 {3e12, 4, 6},  {3.1e12, 5, 6}, {3.58e12, 5, 6}, {3.6e12, 5, 0}, {1.2e14, 6, 0}, {2e14, 0, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const unsigned n = residue_primes_needed(known[i].bits, RESIDUE_BITS);
        const unsigned fast = residue_primes_needed(known[i].bits, RESIDUE_FAST_BITS);
        TEST_CHECK_MSG(n == known[i].n && fast == known[i].fast, "%g bits: %u primes, not %u; %u, not %u", known[i].bits, n,
                       known[i].n, fast, known[i].fast);
    }
    for (double bits = 57; bits < 1e14; bits *= 1.03) {
        const unsigned n = residue_primes_needed(bits, RESIDUE_BITS), fast = residue_primes_needed(bits, RESIDUE_FAST_BITS);
        const double chance = floor(bits / 57) / 3.5e15, fast_chance = floor(bits / 47) / 1.24e14;
        TEST_CHECK_MSG(pow(chance, n) < 0x1p-64 && pow(chance, n - 1) > 0x0.ffp-64, "%g bits: %u primes", bits, n);
        TEST_CHECK_MSG(bits > 3.58e12 || (pow(fast_chance, fast) < 0x1p-64 && pow(fast_chance, fast - 1) > 0x0.ffp-64),
                       "%g bits: %u primes of 52 bits", bits, fast);
    }
    /* Dusart: x / (ln x - 1) < primes up to x < x / (ln x - 1.1), from 60184 on */
    TEST_CHECK(0x1p52 / (log(0x1p52) - 1) - 0x1p47 / (log(0x1p47) - 1.1) > 1.24e14);
    TEST_CHECK(0x1p58 / (log(0x1p58) - 1) - 0x1p57 / (log(0x1p57) - 1.1) > 3.5e15);
}

static void context_primes(uint64_t *p)
{
    struct gfmul_ctx *ctx = test_ctx(NULL);
    TEST_CHECK(ctx_primes_draw(ctx, RESIDUE_PRIMES_MAX));
    memcpy(p, ctx->residue_prime, sizeof ctx->residue_prime);
    gfmul_ctx_destroy(ctx);
}

/*
 * Whatever a program can seed, and a fork, leaves the primes to the system: contexts after the same seeds share none.
 * A library that takes any of its primes from a seed, or from a generator that a fork copies, draws one twice here.
 */
static void test_seeds(void)
{
    enum { ROUNDS = 6 };
    uint64_t p[ROUNDS][RESIDUE_PRIMES_MAX];
    unsigned short state[3] = {1, 2, 3};
    setenv("GFMUL_TEST_SEED", "1", 1);
    setenv("GFMUL_SEED", "1", 1);
    for (unsigned i = 0; i + 2 < ROUNDS; i++) {
        srand(1);
        srandom(1);
        seed48(state);
        context_primes(p[i]);
    }
    int way[2];
    if (!TEST_CHECK(pipe(way) == 0))
        return;
    const pid_t child = fork();
    context_primes(p[ROUNDS - 2]);
    if (child == 0)
        _exit(write(way[1], p[ROUNDS - 2], sizeof p[0]) == sizeof p[0] ? 0 : 1);
    TEST_CHECK(child > 0 && read(way[0], p[ROUNDS - 1], sizeof p[0]) == sizeof p[0]);
    waitpid(child, NULL, 0);
    close(way[0]);
    close(way[1]);
    const uint64_t *all = p[0];
    for (size_t i = 0; i < sizeof p / sizeof *all; i++)
        for (size_t k = 0; k < i; k++)
            TEST_CHECK_MSG(all[i] != all[k], "%" PRIu64 " was drawn twice: %zu and %zu", all[i], k, i);
}

static void test_limb_bits(void)
{
    mp_limb_t a[5];
    operand_fill(a, 5, OPERAND_RANDOM, 13, test_u64());
    for (size_t at = 0; at < 400; at++) {
        uint64_t want = 0;
        for (size_t i = 0; i < 64; i++) {
            if (at + i < 320)
                want |= (a[(at + i) / 64] >> (at + i) % 64 & 1) << i;
        }
        TEST_CHECK_MSG(limb_bits(a, 5, at) == want, "at = %zu", at);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    moduli_set();
    TEST_RUN(test_sizes);
    TEST_RUN(test_pieces);
    TEST_RUN(test_sums);
    TEST_RUN(test_mul);
    TEST_RUN(test_random_prime);
    TEST_RUN(test_small_primes);
    TEST_RUN(test_primes_needed);
    TEST_RUN(test_seeds);
    TEST_RUN(test_no_random);
    TEST_RUN(test_limb_bits);
    return test_end();
}
