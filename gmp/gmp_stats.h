/* gmp_stats.h - what was done in this process, in a few lines at its end if the environment asks for them. */
#ifndef GFMUL_GMP_STATS_H
#define GFMUL_GMP_STATS_H

#include <stdbool.h>
#include <stddef.h>

enum product_kind { WHOLE, MINUS, PLUS, PRODUCT_KINDS, QUOTIENT = PRODUCT_KINDS, COUNTED_KINDS };

/* stats_start - note where the lines go: GFMUL_GMP_STATS is 1, or a file.   From the constructor: no memory, no locks. */
void stats_start(void);

/*
 * stats_count, stats_left - a product or quotient that was made, of so many limbs, or one that could not be.   Threads: any.
 *
 * They count only if the lines are wanted: threads would share the counters' cache line at each short product.
 */
extern bool stats_wanted; /* set by stats_start */
void stats_add(enum product_kind kind, size_t limbs);
static inline void stats_count(enum product_kind kind, size_t limbs)
{
    if (__builtin_expect(stats_wanted, 0))
        stats_add(kind, limbs);
}
void stats_left(void);

/*
 * stats_print - the lines, if they are wanted and the process has a GMP, in one piece: to the file, or to what was standard
 * error at the start.  The program may have made that descriptor another one, as Singular does.
 *
 *   reason  in  why no product is gfmul's; NULL: there is none
 */
void stats_print(const char *reason);

#endif
