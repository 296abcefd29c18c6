/*
 * mul_beside.c - compute the residues of a product's numbers while a device makes the product.
 *
 * The operands' residues do not depend on the device, so the calling thread and its team compute them in parts instead of
 * waiting.  The product's residue is computed part by part while the product is downloaded.  All residues are of the numbers in
 * host memory, so that the check covers the transfers too.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "limbs/residue.h"
#include "mul/mul_verify.h"

enum { PART_LIMBS = 1 << 16 }; /* for each thread, between two looks at the device: 20 to 80 us */

static struct beside_number number_begin(const struct call *call, const struct number *x)
{
    struct beside_number r = {.p = x->limbs, .n = x->n, .taken = x->residue ? x->n : 0};
    if (x->residue)
        memcpy(r.residue, x->residue, call->n_moduli * sizeof *r.residue);
    return r;
}

void mul_beside_begin(struct call *call, struct mul_beside *r, const struct product *p)
{
    *r = (struct mul_beside){
        .z = number_begin(call, &p->z), .a = number_begin(call, &p->a), .b = number_begin(call, &p->b), .square = p->square};
    if (p->square)
        r->b.taken = r->b.n;
    call->beside = r;
}

/* take - extend the residues of a number up to limb `end`. */
static void take(struct call *call, struct beside_number *x, size_t end)
{
    uint64_t part[RESIDUE_PRIMES_MAX];
    mul_residues(call, part, x->p + x->taken, end - x->taken, true);
    for (unsigned k = 0; k < call->n_moduli; k++) {
        const uint64_t p = call->moduli[k].p;
        x->residue[k] = (x->residue[k] + residue_mul(part[k], residue_power_of_limb(x->taken, p), p)) % p;
    }
    x->taken = end;
}

bool mul_beside_work(void *arg)
{
    struct call *call = arg;
    const size_t part = (size_t)PART_LIMBS * call->threads;
    if (!call->beside)
        return false;
    struct beside_number *x = &call->beside->a;
    if (x->taken == x->n)
        x = &call->beside->b;
    if (x->taken == x->n)
        return false;
    take(call, x, x->n - x->taken < part + part / 2 ? x->n : x->taken + part);
    return true;
}

void mul_beside_operands(struct call *call)
{
    while (mul_beside_work(call))
        continue;
}

void mul_beside_forget(struct call *call)
{
    if (call->beside) {
        call->beside->z.taken = 0;
        memset(call->beside->z.residue, 0, sizeof call->beside->z.residue);
    }
}

void mul_beside_arrived(void *arg, size_t words)
{
    struct call *call = arg;
    if (words == 0)
        mul_beside_forget(call);
    else if (words / 2 > call->beside->z.taken)
        take(call, &call->beside->z, words / 2);
}

enum gfmul_status mul_beside_check(struct call *call)
{
    const struct mul_beside *r = call->beside;
    mul_beside_operands(call);
    mul_beside_arrived(call, 2 * r->z.n);
    return mul_residues_compare(call, call->moduli, call->n_moduli, r->z.residue, r->a.residue,
                                r->square ? r->a.residue : r->b.residue);
}
