/*
 * ocl_cache.h - facts about devices, and programs built for them, on disk.  See ocl_program.h for the folder and the guarantees.
 */
#ifndef GFMUL_OCL_CACHE_H
#define GFMUL_OCL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* The key of a cached file, three texts; the file is found and verified by them. */
struct ocl_cache_key {
    const char *identity; /* device, platform, driver */
    const char *options;  /* of the compiler, or the name of a fact */
    const char *source;   /* as the compiler gets it */
};

enum ocl_cache_result { OCL_CACHE_NONE, OCL_CACHE_FOUND, OCL_CACHE_REJECTED }; /* REJECTED: a file that does not fit */

/* ocl_cache_load - the data kept under a key.   data out: freed by the caller with free; NULL unless FOUND. */
enum ocl_cache_result ocl_cache_load(const struct ocl_cache_key *key, void **data, size_t *bytes);

/*
 * ocl_cache_store - keep data under a key, in place of older data.  Only complete files ever appear under their names.  If the
 * files become too many or too large, the oldest are removed.   False: nothing could be kept.
 */
bool ocl_cache_store(const struct ocl_cache_key *key, const void *data, size_t bytes);

/* ocl_cache_has - whether there is a file under a key, with any content. */
bool ocl_cache_has(const struct ocl_cache_key *key);

/* ocl_cache_open - make the cache's folder if needed; whether files can be written there. */
bool ocl_cache_open(void);

/* ocl_cache_path - the file of a key; false if there is no cache.   For tests. */
bool ocl_cache_path(const struct ocl_cache_key *key, char *path, size_t size);

#endif
