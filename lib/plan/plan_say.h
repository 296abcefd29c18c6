/*
 * plan_say.h - the text that explains why a search failed.
 */
#ifndef GFMUL_PLAN_SAY_H
#define GFMUL_PLAN_SAY_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "plan/plan.h"

/* say - as snprintf, replacing the old text; nothing if detail is NULL or bytes is 0. */
__attribute__((format(printf, 3, 4))) static inline void say(char *detail, size_t bytes, const char *format, ...)
{
    va_list args;
    if (!detail || bytes == 0)
        return;
    va_start(args, format);
    vsnprintf(detail, bytes, format, args);
    va_end(args);
}

/* plan_fail - the same; returns the status that it is given. */
__attribute__((format(printf, 4, 5))) static inline enum gfmul_status plan_fail(enum gfmul_status status, char *detail,
                                                                                size_t bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (detail && bytes > 0)
        vsnprintf(detail, bytes, format, args);
    va_end(args);
    return status;
}

/* plan_fail_memory - the same for a request whose smallest shape exceeds the limit. */
static inline enum gfmul_status plan_fail_memory(const struct plan_request *request, double bytes, char *detail,
                                                 size_t detail_bytes)
{
    return plan_fail(GFMUL_ERR_MEMORY, detail, detail_bytes, "%zu x %zu %s need %.0f MiB, more than %s", request->an, request->bn,
                     request->base == 2 ? "bits" : "digits", ceil(bytes / 1048576.0),
                     request->limit_physical ? "this machine or its container leaves" : "the memory limit");
}

#endif
