/* gmp_calls.h - which GMP the engine's calls of GMP reach. */
#ifndef GFMUL_GMP_CALLS_H
#define GFMUL_GMP_CALLS_H

#include "gmp/gmp_engine.h"

/*
 * gmp_calls_to - from now on this thread calls these functions; the former ones.
 *
 *   gmp  in  valid until the next call; NULL: those that any thread has named last
 *
 * A thread of a region that has named none calls those, too.
 */
const struct gmp_functions *gmp_calls_to(const struct gmp_functions *gmp);

#endif
