/* overlap.h - whether two ranges of memory share a byte. */
#ifndef GFMUL_OVERLAP_H
#define GFMUL_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * bytes_overlap_filled - whether two ranges that are not empty share a byte.
 *
 * Addresses are compared, because the ranges may be in different objects.  For an empty range the answer may be wrong.  This
 * saves the shortest products two tests.
 */
static inline bool bytes_overlap_filled(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b; /* a range may end anywhere: no sum that wraps around */
    return y - x < a_bytes || x - y < b_bytes;
}

/* bytes_overlap - the same for any ranges.  An empty range shares nothing. */
static inline bool bytes_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    return a_bytes > 0 && b_bytes > 0 && bytes_overlap_filled(a, a_bytes, b, b_bytes);
}

#endif
