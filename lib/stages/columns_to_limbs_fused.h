/*
 * columns_to_limbs_fused.h - the inverse column passes, rounding and carry into limbs: the end of a product.
 */
#ifndef GFMUL_COLUMNS_TO_LIMBS_FUSED_H
#define GFMUL_COLUMNS_TO_LIMBS_FUSED_H

struct strip_walk;

/* strip_carry - thread t's part of a walk. */
typedef void strip_carry(struct strip_walk *w, unsigned t, struct round_stats *stats);

/*
 * The inverse column passes over the strips of a buffer, which threads take from `share`, and the carries into a number.  Each
 * thread has its own scratch.
 */
struct strip_walk {
    const struct plan *plan;
    double *x, *scratch;
    void *z; /* zn limbs or characters */
    size_t zn;
    strip_carry *carry;
    struct strip_segments *segments;
    struct work_share share;
    struct stats_sum stats;
};

static void strip_walk_start(struct strip_walk *w, const struct plan *plan, double *x, double *scratch,
                             struct strip_segments *segments)
{
    const unsigned threads = segments->threads;
    w->plan = plan; /* one by one: an initializer would clear the shares of 1024 threads */
    w->x = x;
    w->scratch = scratch;
    w->segments = segments;
    w->stats = STATS_SUM;
    work_share_init(&w->share, plan->shape.transform.row_points / PLAN_STRIP_POINTS, threads, segments->room - threads);
    atomic_init(&segments->count, 0);
}

static void strip_walk_run(void *arg, unsigned t)
{
    struct strip_walk *const w = arg;
    struct round_stats mine = {.max_error = 0};
    w->carry(w, t, &mine);
    stats_sum_add(&w->stats, &mine);
}

/* A strip of a thread's, and the carries of the segment to which it belongs. */
struct strip_place {
    struct odd_walk odd;
    struct strip work;
    size_t strip;
    void *rest;  /* from strip_segments_open */
    size_t *end; /* NULL: no segment yet */
};

static void strip_place_begin(struct strip_place *at, const struct strip_walk *w, unsigned t)
{
    const struct plan_shape *s = &w->plan->shape;
    at->work = (struct strip){w->scratch + t * plan_strip_doubles(s), 2 * PLAN_STRIP_POINTS};
    at->end = NULL;
    inverse_walk_begin(&at->odd, s, at->work.stride, s->transform.row_stride);
}

/* strip_walk_next - thread t's next strip, after the column passes; end it with stage_part_end.   Value: false: there is none. */
STAGE_INLINE bool strip_walk_next(struct strip_walk *w, unsigned t, struct strip_place *at)
{
    const struct plan_shape *s = &w->plan->shape;
    size_t behind;
    if (!work_next(&w->share, t, &at->strip, &behind) || !stage_part(w->plan->monitor, s->transform.n_rows * PLAN_STRIP_POINTS))
        return false;
    if (!at->end || *at->end != at->strip)
        at->rest = strip_segments_open(w->segments, s, &at->end);
    *at->end = at->strip + 1;
    strip_inverse(w->plan, &at->odd, buffer_strip(s, w->x, at->strip), at->work, strip_ahead(s, behind == 0));
    return true;
}

/*
 * strips_carry - thread t's part of columns_to_limbs_fused.
 *
 * Strip by strip: the inverse column passes, then a run of each row and half, whose carry waits for the row's next run.  A
 * thread's consecutive strips are a segment, which begins without carries and leaves those at its end.
 */
static void strips_carry(struct strip_walk *w, unsigned t, struct round_stats *stats)
{
    const struct plan *plan = w->plan;
    const struct plan_shape *s = &plan->shape;
    const unsigned l = s->digits.exponent;
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS, zn = w->zn;
    mp_limb_t *const z = w->z;
    mp_limb_t limbs[VEC_WIDTH][MAX_DIGIT_BITS];
    struct run_rule rule;
    run_seen seen;
    runs_start(&rule, &seen, plan);
    struct strip_place place;
    strip_place_begin(&place, w, t);
    for (; strip_walk_next(w, t, &place); stage_part_end(plan->monitor)) {
        const struct strip work = place.work;
        const size_t strip = place.strip;
        int64_t *const rest = place.rest;
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
    }
    runs_finish(&seen, plan, stats);
}

/* strip_run - run_place, of run number `run`. */
STAGE_INLINE const double *strip_run(const struct plan_shape *s, const double *x, size_t run)
{
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS; /* a power of two */
    const size_t q = run >> __builtin_ctzll(strips), n_rows = s->transform.n_rows;
    return x + (q < n_rows ? q * s->transform.row_stride : (q - n_rows) * s->transform.row_stride + PLAN_BLOCK) +
           (run & (strips - 1)) * 2 * PLAN_STRIP_POINTS;
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
    const size_t steps = (runs + VEC_WIDTH - 1) / VEC_WIDTH, whole = zn / l, zn_runs = runs * l < zn ? runs * l : zn;
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
    size_t run[VEC_WIDTH]; /* of the next step */
    unsigned idle = 0;     /* lanes with a shorter share, in the first step */
    for (size_t k = 0; k < VEC_WIDTH; k++) {
        const size_t behind = runs * (k + 1) / VEC_WIDTH;
        run[k] = behind - steps;
        idle |= (unsigned)(behind - runs * k / VEC_WIDTH < steps) << k;
    }
    for (size_t step = 0; step < steps; step++, idle = 0) {
        const double *src[VEC_WIDTH];
        mp_limb_t *out[VEC_WIDTH];
        for (size_t k = 0; k < VEC_WIDTH; k++) {
            const bool has = !(idle >> k & 1);
            src[k] = has ? strip_run(s, x, run[k]) : zero_run;
            out[k] = has && run[k] < whole ? z + run[k] * l : limbs[k];
        }
        carry_runs(out, src, c, l, &rule, &seen);
        for (size_t k = 0; k < VEC_WIDTH; k++) {
            const size_t at = run[k]++ * l;
            if (out[k] == limbs[k] && !(idle >> k & 1) && at < zn)
                memcpy(z + at, limbs[k], (zn - at) * sizeof *z);
        }
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

static void columns_to_limbs_fused(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch,
                                   struct strip_segments *segments, struct round_stats *stats)
{
    const unsigned threads = segments->threads;
    struct strip_walk w;
    w.z = z;
    w.zn = zn;
    w.carry = strips_carry;
    strip_walk_start(&w, plan, x, scratch, segments);
    if (threads == 1 && plan_buffer_doubles(&plan->shape) * sizeof(double) <= LANES_CARRY_BYTES)
        lanes_carry(plan, z, zn, x, segments, &w.stats.all);
    else
        parallel_run(threads, strip_walk_run, &w);
    *stats = w.stats.all;
}

#endif
