/*
 * space_terms.c - the terms of sums, and the factors of the long ones.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "above/space_device.h"
#include "above/space_sum.h"
#include "base/alloc.h"
#include "base/try.h"

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

/* sum_room - room for n more terms.   Errors: MEMORY. */
static enum gfmul_status sum_room(struct call *call, struct sum *s, size_t n)
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
                           const struct integer *b, bool minus)
{
    if (!a->x || !b->x)
        return GFMUL_OK;
    const size_t bits = natural_bits(a->x) + natural_bits(b->x);
    if (bits > 64 * space->limbs + SPACE_SPARE_BITS)
        return call_fail(call, GFMUL_ERR_SIZE, "a product of %zu and %zu limbs is too long for a space of %zu", a->x->n, b->x->n,
                         space->limbs);
    TRY(sum_room(call, s, 1));
    s->term[s->n++] = (struct term){natural_get(a->x), natural_get(b->x), (a->negative != b->negative) != minus};
    return GFMUL_OK;
}

enum gfmul_status sum_terms(struct call *call, struct sum *s, const struct sum *of, bool minus)
{
    TRY(sum_room(call, s, of->n));
    for (size_t i = 0; i < of->n; i++) {
        const struct term *t = &of->term[i];
        s->term[s->n++] = (struct term){natural_get(t->a), natural_get(t->b), t->minus != minus};
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

void sum_uses_add(struct long_sum *l, const struct sum *s, size_t *n)
{
    for (size_t i = 0; i < s->n; i++)
        if (term_is_long(l->space, &s->term[i])) {
            l->use[(*n)++] = (struct use){.x = s->term[i].a};
            l->use[(*n)++] = (struct use){.x = s->term[i].b};
        }
}

void sum_uses_sort(struct long_sum *l, size_t n)
{
    qsort(l->use, n, sizeof *l->use, by_address);
    for (size_t i = 0; i < n; i++) {
        struct natural *const x = l->use[i].x; /* n_uses <= i */
        if (l->n_uses == 0 || l->use[l->n_uses - 1].x != x)
            l->use[l->n_uses++] = (struct use){.x = x};
        l->use[l->n_uses - 1].count++;
    }
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
