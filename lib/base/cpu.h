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

/* cpu_isa_mask - instruction sets that the CPU and the operating system support, less those named in disable
   (a list separated by commas, as in GFMUL_DISABLE; NULL: none).  Scalar is always in. */
unsigned cpu_isa_mask(const char *disable);

#endif
