/*
 * spectrum_text.c - spectra from text, and to text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "above/radix.h"
#include "base/try.h"
#include "mul/call_run.h"
#include "space/spectrum.h"

/* ---- from text ---- */

struct from_arguments {
    struct gfmul_spectrum *x;
    struct text_argument from;
};

static enum gfmul_status from_checked(struct call *call, const void *arguments)
{
    const struct from_arguments *of = arguments;
    const struct gfmul_space *space = of->x->space;
    mp_limb_t *a;
    size_t an;
    bool negative;
    TRY(space_begin(call, of->x->space));
    TRY(radix_read(call, &a, &an, &negative, (struct radix_room){space->wraps == 0 ? space->limbs : SIZE_MAX, GFMUL_ERR_SIZE},
                   &of->from));
    const enum gfmul_status status = spectrum_write(call, of->x, a, an, negative);
    ctx_buffer_put(call, a);
    return status;
}

enum gfmul_status gfmul_spectrum_set_str(struct gfmul_spectrum *x, const char *text, size_t len, int base)
{
    const struct from_arguments of = {x, {text, len, base}};
    if (!x)
        return GFMUL_ERR_ARGUMENT;
    return call_run(x->space->ctx, &(struct call_work)CALL_WORK(from_checked, &of, len / TEXT_LIMB_CHARS));
}

/* ---- to text ---- */

struct to_arguments {
    struct gfmul_spectrum *x;
    struct text_result to;
};

/* A number of the space's length is printed by about so many products of the longest factors. */
enum { PRINT_PRODUCTS = 8 };

static enum gfmul_status to_checked(struct call *call, const void *arguments)
{
    const struct to_arguments *of = arguments;
    const double terms = (double)spectrum_terms(of->x);
    struct integer v;
    TRY(radix_result_check(call, &of->to));
    TRY(space_begin(call, of->x->space));
    call->share_span = terms / (terms + PRINT_PRODUCTS); /* of the sum; then the conversion takes its own */
    TRY(spectrum_read(call, &v, of->x));
    const enum gfmul_status status = radix_print(call, &of->to, v.x ? v.x->limbs : NULL, v.x ? v.x->n : 0, v.negative);
    natural_put(v.x);
    return status;
}

enum gfmul_status gfmul_spectrum_get_str(struct gfmul_spectrum *x, char *z, size_t z_size, size_t *z_len, int base)
{
    const struct to_arguments of = {x, {z, z_size, z_len, base}};
    if (!x)
        return GFMUL_ERR_ARGUMENT;
    const size_t limbs = terms_limbs(x->space, spectrum_terms(x) + 1);
    return call_run(x->space->ctx, &(struct call_work)CALL_WORK(to_checked, &of, limbs));
}
