/* tiny_mpn.c - the few functions of GMP that the stages and t-spectrum.c call, for a cross-compiled test without GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#define __GMP_NO_ATTRIBUTE_CONST_PURE 1
#define mpn_add_1                     gmp_inline_add_1 /* the header has inline versions of these two */
#define mpn_sub_1                     gmp_inline_sub_1
#include <gmp.h>
#undef mpn_add_1
#undef mpn_sub_1
#define mpn_add_1 __gmpn_add_1
#define mpn_sub_1 __gmpn_sub_1

mp_limb_t mpn_add_1(mp_ptr z, mp_srcptr a, mp_size_t n, mp_limb_t b);
mp_limb_t mpn_sub_1(mp_ptr z, mp_srcptr a, mp_size_t n, mp_limb_t b);

mp_limb_t mpn_add_1(mp_ptr z, mp_srcptr a, mp_size_t n, mp_limb_t b)
{
    for (mp_size_t i = 0; i < n; i++) {
        z[i] = a[i] + b;
        b = z[i] < b;
    }
    return b;
}

mp_limb_t mpn_sub_1(mp_ptr z, mp_srcptr a, mp_size_t n, mp_limb_t b)
{
    for (mp_size_t i = 0; i < n; i++) {
        mp_limb_t d = a[i];
        z[i] = d - b;
        b = d < b;
    }
    return b;
}

mp_limb_t mpn_add_n(mp_ptr z, mp_srcptr a, mp_srcptr b, mp_size_t n)
{
    mp_limb_t carry = 0;
    for (mp_size_t i = 0; i < n; i++) {
        unsigned __int128 t = (unsigned __int128)a[i] + b[i] + carry;
        z[i] = (mp_limb_t)t;
        carry = (mp_limb_t)(t >> 64);
    }
    return carry;
}

mp_limb_t mpn_sub_n(mp_ptr z, mp_srcptr a, mp_srcptr b, mp_size_t n)
{
    mp_limb_t borrow = 0;
    for (mp_size_t i = 0; i < n; i++) {
        unsigned __int128 t = (unsigned __int128)a[i] - b[i] - borrow;
        z[i] = (mp_limb_t)t;
        borrow = (mp_limb_t)(t >> 64) & 1;
    }
    return borrow;
}

mp_limb_t mpn_rshift(mp_ptr z, mp_srcptr a, mp_size_t n, unsigned bits)
{
    const mp_limb_t out = a[0] << (64 - bits);
    for (mp_size_t i = 0; i < n; i++)
        z[i] = a[i] >> bits | (i + 1 < n ? a[i + 1] << (64 - bits) : 0);
    return out;
}

mp_limb_t mpn_addmul_1(mp_ptr z, mp_srcptr a, mp_size_t n, mp_limb_t b)
{
    mp_limb_t carry = 0;
    for (mp_size_t i = 0; i < n; i++) {
        unsigned __int128 t = (unsigned __int128)a[i] * b + z[i] + carry;
        z[i] = (mp_limb_t)t;
        carry = (mp_limb_t)(t >> 64);
    }
    return carry;
}

mp_limb_t mpn_mul(mp_ptr z, mp_srcptr a, mp_size_t an, mp_srcptr b, mp_size_t bn)
{
    for (mp_size_t i = 0; i < an + bn; i++)
        z[i] = 0;
    for (mp_size_t i = 0; i < bn; i++)
        z[an + i] = mpn_addmul_1(z + i, a, an, b[i]);
    return z[an + bn - 1];
}

void mpn_sqr(mp_ptr z, mp_srcptr a, mp_size_t n)
{
    mpn_mul(z, a, n, a, n);
}
