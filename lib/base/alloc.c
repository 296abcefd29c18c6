/*
 * alloc.c - aligned memory; tests can make allocations fail.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise */
#endif
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "base/cgroup.h"

#define HUGE_BYTES ((size_t)2 << 20)
#define LINE_BYTES ((size_t)64)
#define PAGE_LEAST 4096
#define PAGE_BYTES ((size_t)64 << 10) /* no system has larger pages */

/* Rounding up to whole pages would hide an overrun from the address sanitizer. */
#if defined(__SANITIZE_ADDRESS__)
#define WHOLE_PAGES false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WHOLE_PAGES false
#endif
#endif
#ifndef WHOLE_PAGES
#define WHOLE_PAGES true
#endif

/* How many allocations still succeed before a test's failure; negative: none will fail. */
static atomic_long remaining = -1;

static bool failure_is_due(void)
{
    long left = atomic_load_explicit(&remaining, memory_order_relaxed);
    while (left > 0) {
        if (atomic_compare_exchange_weak(&remaining, &left, left - 1))
            return false;
    }
    return left == 0;
}

size_t alloc_block_bytes(size_t bytes)
{
    const bool whole = WHOLE_PAGES && bytes % HUGE_BYTES > HUGE_BYTES / 4 && bytes <= SIZE_MAX - HUGE_BYTES;
    return whole ? (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES : bytes;
}

void *alloc_aligned(size_t bytes)
{
    void *p = NULL;
    if (failure_is_due())
        return NULL;
    bytes = alloc_block_bytes(bytes);
    size_t align = bytes >= HUGE_BYTES ? HUGE_BYTES : LINE_BYTES;
    if (posix_memalign(&p, align, bytes ? bytes : 1) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= HUGE_BYTES)
        (void)madvise(p, bytes / HUGE_BYTES * HUGE_BYTES, MADV_HUGEPAGE); /* advice only: its failure changes nothing */
#endif
    return p;
}

void *alloc_zeroed(size_t bytes)
{
    void *p = alloc_aligned(bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

void alloc_free(void *p)
{
    free(p);
}

void alloc_forget(void *p, size_t bytes)
{
#ifdef MADV_DONTNEED
    bytes = alloc_block_bytes(bytes);
    if (p && bytes >= HUGE_BYTES)
        (void)madvise(p, bytes / PAGE_BYTES * PAGE_BYTES, MADV_DONTNEED);
#else
    (void)p, (void)bytes;
#endif
}

static atomic_bool lend_refused;

void alloc_lend_refuse(bool refuse)
{
    atomic_store(&lend_refused, refuse);
}

bool alloc_lend(void *p, size_t bytes)
{
#ifdef MADV_FREE
    if (atomic_load_explicit(&lend_refused, memory_order_relaxed))
        return false;
    const uintptr_t end = ((uintptr_t)p + alloc_block_bytes(bytes)) / PAGE_BYTES * PAGE_BYTES;
    const uintptr_t begin = ((uintptr_t)p + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    return begin >= end || madvise((void *)begin, end - begin, MADV_FREE) == 0;
#else
    (void)p, (void)bytes;
    return false;
#endif
}

#ifdef __linux__
/* pages_missing - find out which pages from `at` to `end` - 1 are mapped; false: all are, or the system does not say. */
static bool pages_missing(uintptr_t at, uintptr_t end, size_t page, unsigned char *there)
{
    return mincore((void *)at, end - at, there) == 0 && memchr(there, 0, (end - at + page - 1) / page) != NULL;
}

/* touch - memory_touch for the bytes `at` to `end` - 1, at most HUGE_BYTES, in pages of that size or less. */
static void touch(uintptr_t at, uintptr_t end, size_t page)
{
    unsigned char there[HUGE_BYTES / PAGE_LEAST + 1];
    const uintptr_t first = at / page * page;
    for (unsigned turn = 0; turn < 2; turn++) { /* first touch one page only, because that may map a whole huge page */
        memset(there, 1, sizeof there);
        if (!pages_missing(first, end, page, there))
            return;
        for (uintptr_t p = first, i = 0; p < end; p += page, i++) {
            if (there[i] & 1)
                continue;
            volatile unsigned char *byte = (volatile unsigned char *)(p > at ? p : at);
            *byte = *byte;
            if (turn == 0)
                break;
        }
    }
}
#endif

bool alloc_was_taken(void *p, size_t bytes)
{
#ifdef __linux__
    enum { SAMPLES = 16 };
    const long page = sysconf(_SC_PAGESIZE);
    unsigned missing = 0;
    if (page < PAGE_LEAST || bytes < HUGE_BYTES)
        return false;
    for (size_t i = 0; i < SAMPLES; i++) {
        const uintptr_t at = ((uintptr_t)p + bytes / SAMPLES * i) / (size_t)page * (size_t)page;
        unsigned char there = 1;
        missing += mincore((void *)at, 1, &there) == 0 && !(there & 1);
    }
    return missing > SAMPLES / 2;
#else
    (void)p, (void)bytes;
    return false;
#endif
}

void memory_touch(void *p, size_t bytes)
{
#ifdef __linux__
    const long page = sysconf(_SC_PAGESIZE);
    if (page < PAGE_LEAST)
        return;
    for (uintptr_t at = (uintptr_t)p, end = at + bytes, next; at < end; at = next) {
        next = at / HUGE_BYTES * HUGE_BYTES + HUGE_BYTES;
        touch(at, next < end ? next : end, (size_t)page);
    }
#else
    (void)p, (void)bytes;
#endif
}

/* What memory_usable has found: every product asks, and the system call takes longer than a short product. */
static _Atomic size_t usable;

void memory_usable_set(size_t bytes)
{
    atomic_store_explicit(&usable, bytes, memory_order_relaxed);
}

size_t memory_usable(void)
{
    size_t bytes = atomic_load_explicit(&usable, memory_order_relaxed);
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    if (bytes != 0)
        return bytes;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0 && !size_mul(&bytes, (size_t)pages, (size_t)page))
        bytes = 0;
    const size_t group = cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup");
    if (bytes > group)
        bytes = group;
    memory_usable_set(bytes);
#endif
    return bytes;
}

void alloc_fail_after(long n)
{
    atomic_store(&remaining, n > 0 ? n - 1 : n);
}
