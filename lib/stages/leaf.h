/*
 * leaf.h - the last six levels: a node of 64 points as radix 8 over its 8 blocks, a transposition, radix 8 again.
 *
 * After the first radix 8, block s holds child s, its 8 coefficients in the lanes.  The transposition turns coefficients into
 * blocks and children into lanes, so that the second radix 8 has a twiddle for each lane.
 */
#ifndef GFMUL_LEAF_H
#define GFMUL_LEAF_H

enum { LEAF_DOUBLES = 2 * PLAN_LEAF_POINTS, LEAF_VECS = PLAN_BLOCK * VECS_PER_BLOCK };

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

STAGE_INLINE void lane_twiddles(struct twiddle *w, const double *nodes, unsigned v)
{
    for (unsigned q = 0; q < 4; q++) {
        w[q].c = vec_load(nodes + BLOCK_DOUBLES * q + v * VEC_WIDTH);
        w[q].tau = vec_load(nodes + BLOCK_DOUBLES * q + PLAN_BLOCK + v * VEC_WIDTH);
    }
}

/* leaf_forward - out may be x; node: the twiddles of the 64-point node, nodes: those of its 8 children. */
STAGE_INLINE void leaf_forward(double *out, const double *x, const double *node, const double *nodes)
{
    struct twiddle w[4];
    vec re[LEAF_VECS], im[LEAF_VECS], r[8], i[8];
    load_twiddles(w, 8, node);
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        for (unsigned s = 0; s < 8; s++) {
            r[s] = vec_load(x + BLOCK_DOUBLES * s + v * VEC_WIDTH);
            i[s] = vec_load(x + BLOCK_DOUBLES * s + PLAN_BLOCK + v * VEC_WIDTH);
        }
        radix_forward(8, r, i, w, false);
        for (unsigned s = 0; s < 8; s++) {
            re[s * VECS_PER_BLOCK + v] = r[s];
            im[s * VECS_PER_BLOCK + v] = i[s];
        }
    }
    leaf_transpose(re);
    leaf_transpose(im);
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        for (unsigned s = 0; s < 8; s++) {
            r[s] = re[s * VECS_PER_BLOCK + v];
            i[s] = im[s * VECS_PER_BLOCK + v];
        }
        lane_twiddles(w, nodes, v);
        radix_forward(8, r, i, w, false);
        for (unsigned s = 0; s < 8; s++) {
            vec_store(out + BLOCK_DOUBLES * s + v * VEC_WIDTH, r[s]);
            vec_store(out + BLOCK_DOUBLES * s + PLAN_BLOCK + v * VEC_WIDTH, i[s]);
        }
    }
}

/* leaf_inverse - undo leaf_forward, times 64. */
STAGE_INLINE void leaf_inverse(double *out, const double *x, const double *node, const double *nodes)
{
    struct twiddle w[4];
    vec re[LEAF_VECS], im[LEAF_VECS], r[8], i[8];
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        for (unsigned s = 0; s < 8; s++) {
            r[s] = vec_load(x + BLOCK_DOUBLES * s + v * VEC_WIDTH);
            i[s] = vec_load(x + BLOCK_DOUBLES * s + PLAN_BLOCK + v * VEC_WIDTH);
        }
        lane_twiddles(w, nodes, v);
        radix_inverse(8, r, i, w);
        for (unsigned s = 0; s < 8; s++) {
            re[s * VECS_PER_BLOCK + v] = r[s];
            im[s * VECS_PER_BLOCK + v] = i[s];
        }
    }
    leaf_transpose(re);
    leaf_transpose(im);
    load_twiddles(w, 8, node);
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        for (unsigned s = 0; s < 8; s++) {
            r[s] = re[s * VECS_PER_BLOCK + v];
            i[s] = im[s * VECS_PER_BLOCK + v];
        }
        radix_inverse(8, r, i, w);
        for (unsigned s = 0; s < 8; s++) {
            vec_store(out + BLOCK_DOUBLES * s + v * VEC_WIDTH, r[s]);
            vec_store(out + BLOCK_DOUBLES * s + PLAN_BLOCK + v * VEC_WIDTH, i[s]);
        }
    }
}

#endif
