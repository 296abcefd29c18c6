/* limbs_add.h - a signed carry into limbs: what the carries of both precisions share.  Part of the stage templates. */
#ifndef GFMUL_LIMBS_ADD_H
#define GFMUL_LIMBS_ADD_H

/* limbs_add_signed - z += c, zn limbs; returns the carry or borrow out as -1, 0, 1. */
STAGE_INLINE int64_t limbs_add_signed(mp_limb_t *z, size_t zn, int64_t c)
{
    const mp_limb_t before = z[0];
    z[0] += (mp_limb_t)c;
    if (c >= 0 ? z[0] >= before : z[0] <= before)
        return 0;
    for (size_t i = 1; i < zn; i++)
        if (c >= 0 ? ++z[i] != 0 : z[i]-- != 0)
            return 0;
    return c >= 0 ? 1 : -1;
}

#endif
