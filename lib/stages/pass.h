/*
 * pass.h - one pass over one node: `radix` streams of blocks, in place.
 *
 * Streams s = 0 .. radix-1 begin at x + s * stride (doubles) and are n_blocks blocks of 8 points long.  Twiddle tables hold
 * blocks of 8 nodes; node g of a pass has twiddle q at table + (g / 8) * 16 * count + 16 q + g % 8 (c) and 8 further on (tau),
 * count = 1, 2, 4 twiddles for radix 2, 4, 8.  An odd pass has one node: cos, sin of e(s theta0 / radix), s = 1 .. radix-1.
 */
#ifndef GFMUL_PASS_H
#define GFMUL_PASS_H

STAGE_INLINE unsigned radix_twiddles(unsigned radix)
{
    return radix == 8 ? 4 : radix / 2;
}

/* node_twiddles - where the twiddles of node g begin. */
STAGE_INLINE const double *node_twiddles(const double *table, unsigned radix, size_t g)
{
    return table + g / PLAN_BLOCK * BLOCK_DOUBLES * radix_twiddles(radix) + g % PLAN_BLOCK;
}

STAGE_INLINE void load_twiddles(struct twiddle *w, unsigned radix, const double *node)
{
    for (unsigned q = 0; q < radix_twiddles(radix); q++) {
        w[q].c = vec_set1(node[BLOCK_DOUBLES * q]);
        w[q].tau = vec_set1(node[BLOCK_DOUBLES * q + PLAN_BLOCK]);
    }
}

STAGE_INLINE void pass_binary(unsigned radix, bool inverse, bool upper_zero, double *x, size_t stride, size_t n_blocks,
                              const double *node)
{
    struct twiddle w[4];
    load_twiddles(w, radix, node);
    for (size_t b = 0; b < n_blocks; b++) {
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            double *p = x + b * BLOCK_DOUBLES + v * VEC_WIDTH;
            vec r[8], i[8];
            for (unsigned s = 0; s < (upper_zero ? radix / 2 : radix); s++) {
                r[s] = vec_load(p + s * stride);
                i[s] = vec_load(p + s * stride + PLAN_BLOCK);
            }
            if (inverse)
                radix_inverse(radix, r, i, w);
            else
                radix_forward(radix, r, i, w, upper_zero);
            for (unsigned s = 0; s < radix; s++) {
                vec_store(p + s * stride, r[s]);
                vec_store(p + s * stride + PLAN_BLOCK, i[s]);
            }
        }
    }
}

STAGE_INLINE void pass_odd(unsigned radix, bool inverse, double *x, size_t stride, size_t n_blocks, const double *table)
{
    vec c[5], d[5];
    for (unsigned s = 1; s < radix; s++) {
        c[s] = vec_set1(table[2 * s - 2]);
        d[s] = vec_set1(inverse ? -table[2 * s - 1] : table[2 * s - 1]);
    }
    for (size_t b = 0; b < n_blocks; b++) {
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            double *p = x + b * BLOCK_DOUBLES + v * VEC_WIDTH;
            vec r[5], i[5];
            for (unsigned s = 0; s < radix; s++) {
                r[s] = vec_load(p + s * stride);
                i[s] = vec_load(p + s * stride + PLAN_BLOCK);
                if (!inverse && s)
                    complex_mul(r + s, i + s, c[s], d[s]);
            }
            if (radix == 3)
                dft3(r, i, inverse ? -1.0 : 1.0);
            else
                dft5(r, i, inverse ? -1.0 : 1.0);
            for (unsigned s = 0; s < radix; s++) {
                if (inverse && s)
                    complex_mul(r + s, i + s, c[s], d[s]);
                vec_store(p + s * stride, r[s]);
                vec_store(p + s * stride + PLAN_BLOCK, i[s]);
            }
        }
    }
}

/* pass_forward, pass_inverse - dispatch on the radix, one compiled body each. */
static void pass_forward(unsigned radix, bool upper_zero, double *x, size_t stride, size_t n_blocks, const double *node)
{
    if (radix == 8 && !upper_zero)
        pass_binary(8, false, false, x, stride, n_blocks, node);
    else if (radix == 4 && !upper_zero)
        pass_binary(4, false, false, x, stride, n_blocks, node);
    else if (radix == 2 && !upper_zero)
        pass_binary(2, false, false, x, stride, n_blocks, node);
    else if (radix == 8)
        pass_binary(8, false, true, x, stride, n_blocks, node);
    else if (radix == 4)
        pass_binary(4, false, true, x, stride, n_blocks, node);
    else if (radix == 2)
        pass_binary(2, false, true, x, stride, n_blocks, node);
    else if (radix == 3)
        pass_odd(3, false, x, stride, n_blocks, node);
    else
        pass_odd(5, false, x, stride, n_blocks, node);
}

static void pass_inverse(unsigned radix, double *x, size_t stride, size_t n_blocks, const double *node)
{
    if (radix == 8)
        pass_binary(8, true, false, x, stride, n_blocks, node);
    else if (radix == 4)
        pass_binary(4, true, false, x, stride, n_blocks, node);
    else if (radix == 2)
        pass_binary(2, true, false, x, stride, n_blocks, node);
    else if (radix == 3)
        pass_odd(3, true, x, stride, n_blocks, node);
    else
        pass_odd(5, true, x, stride, n_blocks, node);
}

#endif
