/*
 * rounding.h - round to nearest, whatever the thread's rounding mode is.
 *
 * All bounds are proved for rounding to nearest (doc/error-bound.md, section 1).  A program may have set another mode, for
 * instance for interval arithmetic.  A new thread has the mode of the one that started it.  So every call, and the work of each
 * thread of a region, begins with ROUND_TO_NEAREST.  It also turns off traps and the flushing of subnormal numbers to zero.
 *
 * On x86-64 fegetround() reads only the control word of the x87 unit, which does not control SSE and AVX.
 */
#ifndef GFMUL_ROUNDING_H
#define GFMUL_ROUNDING_H

#ifdef __x86_64__
#include <xmmintrin.h>
#elif !defined __aarch64__
#include <fenv.h>
#endif

#ifdef __x86_64__
typedef unsigned rounding_mode;
enum { MXCSR_FLAGS = 0x3f, MXCSR_NEAREST = 0x1f80 }; /* exceptions raised so far; all exceptions masked, nothing else set */

static inline rounding_mode rounding_get(void)
{
    return _mm_getcsr();
}

static inline void rounding_set(rounding_mode mode)
{
    _mm_setcsr(mode);
}

static inline rounding_mode rounding_nearest(rounding_mode mode)
{
    return MXCSR_NEAREST | (mode & MXCSR_FLAGS);
}
#elif defined __aarch64__
#include <stdint.h>

typedef uint64_t rounding_mode;

static inline rounding_mode rounding_get(void)
{
    rounding_mode mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}

static inline void rounding_set(rounding_mode mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}

static inline rounding_mode rounding_nearest(rounding_mode mode)
{
    (void)mode;
    return 0;
}
#else
typedef int rounding_mode;

static inline rounding_mode rounding_get(void)
{
    return fegetround();
}

static inline void rounding_set(rounding_mode mode)
{
    fesetround(mode);
}

static inline rounding_mode rounding_nearest(rounding_mode mode)
{
    (void)mode;
    return FE_TONEAREST;
}
#endif

/* rounding_enter - round to nearest from now on; returns the mode that rounding_leave restores. */
static inline rounding_mode rounding_enter(void)
{
    const rounding_mode mode = rounding_get();
    if (mode != rounding_nearest(mode))
        rounding_set(rounding_nearest(mode));
    __asm__ volatile("" ::: "memory"); /* so that the compiler moves no load, and nothing computed from it, across the change */
    return mode;
}

static inline void rounding_leave(const rounding_mode *mode)
{
    __asm__ volatile("" ::: "memory");
    if (*mode != rounding_nearest(*mode))
        rounding_set(*mode);
}

/* ROUND_TO_NEAREST - a declaration: the thread rounds to nearest until the end of the block, and then as before. */
#define ROUND_TO_NEAREST  ROUNDING_AT(__LINE__)
#define ROUNDING_AT(line) ROUNDING_NAMED(line)
#define ROUNDING_NAMED(line) \
    __attribute__((cleanup(rounding_leave), unused)) const rounding_mode rounding_before_##line = rounding_enter()

/* ROUND_LONG_DOUBLE - the same for long double: on x86-64 the x87 unit computes it, with a mode and a precision of its own. */
#ifdef __x86_64__
struct x87_mode {
    unsigned short control, status;
};
enum { X87_FLAGS = 0x80ff }; /* status bits: the exceptions raised so far, and whether one of them is not masked */

static inline unsigned short x87_nearest(unsigned short control)
{
    return (unsigned short)((control & ~0x0c00u) | 0x033fu); /* 64 bits, all exceptions masked */
}

static inline struct x87_mode x87_enter(void)
{
    struct x87_mode mode;
    __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(mode.control), "=m"(mode.status));
    const unsigned short nearest = x87_nearest(mode.control);
    if (mode.control != nearest)
        __asm__ volatile("fldcw %0" : : "m"(nearest) : "memory");
    return mode;
}

/* Restore flags and mode in one step: an exception raised in between would otherwise trap under the caller's masks. */
static inline void x87_leave(const struct x87_mode *mode)
{
    unsigned short now[14]; /* the environment; control and status are words 0 and 2 */
    if (mode->control == x87_nearest(mode->control))
        return;
    __asm__ volatile("fnstenv %0" : "=m"(now) : : "memory");
    now[0] = mode->control;
    now[2] = (unsigned short)((now[2] & ~X87_FLAGS) | (mode->status & X87_FLAGS));
    __asm__ volatile("fldenv %0" : : "m"(now) : "memory");
}
#define ROUND_LONG_DOUBLE __attribute__((cleanup(x87_leave), unused)) const struct x87_mode x87_before = x87_enter()
#else
#define ROUND_LONG_DOUBLE ((void)0)
#endif

#endif
