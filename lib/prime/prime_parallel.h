/* prime_parallel.h - loops of prime_ring.h over threads. */
#ifndef GFMUL_PRIME_PARALLEL_H
#define GFMUL_PRIME_PARALLEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parallel.h"

/* What the parts of such a loop need.  Each loop sets some of the members. */
struct ring_job {
    const struct prime_ring *r;
    const struct ring_walk *walk;
    const struct lanes_walk *t;
    void *x, *y;      /* points */
    const void *from; /* words */
    const struct ring_words *words;
    const struct lanes_ending *end;
    size_t parts;
    unsigned step;
    bool back, flag;
    atomic_bool bad; /* a part has found a word that is not reduced */
};

/* RING_TASK - define a parallel_range that runs `statement` for each part i of a ring_job j. */
#define RING_TASK(name, statement)                                               \
    static void name(void *job_of, unsigned thread, size_t first, size_t behind) \
    {                                                                            \
        struct ring_job *const j = job_of;                                       \
        (void)thread;                                                            \
        for (size_t i = first; i < behind; i++)                                  \
            statement;                                                           \
    }

#endif
