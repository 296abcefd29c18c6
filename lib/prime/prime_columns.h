/* prime_columns.h - digits modulo a prime, and the transforms of columns, strip by strip.  Part of prime_template.h. */
#ifndef GFMUL_PRIME_COLUMNS_H
#define GFMUL_PRIME_COLUMNS_H

enum { STREAM_POINTS = 1 << 19 };
enum { COLUMNS_AHEAD = 16, GROUPS_AHEAD = 2 }; /* rows, or groups of them, that are prefetched ahead of their use */
enum { SQUARE = PRIME_STRIP * PRIME_STRIP };

/* ---- digits ---- */

/* Words in the lanes of a vector. */
#if VEC_WIDTH == 1
typedef uint64_t lane_words;
#define LANE(words, i) (words)
#else
typedef uint64_t lane_words __attribute__((vector_size(sizeof(vec))));
#define LANE(words, i) (words)[i]
#endif

/* How digits of l bits lie in a strip: where the bytes of each begin, and how far it is shifted there. */
struct digit_places {
    unsigned digit_bits;
    size_t byte[PRIME_STRIP];
    lane_words shift[PRIME_STRIP / VEC_WIDTH], low_mask, high_mask;
};

/* places_of - the places of digits of l bits. */
static struct digit_places places_of(unsigned l)
{
    struct digit_places d = {.digit_bits = l};
    uint64_t shift[PRIME_STRIP];
    for (unsigned i = 0; i < PRIME_STRIP; i++) {
        d.byte[i] = i * l / 8;
        shift[i] = i * l % 8;
    }
    memcpy(d.shift, shift, sizeof shift);
    for (unsigned i = 0; i < VEC_WIDTH; i++) {
        LANE(d.low_mask, i) = (UINT64_C(1) << PRIME_LOW_BITS) - 1;
        LANE(d.high_mask, i) = (UINT64_C(1) << (l - PRIME_LOW_BITS)) - 1;
    }
    return d;
}

/* words_to_doubles - integers below 2^52. */
STAGE_INLINE vec words_to_doubles(lane_words words)
{
    vec x;
    words |= UINT64_C(0x4330000000000000); /* 2^52 + the integer */
    memcpy(&x, &words, sizeof x);
    return vec_sub(x, vec_set1(0x1p52));
}

/* halves_reduce - low + 2^48 high modulo p, low and high < 2^48: |x| <= 0.92. */
STAGE_INLINE vec halves_reduce(const struct field *f, lane_words low, lane_words high, struct field_factor shift)
{
    const vec h = field_mul(f, words_to_doubles(high), shift); /* 0.38 -> 0.54 */
    const vec x = vec_add(h, words_to_doubles(low));
    assert(field_within(f, x, 0.92));
    return x;
}

/* digits_cut_at_end - the digits of a strip from `first` on modulo p, wherever the operand ends. */
static void digits_cut_at_end(const struct field *f, double *x, const struct digit_places *d, const struct prime_source *from,
                              size_t first, struct field_factor shift)
{
    for (unsigned i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
        lane_words low = {0}, high = {0};
        for (unsigned lane = 0; lane < VEC_WIDTH; lane++) {
            const size_t at = (first + i + lane) * d->digit_bits;
            LANE(low, lane) = limb_bits(from->limbs, from->n, at);
            LANE(high, lane) = limb_bits(from->limbs, from->n, at + PRIME_LOW_BITS);
        }
        vec_store(x + i, halves_reduce(f, low & d->low_mask, high & d->high_mask, shift));
    }
}

/* word_at - eight bytes. */
STAGE_INLINE uint64_t word_at(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* digits_cut - the same; first is a multiple of 8. */
STAGE_INLINE void digits_cut(const struct field *f, double *x, const struct digit_places *d, const struct prime_source *from,
                             size_t first, struct field_factor shift)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const char *bytes = (const char *)from->limbs + first / 8 * d->digit_bits;
    if ((first + PRIME_STRIP) / 8 * d->digit_bits + sizeof(uint64_t) <= from->n * sizeof(mp_limb_t)) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
            lane_words low = {0}, high = {0}; /* 48 bits and 7 of others below */
#pragma GCC unroll 8
            for (unsigned lane = 0; lane < VEC_WIDTH; lane++) {
                LANE(low, lane) = word_at(bytes + d->byte[i + lane]);
                LANE(high, lane) = word_at(bytes + d->byte[i + lane] + PRIME_LOW_BITS / 8);
            }
            low = low >> d->shift[i / VEC_WIDTH] & d->low_mask;
            high = high >> d->shift[i / VEC_WIDTH] & d->high_mask;
            vec_store(x + i, halves_reduce(f, low, high, shift));
        }
        return;
    }
#endif
    digits_cut_at_end(f, x, d, from, first, shift);
}

/* strip_cut - the digits of a strip of columns; zeros beyond the operand. */
static void strip_cut(const struct field *f, double *x, const struct prime_shape *s, const struct prime_source *from,
                      size_t column)
{
    const size_t reached = from->n > SIZE_MAX / 64 ? SIZE_MAX : (64 * from->n - 1) / s->digit_bits + 1;
    const vec two = vec_set1(0x1p48); /* below p / 2 */
    const struct field_factor shift = {two, vec_div(two, f->p)};
    const struct digit_places places = places_of(s->digit_bits);
    size_t row = 0;
    for (size_t first = column; row < s->n_rows && first < reached; row++, first += s->row_points) {
        const char *end = (const char *)from->limbs + (first + PRIME_STRIP + COLUMNS_AHEAD * s->row_points) * s->digit_bits / 8;
        __builtin_prefetch(end); /* the strip before has read the lines where this one begins */
        __builtin_prefetch(end - 64);
        digits_cut(f, x + row * PRIME_STRIP, &places, from, first, shift);
    }
    memset(x + row * PRIME_STRIP, 0, (s->n_rows - row) * PRIME_STRIP * sizeof *x);
}

/* ---- odd factors ---- */

/*
 * odd_dft - x[0] .. x[odd-1] become their DFT; `back`: that of the inverse roots.
 *
 * |x| <= 0.92: the first one becomes 6.5 at most, the others 4.5 with FMA, 5.03 without.
 */
STAGE_INLINE void odd_dft(const struct field *f, vec *x, unsigned odd, const struct prime_tables *t, bool back)
{
    vec s[PRIME_ODD_MAX / 2], d[PRIME_ODD_MAX / 2];
    const unsigned pairs = odd / 2;
    const vec first = x[0];
#pragma GCC unroll 3
    for (unsigned i = 0; i < pairs; i++) {
        s[i] = vec_add(x[1 + i], x[odd - 1 - i]);
        d[i] = back ? vec_sub(x[odd - 1 - i], x[1 + i]) : vec_sub(x[1 + i], x[odd - 1 - i]);
        x[0] = vec_add(x[0], s[i]);
    }
#pragma GCC unroll 3
    for (unsigned k = 1; k <= pairs; k++) {
        vec even = first, uneven = vec_set1(0.0);
#pragma GCC unroll 3
        for (unsigned i = 0; i < pairs; i++) {
            const unsigned turn = k * (i + 1) % odd;
            even = vec_add(even, field_mul(f, s[i], field_set(t->even + 2 * turn))); /* 1.84 -> 0.60, 0.69 without FMA */
            uneven = vec_add(uneven, field_mul(f, d[i], field_set(t->uneven + 2 * turn)));
        }
        x[k] = vec_add(even, uneven);
        x[odd - k] = vec_sub(even, uneven);
    }
}

/*
 * odd_columns - rows j of the trees: the DFT across them, and their twiddles.  Rows j and j + half of a tree go side by side: an
 * odd number of levels has its first one here.
 *
 * Forwards 0.92 -> 1.5, 2.02.  Back FIELD_BACK_MOST -> 1/2.
 */
STAGE_INLINE void odd_columns(const struct field *f, double *x, unsigned odd, const struct prime_shape *s,
                              const struct prime_tables *t, bool back)
{
    const size_t of_tree = s->n_rows / odd, half = of_tree / 2, n = of_tree * PRIME_STRIP, apart = half * PRIME_STRIP;
    const bool halves = s->levels % 2 != 0;
    for (size_t j = 0; j < half; j++) {
        const double *twist = t->twist[back] + 2 * j;
        for (size_t i = j * PRIME_STRIP; i < (j + 1) * PRIME_STRIP; i += VEC_WIDTH) {
            vec v[PRIME_ODD_MAX], w[PRIME_ODD_MAX];
#pragma GCC unroll 7
            for (unsigned k = 0; k < odd; k++) {
                v[k] = vec_load(x + k * n + i);
                w[k] = vec_load(x + k * n + i + apart);
                if (!back)
                    continue;
                const vec sum = halves ? vec_add(v[k], w[k]) : v[k], rest = halves ? vec_sub(v[k], w[k]) : w[k];
                const double *turn = twist + (k > 0 ? 2 * (k - 1) * of_tree : 0); /* 2.5, 3.36 -> 0.63, 0.84 */
                v[k] = k == 0 ? field_reduce(f, sum) : field_mul(f, sum, field_set(turn));
                w[k] = k == 0 ? field_reduce(f, rest) : field_mul(f, rest, field_set(turn + 2 * half));
            }
            odd_dft(f, v, odd, t, back);
            odd_dft(f, w, odd, t, back);
#pragma GCC unroll 7
            for (unsigned k = 0; k < odd; k++) {
                const double *turn = twist + (k > 0 ? 2 * (k - 1) * of_tree : 0);
                const vec a = back || k == 0 ? field_reduce(f, v[k]) : field_mul(f, v[k], field_set(turn));
                const vec b = back || k == 0 ? field_reduce(f, w[k]) : field_mul(f, w[k], field_set(turn + 2 * half));
                vec_store(x + k * n + i, halves && !back ? vec_add(a, b) : a);
                vec_store(x + k * n + i + apart, halves && !back ? vec_sub(a, b) : b);
            }
        }
    }
}

/* odd_pass - the first pass of lengths with an odd factor, or the last one back. */
static void odd_pass(const struct field *f, double *x, const struct prime_shape *s, const struct prime_tables *t, bool back)
{
    if (s->odd == 3)
        odd_columns(f, x, 3, s, t, back);
    else if (s->odd == 5)
        odd_columns(f, x, 5, s, t, back);
    else if (s->odd == 7)
        odd_columns(f, x, 7, s, t, back);
}

/* ---- strips ---- */

static void strip_forward(const struct field *f, double *x, const struct prime_shape *s, const struct prime_tables *t)
{
    const size_t trees = s->odd == 1 ? 1 : s->levels % 2 == 0 ? s->odd : 2 * s->odd, n = s->n_rows / trees * PRIME_STRIP;
    if (s->odd == 1) {
        tree_forward(f, x, n, s->levels, t->root[0]);
        return;
    }
    odd_pass(f, x, s, t, false);
    for (size_t i = 0; i < trees; i++)
        quarter_forward(f, x + i * n, n, PRIME_STRIP, t->root[0], s->levels % 2 == 0 ? 0 : i % 2);
}

static void strip_back(const struct field *f, double *x, const struct prime_shape *s, const struct prime_tables *t)
{
    const size_t trees = s->odd == 1 ? 1 : s->levels % 2 == 0 ? s->odd : 2 * s->odd, n = s->n_rows / trees * PRIME_STRIP;
    if (s->odd == 1) {
        tree_back(f, x, n, s->levels, t->root[1]);
        return;
    }
    for (size_t i = 0; i < trees; i++)
        quarter_back(f, x + i * n, n, PRIME_STRIP, t->root[1], s->levels % 2 == 0 ? 0 : i % 2);
    odd_pass(f, x, s, t, true);
}

/* strip_turn - row j of a strip times w[j], plus an offset of at most 1/2.   |x| <= 1.68 -> 0.6, 0.7, and the offset */
static void strip_turn(const struct field *f, double *x, const struct prime_shape *s, const double *pairs, double offset)
{
    for (size_t row = 0; row < s->n_rows; row++, x += PRIME_STRIP)
        for (unsigned i = 0; i < PRIME_STRIP; i += VEC_WIDTH)
            vec_store(x + i, vec_add(field_mul(f, vec_load(x + i), field_set(pairs + 2 * row)), vec_set1(offset)));
}

/* streams - whether a buffer is too long for a cache: its lines are then written without being read. */
static bool streams(const struct prime_shape *s)
{
    return s->n_points >= STREAM_POINTS;
}

/*
 * square_turn - PRIME_STRIP^2 doubles, transposed.
 *
 *   stream  in  past the caches
 */
STAGE_INLINE void square_turn(double *to, const double *from, bool stream)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < PRIME_STRIP; i += VEC_WIDTH)
#pragma GCC unroll 8
        for (unsigned j = 0; j < PRIME_STRIP; j += VEC_WIDTH) {
            vec r[VEC_WIDTH];
#pragma GCC unroll 8
            for (unsigned k = 0; k < VEC_WIDTH; k++)
                r[k] = vec_load(from + (j + k) * PRIME_STRIP + i);
            vec_transpose(r);
#pragma GCC unroll 8
            for (unsigned k = 0; k < VEC_WIDTH; k++)
                if (stream)
                    vec_stream(to + (i + k) * PRIME_STRIP + j, r[k]);
                else
                    vec_store(to + (i + k) * PRIME_STRIP + j, r[k]);
        }
}

/* strip_put - the columns of a strip into groups of rows. */
STAGE_INLINE void strip_put(double *x, const double *strip, const struct prime_shape *s, bool stream)
{
    for (size_t row = 0; row < s->n_rows; row += PRIME_STRIP, x += s->group_stride)
        square_turn(x, strip + row * PRIME_STRIP, stream);
    if (stream)
        vec_stream_fence();
}

/* strip_get - and back. */
STAGE_INLINE void strip_get(double *strip, const double *x, const struct prime_shape *s)
{
    for (size_t row = 0; row < s->n_rows; row += PRIME_STRIP, x += s->group_stride) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < PRIME_STRIP; i++)
            __builtin_prefetch(x + GROUPS_AHEAD * s->group_stride + i * PRIME_STRIP);
        square_turn(strip + row * PRIME_STRIP, x, false);
    }
}

static void digits_to_columns(const struct prime_shape *s, const struct prime_tables *t, double *x, double *scratch,
                              const struct prime_source *from, unsigned threads)
{
    struct work_share share;
    work_share_init(&share, s->row_points / PRIME_STRIP, threads, WORK_SHARES);
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (unsigned me = 0; me < threads; me++) {
        ROUND_TO_NEAREST;
        const struct field f = field_of(t->prime);
        double *strip = scratch + me * prime_scratch_doubles(s);
        size_t part, behind;
        while (work_next(&share, me, &part, &behind)) {
            strip_cut(&f, strip, s, from, part * PRIME_STRIP);
            if (t->turn[0])
                strip_turn(&f, strip, s, t->turn[0], 0.0);
            strip_forward(&f, strip, s, t);
            if (streams(s))
                strip_put(x + part * SQUARE, strip, s, true);
            else
                strip_put(x + part * SQUARE, strip, s, false);
        }
    }
}

static void columns_to_residues(const struct prime_shape *s, const struct prime_tables *t, double *x, double *scratch,
                                unsigned threads)
{
    struct work_share share;
    work_share_init(&share, s->row_points / PRIME_STRIP, threads, WORK_SHARES);
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (unsigned me = 0; me < threads; me++) {
        ROUND_TO_NEAREST;
        const struct field f = field_of(t->prime);
        double *strip = scratch + me * prime_scratch_doubles(s);
        size_t part, behind;
        while (work_next(&share, me, &part, &behind)) {
            double *at = x + part * SQUARE;
            strip_get(strip, at, s);
            strip_back(&f, strip, s, t);
            if (t->turn[1])
                strip_turn(&f, strip, s, t->turn[1], t->offset);
            for (size_t row = 0; row < s->n_rows; row += PRIME_STRIP, at += s->group_stride)
                memcpy(at, strip + row * PRIME_STRIP, SQUARE * sizeof *at);
        }
    }
}

#endif
