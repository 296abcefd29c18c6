/*
 * bigmul_mpi_plain.c - bigmul-mpi on plain files: each rank reads, multiplies and writes its part of the text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A word is some digits of the base, counted from the number's end.  So a rank's words are a stretch of the text, and no rank has
 * more of it than its share.  Rank 0 looks at the ends of the text alone.  All ranks find out whether there are only digits
 * between them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bigmul_mpi.h"

enum { ROUND_WORDS = 1 << 18 }; /* that a rank reads or writes at once */

struct plain {
    struct job_mpi *job;
    int base;
    size_t word_digits;
    uint64_t word_base;
    size_t first[2], end[2]; /* the digits of each file, in bytes */
    bool negative;           /* of the product, on rank 0 */
    char *path[3];           /* of both, and of the product's temporary file */
    char *text;              /* ROUND_WORDS words, a sign and a line end */
};

/* The words of a rank that are read or written at once. */
struct round {
    size_t from, count;
};

static struct round round_of(const struct job_mpi *job, size_t n, size_t i)
{
    const size_t words = gfmul_mpi_count(n, job->size, job->rank), from = i * ROUND_WORDS < words ? i * ROUND_WORDS : words;
    return (struct round){from, words - from < ROUND_WORDS ? words - from : ROUND_WORDS};
}

/* rounds - how many all ranks make. */
static size_t rounds(const struct job_mpi *job, size_t n)
{
    const size_t most = (n + (unsigned)job->size - 1) / (unsigned)job->size;
    return (most + ROUND_WORDS - 1) / ROUND_WORDS;
}

/* plain_find - whether both files are plain by their ends.   Of rank 0. */
static bool plain_find(struct plain *p)
{
    const struct job_mpi *const job = p->job;
    const struct settings_mpi *const s = &job->settings;
    struct number_place place[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct input *const in = &job->in[job->square ? 0 : i];
        if (s->output_format == FORMAT_BINARY || input_is_binary(in) || !S_ISREG(in->stat.st_mode) ||
            !number_place_find(&place[i], in->text, in->len, s->base))
            return false;
        /* what another rank opens by its name; in MPI's names of files a colon ends the kind of a file system */
        if (!input_is_still(in, s->file[i]) || strchr(s->file[i], ':') != NULL)
            return false;
        p->first[i] = place[i].first;
        p->end[i] = place[i].end;
    }
    p->base = place[0].base;
    p->negative = place[0].negative != place[1].negative;
    return place[1].base == p->base && (s->output_base == 0 || s->output_base == p->base) && job->out.path != NULL &&
           !job->out.is_special && strchr(job->out.path, ':') == NULL;
}

/*
 * path_share - rank 0's name of a file on all ranks.   path out: allocated
 *
 * Open MPI 4 does not open a file whose name is a single character, without a folder.
 */
static int path_share(const struct job_mpi *job, const char *of_root, char **path)
{
    const char *const folder = job->rank == 0 && of_root[0] != '/' ? "./" : "";
    uint64_t bytes = job->rank == 0 ? strlen(folder) + strlen(of_root) + 1 : 0;
    MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    *path = malloc((size_t)bytes);
    if (worst(*path != NULL ? EXIT_DONE : EXIT_COMPUTE) != EXIT_DONE) {
        if (*path == NULL)
            complain("%s", gfmul_strerror(GFMUL_ERR_MEMORY));
        return EXIT_COMPUTE;
    }
    if (job->rank == 0)
        snprintf(*path, (size_t)bytes, "%s%s", folder, of_root);
    MPI_Bcast(*path, (int)bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    return EXIT_DONE;
}

/* word_set - the longest word of a base: its digits, and its own base of at most 2^63. */
static void word_set(struct plain *p)
{
    p->word_digits = 0;
    p->word_base = 1;
    while (p->word_base <= (UINT64_C(1) << 63) / (unsigned)p->base) {
        p->word_base *= (unsigned)p->base;
        p->word_digits++;
    }
}

/* plain_share - what rank 0 knows, on all ranks. */
static int plain_share(struct plain *p)
{
    struct job_mpi *const job = p->job;
    uint64_t shared[] = {(uint64_t)p->base, p->first[0], p->end[0], p->first[1], p->end[1], job->square};
    MPI_Bcast(shared, sizeof shared / sizeof *shared, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    p->base = (int)shared[0];
    job->square = shared[5] != 0;
    word_set(p);
    for (unsigned i = 0; i < 2; i++) {
        p->first[i] = (size_t)shared[1 + 2 * i];
        p->end[i] = (size_t)shared[2 + 2 * i];
        job->n[i] = (p->end[i] - p->first[i] + p->word_digits - 1) / p->word_digits;
        const int status = path_share(job, job->settings.file[i], &p->path[i]);
        if (status != EXIT_DONE)
            return status;
    }
    p->text = malloc(ROUND_WORDS * p->word_digits + 2);
    if (p->text == NULL)
        complain("%s", gfmul_strerror(GFMUL_ERR_MEMORY));
    const int status = worst(p->text != NULL ? EXIT_DONE : EXIT_COMPUTE);
    return status == EXIT_DONE ? blocks_alloc(job) : status;
}

/* digit_value - of a character, or a value that no base has. */
static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    const char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'z' ? (unsigned)(low - 'a') + 10 : 36;
}

/* words_read - digits into words, the last digits first;  false: something else stands among them. */
static bool words_read(const struct plain *p, uint64_t *word, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const size_t digits = bytes < p->word_digits ? bytes : p->word_digits;
        uint64_t value = 0;
        for (const char *s = text + (bytes - digits); s < text + bytes; s++) {
            const unsigned digit = digit_value(*s);
            if (digit >= (unsigned)p->base)
                return false;
            value = value * (unsigned)p->base + digit;
        }
        *word++ = value;
        bytes -= digits;
    }
    return true;
}

/* operand_read - this rank's words of a file;  EXIT_DONE or TEXT_NOT_PLAIN. */
static int operand_read(const struct plain *p, unsigned i)
{
    const struct job_mpi *const job = p->job;
    const size_t n = job->n[i], first = gfmul_mpi_first(n, job->size, job->rank);
    MPI_File file;
    bool good = MPI_File_open(MPI_COMM_WORLD, p->path[i], MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS;
    if (worst(!good) != 0)
        return TEXT_NOT_PLAIN;
    for (size_t r = 0; r < rounds(job, n); r++) {
        const struct round now = round_of(job, n, r);
        const size_t behind = (first + now.from) * p->word_digits, digits = now.count * p->word_digits,
                     all = p->end[i] - p->first[i], left = all > behind ? all - behind : 0, bytes = digits < left ? digits : left;
        MPI_Status status;
        int got = -1;
        good = MPI_File_read_at_all(file, (MPI_Offset)(p->first[i] + left - bytes), p->text, (int)bytes, MPI_CHAR, &status) ==
                   MPI_SUCCESS &&
               MPI_Get_count(&status, MPI_CHAR, &got) == MPI_SUCCESS && (size_t)got == bytes && good;
        good = good && words_read(p, job->block[i] + now.from, p->text, bytes);
    }
    MPI_File_close(&file);
    return worst(!good) == 0 ? EXIT_DONE : TEXT_NOT_PLAIN;
}

/* operands_read - both, and that they are what rank 0 has looked at. */
static int operands_read(const struct plain *p)
{
    const struct job_mpi *const job = p->job;
    int status = operand_read(p, 0);
    if (status == EXIT_DONE && !job->square)
        status = operand_read(p, 1);
    if (status != EXIT_DONE)
        return status;
    const bool still = job->rank != 0 || (input_is_still(&job->in[0], job->settings.file[0]) &&
                                          (job->square || input_is_still(&job->in[1], job->settings.file[1])));
    return worst(!still) == 0 ? EXIT_DONE : TEXT_NOT_PLAIN;
}

/* The text of the product. */
struct product_text {
    size_t words, first_digits; /* without zeros in front; digits of the word in front */
    size_t bytes;
    bool minus;
};

static size_t digits_of(const struct plain *p, uint64_t word)
{
    size_t digits = 1;
    while (word >= (unsigned)p->base) {
        word /= (unsigned)p->base;
        digits++;
    }
    return digits;
}

/* product_measure - agree on the length of the text. */
static struct product_text product_measure(const struct plain *p)
{
    const struct job_mpi *const job = p->job;
    const size_t zn = job->n[0] + job->n[1], first = gfmul_mpi_first(zn, job->size, job->rank);
    size_t count = gfmul_mpi_count(zn, job->size, job->rank);
    while (count > 0 && job->z[count - 1] == 0)
        count--;
    const uint64_t own = count > 0 ? first + count : 0;
    uint64_t words = own;
    MPI_Allreduce(&own, &words, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    uint64_t mine[2] = {own == words ? digits_of(p, job->z[count - 1]) : 0, p->negative}, all[2];
    MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    struct product_text t = {.words = (size_t)words, .first_digits = (size_t)all[0], .minus = all[1] != 0};
    t.bytes = t.minus + t.first_digits + (t.words - 1) * p->word_digits + 1;
    return t;
}

/* words_write - words first .. first + count - 1 of the product as text, with what stands at its ends.   Returns the bytes. */
static size_t words_write(const struct plain *p, const struct product_text *t, const uint64_t *word, size_t first, size_t count)
{
    const bool whole = first + count == t->words;
    const size_t bytes = (whole ? t->minus + t->first_digits + (count - 1) * p->word_digits : count * p->word_digits) +
                         (first == 0);
    char *at = p->text + bytes;
    if (first == 0)
        *--at = '\n';
    for (size_t i = 0; i < count; i++) {
        uint64_t value = word[i];
        for (size_t digits = whole && i == count - 1 ? t->first_digits : p->word_digits; digits > 0; digits--) {
            *--at = "0123456789abcdefghijklmnopqrstuvwxyz"[value % (unsigned)p->base];
            value /= (unsigned)p->base;
        }
    }
    if (whole && t->minus)
        *--at = '-';
    return bytes;
}

/* file_wrong - print what MPI says of the product's file. */
static int file_wrong(const struct plain *p, int code)
{
    char reason[MPI_MAX_ERROR_STRING] = "";
    int len = 0;
    MPI_Error_string(code, reason, &len);
    complain("%s: rank %d: %s", p->path[2], p->job->rank, reason);
    return EXIT_INPUT;
}

/* product_fill - all ranks write into the product's file. */
static int product_fill(const struct plain *p)
{
    const struct job_mpi *const job = p->job;
    const size_t zn = job->n[0] + job->n[1], begin = gfmul_mpi_first(zn, job->size, job->rank);
    const struct product_text t = product_measure(p);
    MPI_File file;
    int code = MPI_File_open(MPI_COMM_WORLD, p->path[2], MPI_MODE_WRONLY, MPI_INFO_NULL, &file), wrong;
    if ((wrong = worst(code == MPI_SUCCESS ? EXIT_DONE : file_wrong(p, code))) != EXIT_DONE)
        return wrong;
    for (size_t r = 0; r < rounds(job, zn); r++) {
        const struct round now = round_of(job, zn, r);
        const size_t first = begin + now.from, left = t.words > first ? t.words - first : 0,
                     count = now.count < left ? now.count : left;
        const size_t bytes = count > 0 ? words_write(p, &t, job->z + now.from, first, count) : 0;
        const size_t behind = first > 0 ? first * p->word_digits + 1 : 0; /* bytes of what follows */
        const MPI_Offset at = (MPI_Offset)(count > 0 ? t.bytes - behind - bytes : 0);
        const int written = MPI_File_write_at_all(file, at, p->text, (int)bytes, MPI_CHAR, MPI_STATUS_IGNORE);
        code = code == MPI_SUCCESS ? written : code;
    }
    const int closed = MPI_File_close(&file);
    code = code == MPI_SUCCESS ? closed : code;
    return worst(code == MPI_SUCCESS ? EXIT_DONE : file_wrong(p, code));
}

/* product_write - the file appears under its name when all of it is written. */
static int product_write(struct plain *p)
{
    struct job_mpi *const job = p->job;
    int fd = -1;
    int status = worst(job->rank == 0 ? output_begin(&job->out, true, &fd) : EXIT_DONE);
    if (status == EXIT_DONE)
        status = path_share(job, job->out.temporary, &p->path[2]);
    if (status == EXIT_DONE)
        status = product_fill(p);
    if (status == EXIT_DONE)
        return worst(job->rank == 0 ? output_end(&job->out, &fd) : EXIT_DONE);
    if (job->rank == 0)
        output_abandon(&job->out, fd);
    return status;
}

int plain_multiply(struct job_mpi *job)
{
    struct plain p = {.job = job};
    int status = worst(job->rank == 0 && !plain_find(&p)) == 0 ? EXIT_DONE : TEXT_NOT_PLAIN;
    if (status == EXIT_DONE)
        status = plain_share(&p);
    if (status == EXIT_DONE)
        status = operands_read(&p);
    if (status == EXIT_DONE)
        status = multiply_blocks(job, p.word_base);
    if (status == EXIT_DONE)
        status = product_write(&p);
    for (unsigned i = 0; i < 3; i++)
        free(p.path[i]);
    free(p.text);
    return status;
}
