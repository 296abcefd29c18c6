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

void RESIDUE_NAME(uint64_t *sum, const mp_limb_t *a, size_t n, const struct residue_modulus *m, bool in_memory)
{
    const words zero = {0};
    words s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero;
    for (size_t i = 0; i < n;) {
        const size_t end = n - i < RUN_LIMBS ? n : i + RUN_LIMBS;
        do { /* not unrolled: 8 lines asked for at once wait for each other, and the compiler would sum in trees and spill */
            residue_ask_ahead(a + i, in_memory);
            words x0 = words_load(a + i), w0 = words_load(m->low + i), w1 = words_load(m->high + i);
            WORDS_KEEP(x0);
            WORDS_KEEP(w0);
            WORDS_KEEP(w1);
            const words x1 = words_high(x0);
            s0 = words_add(s0, words_mul(x0, w0));
            s1 = words_add(s1, words_mul(x0, w1));
            s2 = words_add(s2, words_mul(x1, w0));
            s3 = words_add(s3, words_mul(x1, w1));
            i += RESIDUE_LANES;
        } while (i < end);
        s2 = words_add(s2, words_high(s0));
        s3 = words_add(s3, words_high(s1));
        s4 = words_add(s4, words_high(s2));
        s5 = words_add(s5, words_high(s3));
        s0 = words_low(s0);
        s1 = words_low(s1);
        s2 = words_low(s2);
        s3 = words_low(s3);
    }
    sum[0] = words_sum(s0);
    sum[1] = words_sum(s1);
    sum[2] = words_sum(s2);
    sum[3] = words_sum(s3);
    sum[4] = words_sum(s4);
    sum[5] = words_sum(s5);
}
