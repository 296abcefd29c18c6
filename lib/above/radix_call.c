/*
 * radix_call.c - conversion between text and limbs or mpz_t: check the arguments, treat the sign, choose the method.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "above/radix.h"
#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/mul.h"

/* ---- to text ---- */

size_t gfmul_get_str_size(size_t an, int base)
{
    size_t digits;
    if (!base_is_valid(base) || an >= MUL_LIMBS_END)
        return 0;
    digits = limbs_text_max(an > 0 ? an : 1, (unsigned)base);
    return digits > 0 && size_add(&digits, digits, 2) ? digits : 0;
}

struct print_arguments {
    struct text_result to;
    const mp_limb_t *a;
    size_t an;
    bool negative;
};

/* digits_of - write the digits of a > 0 into room for limbs_text_max characters. */
static enum gfmul_status digits_of(struct call *call, char *z, size_t *zn, const mp_limb_t *a, size_t an, unsigned base)
{
    if (radix_pays(call, an, base, true))
        return radix_to_text(call, z, zn, a, an, base);
    if ((base & (base - 1)) != 0)
        TRY(ctx_memory_room(call, (an + 1) * sizeof *a)); /* the conversion makes a copy */
    return limbs_to_text(z, zn, a, an, base);
}

static enum gfmul_status pointer_missing(struct call *call)
{
    return call_fail(call, GFMUL_ERR_ARGUMENT, "a pointer is NULL");
}

enum gfmul_status radix_result_check(struct call *call, const struct text_result *to)
{
    if (!base_is_valid(to->base))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "bases are 2 to 36");
    return to->z ? GFMUL_OK : pointer_missing(call);
}

enum gfmul_status radix_print(struct call *call, const struct text_result *to, const mp_limb_t *a, size_t an, bool negative)
{
    an = limbs_normal_size(a, an);
    const size_t room = limbs_text_max(an > 0 ? an : 1, (unsigned)to->base), sign = negative && an > 0;
    size_t n = 1;
    void *text;
    phase_enter(&call->clock, PHASE_PRINT);
    TRY(ctx_buffer_get(call, room, &text));
    enum gfmul_status status = digits_of(call, text, &n, a, an, (unsigned)to->base);
    if (status == GFMUL_OK && (n >= to->size || sign + n >= to->size))
        status = call_fail(call, GFMUL_ERR_ARGUMENT, "the text has %zu characters, more than there is room for", sign + n);
    if (status == GFMUL_OK) {
        to->z[0] = '-';
        memcpy(to->z + sign, text, n);
        to->z[sign + n] = '\0';
        if (to->len)
            *to->len = sign + n;
    }
    ctx_buffer_put(call, text);
    return status;
}

static enum gfmul_status print_checked(struct call *call, const void *arguments)
{
    const struct print_arguments *of = arguments;
    TRY(radix_result_check(call, &of->to));
    if (!of->a && of->an > 0)
        return pointer_missing(call);
    if (of->an >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu limbs are too many", of->an);
    return radix_print(call, &of->to, of->a, of->an, of->negative);
}

enum gfmul_status gfmul_get_str(struct gfmul_ctx *ctx, char *z, size_t z_size, size_t *z_len, int base, const mp_limb_t *a,
                                size_t an)
{
    const struct print_arguments of = {{z, z_size, z_len, base}, a, an, false};
    return call_run(ctx, &(struct call_work)CALL_WORK(print_checked, &of, an));
}

static enum gfmul_status integer_missing(struct call *call, const void *arguments)
{
    (void)arguments;
    return call_fail(call, GFMUL_ERR_ARGUMENT, "an integer is NULL");
}

enum gfmul_status gfmul_mpz_get_str(struct gfmul_ctx *ctx, char *z, size_t z_size, size_t *z_len, int base, mpz_srcptr a)
{
    const struct print_arguments of = {
        {z, z_size, z_len, base}, a ? mpz_limbs_read(a) : NULL, a ? mpz_size(a) : 0, a && mpz_sgn(a) < 0};
    return call_run(ctx, &(struct call_work)CALL_WORK(a ? print_checked : integer_missing, &of, of.an));
}

/* ---- from text ---- */

size_t gfmul_set_str_limbs(size_t len, int base)
{
    /* base 0 means any base that a prefix can name; 16 is the largest */
    return base == 0 || base_is_valid(base) ? text_limbs_max(len, base == 0 ? 16 : (unsigned)base) : 0;
}

struct read_arguments {
    mp_limb_t *z; /* NULL: the result goes to `integer` */
    mpz_ptr integer;
    size_t z_limbs, *zn;
    int *negative;
    struct text_argument text;
};

/* limbs_of - convert a number that has been scanned into room for text_limbs_max limbs. */
static enum gfmul_status limbs_of(struct call *call, mp_limb_t *z, size_t *zn, const struct text_number *x)
{
    if (x->n_digits > 0 && radix_pays(call, text_limbs_max(x->n_digits, x->base), x->base, false))
        return radix_to_limbs(call, z, zn, x->digits, x->n_digits, x->base);
    TRY(ctx_memory_room(call, x->n_digits)); /* the conversion makes a copy */
    return text_to_limbs(z, zn, x);
}

/* deliver - put the limbs where the caller wants them. */
static enum gfmul_status deliver(struct call *call, const struct read_arguments *of, const mp_limb_t *z, size_t zn, bool negative)
{
    if (of->z) {
        if (zn > of->z_limbs)
            return call_fail(call, GFMUL_ERR_ARGUMENT, "the number has %zu limbs, more than there is room for", zn);
        memcpy(of->z, z, zn * sizeof *z);
        *of->zn = zn;
        if (of->negative)
            *of->negative = negative;
        return GFMUL_OK;
    }
    if (zn == 0) {
        mpz_set_ui(of->integer, 0);
        return GFMUL_OK;
    }
    mpz_t x;
    TRY(mul_mpz_begin(call, x, zn));
    memcpy(mpz_limbs_write(x, (mp_size_t)zn), z, zn * sizeof *z);
    mul_mpz_end(call, of->integer, x, zn, negative, GFMUL_OK);
    return GFMUL_OK;
}

/* limbs_read - the limbs of a number that has been scanned, in a buffer. */
static enum gfmul_status limbs_read(struct call *call, mp_limb_t **z, size_t *zn, struct radix_room most,
                                    const struct text_number *x)
{
    const size_t limbs = text_limbs_max(x->n_digits, x->base), least = text_limbs_min(x->n_digits, x->base);
    void *room;
    if (least > most.limbs)
        return call_fail(call, most.error, "%zu digits have %zu limbs or more, but there is room for %zu", x->n_digits, least,
                         most.limbs);
    if (limbs == 0 || limbs >= MUL_LIMBS_END)
        return call_fail(call, GFMUL_ERR_SIZE, "%zu digits are too many", x->n_digits);
    TRY(ctx_buffer_get(call, limbs * sizeof **z, &room));
    const enum gfmul_status status = limbs_of(call, room, zn, x);
    if (status == GFMUL_OK)
        *z = room;
    else
        ctx_buffer_put(call, room);
    return status;
}

enum gfmul_status radix_read(struct call *call, mp_limb_t **z, size_t *zn, bool *negative, struct radix_room most,
                             const struct text_argument *from)
{
    struct text_number x;
    *z = NULL;
    *zn = 0;
    *negative = false;
    if (from->base != 0 && !base_is_valid(from->base))
        return call_fail(call, GFMUL_ERR_ARGUMENT, "bases are 2 to 36, or 0");
    if (!from->text && from->len > 0)
        return pointer_missing(call);
    const size_t reserved = call->reserved;
    phase_enter(&call->clock, PHASE_PARSE);
    TRY(mul_text_scan(call, &x, 0, from));
    const enum gfmul_status status = limbs_read(call, z, zn, most, &x);
    *negative = x.negative;
    text_number_free(&x);
    call->reserved = reserved; /* without a copy of the digits */
    return status;
}

static enum gfmul_status read_checked(struct call *call, const void *arguments)
{
    const struct read_arguments *of = arguments;
    mp_limb_t *z;
    size_t zn;
    bool negative;
    if ((!of->z && !of->integer) || (of->z && !of->zn))
        return pointer_missing(call);
    TRY(radix_read(call, &z, &zn, &negative, (struct radix_room){of->z ? of->z_limbs : SIZE_MAX, GFMUL_ERR_ARGUMENT}, &of->text));
    const enum gfmul_status status = deliver(call, of, z, zn, negative);
    ctx_buffer_put(call, z);
    return status;
}

static enum gfmul_status read_run(struct gfmul_ctx *ctx, const struct read_arguments *of)
{
    return call_run(ctx, &(struct call_work)CALL_WORK(read_checked, of, of->text.len / TEXT_LIMB_CHARS));
}

enum gfmul_status gfmul_set_str(struct gfmul_ctx *ctx, mp_limb_t *z, size_t z_limbs, size_t *zn, int *negative, const char *text,
                                size_t len, int base)
{
    return read_run(ctx, &(struct read_arguments){z, NULL, z_limbs, zn, negative, {text, len, base}});
}

enum gfmul_status gfmul_mpz_set_str(struct gfmul_ctx *ctx, mpz_ptr z, const char *text, size_t len, int base)
{
    return read_run(ctx, &(struct read_arguments){NULL, z, 0, NULL, NULL, {text, len, base}});
}
