/*
 * grid.c - add the products of cells.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/grid.h"

#include <string.h>

#include "base/parallel.h"
#include "limbs/limb_range.h"

enum { PARTS_MOST = 64, PART_LIMBS = 1 << 14 }; /* a part: some 5 us */

void grid_cut(struct grid_cells *cells, const struct number *a, const struct number *b)
{
    *(grid_cell_limbs(a, cells->a) >= grid_cell_limbs(b, cells->b) ? &cells->a : &cells->b) *= 2;
}

/* parts_of - in how many parts the threads share n limbs. */
static size_t parts_of(const struct call *call, size_t n)
{
    const size_t most = call->threads < PARTS_MOST ? call->threads : PARTS_MOST, parts = n / PART_LIMBS;
    return parts < 1 ? 1 : parts < most ? parts : most;
}

/* part_end - where part i ends. */
static size_t part_end(size_t n, size_t parts, size_t i)
{
    return i + 1 == parts ? n : n / parts * (i + 1);
}

/* sum_carry - add a carry at limb `at`; what leaves the limbs that have a value becomes the next one. */
static void sum_carry(struct grid_sum *sum, size_t at, mp_limb_t carry)
{
    if (carry && at < sum->top)
        carry = mpn_add_1(sum->z->limbs + at, sum->z->limbs + at, (mp_size_t)(sum->top - at), carry);
    if (carry && sum->top < sum->z->n)
        sum->z->limbs[sum->top++] = carry;
}

/* Limbs that threads set to zero or add to others, in parts. */
struct grid_work {
    mp_limb_t *to;
    const mp_limb_t *x;
    size_t n, added, parts;
    mp_limb_t carry[PARTS_MOST];
};

static void parts_clear(void *arg, unsigned t, size_t first, size_t end)
{
    const struct grid_work *const w = arg;
    const size_t from = first > 0 ? part_end(w->n, w->parts, first - 1) : 0;
    (void)t;
    memset(w->to + from, 0, (part_end(w->n, w->parts, end - 1) - from) * sizeof *w->to);
}

static void parts_add(void *arg, unsigned t, size_t first, size_t behind)
{
    struct grid_work *const w = arg;
    (void)t;
    for (size_t i = first; i < behind; i++) {
        const size_t from = i > 0 ? part_end(w->n, w->parts, i - 1) : 0, end = part_end(w->n, w->parts, i);
        const size_t middle = w->added < from ? from : w->added < end ? w->added : end;
        w->carry[i] = middle > from ? mpn_add_n(w->to + from, w->to + from, w->x + from, (mp_size_t)(middle - from)) : 0;
        memcpy(w->to + middle, w->x + middle, (end - middle) * sizeof *w->to);
    }
}

void grid_extend(struct call *call, struct grid_sum *sum, size_t end)
{
    const size_t n = end > sum->top ? end - sum->top : 0, parts = parts_of(call, n);
    if (n == 0)
        return;
    struct grid_work w = {.to = sum->z->limbs + sum->top, .n = n, .parts = parts};
    parallel_for((unsigned)parts, parts, 1, parts_clear, &w);
    sum->top = end;
}

void grid_add(struct call *call, struct grid_sum *sum, const mp_limb_t *x, size_t n, size_t at)
{
    const enum phase phase = phase_enter(&call->clock, PHASE_CARRY);
    const size_t len = n < sum->z->n - at ? n : sum->z->n - at, parts = parts_of(call, len);
    grid_extend(call, sum, at);
    const size_t added = sum->top - at < len ? sum->top - at : len; /* the limbs behind these are copied */
    struct grid_work w = {.to = sum->z->limbs + at, .x = x, .n = len, .added = added, .parts = parts};
    parallel_for((unsigned)parts, parts, 1, parts_add, &w);
    sum->top = sum->top > at + len ? sum->top : at + len;
    for (size_t i = 0; i < parts; i++) { /* a carry seldom goes far */
        const size_t end = part_end(len, parts, i);
        sum_carry(sum, at + (end < added ? end : added), w.carry[i]);
    }
    phase_enter(&call->clock, phase);
}
