/*
 * product.h - the numbers of one product: in limbs, in text, or on a device.
 *
 * The public function that begins a product declares it once and hands it down const.
 */
#ifndef GFMUL_PRODUCT_H
#define GFMUL_PRODUCT_H

#include <math.h>
#include <string.h>

#include "gfmul.h"
#include "limbs/limb_range.h"
#include "limbs/mul_small.h"
#include "text/text.h"

/* A number of a product.  At most one of limbs, digits and words is set; if none is, only the number's size is known. */
struct number {
    unsigned base;                   /* 2: limbs; else the base of the digits, 2..36 */
    size_t n;                        /* limbs or digits; the highest one of an operand is not zero */
    mp_limb_t *limbs;                /* in host memory; an operand's are only read */
    char *digits;                    /* text, most significant first, no sign; likewise */
    const struct text_number *text;  /* of an operand: the text that its digits come from */
    void *words;                     /* a cl_mem: limbs on .. */
    struct ocl_device *device;       /* .. this device */
    const uint64_t *residue;         /* modulo the context's first primes, as many as are needed; NULL: not known yet */
    const struct spectrum *spectrum; /* a kept spectrum, whose engine and plan the product uses; NULL: none */
};

/* z = a * b.  z.n is the sum of a.n and b.n, or in text perhaps one digit less.
   a is the longer one, unless b has a kept spectrum. */
struct product {
    struct number z, a, b;
    bool square;     /* b is a */
    size_t ring;     /* > 0: the product is wanted modulo 2^(64 ring) + 1, and z has ring + 1 limbs; 0: the whole product */
    bool ring_minus; /* modulo 2^(64 ring) - 1 instead, and z has ring limbs */
    enum gfmul_precision ring_precision; /* of a ring: AUTO: that of the options */
};

/* number_limbs - n limbs; the pointer's const is kept by convention: operands are never written. */
static inline struct number number_limbs(const mp_limb_t *limbs, size_t n)
{
    return (struct number){.base = 2, .n = n, .limbs = (mp_limb_t *)(uintptr_t)limbs};
}

/* number_digits - n characters in a base.   number_text - a number that text_scan has read. */
static inline struct number number_digits(const char *digits, size_t n, unsigned base)
{
    return (struct number){.base = base, .n = n, .digits = (char *)(uintptr_t)digits};
}

static inline struct number number_text(const struct text_number *text)
{
    struct number x = number_digits(text->digits, text->n_digits, text->base);
    x.text = text;
    return x;
}

/* number_words - n limbs on a device. */
static inline struct number number_words(struct ocl_device *device, void *words, size_t n)
{
    return (struct number){.base = 2, .n = n, .words = words, .device = device};
}

/* number_size - the size that a plan_request wants: bits of all limbs, or digits of text. */
static inline size_t number_size(const struct number *x)
{
    return x->base == 2 ? 64 * x->n : x->n;
}

/* number_bits - an upper bound: the number is below 2^number_bits. */
static inline double number_bits(const struct number *x)
{
    return x->base == 2 && !x->digits ? 64.0 * (double)x->n : ceil((double)x->n * log2(x->base)) + 1;
}

/* product_limbs - declare z = a * b, z of an + bn limbs; operands in any order, their highest limbs not zero. */
static inline struct product product_limbs(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const struct number x = number_limbs(a, an), y = number_limbs(b, bn);
    return (struct product){
        .z = number_limbs(z, an + bn), .a = an < bn ? y : x, .b = an < bn ? x : y, .square = is_square(a, an, b, bn)};
}

/*
 * product_of_limbs - the same for operands whose high limbs may be zero; z has an + bn limbs, too.
 *
 * The high limbs of z that the product does not reach are set to 0.  If an operand is 0 (b.n == 0 then), that is all of z.
 */
static inline struct product product_of_limbs(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    const struct product p = product_limbs(z, a, limbs_normal_size(a, an), b, limbs_normal_size(b, bn));
    const size_t made = p.b.n == 0 ? 0 : p.z.n;
    if (made < an + bn)
        memset(z + made, 0, (an + bn - made) * sizeof *z);
    return p;
}

/* product_text - declare z = a * b of numbers in text, in any bases and any order. */
static inline struct product product_text(struct number z, const struct text_number *a, const struct text_number *b)
{
    const bool swap = a->n_digits < b->n_digits;
    return (struct product){.z = z,
                            .a = number_text(swap ? b : a),
                            .b = number_text(swap ? a : b),
                            .square = a->base == b->base && a->digits == b->digits && a->n_digits == b->n_digits};
}

#endif
