/*
 * text_scan.c - check a number in text and find its digits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/try.h"
#include "stages/stage_monitor.h"
#include "text/text.h"
#include "text/text_chars.h"

enum { BLOCK = 64, SPAN = 1024, PART_BYTES = 1 << 16, PART_BYTES_MOST = 1 << 23, MAX_PARTS = 256 };

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

/* Count digits and fillers in a block.  The loops have no branch and a constant length, so that compilers vectorize them. */
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
        chars_prefetch(p + i);
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

/* Whether one of eight characters, all digits or fillers, is a filler.  A filler is below '0', or is '_'. */
static inline bool word_has_filler(const char *p)
{
    uint64_t x, y;
    memcpy(&x, p, 8);
    y = x ^ '_' * CHARS_EVERY_8;
    return (((x - '0' * CHARS_EVERY_8) | ((y - CHARS_EVERY_8) & ~y)) & 0x80 * CHARS_EVERY_8) != 0; /* a byte borrowed */
}

/* Copy the digits of text[from .. to), which holds only digits and fillers. */
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
        if (k > (size_t)(out_end - out)) /* the text has changed since it was counted, for instance a mapped file */
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

/* Report the character at i, which is neither a digit nor a filler. */
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

/* The state of a scan. */
struct scan {
    const char *text;
    size_t len, pos; /* pos: the next character */
    bool negative;
    unsigned radix;
    struct text_error *err;
};

static enum gfmul_status scan_sign(struct scan *s)
{
    struct text_error *err = s->err;
    const char *text = s->text;
    while (s->pos < s->len && char_is_space(text[s->pos]))
        s->pos++;
    if (s->pos == s->len)
        FAIL(GFMUL_ERR_EMPTY, s->len, "no digits");
    if (text[s->pos] != '-' && text[s->pos] != '+')
        return GFMUL_OK;
    s->negative = text[s->pos++] == '-';
    size_t next = s->pos;
    while (next < s->len && char_is_space(text[next]))
        next++;
    if (next == s->len)
        FAIL(GFMUL_ERR_EMPTY, s->pos, "a sign without digits");
    if (next > s->pos)
        FAIL(GFMUL_ERR_SYNTAX, s->pos, "white space between the sign and the digits");
    return GFMUL_OK;
}

/* scan_prefix - set the radix, and skip a prefix if base is 0 or the prefix's own; the first digit must come next. */
static enum gfmul_status scan_prefix(struct scan *s, int base)
{
    struct text_error *err = s->err;
    const char *text = s->text;
    const unsigned prefix = s->len - s->pos >= 2 && text[s->pos] == '0' ? prefix_base(text[s->pos + 1]) : 0;
    s->radix = base != 0 ? (unsigned)base : 10;
    if (prefix != 0 && (base == 0 || base == (int)prefix)) {
        /* in base 16 'b' and in bases over 33 all three letters are digits, but then base != prefix */
        s->radix = prefix;
        s->pos += 2;
        if (s->pos == s->len || is_filler((unsigned char)text[s->pos]))
            FAIL(GFMUL_ERR_SYNTAX, s->pos, "prefix 0%c without digits", text[s->pos - 1]);
    }
    if (text[s->pos] == '_')
        FAIL(GFMUL_ERR_SYNTAX, s->pos, "'_' before the first digit");
    if (!is_digit((unsigned char)text[s->pos], digit_set_of(s->radix)))
        return stray(err, text, s->len, s->pos, s->radix, false);
    return GFMUL_OK;
}

/* The text from the first significant digit on, in parts of equal size. */
struct parts {
    const char *text;
    size_t first, len, size, n;
    struct digit_set set;
    const struct text_means *means;
    struct part *part;
};

static size_t part_end(const struct parts *p, size_t from)
{
    return p->len - from > p->size ? from + p->size : p->len;
}

static void parts_check_run(void *arg, unsigned t, size_t first, size_t end)
{
    struct parts *const p = arg;
    (void)t;
    for (size_t k = first; k < end; k++) {
        const size_t from = p->first + k * p->size;
        if (!stage_part(p->means->monitor, 0))
            continue;
        p->part[k] = check_part(p->text, from, part_end(p, from), p->set);
        stage_part_end(p->means->monitor);
    }
}

/* parts_check - check and count each of them. */
static void parts_check(struct parts *p)
{
    const size_t rest = p->len - p->first;
    const unsigned threads = p->means->threads, few = threads < MAX_PARTS / 4 ? 4 * threads : MAX_PARTS;
    p->size = rest;
    if (threads > 1 || rest > PART_BYTES_MOST) {
        const size_t long_ones = rest / PART_BYTES_MOST, most = long_ones > few ? long_ones : few;
        p->size = rest / (most < MAX_PARTS ? most : MAX_PARTS) + 1;
        if (p->size < PART_BYTES)
            p->size = PART_BYTES;
    }
    p->n = rest == 0 ? 0 : (rest - 1) / p->size + 1; /* <= MAX_PARTS: size > rest / MAX_PARTS where it matters */
    if (p->n == 1) {                                 /* without a look at the monitor */
        p->part[0] = check_part(p->text, p->first, p->len, p->set);
        return;
    }
    parallel_for(threads, p->n, 1, parts_check_run, p);
}

/* Where parts_compact copies to. */
struct compact {
    const struct parts *p;
    char *digits;
};

static void parts_compact_run(void *arg, unsigned t, size_t first, size_t end)
{
    const struct compact *const w = arg;
    const struct parts *p = w->p;
    (void)t;
    for (size_t k = first; k < end; k++) {
        const size_t from = p->first + k * p->size;
        if (!stage_part(p->means->monitor, 0))
            continue;
        compact_part(w->digits + (k ? p->part[k - 1].n_digits : 0), w->digits + p->part[k].n_digits, p->text, from,
                     part_end(p, from), p->set);
        stage_part_end(p->means->monitor);
    }
}

/* parts_compact - copy the digits of all parts without the fillers between them. */
static void parts_compact(struct parts *p, char *digits)
{
    for (size_t k = 0, end_digit = 0; k < p->n; k++) /* n_digits becomes the place after the part's last digit */
        p->part[k].n_digits = end_digit += p->part[k].n_digits;
    parallel_for(p->means->threads, p->n, 1, parts_compact_run, &(struct compact){p, digits});
}

enum gfmul_status text_scan(struct text_number *num, const char *text, size_t len, int base, struct text_error *err,
                            const struct text_means *means)
{
    if (num == NULL)
        return GFMUL_ERR_ARGUMENT;
    *num = (struct text_number){.digits = ""};
    if ((text == NULL && len > 0) || base < 0 || base == 1 || base > 36)
        return GFMUL_ERR_ARGUMENT;

    struct scan s = {.text = text, .len = len, .err = err};
    TRY(scan_sign(&s));
    TRY(scan_prefix(&s, base));

    size_t first = s.pos, n_digits = 0, end = len;
    while (first < len && (text[first] == '0' || is_filler((unsigned char)text[first])))
        first++;
    struct part part[MAX_PARTS];
    struct parts parts = {text, first, len, .set = digit_set_of(s.radix), .means = means, .part = part};
    parts_check(&parts);
    if (stage_stopped(means->monitor))
        return GFMUL_ERR_INTERRUPTED;
    for (size_t k = 0; k < parts.n; k++) {
        if (part[k].bad != SIZE_MAX)
            return stray(err, text, len, part[k].bad, s.radix, true);
        n_digits += part[k].n_digits;
    }
    while (is_filler((unsigned char)text[end - 1])) /* text[s.pos] is a digit */
        end--;
    const char *late = end < len ? memchr(text + end, '_', len - end) : NULL;
    if (late != NULL)
        FAIL(GFMUL_ERR_SYNTAX, (size_t)(late - text), "'_' after the last digit");

    num->base = s.radix;
    num->n_digits = n_digits;
    if (n_digits == 0)
        return GFMUL_OK;
    num->negative = s.negative;
    num->digits = text + first;
    if (n_digits == end - first)
        return GFMUL_OK;

    /* fillers within the number */
    num->owned = n_digits <= means->room ? alloc_aligned(n_digits) : NULL;
    if (num->owned == NULL) {
        *num = (struct text_number){.digits = ""};
        return GFMUL_ERR_MEMORY;
    }
    parts_compact(&parts, num->owned);
    if (stage_stopped(means->monitor)) {
        text_number_free(num);
        return GFMUL_ERR_INTERRUPTED;
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
