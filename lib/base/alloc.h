/* alloc.h - aligned memory, sizes that cannot overflow. */
#ifndef GFMUL_ALLOC_H
#define GFMUL_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* alloc_aligned - bytes of memory aligned to 64 (2 MiB, with huge pages asked for, from 2 MiB on); NULL where there is none. */
void *alloc_aligned(size_t bytes);
void alloc_free(void *p);

/* memory_physical - bytes of memory of this machine; 0: not known. */
size_t memory_physical(void);

/* alloc_fail_after - for tests: the n-th next alloc_aligned of the process, and all after it, fail; n < 0 ends that. */
void alloc_fail_after(long n);

/* size_mul, size_add - *r = a * b, a + b; false where that overflows. */
static inline bool size_mul(size_t *r, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, r);
}
static inline bool size_add(size_t *r, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, r);
}

#endif
