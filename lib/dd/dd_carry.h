/*
 * dd_carry.h - coefficients of up to 98 bits rounded, carried and packed into limbs, VEC_WIDTH runs of 64 digits at a time.
 *
 * A coefficient h + l, |h + l| < 2^98, is rounded in two pieces, high 2^48 + low: high = round(h 2^-48), h - high 2^48 is exact,
 * and with l it is split into integers and fractions of at most 1/2 each, whose sum is rounded last.  The digits have at most 46
 * bits, so that those of high lie above them: with a carry c, |c| < 2^61,
 *
 *     digit = (low + c) mod 2^l        carry = floor((low + c) / 2^l) + high 2^(48 - l)
 */
#ifndef GFMUL_DD_CARRY_H
#define GFMUL_DD_CARRY_H

enum { RUN_DIGITS = 64, RUN_LIMBS_MAX = DD_DIGIT_BITS + 1, RUN_DOUBLES = 1, HIGH_BITS = 48 };

/* What has been seen, lane by lane; sum is NaN once a coefficient was NaN or infinite. */
struct dd_seen {
    vec error, value, sum;
};

STAGE_INLINE void dd_round_start(struct dd_seen *seen)
{
    seen->error = seen->value = seen->sum = vec_set1(0.0);
}

STAGE_INLINE void dd_round_finish(const struct dd_seen *seen, struct round_stats *stats)
{
    _Alignas(64) double error[VEC_WIDTH], value[VEC_WIDTH], sum[VEC_WIDTH];
    vec_store(error, seen->error);
    vec_store(value, seen->value);
    vec_store(sum, seen->sum);
    for (unsigned k = 0; k < VEC_WIDTH; k++) {
        const bool finite = sum[k] - sum[k] == 0;
        round_stats_raise(stats, &(struct round_stats){finite ? error[k] : HUGE_VAL, finite ? value[k] : HUGE_VAL, {0}});
    }
    for (unsigned c = 0; c < PLAN_ENERGY_CLASSES; c++) /* not summed up */
        stats->energy[c] = HUGE_VAL;
}

/* What coefficients are multiplied by: 1/n, a power of two where exact. */
struct dd_scale {
    struct ddv v;
    bool exact;
};

STAGE_INLINE struct dd_scale dd_scale_of(const struct plan *plan)
{
    return (struct dd_scale){{vec_set1(plan->scale), vec_set1(plan->scale_rest)}, plan->scale_exact};
}

/* dd_round - scale and round; the integers are in *high, *low. */
STAGE_INLINE void dd_round(vec h, vec l, const struct dd_scale *scale, vec_int *high, vec_int *low, struct dd_seen *seen)
{
    const vec magic = vec_set1(6755399441055744.0); /* 1.5 * 2^52 */
    if (scale->exact) {
        h = vec_mul(h, scale->v.h);
        l = vec_mul(l, scale->v.h);
    } else {
        const struct ddv v = dd_mul((struct ddv){h, l}, scale->v);
        h = v.h;
        l = v.l;
    }
    const vec top = vec_add(vec_mul(h, vec_set1(0x1p-48)), magic), rest = vec_fnma(vec_sub(top, magic), vec_set1(0x1p48), h);
    const vec m = vec_add(rest, magic), n = vec_add(l, magic); /* |rest| <= 2^47, |l| <= 2^45 */
    const vec fraction = vec_add(vec_sub(rest, vec_sub(m, magic)), vec_sub(l, vec_sub(n, magic)));
    const vec f = vec_add(fraction, magic), error = vec_sub(fraction, vec_sub(f, magic));
    *high = vec_int_from_magic(top);
    *low = vec_int_add(vec_int_add(vec_int_from_magic(m), vec_int_from_magic(n)), vec_int_from_magic(f));
    seen->error = vec_max_abs(error, seen->error);
    seen->value = vec_max_abs(h, seen->value);
    seen->sum = vec_add(error, seen->sum);
}

/* As in limb_runs.h. */
struct run_rule {
    struct dd_scale scale;
};
typedef struct dd_seen run_seen;

STAGE_INLINE void runs_start(struct run_rule *rule, run_seen *seen, const struct plan *plan)
{
    rule->scale = dd_scale_of(plan);
    dd_round_start(seen);
}

STAGE_INLINE void runs_finish(const run_seen *seen, const struct plan *plan, struct round_stats *stats)
{
    (void)plan;
    dd_round_finish(seen, stats);
}

/*
 * carry_runs - one run a lane.
 *
 *   out    out    per lane l limbs
 *   src    in     per lane the first part of its run's first digit; groups of eight digits are GROUP_DOUBLES apart
 *   carry  inout  per lane the carry in, |carry| < 2^61, and out
 */
STAGE_INLINE void carry_runs(mp_limb_t *const *out, const double *const *src, int64_t *carry, unsigned l,
                             const struct run_rule *rule, run_seen *seen)
{
    _Alignas(64) int64_t word[(DD_DIGIT_BITS + 1) * VEC_WIDTH];
    __asm__("" : "=m"(word)); /* 64 digits of l bits store just w = l words, which optimizers do not see */
    const uint64_t above[2] = {HIGH_BITS - l, 0}; /* the high part of a coefficient, in units of the next digit */
    const vec_int zero = vec_int_set1(0);
    vec_int c = vec_int_load(carry), acc = zero;
    unsigned n_bits = 0, w = 0;
    for (size_t at = 0; at < (size_t)GROUP_DOUBLES * PLAN_BLOCK; at += GROUP_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            vec first[VEC_WIDTH], second[VEC_WIDTH];
            lanes_turn(first, src, at + h);
            lanes_turn(second, src, at + h + 2 * PLAN_BLOCK);
            for (unsigned k = 0; k < VEC_WIDTH; k++) {
                vec_int high, low;
                dd_round(first[k], second[k], &rule->scale, &high, &low, seen);
                const vec_int t = vec_int_add(low, c);
                const uint64_t step[2] = {n_bits, ((uint64_t)1 << n_bits) - 1};
                c = vec_int_add(vec_int_sra(t, l), vec_int_insert(zero, high, above));
                acc = vec_int_insert(acc, t, step); /* what lies above the digit's l bits is written over by the next one */
                n_bits += l;
                if (n_bits >= 64) {
                    vec_int_store(word + w++ * VEC_WIDTH, acc);
                    n_bits -= 64;
                    const uint64_t left = l - n_bits;
                    acc = vec_int_srl(t, &left);
                }
            }
        }
    }
    vec_int_store(carry, c);
    for (unsigned i = 0; i < w; i++)
        for (unsigned k = 0; k < VEC_WIDTH; k++)
            out[k][i] = (mp_limb_t)word[i * VEC_WIDTH + k];
}

/* run_place, idle_run - as in limb_runs.h; an idle lane repeats the first lane's run, into nothing. */
STAGE_INLINE const double *run_place(const struct plan_shape *s, const double *x, size_t j, double *buf)
{
    (void)buf;
    return x + dd_digit_place(s, j);
}

STAGE_INLINE const double *idle_run(const struct plan_shape *s, const double *x, size_t j)
{
    return run_place(s, x, j, NULL);
}

static void digits_round(const struct plan *plan, struct dd_rounded *v, const double *x, size_t first, size_t count,
                         struct round_stats *stats)
{
    const struct dd_scale scale = dd_scale_of(plan);
    struct dd_seen seen;
    dd_round_start(&seen);
    for (size_t j = 0; j < count; j += PLAN_BLOCK) {
        _Alignas(64) int64_t high[PLAN_BLOCK], low[PLAN_BLOCK];
        const double *p = x + dd_digit_place(&plan->shape, first + j);
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            vec_int a, b;
            dd_round(vec_load(p + h), vec_load(p + 2 * PLAN_BLOCK + h), &scale, &a, &b, &seen);
            vec_int_store(high + h, a);
            vec_int_store(low + h, b);
        }
        for (unsigned k = 0; k < PLAN_BLOCK; k++)
            v[j + k] = (struct dd_rounded){high[k], low[k]};
    }
    dd_round_finish(&seen, stats);
}

#endif
