/*
 * plan_say.h - the reason for people that a search leaves when it fails.
 */
#ifndef GFMUL_PLAN_SAY_H
#define GFMUL_PLAN_SAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "gfmul.h"

/* say - as snprintf, over the old text; nothing if detail is NULL or bytes is 0. */
__attribute__((format(printf, 3, 4))) static inline void say(char *detail, size_t bytes, const char *format, ...)
{
    va_list args;
    if (!detail || bytes == 0)
        return;
    va_start(args, format);
    vsnprintf(detail, bytes, format, args);
    va_end(args);
}

/* plan_fail - the same of an error: returns the status that it is given. */
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

#endif
