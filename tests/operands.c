/* operands.c - numbers that are likely to go wrong, as limbs, as digits and as text. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "operands.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static uint64_t hash64(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t draw(uint64_t *state)
{
    return hash64(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* 0 .. n-1 */
static size_t draw_below(uint64_t *state, size_t n)
{
    return n == 0 ? 0 : (size_t)(((unsigned __int128)draw(state) * n) >> 64);
}

static void set_bit(mp_limb_t *a, size_t bit)
{
    a[bit / 64] |= (mp_limb_t)1 << bit % 64;
}

/* Set bits lo .. hi-1. */
static void set_bits(mp_limb_t *a, size_t lo, size_t hi)
{
    for (; lo < hi && lo % 64 != 0; lo++)
        set_bit(a, lo);
    for (; lo + 64 <= hi; lo += 64)
        a[lo / 64] = ~(mp_limb_t)0;
    for (; lo < hi; lo++)
        set_bit(a, lo);
}

static void fill_runs(mp_limb_t *a, size_t n, size_t longest, uint64_t *state)
{
    size_t bits = 64 * n, at = 0;
    bool one = draw(state) & 1;
    while (at < bits) {
        size_t run = 1 + draw_below(state, longest);
        if (run > bits - at)
            run = bits - at;
        if (one)
            set_bits(a, at, at + run);
        one = !one;
        at += run;
    }
}

const char *operand_name(enum operand_kind kind)
{
    static const char *const names[OPERAND_KINDS] = {
        [OPERAND_RANDOM] = "random",
        [OPERAND_ONES] = "ones",
        [OPERAND_ZERO] = "zero",
        [OPERAND_ONE] = "one",
        [OPERAND_BIT] = "bit",
        [OPERAND_POWER_TOP] = "power-top",
        [OPERAND_POWER_MINUS] = "power-minus",
        [OPERAND_POWER_PLUS] = "power-plus",
        [OPERAND_ONES_LESS] = "ones-less",
        [OPERAND_RUNS] = "runs",
        [OPERAND_SHORT_RUNS] = "short-runs",
        [OPERAND_BLOCKS] = "blocks",
        [OPERAND_SPARSE] = "sparse",
        [OPERAND_DENSE] = "dense",
        [OPERAND_TOP_BIT] = "top-bit",
        [OPERAND_HIGH_ZERO] = "high-zero",
        [OPERAND_LOW_ZERO] = "low-zero",
        [OPERAND_EQUAL_LIMBS] = "equal-limbs",
        [OPERAND_DIGITS_MAX] = "digits-max",
        [OPERAND_DIGITS_HALF] = "digits-half",
        [OPERAND_DIGITS_MIN] = "digits-min",
        [OPERAND_DIGITS_ALTERNATE] = "digits-alternate",
        [OPERAND_DIGITS_PAIRS] = "digits-pairs",
        [OPERAND_DIGITS_SIGNS] = "digits-signs",
        [OPERAND_DIGITS_WAVE] = "digits-wave",
        [OPERAND_DIGITS_THUE] = "digits-thue",
        [OPERAND_DIGITS_CHAIN] = "digits-chain",
        [OPERAND_DIGITS_NEAR] = "digits-near",
        [OPERAND_DIGITS_SPARSE] = "digits-sparse",
    };
    return (unsigned)kind < OPERAND_KINDS ? names[kind] : "?";
}

int64_t operand_digit(enum operand_kind kind, uint64_t base, size_t j, size_t n, uint64_t seed)
{
    int64_t b = (int64_t)base, half = b / 2;
    int64_t up = half - (b % 2 == 0 ? 1 : 0), down = -half; /* B = 2: 0 and -1 */
    uint64_t h = hash64(seed ^ hash64(j + 1));
    switch (kind) {
    case OPERAND_DIGITS_MAX:
        return up;
    case OPERAND_DIGITS_HALF:
        return half;
    case OPERAND_DIGITS_MIN:
        return down;
    case OPERAND_DIGITS_ALTERNATE:
        return j % 2 == 0 ? up : down;
    case OPERAND_DIGITS_PAIRS:
        return j / 2 % 2 == 0 ? up : down;
    case OPERAND_DIGITS_SIGNS:
        return h & 1 ? up : down;
    case OPERAND_DIGITS_WAVE: {
        double f = (double)(hash64(seed) >> 12) * 0x1p-52;
        if (seed % 2 == 0 && n > 0) /* exactly at a point of the transform of 4n */
            f = floor(f * 4 * (double)n) / (4 * (double)n);
        double t = f * (double)j;
        return cos(6.283185307179586 * (t - floor(t))) >= 0 ? up : down;
    }
    case OPERAND_DIGITS_THUE:
        return __builtin_popcountll(j) % 2 == 0 ? up : down;
    case OPERAND_DIGITS_CHAIN:
        return j == 0 ? half : up;
    case OPERAND_DIGITS_NEAR: {
        int64_t raw[5] = {half - 1, half, (half + 1) % b, 0, b - 1};
        int64_t d = raw[h % 5];
        return d > up ? d - b : d;
    }
    case OPERAND_DIGITS_SPARSE:
        return h % 16 == 0 ? (h & 32 ? up : down) : 0;
    default:
        return (int64_t)(h % base) + down;
    }
}

/* Sum of digit_j 2^(l j), modulo 2^(64 n). */
static void fill_digits(mp_limb_t *a, size_t n, enum operand_kind kind, unsigned l, uint64_t seed)
{
    size_t bits = 64 * n, n_digits = (bits + l - 1) / l;
    int64_t carry = 0;
    for (size_t j = 0; j < n_digits; j++) {
        int64_t d = operand_digit(kind, UINT64_C(1) << l, j, n_digits, seed) + carry;
        carry = d < 0 ? -1 : 0;
        uint64_t raw = (uint64_t)(d - carry * ((int64_t)1 << l)); /* d >= -2^(l-1) - 1 >= -2^l */
        size_t at = j * l;
        a[at / 64] |= (mp_limb_t)raw << at % 64;
        if (at % 64 + l > 64 && at / 64 + 1 < n)
            a[at / 64 + 1] |= (mp_limb_t)raw >> (64 - at % 64);
    }
}

void operand_fill(mp_limb_t *a, size_t n, enum operand_kind kind, unsigned digit_bits, uint64_t seed)
{
    uint64_t state = hash64(seed + 0x51ed * (uint64_t)kind);
    size_t bits = 64 * n;
    if (n == 0)
        return;
    while (digit_bits > OPERAND_DIGIT_BITS_MOST)
        digit_bits /= 2;
    memset(a, 0, n * sizeof *a);
    switch (kind) {
    case OPERAND_ZERO:
        break;
    case OPERAND_ONE:
        a[0] = 1;
        break;
    case OPERAND_ONES:
        set_bits(a, 0, bits);
        break;
    case OPERAND_BIT:
        set_bit(a, draw_below(&state, bits));
        break;
    case OPERAND_POWER_TOP:
        set_bit(a, bits - 1);
        break;
    case OPERAND_POWER_MINUS:
        set_bits(a, 0, 1 + draw_below(&state, bits));
        break;
    case OPERAND_POWER_PLUS:
        set_bit(a, 0);
        set_bit(a, draw_below(&state, bits));
        break;
    case OPERAND_ONES_LESS:
        set_bits(a, draw_below(&state, bits), bits);
        break;
    case OPERAND_RUNS:
        fill_runs(a, n, 1 + bits / 4, &state);
        break;
    case OPERAND_SHORT_RUNS:
        fill_runs(a, n, 40, &state);
        break;
    case OPERAND_BLOCKS: {
        size_t block = 1 + draw_below(&state, draw(&state) & 1 ? 64 : 1 + bits / 2);
        for (size_t at = draw(&state) & 1 ? block : 0; at < bits; at += 2 * block)
            set_bits(a, at, at + block < bits ? at + block : bits);
        break;
    }
    case OPERAND_SPARSE:
        for (size_t i = 2 + draw_below(&state, 8); i-- > 0;)
            set_bit(a, draw_below(&state, bits));
        break;
    case OPERAND_DENSE:
        for (size_t i = 1 + draw_below(&state, 8); i-- > 0;)
            set_bit(a, draw_below(&state, bits));
        for (size_t i = 0; i < n; i++)
            a[i] = ~a[i];
        break;
    case OPERAND_EQUAL_LIMBS: {
        mp_limb_t x = draw(&state);
        for (size_t i = 0; i < n; i++)
            a[i] = x;
        break;
    }
    case OPERAND_DIGITS_MAX:
    case OPERAND_DIGITS_HALF:
    case OPERAND_DIGITS_MIN:
    case OPERAND_DIGITS_ALTERNATE:
    case OPERAND_DIGITS_PAIRS:
    case OPERAND_DIGITS_SIGNS:
    case OPERAND_DIGITS_WAVE:
    case OPERAND_DIGITS_THUE:
    case OPERAND_DIGITS_CHAIN:
    case OPERAND_DIGITS_NEAR:
    case OPERAND_DIGITS_SPARSE:
        fill_digits(a, n, kind, digit_bits, seed);
        break;
    default: {
        size_t lo = 0, hi = n;
        if (kind == OPERAND_HIGH_ZERO)
            hi = n - draw_below(&state, n + 1);
        if (kind == OPERAND_LOW_ZERO)
            lo = draw_below(&state, n + 1);
        for (size_t i = lo; i < hi; i++)
            a[i] = draw(&state);
        if (kind == OPERAND_TOP_BIT)
            set_bit(a, bits - 1);
    }
    }
}

const char *text_kind_name(enum text_kind kind)
{
    static const char *const names[TEXT_KINDS] = {
        [TEXT_RANDOM] = "random",
        [TEXT_NINES] = "nines",
        [TEXT_POWER] = "power",
        [TEXT_POWER_MINUS] = "power-minus",
        [TEXT_POWER_PLUS] = "power-plus",
        [TEXT_HALF] = "half",
        [TEXT_HALF_LESS] = "half-less",
        [TEXT_GROUPS_HALF] = "groups-half",
        [TEXT_GROUPS_ALTERNATE] = "groups-alternate",
        [TEXT_SPARSE] = "sparse",
        [TEXT_RUNS] = "runs",
    };
    return (unsigned)kind < TEXT_KINDS ? names[kind] : "?";
}

static char digit_char(unsigned d)
{
    return "0123456789abcdefghijklmnopqrstuvwxyz"[d];
}

void text_fill(char *s, size_t n, enum text_kind kind, unsigned base, unsigned group, uint64_t seed)
{
    uint64_t state = hash64(seed + 0x7e47 * (uint64_t)kind);
    char zero = '0', nine = digit_char(base - 1);
    if (n == 0)
        return;
    if (group == 0)
        group = 1;
    memset(s, zero, n);
    switch (kind) {
    case TEXT_NINES:
        memset(s, nine, n);
        break;
    case TEXT_POWER:
        break;
    case TEXT_POWER_PLUS:
        s[n - 1] = '1';
        break;
    case TEXT_POWER_MINUS: /* base^(n-1) + base^k - 1 */
    {
        size_t k = draw_below(&state, n);
        memset(s + n - k, nine, k);
    } break;
    case TEXT_HALF:
        memset(s, digit_char(base / 2), n);
        break;
    case TEXT_HALF_LESS:
        memset(s, digit_char(base < 4 ? 1 : base / 2 - 1), n);
        break;
    case TEXT_GROUPS_HALF: /* base^k / 2 is base/2 and zeros where the base is even, else (base-1)/2 throughout, rounded up */
        for (size_t i = 0; i < n; i++) { /* i from the least significant end */
            if (base % 2 == 0)
                s[n - 1 - i] = i % group == group - 1 ? digit_char(base / 2) : zero;
            else
                s[n - 1 - i] = digit_char(i % group == 0 ? base / 2 + 1 : base / 2);
        }
        break;
    case TEXT_GROUPS_ALTERNATE:
        for (size_t i = 0; i < n; i++)
            s[n - 1 - i] = i / group % 2 == 0 ? nine : zero;
        break;
    case TEXT_SPARSE:
        for (size_t i = 1 + draw_below(&state, 5); i-- > 0;)
            s[draw_below(&state, n)] = digit_char((unsigned)draw_below(&state, base));
        break;
    case TEXT_RUNS:
        for (size_t i = 0; i < n;) {
            size_t run = 1 + draw_below(&state, 1 + (draw(&state) & 1 ? n / 3 : 12));
            char c = draw(&state) % 3 == 0 ? digit_char((unsigned)draw_below(&state, base)) : draw(&state) & 1 ? nine : zero;
            for (; run > 0 && i < n; run--)
                s[i++] = c;
        }
        break;
    default:
        for (size_t i = 0; i < n; i++)
            s[i] = digit_char((unsigned)draw_below(&state, base));
    }
    if (s[0] == zero)
        s[0] = kind == TEXT_RANDOM ? digit_char(1 + (unsigned)draw_below(&state, base - 1)) : '1';
}
