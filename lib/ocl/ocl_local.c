/*
 * ocl_local.c - find out how much local memory a work-group can really have.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/disk_cache.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_state.h"

/* Sizes in KiB that GPUs are known to have although their drivers report less: 227 on an H200, then those of older GPUs. */
static const unsigned more_kib[] = {227, 163, 99, 64};

/* If so many tries on a device had no result, stop trying and use the driver's answer. */
enum { TRIES_MAX = 3 };

/* probe - whether a kernel runs with so many bytes, and can write and read all of them. */
static bool probe(struct ocl_device *d, size_t bytes)
{
    const struct ocl_call on = {.device = d};
    char options[64];
    cl_kernel k = NULL;
    cl_mem m = NULL;
    cl_uint sum = 0, expected = 0;

    for (cl_uint i = 0; i < bytes / 4; i++)
        expected += 2654435761u * (i + 1);
    snprintf(options, sizeof options, "-DPROBE_BYTES=%zu", bytes);
    bool runs = ocl_kernel_get(&on, "probe_local.cl", "probe_local", options, &k) == GFMUL_OK &&
                ocl_buffer_get(&on, sizeof sum, &m) == GFMUL_OK && ocl_args(&on, k, OCL_ARG(m), OCL_END) == GFMUL_OK &&
                ocl_launch(&on, k, "probe_local", ocl_items(64, 64), 0) == GFMUL_OK &&
                clEnqueueReadBuffer(d->queue, m, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL) == CL_SUCCESS && sum == expected;
    ocl_buffer_put(d, m);
    ocl_kernel_put(d, k);
    return runs;
}

/*
 * probe_most - the most bytes that a kernel runs with; 0: unknown.
 * A probe may also fail because the device has no free memory.  So a failure counts only if a smaller probe succeeds after it,
 * and the failure then repeats.
 */
static size_t probe_most(struct ocl_device *d)
{
    const size_t said = (size_t)d->info.local_bytes, n = sizeof more_kib / sizeof more_kib[0];
    size_t i = 0;
    while (i < n && (size_t)more_kib[i] << 10 > said && !probe(d, (size_t)more_kib[i] << 10))
        i++;
    const bool more = i < n && (size_t)more_kib[i] << 10 > said;
    if (!more && i > 0 && !probe(d, said / 2))
        return 0;
    for (size_t j = 0; j < i; j++) {
        if (probe(d, (size_t)more_kib[j] << 10))
            return (size_t)more_kib[j] << 10;
    }
    return more ? (size_t)more_kib[i] << 10 : said;
}

size_t ocl_device_local_bytes(struct ocl_device *d)
{
    const struct disk_cache_key key = {d->identity, OCL_FACT_LOCAL, ""};
    void *data = NULL;
    size_t bytes = 0, n = 0;

    pthread_mutex_lock(&d->lock);
    bytes = d->local_bytes;
    pthread_mutex_unlock(&d->lock);
    if (bytes > 0)
        return bytes;

    if (!d->info.gpu) { /* its local memory is ordinary memory, so more of it gains nothing */
        bytes = (size_t)d->info.local_bytes;
    } else if (disk_cache_load(&key, &data, &n) == DISK_CACHE_FOUND && n == sizeof bytes) {
        memcpy(&bytes, data, sizeof bytes);
    } else if (!ocl_device_lost(d) && (bytes = probe_most(d)) > 0 && !ocl_device_lost(d)) {
        disk_cache_store(&key, &bytes, sizeof bytes);
    }
    free(data);
    pthread_mutex_lock(&d->lock);
    if (bytes > 0 || ++d->local_tries >= TRIES_MAX)
        d->local_bytes = bytes > 0 ? bytes : (size_t)d->info.local_bytes;
    pthread_mutex_unlock(&d->lock);
    return bytes > 0 ? bytes : (size_t)d->info.local_bytes;
}
