/*
 * parts.c - the low and the high part of a product: whole products of operands that are cut to the limbs that matter.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "above/parts.h"

#include <string.h>

#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/mul.h"

enum gfmul_status part_arguments_check(struct call *call, const struct part_arguments *of)
{
    if (of->an >= MUL_LIMBS_END || of->bn >= MUL_LIMBS_END || of->zn >= 2 * MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu and %zu limbs are too many", of->an, of->bn);
    if ((!of->z && of->zn > 0) || (!of->a && of->an > 0) || (!of->b && of->bn > 0))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a pointer to limbs is NULL");
    if (limbs_overlap(of->z, of->zn, of->a, of->an) || limbs_overlap(of->z, of->zn, of->b, of->bn))
        return call_fail(call, GFMUL_ERR_OVERLAP, "the result overlaps an operand");
    return GFMUL_OK;
}

/* part - limbs from .. from + zn of a b, from + zn <= an + bn. */
static enum gfmul_status part(struct call *call, const struct part_arguments *of)
{
    if (of->an + of->bn == of->zn)
        return mul_limbs(call, of->z, of->a, of->an, of->b, of->bn, true);
    void *room;
    TRY(ctx_buffer_get(call, (of->an + of->bn) * sizeof *of->z, &room));
    const enum gfmul_status status = mul_limbs(call, room, of->a, of->an, of->b, of->bn, true);
    if (status == GFMUL_OK)
        memcpy(of->z, (mp_limb_t *)room + of->from, of->zn * sizeof *of->z);
    ctx_buffer_put(call, room);
    return status;
}

static enum gfmul_status part_checked(struct call *call, const void *arguments)
{
    const struct part_arguments *of = arguments;
    TRY(part_arguments_check(call, of));
    if (of->from > of->an + of->bn || of->zn > of->an + of->bn - of->from)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the product has fewer limbs than its part");
    if (of->zn == 0)
        return GFMUL_OK;
    const size_t end = of->from + of->zn; /* higher limbs of the operands do not matter */
    struct part_arguments low = *of;
    low.an = of->an < end ? of->an : end;
    low.bn = of->bn < end ? of->bn : end;
    return part(call, &low);
}

enum gfmul_status gfmul_mullow(struct gfmul_ctx *ctx, mp_limb_t *z, size_t zn, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                               size_t bn)
{
    const struct part_arguments of = {z, a, b, zn, an, bn, 0};
    return call_run(ctx, &(struct call_work)CALL_WORK(part_checked, &of, zn));
}

enum gfmul_status gfmul_mulhigh(struct gfmul_ctx *ctx, mp_limb_t *z, size_t low, const mp_limb_t *a, size_t an,
                                const mp_limb_t *b, size_t bn)
{
    const struct part_arguments of = {z, a, b, low < an + bn ? an + bn - low : 0, an, bn, low};
    return call_run(ctx, &(struct call_work)CALL_WORK(part_checked, &of, an + bn));
}
