/* threads.h - how many threads a call may use, and how to start the library's own threads. */
#ifndef GFMUL_THREADS_H
#define GFMUL_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

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

/* processors_usable - how many processors the process might use when that was first asked.   Threads: any. */
unsigned processors_usable(void);

/*
 * thread_quiet - start a thread with this stack, all signals but those of faults blocked (base/signals.h); join or detach it.
 * Value: false if the system gave none.
 */
bool thread_quiet(pthread_t *thread, size_t stack_bytes, void *(*run)(void *arg), void *arg);

#endif
