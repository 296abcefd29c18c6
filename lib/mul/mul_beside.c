/*
 * mul_beside.c - residues of a product's numbers, taken while a device makes the product.
 *
 * Those of the operands need nothing of the device: a thread takes them from the start, or, of short products and where a call
 * has one thread, the calling one when all is enqueued, before it waits.  The product's is taken part by part, as it comes down.
 * All of them are of the numbers in host memory, so that the transfers are checked with the rest.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/clock.h"
#include "limbs/residue.h"
#include "mul/ctx.h"

static void operands_take(struct mul_beside *r)
{
    r->a_residue = residue_limbs(r->a, r->an, r->prime, r->threads);
    if (r->b)
        r->b_residue = r->b == r->a && r->bn == r->an ? r->a_residue : residue_limbs(r->b, r->bn, r->prime, r->threads);
}

static void *operands_thread(void *arg)
{
    operands_take(arg);
    return NULL;
}

void mul_beside_begin(struct call *call, struct mul_beside *r, const mp_limb_t *z, const mp_limb_t *a, size_t an,
                      const mp_limb_t *b, size_t bn, uint64_t b_residue)
{
    *r = (struct mul_beside){.z = z, .a = a, .b = b, .an = an, .bn = bn, .b_residue = b_residue};
    r->prime = ctx_prime(call);
    r->threads = call->threads;
    call->beside = r;
    if (r->threads > 1 && an + (b ? bn : 0) >= call->ctx->beside_limbs)
        r->started = pthread_create(&r->thread, NULL, operands_thread, r) == 0;
}

void mul_beside_operands(struct call *call)
{
    struct mul_beside *r = call->beside;
    if (!r || r->taken || r->started)
        return;
    const uint64_t start = clock_ns();
    operands_take(r);
    r->taken = true;
    call->report.verify_ns += clock_ns() - start;
}

void mul_beside_forget(struct call *call)
{
    if (call->beside) {
        call->beside->z_limbs = 0;
        call->beside->z_residue = 0;
    }
}

void mul_beside_came(void *arg, size_t words)
{
    struct call *call = arg;
    struct mul_beside *r = call->beside;
    const size_t limbs = words / 2;
    if (words == 0)
        mul_beside_forget(call);
    if (limbs <= r->z_limbs)
        return;
    const uint64_t start = clock_ns(), part = residue_limbs(r->z + r->z_limbs, limbs - r->z_limbs, r->prime, r->threads);
    r->z_residue = (r->z_residue + residue_mul(part, residue_power_of_limb(r->z_limbs, r->prime), r->prime)) % r->prime;
    r->z_limbs = limbs;
    call->report.verify_ns += clock_ns() - start;
}

enum gfmul_status mul_beside_check(struct call *call)
{
    struct mul_beside *r = call->beside;
    mul_beside_operands(call);
    const uint64_t start = clock_ns();
    if (r->started) {
        pthread_join(r->thread, NULL);
        r->started = false;
        r->taken = true;
    }
    call->report.verify_ns += clock_ns() - start;
    mul_beside_came(call, 2 * (r->an + r->bn));
    return mul_residues_compare(call, r->z_residue, r->a_residue, r->b_residue);
}

void mul_beside_end(struct call *call)
{
    struct mul_beside *r = call->beside;
    call->beside = NULL;
    if (r && r->started)
        pthread_join(r->thread, NULL);
}
