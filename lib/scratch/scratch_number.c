/*
 * scratch_number.c - parts of numbers in files, of text or binary: runs of coefficients, and carries.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A unit is a decimal digit of text, the most significant first, or a byte of a binary number, the least significant first.
 */
#include <string.h>

#include "base/try.h"
#include "scratch/scratch.h"

uint64_t number_at(const struct scratch_number *t, uint64_t first, uint64_t n)
{
    return t->binary ? BINARY_HEAD_BYTES + first : t->end - first - n;
}

/* A run of coefficients in a number: units first .. first + inside - 1, counted from the last one; the others are beyond it. */
static size_t run_inside(const struct scratch_number *t, uint64_t *first, size_t count, size_t k)
{
    *first *= k;
    const uint64_t left = *first < t->digits ? t->digits - *first : 0;
    return left < count * k ? (size_t)left : count * k;
}

enum gfmul_status number_run_read(const struct scratch_number *t, char *to, uint64_t first, size_t count, size_t k,
                                  struct scratch_moved *moved, struct scratch_error *e)
{
    const size_t inside = run_inside(t, &first, count, k), beyond = count * k - inside;
    memset(t->binary ? to + inside : to, t->binary ? 0 : '0', beyond);
    return inside == 0 ? GFMUL_OK
                       : file_read(moved, t->fd, t->binary ? to : to + beyond, inside, number_at(t, first, inside), t->name, e);
}

static enum gfmul_status too_long(struct scratch_error *e)
{
    return scratch_fail(e, GFMUL_ERR_VERIFY, "the product has more digits than it can have");
}

enum gfmul_status number_run_write(const struct scratch_number *t, const char *from, uint64_t first, size_t count, size_t k,
                                   struct scratch_moved *moved, struct scratch_error *e)
{
    const size_t inside = run_inside(t, &first, count, k), beyond = count * k - inside;
    const char *const other = t->binary ? from + inside : from;
    for (size_t i = 0; i < beyond; i++)
        if (other[i] != (t->binary ? 0 : '0'))
            return too_long(e);
    return inside == 0
               ? GFMUL_OK
               : file_write(moved, t->fd, t->binary ? from : from + beyond, inside, number_at(t, first, inside), t->name, e);
}

unsigned __int128 text_add(char *digits, size_t n, unsigned __int128 carry)
{
    while (carry != 0 && n > 0) {
        carry += (unsigned)(digits[--n] - '0');
        digits[n] = (char)('0' + (unsigned)(carry % 10));
        carry /= 10;
    }
    return carry;
}

unsigned __int128 bytes_add(char *bytes, size_t n, unsigned __int128 carry)
{
    for (size_t i = 0; carry != 0 && i < n; i++) {
        carry += (unsigned char)bytes[i];
        bytes[i] = (char)(unsigned char)carry;
        carry >>= 8;
    }
    return carry;
}

enum gfmul_status number_carry(const struct scratch_number *t, uint64_t at, unsigned __int128 carry, struct scratch_moved *moved,
                               struct scratch_error *e)
{
    char part[SCRATCH_WINDOW];
    do {
        const uint64_t left = at < t->digits ? t->digits - at : 0;
        const size_t n = left < sizeof part ? (size_t)left : sizeof part;
        if (n == 0 && carry != 0)
            return too_long(e);
        if (n == 0)
            return GFMUL_OK;
        TRY(file_read(moved, t->fd, part, n, number_at(t, at, n), t->name, e));
        carry = (t->binary ? bytes_add : text_add)(part, n, carry);
        TRY(file_write(moved, t->fd, part, n, number_at(t, at, n), t->name, e));
        at += n;
    } while (carry != 0);
    return GFMUL_OK;
}
