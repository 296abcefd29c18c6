/*
 * device_pays.c - a product's cost on the CPU and on a GPU, about, and what starting the GPU costs.
 *
 * Both costs are lines: so much for a call, and so much for each limb of the product.  The CPU's has a part that its threads
 * share out and a part that they do not: memory, and pages that are touched for the first time.  Provenance: bigmul of 1e5 to 1e9
 * digits, and `b-device stream` from pageable memory of 3e4 to 1e7 limbs, on a host of 16 Sapphire Rapids threads with one H200,
 * 2026-11-27; products of one thread on Zen 4.  A start takes twice as long on a host of four H200 and 64 threads (doc/gpu.md).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/device_pays.h"

/* Nanoseconds for each limb of the product. */
static const double thread_ns = 34;                      /* one thread of the CPU, to be divided by their number */
static const double memory_ns = 3, memory_first_ns = 10; /* .. and what is not divided */
static const double gpu_ns = 0.8, gpu_first_ns = 2.5;

/* A product on a GPU takes so long whatever its length, and the CPU is preferred where they are close. */
static const double gpu_call_ns = 1e6;

/* The driver and the context; no programs in the cache; not even the drivers' trial (ocl_drivers.h). */
static const double start_ns[] = {[OCL_START_KEPT] = 0.4e9, [OCL_START_UNMET] = 2.5e9, [OCL_START_UNSEEN] = 3.8e9};

static double gain(size_t limbs, unsigned threads, double shared, double gpu)
{
    const double cpu = thread_ns / (threads > 0 ? threads : 1) + shared;
    const double ns = (double)limbs * (cpu - gpu) - gpu_call_ns;
    return ns > 0 ? ns : 0;
}

double device_gain(size_t limbs, unsigned threads)
{
    return gain(limbs, threads, memory_ns, gpu_ns);
}

double device_gain_first(size_t limbs, unsigned threads)
{
    return gain(limbs, threads, memory_first_ns, gpu_first_ns);
}

double device_start_cost(enum ocl_start start)
{
    return start_ns[start];
}
