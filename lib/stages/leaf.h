/*
 * leaf.h - the last six levels: a node of 64 points as radix 8 over its 8 blocks, a transposition, radix 8 again.
 * By nested steps, or mixed (with VEC_MIXED).  Leaves of true radix 4: radix4.h.
 *
 * After the first radix 8, block s holds child s, its 8 coefficients in the lanes.  The transposition turns coefficients into
 * blocks and children into lanes, so that the second radix 8 has a twiddle for each lane.
 */
#ifndef GFMUL_LEAF_H
#define GFMUL_LEAF_H

enum { LEAF_DOUBLES = 2 * PLAN_LEAF_POINTS, LEAF_VECS = PLAN_BLOCK * VECS_PER_BLOCK };

STAGE_INLINE void lane_twiddles(struct twiddle *w, unsigned count, const double *nodes, unsigned v)
{
    for (unsigned q = 0; q < count; q++) {
        w[q].c = vec_load(nodes + BLOCK_DOUBLES * q + v * VEC_WIDTH);
        w[q].tau = vec_load(nodes + BLOCK_DOUBLES * q + PLAN_BLOCK + v * VEC_WIDTH);
    }
}

#ifdef VEC_HALVES

/* In memory: from one radix 8 to the next, too. */
struct leaf_vecs {
    _Alignas(64) double p[LEAF_DOUBLES];
};

/* leaf_forward_times - leaf_forward, and times y, pointwise, if not NULL; out may be x. */
STAGE_INLINE void leaf_forward_times(double *out, const double *x, const double *y, const double *node, const double *nodes)
{
    _Alignas(64) double t[LEAF_DOUBLES];
    struct twiddle w[4];
    load_twiddles(w, radix_twiddles(8), node);
    for (unsigned v = 0; v < PLAN_BLOCK; v += VEC_WIDTH) {
        const struct slots in = {x + v, BLOCK_DOUBLES, false};
        halves_forward(t + v, BLOCK_DOUBLES, &in, NULL, w);
    }
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        const struct slots in = {t + v * VEC_WIDTH * BLOCK_DOUBLES, 0, true};
        lane_twiddles(w, radix_twiddles(8), nodes, v);
        halves_forward(out + v * VEC_WIDTH, BLOCK_DOUBLES, &in, y ? y + v * VEC_WIDTH : NULL, w);
    }
}

/* leaf_forward - out may be x.   Out of line, like the others, to save the instruction cache. */
static __attribute__((noinline)) void leaf_forward(enum plan_butterfly kind, double *out, const double *x, const double *node,
                                                   const double *nodes)
{
    (void)kind; /* nested, as all of these */
    leaf_forward_times(out, x, NULL, node, nodes);
}

/* leaf_inverse - undo leaf_forward, times 64. */
static __attribute__((noinline)) void leaf_inverse(enum plan_butterfly kind, double *out, const double *x, const double *node,
                                                   const double *nodes)
{
    (void)kind;
    _Alignas(64) double t[LEAF_DOUBLES];
    struct twiddle w[4];
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        const struct slots in = {x + v * VEC_WIDTH, BLOCK_DOUBLES, false};
        lane_twiddles(w, radix_twiddles(8), nodes, v);
        halves_inverse(t + v * VEC_WIDTH, BLOCK_DOUBLES, &in, w);
    }
    load_twiddles(w, radix_twiddles(8), node);
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        const struct slots in = {t + v * VEC_WIDTH * BLOCK_DOUBLES, 0, true};
        halves_inverse(out + v * VEC_WIDTH, BLOCK_DOUBLES, &in, w);
    }
}

/* leaf_split_times - leaf_forward of x, times y, into z. */
static __attribute__((noinline)) void leaf_split_times(enum plan_butterfly kind, struct leaf_vecs *z, const double *x,
                                                       const double *y, const double *node, const double *nodes)
{
    (void)kind;
    leaf_forward_times(z->p, x, y, node, nodes);
}

/* leaf_split_squared - leaf_forward of x, squared, into z. */
STAGE_INLINE void leaf_split_squared(enum plan_butterfly kind, struct leaf_vecs *z, const double *x, const double *node,
                                     const double *nodes)
{
    leaf_forward(kind, z->p, x, node, nodes);
    for (unsigned b = 0; b < LEAF_DOUBLES; b += BLOCK_DOUBLES) {
        for (unsigned k = b; k < b + PLAN_BLOCK; k += VEC_WIDTH) {
            vec r = vec_load(z->p + k), i = vec_load(z->p + k + PLAN_BLOCK);
            complex_mul(&r, &i, r, i);
            vec_store(z->p + k, r);
            vec_store(z->p + k + PLAN_BLOCK, i);
        }
    }
}

/* leaf_join - undo leaf_split, times 64; z is destroyed. */
STAGE_INLINE void leaf_join(enum plan_butterfly kind, double *out, struct leaf_vecs *z, const double *node, const double *nodes)
{
    leaf_inverse(kind, out, z->p, node, nodes);
}

#else

/* leaf_transpose - 8x8 matrix, row s in vectors m[s * VECS_PER_BLOCK ..], by tiles of VEC_WIDTH. */
STAGE_INLINE void leaf_transpose(vec *m)
{
    for (unsigned p = 0; p < VECS_PER_BLOCK; p++) {
        for (unsigned q = p; q < VECS_PER_BLOCK; q++) {
            vec a[VEC_WIDTH], b[VEC_WIDTH];
            for (unsigned k = 0; k < VEC_WIDTH; k++) {
                a[k] = m[(p * VEC_WIDTH + k) * VECS_PER_BLOCK + q];
                b[k] = m[(q * VEC_WIDTH + k) * VECS_PER_BLOCK + p];
            }
            vec_transpose(a);
            vec_transpose(b);
            for (unsigned k = 0; k < VEC_WIDTH; k++) {
                m[(q * VEC_WIDTH + k) * VECS_PER_BLOCK + p] = a[k];
                m[(p * VEC_WIDTH + k) * VECS_PER_BLOCK + q] = b[k];
            }
        }
    }
}

/* A node of 64 points, or the output of its passes: block s in entries s * VECS_PER_BLOCK .. */
struct leaf_vecs {
    vec re[LEAF_VECS], im[LEAF_VECS];
};

STAGE_INLINE void leaf_load(struct leaf_vecs *z, const double *x)
{
    for (unsigned s = 0; s < 8; s++) {
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            z->re[s * VECS_PER_BLOCK + v] = vec_load(x + BLOCK_DOUBLES * s + v * VEC_WIDTH);
            z->im[s * VECS_PER_BLOCK + v] = vec_load(x + BLOCK_DOUBLES * s + PLAN_BLOCK + v * VEC_WIDTH);
        }
    }
}

STAGE_INLINE void leaf_store(double *out, const struct leaf_vecs *z)
{
    for (unsigned s = 0; s < 8; s++) {
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            vec_store(out + BLOCK_DOUBLES * s + v * VEC_WIDTH, z->re[s * VECS_PER_BLOCK + v]);
            vec_store(out + BLOCK_DOUBLES * s + PLAN_BLOCK + v * VEC_WIDTH, z->im[s * VECS_PER_BLOCK + v]);
        }
    }
}

/* leaf_radix - radix 8 over the blocks, forwards or backwards, on part v of each. */
STAGE_INLINE void leaf_radix(enum plan_butterfly kind, struct leaf_vecs *z, unsigned v, const struct twiddle *w, bool inverse)
{
    vec r[8], i[8];
    for (unsigned s = 0; s < 8; s++) {
        r[s] = z->re[s * VECS_PER_BLOCK + v];
        i[s] = z->im[s * VECS_PER_BLOCK + v];
    }
    if (kind == BUTTERFLY_MIXED)
        (inverse ? mixed_inverse : mixed_forward)(r, i, w);
    else if (inverse)
        radix_inverse(8, r, i, w);
    else
        radix_forward(8, r, i, w, false);
    for (unsigned s = 0; s < 8; s++) {
        z->re[s * VECS_PER_BLOCK + v] = r[s];
        z->im[s * VECS_PER_BLOCK + v] = i[s];
    }
}

/* leaf_first - the first radix 8 and the transposition; w: the twiddles of the 64-point node. */
STAGE_INLINE void leaf_first(enum plan_butterfly kind, struct leaf_vecs *z, const struct twiddle *w)
{
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++)
        leaf_radix(kind, z, v, w, false);
    leaf_transpose(z->re);
    leaf_transpose(z->im);
}

/* leaf_second - the second radix 8; nodes: the twiddles of the 8 children.   inverse: undo it. */
STAGE_INLINE void leaf_second(enum plan_butterfly kind, struct leaf_vecs *z, const double *nodes, bool inverse)
{
    struct twiddle w[PLAN_MAX_TWIDDLES];
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        lane_twiddles(w, butterfly_twiddles(kind, 8), nodes, v);
        leaf_radix(kind, z, v, w, inverse);
    }
}

/* leaf_last - undo leaf_first. */
STAGE_INLINE void leaf_last(enum plan_butterfly kind, struct leaf_vecs *z, const struct twiddle *w)
{
    leaf_transpose(z->re);
    leaf_transpose(z->im);
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++)
        leaf_radix(kind, z, v, w, true);
}

/* leaf_times - z = z y, pointwise; y as in a buffer. */
STAGE_INLINE void leaf_times(struct leaf_vecs *z, const double *y)
{
    for (unsigned s = 0; s < 8; s++) {
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            const double *p = y + BLOCK_DOUBLES * s + v * VEC_WIDTH;
            complex_mul(&z->re[s * VECS_PER_BLOCK + v], &z->im[s * VECS_PER_BLOCK + v], vec_load(p), vec_load(p + PLAN_BLOCK));
        }
    }
}

/* leaf_squared - z = z z. */
STAGE_INLINE void leaf_squared(struct leaf_vecs *z)
{
    for (unsigned k = 0; k < LEAF_VECS; k++)
        complex_mul(&z->re[k], &z->im[k], z->re[k], z->im[k]);
}

/* leaf_split - both steps; node: the twiddles of the 64-point node, nodes: those of its 8 children. */
STAGE_INLINE void leaf_split(enum plan_butterfly kind, struct leaf_vecs *z, const double *x, const double *node,
                             const double *nodes)
{
    struct twiddle w[PLAN_MAX_TWIDDLES];
    leaf_load(z, x);
    load_twiddles(w, butterfly_twiddles(kind, 8), node);
    leaf_first(kind, z, w);
    leaf_second(kind, z, nodes, false);
}

/* leaf_join - undo leaf_split, times 64; z is destroyed. */
STAGE_INLINE void leaf_join(enum plan_butterfly kind, double *out, struct leaf_vecs *z, const double *node, const double *nodes)
{
    struct twiddle w[PLAN_MAX_TWIDDLES];
    leaf_second(kind, z, nodes, true);
    load_twiddles(w, butterfly_twiddles(kind, 8), node);
    leaf_last(kind, z, w);
    leaf_store(out, z);
}

/* leaf_split_times, leaf_split_squared - leaf_split, and the product with y, or with itself. */
STAGE_INLINE void leaf_split_times(enum plan_butterfly kind, struct leaf_vecs *z, const double *x, const double *y,
                                   const double *node, const double *nodes)
{
    leaf_split(kind, z, x, node, nodes);
    leaf_times(z, y);
}
STAGE_INLINE void leaf_split_squared(enum plan_butterfly kind, struct leaf_vecs *z, const double *x, const double *node,
                                     const double *nodes)
{
    leaf_split(kind, z, x, node, nodes);
    leaf_squared(z);
}

/* leaf_forward - out may be x. */
STAGE_INLINE void leaf_forward(enum plan_butterfly kind, double *out, const double *x, const double *node, const double *nodes)
{
    struct leaf_vecs z;
    leaf_split(kind, &z, x, node, nodes);
    leaf_store(out, &z);
}

/* leaf_inverse - undo leaf_forward, times 64. */
STAGE_INLINE void leaf_inverse(enum plan_butterfly kind, double *out, const double *x, const double *node, const double *nodes)
{
    struct leaf_vecs z;
    leaf_load(&z, x);
    leaf_join(kind, out, &z, node, nodes);
}

#endif

#endif
