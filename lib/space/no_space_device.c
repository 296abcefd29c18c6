/*
 * no_space_device.c - the functions of spaces on a device in a build without OpenCL: no space is on one.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "space/space_device.h"

enum gfmul_status space_device_begin(struct call *call, struct gfmul_space *space)
{
    (void)call, (void)space;
    return GFMUL_OK;
}

void space_device_end(struct gfmul_space *space)
{
    (void)space;
}

/* Nothing below is reached: there is no space on a device, and no number. */

bool space_device_takes(const struct gfmul_space *space, const struct natural *x)
{
    (void)space, (void)x;
    return false;
}

void device_leave(struct natural *x)
{
    (void)x;
}

static enum gfmul_status no_device(struct call *call)
{
    return call_fail(call, GFMUL_ERR_UNSUPPORTED, "this build has no OpenCL");
}

enum gfmul_status device_download(struct call *call, const struct natural *x, mp_limb_t *z)
{
    (void)x, (void)z;
    return no_device(call);
}

enum gfmul_status device_sum(struct call *call, struct gfmul_space *space, const struct sum *s, struct device_value *v,
                             bool *made)
{
    (void)space, (void)s, (void)v, (void)made;
    return no_device(call);
}

enum gfmul_status device_value_take(struct call *call, struct device_value *v, struct integer *x)
{
    (void)v, (void)x;
    return no_device(call);
}

void device_value_drop(struct device_value *v)
{
    (void)v;
}

enum gfmul_status device_integers_add(struct call *call, struct integer *z, const struct integer *x, const struct integer *y,
                                      bool *made)
{
    (void)z, (void)x, (void)y, (void)made;
    return no_device(call);
}

enum gfmul_status device_value_add(struct call *call, struct device_value *v, const struct value *x, const uint64_t *residue,
                                   bool *made)
{
    (void)v, (void)x, (void)residue, (void)made;
    return no_device(call);
}

enum gfmul_status device_value_add_times(struct call *call, struct device_value *v, const struct natural *x, int32_t times,
                                         bool *made)
{
    (void)v, (void)x, (void)times, (void)made;
    return no_device(call);
}

enum gfmul_status device_number_set(struct call *call, struct gfmul_space *space, struct integer *x,
                                    const struct gfmul_device_operand *a)
{
    (void)space, (void)x, (void)a;
    return no_device(call);
}

enum gfmul_status device_number_get(struct call *call, struct gfmul_space *space, const struct integer *x,
                                    struct gfmul_device_operand *z)
{
    (void)space, (void)x, (void)z;
    return no_device(call);
}
