/*
 * radix_in.c - from text to limbs: leaves limb by limb, then pairs are joined as high times power plus low.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "above/radix.h"
#include "base/parallel.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "text/text_chars.h"

/* limb_read - the number of n <= in_limb digits. */
static inline mp_limb_t limb_read(const struct radix_powers *b, const char *digits, size_t n)
{
    const int letters = b->power[1] > 10;
    mp_limb_t x = 0;
    size_t at = 0;
    for (; at + 8 <= n; at += 8)
        x = x * b->power[8] +
            values_join(chars_to_values(chars_load(digits + at), letters), b->power[1], b->power[2], b->power[4]);
    if (at > 0 && at < n) { /* the last eight characters, without those that have been read */
        const uint64_t rest = ((uint64_t)1 << 8 * (n - at)) - 1, v = chars_to_values(chars_load(digits + n - 8), letters) & rest;
        return x * b->power[n - at] + values_join(v, b->power[1], b->power[2], b->power[4]);
    }
    for (; at < n; at++)
        x = x * b->power[1] + char_value(digits[at]);
    return x;
}

/* limbs_read - the numbers of in_limb digits each. */
static void limbs_read(const struct radix_powers *b, mp_limb_t *limb, const char *digits, size_t count)
{
    const mp_limb_t first = 10000000000000000; /* the weight of three decimal digits before sixteen others */
    size_t i = 0;
    if (b->power[1] == 10)
        for (; i + 2 <= count; i += 2, digits += 38) {
            uint64_t low[2];
            decimals_join_16(low, digits + 3, digits + 22);
            for (unsigned k = 0; k < 2; k++) {
                const char *const s = digits + 19 * k;
                limb[i + k] = first * (unsigned)(100 * (s[0] - '0') + 10 * (s[1] - '0') + (s[2] - '0')) + low[k];
            }
        }
    for (; i < count; i++, digits += b->in_limb)
        limb[i] = limb_read(b, digits, b->in_limb);
}

/*
 * leaf_read - convert n digits to w limbs.
 * All limbs are read before they are joined, because each product waits for the one before.
 */
static void leaf_read(const struct radix_powers *b, mp_limb_t *z, size_t w, const char *digits, size_t n)
{
    const mp_limb_t whole = b->power[b->in_limb];
    const size_t first = n % b->in_limb, count = n / b->in_limb;
    mp_limb_t limb[RADIX_LEAF_LIMBS];
    size_t zn = 1;
    z[0] = limb_read(b, digits, first);
    limbs_read(b, limb, digits + first, count);
    for (size_t i = 0; i < count; i++) {
        mp_limb_t carry = mpn_mul_1(z, z, (mp_size_t)zn, whole);
        carry += mpn_add_1(z, z, (mp_size_t)zn, limb[i]);
        if (carry > 0) /* below whole */
            z[zn++] = carry;
    }
    memset(z + zn, 0, (w - zn) * sizeof *z);
}

struct leaves {
    const struct radix_tree *x;
    mp_limb_t *z;
    size_t w, n;
    const char *digits;
};

static void leaves_run(void *arg, unsigned t, size_t first, size_t behind)
{
    const struct leaves *const l = arg;
    const struct radix_powers b = radix_powers_of(l->x->base);
    (void)t;
    for (size_t i = first; i < behind; i++) {
        const size_t end = l->n - i * l->x->leaf, len = end < l->x->leaf ? end : l->x->leaf;
        leaf_read(&b, l->z + i * l->w, l->w, l->digits + end - len, len);
    }
}

/* leaves_read - convert all leaves, the lowest digits first, to w limbs each. */
static void leaves_read(const struct radix_tree *x, mp_limb_t *z, size_t w, const char *digits, size_t n, unsigned threads)
{
    parallel_for(threads, (n - 1) / x->leaf + 1, 1, leaves_run, &(struct leaves){x, z, w, n, digits});
}

/* join - z = high P + low for two nodes of w >= level->n limbs.  t: ring + 1 limbs;  z: 2 w limbs. */
static enum gfmul_status join(struct call *call, const struct radix_level *level, mp_limb_t *z, const mp_limb_t *low, size_t w,
                              mp_limb_t *t)
{
    const size_t zeros = level->shift / 64, n = level->ring.n + 1, room = 2 * w - zeros, both = room < n ? room : n;
    const unsigned bits = level->shift % 64;
    /* with the shift the product is below base^(2 digits), so nothing wraps around */
    TRY(ring_mul(call, &level->ring, t, low + w, w, &level->odd));
    memset(z, 0, zeros * sizeof *z);
    if (bits > 0)
        mpn_lshift(z + zeros, t, (mp_size_t)both, bits);
    else
        memcpy(z + zeros, t, both * sizeof *z);
    memset(z + zeros + both, 0, (room - both) * sizeof *z);
    mpn_add(z, z, (mp_size_t)(2 * w), low, (mp_size_t)w);
    return GFMUL_OK;
}

/* The nodes of a level. */
struct nodes {
    mp_limb_t *p; /* n times w limbs */
    size_t n, w;
};

/* joined - join all levels.   nodes i/o: the leaves, then one node, the number.   to: room for all nodes of a level */
static enum gfmul_status joined(struct call *call, const struct radix_tree *x, struct nodes *nodes, mp_limb_t *to, mp_limb_t *t)
{
    for (unsigned i = 0; i < x->n; i++) {
        const size_t count = nodes->n, wide = nodes->w; /* a node of the next level has two of them */
        mp_limb_t *const from = nodes->p;
        radix_share(call, 1.0 / (x->n - i));
        for (size_t k = 0; k < count; k += 2) {
            mp_limb_t *node = to + k * wide;
            if (k + 1 < count) {
                TRY(join(call, &x->level[i], node, from + k * wide, wide, t));
                continue;
            }
            memcpy(node, from + k * wide, wide * sizeof *node);
            memset(node + wide, 0, wide * sizeof *node);
        }
        *nodes = (struct nodes){to, (count + 1) / 2, 2 * wide};
        to = from;
    }
    return GFMUL_OK;
}

static enum gfmul_status by_tree(struct call *call, const struct radix_tree *x, mp_limb_t *z, size_t *zn, const char *digits,
                                 size_t n)
{
    const size_t count = (n - 1) / x->leaf + 1, even = count + count % 2;
    size_t w = x->level[0].n, longest = 0; /* of a leaf, then of the number */
    for (unsigned i = 0; i < x->n; i++)
        longest = x->level[i].ring.n > longest ? x->level[i].ring.n : longest;
    void *memory;
    const size_t room = (even + ((size_t)1 << x->n)) * w; /* a level's last node may be half empty */
    TRY(ctx_buffer_get(call, (2 * room + longest + 1) * sizeof *z, &memory));
    mp_limb_t *a = memory, *b = a + room, *t = b + room;
    leaves_read(x, a, w, digits, n, call->threads);
    struct nodes nodes = {a, count, w};
    enum gfmul_status status = joined(call, x, &nodes, b, t);
    if (status == GFMUL_OK && (w = limbs_normal_size(nodes.p, nodes.w)) > text_limbs_max(n, x->base))
        status = call_fail(call, GFMUL_ERR_VERIFY, "a converted number has too many limbs");
    if (status == GFMUL_OK) {
        *zn = w;
        memcpy(z, nodes.p, w * sizeof *z);
    }
    ctx_buffer_put(call, memory);
    return status;
}

enum gfmul_status radix_to_limbs(struct call *call, mp_limb_t *z, size_t *zn, const char *digits, size_t n, unsigned base)
{
    struct radix_tree x;
    enum gfmul_status status = radix_begin(call, &x, base, n, false);
    if (status == GFMUL_OK)
        status = by_tree(call, &x, z, zn, digits, n);
    radix_end(call, &x);
    TRY(status);
    return radix_check(call, z, *zn, digits, n, base);
}
