/*
 * ocl_loader.c - OpenCL's loader by dlopen, for a build with --with-opencl=load.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct ocl_calls ocl_calls;

#define OCL_CALL_NAME(name) #name,
static const char *const names[] = {OCL_CALLS(OCL_CALL_NAME)};

static pthread_once_t tried = PTHREAD_ONCE_INIT;
static bool loaded;
static char why[160];

static void load(void)
{
    _Static_assert(sizeof ocl_calls == sizeof names, "one pointer a name");
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *error = dlerror();
        snprintf(why, sizeof why, "OpenCL's library: %.120s", error ? error : "libOpenCL.so.1 is not there");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *call = dlsym(library, names[i]);
        if (!call) {
            snprintf(why, sizeof why, "libOpenCL.so.1 is older than OpenCL 1.2: it has no %s", names[i]);
            return;
        }
        memcpy((char *)&ocl_calls + i * sizeof call, &call, sizeof call);
    }
    loaded = true;
}

bool ocl_calls_load(const char **reason)
{
    pthread_once(&tried, load);
    *reason = why;
    return loaded;
}
