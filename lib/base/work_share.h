/*
 * work_share.h - hand out the parts of a stage to the threads of a region.
 *
 * Each thread takes parts from the front of its own share.  When that is empty, it takes a whole share whose thread has not
 * begun, or else half of the largest other share.  So all parts are taken even if some threads never come.
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
    atomic_uint_least64_t left[WORK_SHARES]; /* parts first .. end - 1 of each thread's share: first + 2^32 end, and WORK_BEGUN */
};

#define WORK_BEGUN ((uint64_t)1 << 63) /* a thread takes parts of this share, and will until it is empty */

/* work_pack - pack the parts first .. end - 1 into a word. */
static inline uint64_t work_pack(uint64_t first, uint64_t end)
{
    return first | end << 32;
}

static inline uint64_t work_left_first(uint64_t left)
{
    return (uint32_t)left;
}

static inline uint64_t work_left_end(uint64_t left)
{
    return (left & ~WORK_BEGUN) >> 32;
}

/*
 * work_share_init - deal out the parts 0 .. parts - 1.
 *
 *   parts    in  below 2^31
 *   threads  in  1 .. WORK_SHARES
 *   moves    in  the number of times that a share may be divided
 */
static inline void work_share_init(struct work_share *w, size_t parts, unsigned threads, size_t moves)
{
    assert(parts >> 31 == 0 && threads <= WORK_SHARES);
    w->threads = threads;
    atomic_init(&w->moves, (long)moves);
    for (size_t t = 0, first = 0, end; t < threads; t++, first = end) {
        end = t + 1 == threads ? parts : parts * (t + 1) / threads;
        atomic_init(&w->left[t], work_pack(first, end));
    }
}

/* work_move - give thread t, whose share is empty, one that is not begun, or half of the largest other one.  false: none. */
static inline bool work_move(struct work_share *w, unsigned t)
{
    bool may_divide = false;
    for (;;) {
        unsigned from = t;
        uint64_t most = 0, seen = 0;
        for (unsigned i = 0; i < w->threads; i++) {
            const uint64_t left = atomic_load_explicit(&w->left[i], memory_order_relaxed);
            const uint64_t count = work_left_end(left) - work_left_first(left);
            const bool new = count > 0 && (left & WORK_BEGUN) == 0, new_seen = most > 0 && (seen & WORK_BEGUN) == 0;
            if (new != new_seen ? new : count > most) {
                most = count;
                seen = left;
                from = i;
            }
        }
        if (most == 0)
            return false;
        const bool divide = (seen & WORK_BEGUN) != 0;
        if (divide && !may_divide && atomic_fetch_sub_explicit(&w->moves, 1, memory_order_relaxed) <= 0)
            return false; /* those who have begun the rest finish it */
        may_divide = may_divide || divide;
        const uint64_t end = work_left_end(seen), first = divide ? end - (most + 1) / 2 : work_left_first(seen);
        const uint64_t rest = divide ? work_pack(work_left_first(seen), first) | WORK_BEGUN : work_pack(end, end);
        if (atomic_compare_exchange_strong_explicit(&w->left[from], &seen, rest, memory_order_relaxed, memory_order_relaxed)) {
            /* no other thread writes to an empty share */
            atomic_store_explicit(&w->left[t], work_pack(first, end) | WORK_BEGUN, memory_order_relaxed);
            return true;
        }
    }
}

/* work_next_shared - work_next if the region has several threads. */
static inline bool work_next_shared(struct work_share *w, unsigned t, size_t *part, size_t *behind)
{
    do {
        uint64_t left = atomic_load_explicit(&w->left[t], memory_order_relaxed);
        while (work_left_first(left) < work_left_end(left)) {
            if (atomic_compare_exchange_weak_explicit(&w->left[t], &left, (left + 1) | WORK_BEGUN, memory_order_relaxed,
                                                      memory_order_relaxed)) {
                *part = work_left_first(left);
                *behind = work_left_end(left) - work_left_first(left) - 1;
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
