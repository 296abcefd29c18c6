/*
 * stage_monitor.h - how far a product has come, and whether it is to stop.
 *
 * The threads of a stage announce each part of their work before they do it (stage_part); the thread that called the library
 * then tells the progress callback now and then.  Where that asks to stop, stage_part is false for all threads from then on:
 * they leave the rest of the stage undone, and the driver ends the call.
 */
#ifndef GFMUL_STAGE_MONITOR_H
#define GFMUL_STAGE_MONITOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rounding.h"
#include "plan/plan.h"

struct stage_monitor {
    int (*progress)(void *arg, double done);
    void *arg;
    rounding_mode mode; /* of the callback */
    pthread_t caller;
    double from, to;    /* shares of the whole at the two ends of the stage under way; these are the caller's alone, as are */
    double points;      /* what the parts of the stage add up to, about */
    double told;        /* the last share told */
    uint64_t told_ns;   /* when that was */
    atomic_size_t done; /* points of the stage that are done or under way */
    atomic_bool stop;
};

/* stage_monitor_init - of the calling thread's callback.   mode in: that of the thread before the call. */
void stage_monitor_init(struct stage_monitor *m, int (*progress)(void *arg, double done), void *arg, rounding_mode mode);

/*
 * stage_monitor_tell - tell a share, if it is no less than the last one; false where the work is to stop.  Calling thread.
 * The callback runs in the thread's own rounding mode; what it changes of the floating-point environment ends with it.
 */
bool stage_monitor_tell(struct stage_monitor *m, double share);

/* stage_monitor_stage - parts of about so many points bring the share done from `from` to `to`; as stage_monitor_tell. */
bool stage_monitor_stage(struct stage_monitor *m, double from, double to, double points);

/* stage_monitor_part - what stage_part does where there is a callback.   Threads: any. */
bool stage_monitor_part(struct stage_monitor *m, size_t points);

/* stage_part - this thread goes on to so many points; false: it is to leave them. */
static inline bool stage_part(const struct plan *plan, size_t points)
{
    return !plan->monitor || stage_monitor_part(plan->monitor, points);
}

#endif
