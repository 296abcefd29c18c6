/*
 * conv.c - convolutions: checks, and which transforms carry them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fft/conv.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/overlap.h"
#include "base/rounding.h"

void gfmul_conv_options_init(struct gfmul_conv_options *opt)
{
    if (opt == NULL)
        return;
    memset(opt, 0, sizeof *opt);
    opt->struct_bytes = sizeof *opt;
    opt->words = 2;
}

static bool is_float(const struct gfmul_conv_options *opt)
{
    return opt->number == GFMUL_CONV_REAL || opt->number == GFMUL_CONV_COMPLEX || opt->number >= GFMUL_CONV_REAL_FLOAT;
}

/* alignment_of - of the numbers of a sequence, and of a result. */
static size_t alignment_of(const struct gfmul_conv_options *opt)
{
    return opt->number == GFMUL_CONV_INT32 || opt->number >= GFMUL_CONV_REAL_FLOAT ? 4 : 8;
}

static bool is_aligned(const struct gfmul_conv_options *opt, const void *p, bool result)
{
    return (uintptr_t)p % (result && opt->number == GFMUL_CONV_INT32 ? 8 : alignment_of(opt)) == 0;
}

size_t conv_number_bytes(const struct gfmul_conv_options *opt)
{
    return opt->number == GFMUL_CONV_COMPLEX ? 16 : opt->number == GFMUL_CONV_COMPLEX_FLOAT ? 8 : alignment_of(opt);
}

size_t conv_result_bytes(const struct gfmul_conv_options *opt)
{
    bool integers = opt->number == GFMUL_CONV_INT32 || opt->number == GFMUL_CONV_INT64;
    return integers ? opt->words * sizeof(uint64_t) : conv_number_bytes(opt);
}

static enum gfmul_status options_check(struct gfmul_conv_options *opt, const struct gfmul_conv_options *given)
{
    gfmul_conv_options_init(opt);
    if (given != NULL) {
        if (given->struct_bytes == 0 || given->struct_bytes > sizeof *opt)
            return GFMUL_ERR_ARGUMENT;
        memcpy(opt, given, given->struct_bytes);
    }
    if ((unsigned)opt->kind > GFMUL_CONV_NEGACYCLIC || (unsigned)opt->number > GFMUL_CONV_COMPLEX_FLOAT ||
        ((opt->number == GFMUL_CONV_INT32 || opt->number == GFMUL_CONV_INT64) && (opt->words < 1 || opt->words > 3)))
        return GFMUL_ERR_ARGUMENT;
    return opt->number == GFMUL_CONV_MOD && opt->modulus < 2 ? GFMUL_ERR_ARGUMENT : GFMUL_OK;
}

/* The part of a that one transform takes: all, unless it is much longer than b. */
static size_t block_points(const struct gfmul_conv_options *opt, size_t bn, size_t max_an)
{
    const size_t least = 4096;
    size_t block = bn > least / 4 ? 4 * bn : least;
    return opt->kind == GFMUL_CONV_LINEAR && max_an > block ? block : max_an;
}

static enum gfmul_status create(struct gfmul_conv **result, const void *b, size_t bn, size_t max_an,
                                const struct gfmul_conv_options *opt, unsigned a_bits)
{
    ROUND_LONG_DOUBLE; /* of the weights */
    /* below this no size in here overflows: 3 words or 16 pieces for each of an + bn numbers */
    if (bn > SIZE_MAX / 4096 || max_an > SIZE_MAX / 4096)
        return GFMUL_ERR_SIZE;
    struct gfmul_conv *c = calloc(1, sizeof *c);
    if (c == NULL)
        return GFMUL_ERR_MEMORY;
    c->opt = *opt;
    c->bn = bn;
    c->block = block_points(opt, bn, max_an);
    enum gfmul_status status = is_float(opt) ? conv_float_create(c, b) : conv_int_create(c, b, a_bits);
    if (status != GFMUL_OK) {
        gfmul_conv_destroy(c);
        c = NULL;
    }
    *result = c;
    return status;
}

enum gfmul_status gfmul_conv_create(struct gfmul_conv **conv, const void *b, size_t bn, size_t max_an,
                                    const struct gfmul_conv_options *given)
{
    ROUND_TO_NEAREST;
    struct gfmul_conv_options opt;
    unsigned a_bits = 0;
    if (conv == NULL)
        return GFMUL_ERR_ARGUMENT;
    *conv = NULL;
    enum gfmul_status status = options_check(&opt, given);
    if (status != GFMUL_OK)
        return status;
    if (b == NULL || bn == 0 || max_an == 0 || !is_aligned(&opt, b, false) || (opt.kind != GFMUL_CONV_LINEAR && max_an != bn))
        return GFMUL_ERR_ARGUMENT;
    if (!is_float(&opt)) {
        status = conv_int_bits(&opt, NULL, 0, &a_bits);
        if (status != GFMUL_OK)
            return status;
    }
    return create(conv, b, bn, max_an, &opt, a_bits);
}

static size_t result_count(const struct gfmul_conv_options *opt, size_t an, size_t bn)
{
    return opt->kind == GFMUL_CONV_LINEAR ? an + bn - 1 : bn;
}

static enum gfmul_status run(const struct gfmul_conv *c, void *z, const void *a, size_t an)
{
    memset(z, 0, result_count(&c->opt, an, c->bn) * conv_result_bytes(&c->opt));
    return is_float(&c->opt) ? conv_float_run(c, z, a, an) : conv_int_run(c, z, a, an);
}

enum gfmul_status gfmul_conv_run(const struct gfmul_conv *c, void *z, const void *a, size_t an)
{
    ROUND_TO_NEAREST;
    if (c == NULL || z == NULL || a == NULL || an == 0 || !is_aligned(&c->opt, a, false) || !is_aligned(&c->opt, z, true) ||
        (c->opt.kind != GFMUL_CONV_LINEAR && an != c->bn))
        return GFMUL_ERR_ARGUMENT;
    if (an > SIZE_MAX / 4096)
        return GFMUL_ERR_SIZE;
    if (bytes_overlap(z, result_count(&c->opt, an, c->bn) * conv_result_bytes(&c->opt), a, an * conv_number_bytes(&c->opt)))
        return GFMUL_ERR_OVERLAP;
    unsigned bits;
    enum gfmul_status status = c->opt.number == GFMUL_CONV_MOD ? conv_int_bits(&c->opt, a, an, &bits) : GFMUL_OK;
    return status == GFMUL_OK ? run(c, z, a, an) : status;
}

void gfmul_conv_destroy(struct gfmul_conv *c)
{
    if (c == NULL)
        return;
    gfmul_fft_destroy(c->fft);
    plan_destroy(c->plan);
    alloc_free(c->spectrum);
    alloc_free(c->weights);
    alloc_free(c->spectra);
    free(c);
}

enum gfmul_status gfmul_convolve(void *z, const void *a, size_t an, const void *b, size_t bn,
                                 const struct gfmul_conv_options *given)
{
    ROUND_TO_NEAREST;
    struct gfmul_conv_options opt;
    struct gfmul_conv *c = NULL;
    unsigned a_bits = 0;
    enum gfmul_status status = options_check(&opt, given);
    if (status != GFMUL_OK)
        return status;
    if (z == NULL || a == NULL || b == NULL || an == 0 || bn == 0 || !is_aligned(&opt, a, false) || !is_aligned(&opt, b, false) ||
        !is_aligned(&opt, z, true) || (opt.kind != GFMUL_CONV_LINEAR && an != bn))
        return GFMUL_ERR_ARGUMENT;
    if (an > SIZE_MAX / 4096 || bn > SIZE_MAX / 4096)
        return GFMUL_ERR_SIZE;
    if (an < bn) {
        const void *t = a;
        size_t tn = an;
        a = b;
        an = bn;
        b = t;
        bn = tn;
    }
    size_t z_bytes = result_count(&opt, an, bn) * conv_result_bytes(&opt), number = conv_number_bytes(&opt);
    if (bytes_overlap(z, z_bytes, a, an * number) || bytes_overlap(z, z_bytes, b, bn * number))
        return GFMUL_ERR_OVERLAP;
    if (!is_float(&opt))
        status = conv_int_bits(&opt, a, an, &a_bits);
    if (status == GFMUL_OK)
        status = create(&c, b, bn, an, &opt, a_bits);
    if (status == GFMUL_OK)
        status = run(c, z, a, an);
    gfmul_conv_destroy(c);
    return status;
}
