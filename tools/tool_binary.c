/*
 * tool_binary.c - numbers in the binary format.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "gfmul_files.h"
#include "tool.h"

enum { MAGIC_BYTES = 8, MAGIC_FIRST = 0x89, HEAD_BYTES = 64 };

bool binary_may_begin(const char *text, size_t len)
{
    return len < MAGIC_BYTES ? len > 0 && (unsigned char)text[0] == MAGIC_FIRST : gfmul_binary_begins(text, len);
}

bool input_is_binary(const struct input *in)
{
    return gfmul_binary_begins(in->text, in->len);
}

bool binary_ends(const char *text, size_t len)
{
    struct gfmul_binary head;

    return len >= HEAD_BYTES && gfmul_binary_begins(text, len) &&
           (gfmul_binary_head(&head, text, len, NULL) != GFMUL_OK || len > head.file_bytes);
}

size_t input_limbs(const struct input *in)
{
    struct gfmul_binary head;
    const bool fits = gfmul_binary_head(&head, in->text, in->len, NULL) == GFMUL_OK && head.file_bytes <= in->len;

    return fits ? (size_t)head.limbs : 0;
}

int input_import(const struct input *in, mp_limb_t *z, size_t *zn, int *negative)
{
    struct gfmul_files_report report;
    const enum gfmul_status status = gfmul_binary_import(z, input_limbs(in), zn, negative, in->text, in->len, &report);
    const int changed = input_check(in);

    if (changed != EXIT_DONE || status == GFMUL_OK)
        return changed;
    complain("%s: %s", in->name, report.detail[0] ? report.detail : gfmul_strerror(status));
    return EXIT_INPUT;
}

bool format_is_binary(enum number_format format, bool binary, int output_base)
{
    return format == FORMAT_BINARY || (format == FORMAT_AUTO && binary && output_base == 0);
}

/* is_terminal - whether the output is open on a terminal, or is a terminal's file. */
static bool is_terminal(const struct output *out)
{
    if (out->is_open || !out->is_special || !S_ISCHR(out->stat.st_mode))
        return out->is_open && isatty(out->fd);
    const int fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const bool yes = fd >= 0 && isatty(fd);
    if (fd >= 0)
        close(fd);
    return yes;
}

int output_terminal_check(const struct output *out)
{
    if (!is_terminal(out))
        return EXIT_DONE;
    complain("%s: a binary number is not written to a terminal; use --output, or --output-format=text", out->name);
    return EXIT_INPUT;
}

int output_binary(struct output *out, const mp_limb_t *a, size_t an, bool negative, size_t *len)
{
    const size_t bytes = gfmul_binary_bytes(an);
    void *const file = bytes > 0 ? malloc(bytes) : NULL;
    int status = EXIT_COMPUTE;

    if (file && gfmul_binary_export(file, bytes, len, a, an, negative) == GFMUL_OK)
        status = output_write(out, file, *len);
    else
        complain("not enough memory for the result");
    free(file);
    return status;
}
