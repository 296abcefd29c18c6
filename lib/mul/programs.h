/*
 * programs.h - the OpenCL programs of a product, of which bigmul builds parts in several processes (gfmul_private.h).
 */
#ifndef GFMUL_PROGRAMS_H
#define GFMUL_PROGRAMS_H

#include "mul/engine.h"

/* Which of them to build; parts 0: none.   missing out: how many of all were neither in memory nor in the cache on disk. */
struct programs {
    unsigned part, parts, missing;
};

/*
 * programs_build - the programs of a planned attempt, whose foresight has a struct programs as its arg.   On the host: none.
 * Errors: those of ocl_pipeline_programs.
 */
enum gfmul_status programs_build(struct attempt *t);

#endif
