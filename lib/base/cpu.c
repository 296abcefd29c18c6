/*
 * cpu.c - instruction sets of this machine.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/cpu.h"

#include <stddef.h>
#include <string.h>

#ifndef GFMUL_HAVE_SSE2
#define GFMUL_HAVE_SSE2 0
#endif
#ifndef GFMUL_HAVE_AVX2
#define GFMUL_HAVE_AVX2 0
#endif
#ifndef GFMUL_HAVE_AVX512
#define GFMUL_HAVE_AVX512 0
#endif
#ifndef GFMUL_HAVE_NEON
#define GFMUL_HAVE_NEON 0
#endif

/* listed - whether name is an item of a list separated by commas or blanks. */
static int listed(const char *list, const char *name)
{
    static const char separators[] = ", \t";
    size_t n = strlen(name);
    while (list && *list) {
        size_t item = strcspn(list, separators);
        if (item == n && memcmp(list, name, n) == 0)
            return 1;
        list += item;
        list += strspn(list, separators);
    }
    return 0;
}

/* The builtin asks the operating system too: a register file that it does not save counts as missing. */
static unsigned cpu_detect(void)
{
    unsigned mask = CPU_ISA_SCALAR;
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    __builtin_cpu_init();
    if (GFMUL_HAVE_SSE2 && __builtin_cpu_supports("sse2"))
        mask |= CPU_ISA_SSE2;
    if (GFMUL_HAVE_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        mask |= CPU_ISA_AVX2;
    if (GFMUL_HAVE_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        mask |= CPU_ISA_AVX512;
#elif defined(__aarch64__)
    if (GFMUL_HAVE_NEON)
        mask |= CPU_ISA_NEON; /* part of the base instruction set */
#endif
    return mask;
}

unsigned cpu_isa_mask(const char *disable)
{
    static const struct {
        const char *name;
        unsigned bit;
    } isa[] = {
        {"sse2", CPU_ISA_SSE2},
        {"avx2", CPU_ISA_AVX2},
        {"avx512", CPU_ISA_AVX512},
        {"neon", CPU_ISA_NEON},
    };
    unsigned mask = cpu_detect();
    for (size_t i = 0; i < sizeof isa / sizeof isa[0]; i++) {
        if (listed(disable, isa[i].name))
            mask &= ~isa[i].bit;
    }
    return mask;
}
