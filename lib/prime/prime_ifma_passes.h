/*
 * prime_ifma_passes.h - passes of radix 4 and 8, and leaves, over residues of prime_ifma_field.h.  Part of isa/prime_ifma.c.
 *
 * The tree is that of prime_transform.h, its places those of prime_ring.h.  Forwards, stored values are any residues.  Backwards,
 * the points of node k are from -1 to 1 + 2^-11 if k is odd, else from 2 to 4 + 2^-11.  Then sums and differences of two nodes
 * are already in the range of products, so no constants have to be added.
 */
#ifndef GFMUL_PRIME_IFMA_PASSES_H
#define GFMUL_PRIME_IFMA_PASSES_H

enum {
    FIRST_LEVELS = 3,
    LONG_LEVELS = 18,  /* from here on two steps take three levels */
    SQUARE_LEVELS = 7, /* levels of two squares */
    LEAF_SCALES = 7,   /* see leaf_split */
    LEAF_SCALE_WORDS = LEAF_SCALES * FACTOR_WORDS,
    ENDS_DOUBLES = true /* products of polynomials */
};

/* The factors of node k: w[k], w[2k], w[2k + 1]. */
struct ifma_node {
    struct lanes_factor w0, w1, w2;
};

LANES_INLINE struct ifma_node ifma_node_of(const uint64_t *w, size_t k)
{
    return (struct ifma_node){lanes_factor_of(w + 2 * k), lanes_factor_of(w + 4 * k), lanes_factor_of(w + 4 * k + 2)};
}

/* ---- forwards ---- */

/* split4 - two levels of a node whose quarters are x[0] .. x[3]. */
LANES_INLINE void split4(const struct lanes_field *f, lanes *x, const struct ifma_node *w)
{
    const lanes one = ifma_turns(1);
    const lanes c = ifma_mul(f, x[2], w->w0, one), d = ifma_mul(f, x[3], w->w0, one);             /* -1 .. 1 */
    const lanes a = ifma_lower(f, x[0], ifma_turns(-2)), b = ifma_lower(f, x[1], ifma_turns(-1)); /* 2 .., 1 .. */
    const lanes t = ifma_mul(f, lanes_add(b, d), w->w1, one), v = ifma_mul(f, lanes_sub(b, d), w->w2, one);
    const lanes s = lanes_add(a, c), u = lanes_sub(a, c); /* 1 .. 2^52 / p - 1 */
    x[0] = lanes_add(s, t);
    x[1] = lanes_sub(s, t);
    x[2] = lanes_add(u, v);
    x[3] = lanes_sub(u, v);
}

/* split2 - one level of halves. */
LANES_INLINE void split2(const struct lanes_field *f, lanes *low, lanes *high, struct lanes_factor w)
{
    const lanes a = ifma_lower(f, *low, ifma_turns(-1)), b = ifma_mul(f, *high, w, ifma_turns(1));
    *low = lanes_add(a, b);
    *high = lanes_sub(a, b);
}

/* split4_half - the same if x[2] and x[3] are zero; they are not read. */
LANES_INLINE void split4_half(const struct lanes_field *f, lanes *x, const struct ifma_node *w)
{
    const lanes a = ifma_lower(f, x[0], ifma_turns(-1)), b = x[1]; /* 1 .. */
    const lanes t = ifma_mul(f, b, w->w1, ifma_turns(1)), v = ifma_mul(f, b, w->w2, ifma_turns(1));
    x[0] = lanes_add(a, t);
    x[1] = lanes_sub(a, t);
    x[2] = lanes_add(a, v);
    x[3] = lanes_sub(a, v);
}

/* The factors of a step of node k.  four has those of radix 4; the lanes read the others from the table of roots. */
struct split_factors {
    struct ifma_node four;
    const uint64_t *root;
    size_t k;
};

LANES_INLINE struct split_factors split_factors_of(const uint64_t *root, size_t k, unsigned taken)
{
    (void)taken;
    return (struct split_factors){ifma_node_of(root, k), root, k};
}

/* split8 - three levels of node k.   half  in  x[4] .. x[7] are zero, and not read */
LANES_INLINE void split8(const struct lanes_field *f, lanes *x, const struct split_factors *w, bool half)
{
    const struct lanes_factor top = w->four.w0;
    const struct ifma_node low = ifma_node_of(w->root, 2 * w->k), high = ifma_node_of(w->root, 2 * w->k + 1);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
        if (half)
            x[i + 4] = x[i];
        else
            split2(f, x + i, x + i + 4, top);
    split4(f, x, &low);
    split4(f, x + 4, &high);
}

/* pass_split - `taken` levels, 2 or 3. */
LANES_INLINE void pass_split(const struct lanes_field *f, lanes *x, const struct split_factors *w, unsigned taken)
{
    if (taken == 3)
        split8(f, x, w, false);
    else
        split4(f, x, &w->four);
}

/* ---- back ---- */

/* turns_of - the turns of the points of node k. */
LANES_INLINE lanes turns_of(size_t k)
{
    return ifma_turns(k % 2 != 0 ? 1 : -2);
}

/* The turns of the points that the join of a node leaves. */
struct ifma_role {
    lanes turns, more;  /* turns of products; the same number of multiples of p */
    lanes first, other; /* turns of two reduced sums, times 2^IFMA_FINE */
};

/* ifma_role_of - for node k: first and other differ by 2 or 3, and their sum is turns_of(k). */
LANES_INLINE struct ifma_role ifma_role_of(const struct lanes_field *f, size_t k)
{
    const bool odd = k % 2 != 0;
    const int fine = 1 << IFMA_FINE;
    return (struct ifma_role){turns_of(k), odd ? lanes_sub(_mm512_setzero_si512(), f->p) : lanes_add(f->p, f->p),
                              ifma_turns(odd ? -fine : -2 * fine), ifma_turns(odd ? 2 * fine : 0)};
}

/* fold2 - x modulo 2 p, for x from 0 to 4 p. */
LANES_INLINE lanes fold2(const struct lanes_field *f, lanes x)
{
    return ifma_fold(ifma_clean(f, x), lanes_add(f->p, f->p));
}

/* join4 - the inverse of split4, times 4, with the inverse factors. */
LANES_INLINE void join4(const struct lanes_field *f, lanes *x, const struct ifma_node *w, const struct ifma_role *role)
{
    for (unsigned i = 0; i < 4; i++)
        assert(ifma_within(f, x[i], i % 2 == 0 ? 2 : -1, (i % 2 == 0 ? 4 : 1) + 0.001));
    const lanes t = ifma_mul(f, lanes_sub(x[0], x[1]), w->w1, ifma_turns(-1)); /* 1 .. 5 + -> 1 .. 3 */
    const lanes v = ifma_mul(f, lanes_sub(x[2], x[3]), w->w2, ifma_turns(1));  /* -1 .. 1 */
    const lanes s = ifma_reduce(f, lanes_add(x[0], x[1]), role->first);        /* 1 .. 5 + */
    const lanes u = ifma_reduce(f, lanes_add(x[2], x[3]), role->other);
    x[0] = lanes_add(s, u);
    x[1] = lanes_add(fold2(f, lanes_add(t, v)), role->more); /* 0 .. 4 -> 2 */
    x[2] = ifma_mul(f, lanes_sub(s, u), w->w0, role->turns); /* 1 - .. 4 + */
    x[3] = ifma_mul(f, lanes_sub(t, v), w->w0, role->turns); /* 0 .. 4 */
}

/* The factors of a join of node k, which are inverses. */
struct join_factors {
    struct ifma_node four;
    struct ifma_role role;
    const uint64_t *root;
    size_t k;
};

LANES_INLINE struct join_factors join_factors_of(const struct lanes_field *f, const uint64_t *root, size_t k, unsigned taken)
{
    (void)taken;
    return (struct join_factors){ifma_node_of(root, k), ifma_role_of(f, k), root, k};
}

/* join_eight - join two levels in both halves of a node: the points of nodes 2 k and 2 k + 1. */
LANES_INLINE void join_eight(const struct lanes_field *f, lanes *x, const uint64_t *root, size_t k)
{
    const struct ifma_node low = ifma_node_of(root, 2 * k), high = ifma_node_of(root, 2 * k + 1);
    const struct ifma_role even = ifma_role_of(f, 0), odd = ifma_role_of(f, 1);
    join4(f, x, &low, &even);
    join4(f, x + 4, &high, &odd);
}

/* pass_join - `taken` levels, 2 or 3. */
LANES_INLINE void pass_join(const struct lanes_field *f, lanes *x, const struct join_factors *w, unsigned taken)
{
    if (taken == 2) {
        join4(f, x, &w->four, &w->role);
        return;
    }
    join_eight(f, x, w->root, w->k);
#pragma GCC unroll 4
    for (unsigned q = 0; q < 4; q++) {
        const lanes s = lanes_add(x[q], x[q + 4]), d = lanes_sub(x[q], x[q + 4]);
        x[q] = ifma_reduce(f, s, _mm512_slli_epi64(w->role.turns, IFMA_FINE));
        x[q + 4] = ifma_mul(f, d, w->four.w0, w->role.turns);
    }
}

/* residue_of - a residue below p, from 0 .. 2 p. */
LANES_INLINE lanes residue_of(const struct lanes_field *f, lanes x)
{
    return ifma_fold(ifma_clean(f, x), f->p);
}

/* The factors of a last join, times a constant c: see struct ring_integers. */
struct end_factors {
    struct lanes_factor w0, c;         /* c w0, c */
    struct lanes_factor w1, w2, plain; /* radix 4: c w1, c w2, w0 */
    const uint64_t *root;
    size_t k;
};

LANES_INLINE struct end_factors end_factors_of(const struct lanes_field *f, const uint64_t *root, size_t k, unsigned taken,
                                               const uint64_t *end)
{
    (void)f;
    (void)taken;
    return (struct end_factors){lanes_factor_of(end),
                                lanes_factor_of(end + FACTOR_WORDS),
                                lanes_factor_of(end + 2 * FACTOR_WORDS),
                                lanes_factor_of(end + 3 * FACTOR_WORDS),
                                lanes_factor_of(root + FACTOR_WORDS * k),
                                root,
                                k};
}

/* end2 - the last level: residues below p. */
LANES_INLINE void end2(const struct lanes_field *f, lanes *low, lanes *high, const struct end_factors *w)
{
    const lanes zero = _mm512_setzero_si512(), a = *low, b = *high;
    *low = residue_of(f, ifma_mul(f, lanes_add(a, b), w->c, zero));
    *high = residue_of(f, ifma_mul(f, lanes_sub(a, b), w->w0, zero));
}

/* end4 - the last two levels: residues below p. */
LANES_INLINE void end4(const struct lanes_field *f, lanes *x, const struct end_factors *w)
{
    const lanes zero = _mm512_setzero_si512();
    const lanes t = ifma_mul(f, lanes_sub(x[0], x[1]), w->w1, ifma_turns(-1));
    const lanes v = ifma_mul(f, lanes_sub(x[2], x[3]), w->w2, ifma_turns(1));
    const lanes s = ifma_reduce(f, lanes_add(x[0], x[1]), ifma_turns(-2 * (1 << IFMA_FINE)));
    const lanes u = ifma_reduce(f, lanes_add(x[2], x[3]), zero);
    x[0] = residue_of(f, ifma_mul(f, lanes_add(s, u), w->c, zero));
    x[1] = ifma_fold(fold2(f, lanes_add(t, v)), f->p);
    x[2] = residue_of(f, ifma_mul(f, lanes_sub(s, u), w->w0, zero));
    x[3] = residue_of(f, ifma_mul(f, lanes_sub(t, v), w->plain, zero));
}

/* pass_end - the last step, of `taken` levels, 2 or 3: residues below p. */
LANES_INLINE void pass_end(const struct lanes_field *f, lanes *x, const struct end_factors *w, unsigned taken)
{
    if (taken == 2) {
        end4(f, x, w);
        return;
    }
    join_eight(f, x, w->root, w->k);
#pragma GCC unroll 4
    for (unsigned q = 0; q < 4; q++)
        end2(f, x + q, x + q + 4, w);
}

/* ending_put - store a residue below p.   As a double, x | 2^52 is 2^52 + x */
LANES_INLINE void ending_put(uint64_t *x, lanes v, bool doubles)
{
    if (!doubles) {
        lanes_put(x, v);
        return;
    }
    const __m512d large = _mm512_set1_pd(0x1p52);
    const lanes bits = _mm512_or_si512(v, _mm512_castpd_si512(large));
    lanes_put(x, _mm512_castpd_si512(_mm512_sub_pd(_mm512_castsi512_pd(bits), large)));
}

/* ---- leaves: eight nodes of eight points ---- */

/*
 * Node 8 g + j is multiplied by powers of a root, so that its factors become those of node j, which are vectors over j.
 *
 *   scale  in  7 pairs: the powers 1 .. 7 of node 8 g
 *   w      in  7 pairs of vectors: of nodes j, 2 j + b and 4 j + b
 */
enum { LEAF_PAIRS = 7 };

LANES_INLINE struct lanes_factor leaf_factor(const uint64_t *w, unsigned i)
{
    return (struct lanes_factor){lanes_get(w + 2 * i * LANES), lanes_get(w + (2 * i + 1) * LANES)};
}

/* Two squares side by side: a scheduler has room for only one of them, and would wait for its chains of products. */
enum { LEAF_DUO = 2 };

/* leaf_split - v any -> any.   apart in: words from the scale of the first square to that of the second */
LANES_INLINE void leaf_split(const struct lanes_field *f, lanes (*v)[8], const uint64_t *scale, size_t apart, const uint64_t *w)
{
    const lanes one = ifma_turns(1), minus = ifma_turns(-1);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) /* 1 .. 3 */
            v[s][i] = i == 0 ? ifma_lower(f, v[s][0], minus)
                             : ifma_mul(f, v[s][i], lanes_factor_of(scale + s * apart + 2 * (i - 1)), minus);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) { /* 1 .. 3, -1 .. 1 -> 0 .. 4 */
            const lanes a = v[s][i], t = ifma_mul(f, v[s][i + 4], leaf_factor(w, 0), one);
            v[s][i + 4] = lanes_sub(a, t);
            v[s][i] = lanes_add(a, t);
        }
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) { /* 2 .., -1 .. 1 -> 1 .. */
            const unsigned i = j / 2 * 4 + j % 2;
            const lanes a = ifma_lower(f, v[s][i], ifma_turns(-2)), t = ifma_mul(f, v[s][i + 2], leaf_factor(w, 1 + j / 2), one);
            v[s][i] = lanes_add(a, t);
            v[s][i + 2] = lanes_sub(a, t);
        }
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) {
            const lanes a = v[s][2 * j], t = ifma_mul(f, v[s][2 * j + 1], leaf_factor(w, 3 + j), one);
            v[s][2 * j] = lanes_add(a, t);
            v[s][2 * j + 1] = lanes_sub(a, t);
        }
}

/* leaf_residue - a residue below p, from a point that leaf_split left. */
LANES_INLINE lanes leaf_residue(const struct lanes_field *f, lanes x)
{
    return residue_of(f, ifma_lower(f, x, _mm512_setzero_si512()));
}

/* leaf_join - the inverse of leaf_split, times 8.   v 0 .. 1 -> points of node j, in the ranges stated above */
LANES_INLINE void leaf_join(const struct lanes_field *f, lanes (*v)[8], const uint64_t *scale, const uint64_t *w)
{
    const lanes zero = _mm512_setzero_si512(), p2 = lanes_add(f->p, f->p);
    const lanes turns = _mm512_setr_epi64(-2, 1, -2, 1, -2, 1, -2, 1);
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) { /* sums 0 .. 2; products 1 .. 3 and -1 .. 1 in turn */
            const lanes a = v[s][2 * j], b = v[s][2 * j + 1], d = lanes_add(lanes_sub(a, b), f->p);
            v[s][2 * j] = lanes_add(a, b);
            v[s][2 * j + 1] = ifma_mul(f, d, leaf_factor(w, 3 + j), ifma_turns(j % 2 == 0 ? -1 : 1));
        }
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) {
            const unsigned i = j / 2 * 4 + j % 2;
            const lanes a = v[s][i], b = v[s][i + 2], d = lanes_sub(a, b); /* 0 .. 4, of sums -2 .. 2 */
            v[s][i] = ifma_reduce(f, lanes_add(a, b), ifma_turns(j < 2 ? -2 * (1 << IFMA_FINE) : 0));
            v[s][i + 2] = ifma_mul(f, j % 2 == 0 ? lanes_add(d, p2) : d, leaf_factor(w, 1 + j / 2), ifma_turns(j < 2 ? -1 : 1));
        }
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
#pragma GCC unroll 2
        for (unsigned s = 0; s < LEAF_DUO; s++) { /* 1 - .. 4 +, or 0 .. 4 */
            const uint64_t *pair = scale + 2 * (s * LEAF_SCALES + i);
            const lanes a = v[s][i], b = v[s][i + 4], sum = lanes_add(a, b);
            const lanes product = ifma_mul(f, lanes_sub(a, b), leaf_factor(w, 0), zero);
            v[s][i + 4] = ifma_mul(f, product, lanes_factor_of(pair + 6), turns);
            v[s][i] = i == 0 ? ifma_reduce(f, sum, _mm512_slli_epi64(turns, IFMA_FINE))
                             : ifma_mul(f, sum, lanes_factor_of(pair - 2), turns);
        }
}

#endif
