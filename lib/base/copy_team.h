/*
 * copy_team.h - copies of memory by several threads, cut into parts that whoever runs takes.
 *
 * Threads of a region meet at its end.  With other processes beside them one is often late, and a region for each copy waits for
 * it each time.  Here one region has many copies, and its caller waits for parts alone: a thread that has none is not waited for
 * before the end, and one that is late with a part delays the copy that this part belongs to, while others go on with the copies
 * behind it.
 */
#ifndef GFMUL_COPY_TEAM_H
#define GFMUL_COPY_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COPIES_MOST = 4 };
enum { COPY_PART_BYTES = 1 << 18 }; /* a copy worth a thread */

/* A copy under way: bytes that have been taken, and that have been copied. */
struct copy {
    char *to;
    const char *from;
    size_t bytes, taken, done;
};

/* A team: of the file copy_team.c, but for `by`, which tests may set. */
struct copy_team {
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t work, done;
    struct copy copy[COPIES_MOST];                         /* number k is in place k modulo COPIES_MOST */
    uint64_t begun, open;                                  /* how many copies; the first one that may have parts to take */
    bool helped, ending;                                   /* within copy_team_run: there may be helpers; they leave */
    atomic_uint changes;                                   /* counts what a thread may wait for */
    void *(*by)(void *to, const void *from, size_t bytes); /* memcpy */
};

/*
 * copy_team_begin - a team.   copy_team_end - of one that no copy is under way in.
 * Errors: false, for want of memory.
 */
bool copy_team_begin(struct copy_team *team);
void copy_team_end(struct copy_team *team);

/*
 * copy_team_run - run(arg) by the caller; other threads of OpenMP help with the copies that it begins: `threads` with the caller.
 *                 No copy may be under way before or after.
 */
void copy_team_run(struct copy_team *team, unsigned threads, void (*run)(void *arg), void *arg);

/*
 * copy_begin - begin a copy; helpers start on it.   Value: its number, one more than that of the copy before.
 *              That of COPIES_MOST copies before has been waited for.
 * copy_over  - whether it is complete; of the last COPIES_MOST numbers.
 * copy_wait  - until it is; the caller takes parts like the others, of copies begun later, too.
 * Threads: one calls these functions; outside copy_team_run too.
 */
uint64_t copy_begin(struct copy_team *team, void *to, const void *from, size_t bytes);
bool copy_over(struct copy_team *team, uint64_t number);
void copy_wait(struct copy_team *team, uint64_t number);

#endif
