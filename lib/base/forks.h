/*
 * forks.h - what a fork does to the library: no lock that it needs later is held by a thread that the child lacks.
 */
#ifndef GFMUL_FORKS_H
#define GFMUL_FORKS_H

#include <pthread.h>
#include <stdbool.h>

/* Locks are taken in this order before a fork, which is that of all code: whoever holds one of the second kind takes no other. */
enum fork_order { FORK_OUTER, FORK_INNER };

/* A lock that is held over each fork. */
struct fork_lock {
    pthread_mutex_t *lock;
    enum fork_order order;
    void (*in_child)(struct fork_lock *self); /* runs in the child, with all locks; NULL: nothing is to be done there */
    struct fork_lock *next;
};

/* forks_hold - hold a lock over each fork from now on.   forks_forget - no longer; what was never held is allowed. */
void forks_hold(struct fork_lock *l);
void forks_forget(struct fork_lock *l);

/* forks_locks - the locks that are held over a fork, that of the list itself first: how many there are.   Of tests. */
unsigned forks_locks(pthread_mutex_t **lock, unsigned most);

/* forks_count - how often this process has been forked from one that used the library: threads with another count are gone. */
unsigned forks_count(void);

#endif
