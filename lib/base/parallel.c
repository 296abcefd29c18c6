/*
 * parallel.c - teams of threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A team has one word of state: the number of its region, how many threads the region may have (0: it is closed), and how many
 * members are inside.  A member enters by an exchange of that word, while the region is open.  The caller closes the region
 * when its own work has ended, and waits for those inside.
 *
 * Teams are never freed, and members run until the process ends: so a member that comes late finds its team, and the library
 * must not be unloaded (configure.ac, GFMUL_NODELETE).
 */
#include "base/parallel.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/rounding.h"
#include "base/processors.h"
#include "base/thread_quiet.h"
#include "base/work_share.h"

enum {
    SPIN_NS = 50000,   /* a member looks so long for the next region, and a caller for the end of its region, before they sleep */
    SPINS_A_LOOK = 32, /* between two looks at the clock */
    PIECES_MOST = INT_MAX, /* of a loop: what shares can count */
    LINE = 64
};

/* The state of a team. */
#define INSIDE  ((uint64_t)0xffff)       /* how many members are inside */
#define ASLEEP  ((uint64_t)1 << 16)      /* the caller sleeps until they have left */
#define OPEN    ((uint64_t)0x7fff << 17) /* how many threads the open region may have */
#define OPEN_AT 17
#define NUMBER  32 /* the rest: the region's number */

struct team;

struct member {
    _Alignas(LINE) struct team *team;
    unsigned t;
    uint32_t seen; /* the last region that it knows of */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool asleep;
};

struct team {
    _Alignas(LINE) atomic_uint_least64_t state;
    parallel_work *work; /* of the region; written while it is closed and nobody is inside */
    void *arg;
    atomic_int to_wake; /* members 1 .. to_wake may sleep and have to be woken */
    _Alignas(LINE) atomic_bool busy;
    unsigned members; /* threads that run; this and the rest are the caller's */
    pthread_mutex_t lock;
    pthread_cond_t left;
    struct team *next;
    struct member member[WORK_SHARES]; /* [0] is not used; those behind the ones in use are zero */
};

static _Atomic(struct team *) teams; /* all of them; only the first place changes */
static pthread_once_t forks_seen = PTHREAD_ONCE_INIT;
static _Thread_local bool inside;
static _Thread_local struct team *last; /* the caller's, if nobody else uses it */
static _Atomic(void (*)(unsigned t)) late_by;

static inline void pause_a_moment(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* in_child - a child process has only the thread that forked: the teams are there without members, and free. */
static void in_child(void)
{
    for (struct team *team = atomic_load(&teams); team; team = team->next) {
        team->members = 0;
        team->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        team->left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
        atomic_store(&team->state, atomic_load(&team->state) >> NUMBER << NUMBER);
        atomic_store(&team->to_wake, 0);
        atomic_store(&team->busy, false);
    }
}

static void forks_see(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/* ---- members ---- */

/* members_wake - wake those that sleep.  Everyone who has been woken helps, because each takes microseconds. */
static void members_wake(struct team *team)
{
    for (int t; (t = atomic_fetch_sub(&team->to_wake, 1)) > 0;) {
        struct member *m = &team->member[t];
        if (!atomic_load(&m->asleep))
            continue;
        pthread_mutex_lock(&m->lock);
        pthread_cond_signal(&m->wake);
        pthread_mutex_unlock(&m->lock);
    }
}

/* region_await - wait until the team has another region than the last one that the member has seen; returns the state. */
static uint64_t region_await(struct member *m, bool spins)
{
    struct team *const team = m->team;
    uint64_t state = atomic_load(&team->state);
    const uint64_t start = spins && state >> NUMBER == m->seen ? clock_ns() : 0;
    while (spins && state >> NUMBER == m->seen) {
        for (unsigned i = 0; i < SPINS_A_LOOK && state >> NUMBER == m->seen; i++) {
            pause_a_moment();
            state = atomic_load_explicit(&team->state, memory_order_acquire);
        }
        spins = clock_ns() - start < SPIN_NS;
    }
    if (state >> NUMBER != m->seen)
        return state;
    pthread_mutex_lock(&m->lock);
    atomic_store(&m->asleep, true); /* before the look at the state: who posts a region does both in the other order */
    while ((state = atomic_load(&team->state)) >> NUMBER == m->seen)
        pthread_cond_wait(&m->wake, &m->lock);
    atomic_store(&m->asleep, false);
    pthread_mutex_unlock(&m->lock);
    members_wake(team);
    return state;
}

/* region_enter - take part in a region, if it is still open. */
static bool region_enter(struct member *m, uint64_t state)
{
    while (state >> NUMBER == m->seen && (state & OPEN) >> OPEN_AT > m->t)
        if (atomic_compare_exchange_weak_explicit(&m->team->state, &state, state + 1, memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

static void region_leave(struct team *team)
{
    const uint64_t before = atomic_fetch_sub_explicit(&team->state, 1, memory_order_acq_rel);
    if ((before & INSIDE) == 1 && (before & ASLEEP) != 0) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&team->left);
        pthread_mutex_unlock(&team->lock);
    }
}

static void *member_run(void *arg)
{
    struct member *m = arg;
    const unsigned processors = processors_usable();
    bool entered = true; /* its thread was started for a region */
    inside = true;
    for (;;) {
        /* a thread that has no processor of its own, or no part in these regions, leaves it to others */
        const uint64_t state = region_await(m, entered && m->t < processors);
        m->seen = (uint32_t)(state >> NUMBER);
        void (*const wait)(unsigned t) = atomic_load_explicit(&late_by, memory_order_relaxed);
        if (wait)
            wait(m->t);
        entered = region_enter(m, state);
        if (entered) {
            ROUND_TO_NEAREST; /* whatever the mode of the thread was that started this one */
            m->team->work(m->team->arg, m->t);
            region_leave(m->team);
        }
    }
    return NULL;
}

/* member_start - start the thread of member t; false: there is none. */
static bool member_start(struct team *team, unsigned t)
{
    pthread_t thread;
    struct member *const m = &team->member[t];
    m->team = team;
    m->t = t;
    m->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    m->wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    atomic_store(&m->asleep, false);
    m->seen = (uint32_t)(atomic_load(&team->state) >> NUMBER);
    return thread_quiet(&thread, PARALLEL_STACK_BYTES, member_run, m) && pthread_detach(thread) == 0;
}

/* ---- callers ---- */

static bool team_try(struct team *team)
{
    return !atomic_load_explicit(&team->busy, memory_order_relaxed) &&
           !atomic_exchange_explicit(&team->busy, true, memory_order_acquire);
}

/*
 * team_take - a team that nobody uses; NULL: no memory.  A caller has its last one, because members have the processors and the
 * priority of the thread that started them.  Else callers look in the same order, so that few teams are used.
 */
static struct team *team_take(void)
{
    if (last && team_try(last))
        return last;
    struct team *team = atomic_load_explicit(&teams, memory_order_acquire);
    while (team && !team_try(team))
        team = team->next;
    if (team)
        return last = team;
    pthread_once(&forks_seen, forks_see);
    /* not by malloc, which may be the program's own: a team is there until the process ends, and most of it is never touched */
    void *memory = mmap(NULL, sizeof *team, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    team = memory;
    atomic_init(&team->state, 0);
    atomic_init(&team->to_wake, 0);
    atomic_init(&team->busy, true);
    team->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    team->left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    team->next = atomic_load(&teams);
    while (!atomic_compare_exchange_weak(&teams, &team->next, team))
        continue;
    return last = team;
}

/* region_open - let members take part in a region of so many threads. */
static void region_open(struct team *team, unsigned threads, parallel_work *work, void *arg)
{
    while (team->members + 1 < threads && member_start(team, team->members + 1))
        team->members++;
    const uint64_t number = (uint32_t)((atomic_load_explicit(&team->state, memory_order_relaxed) >> NUMBER) + 1);
    team->work = work;
    team->arg = arg;
    atomic_store(&team->state, number << NUMBER | (uint64_t)threads << OPEN_AT);
    atomic_store(&team->to_wake, (int)(threads - 1 < team->members ? threads - 1 : team->members));
    members_wake(team);
}

/* region_close - let no more members in, and wait for those inside. */
static void region_close(struct team *team, bool spins)
{
    uint64_t state = atomic_fetch_and_explicit(&team->state, ~OPEN, memory_order_acq_rel) & ~OPEN;
    const uint64_t start = spins && (state & INSIDE) != 0 ? clock_ns() : 0;
    while (spins && (state & INSIDE) != 0) {
        for (unsigned i = 0; i < SPINS_A_LOOK && (state & INSIDE) != 0; i++) {
            pause_a_moment();
            state = atomic_load_explicit(&team->state, memory_order_acquire);
        }
        spins = clock_ns() - start < SPIN_NS;
    }
    if ((state & INSIDE) == 0)
        return;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* members use what the caller has on its stack */
    pthread_mutex_lock(&team->lock);
    atomic_fetch_or(&team->state, ASLEEP);
    while ((atomic_load_explicit(&team->state, memory_order_acquire) & INSIDE) != 0)
        pthread_cond_wait(&team->left, &team->lock);
    pthread_mutex_unlock(&team->lock);
    pthread_setcancelstate(cancel, NULL);
}

void parallel_run(unsigned threads, parallel_work *work, void *arg)
{
    ROUND_TO_NEAREST;
    struct team *team = NULL;
    if (threads > WORK_SHARES)
        threads = WORK_SHARES;
    if (threads <= 1 || inside || (team = team_take()) == NULL) {
        work(arg, 0);
        return;
    }
    region_open(team, threads, work, arg);
    inside = true;
    work(arg, 0);
    inside = false;
    region_close(team, threads <= processors_usable());
    atomic_store_explicit(&team->busy, false, memory_order_release);
}

bool parallel_inside(void)
{
    return inside;
}

void parallel_late_by(void (*wait)(unsigned t))
{
    atomic_store(&late_by, wait);
}

/* ---- loops ---- */

struct loop {
    size_t count, grain;
    parallel_range *range;
    void *arg;
    struct work_share share;
};

static void loop_work(void *arg, unsigned t)
{
    struct loop *const l = arg;
    for (size_t piece, behind; work_next(&l->share, t, &piece, &behind);) {
        const size_t first = piece * l->grain;
        l->range(l->arg, t, first, l->count - first < l->grain ? l->count : first + l->grain);
    }
}

void parallel_for(unsigned threads, size_t count, size_t grain, parallel_range *range, void *arg)
{
    while (count > 0 && (count - 1) / grain >= PIECES_MOST)
        grain *= 2;
    const size_t pieces = count == 0 ? 0 : (count - 1) / grain + 1;
    if (threads > pieces)
        threads = (unsigned)pieces;
    if (threads <= 1 || inside) {
        ROUND_TO_NEAREST;
        if (count > 0)
            range(arg, 0, 0, count);
        return;
    }
    struct loop l;
    l.count = count;
    l.grain = grain;
    l.range = range;
    l.arg = arg;
    work_share_init(&l.share, pieces, threads, pieces);
    parallel_run(threads, loop_work, &l);
}
