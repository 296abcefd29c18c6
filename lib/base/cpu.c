/*
 * cpu.c - instruction sets of this machine.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/cpu.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#include <cpuid.h>
#endif

#include "base/cpu_paths.h"

bool cpu_lists(const char *list, const char *name)
{
    static const char separators[] = ", \t";
    size_t n = strlen(name);
    while (list && *list) {
        size_t item = strcspn(list, separators);
        if (item == n && memcmp(list, name, n) == 0)
            return true;
        list += item;
        list += strspn(list, separators);
    }
    return false;
}

/* The builtin asks the operating system too: if that does not save some registers, their instruction set counts as missing. */
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define X86(feature)        __builtin_cpu_supports(feature)
#define IS_AMD()            __builtin_cpu_is("amd")
#define IS_INTEL()          __builtin_cpu_is("intel")
#define IS_HALVED()         (__builtin_cpu_is("znver1") || __builtin_cpu_is("bdver4"))
#define CPU_INIT()          __builtin_cpu_init()
#define CPUID_1(a, b, c, d) __get_cpuid(1, a, b, c, d)
#define CPUID_BRAND(i, w)   __get_cpuid(0x80000002u + (i), (w), (w) + 1, (w) + 2, (w) + 3)
#define CPUID_7(a, b, c, d) __get_cpuid_count(7, 0, a, b, c, d)
#else
#define X86(feature)        false
#define IS_AMD()            false
#define IS_INTEL()          false
#define IS_HALVED()         false
#define CPU_INIT()          (void)0
#define CPUID_1(a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d), false)
#define CPUID_7             CPUID_1
#define CPUID_BRAND(i, w)   ((void)(w), false)
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
        if (found[i] && !cpu_lists(disable, names[i]))
            mask |= 1u << i;
    return mask;
}

bool cpu_has_ifma(const char *disable)
{
    CPU_INIT();
    return X86("avx512ifma") && X86("avx512vbmi") && !cpu_lists(disable, "ifma");
}

bool cpu_has_adx(const char *disable)
{
    enum { BMI2 = 1 << 8, ADX = 1 << 19 };
    unsigned a = 0, b = 0, c = 0, d = 0;
    return CPUID_7(&a, &b, &c, &d) && (b & BMI2) != 0 && (b & ADX) != 0 && !cpu_lists(disable, "adx");
}

bool cpu_has_fma256(unsigned isa_mask)
{
    CPU_INIT();
    return (isa_mask & CPU_ISA_AVX2) != 0 && !IS_HALVED();
}

struct cpu_model cpu_model(void)
{
    enum { FAMILY_EXTENDED = 15 };
    unsigned a = 0, b = 0, c = 0, d = 0;
    CPU_INIT();
    const enum cpu_vendor vendor = IS_AMD() ? CPU_VENDOR_AMD : IS_INTEL() ? CPU_VENDOR_INTEL : CPU_VENDOR_OTHER;
    if (vendor == CPU_VENDOR_OTHER || !CPUID_1(&a, &b, &c, &d))
        return (struct cpu_model){.vendor = CPU_VENDOR_OTHER};
    /* bits 8 .. 11 and 20 .. 27 are the family, 4 .. 7 and 16 .. 19 the model */
    const unsigned base = a >> 8 & 15, family = base == FAMILY_EXTENDED ? base + (a >> 20 & 255) : base;
    return (struct cpu_model){vendor, family, (a >> 12 & 0xf0) | (a >> 4 & 15)};
}

bool cpu_has_paths512(void)
{
    enum { ZEN5 = 0x1a };
    const struct cpu_model m = cpu_model();
    /* models 0x2. and 0x6. halve them */
    return m.vendor == CPU_VENDOR_AMD && m.family >= ZEN5 && !(m.family == ZEN5 && (m.model >> 4 == 2 || m.model >> 4 == 6));
}

/* machine_text - what the system calls the machine, and on ARM what Linux says of its first processor. */
static void machine_text(char *text, size_t size)
{
    struct utsname name;
    char midr[32] = "";
    FILE *f = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re");
    if (f) {
        if (fgets(midr, sizeof midr, f))
            midr[strcspn(midr, "\n")] = '\0';
        fclose(f);
    }
    snprintf(text, size, "%s %s", uname(&name) == 0 ? name.machine : "?", midr);
}

void cpu_identity(char *text, size_t size)
{
    const struct cpu_model m = cpu_model();
    unsigned brand[12] = {0};
    bool named = false;
    for (unsigned i = 0; i < 3; i++)
        named = CPUID_BRAND(i, brand + 4 * i);
    if (named)
        snprintf(text, size, "vendor %d family %u model %u, %.*s", (int)m.vendor, m.family, m.model, (int)sizeof brand,
                 (const char *)brand);
    else
        machine_text(text, size);
}

unsigned cpu_tuning(unsigned isa_bit)
{
    CPU_INIT();
    if (!IS_AMD())
        return isa_bit;
    return isa_bit | CPU_AMD | (isa_bit == CPU_ISA_AVX512 && cpu_has_paths512() ? CPU_PATHS512 : 0);
}
