/*
 * t-idle.c - when memory that calls leave behind goes back: after two quiet waits, or nine in which the process computes.
 *
 * The thread of base/idle.c waits here for the test, so that each of its turns is one that the test has asked for.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/idle.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "base/clock.h"
#include "test.h"

enum { QUIET_TURNS = 2, BUSY_TURNS = 9, PATIENCE_S = 60 };

static sem_t asleep, go;
static atomic_bool computes;

static bool wait_for_test(void)
{
    sem_post(&asleep);
    sem_wait(&go);
    return atomic_load(&computes);
}

static bool came(sem_t *sem)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_S;
    return sem_timedwait(sem, &end) == 0;
}

/* turn - one wait of the thread, and what it does behind it. */
static void turn(bool busy)
{
    atomic_store(&computes, busy);
    sem_post(&go);
    if (!TEST_CHECK_MSG(came(&asleep), "the thread does not wait again"))
        exit(1);
}

/* What keeps memory here. */
struct keeper {
    struct idle idle; /* first */
    unsigned trims, lent;
    bool in_use, lends;
};

static enum idle_left give(struct idle *idle, bool wholly)
{
    struct keeper *k = (struct keeper *)idle;
    if (k->in_use)
        return IDLE_IN_USE;
    k->trims += wholly || !k->lends;
    k->lent += !wholly && k->lends;
    return !wholly && k->lends ? IDLE_LENT : IDLE_GONE;
}

/* One that is always in use: with it the thread stays. */
static struct keeper anchor = {.idle = {.give = give}, .in_use = true};

/* turns_until - turns of the thread until a keeper has been trimmed, beginning with `busy` turns of a process that computes. */
static unsigned turns_until(struct keeper *k, unsigned busy)
{
    unsigned n = 0;
    while (k->trims == 0 && n < 3 * BUSY_TURNS) {
        turn(n < busy);
        n++;
    }
    return n;
}

/* A process that waits gives memory back at the second turn; one that computes at the ninth, or when it stops. */
static void test_turns(void)
{
    for (unsigned busy = 0; busy <= BUSY_TURNS + 2; busy++) {
        struct keeper k = {.idle = {.give = give}};
        idle_note(&k.idle);
        const unsigned want = busy < QUIET_TURNS ? QUIET_TURNS : busy < BUSY_TURNS ? busy + 1 : BUSY_TURNS;
        const unsigned n = turns_until(&k, busy);
        TEST_CHECK_MSG(k.trims == 1 && n == want, "%u busy turns: %u times trimmed, after %u turns", busy, k.trims, n);
        TEST_CHECK(!atomic_load(&k.idle.listed));
        turn(false);
        TEST_CHECK(k.trims == 1); /* no more on the list */
        idle_forget(&k.idle);
    }
}

/* Each call begins anew: busy turns before it do not count. */
static void test_calls(void)
{
    for (unsigned before = 0; before + 1 < BUSY_TURNS; before++) {
        struct keeper k = {.idle = {.give = give}};
        idle_note(&k.idle);
        for (unsigned i = 0; i <= before; i++)
            turn(true);
        TEST_CHECK_MSG(k.trims == 0, "trimmed within %u busy turns", before + 1);
        idle_note(&k.idle);
        TEST_CHECK_MSG(turns_until(&k, 2 * BUSY_TURNS) == BUSY_TURNS, "behind %u busy turns", before + 1);
        idle_forget(&k.idle);
    }
}

/* Each keeper has turns of its own; one that is in use is asked again. */
static void test_several(void)
{
    struct keeper first = {.idle = {.give = give}}, second = {.idle = {.give = give}};
    idle_note(&first.idle);
    for (unsigned i = 0; i < 4; i++)
        turn(true);
    second.in_use = true;
    idle_note(&second.idle);
    for (unsigned i = 4; i < BUSY_TURNS; i++) {
        TEST_CHECK(first.trims == 0);
        turn(true);
    }
    TEST_CHECK(first.trims == 1 && second.trims == 0);
    for (unsigned i = 0; i < BUSY_TURNS; i++)
        turn(true);
    TEST_CHECK(second.trims == 0 && atomic_load(&second.idle.listed));
    second.in_use = false;
    turn(false);
    TEST_CHECK(second.trims == 1);
    idle_forget(&first.idle);
    idle_forget(&second.idle);
}

/* What is lent stays on the list: it goes on request, and is lent again after another call. */
static void test_lent(void)
{
    struct keeper k = {.idle = {.give = give}, .lends = true}, shared = {.idle = {.give = give, .shared = true}, .lends = true};
    for (unsigned round = 1; round <= 2; round++) {
        idle_note(&k.idle);
        idle_note(&shared.idle);
        for (unsigned i = 0; i < 2 * QUIET_TURNS; i++)
            turn(false);
        TEST_CHECK(k.lent == round && shared.lent == round && k.trims == 0 && shared.trims == 0);
        TEST_CHECK(!atomic_load(&k.idle.listed) && k.idle.linked);
    }
    idle_trim_shared();
    TEST_CHECK(k.trims == 0 && shared.trims == 1 && !shared.idle.linked);
    k.in_use = true;
    idle_trim_all();
    TEST_CHECK(k.trims == 0 && k.idle.linked && !atomic_load(&k.idle.listed));
    k.in_use = false;
    idle_trim_all();
    TEST_CHECK(k.trims == 1 && shared.trims == 1 && !k.idle.linked);
    idle_note(&k.idle); /* before the thread comes to it */
    idle_trim_all();
    TEST_CHECK(k.trims == 2 && !atomic_load(&k.idle.listed));
    idle_note(&shared.idle);
    idle_forget(&shared.idle);
    idle_trim_all();
    TEST_CHECK(shared.trims == 1);
}

static atomic_bool spins;

static void *spin(void *arg)
{
    while (atomic_load(&spins))
        continue;
    return arg;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * The usual wait: half a second, and whether the process has computed for half of it.  A busy machine may not let it: then it is
 * asked again, and an answer counts if the process clearly had a processor.
 */
static void test_usual(void)
{
    pthread_t thread[2];
    const uint64_t start = clock_ns();
    bool busy = false;
    double most = 0;
    TEST_CHECK(!idle_wait_usual());
    TEST_CHECK_MSG(clock_ns() - start >= 450000000, "%" PRIu64 " ns", clock_ns() - start);
    atomic_store(&spins, true);
    for (unsigned i = 0; i < 2; i++)
        TEST_CHECK(pthread_create(&thread[i], NULL, spin, NULL) == 0);
    for (unsigned i = 0; i < 20 && !busy; i++) {
        const double computed = cpu_seconds(), from = (double)clock_ns();
        busy = idle_wait_usual();
        const double share = (cpu_seconds() - computed) / (1e-9 * ((double)clock_ns() - from));
        most = share > most ? share : most;
    }
    atomic_store(&spins, false);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    TEST_CHECK_MSG(busy || most < 0.6, "a process that computes seems not to: it had %.2f processors", most);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    sem_init(&asleep, 0, 0);
    sem_init(&go, 0, 0);
    idle_wait_by(wait_for_test);
    idle_note(&anchor.idle);
    TEST_CHECK(came(&asleep));
    TEST_RUN(test_turns);
    TEST_RUN(test_calls);
    TEST_RUN(test_several);
    TEST_RUN(test_lent);
    TEST_RUN(test_usual);
    return test_end();
}
