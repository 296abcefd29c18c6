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

/* What a pass asks of the memory beside plain loads and stores. */
enum pass_mode {
    PASS_CACHED,
    PASS_STREAM, /* stores past the cache: the result is read again only after the cache has been through it */
    PASS_AHEAD   /* also asks for what the next strip will load */
};

STAGE_INLINE void pass_store(enum pass_mode mode, double *p, vec r, vec i)
{
    if (mode == PASS_STREAM) {
        vec_stream(p, r);
        vec_stream(p + PLAN_BLOCK, i);
    } else {
        vec_store(p, r);
        vec_store(p + PLAN_BLOCK, i);
    }
}

/* Where a pass reads and writes: stream s at in + s * in_stride and out + s * out_stride; in place where they agree. */
struct pass_io {
    const double *in;
    size_t in_stride;
    double *out;
    size_t out_stride;
    size_t n_blocks;
    size_t ahead; /* PASS_AHEAD: doubles from what is loaded now to what will be loaded next */
};

STAGE_INLINE void pass_ahead(enum pass_mode mode, const struct pass_io *io, size_t at, unsigned radix)
{
    if (mode == PASS_AHEAD && at % BLOCK_DOUBLES == 0) {
        for (unsigned s = 0; s < radix; s++) {
            __builtin_prefetch(io->in + at + s * io->in_stride + io->ahead, 0, 2);
            __builtin_prefetch(io->in + at + s * io->in_stride + io->ahead + PLAN_BLOCK, 0, 2);
        }
    }
}

STAGE_INLINE void pass_binary(unsigned radix, bool inverse, bool upper_zero, enum pass_mode mode, const struct pass_io *io,
                              const double *node)
{
    struct twiddle w[4];
    load_twiddles(w, radix, node);
    for (size_t b = 0; b < io->n_blocks; b++) {
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            const size_t at = b * BLOCK_DOUBLES + v * VEC_WIDTH;
            vec r[8], i[8];
            pass_ahead(mode, io, at, radix);
            for (unsigned s = 0; s < (upper_zero ? radix / 2 : radix); s++) {
                r[s] = vec_load(io->in + at + s * io->in_stride);
                i[s] = vec_load(io->in + at + s * io->in_stride + PLAN_BLOCK);
            }
            if (inverse)
                radix_inverse(radix, r, i, w);
            else
                radix_forward(radix, r, i, w, upper_zero);
            for (unsigned s = 0; s < radix; s++)
                pass_store(mode, io->out + at + s * io->out_stride, r[s], i[s]);
        }
    }
}

STAGE_INLINE void pass_odd(unsigned radix, bool inverse, enum pass_mode mode, const struct pass_io *io, const double *table)
{
    vec c[5], d[5];
    for (unsigned s = 1; s < radix; s++) {
        c[s] = vec_set1(table[2 * s - 2]);
        d[s] = vec_set1(inverse ? -table[2 * s - 1] : table[2 * s - 1]);
    }
    for (size_t b = 0; b < io->n_blocks; b++) {
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            const size_t at = b * BLOCK_DOUBLES + v * VEC_WIDTH;
            vec r[5], i[5];
            pass_ahead(mode, io, at, radix);
            for (unsigned s = 0; s < radix; s++) {
                r[s] = vec_load(io->in + at + s * io->in_stride);
                i[s] = vec_load(io->in + at + s * io->in_stride + PLAN_BLOCK);
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
                pass_store(mode, io->out + at + s * io->out_stride, r[s], i[s]);
            }
        }
    }
}

/* One compiled body for each combination in use, out of line so that their size does not multiply. */
#define DEFINE_PASS(name, body)                                                              \
    static __attribute__((noinline)) void name(const struct pass_io *io, const double *node) \
    {                                                                                        \
        body;                                                                                \
    }
DEFINE_PASS(forward2, pass_binary(2, false, false, PASS_CACHED, io, node))
DEFINE_PASS(forward4, pass_binary(4, false, false, PASS_CACHED, io, node))
DEFINE_PASS(forward8, pass_binary(8, false, false, PASS_CACHED, io, node))
DEFINE_PASS(forward2_half, pass_binary(2, false, true, PASS_CACHED, io, node))
DEFINE_PASS(forward4_half, pass_binary(4, false, true, PASS_CACHED, io, node))
DEFINE_PASS(forward8_half, pass_binary(8, false, true, PASS_CACHED, io, node))
DEFINE_PASS(forward2_stream, pass_binary(2, false, false, PASS_STREAM, io, node))
DEFINE_PASS(forward4_stream, pass_binary(4, false, false, PASS_STREAM, io, node))
DEFINE_PASS(forward8_stream, pass_binary(8, false, false, PASS_STREAM, io, node))
DEFINE_PASS(forward3, pass_odd(3, false, PASS_CACHED, io, node))
DEFINE_PASS(forward5, pass_odd(5, false, PASS_CACHED, io, node))
DEFINE_PASS(inverse2, pass_binary(2, true, false, PASS_CACHED, io, node))
DEFINE_PASS(inverse4, pass_binary(4, true, false, PASS_CACHED, io, node))
DEFINE_PASS(inverse8, pass_binary(8, true, false, PASS_CACHED, io, node))
DEFINE_PASS(inverse2_ahead, pass_binary(2, true, false, PASS_AHEAD, io, node))
DEFINE_PASS(inverse4_ahead, pass_binary(4, true, false, PASS_AHEAD, io, node))
DEFINE_PASS(inverse8_ahead, pass_binary(8, true, false, PASS_AHEAD, io, node))
DEFINE_PASS(inverse3, pass_odd(3, true, PASS_CACHED, io, node))
DEFINE_PASS(inverse5, pass_odd(5, true, PASS_CACHED, io, node))

/* pass_forward, pass_inverse - mode is a wish: where there is no body for it, the cached one runs. */
static void pass_forward(unsigned radix, bool upper_zero, enum pass_mode mode, const struct pass_io *io, const double *node)
{
    if (radix == 3)
        forward3(io, node);
    else if (radix == 5)
        forward5(io, node);
    else if (upper_zero)
        (radix == 8 ? forward8_half : radix == 4 ? forward4_half : forward2_half)(io, node);
    else if (mode == PASS_STREAM)
        (radix == 8 ? forward8_stream : radix == 4 ? forward4_stream : forward2_stream)(io, node);
    else
        (radix == 8 ? forward8 : radix == 4 ? forward4 : forward2)(io, node);
}

static void pass_inverse(unsigned radix, enum pass_mode mode, const struct pass_io *io, const double *node)
{
    if (radix == 3)
        inverse3(io, node);
    else if (radix == 5)
        inverse5(io, node);
    else if (mode == PASS_AHEAD)
        (radix == 8 ? inverse8_ahead : radix == 4 ? inverse4_ahead : inverse2_ahead)(io, node);
    else
        (radix == 8 ? inverse8 : radix == 4 ? inverse4 : inverse2)(io, node);
}

#endif
