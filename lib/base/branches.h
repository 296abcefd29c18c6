/*
 * branches.h - what the compiler cannot know about branches and calls of the shortest products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_BRANCHES_H
#define GFMUL_BRANCHES_H

#if defined(__GNUC__)
#define LIKELY(x)     __builtin_expect(!!(x), 1)
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define NOINLINE      __attribute__((noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define ALIGNED(n)    __attribute__((aligned(n)))
#else
#define LIKELY(x)   (x)
#define UNLIKELY(x) (x)
#define NOINLINE
#define ALWAYS_INLINE inline
#define ALIGNED(n)
#endif

/* Of a function of another library: called by its address, not through the PLT. */
#if defined(__has_attribute)
#if __has_attribute(noplt)
#define NOPLT __attribute__((noplt))
#endif
#endif
#ifndef NOPLT
#define NOPLT
#endif

#endif
