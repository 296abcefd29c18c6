/*
 * halves.h - radix 8 for instruction sets of sixteen registers, which hold the points of half of its slots.
 *
 * The operations are those of radix_forward and radix_inverse, so no bit differs, but four slots wait in memory while the other
 * four are worked on.  Explicit stores and loads tell the compiler where to exchange them; left to itself it keeps all of them in
 * registers, and spills twice as much.   Used if the vector header defines VEC_HALVES.
 */
#ifndef GFMUL_HALVES_H
#define GFMUL_HALVES_H

/* Where the slots are: slot s of a vector at p + s * stride, or turned: in column s of VEC_WIDTH blocks, from p on. */
struct slots {
    const double *p;
    size_t stride;
    bool turned;
};

/* slots_pair - slots s and s + 1. */
STAGE_INLINE void slots_pair(vec *r, vec *i, const struct slots *in, unsigned s)
{
    if (in->turned) {
        vec_load_columns(r, in->p + s, BLOCK_DOUBLES);
        vec_load_columns(i, in->p + PLAN_BLOCK + s, BLOCK_DOUBLES);
        return;
    }
    for (unsigned k = 0; k < 2; k++) {
        r[k] = vec_load(in->p + (s + k) * in->stride);
        i[k] = vec_load(in->p + (s + k) * in->stride + PLAN_BLOCK);
    }
}

/* Four slots that wait. */
struct half_slots {
    _Alignas(64) double r[4 * VEC_WIDTH], i[4 * VEC_WIDTH];
};

STAGE_INLINE void half_put(struct half_slots *h, unsigned s, vec r, vec i)
{
    vec_store(h->r + s * VEC_WIDTH, r);
    vec_store(h->i + s * VEC_WIDTH, i);
}

STAGE_INLINE void half_get(const struct half_slots *h, unsigned s, vec *r, vec *i)
{
    *r = vec_load(h->r + s * VEC_WIDTH);
    *i = vec_load(h->i + s * VEC_WIDTH);
}

#define HALF_IN_MEMORY(h) __asm__("" : "+m"(*(h)))

/* half_store - slots first .. first + 3 into out + slot * stride, multiplied by what is there in `times`, if not NULL. */
STAGE_INLINE void half_store(double *out, size_t stride, unsigned first, const vec *r, const vec *i, const double *times)
{
    for (unsigned s = 0; s < 4; s++) {
        const size_t at = (first + s) * stride;
        vec x = r[s], y = i[s];
        if (times)
            complex_mul(&x, &y, vec_load(times + at), vec_load(times + at + PLAN_BLOCK));
        vec_store(out + at, x);
        vec_store(out + at + PLAN_BLOCK, y);
    }
}

/* halves_forward_rest - behind the first level, its lower slots in r and i, the others in upper. */
STAGE_INLINE void halves_forward_rest(double *out, size_t stride, vec *r, vec *i, const double *times, struct half_slots *upper,
                                      const struct twiddle *w)
{
    HALF_IN_MEMORY(upper);
    STEP(step, 0, 2, w[1]);
    STEP(step, 1, 3, w[1]);
    STEP(step, 0, 1, w[2]);
    STEP(step_i, 2, 3, w[2]);
    half_store(out, stride, 0, r, i, times);
    for (unsigned s = 0; s < 4; s++)
        half_get(upper, s, r + s, i + s);
    STEP(step_i, 0, 2, w[1]);
    STEP(step_i, 1, 3, w[1]);
    STEP(step_i, 0, 1, w[3]);
    STEP(step_minus, 2, 3, w[3]);
    half_store(out, stride, 4, r, i, times);
}

/* halves_forward - radix_forward of 8 slots into out + s * stride; times as in half_store. */
STAGE_INLINE void halves_forward(double *out, size_t stride, const struct slots *in, const double *times, const struct twiddle *w)
{
    struct half_slots upper;
    vec r[4], i[4];
    for (unsigned s = 0; s < 4; s += 2) {
        vec br[2], bi[2];
        slots_pair(br, bi, in, s + 4);
        slots_pair(r + s, i + s, in, s);
        for (unsigned k = 0; k < 2; k++) {
            step(r + s + k, i + s + k, br + k, bi + k, w[0]);
            half_put(&upper, s + k, br[k], bi[k]);
        }
    }
    halves_forward_rest(out, stride, r, i, times, &upper, w);
}

/* halves_forward_real - radix_forward_real of the 8 slots of r into out + s * stride. */
STAGE_INLINE void halves_forward_real(double *out, size_t stride, vec *r, const struct twiddle *w)
{
    struct half_slots upper;
    vec i[4];
    for (unsigned s = 0; s < 4; s++) {
        const vec a = r[s], b = r[s + 4];
        i[s] = vec_mul(w[0].c, vec_mul(w[0].tau, b));
        r[s] = vec_fma(w[0].c, b, a);
        half_put(&upper, s, vec_fnma(w[0].c, b, a), vec_neg(i[s]));
    }
    halves_forward_rest(out, stride, r, i, NULL, &upper, w);
}

/* halves_inverse - radix_inverse of 8 slots into out + s * stride. */
STAGE_INLINE void halves_inverse(double *out, size_t stride, const struct slots *in, const struct twiddle *w)
{
    struct half_slots upper;
    vec r[4], i[4];
    slots_pair(r, i, in, 4);
    slots_pair(r + 2, i + 2, in, 6);
    STEP(unstep_i, 0, 1, w[3]);
    STEP(unstep_minus, 2, 3, w[3]);
    STEP(unstep_i, 0, 2, w[1]);
    STEP(unstep_i, 1, 3, w[1]);
    for (unsigned s = 0; s < 4; s++)
        half_put(&upper, s, r[s], i[s]);
    HALF_IN_MEMORY(&upper);
    slots_pair(r, i, in, 0);
    slots_pair(r + 2, i + 2, in, 2);
    STEP(unstep, 0, 1, w[2]);
    STEP(unstep_i, 2, 3, w[2]);
    STEP(unstep, 0, 2, w[1]);
    STEP(unstep, 1, 3, w[1]);
    for (unsigned s = 0; s < 4; s++) {
        vec br, bi;
        half_get(&upper, s, &br, &bi);
        unstep(r + s, i + s, &br, &bi, w[0]);
        vec_store(out + s * stride, r[s]);
        vec_store(out + s * stride + PLAN_BLOCK, i[s]);
        vec_store(out + (s + 4) * stride, br);
        vec_store(out + (s + 4) * stride + PLAN_BLOCK, bi);
    }
}

#endif
