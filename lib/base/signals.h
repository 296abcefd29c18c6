/* signals.h - signals that come from outside, and those that a thread raises itself. */
#ifndef GFMUL_SIGNALS_H
#define GFMUL_SIGNALS_H

#include <signal.h>
#include <stddef.h>

/*
 * signals_outside - all signals but those that a fault of the thread itself raises.  Blocked, such a signal ends the process, and
 * no handler runs: a collector's write barrier, or a message about a file that was cut short.
 */
static inline void signals_outside(sigset_t *set)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigfillset(set);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(set, faults[i]);
}

#endif
