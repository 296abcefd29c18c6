/* idle.h - memory that is kept for the next call, but given back to the system if none comes. */
#ifndef GFMUL_IDLE_H
#define GFMUL_IDLE_H

#include <stdatomic.h>
#include <stdbool.h>

/* The state of idle memory after `give`: in use; lent, so that the system may take it; given back. */
enum idle_left { IDLE_IN_USE, IDLE_LENT, IDLE_GONE };

/* Tables cannot be lent, because they are read later: beyond 1/256 of the machine's memory they are given back. */
enum { IDLE_TABLE_SHARE = 256 };

/*
 * idle - an owner of idle memory.  Zero all members except for `shared` and
 *
 *   give  lends its memory to the system; if it cannot lend, or with `wholly`, it gives the memory back.
 *         IDLE_IN_USE: it did nothing, and will be called again.
 */
struct idle {
    enum idle_left (*give)(struct idle *idle, bool wholly);
    bool shared;       /* it belongs to no context: see idle_trim_shared */
    struct idle *next; /* this, n_seen, n_busy and linked are idle.c's own, under its lock */
    unsigned n_seen, n_busy;
    bool linked;
    atomic_uint n_ended; /* how many calls have ended */
    atomic_bool listed;  /* the thread still has to lend it */
};

/*
 * idle_note - note that a call has ended and has left memory.
 *
 * If no other call ends for half a second, a thread lends the memory to the system in the half second after.  While the process
 * computes, it waits up to five seconds, because the next call may follow.
 * Threads: any.   Errors: if no thread can be started, the memory is kept until a later call of any kind can start one.
 */
void idle_note(struct idle *idle);

/*
 * idle_trim_shared - give back idle memory that belongs to no context, now.
 * idle_trim_all    - also give back the idle memory of all contexts, because memory is short.   Hold no context's lock.
 * Threads: any.
 */
void idle_trim_shared(void);
void idle_trim_all(void);

/*
 * How the thread waits: the function returns after half a second, or in tests at any time.
 * Value: whether the process has computed meanwhile.
 *
 * idle_wait_usual - wait half a second; true: the process used CPU time, on all processors together, for at least half of it.
 * idle_wait_by    - make the thread wait by this function from its next wait on.   NULL: idle_wait_usual.
 */
typedef bool idle_wait(void);
bool idle_wait_usual(void);
void idle_wait_by(idle_wait *wait);

/* idle_forget - remove an owner before it is destroyed.   Threads: any; it waits for a trim under way. */
void idle_forget(struct idle *idle);

#endif
