/* reference.c - slow, obvious references, which share no code with the library. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ref_mul(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    memset(z, 0, (an + bn) * sizeof *z);
    if (an == 0)
        return;
    for (size_t i = 0; i < bn; i++)
        z[an + i] = mpn_addmul_1(z + i, a, (mp_size_t)an, b[i]);
}

void ref_mul_gmp(mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    if (an == 0 || bn == 0)
        memset(z, 0, (an + bn) * sizeof *z);
    else if (a == b && an == bn)
        mpn_sqr(z, a, (mp_size_t)an);
    else if (an >= bn)
        mpn_mul(z, a, (mp_size_t)an, b, (mp_size_t)bn);
    else
        mpn_mul(z, b, (mp_size_t)bn, a, (mp_size_t)an);
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

void ref_text_mul(char *z, const char *a, size_t an, const char *b, size_t bn, unsigned base)
{
    uint64_t carry = 0;
    for (size_t k = 0; k < an + bn; k++) { /* columns from the least significant end; at most 36^2 an each */
        uint64_t sum = carry;
        size_t lo = k >= bn ? k - bn + 1 : 0;
        for (size_t i = lo; i <= k && i < an; i++)
            sum += (uint64_t)digit_value(a[an - 1 - i]) * digit_value(b[bn - 1 - (k - i)]);
        z[an + bn - 1 - k] = "0123456789abcdefghijklmnopqrstuvwxyz"[sum % base];
        carry = sum / base;
    }
}

/* Taylor series, |x| <= pi/4. */
static void cos_sin_series(ref_quad *c, ref_quad *s, ref_quad x)
{
    ref_quad x2 = x * x, term_c = 1, term_s = x, sum_c = 0, sum_s = 0;
    for (int k = 1; k < 40; k += 2) {
        sum_c += term_c;
        sum_s += term_s;
        term_c = -term_c * x2 / (ref_quad)(k * (k + 1));
        term_s = -term_s * x2 / (ref_quad)((k + 1) * (k + 2));
    }
    *c = sum_c;
    *s = sum_s;
}

void ref_cos_sin(ref_quad *c, ref_quad *s, uint64_t p, uint64_t q)
{
    /* pi in three doubles: 159 bits */
    const ref_quad pi = (ref_quad)0x1.921fb54442d18p+1 + ((ref_quad)0x1.1a62633145c07p-53 + (ref_quad)-0x1.f1976b7ed8fbcp-109);
    /* p/q = quarter / 4 + r / (4q) turns, |r| / (4q) <= 1/8 */
    unsigned __int128 four = (unsigned __int128)4 * (p % q);
    unsigned quarter = (unsigned)(four / q);
    int64_t r = (int64_t)(uint64_t)(four % q);
    if (2 * (unsigned __int128)(uint64_t)r > q) {
        r -= (int64_t)q;
        quarter++;
    }
    ref_quad x, y;
    cos_sin_series(&x, &y, pi * (ref_quad)r / (2 * (ref_quad)q));
    switch (quarter % 4) {
    case 0:
        *c = x, *s = y;
        break;
    case 1:
        *c = -y, *s = x;
        break;
    case 2:
        *c = -x, *s = -y;
        break;
    default:
        *c = y, *s = -x;
        break;
    }
}

struct ref_angle ref_node_angle(unsigned odd, unsigned depth, size_t node, unsigned quarter)
{
    /* theta = (theta_t + rev(k)) / 2^depth, theta_t = (quarter/4 + t) / odd */
    size_t t = node >> depth, k = node & (((size_t)1 << depth) - 1), rev = 0;
    for (unsigned i = 0; i < depth; i++)
        rev |= (k >> i & 1) << (depth - 1 - i);
    struct ref_angle angle;
    angle.p = quarter + 4 * (uint64_t)t + 4 * (uint64_t)odd * rev;
    angle.q = 4 * (uint64_t)odd << depth;
    return angle;
}

void ref_spectrum(long double *out_re, long double *out_im, const double *re, const double *im, unsigned odd, unsigned log2_n,
                  unsigned quarter)
{
    size_t n = (size_t)odd << log2_n, q = 4 * n;
    long double *cosine = malloc(q * sizeof *cosine), *sine = malloc(q * sizeof *sine);
    if (cosine == NULL || sine == NULL) {
        fprintf(stderr, "ref_spectrum: no memory\n");
        exit(1);
    }
    for (size_t i = 0; i < q; i++) {
        ref_quad c, s;
        ref_cos_sin(&c, &s, i, q);
        cosine[i] = (long double)c;
        sine[i] = (long double)s;
    }
    for (size_t k = 0; k < n; k++) {
        struct ref_angle angle = ref_node_angle(odd, log2_n, k, quarter);
        long double sum_re = 0, sum_im = 0;
        size_t at = 0; /* j p mod q */
        for (size_t j = 0; j < n; j++) {
            sum_re += re[j] * cosine[at] - im[j] * sine[at];
            sum_im += re[j] * sine[at] + im[j] * cosine[at];
            at += angle.p;
            if (at >= q)
                at -= q;
        }
        out_re[k] = sum_re;
        out_im[k] = sum_im;
    }
    free(cosine);
    free(sine);
}
