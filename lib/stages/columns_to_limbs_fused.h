/*
 * columns_to_limbs_fused.h - the inverse column passes, rounding and carry into limbs: the end of a product.
 */
#ifndef GFMUL_COLUMNS_TO_LIMBS_FUSED_H
#define GFMUL_COLUMNS_TO_LIMBS_FUSED_H

/* The inverse column passes over the strips of a buffer, which threads take from `share`; each thread has its own scratch. */
struct strip_walk {
    const struct plan *plan;
    double *x, *scratch;
    struct strip_segments *segments;
    struct work_share share;
};

static void strip_walk_start(struct strip_walk *w, const struct plan *plan, double *x, double *scratch,
                             struct strip_segments *segments)
{
    const unsigned threads = segments->threads;
    w->plan = plan; /* one by one: an initializer would clear the shares of 1024 threads */
    w->x = x;
    w->scratch = scratch;
    w->segments = segments;
    work_share_init(&w->share, plan->shape.transform.row_points / PLAN_STRIP_POINTS, threads, segments->room - threads);
    atomic_init(&segments->count, 0);
}

/*
 * strips_carry - thread t's part of columns_to_limbs_fused.
 *
 * Strip by strip: the inverse column passes, then a run of each row and half, whose carry waits for the row's next run.  A
 * thread's consecutive strips are a segment, which begins without carries and leaves those at its end.
 */
static void strips_carry(struct strip_walk *w, mp_limb_t *z, size_t zn, unsigned t, struct round_stats *stats)
{
    const struct plan *plan = w->plan;
    const struct plan_shape *s = &plan->shape;
    const unsigned l = s->digits.exponent;
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS;
    mp_limb_t limbs[VEC_WIDTH][MAX_DIGIT_BITS];
    struct run_rule rule;
    run_seen seen;
    runs_start(&rule, &seen, plan);
    const struct strip work = {w->scratch + t * plan_strip_doubles(s), 2 * PLAN_STRIP_POINTS};
    int64_t *rest = NULL;
    size_t *end = NULL;
    struct odd_walk odd;
    inverse_walk_begin(&odd, s, work.stride, s->transform.row_stride);
    for (size_t strip, behind; work_next(&w->share, t, &strip, &behind);) {
        if (!stage_part(plan->monitor, s->transform.n_rows * PLAN_STRIP_POINTS))
            break;
        if (!end || *end != strip)
            rest = strip_segments_open(w->segments, s, &end);
        *end = strip + 1;
        strip_inverse(plan, &odd, buffer_strip(s, w->x, strip), work, strip_ahead(s, behind == 0));
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
                if (at + 2 * l <= zn) { /* the next strip's output, to the line of its last limb */
                    for (unsigned i = 0; i < l; i += 8)
                        __builtin_prefetch(z + at + l + i, 0, 2);
                    __builtin_prefetch(z + at + 2 * l - 1, 0, 2);
                }
            }
            carry_runs(out, src, c, l, &rule, &seen);
            for (size_t k = 0; k < rows; k++) {
                const size_t at = ((r + k) * strips + strip) * l;
                rest[r + k] = c[k];
                if (out[k] == limbs[k] && at < zn)
                    memcpy(z + at, limbs[k], (zn - at) * sizeof *z);
            }
        }
        stage_part_end(plan->monitor);
    }
    runs_finish(&seen, plan, stats);
}

/* Up to so many bytes of a buffer one thread carries by lanes_carry. */
enum { LANES_CARRY_BYTES = 256 << 10 };

/*
 * lanes_carry - columns_to_limbs_fused by one thread, for a buffer that stays in its caches: all strips first, in place.
 *
 * The runs of the whole number are then in memory, so each lane takes a contiguous share of them, and carries through it.  By
 * strips, 2 n_rows runs lie side by side, which fill no whole vectors if the length is odd: 10 of 16 lanes for 5 rows.
 * Shares differ by one run at most; a shorter one begins with a run of zeros, behind which its carry is still 0.
 */
static void lanes_carry(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, struct strip_segments *segments,
                        struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const unsigned l = s->digits.exponent;
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS, runs = 2 * s->transform.n_rows * strips;
    const size_t steps = (runs + VEC_WIDTH - 1) / VEC_WIDTH, zn_runs = runs * l < zn ? runs * l : zn;
    mp_limb_t limbs[VEC_WIDTH][MAX_DIGIT_BITS];
    _Alignas(64) int64_t c[VEC_WIDTH] = {0};
    struct run_rule rule;
    run_seen seen;
    size_t *end;
    int64_t *rest = strip_segments_open(segments, s, &end);
    struct odd_walk odd;
    *end = strips;
    inverse_walk_begin(&odd, s, s->transform.row_stride, s->transform.row_stride);
    for (size_t strip = 0; strip < strips; strip++) {
        if (!stage_part(plan->monitor, s->transform.n_rows * PLAN_STRIP_POINTS))
            return;
        const struct strip in_place = buffer_strip(s, x, strip);
        strip_inverse(plan, &odd, in_place, in_place, 0);
        stage_part_end(plan->monitor);
    }
    runs_start(&rule, &seen, plan);
    for (size_t step = 0; step < steps; step++) {
        const double *src[VEC_WIDTH];
        mp_limb_t *out[VEC_WIDTH];
        size_t at[VEC_WIDTH];
        for (size_t k = 0; k < VEC_WIDTH; k++) {
            const size_t behind = runs * (k + 1) / VEC_WIDTH, run = behind - steps + step; /* wraps below the lane's share */
            const bool idle = step < steps - (behind - runs * k / VEC_WIDTH);
            at[k] = idle ? zn : run * l;
            src[k] = idle ? zero_run : run_place(s, x, run * RUN_DIGITS, NULL);
            out[k] = at[k] + l <= zn ? z + at[k] : limbs[k];
        }
        carry_runs(out, src, c, l, &rule, &seen);
        for (size_t k = 0; k < VEC_WIDTH; k++)
            if (out[k] == limbs[k] && at[k] < zn)
                memcpy(z + at[k], limbs[k], (zn - at[k]) * sizeof *z);
    }
    int64_t beyond = c[VEC_WIDTH - 1]; /* the carry out of the last run */
    for (size_t k = 0; k + 1 < VEC_WIDTH; k++) {
        const size_t at = runs * (k + 1) / VEC_WIDTH * l;
        if (at < zn_runs)
            beyond += limbs_add_signed(z + at, zn_runs - at, c[k]);
    }
    rest[2 * s->transform.n_rows - 1] = beyond;
    runs_finish(&seen, plan, stats);
}

struct limbs_walk {
    struct strip_walk strips;
    mp_limb_t *z;
    size_t zn;
    struct stats_sum stats;
};

static void limbs_walk_run(void *arg, unsigned t)
{
    struct limbs_walk *const w = arg;
    struct round_stats mine = {.max_error = 0};
    strips_carry(&w->strips, w->z, w->zn, t, &mine);
    stats_sum_add(&w->stats, &mine);
}

static void columns_to_limbs_fused(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch,
                                   struct strip_segments *segments, struct round_stats *stats)
{
    const unsigned threads = segments->threads;
    struct limbs_walk w;
    w.z = z;
    w.zn = zn;
    w.stats = STATS_SUM;
    strip_walk_start(&w.strips, plan, x, scratch, segments);
    if (threads == 1 && plan_buffer_doubles(&plan->shape) * sizeof(double) <= LANES_CARRY_BYTES)
        lanes_carry(plan, z, zn, x, segments, &w.stats.all);
    else
        parallel_run(threads, limbs_walk_run, &w);
    *stats = w.stats.all;
}

#endif
