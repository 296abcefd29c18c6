/*
 * mul_beside.c - residues of a product's numbers, taken while a device makes the product.
 *
 * Those of the operands need nothing of the device: the calling thread and its team take them in parts, whenever they would wait.
 * The product's is taken part by part, as it comes down.  All of them are of the numbers in host memory, so that the transfers
 * are checked with the rest.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/clock.h"
#include "limbs/residue.h"
#include "mul/ctx.h"

enum { PART_LIMBS = 1 << 16 }; /* of a thread between two looks at the device: 20 to 80 us */

static struct beside_number number_begin(const struct number *x)
{
    return (struct beside_number){x->limbs, x->n, x->residue ? x->n : 0, x->residue ? *x->residue : 0};
}

void mul_beside_begin(struct call *call, struct mul_beside *r, const struct product *p)
{
    *r = (struct mul_beside){.z = number_begin(&p->z), .a = number_begin(&p->a), .b = number_begin(&p->b), .square = p->square};
    if (p->square)
        r->b.taken = r->b.n;
    r->modulus = ctx_modulus(call);
    call->beside = r;
}

/* take - the residue of a number goes on to limb `end`. */
static void take(struct call *call, struct beside_number *x, size_t end)
{
    const struct residue_modulus *m = call->beside->modulus;
    const uint64_t start = clock_ns(), part = residue_limbs(x->p + x->taken, end - x->taken, m, true, call->threads);
    x->residue = (x->residue + residue_mul(part, residue_power_of_limb(x->taken, m->p), m->p)) % m->p;
    x->taken = end;
    call->report.verify_ns += clock_ns() - start;
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
        call->beside->z.residue = 0;
    }
}

void mul_beside_came(void *arg, size_t words)
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
    mul_beside_came(call, 2 * r->z.n);
    return mul_residues_compare(call, r->z.residue, r->a.residue, r->square ? r->a.residue : r->b.residue);
}

void mul_beside_end(struct call *call)
{
    call->beside = NULL;
}
