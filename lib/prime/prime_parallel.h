/* prime_parallel.h - loops of prime_ring.h over threads. */
#ifndef GFMUL_PRIME_PARALLEL_H
#define GFMUL_PRIME_PARALLEL_H

#include "base/rounding.h"

/*
 * RING_PARALLEL - run `statement` for i = 0 .. count - 1 on this many threads.  One thread does not use OpenMP, because a
 * parallel region takes as long as a short transform.
 */
#define RING_PRAGMA(text) _Pragma(#text)
#define RING_PARALLEL(i, count, threads, statement)                              \
    do {                                                                         \
        const size_t ring_count = (count);                                       \
        if (threads > 1) {                                                       \
            RING_PRAGMA(omp parallel for schedule(dynamic) num_threads(threads)) \
            for (size_t i = 0; i < ring_count; i++) {                            \
                ROUND_TO_NEAREST;                                                \
                statement;                                                       \
            }                                                                    \
        } else {                                                                 \
            for (size_t i = 0; i < ring_count; i++)                              \
                statement;                                                       \
        }                                                                        \
    } while (0)

#endif
