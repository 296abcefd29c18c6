/*
 * work_share.h - hand out the parts of a stage to the threads of a region.
 *
 * Each thread takes parts from the front of its own share.  When that is empty, it takes half of the largest other share.
 *
 * Equal shares do not take equal time: other processes run, a processor slows down, parts do not divide by the threads.
 * Neighbouring parts stay with one thread, so that it can prefetch for the next one.
 */
#ifndef GFMUL_WORK_SHARE_H
#define GFMUL_WORK_SHARE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORK_SHARES = 1024 };

struct work_share {
    unsigned threads;
    atomic_long moves;                       /* so many more times a share may be divided; then each thread finishes its own */
    atomic_uint_least64_t left[WORK_SHARES]; /* parts first .. end - 1 of each thread's share: first + 2^32 end */
};

/* work_pack - pack the parts first .. end - 1 into a word. */
static inline uint64_t work_pack(uint64_t first, uint64_t end)
{
    return first | end << 32;
}

/*
 * work_share_init - deal out the parts 0 .. parts - 1.
 *
 *   parts    in  below 2^32
 *   threads  in  1 .. WORK_SHARES
 *   moves    in  the number of times that a share may be divided
 */
static inline void work_share_init(struct work_share *w, size_t parts, unsigned threads, size_t moves)
{
    assert(parts >> 32 == 0 && threads <= WORK_SHARES);
    w->threads = threads;
    atomic_init(&w->moves, (long)moves);
    for (size_t t = 0, first = 0, end; t < threads; t++, first = end) {
        end = t + 1 == threads ? parts : parts * (t + 1) / threads;
        atomic_init(&w->left[t], work_pack(first, end));
    }
}

/* work_move - give half of the largest other share to thread t, whose own is empty.  false: there is none. */
static inline bool work_move(struct work_share *w, unsigned t)
{
    if (atomic_fetch_sub_explicit(&w->moves, 1, memory_order_relaxed) <= 0)
        return false;
    for (;;) {
        unsigned from = t;
        uint64_t most = 0, seen = 0;
        for (unsigned i = 0; i < w->threads; i++) {
            const uint64_t left = atomic_load_explicit(&w->left[i], memory_order_relaxed);
            const uint64_t count = (left >> 32) - (uint32_t)left;
            if (count > most) {
                most = count;
                seen = left;
                from = i;
            }
        }
        if (most == 0)
            return false;
        const uint64_t end = seen >> 32, first = end - (most + 1) / 2;
        if (atomic_compare_exchange_strong_explicit(&w->left[from], &seen, work_pack((uint32_t)seen, first), memory_order_relaxed,
                                                    memory_order_relaxed)) {
            /* no other thread writes to an empty share */
            atomic_store_explicit(&w->left[t], work_pack(first, end), memory_order_relaxed);
            return true;
        }
    }
}

/* work_next_shared - work_next if the region has several threads. */
static inline bool work_next_shared(struct work_share *w, unsigned t, size_t *part, size_t *behind)
{
    do {
        uint64_t left = atomic_load_explicit(&w->left[t], memory_order_relaxed);
        while ((uint32_t)left < left >> 32) {
            if (atomic_compare_exchange_weak_explicit(&w->left[t], &left, left + 1, memory_order_relaxed, memory_order_relaxed)) {
                *part = (uint32_t)left;
                *behind = (left >> 32) - (uint32_t)left - 1;
                return true;
            }
        }
    } while (work_move(w, t));
    return false;
}

/*
 * work_next - take the next part for thread t.
 *
 *   part    out  the part
 *   behind  out  how many parts follow in its share, unless other threads take them
 *
 * Value:   false if there is none.  Each part is given out once.
 * Threads: those of the region, each with its own t < w->threads.
 */
static inline bool work_next(struct work_share *w, unsigned t, size_t *part, size_t *behind)
{
    if (w->threads != 1)
        return work_next_shared(w, t, part, behind);
    const uint64_t left = atomic_load_explicit(&w->left[0], memory_order_relaxed); /* no exchange: it would slow short products */
    *part = (uint32_t)left;
    *behind = (left >> 32) - (uint32_t)left - 1;
    atomic_store_explicit(&w->left[0], left + 1, memory_order_relaxed);
    return (uint32_t)left < left >> 32;
}

#endif
