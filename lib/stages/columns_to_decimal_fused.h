/*
 * columns_to_decimal_fused.h - the inverse column passes, rounding, carry and decimal text, for products of text.
 */
#ifndef GFMUL_COLUMNS_TO_DECIMAL_FUSED_H
#define GFMUL_COLUMNS_TO_DECIMAL_FUSED_H

/* strips_to_decimal - thread t's part of columns_to_decimal_fused; as strips_carry. */
static void strips_to_decimal(struct strip_walk *w, unsigned t, struct round_stats *stats)
{
    const struct plan *plan = w->plan;
    const struct plan_shape *s = &plan->shape;
    const struct decimal dec = decimal_init(plan);
    const size_t strips = s->transform.row_points / PLAN_STRIP_POINTS, chars = (size_t)RUN_DIGITS * s->digits.exponent;
    struct round_seen seen;
    round_start(&seen);
    struct strip_place place;
    strip_place_begin(&place, w, t);
    for (; strip_walk_next(w, t, &place); stage_part_end(plan->monitor)) {
        const struct strip work = place.work;
        const size_t strip = place.strip;
        double *const rest = place.rest;
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
            decimal_rows(w->z, w->zn, &lanes, &dec, &seen);
            memcpy(rest + r, lanes.carry, rows * sizeof *rest);
        }
    }
    round_finish(&seen, plan->scale, stats);
}

/* As columns_to_limbs_fused. */
static void columns_to_decimal_fused(const struct plan *plan, char *z, size_t zn, double *x, double *scratch,
                                     struct strip_segments *segments, struct round_stats *stats)
{
    struct strip_walk w;
    w.z = z;
    w.zn = zn;
    w.carry = strips_to_decimal;
    strip_walk_start(&w, plan, x, scratch, segments);
    parallel_run(segments->threads, strip_walk_run, &w);
    *stats = w.stats.all;
}

#endif
