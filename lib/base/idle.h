/* idle.h - memory that is kept for the next call, and given back to the system if none comes. */
#ifndef GFMUL_IDLE_H
#define GFMUL_IDLE_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * idle - one that keeps memory.  Zeroed, but for `shared`, and `trim`: gives it back; false: it is in use, and stays on the list.
 * Whoever keeps it trims it at once, too, if it likes.
 */
struct idle {
    bool (*trim)(struct idle *idle);
    bool shared;       /* it belongs to no context: idle_trim_shared */
    struct idle *next; /* with n_seen and n_busy: of idle.c, under its lock */
    unsigned n_seen, n_busy;
    atomic_uint n_ended; /* calls */
    atomic_bool listed;
};

/*
 * idle_note - a call has ended, which leaves memory.
 *
 * If no other one ends for half a second, a thread trims it in the half second after.  As long as the process computes, that
 * takes up to five seconds: the next call may follow.
 * Threads: any.   Errors: without a thread the memory is kept until one can be started, after a later call of any kind.
 */
void idle_note(struct idle *idle);

/* idle_trim_shared - trim those that belong to no context, now.   Threads: any. */
void idle_trim_shared(void);

/*
 * The thread's way to wait: it returns after half a second, or for tests when it likes.
 * Value: whether the process has computed meanwhile.
 *
 * idle_wait_usual - half a second; true: the process took at least half of that of its processors, all together.
 * idle_wait_by    - the thread waits so from its next wait on.   NULL: as usual.
 */
typedef bool idle_wait(void);
bool idle_wait_usual(void);
void idle_wait_by(idle_wait *wait);

/* idle_forget - it is about to go.   Threads: any; it waits for a trim under way. */
void idle_forget(struct idle *idle);

#endif
