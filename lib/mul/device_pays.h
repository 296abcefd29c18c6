/*
 * device_pays.h - when "auto" uses a GPU: the estimated cost of a product on either side, and of starting the GPU.
 */
#ifndef GFMUL_DEVICE_PAYS_H
#define GFMUL_DEVICE_PAYS_H

#include <stddef.h>

#include "ocl/ocl_device.h"

/*
 * device_gain - nanoseconds that an open GPU saves on a product of so many limbs against so many threads of the CPU; 0 if it
 * saves none.   From and to memory of the host; both sides warm.
 */
double device_gain(size_t limbs, unsigned threads);

/*
 * device_gain_first - the same for the first product of a process, which touches its memory for the first time on both sides.
 */
double device_gain_first(size_t limbs, unsigned threads);

/* device_cost - nanoseconds of a product of so many limbs on an open GPU, from and to memory of the host; both warm. */
double device_cost(size_t limbs);

/* device_start_cost - nanoseconds that opening a device takes, depending on what the cache on disk has for it. */
double device_start_cost(enum ocl_start start);

#endif
