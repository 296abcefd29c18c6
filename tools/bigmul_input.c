/*
 * bigmul_input.c - an operand's file: mapped where it is large, read otherwise.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Huge regular files are mapped, so that a number of billions of digits is in memory once, in the page cache.  What a
 * mapping cannot do safely is handled here and in bigmul_signal.c: a file that shrinks raises SIGBUS, and one that is
 * rewritten in place is found out by input_check before the product is printed.  Smaller files are read into memory, where
 * nobody can change them: that costs 0.2 ms per MB more, a few per cent of reading their digits.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bigmul.h"

static const size_t map_from_bytes = (size_t)1 << 26; /* tests/t-bigmul_files.sh knows it */
static const size_t first_buffer_bytes = (size_t)1 << 16;
static const size_t read_at_once_bytes = (size_t)1 << 24;

static bool is_standard(const char *file)
{
    return strcmp(file, "-") == 0;
}

int input_open(struct input *in, const char *file)
{
    *in = INPUT_NONE;
    in->name = name_for_messages(file, "standard input");
    /* dup: input_close may then close it, whichever it is. */
    in->fd = is_standard(file) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (in->fd < 0 || fstat(in->fd, &in->stat) != 0) {
        complain("%s: %s", in->name, strerror(errno));
        return EXIT_INPUT;
    }
    if (S_ISDIR(in->stat.st_mode)) {
        complain("%s: %s", in->name, strerror(EISDIR));
        return EXIT_INPUT;
    }
    return EXIT_DONE;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool input_same(const struct input *a, const struct input *b)
{
    /* Standard input may be a file that has been read from already. */
    return same_file(&a->stat, &b->stat) && S_ISREG(a->stat.st_mode) && lseek(a->fd, 0, SEEK_CUR) == lseek(b->fd, 0, SEEK_CUR);
}

bool input_is_pipe(const char *file, const struct input *of)
{
    struct stat stat_now;

    if ((is_standard(file) ? fstat(STDIN_FILENO, &stat_now) : stat(file, &stat_now)) != 0 || !S_ISFIFO(stat_now.st_mode))
        return false;
    return !of || same_file(&of->stat, &stat_now);
}

/* True where the file is as it was when it was opened.  Files without a size (as in /proc) cannot tell. */
static bool file_unchanged(const struct input *in)
{
    struct stat now;

    if (!S_ISREG(in->stat.st_mode) || in->stat.st_size == 0)
        return true;
    return fstat(in->fd, &now) == 0 && now.st_size == in->stat.st_size && now.st_mtim.tv_sec == in->stat.st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == in->stat.st_mtim.tv_nsec;
}

static int changed_error(const struct input *in)
{
    complain("%s: file changed while being read", in->name);
    return EXIT_INPUT;
}

/* Map a large regular file that is to be read from its start; false: read it instead. */
static bool file_map(struct input *in)
{
    if (!S_ISREG(in->stat.st_mode) || in->stat.st_size < (off_t)map_from_bytes || (uintmax_t)in->stat.st_size > SIZE_MAX / 2 ||
        lseek(in->fd, 0, SEEK_CUR) != 0)
        return false;
    size_t bytes = (size_t)in->stat.st_size;
    void *map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, in->fd, 0);
    if (map == MAP_FAILED)
        return false;
    /* Advice only: what the kernel makes of it does not matter. */
    (void)madvise(map, bytes, MADV_SEQUENTIAL);
#ifdef MADV_HUGEPAGE
    (void)madvise(map, bytes, MADV_HUGEPAGE);
#endif
    signals_watch_map(map, bytes, in->name);
    in->map = map;
    in->text = map;
    in->len = bytes;
    return true;
}

/* Read to the end into a growing buffer. */
static int file_read(struct input *in)
{
    size_t size = first_buffer_bytes, len = 0;
    char *buffer = NULL;

    if (S_ISREG(in->stat.st_mode) && in->stat.st_size > 0 && (uintmax_t)in->stat.st_size < SIZE_MAX / 2)
        size = (size_t)in->stat.st_size + 1; /* one more, so that the end is seen without growing */
    for (;;) {
        if (!buffer || len == size) {
            size_t wanted = !buffer ? size : size + size / 2;
            char *larger = wanted >= size ? realloc(buffer, wanted) : NULL;
            if (!larger) {
                complain("%s: not enough memory to read it (%zu bytes and more)", in->name, size);
                free(buffer);
                return EXIT_COMPUTE;
            }
            buffer = larger;
            size = wanted;
        }
        ssize_t got = read(in->fd, buffer + len, size - len < read_at_once_bytes ? size - len : read_at_once_bytes);
        if (got == 0)
            break;
        if (got < 0) {
            if (errno == EINTR)
                continue;
            complain("%s: %s", in->name, strerror(errno));
            free(buffer);
            return EXIT_INPUT;
        }
        len += (size_t)got;
    }
    in->buffer = buffer;
    in->text = buffer;
    in->len = len;
    if (!file_unchanged(in))
        return changed_error(in);
    close(in->fd);
    in->fd = -1;
    return EXIT_DONE;
}

int input_load(struct input *in)
{
    return file_map(in) ? EXIT_DONE : file_read(in);
}

void input_touch(const struct input *in)
{
    const size_t page = 4096;
    volatile char seen = 0;
    for (size_t i = 0; in->map && i < in->len; i += page)
        seen = in->text[i];
    (void)seen;
}

int input_check(const struct input *in)
{
    return !in->map || file_unchanged(in) ? EXIT_DONE : changed_error(in);
}

void input_close(struct input *in)
{
    if (in->map) {
        signals_forget_map(in->map);
        munmap(in->map, in->len);
    }
    free(in->buffer);
    if (in->fd >= 0)
        close(in->fd);
    *in = INPUT_NONE;
}
