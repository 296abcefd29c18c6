/*
 * t-copy_team.c - copies by several threads: right, in any order, and held up by no thread but one that holds a part.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/copy_team.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "test.h"

enum { BYTES_MOST = 9 * COPY_PART_BYTES + 1000, COPIES = 40, PATIENCE_S = 60 };

static struct copy_team team;
static unsigned char *source[COPIES_MOST], *target[COPIES_MOST];

static void bytes_draw(unsigned char *p, size_t n)
{
    uint64_t x = test_u64();
    for (size_t i = 0; i < n; i++, x = x * 6364136223846793005u + 1)
        p[i] = (unsigned char)(x >> 56);
}

static void buffers_make(void)
{
    for (unsigned i = 0; i < COPIES_MOST; i++) {
        source[i] = test_alloc(BYTES_MOST + 1);
        target[i] = test_alloc(BYTES_MOST + 1);
    }
}

static void buffers_free(void)
{
    for (unsigned i = 0; i < COPIES_MOST; i++) {
        free(source[i]);
        free(target[i]);
    }
}

/* copies - some copies, up to four of them under way, by so many threads. */
static void copies(void *threads)
{
    size_t bytes[COPIES_MOST] = {0};
    uint64_t number[COPIES_MOST] = {0};
    for (unsigned k = 0, waited = 0; waited < COPIES;) {
        const unsigned i = k % COPIES_MOST, w = waited % COPIES_MOST;
        if (k < COPIES && k < waited + COPIES_MOST && (k == waited || test_below(3) > 0)) {
            bytes[i] = test_below(4) ? test_size(1, BYTES_MOST) : test_below(3) * COPY_PART_BYTES;
            bytes_draw(source[i], bytes[i]);
            memset(target[i], 0, bytes[i]);
            target[i][bytes[i]] = 0x5a;
            number[i] = copy_begin(&team, target[i], source[i], bytes[i]);
            k++;
        } else {
            copy_wait(&team, number[w]);
            TEST_CHECK_MSG(copy_over(&team, number[w]) && memcmp(target[w], source[w], bytes[w]) == 0 &&
                               target[w][bytes[w]] == 0x5a,
                           "%u threads, copy %u of %zu bytes", *(unsigned *)threads, waited, bytes[w]);
            waited++;
        }
    }
}

static void nothing(void *run)
{
    ++*(unsigned *)run;
}

/* Copies of any length, by one thread or by many; nothing is written behind their ends. */
static void test_copies(void)
{
    static unsigned threads[] = {1, 2, 5, 0, 20, 3};
    unsigned runs = 0;
    buffers_make();
    TEST_CHECK(copy_team_begin(&team));
    copies(&threads[3]); /* by the caller alone */
    for (unsigned round = 0; round < sizeof threads / sizeof *threads; round++)
        if (threads[round] > 0)
            copy_team_run(&team, threads[round], copies, &threads[round]);
    for (unsigned i = 0; i < 100; i++) /* helpers that have hardly begun, or not at all, leave */
        copy_team_run(&team, 1 + i % 4, nothing, &runs);
    TEST_CHECK(runs == 100);
    copy_team_end(&team);
    buffers_free();
}

static pthread_t caller;
static sem_t held, go;
static atomic_bool hold;

/* held_copy - memcpy; one helper is held up within it. */
static void *held_copy(void *to, const void *from, size_t bytes)
{
    if (!pthread_equal(pthread_self(), caller) && atomic_exchange(&hold, false)) {
        sem_post(&held);
        sem_wait(&go);
    }
    return memcpy(to, from, bytes);
}

static bool came(sem_t *sem)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_S;
    return sem_timedwait(sem, &end) == 0;
}

static void *wait_for_others(void *arg)
{
    for (unsigned i = 1; i < COPIES_MOST; i++)
        copy_wait(&team, ((uint64_t *)arg)[i]);
    sem_post(&held);
    return NULL;
}

/* late_run - copies of which a helper holds a part of the first one. */
static void late_run(void *threads)
{
    uint64_t number[COPIES_MOST];
    pthread_t waiter;
    for (unsigned i = 0; i < COPIES_MOST; i++) {
        bytes_draw(source[i], BYTES_MOST);
        memset(target[i], 0, BYTES_MOST);
        number[i] = copy_begin(&team, target[i], source[i], BYTES_MOST);
        if (i == 0 && !TEST_CHECK_MSG(came(&held), "no helper came"))
            exit(1);
    }
    /* another thread waits in the caller's place, so that the test can tell if it waits for ever */
    TEST_CHECK(pthread_create(&waiter, NULL, wait_for_others, number) == 0);
    if (!TEST_CHECK_MSG(came(&held), "%u threads: copies wait for a thread that has no part of them", *(unsigned *)threads))
        exit(1);
    pthread_join(waiter, NULL);
    TEST_CHECK(!copy_over(&team, number[0]));
    for (unsigned i = 1; i < COPIES_MOST; i++)
        TEST_CHECK(copy_over(&team, number[i]) && memcmp(target[i], source[i], BYTES_MOST) == 0);
    sem_post(&go);
    copy_wait(&team, number[0]);
    TEST_CHECK(memcmp(target[0], source[0], BYTES_MOST) == 0);
}

/* A helper that is late with a part of the first copy: the others behind it are complete meanwhile, that one alone is not. */
static void test_late(void)
{
    unsigned runs = 0;
    buffers_make();
    sem_init(&held, 0, 0);
    sem_init(&go, 0, 0);
    caller = pthread_self();
    for (unsigned threads = 2; threads <= 4; threads++) {
        TEST_CHECK(copy_team_begin(&team));
        team.by = held_copy;
        atomic_store(&hold, true);
        copy_team_run(&team, threads, nothing, &runs);
        copy_team_run(&team, threads, late_run, &threads);
        copy_team_end(&team);
    }
    sem_destroy(&held);
    sem_destroy(&go);
    buffers_free();
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_copies);
    TEST_RUN(test_late);
    return test_end();
}
