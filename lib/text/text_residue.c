/*
 * text_residue.c - the residue of a number in text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/residue.h"
#include "text/text.h"
#include "text/text_chars.h"

enum { MAX_PIECES = 64, PIECE_CHARS = 1 << 15 };

/* A base with its powers, and the multiplier of one step of Horner's rule. */
struct horner {
    uint64_t base, base_2, base_4, base_8;
    unsigned words;         /* words of eight digits in a step: the most with base^(8 words) < 2^62 */
    uint64_t p;
    uint64_t weight;        /* base^(8 words) mod p */
    uint64_t weight_ratio;  /* floor(weight * 2^64 / p) */
};

static void horner_init(struct horner *h, unsigned base, uint64_t p)
{
    h->base = base;
    h->base_2 = h->base * h->base;
    h->base_4 = h->base_2 * h->base_2;
    h->base_8 = h->base_4 * h->base_4; /* < 2^42 */
    h->words = 1;
    uint64_t power = h->base_8;
    while ((unsigned __int128)power * h->base_8 < (unsigned __int128)1 << 62) {
        power *= h->base_8;
        h->words++;
    }
    h->p = p;
    h->weight = power % p;
    h->weight_ratio = (uint64_t)(((unsigned __int128)h->weight << 64) / p);
}

/* n groups of 8 * words digits, most significant first; words, letters and base are constants in the copies that matter. */
static inline uint64_t horner_run(const struct horner *h, const char *s, size_t n, unsigned words, bool letters, uint64_t base)
{
    const uint64_t b1 = base, b2 = b1 * b1, b4 = b2 * b2, b8 = b4 * b4;
    uint64_t r = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t group = 0;
        for (unsigned k = 0; k < words; k++, s += 8)
            group = group * b8 + values_join(chars_to_values(chars_load(s), letters), b1, b2, b4);
        /* Shoup's product: q <= r weight / p < q + 2 for every r < 2^64, so that the remainder lies in [0, 2p) */
        uint64_t q = (uint64_t)((unsigned __int128)r * h->weight_ratio >> 64);
        r = r * h->weight - q * h->p + group; /* < 2p + 2^62 < 2^64 */
    }
    return r % h->p;
}

/* The number of n characters, modulo p. */
static uint64_t piece_residue(const struct horner *h, const char *s, size_t n)
{
    size_t step = 8 * (size_t)h->words, head = n % step;
    uint64_t r = 0, weight = h->weight;
    for (size_t i = 0; i < head; i++)
        r = (residue_mul(r, h->base % h->p, h->p) + char_value(s[i]) % h->p) % h->p;
    s += head;
    uint64_t tail = h->base == 10   ? horner_run(h, s, n / step, 2, false, 10)
                    : h->base == 16 ? horner_run(h, s, n / step, 1, true, 16)
                                    : horner_run(h, s, n / step, h->words, h->base > 10, h->base);
    for (size_t e = n / step; e > 0; e >>= 1) { /* r *= weight^(n / step) */
        if (e & 1)
            r = residue_mul(r, weight, h->p);
        weight = residue_mul(weight, weight, h->p);
    }
    return (r + tail) % h->p;
}

uint64_t text_residue(const char *digits, size_t n, unsigned base, uint64_t p, unsigned threads)
{
    struct horner h;
    uint64_t piece[MAX_PIECES], r = 0;
    size_t n_pieces = threads < MAX_PIECES ? threads : MAX_PIECES;
    if (n_pieces > n / PIECE_CHARS)
        n_pieces = n / PIECE_CHARS;
    if (n_pieces == 0)
        n_pieces = 1;
    horner_init(&h, base, p);
    size_t size = n / n_pieces, head = n - size * n_pieces; /* the first piece is longer by head < n_pieces */
#pragma omp parallel for num_threads(threads) if (n_pieces > 1)
    for (size_t k = 0; k < n_pieces; k++)
        piece[k] = piece_residue(&h, k == 0 ? digits : digits + head + k * size, k == 0 ? head + size : size);

    uint64_t shift = 1 % p, power = base % p; /* base^size */
    for (size_t e = size; e > 0; e >>= 1) {
        if (e & 1)
            shift = residue_mul(shift, power, p);
        power = residue_mul(power, power, p);
    }
    for (size_t k = 0; k < n_pieces; k++)
        r = (residue_mul(r, shift, p) + piece[k]) % p;
    return r;
}
