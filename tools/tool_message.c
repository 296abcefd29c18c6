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
#include <string.h>
#include <time.h>

#include "tool.h"

void complain(const char *format, ...)
{
    va_list args;

    progress_erase();
    fprintf(stderr, "%s: ", program_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
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
