/*
 * residue.c - numbers modulo a word-sized prime.
 *
 * An inner product with powers of 2^64 or 2^52, reduced once a block.  With vector products of 32 bits, halves of limbs are
 * multiplied by pieces of weights; with those of 52 bits, digits by whole weights (residue_sums.h, isa/).  Otherwise whole limbs
 * are multiplied by whole weights, one full multiplication a limb, as in mpn_mod_1.  Without vectors there is no prefetch.
 * Numbers are cut in pieces for the threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/residue.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/parallel.h"
#include "base/random.h"

enum {
    PIECE_LIMBS = 1 << 14, /* least work of a piece */
    MAX_PIECES = 256,
    TABLE_CHAINS = 4,
    GROUP = 8, /* products of 122 bits that fit 128, and a line of memory */
};

uint64_t residue_power_of_limb(size_t n, uint64_t p)
{
    return residue_power((uint64_t)(((unsigned __int128)1 << 64) % p), n, p);
}

/* The range of primes: (2^least, 2^bits), which has more than `count` of them (doc/error-bound.md, section 16). */
struct range {
    unsigned least, bits;
    double count;
};

static const struct range *range_of(unsigned prime_bits)
{
    static const struct range fast = {47, RESIDUE_FAST_BITS, 1.24e14}, usual = {57, RESIDUE_BITS, 3.5e15};
    assert(prime_bits == RESIDUE_FAST_BITS || prime_bits == RESIDUE_BITS);
    return prime_bits == RESIDUE_FAST_BITS ? &fast : &usual;
}

unsigned residue_primes_needed(double bits, unsigned prime_bits)
{
    const struct range *of = range_of(prime_bits);
    const double factors = fmax(1, floor(bits / of->least)); /* primes above 2^least that divide a number below 2^bits */
    const double chance = log2(factors / of->count);
    for (unsigned n = 1; n <= RESIDUE_PRIMES_MAX; n++)
        if (n * chance < -64.001) /* the logarithm's error is far smaller */
            return n;
    return 0;
}

bool residue_prime_fits(uint64_t p, unsigned prime_bits)
{
    return p >> range_of(prime_bits)->least != 0 && p >> prime_bits == 0;
}

bool residue_primes_draw(unsigned prime_bits, uint64_t *p, unsigned n)
{
    return random_primes(range_of(prime_bits)->least, prime_bits, p, n);
}

#define ISA(name, ...) extern const struct residue_form residue_form_##name;
#include "base/isa.def"
extern const struct residue_form residue_form_ifma;

/* form_of - the reduction of blocks in this instruction set; NULL: plain C. */
static const struct residue_form *form_of(unsigned isa_bit)
{
    static const struct residue_form *const forms[CPU_ISA_COUNT] = {
#define ISA(name, NAME, found, words, ...) (GFMUL_HAVE_##NAME) && (words) ? &residue_form_##name : NULL,
#include "base/isa.def"
    };
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++)
        if (isa_bit == 1u << i)
            return forms[i];
    return NULL;
}

/* fast_form - with products of 52 bits; NULL: none. */
static const struct residue_form *fast_form(unsigned isa_bit, const char *disable)
{
#if GFMUL_HAVE_AVX512
    if (isa_bit == CPU_ISA_AVX512 && cpu_has_ifma(disable))
        return &residue_form_ifma;
#endif
    (void)isa_bit;
    (void)disable;
    return NULL;
}

unsigned residue_prime_bits(unsigned isa_bit, const char *disable)
{
    return fast_form(isa_bit, disable) ? RESIDUE_FAST_BITS : RESIDUE_BITS;
}

/* A multiplier: m < p and floor(m 2^64 / p). */
struct factor {
    uint64_t m, ratio;
};

static struct factor factor_of(uint64_t m, uint64_t p)
{
    return (struct factor){m, (uint64_t)(((unsigned __int128)m << 64) / p)};
}

/* times - r m modulo p, below p.   Source: [Har14]. */
static inline uint64_t times(uint64_t r, struct factor f, uint64_t p)
{
    const uint64_t x = r * f.m - (uint64_t)((unsigned __int128)r * f.ratio >> 64) * p; /* below 2p */
    return x >= p ? x - p : x;
}

/* row_bits - bits of a row, which share a weight. */
static size_t row_bits(const struct residue_form *form)
{
    return form ? (size_t)form->lanes * form->digit_bits : 64;
}

size_t residue_block_limbs(const struct residue_modulus *m)
{
    return RESIDUE_ROWS * row_bits(m->form) / 64;
}

/* lanes_set - weights of the words of a block's sums. */
static void lanes_set(struct residue_modulus *m)
{
    const struct residue_form *form = m->form;
    const uint64_t p = m->p;
    const struct factor digit = factor_of(residue_power(2 % p, form->digit_bits, p), p);
    for (unsigned k = 0; k < form->n_shifts; k++) {
        uint64_t power = residue_power(2 % p, form->shift[k], p);
        for (unsigned c = 0; c < form->lanes; c++, power = times(power, digit, p))
            m->lane[k * form->lanes + c] = power;
    }
}

void residue_modulus_set(struct residue_modulus *m, uint64_t p, unsigned isa_bit)
{
    assert(p > 1 && p >> RESIDUE_BITS == 0);
    m->p = p;
    m->form = p >> RESIDUE_FAST_BITS == 0 ? fast_form(isa_bit, NULL) : NULL;
    if (!m->form)
        m->form = form_of(isa_bit);
    const unsigned shift = m->form ? m->form->piece_bits : 0;
    const uint64_t row = residue_power(2 % p, row_bits(m->form), p), mask = (UINT64_C(1) << shift) - 1;
    uint64_t power[TABLE_CHAINS];
    for (unsigned k = 0; k < TABLE_CHAINS; k++)
        power[k] = k == 0 ? 1 % p : residue_mul(power[k - 1], row, p);
    const struct factor step = factor_of(residue_mul(power[TABLE_CHAINS - 1], row, p), p);
    for (size_t i = 0; i < RESIDUE_ROWS; i += TABLE_CHAINS) {
        for (unsigned k = 0; k < TABLE_CHAINS; k++) { /* several at once are under way */
            if (shift > 0)
                m->weight[i + k] = (union residue_weight){.piece = {(uint32_t)(power[k] & mask), (uint32_t)(power[k] >> shift)}};
            else
                m->weight[i + k].whole = power[k];
            power[k] = times(power[k], step, p);
        }
    }
    m->block_power = power[0];
    m->block_ratio = factor_of(power[0], p).ratio;
    if (m->form)
        lanes_set(m);
}

/* block_by_limbs - the number of n <= RESIDUE_ROWS limbs modulo p, not reduced: below 2^123. */
static unsigned __int128 block_by_limbs(const mp_limb_t *a, size_t n, const struct residue_modulus *m)
{
    unsigned __int128 low = 0, high = 0, sum;
    size_t i = 0;
    for (; n - i >= GROUP; i += GROUP) {
        sum = 0; /* of GROUP products below 2^64 2^58 */
        residue_prefetch(a + i, true);
#pragma GCC unroll 8
        for (size_t k = i; k < i + GROUP; k++)
            sum += (unsigned __int128)a[k] * m->weight[k].whole;
        low += (uint64_t)sum;
        high += (uint64_t)(sum >> 64);
    }
    for (sum = 0; i < n; i++)
        sum += (unsigned __int128)a[i] * m->weight[i].whole;
    low += (uint64_t)sum;
    high += (uint64_t)(sum >> 64);
    return low + (high % m->p << 64);
}

/* block_residues - the number of n limbs modulo each of `count` moduli of one form, which the form takes together. */
static void block_residues(uint64_t *r, const mp_limb_t *a, size_t n, const struct residue_modulus *m, unsigned count,
                           bool in_memory)
{
    const struct residue_form *form = m->form;
    uint64_t sum[RESIDUE_TOGETHER * RESIDUE_WORDS];
    if (!form) {
        r[0] = (uint64_t)(block_by_limbs(a, n, m) % m->p);
        return;
    }
    form->sums(sum, a, n, m, count, in_memory);
    for (unsigned k = 0; k < count; k++) {
        const uint64_t *s = sum + (size_t)k * RESIDUE_WORDS;
        unsigned __int128 value = 0; /* 32 products of 2^62 and 2^58, or 16 of 2^61 and 2^52: below 2^125 */
        for (unsigned i = 0; i < form->lanes * form->n_shifts; i += 4) {
            value += (unsigned __int128)s[i] * m[k].lane[i];
            value += (unsigned __int128)s[i + 1] * m[k].lane[i + 1];
            value += (unsigned __int128)s[i + 2] * m[k].lane[i + 2];
            value += (unsigned __int128)s[i + 3] * m[k].lane[i + 3];
        }
        r[k] = (uint64_t)(value % m[k].p);
    }
}

/*
 * form_residues - a number of an > 0 limbs modulo each of n primes of one form, by blocks upwards: read in the order that the
 * processor expects.  The first moduli bring a block into the cache, and the others find it there.
 */
static void form_residues(uint64_t *r, const mp_limb_t *a, size_t an, const struct residue_modulus *m, unsigned n, bool in_memory)
{
    const size_t block = residue_block_limbs(m);
    const unsigned together = m->form ? m->form->together : 1;
    unsigned __int128 all[RESIDUE_PRIMES_MAX];
    uint64_t weight[RESIDUE_PRIMES_MAX], part[RESIDUE_PRIMES_MAX];
    if (!m->form && !in_memory) {
        for (unsigned k = 0; k < n; k++)
            r[k] = mpn_mod_1(a, (mp_size_t)an, m[k].p);
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        all[k] = 0;
        weight[k] = 1;
    }
    for (size_t at = 0; at < an; at += block) {
        const size_t size = an - at < block ? an - at : block;
        for (unsigned k = 0; k < n; k += together)
            block_residues(part + k, a + at, size, m + k, n - k < together ? n - k : together, in_memory && k == 0);
        for (unsigned k = 0; k < n; k++) {
            all[k] += (unsigned __int128)part[k] * weight[k]; /* below 2^127 + 2^116 */
            if (all[k] >> 127)
                all[k] %= m[k].p;
            weight[k] = times(weight[k], (struct factor){m[k].block_power, m[k].block_ratio}, m[k].p);
        }
    }
    for (unsigned k = 0; k < n; k++)
        r[k] = an > block ? (uint64_t)(all[k] % m[k].p) : part[k];
}

/* piece_residues - a number of an > 0 limbs modulo each of n primes: one pass for those of one form. */
static void piece_residues(uint64_t *r, const mp_limb_t *a, size_t an, const struct residue_modulus *m, unsigned n,
                           bool in_memory)
{
    for (unsigned k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && m[end].form == m[k].form; end++)
            ;
        form_residues(r + k, a, an, m + k, end - k, in_memory);
    }
}

/* Pieces of a number, whose residues threads compute. */
struct pieces {
    const mp_limb_t *a;
    size_t an, piece;
    const struct residue_modulus *m;
    unsigned n;
    bool in_memory;
    uint64_t r[MAX_PIECES][RESIDUE_PRIMES_MAX];
};

static void pieces_run(void *arg, unsigned t, size_t begin, size_t end)
{
    struct pieces *const w = arg;
    (void)t;
    for (size_t i = begin; i < end; i++) {
        const size_t first = i * w->piece;
        piece_residues(w->r[i], w->a + first, first + w->piece < w->an ? w->piece : w->an - first, w->m, w->n, w->in_memory);
    }
}

void residue_limbs(uint64_t *r, const mp_limb_t *a, size_t an, const struct residue_modulus *m, unsigned n, bool in_memory,
                   unsigned threads)
{
    assert(n <= RESIDUE_PRIMES_MAX);
    memset(r, 0, n * sizeof *r);
    if (an == 0)
        return;
    const size_t most = threads < MAX_PIECES / 4 ? 4 * (size_t)threads : MAX_PIECES; /* not all threads are equally fast */
    size_t pieces = an / PIECE_LIMBS;
    if (pieces > most)
        pieces = most;
    if (pieces <= 1 || threads <= 1) {
        piece_residues(r, a, an, m, n, in_memory);
        return;
    }

    struct pieces w;
    w.a = a;
    w.an = an;
    w.piece = (an + pieces - 1) / pieces;
    w.m = m;
    w.n = n;
    w.in_memory = in_memory;
    pieces = (an + w.piece - 1) / w.piece; /* none is empty */
    parallel_for(threads, pieces, 1, pieces_run, &w);
    for (unsigned k = 0; k < n; k++) {
        const uint64_t p = m[k].p, step = residue_power_of_limb(w.piece, p);
        for (size_t i = pieces; i-- > 0;) {
            r[k] = residue_mul(r[k], step, p) + w.r[i][k]; /* < 2p < 2^59 */
            r[k] = r[k] >= p ? r[k] - p : r[k];
        }
    }
}
