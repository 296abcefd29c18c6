/*
 * tool_stats.c - what all programs' --stats have.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <sys/resource.h>

#include "tool.h"

uint64_t stats_peak_bytes(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0 || usage.ru_maxrss < 0)
        return 0;
#ifdef __APPLE__
    return (uint64_t)usage.ru_maxrss;
#else
    return (uint64_t)usage.ru_maxrss * 1024;
#endif
}

double stats_ms(uint64_t ns)
{
    return (double)ns * 1e-6;
}

void stats_json_string(const char *key, const char *s)
{
    fprintf(stderr, "\"%s\":\"", key);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(stderr, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(stderr, "\\u%04x", c);
        else if (c >= 0x80)
            fputs("\\ufffd", stderr);
        else
            putc(c, stderr);
    }
    putc('"', stderr);
}
