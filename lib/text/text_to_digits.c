/*
 * text_to_digits.c - cut balanced digits of B = base^exponent from text.
 *
 * Digit j of the number is raw_j + t_(j-1) - B t_j, where raw_j is the value of its `exponent` characters and
 * t_j = [raw_j >= ceil(B / 2)].  It depends on only two raw digits, so that chunks can be cut in any order.
 *
 * Source: [Booth51] recoding.   SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <assert.h>

#include "text/decimal.h"
#include "text/text.h"
#include "text/text_chars.h"

enum { CUT_DIGITS = 64 }; /* cut at a time; a strip of the column passes asks for as many */

/*
 * Cut the raw digits of n runs of `exponent` characters.  The first run ends before s, and each further run before the last.
 * Words of eight characters are read, so the last run must have 8 * ceil(exponent / 8) characters up to its end.
 * base and exponent are constants in the inlined copies.
 */
static inline void cut_run(int32_t *raw, const char *s, size_t n, unsigned base, unsigned exponent)
{
    const uint64_t b1 = base, b2 = b1 * b1, b4 = b2 * b2;
    const unsigned head = exponent % 8;
    const uint64_t head_mask = (UINT64_C(1) << 8 * head) - 1;
    for (size_t i = 0; i < n; i++, s -= exponent) {
        uint64_t r = 0;
        const char *p = s - exponent + head;
        if (head != 0)
            r = values_join(chars_to_values(chars_load(p - 8), base > 10) & head_mask, b1, b2, b4);
        for (; p < s; p += 8)
            r = r * (b4 * b4) + values_join(chars_to_values(chars_load(p), base > 10), b1, b2, b4);
        raw[i] = (int32_t)r; /* < B <= 2^30 */
    }
}

#ifdef __SSE2__
/* The same in base 10, exponent <= 8: four runs at a time, eight characters for each; returns how many were cut. */
static inline size_t cut_decimal(int32_t *raw, const char *s, size_t n, unsigned exponent)
{
    const uint64_t mask = ~UINT64_C(0) << (64 - 8 * exponent); /* the first character lies lowest */
    const __m128i masks = _mm_set1_epi64x((int64_t)mask);
    size_t i = 0;
    for (; i + 4 <= n; i += 4, s -= 4 * exponent) {
        __m128i r;
        if (exponent == 4) {
            r = decimals_join_4(_mm_loadu_si128((const __m128i *)(const void *)(s - 16)));
        } else {
            __m128i word[4];
            for (unsigned k = 0; k < 4; k++)
                word[k] = _mm_loadl_epi64((const __m128i *)(const void *)(s - (3 - k) * exponent - 8));
            r = decimals_join_8(_mm_and_si128(_mm_unpacklo_epi64(word[0], word[1]), masks),
                                _mm_and_si128(_mm_unpacklo_epi64(word[2], word[3]), masks));
        }
        _mm_storeu_si128((__m128i *)(void *)(raw + i), _mm_shuffle_epi32(r, _MM_SHUFFLE(0, 1, 2, 3)));
    }
    return i;
}
#else
static inline size_t cut_decimal(int32_t *raw, const char *s, size_t n, unsigned exponent)
{
    (void)raw, (void)s, (void)n, (void)exponent;
    return 0;
}
#endif

static inline void cut_run_10(int32_t *raw, const char *s, size_t n, unsigned exponent)
{
    const size_t done = cut_decimal(raw, s, n, exponent);
    cut_run(raw + done, s - done * exponent, n - done, 10, exponent);
}

/* Cut runs, with an inlined copy for each small power of ten. */
static void cut_runs(int32_t *raw, const char *s, size_t n, unsigned base, unsigned exponent)
{
    if (base == 10) {
        switch (exponent) {
        case 1:
            cut_run_10(raw, s, n, 1);
            return;
        case 2:
            cut_run_10(raw, s, n, 2);
            return;
        case 3:
            cut_run_10(raw, s, n, 3);
            return;
        case 4:
            cut_run_10(raw, s, n, 4);
            return;
        case 5:
            cut_run_10(raw, s, n, 5);
            return;
        case 6:
            cut_run_10(raw, s, n, 6);
            return;
        }
    }
    cut_run(raw, s, n, base, exponent);
}

/* Raw digits j .. j + count - 1 of a number; zero beyond its end. */
static void cut_raw(int32_t *raw, const struct text_number *num, size_t j, size_t count, unsigned exponent)
{
    const size_t n = num->n_digits, n_raw = n / exponent + (n % exponent != 0);
    const size_t room = (exponent + 7) / 8 * 8; /* characters that cut_run needs below the end of a run */
    size_t n_fast = n < room ? 0 : (n - room) / exponent + 1, i = 0;
    if (j < n_fast) {
        i = n_fast - j < count ? n_fast - j : count;
        cut_runs(raw, num->digits + n - j * exponent, i, num->base, exponent);
    }
    for (; i < count && j + i < n_raw; i++) {
        size_t end = n - (j + i) * exponent, begin = end < exponent ? 0 : end - exponent;
        uint32_t r = 0;
        for (size_t k = begin; k < end; k++)
            r = r * num->base + char_value(num->digits[k]);
        raw[i] = (int32_t)r;
    }
    for (; i < count; i++)
        raw[i] = 0;
}

/* Make balanced digits from the raw digits and the raw digit below the first. */
static void cut(const struct digit_source *source, int32_t *d, size_t first, size_t count)
{
    const struct plan_shape *shape = source->shape;
    assert(shape->digits.digit_base <= (uint64_t)1 << 30);
    const int32_t digit_base = (int32_t)shape->digits.digit_base, half = digit_base / 2 + digit_base % 2;
    int32_t raw[1 + CUT_DIGITS];

    raw[0] = 0;
    if (first > 0)
        cut_raw(raw, source->text, first - 1, 1, shape->digits.exponent);
    for (size_t n; count > 0; count -= n, first += n, d += n) {
        n = count < CUT_DIGITS ? count : CUT_DIGITS;
        cut_raw(raw + 1, source->text, first, n, shape->digits.exponent);
        for (size_t i = 0; i < n; i++) /* |digit| <= half */
            d[i] = raw[i + 1] - (raw[i] >= half ? -1 : 0) - (raw[i + 1] >= half ? digit_base : 0);
        raw[0] = raw[n];
    }
}

/* The same in base 10^4, by vectors except for the last digits. */
static void cut_fours(const struct digit_source *source, int32_t *d, size_t first, size_t count)
{
    const struct text_number *num = source->text;
    const size_t whole = num->n_digits / 4, left = first < whole ? whole - first : 0;
    const size_t n = (count < left ? count : left) / 16 * 16;
    if (n > 0) {
        const char *end = num->digits + (num->n_digits - 4 * first);
        decimal_ops_of(source->isa->isa_bit)->cut_fours(d, end, n, first > 0 && *end >= '5');
    }
    if (n < count)
        cut(source, d + n, first + n, count - n);
}

static void prefetch(const struct digit_source *source, size_t first)
{
    const size_t end = source->text->n_digits, below = first * source->shape->digits.exponent,
                 len = 64 * (size_t)source->shape->digits.exponent;
    if (below + len <= end)
        for (size_t k = 0; k < len; k += 64)
            __builtin_prefetch(source->text->digits + end - below - len + k, 0, 2);
}

void text_source(struct digit_source *source, const struct plan *plan, const struct text_number *num)
{
    assert(num->n_digits == 0 || num->base == plan->shape.digits.base);
    const bool fours = plan->shape.digits.base == 10 && plan->shape.digits.exponent == 4 && decimal_ops_of(plan->isa->isa_bit);
    *source = (struct digit_source){.cut = fours ? cut_fours : cut,
                                    .cut_wide = text_cut_wide,
                                    .prefetch = prefetch,
                                    .shape = &plan->shape,
                                    .isa = plan->isa,
                                    .text = num};
}
