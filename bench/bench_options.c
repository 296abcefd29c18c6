/*
 * bench_options.c - the command line that the benchmarks share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* The index of each name is the value of its enum. */
static const char *const engine_names[] = {"auto", "cpu", "opencl", "fftw", "gmp", NULL};
static const char *const rule_names[] = {"norm", "knuth", "checked", NULL};
static const char *const packing_names[] = {"auto", "two-for-one", "one-for-half", "right-angle", NULL};
static const char *const verify_names[] = {"mod", "gmp", "none", NULL};
static const char *const clock_names[] = {"auto", "wall", "cpu", NULL};
static const char *const operand_names[] = {"random", "ones", "sevens", NULL};

_Static_assert(GFMUL_ENGINE_GMP == 4 && GFMUL_RULE_CHECKED == 2 && GFMUL_PACKING_RIGHT_ANGLE == 3 && GFMUL_VERIFY_NONE == 2 &&
                   BENCH_CLOCK_CPU == 2 && BENCH_OPERANDS_SEVENS == 2,
               "the names above follow the enums");

static const char *program_name = "bench";

static const char common_usage[] =
    "      --engine ENGINE    of gfmul: auto, cpu, opencl, fftw, gmp (default auto)\n"
    "      --rule RULE        norm, knuth, checked (default norm)\n"
    "      --packing PACKING  auto, two-for-one, one-for-half, right-angle (default auto)\n"
    "      --verify HOW       mod, gmp, none (default mod)\n"
    "      --threads N        1..1024, of every contestant that has threads (default 1)\n"
    "      --clock CLOCK      cpu: CPU time of the thread; wall; auto: cpu for one thread (default auto)\n"
    "      --cpu N            run on this CPU only; none: anywhere (default: the last CPU for one thread)\n"
    "      --seconds S        time for each size (default %g)\n"
    "      --rounds N         at least N rounds for each size (default %u)\n"
    "      --sample US        a sample lasts at least so many microseconds (default 100)\n"
    "      --operands KIND    random; ones: all bits set; sevens: 0x7777..., large digits (default random)\n"
    "      --seed N           of the random operands (default 1)\n"
    "      --help             print this and exit\n"
    "\n"
    "Figures go to standard output as tab-separated values below lines that begin with '#'.\n";

static void message_print(const char *format, va_list args)
{
    fflush(stdout);
    fprintf(stderr, "%s: ", program_name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void usage_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message_print(format, args);
    va_end(args);
    fprintf(stderr, "Try '%s --help' for more information.\n", program_name);
    exit(2);
}

void bench_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message_print(format, args);
    va_end(args);
    exit(1);
}

void *bench_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        bench_fail("out of memory: %zu times %zu bytes", count, size);
    return p;
}

double real_parse(const char *what, const char *arg, double low, double high)
{
    char *end;
    errno = 0;
    double x = strtod(arg, &end);
    if (end == arg || *end || errno || !(x >= low && x <= high))
        usage_fail("%s '%s': a number in %g..%g is needed", what, arg, low, high);
    return x;
}

size_t size_parse(const char *what, const char *arg)
{
    double x = real_parse(what, arg, 1, 1e12);
    if (x != floor(x))
        usage_fail("%s '%s': a whole number is needed", what, arg);
    return (size_t)x;
}

static unsigned count_parse(const char *what, const char *arg, unsigned low, unsigned high)
{
    double x = real_parse(what, arg, low, high);
    if (x != floor(x))
        usage_fail("%s '%s': a whole number is needed", what, arg);
    return (unsigned)x;
}

static int choice_parse(const char *what, const char *arg, const char *const *names)
{
    char list[256] = "";
    for (int i = 0; names[i]; i++) {
        if (strcmp(arg, names[i]) == 0)
            return i;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    usage_fail("unknown %s '%s'; valid are: %s", what, arg, list);
}

enum {
    OPT_ENGINE = 256,
    OPT_RULE,
    OPT_PACKING,
    OPT_VERIFY,
    OPT_THREADS,
    OPT_CLOCK,
    OPT_CPU,
    OPT_SECONDS,
    OPT_ROUNDS,
    OPT_SAMPLE,
    OPT_OPERANDS,
    OPT_SEED,
    OPT_HELP
};

static const struct option common_options[] = {
    {"engine", required_argument, NULL, OPT_ENGINE},
    {"rule", required_argument, NULL, OPT_RULE},
    {"packing", required_argument, NULL, OPT_PACKING},
    {"verify", required_argument, NULL, OPT_VERIFY},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"clock", required_argument, NULL, OPT_CLOCK},
    {"cpu", required_argument, NULL, OPT_CPU},
    {"seconds", required_argument, NULL, OPT_SECONDS},
    {"rounds", required_argument, NULL, OPT_ROUNDS},
    {"sample", required_argument, NULL, OPT_SAMPLE},
    {"operands", required_argument, NULL, OPT_OPERANDS},
    {"seed", required_argument, NULL, OPT_SEED},
    {"help", no_argument, NULL, OPT_HELP},
};
enum { COMMON_OPTIONS = sizeof common_options / sizeof common_options[0] };

static void help_print(const struct bench_program *program)
{
    fputs(program->usage, stdout);
    printf(common_usage, program->seconds, program->rounds);
    exit(fclose(stdout) == 0 ? 0 : 1);
}

static void option_take(struct bench_settings *s, const struct bench_program *program, int value, const char *arg)
{
    switch (value) {
    case OPT_ENGINE:
        s->library.engine = (enum gfmul_engine)choice_parse("engine", arg, engine_names);
        break;
    case OPT_RULE:
        s->library.rule = (enum gfmul_rule)choice_parse("rule", arg, rule_names);
        break;
    case OPT_PACKING:
        s->library.packing = (enum gfmul_packing)choice_parse("packing", arg, packing_names);
        break;
    case OPT_VERIFY:
        s->library.verify = (enum gfmul_verify)choice_parse("check", arg, verify_names);
        break;
    case OPT_THREADS:
        s->library.threads = count_parse("threads", arg, 1, 1024);
        break;
    case OPT_CLOCK:
        s->clock = (enum bench_clock)choice_parse("clock", arg, clock_names);
        break;
    case OPT_CPU:
        s->cpu = strcmp(arg, "none") == 0 ? BENCH_CPU_NONE : (int)count_parse("CPU", arg, 0, 4095);
        break;
    case OPT_SECONDS:
        s->seconds = real_parse("seconds", arg, 0, 1e6);
        break;
    case OPT_ROUNDS:
        s->rounds = count_parse("rounds", arg, 1, 100000);
        break;
    case OPT_SAMPLE:
        s->sample_ns = 1e3 * real_parse("sample", arg, 0, 1e7);
        break;
    case OPT_OPERANDS:
        s->operands = (enum bench_operands)choice_parse("operands", arg, operand_names);
        break;
    case OPT_SEED:
        s->seed = (uint64_t)real_parse("seed", arg, 0, 9007199254740992.0);
        break;
    case OPT_HELP:
        help_print(program);
        break;
    default: /* getopt_long has printed what is wrong */
        fprintf(stderr, "Try '%s --help' for more information.\n", program->name);
        exit(2);
    }
}

void bench_options_parse(struct bench_settings *s, const struct bench_program *program, int argc, char **argv)
{
    size_t own = 0;
    int value;

    program_name = program->name;
    memset(s, 0, sizeof *s);
    s->program = program->name;
    gfmul_options_init(&s->library);
    s->library.threads = 1;
    s->cpu = BENCH_CPU_AUTO;
    s->seconds = program->seconds;
    s->rounds = program->rounds;
    s->sample_ns = 1e5;
    s->seed = 1;

    while (program->own[own].name)
        own++;
    struct option *all = bench_alloc(COMMON_OPTIONS + own + 1, sizeof *all);
    memcpy(all, common_options, sizeof common_options);
    memcpy(all + COMMON_OPTIONS, program->own, own * sizeof *all);
    while ((value = getopt_long(argc, argv, "", all, NULL)) != -1)
        if (value >= BENCH_OPT_FROM)
            program->take(value, optarg);
        else
            option_take(s, program, value, optarg);
    free(all);
    if (optind < argc)
        usage_fail("'%s': only options are understood", argv[optind]);

    const bool alone = s->library.threads == 1;
    if (s->clock == BENCH_CLOCK_AUTO)
        s->clock = alone ? BENCH_CLOCK_CPU : BENCH_CLOCK_WALL;
    if (!alone && s->clock == BENCH_CLOCK_CPU)
        usage_fail("the CPU time of one thread says nothing about %u threads", s->library.threads);
    if (!alone && s->cpu >= 0)
        usage_fail("%u threads on one CPU say nothing", s->library.threads);
    s->cpu = s->cpu == BENCH_CPU_NONE || !alone ? BENCH_CPU_NONE : cpu_pin(s->cpu);
}
