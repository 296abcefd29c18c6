/*
 * prime_word_template.h - transforms of prime_ring.h modulo any prime p < 2^62: compiled once for each field of words.
 *
 * Included after a field header (prime_word_avx512.h, prime_word_avx2.h, prime_word_scalar.h) and the definition of word_mul,
 * which becomes ring_words_mul.  It defines `const struct prime_ops WORD_OPS`.
 */
#include "prime/prime_word_passes.h"
#include "prime/prime_lanes_walk.h"

/* ---- odd factors ---- */

/* odd_dft - sums over s of x[s] e(+- s t / odd).   x narrow to narrow */
LANES_INLINE void odd_dft(const struct lanes_field *f, lanes *x, unsigned odd, const uint64_t *dft)
{
    lanes sum[PRIME_ODD_MAX];
    for (unsigned t = 0; t < odd; t++) {
        sum[t] = x[0];
        for (unsigned s = 1; s < odd; s++) {
            const struct lanes_factor w = lanes_factor_of(dft + s * t % odd * FACTOR_WORDS);
            sum[t] = lanes_total(f, sum[t], t == 0 ? x[s] : lanes_mul(f, lanes_wide(f, x[s]), w));
        }
    }
    for (unsigned t = 0; t < odd; t++)
        x[t] = sum[t];
}

/* odd_turn - multiply point j of row t > 0 by e(+- t j / n).   x narrow to narrow */
LANES_INLINE lanes odd_turn(const struct lanes_field *f, const struct prime_ring *r, lanes x, unsigned t, size_t j, bool back)
{
    const uint64_t *vectors = r->integers.turn[back] + ((t - 1) * r->row_points + j) * FACTOR_WORDS;
    return lanes_mul(f, lanes_wide(f, x), lanes_factor_get(vectors));
}

/* odd_columns - part i of the DFTs across the rows, of residues below p.   false: a word of `from` is not below p */
LANES_TARGET static bool odd_columns(const struct prime_ring *r, uint64_t *x, const uint64_t *from, bool back, size_t i,
                                     size_t parts)
{
    const struct lanes_field f = lanes_field_of(r);
    const size_t m = r->row_points, vectors = m / LANES;
    lanes noted = lanes_of(0);
    for (size_t j = vectors * i / parts * LANES; j < vectors * (i + 1) / parts * LANES; j += LANES) {
        lanes v[PRIME_ODD_MAX];
        for (unsigned s = 0; s < r->odd; s++) {
            v[s] = lanes_get(from + s * m + j);
            noted = lanes_note(noted, v[s], f.p);
            if (back && s > 0)
                v[s] = odd_turn(&f, r, v[s], s, j, true);
            if (!back && s % 2 != 0 && r->negacyclic)
                v[s] = lanes_minus(&f, v[s]); /* the roots of -1 are the negatives of those of 1 */
        }
        odd_dft(&f, v, r->odd, r->integers.dft[back]);
        for (unsigned t = 0; t < r->odd; t++) {
            if (!back && t > 0)
                v[t] = odd_turn(&f, r, v[t], t, j, false);
            v[t] = narrow_residue(&f, v[t]);
            if (back && t % 2 != 0 && r->negacyclic)
                v[t] = narrow_residue(&f, lanes_minus(&f, v[t]));
            lanes_put(x + t * m + j, v[t]);
        }
    }
    return lanes_noted(noted, f.p);
}

RING_TASK(odd_columns_all, if (!odd_columns(j->r, j->x, j->from, j->back, i, j->parts)) j->bad = true)

static bool odd_pass(const struct prime_ring *r, uint64_t *x, const uint64_t *from, bool back, unsigned threads)
{
    const size_t parts = threads > 1 ? STEP_PARTS : 1;
    struct ring_job job = {.r = r, .x = x, .from = from, .back = back, .parts = parts};
    parallel_for(threads, parts, 1, odd_columns_all, &job);
    return !job.bad;
}

/* ---- whole transforms ---- */

static bool word_forward(const struct prime_ring *r, void *x, const void *from, unsigned threads)
{
    if (r->odd == 1)
        return words_forward(r, x, from, threads);
    bool good = odd_pass(r, x, from, false, threads);
    for (unsigned t = 0; good && t < r->odd; t++)
        good = words_forward(r, (uint64_t *)x + t * r->row_points, (uint64_t *)x + t * r->row_points, threads);
    return good;
}

static bool word_back(const struct prime_ring *r, void *z, void *x, const void *from, bool scale, unsigned threads)
{
    bool good = true;
    for (unsigned t = 0; good && t < r->odd; t++) {
        const size_t row = t * r->row_points;
        uint64_t *work = (uint64_t *)x + row;
        good = words_back(r, r->odd == 1 ? z : work, work, (const uint64_t *)from + row, scale, threads);
    }
    return r->odd == 1 ? good : good && odd_pass(r, z, x, true, threads);
}

/* word_test - see struct prime_ops. */
LANES_TARGET static void word_test(const struct prime_ring *r, uint64_t *mul, uint64_t *residue, const uint64_t *x,
                                   const uint64_t *w, size_t n)
{
    const struct lanes_field f = lanes_field_of(r);
    for (size_t i = 0; i < n; i += LANES) {
        uint64_t factors[FACTOR_WORDS * LANES];
        const lanes v = wide_place(&f, lanes_get(x + i));
        for (size_t j = 0; j < LANES; j++) {
            uint64_t one[FACTOR_WORDS];
            factor_put(one, w[i + j], r->prime.p);
            for (size_t k = 0; k < FACTOR_WORDS; k++)
                factors[k * LANES + j] = one[k];
        }
        lanes_put(residue + i, wide_residue(&f, v));
        lanes_put(mul + i, narrow_residue(&f, lanes_mul(&f, v, lanes_factor_get(factors))));
    }
}

extern const struct prime_ops WORD_OPS;
const struct prime_ops WORD_OPS = {
    .width = LANES,
    .factor_words = FACTOR_WORDS,
    .factor_put = factor_put,
    .word_test = word_test,
    .ring_words_forward = word_forward,
    .ring_words_back = word_back,
    .ring_words_mul = word_mul,
};
