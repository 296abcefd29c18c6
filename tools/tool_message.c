/*
 * tool_message.c - messages, the names in them, and the time.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tool.h"

void text_show(const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '\n')
            fputs("\\n", stderr);
        else if (c < 0x20 || c == 0x7f)
            fprintf(stderr, "\\x%02x", c);
        else
            putc(c, stderr);
    }
}

void complain(const char *format, ...)
{
    char room[1024], *text = NULL;
    va_list args;

    va_start(args, format);
    const int n = vsnprintf(room, sizeof room, format, args);
    va_end(args);
    va_start(args, format);
    if (n >= (int)sizeof room && vasprintf(&text, format, args) < 0)
        text = NULL; /* no memory: its beginning has to do */
    va_end(args);
    progress_erase();
    fprintf(stderr, "%s: ", program_name);
    text_show(text ? text : room);
    putc('\n', stderr);
    free(text);
}

const char *name_for_messages(const char *file, const char *standard)
{
    return !file || strcmp(file, "-") == 0 ? standard : *file ? file : "''";
}

uint64_t time_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
