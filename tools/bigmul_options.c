/*
 * bigmul_options.c - the command line.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "bigmul.h"

/* The index of each name is the value of its enum in gfmul.h or bigmul.h. */
static const char *const engine_names[] = {"auto", "cpu", "opencl", "fftw", "gmp", NULL};
static const char *const rule_names[] = {"norm", "knuth", "checked", NULL};
static const char *const precision_names[] = {"auto", "",      "double",
                                              "dd",   "prime", NULL}; /* "": float is available for transforms only */
static const char *const packing_names[] = {"auto", "two-for-one", "one-for-half", "right-angle", NULL};
static const char *const plan_names[] = {"none", "chosen", "all", NULL};

_Static_assert(GFMUL_ENGINE_GMP == 4 && GFMUL_RULE_CHECKED == 2 && GFMUL_PRECISION_PRIME == 4 && GFMUL_PACKING_RIGHT_ANGLE == 3,
               "the names above follow the enums");

enum { BUILD_PARTS_MAX = 1000 };

static void help_print(void)
{
    fputs("Usage: bigmul [OPTION]... A B\n"
          "       bigmul [OPTION]... --square A\n"
          "Print the product of the integers in the files A and B on standard output.\n"
          "\"-\" reads standard input.\n"
          "\n"
          "  -o, --output FILE      write FILE instead, whole or not at all\n"
          "  -b, --base BASE        base of A and B: 2..36, or auto: 0x, 0o and 0b prefixes,\n"
          "                         else 10 (default auto)\n"
          "  -B, --output-base N    base of the product: 2..36 (default: A's; no prefix is printed)\n"
          "      --output-format F  text, binary (limbs with checksums) or auto: binary if A and B are,\n"
          "                         and no -B is given (default auto)\n"
          "      --square           one operand: print its square\n"
          "      --lenient          read digit files as other programs write them: a point is\n"
          "                         dropped, so are y-cruncher's marks and bc's backslashes;\n"
          "                         files of gzip are decompressed\n"
          "      --memory SIZE      at most so many bytes for numbers and workspace: a number,\n"
          "                         perhaps with K, M, G or T\n"
          "      --scratch DIR[,DIR...]  products larger than memory, through nameless files in\n"
          "                         these folders; decimal or binary, see bigmul(1)\n"
          "      --resume           give scratch files names, and go on from those of a run that\n"
          "                         has ended early\n"
          "  -t, --threads N        use at most N threads, 1..1024 (default: OMP_NUM_THREADS, or all cores)\n"
          "  -d, --device DEVICE    auto, cpu, gpu, an index or a part of a name (default auto);\n"
          "                         several with commas, or all: another one takes over where\n"
          "                         one fails\n"
          "      --list-devices     list the devices and exit\n"
          "      --engine ENGINE    auto, cpu, opencl, fftw, gmp (default auto)\n"
          "      --rule RULE        how large digits may be: norm, knuth, checked (default norm);\n"
          "                         checked: a wrong product is printed with a probability\n"
          "                         below 2^-64, at every size, over the draw of the primes\n"
          "      --adaptive         rule knuth: some levels may run in double, as the proof admits\n"
          "      --precision P      auto, double, dd, prime (default auto)\n"
          "      --packing PACKING  auto, two-for-one, one-for-half, right-angle (default auto)\n"
          "      --verify HOW       check of the product: mod (residues modulo a random prime),\n"
          "                         mod:K (modulo K of them, 1..6), gmp (compute it again),\n"
          "                         none (default mod)\n"
          "      --certificate FILE  write what the proof of the product used, and residues, to FILE;\n"
          "                         gfmul-check-certificate checks the product with it\n"
          "      --plan[=WHICH]     print the plan instead of the product; WHICH is chosen, none, or all:\n"
          "                         a line for each way to make it, with its estimated ms\n"
          "      --stats[=FORM]     times and plan on standard error; FORM is none, text or json\n"
          "      --progress WHEN    a bar on standard error: auto, always, never (default auto:\n"
          "                         on a terminal, for work of more than a second)\n"
          "      --help             print this and exit\n"
          "      --version          print the version and exit\n"
          "\n"
          "A number is an optional sign and digits; white space, line ends and '_' between\n"
          "digits are ignored.  Or it is binary, which is recognised.\n"
          "\n"
          "Exit status: 0 done; 1 bad input, or reading or writing failed; 2 bad usage;\n"
          "3 the computation could not be done (memory, device, precision, verification).\n",
          stdout);
}

static void version_print(void)
{
    printf("bigmul (gfmul) %s\n"
           "Exact multiplication of big integers by FFT convolution.\n"
           "Copyright (C) 2026 the gfmul authors.  License LGPL-3.0-or-later.\n"
           "There is no warranty.\n",
           gfmul_version());
}

/* Say what to change if each choice exists, but no transform has all of them. */
static const char *choices_remedy(const struct gfmul_options *library)
{
    if (library->engine == GFMUL_ENGINE_FFTW)
        return library->precision == GFMUL_PRECISION_AUTO || library->precision == GFMUL_PRECISION_DOUBLE
                   ? "engine fftw has packing one-for-half alone"
                   : "engine fftw has precision double alone";
    if (library->precision == GFMUL_PRECISION_PRIME)
        return library->rule != GFMUL_RULE_NORM ? "precision prime has rule norm alone"
                                                : "precision prime has packing auto alone";
    if (library->precision != GFMUL_PRECISION_DD)
        return "on a device rule knuth has precision dd and packing right-angle alone";
    return library->rule == GFMUL_RULE_CHECKED ? "precision dd has the rules norm and knuth"
                                               : "precision dd has packing right-angle alone";
}

void options_unsupported(const struct gfmul_options *library)
{
    bool found = false;

    for (int i = 0; i < 4; i++) {
        struct gfmul_options alone;
        struct gfmul_ctx *ctx;
        const char *what = "", *name = "";
        gfmul_options_init(&alone);
        switch (i) {
        case 0:
            alone.engine = library->engine, what = "engine", name = engine_names[library->engine];
            break;
        case 1:
            alone.rule = library->rule, what = "rule", name = rule_names[library->rule];
            break;
        case 2:
            alone.precision = library->precision, what = "precision", name = precision_names[library->precision];
            break;
        case 3:
            alone.packing = library->packing, what = "packing", name = packing_names[library->packing];
            break;
        }
        if (gfmul_ctx_create(&ctx, &alone) == GFMUL_ERR_UNSUPPORTED) {
            complain("%s %s: %s", what, name, gfmul_strerror(GFMUL_ERR_UNSUPPORTED));
            found = true;
        }
        gfmul_ctx_destroy(ctx);
    }
    if (!found)
        complain("engine %s, rule %s, precision %s and packing %s do not go together: %s", engine_names[library->engine],
                 rule_names[library->rule], precision_names[library->precision], packing_names[library->packing],
                 choices_remedy(library));
}

enum {
    OPT_SQUARE = 256,
    OPT_FORMAT,
    OPT_CERTIFICATE,
    OPT_LENIENT,
    OPT_LIST,
    OPT_MEMORY,
    OPT_SCRATCH,
    OPT_RESUME,
    OPT_ENGINE,
    OPT_RULE,
    OPT_ADAPTIVE,
    OPT_PRECISION,
    OPT_PACKING,
    OPT_VERIFY,
    OPT_PLAN,
    OPT_STATS,
    OPT_PROGRESS,
    OPT_HELP,
    OPT_VERSION
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"base", required_argument, NULL, 'b'},
    {"output-base", required_argument, NULL, 'B'},
    {"output-format", required_argument, NULL, OPT_FORMAT},
    {"square", no_argument, NULL, OPT_SQUARE},
    {"lenient", no_argument, NULL, OPT_LENIENT},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"scratch", required_argument, NULL, OPT_SCRATCH},
    {"resume", no_argument, NULL, OPT_RESUME},
    {"certificate", required_argument, NULL, OPT_CERTIFICATE},
    {"threads", required_argument, NULL, 't'},
    {"device", required_argument, NULL, 'd'},
    {"list-devices", no_argument, NULL, OPT_LIST},
    {"engine", required_argument, NULL, OPT_ENGINE},
    {"rule", required_argument, NULL, OPT_RULE},
    {"adaptive", no_argument, NULL, OPT_ADAPTIVE},
    {"precision", required_argument, NULL, OPT_PRECISION},
    {"packing", required_argument, NULL, OPT_PACKING},
    {"verify", required_argument, NULL, OPT_VERIFY},
    {"plan", optional_argument, NULL, OPT_PLAN},
    {"stats", optional_argument, NULL, OPT_STATS},
    {"progress", required_argument, NULL, OPT_PROGRESS},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

/* The operands that follow the options. */
static int operands_parse(struct settings *s, bool square, int n, char **operand)
{
    int wanted = square ? 1 : 2;

    if (n < wanted) {
        complain(n == 0 ? "missing operand" : "missing operand after '%s'", n == 0 ? "" : operand[n - 1]);
        return usage_error();
    }
    if (n > wanted) {
        complain(square ? "extra operand '%s': --square takes one" : "extra operand '%s'", operand[wanted]);
        return usage_error();
    }
    s->file[0] = operand[0];
    s->file[1] = square ? operand[0] : operand[1];
    if (!square && strcmp(operand[0], "-") == 0 && strcmp(operand[1], "-") == 0) {
        complain("only one operand can be standard input; for its square use --square");
        return usage_error();
    }
    return EXIT_DONE;
}

/* certificate_check - a certificate needs a product, and a file of its own. */
static int certificate_check(const struct settings *s)
{
    const char *output = s->output ? s->output : "-";

    if (s->plan || s->list_devices)
        complain("there is no product for the certificate: leave out --certificate or %s", s->plan ? "--plan" : "--list-devices");
    else if (strcmp(s->certificate, output) == 0)
        complain("the product and its certificate need a file each");
    else if (s->library.engine == GFMUL_ENGINE_GMP)
        complain("engine gmp has no certificates");
    else
        return EXIT_DONE;
    return usage_error();
}

/* Some engines run only on some devices: EXIT_USAGE if the two do not go together. */
static int device_check(const struct settings *s)
{
    const char *device = s->library.device;
    const enum gfmul_engine engine = s->library.engine;

    if (!device || strcmp(device, "auto") == 0 || engine == GFMUL_ENGINE_AUTO)
        return EXIT_DONE;
    const bool cpu = strcmp(device, "cpu") == 0 || strcmp(device, "0") == 0;
    if (cpu == (engine != GFMUL_ENGINE_OPENCL))
        return EXIT_DONE;
    complain("engine '%s' does not run on device '%s'", engine_names[engine], device);
    return usage_error();
}

/* Products in files have one way of being made: EXIT_USAGE if another one is asked for. */
static int scratch_check(const struct settings *s)
{
    const struct gfmul_options *const library = &s->library;
    const char *const device = library->device;
    const char *other = NULL;

    if (s->lenient)
        other = "--lenient";
    else if (s->certificate)
        other = "--certificate";
    else if ((s->base != 0 && s->base != 10) || (s->output_base != 0 && s->output_base != 10))
        other = "another base than 10";
    else if (device && strcmp(device, "auto") != 0 && strcmp(device, "cpu") != 0)
        other = "another device than cpu";
    else if (library->engine != GFMUL_ENGINE_AUTO && library->engine != GFMUL_ENGINE_CPU)
        other = "another engine than cpu";
    else if (library->rule != GFMUL_RULE_NORM || library->adaptive)
        other = "another rule than norm";
    else if (library->precision != GFMUL_PRECISION_AUTO && library->precision != GFMUL_PRECISION_PRIME)
        other = "another precision than prime";
    else if (library->packing != GFMUL_PACKING_AUTO)
        other = "--packing";
    else if (library->verify != GFMUL_VERIFY_MOD || library->verify_primes != 0)
        other = "--verify";
    else if (s->plan == PLAN_ALL)
        other = "--plan=all";
    else if (s->stats == STATS_JSON)
        other = "--stats=json";
    if (other) {
        complain("--scratch does not go with %s", other);
        return usage_error();
    }
    int folders = 1;
    bool empty = *s->scratch == ',' || *s->scratch == '\0';
    for (const char *p = s->scratch; *p; p++)
        if (*p == ',') {
            folders++;
            empty = empty || p[1] == ',' || p[1] == '\0';
        }
    if (!empty && folders <= SCRATCH_FOLDERS)
        return EXIT_DONE;
    complain("bad list of folders '%s'; valid are: up to %d names, separated by commas", s->scratch, SCRATCH_FOLDERS);
    return usage_error();
}

/* Options whose value is a name from a list: EXIT_DONE, or EXIT_USAGE after a message. */
static int name_parse(struct settings *s, int opt, const char *value)
{
    int choice;

    switch (opt) {
    case OPT_ENGINE:
        choice = choice_parse("engine", value, engine_names);
        s->library.engine = (enum gfmul_engine)choice;
        break;
    case OPT_RULE:
        choice = choice_parse("rule", value, rule_names);
        s->library.rule = (enum gfmul_rule)choice;
        break;
    case OPT_PRECISION:
        choice = choice_parse("precision", value, precision_names);
        s->library.precision = (enum gfmul_precision)choice;
        break;
    case OPT_PACKING:
        choice = choice_parse("packing", value, packing_names);
        s->library.packing = (enum gfmul_packing)choice;
        break;
    case OPT_VERIFY:
        choice = verify_parse(&s->library, value);
        break;
    case OPT_FORMAT:
        choice = format_parse(value);
        s->output_format = (enum number_format)choice;
        break;
    case OPT_STATS:
        choice = stats_parse(value);
        s->stats = (enum stats_form)choice;
        break;
    case OPT_PLAN:
        choice = choice_parse("plan", value, plan_names);
        s->plan = (enum plan_form)choice;
        break;
    default: /* OPT_PROGRESS */
        choice = progress_parse(value);
        s->progress = (enum progress_when)choice;
        break;
    }
    return choice < 0 ? usage_error() : EXIT_DONE;
}

/* The same for options whose value is a number. */
static int count_parse(struct settings *s, int opt, const char *value)
{
    int n;

    switch (opt) {
    case 'b':
        n = base_parse(value);
        s->base = n;
        break;
    case 'B':
        n = output_base_parse(value);
        s->output_base = n;
        break;
    default: /* 't' */
        n = threads_parse(value);
        s->library.threads = (unsigned)n;
        break;
    }
    return n < 0 ? usage_error() : EXIT_DONE;
}

/* memory_parse - the value of --memory. */
static int memory_parse(struct settings *s, const char *value)
{
    static const char units[] = "KMGT";
    size_t n = 0;
    const char *p = value;

    for (; *p >= '0' && *p <= '9' && n <= (SIZE_MAX - 9) / 10; p++)
        n = 10 * n + (size_t)(*p - '0');
    const char *const unit = *p ? strchr(units, *p) : NULL;
    for (int i = unit ? (int)(unit - units) : -1; i >= 0 && n > 0; i--)
        n = n <= SIZE_MAX >> 10 ? n << 10 : 0;
    if (n == 0 || *value < '0' || *value > '9' || (*p && (!unit || p[1]))) {
        complain("bad size of memory '%s'; valid are: bytes, or a number with K, M, G or T, such as 4G", value);
        return usage_error();
    }
    s->memory = n;
    s->memory_text = value;
    return EXIT_DONE;
}

/* build_parse - "PART/PARTS" of BUILD_OPTION. */
static int build_parse(struct settings *s, const char *value)
{
    char text[16];
    const char *const slash = strchr(value, '/');
    const size_t n = slash ? (size_t)(slash - value) : sizeof text;
    int part = -1, parts = -1;

    if (n < sizeof text) {
        memcpy(text, value, n);
        text[n] = '\0';
        part = number_parse(text, 0, BUILD_PARTS_MAX);
        parts = number_parse(slash + 1, 1, BUILD_PARTS_MAX);
    }
    if (part < 0 || parts <= part) {
        complain("bad part of the programs '%s'", value);
        return usage_error();
    }
    s->build_part = (unsigned)part;
    s->build_parts = (unsigned)parts;
    return EXIT_DONE;
}

int options_parse(struct settings *s, bool *done, int argc, char **argv)
{
    bool square = false;
    int opt, status = EXIT_DONE;

    memset(s, 0, sizeof *s);
    gfmul_options_init(&s->library);
    *done = true;
    if (argc > 1 && strncmp(argv[1], BUILD_OPTION, strlen(BUILD_OPTION)) == 0) {
        status = build_parse(s, argv[1] + strlen(BUILD_OPTION));
        argc--;
        argv++;
    }
    name_option_init(argc, argv);
    while (status == EXIT_DONE && (opt = getopt_long(argc, argv, "o:b:B:t:d:", long_options, NULL)) != -1) {
        switch (opt) {
        case 'o':
            s->output = optarg;
            break;
        case 'b':
        case 'B':
        case 't':
            status = count_parse(s, opt, optarg);
            break;
        case 'd':
            s->library.device = optarg;
            if (!*optarg) {
                complain("unknown device ''; valid are: auto, cpu, gpu, all, an index or a part of a name");
                status = usage_error();
            }
            break;
        case OPT_SQUARE:
            square = true;
            break;
        case OPT_CERTIFICATE:
            s->certificate = optarg;
            s->library.certify = 1;
            break;
        case OPT_LENIENT:
            s->lenient = true;
            break;
        case OPT_SCRATCH:
            s->scratch = optarg;
            break;
        case OPT_RESUME:
            s->resume = true;
            break;
        case OPT_MEMORY:
            status = memory_parse(s, optarg);
            break;
        case OPT_ADAPTIVE:
            s->library.adaptive = 1;
            break;
        case OPT_LIST:
            s->list_devices = true;
            break;
        case OPT_HELP:
            help_print();
            return stdout_close();
        case OPT_VERSION:
            version_print();
            return stdout_close();
        case '?':
            return usage_error(); /* getopt_long has printed the reason */
        default:
            status = name_parse(s, opt, optarg ? optarg : opt == OPT_PLAN ? "chosen" : NULL); /* else only --stats */
            break;
        }
    }
    if (status == EXIT_DONE && s->list_devices && optind < argc) {
        complain("extra operand '%s': --list-devices takes none", argv[optind]);
        status = usage_error();
    } else if (status == EXIT_DONE && !s->list_devices) {
        status = operands_parse(s, square, argc - optind, argv + optind);
    }
    if (status == EXIT_DONE)
        status = device_check(s);
    if (status == EXIT_DONE && s->output_format == FORMAT_BINARY && s->output_base != 0) {
        complain("--output-base does not go with --output-format=binary");
        status = usage_error();
    }
    if (status == EXIT_DONE && s->certificate)
        status = certificate_check(s);
    if (status == EXIT_DONE && s->scratch)
        status = scratch_check(s);
    if (status == EXIT_DONE && s->resume && !s->scratch) {
        complain("--resume needs --scratch");
        status = usage_error();
    }
    *done = status != EXIT_DONE;
    return status;
}
