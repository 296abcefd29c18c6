/*
 * prime_field.h - arithmetic modulo a prime p < PRIME_LIMIT on vectors of doubles that hold integers.
 *
 * Residues are lazy: a vector stands for its values modulo p, and each operation states the range of its values, in units of p.
 * With a fused multiply-add, both halves of a product are exact (doc/error-bound.md, section 22).  Without one, the difference of
 * the product and the multiple of p is computed modulo 2^64, in integers.
 *
 *                       input         |result| with FMA            without
 *     field_reduce      |x| <= 10     1/2 (1 + 2^-40)              1/2 (1 + 2^-40)
 *     field_lift        |x| <= 10     0 .. p - 1                   0 .. p - 1
 *     field_mul         see there     1/2 + 0.05 |x|               1/2 + 0.10 |x|
 *     field_mul_any     |x y| <= 2    1/2 + 0.20 |x y|             1/2 + 0.30 |x y|
 */
#ifndef GFMUL_PRIME_FIELD_H
#define GFMUL_PRIME_FIELD_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "plan/prime_table.h"

/* The range of x in field_mul.  With FMA the quotient |x| / 2 must be below 2^51; without FMA, x only needs to be exact. */
#define FIELD_MUL_MOST (VEC_HAS_FMA ? 5.0 : 10.0)

/* The input range of the butterflies; they return 2.2 at most. */
#define FIELD_FORWARD_MOST (VEC_HAS_FMA ? 2.4 : 2.8)

/* The range of input and output of the inverse butterflies. */
#define FIELD_BACK_MOST (VEC_HAS_FMA ? 1.25 : 1.68)

#define FIELD_MAGIC 0x1.8p52

struct field {
    vec p, inverse; /* 1/p */
};

/* A constant factor of products: |w| <= p / 2, and w / p. */
struct field_factor {
    vec w, quotient;
};

STAGE_INLINE struct field field_of(const struct prime *prime)
{
    return (struct field){vec_set1((double)prime->p), vec_set1(1.0 / (double)prime->p)};
}

/* field_within - whether all lanes are integers of size at most `most` p. */
STAGE_INLINE bool field_within(const struct field *f, vec x, double most)
{
    double v[VEC_WIDTH], p[VEC_WIDTH];
    vec_storeu(v, x);
    vec_storeu(p, f->p);
    for (unsigned i = 0; i < VEC_WIDTH; i++)
        if (!(fabs(v[i]) <= most * p[0]) || v[i] != rint(v[i]))
            return false;
    return true;
}

/* field_reduce - x minus the nearest multiple of p. */
STAGE_INLINE vec field_reduce(const struct field *f, vec x)
{
    assert(field_within(f, x, 10.0));
    const vec magic = vec_set1(FIELD_MAGIC);
    const vec q = vec_sub(vec_fma(x, f->inverse, magic), magic); /* |q| <= 10, q p is exact */
    return vec_fnma(q, f->p, x);
}

/* field_lift - the residue from 0 to p - 1.   |x| <= 10 */
STAGE_INLINE vec field_lift(const struct field *f, vec x)
{
    const vec r = field_reduce(f, x);
#if VEC_WIDTH == 1
    return r < 0 ? r + f->p : r;
#else
    typedef long long lanes __attribute__((vector_size(sizeof(vec))));
    return vec_add(r, (vec)((lanes)f->p & (lanes)(r < vec_set1(0.0)))); /* all bits, or none */
#endif
}

#if !VEC_HAS_FMA
/* field_difference - x w - q p in integers; q is the integer nearest to the estimate. */
STAGE_INLINE vec field_difference(vec p, vec x, vec w, vec estimate)
{
    double xs[VEC_WIDTH], ws[VEC_WIDTH], qs[VEC_WIDTH], ps[VEC_WIDTH];
    vec_storeu(xs, x);
    vec_storeu(ws, w);
    vec_storeu(qs, estimate);
    vec_storeu(ps, p);
    for (unsigned i = 0; i < VEC_WIDTH; i++) {
        const int64_t q = (int64_t)(qs[i] + copysign(0.5, qs[i]));
        xs[i] = (double)(int64_t)((uint64_t)(int64_t)xs[i] * (uint64_t)(int64_t)ws[i] - (uint64_t)q * (uint64_t)(int64_t)ps[i]);
    }
    return vec_loadu(xs);
}
#endif

/* field_mul - x w.   |x| <= FIELD_MUL_MOST */
STAGE_INLINE vec field_mul(const struct field *f, vec x, struct field_factor w)
{
    assert(field_within(f, x, FIELD_MUL_MOST));
    assert(field_within(f, w.w, 0.5));
#if VEC_HAS_FMA
    const vec magic = vec_set1(FIELD_MAGIC);
    const vec high = vec_mul(x, w.w);
    const vec q = vec_sub(vec_fma(x, w.quotient, magic), magic); /* |q| < 2^51 */
    const vec low = vec_fms(x, w.w, high);
    const vec r = vec_add(vec_fnma(q, f->p, high), low);
#else
    const vec r = field_difference(f->p, x, w.w, vec_mul(x, w.quotient));
#endif
    assert(field_within(f, r, 0.5 + (VEC_HAS_FMA ? 0.05 : 0.10) * FIELD_MUL_MOST));
    return r;
}

/* field_mul_any - x y.   |x y| <= 2 */
STAGE_INLINE vec field_mul_any(const struct field *f, vec x, vec y)
{
    assert(field_within(f, x, 5.0) && field_within(f, y, 5.0));
    const vec high = vec_mul(x, y);
#if VEC_HAS_FMA
    const vec magic = vec_set1(FIELD_MAGIC);
    const vec q = vec_sub(vec_fma(high, f->inverse, magic), magic); /* |q| < 2^51 */
    const vec low = vec_fms(x, y, high);
    const vec r = vec_add(vec_fnma(q, f->p, high), low);
#else
    const vec r = field_difference(f->p, x, y, vec_mul(high, f->inverse));
#endif
    assert(field_within(f, r, VEC_HAS_FMA ? 1.0 : 1.25));
    return r;
}

/*
 * Two vectors side by side.  Operations on them are independent, so each hides the latency of the other.  A product is a chain of
 * some 14 cycles, and a processor's scheduler is too small to find the next butterfly by itself.
 */
struct duo {
    vec v[2];
};

struct duo_factor {
    struct field_factor v[2];
};

STAGE_INLINE struct duo duo_load(const double *x, size_t apart)
{
    return (struct duo){{vec_load(x), vec_load(x + apart)}};
}
STAGE_INLINE void duo_store(double *x, size_t apart, struct duo a)
{
    vec_store(x, a.v[0]);
    vec_store(x + apart, a.v[1]);
}
STAGE_INLINE struct duo duo_add(struct duo a, struct duo b)
{
    return (struct duo){{vec_add(a.v[0], b.v[0]), vec_add(a.v[1], b.v[1])}};
}
STAGE_INLINE struct duo duo_sub(struct duo a, struct duo b)
{
    return (struct duo){{vec_sub(a.v[0], b.v[0]), vec_sub(a.v[1], b.v[1])}};
}
STAGE_INLINE struct duo duo_reduce(const struct field *f, struct duo x)
{
    return (struct duo){{field_reduce(f, x.v[0]), field_reduce(f, x.v[1])}};
}
STAGE_INLINE struct duo duo_mul(const struct field *f, struct duo x, struct duo_factor w)
{
#if VEC_HAS_FMA
    assert(field_within(f, x.v[0], FIELD_MUL_MOST) && field_within(f, x.v[1], FIELD_MUL_MOST));
    const vec magic = vec_set1(FIELD_MAGIC);
    const vec h0 = vec_mul(x.v[0], w.v[0].w), h1 = vec_mul(x.v[1], w.v[1].w);
    const vec e0 = vec_fma(x.v[0], w.v[0].quotient, magic), e1 = vec_fma(x.v[1], w.v[1].quotient, magic);
    const vec q0 = vec_sub(e0, magic), q1 = vec_sub(e1, magic);
    const vec l0 = vec_fms(x.v[0], w.v[0].w, h0), l1 = vec_fms(x.v[1], w.v[1].w, h1);
    const vec r0 = vec_fnma(q0, f->p, h0), r1 = vec_fnma(q1, f->p, h1);
    return (struct duo){{vec_add(r0, l0), vec_add(r1, l1)}};
#else
    return (struct duo){{field_mul(f, x.v[0], w.v[0]), field_mul(f, x.v[1], w.v[1])}};
#endif
}

/* field_set - a constant factor in all lanes, from w and w / p. */
STAGE_INLINE struct field_factor field_set(const double *w)
{
    return (struct field_factor){vec_set1(w[0]), vec_set1(w[1])};
}

#endif
