/* cpu_paths.h - what short products and costs need to know of the processor beside the instruction sets of base/isa.def. */
#ifndef GFMUL_CPU_PATHS_H
#define GFMUL_CPU_PATHS_H

#include <stdbool.h>

/*
 * cpu_has_paths512 - whether this is an AMD processor that executes operations of 512 bits in one step: Zen 5, but for most of
 * its notebook versions.   Threads: any.
 */
bool cpu_has_paths512(void);

/*
 * cpu_has_adx - whether the processor has products that leave the flags alone, and additions with two carries (BMI2, ADX).
 *
 *   disable  in  as for cpu_isa_mask: "adx" leaves them out
 * Threads: any.
 */
bool cpu_has_adx(const char *disable);

#endif
