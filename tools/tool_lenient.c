/*
 * tool_lenient.c - --lenient: digit files as other programs write them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Characters that do not belong to the number become blanks, in place.  The library ignores blanks between digits, and its
 * messages still name the right line and column.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <string.h>

#include "tool.h"

enum { BLOCK = 64, MARK_BYTES = 3 };
static const char byte_order_mark[] = "\xef\xbb\xbf";

static inline bool is_digit(unsigned char c)
{
    return (unsigned char)(c - '0') < 10 || (unsigned char)((c | 0x20) - 'a') < 26;
}

/* Are the BLOCK characters at p digits of some base?  Constant length and no branches, so that compilers vectorise it. */
static bool block_is_digits(const char *p)
{
    unsigned char n = 0;
    for (int i = 0; i < BLOCK; i++)
        n = (unsigned char)(n + is_digit((unsigned char)p[i]));
    return n == BLOCK;
}

static bool fail(struct lenient *s, const char *reason)
{
    snprintf(s->reason, sizeof s->reason, "%s", reason);
    return false;
}

/* The end of a line, or of the text. */
static bool line_end(struct lenient *s)
{
    const enum lenient_state state = s->state;
    const uint64_t digits = s->point ? s->after_point : s->digits;

    s->state = LENIENT_NUMBER;
    if (state == LENIENT_COLON)
        return fail(s, "':' without a number behind it");
    if ((state == LENIENT_COUNT || state == LENIENT_COUNTED) && s->count != digits) {
        snprintf(s->reason, sizeof s->reason, "the mark says %llu digits, and there are %llu%s", (unsigned long long)s->count,
                 (unsigned long long)digits, s->point ? " behind the point" : "");
        return false;
    }
    return true;
}

/* A character of the number itself. */
static bool number_take(struct lenient *s, char *c)
{
    if (s->marked < MARK_BYTES && s->offset == s->marked) { /* a byte order mark, which is either complete or absent */
        if (*c == byte_order_mark[s->offset]) {
            *c = ' ';
            s->marked++;
            return true;
        }
        if (s->marked > 0)
            return fail(s, "a byte order mark that is cut off");
    }
    if (is_digit((unsigned char)*c)) {
        s->digits++;
        s->after_point += s->point;
    } else if (*c == '.') {
        if (s->point)
            return fail(s, "a second point");
        *c = s->digits ? ' ' : '0'; /* ".5": no blank may follow a sign */
        s->point = true;
    } else if (*c == '\\') {
        *c = ' ';
        s->state = LENIENT_BACKSLASH;
    } else if (*c == ':' && s->digits) {
        *c = ' ';
        s->state = LENIENT_COLON;
        s->count = 0;
    }
    return true;
}

/* A character of a mark; it counts the digits up to the end of its line. */
static bool mark_take(struct lenient *s, char *c)
{
    const unsigned digit = (unsigned)((unsigned char)*c - '0');

    if (digit < 10 && s->state != LENIENT_COUNTED) {
        if (s->count > (UINT64_MAX - 9) / 10)
            return fail(s, "a mark that is too large");
        s->count = 10 * s->count + digit;
        s->state = LENIENT_COUNT;
    } else if (*c == ' ' || *c == '\t') {
        if (s->state == LENIENT_COUNT)
            s->state = LENIENT_COUNTED;
    } else if (!(*c == ',' && s->state == LENIENT_COUNT)) {
        return fail(s, "a mark that is no number");
    }
    *c = ' ';
    return true;
}

bool lenient_take(struct lenient *s, char *text, size_t len)
{
    for (size_t i = 0; i < len; i++, s->offset++, s->column++) {
        char *const c = text + i;
        if (s->state == LENIENT_NUMBER && s->offset >= MARK_BYTES && len - i >= BLOCK && block_is_digits(c)) {
            s->digits += BLOCK;
            s->after_point += s->point ? BLOCK : 0;
            i += BLOCK - 1;
            s->offset += BLOCK - 1;
            s->column += BLOCK - 1;
            s->after_cr = false;
            continue;
        }
        if (*c == '\n' || *c == '\r') {
            if (!line_end(s))
                return false;
            s->line += !(*c == '\n' && s->after_cr);
            s->column = 0; /* so that the next character has column 1 */
        } else if (s->state == LENIENT_BACKSLASH) {
            return fail(s, "'\\' that does not end its line");
        } else if (!(s->state == LENIENT_NUMBER ? number_take(s, c) : mark_take(s, c))) {
            return false;
        }
        s->after_cr = *c == '\r';
    }
    return true;
}

bool lenient_end(struct lenient *s)
{
    if (s->marked == 1 || s->marked == 2)
        return fail(s, "a byte order mark that is cut off");
    return s->state == LENIENT_BACKSLASH ? fail(s, "'\\' at the end: the text is cut off") : line_end(s);
}

const char *lenient_hint(const char *text, size_t len, size_t offset, bool lenient)
{
    static const struct {
        const char *head;
        size_t bytes;
        const char *hint;
    } packed[] = {
        {"\x1f\x8b", 2,
         GUNZIP_AVAILABLE ? "compressed by gzip: --lenient reads it" : "compressed by gzip: gzip -dc FILE decompresses it"},
        {"\xfd"
         "7zXZ",
         5, "compressed by xz: xz -dc FILE decompresses it"},
        {"\x28\xb5\x2f\xfd", 4, "compressed by zstd: zstd -dc FILE decompresses it"},
        {"BZh", 3, "compressed by bzip2: bzip2 -dc FILE decompresses it"},
        {"PK\x03\x04", 4, "a zip archive: unzip -p FILE unpacks it"},
        {"#Compressed Digit File", 22, "y-cruncher's compressed digits: let it write them as text"},
        {byte_order_mark, 3, "--lenient allows it"},
    };
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (offset == 0 && len >= packed[i].bytes && memcmp(text, packed[i].head, packed[i].bytes) == 0)
            return packed[i].hint;
    if (offset >= len || lenient)
        return NULL;
    return text[offset] == '.'    ? "--lenient drops a point"
           : text[offset] == '\\' ? "--lenient joins such lines"
           : text[offset] == ':'  ? "--lenient drops such marks"
                                  : NULL;
}
