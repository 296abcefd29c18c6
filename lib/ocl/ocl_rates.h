/* ocl_rates.h - the measured speed of a device. */
#ifndef GFMUL_OCL_RATES_H
#define GFMUL_OCL_RATES_H

#include "ocl/ocl_device.h"
#include "plan/plan_device.h"

/*
 * ocl_rates_matter - whether plans use its rates: a GPU with doubles on which the tables of passes were not measured.
 * ocl_rates_find - the rates of such a device, into its description: kept in this process or on disk, else measured,
 *                  and kept.  If that fails they stay 0, and the next device that is opened tries again.
 * Cost:    reading a file; else building a program, and some milliseconds on a GPU.
 * Threads: while the device is being opened: its description is not written to any more later.
 *
 * ocl_rates_kept - those of an identity (struct ocl_device), if they are known; else false, and zeros.
 * ocl_device_rates - those of an open device; zeros: not known.
 */
bool ocl_rates_matter(const struct gfmul_device_info *info);
void ocl_rates_find(struct ocl_device *d);
bool ocl_rates_kept(const char *identity, struct device_rates *rates);
struct device_rates ocl_device_rates(const struct ocl_device *d);

/* For tests: ocl_rates_pretend - all devices have these rates; NULL: their own.   ocl_rates_forget - what the process keeps. */
void ocl_rates_pretend(const struct device_rates *rates);
void ocl_rates_forget(void);

/* The key of the file on disk, beside the identity: struct ocl_cache_key.  It holds a struct device_rates. */
#define OCL_RATES_FACT "rates, 1"

#endif
