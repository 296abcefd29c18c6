/*
 * parallel.h - regions: work that several threads do at once.
 *
 * The library has its own threads, because a region never waits for one that has not begun (doc/decisions/threads.md).  Another
 * program may keep a processor busy, and the thread there comes late or not at all.  So the work of a region must be right for
 * any number of threads that take part: they take shares of it from each other (base/work_share.h).
 */
#ifndef GFMUL_PARALLEL_H
#define GFMUL_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/* The stack of a thread of a region.  Calls on it need up to CALL_STACK_BYTES (mul/ctx.h); pages are mapped on first use. */
enum { PARALLEL_STACK_BYTES = 1 << 20 };

/*
 * parallel_work  - what each thread of a region does.   t: 0 for the caller, another number below `threads` for each other one
 * parallel_range - do the parts first .. end - 1 of a loop
 */
typedef void parallel_work(void *arg, unsigned t);
typedef void parallel_range(void *arg, unsigned t, size_t first, size_t end);

/*
 * parallel_run - run work(arg, t) on the calling thread, t = 0, and on those of up to threads - 1 others that come before it
 *                returns there.  Returns when all have returned.
 * parallel_for - run a loop over the parts 0 .. count - 1, `grain` or more of them at a time, each once.  One thread alone runs
 *                them all in one call.
 *
 * All threads round to nearest.  A region inside a region has one thread.
 * Threads: any; each thread that calls at the same time as others has its own team.
 * Memory:  threads and their stacks are kept for the next region.  If the system gives no memory or no thread, the region has
 *          fewer threads.
 */
void parallel_run(unsigned threads, parallel_work *work, void *arg);
void parallel_for(unsigned threads, size_t count, size_t grain, parallel_range *range, void *arg);

/* parallel_inside - whether the calling thread is in a region of several threads. */
bool parallel_inside(void);

/* parallel_late_by - from now on, other threads call this before they enter a region; NULL: nothing.   For tests. */
void parallel_late_by(void (*wait)(unsigned t));

#endif
