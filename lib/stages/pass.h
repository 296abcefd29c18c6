/*
 * pass.h - one pass over one node: `radix` streams of blocks, in place.
 *
 * Streams s = 0 .. radix-1 begin at x + s * stride (doubles) and are n_blocks blocks of 8 points long.  Twiddle tables hold
 * blocks of 8 nodes; node g of a pass has twiddle q at table + (g / 8) * 16 * count + 16 q + g % 8 (c) and 8 further on (tau, or
 * s), count = 1, 2, 4 twiddles for radix 2, 4, 8, 3 for BUTTERFLY_RADIX4, 5 for BUTTERFLY_MIXED.  An odd pass has no table.
 */
#ifndef GFMUL_PASS_H
#define GFMUL_PASS_H

STAGE_INLINE unsigned radix_twiddles(unsigned radix)
{
    return radix == 8 ? 4 : radix / 2;
}

/* butterfly_twiddles - of a node that a pass splits. */
STAGE_INLINE unsigned butterfly_twiddles(enum plan_butterfly butterfly, unsigned radix)
{
    return butterfly == BUTTERFLY_MIXED    ? PLAN_MAX_TWIDDLES
           : butterfly == BUTTERFLY_RADIX4 ? PLAN_RADIX4_TWIDDLES
                                           : radix_twiddles(radix);
}

/* node_twiddles - where the twiddles of node g begin, `count` for each node. */
STAGE_INLINE const double *node_twiddles(const double *table, unsigned count, size_t g)
{
    return table + g / PLAN_BLOCK * BLOCK_DOUBLES * count + g % PLAN_BLOCK;
}

/* pass_twiddles - where those of node g of pass p begin. */
STAGE_INLINE const double *pass_twiddles(const struct plan *plan, unsigned p, size_t g)
{
    return node_twiddles(plan->twiddle[p], plan_pass_twiddles(&plan->shape.transform.pass[p]), g);
}

STAGE_INLINE void load_twiddles(struct twiddle *w, unsigned count, const double *node)
{
    for (unsigned q = 0; q < count; q++) {
        w[q].c = vec_set1(node[BLOCK_DOUBLES * q]);
        w[q].tau = vec_set1(node[BLOCK_DOUBLES * q + PLAN_BLOCK]);
    }
}

/* How a pass treats memory beside plain loads and stores. */
enum pass_mode {
    PASS_CACHED,
    PASS_STREAM, /* stores past the cache: the result is read again only after the cache has been through it */
    PASS_AHEAD   /* also prefetches the lines that the next strip will load (inverse) or store (forward) */
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

/*
 * lines_stream - a block of each of `radix` streams past the cache, by whole lines.  Half lines would keep more write-combining
 * buffers open than a core has.
 */
STAGE_INLINE void lines_stream(double *out, size_t stride, const double *line, unsigned radix)
{
    for (unsigned s = 0; s < radix; s++)
        for (unsigned k = 0; k < BLOCK_DOUBLES; k += VEC_WIDTH)
            vec_stream(out + s * stride + k, vec_load(line + s * BLOCK_DOUBLES + k));
}

/* Where a pass reads and writes: stream s at in + s * in_stride and out + s * out_stride; in place if they agree. */
struct pass_io {
    const double *in;
    size_t in_stride;
    double *out;
    size_t out_stride;
    size_t n_blocks;
    struct {
        const double *p; /* the lines that the next strip will load (inverse) or store (forward), as `in` or `out` */
        size_t stride;
        bool half; /* one line of each block, not two */
    } ahead;       /* PASS_AHEAD */
};

/* block_ahead - prefetch the block at p into the second-level cache. */
STAGE_INLINE void block_ahead(const double *p)
{
    __builtin_prefetch(p, 0, 2);
    __builtin_prefetch(p + PLAN_BLOCK, 0, 2);
}

STAGE_INLINE void pass_ahead(enum pass_mode mode, const struct pass_io *io, size_t at, unsigned radix)
{
    if (mode != PASS_AHEAD)
        return;
    for (unsigned s = 0; s < radix; s++) {
        const double *p = io->ahead.p + s * io->ahead.stride + at;
        if (io->ahead.half)
            __builtin_prefetch(p, 0, 2);
        else
            block_ahead(p);
    }
}

/* pass_vector - a pass over one vector of each stream, of which the first is at io.in and goes to io.out. */
STAGE_INLINE void pass_vector(enum plan_butterfly butterfly, unsigned radix, bool inverse, bool upper_zero, enum pass_mode mode,
                              struct pass_io io, const struct twiddle *w)
{
#ifdef VEC_HALVES
    if (radix == 8 && butterfly == BUTTERFLY_NESTED && !upper_zero && mode != PASS_STREAM) {
        const struct slots slots = {io.in, io.in_stride, false};
        if (inverse)
            halves_inverse(io.out, io.out_stride, &slots, w);
        else
            halves_forward(io.out, io.out_stride, &slots, NULL, w);
        return;
    }
#endif
    vec r[8], i[8];
    for (unsigned s = 0; s < (upper_zero ? radix / 2 : radix); s++) {
        r[s] = vec_load(io.in + s * io.in_stride);
        i[s] = vec_load(io.in + s * io.in_stride + PLAN_BLOCK);
    }
    if (butterfly == BUTTERFLY_RADIX4)
        (inverse ? radix4_inverse : radix4_forward)(r, i, w);
    else if (butterfly == BUTTERFLY_MIXED)
        (inverse ? mixed_inverse : mixed_forward)(r, i, w);
    else if (inverse)
        radix_inverse(radix, r, i, w);
    else
        radix_forward(radix, r, i, w, upper_zero);
    for (unsigned s = 0; s < radix; s++)
        pass_store(mode, io.out + s * io.out_stride, r[s], i[s]);
}

STAGE_INLINE void pass_binary(enum plan_butterfly butterfly, unsigned radix, bool inverse, bool upper_zero, enum pass_mode mode,
                              const struct pass_io *io, const double *node)
{
    const bool lines = mode == PASS_STREAM && VECS_PER_BLOCK > 1;
    struct twiddle w[PLAN_MAX_TWIDDLES];
    load_twiddles(w, butterfly_twiddles(butterfly, radix), node);
    for (size_t b = 0; b < io->n_blocks; b++) {
        const size_t at = b * BLOCK_DOUBLES;
        _Alignas(64) double line[8 * BLOCK_DOUBLES];
        pass_ahead(mode, io, at, radix);
        for (unsigned v = 0; v < PLAN_BLOCK; v += VEC_WIDTH) {
            const struct pass_io here = {.in = io->in + at + v,
                                         .in_stride = io->in_stride,
                                         .out = lines ? line + v : io->out + at + v,
                                         .out_stride = lines ? BLOCK_DOUBLES : io->out_stride};
            pass_vector(butterfly, radix, inverse, upper_zero, lines ? PASS_CACHED : mode, here, w);
        }
        if (lines)
            lines_stream(io->out + at, io->out_stride, line, radix);
    }
}

/* Where an odd pass reads and writes: stream j at in + in_at[j] and out + out_at[j]. */
struct odd_io {
    const double *in;
    double *out;
    size_t n_blocks;
    size_t ahead; /* distance in doubles from the current loads or stores to the next ones; 0: no prefetch */
    size_t in_at[ODD_RADIX_MAX], out_at[ODD_RADIX_MAX];
    /* ODD_TURNED: the streams' side has the factors i^k: which half of a block the first part is in, and the signs of both */
    size_t half[ODD_RADIX_MAX];
    double sign_r[ODD_RADIX_MAX], sign_i[ODD_RADIX_MAX];
    double real_r[ODD_RADIX_MAX], real_i[ODD_RADIX_MAX]; /* i^k, forwards, for streams that are real */
};

/* Where the powers of i come from: theta0 = 0, none; theta0 = 1/4, from the place of the stream; or from odd_io. */
enum odd_kind { ODD_CYCLIC, ODD_RIGHT_ANGLE, ODD_TURNED, ODD_KINDS };

/* odd_turn - stream j's factor i^k. */
static void odd_turn(struct odd_io *io, unsigned j, unsigned k, bool inverse)
{
    k = (inverse ? 3 * k : k) % 4;
    io->half[j] = k % 2 ? PLAN_BLOCK : 0;
    io->sign_r[j] = k == 2 || k == (inverse ? 3 : 1) ? -1.0 : 1.0;
    io->sign_i[j] = k == 2 || k == (inverse ? 1 : 3) ? -1.0 : 1.0;
    io->real_r[j] = k % 2 ? 0.0 : io->sign_r[j];
    io->real_i[j] = k % 2 ? io->sign_i[j] : 0.0;
}

/*
 * pass_odd - the root x^n - e(theta0) into its branches t, x^(n/radix) - e((theta0 + t) / radix).
 *
 * Branch t is the sum of e(s (theta0 + t) / radix) times stream s.  theta0 = 0: a DFT.  theta0 = 1/4: for the branch t0 with
 * (1/4 + t0) / radix = u, u = 1/4 or 3/4 modulo 1, the factors are powers of i, and branch t0 + k is output k of the DFT of the
 * streams times e(s u).  So neither needs a twiddle.  The inverse is the same backwards.
 * odd_vector is pass_odd of one vector of each stream, at `at`; real: the streams, forwards, if all of them are real, but for
 * the imaginary part of stream 0, imag, if that is not NULL; else NULL.
 * odd_vector_of - the same where only the first `streams` streams are there, forwards: the others are zero and not read.
 */
STAGE_INLINE void odd_vector_of(unsigned radix, bool inverse, enum odd_kind kind, const struct odd_io *io, size_t at,
                                const vec *real, const vec *imag, unsigned streams)
{
    const unsigned u = kind != ODD_RIGHT_ANGLE ? 0 : radix % 4 == 1 ? 1 : 3, t0 = u * radix / 4; /* u in quarters */
    const unsigned inner = odd_inner(radix), outer = radix / inner;
    const double sign = inverse ? -1.0 : 1.0;
    struct part mr[ODD_INNER_MAX][ODD_OUTER_MAX], mi[ODD_INNER_MAX][ODD_OUTER_MAX];
#pragma GCC unroll 8
    for (unsigned b = 0; b < outer; b++) {
        struct part r[ODD_INNER_MAX], i[ODD_INNER_MAX];
#pragma GCC unroll 8
        for (unsigned a = 0; a < inner; a++) {
            const unsigned s = odd_input(radix, a, b);
            if (!inverse && s >= streams) {
                r[a] = i[a] = (struct part){vec_set1(0.0), 0};
                continue;
            }
            const double *p = real ? NULL : io->in + at + io->in_at[inverse ? (t0 + s) % radix : s];
            if (kind == ODD_TURNED && !inverse) {
                r[a] =
                    part_of(vec_mul(vec_set1(real ? io->real_r[s] : io->sign_r[s]), real ? real[s] : vec_load(p + io->half[s])));
                i[a] = part_of(vec_mul(vec_set1(real ? io->real_i[s] : io->sign_i[s]),
                                       real ? real[s] : vec_load(p + (io->half[s] ^ PLAN_BLOCK))));
                if (s == 0 && imag) /* of the root's stream 0, whose factor is 1 */
                    i[a] = part_of(*imag);
                continue;
            }
            r[a] = part_of(real ? real[s] : vec_load(p));
            i[a] = !real ? part_of(vec_load(p + PLAN_BLOCK)) : s == 0 && imag ? part_of(*imag) : (struct part){real[s], 0};
            if (!inverse)
                turn(u * s, r + a, i + a);
        }
        dft_prime(inner, r, i, sign);
#pragma GCC unroll 8
        for (unsigned a = 0; a < inner; a++) {
            odd_middle(radix, a, b, r + a, i + a, sign);
            mr[a][b] = r[a];
            mi[a][b] = i[a];
        }
    }
#pragma GCC unroll 8
    for (unsigned a = 0; a < inner; a++) {
        dft_prime(outer, mr[a], mi[a], sign);
#pragma GCC unroll 8
        for (unsigned c = 0; c < outer; c++) {
            const unsigned k = odd_output(radix, a, c);
            double *p = io->out + at + io->out_at[inverse ? k : (t0 + k) % radix];
            if (kind == ODD_TURNED && inverse) {
                vec_store(p + io->half[k], vec_mul(vec_set1(io->sign_r[k]), part_value(mr[a][c])));
                vec_store(p + (io->half[k] ^ PLAN_BLOCK), vec_mul(vec_set1(io->sign_i[k]), part_value(mi[a][c])));
                continue;
            }
            if (inverse)
                turn(3 * u * k, mr[a] + c, mi[a] + c); /* e(-k u) */
            pass_store(PASS_CACHED, p, part_value(mr[a][c]), part_value(mi[a][c]));
        }
    }
}

STAGE_INLINE void odd_vector(unsigned radix, bool inverse, enum odd_kind kind, const struct odd_io *io, size_t at,
                             const vec *real, const vec *imag)
{
    odd_vector_of(radix, inverse, kind, io, at, real, imag, radix);
}

STAGE_INLINE void pass_odd(unsigned radix, bool inverse, enum odd_kind kind, const struct odd_io *io, unsigned streams)
{
    for (size_t n = 0; n < io->n_blocks; n++) {
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            const size_t at = n * BLOCK_DOUBLES + v * VEC_WIDTH;
            for (unsigned s = 0; s < radix && v == 0 && io->ahead; s++)
                block_ahead((inverse ? io->in + io->in_at[s] : io->out + io->out_at[s]) + at + io->ahead);
            odd_vector_of(radix, inverse, kind, io, at, NULL, NULL, streams);
        }
    }
}

/* One compiled body for each combination in use, out of line to keep the code small. */
#define DEFINE_PASS(name, body)                                                              \
    static __attribute__((noinline)) void name(const struct pass_io *io, const double *node) \
    {                                                                                        \
        body;                                                                                \
    }
DEFINE_PASS(forward2, pass_binary(BUTTERFLY_NESTED, 2, false, false, PASS_CACHED, io, node))
DEFINE_PASS(forward4, pass_binary(BUTTERFLY_NESTED, 4, false, false, PASS_CACHED, io, node))
DEFINE_PASS(forward8, pass_binary(BUTTERFLY_NESTED, 8, false, false, PASS_CACHED, io, node))
DEFINE_PASS(forward2_half, pass_binary(BUTTERFLY_NESTED, 2, false, true, PASS_CACHED, io, node))
DEFINE_PASS(forward4_half, pass_binary(BUTTERFLY_NESTED, 4, false, true, PASS_CACHED, io, node))
DEFINE_PASS(forward8_half, pass_binary(BUTTERFLY_NESTED, 8, false, true, PASS_CACHED, io, node))
DEFINE_PASS(forward2_stream, pass_binary(BUTTERFLY_NESTED, 2, false, false, PASS_STREAM, io, node))
DEFINE_PASS(forward4_stream, pass_binary(BUTTERFLY_NESTED, 4, false, false, PASS_STREAM, io, node))
DEFINE_PASS(forward8_stream, pass_binary(BUTTERFLY_NESTED, 8, false, false, PASS_STREAM, io, node))
DEFINE_PASS(forward2_ahead, pass_binary(BUTTERFLY_NESTED, 2, false, false, PASS_AHEAD, io, node))
DEFINE_PASS(forward4_ahead, pass_binary(BUTTERFLY_NESTED, 4, false, false, PASS_AHEAD, io, node))
DEFINE_PASS(forward8_ahead, pass_binary(BUTTERFLY_NESTED, 8, false, false, PASS_AHEAD, io, node))
DEFINE_PASS(inverse2, pass_binary(BUTTERFLY_NESTED, 2, true, false, PASS_CACHED, io, node))
DEFINE_PASS(inverse4, pass_binary(BUTTERFLY_NESTED, 4, true, false, PASS_CACHED, io, node))
DEFINE_PASS(inverse8, pass_binary(BUTTERFLY_NESTED, 8, true, false, PASS_CACHED, io, node))
DEFINE_PASS(inverse2_ahead, pass_binary(BUTTERFLY_NESTED, 2, true, false, PASS_AHEAD, io, node))
DEFINE_PASS(inverse4_ahead, pass_binary(BUTTERFLY_NESTED, 4, true, false, PASS_AHEAD, io, node))
DEFINE_PASS(inverse8_ahead, pass_binary(BUTTERFLY_NESTED, 8, true, false, PASS_AHEAD, io, node))
#ifdef VEC_RADIX4
DEFINE_PASS(forward4_true, pass_binary(BUTTERFLY_RADIX4, 4, false, false, PASS_CACHED, io, node))
DEFINE_PASS(forward4_true_stream, pass_binary(BUTTERFLY_RADIX4, 4, false, false, PASS_STREAM, io, node))
DEFINE_PASS(forward4_true_ahead, pass_binary(BUTTERFLY_RADIX4, 4, false, false, PASS_AHEAD, io, node))
DEFINE_PASS(inverse4_true, pass_binary(BUTTERFLY_RADIX4, 4, true, false, PASS_CACHED, io, node))
DEFINE_PASS(inverse4_true_ahead, pass_binary(BUTTERFLY_RADIX4, 4, true, false, PASS_AHEAD, io, node))
#endif
#ifdef VEC_MIXED
DEFINE_PASS(forward8_mixed, pass_binary(BUTTERFLY_MIXED, 8, false, false, PASS_CACHED, io, node))
DEFINE_PASS(forward8_mixed_stream, pass_binary(BUTTERFLY_MIXED, 8, false, false, PASS_STREAM, io, node))
DEFINE_PASS(forward8_mixed_ahead, pass_binary(BUTTERFLY_MIXED, 8, false, false, PASS_AHEAD, io, node))
DEFINE_PASS(inverse8_mixed, pass_binary(BUTTERFLY_MIXED, 8, true, false, PASS_CACHED, io, node))
DEFINE_PASS(inverse8_mixed_ahead, pass_binary(BUTTERFLY_MIXED, 8, true, false, PASS_AHEAD, io, node))
#endif

/* pass_forward, pass_inverse - mode is a hint: without a body for it, the cached one runs. */
static void pass_forward(const struct plan_pass *pass, bool upper_zero, enum pass_mode mode, const struct pass_io *io,
                         const double *node)
{
    const unsigned radix = pass->radix;
#ifdef VEC_RADIX4
    if (pass->butterfly == BUTTERFLY_RADIX4) {
        (mode == PASS_STREAM ? forward4_true_stream : mode == PASS_AHEAD ? forward4_true_ahead : forward4_true)(io, node);
        return;
    }
#endif
#ifdef VEC_MIXED
    if (pass->butterfly == BUTTERFLY_MIXED) {
        (mode == PASS_STREAM ? forward8_mixed_stream : mode == PASS_AHEAD ? forward8_mixed_ahead : forward8_mixed)(io, node);
        return;
    }
#endif
    if (upper_zero)
        (radix == 8 ? forward8_half : radix == 4 ? forward4_half : forward2_half)(io, node);
    else if (mode == PASS_STREAM)
        (radix == 8 ? forward8_stream : radix == 4 ? forward4_stream : forward2_stream)(io, node);
    else if (mode == PASS_AHEAD)
        (radix == 8 ? forward8_ahead : radix == 4 ? forward4_ahead : forward2_ahead)(io, node);
    else
        (radix == 8 ? forward8 : radix == 4 ? forward4 : forward2)(io, node);
}

static void pass_inverse(const struct plan_pass *pass, enum pass_mode mode, const struct pass_io *io, const double *node)
{
    const unsigned radix = pass->radix;
#ifdef VEC_RADIX4
    if (pass->butterfly == BUTTERFLY_RADIX4) {
        (mode == PASS_AHEAD ? inverse4_true_ahead : inverse4_true)(io, node);
        return;
    }
#endif
#ifdef VEC_MIXED
    if (pass->butterfly == BUTTERFLY_MIXED) {
        (mode == PASS_AHEAD ? inverse8_mixed_ahead : inverse8_mixed)(io, node);
        return;
    }
#endif
    if (mode == PASS_AHEAD)
        (radix == 8 ? inverse8_ahead : radix == 4 ? inverse4_ahead : inverse2_ahead)(io, node);
    else
        (radix == 8 ? inverse8 : radix == 4 ? inverse4 : inverse2)(io, node);
}

/* The odd passes, in the same way.  They do not stream: if an odd pass is the last on columns, the buffer is odd rows long,
   too short for that. */
typedef void (*odd_body)(const struct odd_io *io);

#define DEFINE_ODD(name, radix, inverse, kind)                          \
    static __attribute__((noinline)) void name(const struct odd_io *io) \
    {                                                                   \
        pass_odd(radix, inverse, kind, io, radix);                      \
    }
#define DEFINE_ODDS(radix)                                            \
    DEFINE_ODD(forward##radix, radix, false, ODD_CYCLIC)              \
    DEFINE_ODD(forward##radix##_right, radix, false, ODD_RIGHT_ANGLE) \
    DEFINE_ODD(inverse##radix, radix, true, ODD_CYCLIC)               \
    DEFINE_ODD(inverse##radix##_right, radix, true, ODD_RIGHT_ANGLE)

/* Only some radices have turned bodies: DEFINE_TURNED_1, not DEFINE_TURNED_0. */
#define DEFINE_TURNED_0(radix)
#define DEFINE_TURNED_1(radix)                                    \
    DEFINE_ODD(forward##radix##_turned, radix, false, ODD_TURNED) \
    DEFINE_ODD(inverse##radix##_turned, radix, true, ODD_TURNED)
#define ODD_RADIX(radix, turned, ...) DEFINE_ODDS(radix) DEFINE_TURNED_##turned(radix)
#include "plan/odd_factors.def"

/* The odd pass of a cyclic length whose upper half is zero: half of the streams are there, with the middle one or without it. */
#define DEFINE_ODD_HALF(name, radix, streams)                           \
    static __attribute__((noinline)) void name(const struct odd_io *io) \
    {                                                                   \
        pass_odd(radix, false, ODD_CYCLIC, io, streams);                \
    }
#define ODD_RADIX(radix, ...)                                             \
    DEFINE_ODD_HALF(forward##radix##_middle, radix, (radix) / 2 + 1)      \
    DEFINE_ODD_HALF(forward##radix##_half, radix, (radix) / 2)
#include "plan/odd_factors.def"

static const odd_body odd_half_bodies[ODD_RADIX_MAX + 1][2] = {
#define ODD_RADIX(radix, ...) [radix] = {forward##radix##_half, forward##radix##_middle},
#include "plan/odd_factors.def"
};

#define IF_TURNED_0(body) NULL
#define IF_TURNED_1(body) body
static const odd_body odd_bodies[ODD_RADIX_MAX + 1][2][ODD_KINDS] = {
#define ODD_RADIX(radix, turned, ...)                                                                 \
    [radix] = {{forward##radix, forward##radix##_right, IF_TURNED_##turned(forward##radix##_turned)}, \
               {inverse##radix, inverse##radix##_right, IF_TURNED_##turned(inverse##radix##_turned)}},
#include "plan/odd_factors.def"
};

#endif
