/*
 * fft_block.h - transforms of many sequences at once, one in each lane, in one precision; included by fft_run.h.
 *
 * A block is an array of rows, element j of L sequences each: L real parts, then L imaginary ones, together 128 bytes.  A level
 * of radix r behind l points already transformed, n = l r m, takes row a_(k, j) = k r m + j to b_(k, j) = k m + j by
 *
 *     b_(k + l t, c) = sum over i < r of e(-i t / r) e(-i k / (l r)) a_(k, c + m i),    k < l, c < m, t < r:
 *
 * roots before the sums, so that for r = 2, 4, 8 each sum a + w b is two fused multiply-adds for w = c (1 + i tau) and one more
 * for each of its parts, 6 for two complex points.  Two levels in a row run on groups of r1 r2 rows in a small array, so that
 * the block is read and written once for both.  The first level may read pairs (re, im) of rows that are far apart in memory;
 * the last one may write such, or multiply each row by roots of its own.
 */
#undef L
#undef V
#define L (FFT_LANE_BYTES / sizeof(R))
#define V W(vector, FFT_VEC)

/* What a level reads and writes. */
#ifndef FFT_BLOCK_H_ONCE
#define FFT_BLOCK_H_ONCE
enum { FROM_BLOCK, FROM_PAIRS, FROM_SWAPPED, FROM_WIDE, N_FROM }; /* WIDE: a block, the roots are other ones for each lane */
enum { TO_BLOCK, TO_PRODUCTS, TO_PAIRS, TO_SWAPPED, N_TO };       /* SWAPPED is scaled too */
#endif

/* Some butterflies of one radix: strides in numbers. */
struct F(step) {
    const R *x; /* input i of butterfly c at x + i xi + c xc */
    size_t xi, xc;
    R *y; /* output t at y + t yt + c yc */
    size_t yt, yc;
    const R *w; /* its roots at w + c wc; NULL: none */
    size_t wc, count;
    size_t ahead;      /* FIRST: what is read so much later is fetched */
    const R *lane, *b; /* PRODUCTS: the row at y is multiplied by the row at lane, and by the pair at b */
    bool fetch;        /* LAST: what is written next */
    R scale;           /* LAST */
};

FFT_INLINE const R *F(at)(const R *p, size_t i)
{
    return p != NULL ? p + i : NULL;
}

/* fetch - a row of pairs that will be read or written, into the second-level cache. */
FFT_INLINE void F(fetch)(const R *p)
{
    __builtin_prefetch(p, 0, 2);
    __builtin_prefetch(p + L, 0, 2);
}

FFT_INLINE void F(row_get)(V *re, V *im, const R *p, unsigned l, int from)
{
    if (from == FROM_BLOCK || from == FROM_WIDE) {
        *re = W(load, FFT_VEC)(p + l);
        *im = W(load, FFT_VEC)(p + L + l);
    } else if (from == FROM_PAIRS) {
        W(load_pairs, FFT_VEC)(p + 2 * l, re, im);
    } else {
        W(load_pairs, FFT_VEC)(p + 2 * l, im, re);
    }
}

FFT_INLINE void F(row_put)(R *p, V re, V im, unsigned l, int to, const R *lane, const R *b, R scale)
{
    if (to == TO_PAIRS) {
        W(store_pairs, FFT_VEC)(p + 2 * l, re, im);
        return;
    }
    if (to == TO_SWAPPED) {
        W(store_pairs, FFT_VEC)(p + 2 * l, im * scale, re * scale);
        return;
    }
    if (to == TO_PRODUCTS) {
        V u = W(load, FFT_VEC)(lane + l), v = W(load, FFT_VEC)(lane + L + l), t = re;
        V wr = W(set1, FFT_VEC)(b[0]), wi = W(set1, FFT_VEC)(b[1]);
        V c = W(fms, FFT_VEC)(u, wr, v * wi), s = W(fma, FFT_VEC)(u, wi, v * wr);
        re = W(fms, FFT_VEC)(t, c, im * s);
        im = W(fma, FFT_VEC)(t, s, im * c);
    }
    W(store, FFT_VEC)(p + l, re);
    W(store, FFT_VEC)(p + L + l, im);
}

/* Number i of a table: one for all lanes, or one for each. */
FFT_INLINE V F(root)(const R *w, unsigned i, bool wide)
{
    return wide ? W(load, FFT_VEC)(w + i * L) : W(set1, FFT_VEC)(w[i]);
}

/* a + w b, a - w b; w at number i of the table */
FFT_INLINE void F(turn)(V *r, V *i, unsigned a, unsigned b, const R *w, unsigned at, bool wide)
{
    const V c = F(root)(w, at, wide), tau = F(root)(w, at + 1, wide);
    V t = W(fnma, FFT_VEC)(tau, i[b], r[b]), u = W(fma, FFT_VEC)(tau, r[b], i[b]);
    r[b] = W(fnma, FFT_VEC)(c, t, r[a]);
    i[b] = W(fnma, FFT_VEC)(c, u, i[a]);
    r[a] = W(fma, FFT_VEC)(c, t, r[a]);
    i[a] = W(fma, FFT_VEC)(c, u, i[a]);
}

/* a - i w b, a + i w b */
FFT_INLINE void F(turn_right)(V *r, V *i, unsigned a, unsigned b, const R *w, unsigned at, bool wide)
{
    const V c = F(root)(w, at, wide), tau = F(root)(w, at + 1, wide);
    V t = W(fnma, FFT_VEC)(tau, i[b], r[b]), u = W(fma, FFT_VEC)(tau, r[b], i[b]);
    r[b] = W(fnma, FFT_VEC)(c, u, r[a]);
    i[b] = W(fma, FFT_VEC)(c, t, i[a]);
    r[a] = W(fma, FFT_VEC)(c, u, r[a]);
    i[a] = W(fnma, FFT_VEC)(c, t, i[a]);
}

FFT_INLINE void F(exchange)(V *r, V *i, unsigned a, unsigned b)
{
    V t = r[a];
    r[a] = r[b];
    r[b] = t;
    t = i[a];
    i[a] = i[b];
    i[b] = t;
}

/* DFTs in place of the inputs times powers of w, in natural order; the table: see fft_level. */
FFT_INLINE void F(turned2)(V *r, V *i, const R *w, bool wide)
{
    F(turn)(r, i, 0, 1, w, 0, wide);
}

FFT_INLINE void F(turned4)(V *r, V *i, const R *w, bool wide)
{
    F(turn)(r, i, 0, 2, w, 0, wide);
    F(turn)(r, i, 1, 3, w, 0, wide);
    F(turn)(r, i, 0, 1, w, 2, wide);
    F(turn_right)(r, i, 2, 3, w, 2, wide);
    F(exchange)(r, i, 1, 2);
}

FFT_INLINE void F(turned8)(V *r, V *i, const R *w, bool wide)
{
    for (unsigned j = 0; j < 4; j++)
        F(turn)(r, i, j, j + 4, w, 0, wide);
    F(turn)(r, i, 0, 2, w, 2, wide);
    F(turn)(r, i, 1, 3, w, 2, wide);
    F(turn)(r, i, 0, 1, w, 4, wide);
    F(turn_right)(r, i, 2, 3, w, 4, wide);
    F(turn_right)(r, i, 4, 6, w, 2, wide);
    F(turn_right)(r, i, 5, 7, w, 2, wide);
    F(turn)(r, i, 4, 5, w, 6, wide);
    F(turn_right)(r, i, 6, 7, w, 6, wide);
    /* outputs 0, 4, 2, 6, 1, 5, 3, 7 */
    F(exchange)(r, i, 1, 4);
    F(exchange)(r, i, 3, 6);
}

#define TURNED_ODD(n)                                                                           \
    FFT_INLINE void F(turned##n)(V * r, V * i, const R *w, bool wide)                           \
    {                                                                                           \
        _Pragma("GCC unroll 8") for (unsigned j = 1; j < n; j++)                                \
        {                                                                                       \
            const V c = F(root)(w, 2 * j - 2, wide), s = F(root)(w, 2 * j - 1, wide), t = r[j]; \
            r[j] = W(fms, FFT_VEC)(t, c, i[j] * s);                                             \
            i[j] = W(fma, FFT_VEC)(t, s, i[j] * c);                                             \
        }                                                                                       \
        W(dft##n, FFT_VEC)(r, i);                                                               \
    }
TURNED_ODD(3)
TURNED_ODD(5)
TURNED_ODD(7)
#undef TURNED_ODD

/* One butterfly on FFT_VEC lanes from l on.  r, from and to are constants where this is used. */
FFT_INLINE void F(butterfly)(unsigned r, const R *x, size_t xi, int from, R *y, size_t yt, int to, const R *w, const R *lane,
                             const R *b, R scale, unsigned l)
{
    const bool wide = from == FROM_WIDE;
    V ar[8], ai[8];
#pragma GCC unroll 8
    for (unsigned i = 0; i < r; i++)
        F(row_get)(&ar[i], &ai[i], x + i * xi, l, from);
#define BUTTERFLY(n)                                                                  \
    else if (r == n && w != NULL) F(turned##n)(ar, ai, F(at)(w, wide ? l : 0), wide); \
    else if (r == n) W(dft##n, FFT_VEC)(ar, ai);
    if (r == 0)
        return;
    BUTTERFLY(2)
    BUTTERFLY(3)
    BUTTERFLY(4)
    BUTTERFLY(5)
    BUTTERFLY(7)
    BUTTERFLY(8)
#undef BUTTERFLY
#pragma GCC unroll 8
    for (unsigned t = 0; t < r; t++)
        F(row_put)(y + t * yt, ar[t], ai[t], l, to, F(at)(lane, t * yt), F(at)(b, t * (yt / L)), scale);
}

#define STEP(r, name, from, to)                                                                  \
    static void F(name##r)(const struct F(step) * s)                                             \
    {                                                                                            \
        const R *x = s->x, *w = s->w, *lane = s->lane, *b = s->b;                                \
        R *y = s->y;                                                                             \
        for (size_t n = s->count; n > 0; n--) {                                                  \
            for (unsigned i = 0; i < r && (from == FROM_PAIRS || from == FROM_SWAPPED); i++)     \
                F(fetch)(x + i * s->xi + s->ahead);                                              \
            for (unsigned t = 0; t < r && (to == TO_PAIRS || to == TO_SWAPPED) && s->fetch; t++) \
                F(fetch)(y + t * s->yt + s->yc);                                                 \
            _Pragma("GCC unroll 1") for (unsigned l = 0; l < L; l += FFT_VEC)                    \
                F(butterfly)(r, x, s->xi, from, y, s->yt, to, w, lane, b, s->scale, l);          \
            x += s->xc;                                                                          \
            y += s->yc;                                                                          \
            lane = F(at)(lane, s->yc);                                                           \
            b = F(at)(b, s->yc / L);                                                             \
            w = F(at)(w, s->wc);                                                                 \
        }                                                                                        \
    }
#define STEPS(r)                                                               \
    STEP(r, inner, FROM_BLOCK, TO_BLOCK)                                       \
    STEP(r, first, FROM_PAIRS, TO_BLOCK)                                       \
    STEP(r, first_back, FROM_SWAPPED, TO_BLOCK)                                \
    STEP(r, products, FROM_BLOCK, TO_PRODUCTS)                                 \
    STEP(r, last, FROM_BLOCK, TO_PAIRS)                                        \
    STEP(r, last_back, FROM_BLOCK, TO_SWAPPED)                                 \
    STEP(r, wide, FROM_WIDE, TO_BLOCK)                                         \
    STEP(r, wide_last, FROM_WIDE, TO_PAIRS)                                    \
    STEP(r, wide_last_back, FROM_WIDE, TO_SWAPPED)                             \
    static void (*const F(steps##r)[N_TO][N_FROM])(const struct F(step) *) = { \
        [TO_BLOCK] = {F(inner##r), F(first##r), F(first_back##r), F(wide##r)}, \
        [TO_PRODUCTS] = {F(products##r)},                                      \
        [TO_PAIRS] = {F(last##r), NULL, NULL, F(wide_last##r)},                \
        [TO_SWAPPED] = {F(last_back##r), NULL, NULL, F(wide_last_back##r)},    \
    };
STEPS(2)
STEPS(3)
STEPS(4)
STEPS(5)
STEPS(7)
STEPS(8)
#undef STEPS
#undef STEP

static void F(step_run)(unsigned radix, int from, int to, const struct F(step) * s)
{
    switch (radix) {
    case 2:
        F(steps2)[to][from](s);
        break;
    case 3:
        F(steps3)[to][from](s);
        break;
    case 4:
        F(steps4)[to][from](s);
        break;
    case 5:
        F(steps5)[to][from](s);
        break;
    case 7:
        F(steps7)[to][from](s);
        break;
    default:
        F(steps8)[to][from](s);
    }
}

/* One or two levels between two arrays of rows. */
struct F(sweep) {
    const R *x;
    size_t x_row; /* from one row to the next */
    R *y;
    size_t y_row;
    int from, to;
    const R *lane, *b;
    bool fetch;   /* what is written next is fetched */
    size_t group; /* WIDE: where the roots of these lanes begin in the tables */
    R scale;
};

FFT_INLINE const R *F(level_roots)(const struct fft_level *v, size_t k, const struct F(sweep) * a, bool wide)
{
    return k == 0 && !wide ? NULL : (const R *)v->roots + k * v->n_roots + (wide ? a->group : 0);
}

static void F(level_run)(const struct fft_level *v, const struct F(sweep) * a)
{
    const size_t l = v->l, r = v->radix, m = v->m;
    struct F(step) s = {.xi = m * a->x_row,
                        .xc = a->x_row,
                        .yt = l * m * a->y_row,
                        .yc = a->y_row,
                        .ahead = 4 * a->x_row,
                        .fetch = a->fetch,
                        .scale = a->scale};
    const bool wide = a->from == FROM_WIDE;
    for (size_t k = 0; k < l; k++) {
        size_t x = k * r * m * a->x_row, y = k * m * a->y_row;
        s.x = a->x + x;
        s.y = a->y + y;
        s.lane = F(at)(a->lane, y);
        s.b = F(at)(a->b, y / L);
        s.w = F(level_roots)(v, k, a, wide);
        s.count = m;
        if (m == 1 && s.w != NULL) { /* all that are left at once: each has roots of its own */
            s.xc = r * a->x_row;
            s.wc = v->n_roots;
            s.count = l - k;
            k = l;
        }
        F(step_run)(v->radix, a->from, a->to, &s);
    }
}

/* Level v, of radix r1, and the next one, of radix r2, by groups of r1 r2 rows.  few: so many rows. */
FFT_INLINE void F(pair_any)(unsigned r1, unsigned r2, int from, int to, const struct fft_level *v, const struct F(sweep) * a,
                            R *few)
{
    const struct fft_level *u = v + 1;
    const size_t l = v->l, m2 = u->m, xc = m2 * a->x_row, xi = r2 * xc, yc = l * m2 * a->y_row, yt = r1 * yc;
    const bool wide = from == FROM_WIDE, pairs = from == FROM_PAIRS || from == FROM_SWAPPED;
    for (size_t k = 0; k < l; k++)
        for (size_t c = 0; c < m2; c++) {
            const R *x = a->x + k * r1 * xi + c * a->x_row, *w = F(level_roots)(v, k, a, wide);
            const size_t place = (k * m2 + c) * a->y_row;
            const R *lane = F(at)(a->lane, place), *b = F(at)(a->b, place / L);
            R *y = a->y + place;
            if (pairs && c + 1 < m2)
                for (unsigned i = 0; i < r1 * r2; i++)
                    F(fetch)(x + i * xc + a->x_row);
            if (w == NULL || pairs) /* a first level has no roots */
                for (unsigned i = 0; i < r2; i++)
#pragma GCC unroll 1
                    for (unsigned q = 0; q < L; q += FFT_VEC)
                        F(butterfly)(r1, x + i * xc, xi, from, few + i * 2 * L, r2 * 2 * L, TO_BLOCK, NULL, NULL, NULL, 1, q);
            else
                for (unsigned i = 0; i < r2; i++)
#pragma GCC unroll 1
                    for (unsigned q = 0; q < L; q += FFT_VEC)
                        F(butterfly)(r1, x + i * xc, xi, from, few + i * 2 * L, r2 * 2 * L, TO_BLOCK, w, NULL, NULL, 1, q);
            for (unsigned t = 0; t < r1 * r2 && a->fetch && (to == TO_PAIRS || to == TO_SWAPPED); t++)
                F(fetch)(y + t * yc + a->y_row);
            w = F(level_roots)(u, k, a, wide);
            for (unsigned t = 0; t < r1; t++) {
#pragma GCC unroll 1
                for (unsigned q = 0; q < L; q += FFT_VEC) {
                    const R *z = few + t * r2 * 2 * L;
                    const int block = wide ? FROM_WIDE : FROM_BLOCK;
                    if (w == NULL)
                        F(butterfly)(r2, z, 2 * L, block, y, yt, to, NULL, lane, b, a->scale, q);
                    else
                        F(butterfly)(r2, z, 2 * L, block, y, yt, to, w, lane, b, a->scale, q);
                }
                y += yc;
                lane = F(at)(lane, yc);
                b = F(at)(b, yc / L);
                w = F(level_roots)(u, k + l * (t + 1), a, wide);
            }
        }
}

typedef void F(pair)(const struct fft_level *v, const struct F(sweep) * a, R *few);
#define PAIR(r1, r2, name, from, to)                                                           \
    static void F(name##r1##r2)(const struct fft_level *v, const struct F(sweep) * a, R * few) \
    {                                                                                          \
        F(pair_any)(r1, r2, from, to, v, a, few);                                              \
    }
#define PAIRS(r1, r2)                                                                                                  \
    PAIR(r1, r2, pair_inner, FROM_BLOCK, TO_BLOCK)                                                                     \
    PAIR(r1, r2, pair_products, FROM_BLOCK, TO_PRODUCTS)                                                               \
    PAIR(r1, r2, pair_last, FROM_BLOCK, TO_PAIRS)                                                                      \
    PAIR(r1, r2, pair_last_back, FROM_BLOCK, TO_SWAPPED)                                                               \
    PAIR(r1, r2, pair_first, FROM_PAIRS, TO_BLOCK)                                                                     \
    PAIR(r1, r2, pair_first_back, FROM_SWAPPED, TO_BLOCK)                                                              \
    PAIR(r1, r2, pair_wide, FROM_WIDE, TO_BLOCK)                                                                       \
    PAIR(r1, r2, pair_wide_last, FROM_WIDE, TO_PAIRS)                                                                  \
    PAIR(r1, r2, pair_wide_last_back, FROM_WIDE, TO_SWAPPED)                                                           \
    static F(pair) *const F(pairs##r1##r2)[N_TO][N_FROM] = {                                                           \
        [TO_BLOCK] = {F(pair_inner##r1##r2), F(pair_first##r1##r2), F(pair_first_back##r1##r2), F(pair_wide##r1##r2)}, \
        [TO_PRODUCTS] = {F(pair_products##r1##r2)},                                                                    \
        [TO_PAIRS] = {F(pair_last##r1##r2), NULL, NULL, F(pair_wide_last##r1##r2)},                                    \
        [TO_SWAPPED] = {F(pair_last_back##r1##r2), NULL, NULL, F(pair_wide_last_back##r1##r2)},                        \
    };
PAIRS(8, 8)
PAIRS(8, 4)
PAIRS(4, 4)
#undef PAIRS
#undef PAIR

/* Level v and, where that is possible, the next one too; how many. */
static unsigned F(levels_run)(const struct fft_level *v, unsigned left, const struct F(sweep) * a, R *y, R *few)
{
    struct F(sweep) part = *a;
    const bool last = left == 2;
    if (v->paired) {
        F(pair) *run = (v->radix == 4 ? F(pairs44) : v[1].radix == 4 ? F(pairs84) : F(pairs88))[last ? a->to : TO_BLOCK][a->from];
        if (run != NULL) {
            part.y = last ? a->y : y;
            part.y_row = last ? a->y_row : 2 * L;
            run(v, &part, few);
            return 2;
        }
    }
    part.y = left == 1 ? a->y : y;
    part.y_row = left == 1 ? a->y_row : 2 * L;
    part.to = left == 1 ? a->to : TO_BLOCK;
    F(level_run)(v, &part);
    return 1;
}

/* All levels, from a->x to a->y by way of blocks p and q (p may be a->x). */
static void F(block_run)(const struct fft_block *k, const struct F(sweep) * a, R *p, R *q, R *few)
{
    struct F(sweep) part = *a;
    if (k->level[0].paired && p == a->x) { /* groups of rows come back to where they were: in place */
        R *t = p;
        p = q;
        q = t;
    }
    for (unsigned i = 0; i < k->n_levels;) {
        i += F(levels_run)(&k->level[i], k->n_levels - i, &part, q, few);
        part.x = q;
        part.x_row = 2 * L;
        part.from = a->from == FROM_WIDE ? FROM_WIDE : FROM_BLOCK;
        q = p;
        p = (R *)(uintptr_t)part.x;
    }
}

/* b[2 k], b[2 k + 1] = e(-j k / n), k < n1: e(-j k0 / n) for every eighth times e(-j i / n), i < 8 */
static void F(group_roots)(const struct fft_complex *t, R *b, size_t j)
{
    enum { G = 8, E = G < FFT_VEC ? FFT_VEC : G };
    const size_t mask = ((size_t)1 << t->root_bits) - 1, n1 = t->a.n;
    const R *low = t->low, *high = t->high;
    R cosines[E], sines[E];
    for (size_t i = 0; i < E; i++) {
        const R *h = high + 2 * (i * j >> t->root_bits), *w = low + 2 * (i * j & mask);
        cosines[i] = h[0] * w[0] - h[1] * w[1];
        sines[i] = h[0] * w[1] + h[1] * w[0];
    }
    for (size_t k = 0; k < n1; k += E) {
        const R *h = high + 2 * (k * j >> t->root_bits), *w = low + 2 * (k * j & mask);
        const V c = W(set1, FFT_VEC)(h[0] * w[0] - h[1] * w[1]), s = W(set1, FFT_VEC)(h[0] * w[1] + h[1] * w[0]);
        for (unsigned i = 0; i < E; i += FFT_VEC) {
            V u = W(load, FFT_VEC)(cosines + i), v = W(load, FFT_VEC)(sines + i);
            W(store_pairs, FFT_VEC)(b + 2 * (k + i), c * u - s * v, c * v + s * u);
        }
    }
}

/*
 * Four steps: j = n2 j1 + j2, k = k1 + n1 k2.  L columns j2 at a time are transformed over j1, multiplied by e(-j2 k1 / n),
 * unless the rows' roots hold that, and left as a block of n1 rows k1.  Then L rows k1 are taken from all blocks, transposed to a
 * block of n2 rows j2, transformed over j2 and stored at k1 + n1 k2.  The last group overlaps the one before where L does not
 * divide.  Permuted: forwards each group's rows are stored side by side instead; backwards, with n1 and n2 exchanged, columns
 * are what was stored so.
 */
static void F(columns)(const struct fft_complex *t, R *c, const R *in, bool backward, size_t g, R *work)
{
    const size_t n2 = t->b.n, block = t->block_bytes / sizeof(R);
    const size_t j2 = g * L + L <= n2 ? g * L : n2 - L;
    R *few = work + 2 * block, *b = few + FFT_FEW_ROWS * 2 * L;
    const bool runs = backward && t->permuted; /* L columns as they stand side by side */
    struct F(sweep) a = {.x = in + (runs ? 2 * g * L * t->a.n : 2 * j2),
                         .x_row = runs ? 2 * L : 2 * n2,
                         .y = c + g * t->c_step,
                         .y_row = 2 * L,
                         .from = backward ? FROM_SWAPPED : FROM_PAIRS,
                         .to = TO_BLOCK};
    if (!t->b.wide) {
        F(group_roots)(t, b, j2);
        a.to = TO_PRODUCTS;
        a.lane = t->lane_roots;
        a.b = b;
    }
    F(block_run)(&t->a, &a, work, work + block, few);
}

static void F(rows)(const struct fft_complex *t, R *out, const R *c, bool backward, R scale, size_t g, R *work)
{
    const size_t n1 = t->a.n, n2 = t->b.n, block = t->block_bytes / sizeof(R), groups = (n2 + L - 1) / L;
    const size_t k1 = g * L + L <= n1 ? g * L : n1 - L;
    for (size_t h = 0; h < groups; h++) {
        const R *from = c + h * t->c_step + 2 * L * k1, *next = from + 2 * t->c_step;
        R *to = work + 2 * L * (h * L + L <= n2 ? h * L : n2 - L);
        for (unsigned part = 0; part < 2; part++)
            for (unsigned l = 0; l < L; l += FFT_VEC)
                for (unsigned j = 0; j < L; j += FFT_VEC) {
                    V a[FFT_VEC];
#pragma GCC unroll 16
                    for (unsigned i = 0; i < FFT_VEC; i++)
                        a[i] = W(load, FFT_VEC)(from + (l + i) * 2 * L + part * L + j);
                    for (unsigned i = 0; i < FFT_VEC && j == 0; i++)
                        __builtin_prefetch(next + (l + i) * 2 * L + part * L, 0, 3);
                    W(transpose, FFT_VEC)(a);
#pragma GCC unroll 16
                    for (unsigned i = 0; i < FFT_VEC; i++)
                        W(store, FFT_VEC)(to + (j + i) * 2 * L + part * L + l, a[i]);
                }
    }
    const bool runs = !backward && t->permuted;
    struct F(sweep) a = {.x = work,
                         .x_row = 2 * L,
                         .y = out + (runs ? 2 * g * L * n2 : 2 * k1),
                         .y_row = runs ? 2 * L : 2 * n1,
                         .from = t->b.wide ? FROM_WIDE : FROM_BLOCK,
                         .to = backward ? TO_SWAPPED : TO_PAIRS,
                         .group = g * t->b.group,
                         .fetch = !runs && t->n * sizeof(R) >= FFT_FETCH_BYTES,
                         .scale = scale};
    F(block_run)(&t->b, &a, work, work + block, work + 2 * block);
}

/* short_rows - the one block of rows where n1 = L. */
static void F(short_rows)(const struct fft_complex *t, R *out, bool backward, R scale, R *block, R *other, R *few)
{
    const struct F(sweep) a = {.x = block,
                               .x_row = 2 * L,
                               .y = out,
                               .y_row = 2 * L,
                               .from = FROM_WIDE,
                               .to = backward ? TO_SWAPPED : TO_PAIRS,
                               .scale = scale};
    F(block_run)(&t->b, &a, block, other, few);
}

/* The same for n1 = 8, columns in registers and one block of rows; L = 8. */
static void F(short_steps)(const struct fft_complex *t, R *out, const R *in, bool backward, R scale, R *work)
{
    const size_t n2 = t->b.n, block = t->block_bytes / sizeof(R);
    for (size_t g = 0; g < n2; g += 8) {
        const size_t j2 = g + 8 <= n2 ? g : n2 - 8;
#pragma GCC unroll 1
        for (unsigned q = 0; q < 8; q += FFT_VEC8) {
            W(vector, FFT_VEC8) r[8], i[8];
#pragma GCC unroll 8
            for (unsigned j = 0; j < 8; j++) {
                W(load_pairs, FFT_VEC8)(in + 2 * (j2 + q + n2 * j), &r[j], &i[j]);
            }
            if (backward)
                W(dft8, FFT_VEC8)(i, r);
            else
                W(dft8, FFT_VEC8)(r, i);
            R *to = work + 2 * 8 * (j2 + q), *re = backward ? to + 8 : to, *im = backward ? to : to + 8;
#pragma GCC unroll 8
            for (unsigned k = 0; k < 8; k += FFT_VEC8) {
                W(transpose, FFT_VEC8)(r + k);
                W(transpose, FFT_VEC8)(i + k);
#pragma GCC unroll 8
                for (unsigned l = 0; l < FFT_VEC8; l++) {
                    W(store, FFT_VEC8)(re + 2 * 8 * l + k, r[k + l]);
                    W(store, FFT_VEC8)(im + 2 * 8 * l + k, i[k + l]);
                }
            }
        }
    }
    F(short_rows)(t, out, backward, scale, work, work + block, work + 2 * block);
}

#if FFT_VEC == 16
/*
 * columns16 - L columns of 16 points from x on, n2 points apart, in two levels of radix 4 in registers, and turned to rows.
 * w: the roots of the second level.
 */
FFT_INLINE void F(columns16)(V *re, V *im, const R *x, size_t n2, const R *w, bool backward)
{
    V r[16], i[16];
#pragma GCC unroll 16
    for (unsigned j = 0; j < 16; j++) {
        const unsigned at = j % 4 * 4 + j / 4;
        W(load_pairs, FFT_VEC)(x + 2 * n2 * j, backward ? &i[at] : &r[at], backward ? &r[at] : &i[at]);
    }
#pragma GCC unroll 4
    for (unsigned c = 0; c < 16; c += 4)
        W(dft4, FFT_VEC)(r + c, i + c);
#pragma GCC unroll 4
    for (unsigned k = 0; k < 4; k++) {
        V ar[4] = {r[k], r[4 + k], r[8 + k], r[12 + k]}, ai[4] = {i[k], i[4 + k], i[8 + k], i[12 + k]};
        if (k == 0)
            W(dft4, FFT_VEC)(ar, ai);
        else
            F(turned4)(ar, ai, w + 4 * k, false);
#pragma GCC unroll 4
        for (unsigned s = 0; s < 4; s++) {
            re[k + 4 * s] = ar[s];
            im[k + 4 * s] = ai[s];
        }
    }
    W(transpose, FFT_VEC)(re);
    W(transpose, FFT_VEC)(im);
}

/* rows16 - 16 rows through the levels of b, two of radix 4 with roots for each lane, and out as pairs. */
FFT_INLINE void F(rows16)(const struct fft_block *b, R *out, const V *re, const V *im, int to, R scale)
{
    const R *w = b->level[0].roots, *w2 = b->level[1].roots;
    V r[16], i[16];
#pragma GCC unroll 4
    for (unsigned c = 0; c < 4; c++) {
        V ar[4] = {re[c], re[4 + c], re[8 + c], re[12 + c]}, ai[4] = {im[c], im[4 + c], im[8 + c], im[12 + c]};
        F(turned4)(ar, ai, w, true);
#pragma GCC unroll 4
        for (unsigned t = 0; t < 4; t++) {
            r[4 * t + c] = ar[t];
            i[4 * t + c] = ai[t];
        }
    }
#pragma GCC unroll 4
    for (unsigned k = 0; k < 4; k++) {
        F(turned4)(r + 4 * k, i + 4 * k, w2 + k * 4 * L, true);
#pragma GCC unroll 4
        for (unsigned t = 0; t < 4; t++)
            F(row_put)(out + 2 * L * (k + 4 * t), r[4 * k + t], i[4 * k + t], 0, to, NULL, NULL, scale);
    }
}

/* The same for n1 = L = 16; 256 points stay in registers. */
FFT_INLINE void F(short_any16)(const struct fft_complex *t, R *out, const R *in, bool backward, R scale, R *work)
{
    const size_t n2 = t->b.n, block = t->block_bytes / sizeof(R);
    const R *w = t->a.level[1].roots;
    V re[16], im[16];
    if (n2 == 16) {
        F(columns16)(re, im, in, 16, w, backward);
        F(rows16)(&t->b, out, re, im, backward ? TO_SWAPPED : TO_PAIRS, scale);
        return;
    }
    for (size_t g = 0; g < n2; g += 16) {
        const size_t j2 = g + 16 <= n2 ? g : n2 - 16;
        R *to = work + 2 * 16 * j2;
        F(columns16)(re, im, in + 2 * j2, n2, w, backward);
#pragma GCC unroll 16
        for (unsigned l = 0; l < 16; l++) {
            W(store, FFT_VEC)(to + 2 * 16 * l, re[l]);
            W(store, FFT_VEC)(to + 2 * 16 * l + 16, im[l]);
        }
    }
    F(short_rows)(t, out, backward, scale, work, work + block, work + 2 * block);
}

static void F(short_steps16)(const struct fft_complex *t, R *out, const R *in, bool backward, R scale, R *work)
{
    if (backward)
        F(short_any16)(t, out, in, true, scale, work);
    else
        F(short_any16)(t, out, in, false, scale, work);
}
#endif

static void F(four_steps)(const struct fft_complex *t, R *out, const R *in, bool backward, R scale, char *work, unsigned threads)
{
    R *c = (R *)(void *)work;
    char *own = work + t->work_bytes;
    if (backward && t->back != NULL)
        t = t->back;
    const size_t column_groups = (t->b.n + L - 1) / L, row_groups = (t->a.n + L - 1) / L;
    if (t->a.n == 8 && t->a.n_levels == 0) {
        F(short_steps)(t, out, in, backward, scale, (R *)(void *)own);
        return;
    }
#if FFT_VEC == 16
    if (t->a.n == 16 && t->b.wide && t->a.n_levels == 2) { /* never permuted */
        F(short_steps16)(t, out, in, backward, scale, (R *)(void *)own);
        return;
    }
#endif
    if (threads == 1) {
        for (size_t g = 0; g < column_groups; g++)
            F(columns)(t, c, in, backward, g, (R *)(void *)own);
        for (size_t g = 0; g < row_groups; g++)
            F(rows)(t, out, c, backward, scale, g, (R *)(void *)own);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        ROUND_TO_NEAREST;
        R *mine = (R *)(void *)own;
#ifdef _OPENMP
        mine = (R *)(void *)(own + (size_t)omp_get_thread_num() * t->thread_bytes);
#endif
#pragma omp for schedule(static)
        for (size_t g = 0; g < column_groups; g++)
            F(columns)(t, c, in, backward, g, mine);
#pragma omp for schedule(static)
        for (size_t g = 0; g < row_groups; g++)
            F(rows)(t, out, c, backward, scale, g, mine);
    }
}
#undef L
#undef V
