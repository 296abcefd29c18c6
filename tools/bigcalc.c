/*
 * bigcalc.c - the value of an expression over integers in files.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bigcalc.h"
#include "gfmul_arith.h"

const char program_name[] = "bigcalc";

/* One run of the program. */
struct job {
    struct settings settings;
    struct gfmul_ctx *ctx;
    struct evaluation evaluation;
    struct output out;
    struct run_stats stats;
};

/* Shares of the work in the progress bar: of the files' numbers, of the operations, of the text of the result. */
static const double share_files = 0.2, share_operations = 0.6, share_text = 0.2;

/* GMP would end the program by SIGABRT, without a word of this program's. */
static void memory_error(size_t bytes)
{
    complain("not enough memory for a number of %zu bytes", bytes);
    _exit(EXIT_COMPUTE);
}

/* A number as large as the machine's memory would be granted, and then the system would kill some program. */
static bool is_too_large(size_t bytes)
{
    const size_t pages = (size_t)sysconf(_SC_PHYS_PAGES), page = (size_t)sysconf(_SC_PAGESIZE);

    return bytes / page >= pages;
}

static void *number_alloc(size_t bytes)
{
    void *const p = is_too_large(bytes) ? NULL : malloc(bytes);

    if (!p)
        memory_error(bytes);
    return p;
}

static void *number_realloc(void *old, size_t old_bytes, size_t bytes)
{
    void *const p = is_too_large(bytes) ? NULL : realloc(old, bytes);

    (void)old_bytes;
    if (!p)
        memory_error(bytes);
    return p;
}

static void number_free(void *p, size_t bytes)
{
    (void)bytes;
    free(p);
}

/* Report why a text has no value. */
static int text_error(const struct job *job, const struct input *in, enum gfmul_status status)
{
    struct gfmul_report report;

    gfmul_ctx_report(job->ctx, &report);
    if (status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_EMPTY)
        return input_wrong(in, &report, job->settings.lenient);
    complain("%s: %s", in->name, report.status == status && report.detail[0] ? report.detail : gfmul_strerror(status));
    return EXIT_COMPUTE;
}

/* The number of a binary file. */
static int binary_number(const struct input *in, mpz_ptr z)
{
    const size_t room = input_limbs(in);
    size_t n = 0;
    int negative = 0;

    if (room > INT_MAX) { /* GMP ends the process */
        complain("%s: %zu limbs, and a number of GMP has at most %d", in->name, room, INT_MAX);
        return EXIT_COMPUTE;
    }
    const int status = input_import(in, mpz_limbs_write(z, room > 0 ? (mp_size_t)room : 1), &n, &negative);

    mpz_limbs_finish(z, status != EXIT_DONE ? 0 : negative ? -(mp_size_t)n : (mp_size_t)n);
    return status;
}

/* The number of an open file. */
static int number_read(struct job *job, struct input *in, size_t i)
{
    const struct settings *const s = &job->settings;
    struct file *const file = &s->expression.file[i];
    mpz_ptr const z = job->evaluation.file[i];
    const uint64_t start = time_ns();
    int status = input_load(in, &(struct reading){s->base, s->lenient, 0, NULL});

    job->stats.read_ns += time_ns() - start;
    if (status != EXIT_DONE)
        return status;
    const uint64_t loaded = time_ns();
    const double share = share_files / (double)s->expression.n_files;
    progress_part(share * (double)i, share);
    const bool binary = input_is_binary(in);
    const enum gfmul_status parsed = binary ? GFMUL_OK : gfmul_mpz_set_str(job->ctx, z, in->text, in->len, s->base);
    if (binary)
        status = binary_number(in, z);
    job->stats.parse_ns += time_ns() - loaded;
    if (status != EXIT_DONE || (status = input_check(in)) != EXIT_DONE)
        return status;
    if (parsed != GFMUL_OK)
        return text_error(job, in, parsed);
    if (in->stray) { /* the two parsers disagree */
        complain("%s: not read to its end", in->name);
        return EXIT_COMPUTE;
    }
    file->bytes = in->len;
    file->base = binary ? 0 : s->base ? s->base : number_base(in->text, in->len);
    file->limbs = mpz_size(z);
    return EXIT_DONE;
}

/* file_read - the number of a file.   earlier i/o: those before it, of which the stat is read; and this one's */
static int file_read(struct job *job, struct input *earlier, size_t i)
{
    const char *const path = job->settings.expression.file[i].path;
    struct input in = INPUT_NONE;

    for (size_t j = 0; j < i; j++)
        if (input_is_pipe(path, &earlier[j])) { /* what one of them reads is lost to the other */
            complain("%s and %s are one pipe", earlier[j].name, name_for_messages(path, "standard input"));
            return EXIT_INPUT;
        }
    int status = input_open(&in, path);
    if (status == EXIT_DONE) {
        earlier[i] = (struct input){.name = in.name, .fd = -1, .stat = in.stat};
        status = number_read(job, &in, i);
    }
    input_close(&in);
    return status;
}

static int files_read(struct job *job)
{
    const size_t n = job->settings.expression.n_files;
    struct input *const earlier = calloc(n + 1, sizeof *earlier);
    int status = EXIT_DONE;

    if (!earlier) {
        complain("not enough memory for the files");
        return EXIT_COMPUTE;
    }
    for (size_t i = 0; i < n && status == EXIT_DONE; i++)
        status = file_read(job, earlier, i);
    free(earlier);
    return status;
}

/* The base of the result; 0: it is binary. */
static int result_base(const struct settings *s)
{
    const struct expression *const x = &s->expression;
    bool binary = x->n_files > 0;
    int base = 0;

    for (size_t i = 0; i < x->n_files; i++) {
        binary = binary && !x->file[i].base;
        base = base ? base : x->file[i].base;
    }
    if (format_is_binary(s->output_format, binary, s->output_base))
        return 0;
    return s->output_base ? s->output_base : base ? base : 10;
}

/* The value as text, with a line end. */
static int result_print(struct job *job, char **text, size_t *len)
{
    const struct expression *const x = &job->settings.expression;
    const int last = (int)x->n - 1, base = job->stats.output_base;
    mpz_srcptr const z = value_of(&job->evaluation, last);
    const size_t size = gfmul_get_str_size(mpz_size(z), base);
    const uint64_t start = time_ns();

    *text = size > 0 && !is_too_large(size) ? malloc(size) : NULL;
    if (!*text) {
        complain("not enough memory for the result");
        return EXIT_COMPUTE;
    }
    progress_part(1 - share_text, share_text);
    const enum gfmul_status status = gfmul_mpz_get_str(job->ctx, *text, size, len, base, z);
    job->stats.print_ns = time_ns() - start;
    if (status != GFMUL_OK) {
        struct gfmul_report report;
        gfmul_ctx_report(job->ctx, &report);
        complain("%s", report.status == status && report.detail[0] ? report.detail : gfmul_strerror(status));
        return EXIT_COMPUTE;
    }
    (*text)[(*len)++] = '\n'; /* where the NUL was */
    return EXIT_DONE;
}

/* All that computes; a failure has written nothing.   text out: owned by the caller, also after an error; NULL: binary */
static int compute(struct job *job, char **text, size_t *len)
{
    const struct settings *const s = &job->settings;
    int status;

    if ((status = files_read(job)) != EXIT_DONE)
        return status;
    job->stats.output_base = result_base(s);
    if (!job->stats.output_base && (status = output_terminal_check(&job->out)) != EXIT_DONE)
        return status;
    const uint64_t start = time_ns();
    if ((status = evaluate(&job->evaluation, share_files, share_operations)) != EXIT_DONE)
        return status;
    job->stats.compute_ns = time_ns() - start;
    return job->stats.output_base ? result_print(job, text, len) : EXIT_DONE;
}

/* result_write - write the value: as its text, or binary if there is none. */
static int result_write(struct job *job, const char *text, size_t *len)
{
    mpz_srcptr const z = value_of(&job->evaluation, (int)job->settings.expression.n - 1);

    return text ? output_write(&job->out, text, *len)
                : output_binary(&job->out, mpz_limbs_read(z), mpz_size(z), mpz_sgn(z) < 0, len);
}

static int run(struct job *job)
{
    struct settings *const s = &job->settings;
    char *text = NULL;
    size_t len = 0;
    int status;

    if ((status = output_prepare(&job->out, s->output)) != EXIT_DONE)
        return status;
    progress_setup(s->progress, &s->library);
    const enum gfmul_status created = gfmul_ctx_create(&job->ctx, &s->library);
    if (created != GFMUL_OK) {
        complain("%s", gfmul_strerror(created));
        return EXIT_COMPUTE;
    }
    if ((status = evaluation_begin(&job->evaluation, job->ctx, &s->expression)) != EXIT_DONE)
        return status;
    progress_start();
    computing_begin();
    status = compute(job, &text, &len);
    computing_end();
    progress_erase();
    const uint64_t start = time_ns();
    if (status == EXIT_DONE)
        status = result_write(job, text, &len);
    free(text);
    if (status != EXIT_DONE)
        return status;
    job->stats.write_ns = time_ns() - start;
    job->stats.output_bytes = len;
    job->stats.wall_ns += time_ns();
    return stats_print(s->stats, &job->evaluation, &job->stats) ? EXIT_DONE : EXIT_INPUT; /* nowhere to print the reason */
}

int main(int argc, char **argv)
{
    struct job job = {.out = OUTPUT_NONE};
    bool done;

    job.stats.wall_ns = 0 - time_ns(); /* wall_ns += time_ns() at the end */
    standard_descriptors_open();
    signals_install();
    mp_set_memory_functions(number_alloc, number_realloc, number_free);
    int status = options_parse(&job.settings, &done, argc, argv);
    if (!done) {
        status = run(&job);
        evaluation_end(&job.evaluation);
        gfmul_ctx_destroy(job.ctx);
        output_free(&job.out);
        if (close(STDOUT_FILENO) != 0 && status == EXIT_DONE && !job.settings.output) {
            complain("standard output: %s", strerror(errno));
            status = EXIT_INPUT;
        }
    }
    settings_free(&job.settings);
    return status;
}
