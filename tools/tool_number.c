/*
 * tool_number.c - properties of a number before the library reads it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <string.h>

#include "tool.h"

static bool is_white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The base of a prefix letter; 0: it is none. */
static int prefix_base(char c)
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

/* Offset of the first digit or prefix of a number that is well formed so far. */
static size_t number_start(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && is_white(text[i]))
        i++;
    if (i < len && (text[i] == '-' || text[i] == '+'))
        i++;
    while (i < len && is_white(text[i]))
        i++;
    return i;
}

/* The base that a prefix at text[i] gives a number of a base, 0: auto; 0: no prefix of this base stands there. */
static int prefix_at(const char *text, size_t len, size_t i, int base)
{
    const int prefix = i + 1 < len && text[i] == '0' ? prefix_base(text[i + 1]) : 0;

    return base == 0 || base == prefix ? prefix : 0;
}

int number_base(const char *text, size_t len)
{
    const int prefix = prefix_at(text, len, number_start(text, len), 0);

    return prefix ? prefix : 10;
}

bool number_place_find(struct number_place *place, const char *text, size_t len, int base)
{
    size_t i = number_start(text, len);
    const int prefix = prefix_at(text, len, i, base);

    *place = (struct number_place){.end = len, .base = prefix ? prefix : base ? base : 10};
    place->negative = i > 0 && text[i - 1] == '-';
    if (i > 0 && is_white(text[i - 1]) && (memchr(text, '-', i) || memchr(text, '+', i)))
        return false; /* blanks behind the sign */
    i += prefix ? 2 : 0;
    while (place->end > i && is_white(text[place->end - 1]))
        place->end--;
    while (i < place->end && text[i] == '0')
        i++;
    place->first = i;
    return i < place->end;
}

size_t number_stray(const char *text, size_t len, size_t from, int base)
{
    size_t i = number_start(text, len);

    if (i + 1 >= len) /* the prefix may still be incomplete */
        return len;
    const bool looked_at = from >= i + 2; /* else the first character is checked only now */
    const int prefix = prefix_at(text, len, i, base);
    if (prefix) {
        base = prefix;
        i += 2;
    }
    const unsigned char decimal = base == 0 || base > 10 ? 10 : (unsigned char)base;
    const unsigned char letters = base > 10 ? (unsigned char)(base - 10) : 0;
    for (i = looked_at ? from : i; i < len; i++) {
        const unsigned char c = (unsigned char)text[i];
        if ((unsigned char)(c - '0') >= decimal && (unsigned char)((c | 0x20) - 'a') >= letters && c != '_' && !is_white(text[i]))
            return i;
    }
    return len;
}

size_t number_digits(const char *text, size_t len, int base)
{
    size_t i = number_start(text, len), n = 0;

    if (i + 2 < len && text[i] == '0' && prefix_base(text[i + 1]) == base)
        i += 2;
    while (i < len && (text[i] == '0' || !is_alnum(text[i])))
        i++;
    for (; i < len; i++)
        n += is_alnum(text[i]);
    return n ? n : 1;
}
