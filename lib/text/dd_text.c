/*
 * dd_text.c - text to digits as doubles, and coefficients in double-double to text.
 *
 * Digits of up to 46 bits: balanced as in text_to_digits.c, printed as in digits_to_text.c, one at a time.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/try.h"
#include "stages/carry_segments.h"
#include "text/text.h"
#include "text/text_chars.h"

enum { MIN_SEGMENT_GROUPS = 64, DECIMAL_MAX = 13, PART_DIGITS = 4096 };

/* raw_digit - the value of the `exponent` characters of digit j; 0 beyond the number's end. */
static uint64_t raw_digit(const struct text_number *num, size_t j, unsigned exponent)
{
    if (j >= num->n_digits / exponent + (num->n_digits % exponent != 0))
        return 0;
    const size_t end = num->n_digits - j * exponent, begin = end < exponent ? 0 : end - exponent;
    const char *p = num->digits;
    if (num->base == 10 && exponent > 8 && end >= 16) {
        const uint64_t mask = (UINT64_C(1) << 8 * (exponent - 8)) - 1; /* exponent <= 13 */
        const uint64_t high = values_join(chars_to_values(chars_load(p + end - 16), 0) & mask, 10, 100, 10000);
        return high * 100000000 + values_join(chars_to_values(chars_load(p + end - 8), 0), 10, 100, 10000);
    }
    uint64_t r = 0;
    for (size_t k = begin; k < end; k++)
        r = r * num->base + char_value(p[k]);
    return r;
}

void text_cut_wide(const struct digit_source *source, double *d, size_t first, size_t count)
{
    const unsigned exponent = source->shape->digits.exponent;
    const int64_t base = (int64_t)source->shape->digits.digit_base, half = base / 2 + base % 2;
    int64_t below = first > 0 ? (int64_t)raw_digit(source->text, first - 1, exponent) : 0;
    for (size_t j = 0; j < count; j++) {
        const int64_t raw = (int64_t)raw_digit(source->text, first + j, exponent);
        d[j] = (double)(raw - (raw >= half ? base : 0) + (below >= half ? 1 : 0)); /* |digit| <= half */
        below = raw;
    }
}

/* print_digit - write the `exponent` characters of a digit that end before `end`; drop those below z. */
static void print_digit(char *z, char *end, uint64_t d, unsigned base, unsigned exponent)
{
    char chars[64];
    size_t n = exponent;
    if (base == 10 && exponent <= DECIMAL_MAX) {
        const uint64_t high = d / 100000000; /* < 10^5 */
        chars_store(chars, values_to_chars(values_split_10((uint32_t)high)));
        chars_store(chars + 8, values_to_chars(values_split_10((uint32_t)(d - high * 100000000))));
        n = 16;
    } else {
        for (unsigned k = exponent; k-- > 0; d /= base)
            chars[k] = char_of_value((unsigned)(d % base));
    }
    const size_t room = (size_t)(end - z), used = exponent < room ? exponent : room;
    memcpy(end - used, chars + n - used, used);
}

/* divide - t = q B + r, 0 <= r < B; |t| < 2^63 B. */
static int64_t divide(__int128 t, uint64_t base, uint64_t *r)
{
    const bool negative = t < 0;
    const unsigned __int128 u = negative ? -(unsigned __int128)t : (unsigned __int128)t;
    uint64_t q = (uint64_t)(u / base);
    *r = (uint64_t)u - q * base;
    if (!negative)
        return (int64_t)q;
    if (*r != 0) {
        *r = base - *r;
        q++;
    }
    return -(int64_t)q;
}

struct sink {
    const struct plan *plan;
    const double *x;
    const __int128 *tail_in;
    size_t n_tail;
    char *z, *end; /* the whole text */
};

/* coefficients - round the PLAN_BLOCK coefficients from j on, and add the tail of the sum before. */
static void coefficients(const struct sink *s, __int128 *v, size_t j, struct round_stats *stats)
{
    struct dd_rounded r[PLAN_BLOCK];
    s->plan->ops->digits_round_dd(s->plan, r, s->x, j, PLAN_BLOCK, stats);
    for (size_t k = 0; k < PLAN_BLOCK; k++)
        v[k] = (__int128)r[k].high * ((__int128)1 << 48) + r[k].low + (j + k < s->n_tail ? s->tail_in[j + k] : 0);
}

/* print_part - print digits first .. end - 1 with an incoming carry; returns the next carry.  first and end are multiples of
   eight, except for the last end. */
static int64_t print_part(const struct sink *s, size_t first, size_t end, int64_t carry, struct round_stats *stats)
{
    const struct plan_shape *shape = &s->plan->shape;
    const unsigned e = shape->digits.exponent;
    for (size_t j = first; j < end; j += PLAN_BLOCK) {
        __int128 v[PLAN_BLOCK];
        coefficients(s, v, j, stats);
        for (size_t k = 0; k < PLAN_BLOCK && j + k < end; k++) {
            uint64_t d;
            carry = divide(v[k] + carry, shape->digits.digit_base, &d);
            if ((j + k) * e < (size_t)(s->end - s->z))
                print_digit(s->z, s->end - (j + k) * e, d, shape->digits.base, e);
        }
    }
    return carry;
}

/* print_groups - a segment of groups of PLAN_BLOCK digits: print_part, part by part. */
static int64_t print_groups(const void *arg, size_t first_group, size_t end_group, struct round_stats *stats)
{
    const struct sink *const s = arg;
    const size_t end = end_group * PLAN_BLOCK;
    int64_t carry = 0;
    for (size_t n, first = first_group * PLAN_BLOCK; first < end; first += n) {
        n = end - first < PART_DIGITS ? end - first : PART_DIGITS;
        if (!stage_part(s->plan->monitor, n))
            break;
        carry = print_part(s, first, first + n, carry, stats);
        stage_part_end(s->plan->monitor);
    }
    return carry;
}

/* add_carry - add a carry to the digits from j on, as far as the text goes; returns the carry out of digit `last` - 1. */
static int64_t add_carry(const struct sink *s, size_t j, size_t last, int64_t carry)
{
    const struct plan_shape *shape = &s->plan->shape;
    const size_t e = shape->digits.exponent, room = (size_t)(s->end - s->z);
    for (; carry != 0 && j < last; j++) {
        if (j * e >= room)
            return 0; /* beyond the text, so nothing is kept */
        char *end = s->end - j * e, *begin = room - j * e < e ? s->z : end - e;
        uint64_t d = 0;
        for (const char *p = begin; p < end; p++)
            d = d * shape->digits.base + char_value(*p);
        carry = divide((__int128)d + carry, shape->digits.digit_base, &d);
        print_digit(s->z, end, d, shape->digits.base, shape->digits.exponent);
    }
    return carry;
}

enum gfmul_status dd_digits_to_text(const struct plan *plan, char *z, size_t zn, const double *x, const struct text_tails *tails,
                                    struct round_stats *stats, unsigned threads)
{
    const __int128 *tail_in = tails ? tails->in : NULL;
    __int128 *tail_out = tails ? tails->out : NULL;
    const size_t n_tail = tails ? tails->n : 0;
    const struct plan_shape *shape = &plan->shape;
    const struct sink s = {plan, x, tail_in, tail_in ? n_tail : 0, z, z + zn};
    const size_t last = tail_out ? tails->advance : shape->transform.n_digits;
    struct carry_segments segments;
    TRY(carry_segments_create(&segments, last / PLAN_BLOCK, MIN_SEGMENT_GROUPS, threads));
    carry_segments_run(&segments, print_groups, &s, stats);
    const bool stopped = stage_stopped(plan->monitor);
    int64_t rest = segments.carry[0];
    for (size_t g = 1; g < segments.count && !stopped; g++) /* a carry that passes through a whole segment joins the next one */
        rest = segments.carry[g] + add_carry(&s, carry_segments_end(&segments, g - 1) * PLAN_BLOCK,
                                             carry_segments_end(&segments, g) * PLAN_BLOCK, rest);
    carry_segments_destroy(&segments);
    if (stopped)
        return GFMUL_ERR_INTERRUPTED;
    const size_t reached = last * shape->digits.exponent;
    if (reached < zn) /* zeros above the last digit, since the product is not negative */
        memset(z, '0', zn - reached);
    for (size_t j = last; tail_out && j < shape->transform.n_digits; j += PLAN_BLOCK) {
        __int128 v[PLAN_BLOCK];
        coefficients(&s, v, j, stats);
        for (size_t k = 0; k < PLAN_BLOCK && j + k - last < n_tail; k++)
            tail_out[j + k - last] = v[k] + (j + k == last ? rest : 0);
    }
    return GFMUL_OK;
}
