/* ocl_rates.h - the measured speed of a device. */
#ifndef GFMUL_OCL_RATES_H
#define GFMUL_OCL_RATES_H

#include "ocl/ocl_device.h"
#include "plan/plan_device.h"

/*
 * ocl_rates_matter - whether plans use a device's rates: for a GPU with doubles on which the tables of passes were not measured.
 * ocl_rates_find - put the rates of such a device into its description.  They are kept in this process and on disk, or measured
 *                  and kept now.  If that fails they stay 0, and the next open of a device tries again.
 * Cost:    reading a file; else building a program, and some milliseconds on a GPU.
 * Threads: call it only while the device is being opened, because nobody may write to its description later.
 *
 * ocl_rates_kept - the rates of an identity (struct ocl_device), if they are known; else false, and zeros.
 * ocl_device_rates - the rates of an open device; zeros: not known.
 */
bool ocl_rates_matter(const struct gfmul_device_info *info);
void ocl_rates_find(struct ocl_device *d);
bool ocl_rates_kept(const char *identity, struct device_rates *rates);
struct device_rates ocl_device_rates(const struct ocl_device *d);

/* For tests: ocl_rates_pretend - give all devices these rates; NULL: their own.   ocl_rates_forget - drop those in memory. */
void ocl_rates_pretend(const struct device_rates *rates);
void ocl_rates_forget(void);

/* With the identity, the key of the file on disk (struct disk_cache_key).  The file holds a struct device_rates. */
#define OCL_RATES_FACT "rates, 1"

#endif
