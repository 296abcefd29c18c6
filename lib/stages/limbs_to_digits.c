/* limbs_to_digits.c - balanced digits of base 2^l straight from limbs.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "limbs/limb_bits.h"
#include "stages/stage_ops.h"

/* cut_chunk, cut_wide - count digits from digit first on: Booth digits of their bits and the one below. */
static void cut_chunk(int32_t *d, const mp_limb_t *a, size_t an, unsigned l, size_t first, size_t count)
{
    size_t j = 0, bit = first * l;
    if (bit == 0 && count > 0) { /* there is no bit below the first digit */
        d[j++] = (int32_t)booth_digit(limb_bits(a, an, 0) << 1, l);
        bit += l;
    }
    for (; j < count && bit + 127 < 64 * an; j++, bit += l) { /* both limbs are inside */
        size_t k = (bit - 1) / 64, shift = (bit - 1) % 64;
        d[j] = (int32_t)booth_digit(a[k] >> shift | (a[k + 1] << 1) << (63 - shift), l);
    }
    for (; j < count; j++, bit += l)
        d[j] = (int32_t)booth_digit(limb_bits(a, an, bit - 1), l);
}

static void cut_wide(const struct digit_source *source, double *d, size_t first, size_t count)
{
    const mp_limb_t *a = source->limbs;
    const size_t an = source->n_limbs;
    const unsigned l = source->shape->digits.exponent;
    size_t j = 0, bit = first * l;
    if (bit == 0 && count > 0) {
        d[j++] = (double)booth_digit(limb_bits(a, an, 0) << 1, l);
        bit += l;
    }
    for (; j < count && bit + 127 < 64 * an; j++, bit += l) {
        const size_t k = (bit - 1) / 64, shift = (bit - 1) % 64;
        d[j] = (double)booth_digit(a[k] >> shift | a[k + 1] << 1 << (63 - shift), l);
    }
    for (; j < count; j++, bit += l)
        d[j] = (double)booth_digit(limb_bits(a, an, bit - 1), l);
}

static void cut(const struct digit_source *source, int32_t *d, size_t first, size_t count)
{
    const unsigned l = source->shape->digits.exponent;
    size_t done = 0;
    if (first == 0 && count > 0) { /* no byte lies below the first group */
        done = count < PLAN_BLOCK ? count : PLAN_BLOCK;
        cut_chunk(d, source->limbs, source->n_limbs, l, 0, done);
    }
    if (source->isa->limbs_cut)
        done += source->isa->limbs_cut(source, d + done, first + done, count - done);
    if (done < count)
        cut_chunk(d + done, source->limbs, source->n_limbs, l, first + done, count - done);
}

/* Not their first line, where the digits before them end; but the bytes behind them, because loads have 8 bytes. */
static void prefetch(const struct digit_source *source, size_t first)
{
    const char *p = (const char *)source->limbs + first / PLAN_BLOCK * source->shape->digits.exponent; /* 64 digits: 8 l bytes */
    const unsigned last = 8 * source->shape->digits.exponent + 7;
    for (unsigned k = 63; k < last; k += 64)
        __builtin_prefetch(p + k, 0, 2);
    __builtin_prefetch(p + last, 0, 2);
}

/* Shorter numbers stay in the first-level cache. */
enum { FAR_LIMBS = 4096 };

void limbs_source(struct digit_source *source, const struct plan *plan, const mp_limb_t *a, size_t an)
{
    const int l = (int)plan->shape.digits.exponent;
    source->cut = cut; /* one by one: an initializer would clear the tables */
    source->cut_wide = cut_wide;
    source->prefetch = an < FAR_LIMBS ? NULL : prefetch;
    source->shape = &plan->shape;
    source->isa = plan->isa;
    source->limbs = a;
    source->n_limbs = an;
    source->text = NULL;
    source->digits = NULL;
    source->n_digits = 0;
    for (int j = 0; j < PLAN_BLOCK; j++) { /* Booth digit j of a group needs l + 1 bits from bit j l - 1 on */
        const int bit = j * l - 1;
        source->byte_offset[j] = bit >> 3;
        source->shift_left[j] = 64 - (l + 1) - (bit & 7);
    }
    if (l > MAX_QUAD_BITS)
        return;
    for (int j = 0; j < QUAD_DIGITS; j++) {
        const int bit = j * l - 1, at = (j / 4 * 4 * l - 1) >> 3;
        source->quad_at[j / 4] = at;
        source->quad_left[j] = 32 - (l + 1) - (bit & 7);
        const uint32_t bytes = UINT32_C(0x03020100) + UINT32_C(0x01010101) * (uint32_t)((bit >> 3) - at);
        const uint32_t shown = bytes | (bytes & UINT32_C(0x10101010)) << 3; /* the highest bit: zero, for bytes 16 to 18 */
        for (unsigned k = 0; k < 4; k++)
            source->quad_bytes[4 * j + (int)k] = (uint8_t)(shown >> 8 * k);
    }
}
