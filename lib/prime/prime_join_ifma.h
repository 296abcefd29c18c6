/*
 * prime_join_ifma.h - joins a group of rows at once by AVX-512's 52-bit products.  Part of prime_template.h.
 *
 * Lanes are rows, each with its own carry.  Digits of the remainder theorem are lazy, from 0 to some multiple of p below 2^52:
 *     V1 = x1 + o1,  V_i = x_i + o_i + sum over j < i of V_j (-1 / (p_j .. p_(i-1))) modulo p_i,  i <= 3 or 4
 * Residues are already scaled by prime_scale_join, so they need no product of their own.  Offsets o_i make them positive, and
 * only the last digit is reduced.  With these V_i, c + K = V1 + p1 (V2 + p2 (V3 + p3 V4)), with a constant K.
 *
 * A coefficient is in words of h and l - h bits in turn, so that the next coefficient begins at a word.  The words are sums of
 * lower and upper halves of products; two words are carried per coefficient.  doc/error-bound.md, section 22, has the ranges.
 */
#ifndef GFMUL_PRIME_JOIN_IFMA_H
#define GFMUL_PRIME_JOIN_IFMA_H

#define INLINE_IFMA static inline __attribute__((always_inline, target("avx512ifma")))

enum { IFMA_ABOVE = 8 /* makes a last digit positive */, IFMA_WORDS = 2 * JOIN_RUN, IFMA_BITS_MIN_3 = 56, IFMA_BITS_MIN_4 = 80 };

/* A constant factor modulo a prime: a, and floor(2^52 a / p). */
struct ifma_factor {
    __m512i a, quotient;
};

struct ifma_join {
    struct ifma_factor factor[PRIME_COUNT][PRIME_COUNT - 1]; /* [i][j]: -1 / (p_j .. p_(i-1)) modulo p_i */
    __m512i less_p[PRIME_COUNT];                             /* 2^52 - p */
    __m512d offset[PRIME_COUNT];                             /* 2^52 + o_i; for the last digit, the number to subtract */
    __m512d last;                                            /* turns the last digit into a word */
    struct field f[PRIME_COUNT];
    __m512i weight[PRIME_COUNT][PRIME_COUNT]; /* 1, p1, p1 p2, p1 p2 p3 in words */
    __m512i less[2];                          /* constants added to each coefficient */
    __m512i size[2], up[2], mask[2];          /* per word: bits, 52 minus bits, mask */
    int64_t first[2], behind[2];              /* the initial value of a row, and the correction at its end */
    struct {
        uint64_t word, down, up[3]; /* a limb: its first word, shifted down, and more, shifted up; three of 40 bits suffice */
    } limb[PRIME_DIGIT_BITS_MAX];
};

/* bits_at - count < 64 bits of a number of four limbs. */
static uint64_t bits_at(const mp_limb_t *x, unsigned at, unsigned count)
{
    return limb_bits(x, PRIME_TAIL_LIMBS, at) & ((UINT64_C(1) << count) - 1);
}

/* tail_mul_add - x = x m + a, of four limbs. */
static void tail_mul_add(mp_limb_t *x, uint64_t m, uint64_t a)
{
    for (unsigned i = 0; i < PRIME_TAIL_LIMBS; i++) {
        const unsigned __int128 t = (unsigned __int128)x[i] * m + a;
        x[i] = (uint64_t)t;
        a = (uint64_t)(t >> 64);
    }
}

static __m512i words_of(uint64_t a)
{
    return _mm512_set1_epi64((int64_t)a);
}

/* ifma_digits_begin - the constants of the digits; delta: their excess. */
static void ifma_digits_begin(struct ifma_join *join, uint64_t *delta, unsigned n_primes)
{
    for (unsigned i = 0; i < n_primes; i++) {
        const uint64_t p = prime_table[i].p, offset = i + 1 < n_primes ? (5 * p + 3) / 4 : 0;
        uint64_t product = 1, sum = offset % p;
        for (unsigned j = i; j-- > 0;) {
            product = residue_mul(product, prime_table[j].p % p, p);
            const uint64_t a = p - residue_inverse(product, p);
            join->factor[i][j] = (struct ifma_factor){words_of(a), words_of((uint64_t)(((unsigned __int128)a << 52) / p))};
            sum = (sum + residue_mul(a, delta[j] % p, p)) % p;
        }
        delta[i] = i == 0 ? offset : sum;
        join->f[i] = field_of(&prime_table[i]);
        join->less_p[i] = words_of((UINT64_C(1) << 52) - p);
        join->offset[i] = _mm512_set1_pd(0x1p52 + (double)offset);
        if (i + 1 < n_primes)
            continue;
        join->offset[i] = _mm512_set1_pd(0x1p52 + (double)(sum + p / 4)); /* representatives begin at -p / 4 */
        delta[i] = IFMA_ABOVE;
    }
    join->last = _mm512_set1_pd(0x1p52 + (double)(prime_table[n_primes - 1].p / 4 + IFMA_ABOVE));
}

/* weight_words - words of the weight of digit i; p1 may be one word of 50 bits, if words have 40 or more. */
STAGE_INLINE unsigned weight_words(unsigned i, unsigned n_primes)
{
    return i == 0 ? 1 : i == 1 ? n_primes == PRIME_COUNT ? 1 : 2 : i == 2 && n_primes == PRIME_COUNT ? 3 : 4;
}

static void ifma_join_begin(struct ifma_join *join, unsigned l, unsigned n_primes)
{
    const unsigned h = l / 2, at[PRIME_COUNT] = {0, h, l, l + h}, size[PRIME_COUNT] = {h, l - h, h, 52};
    uint64_t delta[PRIME_COUNT], k[PRIME_COUNT];
    mp_limb_t weight[PRIME_TAIL_LIMBS] = {1}, less[PRIME_TAIL_LIMBS] = {0};
    ifma_digits_begin(join, delta, n_primes);
    for (unsigned i = n_primes; i-- > 0;)
        tail_mul_add(less, prime_table[i].p, delta[i]);
    for (unsigned i = 0; i < n_primes; tail_mul_add(weight, prime_table[i].p, 0), i++)
        for (unsigned j = 0; j < PRIME_COUNT; j++)
            join->weight[i][j] =
                words_of(i == 1 && weight_words(1, n_primes) == 1 ? j == 0 ? weight[0] : 0 : bits_at(weight, at[j], size[j]));
    for (unsigned j = 0; j < PRIME_COUNT; j++)
        k[j] = bits_at(less, at[j], size[j]);
    join->less[0] = words_of(-(k[0] + k[2]));
    join->less[1] = words_of(-(k[1] + k[3]));
    join->first[0] = (int64_t)k[2];
    join->first[1] = -(int64_t)k[1];
    join->behind[0] = -(int64_t)k[2];
    join->behind[1] = (int64_t)k[1];
    for (unsigned i = 0; i < 2; i++) {
        join->size[i] = words_of(size[i]);
        join->up[i] = words_of(52 - size[i]);
        join->mask[i] = words_of((UINT64_C(1) << size[i]) - 1);
    }
    for (unsigned i = 0; i < l; i++) {
        const unsigned bit = 64 * i, in = bit % l, pair = bit / l, odd = in >= h;
        const unsigned begin = pair * l + (odd ? h : 0), next = odd ? (pair + 1) * l : begin + h;
        join->limb[i].word = 2 * pair + odd;
        join->limb[i].down = bit - begin;
        join->limb[i].up[0] = next - bit;
        join->limb[i].up[1] = next - bit + (odd ? h : l - h);
        join->limb[i].up[2] = next - bit + l;
    }
}

/* ifma_sum - sum + a V modulo 2^52, and the quotient's sum. */
INLINE_IFMA void ifma_add(__m512i *sum, __m512i *quotient, __m512i v, const struct ifma_factor *f)
{
    *sum = _mm512_madd52lo_epu64(*sum, v, f->a);
    *quotient = _mm512_madd52hi_epu64(*quotient, v, f->quotient);
}

/* ifma_within - whether the lower 52 bits of all lanes are at most `most` p. */
static inline bool ifma_within(const struct field *f, __m512i v, double most)
{
    return field_within(f, _mm512_cvtepu64_pd(_mm512_and_si512(v, words_of((UINT64_C(1) << 52) - 1))), most);
}

/* ifma_digits - the digits of the coefficients of a column. */
INLINE_IFMA void ifma_digits(const struct ifma_join *join, __m512i *v, const __m512d *x, unsigned n_primes)
{
    const __m512i ones = _mm512_set1_epi64((INT64_C(1) << 52) - 1), exponent = _mm512_set1_epi64(INT64_C(0x4330000000000000));
#pragma GCC unroll 4
    for (unsigned i = 0; i < n_primes; i++) {
        const bool last = i + 1 == n_primes;
        assert(field_within(&join->f[i], x[i], FIELD_BACK_MOST));
        __m512i sum = last ? _mm512_setzero_si512() : _mm512_castpd_si512(_mm512_add_pd(x[i], join->offset[i]));
        __m512i quotient = _mm512_setzero_si512();
#pragma GCC unroll 4
        for (unsigned j = 0; j < i; j++)
            ifma_add(&sum, &quotient, v[j], &join->factor[i][j]);
        v[i] = i == 0 ? sum : _mm512_madd52lo_epu64(sum, quotient, join->less_p[i]);
        assert(ifma_within(&join->f[i], v[i], i == 0 ? 2.51 : i == 1 ? 3.99 : 5.73)); /* below 2^52 */
        if (last) {
            const __m512d magic = _mm512_set1_pd(FIELD_MAGIC);
            const __m512d y =
                _mm512_castsi512_pd(_mm512_ternarylogic_epi64(v[i], ones, exponent, 0xea)); /* v & ones | exponent */
            const __m512d z = _mm512_add_pd(_mm512_sub_pd(y, join->offset[i]), x[i]);
            const __m512d q = _mm512_sub_pd(_mm512_fmadd_pd(z, join->f[i].inverse, magic), magic);
            v[i] = _mm512_castpd_si512(_mm512_add_pd(_mm512_fnmadd_pd(q, join->f[i].p, z), join->last));
        }
    }
}

/* ifma_column - add a coefficient to the window; words: the two complete words.   w: three words */
INLINE_IFMA void ifma_column(const struct ifma_join *join, __m512i *w, __m512i *words, const __m512i *v, unsigned n_primes)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i low[PRIME_COUNT] = {join->less[0], w[1], w[2], join->less[1]}, high[PRIME_COUNT] = {zero, zero, zero, zero};
    low[0] = _mm512_madd52lo_epu64(low[0], v[0], _mm512_set1_epi64(1));
#pragma GCC unroll 4
    for (unsigned i = 1; i < n_primes; i++)
#pragma GCC unroll 4
        for (unsigned j = 0; j < weight_words(i, n_primes); j++) {
            low[j] = _mm512_madd52lo_epu64(low[j], v[i], join->weight[i][j]);
            high[j] = _mm512_madd52hi_epu64(high[j], v[i], join->weight[i][j]);
        }
    const __m512i t0 = _mm512_add_epi64(low[0], w[0]);
    const __m512i s1 = _mm512_add_epi64(low[1], _mm512_sllv_epi64(high[0], join->up[0]));
    const __m512i s2 = _mm512_add_epi64(low[2], _mm512_sllv_epi64(high[1], join->up[1]));
    const __m512i t1 = _mm512_add_epi64(s1, _mm512_srav_epi64(t0, join->size[0]));
    words[0] = _mm512_and_si512(t0, join->mask[0]);
    words[1] = _mm512_and_si512(t1, join->mask[1]);
    w[0] = _mm512_add_epi64(s2, _mm512_srav_epi64(t1, join->size[1]));
    w[1] = _mm512_add_epi64(low[3], _mm512_sllv_epi64(high[2], join->up[0]));
    w[2] = _mm512_sllv_epi64(high[3], join->up[1]);
}

/* ifma_limb - limb i from the words of a run. */
INLINE_IFMA __m512i ifma_limb(const struct ifma_join *join, const __m512i *words, unsigned i, unsigned n_primes)
{
    const __m512i *at = words + join->limb[i].word;
    const __m512i a = _mm512_srlv_epi64(at[0], words_of(join->limb[i].down));
    const __m512i b = _mm512_sllv_epi64(at[1], words_of(join->limb[i].up[0]));
    const __m512i c = _mm512_sllv_epi64(at[2], words_of(join->limb[i].up[1]));
    const __m512i limb = _mm512_ternarylogic_epi64(a, b, c, 0xfe);
    return n_primes == PRIME_COUNT ? limb : _mm512_or_si512(limb, _mm512_sllv_epi64(at[3], words_of(join->limb[i].up[2])));
}

/* Collects the limbs of eight rows in blocks of eight, which are whole cache lines if possible. */
struct ifma_limbs {
    double *to;      /* the block's place in the first row */
    size_t apart;    /* limbs from row to row */
    unsigned filled; /* limbs in the block; at first, those that do not belong to the rows */
    __mmask8 mask;   /* the limbs in the block that belong to the rows */
    bool stream;
    __m512i block[PRIME_STRIP];
};

/* ifma_block_put - store a block of eight limbs of each row. */
INLINE_IFMA void ifma_block_put(struct ifma_limbs *limbs)
{
    vec r[PRIME_STRIP];
#pragma GCC unroll 8
    for (unsigned i = 0; i < PRIME_STRIP; i++)
        r[i] = _mm512_castsi512_pd(limbs->block[i]);
    vec_transpose(r);
    double *to = limbs->to;
    if (limbs->mask != 0xff) {
        for (unsigned i = 0; i < PRIME_STRIP; i++, to += limbs->apart)
            _mm512_mask_storeu_pd(to, limbs->mask, r[i]);
    } else if (limbs->stream) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < PRIME_STRIP; i++, to += limbs->apart)
            _mm512_stream_pd(to, r[i]);
    } else {
#pragma GCC unroll 8
        for (unsigned i = 0; i < PRIME_STRIP; i++, to += limbs->apart)
            _mm512_storeu_pd(to, r[i]);
    }
    limbs->to += PRIME_STRIP;
    limbs->mask = 0xff;
    limbs->filled = 0;
}

/* ifma_limbs_put - store the limbs of a run. */
INLINE_IFMA void ifma_limbs_put(const struct ifma_join *join, struct ifma_limbs *limbs, const __m512i *words, unsigned l,
                                unsigned n_primes)
{
    for (unsigned i = 0; i < l; i++) {
        limbs->block[limbs->filled++] = ifma_limb(join, words, i, n_primes);
        if (limbs->filled == PRIME_STRIP)
            ifma_block_put(limbs);
    }
}

/* ifma_tail - a row's window as limbs. */
static void ifma_tail(mp_limb_t *tail, int64_t *w, unsigned l)
{
    const unsigned h = l / 2, at[3] = {0, h, l}, size[2] = {h, l - h};
    memset(tail, 0, PRIME_TAIL_LIMBS * sizeof *tail);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t word = (uint64_t)w[i];
        if (i < 2) {
            w[i + 1] += w[i] >> size[i];
            word &= (UINT64_C(1) << size[i]) - 1;
        }
        tail[at[i] / 64] |= word << at[i] % 64;
        if (at[i] % 64 != 0)
            tail[at[i] / 64 + 1] |= word >> (64 - at[i] % 64);
    }
}

/* tail_carry - add a tail to a row, then add the row's carry to the tail that this row leaves. */
static void tail_carry(mp_limb_t *z, size_t n, mp_limb_t *tail, mp_limb_t *own)
{
    mp_limb_t carry = mpn_add(z, z, (mp_size_t)n, tail, PRIME_TAIL_LIMBS);
    memcpy(tail, own, PRIME_TAIL_LIMBS * sizeof *tail);
    mpn_add_1(tail, tail, PRIME_TAIL_LIMBS, carry);
}

/*
 * group_join - join the coefficients of a group of rows, like runs_join.
 *
 *   z     out  all limbs of the group
 *   tail  i/o  the tail to add to them; the tail that the group leaves
 */
INLINE_IFMA void group_join(const struct ifma_join *join, const struct plan_shape *s, mp_limb_t *z, double *const *x,
                            mp_limb_t *tail, unsigned n_primes)
{
    const unsigned l = s->digits.exponent;
    const size_t n = s->transform.row_points / 64 * l;
    const unsigned before = n % PRIME_STRIP == 0 ? (uintptr_t)z / sizeof *z % PRIME_STRIP : 0;
    struct ifma_limbs limbs = {.to = (double *)z - before,
                               .apart = n,
                               .filled = before,
                               .mask = (__mmask8)(0xff << before),
                               .stream = n % PRIME_STRIP == 0 && streams(s)};
    __m512i words[IFMA_WORDS + 3], w[3];
    _Alignas(64) int64_t left[3][PRIME_STRIP];
    words[IFMA_WORDS] = words[IFMA_WORDS + 1] = words[IFMA_WORDS + 2] = w[2] = _mm512_setzero_si512();
    w[0] = _mm512_set1_epi64(join->first[0]);
    w[1] = _mm512_set1_epi64(join->first[1]);
    for (unsigned i = 0; i < PRIME_STRIP; i++)
        limbs.block[i] = w[2];
    for (size_t run = 0; run < s->transform.row_points; run += JOIN_RUN) {
        for (unsigned k = 0; k < JOIN_RUN; k += PRIME_STRIP) {
            const size_t from = (run + k) * PRIME_STRIP;
            __m512d columns[PRIME_COUNT][PRIME_STRIP];
#pragma GCC unroll 4
            for (unsigned i = 0; i < n_primes; i++) {
#pragma GCC unroll 8
                for (unsigned j = 0; j < PRIME_STRIP; j++) {
                    columns[i][j] = vec_load(x[i] + from + j * PRIME_STRIP);
                    __builtin_prefetch(x[i] + from + j * PRIME_STRIP + JOIN_AHEAD);
                }
                vec_transpose(columns[i]);
            }
            for (unsigned j = 0; j < PRIME_STRIP; j++) {
                __m512d c[PRIME_COUNT];
                __m512i v[PRIME_COUNT];
#pragma GCC unroll 4
                for (unsigned i = 0; i < n_primes; i++)
                    c[i] = columns[i][j];
                ifma_digits(join, v, c, n_primes);
                ifma_column(join, w, words + 2 * (k + j), v, n_primes);
            }
        }
        ifma_limbs_put(join, &limbs, words, l, n_primes);
    }
    if (limbs.filled > 0) {
        limbs.mask &= (__mmask8)((1u << limbs.filled) - 1);
        ifma_block_put(&limbs);
    }
    if (limbs.stream)
        vec_stream_fence();
    for (unsigned i = 0; i < 3; i++)
        _mm512_store_si512(left[i], w[i]);
    for (unsigned i = 0; i < PRIME_STRIP; i++) {
        int64_t of_row[3] = {left[0][i] + join->behind[0], left[1][i] + join->behind[1], left[2][i]};
        mp_limb_t own[PRIME_TAIL_LIMBS];
        ifma_tail(own, of_row, l);
        tail_carry(z + i * n, n, tail, own);
    }
}

__attribute__((target("avx512ifma"))) static void group_join_3(const struct ifma_join *join, const struct plan_shape *s,
                                                               mp_limb_t *z, double *const *x, mp_limb_t *tail)
{
    group_join(join, s, z, x, tail, 3);
}
__attribute__((target("avx512ifma"))) static void group_join_4(const struct ifma_join *join, const struct plan_shape *s,
                                                               mp_limb_t *z, double *const *x, mp_limb_t *tail)
{
    group_join(join, s, z, x, tail, 4);
}

/* groups_join - join whole groups of rows at once, from coefficient j on; returns how many. */
static size_t groups_join(const struct plan_shape *s, mp_limb_t *z, size_t zn, double *const *x, size_t j, size_t count,
                          mp_limb_t *tail)
{
    struct ifma_join join;
    const size_t of_group = PRIME_STRIP * s->transform.row_points, limbs = of_group / 64 * s->digits.exponent;
    size_t groups = j % of_group == 0 ? count / of_group : 0;
    groups = zn / limbs < groups ? zn / limbs : groups;
    if (!s->ifma || s->digits.exponent < (s->transform.n_primes == PRIME_COUNT ? IFMA_BITS_MIN_4 : IFMA_BITS_MIN_3) ||
        groups == 0)
        return 0;
    ifma_join_begin(&join, s->digits.exponent, s->transform.n_primes);
    for (size_t g = 0; g < groups; g++) {
        double *at[PRIME_COUNT];
        for (unsigned i = 0; i < s->transform.n_primes; i++)
            at[i] = x[i] + (j / of_group + g) * s->transform.row_stride;
        if (s->transform.n_primes == PRIME_COUNT)
            group_join_4(&join, s, z + g * limbs, at, tail);
        else
            group_join_3(&join, s, z + g * limbs, at, tail);
    }
    return groups;
}

#endif
