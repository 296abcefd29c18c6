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

/* Small ones; primes next to the ends of the range that is drawn from, and next to 2^32; the largest number allowed. */
static const uint64_t numbers[] = {
    2, 3, 65537, UINT64_C(4294967311), (UINT64_C(1) << 57) + 29, (UINT64_C(1) << 58) - 27, (UINT64_C(1) << 58) - 1,
};
enum { NUMBERS = sizeof numbers / sizeof numbers[0], MODULI = NUMBERS + 2 };

/* Each number above and two random primes, for each instruction set of this machine. */
static struct residue_modulus moduli[SETS][MODULI];

/* drawn - a random prime. */
static uint64_t drawn(unsigned bits)
{
    uint64_t p = 3;
    TEST_CHECK(random_primes(bits, &p, 1));
    return p;
}

static void moduli_set(void)
{
    for (size_t i = 0; i < MODULI; i++) {
        const uint64_t p = i < NUMBERS ? numbers[i] : drawn(RESIDUE_BITS);
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

/* Every number of limbs to beyond two blocks, at the end of readable memory, aligned or not. */
static void test_sizes(void)
{
    for (size_t an = 0; an <= 2 * RESIDUE_BLOCK + 20; an++) {
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

/*
 * Pieces of weights as large as they can be, which no modulus has all at once, or random; limbs all ones, or random: the sums are
 * those of the products, exactly, and keep their limit.
 */
static void check_sums(const mp_limb_t *a, size_t n, const struct residue_modulus *m, const char *name)
{
    static const unsigned shift[RESIDUE_SUMS] = {0, 29, 32, 61, 64, 93};
    uint64_t sum[RESIDUE_SUMS], both[2 * RESIDUE_SUMS];
    mpz_t want, got, term;
    mpz_inits(want, got, term, NULL);
    m->sums(sum, a, n, m, 1, n & 8);
    m->sums(both, a, n, m, 2, n & 8);
    TEST_CHECK_MSG(memcmp(both, sum, sizeof sum) == 0, "%s: the sums of %zu limbs by the first of two moduli", name, n);
    m->sums(sum, a, n, m + 1, 1, false);
    TEST_CHECK_MSG(memcmp(both + RESIDUE_SUMS, sum, sizeof sum) == 0, "%s: .. by the second one", name);
    memcpy(sum, both, sizeof sum);
    for (unsigned k = 0; k < RESIDUE_SUMS; k++) {
        TEST_CHECK_MSG(sum[k] >> 40 == 0, "%s: sum %u of %zu limbs is %" PRIx64, name, k, n, sum[k]);
        mpz_set_ui(term, sum[k]);
        mpz_mul_2exp(term, term, shift[k]);
        mpz_add(got, got, term);
    }
    for (size_t i = 0; i < n; i++) {
        mpz_set_ui(term, a[i]);
        mpz_mul_ui(term, term, m->low[i] + (m->high[i] << 29));
        mpz_add(want, want, term);
    }
    TEST_CHECK_MSG(mpz_cmp(got, want) == 0, "%s: the sums of %zu limbs are wrong", name, n);
    mpz_clears(want, got, term, NULL);
}

static void test_sums(void)
{
    enum { LARGEST = (1 << 29) - 1 };
    static struct residue_modulus m[2];
    static mp_limb_t a[RESIDUE_BLOCK];
    unsigned compared = 0;
    for (size_t s = 0; s < SETS; s++) {
        residue_modulus_set(&m[0], 3, sets[s].isa_bit);
        residue_modulus_set(&m[1], numbers[NUMBERS - 1], sets[s].isa_bit);
        if (!usable(s) || !m->sums)
            continue;
        for (unsigned round = 0; round < 4; round++) {
            for (size_t i = 0; i < RESIDUE_BLOCK; i++) {
                a[i] = round & 1 ? test_u64() : UINT64_MAX;
                m->low[i] = round & 2 ? test_below(LARGEST + 1) : LARGEST;
                m->high[i] = round & 2 ? test_below(LARGEST + 1) : LARGEST;
            }
            for (size_t n = 0; n <= RESIDUE_BLOCK; n += 8)
                check_sums(a, n, m, sets[s].name);
        }
        compared++;
    }
    if (compared == 0)
        TEST_SKIP("no instruction set with sums of its own");
}

static void test_mul(void)
{
    for (int i = 0; i < 1000; i++) {
        uint64_t p = drawn(RESIDUE_BITS), a = test_below(p), b = test_below(p), want = 0;
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
            uint64_t p = drawn(bits);
            mpz_t z;
            mpz_init_set_ui(z, p);
            TEST_CHECK_MSG(p >> (bits - 1) == 1, "p = %" PRIu64, p);
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
    TEST_CHECK(!random_primes(RESIDUE_BITS, &p, 1));
    TEST_CHECK(gfmul_ctx_create(&ctx, NULL) == GFMUL_ERR_UNSUPPORTED && !ctx);
    random_refuse(false);
    TEST_OK(gfmul_ctx_create(&ctx, NULL));
    gfmul_ctx_destroy(ctx);
}

/* All primes of a few bits are drawn, and nothing else. */
static void test_small_primes(void)
{
    for (unsigned bits = 3; bits <= 8; bits++) {
        bool seen[256] = {false};
        unsigned n_primes = 0, n_seen = 0;
        for (int i = 0; i < 4000; i++)
            seen[drawn(bits)] = true;
        for (unsigned n = 1u << (bits - 1); n < 1u << bits; n++) {
            mpz_t z;
            mpz_init_set_ui(z, n);
            const bool prime = mpz_probab_prime_p(z, 30) > 0;
            mpz_clear(z);
            TEST_CHECK_MSG(prime || !seen[n], "%u was drawn", n);
            n_primes += prime;
            n_seen += seen[n];
        }
        TEST_CHECK_MSG(n_seen == n_primes, "%u of %u primes of %u bits", n_seen, n_primes, bits);
    }
}

/* Independent draws miss a difference of so many bits with a probability below 2^-64, and one prime less does not. */
static void test_primes_needed(void)
{
    static const struct {
        double bits;
        unsigned n;
    } known[] = {{1, 2}, {64, 2}, {4.6e7, 2}, {4.7e7, 3}, {7.5e10, 3}, {7.7e10, 4}, {3e12, 4}, {3.1e12, 5}, {2e14, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        TEST_CHECK_MSG(residue_primes_needed(known[i].bits) == known[i].n, "%g bits: %u primes, not %u", known[i].bits,
                       residue_primes_needed(known[i].bits), known[i].n);
    for (double bits = 57; bits < 1e14; bits *= 1.03) {
        const unsigned n = residue_primes_needed(bits);
        const double chance = floor(bits / 57) / 3.5e15;
        TEST_CHECK_MSG(pow(chance, n) < 0x1p-64 && pow(chance, n - 1) > 0x0.ffp-64, "%g bits: %u primes", bits, n);
    }
}

static void context_primes(uint64_t *p)
{
    struct gfmul_ctx *ctx;
    if (!TEST_OK(gfmul_ctx_create(&ctx, NULL)))
        exit(1);
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
