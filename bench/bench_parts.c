/*
 * bench_parts.c - programs that measure several things of one kind.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "bench_parts.h"

#include <stdio.h>
#include <string.h>

static void parts_list(const char *program, const struct bench_part *parts, FILE *to)
{
    fprintf(to, "Usage: %s WHAT [ARGUMENT]...     %s WHAT --help\n\n", program, program);
    for (const struct bench_part *p = parts; p->name; p++)
        fprintf(to, "  %-10s %s\n", p->name, p->what);
}

int bench_parts_run(const char *program, const struct bench_part *parts, int argc, char **argv)
{
    static char name[64]; /* getopt's messages begin with it */
    for (const struct bench_part *p = parts; argc > 1 && p->name; p++)
        if (strcmp(argv[1], p->name) == 0) {
            snprintf(name, sizeof name, "%s %s", program, p->name);
            argv[1] = name;
            return p->run(argc - 1, argv + 1);
        }
    const int helped = argc > 1 && strcmp(argv[1], "--help") == 0;
    parts_list(program, parts, helped ? stdout : stderr);
    return helped ? 0 : 2;
}
