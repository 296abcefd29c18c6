/* vec_dekker.h - the exact error of a product without FMA, by splitting into halves [Dek71].   Needs |a|, |b| < 2^900. */
#ifndef GFMUL_VEC_DEKKER_H
#define GFMUL_VEC_DEKKER_H

static inline vec vec_product_error(vec a, vec b, vec p)
{
    const vec splitter = vec_set1(134217729.0); /* 2^27 + 1 */
    vec t = vec_mul(splitter, a), ah = vec_sub(t, vec_sub(t, a)), al = vec_sub(a, ah);
    vec s = vec_mul(splitter, b), bh = vec_sub(s, vec_sub(s, b)), bl = vec_sub(b, bh);
    vec e = vec_sub(vec_mul(ah, bh), p);
    e = vec_add(e, vec_mul(ah, bl));
    e = vec_add(e, vec_mul(al, bh));
    return vec_add(e, vec_mul(al, bl));
}

#endif
