/*
 * ocl_rates.c - measure a device's speed, three figures that decide between doubles and primes, once for each driver.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/disk_cache.h"
#include "base/try.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_state.h"

enum { GROUP = 256, UNIT_ITEMS = 2048, CHAINS = 8, ROUNDS_LEAST = 32, ROUNDS_MOST = 1 << 14, RUNS = 3 };
static const size_t copy_first = (size_t)8 << 20, copy_most = (size_t)128 << 20; /* beyond what caches hold, if that is short */
static const double enough_ns = 2e4, long_ns = 2e5;                              /* least times of a launch */

/* A rate outside these limits is an error of a file or a clock. */
static const double least = 1e-3, most = 1e6;

/* The state of a measurement. */
struct trial {
    const struct ocl_call *on;
    cl_command_queue queue; /* measures the times of its commands */
    cl_mem memory;
    size_t memory_bytes;
};

static bool rates_hold(const struct device_rates *r)
{
    return r->fma >= least && r->fma <= most && r->product >= least && r->product <= most && r->copy >= least && r->copy <= most;
}

/* launch_ns - the time of a launch; at least 1. */
static enum gfmul_status launch_ns(const struct trial *t, cl_kernel k, const char *name, size_t items, double *ns)
{
    const size_t group = GROUP;
    cl_ulong start = 0, end = 0;
    cl_event event = NULL;
    *ns = 1;
    TRY(ocl_status(t->on, clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &items, &group, 0, NULL, &event), name));
    const enum gfmul_status status = ocl_event_wait(t->on, event, name);
    if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == CL_SUCCESS &&
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS && end > start + 1)
        *ns = (double)(end - start);
    clReleaseEvent(event);
    return status;
}

/* best_ns - the shortest time of some launches, because clock rates rise, and other programs use the device too. */
static enum gfmul_status best_ns(const struct trial *t, cl_kernel k, const char *name, size_t items, double *ns)
{
    *ns = HUGE_VAL;
    for (unsigned i = 0; i < RUNS; i++) {
        double once;
        TRY(launch_ns(t, k, name, items, &once));
        *ns = once < *ns ? once : *ns;
    }
    return GFMUL_OK;
}

/* arithmetic - operations per nanosecond of a kernel of chains of operations, with enough rounds for a long launch. */
static enum gfmul_status arithmetic(const struct trial *t, cl_kernel k, const char *name, double *rate)
{
    const unsigned units = t->on->device->info.compute_units;
    const size_t items = (size_t)UNIT_ITEMS * (units > 0 ? units : 1);
    cl_uint rounds = ROUNDS_LEAST;
    double ns;
    TRY(ocl_args(t->on, k, OCL_ARG(t->memory), OCL_ARG(rounds), OCL_END));
    TRY(launch_ns(t, k, name, items, &ns)); /* the first launch may wait for the program to load */
    for (;; rounds *= 4) {
        TRY(ocl_args(t->on, k, OCL_ARG(t->memory), OCL_ARG(rounds), OCL_END));
        TRY(launch_ns(t, k, name, items, &ns));
        if (ns >= enough_ns || rounds >= ROUNDS_MOST)
            break;
    }
    TRY(best_ns(t, k, name, items, &ns));
    *rate = (double)items * CHAINS * (double)rounds / ns;
    return GFMUL_OK;
}

/* copying - bytes read and written per nanosecond; the whole memory is copied if a part of it takes too short a time. */
static enum gfmul_status copying(const struct trial *t, cl_kernel k, double *rate)
{
    size_t bytes = t->memory_bytes < copy_first ? t->memory_bytes : copy_first;
    double ns;
    TRY(ocl_args(t->on, k, OCL_ARG(t->memory), OCL_END));
    TRY(launch_ns(t, k, "probe_copy", bytes / 16, &ns));
    TRY(launch_ns(t, k, "probe_copy", bytes / 16, &ns)); /* the first launch may wait for the memory to be allocated */
    if (ns < long_ns) {
        bytes = t->memory_bytes;
        TRY(launch_ns(t, k, "probe_copy", bytes / 16, &ns));
    }
    TRY(best_ns(t, k, "probe_copy", bytes / 16, &ns));
    *rate = 2.0 * (double)bytes / ns;
    return GFMUL_OK;
}

/* kernels_run - get the kernels and measure the three rates. */
static enum gfmul_status kernels_run(const struct trial *t, cl_kernel *k, struct device_rates *rates)
{
    static const char *const name[3] = {"probe_fma", "probe_product", "probe_copy"};
    for (unsigned i = 0; i < 3; i++)
        TRY(ocl_kernel_get(t->on, "probe_rates.cl", name[i], "", &k[i]));
    TRY(arithmetic(t, k[0], name[0], &rates->fma));
    TRY(arithmetic(t, k[1], name[1], &rates->product));
    return copying(t, k[2], &rates->copy);
}

/* measure - make a queue and memory, and measure the three rates. */
static enum gfmul_status measure(const struct ocl_call *on, struct device_rates *rates)
{
    struct ocl_device *d = on->device;
    struct trial t = {.on = on};
    cl_kernel k[3] = {NULL, NULL, NULL};
    cl_int code, made = CL_SUCCESS;
    const uint64_t room =
        d->info.global_bytes / 16 < d->info.max_alloc_bytes ? d->info.global_bytes / 16 : d->info.max_alloc_bytes;
    t.memory_bytes = room < copy_most ? (size_t)room / (16 * GROUP) * (16 * GROUP) : copy_most;
    t.queue = clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code == CL_SUCCESS)
        t.memory = clCreateBuffer(d->context, CL_MEM_READ_WRITE, t.memory_bytes, NULL, &made);
    enum gfmul_status status = ocl_status(on, code != CL_SUCCESS ? code : made, "a trial of the device's speed");
    if (status == GFMUL_OK)
        status = kernels_run(&t, k, rates);
    if (t.queue)
        clFinish(t.queue);
    for (unsigned i = 0; i < 3; i++)
        ocl_kernel_put(d, k[i]);
    if (t.memory)
        clReleaseMemObject(t.memory);
    if (t.queue)
        clReleaseCommandQueue(t.queue);
    return status;
}

/* The identities and rates of devices that this process has measured.  If there are more, only the cache on disk has them. */
enum { KNOWN_MOST = 16 };
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned known_n;
static struct known {
    char identity[sizeof((struct ocl_device *)0)->identity];
    struct device_rates rates;
} known[KNOWN_MOST];

static bool pretending;
static struct device_rates pretended;

void ocl_rates_pretend(const struct device_rates *rates)
{
    pthread_mutex_lock(&known_lock);
    pretending = rates != NULL;
    if (rates)
        pretended = *rates;
    pthread_mutex_unlock(&known_lock);
}

void ocl_rates_forget(void)
{
    pthread_mutex_lock(&known_lock);
    known_n = 0;
    pthread_mutex_unlock(&known_lock);
}

static void know(const char *identity, const struct device_rates *rates)
{
    pthread_mutex_lock(&known_lock);
    if (known_n < KNOWN_MOST) {
        snprintf(known[known_n].identity, sizeof known[known_n].identity, "%s", identity);
        known[known_n++].rates = *rates;
    }
    pthread_mutex_unlock(&known_lock);
}

static struct disk_cache_key key_of(const char *identity)
{
    return (struct disk_cache_key){identity, OCL_RATES_FACT, ""};
}

bool ocl_rates_kept(const char *identity, struct device_rates *rates)
{
    const struct disk_cache_key key = key_of(identity);
    void *data = NULL;
    size_t n = 0;
    bool found = false;
    memset(rates, 0, sizeof *rates);
    pthread_mutex_lock(&known_lock);
    for (unsigned i = 0; i < known_n && !found; i++) {
        if ((found = strcmp(known[i].identity, identity) == 0))
            *rates = known[i].rates;
    }
    pthread_mutex_unlock(&known_lock);
    if (found)
        return true;
    if (disk_cache_load(&key, &data, &n) == DISK_CACHE_FOUND && n == sizeof *rates)
        memcpy(rates, data, sizeof *rates);
    free(data);
    if (rates_hold(rates))
        return true;
    memset(rates, 0, sizeof *rates); /* there are none, or they are outside the limits */
    return false;
}

bool ocl_rates_matter(const struct gfmul_device_info *info)
{
    const bool tabled = device_is_tabled(info->name, info->compute_units) || ocl_pretends(OCL_PRETEND_TABLED);
    return info->fp64 && info->gpu && (!tabled || ocl_pretends(OCL_PRETEND_OTHER));
}

void ocl_rates_find(struct ocl_device *d)
{
    const struct ocl_call quiet = {.device = d};
    const struct disk_cache_key key = key_of(d->identity);
    struct device_rates rates;
    if (!ocl_rates_matter(&d->info))
        return;
    if (!ocl_rates_kept(d->identity, &rates)) {
        const uint64_t start = clock_ns();
        const bool measured = measure(&quiet, &rates) == GFMUL_OK && rates_hold(&rates);
        d->rates_ns = clock_ns() - start;
        if (!measured)
            return; /* the rates stay 0, as for devices that the tables were measured on */
        disk_cache_store(&key, &rates, sizeof rates);
        know(d->identity, &rates);
    }
    d->info.fma_rate = rates.fma;
    d->info.product_rate = rates.product;
    d->info.copy_rate = rates.copy;
}

struct device_rates ocl_device_rates(const struct ocl_device *d)
{
    struct device_rates rates = {d->info.fma_rate, d->info.product_rate, d->info.copy_rate};
    pthread_mutex_lock(&known_lock);
    if (pretending)
        rates = pretended;
    pthread_mutex_unlock(&known_lock);
    return rates;
}
