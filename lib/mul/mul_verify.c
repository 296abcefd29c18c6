/*
 * mul_verify.c - check a product: by residues modulo random primes, or against GMP's product.
 *
 * A wrong product passes the residue check if all primes divide the difference.  A difference of b bits has at most b / 57 prime
 * factors above 2^57, out of more than 3.5e15 primes in (2^57, 2^58), and b / 47 out of 1.24e14 in (2^47, 2^52)
 * (doc/error-bound.md, section 16).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "limbs/mul_small.h"
#include "limbs/residue.h"
#include "mul/mul_verify.h"

/* The part of a number between two runs of the progress callback: some ms of work. */
enum { PART_LIMBS = 1 << 22, PART_CHARS = 1 << 25 };

unsigned mul_residues_agree(struct call *call, const struct residue_modulus *moduli, unsigned n, const uint64_t *z,
                            const uint64_t *a, const uint64_t *b)
{
    struct gfmul_report *report = &call->report;
    unsigned wrong = n;
    report->n_residues = n;
    report->residues_drawn = moduli == call->drawn;
    report->residue_prime = moduli[0].p;
    for (unsigned k = n; k-- > 0;) {
        const uint64_t p = moduli[k].p;
        report->residue[k] = (struct gfmul_residue){.prime = p, .a = a[k], .b = b[k], .z = z[k]};
        if (residue_mul(a[k], b[k], p) != z[k])
            wrong = k;
    }
    return wrong;
}

enum gfmul_status mul_residues_compare(struct call *call, const struct residue_modulus *moduli, unsigned n, const uint64_t *z,
                                       const uint64_t *a, const uint64_t *b)
{
    const unsigned wrong = mul_residues_agree(call, moduli, n, z, a, b);
    if (wrong == n)
        return GFMUL_OK;
    const uint64_t p = moduli[wrong].p;
    return call_fail(call, GFMUL_ERR_VERIFY, "the product is %" PRIu64 " modulo %" PRIu64 ", but should be %" PRIu64, z[wrong], p,
                     residue_mul(a[wrong], b[wrong], p));
}

static enum gfmul_status gmp_differs(struct call *call)
{
    return call_fail(call, GFMUL_ERR_VERIFY, "the product differs from GMP's");
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

void mul_residues(struct call *call, uint64_t *r, const mp_limb_t *a, size_t an, bool in_memory)
{
    const enum phase phase = phase_enter(&call->clock, PHASE_VERIFY);
    residue_limbs(r, a, an, call->moduli, call->n_moduli, in_memory, call->threads);
    phase_enter(&call->clock, phase);
}

/* told_residues_limbs - the same within a phase; the callback runs between parts.   told_residues_text - the same for text. */
static void told_residues_limbs(struct call *call, uint64_t *r, const mp_limb_t *a, size_t an, bool in_memory)
{
    uint64_t part[RESIDUE_PRIMES_MAX];
    const size_t size = call->monitor ? PART_LIMBS : an > 0 ? an : 1, parts = an / size + (an % size != 0);
    memset(r, 0, call->n_moduli * sizeof *r);
    for (size_t i = parts; i-- > 0 && call_progress(call, 0) == GFMUL_OK;) {
        const size_t n = i + 1 < parts ? size : an - i * size;
        residue_limbs(part, a + i * size, n, call->moduli, call->n_moduli, in_memory, call->threads);
        for (unsigned k = 0; k < call->n_moduli; k++) {
            const uint64_t p = call->moduli[k].p;
            r[k] = parts == 1 ? part[k] : (residue_mul(r[k], residue_power_of_limb(n, p), p) + part[k]) % p;
        }
    }
}

static void told_residues_text(struct call *call, uint64_t *r, const struct number *x)
{
    uint64_t p[RESIDUE_PRIMES_MAX], part[RESIDUE_PRIMES_MAX];
    const size_t size = call->monitor ? PART_CHARS : x->n;
    memset(r, 0, call->n_moduli * sizeof *r);
    for (unsigned k = 0; k < call->n_moduli; k++)
        p[k] = call->moduli[k].p;
    for (size_t at = 0, n; at < x->n && call_progress(call, 0) == GFMUL_OK; at += n) {
        n = x->n - at < size ? x->n - at : size;
        const struct text_number digits = {.base = x->base, .digits = x->digits + at, .n_digits = n};
        text_residues(part, &digits, p, call->n_moduli, call->ctx->ops->isa_bit, call->threads);
        for (unsigned k = 0; k < call->n_moduli; k++)
            r[k] = at == 0 ? part[k] : (residue_mul(r[k], residue_power(x->base, n, p[k]), p[k]) + part[k]) % p[k];
    }
}

/* number_residues - the residues of limbs or text: the kept ones, or computed now. */
static void number_residues(struct call *call, uint64_t *r, const struct number *x, bool in_memory)
{
    if (x->residue) {
        memcpy(r, x->residue, call->n_moduli * sizeof *r);
        return;
    }
    if (!x->digits) {
        told_residues_limbs(call, r, x->limbs, x->n, in_memory);
        return;
    }
    told_residues_text(call, r, x);
}

enum gfmul_status product_residues(struct call *call, const struct product *p)
{
    const bool in_memory = p->z.n >= MUL_MEMORY_LIMBS;
    uint64_t a[RESIDUE_PRIMES_MAX], b[RESIDUE_PRIMES_MAX], z[RESIDUE_PRIMES_MAX];
    const enum phase phase = phase_enter(&call->clock, PHASE_VERIFY); /* once for all three: reading the clock takes 25 ns */
    number_residues(call, a, &p->a, in_memory);
    if (!p->square)
        number_residues(call, b, &p->b, in_memory);
    number_residues(call, z, &p->z, in_memory);
    phase_enter(&call->clock, phase);
    TRY(call_progress(call, 0)); /* if the callback has stopped the work, the residues are incomplete */
    return mul_residues_compare(call, call->moduli, call->n_moduli, z, a, p->square ? a : b);
}

static enum gfmul_status gmp_compare_limbs(struct call *call, const struct product *p)
{
    void *w;
    TRY(ctx_buffer_get(call, p->z.n * sizeof(mp_limb_t), &w));
    gmp_product(w, p->a.limbs, p->a.n, p->b.limbs, p->b.n);
    const bool equal = limbs_equal(p->z.limbs, p->z.n, w, p->a.n + p->b.n);
    ctx_buffer_put(call, w);
    return equal ? GFMUL_OK : gmp_differs(call);
}

/* text_read_bytes - bytes of the limbs that text_read makes of n digits; 0 on overflow. */
static size_t text_read_bytes(size_t n, unsigned base)
{
    size_t limbs = text_limbs_max(n, base), bytes;
    return limbs > 0 && size_add(&limbs, limbs, 2) && size_mul(&bytes, limbs, sizeof(mp_limb_t)) ? bytes : 0;
}

/*
 * text_read - convert a text to limbs by GMP alone, so that the check depends on none of the library's own conversions.
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
    TRY(ctx_buffer_get(call, n, &values));
    TRY(ctx_buffer_get(call, bytes, z));
    unsigned char *v = values;
    for (size_t i = 0; i < n; i++) {
        unsigned c = (unsigned char)digits[i];
        v[i] = (unsigned char)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        if (v[i] >= base)
            return GFMUL_ERR_INTERNAL;
    }
    *zn = limbs_normal_size(*z, (size_t)mpn_set_str(*z, v, n, (int)base));
    ctx_buffer_put(call, values);
    return GFMUL_OK;
}

/* gmp_compare_text - compare with GMP's product of the two texts.  On failure call_end frees the buffers. */
static enum gfmul_status gmp_compare_text(struct call *call, const struct product *p)
{
    void *x, *y, *w, *t;
    size_t xn, yn, tn;
    TRY(text_read(call, &x, &xn, &p->a));
    TRY(text_read(call, &y, &yn, &p->b));
    TRY(ctx_buffer_get(call, (xn + yn) * sizeof(mp_limb_t), &w));
    gmp_product(w, x, xn, y, yn);
    const enum gfmul_status status = text_read(call, &t, &tn, &p->z);
    if (status == GFMUL_ERR_INTERNAL) /* the product's text has characters that are no digits of its base */
        return gmp_differs(call);
    TRY(status);
    if (!limbs_equal(t, tn, w, xn + yn))
        return gmp_differs(call);
    ctx_buffer_put(call, t);
    ctx_buffer_put(call, w);
    ctx_buffer_put(call, y);
    ctx_buffer_put(call, x);
    return GFMUL_OK;
}

enum gfmul_status product_verify_room(struct call *call, const struct product *p, size_t held)
{
    if (call->ctx->opt.verify != GFMUL_VERIFY_GMP)
        return GFMUL_OK;
    if (!p->a.digits)
        return ctx_memory_check(call, held + p->z.n * sizeof(mp_limb_t));
    /* the most memory that gmp_compare_text and text_read hold at one time */
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
    if (call->ctx->opt.verify == GFMUL_VERIFY_MOD) {
        TRY(call_moduli(call, call_primes(call, false), false));
        return product_residues(call, p);
    }
    const enum phase phase = phase_enter(&call->clock, PHASE_VERIFY);
    const enum gfmul_status status = p->a.digits ? gmp_compare_text(call, p) : gmp_compare_limbs(call, p);
    phase_enter(&call->clock, phase);
    return status;
}
