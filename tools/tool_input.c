/*
 * tool_input.c - an operand's file: mapped if it is large, read otherwise.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Huge regular files are mapped, so that a number of billions of digits is in memory only once, in the page cache.  Mapping has
 * two dangers.  A file that shrinks raises SIGBUS, which tool_signal.c handles.  A file that is rewritten in place is noticed
 * by input_check before the product is printed.  Smaller files are read into memory, where nobody can change them: that costs
 * 0.2 ms more per MB, a few per cent of parsing their digits.
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

#include "tool.h"

static const size_t map_from_bytes = (size_t)1 << 26; /* tests/t-bigmul_files.sh relies on it */
static const size_t first_buffer_bytes = (size_t)1 << 16;
static const size_t read_at_once_bytes = (size_t)1 << 24;
enum { RAW_BYTES = 1 << 16 }; /* read at once from a gzip file */

static bool is_standard(const char *file)
{
    return strcmp(file, "-") == 0;
}

/* Is this number an invalid file descriptor? */
static bool is_literal(const char *file)
{
    const char *const digits = file + (*file == '-' || *file == '+');

    return *digits >= '0' && *digits <= '9' && strspn(digits, "0123456789abcdefABCDEFxX_") == strlen(digits);
}

int input_open(struct input *in, const char *file)
{
    *in = (struct input)INPUT_NONE;
    in->name = name_for_messages(file, "standard input");
    /* a duplicate, so that input_close may close it in every case */
    in->fd = is_standard(file) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (in->fd < 0 || fstat(in->fd, &in->stat) != 0) {
        if (errno == ENOENT && is_literal(file))
            complain("%s: %s; an operand is a file: in bash, <(echo %s) is one with this number", in->name, strerror(ENOENT),
                     file);
        else
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
    /* Standard input may be a file that has already been read in part. */
    return same_file(&a->stat, &b->stat) && S_ISREG(a->stat.st_mode) && lseek(a->fd, 0, SEEK_CUR) == lseek(b->fd, 0, SEEK_CUR);
}

bool input_is_pipe(const char *file, const struct input *of)
{
    struct stat stat_now;

    if ((is_standard(file) ? fstat(STDIN_FILENO, &stat_now) : stat(file, &stat_now)) != 0 || !S_ISFIFO(stat_now.st_mode))
        return false;
    return !of || same_file(&of->stat, &stat_now);
}

static bool same_state(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* True if the file has not changed since it was opened.  Files without a size (as in /proc) cannot tell. */
static bool file_unchanged(const struct input *in)
{
    struct stat now;

    if (!S_ISREG(in->stat.st_mode) || in->stat.st_size == 0)
        return true;
    return fstat(in->fd, &now) == 0 && same_state(&now, &in->stat);
}

bool input_is_still(const struct input *in, const char *path)
{
    struct stat now;

    return S_ISREG(in->stat.st_mode) && stat(path, &now) == 0 && same_file(&now, &in->stat) && same_state(&now, &in->stat);
}

static int changed_error(const struct input *in)
{
    complain("%s: file changed while being read", in->name);
    return EXIT_INPUT;
}

static bool is_gzip(const unsigned char *head)
{
    return head[0] == 0x1f && head[1] == 0x8b;
}

/* Map a large regular file if it is to be read from its start; false: read it instead. */
static bool file_map(struct input *in, const struct reading *how)
{
    unsigned char head[2];

    if (!S_ISREG(in->stat.st_mode) || in->stat.st_size < (off_t)map_from_bytes || (uintmax_t)in->stat.st_size > SIZE_MAX / 2 ||
        lseek(in->fd, 0, SEEK_CUR) != 0)
        return false;
    if (how->lenient && pread(in->fd, head, sizeof head, 0) == (ssize_t)sizeof head && is_gzip(head))
        return false;
    size_t bytes = (size_t)in->stat.st_size;
    /* Blanks are written to a private mapping: a page is copied when it is first written to. */
    void *map = mmap(NULL, bytes, PROT_READ | (how->lenient ? PROT_WRITE : 0), MAP_PRIVATE, in->fd, 0);
    if (map == MAP_FAILED)
        return false;
    /* Only a hint, so failure does not matter. */
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

/* The source of a text's characters. */
struct source {
    struct input *in;
    struct gunzip *gunzip; /* NULL: not compressed */
    char raw[RAW_BYTES];   /* read but not consumed yet: at, left */
    const char *at;
    size_t left;
    bool begun;
};

/* fd_read - as read(2), but repeated after a signal; -1 after a message. */
static ssize_t fd_read(const struct input *in, char *to, size_t room)
{
    ssize_t got;

    do
        got = read(in->fd, to, room);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        complain("%s: %s", in->name, strerror(errno));
    return got;
}

/* source_begin - find out whether the file is compressed by gzip; EXIT_DONE, or an exit status after a message. */
static int source_begin(struct source *s)
{
    ssize_t got = 1;

    s->begun = true;
    s->at = s->raw;
    while (s->left < 2 && (got = fd_read(s->in, s->raw + s->left, RAW_BYTES - s->left)) > 0)
        s->left += (size_t)got;
    if (got < 0)
        return EXIT_INPUT;
    if (s->left < 2 || !is_gzip((const unsigned char *)s->raw))
        return EXIT_DONE;
    if (!GUNZIP_AVAILABLE) {
        complain("%s: compressed by gzip, which this build does not read: gzip -dc FILE does", s->in->name);
        return EXIT_INPUT;
    }
    if (!(s->gunzip = gunzip_begin())) {
        complain("%s: not enough memory to decompress it", s->in->name);
        return EXIT_COMPUTE;
    }
    return EXIT_DONE;
}

/* source_unpack - the next characters of a gzip file.   got out: 0 at its end */
static int source_unpack(struct source *s, char *to, size_t room, size_t *got)
{
    for (*got = 0;;) {
        if (s->left == 0) {
            const ssize_t n = fd_read(s->in, s->raw, RAW_BYTES);
            if (n < 0)
                return EXIT_INPUT;
            s->at = s->raw;
            s->left = (size_t)n;
            if (n == 0 && gunzip_done(s->gunzip))
                return EXIT_DONE;
        }
        const bool ends = s->left == 0;
        *got = room;
        const char *const wrong = gunzip_take(s->gunzip, &s->at, &s->left, to, got);
        if (wrong || (ends && *got == 0 && !gunzip_done(s->gunzip))) {
            complain("%s: %s", s->in->name, wrong ? wrong : "it is no whole file of gzip: it is cut off");
            return EXIT_INPUT;
        }
        if (*got > 0)
            return EXIT_DONE;
    }
}

/* source_read - the next characters; EXIT_DONE, or an exit status after a message.   got out: 0 at the end */
static int source_read(struct source *s, const struct reading *how, char *to, size_t room, size_t *got)
{
    int status;

    if (how->lenient && !s->begun && (status = source_begin(s)) != EXIT_DONE)
        return status;
    if (s->gunzip)
        return source_unpack(s, to, room, got);
    if (s->left > 0) { /* what source_begin has read */
        *got = s->left < room ? s->left : room;
        memcpy(to, s->at, *got);
        s->at += *got;
        s->left -= *got;
        return EXIT_DONE;
    }
    const ssize_t n = fd_read(s->in, to, room);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? EXIT_INPUT : EXIT_DONE;
}

static int lenient_error(const struct input *in, const struct lenient *s)
{
    complain("%s:%zu:%zu: %s", in->name, s->line, s->column, s->reason);
    return EXIT_INPUT;
}

/* room_error - report a text larger than --memory, or than the memory of the machine. */
static int room_error(const struct input *in, const struct reading *how, size_t size)
{
    if (how->memory_text)
        complain("%s: more bytes than --memory=%s leaves for it (%zu)", in->name, how->memory_text, how->room);
    else
        complain("%s: not enough memory to read it (%zu bytes and more)", in->name, size);
    return EXIT_COMPUTE;
}

/* The new size of a full buffer: half as much more, within the room; 0: there is no more room. */
static size_t size_next(size_t size, size_t room)
{
    const size_t wanted = size + size / 2;

    return wanted < size || size >= room ? 0 : wanted < room ? wanted : room;
}

/* text_read - read into a growing buffer, up to the end or to the first character that no number can have. */
static int text_read(struct source *source, const struct reading *how)
{
    struct input *const in = source->in;
    const bool sized = S_ISREG(in->stat.st_mode) && in->stat.st_size > 0 && (uintmax_t)in->stat.st_size < SIZE_MAX / 2;
    const size_t pages = (size_t)sysconf(_SC_PHYS_PAGES), page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t room = how->room ? how->room : pages < SIZE_MAX / page ? pages * page : SIZE_MAX;
    struct lenient lenient = {.line = 1, .column = 1};
    size_t size = 0, checked = 0, got; /* checked: as text */
    int status;

    for (;;) {
        if (in->len == size) {
            /* one byte more than the file, so that the end is seen without growing the buffer */
            const size_t first = sized ? (size_t)in->stat.st_size + 1 : first_buffer_bytes;
            const size_t wanted = size > 0 ? size_next(size, room) : first < room ? first : room;
            char *const larger = wanted > 0 ? realloc(in->buffer, wanted) : NULL;
            if (!larger)
                return room_error(in, how, size > 0 ? size : first);
            in->text = in->buffer = larger;
            size = wanted;
        }
        const size_t free_bytes = size - in->len < read_at_once_bytes ? size - in->len : read_at_once_bytes;
        if ((status = source_read(source, how, in->buffer + in->len, free_bytes, &got)) != EXIT_DONE)
            return status;
        if (got == 0)
            break;
        in->len += got;
        const bool binary = binary_may_begin(in->text, in->len), endless = !sized || source->gunzip; /* a pipe may never end */
        const size_t from = checked;
        checked = binary ? 0 : in->len;
        if (how->lenient && !binary && !lenient_take(&lenient, in->buffer + from, in->len - from))
            return lenient_error(in, &lenient);
        if (endless && (binary ? binary_ends(in->text, in->len) : number_stray(in->text, in->len, from, how->base) < in->len)) {
            in->stray = true;
            return EXIT_DONE;
        }
    }
    if (how->lenient && !input_is_binary(in) && !lenient_end(&lenient))
        return lenient_error(in, &lenient);
    return file_unchanged(in) ? EXIT_DONE : changed_error(in);
}

static int file_read(struct input *in, const struct reading *how)
{
    struct source *const source = calloc(1, sizeof *source);

    if (!source) {
        complain("%s: not enough memory to read it", in->name);
        return EXIT_COMPUTE;
    }
    source->in = in;
    const int status = text_read(source, how);
    gunzip_end(source->gunzip);
    free(source);
    if (status == EXIT_DONE) {
        close(in->fd);
        in->fd = -1;
    }
    return status;
}

/* map_blank - prepare the text of a mapped file for --lenient. */
static int map_blank(const struct input *in)
{
    struct lenient lenient = {.line = 1, .column = 1};

    return lenient_take(&lenient, in->map, in->len) && lenient_end(&lenient) ? EXIT_DONE : lenient_error(in, &lenient);
}

int input_load(struct input *in, const struct reading *how)
{
    if (!file_map(in, how))
        return file_read(in, how);
    if (how->room && in->len > how->room)
        return room_error(in, how, in->len);
    return how->lenient && !input_is_binary(in) ? map_blank(in) : EXIT_DONE;
}

void input_touch(const struct input *in, const atomic_bool *enough)
{
    const size_t page = 4096;
    volatile char seen = 0;
    for (size_t i = 0; in->map && i < in->len && !atomic_load_explicit(enough, memory_order_relaxed); i += page)
        seen = in->text[i];
    (void)seen;
}

int input_check(const struct input *in)
{
    return !in->map || file_unchanged(in) ? EXIT_DONE : changed_error(in);
}

/* The offset of a place in a text, as the library counts lines. */
static size_t place_offset(const struct input *in, size_t line, size_t column)
{
    size_t i = 0;

    for (; i < in->len && line > 1; i++)
        line -= in->text[i] == '\n' || (in->text[i] == '\r' && !(i + 1 < in->len && in->text[i + 1] == '\n'));
    return i + column - 1;
}

int input_wrong(const struct input *in, const struct gfmul_report *report, bool lenient)
{
    const size_t line = report->error_line, column = report->error_column;
    const char *const hint = line > 0 ? lenient_hint(in->text, in->len, place_offset(in, line, column), lenient) : NULL;

    if (line > 0)
        complain("%s:%zu:%zu: %s%s%s", in->name, line, column, report->error_reason, hint ? "; " : "", hint ? hint : "");
    else
        complain("%s: %s", in->name, report->error_reason);
    return EXIT_INPUT;
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
    *in = (struct input)INPUT_NONE;
}
