/*
 * scratch_text.c - numbers in text files: where digits are, and their residues.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/try.h"
#include "scratch/scratch.h"
#include "text/text.h"
#include "text/text_chars.h"

enum { OPEN_BYTES = 4096, TOP_DIGITS = 18 };

static enum gfmul_status syntax(struct scratch_number *t, uint64_t at, const char *what, struct scratch_error *e)
{
    t->error_offset = at;
    return scratch_fail(e, GFMUL_ERR_SYNTAX, "%s", what);
}

/* first_of - the first character from `at` on that is not skipped: white space, or '0'; or the end of the file. */
static enum gfmul_status first_of(const struct scratch_number *t, uint64_t *at, char *found, bool zeros,
                                  struct scratch_moved *moved, struct scratch_error *e)
{
    char text[OPEN_BYTES];
    for (*found = '\0'; *at < t->file_bytes;) {
        const uint64_t left = t->file_bytes - *at;
        const size_t n = left < sizeof text ? (size_t)left : sizeof text;
        TRY(file_read(moved, t->fd, text, n, *at, t->name, e));
        for (size_t i = 0; i < n; i++, ++*at)
            if (zeros ? text[i] != '0' : !char_is_space(text[i])) {
                *found = text[i];
                return GFMUL_OK;
            }
    }
    return GFMUL_OK;
}

/* end_find - t->end: behind the last character that is no white space.   from in: there is one from here on */
static enum gfmul_status end_find(struct scratch_number *t, uint64_t from, struct scratch_moved *moved, struct scratch_error *e)
{
    char text[OPEN_BYTES];
    for (t->end = t->file_bytes; t->end > from;) {
        const size_t n = t->end - from < sizeof text ? (size_t)(t->end - from) : sizeof text;
        TRY(file_read(moved, t->fd, text, n, t->end - n, t->name, e));
        for (size_t i = n; i > 0; i--, t->end--)
            if (!char_is_space(text[i - 1]))
                return GFMUL_OK;
    }
    return GFMUL_OK;
}

enum gfmul_status text_open(struct scratch_number *t, int fd, const char *name, struct scratch_moved *moved,
                            struct scratch_error *e)
{
    struct stat st;
    uint64_t at = 0;
    char c, top[TOP_DIGITS];
    *t = (struct scratch_number){.fd = fd, .name = name};
    if (fstat(fd, &st) != 0)
        return file_fail(e, name, "read", errno);
    if (!S_ISREG(st.st_mode))
        return scratch_fail(e, GFMUL_ERR_FILE, "%s: not a regular file", name);
    t->file_bytes = (uint64_t)st.st_size;
    TRY(first_of(t, &at, &c, false, moved, e));
    if (c == '+' || c == '-') {
        t->negative = c == '-';
        at++;
        TRY(first_of(t, &at, &c, false, moved, e));
    }
    if (c == '\0' && at == t->file_bytes) {
        t->error_offset = at;
        return scratch_fail(e, GFMUL_ERR_EMPTY, "no digits");
    }
    if (c < '0' || c > '9')
        return syntax(t, at, "not a decimal digit", e);
    TRY(end_find(t, at, moved, e));
    TRY(first_of(t, &at, &c, true, moved, e));
    if (at >= t->end) { /* nothing but zeros */
        t->negative = false;
        return GFMUL_OK;
    }
    t->digits = t->end - at;
    t->top_digits = t->digits < TOP_DIGITS ? (unsigned)t->digits : TOP_DIGITS;
    TRY(file_read(moved, fd, top, t->top_digits, at, name, e));
    for (unsigned i = 0; i < t->top_digits; i++) {
        if (top[i] < '0' || top[i] > '9')
            return syntax(t, at + i, "not a decimal digit", e);
        t->top = 10 * t->top + (unsigned)(top[i] - '0');
    }
    return GFMUL_OK;
}

enum gfmul_status text_place(const struct scratch_number *t, uint64_t offset, uint64_t *line, uint64_t *column,
                             struct scratch_moved *moved, struct scratch_error *e)
{
    char text[OPEN_BYTES];
    uint64_t lines = 1, start = 0; /* of the line */
    for (uint64_t at = 0; at < offset;) {
        const size_t n = offset - at < sizeof text ? (size_t)(offset - at) : sizeof text;
        TRY(file_read(moved, t->fd, text, n, at, t->name, e));
        for (size_t i = 0; i < n; i++, at++)
            if (text[i] == '\n') {
                lines++;
                start = at + 1;
            }
    }
    *line = lines;
    *column = offset - start + 1;
    return GFMUL_OK;
}

enum gfmul_status text_take(const struct scratch_check *check, uint64_t *r, const char *text, size_t bytes, size_t *at)
{
    uint64_t part[GFMUL_RESIDUES_MAX];
    if (!text_is_digits(text, bytes, 10, check->threads)) {
        for (*at = 0; *at < bytes && text[*at] >= '0' && text[*at] <= '9';)
            ++*at;
        return GFMUL_ERR_SYNTAX;
    }
    const struct text_number digits = {.base = 10, .digits = text, .n_digits = bytes};
    text_residues(part, &digits, check->prime, check->n, check->isa_bit, check->threads);
    for (unsigned i = 0; i < check->n; i++) {
        const uint64_t p = check->prime[i];
        r[i] = (residue_mul(r[i], residue_power(10, bytes, p), p) + part[i]) % p;
    }
    return GFMUL_OK;
}
