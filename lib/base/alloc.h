/* alloc.h - aligned memory, sizes that cannot overflow. */
#ifndef GFMUL_ALLOC_H
#define GFMUL_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/*
 * alloc_aligned - allocate memory, to be freed with alloc_free.
 *
 *   bytes  in  any number; from 2 MiB on huge pages are requested
 *
 * Value:   memory aligned to 64 bytes, from 2 MiB on to 2 MiB; NULL on failure.
 * Threads: any.
 */
void *alloc_aligned(size_t bytes);
void *alloc_zeroed(size_t bytes); /* the same, all bytes 0 */
void alloc_free(void *p);

/*
 * alloc_block_bytes - the memory that alloc_aligned takes for so many bytes.  A tail of more than a fourth of a huge page gets a
 * whole huge page, because touching that first takes no longer than touching the tail in small pages.   Threads: any.
 */
size_t alloc_block_bytes(size_t bytes);

/*
 * alloc_forget - give the memory of a block back to the system; its contents are lost.  The block still has to be freed.  Call
 * this before, because free alone leaves blocks of up to 32 MiB with the process.
 *
 *   p, bytes  in  as they were allocated
 */
void alloc_forget(void *p, size_t bytes);

/*
 * alloc_lend - let the system take the memory of a block when it needs some.  Until then the block keeps its pages, and writing
 * to them costs next to nothing.  The contents are lost, now or later.
 *
 *   p, bytes  in  as they were allocated; the ends of a block, up to 64 KiB each, stay
 * Value: false if the system cannot do that (MADV_FREE: Linux 4.5, macOS, BSD).   Threads: nobody else uses the block.
 *
 * alloc_lend_refuse - for tests: behave as if the system could not.
 */
bool alloc_lend(void *p, size_t bytes);
void alloc_lend_refuse(bool refuse);

/* alloc_was_taken - whether most pages of a lent block are gone, judged by a sample; false also if the system does not say. */
bool alloc_was_taken(void *p, size_t bytes);

/*
 * memory_touch - have the system map the pages of memory that nobody has written to yet.  Its contents stay.
 *
 * A stage writes to many pages in turn, so without this its first part would pay for the page faults of all of them.
 * Cost:    for pages that are mapped already, some us for 2 MiB.   Threads: any; nobody else writes there.
 */
void memory_touch(void *p, size_t bytes);

/*
 * memory_usable - bytes of memory that the process may use: the machine's, or the limit of its control groups if that is less.
 *
 * Value:   as found by the first call; 0 if the machine's memory is not known.   Threads: any.
 *
 * memory_usable_set - for tests: what it says from now on.   0: it looks again.
 */
size_t memory_usable(void);
void memory_usable_set(size_t bytes);

/*
 * alloc_fail_after - let allocations fail, for tests.
 *
 *   n  in  n > 0: the n-th alloc_aligned from now on and all later ones fail.  0: all fail.  n < 0: none fails any more.
 */
void alloc_fail_after(long n);

/* size_mul, size_add - *r = a * b, *r = a + b.  false: it overflows. */
static inline bool size_mul(size_t *r, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, r);
}
static inline bool size_add(size_t *r, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, r);
}

#endif
