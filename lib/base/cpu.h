/* cpu.h - instruction sets of this machine. */
#ifndef GFMUL_CPU_H
#define GFMUL_CPU_H

enum {
    CPU_ISA_SCALAR = 1,
    CPU_ISA_SSE2 = 2,
    CPU_ISA_AVX2 = 4,   /* AVX2 and FMA */
    CPU_ISA_AVX512 = 8, /* F, DQ, VL */
    CPU_ISA_NEON = 16
};

/*
 * cpu_isa_mask - the instruction sets that the CPU and the operating system support, as bits CPU_ISA_...
 *
 *   disable  in  names to leave out, separated by commas, as in GFMUL_DISABLE; NULL: none
 *
 * CPU_ISA_SCALAR is always in.   Threads: any.
 */
unsigned cpu_isa_mask(const char *disable);

#endif
