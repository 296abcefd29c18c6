/*
 * operands.h - numbers that are likely to go wrong, as limbs, as digits and as text.
 *
 * Every generator takes its seed and nothing else from outside, so that a report of (kind, size, seed) repeats it.
 */
#ifndef GFMUL_OPERANDS_H
#define GFMUL_OPERANDS_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

enum operand_kind {
    OPERAND_RANDOM,
    OPERAND_ONES, /* 2^(64 n) - 1 */
    OPERAND_ZERO,
    OPERAND_ONE,
    OPERAND_BIT,         /* one random bit */
    OPERAND_POWER_TOP,   /* 2^(64 n - 1) */
    OPERAND_POWER_MINUS, /* 2^k - 1, k random */
    OPERAND_POWER_PLUS,  /* 2^k + 1 */
    OPERAND_ONES_LESS,   /* 2^(64 n) - 2^k */
    OPERAND_RUNS,        /* long runs of zeros and ones, of random lengths */
    OPERAND_SHORT_RUNS,
    OPERAND_BLOCKS,      /* zeros and ones alternate in blocks of one random length */
    OPERAND_SPARSE,      /* a few bits */
    OPERAND_DENSE,       /* all ones but a few bits */
    OPERAND_TOP_BIT,     /* random, the top bit set */
    OPERAND_HIGH_ZERO,   /* random, the high limbs zero */
    OPERAND_LOW_ZERO,    /* random, the low limbs zero */
    OPERAND_EQUAL_LIMBS, /* one random limb, repeated */

    /* Patterns of balanced digits of l bits; the largest convolutions and the longest recoding chains. */
    OPERAND_DIGITS_MAX,       /* every digit +2^(l-1) - 1: the largest that is its own balanced digit in any convention */
    OPERAND_DIGITS_HALF,      /* every raw digit 2^(l-1): each one at the tie of the recoding */
    OPERAND_DIGITS_MIN,       /* every digit -2^(l-1) */
    OPERAND_DIGITS_ALTERNATE, /* +(2^(l-1) - 1), -2^(l-1), ... */
    OPERAND_DIGITS_PAIRS,     /* two up, two down */
    OPERAND_DIGITS_SIGNS,     /* +-(2^(l-1) - 1), random signs */
    OPERAND_DIGITS_WAVE,      /* sign cos(2 pi f j), f random: aligned with a twiddle */
    OPERAND_DIGITS_THUE,      /* signs of Thue and Morse: aligned with the tree */
    OPERAND_DIGITS_CHAIN,     /* raw digits 2^(l-1) - 1 above one of 2^(l-1): a carry that runs through all */
    OPERAND_DIGITS_NEAR,      /* raw digits 2^(l-1) - 1, 2^(l-1), 2^(l-1) + 1, 0, 2^l - 1 at random */
    OPERAND_DIGITS_SPARSE,    /* a few digits at the maximum, the others zero */
    OPERAND_KINDS
};

/* operand_name - a kind as text. */
const char *operand_name(enum operand_kind kind);

/*
 * operand_fill - write an operand.
 *
 *   a           out  n limbs
 *   digit_bits  in   l of the patterns of digits; longer ones, as products modulo primes have, are halved until they fit
 */
enum { OPERAND_DIGIT_BITS_MOST = 30 };
void operand_fill(mp_limb_t *a, size_t n, enum operand_kind kind, unsigned digit_bits, uint64_t seed);

/* operand_digit - digit j of n of the patterns OPERAND_DIGITS_... in any base B >= 2, in [-B/2, B/2]; of other kinds a random
   one. */
int64_t operand_digit(enum operand_kind kind, uint64_t base, size_t j, size_t n, uint64_t seed);

enum text_kind {
    TEXT_RANDOM,
    TEXT_NINES,            /* base^n - 1 */
    TEXT_POWER,            /* base^(n-1) */
    TEXT_POWER_MINUS,      /* base^(n-1) + base^k - 1, k random */
    TEXT_POWER_PLUS,       /* base^(n-1) + 1 */
    TEXT_HALF,             /* every digit base/2 */
    TEXT_HALF_LESS,        /* every digit base/2 - 1 (1 in base 2 and 3) */
    TEXT_GROUPS_HALF,      /* groups of k digits, each base^k / 2: the tie of the recoding */
    TEXT_GROUPS_ALTERNATE, /* groups of zeros and nines */
    TEXT_SPARSE,
    TEXT_RUNS,
    TEXT_KINDS
};

const char *text_kind_name(enum text_kind kind);

/*
 * text_fill - write a number of n digits in a base, the first digit not 0, lower case, no NUL.
 *   group  in  k of the patterns of groups, counted from the last digit
 */
void text_fill(char *s, size_t n, enum text_kind kind, unsigned base, unsigned group, uint64_t seed);

#endif
