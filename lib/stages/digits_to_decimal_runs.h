/*
 * digits_to_decimal_runs.h - rounded digits into decimal text, VEC_WIDTH runs of 64 digits at a time.
 *
 * Each lane carries through a run of its own, as in limb_runs.h, but in base B = 10^e, e = 1 .. 8, in doubles that hold
 * integers and halves of integers.  With h = (B - 1) / 2 and an integer s, u = s - h, the nearest integer to u / B is floor(s /
 * B), and u / B is at least 1 / (2 B) away from a tie.  The quotient is found as fl(u fl(1/B) + 1.5 2^52) - 1.5 2^52, one
 * rounding, so that fl(1/B) alone is in error: by |u| / B 2^-53 < 1 / (2 B), for |u| < 2^52.  Without FMA the rounded product
 * doubles that: |u| < 2^51.  Here |u| <= |v| + |carry| + h < 2^50 + 2^50 / (B - 1) + B < 2^51.  u - q B is a multiple of 1/2
 * below B, exact.
 */
#ifndef GFMUL_DIGITS_TO_DECIMAL_RUNS_H
#define GFMUL_DIGITS_TO_DECIMAL_RUNS_H

enum { MAX_DECIMAL_EXPONENT = 8, MAX_RUN_CHARS = RUN_DIGITS * MAX_DECIMAL_EXPONENT };

struct decimal {
    unsigned exponent;
    vec scale;
    vec base, inverse, half;
    vec pair_half; /* half (2^32 + 1) */
};

STAGE_INLINE struct decimal decimal_init(const struct plan *plan)
{
    const double b = (double)plan->shape.digits.digit_base, half = (b - 1) / 2;
    return (struct decimal){plan->shape.digits.exponent,  vec_set1(plan->scale), vec_set1(b), vec_set1(1 / b), vec_set1(half),
                            vec_set1(half * 4294967297.0)};
}

#define DECIMAL_MAGIC vec_set1(ROUND_MAGIC)

/* pair_chars - the eight characters of integers high, low < 10^4, in a lane, given high + 2^32 low. */
STAGE_INLINE vec_int pair_chars(vec pair)
{
    return vec_int_decimal(vec_int_from_magic(vec_add(pair, DECIMAL_MAGIC)));
}

/* words_turn - words of eight characters, word i of each lane at i * VEC_WIDTH, to where they belong before each lane's end. */
STAGE_INLINE void words_turn(char *const *end, const double *word, unsigned count)
{
    for (unsigned i = 0; i < count; i += VEC_WIDTH) {
        _Alignas(64) double t[VEC_WIDTH];
        vec m[VEC_WIDTH];
        for (unsigned k = 0; k < VEC_WIDTH; k++)
            m[k] = vec_load(word + (i + VEC_WIDTH - 1 - k) * VEC_WIDTH);
        vec_transpose(m);
        for (unsigned k = 0; k < VEC_WIDTH; k++) {
            vec_store(t, m[k]);
            memcpy(end[k] - 8 * (i + VEC_WIDTH), t, sizeof t);
        }
    }
}

/*
 * words_overlap - the last e of each word's eight characters, one word a digit.  The next digit's word overwrites the characters
 * before them, except for the first ones of the run.
 */
STAGE_INLINE void words_overlap(char *const *end, const double *word, unsigned e)
{
    for (unsigned k = 0; k < VEC_WIDTH; k++) {
        unsigned i = 0;
        for (; i * e + 8 <= RUN_DIGITS * e; i++)
            memcpy(end[k] - i * e - 8, word + i * VEC_WIDTH + k, 8);
        for (; i < RUN_DIGITS; i++)
            memcpy(end[k] - (i + 1) * e, (const char *)(word + i * VEC_WIDTH + k) + 8 - e, e);
    }
}

/*
 * decimal_runs - one run a lane.
 *
 *   end    out    per lane the end of its 64 e characters
 *   src    in     per lane the first half block of its run; half blocks are BLOCK_DOUBLES apart
 *   carry  inout  per lane the carry in, an integer, |carry| <= 2^50, and out
 * pairs: e is 4, and two digits make a word; else each makes one of its own.
 */
STAGE_INLINE void decimal_runs(char *const *end, const double *const *src, double *carry, const struct decimal *dec, bool pairs,
                               struct round_seen *result)
{
    _Alignas(64) double word[RUN_DIGITS * VEC_WIDTH];
    __asm__("" : "=m"(word)); /* 64 digits store just the words that are turned, which link-time optimizers do not see */
    vec c = vec_load(carry), low = vec_set1(0.0);
    struct round_seen seen = *result; /* in registers */
    unsigned w = 0;
    for (unsigned at = 0; at < BLOCK_DOUBLES * PLAN_BLOCK; at += BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            vec m[VEC_WIDTH];
            round_turned(m, src, at + h, h, dec->scale, DECIMAL_MAGIC, &seen);
            for (unsigned k = 0; k < VEC_WIDTH; k++) {
                const vec v = vec_sub(m[k], DECIMAL_MAGIC);
                const vec u = vec_add(vec_sub(v, dec->half), c);
                c = vec_sub(vec_fma(u, dec->inverse, DECIMAL_MAGIC), DECIMAL_MAGIC);
                const vec d = vec_fnma(c, dec->base, u); /* the digit less h */
                vec pair;
                if (pairs) {
                    if ((h + k) % 2 == 0) {
                        low = d;
                        continue;
                    }
                    pair = vec_add(vec_fma(low, vec_set1(4294967296.0), d), dec->pair_half);
                } else {
                    const vec digit = vec_add(d, dec->half), x = vec_sub(digit, vec_set1(4999.5));
                    const vec high = vec_sub(vec_fma(x, vec_set1(1e-4), DECIMAL_MAGIC), DECIMAL_MAGIC);
                    pair = vec_fma(vec_fnma(high, vec_set1(1e4), digit), vec_set1(4294967296.0), high);
                }
                vec_int_store((int64_t *)(void *)(word + w++ * VEC_WIDTH), pair_chars(pair));
            }
        }
    }
    vec_store(carry, c);
    *result = seen;
    if (pairs)
        words_turn(end, word, RUN_DIGITS / 2);
    else
        words_overlap(end, word, dec->exponent);
}

/* Runs, one a lane: lanes from `runs` on have none. */
struct decimal_lanes {
    size_t runs;
    size_t at[VEC_WIDTH];         /* how many characters lie behind the run */
    const double *src[VEC_WIDTH]; /* src and carry of decimal_runs */
    _Alignas(64) double carry[VEC_WIDTH];
};

/* decimal_rows - decimal_runs of lanes into a number of zn characters; what reaches beyond zn is dropped. */
STAGE_INLINE void decimal_rows(char *z, size_t zn, struct decimal_lanes *lanes, const struct decimal *dec,
                               struct round_seen *seen)
{
    const size_t *at = lanes->at, runs = lanes->runs;
    const size_t chars = (size_t)RUN_DIGITS * dec->exponent;
    char text[VEC_WIDTH][MAX_RUN_CHARS];
    char *end[VEC_WIDTH];
    for (size_t k = 0; k < VEC_WIDTH; k++) {
        end[k] = k < runs && at[k] + chars <= zn ? z + (zn - at[k]) : text[k] + chars;
        for (size_t i = 1; i <= chars; i += 64) /* the text is stored in one go, at the end */
            __builtin_prefetch(end[k] - i, 1);
        __builtin_prefetch(end[k] - chars, 1);
    }
    if (dec->exponent == 4)
        decimal_runs(end, lanes->src, lanes->carry, dec, true, seen);
    else
        decimal_runs(end, lanes->src, lanes->carry, dec, false, seen);
    for (size_t k = 0; k < runs; k++)
        if (end[k] == text[k] + chars && at[k] < zn)
            memcpy(z, end[k] - (zn - at[k]), zn - at[k]);
}

static void digits_to_decimal_runs(const struct plan *plan, char *z, size_t zn, const struct coefficient_range *from,
                                   double *carry, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const struct decimal dec = decimal_init(plan);
    _Alignas(64) double gathered[VEC_WIDTH][RUN_DOUBLES];
    struct round_seen seen;
    round_start(&seen);
    for (size_t j = 0; j < from->count; j += RUN_DIGITS * VEC_WIDTH) {
        struct decimal_lanes lanes;
        const size_t left = (from->count - j) / RUN_DIGITS, runs = left < VEC_WIDTH ? left : VEC_WIDTH;
        lanes.runs = runs;
        for (size_t k = 0; k < VEC_WIDTH; k++) {
            const size_t digit = from->first + j + (k < runs ? k : 0) * RUN_DIGITS;
            lanes.at[k] = digit * s->digits.exponent;
            lanes.src[k] = k < runs ? run_place(s, from->x, digit, gathered[k]) : zero_run;
            lanes.carry[k] = 0;
        }
        decimal_rows(z, zn, &lanes, &dec, &seen);
        memcpy(carry + j / RUN_DIGITS, lanes.carry, runs * sizeof *carry);
    }
    round_finish(&seen, plan->scale, stats);
}

#endif
