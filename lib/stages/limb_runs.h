/*
 * limb_runs.h - rounded digits into limbs, VEC_WIDTH runs of 64 digits at a time.
 *
 * A run of 64 digits of l bits fills l limbs, whatever l is.  Each lane carries through a run of its own: the digits are
 * turned so that vector j holds digit j of every run.
 */
#ifndef GFMUL_LIMB_RUNS_H
#define GFMUL_LIMB_RUNS_H

enum { RUN_DIGITS = 64, MAX_DIGIT_BITS = 30, RUN_LIMBS_MAX = MAX_DIGIT_BITS };

/*
 * Where the digits of a run begin in the limbs that sum up values of round_magic.
 *
 * With r_j the rounded values and c_j the carry behind the j-th, t_j = r_j + c_(j-1) = d_j + 2^l c_j, 0 <= d_j < 2^l.  Limb w is,
 * modulo 2^64, the sum of its r_j 2^n, n the place of digit j, and of t >> (l - k) of the digit before, k the first place: the k
 * bits of that digit that are left over, and its carry where the next digit begins.  So no digit has to be cut out of a t.
 *
 * A t goes about as t + bias, for a shift that knows no signs: |c| < 2^61, |t| < 2^62 < bias.  With bias = q 2^l, (t + bias) >> l
 * is c + q, and the bits of a magic constant that are `raw` = bias - q make the next t + bias of it by one addition.  q is even,
 * so that raw is, and q is the largest one for which raw <= ROUND_RAW: raw > ROUND_RAW - 2^(l + 1).
 *
 * A limb needs no correction for the bias.  With raw = q (2^l - 1), the raw 2^n of its digits add up to -q 2^k, modulo 2^64.  Its
 * first summand is t >> (l - k) and has q 2^k too much.  The first limb's k is 0, and its first summand is c + q.
 */
struct run_steps {
    uint64_t q; /* of the bias */
    double magic;
    uint64_t bits; /* of a digit */
    uint64_t place[RUN_DIGITS];
    uint64_t left[MAX_DIGIT_BITS]; /* l - k of the digit that ends a limb */
};

STAGE_INLINE void run_steps_init(struct run_steps *r, unsigned l)
{
    r->q = ROUND_RAW / (((uint64_t)1 << l) - 1) & ~(uint64_t)1;
    r->magic = ROUND_MAGIC - (double)(ROUND_RAW - ((r->q << l) - r->q));
    r->bits = l;
    for (unsigned j = 0; j < RUN_DIGITS; j++)
        r->place[j] = j * l % 64;
    const unsigned whole = 64 % l;
    for (unsigned w = 0, k = 0; w < l; w++) { /* k: the first place in limb w + 1, -64 (w + 1) modulo l */
        k = k >= whole ? k - whole : k + l - whole;
        r->left[w] = l - k;
    }
}

/* Common to all runs of a plan, and the figures seen in them. */
struct run_rule {
    struct run_steps steps;
    vec scale, magic;
};
typedef struct round_seen run_seen;

STAGE_INLINE void runs_start(struct run_rule *rule, run_seen *seen, const struct plan *plan)
{
    run_steps_init(&rule->steps, plan->shape.digits.exponent);
    rule->scale = vec_set1(plan->scale);
    rule->magic = vec_set1(rule->steps.magic);
    round_start(seen);
}

STAGE_INLINE void runs_finish(const run_seen *seen, const struct plan *plan, struct round_stats *stats)
{
    round_finish(seen, plan->scale, stats);
}

/* What carry_runs has reached: the carry, above q, the limb that sums up, and the words so far. */
struct run_reached {
    vec_int c, acc;
    const uint64_t *place;
    const uint64_t *left;
    int64_t *word;
    unsigned n_bits;
};

/* run_digit - the next digit, m of round_magic. */
STAGE_INLINE void run_digit(struct run_reached *at, vec m, const struct run_steps *steps, unsigned l)
{
    const vec_int r = vec_int_of_bits(m), t = vec_int_add(r, at->c);
    at->c = vec_int_srl(t, &steps->bits);
    at->acc = vec_int_add(at->acc, vec_int_sll(r, at->place++));
    at->n_bits += l;
    if (at->n_bits >= 64) {
        vec_int_store(at->word, at->acc);
        at->acc = vec_int_srl(t, at->left++);
        at->word += VEC_WIDTH;
        at->n_bits -= 64;
    }
}

/*
 * carry_runs - one run a lane.
 *
 * The digits of a vector square are rounded while those of the square before are carried.  The carries wait for each other, and
 * a core's scheduler holds about one square.
 *
 *   out    out    per lane l limbs
 *   src    in     per lane the first half block of its run; half blocks are BLOCK_DOUBLES apart
 *   carry  inout  per lane the carry in, |carry| < 2^61, and out
 */
STAGE_INLINE void carry_runs(mp_limb_t *const *out, const double *const *src, int64_t *carry, unsigned l,
                             const struct run_rule *rule, run_seen *result)
{
    const struct run_steps *steps = &rule->steps;
    const vec scale = rule->scale, magic = rule->magic;
    _Alignas(64) double word[(MAX_DIGIT_BITS + 8) * VEC_WIDTH];
    __asm__("" : "=m"(word)); /* 64 digits of l bits store just w = l words, which optimizers do not see */
    const vec_int first = vec_int_add(vec_int_load(carry), vec_int_set1((int64_t)steps->q));
    struct run_reached to = {first, first, steps->place, steps->left, (int64_t *)(void *)word, 0};
    run_seen seen = *result; /* in registers */
    const unsigned w = l;
    vec m[VEC_WIDTH];
    round_turned(m, src, 0, 0, scale, magic, &seen);
    for (unsigned n = 1; n < RUN_DIGITS / VEC_WIDTH; n++) {
        const unsigned h = n % VECS_PER_BLOCK * VEC_WIDTH, at = n / VECS_PER_BLOCK * BLOCK_DOUBLES + h;
        vec next[VEC_WIDTH];
        for (unsigned k = 0; k < VEC_WIDTH; k++) {
            next[k] = round_magic(vec_load(src[k] + at), scale, magic, h, &seen);
            run_digit(&to, m[k], steps, l);
        }
        vec_transpose(next);
        for (unsigned k = 0; k < VEC_WIDTH; k++)
            m[k] = next[k];
    }
    for (unsigned k = 0; k < VEC_WIDTH; k++)
        run_digit(&to, m[k], steps, l);
    vec_int_store(carry, vec_int_add(to.c, vec_int_set1(-(int64_t)steps->q)));
    *result = seen;
    for (unsigned i = 0; i < w; i += VEC_WIDTH) {                                      /* turn the words back */
        const unsigned from = i + VEC_WIDTH <= w || w < VEC_WIDTH ? i : w - VEC_WIDTH; /* a store by parts is slow */
        vec x[VEC_WIDTH];
        for (unsigned k = 0; k < VEC_WIDTH; k++)
            x[k] = vec_load(word + (from + k) * VEC_WIDTH);
        vec_transpose(x);
        for (unsigned k = 0; k < VEC_WIDTH; k++) {
            if (w < VEC_WIDTH)
                vec_store_part((double *)(void *)out[k], x[k], w);
            else
                vec_storeu((double *)(void *)(out[k] + from), x[k]);
        }
    }
}

/* The input of lanes without a run of their own. */
enum { RUN_DOUBLES = BLOCK_DOUBLES * PLAN_BLOCK };
static const _Alignas(64) double zero_run[RUN_DOUBLES];

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

/* idle_run - the input of a lane without a run of its own: zeros, whose result is not used.   j: an existing digit. */
STAGE_INLINE const double *idle_run(const struct plan_shape *s, const double *x, size_t j)
{
    (void)s;
    (void)x;
    (void)j;
    return zero_run;
}

#endif
