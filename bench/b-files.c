/*
 * b-files.c - products of numbers in files: time beside that in memory, and beside the disk's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "gfmul_files.h"

enum { OPT_MEMORY = BENCH_OPT_OWN, OPT_FOLDER, OPT_MOST, PIECE_BYTES = 1 << 23, PAGE_BYTES = 4096, MAX_ROUNDS = 99 };

static struct {
    struct size_options range;
    size_t memory, most;
    const char *folder;
} wish = {.range = {.from = 10000000, .to = 100000000, .per_decade = 1, .balance_a = 1, .balance_b = 1},
          .memory = 64 << 20,
          .most = (size_t)1 << 32,
          .folder = "."};

static const struct option own_options[] = {
    BENCH_SIZE_OPTIONS,
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"folder", required_argument, NULL, OPT_FOLDER},
    {"disk", required_argument, NULL, OPT_MOST},
    {NULL, 0, NULL, 0},
};

static const char usage[] = "Usage: b-files [OPTION]...\n"
                            "Time products of two numbers of n decimal digits that lie in files.\n"
                            "\n"
                            "      --folder DIR       where all files are (default .)\n"
                            "      --memory BYTES     that the product may take (default 67108864)\n"
                            "      --disk BYTES       to time the disk with, at most (default 4e9)\n"
                            "      --from N           n from N (default 1e7)\n"
                            "      --to N             to N (default 1e8)\n"
                            "      --per-decade X     X sizes for each factor 10 (default 1)\n"
                            "      --sizes LIST       these sizes instead: 1e7,1e8,1e9\n";

static void option_take(int value, const char *arg)
{
    if (value == OPT_MEMORY)
        wish.memory = size_parse("memory", arg);
    else if (value == OPT_MOST)
        wish.most = size_parse("size", arg);
    else if (value == OPT_FOLDER)
        wish.folder = arg;
    else
        size_options_take(&wish.range, value, arg);
}

/* file_open - an empty file without a name. */
static int file_open(void)
{
    const int fd = open(wish.folder, O_TMPFILE | O_RDWR, 0600);
    if (fd < 0)
        bench_fail("%s: %s", wish.folder, strerror(errno));
    return fd;
}

static void file_put(int fd, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        const ssize_t n = pwrite(fd, text + at, bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES, (off_t)at);
        if (n <= 0)
            bench_fail("writing: %s", strerror(errno));
        at += (size_t)n;
    }
}

static void file_get(int fd, char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        const ssize_t n = pread(fd, text + at, bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES, (off_t)at);
        if (n <= 0)
            bench_fail("reading: %s", strerror(errno));
        at += (size_t)n;
    }
}

/* file_drop - bring a file to the disk, and out of the page cache. */
static void file_drop(int fd)
{
    if (fdatasync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
        bench_fail("flushing: %s", strerror(errno));
}

/* The disk's time for these bytes, in seconds: written and flushed, then read, past the page cache if that can be. */
static void disk_time(size_t bytes, double *write_s, double *read_s)
{
    void *memory;
    const int fd = file_open();
    if (posix_memalign(&memory, PAGE_BYTES, PIECE_BYTES) != 0)
        bench_fail("no memory");
    char *const piece = memory;
    (void)fcntl(fd, F_SETFL, O_RDWR | O_DIRECT);
    const size_t all = bytes < wish.most ? bytes : wish.most, pieces = all / PIECE_BYTES + 1;
    for (size_t i = 0; i < PIECE_BYTES; i++) /* nothing that a file system could compress */
        piece[i] = (char)(i * 2654435761u >> 13 ^ i >> 7);
    double start = wall_ns();
    for (size_t i = 0; i < pieces; i++)
        if (pwrite(fd, piece, PIECE_BYTES, (off_t)(i * PIECE_BYTES)) != PIECE_BYTES)
            bench_fail("writing: %s", strerror(errno));
    file_drop(fd);
    *write_s = (wall_ns() - start) * 1e-9 / (double)(pieces * PIECE_BYTES) * (double)bytes;
    start = wall_ns();
    for (size_t i = 0; i < pieces; i++)
        if (pread(fd, piece, PIECE_BYTES, (off_t)(i * PIECE_BYTES)) != PIECE_BYTES)
            bench_fail("reading: %s", strerror(errno));
    *read_s = (wall_ns() - start) * 1e-9 / (double)(pieces * PIECE_BYTES) * (double)bytes;
    close(fd);
    free(piece);
}

/* memory_time - the same product in memory, from the files and into one, in seconds. */
static double memory_time(struct gfmul_ctx *ctx, int a, int b, int z, char *text, size_t n)
{
    const double start = wall_ns();
    size_t len;
    file_get(a, text, n);
    file_get(b, text + n, n);
    char *const product = text + 2 * n;
    if (gfmul_str_mul(ctx, product, 2 * n + 2, &len, 10, text, n, 10, text + n, n, 10) != GFMUL_OK)
        bench_fail("no product in memory");
    product[len++] = '\n';
    file_put(z, product, len);
    return (wall_ns() - start) * 1e-9;
}

static void size_measure(const struct bench_settings *s, size_t n)
{
    double write_s[MAX_ROUNDS], read_s[MAX_ROUNDS], memory_s[MAX_ROUNDS], files_s[MAX_ROUNDS], ratio[MAX_ROUNDS];
    struct gfmul_files_report r;
    struct gfmul_files_options opt;
    struct gfmul_ctx *ctx;
    const size_t rounds = s->rounds < MAX_ROUNDS ? s->rounds : MAX_ROUNDS;
    const int a = file_open(), b = file_open();
    char *text = digits_make(n, s->seed);
    file_put(a, text, n);
    free(text);
    text = digits_make(n, s->seed + 1);
    file_put(b, text, n);
    free(text);
    gfmul_files_options_init(&opt);
    opt.scratch = &wish.folder;
    opt.n_scratch = 1;
    opt.memory_limit = wish.memory;
    opt.threads = s->library.threads;
    for (size_t i = 0; i < rounds; i++) {
        const int z = file_open(), other = file_open();
        file_drop(a);
        file_drop(b);
        if (gfmul_files_mul(z, a, b, &opt, &r) != GFMUL_OK)
            bench_fail("%s", r.detail);
        files_s[i] = (double)r.total_ns * 1e-9;
        const double start = wall_ns();
        file_drop(z);
        files_s[i] += (wall_ns() - start) * 1e-9;
        disk_time(r.write_bytes, &write_s[i], &read_s[i]);
        read_s[i] *= (double)r.read_bytes / (double)r.write_bytes;
        text = bench_alloc(4 * n + 4, 1);
        if (gfmul_ctx_create(&ctx, &s->library) != GFMUL_OK)
            bench_fail("no context");
        memory_s[i] = memory_time(ctx, a, b, other, text, n);
        gfmul_ctx_destroy(ctx);
        file_get(z, text, 2 * n); /* of both at least 2 n - 1 digits and a line end */
        file_get(other, text + 2 * n, 2 * n);
        if (memcmp(text, text + 2 * n, 2 * n) != 0)
            bench_fail("the products differ");
        free(text);
        const double disk_s = write_s[i] + read_s[i];
        ratio[i] = files_s[i] / (disk_s > memory_s[i] ? disk_s : memory_s[i]);
        close(z);
        close(other);
    }
    printf("%zu\t%llu\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%zu\n", n, (unsigned long long)r.needs.memory_bytes,
           (double)(r.read_bytes + r.write_bytes) / (double)r.needs.product_digits, median_of(write_s, rounds),
           median_of(read_s, rounds), median_of(memory_s, rounds), median_of(files_s, rounds), median_of(ratio, rounds), rounds);
    fflush(stdout);
    close(a);
    close(b);
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-files", .usage = usage, .own = own_options, .take = option_take, .seconds = 1, .rounds = 3};
    struct bench_settings s;

    bench_options_parse(&s, &program, argc, argv);
    size_options_finish(&wish.range);
    provenance_print(&s, argc, argv);
    printf(
        "# what: n digits times n digits; seconds.  disk_write, disk_read: for the bytes that the product moves, past the page\n"
        "# cache; in_memory: read, multiplied, written; in_files: to the end of the flush of the product; ratio: median of\n"
        "# in_files / the larger of disk_write + disk_read and in_memory, of the same round\n"
        "n\tmemory_bytes\tmoved_a_digit\tdisk_write_s\tdisk_read_s\tin_memory_s\tin_files_s\tratio\trounds\n");
    for (size_t i = 0; i < wish.range.sizes.count; i++)
        size_measure(&s, wish.range.sizes.n[i]);
    free(wish.range.sizes.n);
    return fclose(stdout) == 0 ? 0 : 1;
}
