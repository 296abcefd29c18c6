/*
 * columns_to_decimal_fused.h - the inverse column passes, rounding, carry and decimal text, for products of text.
 */
#ifndef GFMUL_COLUMNS_TO_DECIMAL_FUSED_H
#define GFMUL_COLUMNS_TO_DECIMAL_FUSED_H

/* strips_to_decimal - thread t's part of columns_to_decimal_fused; as strips_carry. */
static void strips_to_decimal(struct strip_walk *w, char *z, size_t zn, unsigned t, struct round_stats *stats)
{
    const struct plan *plan = w->plan;
    const struct plan_shape *s = &plan->shape;
    const struct decimal dec = decimal_init(plan);
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS, chars = (size_t)RUN_DIGITS * s->digits.exponent;
    struct round_seen seen;
    round_start(&seen);
    const struct strip work = {w->scratch + t * plan_strip_doubles(s), 2 * PLAN_STRIP_POINTS};
    double *rest = NULL;
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
            struct decimal_lanes lanes;
            const size_t rows = 2 * s->transform.n_rows - r < VEC_WIDTH ? 2 * s->transform.n_rows - r : VEC_WIDTH;
            lanes.runs = rows;
            for (size_t k = 0; k < VEC_WIDTH; k++) { /* row q: real parts of row q, or imaginary ones of row q - n_rows */
                const size_t q = k < rows ? r + k : r + rows - 1, row = q < s->transform.n_rows ? q : q - s->transform.n_rows;
                lanes.at[k] = (q * strips + strip) * chars;
                lanes.src[k] = k < rows ? work.p + row * work.stride + (q < s->transform.n_rows ? 0 : PLAN_BLOCK) : zero_run;
                lanes.carry[k] = 0;
            }
            if (rows == VEC_WIDTH) /* a vector store, because a load that spans several single stores waits for all of them */
                memcpy(lanes.carry, rest + r, sizeof lanes.carry);
            else
                memcpy(lanes.carry, rest + r, rows * sizeof *rest);
            decimal_rows(z, zn, &lanes, &dec, &seen);
            memcpy(rest + r, lanes.carry, rows * sizeof *rest);
        }
        stage_part_end(plan->monitor);
    }
    round_finish(&seen, plan->scale, stats);
}

struct decimal_walk {
    struct strip_walk strips;
    char *z;
    size_t zn;
    struct stats_sum stats;
};

static void decimal_walk_run(void *arg, unsigned t)
{
    struct decimal_walk *const w = arg;
    struct round_stats mine = {.max_error = 0};
    strips_to_decimal(&w->strips, w->z, w->zn, t, &mine);
    stats_sum_add(&w->stats, &mine);
}

/* As columns_to_limbs_fused. */
static void columns_to_decimal_fused(const struct plan *plan, char *z, size_t zn, double *x, double *scratch,
                                     struct strip_segments *segments, struct round_stats *stats)
{
    struct decimal_walk w;
    w.z = z;
    w.zn = zn;
    w.stats = STATS_SUM;
    strip_walk_start(&w.strips, plan, x, scratch, segments);
    parallel_run(segments->threads, decimal_walk_run, &w);
    *stats = w.stats.all;
}

#endif
