/*
 * disk_cache.c - facts about devices and processors, and programs built for devices, on disk.
 *
 * A file has a struct header, the key's three texts, the data, and a checksum of all of these.  It is read whole.  It counts only
 * if all lengths, all texts and the checksum fit, and if only its owner, the user, could have written it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"

enum { PATH_BYTES = 4096, FILES_MAX = 1024, SUM_BYTES = 16 };
static const uint64_t cache_bytes_max = (uint64_t)256 << 20, file_bytes_max = (uint64_t)64 << 20;
static const char temporary_start[] = ".gfmul-";
static const time_t abandoned_s = 3600; /* an older temporary file has lost its writer */

struct header {
    char magic[8];
    uint64_t identity_bytes, options_bytes, source_bytes, data_bytes;
};
static const char magic[8] = {'g', 'f', 'm', 'u', 'l', 'c', 'l', '2'};

/* --- hashes -------------------------------------------------------------------------------------------------------------- */

struct hash {
    uint64_t x, y;
};

static const struct hash sum_start = {1, 2}; /* the initial state of a file's checksum */

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 29;
    return h;
}

/* hash_add - hash bytes and their count: eight bytes at a time, the last ones padded with zeros. */
static void hash_add(struct hash *h, const void *data, size_t bytes)
{
    const char *p = data;
    for (size_t left = bytes; left > 0;) {
        const size_t n = left < 8 ? left : 8;
        uint64_t word = 0;
        memcpy(&word, p, n);
        h->x = mix(h->x ^ word) * 0x9e3779b97f4a7c15u;
        h->y = mix(h->y + word) ^ (h->y << 23 | h->y >> 41);
        p += n;
        left -= n;
    }
    h->x = mix(h->x ^ bytes);
    h->y = mix(h->y + (uint64_t)bytes * 0xff51afd7ed558ccdu + h->x);
}

static struct hash key_hash(const struct disk_cache_key *key)
{
    struct hash h = {0x243f6a8885a308d3u, 0x13198a2e03707344u};
    hash_add(&h, magic, sizeof magic);
    hash_add(&h, key->identity, strlen(key->identity));
    hash_add(&h, key->options, strlen(key->options));
    hash_add(&h, key->source, strlen(key->source));
    return h;
}

/* --- places -------------------------------------------------------------------------------------------------------------- */

/* cache_dir - the folder of the cache; false if there is none. */
static bool cache_dir(char *path, size_t size)
{
    const char *own = environment_get("GFMUL_CACHE_DIR"), *xdg = environment_get("XDG_CACHE_HOME"),
               *home = environment_get("HOME");
    int n;
    if (own)
        n = *own ? snprintf(path, size, "%s", own) : -1;
    else if (xdg && *xdg == '/')
        n = snprintf(path, size, "%s/gfmul", xdg);
    else
        n = home && *home == '/' ? snprintf(path, size, "%s/.cache/gfmul", home) : -1;
    return n > 0 && (size_t)n < size;
}

bool disk_cache_path(const struct disk_cache_key *key, char *path, size_t size)
{
    const struct hash h = key_hash(key);
    char dir[PATH_BYTES];
    if (!cache_dir(dir, sizeof dir))
        return false;
    int n = snprintf(path, size, "%s/%016llx%016llx.cl-bin", dir, (unsigned long long)h.x, (unsigned long long)h.y);
    return n > 0 && (size_t)n < size;
}

bool disk_cache_has(const struct disk_cache_key *key)
{
    char path[PATH_BYTES + 64];
    return disk_cache_path(key, path, sizeof path) && access(path, R_OK) == 0;
}

/* dirs_make - make the folder and its parents. */
static bool dirs_make(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool disk_cache_open(void)
{
    char dir[PATH_BYTES];
    return cache_dir(dir, sizeof dir) && dirs_make(dir) && access(dir, W_OK | X_OK) == 0;
}

/* --- reading ------------------------------------------------------------------------------------------------------------- */

/* part_fits - whether the next text of a file is this one; advances *at past it. */
static bool part_fits(const char **at, struct hash *sum, size_t bytes, const char *text)
{
    const char *p = *at;
    *at += bytes;
    hash_add(sum, p, bytes);
    return memcmp(p, text, bytes) == 0;
}

/* file_data - the place of a key's data in a file's content, or NULL if anything does not fit. */
static const char *file_data(const char *file, size_t file_bytes, const struct disk_cache_key *key, size_t *bytes)
{
    const size_t identity = strlen(key->identity), options = strlen(key->options), source = strlen(key->source);
    const char *at = file + sizeof(struct header);
    struct header h;
    struct hash sum = sum_start;
    if (file_bytes < sizeof h + SUM_BYTES)
        return NULL;
    memcpy(&h, file, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.identity_bytes != identity || h.options_bytes != options ||
        h.source_bytes != source || h.data_bytes > file_bytes ||
        file_bytes - h.data_bytes != sizeof h + identity + options + source + SUM_BYTES)
        return NULL;
    hash_add(&sum, file, sizeof h);
    if (!part_fits(&at, &sum, identity, key->identity) || !part_fits(&at, &sum, options, key->options) ||
        !part_fits(&at, &sum, source, key->source))
        return NULL;
    *bytes = (size_t)h.data_bytes;
    hash_add(&sum, at, *bytes);
    return memcmp(&sum, at + *bytes, SUM_BYTES) == 0 ? at : NULL;
}

/* file_load - read the data of a key from an open file.   file out: the file's content, to be freed */
static enum disk_cache_result file_load(const struct disk_cache_key *key, FILE *f, char **file, void **data, size_t *bytes)
{
    struct stat st;
    if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
        st.st_size <= 0 || (uint64_t)st.st_size > file_bytes_max)
        return DISK_CACHE_REJECTED;
    *file = malloc((size_t)st.st_size);
    if (!*file || fread(*file, (size_t)st.st_size, 1, f) != 1)
        return DISK_CACHE_REJECTED;
    const char *found = file_data(*file, (size_t)st.st_size, key, bytes);
    if (!found || (*data = malloc(*bytes > 0 ? *bytes : 1)) == NULL)
        return DISK_CACHE_REJECTED;
    memcpy(*data, found, *bytes);
    return DISK_CACHE_FOUND;
}

enum disk_cache_result disk_cache_load(const struct disk_cache_key *key, void **data, size_t *bytes)
{
    char path[PATH_BYTES], *file = NULL;

    *data = NULL;
    *bytes = 0;
    const int how = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK; /* O_NONBLOCK: do not hang if somebody put a pipe there */
    int fd = disk_cache_path(key, path, sizeof path) ? open(path, how) : -1;
    if (fd < 0)
        return DISK_CACHE_NONE;
    FILE *f = fdopen(fd, "rb");
    const enum disk_cache_result result = f ? file_load(key, f, &file, data, bytes) : DISK_CACHE_REJECTED;
    if (f)
        fclose(f);
    else
        close(fd);
    free(file);
    return result;
}

/* --- writing ------------------------------------------------------------------------------------------------------------- */

struct old_file {
    char name[64];
    struct timespec time;
    uint64_t bytes;
};

static int by_age(const void *a, const void *b)
{
    const struct timespec *s = &((const struct old_file *)a)->time, *t = &((const struct old_file *)b)->time;
    if (s->tv_sec != t->tv_sec)
        return s->tv_sec < t->tv_sec ? -1 : 1;
    return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

/* is_program, is_temporary - whether a file name is one of ours, because other programs may use the same folder. */
static bool is_program(const char *name)
{
    return strspn(name, "0123456789abcdef") == 32 && strcmp(name + 32, ".cl-bin") == 0;
}

static bool is_temporary(const char *name)
{
    const size_t start = sizeof temporary_start - 1, length = strlen(name);
    return length > start + 4 && strncmp(name, temporary_start, start) == 0 && strcmp(name + length - 4, ".tmp") == 0 &&
           start + strspn(name + start, "0123456789abcdef-") == length - 4;
}

/* cache_prune - remove temporary files whose writers died, and the oldest programs if there are too many. */
static void cache_prune(const char *dir)
{
    struct old_file *list = NULL;
    size_t n = 0, room = 0;
    uint64_t sum = 0;
    const time_t now = time(NULL);
    DIR *d = opendir(dir);
    struct dirent *entry;

    while (d && (entry = readdir(d)) != NULL) {
        const size_t length = strlen(entry->d_name);
        const bool program = is_program(entry->d_name), temporary = is_temporary(entry->d_name);
        struct stat st;
        if ((!program && !temporary) || length >= sizeof list->name ||
            fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (temporary) {
            if (now - st.st_mtime > abandoned_s)
                unlinkat(dirfd(d), entry->d_name, 0);
            continue;
        }
        if (n == room) {
            struct old_file *longer = realloc(list, (room + 256) * sizeof *list);
            if (!longer)
                break;
            list = longer;
            room += 256;
        }
        memcpy(list[n].name, entry->d_name, length + 1);
        list[n].time = st.st_mtim;
        list[n].bytes = (uint64_t)st.st_size;
        sum += list[n].bytes;
        n++;
    }
    if (n > FILES_MAX || sum > cache_bytes_max) {
        size_t left = n;
        qsort(list, n, sizeof *list, by_age);
        for (size_t i = 0; i < n && (left > FILES_MAX / 4 * 3 || sum > cache_bytes_max / 4 * 3); i++, left--) {
            unlinkat(dirfd(d), list[i].name, 0);
            sum -= list[i].bytes;
        }
    }
    if (d)
        closedir(d);
    free(list);
}

static bool part_write(FILE *f, struct hash *sum, const void *data, size_t bytes)
{
    hash_add(sum, data, bytes);
    return bytes == 0 || fwrite(data, bytes, 1, f) == 1;
}

static bool file_write(FILE *f, const struct disk_cache_key *key, const void *data, size_t bytes)
{
    struct header h = {{0}, strlen(key->identity), strlen(key->options), strlen(key->source), bytes};
    struct hash sum = sum_start;
    memcpy(h.magic, magic, sizeof magic);
    return part_write(f, &sum, &h, sizeof h) && part_write(f, &sum, key->identity, (size_t)h.identity_bytes) &&
           part_write(f, &sum, key->options, (size_t)h.options_bytes) &&
           part_write(f, &sum, key->source, (size_t)h.source_bytes) && part_write(f, &sum, data, bytes) &&
           fwrite(&sum, SUM_BYTES, 1, f) == 1;
}

bool disk_cache_store(const struct disk_cache_key *key, const void *data, size_t bytes)
{
    static atomic_uint serial;
    char path[PATH_BYTES], dir[PATH_BYTES], temporary[PATH_BYTES + 64];
    const size_t more = sizeof(struct header) + strlen(key->identity) + strlen(key->options) + strlen(key->source) + SUM_BYTES;
    if (!disk_cache_path(key, path, sizeof path) || !cache_dir(dir, sizeof dir) || more > file_bytes_max ||
        bytes > file_bytes_max - more || !dirs_make(dir))
        return false;
    /* other processes or threads may write the same key, so each writes a temporary file and renames it when it is whole */
    snprintf(temporary, sizeof temporary, "%s/%s%lx-%x-%lx.tmp", dir, temporary_start, (unsigned long)getpid(),
             atomic_fetch_add(&serial, 1), (unsigned long)time(NULL));
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    bool stored = f && file_write(f, key, data, bytes);
    if (f)
        stored = fclose(f) == 0 && stored;
    else if (fd >= 0)
        close(fd);
    stored = stored && rename(temporary, path) == 0;
    if (fd >= 0 && !stored)
        unlink(temporary);
    if (stored)
        cache_prune(dir);
    return stored;
}
