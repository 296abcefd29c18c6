/*
 * thread_quiet.c - start the library's own threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/thread_quiet.h"

#include <signal.h>

#include "base/signals.h"

bool thread_quiet(pthread_t *thread, size_t stack_bytes, void *(*run)(void *arg), void *arg)
{
    pthread_attr_t attr;
    sigset_t outside, before;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, stack_bytes);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    signals_outside(&outside);
    pthread_sigmask(SIG_SETMASK, &outside, NULL);
    const bool started = pthread_create(thread, &attr, run, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return started;
}
