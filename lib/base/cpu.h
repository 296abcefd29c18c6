/* cpu.h - instruction sets of this machine: those of base/isa.def. */
#ifndef GFMUL_CPU_H
#define GFMUL_CPU_H

#include <stdbool.h>
#include <stddef.h>

#define GFMUL_HAVE_SCALAR 1

/* Their places in the list, the best first, and their bits. */
enum {
#define ISA(name, NAME, ...) cpu_place_##name,
#include "base/isa.def"
    CPU_ISA_COUNT,
#define ISA(name, NAME, ...) CPU_ISA_##NAME = 1 << cpu_place_##name,
#include "base/isa.def"
};

/* ISA_NAME - the name of a function or table in a source compiled for one instruction set: the stem followed by GFMUL_ISA. */
#define ISA_PASTE_(stem, isa) stem##isa
#define ISA_PASTE(stem, isa)  ISA_PASTE_(stem, isa)
#define ISA_NAME(stem)        ISA_PASTE(stem, GFMUL_ISA)

/*
 * cpu_isa_mask - the instruction sets that the CPU and the operating system support, as bits CPU_ISA_...
 *
 *   disable  in  names to leave out, separated by commas, as in GFMUL_DISABLE; NULL: none
 *
 * CPU_ISA_SCALAR is always set.   Threads: any.
 */
unsigned cpu_isa_mask(const char *disable);

/*
 * cpu_has_ifma - whether the processor has AVX-512's products of 52 bits, and its permutations of bytes.
 *
 *   disable  in  as for cpu_isa_mask: "ifma" leaves them out
 * Threads: any.
 */
bool cpu_has_ifma(const char *disable);

/*
 * cpu_has_fma256 - whether the processor executes fused multiply-adds of 256 bits in one step.  The first Zen and earlier AMD
 * processors split each into two, so GMP is faster there.
 *
 *   isa_mask  in  of cpu_isa_mask
 * Threads: any.
 */
bool cpu_has_fma256(unsigned isa_mask);

/* Who made a processor of x86, and its family and model, by CPUID; else OTHER, and zeros. */
enum cpu_vendor { CPU_VENDOR_OTHER, CPU_VENDOR_INTEL, CPU_VENDOR_AMD };
struct cpu_model {
    enum cpu_vendor vendor;
    unsigned family, model;
};
struct cpu_model cpu_model(void);

/*
 * cpu_identity - a text that tells processors of different speed apart, as far as the system says: a key of the cache on disk.
 *
 *   text  out  cut off at `size` characters, with the final 0
 * Threads: any.
 */
void cpu_identity(char *text, size_t size);

/* cpu_lists - whether a list separated by commas or blanks contains a name, as GFMUL_DISABLE.   list NULL: no. */
bool cpu_lists(const char *list, const char *name);

/*
 * cpu_tuning - the key for tables of measured constants: isa_bit, with CPU_AMD on AMD's processors, because their caches and
 * pipes differ from Intel's under the same instruction set; with CPU_PATHS512, too, for AVX-512 if they have paths of 512 bits
 * (cpu_has_paths512).   Threads: any.   Cost: executes CPUID, which a virtual machine traps.
 */
enum { CPU_AMD = 1 << 16, CPU_PATHS512 = 1 << 17 };
unsigned cpu_tuning(unsigned isa_bit);

#endif
