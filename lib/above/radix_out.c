/*
 * radix_out.c - from limbs to text: a number becomes a fraction, whose digits are found from the top down by products alone.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A node of D digits has a fraction F, about (X + theta) / base^D, where X is the number that its digits form and theta is in
 * [1/4, 3/4].  F has a limb more than base^D, so that a unit of its last place moves theta by less than 2^-62.  With
 * P = base^(D/2):
 *     low half   the fraction of F P: (X mod P + theta) / P
 *     high half  F itself, (floor(X / P) + f) / P where f is the fraction of F P; a fourth of 1 / P is added if f < 1/2,
 *                else subtracted, so that its own theta is in [1/4, 3/4] again
 * Each half keeps only as many limbs as it needs, and F P is made in a ring in which the limbs that wrap around fall below these.
 * P is an odd power times one of 2, and the fraction of F P is that of the odd power times the fraction of F 2^shift.
 * A level moves theta by at most 4 units, all levels together by less than 2^-50.  At a leaf, floor(F base^D) is X.  Its digits
 * come chunk by chunk: F times a power of the base is a chunk and the fraction of the others.
 * The root is split by a quotient and a remainder.  The fraction of each, (X + 1/2) / P, is a quotient by the same divisor,
 * off by 2 units at most.
 */
#include <math.h>
#include <string.h>

#include "above/radix.h"
#include "base/parallel.h"
#include "base/try.h"
#include "limbs/limb_bits.h"
#include "limbs/limb_range.h"
#include "text/text_chars.h"

/* limb_of_power - limb i of P = odd 2^shift. */
static mp_limb_t limb_of_power(const struct radix_level *level, size_t i)
{
    const size_t zeros = level->shift / 64, n = level->odd.n, at = i - zeros;
    const unsigned bits = level->shift % 64;
    const mp_limb_t here = i >= zeros && at < n ? level->odd.p[at] : 0;
    const mp_limb_t below = i > zeros && at <= n ? level->odd.p[at - 1] : 0;
    return bits == 0 ? here : here << bits | below >> (64 - bits);
}

/* fourth - beta^(n+1) / (4 P) for P of n limbs, as two limbs, from the highest two of P; the relative error is below 2^-60. */
static void fourth(mp_limb_t z[2], const struct radix_level *level)
{
    const size_t n = level->n;
    const mp_limb_t top[2] = {n > 1 ? limb_of_power(level, n - 2) : 0, limb_of_power(level, n - 1)};
    const mp_limb_t cube[4] = {0, 0, (mp_limb_t)1 << 62, 0}; /* beta^3 / 4 */
    mp_limb_t quotient[3], rest[2];
    mpn_tdiv_qr(quotient, rest, 0, cube, 4, top, 2);
    z[0] = quotient[0];
    z[1] = quotient[1];
}

/* add_fourth - add a fourth of 1 / P to F of n limbs, or subtract it. */
static void add_fourth(mp_limb_t *f, size_t n, const mp_limb_t z[2], bool minus)
{
    if (minus)
        mpn_sub(f, f, (mp_size_t)n, z, 2);
    else
        mpn_add(f, f, (mp_size_t)n, z, 2);
}

/* split - split a node of level i + 1 into two of level i, high and low.   f: fn limbs;  t: 2 ring + 1 limbs. */
static enum gfmul_status split(struct call *call, const struct radix_level *level, mp_limb_t *high, mp_limb_t *low,
                               const mp_limb_t *f, size_t fn, mp_limb_t *t)
{
    const size_t n = level->n + 1, shifted = fn - level->shift / 64;
    const unsigned bits = level->shift % 64;
    const mp_limb_t *g = f; /* the fraction of F 2^shift, without its lowest limbs, which are zero */
    mp_limb_t quarter[2];
    if (bits > 0) {
        mpn_lshift(t + level->ring.n + 1, f, (mp_size_t)shifted, bits);
        g = t + level->ring.n + 1;
    }
    TRY(ring_mul(call, &level->ring, t, g, shifted, &level->odd));
    memcpy(low, t + shifted - n, n * sizeof *low);
    memcpy(high, f + fn - n, n * sizeof *high);
    fourth(quarter, level);
    add_fourth(high, n, quarter, low[n - 1] >> 63);
    return GFMUL_OK;
}

/* Chunks of digits of a leaf: two halves of `digits` each, of which base^digits is below 2^32. */
struct chunks {
    struct radix_powers of;
    unsigned base, digits; /* a half is as many digits as half a limb has room for */
    mp_limb_t half, whole; /* base^digits, its square */
    mp_limb_t scale;       /* beta / half, rounded up */
    double limbs;          /* of a digit */
};

static struct chunks chunks_of(unsigned base)
{
    struct chunks c = {.of = radix_powers_of(base), .base = base, .limbs = log2(base) / 64};
    c.digits = (unsigned)(c.of.in_limb / 2);
    c.half = c.of.power[c.digits];
    c.whole = c.of.power[2 * c.digits];
    c.scale = UINT64_MAX / c.half + 1;
    return c;
}

/* nine_write - write nine decimal digits of x < 10^9. */
static void nine_write(char *z, uint32_t x)
{
    const uint32_t first = x / 100000000;
    z[0] = char_of_value(first);
    chars_store(z + 1, values_split_10(x - first * 100000000) + '0' * CHARS_EVERY_8);
}

/*
 * half_write - write the digits of x < half, with zeros before them.
 * x scale is beta x / half, and less than half more, which is below a unit of the last digit, beta / half.
 */
static void half_write(const struct chunks *c, char *z, mp_limb_t x)
{
    if (c->base == 10) {
        nine_write(z, (uint32_t)x);
        return;
    }
    mp_limb_t fraction = x * c->scale;
    for (unsigned i = 0; i < c->digits; i++) {
        const unsigned __int128 next = (unsigned __int128)fraction * c->base;
        z[i] = char_of_value((unsigned char)(next >> 64));
        fraction = (mp_limb_t)next;
    }
}

static void chunk_write(const struct chunks *c, char *z, mp_limb_t x)
{
    mp_limb_t high = (mp_limb_t)((unsigned __int128)x * c->scale >> 64); /* x / half, or 1 more */
    high -= high * c->half > x;
    half_write(c, z, high);
    half_write(c, z + c->digits, x - high * c->half);
}

/*
 * leaf_write - write the digits of a leaf, chunk by chunk from the top.
 * The fraction of the digits that are left keeps a limb more than they have, so a cut moves theta by less than 2^-64.
 * All chunks are found before they are written, because each product waits for the one before.
 */
static void leaf_write(const struct radix_tree *x, const struct chunks *c, char *z, const mp_limb_t *f)
{
    mp_limb_t fraction[RADIX_LEAF_LIMBS + 1], chunk[RADIX_LEAF_LIMBS], *p = fraction;
    char first[64];
    size_t n = x->level[0].n + 1, left = x->leaf, found = 0;
    memcpy(p, f, n * sizeof *p);
    const size_t part = left % (2 * c->digits);
    if (part > 0) {
        chunk_write(c, first, mpn_mul_1(p, p, (mp_size_t)n, c->of.power[part]));
        memcpy(z, first + 2 * c->digits - part, part);
        z += part;
        left -= part;
    }
    for (; left > 0; left -= 2 * c->digits) {
        const size_t need = (size_t)((double)left * c->limbs) + 3;
        p += n > need ? n - need : 0;
        n = n > need ? need : n;
        chunk[found++] = mpn_mul_1(p, p, (mp_size_t)n, c->whole);
    }
    for (size_t i = 0; i < found; i++)
        chunk_write(c, z + i * 2 * c->digits, chunk[i]);
}

struct leaves {
    const struct radix_tree *x;
    char *z;
    const mp_limb_t *f;
};

static void leaves_run(void *arg, unsigned t, size_t first, size_t end)
{
    const struct leaves *const l = arg;
    const struct chunks c = chunks_of(l->x->base);
    (void)t;
    for (size_t i = first; i < end; i++)
        leaf_write(l->x, &c, l->z + i * l->x->leaf, l->f + i * (l->x->level[0].n + 1));
}

static void leaves_write(const struct radix_tree *x, char *z, const mp_limb_t *f, unsigned threads)
{
    parallel_for(threads, (size_t)1 << x->n, 1, leaves_run, &(struct leaves){x, z, f});
}

/* The division of a root into halves by the highest power P, n limbs: by the odd power, because the rest is a shift. */
struct root {
    const struct radix_level *level;
    struct divider x;
    mp_limb_t *u, *q, *v; /* a dividend, its quotient, a number below P of n limbs */
    mp_limb_t *rest;      /* odd.n limbs */
};

/* fraction_up - v beta^(n+1) / P is a quotient of v 2^up by the odd power. */
static size_t fraction_up(const struct radix_level *level)
{
    return 64 * (level->n + 1) - level->shift;
}

/* shifted_up - z = v 2^bits, zn limbs, which has room for it. */
static void shifted_up(mp_limb_t *z, size_t zn, const mp_limb_t *v, size_t vn, size_t bits)
{
    const size_t zeros = bits / 64;
    memset(z, 0, zn * sizeof *z);
    vn = limbs_normal_size(v, vn);
    memcpy(z + zeros, v, vn * sizeof *z);
    if (bits % 64 > 0 && zeros < zn)
        mpn_lshift(z + zeros, z + zeros, (mp_size_t)(zn - zeros), bits % 64);
}

/* fraction - (v + 1/2) beta^(n+1) / P, n + 1 limbs. */
static enum gfmul_status fraction(struct call *call, const struct root *root, mp_limb_t *f, const mp_limb_t *v)
{
    const size_t n = root->level->n, up = fraction_up(root->level), un = n + up / 64 + 1;
    mp_limb_t quarter[2];
    shifted_up(root->u, un, v, n, up);
    TRY(divide(call, &root->x, root->q, NULL, root->u, un));
    memcpy(f, root->q, (n + 1) * sizeof *f);
    fourth(quarter, root->level);
    add_fourth(f, n + 1, quarter, false);
    add_fourth(f, n + 1, quarter, false);
    return GFMUL_OK;
}

/* divided - the quotient of a by P, n limbs, in root->v; the remainder goes to r, n limbs.   a: 2 n limbs, below P^2 */
static enum gfmul_status divided(struct call *call, const struct root *root, mp_limb_t *r, const mp_limb_t *a)
{
    const struct radix_level *const level = root->level;
    const size_t whole = level->shift / 64, n = level->n, un = 2 * n - whole;
    const unsigned bits = level->shift % 64;
    if (bits > 0)
        mpn_rshift(root->u, a + whole, (mp_size_t)un, bits);
    else
        memcpy(root->u, a + whole, un * sizeof *a);
    TRY(divide(call, &root->x, root->q, root->rest, root->u, un));
    memcpy(root->v, root->q, n * sizeof *a);
    shifted_up(r, n, root->rest, level->odd.n, level->shift);
    memcpy(r, a, whole * sizeof *r);
    if (bits > 0)
        r[whole] |= a[whole] & (((mp_limb_t)1 << bits) - 1);
    return GFMUL_OK;
}

/* root_split - the fractions of quotient and remainder of a by the highest power, n limbs, each n + 1 limbs.   a: 2 n limbs */
static enum gfmul_status root_split(struct call *call, const struct radix_level *level, mp_limb_t *high, mp_limb_t *low,
                                    const mp_limb_t *a)
{
    const size_t n = level->n, pn = level->odd.n, un = n + fraction_up(level) / 64 + 1, qn = un - pn + 1;
    const size_t m = divide_pays(call, qn, pn) ? divider_block(qn, pn, false) : 0;
    struct root root = {.level = level};
    void *memory;
    TRY(ctx_buffer_get(call, (divider_limbs(pn, m) + un + qn + 2 * n + pn) * sizeof *a, &memory));
    root.u = (mp_limb_t *)memory + divider_limbs(pn, m);
    root.q = root.u + un;
    root.v = root.q + qn;
    root.rest = root.v + n;
    mp_limb_t *const r = root.rest + pn;
    enum gfmul_status status = divider_begin(call, &root.x, level->odd.p, pn, m, memory, NULL);
    if (status == GFMUL_OK)
        status = divided(call, &root, r, a);
    if (status == GFMUL_OK)
        status = fraction(call, &root, high, root.v);
    if (status == GFMUL_OK)
        status = fraction(call, &root, low, r);
    divider_end(call->ctx, call, &root.x);
    ctx_buffer_put(call, memory);
    return status;
}

/* levels_split - from the fractions of the root's halves in f to those of the leaves.   *leaves out: f or g, where they are */
static enum gfmul_status levels_split(struct call *call, const struct radix_tree *x, mp_limb_t *f, mp_limb_t *g, mp_limb_t *t,
                                      mp_limb_t **leaves)
{
    for (unsigned i = x->n - 1; i-- > 0;) {
        const size_t fn = x->level[i + 1].n + 1, n = x->level[i].n + 1, count = (size_t)1 << (x->n - 1 - i);
        radix_share(call, 1.0 / (i + 1));
        for (size_t k = 0; k < count; k++)
            TRY(split(call, &x->level[i], g + 2 * k * n, g + (2 * k + 1) * n, f + k * fn, fn, t));
        mp_limb_t *const swap = f;
        f = g;
        g = swap;
    }
    *leaves = f;
    return GFMUL_OK;
}

static enum gfmul_status by_tree(struct call *call, const struct radix_tree *x, char *z, const mp_limb_t *a, size_t an)
{
    const size_t room = (x->level[0].n + 1) << x->n;
    size_t longest = 0;
    for (unsigned i = 0; i + 1 < x->n; i++)
        longest = x->level[i].ring.n > longest ? x->level[i].ring.n : longest;
    void *memory;
    TRY(ctx_buffer_get(call, (2 * room + 2 * longest + 1) * sizeof *a, &memory));
    mp_limb_t *f = memory, *g = f + room, *leaves;
    const struct radix_level *const root = &x->level[x->n - 1];
    memcpy(g, a, an * sizeof *g);
    memset(g + an, 0, (2 * root->n - an) * sizeof *g);
    enum gfmul_status status = root_split(call, root, f, f + root->n + 1, g);
    if (status == GFMUL_OK)
        status = levels_split(call, x, f, g, g + room, &leaves);
    if (status == GFMUL_OK)
        leaves_write(x, z, leaves, call->threads);
    ctx_buffer_put(call, memory);
    return status;
}

/* text_by_tree - write the text to a buffer and copy it to z, because the tree has up to 2^n digits more than the number. */
static enum gfmul_status text_by_tree(struct call *call, struct radix_tree *x, char *z, size_t *zn, const mp_limb_t *a, size_t an)
{
    const size_t digits = x->leaf << x->n;
    size_t zeros = 0;
    void *room;
    TRY(ctx_buffer_get(call, digits, &room));
    const char *text = room;
    enum gfmul_status status = by_tree(call, x, room, a, an);
    while (status == GFMUL_OK && zeros + 1 < digits && text[zeros] == '0')
        zeros++;
    if (status == GFMUL_OK && digits - zeros > limbs_text_max(an, x->base))
        status = call_fail(call, GFMUL_ERR_VERIFY, "a converted number has too many digits");
    if (status == GFMUL_OK) {
        *zn = digits - zeros;
        memcpy(z, text + zeros, *zn);
    }
    ctx_buffer_put(call, room);
    return status;
}

enum gfmul_status radix_to_text(struct call *call, char *z, size_t *zn, const mp_limb_t *a, size_t an, unsigned base)
{
    struct radix_tree x;
    an = limbs_normal_size(a, an);
    enum gfmul_status status = radix_begin(call, &x, base, radix_digits(limbs_bit_length(a, an), base), true);
    if (status == GFMUL_OK)
        status = text_by_tree(call, &x, z, zn, a, an);
    radix_end(call, &x);
    TRY(status);
    return radix_check(call, a, an, z, *zn, base);
}
