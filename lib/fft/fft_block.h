/*
 * fft_block.h - transforms of many sequences at once, one in each lane; included by fft_run.h.
 *
 * A block is an array of rows: element j of L sequences each, as L real parts, then L imaginary ones, together 128 bytes.  After
 * l points are transformed, a level of radix r, n = l r m, takes row a_(k, j) = k r m + j to b_(k, j) = k m + j by
 *
 *     b_(k + l t, c) = sum over i < r of e(-i t / r) e(-i k / (l r)) a_(k, c + m i),    k < l, c < m, t < r:
 *
 * Roots come before the sums.  So for r = 2, 4, 8 each sum a + w b takes two fused multiply-adds for w = c (1 + i tau) and one
 * more for each of its parts, 6 for two complex points.  Two successive levels run on groups of r1 r2 rows in a small array, so
 * that the block is read and written only once for both.  The first level may read pairs (re, im) of rows that are far apart in
 * memory; the last one may write such rows, or multiply each row by its own roots.
 */
enum { L = FFT_LANE_BYTES / sizeof(real) };

/* The input and the output of a level. */
enum { FROM_BLOCK, FROM_PAIRS, FROM_SWAPPED, FROM_WIDE, N_FROM }; /* WIDE: a block, with different roots for each lane */
enum { TO_BLOCK, TO_PRODUCTS, TO_PAIRS, TO_SWAPPED, N_TO };       /* SWAPPED scales, too */

/* Where rows are read and written; strides in numbers. */
struct rows_in {
    const real *x; /* row i at x + i xi */
    size_t xi;
    const real *w; /* the roots of all rows; NULL: none */
};

struct rows_out {
    real *y; /* row t at y + t yt */
    size_t yt;
    const real *lane, *b; /* PRODUCTS: the row at y is multiplied by the row at lane, and by the pair at b; NULL: neither */
    real scale;           /* LAST */
};

/* Butterflies of one radix: the first one, and the distances to the rows and roots of the next. */
struct step {
    unsigned radix;
    struct rows_in in;
    struct rows_out out;
    size_t xc, yc, wc, count;
    size_t ahead; /* FIRST: data are prefetched this far ahead */
    bool fetch;   /* LAST: prefetch the next output */
};

FFT_INLINE const real *at(const real *p, size_t i)
{
    return p != NULL ? p + i : NULL;
}

/* rows_at - the same rows, i numbers further on. */
FFT_INLINE struct rows_out rows_at(struct rows_out o, size_t i)
{
    return (struct rows_out){o.y + i, o.yt, at(o.lane, i), at(o.b, i / L), o.scale};
}

/* fetch - prefetch a row of pairs, to be read or written, into the second-level cache. */
FFT_INLINE void fetch(const real *p)
{
    __builtin_prefetch(p, 0, 2);
    __builtin_prefetch(p + L, 0, 2);
}

FFT_INLINE void row_get(vec *re, vec *im, const real *p, unsigned l, int from)
{
    if (from == FROM_BLOCK || from == FROM_WIDE) {
        *re = vec_loadu(p + l);
        *im = vec_loadu(p + L + l);
    } else if (from == FROM_PAIRS) {
        vec_load_pairs(p + 2 * l, re, im);
    } else {
        vec_load_pairs(p + 2 * l, im, re);
    }
}

/* The numbers of row t from l on. */
FFT_INLINE void row_put(struct rows_out o, unsigned t, unsigned l, int to, vec re, vec im)
{
    real *y = o.y + t * o.yt;
    if (to == TO_PAIRS) {
        vec_store_pairs(y + 2 * l, re, im);
        return;
    }
    if (to == TO_SWAPPED) {
        vec_store_pairs(y + 2 * l, im * o.scale, re * o.scale);
        return;
    }
    if (to == TO_PRODUCTS) {
        const real *lane = o.lane + t * o.yt, *b = o.b + t * (o.yt / L);
        vec u = vec_loadu(lane + l), v = vec_loadu(lane + L + l), r = re;
        vec wr = vec_set1(b[0]), wi = vec_set1(b[1]);
        vec c = vec_fms(u, wr, v * wi), s = vec_fma(u, wi, v * wr);
        re = vec_fms(r, c, im * s);
        im = vec_fma(r, s, im * c);
    }
    vec_storeu(y + l, re);
    vec_storeu(y + L + l, im);
}

/* Number i of a table, which has one for all lanes, or one for each. */
FFT_INLINE vec root(const real *w, unsigned i, bool wide)
{
    return wide ? vec_loadu(w + i * L) : vec_set1(w[i]);
}

/* a + w b, a - w b; w is number i of the table */
FFT_INLINE void turn(vec *r, vec *i, unsigned a, unsigned b, const real *w, unsigned at, bool wide)
{
    const vec c = root(w, at, wide), tau = root(w, at + 1, wide);
    vec t = vec_fnma(tau, i[b], r[b]), u = vec_fma(tau, r[b], i[b]);
    r[b] = vec_fnma(c, t, r[a]);
    i[b] = vec_fnma(c, u, i[a]);
    r[a] = vec_fma(c, t, r[a]);
    i[a] = vec_fma(c, u, i[a]);
}

/* a - i w b, a + i w b */
FFT_INLINE void turn_right(vec *r, vec *i, unsigned a, unsigned b, const real *w, unsigned at, bool wide)
{
    const vec c = root(w, at, wide), tau = root(w, at + 1, wide);
    vec t = vec_fnma(tau, i[b], r[b]), u = vec_fma(tau, r[b], i[b]);
    r[b] = vec_fnma(c, u, r[a]);
    i[b] = vec_fma(c, t, i[a]);
    r[a] = vec_fma(c, u, r[a]);
    i[a] = vec_fnma(c, t, i[a]);
}

FFT_INLINE void exchange(vec *r, vec *i, unsigned a, unsigned b)
{
    vec t = r[a];
    r[a] = r[b];
    r[b] = t;
    t = i[a];
    i[a] = i[b];
    i[b] = t;
}

/* DFTs of the inputs times powers of w, in place, in natural order; the table: see fft_level. */
FFT_INLINE void turned2(vec *r, vec *i, const real *w, bool wide)
{
    turn(r, i, 0, 1, w, 0, wide);
}

FFT_INLINE void turned4(vec *r, vec *i, const real *w, bool wide)
{
    turn(r, i, 0, 2, w, 0, wide);
    turn(r, i, 1, 3, w, 0, wide);
    turn(r, i, 0, 1, w, 2, wide);
    turn_right(r, i, 2, 3, w, 2, wide);
    exchange(r, i, 1, 2);
}

FFT_INLINE void turned8(vec *r, vec *i, const real *w, bool wide)
{
    for (unsigned j = 0; j < 4; j++)
        turn(r, i, j, j + 4, w, 0, wide);
    turn(r, i, 0, 2, w, 2, wide);
    turn(r, i, 1, 3, w, 2, wide);
    turn(r, i, 0, 1, w, 4, wide);
    turn_right(r, i, 2, 3, w, 4, wide);
    turn_right(r, i, 4, 6, w, 2, wide);
    turn_right(r, i, 5, 7, w, 2, wide);
    turn(r, i, 4, 5, w, 6, wide);
    turn_right(r, i, 6, 7, w, 6, wide);
    /* outputs 0, 4, 2, 6, 1, 5, 3, 7 */
    exchange(r, i, 1, 4);
    exchange(r, i, 3, 6);
}

/* The same for odd radices. */
FFT_INLINE void turned_odd(unsigned radix, vec *r, vec *i, const real *w, bool wide)
{
#pragma GCC unroll 8
    for (unsigned j = 1; j < radix; j++) {
        const vec c = root(w, 2 * j - 2, wide), s = root(w, 2 * j - 1, wide), t = r[j];
        r[j] = vec_fms(t, c, i[j] * s);
        i[j] = vec_fma(t, s, i[j] * c);
    }
    dft(radix, r, i);
}

FFT_INLINE void turned(unsigned radix, vec *r, vec *i, const real *w, bool wide)
{
    switch (radix) {
    case 2:
        turned2(r, i, w, wide);
        break;
    case 4:
        turned4(r, i, w, wide);
        break;
    case 8:
        turned8(r, i, w, wide);
        break;
    default:
        turned_odd(radix, r, i, w, wide);
    }
}

/* One butterfly on VEC_WIDTH lanes from l on.  Callers pass constants as r, from and to. */
FFT_INLINE void butterfly(unsigned r, int from, int to, struct rows_in in, struct rows_out out, unsigned l)
{
    const bool wide = from == FROM_WIDE;
    vec ar[8], ai[8];
#pragma GCC unroll 8
    for (unsigned i = 0; i < r; i++)
        row_get(&ar[i], &ai[i], in.x + i * in.xi, l, from);
    if (in.w != NULL)
        turned(r, ar, ai, at(in.w, wide ? l : 0), wide);
    else
        dft(r, ar, ai);
#pragma GCC unroll 8
    for (unsigned t = 0; t < r; t++)
        row_put(out, t, l, to, ar[t], ai[t]);
}

/* One butterfly on all lanes. */
FFT_INLINE void butterflies(unsigned r, int from, int to, struct rows_in in, struct rows_out out)
{
#pragma GCC unroll 1
    for (unsigned l = 0; l < L; l += VEC_WIDTH)
        butterfly(r, from, to, in, out, l);
}

/* Successive butterflies.  Callers pass constants as r, from and to. */
FFT_INLINE void step_radix(const struct step *s, unsigned r, int from, int to)
{
    struct rows_in in = s->in;
    struct rows_out out = s->out;
    for (size_t n = s->count; n > 0; n--) {
        for (unsigned i = 0; i < r && (from == FROM_PAIRS || from == FROM_SWAPPED); i++)
            fetch(in.x + i * in.xi + s->ahead);
        for (unsigned t = 0; t < r && (to == TO_PAIRS || to == TO_SWAPPED) && s->fetch; t++)
            fetch(out.y + t * out.yt + s->yc);
        butterflies(r, from, to, in, out);
        in.x += s->xc;
        in.w = at(in.w, s->wc);
        out = rows_at(out, s->yc);
    }
}

FFT_INLINE void step_any(const struct step *s, int from, int to)
{
    switch (s->radix) {
    case 2:
        step_radix(s, 2, from, to);
        break;
    case 3:
        step_radix(s, 3, from, to);
        break;
    case 4:
        step_radix(s, 4, from, to);
        break;
    case 5:
        step_radix(s, 5, from, to);
        break;
    case 7:
        step_radix(s, 7, from, to);
        break;
    default:
        step_radix(s, 8, from, to);
    }
}

static void step_inner(const struct step *s)
{
    step_any(s, FROM_BLOCK, TO_BLOCK);
}

static void step_first(const struct step *s)
{
    step_any(s, FROM_PAIRS, TO_BLOCK);
}

static void step_first_back(const struct step *s)
{
    step_any(s, FROM_SWAPPED, TO_BLOCK);
}

static void step_products(const struct step *s)
{
    step_any(s, FROM_BLOCK, TO_PRODUCTS);
}

static void step_last(const struct step *s)
{
    step_any(s, FROM_BLOCK, TO_PAIRS);
}

static void step_last_back(const struct step *s)
{
    step_any(s, FROM_BLOCK, TO_SWAPPED);
}

static void step_wide(const struct step *s)
{
    step_any(s, FROM_WIDE, TO_BLOCK);
}

static void step_wide_last(const struct step *s)
{
    step_any(s, FROM_WIDE, TO_PAIRS);
}

static void step_wide_last_back(const struct step *s)
{
    step_any(s, FROM_WIDE, TO_SWAPPED);
}

static void (*const steps[N_TO][N_FROM])(const struct step *s) = {
    [TO_BLOCK] = {step_inner, step_first, step_first_back, step_wide},
    [TO_PRODUCTS] = {step_products},
    [TO_PAIRS] = {step_last, NULL, NULL, step_wide_last},
    [TO_SWAPPED] = {step_last_back, NULL, NULL, step_wide_last_back},
};

/* One or two levels between two arrays of rows. */
struct sweep {
    const real *x;
    size_t x_row; /* distance between rows */
    real *y;
    size_t y_row;
    int from, to;
    const real *lane, *b;
    bool fetch;   /* the next output is prefetched */
    size_t group; /* WIDE: where the roots of these lanes begin in the tables */
    real scale;
};

FFT_INLINE const real *level_roots(const struct fft_level *v, size_t k, const struct sweep *a, bool wide)
{
    return k == 0 && !wide ? NULL : (const real *)v->roots + k * v->n_roots + (wide ? a->group : 0);
}

static void level_run(const struct fft_level *v, const struct sweep *a)
{
    const size_t l = v->l, r = v->radix, m = v->m;
    const struct rows_out out = {a->y, l * m * a->y_row, a->lane, a->b, a->scale};
    struct step s = {
        .radix = v->radix, .in.xi = m * a->x_row, .xc = a->x_row, .yc = a->y_row, .ahead = 4 * a->x_row, .fetch = a->fetch};
    const bool wide = a->from == FROM_WIDE;
    for (size_t k = 0; k < l; k++) {
        s.in.x = a->x + k * r * m * a->x_row;
        s.in.w = level_roots(v, k, a, wide);
        s.out = rows_at(out, k * m * a->y_row);
        s.count = m;
        if (m == 1 && s.in.w != NULL) { /* all that are left in one step, because each has its own roots */
            s.xc = r * a->x_row;
            s.wc = v->n_roots;
            s.count = l - k;
            k = l;
        }
        steps[a->to][a->from](&s);
    }
}

/* Level v, of radix r1, and the next one, of radix r2, by groups of r1 r2 rows.  few: scratch for these rows. */
FFT_INLINE void pair_radix(unsigned r1, unsigned r2, int from, int to, const struct fft_level *v, const struct sweep *a,
                           real *few)
{
    const struct fft_level *u = v + 1;
    const size_t l = v->l, m2 = u->m, xc = m2 * a->x_row, xi = r2 * xc, yc = l * m2 * a->y_row;
    const struct rows_out whole = {a->y, r1 * yc, a->lane, a->b, a->scale};
    const bool wide = from == FROM_WIDE, pairs = from == FROM_PAIRS || from == FROM_SWAPPED;
    for (size_t k = 0; k < l; k++)
        for (size_t c = 0; c < m2; c++) {
            const real *x = a->x + k * r1 * xi + c * a->x_row, *w = level_roots(v, k, a, wide);
            struct rows_out out = rows_at(whole, (k * m2 + c) * a->y_row);
            if (pairs && c + 1 < m2)
                for (unsigned i = 0; i < r1 * r2; i++)
                    fetch(x + i * xc + a->x_row);
            if (w == NULL || pairs) /* a first level has no roots */
                for (unsigned i = 0; i < r2; i++)
                    butterflies(r1, from, TO_BLOCK, (struct rows_in){x + i * xc, xi, NULL},
                                (struct rows_out){.y = few + i * 2 * L, .yt = r2 * 2 * L});
            else
                for (unsigned i = 0; i < r2; i++)
                    butterflies(r1, from, TO_BLOCK, (struct rows_in){x + i * xc, xi, w},
                                (struct rows_out){.y = few + i * 2 * L, .yt = r2 * 2 * L});
            for (unsigned t = 0; t < r1 * r2 && a->fetch && (to == TO_PAIRS || to == TO_SWAPPED); t++)
                fetch(out.y + t * yc + a->y_row);
            w = level_roots(u, k, a, wide);
            for (unsigned t = 0; t < r1; t++) {
#pragma GCC unroll 1
                for (unsigned q = 0; q < L; q += VEC_WIDTH) {
                    const real *z = few + t * r2 * 2 * L;
                    const int block = wide ? FROM_WIDE : FROM_BLOCK;
                    if (w == NULL)
                        butterfly(r2, block, to, (struct rows_in){z, 2 * L, NULL}, out, q);
                    else
                        butterfly(r2, block, to, (struct rows_in){z, 2 * L, w}, out, q);
                }
                out = rows_at(out, yc);
                w = level_roots(u, k + l * (t + 1), a, wide);
            }
        }
}

FFT_INLINE void pair_any(const struct fft_level *v, const struct sweep *a, real *few, int from, int to)
{
    if (v->radix == 4)
        pair_radix(4, 4, from, to, v, a, few);
    else if (v[1].radix == 4)
        pair_radix(8, 4, from, to, v, a, few);
    else
        pair_radix(8, 8, from, to, v, a, few);
}

static void pair_inner(const struct fft_level *v, const struct sweep *a, real *few)
{
    pair_any(v, a, few, FROM_BLOCK, TO_BLOCK);
}

static void pair_first(const struct fft_level *v, const struct sweep *a, real *few)
{
    pair_any(v, a, few, FROM_PAIRS, TO_BLOCK);
}

static void pair_first_back(const struct fft_level *v, const struct sweep *a, real *few)
{
    pair_any(v, a, few, FROM_SWAPPED, TO_BLOCK);
}

static void pair_products(const struct fft_level *v, const struct sweep *a, real *few)
{
    pair_any(v, a, few, FROM_BLOCK, TO_PRODUCTS);
}

static void pair_last(const struct fft_level *v, const struct sweep *a, real *few)
{
    pair_any(v, a, few, FROM_BLOCK, TO_PAIRS);
}

static void pair_last_back(const struct fft_level *v, const struct sweep *a, real *few)
{
    pair_any(v, a, few, FROM_BLOCK, TO_SWAPPED);
}

static void pair_wide(const struct fft_level *v, const struct sweep *a, real *few)
{
    pair_any(v, a, few, FROM_WIDE, TO_BLOCK);
}

static void pair_wide_last(const struct fft_level *v, const struct sweep *a, real *few)
{
    pair_any(v, a, few, FROM_WIDE, TO_PAIRS);
}

static void pair_wide_last_back(const struct fft_level *v, const struct sweep *a, real *few)
{
    pair_any(v, a, few, FROM_WIDE, TO_SWAPPED);
}

static void (*const pairs[N_TO][N_FROM])(const struct fft_level *v, const struct sweep *a, real *few) = {
    [TO_BLOCK] = {pair_inner, pair_first, pair_first_back, pair_wide},
    [TO_PRODUCTS] = {pair_products},
    [TO_PAIRS] = {pair_last, NULL, NULL, pair_wide_last},
    [TO_SWAPPED] = {pair_last_back, NULL, NULL, pair_wide_last_back},
};

/* Run level v and, if possible, the next one, too; returns how many. */
static unsigned levels_run(const struct fft_level *v, unsigned left, const struct sweep *a, real *y, real *few)
{
    struct sweep part = *a;
    const bool last = left == 2;
    if (v->paired) {
        const int to = last ? a->to : TO_BLOCK;
        if (pairs[to][a->from] != NULL) {
            part.y = last ? a->y : y;
            part.y_row = last ? a->y_row : 2 * L;
            pairs[to][a->from](v, &part, few);
            return 2;
        }
    }
    part.y = left == 1 ? a->y : y;
    part.y_row = left == 1 ? a->y_row : 2 * L;
    part.to = left == 1 ? a->to : TO_BLOCK;
    level_run(v, &part);
    return 1;
}

/* Run all levels, from a->x to a->y through blocks p and q (p may be a->x). */
static void block_run(const struct fft_block *k, const struct sweep *a, real *p, real *q, real *few)
{
    struct sweep part = *a;
    if (k->level[0].paired && p == a->x) { /* groups of rows return to their places, so this works in place */
        real *t = p;
        p = q;
        q = t;
    }
    for (unsigned i = 0; i < k->n_levels;) {
        i += levels_run(&k->level[i], k->n_levels - i, &part, q, few);
        part.x = q;
        part.x_row = 2 * L;
        part.from = a->from == FROM_WIDE ? FROM_WIDE : FROM_BLOCK;
        q = p;
        p = (real *)(uintptr_t)part.x;
    }
}
