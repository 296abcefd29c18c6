/* cpu_paths.h - the width of the processor's data paths, where the instruction set does not tell it. */
#ifndef GFMUL_CPU_PATHS_H
#define GFMUL_CPU_PATHS_H

#include <stdbool.h>

/*
 * cpu_has_paths512 - whether this is an AMD processor that executes operations of 512 bits in one step: Zen 5, but for most of
 * its notebook versions.   Threads: any.
 */
bool cpu_has_paths512(void);

#endif
