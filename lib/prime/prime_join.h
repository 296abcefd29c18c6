/*
 * prime_join.h - the Chinese remainder theorem and the carry in one.  Part of prime_template.h.
 *
 * Garner's mixed digits: c = v1 + p1 (v2 + p2 (v3 + p3 v4)), from the residues r1 .. r4:
 *     v1 = r1,  v2 = (r2 - v1) / p1,  v3 = ((r3 - v1) / p1 - v2) / p2,  ..       each modulo its own prime
 * All but the last one are taken between 0.12 p and 1.88 p.  The last one, v, is at most p / 2 (1 + 2^-40) in size: then c is
 * right if 0 <= c < p1 p2 p3 (p4 / 2 (1 - 2^-40) - 2).   v is above -2, so that v + 2 is taken, and 2 p1 p2 p3 subtracted.
 */
#ifndef GFMUL_PRIME_JOIN_H
#define GFMUL_PRIME_JOIN_H

enum { JOIN_RUN = 64 };

/* The constants of the theorem for a number of primes. */
struct join {
    unsigned n_primes;
    struct field f[PRIME_COUNT];
    struct field_factor inverse[PRIME_COUNT][PRIME_COUNT]; /* [i][j]: 1 / p_j modulo p_i */
    uint64_t weight[PRIME_COUNT][PRIME_COUNT - 1];         /* p1 .. p_i in words */
    uint64_t less[PRIME_COUNT];                            /* - 2 p1 .. p_(n-1) in words, modulo 2^256 */
};

static void join_begin(struct join *join, unsigned n_primes)
{
    memset(join, 0, sizeof *join);
    join->n_primes = n_primes;
    join->weight[0][0] = 1;
    for (unsigned i = 0; i < n_primes; i++) {
        const uint64_t p = prime_table[i].p;
        join->f[i] = field_of(&prime_table[i]);
        for (unsigned j = 0; j < i; j++) {
            const double w = prime_balanced(prime_inverse(prime_table[j].p % p, p), p);
            join->inverse[i][j] = field_set((const double[]){w, w / (double)p});
        }
        for (unsigned k = 0; i + 1 < n_primes && k + 1 < PRIME_COUNT; k++) { /* times p */
            const unsigned __int128 word = (unsigned __int128)join->weight[i][k] * p + (k > 0 ? join->weight[i + 1][k] : 0);
            join->weight[i + 1][k] = (uint64_t)word;
            if (k + 2 < PRIME_COUNT)
                join->weight[i + 1][k + 1] = (uint64_t)(word >> 64);
        }
    }
    uint64_t borrow = 0;
    for (unsigned k = 0; k < PRIME_COUNT; k++) {
        const uint64_t *m = join->weight[n_primes - 1];
        const uint64_t twice = (k < PRIME_COUNT - 1 ? m[k] << 1 : 0) | (k > 0 ? m[k - 1] >> 63 : 0);
        join->less[k] = 0 - twice - borrow;
        borrow = (twice | borrow) != 0;
    }
}

/* mixed_digits - of VEC_WIDTH coefficients.   |x| <= 1.68 */
STAGE_INLINE void mixed_digits(const struct join *join, uint64_t (*v)[JOIN_RUN], double *const *x, size_t from, size_t to,
                               unsigned n_primes)
{
    vec digit[PRIME_COUNT];
#pragma GCC unroll 4
    for (unsigned i = 0; i < n_primes; i++) {
        const struct field *f = &join->f[i];
        vec r = vec_load(x[i] + from);
#pragma GCC unroll 4
        for (unsigned j = 0; j < i; j++)
            r = field_mul(f, vec_sub(r, digit[j]), join->inverse[i][j]); /* digits are 1.88 p_j <= 2.1 p_i; 3.8 -> 0.69, 0.88 */
        if (i == 0 || i + 1 == n_primes)
            r = field_reduce(f, r);
        digit[i] = vec_add(r, i + 1 < n_primes ? f->p : vec_set1(2.0));
        vec_int_store((int64_t *)&v[i][to], vec_int_from_magic(vec_add(digit[i], vec_set1(FIELD_MAGIC))));
    }
}

/* A number of limbs that coefficients are added to, and where the next one begins. */
struct carry_window {
    uint64_t word[PRIME_TAIL_LIMBS];
    unsigned at; /* bits, 0 .. 63 */
};

/* window_add - the coefficient with the mixed digits v[][i]; the limbs that are complete go to z. */
STAGE_INLINE size_t window_add(struct carry_window *window, const struct join *join, uint64_t (*v)[JOIN_RUN], unsigned i,
                               unsigned l, mp_limb_t *z, size_t zn, size_t done)
{
    typedef unsigned __int128 wide;
    const uint64_t v0 = v[0][i], v1 = v[1][i], v2 = v[2][i], v3 = v[3][i];
    const uint64_t(*m)[PRIME_COUNT - 1] = join->weight;
    const wide low = (wide)v1 * m[1][0] + (wide)v2 * m[2][0] + (wide)v3 * m[3][0] + v0 + join->less[0]; /* < 2^117 */
    const wide middle = (wide)v2 * m[2][1] + (wide)v3 * m[3][1] + join->less[1] + (uint64_t)(low >> 64);
    const wide high = (wide)v3 * m[3][2] + join->less[2] + (uint64_t)(middle >> 64);
    const uint64_t top = join->less[3] + (uint64_t)(high >> 64);
    /* shifted to its place: 200 bits and 63 */
    const unsigned at = window->at, back = 63 - at;
    const uint64_t c0 = (uint64_t)low, c1 = (uint64_t)middle, c2 = (uint64_t)high;
    const wide a = (wide)(c1 << at | c0 >> 1 >> back) << 64 | c0 << at;
    const wide b = (wide)(top << at | c2 >> 1 >> back) << 64 | (c2 << at | c1 >> 1 >> back);
    const wide old_a = (wide)window->word[1] << 64 | window->word[0], old_b = (wide)window->word[3] << 64 | window->word[2];
    const wide sum_a = old_a + a, half_b = old_b + b, sum_b = half_b + (sum_a < a);
    uint64_t words[PRIME_TAIL_LIMBS + 1] = {(uint64_t)sum_a, (uint64_t)(sum_a >> 64), (uint64_t)sum_b, (uint64_t)(sum_b >> 64)};
    words[4] = window->word[4] + (top >> 1 >> back) + (half_b < b) + (sum_b < half_b);
    words[5] = 0;
    const unsigned next = at + l, whole = next / 64; /* 0, 1 or 2 limbs are complete */
    for (unsigned k = 0; k < whole; k++) {
        if (done < zn)
            z[done] = words[k];
        done++;
    }
    window->at = next % 64;
    window->word[0] = words[whole];
    window->word[1] = words[whole + 1];
    window->word[2] = words[whole + 2];
    window->word[3] = words[whole + 3];
    window->word[4] = whole <= 1 ? words[whole + 4] : 0;
    return done;
}

static void residues_join(const struct prime_shape *s, mp_limb_t *z, size_t zn, double *const *x, size_t first, size_t count,
                          mp_limb_t *tail)
{
    struct join join;
    struct carry_window window = {.at = 0};
    _Alignas(64) uint64_t v[PRIME_COUNT][JOIN_RUN];
    size_t done = 0;
    join_begin(&join, s->n_primes);
    memset(v, 0, sizeof v);
    assert(first % JOIN_RUN == 0 && count % JOIN_RUN == 0 && first + count <= s->n_points);
    for (size_t j = first; j < first + count; j += JOIN_RUN) {
        const size_t from = j / s->row_points * s->row_stride + j % s->row_points;
        for (unsigned i = 0; i < JOIN_RUN; i += VEC_WIDTH) {
            if (s->n_primes == PRIME_COUNT)
                mixed_digits(&join, v, x, from + i, i, PRIME_COUNT);
            else
                mixed_digits(&join, v, x, from + i, i, PRIME_COUNT - 1);
        }
        for (unsigned i = 0; i < JOIN_RUN; i++)
            done = window_add(&window, &join, v, i, s->digit_bits, z, zn, done);
    }
    assert(window.at == 0);
    memcpy(tail, window.word, sizeof window.word);
}

#endif
