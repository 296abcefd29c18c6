/*
 * call_proof.c - record what the proof of a product uses while the product is made; certificate.c prints it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "mul/ctx.h"

void call_proof_begin(struct call *call, const struct product *p)
{
    if (!call->proof)
        return;
    *call->proof = (struct proof){.made = true, .base = p->a.base, .an = p->a.n, .bn = p->b.n, .square = p->square};
}

void call_proof_forget(struct call *call)
{
    for (unsigned i = call->low_limbs; call->proof && i < 2; i++)
        call->proof->transform[i].used = false;
}

void call_proof_add(struct call *call, const struct plan_shape *shape, const struct plan_figures *f)
{
    if (!call->proof)
        return;
    struct proof_transform *t = &call->proof->transform[call->low_limbs];
    if (!t->used)
        *t = (struct proof_transform){.used = true, .shape = *shape};
    struct plan_figures *most = &t->figures; /* the bound grows with each of them */
    most->a.sum_sq = fmax(most->a.sum_sq, f->a.sum_sq);
    most->a.sum_pop = fmax(most->a.sum_pop, f->a.sum_pop);
    most->b.sum_sq = fmax(most->b.sum_sq, f->b.sum_sq);
    most->b.sum_pop = fmax(most->b.sum_pop, f->b.sum_pop);
    most->max_error = fmax(most->max_error, f->max_error);
    most->max_value = fmax(most->max_value, f->max_value);
    most->max_energy = fmax(most->max_energy, f->max_energy);
}
