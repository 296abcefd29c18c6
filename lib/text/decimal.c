/* decimal.c - choose the vectors for decimal text, and make weights of residues.  SPDX-License-Identifier: LGPL-3.0-or-later */
#include "text/decimal.h"

#include "base/cpu.h"
#include "limbs/residue.h"

#define ISA(name, ...) extern const struct decimal_ops decimal_##name;
#include "base/isa.def"

const struct decimal_ops *decimal_ops_of(unsigned isa_bit)
{
    static const struct decimal_ops *const ops[CPU_ISA_COUNT] = {
#define ISA(name, NAME, found, words, ...) (GFMUL_HAVE_##NAME) && (words) ? &decimal_##name : NULL,
#include "base/isa.def"
    };
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++)
        if (isa_bit == 1u << i)
            return ops[i];
    return NULL;
}

/*
 * decimal_place - the place of the weight of group g of a block.  Vectors take 2 lanes groups at a time, from each 128 bits of
 * the first half and of the second half in turn.  Groups with even numbers are in one vector, those with odd numbers in another.
 */
static size_t decimal_place(size_t g, unsigned lanes)
{
    const size_t in = g % (2 * lanes), half = in / lanes, k = in % lanes;
    return g - in + k % 2 * lanes + k / 2 * 2 + half;
}

uint64_t decimal_weights_set(struct decimal_weights *w, const struct decimal_ops *ops, uint64_t p)
{
    const uint64_t base = 100000000 % p;
    uint64_t power = 1 % p;
    for (size_t g = DECIMAL_GROUPS; g-- > 0;) {
        const size_t at = decimal_place(g, ops->lanes);
        w->low[at] = power & ((UINT64_C(1) << DECIMAL_PIECE_BITS) - 1);
        w->high[at] = power >> DECIMAL_PIECE_BITS;
        power = residue_mul(power, base, p);
    }
    return power;
}
