/*
 * text.h - numbers in text: reading, cutting into digits, printing from a convolution, and conversion to and from limbs.
 */
#ifndef GFMUL_TEXT_H
#define GFMUL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfmul.h"
#include "stages/stage_ops.h"

/* A number read from text: contiguous significant digits, most significant first. */
struct text_number {
    bool negative;      /* never true for zero */
    unsigned base;      /* 2..36 */
    const char *digits; /* n_digits characters, all valid digits, the first one not '0'; in the caller's text if they are
                           contiguous there, else in owned */
    size_t n_digits;    /* 0 for zero */
    char *owned;        /* NULL, or a compacted copy */
};

/* The place and the reason of an error in text. */
struct text_error {
    size_t offset, line, column; /* byte offset; line and column counted from 1 */
    char reason[128];
};

/* The resources that reading a number may use. */
struct text_means {
    size_t room; /* bytes that it may allocate */
    unsigned threads;
    struct stage_monitor *monitor; /* of the progress callback; NULL: there is none */
};

/*
 * text_scan - check a number and find its digits.
 *
 *   num   out  end with text_number_free; digits may point into text, which must outlive it
 *   base  in   2..36, or 0: by the prefix 0x, 0o, 0b (either case), else 10.  Bases 16, 8 and 2 accept their own prefix if a
 *              digit follows.
 *   err   out  filled if the status is SYNTAX or EMPTY
 *   means in   threads and callback.  It allocates n_digits bytes if anything stands between digits, else none
 *
 * White space (space, tab, CR, LF, VT, FF) and '_' are ignored between digits.  White space around the number is ignored.  A sign
 * may stand before the first digit or prefix.  Anything else is SYNTAX.
 * Threads: parallel inside.   Cost: one pass.   Errors: SYNTAX, EMPTY, ARGUMENT, MEMORY, INTERRUPTED.
 */
enum gfmul_status text_scan(struct text_number *num, const char *text, size_t len, int base, struct text_error *err,
                            const struct text_means *means);
void text_number_free(struct text_number *num);

/*
 * text_source - an operand in text; B = base^exponent.
 *
 * Digit j is made of `exponent` text digits, from number j * exponent on, counted from the least significant end.  They are
 * balanced without a carry chain: t_j = [raw_j >= ceil(B/2)], digit_j = raw_j + t_(j-1) - B t_j, |digit_j| <= ceil(B/2).
 */
void text_source(struct digit_source *source, const struct plan *plan, const struct text_number *num);

/* text_cut_wide - cut_wide for such a source. */
void text_cut_wide(const struct digit_source *source, double *d, size_t first, size_t count);

/*
 * The coefficients that a sum of products of cells shares with its neighbours: int64_t, or __int128 in double-double.
 *
 *   in   n coefficients, added to v_0 .. v_(n-1); NULL: none.  Below 2^52, in double-double below 2^127
 *   out  n >= 1 coefficients for the next sum, with the numbers advance .. advance + n - 1.  They are not printed.  The carry
 *        out of digit advance - 1 is added to the first.  NULL: this is the last sum.
 *
 * With `out`, the text has advance * exponent characters, and coefficients from advance + n on are zero.  `out` and `in` must not
 * overlap.
 */
struct text_tails {
    const void *in;
    void *out;
    size_t n, advance;
};

/*
 * digits_to_text - double: round the convolution, carry in base B, write text digits.
 *
 *   z      out  zn characters, all written, most significant first, padded with '0'
 *   tails  in   NULL: a whole product
 *   stats  out  of all n_digits coefficients, also of those that z has no room for; may be NULL
 *
 * Value:   sum of v_j B^j mod base^zn, where v_j is round(x_j) plus the tail's coefficient.
 * Threads: parallel inside.   Cost: a pass over x.
 */
void digits_to_text(const struct plan *plan, char *z, size_t zn, const double *x, const struct text_tails *tails,
                    struct round_stats *stats, unsigned threads);

/* The destination of a product, or of one sum of its grid: zn characters at z. */
struct text_place {
    char *z;
    size_t zn;
    const struct text_tails *tails; /* NULL: a whole product */
};

/*
 * columns_to_text - columns_to_digits and digits_to_text, in the field of the plan.
 *
 *   place    in   its text out: undefined unless stats->max_value is below the field's value_limit
 *   x        i/o  the product before its inverse column passes; destroyed
 *   scratch  out  as in struct stage_ops
 *   stats    out  of all n_digits coefficients
 *
 * Decimal text of a whole product in double is carried and printed by vectors, strip by strip.
 * Threads: parallel inside.   Errors: MEMORY.
 */
enum gfmul_status columns_to_text(const struct plan *plan, const struct text_place *place, double *x, double *scratch,
                                  struct round_stats *stats, unsigned threads);

/*
 * dd_digits_to_text - digits_to_text for points in double-double.
 *
 * z and tails are as there, but tails->advance is a multiple of 64, and stats must not be NULL.
 * Threads: parallel inside.   Errors: MEMORY.
 */
enum gfmul_status dd_digits_to_text(const struct plan *plan, char *z, size_t zn, const double *x, const struct text_tails *tails,
                                    struct round_stats *stats, unsigned threads);

/* Conversions by way of limbs.  Power-of-two bases move bits; the others are GMP's mpn_set_str and mpn_get_str. */
size_t text_limbs_max(size_t n_digits, unsigned base); /* limbs that always suffice; 0 on overflow */
size_t text_limbs_min(size_t n_digits, unsigned base); /* limbs that any number of so many digits has, the first one not 0 */
/* zn out: significant limbs */
enum gfmul_status text_to_limbs(mp_limb_t *z, size_t *zn, const struct text_number *num);
size_t limbs_text_max(size_t an, unsigned base); /* characters that always suffice; 0 on overflow */
/* no leading zero; "0" for zero */
enum gfmul_status limbs_to_text(char *z, size_t *zn, const mp_limb_t *a, size_t an, unsigned base);

/*
 * text_residues - the absolute value of a number in text modulo each of several primes.
 *
 *   r        out  n_primes residues
 *   num      in   digits may have leading zeros
 *   p        in   n_primes numbers below 2^62
 *   isa_bit  in   CPU_ISA_... of base/cpu.h: the instruction set to use
 *
 * Threads: parallel inside.   Cost: one pass for every four primes.
 */
void text_residues(uint64_t *r, const struct text_number *num, const uint64_t *p, unsigned n_primes, unsigned isa_bit,
                   unsigned threads);

/* text_is_digits - whether n characters are all digits of a base, in lower case.  The residue masks bits, so it cannot tell. */
bool text_is_digits(const char *s, size_t n, unsigned base, unsigned threads);

#endif
