/*
 * dd_digits.c - limbs to digits as doubles, for transforms in double-double.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/limb_bits.h"
#include "stages/dd_ops.h"

/* Digit j needs the l + 1 <= 47 bits from bit j l - 1 on; below the first digit there is a zero. */
static void cut(const struct dd_source *source, double *d, size_t first, size_t count)
{
    const mp_limb_t *a = source->limbs;
    const size_t an = source->n_limbs;
    const unsigned l = source->shape->digits.exponent;
    size_t j = 0, bit = first * l;
    if (bit == 0 && count > 0) {
        d[j++] = (double)booth_digit(limb_bits(a, an, 0) << 1, l);
        bit += l;
    }
    for (; j < count && bit + 127 < 64 * an; j++, bit += l) { /* both limbs are inside */
        const size_t k = (bit - 1) / 64, shift = (bit - 1) % 64;
        d[j] = (double)booth_digit(a[k] >> shift | a[k + 1] << 1 << (63 - shift), l);
    }
    for (; j < count; j++, bit += l)
        d[j] = (double)booth_digit(limb_bits(a, an, bit - 1), l);
}

void dd_limbs_source(struct dd_source *source, const struct plan_shape *shape, const mp_limb_t *a, size_t an)
{
    *source = (struct dd_source){.cut = cut, .shape = shape, .limbs = a, .n_limbs = an};
}
