/*
 * copy_team.h - copies of memory by several threads, cut into parts that any free thread takes.
 *
 * All threads that have entered a region meet at its end.  When other processes run, one thread is often late, so one region for
 * each copy would wait for it each time.  Here one region serves many copies, and its caller waits only for parts.  A late thread
 * without a part delays nothing before the end.  A late thread with a part delays only the copy of this part; the others go on
 * with later copies.
 */
#ifndef GFMUL_COPY_TEAM_H
#define GFMUL_COPY_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COPIES_MOST = 4 };
enum { COPY_PART_BYTES = 1 << 18 }; /* enough work to be worth a thread */

/* A copy under way.   taken, done: how many bytes threads have taken, and have copied. */
struct copy {
    char *to;
    const char *from;
    size_t bytes, taken, done;
};

/* A team.  Only copy_team.c uses its members, except for `by`, which tests may set. */
struct copy_team {
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t work, done;
    struct copy copy[COPIES_MOST];                         /* copy number k is in place k modulo COPIES_MOST */
    uint64_t begun, open;                                  /* how many copies; the first one that may have parts to take */
    bool helped, ending;                                   /* within copy_team_run: there may be helpers; they must leave */
    atomic_uint changes;                                   /* counts the events that a thread may wait for */
    void *(*by)(void *to, const void *from, size_t bytes); /* memcpy */
};

/*
 * copy_team_begin - set up a team.   copy_team_end - end it; no copy may be under way.
 * Errors: false for want of memory.
 */
bool copy_team_begin(struct copy_team *team);
void copy_team_end(struct copy_team *team);

/*
 * copy_team_run - the caller runs run(arg), and other threads help with the copies that it begins; `threads` counts the caller
 *                 too.  No copy may be under way before or after.
 */
void copy_team_run(struct copy_team *team, unsigned threads, void (*run)(void *arg), void *arg);

/*
 * copy_begin - begin a copy; helpers start on it.   Value: its number, one more than that of the copy before.
 *              The caller has waited for the copy that began COPIES_MOST copies earlier.
 * copy_over  - whether a copy is complete; for the last COPIES_MOST numbers.
 * copy_wait  - wait until it is complete; meanwhile the caller copies parts like the helpers, of later copies too.
 * Threads: a single thread calls these functions, inside or outside copy_team_run.
 */
uint64_t copy_begin(struct copy_team *team, void *to, const void *from, size_t bytes);
bool copy_over(struct copy_team *team, uint64_t number);
void copy_wait(struct copy_team *team, uint64_t number);

#endif
