/*
 * digits.h - digits into points and back.  stage_ops.h says where digit j lies.
 */
#ifndef GFMUL_DIGITS_H
#define GFMUL_DIGITS_H

/* digit_place - the point of digit j and the half of the block that it lies in; j and its 7 successors share a block. */
STAGE_INLINE double *digit_place(const struct plan_shape *s, const double *x, enum digit_part part, size_t j, size_t *point)
{
    bool imaginary = s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE ? j >= s->transform.n_points : part == DIGIT_PART_B;
    *point = j >= s->transform.n_points ? j - s->transform.n_points : j;
    return (double *)x + plan_point_offset(s, *point) + (imaginary ? PLAN_BLOCK : 0);
}

/* Energies of the lanes of a block, kept in vectors until the end of a call. */
struct norm_sums {
    vec sq[VECS_PER_BLOCK], pop[VECS_PER_BLOCK];
};

STAGE_INLINE void norm_add(struct norm_sums *n, unsigned v, vec x, vec block_pop)
{
    vec e = vec_mul(x, x);
    n->sq[v] = vec_add(n->sq[v], e);
    n->pop[v] = vec_fma(block_pop, e, n->pop[v]);
}

STAGE_INLINE void norm_finish(const struct norm_sums *n, struct digit_norms *norms)
{
    _Alignas(64) double sq[PLAN_BLOCK], pop[PLAN_BLOCK];
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        vec_store(sq + v * VEC_WIDTH, n->sq[v]);
        vec_store(pop + v * VEC_WIDTH, n->pop[v]);
    }
    for (unsigned k = 0; k < PLAN_BLOCK; k++) {
        norms->sum_sq += sq[k];
        norms->sum_pop += pop[k] + __builtin_popcount(k) * sq[k];
    }
}

/* block_popcount - popcount of the point's index below the odd factor, the three lane bits left out. */
STAGE_INLINE vec block_popcount(const struct plan_shape *s, size_t point)
{
    size_t index = point & (((size_t)1 << s->transform.log2_n) - 1);
    return vec_set1((double)__builtin_popcountll(index / PLAN_BLOCK));
}

STAGE_INLINE void norm_start(struct norm_sums *n)
{
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++)
        n->sq[v] = n->pop[v] = vec_set1(0.0);
}

/*
 * pack_strip - the digits of 8 blocks that begin at a multiple of 64 points, as one half of the blocks at p; pop: what
 * block_popcount gives for the first.  Blocks whose indices have the same popcount add up in one vector.
 */
STAGE_INLINE void pack_strip(double *p, const int32_t *d, vec pop, struct norm_sums *n)
{
    for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
        vec e[4];
#pragma GCC unroll 8
        for (unsigned b = 0; b < PLAN_BLOCK; b++) {
            const vec a = vec_from_i32(d + b * PLAN_BLOCK + v * VEC_WIDTH);
            const unsigned k = (b & 1) + (b >> 1 & 1) + (b >> 2);
            e[k] = (b & (b + 1)) == 0 ? vec_mul(a, a) : vec_fma(a, a, e[k]); /* 0, 1, 3 and 7 are the first of their kind */
            vec_store(p + b * BLOCK_DOUBLES + v * VEC_WIDTH, a);
        }
        const vec sum = vec_add(vec_add(e[0], e[1]), vec_add(e[2], e[3]));
        const vec high = vec_fma(vec_set1(3.0), e[3], vec_fma(vec_set1(2.0), e[2], e[1]));
        n->sq[v] = vec_add(n->sq[v], sum);
        n->pop[v] = vec_add(n->pop[v], vec_fma(pop, sum, high));
    }
}

/* pack_run - n_blocks times 8 digits of a row, from the half block at p on; point: that of the first. */
STAGE_INLINE void pack_run(const struct plan_shape *s, double *p, const int32_t *d, size_t n_blocks, size_t point, double scale,
                           struct norm_sums *n)
{
    for (size_t b = 0; b < n_blocks; b++, p += BLOCK_DOUBLES, d += PLAN_BLOCK, point += PLAN_BLOCK) {
        const vec block_pop = block_popcount(s, point);
        for (unsigned v = 0; v < VECS_PER_BLOCK; v++) {
            vec a = vec_from_i32(d + v * VEC_WIDTH);
            norm_add(n, v, a, block_pop);
            vec_store(p + v * VEC_WIDTH, vec_mul(a, vec_set1(scale)));
        }
    }
}

static void pack_halves(const struct plan *plan, double *x, enum digit_part part, size_t first, const int32_t *d, size_t count,
                        struct norm_sums *n)
{
    const struct plan_shape *s = &plan->shape;
    const double scale =
        s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE && part == DIGIT_PART_B ? ldexp(1.0, s->digits.balance_exp) : 1.0;
    for (size_t j = 0, run; j < count; j += run) {
        size_t point;
        double *p = digit_place(s, x, part, first + j, &point);
        const size_t row_left = s->transform.row_points - (point & (s->transform.row_points - 1));
        run = row_left < count - j ? row_left : count - j;
        pack_run(s, p, d + j, run / PLAN_BLOCK, point, scale, n);
    }
}

static void pack_interleaved(const struct plan *plan, double *x, size_t first, const int32_t *d, size_t count,
                             struct norm_sums *n)
{
    const struct plan_shape *s = &plan->shape;
    for (size_t j = 0; j < count; j += 2 * PLAN_BLOCK) {
        size_t point = (first + j) / 2;
        double *p = x + plan_point_offset(s, point);
        for (unsigned k = 0; k < PLAN_BLOCK; k++) {
            p[k] = d[j + 2 * k];
            p[k + PLAN_BLOCK] = d[j + 2 * k + 1];
        }
        vec block_pop = block_popcount(s, point);
        for (unsigned v = 0; v < 2 * VECS_PER_BLOCK; v++)
            norm_add(n, v % VECS_PER_BLOCK, vec_load(p + v * VEC_WIDTH), block_pop);
    }
}

static void digits_pack(const struct plan *plan, double *x, enum digit_part part, size_t first, const int32_t *d, size_t count,
                        struct digit_norms *norms)
{
    struct norm_sums n;
    norm_start(&n);
    if (plan->shape.transform.packing == GFMUL_PACKING_ONE_FOR_HALF)
        pack_interleaved(plan, x, first, d, count, &n);
    else
        pack_halves(plan, x, part, first, d, count, &n);
    norm_finish(&n, norms);
}

#if VEC_HAS_CUT
/* strip_cut - the 64 digits from digit `first` on, as source->cut, if they are limbs' and far from their ends; else false. */
STAGE_INLINE bool strip_cut(const struct digit_source *source, int32_t *d, size_t first)
{
    const unsigned l = source->shape->digits.exponent;
    const size_t at = first / PLAN_BLOCK * l, last = (PLAN_STRIP_POINTS - VEC_CUT_QUADS) / PLAN_BLOCK * l;
    if (!source->limbs || l > MAX_QUAD_BITS || first == 0 ||
        at + last + (size_t)source->quad_at[VEC_CUT_QUADS / 4 - 1] + 16 > 8 * source->n_limbs)
        return false;
    const char *p = (const char *)source->limbs + at;
    for (unsigned j = 0; j < PLAN_STRIP_POINTS; j += VEC_CUT_QUADS, p += VEC_CUT_QUADS / PLAN_BLOCK * l)
        vec_cut_quads(d + j, p, source->quad_at, source->quad_bytes, source->quad_left, 31 - l);
    return true;
}

/* Groups of 8 or 16 digits fill l or 2 l bytes: the offsets and shifts of their digits are the same in every group. */
static size_t limbs_cut(const struct digit_source *source, int32_t *d, size_t first, size_t count)
{
    const unsigned l = source->shape->digits.exponent;
    const char *bytes_at = (const char *)source->limbs;
    const size_t n_bytes = 8 * source->n_limbs;
    size_t at = first / PLAN_BLOCK * l, j = 0;
    if (l <= MAX_QUAD_BITS) {
        const size_t step = VEC_CUT_QUADS / PLAN_BLOCK * l, end = (size_t)source->quad_at[VEC_CUT_QUADS / 4 - 1] + 16;
        for (; j + VEC_CUT_QUADS <= count && at + end <= n_bytes; j += VEC_CUT_QUADS, at += step)
            vec_cut_quads(d + j, bytes_at + at, source->quad_at, source->quad_bytes, source->quad_left, 31 - l);
    }
    const size_t last = (size_t)source->byte_offset[PLAN_BLOCK - 1] + 8;
    for (; j + PLAN_BLOCK <= count && at + last <= n_bytes; j += PLAN_BLOCK, at += l)
        for (unsigned v = 0; v < PLAN_BLOCK; v += VEC_WIDTH)
            vec_cut_i32(d + j + v, bytes_at + at, source->byte_offset + v, source->shift_left + v, 63 - l);
    return j;
}
#endif

/*
 * Figures of the coefficients so far, lane by lane.  max drops NaN but a sum keeps it, so energies are not finite once an x was
 * NaN or infinite (they do not overflow: doc/error-bound.md, section 9).
 */
_Static_assert((int)PLAN_ENERGY_CLASSES == (int)PLAN_BLOCK, "the lanes of a half block are the classes");
struct round_seen {
    vec error, value;                   /* largest |x scale - nearest|, largest |x| */
    vec energy[PLAN_BLOCK / VEC_WIDTH]; /* sums of x^2: lane k of energy[v] is of points v VEC_WIDTH + k of their blocks */
};

STAGE_INLINE void round_start(struct round_seen *seen)
{
    seen->error = seen->value = vec_set1(0.0);
    for (unsigned v = 0; v < PLAN_BLOCK / VEC_WIDTH; v++)
        seen->energy[v] = vec_set1(0.0);
}

/* ROUND_MAGIC - rounds what is added to it; ROUND_RAW - its bits. */
#define ROUND_MAGIC 0x1.8p52
#define ROUND_RAW   UINT64_C(0x4338000000000000)

/*
 * round_magic - scale x, and round by a magic constant, which is left in.
 *   at     in  the place of the vector in its half block
 *   magic  in  ROUND_MAGIC, or an even integer near by: |x scale| + |magic - ROUND_MAGIC| < 2^51
 */
STAGE_INLINE vec round_magic(vec x, vec scale, vec magic, unsigned at, struct round_seen *seen)
{
    const vec t = vec_fma(x, scale, magic), e = vec_fms(x, scale, vec_sub(t, magic));
    seen->error = vec_max_abs(e, seen->error);
    seen->value = vec_max_abs(x, seen->value);
    seen->energy[at / VEC_WIDTH] = vec_fma(x, x, seen->energy[at / VEC_WIDTH]);
    return t;
}

/* round_vec - scale and round. */
STAGE_INLINE vec_int round_vec(vec x, vec scale, unsigned at, struct round_seen *seen)
{
    return vec_int_from_magic(round_magic(x, scale, vec_set1(ROUND_MAGIC), at, seen));
}

/* round_turned - round_magic of VEC_WIDTH vectors at p[k] + at, turned.   place: that of the vectors in their half blocks */
STAGE_INLINE void round_turned(vec *m, const double *const *p, size_t at, unsigned place, vec scale, vec magic,
                               struct round_seen *seen)
{
    for (unsigned k = 0; k < VEC_WIDTH; k++)
        m[k] = round_magic(vec_load(p[k] + at), scale, magic, place, seen);
    vec_transpose(m);
}

/* round_finish - raise stats by these figures. */
STAGE_INLINE void round_finish(const struct round_seen *seen, double scale, struct round_stats *stats)
{
    _Alignas(64) double error[VEC_WIDTH], value[VEC_WIDTH], energy[PLAN_ENERGY_CLASSES];
    struct round_stats all = {.max_error = 0};
    double sum = 0;
    vec_store(error, seen->error);
    vec_store(value, seen->value);
    for (unsigned k = 0; k < VEC_WIDTH; k++) {
        all.max_error = error[k] > all.max_error ? error[k] : all.max_error;
        all.max_value = value[k] * scale > all.max_value ? value[k] * scale : all.max_value;
    }
    for (unsigned v = 0; v < PLAN_BLOCK / VEC_WIDTH; v++)
        vec_store(energy + v * VEC_WIDTH, seen->energy[v]);
    for (unsigned c = 0; c < PLAN_ENERGY_CLASSES; c++) {
        all.energy[c] = energy[c] * scale * scale;
        sum += energy[c];
    }
    if (!(sum - sum == 0)) {
        all.max_error = all.max_value = HUGE_VAL;
        for (unsigned c = 0; c < PLAN_ENERGY_CLASSES; c++)
            all.energy[c] = HUGE_VAL;
    }
    round_stats_raise(stats, &all);
}

static void digits_round(const struct plan *plan, int64_t *v, const double *x, size_t first, size_t count,
                         struct round_stats *stats)
{
    const struct plan_shape *s = &plan->shape;
    const vec scale = vec_set1(plan->scale);
    _Alignas(64) int64_t block[2 * PLAN_BLOCK];
    struct round_seen seen;
    round_start(&seen);
    if (s->transform.packing == GFMUL_PACKING_ONE_FOR_HALF) {
        for (size_t j = 0; j < count; j += 2 * PLAN_BLOCK) {
            const double *p = x + plan_point_offset(s, (first + j) / 2);
            for (unsigned k = 0; k < 2 * PLAN_BLOCK; k += VEC_WIDTH)
                vec_int_store(block + k, round_vec(vec_load(p + k), scale, k % PLAN_BLOCK, &seen));
            for (unsigned k = 0; k < PLAN_BLOCK; k++) {
                v[j + 2 * k] = block[k];
                v[j + 2 * k + 1] = block[k + PLAN_BLOCK];
            }
        }
    } else {
        for (size_t j = 0; j < count; j += PLAN_BLOCK) {
            size_t point;
            const double *p = digit_place(s, x, DIGIT_PART_A, first + j, &point);
            for (unsigned k = 0; k < PLAN_BLOCK; k += VEC_WIDTH)
                vec_int_store(block + k, round_vec(vec_load(p + k), scale, k, &seen));
            memcpy(v + j, block, PLAN_BLOCK * sizeof *v);
        }
    }
    round_finish(&seen, plan->scale, stats);
}

#endif
