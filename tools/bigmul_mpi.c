/*
 * bigmul_mpi.c - bigmul-mpi: the product of the integers in two files, by all ranks of MPI.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Plain files are read and written by all ranks (bigmul_mpi_plain.c).  Else rank 0 reads the numbers, converts them from and to
 * text, and writes the product.  It tells all ranks how each step ended before they go on, so that they end together and with one
 * exit status.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bigmul_mpi.h"
#include "gfmul_arith.h"

const char program_name[] = "bigmul-mpi";

enum {
    ALL_DONE = -1, /* of options_read: nothing is left to do */
    OPT_STATS = 256,
    OPT_FORMAT,
};

static const char usage_text[] =
    "Usage: mpirun -n RANKS bigmul-mpi [OPTION]... FILE FILE\n"
    "Multiply the integers in two files; all ranks read, multiply and write.\n"
    "  -b, --base=N         base of the operands, 2 to 36, or auto\n"
    "  -B, --output-base=N  base of the product\n"
    "      --output-format=F  text, binary (limbs with checksums) or auto: binary if both files are\n"
    "  -o, --output=FILE    write to FILE, whole or not at all\n"
    "  -t, --threads=N      threads of each rank\n"
    "      --stats          print times on standard error\n"
    "  -h, --help           print this help\n"
    "  -V, --version        print the version\n";

/* options_read - of rank 0.   Returns an exit status, or ALL_DONE. */
static int options_read(struct settings_mpi *s, int argc, char **argv)
{
    static const struct option options[] = {
        {"base", required_argument, NULL, 'b'},
        {"output-base", required_argument, NULL, 'B'},
        {"output", required_argument, NULL, 'o'},
        {"threads", required_argument, NULL, 't'},
        {"stats", no_argument, NULL, OPT_STATS},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {"output-format", required_argument, NULL, OPT_FORMAT},
        {NULL, 0, NULL, 0},
    };
    int option, threads = 0, format = FORMAT_AUTO;
    name_option_init(argc, argv);
    while ((option = getopt_long(argc, argv, "b:B:o:t:hV", options, NULL)) != -1)
        switch (option) {
        case 'b':
            s->base = base_parse(optarg);
            break;
        case 'B':
            s->output_base = output_base_parse(optarg);
            break;
        case 'o':
            s->output = optarg;
            break;
        case 't':
            threads = threads_parse(optarg);
            break;
        case OPT_STATS:
            s->stats = true;
            break;
        case OPT_FORMAT:
            if ((format = format_parse(optarg)) < 0)
                return EXIT_USAGE;
            break;
        case 'h':
            fputs(usage_text, stdout);
            return ALL_DONE;
        case 'V':
            printf("bigmul-mpi (gfmul) %s\n", gfmul_version());
            return ALL_DONE;
        default:
            return usage_error();
        }
    if (s->base < 0 || s->output_base < 0 || threads < 0)
        return EXIT_USAGE;
    s->output_format = (enum number_format)format;
    if (s->output_format == FORMAT_BINARY && s->output_base > 0) {
        complain("--output-base does not go with --output-format=binary");
        return usage_error();
    }
    if (argc - optind != 2) {
        complain("two files are needed");
        return usage_error();
    }
    s->threads = (unsigned)threads;
    s->file[0] = argv[optind];
    s->file[1] = argv[optind + 1];
    return EXIT_DONE;
}

/* told - rank 0's exit status on all ranks. */
static int told(int status)
{
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

int worst(int status)
{
    int all;
    MPI_Allreduce(&status, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static int library_failed(enum gfmul_status status)
{
    complain("%s", gfmul_strerror(status));
    return EXIT_COMPUTE;
}

/* number_import - operand i, which is binary. */
static int number_import(struct job_mpi *job, unsigned i)
{
    int negative = 0;
    job->number[i] = malloc((input_limbs(&job->in[i]) + 1) * sizeof(mp_limb_t));
    if (job->number[i] == NULL)
        return library_failed(GFMUL_ERR_MEMORY);
    const int status = input_import(&job->in[i], job->number[i], &job->n[i], &negative);
    job->negative ^= negative != 0;
    input_close(&job->in[i]);
    job->in[i] = (struct input)INPUT_NONE;
    return status;
}

/* number_convert - operand i, which is text, into limbs. */
static int number_convert(struct job_mpi *job, unsigned i)
{
    const struct settings_mpi *s = &job->settings;
    struct input *const in = &job->in[i];
    struct gfmul_report report;
    int status, negative = 0;
    const size_t room = gfmul_set_str_limbs(in->len, s->base);
    job->number[i] = malloc((room + 1) * sizeof(mp_limb_t));
    if (job->number[i] == NULL)
        return library_failed(GFMUL_ERR_MEMORY);
    const enum gfmul_status read =
        gfmul_set_str(job->text, job->number[i], room, &job->n[i], &negative, in->text, in->len, s->base);
    job->negative ^= negative != 0;
    if ((status = input_check(in)) != EXIT_DONE)
        return status;
    if (read == GFMUL_ERR_SYNTAX || read == GFMUL_ERR_EMPTY) {
        gfmul_ctx_report(job->text, &report);
        return input_wrong(in, &report, false);
    }
    if (read != GFMUL_OK)
        return library_failed(read);
    input_close(in);
    *in = (struct input)INPUT_NONE;
    return EXIT_DONE;
}

/* result_base - the base of the product, of rank 0; 0: it is binary. */
static int result_base(const struct job_mpi *job)
{
    const struct settings_mpi *s = &job->settings;
    const struct input *const a = &job->in[0], *const b = &job->in[job->square ? 0 : 1];
    const bool binary[] = {input_is_binary(a), input_is_binary(b)};
    if (format_is_binary(s->output_format, binary[0] && binary[1], s->output_base))
        return 0;
    const struct input *const text = !binary[0] ? a : b;
    return s->output_base > 0       ? s->output_base
           : binary[0] && binary[1] ? 10
           : s->base > 0            ? s->base
                                    : number_base(text->text, text->len);
}

/* files_open - the product's file, and the texts of both operands, of rank 0. */
static int files_open(struct job_mpi *job)
{
    const struct settings_mpi *s = &job->settings;
    const struct reading how = {.base = s->base};
    int status = output_prepare(&job->out, s->output);
    for (unsigned i = 0; i < 2 && status == EXIT_DONE; i++)
        status = input_open(&job->in[i], s->file[i]);
    if (status == EXIT_DONE)
        job->square = input_same(&job->in[0], &job->in[1]);
    for (unsigned i = 0; i < (job->square ? 1 : 2) && status == EXIT_DONE; i++)
        status = input_load(&job->in[i], &how);
    return status;
}

/* numbers_convert - both operands, of rank 0. */
static int numbers_convert(struct job_mpi *job)
{
    struct gfmul_options opt;
    int status;
    gfmul_options_init(&opt);
    opt.threads = job->settings.threads > 0 ? job->settings.threads : 1;
    const enum gfmul_status created = gfmul_ctx_create(&job->text, &opt);
    if (created != GFMUL_OK)
        return library_failed(created);
    job->base = result_base(job);
    if (job->base == 0 && (status = output_terminal_check(&job->out)) != EXIT_DONE)
        return status;
    for (unsigned i = 0; i < (job->square ? 1 : 2); i++)
        if ((status = (input_is_binary(&job->in[i]) ? number_import : number_convert)(job, i)) != EXIT_DONE)
            return status;
    if (!job->square)
        return EXIT_DONE;
    job->n[1] = job->n[0];
    job->negative = false;
    return EXIT_DONE;
}

/* blocks_move - between rank 0's number of n limbs and the ranks' blocks. */
static void blocks_move(const struct job_mpi *job, mp_limb_t *number, size_t n, mp_limb_t *block, bool gather, int *counts)
{
    int *const at = counts + job->size;
    const int mine = (int)gfmul_mpi_count(n, job->size, job->rank);
    for (int i = 0; i < job->size; i++) {
        counts[i] = (int)gfmul_mpi_count(n, job->size, i);
        at[i] = (int)gfmul_mpi_first(n, job->size, i);
    }
    if (gather)
        MPI_Gatherv(block, mine, MPI_UINT64_T, number, counts, at, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    else
        MPI_Scatterv(number, counts, at, MPI_UINT64_T, block, mine, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

/* A block of a number of n words, in place of an old one. */
static uint64_t *block_alloc(const struct job_mpi *job, uint64_t *old, size_t n)
{
    free(old);
    return malloc((gfmul_mpi_count(n, job->size, job->rank) + 1) * sizeof(uint64_t));
}

/* all_failed - the library's status, which all ranks have. */
static int all_failed(const struct job_mpi *job, enum gfmul_status status)
{
    return job->rank == 0 ? library_failed(status) : EXIT_COMPUTE;
}

int blocks_alloc(struct job_mpi *job)
{
    for (unsigned i = 0; i < (job->square ? 1 : 2); i++)
        job->block[i] = block_alloc(job, job->block[i], job->n[i]);
    job->z = block_alloc(job, job->z, job->n[0] + job->n[1]);
    const bool room = job->block[0] != NULL && (job->square || job->block[1] != NULL) && job->z != NULL;
    return worst(!room) != 0 ? all_failed(job, GFMUL_ERR_MEMORY) : EXIT_DONE;
}

int multiply_blocks(struct job_mpi *job, uint64_t base)
{
    const uint64_t *const a = job->block[0], *const b = job->block[job->square ? 0 : 1];
    struct gfmul_mpi_options opt;
    gfmul_mpi_options_init(&opt);
    opt.threads = job->settings.threads;
    const uint64_t start = time_ns();
    enum gfmul_status status = gfmul_mpi_ctx_create(&job->ctx, MPI_COMM_WORLD, &opt);
    if (status == GFMUL_OK)
        status = base == 0 ? gfmul_mpi_mul(job->ctx, job->z, a, job->n[0], b, job->n[1])
                           : gfmul_mpi_mul_words(job->ctx, job->z, a, job->n[0], b, job->n[1], base);
    job->read_ns = start - job->start_ns;
    job->multiply_ns = time_ns() - start;
    return status == GFMUL_OK ? EXIT_DONE : all_failed(job, status);
}

/* multiply_numbers - rank 0's numbers, on all ranks, which know the sizes. */
static int multiply_numbers(struct job_mpi *job)
{
    const size_t zn = job->n[0] + job->n[1];
    int *const counts = malloc((size_t)2 * (unsigned)job->size * sizeof *counts);
    int status = blocks_alloc(job);
    if (job->rank == 0)
        job->product = malloc((zn + 1) * sizeof(mp_limb_t));
    if (status == EXIT_DONE && worst(counts == NULL || (job->rank == 0 && job->product == NULL)) != 0)
        status = all_failed(job, GFMUL_ERR_MEMORY);
    if (status == EXIT_DONE && zn > INT32_MAX)
        status = all_failed(job, GFMUL_ERR_SIZE);
    for (unsigned i = 0; i < (job->square ? 1 : 2) && status == EXIT_DONE; i++)
        blocks_move(job, job->number[i], job->n[i], job->block[i], false, counts);
    if (status == EXIT_DONE)
        status = multiply_blocks(job, 0);
    if (status == EXIT_DONE)
        blocks_move(job, job->product, zn, job->z, true, counts);
    free(counts);
    return status;
}

/* number_write - the product, of rank 0. */
static int number_write(struct job_mpi *job)
{
    size_t zn = job->n[0] + job->n[1], len;
    while (zn > 0 && job->product[zn - 1] == 0)
        zn--;
    if (job->base == 0)
        return output_binary(&job->out, job->product, zn, job->negative, &len);
    const size_t size = gfmul_get_str_size(zn, job->base);
    char *const text = size > 0 && size < SIZE_MAX - 1 ? malloc(size + 2) : NULL;
    if (text == NULL)
        return library_failed(GFMUL_ERR_MEMORY);
    const bool minus = job->negative && zn > 0;
    text[0] = '-';
    const enum gfmul_status made = gfmul_get_str(job->text, text + minus, size, &len, job->base, job->product, zn);
    int status = EXIT_DONE;
    if (made != GFMUL_OK)
        status = library_failed(made);
    else {
        len += minus;
        text[len++] = '\n';
        status = output_write(&job->out, text, len);
    }
    free(text);
    return status;
}

/* stats_write - of rank 0.  Reading and writing include conversions. */
static int stats_write(const struct job_mpi *job)
{
    const uint64_t wall_ns = time_ns() - job->start_ns;
    fprintf(stderr, "version: %s\n", gfmul_version());
    fprintf(stderr, "ranks: %d\n", job->size);
    fprintf(stderr, "threads: %u\n", job->settings.threads > 0 ? job->settings.threads : 1);
    fprintf(stderr, "converted: %d\n", job->converted);
    fprintf(stderr, "words: %zu %zu\n", job->n[0], job->n[1]);
    fprintf(stderr, "read_ms: %.3f\n", stats_ms(job->read_ns));
    fprintf(stderr, "multiply_ms: %.3f\n", stats_ms(job->multiply_ns));
    fprintf(stderr, "write_ms: %.3f\n", stats_ms(wall_ns - job->read_ns - job->multiply_ns));
    fprintf(stderr, "wall_ms: %.3f\n", stats_ms(wall_ns));
    return fflush(stderr) == 0 ? EXIT_DONE : EXIT_INPUT;
}

static int run_all(struct job_mpi *job, int argc, char **argv)
{
    int status = job->rank == 0 ? options_read(&job->settings, argc, argv) : EXIT_DONE;
    if (status == EXIT_DONE && job->rank == 0)
        status = files_open(job);
    if ((status = told(status)) != EXIT_DONE)
        return status == ALL_DONE ? EXIT_DONE : status;
    MPI_Bcast(&job->settings.threads, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    if ((status = plain_multiply(job)) != TEXT_NOT_PLAIN)
        return status;
    job->converted = true;
    if ((status = told(job->rank == 0 ? numbers_convert(job) : EXIT_DONE)) != EXIT_DONE)
        return status;
    uint64_t shared[] = {job->n[0], job->n[1], job->square};
    MPI_Bcast(shared, sizeof shared / sizeof *shared, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    job->n[0] = (size_t)shared[0];
    job->n[1] = (size_t)shared[1];
    job->square = shared[2] != 0;
    if ((status = multiply_numbers(job)) != EXIT_DONE)
        return status;
    return told(job->rank == 0 ? number_write(job) : EXIT_DONE);
}

int main(int argc, char **argv)
{
    struct job_mpi job = {.in = {INPUT_NONE, INPUT_NONE}, .out = OUTPUT_NONE, .start_ns = time_ns()};
    int level;
    standard_descriptors_open();
    signals_install();
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return EXIT_COMPUTE;
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    int status = run_all(&job, argc, argv);
    if (status == EXIT_DONE && job.settings.stats)
        status = stats_write(&job);
    gfmul_mpi_ctx_destroy(job.ctx);
    gfmul_ctx_destroy(job.text);
    for (unsigned i = 0; i < 2; i++) {
        free(job.number[i]);
        free(job.block[i]);
        input_close(&job.in[i]);
    }
    free(job.product);
    free(job.z);
    output_free(&job.out);
    if (job.rank == 0) {
        const int closed = stdout_close();
        status = status != EXIT_DONE ? status : closed;
    }
    MPI_Finalize();
    return status;
}
