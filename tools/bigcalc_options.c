/*
 * bigcalc_options.c - the command line.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bigcalc.h"

static void help_print(void)
{
    fputs("Usage: bigcalc [OPTION]... EXPRESSION\n"
          "Print the value of an expression over integers in files on standard output.\n"
          "\n"
          "  a + b  a - b  a * b    sums, differences, products; -a\n"
          "  a // b  a % b          quotient, rounded down, and remainder, with the sign of b\n"
          "  a^b                    power; a^b^c is a^(b^c), -a^2 is -(a^2)\n"
          "  isqrt(a)               square root, rounded down\n"
          "  powmod(a, b, m)        a^b modulo m, in [0, |m|)\n"
          "  gcd(a, b)              greatest common divisor\n"
          "\n"
          "A name such as a or a.txt is a file with a number, or what --name binds to it.\n"
          "Quote other paths: 'dir/a.txt' or \"dir/a.txt\"; \"-\" is standard input.\n"
          "Digits are a number, in base 10 or by a prefix 0x, 0o or 0b.\n"
          "\n"
          "  -n, --name NAME=FILE   the name stands for this file\n"
          "  -o, --output FILE      write FILE instead, whole or not at all\n"
          "  -b, --base BASE        base of the files: 2..36, or auto: 0x, 0o and 0b prefixes,\n"
          "                         else 10 (default auto)\n"
          "  -B, --output-base N    base of the result: 2..36 (default: that of the first file,\n"
          "                         else 10; no prefix is printed)\n"
          "      --output-format F  text, binary (limbs with checksums) or auto: binary if all files are,\n"
          "                         and no -B is given (default auto)\n"
          "      --lenient          read digit files as other programs write them, as bigmul does\n"
          "  -t, --threads N        use at most N threads, 1..1024 (default: OMP_NUM_THREADS, or all cores)\n"
          "      --verify HOW       check of each product: mod (residues modulo a random prime),\n"
          "                         mod:K (modulo K of them, 1..6), gmp (compute it again),\n"
          "                         none (default mod)\n"
          "      --stats[=FORM]     times on standard error; FORM is none, text or json\n"
          "      --progress WHEN    a bar on standard error: auto, always, never (default auto:\n"
          "                         on a terminal, for work of more than a second)\n"
          "      --help             print this and exit\n"
          "      --version          print the version and exit\n"
          "\n"
          "An expression that begins with '-' follows '--'.\n"
          "\n"
          "Exit status: 0 done; 1 bad input, no such value (as of a division by zero), or reading\n"
          "or writing failed; 2 bad usage or expression; 3 the computation could not be done.\n",
          stdout);
}

static void version_print(void)
{
    printf("bigcalc (gfmul) %s\n"
           "Exact expressions over big integers, by FFT convolution.\n"
           "Copyright (C) 2026 the gfmul authors.  License LGPL-3.0-or-later.\n"
           "There is no warranty.\n",
           gfmul_version());
}

enum { OPT_FORMAT = 256, OPT_LENIENT, OPT_VERIFY, OPT_STATS, OPT_PROGRESS, OPT_HELP, OPT_VERSION };

static const struct option long_options[] = {
    {"name", required_argument, NULL, 'n'},
    {"output", required_argument, NULL, 'o'},
    {"base", required_argument, NULL, 'b'},
    {"output-base", required_argument, NULL, 'B'},
    {"output-format", required_argument, NULL, OPT_FORMAT},
    {"lenient", no_argument, NULL, OPT_LENIENT},
    {"threads", required_argument, NULL, 't'},
    {"verify", required_argument, NULL, OPT_VERIFY},
    {"stats", optional_argument, NULL, OPT_STATS},
    {"progress", required_argument, NULL, OPT_PROGRESS},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

/* The names of the command line. */
struct bindings {
    struct binding *list;
    size_t n;
};

/* binding_parse - the value of --name. */
static int binding_parse(struct bindings *names, const char *value)
{
    const size_t len = name_length(value);

    if (len == 0 || value[len] != '=' || !value[len + 1]) {
        complain("bad value of --name '%s'; valid is: NAME=FILE, a name of letters, digits, '_' and '.'", value);
        return usage_error();
    }
    for (size_t i = 0; i < names->n; i++)
        if (names->list[i].len == len && strncmp(names->list[i].name, value, len) == 0) {
            complain("--name=%s: the name '%.*s' has a file already", value, (int)len, value);
            return usage_error();
        }
    names->list[names->n++] = (struct binding){value, len, value + len + 1, false};
    return EXIT_DONE;
}

/* option_take - an option that neither ends the program nor has a name; EXIT_DONE, or EXIT_USAGE after a message. */
static int option_take(struct settings *s, int opt, const char *value)
{
    int n = 0;

    switch (opt) {
    case 'o':
        s->output = value;
        break;
    case 'b':
        s->base = n = base_parse(value);
        break;
    case 'B':
        s->output_base = n = output_base_parse(value);
        break;
    case 't':
        n = threads_parse(value);
        s->library.threads = (unsigned)n;
        break;
    case OPT_FORMAT:
        n = format_parse(value);
        s->output_format = (enum number_format)n;
        break;
    case OPT_LENIENT:
        s->lenient = true;
        break;
    case OPT_VERIFY:
        n = verify_parse(&s->library, value);
        break;
    case OPT_STATS:
        n = stats_parse(value);
        s->stats = (enum stats_form)n;
        break;
    default: /* OPT_PROGRESS */
        n = progress_parse(value);
        s->progress = (enum progress_when)n;
        break;
    }
    return n < 0 ? usage_error() : EXIT_DONE;
}

/* operands_parse - the expression. */
static int operands_parse(struct settings *s, struct bindings *names, int n, char **operand)
{
    if (n != 1) {
        if (n == 0)
            complain("missing expression");
        else
            complain("extra operand '%s'; quote the expression", operand[1]);
        return usage_error();
    }
    return expression_parse(&s->expression, operand[0], names->list, names->n);
}

static int arguments_parse(struct settings *s, struct bindings *names, bool *done, int argc, char **argv)
{
    int opt, status = EXIT_DONE;

    while (status == EXIT_DONE && (opt = getopt_long(argc, argv, "n:o:b:B:t:", long_options, NULL)) != -1) {
        switch (opt) {
        case 'n':
            status = binding_parse(names, optarg);
            break;
        case OPT_HELP:
            help_print();
            *done = true;
            return stdout_close();
        case OPT_VERSION:
            version_print();
            *done = true;
            return stdout_close();
        case '?':
            return usage_error(); /* getopt_long has printed the reason */
        default:
            status = option_take(s, opt, optarg);
            break;
        }
    }
    if (status == EXIT_DONE && s->output_format == FORMAT_BINARY && s->output_base != 0) {
        complain("--output-base does not go with --output-format=binary");
        return usage_error();
    }
    return status == EXIT_DONE ? operands_parse(s, names, argc - optind, argv + optind) : status;
}

int options_parse(struct settings *s, bool *done, int argc, char **argv)
{
    struct bindings names = {calloc((size_t)argc + 1, sizeof *names.list), 0};
    int status = EXIT_COMPUTE;

    *s = (struct settings){.output = NULL};
    gfmul_options_init(&s->library);
    *done = false;
    name_option_init(argc, argv);
    if (names.list)
        status = arguments_parse(s, &names, done, argc, argv);
    else
        complain("not enough memory for the command line");
    free(names.list);
    *done = *done || status != EXIT_DONE;
    return status;
}

void settings_free(struct settings *s)
{
    expression_free(&s->expression);
}
