/*
 * vec_lanes.h - operations on vectors that are the same for every instruction set; included at the end of vec_<isa>.h.
 *
 *   vec_loadu(p), vec_storeu(p, a)            p need not be aligned
 *   vec_load_lanes(p, n), vec_store_lanes(p, a, n)
 *                                             the lowest n lanes, the others zero; n is 1, VEC_WIDTH / 2 or VEC_WIDTH, a constant
 *   vec_zip_low(a, b), vec_zip_high(a, b)     lanes of a and of b in turn, of their lower or upper halves
 *   vec_load_pairs(p, &re, &im)               re[i] = p[2 i], im[i] = p[2 i + 1]
 *   vec_load_pairs_half(p, &re, &im)          the same for i < VEC_WIDTH / 2; the upper lanes are others of p
 *   vec_store_pairs(p, re, im)                p[2 i] = re[i], p[2 i + 1] = im[i]
 *   vec_back(a)                               the lanes in reverse order
 */
#ifndef GFMUL_VEC_LANES_H
#define GFMUL_VEC_LANES_H

#include <stdint.h>

typedef vec vec_unaligned __attribute__((aligned(sizeof(vec_real)), may_alias));

static inline vec vec_loadu(const vec_real *p) { return *(const vec_unaligned *)p; }
static inline void vec_storeu(vec_real *p, vec a) { *(vec_unaligned *)p = a; }

#if VEC_WIDTH == 1
static inline vec vec_load_lanes(const vec_real *p, unsigned n)
{
    (void)n;
    return *p;
}
static inline void vec_store_lanes(vec_real *p, vec a, unsigned n)
{
    (void)n;
    *p = a;
}
static inline vec vec_zip_low(vec a, vec b)
{
    (void)b;
    return a;
}
static inline vec vec_zip_high(vec a, vec b)
{
    (void)a;
    return b;
}
static inline void vec_load_pairs(const vec_real *p, vec *re, vec *im)
{
    *re = p[0];
    *im = p[1];
}
static inline void vec_load_pairs_half(const vec_real *p, vec *re, vec *im) { vec_load_pairs(p, re, im); }
static inline void vec_store_pairs(vec_real *p, vec re, vec im)
{
    p[0] = re;
    p[1] = im;
}
static inline vec vec_back(vec a) { return a; }
#else

/* Elements of two vectors, by their numbers. */
#if defined(__clang__) || __GNUC__ >= 12
#define VEC_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#ifdef VEC_FLOAT
typedef int32_t vec_mask __attribute__((vector_size(sizeof(vec))));
#else
typedef int64_t vec_mask __attribute__((vector_size(sizeof(vec))));
#endif
#define VEC_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vec_mask){__VA_ARGS__})
#endif
/* clang-format off */
#if VEC_WIDTH == 2
#define VEC_EVEN     0, 2
#define VEC_ODD      1, 3
#define VEC_ZIP_LOW  0, 2
#define VEC_ZIP_HIGH 1, 3
#define VEC_BACK     1, 0
#elif VEC_WIDTH == 4
#define VEC_EVEN     0, 2, 4, 6
#define VEC_ODD      1, 3, 5, 7
#define VEC_ZIP_LOW  0, 4, 1, 5
#define VEC_ZIP_HIGH 2, 6, 3, 7
#define VEC_BACK     3, 2, 1, 0
#elif VEC_WIDTH == 8
#define VEC_EVEN     0, 2, 4, 6, 8, 10, 12, 14
#define VEC_ODD      1, 3, 5, 7, 9, 11, 13, 15
#define VEC_ZIP_LOW  0, 8, 1, 9, 2, 10, 3, 11
#define VEC_ZIP_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#define VEC_BACK     7, 6, 5, 4, 3, 2, 1, 0
#else
#define VEC_EVEN     0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define VEC_ODD      1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define VEC_ZIP_LOW  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define VEC_ZIP_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define VEC_BACK     15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#endif
/* clang-format on */

static inline vec vec_load_lanes(const vec_real *p, unsigned n)
{
#if VEC_WIDTH >= 4
    if (n == VEC_WIDTH / 2)
        return vec_load_half(p);
#endif
    return n == 1 ? (vec){*p} : vec_loadu(p);
}
static inline void vec_store_lanes(vec_real *p, vec a, unsigned n)
{
#if VEC_WIDTH >= 4
    if (n == VEC_WIDTH / 2) {
        vec_store_half(p, a);
        return;
    }
#endif
    if (n == 1)
        *p = a[0];
    else
        vec_storeu(p, a);
}
static inline vec vec_zip_low(vec a, vec b) { return VEC_SHUFFLE(a, b, VEC_ZIP_LOW); }
static inline vec vec_zip_high(vec a, vec b) { return VEC_SHUFFLE(a, b, VEC_ZIP_HIGH); }
static inline void vec_load_pairs(const vec_real *p, vec *re, vec *im)
{
    const vec a = vec_loadu(p), b = vec_loadu(p + VEC_WIDTH);
    *re = VEC_SHUFFLE(a, b, VEC_EVEN);
    *im = VEC_SHUFFLE(a, b, VEC_ODD);
}
static inline void vec_load_pairs_half(const vec_real *p, vec *re, vec *im)
{
    const vec a = vec_loadu(p);
    *re = VEC_SHUFFLE(a, a, VEC_EVEN);
    *im = VEC_SHUFFLE(a, a, VEC_ODD);
}
static inline void vec_store_pairs(vec_real *p, vec re, vec im)
{
    vec_storeu(p, vec_zip_low(re, im));
    vec_storeu(p + VEC_WIDTH, vec_zip_high(re, im));
}
static inline vec vec_back(vec a) { return VEC_SHUFFLE(a, a, VEC_BACK); }
#endif

#endif
