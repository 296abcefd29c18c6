/* stack.h - how much stack the calling thread has left. */
#ifndef GFMUL_STACK_H
#define GFMUL_STACK_H

#include <stddef.h>

/*
 * stack_left - bytes of stack below the caller's frame.   0: the frame is not on the thread's own stack, as in a coroutine.
 * SIZE_MAX: the system does not say where the stack ends.
 * Cost: a few ns; for the first call of a thread some us.
 */
size_t stack_left(void);

#endif
