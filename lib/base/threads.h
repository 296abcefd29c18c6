/* threads.h - how many threads a call may use. */
#ifndef GFMUL_THREADS_H
#define GFMUL_THREADS_H

/*
 * threads_available - how many threads a call may use.
 *
 *   wanted  in  at most so many; 0: the first number of OMP_NUM_THREADS or, without one, as many as there are processors that
 *               the process may use.  Both are read once.
 *
 * Value:   1 .. WORK_SHARES (base/work_share.h).  It is 1 inside a region, of base/parallel.h or of OpenMP.
 * Threads: any.
 */
unsigned threads_available(unsigned wanted);

#endif
