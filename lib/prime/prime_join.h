/*
 * prime_join.h - the Chinese remainder theorem and the carry in one pass.  Part of prime_template.h.
 *
 * Garner's mixed digits: c = v1 + p1 (v2 + p2 (v3 + p3 v4)), from the residues r1 .. r4:
 *     v1 = r1,  v2 = r2 / p1 - v1 / p1,  v3 = r3 / (p1 p2) - v1 / (p1 p2) - v2 / p2,  ..       each modulo its own prime
 * The residues are already divided by the primes before their own (prime_scale_join).  All digits are taken from 0 to p - 1,
 * except the last one, which is at most p / 2 (1 + 2^-40) in size.  It is at least 0 if 0 <= c < p1 p2 p3 p4 / 2.
 */
#ifndef GFMUL_PRIME_JOIN_H
#define GFMUL_PRIME_JOIN_H

enum { JOIN_RUN = 64, JOIN_AHEAD = 2 * JOIN_RUN * PRIME_STRIP /* doubles: two runs */ };

/* The residues of a product, and the constants of the theorem for its primes. */
struct join {
    const struct plan_shape *shape;
    double *const *x;
    struct field f[PRIME_COUNT];
    struct field_factor inverse[PRIME_COUNT][PRIME_COUNT]; /* [i][j]: 1 / (p_j .. p_(i-1)) modulo p_i */
};

static void join_begin(struct join *join, const struct plan_shape *s, double *const *x, unsigned n_primes)
{
    join->shape = s;
    join->x = x;
    for (unsigned i = 0; i < n_primes; i++) {
        const uint64_t p = prime_table[i].p;
        uint64_t product = 1;
        join->f[i] = field_of(&prime_table[i]);
        for (unsigned j = i; j-- > 0;) {
            product = residue_mul(product, prime_table[j].p % p, p);
            const double w = prime_balanced(residue_inverse(product, p), p);
            join->inverse[i][j] = field_set((const double[]){w, w / (double)p});
        }
    }
}

/*
 * mixed_digits - the mixed digits of VEC_WIDTH coefficients, the last digit reduced.   |x| <= 1.68
 *
 *   scaled  in  a constant: x are residues scaled by prime_scale_join
 */
STAGE_INLINE void mixed_digits(const struct join *join, uint64_t (*v)[JOIN_RUN], double *const *x, size_t from, size_t to,
                               unsigned n_primes, bool scaled)
{
    vec digit[PRIME_COUNT];
#pragma GCC unroll 4
    for (unsigned i = 0; i < n_primes; i++) {
        const struct field *f = &join->f[i];
        vec r = vec_load(x[i] + from);
#pragma GCC unroll 4
        for (unsigned j = 0; j < i; j++)
            r = scaled ? vec_sub(r, field_mul(f, digit[j], join->inverse[i][j]))  /* p_j <= 1.16 p_i -> 0.56, 0.62; r <= 3.54 */
                       : field_mul(f, vec_sub(r, digit[j]), join->inverse[i][j]); /* 2.84 -> 0.65, 0.79 */
        digit[i] = i + 1 < n_primes ? field_lift(f, r) : field_reduce(f, r);
        vec_int_store((int64_t *)&v[i][to], vec_int_from_magic(vec_add(digit[i], vec_set1(FIELD_MAGIC))));
    }
}

/* little - a word as bytes in memory, the lowest one first. */
STAGE_INLINE uint64_t little(uint64_t word)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* A product of words plus two more words, which does not overflow: the lower word; the upper one in *high. */
STAGE_INLINE uint64_t mul_add(uint64_t *high, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const unsigned __int128 t = (unsigned __int128)a * b;
    uint64_t low = (uint64_t)t, up = (uint64_t)(t >> 64);
#if defined(__x86_64__)
    __asm__("addq %2, %0\n\tadcq $0, %1" : "+r"(low), "+r"(up) : "rm"(c) : "cc"); /* compilers turn carries into comparisons */
    if (!(__builtin_constant_p(d) && d == 0))
        __asm__("addq %2, %0\n\tadcq $0, %1" : "+r"(low), "+r"(up) : "rm"(d) : "cc");
#else
    const unsigned __int128 sum = t + c + d;
    low = (uint64_t)sum;
    up = (uint64_t)(sum >> 64);
#endif
    *high = up;
    return low;
}

/* The part of a number to which coefficients are still added, from the first byte of the next coefficient on. */
struct carry_window {
    uint64_t word[PRIME_TAIL_LIMBS];
};

/* window_add - add the number with the mixed digits v[0][i], .., times 2^shift, shift <= 7: below 2^207. */
STAGE_INLINE void window_add(uint64_t *w, uint64_t (*v)[JOIN_RUN], unsigned i, unsigned shift, unsigned n_primes)
{
    const uint64_t p1 = prime_table[0].p << shift, p2 = prime_table[1].p, p3 = prime_table[2].p;
    uint64_t t0 = v[2][i], t1 = 0, u0, u1, u2, carry;
    if (n_primes == PRIME_COUNT)
        t0 = mul_add(&t1, v[3][i], p3, t0, 0);
    u0 = mul_add(&carry, t0, p2, v[1][i], 0);
    if (n_primes == PRIME_COUNT) {
        u1 = mul_add(&u2, t1, p2, carry, 0);
    } else {
        u1 = carry;
        u2 = 0;
    }
    w[0] = mul_add(&carry, u0, p1, v[0][i] << shift, w[0]);
    w[1] = mul_add(&carry, u1, p1, carry, w[1]);
    if (n_primes == PRIME_COUNT)
        w[2] = mul_add(&carry, u2, p1, carry, w[2]);
    else
        w[2] = mul_add(&carry, 1, carry, w[2], 0);
    w[3] += carry;
}

/* words_put - store the two lowest words of a window at any byte. */
STAGE_INLINE void words_put(char *z, const uint64_t *w)
{
    const uint64_t words[2] = {little(w[0]), little(w[1])};
    memcpy(z, words, sizeof words);
}

/*
 * window_run - add JOIN_RUN coefficients, given by mixed digits, l bits apart.
 *
 *   z      out  the l limbs that are complete, and two more
 *   whole  in   l >= 64: each coefficient completes a limb
 */
STAGE_INLINE void window_run(struct carry_window *window, uint64_t (*v)[JOIN_RUN], unsigned l, void *z, unsigned n_primes,
                             bool whole)
{
    uint64_t w[PRIME_TAIL_LIMBS];
    memcpy(w, window->word, sizeof w);
    unsigned at = 0; /* in bits */
    for (unsigned i = 0; i < JOIN_RUN; i++) {
        window_add(w, v, i, at % 8, n_primes);
        words_put((char *)z + at / 8, w);
        const unsigned next = at + l, bits = (next / 8 - at / 8) * 8; /* complete bits: 48 .. 96 */
        at = next;
        if (whole) {
            const unsigned r = bits - 64;
            w[0] = w[1] >> r | w[2] << 1 << (63 - r);
            w[1] = w[2] >> r | w[3] << 1 << (63 - r);
            w[2] = w[3] >> r;
            w[3] = 0;
        } else {
            w[0] = w[0] >> 1 >> (bits - 1) | w[1] << (64 - bits);
            w[1] = w[1] >> 1 >> (bits - 1) | w[2] << (64 - bits);
            w[2] = w[2] >> 1 >> (bits - 1) | w[3] << (64 - bits);
            w[3] = w[3] >> 1 >> (bits - 1);
        }
    }
    memcpy(window->word, w, sizeof w);
}

#ifdef VEC_IFMA
#include "prime/prime_join_ifma.h"
#else
/* groups_join - how many groups of rows it has joined at once: none, without 52-bit products. */
STAGE_INLINE size_t groups_join(const struct plan_shape *s, mp_limb_t *z, size_t zn, double *const *x, size_t j, size_t count,
                                mp_limb_t *tail)
{
    (void)s, (void)z, (void)zn, (void)x, (void)j, (void)count, (void)tail;
    return 0;
}
#endif

/*
 * run_join - join JOIN_RUN coefficients from j on.
 *
 *   last  in  the two limbs after them belong to another part
 */
STAGE_INLINE void run_join(const struct join *join, mp_limb_t *z, size_t zn, size_t j, bool last, struct carry_window *window,
                           unsigned n_primes)
{
    const struct plan_shape *s = join->shape;
    double *const *x = join->x;
    _Alignas(64) uint64_t v[PRIME_COUNT][JOIN_RUN];
    mp_limb_t limbs[PRIME_DIGIT_BITS_MAX + 2];
    const size_t l = s->digits.exponent, place = prime_place(s, j), n = zn < l ? zn : l;
    for (unsigned i = 0; i < JOIN_RUN; i += VEC_WIDTH) {
        const size_t from = place + i / PRIME_STRIP * SQUARE + i % PRIME_STRIP;
        for (unsigned k = 0; k < n_primes && i % PRIME_STRIP == 0; k++)
            __builtin_prefetch(x[k] + from + JOIN_AHEAD);
        mixed_digits(join, v, x, from, i, n_primes, true);
    }
    last |= zn < l + 2; /* the limbs after z belong to another part */
    if (l >= 64)
        window_run(window, v, s->digits.exponent, last ? limbs : z, n_primes, true);
    else
        window_run(window, v, s->digits.exponent, last ? limbs : z, n_primes, false);
    for (size_t i = 0; last && i < n; i++)
        z[i] = limbs[i];
    for (size_t i = 0; __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && i < n; i++)
        z[i] = little(z[i]);
}

/* runs_join - join the coefficients from `first` to before `end`. */
STAGE_INLINE void runs_join(const struct join *join, mp_limb_t *z, size_t zn, size_t first, size_t end, mp_limb_t *tail,
                            unsigned n_primes)
{
    const struct plan_shape *s = join->shape;
    struct carry_window window = {{0}};
    for (size_t j = first; j < end;) {
        const size_t groups = groups_join(s, z, zn, join->x, j, end - j, window.word);
        const size_t done = groups > 0 ? groups * PRIME_STRIP * s->transform.row_points : JOIN_RUN;
        const size_t limbs = done / 64 * s->digits.exponent, n = zn < limbs ? zn : limbs;
        if (groups == 0)
            run_join(join, z, zn, j, j + JOIN_RUN == end, &window, n_primes);
        j += done;
        z += n;
        zn -= n;
    }
    memcpy(tail, window.word, sizeof window.word);
}

static void residues_join(const struct plan_shape *s, mp_limb_t *z, size_t zn, double *const *x, size_t first, size_t count,
                          mp_limb_t *tail)
{
    assert(first % JOIN_RUN == 0 && count % JOIN_RUN == 0 && first + count <= s->transform.n_points);
    struct join join;
    join_begin(&join, s, x, s->transform.n_primes);
    if (s->transform.n_primes == PRIME_COUNT)
        runs_join(&join, z, zn, first, first + count, tail, PRIME_COUNT);
    else
        runs_join(&join, z, zn, first, first + count, tail, PRIME_COUNT - 1);
}

#endif
