/*
 * forks.h - make the library safe across fork: the child never finds a lock held by a thread that exists only in the parent.
 */
#ifndef GFMUL_FORKS_H
#define GFMUL_FORKS_H

#include <pthread.h>
#include <stdbool.h>

/* The order in which locks are taken before a fork.  All code follows it: a thread that holds an inner lock takes no other. */
enum fork_order { FORK_OUTER, FORK_INNER };

/* A lock that is held over each fork. */
struct fork_lock {
    pthread_mutex_t *lock;
    enum fork_order order;
    void (*in_child)(struct fork_lock *self); /* runs in the child while it holds all locks; may be NULL */
    struct fork_lock *next;
};

/* forks_hold - hold a lock during each fork from now on.   forks_forget - no longer; a lock that was never held is allowed. */
void forks_hold(struct fork_lock *l);
void forks_forget(struct fork_lock *l);

/* forks_locks - list the locks that are held during a fork, that of the list itself first; returns their number.   For tests. */
unsigned forks_locks(pthread_mutex_t **lock, unsigned most);

/*
 * forks_count - how many forks lie between this process and the one that first used the library.  A thread that was started at
 * another count does not exist in this process.
 */
unsigned forks_count(void);

#endif
