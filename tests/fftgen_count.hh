/*
 * fftgen_count.hh - OpenCL C for one work-item at a time on the host, with numbers that count what is done to them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Included before the kernels of a generated transform (t-fftgen_counts.sh has put vectors "(double2)(a, b)" as calls).  A
 * work-group's work-items are coroutines that wait for each other at barriers.
 */
#ifndef FFTGEN_COUNT_HH
#define FFTGEN_COUNT_HH

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

typedef unsigned int uint;

static uint64_t additions, products;

/* A number that counts; a change of sign is free. */
struct counted {
    double v;
    counted() : v(0) {}
    counted(double value) : v(value) {}
};
static inline counted operator+(counted a, counted b)
{
    additions++;
    return a.v + b.v;
}
static inline counted operator-(counted a, counted b)
{
    additions++;
    return a.v - b.v;
}
static inline counted operator*(counted a, counted b)
{
    products++;
    return a.v * b.v;
}
static inline counted operator-(counted a)
{
    return -a.v;
}

struct pair_of {
    counted x, y;
};
static inline pair_of pair_make(counted a, counted b)
{
    return pair_of{a, b};
}

/* --- work-items ---------------------------------------------------------------------------------------------------------- */

static uint local_id, group_id;
static ucontext_t scheduler, *current;

static inline uint get_local_id(int)
{
    return local_id;
}
static inline uint get_group_id(int)
{
    return group_id;
}
static inline void barrier(int)
{
    swapcontext(current, &scheduler);
}
static inline uint popcount(uint v)
{
    return (uint)__builtin_popcount(v);
}
enum { CLK_LOCAL_MEM_FENCE };

#define double  counted
#define double2 pair_of
#define __kernel
#define __global
#define __constant
#define __local static
#define restrict
#define reqd_work_group_size(a, b, c) unused

static std::function<void()> work;
static std::vector<char> finished;

static void item_run(void)
{
    work();
    finished[local_id] = 1;
}

/* kernel_run - all work-groups of a kernel, one after the other. */
static void kernel_run(uint groups, uint items, const std::function<void()> &kernel)
{
    static std::vector<ucontext_t> contexts(512);
    static std::vector<std::vector<char>> stacks(512, std::vector<char>(1 << 17));

    work = kernel;
    for (group_id = 0; group_id < groups; group_id++) {
        finished.assign(items, 0);
        for (uint i = 0; i < items; i++) {
            getcontext(&contexts[i]);
            contexts[i].uc_stack.ss_sp = stacks[i].data();
            contexts[i].uc_stack.ss_size = stacks[i].size();
            contexts[i].uc_link = &scheduler;
            makecontext(&contexts[i], item_run, 0);
        }
        for (uint left = items; left > 0;)
            for (uint i = 0; i < items; i++) {
                if (finished[i])
                    continue;
                local_id = i;
                current = &contexts[i];
                swapcontext(&scheduler, current);
                left -= finished[i];
            }
    }
}

#endif
