/* overlap.h - whether two ranges of memory share a byte. */
#ifndef GFMUL_OVERLAP_H
#define GFMUL_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * bytes_overlap - whether two ranges share a byte.  An empty range shares nothing.
 *
 * Addresses are compared, because the ranges may be in different objects.  A range may end anywhere: no sum wraps around.
 */
static inline bool bytes_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_bytes > 0 && b_bytes > 0 && (y - x < a_bytes || x - y < b_bytes);
}

#endif
