/*
 * parts.h - parts of a product within a call, and products modulo 2^(64 n) - 1 and 2^(64 n) + 1.
 */
#ifndef GFMUL_PARTS_H
#define GFMUL_PARTS_H

#include "above/ring.h"
#include "gfmul_arith.h"

/* Two operands and the result, as a caller gives them. */
struct part_arguments {
    mp_limb_t *z;
    const mp_limb_t *a, *b;
    size_t zn, an, bn;
    size_t from; /* the part begins at this limb of the product */
};

/* part_arguments_check - check such arguments for NULL, sizes and overlap.   Errors: ARGUMENT, SIZE, OVERLAP. */
enum gfmul_status part_arguments_check(struct call *call, const struct part_arguments *of);

/* part_middle - gfmul_mulmid within a call, arguments checked.   an >= bn >= 1. */
enum gfmul_status part_middle(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);

/*
 * part_minus - z = a b modulo 2^(64 n) - 1, in [0, 2^(64 n) - 2].   part_plus - modulo 2^(64 n) + 1, in [0, 2^(64 n)].
 *
 *   z     out  n limbs; part_plus: n + 1
 *   a, b  in   at most n limbs
 */
enum gfmul_status part_minus(struct call *call, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                             size_t bn);
enum gfmul_status part_plus(struct call *call, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                            size_t bn);

/*
 * minus_fold - z = a modulo 2^(64 n) - 1, in [0, 2^(64 n) - 1]; a of an limbs, any number.   Aliasing: z may be a.
 * minus_is_zero - whether z, of n limbs, is 0 or the modulus itself.   Threads: pure.
 * minus_join - z modulo 2^(128 m) - 1, 2 m limbs, in [0, 2^(128 m) - 1], from v modulo 2^(64 m) + 1 and u modulo 2^(64 m) - 1.
 *
 *   z        i/o  in: the lowest m limbs of v or of its negative, then u, in [0, 2^(64 m) - 2], in m limbs
 *   top      in   the highest limb of v, which is at most 2^(64 m)
 *   negated  in   whether the negative of v is there
 */
void minus_fold(mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an);
bool minus_is_zero(const mp_limb_t *z, size_t n);
void minus_join(mp_limb_t *z, size_t m, mp_limb_t top, bool negated);

#endif
