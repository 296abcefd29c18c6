/*
 * ocl_fault.c - faults on purpose, for tests.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_fault.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_bool armed, pretending, no_fp64; /* armed: some counter below is not zero */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    unsigned skip, times;
    int code;
} fault[OCL_FAULT_PLACES];
static struct {
    unsigned skip, times;
    size_t offset;
} flip;

/* due - whether a counter says now, and one step of it. */
static bool due(unsigned *skip, unsigned *times)
{
    if (*times == 0)
        return false;
    if (*skip > 0) {
        --*skip;
        return false;
    }
    --*times;
    return true;
}

void ocl_fault_set(enum ocl_fault_place place, unsigned n, unsigned times, int code)
{
    pthread_mutex_lock(&lock);
    fault[place].skip = n;
    fault[place].times = times;
    fault[place].code = code;
    pthread_mutex_unlock(&lock);
    atomic_store(&armed, true);
}

void ocl_fault_flip(unsigned n, unsigned times, size_t offset)
{
    pthread_mutex_lock(&lock);
    flip.skip = n;
    flip.times = times;
    flip.offset = offset;
    pthread_mutex_unlock(&lock);
    atomic_store(&armed, true);
}

void ocl_fault_clear(void)
{
    atomic_store(&armed, false);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < OCL_FAULT_PLACES; i++)
        fault[i].times = 0;
    flip.times = 0;
    pthread_mutex_unlock(&lock);
}

int ocl_fault(enum ocl_fault_place place)
{
    int code = 0;
    if (atomic_load_explicit(&armed, memory_order_relaxed)) {
        pthread_mutex_lock(&lock);
        if (due(&fault[place].skip, &fault[place].times))
            code = fault[place].code;
        pthread_mutex_unlock(&lock);
    }
    return code;
}

void ocl_fault_flipped(void *p, size_t bytes)
{
    if (!atomic_load_explicit(&armed, memory_order_relaxed) || bytes < 16384)
        return;
    pthread_mutex_lock(&lock);
    if (due(&flip.skip, &flip.times))
        ((unsigned char *)p)[flip.offset % bytes] ^= 0x10;
    pthread_mutex_unlock(&lock);
}

void ocl_pretend_gpu(bool on)
{
    atomic_store(&pretending, on);
}

bool ocl_pretends_gpu(void)
{
    return atomic_load(&pretending);
}

void ocl_pretend_no_fp64(bool on)
{
    atomic_store(&no_fp64, on);
}

bool ocl_pretends_no_fp64(void)
{
    return atomic_load(&no_fp64);
}
