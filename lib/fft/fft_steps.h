/*
 * fft_steps.h - transforms in four steps, on blocks of columns and of rows; included by fft_run.h after fft_block.h.
 */
/* b[2 k], b[2 k + 1] = e(-j k / n), k < n1: e(-j k0 / n) for every eighth times e(-j i / n), i < 8 */
static void group_roots(const struct fft_complex *t, real *b, size_t j)
{
    enum { G = 8, E = G < VEC_WIDTH ? VEC_WIDTH : G };
    const size_t mask = ((size_t)1 << t->root_bits) - 1, n1 = t->a.n;
    const real *low = t->low, *high = t->high;
    real cosines[E], sines[E];
    for (size_t i = 0; i < E; i++) {
        const real *h = high + 2 * (i * j >> t->root_bits), *w = low + 2 * (i * j & mask);
        cosines[i] = h[0] * w[0] - h[1] * w[1];
        sines[i] = h[0] * w[1] + h[1] * w[0];
    }
    for (size_t k = 0; k < n1; k += E) {
        const real *h = high + 2 * (k * j >> t->root_bits), *w = low + 2 * (k * j & mask);
        const vec c = vec_set1(h[0] * w[0] - h[1] * w[1]), s = vec_set1(h[0] * w[1] + h[1] * w[0]);
        for (unsigned i = 0; i < E; i += VEC_WIDTH) {
            vec u = vec_loadu(cosines + i), v = vec_loadu(sines + i);
            vec_store_pairs(b + 2 * (k + i), c * u - s * v, c * v + s * u);
        }
    }
}

/*
 * Four steps: j = n2 j1 + j2, k = k1 + n1 k2.  L columns j2 at a time are transformed over j1, multiplied by e(-j2 k1 / n),
 * unless the roots of the rows include that, and left as a block of n1 rows k1.  Then L rows k1 are taken from all blocks,
 * transposed to a block of n2 rows j2, transformed over j2 and stored at k1 + n1 k2.  If L does not divide the number of columns
 * or rows, the last group overlaps the one before.  Permuted: the forward transform stores each group's rows side by side
 * instead.  The backward one, with n1 and n2 exchanged, takes these as its columns.
 */
static void columns(const struct fft_complex *t, real *c, const real *in, bool backward, size_t g, real *work)
{
    const size_t n2 = t->b.n, block = t->block_bytes / sizeof(real);
    const size_t j2 = g * L + L <= n2 ? g * L : n2 - L;
    real *few = work + 2 * block, *b = few + FFT_FEW_ROWS * 2 * L;
    const bool runs = backward && t->permuted; /* L columns as they were stored, side by side */
    struct sweep a = {.x = in + (runs ? 2 * g * L * t->a.n : 2 * j2),
                      .x_row = runs ? 2 * L : 2 * n2,
                      .y = c + g * t->c_step,
                      .y_row = 2 * L,
                      .from = backward ? FROM_SWAPPED : FROM_PAIRS,
                      .to = TO_BLOCK};
    if (!t->b.wide) {
        group_roots(t, b, j2);
        a.to = TO_PRODUCTS;
        a.lane = t->lane_roots;
        a.b = b;
    }
    block_run(&t->a, &a, work, work + block, few);
}

static void rows(const struct fft_complex *t, real *out, const real *c, bool backward, real scale, size_t g, real *work)
{
    const size_t n1 = t->a.n, n2 = t->b.n, block = t->block_bytes / sizeof(real), groups = (n2 + L - 1) / L;
    const size_t k1 = g * L + L <= n1 ? g * L : n1 - L;
    for (size_t h = 0; h < groups; h++) {
        const real *from = c + h * t->c_step + 2 * L * k1, *next = from + 2 * t->c_step;
        real *to = work + 2 * L * (h * L + L <= n2 ? h * L : n2 - L);
        for (unsigned part = 0; part < 2; part++)
            for (unsigned l = 0; l < L; l += VEC_WIDTH)
                for (unsigned j = 0; j < L; j += VEC_WIDTH) {
                    vec a[VEC_WIDTH];
#pragma GCC unroll 16
                    for (unsigned i = 0; i < VEC_WIDTH; i++)
                        a[i] = vec_loadu(from + (l + i) * 2 * L + part * L + j);
                    for (unsigned i = 0; i < VEC_WIDTH && j == 0; i++)
                        __builtin_prefetch(next + (l + i) * 2 * L + part * L, 0, 3);
                    vec_transpose(a);
#pragma GCC unroll 16
                    for (unsigned i = 0; i < VEC_WIDTH; i++)
                        vec_storeu(to + (j + i) * 2 * L + part * L + l, a[i]);
                }
    }
    const bool runs = !backward && t->permuted;
    struct sweep a = {.x = work,
                      .x_row = 2 * L,
                      .y = out + (runs ? 2 * g * L * n2 : 2 * k1),
                      .y_row = runs ? 2 * L : 2 * n1,
                      .from = t->b.wide ? FROM_WIDE : FROM_BLOCK,
                      .to = backward ? TO_SWAPPED : TO_PAIRS,
                      .group = g * t->b.group,
                      .fetch = !runs && t->n * sizeof(real) >= FFT_FETCH_BYTES,
                      .scale = scale};
    block_run(&t->b, &a, work, work + block, work + 2 * block);
}

/* short_rows - the single block of rows if n1 = L. */
static void short_rows(const struct fft_complex *t, real *out, bool backward, real scale, real *block, real *other, real *few)
{
    const struct sweep a = {.x = block,
                            .x_row = 2 * L,
                            .y = out,
                            .y_row = 2 * L,
                            .from = FROM_WIDE,
                            .to = backward ? TO_SWAPPED : TO_PAIRS,
                            .scale = scale};
    block_run(&t->b, &a, block, other, few);
}

#if VEC_WIDTH == 16
/*
 * columns16 - L columns of 16 points from x on, n2 points apart: two levels of radix 4 in registers, then transposed to rows.
 * w: the roots of the second level.
 */
FFT_INLINE void columns16(vec *re, vec *im, const real *x, size_t n2, const real *w, bool backward)
{
    vec r[16], i[16];
#pragma GCC unroll 16
    for (unsigned j = 0; j < 16; j++) {
        const unsigned at = j % 4 * 4 + j / 4;
        vec_load_pairs(x + 2 * n2 * j, backward ? &i[at] : &r[at], backward ? &r[at] : &i[at]);
    }
#pragma GCC unroll 4
    for (unsigned c = 0; c < 16; c += 4)
        dft4(r + c, i + c);
#pragma GCC unroll 4
    for (unsigned k = 0; k < 4; k++) {
        vec ar[4] = {r[k], r[4 + k], r[8 + k], r[12 + k]}, ai[4] = {i[k], i[4 + k], i[8 + k], i[12 + k]};
        if (k == 0)
            dft4(ar, ai);
        else
            turned4(ar, ai, w + 4 * k, false);
#pragma GCC unroll 4
        for (unsigned s = 0; s < 4; s++) {
            re[k + 4 * s] = ar[s];
            im[k + 4 * s] = ai[s];
        }
    }
    vec_transpose(re);
    vec_transpose(im);
}

/* rows16 - 16 rows through the levels of b, two of radix 4 with roots for each lane, written as pairs. */
FFT_INLINE void rows16(const struct fft_block *b, real *out, const vec *re, const vec *im, int to, real scale)
{
    const real *w = b->level[0].roots, *w2 = b->level[1].roots;
    vec r[16], i[16];
#pragma GCC unroll 4
    for (unsigned c = 0; c < 4; c++) {
        vec ar[4] = {re[c], re[4 + c], re[8 + c], re[12 + c]}, ai[4] = {im[c], im[4 + c], im[8 + c], im[12 + c]};
        turned4(ar, ai, w, true);
#pragma GCC unroll 4
        for (unsigned t = 0; t < 4; t++) {
            r[4 * t + c] = ar[t];
            i[4 * t + c] = ai[t];
        }
    }
#pragma GCC unroll 4
    for (unsigned k = 0; k < 4; k++) {
        turned4(r + 4 * k, i + 4 * k, w2 + k * 4 * L, true);
#pragma GCC unroll 4
        for (unsigned t = 0; t < 4; t++)
            row_put((struct rows_out){.y = out + 2 * L * (k + 4 * t), .scale = scale}, 0, 0, to, r[4 * k + t], i[4 * k + t]);
    }
}

/* The same for n1 = L = 16; 256 points stay in registers. */
FFT_INLINE void short_any16(const struct fft_complex *t, real *out, const real *in, bool backward, real scale, real *work)
{
    const size_t n2 = t->b.n, block = t->block_bytes / sizeof(real);
    const real *w = t->a.level[1].roots;
    vec re[16], im[16];
    if (n2 == 16) {
        columns16(re, im, in, 16, w, backward);
        rows16(&t->b, out, re, im, backward ? TO_SWAPPED : TO_PAIRS, scale);
        return;
    }
    for (size_t g = 0; g < n2; g += 16) {
        const size_t j2 = g + 16 <= n2 ? g : n2 - 16;
        real *to = work + 2 * 16 * j2;
        columns16(re, im, in + 2 * j2, n2, w, backward);
#pragma GCC unroll 16
        for (unsigned l = 0; l < 16; l++) {
            vec_storeu(to + 2 * 16 * l, re[l]);
            vec_storeu(to + 2 * 16 * l + 16, im[l]);
        }
    }
    short_rows(t, out, backward, scale, work, work + block, work + 2 * block);
}

static void short_steps16(const struct fft_complex *t, real *out, const real *in, bool backward, real scale, real *work)
{
    if (backward)
        short_any16(t, out, in, true, scale, work);
    else
        short_any16(t, out, in, false, scale, work);
}
#else

/* The same for n1 = L = 8: columns in registers and one block of rows. */
static void short_steps(const struct fft_complex *t, real *out, const real *in, bool backward, real scale, real *work)
{
    const size_t n2 = t->b.n, block = t->block_bytes / sizeof(real);
    for (size_t g = 0; g < n2; g += 8) {
        const size_t j2 = g + 8 <= n2 ? g : n2 - 8;
#pragma GCC unroll 1
        for (unsigned q = 0; q < 8; q += VEC_WIDTH) {
            vec r[8], i[8];
#pragma GCC unroll 8
            for (unsigned j = 0; j < 8; j++)
                vec_load_pairs(in + 2 * (j2 + q + n2 * j), &r[j], &i[j]);
            if (backward)
                dft8(i, r);
            else
                dft8(r, i);
            real *to = work + 2 * 8 * (j2 + q), *re = backward ? to + 8 : to, *im = backward ? to : to + 8;
#pragma GCC unroll 8
            for (unsigned k = 0; k < 8; k += VEC_WIDTH) {
                vec_transpose(r + k);
                vec_transpose(i + k);
#pragma GCC unroll 8
                for (unsigned l = 0; l < VEC_WIDTH; l++) {
                    vec_storeu(re + 2 * 8 * l + k, r[k + l]);
                    vec_storeu(im + 2 * 8 * l + k, i[k + l]);
                }
            }
        }
    }
    short_rows(t, out, backward, scale, work, work + block, work + 2 * block);
}
#endif

/* A transform whose groups threads take; each has its own workspace. */
struct steps_work {
    const struct fft_complex *t;
    real *out;
    const real *in;
    bool backward;
    real scale, *c;
    char *own;
    size_t own_bytes;
};

static void columns_run(void *arg, unsigned t, size_t first, size_t end)
{
    const struct steps_work *const w = arg;
    real *const mine = (real *)(void *)(w->own + t * w->own_bytes);
    for (size_t g = first; g < end; g++)
        columns(w->t, w->c, w->in, w->backward, g, mine);
}

static void rows_run(void *arg, unsigned t, size_t first, size_t end)
{
    const struct steps_work *const w = arg;
    real *const mine = (real *)(void *)(w->own + t * w->own_bytes);
    for (size_t g = first; g < end; g++)
        rows(w->t, w->out, w->c, w->backward, w->scale, g, mine);
}

static void four_steps(const struct fft_complex *t, real *out, const real *in, bool backward, real scale, char *work,
                       unsigned threads)
{
    real *c = (real *)(void *)work;
    char *own = work + t->work_bytes;
    if (backward && t->back != NULL)
        t = t->back;
    const size_t column_groups = (t->b.n + L - 1) / L, row_groups = (t->a.n + L - 1) / L;
#if VEC_WIDTH == 16
    if (t->a.n == 16 && t->b.wide && t->a.n_levels == 2) { /* never permuted */
        short_steps16(t, out, in, backward, scale, (real *)(void *)own);
        return;
    }
#else
    if (L == 8 && t->a.n == 8 && t->a.n_levels == 0) {
        short_steps(t, out, in, backward, scale, (real *)(void *)own);
        return;
    }
#endif
    if (threads == 1) {
        for (size_t g = 0; g < column_groups; g++)
            columns(t, c, in, backward, g, (real *)(void *)own);
        for (size_t g = 0; g < row_groups; g++)
            rows(t, out, c, backward, scale, g, (real *)(void *)own);
        return;
    }
    struct steps_work w = {t, out, in, backward, scale, c, own, t->thread_bytes};
    parallel_for(threads, column_groups, 1, columns_run, &w);
    parallel_for(threads, row_groups, 1, rows_run, &w);
}
