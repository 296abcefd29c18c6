/*
 * mul_text_short.c - products of short numbers in text, without a plan, on the stack: no lock, no clock, no report.
 *
 * The checks and buffers of the general path alone take as long as a whole product of a hundred digits takes here.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/mul.h"
#include "text/text_chars.h"

enum {
    SHORT_CHARS = 500,                            /* of an operand, including the sign */
    SHORT_LIMBS = (SHORT_CHARS * 517) / 6400 + 3, /* log2 36 < 5.17; mpn_set_str wants a limb more */
    PRODUCT_CHARS = 2 * SHORT_LIMBS * 64 + 2
};

struct short_number {
    bool negative;
    size_t n; /* limbs, the highest not zero; 0 for zero */
    mp_limb_t limb[SHORT_LIMBS];
};

/* short_read - a number in plain form: a sign or none, digits, nothing else.  False for any other form, and for base 0. */
static bool short_read(struct short_number *num, const struct text_argument *a)
{
    const char *text = a->text;
    const size_t len = a->len;
    const unsigned base = (unsigned)a->base;
    unsigned char value[SHORT_CHARS];
    size_t pos = 0, n = 0;
    num->negative = len > 0 && text[0] == '-';
    if (len > 0 && (text[0] == '-' || text[0] == '+'))
        pos = 1;
    if (pos == len)
        return false;
    for (; pos < len; pos++) {
        const unsigned v = char_value(text[pos]);
        if (v >= base)
            return false;
        value[n] = (unsigned char)v;
        n += (n | v) != 0; /* skip leading zeros */
    }
    num->n = n == 0 ? 0 : (size_t)mpn_set_str(num->limb, value, n, (int)base);
    return true;
}

bool mul_text_short(struct gfmul_ctx *ctx, const struct text_result *to, const struct text_argument *a_text,
                    const struct text_argument *b_text)
{
    char *z = to->z;
    struct short_number a, b;
    mp_limb_t product[2 * SHORT_LIMBS];
    unsigned char value[PRODUCT_CHARS];
    if (a_text->len > SHORT_CHARS || b_text->len > SHORT_CHARS || !short_read(&a, a_text) || !short_read(&b, b_text))
        return false;
    const struct short_number *x = a.n >= b.n ? &a : &b, *y = x == &a ? &b : &a;
    enum unreported by = UNREPORTED_GMP;
    size_t n = 1, zeros = 0;
    value[0] = 0;
    if (y->n > 0) {
        if (y->n >= ctx->planned_mul_limbs || y->n >= ctx->planned_sqr_limbs)
            return false;
        size_t zn = x->n + y->n;
        by = mul_unplanned(ctx, product, x->limb, x->n, y->limb, y->n);
        zn -= product[zn - 1] == 0;
        n = mpn_get_str(value, to->base ? to->base : a_text->base, product, (mp_size_t)zn);
        while (value[zeros] == 0)
            zeros++;
    }
    const size_t sign = y->n > 0 && a.negative != b.negative ? 1 : 0, digits = n - zeros;
    if (to->size < sign + digits + 1)
        return false;
    if (sign)
        z[0] = '-';
    for (size_t i = 0; i < digits; i++)
        z[sign + i] = char_of_value(value[zeros + i]);
    z[sign + digits] = '\0';
    if (to->len)
        *to->len = sign + digits;
    ctx_note(ctx, by);
    return true;
}
