/*
 * device_pays.h - when a GPU is faster than the CPU's threads, for "auto": a product's cost here and there, and a start's.
 */
#ifndef GFMUL_DEVICE_PAYS_H
#define GFMUL_DEVICE_PAYS_H

#include <stddef.h>

#include "ocl/ocl_device.h"

/*
 * device_gain - nanoseconds by which a GPU that is open makes a product of so many limbs sooner than so many threads of the CPU;
 * 0 where it does not.   From and to memory of the host; both sides warm.
 */
double device_gain(size_t limbs, unsigned threads);

/*
 * device_gain_first - the same of the first product of a process, whose memory is touched for the first time on both sides.
 */
double device_gain_first(size_t limbs, unsigned threads);

/* device_start_cost - nanoseconds until a device works that is not open, by what the cache on disk has of it. */
double device_start_cost(enum ocl_start start);

#endif
