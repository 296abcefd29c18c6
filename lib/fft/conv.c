/*
 * conv.c - convolutions: checks their arguments and chooses the transforms.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fft/conv.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/overlap.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "base/threads.h"
#include "base/try.h"
#include "fft/fft.h"

/* From this many numbers on, the sequences of a batch are convolved one after another, each on all threads. */
static const size_t alone_numbers = 16384;

void gfmul_conv_options_init(struct gfmul_conv_options *opt)
{
    if (opt == NULL)
        return;
    memset(opt, 0, sizeof *opt);
    opt->struct_bytes = sizeof *opt;
    opt->words = 2;
    opt->batch = 1;
}

static bool is_float(const struct gfmul_conv_options *opt)
{
    return conv_real_bytes(opt) != 0;
}

static bool names_device(const struct gfmul_conv_options *opt)
{
    return opt->cl_context != NULL || opt->cl_queue != NULL || fft_names_device(opt->device);
}

/* uses_primes - whether conv_prime.c handles these options; doc/decisions/convolutions.md. */
static bool uses_primes(const struct gfmul_conv_options *opt)
{
    return !names_device(opt) &&
           (opt->number == GFMUL_CONV_INT64 || opt->number == GFMUL_CONV_UINT64 || opt->number == GFMUL_CONV_MOD);
}

/* bits_of - as conv_int_bits or conv_prime_bits; 0 for real and complex numbers. */
static enum gfmul_status bits_of(const struct gfmul_conv_options *opt, const void *a, size_t an, unsigned *bits)
{
    *bits = 0;
    if (is_float(opt))
        return GFMUL_OK;
    return uses_primes(opt) ? conv_prime_bits(opt, a, an, bits) : conv_int_bits(opt, a, an, bits);
}

static bool is_aligned(const struct gfmul_conv_options *opt, const void *p, bool result)
{
    return (uintptr_t)p % (result && opt->number == GFMUL_CONV_INT32 ? 8 : conv_alignment(opt)) == 0;
}

static enum gfmul_status options_check(struct gfmul_conv_options *opt, const struct gfmul_conv_options *given)
{
    gfmul_conv_options_init(opt);
    if (given != NULL) {
        if (given->struct_bytes == 0 || given->struct_bytes > sizeof *opt)
            return GFMUL_ERR_ARGUMENT;
        memcpy(opt, given, given->struct_bytes);
    }
    if ((unsigned)opt->kind > GFMUL_CONV_NEGACYCLIC || (unsigned)opt->number > GFMUL_CONV_UINT64 || opt->batch == 0 ||
        (conv_has_words(opt) && (opt->words < 1 || opt->words > 3)))
        return GFMUL_ERR_ARGUMENT;
    if (names_device(opt) && opt->number == GFMUL_CONV_UINT64)
        return GFMUL_ERR_UNSUPPORTED;
    return opt->number == GFMUL_CONV_MOD && opt->modulus < 2 ? GFMUL_ERR_ARGUMENT : GFMUL_OK;
}

/* How much of a one transform takes: all, unless a is much longer than b. */
static size_t block_points(const struct gfmul_conv_options *opt, size_t bn, size_t max_an)
{
    const size_t least = 4096;
    size_t block = bn > least / 4 ? 4 * bn : least;
    return opt->kind == GFMUL_CONV_LINEAR && max_an > block ? block : max_an;
}

/* create - once: for a single batch, during which b stays valid. */
static enum gfmul_status create(struct gfmul_conv **result, const void *b, size_t bn, size_t max_an,
                                const struct gfmul_conv_options *opt, unsigned a_bits, bool once)
{
    ROUND_LONG_DOUBLE; /* of the weights */
    /* no size computed here overflows below this: 3 words or 16 pieces for each of an + bn numbers */
    if (bn > SIZE_MAX / 4096 || max_an > SIZE_MAX / 4096)
        return GFMUL_ERR_SIZE;
    struct gfmul_conv *c = calloc(1, sizeof *c);
    if (c == NULL)
        return GFMUL_ERR_MEMORY;
    c->opt = *opt;
    c->bn = bn;
    c->block = block_points(opt, bn, max_an < bn && names_device(opt) && opt->kind == GFMUL_CONV_LINEAR ? bn : max_an);
    const enum gfmul_status status = names_device(opt)  ? conv_ocl_create(c, b, a_bits)
                                     : is_float(opt)    ? conv_float_create(c, b)
                                     : uses_primes(opt) ? conv_prime_create(c, b, a_bits, once && max_an <= c->block)
                                                        : conv_int_create(c, b, a_bits);
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
    TRY(options_check(&opt, given));
    if (b == NULL || bn == 0 || max_an == 0 || !is_aligned(&opt, b, false) || (opt.kind != GFMUL_CONV_LINEAR && max_an != bn))
        return GFMUL_ERR_ARGUMENT;
    TRY(bits_of(&opt, NULL, 0, &a_bits));
    return create(conv, b, bn, max_an, &opt, a_bits, false);
}

static size_t result_count(const struct gfmul_conv_options *opt, size_t an, size_t bn)
{
    return opt->kind == GFMUL_CONV_LINEAR ? an + bn - 1 : bn;
}

/* Bytes of all sequences, and of all results, of a batch. */
struct batch_bytes {
    size_t a, z;
};

static enum gfmul_status batch_bytes_get(struct batch_bytes *bytes, const struct gfmul_conv_options *opt, size_t an, size_t bn)
{
    if (an > SIZE_MAX / 4096 || bn > SIZE_MAX / 4096 || !size_mul(&bytes->a, opt->batch, an * conv_number_bytes(opt)) ||
        !size_mul(&bytes->z, opt->batch, result_count(opt, an, bn) * conv_result_bytes(opt)))
        return GFMUL_ERR_SIZE;
    return GFMUL_OK;
}

static enum gfmul_status sequence_run(const struct gfmul_conv *c, void *z, const void *a, size_t an)
{
    if (c->primes != NULL)
        return conv_prime_run(c, z, a, an);
    memset(z, 0, result_count(&c->opt, an, c->bn) * conv_result_bytes(&c->opt));
    return is_float(&c->opt) ? conv_float_run(c, z, a, an) : conv_int_run(c, z, a, an);
}

/* A batch of sequences that threads take. */
struct batch_work {
    const struct gfmul_conv *c;
    char *z;
    const char *a;
    size_t an, z_bytes, a_bytes;
    atomic_int status;
};

static void sequences_run(void *arg, unsigned t, size_t first, size_t end)
{
    struct batch_work *const w = arg;
    (void)t;
    for (size_t k = first; k < end; k++) {
        const enum gfmul_status one = sequence_run(w->c, w->z + k * w->z_bytes, w->a + k * w->a_bytes, w->an);
        if (one != GFMUL_OK)
            atomic_store(&w->status, (int)one);
    }
}

/* run - convolve a whole batch; threads share short sequences. */
static enum gfmul_status run(const struct gfmul_conv *c, void *z, const void *a, size_t an)
{
    if (c->device != NULL)
        return conv_ocl_run(c, z, a, an);
    const size_t a_bytes = an * conv_number_bytes(&c->opt);
    const size_t z_bytes = result_count(&c->opt, an, c->bn) * conv_result_bytes(&c->opt);
    const unsigned available = c->opt.batch > 1 && an + c->bn < alone_numbers ? threads_available(c->opt.threads) : 1;
    const unsigned threads = available < c->opt.batch ? available : (unsigned)c->opt.batch;
    struct batch_work w = {c, z, a, an, z_bytes, a_bytes, GFMUL_OK};
    parallel_for(threads, c->opt.batch, 1, sequences_run, &w);
    return (enum gfmul_status)atomic_load(&w.status);
}

enum gfmul_status gfmul_conv_run(const struct gfmul_conv *c, void *z, const void *a, size_t an)
{
    ROUND_TO_NEAREST;
    struct batch_bytes bytes;
    if (c == NULL || z == NULL || a == NULL || an == 0 || !is_aligned(&c->opt, a, false) || !is_aligned(&c->opt, z, true) ||
        (c->opt.kind != GFMUL_CONV_LINEAR && an != c->bn))
        return GFMUL_ERR_ARGUMENT;
    TRY(batch_bytes_get(&bytes, &c->opt, an, c->bn));
    if (bytes_overlap(z, bytes.z, a, bytes.a))
        return GFMUL_ERR_OVERLAP;
    unsigned bits;
    if (c->opt.number == GFMUL_CONV_MOD)
        TRY(bits_of(&c->opt, a, c->opt.batch * an, &bits));
    return run(c, z, a, an);
}

enum gfmul_status gfmul_conv_enqueue(const struct gfmul_conv *c, void *z, void *a, size_t an)
{
    ROUND_TO_NEAREST; /* some drivers run commands in this call */
    struct batch_bytes bytes;
    if (c == NULL || z == NULL || a == NULL || an == 0 || (c->opt.kind != GFMUL_CONV_LINEAR && an != c->bn))
        return GFMUL_ERR_ARGUMENT;
    if (c->device == NULL)
        return GFMUL_ERR_UNSUPPORTED;
    if (z == a)
        return GFMUL_ERR_OVERLAP;
    TRY(batch_bytes_get(&bytes, &c->opt, an, c->bn));
    return conv_ocl_enqueue(c, z, a, an);
}

enum gfmul_status gfmul_conv_finish(const struct gfmul_conv *c)
{
    ROUND_TO_NEAREST;
    if (c == NULL)
        return GFMUL_ERR_ARGUMENT;
    return c->device != NULL ? conv_ocl_finish(c) : GFMUL_OK;
}

void *gfmul_conv_queue(const struct gfmul_conv *c)
{
    return c != NULL && c->device != NULL ? gfmul_fft_queue(c->fft) : NULL;
}

void gfmul_conv_destroy(struct gfmul_conv *c)
{
    if (c == NULL)
        return;
    ROUND_TO_NEAREST;
    conv_ocl_destroy(c);
    conv_prime_destroy(c);
    gfmul_fft_destroy(c->fft);
    plan_destroy(c->plan);
    alloc_free(c->spectrum);
    alloc_free(c->weights);
    alloc_free(c->spectra);
    free(c);
}

/* create_run - make a plan for one convolution, and run it. */
static enum gfmul_status create_run(const struct gfmul_conv_options *opt, void *z, const void *a, size_t an, const void *b,
                                    size_t bn)
{
    struct gfmul_conv *c = NULL;
    unsigned a_bits = 0;
    TRY(bits_of(opt, a, opt->batch * an, &a_bits));
    TRY(create(&c, b, bn, an, opt, a_bits, opt->batch == 1));
    const enum gfmul_status status = run(c, z, a, an);
    gfmul_conv_destroy(c);
    return status;
}

enum gfmul_status gfmul_convolve(void *z, const void *a, size_t an, const void *b, size_t bn,
                                 const struct gfmul_conv_options *given)
{
    ROUND_TO_NEAREST;
    struct gfmul_conv_options opt;
    TRY(options_check(&opt, given));
    if (z == NULL || a == NULL || b == NULL || an == 0 || bn == 0 || !is_aligned(&opt, a, false) || !is_aligned(&opt, b, false) ||
        !is_aligned(&opt, z, true) || (opt.kind != GFMUL_CONV_LINEAR && an != bn))
        return GFMUL_ERR_ARGUMENT;
    if (opt.batch == 1 && an < bn) {
        const void *t = a;
        size_t tn = an;
        a = b;
        an = bn;
        b = t;
        bn = tn;
    }
    struct batch_bytes bytes;
    TRY(batch_bytes_get(&bytes, &opt, an, bn));
    if (bytes_overlap(z, bytes.z, a, bytes.a) || bytes_overlap(z, bytes.z, b, bn * conv_number_bytes(&opt)))
        return GFMUL_ERR_OVERLAP;
    return create_run(&opt, z, a, an, b, bn);
}
