/*
 * ocl.h - overview of the folder ocl/: the host side of OpenCL, for engine opencl (mul/mul_ocl.c) and for transforms.
 *
 *   ocl_drivers  whether the drivers may be called: another process tries them first
 *   ocl_device   platforms and devices: listing, choosing, opening; the lock of a device; OpenCL's codes as statuses
 *   ocl_program  kernels from the embedded sources, from memory, from the cache on disk, or built
 *   ocl_launch   launches, markers, and the times of kernels
 *   ocl_buffer   device memory from a pool
 *   ocl_staging  transfers between host and device, through pinned memory
 *   ocl_pipeline the kernels, tables and launches of one plan;  ocl_overlap  transfers that overlap with its kernels
 *   ocl_rates    the speed of a device, for the choice between doubles and primes
 *   ocl_fault    faults on purpose, for tests
 *   ocl_loader   OpenCL loaded at run time, in a build with --with-opencl=load
 *
 * A build without OpenCL has none of this folder's sources, and of its headers only ocl.h and the structures of ocl_launch.h.
 *
 * A function that can fail takes a `struct ocl_call` first.  Functions are reentrant.  But kernels with their arguments, and the
 * order of commands in the queue, belong to one call between ocl_device_lock and ocl_device_unlock.
 *
 * Order: a device has one in-order queue for kernels and small commands, and one for transfers each way.  Each function of
 * ocl_staging.h says how its transfers are ordered with the first queue.
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
#ifdef OPENCL_LOADED
#include "ocl/ocl_loader.h"
#endif
#endif

enum { OCL_DETAIL_BYTES = 256 };

struct ocl_device;
struct ocl_profile;

/* The first argument of every function that may fail on a device. */
struct ocl_call {
    struct ocl_device *device;   /* NULL if none is open yet */
    struct ocl_profile *profile; /* NULL: kernels are not timed */
    char *detail;                /* OCL_DETAIL_BYTES characters: one line for people on failure, else unchanged; may be NULL */
};

/* OCL_ON - an ocl_call for a single use, without kernel times. */
#define OCL_ON(device, detail) (&(const struct ocl_call){(device), NULL, (detail)})

#ifdef HAVE_OPENCL
/* A range of bytes in a buffer. */
struct ocl_span {
    cl_mem m;
    size_t offset, bytes;
};
#endif

#endif
