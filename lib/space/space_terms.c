/*
 * space_terms.c - the terms of sums, and the factors of the long ones.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "space/space_device.h"
#include "space/space_sum.h"

/* ---- sums ---- */

void sum_clear(struct sum *s)
{
    for (size_t i = 0; i < s->n; i++) {
        natural_put(s->term[i].a);
        natural_put(s->term[i].b);
    }
    natural_put(s->integer.x);
    alloc_free(s->term);
    *s = (struct sum){.n = 0};
}

enum gfmul_status sum_reserve(struct call *call, struct sum *s, size_t n)
{
    if (s->room - s->n >= n)
        return GFMUL_OK;
    const size_t room = s->n + n > 2 * s->room ? s->n + n : 2 * s->room;
    struct term *term = alloc_aligned(room * sizeof *term);
    if (!term)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for a sum of %zu products", room);
    if (s->n > 0)
        memcpy(term, s->term, s->n * sizeof *term);
    alloc_free(s->term);
    s->term = term;
    s->room = room;
    return GFMUL_OK;
}

enum gfmul_status sum_term(struct call *call, struct gfmul_space *space, struct sum *s, const struct integer *a,
                           const struct integer *b, bool minus, size_t k)
{
    if (!a->x || !b->x)
        return GFMUL_OK;
    const size_t bits = natural_bits(a->x) + natural_bits(b->x);
    if (bits > 64 * space->limbs + SPACE_SPARE_BITS)
        return call_fail(call, GFMUL_ERR_SIZE, "a product of %zu and %zu limbs is too long for a space of %zu", a->x->n, b->x->n,
                         space->limbs);
    TRY(sum_reserve(call, s, 1));
    s->term[s->n++] = (struct term){.a = natural_get(a->x),
                                    .b = natural_get(b->x),
                                    .minus = (a->negative != b->negative) != minus,
                                    .b_minus = b->negative,
                                    .k = (uint32_t)k};
    return GFMUL_OK;
}

enum gfmul_status sum_terms(struct call *call, struct sum *s, const struct sum *of, bool minus)
{
    TRY(sum_reserve(call, s, of->n));
    for (size_t i = 0; i < of->n; i++) {
        struct term t = of->term[i];
        natural_get(t.a);
        natural_get(t.b);
        t.minus = t.minus != minus;
        s->term[s->n++] = t;
    }
    return GFMUL_OK;
}

/* ---- factors ---- */

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct use *)a)->x, y = (uintptr_t)((const struct use *)b)->x;
    return (x > y) - (x < y);
}

struct use *use_of(const struct long_sum *l, struct natural *x)
{
    return bsearch(&(struct use){.x = x}, l->use, l->n_uses, sizeof *l->use, by_address);
}

/*
 * fills - whether x is too long for the transforms of the space: for those of a device, or for the balanced digits of a sum that
 * comes back reduced, which end before the highest bit.
 */
static bool fills(const struct gfmul_space *space, const struct natural *x)
{
    if (space->device)
        return !space_device_takes(space, x);
    return space->reduces && !space->tables && x->n == space->modulus && x->top >> 63;
}

bool natural_stays(const struct gfmul_space *space, const struct natural *x)
{
    return x->words && x->n >= space->least_limbs;
}

bool natural_is_small(const struct natural *x)
{
    return x->n == 1 && x->top >> 31 == 0;
}

bool term_is_multiple(const struct gfmul_space *space, const struct term *t)
{
    return space->device &&
           ((natural_is_small(t->a) && natural_stays(space, t->b)) || (natural_is_small(t->b) && natural_stays(space, t->a)));
}

bool term_is_long(const struct gfmul_space *space, const struct term *t)
{
    if (space->device && (natural_stays(space, t->a) || natural_stays(space, t->b)))
        return !term_is_multiple(space, t) && !fills(space, t->a) && !fills(space, t->b);
    return (space->n_plans > 0 || space->half[0] || space->device) && t->a->n >= space->least_limbs &&
           t->b->n >= space->least_limbs && t->a->n + t->b->n >= space->limbs / SPACE_SHORT_PART && !fills(space, t->a) &&
           !fills(space, t->b);
}

/* So many factors are noted between two looks at the progress callback, and then sorted. */
enum { USES_NOTED = 1 << 14 };

size_t sum_uses_bytes(size_t terms)
{
    return (2 * terms + (2 * terms > USES_NOTED ? USES_NOTED : 0)) * sizeof(struct use);
}

void sum_uses_begin(struct long_sum *l, void *list, size_t terms)
{
    l->use = list;
    l->fresh = l->use + 2 * terms;
    l->n_uses = l->n_noted = 0;
}

void sum_uses_end(struct long_sum *l)
{
    struct use *const noted = l->use + l->n_uses;
    size_t fresh = 0, at = 0;
    qsort(noted, l->n_noted, sizeof *noted, by_address);
    for (size_t i = 0, next; i < l->n_noted; i = next) {
        struct use use = {.x = noted[i].x};
        for (next = i; next < l->n_noted && noted[next].x == use.x; next++)
            use.count++;
        while (at < l->n_uses && by_address(&l->use[at], &use) < 0)
            at++;
        if (at < l->n_uses && l->use[at].x == use.x)
            l->use[at].count += use.count;
        else
            noted[fresh++] = use; /* fresh <= i */
    }
    l->n_noted = 0;
    size_t old = l->n_uses, to = l->n_uses += fresh;
    if (old == 0 || fresh == 0)
        return;
    memcpy(l->fresh, noted, fresh * sizeof *noted);
    while (fresh > 0) {
        const bool later = old > 0 && by_address(&l->use[old - 1], &l->fresh[fresh - 1]) > 0;
        l->use[--to] = later ? l->use[--old] : l->fresh[--fresh];
    }
}

enum gfmul_status sum_use_add(struct long_sum *l, struct natural *x)
{
    l->use[l->n_uses + l->n_noted++] = (struct use){.x = x};
    if (l->n_noted < USES_NOTED)
        return GFMUL_OK;
    sum_uses_end(l);
    return call_progress(l->call, 0);
}

enum gfmul_status sum_uses_add(struct long_sum *l, const struct sum *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (term_is_long(l->space, &s->term[i])) {
            TRY(sum_use_add(l, s->term[i].a));
            TRY(sum_use_add(l, s->term[i].b));
        }
    return GFMUL_OK;
}

void factors_forget(struct long_sum *l)
{
    for (size_t i = 0; i < l->n_uses; i++)
        if (l->use[i].columns && !l->use[i].passing)
            transform_free(l->space, l->use[i].t);
    for (size_t i = 0; i < l->n_uses; i++)
        l->use[i].columns = false;
}

void use_done(const struct long_sum *l, struct use *use)
{
    if (!use->passing)
        use->t = transform_keep(use->x, l->plan, use->t);
    use->columns = false;
}
