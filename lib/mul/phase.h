/*
 * phase.h - where the time of a call goes.  A call is in one phase at a time, so that a report's parts add up to the whole.
 */
#ifndef GFMUL_PHASE_H
#define GFMUL_PHASE_H

#include "base/clock.h"
#include "gfmul.h"

enum phase {
    PHASE_OTHER, /* in no part of the report */
    PHASE_PARSE,
    PHASE_PLAN,
    PHASE_DEVICE_START, /* within PLAN */
    PHASE_TRANSFORM,
    PHASE_UPLOAD, /* within TRANSFORM, as DOWNLOAD is */
    PHASE_DOWNLOAD,
    PHASE_CARRY,
    PHASE_VERIFY,
    PHASE_PRINT,
    PHASES
};

struct phase_clock {
    uint64_t begun_ns, since_ns; /* the start of the call, and of its current phase */
    uint64_t spent_ns[PHASES];
    enum phase now;
};

/* phase_begin - start the clock of a call, in PHASE_OTHER. */
static inline void phase_begin(struct phase_clock *c)
{
    *c = (struct phase_clock){.now = PHASE_OTHER};
    c->begun_ns = c->since_ns = clock_ns();
}

/* phase_count - count the time since the last look at the clock for the current phase. */
static inline void phase_count(struct phase_clock *c)
{
    const uint64_t ns = clock_ns();
    c->spent_ns[c->now] += ns - c->since_ns;
    c->since_ns = ns;
}

/* phase_enter - change the call's phase.   Returns the former phase, so that the caller can restore it. */
static inline enum phase phase_enter(struct phase_clock *c, enum phase phase)
{
    const enum phase before = c->now;
    if (phase != before)
        phase_count(c);
    c->now = phase;
    return before;
}

/* phase_report - write the times so far into a report. */
static inline void phase_report(struct phase_clock *c, struct gfmul_report *report)
{
    const uint64_t *ns = c->spent_ns;
    phase_count(c);
    report->parse_ns = ns[PHASE_PARSE];
    report->plan_ns = ns[PHASE_PLAN] + ns[PHASE_DEVICE_START];
    report->device_start_ns = ns[PHASE_DEVICE_START];
    report->transform_ns = ns[PHASE_TRANSFORM] + ns[PHASE_UPLOAD] + ns[PHASE_DOWNLOAD];
    report->upload_ns = ns[PHASE_UPLOAD];
    report->download_ns = ns[PHASE_DOWNLOAD];
    report->carry_ns = ns[PHASE_CARRY];
    report->verify_ns = ns[PHASE_VERIFY];
    report->print_ns = ns[PHASE_PRINT];
    report->total_ns = c->since_ns - c->begun_ns;
}

#endif
