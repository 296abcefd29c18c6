/*
 * bigmul_devices.c - --list-devices: the CPU with its instruction sets, the OpenCL devices, and drivers without devices.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bigmul.h"

/* The CPU's name as the kernel knows it, or else the machine type. */
static void cpu_name(char *name, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[512];
    struct utsname machine;

    snprintf(name, size, "%s", uname(&machine) == 0 ? machine.machine : "cpu");
    while (f && fgets(line, sizeof line, f)) {
        char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value) {
            value += 1 + strspn(value + 1, " \t");
            value[strcspn(value, "\n")] = '\0';
            if (*value)
                snprintf(name, size, "%s", value);
            break;
        }
    }
    if (f)
        fclose(f);
}

/*
 * The instruction sets that the library would use, best first, as "avx512 avx2 sse2 scalar": its choice, then its choice without
 * that one, and so on.  False if no instruction set can be used.
 */
static bool isa_list(char *list, size_t size)
{
    const char *given = getenv("GFMUL_DISABLE");
    char disable[256];
    struct gfmul_options opt;
    struct gfmul_plan_info plan;

    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    list[0] = '\0';
    snprintf(disable, sizeof disable, "%s", given ? given : "");
    for (int i = 0; i < 8; i++) {
        struct gfmul_ctx *ctx;
        if (gfmul_ctx_create(&ctx, &opt) != GFMUL_OK)
            break;
        bool planned = gfmul_plan_limbs(ctx, &plan, (size_t)1 << 16, (size_t)1 << 16) == GFMUL_OK && plan.isa[0];
        gfmul_ctx_destroy(ctx);
        if (!planned || strstr(list, plan.isa))
            break;
        snprintf(list + strlen(list), size - strlen(list), "%s%s", *list ? " " : "", plan.isa);
        snprintf(disable + strlen(disable), sizeof disable - strlen(disable), ",%s", plan.isa);
        if (setenv("GFMUL_DISABLE", disable, 1) != 0)
            break;
    }
    return list[0] != '\0';
}

/* Print the OpenCL devices, from index 1.   Returns how many there are. */
static unsigned opencl_print(void)
{
    const unsigned n = gfmul_device_list(NULL, 0);
    struct gfmul_device_info *info = n > 0 ? calloc(n, sizeof *info) : NULL;
    const unsigned listed = info ? gfmul_device_list(info, n) : 0;

    for (unsigned i = 0; i < listed && i < n; i++) {
        const struct gfmul_device_info *d = &info[i];
        char measured[128] = "";
        if (d->copy_rate > 0)
            snprintf(measured, sizeof measured, ", measured fma %.3g/ns, products %.3g/ns, copy %.3g GB/s", d->fma_rate,
                     d->product_rate, d->copy_rate);
        printf("%u: %s: %s, %s, driver %s, %u compute units, fp64 %s, memory %.1f GiB%s, usable %s%s%s\n", i + 1,
               d->gpu ? "gpu" : "opencl", d->name, d->platform, d->driver, d->compute_units, d->fp64 ? "yes" : "no",
               (double)d->global_bytes / (1 << 30), measured, d->usable ? "yes" : "no", d->usable ? "" : ": ", d->why_not);
    }
    free(info);
    return listed;
}

/* Print the OpenCL drivers that have no devices, and the reasons.   Returns how many these are. */
static unsigned drivers_print(void)
{
    const unsigned n = gfmul_driver_list(NULL, 0);
    struct gfmul_driver_info *info = n > 0 ? calloc(n, sizeof *info) : NULL;
    const unsigned listed = info ? gfmul_driver_list(info, n) : 0;

    unsigned failed = 0;
    for (unsigned i = 0; i < listed && i < n; i++) {
        if (info[i].usable)
            continue;
        printf("driver %s: %s\n", info[i].file, info[i].why_not);
        failed++;
    }
    free(info);
    return failed;
}

/* Print why there is no device, unless a driver's line has said so. */
static void none_print(void)
{
    char why[256];
    if (gfmul_device_find(NULL, "gpu", why, sizeof why) != GFMUL_OK)
        printf("%s\n", why);
}

int devices_print(void)
{
    char name[256], list[128];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool usable = isa_list(list, sizeof list);

    cpu_name(name, sizeof name);
    printf("0: cpu: %s, %ld %s, fp64 yes, usable %s, instruction sets %s\n", name, cores > 0 ? cores : 1,
           cores > 1 ? "cores" : "core", usable ? "yes" : "no", usable ? list : "none");
    fflush(stdout); /* a driver may crash after this */
    const unsigned n_devices = opencl_print();
    if (drivers_print() == 0 && n_devices == 0)
        none_print();
    return stdout_close();
}
