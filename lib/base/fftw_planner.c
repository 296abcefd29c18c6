/*
 * fftw_planner.c - the lock of FFTW's planner.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/fftw_planner.h"

#include <pthread.h>

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

void fftw_planner_lock(void)
{
    pthread_mutex_lock(&planner);
}

void fftw_planner_unlock(void)
{
    pthread_mutex_unlock(&planner);
}
