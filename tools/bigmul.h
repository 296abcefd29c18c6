/*
 * bigmul.h - the parts of the program bigmul.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it shares with bigcalc is in tool.h, whose rules hold here, too.
 */
#ifndef BIGMUL_H
#define BIGMUL_H

#include <pthread.h>

#include "tool.h"

/* ---- bigmul_options.c: the command line ---- */

enum plan_form { PLAN_NONE, PLAN_CHOSEN, PLAN_ALL };

enum { SCRATCH_FOLDERS = 16 }; /* of --scratch, at most */

struct settings {
    struct gfmul_options library; /* what the context is made with */
    char **argv;
    const char *file[2];     /* the same pointer twice for --square */
    const char *certificate; /* NULL: none */
    const char *output;      /* NULL: standard output */
    const char *memory_text; /* of --memory, for messages */
    const char *scratch;     /* names of folders, separated by commas; NULL: in memory */
    size_t memory;           /* bytes for numbers and workspace; 0: no limit but the machine's */
    bool resume;             /* --scratch goes on from an earlier run's files */
    bool lenient;
    int base, output_base; /* 0: auto; 0: as A's */
    enum number_format output_format;
    enum plan_form plan;
    bool list_devices;
    unsigned build_part, build_parts; /* of the programs, which this process builds instead of a product; 0 parts: it does not */
    enum stats_form stats;
    enum progress_when progress;
};

/*
 * The option of a process that another one starts, "--internal-build=PART/PARTS": the first argument, or it is none.
 * It is no option of getopt's, which would also take abbreviations.
 */
#define BUILD_OPTION "--internal-build="

/*
 * options_parse - read the command line.
 *
 *   settings  out  complete where *done is false
 *   done      out  true: nothing is left to do (--help, --version, or an error)
 */
int options_parse(struct settings *settings, bool *done, int argc, char **argv);

/* options_unsupported - say which of the choices this build or this machine does not have. */
void options_unsupported(const struct gfmul_options *library);

/* ---- bigmul_stats.c: --stats ---- */

enum { STATS_KERNELS = 32 };

struct run_stats {
    uint64_t read_ns, wait_ns, write_ns, wall_ns; /* wait: for a device, once the operands were read */
    size_t input_bytes[2];
    size_t output_bytes;
    int base[2], output_base;
    struct gfmul_kernel_time kernel[STATS_KERNELS]; /* of an OpenCL device */
    unsigned n_kernels;
};

/* stats_print - print the figures of a run on standard error; false if that failed. */
bool stats_print(enum stats_form form, const struct gfmul_report *report, const struct run_stats *run);

/* ---- bigmul_start.c: the context, and a device's start, while the operands are read ---- */

struct start {
    const struct settings *settings;
    size_t bytes[2]; /* of the operands' files, 0: not known */
    bool square;     /* of the same file */
    int base;        /* the product as gfmul_device_prepare takes it */
    size_t size[2];
    bool apart; /* a thread does it */
    pthread_t thread;
    atomic_bool ended; /* the thread has done it */
    struct gfmul_ctx *ctx;
    enum gfmul_status status; /* of gfmul_ctx_create */
    uint64_t device_start_ns; /* of what was opened there; 0: nothing */
};

/* start_help - the work of a process that another one started to build a part of the programs.   Returns its exit status. */
int start_help(const struct settings *settings);

/* start_begin - make the context; if a device is named, or may be worth it, in a thread that opens it, too. */
void start_begin(struct start *start, const struct settings *settings);
/* start_end - wait for it: start->ctx is there, or the status says why not. */
enum gfmul_status start_end(struct start *start);

/* ---- bigmul.c: a run ---- */

/* One run of the program. */
struct job {
    struct settings settings;
    struct input a, b;
    bool square;                /* both operands are the same text, so b is not used */
    int base_a, base_b, base_z; /* 0: binary */
    bool binary;                /* one of them is */
    struct start start;
    struct gfmul_ctx *ctx;
    struct output out, certificate;
    struct run_stats stats;
    char *z; /* memory for the product, if it was prepared while a device started */
    size_t z_size;
    bool device_used;
};

/* job_operand - the input of an operand. */
const struct input *job_operand(const struct job *job, int i);

/* job_error - report why the library failed; returns the exit status.   first in: the operand that it saw as its first */
int job_error(const struct job *job, enum gfmul_status status, int first);

/* product_made - note how the context has just made the product.   report out */
void product_made(struct job *job, struct gfmul_report *report);

/* ---- bigmul_binary.c: products with binary numbers ---- */

/* binary_sizes - bytes of the operands and of the product, with their files; SIZE_MAX: more than there can be. */
void binary_sizes(const struct job *job, size_t *operands, size_t *product);

/* binary_limbs_count - the limbs of an operand, which is checked. */
int binary_limbs_count(const struct job *job, int i, size_t *limbs);

/* multiply_binary - multiply the operands' limbs, and write the product.   report out: of the product */
int multiply_binary(struct job *job, struct gfmul_report *report);

/* ---- bigmul_scratch.c: --scratch ---- */

/* scratch_run - multiply by files.   settings i/o: progress is set */
int scratch_run(struct settings *settings);

/* ---- bigmul_devices.c: --list-devices ---- */

/* devices_print - print a line per device on standard output. */
int devices_print(void);

#endif
