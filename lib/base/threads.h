/* threads.h - how many threads a call may use. */
#ifndef GFMUL_THREADS_H
#define GFMUL_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The stack that a thread of a team needs.  The largest frames, of lib/stages, add up to about 60 KiB. */
enum { THREAD_STACK_BYTES = 96 << 10 };

/*
 * threads_available - how many threads a call may use.
 *
 *   wanted  in  at most so many; 0: OpenMP's own maximum
 *
 * Value:   1 .. WORK_SHARES (base/work_share.h).  It is 1
 *          - in a build without OpenMP,
 *          - inside a parallel region,
 *          - in a child process whose parent has asked for more than one thread,
 *          - if OpenMP gives its threads less stack than THREAD_STACK_BYTES, or more than there is room for.
 * Threads: any.
 */
unsigned threads_available(unsigned wanted);

/* thread_quiet - start a thread with this stack and all signals blocked; join or detach it.   false: the system gave none. */
bool thread_quiet(pthread_t *thread, size_t stack_bytes, void *(*run)(void *arg), void *arg);

#endif
