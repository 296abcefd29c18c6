/*
 * disk_cache.h - facts about devices and processors, and programs built for devices, on disk.  See ocl_program.h for the folder
 * and the guarantees.
 */
#ifndef GFMUL_DISK_CACHE_H
#define GFMUL_DISK_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* The key of a cached file, three texts; the file is found and verified by them. */
struct disk_cache_key {
    const char *identity; /* device, platform, driver; or the processor */
    const char *options;  /* of the compiler, or the name of a fact */
    const char *source;   /* as the compiler gets it */
};

enum disk_cache_result { DISK_CACHE_NONE, DISK_CACHE_FOUND, DISK_CACHE_REJECTED }; /* REJECTED: a file that does not fit */

/* disk_cache_load - the data kept under a key.   data out: freed by the caller with free; NULL unless FOUND. */
enum disk_cache_result disk_cache_load(const struct disk_cache_key *key, void **data, size_t *bytes);

/*
 * disk_cache_store - keep data under a key, in place of older data.  Only complete files ever appear under their names.  If the
 * files become too many or too large, the oldest are removed.   False: nothing could be kept.
 */
bool disk_cache_store(const struct disk_cache_key *key, const void *data, size_t bytes);

/* disk_cache_has - whether there is a file under a key, with any content. */
bool disk_cache_has(const struct disk_cache_key *key);

/* disk_cache_open - make the cache's folder if needed; whether files can be written there. */
bool disk_cache_open(void);

/* disk_cache_path - the file of a key; false if there is no cache.   For tests. */
bool disk_cache_path(const struct disk_cache_key *key, char *path, size_t size);

#endif
