/*
 * team.h - many short works within a call, which its threads take one after the other.
 */
#ifndef GFMUL_TEAM_H
#define GFMUL_TEAM_H

#include "mul/ctx.h"

/*
 * team_work - work j.
 *
 *   call  in   of the thread: it has one thread and no progress callback
 *   arg   in   shared by all works
 */
typedef enum gfmul_status team_work(struct call *call, const void *arg, size_t j);

/*
 * team_run - works begin .. end - 1, shared among so many threads, each with a call of its own.
 *
 * Under a memory limit each thread has an equal part of what is left.  If that is too little, one thread makes all works once
 * more, so then they must not write what they read.   Errors: the first one of a work.
 */
enum gfmul_status team_run(struct call *call, unsigned threads, size_t begin, size_t end, team_work *work, const void *arg);

#endif
