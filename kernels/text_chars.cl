/*
 * text_chars.cl - characters, and digits of base TEXT_BASE^TEXT_DIGITS in pieces.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A digit is PIECES pieces of PIECE_CHARS characters; the highest piece has what the others leave.
 * Tunables: TEXT_BASE, 2 to 36; TEXT_DIGITS, characters of a digit; HALFWORDS: a digit is below 2^(16 HALFWORDS); PIECE_CHARS and
 *           PIECE_BASE = TEXT_BASE^PIECE_CHARS, between 2^PIECE_BITS and 2^27; PIECES.
 */
#ifndef TEXT_CHARS_CL
#define TEXT_CHARS_CL
#include "prelude.cl"

#define TOP_CHARS (TEXT_DIGITS - (PIECES - 1) * PIECE_CHARS) /* of the highest piece */

/* char_value - of a character that is a digit. */
INLINE uint char_value(uint c)
{
    return TEXT_BASE > 10 && c > '9' ? (c | 0x20) - 'a' + 10 : c - '0';
}

/* char_of_value - lower case. */
INLINE uchar char_of_value(uint v)
{
    return (uchar)(TEXT_BASE > 10 && v > 9 ? 'a' + (v - 10) : '0' + v);
}

#define CHAR_LAST char_of_value(TEXT_BASE - 1)

/* char_carry - a character plus a carry of -1, 0 or 1, which becomes the next one. */
INLINE uchar char_carry(uchar c, int *carry)
{
    const int v = (int)char_value(c) + *carry;
    *carry = v >= TEXT_BASE ? 1 : v < 0 ? -1 : 0;
    return char_of_value((uint)(v - *carry * TEXT_BASE));
}

#endif
