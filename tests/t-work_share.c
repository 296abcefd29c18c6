/*
 * t-work_share.c - parts handed out to threads: each to one of them, and none is left.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/work_share.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/threads.h"
#include "test.h"

static const size_t numbers[] = {0, 1, 2, 3, 16, 17, 84, 256, 5000};
static const unsigned thread_numbers[] = {1, 2, 3, 7, 16, 64};
enum { NUMBERS = sizeof numbers / sizeof *numbers, THREAD_NUMBERS = sizeof thread_numbers / sizeof *thread_numbers };

static struct work_share *share_new(size_t parts, unsigned threads, size_t moves)
{
    struct work_share *w = test_alloc(sizeof *w);
    work_share_init(w, parts, threads, moves);
    return w;
}

/* Threads in any order, one part at a time: every part once; parts that follow each other, but for one jump for each move. */
static void test_any_order(void)
{
    for (size_t i = 0; i < NUMBERS; i++)
        for (unsigned k = 0; k < THREAD_NUMBERS; k++)
            for (unsigned round = 0; round < 12; round++) {
                const size_t parts = numbers[i], moves = round % 3 == 0 ? 0 : round % 3 == 1 ? thread_numbers[k] : parts + 1;
                const unsigned threads = thread_numbers[k], slow = (unsigned)test_below(threads);
                struct work_share *w = share_new(parts, threads, moves);
                unsigned char *seen = test_alloc(parts + 1);
                size_t after[64], segments = 0, taken = 0, part, behind;
                bool done[64] = {false};
                test_note("%zu parts, %u threads, %zu moves, %u is slow", parts, threads, moves, slow);
                memset(seen, 0, parts + 1);
                for (unsigned t = 0; t < threads; t++)
                    after[t] = SIZE_MAX;
                for (unsigned left = threads; left > 0;) {
                    const unsigned t = (unsigned)test_below(threads);
                    if (done[t] || (t == slow && left > 1 && test_below(8) > 0))
                        continue;
                    if (!work_next(w, t, &part, &behind)) {
                        done[t] = true;
                        left--;
                        continue;
                    }
                    if (!TEST_CHECK_MSG(part < parts && behind < parts, "part %zu, %zu behind", part, behind))
                        break;
                    TEST_CHECK_MSG(!seen[part], "part %zu twice", part);
                    seen[part] = 1;
                    segments += part != after[t];
                    after[t] = part + 1;
                    taken++;
                    if (moves == 0)
                        TEST_CHECK_MSG(part >= parts * t / threads && part + behind + 1 == parts * (t + 1) / threads,
                                       "part %zu of thread %u, %zu behind", part, t, behind);
                }
                TEST_CHECK_MSG(taken == parts, "%zu parts were taken", taken);
                TEST_CHECK_MSG(segments <= threads + moves, "%zu segments", segments);
                free(seen);
                free(w);
            }
}

/* Who is done takes half of what the slowest one has left. */
static void test_half(void)
{
    struct work_share *w = share_new(40, 4, 40); /* 0 .. 9, 10 .. 19, 20 .. 29, 30 .. 39 */
    size_t part, behind;
    for (unsigned t = 0; t < 4; t++)
        for (size_t k = 0; k < (t == 3 ? 10 : t == 1 ? 1 : 4); k++)
            TEST_CHECK(work_next(w, t, &part, &behind) && part == 10 * t + k && behind == 9 - k);
    TEST_CHECK(work_next(w, 3, &part, &behind) && part == 15 && behind == 4); /* of 11 .. 19, five */
    TEST_CHECK(work_next(w, 1, &part, &behind) && part == 11 && behind == 3);
    free(w);
}

/* All at once, as the stages do. */
static void test_threads(void)
{
    for (size_t i = 0; i < NUMBERS; i++)
        for (unsigned k = 0; k < THREAD_NUMBERS && thread_numbers[k] <= 16; k++) {
            const size_t parts = numbers[i];
            const unsigned threads = thread_numbers[k];
            struct work_share *w = share_new(parts, threads, test_u64() & 1 ? parts : threads);
            atomic_uchar *seen = test_alloc((parts + 1) * sizeof *seen);
            size_t wrong = 0;
            test_note("%zu parts, %u threads at once", parts, threads);
            for (size_t p = 0; p <= parts; p++)
                atomic_init(&seen[p], 0);
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(threads)
#endif
            for (unsigned t = 0; t < threads; t++)
                for (size_t part, behind; work_next(w, t, &part, &behind);)
                    atomic_fetch_add(&seen[part < parts ? part : parts], 1);
            for (size_t p = 0; p < parts; p++)
                wrong += seen[p] != 1;
            TEST_CHECK_MSG(wrong == 0 && seen[parts] == 0, "%zu parts were not taken once", wrong);
            free(seen);
            free(w);
        }
}

/* More threads than there are shares are not used. */
static void test_most(void)
{
#ifdef _OPENMP
    const int before = omp_get_max_threads();
    omp_set_num_threads(WORK_SHARES + 1);
    TEST_CHECK(threads_available(0) <= WORK_SHARES);
    omp_set_num_threads(before);
#endif
    TEST_CHECK(threads_available(WORK_SHARES + 1) <= WORK_SHARES);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_any_order);
    TEST_RUN(test_half);
    TEST_RUN(test_threads);
    TEST_RUN(test_most);
    return test_end();
}
