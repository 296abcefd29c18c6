/*
 * cpu.c - instruction sets of this machine.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/cpu.h"

#include <stddef.h>
#include <string.h>
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#include <cpuid.h>
#endif

#include "base/cpu_paths.h"

/* listed - whether a list separated by commas or blanks contains this name. */
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

/* The builtin asks the operating system too: if that does not save some registers, their instruction set counts as missing. */
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define X86(feature)        __builtin_cpu_supports(feature)
#define IS_AMD()            __builtin_cpu_is("amd")
#define IS_HALVED()         (__builtin_cpu_is("znver1") || __builtin_cpu_is("bdver4"))
#define CPU_INIT()          __builtin_cpu_init()
#define CPUID_1(a, b, c, d) __get_cpuid(1, a, b, c, d)
#define CPUID_7(a, b, c, d) __get_cpuid_count(7, 0, a, b, c, d)
#else
#define X86(feature)        false
#define IS_AMD()            false
#define IS_HALVED()         false
#define CPU_INIT()          (void)0
#define CPUID_1(a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d), false)
#define CPUID_7             CPUID_1
#endif
#ifdef __aarch64__
#define AARCH64 true /* its base instruction set */
#else
#define AARCH64 false
#endif

unsigned cpu_isa_mask(const char *disable)
{
    static const char *const names[] = {
#define ISA(name, ...) #name,
#include "base/isa.def"
    };
    CPU_INIT();
    const bool found[] = {
#define ISA(name, NAME, found, ...) (GFMUL_HAVE_##NAME) && (found),
#include "base/isa.def"
    };
    unsigned mask = CPU_ISA_SCALAR;
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++)
        if (found[i] && !listed(disable, names[i]))
            mask |= 1u << i;
    return mask;
}

bool cpu_has_ifma(const char *disable)
{
    CPU_INIT();
    return X86("avx512ifma") && X86("avx512vbmi") && !listed(disable, "ifma");
}

bool cpu_has_adx(const char *disable)
{
    enum { BMI2 = 1 << 8, ADX = 1 << 19 };
    unsigned a = 0, b = 0, c = 0, d = 0;
    return CPUID_7(&a, &b, &c, &d) && (b & BMI2) != 0 && (b & ADX) != 0 && !listed(disable, "adx");
}

bool cpu_has_fma256(unsigned isa_mask)
{
    CPU_INIT();
    return (isa_mask & CPU_ISA_AVX2) != 0 && !IS_HALVED();
}

bool cpu_has_paths512(void)
{
    enum { FAMILY_EXTENDED = 15, ZEN5 = 0x1a };
    unsigned a = 0, b = 0, c = 0, d = 0;
    CPU_INIT();
    if (!IS_AMD() || !CPUID_1(&a, &b, &c, &d))
        return false;
    /* bits 8 .. 11 and 20 .. 27 are the family, 4 .. 7 and 16 .. 19 the model; 0x2. and 0x6. halve them */
    const unsigned base = a >> 8 & 15, family = base == FAMILY_EXTENDED ? base + (a >> 20 & 255) : base, models = a >> 16 & 15;
    return family >= ZEN5 && !(family == ZEN5 && (models == 2 || models == 6));
}

unsigned cpu_tuning(unsigned isa_bit)
{
    CPU_INIT();
    if (!IS_AMD())
        return isa_bit;
    return isa_bit | CPU_AMD | (isa_bit == CPU_ISA_AVX512 && cpu_has_paths512() ? CPU_PATHS512 : 0);
}
