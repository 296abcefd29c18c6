/*
 * root.c - square roots with remainders, by quotients of half the length.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A number of 2 k limbs, at least a fourth of beta^(2k), is A beta^(2l) + a1 beta^l + a0, k = h + l, l <= h.  From the root s' of
 * A and its remainder r' <= 2 s':
 *     r' beta^l + a1 = q 2 s' + u,   s = s' beta^l + q
 * q <= beta^l, and s is the root or one more [Zim99].  Here q may be off by 1, and is at most beta^l - 1.  So s is the root, up
 * to 2 more, or 1 less.  The square of s in a ring of k + 4 limbs shows r = a - s^2, which corrects s.  The quotient's last block
 * makes no remainder, and each inverse begins with that of the step before.
 */
#include <limits.h>
#include <string.h>

#include "above/divide.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/mul.h"

enum { ROOT_STEPS = 64 };

/* The working memory of all steps, and the last inverse, as struct inverse. */
struct root_room {
    mp_limb_t *numerator, *quotient, *x, *d;
    size_t known;
};

/* quotient - q = (r' beta^l + a1) / s', l + 2 limbs, off by at most 1.   d: s', h limbs, the highest bit 1 */
static enum gfmul_status quotient(struct call *call, struct root_room *room, const mp_limb_t *d, size_t h, size_t l)
{
    const struct inverse known = {.x = room->x, .d = room->d, .k = room->known};
    const size_t m = (l + 3) / 2; /* two blocks */
    struct divider x;
    void *memory;
    TRY(ctx_buffer_get(call, divider_limbs(h, m) * sizeof *d, &memory));
    enum gfmul_status status = divider_begin(call, &x, d, h, m, memory, &known);
    if (status == GFMUL_OK)
        status = divide(call, &x, room->quotient, NULL, room->numerator, h + l + 1);
    if (status == GFMUL_OK) {
        room->known = m + 1;
        memcpy(room->x, x.inverse.p, (m + 2) * sizeof *d);
        memcpy(room->d, x.d + h - (m + 1), (m + 1) * sizeof *d);
    }
    divider_end(call->ctx, call, &x);
    ctx_buffer_put(call, memory);
    return status;
}

/* rest_of - r = a - s^2, k + 2 limbs, signed.   t: 2 ring.n + 2 limbs, of which the lowest are r. */
static enum gfmul_status rest_of(struct call *call, const struct ring *ring, mp_limb_t *t, const mp_limb_t *s, const mp_limb_t *a,
                                 size_t k)
{
    const size_t n = ring->n;
    mp_limb_t *square = t + n + 1;
    TRY(ring_mul(call, ring, square, s, k, &(struct ring_operand){.p = s, .n = k}));
    ring_fold(t, n, a, 2 * k);
    ring_sub(t, square, n);
    const bool negative = ring_is_negative(t, n);
    if (negative)
        ring_negate(t, n);
    if (limbs_normal_size(t, n + 1) > k + 1 || t[k] > 8)
        return call_fail(call, GFMUL_ERR_VERIFY, "a step of a root has a wrong remainder");
    if (negative)
        mpn_neg(t, t, (mp_size_t)k + 2);
    return GFMUL_OK;
}

/* rest_move - r += 2 s + 1 or r -= 2 s + 1, k + 2 limbs. */
static void rest_move(mp_limb_t *r, const mp_limb_t *s, size_t k, bool up)
{
    const mp_limb_t carry = up ? mpn_addmul_1(r, s, (mp_size_t)k, 2) : mpn_submul_1(r, s, (mp_size_t)k, 2);
    if (up) {
        mpn_add_1(r + k, r + k, 2, carry);
        mpn_add_1(r, r, (mp_size_t)k + 2, 1);
    } else {
        mpn_sub_1(r + k, r + k, 2, carry);
        mpn_sub_1(r, r, (mp_size_t)k + 2, 1);
    }
}

/* root_correct - correct s and r = a - s^2, k + 2 limbs, until 0 <= r <= 2 s. */
static enum gfmul_status root_correct(struct call *call, mp_limb_t *s, mp_limb_t *r, size_t k)
{
    enum { CORRECTIONS = 3 };
    for (unsigned i = 0; i < CORRECTIONS && r[k + 1] >> 63; i++) {
        mpn_sub_1(s, s, (mp_size_t)k, 1);
        rest_move(r, s, k, true);
    }
    if (r[k + 1] >> 63)
        return call_fail(call, GFMUL_ERR_VERIFY, "a step of a root is too large");
    for (unsigned i = 0; i < CORRECTIONS; i++) {
        rest_move(r, s, k, false);
        if (r[k + 1] >> 63) { /* it was at most 2 s */
            rest_move(r, s, k, true);
            return GFMUL_OK;
        }
        mpn_add_1(s, s, (mp_size_t)k, 1);
    }
    return call_fail(call, GFMUL_ERR_VERIFY, "a step of a root is too small");
}

/*
 * root_step - extend the root of the highest 2 h limbs to that of the highest 2 k limbs.
 *
 *   s  i/o  k limbs, of which the highest h are s'
 *   r  i/o  k + 1 limbs, of which the lowest h + 1 are r'
 *   a  in   2 k limbs
 */
static enum gfmul_status root_step(struct call *call, struct root_room *room, mp_limb_t *s, mp_limb_t *r, const mp_limb_t *a,
                                   size_t h, size_t k)
{
    const size_t l = k - h;
    mp_limb_t *q = room->quotient;
    memcpy(room->numerator, a + l, l * sizeof *a);
    memcpy(room->numerator + l, r, (h + 1) * sizeof *r);
    TRY(quotient(call, room, s + l, h, l));
    mpn_rshift(q, q, (mp_size_t)l + 2, 1);
    if (q[l] > 1 || q[l + 1] > 0)
        return call_fail(call, GFMUL_ERR_VERIFY, "a step of a root is too large");
    if (q[l] > 0)
        memset(s, 0xff, l * sizeof *s);
    else
        memcpy(s, q, l * sizeof *s);
    const struct ring ring = ring_choose(call, k + 4, RING_PRODUCTS);
    void *t;
    TRY(ctx_buffer_get(call, 2 * (ring.n + 1) * sizeof *r, &t));
    enum gfmul_status status = rest_of(call, &ring, t, s, a, k);
    if (status == GFMUL_OK)
        status = root_correct(call, s, t, k);
    if (status == GFMUL_OK)
        memcpy(r, t, (k + 1) * sizeof *r);
    ctx_buffer_put(call, t);
    return status;
}

/* root - make s and r for a normalized number of 2 n limbs.  room: sizes as in root_by_room. */
static enum gfmul_status root(struct call *call, struct root_room *room, mp_limb_t *s, mp_limb_t *r, const mp_limb_t *a, size_t n)
{
    size_t sizes[ROOT_STEPS], steps = 0, h = n;
    for (; divide_pays(call, h / 2, h - h / 2); h -= h / 2)
        sizes[steps++] = h;
    memset(r, 0, (h + 1) * sizeof *r);
    mpn_sqrtrem(s + n - h, room->numerator, a + 2 * (n - h), (mp_size_t)(2 * h)); /* the remainder has h + 1 limbs at most */
    const size_t rn = limbs_normal_size(room->numerator, h + 1);
    memcpy(r, room->numerator, rn * sizeof *r);
    while (steps > 0) {
        const size_t k = sizes[--steps];
        TRY(root_step(call, room, s + n - k, r, a + 2 * (n - k), h, k));
        h = k;
    }
    return GFMUL_OK;
}

/*
 * root_denormal - turn s' = floor(sqrt(a 2^(2c))) and its remainder into those of a;  c < 64.
 *
 * With s' = s 2^c + s0: a 2^(2c) = s^2 2^(2c) + (r' + 2 s0 s' - s0^2).
 */
static void root_denormal(mp_limb_t *s, mp_limb_t *r, size_t n, unsigned c)
{
    if (c == 0)
        return;
    const mp_limb_t s0 = s[0] & (((mp_limb_t)1 << c) - 1);
    const unsigned __int128 square = (unsigned __int128)s0 * s0;
    const mp_limb_t two[2] = {(mp_limb_t)square, (mp_limb_t)(square >> 64)};
    r[n + 1] = 0;
    const mp_limb_t carry = mpn_addmul_1(r, s, (mp_size_t)n, 2 * s0);
    mpn_add_1(r + n, r + n, 2, carry);
    mpn_sub(r, r, (mp_size_t)n + 2, two, 2);
    mpn_rshift(s, s, (mp_size_t)n, c);
    const size_t whole = 2 * c / 64, part = 2 * c % 64;
    if (whole > 0) {
        memmove(r, r + whole, (n + 2 - whole) * sizeof *r);
        memset(r + n + 2 - whole, 0, whole * sizeof *r);
    }
    if (part > 0)
        mpn_rshift(r, r, (mp_size_t)n + 2, (unsigned)part);
}

struct root_arguments {
    mp_limb_t *s, *r;
    const mp_limb_t *a;
    size_t an;
};

/* root_by_room - make the root, with one block of memory for everything. */
static enum gfmul_status root_by_room(struct call *call, const struct root_arguments *of, mp_limb_t *memory)
{
    const size_t an = of->an, n = (an + 1) / 2, used = limbs_normal_size(of->a, an);
    mp_limb_t *a = memory, *s = a + 2 * n, *r = s + n;
    struct root_room room = {.numerator = r + n + 2, .quotient = r + 2 * n + 4, .x = r + 3 * n + 8, .d = r + 3 * n + n / 2 + 16};
    const size_t m = (used + 1) / 2, zeros = (size_t)__builtin_clzll(of->a[used - 1]) + 64 * (2 * m - used);
    const unsigned c = (unsigned)(zeros / 2);
    const size_t up = 2 * c / 64, bits = 2 * c % 64;
    memset(a, 0, up * sizeof *a);
    if (bits > 0)
        mpn_lshift(a + up, of->a, (mp_size_t)used, (unsigned)bits); /* up + used = 2 m, and no bit is shifted out */
    else
        memcpy(a + up, of->a, used * sizeof *a);
    TRY(root(call, &room, s, r, a, m));
    root_denormal(s, r, m, c);
    memset(of->s, 0, n * sizeof *s);
    memset(of->r, 0, (n + 1) * sizeof *r);
    memcpy(of->s, s, m * sizeof *s);
    memcpy(of->r, r, (m + 1) * sizeof *r);
    mpn_lshift(s, s, (mp_size_t)m, 1); /* r <= 2 s, of m + 1 limbs at most */
    const mp_limb_t top = of->s[m - 1] >> 63;
    if (of->r[m] > top || (of->r[m] == top && mpn_cmp(of->r, s, (mp_size_t)m) > 0))
        return call_fail(call, GFMUL_ERR_VERIFY, "the remainder of a root is too large");
    return divide_check(call, &(struct division){{of->a, an}, {of->s, n}, {of->s, n}, {of->r, of->r ? n + 1 : 0}});
}

/* root_of - make the root within a call; the arguments are checked. */
static enum gfmul_status root_of(struct call *call, const struct root_arguments *of)
{
    const size_t n = (of->an + 1) / 2;
    if (limbs_normal_size(of->a, of->an) == 0) {
        memset(of->s, 0, n * sizeof *of->s);
        memset(of->r, 0, (n + 1) * sizeof *of->r);
        return GFMUL_OK;
    }
    void *memory;
    phase_enter(&call->clock, PHASE_TRANSFORM);
    TRY(ctx_buffer_get(call, (7 * n + 24) * sizeof *of->s, &memory));
    const enum gfmul_status status = root_by_room(call, of, memory);
    ctx_buffer_put(call, memory);
    return status;
}

static enum gfmul_status root_checked(struct call *call, const void *arguments)
{
    const struct root_arguments *of = arguments;
    const size_t n = (of->an + 1) / 2;
    if (!of->s || !of->r || !of->a || of->an == 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a root needs a number, and two places");
    if (of->an >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", of->an);
    if (limbs_overlap(of->s, n, of->a, of->an) || limbs_overlap(of->r, n + 1, of->a, of->an) ||
        limbs_overlap(of->s, n, of->r, n + 1))
        return call_fail(call, GFMUL_ERR_OVERLAP, "a result overlaps the operand or the other result");
    return root_of(call, of);
}

enum gfmul_status gfmul_sqrtrem(struct gfmul_ctx *ctx, mp_limb_t *s, mp_limb_t *r, const mp_limb_t *a, size_t an)
{
    const struct root_arguments of = {s, r, a, an};
    return call_run(ctx, &(struct call_work)CALL_WORK(root_checked, &of, an));
}

/* ---- mpz_t ---- */

struct mpz_root_arguments {
    mpz_ptr s, r;
    mpz_srcptr a;
};

static enum gfmul_status mpz_root_checked(struct call *call, const void *arguments)
{
    const struct mpz_root_arguments *x = arguments;
    if (!x->s || !x->a || mpz_sgn(x->a) < 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a root needs a place, and a number that is not negative");
    if (x->s == x->r)
        return call_fail(call, GFMUL_ERR_OVERLAP, "root and remainder are the same integer");
    if (mpz_sgn(x->a) == 0) {
        mpz_set_ui(x->s, 0);
        if (x->r)
            mpz_set_ui(x->r, 0);
        return GFMUL_OK;
    }
    const size_t an = mpz_size(x->a), n = (an + 1) / 2;
    mpz_t s, r, ignored;
    TRY(mul_mpz_begin(call, s, n));
    enum gfmul_status status = mul_mpz_begin(call, r, n + 1);
    if (status != GFMUL_OK) {
        mul_mpz_end(call, NULL, s, n, false, status);
        return status;
    }
    const struct root_arguments of = {mpz_limbs_write(s, (mp_size_t)n), mpz_limbs_write(r, (mp_size_t)n + 1),
                                      mpz_limbs_read(x->a), an};
    status = root_of(call, &of);
    mpz_init(ignored);
    mul_mpz_end(call, x->s, s, n, false, status);
    mul_mpz_end(call, x->r ? x->r : ignored, r, n + 1, false, status);
    mpz_clear(ignored);
    return status;
}

enum gfmul_status gfmul_mpz_sqrtrem(struct gfmul_ctx *ctx, mpz_ptr s, mpz_ptr r, mpz_srcptr a)
{
    const struct mpz_root_arguments of = {s, r, a};
    return call_run(ctx, &(struct call_work)CALL_WORK(mpz_root_checked, &of, a ? mpz_size(a) : 0));
}
