/*
 * fuzz_cache.c - fuzz target: files of the cache of programs, altered, cut off, or something else.  What is loaded is what was
 * stored under the key, or nothing.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fuzz.h"

#ifdef HAVE_OPENCL
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk_cache.h"

enum { KEY_CHARS = 20, DATA_BYTES = 200, PATH_CHARS = 4200, FILE_BYTES = 4096 };

/* text - up to KEY_CHARS characters, from fuzz_alloc. */
static char *text(struct fuzz_input *in)
{
    const size_t n = fuzz_below(in, KEY_CHARS);
    char *s = fuzz_alloc(n + 1);
    for (size_t i = 0; i < n; i++) {
        const uint8_t c = fuzz_u8(in);
        s[i] = (char)(c == 0 ? 'x' : c);
    }
    s[n] = '\0';
    return s;
}

/* file_alter - alter the file as the input says; whether it is another one now. */
static bool file_alter(struct fuzz_input *in, const char *path)
{
    unsigned char old[FILE_BYTES], now[2 * FILE_BYTES];
    int fd = open(path, O_RDONLY);
    const ssize_t got = fd >= 0 ? read(fd, old, sizeof old) : -1;
    FUZZ_CHECK(got > 0 && (size_t)got < sizeof old, "%s cannot be read", path);
    close(fd);
    size_t n = (size_t)got;
    memset(now, 0, sizeof now);
    memcpy(now, old, n);
    for (unsigned changes = (unsigned)fuzz_below(in, 4) + 1; changes > 0; changes--) {
        switch (fuzz_below(in, 5)) {
        case 0: /* bytes of the input over some of it */
            for (size_t i = fuzz_below(in, n), k = fuzz_below(in, 16); i < n && k > 0; i++, k--)
                now[i] = fuzz_u8(in);
            break;
        case 1: /* a bit */
            now[fuzz_below(in, n)] ^= (unsigned char)(1 << fuzz_below(in, 8));
            break;
        case 2: /* shorter or longer */
            n = 1 + fuzz_below(in, FILE_BYTES);
            break;
        case 3: /* a length of the header */
            for (size_t at = 8 + 8 * fuzz_below(in, 4), i = 0; i < 8; i++)
                now[at + i] = fuzz_u8(in);
            break;
        default: /* a part moved */
            memmove(now + fuzz_below(in, n), now + fuzz_below(in, n), fuzz_below(in, 64));
        }
    }
    fd = open(path, O_WRONLY | O_TRUNC);
    FUZZ_CHECK(fd >= 0 && write(fd, now, n) == (ssize_t)n, "%s cannot be written", path);
    close(fd);
    return n != (size_t)got || memcmp(old, now, n) != 0;
}

/* load_check - what is loaded under a key. */
static void load_check(const struct disk_cache_key *key, const void *want, size_t want_bytes, enum disk_cache_result expected)
{
    void *data = &data;
    size_t bytes = 0;
    const enum disk_cache_result result = disk_cache_load(key, &data, &bytes);
    FUZZ_CHECK(result == expected, "result %d instead of %d", (int)result, (int)expected);
    if (result == DISK_CACHE_FOUND)
        FUZZ_CHECK(bytes == want_bytes && memcmp(data, want, bytes) == 0, "%zu bytes, which are others", bytes);
    else
        FUZZ_CHECK(data == NULL, "data without a file");
    free(data);
}

void fuzz_cache(struct fuzz_input *in)
{
    char path[PATH_CHARS];
    if (fuzz_folder() == NULL)
        return;
    char *key_texts[3] = {text(in), text(in), text(in)};
    const struct disk_cache_key key = {key_texts[0], key_texts[1], key_texts[2]};
    const unsigned how = fuzz_u8(in);
    const size_t n = fuzz_below(in, DATA_BYTES);
    char *data = fuzz_alloc(n);
    for (size_t i = 0; i < n; i++)
        data[i] = (char)fuzz_u8(in);
    load_check(&key, NULL, 0, DISK_CACHE_NONE);
    FUZZ_CHECK(disk_cache_store(&key, data, n) && disk_cache_has(&key) && disk_cache_path(&key, path, sizeof path), "not stored");
    load_check(&key, data, n, DISK_CACHE_FOUND);
    if (how < 200) {
        const bool altered = file_alter(in, path);
        load_check(&key, data, n, altered ? DISK_CACHE_REJECTED : DISK_CACHE_FOUND);
        if (altered && how & 1) { /* it is replaced by one that is right */
            FUZZ_CHECK(disk_cache_store(&key, data, n), "not stored again");
            load_check(&key, data, n, DISK_CACHE_FOUND);
        }
    } else if (how < 230) { /* under another key's name, or in another's rights */
        char *other_texts[3] = {text(in), text(in), text(in)}, other_path[PATH_CHARS];
        const struct disk_cache_key other = {other_texts[0], other_texts[1], other_texts[2]};
        FUZZ_CHECK(disk_cache_path(&other, other_path, sizeof other_path), "no path");
        if (strcmp(path, other_path) != 0) {
            FUZZ_CHECK(rename(path, other_path) == 0, "%s", other_path);
            load_check(&other, NULL, 0, DISK_CACHE_REJECTED);
            load_check(&key, NULL, 0, DISK_CACHE_NONE);
            unlink(other_path);
        }
        for (int i = 0; i < 3; i++)
            free(other_texts[i]);
    } else if (how < 240) {
        FUZZ_CHECK(chmod(path, 0666) == 0, "%s", path);
        load_check(&key, NULL, 0, DISK_CACHE_REJECTED);
    } else { /* not a file */
        unlink(path);
        FUZZ_CHECK(how & 1 ? mkfifo(path, 0600) == 0 : mkdir(path, 0700) == 0, "%s", path);
        load_check(&key, NULL, 0, DISK_CACHE_REJECTED);
        rmdir(path);
    }
    unlink(path);
    free(data);
    for (int i = 0; i < 3; i++)
        free(key_texts[i]);
}
#else
void fuzz_cache(struct fuzz_input *in)
{
    (void)in;
}
#endif
