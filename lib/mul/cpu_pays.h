/*
 * cpu_pays.h - what a limb of a product costs the CPU, roughly, and what threads save of it.
 *
 * Provenance: device_pays.c.
 */
#ifndef GFMUL_CPU_PAYS_H
#define GFMUL_CPU_PAYS_H

/* Nanoseconds for each limb of the product: of one thread, divided by the number of threads; and the part that is not divided. */
#define CPU_THREAD_NS 34.0
#define CPU_MEMORY_NS 3.0

/* cpu_share - the share of one thread's time that so many threads take. */
static inline double cpu_share(unsigned threads)
{
    return (CPU_THREAD_NS / (threads > 0 ? threads : 1) + CPU_MEMORY_NS) / (CPU_THREAD_NS + CPU_MEMORY_NS);
}

#endif
