/*
 * bench_device.c - what the parts of benchmarks on OpenCL devices share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "bench_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

bool bench_device_admit(const char *program, const struct gfmul_device_info *info, bool allow_cpu)
{
    if (info->gpu || allow_cpu)
        return true;
    fprintf(stderr, "%s: %s is no GPU: its times say nothing (--allow-cpu)\n", program, info->name);
    return false;
}

void bench_device_line(const char *program, const struct gfmul_device_info *info)
{
    char day[32];
    const time_t date = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d %H:%M", gmtime(&date));
    printf("# %s, %s UTC, device %s, driver %s", program, day, info->name, info->driver);
}

const char *bench_device_sizes(const char *arg, size_t *an, size_t *bn)
{
    char *end;
    *an = *bn = (size_t)strtod(arg, &end);
    if (*end == 'x')
        *bn = (size_t)strtod(end + 1, &end);
    return *an > 0 && *bn > 0 ? end : NULL;
}
