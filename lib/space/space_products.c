/*
 * space_products.c - products of a sum one by one, and what a sum grows to.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/mul.h"
#include "space/space_sum.h"

void value_add(struct value *v, const mp_limb_t *a, size_t n, bool negative)
{
    n = limbs_normal_size(a, n);
    if (n == 0)
        return;
    mp_limb_t *z = v->z;
    if (v->n < n)
        memset(z + v->n, 0, (n - v->n) * sizeof *z);
    const size_t m = v->n < n ? n : v->n;
    if (v->n == 0 || v->negative == negative) {
        v->negative = negative;
        z[m] = mpn_add(z, z, (mp_size_t)m, a, (mp_size_t)n);
        v->n = limbs_normal_size(z, m + 1);
        return;
    }
    if (v->n > n || (v->n == n && mpn_cmp(z, a, (mp_size_t)n) >= 0)) {
        mpn_sub(z, z, (mp_size_t)m, a, (mp_size_t)n);
    } else {
        mpn_sub_n(z, a, z, (mp_size_t)n);
        v->negative = negative;
    }
    v->n = limbs_normal_size(z, m);
}

enum gfmul_status products_add(struct call *call, const struct gfmul_space *space, const struct sum *s, bool are_long,
                               struct value *v)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct term *t = &s->term[i];
        void *room;
        if (term_is_long(space, t) != are_long)
            continue;
        TRY(natural_fetch(call, t->a));
        TRY(natural_fetch(call, t->b));
        TRY(ctx_buffer_get(call, (t->a->n + t->b->n) * sizeof *v->z, &room));
        const bool verify = space->n_residues == 0; /* else the sum is checked */
        const enum gfmul_status status = mul_limbs(call, room, t->a->limbs, t->a->n, t->b->limbs, t->b->n, verify);
        if (status == GFMUL_OK)
            value_add(v, room, t->a->n + t->b->n, t->minus);
        ctx_buffer_put(call, room);
        TRY(status);
    }
    return GFMUL_OK;
}

/*
 * The factor on the cost of sums in double, which work in more memory than products: these stay in the cache.  Zen 5, busy,
 * a b + c d by transforms and by products, both against two products: 1.21 and 1.02 at 1e4 limbs, where the costs alone say 0.98;
 * 0.92 and 1.10 at 3e4, 0.87 and 1.03 at 1e5 (2026-11-28, not kept).
 */
static const double SUMS = 1.1;

/* all_pass - whether no factor has a transform, or would keep it. */
static bool all_pass(const struct long_sum *l)
{
    for (size_t i = 0; i < l->n_uses; i++) {
        const struct use *use = &l->use[i];
        if (atomic_load(&use->x->transform[0]) || use->x->part[0] || use->count > 1 || atomic_load(&use->x->holders) > 0)
            return false;
    }
    return true;
}

bool products_pay(const struct long_sum *l, const struct sum *s)
{
    struct call *call = l->call;
    const struct term *longest = NULL;
    struct plan_request request;
    struct plan_shape shape;
    size_t n = 0;
    if (l->space->tables || !all_pass(l))
        return false;
    for (size_t i = 0; i < s->n; i++)
        if (term_is_long(l->space, &s->term[i])) {
            const struct term *t = &s->term[i];
            longest = !longest || t->a->n + t->b->n > longest->a->n + longest->b->n ? t : longest;
            n++;
        }
    ctx_plan_request(call, &request, 2, 64 * longest->a->n, 64 * longest->b->n, false);
    if (ctx_plan_size(call, &request, &shape) != GFMUL_OK)
        return false;
    const double square = l->space->plan[0].plan.shape.cost_ps; /* two transforms: see space_plan */
    const double sum = SUMS * square * ((double)n + 0.5);
    return shape.cost_ps * (double)n < sum;
}
