/*
 * team.c - many short works within a call, which its threads take one after the other.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "above/team.h"

#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "base/stack.h"

struct team {
    struct call *call;
    team_work *work;
    const void *arg;
    size_t end;
    atomic_size_t next;
    atomic_int status; /* the first error */
};

/* member_run - take works until none is left.  A thread with too little stack takes none; the calling thread has enough. */
static void member_run(void *arg, unsigned t)
{
    struct team *const team = arg;
    struct call call;
    enum gfmul_status status = GFMUL_OK;
    if (t > 0 && stack_left() < CALL_STACK_BYTES)
        return;
    call_begin(&call, team->call->ctx);
    call.threads = 1;
    call.part = true;
    call.alone = team->call->alone;
    call.reserved = team->call->reserved + team->call->allocated;
    call.moduli = team->call->moduli;
    call.n_moduli = team->call->n_moduli;
    while (status == GFMUL_OK && atomic_load(&team->status) == GFMUL_OK) {
        const size_t j = atomic_fetch_add(&team->next, 1);
        if (j >= team->end)
            break;
        status = team->work(&call, team->arg, j);
    }
    int none = GFMUL_OK;
    if (status != GFMUL_OK && atomic_compare_exchange_strong(&team->status, &none, (int)status))
        memcpy(team->call->why, call.why, sizeof call.why);
    call_end(&call, status);
}

enum gfmul_status team_run(struct call *call, unsigned threads, size_t begin, size_t end, team_work *work, const void *arg)
{
    struct team team = {.call = call, .work = work, .arg = arg, .end = end};
    atomic_init(&team.next, begin);
    atomic_init(&team.status, GFMUL_OK);
    parallel_run(threads, member_run, &team);
    return (enum gfmul_status)atomic_load(&team.status);
}
