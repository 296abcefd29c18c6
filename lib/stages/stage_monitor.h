/*
 * stage_monitor.h - how far a product has come, whether it is to stop, and the pauses in which its callback is told.
 *
 * The threads of a stage announce each part of their work before they do it (stage_part), and its end (stage_part_end).  Now and
 * then the product's thread tells the share done.  No thread is within a part then, so the caller may leave the call and free its
 * operands (doc/decisions/threads.md).  If the caller asks to stop, stage_part is false for all threads from then on: they leave
 * the rest of the stage undone, and the driver ends the call.
 */
#ifndef GFMUL_STAGE_MONITOR_H
#define GFMUL_STAGE_MONITOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The usual time between two calls of the callback: each costs some tens of us, since the threads come to rest. */
enum { STAGE_TELL_NS = 50000000 };

struct stage_monitor {
    bool (*tell)(void *arg, double done); /* tells a share; true: the work is to stop */
    void *arg;
    pthread_t owner;  /* the product's thread, which tells */
    double from, to;  /* shares of the whole at the two ends of the stage under way; these are the owner's alone, as are */
    double points;    /* what the parts of the stage add up to, about */
    double told;      /* the last share told */
    uint64_t told_ns; /* when that was */
    uint64_t tell_ns; /* the least time between two of them */
    atomic_size_t done;  /* points of the stage that are done or under way */
    atomic_uint working; /* threads within a part */
    atomic_bool paused;  /* no part may begin */
    atomic_bool stop;
    pthread_mutex_t lock; /* of those that wait for a pause, or for its end */
    pthread_cond_t changed;
};

/* stage_monitor_init - of the calling thread's product.  false: there is no memory for it.   Ended by stage_monitor_end. */
bool stage_monitor_init(struct stage_monitor *m, bool (*tell)(void *arg, double done), void *arg, uint64_t tell_ns);
void stage_monitor_end(struct stage_monitor *m);

/*
 * stage_monitor_tell - tell a share if it is time again.  false: the work is to stop.   Threads: the owner, outside of a part.
 * A share is told no more than each tell_ns, since others wait meanwhile.  It is no less than the last one.
 */
bool stage_monitor_tell(struct stage_monitor *m, double share);

/* stage_monitor_stage - parts of about so many points bring the share done from `from` to `to`; as stage_monitor_tell. */
bool stage_monitor_stage(struct stage_monitor *m, double from, double to, double points);

/* stage_monitor_part, stage_monitor_part_end - what stage_part and stage_part_end do if there is a callback.   Threads: any. */
bool stage_monitor_part(struct stage_monitor *m, size_t points);
void stage_monitor_part_end(struct stage_monitor *m);

/*
 * stage_part - this thread goes on to so many points; false: it is to leave them.
 * stage_part_end - it has done them.  Parts do not nest, and no thread waits for another one within a part.
 *
 *   m  in  NULL: there is no callback
 */
static inline bool stage_part(struct stage_monitor *m, size_t points)
{
    return !m || stage_monitor_part(m, points);
}

/* stage_stopped - the work is to stop: nothing of the caller's may be touched any more.   Threads: any, between stages. */
static inline bool stage_stopped(struct stage_monitor *m)
{
    return m && atomic_load_explicit(&m->stop, memory_order_relaxed);
}

static inline void stage_part_end(struct stage_monitor *m)
{
    if (m)
        stage_monitor_part_end(m);
}

#endif
