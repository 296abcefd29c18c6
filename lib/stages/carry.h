/*
 * carry.h - rounded digits into limbs, VEC_WIDTH runs of 64 digits at a time.
 *
 * A run of 64 digits of l bits fills l limbs, whatever l is.  Each lane carries through a run of its own: the digits are
 * turned so that vector j holds digit j of every run.
 */
#ifndef GFMUL_CARRY_H
#define GFMUL_CARRY_H

enum { RUN_DIGITS = 64, MAX_DIGIT_BITS = 30 };

/*
 * Where the digits of a run begin in their limbs, and what is added to a limb that is the sum of values as round_raw leaves them.
 *
 * With r_j the rounded values and c_j the carry behind the j-th, t_j = r_j + c_(j-1) = d_j + 2^l c_j, 0 <= d_j < 2^l.  Limb w is,
 * modulo 2^64, the sum of its r_j 2^n, n the place of digit j, and of t >> (l - k) of the digit before, k the first place: the k
 * bits of that digit that are left over, and its carry where the next digit begins.  So no digit has to be cut out of a t.
 */
struct run_steps {
    uint64_t place[RUN_DIGITS];
    uint64_t limb[MAX_DIGIT_BITS];
};

/* Carries go about as c + CARRY_BIAS, for a shift that knows no signs: |c| < 2^61, |t| < 2^62. */
#define CARRY_BIAS (UINT64_C(1) << 62)

STAGE_INLINE void run_steps_init(struct run_steps *r, unsigned l)
{
    uint64_t sum = 0;
    unsigned w = 0;
    for (unsigned j = 0; j < RUN_DIGITS; j++) {
        const unsigned n = j * l % 64;
        r->place[j] = n;
        sum += (uint64_t)ROUND_RAW << n;
        if (n + l >= 64) {
            r->limb[w++] = 0 - sum;
            sum = CARRY_BIAS >> (64 - n);
        }
    }
}

/*
 * carry_runs - one run a lane.
 *
 *   out    out    per lane l limbs
 *   src    in     per lane the first half block of its run; half blocks are BLOCK_DOUBLES apart
 *   carry  inout  per lane the carry in, |carry| < 2^61, and out
 */
#pragma GCC diagnostic push
#ifndef __clang__                                      /* which has no such warning */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* 64 digits of l bits store just w = l words */
#endif
STAGE_INLINE void carry_runs(mp_limb_t *const *out, const double *const *src, int64_t *carry, unsigned l,
                             const struct run_steps *steps, vec scale, struct round_seen *result)
{
    _Alignas(64) double word[(MAX_DIGIT_BITS + 8) * VEC_WIDTH];
    const uint64_t *place = steps->place;
    /* c: the carry, biased, less what round_raw adds; t >> l is c + (CARRY_BIAS >> l) */
    const vec_int again = vec_int_set1((int64_t)(CARRY_BIAS - (CARRY_BIAS >> l) - ROUND_RAW));
    vec_int acc = vec_int_load(carry), c = vec_int_add(acc, vec_int_set1((int64_t)(CARRY_BIAS - ROUND_RAW)));
    struct round_seen seen = *result; /* in registers */
    unsigned w = 0, n_bits = 0;
    for (unsigned at = 0; at < BLOCK_DOUBLES * PLAN_BLOCK; at += BLOCK_DOUBLES) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            vec m[VEC_WIDTH];
            for (unsigned k = 0; k < VEC_WIDTH; k++)
                m[k] = vec_load(src[k] + at + h);
            vec_transpose(m);
            for (unsigned k = 0; k < VEC_WIDTH; k++) {
                const vec_int r = round_raw(m[k], scale, h + k, &seen), t = vec_int_add(r, c);
                c = vec_int_add(vec_int_srl(t, l), again);
                acc = vec_int_add(acc, vec_int_sll(r, place++));
                n_bits += l;
                if (n_bits >= 64) {
                    acc = vec_int_add(acc, vec_int_set1((int64_t)steps->limb[w]));
                    vec_int_store((int64_t *)(void *)(word + w++ * VEC_WIDTH), acc);
                    n_bits -= 64;
                    acc = vec_int_srl(t, l - n_bits);
                }
            }
        }
    }
    vec_int_store(carry, vec_int_add(c, vec_int_set1((int64_t)(ROUND_RAW - CARRY_BIAS))));
    *result = seen;
    for (unsigned i = 0; i < w; i += VEC_WIDTH) { /* turn the words back */
        vec m[VEC_WIDTH];
        for (unsigned k = 0; k < VEC_WIDTH; k++)
            m[k] = vec_load(word + (i + k) * VEC_WIDTH);
        vec_transpose(m);
        for (unsigned k = 0; k < VEC_WIDTH; k++)
            vec_store_part((double *)(void *)(out[k] + i), m[k], w - i < VEC_WIDTH ? w - i : VEC_WIDTH);
    }
}

#pragma GCC diagnostic pop

/* What lanes without a run of their own read. */
static const _Alignas(64) double zero_run[BLOCK_DOUBLES * PLAN_BLOCK];

/* run_place - the first half block of the run that begins with digit j, in place or (one-for-half) gathered into buf. */
STAGE_INLINE const double *run_place(const struct plan_shape *s, const double *x, size_t j, double *buf)
{
    size_t point;
    if (s->transform.packing != GFMUL_PACKING_ONE_FOR_HALF)
        return digit_place(s, x, DIGIT_PART_A, j, &point);
    const double *p = x + plan_point_offset(s, j / 2);
    for (unsigned k = 0; k < RUN_DIGITS; k++)
        buf[k / 8 * BLOCK_DOUBLES + k % 8] = p[k / 16 * BLOCK_DOUBLES + k % 2 * PLAN_BLOCK + k % 16 / 2];
    return buf;
}

static void digits_to_limbs_run(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, size_t first, size_t count,
                                int64_t *carry, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned l = s->digits.exponent;
    const vec scale = vec_set1(plan->scale);
    _Alignas(64) double gathered[VEC_WIDTH][BLOCK_DOUBLES * PLAN_BLOCK];
    mp_limb_t limbs[VEC_WIDTH][MAX_DIGIT_BITS];
    struct run_steps steps;
    struct round_seen seen;
    run_steps_init(&steps, l);
    round_start(&seen);
    for (size_t j = 0; j < count; j += RUN_DIGITS * VEC_WIDTH) {
        _Alignas(64) int64_t c[VEC_WIDTH];
        const double *src[VEC_WIDTH];
        mp_limb_t *out[VEC_WIDTH];
        const size_t runs = (count - j) / RUN_DIGITS < VEC_WIDTH ? (count - j) / RUN_DIGITS : VEC_WIDTH;
        for (size_t k = 0; k < VEC_WIDTH; k++) { /* lanes beyond the end have zeros, which go into nothing */
            const size_t at = (j / RUN_DIGITS + k) * l;
            src[k] = k < runs ? run_place(s, x, first + j + k * RUN_DIGITS, gathered[k]) : zero_run;
            out[k] = k < runs && at + l <= zn ? z + at : limbs[k];
            c[k] = 0;
        }
        carry_runs(out, src, c, l, &steps, scale, &seen);
        for (size_t k = 0; k < runs; k++) {
            const size_t at = (j / RUN_DIGITS + k) * l;
            *carry = c[k] + limbs_add_signed(out[k], l, *carry);
            if (out[k] == limbs[k] && at < zn)
                memcpy(z + at, limbs[k], (zn - at) * sizeof *z);
        }
    }
    round_finish(&seen, plan->scale, false, stats);
}

/*
 * Strip by strip: the inverse column passes, then a run of each row and half, the carry of which waits for the row's next run.
 * A thread's strips that follow each other are a segment, which begins without carries and leaves those at its end.
 */
static void columns_to_limbs_fused(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch, int64_t *carry,
                                   struct strip_segments *segments, unsigned threads, struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned l = s->digits.exponent;
    const vec scale = vec_set1(plan->scale);
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS;
    struct round_stats all = {.max_error = 0};
    struct work_share share;
    work_share_init(&share, strips, threads, segments->room - threads);
    atomic_init(&segments->count, 0);
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1) reduction(round_stats : all)
    for (unsigned t = 0; t < threads; t++) {
        ROUND_TO_NEAREST;
        mp_limb_t limbs[VEC_WIDTH][MAX_DIGIT_BITS];
        struct run_steps steps;
        struct round_seen seen;
        run_steps_init(&steps, l);
        round_start(&seen);
        const struct strip work = {scratch + t * plan_strip_doubles(s), 2 * PLAN_STRIP_POINTS};
        int64_t *rest = NULL;
        size_t *end = NULL;
        for (size_t strip, behind; work_next(&share, t, &strip, &behind);) {
            if (!stage_part(plan, s->transform.n_rows * PLAN_STRIP_POINTS))
                break;
            if (!end || *end != strip) {
                const size_t segment = atomic_fetch_add_explicit(&segments->count, 1, memory_order_relaxed);
                end = segments->end + segment;
                rest = carry + 2 * s->transform.n_rows * segment;
                memset(rest, 0, 2 * s->transform.n_rows * sizeof *rest);
            }
            *end = strip + 1;
            strip_inverse(plan, buffer_strip(s, x, strip), work, strip_ahead(s, behind == 0));
            for (size_t r = 0; r < 2 * s->transform.n_rows; r += VEC_WIDTH) {
                _Alignas(64) int64_t c[VEC_WIDTH];
                const double *src[VEC_WIDTH];
                mp_limb_t *out[VEC_WIDTH];
                const size_t rows = 2 * s->transform.n_rows - r < VEC_WIDTH ? 2 * s->transform.n_rows - r : VEC_WIDTH;
                for (size_t k = 0; k < VEC_WIDTH; k++) { /* row q: real parts of row q, or imaginary ones of row q - n_rows */
                    const size_t q = k < rows ? r + k : r + rows - 1, row = q < s->transform.n_rows ? q : q - s->transform.n_rows;
                    const size_t at = (q * strips + strip) * l;
                    src[k] = k < rows ? work.p + row * work.stride + (q < s->transform.n_rows ? 0 : PLAN_BLOCK) : zero_run;
                    out[k] = k < rows && at + l <= zn ? z + at : limbs[k];
                    c[k] = rest[q];
                    if (at + 2 * l <= zn) { /* what the next strip stores, to the line of its last limb */
                        for (unsigned i = 0; i < l; i += 8)
                            __builtin_prefetch(z + at + l + i, 0, 2);
                        __builtin_prefetch(z + at + 2 * l - 1, 0, 2);
                    }
                }
                carry_runs(out, src, c, l, &steps, scale, &seen);
                for (size_t k = 0; k < rows; k++) {
                    const size_t at = ((r + k) * strips + strip) * l;
                    rest[r + k] = c[k];
                    if (out[k] == limbs[k] && at < zn)
                        memcpy(z + at, limbs[k], (zn - at) * sizeof *z);
                }
            }
        }
        round_finish(&seen, plan->scale, false, &all);
    }
    *stats = all;
}

#endif
