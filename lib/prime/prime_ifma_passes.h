/*
 * prime_ifma_passes.h - passes of radix 4 and 8, and leaves, over residues of prime_ifma_field.h.  Part of isa/prime_ifma.c.
 *
 * The tree is that of prime_transform.h, its places those of prime_ring.h.  Forwards, stored values are any residues.  Back, the
 * points of node k are from -1 to 1 + 2^-11 if k is odd, else from 2 to 4 + 2^-11.  Then sums and differences of two nodes are in
 * the range of products, and no constants have to be added.
 */
#ifndef GFMUL_PRIME_IFMA_PASSES_H
#define GFMUL_PRIME_IFMA_PASSES_H

/* The factors of node k: w[k], w[2k], w[2k + 1]. */
struct ifma_node {
    struct ifma_factor w0, w1, w2;
};

IFMA_INLINE struct ifma_node ifma_node_of(const uint64_t *w, size_t k)
{
    return (struct ifma_node){ifma_factor_of(w + 2 * k), ifma_factor_of(w + 4 * k), ifma_factor_of(w + 4 * k + 2)};
}

/* ---- forwards ---- */

/* split4 - two levels of a node whose quarters are x[0] .. x[3]. */
IFMA_INLINE void split4(const struct ifma_field *f, lanes8 *x, const struct ifma_node *w)
{
    const lanes8 one = ifma_turns(1);
    const lanes8 c = ifma_mul(f, x[2], w->w0, one), d = ifma_mul(f, x[3], w->w0, one);             /* -1 .. 1 */
    const lanes8 a = ifma_lower(f, x[0], ifma_turns(-2)), b = ifma_lower(f, x[1], ifma_turns(-1)); /* 2 .., 1 .. */
    const lanes8 t = ifma_mul(f, lanes_add(b, d), w->w1, one), v = ifma_mul(f, lanes_sub(b, d), w->w2, one);
    const lanes8 s = lanes_add(a, c), u = lanes_sub(a, c); /* 1 .. 2^52 / p - 1 */
    x[0] = lanes_add(s, t);
    x[1] = lanes_sub(s, t);
    x[2] = lanes_add(u, v);
    x[3] = lanes_sub(u, v);
}

/* split2 - one level of halves. */
IFMA_INLINE void split2(const struct ifma_field *f, lanes8 *low, lanes8 *high, struct ifma_factor w)
{
    const lanes8 a = ifma_lower(f, *low, ifma_turns(-1)), b = ifma_mul(f, *high, w, ifma_turns(1));
    *low = lanes_add(a, b);
    *high = lanes_sub(a, b);
}

/* split4_half - the same where x[2] and x[3] are zeros, and not read. */
IFMA_INLINE void split4_half(const struct ifma_field *f, lanes8 *x, const struct ifma_node *w)
{
    const lanes8 a = ifma_lower(f, x[0], ifma_turns(-1)), b = x[1]; /* 1 .. */
    const lanes8 t = ifma_mul(f, b, w->w1, ifma_turns(1)), v = ifma_mul(f, b, w->w2, ifma_turns(1));
    x[0] = lanes_add(a, t);
    x[1] = lanes_sub(a, t);
    x[2] = lanes_add(a, v);
    x[3] = lanes_sub(a, v);
}

/* split8 - three levels of node k.   half  in  x[4] .. x[7] are zeros, and not read */
IFMA_INLINE void split8(const struct ifma_field *f, lanes8 *x, const uint64_t *w, size_t k, bool half)
{
    const struct ifma_factor top = ifma_factor_of(w + 2 * k);
    const struct ifma_node low = ifma_node_of(w, 2 * k), high = ifma_node_of(w, 2 * k + 1);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
        if (half)
            x[i + 4] = x[i];
        else
            split2(f, x + i, x + i + 4, top);
    split4(f, x, &low);
    split4(f, x + 4, &high);
}

/* ---- back ---- */

/* turns_of - of the points of node k. */
IFMA_INLINE lanes8 turns_of(size_t k)
{
    return ifma_turns(k % 2 != 0 ? 1 : -2);
}

/* The turns of the points that a node's join leaves. */
struct ifma_role {
    lanes8 turns, more;  /* of products; the multiple of p that is as much */
    lanes8 first, other; /* of two reduced sums, times 2^IFMA_FINE */
};

/* ifma_role_of - of node k: first and other differ by 2 or 3, and are turns_of(k) together. */
IFMA_INLINE struct ifma_role ifma_role_of(const struct ifma_field *f, size_t k)
{
    const bool odd = k % 2 != 0;
    const int fine = 1 << IFMA_FINE;
    return (struct ifma_role){turns_of(k), odd ? lanes_sub(_mm512_setzero_si512(), f->p) : lanes_add(f->p, f->p),
                              ifma_turns(odd ? -fine : -2 * fine), ifma_turns(odd ? 2 * fine : 0)};
}

/* fold2 - x modulo 2 p, for any from 0 to 4 p. */
IFMA_INLINE lanes8 fold2(const struct ifma_field *f, lanes8 x)
{
    return ifma_fold(ifma_clean(f, x), lanes_add(f->p, f->p));
}

/* join4 - the inverse of split4, times 4, with the inverse factors. */
IFMA_INLINE void join4(const struct ifma_field *f, lanes8 *x, const struct ifma_node *w, const struct ifma_role *role)
{
    for (unsigned i = 0; i < 4; i++)
        assert(ifma_within(f, x[i], i % 2 == 0 ? 2 : -1, (i % 2 == 0 ? 4 : 1) + 0.001));
    const lanes8 t = ifma_mul(f, lanes_sub(x[0], x[1]), w->w1, ifma_turns(-1)); /* 1 .. 5 + -> 1 .. 3 */
    const lanes8 v = ifma_mul(f, lanes_sub(x[2], x[3]), w->w2, ifma_turns(1));  /* -1 .. 1 */
    const lanes8 s = ifma_reduce(f, lanes_add(x[0], x[1]), role->first);        /* 1 .. 5 + */
    const lanes8 u = ifma_reduce(f, lanes_add(x[2], x[3]), role->other);
    x[0] = lanes_add(s, u);
    x[1] = lanes_add(fold2(f, lanes_add(t, v)), role->more); /* 0 .. 4 -> 2 */
    x[2] = ifma_mul(f, lanes_sub(s, u), w->w0, role->turns); /* 1 - .. 4 + */
    x[3] = ifma_mul(f, lanes_sub(t, v), w->w0, role->turns); /* 0 .. 4 */
}

/* residue_of - a residue below p, from 0 .. 2 p. */
IFMA_INLINE lanes8 residue_of(const struct ifma_field *f, lanes8 x)
{
    return ifma_fold(ifma_clean(f, x), f->p);
}

/* The factors of a last join, times a constant. */
struct ifma_end {
    struct ifma_factor w0, c;         /* c w0, c */
    struct ifma_factor w1, w2, plain; /* of radix 4: c w1, c w2, w0 */
};

/* end2 - the last level: residues below p. */
IFMA_INLINE void end2(const struct ifma_field *f, lanes8 *low, lanes8 *high, const struct ifma_end *w)
{
    const lanes8 zero = _mm512_setzero_si512(), a = *low, b = *high;
    *low = residue_of(f, ifma_mul(f, lanes_add(a, b), w->c, zero));
    *high = residue_of(f, ifma_mul(f, lanes_sub(a, b), w->w0, zero));
}

/* end4 - the last two levels: residues below p. */
IFMA_INLINE void end4(const struct ifma_field *f, lanes8 *x, const struct ifma_end *w)
{
    const lanes8 zero = _mm512_setzero_si512();
    const lanes8 t = ifma_mul(f, lanes_sub(x[0], x[1]), w->w1, ifma_turns(-1));
    const lanes8 v = ifma_mul(f, lanes_sub(x[2], x[3]), w->w2, ifma_turns(1));
    const lanes8 s = ifma_reduce(f, lanes_add(x[0], x[1]), ifma_turns(-2 * (1 << IFMA_FINE)));
    const lanes8 u = ifma_reduce(f, lanes_add(x[2], x[3]), zero);
    x[0] = residue_of(f, ifma_mul(f, lanes_add(s, u), w->c, zero));
    x[1] = ifma_fold(fold2(f, lanes_add(t, v)), f->p);
    x[2] = residue_of(f, ifma_mul(f, lanes_sub(s, u), w->w0, zero));
    x[3] = residue_of(f, ifma_mul(f, lanes_sub(t, v), w->plain, zero));
}

/* ---- leaves: eight nodes of eight points ---- */

/*
 * Node 8 g + j is multiplied by powers of a root so that its factors become those of node j, which are vectors over j.
 *
 *   scale  in  7 pairs: the powers 1 .. 7 of node 8 g
 *   w      in  7 pairs of vectors: of nodes j, 2 j + b and 4 j + b
 */
enum { LEAF_SCALES = 7, LEAF_PAIRS = 7 };

IFMA_INLINE struct ifma_factor leaf_factor(const uint64_t *w, unsigned i)
{
    return (struct ifma_factor){lanes_get(w + 2 * i * IFMA_LANES), lanes_get(w + (2 * i + 1) * IFMA_LANES)};
}

/* Two squares side by side, because a scheduler holds only one of them and would wait for its chains of products. */
enum { LEAF_DUO = 2 };

/* leaf_split - v any -> any.   apart in: words from the scale of the first square to that of the second */
IFMA_INLINE void leaf_split(const struct ifma_field *f, lanes8 (*v)[8], const uint64_t *scale, size_t apart, const uint64_t *w)
{
    const lanes8 one = ifma_turns(1), minus = ifma_turns(-1);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) /* 1 .. 3 */
            v[s][i] = i == 0 ? ifma_lower(f, v[s][0], minus)
                             : ifma_mul(f, v[s][i], ifma_factor_of(scale + s * apart + 2 * (i - 1)), minus);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) { /* 1 .. 3, -1 .. 1 -> 0 .. 4 */
            const lanes8 a = v[s][i], t = ifma_mul(f, v[s][i + 4], leaf_factor(w, 0), one);
            v[s][i + 4] = lanes_sub(a, t);
            v[s][i] = lanes_add(a, t);
        }
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) { /* 2 .., -1 .. 1 -> 1 .. */
            const unsigned i = j / 2 * 4 + j % 2;
            const lanes8 a = ifma_lower(f, v[s][i], ifma_turns(-2)), t = ifma_mul(f, v[s][i + 2], leaf_factor(w, 1 + j / 2), one);
            v[s][i] = lanes_add(a, t);
            v[s][i + 2] = lanes_sub(a, t);
        }
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) {
            const lanes8 a = v[s][2 * j], t = ifma_mul(f, v[s][2 * j + 1], leaf_factor(w, 3 + j), one);
            v[s][2 * j] = lanes_add(a, t);
            v[s][2 * j + 1] = lanes_sub(a, t);
        }
}

/* leaf_join - its inverse, times 8.   v 0 .. 1 -> points of node j, as they are told above */
IFMA_INLINE void leaf_join(const struct ifma_field *f, lanes8 (*v)[8], const uint64_t *scale, const uint64_t *w)
{
    const lanes8 zero = _mm512_setzero_si512(), p2 = lanes_add(f->p, f->p);
    const lanes8 turns = _mm512_setr_epi64(-2, 1, -2, 1, -2, 1, -2, 1);
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) { /* sums 0 .. 2; products 1 .. 3 and -1 .. 1 in turn */
            const lanes8 a = v[s][2 * j], b = v[s][2 * j + 1], d = lanes_add(lanes_sub(a, b), f->p);
            v[s][2 * j] = lanes_add(a, b);
            v[s][2 * j + 1] = ifma_mul(f, d, leaf_factor(w, 3 + j), ifma_turns(j % 2 == 0 ? -1 : 1));
        }
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) {
            const unsigned i = j / 2 * 4 + j % 2;
            const lanes8 a = v[s][i], b = v[s][i + 2], d = lanes_sub(a, b); /* 0 .. 4, of sums -2 .. 2 */
            v[s][i] = ifma_reduce(f, lanes_add(a, b), ifma_turns(j < 2 ? -2 * (1 << IFMA_FINE) : 0));
            v[s][i + 2] = ifma_mul(f, j % 2 == 0 ? lanes_add(d, p2) : d, leaf_factor(w, 1 + j / 2), ifma_turns(j < 2 ? -1 : 1));
        }
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) { /* 1 - .. 4 +, or 0 .. 4 */
            const uint64_t *pair = scale + 2 * (s * LEAF_SCALES + i);
            const lanes8 a = v[s][i], b = v[s][i + 4], sum = lanes_add(a, b);
            const lanes8 product = ifma_mul(f, lanes_sub(a, b), leaf_factor(w, 0), zero);
            v[s][i + 4] = ifma_mul(f, product, ifma_factor_of(pair + 6), turns);
            v[s][i] = i == 0 ? ifma_reduce(f, sum, _mm512_slli_epi64(turns, IFMA_FINE))
                             : ifma_mul(f, sum, ifma_factor_of(pair - 2), turns);
        }
}

#endif
