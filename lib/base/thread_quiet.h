/* thread_quiet.h - start the library's own threads. */
#ifndef GFMUL_THREAD_QUIET_H
#define GFMUL_THREAD_QUIET_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * thread_quiet - start a thread with this stack, all signals but those of faults blocked (base/signals.h); join or detach it.
 * Value: false if the system gave none.
 */
bool thread_quiet(pthread_t *thread, size_t stack_bytes, void *(*run)(void *arg), void *arg);

#endif
