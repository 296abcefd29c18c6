/*
 * prime_transform.h - transforms modulo a prime, forwards and back, within a cache.
 *
 * The tree is that of plan.h: a node x^m - w^2 splits into x^(m/2) - w and x^(m/2) + w.  Node k of a level has the root w[k].
 * Its children have the roots w[2k] = sqrt(w[k]) and w[2k + 1] = w[4]^.. w[2k], which is a fourth root of unity further on.  One
 * table serves all levels.  Leaf k of 2^s leaves has the value at e(rev_s(k) / 2^s).
 *
 * A "unit" is the doubles of one leaf: the S columns of a strip, or a vector of a row.  Nodes are contiguous, so that butterflies
 * are the same for both.  A pass of radix 4 takes two levels.
 *
 * Ranges in units of p (prime_field.h, doc/error-bound.md, section 22):
 *     forwards  |x| <= FIELD_FORWARD_MOST before each pass, 2.2 after it; 2 if it was 2 before;
 *               3.8, 4.5 before the first pass of columns, 1.92, 2.5 after it
 *     back      |x| <= FIELD_BACK_MOST
 */
#ifndef GFMUL_PRIME_TRANSFORM_H
#define GFMUL_PRIME_TRANSFORM_H

#include "prime/prime_field.h"

enum { NODE_CACHE_DOUBLES = 2048 }; /* nodes of at least this size are split depth first: half of the first cache */

/* The factors of a node, w[k], w[2k], w[2k + 1]: those of one node twice, or of two nodes. */
struct node_factors {
    struct duo_factor w0, w1, w2;
};

STAGE_INLINE struct node_factors node_factors_of(const double *w, size_t k, size_t k2)
{
    return (struct node_factors){{{field_set(w + 2 * k), field_set(w + 2 * k2)}},
                                 {{field_set(w + 4 * k), field_set(w + 4 * k2)}},
                                 {{field_set(w + 4 * k + 2), field_set(w + 4 * k2 + 2)}}};
}

/* butterfly_forward - two levels of four points that are h apart, for two such sets.   apart  in  distance of the sets */
STAGE_INLINE void butterfly_forward(const struct field *f, double *x, size_t h, size_t apart, const struct node_factors *w)
{
    const struct duo c = duo_mul(f, duo_load(x + 2 * h, apart), w->w0), d = duo_mul(f, duo_load(x + 3 * h, apart), w->w0);
    const struct duo a = duo_reduce(f, duo_load(x, apart)), b = duo_load(x + h, apart); /* c, d <= 0.70; a <= 1/2; b <= 2 */
    const struct duo t = duo_mul(f, duo_add(b, d), w->w1), v = duo_mul(f, duo_sub(b, d), w->w2); /* 2.70 -> 0.77 */
    const struct duo s = duo_add(a, c), u = duo_sub(a, c);                                       /* 1.20 */
    duo_store(x, apart, duo_add(s, t));                                                          /* 1.97 */
    duo_store(x + h, apart, duo_sub(s, t));
    duo_store(x + 2 * h, apart, duo_add(u, v));
    duo_store(x + 3 * h, apart, duo_sub(u, v));
}

/* butterfly_back - the inverse, times 4, with the inverse factors. */
STAGE_INLINE void butterfly_back(const struct field *f, double *x, size_t h, size_t apart, const struct node_factors *w)
{
    const struct duo a = duo_load(x, apart), b = duo_load(x + h, apart);
    const struct duo c = duo_load(x + 2 * h, apart), d = duo_load(x + 3 * h, apart);
    assert(field_within(f, a.v[0], FIELD_BACK_MOST) && field_within(f, b.v[0], FIELD_BACK_MOST));
    const struct duo t = duo_mul(f, duo_sub(a, b), w->w1), v = duo_mul(f, duo_sub(c, d), w->w2);
    const struct duo s = duo_add(a, b), u = duo_add(c, d);         /* FMA: 2.50; t, v 0.625.  Without: 3.36; 0.836 */
    duo_store(x, apart, duo_reduce(f, duo_add(s, u)));             /* 5 or 6.72 -> 1/2 */
    duo_store(x + h, apart, duo_add(t, v));                        /* 1.25 or 1.672 */
    duo_store(x + 2 * h, apart, duo_mul(f, duo_sub(s, u), w->w0)); /* 0.75 or 1.172 */
    duo_store(x + 3 * h, apart, duo_mul(f, duo_sub(t, v), w->w0));
}

/* root_forward, root_back - the same for node 0: w[0] = w[1] = 1.   w2 in: w[1] of the table, a fourth root of unity */
STAGE_INLINE void root_forward(const struct field *f, double *x, size_t h, size_t apart, struct duo_factor w2)
{
    const struct duo a = duo_load(x, apart), b = duo_load(x + h, apart);
    const struct duo c = duo_load(x + 2 * h, apart), d = duo_load(x + 3 * h, apart);
    const struct duo v = duo_mul(f, duo_sub(b, d), w2), u = duo_reduce(f, duo_sub(a, c)); /* 4 -> 0.90, 1/2 */
    const struct duo s = duo_reduce(f, duo_add(a, c)), t = duo_reduce(f, duo_add(b, d));
    duo_store(x, apart, duo_add(s, t));
    duo_store(x + h, apart, duo_sub(s, t));
    duo_store(x + 2 * h, apart, duo_add(u, v)); /* 1.40 */
    duo_store(x + 3 * h, apart, duo_sub(u, v));
}

STAGE_INLINE void root_back(const struct field *f, double *x, size_t h, size_t apart, struct duo_factor w2)
{
    const struct duo a = duo_load(x, apart), b = duo_load(x + h, apart);
    const struct duo c = duo_load(x + 2 * h, apart), d = duo_load(x + 3 * h, apart);
    const struct duo v = duo_mul(f, duo_sub(c, d), w2);
    const struct duo s = duo_add(a, b), t = duo_sub(a, b), u = duo_add(c, d);
    duo_store(x, apart, duo_reduce(f, duo_add(s, u)));
    duo_store(x + h, apart, duo_reduce(f, duo_add(t, v)));
    duo_store(x + 2 * h, apart, duo_reduce(f, duo_sub(s, u)));
    duo_store(x + 3 * h, apart, duo_reduce(f, duo_sub(t, v)));
}

/*
 * node_pass_forward, node_pass_back - two levels of node k, which has 4 h doubles, in `count` columns from x on.
 *
 * h > VEC_WIDTH.  count is a multiple of 2 VEC_WIDTH.
 *
 * pass_forward, pass_back - the same for all columns of nodes first .. first + nodes - 1.
 *
 * If a quarter is one vector, two nodes are processed side by side; nodes must then be even, or first 0.
 */
#define PASS(direction)                                                                                                          \
    STAGE_INLINE void node_pass_##direction(const struct field *f, double *x, size_t h, size_t count, const double *w, size_t k) \
    {                                                                                                                            \
        if (k == 0) {                                                                                                            \
            const struct field_factor fourth = field_set(w + 2);                                                                 \
            const struct duo_factor w2 = {{fourth, fourth}};                                                                     \
            for (size_t i = 0; i < count; i += 2 * VEC_WIDTH)                                                                    \
                root_##direction(f, x + i, h, VEC_WIDTH, w2);                                                                    \
            return;                                                                                                              \
        }                                                                                                                        \
        const struct node_factors factors = node_factors_of(w, k, k);                                                            \
        for (size_t i = 0; i < count; i += 2 * VEC_WIDTH)                                                                        \
            butterfly_##direction(f, x + i, h, VEC_WIDTH, &factors);                                                             \
    }                                                                                                                            \
    STAGE_INLINE void pass_##direction(const struct field *f, double *x, size_t h, const double *w, size_t first, size_t nodes)  \
    {                                                                                                                            \
        size_t k = first;                                                                                                        \
        if (h > VEC_WIDTH) {                                                                                                     \
            for (; k < first + nodes; k++)                                                                                       \
                node_pass_##direction(f, x + (k - first) * 4 * h, h, h, w, k);                                                   \
            return;                                                                                                              \
        }                                                                                                                        \
        if (k == 0) {                                                                                                            \
            const struct field_factor fourth = field_set(w + 2);                                                                 \
            const struct duo_factor w2 = {{fourth, fourth}};                                                                     \
            root_##direction(f, x, h, 0, w2);                                                                                    \
            k = 1;                                                                                                               \
        }                                                                                                                        \
        for (; k + 1 < first + nodes; k += 2) {                                                                                  \
            const struct node_factors factors = node_factors_of(w, k, k + 1);                                                    \
            butterfly_##direction(f, x + (k - first) * 4 * h, h, 4 * h, &factors);                                               \
        }                                                                                                                        \
        if (k < first + nodes) { /* the same one twice */                                                                        \
            const struct node_factors factors = node_factors_of(w, k, k);                                                        \
            butterfly_##direction(f, x + (k - first) * 4 * h, h, 0, &factors);                                                   \
        }                                                                                                                        \
    }
PASS(forward)
PASS(back)

/*
 * node_halves_forward, node_halves_back - one level of node k of 2 h doubles, in `count` columns.
 *
 *   w  in   the pair w[k], or its inverse
 *   x  i/o  |x| <= 2 -> 1.2; back: FIELD_BACK_MOST -> 0.84
 */
STAGE_INLINE void node_halves_forward(const struct field *f, double *x, size_t h, size_t count, struct field_factor w)
{
    for (size_t i = 0; i < count; i += VEC_WIDTH) {
        const vec a = field_reduce(f, vec_load(x + i)), b = field_mul(f, vec_load(x + h + i), w);
        vec_store(x + i, vec_add(a, b));
        vec_store(x + h + i, vec_sub(a, b));
    }
}

STAGE_INLINE void node_halves_back(const struct field *f, double *x, size_t h, size_t count, struct field_factor w)
{
    for (size_t i = 0; i < count; i += VEC_WIDTH) {
        const vec a = vec_load(x + i), b = vec_load(x + h + i);
        vec_store(x + i, field_reduce(f, vec_add(a, b)));
        vec_store(x + h + i, field_mul(f, vec_sub(a, b), w));
    }
}

/* quarter_forward - the passes over node k of n = unit * 4^i doubles: depth first down to the first cache, then by passes. */
static void quarter_forward(const struct field *f, double *x, size_t n, size_t unit, const double *w, size_t k)
{
    const size_t end = n > NODE_CACHE_DOUBLES ? n / 4 : unit;
    for (size_t size = n, nodes = 1; size > end; size /= 4, nodes *= 4)
        pass_forward(f, x, size / 4, w, nodes * k, nodes);
    for (size_t i = 0; n > NODE_CACHE_DOUBLES && i < 4; i++)
        quarter_forward(f, x + i * end, end, unit, w, 4 * k + i);
}

static void quarter_back(const struct field *f, double *x, size_t n, size_t unit, const double *w, size_t k)
{
    const size_t end = n > NODE_CACHE_DOUBLES ? n / 4 : unit;
    for (size_t i = 0; n > NODE_CACHE_DOUBLES && i < 4; i++)
        quarter_back(f, x + i * end, end, unit, w, 4 * k + i);
    for (size_t size = 4 * end, nodes = n / size; size <= n; size *= 4, nodes /= 4)
        pass_back(f, x, size / 4, w, nodes * k, nodes);
}

/*
 * leaf_forward, leaf_back - the last levels of VEC_WIDTH nodes of one vector each: lane j becomes node j, and back.
 *
 *   r  i/o  VEC_WIDTH vectors: forwards |r| <= 2, then 4.4; back |r| <= 0.6, then FIELD_BACK_MOST
 *   w  in   LEAF_FACTORS vectors, |w| <= 0.525, 0.55
 */
#define LEAF_FACTORS (VEC_WIDTH - 1)

STAGE_INLINE void leaf_forward(const struct field *f, vec *r, const double *w)
{
    vec_transpose(r);
#pragma GCC unroll 3
    for (unsigned h = VEC_WIDTH / 2; h >= 1; h /= 2)
#pragma GCC unroll 8
        for (unsigned i = 0; i < VEC_WIDTH; i += 2 * h) {
#pragma GCC unroll 8
            for (unsigned j = i; j < i + h; j++) { /* 2 -> 2.71, 3.50, 4.37; one level 2.83 */
                const vec t = field_mul_any(f, r[j + h], vec_load(w));
                r[j + h] = vec_sub(r[j], t);
                r[j] = vec_add(r[j], t);
            }
            w += VEC_WIDTH;
        }
}

STAGE_INLINE void leaf_back(const struct field *f, vec *r, const double *w)
{
    w += (size_t)VEC_WIDTH * LEAF_FACTORS;
#pragma GCC unroll 3
    for (unsigned h = 1; h < VEC_WIDTH; h *= 2)
#pragma GCC unroll 8
        for (unsigned b = 1; b <= VEC_WIDTH / (2 * h); b++) {
            const unsigned i = VEC_WIDTH - 2 * h * b;
            w -= VEC_WIDTH;
#pragma GCC unroll 8
            for (unsigned j = i; j < i + h; j++) {
                const vec s = vec_add(r[j], r[j + h]);
                r[j + h] = field_mul_any(f, vec_sub(r[j], r[j + h]), vec_load(w));
                r[j] = h == 1 && VEC_WIDTH > 2 ? s : field_reduce(f, s);
            }
        }
    vec_transpose(r);
}

#endif
