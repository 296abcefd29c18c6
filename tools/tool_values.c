/*
 * tool_values.c - values of options that the programs share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <string.h>

#include "tool.h"

/* The index of each name is the value of its enum in gfmul.h or tool.h. */
static const char *const verify_names[] = {"mod", "gmp", "none", NULL};
static const char *const progress_names[] = {"auto", "always", "never", NULL};
static const char *const stats_names[] = {"none", "text", "json", NULL};
static const char *const format_names[] = {"auto", "text", "binary", NULL};

_Static_assert(GFMUL_VERIFY_NONE == 2 && PROGRESS_NEVER == 2 && STATS_JSON == 2 && FORMAT_BINARY == 2,
               "the names above follow the enums");

enum { MAX_THREADS = 1024 };

int usage_error(void)
{
    fprintf(stderr, "Try '%s --help' for more information.\n", program_name);
    return EXIT_USAGE;
}

int choice_parse(const char *what, const char *value, const char *const *names)
{
    char list[256] = "";

    for (int i = 0; names[i]; i++) {
        if (*value && strcmp(value, names[i]) == 0)
            return i;
        size_t used = strlen(list);
        if (names[i][0])
            snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    complain("unknown %s '%s'; valid are: %s", what, value, list);
    return -1;
}

int number_parse(const char *value, int low, int high)
{
    int n = 0;

    if (!*value)
        return -1;
    for (; *value; value++) {
        if (*value < '0' || *value > '9')
            return -1;
        n = 10 * n + (*value - '0');
        if (n > high)
            return -1;
    }
    return n >= low ? n : -1;
}

int base_parse(const char *value)
{
    const int n = strcmp(value, "auto") == 0 ? 0 : number_parse(value, 2, 36);

    if (n < 0)
        complain("unknown base '%s'; valid are: auto, 2..36", value);
    return n;
}

int output_base_parse(const char *value)
{
    const int n = number_parse(value, 2, 36);

    if (n < 0)
        complain("unknown output base '%s'; valid are: 2..36", value);
    return n;
}

int threads_parse(const char *value)
{
    const int n = number_parse(value, 1, MAX_THREADS);

    if (n < 0)
        complain("bad number of threads '%s'; valid are: 1..%d", value, MAX_THREADS);
    return n;
}

int stats_parse(const char *value)
{
    return value ? choice_parse("form of --stats", value, stats_names) : STATS_TEXT;
}

int progress_parse(const char *value)
{
    return choice_parse("progress", value, progress_names);
}

int format_parse(const char *value)
{
    return choice_parse("format", value, format_names);
}

int verify_parse(struct gfmul_options *library, const char *value)
{
    int choice = GFMUL_VERIFY_MOD, primes = 0;
    if (strncmp(value, "mod:", 4) != 0)
        choice = choice_parse("check", value, verify_names);
    else if ((primes = number_parse(value + 4, 1, GFMUL_RESIDUES_MAX)) < 0)
        complain("bad number of primes '%s'; valid are: 1..%d", value + 4, GFMUL_RESIDUES_MAX);
    library->verify = (enum gfmul_verify)choice;
    library->verify_primes = primes > 0 ? (unsigned)primes : 0;
    return primes < 0 ? -1 : choice;
}

void name_option_init(int argc, char **argv)
{
    static char name[32]; /* getopt's messages name argv[0] */

    snprintf(name, sizeof name, "%s", program_name);
    if (argc > 0)
        argv[0] = name;
}
