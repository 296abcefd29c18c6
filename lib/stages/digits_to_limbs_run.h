/*
 * digits_to_limbs_run.h - runs of digits into limbs, for the field whose runs come before: limb_runs.h or dd_carry.h.
 */
#ifndef GFMUL_DIGITS_TO_LIMBS_RUN_H
#define GFMUL_DIGITS_TO_LIMBS_RUN_H

/* limbs_add_signed - z += c, zn limbs; returns the carry or borrow out as -1, 0, 1. */
STAGE_INLINE int64_t limbs_add_signed(mp_limb_t *z, size_t zn, int64_t c)
{
    const mp_limb_t before = z[0];
    z[0] += (mp_limb_t)c;
    if (c >= 0 ? z[0] >= before : z[0] <= before)
        return 0;
    for (size_t i = 1; i < zn; i++)
        if (c >= 0 ? ++z[i] != 0 : z[i]-- != 0)
            return 0;
    return c >= 0 ? 1 : -1;
}

static void digits_to_limbs_run(const struct plan *plan, mp_limb_t *z, size_t zn, const struct coefficient_range *from,
                                int64_t *carry, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned l = s->digits.exponent;
    _Alignas(64) double gathered[VEC_WIDTH][RUN_DOUBLES];
    mp_limb_t limbs[VEC_WIDTH][RUN_LIMBS_MAX];
    struct run_rule rule;
    run_seen seen;
    runs_start(&rule, &seen, plan);
    for (size_t j = 0; j < from->count; j += RUN_DIGITS * VEC_WIDTH) {
        _Alignas(64) int64_t c[VEC_WIDTH];
        const double *src[VEC_WIDTH];
        mp_limb_t *out[VEC_WIDTH];
        const size_t left = (from->count - j) / RUN_DIGITS, runs = left < VEC_WIDTH ? left : VEC_WIDTH;
        for (size_t k = 0; k < VEC_WIDTH; k++) {
            const size_t at = (j / RUN_DIGITS + k) * l;
            src[k] = k < runs ? run_place(s, from->x, from->first + j + k * RUN_DIGITS, gathered[k])
                              : idle_run(s, from->x, from->first + j);
            out[k] = k < runs && at + l <= zn ? z + at : limbs[k];
            c[k] = 0;
        }
        carry_runs(out, src, c, l, &rule, &seen);
        for (size_t k = 0; k < runs; k++) {
            const size_t at = (j / RUN_DIGITS + k) * l;
            *carry = c[k] + limbs_add_signed(out[k], l, *carry);
            if (out[k] == limbs[k] && at < zn)
                memcpy(z + at, limbs[k], (zn - at) * sizeof *z);
        }
    }
    runs_finish(&seen, plan, stats);
}

#endif
