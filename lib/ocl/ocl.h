/*
 * ocl.h - what the folder ocl/ is: the host side of OpenCL, for the one driver mul/mul_ocl.c and its pipeline.
 *
 *   ocl_device   platforms and devices: listing, choosing, opening; the lock of a device; OpenCL's codes as statuses
 *   ocl_program  kernels from the embedded sources, from memory, from the cache on disk, or built
 *   ocl_launch   launches, markers, and the times of kernels
 *   ocl_buffer   device memory from a pool
 *   ocl_staging  transfers between host and device, through pinned memory
 *   ocl_fault    faults on purpose, for tests
 *
 * In a build without OpenCL only the functions outside "#ifdef HAVE_OPENCL" exist; they find no device.
 *
 * Common to all: a function that can fail takes `detail`, OCL_DETAIL_BYTES characters (or NULL) that receive one line for people
 * on failure and are else left alone.  Functions are reentrant, but what belongs to one product (kernels with their arguments,
 * the order of commands in the queue) is one call's between ocl_device_lock and ocl_device_unlock.
 *
 * Order: a device has one in-order queue for kernels and small commands, and one for transfers each way.  What goes through the
 * functions of ocl_staging.h is ordered with the first queue as they say.
 */
#ifndef GFMUL_OCL_H
#define GFMUL_OCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfmul.h"

#ifdef HAVE_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif

enum { OCL_DETAIL_BYTES = 256 };

struct ocl_device;

#endif
