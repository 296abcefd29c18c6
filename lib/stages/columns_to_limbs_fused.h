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
    *w = (struct strip_walk){.plan = plan, .x = x, .scratch = scratch, .segments = segments};
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
    for (size_t strip, behind; work_next(&w->share, t, &strip, &behind);) {
        if (!stage_part(plan->monitor, s->transform.n_rows * PLAN_STRIP_POINTS))
            break;
        if (!end || *end != strip)
            rest = strip_segments_open(w->segments, s, &end);
        *end = strip + 1;
        strip_inverse(plan, buffer_strip(s, w->x, strip), work, strip_ahead(s, behind == 0));
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

static void columns_to_limbs_fused(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch,
                                   struct strip_segments *segments, struct round_stats *stats)
{
    const unsigned threads = segments->threads;
    struct round_stats all = {.max_error = 0};
    struct strip_walk walk;
    strip_walk_start(&walk, plan, x, scratch, segments);
    if (threads == 1) { /* a parallel region of one thread is an allocation and a call of the system */
        strips_carry(&walk, z, zn, 0, &all);
        *stats = all;
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(round_stats : all)
    for (unsigned t = 0; t < threads; t++) {
        ROUND_TO_NEAREST;
        strips_carry(&walk, z, zn, t, &all);
    }
    *stats = all;
}

#endif
