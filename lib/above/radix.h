/*
 * radix.h - conversion between limbs and text in bases that are no powers of two, by trees of powers.   beta = 2^64
 */
#ifndef GFMUL_RADIX_H
#define GFMUL_RADIX_H

#include "above/divide.h"
#include "mul/mul.h"

enum { RADIX_LEVELS = 48, RADIX_LEAF_LIMBS = 64 };

/*
 * P_i = base^(leaf 2^i), an odd power times one of 2: the limbs of the odd one, the ring of products with it, and its transform.
 * Products with P_i are products with the odd power, shifted.
 */
struct radix_level {
    struct ring ring;
    struct ring_operand odd;
    size_t shift; /* P_i = odd 2^shift */
    size_t n;     /* limbs of P_i */
};

/* The powers of a tree whose root has leaf 2^n digits: P_0 .. P_(n-1). */
struct radix_tree {
    unsigned base;
    size_t leaf; /* digits of a leaf, which has at most RADIX_LEAF_LIMBS limbs */
    unsigned n;  /* 1 or more */
    struct radix_level level[RADIX_LEVELS];
    void *memory; /* of the call */
};

/*
 * radix_begin - make the powers of a tree that has room for this many digits.
 *
 *   print  in  true: no product needs P_(n-1), so it has neither ring nor transform
 * End it with radix_end, also after an error.   Errors: those of gfmul_mul.
 */
enum gfmul_status radix_begin(struct call *call, struct radix_tree *x, unsigned base, size_t digits, bool print);
void radix_end(struct call *call, struct radix_tree *x);

/* Powers of a base: power[i] = base^i for i <= in_limb, the largest one below 2^64. */
struct radix_powers {
    size_t in_limb;
    mp_limb_t power[64];
};
struct radix_powers radix_powers_of(unsigned base);

/* radix_share - the products that follow take this part of the progress that is left: the powers, then each level. */
void radix_share(struct call *call, double part);

/* radix_pays - whether a number of so many limbs is printed, or read, faster by a tree than by GMP. */
bool radix_pays(const struct call *call, size_t limbs, unsigned base, bool print);

/* radix_digits - an upper bound for the digits of a number of so many bits. */
size_t radix_digits(size_t bits, unsigned base);

/*
 * radix_to_limbs - z = the number of these n >= 1 digits, which are valid.   z out: text_limbs_max limbs.
 * radix_to_text - the digits of a > 0, without leading zeros.   z out: as many characters as digits; limbs_text_max suffices.
 * Both check the result modulo random primes, if the options want a check.   Errors: those of gfmul_mul.
 */
enum gfmul_status radix_to_limbs(struct call *call, mp_limb_t *z, size_t *zn, const char *digits, size_t n, unsigned base);
enum gfmul_status radix_to_text(struct call *call, char *z, size_t *zn, const mp_limb_t *a, size_t an, unsigned base);

/*
 * radix_result_check - whether a number can be printed there.   Errors: ARGUMENT.
 * radix_print - a number with its sign and a NUL, by the faster method; high limbs may be 0.   to in: checked
 * radix_read - a number in text, as limbs, by the faster method.
 *
 *   z     out  a buffer of the call, given back with ctx_buffer_put; NULL after an error.  The highest of zn limbs is not 0
 *   room  in   digits that are certainly too many for so many limbs are the status `error`, and are not converted
 *   from  in   not checked yet
 * Errors: those of gfmul_get_str and gfmul_set_str.
 */
enum gfmul_status radix_result_check(struct call *call, const struct text_result *to);
enum gfmul_status radix_print(struct call *call, const struct text_result *to, const mp_limb_t *a, size_t an, bool negative);
struct radix_room {
    size_t limbs;
    enum gfmul_status error;
};
enum gfmul_status radix_read(struct call *call, mp_limb_t **z, size_t *zn, bool *negative, struct radix_room room,
                             const struct text_argument *from);

/* radix_check - check that limbs and digits are the same number modulo random primes, if the options want a check. */
enum gfmul_status radix_check(struct call *call, const mp_limb_t *a, size_t an, const char *digits, size_t n, unsigned base);

#endif
