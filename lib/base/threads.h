/* threads.h - how many threads a call may use. */
#ifndef GFMUL_THREADS_H
#define GFMUL_THREADS_H

/*
 * threads_available - wanted (0: OpenMP's own maximum), but 1 inside a parallel region, in a build without OpenMP, and in a child
 * forked from a process that has asked before; at most WORK_SHARES (base/work_share.h).
 */
unsigned threads_available(unsigned wanted);

#endif
