/*
 * bench.h - shared by the benchmarks: options, provenance, operands, contestants, interleaved measuring.
 *
 * The benchmarks see the library as a user does: gfmul.h and the shared library.  They end the process on an error, with a
 * message on standard error: status 2 for bad usage, 1 for everything else.  Nothing here is reentrant.
 *
 * How a figure is made.  All contestants of one size run in one process, in rounds: in each round each contestant makes one
 * sample (as many calls as take sample_ns together) before the next round begins, and who starts changes from round to round.
 * So a change of the clock frequency, or another program on the machine, meets all of them.  Figures are medians over rounds.
 */
#ifndef GFMUL_BENCH_H
#define GFMUL_BENCH_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gfmul.h"
#include "median.h"

#define BENCH_PRINTF(f, a) __attribute__((format(printf, f, a)))

enum { BENCH_CPU_NONE = -1, BENCH_CPU_AUTO = -2 };
enum bench_clock { BENCH_CLOCK_AUTO, BENCH_CLOCK_WALL, BENCH_CLOCK_CPU };
enum bench_operands { BENCH_OPERANDS_RANDOM, BENCH_OPERANDS_ONES, BENCH_OPERANDS_SEVENS };

/* The options that all benchmarks have. */
struct bench_settings {
    const char *program;          /* "b-mul" */
    struct gfmul_options library; /* of the contestants that are gfmul */
    enum bench_clock clock;       /* AUTO only until bench_options_parse is done */
    int cpu;                      /* pinned to this one, or BENCH_CPU_NONE */
    double seconds;               /* for each size, all contestants together, the warm-up not counted */
    unsigned rounds;              /* at least so many, whatever the time */
    double sample_ns;             /* a sample is at least so long */
    uint64_t seed;
    enum bench_operands operands;
};

/* Sizes to measure, ascending if they come from a range. */
struct bench_sizes {
    size_t *n;
    size_t count;
};

/* Sizes as the options say: a range or a list, and the proportion of two operands. */
struct size_options {
    struct bench_sizes sizes;
    size_t from, to;
    double per_decade;
    bool ranged;
    size_t balance_a, balance_b;
};

/* What one program adds to the options of all. */
struct bench_program {
    const char *name;         /* "b-mul" */
    const char *usage;        /* the head of --help and its own options, ending in a line end */
    const struct option *own; /* ended by a zero entry; values from BENCH_OPT_OWN on, and those of BENCH_SIZE_OPTIONS */
    void (*take)(int value, const char *arg);
    double seconds;  /* default of --seconds */
    unsigned rounds; /* default of --rounds */
};

enum { BENCH_OPT_FROM = 900, BENCH_OPT_TO, BENCH_OPT_PER_DECADE, BENCH_OPT_SIZES, BENCH_OPT_BALANCE, BENCH_OPT_OWN = 1000 };

/* BENCH_SIZE_OPTIONS - for a program that has size_options, among its own. */
#define BENCH_SIZE_OPTIONS                                                                                                  \
    {"from", required_argument, NULL, BENCH_OPT_FROM}, {"to", required_argument, NULL, BENCH_OPT_TO},                       \
        {"per-decade", required_argument, NULL, BENCH_OPT_PER_DECADE}, {"sizes", required_argument, NULL, BENCH_OPT_SIZES}, \
    {                                                                                                                       \
        "balance", required_argument, NULL, BENCH_OPT_BALANCE                                                               \
    }

/* A contestant of bench_measure. */
struct contestant {
    const char *name;
    bool (*run)(void *arg, size_t calls); /* false after a message: the benchmark ends */
    void *arg;
    bool gives_back; /* memory that it keeps, after a while: a long call in a sample of its own has another one before it */
    /* results */
    size_t calls; /* in each sample */
    size_t rounds;
    double median_ns, min_ns; /* of one call */
    double ratio;             /* median over rounds of the time divided by that of the first contestant in the same round */
    double *samples;          /* of one call, by round; owned by bench_measure until contestants_free */
};

/* --- bench_options.c --- */

/* bench_options_parse - the command line into s; answers --help itself; pins the process to its CPU. */
void bench_options_parse(struct bench_settings *s, const struct bench_program *program, int argc, char **argv);

/* usage_fail - a message and the hint at --help, exit 2.   bench_fail - a message, exit 1. */
void usage_fail(const char *format, ...) BENCH_PRINTF(1, 2) __attribute__((noreturn));
void bench_fail(const char *format, ...) BENCH_PRINTF(1, 2) __attribute__((noreturn));

/* size_parse - a count as 1000, 1e3 or 2.5e6, in 1..10^12; real_parse - a number in low..high; both end with usage_fail. */
size_t size_parse(const char *what, const char *arg);
double real_parse(const char *what, const char *arg, double low, double high);

/* bench_alloc - zeroed memory, never NULL. */
void *bench_alloc(size_t count, size_t size);

/* --- bench_sizes.c --- */

/* sizes_range - from, then each next one larger by a factor 10^(1/per_decade), to the last <= to. */
void sizes_range(struct bench_sizes *sizes, size_t from, size_t to, double per_decade);
void sizes_add(struct bench_sizes *sizes, size_t n);

/* balance_parse - "10:1" into two whole numbers. */
void balance_parse(const char *arg, size_t *a, size_t *b);

/*
 * size_options_take - one of BENCH_SIZE_OPTIONS; false: it is none of them.   size_options_finish - the sizes to measure, or
 * usage_fail.   size_options_pair - the sizes of both operands where the one that the options name has n; an >= bn.
 */
bool size_options_take(struct size_options *o, int value, const char *arg);
void size_options_finish(struct size_options *o);
void size_options_pair(const struct size_options *o, size_t n, size_t *an, size_t *bn);

/* --- bench_machine.c --- */

/* cpu_pin - this process on one CPU; BENCH_CPU_AUTO: the last one allowed.  The CPU's number. */
int cpu_pin(int cpu);

/* provenance_print - "# key: value" lines: command, date, machine, compiler, versions, options. */
void provenance_print(const struct bench_settings *s, int argc, char **argv);

/* --- bench_measure.c --- */

/* clock_read_ns - the clock of the settings: CPU time of this thread, or wall time. */
double clock_read_ns(const struct bench_settings *s);
double wall_ns(void);

/* now_seconds - the wall clock in seconds. */
double now_seconds(void);

/* bench_measure - interleaved rounds over n contestants; fills their results.  seconds and rounds as in the settings. */
void bench_measure(struct contestant *c, size_t n, const struct bench_settings *s, double seconds, unsigned rounds);
void contestants_free(struct contestant *c, size_t n);

/* bench_threads - run(arg, t) on so many threads at once, t = 0 for the caller; returns when all have. */
void bench_threads(unsigned threads, void (*run)(void *arg, unsigned t), void *arg);

/* operand_make - n limbs of the kind of the settings, the top one not zero; each index its own number. */
mp_limb_t *operand_make(const struct bench_settings *s, size_t n, unsigned index);

/* digits_make - n > 0 random decimal digits, the first one not 0, and a NUL. */
char *digits_make(size_t n, uint64_t seed);

/* --- bench_contestants.c --- */

/* One product of limbs, an >= bn. */
struct limb_product {
    mp_limb_t *z;
    const mp_limb_t *a, *b;
    size_t an, bn;
    bool square; /* b is a */
};

/* Who multiplies: GMP, gfmul with its context, or FLINT. */
struct multiplier {
    char name[64];
    enum { MULTIPLIER_GMP, MULTIPLIER_GFMUL, MULTIPLIER_FLINT } kind;
    bool as_product; /* of a square: multiply by a copy of the operand instead */
    bool in_line;    /* by gfmul_mul_inline */
    struct gfmul_ctx *ctx;
    struct limb_product product;
};

/*
 * multiplier_make - from a name: "gmp"; "flint"; "fftw" (gfmul's engine); "gfmul" and words after "-": an instruction set
 * (avx512, avx2, sse2, scalar: the best one allowed), a rule (norm, knuth, checked), an engine (cpu, fftw), "t<n>": n threads, at
 * most those of the settings, "unverified", "product", "inline".
 */
void multiplier_make(struct multiplier *m, const char *name, const struct bench_settings *s);
void multiplier_free(struct multiplier *m);

/* multiplier_run - calls products; the "run" of a contestant. */
bool multiplier_run(void *multiplier, size_t calls);

/* context_make - a context for gfmul with these options, with better instruction sets than isa switched off (NULL: none). */
struct gfmul_ctx *context_make(const struct gfmul_options *opt, const char *isa);

/* symbol_get - a symbol of a shared library as a pointer, stored at *address; fails if it is missing. */
void symbol_get(void *library, const char *path, const char *name, void *address);

/* library_open - dlopen, or the end. */
void *library_open(const char *path);

#endif
