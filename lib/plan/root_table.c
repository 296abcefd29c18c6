/*
 * root_table.c - tables of roots of unity, in fixed point with 192 bits after the point.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/root_table.h"

#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LIMBS = 4, FRACTION_LIMBS = 3 };

_Static_assert(GMP_NUMB_BITS == 64, "constants below are limbs of 64 bits");

struct fixed {
    mp_limb_t p[LIMBS]; /* times 2^-192 */
    bool negative;
};

struct fixed_complex {
    struct fixed re, im;
};

static const struct fixed half_pi = {
    {UINT64_C(0x52049c1114cf98e8), UINT64_C(0x898cc51701b839a2), UINT64_C(0x921fb54442d18469), 1}, false};
static const struct fixed one = {{0, 0, 0, 1}, false};

static struct fixed fixed_neg(struct fixed a)
{
    a.negative = !a.negative;
    return a;
}

static struct fixed fixed_add(struct fixed a, struct fixed b)
{
    if (a.negative == b.negative) {
        mpn_add_n(a.p, a.p, b.p, LIMBS); /* all values are below 2^10 */
    } else if (mpn_cmp(a.p, b.p, LIMBS) >= 0) {
        mpn_sub_n(a.p, a.p, b.p, LIMBS);
    } else {
        mpn_sub_n(a.p, b.p, a.p, LIMBS);
        a.negative = b.negative;
    }
    return a;
}

static struct fixed fixed_mul(struct fixed a, struct fixed b)
{
    mp_limb_t t[2 * LIMBS];
    mpn_mul_n(t, a.p, b.p, LIMBS);
    memcpy(a.p, t + FRACTION_LIMBS, sizeof a.p);
    a.negative ^= b.negative;
    return a;
}

static struct fixed fixed_div(struct fixed a, uint64_t b)
{
    mpn_divrem_1(a.p, 0, a.p, LIMBS, b);
    return a;
}

static bool fixed_is_zero(const struct fixed *a)
{
    return (a->p[0] | a->p[1] | a->p[2] | a->p[3]) == 0;
}

static struct fixed_complex complex_mul(struct fixed_complex a, struct fixed_complex b)
{
    return (struct fixed_complex){fixed_add(fixed_mul(a.re, b.re), fixed_neg(fixed_mul(a.im, b.im))),
                                  fixed_add(fixed_mul(a.re, b.im), fixed_mul(a.im, b.re))};
}

/* fixed_root - e(num / den). */
static struct fixed_complex fixed_root(uint64_t num, uint64_t den)
{
    /* num / den = quarter / 4 + r / (4 den), |r| <= den / 2: the angle is (pi / 2) (r / den), at most pi / 4 */
    const unsigned __int128 four = (unsigned __int128)(num % den) * 4;
    const uint64_t quarter = (uint64_t)((four + den / 2) / den);
    const int64_t r = (int64_t)(four - (unsigned __int128)quarter * den);
    struct fixed ratio = {{0, 0, 0, (uint64_t)(r < 0 ? -r : r)}, r < 0};
    const struct fixed x = fixed_mul(half_pi, fixed_div(ratio, den)), minus_x2 = fixed_neg(fixed_mul(x, x));
    struct fixed_complex w = {one, one};
    struct fixed c = one, s = one; /* terms of cos x, of sin x / x */
    for (uint64_t k = 1; !fixed_is_zero(&c) || !fixed_is_zero(&s); k++) {
        c = fixed_div(fixed_mul(c, minus_x2), (2 * k - 1) * (2 * k));
        s = fixed_div(fixed_mul(s, minus_x2), 2 * k * (2 * k + 1));
        w.re = fixed_add(w.re, c);
        w.im = fixed_add(w.im, s);
    }
    w.im = fixed_mul(w.im, x);
    for (uint64_t i = 0; i < quarter % 4; i++)
        w = (struct fixed_complex){fixed_neg(w.im), w.re};
    return w;
}

/* triple_from_fixed - add the 32-bit pieces, from the largest on; the omitted ones are below 2^-158. */
static void triple_from_fixed(double t[3], const struct fixed *a)
{
    t[0] = t[1] = t[2] = 0;
    for (int i = 2 * LIMBS - 1; i >= 0; i--) {
        double rest = ldexp((double)(uint32_t)(a->p[i / 2] >> (32 * (i % 2))), 32 * i - 64 * FRACTION_LIMBS);
        for (int k = 0; k < 3; k++) { /* two-sums */
            const double sum = t[k] + rest, z = sum - t[k];
            rest = (t[k] - (sum - z)) + (rest - z);
            t[k] = sum;
        }
    }
    for (int k = 0; k < 3; k++)
        t[k] = a->negative ? -t[k] : t[k];
}

void root_table(struct triple_complex *root, uint64_t num, uint64_t den, unsigned count)
{
    const struct fixed_complex step = fixed_root(num, den);
    struct fixed_complex w = {one, {{0, 0, 0, 0}, false}};
    for (unsigned k = 0; k < count; k++) {
        triple_from_fixed(root[k].re, &w.re);
        triple_from_fixed(root[k].im, &w.im);
        w = complex_mul(w, step);
    }
}
