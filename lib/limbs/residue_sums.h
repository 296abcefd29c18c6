/*
 * residue_sums.h - sums of products for numbers modulo a prime, compiled once per instruction set.
 *
 * isa/residue_<isa>.c includes it.  That file defines RESIDUE_NAME, the type `words` of RESIDUE_LANES words of 64 bits, and
 *
 *     words_load   from any address          words_high   w >> 32
 *     words_add                              words_low    w mod 2^32
 *     words_mul    of the lower halves       words_sum    of all lanes
 *     WORDS_KEEP
 *
 * Each lane sums the products of its limbs' halves x0, x1 < 2^32 and its weights' pieces w0, w1 < 2^29.  A product is at most
 * (2^32 - 1) (2^29 - 1) < 2^61 - 2^32.  A lane sums 8 of them, its rest and the carry from another lane, both below 2^32.  This
 * stays below 2^64 - 2^35 + 2^33.
 *
 * After 8 products the bits above 32 are carried to the next sum, at most RESIDUE_BLOCK / 32 times a call.  So the two highest
 * sums, over four lanes or eight, stay below 2^40.
 */
#include "limbs/residue.h"

enum { RUN_LIMBS = 8 * RESIDUE_LANES };

/* sums_run - by `count` moduli, which is a constant in each copy: the limbs are loaded and halved once. */
static inline __attribute__((always_inline)) void sums_run(uint64_t *sum, const mp_limb_t *a, size_t n,
                                                           const struct residue_modulus *m, const unsigned count, bool in_memory)
{
    words s[2][RESIDUE_SUMS] = {0};
    for (size_t i = 0; i < n;) {
        const size_t end = n - i < RUN_LIMBS ? n : i + RUN_LIMBS;
        do { /* not unrolled: 8 lines asked for at once wait for each other, and the compiler would sum in trees and spill */
            residue_ask_ahead(a + i, in_memory);
            words x0 = words_load(a + i);
            WORDS_KEEP(x0);
            const words x1 = words_high(x0);
#pragma GCC unroll 2
            for (unsigned k = 0; k < count; k++) {
                words w0 = words_load(m[k].low + i), w1 = words_load(m[k].high + i);
                WORDS_KEEP(w0);
                WORDS_KEEP(w1);
                s[k][0] = words_add(s[k][0], words_mul(x0, w0));
                s[k][1] = words_add(s[k][1], words_mul(x0, w1));
                s[k][2] = words_add(s[k][2], words_mul(x1, w0));
                s[k][3] = words_add(s[k][3], words_mul(x1, w1));
            }
            i += RESIDUE_LANES;
        } while (i < end);
#pragma GCC unroll 2
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
#pragma GCC unroll 2
    for (unsigned k = 0; k < count; k++) {
#pragma GCC unroll 6
        for (unsigned i = 0; i < RESIDUE_SUMS; i++)
            sum[k * RESIDUE_SUMS + i] = words_sum(s[k][i]);
    }
}

void RESIDUE_NAME(uint64_t *sum, const mp_limb_t *a, size_t n, const struct residue_modulus *m, unsigned count, bool in_memory)
{
    if (count == 2)
        sums_run(sum, a, n, m, 2, in_memory);
    else
        sums_run(sum, a, n, m, 1, in_memory);
}
