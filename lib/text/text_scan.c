/*
 * text_scan.c - checking a number in text and finding its digits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "text/text.h"
#include "text/text_chars.h"

enum { BLOCK = 64, SPAN = 1024, PART_BYTES = 1 << 16, MAX_PARTS = 256 };

/* A piece of the text from the first significant digit on. */
struct part {
    size_t n_digits; /* digits in it */
    size_t bad;      /* offset of its first stray character; SIZE_MAX: none */
};

/* Which characters are digits: '0' .. '0' + decimal - 1, and the first `letters` letters of either case. */
struct digit_set {
    unsigned decimal, letters;
};

static struct digit_set digit_set_of(unsigned base)
{
    return (struct digit_set){base < 10 ? base : 10, base > 10 ? base - 10 : 0};
}

static inline bool is_digit(unsigned char c, struct digit_set set)
{
    return (unsigned char)(c - '0') < set.decimal || (unsigned char)((c | 0x20) - 'a') < set.letters;
}

/* White space or '_'. */
static inline bool is_filler(unsigned char c)
{
    return c == ' ' || (unsigned char)(c - '\t') < 5 || c == '_';
}

/* Digits and fillers in a block.  The loops have no branch and a constant length: compilers make vectors of them. */
static inline unsigned block_digits(const char *p, struct digit_set set)
{
    unsigned char n = 0;
    for (int i = 0; i < BLOCK; i++)
        n = (unsigned char)(n + is_digit((unsigned char)p[i], set));
    return n;
}

static unsigned block_decimals(const char *p, unsigned base)
{
    return block_digits(p, (struct digit_set){base, 0});
}

static unsigned block_fillers(const char *p)
{
    unsigned char n = 0;
    for (int i = 0; i < BLOCK; i++)
        n = (unsigned char)(n + is_filler((unsigned char)p[i]));
    return n;
}

/* Are the SPAN characters at p digits '0' .. '0' + base - 1? */
static bool span_is_decimal(const char *p, unsigned base)
{
    unsigned char most = 0;
    for (int i = 0; i < SPAN; i += BLOCK) {
        chars_ask_ahead(p + i);
        for (int k = i; k < i + BLOCK; k++) {
            unsigned char v = (unsigned char)((unsigned char)p[k] - '0');
            most = v > most ? v : most;
        }
    }
    return most < base;
}

static inline unsigned count_block(const char *p, struct digit_set set)
{
    return set.letters == 0 ? block_decimals(p, set.decimal) : block_digits(p, set);
}

/* Count the digits of text[from .. to) and find its first stray character. */
static struct part check_part(const char *text, size_t from, size_t to, struct digit_set set)
{
    struct part part = {0, SIZE_MAX};
    for (size_t i = from, step; i < to; i += step) {
        step = SPAN;
        if (set.letters == 0 && to - i >= SPAN && span_is_decimal(text + i, set.decimal)) {
            part.n_digits += SPAN;
            continue;
        }
        step = BLOCK;
        if (to - i >= BLOCK) {
            unsigned n = count_block(text + i, set);
            if (n == BLOCK || n + block_fillers(text + i) == BLOCK) {
                part.n_digits += n;
                continue;
            }
        }
        for (size_t j = i; j < to && j < i + BLOCK; j++) {
            unsigned char c = (unsigned char)text[j];
            if (is_digit(c, set)) {
                part.n_digits++;
            } else if (!is_filler(c)) {
                part.bad = j;
                return part;
            }
        }
    }
    return part;
}

/* Is there a filler among eight characters, all of them digits or fillers?  A filler is below '0', or is '_'. */
static inline bool word_has_filler(const char *p)
{
    uint64_t x, y;
    memcpy(&x, p, 8);
    y = x ^ '_' * CHARS_EVERY_8;
    return (((x - '0' * CHARS_EVERY_8) | ((y - CHARS_EVERY_8) & ~y)) & 0x80 * CHARS_EVERY_8) != 0; /* a byte borrowed */
}

/* Copy the digits of text[from .. to), which holds digits and fillers alone. */
static void compact_part(char *out, const char *out_end, const char *text, size_t from, size_t to, struct digit_set set)
{
    for (size_t i = from; i < to; i += BLOCK) {
        size_t n = to - i < BLOCK ? to - i : BLOCK, k = 0;
        if (n == BLOCK && out_end - out >= BLOCK && count_block(text + i, set) == BLOCK) {
            memcpy(out, text + i, BLOCK);
            out += BLOCK;
            continue;
        }
        char kept[BLOCK];
        size_t j = 0;
        while (j < n) { /* k <= j: kept does not overflow */
            if (n - j >= 8 && !word_has_filler(text + i + j)) {
                memcpy(kept + k, text + i + j, 8);
                j += 8;
                k += 8;
                continue;
            }
            for (size_t stop = n - j < 8 ? n : j + 8; j < stop; j++) {
                kept[k] = text[i + j];
                k += !is_filler((unsigned char)text[i + j]);
            }
        }
        if (k > (size_t)(out_end - out)) /* the text is not what it was when it was counted: a file that changes */
            k = (size_t)(out_end - out);
        memcpy(out, kept, k);
        out += k;
    }
}

/* Line and column of an offset: LF, CR and CR LF each end a line. */
static void locate(struct text_error *err, const char *text, size_t offset)
{
    size_t line = 1, start = 0;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n' || (text[i] == '\r' && !(i + 1 < offset && text[i + 1] == '\n'))) {
            line++;
            start = i + 1;
        }
    }
    err->offset = offset;
    err->line = line;
    err->column = offset - start + 1;
}

#define FAIL(status, offset, ...)                                   \
    do {                                                            \
        if (err != NULL) {                                          \
            locate(err, text, offset);                              \
            snprintf(err->reason, sizeof err->reason, __VA_ARGS__); \
        }                                                           \
        return status;                                              \
    } while (0)

/* Say what is wrong with the character at i: neither a digit nor a filler. */
static enum gfmul_status stray(struct text_error *err, const char *text, size_t len, size_t i, unsigned base, bool digit_seen)
{
    unsigned char c = (unsigned char)text[i];
    if (len - i >= 3 && memcmp(text + i, "\xef\xbb\xbf", 3) == 0)
        FAIL(GFMUL_ERR_SYNTAX, i, "UTF-8 byte order mark; the number must be plain ASCII text");
    if (i == 0 && len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        FAIL(GFMUL_ERR_SYNTAX, i, "UTF-16 byte order mark; the number must be plain ASCII text");
    if (c == '+' || c == '-')
        FAIL(GFMUL_ERR_SYNTAX, i, digit_seen ? "sign '%c' after the first digit" : "second sign '%c'", c);
    if (c > ' ' && c < 0x7f)
        FAIL(GFMUL_ERR_SYNTAX, i, "stray character '%c' in a number of base %u", c, base);
    FAIL(GFMUL_ERR_SYNTAX, i, "byte 0x%02x in a number of base %u", c, base);
}

/* The base that a prefix letter stands for, 0: none. */
static unsigned prefix_base(char c)
{
    switch (c) {
    case 'x':
    case 'X':
        return 16;
    case 'o':
    case 'O':
        return 8;
    case 'b':
    case 'B':
        return 2;
    default:
        return 0;
    }
}

enum gfmul_status text_scan(struct text_number *num, const char *text, size_t len, int base, struct text_error *err, size_t room,
                            unsigned threads)
{
    if (num == NULL)
        return GFMUL_ERR_ARGUMENT;
    *num = (struct text_number){.digits = ""};
    if ((text == NULL && len > 0) || base < 0 || base == 1 || base > 36)
        return GFMUL_ERR_ARGUMENT;

    /* Sign. */
    size_t pos = 0;
    bool negative = false;
    unsigned radix = base != 0 ? (unsigned)base : 10;
    while (pos < len && char_is_space(text[pos]))
        pos++;
    if (pos == len)
        FAIL(GFMUL_ERR_EMPTY, len, "no digits");
    if (text[pos] == '-' || text[pos] == '+') {
        negative = text[pos++] == '-';
        size_t next = pos;
        while (next < len && char_is_space(text[next]))
            next++;
        if (next == len)
            FAIL(GFMUL_ERR_EMPTY, pos, "a sign without digits");
        if (next > pos)
            FAIL(GFMUL_ERR_SYNTAX, pos, "white space between the sign and the digits");
    }

    /* Prefix. */
    unsigned prefix = len - pos >= 2 && text[pos] == '0' ? prefix_base(text[pos + 1]) : 0;
    if (prefix != 0 && (base == 0 || base == (int)prefix)) {
        /* in base 16 'b' and in bases over 33 all three letters are digits, but then base != prefix */
        struct digit_set after = digit_set_of(prefix);
        if (pos + 2 == len || is_filler((unsigned char)text[pos + 2]))
            FAIL(GFMUL_ERR_SYNTAX, pos + 2, "prefix 0%c without digits", text[pos + 1]);
        radix = prefix;
        pos += 2;
        if (!is_digit((unsigned char)text[pos], after))
            return stray(err, text, len, pos, radix, false);
    }

    /* Leading zeros. */
    struct digit_set set = digit_set_of(radix);
    if (text[pos] == '_')
        FAIL(GFMUL_ERR_SYNTAX, pos, "'_' before the first digit");
    if (!is_digit((unsigned char)text[pos], set))
        return stray(err, text, len, pos, radix, false);
    size_t first = pos;
    while (first < len && (text[first] == '0' || is_filler((unsigned char)text[first])))
        first++;

    /* Check and count, in parts: [first + size * k, first + size * (k + 1)). */
    struct part part[MAX_PARTS];
    size_t rest = len - first, size = rest;
    if (threads > 1) {
        size = rest / (threads < MAX_PARTS / 4 ? 4 * threads : MAX_PARTS) + 1;
        if (size < PART_BYTES)
            size = PART_BYTES;
    }
    size_t n_parts = rest == 0 ? 0 : (rest - 1) / size + 1; /* <= MAX_PARTS: size > rest / MAX_PARTS where it matters */
    if (n_parts == 1) {                                     /* without a parallel region of one thread */
        part[0] = check_part(text, first, len, set);
    } else {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (size_t k = 0; k < n_parts; k++) {
            size_t from = first + k * size;
            part[k] = check_part(text, from, len - from > size ? from + size : len, set);
        }
    }
    size_t n_digits = 0;
    for (size_t k = 0; k < n_parts; k++) {
        if (part[k].bad != SIZE_MAX)
            return stray(err, text, len, part[k].bad, radix, true);
        n_digits += part[k].n_digits;
    }

    /* The end: text[pos] is a digit, so the loop stops. */
    size_t end = len;
    while (is_filler((unsigned char)text[end - 1]))
        end--;
    const char *late = end < len ? memchr(text + end, '_', len - end) : NULL;
    if (late != NULL)
        FAIL(GFMUL_ERR_SYNTAX, (size_t)(late - text), "'_' after the last digit");

    num->base = radix;
    num->n_digits = n_digits;
    if (n_digits == 0)
        return GFMUL_OK;
    num->negative = negative;
    if (n_digits == end - first) {
        num->digits = text + first;
        return GFMUL_OK;
    }

    /* Fillers within the number: compact it. */
    num->owned = n_digits <= room ? alloc_aligned(n_digits) : NULL;
    if (num->owned == NULL) {
        *num = (struct text_number){.digits = ""};
        return GFMUL_ERR_MEMORY;
    }
    for (size_t k = 0, end_digit = 0; k < n_parts; k++) /* n_digits becomes the place behind the part's last digit */
        part[k].n_digits = end_digit += part[k].n_digits;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic)
    for (size_t k = 0; k < n_parts; k++) {
        size_t from = first + k * size;
        compact_part(num->owned + (k ? part[k - 1].n_digits : 0), num->owned + part[k].n_digits, text, from,
                     len - from > size ? from + size : len, set);
    }
    num->digits = num->owned;
    return GFMUL_OK;
}

void text_number_free(struct text_number *num)
{
    if (num == NULL)
        return;
    alloc_free(num->owned);
    *num = (struct text_number){.digits = ""};
}
