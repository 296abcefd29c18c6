/*
 * bigmul_scratch.c - --scratch: products larger than memory, by the library's functions on files.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bigmul.h"
#include "gfmul_files.h"

enum { COPY_BYTES = 1 << 20 };

/* One run. */
struct scratch {
    const struct settings *settings;
    struct gfmul_files_options library;
    struct gfmul_files_report report;
    char *folders; /* owned: the list, cut into names */
    const char *folder[SCRATCH_FOLDERS];
    struct input in[2];
    struct output out;   /* where the product goes */
    struct output spool; /* on its way to a descriptor: a file in the first folder */
    int fd;              /* of the product */
};

/* Cut the list of folders, which the command line has checked. */
static int folders_cut(struct scratch *s, const char *list)
{
    char *rest = s->folders = strdup(list);

    if (!rest) {
        complain("not enough memory");
        return EXIT_COMPUTE;
    }
    while (rest)
        s->folder[s->library.n_scratch++] = strsep(&rest, ",");
    s->library.scratch = s->folder;
    return EXIT_DONE;
}

static int library_error(const struct scratch *s, enum gfmul_status status)
{
    const struct gfmul_files_report *r = &s->report;
    const char *const why = r->detail[0] ? r->detail : gfmul_strerror(status);
    const bool files = status == GFMUL_ERR_FILE || status == GFMUL_ERR_SPACE || status == GFMUL_ERR_SYNTAX ||
                       status == GFMUL_ERR_EMPTY || status == GFMUL_ERR_UNSUPPORTED;

    const char *const operand = s->in[s->settings->file[1] == s->settings->file[0] ? 0 : r->error_operand > 0].name;

    if (r->error_line > 0)
        complain("%s:%" PRIu64 ":%" PRIu64 ": %s", operand, r->error_line, r->error_column, r->error_reason);
    else if (r->error_operand >= 0)
        complain("%s: %s", operand, r->error_reason[0] ? r->error_reason : why);
    else
        complain("%s", why);
    return files ? EXIT_INPUT : EXIT_COMPUTE;
}

/* Print what is needed, and how the product is made. */
static int needs_print(const struct scratch *s, FILE *to)
{
    const struct gfmul_files_needs *n = &s->report.needs;

    const char *const unit = n->binary ? "limb_bytes" : "digits";

    fprintf(to, "a_%s: %" PRIu64 "\nb_%s: %" PRIu64 "\nproduct_%s: %" PRIu64 "\n", unit, n->a_digits, unit, n->b_digits, unit,
            n->product_digits);
    fprintf(to, "coefficient_%s: %u\nprimes: %u\npoints: %" PRIu64 "\n", n->binary ? "bytes" : "digits", n->coefficient_digits,
            n->primes, n->n_points);
    fprintf(to, "rows: %" PRIu64 "\nrow_points: %" PRIu64 "\nblock_points: %" PRIu64 "\n", n->rows, n->row_points,
            n->block_points);
    fprintf(to, "needs_memory_bytes: %" PRIu64 "\nneeds_scratch_bytes: %" PRIu64 "\nneeds_product_bytes: %" PRIu64 "\n",
            n->memory_bytes, n->scratch_bytes, n->product_bytes);
    fprintf(to, "to_read_bytes: %" PRIu64 "\nto_write_bytes: %" PRIu64 "\n", n->read_bytes, n->write_bytes);
    return fflush(to) == 0 ? EXIT_DONE : EXIT_INPUT;
}

static int stats_end(const struct scratch *s)
{
    const struct gfmul_files_report *r = &s->report;

    fprintf(stderr, "read_bytes: %" PRIu64 "\nwritten_bytes: %" PRIu64 "\n", r->read_bytes, r->write_bytes);
    fprintf(stderr, "move_ms: %.3f\ntotal_ms: %.3f\n", (double)r->move_ns * 1e-6, (double)r->total_ns * 1e-6);
    for (unsigned i = 0; i < r->n_residues; i++)
        fprintf(stderr, "residues: %" PRIu64 " %" PRIu64 " %" PRIu64 " modulo %" PRIu64 "\n", r->residue[i].a, r->residue[i].b,
                r->residue[i].z, r->residue[i].prime);
    return fflush(stderr) == 0 ? EXIT_DONE : EXIT_INPUT;
}

/* Open the file that the library writes: the product's own, or one in the first folder if the product goes to a descriptor. */
static int product_open(struct scratch *s)
{
    int status;

    if (!s->out.is_open && !s->out.is_special)
        return output_begin(&s->out, false, &s->fd);
    if (s->out.is_special) {
        complain("%s: not a regular file; use standard output", s->out.name);
        return EXIT_INPUT;
    }
    char *path = NULL;
    if (asprintf(&path, "%s/product", s->folder[0]) < 0) {
        complain("not enough memory");
        return EXIT_COMPUTE;
    }
    if ((status = output_prepare(&s->spool, path)) == EXIT_DONE)
        status = output_begin(&s->spool, false, &s->fd);
    free(path);
    s->spool.name = s->folder[0];
    return status;
}

/* Copy the product to its descriptor. */
static int product_copy(struct scratch *s)
{
    char *const text = malloc(COPY_BYTES);
    int status = text ? EXIT_DONE : EXIT_COMPUTE;
    ssize_t n = 0;

    if (!text)
        complain("not enough memory");
    for (off_t at = 0; status == EXIT_DONE && (n = pread(s->fd, text, COPY_BYTES, at)) > 0; at += n)
        status = output_write(&s->out, text, (size_t)n);
    if (n < 0) {
        complain("%s: the product cannot be read back", s->folder[0]);
        status = EXIT_INPUT;
    }
    free(text);
    return status;
}

static int product_make(struct scratch *s, int a, int b)
{
    int status = product_open(s);

    if (status != EXIT_DONE)
        return status;
    progress_start();
    const enum gfmul_status made = gfmul_files_mul(s->fd, a, b, &s->library, &s->report);
    progress_erase();
    if (made != GFMUL_OK)
        return library_error(s, made);
    if (s->report.remade_blocks > 0)
        complain("%s; made again%s", s->report.remade, s->report.remade_blocks > 1 ? ", as were others" : "");
    status = s->out.is_open ? product_copy(s) : output_end(&s->out, &s->fd);
    return status == EXIT_DONE && s->settings->stats != STATS_NONE ? stats_end(s) : status;
}

static int work(struct scratch *s)
{
    const struct settings *const settings = s->settings;
    const bool square = settings->file[0] == settings->file[1];
    int status = folders_cut(s, settings->scratch);

    if (status == EXIT_DONE)
        status = output_prepare(&s->out, settings->output);
    for (int i = 0; status == EXIT_DONE && i < (square ? 1 : 2); i++)
        status = input_open(&s->in[i], settings->file[i]);
    if (status != EXIT_DONE)
        return status;
    const int a = s->in[0].fd, b = s->in[square ? 0 : 1].fd;
    const enum gfmul_status planned = gfmul_files_plan(-1, a, b, &s->library, &s->report);
    if (planned != GFMUL_OK)
        return library_error(s, planned);
    const bool binary = s->report.needs.binary;
    if (format_is_binary(settings->output_format, binary, settings->output_base) != binary) {
        complain("--scratch converts nothing: the product of %s numbers is %s", binary ? "binary" : "decimal",
                 binary ? "binary" : "text");
        return usage_error();
    }
    if (settings->plan)
        return needs_print(s, stdout);
    if (binary && (status = output_terminal_check(&s->out)) != EXIT_DONE)
        return status;
    if (settings->stats != STATS_NONE && (status = needs_print(s, stderr)) != EXIT_DONE)
        return status;
    return product_make(s, a, b);
}

int scratch_run(struct settings *settings)
{
    struct scratch s = {.settings = settings, .in = {INPUT_NONE, INPUT_NONE}, .out = OUTPUT_NONE, .spool = OUTPUT_NONE, .fd = -1};

    progress_setup(settings->progress, &settings->library);
    gfmul_files_options_init(&s.library);
    s.library.memory_limit = settings->memory;
    s.library.threads = settings->library.threads;
    s.library.resume = settings->resume;
    s.library.progress = settings->library.progress;
    const int status = work(&s);
    output_abandon(s.out.is_open ? &s.spool : &s.out, s.fd);
    input_close(&s.in[0]);
    input_close(&s.in[1]);
    output_free(&s.out);
    output_free(&s.spool);
    free(s.folders);
    return status;
}
