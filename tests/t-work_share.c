/*
 * t-work_share.c - parts handed out to threads: each to one of them, and none is left.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/work_share.h"

#include "base/parallel.h"
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

/*
 * Threads in any order, one part at a time: every part once; parts that follow each other, but for one jump for each share and
 * each move.  Some threads never come.
 */
static void test_any_order(void)
{
    for (size_t i = 0; i < NUMBERS; i++)
        for (unsigned k = 0; k < THREAD_NUMBERS; k++)
            for (unsigned round = 0; round < 12; round++) {
                const size_t parts = numbers[i], moves = round % 3 == 0 ? 0 : round % 3 == 1 ? thread_numbers[k] : parts + 1;
                const unsigned threads = thread_numbers[k], slow = (unsigned)test_below(threads);
                const unsigned absent = round % 4 == 3 ? (unsigned)test_below(threads) : 0; /* the last ones */
                struct work_share *w = share_new(parts, threads, moves);
                unsigned char *seen = test_alloc(parts + 1);
                size_t after[64], segments = 0, taken = 0, part, behind;
                bool done[64] = {false};
                test_note("%zu parts, %u threads but %u, %zu moves, %u is slow", parts, threads, absent, moves, slow);
                memset(seen, 0, parts + 1);
                for (unsigned t = 0; t < threads; t++)
                    after[t] = SIZE_MAX;
                for (unsigned left = threads - absent; left > 0;) {
                    const unsigned t = (unsigned)test_below(threads - absent);
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

/* A share that is not begun is taken whole; its thread comes late and takes half of what another has left. */
static void test_whole(void)
{
    struct work_share *w = share_new(20, 2, 1); /* 0 .. 9, 10 .. 19 */
    size_t part, behind;
    for (size_t k = 0; k < 10; k++)
        TEST_CHECK(work_next(w, 0, &part, &behind) && part == k);
    TEST_CHECK(work_next(w, 0, &part, &behind) && part == 10 && behind == 9);
    TEST_CHECK(work_next(w, 1, &part, &behind) && part == 15 && behind == 4); /* of 11 .. 19, five */
    TEST_CHECK(work_next(w, 0, &part, &behind) && part == 11 && behind == 3);
    for (size_t k = 16; k < 20; k++)
        TEST_CHECK(work_next(w, 1, &part, &behind) && part == k);
    TEST_CHECK(!work_next(w, 1, &part, &behind)); /* no more moves */
    free(w);
}

/* All at once, as the stages do. */
struct taking {
    struct work_share *share;
    size_t parts;
    atomic_uchar *seen;
};

static void parts_take(void *arg, unsigned t)
{
    const struct taking *const w = arg;
    for (size_t part, behind; work_next(w->share, t, &part, &behind);)
        atomic_fetch_add(&w->seen[part < w->parts ? part : w->parts], 1);
}

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
            parallel_run(threads, parts_take, &(struct taking){w, parts, seen});
            for (size_t p = 0; p < parts; p++)
                wrong += seen[p] != 1;
            TEST_CHECK_MSG(wrong == 0 && seen[parts] == 0, "%zu parts were not taken once", wrong);
            free(seen);
            free(w);
        }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_any_order);
    TEST_RUN(test_half);
    TEST_RUN(test_whole);
    TEST_RUN(test_threads);
    return test_end();
}
