/*
 * decimal_sums.h - characters of decimal numbers by vectors, compiled once per instruction set.
 *
 * isa/decimal_<isa>.c includes it.  That file defines the type `words` of DECIMAL_LANES words of 64 bits, and
 *
 *     words_load, words_store, words_add, words_and
 *     words_mul                               of the lower halves
 *     words_high                              w >> 32
 *     words_bytes, words_shorts, words_ints   all elements equal
 *     words_join_bytes                        a0 b0 + a1 b1 of bytes, a unsigned
 *     words_join_shorts                       the same of 16 bits
 *     words_pack                              32 bits to 16, from both operands in turn in each 128 bits
 */
#include "text/decimal.h"
#include "text/text_chars.h"

enum { VECTOR_BYTES = 8 * DECIMAL_LANES };

/* fours - convert each four characters to a number of 32 bits; the first character is in the lowest byte. */
static inline words fours(const char *s)
{
    const words x = words_and(words_load(s), words_bytes(0x0f));
    return words_join_shorts(words_join_bytes(x, words_shorts(1 << 8 | 10)), words_ints(1 << 16 | 100));
}

/* A lane adds up DECIMAL_GROUPS / DECIMAL_LANES <= 64 products, each below 10^8 2^31: below 2^63.6. */
static void decimal_sums(unsigned __int128 *sum, const char *s, const struct decimal_weights *w)
{
    words low = words_bytes(0), high = words_bytes(0);
    for (size_t i = 0; i < DECIMAL_GROUPS; i += 2 * DECIMAL_LANES, s += 2 * VECTOR_BYTES) {
        chars_prefetch(s);
        if (VECTOR_BYTES == 64)
            chars_prefetch(s + VECTOR_BYTES);
        const words even = words_join_shorts(words_pack(fours(s), fours(s + VECTOR_BYTES)), words_ints(1 << 16 | 10000));
        const words odd = words_high(even);
        low = words_add(low, words_mul(even, words_load(w->low + i)));
        high = words_add(high, words_mul(even, words_load(w->high + i)));
        low = words_add(low, words_mul(odd, words_load(w->low + i + DECIMAL_LANES)));
        high = words_add(high, words_mul(odd, words_load(w->high + i + DECIMAL_LANES)));
    }
    uint64_t l[DECIMAL_LANES], h[DECIMAL_LANES];
    words_store(l, low);
    words_store(h, high);
    sum[0] = sum[1] = 0;
    for (unsigned k = 0; k < DECIMAL_LANES; k++) {
        sum[0] += l[k];
        sum[1] += h[k];
    }
}
