/*
 * fftw_loader.c - FFTW 3 by dlopen, and the lock of its planner.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/fftw_loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/forks.h"

#ifdef __APPLE__
#define SONAME(stem) stem ".3.dylib"
#else
#define SONAME(stem) stem ".so.3"
#endif

#define DOUBLE_NAME(name) "fftw_" #name,
#define FLOAT_NAME(name)  "fftwf_" #name,
static const char *const double_names[] = {FFTW_CALLS(DOUBLE_NAME) NULL};
static const char *const float_names[] = {FFTW_CALLS(FLOAT_NAME) NULL};

static struct fftw_calls of_double;
static struct fftwf_calls of_float;
static bool has_double, has_float;

static pthread_once_t tried = PTHREAD_ONCE_INIT;
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;
static struct fork_lock forks = {.lock = &planner, .order = FORK_INNER};

/* calls_load - load the named functions into a structure of pointers; false if the library or a function is missing. */
static bool calls_load(void *calls, const char *library, const char *const *names)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return false;
    for (char *member = calls; *names; names++, member += sizeof(void *)) {
        void *call = dlsym(handle, *names);
        if (!call)
            return false;
        memcpy(member, &call, sizeof call);
    }
    return true;
}

static void load(void)
{
    _Static_assert(sizeof of_double == sizeof double_names - sizeof(void *), "one pointer a name");
    _Static_assert(sizeof of_float == sizeof float_names - sizeof(void *), "one pointer a name");
    forks_hold(&forks);
    has_double = calls_load(&of_double, SONAME("libfftw3"), double_names);
    has_float = calls_load(&of_float, SONAME("libfftw3f"), float_names);
}

const struct fftw_calls *fftw_calls(void)
{
    pthread_once(&tried, load);
    return has_double ? &of_double : NULL;
}

const struct fftwf_calls *fftwf_calls(void)
{
    pthread_once(&tried, load);
    return has_float ? &of_float : NULL;
}

void fftw_planner_lock(void)
{
    pthread_mutex_lock(&planner);
}

void fftw_planner_unlock(void)
{
    pthread_mutex_unlock(&planner);
}
