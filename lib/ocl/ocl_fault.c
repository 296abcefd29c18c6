/*
 * ocl_fault.c - fault injection for tests.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_fault.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_bool armed; /* a fault may be set below */
static atomic_bool pretending[OCL_PRETENCES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fault {
    unsigned skip, times;
    int code;
} faults[OCL_FAULT_PLACES];

void ocl_fault_set(enum ocl_fault_place place, unsigned n, unsigned times, int code)
{
    pthread_mutex_lock(&lock);
    faults[place] = (struct fault){n, times, code};
    pthread_mutex_unlock(&lock);
    atomic_store(&armed, true);
}

void ocl_fault_clear(void)
{
    atomic_store(&armed, false);
    pthread_mutex_lock(&lock);
    memset(faults, 0, sizeof faults);
    pthread_mutex_unlock(&lock);
}

int ocl_fault(enum ocl_fault_place place)
{
    struct fault *f = &faults[place];
    int code = 0;
    if (!atomic_load_explicit(&armed, memory_order_relaxed))
        return 0;
    pthread_mutex_lock(&lock);
    if (f->times > 0 && f->skip > 0) {
        f->skip--;
    } else if (f->times > 0) {
        f->times--;
        code = f->code;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

void ocl_fault_data(void *p, size_t bytes)
{
    const int code = bytes < OCL_FAULT_DATA_BYTES ? 0 : ocl_fault(OCL_FAULT_DATA);
    if (code > 0)
        ((unsigned char *)p)[(size_t)(code - 1) % bytes] ^= 0x10;
}

void ocl_pretend(enum ocl_pretence what, bool on)
{
    atomic_store(&pretending[what], on);
}

bool ocl_pretends(enum ocl_pretence what)
{
    return atomic_load(&pretending[what]);
}
