/*
 * stack.c - how much stack the calling thread has left.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The stack of this thread.  The main thread's stack may grow down to its limit, which is read only once. */
static _Thread_local uintptr_t low, high;

/* bounds_find - set the bounds of this thread's stack; false: the system does not say. */
static bool bounds_find(void)
{
#ifdef __linux__
    pthread_attr_t attr;
    void *start;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return false;
    const bool there = pthread_attr_getstack(&attr, &start, &bytes) == 0 && bytes > 0;
    pthread_attr_destroy(&attr);
    if (there) {
        low = (uintptr_t)start;
        high = low + bytes;
    }
    return there;
#else
    return false;
#endif
}

size_t stack_left(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (high == 0 && !bounds_find())
        return SIZE_MAX;
    return here >= low && here < high ? here - low : 0;
}
