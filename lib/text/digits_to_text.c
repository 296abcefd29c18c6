/*
 * digits_to_text.c - round a convolution, carry in base B, write text.
 *
 * A part is a run of chunks that one thread turns into text, assuming that no carry comes in.  The carries that leave the parts
 * are added to the finished text afterwards.  Within a chunk, as many coefficients as fit 62 bits (`group` of them) are joined,
 * V = v_0 + B v_1 + .., so that one division serves them all and gives group * exponent characters.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <assert.h>

#include "text/text.h"
#include "text/text_chars.h"

/* Each function is inlined twice, so that `decimal` is a constant in each copy; rare paths are kept out of line. */
#define INLINE       inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))

enum {
    CHUNK = 960, /* a multiple of 16, as digits_round needs, and of each group size */
    MAX_GROUP = 6,
    MAX_PARTS = 256,
    MIN_PART_CHUNKS = 4,
    WIDEST = 64 /* characters of a group, rounded up to a multiple of 8: base 2, 61 digits */
};

/* Floor division by a constant d in [2, 2^61], for |s| < 3 * 2^61. */
struct divisor {
    uint64_t d;
    uint64_t reciprocal; /* floor((2^64 - 1) / d) */
    uint64_t offset;     /* a multiple of d, >= 3 * 2^61: makes s non-negative */
    uint64_t offset_quotient;
};

struct printer {
    unsigned base, exponent;
    int64_t digit_base;
    unsigned max_group;
    unsigned best_group[MAX_GROUP + 1];  /* the cheapest group among 1 .. g */
    struct divisor group[MAX_GROUP + 1]; /* by B^g */
    uint64_t vector_max[MAX_GROUP + 1];  /* 1 + B + .. + B^(g-1) */
    uint64_t block, block_reciprocal;    /* base^8 and floor((2^64 - 1) / base^8) */
    uint64_t pair_reciprocal;            /* ceil(2^64 / base^2) */
    char pair[36 * 36][2];               /* the two characters of a number < base^2; unused in base 10 */
};

static void divisor_init(struct divisor *div, uint64_t d)
{
    const uint64_t least = UINT64_C(3) << 61;
    div->d = d;
    div->reciprocal = UINT64_MAX / d;
    div->offset_quotient = (least - 1) / d + 1;
    div->offset = div->offset_quotient * d; /* < 3 * 2^61 + d <= 2^63 */
}

/* floor(s / d), and the remainder in [0, d). */
static INLINE int64_t divide(int64_t s, const struct divisor *div, uint64_t *remainder)
{
    uint64_t u = (uint64_t)s + div->offset; /* in [0, 2^64) */
    /* u / d - u * reciprocal / 2^64 <= u / 2^64 < 1: q is the quotient or one less */
    uint64_t q = (uint64_t)((unsigned __int128)u * div->reciprocal >> 64), r = u - q * div->d;
    uint64_t low = r >= div->d;
    *remainder = r - (low ? div->d : 0);
    return (int64_t)(q + low - div->offset_quotient);
}

static void printer_init(struct printer *pr, const struct plan_shape *shape)
{
    const uint64_t b = shape->digits.base, pair = b * b, big = (uint64_t)1 << 61;
    pr->base = shape->digits.base;
    pr->exponent = shape->digits.exponent;
    pr->digit_base = (int64_t)shape->digits.digit_base;
    uint64_t power = 1, sum = 0;
    pr->max_group = 1;
    for (unsigned g = 1; g <= MAX_GROUP && power <= big / shape->digits.digit_base; g++) {
        sum += power;
        power *= shape->digits.digit_base;
        pr->max_group = g;
        pr->vector_max[g] = sum;
        divisor_init(&pr->group[g], power);
    }
    /* approximate operations per digit: the carry, and each block of eight characters */
    pr->best_group[0] = 1;
    for (unsigned g = 1; g <= pr->max_group; g++) {
        const unsigned best = pr->best_group[g - 1], cost = 17 + 20 * ((g * shape->digits.exponent + 7) / 8);
        const unsigned best_cost = 17 + 20 * ((best * shape->digits.exponent + 7) / 8);
        pr->best_group[g] = cost * best <= best_cost * g ? g : best;
    }
    pr->block = pair * pair * pair * pair;
    pr->block_reciprocal = UINT64_MAX / pr->block;
    pr->pair_reciprocal = UINT64_MAX / pair + 1; /* ceil, for powers of two as well: UINT64_MAX is not a multiple of 4 */
    if (b != 10) {
        for (unsigned i = 0; i < pair; i++) {
            pr->pair[i][0] = char_of_value(i / (unsigned)b);
            pr->pair[i][1] = char_of_value(i % (unsigned)b);
        }
    }
}

/* Eight characters of x < base^8, the last one before end. */
static INLINE void write_block(const struct printer *pr, char *end, uint64_t x, bool decimal)
{
    if (decimal) {
        chars_store(end - 8, values_split_10((uint32_t)x) + '0' * CHARS_EVERY_8);
        return;
    }
    for (int i = 0; i < 4; i++) {
        /* exact: x * (pair_reciprocal * base^2 - 2^64) <= x * base^2 < 2^42 * 2^11 < 2^64 */
        uint64_t q = (uint64_t)((unsigned __int128)x * pr->pair_reciprocal >> 64);
        end -= 2;
        memcpy(end, pr->pair[x - q * pr->base * pr->base], 2);
        x = q;
    }
}

/* Write r < base^width, with its last character before end; up to 7 characters before the number are overwritten too. */
static INLINE void write_wide(const struct printer *pr, char *end, uint64_t r, unsigned width, bool decimal)
{
    for (; width > 8; width -= 8) {
        uint64_t q;
        if (decimal) {
            q = r / 100000000;
        } else {
            q = (uint64_t)((unsigned __int128)r * pr->block_reciprocal >> 64);
            q += r - q * pr->block >= pr->block;
        }
        write_block(pr, end, r - q * pr->block, decimal);
        end -= 8;
        r = q;
    }
    if (decimal && width <= 4) { /* two steps instead of three */
        chars_store_4(end - 4, values_split_10_4((uint32_t)r) + '0' * 0x01010101u);
        return;
    }
    write_block(pr, end, r, decimal);
}

/* The same, confined to begin .. end: characters before begin are dropped. */
static NEVER_INLINE void write_edge(const struct printer *pr, char *begin, char *end, uint64_t r, unsigned width, bool decimal)
{
    char text[WIDEST];
    write_wide(pr, text + WIDEST, r, width, decimal);
    if (width > (size_t)(end - begin))
        width = (unsigned)(end - begin);
    memcpy(end - width, text + WIDEST - width, width);
}

static INLINE void write_group(const struct printer *pr, char *begin, char *end, uint64_t r, unsigned width, bool decimal)
{
    if ((size_t)(end - begin) >= (width + 7) / 8 * 8)
        write_wide(pr, end, r, width, decimal);
    else
        write_edge(pr, begin, end, r, width, decimal);
}

/* v[k] = v[gk] + B v[gk+1] + .. for k < n; g is a constant in each copy. */
static inline void join(int64_t *v, size_t n, int64_t b, unsigned g)
{
    for (size_t k = 0; k < n; k++) {
        int64_t s = v[k * g + g - 1];
        for (unsigned i = g - 1; i-- > 0;)
            s = s * b + v[k * g + i];
        v[k] = s;
    }
}

static void join_group(int64_t *v, size_t n, int64_t b, unsigned g)
{
    switch (g) {
    case 2:
        join(v, n, b, 2);
        break;
    case 3:
        join(v, n, b, 3);
        break;
    case 4:
        join(v, n, b, 4);
        break;
    case 5:
        join(v, n, b, 5);
        break;
    case 6:
        join(v, n, b, 6);
        break;
    }
}

/* n joined coefficients, each of g coefficients, |v| <= max < 2^62. */
struct joined {
    const int64_t *v;
    size_t n;
    unsigned g;
    uint64_t max;
};

/* Carry joined coefficients and write them before end.  Returns the carry that leaves. */
static INLINE int64_t carry_groups(const struct printer *pr, char *begin, char *end, struct joined in, int64_t carry,
                                   bool decimal)
{
    const struct divisor div = pr->group[in.g];
    const int64_t d = (int64_t)div.d, *v = in.v;
    const unsigned width = in.g * pr->exponent;
    const size_t n = in.n;
    uint64_t r;
    if (n == 0)
        return carry;
    uint64_t size = carry < 0 ? -(uint64_t)carry : (uint64_t)carry;
    if ((in.max + size) / div.d + 3 > div.d) {
        /* quotients may be as large as d, so each division has to wait for the one before */
        for (size_t k = 0; k < n; k++, end -= width) {
            carry = divide(v[k] + carry, &div, &r);
            write_group(pr, begin, end, r, width, decimal);
        }
        return carry;
    }
    /* The divisions do not wait for each other: with v_k = d q_k + r_k and |q| <= d - 2, r_k + q_(k-1) lies in
       [-(d - 2), 2 d - 3], so that a carry of -1, 0 or 1 remains. */
    int64_t q = divide(v[0] + carry, &div, &r);
    write_group(pr, begin, end, r, width, decimal);
    carry = 0;
    for (size_t k = 1; k < n; k++) {
        end -= width;
        int64_t next = divide(v[k], &div, &r), s = (int64_t)r + q + carry;
        carry = (s >= d) - (s < 0);
        s -= s >= d ? d : 0;
        s += s < 0 ? d : 0;
        write_group(pr, begin, end, (uint64_t)s, width, decimal);
        q = next;
    }
    return q + carry;
}

struct part {
    size_t first, end;  /* coefficients */
    char *begin, *stop; /* their text */
    int64_t carry;      /* out, and in units of the digit above */
    struct round_stats stats;
};

struct job {
    const struct plan *plan;
    const struct printer *printer;
    const double *x;
    const int64_t *tail_in;
    size_t n_tail;
};

/*
 * Round coefficients first .. end - 1 and add the incoming tail.  If some are too large to be rounded, all become zeros: the
 * product will be refused because of its stats, but until then all values have to stay in range.
 */
static void coefficients(int64_t *v, const struct job *job, size_t first, size_t end, struct round_stats *stats)
{
    struct round_stats here = {.max_error = 0};
    job->plan->ops->digits_round(job->plan, v, job->x, first, (end - first + 15) / 16 * 16, &here);
    if (!(here.max_value < 0x1p51))
        memset(v, 0, (end - first) * sizeof *v);
    round_stats_raise(stats, &here);
    for (size_t j = first; j < end && j < job->n_tail && job->tail_in != NULL; j++)
        v[j - first] += job->tail_in[j]; /* |v| < 2^51 + 2^52 */
}

/* Coefficients from `from` on, which threads round. */
struct rounding_work {
    const struct job *job;
    size_t from;
    const struct text_tails *tails;
    struct stats_sum stats;
};

static void unseen_round(void *arg, unsigned t, size_t first, size_t end)
{
    struct rounding_work *const w = arg;
    const struct plan *plan = w->job->plan;
    struct round_stats mine = {.max_error = 0};
    (void)t;
    for (size_t at = w->from + first; at < w->from + end; at += CHUNK) {
        int64_t v[CHUNK];
        const size_t count = w->from + end - at < CHUNK ? w->from + end - at : CHUNK;
        if (!stage_part(plan->monitor, count))
            continue;
        plan->ops->digits_round(plan, v, w->job->x, at, count, &mine);
        stage_part_end(plan->monitor);
    }
    stats_sum_add(&w->stats, &mine);
}

/* Round the coefficients from first on, which are not printed, only for their stats. */
static void coefficients_unseen(const struct job *job, size_t first, struct round_stats *stats, unsigned threads)
{
    const size_t digits = job->plan->shape.transform.n_digits, from = (first + 15) / 16 * 16;
    struct rounding_work w = {job, from, NULL, STATS_SUM};
    parallel_for(threads, from < digits ? digits - from : 0, CHUNK, unseen_round, &w);
    round_stats_raise(stats, &w.stats.all);
}

static INLINE void part_to_text(struct part *part, const struct job *job, bool decimal)
{
    const struct printer *pr = job->printer;
    char *end = part->stop;
    int64_t v[CHUNK], carry = 0;
    struct round_stats stats = {.max_error = 0};
    for (size_t first = part->first; first < part->end; first += CHUNK) {
        const size_t n = part->end - first < CHUNK ? part->end - first : CHUNK;
        if (!stage_part(job->plan->monitor, n))
            break;
        coefficients(v, job, first, first + n, &stats);
        uint64_t bound = 1; /* |v| <= bound, a power of two less one */
        for (size_t i = 0; i < n; i++)
            bound |= (uint64_t)(v[i] < 0 ? -v[i] : v[i]);
        bound = UINT64_MAX >> __builtin_clzll(bound);
        unsigned g = pr->max_group;
        while (g > 1 && (unsigned __int128)bound * pr->vector_max[g] >= (unsigned __int128)1 << 62)
            g--;
        g = pr->best_group[g];
        const size_t groups = n / g;
        join_group(v, groups, pr->digit_base, g);
        carry = carry_groups(pr, part->begin, end, (struct joined){v, groups, g, bound * pr->vector_max[g]}, carry, decimal);
        end -= groups * g * pr->exponent;
        if (groups * g < n) { /* the last few of the part */
            const struct joined last = {v + groups * g, n - groups * g, 1, bound};
            carry = carry_groups(pr, part->begin, end, last, carry, decimal);
            end -= last.n * pr->exponent;
        }
        stage_part_end(job->plan->monitor);
    }
    part->carry = carry;
    part->stats = stats;
}

/* Add a carry to the number written in begin .. end - 1; returns the carry that leaves it. */
static int64_t text_add(char *begin, char *end, int64_t carry, unsigned base)
{
    while (carry != 0 && end > begin) {
        int64_t s = carry + (int64_t)char_value(*--end), r = s % (int64_t)base;
        carry = s / (int64_t)base;
        if (r < 0) {
            r += (int64_t)base;
            carry--;
        }
        *end = char_of_value((unsigned)r);
    }
    return carry;
}

static void tail_chunks(void *arg, unsigned t, size_t first, size_t behind)
{
    struct rounding_work *const w = arg;
    const size_t n_digits = w->job->plan->shape.transform.n_digits, advance = w->tails->advance, end = w->from + behind;
    int64_t *const out = w->tails->out;
    struct round_stats mine = {.max_error = 0};
    (void)t;
    for (size_t from = w->from + first; from < end; from += CHUNK) {
        int64_t v[CHUNK];
        const size_t to = end - from < CHUNK ? end : from + CHUNK;
        const size_t known = to < n_digits ? to : n_digits;
        if (from < known)
            coefficients(v, w->job, from, known, &mine);
        for (size_t j = from > advance ? from : advance; j < to; j++)
            out[j - advance] = j < known ? v[j - from] : 0;
    }
    stats_sum_add(&w->stats, &mine);
}

/* tail_take - store the coefficients above the printed ones; the next sum adds them to its lowest ones. */
static void tail_take(const struct job *job, const struct text_tails *tails, struct round_stats *stats, unsigned threads)
{
    const size_t base = tails->advance / 16 * 16;
    struct rounding_work w = {job, base, tails, STATS_SUM};
    parallel_for(threads, tails->advance + tails->n - base, CHUNK, tail_chunks, &w);
    round_stats_raise(stats, &w.stats.all);
}

/* A text in parts that threads print. */
struct text_work {
    const struct job *job;
    struct part *part;
    size_t n_parts, n_chunks, n, zn_digits;
    char *z;
    size_t zn;
};

static void parts_print(void *arg, unsigned t, size_t from, size_t behind)
{
    struct text_work *const w = arg;
    const struct plan_digits *digits = &w->job->plan->shape.digits;
    (void)t;
    for (size_t k = from; k < behind; k++) {
        /* chunks n_chunks * k / n_parts .., without a product that could overflow */
        const size_t each = w->n_chunks / w->n_parts, more = w->n_chunks % w->n_parts;
        const size_t first = (k * each + (k < more ? k : more)) * CHUNK;
        const size_t end = first + (each + (k < more)) * CHUNK;
        struct part *const part = &w->part[k];
        part->first = first;
        part->end = end < w->n ? end : w->n;
        part->stop = w->z + (w->zn - first * digits->exponent);
        part->begin = part->end == w->zn_digits ? w->z : w->z + (w->zn - part->end * digits->exponent);
        if (digits->base == 10)
            part_to_text(part, w->job, true);
        else
            part_to_text(part, w->job, false);
    }
}

void digits_to_text(const struct plan *plan, char *z, size_t zn, const double *x, const struct text_tails *tails,
                    struct round_stats *stats, unsigned threads)
{
    const int64_t *tail_in = tails != NULL ? tails->in : NULL;
    int64_t *tail_out = tails != NULL ? tails->out : NULL;
    const size_t n_tail = tails != NULL ? tails->n : 0, advance = tails != NULL ? tails->advance : 0;
    const struct plan_shape *shape = &plan->shape;
    const size_t exponent = shape->digits.exponent;
    const size_t zn_digits = zn / exponent + (zn % exponent != 0);
    const size_t limit = tail_out != NULL ? advance : shape->transform.n_digits;
    const size_t n = zn_digits < limit ? zn_digits : limit; /* coefficients that z shows */
    const size_t n_chunks = n / CHUNK + (n % CHUNK != 0);
    struct printer printer;
    struct part part[MAX_PARTS];
    struct round_stats all = {.max_error = 0};

    assert(tail_out == NULL || (advance <= shape->transform.n_digits && zn == advance * exponent && n_tail > 0));
    assert(n_tail <= shape->transform.n_digits);
    assert(shape->transform.n_digits % 16 == 0);

    printer_init(&printer, shape);
    const struct job job = {plan, &printer, x, tail_in, n_tail};
    size_t n_parts = n_chunks / MIN_PART_CHUNKS < threads ? n_chunks / MIN_PART_CHUNKS : threads;
    n_parts = n_parts == 0 ? 1 : n_parts > MAX_PARTS ? MAX_PARTS : n_parts;
    struct text_work w = {&job, part, n_parts, n_chunks, n, zn_digits, z, zn};
    parallel_for(threads, n_parts, 1, parts_print, &w);
    if (stage_stopped(plan->monitor))
        return;
    /* Each part takes the carry of the one below; a carry that runs on through a whole part passes each once. */
    int64_t carry = 0;
    for (size_t k = 0; k < n_parts; k++) {
        carry = part[k].carry + text_add(part[k].begin, part[k].stop, carry, shape->digits.base);
        round_stats_raise(&all, &part[k].stats);
    }
    if (n < zn_digits) {
        size_t rest = zn - n * exponent;
        memset(z, '0', rest);
        text_add(z, z + rest, carry, shape->digits.base);
    }

    if (tail_out != NULL) {
        tail_take(&job, tails, &all, threads);
        tail_out[0] += carry;
    }
    if (stats != NULL) {
        coefficients_unseen(&job, tail_out != NULL ? advance + n_tail : n, &all, threads);
        *stats = all;
    }
}
