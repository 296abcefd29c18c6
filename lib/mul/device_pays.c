/*
 * device_pays.c - estimate the cost of a product on the CPU and on a GPU, and the cost of starting the GPU.
 *
 * Both costs are linear: a constant for the call, and a constant for each limb of the product.  The CPU's cost for each limb has
 * a part that is divided among the threads, and a part that is not: memory traffic, and pages touched for the first time.
 * Provenance: bigmul of 1e5 to 1e9 digits, and `b-device stream` from pageable memory of 3e4 to 1e7 limbs, on a host of 16
 * Sapphire Rapids threads with one H200, 2026-11-27; products of one thread on Zen 4.  A start takes twice as long on a host of
 * four H200 and 64 threads (doc/gpu.md).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/device_pays.h"

#include "mul/cpu_pays.h"

/* Nanoseconds for each limb of the product. */
static const double memory_first_ns = 10; /* CPU_MEMORY_NS, if memory is touched for the first time */
static const double gpu_ns = 0.8, gpu_first_ns = 2.5;

/* The constant part of a product on a GPU; it includes a margin, because the CPU is preferred when both are close. */
static const double gpu_call_ns = 1e6;

/* Kept: only the driver and the context.  Unmet: the cache has no programs.  Unseen: nor the drivers' trial (ocl_drivers.h). */
static const double start_ns[] = {[OCL_START_KEPT] = 0.4e9, [OCL_START_UNMET] = 2.5e9, [OCL_START_UNSEEN] = 3.8e9};

static double gain(size_t limbs, unsigned threads, double shared, double gpu)
{
    const double cpu = CPU_THREAD_NS / (threads > 0 ? threads : 1) + shared;
    const double ns = (double)limbs * (cpu - gpu) - gpu_call_ns;
    return ns > 0 ? ns : 0;
}

double device_gain(size_t limbs, unsigned threads)
{
    return gain(limbs, threads, CPU_MEMORY_NS, gpu_ns);
}

double device_gain_first(size_t limbs, unsigned threads)
{
    return gain(limbs, threads, memory_first_ns, gpu_first_ns);
}

double device_cost(size_t limbs)
{
    return (double)limbs * gpu_ns + gpu_call_ns;
}

double device_start_cost(enum ocl_start start)
{
    return start_ns[start];
}
