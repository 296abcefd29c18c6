/*
 * residue_sums.h - sums of products of 32 bits for numbers modulo a prime, compiled once per instruction set.
 *
 * isa/residue_<isa>.c includes it.  That file defines the type `words` of RESIDUE_LANES words of 64 bits, RESIDUE_COUNT, the most
 * moduli that its registers hold the sums of, and
 *
 *     words_load   from any address          words_high    w >> 32
 *     words_part   the first n lanes, n      words_low     w mod 2^32
 *                  below RESIDUE_LANES       words_add
 *     words_spread 32 bits into each half    words_mul     of the lower halves
 *     words_left   w << 29                   words_store
 *     WORDS_KEEP
 *
 * A row is a limb in each lane.  A lane sums the products of its limbs' halves x0, x1 < 2^32 and the row's pieces of a weight w0,
 * w1 < 2^29.  A product is at most (2^32 - 1) (2^29 - 1) < 2^61 - 2^32.  A lane sums 8 of them, its rest and the carry from
 * another lane, both below 2^32.  This stays below 2^64 - 2^35 + 2^33.
 *
 * After 8 products the bits above 32 are carried to the next sum, at most RESIDUE_ROWS / 8 times a call.  So the two highest sums
 * stay below 2^38, and the four lower ones below 2^32.  Of these, two and two make a word below 2^62.
 */
#include "base/cpu.h"
#include "limbs/residue.h"

enum { SUMS = 6, RUN_ROWS = 8 };

/* sums_run - by `count` moduli, which is a constant in each copy: the limbs are loaded and halved once. */
static inline __attribute__((always_inline)) void sums_run(uint64_t *sum, const mp_limb_t *a, size_t n,
                                                           const struct residue_modulus *m, const unsigned count, bool in_memory)
{
    words s[RESIDUE_COUNT][SUMS] = {0};
    const size_t rows = (n + RESIDUE_LANES - 1) / RESIDUE_LANES;
    for (size_t i = 0; i < rows;) {
        const size_t end = rows - i < RUN_ROWS ? rows : i + RUN_ROWS;
        do { /* not unrolled: 8 prefetches at once fill the line buffers, and the compiler would sum in trees and spill */
            const mp_limb_t *at = a + i * RESIDUE_LANES;
            const size_t left = n - i * RESIDUE_LANES;
            residue_prefetch(at, in_memory);
            words x0 = left >= RESIDUE_LANES ? words_load(at) : words_part(at, left);
            WORDS_KEEP(x0);
            const words x1 = words_high(x0);
#pragma GCC unroll 3
            for (unsigned k = 0; k < count; k++) {
                const union residue_weight *w = &m[k].weight[i];
                words w0 = words_spread(w->piece[0]), w1 = words_spread(w->piece[1]);
                WORDS_KEEP(w0);
                WORDS_KEEP(w1);
                s[k][0] = words_add(s[k][0], words_mul(x0, w0));
                s[k][1] = words_add(s[k][1], words_mul(x0, w1));
                s[k][2] = words_add(s[k][2], words_mul(x1, w0));
                s[k][3] = words_add(s[k][3], words_mul(x1, w1));
            }
            i++;
        } while (i < end);
#pragma GCC unroll 3
        for (unsigned k = 0; k < count; k++) {
            s[k][2] = words_add(s[k][2], words_high(s[k][0]));
            s[k][3] = words_add(s[k][3], words_high(s[k][1]));
            s[k][4] = words_add(s[k][4], words_high(s[k][2]));
            s[k][5] = words_add(s[k][5], words_high(s[k][3]));
            s[k][0] = words_low(s[k][0]);
            s[k][1] = words_low(s[k][1]);
            s[k][2] = words_low(s[k][2]);
            s[k][3] = words_low(s[k][3]);
        }
    }
#pragma GCC unroll 3
    for (unsigned k = 0; k < count; k++, sum += RESIDUE_WORDS) {
        words_store(sum, words_add(s[k][0], words_left(s[k][1])));
        words_store(sum + RESIDUE_LANES, words_add(s[k][2], words_left(s[k][3])));
        words_store(sum + 2 * RESIDUE_LANES, s[k][4]);
        words_store(sum + 3 * RESIDUE_LANES, s[k][5]);
    }
}

static void sums(uint64_t *sum, const mp_limb_t *a, size_t n, const struct residue_modulus *m, unsigned count, bool in_memory)
{
    if (count == 1)
        sums_run(sum, a, n, m, 1, in_memory);
    else if (count == 2)
        sums_run(sum, a, n, m, 2, in_memory);
    else
        sums_run(sum, a, n, m, RESIDUE_COUNT, in_memory);
}

extern const struct residue_form ISA_NAME(residue_form_);
const struct residue_form ISA_NAME(residue_form_) = {.sums = sums,
                                                     .lanes = RESIDUE_LANES,
                                                     .digit_bits = 64,
                                                     .n_shifts = 4,
                                                     .shift = {0, 32, 64, 93},
                                                     .piece_bits = RESIDUE_BITS / 2,
                                                     .together = RESIDUE_COUNT};
