/*
 * files_test.h - what the tests of products of numbers in files share: files, options, GMP's product, calls that fail.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef FILES_TEST_H
#define FILES_TEST_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gmp.h>
#include <pthread.h>
#include <sys/stat.h>

#include "scratch/scratch.h"
#include "test.h"

static char folder[64];
static const char *folders[3] = {folder, folder, folder};

/* ---- files ---- */

TEST_UNUSED static int file_make(void)
{
    char name[96];
    snprintf(name, sizeof name, "%s/number-XXXXXX", folder);
    const int fd = mkstemp(name);
    if (fd < 0 || unlink(name) != 0)
        abort();
    return fd;
}

TEST_UNUSED static int file_of(const char *text, size_t len)
{
    const int fd = file_make();
    for (size_t done = 0; done < len;) {
        const ssize_t n = write(fd, text + done, len - done);
        if (n <= 0)
            abort();
        done += (size_t)n;
    }
    return fd;
}

TEST_UNUSED static size_t file_bytes(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 ? (size_t)st.st_size : SIZE_MAX;
}

/* file_text - the content, and a NUL behind it. */
TEST_UNUSED static char *file_text(int fd, size_t *len)
{
    *len = file_bytes(fd);
    char *const text = test_alloc(*len + 1);
    for (size_t done = 0; done < *len;) {
        const ssize_t n = pread(fd, text + done, *len - done, (off_t)done);
        if (n <= 0)
            abort();
        done += (size_t)n;
    }
    text[*len] = '\0';
    return text;
}

/* entries_of - names in a folder. */
TEST_UNUSED static size_t entries_of(const char *name)
{
    size_t n = 0;
    DIR *const d = opendir(name);
    if (d == NULL)
        return 0;
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

TEST_UNUSED static struct gfmul_files_options options_of(uint64_t memory, size_t n_scratch)
{
    struct gfmul_files_options opt;
    gfmul_files_options_init(&opt);
    opt.scratch = folders;
    opt.n_scratch = n_scratch;
    opt.memory_limit = memory;
    opt.threads = 1;
    return opt;
}

/* product_text - of GMP, with a line end; NULL b: the square.   Ends with free. */
TEST_UNUSED static char *product_text(const char *a, const char *b)
{
    mpz_t x, y;
    while (*a == '+' || *a == ' ') /* GMP takes neither a plus sign nor space after a minus sign */
        a++;
    mpz_init(x);
    mpz_init(y);
    char *copy = test_alloc(strlen(a) + 1), *other = test_alloc(b != NULL ? strlen(b) + 1 : 1);
    const char *const source[2] = {a, b};
    char *const to[2] = {copy, other};
    for (int i = 0; i < 2 && source[i] != NULL; i++) {
        char *at = to[i];
        for (const char *s = source[i]; *s != '\0'; s++)
            if (*s == '-' || (*s >= '0' && *s <= '9'))
                *at++ = *s;
        *at = '\0';
        if (mpz_set_str(i == 0 ? x : y, to[i], 10) != 0)
            abort();
    }
    mpz_mul(x, x, b != NULL ? y : x);
    char *const text = test_alloc(mpz_sizeinbase(x, 10) + 3);
    mpz_get_str(text, 10, x);
    strcat(text, "\n");
    free(copy);
    free(other);
    mpz_clear(x);
    mpz_clear(y);
    return text;
}

/* ---- binary numbers ---- */

/* word_put - a word, the least significant byte first. */
TEST_UNUSED static void word_put(unsigned char *to, uint64_t w)
{
    for (unsigned i = 0; i < 8; i++, w >>= 8)
        to[i] = (unsigned char)w;
}

/* sum_reference - the checksum of n bytes, a multiple of 8, with a number, as doc/binary.md has it. */
TEST_UNUSED static uint64_t sum_reference(const unsigned char *bytes, size_t n, uint64_t number)
{
    uint64_t sum = number + 1;
    for (size_t i = n; i > 0; i -= 8) {
        uint64_t word = 0;
        for (size_t j = i; j-- > i - 8;)
            word = word << 8 | bytes[j];
        sum = (uint64_t)(((unsigned __int128)sum << 64 | word) % ((UINT64_C(1) << 52) - 473));
    }
    return sum;
}

/* head_seal - the checksum of a head. */
TEST_UNUSED static void head_seal(unsigned char *head)
{
    word_put(head + 56, sum_reference(head, 56, 0));
}

/* binary_of - the file of a number, byte by byte.   Ends with free. */
TEST_UNUSED static char *binary_of(mpz_srcptr x, size_t block_limbs, size_t *len)
{
    const size_t limbs = mpz_size(x), blocks = (limbs + block_limbs - 1) / block_limbs;
    *len = 64 + 8 * limbs + 8 * blocks;
    unsigned char *const file = test_alloc_zeroed(*len, 1);
    memcpy(file, "\x89GFM\r\n\x1a\n", 8);
    word_put(file + 8, 1);
    word_put(file + 16, mpz_sgn(x) < 0);
    word_put(file + 24, limbs);
    word_put(file + 32, block_limbs);
    head_seal(file);
    for (size_t i = 0; i < limbs; i++)
        word_put(file + 64 + 8 * i, mpz_getlimbn(x, (mp_size_t)i));
    for (size_t j = 0; j < blocks; j++) {
        const size_t first = j * block_limbs, n = limbs - first < block_limbs ? limbs - first : block_limbs;
        word_put(file + 64 + 8 * limbs + 8 * j, sum_reference(file + 64 + 8 * first, 8 * n, j + 1));
    }
    return (char *)file;
}

/* binary_product - of two texts, as the library writes it; NULL b: the square.   Ends with free. */
TEST_UNUSED static char *binary_product(const char *a, const char *b, size_t *len)
{
    char *const text = product_text(a, b);
    mpz_t z;
    mpz_init(z);
    text[strlen(text) - 1] = '\0'; /* the line end */
    if (mpz_set_str(z, text, 10) != 0)
        abort();
    char *const file = binary_of(z, BINARY_BLOCK_LIMBS, len);
    mpz_clear(z);
    free(text);
    return file;
}

/* binary_file_of - a text's number in a binary file. */
TEST_UNUSED static int binary_file_of(const char *text, size_t block_limbs)
{
    size_t len;
    mpz_t x;
    mpz_init(x);
    if (mpz_set_str(x, text, 10) != 0)
        abort();
    char *const file = binary_of(x, block_limbs, &len);
    const int fd = file_of(file, len);
    free(file);
    mpz_clear(x);
    return fd;
}

/* memory_least - the least memory for operands of these digits.   memory_least_binary - of these limbs. */
TEST_UNUSED static uint64_t memory_least_of(const struct scratch_task *task)
{
    struct scratch_plan plan;
    struct scratch_error e;
    return scratch_plan_set(&plan, task, &e) == GFMUL_ERR_MEMORY ? plan.needs.memory_bytes : 0;
}

TEST_UNUSED static uint64_t memory_least_binary(size_t an, size_t bn, bool square, unsigned threads)
{
    return memory_least_of(&(struct scratch_task){.digits = {8 * an, 8 * bn},
                                                  .product_digits = 8 * (an + bn),
                                                  .square = square,
                                                  .binary = true,
                                                  .threads = threads,
                                                  .memory = 1});
}

TEST_UNUSED static uint64_t memory_least(size_t a_digits, size_t b_digits, bool square, unsigned threads)
{
    const struct scratch_task task = {
        .digits = {a_digits, b_digits}, .product_digits = a_digits + b_digits, .square = square, .threads = threads, .memory = 1};
    return memory_least_of(&task);
}

/* ---- the system's calls ---- */

static struct scratch_calls real;

enum fault {
    FAULT_NONE,
    FAULT_EIO,
    FAULT_SHORT, /* no error: a part is moved */
    FAULT_EINTR, /* no error: nothing is moved, once */
    FAULT_END,   /* nothing more is moved */
    FAULT_SPACE,
    FAULT_FLIP_BIT,
    FAULT_LOST,   /* written nowhere, read as zeros */
    FAULT_EINVAL, /* as a direct write that the file system does not take */
    FAULT_DAMAGE, /* of writes: some bytes become others on the disk afterwards */
    FAULTS
};

static struct {
    enum fault fault;
    bool of_writes;
    long at; /* the call that fails */
    long reads, writes;
    uint64_t read_bytes, write_bytes;
    long direct;        /* calls past the page cache */
    off_t damaged;      /* where the damaged block begins in its file */
    void (*then)(void); /* or NULL: called after the damage */
} calls;

/* flipped - the byte to damage: any, the first or the last. */
static size_t flipped(size_t bytes)
{
    const unsigned kind = (unsigned)test_below(4);
    return kind == 0 ? 0 : kind == 1 ? bytes - 1 : test_below(bytes);
}

static bool is_direct(int fd)
{
#ifdef O_DIRECT
    return (fcntl(fd, F_GETFL) & O_DIRECT) != 0;
#else
    (void)fd;
    return false;
#endif
}

/* Folders are read and written in parallel; calls are counted one after the other. */
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

static ssize_t read_counted(int fd, void *to, size_t bytes, off_t at)
{
    const bool now = ++calls.reads == calls.at && !calls.of_writes;
    calls.direct += is_direct(fd);
    if (now && (calls.fault == FAULT_EIO || calls.fault == FAULT_EINTR || calls.fault == FAULT_EINVAL)) {
        errno = calls.fault == FAULT_EIO ? EIO : calls.fault == FAULT_EINTR ? EINTR : EINVAL;
        return -1;
    }
    if (now && calls.fault == FAULT_END)
        return 0;
    const ssize_t n = pread(fd, to, now && calls.fault == FAULT_SHORT ? (bytes + 1) / 2 : bytes, at);
    if (n > 0)
        calls.read_bytes += (uint64_t)n;
    if (n > 0 && now && calls.fault == FAULT_FLIP_BIT)
        ((char *)to)[flipped((size_t)n)] ^= (char)(1 << test_below(8));
    if (n > 0 && now && calls.fault == FAULT_LOST)
        memset(to, 0, (size_t)n);
    return n;
}

/* damage - change 1 to 8 bytes of a block on the disk. */
static void damage(int fd, size_t bytes, off_t at)
{
    calls.damaged = at;
    const size_t n = 1 + test_below(bytes < 8 ? bytes : 8);
    const off_t first = at + (off_t)flipped(bytes - n + 1);
    for (off_t i = first; i < first + (off_t)n; i++) {
        unsigned char c;
        if (pread(fd, &c, 1, i) != 1)
            abort();
        c ^= (unsigned char)(1 + test_below(255));
        if (pwrite(fd, &c, 1, i) != 1)
            abort();
    }
    if (calls.then != NULL)
        calls.then();
}

static ssize_t write_counted(int fd, const void *from, size_t bytes, off_t at)
{
    const bool now = ++calls.writes == calls.at && calls.of_writes;
    calls.direct += is_direct(fd);
    if (now &&
        (calls.fault == FAULT_EIO || calls.fault == FAULT_EINTR || calls.fault == FAULT_SPACE || calls.fault == FAULT_EINVAL)) {
        errno = calls.fault == FAULT_EIO     ? EIO
                : calls.fault == FAULT_SPACE ? ENOSPC
                : calls.fault == FAULT_EINTR ? EINTR
                                             : EINVAL;
        return -1;
    }
    if (now && calls.fault == FAULT_END)
        return 0;
    if (now && calls.fault == FAULT_LOST)
        return (ssize_t)bytes;
    if (now && calls.fault == FAULT_FLIP_BIT) {
        char *const copy = test_alloc(bytes);
        memcpy(copy, from, bytes);
        copy[flipped(bytes)] ^= (char)(1 << test_below(8));
        const ssize_t n = pwrite(fd, copy, bytes, at);
        free(copy);
        return n;
    }
    const ssize_t n = pwrite(fd, from, now && calls.fault == FAULT_SHORT ? (bytes + 1) / 2 : bytes, at);
    if (n > 0)
        calls.write_bytes += (uint64_t)n;
    if (n > 0 && now && calls.fault == FAULT_DAMAGE)
        damage(fd, (size_t)n, at);
    return n;
}

static ssize_t faulty_read(int fd, void *to, size_t bytes, off_t at)
{
    pthread_mutex_lock(&door);
    const ssize_t n = read_counted(fd, to, bytes, at);
    const int error = errno;
    pthread_mutex_unlock(&door);
    errno = error;
    return n;
}

static ssize_t faulty_write(int fd, const void *from, size_t bytes, off_t at)
{
    pthread_mutex_lock(&door);
    const ssize_t n = write_counted(fd, from, bytes, at);
    const int error = errno;
    pthread_mutex_unlock(&door);
    errno = error;
    return n;
}

TEST_UNUSED static void calls_begin(enum fault fault, bool of_writes, long at)
{
    memset(&calls, 0, sizeof calls);
    calls.fault = fault;
    calls.of_writes = of_writes;
    calls.at = at;
    scratch_calls.read = faulty_read;
    scratch_calls.write = faulty_write;
}

/* folder_make - the folder for all files. */
TEST_UNUSED static void folder_make(void)
{
    const char *const where = getenv("TMPDIR");
    real = scratch_calls;
    snprintf(folder, sizeof folder, "%.40s/t-files-XXXXXX", where != NULL ? where : "/tmp");
    if (mkdtemp(folder) == NULL)
        abort();
}

#endif
