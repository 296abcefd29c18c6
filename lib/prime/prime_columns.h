/* prime_columns.h - digits modulo a prime, and the transforms of columns, strip by strip.  Part of prime_template.h. */
#ifndef GFMUL_PRIME_COLUMNS_H
#define GFMUL_PRIME_COLUMNS_H

enum { STREAM_POINTS = 1 << 19 };
enum { ROWS_AHEAD = 16, GROUPS_AHEAD = 8 }; /* distance of the prefetch, in rows or groups of rows */
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

/* The layout of digits of l bits in a strip: the first byte of each digit, and the digit's shift in that byte. */
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

/* halves_reduce - low + 2^48 high modulo p; low and high < 2^48.  |x| <= 0.92, or 1/2 if `reduced`. */
STAGE_INLINE vec halves_reduce(const struct field *f, lane_words low, lane_words high, struct field_factor shift, bool reduced)
{
    const vec h = field_mul(f, words_to_doubles(high), shift); /* 0.38 -> 0.54 */
    const vec x = vec_add(h, words_to_doubles(low));
    assert(field_within(f, x, 0.92));
    return reduced ? field_reduce(f, x) : x;
}

/* The destination of a strip's digits as residues of several primes.  It is a constant, so that loops over primes unroll. */
struct digit_residues {
    unsigned primes;
    bool reduced;
    size_t apart; /* from the residues of one prime to those of the next */
    struct field f[PRIME_CUTS];
    struct field_factor shift[PRIME_CUTS]; /* 2^48, below p / 2 */
};

STAGE_INLINE void residues_store(const struct digit_residues *r, double *x, lane_words low, lane_words high)
{
#pragma GCC unroll 2
    for (unsigned k = 0; k < r->primes; k++)
        vec_store(x + k * r->apart, halves_reduce(&r->f[k], low, high, r->shift[k], r->reduced));
}

/* digits_cut_at_end - cut the digits of a strip from `first` on, if the operand may end in them. */
static void digits_cut_at_end(const struct digit_residues *r, double *x, const struct digit_places *d,
                              const struct prime_source *from, size_t first)
{
    for (unsigned i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
        lane_words low = {0}, high = {0};
        for (unsigned lane = 0; lane < VEC_WIDTH; lane++) {
            const size_t at = (first + i + lane) * d->digit_bits;
            LANE(low, lane) = limb_bits(from->limbs, from->n, at);
            LANE(high, lane) = limb_bits(from->limbs, from->n, at + PRIME_LOW_BITS);
        }
        residues_store(r, x + i, low & d->low_mask, high & d->high_mask);
    }
}

/* word_at - eight bytes as a word. */
STAGE_INLINE uint64_t word_at(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* digits_cut - the same for any digits, by whole words if possible; first is a multiple of 8. */
STAGE_INLINE void digits_cut(const struct digit_residues *r, double *x, const struct digit_places *d,
                             const struct prime_source *from, size_t first)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const char *bytes = (const char *)from->limbs + first / 8 * d->digit_bits;
    if ((first + PRIME_STRIP) / 8 * d->digit_bits + sizeof(uint64_t) <= from->n * sizeof(mp_limb_t)) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
            lane_words low = {0}, high = {0}; /* 48 bits, above up to 7 bits of other digits */
#pragma GCC unroll 8
            for (unsigned lane = 0; lane < VEC_WIDTH; lane++) {
                LANE(low, lane) = word_at(bytes + d->byte[i + lane]);
                LANE(high, lane) = word_at(bytes + d->byte[i + lane] + PRIME_LOW_BITS / 8);
            }
            low = low >> d->shift[i / VEC_WIDTH] & d->low_mask;
            high = high >> d->shift[i / VEC_WIDTH] & d->high_mask;
            residues_store(r, x + i, low, high);
        }
        return;
    }
#endif
    digits_cut_at_end(r, x, d, from, first);
}

/* ---- odd factors ---- */

/*
 * odd_dft - x[0] .. x[odd-1] become their DFT; `back`: with the inverse roots.
 *
 * |x| <= 0.92: the first one becomes at most 6.5, the others at most 4.5 with FMA, 5.03 without.
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
 * ---- short transforms: 2, 5 or 8 products, from convolutions of 2 and 3 terms ----
 *
 * Output ranges for |x| <= 1/2, with FMA and without:
 *                of 3         of 5         of 7
 *     DFT_ROOT   1.6  1.7     1.7  1.8     2.5  2.9     for the root's pass, which adds two outputs before a product
 *     DFT_NODE   1.6  1.7     2.9  3.2     3.8  4.5     for the pass of any other node
 *     DFT_ANY    1.6  1.7     2.9  3.2     7.0  8.5     for a reduction
 */
enum dft_most { DFT_ROOT, DFT_NODE, DFT_ANY };

/*
 * convolve3 - base + the cyclic convolution of s and c.   |s| <= 1; |y[0]|, |y[1]| <= base + 1.95, 2.4; |y[2]| <= base + 3.25, 4
 *
 *   c  in  pairs of the mean of c, then of c0 - c1, c1, c0 + 2 c1, after the mean has been subtracted from c
 */
STAGE_INLINE void convolve3(const struct field *f, vec *y, vec base, const vec *s, const double *c)
{
    const vec a = vec_sub(s[0], s[1]), b = vec_sub(s[2], s[1]);
    const vec m = field_mul(f, vec_add(vec_add(s[0], s[1]), s[2]), field_set(c)),
              both = field_mul(f, vec_add(a, b), field_set(c + 4));
    const vec z0 = vec_add(field_mul(f, a, field_set(c + 2)), both), z1 = vec_sub(both, field_mul(f, b, field_set(c + 6)));
    base = vec_add(base, m); /* 0.65, 0.8; z 1.3, 1.6 */
    y[0] = vec_add(base, z0);
    y[1] = vec_add(base, z1);
    y[2] = vec_sub(base, vec_add(z0, z1));
}

STAGE_INLINE void dft_of_3(const struct field *f, vec *x, const double *w)
{
    const vec s = vec_add(x[1], x[2]), even = vec_add(x[0], field_mul(f, s, field_set(w)));
    const vec uneven = field_mul(f, vec_sub(x[1], x[2]), field_set(w + 2));
    x[0] = vec_add(x[0], s);
    x[1] = vec_add(even, uneven);
    x[2] = vec_sub(even, uneven);
}

STAGE_INLINE void dft_of_5(const struct field *f, vec *x, const double *w, enum dft_most most)
{
    const vec s1 = vec_add(x[1], x[4]), s2 = vec_add(x[2], x[3]), d1 = vec_sub(x[1], x[4]), d2 = vec_sub(x[2], x[3]);
    const vec s = vec_add(s1, s2), mean = vec_add(x[0], field_mul(f, s, field_set(w)));
    const vec half = field_mul(f, vec_sub(s1, s2), field_set(w + 2)), both = field_mul(f, vec_add(d1, d2), field_set(w + 6));
    vec even1 = vec_add(mean, half), even2 = vec_sub(mean, half);
    const vec uneven1 = vec_add(field_mul(f, d1, field_set(w + 4)), both);
    const vec uneven2 = vec_sub(both, field_mul(f, d2, field_set(w + 8)));
    x[0] = vec_add(x[0], s);
    if (most == DFT_ROOT) {
        x[0] = field_reduce(f, x[0]); /* 2.5 would exceed the limit for a sum of two, by 2^-40 */
        even1 = field_reduce(f, even1);
        even2 = field_reduce(f, even2);
    }
    x[1] = vec_add(even1, uneven1);
    x[2] = vec_add(even2, uneven2);
    x[3] = vec_sub(even2, uneven2);
    x[4] = vec_sub(even1, uneven1);
}

STAGE_INLINE void dft_of_7(const struct field *f, vec *x, const double *w, enum dft_most most)
{
    vec even[3], uneven[3]; /* of 1, 3, 2: powers of 3 */
    const vec s[3] = {vec_add(x[1], x[6]), vec_add(x[2], x[5]), vec_add(x[3], x[4])};
    const vec d[3] = {vec_sub(x[1], x[6]), vec_sub(x[2], x[5]), vec_sub(x[4], x[3])};
    convolve3(f, even, x[0], s, w);
    convolve3(f, uneven, vec_set1(0.0), d, w + 8);
    x[0] = vec_add(vec_add(x[0], s[0]), vec_add(s[1], s[2]));
#pragma GCC unroll 3
    for (unsigned i = 0; i < 3 && most != DFT_ANY; i++)
        even[i] = field_reduce(f, even[i]);
    if (most == DFT_ROOT) {
        x[0] = field_reduce(f, x[0]);
        uneven[2] = field_reduce(f, uneven[2]);
    }
    x[1] = vec_add(even[0], uneven[0]);
    x[2] = vec_add(even[2], uneven[2]);
    x[3] = vec_sub(even[1], uneven[1]);
    x[4] = vec_add(even[1], uneven[1]);
    x[5] = vec_sub(even[2], uneven[2]);
    x[6] = vec_sub(even[0], uneven[0]);
}

/* short_dft - x[0] .. x[odd-1], each at most 1/2, become their DFT. */
STAGE_INLINE void short_dft(const struct field *f, vec *x, unsigned odd, const double *w, enum dft_most most)
{
    if (odd == 3)
        dft_of_3(f, x, w);
    else if (odd == 5)
        dft_of_5(f, x, w, most);
    else if (odd == 7)
        dft_of_7(f, x, w, most);
}

/*
 * ---- the outermost levels ----
 *
 * n_rows = odd M, M = 2^levels.  Row j is point j mod odd of one transform and point j mod M of another one, so there are no
 * twiddles between the two.  After both, row r of tree t has the frequency M t + odd rev(r).
 *
 * The first `outer` levels of the trees, 1 or 2, are done together with the DFTs across trees; passes of radix 4 do the rest.  A
 * strip's rows are ordered by trees and nodes.  Row j2 + i B, B = M / 2^outer, is point (j2 + i B) mod odd,
 * j2 + (i mod 2^outer) B.
 */

/* block_rows - B;  block_doubles - distance of the blocks of a strip. */
STAGE_INLINE size_t block_rows(const struct plan_shape *s)
{
    return (size_t)1 << (s->transform.column_levels - prime_outer_levels(s));
}
STAGE_INLINE size_t block_doubles(const struct plan_shape *s)
{
    return prime_strip_row(s, block_rows(s));
}

/*
 * strip_turn - multiply row j by w[j], and add an offset of at most 1/2.   |x| <= 1.68 -> 1/2, plus the offset
 *
 *   group_stride  in  from eight rows to the next eight
 */
static void strip_turn(const struct field *f, double *x, size_t group_stride, size_t n_rows, const double *pairs, double offset)
{
    for (size_t row = 0; row < n_rows; row++) {
        double *at = x + row / PRIME_STRIP * group_stride + row % PRIME_STRIP * PRIME_STRIP;
        for (unsigned i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
            const vec turned = field_mul(f, vec_load(at + i), field_set(pairs + 2 * row)); /* 0.6, 0.7 */
            vec_store(at + i, vec_add(field_reduce(f, turned), vec_set1(offset)));
        }
    }
}

/*
 * rows_fold - in the first `folded` rows of each block, replace rows j and j + n_rows / 2 by their sum and their difference.
 * |x| <= 0.92 -> 1/2
 */
static void rows_fold(const struct field *f, double *x, const struct plan_shape *s, size_t folded)
{
    double *other = x + prime_strip_row(s, s->transform.n_rows / 2);
    for (double *block = x; block < other; block += block_doubles(s))
        for (size_t i = 0; i < folded * PRIME_STRIP; i += VEC_WIDTH) {
            double *low = block + i, *high = other + (low - x);
            const vec a = vec_load(low), b = vec_load(high);
            vec_store(low, field_reduce(f, vec_add(a, b)));
            vec_store(high, field_reduce(f, vec_sub(a, b)));
        }
}

/*
 * strip_cut - the digits of a strip of columns, and the first level.  In most operands the second half of the rows is zero.
 *
 *   x  out  strips of some primes.  The first n_rows / 2 rows of each are sums of rows j and j + n_rows / 2, at most 1/2, or 0.92
 *           if odd is 1; the differences follow
 * Value: how many rows of each block have their own differences; in the other rows the differences equal the sums.
 */
STAGE_INLINE size_t strip_cut(double *x, const struct plan_shape *s, const struct prime_tables *t, unsigned primes,
                              const struct prime_source *from, size_t column)
{
    const size_t reached = from->n > SIZE_MAX / 64 ? SIZE_MAX : (64 * from->n - 1) / s->digits.exponent + 1;
    const size_t half = s->transform.n_rows / 2, block = block_rows(s);
    const vec two = vec_set1(0x1p48);
    struct digit_residues residues = {.primes = primes, .reduced = s->transform.odd > 1, .apart = prime_strip_doubles(s)};
    for (unsigned k = 0; k < primes; k++) {
        residues.f[k] = field_of(t[k].prime);
        residues.shift[k] = (struct field_factor){two, vec_div(two, residues.f[k].p)};
    }
    const struct digit_places places = places_of(s->digits.exponent);
    size_t row = 0;
    for (size_t first = column; row < s->transform.n_rows && first < reached; row++, first += s->transform.row_points) {
        const char *end =
            (const char *)from->limbs + (first + PRIME_STRIP + ROWS_AHEAD * s->transform.row_points) * s->digits.exponent / 8;
        __builtin_prefetch(end); /* the strip before has already read the first lines of this one */
        __builtin_prefetch(end - 64);
        digits_cut(&residues, x + prime_strip_row(s, row), &places, from, first);
    }
    const size_t cut = row, behind = cut > half ? cut - half : 0, folded = behind < block ? behind : block;
    for (unsigned k = 0; k < primes; k++, x += residues.apart) {
        for (row = cut; row < s->transform.n_rows; row++)
            if (row < half || row % block < folded)
                memset(x + prime_strip_row(s, row), 0, PRIME_STRIP * sizeof *x);
        for (row = 0; t[k].turn[0] && row < cut; row += block)
            strip_turn(&residues.f[k], x + prime_strip_row(s, row), SQUARE, cut - row < block ? cut - row : block,
                       t[k].turn[0] + 2 * row, 0.0);
        rows_fold(&residues.f[k], x, s, folded);
    }
    return folded;
}

/* What strip_cut made of a prime's strip, and its value. */
struct cut_strip {
    const double *sums;
    size_t folded;
};

/*
 * outer_forward - the levels above the trees.
 *
 *   x  out  |x| <= 4.5, nodes 0 2.5
 */
STAGE_INLINE void outer_forward(const struct field *f, double *x, struct cut_strip cut, const struct plan_shape *s,
                                const struct prime_tables *t, unsigned odd, unsigned outer)
{
    const unsigned pairs = outer; /* pairs of blocks, with one block in the second half */
    const size_t block = block_rows(s), n = block_doubles(s);
    const struct field_factor fourth = field_set(t->root[0] + 2);
    const double *sums = cut.sums, *differences = sums + prime_strip_row(s, s->transform.n_rows / 2);
    size_t at[2][2 * PRIME_ODD_MAX]; /* from row j to the row of a pair and a point of the short transform */
    double sign[2][2 * PRIME_ODD_MAX];
    for (unsigned i = 0; i < odd * pairs; i++)
        for (unsigned k = 0; k < 2 * odd; k += odd) {
            at[i % pairs][i * block % odd + k] = i * n;
            sign[i % pairs][i * block % odd + k] = i % (2 * pairs) < pairs ? 1.0 : -1.0;
        }
    for (size_t j = 0; j < block; j++, x += PRIME_STRIP, sums += PRIME_STRIP, differences += PRIME_STRIP) {
        const unsigned turn = odd - (unsigned)(j % odd);
        const double *other = j < cut.folded ? differences : sums;
        for (unsigned i = 0; i < PRIME_STRIP; i += VEC_WIDTH)
#pragma GCC unroll 2
            for (unsigned rest = 0; rest < 2; rest++) {
                vec v[2][PRIME_ODD_MAX];
#pragma GCC unroll 2
                for (unsigned q = 0; q < pairs; q++) {
#pragma GCC unroll 7
                    for (unsigned k = 0; k < odd; k++) {
                        v[q][k] = vec_load((rest ? other : sums) + at[q][turn + k] + i);
                        if (rest && odd > 1)
                            v[q][k] = vec_mul(v[q][k], vec_set1(sign[q][turn + k]));
                    }
                    short_dft(f, v[q], odd, t->dft, outer == 1 && !rest ? DFT_ROOT : DFT_NODE);
                }
#pragma GCC unroll 7
                for (unsigned k = 0; k < odd; k++) {
                    double *to = x + ((k << outer) + rest * pairs) * n + i;
                    if (outer == 1) {
                        vec_store(to, v[0][k]);
                        continue;
                    }
                    const vec a = odd == 1 ? v[0][k] : field_reduce(f, v[0][k]);
                    const vec b = rest ? field_mul(f, v[1][k], fourth) : odd == 1 ? v[1][k] : field_reduce(f, v[1][k]);
                    vec_store(to, vec_add(a, b)); /* odd 1: 1.84; else 1.2, 1.5 */
                    vec_store(to + n, vec_sub(a, b));
                }
            }
    }
}

/*
 * outer_back - the inverse of outer_forward, into groups of rows.   |x| <= FIELD_BACK_MOST -> 1/2
 *
 *   to  out  the strip's square in the first group
 */
STAGE_INLINE void outer_back(const struct field *f, double *to, const double *x, const struct plan_shape *s,
                             const struct prime_tables *t, unsigned odd, unsigned outer)
{
    const unsigned blocks = 1U << outer;
    const size_t block = block_rows(s), n = block_doubles(s);
    const struct field_factor fourth = field_set(t->root[1] + 2);
    size_t at[4][2 * PRIME_ODD_MAX]; /* from the row of block 0 to the row of a block and a point of the short transform */
    for (unsigned i = 0; i < odd * blocks; i++)
        for (unsigned k = 0; k < 2 * odd; k += odd)
            at[i % blocks][i * block % odd + k] = i * block / PRIME_STRIP * s->transform.row_stride;
    for (size_t j = 0; j < block; j++, x += PRIME_STRIP) {
        double *row = to + j / PRIME_STRIP * s->transform.row_stride + j % PRIME_STRIP * PRIME_STRIP;
        const unsigned turn = odd - (unsigned)(j % odd);
        for (unsigned i = 0; i < PRIME_STRIP; i += VEC_WIDTH) {
            vec r[4][PRIME_ODD_MAX];
#pragma GCC unroll 7
            for (unsigned k = 0; k < odd; k++) {
                const double *from = x + (k << outer) * n + i;
                const vec a = vec_load(from), b = vec_load(from + n), sum = vec_add(a, b), rest = vec_sub(a, b);
                if (outer == 1) {
                    r[0][k] = field_reduce(f, sum); /* 2.5, 3.36 */
                    r[1][k] = field_reduce(f, rest);
                    continue;
                }
                const vec c = vec_load(from + 2 * n), d = vec_load(from + 3 * n), u = vec_add(c, d);
                const vec v = field_mul(f, vec_sub(c, d), fourth); /* 0.63, 0.84 */
                r[0][k] = field_reduce(f, vec_add(sum, u));        /* 5, 6.72 */
                r[1][k] = field_reduce(f, vec_add(rest, v));
                r[2][k] = field_reduce(f, vec_sub(sum, u));
                r[3][k] = field_reduce(f, vec_sub(rest, v));
            }
#pragma GCC unroll 4
            for (unsigned q = 0; q < blocks; q++) {
                short_dft(f, r[q], odd, t->dft, DFT_ANY);
#pragma GCC unroll 7
                for (unsigned k = 0; k < odd; k++) /* inverse: from odd - k */
                    vec_store(row + at[q][turn + k] + i, odd == 1 ? r[q][0] : field_reduce(f, r[q][(odd - k) % odd]));
            }
        }
    }
}

#define OUTER(call, s)                                                                                  \
    switch ((s)->transform.odd * 2 + prime_outer_levels(s) - 1) { /* constants, so that loops unroll */ \
    case 2:                                                                                             \
        call(1, 1);                                                                                     \
        break;                                                                                          \
    case 3:                                                                                             \
        call(1, 2);                                                                                     \
        break;                                                                                          \
    case 6:                                                                                             \
        call(3, 1);                                                                                     \
        break;                                                                                          \
    case 7:                                                                                             \
        call(3, 2);                                                                                     \
        break;                                                                                          \
    case 10:                                                                                            \
        call(5, 1);                                                                                     \
        break;                                                                                          \
    case 11:                                                                                            \
        call(5, 2);                                                                                     \
        break;                                                                                          \
    case 14:                                                                                            \
        call(7, 1);                                                                                     \
        break;                                                                                          \
    default:                                                                                            \
        call(7, 2);                                                                                     \
    }

/* ---- strips ---- */

/* streams - whether a buffer is too long for the cache; its lines are then written without being read. */
static bool streams(const struct plan_shape *s)
{
    return s->transform.n_points >= STREAM_POINTS;
}

/*
 * square_turn - transpose PRIME_STRIP^2 doubles.
 *
 *   stream  in  write past the caches
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

/*
 * node_put - run the passes over node k, n doubles with |x| <= 4.5, and store its rows in groups of rows; node_get - the inverse.
 *
 * Depth first down to the first cache.  The last pass of a group is done together with its square.
 */
static void node_put(const struct field *f, const struct plan_shape *s, double *to, double *x, size_t n, const double *w,
                     size_t k)
{
    const size_t group_stride = s->transform.row_stride;
    const bool stream = streams(s);
    if (n > NODE_CACHE_DOUBLES) {
        pass_forward(f, x, n / 4, w, k, 1);
        for (size_t i = 0; i < 4; i++)
            node_put(f, s, to + i * (n / 4 / SQUARE) * group_stride, x + i * (n / 4), n / 4, w, 4 * k + i);
        return;
    }
    size_t nodes = 1;
    for (size_t size = n; size > 4 * PRIME_STRIP; size /= 4, nodes *= 4)
        pass_forward(f, x, size / 4, w, nodes * k, nodes);
    for (size_t i = 0; i < nodes; i += 2, x += SQUARE, to += group_stride) {
        pass_forward(f, x, PRIME_STRIP, w, nodes * k + i, 2);
        if (stream)
            square_turn(to, x, true);
        else
            square_turn(to, x, false);
    }
}

static void node_get(const struct field *f, double *x, const double *from, size_t group_stride, size_t n, const double *w,
                     size_t k)
{
    if (n > NODE_CACHE_DOUBLES) {
        for (size_t i = 0; i < 4; i++)
            node_get(f, x + i * (n / 4), from + i * (n / 4 / SQUARE) * group_stride, group_stride, n / 4, w, 4 * k + i);
        pass_back(f, x, n / 4, w, k, 1);
        return;
    }
    size_t nodes = n / (4 * PRIME_STRIP);
    for (size_t i = 0; i < nodes; i += 2, from += group_stride) {
        double *square = x + i / 2 * SQUARE;
#pragma GCC unroll 8
        for (unsigned j = 0; j < PRIME_STRIP; j++)
            __builtin_prefetch(from + GROUPS_AHEAD * group_stride + j * PRIME_STRIP);
        square_turn(square, from, false);
        pass_back(f, square, PRIME_STRIP, w, nodes * k + i, 2);
    }
    for (size_t size = 16 * PRIME_STRIP; size <= n; size *= 4) {
        nodes /= 4;
        pass_back(f, x, size / 4, w, nodes * k, nodes);
    }
}

static void strip_forward(const struct field *f, double *to, double *x, struct cut_strip cut, const struct plan_shape *s,
                          const struct prime_tables *t)
{
    const unsigned outer = prime_outer_levels(s);
    const size_t n = block_rows(s) * PRIME_STRIP, apart = block_doubles(s);
#define CALL(odd, levels) outer_forward(f, x, cut, s, t, odd, levels)
    OUTER(CALL, s)
#undef CALL
    for (unsigned i = 0; i < s->transform.odd << outer; i++, x += apart, to += n / SQUARE * s->transform.row_stride)
        node_put(f, s, to, x, n, t->root[0], i % (1U << outer));
    if (streams(s))
        vec_stream_fence();
}

static void strip_back(const struct field *f, double *x, double *strip, const struct plan_shape *s, const struct prime_tables *t)
{
    const unsigned outer = prime_outer_levels(s);
    const size_t n = block_rows(s) * PRIME_STRIP, apart = block_doubles(s);
    for (unsigned i = 0; i < s->transform.odd << outer; i++)
        node_get(f, strip + i * apart, x + i * (n / SQUARE) * s->transform.row_stride, s->transform.row_stride, n, t->root[1],
                 i % (1U << outer));
#define CALL(odd, levels) outer_back(f, x, strip, s, t, odd, levels)
    OUTER(CALL, s)
#undef CALL
}

/* Strips, which threads take: digits into the columns of some primes, or one prime's columns back. */
struct prime_strips_work {
    const struct plan *plan;
    const struct prime_tables *tables;
    unsigned primes;
    double *const *x;
    double *scratch;
    const struct prime_source *from;
    struct work_share share;
};

static void strips_forward_run(void *arg, unsigned thread)
{
    struct prime_strips_work *const w = arg;
    const struct plan *plan = w->plan;
    const struct plan_shape *s = &plan->shape;
    const struct prime_tables *t = w->tables;
    double *strip = w->scratch + thread * prime_scratch_doubles(s), *cut = strip + prime_strip_doubles(s);
    size_t part, behind;
    while (work_next(&w->share, thread, &part, &behind)) {
        if (!stage_part(plan->monitor, w->primes * PRIME_STRIP * s->transform.n_rows))
            break;
        const size_t folded = w->primes == 1 ? strip_cut(cut, s, t, 1, w->from, part * PRIME_STRIP)
                                             : strip_cut(cut, s, t, PRIME_CUTS, w->from, part * PRIME_STRIP);
        for (unsigned k = 0; k < w->primes; k++) {
            const struct field f = field_of(t[k].prime);
            const struct cut_strip mine = {cut + k * prime_strip_doubles(s), folded};
            strip_forward(&f, w->x[k] + part * SQUARE, strip, mine, s, &t[k]);
        }
        stage_part_end(plan->monitor);
    }
}

static void strips_back_run(void *arg, unsigned thread)
{
    struct prime_strips_work *const w = arg;
    const struct plan *plan = w->plan;
    const struct plan_shape *s = &plan->shape;
    const struct prime_tables *t = w->tables;
    const struct field f = field_of(t->prime);
    size_t part, behind;
    while (work_next(&w->share, thread, &part, &behind)) {
        if (!stage_part(plan->monitor, PRIME_STRIP * s->transform.n_rows))
            break;
        double *at = w->x[0] + part * SQUARE;
        strip_back(&f, at, w->scratch + thread * prime_scratch_doubles(s), s, t);
        if (t->turn[1])
            strip_turn(&f, at, s->transform.row_stride, s->transform.n_rows, t->turn[1], t->offset);
        stage_part_end(plan->monitor);
    }
}

static void strips_run(struct prime_strips_work *w, unsigned threads, parallel_work *run)
{
    work_share_init(&w->share, w->plan->shape.transform.row_points / PRIME_STRIP, threads, WORK_SHARES);
    parallel_run(threads, run, w);
}

static void digits_to_columns(const struct plan *plan, const struct prime_tables *t, unsigned primes, double *const *x,
                              double *scratch, const struct prime_source *from, unsigned threads)
{
    struct prime_strips_work w;
    w.plan = plan;
    w.tables = t;
    w.primes = primes;
    w.x = x;
    w.scratch = scratch;
    w.from = from;
    strips_run(&w, threads, strips_forward_run);
}

static void columns_to_residues(const struct plan *plan, const struct prime_tables *t, double *x, double *scratch,
                                unsigned threads)
{
    struct prime_strips_work w;
    w.plan = plan;
    w.tables = t;
    w.x = &x;
    w.scratch = scratch;
    strips_run(&w, threads, strips_back_run);
}

#endif
