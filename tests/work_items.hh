/*
 * work_items.hh - the work-groups of an OpenCL kernel on the host: work-items are coroutines that wait at barriers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Included before kernels that C++ compiles as they are.  Who includes it says what __local means.  Groups and items have one
 * dimension; every number of a second one is 0.
 */
#ifndef WORK_ITEMS_HH
#define WORK_ITEMS_HH

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

typedef unsigned int uint;

static uint local_id, group_id, local_size, group_count;
static ucontext_t scheduler, *current;
static std::function<void()> barrier_met; /* called by each item, if it is set */

static inline uint get_local_id(int dimension)
{
    return dimension == 0 ? local_id : 0;
}
static inline uint get_group_id(int dimension)
{
    return dimension == 0 ? group_id : 0;
}
static inline uint get_local_size(int dimension)
{
    return dimension == 0 ? local_size : 1;
}
static inline uint get_global_id(int dimension)
{
    return dimension == 0 ? group_id * local_size + local_id : 0;
}
static inline uint get_global_size(int dimension)
{
    return dimension == 0 ? group_count * local_size : 1;
}
static inline void barrier(int)
{
    if (barrier_met)
        barrier_met();
    swapcontext(current, &scheduler);
}
enum { CLK_LOCAL_MEM_FENCE };

#define __kernel
#define __global
#define __constant

static std::function<void()> work;
static std::vector<char> finished;

static void item_run(void)
{
    work();
    finished[local_id] = 1;
}

/* kernel_run - all work-groups of a kernel, of up to 512 items, one after the other. */
static void kernel_run(uint groups, uint items, const std::function<void()> &kernel)
{
    enum { MOST_ITEMS = 512, STACK_BYTES = 1 << 19 };
    static std::vector<ucontext_t> contexts(MOST_ITEMS);
    static std::unique_ptr<char[]> stacks(new char[(size_t)MOST_ITEMS * STACK_BYTES]); /* touched as far as they are used */

    work = kernel;
    local_size = items;
    group_count = groups;
    for (group_id = 0; group_id < groups; group_id++) {
        finished.assign(items, 0);
        for (uint i = 0; i < items; i++) {
            getcontext(&contexts[i]);
            contexts[i].uc_stack.ss_sp = stacks.get() + (size_t)i * STACK_BYTES;
            contexts[i].uc_stack.ss_size = STACK_BYTES;
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
