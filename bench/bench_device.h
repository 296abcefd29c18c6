/*
 * bench_device.h - what the parts of benchmarks on OpenCL devices share.
 */
#ifndef GFMUL_BENCH_DEVICE_H
#define GFMUL_BENCH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "gfmul.h"

/* bench_device_admit - whether a device is measured: a GPU, or any if allow_cpu.  Else a message that begins with `program`. */
bool bench_device_admit(const char *program, const struct gfmul_device_info *info, bool allow_cpu);

/* bench_device_line - the start of a program's first line: its name, the time, the device.  The caller ends the line. */
void bench_device_line(const char *program, const struct gfmul_device_info *info);

/* bench_device_sizes - two counts, as 1e6 or 1e6x1e5.   Value: what follows; NULL if they are none. */
const char *bench_device_sizes(const char *arg, size_t *an, size_t *bn);

#endif
