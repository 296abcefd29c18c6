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
    size_t end, reserved; /* reserved: bytes that a member must not allocate */
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
    call.reserved = team->reserved;
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

/* reserved_for - what so many members leave alone: what the call holds and, under a limit, the others' parts of what is left. */
static size_t reserved_for(const struct call *call, unsigned threads)
{
    const size_t held = call->reserved + call->allocated, limit = call->ctx->opt.memory_limit;
    return held < limit ? held + (limit - held) / threads * (threads - 1) : held;
}

static enum gfmul_status members_run(struct call *call, unsigned threads, size_t begin, size_t end, team_work *work,
                                     const void *arg)
{
    struct team team = {.call = call, .work = work, .arg = arg, .end = end, .reserved = reserved_for(call, threads)};
    atomic_init(&team.next, begin);
    atomic_init(&team.status, GFMUL_OK);
    parallel_run(threads, member_run, &team);
    return (enum gfmul_status)atomic_load(&team.status);
}

enum gfmul_status team_run(struct call *call, unsigned threads, size_t begin, size_t end, team_work *work, const void *arg)
{
    const enum gfmul_status status = members_run(call, threads, begin, end, work, arg);
    if (status != GFMUL_ERR_MEMORY || threads == 1 || call->ctx->opt.memory_limit == 0)
        return status;
    return members_run(call, 1, begin, end, work, arg);
}
