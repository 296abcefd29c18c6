/*
 * mul_verify.c - is the product right: residues modulo a random prime, or GMP's product.
 *
 * A wrong product passes the residue check where the prime divides the difference.  A difference of b bits has at most
 * b / 57 prime factors above 2^57, out of some 3.6e15 primes in (2^57, 2^58): below 5e-8 for products of 10^10 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "limbs/limb_range.h"
#include "limbs/mul_small.h"
#include "limbs/residue.h"
#include "mul/ctx.h"

enum gfmul_status mul_residues_compare(struct call *call, uint64_t z, uint64_t a, uint64_t b)
{
    const uint64_t p = ctx_prime(call), ab = residue_mul(a, b, p);
    if (z == ab)
        return GFMUL_OK;
    call_detail(call, "the product is %" PRIu64 " modulo %" PRIu64 ", but should be %" PRIu64, z, p, ab);
    return GFMUL_ERR_VERIFY;
}

static enum gfmul_status gmp_differs(struct call *call)
{
    call_detail(call, "the product differs from GMP's");
    return GFMUL_ERR_VERIFY;
}

/* limbs_equal - whether z of zn limbs and w of wn limbs are the same number. */
static bool limbs_equal(const mp_limb_t *z, size_t zn, const mp_limb_t *w, size_t wn)
{
    zn = limbs_normal_size(z, zn);
    return zn == limbs_normal_size(w, wn) && (zn == 0 || mpn_cmp(z, w, (mp_size_t)zn) == 0);
}

static void gmp_product(mp_limb_t *w, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn)
{
    if (an == 0 || bn == 0)
        memset(w, 0, (an + bn) * sizeof *w);
    else
        product_gmp(w, a, an, b, bn);
}

uint64_t mul_residue(struct call *call, const mp_limb_t *a, size_t an, bool in_memory)
{
    const uint64_t start = clock_ns(), r = residue_limbs(a, an, ctx_modulus(call), in_memory, call->threads);
    call->report.verify_ns += clock_ns() - start;
    return r;
}

/* number_residue - of limbs or text. */
static uint64_t number_residue(struct call *call, const struct number *x, bool in_memory)
{
    if (x->residue)
        return *x->residue;
    if (!x->digits)
        return mul_residue(call, x->limbs, x->n, in_memory);
    const uint64_t start = clock_ns();
    const uint64_t r = text_residue(x->digits, x->n, x->base, ctx_prime(call), call->ctx->ops->isa_bit, call->threads);
    call->report.verify_ns += clock_ns() - start;
    return r;
}

enum gfmul_status product_residues(struct call *call, const struct product *p)
{
    const bool in_memory = p->z.n >= MUL_MEMORY_LIMBS;
    const uint64_t a = number_residue(call, &p->a, in_memory);
    const uint64_t b = p->square ? a : number_residue(call, &p->b, in_memory);
    return mul_residues_compare(call, number_residue(call, &p->z, in_memory), a, b);
}

static enum gfmul_status gmp_compare_limbs(struct call *call, const struct product *p)
{
    void *w = NULL;
    enum gfmul_status status = ctx_buffer_get(call, p->z.n * sizeof(mp_limb_t), &w);
    if (status == GFMUL_OK) {
        gmp_product(w, p->a.limbs, p->a.n, p->b.limbs, p->b.n);
        if (!limbs_equal(p->z.limbs, p->z.n, w, p->a.n + p->b.n))
            status = gmp_differs(call);
    }
    ctx_buffer_put(call, w);
    return status;
}

/* text_read_bytes - of the limbs that text_read makes of n digits; 0 on overflow. */
static size_t text_read_bytes(size_t n, unsigned base)
{
    size_t limbs = text_limbs_max(n, base), bytes;
    return limbs > 0 && size_add(&limbs, limbs, 2) && size_mul(&bytes, limbs, sizeof(mp_limb_t)) ? bytes : 0;
}

/*
 * text_read - limbs of a text by GMP alone, so that none of the library's own conversions takes part.
 *
 *   z  out  buffer of the pool;  zn  out  its significant limbs
 */
static enum gfmul_status text_read(struct call *call, void **z, size_t *zn, const struct number *x)
{
    const char *digits = x->digits;
    size_t n = x->n;
    const unsigned base = x->base;
    void *values = NULL;

    *z = NULL;
    *zn = 0;
    while (n > 0 && *digits == '0') {
        digits++;
        n--;
    }
    if (n == 0)
        return GFMUL_OK;
    const size_t bytes = text_read_bytes(n, base);
    if (bytes == 0)
        return GFMUL_ERR_SIZE;
    enum gfmul_status status = ctx_buffer_get(call, n, &values);
    if (status == GFMUL_OK)
        status = ctx_buffer_get(call, bytes, z);
    if (status == GFMUL_OK) {
        unsigned char *v = values;
        for (size_t i = 0; i < n; i++) {
            unsigned c = (unsigned char)digits[i];
            v[i] = (unsigned char)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
            if (v[i] >= base)
                status = GFMUL_ERR_INTERNAL;
        }
        if (status == GFMUL_OK)
            *zn = limbs_normal_size(*z, (size_t)mpn_set_str(*z, v, n, (int)base));
    }
    ctx_buffer_put(call, values);
    return status;
}

static enum gfmul_status gmp_compare_text(struct call *call, const struct product *p)
{
    void *x = NULL, *y = NULL, *w = NULL, *t = NULL;
    size_t xn, yn = 0, wn, tn;
    enum gfmul_status status;

    if ((status = text_read(call, &x, &xn, &p->a)) != GFMUL_OK || (status = text_read(call, &y, &yn, &p->b)) != GFMUL_OK)
        goto done;
    wn = xn + yn;
    if ((status = ctx_buffer_get(call, wn * sizeof(mp_limb_t), &w)) != GFMUL_OK)
        goto done;
    gmp_product(w, x, xn, y, yn);
    if ((status = text_read(call, &t, &tn, &p->z)) == GFMUL_ERR_INTERNAL)
        status = gmp_differs(call); /* what was printed is no text of that base */
    if (status == GFMUL_OK && !limbs_equal(t, tn, w, wn))
        status = gmp_differs(call);
done:
    ctx_buffer_put(call, t);
    ctx_buffer_put(call, w);
    ctx_buffer_put(call, y);
    ctx_buffer_put(call, x);
    return status;
}

enum gfmul_status product_verify_room(struct call *call, const struct product *p, size_t held)
{
    if (call->ctx->opt.verify != GFMUL_VERIFY_GMP)
        return GFMUL_OK;
    if (!p->a.digits)
        return ctx_memory_check(call, held + p->z.n * sizeof(mp_limb_t));
    /* what gmp_compare_text and text_read hold at once */
    const size_t x = text_read_bytes(p->a.n, p->a.base), y = text_read_bytes(p->b.n, p->b.base);
    const size_t t = text_read_bytes(p->z.n, p->z.base);
    size_t most = x + y + x + y + t + p->z.n;
    most = x + p->a.n > most ? x + p->a.n : most;
    most = x + y + p->b.n > most ? x + y + p->b.n : most;
    return ctx_memory_check(call, held + most);
}

enum gfmul_status product_verify(struct call *call, const struct product *p)
{
    if (call->ctx->opt.verify == GFMUL_VERIFY_NONE)
        return GFMUL_OK;
    if (call->ctx->opt.verify == GFMUL_VERIFY_MOD)
        return product_residues(call, p);
    const uint64_t start = clock_ns();
    const enum gfmul_status status = p->a.digits ? gmp_compare_text(call, p) : gmp_compare_limbs(call, p);
    call->report.verify_ns += clock_ns() - start;
    return status;
}
