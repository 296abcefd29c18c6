/* idle.h - memory that is kept for the next call, and given back to the system if none comes. */
#ifndef GFMUL_IDLE_H
#define GFMUL_IDLE_H

#include <stdatomic.h>
#include <stdbool.h>

/* What is left of idle memory: it is in use; or the system may take it, but need not; or it is given back. */
enum idle_left { IDLE_IN_USE, IDLE_LENT, IDLE_GONE };

/*
 * idle - one that keeps memory.  Zeroed, but for `shared` and
 *
 *   give  lends its memory to the system, or with `wholly` gives it back.  Where it cannot lend it gives back, too.
 *         IDLE_IN_USE: it does nothing, and is asked again.
 */
struct idle {
    enum idle_left (*give)(struct idle *idle, bool wholly);
    bool shared;       /* it belongs to no context: idle_trim_shared */
    struct idle *next; /* with n_seen, n_busy and linked: of idle.c, under its lock */
    unsigned n_seen, n_busy;
    bool linked;
    atomic_uint n_ended; /* calls */
    atomic_bool listed;  /* the thread looks after it */
};

/*
 * idle_note - a call has ended, which leaves memory.
 *
 * If no other one ends for half a second, a thread lends it to the system in the half second after.  As long as the process
 * computes, that takes up to five seconds: the next call may follow.
 * Threads: any.   Errors: without a thread the memory is kept until one can be started, after a later call of any kind.
 */
void idle_note(struct idle *idle);

/*
 * idle_trim_shared - give back what belongs to no context, now.
 * idle_trim_all    - and what any context keeps that is not in use: memory is short.   Needs no lock of a context.
 * Threads: any.
 */
void idle_trim_shared(void);
void idle_trim_all(void);

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
